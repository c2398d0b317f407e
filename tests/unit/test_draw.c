/* Drawings: what must hold of every picture, checked on the golden set, on a circuit with most ops and on a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "draw/drawing.h"
#include "draw/spread.h"
#include "host/file.h"
#include "host/model.h"
#include "host/theme.h"
#include "host/toml.h"
#include "ir/builder.h"

/* --- The pictures --- */

typedef struct sample {
    const char *name;
    const char *sizes;
    size_t limit; /* bytes of its SVG */
} sample;

static const sample samples[] = {
    { "attention", "q=128,x=1024,h=32,d=64,d.2=64", 12000 },
    { "causal", "q=128,x=1024,h=32,d=64,d.2=64", 12000 },
    { "multihead", "q=128,m=4096,h=32,d=128,d.2=128", 30000 },
    { "mlp", "n=128,m=4096,f=14336", 12000 },
    { "llama", "n=1024,m=4096,g=8,r=4,d=128,d.2=128,f=14336", 30000 },
    { "selfattention", "n=77,m=64", 12000 },
    { "convolution", "c=3", 12000 },
    { "diagonal", "n=12", 12000 },
    { "views", "c=3", 12000 },
    { "layers32", "n=1024,m=4096", 60000 },
    { "ops", "b=2,n=128", 60000 },
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static met_circuit *read_text(met_session *session, const char *text)
{
    uint32_t source = met_session_add_source(session, "test", text, strlen(text));
    met_circuit *circuit = met_circuit_read(session, source, NULL);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return circuit;
}

static met_circuit *read_sample(met_session *session, const sample *s, bool bound)
{
    char path[256];
    snprintf(path, sizeof path, MET_ROOT_DIR "/tests/golden/draw/%s.met", s->name);
    uint32_t source = met_file_source(session, path);
    met_circuit *circuit = source ? met_circuit_read(session, source, NULL) : NULL;
    if (circuit && bound)
        circuit = met_circuit_bind(circuit, s->sizes);
    if (!circuit)
        fail_msg("%s: %s", s->name, met_session_diagnostics_text(session));
    return circuit;
}

static met_circuit *read_llama(met_session *session, const char *layers)
{
    met_model_request request = { .name = "llama", .kernels = MET_ROOT_DIR "/kernels", .layers = layers };
    met_circuit *circuit = met_model_load(session, &request);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return circuit;
}

/* Calls `check` for every sample, free and bound, in pixels and in cells, as a summary and whole, wide and wrapped. */
static void each_drawing(void (*check)(const char *name, const met_drawing *drawing))
{
    for (size_t i = 0; i < SAMPLES * 16; i++) {
        met_session *session = met_session_new();
        const sample *s = &samples[i / 16];
        bool cells = i & 2;
        met_draw_options options = { .format = cells ? MET_DRAW_TERMINAL : MET_DRAW_SVG, .whole = i & 4 };
        options.width = !(i & 8) ? -1 : cells ? 70 : 700;
        met_drawing *drawing = met_drawing_new(read_sample(session, s, i & 1), &options);
        assert_non_null(drawing);
        check(s->name, drawing);
        met_drawing_free(drawing);
        met_session_free(session);
    }
}

/* --- Geometry --- */

static bool overlap(met_box a, met_box b)
{
    return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

static void check_labels(const char *name, const met_drawing *drawing)
{
    const met_scene *s = &drawing->figure.scene;
    met_box page = { 0, 0, drawing->figure.width, drawing->figure.height };
    for (size_t i = 0; i < s->notes.count; i++) {
        const met_note *a = &s->notes.at[i];
        if (a->box.x < page.x || a->box.y < page.y || a->box.x + a->box.w > page.w || a->box.y + a->box.h > page.h)
            fail_msg("%s: `%.*s` leaves the picture", name, MET_STR_ARGS(a->text));
        for (size_t k = i + 1; k < s->notes.count; k++)
            if (overlap(a->box, s->notes.at[k].box))
                fail_msg("%s: `%.*s` and `%.*s` overlap", name, MET_STR_ARGS(a->text), MET_STR_ARGS(s->notes.at[k].text));
        for (size_t k = 0; k < s->marks.count; k++)
            if (overlap(a->box, s->marks.at[k].box) && a->node != s->marks.at[k].node)
                fail_msg("%s: `%.*s` lies on a foreign glyph", name, MET_STR_ARGS(a->text));
    }
    for (size_t i = 0; i < s->marks.count; i++)
        for (size_t k = i + 1; k < s->marks.count; k++)
            assert_false(overlap(s->marks.at[i].box, s->marks.at[k].box));
}

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

/* --- Crossings --- */

static uint64_t crossings_by_looking(const met_scene *s)
{
    uint64_t crossings = 0;
    for (size_t i = 0; i < s->wires.count; i++) {
        const met_wire *a = &s->wires.at[i];
        for (size_t k = 0; k < s->wires.count; k++) {
            const met_wire *b = &s->wires.at[k];
            if (a->kind == MET_WIRE_CURVE && b->kind == MET_WIRE_CURVE && a->zone == b->zone && i < k)
                crossings += (a->y0 < b->y0 && a->y1 > b->y1) || (a->y0 > b->y0 && a->y1 < b->y1);
            if (a->kind == MET_WIRE_CUP && b->kind == MET_WIRE_LINE && a->node == b->node)
                crossings += b->y0 > a->y0 && b->y0 < a->y1 && b->x0 < a->x1 && b->x1 > a->x1;
        }
    }
    return crossings;
}

static void check_crossings(const char *name, const met_drawing *drawing)
{
    const met_scene *s = &drawing->figure.scene;
    if (!drawing->measure.cells && crossings_by_looking(s) != s->crossings)
        fail_msg("%s: %llu crossings counted, %llu seen", name, (unsigned long long)s->crossings,
                 (unsigned long long)crossings_by_looking(s));
}

static void crossings_are_counted(void **state)
{
    (void)state;
    each_drawing(check_crossings);
}

/* tests/golden/draw/crossings.txt may only fall. */
static void crossings_do_not_grow(void **state)
{
    (void)state;
    FILE *file = fopen(MET_ROOT_DIR "/tests/golden/draw/crossings.txt", "r");
    assert_non_null(file);
    char name[64];
    unsigned long long limit;
    size_t lines = 0;
    for (; fscanf(file, "%63s %llu", name, &limit) == 2; lines++) {
        met_session *session = met_session_new();
        size_t i = 0;
        while (i < SAMPLES && strcmp(samples[i].name, name) != 0)
            i++;
        assert_true(i < SAMPLES);
        met_draw_options options = { .format = MET_DRAW_SVG };
        met_drawing *drawing = met_drawing_new(read_sample(session, &samples[i], false), &options);
        unsigned long long now = drawing->figure.scene.crossings;
        if (now > limit)
            fail_msg("%s: %llu crossings, and there were %llu", name, now, limit);
        if (now < limit)
            print_message("%s: %llu crossings, the file still says %llu\n", name, now, limit);
        met_drawing_free(drawing);
        met_session_free(session);
    }
    fclose(file);
    assert_int_equal(lines, SAMPLES);
}

static uint32_t random_state = 1;
static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % n;
}

static void counting_random_pairs(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        met_arena *arena = met_arena_new();
        met_pair pairs[60];
        size_t count = random_below(61);
        for (size_t i = 0; i < count; i++)
            pairs[i] = (met_pair){ (int32_t)random_below(20) - 10, (int32_t)random_below(20) - 10 };
        uint64_t seen = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t k = i + 1; k < count; k++)
                seen += (pairs[i].from < pairs[k].from && pairs[i].to > pairs[k].to) ||
                        (pairs[i].from > pairs[k].from && pairs[i].to < pairs[k].to);
        assert_int_equal(met_count_crossings(arena, pairs, count), seen);
        met_arena_free(arena);
    }
}

/* --- Spreading --- */

enum { RANGE = 14 };

static int32_t spread_cost(size_t pulls, const met_pull *pull, const int32_t *place)
{
    int32_t cost = 0;
    for (size_t i = 0; i < pulls; i++)
        cost += pull[i].weight * abs(pull[i].place - place[pull[i].item]);
    return cost;
}

static void spreading_is_optimal(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        met_arena *arena = met_arena_new();
        int32_t distance[3] = { 0, (int32_t)random_below(4), (int32_t)random_below(4) };
        met_pull pulls[6];
        size_t count = 0;
        for (uint32_t item = 0; item < 3; item++)
            for (uint32_t k = random_below(3); k > 0; k--)
                pulls[count++] = (met_pull){ item, 3 + (int32_t)random_below(8), 1 + (int32_t)random_below(3) };
        int32_t place[3];
        met_spread(arena, 3, distance, count, pulls, place);
        assert_true(place[1] - place[0] >= distance[1] && place[2] - place[1] >= distance[2]);
        int32_t best = INT32_MAX;
        for (int32_t a = -RANGE; a < 2 * RANGE; a++) {
            for (int32_t b = a + distance[1]; b < 2 * RANGE; b++) {
                for (int32_t c = b + distance[2]; c < 2 * RANGE; c++) {
                    int32_t cost = spread_cost(count, pulls, (int32_t[]){ a, b, c });
                    best = cost < best ? cost : best;
                }
            }
        }
        assert_int_equal(spread_cost(count, pulls, place), best);
        met_arena_free(arena);
    }
}

/* --- XML --- */

/* Well-formedness of the part of XML that is written here: elements, attributes, the five entities, UTF-8. */
static const char *xml_error(const char *at)
{
    char stack[64][16];
    size_t depth = 0;
    bool seen = false;
    while (*at) {
        if (*at != '<') {
            if (*at == '&' && strncmp(at, "&amp;", 5) && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) && strncmp(at, "&quot;", 6))
                return "a bare &";
            if ((unsigned char)*at < 0x20 && *at != '\n' && *at != '\t')
                return "a control character";
            size_t length;
            met_utf8_next(met_str_of(at), 0, &length);
            if ((unsigned char)*at >= 0x80 && length == 1)
                return "not UTF-8";
            if (depth == 0 && *at != '\n')
                return "text outside the root";
            at += length;
            continue;
        }
        bool closing = *++at == '/';
        at += closing;
        size_t length = strcspn(at, " />\n");
        if (length == 0 || length > 15)
            return "a bad name";
        if (closing) {
            if (depth == 0 || strncmp(stack[depth - 1], at, length) || stack[depth - 1][length])
                return "a wrong end tag";
            depth--;
            at += length;
            if (*at++ != '>')
                return "a bad end tag";
            continue;
        }
        if ((depth == 0 && seen) || depth == 64)
            return "a second root, or too deep";
        seen = true;
        memcpy(stack[depth], at, length);
        stack[depth++][length] = 0;
        for (at += length; *at == ' ';) {
            at += 1 + strcspn(at + 1, "=<>\"");
            if (strncmp(at, "=\"", 2))
                return "a bad attribute";
            at += 2 + strcspn(at + 2, "\"<");
            if (*at++ != '"')
                return "a bad attribute value";
        }
        if (*at == '/') {
            at++;
            depth--;
        }
        if (*at++ != '>')
            return "a bad start tag";
    }
    return depth == 0 && seen ? NULL : "an open element";
}

static void xml_is_checked(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "<a>", "<a></b>", "<a x=1/>", "<a x=\"<\"/>", "<a/><b/>", "<a>&</a>", "<a>\x01</a>",
                                       "<a>\xff</a>", "x<a/>", "<a x=\"1\" y></a>" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!xml_error(bad[i]))
            fail_msg("taken for XML: %s", bad[i]);
    assert_null(xml_error("<a x=\"1\" y=\"&quot;\"><b/>&lt;\xC3\x97</a>\n"));
}

static void svg_is_small_and_sound(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        met_session *session = met_session_new();
        met_draw_options options = { .format = MET_DRAW_SVG };
        met_circuit *circuit = read_sample(session, &samples[i], true);
        const char *svg = met_draw(circuit, &options);
        if (xml_error(svg))
            fail_msg("%s: %s", samples[i].name, xml_error(svg));
        if (strlen(svg) > samples[i].limit)
            fail_msg("%s: %zu bytes", samples[i].name, strlen(svg));
        assert_string_equal(svg, met_draw(circuit, &options));
        met_session *other = met_session_new();
        met_sym filler = met_intern(other, met_str_of("q")); /* other ids of names, same picture */
        (void)filler;
        assert_string_equal(svg, met_draw(read_sample(other, &samples[i], true), NULL));
        met_session_free(other);
        met_session_free(session);
    }
}

/* --- Ids --- */

static size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static void ids_are_the_circuits(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        met_session *session = met_session_new();
        met_circuit *c = read_sample(session, &samples[i], false);
        met_draw_options options = { .format = MET_DRAW_SVG, .whole = true };
        const char *svg = met_draw(c, &options);
        char id[64];
        for (uint32_t n = 0; n < c->node_count; n++) {
            snprintf(id, sizeof id, "<g id=\"n%u\">", (unsigned)n);
            assert_int_equal(occurrences(svg, id), 1);
        }
        for (uint32_t b = 0; b < c->block_count; b++) {
            snprintf(id, sizeof id, "<g id=\"b%u\">", (unsigned)b);
            assert_int_equal(occurrences(svg, id), 1);
        }
        bool *shown = calloc(c->axis_count + 1, sizeof *shown);
        for (uint32_t e = 0; e < c->edge_count; e++)
            for (uint32_t p = 0; p < c->edges[e].rank; p++)
                shown[c->edges[e].axes[p].id] |= c->edges[e].role != MET_EDGE_PARAMETER;
        for (uint32_t a = 0; a < c->axis_count; a++) {
            snprintf(id, sizeof id, "<path class=\"a%u\" data-axis=\"%u\"", (unsigned)a, (unsigned)a);
            if (shown[a])
                assert_true(occurrences(svg, id) > 0);
        }
        snprintf(id, sizeof id, "<g id=\"n%u\">", (unsigned)c->node_count);
        assert_int_equal(occurrences(svg, id), 0);
        for (const char *at = svg; (at = strstr(at, "data-axis=\"")) != NULL; at++)
            assert_true((uint32_t)strtoul(at + 11, NULL, 10) < c->axis_count);
        free(shown);
        met_session_free(session);
    }
}

/* Every wire piece carries the axis that its edge has at that position, and every array keeps its rank. */
static void check_axes(const char *name, const met_drawing *drawing)
{
    (void)name;
    const met_circuit *c = drawing->circuit;
    for (size_t i = 0; i < drawing->figure.scene.wires.count; i++) {
        const met_wire *w = &drawing->figure.scene.wires.at[i];
        assert_true(w->edge < c->edge_count);
        assert_true(w->axis == met_edge_axis(c, w->edge, w->position));
        assert_true(w->node == MET_NONE || w->node < c->node_count);
    }
}

static void wires_carry_their_axes(void **state)
{
    (void)state;
    each_drawing(check_axes);
}

/* --- Detail --- */

static void repetitions_are_drawn_once(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_circuit *c = read_sample(session, &samples[9], false);
    met_draw_options options = { .format = MET_DRAW_SVG };
    const char *svg = met_draw(c, &options);
    assert_int_equal(occurrences(svg, "[\xC3\x97" "32]"), 1);
    assert_int_equal(occurrences(svg, "<g id=\"n"), c->node_count / 32);
    options.whole = true;
    const char *whole = met_draw(c, &options);
    assert_int_equal(occurrences(whole, "<g id=\"n"), c->node_count);
    assert_int_equal(occurrences(whole, "[\xC3\x97"), 0);
    options = (met_draw_options){ .format = MET_DRAW_ASCII };
    assert_int_equal(occurrences(met_draw(c, &options), "[x32]"), 1);
    met_session_free(session);
}

static double seconds(clock_t since)
{
    return (double)(clock() - since) / CLOCKS_PER_SEC;
}

/* Generous limits: a slow or sanitized build must pass too. */
static void large_circuits_are_drawn_fast(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_circuit *model = read_llama(session, "80");
    clock_t start = clock();
    const char *svg = met_draw(model, NULL);
    print_message("80 layers closed: %.1f ms, %zu bytes\n", seconds(start) * 1e3, strlen(svg));
    assert_true(seconds(start) < 0.5 && strlen(svg) < 60000);
    start = clock();
    met_draw_options options = { .format = MET_DRAW_SVG, .whole = true };
    svg = met_draw(model, &options);
    print_message("%u nodes whole: %.1f ms, %zu bytes\n", (unsigned)model->node_count, seconds(start) * 1e3, strlen(svg));
    assert_true(seconds(start) < 20);
    assert_null(xml_error(svg));
    met_session_free(session);
}

/* No blocks at all: one level with a thousand nodes and long wires. */
static void flat_circuits_too(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_text text = met_text_new(session->arena);
    met_text_put(&text, "x: n m\nv0 = exp(x)\n");
    for (int i = 1; i < 1000; i++)
        met_text_format(&text, i % 3 ? "v%d = neg(v%d)\n" : "v%d = add(v%d, x)\n", i, i - 1);
    met_text_put(&text, "-> v999\n");
    met_circuit *c = read_text(session, met_text_done(&text));
    clock_t start = clock();
    const char *svg = met_draw(c, &(met_draw_options){ .whole = true });
    print_message("1000 nodes flat: %.1f ms, %zu bytes\n", seconds(start) * 1e3, strlen(svg));
    assert_true(seconds(start) < 20);
    met_session_free(session);
}

/* --- Colours --- */

static double channel(uint32_t colour, int shift)
{
    double c = ((colour >> shift) & 255) / 255.0;
    return c <= 0.04045 ? c / 12.92 : __builtin_pow((c + 0.055) / 1.055, 2.4);
}

typedef struct lab {
    double l, a, b;
} lab;

static double root(double t)
{
    return t > 0.008856 ? __builtin_cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* Linear RGB to CIELAB (D65). */
static lab to_lab(const double *rgb)
{
    double x = (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.9505;
    double y = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    double z = (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.089;
    return (lab){ 116 * root(y) - 16, 500 * (root(x) - root(y)), 200 * (root(y) - root(z)) };
}

/* Full colour-vision deficiencies as matrices on linear RGB (Machado, Oliveira and Fernandes, 2009). */
static const double deficiencies[4][9] = {
    { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
    { 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998 },
    { 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881 },
    { 1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900 },
};

static lab seen_as(uint32_t colour, const double *m)
{
    double c[3] = { channel(colour, 16), channel(colour, 8), channel(colour, 0) };
    double seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = m[3 * i] * c[0] + m[3 * i + 1] * c[1] + m[3 * i + 2] * c[2];
        seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
    }
    return to_lab(seen);
}

static double contrast(uint32_t a, uint32_t b)
{
    double l[2];
    for (int i = 0; i < 2; i++) {
        uint32_t c = i ? b : a;
        l[i] = 0.2126 * channel(c, 16) + 0.7152 * channel(c, 8) + 0.0722 * channel(c, 0) + 0.05;
    }
    return l[0] > l[1] ? l[0] / l[1] : l[1] / l[0];
}

static double least_distance(const met_palette *p)
{
    double least = 1e9;
    for (int d = 0; d < 4; d++) {
        for (int i = 0; i < MET_THEME_AXES; i++) {
            for (int k = i + 1; k < MET_THEME_AXES; k++) {
                lab a = seen_as(p->axes[i], deficiencies[d]);
                lab b = seen_as(p->axes[k], deficiencies[d]);
                double distance = __builtin_sqrt((a.l - b.l) * (a.l - b.l) + (a.a - b.a) * (a.a - b.a) + (a.b - b.b) * (a.b - b.b));
                least = distance < least ? distance : least;
            }
        }
    }
    return least;
}

static void check_palette(const char *name, const met_palette *p)
{
    const uint32_t *c = p->colour;
    print_message("%s: least distance of two axes %.1f\n", name, least_distance(p));
    assert_true(least_distance(p) >= 15);
    for (int i = 0; i < MET_THEME_AXES; i++)
        assert_true(contrast(p->axes[i], c[MET_COLOUR_paper]) >= 2.5 && contrast(p->axes[i], c[MET_COLOUR_block]) >= 2.3);
    static const met_colour grounds[] = { MET_COLOUR_paper, MET_COLOUR_block, MET_COLOUR_glyph, MET_COLOUR_weight };
    for (size_t g = 0; g < 4; g++) {
        assert_true(contrast(c[MET_COLOUR_ink], c[grounds[g]]) >= 4.5);
        assert_true(contrast(c[MET_COLOUR_muted], c[grounds[g]]) >= 4.5);
    }
}

static void colours_can_be_told_apart(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    static const char *const names[] = { "paper", "blueprint" };
    for (size_t i = 0; i < 2; i++) {
        char path[256];
        snprintf(path, sizeof path, MET_ROOT_DIR "/share/themes/%s.toml", names[i]);
        met_theme theme;
        met_value *table = met_theme_load(session, path);
        if (!table || !met_theme_read(session, table, &theme))
            fail_msg("%s", met_session_diagnostics_text(session));
        check_palette(names[i], &theme.light);
        check_palette(names[i], &theme.dark);
    }
    met_session_free(session);
}

/* --- Themes --- */

static void default_is_the_file(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_circuit *c = read_sample(session, &samples[10], false);
    met_draw_options options = { .theme = met_theme_load(session, MET_ROOT_DIR "/share/themes/paper.toml") };
    assert_non_null(options.theme);
    assert_string_equal(met_draw(c, &options), met_draw(c, NULL));
    options.theme = met_theme_load(session, MET_ROOT_DIR "/share/themes/blueprint.toml");
    const char *other = met_draw(c, &options);
    assert_non_null(other);
    assert_null(xml_error(other));
    assert_string_not_equal(other, met_draw(c, NULL));
    met_session_free(session);
}

static void bad_themes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        { "colour = 1", "colour" },
        { "[light]\nink = \"red\"", "#rrggbb" },
        { "[light]\nink = \"#12345g\"", "#rrggbb" },
        { "[light]\nink = \"#123456;}\"", "#rrggbb" },
        { "[light]\nink = 7", "ink" },
        { "[light]\ninc = \"#000000\"", "inc" },
        { "[dark]\naxes = [\"#000000\"]", "must be 8" },
        { "[dark]\naxes = 1", "axes" },
        { "[font]\nfamily = \"x;}</style><script>\"", "font names" },
        { "[font]\nfamily = \"\"", "font names" },
        { "[font]\nmetrics = \"arial\"", "dejavu-sans" },
        { "[stroke]\nwire = 100", "0.25 to 12" },
        { "[stroke]\nwire = nan", "0.25 to 12" },
        { "[stroke]\nwire = \"1\"", "wire" },
        { "[glyphs.sofmax]\noutline = \"\"", "sofmax" },
        { "[glyphs.softmax]\noutline = \"M0 0L1 1\\\"/><script>\"", "commands" },
        { "[glyphs.softmax]\noutline = \"m0 0\"", "commands" },
        { "[glyphs.softmax]\noutline = \"L0 0\"", "starts with M" },
        { "[glyphs.softmax]\noutline = \"M0\"", "coordinate" },
        { "[glyphs.softmax]\noutline = \"M0 2\"", "coordinate" },
        { "[glyphs.softmax]\noutline = \"M0 99999999999\"", "coordinate" },
        { "[glyphs.softmax]\noutline = \"M0 .12345\"", "coordinate" },
        { "[glyphs.softmax]\nfill = \"red\"", "fill" },
        { "[glyphs.softmax]\nshadow = \"\"", "shadow" },
        { "glyphs = 1", "glyphs" },
        { "glyphs.softmax = 1", "glyph" },
        { "light = 1", "light" },
        { "name = 1", "name" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        met_session *session = met_session_new();
        met_circuit *c = read_sample(session, &samples[0], false);
        uint32_t source = met_session_add_source(session, "theme.toml", bad[i][0], strlen(bad[i][0]));
        met_draw_options options = { .theme = met_toml_read(session, source) };
        assert_non_null(options.theme);
        assert_null(met_draw(c, &options));
        const char *text = met_session_diagnostics_text(session);
        if (!strstr(text, bad[i][1]) || !strstr(text, "theme.toml:"))
            fail_msg("%s\n%s", bad[i][0], text);
        met_session_free(session);
    }
}

/* --- Hostile names --- */

static void names_cannot_break_out(void **state)
{
    (void)state;
    static const char *const names[] = { "\"><script>alert(1)</script>", "a&b<c>'d'", "\x01\x02\xff\xfe\xc0\x80", "]]>--><!--",
                                         "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBF", "</title></style></svg>" };
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        met_session *session = met_session_new();
        met_circuit *c = read_sample(session, &samples[i % SAMPLES], false);
        char *longest = met_arena_alloc(session->arena, 100001, 1);
        memset(longest, 'W', 100000);
        met_sym name = met_intern(session, met_str_of(i < sizeof names / sizeof *names ? names[i] : longest));
        c->name = name;
        for (uint32_t a = 0; a < c->axis_count; a++)
            ((met_axis *)c->axes)[a].name = name;
        for (uint32_t e = 0; e < c->edge_count; e++)
            ((met_edge *)c->edges)[e].name = name;
        for (uint32_t b = 0; b < c->block_count; b++)
            ((met_block *)c->blocks)[b].name = name;
        for (int format = MET_DRAW_SVG; format <= MET_DRAW_ASCII; format++) {
            met_draw_options options = { .format = (met_draw_format)format };
            const char *text = met_draw(c, &options);
            if (format == MET_DRAW_SVG)
                assert_null(xml_error(text));
            if (format == MET_DRAW_HTML)
                assert_int_equal(occurrences(text, "<script>"), 1);
            for (const char *at = text; format == MET_DRAW_ASCII && *at; at++)
                assert_true(*at == '\n' || (*at >= 0x20 && *at < 0x7F));
        }
        met_draw_options options = { .format = MET_DRAW_SVG };
        met_drawing *drawing = met_drawing_new(c, &options);
        check_labels(samples[i % SAMPLES].name, drawing);
        met_drawing_free(drawing);
        met_session_free(session);
    }
}

/* --- Text --- */

static void terminals_get_their_width(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLES * 3; i++) {
        met_session *session = met_session_new();
        int width = i / SAMPLES == 0 ? 80 : i / SAMPLES == 1 ? 100 : 160;
        met_draw_options options = { .format = MET_DRAW_TERMINAL, .width = width };
        met_circuit *c = read_sample(session, &samples[i % SAMPLES], false);
        const char *text = met_draw(c, &options);
        assert_null(strchr(text, '\033'));
        for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
            size_t columns = met_columns((met_str){ line, strcspn(line, "\n") });
            if (columns > (size_t)width)
                fail_msg("%s: a line of %zu columns in %d", samples[i % SAMPLES].name, columns, width);
        }
        options.colour = true;
        assert_true(occurrences(met_draw(c, &options), "\033[38;5;") > 0);
        met_session_free(session);
    }
}

static void texts_are_measured(void **state)
{
    (void)state;
    const met_measure *m = &met_measure_pixels;
    int32_t narrow = met_measure_text(m, MET_FACE_AXIS, met_str_of("i"));
    int32_t wide = met_measure_text(m, MET_FACE_AXIS, met_str_of("W"));
    assert_true(narrow > 0 && wide > 3 * narrow);
    assert_int_equal(met_measure_text(&met_measure_cells, MET_FACE_AXIS, met_str_of("\xC3\x97" "a")), 2);
    bool clipped;
    met_str kept = met_measure_clip(m, MET_FACE_AXIS, met_str_of("a long name of an axis"), 5 * wide, &clipped);
    assert_true(clipped && kept.length > 0 && kept.length < 22);
    assert_true(met_measure_text(m, MET_FACE_AXIS, kept) <= 5 * wide);
    kept = met_measure_clip(m, MET_FACE_AXIS, met_str_of("q"), 5 * wide, &clipped);
    assert_true(!clipped && kept.length == 1);
    assert_true(met_str_is(met_short_name(met_str_of("layers.0.attention.wq"), 1), "wq"));
    assert_true(met_str_is(met_short_name(met_str_of("mha.linear.w.2"), 2), "linear.w.2"));
    assert_true(met_str_is(met_short_name(met_str_of("d.2"), 1), "d.2"));
    assert_true(met_str_is(met_short_name(met_str_of("..."), 1), "..."));
}

static void empty_and_odd_circuits(void **state)
{
    (void)state;
    static const char *const texts[] = { "x: n\n-> x", "x: n\n-> x, x", "x: n, y: m\n-> y", "x: f32[]\nexp(x)", "x: n\ny = exp(x)\n-> x",
                                         "x: n\n'n -> '(x)", "x: n m\nview[m n <- n, m](x)", "x: n m\ny = 'n m -> m n'(x)\n-> y, x" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int format = MET_DRAW_SVG; format <= MET_DRAW_ASCII; format++) {
            met_session *session = met_session_new();
            uint32_t source = met_session_add_source(session, "test", texts[i], strlen(texts[i]));
            met_circuit *c = met_circuit_read(session, source, NULL);
            met_draw_options options = { .format = (met_draw_format)format };
            const char *text = c ? met_draw(c, &options) : "";
            if (!c)
                print_message("not read: %s\n%s", texts[i], met_session_diagnostics_text(session));
            assert_non_null(text);
            if (c && format == MET_DRAW_SVG)
                assert_null(xml_error(text));
            met_session_free(session);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_do_not_meet),       cmocka_unit_test(wires_pass_round_glyphs),
        cmocka_unit_test(crossings_are_counted),    cmocka_unit_test(crossings_do_not_grow),
        cmocka_unit_test(counting_random_pairs),    cmocka_unit_test(spreading_is_optimal),
        cmocka_unit_test(xml_is_checked),           cmocka_unit_test(svg_is_small_and_sound),
        cmocka_unit_test(ids_are_the_circuits),     cmocka_unit_test(wires_carry_their_axes),
        cmocka_unit_test(repetitions_are_drawn_once), cmocka_unit_test(large_circuits_are_drawn_fast),
        cmocka_unit_test(flat_circuits_too),        cmocka_unit_test(colours_can_be_told_apart),
        cmocka_unit_test(default_is_the_file),      cmocka_unit_test(bad_themes_are_refused),
        cmocka_unit_test(names_cannot_break_out),   cmocka_unit_test(terminals_get_their_width),
        cmocka_unit_test(texts_are_measured),       cmocka_unit_test(empty_and_odd_circuits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
