#include "draw/op_parts.h"

static met_wire wire_of(const op_draft *o, const op_row *row)
{
    return (met_wire){ .axis = row->axis, .edge = row->edge, .position = row->position, .node = o->id, .jog_x = -1 };
}

static void put_dot(op_draft *o, met_dot_kind kind, int32_t x, int32_t y, const op_row *row)
{
    met_scene_dot dot = { kind, x, y, row->axis, row->edge, o->id };
    MET_PUSH(o->d->arena, &o->scene->dots, dot);
}

/* --- Slots --- */

met_str op_slot_text(const op_draft *o, uint32_t edge)
{
    met_str part = met_short_name(met_sym_str(o->d->circuit->session, o->d->circuit->edges[edge].name), 2);
    bool clipped;
    met_str kept = met_measure_clip(o->d->measure, MET_FACE_TAG, part, o->d->measure->text_limit, &clipped);
    met_text text = met_text_new(o->d->arena);
    met_text_str(&text, kept);
    met_text_put(&text, clipped ? "\xE2\x80\xA6" : "");
    return (met_str){ met_text_done(&text), text.length };
}

int32_t op_slot_width(const op_draft *o, uint32_t edge)
{
    return met_measure_text(o->d->measure, MET_FACE_TAG, op_slot_text(o, edge)) + 2 * o->d->measure->pad;
}

/* --- Cups --- */

typedef struct cup {
    size_t upper, lower; /* entering rows */
    int32_t level;
} cup;

typedef MET_VEC(cup) cup_list;

static bool continues_somewhere(const op_draft *o, size_t in)
{
    for (size_t k = 0; k < o->outs.count; k++)
        if (op_continues(o, in, k))
            return true;
    return false;
}

/* Contracted wires, each joined to the next with the same index. */
static cup_list find_cups(const op_draft *o)
{
    cup_list cups = { 0 };
    for (size_t i = 0; i < o->ins.count; i++) {
        if (o->ins.at[i].index >= o->node->index_count || continues_somewhere(o, i))
            continue;
        for (size_t j = i + 1; j < o->ins.count; j++) {
            if (o->ins.at[j].index != o->ins.at[i].index)
                continue;
            cup found = { i, j, 0 };
            MET_PUSH(o->d->arena, &cups, found);
            break;
        }
    }
    return cups;
}

/* Wider cups stand further right, so that nested ones do not cross. Returns the number of steps. */
static int32_t nest_cups(cup_list *cups)
{
    int32_t steps = 0;
    size_t longest = 0;
    for (size_t i = 0; i < cups->count; i++)
        longest = cups->at[i].lower - cups->at[i].upper > longest ? cups->at[i].lower - cups->at[i].upper : longest;
    for (size_t span = 1; span <= longest; span++) {
        for (size_t i = 0; i < cups->count; i++) {
            cup *c = &cups->at[i];
            if (c->lower - c->upper != span)
                continue;
            c->level = 1;
            for (size_t j = 0; j < cups->count; j++) {
                const cup *other = &cups->at[j];
                bool apart = other->lower < c->upper || other->upper > c->lower;
                if (j != i && other->level > 0 && !apart && c->level <= other->level)
                    c->level = other->level + 1;
            }
            steps = c->level > steps ? c->level : steps;
        }
    }
    return steps;
}

/* Wires that a cup's back crosses: those that pass, and those that reach a cup further right. */
static uint64_t crossed_by(const op_draft *o, const cup_list *cups, const cup *c)
{
    uint64_t crossings = 0;
    for (size_t i = c->upper + 1; i < c->lower; i++) {
        bool beyond = continues_somewhere(o, i);
        for (size_t j = 0; j < cups->count; j++)
            beyond = beyond || ((cups->at[j].upper == i || cups->at[j].lower == i) && cups->at[j].level > c->level);
        crossings += beyond;
    }
    return crossings;
}

static int32_t cup_back(const op_draft *o, const cup *c)
{
    const met_measure *m = o->d->measure;
    return o->glyph_x + c->level * m->cup - (m->cells ? 1 : 0);
}

static void put_cups(op_draft *o, const cup_list *cups)
{
    const met_measure *m = o->d->measure;
    int32_t radius = m->cells ? 0 : 8 * 16;
    bool *met = MET_NEW_ARRAY(o->d->arena, bool, o->ins.count + 1);
    for (size_t i = 0; i < cups->count; i++) {
        const cup *c = &cups->at[i];
        int32_t back = cup_back(o, c);
        const op_row *upper = &o->ins.at[c->upper];
        const op_row *lower = &o->ins.at[c->lower];
        met_wire wire = wire_of(o, upper);
        met_scene_line(o->scene, wire, 0, back - radius, upper->y);
        met_scene_line(o->scene, wire_of(o, lower), 0, back - radius, lower->y);
        wire.kind = MET_WIRE_CUP;
        wire.x0 = back - radius;
        wire.x1 = back;
        wire.y0 = upper->y;
        wire.y1 = lower->y;
        MET_PUSH(o->d->arena, &o->scene->wires, wire);
        if (met[c->upper]) /* a third wire joins */
            put_dot(o, MET_DOT_FULL, back - radius, upper->y, upper);
        met[c->lower] = true;
        o->scene->crossings += crossed_by(o, cups, c);
        o->result_x = back > o->result_x ? back : o->result_x;
    }
}

static bool in_cup(const cup_list *cups, size_t row)
{
    for (size_t i = 0; i < cups->count; i++)
        if (cups->at[i].upper == row || cups->at[i].lower == row)
            return true;
    return false;
}

/* --- The rest --- */

static int32_t glyph_end(const op_draft *o)
{
    return o->glyph_x + o->glyph_w;
}

/* Wires that end at the glyph run to its middle, under it; its outline covers them. */
static void put_targets(op_draft *o)
{
    const met_measure *m = o->d->measure;
    int32_t middle = o->glyph_x + (m->cells ? 0 : o->glyph_w / 2);
    for (size_t i = o->group_begin; i < o->group_end; i++) {
        met_wire wire = wire_of(o, &o->ins.at[i]);
        wire.touches = true;
        met_scene_line(o->scene, wire, 0, middle, o->ins.at[i].y);
    }
    for (size_t i = 0; i < o->ins.count; i++) {
        const op_row *row = &o->ins.at[i];
        if (!row->tied)
            continue;
        int32_t x = o->glyph_x + o->glyph_w / 2;
        if (row->target) /* it ends here */
            met_scene_line(o->scene, wire_of(o, row), 0, x, row->y);
        put_dot(o, MET_DOT_OPEN, x, row->y, row);
        int32_t over = m->cells ? 0 : o->info->over * 16;
        int32_t top = o->glyph_y - over;
        int32_t bottom = o->glyph_y + (o->glyph_rows - 1) * m->pitch + over;
        met_tether t = { x, row->y, top, o->id, MET_REACH_NONE };
        if (row->y >= top)
            t = (met_tether){ x, bottom, row->y, o->id, MET_REACH_NONE };
        MET_PUSH(o->d->arena, &o->scene->tethers, t);
    }
}

/* Wires without a partner: those folded away, and those that come from nowhere. */
static void put_loose(op_draft *o, const cup_list *cups)
{
    for (size_t i = 0; i < o->ins.count; i++) {
        const op_row *row = &o->ins.at[i];
        if (row->target || continues_somewhere(o, i) || in_cup(cups, i))
            continue;
        int32_t x = o->glyph_x + (o->glyph_w > 0 ? 0 : o->d->measure->cup) - (o->d->measure->cells ? 1 : 64);
        met_scene_line(o->scene, wire_of(o, row), 0, x, row->y);
        put_dot(o, MET_DOT_FULL, x, row->y, row);
    }
}

typedef MET_VEC(met_wire) wire_list;

static void add_curve(op_draft *o, wire_list *curves, const op_row *from, const op_row *to, int32_t y0)
{
    met_wire wire = wire_of(o, from ? from : to);
    wire.kind = MET_WIRE_CURVE;
    wire.x0 = glyph_end(o);
    wire.y0 = y0;
    wire.y1 = to->y;
    wire.zone = 0;
    MET_PUSH(o->d->arena, curves, wire);
}

/* Curves of the exit: from each passing wire to each leaving one of its index, from the glyph to what it makes. */
static wire_list find_curves(op_draft *o)
{
    wire_list curves = { 0 };
    const met_measure *m = o->d->measure;
    for (size_t k = 0; k < o->outs.count; k++) {
        const op_row *out = &o->outs.at[k];
        if (out->target && o->info->meeting != MET_MEET_FORK) {
            int32_t low = o->glyph_y;
            int32_t high = o->glyph_y + (o->glyph_rows - 1) * m->pitch;
            int32_t y = out->y < low ? low : out->y > high ? high : out->y;
            add_curve(o, &curves, NULL, out, y);
            curves.at[curves.count - 1].touches = true;
        }
        for (size_t i = 0; i < o->ins.count; i++)
            if (op_continues(o, i, k))
                add_curve(o, &curves, &o->ins.at[i], out, o->ins.at[i].y);
    }
    return curves;
}

static void put_joints(op_draft *o)
{
    for (size_t k = 0; k < o->outs.count; k++) {
        size_t meet = 0;
        for (size_t i = 0; i < o->ins.count; i++)
            meet += op_continues(o, i, k);
        bool fork = o->info->meeting == MET_MEET_FORK && o->outs.at[k].target;
        if (meet > 1)
            put_dot(o, fork ? MET_DOT_OPEN : MET_DOT_FULL, o->exit_x, o->outs.at[k].y, &o->outs.at[k]);
        if (meet == 0 && !o->outs.at[k].target) {
            int32_t x = op_is_result(o, k) ? o->result_x : o->exit_x;
            put_dot(o, MET_DOT_FULL, x, o->outs.at[k].y, &o->outs.at[k]);
            met_scene_line(o->scene, wire_of(o, &o->outs.at[k]), x, o->exit_x, o->outs.at[k].y);
        }
    }
    for (size_t i = 0; i < o->ins.count; i++) {
        size_t leave = 0;
        for (size_t k = 0; k < o->outs.count; k++)
            leave += op_continues(o, i, k);
        bool fork = o->info->meeting == MET_MEET_FORK && o->ins.at[i].target;
        if (leave > 1)
            put_dot(o, fork ? MET_DOT_OPEN : MET_DOT_FULL, glyph_end(o), o->ins.at[i].y, &o->ins.at[i]);
    }
}

static void put_exit(op_draft *o, wire_list *curves)
{
    const met_measure *m = o->d->measure;
    met_arena *arena = o->d->arena;
    met_wire **list = MET_NEW_ARRAY(arena, met_wire *, curves->count + 1);
    met_pair *pairs = MET_NEW_ARRAY(arena, met_pair, curves->count + 1);
    for (size_t i = 0; i < curves->count; i++) {
        list[i] = &curves->at[i];
        pairs[i] = (met_pair){ curves->at[i].y0, curves->at[i].y1 };
    }
    o->exit_x = glyph_end(o) + met_route_width(o->d, list, curves->count);
    o->scene->crossings += met_count_crossings(arena, pairs, curves->count);
    for (size_t i = 0; i < curves->count; i++) {
        met_wire wire = curves->at[i];
        if (wire.touches) { /* starts under the glyph */
            met_wire start = wire;
            met_scene_line(o->scene, start, wire.x0 - (m->cells ? 0 : o->glyph_w / 2), wire.x0, wire.y0);
            wire.touches = false;
        } else {
            met_scene_line(o->scene, wire, 0, wire.x0, wire.y0);
        }
        wire.x1 = o->exit_x;
        if (wire.x1 > wire.x0)
            MET_PUSH(arena, &o->scene->wires, wire);
    }
    o->scene->zone_count = 1;
}

/* A wire is named where it starts: where no entering wire has its axis. */
static bool starts_here(const op_draft *o, const op_row *out)
{
    for (size_t i = 0; i < o->ins.count; i++)
        if (o->ins.at[i].axis == out->axis)
            return false;
    return true;
}

/* A guard that starts here without a mask's glyph (a view that reads beyond its input) gets a small mask. */
static bool guard_starts(const op_draft *o, uint32_t edge)
{
    const met_circuit *c = o->d->circuit;
    bool before = o->node->op->id == MET_OP_mask || o->node->op->id == MET_OP_mask_causal ||
                  o->node->op->id == MET_OP_mask_window || o->node->op->id == MET_OP_mask_padding;
    for (uint32_t i = 0; i < o->node->in_count; i++)
        before = before || c->edges[o->node->ins[i].id].guard_count > 0;
    return !before && c->edges[edge].guard_count > 0;
}

void op_put_wires(op_draft *o)
{
    const met_measure *m = o->d->measure;
    cup_list cups = { 0 };
    if (o->info->meeting == MET_MEET_CUP) {
        cups = find_cups(o);
        int32_t steps = nest_cups(&cups);
        o->glyph_w = (steps + (m->cells ? 0 : 1)) * m->cup;
        put_cups(o, &cups);
        o->glyph_w = o->glyph_w > m->cup ? o->glyph_w : m->cup;
    } else if (o->info->meeting == MET_MEET_SUM) {
        o->glyph_w = m->cup;
    }
    put_targets(o);
    put_loose(o, &cups);
    if (o->result_x == 0)
        o->result_x = o->glyph_x + o->glyph_w;
    wire_list curves = find_curves(o);
    put_exit(o, &curves);
    put_joints(o);
    o->label_x = o->exit_x;
    o->width = o->exit_x + m->lead;
    for (size_t k = 0; k < o->outs.count; k++) {
        met_port port = met_port_make(o->d, o->outs.at[k].edge, 0);
        int32_t tag = met_port_tag_width(o->d, &port);
        int32_t wanted = met_port_label_width(o->d, &port);
        wanted = o->exit_x + (tag > wanted ? tag : wanted);
        bool guarded = guard_starts(o, o->outs.at[k].edge);
        o->tagged = o->tagged || guarded || met_port_has_tag(o->d, &port);
        if (guarded)
            wanted += m->cells ? 0 : 16 * 16;
        bool labelled = guarded || starts_here(o, &o->outs.at[k]) || met_port_has_tag(o->d, &port);
        if (labelled && wanted > o->width)
            o->width = wanted;
    }
}

static void put_guard(op_draft *o, int32_t x, int32_t y)
{
    const met_measure *m = o->d->measure;
    int32_t size = m->cells ? 0 : 9 * 16;
    met_mark mark = { MET_GLYPH_mask, { x + m->pad, y + 4 * 16, size, size }, o->id, MET_NONE };
    if (!m->cells)
        MET_PUSH(o->d->arena, &o->scene->marks, mark);
}

void op_put_tails(op_draft *o)
{
    for (size_t k = 0; k < o->outs.count; k++) {
        const op_row *out = &o->outs.at[k];
        met_scene_line(o->scene, wire_of(o, out), o->exit_x, o->width, out->y);
        if (starts_here(o, out))
            met_wire_label(o->d, o->scene, out->axis, o->id, o->label_x, out->y);
        if (out->position + 1 == met_edge_rows(o->d->circuit, out->edge)) {
            met_port port = met_port_make(o->d, out->edge, 0);
            for (uint32_t r = 0; r < port.rows; r++)
                port.y[r] += out->y - port.y[port.rows - 1];
            int32_t tag = met_port_tag(o->d, o->scene, &port, o->label_x);
            if (guard_starts(o, out->edge))
                put_guard(o, o->label_x + tag, out->y);
        }
    }
}
