/* Expansions: each composite against plain loops, and expanding beforehand against expanding on the way. */
#include "circuits.h"

#include "ir/check.h"
#include "ir/expand.h"
#include "ir/flops.h"

enum { ROWS = 5, WIDTH = 6, ROOM = 4096 };

/* --- Definitions, written as loops over a row of x --- */

typedef void (*row_fn)(const double *x, double *y, const double *g, const double *b);

static void row_softmax(const double *x, double *y, const double *g, const double *b)
{
    (void)g, (void)b;
    double z = 0;
    for (int i = 0; i < WIDTH; i++)
        z += exp(x[i]);
    for (int i = 0; i < WIDTH; i++)
        y[i] = exp(x[i]) / z;
}

static void row_l1norm(const double *x, double *y, const double *g, const double *b)
{
    (void)g, (void)b;
    double z = 0.25;
    for (int i = 0; i < WIDTH; i++)
        z += fabs(x[i]);
    for (int i = 0; i < WIDTH; i++)
        y[i] = x[i] / z;
}

static void row_l2norm(const double *x, double *y, const double *g, const double *b)
{
    (void)g, (void)b;
    double z = 0.25;
    for (int i = 0; i < WIDTH; i++)
        z += x[i] * x[i];
    for (int i = 0; i < WIDTH; i++)
        y[i] = x[i] / sqrt(z);
}

static void row_maxnorm(const double *x, double *y, const double *g, const double *b)
{
    (void)g, (void)b;
    double z = 0;
    for (int i = 0; i < WIDTH; i++)
        z = fmax(z, fabs(x[i]));
    for (int i = 0; i < WIDTH; i++)
        y[i] = x[i] / (z + 0.25);
}

static void row_rmsnorm(const double *x, double *y, const double *g, const double *b)
{
    (void)b;
    double z = 0;
    for (int i = 0; i < WIDTH; i++)
        z += x[i] * x[i];
    for (int i = 0; i < WIDTH; i++)
        y[i] = x[i] / sqrt(z / WIDTH + 0.25) * (g ? g[i] : 1);
}

static void row_layernorm(const double *x, double *y, const double *g, const double *b)
{
    double mean = 0, variance = 0;
    for (int i = 0; i < WIDTH; i++)
        mean += x[i] / WIDTH;
    for (int i = 0; i < WIDTH; i++)
        variance += (x[i] - mean) * (x[i] - mean) / WIDTH;
    for (int i = 0; i < WIDTH; i++)
        y[i] = (x[i] - mean) / sqrt(variance + 0.25) * (g ? g[i] : 1) + (b ? b[i] : 0);
}

static void row_mean(const double *x, double *y, const double *g, const double *b)
{
    (void)g, (void)b;
    y[0] = 0;
    for (int i = 0; i < WIDTH; i++)
        y[0] += x[i] / WIDTH;
}

static void row_logsumexp(const double *x, double *y, const double *g, const double *b)
{
    (void)g, (void)b;
    double z = 0;
    for (int i = 0; i < WIDTH; i++)
        z += exp(x[i]);
    y[0] = log(z);
}

static const struct row_case {
    const char *program;
    row_fn fn;
    int results;
    bool gain, bias;
} row_cases[] = {
    { "x: n m\nsoftmax[m](x)", row_softmax, WIDTH, false, false },
    { "x: n m\nl1norm[m](x, eps=0.25)", row_l1norm, WIDTH, false, false },
    { "x: n m\nl2norm[m](x, eps=0.25)", row_l2norm, WIDTH, false, false },
    { "x: n m\nmaxnorm[m](x, eps=0.25)", row_maxnorm, WIDTH, false, false },
    { "x: n m\nrmsnorm[m](x, eps=0.25)", row_rmsnorm, WIDTH, true, false },
    { "x: n m\nrmsnorm[m](x, eps=0.25, gain=no)", row_rmsnorm, WIDTH, false, false },
    { "x: n m\nlayernorm[m](x, eps=0.25)", row_layernorm, WIDTH, true, true },
    { "x: n m\nlayernorm[m](x, eps=0.25, bias=no)", row_layernorm, WIDTH, true, false },
    { "x: n m\nlayernorm[m](x, eps=0.25, gain=no)", row_layernorm, WIDTH, false, true },
    { "x: n m\nlayernorm[m](x, eps=0.25, gain=no, bias=no)", row_layernorm, WIDTH, false, false },
    { "x: n m\nmean[m](x)", row_mean, 1, false, false },
    { "x: n m\nlogsumexp[m](x)", row_logsumexp, 1, false, false },
};

static void rows(void **state)
{
    (void)state;
    static const char *const points[] = { "real", "float", "pow2" };
    met_session *session = met_session_new();
    for (size_t k = 0; k < sizeof row_cases / sizeof *row_cases; k++) {
        const struct row_case *c = &row_cases[k];
        const met_circuit *circuit = circuit_of(session, c->program, "n=5,m=6");
        double x[ROWS * WIDTH], g[WIDTH], b[WIDTH];
        assert_true(met_fill("normal", 7, 0, 0, ROWS * WIDTH, x));
        assert_true(met_fill("normal", 7, 1, 0, WIDTH, g));
        assert_true(met_fill("normal", 7, c->gain ? 2 : 1, 0, WIDTH, b));
        for (size_t p = 0; p < 3; p++) {
            const met_tensor *y = run_filled(circuit, "f64", points[p], "normal");
            assert_int_equal(y->count, ROWS * c->results);
            for (int n = 0; n < ROWS; n++) {
                double want[WIDTH], row[WIDTH];
                for (int i = 0; i < WIDTH; i++)
                    row[i] = x[n * WIDTH + i];
                c->fn(row, want, c->gain ? g : NULL, c->bias ? b : NULL);
                expect_close(c->program, (size_t)c->results, y->values + n * c->results, want, 1e-12);
            }
        }
    }
    met_session_free(session);
}

/* Programs with composites of every kind; among them some whose targets are not the last positions. */
static const struct program {
    const char *text;
    const char *set;
} programs[] = {
    { "'q h d, x h d -> h q x' @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'", "q=3,x=5,h=2,d=4" },
    { "x: a b c\nsoftmax[a b c; b](x)", "a=2,b=3,c=4" },
    { "x: a b c\nlayernorm[b c](x)", "a=2,b=3,c=4" },
    { "x: n m\nlinear[m -> g d](x, bias=yes)", "n=3,m=4,g=2,d=3" },
    { "x: n h d\nrope[n h d; n d](x, offset=5, scaling=llama3, factor=8, original=16)", "n=7,h=2,d=8" },
    { "x: n d\nrope[n d](x, style=interleaved, scaling=linear, factor=2)", "n=7,d=6" },
    { "x: n m\nu, v, w = split[m -> a=2, b=3, c=1](x)\n-> w, u, v", "n=2" },
    { "x: n v, i: i32[n]\ncross_entropy[v](x, i)", "n=4,v=7" },
    { "x: n h d\nrope[n h d; n d](x, style=interleaved, scaling=yarn, factor=4, low=1, high=32, original=16, magnitude=1.5)", "n=7,h=2,d=8" },
    { "x: n v\np, i = router[v -> k=2](x, renormalize=yes)\n-> i, p", "n=4,v=7" },
    { "x: n g v\np, i = router[g v -> k=3](x, @bias, scores=sigmoid, top_groups=2, group_score=best_two, scale=2.5)\n-> i, p", "n=4,g=3,v=4" },
    { "x: n m\nlinear[n m; m -> f n](x, @w)", "n=3,m=4,f=2" },
    { "x: n v m\np, i = router[n v m; v -> n k=3 m](x, bias=yes)\n-> i, p", "n=4,m=3,v=4" },
    { "x: n m, s: n e\np, i = router[e -> k=2](s)\ncombine['n k m, n k -> n m'](dispatch['n m, n k -> n k m'](x, i), p)", "n=4,m=3,e=5" },
    { "x: n m\nlogsumexp[m](mask.causal[n m](x))", "n=4,m=7" },
    { "x: n m\nmean[m](l1norm[m](maxnorm[m](l2norm[m](rmsnorm[m](x)))))", "n=4,m=7" },
};

static void same_bytes(void **state)
{
    (void)state;
    static const char *const points[] = { "real", "float", "pow2" };
    static const char *const dtypes[] = { "f64", "f32" };
    met_session *session = met_session_new();
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const met_circuit *circuit = circuit_of(session, programs[k].text, programs[k].set);
        const met_circuit *open = circuit_of(session, programs[k].text, "");
        for (size_t p = 0; p < 3; p++) {
            const met_circuit *expanded = met_circuit_expand(circuit, points[p]);
            const met_circuit *later = met_circuit_bind(met_circuit_expand(open, points[p]), programs[k].set);
            assert_true(met_circuit_check(expanded) && met_circuit_check(met_circuit_expand(open, points[p])));
            for (uint32_t n = 0; n < expanded->node_count; n++)
                assert_int_not_equal(expanded->nodes[n].op->form, MET_FORM_COMPOSITE);
            for (size_t d = 0; d < 2; d++) {
                const met_tensor *y = run_filled(circuit, dtypes[d], points[p], "normal");
                expect_same_bytes(programs[k].text, y, run_filled(expanded, dtypes[d], points[p], "normal"));
                expect_same_bytes(programs[k].text, y, run_filled(later, dtypes[d], points[p], "normal"));
            }
        }
    }
    met_session_free(session);
}

/* Expanding twice is expanding once; names stay unique; outputs, inputs and parameters keep their names. */
static void idempotent(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const met_circuit *circuit = circuit_of(session, programs[k].text, "");
        const met_circuit *once = met_circuit_expand(circuit, "pow2"), *twice = met_circuit_expand(once, "pow2");
        assert_int_equal(once->node_count, twice->node_count);
        assert_int_equal(once->edge_count, twice->edge_count);
        for (uint32_t e = 0; e < once->edge_count; e++) {
            assert_int_equal(once->edges[e].name.id, twice->edges[e].name.id);
            assert_int_equal(once->edges[e].guard_count, twice->edges[e].guard_count);
            for (uint32_t f = 0; f < e; f++)
                assert_int_not_equal(once->edges[e].name.id, once->edges[f].name.id);
        }
        for (uint32_t o = 0; o < circuit->output_count; o++)
            assert_int_equal(circuit->edges[circuit->outputs[o].id].name.id, once->edges[once->outputs[o].id].name.id);
        assert_int_equal(circuit->parameter_count, once->parameter_count);
    }
    assert_null(met_circuit_expand(circuit_of(session, "x: n\nexp(x)", ""), "fixed"));
    assert_int_equal(met_session_error_count(session), 1);
    met_session_free(session);
}

/* The listing of an expanded circuit is a program that means the same, to the byte. */
static void listings(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const met_circuit *expanded = met_circuit_expand(circuit_of(session, programs[k].text, programs[k].set), "pow2");
        const char *listing = met_circuit_listing(expanded, true);
        const met_circuit *again = circuit_of(session, listing, "");
        assert_string_equal(met_circuit_listing(again, true), listing);
        expect_same_bytes(listing, run_filled(expanded, "f32", "pow2", "normal"), run_filled(again, "f32", "pow2", "normal"));
    }
    met_session_free(session);
}

/* rope by its definition: the pair (u, v) at position p turns by p·theta^(-2j/d). */
static double rope_element(const double *x, int p, int i, int d, bool half, double scale)
{
    int j = half ? i % (d / 2) : i / 2;
    double angle = p * pow(10000, -2.0 * j / d) * scale;
    double u = half ? x[j] : x[2 * j], v = half ? x[j + d / 2] : x[2 * j + 1];
    bool first = half ? i < d / 2 : i % 2 == 0;
    return first ? u * cos(angle) - v * sin(angle) : u * sin(angle) + v * cos(angle);
}

static void rope(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        bool half;
        double scale;
    } ropes[] = {
        { "x: n h d\nrope[n h d; n d](x, offset=11)", true, 1 },
        { "x: n h d\nrope[n h d; n d](x, offset=11, style=interleaved)", false, 1 },
        { "x: n h d\nrope[n h d; n d](x, offset=11, scaling=linear, factor=4)", true, 0.25 },
        { "x: n h d\nlet p = 11\nrope[n h d; n d](x, offset=p)", true, 1 },
    };
    met_session *session = met_session_new();
    for (size_t k = 0; k < sizeof ropes / sizeof *ropes; k++) {
        const met_circuit *circuit = circuit_of(session, ropes[k].program, "n=4,h=2,d=6");
        double x[4 * 2 * 6];
        met_fill("normal", 7, 0, 0, 48, x);
        const met_tensor *y = run_filled(circuit, "f64", "real", "normal");
        for (int e = 0; e < 48; e++) {
            double want = rope_element(x + e / 6 * 6, e / 12 + 11, e % 6, 6, ropes[k].half, ropes[k].scale);
            expect_close(ropes[k].program, 1, &y->values[e], &want, 1e-12);
        }
    }
    met_session_free(session);
}

/* Llama 3.1: frequencies of long waves are divided by the factor, of short ones kept, and blended in between. */
static void rope_llama3(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(
        session, "x: n d\nrope[n d](x, theta=500000, scaling=llama3, factor=8, low=1, high=4, original=64)", "n=9,d=8");
    double x[72];
    met_fill("normal", 7, 0, 0, 72, x);
    const met_tensor *y = run_filled(circuit, "f64", "real", "normal");
    int kept = 0, divided = 0, blended = 0;
    for (int e = 0; e < 72; e++) {
        int p = e / 8, i = e % 8, j = i % 4;
        double freq = pow(500000, -2.0 * j / 8), wave = 2 * acos(-1) / freq, smooth = (64 / wave - 1) / (4 - 1);
        if (wave > 64 / 1.0)
            freq /= 8, divided++;
        else if (wave < 64 / 4.0)
            kept++;
        else
            freq = (1 - smooth) * freq / 8 + smooth * freq, blended++;
        double u = x[p * 8 + j], v = x[p * 8 + j + 4], angle = p * freq;
        double want = i < 4 ? u * cos(angle) - v * sin(angle) : v * cos(angle) + u * sin(angle);
        expect_close("llama3", 1, &y->values[e], &want, 1e-12);
    }
    assert_true(kept && divided);
    (void)blended;
    met_session_free(session);
}

/* YaRN: pairs that turn more than `high` times within `original` positions keep their frequency, those that turn fewer than
 * `low` times are divided by the factor, with a straight ramp over whole pairs in between; everything grows by `magnitude`. */
static void rope_yarn(void **state)
{
    (void)state;
    enum { PAIRS = 32, PLACES = 5 };
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session,
                                            "x: n d\nrope[n d](x, theta=10000, style=interleaved, scaling=yarn, factor=40, low=1, high=32, "
                                            "original=4096, magnitude=1.25)", "n=5,d=64");
    double x[PLACES * 2 * PAIRS];
    met_fill("normal", 7, 0, 0, PLACES * 2 * PAIRS, x);
    const met_tensor *y = run_filled(circuit, "f64", "real", "normal");
    /* pair j turns 4096 theta^(-2j/64)/2π times: 32 times at j = 10.5, once at 22.5 */
    double begin = floor(PAIRS * log(4096 / (32 * 2 * acos(-1))) / log(10000)), end = ceil(PAIRS * log(4096 / (2 * acos(-1))) / log(10000));
    assert_true(begin == 10 && end == 23);
    for (int e = 0; e < PLACES * 2 * PAIRS; e++) {
        int p = e / (2 * PAIRS), j = e % (2 * PAIRS) / 2;
        double ramp = fmin(fmax((j - begin) / (end - begin), 0), 1), freq = pow(10000, -j / (double)PAIRS);
        double angle = p * (freq / 40 * ramp + freq * (1 - ramp)), u = x[e - e % 2], v = x[e - e % 2 + 1];
        double want = 1.25 * (e % 2 == 0 ? u * cos(angle) - v * sin(angle) : v * cos(angle) + u * sin(angle));
        expect_close("yarn", 1, &y->values[e], &want, 1e-12);
    }
    met_session_free(session);
}

static void flops(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    uint64_t n;
    const met_circuit *circuit = circuit_of(session, "'a b, b c -> a c'", "a=3,b=5,c=7");
    assert_true(met_circuit_flops(circuit, &n));
    assert_int_equal(n, 2 * 3 * 5 * 7);
    circuit = circuit_of(session, "x: n m\nlinear[m -> f](x, bias=yes)", "n=3,m=5,f=7");
    assert_true(met_circuit_flops(circuit, &n));
    assert_int_equal(n, 2 * 3 * 5 * 7 + 3 * 7);
    assert_true(met_circuit_parameter_count(circuit, &n));
    assert_int_equal(n, 5 * 7 + 7);
    circuit = circuit_of(session, "x: n m\nsoftmax[m](x)", "n=3,m=5");
    assert_true(met_circuit_flops(circuit, &n));
    assert_int_equal(n, 15 + 2 * 15 + 15 + 15); /* max, exp of a difference, sum, quotient */
    assert_false(met_circuit_flops(circuit_of(session, "x: n m\nsoftmax[m](x)", "n=3"), &n));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows), cmocka_unit_test(same_bytes),  cmocka_unit_test(idempotent), cmocka_unit_test(listings),
        cmocka_unit_test(rope), cmocka_unit_test(rope_llama3), cmocka_unit_test(rope_yarn),
        cmocka_unit_test(flops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
