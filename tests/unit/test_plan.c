/* Plans: the checker, and the planner that makes every node a kernel. */
#include "kernels.h"
#include "plan/plan.h"
#include "support/random.h"

enum { ROUNDS = 150 };

static void every_random_circuit_has_a_plan_of_single_nodes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        static char program[16384];
        random_equations(seed, 12, program, sizeof program);
        met_session *session = met_session_new();
        const met_circuit *free = circuit_of(session, program, "");
        const met_circuit *circuit = settled_of(session, program, random_sizes_of(free), MET_NUMERICS_POW2, MET_DIVISION_DEFAULT);
        met_point point = { .dtype = MET_F32 };
        const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_NONE, NULL);
        assert_non_null(plan);
        assert_int_equal(plan->group_count, circuit->node_count);
        const char *fault = met_plan_check(plan);
        if (fault)
            fail_msg("%s\n%s", fault, program);
        met_session_free(session);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_random_circuit_has_a_plan_of_single_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
