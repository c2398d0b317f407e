#include "base/session.h"

#include "base/diag.h"

met_session *met_session_new(void)
{
    met_arena *arena = met_arena_new();
    met_session *session = MET_NEW(arena, met_session);
    session->arena = arena;
    session->name_ids = met_map_new(arena);
    met_intern(session, met_str_of(""));
    return session;
}

void met_session_free(met_session *session)
{
    if (session)
        met_arena_free(session->arena);
}

void *met_session_alloc(met_session *session, size_t count, size_t size)
{
    return met_arena_alloc(session->arena, count, size);
}

uint32_t met_session_add_source(met_session *session, const char *name, const char *text, size_t length)
{
    if (length > MET_SOURCE_LIMIT || session->sources.count >= UINT32_MAX) {
        met_diag *d = met_diag_add(session, MET_DIAG_input_too_large, (met_span){ 0 }, "`%s` has %zu bytes", name, length);
        met_diag_help(d, "met reads texts of up to %zu bytes", MET_SOURCE_LIMIT);
        return 0;
    }
    met_str n = met_str_of(name);
    met_source source = { { met_arena_text(session->arena, n.at, n.length), n.length },
                          { met_arena_text(session->arena, text, length), length } };
    MET_PUSH(session->arena, &session->sources, source);
    return (uint32_t)session->sources.count;
}

const met_source *met_session_source(const met_session *session, uint32_t source)
{
    return &session->sources.at[source - 1];
}

met_sym met_intern(met_session *session, met_str text)
{
    uint32_t id;
    if (met_map_get(session->name_ids, text, &id))
        return (met_sym){ id };
    id = (uint32_t)session->names.count;
    met_str copy = { met_arena_text(session->arena, text.at, text.length), text.length };
    MET_PUSH(session->arena, &session->names, copy);
    met_map_set(session->name_ids, text, id);
    return (met_sym){ id };
}

met_str met_sym_str(const met_session *session, met_sym sym)
{
    return session->names.at[sym.id];
}

const char *met_sym_text(const met_session *session, met_sym sym)
{
    return session->names.at[sym.id].at;
}

size_t met_session_error_count(const met_session *session)
{
    return session->errors;
}

size_t met_session_warning_count(const met_session *session)
{
    return session->warnings;
}

met_diag_mark met_session_mark(const met_session *session)
{
    return (met_diag_mark){ session->diags.count, session->errors, session->warnings, session->suppressed };
}

const char *met_session_take_message(met_session *session, met_diag_mark mark)
{
    const char *message = session->diags.count > mark.diags ? session->diags.at[mark.diags]->message : NULL;
    session->diags.count = mark.diags;
    session->errors = mark.errors;
    session->warnings = mark.warnings;
    session->suppressed = mark.suppressed;
    return message;
}

void met_session_clear_diagnostics(met_session *session)
{
    session->diags.count = 0;
    session->errors = session->warnings = session->suppressed = 0;
}
