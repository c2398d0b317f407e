/* Any bytes as a JSON file: a tree or diagnostics, and both can be printed. */
#include "host/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > (size_t)1 << 20)
        return 0;
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz.json", (const char *)data, size);
    if (source && !met_json_read(session, source) && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    met_session_diagnostics_text(session);
    met_session_diagnostics_json(session);
    met_session_free(session);
    return 0;
}
