#include "realize/arena.h"

#include <stdlib.h>

#define TOO_MUCH (UINT64_MAX / 2)

/* --- Lives --- */

static bool is_result(const met_circuit *circuit, met_edge_id edge)
{
    for (uint32_t k = 0; k < circuit->output_count; k++)
        if (circuit->outputs[k].id == edge.id)
            return true;
    for (uint32_t k = 0; k < circuit->state_count; k++)
        if (circuit->states[k].out.id == edge.id)
            return true;
    return false;
}

static bool is_given(const met_program *program, uint32_t buffer)
{
    met_edge_id edge = program->buffers[buffer].edge;
    return edge.id != MET_NONE && program->plan->circuit->edges[edge.id].role != MET_EDGE_VALUE;
}

static met_life *lives_of(const met_program *program, met_arena *arena)
{
    met_life *life = MET_NEW_ARRAY(arena, met_life, program->buffer_count);
    for (uint32_t b = 0; b < program->buffer_count; b++)
        life[b] = (met_life){ program->launch_count, 0 };
    for (uint32_t l = 0; l < program->launch_count; l++) {
        for (uint32_t a = 0; a < program->launches[l].array_count; a++) {
            met_life *own = &life[program->launches[l].arrays[a]];
            own->first = l < own->first ? l : own->first;
            own->last = l > own->last ? l : own->last;
            if (program->launches[l].constant)
                *own = (met_life){ 0, program->launch_count };
        }
    }
    for (uint32_t b = 0; b < program->buffer_count; b++) {
        if (is_given(program, b))
            life[b] = (met_life){ 0, program->launch_count };
        else if (program->buffers[b].edge.id != MET_NONE && is_result(program->plan->circuit, program->buffers[b].edge))
            life[b].last = program->launch_count;
    }
    return life;
}

static bool together(const met_life *a, const met_life *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* --- Places --- */

typedef struct item {
    uint32_t buffer;
    uint64_t bytes, offset;
} item;

static uint64_t rounded(uint64_t bytes)
{
    return bytes > TOO_MUCH - MET_LAYOUT_LINE ? TOO_MUCH : (bytes + MET_LAYOUT_LINE - 1) / MET_LAYOUT_LINE * MET_LAYOUT_LINE;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a >= TOO_MUCH || b >= TOO_MUCH - a ? TOO_MUCH : a + b;
}

static int larger_first(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* The lowest offset at which the item overlaps none of those placed that live when it does; they are ordered by offset. */
static uint64_t first_fit(const met_life *life, const item *it, uint32_t count, const item *placed)
{
    uint64_t offset = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!together(&life[it->buffer], &life[placed[k].buffer]))
            continue;
        if (placed[k].offset >= sum_of(offset, it->bytes))
            break;
        uint64_t end = sum_of(placed[k].offset, placed[k].bytes);
        offset = end > offset ? end : offset;
    }
    return offset;
}

static void insert(item *placed, uint32_t count, const item *it)
{
    uint32_t k = count;
    for (; k > 0 && placed[k - 1].offset > it->offset; k--)
        placed[k] = placed[k - 1];
    placed[k] = *it;
}

const met_layout *met_layout_new(const met_program *program, const bool *outside, met_arena *arena)
{
    met_layout *layout = MET_NEW(arena, met_layout);
    uint64_t *offset = MET_NEW_ARRAY(arena, uint64_t, program->buffer_count);
    *layout = (met_layout){ .offset = offset, .life = lives_of(program, arena) };
    met_arena *scratch = met_arena_new();
    item *items = MET_NEW_ARRAY(scratch, item, program->buffer_count);
    item *placed = MET_NEW_ARRAY(scratch, item, program->buffer_count);
    uint32_t count = 0;
    for (uint32_t b = 0; b < program->buffer_count; b++)
        if (!outside || !outside[b])
            items[count++] = (item){ b, rounded(program->buffers[b].bytes), 0 };
    qsort(items, count, sizeof *items, larger_first);
    for (uint32_t k = 0; k < count; k++) {
        items[k].offset = first_fit(layout->life, &items[k], k, placed);
        insert(placed, k, &items[k]);
        offset[items[k].buffer] = items[k].offset;
        uint64_t end = sum_of(items[k].offset, items[k].bytes);
        layout->bytes = end > layout->bytes ? end : layout->bytes;
        layout->sum = sum_of(layout->sum, items[k].bytes);
    }
    met_arena_free(scratch);
    return layout;
}

/* --- Checking, from the launches and not from the lives --- */

/* Whether a launch lies between the first and the last one that name the buffer, with all that the head of arena.h adds. */
static bool is_needed(const met_program *program, uint32_t buffer, uint32_t launch)
{
    met_edge_id edge = program->buffers[buffer].edge;
    bool before = is_given(program, buffer);
    bool after = before || (edge.id != MET_NONE && is_result(program->plan->circuit, edge));
    for (uint32_t l = 0; l < program->launch_count; l++) {
        for (uint32_t a = 0; a < program->launches[l].array_count; a++) {
            bool named = program->launches[l].arrays[a] == buffer, constant = program->launches[l].constant;
            before = before || (named && (l <= launch || constant));
            after = after || (named && (l >= launch || constant));
        }
    }
    return before && after;
}

static bool overlap(const met_program *program, const met_layout *layout, uint32_t a, uint32_t b)
{
    return layout->offset[a] < layout->offset[b] + program->buffers[b].bytes &&
           layout->offset[b] < layout->offset[a] + program->buffers[a].bytes;
}

const char *met_layout_check(const met_program *program, const bool *outside, const met_layout *layout)
{
    for (uint32_t a = 0; a < program->buffer_count; a++) {
        if (outside && outside[a])
            continue;
        if (layout->offset[a] % MET_LAYOUT_LINE != 0)
            return "a buffer does not begin on a line";
        if (layout->offset[a] + program->buffers[a].bytes > layout->bytes)
            return "a buffer ends beyond the arena";
        for (uint32_t b = 0; b < a; b++) {
            if ((outside && outside[b]) || !overlap(program, layout, a, b))
                continue;
            for (uint32_t l = 0; l <= program->launch_count; l++)
                if (is_needed(program, a, l) && is_needed(program, b, l))
                    return "two buffers overlap that are needed at the same time";
        }
    }
    return NULL;
}
