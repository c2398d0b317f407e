/* Writing C: text with indentation, the run-time numbers that a function is called with, and the helper functions that it
 * uses. A function's body is written first; what it needs is then put in front of it. */
#ifndef MET_REALIZE_WRITER_H
#define MET_REALIZE_WRITER_H

#include "base/text.h"
#include "base/vec.h"

/* Functions that stand above a kernel if it uses them; their texts are in helper.c. */
typedef enum met_helper {
    MET_HELPER_CLIP, /* clip(&lo, &hi, begin, step): narrows [lo, hi) to where begin + step·t >= 0 */
    MET_HELPER_SIGMOID, /* of a double */
    MET_HELPER_ROUND_BF16, /* lanes rounded to a format and back */
    MET_HELPER_ROUND_F16,
    MET_HELPER_ROUND_I32,
    MET_HELPER_COUNT
} met_helper;

/* A number in the text: a literal, or an argument of the call, which has a name. */
typedef struct met_number {
    int64_t value;
    const char *name; /* NULL: a literal */
} met_number;

typedef struct met_writer {
    met_arena *arena;
    met_text body;
    int depth;
    MET_VEC(met_number) arguments; /* in the order of met_kernel_call's sizes */
    bool uses[MET_HELPER_COUNT];
    MET_VEC(const char *) constants; /* what is computed before all else, by number: k0, k1 … */
    bool lanes; /* uses the lane algebra */
    bool tiles; /* and register tiles */
    bool pairs; /* and those of bf16 pairs */
} met_writer;

met_writer *met_writer_new(met_arena *arena);

/* One indented line. */
void met_put(met_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and an open brace after it; further lines stand deeper. */
void met_put_open(met_writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void met_put_close(met_writer *writer);
/* Closes a block and opens its else. */
void met_put_else(met_writer *writer);

/* A new argument of the call. The name is made an identifier and unique. */
met_number met_argument(met_writer *writer, int64_t value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
met_number met_literal(int64_t value);
/* The number as an expression. */
const char *met_number_text(met_arena *arena, met_number number);
/* A float expression of literals alone as a variable of the function. */
const char *met_constant(met_writer *writer, const char *expression);
/* A name of a circuit as part of an identifier. */
const char *met_identifier(met_arena *arena, const char *name);
/* A float literal, negative ones in parentheses. */
const char *met_float_text(met_arena *arena, double value);

/* Marks a helper as used and gives its name. */
const char *met_need(met_writer *writer, met_helper helper);
/* The texts of the helpers that are used, in an order that compiles. */
void met_put_helpers(met_text *out, const met_writer *writer);

/* Part of an identifier or a number. */
bool met_is_word(char c);

/* As sprintf, into an arena. */
const char *met_format_text(met_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
