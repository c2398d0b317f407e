/* What runs gave, as JSON: what met circuit run and met circuit diff print for programs (docs/formats/verbs-json.md). */
#ifndef MET_HOST_OUTCOME_JSON_H
#define MET_HOST_OUTCOME_JSON_H

#include "host/parity.h"
#include "host/plan_pair.h"
#include "met/parity.h"

/* `outcome` is NULL for a result of the interpreter; with `time`, what each kernel took. */
const char *met_run_json(met_session *session, const met_eval_result *result, const met_outcome *outcome, bool time);

/* Two ways compared, as far as they were. */
typedef struct met_ways_compared {
    const met_plan_pair *plans;      /* NULL: not both are plans of whole ops */
    const met_parity_report *report; /* NULL: records were not compared */
    const met_outcome *a, *b;        /* NULL: nothing was run; then there is no `parity` */
    const met_parity *parity;
} met_ways_compared;

const char *met_ways_json(met_session *session, const met_ways_compared *compared);

#endif
