/* Within src/audit: what the audit of tags remembers. */
#ifndef MET_AUDIT_TAGS_PARTS_H
#define MET_AUDIT_TAGS_PARTS_H

#include "audit/tags.h"

/* The lowering of a toy's single nodes on a class, and its program. */
typedef struct reference {
    const met_toy *toy;
    const char *class_id;
    const met_lowering *lowering;
    const met_plan_numerics *numerics; /* of its program on the class */
    const met_lowering *alone;  /* by the class's own rules */
} reference;

typedef struct known_rule {
    const met_rule *rule;
    met_rule_matches matches;
    bool reported; /* that it matches nowhere, which no class changes */
} known_rule;

struct met_tag_auditor {
    const met_lkb *lkb;
    met_arena *arena;
    uint32_t toy_count;
    const met_toy *const *toys;
    MET_VEC(known_rule *) rules;
    MET_VEC(reference *) references;
};

/* Every node of a toy by the class's best kernel for it alone, made once a class. NULL with diagnostics. */
const met_lowering *met_tag_alone(met_tag_auditor *auditor, const met_hardware *hardware, const met_toy *toy);

#endif
