/* Departures from the precision that formats and the policy require: none in the blueprint, and each that is planted is found. */
#include "models.h"

#include "host/model.h"
#include "ir/expand.h"
#include "met/plan.h"
#include "parity/precision.h"

#include "on_blueprint.h"

static const met_lowering *lower(const char *model, bool toy, const char *mode, const char *hardware)
{
    met_model_request request = { .name = model, .toy = toy, .mode = mode };
    met_plan_request plan = { .hardware = hardware, .mode = mode };
    met_circuit *circuit = met_model_load(session, &request);
    circuit = circuit && toy ? met_circuit_with_default(circuit, met_format_of(MET_BF16)) : circuit;
    circuit = circuit ? met_plan_bind(circuit, &plan) : NULL;
    const met_lowering *lowering = circuit ? met_plan_circuit(circuit, lkb, &plan) : NULL;
    if (!lowering)
        fail_msg("%s on %s\n%s", model, hardware, met_session_diagnostics_text(session));
    return lowering;
}

static const struct {
    const char *model;
    bool toy;
    const char *mode;
} models[] = { { "llama", true, "decode" }, { "deepseek_v3", true, "decode" }, { "bamba", true, "prefill" }, { "mixtral", true, "prefill" },
               { "llama-3.1-8b-fp8", false, "decode" } };

/* A lowering on its class with something changed in all families: a copy. */
typedef struct planted {
    met_lowering lowering;
    met_hardware hardware;
    met_lkb lkb;
    met_family **families;
} planted;

static planted *plant(const met_lowering *lowering)
{
    planted *p = MET_NEW(session->arena, planted);
    *p = (planted){ *lowering, *lowering->hardware, *lowering->lkb, MET_NEW_ARRAY(session->arena, met_family *, lowering->hardware->family_count) };
    for (uint32_t f = 0; f < p->hardware.family_count; f++)
        p->families[f] = met_arena_copy(session->arena, lowering->hardware->families[f], 1, sizeof(met_family));
    p->hardware.families = (const met_family *const *)p->families;
    p->lkb.trees = met_arena_copy(session->arena, lowering->lkb->trees, lowering->lkb->tree_count, sizeof *lowering->lkb->trees);
    p->lowering.hardware = &p->hardware;
    p->lowering.lkb = &p->lkb;
    return p;
}

/* A step in another precision, in every family that declares it; NULL: it is not declared any more. How many there were. */
static uint32_t change_step(planted *p, const char *step, const char *precision)
{
    uint32_t found = 0;
    for (uint32_t f = 0; f < p->hardware.family_count; f++) {
        met_family *family = p->families[f];
        met_pipeline_step *steps = met_arena_copy(session->arena, family->steps, family->step_count, sizeof *steps);
        for (uint32_t s = 0; s < family->step_count; s++)
            if (strcmp(steps[s].step, step) == 0) {
                steps[s].step = precision ? steps[s].step : "gone";
                steps[s].precision = precision ? precision : steps[s].precision;
                found++;
            }
        family->steps = steps;
    }
    return found;
}

static uint32_t silent_of(const met_lowering *lowering)
{
    met_departures found = met_departures_of(lowering);
    uint32_t silent = 0;
    for (uint32_t k = 0; k < found.count; k++)
        silent += !found.at[k].said;
    return silent;
}

/* Silent ones of a step. */
static uint32_t count_of(const planted *p, const char *step)
{
    met_departures found = met_departures_of(&p->lowering);
    uint32_t count = 0;
    for (uint32_t k = 0; k < found.count; k++) {
        const met_departure *d = &found.at[k];
        assert_int_equal(d->group, p->lowering.group_of[d->node.id]);
        assert_true(d->family && d->kernel[0]);
        count += !d->said && strcmp(d->step, step) == 0;
    }
    return count;
}

static void the_blueprint_has_none(void **state)
{
    (void)state;
    static const char *const classes[] = { "cpu-avx512", "hopper", "b200" };
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t c = models[m].toy ? 0 : 1; c < sizeof classes / sizeof *classes; c++)
            assert_int_equal(silent_of(lower(models[m].model, models[m].toy, models[m].mode, classes[c])), 0);
}

/* Hopper's accumulator of e4m3 keeps 13 bits, which its families say; B200's does not, and nobody says so. */
static void accumulators_of_e4m3_are_said(void **state)
{
    (void)state;
    const met_lowering *hopper = lower("llama-3.1-8b-fp8", false, "decode", "hopper"), *b200 = lower("llama-3.1-8b-fp8", false, "decode", "b200");
    met_departures found = met_departures_of(hopper);
    uint32_t linears = 0;
    for (uint32_t k = 0; k < found.count; k++) {
        assert_true(found.at[k].said);
        assert_string_equal(found.at[k].step, "accumulate");
        assert_string_equal(found.at[k].declared, "e8m13");
        assert_string_equal(found.at[k].required, "f32");
        linears += hopper->circuit->nodes[found.at[k].node.id].op->id == MET_OP_linear;
    }
    assert_int_equal(linears, 32 * 7);
    assert_int_equal(met_departures_of(b200).count, 0);
    planted *p = plant(hopper);
    for (uint32_t f = 0; f < p->hardware.family_count; f++)
        p->families[f]->departs.count = 0;
    assert_int_equal(silent_of(&p->lowering), linears);
    assert_false(met_lowering_is_precise(&p->lowering));
    expect_diag(session, MET_DIAG_precision, "has e8m13 for its step `accumulate`, where the policy requires f32");
    change_step(p, "accumulate", "f32"); /* and a pipeline that says more than its tree keeps */
    assert_true(silent_of(&p->lowering) >= linears);
}

/* Every row of the policy that a family has a step for: planted in less, it is found. */
static void every_step(void **state)
{
    (void)state;
    static const struct {
        const char *step, *precision;
    } steps[] = {
        { "accumulate", "bf16" }, { "scale", "e8m13" }, { "compute", "bf16" }, { "scores", "bf16" },       { "softmax", "bf16" },  { "state", "bf16" },
        { "score", "bf16" },      { "combine", "f16" }, { "reduce", "bf16" },  { "compare", "bf16" },      { "gather", "e4m3" },   { "act", "e4m3" },
        { "move", "e4m3" },       { "cache", "e4m3" },  { "mma", "e4m3*e4m3" }, { "weight", "bf16->e4m3" },
    };
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        uint32_t found = 0;
        for (size_t m = 0; m < sizeof models / sizeof *models && found == 0; m++)
            for (size_t c = 0; c < (models[m].toy ? 2 : 1); c++) {
                planted *p = plant(lower(models[m].model, models[m].toy, models[m].mode, c ? "cpu-avx512" : "hopper"));
                change_step(p, steps[s].step, steps[s].precision);
                found += count_of(p, steps[s].step);
            }
        if (found == 0)
            fail_msg("`%s` in %s is not found", steps[s].step, steps[s].precision);
    }
}

/* The policy is the class's: one that requires less lets it pass, one that requires more finds what was right. */
static void the_policy_is_data(void **state)
{
    (void)state;
    planted *p = plant(lower("llama", true, "decode", "hopper"));
    met_policy_step *rows = met_arena_copy(session->arena, p->hardware.policy.steps, p->hardware.policy.step_count, sizeof *rows);
    p->hardware.policy.steps = rows;
    change_step(p, "accumulate", "bf16");
    assert_true(count_of(p, "accumulate") > 0);
    for (uint32_t s = 0; s < p->hardware.policy.step_count; s++)
        if (strcmp(rows[s].step, "accumulate") == 0)
            rows[s].precision = "bf16";
    assert_int_equal(count_of(p, "accumulate"), 0);
    change_step(p, "accumulate", "f32");
    assert_int_equal(silent_of(&p->lowering), 0);
    for (uint32_t s = 0; s < p->hardware.policy.step_count; s++)
        if (strcmp(rows[s].step, "accumulate") == 0)
            rows[s].precision = "f64";
    assert_true(count_of(p, "accumulate") > 0);
}

/* What is not declared at all, narrower operands, and trees that keep less than they should. */
static void what_is_missing_or_narrow(void **state)
{
    (void)state;
    const met_lowering *lowering = lower("llama", true, "decode", "hopper");
    uint32_t linears = 0;
    for (uint32_t n = 0; n < lowering->circuit->node_count; n++)
        linears += lowering->circuit->nodes[n].op->id == MET_OP_linear;
    planted *p = plant(lowering);
    change_step(p, "accumulate", NULL);
    assert_true(count_of(p, "accumulate") >= linears);
    p = plant(lowering);
    change_step(p, "act", "e4m3");
    assert_int_equal(count_of(p, "act"), linears);
    p = plant(lowering);
    change_step(p, "weight", "bf16->e4m3");
    assert_int_equal(count_of(p, "weight"), linears);
    met_departures narrow = met_departures_of(&p->lowering);
    for (uint32_t d = 0; d < narrow.count; d++)
        if (strcmp(narrow.at[d].step, "weight") == 0) {
            assert_string_equal(narrow.at[d].required, "bf16");
            assert_string_equal(narrow.at[d].declared, "e4m3");
        }
    p = plant(lowering);
    for (uint32_t t = 0; t < p->lkb.tree_count; t++)
        ((met_lkb_tree *)(uintptr_t)p->lkb.trees)[t].tree.store = MET_BF16;
    assert_true(count_of(p, "accumulate") >= linears);
    p = plant(lowering);
    for (uint32_t t = 0; t < p->lkb.tree_count; t++)
        ((met_lkb_tree *)(uintptr_t)p->lkb.trees)[t].tree.unit.keep = 13;
    assert_true(count_of(p, "accumulate") >= linears);
}

/* A narrower format of what is handed on; a rule that says so may do it, no other. */
static void rules_may_say_so(void **state)
{
    (void)state;
    met_lowering lowering = *lower("llama", true, "decode", "hopper");
    met_format *stored = met_arena_copy(session->arena, lowering.stored, lowering.circuit->edge_count, sizeof *stored);
    met_lowering_group *groups = met_arena_copy(session->arena, lowering.groups, lowering.group_count, sizeof *groups);
    uint32_t n = 5;
    stored[lowering.circuit->nodes[n].outs[0].id] = met_format_of(MET_E4M3);
    lowering.stored = stored;
    lowering.groups = groups;
    met_departures found = met_departures_of(&lowering);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.at[0].node.id, n);
    assert_string_equal(found.at[0].step, "out");
    assert_string_equal(found.at[0].required, "bf16");
    assert_string_equal(found.at[0].declared, "e4m3");
    assert_false(met_lowering_is_precise(&lowering));
    expect_diag(session, MET_DIAG_precision, "where the circuit requires bf16");
    met_lowering_group *group = &groups[lowering.group_of[n]];
    met_rule rule = *group->rule;
    group->rule = &rule;
    rule.departs = (met_departs_list){ 1, &(met_departs){ .step = "out", .precision = "bf16" } };
    assert_false(met_departures_of(&lowering).at[0].said);
    rule.departs.at = &(met_departs){ .step = "out", .precision = "e4m3" };
    assert_true(met_departures_of(&lowering).at[0].said);
    assert_true(met_lowering_is_precise(&lowering));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_blueprint_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(accumulators_of_e4m3_are_said, setup, teardown),
        cmocka_unit_test_setup_teardown(every_step, setup, teardown),
        cmocka_unit_test_setup_teardown(the_policy_is_data, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_missing_or_narrow, setup, teardown),
        cmocka_unit_test_setup_teardown(rules_may_say_so, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
