/* Dim expressions: against evaluation at random points, canonical forms, limits. */
#include "terms.h"

/* An expression with its text as the source of truth: it is evaluated from the text's tree, not from the dim. */
typedef struct made {
    const met_dim *dim;
    uint64_t values[4]; /* at four assignments */
} made;

typedef struct maker {
    bench *t;
    uint64_t seed;
    uint64_t assignments[4][3];
} maker;

static made make_dim(maker *m, int depth)
{
    met_arena *arena = m->t->session->arena;
    static const char *const names[] = { "a", "b", "c" };
    uint32_t kind = draw(&m->seed, depth > 0 ? 6 : 2), which = draw(&m->seed, 3), n = draw(&m->seed, 9);
    made x = { 0 }, y = { 0 };
    if (kind >= 2)
        x = make_dim(m, depth - 1);
    if (kind == 2 || kind == 3)
        y = make_dim(m, depth - 1);
    for (int k = 0; k < 4; k++) {
        uint64_t a = x.values[k], b = y.values[k], d = n + 1;
        uint64_t values[] = { n, m->assignments[k][which], a + b, a * b, a / d, a / d + (a % d != 0) };
        x.values[k] = values[kind];
    }
    switch (kind) {
    case 0: x.dim = met_dim_constant(arena, n); break;
    case 1: x.dim = dim_text(m->t, names[which]); break;
    case 2: x.dim = met_dim_add(arena, x.dim, y.dim); break;
    case 3: x.dim = met_dim_mul(arena, x.dim, y.dim); break;
    case 4: x.dim = met_dim_floor_div(arena, x.dim, n + 1); break;
    default: x.dim = met_dim_ceil_div(arena, x.dim, n + 1); break;
    }
    return x;
}

typedef struct point {
    maker *m;
    int k;
} point;

static const met_dim *at_point(void *context, met_size symbol)
{
    const point *p = context;
    met_str name = met_sym_str(p->m->t->session, p->m->t->b->symbols.at[symbol.id].name);
    return met_dim_constant(p->m->t->session->arena, p->m->assignments[p->k][name.at[0] - 'a']);
}

static met_str size_name(void *context, met_size symbol)
{
    bench *t = context;
    return met_sym_str(t->session, t->b->symbols.at[symbol.id].name);
}

static const char *printed(bench *t, const met_dim *dim)
{
    met_text text = met_text_new(t->session->arena);
    met_dim_print(&text, dim, size_name, t);
    return met_text_done(&text);
}

static void random_values(void **state)
{
    (void)state;
    maker m = { bench_new(), 3, { { 1, 1, 1 }, { 2, 3, 5 }, { 16, 7, 100 }, { 31, 64, 10 } } };
    for (int round = 0; round < 2000; round++) {
        made x = make_dim(&m, 1 + round % 4);
        if (!x.dim)
            continue;
        for (int k = 0; k < 4; k++) {
            uint64_t got = 0;
            const met_dim *value = met_dim_substitute(m.t->session->arena, x.dim, at_point, &(point){ &m, k });
            assert_non_null(value);
            assert_true(met_dim_is_constant(value, &got));
            if (got != x.values[k])
                fail_msg("%s is %llu, not %llu", printed(m.t, x.dim), (unsigned long long)got, (unsigned long long)x.values[k]);
        }
        if (!met_dim_equal(dim_text(m.t, printed(m.t, x.dim)), x.dim))
            fail_msg("%s does not read back", printed(m.t, x.dim));
    }
    met_session_free(m.t->session);
}

static void random_laws(void **state)
{
    (void)state;
    maker m = { bench_new(), 4, { { 1, 1, 1 } } };
    met_arena *arena = m.t->session->arena;
    for (int round = 0; round < 1000; round++) {
        const met_dim *a = make_dim(&m, 2).dim, *b = make_dim(&m, 2).dim, *c = make_dim(&m, 2).dim;
        const met_dim *left = met_dim_mul(arena, met_dim_add(arena, a, b), c);
        const met_dim *right = met_dim_add(arena, met_dim_mul(arena, c, b), met_dim_mul(arena, a, c));
        assert_true(left && right);
        assert_true(met_dim_equal(left, right));
        assert_int_equal(met_dim_compare(a, b), -met_dim_compare(b, a));
        if (met_dim_compare(a, b) < 0 && met_dim_compare(b, c) < 0)
            assert_true(met_dim_compare(a, c) < 0);
    }
    met_session_free(m.t->session);
}

static void one_form(void **state)
{
    (void)state;
    static const char *const same[][2] = {
        { "floor((n + 16)/16)", "floor(n/16) + 1" },
        { "ceil(n/16)", "floor((n + 15)/16)" },
        { "ceil((n + 1)/16)", "floor(n/16) + 1" },
        { "floor((16*n + 5)/4)", "4*n + 1" },
        { "floor((4*n + 2)/8)", "floor((2*n + 1)/4)" },
        { "floor((4*n + 3)/8)", "floor((2*n + 1)/4)" },
        { "floor(floor(n/4)/4)", "floor(n/16)" },
        { "ceil(ceil(n/3)/5)", "ceil(n/15)" },
        { "floor((floor(n/4) + 3)/2)", "floor((n + 4)/8) + 1" },
        { "floor(n/1)", "n" },
        { "ceil((n*h + 7)/7)", "ceil(n*h/7) + 1" },
        { "0*n", "0" },
    };
    bench *t = bench_new();
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!met_dim_equal(dim_text(t, same[i][0]), dim_text(t, same[i][1])))
            fail_msg("%s is %s, %s is %s", same[i][0], printed(t, dim_text(t, same[i][0])), same[i][1], printed(t, dim_text(t, same[i][1])));
    assert_false(met_dim_equal(dim_text(t, "floor(n/16)"), dim_text(t, "ceil(n/16)")));
    assert_false(met_dim_equal(dim_text(t, "floor(n/16)"), dim_text(t, "floor(n/8)")));
    assert_string_equal(printed(t, dim_text(t, "4 + floor(n/16)*16")), "16*floor(n/16) + 4");
    assert_string_equal(printed(t, dim_text(t, "ceil(n/16)")), "ceil(n/16)");
    assert_string_equal(printed(t, dim_text(t, "ceil((h*n + 2)/3)")), "floor((n*h + 1)/3) + 1");
    met_session_free(t->session);
}

static const met_dim *rename_symbol(void *context, met_size symbol)
{
    (void)symbol;
    return context;
}

static void limits(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_arena *arena = t->session->arena;
    uint64_t value = 0;
    assert_null(met_dim_mul(arena, dim_text(t, "4294967296"), dim_text(t, "4294967296")));
    assert_null(met_dim_add(arena, met_dim_constant(arena, UINT64_MAX), dim_text(t, "1")));
    assert_null(met_dim_floor_div(arena, dim_text(t, "n"), 0));
    assert_null(met_dim_add(arena, NULL, dim_text(t, "n")));
    assert_null(met_dim_ceil_div(arena, NULL, 2));
    assert_true(met_dim_is_constant(met_dim_ceil_div(arena, met_dim_constant(arena, UINT64_MAX), 2), &value));
    assert_true(value == (uint64_t)1 << 63);
    /* A high power of a symbol stays that power under another name, and is too large as a number. */
    const met_dim *power = dim_text(t, "n");
    for (int i = 0; i < 6; i++)
        power = met_dim_mul(arena, power, power);
    assert_null(met_dim_mul(arena, power, dim_text(t, "n"))); /* written out, it would be long */
    const met_dim *renamed = met_dim_substitute(arena, power, rename_symbol, (void *)dim_text(t, "m"));
    assert_int_equal(renamed->terms[0].factors[0].power, 64);
    assert_null(met_dim_substitute(arena, power, rename_symbol, (void *)dim_text(t, "2")));
    assert_true(met_dim_is_constant(met_dim_substitute(arena, power, rename_symbol, (void *)dim_text(t, "1")), &value));
    assert_int_equal(value, 1);
    /* (n + m)^k has k + 1 terms of k factors, and 45·46 is beyond MET_DIM_WEIGHT. */
    const met_dim *sum = dim_text(t, "n + m"), *product = sum;
    int k = 1;
    for (; product && k < 100; k++)
        product = met_dim_mul(arena, product, sum);
    assert_int_equal(k, 45);
    sum = met_dim_constant(arena, 0);
    for (k = 0; sum && k < 100; k++)
        sum = met_dim_add(arena, sum, met_dim_symbol(arena, (met_size){ (uint32_t)k }));
    assert_int_equal(k, MET_DIM_TERMS + 1);
    met_session_free(t->session);
}

/* Divisions that hold their predecessor twice would be twice as long at every step. */
static void nested_divisions(void **state)
{
    (void)state;
    bench *t = bench_new();
    met_arena *arena = t->session->arena;
    const met_dim *dim = dim_text(t, "n");
    int steps = 0;
    for (; dim && steps < 1000; steps++) {
        const met_dim *half = met_dim_floor_div(arena, met_dim_add(arena, dim, dim_text(t, "m")), 3);
        dim = met_dim_mul(arena, half, met_dim_add(arena, half, dim_text(t, "1")));
    }
    assert_true(steps < 12);
    const met_dim *chain = dim_text(t, "n");
    for (steps = 0; chain && steps < 20000; steps++)
        chain = met_dim_floor_div(arena, met_dim_add(arena, chain, dim_text(t, "m")), 3);
    assert_true(steps < 200);
    met_session_free(t->session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values), cmocka_unit_test(random_laws),      cmocka_unit_test(one_form),
        cmocka_unit_test(limits),        cmocka_unit_test(nested_divisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
