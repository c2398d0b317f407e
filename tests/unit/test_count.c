/* Sizes, flops, live positions, caches: known answers from tests/data/alignment.toml, and counting against enumeration. */
#include "terms.h"

#include "ir/cache.h"
#include "ir/contraction.h"
#include "ir/formula.h"
#include "ir/live.h"

#define ALIGNMENT MET_TEST_DATA_DIR "/alignment.toml"
#define MORE MET_TEST_DATA_DIR "/alignment_more.toml"

/* --- dims --- */

typedef struct assignment {
    bench *t;
    const met_value *set;
} assignment;

static const met_dim *assigned(void *context, met_size symbol)
{
    const assignment *a = context;
    met_session *session = a->t->session;
    const met_value *value = met_value_get(a->set, met_sym_text(session, a->t->b->symbols.at[symbol.id].name));
    return value ? met_dim_constant(session->arena, (uint64_t)value->integer) : NULL;
}

static void dims_case(const test_case *test)
{
    bench *t = bench_new();
    if (met_value_get(test->in, "left")) {
        const met_dim *left = read_dim(t, string_field(test->in, "left")), *right = read_dim(t, string_field(test->in, "right"));
        expect_bits(test, met_dim_equal(left, right), field(test->out, "equal")->boolean);
    } else {
        assignment a = { t, field(test->in, "set") };
        uint64_t value = 0;
        const met_dim *dim = read_dim(t, string_field(test->in, "expression"));
        dim = met_dim_substitute(t->session->arena, dim, assigned, &a);
        assert_non_null(dim);
        assert_true(met_dim_is_constant(dim, &value));
        expect_bits(test, value, (uint64_t)field(test->out, "value")->integer);
    }
    met_session_free(t->session);
}

static void dims(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "dims", 8, dims_case);
    each_case(MORE, "dims", 39, dims_case);
}

/* --- flops, order --- */

static met_circuit *contraction_of(bench *t, const test_case *test)
{
    met_str signature = string_field(test->in, "signature");
    met_circuit *circuit = frozen(t, einsum(t, met_arena_text(t->session->arena, signature.at, signature.length)));
    met_text set = met_text_new(t->session->arena);
    const met_value *values = field(test->in, "sizes");
    for (size_t i = 0; i < values->entries.count; i++)
        met_text_format(&set, "%s%.*s=%lld", i ? "," : "", MET_STR_ARGS(values->entries.at[i].key),
                        (long long)values->entries.at[i].value->integer);
    circuit = met_circuit_bind(circuit, met_text_done(&set));
    if (!circuit)
        fail_msg("%s: %s", test->id, met_session_diagnostics_text(t->session));
    return circuit;
}

static void flops_case(const test_case *test)
{
    bench *t = bench_new();
    met_circuit *circuit = contraction_of(t, test);
    met_contraction contraction;
    uint64_t flops = 0;
    assert_true(met_contraction_of(circuit, &circuit->nodes[0], &contraction));
    assert_true(met_contraction_flops(&contraction, &flops));
    expect_bits(test, flops, (uint64_t)field(test->out, "flops")->integer);
    assert_true(met_circuit_flops(circuit, &flops));
    expect_bits(test, flops, (uint64_t)field(test->out, "flops")->integer);
    met_session_free(t->session);
}

static void order_case(const test_case *test)
{
    bench *t = bench_new();
    met_circuit *circuit = contraction_of(t, test);
    met_contraction contraction;
    uint64_t flops = 0;
    assert_true(met_contraction_of(circuit, &circuit->nodes[0], &contraction));
    assert_true(met_contraction_left_to_right(&contraction, &flops));
    expect_bits(test, flops, (uint64_t)field(test->out, "left_to_right")->integer);
    assert_true(met_contraction_best(t->session, &contraction, (met_span){ 0 }, &flops));
    expect_bits(test, flops, (uint64_t)field(test->out, "best")->integer);
    assert_true(met_contraction_one_shot(&contraction, &flops));
    expect_bits(test, flops, (uint64_t)field(test->out, "one_shot")->integer);
    met_session_free(t->session);
}

static void contractions(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "flops", 5, flops_case);
    each_case(MORE, "flops", 10, flops_case);
    each_case(ALIGNMENT, "order", 4, order_case);
    each_case(MORE, "order", 12, order_case);
}

/* The best order by trying every pair at every step. */
static uint64_t best_by_pairs(const uint64_t *sizes, uint32_t label_count, uint32_t count, const uint64_t *operands, uint64_t result)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            uint64_t rest[8], labels = operands[i] | operands[j], needed = result, points = 1;
            uint32_t left = 0;
            for (uint32_t k = 0; k < count; k++)
                if (k != i && k != j)
                    needed |= rest[left++] = operands[k];
            for (uint32_t l = 0; l < label_count; l++)
                points *= labels >> l & 1 ? sizes[l] : 1;
            uint64_t flops = points * (labels & ~needed ? 2 : 1);
            rest[left++] = labels & needed;
            if (left > 1)
                flops += best_by_pairs(sizes, label_count, left, rest, result);
            best = flops < best ? flops : best;
        }
    }
    return best;
}

static void many_operands(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    uint64_t seed = 1;
    for (int round = 0; round < 300; round++) {
        uint64_t sizes[6], operands[6], flops = 0;
        met_contraction c = { 6, sizes, 2 + draw(&seed, 4), operands, draw(&seed, 64) };
        for (uint32_t i = 0; i < 6; i++) {
            sizes[i] = 1 + draw(&seed, 9);
            operands[i] = draw(&seed, 64);
        }
        assert_true(met_contraction_best(session, &c, (met_span){ 0 }, &flops));
        assert_int_equal(flops, best_by_pairs(sizes, 6, c.operand_count, operands, c.result));
    }
    uint64_t sizes[20], operands[20], flops = 0, left = 0;
    for (uint32_t i = 0; i < 20; i++) {
        sizes[i] = 2 + i % 5;
        operands[i] = (uint64_t)3 << i;
    }
    met_contraction chain = { 17, sizes, 16, operands, 1 | (uint64_t)1 << 16 };
    assert_true(met_contraction_best(session, &chain, (met_span){ 0 }, &flops));
    assert_true(met_contraction_left_to_right(&chain, &left));
    assert_true(flops <= left);
    chain.operand_count = 17;
    assert_false(met_contraction_best(session, &chain, (met_span){ 0 }, &flops));
    assert_int_equal(met_session_error_count(session), 1);
    sizes[0] = sizes[1] = sizes[2] = (uint64_t)1 << 40;
    chain.operand_count = 2;
    assert_false(met_contraction_flops(&chain, &flops));
    assert_false(met_contraction_best(session, &chain, (met_span){ 0 }, &flops));
    met_session_free(session);
}

/* --- live --- */

/* A mask over all labels, made as the language makes it, on an input of these sizes. */
static met_circuit *masked(bench *t, const met_value *sizes, const char *keep)
{
    met_arena *arena = t->session->arena;
    uint32_t count = (uint32_t)sizes->entries.count;
    met_formula_name *names = MET_NEW_ARRAY(arena, met_formula_name, (size_t)count * 2);
    met_axis_id *axes = MET_NEW_ARRAY(arena, met_axis_id, count);
    met_item *targets = MET_NEW_ARRAY(arena, met_item, count);
    for (uint32_t i = 0; i < count; i++) {
        met_str label = sizes->entries.at[i].key;
        const met_dim *size = met_dim_constant(arena, (uint64_t)sizes->entries.at[i].value->integer);
        met_text text = met_text_new(arena);
        met_text_format(&text, "i_%.*s", MET_STR_ARGS(label));
        names[i] = (met_formula_name){ met_text_done(&text), met_scalar_index(arena, i) };
        names[count + i] = (met_formula_name){ met_text_done(&text) + 2, met_scalar_size(arena, size) };
        axes[i] = met_builder_axis(t->b, met_intern(t->session, label), size, (met_span){ 0 });
        targets[i] = (met_item){ .label = { .name = met_intern(t->session, label) } };
    }
    met_array_spec spec = { .role = MET_EDGE_INPUT, .name = name_of(t, "a"), .rank = count, .axes = axes };
    met_attr attr = { .key = name_of(t, "keep"), .kind = MET_ATTR_GUARDS, .scalar = met_formula_read(arena, keep, (size_t)count * 2, names) };
    met_request request = { .op = met_op_by_id(MET_OP_mask), .targets = { count, targets, { 0 } }, .array_count = 1,
                            .attr_count = 1, .attrs = &attr };
    met_term *mask = met_term_op(t->b, &request, (met_sym){ 0 });
    return frozen(t, compose(t, met_term_source(t->b, &spec), mask));
}

static void live_case(const test_case *test)
{
    bench *t = bench_new();
    const met_value *guards = field(test->in, "guards");
    met_text keep = met_text_new(t->session->arena);
    for (size_t i = 0; i < guards->items.count; i++)
        met_text_format(&keep, "%s%.*s", i ? " && " : "", MET_STR_ARGS(guards->items.at[i]->string));
    met_circuit *circuit = masked(t, field(test->in, "sizes"), met_text_done(&keep));
    uint64_t live = 0;
    assert_true(met_edge_live(circuit, &circuit->edges[circuit->outputs[0].id], &live));
    expect_bits(test, live, (uint64_t)field(test->out, "live")->integer);
    met_session_free(t->session);
}

static void live_positions(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "live", 4, live_case);
    each_case(MORE, "live", 14, live_case);
}

/* Random affine guards over up to four indices, against plain enumeration. */
static void live_random(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int round = 0; round < 500; round++) {
        uint64_t sizes[4] = { 0 }, want = 0, got = 0;
        uint32_t count = draw(&seed, 5), guards = draw(&seed, 4);
        met_affine_term terms[4][4];
        met_affine affine[4];
        for (uint32_t k = 0; k < 4; k++)
            sizes[k] = k < count ? draw(&seed, 8) : 1;
        for (uint32_t g = 0; g < guards; g++) {
            affine[g] = (met_affine){ .constant = (int64_t)draw(&seed, 13) - 6, .terms = terms[g] };
            for (uint32_t k = 0; k < count && k < 4; k++)
                if (draw(&seed, 2))
                    terms[g][affine[g].term_count++] = (met_affine_term){ .index = k, .coefficient = (int64_t)draw(&seed, 7) - 3 };
        }
        for (uint64_t p = 0; p < sizes[0] * sizes[1] * sizes[2] * sizes[3]; p++) {
            uint64_t at[4] = { p % sizes[0], p / sizes[0] % sizes[1], p / sizes[0] / sizes[1] % sizes[2], p / sizes[0] / sizes[1] / sizes[2] };
            bool live = true;
            for (uint32_t g = 0; g < guards; g++) {
                int64_t sum = affine[g].constant;
                for (uint32_t i = 0; i < affine[g].term_count; i++)
                    sum += terms[g][i].coefficient * (int64_t)at[terms[g][i].index];
                live = live && sum >= 0;
            }
            want += live;
        }
        assert_true(met_live_count(count < 4 ? count : 4, sizes, guards, affine, &got));
        assert_int_equal(got, want);
    }
}

static void live_limits(void **state)
{
    (void)state;
    uint64_t live = 0, million[2] = { 1000000, 1000000 }, huge[2] = { (uint64_t)1 << 40, (uint64_t)1 << 40 };
    met_affine_term terms[2] = { { .index = 0, .coefficient = 1 }, { .index = 1, .coefficient = -1 } };
    met_affine causal = { 0, 2, terms };
    assert_true(met_live_count(2, million, 1, &causal, &live));
    assert_int_equal(live, 500000500000);
    assert_false(met_live_count(2, huge, 1, &causal, &live)); /* too many rows */
    assert_false(met_live_count(2, huge, 0, NULL, &live));    /* 2^80 */
    causal.constant = INT64_MAX;
    assert_false(met_live_count(2, million, 1, &causal, &live));
    huge[0] = 0;
    assert_true(met_live_count(2, huge, 0, NULL, &live));
    assert_int_equal(live, 0);
    met_affine never = { -1, 0, NULL };
    assert_true(met_live_count(0, NULL, 1, &never, &live));
    assert_int_equal(live, 0);
    assert_true(met_live_count(0, NULL, 0, NULL, &live));
    assert_int_equal(live, 1);
}

/* --- cache --- */

static uint64_t natural(const met_value *table, const char *key)
{
    return (uint64_t)field(table, key)->integer;
}

static void cache_case(const test_case *test)
{
    met_cache cache = { natural(test->in, "heads"), natural(test->in, "width"), natural(test->in, "arrays"),
                        natural(test->in, "bytes_per_value") };
    uint64_t tokens = met_cache_tokens(natural(test->in, "window"), UINT64_MAX), bytes = 0;
    expect_bits(test, tokens, natural(test->out, "tokens"));
    assert_true(met_cache_bytes(&cache, tokens, &bytes));
    expect_bits(test, bytes, natural(test->out, "bytes"));
    assert_true(met_cache_bytes(&cache, tokens + 1, &bytes));
    expect_bits(test, bytes, natural(test->out, "bytes_with_new"));
}

static void caches(void **state)
{
    (void)state;
    each_case(ALIGNMENT, "cache", 2, cache_case);
    each_case(MORE, "cache", 3, cache_case);
    assert_int_equal(met_cache_tokens(0, 100), 100);
    assert_int_equal(met_cache_tokens(8, 3), 3);
    assert_int_equal(met_cache_tokens(8, 8), 7);
    uint64_t bytes;
    met_cache large = { (uint64_t)1 << 32, (uint64_t)1 << 32, 2, 2 };
    assert_false(met_cache_bytes(&large, 1, &bytes));
    assert_true(met_cache_bytes(&large, 0, &bytes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dims),           cmocka_unit_test(contractions), cmocka_unit_test(many_operands),
        cmocka_unit_test(live_positions), cmocka_unit_test(live_random),  cmocka_unit_test(live_limits),
        cmocka_unit_test(caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
