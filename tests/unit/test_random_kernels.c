/* The whole path on random circuits: settled, planned, written, compiled and run, fused and not, against the interpreter,
 * byte by byte. A failure prints the program. -DMET_PROPERTY_ROUNDS=3000 makes more of them. */
#include <stdio.h>

#include "circuits.h"

#include "host/parity.h"
#include "host/subject_parts.h"
#include "support/random.h"

#ifndef MET_PROPERTY_ROUNDS
#define MET_PROPERTY_ROUNDS 24
#endif

enum { STEPS = 6, ROOM = 32768 };

/* The circuit of a seed with its sizes bound. */
static const met_circuit *random_circuit(met_session *session, uint64_t seed, char *text)
{
    random_equations(seed, STEPS, text, ROOM);
    const met_circuit *circuit = circuit_of(session, text, "");
    const char *set = random_sizes_of(circuit);
    return *set ? met_circuit_bind(circuit, set) : circuit;
}

/* Kernels hold f32, bf16, f16 and i32; circuits in other formats are left to the interpreter. */
static bool is_refused(met_session *session)
{
    bool format = strstr(met_session_diagnostics_text(session), "which kernels do not hold") != NULL;
    met_session_clear_diagnostics(session);
    return format;
}

static void expect_same(const met_subject *subject, const met_outcome *reference, const met_outcome *outcome, const char *text)
{
    const met_parity *parity = met_outcome_parity(subject, reference, outcome);
    bool exact = parity->expected == MET_EXPECT_SAME || !strncmp(outcome->name, "none", 4);
    if (parity->expected == MET_EXPECT_OPEN || (exact && !parity->same))
        fail_msg("%s\n%s, %s: %s", text, outcome->name, subject->options.dtype, parity->why);
}

/* 1 if the circuit ran as kernels. */
static int try_seed(uint64_t seed)
{
    static char text[ROOM];
    static const char *const dtypes[] = { "f32", "bf16", "f16" }, *const planners[] = { "none", "fused" };
    met_session *session = met_session_new();
    met_eval_options options = { .dtype = dtypes[seed % 3], .fill = seed % 2 ? "normal" : "wave", .seed = seed };
    const met_circuit *circuit = random_circuit(session, seed, text);
    const met_subject *subject = met_subject_new(circuit, &options, 0, NULL);
    met_way interpreter = { .planner = "none", .hardware = "interpreter" };
    const met_outcome *reference = subject ? met_subject_run(subject, &interpreter) : NULL;
    if (!reference)
        fail_msg("%s\n%s", text, met_session_diagnostics_text(session));
    int ran = 0;
    for (int p = 0; p < 2; p++) {
        met_way way = { .planner = planners[p], .hardware = seed % 4 ? "cpu" : "cpu-scalar", .threads = 1 + (uint32_t)p, .poison = true };
        const met_outcome *outcome = met_subject_run(subject, &way);
        if (outcome)
            expect_same(subject, reference, outcome, text);
        else if (!is_refused(session))
            fail_msg("%s\n%s", text, met_session_diagnostics_text(session));
        ran = outcome != NULL;
    }
    met_session_free(session);
    return ran;
}

static void random_circuits(void **state)
{
    (void)state;
    int ran = 0;
    for (uint64_t seed = 1000; seed < 1000 + MET_PROPERTY_ROUNDS; seed++)
        ran += try_seed(seed);
    assert_true(2 * ran > MET_PROPERTY_ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_circuits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
