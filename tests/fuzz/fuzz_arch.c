/* Any bytes as an architecture: a circuit that lists and expands, or diagnostics. */
#include <string.h>

#include "host/toml.h"
#include "met/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char part[] = "[part]\nname = 'p'\nsummary = 's'\nneeds = ['n']\n[dims]\nm = { size = 'w' }\nk = { switch = 'k', default = true }\n"
                           "[blocks.b]\nby = 'k'\non = '(x: n m) -> y { y = linear[m -> m](x, @w) }'\n";

static const met_value *load(void *session, const char *path)
{
    return strcmp(path, "p.toml") == 0 ? met_toml_read(session, met_session_add_source(session, path, part, sizeof part - 1)) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > (size_t)1 << 16)
        return 0;
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz.toml", (const char *)data, size);
    const met_value *value = source ? met_toml_read(session, source) : NULL;
    /* few layers: many of them are slow, and nothing new */
    met_model_options options = { .layers = size % 4, .part = load, .part_context = session };
    const met_circuit *circuit = value ? met_model_read(session, value, &options) : NULL;
    if (value && !circuit && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    if (circuit) {
        met_circuit_listing(circuit, true);
        met_circuit_expand(circuit, "pow2");
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
