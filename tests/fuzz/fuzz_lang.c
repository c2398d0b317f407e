/* Any bytes as a program: no crash, no hang; what can be read has a listing that can be read. Whole expansions only
 * where the program is small, so that the listing of a listing is not the slow part. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "ir/circuit.h"
#include "met/circuit.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz", (const char *)data, size);
    met_circuit *circuit = met_circuit_read(session, source, NULL);
    if (!circuit && met_session_error_count(session) == 0)
        abort(); /* a refusal says why */
    met_session_diagnostics_text(session);
    if (circuit && met_session_error_count(session) == 0 && circuit->node_count < 200) {
        const char *listing = met_circuit_listing(circuit, true);
        uint32_t again = met_session_add_source(session, "listing", listing, strlen(listing));
        met_circuit_read(session, again, NULL);
    }
    met_session_free(session);
    return 0;
}
