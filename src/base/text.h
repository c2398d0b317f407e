/* Growing text: what printers write to. Numbers come out the same in every locale. */
#ifndef MET_BASE_TEXT_H
#define MET_BASE_TEXT_H

#include "base/arena.h"
#include "base/str.h"

typedef struct met_text {
    met_arena *arena;
    char *at; /* always NUL-terminated once something was written */
    size_t length;
    size_t room;
} met_text;

met_text met_text_new(met_arena *arena);
void met_text_bytes(met_text *text, const char *bytes, size_t length);
void met_text_put(met_text *text, const char *string);
void met_text_str(met_text *text, met_str string);
void met_text_char(met_text *text, char c);
void met_text_repeat(met_text *text, char c, size_t count);
/* As printf. Use met_text_double for floating point: %g follows the locale. */
void met_text_format(met_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal that reads back to the same double ("nan", "inf", "-inf" for those). Integers print without a
 * point: 3 rather than 3.0. */
void met_text_double(met_text *text, double value);
/* With `digits` significant digits. */
void met_text_double_digits(met_text *text, double value, int digits);
/* The least such number that is not below the value: a bound that is shown is still one. */
void met_text_double_above(met_text *text, double value, int digits);
/* Pads with spaces until the text since `start` is `width` columns wide (UTF-8 aware: one column a code point). */
void met_text_pad(met_text *text, size_t start, size_t width);
/* A string as a terminal may show it: white space becomes a space; other control characters and bytes that are not UTF-8
 * become "?". It keeps its width as met_columns has it. */
void met_text_clean(met_text *text, met_str string);
/* A string as JSON, quotes included; invalid UTF-8 becomes U+FFFD. */
void met_text_json_string(met_text *text, met_str string);
/* The text, never NULL. */
const char *met_text_done(met_text *text);

/* Code points of a UTF-8 string: its width in columns for the characters met prints. */
size_t met_columns(met_str string);
/* Bytes of the UTF-8 sequence that the string begins with, or 0 if it is empty or begins with none: overlong forms,
 * surrogates and code points beyond U+10FFFF are none. */
size_t met_utf8_length(met_str string);

/* Reads a decimal floating-point number that fills the whole string, in every locale. */
bool met_read_double(met_str string, double *ret_value);

#endif
