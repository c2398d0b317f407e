#include "draw/scene.h"

#include <stdlib.h>

void met_scene_start(met_scene *scene, met_arena *arena)
{
    *scene = (met_scene){ .arena = arena };
}

static void embed_wires(met_scene *scene, const met_scene *part, int32_t dx, int32_t dy)
{
    for (size_t i = 0; i < part->wires.count; i++) {
        met_wire wire = part->wires.at[i];
        wire.x0 += dx;
        wire.x1 += dx;
        wire.y0 += dy;
        wire.y1 += dy;
        wire.bend += dx;
        wire.jog_y += dy;
        wire.jog_x += wire.jog_x < 0 ? 0 : dx;
        wire.zone += scene->zone_count;
        MET_PUSH(scene->arena, &scene->wires, wire);
    }
    scene->zone_count += part->zone_count;
}

static met_box moved(met_box box, int32_t dx, int32_t dy)
{
    return (met_box){ box.x + dx, box.y + dy, box.w, box.h };
}

void met_scene_embed(met_scene *scene, const met_scene *part, int32_t dx, int32_t dy)
{
    embed_wires(scene, part, dx, dy);
    for (size_t i = 0; i < part->dots.count; i++) {
        met_scene_dot dot = part->dots.at[i];
        dot.x += dx;
        dot.y += dy;
        MET_PUSH(scene->arena, &scene->dots, dot);
    }
    for (size_t i = 0; i < part->tethers.count; i++) {
        met_tether t = part->tethers.at[i];
        met_tether copy = { t.x + dx, t.y0 + dy, t.y1 + dy, t.node, t.reach };
        MET_PUSH(scene->arena, &scene->tethers, copy);
    }
    for (size_t i = 0; i < part->marks.count; i++) {
        met_mark mark = part->marks.at[i];
        mark.box = moved(mark.box, dx, dy);
        MET_PUSH(scene->arena, &scene->marks, mark);
    }
    for (size_t i = 0; i < part->notes.count; i++) {
        met_note note = part->notes.at[i];
        note.box = moved(note.box, dx, dy);
        MET_PUSH(scene->arena, &scene->notes, note);
    }
    for (size_t i = 0; i < part->plates.count; i++) {
        met_plate plate = part->plates.at[i];
        plate.box = moved(plate.box, dx, dy);
        MET_PUSH(scene->arena, &scene->plates, plate);
    }
    for (size_t i = 0; i < part->rules.count; i++) {
        met_rule r = part->rules.at[i];
        met_rule copy = { r.x0 + dx, r.y0 + dy, r.x1 + dx, r.y1 + dy };
        MET_PUSH(scene->arena, &scene->rules, copy);
    }
    scene->crossings += part->crossings;
}

void met_scene_line(met_scene *scene, met_wire like, int32_t x0, int32_t x1, int32_t y)
{
    if (x0 >= x1)
        return;
    like.kind = MET_WIRE_LINE;
    like.x0 = x0;
    like.x1 = x1;
    like.y0 = y;
    like.y1 = y;
    like.jog_x = -1;
    MET_PUSH(scene->arena, &scene->wires, like);
}

int32_t met_scene_text(met_scene *scene, const met_measure *measure, met_note like, int32_t x, int32_t y,
                       int32_t limit)
{
    if (like.text.length == 0)
        return 0;
    if (limit > 0) {
        met_str whole = like.text;
        met_str kept = met_measure_clip(measure, like.face, whole, limit, &like.clipped);
        if (like.clipped) {
            met_text text = met_text_new(scene->arena);
            met_text_str(&text, kept);
            met_text_put(&text, "\xE2\x80\xA6");
            like.whole = whole;
            like.text = (met_str){ met_text_done(&text), text.length };
        }
    }
    int32_t width = met_measure_text(measure, like.face, like.text);
    like.box = (met_box){ x, y, width, met_measure_height(measure, like.face) };
    MET_PUSH(scene->arena, &scene->notes, like);
    return width;
}

static int by_from(const void *a, const void *b)
{
    const met_pair *p = a;
    const met_pair *q = b;
    if (p->from != q->from)
        return p->from < q->from ? -1 : 1;
    return (p->to > q->to) - (p->to < q->to);
}

static int by_value(const void *a, const void *b)
{
    int32_t p = *(const int32_t *)a;
    int32_t q = *(const int32_t *)b;
    return (p > q) - (p < q);
}

/* Where `value` stands among `count` sorted values. */
static size_t rank_of(const int32_t *sorted, size_t count, int32_t value)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t met_count_crossings(met_arena *scratch, met_pair *pairs, size_t count)
{
    if (count < 2)
        return 0;
    qsort(pairs, count, sizeof *pairs, by_from);
    int32_t *ends = MET_NEW_ARRAY(scratch, int32_t, count);
    for (size_t i = 0; i < count; i++)
        ends[i] = pairs[i].to;
    qsort(ends, count, sizeof *ends, by_value);
    uint32_t *tree = MET_NEW_ARRAY(scratch, uint32_t, count + 1); /* Fenwick: how many ends at each rank so far */
    uint64_t crossings = 0;
    for (size_t i = 0; i < count;) {
        size_t next = i; /* pairs with one `from` do not cross each other: count all, then enter all */
        for (; next < count && pairs[next].from == pairs[i].from; next++) {
            uint64_t not_beyond = 0;
            size_t rank = rank_of(ends, count, pairs[next].to + 1);
            for (size_t k = rank; k > 0; k -= k & (~k + 1))
                not_beyond += tree[k];
            crossings += i - not_beyond;
        }
        for (; i < next; i++)
            for (size_t k = rank_of(ends, count, pairs[i].to) + 1; k <= count; k += k & (~k + 1))
                tree[k]++;
    }
    return crossings;
}
