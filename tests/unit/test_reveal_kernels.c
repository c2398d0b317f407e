/* Kernels that met generates do what their records declare: every fold of a set of circuits is revealed through the program's
 * inputs and compared with its record. Folds that no input shows are those that are listed. */
#include "kernel_folds.h"

#include "on_compiler.h"

static int node_of(int node, const met_circuit *circuit)
{
    for (uint32_t n = 0; n < circuit->node_count && node == SCAN; n++)
        if (is_scan(circuit, n))
            return (int)n;
    return node;
}

static void check_row(const fold_circuit *c, const fold_row *row, const met_program *program, met_execution *execution)
{
    met_arena *arena = session->arena;
    met_black_box probe = kernel_probe(session->arena, execution, program, &row->fold);
    met_revealed got = met_reveal(arena, &probe, MET_REVEAL_AUTO, 5);
    const int nodes[] = { node_of(row->node, program->plan->circuit), row->also };
    for (size_t k = 0; k < 2; k++) {
        const met_tree *declared = nodes[k] < 0 ? NULL : declared_record(program, (uint32_t)nodes[k]);
        if (nodes[k] >= 0 && (!declared || !record_agrees(arena, &got, declared, &probe))) {
            met_text text = met_text_new(arena);
            if (declared)
                met_tree_print(&text, declared, MET_F32);
            met_text_put(&text, "; revealed ");
            met_tree_print(&text, &got.tree, MET_F32);
            fail_msg("%s on %s, node %d: %s: declared %s", c->program, program->class->name, nodes[k],
                     got.why ? got.why : "another tree", met_text_done(&text));
        }
    }
}

/* Every fold that rounds has a row, or is the one that cannot have. */
static void check_covered(const fold_circuit *c, const met_program *program)
{
    for (uint32_t node = 0; node < program->plan->circuit->node_count; node++) {
        bool covered = (int)node == c->unprobed;
        for (size_t k = 0; k < c->count; k++)
            covered = covered || node_of(c->rows[k].node, program->plan->circuit) == (int)node || c->rows[k].also == (int)node;
        if (declared_record(program, node) ? !covered : (int)node == c->unprobed)
            fail_msg("%s: node %u", c->program, (unsigned)node);
    }
}

static void check_circuits(const char *hardware, met_planner planner, size_t step)
{
    for (size_t i = 0; i < sizeof fold_circuits / sizeof *fold_circuits; i += step) {
        const fold_circuit *c = &fold_circuits[i];
        const met_program *program = fold_program(session, c, hardware, planner);
        met_execution *execution = met_execution_new(session, program, compiler, NULL);
        if (!execution)
            fail_msg("%s\n%s", c->program, met_session_diagnostics_text(session));
        check_covered(c, program);
        for (size_t k = 0; k < c->count; k++)
            check_row(c, &c->rows[k], program, execution);
        met_execution_free(execution);
    }
}

static void fused_kernels(void **state)
{
    (void)state;
    check_circuits(met_cpu_class(session, "cpu"), MET_PLANNER_FUSED, 1);
}

/* A few: every node is a source to compile. */
static void single_nodes(void **state)
{
    (void)state;
    check_circuits(met_cpu_class(session, "cpu"), MET_PLANNER_NONE, 10);
}

static void plain_class(void **state)
{
    (void)state;
    check_circuits("cpu-scalar", MET_PLANNER_FUSED, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fused_kernels), cmocka_unit_test(single_nodes), cmocka_unit_test(plain_class) };
    return cmocka_run_group_tests_name("reveal_kernels", tests, setup, teardown);
}
