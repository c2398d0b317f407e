/* From kernels that are measured to prices: with a clock of the test's, so that every figure is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "host/kernel_bench.h"
#include "host/kernel_key.h"
#include "host/measured.h"
#include "host/subject_parts.h"
#include "met/eval.h"
#include "plan/region.h"

static char directory[] = "/tmp/met-measured-XXXXXX";
static char store[300];

#define DIGEST(c) c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    snprintf(store, sizeof store, "%s/store.sqlite", directory);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    remove(store);
    return rmdir(directory);
}

static int fresh(void **state)
{
    remove(store);
    *state = met_session_new();
    return 0;
}

static int done(void **state)
{
    met_session_free(*state);
    return 0;
}

static double tick(void *context)
{
    return *(double *)context += 0x1p-10;
}

static const met_subject *subject_of(met_session *session, const char *text)
{
    uint32_t source = met_session_add_source(session, "test", text, strlen(text));
    met_circuit *circuit = met_circuit_read(session, source, NULL);
    static const met_eval_options options = { .fill = "wave", .dtype = "f32" };
    const char *settings[] = { "x=5", "m=3", "k=4" };
    circuit = circuit ? met_circuit_bind_each(circuit, 3, settings) : NULL;
    const met_subject *subject = circuit ? met_subject_new(circuit, &options, 0, NULL) : NULL;
    if (!subject)
        fail_msg("%s", met_session_diagnostics_text(session));
    return subject;
}

/* One of two ops that are the same, a weight, and a composite that is several kernels by itself or one. */
static const char text[] = "linear[k -> m] @ exp @ exp @ 'x m -> x m' @ softmax[m]";

static const met_bench *benched(met_session *session, const met_subject *subject, const char *planner, double *now)
{
    met_bench_options options = { .way = { .planner = planner, .hardware = "cpu-scalar", .threads = 1 }, .repeats = 5,
                                  .clock = { tick, now } };
    const met_bench *bench = met_kernel_bench(subject, &options);
    if (!bench)
        fail_msg("%s", met_session_diagnostics_text(session));
    return bench;
}

static void recorded(met_session *session, const met_bench *bench, const char *blueprint)
{
    size_t count;
    met_evidence *evidence = met_evidence_open(session, store, true);
    const met_evidence_row *rows = met_bench_rows(session, bench, "here", blueprint, 1, &count);
    if (!evidence || !met_evidence_put(evidence, count, rows))
        fail_msg("%s", met_session_diagnostics_text(session));
    met_evidence_close(evidence);
}

/* A sample is one run, and takes one tick: warm, cold, and whatever the kernel is. */
static void test_times_follow_from_the_clock(void **state)
{
    double now = 0;
    const met_bench *bench = benched(*state, subject_of(*state, text), "ops", &now);
    uint32_t kernels = 0;
    for (size_t k = 0; k < bench->kernel_count; k++) {
        assert_true(bench->kernels[k].warm.median == 0x1p-10 && bench->kernels[k].warm.spread == 0);
        assert_int_equal(bench->kernels[k].warm.repeats, 5);
        assert_true(!bench->kernels[k].has_cold || bench->kernels[k].cold.min == 0x1p-10);
        kernels += bench->kernels[k].count;
    }
    assert_true(bench->warm_s == kernels * 0x1p-10);
    /* the second exp is the first one again */
    bool twice = false;
    for (size_t k = 0; k < bench->kernel_count; k++)
        twice = twice || (bench->kernels[k].count == 2 && strcmp(bench->kernels[k].sizes, "x=5 m=3") == 0);
    assert_true(twice);
}

/* What a kernel's code is does not depend on the plan that it is in. */
static void test_code_without_a_plan(void **state)
{
    static const char *const planners[] = { "none", "fused", "whole" };
    met_session *session = *state;
    const met_subject *subject = subject_of(session, text);
    const met_class *class = met_class_find("cpu-scalar");
    met_compiler *compiler = met_compiler_new(session, NULL);
    assert_non_null(compiler);
    const met_derivation *facts = met_derivation_new(subject->circuit);
    for (size_t p = 0; p < 3; p++) {
        double now = 0;
        const met_bench *bench = benched(session, subject, planners[p], &now);
        met_way way = { .planner = planners[p], .hardware = "cpu-scalar", .threads = 1 };
        const met_program *program = met_subject_program(subject, &way, class);
        for (uint32_t g = 0; g < program->plan->group_count; g++) {
            const met_kernel *kernel = program->plan->groups[g];
            const char *code = met_kernel_code_now(facts, &subject->point, kernel, class, 1, compiler);
            const char *computes = met_kernel_computes(session->arena, facts, kernel);
            bool found = false;
            for (size_t k = 0; k < bench->kernel_count; k++)
                found = found || (strcmp(bench->kernels[k].computes, computes) == 0 && code &&
                                  strcmp(bench->kernels[k].kernel, code) == 0);
            assert_true(found);
        }
    }
    met_compiler_free(compiler);
}

typedef struct pricing {
    met_evidence *evidence;
    met_compiler *compiler;
    met_measured *measured;
    const met_subject *subject;
} pricing;

static pricing begin(met_session *session, const met_subject *subject, const char *blueprint)
{
    pricing p = { .evidence = met_evidence_open(session, store, false), .compiler = met_compiler_new(session, NULL),
                  .subject = subject };
    assert_true(p.evidence && p.compiler);
    met_measured_request request = { p.evidence, subject->settled, met_class_find("cpu-scalar"), "here", blueprint, 1 };
    p.measured = met_measured_new(&request, p.compiler);
    assert_non_null(p.measured);
    return p;
}

static void end(pricing *p)
{
    met_evidence_close(p->evidence);
    met_compiler_free(p->compiler);
}

/* Kernels that the nodes of the written circuit are by themselves. */
static uint32_t kernels_alone(const met_subject *subject, uint32_t node)
{
    const met_settled *s = subject->settled;
    met_kernel_list list = { { 0 } };
    met_refusal refusal;
    met_realize_request accepts = { met_class_find("cpu-scalar"), &subject->point };
    met_plan_options options = { .capacity_bytes = accepts.class->l2_bytes, .accepts = met_realize_accepts_at, .context = &accepts };
    assert_true(met_region_kernels(met_derivation_new(s->circuit), &options, subject->session->arena, s->begin[node + 1] - s->begin[node],
                                   s->nodes + s->begin[node], &list, &refusal));
    return (uint32_t)list.at.count;
}

static void test_prices_of_ops(void **state)
{
    double now = 0;
    const met_subject *subject = subject_of(*state, text);
    recorded(*state, benched(*state, subject, "ops", &now), DIGEST("b"));
    pricing p = begin(*state, subject, DIGEST("b"));
    for (uint32_t n = 0; n < subject->settled->written->node_count; n++) {
        met_node_id node = { n };
        double seconds;
        assert_true(met_measured_seconds(p.measured, 1, &node, &seconds));
        assert_true(seconds == kernels_alone(subject, n) * 0x1p-10);
    }
    size_t stale;
    met_measured_stale(p.measured, &stale);
    assert_int_equal(stale, 0);
    assert_int_equal(met_session_error_count(*state), 0);
    end(&p);
}

static void test_other_blueprints_are_no_answer(void **state)
{
    double now = 0, seconds;
    const met_subject *subject = subject_of(*state, text);
    recorded(*state, benched(*state, subject, "ops", &now), DIGEST("b"));
    pricing p = begin(*state, subject, DIGEST("c"));
    met_node_id nodes[] = { { 1 }, { 2 } }; /* both exp: one row */
    assert_false(met_measured_seconds(p.measured, 1, &nodes[0], &seconds));
    assert_false(met_measured_seconds(p.measured, 1, &nodes[1], &seconds));
    size_t stale;
    const met_stale_row *rows = met_measured_stale(p.measured, &stale);
    assert_int_equal(stale, 1);
    assert_int_equal(rows[0].why, MET_EVIDENCE_OTHER_BLUEPRINT);
    end(&p);
}

static void test_other_code_is_no_answer(void **state)
{
    double now = 0, seconds;
    const met_subject *subject = subject_of(*state, text);
    const met_bench *bench = benched(*state, subject, "ops", &now);
    met_bench changed = *bench;
    met_bench_kernel *kernels = met_session_alloc(*state, bench->kernel_count, sizeof *kernels);
    for (size_t k = 0; k < bench->kernel_count; k++) {
        kernels[k] = bench->kernels[k];
        kernels[k].kernel = DIGEST("0"); /* as another compiler would have made it */
    }
    changed.kernels = kernels;
    recorded(*state, &changed, DIGEST("b"));
    pricing p = begin(*state, subject, DIGEST("b"));
    met_node_id node = { 0 };
    assert_false(met_measured_seconds(p.measured, 1, &node, &seconds));
    size_t stale;
    const met_stale_row *rows = met_measured_stale(p.measured, &stale);
    assert_int_equal(stale, 1);
    assert_int_equal(rows[0].why, MET_EVIDENCE_OTHER_KERNEL);
    end(&p);
}

/* Three ops: each a tick, and one kernel of all of them a tick as well. */
static void test_laxity_of_a_group(void **state)
{
    double now = 0;
    const met_subject *subject = subject_of(*state, "'x m, k -> x m k' @ exp @ exp");
    met_node_id nodes[] = { { 0 }, { 1 }, { 2 } };
    recorded(*state, benched(*state, subject, "ops", &now), "");
    pricing p = begin(*state, subject, "");
    met_measured_laxity laxity = met_measured_laxity_of(p.measured, 3, nodes);
    assert_false(laxity.known);
    assert_int_equal(laxity.missing, MET_EVIDENCE_ABSENT);
    assert_int_equal(laxity.node.id, MET_NONE); /* it is the group that nobody measured */
    end(&p);
    recorded(*state, benched(*state, subject, "whole", &now), "");
    p = begin(*state, subject, "");
    laxity = met_measured_laxity_of(p.measured, 3, nodes);
    assert_true(laxity.known);
    assert_true(laxity.parts_s == 3 * 0x1p-10 && laxity.whole_s == 0x1p-10 && laxity.seconds == 0x1p-9);
    assert_false(laxity.energy_known); /* there is no counter, and that is not zero */
    end(&p);
}

/* Weights come from memory: the cold row counts where there is one. */
static void test_weights_are_cold(void **state)
{
    double now = 0, seconds;
    const met_subject *subject = subject_of(*state, text);
    const met_bench *bench = benched(*state, subject, "ops", &now);
    size_t count;
    const met_evidence_row *rows = met_bench_rows(*state, bench, "here", "", 1, &count);
    met_evidence_row *marked = met_session_alloc(*state, count, sizeof *marked);
    for (size_t r = 0; r < count; r++) {
        marked[r] = rows[r];
        marked[r].min_s = marked[r].median_s = rows[r].key.caches == MET_CACHES_COLD ? 2 : 1;
    }
    met_evidence *evidence = met_evidence_open(*state, store, true);
    assert_true(met_evidence_put(evidence, count, marked));
    met_evidence_close(evidence);
    pricing p = begin(*state, subject, "");
    met_node_id linear = { 0 }, exp = { 1 };
    if (bench->kernels[0].has_cold) {
        assert_true(met_measured_seconds(p.measured, 1, &linear, &seconds));
        assert_true(seconds == 2);
    }
    assert_true(met_measured_seconds(p.measured, 1, &exp, &seconds));
    assert_true(seconds == 1);
    end(&p);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)
    const struct CMUnitTest tests[] = {
        TEST(test_times_follow_from_the_clock),
        TEST(test_code_without_a_plan),
        TEST(test_prices_of_ops),
        TEST(test_other_blueprints_are_no_answer),
        TEST(test_other_code_is_no_answer),
        TEST(test_laxity_of_a_group),
        TEST(test_weights_are_cold),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
