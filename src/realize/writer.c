#include "realize/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

met_writer *met_writer_new(met_arena *arena)
{
    met_writer *writer = MET_NEW(arena, met_writer);
    writer->arena = arena;
    writer->body = met_text_new(arena);
    writer->depth = 1;
    return writer;
}

static const char *format_arguments(met_arena *arena, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = MET_NEW_ARRAY(arena, char, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

const char *met_format_text(met_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = format_arguments(arena, format, arguments);
    va_end(arguments);
    return text;
}

static void put_line(met_writer *writer, const char *text, const char *end)
{
    met_text_repeat(&writer->body, ' ', 4 * (size_t)writer->depth);
    met_text_put(&writer->body, text);
    met_text_put(&writer->body, end);
}

void met_put(met_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(writer, format_arguments(writer->arena, format, arguments), "\n");
    va_end(arguments);
}

void met_put_open(met_writer *writer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_line(writer, format_arguments(writer->arena, format, arguments), " {\n");
    va_end(arguments);
    writer->depth++;
}

void met_put_close(met_writer *writer)
{
    writer->depth--;
    put_line(writer, "}", "\n");
}

const char *met_identifier(met_arena *arena, const char *name)
{
    char *text = met_arena_text(arena, name, strlen(name));
    for (char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = letter ? *c : '_';
    }
    return text;
}

void met_put_else(met_writer *writer)
{
    writer->depth--;
    put_line(writer, "} else {", "\n");
    writer->depth++;
}

const char *met_constant(met_writer *writer, const char *expression)
{
    size_t k = 0;
    while (k < writer->constants.count && strcmp(writer->constants.at[k], expression) != 0)
        k++;
    if (k == writer->constants.count)
        MET_PUSH(writer->arena, &writer->constants, expression);
    return met_format_text(writer->arena, "k%zu", k);
}

static bool is_taken(const met_writer *writer, const char *name)
{
    for (size_t k = 0; k < writer->arguments.count; k++)
        if (strcmp(writer->arguments.at[k].name, name) == 0)
            return true;
    return false;
}

met_number met_argument(met_writer *writer, int64_t value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *name = met_identifier(writer->arena, format_arguments(writer->arena, format, arguments));
    va_end(arguments);
    const char *base = name;
    for (unsigned again = 2; is_taken(writer, name); again++)
        name = met_format_text(writer->arena, "%s_%u", base, again);
    met_number number = { value, name };
    MET_PUSH(writer->arena, &writer->arguments, number);
    return number;
}

met_number met_literal(int64_t value)
{
    return (met_number){ value, NULL };
}

const char *met_number_text(met_arena *arena, met_number number)
{
    return number.name ? number.name : met_format_text(arena, "%lld", (long long)number.value);
}

const char *met_float_text(met_arena *arena, double value)
{
    float narrow = (float)value;
    if (isnan(narrow))
        return "NAN";
    if (isinf(narrow))
        return narrow > 0 ? "INFINITY" : "(-INFINITY)";
    met_text digits = met_text_new(arena);
    met_text_double(&digits, (double)narrow);
    const char *text = met_text_done(&digits);
    bool whole = strcspn(text, ".e") == strlen(text);
    return met_format_text(arena, signbit(narrow) ? "(%s%sf)" : "%s%sf", text, whole ? ".0" : "");
}

bool met_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
