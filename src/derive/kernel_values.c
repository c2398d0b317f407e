#include "derive/kernel_parts.h"
#include "ir/affine.h"

/* --- Values --- */

static met_loops loops_read(const met_affine *at, uint32_t rank)
{
    met_loops loops = 0;
    for (uint32_t p = 0; p < rank; p++)
        for (uint32_t t = 0; t < at[p].term_count; t++)
            if (at[p].terms[t].kind == MET_TERM_INDEX)
                loops |= MET_LOOP(at[p].terms[t].index);
    return loops;
}

static uint32_t new_value(met_sketch *d, met_edge_id edge, const met_affine *at, bool is_input)
{
    uint32_t number = (uint32_t)d->values.count, first;
    met_loops loops = loops_read(at, d->circuit->edges[edge.id].rank);
    MET_PUSH(d->arena, &d->values, ((met_kernel_value){ .edge = edge, .is_input = is_input, .loops = loops, .at = at }));
    if (!met_map_get_pair(d->first_value, edge.id, 0, &first))
        first = MET_NONE;
    MET_PUSH(d->arena, &d->next_value, first);
    met_map_set_pair(d->first_value, edge.id, 0, number);
    return number;
}

/* The value of an edge at these positions; MET_NONE if there is none. */
static uint32_t find_value(const met_sketch *d, met_edge_id edge, const met_affine *at)
{
    uint32_t number;
    if (!met_map_get_pair(d->first_value, edge.id, 0, &number))
        return MET_NONE;
    for (; number != MET_NONE; number = d->next_value.at[number]) {
        bool same = true;
        for (uint32_t p = 0; p < d->circuit->edges[edge.id].rank && same; p++)
            same = met_affine_equal(d->values.at[number].at[p], at[p]);
        if (same)
            break;
    }
    return number;
}

static bool made_inside(const met_sketch *d, met_edge_id edge)
{
    met_node_id producer = d->circuit->edges[edge.id].producer;
    return producer.id != MET_NONE && met_nodes_place(d->count, d->nodes, producer) != MET_NONE;
}

/* --- Positions in the kernel's loops --- */

static bool substitute(met_sketch *d, uint32_t step, uint32_t rank, const met_affine *from, const met_affine *parts,
                       const met_affine **ret_at)
{
    met_affine *at = MET_NEW_ARRAY(d->arena, met_affine, rank);
    for (uint32_t p = 0; p < rank; p++)
        if (!met_affine_substitute(d->arena, from[p], parts, &at[p]))
            return met_sketch_refuse(d, step, NULL, "its positions do not fit 64 bits");
    *ret_at = at;
    return true;
}

/* What each index of a node is in the kernel. An index in whose place an id is read stays at 0. */
static const met_affine *index_parts(const met_sketch *d, uint32_t step)
{
    uint32_t first = d->loops.first[step], count = d->loops.first[step + 1] - first;
    met_affine *parts = MET_NEW_ARRAY(d->arena, met_affine, count);
    for (uint32_t i = 0; i < count; i++)
        if (d->loops.of[first + i] != MET_NONE)
            parts[i] = met_affine_index(d->arena, d->loops.of[first + i], 1);
    return parts;
}

/* Guards look into integer arrays, which are inputs like any other, although no step lists them. */
static bool add_guards(met_sketch *d, uint32_t step, uint32_t value)
{
    const met_edge *edge = &d->circuit->edges[d->values.at[value].edge.id];
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        const met_guard *guard = &edge->guards[g];
        const met_affine *at;
        if (guard->value.id == MET_NONE)
            continue;
        if (made_inside(d, guard->value))
            return met_sketch_refuse(d, step, "plans store it between two kernels: `met circuit cost` lists theirs",
                                     "`%s`, which a mask reads, is made inside",
                                     met_sketch_edge(d, guard->value));
        if (!substitute(d, step, guard->value_rank, guard->value_at, d->values.at[value].at, &at))
            return false;
        if (find_value(d, guard->value, at) == MET_NONE)
            new_value(d, guard->value, at, true);
    }
    return true;
}

static bool add_inputs(met_sketch *d, uint32_t step, const met_affine *parts)
{
    const met_node *node = met_sketch_node(d, step);
    uint32_t *ins = MET_NEW_ARRAY(d->arena, uint32_t, node->in_count);
    for (uint32_t k = 0; k < node->in_count; k++) {
        const met_affine *at;
        if (!substitute(d, step, node->in_access[k].rank, node->in_access[k].at, parts, &at))
            return false;
        ins[k] = find_value(d, node->ins[k], at);
        if (ins[k] == MET_NONE)
            ins[k] = new_value(d, node->ins[k], at, true);
    }
    for (uint32_t k = 0; k < node->in_count; k++)
        if (!add_guards(d, step, ins[k]))
            return false;
    d->steps[step].ins = ins;
    return true;
}

static bool read_outside(const met_sketch *d, met_edge_id edge)
{
    const met_derivation *facts = d->derivation;
    for (uint32_t r = facts->reader_begin[edge.id]; r < facts->reader_begin[edge.id + 1]; r++)
        if (met_nodes_place(d->count, d->nodes, facts->readers[r]) == MET_NONE)
            return true;
    return false;
}

/* What nobody reads is stored all the same if the node would have no result otherwise. */
static bool all_unread(const met_sketch *d, const met_node *node)
{
    const met_derivation *facts = d->derivation;
    for (uint32_t k = 0; k < node->out_count; k++)
        if (facts->kept[node->outs[k].id] || facts->reader_begin[node->outs[k].id] != facts->reader_begin[node->outs[k].id + 1])
            return false;
    return true;
}

static bool add_outputs(met_sketch *d, uint32_t step, const met_affine *parts)
{
    const met_node *node = met_sketch_node(d, step);
    uint32_t *outs = MET_NEW_ARRAY(d->arena, uint32_t, node->out_count);
    for (uint32_t k = 0; k < node->out_count; k++) {
        const met_affine *at;
        met_edge_id edge = node->outs[k];
        if (!substitute(d, step, node->out_access[k].rank, node->out_access[k].at, parts, &at))
            return false;
        outs[k] = new_value(d, edge, at, false);
        d->values.at[outs[k]].is_output = d->derivation->kept[edge.id] || read_outside(d, edge) || all_unread(d, node);
    }
    for (uint32_t k = 0; k < node->out_count; k++)
        if (!add_guards(d, step, outs[k]))
            return false;
    d->steps[step].outs = outs;
    return true;
}

/* --- Steps --- */

static bool in_both_results(const met_node *node, uint32_t index)
{
    for (uint32_t k = 0; k < 2; k++) {
        bool found = false;
        for (uint32_t p = 0; p < node->out_access[k].rank; p++)
            found = found || met_affine_reads_index(node->out_access[k].at[p], index);
        if (!found)
            return false;
    }
    return true;
}

static void note_loops(met_sketch *d, uint32_t step)
{
    const met_node *node = met_sketch_node(d, step);
    met_kernel_step *s = &d->steps[step];
    s->node = d->nodes[step];
    s->accumulator = MET_NONE;
    s->loops = &d->loops.of[d->loops.first[step]];
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced && s->loops[i] != MET_NONE)
            s->reduced |= MET_LOOP(s->loops[i]);
    d->reduced |= s->reduced;
    if (met_sketch_form(d, step)->form == MET_FORM_SCAN) /* one step after the other, with all of the state */
        for (uint32_t i = 0; i < node->index_count; i++)
            if (!in_both_results(node, i))
                d->whole |= MET_LOOP(s->loops[i]);
    if (met_sketch_form(d, step)->form != MET_FORM_PICK)
        return;
    for (uint32_t k = 0; k < node->result_count; k++)
        d->whole |= MET_LOOP(s->loops[node->results[k]]);
}

bool met_sketch_values(met_sketch *d)
{
    d->steps = MET_NEW_ARRAY(d->arena, met_kernel_step, d->count);
    d->first_value = met_map_new(d->arena);
    for (uint32_t s = 0; s < d->count; s++) {
        const met_affine *parts = index_parts(d, s);
        note_loops(d, s);
        if (!add_inputs(d, s, parts) || !add_outputs(d, s, parts))
            return false;
    }
    return true;
}
