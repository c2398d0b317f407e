/* Typed access to the fields of the JSON form. */
#include "ir/json_read_parts.h"

bool met_json_table(met_json_reader *r, const met_value *value, const char *what, const char *const *keys)
{
    size_t count = 0;
    while (keys[count])
        count++;
    return met_value_expect(r->session, value, MET_VALUE_TABLE, what) && met_value_only(r->session, value, keys, count);
}

const met_value *met_json_list(met_json_reader *r, const met_value *table, const char *key)
{
    const met_value *list = met_value_require(r->session, table, key);
    return list && met_value_expect(r->session, list, MET_VALUE_LIST, key) ? list : NULL;
}

bool met_json_string(met_json_reader *r, const met_value *table, const char *key, met_sym *ret_sym)
{
    const met_value *value = met_value_require(r->session, table, key);
    met_str text;
    if (!value || !met_value_to_string(r->session, value, key, &text))
        return false;
    *ret_sym = met_intern(r->session, text);
    return true;
}

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

bool met_json_name(met_json_reader *r, const met_value *table, const char *key, met_sym *ret_sym)
{
    if (!met_json_string(r, table, key, ret_sym))
        return false;
    if (is_name(met_sym_str(r->session, *ret_sym)))
        return true;
    met_diag *d = met_diag_at(r->session, MET_DIAG_circuit, &met_value_get(table, key)->place, "`%s` is not a name",
                              met_sym_text(r->session, *ret_sym));
    met_diag_help(d, "names are made of letters, digits, `_` and single dots");
    return false;
}

bool met_json_bool(met_json_reader *r, const met_value *table, const char *key, bool *ret_bool)
{
    const met_value *value = met_value_require(r->session, table, key);
    return value && met_value_to_bool(r->session, value, key, ret_bool);
}

bool met_json_natural(met_json_reader *r, const met_value *value, const char *what, uint32_t *ret_n)
{
    int64_t n;
    if (!met_value_to_integer(r->session, value, what, &n))
        return false;
    if (n < 0 || n >= UINT32_MAX) {
        met_diag_at(r->session, MET_DIAG_circuit, &value->place, "%s is out of range", what);
        return false;
    }
    *ret_n = (uint32_t)n;
    return true;
}

bool met_json_natural_field(met_json_reader *r, const met_value *table, const char *key, uint32_t *ret_n)
{
    const met_value *value = met_value_require(r->session, table, key);
    return value && met_json_natural(r, value, key, ret_n);
}

/* null or a number */
bool met_json_optional(met_json_reader *r, const met_value *table, const char *key, uint32_t *ret_n)
{
    const met_value *value = met_value_require(r->session, table, key);
    *ret_n = MET_NONE;
    return value && (value->kind == MET_VALUE_NULL || met_json_natural(r, value, key, ret_n));
}

bool met_json_format(met_json_reader *r, const met_value *table, const char *key, met_format *ret_format)
{
    const met_value *value = met_value_require(r->session, table, key);
    met_str text;
    if (!value || !met_value_to_string(r->session, value, key, &text))
        return false;
    if (met_format_parse(text, ret_format))
        return true;
    met_diag *d = met_diag_at(r->session, MET_DIAG_format, &value->place, "there is no format `%.*s`", MET_STR_ARGS(text));
    met_diag_help(d, "formats are %s", met_format_spellings());
    return false;
}

bool met_json_look_up(met_json_reader *r, met_map *map, const met_value *value, const char *what, uint32_t *ret_id)
{
    met_str name;
    if (!met_value_to_string(r->session, value, what, &name))
        return false;
    if (met_map_get(map, name, ret_id))
        return true;
    met_diag_at(r->session, MET_DIAG_circuit, &value->place, "there is no %s `%.*s`", what, MET_STR_ARGS(name));
    return false;
}

bool met_json_declare(met_json_reader *r, met_map *map, const met_value *item, met_sym name, uint32_t id)
{
    if (met_map_get(map, met_sym_str(r->session, name), NULL)) {
        met_diag_at(r->session, MET_DIAG_duplicate_name, &item->place, "`%s` is there twice", met_sym_text(r->session, name));
        return false;
    }
    met_map_set(map, met_sym_str(r->session, name), id);
    return true;
}

/* A field that holds one of a few words; its number. */
bool met_json_word(met_json_reader *r, const met_value *item, const char *key, const char *const *words, int count, int *ret_number)
{
    const met_value *value = met_value_require(r->session, item, key);
    met_str word;
    if (!value || !met_value_to_string(r->session, value, key, &word))
        return false;
    for (int k = 0; k < count; k++) {
        if (met_str_is(word, words[k])) {
            *ret_number = k;
            return true;
        }
    }
    met_diag_at(r->session, MET_DIAG_circuit, &value->place, "there is no %s `%.*s`", key, MET_STR_ARGS(word));
    return false;
}

bool met_json_numbers(met_json_reader *r, const met_value *item, const char *key, const uint32_t **ret_numbers, uint32_t *ret_count)
{
    const met_value *list = met_json_list(r, item, key);
    if (!list)
        return false;
    uint32_t *numbers = MET_NEW_ARRAY(r->arena, uint32_t, list->items.count);
    for (size_t i = 0; i < list->items.count; i++)
        if (!met_json_natural(r, list->items.at[i], key, &numbers[i]))
            return false;
    *ret_numbers = numbers;
    *ret_count = (uint32_t)list->items.count;
    return true;
}
