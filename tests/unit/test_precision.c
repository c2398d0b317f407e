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

static uint32_t count_of(const planted *p, const char *step)
{
    met_departures found = met_departures_of(&p->lowering);
    uint32_t count = 0;
    for (uint32_t k = 0; k < found.count; k++) {
        const met_departure *d = &found.at[k];
        assert_int_equal(d->group, p->lowering.group_of[d->node.id]);
        assert_true(d->family && d->kernel[0] && !d->chosen);
        count += strcmp(d->step, step) == 0;
    }
    return count;
}

static void the_blueprint_has_none(void **state)
{
    (void)state;
    static const char *const classes[] = { "cpu-avx512", "hopper", "b200" };
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t c = models[m].toy ? 0 : 1; c < sizeof classes / sizeof *classes; c++)
            assert_int_equal(met_departures_of(lower(models[m].model, models[m].toy, models[m].mode, classes[c])).count, 0);
}

static void every_step_that_computes(void **state)
{
    (void)state;
    static const char *const steps[] = { "accumulate", "compute", "scores", "softmax", "state", "score", "combine" };
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        uint32_t found = 0;
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            planted *p = plant(lower(models[m].model, models[m].toy, models[m].mode, "hopper"));
            assert_true(change_step(p, steps[s], "bf16") > 0);
            found += count_of(p, steps[s]);
        }
        if (found == 0)
            fail_msg("`%s` in bf16 is not found", steps[s]);
    }
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
        ((met_lkb_tree *)(uintptr_t)p->lkb.trees)[t].tree.unit.keep = 13; /* which e4m3 may, and bf16 not */
    assert_true(count_of(p, "accumulate") >= linears);
}

/* A narrower format of what is handed on; a rule that says that it differs may do it, no other. */
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
    groups[lowering.group_of[n]].tag = MET_TAG_DIFFERS;
    groups[lowering.group_of[n]].lever = "narrow";
    assert_true(met_departures_of(&lowering).at[0].chosen);
    assert_true(met_lowering_is_precise(&lowering));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_blueprint_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(every_step_that_computes, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_missing_or_narrow, setup, teardown),
        cmocka_unit_test_setup_teardown(rules_may_say_so, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
