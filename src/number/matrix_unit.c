#include "number/matrix_unit.h"

#include <math.h>

#include "number/exact.h"

enum {
    LOWEST = -4096,    /* below the exponent of any product */
    SIGNIFICAND = 26,  /* bits of an operand */
    POINT = 50,        /* fraction bits of a product of two, as an integer */
    ADDENDS = MET_MATRIX_WIDTH + 1,
};

bool met_matrix_unit_valid(const met_matrix_unit *unit)
{
    bool narrow = unit->keep == 0 || (unit->final == MET_RZ && !unit->half);
    return unit->width > 0 && unit->width <= MET_MATRIX_WIDTH && unit->fraction <= 60 && unit->final <= MET_RU &&
           unit->keep <= 23 && narrow;
}

bool met_matrix_unit_equal(const met_matrix_unit *a, const met_matrix_unit *b)
{
    return a->width == b->width && a->fraction == b->fraction && a->final == b->final && a->keep == b->keep &&
           a->late == b->late && a->half == b->half;
}

static bool counts(double value)
{
    return isfinite(value) && value != 0;
}

/* Toward zero to a multiple of 2^-bits. */
static double cut(double value, int bits)
{
    return counts(value) ? ldexp(trunc(ldexp(value, bits)), -bits) : value;
}

static met_dtype result_dtype(const met_matrix_unit *unit)
{
    return unit->half ? MET_F16 : MET_F32;
}

static float kept(const met_matrix_unit *unit, double value)
{
    return (float)(unit->keep && counts(value) ? cut(value, unit->keep - ilogb(value)) : value);
}

float met_matrix_node_exact(const met_matrix_unit *unit, uint64_t count, const double *a, const double *b, float acc)
{
    met_exact sum;
    int largest = counts((double)acc) ? ilogb((double)acc) : LOWEST;
    met_exact_clear(&sum);
    for (uint64_t i = 0; i < count; i++) {
        int exponent = counts(a[i] * b[i]) ? ilogb(a[i]) + ilogb(b[i]) : LOWEST;
        largest = exponent > largest ? exponent : largest;
    }
    met_exact_add(&sum, cut((double)acc, unit->fraction - largest));
    for (uint64_t i = 0; i < count; i++) {
        met_exact_add(&sum, cut(a[i] * b[i], unit->fraction - largest));
    }
    return kept(unit, met_exact_round(&sum, result_dtype(unit), (met_rounding)unit->final));
}

/* --- In integers --- */

/* value · 2^(exponent − POINT), |value| in [2^POINT, 2^(POINT + 2)); 0 for zero. */
typedef struct addend {
    int64_t value;
    int exponent;
} addend;

/* A double of at most SIGNIFICAND bits as significand · 2^(exponent − SIGNIFICAND + 1). False if it is none such: subnormal, not
 * finite, or wider. */
static bool split(double value, int64_t *ret_significand, int *ret_exponent)
{
    enum { DROPPED = 53 - SIGNIFICAND };
    uint64_t bits = met_bits_f64(value);
    int biased = (int)(bits >> 52 & 0x7ff);
    int64_t significand = (int64_t)((bits & (((uint64_t)1 << 52) - 1)) >> DROPPED | (uint64_t)1 << (SIGNIFICAND - 1));
    *ret_significand = bits >> 63 ? -significand : significand;
    *ret_exponent = biased - 1023;
    if (bits << 1 == 0) {
        *ret_significand = 0;
        return true;
    }
    return biased != 0 && biased != 0x7ff && (bits & (((uint64_t)1 << DROPPED) - 1)) == 0;
}

static bool split_product(double a, double b, addend *ret)
{
    int64_t x, y;
    int of_x, of_y;
    if (!split(a, &x, &of_x) || !split(b, &y, &of_y)) {
        return false;
    }
    ret->value = x * y;
    ret->exponent = of_x + of_y;
    return true;
}

/* The addends' sum in units of 2^(largest − fraction): below 2^62, for a fraction of at most POINT. */
static int64_t aligned_sum(uint64_t count, const addend *addends, int largest, int fraction)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        int shift = POINT - fraction + largest - addends[i].exponent;
        int64_t magnitude = addends[i].value < 0 ? -addends[i].value : addends[i].value;
        magnitude = shift < 63 ? magnitude >> shift : 0;
        sum += addends[i].value < 0 ? -magnitude : magnitude;
    }
    return sum;
}

static float round_sum(const met_matrix_unit *unit, int64_t sum, int exponent)
{
    met_wide wide = {.negative = sum < 0, .significand = (uint64_t)(sum < 0 ? -sum : sum), .exponent = exponent};
    met_dtype dtype = result_dtype(unit);
    return kept(unit, met_decode(dtype, met_encode_wide(dtype, wide, (met_rounding)unit->final, MET_OVERFLOW_INF)));
}

float met_matrix_node(const met_matrix_unit *unit, uint64_t count, const double *a, const double *b, float acc)
{
    addend addends[ADDENDS];
    int largest = LOWEST;
    bool plain = unit->fraction <= POINT && count <= MET_MATRIX_WIDTH && split_product((double)acc, 1, &addends[count]);
    for (uint64_t i = 0; plain && i < count; i++) {
        plain = split_product(a[i], b[i], &addends[i]);
    }
    for (uint64_t i = 0; plain && i <= count; i++) {
        largest = addends[i].value != 0 && addends[i].exponent > largest ? addends[i].exponent : largest;
    }
    if (!plain || largest == LOWEST) { /* zeros alone have signs to look at */
        return met_matrix_node_exact(unit, count, a, b, acc);
    }
    int64_t sum = aligned_sum(count + 1, addends, largest, unit->fraction);
    return sum == 0 ? 0 : round_sum(unit, sum, largest - unit->fraction);
}

/* --- Chains --- */

static float accumulator(const met_matrix_unit *unit, float c)
{
    return unit->half ? (float)met_round(MET_F16, (double)c) : c;
}

/* The sum of two f16 numbers is exact in double, so that it is rounded once. Processors have NaNs of either sign for what is none. */
static float add_late(const met_matrix_unit *unit, float sum, float c)
{
    float all = unit->half ? (float)met_round(MET_F16, (double)sum + (double)c) : sum + c;
    return isnan(all) ? (float)NAN : all;
}

float met_matrix_dot(const met_matrix_unit *unit, uint64_t n, const double *a, const double *b, float c)
{
    c = accumulator(unit, c);
    float acc = unit->late ? 0 : c;
    for (uint64_t i = 0; i < n; i += unit->width) {
        acc = met_matrix_node(unit, n - i < unit->width ? n - i : unit->width, a + i, b + i, acc);
    }
    return unit->late ? add_late(unit, acc, c) : acc;
}

bool met_matrix_instruction_valid(const met_matrix_instruction *instruction)
{
    return met_matrix_unit_valid(&instruction->unit) && instruction->depth > 0 && instruction->depth <= MET_MATRIX_DEPTH &&
           instruction->depth % instruction->unit.width == 0 &&
           (instruction->order == MET_MATRIX_IN_ORDER || (instruction->order == MET_MATRIX_DEALT && instruction->unit.width % 2 == 0));
}

/* Where product `i` of an instruction stands in its chain of nodes. */
static uint64_t place_of(const met_matrix_instruction *instruction, uint64_t i)
{
    if (instruction->order == MET_MATRIX_IN_ORDER) {
        return i;
    }
    uint64_t nodes = instruction->depth / instruction->unit.width, pair = i / 2;
    return pair % nodes * instruction->unit.width + pair / nodes * 2 + i % 2;
}

float met_matrix_run(const met_matrix_instruction *instruction, uint64_t n, const double *a, const double *b, float c)
{
    for (uint64_t begin = 0; begin < n; begin += instruction->depth) {
        double x[MET_MATRIX_DEPTH] = {0}, y[MET_MATRIX_DEPTH] = {0};
        for (uint64_t i = 0; i < instruction->depth && begin + i < n; i++) {
            x[place_of(instruction, i)] = a[begin + i];
            y[place_of(instruction, i)] = b[begin + i];
        }
        c = met_matrix_dot(&instruction->unit, instruction->depth, x, y, c);
    }
    return c;
}
