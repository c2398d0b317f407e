/* Microtests: programs of one circuit on the same numbers. Plans of one numerics point agree on all of them; another point
 * shows. */
#include "models.h"

#include "host/cpu.h"
#include "host/microtest.h"
#include "host/model.h"

#include "on_compiler.h"

static met_trial *trial_of(const met_circuit *circuit, const met_point *point, met_planner planner)
{
    const met_class *class = met_class_find(met_cpu_class(session, "cpu"));
    const met_circuit *settled = met_circuit_settle(circuit, point);
    met_realize_request request = { class, point };
    met_plan_options options = { .capacity_bytes = class->l2_bytes, .accepts = met_realize_accepts_at, .context = &request };
    const met_plan *plan = settled ? met_plan_make(settled, point, planner, &options) : NULL;
    const met_program *program = plan ? met_realize(plan, class, &(met_realize_options){ 0 }) : NULL;
    met_trial *trial = program ? met_trial_new(session, program, compiler) : NULL;
    if (!trial)
        fail_msg("%s", met_session_diagnostics_text(session));
    return trial;
}

static const met_circuit *toy_of(const char *arch, const char *mode)
{
    met_model_request request = { .name = arch, .mode = mode, .toy = true };
    const met_circuit *circuit = met_model_load(session, &request);
    if (!circuit)
        fail_msg("%s", met_session_diagnostics_text(session));
    return circuit;
}

static void same(void **state)
{
    (void)state;
    const met_circuit *circuit = toy_of("llama", "decode");
    met_point point = met_point_of(MET_BF16);
    met_trial *a = trial_of(circuit, &point, MET_PLANNER_NONE), *b = trial_of(circuit, &point, MET_PLANNER_FUSED);
    for (int k = 0; k < MET_NUMBERS_COUNT; k++) {
        const char *why;
        met_trial_verdict verdict = met_trial_compare(a, b, (met_numbers)k, &why);
        if (verdict != MET_TRIAL_SAME && verdict != MET_TRIAL_VOID)
            fail_msg("%s: %s\n%s", met_numbers_name((met_numbers)k), why ? why : "failed", met_session_diagnostics_text(session));
        assert_true(verdict == MET_TRIAL_SAME || k == MET_NUMBERS_TINY);
    }
    met_trial_free(a);
    met_trial_free(b);
}

static void different(void **state)
{
    (void)state;
    const char *why;
    const met_circuit *circuit = toy_of("spherical", "prefill");
    met_point deferred = met_point_of(MET_F32), eager = deferred;
    eager.division = MET_DIVISION_EAGER;
    met_trial *a = trial_of(circuit, &deferred, MET_PLANNER_NONE), *b = trial_of(circuit, &eager, MET_PLANNER_NONE);
    assert_int_equal(met_trial_compare(a, b, MET_NUMBERS_NORMAL, &why), MET_TRIAL_DIFFERENT);
    assert_non_null(strstr(why, "differs at byte"));
    met_trial_free(a);
    met_trial_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same, setup, teardown),
        cmocka_unit_test_setup_teardown(different, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
