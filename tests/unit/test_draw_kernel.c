/* Drawings of kernels: what must hold of every one, on kernels with and without a stream, of one pass and of several. */
#include "draw_samples.h"

#include "draw/kernel.h"
#include "kernels.h"

static const struct {
    const char *program, *stream;
    met_numerics numerics;
} kernels[] = {
    { "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'", NULL, MET_NUMERICS_POW2 },
    { "'q h d, x h d -> h q x' @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'", NULL, MET_NUMERICS_FLOAT },
    { "rmsnorm[m] @ linear[m -> f]", NULL, MET_NUMERICS_REAL },
    { "layernorm[m] @ linear[m -> f]", NULL, MET_NUMERICS_REAL },
    { "copy(2) @ ((linear[m -> f] @ silu) * linear[m -> f]) @ mul @ linear[f -> m]", "f", MET_NUMERICS_REAL },
    { "'m k, k n -> m n'", NULL, MET_NUMERICS_REAL },
    { "'m k, k n -> m n' @ relu", "k", MET_NUMERICS_REAL },
    { "exp['a b -> a b']", NULL, MET_NUMERICS_REAL },
};

/* Calls `check` for every kernel, in pixels and in cells, wide and wrapped. */
static void each_kernel(void (*check)(const met_tiling *tiling, const met_drawing *drawing))
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels * 4; i++) {
        met_session *session = met_session_new();
        const met_circuit *circuit = primitives_of(session, kernels[i / 4].program, "", kernels[i / 4].numerics);
        met_tiling tiling;
        met_str bad;
        assert_true(met_tiling_make(whole_kernel(circuit, kernels[i / 4].stream), met_str_of(""), &tiling, &bad));
        bool cells = i & 1;
        met_draw_options options = { .format = cells ? MET_DRAW_TERMINAL : MET_DRAW_SVG, .whole = true };
        options.width = !(i & 2) ? -1 : cells ? 90 : 700;
        met_drawing *drawing = met_drawing_tiled(tiling.circuit, &tiling, &options);
        assert_non_null(drawing);
        check(&tiling, drawing);
        met_drawing_free(drawing);
        met_session_free(session);
    }
}

static void check_texts(const met_tiling *tiling, const met_drawing *drawing)
{
    check_labels(met_sym_text(tiling->circuit->session, tiling->circuit->edges[0].name), drawing);
}

static void texts_do_not_meet(void **state)
{
    (void)state;
    each_kernel(check_texts);
}

/* --- The circuit that is drawn --- */

static void check_circuit(const met_tiling *tiling, const met_drawing *drawing)
{
    (void)drawing;
    const met_circuit *c = tiling->circuit, *old = tiling->kernel->circuit;
    assert_int_equal(c->node_count, old->node_count);
    assert_int_equal(c->input_count, old->input_count + old->parameter_count);
    for (uint32_t n = 0; n < c->node_count; n++) {
        const met_node *node = &c->nodes[n];
        const met_block *b = &c->blocks[node->block.id];
        assert_true(n >= b->node_begin && n < b->node_end);
        for (uint32_t i = 0; i < node->in_count; i++) {
            met_node_id producer = c->edges[node->ins[i].id].producer;
            assert_true(producer.id == MET_NONE || producer.id < n);
        }
        for (uint32_t o = 0; o < node->out_count; o++)
            assert_int_equal(c->edges[node->outs[o].id].producer.id, n);
    }
    /* folds over the stream, and nothing that runs once, are within a pass */
    for (uint32_t s = 0; s < tiling->kernel->step_count; s++) {
        const met_kernel_step *step = &tiling->kernel->steps[s];
        uint32_t edge = old->nodes[step->node.id].outs[0].id;
        bool within = c->nodes[c->edges[edge].producer.id].block.id > 0;
        bool streams = step->phase == MET_STEP_BODY || step->phase == MET_STEP_FOLD;
        assert_int_equal(within, streams && tiling->kernel->stream != MET_NONE);
    }
}

static void plates_hold_their_steps(void **state)
{
    (void)state;
    each_kernel(check_circuit);
}

/* --- Hexagons and cylinders --- */

/* Each hexagon lies on one wire, whose axis is that of a loop of its kind. */
static void check_hexagon(const met_tiling *tiling, const met_scene *s, const met_mark *mark)
{
    met_partition partition = mark->glyph == MET_GLYPH_stream ? MET_PARTITION_STREAM : MET_PARTITION_GROUP;
    uint32_t on = 0;
    for (size_t w = 0; w < s->wires.count; w++) {
        const met_wire *wire = &s->wires.at[w];
        bool level = wire->kind == MET_WIRE_LINE && wire->y0 >= mark->box.y && wire->y0 < mark->box.y + mark->box.h;
        if (!level || wire->x0 > mark->box.x || wire->x1 < mark->box.x + mark->box.w)
            continue;
        bool right = false;
        for (uint32_t l = 0; l < tiling->kernel->loop_count; l++)
            right = right || (tiling->kernel->loops[l].partition == partition && tiling->kernel->loops[l].axis.id == wire->axis);
        assert_true(right);
        on++;
    }
    assert_true(on > 0);
}

static void check_marks(const met_tiling *tiling, const met_drawing *drawing)
{
    const met_scene *s = &drawing->figure.scene;
    const met_kernel *k = tiling->kernel;
    int32_t bottom = 0; /* of the kernel: below is the legend */
    for (size_t p = 0; p < s->plates.count; p++)
        if (s->plates.at[p].level == 1)
            bottom = s->plates.at[p].box.y + s->plates.at[p].box.h;
    uint32_t cylinders = 0, streams = 0;
    for (size_t i = 0; i < s->marks.count; i++) {
        const met_mark *mark = &s->marks.at[i];
        if (mark->box.y >= bottom)
            continue;
        cylinders += mark->glyph == MET_GLYPH_state;
        streams += mark->glyph == MET_GLYPH_stream;
        if (mark->glyph == MET_GLYPH_group || mark->glyph == MET_GLYPH_stream)
            check_hexagon(tiling, s, mark);
    }
    assert_int_equal(cylinders, k->accumulator_count);
    assert_int_equal(streams > 0, k->stream != MET_NONE);
}

static void wires_carry_their_partitions(void **state)
{
    (void)state;
    each_kernel(check_marks);
}

/* --- Sizes of tiles --- */

static void sizes_are_read(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = primitives_of(session, kernels[5].program, "", MET_NUMERICS_REAL);
    const met_kernel *kernel = whole_kernel(circuit, "k");
    met_tiling tiling;
    met_str bad;
    assert_true(met_tiling_make(kernel, met_str_of("k=512,m=6"), &tiling, &bad));
    bool seen[2] = { false, false };
    for (size_t i = 0; i < tiling.tile_count; i++) {
        seen[0] = seen[0] || met_str_equal(tiling.tiles[i].text, met_str_of("s=512"));
        seen[1] = seen[1] || met_str_equal(tiling.tiles[i].text, met_str_of("g=6"));
    }
    assert_true(seen[0] && seen[1]);
    static const char *const wrong[] = { "k", "k=", "k=0", "z=4", "=4", "k=4x", "k=-4", "k=1000000001", "k=99999999999999999999",
                                         "m=4,,k=4", "k==4", "k=4=4", " k=4" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (met_tiling_make(kernel, met_str_of(wrong[i]), &tiling, &bad))
            fail_msg("`%s` was taken", wrong[i]);
    assert_true(met_tiling_make(kernel, met_str_of("k=1000000000"), &tiling, &bad));
    met_session_free(session);
}

/* A class's own tiles stand on the hexagons, and in the legend; those given are kept to. */
static void classes_choose(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, kernels[5].program, "m=64,k=96,n=80");
    const met_draw_options text = { .format = MET_DRAW_ASCII };
    met_kernel_view view = { .point = { .dtype = "f32" }, .hardware = "cpu-scalar" };
    const char *chosen = met_draw_kernel(circuit, &view, &text);
    if (!chosen)
        fail_msg("%s", met_session_diagnostics_text(session));
    assert_non_null(strstr(chosen, "tiles of cpu-scalar: "));
    assert_non_null(strstr(chosen, "<g="));
    view.tiles = "m=5";
    chosen = met_draw_kernel(circuit, &view, &text);
    assert_non_null(chosen);
    assert_non_null(strstr(chosen, "<g=5>"));
    view.hardware = "cpu-none";
    assert_null(met_draw_kernel(circuit, &view, &text));
    view.hardware = "cpu-scalar";
    assert_null(met_draw_kernel(circuit_of(session, kernels[5].program, "m=64,k=96"), &view, &text));
    met_session_free(session);
}

static void same_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        char *first = NULL;
        for (int round = 0; round < 2; round++) {
            met_session *session = met_session_new();
            const met_circuit *circuit = circuit_of(session, kernels[i].program, "");
            const met_kernel_view view = { .point = { .dtype = "f32" }, .stream = kernels[i].stream };
            const char *svg = met_draw_kernel(circuit, &view, NULL);
            if (!svg)
                fail_msg("%s", met_session_diagnostics_text(session));
            assert_null(xml_error(svg));
            if (round)
                assert_string_equal(svg, first);
            free(first);
            first = round ? NULL : strdup(svg);
            met_session_free(session);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_do_not_meet),
        cmocka_unit_test(plates_hold_their_steps),
        cmocka_unit_test(wires_carry_their_partitions),
        cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(classes_choose),
        cmocka_unit_test(same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
