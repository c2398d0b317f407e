/* Any bytes as FPCore programs: bounds, or diagnostics. */
#include <math.h>

#include "met/straight.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 4096)
        return 0;
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz.fpcore", (const char *)data, size);
    met_straight_options options = { .work = 300, .rounded_inputs = size % 2 };
    size_t count = 0;
    const met_straight_answer *answers = source ? met_straight_bound(session, source, &options, &count) : NULL;
    if (!answers && met_session_error_count(session) == 0)
        __builtin_trap(); /* failed without saying why */
    for (size_t i = 0; answers && i < count; i++)
        if (isnan(answers[i].absolute) || isnan(answers[i].relative) || answers[i].absolute < 0 ||
            (isinf(answers[i].absolute) && !answers[i].why) || !(answers[i].lo <= answers[i].hi))
            __builtin_trap();
    if (answers)
        met_straight_text(session, source, &options);
    met_session_diagnostics_text(session);
    met_session_free(session);
    return 0;
}
