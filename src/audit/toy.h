/* Toys: the small instances of architectures on which what the blueprint says of all circuits is tried; and where a rule
 * matches in them. What a rule matches does not depend on the class, so it is found once. */
#ifndef MET_AUDIT_TOY_H
#define MET_AUDIT_TOY_H

#include "plan/of_lowering.h"

/* An architecture's toy sizes in one mode and default format. */
typedef struct met_toy {
    const char *arch, *mode, *format;
    const met_circuit *circuit; /* as written, bound */
    const met_settled *settled; /* at the default point of the format */
    met_region_judge *judge;    /* for records */
} met_toy;

/* NULL with a diagnostic. `options` as for met_region_judge_new. */
const met_toy *met_toy_new(const met_circuit *circuit, const char *arch, const char *mode, const char *format);

/* Matches of a rule in one toy: the toy with those groups and every other node by itself. */
typedef struct met_toy_match {
    const met_toy *toy;
    const met_lowering *lowering; /* groups of source RULE are the matches, the others are placeholders */
    met_region_judge *own_judge;  /* of the point that the rule's settings mean, if that is not the toy's; else NULL */
    uint32_t count;               /* of matches */
    uint32_t largest;             /* nodes of the largest one */
} met_toy_match;

typedef struct met_rule_matches {
    const met_rule *rule;
    uint32_t toy_count;   /* in which it matches */
    uint32_t match_count;
    uint32_t largest;     /* nodes of the largest match */
    uint32_t example_count;
    const met_toy_match *examples; /* one for each arithmetic (met_settled_record) that its matches have */
} met_rule_matches;

/* Looks for matches with all settings as the rule wants them, every kernel and capability there, at the least of its rows. */
met_rule_matches met_toy_matches(const met_lkb *lkb, const met_hardware *hardware, const met_rule *rule, uint32_t toy_count,
                                 const met_toy *const *toys);

/* The toy with the matches of this rule and every other node by itself; NULL: with none. NULL with diagnostics. */
const met_lowering *met_toy_lower(const met_lkb *lkb, const met_hardware *hardware, const met_rule *rule, const met_toy *toy);

/* The toy with every node by itself. */
const met_lowering *met_toy_singles(const met_lkb *lkb, const met_hardware *hardware, const met_toy *toy);

#endif
