/* Any bytes as a program: what the circuit costs, as formulas and with small sizes in two small levels, in values and in
 * bytes. */
#include <string.h>

#include "met/cost.h"
#include "programs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 12)
        return 0;
    met_session *session = met_session_new();
    const met_circuit *circuit = circuit_of(session, (const char *)data, size);
    if (circuit && circuit->node_count < 40) {
        met_cost_table(circuit, NULL);
        const met_circuit *bound = met_circuit_bind(circuit, settings(circuit));
        met_cost_options values = { .levels = "M=300,L=20", .nesting = "divide" };
        met_cost_options bytes = { .levels = "L2=1KiB,L1=100B", .liveness = "tiles", .granules = "tile=2,stream=3", .dtype = "bf16" };
        if (bound && (!met_cost_table(bound, &values) || !met_cost_json(bound, &bytes)) && met_session_error_count(session) == 0)
            __builtin_trap();
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
