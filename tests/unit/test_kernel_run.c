/* Kernels mean what their nodes mean: random circuits, random regions of them and whole plans are run as their kernels
 * say, in slices of several lengths, and give the bits that single nodes give. Corrections are by powers of two and all
 * folds are sequential, so nothing may differ. */
#include "kernel_run.h"
#include "derive/kernel_text.h"
#include "plan/plan.h"
#include "support/random.h"

/* Random circuits; a longer run is had with -DMET_PROPERTY_ROUNDS=… */
#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 120
#endif

enum { STEPS = 12, REGIONS = 12 };

static char program[16384];

static const met_circuit *random_settled(met_session *session, uint64_t seed)
{
    random_equations(seed, STEPS, program, sizeof program);
    const met_circuit *free = circuit_of(session, program, "");
    return settled_of(session, program, random_sizes_of(free), MET_NUMERICS_POW2,
                      seed % 2 ? MET_DIVISION_EAGER : MET_DIVISION_DEFERRED);
}

static kernel_run *run_plan(const met_plan *plan, uint64_t seed, uint64_t slice)
{
    const char *fault = met_plan_check(plan);
    if (fault)
        fail_msg("%s\n%s", fault, program);
    kernel_run *run = kernel_run_new(plan->circuit);
    fill_sources(run, seed);
    for (uint32_t g = 0; g < plan->group_count; g++)
        run_kernel(run, plan->groups[g], slice);
    return run;
}

static kernel_run *run_nodes(const met_circuit *circuit, uint64_t seed)
{
    met_point point = met_point_of(MET_F32);
    return run_plan(met_plan_make(circuit, &point, MET_PLANNER_NONE, NULL), seed, 1000);
}

static void explain(const met_kernel *kernel, const char *what)
{
    met_text text = met_text_new(kernel->circuit->arena);
    met_kernel_print(&text, kernel);
    fail_msg("%s\n%s\n%s", what, met_text_done(&text), program);
}

/* A connected set of nodes around a random one. */
static uint32_t random_region(const met_derivation *facts, random_source *r, met_node_id *nodes)
{
    const met_circuit *circuit = facts->circuit;
    bool *in = met_arena_alloc(circuit->arena, circuit->node_count, sizeof *in);
    uint32_t wanted = 1 + random_below(r, 8), count = 0;
    in[random_below(r, circuit->node_count)] = true;
    for (uint32_t grown = 1, tries = 0; grown < wanted && tries < 200; tries++) {
        uint32_t e = random_below(r, circuit->edge_count), readers = facts->reader_begin[e + 1] - facts->reader_begin[e];
        met_node_id producer = circuit->edges[e].producer;
        if (producer.id == MET_NONE || readers == 0)
            continue;
        met_node_id reader = facts->readers[facts->reader_begin[e] + random_below(r, readers)];
        if (in[producer.id] == in[reader.id])
            continue;
        in[producer.id] = in[reader.id] = true;
        grown++;
    }
    for (uint32_t n = 0; n < circuit->node_count; n++)
        if (in[n])
            nodes[count++].id = n;
    return count;
}

static void check_kernel(const met_kernel *kernel, const kernel_run *single)
{
    const char *fault = met_kernel_check(kernel);
    if (fault)
        explain(kernel, fault);
    for (uint64_t slice = 1; slice <= 3; slice++) {
        kernel_run *run = kernel_run_new(kernel->circuit);
        for (uint32_t v = 0; v < kernel->value_count; v++)
            if (kernel->values[v].is_input)
                run->cells[kernel->values[v].edge.id] = single->cells[kernel->values[v].edge.id];
        run_kernel(run, kernel, slice);
        for (uint32_t v = 0; v < kernel->value_count; v++)
            if (kernel->values[v].is_output && first_difference(single, run, kernel->values[v].edge) >= 0)
                explain(kernel, met_sym_text(kernel->circuit->session, kernel->circuit->edges[kernel->values[v].edge.id].name));
    }
}

static void regions_mean_what_their_nodes_mean(void **state)
{
    (void)state;
    unsigned derived = 0, streamed = 0, passes = 0, rebased = 0;
    for (uint64_t seed = 1; seed <= MET_PROPERTY_ROUNDS; seed++) {
        met_session *session = met_session_new();
        const met_circuit *circuit = random_settled(session, seed);
        const met_derivation *facts = met_derivation_new(circuit);
        kernel_run *single = run_nodes(circuit, seed);
        random_source r = { seed };
        for (int i = 0; i < REGIONS && circuit->node_count > 0; i++) {
            met_node_id *nodes = met_arena_alloc(session->arena, circuit->node_count, sizeof *nodes);
            uint32_t count = random_region(facts, &r, nodes);
            met_refusal refusal;
            const met_kernel *kernel = met_derivation_kernel(facts, session->arena, count, nodes, NULL, &refusal);
            if (!kernel) {
                assert_non_null(refusal.reason);
                continue;
            }
            check_kernel(kernel, single);
            derived += count > 1;
            for (uint32_t l = 0; l < kernel->loop_count; l++) {
                met_derive_options options = { .stream = met_sym_text(session, kernel->loops[l].name) };
                const met_kernel *other = met_derivation_kernel(facts, session->arena, count, nodes, &options, &refusal);
                if (!other)
                    continue;
                check_kernel(other, single);
                streamed++;
                passes += other->pass_count > 1;
                for (uint32_t a = 0; a < other->accumulator_count; a++)
                    rebased += other->accumulators[a].base != MET_NONE;
            }
        }
        met_session_free(session);
    }
    print_message("%u regions, %u streams, %u of several passes, %u rebased accumulators\n", derived, streamed, passes, rebased);
    assert_true(derived > 100 && streamed > 100 && passes > 0 && rebased > 5);
}

static void plans_mean_what_single_nodes_mean(void **state)
{
    (void)state;
    unsigned groups = 0, nodes = 0;
    for (uint64_t seed = 1; seed <= MET_PROPERTY_ROUNDS; seed++) {
        met_session *session = met_session_new();
        const met_circuit *circuit = random_settled(session, seed);
        met_point point = met_point_of(MET_F32);
        kernel_run *single = run_nodes(circuit, seed);
        for (uint64_t capacity = 64; capacity <= 65536; capacity *= 32) {
            met_plan_options options = { .capacity_bytes = capacity };
            const met_plan *plan = met_plan_make(circuit, &point, MET_PLANNER_FUSED, &options);
            assert_non_null(plan);
            kernel_run *run = run_plan(plan, seed, 1 + seed % 3);
            for (uint32_t e = 0; e < circuit->edge_count; e++)
                if (plan->stored[e] && first_difference(single, run, (met_edge_id){ e }) >= 0)
                    fail_msg("%s differs\n%s", met_sym_text(session, circuit->edges[e].name), program);
            groups += plan->group_count;
            nodes += circuit->node_count;
        }
        met_session_free(session);
    }
    print_message("%u nodes in %u groups\n", nodes, groups);
    assert_true(groups < nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_mean_what_their_nodes_mean),
        cmocka_unit_test(plans_mean_what_single_nodes_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
