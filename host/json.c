#include "host/json.h"

#include <jansson.h>
#include <string.h>

#include "base/value.h"
#include "host/encoding.h"

/* Every value keeps its path, so the longest path bounds the memory that a hostile file can ask for. */
enum { PATH_LIMIT = 200 };

typedef struct reader {
    met_session *session;
    uint32_t source;
    size_t depth;
    size_t length;
    bool cut;
    char path[PATH_LIMIT + 8]; /* room for "…" and the NUL */
} reader;

static void path_char(reader *r, char c)
{
    if (r->cut)
        return;
    if (r->length < PATH_LIMIT) {
        r->path[r->length++] = c;
    } else {
        while (r->length > 0 && ((unsigned char)r->path[r->length] & 0xC0) == 0x80)
            r->length--; /* do not cut a code point */
        memcpy(r->path + r->length, "…", strlen("…"));
        r->length += strlen("…");
        r->cut = true;
    }
    r->path[r->length] = 0;
}

/* Adds "/KEY", escaped as RFC 6901 says. */
static void path_enter(reader *r, const char *key, size_t length)
{
    path_char(r, '/');
    for (size_t i = 0; i < length && !r->cut; i++) {
        if (key[i] == '~' || key[i] == '/') {
            path_char(r, '~');
            path_char(r, key[i] == '~' ? '0' : '1');
        } else {
            path_char(r, key[i]);
        }
    }
}

static void path_leave(reader *r, size_t length, bool cut)
{
    r->length = length;
    r->cut = cut;
    r->path[length] = 0;
}

static met_place here(const reader *r)
{
    return (met_place){ .span = { r->source, 0, 0 }, .path = r->path };
}

static met_value *build(reader *r, json_t *json);

static met_value *build_list(reader *r, json_t *json)
{
    met_value *list = met_value_list(r->session, here(r));
    size_t length = r->length;
    bool cut = r->cut;
    for (size_t i = 0; i < json_array_size(json); i++) {
        char key[24];
        int key_length = snprintf(key, sizeof key, "%zu", i);
        path_enter(r, key, (size_t)key_length);
        met_value *item = build(r, json_array_get(json, i));
        path_leave(r, length, cut);
        if (!item)
            return NULL;
        met_value_append(r->session, list, item);
    }
    return list;
}

static met_value *build_table(reader *r, json_t *json)
{
    met_value *table = met_value_table(r->session, here(r));
    size_t length = r->length;
    bool cut = r->cut;
    const char *key;
    json_t *member;
    json_object_foreach(json, key, member) {
        path_enter(r, key, strlen(key));
        met_value *item = build(r, member);
        if (item)
            met_value_add(r->session, table, key, strlen(key), here(r), item);
        path_leave(r, length, cut);
        if (!item)
            return NULL;
    }
    return table;
}

static met_value *build_nested(reader *r, json_t *json)
{
    if (r->depth >= MET_JSON_DEPTH) {
        met_place place = here(r);
        met_diag_at(r->session, MET_DIAG_too_deep, &place, "values nested more than %d deep", MET_JSON_DEPTH);
        return NULL;
    }
    r->depth++;
    met_value *value = json_is_array(json) ? build_list(r, json) : build_table(r, json);
    r->depth--;
    return value;
}

static met_value *build(reader *r, json_t *json)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
    case JSON_ARRAY:
        return build_nested(r, json);
    case JSON_STRING:
        return met_value_string(r->session, here(r), json_string_value(json), json_string_length(json));
    case JSON_INTEGER:
        return met_value_integer(r->session, here(r), json_integer_value(json));
    case JSON_REAL:
        return met_value_float(r->session, here(r), json_real_value(json));
    case JSON_TRUE:
    case JSON_FALSE:
        return met_value_bool(r->session, here(r), json_is_true(json));
    case JSON_NULL:
        break;
    }
    return met_value_null(r->session, here(r));
}

/* jansson stops just past the token that it could not use, and quotes that token when it is short. */
static met_span error_span(uint32_t source, met_str text, const json_error_t *error)
{
    size_t end = error->position > 0 ? (size_t)error->position : 0;
    if (end > text.length)
        end = text.length;
    size_t begin = end > 0 && end < text.length ? end - 1 : end;
    const char *near = strstr(error->text, " near '");
    if (near) {
        near += strlen(" near '");
        const char *last = strrchr(near, '\'');
        size_t length = last ? (size_t)(last - near) : 0;
        if (length > 0 && length <= end && memcmp(text.at + end - length, near, length) == 0)
            begin = end - length;
    }
    return (met_span){ source, (uint32_t)begin, (uint32_t)end };
}

static void parse_error(met_session *session, uint32_t source, met_str text, const json_error_t *error)
{
    met_span span = error_span(source, text, error);
    switch (json_error_code(error)) {
    case json_error_stack_overflow:
        met_diag_add(session, MET_DIAG_too_deep, span, "values nested more than %d deep", MET_JSON_DEPTH);
        break;
    case json_error_numeric_overflow:
        met_diag_add(session, MET_DIAG_json, span, "a number beyond what 64 bits hold");
        break;
    default:
        met_diag_add(session, MET_DIAG_json, span, "%s", error->text);
        break;
    }
}

static size_t skip_blanks(met_str text, size_t at)
{
    while (at < text.length && strchr(" \t\r\n", text.at[at]))
        at++;
    return at;
}

bool met_json_begins(const met_session *session, uint32_t source)
{
    met_str text = met_session_source(session, source)->text;
    size_t brace = skip_blanks(text, 0);
    if (brace == text.length || text.at[brace] != '{')
        return false;
    size_t key = skip_blanks(text, brace + 1);
    return key < text.length && text.at[key] == '"';
}

/* An upper bound of the values in the text: what begins, and what follows a comma. Strings are passed over. */
static size_t count_values(met_str text)
{
    size_t count = 1;
    bool string = false;
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        if (string && c == '\\')
            i++;
        else if (c == '"')
            string = !string;
        else if (!string)
            count += c == ',' || c == '[' || c == '{';
    }
    return count;
}

/* RFC 8259 forbids it, and it cannot be seen where it is underlined. */
static bool has_mark(met_session *session, uint32_t source, met_str text)
{
    if (text.length < 3 || memcmp(text.at, "\xEF\xBB\xBF", 3) != 0)
        return false;
    met_diag *d = met_diag_add(session, MET_DIAG_encoding, (met_span){ source, 0, 3 }, "the text begins with a byte order mark");
    met_diag_help(d, "save it as UTF-8 without one");
    return true;
}

met_value *met_json_read(met_session *session, uint32_t source)
{
    met_str text = met_session_source(session, source)->text;
    if (count_values(text) > MET_JSON_VALUES) {
        met_diag_add(session, MET_DIAG_input_too_large, (met_span){ source, 0, 0 }, "a JSON file of more than %zu values", MET_JSON_VALUES);
        return NULL;
    }
    if (!met_encoding_check(session, source) || has_mark(session, source, text))
        return NULL;
    json_error_t error = { 0 };
    json_t *json = json_loadb(text.at, text.length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!json) {
        parse_error(session, source, text, &error);
        return NULL;
    }
    reader r = { .session = session, .source = source };
    met_value *value = build(&r, json);
    json_decref(json);
    return value;
}
