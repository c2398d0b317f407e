#include "host/planning.h"

#include <string.h>

#include "base/diag.h"
#include "host/blueprint.h"
#include "host/measured.h"
#include "host/rule_laxity.h"
#include "host/target.h"
#include "realize/lower_target.h"

static const met_span nowhere;

const met_lkb *met_planning_blueprint(met_session *session, const met_planning *planning)
{
    met_blueprint_request request = { .kernels = planning->kernels };
    return met_blueprint_load(session, &request);
}

/* --- Measured times --- */

typedef struct pricing {
    met_session *session;
    met_evidence *evidence;
    met_compiler *compiler;
    met_measured *measured;
    const char *device;
    uint32_t found; /* groups with a figure, of those that were asked for */
} pricing;

static bool ask(void *context, uint32_t count, const uint32_t *ids, double *ret_seconds)
{
    pricing *p = context;
    met_arena *scratch = met_arena_new();
    met_node_id *nodes = MET_NEW_ARRAY(scratch, met_node_id, count);
    for (uint32_t n = 0; n < count; n++)
        nodes[n] = (met_node_id){ ids[n] };
    bool found = met_measured_seconds(p->measured, count, nodes, ret_seconds);
    met_arena_free(scratch);
    p->found += found;
    return found;
}

/* The class's, or what the request says over it. */
static const char *dot_of(const met_hardware *hardware, const met_plan_request *request)
{
    for (size_t i = request->setting_count; i-- > 0;)
        if (strncmp(request->settings[i], "dot=", 4) == 0)
            return request->settings[i] + 4;
    return met_hardware_setting(hardware, "dot");
}

/* Evidence is about a device of a class whose kernels are written here. */
static bool begin(pricing *p, const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request, const met_planning *planning)
{
    const met_device *device;
    const met_hardware *hardware;
    if (!met_lkb_target(lkb, request->hardware, &device, &hardware))
        return false;
    if (!device || !hardware->class_name) {
        met_diag *diag = met_diag_add(p->session, MET_DIAG_usage, nowhere, "nothing is measured on `%s`: %s", request->hardware,
                                      device ? "its class plans and costs only" : "it is a class, not a device");
        met_diag_help(diag, "met hw probe makes a device of this machine, met kernel bench --record measures kernels on it");
        return false;
    }
    const met_lower_target *target = met_lower_target_new(circuit, hardware, device, dot_of(hardware, request));
    p->device = device->id;
    p->evidence = target ? met_evidence_open(p->session, planning->store, false) : NULL;
    p->compiler = p->evidence ? met_compiler_new(p->session, NULL) : NULL;
    if (!p->compiler)
        return false;
    met_measured_request measured = { .evidence = p->evidence, .settled = target->settled, .class = target->class,
                                      .device = device->id, .threads = planning->threads,
                                      .blueprint = met_hardware_digest(p->session->arena, lkb, hardware) };
    p->measured = met_measured_new(&measured, p->compiler);
    return true;
}

/* What there was and is no answer any more; and that there was nothing at all. */
static void say_stale(const pricing *p)
{
    enum { SHOWN = 5 };
    size_t count;
    const met_stale_row *rows = met_measured_stale(p->measured, &count);
    if (count > 0) {
        met_diag *diag = met_diag_add(p->session, MET_DIAG_note, nowhere, "evidence of %zu kernel%s on `%s` is stale", count,
                                      count == 1 ? "" : "s", p->device);
        for (size_t r = 0; r < count && r < SHOWN; r++)
            met_diag_note(diag, nowhere, "%s (%s): %s", rows[r].row.nodes, rows[r].row.sizes, met_evidence_verdict_words(rows[r].why));
        met_diag_help(diag, "met kernel bench --record measures them again");
    } else if (p->found == 0) {
        met_diag *diag = met_diag_add(p->session, MET_DIAG_note, nowhere, "no kernel of this plan was measured on `%s`", p->device);
        met_diag_help(diag, "met kernel bench --record measures kernels, of the same circuit, sizes and --dtype");
    }
}

const met_lowering *met_planning_lower(const met_circuit *circuit, const met_lkb *lkb, const met_plan_request *request,
                                       const met_planning *planning)
{
    if (!planning->measured)
        return met_plan_circuit(circuit, lkb, request);
    pricing p = { .session = circuit->session };
    met_plan_request with = *request;
    with.measured = ask;
    with.measured_context = &p;
    const met_lowering *lowering = begin(&p, circuit, lkb, request, planning) ? met_plan_circuit(circuit, lkb, request) : NULL;
    if (lowering) /* as modelled: now without the rules that measured figures speak against */
        lowering = met_plan_circuit(circuit, met_rule_laxities_drop(lowering, p.measured), &with);
    if (lowering)
        say_stale(&p);
    met_compiler_free(p.compiler);
    met_evidence_close(p.evidence);
    return lowering;
}
