#include "base/value.h"

#include <stdarg.h>
#include <stdio.h>

static met_value *new_value(met_session *session, met_value_kind kind, met_place place)
{
    met_value *value = MET_NEW(session->arena, met_value);
    value->kind = kind;
    value->place = place;
    if (place.path)
        value->place.path = met_arena_text(session->arena, place.path, met_str_of(place.path).length);
    return value;
}

met_value *met_value_null(met_session *session, met_place place)
{
    return new_value(session, MET_VALUE_NULL, place);
}

met_value *met_value_bool(met_session *session, met_place place, bool b)
{
    met_value *value = new_value(session, MET_VALUE_BOOL, place);
    value->boolean = b;
    return value;
}

met_value *met_value_integer(met_session *session, met_place place, int64_t i)
{
    met_value *value = new_value(session, MET_VALUE_INTEGER, place);
    value->integer = i;
    value->number = (double)i;
    return value;
}

met_value *met_value_float(met_session *session, met_place place, double d)
{
    met_value *value = new_value(session, MET_VALUE_FLOAT, place);
    value->number = d;
    return value;
}

met_value *met_value_string(met_session *session, met_place place, const char *text, size_t length)
{
    met_value *value = new_value(session, MET_VALUE_STRING, place);
    value->string = (met_str){ met_arena_text(session->arena, text, length), length };
    return value;
}

met_value *met_value_list(met_session *session, met_place place)
{
    return new_value(session, MET_VALUE_LIST, place);
}

met_value *met_value_table(met_session *session, met_place place)
{
    return new_value(session, MET_VALUE_TABLE, place);
}

void met_value_append(met_session *session, met_value *list, met_value *item)
{
    MET_PUSH(session->arena, &list->items, item);
}

void met_value_add(met_session *session, met_value *table, const char *key, size_t key_length, met_place key_place,
                   met_value *item)
{
    met_entry entry = { { met_arena_text(session->arena, key, key_length), key_length }, key_place, item };
    if (key_place.path)
        entry.key_place.path = met_arena_text(session->arena, key_place.path, met_str_of(key_place.path).length);
    MET_PUSH(session->arena, &table->entries, entry);
}

const met_value *met_value_get(const met_value *table, const char *key)
{
    for (size_t i = 0; i < table->entries.count; i++)
        if (met_str_is(table->entries.at[i].key, key))
            return table->entries.at[i].value;
    return NULL;
}

const char *met_value_kind_name(met_value_kind kind)
{
    static const char *const names[] = { "null",          "true or false", "an integer", "a number",
                                         "a string", "a list",        "a table" };
    return names[kind];
}

met_diag *met_diag_at(met_session *session, met_code code, const met_place *place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    met_diag *diag = met_diag_add(session, code, place->span, "%s", message);
    if (place->path)
        met_diag_path(diag, place->path);
    return diag;
}

void met_diag_note_at(met_diag *diag, const met_place *place, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    met_diag_note(diag, place->span, "%s", message);
    if (place->path)
        diag->notes.at[diag->notes.count - 1].path = met_arena_text(diag->session->arena, place->path, met_str_of(place->path).length);
}

bool met_value_expect(met_session *session, const met_value *value, met_value_kind kind, const char *what)
{
    if (value->kind == kind)
        return true;
    met_diag_at(session, MET_DIAG_field, &value->place, "%s must be %s, not %s", what, met_value_kind_name(kind),
                met_value_kind_name(value->kind));
    return false;
}

bool met_value_to_string(met_session *session, const met_value *value, const char *what, met_str *ret_string)
{
    if (!met_value_expect(session, value, MET_VALUE_STRING, what))
        return false;
    *ret_string = value->string;
    return true;
}

bool met_value_to_integer(met_session *session, const met_value *value, const char *what, int64_t *ret_integer)
{
    if (!met_value_expect(session, value, MET_VALUE_INTEGER, what))
        return false;
    *ret_integer = value->integer;
    return true;
}

bool met_value_to_number(met_session *session, const met_value *value, const char *what, double *ret_number)
{
    if (value->kind != MET_VALUE_INTEGER && !met_value_expect(session, value, MET_VALUE_FLOAT, what))
        return false;
    *ret_number = value->number;
    return true;
}

bool met_value_to_bool(met_session *session, const met_value *value, const char *what, bool *ret_bool)
{
    if (!met_value_expect(session, value, MET_VALUE_BOOL, what))
        return false;
    *ret_bool = value->boolean;
    return true;
}

const met_value *met_value_require(met_session *session, const met_value *table, const char *key)
{
    const met_value *value = met_value_get(table, key);
    if (!value)
        met_diag_at(session, MET_DIAG_field, &table->place, "the field `%s` is missing", key);
    return value;
}

bool met_value_only(met_session *session, const met_value *table, const char *const *known, size_t count)
{
    bool all_known = true;
    for (size_t i = 0; i < table->entries.count; i++) {
        const met_entry *entry = &table->entries.at[i];
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = met_str_is(entry->key, known[k]);
        if (found)
            continue;
        all_known = false;
        met_diag *diag = met_diag_at(session, MET_DIAG_field, &entry->key_place, "there is no field `%.*s` here",
                                     MET_STR_ARGS(entry->key));
        const char *near = met_nearest(entry->key, known, count);
        if (near)
            met_diag_help(diag, "did you mean `%s`?", near);
    }
    return all_known;
}
