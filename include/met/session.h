/* What one piece of work shares: source texts, interned names and diagnostics.
 *
 * Every other object of the library is made within a session and keeps a pointer to it; free the session last.
 * A session is used by one thread at a time. Running out of memory ends the process with a message on stderr
 * and status 3: the readers bound what an input may ask for, so this means that the machine is full, not that the input is
 * bad. */
#ifndef MET_SESSION_H
#define MET_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct met_session met_session;

/* A stretch of a source text: bytes [begin, end). `source` 0 means "no place". */
typedef struct met_span {
    uint32_t source;
    uint32_t begin;
    uint32_t end;
} met_span;

met_session *met_session_new(void);
void met_session_free(met_session *session);

/* `count` zeroed objects of `size` bytes that live as long as the session. */
void *met_session_alloc(met_session *session, size_t count, size_t size);

/* Registers a text under the name that diagnostics print; copies both. Returns the source's id (from 1), or 0 with a
 * diagnostic if the text is longer than MET_SOURCE_LIMIT bytes. The text may hold any bytes. */
#define MET_SOURCE_LIMIT ((size_t)64 << 20)
uint32_t met_session_add_source(met_session *session, const char *name, const char *text, size_t length);

size_t met_session_error_count(const met_session *session);
size_t met_session_warning_count(const met_session *session);

/* All diagnostics so far, as text for people or as a JSON array (schema: docs/formats/diagnostics.md). The result is
 * NUL-terminated and lives as long as the session. */
const char *met_session_diagnostics_text(met_session *session);
const char *met_session_diagnostics_json(met_session *session);

/* Forgets the diagnostics, keeps everything else. */
void met_session_clear_diagnostics(met_session *session);

#ifdef __cplusplus
}
#endif
#endif
