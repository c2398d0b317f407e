/* Any bytes as a checkpoint: tensors within them, all of which read, or diagnostics. */
#include <stdlib.h>

#include "host/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > (size_t)1 << 16)
        return 0;
    met_session *session = met_session_new();
    const met_safetensors *checkpoint = met_safetensors_parse(session, "fuzz.safetensors", (const char *)data, size);
    if (!checkpoint && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    size_t count = 0;
    const met_stored_tensor *tensors = checkpoint ? met_safetensors_list(checkpoint, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        size_t errors = met_session_error_count(session);
        if (tensors[i].end > size || met_safetensors_find(checkpoint, tensors[i].name) != &tensors[i])
            __builtin_trap();
        if (!met_safetensors_load(session, &tensors[i]) && met_session_error_count(session) == errors)
            __builtin_trap();
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
