/* Transfers and memory of one level against known values: each kind says how its problem is put together, and the solver
 * and the closed forms give the numbers. */
#include "cost_known.h"

#include "cost/levels.h"
#include "cost/relax.h"

/* --- Matmul --- */

static const met_cost_problem *matmul_of(context *c)
{
    return make_matmul(&c->maker, c->arena, whole(c, "a"), whole(c, "b"), whole(c, "c"), whole_or(c, "gran", 1), whole_or(c, "s", 1));
}

static void matmul_int(context *c)
{
    expect_solution(c, matmul_of(c), whole(c, "M"), "ac");
}

static void matmul_real(context *c)
{
    expect(c, "H", form_value(c, matmul_of(c), real(c, "M")));
}

static void matmul_relaxed(context *c, bool clamp)
{
    met_cost_relaxed relaxed;
    assert_true(met_cost_relax(matmul_of(c), real(c, "M"), clamp, &relaxed));
    expect(c, "H", relaxed.traffic);
    expect(c, "g", relaxed.tile[0]);
    expect(c, "g", relaxed.tile[1]);
    expect(c, "g_a", relaxed.tile[0]);
    expect(c, "g_c", relaxed.tile[1]);
}

static void matmul_real_s(context *c)
{
    matmul_relaxed(c, false);
}

static void matmul_clamped(context *c)
{
    matmul_relaxed(c, true);
}

/* --- Attention --- */

static const met_cost_problem *attention_of(context *c)
{
    uint64_t d = whole(c, "d"), sizes[4] = { whole(c, "q"), whole(c, "x"), d, whole_or(c, "dv", d) };
    bool full = met_value_get(c->in, "liveness") && word_is(c, "liveness", "full");
    return make_attention(&c->maker, c->arena, sizes, whole_or(c, "gran", 1), whole_or(c, "s", 1), full);
}

static void attention_int(context *c)
{
    expect_solution(c, attention_of(c), whole(c, "M"), "q");
}

static void attention_real(context *c)
{
    expect(c, "H", form_value(c, attention_of(c), real(c, "M")));
}

static void attention_kv_stationary(context *c)
{
    met_cost_problem turned = met_cost_turned(c->arena, attention_of(c));
    assert_null(met_cost_problem_check(&turned));
    expect(c, "H", form_value(c, &turned, real(c, "M")));
}

/* A pass over q x that reads and writes it. */
static const met_cost_problem *pass_of(context *c, uint64_t q, uint64_t x)
{
    make(&c->maker, c->arena);
    add_loop(&c->maker, 'q', q, MET_PARTITION_GROUP, 1);
    add_loop(&c->maker, 'x', x, MET_PARTITION_LOCAL, 1);
    add_tiled(&c->maker, "S", "qx", MET_COST_IN);
    add_tiled(&c->maker, "P", "qx", MET_COST_OUT);
    return made(&c->maker);
}

static void unfused_attention_int(context *c)
{
    uint64_t q = whole(c, "q"), x = whole(c, "x"), d = whole(c, "d"), granule = whole(c, "gran"), s = whole(c, "s");
    uint64_t scores = solved(c, make_matmul(&c->maker, c->arena, q, d, x, granule, s), whole(c, "M")).traffic;
    uint64_t softmax = solved(c, pass_of(c, q, x), whole(c, "M")).traffic;
    uint64_t mix = solved(c, make_matmul(&c->maker, c->arena, q, x, d, granule, s), whole(c, "M")).traffic;
    expect(c, "scores", (double)scores);
    expect(c, "softmax", (double)softmax);
    expect(c, "mix", (double)mix);
    expect(c, "H", (double)(scores + softmax + mix));
}

/* Groups k of key heads, r query heads to each. */
static void gqa_int(context *c)
{
    maker *m = &c->maker;
    make(m, c->arena);
    add_loop(m, 'k', whole(c, "h") / whole(c, "G"), MET_PARTITION_GROUP, 1);
    add_loop(m, 'q', whole(c, "q"), MET_PARTITION_GROUP, whole(c, "gran"));
    add_loop(m, 'r', whole(c, "G"), MET_PARTITION_GROUP, 1);
    add_loop(m, 'x', whole(c, "x"), MET_PARTITION_STREAM, whole(c, "s"));
    add_loop(m, 'd', whole(c, "d"), MET_PARTITION_LOCAL, 1);
    add_tiled(m, "Q", "kqrd", MET_COST_IN);
    add_tiled(m, "K", "kxd", MET_COST_IN);
    add_tiled(m, "V", "kxd", MET_COST_IN);
    add_tiled(m, "O", "kqrd", MET_COST_OUT);
    expect_solution(c, made(m), whole(c, "M"), "qr");
}

/* The values are the first columns of the keys: one array. */
static void mla_int(context *c)
{
    maker *m = &c->maker;
    make(m, c->arena);
    add_loop(m, 'q', whole(c, "q"), MET_PARTITION_GROUP, 1);
    add_loop(m, 'h', whole(c, "h"), MET_PARTITION_GROUP, 1);
    add_loop(m, 'x', whole(c, "x"), MET_PARTITION_STREAM, whole(c, "s"));
    add_loop(m, 'd', whole(c, "dk"), MET_PARTITION_LOCAL, 1);
    add_loop(m, 'e', whole(c, "dv"), MET_PARTITION_LOCAL, 1);
    add_tiled(m, "Q", "qhd", MET_COST_IN);
    add_tiled(m, "L", "xd", MET_COST_IN);
    add_tiled(m, "O", "qhe", MET_COST_OUT);
    expect_solution(c, made(m), whole(c, "M"), "qh");
}

/* Widths may be halves and quarters of a byte. */
static void mixed_int(context *c)
{
    enum { UNIT = 8 };
    maker *m = &c->maker;
    const met_value *bytes = field(c->in, "bytes");
    uint64_t width[6];
    static const char *const names[] = { "q", "k", "v", "scores", "o", "o_out" };
    for (int i = 0; i < 6; i++)
        width[i] = (uint64_t)(number_field(bytes, names[i]) * UNIT);
    make(m, c->arena);
    m->p.unit = UNIT;
    add_loop(m, 'q', whole(c, "q"), MET_PARTITION_GROUP, whole_or(c, "gran", 1));
    add_loop(m, 'x', whole(c, "x"), MET_PARTITION_STREAM, whole_or(c, "s", 1));
    add_loop(m, 'd', whole(c, "d"), MET_PARTITION_LOCAL, 1);
    static const char *const letters[] = { "qd", "xd", "xd", "qx", "qd", "qd" };
    for (int i = 0; i < 5; i++)
        add_resident(m, letters[i], width[i]);
    add_resident(m, "q", 8 * UNIT);
    for (int i = 0; i < 6; i++)
        if (i < 3 || i == 5)
            add_array(m, names[i], letters[i], i < 3 ? MET_COST_IN : MET_COST_OUT, width[i]);
    met_cost_solution solution = solved(c, made(m), whole(c, "M_bytes") * UNIT);
    expect(c, "H_bytes", (double)solution.traffic / UNIT);
    expect(c, "memory_bytes", (double)solution.memory / UNIT);
    expect_tiles(c, "q", solution.tile);
}

/* --- Two layers --- */

static void mlp_int(context *c)
{
    expect_solution(c, make_mlp(&c->maker, c->arena, whole(c, "n"), whole(c, "m"), whole(c, "f"), whole_or(c, "s", 1), 1), whole(c, "M"),
                    "n");
}

static void gated_mlp_int(context *c)
{
    expect_solution(c, make_mlp(&c->maker, c->arena, whole(c, "n"), whole(c, "m"), whole(c, "f"), whole_or(c, "s", 1), 2), whole(c, "M"),
                    "n");
}

/* `pairs` products that take turns in one tile: their operands pass by, the result is stored once. */
static double turns_form(context *c, uint64_t pairs, uint64_t a, uint64_t b, uint64_t out, double capacity)
{
    make_matmul(&c->maker, c->arena, a, b, out, 1, 1);
    c->maker.arrays[0].weight = pairs;
    c->maker.arrays[1].weight = pairs;
    return form_value(c, &c->maker.p, capacity);
}

static void fuse(context *c)
{
    double fused, unfused, capacity = real(c, "M");
    if (word_is(c, "what", "attention")) {
        uint64_t q = whole(c, "q"), x = whole(c, "x"), d = whole(c, "d");
        fused = form_value(c, attention_of(c), capacity);
        unfused = matmul_form(c, q, d, x, capacity) + form_value(c, pass_of(c, q, x), capacity) + matmul_form(c, q, x, d, capacity);
    } else if (word_is(c, "what", "norm_linear")) {
        uint64_t n = whole(c, "n"), m = whole(c, "m");
        fused = matmul_form(c, n, m, whole(c, "p"), capacity);
        unfused = fused + form_value(c, pass_of(c, n, m), capacity);
    } else {
        uint64_t n = whole(c, "n"), m = whole(c, "m"), f = whole(c, "f"), gates = word_is(c, "what", "mlp") ? 1 : 2;
        fused = form_value(c, make_mlp(&c->maker, c->arena, n, m, f, 1, gates), capacity);
        unfused = turns_form(c, gates, n, m, f, capacity) + matmul_form(c, n, f, m, capacity);
    }
    expect(c, "fused", fused);
    expect(c, "unfused", unfused);
    assert_int_equal(fused < unfused, field(c->out, "fuse")->boolean);
}

/* Rows n, vocabulary v streamed, the width m whole or streamed inside. */
static const met_cost_problem *scores_of(context *c, met_partition width)
{
    maker *m = &c->maker;
    make(m, c->arena);
    add_loop(m, 'n', whole(c, "n"), MET_PARTITION_GROUP, 1);
    add_loop(m, 'v', whole(c, "V"), MET_PARTITION_STREAM, 1);
    add_loop(m, 'm', whole(c, "m"), width, 1);
    add_tiled(m, "X", "nm", MET_COST_IN);
    add_tiled(m, "W", "mv", MET_COST_IN);
    add_tiled(m, "L", "n", MET_COST_OUT);
    if (width == MET_PARTITION_STREAM) /* the sums over m */
        add_resident(m, "nv", 1);
    else { /* resident rows dwarf their statistics, which the known formula leaves out */
        m->p.resident_count--;
    }
    return made(m);
}

static void linear_ce(context *c)
{
    double capacity = real(c, "M"), n = real(c, "n"), v = real(c, "V");
    double rows = form_value(c, scores_of(c, MET_PARTITION_LOCAL), capacity);
    double nested = form_value(c, scores_of(c, MET_PARTITION_STREAM), capacity);
    double unfused = matmul_form(c, whole(c, "n"), whole(c, "m"), whole(c, "V"), capacity) + n * v + n; /* read again, n out */
    expect(c, "rows_resident", rows);
    expect(c, "nested", nested);
    expect(c, "unfused", unfused);
    const char *best = rows < nested && rows < unfused ? "rows_resident" : nested < unfused ? "nested" : "unfused";
    assert_true(met_str_is(string_field(c->out, "best"), best));
}

/* Rows of one expert fill a tile, or all of them stay while the weights pass by once. */
static void moe(context *c)
{
    uint64_t experts = whole(c, "E"), t = whole(c, "n") * whole(c, "k") / experts, m = whole(c, "m"), f = whole(c, "f");
    bool full = (double)t >= sqrt(real(c, "M"));
    double each = full ? matmul_form(c, t, m, f, real(c, "M")) : 0;
    if (!full) {
        make_matmul(&c->maker, c->arena, t, m, f, 1, whole(c, "s"));
        c->maker.loops[0].granule = t;
        each = (double)solved(c, &c->maker.p, whole(c, "M")).traffic;
    }
    expect(c, "t", (double)t);
    expect(c, "H", (double)experts * each);
    assert_int_equal(full, met_str_is(string_field(c->out, "regime"), "full"));
}

/* --- Nests --- */

/* Loops in the order of `order`, then the others; sizes from `axes`. */
static void nest_loops(context *c, const met_value *order, size_t groups)
{
    maker *m = &c->maker;
    const met_value *axes = field(c->in, "axes");
    make(m, c->arena);
    for (size_t i = 0; i < order->items.count; i++) {
        char name[2] = { order->items.at[i]->string.at[0], 0 };
        add_loop(m, name[0], (uint64_t)field(axes, name)->integer, i < groups ? MET_PARTITION_GROUP : MET_PARTITION_STREAM, 1);
    }
    for (size_t i = 0; i < axes->entries.count; i++)
        if (letter_of(m, axes->entries.at[i].key.at[0]) == MET_NONE)
            add_loop(m, axes->entries.at[i].key.at[0], (uint64_t)axes->entries.at[i].value->integer, MET_PARTITION_LOCAL, 1);
}

static const met_cost_problem *nest_arrays(context *c)
{
    const met_value *arrays = field(c->in, "arrays");
    for (size_t i = 0; i < arrays->entries.count; i++) {
        met_entry entry = arrays->entries.at[i];
        const char *name = met_arena_text(c->arena, entry.key.at, entry.key.length);
        add_tiled(&c->maker, name, met_arena_text(c->arena, entry.value->string.at, entry.value->string.length), MET_COST_IN);
    }
    return made(&c->maker);
}

static void nest(context *c)
{
    nest_loops(c, field(c->in, "order"), (size_t)whole(c, "n_group"));
    const met_cost_problem *p = nest_arrays(c);
    uint64_t tile[MAKER_PARTS];
    for (uint32_t l = 0; l < p->loop_count; l++) {
        const met_value *given = met_value_get(field(c->in, "tile"), p->loops[l].name);
        tile[l] = given ? (uint64_t)given->integer : p->loops[l].size;
    }
    expect(c, "H", (double)met_cost_traffic(p, tile));
    for (uint32_t a = 0; a < p->array_count; a++)
        expect_near(c, p->arrays[a].name, (double)met_cost_array_traffic(p, &p->arrays[a], tile),
                    field(field(c->out, "per_array"), p->arrays[a].name)->number, 0);
}

static void nest_best(context *c)
{
    nest_loops(c, field(c->in, "order"), (size_t)whole(c, "n_group"));
    const met_cost_problem *p = nest_arrays(c);
    met_cost_solution solution = met_cost_solve(c->arena, p, whole(c, "M"), &(met_cost_limits){ .keep_order = true });
    assert_true(solution.feasible && solution.proven);
    expect(c, "H", (double)solution.traffic);
    expect(c, "memory", (double)solution.memory);
    const met_value *tile = field(c->out, "tile");
    for (size_t i = 0; i < tile->entries.count; i++)
        expect_near(c, "tile", (double)solution.tile[letter_of(&c->maker, tile->entries.at[i].key.at[0])],
                    (double)tile->entries.at[i].value->integer, 0);
}

static void nest_best_order(context *c)
{
    const met_value *groups = field(c->in, "groups"), *streams = field(c->in, "streams");
    met_value order = *groups;
    met_value **items = MET_NEW_ARRAY(c->arena, met_value *, groups->items.count + streams->items.count);
    for (size_t i = 0; i < groups->items.count; i++)
        items[i] = groups->items.at[i];
    for (size_t i = 0; i < streams->items.count; i++)
        items[groups->items.count + i] = streams->items.at[i];
    order.items.at = items;
    order.items.count = groups->items.count + streams->items.count;
    nest_loops(c, &order, groups->items.count);
    met_cost_solution solution = solved(c, nest_arrays(c), whole(c, "M"));
    expect(c, "H", (double)solution.traffic);
    expect(c, "memory", (double)solution.memory);
}

static const cost_kind kinds[] = {
    { "matmul_int", matmul_int }, { "matmul_real", matmul_real }, { "matmul_real_s", matmul_real_s },
    { "matmul_clamped", matmul_clamped }, { "attention_int", attention_int }, { "attention_real", attention_real },
    { "attention_kv_stationary", attention_kv_stationary }, { "unfused_attention_int", unfused_attention_int },
    { "gqa_int", gqa_int }, { "mla_int", mla_int }, { "mixed_int", mixed_int }, { "mlp_int", mlp_int },
    { "gated_mlp_int", gated_mlp_int }, { "fuse", fuse }, { "linear_ce", linear_ce }, { "moe", moe },
    { "nest", nest }, { "nest_best", nest_best }, { "nest_best_order", nest_best_order },
};

static void known_values(void **state)
{
    (void)state;
    run_kinds(kinds, sizeof kinds / sizeof *kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(known_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
