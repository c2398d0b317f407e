/* Signatures, alignment, binding: known answers from tests/data/alignment.toml and alignment_more.toml. */
#include "terms.h"

#include "ir/affine.h"
#include "met/diagnose.h"

#define ALIGNMENT MET_TEST_DATA_DIR "/alignment.toml"
#define MORE MET_TEST_DATA_DIR "/alignment_more.toml"

/* --- Comparing --- */

static void expect_text(const test_case *test, const char *what, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("%s: %s is `%s`, not `%s`", test->id, what, got, want);
}

/* A list of names as one text. */
static const char *list_text(bench *t, const met_value *list)
{
    met_text text = met_text_new(t->session->arena);
    for (size_t i = 0; i < list->items.count; i++) {
        met_text_put(&text, i ? " " : "");
        met_text_str(&text, list->items.at[i]->string);
    }
    return met_text_done(&text);
}

static const char *lists_text(bench *t, const met_value *lists)
{
    met_text text = met_text_new(t->session->arena);
    for (size_t i = 0; i < lists->items.count; i++)
        met_text_format(&text, "%s%s", i ? ", " : "", list_text(t, lists->items.at[i]));
    return met_text_done(&text);
}

static void expect_error(const test_case *test, bench *t, bool failed)
{
    static const char *const codes[][2] = { { "rank", "rank" }, { "size", "size" }, { "format", "format" },
                                            { "unknown", "unknown-size" }, { "divide", "divide" }, { "positive", "size-value" } };
    const char *code = NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (met_str_is(string_field(test->out, "error"), codes[i][0]))
            code = codes[i][1];
    assert_non_null(code);
    if (!failed || !met_session_has_error(t->session, code))
        fail_msg("%s: no error `%s`\n%s", test->id, code, met_session_diagnostics_text(t->session));
}

/* --- signature --- */

static uint32_t index_of(const met_access *access, uint32_t position)
{
    uint32_t index = MET_NONE;
    assert_true(met_affine_is_index(access->at[position], &index));
    return index;
}

static bool access_has(const met_access *access, uint32_t index)
{
    for (uint32_t p = 0; p < access->rank; p++)
        if (index_of(access, p) == index)
            return true;
    return false;
}

static void signature_positions(bench *t, const test_case *test, const draft_node *node)
{
    met_text positions = met_text_new(t->session->arena), want = met_text_new(t->session->arena);
    for (uint32_t k = 0; k < node->in_count; k++) {
        for (uint32_t p = 0; p < node->in_access[k].rank; p++) {
            int at = -1;
            for (uint32_t o = 0; o < node->out_access[0].rank; o++)
                if (index_of(&node->out_access[0], o) == index_of(&node->in_access[k], p))
                    at = (int)o;
            met_text_format(&positions, " %d", at);
        }
        met_text_char(&positions, ';');
    }
    const met_value *lists = field(test->out, "positions");
    for (size_t k = 0; k < lists->items.count; k++) {
        for (size_t p = 0; p < lists->items.at[k]->items.count; p++)
            met_text_format(&want, " %d", (int)lists->items.at[k]->items.at[p]->integer);
        met_text_char(&want, ';');
    }
    expect_text(test, "positions", met_text_done(&positions), met_text_done(&want));
}

static void signature_case(const test_case *test)
{
    bench *t = bench_new();
    met_term *term = einsum(t, met_arena_text(t->session->arena, string_field(test->in, "signature").at,
                                              string_field(test->in, "signature").length));
    assert_non_null(term);
    const draft_node *node = &t->b->nodes.at[term->nodes.first];
    met_text degree = met_text_new(t->session->arena), reduced = met_text_new(t->session->arena);
    met_text repeated = met_text_new(t->session->arena);
    for (uint32_t p = 0; p < node->out_access[0].rank; p++) {
        uint32_t index = index_of(&node->out_access[0], p);
        const char *label = met_sym_text(t->session, node->indices[index].label);
        bool read = false;
        for (uint32_t k = 0; k < node->in_count; k++)
            read = read || access_has(&node->in_access[k], index);
        met_text_format(&degree, "%s%s", degree.length ? " " : "", label);
        if (!read)
            met_text_format(&repeated, "%s%s", repeated.length ? " " : "", label);
    }
    for (uint32_t i = 0; i < node->index_count; i++)
        if (!access_has(&node->out_access[0], i))
            met_text_format(&reduced, "%s%s", reduced.length ? " " : "", met_sym_text(t->session, node->indices[i].label));
    expect_text(test, "degree", met_text_done(&degree), list_text(t, field(test->out, "degree")));
    expect_text(test, "reduced", met_text_done(&reduced), list_text(t, field(test->out, "reduced")));
    expect_text(test, "repeated", met_text_done(&repeated), list_text(t, field(test->out, "repeated")));
    signature_positions(t, test, node);
    met_session_free(t->session);
}

static void signatures(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "signature", 7, signature_case);
    each_case(MORE, "signature", 12, signature_case);
}

/* --- compose, chain --- */

static uint32_t specs_of(bench *t, const test_case *test, const met_value *arrays, const met_value *formats, met_array_spec *specs)
{
    for (uint32_t k = 0; k < arrays->items.count; k++) {
        const met_value *labels = arrays->items.at[k];
        met_axis_id *axes = MET_NEW_ARRAY(t->session->arena, met_axis_id, labels->items.count);
        for (size_t i = 0; i < labels->items.count; i++) {
            const char *label = met_arena_text(t->session->arena, labels->items.at[i]->string.at, labels->items.at[i]->string.length);
            axes[i] = axis_of(t, met_str_of(label), dim_value(t, field(field(test->in, "sizes"), label)));
        }
        met_format *format = NULL;
        if (formats) {
            format = MET_NEW(t->session->arena, met_format);
            assert_true(met_format_parse(formats->items.at[k]->string, format));
        }
        specs[k] = (met_array_spec){ .rank = (uint32_t)labels->items.count, .axes = axes, .format = format };
    }
    return (uint32_t)arrays->items.count;
}

static met_term *chain_of(bench *t, const test_case *test)
{
    const met_value *terms = field(test->in, "terms");
    met_term *whole = NULL;
    met_term *parts[16];
    assert_true(terms->items.count <= 16);
    for (size_t i = 0; i < terms->items.count; i++) {
        met_array_spec ins[8], outs[8];
        const met_value *term = terms->items.at[i];
        uint32_t in_count = specs_of(t, test, field(term, "in"), met_value_get(term, "in_formats"), ins);
        uint32_t out_count = specs_of(t, test, field(term, "out"), met_value_get(term, "out_formats"), outs);
        parts[i] = met_term_box(t->b, name_of(t, "box"), in_count, ins, out_count, outs, (met_span){ 0 });
    }
    for (size_t i = 0; i < terms->items.count; i++)
        whole = i == 0 ? parts[0] : compose(t, whole, parts[i]);
    return whole;
}

static const char *ports_text(bench *t, const met_ids *edges)
{
    met_text text = met_text_new(t->session->arena);
    for (size_t i = 0; i < edges->count; i++) {
        const draft_edge *edge = met_draft_edge_root(t->b, edges->at[i]);
        met_text_put(&text, i ? ", " : "");
        for (uint32_t p = 0; p < edge->rank; p++)
            met_text_format(&text, "%s%s", p ? " " : "", met_sym_text(t->session, class_label(t, edge->axes[p])));
    }
    return met_text_done(&text);
}

/* Every pair of labels is of one class exactly if the answer has them in one list. */
static void expect_classes(const test_case *test, bench *t)
{
    uint32_t class[LABEL_LIMIT];
    for (uint32_t i = 0; i < t->label_count; i++)
        class[i] = 1000 + i;
    const met_value *lists = field(test->out, "classes");
    for (uint32_t k = 0; k < lists->items.count; k++)
        for (size_t i = 0; i < lists->items.at[k]->items.count; i++)
            class[axis_of(t, lists->items.at[k]->items.at[i]->string, NULL).id] = k;
    for (uint32_t i = 0; i < t->label_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if ((met_axis_root(t->b, i) == met_axis_root(t->b, j)) != (class[i] == class[j]))
                fail_msg("%s: `%s` and `%s` are%s one axis", test->id, met_sym_text(t->session, t->labels[i]),
                         met_sym_text(t->session, t->labels[j]), class[i] == class[j] ? " not" : "");
}

static void expect_sizes(const test_case *test, bench *t)
{
    const met_value *sizes = field(test->out, "sizes");
    for (size_t i = 0; i < sizes->entries.count; i++) {
        met_axis_id axis = axis_of(t, sizes->entries.at[i].key, NULL);
        const met_dim *got = met_builder_axis_size(t->b, axis);
        const met_dim *want = dim_value(t, sizes->entries.at[i].value);
        if (!met_dim_equal(got, want))
            fail_msg("%s: `%s` has size %s", test->id, met_sym_text(t->session, t->labels[axis.id]), met_draft_dim_text(t->b, got));
    }
}

static const char *free_text(bench *t, const met_circuit *circuit)
{
    met_text text = met_text_new(t->session->arena);
    for (uint32_t i = 0; i < circuit->symbol_count; i++)
        if (!circuit->symbols[i].value)
            met_text_format(&text, "%s%s", i ? " " : "", met_sym_text(t->session, circuit->symbols[i].name));
    return met_text_done(&text);
}

/* The frozen circuit has the draft's shapes: positions are one axis exactly where the draft's are. */
static void expect_frozen(bench *t, const met_term *term, const met_circuit *circuit)
{
    uint32_t seen[LABEL_LIMIT];
    memset(seen, 0xFF, sizeof seen);
    assert_int_equal(circuit->input_count, term->ins.count);
    assert_int_equal(circuit->output_count, term->outs.count);
    for (uint32_t k = 0; k < circuit->input_count + circuit->output_count; k++) {
        bool in = k < circuit->input_count;
        const met_edge *edge = &circuit->edges[(in ? circuit->inputs[k] : circuit->outputs[k - circuit->input_count]).id];
        const draft_edge *draft = met_draft_edge_root(t->b, in ? term->ins.at[k] : term->outs.at[k - circuit->input_count]);
        assert_int_equal(edge->rank, draft->rank);
        for (uint32_t p = 0; p < edge->rank; p++) {
            uint32_t root = met_axis_root(t->b, draft->axes[p].id);
            if (seen[root] == MET_NONE)
                seen[root] = edge->axes[p].id;
            assert_int_equal(seen[root], edge->axes[p].id);
        }
    }
}

static void chain_case(const test_case *test)
{
    bench *t = bench_new();
    met_term *term = chain_of(t, test);
    if (!field(test->out, "ok")->boolean) {
        expect_error(test, t, term == NULL);
        met_session_free(t->session);
        return;
    }
    if (!term)
        fail_msg("%s: %s", test->id, met_session_diagnostics_text(t->session));
    expect_text(test, "in", ports_text(t, &term->ins), lists_text(t, field(test->out, "in")));
    expect_text(test, "out", ports_text(t, &term->outs), lists_text(t, field(test->out, "out")));
    expect_classes(test, t);
    expect_sizes(test, t);
    met_circuit *circuit = frozen(t, term);
    expect_text(test, "free", free_text(t, circuit), list_text(t, field(test->out, "free")));
    expect_frozen(t, term, circuit);
    met_session_free(t->session);
}

static void compositions(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "compose", 15, chain_case);
    each_case(MORE, "compose", 17, chain_case);
    each_case(ALIGNMENT, "chain", 5, chain_case);
    each_case(MORE, "chain", 36, chain_case);
}

/* --- bind --- */

static met_circuit *shapes_of(bench *t, const test_case *test)
{
    const met_value *shapes = field(test->in, "shapes"), *divisible = field(test->in, "divisible");
    met_array_spec ins[16];
    uint32_t count = 0;
    for (size_t k = 0; k < shapes->items.count; k++) {
        const met_value *shape = shapes->items.at[k];
        met_axis_id *axes = MET_NEW_ARRAY(t->session->arena, met_axis_id, shape->items.count);
        for (size_t p = 0; p < shape->items.count; p++)
            axes[p] = met_builder_axis(t->b, name_of(t, "axis"), dim_value(t, shape->items.at[p]), (met_span){ 0 });
        ins[count++] = (met_array_spec){ .rank = (uint32_t)shape->items.count, .axes = axes };
    }
    for (size_t k = 0; k < divisible->items.count; k++) {
        met_format *format = MET_NEW(t->session->arena, met_format);
        met_axis_id *axis = MET_NEW(t->session->arena, met_axis_id);
        met_text text = met_text_new(t->session->arena);
        met_text_format(&text, "i8/g%d", (int)divisible->items.at[k]->items.at[1]->integer);
        assert_true(met_format_parse(met_str_of(met_text_done(&text)), format));
        *axis = met_builder_axis(t->b, name_of(t, "axis"), dim_value(t, divisible->items.at[k]->items.at[0]), (met_span){ 0 });
        ins[count++] = (met_array_spec){ .rank = 1, .axes = axis, .format = format };
    }
    return frozen(t, met_term_box(t->b, name_of(t, "box"), count, ins, 0, NULL, (met_span){ 0 }));
}

static void bind_case(const test_case *test)
{
    bench *t = bench_new();
    met_circuit *circuit = shapes_of(t, test);
    met_text set = met_text_new(t->session->arena);
    const met_value *values = field(test->in, "set");
    for (size_t i = 0; i < values->entries.count; i++)
        met_text_format(&set, "%s%.*s=%lld", i ? "," : "", MET_STR_ARGS(values->entries.at[i].key),
                        (long long)values->entries.at[i].value->integer);
    met_circuit *bound = met_circuit_bind(circuit, met_text_done(&set));
    if (!field(test->out, "ok")->boolean) {
        expect_error(test, t, bound == NULL);
        met_session_free(t->session);
        return;
    }
    if (!bound)
        fail_msg("%s: %s", test->id, met_session_diagnostics_text(t->session));
    const met_value *shapes = field(test->out, "shapes");
    for (size_t k = 0; k < shapes->items.count; k++) {
        const met_edge *edge = &bound->edges[bound->inputs[k].id];
        assert_int_equal(edge->rank, shapes->items.at[k]->items.count);
        for (uint32_t p = 0; p < edge->rank; p++) {
            met_text text = met_text_new(t->session->arena);
            met_dim_print(&text, met_edge_dim(bound, edge, p), met_circuit_size_name, bound);
            const met_dim *want = dim_value(t, shapes->items.at[k]->items.at[p]);
            if (!met_dim_equal(dim_text(t, met_text_done(&text)), want))
                fail_msg("%s: a size is %s", test->id, met_text_done(&text));
        }
    }
    met_session_free(t->session);
}

static void bindings(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "bind", 4, bind_case);
    each_case(MORE, "bind", 8, bind_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signatures),
        cmocka_unit_test(compositions),
        cmocka_unit_test(bindings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
