/* Wires in SVG: pieces that continue each other become one path, and all wires of an axis one element. */
#include <stdlib.h>

#include "draw/drawing.h"

static int three_way(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Wires that become one path: those of an axis; scalars' wires by array. */
static int by_path(const met_wire *a, const met_wire *b)
{
    int order = three_way(a->axis, b->axis);
    return order || a->axis != MET_NONE ? order : three_way(a->edge, b->edge);
}

/* Level pieces first, from the top, then from the left. */
static int by_level(const void *a, const void *b)
{
    const met_wire *p = a;
    const met_wire *q = b;
    int order = by_path(p, q);
    order = order ? order : three_way(p->kind != MET_WIRE_LINE, q->kind != MET_WIRE_LINE);
    order = order ? order : three_way(p->y0, q->y0);
    return order ? order : three_way(p->x0, q->x0);
}

static int by_start(const void *a, const void *b)
{
    const met_wire *p = a;
    const met_wire *q = b;
    int order = by_path(p, q);
    order = order ? order : three_way(p->x0, q->x0);
    order = order ? order : three_way(p->y0, q->y0);
    order = order ? order : three_way(p->x1, q->x1);
    order = order ? order : three_way(p->y1, q->y1);
    return order ? order : three_way(p->kind, q->kind);
}

/* Level pieces that touch become one, and copies of one piece. Sorts by start; returns how many remain. */
static size_t join_lines(met_wire *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (w[i].kind == MET_WIRE_CURVE && w[i].y0 == w[i].y1)
            w[i].kind = MET_WIRE_LINE;
    qsort(w, count, sizeof *w, by_level);
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        met_wire *last = n ? &w[n - 1] : NULL;
        bool lines = last && last->kind == MET_WIRE_LINE && w[i].kind == MET_WIRE_LINE && by_path(last, &w[i]) == 0;
        if (lines && last->y0 == w[i].y0 && w[i].x0 <= last->x1)
            last->x1 = w[i].x1 > last->x1 ? w[i].x1 : last->x1;
        else
            w[n++] = w[i];
    }
    qsort(w, n, sizeof *w, by_start);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || by_start(&w[kept - 1], &w[i]) != 0)
            w[kept++] = w[i];
    return kept;
}

static void put_piece(met_text *out, const met_wire *w)
{
    int32_t dx = w->x1 - w->x0;
    int32_t dy = w->y1 - w->y0;
    if (w->kind == MET_WIRE_CUP) {
        int32_t turn = dy > 0 ? dx : -dx;
        met_text_format(out, "q%d 0 %d %d", dx, dx, turn);
        met_text_format(out, "v%d", dy - 2 * turn);
        met_text_format(out, "q0 %d %d %d", turn, -dx, turn);
    } else if (dy == 0) {
        met_text_format(out, "h%d", dx);
    } else {
        met_text_format(out, "c%d 0 %d %d %d %d", dx / 2, dx - dx / 2, dy, dx, dy);
    }
}

/* The first piece in [begin, end), sorted by start, that starts at (x, y) and is not drawn yet; `end` if there is none. */
static size_t find_next(const met_wire *w, size_t begin, size_t end, const bool *drawn, int32_t x, int32_t y)
{
    size_t low = begin;
    size_t high = end;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w[middle].x0 < x || (w[middle].x0 == x && w[middle].y0 < y))
            low = middle + 1;
        else
            high = middle;
    }
    while (low < end && w[low].x0 == x && w[low].y0 == y && drawn[low])
        low++;
    return low < end && w[low].x0 == x && w[low].y0 == y ? low : end;
}

/* One path: each piece goes on where the one before ended, as far as that is possible, so that no seams show. */
static void put_chains(met_text *out, const met_wire *w, size_t begin, size_t end, bool *drawn)
{
    for (size_t first = begin; first < end; first++) {
        if (drawn[first])
            continue;
        met_text_format(out, w[first].y0 >= 0 ? "M%d %d" : "M%d%d", w[first].x0, w[first].y0);
        for (size_t i = first; i < end;) {
            drawn[i] = true;
            put_piece(out, &w[i]);
            i = w[i].kind == MET_WIRE_CUP ? end : find_next(w, begin, end, drawn, w[i].x1, w[i].y1);
        }
    }
}

void met_svg_wires(met_text *out, const met_drawing *d)
{
    size_t count = d->figure.scene.wires.count;
    met_wire *wires = MET_NEW_ARRAY(d->arena, met_wire, count);
    for (size_t i = 0; i < count; i++)
        wires[i] = d->figure.scene.wires.at[i];
    count = join_lines(wires, count);
    bool *drawn = MET_NEW_ARRAY(d->arena, bool, count);
    met_text_put(out, "<g class=\"w\">\n");
    for (size_t begin = 0, end; begin < count; begin = end) {
        const met_wire *w = &wires[begin];
        for (end = begin; end < count && by_path(&wires[end], w) == 0;)
            end++;
        if (w->axis == MET_NONE)
            met_text_format(out, "<path class=\"x\" data-edge=\"e%u\" d=\"", w->edge);
        else
            met_text_format(out, "<path class=\"a%u\" data-axis=\"%u\" d=\"", w->axis, w->axis);
        put_chains(out, wires, begin, end, drawn);
        met_text_put(out, "\"/>\n");
    }
    met_text_put(out, "</g>\n");
}
