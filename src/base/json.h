/* JSON as it is written: the commas, the quotes and the line breaks. What a document says is its writer's. */
#ifndef MET_BASE_JSON_H
#define MET_BASE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

typedef struct met_json {
    met_text *out;
    bool compact; /* no space behind a comma or a colon */
    bool empty;   /* nothing stands yet in what was opened last */
    bool breaks;  /* what comes next begins a line ... */
    int indent;   /* ... this far in */
} met_json;

/* On the text as it stands, which may hold other things before it. */
met_json met_json_new(met_text *out);
met_json met_json_new_compact(met_text *out);

/* Everywhere below `key` is the name of a member, or NULL inside an array and at the top. */

/* `bracket` is '{' or '[' ... */
void met_json_open(met_json *json, const char *key, char bracket);
/* ... and here '}' or ']'. */
void met_json_close(met_json *json, char bracket);
/* Ends a document: a line break. The text, never NULL. */
const char *met_json_done(met_json *json);
/* The next item, or the bracket that closes, begins a line of its own. */
void met_json_line(met_json *json, int indent);

/* NULL is null. */
void met_json_put_string(met_json *json, const char *key, const char *value);
void met_json_put_str(met_json *json, const char *key, met_str value);
/* As met_text_double has it. JSON has no infinities and no NaN: they are null ... */
void met_json_put_number(met_json *json, const char *key, double value);
/* ... and here, where they are values like others, "inf", "-inf" and "nan". */
void met_json_put_real(met_json *json, const char *key, double value);
void met_json_put_integer(met_json *json, const char *key, uint64_t value);
void met_json_put_signed(met_json *json, const char *key, int64_t value);
void met_json_put_flag(met_json *json, const char *key, bool value);
void met_json_put_null(met_json *json, const char *key);
void met_json_put_strings(met_json *json, const char *key, size_t count, const char *const *values);
void met_json_put_u32s(met_json *json, const char *key, size_t count, const uint32_t *values);
void met_json_put_u64s(met_json *json, const char *key, size_t count, const uint64_t *values);
/* For a value that the caller writes, to the text that is returned, right after. */
met_text *met_json_value(met_json *json, const char *key);

/* Members that are fields of a struct: a list that ends with a key that is NULL. */
typedef enum met_json_kind {
    MET_JSON_NUMBER, /* double */
    MET_JSON_STRING, /* const char *, which may be NULL */
    MET_JSON_FLAG,   /* bool */
    MET_JSON_SIZE,   /* size_t */
    MET_JSON_U32,
    MET_JSON_U64,
} met_json_kind;

typedef struct met_json_field {
    const char *key;
    size_t offset;
    met_json_kind kind;
} met_json_field;

void met_json_put_fields(met_json *json, const met_json_field *fields, const void *of);

#endif
