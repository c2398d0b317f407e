#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

met_text met_text_new(met_arena *arena)
{
    return (met_text){ .arena = arena };
}

static void reserve(met_text *text, size_t more)
{
    if (text->room - text->length > more)
        return;
    if (more > SIZE_MAX / 4 || text->room > SIZE_MAX / 4)
        met_fatal("a text is too long");
    size_t room = text->room ? text->room * 2 : 256;
    while (room - text->length <= more)
        room *= 2;
    char *moved = met_arena_alloc(text->arena, room, 1);
    if (text->length)
        memcpy(moved, text->at, text->length);
    text->at = moved;
    text->room = room;
}

void met_text_bytes(met_text *text, const char *bytes, size_t length)
{
    reserve(text, length);
    if (length)
        memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = 0;
}

void met_text_put(met_text *text, const char *string)
{
    met_text_bytes(text, string, strlen(string));
}

void met_text_str(met_text *text, met_str string)
{
    met_text_bytes(text, string.at, string.length);
}

void met_text_char(met_text *text, char c)
{
    met_text_bytes(text, &c, 1);
}

void met_text_repeat(met_text *text, char c, size_t count)
{
    reserve(text, count);
    memset(text->at + text->length, c, count);
    text->length += count;
    text->at[text->length] = 0;
}

void met_text_format(met_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        met_fatal("a message cannot be formatted");
    reserve(text, (size_t)length);
    va_start(arguments, format);
    vsnprintf(text->at + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

/* The locale may use another decimal point; ours is '.'. Exponents come without padding: 1e-5, not 1e-05. */
static void tidy(char *digits)
{
    for (char *c = digits; *c; c++) {
        bool plain = (*c >= '0' && *c <= '9') || *c == '-' || *c == '+' || *c == 'e';
        if (!plain)
            *c = '.';
    }
    char *exponent = strchr(digits, 'e');
    if (!exponent)
        return;
    char *to = exponent + 1, *from = exponent + 1;
    if (*from == '-')
        *to++ = *from++;
    from += strspn(from, "+0");
    memmove(to, from, strlen(from) + 1);
}

static bool put_special(met_text *text, double value)
{
    if (isnan(value))
        met_text_put(text, "nan");
    else if (isinf(value))
        met_text_put(text, value < 0 ? "-inf" : "inf");
    else
        return false;
    return true;
}

void met_text_double_digits(met_text *text, double value, int digits)
{
    if (put_special(text, value))
        return;
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    tidy(buffer);
    met_text_put(text, buffer);
}

/* A step is at most one unit of the last digit, so that no shorter number is passed over. */
void met_text_double_above(met_text *text, double value, int digits)
{
    char buffer[64];
    double shown = value, step = fabs(value) * pow(10, -digits);
    snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    while (isfinite(value) && strtod(buffer, NULL) < value && step > 0) {
        shown += step;
        snprintf(buffer, sizeof buffer, "%.*g", digits, shown);
    }
    met_text_double_digits(text, shown, digits);
}

void met_text_double(met_text *text, double value)
{
    if (put_special(text, value))
        return;
    char buffer[64];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            break;
    }
    tidy(buffer);
    met_text_put(text, buffer);
}

size_t met_columns(met_str string)
{
    size_t columns = 0;
    for (size_t i = 0; i < string.length; i++)
        if (((unsigned char)string.at[i] & 0xC0) != 0x80)
            columns++;
    return columns;
}

void met_text_pad(met_text *text, size_t start, size_t width)
{
    size_t columns = text->length > start ? met_columns((met_str){ text->at + start, text->length - start }) : 0;
    if (columns < width)
        met_text_repeat(text, ' ', width - columns);
}

size_t met_utf8_length(met_str string)
{
    static const struct {
        unsigned char mask, lead;
        size_t length;
        uint32_t least;
    } forms[] = { { 0xE0, 0xC0, 2, 0x80 }, { 0xF0, 0xE0, 3, 0x800 }, { 0xF8, 0xF0, 4, 0x10000 } };
    const unsigned char *at = (const unsigned char *)string.at;
    size_t left = string.length;
    if (left == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    for (size_t f = 0; f < 3; f++) {
        if ((at[0] & forms[f].mask) != forms[f].lead)
            continue;
        if (left < forms[f].length)
            return 0;
        uint32_t code = at[0] & (unsigned char)~forms[f].mask;
        for (size_t i = 1; i < forms[f].length; i++) {
            if ((at[i] & 0xC0) != 0x80)
                return 0;
            code = code << 6 | (at[i] & 0x3Fu);
        }
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        return code < forms[f].least || code > 0x10FFFF || surrogate ? 0 : forms[f].length;
    }
    return 0;
}

void met_text_clean(met_text *text, met_str string)
{
    for (size_t i = 0; i < string.length;) {
        unsigned char c = (unsigned char)string.at[i];
        size_t length = met_utf8_length((met_str){ string.at + i, string.length - i });
        bool is_c1 = length == 2 && c == 0xC2 && (unsigned char)string.at[i + 1] < 0xA0;
        if (c == '\t' || c == '\n' || c == '\r')
            met_text_char(text, ' ');
        else if (c < 0x20 || c == 0x7F || is_c1)
            met_text_char(text, '?');
        else if (length)
            met_text_bytes(text, string.at + i, length);
        else if ((c & 0xC0) != 0x80) /* a stray continuation byte has no width */
            met_text_char(text, '?');
        i += length ? length : 1;
    }
}

static void put_json_char(met_text *text, unsigned char c)
{
    static const char escapes[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; escapes[i]; i += 2) {
        if (c == (unsigned char)escapes[i]) {
            met_text_char(text, '\\');
            met_text_char(text, escapes[i + 1]);
            return;
        }
    }
    if (c < 0x20 || c == 0x7F)
        met_text_format(text, "\\u%04x", c);
    else
        met_text_char(text, (char)c);
}

void met_text_json_string(met_text *text, met_str string)
{
    met_text_char(text, '"');
    for (size_t i = 0; i < string.length;) {
        size_t length = met_utf8_length((met_str){ string.at + i, string.length - i });
        if (length == 1)
            put_json_char(text, (unsigned char)string.at[i]);
        else if (length)
            met_text_bytes(text, string.at + i, length);
        else
            met_text_put(text, "\xEF\xBF\xBD");
        i += length ? length : 1;
    }
    met_text_char(text, '"');
}

const char *met_text_done(met_text *text)
{
    reserve(text, 0);
    text->at[text->length] = 0;
    return text->at;
}

bool met_read_double(met_str string, double *ret_value)
{
    char buffer[512];
    if (string.length == 0 || string.length >= sizeof buffer)
        return false;
    memcpy(buffer, string.at, string.length);
    buffer[string.length] = 0;
    if (strspn(buffer, "0123456789+-.eE") != string.length)
        return false;
    char *end;
    double value = strtod(buffer, &end);
    if (*end == '.') { /* a locale with another point */
        char probe[8];
        snprintf(probe, sizeof probe, "%.1f", 0.5);
        *end = probe[1];
        value = strtod(buffer, &end);
    }
    if (*end || end == buffer)
        return false;
    *ret_value = value;
    return true;
}
