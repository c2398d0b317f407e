/* Promotion candidates: families whose copies could become one kernel with parameters, then points that models ask for and no
 * family declares, by the share of a step that they take. Whether two kernels may really be one is shown by running both
 * (host/promote.h). */
#ifndef MET_AUDIT_PROMOTION_H
#define MET_AUDIT_PROMOTION_H

#include "audit/venn.h"

typedef struct met_promotion {
    const met_family *family;
    uint32_t copies;           /* of the family; 0: a missing point */
    const char *const *values; /* of the missing point; NULL for copies */
    double share;              /* of the step of `model`, the largest of all */
    const char *model;
} met_promotion;

/* A model's plan, compared. */
typedef struct met_model_venn {
    const char *model;
    const met_venn *venn;
} met_model_venn;

/* Families with two copies or more, most copies first; then missing points, the largest share first. */
const met_promotion *met_promotions(const met_lkb *lkb, const met_hardware *hardware, uint32_t venn_count,
                                    const met_model_venn *venns, uint32_t *ret_count);

/* Copies among a family's points. */
uint32_t met_family_copies(const met_family *family);

#endif
