/* Which point of a family a group of nodes asks for: the values of the family's parameters, read off the circuit as it is
 * written. */
#ifndef MET_AUDIT_POINT_H
#define MET_AUDIT_POINT_H

#include "plan/lowering.h"

/* A group of nodes as the plan has it. */
typedef struct met_asker {
    const met_lowering *lowering;
    uint32_t group;
    const met_setting *settings; /* of the request: they override the class's defaults */
    uint32_t setting_count;
} met_asker;

/* The node of the group that the family is about: the first one whose op is in its core, else one of its ops; MET_NONE if the
 * group has neither. */
uint32_t met_point_core(const met_asker *asker, const met_lkb *lkb, const met_family *family);

/* Whether a kernel of the family may contain everything that the group does. */
bool met_point_may(const met_asker *asker, const met_lkb *lkb, const met_family *family);

/* Values by parameter, in the session's arena: NULL for runtime ones, and where there is neither a value nor a word for its
 * absence (*ret_missing is then the first such parameter, else NULL). `kernel` is the family's, for its tree. */
const char *const *met_point_values(const met_asker *asker, const met_lkb *lkb, const met_family *family, uint32_t kernel,
                                    const met_family_param **ret_missing);

/* Parameters that tell points apart and whose values differ; NULL is a value of its own. `ret_only_policy`: all of them are
 * policies (true if there is none). */
uint32_t met_point_differences(const met_family *family, const char *const *a, const char *const *b, bool *ret_only_policy);

/* The declared point with these values; MET_NONE if there is none. */
uint32_t met_point_find(const met_family *family, const char *const *values);

/* "d=128, weight=bf16". */
void met_point_print(met_text *out, const met_family *family, const char *const *values);

#endif
