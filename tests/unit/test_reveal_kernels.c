/* Kernels that met generates do what their records declare: every fold of a set of circuits is revealed through the program's
 * inputs and compared with its record. Folds that no input shows are those that are listed. */
#include "kernel_folds.h"

#include "on_compiler.h"

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
            check_row(session, c, &c->rows[k], program, execution);
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
    check_circuits(met_cpu_class(session, "cpu"), MET_PLANNER_NONE, 7);
}

static void other_classes(void **state)
{
    (void)state;
    const char *best = met_cpu_class(session, "cpu");
    for (size_t c = 0; c < met_class_count; c++)
        if (strcmp(met_class_table[c].name, best) != 0 && met_cpu_can_run(session, met_class_table[c].name))
            check_circuits(met_class_table[c].name, MET_PLANNER_FUSED, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fused_kernels), cmocka_unit_test(single_nodes), cmocka_unit_test(other_classes) };
    return cmocka_run_group_tests_name("reveal_kernels", tests, setup, teardown);
}
