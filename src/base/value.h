/* Reading value trees (met/value.h builds them): typed access with diagnostics that name the field. */
#ifndef MET_BASE_VALUE_H
#define MET_BASE_VALUE_H

#include "base/diag.h"
#include "met/value.h"

typedef struct met_entry {
    met_str key;
    met_place key_place;
    met_value *value;
} met_entry;

struct met_value {
    met_value_kind kind;
    met_place place;
    bool boolean;
    int64_t integer;
    double number; /* set for integers too */
    met_str string;
    MET_VEC(met_value *) items;
    MET_VEC(met_entry) entries;
};

/* NULL if absent. */
const met_value *met_value_get(const met_value *table, const char *key);

/* A diagnostic at a place, whichever kind of place it is. */
met_diag *met_diag_at(met_session *session, met_code code, const met_place *place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A further place, likewise. */
void met_diag_note_at(met_diag *diag, const met_place *place, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Checked access: false (or NULL) with a diagnostic `field` if the value has another kind. */
bool met_value_to_string(met_session *session, const met_value *value, const char *what, met_str *ret_string);
bool met_value_to_integer(met_session *session, const met_value *value, const char *what, int64_t *ret_integer);
bool met_value_to_number(met_session *session, const met_value *value, const char *what, double *ret_number);
bool met_value_to_bool(met_session *session, const met_value *value, const char *what, bool *ret_bool);
bool met_value_expect(met_session *session, const met_value *value, met_value_kind kind, const char *what);
/* The field `key` of a table; a missing one is a diagnostic. */
const met_value *met_value_require(met_session *session, const met_value *table, const char *key);
/* Diagnoses every key of `table` that is not among `known`; true if there is none. */
bool met_value_only(met_session *session, const met_value *table, const char *const *known, size_t count);

const char *met_value_kind_name(met_value_kind kind);

#endif
