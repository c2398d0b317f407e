#include "audit/records.h"

#include "ir/primitive.h"

bool met_node_has_tree(const met_circuit *circuit, const met_node *node)
{
    met_primitive form = met_node_primitive(circuit, node);
    bool reduces = false;
    for (uint32_t i = 0; i < node->index_count; i++)
        reduces = reduces || node->indices[i].reduced;
    return reduces && form.form == MET_FORM_FOLD && !met_monoid_is_exact(form.monoid);
}

uint64_t met_node_terms(const met_circuit *circuit, const met_node *node)
{
    uint64_t terms = 1;
    for (uint32_t i = 0; i < node->index_count; i++) {
        uint64_t size = 1;
        if (node->indices[i].reduced && met_circuit_size(circuit, node->indices[i].axis, &size))
            terms *= size;
    }
    return terms;
}

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

static met_record_map records_of(const met_circuit *circuit, const met_program *program)
{
    met_tree *trees = MET_NEW_ARRAY(circuit->arena, met_tree, circuit->node_count);
    bool *known = MET_NEW_ARRAY(circuit->arena, bool, circuit->node_count);
    for (uint32_t l = 0; l < program->launch_count; l++) {
        for (uint32_t r = 0; r < program->launches[l].record_count; r++) {
            const met_record *record = &program->launches[l].records[r];
            trees[record->node.id] = record->tree;
            known[record->node.id] = true;
        }
    }
    return (met_record_map){ circuit, trees, known };
}

bool met_toy_records(const met_toy *toy, const met_lowering *lowering, const met_class *class, met_record_map *ret_records)
{
    met_circuit circuit = *toy->settled->circuit;
    met_settled settled = *toy->settled;
    circuit.arena = met_arena_new();
    settled.circuit = &circuit;
    const met_program *program = write(&settled, lowering, class);
    if (program)
        *ret_records = records_of(toy->settled->circuit, program);
    met_arena_free(circuit.arena);
    return program != NULL;
}
