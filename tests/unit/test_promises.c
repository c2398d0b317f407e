/* What the blueprint promises against what the generator makes: every group of a plan of a toy model whose rule names one
 * kernel is one kernel of the class. */
#include "models.h"

#include "host/blueprint.h"
#include "host/model.h"
#include "met/plan.h"
#include "plan/of_lowering.h"
#include "realize/program.h"

static const char *const classes[] = { "cpu-scalar", "cpu-avx2", "cpu-avx512" };
enum { CLASSES = sizeof classes / sizeof *classes };

static void check_groups(const met_lowering *lowering, const char *name, const char *mode, const met_class *class, met_text *broken)
{
    met_point point = met_point_of((met_dtype)lowering->circuit->default_format.dtype);
    met_realize_request request = { class, &point };
    met_plan_options options = { class->l2_bytes, met_realize_accepts_at, &request };
    met_region_judge *judge = met_region_judge_new(met_settled_new(lowering->circuit, &point), &options);
    for (uint32_t g = 0; g < lowering->group_count; g++) {
        const met_lowering_group *group = &lowering->groups[g];
        if (group->source != MET_GROUP_RULE || group->node_count == 1 || group->kernels.count != 1 || group->repeat != MET_REPEAT_ONCE)
            continue;
        if (!met_region_is_kernel(judge, group->node_count, group->nodes))
            met_text_format(broken, "%s in %s, %s: %s\n", name, mode, class->name, group->rule->id);
    }
}

static void check_mode(const char *name, const char *mode, met_text *broken)
{
    for (int c = 0; c < CLASSES; c++) {
        met_session *session = met_session_new();
        met_circuit *circuit = met_model_load(session, &(met_model_request){ .name = name, .toy = true, .mode = mode });
        const met_lkb *lkb = circuit ? met_blueprint_load(session, &(met_blueprint_request){ 0 }) : NULL;
        met_plan_request request = { .planner = "greedy", .hardware = classes[c], .mode = mode };
        const met_lowering *lowering = lkb ? met_plan_circuit(circuit, lkb, &request) : NULL;
        if (!lowering)
            fail_msg("%s in %s: %s", name, mode, met_session_diagnostics_text(session));
        check_groups(lowering, name, mode, met_class_find(classes[c]), broken);
        met_session_free(session);
    }
}

static void rules_name_what_there_is(void **state)
{
    (void)state;
    static const char *const names[] = { "llama", "qwen2", "qwen3", "mistral" };
    static const char *const modes[] = { "prefill", "decode", "verify", "multi_seq" };
    met_arena *arena = met_arena_new();
    met_text broken = met_text_new(arena);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
            check_mode(names[n], modes[m], &broken);
    if (broken.length)
        fail_msg("these rules name one kernel for what is none:\n%s", met_text_done(&broken));
    met_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rules_name_what_there_is) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
