/* Encodings, rounding, blocks, exact sums and powers of two. */
#include "cases.h"

#include <math.h>

#include "number/block.h"
#include "number/encode.h"
#include "number/exact.h"
#include "number/exp2.h"

#define FORMATS MET_TEST_DATA_DIR "/formats.toml"
#define MORE MET_TEST_DATA_DIR "/formats_more.toml"

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static met_dtype dtype_of(met_str spelling)
{
    met_format format;
    assert_true(met_format_parse(spelling, &format) && met_format_is_plain(format));
    return (met_dtype)format.dtype;
}

static met_dtype dtype_field(const met_value *table, const char *key)
{
    return dtype_of(string_field(table, key));
}

static met_overflow usual_overflow(met_dtype dtype)
{
    return met_dtype_table[dtype].class == MET_DTYPE_IEEE ? MET_OVERFLOW_INF : MET_OVERFLOW_SATURATE;
}

static met_rounding mode_of(met_str word)
{
    static const char *const words[] = {"rne", "rz", "rd", "ru"};
    for (int i = 0; i < 4; i++) {
        if (met_str_is(word, words[i])) {
            return (met_rounding)i;
        }
    }
    fail();
    return MET_RNE;
}

static void round_case(const test_case *test)
{
    met_dtype dtype = dtype_field(test->in, "format");
    bool saturate = met_str_is(string_field(test->in, "overflow"), "saturate");
    uint64_t bits = met_encode(dtype, f32_of(field(test->in, "f32")), mode_of(string_field(test->in, "mode")),
                               saturate ? MET_OVERFLOW_SATURATE : MET_OVERFLOW_INF);
    expect_bits(test, bits, bits_field(test->out, "bits"));
}

static void decode_case(const test_case *test)
{
    const met_value *bits = field(test->in, "bits"), *values = field(test->out, "values");
    assert_int_equal(bits->items.count, values->items.count);
    for (size_t i = 0; i < bits->items.count; i++) {
        double want = (double)NAN;
        assert_true(met_str_is(values->items.at[i]->string, "nan") ||
                    met_read_double(values->items.at[i]->string, &want));
        expect_number(test, met_decode(dtype_field(test->in, "format"), bits_of(bits->items.at[i])), want);
    }
}

static void limits_case(const test_case *test)
{
    met_limits limits = met_dtype_limits(dtype_field(test->in, "format"));
    expect_number(test, limits.max, number_field(test->out, "max"));
    expect_number(test, limits.min_normal, number_field(test->out, "min_normal"));
    expect_number(test, limits.min_subnormal, number_field(test->out, "min_subnormal"));
    expect_number(test, limits.epsilon, number_field(test->out, "epsilon"));
    expect_number(test, limits.unit_roundoff, number_field(test->out, "unit_roundoff"));
}

static void count_case(const test_case *test)
{
    expect_bits(test, met_dtype_count(dtype_field(test->in, "format")),
                (uint64_t)field(test->out, "distinct")->integer);
}

static void double_case(const test_case *test)
{
    met_dtype target = dtype_field(test->in, "target");
    double value = met_value_f64(bits_field(test->in, "f64"));
    uint64_t direct = met_encode(target, value, MET_RNE, MET_OVERFLOW_INF);
    uint64_t via_f32 = met_encode(target, met_round(MET_F32, value), MET_RNE, MET_OVERFLOW_INF);
    expect_bits(test, direct, bits_field(test->out, "direct"));
    expect_bits(test, via_f32, bits_field(test->out, "via_f32"));
    expect_bits(test, direct == via_f32, field(test->out, "same")->boolean);
    expect_number(test, met_round(target, value), met_decode(target, direct));
}

static void ulp_case(const test_case *test)
{
    expect_number(test, met_ulp(dtype_field(test->in, "format"), number_field(test->in, "value")),
                  number_field(test->out, "ulp"));
}

static void distance_case(const test_case *test)
{
    uint64_t steps = met_distance(dtype_field(test->in, "format"), bits_field(test->in, "a"), bits_field(test->in, "b"));
    expect_bits(test, steps, (uint64_t)field(test->out, "steps")->integer);
}

static void flush_case(const test_case *test)
{
    met_str word = string_field(test->in, "flush");
    met_flush flush = met_str_is(word, "none")     ? MET_FLUSH_NONE
                      : met_str_is(word, "input")  ? MET_FLUSH_INPUT
                      : met_str_is(word, "output") ? MET_FLUSH_OUTPUT
                                                   : MET_FLUSH_BOTH;
    float a = met_value_f32((uint32_t)bits_field(test->in, "a"));
    float b = met_value_f32((uint32_t)bits_field(test->in, "b"));
    bool add = met_str_is(string_field(test->in, "op"), "add");
    float result = add ? met_flush_add(a, b, flush) : met_flush_mul(a, b, flush);
    expect_bits(test, met_bits_f32(result), bits_field(test->out, "result"));
    if (!add) {
        expect_bits(test, met_bits_f32(met_flush_fma(a, b, -0.0f, flush)), bits_field(test->out, "result"));
    }
}

static void block_case(const test_case *test)
{
    double x[16], back[16];
    uint8_t codes[16];
    const met_value *list = field(test->in, "x");
    size_t count = list->items.count;
    assert_true(count <= 16);
    for (size_t i = 0; i < count; i++) {
        x[i] = list->items.at[i]->number;
    }
    uint64_t scale = met_group_quantize(dtype_field(test->in, "element"), dtype_field(test->in, "scale"), count, x, codes,
                                        back);
    expect_bits(test, scale, bits_field(test->out, "scale_bits"));
    for (size_t i = 0; i < count; i++) {
        expect_bits(test, codes[i], bits_of(field(test->out, "codes")->items.at[i]));
        expect_number(test, back[i], field(test->out, "back")->items.at[i]->number);
    }
}

static void narrow_sum_case(const test_case *test)
{
    double values[512];
    const met_value *list = field(test->in, "f32"), *times = met_value_get(test->in, "times");
    size_t count = list->items.count * (times ? (size_t)times->integer : 1);
    assert_true(count <= 512);
    for (size_t i = 0; i < count; i++) {
        values[i] = f32_of(list->items.at[i % list->items.count]);
    }
    expect_number(test, met_narrow_sum(dtype_field(test->in, "format"), count, values),
                  number_field(test->out, "value"));
}

static void exact_sum_case(const test_case *test)
{
    float values[16];
    const met_value *list = field(test->in, "f32");
    assert_true(list->items.count <= 16);
    for (size_t i = 0; i < list->items.count; i++) {
        values[i] = (float)f32_of(list->items.at[i]);
    }
    expect_bits(test, met_bits_f32(met_exact_sum_f32(list->items.count, values)), bits_field(test->out, "bits"));
}

static void known_values(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int count, more;
        case_fn fn;
    } kinds[] = {
        { "round", 23, 60, round_case },  { "decode", 4, 4, decode_case },     { "limits", 4, 4, limits_case },
        { "count", 4, 6, count_case },    { "double", 4, 8, double_case },     { "ulp", 4, 6, ulp_case },
        { "distance", 4, 6, distance_case }, { "flush", 4, 16, flush_case },   { "block", 4, 16, block_case },
        { "narrow_sum", 3, 8, narrow_sum_case }, { "exact_sum", 2, 10, exact_sum_case },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        each_case(FORMATS, kinds[i].kind, kinds[i].count, kinds[i].fn);
        each_case(MORE, kinds[i].kind, kinds[i].more, kinds[i].fn);
    }
}

static bool same(double a, double b)
{
    return (a != a && b != b) || (a == b && !signbit(a) == !signbit(b));
}

/* Every code of the narrow dtypes decodes to a value that encodes to it, in every mode, and counts as one. */
static void codes_round_trip(void **state)
{
    (void)state;
    for (int dtype = 0; dtype < MET_DTYPE_COUNT; dtype++) {
        uint64_t codes = met_dtype_table[dtype].bits <= 16 ? (uint64_t)1 << met_dtype_table[dtype].bits : 0;
        uint64_t finite = 0;
        for (uint64_t code = 0; code < codes; code++) {
            double value = met_decode((met_dtype)dtype, code);
            finite += isfinite(value) && !(value == 0 && signbit(value));
            for (int mode = MET_RNE; mode <= MET_RU && value == value; mode++) {
                uint64_t again = met_encode((met_dtype)dtype, value, (met_rounding)mode, usual_overflow((met_dtype)dtype));
                assert_int_equal(again, code);
            }
        }
        assert_true(codes == 0 || finite == met_dtype_count((met_dtype)dtype));
    }
}

/* A double that is random, or near a value of a narrow dtype, or halfway between two. */
static double hard_double(int turn)
{
    double value = met_value_f64(random_bits());
    if (turn % 4 == 0) {
        return value;
    }
    value = ldexp((double)(int64_t)random_bits(), (int)(random_bits() % 300) - 220);
    uint64_t bits = met_bits_f64(value) & ~(((uint64_t)1 << (40 + random_bits() % 12)) - 1);
    return met_value_f64(bits + (turn % 4 == 2) - (turn % 4 == 3));
}

static void check_neighbours(met_dtype dtype, double value)
{
    met_overflow overflow = usual_overflow(dtype);
    double down = met_decode(dtype, met_encode(dtype, value, MET_RD, overflow));
    double up = met_decode(dtype, met_encode(dtype, value, MET_RU, overflow));
    double cut = met_decode(dtype, met_encode(dtype, value, MET_RZ, overflow));
    double near = met_round(dtype, value);
    if (fabs(value) > met_dtype_limits(dtype).max || dtype == MET_UE8M0) {
        return;
    }
    assert_true(down <= value && value <= up);
    assert_true(cut == (value < 0 ? up : down));
    assert_true(near == down || near == up);
    assert_true(fabs(near - value) <= value - down && fabs(near - value) <= up - value);
    if (down != up && met_dtype_table[dtype].class != MET_DTYPE_INTEGER) {
        assert_true(up - down <= met_ulp(dtype, value));
    }
}

/* The fast rounding is the general one, and the general one finds the right neighbour. */
static void rounding_finds_neighbours(void **state)
{
    (void)state;
    random_state = 88172645463325252u;
    for (int dtype = 0; dtype < MET_DTYPE_COUNT; dtype++) {
        for (int i = 0; i < 40000; i++) {
            double value = hard_double(i);
            uint64_t bits = met_encode((met_dtype)dtype, value, MET_RNE, usual_overflow((met_dtype)dtype));
            if (!same(met_round((met_dtype)dtype, value), met_decode((met_dtype)dtype, bits))) {
                fail_msg("%s of %a: %a", met_dtype_table[dtype].spelling, value, met_round((met_dtype)dtype, value));
            }
            if (value == value) {
                check_neighbours((met_dtype)dtype, value);
            }
        }
    }
}

static void special_values(void **state)
{
    (void)state;
    double inf = (double)INFINITY, nan = (double)NAN;
    assert_int_equal(met_encode(MET_F16, inf, MET_RNE, MET_OVERFLOW_INF), 0x7c00);
    assert_int_equal(met_encode(MET_F16, -inf, MET_RNE, MET_OVERFLOW_SATURATE), 0xfbff);
    assert_int_equal(met_encode(MET_F16, -nan, MET_RNE, MET_OVERFLOW_INF), 0x7e00);
    assert_int_equal(met_encode(MET_F16, 1e6, MET_RD, MET_OVERFLOW_INF), 0x7bff);
    assert_int_equal(met_encode(MET_F16, -1e6, MET_RD, MET_OVERFLOW_INF), 0xfc00);
    assert_int_equal(met_encode(MET_E4M3, 465, MET_RNE, MET_OVERFLOW_INF), 0x7f);
    assert_int_equal(met_encode(MET_E4M3, -inf, MET_RNE, MET_OVERFLOW_SATURATE), 0xfe);
    assert_int_equal(met_encode(MET_E2M1, nan, MET_RNE, MET_OVERFLOW_INF), 7);
    assert_int_equal(met_encode(MET_E2M1, -inf, MET_RNE, MET_OVERFLOW_INF), 15);
    assert_int_equal(met_encode(MET_E2M1, -0.0, MET_RNE, MET_OVERFLOW_INF), 8);
    assert_int_equal(met_encode(MET_UE8M0, 3, MET_RU, MET_OVERFLOW_SATURATE), 129);
    assert_int_equal(met_encode(MET_UE8M0, -3, MET_RU, MET_OVERFLOW_SATURATE), 255);
    assert_int_equal(met_encode(MET_UE8M0, 0, MET_RU, MET_OVERFLOW_SATURATE), 0);
    assert_int_equal(met_encode(MET_UE8M0, 1e300, MET_RU, MET_OVERFLOW_SATURATE), 254);
    assert_int_equal(met_encode(MET_UE8M0, 0x1.8p127, MET_RU, MET_OVERFLOW_INF), 255);
    assert_int_equal(met_encode(MET_I8, -128.4, MET_RNE, MET_OVERFLOW_INF), 0x80);
    assert_int_equal(met_encode(MET_I8, 2.5, MET_RNE, MET_OVERFLOW_INF), 2);
    assert_int_equal(met_encode(MET_I8, nan, MET_RNE, MET_OVERFLOW_INF), 0);
    assert_int_equal(met_encode(MET_I32, -1e18, MET_RNE, MET_OVERFLOW_INF), 0x80000000);
    assert_true(isinf(met_round(MET_BF16, 1e300)) && met_round(MET_E4M3, -1e300) == -448);
    assert_true(isnan(met_round(MET_F16, nan)) && isnan(met_round(MET_E4M3, nan)));
    assert_int_equal(met_distance(MET_F16, 0x7e00, 0), UINT64_MAX);
    assert_int_equal(met_distance(MET_F64, met_bits_f64(1), met_bits_f64(1 + 0x1p-52)), 1);
    assert_int_equal(met_distance(MET_I8, 0x80, 0x7f), 255);
    assert_true(met_ulp(MET_UE8M0, 0x1p-127) == 0x1p-127 && met_ulp(MET_UE8M0, 5) == 4 && met_ulp(MET_I8, 9) == 1);
    assert_true(isnan(met_ulp(MET_F32, inf)));
}

/* Odd rounding makes fused arithmetic out of double arithmetic: it must agree with the fused operation. */
static void odd_rounding(void **state)
{
    (void)state;
    /* A tie of f32 with a little more or less, which the double nearest to the sum does not see. */
    assert_true((float)met_odd_add(1 + 0x1p-24, 0x1p-90) == 1 + 0x1p-23f);
    assert_true((float)met_odd_add(1 + 0x1p-24, -0x1p-90) == 1);
    assert_true((float)met_odd_add(-1 - 0x1p-24, -0x1p-90) == -1 - 0x1p-23f);
    assert_true(met_odd_add(1, 0x1p-90) == 1 + 0x1p-52 && met_odd_add(1, -0x1p-90) == 1 - 0x1p-53);
    random_state = 1234567;
    for (int i = 0; i < 200000; i++) {
        float a = met_value_f32((uint32_t)random_bits()), b = met_value_f32((uint32_t)random_bits());
        float c = met_value_f32((uint32_t)random_bits());
        if (i & 1) { /* c close to −a·b */
            uint32_t exponent = (uint32_t)(random_bits() % 30) + 60;
            a = met_value_f32((met_bits_f32(a) & 0x807fffff) | exponent << 23);
            b = met_value_f32((met_bits_f32(b) & 0x807ff000) | (254 - exponent) << 23);
            c = met_value_f32(met_bits_f32(-a * b) + (uint32_t)(random_bits() % 3) - 1);
        }
        assert_true(same((double)(float)met_odd_fma((double)a, (double)b, (double)c), (double)fmaf(a, b, c)));
        double quotient = met_odd_divide((double)a, (double)b);
        assert_true(isnan(quotient) || same((double)(float)quotient, (double)(a / b)));
    }
}

static void exact_sums(void **state)
{
    (void)state;
    met_exact sum;
    random_state = 99;
    /* Terms and their negatives in another order, and one more term: it must be what is left. */
    for (int round = 0; round < 50; round++) {
        double terms[64], left = met_value_f64(random_bits());
        left = isfinite(left) ? left : 3;
        met_exact_clear(&sum);
        for (int i = 0; i < 64; i++) {
            terms[i] = met_value_f64(random_bits());
            terms[i] = isfinite(terms[i]) ? terms[i] : 1;
            met_exact_add(&sum, terms[i]);
        }
        met_exact_add(&sum, left);
        for (int i = 64; i-- > 0;) {
            met_exact_add(&sum, -terms[i * 37 % 64]);
        }
        assert_true(same(met_exact_round(&sum, MET_F64, MET_RNE), left));
        assert_true(same(met_exact_round(&sum, MET_BF16, MET_RNE), met_round(MET_BF16, left)));
    }
    /* Two terms: the sum that addition gives. */
    for (int i = 0; i < 20000; i++) {
        double a = ldexp((double)(int64_t)random_bits(), -(int)(random_bits() % 64)), b = (double)(int64_t)random_bits();
        met_exact_clear(&sum);
        met_exact_add(&sum, a);
        met_exact_add(&sum, b);
        assert_true(same(met_exact_round(&sum, MET_F64, MET_RNE), a + b));
    }
    static const double tie_and_more[] = {1, 0x1p-53, 0x1p-1000};
    met_exact_clear(&sum);
    for (int i = 0; i < 3; i++) {
        met_exact_add(&sum, tie_and_more[i]);
        assert_true(met_exact_round(&sum, MET_F64, MET_RNE) == (i < 2 ? 1 : 1 + 0x1p-52));
    }
    assert_true(met_exact_round(&sum, MET_F32, MET_RU) == 1 + 0x1p-23);
    float zeros[2] = {-0.0f, -0.0f}, infinities[2] = {INFINITY, -INFINITY};
    assert_int_equal(met_bits_f32(met_exact_sum_f32(2, zeros)), 0x80000000);
    assert_int_equal(met_bits_f32(met_exact_sum_f32(0, zeros)), 0);
    assert_true(isnan(met_exact_sum_f32(2, infinities)) && isinf(met_exact_sum_f32(1, infinities)));
}

static met_format format_of(const char *spelling)
{
    met_format format;
    assert_true(met_format_parse(met_str_of(spelling), &format));
    return format;
}

/* What quantising says comes back is what its parts give; values are within half a step of the scale. */
static void whole_arrays(void **state)
{
    (void)state;
    static const char *const spellings[] = {"i8/tensor", "i8/g16",    "fp8/token", "fp8/block3x5",
                                            "nvfp4/g16", "mxfp4/g32", "mxfp8/g32", "fp8/g64"};
    enum { ROWS = 5, WIDTH = 64, COUNT = ROWS * WIDTH };
    static double x[COUNT], back[COUNT], again[COUNT];
    static uint8_t codes[COUNT];
    static uint32_t scales[COUNT];
    static float seconds[ROWS];
    met_quantized parts = {.codes = codes, .scales = scales, .seconds = seconds};
    random_state = 7;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (double)(float)ldexp((double)(int64_t)random_bits(), -64 - i / WIDTH * 3);
    }
    for (size_t f = 0; f < sizeof spellings / sizeof spellings[0]; f++) {
        for (int use = MET_USE_ACTIVATION; use <= MET_USE_WEIGHT; use++) {
            met_format format = format_of(spellings[f]);
            assert_true(met_quantize(format, (met_use)use, ROWS, WIDTH, x, &parts, back));
            assert_true(met_dequantize(format, (met_use)use, ROWS, WIDTH, &parts, again));
            for (int i = 0; i < COUNT; i++) {
                assert_true(same(back[i], again[i]));
                /* Coarse, for all formats: an element step is at most 1/3 of the group's largest magnitude. */
                int row = format.granularity == MET_SCALE_GROUP ? i / WIDTH : 0;
                assert_true(fabs(back[i] - x[i]) <= ldexp(0.25, -3 * row));
            }
            memcpy(again, x, sizeof again);
            assert_true(met_quantize(format, (met_use)use, ROWS, WIDTH, again, NULL, again));
            assert_memory_equal(again, back, sizeof back);
        }
    }
    assert_false(met_quantize(format_of("nvfp4/g16"), MET_USE_WEIGHT, 1, 24, x, NULL, back));
    assert_true(met_quantize(format_of("bf16"), MET_USE_WEIGHT, 1, 24, x, NULL, back));
    assert_true(back[3] == met_round(MET_BF16, x[3]));
}

static void nvfp4_scales(void **state)
{
    (void)state;
    double x[32] = {[0] = 6 * 448, [1] = 448, [16] = 3, [17] = -1.5}, back[64];
    uint32_t scales[4];
    float seconds[2];
    met_quantized parts = {.scales = scales, .seconds = seconds};
    assert_true(met_quantize(format_of("nvfp4/g16"), MET_USE_WEIGHT, 1, 32, x, &parts, back));
    assert_true(seconds[0] == 1 && scales[0] == 0x7e); /* 1 and 448 */
    assert_int_equal(scales[1], 0x30);                 /* 3/6 */
    assert_true(back[0] == 2688 && back[1] == 448 && back[16] == 3 && back[17] == -1.5);
    double rows[64] = {[0] = 2688, [32] = 5376};
    assert_true(met_quantize(format_of("nvfp4/g16"), MET_USE_ACTIVATION, 2, 32, rows, &parts, back));
    assert_true(seconds[0] == 1 && seconds[1] == 2);
    assert_true(met_quantize(format_of("nvfp4/g16"), MET_USE_WEIGHT, 2, 32, rows, &parts, back));
    assert_true(seconds[0] == 2 && scales[0] == 0x76 && back[0] == 2688);
}

static void poisoned_groups(void **state)
{
    (void)state;
    static const char *const spellings[] = {"nvfp4/g16", "mxfp4/g32", "fp8/g16", "i8/g16"};
    double x[64], back[64], clean[64];
    uint8_t codes[64];
    met_quantized parts = {.codes = codes};
    for (size_t f = 0; f < sizeof spellings / sizeof spellings[0]; f++) {
        for (int i = 0; i < 64; i++) {
            x[i] = i - 30;
        }
        assert_true(met_quantize(format_of(spellings[f]), MET_USE_WEIGHT, 1, 64, x, NULL, clean));
        x[0] = f % 2 ? (double)NAN : (double)-INFINITY;
        x[1] = 0;
        assert_true(met_quantize(format_of(spellings[f]), MET_USE_WEIGHT, 1, 64, x, &parts, back));
        for (int i = 0; i < 64; i++) {
            bool poisoned = i < format_of(spellings[f]).columns;
            assert_true(poisoned ? isnan(back[i]) && codes[i] == 0 : back[i] == clean[i]);
        }
    }
    double zeros[16] = {0};
    assert_true(met_quantize(format_of("nvfp4/g16"), MET_USE_WEIGHT, 1, 16, zeros, NULL, back) && back[5] == 0);
    assert_true(met_quantize(format_of("fp8/tensor"), MET_USE_WEIGHT, 1, 16, zeros, NULL, back) && back[5] == 0);
}

/* A coarse pass; tests/slow/exp2_all.c takes every float. */
static void exp2_error(void **state)
{
    (void)state;
    assert_true(met_exp2_poly(0) == 1 && met_exp2_poly(-0.0f) == 1 && isnan(met_exp2_poly(NAN)));
    double worst = 0;
    for (uint32_t bits = met_bits_f32(0x1p-26f); bits <= met_bits_f32(0.5f); bits += 397) {
        for (int sign = -1; sign <= 1; sign += 2) {
            float f = (float)sign * met_value_f32(bits);
            double error = fabs((double)met_exp2_poly(f) - exp2((double)f)) / (f < 0 ? 0x1p-24 : 0x1p-23);
            worst = error > worst ? error : worst;
        }
    }
    assert_true(worst <= MET_EXP2_ULPS && worst > 0.5);
    assert_true(met_exp2_poly(0x1p-40f) == 1 && met_exp2_poly(-0x1p-40f) == 1);
}

static void powers_of_two(void **state)
{
    (void)state;
    random_state = 5;
    for (int i = 0; i < 200000; i++) {
        float x = met_value_f32((uint32_t)random_bits());
        int n = (int)(random_bits() % 700) - 350;
        double exact = ldexp((double)x, n); /* one rounding, unless it is far below every float */
        assert_true(isnan(x) || same((double)met_ldexpf(x, n), (double)(float)exact));
    }
    assert_true(met_ldexpf(0x1.8p0f, -150) == 0x1p-149f && met_ldexpf(1, -150) == 0 && met_ldexpf(1, -149) == 0x1p-149f);
    assert_true(met_ldexpf(0x1p-149f, 276) == 0x1p127f && isinf(met_ldexpf(1, 2000000000)));
    assert_true(met_ldexpf(0x1.fffffep127f, -2000000000) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),   cmocka_unit_test(codes_round_trip), cmocka_unit_test(rounding_finds_neighbours),
        cmocka_unit_test(special_values), cmocka_unit_test(odd_rounding),     cmocka_unit_test(exact_sums),
        cmocka_unit_test(whole_arrays),   cmocka_unit_test(nvfp4_scales),     cmocka_unit_test(poisoned_groups),
        cmocka_unit_test(exp2_error),     cmocka_unit_test(powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
