/* Inside of a session: its arena, its sources and its interned names. The public face is met/session.h. */
#ifndef MET_BASE_SESSION_H
#define MET_BASE_SESSION_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"
#include "base/vec.h"
#include "met/session.h"

typedef struct met_source {
    met_str name;
    met_str text;
} met_source;

typedef struct met_diag met_diag;

struct met_session {
    met_arena *arena; /* whatever lives as long as the session */
    MET_VEC(met_source) sources;
    MET_VEC(met_str) names;
    met_map *name_ids;
    MET_VEC(met_diag *) diags;
    size_t errors;
    size_t warnings;
    size_t suppressed; /* errors beyond MET_DIAG_LIMIT */
};

/* `source` must be an id that met_session_add_source returned. */
const met_source *met_session_source(const met_session *session, uint32_t source);

/* Where the diagnostics stood, so that what a trial says can be taken back: met_session_take_message forgets all since the
 * mark and returns the first one's message, NULL if there was none. Only for trials that fail for a known reason. */
typedef struct met_diag_mark {
    size_t diags, errors, warnings, suppressed;
} met_diag_mark;
met_diag_mark met_session_mark(const met_session *session);
const char *met_session_take_message(met_session *session, met_diag_mark mark);

met_sym met_intern(met_session *session, met_str text);
met_str met_sym_str(const met_session *session, met_sym sym);
const char *met_sym_text(const met_session *session, met_sym sym); /* NUL-terminated */

#endif
