#include "host/planning.h"

#include "host/blueprint.h"

const met_lkb *met_planning_blueprint(met_session *session, const met_planning *planning)
{
    met_blueprint_request request = { .kernels = planning->kernels };
    return met_blueprint_load(session, &request);
}

const met_lowering *met_planning_lower(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request,
                                       const met_planning *planning)
{
    (void)planning;
    return met_plan_circuit(circuit, lkb, request);
}
