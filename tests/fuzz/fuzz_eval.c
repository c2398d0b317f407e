/* Any bytes as a program: a circuit or diagnostics. A circuit is bound to small sizes and run, in f64 and in bf16 (there with
 * all divisions deferred and dot products in pairs), and its listing reads back to the same listing. */
#include <string.h>

#include "met/eval.h"
#include "programs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_listing(met_session *session, const met_circuit *circuit)
{
    met_circuit bare = *circuit; /* a listing does not read back blocks */
    bare.block_count = 0;
    const char *listing = met_circuit_listing(&bare, true);
    const met_circuit *again = circuit_of(session, listing, strlen(listing));
    if (!again || strcmp(listing, met_circuit_listing(again, true)) != 0)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 12)
        return 0;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, (const char *)data, size);
    if (circuit && circuit->node_count < 500) {
        check_listing(session, circuit);
        const met_circuit *bound = met_circuit_bind(circuit, settings(circuit));
        static const char *const dtypes[] = { "f64", "bf16" };
        for (int d = 0; bound && d < 2; d++) {
            met_eval_options options = { .dtype = dtypes[d], .fill = "normal", .work_limit = 20000,
                                         .division = d ? "deferred" : NULL, .dot = d ? "pairs" : NULL };
            met_eval_run(bound, &options, 0, NULL);
        }
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
