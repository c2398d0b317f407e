/* What `met lkb report` says of a class: how much of what models ask for it covers, what of that is measured, what is left
 * besides families, which points are missing, which rules are equations, and what rules have been measured to win. */
#ifndef MET_AUDIT_REPORT_H
#define MET_AUDIT_REPORT_H

#include "audit/history.h"
#include "audit/tags.h"

/* A model's step on the class. */
typedef struct met_model_report {
    const char *model, *mode;
    uint64_t rows;
    const met_venn *venn; /* NULL: it cannot be planned there */
    const char *why;      /* then, in a few words */
} met_model_report;

/* What a rule has been measured to win on the class's device: seconds (joules) of its matches' single kernels less those of
 * the fused ones, over all groups for which there is fresh evidence of all kernels. */
typedef struct met_rule_laxity {
    const met_rule *rule;
    uint64_t group_count;
    double parts_s, fused_s;
    bool has_joules;
    double joules; /* of the parts less those of the whole */
} met_rule_laxity;

/* Rule 5: what does not win time is dropped on the class; what wins one of time and energy and loses the other is a choice. */
typedef enum met_laxity_verdict { MET_LAXITY_KEPT, MET_LAXITY_DROPPED, MET_LAXITY_CHOICE } met_laxity_verdict;
met_laxity_verdict met_rule_laxity_verdict(const met_rule_laxity *laxity);

/* The class without the rules that are dropped, for plans of measured costs; the class itself if there is none. Rules that
 * take single nodes stay: something must cover them. */
const met_hardware *met_hardware_without(met_arena *arena, const met_hardware *hardware, uint32_t count,
                                         const met_rule_laxity *laxities);

typedef struct met_class_report {
    const met_lkb *lkb;
    const met_hardware *hardware;
    const met_device *device; /* NULL: the class has none, so nothing has a share */
    met_class_metrics metrics;
    uint32_t model_count, promotion_count, laxity_count, audit_count;
    const met_model_report *models;
    const met_promotion *promotions;
    const met_rule_laxity *laxities; /* of rules that are measured */
    const met_tag_audit *audits;     /* by rule */
    bool has_store;                  /* evidence was looked for */
} met_class_report;

/* Fills in what follows from the rest: metrics with equations and means over models. */
void met_class_report_finish(met_class_report *report);

/* At most 80 columns. */
void met_class_report_print(met_text *out, const met_class_report *report);
void met_class_report_json(met_json *json, const met_class_report *report);

/* A target's plan against classes and models, for people and for programs. */
/* `name` is what it is compared with, as it was asked for. */
void met_venn_print(met_text *out, const met_venn *venn, const char *name);
void met_venn_json(met_json *json, const met_venn *venn, const char *name);

#endif
