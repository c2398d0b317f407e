/* Any bytes as a .npy file: a tensor that survives writing and reading again, or diagnostics. */
#include "met/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > (size_t)1 << 20)
        return 0;
    met_session *session = met_session_new();
    met_tensor *tensor = met_npy_read(session, "fuzz.npy", (const char *)data, size);
    if (!tensor && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    if (tensor) {
        size_t length;
        const char *bytes = met_npy_write(session, tensor, &length);
        met_tensor *again = met_npy_read(session, "again.npy", bytes, length);
        if (!again || again->count != tensor->count || again->rank != tensor->rank)
            __builtin_trap();
        for (size_t i = 0; i < tensor->count; i++) {
            double a = tensor->values[i], b = again->values[i];
            if (a != b && (a == a || b == b))
                __builtin_trap();
        }
    }
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
