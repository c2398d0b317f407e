/* The public face of derivation (met/kernel.h). */
#include <string.h>

#include "base/diag.h"
#include "derive/stream.h"
#include "ir/expand.h"
#include "met/kernel.h"

static const char *answer(met_session *session, const met_stream_term *term, bool json, bool *ret_streams)
{
    met_text out = met_text_new(session->arena);
    *ret_streams = term->streams;
    if (json)
        met_stream_json(&out, term);
    else
        met_stream_print(&out, term);
    return met_text_done(&out);
}

static met_str *names_of(met_session *session, const met_region *region)
{
    met_str *names = MET_NEW_ARRAY(session->arena, met_str, region->loop_count);
    for (uint32_t i = 0; i < region->loop_count; i++)
        names[i] = met_str_of(region->loops[i].name);
    return names;
}

static const char *no_such_axis(met_session *session, const met_region *region, met_span span, const char *stream)
{
    const met_str *names = names_of(session, region);
    met_text list = met_text_new(session->arena);
    for (uint32_t i = 0; i < region->loop_count; i++) {
        met_text_put(&list, i ? ", " : "");
        met_text_str(&list, names[i]);
    }
    met_diag *d = met_diag_add(session, MET_DIAG_label, span, "there is no axis `%s` to stream", stream);
    met_diag_help(d, region->loop_count ? "axes are: %s" : "nothing here has an axis%s", met_text_done(&list));
    return NULL;
}

static const char *derived(met_session *session, const met_region *region, met_span span, const met_kernel_question *question,
                           bool *ret_streams)
{
    uint32_t loop = question->stream ? met_region_loop_find(region, question->stream) : met_region_default_stream(region);
    if (loop == MET_NONE && question->stream)
        return no_such_axis(session, region, span, question->stream);
    if (loop == MET_NONE) {
        met_diag *d = met_diag_add(session, MET_DIAG_label, span, "nothing is folded here, so there is no axis to stream");
        met_diag_help(d, "--stream x streams along axis x all the same");
        return NULL;
    }
    return answer(session, met_stream_derive(region, loop), question->json, ret_streams);
}

const char *met_kernel_term_of_circuit(const met_circuit *circuit, const met_kernel_question *question, bool *ret_streams)
{
    met_session *session = circuit->session;
    const met_circuit *expanded = met_expand(circuit, MET_NUMERICS_REAL);
    met_refusal refusal = { 0 };
    if (!expanded)
        return NULL;
    const met_region *region = met_region_unfold(expanded, &refusal);
    met_span span = { 0, 0, 0 };
    if (region)
        return derived(session, region, span, question, ret_streams);
    if (refusal.node.id != MET_NONE)
        span = expanded->nodes[refusal.node.id].span;
    met_diag_add(session, MET_DIAG_run, span, "%s", refusal.reason);
    return NULL;
}

/* "n,eps" into names. */
static uint32_t split_names(met_arena *arena, const char *list, const char ***ret_names)
{
    size_t room = strlen(list) + 1;
    uint32_t count = 0;
    *ret_names = MET_NEW_ARRAY(arena, const char *, room);
    for (const char *at = list; *at;) {
        size_t length = strcspn(at, ", ");
        if (length > 0)
            (*ret_names)[count++] = met_arena_text(arena, at, length);
        at += length;
        at += strspn(at, ", ");
    }
    return count;
}

const char *met_kernel_term_of_region(met_session *session, uint32_t source, const met_kernel_question *question, bool *ret_streams)
{
    met_region_rules rules = { .stream = question->stream };
    const char **names = NULL;
    if (question->statics)
        rules.static_count = split_names(session->arena, question->statics, &names);
    rules.statics = names;
    met_span span = { source, 0, (uint32_t)met_session_source(session, source)->text.length };
    const met_region *region = met_region_read(session, span, &rules);
    if (region && !rules.stream && rules.static_count) { /* only now is it known what they do not carry */
        uint32_t loop = met_region_default_stream(region);
        rules.stream = loop == MET_NONE ? NULL : region->loops[loop].name;
        region = met_region_read(session, span, &rules);
    }
    return region ? derived(session, region, span, question, ret_streams) : NULL;
}
