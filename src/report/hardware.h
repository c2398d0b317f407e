/* What met says of the blueprint: counts that the texts and the JSON share. */
#ifndef MET_REPORT_HARDWARE_H
#define MET_REPORT_HARDWARE_H

#include "lkb/lkb.h"

typedef struct met_lkb_counts {
    uint32_t families, kernels, points, rules;
    uint32_t tags[3]; /* rules by met_tag */
} met_lkb_counts;

met_lkb_counts met_lkb_count_of(const met_hardware *hardware);
extern const char *const met_tag_names[3]; /* by met_tag */

#endif
