/* Plans of whole ops for people and programs: from a request in words to a lowering, and what is said of it.
 *   plan.c         the request: planner, device or class, settings, prices, what derivation accepts
 *   plan_bind.c    rows and context
 *   plan_text.c    the report
 *   plan_fold.c    which groups are repeated
 *   plan_json.c    everything as JSON */
#ifndef MET_REPORT_PLAN_H
#define MET_REPORT_PLAN_H

#include "met/plan.h"
#include "plan/fit.h"
#include "plan/lowering.h"

/* A stretch of groups that comes several times, or groups that come once. */
typedef struct met_plan_stretch {
    uint32_t begin, length; /* groups, of the first time */
    uint32_t times;
} met_plan_stretch;

/* Stretches that together are all groups, in order: of alike groups, as many as possible in each. In the session's arena. */
const met_plan_stretch *met_plan_stretches(const met_lowering *lowering, uint32_t *ret_count);

/* Whether what the request keeps in memory fits the device. False if there is no device, or no way to tell. */
bool met_plan_fit(const met_lowering *lowering, const met_plan_request *request, met_memory *ret_memory, met_fit *ret_fit);

/* Tokens that a step makes, for tokens a second; 0 if the mode makes none. */
double met_plan_tokens(const met_lowering *lowering);

#endif
