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
    const char *store;   /* of MEASURED: NULL: that of the user */
    uint32_t threads;    /* of MEASURED: with which it was; 0: all CPUs */
} met_planning;

/* NULL with diagnostics. */
const met_lkb *met_planning_blueprint(met_session *session, const met_planning *planning);

/* met_plan_circuit, with measured times if they are asked for. NULL with diagnostics. */
const met_lowering *met_planning_lower(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request,
                                       const met_planning *planning);

/* Every model under models/ on every device of DEVICES.toml in every mode, planned greedily: the matrix as Markdown, and the
 * canonical texts of a few plans, all of them files in circuits/plans of the kernels directory. With `check`, nothing is written;
 * the names of files that are not what they would be are in *ret_stale, a line each ("" if there are none). False with
 * diagnostics. */
bool met_planning_matrix(met_session *session, const met_planning *planning, bool check, const char **ret_stale);

/* The names of what is under models/ of a kernels directory, in order; room for MET_PLANNING_MODELS. How many there are. */
enum { MET_PLANNING_MODELS = 256 };
uint32_t met_planning_models(met_session *session, const char *kernels, const char **ret_names);

#ifdef __cplusplus
}
#endif
#endif
