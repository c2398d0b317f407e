/* Reading JSON (RFC 8259) into a value tree. */
#ifndef MET_HOST_JSON_H
#define MET_HOST_JSON_H

#include "met/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts may be as long as a source (MET_SOURCE_LIMIT). More values, which take about half a kilobyte each while they are
 * read, are refused, and so are values nested deeper. */
#define MET_JSON_VALUES ((size_t)2000000)
#define MET_JSON_DEPTH 256

/* The value that the source says, of any kind, or NULL with diagnostics. Keys stand in source order; a key given twice,
 * an integer beyond 64 bits and the escape \u0000 are errors. The place of a value is its JSON pointer; of a very long
 * one, the end is cut ("…"). */
met_value *met_json_read(met_session *session, uint32_t source);

/* Whether a text is small enough to be read. */
bool met_json_fits(const char *text, size_t length);

/* Whether a text begins as a JSON object does, and as nothing in the language of circuits: `{`, then a string. */
bool met_json_begins(const met_session *session, uint32_t source);

#ifdef __cplusplus
}
#endif
#endif
