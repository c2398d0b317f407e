/* Revealing what is known: records run as black boxes come back, by every method, in as many calls as the note says. */
#include "reveal_subjects.h"

#include "number/tree_compare.h"
#include "support/random.h"

#include "on_arena.h"
#include "random_tails.h"

static const char *text_of(const met_tree *tree)
{
    met_text text = met_text_new(arena);
    met_tree_print(&text, tree, MET_F32);
    return met_text_done(&text);
}

/* --- Records at random --- */

static void random_levels(random_source *r, met_tree *tree)
{
    tree->level_count = (uint8_t)random_below(r, 4);
    tree->combine = (uint8_t)random_below(r, MET_ORDER_EIGHT_LANE_BLOCKS + 1);
    for (int i = 0; i < tree->level_count; i++) {
        met_tree_level *level = &tree->levels[i];
        level->layout = (uint8_t)random_below(r, 2);
        level->order = random_below(r, 2) ? MET_ORDER_SEQUENTIAL : (uint8_t)random_below(r, MET_ORDER_EIGHT_LANE_BLOCKS + 1);
        level->width = 1 + random_below(r, 6);
        level->per_terms = random_below(r, 4) == 0;
    }
    if (random_below(r, 3) == 0) {
        random_tails(r, tree);
    }
}

/* Folds that keep all their terms until the end add them without passing each through an addition of its own, which a written
 * tree has no word for where that shows: where results are flushed. */
static bool in_order(const met_tree *tree)
{
    return met_tree_innermost(tree) == MET_ORDER_SEQUENTIAL;
}

static void random_arithmetic(random_source *r, met_tree *tree)
{
    static const uint8_t stores[] = {MET_F32, MET_F32, MET_BF16, MET_F16};
    tree->start = (uint8_t)random_below(r, 2);
    tree->contraction = (uint8_t)random_below(r, 2);
    switch (random_below(r, 5)) {
    case 0:
        tree->precision = tree->store = MET_F64;
        break;
    case 1:
        tree->store = stores[random_below(r, 4)];
        break;
    case 2:
        tree->mode = (uint8_t)random_below(r, 4);
        break;
    case 3:
        tree->flush = (uint8_t)random_below(r, in_order(tree) ? 4 : 2);
        break;
    default:
        break;
    }
}

static void random_unit(random_source *r, met_tree *tree)
{
    static const uint8_t widths[] = {2, 4, 8, 16}, fractions[] = {13, 20, 23, 24, 25};
    *(tree->level_count ? &tree->levels[0].order : &tree->combine) = MET_ORDER_SEQUENTIAL;
    tree->node = MET_NODE_MATRIX;
    tree->tail_count = 0; /* those of others are fused one by one, which no mark says */
    tree->unit = (met_matrix_unit){.width = widths[random_below(r, 4)], .fraction = fractions[random_below(r, 5)],
                                   .final = (uint8_t)random_below(r, 2)};
}

static met_dtype random_input(random_source *r, const met_tree *tree)
{
    static const uint8_t narrow[] = {MET_F32, MET_F32, MET_BF16, MET_F16};
    if (tree->precision == MET_F64) {
        return random_below(r, 2) ? MET_F64 : MET_F32;
    }
    return tree->node == MET_NODE_MATRIX ? (random_below(r, 2) ? MET_F16 : MET_BF16) : (met_dtype)narrow[random_below(r, 4)];
}

static double random_value(random_source *r, met_dtype dtype)
{
    double value = ldexp((double)random_below(r, 1u << 24) - 0x1p23, -23);
    return met_round(dtype, ldexp(value, (int)random_below(r, 16) - 8));
}

/* The recovered record gives the bits of the true one, on inputs that revealing did not draw. */
static void check_same_bits(random_source *r, const record_subject *s, const met_tree *tree)
{
    uint64_t n = s->probe.n;
    if (n == 1) {
        return;
    }
    double *a = MET_NEW_ARRAY(arena, double, n), *b = MET_NEW_ARRAY(arena, double, n), expected = 0;
    for (int round = 0; round < 4; round++) {
        for (uint64_t i = 0; i < n; i++) {
            a[i] = random_value(r, s->probe.input);
            b[i] = random_value(r, s->probe.input);
        }
        bool dot = s->probe.kind == MET_PROBE_DOT;
        run_record(s->probe.context, a, dot ? b : NULL, 0, &expected);
        double got = dot ? met_tree_dot(arena, tree, n, a, b) : met_tree_run(arena, tree, MET_MONOID_ADD, n, a);
        assert_true(met_bits_f64(met_round(s->probe.output, got)) == met_bits_f64(expected));
    }
}

static bool reaches_subnormals(met_dtype dtype)
{
    return met_dtype_limits(dtype).min_normal <= 0x1p-126;
}

static void check_traits(const record_subject *s, const met_tree *declared, const met_tree *got)
{
    if (s->probe.n < 4) {
        return; /* little to see */
    }
    assert_int_equal(got->precision, declared->precision);
    assert_int_equal(got->store, declared->store);
    assert_int_equal(got->mode, declared->mode);
    assert_int_equal(got->node, declared->node);
    if (declared->mode != MET_RD && declared->node == MET_NODE_ADD && in_order(declared)) {
        assert_int_equal(got->start, declared->start);
    }
    if (reaches_subnormals(s->probe.input) && reaches_subnormals(s->probe.output) && declared->store != MET_F16) {
        assert_true((got->flush & MET_FLUSH_OUTPUT) == (declared->flush & MET_FLUSH_OUTPUT));
    }
    if (declared->node == MET_NODE_MATRIX && got->unit.width == declared->unit.width) {
        assert_int_equal(got->unit.fraction, declared->unit.fraction);
    }
}

/* Steps of a unit that all take two addends cannot be told from additions of an odd kind. */
static bool shows_its_nodes(const met_tree *declared, const met_bracketing *shape)
{
    bool shows = declared->node != MET_NODE_MATRIX;
    for (uint32_t i = 0; i < shape->node_count; i++) {
        shows = shows || shape->nodes[i].count > 2;
    }
    return shows;
}

static void check_record(random_source *r, const met_tree *declared, met_black_box probe, met_reveal_method method)
{
    record_subject *s = subject_of(arena, declared, probe);
    const met_bracketing *shape = met_bracketing_of(arena, declared, probe.n);
    if (!shows_its_nodes(declared, shape)) {
        return;
    }
    met_revealed got = met_reveal(arena, &s->probe, method, random_next(r));
    if (got.verdict != MET_REVEAL_TREE || !met_bracketing_same(arena, shape, got.shape)) {
        met_text text = met_text_new(arena);
        met_bracketing_print(&text, shape);
        met_text_put(&text, "\nrevealed ");
        met_tree_print(&text, &got.tree, MET_F32);
        fail_msg("%s, n %u, input %d, output %d, kind %d: %s\n%s", text_of(declared), (unsigned)probe.n, (int)probe.input,
                 (int)probe.output, (int)probe.kind, got.why ? got.why : "another shape", met_text_done(&text));
    }
    check_traits(s, declared, &got.tree);
    check_same_bits(r, s, &got.tree);
}

/* Sanitized they take ten times as long. */
#ifdef __SANITIZE_ADDRESS__
enum { RECORDS = 400 };
#else
enum { RECORDS = 3000 };
#endif

static void test_random_records(void **state)
{
    random_source r = {20};
    (void)state;
    for (int i = 0; i < RECORDS; i++) {
        met_tree tree = met_tree_sequential(MET_F32);
        random_levels(&r, &tree);
        if (random_below(&r, 5) == 0) {
            random_unit(&r, &tree);
        } else {
            random_arithmetic(&r, &tree);
        }
        met_black_box probe = {.kind = random_below(&r, 2) || tree.node != MET_NODE_ADD ? MET_PROBE_DOT : MET_PROBE_SUM,
                           .n = 1 + random_below(&r, 40), .input = random_input(&r, &tree)};
        probe.output = tree.precision == MET_F64 && random_below(&r, 2) ? MET_F64 : MET_F32;
        assert_true(met_tree_valid(&tree));
        check_record(&r, &tree, probe, random_below(&r, 3) ? MET_REVEAL_AUTO : MET_REVEAL_TRIPLES);
        met_arena_free(arena);
        arena = met_arena_new();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_records),
    };
    return cmocka_run_group_tests_name("reveal", tests, setup, teardown);
}
