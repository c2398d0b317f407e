/* Fields of the JSON form: each is required, of one kind, and refused with its place. */
#include "base/value.h"
#include "ir/circuit.h"
#include "ir/json.h"

/* A table with these fields and no others: version 1 has no optional ones. */
bool met_json_table(met_session *session, const met_value *value, const char *what, const char *const *keys)
{
    size_t count = 0;
    while (keys[count])
        count++;
    return met_value_expect(session, value, MET_VALUE_TABLE, what) && met_value_only(session, value, keys, count);
}

const met_value *met_json_list(met_session *session, const met_value *table, const char *key)
{
    const met_value *list = met_value_require(session, table, key);
    return list && met_value_expect(session, list, MET_VALUE_LIST, key) ? list : NULL;
}

bool met_json_string(met_session *session, const met_value *table, const char *key, met_sym *ret_sym)
{
    const met_value *value = met_value_require(session, table, key);
    met_str text;
    if (!value || !met_value_to_string(session, value, key, &text))
        return false;
    *ret_sym = met_intern(session, text);
    return true;
}

/* A name must be one that the language can say, for listings to read back. Labels may be numbers. */
static bool is_name(met_str text)
{
    bool good = text.length > 0 && text.length < 4096 && text.at[0] != '.';
    for (size_t i = 0; i < text.length && good; i++) {
        char c = text.at[i];
        bool dot = c == '.' && i + 1 < text.length && text.at[i + 1] != '.';
        good = dot || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
    return good;
}

bool met_json_name(met_session *session, const met_value *table, const char *key, met_sym *ret_sym)
{
    if (!met_json_string(session, table, key, ret_sym))
        return false;
    if (is_name(met_sym_str(session, *ret_sym)))
        return true;
    met_diag *d = met_diag_at(session, MET_DIAG_circuit, &met_value_get(table, key)->place, "`%s` is not a name", met_sym_text(session, *ret_sym));
    met_diag_help(d, "names are made of letters, digits, `_` and single dots");
    return false;
}

bool met_json_bool(met_session *session, const met_value *table, const char *key, bool *ret_bool)
{
    const met_value *value = met_value_require(session, table, key);
    return value && met_value_to_bool(session, value, key, ret_bool);
}

bool met_json_count(met_session *session, const met_value *value, const char *what, uint32_t *ret_n)
{
    int64_t n;
    if (!met_value_to_integer(session, value, what, &n))
        return false;
    if (n < 0 || n >= UINT32_MAX) {
        met_diag_at(session, MET_DIAG_circuit, &value->place, "%s is out of range", what);
        return false;
    }
    *ret_n = (uint32_t)n;
    return true;
}

bool met_json_count_field(met_session *session, const met_value *table, const char *key, uint32_t *ret_n)
{
    const met_value *value = met_value_require(session, table, key);
    return value && met_json_count(session, value, key, ret_n);
}

bool met_json_optional(met_session *session, const met_value *table, const char *key, uint32_t *ret_n)
{
    const met_value *value = met_value_require(session, table, key);
    *ret_n = MET_NONE;
    return value && (value->kind == MET_VALUE_NULL || met_json_count(session, value, key, ret_n));
}

bool met_json_format(met_session *session, const met_value *table, const char *key, met_format *ret_format)
{
    const met_value *value = met_value_require(session, table, key);
    met_str text;
    if (!value || !met_value_to_string(session, value, key, &text))
        return false;
    if (met_format_parse(text, ret_format))
        return true;
    met_diag *d = met_diag_at(session, MET_DIAG_format, &value->place, "there is no format `%.*s`", MET_STR_ARGS(text));
    met_diag_help(d, "formats are %s", met_format_spellings());
    return false;
}

bool met_json_look_up(met_session *session, met_map *map, const met_value *value, const char *what, uint32_t *ret_id)
{
    met_str name;
    if (!met_value_to_string(session, value, what, &name))
        return false;
    if (met_map_get(map, name, ret_id))
        return true;
    met_diag_at(session, MET_DIAG_circuit, &value->place, "there is no %s `%.*s`", what, MET_STR_ARGS(name));
    return false;
}

bool met_json_declare(met_session *session, met_map *map, const met_value *item, met_sym name, uint32_t id)
{
    if (met_map_get(map, met_sym_str(session, name), NULL)) {
        met_diag_at(session, MET_DIAG_duplicate_name, &item->place, "`%s` is there twice", met_sym_text(session, name));
        return false;
    }
    met_map_set(map, met_sym_str(session, name), id);
    return true;
}
