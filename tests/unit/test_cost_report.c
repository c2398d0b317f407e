/* The report on random circuits: whatever ops there are, both ways to run them have costs, and the numbers fit together.
 * A failure prints the program. */
#include <math.h>

#include "circuits.h"
#include "report/cost.h"
#include "support/random.h"

#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 40
#endif

enum { ROOM = 16384 };

static void check(bool holds, const char *program, const char *what)
{
    if (!holds)
        fail_msg("%s\n%s", what, program);
}

/* Whole tiles are real tiles, unless a slice that is the whole stream changes what a loop is. */
static bool is_relaxation(const met_report_kernel *k)
{
    return k->problem->order_count <= k->problem->group_count + 1 && k->kernel->pass_count == 1;
}

static void check_kernel(const met_report *report, const met_report_kernel *k, const char *program)
{
    check(!met_cost_problem_check(k->problem) && !met_cost_problem_check(k->tiles), program, "a problem is not sound");
    check(k->count > 0, program, "a kernel of which there is none");
    for (uint32_t l = 0; l < report->request.level_count; l++) {
        const met_report_passage *passage = &k->at[l];
        const met_cost_solution *s = &passage->solution;
        if (!s->feasible)
            continue;
        uint64_t sum = 0;
        for (uint32_t a = 0; a < k->problem->array_count; a++)
            sum += s->moved[a];
        check(sum == s->traffic, program, "arrays do not add up to the traffic");
        check(s->traffic >= s->compulsory, program, "less is moved than there is");
        check(s->memory <= report->request.levels[l].capacity, program, "more stands in a level than fits");
        check(s->memory >= s->least_memory, program, "there are smaller tiles than the smallest");
        if (is_relaxation(k) && !isnan(passage->real))
            check(passage->real <= passage->traffic * (1 + 1e-9), program, "real tiles move more than whole ones");
        check(isnan(passage->bound) || passage->bound <= passage->traffic * (1 + 1e-12), program, "less is moved than is proven");
        if (l > 0 && k->at[l - 1].solution.feasible) /* a smaller level moves no less */
            check(passage->traffic >= k->at[l - 1].traffic, program, "a smaller level moves less");
        for (uint32_t i = 0; i < k->problem->order_count; i++) {
            uint32_t loop = s->order[i];
            check(s->tile[loop] >= 1 && s->tile[loop] <= k->problem->loops[loop].size, program, "a tile is no tile");
        }
    }
}

/* As RANDOM_SIZES has them, those that are free; 3 for others. */
static const met_circuit *bind(const met_circuit *circuit)
{
    met_text set = met_text_new(circuit->arena);
    for (uint32_t s = 0; s < circuit->symbol_count; s++) {
        const char *name = met_sym_text(circuit->session, circuit->symbols[s].name), *known = strchr("a2b3c1d4e2", name[0]);
        if (!circuit->symbols[s].value)
            met_text_format(&set, "%s%s=%c", set.length ? "," : "", name, known && !name[1] ? known[1] : '3');
    }
    return set.length ? met_circuit_bind(circuit, met_text_done(&set)) : circuit;
}

static void check_program(const char *program, const char *levels)
{
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "test", program, strlen(program));
    const met_circuit *circuit = met_circuit_read(session, source, NULL);
    check(circuit && met_cost_table(circuit, NULL), program, "no formulas");
    circuit = bind(circuit);
    if (!circuit) { /* sizes that its formats do not take */
        met_session_free(session);
        return;
    }
    met_cost_options options = { .levels = levels };
    const met_report *report = met_report_cost(circuit, &options);
    if (!report)
        fail_msg("%s\n%s", met_session_diagnostics_text(session), program);
    for (int p = 0; p < 2; p++)
        for (size_t i = 0; i < report->plans[p].kernels.count; i++)
            check_kernel(report, &report->plans[p].kernels.at[i], program);
    check(met_cost_table(circuit, &options) && met_cost_json(circuit, &options), program, "no text");
    met_session_free(session);
}

static void random_circuits(void **state)
{
    (void)state;
    static char program[ROOM];
    for (uint64_t seed = 0; seed < MET_PROPERTY_ROUNDS; seed++) {
        random_equations(seed, 6, program, ROOM);
        check_program(program, seed % 2 ? "M=200,L=40" : "M=5000,L=30,K=4");
    }
}

static void nothing_to_run(void **state)
{
    (void)state;
    check_program("id", "M=10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_circuits),
        cmocka_unit_test(nothing_to_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
