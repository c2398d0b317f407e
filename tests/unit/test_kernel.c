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
        if (all_exact(kernel) && kernel->step_count == circuit->node_count)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_circuits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
