/* Plans: the planners' choices, their checker, and what stops them. */
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

static bool accepts_two_nodes(void *context, const met_kernel *kernel)
{
    ++*(unsigned *)context;
    return kernel->step_count <= 2;
}

static const char chain[] = "x: n m\ny = exp(neg(abs(sqrt(x))))\n-> y\n";

static void the_realization_is_asked(void **state)
{
    (void)state;
    unsigned asked = 0;
    met_session *session = met_session_new();
    const met_circuit *circuit = settled_of(session, chain, "n=8,m=8", MET_NUMERICS_POW2, MET_DIVISION_DEFAULT);
    met_point point = met_point_of(MET_F32);
    met_plan_options options = { .capacity_bytes = 1 << 20, .accepts = accepts_two_nodes, .context = &asked };
    const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_FUSED, &options);
    assert_null(met_plan_check(plan));
    assert_int_equal(plan->group_count, 2);
    assert_true(asked > 2);
    assert_int_equal(plan->note_count, 1);
    assert_string_equal(plan->notes[0].reason, "the class does not make such a kernel");
    met_session_free(session);
}

static bool accepts_the_whole(void *context, const met_kernel *kernel)
{
    return kernel->step_count == *(uint32_t *)context;
}

/* What a realization makes only as a whole is found although it makes none of the halves. */
static void a_whole_is_found_without_its_halves(void **state)
{
    (void)state;
    static const char attention[] = "q: h q d, k: h x d, v: h x d\ns = 'h q d, h x d -> h q x'(q, k)\n"
                                    "y = 'h q x, h x d -> h q d'(softmax[x](s), v)\n-> y\n";
    met_session *session = met_session_new();
    const met_circuit *circuit =
        settled_of(session, attention, "h=8,q=256,x=256,d=64", MET_NUMERICS_POW2, MET_DIVISION_DEFERRED);
    met_point point = met_point_of(MET_F32);
    uint32_t count = circuit->node_count;
    met_plan_options options = { .capacity_bytes = 1 << 20, .accepts = accepts_the_whole, .context = &count };
    const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_FUSED, &options);
    assert_int_equal(plan->group_count, 1);
    assert_null(met_plan_check(plan));
    count++; /* and nothing is left of it if the whole is not made */
    assert_int_equal(met_plan_make(circuit, &point, MET_PLANNER_FUSED, &options)->group_count, circuit->node_count);
    met_session_free(session);
}

static bool accepts_at_random(void *context, const met_kernel *kernel)
{
    uint64_t hash = *(uint64_t *)context;
    for (uint32_t s = 0; s < kernel->step_count; s++)
        hash = (hash ^ kernel->steps[s].node.id) * 1099511628211u;
    return (hash >> 20) % 3 != 0;
}

static void only_accepted_kernels_are_planned(void **state)
{
    (void)state;
    unsigned groups = 0, nodes = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        static char program[16384];
        random_equations(seed, 12, program, sizeof program);
        met_session *session = met_session_new();
        const met_circuit *free = circuit_of(session, program, "");
        const met_circuit *circuit = settled_of(session, program, random_sizes_of(free), MET_NUMERICS_POW2, MET_DIVISION_DEFAULT);
        met_point point = met_point_of(MET_F32);
        met_plan_options options = { .capacity_bytes = 1 << 16, .accepts = accepts_at_random, .context = &seed };
        const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_FUSED, &options);
        const char *fault = met_plan_check(plan);
        if (fault)
            fail_msg("%s\n%s", fault, program);
        for (uint32_t g = 0; g < plan->group_count; g++)
            assert_true(plan->groups[g]->step_count == 1 || accepts_at_random(&seed, plan->groups[g]));
        groups += plan->group_count;
        nodes += circuit->node_count;
        met_session_free(session);
    }
    assert_true(groups < nodes);
}

static void fusing_needs_sizes(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = settled_of(session, chain, "n=8", MET_NUMERICS_POW2, MET_DIVISION_DEFAULT);
    met_point point = met_point_of(MET_F32);
    assert_non_null(met_plan_make(circuit, &point, MET_PLANNER_NONE, NULL));
    assert_null(met_plan_make(circuit, &point, MET_PLANNER_FUSED, NULL));
    assert_int_equal(session->diags.at[0]->code, MET_DIAG_unbound);
    met_session_free(session);
}

/* A linear map's rows are too wide for a small level, so that taking a second one in costs more than it saves. */
static void wide_rows_argue_against_fusing(void **state)
{
    (void)state;
    static const char mlp[] = "x: n m\ny = linear[f -> m](relu(linear[m -> f](x, @w)), @v)\n-> y\n";
    static const struct {
        const char *set;
        uint64_t capacity;
        uint32_t groups;
    } cases[] = {
        { "n=64,m=64,f=1024", 1 << 20, 1 },
        { "n=512,m=4096,f=4096", 1 << 18, 2 },
    };
    for (size_t i = 0; i < 2; i++) {
        met_session *session = met_session_new();
        const met_circuit *circuit = settled_of(session, mlp, cases[i].set, MET_NUMERICS_POW2, MET_DIVISION_DEFAULT);
        met_point point = met_point_of(MET_F32);
        met_plan_options options = { .capacity_bytes = cases[i].capacity };
        const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_FUSED, &options);
        assert_null(met_plan_check(plan));
        assert_int_equal(plan->group_count, cases[i].groups);
        assert_int_equal(plan->note_count, cases[i].groups - 1);
        met_session_free(session);
    }
}

/* What the checker is for: plans that are wrong in one way each. */
static void wrong_plans_are_seen(void **state)
{
    (void)state;
    met_session *session = met_session_new();
    const met_circuit *circuit = settled_of(session, chain, "n=8,m=8", MET_NUMERICS_POW2, MET_DIVISION_DEFAULT);
    met_point point = met_point_of(MET_F32);
    const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_NONE, NULL);
    assert_int_equal(plan->group_count, 4);
    const met_kernel *swapped[4] = { plan->groups[1], plan->groups[0], plan->groups[2], plan->groups[3] };
    const met_kernel *twice[4] = { plan->groups[0], plan->groups[1], plan->groups[1], plan->groups[3] };
    bool *stored = met_arena_copy(session->arena, plan->stored, circuit->edge_count, sizeof *stored);
    stored[circuit->nodes[1].outs[0].id] = false;
    met_plan wrong = *plan;
    wrong.groups = swapped;
    assert_string_equal(met_plan_check(&wrong), "a group reads what a later one makes");
    wrong.groups = twice;
    assert_string_equal(met_plan_check(&wrong), "a node is covered twice");
    wrong.groups = plan->groups;
    wrong.group_count = 3;
    assert_string_equal(met_plan_check(&wrong), "a node is not covered");
    wrong.group_count = 4;
    wrong.stored = stored;
    assert_string_equal(met_plan_check(&wrong), "an edge between groups is not stored");
    met_session_free(session);
}

static void planners_have_names(void **state)
{
    (void)state;
    met_planner planner = MET_PLANNER_NONE;
    assert_true(met_planner_find(met_str_of("fused"), &planner));
    assert_int_equal(planner, MET_PLANNER_FUSED);
    assert_string_equal(met_planner_name(planner), "fused");
    assert_false(met_planner_find(met_str_of("greedy"), &planner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_random_circuit_has_a_plan_of_single_nodes),
        cmocka_unit_test(the_realization_is_asked),
        cmocka_unit_test(a_whole_is_found_without_its_halves),
        cmocka_unit_test(only_accepted_kernels_are_planned),
        cmocka_unit_test(fusing_needs_sizes),
        cmocka_unit_test(wide_rows_argue_against_fusing),
        cmocka_unit_test(wrong_plans_are_seen),
        cmocka_unit_test(planners_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
