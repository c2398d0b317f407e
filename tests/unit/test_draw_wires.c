/* Drawings, geometry: labels apart, no wire through a glyph, every wire in one piece from its source to its readers. */
#include "draw_samples.h"

#include "host/model.h"

/* --- Geometry --- */

static void labels_do_not_meet(void **state)
{
    (void)state;
    each_drawing(check_labels);
}

/* A point of a wire, t from 0 to 64. */
static void point(const met_wire *w, bool cells, int t, int32_t *x, int32_t *y)
{
    double u = t / 64.0, v = 1 - u;
    if (w->kind == MET_WIRE_CUP) { /* down its back */
        *x = w->x1;
        *y = w->y0 + (int32_t)((w->y1 - w->y0) * u);
    } else if (cells && w->kind == MET_WIRE_CURVE && w->y0 != w->y1) { /* down its upright */
        *x = w->bend;
        *y = w->y0 + (int32_t)(((w->jog_x < 0 ? w->y1 : w->jog_y) - w->y0) * u);
    } else {
        *x = w->x0 + (int32_t)((w->x1 - w->x0) * (3 * v * v * u * 0.5 + 3 * v * u * u * 0.5 + u * u * u));
        *y = w->y0 + (int32_t)((w->y1 - w->y0) * (3 * v * u * u + u * u * u));
    }
}

static void check_wires(const char *name, const met_drawing *drawing)
{
    const met_scene *s = &drawing->figure.scene;
    for (size_t i = 0; i < s->wires.count; i++) {
        const met_wire *w = &s->wires.at[i];
        for (int t = 0; t <= 64; t++) {
            int32_t x, y;
            point(w, drawing->measure.cells, t, &x, &y);
            assert_in_range(x, 0, drawing->figure.width);
            assert_in_range(y, 0, drawing->figure.height);
            for (size_t m = 0; m < s->marks.count; m++) {
                met_box b = s->marks.at[m].box;
                bool inside = x > b.x && x < b.x + b.w - 1 && y >= b.y && y < b.y + b.h;
                if (inside && !(w->touches && w->node == s->marks.at[m].node))
                    fail_msg("%s: a wire of edge %u runs through a glyph of node %u", name, w->edge, s->marks.at[m].node);
            }
        }
    }
}

static void wires_pass_round_glyphs(void **state)
{
    (void)state;
    each_drawing(check_wires);
}

/* --- Continuity --- */

static bool same_wire(const met_wire *a, const met_wire *b)
{
    return a->edge == b->edge && a->position == b->position;
}

/* Whether the point is on a wire, its ends included. */
static bool passes(const met_wire *w, int32_t x, int32_t y)
{
    if (w->kind == MET_WIRE_LINE)
        return y == w->y0 && x >= w->x0 && x <= w->x1;
    int32_t end = w->kind == MET_WIRE_CUP ? w->x0 : w->x1;
    return (x == w->x0 && y == w->y0) || (x == end && y == w->y1);
}

/* What a wire may end at: a wire of another array (in an op), a dot, its glyph, the border of a closed block, a cut. */
static bool is_anchored(const met_drawing *d, const met_wire *w, int32_t x, int32_t y)
{
    const met_scene *s = &d->figure.scene;
    for (size_t i = 0; i < s->wires.count; i++)
        if (!same_wire(&s->wires.at[i], w) && passes(&s->wires.at[i], x, y))
            return true;
    for (size_t i = 0; i < s->dots.count; i++)
        if (s->dots.at[i].x == x && s->dots.at[i].y == y)
            return true;
    for (size_t i = 0; i < s->marks.count; i++) {
        met_box b = s->marks.at[i].box;
        if (x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h)
            return true;
    }
    for (size_t i = 0; i < s->plates.count; i++) {
        met_box b = s->plates.at[i].box;
        if (s->plates.at[i].kind == MET_PLATE_CLOSED && (x == b.x || x == b.x + b.w) && y >= b.y && y <= b.y + b.h)
            return true;
    }
    for (size_t i = 0; i < s->rules.count; i++)
        if (s->rules.at[i].x0 == s->rules.at[i].x1 && s->rules.at[i].x0 == x && y >= s->rules.at[i].y0 && y <= s->rules.at[i].y1)
            return true;
    return false;
}

static bool goes_on(const met_scene *s, const met_wire *w, int32_t x, int32_t y)
{
    for (size_t i = 0; i < s->wires.count; i++)
        if (&s->wires.at[i] != w && same_wire(&s->wires.at[i], w) && passes(&s->wires.at[i], x, y))
            return true;
    return false;
}

static size_t root_of(size_t *parent, size_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static bool touch(const met_wire *a, const met_wire *b)
{
    int32_t end_a = a->kind == MET_WIRE_CUP ? a->x0 : a->x1;
    int32_t end_b = b->kind == MET_WIRE_CUP ? b->x0 : b->x1;
    return passes(a, b->x0, b->y0) || passes(a, end_b, b->y1) || passes(b, a->x0, a->y0) || passes(b, end_a, a->y1);
}

/* Pieces of one wire of one array hang together. */
static void check_pieces(const char *name, const met_drawing *d)
{
    const met_scene *s = &d->figure.scene;
    size_t *parent = calloc(s->wires.count + 1, sizeof *parent);
    for (size_t i = 0; i < s->wires.count; i++)
        parent[i] = i;
    for (size_t i = 0; i < s->wires.count; i++)
        for (size_t k = i + 1; k < s->wires.count; k++)
            if (same_wire(&s->wires.at[i], &s->wires.at[k]) && touch(&s->wires.at[i], &s->wires.at[k]))
                parent[root_of(parent, k)] = root_of(parent, i);
    for (size_t i = 0; i < s->wires.count; i++)
        for (size_t k = i + 1; k < s->wires.count; k++)
            if (same_wire(&s->wires.at[i], &s->wires.at[k]) && root_of(parent, i) != root_of(parent, k))
                fail_msg("%s: wire %u of edge %u is broken", name, s->wires.at[i].position, s->wires.at[i].edge);
    free(parent);
}

/* Every piece starts where something is, and ends where something is; without cuts the pieces of a wire are one. */
static void check_continuity(const char *name, const met_drawing *d)
{
    const met_scene *s = &d->figure.scene;
    const met_circuit *c = d->circuit;
    bool cut = false;
    for (size_t i = 0; i < s->rules.count; i++)
        cut = cut || s->rules.at[i].x0 == s->rules.at[i].x1;
    for (size_t i = 0; i < s->wires.count; i++) {
        const met_wire *w = &s->wires.at[i];
        bool given = c->edges[w->edge].role != MET_EDGE_VALUE;
        bool kept = d->outline.is_output[w->edge] || d->outline.last_read[w->edge] == 0;
        if (!given && !goes_on(s, w, w->x0, w->y0) && !is_anchored(d, w, w->x0, w->y0))
            fail_msg("%s: wire %u of edge %u comes from nowhere at %d %d", name, w->position, w->edge, w->x0, w->y0);
        if (!kept && w->kind != MET_WIRE_CUP && !goes_on(s, w, w->x1, w->y1) && !is_anchored(d, w, w->x1, w->y1))
            fail_msg("%s: wire %u of edge %u ends in nowhere at %d %d", name, w->position, w->edge, w->x1, w->y1);
    }
    if (!cut)
        check_pieces(name, d);
}

/* With an endless, an ordinary and a narrow page. */
static void model_is_continuous(const char *name, const char *config, const char *mode)
{
    met_session *session = met_session_new();
    met_model_request request = { .name = name, .config = config, .layers = "2", .mode = mode };
    request.kernels = MET_ROOT_DIR "/kernels";
    met_circuit *model = met_model_load(session, &request);
    if (!model)
        fail_msg("%s", met_session_diagnostics_text(session));
    for (int i = 0; i < 6; i++) {
        met_draw_options options = { .format = i % 2 ? MET_DRAW_TERMINAL : MET_DRAW_SVG };
        options.width = i < 2 ? -1 : i < 4 ? 0 : i % 2 ? 60 : 600;
        met_drawing *drawing = met_drawing_new(model, &options);
        check_continuity(name, drawing);
        met_drawing_free(drawing);
    }
    met_session_free(session);
}

static void wires_are_unbroken(void **state)
{
    (void)state;
    each_drawing(check_continuity);
    model_is_continuous("bert", MET_ROOT_DIR "/examples/bert-tiny", NULL);
    model_is_continuous("llama", MET_ROOT_DIR "/examples/llama-tiny", "decode");
    model_is_continuous("llama", NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_do_not_meet),
        cmocka_unit_test(wires_pass_round_glyphs),
        cmocka_unit_test(wires_are_unbroken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
