/* The lane algebra in plain C: a vector is an array of 16 floats. */
#include "../values.h"

#define LANES 16

typedef struct lane { float at[LANES]; } lane;
typedef struct lane_mask { int32_t at[LANES]; } lane_mask;    /* 0 or 1 */
typedef struct lane_pairs { uint32_t at[LANES]; } lane_pairs; /* pairs of bf16, the even element low */

/* name(a, …): `value` of lane l. */
#define LANE_EACH(name, type, arguments, value)  \
    KERNEL_FN type name arguments                 \
    {                                            \
        type r;                                  \
        for (int l = 0; l < LANES; l++)          \
            r.at[l] = value;                     \
        return r;                                \
    }

LANE_EACH(lane_set, lane, (float x), x)
LANE_EACH(lane_load, lane, (const float *p), p[l])
LANE_EACH(lane_load_bf16, lane, (const uint16_t *p), value_of_bf16(p[l]))
LANE_EACH(lane_load_f16, lane, (const uint16_t *p), value_of_f16(p[l]))
LANE_EACH(lane_load_i32, lane, (const int32_t *p), (float)p[l])
/* The first n values; +0 in the other lanes. */
LANE_EACH(lane_load_part, lane, (const float *p, int64_t n), l < n ? p[l] : 0.0f)
LANE_EACH(lane_load_bf16_part, lane, (const uint16_t *p, int64_t n), l < n ? value_of_bf16(p[l]) : 0.0f)
LANE_EACH(lane_load_f16_part, lane, (const uint16_t *p, int64_t n), l < n ? value_of_f16(p[l]) : 0.0f)
LANE_EACH(lane_load_i32_part, lane, (const int32_t *p, int64_t n), l < n ? (float)p[l] : 0.0f)
/* first + step · lane, rounded. */
LANE_EACH(lane_index, lane, (int64_t first, int64_t step), (float)(first + step * l))

LANE_EACH(lane_add, lane, (lane a, lane b), a.at[l] + b.at[l])
LANE_EACH(lane_sub, lane, (lane a, lane b), a.at[l] - b.at[l])
LANE_EACH(lane_mul, lane, (lane a, lane b), a.at[l] * b.at[l])
LANE_EACH(lane_div, lane, (lane a, lane b), a.at[l] / b.at[l])
LANE_EACH(lane_fma, lane, (lane a, lane b, lane c), fmaf(a.at[l], b.at[l], c.at[l]))
LANE_EACH(lane_sqrt, lane, (lane a), sqrtf(a.at[l]))
LANE_EACH(lane_neg, lane, (lane a), -a.at[l])
LANE_EACH(lane_abs, lane, (lane a), fabsf(a.at[l]))
LANE_EACH(lane_copysign, lane, (lane a, lane sign), copysignf(a.at[l], sign.at[l]))
LANE_EACH(lane_rint, lane, (lane a), rintf(a.at[l]))
LANE_EACH(lane_floor, lane, (lane a), floorf(a.at[l]))
LANE_EACH(lane_max, lane, (lane a, lane b), value_max(a.at[l], b.at[l]))
LANE_EACH(lane_min, lane, (lane a, lane b), value_min(a.at[l], b.at[l]))
LANE_EACH(lane_scale, lane, (lane x, lane n), value_scale(x.at[l], n.at[l]))
LANE_EACH(lane_canonical, lane, (lane a), value_canonical(a.at[l]))
LANE_EACH(lane_call1, lane, (double (*fn)(double), lane a), (float)fn((double)a.at[l]))
LANE_EACH(lane_call2, lane, (double (*fn)(double, double), lane a, lane b),
          (float)fn((double)a.at[l], (double)b.at[l]))

LANE_EACH(lane_lt, lane_mask, (lane a, lane b), a.at[l] < b.at[l])
LANE_EACH(lane_le, lane_mask, (lane a, lane b), a.at[l] <= b.at[l])
LANE_EACH(lane_eq, lane_mask, (lane a, lane b), a.at[l] == b.at[l])
LANE_EACH(lane_ne, lane_mask, (lane a, lane b), a.at[l] != b.at[l])
/* Lanes lo … hi − 1. */
LANE_EACH(lane_range, lane_mask, (int64_t lo, int64_t hi), l >= lo && l < hi)
LANE_EACH(lane_and, lane_mask, (lane_mask a, lane_mask b), a.at[l] & b.at[l])
LANE_EACH(lane_or, lane_mask, (lane_mask a, lane_mask b), a.at[l] | b.at[l])
LANE_EACH(lane_not, lane_mask, (lane_mask a), !a.at[l])
LANE_EACH(lane_select, lane, (lane_mask m, lane a, lane b), m.at[l] ? a.at[l] : b.at[l])

KERNEL_FN void lane_store_part(float *p, lane a, int64_t n)
{
    for (int l = 0; l < LANES && l < n; l++)
        p[l] = a.at[l];
}

KERNEL_FN void lane_store_bf16_part(uint16_t *p, lane a, int64_t n)
{
    for (int l = 0; l < LANES && l < n; l++)
        p[l] = value_to_bf16(a.at[l]);
}

KERNEL_FN void lane_store_f16_part(uint16_t *p, lane a, int64_t n)
{
    for (int l = 0; l < LANES && l < n; l++)
        p[l] = value_to_f16(a.at[l]);
}

KERNEL_FN void lane_store_i32_part(int32_t *p, lane a, int64_t n)
{
    for (int l = 0; l < LANES && l < n; l++)
        p[l] = value_to_i32(a.at[l]);
}

KERNEL_FN void lane_store(float *p, lane a)
{
    lane_store_part(p, a, LANES);
}

KERNEL_FN void lane_store_bf16(uint16_t *p, lane a)
{
    lane_store_bf16_part(p, a, LANES);
}

KERNEL_FN void lane_store_f16(uint16_t *p, lane a)
{
    lane_store_f16_part(p, a, LANES);
}

KERNEL_FN void lane_store_i32(int32_t *p, lane a)
{
    lane_store_i32_part(p, a, LANES);
}

/* Folds over the lanes: l with l + 8, then + 4, + 2, + 1. */
KERNEL_FN float lane_fold_add(lane a)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            a.at[l] = a.at[l] + a.at[l + half];
    return a.at[0];
}

KERNEL_FN float lane_fold_mul(lane a)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            a.at[l] = a.at[l] * a.at[l + half];
    return a.at[0];
}

KERNEL_FN float lane_fold_max(lane a)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            a.at[l] = value_max(a.at[l], a.at[l + half]);
    return a.at[0];
}

KERNEL_FN float lane_fold_min(lane a)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            a.at[l] = value_min(a.at[l], a.at[l + half]);
    return a.at[0];
}

/* Whether any lane holds. */
KERNEL_FN int lane_any(lane_mask m)
{
    int any = 0;
    for (int l = 0; l < LANES; l++)
        any |= m.at[l];
    return any;
}

/* Rows to columns: lane l of v[i] is word i of row l, rows being `step` bytes apart. */
KERNEL_FN void lane_load_turned(lane v[LANES], const void *rows, int64_t step)
{
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < LANES; i++)
            memcpy(&v[i].at[l], (const char *)rows + l * step + i * 4, 4);
}

LANE_EACH(lane_pairs_set, lane_pairs, (uint32_t pair), pair)
LANE_EACH(lane_pairs_join, lane_pairs, (const uint16_t *even, const uint16_t *odd), even[l] | (uint32_t)odd[l] << 16)
LANE_EACH(lane_words, lane_pairs, (lane a), value_bits(a.at[l])) /* the same bits */
/* The elements of pairs as floats. */
LANE_EACH(lane_pairs_even, lane, (lane_pairs a), value_of_bits(a.at[l] << 16))
LANE_EACH(lane_pairs_odd, lane, (lane_pairs a), value_of_bits(a.at[l] & 0xffff0000))
LANE_EACH(lane_dot_pairs, lane, (lane acc, lane_pairs a, lane_pairs b), value_dot_pair(acc.at[l], a.at[l], b.at[l]))

KERNEL_FN lane_pairs lane_pairs_load(const void *p) /* of any type and alignment */
{
    lane_pairs a;
    memcpy(a.at, p, sizeof a.at);
    return a;
}

KERNEL_FN void lane_pairs_store(uint32_t *p, lane_pairs a)
{
    memcpy(p, a.at, sizeof a.at);
}

#include "../functions.h"
