/* Any bytes as a region text: no crash, no hang; what can be read has a term along every axis, or a refusal with a reason. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/diag.h"
#include "derive/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void derive(met_session *session, const met_region *region, uint32_t loop)
{
    const met_stream_term *term = met_stream_derive(region, loop);
    if (!term->streams && !term->reason)
        abort();
    met_text out = met_text_new(session->arena);
    met_stream_print(&out, term);
    met_stream_json(&out, term);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const statics[] = { "n", "eps" };
    met_region_rules rules = { "x", 2, statics };
    met_session *session = met_session_new();
    uint32_t source = met_session_add_source(session, "fuzz", (const char *)data, size);
    const met_region *region = met_region_read(session, (met_span){ source, 0, (uint32_t)size }, &rules);
    if (!region && met_session_error_count(session) == 0)
        abort();
    met_session_diagnostics_text(session);
    for (uint32_t loop = 0; region && loop < region->loop_count && loop < 4; loop++)
        derive(session, region, loop);
    met_session_free(session);
    return 0;
}
