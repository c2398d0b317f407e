/* Any bytes as the config.json of one of the architectures: a circuit, or diagnostics. */
#include <stdio.h>

#include "host/file.h"
#include "host/json.h"
#include "host/toml.h"
#include "met/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const met_value *load(void *session, const char *path)
{
    char whole[1024];
    snprintf(whole, sizeof whole, MET_ROOT_DIR "/kernels/circuits/%s", path);
    return met_toml_read(session, met_file_source(session, whole));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const archs[] = { "llama.toml", "mistral.toml", "qwen3.toml", "bert.toml", "mixtral.toml", "deepseek_v3.toml" };
    if (size > (size_t)1 << 16)
        return 0;
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "config.json", (const char *)data, size);
    met_model_options options = { .layers = 1, .part = load, .part_context = session };
    options.config = source ? met_json_read(session, source) : NULL;
    for (size_t i = 0; options.config && i < sizeof archs / sizeof *archs; i++) {
        met_session_clear_diagnostics(session);
        const met_circuit *circuit = met_model_read(session, load(session, archs[i]), &options);
        if (!circuit && met_session_error_count(session) == 0)
            __builtin_trap(); /* failed without saying why */
        uint64_t count;
        if (circuit)
            met_circuit_parameter_count(circuit, &count);
        met_session_diagnostics_json(session);
    }
    met_session_free(session);
    return 0;
}
