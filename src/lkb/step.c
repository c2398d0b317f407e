#include "lkb/step.h"

#include <string.h>

const met_step_kind met_step_table[MET_STEPS] = {
    { "in", MET_STEP_ONE, { NULL } },
    { "gather", MET_STEP_ONE, { NULL } },
    { "act", MET_STEP_ONE, { "mma" } },
    { "weight", MET_STEP_STORED, { "mma" } },
    { "mma", MET_STEP_PRODUCT, { "act", "weight", "accumulate" } },
    { "accumulate", MET_STEP_ONE, { NULL } },
    { "scale", MET_STEP_ONE, { NULL } },
    { "compute", MET_STEP_ONE, { NULL } },
    { "move", MET_STEP_ONE, { NULL } },
    { "cache", MET_STEP_ONE, { NULL } },
    { "scores", MET_STEP_ONE, { "cache", "softmax", "accumulate" } },
    { "softmax", MET_STEP_ONE, { NULL } },
    { "state", MET_STEP_ONE, { "compute" } },
    { "score", MET_STEP_ONE, { NULL } },
    { "scatter", MET_STEP_ONE, { NULL } },
    { "combine", MET_STEP_ONE, { NULL } },
    { "reduce", MET_STEP_ONE, { NULL } },
    { "compare", MET_STEP_ONE, { NULL } },
    { "out", MET_STEP_ONE, { NULL } },
};

size_t met_step_find(met_str name)
{
    size_t s = 0;
    while (s < MET_STEPS && !met_str_is(name, met_step_table[s].name))
        s++;
    return s;
}

void met_step_sides(met_step_form form, met_str text, met_str *ret_a, met_str *ret_b)
{
    const char *mark = form == MET_STEP_STORED ? "->" : "*", *at = form == MET_STEP_ONE ? NULL : strstr(text.at, mark);
    *ret_a = *ret_b = text;
    if (form == MET_STEP_ONE)
        return;
    size_t before = at ? (size_t)(at - text.at) : text.length, skip = at ? strlen(mark) : 0;
    *ret_a = (met_str){ text.at, before };
    *ret_b = (met_str){ text.at + before + skip, text.length - before - skip };
}

/* --- Precisions --- */

const char *const met_precision_spellings = "f64, f32, tf32, bf16, f16, e4m3, e2m1, i32, i8, or bits as in e8m13";

/* Bits; of integers there are no exponent's. */
typedef struct bits {
    int exponent, fraction;
} bits;

static const struct {
    const char *name;
    bits bits;
} named[] = {
    { "f64", { 11, 52 } }, { "f32", { 8, 23 } }, { "tf32", { 8, 10 } }, { "bf16", { 8, 7 } }, { "f16", { 5, 10 } },
    { "ue8m0", { 8, 0 } }, { "i32", { 0, 31 } }, { "i8", { 0, 7 } },
};

/* Up to two digits at *at, without a leading zero; -1 if there are none. */
static int read_number(const char **at, const char *end)
{
    int number = -1;
    for (int digits = 0; digits < 2 && *at < end && **at >= '0' && **at <= '9' && number != 0; digits++)
        number = (number < 0 ? 0 : number * 10) + *(*at)++ - '0';
    return number;
}

static bool read_bits(met_str text, bits *ret_bits)
{
    for (size_t k = 0; k < sizeof named / sizeof *named; k++)
        if (met_str_is(text, named[k].name)) {
            *ret_bits = named[k].bits;
            return true;
        }
    const char *at = text.at, *end = text.at + text.length;
    if (text.length < 4 || *at++ != 'e')
        return false;
    ret_bits->exponent = read_number(&at, end);
    if (at == end || *at++ != 'm')
        return false;
    ret_bits->fraction = read_number(&at, end);
    return at == end && ret_bits->exponent > 0 && ret_bits->exponent <= 11 && ret_bits->fraction > 0 && ret_bits->fraction <= 52;
}

bool met_precision_is(met_str text)
{
    bits any;
    return read_bits(text, &any);
}

bool met_precision_holds(met_str a, met_str b)
{
    bits x, y;
    if (met_str_equal(a, b))
        return true;
    return read_bits(a, &x) && read_bits(b, &y) && x.exponent > 0 && x.exponent >= y.exponent && x.fraction >= y.fraction;
}
