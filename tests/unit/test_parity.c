/* What is known of plans' folds, and comparing them: on toys, on every class of the blueprint. */
#include "models.h"

#include "host/blueprint.h"
#include "host/model.h"
#include "ir/primitive.h"
#include "met/plan.h"
#include "parity/compare.h"
#include "plan/of_lowering.h"

static met_session *session;
static const met_lkb *lkb;

static int setup(void **state)
{
    (void)state;
    met_blueprint_request request = { 0 };
    session = met_session_new();
    lkb = met_blueprint_load(session, &request);
    return lkb ? 0 : 1;
}

static int teardown(void **state)
{
    (void)state;
    met_session_free(session);
    return 0;
}

/* A toy of an architecture whose edges are of a format, settled at its default point. */
static const met_settled *toy_of(const char *arch, const char *mode, met_dtype dtype)
{
    met_model_request request = { .name = arch, .toy = true, .mode = mode };
    const met_circuit *circuit = met_model_load(session, &request);
    if (!circuit)
        fail_msg("%s\n%s", arch, met_session_diagnostics_text(session));
    met_point point = met_point_of(dtype);
    const met_settled *settled = met_settled_new(met_circuit_with_default(circuit, met_format_of(dtype)), &point);
    assert_non_null(settled);
    return settled;
}

static const met_lowering *lower(const met_settled *settled, const char *hardware, const char *mode)
{
    met_plan_request request = { .hardware = hardware, .mode = mode };
    met_circuit *written = (met_circuit *)(uintptr_t)settled->written;
    const met_lowering *lowering = met_plan_bind(written, &request) ? met_plan_circuit(written, lkb, &request) : NULL;
    if (!lowering)
        fail_msg("%s", met_session_diagnostics_text(session));
    return lowering;
}

static const met_plan_numerics *written_for(const met_settled *settled, const met_lowering *lowering, const char *class_name)
{
    const met_class *class = met_class_find(class_name);
    met_realize_request request = { class, &settled->point };
    met_plan_options options = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &request };
    const met_plan *plan = met_plan_of_lowering(lowering, settled, &options);
    const met_program *program = plan ? met_realize(plan, class, &(met_realize_options){ 0 }) : NULL;
    if (!program)
        fail_msg("%s", met_session_diagnostics_text(session));
    return met_numerics_of_program(settled, program);
}

static const struct {
    const char *arch, *mode;
} toys[] = { { "llama", "decode" }, { "llama", "prefill" }, { "deepseek_v3", "decode" }, { "qwen3_moe", "prefill" }, { "bamba", "decode" } };

/* What schedules do is what the point says and what the families of the class declare. */
static void schedules_families_and_the_point_agree(void **state)
{
    (void)state;
    uint32_t scheduled = 0;
    for (size_t t = 0; t < sizeof toys / sizeof *toys; t++) {
        const met_settled *settled = toy_of(toys[t].arch, toys[t].mode, MET_BF16);
        const met_lowering *lowering = lower(settled, "cpu-avx2", toys[t].mode);
        const met_plan_numerics *point = met_numerics_of_point(settled), *families = met_numerics_of_lowering(lowering, settled),
                                *program = written_for(settled, lowering, "cpu-avx2");
        for (uint32_t n = 0; n < settled->circuit->node_count; n++) {
            const met_node_numerics *of_point = &point->nodes[n], *of_family = &families->nodes[n], *of_program = &program->nodes[n];
            if (!of_point->folds)
                continue;
            assert_int_equal(of_program->source, MET_NUMERICS_SCHEDULE);
            assert_int_equal(of_family->source, MET_NUMERICS_FAMILY);
            assert_int_equal(of_family->group, lowering->group_of[settled->origin[n]]);
            assert_true(of_family->tree_id && of_family->kernel[0] && of_program->kernel[0] && of_point->terms > 0);
            met_arena *scratch = met_arena_new();
            assert_int_equal(met_fold_compare(scratch, of_point, of_program).verdict, MET_VERDICT_SAME);
            if (met_fold_compare(scratch, of_program, of_family).verdict != MET_VERDICT_SAME)
                fail_msg("%s %s: %s: the family of `%s` declares `%s`", toys[t].arch, toys[t].mode, settled->circuit->nodes[n].op->name,
                         of_family->kernel, of_family->tree_id);
            met_arena_free(scratch);
            scheduled++;
        }
    }
    assert_true(scheduled > 40);
}

/* A family's tree is that of its core: on Hopper contractions with weights go along matrix units, norms in the same kernel do not. */
static void a_familys_tree_is_that_of_its_core(void **state)
{
    (void)state;
    const met_settled *settled = toy_of("llama", "decode", MET_BF16);
    const met_plan_numerics *hopper = met_numerics_of_lowering(lower(settled, "hopper", "decode"), settled);
    uint32_t units = 0, others = 0;
    for (uint32_t n = 0; n < settled->circuit->node_count; n++) {
        const met_node_numerics *node = &hopper->nodes[n];
        if (!node->folds)
            continue;
        bool contracts = met_node_is_contraction(&settled->circuit->nodes[n]);
        assert_int_equal(node->source, MET_NUMERICS_FAMILY);
        assert_int_equal(node->tree.node, contracts ? MET_NODE_MATRIX : MET_NODE_ADD);
        units += contracts;
        others += !contracts;
    }
    assert_true(units > 0 && others > 0);
    const met_tree *trees = met_numerics_trees(hopper);
    for (uint32_t n = 0; n < settled->circuit->node_count; n++)
        assert_true(met_tree_equal(&trees[n], &hopper->nodes[n].tree));
}

/* What nobody declares is said to be so, and runs as the point says: a kernel of no family, a tree that is undeclared. */
static void what_nobody_declares(void **state)
{
    (void)state;
    const met_settled *settled = toy_of("llama", "decode", MET_BF16);
    met_lowering lowering = *lower(settled, "hopper", "decode");
    met_lowering_group *groups = met_arena_copy(session->arena, lowering.groups, lowering.group_count, sizeof *groups);
    lowering.groups = groups;
    const met_plan_numerics *before = met_numerics_of_lowering(&lowering, settled), *point = met_numerics_of_point(settled);
    uint32_t n = 0;
    while (!before->nodes[n].folds)
        n++;
    groups[before->nodes[n].group].kernels = (met_name_list){ 0 };
    const met_plan_numerics *after = met_numerics_of_lowering(&lowering, settled);
    assert_int_equal(after->nodes[n].source, MET_NUMERICS_UNDECLARED);
    assert_true(met_tree_equal(&after->nodes[n].tree, &point->nodes[n].tree));
    assert_int_equal(met_fold_compare(session->arena, &after->nodes[n], &before->nodes[n]).verdict, MET_VERDICT_UNKNOWN);
    assert_int_equal(met_fold_compare(session->arena, &before->nodes[n], &before->nodes[n]).verdict, MET_VERDICT_SAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(schedules_families_and_the_point_agree, setup, teardown),
        cmocka_unit_test_setup_teardown(a_familys_tree_is_that_of_its_core, setup, teardown),
        cmocka_unit_test_setup_teardown(what_nobody_declares, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
