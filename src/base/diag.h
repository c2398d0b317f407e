/* Diagnostics: what is wrong, where, and what to do. Every problem a user can see is one of these, with a code from
 * diag.def. Status codes steer the program; diagnostics explain. */
#ifndef MET_BASE_DIAG_H
#define MET_BASE_DIAG_H

#include "base/session.h"
#include "base/text.h"

typedef enum met_code {
#define MET_DIAG(name, text, severity, meaning) MET_DIAG_##name,
#include "base/diag.def"
#undef MET_DIAG
    MET_DIAG_COUNT
} met_code;

typedef enum met_severity { MET_SEVERITY_ERROR, MET_SEVERITY_WARNING } met_severity;

typedef struct met_code_info {
    const char *text;
    met_severity severity;
    const char *meaning;
} met_code_info;

extern const met_code_info met_code_table[MET_DIAG_COUNT];

/* A place with a few words about it. `path` is used instead of the span where a file has no positions (JSON pointer). */
typedef struct met_label {
    met_span span;
    const char *path;
    const char *text;
} met_label;

struct met_diag {
    met_session *session;
    met_code code;
    const char *message;
    met_label main; /* text may be NULL */
    MET_VEC(met_label) notes;
    MET_VEC(const char *) helps;
};

/* Errors beyond this many are only counted. */
#define MET_DIAG_LIMIT 50

/* Adds a diagnostic. The message is one line without a full stop, names in `backquotes`. Never returns NULL. */
met_diag *met_diag_add(met_session *session, met_code code, met_span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Words to print under the main underline. */
void met_diag_label(met_diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A further place: the other side of a conflict. Spans without a source print as a line without a place. */
void met_diag_note(met_diag *diag, met_span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* What to do about it. */
void met_diag_help(met_diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Gives the place as a path within the source of the main span, such as a JSON pointer. */
void met_diag_path(met_diag *diag, const char *path);

/* The nearest of `count` names to `wanted`, for "did you mean", or NULL if none is near. */
const char *met_nearest(met_str wanted, const char *const *names, size_t count);

/* Line and column (from 1, columns in code points) of a byte offset. */
void met_source_position(const met_source *source, uint32_t offset, uint32_t *ret_line, uint32_t *ret_column);

#endif
