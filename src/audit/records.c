#include "audit/records.h"

/* In the arena of the settled circuit. */
static const met_program *write(const met_settled *settled, const met_lowering *lowering, const met_class *class)
{
    met_realize_request request = { class, &settled->point };
    met_plan_options options = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &request };
    const met_plan *plan = met_plan_of_lowering(lowering, settled, &options);
    return plan ? met_realize(plan, class, &(met_realize_options){ 0 }) : NULL;
}

const met_program *met_toy_program(const met_toy *toy, const met_lowering *lowering, const met_class *class)
{
    return write(toy->settled, lowering, class);
}

const met_plan_numerics *met_toy_numerics(const met_toy *toy, const met_lowering *lowering, const met_class *class)
{
    met_circuit circuit = *toy->settled->circuit;
    met_settled settled = *toy->settled;
    circuit.arena = met_arena_new();
    settled.circuit = &circuit;
    const met_program *program = write(&settled, lowering, class);
    const met_plan_numerics *numerics = program ? met_numerics_of_program(toy->settled, program) : NULL;
    met_arena_free(circuit.arena);
    return numerics;
}
