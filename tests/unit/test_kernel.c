/* Known regions: what their kernels and plans look like (tests/data/kernels), that they mean what their nodes mean, and
 * what is refused. MET_BLESS=1 rewrites the expected texts. */
#include <stdio.h>

#include "base/value.h"
#include "derive/kernel_text.h"
#include "host/file.h"
#include "host/toml.h"
#include "kernel_run.h"
#include "plan/text.h"

#define CASES MET_TEST_DATA_DIR "/kernels/"

static const char *text_field(met_session *session, const met_value *item, const char *key, const char *otherwise)
{
    const met_value *value = met_value_get(item, key);
    return value ? met_arena_text(session->arena, value->string.at, value->string.length) : otherwise;
}

/* The text, or the expected one rewritten. */
static void expect_text(met_session *session, const char *name, const char *text)
{
    char path[512];
    const char *wanted = "";
    size_t length = 0;
    snprintf(path, sizeof path, CASES "%s.txt", name);
    if (getenv("MET_BLESS")) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        assert_true(fputs(text, file) >= 0);
        assert_int_equal(fclose(file), 0);
        return;
    }
    if (!met_file_read(session, path, 1 << 20, &wanted, &length))
        fail_msg("%s", met_session_diagnostics_text(session));
    if (strcmp(text, wanted) != 0)
        fail_msg("%s is\n%s\nand should be\n%s", name, text, wanted);
}

/* Outputs of a kernel of the whole circuit against those of single nodes, for several lengths of slice. */
static void expect_same_bits(const char *name, const met_kernel *kernel)
{
    met_point point = met_point_of(MET_F32);
    const met_circuit *circuit = kernel->circuit;
    const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_NONE, NULL);
    kernel_run *single = kernel_run_new(circuit);
    fill_sources(single, 1);
    for (uint32_t g = 0; g < plan->group_count; g++)
        run_kernel(single, plan->groups[g], 1000);
    for (uint64_t slice = 1; slice < 8; slice++) {
        kernel_run *run = kernel_run_new(circuit);
        fill_sources(run, 1);
        run_kernel(run, kernel, slice);
        for (uint32_t i = 0; i < circuit->output_count; i++)
            if (first_difference(single, run, circuit->outputs[i]) >= 0)
                fail_msg("%s differs in slices of %d", name, (int)slice);
    }
}

static bool all_exact(const met_kernel *kernel)
{
    for (uint32_t a = 0; a < kernel->accumulator_count; a++)
        if (kernel->accumulators[a].base != MET_NONE && !kernel->accumulators[a].exact)
            return false;
    return true;
}

/* The kernel of the nodes in a list; of all without one. */
static const met_kernel *kernel_of_nodes(const met_circuit *circuit, const met_value *list, const char *stream,
                                         met_refusal *ret_refusal)
{
    if (!list)
        return kernel_of(circuit, 0, circuit->node_count, stream, ret_refusal);
    met_node_id *nodes = met_arena_alloc(circuit->arena, list->items.count, sizeof *nodes);
    for (size_t i = 0; i < list->items.count; i++)
        nodes[i].id = (uint32_t)list->items.at[i]->number;
    met_derive_options options = { .stream = stream };
    const met_kernel *kernel = met_kernel_derive(circuit, (uint32_t)list->items.count, nodes, &options, ret_refusal);
    if (kernel)
        assert_null(met_kernel_check(kernel));
    return kernel;
}

/* Running kernels literally is for small arrays. */
static bool small(const met_circuit *circuit)
{
    uint64_t size = 0;
    for (uint32_t a = 0; a < circuit->axis_count; a++)
        if (!met_circuit_size(circuit, (met_axis_id){ a }, &size) || size > 64)
            return false;
    return true;
}

static void check_case(met_session *session, const met_value *item)
{
    const char *name = text_field(session, item, "name", NULL), *stream = text_field(session, item, "stream", NULL);
    met_numerics numerics;
    assert_true(met_numerics_find(met_str_of(text_field(session, item, "numerics", "pow2")), &numerics));
    const char *division = text_field(session, item, "division", "eager");
    const met_circuit *circuit =
        settled_of(session, text_field(session, item, "program", ""), text_field(session, item, "set", ""), numerics,
                   strcmp(division, "eager") == 0 ? MET_DIVISION_EAGER : MET_DIVISION_DEFERRED);
    met_text text = met_text_new(session->arena);
    met_refusal refusal;
    const met_kernel *kernel = kernel_of_nodes(circuit, met_value_get(item, "nodes"), stream, &refusal);
    if (kernel) {
        met_kernel_print(&text, kernel);
        if (all_exact(kernel) && kernel->step_count == circuit->node_count && small(circuit))
            expect_same_bits(name, kernel);
    } else {
        met_text_format(&text, "refused: %s", refusal.reason);
        met_text_put(&text, refusal.help ? " (" : "");
        met_text_put(&text, refusal.help ? refusal.help : "");
        met_text_put(&text, refusal.help ? ")\n" : "\n");
    }
    met_point point = met_point_of(MET_F32);
    const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_FUSED, NULL);
    assert_null(met_plan_check(plan));
    met_text_char(&text, '\n');
    met_plan_print(&text, plan, false);
    expect_text(session, name, met_text_done(&text));
}

static void known_circuits(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_value *root = met_toml_read(session, met_file_source(session, CASES "cases.toml"));
    assert_non_null(root);
    const met_value *cases = met_value_get(root, "case");
    for (size_t i = 0; i < cases->items.count; i++)
        check_case(session, cases->items.at[i]);
    met_session_free(session);
}

/* --- The checker --- */

/* A kernel whose parts may be changed. */
typedef struct loose {
    met_kernel kernel;
    met_kernel_loop *loops;
    met_kernel_value *values;
    met_kernel_step *steps;
    met_kernel_accumulator *accumulators;
} loose;

static loose loosen(const met_kernel *kernel)
{
    met_arena *arena = kernel->circuit->arena;
    loose l = { .kernel = *kernel };
    l.kernel.loops = l.loops = met_arena_copy(arena, kernel->loops, kernel->loop_count, sizeof *l.loops);
    l.kernel.values = l.values = met_arena_copy(arena, kernel->values, kernel->value_count, sizeof *l.values);
    l.kernel.steps = l.steps = met_arena_copy(arena, kernel->steps, kernel->step_count, sizeof *l.steps);
    l.kernel.accumulators = l.accumulators =
        met_arena_copy(arena, kernel->accumulators, kernel->accumulator_count, sizeof *l.accumulators);
    return l;
}

static void expect_fault(loose *l, const char *wanted)
{
    const char *fault = met_kernel_check(&l->kernel);
    assert_non_null(fault);
    assert_string_equal(fault, wanted);
}

/* Steps: 0 rint, 1 max, 2 ldexp, 3 sum, 4 div (a tail). Values: s, a, m, w, z, r. */
static void wrong_kernels_are_seen(void **state)
{
    (void)state;
    static const char program[] = "s: q x\na = map['q x -> q x'](s, { rint(a) })\nm = max[x](a)\n"
                                  "w = map['q x, q -> q x'](a, m, { ldexp(1, a - b) })\nz = sum[x](w)\n"
                                  "r = div(z, m)\n-> r\n";
    met_session *session = met_session_new();
    const met_kernel *good = whole_kernel(primitives_of(session, program, "", MET_NUMERICS_POW2), NULL);
    assert_int_equal(good->step_count, 5);
    assert_int_equal(good->accumulator_count, 2);
    loose l = loosen(good);
    l.accumulators[1].base = MET_NONE;
    l.accumulators[1].delta = NULL;
    expect_fault(&l, "an accumulator is not relative to what it runs on");
    l = loosen(good);
    l.accumulators[1].delta = NULL;
    expect_fault(&l, "a base without a correction");
    l = loosen(good);
    l.accumulators[0].monoid = MET_MONOID_ADD;
    expect_fault(&l, "a running statistic that is no maximum or minimum");
    l = loosen(good);
    l.values[3].is_output = true;
    expect_fault(&l, "what is stored runs on a statistic");
    l = loosen(good);
    l.steps[4].phase = MET_STEP_HEAD;
    expect_fault(&l, "a statistic is read before it is known");
    l = loosen(good);
    l.steps[2].phase = MET_STEP_TAIL;
    expect_fault(&l, "a step in the wrong phase");
    l = loosen(good);
    l.loops[good->stream].partition = MET_PARTITION_LOCAL;
    expect_fault(&l, "the streamed loop is not the one of that partition");
    l = loosen(good);
    l.values[5].loops = 0;
    expect_fault(&l, "a value's loops are not those of its positions");
    l = loosen(good);
    met_kernel_step first = l.steps[0];
    l.steps[0] = l.steps[1];
    l.steps[1] = first;
    assert_non_null(met_kernel_check(&l.kernel));
    met_session_free(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_circuits),
        cmocka_unit_test(wrong_kernels_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
