/* The lane algebra in AVX2, FMA and F16C: a vector is two registers, lanes 0 to 7 and 8 to 15. */
#include "../values.h"

#include <immintrin.h>

#define LANES 16

typedef struct lane { __m256 lo, hi; } lane;
typedef struct lane_mask { __m256 lo, hi; } lane_mask;    /* all ones or zero */
typedef struct lane_pairs { __m256i lo, hi; } lane_pairs; /* pairs of bf16, the even element low */

/* name(a, …): the same of both halves. */
#define LANE_1(name, type, of)                         \
    KERNEL_FN type name(lane a)                         \
    {                                                  \
        return (type){ of(a.lo), of(a.hi) };           \
    }
#define LANE_2(name, type, of)                         \
    KERNEL_FN type name(type a, type b)                 \
    {                                                  \
        return (type){ of(a.lo, b.lo), of(a.hi, b.hi) }; \
    }
#define LANE_COMPARE(name, predicate)                  \
    KERNEL_FN lane_mask name(lane a, lane b)            \
    {                                                  \
        return (lane_mask){ _mm256_cmp_ps(a.lo, b.lo, predicate), _mm256_cmp_ps(a.hi, b.hi, predicate) }; \
    }

KERNEL_FN __m256 half_bits(uint32_t bits) { return _mm256_castsi256_ps(_mm256_set1_epi32((int)bits)); }
KERNEL_FN lane lane_set(float x) { return (lane){ _mm256_set1_ps(x), _mm256_set1_ps(x) }; }

KERNEL_FN lane_mask lane_range(int64_t lo, int64_t hi) /* lanes lo … hi − 1 */
{
    __m256i first = _mm256_set1_epi32((int)(lo < 0 ? 0 : lo > LANES ? LANES : lo) - 1);
    __m256i end = _mm256_set1_epi32((int)(hi < 0 ? 0 : hi > LANES ? LANES : hi));
    __m256i i = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), j = _mm256_add_epi32(i, _mm256_set1_epi32(8));
    __m256i a = _mm256_and_si256(_mm256_cmpgt_epi32(i, first), _mm256_cmpgt_epi32(end, i));
    __m256i b = _mm256_and_si256(_mm256_cmpgt_epi32(j, first), _mm256_cmpgt_epi32(end, j));
    return (lane_mask){ _mm256_castsi256_ps(a), _mm256_castsi256_ps(b) };
}

KERNEL_FN lane lane_load(const float *p) { return (lane){ _mm256_loadu_ps(p), _mm256_loadu_ps(p + 8) }; }

KERNEL_FN __m256 half_load_bf16(const uint16_t *p)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)p)), 16));
}

KERNEL_FN lane lane_load_bf16(const uint16_t *p) { return (lane){ half_load_bf16(p), half_load_bf16(p + 8) }; }

KERNEL_FN lane lane_load_f16(const uint16_t *p)
{
    return (lane){ _mm256_cvtph_ps(_mm_loadu_si128((const void *)p)),
                   _mm256_cvtph_ps(_mm_loadu_si128((const void *)(p + 8))) };
}

KERNEL_FN lane lane_load_i32(const int32_t *p)
{
    return (lane){ _mm256_cvtepi32_ps(_mm256_loadu_si256((const void *)p)),
                   _mm256_cvtepi32_ps(_mm256_loadu_si256((const void *)(p + 8))) };
}

/* The first n values; +0 in the other lanes. */
KERNEL_FN lane lane_load_part(const float *p, int64_t n)
{
    lane_mask m = lane_range(0, n);
    return (lane){ _mm256_maskload_ps(p, _mm256_castps_si256(m.lo)),
                   _mm256_maskload_ps(p + 8, _mm256_castps_si256(m.hi)) };
}

#define LANE_LOAD_PART(name, load, type)                                        \
    KERNEL_FN lane name(const type *p, int64_t n)                                \
    {                                                                           \
        type at[LANES] = { 0 };                                                 \
        memcpy(at, p, sizeof(type) * (size_t)(n < 0 ? 0 : n > LANES ? LANES : n)); \
        return load(at);                                                        \
    }
LANE_LOAD_PART(lane_load_bf16_part, lane_load_bf16, uint16_t)
LANE_LOAD_PART(lane_load_f16_part, lane_load_f16, uint16_t)
LANE_LOAD_PART(lane_load_i32_part, lane_load_i32, int32_t)

KERNEL_FN lane lane_index(int64_t first, int64_t step) /* first + step · lane, rounded */
{
    float at[LANES];
    for (int l = 0; l < LANES; l++)
        at[l] = (float)(first + step * l);
    return lane_load(at);
}

LANE_2(lane_add, lane, _mm256_add_ps)
LANE_2(lane_sub, lane, _mm256_sub_ps)
LANE_2(lane_mul, lane, _mm256_mul_ps)
LANE_2(lane_div, lane, _mm256_div_ps)
LANE_1(lane_sqrt, lane, _mm256_sqrt_ps)
LANE_1(lane_floor, lane, _mm256_floor_ps)

KERNEL_FN lane lane_fma(lane a, lane b, lane c)
{
    return (lane){ _mm256_fmadd_ps(a.lo, b.lo, c.lo), _mm256_fmadd_ps(a.hi, b.hi, c.hi) };
}

KERNEL_FN __m256 half_neg(__m256 a) { return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f)); }
KERNEL_FN __m256 half_abs(__m256 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
KERNEL_FN __m256 half_rint(__m256 a) { return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
KERNEL_FN __m256 half_copysign(__m256 a, __m256 sign)
{
    return _mm256_or_ps(half_abs(a), _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
}

LANE_2(lane_copysign, lane, half_copysign)
LANE_1(lane_neg, lane, half_neg)
LANE_1(lane_abs, lane, half_abs)
LANE_1(lane_rint, lane, half_rint)

LANE_COMPARE(lane_lt, _CMP_LT_OQ)
LANE_COMPARE(lane_le, _CMP_LE_OQ)
LANE_COMPARE(lane_eq, _CMP_EQ_OQ)
LANE_COMPARE(lane_ne, _CMP_NEQ_UQ)
LANE_2(lane_and, lane_mask, _mm256_and_ps)
LANE_2(lane_or, lane_mask, _mm256_or_ps)

KERNEL_FN lane_mask lane_not(lane_mask m)
{
    __m256 ones = half_bits(0xffffffff);
    return (lane_mask){ _mm256_xor_ps(m.lo, ones), _mm256_xor_ps(m.hi, ones) };
}

KERNEL_FN int lane_any(lane_mask m) { return _mm256_movemask_ps(_mm256_or_ps(m.lo, m.hi)) != 0; }

KERNEL_FN lane lane_select(lane_mask m, lane a, lane b)
{
    return (lane){ _mm256_blendv_ps(b.lo, a.lo, m.lo), _mm256_blendv_ps(b.hi, a.hi, m.hi) };
}

KERNEL_FN __m256 half_canonical(__m256 a)
{
    return _mm256_blendv_ps(a, half_bits(0x7fc00000), _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}

/* MAXPS gives its second operand if the two are equal or unordered. So both orders differ at most in the sign of a zero,
 * for which "and" and "or" choose, and where there is a NaN, which all ones make again. */
KERNEL_FN __m256 half_max(__m256 a, __m256 b)
{
    __m256 max = _mm256_and_ps(_mm256_max_ps(a, b), _mm256_max_ps(b, a));
    return _mm256_or_ps(max, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}

KERNEL_FN __m256 half_min(__m256 a, __m256 b)
{
    __m256 min = _mm256_or_ps(_mm256_min_ps(a, b), _mm256_min_ps(b, a));
    return _mm256_or_ps(min, _mm256_cmp_ps(a, b, _CMP_UNORD_Q));
}

LANE_1(lane_canonical, lane, half_canonical)
LANE_2(lane_max, lane, half_max)
LANE_2(lane_min, lane, half_min)

/* 2^n, n in [-126, 127]. */
KERNEL_FN __m256 half_power(__m256i n)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
}

/* x · 2^n for integers n, rounded once: one multiplication where 2^n is a normal number, else lane by lane. */
KERNEL_FN lane lane_scale(lane x, lane n)
{
    lane limit = lane_set(126.0f);
    if (lane_any(lane_not(lane_le(lane_abs(n), limit)))) {
        float at[LANES], by[LANES];
        memcpy(at, &x, sizeof at);
        memcpy(by, &n, sizeof by);
        for (int l = 0; l < LANES; l++)
            at[l] = value_scale(at[l], by[l]);
        return lane_load(at);
    }
    return (lane){ _mm256_mul_ps(x.lo, half_power(_mm256_cvttps_epi32(_mm256_floor_ps(n.lo)))),
                   _mm256_mul_ps(x.hi, half_power(_mm256_cvttps_epi32(_mm256_floor_ps(n.hi)))) };
}

KERNEL_FN void lane_store(float *p, lane a)
{
    _mm256_storeu_ps(p, a.lo);
    _mm256_storeu_ps(p + 8, a.hi);
}

KERNEL_FN void lane_store_part(float *p, lane a, int64_t n)
{
    lane_mask m = lane_range(0, n);
    _mm256_maskstore_ps(p, _mm256_castps_si256(m.lo), a.lo);
    _mm256_maskstore_ps(p + 8, _mm256_castps_si256(m.hi), a.hi);
}

KERNEL_FN __m256i half_to_bf16(__m256 a) /* in the low halves */
{
    __m256i bits = _mm256_castps_si256(a), odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    __m256i sum = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    __m256 nan = _mm256_cmp_ps(a, a, _CMP_UNORD_Q);
    return _mm256_srli_epi32(_mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(sum), half_bits(0x7fc00000), nan)),
                             16);
}

KERNEL_FN void lane_store_bf16(uint16_t *p, lane a)
{
    __m256i both = _mm256_packus_epi32(half_to_bf16(a.lo), half_to_bf16(a.hi)); /* 0-3, 8-11, 4-7, 12-15 */
    _mm256_storeu_si256((void *)p, _mm256_permute4x64_epi64(both, 0xd8));
}

KERNEL_FN void lane_store_f16(uint16_t *p, lane a)
{
    a = lane_canonical(a);
    _mm_storeu_si128((void *)p, _mm256_cvtps_ph(a.lo, _MM_FROUND_TO_NEAREST_INT));
    _mm_storeu_si128((void *)(p + 8), _mm256_cvtps_ph(a.hi, _MM_FROUND_TO_NEAREST_INT));
}

/* To the nearest integer; saturates; 0 for a NaN. What is too large converts to INT32_MIN. */
KERNEL_FN __m256i half_to_i32(__m256 a)
{
    __m256 i = _mm256_castsi256_ps(_mm256_cvtps_epi32(a));
    i = _mm256_blendv_ps(i, half_bits(0x7fffffff), _mm256_cmp_ps(_mm256_set1_ps(0x1p31f), a, _CMP_LE_OQ));
    return _mm256_castps_si256(_mm256_and_ps(i, _mm256_cmp_ps(a, a, _CMP_ORD_Q)));
}

KERNEL_FN void lane_store_i32(int32_t *p, lane a)
{
    _mm256_storeu_si256((void *)p, half_to_i32(a.lo));
    _mm256_storeu_si256((void *)(p + 8), half_to_i32(a.hi));
}

#define LANE_STORE_PART(name, store, type)                                      \
    KERNEL_FN void name(type *p, lane a, int64_t n)                              \
    {                                                                           \
        type at[LANES];                                                         \
        store(at, a);                                                           \
        memcpy(p, at, sizeof(type) * (size_t)(n < 0 ? 0 : n > LANES ? LANES : n)); \
    }
LANE_STORE_PART(lane_store_bf16_part, lane_store_bf16, uint16_t)
LANE_STORE_PART(lane_store_f16_part, lane_store_f16, uint16_t)
LANE_STORE_PART(lane_store_i32_part, lane_store_i32, int32_t)

/* The C library's function, lane by lane, rounded once. */
KERNEL_FN lane lane_call1(double (*fn)(double), lane a)
{
    float at[LANES];
    lane_store(at, a);
    for (int l = 0; l < LANES; l++)
        at[l] = (float)fn((double)at[l]);
    return lane_load(at);
}

KERNEL_FN lane lane_call2(double (*fn)(double, double), lane a, lane b)
{
    float at[LANES], bt[LANES];
    lane_store(at, a);
    lane_store(bt, b);
    for (int l = 0; l < LANES; l++)
        at[l] = (float)fn((double)at[l], (double)bt[l]);
    return lane_load(at);
}

/* Folds over the lanes: l with l + 8, then + 4, + 2, + 1. */
#define LANE_FOLD(name, step)                                \
    KERNEL_FN float name(lane a)                              \
    {                                                        \
        __m256 v = step(a.lo, a.hi);                         \
        v = step(v, _mm256_permute2f128_ps(v, v, 1));        \
        v = step(v, _mm256_permute_ps(v, 0x4e));             \
        v = step(v, _mm256_permute_ps(v, 0xb1));             \
        return _mm256_cvtss_f32(v);                          \
    }

LANE_FOLD(lane_fold_add, _mm256_add_ps)
LANE_FOLD(lane_fold_mul, _mm256_mul_ps)
LANE_FOLD(lane_fold_max, half_max)
LANE_FOLD(lane_fold_min, half_min)

/* 16 bytes of each of two rows, the next being 4 * step bytes on. */
KERNEL_FN __m256 half_load_quarters(const char *p, int64_t step)
{
    __m256 v = _mm256_castps128_ps256(_mm_loadu_ps((const void *)p));
    return _mm256_insertf128_ps(v, _mm_loadu_ps((const void *)(p + 4 * step)), 1);
}

/* Four columns of eight rows. */
KERNEL_FN void half_load_turned(__m256 v[4], const char *p, int64_t step)
{
    __m256 a = half_load_quarters(p, step), b = half_load_quarters(p + step, step);
    __m256 c = half_load_quarters(p + 2 * step, step), d = half_load_quarters(p + 3 * step, step);
    __m256d low = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)), low2 = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
    __m256d high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b)), high2 = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
    v[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(low, low2));
    v[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(low, low2));
    v[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(high, high2));
    v[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(high, high2));
}

/* Rows to columns: lane l of v[i] is word i of row l, rows being `step` bytes apart. Blocks of 16 bytes fall into place as
 * they are loaded; 4 x 4 words within them remain. */
KERNEL_FN void lane_load_turned(lane v[LANES], const void *rows, int64_t step)
{
    for (int i = 0; i < LANES; i += 4) {
        __m256 lo[4], hi[4];
        half_load_turned(lo, (const char *)rows + i * 4, step);
        half_load_turned(hi, (const char *)rows + i * 4 + 8 * step, step);
        for (int j = 0; j < 4; j++)
            v[i + j] = (lane){ lo[j], hi[j] };
    }
}

KERNEL_FN lane_pairs lane_pairs_load(const void *p)
{
    const __m256i *halves = p;
    return (lane_pairs){ _mm256_loadu_si256(halves), _mm256_loadu_si256(halves + 1) };
}

KERNEL_FN lane_pairs lane_pairs_set(uint32_t pair)
{
    return (lane_pairs){ _mm256_set1_epi32((int)pair), _mm256_set1_epi32((int)pair) };
}

KERNEL_FN void lane_pairs_store(uint32_t *p, lane_pairs a)
{
    _mm256_storeu_si256((void *)p, a.lo);
    _mm256_storeu_si256((void *)(p + 8), a.hi);
}

KERNEL_FN __m256i half_pairs_join(const uint16_t *even, const uint16_t *odd)
{
    __m256i high = _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)odd)), 16);
    return _mm256_or_si256(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)even)), high);
}

KERNEL_FN lane_pairs lane_pairs_join(const uint16_t *even, const uint16_t *odd)
{
    return (lane_pairs){ half_pairs_join(even, odd), half_pairs_join(even + 8, odd + 8) };
}

KERNEL_FN lane_pairs lane_words(lane a) /* the same bits */
{
    return (lane_pairs){ _mm256_castps_si256(a.lo), _mm256_castps_si256(a.hi) };
}

/* The elements of pairs as floats. */
KERNEL_FN __m256 half_even(__m256i a) { return _mm256_castsi256_ps(_mm256_slli_epi32(a, 16)); }
KERNEL_FN __m256 half_odd(__m256i a) { return _mm256_and_ps(_mm256_castsi256_ps(a), half_bits(0xffff0000)); }
KERNEL_FN lane lane_pairs_even(lane_pairs a) { return (lane){ half_even(a.lo), half_even(a.hi) }; }
KERNEL_FN lane lane_pairs_odd(lane_pairs a) { return (lane){ half_odd(a.lo), half_odd(a.hi) }; }

KERNEL_FN __m256 half_flush(__m256 a)
{
    __m256 small = _mm256_cmp_ps(half_abs(a), _mm256_set1_ps(0x1p-126f), _CMP_LT_OQ);
    return _mm256_andnot_ps(_mm256_and_ps(small, half_bits(0x7fffffff)), a);
}

LANE_1(lane_flush, lane, half_flush)

#include "../flush.h"

/* One step of the bf16 dot product, as value_dot_pair. */
KERNEL_FN lane lane_dot_pairs(lane acc, lane_pairs a, lane_pairs b)
{
    acc = lane_flush_fma(lane_pairs_odd(a), lane_pairs_odd(b), acc);
    return lane_flush_fma(lane_pairs_even(a), lane_pairs_even(b), acc);
}

#include "../functions.h"
