/* Plans with what only a machine has: the files of the blueprint, evidence, and the golden plans. */
#ifndef MET_HOST_PLANNING_H
#define MET_HOST_PLANNING_H

#include "met/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_planning {
    const char *kernels; /* as met_model_request.kernels */
    bool measured;       /* times from the evidence store, where it has fresh ones */
} met_planning;

/* NULL with diagnostics. */
const met_lkb *met_planning_blueprint(met_session *session, const met_planning *planning);

/* met_plan_circuit, with measured times if they are asked for. NULL with diagnostics. */
const met_lowering *met_planning_lower(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request,
                                       const met_planning *planning);

#ifdef __cplusplus
}
#endif
#endif
