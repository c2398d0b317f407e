/* What rules say of formats changes what groups cost: `writes`, `holds`, `stored`, and formats that others store. All bytes
 * here are counted by hand: n = 4 rows of m = 64 values. */
#include "lowerings.h"

enum { ROWS = 4, WIDTH = 64, VALUES = ROWS * WIDTH, GAIN = WIDTH * 4 };

static const met_lowering_group *group_at(const met_lowering *lowering, uint32_t node)
{
    return &lowering->groups[lowering->group_of[node]];
}

static bench bench_in(const char *program)
{
    return bench_of(program, "n=4,m=64");
}

/* --- A residual in f32 --- */

static const char residual[] = "x: bf16[n m]\nh: bf16[n m]\ny = add(x, h)\nu = rmsnorm[m](y)\nz = neg(y)\nw = mul(u, z)\n-> w\n";

static void what_is_stored_wider_costs_writer_and_readers_more(void **state)
{
    (void)state;
    met_lowerer planners[] = { MET_LOWER_GREEDY, MET_LOWER_NONE };
    for (size_t p = 0; p < 2; p++) {
        bench b = bench_in(residual);
        put_singles(&b);
        put_rule(&b.rules, "wide", 100, "{ op = \"add\", writes = \"f32\" }", "");
        const met_lowering *lowering = lower(&b, planners[p]);
        bool wide = planners[p] == MET_LOWER_GREEDY; /* the reference takes nothing that stores other formats */
        assert_string_equal(groups_of(&b, lowering), wide ? "wide:0 one:1 one:2 one:3" : "one:0 one:1 one:2 one:3");
        double y = VALUES * (wide ? 4 : 2), other = VALUES * 2;
        assert_true(group_at(lowering, 0)->price.bytes == 2 * other + y);
        assert_true(group_at(lowering, 1)->price.bytes == y + GAIN + other);
        assert_true(group_at(lowering, 2)->price.bytes == y + other);
        assert_true(group_at(lowering, 3)->price.bytes == 3 * other);
        assert_true(group_at(lowering, 1)->parts.bytes == 2 * other + GAIN);
        met_price again;
        met_lowering_prices(lowering, 1, &b.pricing, &again);
        assert_true(again.bytes == lowering->price.bytes && again.seconds == lowering->price.seconds);
        met_session_free(b.session);
    }
}

/* Writing f32 moves more, so the exact planner goes without; if it must, it knows what readers pay. */
static void the_exact_plan_knows_what_readers_pay(void **state)
{
    (void)state;
    bench b = bench_in(residual);
    put_singles(&b);
    put_rule(&b.rules, "wide", 100, "{ op = \"add\", writes = \"f32\" }", "");
    const met_lowering *lowering = lower(&b, MET_LOWER_EXACT);
    assert_string_equal(groups_of(&b, lowering), "one:0 one:1 one:2 one:3");
    assert_true(lowering->proven);
    met_session_free(b.session);

    b = bench_in(residual);
    put_rule(&b.rules, "one", 10, "{ op = [\"rmsnorm\", \"neg\", \"mul\"] }", "");
    put_rule(&b.rules, "wide", 100, "{ op = \"add\", writes = \"f32\" }", "");
    lowering = lower(&b, MET_LOWER_EXACT);
    assert_string_equal(groups_of(&b, lowering), "wide:0 one:1 one:2 one:3");
    assert_true(lowering->price.bytes == VALUES * (2 * 2 + 4 + 2 * (4 + 2) + 3 * 2) + GAIN);
    assert_true(lowering->proven && lowering->price.seconds <= lowering->bound_s * (1 + 1e-9));
    met_session_free(b.session);
}

/* Narrow is dearer for who writes it here (two launches), and cheaper by more for who reads it: a planner that prices groups
 * without their neighbours' formats does not find it. */
static void the_exact_plan_takes_what_pays_at_the_readers(void **state)
{
    (void)state;
    static const char program[] = "x: f32[n m]\ny = neg(x)\na = exp(y)\nb = abs(y)\nc = sqrt(y)\n-> a, b, c\n";
    for (int big = 0; big < 2; big++) {
        bench b = bench_of(program, big ? "n=4096,m=64" : "n=4,m=64");
        put_singles(&b);
        put_rule(&b.rules, "narrow", 5, "{ op = \"neg\", writes = \"bf16\" }", "repeat = \"chunk\"\nchunk = 3");
        b.options.rows = 6;
        const met_lowering *lowering = lower(&b, MET_LOWER_EXACT);
        /* 4096·64·2 bytes at 10 GB/s are 52 µs a reader; at n = 4, 0.05 µs, and a launch is 1 µs */
        assert_string_equal(groups_of(&b, lowering), big ? "narrow:0 one:1 one:2 one:3" : "one:0 one:1 one:2 one:3");
        met_session_free(b.session);
    }
}

/* --- Held and stored --- */

static void what_is_stored_in_any_case_is_paid(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        bench b = bench_in("x: n m\na = neg(x)\nb = exp(a)\n-> b\n");
        put_rule(&b.rules, "pair", 100, stored ? "{ op = \"neg\", stored = true }, { op = \"exp\" }" : "{ op = \"neg\" }, { op = \"exp\" }", "");
        assert_true(lower(&b, MET_LOWER_GREEDY)->price.bytes == VALUES * 4 * (stored ? 3 : 2));
        assert_true(lower(&b, MET_LOWER_EXACT)->price.bytes == VALUES * 4 * (stored ? 3 : 2));
        met_session_free(b.session);
    }
}

/* What is handed on inside in f32 moves nothing, but is computed with at the peak of f32. */
static void what_is_held_decides_the_peak(void **state)
{
    (void)state;
    double seconds[2];
    for (int held = 0; held < 2; held++) {
        bench b = bench_in("x: bf16[n m]\na = neg(x)\nb = exp(a)\n-> b\n");
        put_rule(&b.rules, "pair", 100, held ? "{ op = \"neg\", holds = \"f32\" }, { op = \"exp\" }" : "{ op = \"neg\" }, { op = \"exp\" }", "");
        lower(&b, MET_LOWER_GREEDY);
        met_device device = *b.pricing.device;
        device.peak[MET_PEAK_F32] = 1e6; /* so slow that arithmetic decides */
        device.peak[MET_PEAK_BF16] = 4e6;
        b.pricing.device = &device;
        const met_lowering *lowering = lower(&b, MET_LOWER_GREEDY);
        assert_true(lowering->price.bytes == VALUES * 4);
        seconds[held] = lowering->price.seconds - device.launch_s;
        met_session_free(b.session);
    }
    assert_true(seconds[1] > seconds[0] * 1.5);
}

/* --- A norm that quantizes --- */

/* A byte a value and an f32 scale for every 32. What the norm gives, in f32 here, moves not at all where it is held, once more
 * where it is stored too, and twice between two kernels. */
static void a_norm_that_quantizes_stores_values_and_scales(void **state)
{
    (void)state;
    static const struct { const char *first, *second; double u; } cases[] = {
        { "{ op = \"rmsnorm\", holds = \"f32\" }, { op = \"quantize\" }", NULL, 0 },
        { "{ op = \"rmsnorm\", writes = \"f32\", stored = true }, { op = \"quantize\" }", NULL, VALUES * 4 },
        { "{ op = \"rmsnorm\", writes = \"f32\" }", "{ op = \"quantize\" }", 2 * VALUES * 4 },
        { "{ op = \"rmsnorm\" }", "{ op = \"quantize\" }", 2 * VALUES * 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b = bench_in("x: bf16[n m]\nu = rmsnorm[m](x)\nq = quantize[m](u, format=fp8/g32)\n-> q\n");
        put_rule(&b.rules, "first", 100, cases[i].first, "");
        if (cases[i].second)
            put_rule(&b.rules, "second", 100, cases[i].second, "");
        double q = VALUES + VALUES / 32 * 4;
        assert_true(lower(&b, MET_LOWER_GREEDY)->price.bytes == VALUES * 2 + GAIN + q + cases[i].u);
        assert_true(lower(&b, MET_LOWER_EXACT)->price.bytes == VALUES * 2 + GAIN + q + cases[i].u);
        met_session_free(b.session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_stored_wider_costs_writer_and_readers_more),
        cmocka_unit_test(the_exact_plan_knows_what_readers_pay),
        cmocka_unit_test(the_exact_plan_takes_what_pays_at_the_readers),
        cmocka_unit_test(what_is_stored_in_any_case_is_paid),
        cmocka_unit_test(what_is_held_decides_the_peak),
        cmocka_unit_test(a_norm_that_quantizes_stores_values_and_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
