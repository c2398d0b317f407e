#include "number/exact.h"

#include <math.h>
#include <string.h>

#define LOWEST (-1074)
#define PENDING_LIMIT (1u << 30) /* each addition moves a digit by less than 2^32 */

void met_exact_clear(met_exact *sum)
{
    memset(sum, 0, sizeof *sum);
    sum->all_negative_zero = true;
}

/* Brings every digit but the highest into [0, 2^32). */
static void take_carries(int64_t *digit)
{
    int64_t carry = 0;
    for (int i = 0; i < MET_EXACT_DIGITS; i++) {
        int64_t total = digit[i] + carry;
        int64_t low = i + 1 < MET_EXACT_DIGITS ? total & 0xffffffff : total;
        carry = (total - low) / ((int64_t)1 << 32);
        digit[i] = low;
    }
}

static void add_finite(met_exact *sum, double value)
{
    uint64_t bits = met_bits_f64(value);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t significand = (bits & (((uint64_t)1 << 52) - 1)) | (biased ? (uint64_t)1 << 52 : 0);
    int position = biased ? biased - 1 : 0; /* bits above the lowest of the accumulator */
    int digit = position / 32, shift = position % 32;
    uint64_t low = significand & 0xffffffff, high = significand >> 32;
    uint64_t parts[3] = {low << shift & 0xffffffff, 0, 0};
    uint64_t middle = (low << shift >> 32) + (high << shift);
    parts[1] = middle & 0xffffffff;
    parts[2] = middle >> 32;
    for (int i = 0; i < 3; i++) {
        sum->digit[digit + i] += bits >> 63 ? -(int64_t)parts[i] : (int64_t)parts[i];
    }
    if (++sum->pending == PENDING_LIMIT) {
        take_carries(sum->digit);
        sum->pending = 0;
    }
}

void met_exact_add(met_exact *sum, double value)
{
    sum->any = true;
    sum->all_negative_zero = sum->all_negative_zero && value == 0 && signbit(value);
    if (isnan(value)) {
        sum->nan = true;
    } else if (isinf(value)) {
        sum->infinite[value < 0] = true;
    } else {
        add_finite(sum, value);
    }
}

/* The digits' magnitude, carries taken; true if the sum is negative. */
static bool magnitude(const met_exact *sum, int64_t *digit)
{
    memcpy(digit, sum->digit, sizeof sum->digit);
    take_carries(digit);
    if (digit[MET_EXACT_DIGITS - 1] >= 0) {
        return false;
    }
    for (int i = 0; i < MET_EXACT_DIGITS; i++) {
        digit[i] = -digit[i];
    }
    take_carries(digit);
    return true;
}

static met_wide finite_sum(const met_exact *sum)
{
    int64_t digit[MET_EXACT_DIGITS];
    met_wide wide = {.negative = magnitude(sum, digit)};
    int top = MET_EXACT_DIGITS - 1;
    while (top > 0 && digit[top] == 0) {
        top--;
    }
    /* The significand is full: two digits, and as much of a third as the highest leaves room for. */
    uint64_t high = (uint64_t)digit[top], low = top > 0 ? (uint64_t)digit[top - 1] : 0;
    uint64_t third = top > 1 ? (uint64_t)digit[top - 2] : 0;
    int spare = 0;
    while (spare < 32 && high << spare < (uint64_t)1 << 31) {
        spare++;
    }
    if (spare == 32) {
        return wide; /* zero */
    }
    wide.significand = (high << 32 | low) << spare | third >> (32 - spare);
    wide.exponent = LOWEST + 32 * (top - 1) - spare;
    wide.sticky = (third << spare & 0xffffffff) != 0;
    for (int i = top - 3; i >= 0; i--) {
        wide.sticky = wide.sticky || digit[i] != 0;
    }
    return wide;
}

double met_exact_round(const met_exact *sum, met_dtype dtype, met_rounding mode)
{
    if (sum->nan || (sum->infinite[0] && sum->infinite[1])) {
        return met_round(dtype, (double)NAN);
    }
    if (sum->infinite[0] || sum->infinite[1]) {
        return met_round(dtype, sum->infinite[1] ? (double)-INFINITY : (double)INFINITY);
    }
    met_wide wide = finite_sum(sum);
    if (wide.significand == 0) {
        return sum->any && sum->all_negative_zero ? met_round(dtype, -0.0) : 0;
    }
    bool ieee = met_dtype_table[dtype].class == MET_DTYPE_IEEE;
    return met_decode(dtype, met_encode_wide(dtype, wide, mode, ieee ? MET_OVERFLOW_INF : MET_OVERFLOW_SATURATE));
}

float met_exact_sum_f32(uint64_t count, const float *values)
{
    met_exact sum;
    met_exact_clear(&sum);
    for (uint64_t i = 0; i < count; i++) {
        met_exact_add(&sum, (double)values[i]);
    }
    return (float)met_exact_round(&sum, MET_F32, MET_RNE);
}

double met_narrow_sum(met_dtype dtype, uint64_t count, const double *values)
{
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        double term = i == 0 ? values[0] : dtype == MET_F64 ? sum + values[i] : met_odd_add(sum, values[i]);
        sum = met_round(dtype, term);
    }
    return sum;
}
