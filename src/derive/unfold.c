/* A circuit as a scalar region: from the outputs back, each edge at the place where it is read. A place is an affine
 * expression in loops for every position; an edge at one place is one value. */
#include <string.h>

#include "derive/unfold_parts.h"
#include "ir/affine.h"

/* Each level of an unfolded circuit is a stack frame. */
enum { DEPTH_LIMIT = 2000 };

uint32_t met_unfold_refuse(met_unfolder *u, uint32_t node, const char *reason)
{
    if (!u->refusal.reason)
        u->refusal = (met_refusal){ .reason = reason, .node = { node } };
    return MET_NONE;
}

const char *met_unfold_name(met_unfolder *u, met_map *names, const char *wanted)
{
    met_text name = met_text_new(u->arena);
    uint32_t taken, number = 1;
    met_text_put(&name, wanted);
    while (met_map_get(names, met_str_of(met_text_done(&name)), &taken)) {
        name.length = 0;
        met_text_format(&name, "%s_%u", wanted, ++number);
    }
    met_map_set(names, met_str_of(met_text_done(&name)), 0);
    return met_text_done(&name);
}

static uint32_t new_loop(met_unfolder *u, uint32_t axis, const char *label)
{
    if (u->loops.count == MET_KERNEL_LOOPS)
        return met_unfold_refuse(u, MET_NONE, "the circuit has more than 64 loops");
    const char *own = met_sym_text(u->circuit->session, u->circuit->axes[axis].name);
    uint32_t taken;
    bool free = !met_map_get(u->loop_names, met_str_of(label), &taken);
    met_region_loop loop = { met_unfold_name(u, u->loop_names, free ? label : own), u->circuit->axes[axis].size };
    MET_PUSH(u->arena, &u->loops, loop);
    MET_PUSH(u->arena, &u->axes, axis);
    return (uint32_t)u->loops.count - 1;
}

uint32_t met_unfold_loop(met_unfolder *u, uint32_t axis, met_loops busy, const char *label)
{
    for (uint32_t i = 0; i < u->loops.count; i++)
        if (u->axes.at[i] == axis && !(busy >> i & 1))
            return i;
    return new_loop(u, axis, label);
}

met_loops met_unfold_loops(met_affine at)
{
    met_loops loops = 0;
    for (uint32_t i = 0; i < at.term_count; i++)
        if (at.terms[i].kind == MET_TERM_INDEX)
            loops |= (met_loops)1 << at.terms[i].index;
    return loops;
}

static met_loops loops_of(const met_unfolder *u, const met_scalar *e)
{
    if (e->kind == MET_SCALAR_INPUT)
        return u->values.at[e->input].loops;
    met_loops loops = e->kind == MET_SCALAR_INDEX ? (met_loops)1 << e->index : 0;
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++)
        loops |= e->arguments[i] ? loops_of(u, e->arguments[i]) : 0;
    return loops;
}

uint32_t met_unfold_add(met_unfolder *u, met_region_value value)
{
    if (u->values.count == MET_REGION_VALUES)
        return met_unfold_refuse(u, MET_NONE, "the circuit has more than 4096 values");
    if (value.e)
        value.loops |= loops_of(u, value.e);
    value.loops &= ~value.reduced;
    value.edge = value.input ? value.edge : MET_NONE;
    MET_PUSH(u->arena, &u->values, value);
    return (uint32_t)u->values.count - 1;
}

static uint32_t leaf_at(met_unfolder *u, uint32_t edge, const met_affine *at)
{
    const met_edge *e = &u->circuit->edges[edge];
    met_region_value value = { .input = true, .span = e->span, .edge = edge };
    value.name = met_unfold_name(u, u->value_names, met_sym_text(u->circuit->session, e->name));
    value.parameter = e->role == MET_EDGE_PARAMETER;
    value.at = at;
    for (uint32_t p = 0; p < e->rank; p++)
        value.loops |= met_unfold_loops(at[p]);
    return met_unfold_add(u, value);
}

uint32_t met_unfold_edge(met_unfolder *u, uint32_t edge, const met_affine *at)
{
    met_text key = met_text_new(u->arena);
    uint32_t value;
    met_text_format(&key, "%u", edge);
    for (uint32_t p = 0; p < u->circuit->edges[edge].rank; p++) {
        met_text_format(&key, ",%lld", (long long)at[p].constant);
        for (uint32_t i = 0; i < at[p].term_count; i++) {
            met_text_format(&key, " %lld*", (long long)at[p].terms[i].coefficient);
            if (at[p].terms[i].kind == MET_TERM_INDEX)
                met_text_format(&key, "i%u", at[p].terms[i].index);
            else
                met_dim_print(&key, at[p].terms[i].size, met_circuit_size_name, (void *)(uintptr_t)u->circuit);
        }
    }
    met_str place_text = met_str_of(met_text_done(&key));
    if (met_map_get(u->places, place_text, &value))
        return value;
    if (u->depth == DEPTH_LIMIT)
        return met_unfold_refuse(u, MET_NONE, "the circuit is deeper than 2000 nodes");
    u->depth++;
    value = u->circuit->edges[edge].producer.id == MET_NONE ? leaf_at(u, edge, at) : met_unfold_node(u, edge, at);
    u->depth--;
    if (value != MET_NONE)
        met_map_set(u->places, place_text, value);
    return value;
}

/* An output at a place of its own, as a value that carries its name. */
static bool unfold_output(met_unfolder *u, met_edge_id id)
{
    const met_edge *edge = &u->circuit->edges[id.id];
    met_affine *at = MET_NEW_ARRAY(u->arena, met_affine, edge->rank);
    met_loops busy = 0;
    for (uint32_t p = 0; p < edge->rank; p++) {
        const char *label = met_sym_text(u->circuit->session, u->circuit->axes[edge->axes[p].id].name);
        uint32_t loop = met_unfold_loop(u, edge->axes[p].id, busy, label);
        if (loop == MET_NONE)
            return false;
        busy |= (met_loops)1 << loop;
        at[p] = met_affine_index(u->arena, loop, 1);
    }
    uint32_t value = met_unfold_edge(u, id.id, at);
    if (value == MET_NONE)
        return false;
    met_region_value *made = &u->values.at[value];
    if (made->input) { /* passed through: a map of its own */
        met_region_value map = { .e = met_scalar_input(u->arena, value), .span = edge->span };
        map.name = met_unfold_name(u, u->value_names, made->name);
        value = met_unfold_add(u, map);
        if (value == MET_NONE)
            return false;
    }
    u->values.at[value].output = true;
    return true;
}

const met_region *met_region_unfold(const met_circuit *circuit, met_refusal *ret_refusal)
{
    met_unfolder unfolding = { .arena = circuit->arena, .circuit = circuit };
    met_unfolder *u = &unfolding;
    u->places = met_map_new(u->arena);
    u->value_names = met_map_new(u->arena);
    u->loop_names = met_map_new(u->arena);
    for (uint32_t i = 0; i < circuit->output_count; i++) {
        if (unfold_output(u, circuit->outputs[i]))
            continue;
        *ret_refusal = u->refusal;
        return NULL;
    }
    met_region *region = MET_NEW(u->arena, met_region);
    *region = (met_region){ .arena = u->arena, .loop_count = (uint32_t)u->loops.count, .value_count = (uint32_t)u->values.count,
                            .loops = u->loops.at, .values = u->values.at, .size_name = met_circuit_size_name,
                            .size_context = (void *)(uintptr_t)circuit };
    return region;
}
