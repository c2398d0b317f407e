#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lkb/read.h"

/* "did you mean", or all that there is. */
static bool help_with(met_lkb_reader *r, met_diag *d, met_str name, const char *const *names, size_t count)
{
    const char *near = met_nearest(name, names, count);
    if (near) {
        met_diag_help(d, "did you mean `%s`?", near);
    } else if (count > 0 && count <= 24) {
        met_text list = met_text_new(r->arena);
        for (size_t i = 0; i < count; i++)
            met_text_format(&list, "%s%s", i ? ", " : "", names[i]);
        met_diag_help(d, "there is: %s", met_text_done(&list));
    }
    return false;
}

bool met_lkb_unknown(met_lkb_reader *r, const met_place *at, const char *what, met_str name, const char *const *names,
                     size_t count)
{
    met_diag *d = met_diag_at(r->session, MET_DIAG_unknown_name, at, "there is no %s `%.*s`", what, MET_STR_ARGS(name));
    return help_with(r, d, name, names, count);
}

bool met_lkb_wrong(met_lkb_reader *r, met_span span, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    met_diag_add(r->session, MET_DIAG_blueprint, span, "%s", message);
    return false;
}

const met_value *met_lkb_field(met_lkb_reader *r, const met_value *table, const char *key, bool required,
                               met_value_kind kind, bool *ret_good)
{
    const met_value *value = required ? met_value_require(r->session, table, key) : met_value_get(table, key);
    bool good = value ? met_value_expect(r->session, value, kind, key) : !required;
    if (!good)
        *ret_good = false;
    return good ? value : NULL;
}

/* One line of text: prints as it is, anywhere. */
static bool is_line(met_lkb_reader *r, const met_value *value, const char *what)
{
    bool good = true;
    for (size_t i = 0; i < value->string.length; i++)
        good = good && (unsigned char)value->string.at[i] >= ' ' && value->string.at[i] != 127;
    if (good && value->string.length > 0)
        return true;
    met_diag_at(r->session, MET_DIAG_field, &value->place, good ? "`%s` is empty" : "`%s` has control characters", what);
    return false;
}

bool met_lkb_text(met_lkb_reader *r, const met_value *table, const char *key, bool required, const char **ret_text)
{
    bool good = true;
    const met_value *value = met_lkb_field(r, table, key, required, MET_VALUE_STRING, &good);
    if (!value || !is_line(r, value, key))
        return good && !value;
    *ret_text = value->string.at;
    return true;
}

bool met_lkb_is_id(met_lkb_reader *r, const met_place *at, met_str text, const char *what)
{
    bool good = text.length > 0 && text.length <= 64;
    for (size_t i = 0; good && i < text.length; i++) {
        char c = text.at[i];
        good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    }
    if (!good)
        met_diag_at(r->session, MET_DIAG_field, at, "`%s` is not made of letters, digits, `_`, `-` and `.`, at most 64", what);
    return good;
}

bool met_lkb_id(met_lkb_reader *r, const met_value *table, const char *key, const char **ret_id)
{
    bool good = true;
    const met_value *value = met_lkb_field(r, table, key, true, MET_VALUE_STRING, &good);
    if (!value || !met_lkb_is_id(r, &value->place, value->string, key))
        return false;
    *ret_id = value->string.at;
    return true;
}

bool met_lkb_word(met_lkb_reader *r, const met_value *table, const char *key, bool required, const char *const *words,
                  size_t count, uint32_t *ret_word)
{
    bool good = true;
    const met_value *value = met_lkb_field(r, table, key, required, MET_VALUE_STRING, &good);
    if (!value)
        return good;
    for (uint32_t i = 0; i < count; i++) {
        if (!met_str_is(value->string, words[i]))
            continue;
        *ret_word = i;
        return true;
    }
    met_diag *d = met_diag_at(r->session, MET_DIAG_unknown_name, &value->place, "`%s` cannot be `%.*s`", key, MET_STR_ARGS(value->string));
    return help_with(r, d, value->string, words, count);
}

bool met_lkb_number(met_lkb_reader *r, const met_value *table, const char *key, bool required, double min, double *ret_number)
{
    const met_value *value = required ? met_value_require(r->session, table, key) : met_value_get(table, key);
    double number;
    if (!value)
        return !required;
    if (!met_value_to_number(r->session, value, key, &number))
        return false;
    if (!isfinite(number) || number < min) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, "`%s` must be %s", key,
                    min > 0 ? "more than 0" : "a number of at least 0");
        return false;
    }
    *ret_number = number;
    return true;
}

/* 48e9 is a number in TOML. */
static bool no_integer(met_lkb_reader *r, const met_value *value, const char *key)
{
    met_diag *d = met_diag_at(r->session, MET_DIAG_field, &value->place, "`%s` must be an integer, not a number", key);
    if (value->number >= 0 && value->number <= 0x1p53)
        met_diag_help(d, "without a point and an exponent: %.0f", value->number);
    return false;
}

bool met_lkb_count(met_lkb_reader *r, const met_value *table, const char *key, bool required, uint64_t min, uint64_t *ret_count)
{
    bool good = true;
    const met_value *given = met_value_get(table, key);
    if (given && given->kind == MET_VALUE_FLOAT)
        return no_integer(r, given, key);
    const met_value *value = met_lkb_field(r, table, key, required, MET_VALUE_INTEGER, &good);
    if (!value)
        return good;
    if (value->integer < 0 || (uint64_t)value->integer < min || value->integer > (int64_t)1 << 53) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, "`%s` must be an integer from %llu to 2^53", key,
                    (unsigned long long)min);
        return false;
    }
    *ret_count = (uint64_t)value->integer;
    return true;
}

bool met_lkb_flag(met_lkb_reader *r, const met_value *table, const char *key, bool *ret_flag)
{
    const met_value *value = met_value_get(table, key);
    return !value || met_value_to_bool(r->session, value, key, ret_flag);
}

bool met_lkb_format(met_lkb_reader *r, const met_value *table, const char *key, bool *ret_has, met_format *ret_format)
{
    bool good = true;
    const met_value *value = met_lkb_field(r, table, key, false, MET_VALUE_STRING, &good);
    if (!value)
        return good;
    *ret_has = met_format_parse(value->string, ret_format);
    if (!*ret_has) {
        met_diag *d = met_diag_at(r->session, MET_DIAG_unknown_name, &value->place, "there is no format `%.*s`",
                                  MET_STR_ARGS(value->string));
        met_diag_help(d, "there is: %s", met_format_spellings());
    }
    return *ret_has;
}

/* --- Names --- */

size_t met_lkb_item_count(const met_value *value)
{
    return !value ? 0 : value->kind == MET_VALUE_LIST ? value->items.count : 1;
}

const met_value *met_lkb_item(const met_value *value, size_t i)
{
    return value->kind == MET_VALUE_LIST ? value->items.at[i] : value;
}

bool met_lkb_names(met_lkb_reader *r, const met_value *table, const char *key, bool required, met_name_list *ret_names)
{
    const met_value *value = required ? met_value_require(r->session, table, key) : met_value_get(table, key);
    if (!value)
        return !required;
    size_t count = met_lkb_item_count(value);
    if (count == 0 || count > MET_LKB_LIMIT) {
        met_diag_at(r->session, MET_DIAG_field, &value->place, count ? "`%s` has too many names" : "`%s` has no names", key);
        return false;
    }
    const char **names = MET_NEW_ARRAY(r->arena, const char *, count);
    met_map *seen = met_map_new(r->arena);
    for (size_t i = 0; i < count; i++) {
        const met_value *item = met_lkb_item(value, i);
        uint32_t first;
        if (!met_value_expect(r->session, item, MET_VALUE_STRING, key) || !is_line(r, item, key))
            return false;
        if (met_map_get(seen, item->string, &first)) {
            met_diag_at(r->session, MET_DIAG_duplicate_name, &item->place, "`%s` names `%.*s` twice", key,
                        MET_STR_ARGS(item->string));
            return false;
        }
        met_map_set(seen, item->string, (uint32_t)i);
        names[i] = item->string.at;
    }
    *ret_names = (met_name_list){ (uint32_t)count, names };
    return true;
}

bool met_lkb_among(met_lkb_reader *r, const met_value *table, const char *key, const char *what, const char *const *names,
                   size_t count)
{
    const met_value *value = met_value_get(table, key);
    bool all = true;
    for (size_t i = 0; i < met_lkb_item_count(value); i++) {
        const met_value *item = met_lkb_item(value, i);
        bool found = item->kind != MET_VALUE_STRING; /* which has been said */
        for (size_t k = 0; !found && k < count; k++)
            found = met_str_is(item->string, names[k]);
        all = (found || met_lkb_unknown(r, &item->place, what, item->string, names, count)) && all;
    }
    return all;
}

bool met_lkb_op(met_lkb_reader *r, const met_value *name, met_op_id *ret_op)
{
    const met_op *op = met_op_find(name->string);
    size_t count;
    const char *const *names = met_op_names(&count);
    if (!op)
        return met_lkb_unknown(r, &name->place, "op", name->string, names, count);
    *ret_op = op->id;
    return true;
}

bool met_lkb_ops(met_lkb_reader *r, const met_value *table, const char *key, uint32_t *ret_count, const met_op_id **ret_ops)
{
    met_name_list names = { 0 };
    if (!met_lkb_names(r, table, key, true, &names))
        return false;
    met_op_id *ops = MET_NEW_ARRAY(r->arena, met_op_id, names.count);
    bool good = true;
    for (uint32_t i = 0; i < names.count; i++)
        good = met_lkb_op(r, met_lkb_item(met_value_get(table, key), i), &ops[i]) && good;
    *ret_count = names.count;
    *ret_ops = ops;
    return good;
}

/* --- Tables --- */

const met_value *met_lkb_tables(met_lkb_reader *r, const met_value *file, const char *key, bool *ret_good)
{
    const met_value *list = met_lkb_field(r, file, key, false, MET_VALUE_LIST, ret_good);
    if (!list)
        return NULL;
    bool good = list->items.count <= MET_LKB_LIMIT;
    if (!good)
        met_diag_at(r->session, MET_DIAG_input_too_large, &list->place, "there are more than %d tables `%s`", MET_LKB_LIMIT, key);
    for (size_t i = 0; good && i < list->items.count; i++)
        good = met_value_expect(r->session, list->items.at[i], MET_VALUE_TABLE, key);
    if (!good)
        *ret_good = false;
    return good ? list : NULL;
}

bool met_lkb_removals(met_lkb_reader *r, const met_value *file, uint32_t *ret_count, const met_lkb_removal **ret_removals)
{
    met_name_list names = { 0 };
    if (!met_lkb_names(r, file, "remove", false, &names))
        return false;
    met_lkb_removal *removals = MET_NEW_ARRAY(r->arena, met_lkb_removal, names.count);
    for (uint32_t i = 0; i < names.count; i++)
        removals[i] = (met_lkb_removal){ names.names[i], met_lkb_item(met_value_get(file, "remove"), i)->place.span };
    *ret_count = names.count;
    *ret_removals = removals;
    return true;
}

bool met_lkb_new(met_lkb_reader *r, met_map *ids, const char *what, const char *id, met_span span, met_span *spans,
                 uint32_t number)
{
    uint32_t first;
    spans[number] = span;
    if (!met_map_get(ids, met_str_of(id), &first)) {
        met_map_set(ids, met_str_of(id), number);
        return true;
    }
    met_diag *d = met_diag_add(r->session, MET_DIAG_duplicate_name, span, "there are two %s called `%s`", what, id);
    met_diag_note(d, spans[first], "the first is here");
    return false;
}
