/* The lane algebra in AVX-512 (F, BW, DQ, VL): a vector is one register. With AVX512-BF16 the bf16 dot product is one
 * instruction. */
#include "../values.h"

#include <immintrin.h>

#define LANES 16

typedef __m512 lane;
typedef __mmask16 lane_mask;
typedef __m512i lane_pairs; /* pairs of bf16, the even element low */

KERNEL_FN lane_mask lane_range(int64_t lo, int64_t hi) /* lanes lo … hi − 1 */
{
    uint32_t below_lo = lo >= LANES ? 0xffff : lo > 0 ? (1u << lo) - 1 : 0;
    uint32_t below_hi = hi >= LANES ? 0xffff : hi > 0 ? (1u << hi) - 1 : 0;
    return (lane_mask)(below_hi & ~below_lo);
}

KERNEL_FN lane lane_set(float x) { return _mm512_set1_ps(x); }

KERNEL_FN lane lane_of_bf16(__m256i h) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16)); }

KERNEL_FN lane lane_load(const float *p) { return _mm512_loadu_ps(p); }
KERNEL_FN lane lane_load_bf16(const uint16_t *p) { return lane_of_bf16(_mm256_loadu_si256((const void *)p)); }
KERNEL_FN lane lane_load_f16(const uint16_t *p) { return _mm512_cvtph_ps(_mm256_loadu_si256((const void *)p)); }
KERNEL_FN lane lane_load_i32(const int32_t *p) { return _mm512_cvtepi32_ps(_mm512_loadu_si512(p)); }

/* The first n values; +0 in the other lanes. */
KERNEL_FN lane lane_load_part(const float *p, int64_t n) { return _mm512_maskz_loadu_ps(lane_range(0, n), p); }

KERNEL_FN lane lane_load_bf16_part(const uint16_t *p, int64_t n)
{
    return lane_of_bf16(_mm256_maskz_loadu_epi16(lane_range(0, n), p));
}

KERNEL_FN lane lane_load_f16_part(const uint16_t *p, int64_t n)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(lane_range(0, n), p));
}

KERNEL_FN lane lane_load_i32_part(const int32_t *p, int64_t n)
{
    return _mm512_cvtepi32_ps(_mm512_maskz_loadu_epi32(lane_range(0, n), p));
}

KERNEL_FN lane lane_index(int64_t first, int64_t step) /* first + step · lane, rounded */
{
    __m512i low = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), high = _mm512_add_epi64(low, _mm512_set1_epi64(8));
    low = _mm512_add_epi64(_mm512_mullo_epi64(low, _mm512_set1_epi64(step)), _mm512_set1_epi64(first));
    high = _mm512_add_epi64(_mm512_mullo_epi64(high, _mm512_set1_epi64(step)), _mm512_set1_epi64(first));
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtepi64_ps(low)), _mm512_cvtepi64_ps(high), 1);
}

KERNEL_FN lane lane_add(lane a, lane b) { return _mm512_add_ps(a, b); }
KERNEL_FN lane lane_sub(lane a, lane b) { return _mm512_sub_ps(a, b); }
KERNEL_FN lane lane_mul(lane a, lane b) { return _mm512_mul_ps(a, b); }
KERNEL_FN lane lane_div(lane a, lane b) { return _mm512_div_ps(a, b); }
KERNEL_FN lane lane_fma(lane a, lane b, lane c) { return _mm512_fmadd_ps(a, b, c); }
KERNEL_FN lane lane_sqrt(lane a) { return _mm512_sqrt_ps(a); }
KERNEL_FN lane lane_neg(lane a) { return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f)); }
KERNEL_FN lane lane_abs(lane a) { return _mm512_abs_ps(a); }
KERNEL_FN lane lane_copysign(lane a, lane sign)
{
    return _mm512_or_ps(_mm512_abs_ps(a), _mm512_and_ps(sign, _mm512_set1_ps(-0.0f)));
}

KERNEL_FN lane lane_rint(lane a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
KERNEL_FN lane lane_floor(lane a) { return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }

KERNEL_FN lane_mask lane_lt(lane a, lane b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
KERNEL_FN lane_mask lane_le(lane a, lane b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
KERNEL_FN lane_mask lane_eq(lane a, lane b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
KERNEL_FN lane_mask lane_ne(lane a, lane b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
KERNEL_FN lane_mask lane_and(lane_mask a, lane_mask b) { return (lane_mask)(a & b); }
KERNEL_FN lane_mask lane_or(lane_mask a, lane_mask b) { return (lane_mask)(a | b); }
KERNEL_FN lane_mask lane_not(lane_mask a) { return (lane_mask)(a ^ 0xffff); }
KERNEL_FN int lane_any(lane_mask m) { return m != 0; }
KERNEL_FN lane lane_select(lane_mask m, lane a, lane b) { return _mm512_mask_blend_ps(m, b, a); }

KERNEL_FN lane lane_nan_where(lane_mask m, lane a) { return _mm512_mask_mov_ps(a, m, _mm512_set1_ps(NAN)); }
KERNEL_FN lane lane_canonical(lane a) { return lane_nan_where(_mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), a); }

/* VRANGEPS orders zeros as IEEE 754-2019 does, but prefers a number to a NaN. */
KERNEL_FN lane lane_max(lane a, lane b)
{
    return lane_nan_where(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), _mm512_range_ps(a, b, 5));
}

KERNEL_FN lane lane_min(lane a, lane b)
{
    return lane_nan_where(_mm512_cmp_ps_mask(a, b, _CMP_UNORD_Q), _mm512_range_ps(a, b, 4));
}

/* x · 2^n for integers n, rounded once. VSCALEFPS would make 0 of a NaN and 2^-inf. */
KERNEL_FN lane lane_scale(lane x, lane n)
{
    return _mm512_mask_scalef_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, n);
}

KERNEL_FN void lane_store(float *p, lane a) { _mm512_storeu_ps(p, a); }
KERNEL_FN void lane_store_part(float *p, lane a, int64_t n) { _mm512_mask_storeu_ps(p, lane_range(0, n), a); }

KERNEL_FN __m256i lane_to_bf16(lane a)
{
    __m512i bits = _mm512_castps_si512(a), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    sum = _mm512_mask_mov_epi32(sum, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), _mm512_set1_epi32(0x7fc00000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(sum, 16));
}

KERNEL_FN void lane_store_bf16(uint16_t *p, lane a) { _mm256_storeu_si256((void *)p, lane_to_bf16(a)); }

KERNEL_FN void lane_store_bf16_part(uint16_t *p, lane a, int64_t n)
{
    _mm256_mask_storeu_epi16(p, lane_range(0, n), lane_to_bf16(a));
}

KERNEL_FN __m256i lane_to_f16(lane a) { return _mm512_cvtps_ph(lane_canonical(a), _MM_FROUND_TO_NEAREST_INT); }
KERNEL_FN void lane_store_f16(uint16_t *p, lane a) { _mm256_storeu_si256((void *)p, lane_to_f16(a)); }

KERNEL_FN void lane_store_f16_part(uint16_t *p, lane a, int64_t n)
{
    _mm256_mask_storeu_epi16(p, lane_range(0, n), lane_to_f16(a));
}

/* To the nearest integer; saturates; 0 for a NaN. What is too large converts to INT32_MIN. */
KERNEL_FN __m512i lane_to_i32(lane a)
{
    __m512i i = _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(a, a, _CMP_ORD_Q), a);
    return _mm512_mask_mov_epi32(i, lane_le(lane_set(0x1p31f), a), _mm512_set1_epi32(INT32_MAX));
}

KERNEL_FN void lane_store_i32(int32_t *p, lane a) { _mm512_storeu_si512(p, lane_to_i32(a)); }

KERNEL_FN void lane_store_i32_part(int32_t *p, lane a, int64_t n)
{
    _mm512_mask_storeu_epi32(p, lane_range(0, n), lane_to_i32(a));
}

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
KERNEL_FN lane lane_half(lane a) { return _mm512_shuffle_f32x4(a, a, 0x4e); }
KERNEL_FN lane lane_quarter(lane a) { return _mm512_shuffle_f32x4(a, a, 0xb1); }
KERNEL_FN lane lane_two(lane a) { return _mm512_permute_ps(a, 0x4e); }
KERNEL_FN lane lane_one(lane a) { return _mm512_permute_ps(a, 0xb1); }

#define LANE_FOLD(name, step)                \
    KERNEL_FN float name(lane a)              \
    {                                        \
        a = step(a, lane_half(a));           \
        a = step(a, lane_quarter(a));        \
        a = step(a, lane_two(a));            \
        a = step(a, lane_one(a));            \
        return _mm512_cvtss_f32(a);          \
    }

LANE_FOLD(lane_fold_add, lane_add)
LANE_FOLD(lane_fold_mul, lane_mul)
LANE_FOLD(lane_fold_max, lane_max)
LANE_FOLD(lane_fold_min, lane_min)

/* 16 bytes of each of four rows, the next being 4 * step bytes on. */
KERNEL_FN lane lane_load_quarters(const char *p, int64_t step)
{
    lane v = _mm512_castps128_ps512(_mm_loadu_ps((const void *)p));
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(p + 4 * step)), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(p + 8 * step)), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps((const void *)(p + 12 * step)), 3);
}

/* Rows to columns: lane l of v[i] is word i of row l, rows being `step` bytes apart. Blocks of 16 bytes fall into place as
 * they are loaded; 4 x 4 words within them remain. */
KERNEL_FN void lane_load_turned(lane v[LANES], const void *rows, int64_t step)
{
#pragma GCC unroll 4
    for (int i = 0; i < LANES; i += 4) {
        const char *p = (const char *)rows + i * 4;
        lane a = lane_load_quarters(p, step), b = lane_load_quarters(p + step, step);
        lane c = lane_load_quarters(p + 2 * step, step), d = lane_load_quarters(p + 3 * step, step);
        __m512d low = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)), low2 = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
        __m512d high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)), high2 = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
        v[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, low2));
        v[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, low2));
        v[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(high, high2));
        v[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(high, high2));
    }
}

KERNEL_FN lane_pairs lane_pairs_load(const void *p) { return _mm512_loadu_si512(p); }
KERNEL_FN lane_pairs lane_pairs_set(uint32_t pair) { return _mm512_set1_epi32((int)pair); }
KERNEL_FN void lane_pairs_store(uint32_t *p, lane_pairs a) { _mm512_storeu_si512(p, a); }

KERNEL_FN lane_pairs lane_pairs_join(const uint16_t *even, const uint16_t *odd)
{
    __m512i high = _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)odd)), 16);
    return _mm512_or_si512(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)even)), high);
}

KERNEL_FN lane_pairs lane_words(lane a) { return _mm512_castps_si512(a); } /* the same bits */

/* The elements of pairs as floats. */
KERNEL_FN lane lane_pairs_even(lane_pairs a) { return _mm512_castsi512_ps(_mm512_slli_epi32(a, 16)); }

KERNEL_FN lane lane_pairs_odd(lane_pairs a)
{
    return _mm512_castsi512_ps(_mm512_and_si512(a, _mm512_set1_epi32((int)0xffff0000)));
}

KERNEL_FN lane lane_flush(lane a)
{
    lane_mask small = lane_lt(lane_abs(a), lane_set(0x1p-126f));
    return _mm512_mask_and_ps(a, small, a, lane_set(-0.0f));
}

#include "../flush.h"

/* One step of the bf16 dot product, as value_dot_pair. */
KERNEL_FN lane lane_dot_pairs(lane acc, lane_pairs a, lane_pairs b)
{
#ifdef __AVX512BF16__
    return _mm512_dpbf16_ps(acc, (__m512bh)a, (__m512bh)b);
#else
    acc = lane_flush_fma(lane_pairs_odd(a), lane_pairs_odd(b), acc);
    return lane_flush_fma(lane_pairs_even(a), lane_pairs_even(b), acc);
#endif
}

#include "../functions.h"
