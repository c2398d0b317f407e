/* Operations as the field counts them: nodes grouped by the patterns of SITES.toml, for plan/roofline.h. */
#ifndef MET_PLAN_LOWER_SITES_H
#define MET_PLAN_LOWER_SITES_H

#include "plan/lowering.h"
#include "plan/roofline.h"

/* In the order of the circuit; a node that no pattern takes is an operation by itself, called like its op. Formats do not
 * matter. NULL with a diagnostic. */
const met_site *met_lower_sites(const met_pricing *pricing, const met_lkb *lkb, uint32_t *ret_count);

#endif
