#include "base/json.h"

#include <inttypes.h>
#include <math.h>

met_json met_json_new(met_text *out)
{
    return (met_json){ .out = out, .empty = true };
}

met_json met_json_new_compact(met_text *out)
{
    return (met_json){ .out = out, .empty = true, .compact = true };
}

static void put_break(met_json *json)
{
    met_text_char(json->out, '\n');
    met_text_repeat(json->out, ' ', (size_t)json->indent);
    json->breaks = false;
}

met_text *met_json_value(met_json *json, const char *key)
{
    if (!json->empty)
        met_text_put(json->out, json->compact || json->breaks ? "," : ", ");
    if (json->breaks)
        put_break(json);
    json->empty = false;
    if (key) {
        met_text_json_string(json->out, met_str_of(key));
        met_text_put(json->out, json->compact ? ":" : ": ");
    }
    return json->out;
}

void met_json_open(met_json *json, const char *key, char bracket)
{
    met_text_char(met_json_value(json, key), bracket);
    json->empty = true;
}

void met_json_close(met_json *json, char bracket)
{
    if (json->breaks)
        put_break(json);
    met_text_char(json->out, bracket);
    json->empty = false;
}

const char *met_json_done(met_json *json)
{
    met_text_char(json->out, '\n');
    return met_text_done(json->out);
}

void met_json_line(met_json *json, int indent)
{
    json->breaks = true;
    json->indent = indent;
}

void met_json_put_null(met_json *json, const char *key)
{
    met_text_put(met_json_value(json, key), "null");
}

void met_json_put_str(met_json *json, const char *key, met_str value)
{
    met_text_json_string(met_json_value(json, key), value);
}

void met_json_put_string(met_json *json, const char *key, const char *value)
{
    if (value)
        met_json_put_str(json, key, met_str_of(value));
    else
        met_json_put_null(json, key);
}

void met_json_put_number(met_json *json, const char *key, double value)
{
    if (isfinite(value))
        met_text_double(met_json_value(json, key), value);
    else
        met_json_put_null(json, key);
}

void met_json_put_real(met_json *json, const char *key, double value)
{
    if (isfinite(value))
        met_json_put_number(json, key, value);
    else
        met_json_put_string(json, key, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
}

void met_json_put_integer(met_json *json, const char *key, uint64_t value)
{
    met_text_format(met_json_value(json, key), "%" PRIu64, value);
}

void met_json_put_signed(met_json *json, const char *key, int64_t value)
{
    met_text_format(met_json_value(json, key), "%" PRId64, value);
}

void met_json_put_flag(met_json *json, const char *key, bool value)
{
    met_text_put(met_json_value(json, key), value ? "true" : "false");
}

void met_json_put_strings(met_json *json, const char *key, size_t count, const char *const *values)
{
    met_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        met_json_put_string(json, NULL, values[i]);
    met_json_close(json, ']');
}

void met_json_put_u32s(met_json *json, const char *key, size_t count, const uint32_t *values)
{
    met_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        met_json_put_integer(json, NULL, values[i]);
    met_json_close(json, ']');
}

void met_json_put_u64s(met_json *json, const char *key, size_t count, const uint64_t *values)
{
    met_json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        met_json_put_integer(json, NULL, values[i]);
    met_json_close(json, ']');
}

static void put_field(met_json *json, const met_json_field *field, const void *at)
{
    switch (field->kind) {
    case MET_JSON_NUMBER:
        met_json_put_number(json, field->key, *(const double *)at);
        break;
    case MET_JSON_STRING:
        met_json_put_string(json, field->key, *(const char *const *)at);
        break;
    case MET_JSON_FLAG:
        met_json_put_flag(json, field->key, *(const bool *)at);
        break;
    case MET_JSON_SIZE:
        met_json_put_integer(json, field->key, *(const size_t *)at);
        break;
    case MET_JSON_U32:
        met_json_put_integer(json, field->key, *(const uint32_t *)at);
        break;
    case MET_JSON_U64:
        met_json_put_integer(json, field->key, *(const uint64_t *)at);
        break;
    }
}

void met_json_put_fields(met_json *json, const met_json_field *fields, const void *of)
{
    for (; fields->key; fields++)
        put_field(json, fields, (const char *)of + fields->offset);
}
