/* Known values of streamed folds: derived terms, pushed slice by slice, hold what tests/data/streams_real.toml says. */
#include "streams.h"

#include "derive/carrier.h"

#define REAL MET_TEST_DATA_DIR "/streams_real.toml"

static double tolerance; /* of the present case: each_case does not hand it on, so kinds say theirs */

/* Binds an input to a field, flattened, and loops to the extents of its nested lists. Arrays have their axes in the order in
 * which the text first names those: a name `axes` that nothing reads says it. */
static void bind_field(stream_test *stream, const test_case *test, const char *key, const char *name, const char *loops)
{
    size_t count;
    const met_value *value = field(test->in, key);
    stream_bind(stream, name, flatten(stream->arena, value, &count));
    for (; *loops; loops++) {
        char loop[2] = { *loops, 0 };
        stream_size(stream, loop, value->items.count);
        value = value->items.at[0];
    }
}

/* Pushes the slices; after each, `first` numbers of the state must be those of the list. */
static void push_slices(stream_test *stream, const test_case *test, size_t skip)
{
    const met_value *slices = field(test->in, "slices"), *states = met_value_get(test->out, "states");
    uint64_t at = 0;
    for (size_t i = 0; i < slices->items.count; i++) {
        uint64_t end = at + (uint64_t)slices->items.at[i]->integer;
        met_stream_run_push(stream->run, stream->state, at, end);
        at = end;
        size_t count;
        const double *want = flatten(stream->arena, states->items.at[i], &count);
        assert_true(count - skip <= met_stream_run_numbers(stream->run));
        expect_close(test->id, stream->state, want + skip, count - skip, tolerance);
    }
}

static void expect_field(stream_test *stream, const test_case *test, const char *name, const char *key)
{
    size_t count;
    const double *want = field(test->out, key)->kind == MET_VALUE_LIST ? flatten(stream->arena, field(test->out, key), &count) :
                                                                         (count = 1, &field(test->out, key)->number);
    expect_close(test->id, stream_result(stream, name), want, count, tolerance);
}

static void softmax_case(const test_case *test)
{
    stream_test stream = stream_of("s[x]; v[x d]; m = max[x] s; e = exp(s - m); z = sum[x] e; y = sum[x] (e/z)*v", "x");
    bind_field(&stream, test, "scores", "s", "x");
    bind_field(&stream, test, "values", "v", "xd");
    stream_start(&stream);
    push_slices(&stream, test, 0);
    expect_field(&stream, test, "y", "out");
    stream_close(&stream);
}

static void lse_case(const test_case *test)
{
    stream_test stream = stream_of("s[x]; h[x]; m = max[x] s; z = sum[x] exp(s - m); t = sum[x] select(h == 1, s, 0); l = m + log(z); y = l - t", "x");
    bind_field(&stream, test, "scores", "s", "x");
    double *hot = MET_NEW_ARRAY(stream.arena, double, field(test->in, "scores")->items.count);
    hot[field(test->in, "target")->integer] = 1;
    stream_bind(&stream, "h", hot);
    stream_start(&stream);
    push_slices(&stream, test, 0);
    expect_field(&stream, test, "l", "lse");
    expect_field(&stream, test, "y", "loss");
    stream_close(&stream);
}

static void normal_case(const test_case *test)
{
    static const char *const texts[][2] = {
        { "l1", "n = sum[x] abs(s); y = sum[x] s/n*v" },          { "l2", "n = sum[x] s*s; y = sum[x] s/sqrt(n)*v" },
        { "l3", "n = sum[x] abs(s)^3; y = sum[x] s/n^(1/3)*v" },  { "max", "n = max[x] abs(s); y = sum[x] s/n*v" },
        { "relu2", "e = relu2(s); n = sum[x] e; y = sum[x] e/n*v" }, { "sigmoid", "y = sum[x] sigmoid(s)*v" },
    };
    met_str norm = string_field(test->in, "norm");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!met_str_is(norm, texts[i][0]))
            continue;
        char text[200];
        snprintf(text, sizeof text, "s[x]; v[x d]; %s", texts[i][1]);
        stream_test stream = stream_of(text, "x");
        bind_field(&stream, test, "scores", "s", "x");
        bind_field(&stream, test, "values", "v", "xd");
        stream_start(&stream);
        push_slices(&stream, test, met_str_is(norm, "sigmoid")); /* its normalizer is no state */
        expect_field(&stream, test, "y", "out");
        stream_close(&stream);
        return;
    }
    fail_msg("%s: unknown norm", test->id);
}

static void rmsnorm_case(const test_case *test)
{
    stream_test stream = stream_of("a[x]; g[x]; w[x o]; eps[]; q = sum[x] a*a; y = sum[x] a*rsqrt(q/size(x) + eps)*g*w", "x");
    bind_field(&stream, test, "x", "a", "x");
    bind_field(&stream, test, "gain", "g", "x");
    bind_field(&stream, test, "W", "w", "xo");
    stream_bind(&stream, "eps", &field(test->in, "eps")->number);
    stream_start(&stream);
    push_slices(&stream, test, 0);
    expect_field(&stream, test, "y", "out");
    stream_close(&stream);
}

static void layernorm_case(const test_case *test)
{
    static const char *const texts[] = {
        "a[x]; @g[x]; @b[x]; @w[x o]; eps[]; m = mean[x] a; v = mean[x] (a - m)*(a - m); y = sum[x] ((a - m)*rsqrt(v + eps)*g + b)*w",
        /* with a length that nothing says is the length */
        "a[x]; @g[x]; @b[x]; @w[x o]; eps[]; n[]; m = sum[x] a/n; v = sum[x] (a - m)*(a - m)/n; r = rsqrt(v + eps); "
        "y = sum[x] ((a - m)*r*g + b)*w",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        stream_test stream = stream_of(texts[i], "x");
        bind_field(&stream, test, "x", "a", "x");
        bind_field(&stream, test, "gain", "g", "x");
        bind_field(&stream, test, "bias", "b", "x");
        bind_field(&stream, test, "W", "w", "xo");
        stream_bind(&stream, "eps", &field(test->in, "eps")->number);
        double n = (double)field(test->in, "x")->items.count;
        if (i == 1)
            stream_bind(&stream, "n", &n);
        stream_start(&stream);
        push_slices(&stream, test, 0);
        expect_field(&stream, test, "y", "out");
        stream_close(&stream);
    }
}

static void moments_case(const test_case *test)
{
    stream_test stream = stream_of("m = mean[x] a; y = sum[x] (a - m)*(a - m)", "x");
    double unused = 0;
    stream_bind(&stream, "a", &unused);
    stream_start(&stream);
    const met_value *parts = field(test->in, "parts");
    for (size_t i = 0; i < parts->items.count; i++) {
        size_t count;
        met_stream_run_combine(stream.run, stream.state, flatten(stream.arena, parts->items.at[i], &count));
    }
    double want[] = { number_field(test->out, "count"), number_field(test->out, "mean"), number_field(test->out, "M2") };
    expect_close(test->id, stream.state, want, 3, tolerance);
    stream_close(&stream);
}

static void gated_case(const test_case *test)
{
    stream_test stream = stream_of("S = scan[x] (a*S + k*v)", "x");
    bind_field(&stream, test, "a", "a", "x");
    bind_field(&stream, test, "k", "k", "x");
    bind_field(&stream, test, "v", "v", "x");
    stream_start(&stream);
    const met_value *slices = field(test->in, "slices");
    uint64_t at = 0;
    size_t count;
    for (size_t i = 0; i < slices->items.count; i++) {
        double part[2];
        uint64_t end = at + (uint64_t)slices->items.at[i]->integer;
        met_stream_run_begin(stream.run, part);
        met_stream_run_push(stream.run, part, at, end);
        expect_close(test->id, part, flatten(stream.arena, field(test->out, "slice_carriers")->items.at[i], &count), 2, tolerance);
        met_stream_run_combine(stream.run, stream.state, part);
        at = end;
    }
    expect_close(test->id, stream.state, flatten(stream.arena, field(test->out, "whole"), &count), 2, tolerance);
    stream_close(&stream);
}

/* The indices that the slots hold. */
static void expect_indices(const test_case *test, const double *slots, uint64_t k, const met_value *want)
{
    size_t filled = 0;
    while (filled < k && slots[2 * filled + 1] >= 0)
        filled++;
    assert_int_equal(filled, want->items.count);
    for (size_t i = 0; i < filled; i++)
        expect_number(test, slots[2 * i + 1], want->items.at[i]->number);
}

static void topk_case(const test_case *test)
{
    stream_test stream = stream_of("s[x]; t = top_k[x -> k] s", "x");
    bind_field(&stream, test, "x", "s", "x");
    uint64_t k = (uint64_t)field(test->in, "k")->integer, at = 0;
    stream_size(&stream, "k", k);
    stream_start(&stream);
    const met_value *slices = field(test->in, "slices");
    for (size_t i = 0; i < slices->items.count; i++) {
        uint64_t end = at + (uint64_t)slices->items.at[i]->integer;
        met_stream_run_push(stream.run, stream.state, at, end);
        expect_indices(test, stream.state, k, field(test->out, "states")->items.at[i]);
        at = end;
    }
    stream_close(&stream);
}

/* The weights come out of the tail; mixing reads values by index, which a region does not say. */
static void topk_mix_case(const test_case *test)
{
    stream_test stream = stream_of("s[x]; t = top_k[x -> k] s; m = max[k] t; e = exp(t - m); z = sum[k] e; w = e/z", "x");
    bind_field(&stream, test, "x", "s", "x");
    uint64_t k = (uint64_t)field(test->in, "k")->integer, n = field(test->in, "x")->items.count;
    stream_size(&stream, "k", k);
    stream_start(&stream);
    dice d = { 77 };
    stream.state = rebracketed(&stream, &d, 0, n);
    expect_indices(test, stream.state, k, field(test->out, "indices"));
    expect_field(&stream, test, "w", "weights");
    const double *weights = stream_result(&stream, "w");
    size_t width = field(test->in, "v")->items.at[0]->items.count, count;
    double *out = MET_NEW_ARRAY(stream.arena, double, width);
    for (uint64_t i = 0; i < k; i++)
        for (size_t c = 0; c < width; c++)
            out[c] += weights[i] * field(test->in, "v")->items.at[(size_t)stream.state[2 * i + 1]]->items.at[c]->number;
    expect_close(test->id, out, flatten(stream.arena, field(test->out, "out"), &count), width, tolerance);
    stream_close(&stream);
}

static void linear_attention_case(const test_case *test)
{
    stream_test stream = stream_of("axes[x f d]; q[f]; k[x f]; v[x d]; fk = select(k > 0, k + 1, exp(k)); fq = select(q > 0, q + 1, exp(q)); "
                                   "S = sum[x] fk*v; z = sum[x] fk; y = (sum[f] fq*S)/(sum[f] fq*z)", "x");
    bind_field(&stream, test, "q", "q", "f");
    bind_field(&stream, test, "k", "k", "xf");
    bind_field(&stream, test, "v", "v", "xd");
    stream_start(&stream);
    dice d = { 5 };
    stream.state = rebracketed(&stream, &d, 0, field(test->in, "k")->items.count);
    expect_field(&stream, test, "S", "S");
    expect_field(&stream, test, "z", "z");
    expect_field(&stream, test, "y", "out");
    stream_close(&stream);
}

/* One gradient, streamed over keys x or queries n. Returns the result of `name`. */
static void backward(const test_case *test, const char *axis, const char *statements, const char *const *names, const char *const *keys)
{
    met_arena *arena = met_arena_new();
    met_text text = met_text_new(arena);
    bool saved = strstr(statements, "L") != NULL;
    met_text_format(&text, "axes[n x d e]; q[n d]; k[x d]; v[x e]; %s s = sum[d] q*k; %s", saved ? "do[n e]; L[n]; D[n];" : "do[n e];", statements);
    stream_test stream = stream_of(met_text_done(&text), axis);
    bind_field(&stream, test, "q", "q", "nd");
    bind_field(&stream, test, "k", "k", "xd");
    bind_field(&stream, test, "v", "v", "xe");
    bind_field(&stream, test, "do", "do", "ne");
    size_t count;
    if (saved) {
        stream_bind(&stream, "L", flatten(arena, field(test->out, "L"), &count));
        stream_bind(&stream, "D", flatten(arena, field(test->out, "D"), &count));
    }
    stream_start(&stream);
    dice d = { 11 };
    stream.state = rebracketed(&stream, &d, 0, field(test->in, strcmp(axis, "x") == 0 ? "k" : "q")->items.count);
    for (size_t i = 0; names[i]; i++)
        expect_field(&stream, test, names[i], keys[i]);
    stream_close(&stream);
    met_arena_free(arena);
}

static void backward_case(const test_case *test)
{
    backward(test, "x", "m = max[x] s; z = sum[x] exp(s - m); l = m + log(z); y = sum[x] exp(s - l)*v; h = sum[e] do*y; o = l + h",
             (const char *const[]){ "y", "l", "h", NULL }, (const char *const[]){ "out", "L", "D", NULL });
    backward(test, "x", "p = exp(s - L); g = sum[e] do*v; dq = sum[x] p*(g - D)*k", (const char *const[]){ "dq", NULL },
             (const char *const[]){ "dq", NULL });
    backward(test, "n", "p = exp(s - L); g = sum[e] do*v; dk = sum[n] p*(g - D)*q; dv = sum[n] p*do",
             (const char *const[]){ "dk", "dv", NULL }, (const char *const[]){ "dk", "dv", NULL });
}

/* --- Carriers of vectors and matrices --- */

enum { CARRIER_ROOM = 64 };

/* The positions [begin, end) as one carrier, bracketed at random. `positions` holds one carrier after another. */
static void bracket(const met_carrier *carrier, size_t n, size_t m, const double *positions, size_t begin, size_t end, dice *d, double *ret)
{
    size_t numbers = met_carrier_numbers(carrier, n, m);
    double right[CARRIER_ROOM];
    if (end - begin <= 1) {
        met_carrier_begin(carrier, n, m, ret);
        if (end > begin)
            memcpy(ret, positions + begin * numbers, numbers * sizeof *ret);
        return;
    }
    size_t middle = begin + 1 + roll(d) % (end - begin - 1);
    bracket(carrier, n, m, positions, begin, middle, d, ret);
    bracket(carrier, n, m, positions, middle, end, d, right);
    met_carrier_combine(carrier, n, m, ret, right);
}

static void affine_case(const test_case *test)
{
    const met_carrier *carrier = met_carrier_find("affine");
    const met_value *a = field(test->in, "A"), *b = field(test->in, "b"), *slices = field(test->in, "slices");
    size_t steps = a->items.count, at = 0, count = 0;
    double positions[CARRIER_ROOM * 6], whole[CARRIER_ROOM], part[CARRIER_ROOM], want[CARRIER_ROOM];
    for (size_t i = 0; i < steps; i++) {
        flatten_into(a->items.at[i], positions, &count);
        flatten_into(b->items.at[i], positions, &count);
    }
    dice d = { 3 };
    for (size_t i = 0; i < slices->items.count; i++) {
        size_t end = at + (size_t)slices->items.at[i]->integer, wanted = 0;
        bracket(carrier, 2, 1, positions, at, end, &d, part);
        flatten_into(field(test->out, "slice_carriers")->items.at[i], want, &wanted);
        expect_close(test->id, part, want, wanted, tolerance);
        at = end;
    }
    for (int trial = 0; trial < 8; trial++) {
        bracket(carrier, 2, 1, positions, 0, steps, &d, whole);
        double h[2] = { 0, 0 }, h0[2];
        size_t two = 0;
        flatten_into(field(test->in, "h0"), h0, &two);
        for (int i = 0; i < 2; i++)
            h[i] = whole[2 * i] * h0[0] + whole[2 * i + 1] * h0[1] + whole[4 + i];
        two = 0;
        flatten_into(field(test->out, "h"), want, &two);
        expect_close(test->id, h, want, 2, tolerance);
    }
}

static void delta_case(const test_case *test)
{
    const met_carrier *carrier = met_carrier_find("delta");
    const met_value *keys = field(test->in, "k"), *values = field(test->in, "v");
    size_t n = keys->items.at[0]->items.count, m = values->items.at[0]->items.count;
    double positions[CARRIER_ROOM * 6], whole[CARRIER_ROOM], want[CARRIER_ROOM];
    for (size_t i = 0; i < keys->items.count; i++) {
        double key[8], value[8];
        size_t count = 0;
        flatten_into(keys->items.at[i], key, &count);
        count = 0;
        flatten_into(values->items.at[i], value, &count);
        met_carrier_delta(n, m, key, value, field(test->in, "beta")->items.at[i]->number, positions + i * met_carrier_numbers(carrier, n, m));
    }
    dice d = { 9 };
    for (int trial = 0; trial < 8; trial++) {
        size_t count = 0;
        bracket(carrier, n, m, positions, 0, keys->items.count, &d, whole);
        flatten_into(field(test->out, "S"), want, &count);
        expect_close(test->id, whole + n * n, want, count, tolerance);
    }
}

/* Small integers: every bracketing gives the same bits, and so does a unit on either side. */
static void test_carriers(void **state)
{
    (void)state;
    for (size_t c = 0; c < met_carrier_count; c++) {
        const met_carrier *carrier = &met_carrier_table[c];
        double positions[9 * CARRIER_ROOM], whole[CARRIER_ROOM], again[CARRIER_ROOM], unit[CARRIER_ROOM];
        size_t numbers = met_carrier_numbers(carrier, 3, 2);
        dice d = { 21 + c };
        for (size_t i = 0; i < 9 * numbers; i++)
            positions[i] = floor(roll_number(&d, -2, 3));
        bracket(carrier, 3, 2, positions, 0, 9, &d, whole);
        for (int trial = 0; trial < 20; trial++) {
            bracket(carrier, 3, 2, positions, 0, 9, &d, again);
            met_carrier_begin(carrier, 3, 2, unit);
            met_carrier_combine(carrier, 3, 2, trial % 2 ? again : unit, trial % 2 ? unit : again);
            assert_memory_equal(trial % 2 ? again : unit, whole, numbers * sizeof(double));
        }
    }
}

/* The tolerances are those of the cases. */
static void test_values(void **state)
{
    static const struct {
        const char *kind;
        int count;
        double tolerance;
        case_fn run;
    } kinds[] = {
        { "softmax_mix", 12, 1e-12, softmax_case }, { "lse", 3, 1e-12, lse_case },
        { "normal_mix", 8, 1e-12, normal_case },    { "rmsnorm_linear", 2, 1e-12, rmsnorm_case },
        { "layernorm_linear", 2, 1e-9, layernorm_case }, { "moments", 2, 1e-12, moments_case },
        { "gated", 2, 1e-12, gated_case },          { "topk", 2, 0, topk_case },
        { "topk_mix", 2, 1e-12, topk_mix_case },    { "linear_attn", 1, 1e-12, linear_attention_case },
        { "attn_backward", 2, 1e-11, backward_case }, { "affine", 2, 1e-11, affine_case },
        { "delta", 2, 1e-12, delta_case },
    };
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        tolerance = kinds[i].tolerance;
        each_case(REAL, kinds[i].kind, kinds[i].count, kinds[i].run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_values), cmocka_unit_test(test_carriers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
