/* Numerics tags against arithmetic: whether the record of a rule's fused groups is that of their parts. Records include what
 * is rounded where, in which format values are handed on inside, trees and rescaling.
 *
 * On classes that can be written for, both records are taken twice: of the settled circuit, and as the programs' schedules
 * carry them. On others the trees that the families declare for the kernels are compared. docs/audit.md has the definitions. */
#ifndef MET_AUDIT_TAGS_H
#define MET_AUDIT_TAGS_H

#include "audit/records.h"

typedef struct met_tag_audit {
    const met_hardware *hardware;
    const met_rule *rule;
    const met_rule_matches *matches;
    met_verdict verdict;
    const char *why;   /* the first difference, or what is undeclared; NULL for SAME */
    bool available;    /* the class has what the rule asks for; otherwise nothing is compared */
    bool single;       /* every match is one node: there are no parts to compare it with */
    bool good;         /* the tag is what the verdict asks for */
} met_tag_audit;

/* What lowerings and programs of toys are remembered in, over rules and classes. */
typedef struct met_tag_auditor met_tag_auditor;
met_tag_auditor *met_tag_auditor_new(const met_lkb *lkb, uint32_t toy_count, const met_toy *const *toys);

/* Matches of a rule in the toys, found once; never NULL. */
const met_rule_matches *met_tag_matches(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule);

/* The audit of one rule on one class. Its failures are diagnostics: `unmatched-rule`, `tag`. */
met_tag_audit met_tag_check(met_tag_auditor *auditor, const met_hardware *hardware, const met_rule *rule);

/* One match on a class, without looking at the tag: what differs first, NULL in *ret_why for SAME. */
met_verdict met_tag_compare(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy_match *match,
                            const char **ret_why);

/* The records of a toy with every node by itself, found once a class. NULL if the class cannot hold it. */
const met_plan_numerics *met_tag_reference(met_tag_auditor *auditor, const met_toy *toy, const met_class *class);

/* How many of the rules of a class are equations: several nodes, one arithmetic, and tagged so. */
uint32_t met_tag_equations(uint32_t count, const met_tag_audit *audits);

#endif
