/* Online softmax sums: known bits, independence of the slices with powers of two, dependence on them without, and the
 * underflow flag between the two. */
#include <fenv.h>
#include <stdio.h>

#include "cases.h"
#include "circuits.h"

#include "number/exp2.h"
#include "number/function.h"
#include "number/online.h"

#include "on_arena.h"

#define RESCALING MET_TEST_DATA_DIR "/rescaling.toml"

enum { TERMS = 512, WIDTH = 4 };

typedef struct row {
    uint64_t n, width;
    double score[TERMS], base[TERMS], factor[TERMS], values[TERMS * WIDTH];
    bool live[TERMS];
} row;

typedef struct outcome {
    double base, sum, mix[WIDTH], out[WIDTH];
    bool underflow;
} outcome;

static met_online_rule rule_of(met_rescale rescale, const char *sum, float (*exponential)(float))
{
    met_online_rule rule = {.mix = met_tree_sequential(MET_F32), .exponential = exponential, .weights = MET_F32};
    assert_true(met_tree_parse(met_str_of(sum), MET_F32, &rule.sum));
    rule.mix.rescale = (uint8_t)rescale;
    rule.mix.slice = rescale == MET_RESCALE_FLOAT;
    return rule;
}

static float quotient(double a, double b)
{
    volatile float top = (float)a, bottom = (float)b; /* at run time, for its flag */
    return top / bottom;
}

/* Slice k is slices[k] long; without slices all are `each` long. */
static outcome run_row(const met_online_rule *rule, const row *r, const met_value *slices, uint64_t each)
{
    outcome o = {0};
    met_online *online = met_online_new(arena, rule, r->n, r->width);
    feclearexcept(FE_ALL_EXCEPT);
    for (uint64_t at = 0, k = 0; at < r->n; k++) {
        uint64_t count = slices ? (uint64_t)slices->items.at[k]->integer : each < r->n - at ? each : r->n - at;
        bool pow2 = rule->mix.rescale == MET_RESCALE_POW2;
        met_online_slice(online, count, (pow2 ? r->base : r->score) + at, pow2 ? r->factor + at : NULL, r->live + at,
                         r->values + at * r->width);
        at += count;
    }
    met_online_end(online, &o.base, &o.sum, o.mix);
    for (uint64_t j = 0; j < r->width; j++) {
        o.out[j] = (double)quotient(o.mix[j], o.sum);
    }
    o.underflow = fetestexcept(FE_UNDERFLOW) != 0;
    return o;
}

/* n and p of the pow2 point, from a score. */
static void split_score(row *r, uint64_t i, float score)
{
    float t = score * MET_LOG2E_HIGH, n = rintf(t);
    r->live[i] = score > -INFINITY;
    r->score[i] = (double)score;
    r->base[i] = (double)n;
    r->factor[i] = r->live[i] ? (double)met_exp2_poly(t - n) : 0;
}

/* --- Known values --- */

static row *read_row(const test_case *test)
{
    const met_value *scores = field(test->in, "scores"), *values = field(test->in, "values");
    row *r = MET_NEW(arena, row);
    r->n = scores->items.count;
    for (uint64_t i = 0; i < r->n; i++) {
        const met_value *at = values->items.at[i];
        r->width = at->kind == MET_VALUE_LIST ? at->items.count : 1;
        for (uint64_t j = 0; j < r->width; j++) {
            r->values[i * r->width + j] = f32_of(at->kind == MET_VALUE_LIST ? at->items.at[j] : at);
        }
        split_score(r, i, (float)f32_of(scores->items.at[i]));
    }
    return r;
}

static uint32_t f32_bits(double value)
{
    return met_bits_f32((float)value);
}

static void pow2_case(const test_case *test)
{
    row *r = read_row(test);
    const met_value *slicings = field(test->in, "slicings"), *n = field(test->out, "n"), *p = field(test->out, "p");
    met_online_rule rule = rule_of(MET_RESCALE_POW2, "sequential", NULL);
    rule.weights = met_str_is(string_field(test->in, "weights"), "bf16") ? MET_BF16 : MET_F32;
    for (uint64_t i = 0; i < r->n; i++) {
        double exact = f32_of(p->items.at[i]);
        assert_true(!r->live[i] || r->base[i] == (double)n->items.at[i]->integer);
        assert_true(fabs(r->factor[i] - exact) <= met_ulp(MET_F32, exact));
        r->factor[i] = exact;
    }
    for (size_t s = 0; s < slicings->items.count; s++) {
        outcome o = run_row(&rule, r, slicings->items.at[s], 0);
        assert_true(o.base == (double)field(test->out, "base")->integer);
        expect_bits(test, f32_bits(o.sum), bits_field(test->out, "z"));
        for (uint64_t j = 0; j < r->width; j++) {
            expect_bits(test, f32_bits(o.mix[j]), bits_of(field(test->out, "o")->items.at[j]));
            expect_bits(test, f32_bits(o.out[j]), bits_of(field(test->out, "out")->items.at[j]));
        }
        expect_bits(test, o.underflow, field(test->out, "underflow")->boolean);
    }
}

/* p = 2^f rounded to nearest: by the C library in double, which is right here unless it lies within 2^-28 ulps of a tie. */
static void exact_factors(row *r, const met_value *scores)
{
    for (uint64_t i = 0; i < r->n; i++) {
        float t = (float)f32_of(scores->items.at[i]) * MET_LOG2E_HIGH;
        r->factor[i] = r->live[i] ? (double)(float)exp2((double)(t - rintf(t))) : 0;
    }
}

static void pow2_under_case(const test_case *test)
{
    row *r = read_row(test);
    const met_value *slicings = field(test->in, "slicings");
    met_online_rule rule = rule_of(MET_RESCALE_POW2, "sequential", NULL);
    exact_factors(r, field(test->in, "scores"));
    for (size_t s = 0; s < slicings->items.count; s++) {
        outcome o = run_row(&rule, r, slicings->items.at[s], 0);
        const met_value *out = field(test->out, "outs")->items.at[s];
        expect_bits(test, f32_bits(o.out[0]), bits_of(out->kind == MET_VALUE_LIST ? out->items.at[0] : out));
        expect_bits(test, f32_bits(o.sum), bits_of(field(test->out, "z")->items.at[s]));
        expect_bits(test, o.underflow, field(test->out, "underflow")->items.at[s]->boolean);
    }
}

static float library_exponential(float x)
{
    return (float)exp((double)x);
}

static void classic_case(const test_case *test)
{
    row *r = read_row(test);
    const met_value *slicings = field(test->in, "slicings");
    met_online_rule rule = rule_of(MET_RESCALE_FLOAT, "sequential", library_exponential);
    for (size_t s = 0; s < slicings->items.count; s++) {
        outcome o = run_row(&rule, r, slicings->items.at[s], 0);
        expect_bits(test, f32_bits(o.out[0]), bits_of(field(test->out, "outs")->items.at[s]));
    }
}

static void known_values(void **state)
{
    (void)state;
    each_case(RESCALING, "pow2", 7, pow2_case);
    each_case(RESCALING, "pow2_under", 5, pow2_under_case);
    each_case(RESCALING, "classic", 2, classic_case);
}

/* --- Any slices --- */

static void random_row(row *r, uint64_t seed, uint64_t n)
{
    double scores[TERMS];
    r->n = n;
    r->width = WIDTH;
    assert_true(met_fill("normal", seed, 0, 0, n, scores) && met_fill("normal", seed, 1, 0, n * WIDTH, r->values));
    for (uint64_t i = 0; i < n; i++) {
        split_score(r, i, (float)(4 * scores[i]));
        r->live[i] = seed % 3 != 0 || i % 5 != seed % 5;
        for (int j = 0; j < WIDTH; j++) {
            r->values[i * WIDTH + (uint64_t)j] = (double)(float)r->values[i * WIDTH + (uint64_t)j];
        }
    }
}

static bool same_outcome(const outcome *a, const outcome *b)
{
    return a->sum == b->sum && memcmp(a->mix, b->mix, sizeof a->mix) == 0;
}

static void powers_of_two_do_not_show(void **state)
{
    (void)state;
    static const char *const sums[] = {"sequential", "lanes16", "pairwise", "contiguous 4 sequential then adjacent"};
    row *r = MET_NEW(arena, row);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        random_row(r, seed, 1 + seed * 7);
        met_online_rule rule = rule_of(MET_RESCALE_POW2, sums[seed % 4], NULL);
        rule.weights = seed % 2 ? MET_F32 : MET_BF16;
        outcome whole = run_row(&rule, r, NULL, r->n);
        assert_false(whole.underflow);
        for (uint64_t each = 1; each < r->n; each += 1 + each / 3) {
            outcome cut = run_row(&rule, r, NULL, each);
            assert_true(!cut.underflow && same_outcome(&whole, &cut));
        }
    }
}

/* With rounded exponentials the slices show: in most rows, and whichever exponential it is. */
static void float_factors_show(void **state)
{
    (void)state;
    float (*const exponentials[])(float) = {library_exponential, met_expp};
    row *r = MET_NEW(arena, row);
    for (int e = 0; e < 2; e++) {
        met_online_rule rule = rule_of(MET_RESCALE_FLOAT, "lanes16", exponentials[e]);
        int differ = 0;
        for (uint64_t seed = 1; seed <= 40; seed++) {
            random_row(r, seed, 200);
            outcome whole = run_row(&rule, r, NULL, r->n);
            bool differs = false;
            for (uint64_t each = 1; each < r->n; each *= 2) {
                outcome cut = run_row(&rule, r, NULL, each);
                differs = differs || !same_outcome(&whole, &cut);
            }
            differ += differs;
        }
        assert_true(differ > 20);
    }
}

/* A stream in slices is what the interpreter computes of attention, query by query: the circuit knows the largest base from
 * the start. */
static void streams_are_circuits(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit =
        circuit_of(session, "s: q x, v: x d\n'q x, x d -> q d'(softmax[x](mask.causal[q x](s)), v)", "q=9,x=70,d=4");
    double s[9 * 70], v[70 * WIDTH];
    assert_true(met_fill("normal", 21, 0, 0, 9 * 70, s) && met_fill("normal", 21, 1, 0, 70 * WIDTH, v));
    met_eval_options options = {.dtype = "f32"};
    const met_tensor *want = run_flat(circuit, &options, 2, (const double *[]){s, v})->arrays[0].tensor;
    met_online_rule rule = rule_of(MET_RESCALE_POW2, "lanes16", NULL);
    row *r = MET_NEW(arena, row);
    r->n = 70;
    r->width = WIDTH;
    for (int i = 0; i < 70 * WIDTH; i++) {
        r->values[i] = (double)(float)v[i];
    }
    for (int q = 0; q < 9; q++) {
        for (uint64_t x = 0; x < 70; x++) {
            split_score(r, x, (float)s[(uint64_t)q * 70 + x]);
            r->live[x] = x <= (uint64_t)q + 61;
        }
        for (uint64_t each = 1; each < 80; each += 13) {
            outcome o = run_row(&rule, r, NULL, each);
            assert_memory_equal(o.out, want->values + q * WIDTH, sizeof o.out);
        }
    }
    met_session_free(session);
}

static void nothing_live(void **state)
{
    (void)state;
    row *r = MET_NEW(arena, row);
    random_row(r, 1, 20);
    memset(r->live, 0, sizeof r->live);
    met_online_rule rule = rule_of(MET_RESCALE_POW2, "lanes16", NULL);
    outcome o = run_row(&rule, r, NULL, 7);
    assert_true(o.sum == 0 && o.mix[0] == 0 && isinf(o.base) && !o.underflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(powers_of_two_do_not_show),
        cmocka_unit_test(float_factors_show),
        cmocka_unit_test(streams_are_circuits),
        cmocka_unit_test(nothing_live),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
