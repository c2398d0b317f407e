/* Stream terms: which regions stream, with which state; every accumulator by random re-bracketing; ranks by sampling. */
#include "streams.h"

#define LEGALITY MET_TEST_DATA_DIR "/streams_legality.toml"

static void check_term(const char *id, const met_stream_term *term, bool streams, uint32_t rank, bool monoid)
{
    if (term->streams != streams)
        fail_msg("%s: %s", id, term->streams ? "streams" : term->reason);
    if (!streams) {
        assert_non_null(term->reason);
        return;
    }
    if (term->rank != rank)
        fail_msg("%s: rank %u, not %u", id, term->rank, rank);
    if (term->monoid != monoid)
        fail_msg("%s: monoid", id);
}

static void legality_case(const test_case *test)
{
    const char *statics[8];
    const met_value *list = field(test->in, "static");
    for (size_t i = 0; i < list->items.count; i++)
        statics[i] = list->items.at[i]->string.at;
    met_arena *arena = met_arena_new();
    for (size_t i = 0; i < list->items.count; i++)
        statics[i] = met_arena_text(arena, list->items.at[i]->string.at, list->items.at[i]->string.length);
    met_str axis = string_field(test->in, "axis");
    stream_test stream = stream_open(string_field(test->in, "region"), met_arena_text(arena, axis.at, axis.length),
                                     (uint32_t)list->items.count, statics);
    bool streams = met_str_is(string_field(test->out, "verdict"), "streams");
    check_term(test->id, stream.term, streams, (uint32_t)field(test->out, "rank")->integer, field(test->out, "monoid")->boolean);
    const met_value *folds = field(test->out, "folds");
    if (stream.term->fold_count != folds->items.count)
        fail_msg("%s: %u folds", test->id, stream.term->fold_count);
    for (size_t i = 0; i < folds->items.count; i++)
        if (!met_str_is(folds->items.at[i]->string, stream.term->folds[i]))
            fail_msg("%s: fold %s", test->id, stream.term->folds[i]);
    stream_close(&stream);
    met_arena_free(arena);
}

static void test_legality(void **state)
{
    (void)state;
    each_case(LEGALITY, "legality", 19, legality_case);
}

/* Regions of the catalogue. All axes have few positions; names are bound to random numbers. */
typedef struct region_case {
    const char *id, *text;
    uint32_t rank;
    const char *states; /* names of the states */
    const char *words;
    bool exact; /* integers in, sums and products only: equal exactly under any bracketing */
} region_case;

static const region_case catalogue[] = {
    { "contraction", "a[i x]; b[x j]; c = sum[x] a*b", 1, "c", "j", true },
    { "mean", "y = mean[x] a", 1, "y_1", "1", true },
    { "extrema", "y = max[x] a; z = min[x] a*b", 1, "y z", "2", true },
    { "product", "a[x]; y = prod[x] a", 1, "y", "1", true },
    { "softmax", "s[n x]; v[x d]; m = max[x] s; e = exp(s - m); z = sum[x] e; y = sum[x] (e/z)*v", 1, "m z y_1", "d + 2", false },
    { "scores", "q[n d]; k[x d]; v[x e]; b[n x]; s = sum[d] q*k*0.125 + b; m = max[x] s; w = exp(s - m); z = sum[x] w; y = sum[x] w/z*v", 1,
      "m z y_1", "e + 2", false },
    { "softcap", "s[n x]; v[x d]; t = 20*tanh(s/20); m = max[x] t; e = exp(t - m); z = sum[x] e; y = sum[x] e/z*v", 1, "m z y_1", "d + 2", false },
    { "softmin", "s[n x]; v[x d]; m = min[x] s; e = exp(m - s); z = sum[x] e; y = sum[x] e/z*v", 1, "m z y_1", "d + 2", false },
    { "powers of two", "n[r x]; p[r x]; v[x d]; N = max[x] n; w = ldexp(p, n - N); z = sum[x] w; o = sum[x] w*v; y = o/z", 1, "N z o", "d + 2", false },
    { "centred logits", "s[n x]; v[x d]; c = mean[x] s; e = exp(s - c); z = sum[x] e; y = sum[x] e/z*v", 1, "z_1 z_2 y_1", "d + 2", false },
    { "lse", "s[n x]; m = max[x] s; y = m + log(sum[x] exp(s - m))", 1, "m y_1", "2", false },
    { "shorthands", "s[n x]; v[x d]; l = logsumexp[x] s; y = sum[x] exp(s - l)*v; w = sum[x] softmax[x] s*v; u = l + w", 1,
      "l_1 l_2 y_1", "d + 2", false },
    { "via lse", "s[n x]; v[x d]; m = max[x] s; l = m + log(sum[x] exp(s - m)); y = sum[x] exp(s - l)*v", 1, "m l_1 y_1", "d + 2", false },
    { "entropy", "s[n x]; m = max[x] s; e = exp(s - m); z = sum[x] e; p = e/z; y = sum[x] p*(s - m - log(z))", 2, "m z y_1", "3", false },
    { "l1", "s[n x]; v[x d]; t = sum[x] abs(s); y = sum[x] s/t*v", 1, "t y_1", "d + 1", false },
    { "spherical", "s[n x]; v[x d]; t = sum[x] s*s; y = sum[x] s/sqrt(t)*v", 1, "t y_1", "d + 1", false },
    { "l3", "s[n x]; v[x d]; t = sum[x] abs(s)^3; y = sum[x] s/t^(1/3)*v", 1, "t y_1", "d + 1", false },
    { "max norm", "s[n x]; v[x d]; t = max[x] abs(s); y = sum[x] s/t*v", 1, "t y_1", "d + 1", false },
    { "relu of max norm", "s[n x]; v[x d]; t = max[x] abs(s); y = sum[x] relu(s/t)*v", 1, "t y_1", "d + 1", false },
    { "relu2", "s[n x]; v[x d]; e = relu2(s); t = sum[x] e; y = sum[x] e/t*v", 1, "t y_1", "d + 1", false },
    { "sigmoid", "s[n x]; v[x d]; y = sum[x] sigmoid(s)*v", 1, "y", "d", false },
    { "rmsnorm", "a[n x]; g[x]; w[x m]; eps[]; q = sum[x] a*a; y = sum[x] a*rsqrt(q/size(x) + eps)*g*w", 1, "q y_1", "m + 1", false },
    { "layernorm", "a[n x]; @g[x]; @b[x]; @w[x o]; eps[]; m = mean[x] a; v = mean[x] (a - m)*(a - m); y = sum[x] ((a - m)*rsqrt(v + eps)*g + b)*w", 2,
      "a_count a_mean v_1 y_1 y_2 y_3", "o + 3", false },
    { "variance", "m = mean[x] a; y = mean[x] (a - m)*(a - m)", 3, "a_count a_mean y_1", "3", false },
    { "covariance", "ma = mean[x] a; mb = mean[x] b; y = sum[x] (a - ma)*(b - mb)", 4, "ma_1 b_count b_mean y", "4", false },
    { "third moment", "m = mean[x] a; y = sum[x] (a - m)^3", 4, "a_count a_mean y_1 y", "4", false },
    { "fourth moment", "m = mean[x] a; y = sum[x] (a - m)^4", 5, "a_count a_mean y_1 y_2 y", "5", false },
    { "linear attention", "q[n f]; k[x f]; v[x d]; h = exp(k); S = sum[x] h*v; z = sum[x] h; y = (sum[f] q*S)/(sum[f] q*z)", 1, "S z", "f*d + f", false },
    { "gated decay", "S = scan[x] (a*S + k*v)", 1, "S_decay S", "1", true },
    { "running sum", "S = scan[x] (S + k*v)", 1, "S", "1", true },
    { "running maximum", "S = scan[x] max(S, k)", 1, "S", "1", true },
    { "gated mlp", "x[n m]; g[f m]; u[f m]; w[o f]; a = sum[m] x*g; b = sum[m] x*u; y = sum[f] a*sigmoid(a)*b*w", 1, "y", "o", false },
    { "backward", "q[n d]; k[x d]; v[x e]; do[n e]; L[n]; D[n]; s = sum[d] q*k; p = exp(s - L); g = sum[e] do*v; dq = sum[x] p*(g - D)*k", 1,
      "dq", "d", false },
    { "two passes", "s[x]; m = max[x] s; z = sum[x] exp(s - m); p = exp(s - m)/z; t = sum[x] p*p; y = sum[x] (p/t)*v", 1, "m z t_1 y_1", "4", false },
    { "kl", "a = sum[x] u; b = sum[x] v; p = u/a; q = v/b; y = sum[x] p*log(p/q)", 2, "a b y_1", "3", false },
    { "top-k", "s[n x]; t = top_k[x -> k] s; y = sum[k] t", 1, "t", "k", true },
    { "top-k after a norm", "s[n x]; t = sum[x] abs(s); y = top_k[x -> k] s/t", 1, "t y_1", "k + 1", false },
    { "largest", "s[n x]; i = argmax[x] s", 1, "i", "1", true },
    { "two axes", "a[n x j]; w[n x j]; m = max[x j] a; e = exp(a - m); z = sum[x j] e; y = sum[x j] e/z*w", 1, "m z y_1", "3", false },
    { "late axis", "a[n x j]; t = sum[x] a*a; y = sum[x j] a/sqrt(t)*w", 1, "t y_1", "2*j", false },
    { "within the body", "a[n x]; b[x j]; t = sum[x] a*a; u = sum[j] b*a/t; y = sum[x] u*u", 1, "t y_1", "2", false },
    { "a static 0", "zero[]; a[x]; b[x]; n = sum[x] abs(a); y = sum[x] (zero*a/n + b/n)", 1, "n y_1", "2", false },
    { "shifted maximum", "s[n x]; m = mean[x] s; t = s - m; h = max[x] t; e = exp(t - h); y = sum[x] e", 1, "h_1 y", "2", false },
};

/* The stream of a catalogue region: x, or f, n where the text reduces that. */
static const char *axis_of(const region_case *test)
{
    return strstr(test->text, "sum[f] a*sigmoid") ? "f" : "x";
}

static void fill(stream_test *stream, dice *d, const region_case *test)
{
    for (uint32_t i = 0; i < stream->region->value_count; i++) {
        const met_region_value *value = &stream->region->values[i];
        size_t count = 1;
        for (uint32_t l = 0; l < stream->region->loop_count; l++)
            count *= value->loops >> l & 1 ? stream->sizes[l] : 1;
        double *array = MET_NEW_ARRAY(stream->arena, double, count);
        bool positive = value->positive || strcmp(test->id, "kl") == 0;
        for (size_t k = 0; k < count; k++)
            array[k] = test->exact ? floor(roll_number(d, -3, 4)) : positive ? roll_number(d, 1, 3) : roll_number(d, -3, 3);
        if (strcmp(value->name, "zero") == 0)
            array[0] = 0;
        if (value->input)
            stream->inputs[i] = array;
        if (strcmp(value->name, "n") == 0 && test->rank == 1 && strcmp(test->id, "powers of two") == 0)
            for (size_t k = 0; k < count; k++)
                array[k] = floor(array[k]);
    }
}

static void check_names(const region_case *test, const stream_test *stream)
{
    met_text names = met_text_new(stream->arena), words = met_text_new(stream->arena);
    for (uint32_t i = 0; i < stream->term->state_count; i++)
        met_text_format(&names, "%s%s", i ? " " : "", stream->term->values[stream->term->states[i].value].name);
    if (strcmp(met_text_done(&names), test->states) != 0)
        fail_msg("%s: states %s, not %s", test->id, met_text_done(&names), test->states);
    met_dim_print(&words, met_stream_words(stream->arena, stream->term), stream->region->size_name, stream->region->size_context);
    if (strcmp(met_text_done(&words), test->words) != 0)
        fail_msg("%s: %s words, not %s", test->id, met_text_done(&words), test->words);
}

/* Outputs from a state are those of the region computed whole. */
static void check_outputs(const region_case *test, stream_test *stream, const double *state, const char *how)
{
    for (uint32_t v = 0; v < stream->term->value_count; v++) {
        const met_stream_value *value = &stream->term->values[v];
        if (!value->output)
            continue;
        size_t count = 1;
        for (uint32_t l = 0; l < stream->region->loop_count; l++)
            count *= value->loops >> l & 1 ? stream->sizes[l] : 1;
        const double *want = met_region_evaluate(stream->arena, stream->region, stream->sizes, stream->inputs, value->origin);
        const double *got = met_stream_run_value(stream->run, state, v);
        char id[120];
        snprintf(id, sizeof id, "%s, %s, %s", test->id, value->name, how);
        /* a few hundred roundings of numbers not larger than 10^3 times the result */
        expect_close(id, got, want, count, test->exact ? 0 : 1e-10);
    }
}

static void run_case(const region_case *test)
{
    stream_test stream = stream_of(test->text, axis_of(test));
    dice d = { 0x9e3779b97f4a7c15u };
    check_term(test->id, stream.term, true, test->rank, true);
    check_names(test, &stream);
    for (uint32_t i = 0; i < stream.region->loop_count; i++)
        stream.sizes[i] = i == stream.term->stream ? 11 : 2 + i % 2;
    fill(&stream, &d, test);
    stream_start(&stream);
    for (int pass = 0; pass < 2; pass++) {
        double *state = MET_NEW_ARRAY(stream.arena, double, met_stream_run_numbers(stream.run));
        met_stream_run_begin(stream.run, state);
        uint64_t middle = pass == 0 ? 11 : roll(&d) % 12;
        met_stream_run_push(stream.run, state, 0, middle);
        met_stream_run_push(stream.run, state, middle, 11);
        check_outputs(test, &stream, state, "in slices");
    }
    for (int trial = 0; trial < 12; trial++)
        check_outputs(test, &stream, rebracketed(&stream, &d, 0, 11), "re-bracketed");
    stream_close(&stream);
}

static void test_catalogue(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof catalogue / sizeof *catalogue; i++)
        run_case(&catalogue[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_legality),
        cmocka_unit_test(test_catalogue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
