/* Plans as text: the same plan, the same bytes (docs/plan.md). */
#ifndef MET_PLAN_TEXT_H
#define MET_PLAN_TEXT_H

#include "base/text.h"
#include "plan/plan.h"

/* Groups in order with what they read, store and compute; with their kernels if `kernels`. */
void met_plan_print(met_text *out, const met_plan *plan, bool kernels);

#endif
