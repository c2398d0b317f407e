/* Bounds of circuits against exact arithmetic: random circuits and inputs, at all points, along many trees. What a run is off
 * from the reals is never more than its budget says; and where it says nothing, that is rare. A failure prints the program.
 * -DMET_PROPERTY_ROUNDS=3000 makes more of them. */
#include <stdio.h>

#include "budget_run.h"

#include "budget/term.h"
#include "support/random.h"

#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 120
#endif

enum { STEPS = 6, ROOM = 32768 };

typedef struct tally {
    int results, unbounded, near; /* near: the bound is under a thousand times what was found */
} tally;

static void expect_within(const met_budget *budget, exact_run *exact, const char *what, tally *t)
{
    const met_budget_distance *d = met_budget_compose(budget->settled->written->arena, 1, &budget, MET_TERMS_BOUND);
    for (size_t k = 0; k < budget->result_count; k++) {
        const met_budget_result *r = &budget->results[k];
        uint32_t edge = edge_called(exact->run.circuit, r->name);
        if (edge == MET_NONE || exact->run.elements[edge] != r->elements)
            continue;
        double found = farthest(budget->values[r->edge.id], exact->values[edge], r->elements);
        if (!(found <= r->error) || !(found <= d[k].d))
            fail_msg("%s\n`%s` is off by %g, and may be by %g, composed %g", what, r->name, found, r->error, d[k].d);
        t->results++;
        t->unbounded += isinf(r->error) ? 1 : 0;
        t->near += r->error == 0 || r->error < 1000 * found;
    }
}

/* Of n ≤ λ² units roundoff, λ·√Σu² ≥ Σu (Cauchy and Schwarz): with so large a λ the probabilistic form is a bound of the few
 * roundings here, if it has them all. */
enum { LAMBDA = 24 };

static void try_point(const met_circuit *circuit, const met_eval_options *options, double lambda, const char *text, tally *t)
{
    met_session *session = circuit->session;
    met_point point, real = met_point_of(MET_F64);
    real.division = MET_DIVISION_EAGER;
    if (!met_eval_point(session, options, &point))
        fail_msg("%s", met_session_diagnostics_text(session));
    const met_settled *settled = met_settled_new(circuit, &point), *reals = met_settled_new(circuit, &real);
    assert_true(settled && reals);
    met_budget_request request = { .options = options, .whole = true, .lambda = lambda };
    const met_budget *budget = met_budget_of(settled, &request);
    if (!budget)
        fail_msg("%s\n%s", text, met_session_diagnostics_text(session));
    if (budget->refused)
        return;
    exact_run *exact = exact_run_new(reals->circuit, &real, options, sources_of(settled->circuit, options));
    met_text what = met_text_new(session->arena);
    met_text_format(&what, "%s\n--dtype %s --numerics %s --tree %s --division %s --fill %s --seed %d --lambda %g", text, options->dtype,
                    options->numerics, options->tree ? options->tree : "-", options->division, options->fill, (int)options->seed, lambda);
    expect_within(budget, exact, met_text_done(&what), t);
    exact_run_free(exact);
}

static met_eval_options options_of(uint64_t seed)
{
    static const char *const dtypes[] = { "f32", "bf16", "f16", "f64" }, *const numerics[] = { "pow2", "float", "pow2" };
    static const char *const divisions[] = { "default", "deferred", "eager" };
    static const char *const trees[] = {
        NULL, "pairwise", "sequential, mul_add", "adjacent, first", "lanes16, store bf16", "sequential, rz", "reverse", "halves",
        "strided 4 sequential lane then pairwise, mul_add", "sequential, matrix 4+c F24 rz", "sequential, pairs",
        "sequential, matrix 16+c F25 rz", "strided 2 pairwise lane then sequential, store f16",
        "sequential, matrix 16+c F25 rne f16", "sequential, matrix 8 F24 rne", "sequential, matrix 32+c F13 rz keep 13",
        "sequential, f64", "lanes4, combine f64", "lanes8, flush", "contiguous n/2 sequential thread then adjacent, tail apart 2", "lanes4, tail after 4",
    };
    /* of data in f64, terms and factors are rounded to what a record is in */
    static const char *const wide[] = {
        NULL, "pairwise", "lanes16, f32", "sequential, f32, mul_add, store bf16", "halves, f32", "sequential, f32, matrix 4+c F24 rz",
        "lanes2, first, f32, combine f64",
    };
    enum { TREES = sizeof trees / sizeof *trees };
    random_source r = { seed };
    met_eval_options options = { .dtype = dtypes[random_below(&r, 4)], .numerics = numerics[random_below(&r, 3)],
                                 .division = divisions[random_below(&r, 3)], .tree = trees[random_below(&r, TREES)],
                                 .fill = random_below(&r, 2) ? "normal" : "wave", .seed = seed };
    if (strcmp(options.dtype, "f64") == 0)
        options.tree = wide[random_below(&r, sizeof wide / sizeof *wide)];
    if (random_below(&r, 8) == 0)
        options.fill = "zeros";
    return options;
}

static void test_random_circuits(void **state)
{
    (void)state;
    static char text[ROOM];
    tally t = { 0 };
    for (uint64_t seed = 1; seed <= MET_PROPERTY_ROUNDS; seed++) {
        met_session *session = met_session_new();
        random_equations(seed, STEPS, text, ROOM);
        const met_circuit *circuit = circuit_of(session, text, "");
        const char *set = random_sizes_of(circuit);
        circuit = *set ? met_circuit_bind(circuit, set) : circuit;
        met_eval_options options = options_of(seed);
        try_point(circuit, &options, seed % 5 == 0 ? LAMBDA : 0, text, &t);
        met_session_free(session);
    }
    if (getenv("MET_TALLY"))
        printf("%d results, %d unbounded, %d near\n", t.results, t.unbounded, t.near);
    /* bounds that say nothing would hold as well */
    assert_true(t.results > 3 * MET_PROPERTY_ROUNDS);
    assert_true(4 * t.unbounded < t.results);
    assert_true(2 * t.near > t.results);
}

/* Attention whose scores are large and far off, behind which divisions move or stay; weights in formats of their own; norms of
 * what may be 0. That they have a bound at all is the point; `whole` carries errors of scores from before. */
static void test_attention(void **state)
{
    (void)state;
    static const char *const programs[] = {
        "q: n=3 h=2 d=8, k: x=7 h=2 d=8, v: x=7 h=2 e=3\n"
        "s = mask.causal[n x](scale('n h d, x h d -> h n x'(q, k), %s))\no = 'h n x, x h e -> n h e'(softmax[x](s), v)\n-> o",
        "q: n=3 d=8, k: x=7 d=8, v: x=7 e=3\nt = scale('n d, x d -> n x'(q, k), %s)\n"
        "p = softmax[x](t)\no = 'n x, x e -> n e'(p, v)\nl = logsumexp[x](t)\n-> o, p, l",
        "x: n=3 m=6, w: m=6 k=4\na = scale('n m, m k -> n k'(x, w), %s)\ny = rmsnorm[k](a, gain=no)\nz = layernorm[k](y)\n"
        "u = silu(scale(z, %s))\nt = gelu_tanh(scale(y, 40))\n-> u, t",
        "q: n=3 d=8, k: x=7 d=8, v: x=7 e=3\nt = scale('n d, x d -> n x'(q, k), %s)\n"
        "p = cast(softmax[x](t), f16)\no = 'n x, x e -> n e'(p, v)\n-> o",
    };
    static const char *const scales[] = { "0.3", "4", "37" }, *const numerics[] = { "pow2", "float" };
    static const char *const dtypes[] = { "bf16", "f16", "f32" }, *const divisions[] = { "deferred", "eager", "default" };
    tally t = { 0 };
    enum { WAYS = 3 * 2 * 3 * 3, PROGRAMS = sizeof programs / sizeof *programs };
    for (size_t k = 0; k < (MET_PROPERTY_ROUNDS > 1000 ? 40 : 1) * WAYS * PROGRAMS; k++) {
        met_session *session = met_session_new();
        char text[512];
        snprintf(text, sizeof text, programs[k / WAYS % PROGRAMS], scales[k % 3], scales[k % 3]);
        const met_circuit *circuit = circuit_of(session, text, "");
        met_eval_options options = { .dtype = dtypes[k / 3 % 3], .numerics = numerics[k / 9 % 2], .fill = "normal", .seed = k,
                                     .division = divisions[k / 18 % 3] };
        try_point(circuit, &options, 0, text, &t);
        met_session_free(session);
    }
    if (getenv("MET_TALLY"))
        printf("%d results, %d unbounded, %d near\n", t.results, t.unbounded, t.near);
    assert_int_equal(t.unbounded, 0);
    assert_true(5 * t.near > 4 * t.results);
}

/* What random circuits seldom put together: normalizers that meet contractions, where divisions move and integers rescale. */
static void test_programs(void **state)
{
    (void)state;
    static const char *const programs[] = {
        "q: n=3 h=2 d=4, k: x=5 h=2 d=4, v: x=5 h=2 e=3\n"
        "s = mask.causal[n x](scale('n h d, x h d -> h n x'(q, k), 0.5))\no = 'h n x, x h e -> n h e'(softmax[x](s), v)\n-> o",
        "x: n=3 m=6, w: n=3 m=6\ny = mul(rmsnorm[m](x, gain=no), w)\nz = silu(y)\n-> z",
        "x: n=3 m=6\ny = logsumexp[m](x)\nz = layernorm[m](x)\nw = l2norm[m](x)\n-> y, z, w",
        "x: n=4 m=6, v: m=6 e=2\nw = l1norm[m](exp(x))\ny = 'n m, m e -> n e'(w, v)\n-> y",
        /* recurrences: rows before and behind the steps, states that are summed and some that are not, products and sums */
        "s: h=2 k=3 v=2, q: h=2 n=4 k=3, c: h=2 n=4 v=2, f: h=2 n=4\n"
        "t = map['h n -> h n'](f, { 1/(1 + exp(0 - a)) })\n"
        "y, z = scan['h k v, h n k, h n v, h n -> h n v, h k v'](s, q, c, t, { d*a + b*(c - e) }, { a*(b*64) }, { a*b })\n-> y, z",
        "h: d=3 c=2, x: n=4 c=2\ny, z = scan['d c, n c -> n d, d c'](h, x, { (a + b)/2 + c/8 }, { a*exp(b) }, { abs(a)*b })\n-> y, z",
        "h: d=3, x: d=3 n=5\ny, z = scan['d, d n -> d n, d'](h, x, { a/3 + b*b + c/5 }, { a + b }, { a - b })\n-> y, z",
        "x: n=4 m=8\ny = rope[n m; n m](x)\ng = gelu(y)\nt = gelu_tanh(y)\ns = softplus(x)\n-> g, t, s",
    };
    static const char *const dtypes[] = { "f32", "bf16", "f16", "f64" }, *const numerics[] = { "pow2", "float" };
    static const char *const divisions[] = { "deferred", "eager" }, *const fills[] = { "wave", "normal" };
    tally t = { 0 };
    for (size_t k = 0; k < 16 * sizeof programs / sizeof *programs; k++) {
        met_session *session = met_session_new();
        const char *text = programs[k / 16];
        const met_circuit *circuit = circuit_of(session, text, "");
        met_eval_options options = { .dtype = dtypes[k % 4], .numerics = numerics[k / 4 % 2], .division = divisions[k / 8 % 2],
                                     .fill = fills[k % 2], .seed = k };
        try_point(circuit, &options, 0, text, &t);
        met_session_free(session);
    }
    if (getenv("MET_TALLY"))
        printf("%d results, %d unbounded, %d near\n", t.results, t.unbounded, t.near);
    assert_true(8 * t.unbounded < t.results);
    assert_true(50 * t.near > 49 * t.results);
}

/* What was once found to be off by more than its budget, each under the options that showed it. */
static void test_found(void **state)
{
    (void)state;
    static const char sum[] = "w: n=1\nv = sum[n](w)\n-> v", dot[] = "a: n=1, b: n=1\nv = 'n, n -> '(a, b)\n-> v",
                      mean[] = "s: n=2 x=1, v: x=1 e=2\nw = softmax[x](s)\no = 'n x, x e -> n e'(w, v)\n-> o",
                      most[] = "a: n=3\nv = max[n](a)\n-> v", wide[] = "x: f64[n=5]\nv = neg(x)\n-> v",
                      two[] = "x: n=5 m=40, w: n=5 m=40\nv = 'n m, m k -> n k'(x, 'n m, n k -> m k'(w, x))\n-> v";
    /* 0 by 0, and 0 times that; with a row in which nothing is visible, whose sum is 0 */
    static const char sphere[] = "s: n=2 x=2, v: x=2 e=1, u: e=1 f=2\nt = mask.causal[n x](s)\nw = l2norm[x](t)\n"
                                 "y = 'n x, x e -> n e'(w, v)\nz = 'n e, e f -> n f'(y, u)\n-> z";
    static const char blind[] = "s: n=3 x=2, v: x=2 e=1\nt = mask.causal[n x](s)\nw = l1norm[x](exp(t))\n"
                                "y = 'n x, x e -> n e'(w, v)\n-> y";
    /* whether something is 0 that is so small that it is lost; factors that are flushed */
    static const char some[] = "a: n=3 m=2, b: m=2 k=2\nt = map['n m -> n m'](a, { (1 + a*0.0000000001) - 1 })\n"
                               "y = 'n m, m k -> n k'(t, b, semiring=or_and)\n-> y";
    static const char tiny[] = "a: n=3 m=8, b: m=8 k=2\n"
                               "v = 'n m, m k -> n k'(scale(a, 0.000000000000000000000000000000000000001), scale(b, 1000))\n-> v",
                      gone[] = "a: n=3 m=8, b: m=8 k=2\nt = mask.causal[n m](scale(a, 0.000000000000000000000000000000000000001))\n"
                               "v = 'n m, m k -> n k'(t, scale(b, 1000))\n-> v";
    static const struct {
        const char *text, *dtype, *tree, *fill;
        double lambda;
        bool bounded;
    } cases[] = {
        { sum, "f64", "lanes16, f32", "normal", 0, true }, { mean, "f64", "lanes16, f32", "normal", 0, true },
        { dot, "f64", "lanes16, f32", "normal", 0, true },
        { dot, "f64", "sequential, f32, matrix 8 F24 rne", "normal", 0, true }, { most, "f64", "sequential, f32", "normal", 0, true },
        { dot, "f32", "sequential, f64", "normal", 0, true }, { two, "f32", "lanes4, store bf16", "normal", LAMBDA, true },
        { two, "f32", "sequential, matrix 16+c F13 rne", "normal", LAMBDA, true }, { sphere, "f32", NULL, "zeros", 0, false },
        { sphere, "f64", NULL, "zeros", 0, false }, { blind, "f32", NULL, "wave", 0, true },
        { wide, "f32", NULL, "normal", 0, true }, { some, "f32", NULL, "normal", 0, true }, { tiny, "f32", "sequential, flush", "normal", 0, true },
        { gone, "f32", "sequential, flush", "normal", 0, true },
    };
    enum { CASES = sizeof cases / sizeof *cases, SEEDS = 8 };
    for (size_t i = 0; i < CASES * SEEDS; i++) {
        size_t k = i / SEEDS;
        met_session *session = met_session_new();
        tally t = { 0 };
        met_eval_options options = { .dtype = cases[k].dtype, .tree = cases[k].tree, .fill = cases[k].fill, .seed = i % SEEDS };
        try_point(circuit_of(session, cases[k].text, ""), &options, cases[k].lambda, cases[k].text, &t);
        if (t.results == 0 || (t.unbounded == 0) != cases[k].bounded)
            fail_msg("case %d: %d results, %d without a bound", (int)k, t.results, t.unbounded);
        met_session_free(session);
    }
}

static const met_budget *budget_of(met_session *session, const char *text, const char *sizes, const met_eval_options *options, bool whole)
{
    met_point point;
    assert_true(met_eval_point(session, options, &point));
    met_budget_request request = { .options = options, .whole = whole };
    const met_budget *budget = met_budget_of(met_settled_new(circuit_of(session, text, sizes), &point), &request);
    assert_non_null(budget);
    return budget;
}

/* Ids that may be others make what they read unknown; where they are certain, it is exact. */
static void test_ids(void **state)
{
    (void)state;
    static const char *const fills[] = { "normal", "ones" };
    for (int tied = 0; tied < 2; tied++) {
        met_session *session = met_session_new();
        met_eval_options options = { .dtype = "f32", .fill = fills[tied], .seed = 1 };
        const met_budget *budget = budget_of(session, "s: n=2 e=6, w: n=2 e=6\ny = gather[e](w, argmax[e](softmax[e](s)))\n-> y", "",
                                             &options, true);
        double error = budget->results[budget->result_count - 1].error;
        if (error != (tied ? (double)INFINITY : 0))
            fail_msg("fill %s: %g", fills[tied], error);
        met_session_free(session);
    }
}

/* The distance from the reals is from those of the numbers that the run begins with. */
static void test_measured(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_eval_options options = { .dtype = "f32", .fill = "normal", .seed = 1 };
    assert_true(budget_of(session, "x: n=5\ny = neg(x)\n-> y", "", &options, false)->results[0].measured == 0);
    const met_budget_result *sum = &budget_of(session, "x: n=50\ny = sum[n](x)\n-> y", "", &options, false)->results[0];
    assert_true(sum->measured > 0 && sum->measured <= sum->error);
    met_session_free(session);
}

static double number_behind(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    if (!at)
        fail_msg("no `%s` in: %s", words, text);
    return strtod(at + strlen(words), NULL);
}

/* The words beside ε are those that it follows from: roundings make a share, and the share of Σ|x| is ε. Inputs are exact, and
 * nothing is rounded but by the record. */
static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *tree;
        int nodes, width, cut, round; /* N nodes that cut width·2^cut and round by 2^round … */
        int roundings, unit;          /* … and roundings of 2^unit */
        int stores, to;
    } cases[] = {
        { "sequential", 0, 0, 0, 0, 48, -24, 0, 0 },
        { "lanes16", 0, 0, 0, 0, 7, -24, 0, 0 }, /* two in a lane, four across, one for the product */
        { "sequential, rz", 0, 0, 0, 0, 48, -23, 0, 0 },
        { "sequential, matrix 16+c F25 rz", 3, 17, -25, -23, 0, 0, 0, 0 },
        { "sequential, matrix 8 F24 rne", 6, 9, -24, -23, 0, 0, 0, 0 }, /* the accumulator is added behind, with a rounding more */
        { "sequential, matrix 32+c F13 rz keep 13", 2, 33, -13, -13, 0, 0, 0, 0 },
        { "lanes16, store bf16", 0, 0, 0, 0, 7, -24, 8, -8 },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        met_session *session = met_session_new();
        met_eval_options options = { .dtype = "f32", .numerics = "pow2", .division = "default", .tree = cases[k].tree,
                                     .fill = "normal", .seed = 1 };
        const met_budget *budget = budget_of(session, "'i k, j k -> i j'", "k=48,i=1,j=1", &options, false);
        const char *why = budget->groups[0].why;
        double theta, share, path = 0, cut = ldexp(cases[k].width, cases[k].cut);
        char words[96] = "";
        if (cases[k].nodes) {
            snprintf(words, sizeof words, "%d nodes that cut %d\xc2\xb7" "2^%d and round by 2^%d, ", cases[k].nodes, cases[k].width,
                     cases[k].cut, cases[k].round);
            path = cases[k].nodes * (cut + ldexp(1, cases[k].round)) + cut;
        } else if (cases[k].stores) {
            snprintf(words, sizeof words, "%d roundings of 2^%d, %d stores of 2^%d, ", cases[k].roundings, cases[k].unit,
                     cases[k].stores, cases[k].to);
        } else {
            snprintf(words, sizeof words, "%d roundings of 2^%d, ", cases[k].roundings, cases[k].unit);
        }
        theta = cases[k].roundings * ldexp(1, cases[k].unit) + cases[k].stores * ldexp(1, cases[k].to);
        share = number_behind(why, words);
        double want = met_budget_gamma(theta) + met_budget_gamma(path), sum = number_behind(why, "\xce\xa3|x| ");
        /* both numbers have three digits, the share upwards: up to 1 % and 0.5 % */
        assert_true(share >= want * 0.9999 && share <= 1.01 * want);
        assert_true(budget->results[0].eps <= share * sum * 1.006 && budget->results[0].eps >= share * sum * 0.984);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_random_circuits), cmocka_unit_test(test_programs),
                                        cmocka_unit_test(test_found), cmocka_unit_test(test_attention),
                                        cmocka_unit_test(test_words), cmocka_unit_test(test_ids), cmocka_unit_test(test_measured) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
