/* A value tree: what a TOML or JSON file says, with the place of every value. Readers of files (in host/, or yours)
 * build it with these functions; the library's own readers take it. Trees live as long as their session. */
#ifndef MET_VALUE_H
#define MET_VALUE_H

#include "met/session.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum met_value_kind {
    MET_VALUE_NULL,
    MET_VALUE_BOOL,
    MET_VALUE_INTEGER,
    MET_VALUE_FLOAT,
    MET_VALUE_STRING,
    MET_VALUE_LIST,
    MET_VALUE_TABLE
} met_value_kind;

typedef struct met_value met_value;

/* Where a value stands: a span, or a path (a JSON pointer) within source span.source if there are no positions. For a
 * string, `span` is the whole token; `content` is the stretch of the source that equals the string byte for byte, or
 * has begin == end where there is none (escapes), so that texts within strings keep their places. */
typedef struct met_place {
    met_span span;
    met_span content;
    const char *path; /* copied; NULL if there are positions */
} met_place;

met_value *met_value_null(met_session *session, met_place place);
met_value *met_value_bool(met_session *session, met_place place, bool b);
met_value *met_value_integer(met_session *session, met_place place, int64_t i);
met_value *met_value_float(met_session *session, met_place place, double d);
met_value *met_value_string(met_session *session, met_place place, const char *text, size_t length);
met_value *met_value_list(met_session *session, met_place place);
met_value *met_value_table(met_session *session, met_place place);
/* Appends to a list; adds a key to a table (order is kept; the caller makes sure that a key is new). */
void met_value_append(met_session *session, met_value *list, met_value *item);
void met_value_add(met_session *session, met_value *table, const char *key, size_t key_length, met_place key_place,
                   met_value *item);

#ifdef __cplusplus
}
#endif
#endif
