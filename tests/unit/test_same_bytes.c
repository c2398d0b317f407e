/* The same bytes, whoever computes them: for each circuit the interpreter, every planner and every class that this machine
 * has, one thread and two, many tiles, f32 and bf16, both places of the division; and every row of a batch, whatever the
 * size of the batch. Memory that kernels must not read is NaN. */
#include <stdio.h>

#include "circuits.h"

#include "host/parity.h"
#include "host/cpu.h"
#include "host/subject_parts.h"

typedef struct sample {
    const char *name;
    const char *program;
    const char *set;       /* sizes but that of the rows */
    const char *rows;      /* the first axis of the first input and of the output */
    bool batch;            /* rows do not see each other, nor how many they are */
    const char *const *tiles; /* of the fused kernels; NULL-terminated */
    bool divides;          /* a normalizer meets a contraction: --division matters */
} sample;

static const char *const attention_tiles[] = { "q=4,x=64", "q=1,x=128", "x=192", NULL };
static const char *const norm_tiles[] = { "m=16", "m=32", NULL };
static const char *const logit_tiles[] = { "v=16", "v=64", NULL };
static const char *const mlp_tiles[] = { "f=16", "f=48", NULL };

static const sample samples[] = {
    { "attention", "'q h d, x h d -> h q x' @ scale(d^-0.5) @ softmax[x] @ 'h q x, x h d -> q h d'", "h=2,d=8,x=300", "q",
      true, attention_tiles, true },
    { "causal attention", "'q h d, x h d -> h q x' @ scale(d^-0.5) @ mask.causal[q x] @ softmax[x] @ 'h q x, x h d -> q h d'",
      "h=2,d=8,x=300", "q", false, attention_tiles, true },
    { "rmsnorm and linear", "x: n m\nlinear[m -> f](rmsnorm[m](x, @gain), @w)", "m=40,f=21", "n", true, norm_tiles, true },
    { "layernorm and linear", "x: n m\nlinear[m -> f](layernorm[m](x, @gain, @bias), @w)", "m=40,f=21", "n", true, norm_tiles, false },
    { "logits", "x: n m\nlogsumexp[v](linear[m -> v](x, @w))", "m=24,v=90", "n", true, logit_tiles, false },
    { "spherical", "'q h d, x h d -> h q x' @ l2norm[x] @ 'h q x, x h d -> q h d'", "h=2,d=8,x=300", "q", true, attention_tiles, true },
    { "mlp", "x: n m\nlinear[f -> m](silu(linear[m -> f](x, @up)), @down)", "m=24,f=70", "n", true, mlp_tiles, false },
    { "gated mlp", "x: n m\nlinear[f -> m](mul(silu(linear[m -> f](x, @gate)), linear[m -> f](x, @up)), @down)", "m=24,f=70", "n", true,
      mlp_tiles, false },
};
enum { SAMPLES = sizeof samples / sizeof *samples, ROWS = 17 };

static const char *const planners[] = { "none", "fused", "whole" };
enum { PLANNERS = sizeof planners / sizeof *planners };
static const char *const classes[] = { "cpu-scalar", "cpu-avx2", "cpu-avx512" };

static bool has_class(met_session *session, const char *name)
{
    bool has = met_cpu_class(session, name) != NULL;
    met_session_clear_diagnostics(session);
    return has;
}

static const met_subject *subject_of(met_session *session, const sample *s, const char *rows, int count,
                                     const met_eval_options *options)
{
    char set[128];
    snprintf(set, sizeof set, rows ? "%s,%s=%d" : "%s", s->set, rows, count);
    const met_subject *subject = met_subject_new(circuit_of(session, s->program, set), options, 0, NULL);
    if (!subject)
        fail_msg("%s\n%s", s->name, met_session_diagnostics_text(session));
    return subject;
}

static const met_outcome *run(const met_subject *subject, const sample *s, const met_way *way)
{
    const met_outcome *outcome = met_subject_run(subject, way);
    if (!outcome)
        fail_msg("%s, %s@%s\n%s", s->name, way->planner, way->hardware, met_session_diagnostics_text(subject->session));
    return outcome;
}

static void expect_same(const met_subject *subject, const sample *s, const met_outcome *reference, const met_way *way)
{
    const met_outcome *outcome = run(subject, s, way);
    const met_parity *parity = met_outcome_parity(subject, reference, outcome);
    if (parity->expected != MET_EXPECT_SAME || !parity->same || outcome->underflow)
        fail_msg("%s, %s, %u threads, tiles %s, division %s, %s: %s; %zu of %zu values differ, first %s and %s", s->name,
                 outcome->name, (unsigned)outcome->threads, way->tiles ? way->tiles : "chosen",
                 subject->options.division, subject->options.dtype, parity->why, parity->arrays[0].different,
                 parity->arrays[0].count, parity->arrays[0].a_hex, parity->arrays[0].b_hex);
}

/* All ways of a class. */
static void every_way(const met_subject *subject, const sample *s, const char *class, const met_outcome *reference)
{
    for (int p = 0; p < PLANNERS; p++) {
        for (uint32_t threads = 1; threads <= 2; threads++)
            expect_same(subject, s, reference,
                        &(met_way){ .planner = planners[p], .hardware = class, .threads = threads, .poison = true });
    }
    for (const char *const *tiles = s->tiles; *tiles; tiles++)
        expect_same(subject, s, reference,
                    &(met_way){ .planner = "whole", .hardware = class, .tiles = *tiles, .threads = 2, .poison = true });
}

static void every_class_of(const sample *s, const char *dtype, const char *division)
{
    met_eval_options options = { .dtype = dtype, .division = division, .fill = "normal", .seed = 7 };
    met_session *session = met_session_new();
    const met_subject *subject = subject_of(session, s, s->rows, ROWS, &options);
    const met_outcome *reference = run(subject, s, &(met_way){ .planner = "none", .hardware = "interpreter" });
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        if (has_class(session, classes[c]))
            every_way(subject, s, classes[c], reference);
        else
            print_message("%s: this machine has no %s\n", s->name, classes[c]);
    }
    met_session_free(session);
}

static void planners_classes_threads_tiles(void **state)
{
    (void)state;
    static const char *const dtypes[] = { "f32", "bf16" };
    for (size_t k = 0; k < SAMPLES; k++) {
        for (int d = 0; d < 2; d++) {
            every_class_of(&samples[k], dtypes[d], "default");
            if (samples[k].divides)
                every_class_of(&samples[k], dtypes[d], strstr(samples[k].program, "softmax") ? "eager" : "deferred");
        }
    }
}

/* Rows of the first axis are first in memory: those of a smaller batch are the first bytes of a larger one's. */
static void batches(const sample *s, const char *dtype, const char *planner)
{
    met_eval_options options = { .dtype = dtype, .fill = "normal", .seed = 3 };
    met_way way = { .planner = planner, .hardware = "cpu", .poison = true };
    met_session *session = met_session_new();
    const met_outcome *all = run(subject_of(session, s, s->rows, ROWS, &options), s, &way);
    for (int rows = 1; rows < ROWS; rows++) {
        way.threads = 1 + (uint32_t)rows % 2;
        const met_outcome *some = run(subject_of(session, s, s->rows, rows, &options), s, &way);
        size_t bytes = some->result->arrays[0].tensor->count * some->bytes[0].size;
        if (memcmp(some->bytes[0].at, all->bytes[0].at, bytes) != 0)
            fail_msg("%s, %s, %s: a batch of %d rows has other bytes than one of %d", s->name, all->name, dtype, rows, ROWS);
    }
    met_session_free(session);
}

static void rows_of_batches(void **state)
{
    (void)state;
    for (size_t k = 0; k < SAMPLES; k++) {
        for (int p = 0; p < PLANNERS && samples[k].batch; p++) {
            batches(&samples[k], "f32", planners[p]);
            batches(&samples[k], "bf16", planners[p]);
        }
    }
}

/* Rescaling in float is another numerics point, and depends on the tiles: the records say so, and it is so. */
static void float_rescaling_depends_on_tiles(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_eval_options options = { .dtype = "f32", .numerics = "float", .fill = "normal", .seed = 2 };
    met_way way = { .planner = "fused", .hardware = "cpu", .tiles = "x=64" };
    const met_subject *subject = subject_of(session, &samples[0], "q", ROWS, &options);
    const met_outcome *a = run(subject, &samples[0], &way), *again = run(subject, &samples[0], &way);
    way.tiles = "x=128";
    const met_outcome *b = run(subject, &samples[0], &way);
    const met_parity *parity = met_outcome_parity(subject, a, b);
    assert_int_equal(parity->expected, MET_EXPECT_OPEN);
    assert_non_null(strstr(parity->why, "rescale float 64"));
    assert_false(parity->same);
    parity = met_outcome_parity(subject, a, again);
    assert_int_equal(parity->expected, MET_EXPECT_SAME);
    assert_true(parity->same);
    met_session_free(session);
}

/* Scores so far apart that a weight is tiny: nothing is claimed any more, whichever side it happened on. */
static void underflow_voids_the_claim(void **state)
{
    (void)state;
    static const double far[] = { 0.3f, 60, 0.7f, 0 };
    static const uint64_t shape[] = { 4 };
    met_session *session = met_session_new();
    met_tensor *x = met_tensor_new(session, "f32", 1, shape);
    memcpy(x->values, far, sizeof far);
    met_named_tensor in = { "in0", x };
    met_eval_options options = { .dtype = "f32" };
    const met_subject *subject = met_subject_new(circuit_of(session, "softmax[x]", ""), &options, 1, &in);
    assert_non_null(subject);
    met_way kernels = { .planner = "fused", .hardware = "cpu" }, interpreter = { .planner = "none", .hardware = "interpreter" };
    const met_outcome *a = met_subject_run(subject, &kernels), *b = met_subject_run(subject, &interpreter);
    assert_non_null(a);
    assert_non_null(b);
    assert_false(a->underflow);
    x->values[1] = 100;
    a = met_subject_run(subject, &kernels);
    b = met_subject_run(subject, &interpreter);
    assert_true(a->underflow);
    const met_parity *parity = met_outcome_parity(subject, a, b);
    assert_int_equal(parity->expected, MET_EXPECT_SAME); /* nothing is rescaled in either */
    /* as if the sum had been rescaled */
    met_plan_numerics numerics = *a->numerics;
    met_outcome rescaled = *a;
    met_node_numerics nodes[16];
    assert_true(subject->circuit->node_count <= 16);
    memcpy(nodes, numerics.nodes, subject->circuit->node_count * sizeof *nodes);
    for (uint32_t n = 0; n < subject->circuit->node_count; n++)
        nodes[n].tree.rescale = nodes[n].tree.level_count > 0 ? MET_RESCALE_POW2 : MET_RESCALE_NONE;
    numerics.nodes = nodes;
    rescaled.numerics = &numerics;
    parity = met_outcome_parity(subject, &rescaled, b);
    assert_int_equal(parity->expected, MET_EXPECT_VOID);
    assert_non_null(strstr(parity->why, "underflowed in a"));
    rescaled.underflow = false;
    assert_int_equal(met_outcome_parity(subject, &rescaled, b)->expected, MET_EXPECT_SAME);
    met_session_free(session);
}

/* The comparison can fail: another order of the sums has other bytes, and the records say so. */
static void different_trees_are_told(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    met_eval_options lanes = { .dtype = "f32", .fill = "normal", .tree = "lanes16" }, order = { .dtype = "f32", .fill = "normal" };
    const sample s = { "sum", "sum[x]", "x=1000", NULL, false, NULL, false };
    order.tree = "sequential";
    met_way way = { .planner = "none", .hardware = "interpreter" };
    const met_subject *subject = subject_of(session, &s, NULL, 0, &lanes);
    const met_outcome *a = run(subject, &s, &way), *b = run(subject_of(session, &s, NULL, 0, &order), &s, &way);
    const met_parity *parity = met_outcome_parity(subject, a, b);
    assert_int_equal(parity->expected, MET_EXPECT_OPEN);
    assert_non_null(strstr(parity->why, "lanes16"));
    assert_false(parity->same);
    assert_int_equal(parity->arrays[0].different, 1);
    assert_string_not_equal(parity->arrays[0].a_hex, parity->arrays[0].b_hex);
    assert_true(parity->arrays[0].ulps > 0 && parity->arrays[0].ulps < 1000);
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planners_classes_threads_tiles),
        cmocka_unit_test(rows_of_batches),
        cmocka_unit_test(float_rescaling_depends_on_tiles),
        cmocka_unit_test(underflow_voids_the_claim),
        cmocka_unit_test(different_trees_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
