/* What running means: guards, formats, trees, states, inputs, limits. */
#include <stdio.h>

#include "circuits.h"
#include "number/encode.h"

#include "on_session.h"

static const met_tensor *run_values(const char *program, const char *set, const char *dtype, size_t count,
                                    const double *const *values)
{
    met_eval_options options = { .dtype = dtype };
    return run_flat(circuit_of(session, program, set), &options, count, values)->arrays[0].tensor;
}

/* --- Guards --- */

/* Attention over the keys that `visible` says, by loops; every array row-major with one head and width 1. */
static double attend(int q, int queries, int keys, const double *a, const double *k, const double *v,
                     bool (*visible)(int q, int x, int queries, int keys))
{
    double z = 0, o = 0;
    for (int x = 0; x < keys; x++) {
        if (!visible(q, x, queries, keys))
            continue;
        z += exp(a[q] * k[x]);
        o += exp(a[q] * k[x]) * v[x];
    }
    return z > 0 ? o / z : 0;
}

static bool causal(int q, int x, int queries, int keys)
{
    return x <= q + keys - queries;
}

static bool window(int q, int x, int queries, int keys)
{
    int slack = q + keys - queries - x;
    return slack >= 0 && slack < 3;
}

static bool odd(int q, int x, int queries, int keys)
{
    (void)queries, (void)keys;
    return q + 2 * x >= 4 && x <= 4;
}

static void masks(void **state)
{
    (void)state;
    static const struct {
        const char *mask;
        bool (*visible)(int, int, int, int);
    } kinds[] = { { "mask.causal[q x]", causal },
                  { "mask.window[q x](3)", window },
                  { "mask[q x](keep={ i_q + 2*i_x >= 4 && i_x <= 4 })", odd } };
    static const int sizes[][2] = { { 6, 6 }, { 3, 7 }, { 7, 3 }, { 1, 5 }, { 300, 270 } };
    static const char *const points[][2] = { { "f64", "real" }, { "f64", "pow2" }, { "f32", "pow2" } };
    for (size_t m = 0; m < 3; m++) {
        for (size_t s = 0; s < 5; s++) {
            int q = sizes[s][0], x = sizes[s][1];
            char program[200], set[32];
            snprintf(program, sizeof program, "'q d, x d -> q x' @ %s @ softmax[x] @ 'q x, x d -> q d'", kinds[m].mask);
            snprintf(set, sizeof set, "q=%d,x=%d,d=1", q, x);
            const met_circuit *circuit = circuit_of(session, program, set);
            double a[300], k[300], v[300];
            met_fill("normal", 7, 0, 0, (size_t)q, a);
            met_fill("normal", 7, 1, 0, (size_t)x, k);
            met_fill("normal", 7, 2, 0, (size_t)x, v);
            for (size_t p = 0; p < 3; p++) {
                const met_tensor *y = run_filled(circuit, points[p][0], points[p][1], "normal");
                for (int i = 0; i < q; i++) {
                    double want = attend(i, q, x, a, k, v, kinds[m].visible);
                    expect_close(program, 1, &y->values[i], &want, p < 2 ? 1e-12 : 1e-5);
                }
            }
        }
    }
}

/* Infinities and NaN behind a mask do not reach the result; a row without live positions gives 0. */
static void masked_values_do_not_count(void **state)
{
    (void)state;
    static const double x[] = { 1, INFINITY, NAN, 2, 3, -INFINITY };
    const met_tensor *y = run_values("x: a b\nsum[b](mask.causal[a b](x))", "a=3,b=2", "f64", 1, (const double *[]){ x });
    assert_true(isnan(y->values[2]) == 0);
    expect_close("rows", 3, y->values, (double[]){ 0, NAN, -INFINITY }, 0);
    y = run_values("x: a b\nmax[b](mask.causal[a b](x))", "a=2,b=3", "f64", 1, (const double *[]){ x });
    expect_close("max", 2, y->values, (double[]){ INFINITY, 3 }, 0);
}

/* Scores of -inf, as additive masks have them, weigh nothing at every numerics point. */
static void infinite_scores(void **state)
{
    (void)state;
    static const char *const points[][2] = { { "f64", "real" }, { "f32", "float" }, { "f32", "pow2" }, { "f64", "pow2" } };
    static const double x[] = { -INFINITY, 1, -INFINITY, 1, -INFINITY };
    for (size_t p = 0; p < 4; p++) {
        met_eval_options options = { .dtype = points[p][0], .numerics = points[p][1] };
        const met_circuit *circuit = circuit_of(session, "x: n\np = softmax[n](x)\nl = logsumexp[n](x)\n-> p, l", "n=5");
        const met_eval_result *r = run_flat(circuit, &options, 1, (const double *[]){ x });
        expect_close("weights", 5, r->arrays[0].tensor->values, (double[]){ 0, 0.5, 0, 0.5, 0 }, 0);
        expect_close("logsumexp", 1, r->arrays[1].tensor->values, (double[]){ 1 + log(2) }, 1e-6);
    }
}

static double f32_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Known bits of the pow2 point from p and n onwards: the sum of the weights and the mix of the values. */
static void pow2_bits(void **state)
{
    (void)state;
    static const uint32_t p_bits[] = { 0x3f53bca6U, 0x3f7f2cc6U, 0x3f35538eU, 0x3f688ce0U, 0x3f5b94c7U, 0x3f68c983U, 0x3fa15af9U, 0x3f47cf23U };
    static const uint32_t v_bits[] = { 0x3f5c9b42U, 0x3f8f1342U, 0xbff9d180U, 0xbbf90c10U, 0x401e1cf8U, 0x3ee3bd47U, 0x3f5b03eaU, 0x3fcf63ecU };
    static const double n[] = { 2, -1, -1, 2, -2, 0, 0, 1 };
    double p[8], v[8];
    for (int i = 0; i < 8; i++) {
        p[i] = f32_of(p_bits[i]);
        v[i] = f32_of(v_bits[i]);
    }
    const char *program = "p: n, k: n, v: n\nm = max[n](k)\nw = map['n, n, -> n'](p, k, m, { ldexp(a, b - c) })\n"
                          "z = sum[n](w)\no = 'n, n -> '(w, v)\ny = div(o, z)\n-> z, o, y";
    met_eval_options options = { .dtype = "f32", .tree = "sequential" };
    const met_eval_result *r = run_flat(circuit_of(session, program, "n=8"), &options, 3, (const double *[]){ p, n, v });
    static const uint32_t want[] = { 0x403bd692U, 0x3fe765acU, 0x3f1daec8U };
    for (int k = 0; k < 3; k++)
        assert_true(r->arrays[k].tensor->values[0] == f32_of(want[k]));
}

/* What outputs show where nothing is: the unit of the fold to come. */
static void stored_units(void **state)
{
    (void)state;
    static const double x[] = { 1, 2, 3, 4 };
    const met_tensor *y = run_values("x: a b\nmask.causal[a b](x)", "a=2,b=2", "f64", 1, (const double *[]){ x });
    expect_close("plain", 4, y->values, (double[]){ 1, 0, 3, 4 }, 0);
    const char *program = "x: a b\ns = mask.causal[a b](x)\np = softmax[b](s)\n-> s, p";
    for (int point = 0; point < 2; point++) {
        met_eval_options options = { .numerics = point ? "pow2" : "real" };
        const met_eval_result *r = run_flat(circuit_of(session, program, "a=2,b=2"), &options, 1, (const double *[]){ x });
        expect_close("scores", 4, r->arrays[0].tensor->values, (double[]){ 1, -INFINITY, 3, 4 }, 0);
        expect_close("weights", 2, r->arrays[1].tensor->values, (double[]){ 1, 0 }, 0);
    }
}

static void reads_outside(void **state)
{
    (void)state;
    static const double x[] = { -1, -2, -3 };
    const char *view = "x: t\n%s(view[s=3 k=3 <- s + k - 1](x))";
    static const struct {
        const char *fold;
        double want[3];
    } folds[] = { { "sum[k]", { -3, -6, -5 } }, { "max[k]", { -1, -1, -2 } }, { "min[k]", { -2, -3, -3 } }, { "prod[k]", { 2, -6, 6 } } };
    for (size_t f = 0; f < 4; f++) {
        char program[100];
        snprintf(program, sizeof program, view, folds[f].fold);
        const met_tensor *y = run_values(program, "t=3", "f64", 1, (const double *[]){ x });
        expect_close(folds[f].fold, 3, y->values, folds[f].want, 0);
    }
    /* a map reads 0 there */
    const met_tensor *y = run_values("x: t\nmap['(s - 1) -> s=4'](x, { a + 10 })", "t=3", "f64", 1, (const double *[]){ x });
    expect_close("map", 4, y->values, (double[]){ 10, 9, 8, 7 }, 0);
    /* a fold with positions of its own leaves them out: with 0 in its place the largest product would be 0 */
    y = run_values("w: k, x: t\nfold['k, (s + k - 1) -> s=3'](w, x, { a*b }, with=max)", "k=3,t=3", "f64", 2,
                   (const double *[]){ (double[]){ 1, 2, 3 }, x });
    expect_close("fold", 3, y->values, (double[]){ -2, -1, -2 }, 0);
}

static void ids_outside(void **state)
{
    (void)state;
    static const double table[] = { -1, -2, -3, -4 }, ids[] = { 1, 5, -1, 0 };
    const met_tensor *y = run_values("t: r c, i: i32[n]\nmax[n c; n](gather['r c, n -> n c'](t, i))", "r=2,c=2,n=4", "f64", 2,
                                     (const double *[]){ table, ids });
    expect_close("max", 2, y->values, (double[]){ -1, -2 }, 0);
    y = run_values("i: i32[n]\nembed[r -> c](i, @t)", "r=2,c=2,n=4", "f64", 2, (const double *[]){ ids, table });
    expect_close("embed", 8, y->values, (double[]){ -3, -4, 0, 0, 0, 0, -1, -2 }, 0);
}

/* --- Formats and trees --- */

static void formats(void **state)
{
    (void)state;
    static const double x[] = { 1, 0x1p-9, 0x1.ffp0, 1 / 3.0 };
    const char *program = "x: n\nadd(x, x)";
    const met_tensor *y = run_values(program, "n=4", "bf16", 1, (const double *[]){ x });
    assert_string_equal(y->format, "bf16");
    expect_close("bf16", 4, y->values, (double[]){ 2, 0x1p-8, 4, 0x1.56p-1 }, 0);
    y = run_values(program, "n=4", "f16", 1, (const double *[]){ x });
    expect_close("f16", 4, y->values, (double[]){ 2, 0x1p-8, 0x1.ffp1, 0x1.554p-1 }, 0);
    y = run_values(program, "n=4", "f32", 1, (const double *[]){ x });
    expect_close("f32", 4, y->values, (double[]){ 2, 0x1p-8, 0x1.ffp1, 2 * (double)(1 / 3.0F) }, 0);
    y = run_values(program, "n=4", NULL, 1, (const double *[]){ x });
    assert_string_equal(y->format, "f64");
    /* a format that is written stays; the arithmetic is float unless the run is f64 */
    y = run_values("x: f64[n]\nexp(cast(x, format=f64))", "n=4", "f32", 1, (const double *[]){ x });
    assert_string_equal(y->format, "f64");
    expect_close("f64 edge", 1, &y->values[3], (double[]){ (double)(float)exp((double)(float)(1 / 3.0)) }, 0);
    y = run_values("x: n\ncast(x, format=bf16)", "n=4", "f64", 1, (const double *[]){ x });
    expect_close("cast", 4, y->values, (double[]){ 1, 0x1p-9, 2, 0x1.56p-2 }, 0);
}

/* In bf16, what is inside of an expansion is f32: the weights are not rounded before they are divided. */
static void expansions_are_wider(void **state)
{
    (void)state;
    double x[50], z = 0;
    met_fill("normal", 3, 0, 0, 50, x);
    for (int i = 0; i < 50; i++)
        x[i] = 0x1p-3 * rint(8 * x[i]); /* exact in bf16 */
    for (int i = 0; i < 50; i++)
        z += exp(x[i]);
    const met_tensor *y = run_values("x: n\nsoftmax[n](x)", "n=50", "bf16", 1, (const double *[]){ x });
    for (int i = 0; i < 50; i++) {
        double want = exp(x[i]) / z;
        expect_close("softmax", 1, &y->values[i], &want, met_ulp(MET_BF16, want) * 0.501);
    }
}

static void trees(void **state)
{
    (void)state;
    static const double x[] = { 0x1p24, 1, 1, 1 };
    const met_circuit *circuit = circuit_of(session, "x: n\nsum[n](x)", "n=4");
    met_eval_options options = { .dtype = "f32", .tree = "sequential" };
    assert_true(run_flat(circuit, &options, 1, (const double *[]){ x })->arrays[0].tensor->values[0] == 0x1p24);
    options.tree = NULL; /* lanes: (2^24 + 1) + (1 + 1), whatever their number */
    assert_true(run_flat(circuit, &options, 1, (const double *[]){ x })->arrays[0].tensor->values[0] == 0x1p24 + 2);
    /* a contraction is fused unless the tree says otherwise: (1 + e)(1 - e) - 1 = -e^2 */
    static const double a[] = { -1, 1 + 0x1p-12 }, b[] = { 1, 1 - 0x1p-12 };
    circuit = circuit_of(session, "'n, n -> '", "n=2");
    options.tree = NULL;
    assert_true(run_flat(circuit, &options, 2, (const double *[]){ a, b })->arrays[0].tensor->values[0] == -0x1p-24);
    options.tree = "sequential, mul_add";
    double unfused = (double)((float)((1 + 0x1p-12) * (1 - 0x1p-12)) - 1.0F);
    assert_true(run_flat(circuit, &options, 2, (const double *[]){ a, b })->arrays[0].tensor->values[0] == unfused);
}

/* Terms keep their place in the tree over all folded indices and past guarded-out ones: lane l takes the terms l, l + 16, … */
static void lanes(void **state)
{
    (void)state;
    enum { N = 1000 };
    static double x[2 * N];
    assert_true(met_fill("normal", 3, 0, 0, 2 * N, x));
    const met_circuit *circuit = circuit_of(session, "x: q m n\nsum[m n](mask[q m n; q n](x, keep={ i_n >= 30*i_q }))", "q=2,m=10,n=100");
    met_eval_options options = { .dtype = "f32", .tree = "lanes16" };
    const met_tensor *y = run_flat(circuit, &options, 1, (const double *[]){ x })->arrays[0].tensor;
    for (int q = 0; q < 2; q++) {
        float lane[16] = { 0 };
        for (int i = 0; i < N; i++)
            lane[i % 16] += i % 100 >= 30 * q ? (float)x[q * N + i] : 0;
        for (int h = 8; h > 0; h /= 2)
            for (int l = 0; l < h; l++)
                lane[l] += lane[l + h];
        assert_true(y->values[q] == (double)lane[0]);
    }
}

/* The two functions of which a rounded double is not the float operation, and operands that float does not hold. */
static void float_operations(void **state)
{
    (void)state;
    static double x[500];
    assert_true(met_fill("normal", 9, 0, 0, 500, x));
    for (int i = 0; i < 500; i++)
        x[i] = fabs(x[i]) + 0x1p-10;
    x[0] = 1 + 0x1p-12; /* its square is 1 + 2^-11 + 2^-24: with a little more, a float tie that is none */
    const met_tensor *y = run_values("x: n\nrsqrt(x)", "n=500", "f32", 1, (const double *[]){ x });
    for (int i = 0; i < 500; i++)
        assert_true(y->values[i] == (double)(1.0F / sqrtf((float)x[i])));
    y = run_values("x: n\nmap['n -> n'](x, { fma(a, a, 1e-30) })", "n=500", "f32", 1, (const double *[]){ x });
    for (int i = 0; i < 500; i++)
        assert_true(y->values[i] == (double)fmaf((float)x[i], (float)x[i], 1e-30F));
    assert_true(y->values[0] == 1 + 0x1p-11 + 0x1p-23);
    static const double wide[] = { 1 + 0x1p-30 };
    y = run_values("x: f64[n]\nmap['n -> n'](x, { a - 1 })", "n=1", "f32", 1, (const double *[]){ wide });
    assert_true(y->values[0] == 0);
}

/* Rows longer than a strip, folds over several indices, scalars. */
static void shapes(void **state)
{
    (void)state;
    const met_tensor *y = run_filled(circuit_of(session, "x: a b c\nsum[a b c](x)", "a=3,b=7,c=1000"), "f64", "real", "iota");
    assert_true(y->rank == 0 && y->values[0] == 21000.0 * 20999 / 2);
    y = run_filled(circuit_of(session, "x: a b c\nsum[a b c; a c](x)", "a=300,b=2,c=300"), "f64", "real", "iota");
    assert_true(y->count == 2 && y->values[0] == 90000.0 * (299 * 600 + 299) / 2);
    y = run_filled(circuit_of(session, "'a b, b c -> c a'", "a=300,b=2,c=301"), "f64", "real", "iota");
    assert_true(y->values[300 * 300 + 299] == 598.0 * 300 + 599.0 * 601);
    static const double two[] = { 2 };
    y = run_values("'-> '", "", "f64", 1, (const double *[]){ two });
    assert_true(y->count == 1 && y->values[0] == 2);
}

/* --- States --- */

/* One step with a cache is the last row of the whole. */
static void decode_equals_prefill(void **state)
{
    (void)state;
    const char *prefill = "q: n d, k: n d, v: n d\n'q x, x d -> q d'(softmax[x](mask.causal[q x]('q d, x d -> q x'(q, k))), v)";
    const char *decode = "state kc: p d, state vc: p d\nq: n d, k: n d, v: n d\n"
                         "ka = kv_append[p d; p](kc, k)\nva = kv_append[p d; p](vc, v)\n"
                         "'q x, x d -> q d'(softmax[x](mask.causal[q x]('q d, x d -> q x'(q, ka))), va)";
    double q[15], k[15], v[15];
    met_fill("normal", 1, 0, 0, 15, q);
    met_fill("normal", 1, 1, 0, 15, k);
    met_fill("normal", 1, 2, 0, 15, v);
    static const char *const dtypes[] = { "f64", "f32", "bf16" };
    for (size_t t = 0; t < 3; t++) {
        const met_tensor *whole = run_values(prefill, "n=5,d=3", dtypes[t], 3, (const double *[]){ q, k, v });
        met_eval_options options = { .dtype = dtypes[t] };
        const met_circuit *circuit = circuit_of(session, decode, "p=4,n=1,d=3");
        const met_eval_result *step = run_flat(circuit, &options, 5, (const double *[]){ k, v, q + 12, k + 12, v + 12 });
        expect_close("last row", 3, step->arrays[0].tensor->values, whole->values + 12, 0);
        assert_int_equal(step->state_count, 2);
        assert_string_equal(step->arrays[step->output_count].name, "kc");
        const met_tensor *kept = step->arrays[step->output_count].tensor;
        assert_int_equal(kept->count, 15);
        if (t == 0)
            expect_close("state", 15, kept->values, k, 0);
    }
}

/* --- Fills --- */

static void fills(void **state)
{
    (void)state;
    double x[20000], mean = 0, square = 0, fourth = 0;
    assert_true(met_fill("wave", 0, 2, 0, 5, x));
    double want = 0.5 * sin(0.7 * 4 + 1.3 * 2 + 0.1);
    expect_close("wave", 1, &x[4], &want, 0);
    assert_true(met_fill("normal", 42, 3, 0, 20000, x));
    for (int i = 0; i < 20000; i++) {
        mean += x[i] / 20000;
        square += x[i] * x[i] / 20000;
        fourth += x[i] * x[i] * x[i] * x[i] / 20000;
    }
    assert_true(fabs(mean) < 0.03 && fabs(square - 1) < 0.04 && fabs(fourth - 3) < 0.25);
    double again[3];
    met_fill("normal", 42, 3, 0, 3, again);
    expect_close("counter", 3, again, x, 0);
    met_fill("normal", 43, 3, 0, 3, again);
    assert_true(again[0] != x[0]);
    met_fill("normal", 42, 4, 0, 3, again);
    assert_true(again[0] != x[0]);
    met_fill("normal", 7, 1, 0, 3, again); /* the same bits on every machine */
    expect_close("pinned", 3, again, (double[]){ -0x1.0db4abee87a8dp+0, -0x1.7a0eab8d01f7ep-1, 0x1.c89878692e47bp-2 }, 0);
    assert_true(met_fill("normal", 5, 0, 7, 20000, x));
    for (int i = 0; i < 20000; i++)
        assert_true(x[i] >= 0 && x[i] < 7 && x[i] == floor(x[i]));
    assert_true(met_fill("iota", 0, 0, 3, 5, x) && x[4] == 1);
    assert_true(met_fill("ones", 0, 0, 0, 1, x) && x[0] == 1 && met_fill("zeros", 0, 0, 0, 1, x) && x[0] == 0);
    assert_false(met_fill("noise", 0, 0, 0, 0, x));
}

/* Integers are filled with what they are for: ids of a table, lengths of a row. */
static void integer_fills(void **state)
{
    (void)state;
    const met_tensor *y = run_filled(circuit_of(session, "i: i32[n]\nembed[v -> m](i, @t)", "n=7,v=3,m=1"), "f64", "real", "iota");
    expect_close("ids", 7, y->values, (double[]){ 0, 1, 2, 0, 1, 2, 0 }, 0);
    y = run_filled(circuit_of(session, "x: q n, l: i32[q]\nsum[n](mask.padding[q n](x, l))", "q=4,n=2"), "f64", "real", "ones");
    expect_close("ones", 4, y->values, (double[]){ 1, 1, 1, 1 }, 0);
    y = run_filled(circuit_of(session, "x: q n, l: i32[q]\nsum[n](mask.padding[q n](x, l))", "q=4,n=2"), "f64", "real", "iota");
    expect_close("lengths", 4, y->values, (double[]){ 0, 2, 9, 0 }, 0);
    y = run_filled(circuit_of(session, "x: n v, i: i32[n]\ncross_entropy[v](x, i)", "n=5,v=2"), "f64", "real", "zeros");
    assert_true(y->count == 5 && fabs(y->values[4] - log(2)) < 1e-15);
}

/* --- Refusals --- */

static void expect_refusal(const met_circuit *circuit, const met_eval_options *options, size_t count,
                           const met_named_tensor *ins, const char *code, const char *words)
{
    assert_null(met_eval_run(circuit, options, count, ins));
    const char *said = met_session_diagnostics_text(session);
    if (!strstr(said, code) || !strstr(said, words))
        fail_msg("expected `%s` and `%s` in:\n%s", code, words, said);
    met_session_clear_diagnostics(session);
}

static void refusals(void **state)
{
    (void)state;
    met_eval_options wave = { .fill = "wave" };
    const char *program = "x: n m\nlinear[m -> f](x, @w)";
    expect_refusal(circuit_of(session, program, "m=3"), &wave, 0, NULL, "error[unbound]", "`n`, `f`");
    const met_circuit *circuit = circuit_of(session, program, "n=2,m=3,f=4");
    met_tensor *x = met_tensor_new(session, "f32", 2, (uint64_t[]){ 3, 2 });
    expect_refusal(circuit, &wave, 1, &(met_named_tensor){ "x", x }, "error[shape]", "`x` is 3 2, but `x` is 2 3");
    expect_refusal(circuit, &wave, 1, &(met_named_tensor){ "z", x }, "error[unknown-name]", "`z`");
    expect_refusal(circuit, NULL, 0, NULL, "error[run]", "no array is given for `x`");
    expect_refusal(circuit, &(met_eval_options){ .fill = "noise" }, 0, NULL, "error[usage]", "`noise`");
    expect_refusal(circuit, &(met_eval_options){ .dtype = "i8" }, 0, NULL, "error[usage]", "`i8`");
    expect_refusal(circuit, &(met_eval_options){ .tree = "random" }, 0, NULL, "error[usage]", "`random`");
    expect_refusal(circuit, &(met_eval_options){ .numerics = "exact" }, 0, NULL, "error[usage]", "`exact`");
    expect_refusal(circuit, &(met_eval_options){ .fill = "wave", .work_limit = 50 }, 0, NULL, "error[run]", "more than 50");
    expect_refusal(circuit_of(session, program, "n=100000,m=100000,f=1"), &wave, 0, NULL, "error[run]", "numbers");
    expect_refusal(circuit_of(session, program, "n=10000000000,m=1,f=1"), &wave, 0, NULL, "error[run]", "too large");
}

/* Positions that would overflow are refused; those that are only far outside are outside. */
static void far_away(void **state)
{
    (void)state;
    met_eval_options wave = { .fill = "wave" };
    static const char *const programs[] = {
        "x: n\nmap['(2147483647*2147483647*s) -> s=3'](x, { a })",
        "x: n\nmap['(2147483647*2147483647*s + 2147483647*2147483647*r) -> s=3 r=3'](x, { a })",
        "x: n m\nmap['(134217728*2147483647*s) s -> s=2'](x, { a })",
        "x: n\nmap['(s - 2147483647*2147483647) -> s=3'](x, { a })",
    };
    for (size_t k = 0; k < 4; k++)
        expect_refusal(circuit_of(session, programs[k], "n=7"), &wave, 0, NULL, "error[run]", "too far away");
    const met_tensor *y = run_filled(
        circuit_of(session, "x: n\nmap['(1024*1073741824*s + 1) -> s=3'](x, { a })", "n=7"), "f64", "real", "iota");
    expect_close("far", 3, y->values, (double[]){ 1, 0, 0 }, 0);
    y = run_filled(circuit_of(session, "x: n\nsum[s](view[s=3 <- 1024*1073741824*s + 1](x))", "n=7"), "f64", "real", "iota");
    expect_close("far view", 1, y->values, (double[]){ 1 }, 0);
}

static void count_progress(void *context, uint64_t done, uint64_t total)
{
    uint64_t *seen = context;
    assert_true(done > seen[0] && done <= total);
    seen[0] = done;
    seen[1] = total;
}

static void progress(void **state)
{
    (void)state;
    uint64_t seen[2] = { 0, 0 };
    met_eval_options options = { .fill = "wave", .progress = count_progress, .progress_context = seen };
    run_with(circuit_of(session, "x: n\nexp(exp(x))", "n=9"), &options, 0, NULL);
    assert_true(seen[0] > 0 && seen[0] == seen[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),
        cmocka_unit_test(masked_values_do_not_count),
        cmocka_unit_test(infinite_scores),
        cmocka_unit_test(pow2_bits),
        cmocka_unit_test(stored_units),
        cmocka_unit_test(reads_outside),
        cmocka_unit_test(ids_outside),
        cmocka_unit_test(formats),
        cmocka_unit_test(expansions_are_wider),
        cmocka_unit_test(trees),
        cmocka_unit_test(lanes),
        cmocka_unit_test(float_operations),
        cmocka_unit_test(integer_fills),
        cmocka_unit_test(shapes),
        cmocka_unit_test(decode_equals_prefill),
        cmocka_unit_test(fills),
        cmocka_unit_test(refusals),
        cmocka_unit_test(far_away),
        cmocka_unit_test(progress),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
