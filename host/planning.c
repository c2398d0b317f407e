#include "host/planning.h"

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/measured.h"
#include "host/target.h"
#include "lkb/lkb.h"
#include "realize/lower_target.h"

const met_lkb *met_planning_blueprint(met_session *session, const met_planning *planning)
{
    met_blueprint_request request = { .kernels = planning->kernels };
    return met_blueprint_load(session, &request);
}

/* --- Measured times --- */

typedef struct measuring {
    met_evidence *evidence;
    met_compiler *compiler;
    met_measured *measured;
} measuring;

/* A plan's nodes are numbers to the public interface. */
static bool ask(void *context, uint32_t count, const uint32_t *nodes, double *ret_seconds)
{
    return met_measured_seconds(context, count, (const met_node_id *)nodes, ret_seconds);
}

/* NULL with diagnostics. Times are those of this machine, for kernels as they would be compiled now. */
static met_measured *open_evidence(measuring *m, const met_circuit *circuit, const met_lkb *lkb, const char *hardware)
{
    met_target target;
    if (!met_target_find(circuit->session, lkb, hardware, NULL, &target) || !target.hardware)
        return NULL;
    const met_lower_target *settled = met_lower_target_new(circuit, target.hardware, met_hardware_setting(target.hardware, "dot"));
    if (!settled || !settled->class)
        return NULL;
    m->evidence = met_evidence_open(circuit->session, NULL, false);
    m->compiler = m->evidence ? met_compiler_new(circuit->session, NULL) : NULL;
    if (!m->compiler)
        return NULL;
    met_measured_request request = { .evidence = m->evidence, .settled = settled->settled, .class = settled->class, .device = target.device,
                                     .blueprint = target.blueprint };
    return met_measured_new(&request, m->compiler);
}

static void close_evidence(measuring *m)
{
    if (m->compiler)
        met_compiler_free(m->compiler);
    if (m->evidence)
        met_evidence_close(m->evidence);
}

const met_lowering *met_planning_lower(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request,
                                       const met_planning *planning)
{
    if (!planning->measured)
        return met_plan_circuit(circuit, lkb, request);
    measuring m = { 0 };
    met_plan_request measured = *request;
    measured.measured_context = m.measured = open_evidence(&m, circuit, lkb, request->hardware);
    measured.measured = ask;
    const met_lowering *lowering = m.measured ? met_plan_circuit(circuit, lkb, &measured) : NULL;
    if (!m.measured && met_session_error_count(circuit->session) == 0)
        met_diag_add(circuit->session, MET_DIAG_plan, (met_span){ 0 }, "kernels of `%s` are not made here, so there are no measured times",
                     request->hardware);
    close_evidence(&m);
    return lowering;
}
