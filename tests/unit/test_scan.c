/* Recurrences: steps taken one by one from a kept state have the bytes of all steps at once, in the interpreter and in
 * compiled kernels, and kernels have the interpreter's. */
#include <stdio.h>

#include "circuits.h"

#include "host/subject.h"

enum { STEPS = 7, ARRAYS = 8, CELLS = 512 };

typedef struct sample {
    const char *program; /* what has `n` as its first axis goes step by step; the first input is the state */
    const char *set;     /* sizes but that of n */
    int rows[ARRAYS];    /* by input and parameter: numbers of a step, or minus those that do not step */
} sample;

static const sample samples[] = {
    { "state h: d\na: n d, x: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, a, x)\n-> y", "d=5", { -5, 5, 5 } },
    { "state h: g r p s\nx: n g r p, dt: n g r, e: n g s, f: n g s\n"
      "y, z = ssm['g r p s, n g r p, n g r, g r, n g s, n g s, g r -> n g r p, g r p s'](h, x, dt, @a, e, f, @d)\n-> y",
      "g=2,r=2,p=3,s=4", { -48, 12, 4, 8, 8, -4, -4 } },
    { "state h: g k v\nq: n g k, e: n g k, x: n g v, a: n g, b: n g\n"
      "y, z = delta_rule['g k v, n g k, n g k, n g v, n g, n g -> n g v, g k v'](h, q, e, x, a, b)\n-> y",
      "g=2,k=3,v=4", { -24, 6, 6, 8, 2, 2 } },
    { "state h: j e\nx: n e\ny, z = causal_conv['j e, n e, e j -> n e, j e'](h, x, @w)\n-> y", "j=4,e=3", { -12, 3, -12 } },
    { "state h: d c\nx: n c\ny, z = scan['d c, n c -> n d, d c'](h, x, { (a + b)/2 + c/8 }, { a*exp(b) + i_c }, { abs(a)*b })\n-> y",
      "d=3,c=300", { -900, 300 } },
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static double number(int array, int i)
{
    return sin(0.7 * i + 1.3 * array + 0.1) / 2;
}

static const met_named_tensor *arrays_of(const met_circuit *circuit, const sample *s, int first, int count, const met_tensor *state)
{
    met_named_tensor *ins = met_arena_alloc(circuit->arena, ARRAYS, sizeof *ins);
    for (uint32_t k = 0; k < circuit->input_count + circuit->parameter_count; k++) {
        const met_edge *edge = &circuit->edges[k]; /* inputs, then parameters */
        uint64_t shape[MET_RANK_LIMIT];
        for (uint32_t p = 0; p < edge->rank; p++)
            assert_true(met_circuit_size(circuit, edge->axes[p], &shape[p]));
        met_tensor *tensor = met_tensor_new(circuit->session, "f64", edge->rank, shape);
        assert_int_equal(tensor->count, s->rows[k] < 0 ? -s->rows[k] : count * s->rows[k]);
        for (size_t i = 0; i < tensor->count; i++)
            tensor->values[i] = number((int)k, (int)i + (s->rows[k] < 0 ? 0 : first * s->rows[k]));
        if (k == 0 && state)
            memcpy(tensor->values, state->values, tensor->count * sizeof(double));
        ins[k] = (met_named_tensor){ met_sym_text(circuit->session, edge->name), tensor };
    }
    return ins;
}

static const met_eval_result *run_steps(met_session *session, const sample *s, int first, int count, const met_tensor *state,
                                        const char *dtype, const char *planner, const char *hardware)
{
    char set[64];
    snprintf(set, sizeof set, "%s,n=%d", s->set, count);
    const met_circuit *circuit = circuit_of(session, s->program, set);
    met_eval_options *options = met_arena_alloc(circuit->arena, 1, sizeof *options);
    *options = (met_eval_options){ .dtype = dtype };
    const met_named_tensor *ins = arrays_of(circuit, s, first, count, state);
    met_way way = { .planner = planner, .hardware = hardware, .poison = true };
    const met_subject *subject = met_subject_new(circuit, options, circuit->input_count + circuit->parameter_count, ins);
    const met_outcome *outcome = subject ? met_subject_run(subject, &way) : NULL;
    if (!outcome)
        fail_msg("%s\n%s", s->program, met_session_diagnostics_text(session));
    assert_int_equal(outcome->result->state_count, 1);
    return outcome->result;
}

static void same_values(const sample *s, const char *way, const double *a, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0)
            fail_msg("%s\n%s: element %zu is %.17g and %.17g", s->program, way, i, a[i], b[i]);
}

static void step_by_step(const sample *s, const char *dtype, const char *planner, const char *hardware)
{
    met_session *session = met_session_new();
    const met_eval_result *reference = run_steps(session, s, 0, STEPS, NULL, dtype, "none", "interpreter");
    const met_tensor *y = reference->arrays[0].tensor, *last = reference->arrays[1].tensor, *state = NULL;
    size_t row = y->count / STEPS;
    static const int counts[] = { 3, 1, 1, 2 };
    for (int k = 0, first = 0; k < 4; first += counts[k++]) {
        const met_eval_result *part = run_steps(session, s, first, counts[k], state, dtype, planner, hardware);
        same_values(s, hardware, part->arrays[0].tensor->values, y->values + (size_t)first * row, (size_t)counts[k] * row);
        state = part->arrays[1].tensor;
    }
    same_values(s, hardware, state->values, last->values, last->count);
    const met_eval_result *whole = run_steps(session, s, 0, STEPS, NULL, dtype, planner, hardware);
    same_values(s, hardware, whole->arrays[0].tensor->values, y->values, y->count);
    met_session_free(session);
}

static void steps_are_those_of_a_whole_run(void **state)
{
    (void)state;
    for (int k = 0; k < SAMPLES; k++) {
        step_by_step(&samples[k], "f64", "none", "interpreter");
        step_by_step(&samples[k], "f32", "none", "interpreter");
        step_by_step(&samples[k], "f32", "none", "cpu-scalar");
        step_by_step(&samples[k], "f32", "fused", "cpu");
        step_by_step(&samples[k], "bf16", "fused", "cpu");
    }
}

/* The delta rule stores v under k: with no decay and beta 1, what is read at a unit key is what was written there last. */
static void delta_rule_remembers(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const char *program = "h: k v, q: n k, e: n k, x: n v, a: n, b: n\n"
                          "y, z = delta_rule['k v, n k, n k, n v, n, n -> n v, k v'](h, q, e, x, a, b)\n-> z";
    const met_circuit *circuit = circuit_of(session, program, "n=3,k=2,v=2");
    const met_eval_result *result =
        run_flat(circuit, NULL, 6, (const double *[]){ (double[]){ 9, 9, 9, 9 }, (double[]){ 1, 0, 1, 0, 1, 0 },
                                                       (double[]){ 1, 0, 0, 1, 1, 0 }, (double[]){ 1, 2, 3, 4, 5, 6 },
                                                       (double[]){ 1, 1, 1 }, (double[]){ 1, 1, 1 } });
    expect_close("memory", 4, result->arrays[0].tensor->values, (double[]){ 5, 6, 3, 4 }, 0);
    met_session_free(session);
}

static void expect_refusal(const char *program, const char *words)
{
    met_session *session = met_session_new();
    const met_circuit *circuit = met_circuit_read(session, met_session_add_source(session, "test", program, strlen(program)), NULL);
    assert_null(circuit);
    if (!strstr(met_session_diagnostics_text(session), words))
        fail_msg("%s", met_session_diagnostics_text(session));
    met_session_free(session);
}

static void what_is_no_recurrence(void **state)
{
    (void)state;
    expect_refusal("h: d, x: n d\ny, z = gated_decay['d, n d, n d -> n d'](h, x, x)", "two results");
    expect_refusal("h: d, x: n d\ny, z = gated_decay['d, n d, n d -> d, d'](h, x, x)", "runs along one label");
    expect_refusal("h: d, x: n m d\ny, z = gated_decay['d, n m d, n m d -> n m d, d'](h, x, x)", "runs along one label");
    expect_refusal("h: e, x: n d\ny, z = gated_decay['e, n d, n d -> n d, d'](h, x, x)", "the first array is the state");
    expect_refusal("h: d, x: n d, w: c\ny, z = gated_decay['d, n d, c -> n d, d'](h, x, w)", "stands in one of its results");
    expect_refusal("h: d, x: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, x, mask[n d](x, keep = { i_n >= i_d }))", "masked");
    expect_refusal("state h: d\nx: n d\ny, z = gated_decay['d, n d, n d -> n d, d'](h, x, x)\n"
                   "v, w = gated_decay['d, n d, n d -> n d, d'](h, x, x)", "second new value");
}

/* Flops of one step of one row: gated decay 2; ssm exp(dt*a) and dt*x, then 3 a cell for the state, 2 for what is read, 2
 * for the skip. */
static void flops_are_counted(void **state)
{
    (void)state;
    static const uint64_t wanted[] = { 5 * 2, 4 * 2 + 12 + 48 * 3 + 48 * 2 + 12 * 2 };
    for (int k = 0; k < 2; k++) {
        met_session *session = met_session_new();
        char set[64];
        snprintf(set, sizeof set, "%s,n=%d", samples[k].set, STEPS);
        uint64_t flops;
        assert_true(met_circuit_flops(circuit_of(session, samples[k].program, set), &flops));
        assert_int_equal(flops, wanted[k] * STEPS);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_a_whole_run), cmocka_unit_test(delta_rule_remembers),
        cmocka_unit_test(what_is_no_recurrence),          cmocka_unit_test(flops_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
