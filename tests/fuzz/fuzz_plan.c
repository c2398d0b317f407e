/* Any bytes as a program: a circuit, which is settled, derived whole and planned, at both divisions, in small sizes and without
 * any. Every kernel and every plan obeys its own rules. */
#include "derive/derivation.h"
#include "derive/kernel_text.h"
#include "derive/region_of_circuit.h"
#include "derive/stream.h"
#include "plan/text.h"
#include "programs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole circuit as one kernel and as a region that streams each of its loops. */
static void derive_whole(const met_circuit *circuit)
{
    const met_derivation *facts = met_derivation_new(circuit);
    met_node_id *nodes = MET_NEW_ARRAY(circuit->arena, met_node_id, circuit->node_count);
    for (uint32_t n = 0; n < circuit->node_count; n++)
        nodes[n].id = n;
    met_refusal refusal;
    const met_kernel *kernel = met_derivation_kernel(facts, circuit->arena, circuit->node_count, nodes, NULL, &refusal);
    met_text text = met_text_new(circuit->arena);
    if (kernel ? met_kernel_check(kernel) != NULL : !refusal.reason)
        __builtin_trap();
    if (kernel)
        met_kernel_print(&text, kernel);
    const met_region *region = met_region_of_circuit(facts, circuit->arena, circuit->node_count, nodes, &refusal);
    for (uint32_t l = 0; region && l < region->loop_count; l++)
        met_stream_print(&text, met_stream_derive(region, l));
}

static void plan(const met_circuit *circuit, const met_point *point, met_planner planner)
{
    met_plan_options options = { .capacity_bytes = 4096 };
    const met_plan *made = met_plan_make(circuit, point, planner, &options);
    met_text text = met_text_new(circuit->arena);
    if (made && met_plan_check(made))
        __builtin_trap();
    if (made)
        met_plan_print(&text, made, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 11)
        return 0;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, (const char *)data, size);
    const met_circuit *bound = circuit && circuit->node_count < 100 ? met_circuit_bind(circuit, settings(circuit)) : NULL;
    for (int division = MET_DIVISION_DEFERRED; bound && division <= MET_DIVISION_EAGER; division++) {
        met_point point = met_point_of(MET_F32);
        point.division = (met_division)division;
        const met_circuit *settled = met_circuit_settle(bound, &point), *free = met_circuit_settle(circuit, &point);
        if (!settled || !free || settled->node_count == 0)
            break;
        derive_whole(settled);
        plan(settled, &point, MET_PLANNER_NONE);
        plan(settled, &point, MET_PLANNER_FUSED);
        plan(free, &point, MET_PLANNER_NONE);
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
