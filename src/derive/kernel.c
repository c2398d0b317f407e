#include "derive/kernel.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "derive/kernel_parts.h"

const met_node *met_sketch_node(const met_sketch *d, uint32_t step)
{
    return &d->circuit->nodes[d->nodes[step].id];
}

const met_primitive *met_sketch_form(const met_sketch *d, uint32_t step)
{
    return &d->derivation->forms[d->nodes[step].id];
}

const char *met_sketch_edge(const met_sketch *d, met_edge_id edge)
{
    return met_sym_text(d->circuit->session, d->circuit->edges[edge.id].name);
}

const char *met_sketch_loop(const met_sketch *d, uint32_t loop)
{
    return met_sym_text(d->circuit->session, d->loops.loops[loop].name);
}

bool met_sketch_refuse(met_sketch *d, uint32_t step, const char *help, const char *reason, ...)
{
    char buffer[512];
    va_list list;
    va_start(list, reason);
    vsnprintf(buffer, sizeof buffer, reason, list);
    va_end(list);
    met_text text = met_text_new(d->arena);
    met_text_put(&text, buffer);
    *d->refusal = (met_refusal){ .reason = met_text_done(&text), .node = d->nodes[step], .help = help };
    return false;
}

static bool only_primitives(met_sketch *d)
{
    for (uint32_t s = 0; s < d->count; s++) {
        const met_node *node = met_sketch_node(d, s);
        if (!node->op)
            return met_sketch_refuse(d, s, NULL, "a box has no meaning");
        if (met_sketch_form(d, s)->form == MET_FORM_COMPOSITE)
            return met_sketch_refuse(d, s, "settle the circuit first", "`%s` is not a primitive", node->op->name);
    }
    return true;
}

/* --- Convexity: no way leads out of the region and back into it --- */

typedef struct way {
    const met_sketch *d;
    const bool *behind; /* by node from `begin`: outside, and reached from the region */
    uint32_t begin;
    bool from_region, from_behind;
} way;

static void look_back(void *context, met_edge_id edge)
{
    way *w = context;
    met_node_id producer = w->d->circuit->edges[edge.id].producer;
    if (producer.id == MET_NONE || producer.id < w->begin)
        return;
    if (met_nodes_place(w->d->count, w->d->nodes, producer) != MET_NONE)
        w->from_region = true;
    else
        w->from_behind = w->from_behind || w->behind[producer.id - w->begin];
}

static bool is_convex(met_sketch *d)
{
    uint32_t begin = d->nodes[0].id, end = d->nodes[d->count - 1].id;
    if (end - begin + 1 == d->count)
        return true;
    bool *behind = MET_NEW_ARRAY(d->arena, bool, end - begin + 1);
    for (uint32_t n = begin; n <= end; n++) {
        way w = { .d = d, .behind = behind, .begin = begin };
        met_node_reads(d->circuit, &d->circuit->nodes[n], look_back, &w);
        uint32_t step = met_nodes_place(d->count, d->nodes, (met_node_id){ n });
        if (step == MET_NONE)
            behind[n - begin] = w.from_region || w.from_behind;
        else if (w.from_behind)
            return met_sketch_refuse(d, step, "take in what lies between, or leave one side out",
                                    "it reads what is made outside from the region's own results");
    }
    return true;
}

/* --- The whole --- */

static const met_kernel *finish(const met_sketch *d)
{
    met_kernel *kernel = MET_NEW(d->arena, met_kernel);
    *kernel = (met_kernel){
        .circuit = d->circuit,
        .loop_count = d->loops.count,
        .value_count = (uint32_t)d->values.count,
        .step_count = d->count,
        .accumulator_count = (uint32_t)d->accumulators.count,
        .pass_count = d->pass_count,
        .loops = d->loops.loops,
        .values = d->values.at,
        .steps = d->steps,
        .accumulators = d->accumulators.at,
        .stream = d->stream,
        .monoid = d->stream != MET_NONE && d->pass_count == 1,
    };
    return kernel;
}

bool met_sketch_begin(met_sketch *d, const met_derivation *derivation, met_arena *arena, uint32_t node_count,
                      const met_node_id *nodes, bool fold_reads, met_refusal *ret_refusal)
{
    assert(node_count > 0);
    for (uint32_t n = 1; n < node_count; n++)
        assert(nodes[n - 1].id < nodes[n].id);
    *d = (met_sketch){ .derivation = derivation, .circuit = derivation->circuit, .arena = arena, .count = node_count,
                       .nodes = nodes, .stream = MET_NONE, .refusal = ret_refusal };
    *ret_refusal = (met_refusal){ .node = { MET_NONE } };
    return only_primitives(d) && is_convex(d) &&
           met_loops_identify(derivation, arena, node_count, nodes, fold_reads, &d->loops, ret_refusal) &&
           met_sketch_values(d);
}

const met_kernel *met_derivation_kernel(const met_derivation *derivation, met_arena *arena, uint32_t node_count,
                                        const met_node_id *nodes, const met_derive_options *options,
                                        met_refusal *ret_refusal)
{
    met_sketch d;
    bool good = met_sketch_begin(&d, derivation, arena, node_count, nodes, false, ret_refusal) && met_sketch_stream(&d, options);
    return good ? finish(&d) : NULL;
}

const met_kernel *met_kernel_derive(const met_circuit *circuit, uint32_t node_count, const met_node_id *nodes,
                                    const met_derive_options *options, met_refusal *ret_refusal)
{
    return met_derivation_kernel(met_derivation_new(circuit), circuit->arena, node_count, nodes, options, ret_refusal);
}

met_loops met_kernel_loops_of(const met_kernel *kernel, met_partition partition)
{
    met_loops loops = 0;
    for (uint32_t l = 0; l < kernel->loop_count; l++)
        if (kernel->loops[l].partition == partition)
            loops |= (met_loops)1 << l;
    return loops;
}
