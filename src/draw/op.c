/* One op as a figure: its glyph, the wires that end there, those that pass round it, and the room for labels. From left
 * to right: lead, glyph (or cups), exit (where wires bend to their places in the results), labels. */
#include <stdlib.h>

#include "draw/figure.h"
#include "draw/op_parts.h"
#include "ir/affine.h"

static bool plain_index(const met_node *n, met_affine at, uint32_t *ret_index)
{
    return met_affine_is_index(at, ret_index) && *ret_index < n->index_count;
}

/* Whether a wire of this op ends at the glyph (or, for forks, at the circle). */
static bool is_target(const op_draft *o, const op_row *row)
{
    switch (o->info->meeting) {
    case MET_MEET_CUP:
    case MET_MEET_SUM:
        return false;
    case MET_MEET_VIEW:
        return row->index == MET_NONE || met_view_renames(o->d->circuit, o->node, row->index);
    case MET_MEET_BOX:
    case MET_MEET_FORK:
        break;
    }
    if (row->axis == MET_NONE) /* a scalar's wire: what a map acts on, unless several meet */
        return o->in_stacks < 2;
    return row->index == MET_NONE || o->node->indices[row->index].target || o->node->indices[row->index].reduced;
}

static void add_row(op_draft *o, op_rows *rows, uint32_t stack, uint32_t edge, uint32_t position, met_access access)
{
    op_row row = { .stack = stack, .edge = edge, .position = position, .index = MET_NONE };
    row.axis = met_edge_axis(o->d->circuit, edge, position);
    if (row.axis == MET_NONE)
        row.index = OP_SCALAR;
    else if (position >= access.rank || !plain_index(o->node, access.at[position], &row.index))
        row.index = MET_NONE;
    MET_PUSH(o->d->arena, rows, row);
}

static void collect_rows(op_draft *o)
{
    const met_node *n = o->node;
    const met_circuit *c = o->d->circuit;
    for (uint32_t i = 0; i < n->in_count; i++) {
        uint32_t edge = o->d->outline->same[n->ins[i].id];
        if (met_node_slot(c, n, i)) {
            MET_PUSH(o->d->arena, &o->slots, edge);
            continue;
        }
        for (uint32_t p = 0; p < met_edge_rows(c, edge); p++)
            add_row(o, &o->ins, o->in_stacks, edge, p, n->in_access[i]);
        o->in_stacks++;
    }
    for (uint32_t i = 0; i < n->out_count; i++)
        for (uint32_t p = 0; p < met_edge_rows(c, n->outs[i].id); p++)
            add_row(o, &o->outs, i, n->outs[i].id, p, n->out_access[i]);
    o->out_stacks = n->out_count;
}

/* A view passes an index through only if it is read once. */
static void demote_views(op_draft *o)
{
    if (o->info->meeting != MET_MEET_VIEW)
        return;
    const met_node *n = o->node;
    for (size_t i = 0; i < o->ins.count; i++) {
        uint32_t index = o->ins.at[i].index;
        uint32_t uses = 0;
        for (uint32_t p = 0; index < n->index_count && p < n->in_access[0].rank; p++)
            uses += met_affine_reads_index(n->in_access[0].at[p], index);
        if (uses > 1)
            o->ins.at[i].target = true;
    }
}

static void classify(op_draft *o)
{
    for (size_t i = 0; i < o->ins.count; i++)
        o->ins.at[i].target = is_target(o, &o->ins.at[i]);
    demote_views(o);
    for (size_t k = 0; k < o->outs.count; k++) {
        op_row *out = &o->outs.at[k];
        out->target = is_target(o, out);
        if (o->info->meeting != MET_MEET_VIEW)
            continue;
        out->target = true; /* made by the pentagon, unless some wire passes to it */
        for (size_t i = 0; i < o->ins.count; i++)
            if (o->ins.at[i].index == out->index && !o->ins.at[i].target)
                out->target = false;
    }
}

/* The longest run of target wires within one stack is where the glyph stands; the last of equals. */
static void choose_group(op_draft *o)
{
    o->group_begin = o->group_end = 0;
    if (o->info->meeting == MET_MEET_FORK)
        return;
    for (size_t i = 0; i < o->ins.count;) {
        size_t end = i;
        while (end < o->ins.count && o->ins.at[end].target && o->ins.at[end].stack == o->ins.at[i].stack)
            end++;
        if (end > i && end - i >= o->group_end - o->group_begin) {
            o->group_begin = i;
            o->group_end = end;
        }
        i = end > i ? end : i + 1;
    }
}

/* What a view without a pentagon makes comes from nowhere. */
static void release_outs(op_draft *o)
{
    bool bare = o->info->meeting == MET_MEET_VIEW && o->group_begin == o->group_end;
    for (size_t k = 0; bare && k < o->outs.count; k++)
        o->outs.at[k].target = false;
}

/* Targets elsewhere are tied to the glyph by a tether; one that goes on to the result passes, tied. */
static void tie_others(op_draft *o)
{
    if (o->info->meeting == MET_MEET_FORK)
        return;
    for (size_t i = 0; i < o->ins.count; i++) {
        op_row *row = &o->ins.at[i];
        if (!row->target || (i >= o->group_begin && i < o->group_end))
            continue;
        row->tied = true;
        for (size_t k = 0; k < o->outs.count; k++) {
            op_row *out = &o->outs.at[k];
            if (out->target && !out->tied && out->index == row->index && row->index < o->node->index_count) {
                row->target = out->target = false;
                out->tied = true;
                break;
            }
        }
    }
}

static bool has_glyph(const op_draft *o)
{
    if (o->info->meeting == MET_MEET_BOX)
        return true;
    return o->info->meeting == MET_MEET_VIEW && o->group_end > o->group_begin;
}

static int32_t glyph_width(op_draft *o)
{
    const met_measure *m = o->d->measure;
    if (!has_glyph(o))
        return 0;
    met_face face = MET_FACE_GLYPH;
    if (m->cells) {
        o->words = o->info->cells ? met_str_of(o->info->cells) : met_node_words(o->d, o->id);
    } else if (o->info->inside == MET_INSIDE_LETTER) {
        o->words = met_str_of(o->info->letter);
        face = MET_FACE_LETTER;
    } else if (o->info->inside != MET_INSIDE_NOTHING) {
        o->words = met_node_words(o->d, o->id);
    }
    bool clipped;
    met_str kept = met_measure_clip(m, face, o->words, m->text_limit, &clipped);
    int32_t width = clipped ? m->text_limit : met_measure_text(m, face, kept);
    width += m->cells ? 2 : (o->words.length ? 14 * 16 : 0);
    int32_t least = m->cells ? 3 : o->info->width * 16;
    return width > least ? width : least;
}

/* How many wires the glyph's results take. */
static int32_t out_targets(const op_draft *o)
{
    int32_t count = 0;
    for (size_t k = 0; k < o->outs.count; k++)
        count += o->outs.at[k].target && o->outs.at[k].stack == 0;
    return count;
}

/* Gives the entering wires their heights, the first at 0, with room for what the glyph needs. */
static void space_rows(op_draft *o)
{
    const met_measure *m = o->d->measure;
    int32_t y = 0;
    int32_t produced = out_targets(o);
    int32_t group = (int32_t)(o->group_end - o->group_begin);
    int32_t extra = (produced - group) * m->pitch;
    for (size_t i = 0; i < o->ins.count; i++) {
        if (i > 0)
            y += o->ins.at[i].stack == o->ins.at[i - 1].stack ? m->pitch : m->inner_gap;
        if (group && i == o->group_end && extra > 0)
            y += extra;
        if (!group && i > 0 && o->ins.at[i].stack == 1 && o->ins.at[i - 1].stack == 0 && produced > 1)
            y += (produced - 1) * m->pitch;
        o->ins.at[i].y = y;
    }
    o->glyph_rows = produced > group ? produced : group;
    o->glyph_rows = o->glyph_rows > 0 ? o->glyph_rows : 1;
    if (group) {
        o->glyph_y = o->ins.at[o->group_begin].y;
    } else if (o->ins.count == 0) {
        o->glyph_y = 0;
    } else {
        size_t last = o->ins.count - 1;
        while (last > 0 && o->in_stacks > 1 && o->ins.at[last].stack > 0)
            last--;
        o->glyph_y = o->ins.at[last].y + (o->in_stacks > 1 ? m->inner_gap / 2 : m->pocket);
    }
}

/* Pulls each leaving stack to where its wires would go on straight, then keeps stacks apart. A stack leaves at its pitch,
 * whatever its wires went through. */
static void place_outs(op_draft *o)
{
    const met_measure *m = o->d->measure;
    met_arena *arena = o->d->arena;
    int32_t *distance = MET_NEW_ARRAY(arena, int32_t, o->out_stacks + 1);
    int32_t *y = MET_NEW_ARRAY(arena, int32_t, o->out_stacks + 1);
    MET_VEC(met_pull) pulls = { 0 };
    int32_t made = 0;
    for (size_t k = 0; k < o->outs.count; k++) {
        op_row *out = &o->outs.at[k];
        if (k > 0 && o->outs.at[k - 1].stack != out->stack)
            distance[out->stack] = (int32_t)o->outs.at[k - 1].position * m->pitch + m->inner_gap;
        met_pull pull = { out->stack, -(int32_t)out->position * m->pitch, 3 };
        if (out->target && o->info->meeting != MET_MEET_FORK) {
            pull.place += o->glyph_y + made++ * m->pitch;
            MET_PUSH(arena, &pulls, pull);
            continue;
        }
        bool first_only = o->info->meeting == MET_MEET_BOX; /* a sum goes on at the height of its first array */
        int32_t base = pull.place;
        if (op_is_result(o, k)) { /* the scalar that is left when all is contracted leaves in the middle */
            pull.place = o->ins.at[o->ins.count - 1].y / 2;
            MET_PUSH(arena, &pulls, pull);
        }
        for (size_t i = 0, found = 0; i < o->ins.count; i++) {
            if (!op_continues(o, i, k) || (first_only && found++))
                continue;
            pull.place = base + o->ins.at[i].y;
            pull.weight = 4;
            MET_PUSH(arena, &pulls, pull);
        }
    }
    met_spread(arena, o->out_stacks, distance, pulls.count, pulls.at, y);
    for (size_t k = 0; k < o->outs.count; k++)
        o->outs.at[k].y = y[o->outs.at[k].stack] + (int32_t)o->outs.at[k].position * m->pitch;
}

bool op_continues(const op_draft *o, size_t in, size_t out)
{
    const op_row *i = &o->ins.at[in];
    const op_row *k = &o->outs.at[out];
    if (o->info->meeting == MET_MEET_FORK && i->target)
        return k->target;
    return !i->target && !k->target && i->index != MET_NONE && i->index == k->index;
}

bool op_is_result(const op_draft *o, size_t out)
{
    bool continued = o->ins.count == 0 || o->outs.at[out].target;
    for (size_t i = 0; i < o->ins.count; i++)
        continued = continued || op_continues(o, i, out);
    return !continued && o->outs.at[out].index == OP_SCALAR;
}

/* Top and bottom of everything but the slots. */
static void extent(const op_draft *o, int32_t *ret_top, int32_t *ret_bottom)
{
    const met_measure *m = o->d->measure;
    int32_t over = m->cells ? 0 : o->info->over * 16;
    int32_t top = 0;
    int32_t bottom = 0;
    if (has_glyph(o)) {
        top = o->glyph_y - over;
        bottom = o->glyph_y + (o->glyph_rows - 1) * m->pitch + over;
    }
    for (size_t i = 0; i < o->ins.count + o->outs.count; i++) {
        const op_row *row = i < o->ins.count ? &o->ins.at[i] : &o->outs.at[i - o->ins.count];
        int32_t above = row->y - m->above;
        int32_t below = row->y + m->below;
        top = above < top || (i == 0 && !has_glyph(o)) ? above : top;
        bottom = below > bottom || (i == 0 && !has_glyph(o)) ? below : bottom;
    }
    *ret_top = top;
    *ret_bottom = bottom;
}

/* A slot for each parameter, above everything, with a tether down to the glyph. */
static void put_slots(op_draft *o, int32_t top)
{
    const met_measure *m = o->d->measure;
    int32_t x = o->glyph_x + o->glyph_w / 2 - o->slot_width / 2;
    int32_t y = top - m->slot;
    for (size_t i = 0; i < o->slots.count; i++) {
        met_note note = { .face = MET_FACE_TAG, .text = op_slot_text(o, o->slots.at[i]), .node = o->id,
                          .axis = MET_NONE, .block = MET_NONE };
        note.whole = met_sym_str(o->d->circuit->session, o->d->circuit->edges[o->slots.at[i]].name);
        note.clipped = true; /* the picture shows the last part of the name; the title has all of it */
        int32_t text_y = m->cells ? y : y + 3 * 16;
        int32_t width = op_slot_width(o, o->slots.at[i]);
        note.box = (met_box){ x + m->pad, text_y, width - 2 * m->pad, met_measure_height(m, MET_FACE_TAG) };
        MET_PUSH(o->d->arena, &o->scene->notes, note);
        met_plate plate = { MET_PLATE_SLOT, { x, y, width, m->cells ? 1 : 15 * 16 }, MET_NONE, o->id, 0, 0 };
        if (!m->cells)
            MET_PUSH(o->d->arena, &o->scene->plates, plate);
        x += width + m->pad;
    }
    if (o->slots.count > 0 && !m->cells) {
        met_tether t = { o->glyph_x + o->glyph_w / 2, y + 15 * 16, o->glyph_y - o->info->over * 16, o->id, MET_REACH_NONE };
        MET_PUSH(o->d->arena, &o->scene->tethers, t);
    }
}

/* A glyph at which no wire ends acts on whole arrays: an upright across all their wires says on which. */
static void put_span(op_draft *o)
{
    const met_measure *m = o->d->measure;
    if (o->info->meeting != MET_MEET_BOX || o->group_end > o->group_begin || o->ins.count == 0 || o->slots.count > 0)
        return;
    int32_t over = m->cells ? 0 : o->info->over * 16;
    int32_t beyond = m->cells ? 0 : 5 * 16;
    int32_t top = o->glyph_y - over;
    int32_t bottom = o->glyph_y + (o->glyph_rows - 1) * m->pitch + over;
    int32_t first = o->ins.at[0].y;
    int32_t last = o->ins.at[o->ins.count - 1].y;
    int32_t x = o->glyph_x + o->glyph_w / 2;
    met_tether up = { x, first - beyond, top, o->id, MET_REACH_UP };
    met_tether down = { x, bottom, last + beyond, o->id, MET_REACH_DOWN };
    if (first < top)
        MET_PUSH(o->d->arena, &o->scene->tethers, up);
    if (last > bottom)
        MET_PUSH(o->d->arena, &o->scene->tethers, down);
}

static void put_glyph(op_draft *o)
{
    const met_measure *m = o->d->measure;
    if (!has_glyph(o))
        return;
    int32_t over = m->cells ? 0 : o->info->over * 16;
    met_box box = { o->glyph_x, o->glyph_y - over, o->glyph_w, (o->glyph_rows - 1) * m->pitch + 2 * over };
    if (m->cells)
        box.h += 1;
    met_mark mark = { o->glyph, box, o->id, MET_NONE };
    MET_PUSH(o->d->arena, &o->scene->marks, mark);
    if (o->words.length == 0)
        return;
    met_face face = o->info->inside == MET_INSIDE_LETTER ? MET_FACE_LETTER : MET_FACE_GLYPH;
    met_note note = { .face = face, .text = o->words, .node = o->id, .axis = MET_NONE, .block = MET_NONE };
    int32_t y = box.y + (box.h - met_measure_height(m, face)) / 2;
    int32_t width = met_scene_text(o->scene, m, note, 0, y, m->text_limit);
    o->scene->notes.at[o->scene->notes.count - 1].box.x = box.x + (box.w - width) / 2;
}

static void put_ports(op_draft *o, met_figure *figure)
{
    met_arena *arena = o->d->arena;
    figure->in_count = o->in_stacks;
    figure->out_count = o->out_stacks;
    figure->ins = MET_NEW_ARRAY(arena, met_port, o->in_stacks);
    figure->outs = MET_NEW_ARRAY(arena, met_port, o->out_stacks);
    for (int side = 0; side < 2; side++) {
        const op_rows *rows = side ? &o->outs : &o->ins;
        met_port *ports = side ? figure->outs : figure->ins;
        for (size_t i = 0; i < rows->count; i++) {
            met_port *port = &ports[rows->at[i].stack];
            if (port->rows == 0)
                *port = met_port_make(o->d, rows->at[i].edge, 0);
            port->y[rows->at[i].position] = rows->at[i].y;
        }
    }
}

void met_figure_op(const met_drafter *d, uint32_t node, met_figure *ret_figure)
{
    *ret_figure = (met_figure){ 0 };
    met_scene scene;
    met_scene_start(&scene, d->arena);
    op_draft draft = { .d = d, .id = node, .node = &d->circuit->nodes[node], .scene = &scene };
    op_draft *o = &draft;
    o->glyph = met_glyph_of(d->circuit, o->node);
    o->info = &met_glyph_table[o->glyph];
    collect_rows(o);
    classify(o);
    choose_group(o);
    release_outs(o);
    tie_others(o);
    space_rows(o);
    place_outs(o);
    const met_measure *m = d->measure;
    o->glyph_w = glyph_width(o);
    for (size_t i = 0; i < o->slots.count; i++)
        o->slot_width += op_slot_width(o, o->slots.at[i]) + (i ? m->pad : 0);
    o->glyph_x = m->lead + (o->in_stacks > 1 && !m->cells ? 10 * 16 : 0);
    int32_t overhang = (o->slot_width - o->glyph_w) / 2;
    o->glyph_x = overhang > o->glyph_x ? overhang : o->glyph_x;
    op_put_wires(o);
    int32_t slots_end = o->glyph_x + o->glyph_w / 2 + (o->slot_width + 1) / 2;
    o->width = slots_end > o->width ? slots_end : o->width;
    op_put_tails(o);
    put_span(o);
    put_glyph(o);
    int32_t top, bottom;
    extent(o, &top, &bottom);
    put_slots(o, top);
    top -= o->slots.count ? m->slot : 0;
    bottom += o->tagged && !m->cells ? 6 * 16 : 0;
    put_ports(o, ret_figure);
    for (uint32_t i = 0; i < o->in_stacks; i++)
        for (uint32_t r = 0; r < ret_figure->ins[i].rows; r++)
            ret_figure->ins[i].y[r] -= top;
    for (uint32_t i = 0; i < o->out_stacks; i++)
        for (uint32_t r = 0; r < ret_figure->outs[i].rows; r++)
            ret_figure->outs[i].y[r] -= top;
    ret_figure->width = o->width;
    ret_figure->height = bottom - top;
    met_scene_start(&ret_figure->scene, d->arena);
    met_scene_embed(&ret_figure->scene, &scene, 0, -top);
}
