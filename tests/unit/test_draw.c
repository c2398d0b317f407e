/* Drawings: what must hold of every picture, checked on the golden set, on a circuit with most ops and on a model. */
#include "draw_samples.h"

#include <time.h>

#include "host/model.h"

static met_circuit *read_text(met_session *session, const char *text)
{
    uint32_t source = met_session_add_source(session, "test", text, strlen(text));
    met_circuit *circuit = met_circuit_read(session, source, NULL);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
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

/* --- SVG --- */

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

/* --- Hostile names --- */

static void names_cannot_break_out(void **state)
{
    (void)state;
    static const char *const names[] = { "\"><script>alert(1)</script>", "a&b<c>'d'", "\x01\x02\xff\xfe\xc0\x80", "]]>--><!--",
                                         "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xEF\xBF\xBF", "</title></style></svg>" };
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        met_session *session = met_session_new();
        met_circuit *c = read_sample(session, &samples[i % SAMPLES], false);
        char *longest = met_arena_alloc(session->arena, 5001, 1);
        memset(longest, 'W', 5000);
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
        cmocka_unit_test(crossings_are_counted),
        cmocka_unit_test(crossings_do_not_grow),
        cmocka_unit_test(svg_is_small_and_sound),
        cmocka_unit_test(ids_are_the_circuits),
        cmocka_unit_test(wires_carry_their_axes),
        cmocka_unit_test(repetitions_are_drawn_once),
        cmocka_unit_test(large_circuits_are_drawn_fast),
        cmocka_unit_test(flat_circuits_too),
        cmocka_unit_test(names_cannot_break_out),
        cmocka_unit_test(terminals_get_their_width),
        cmocka_unit_test(empty_and_odd_circuits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
