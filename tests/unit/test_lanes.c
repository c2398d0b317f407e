/* The lane algebra of every class that this CPU has, against src/number and the C library, bit for bit: on all pairs of
 * special values and on random patterns. Any NaN is as good as any other except where one is stored. */
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "number/encode.h"
#include "number/exp2.h"
#include "number/function.h"
#include "realize/class.h"
#include "support/compile.h"
#include "unit/lanes_reference.h"

static const met_class *class; /* of the running test */
static bool with_more;
static void *loaded;

static void *symbol(const char *name)
{
    void *found = dlsym(loaded, name);
    if (!found)
        fail_msg("%s: %s", class->name, dlerror());
    return found;
}

/* Data pointers to function pointers, as POSIX allows. */
#define FUNCTION(type, variable, name)                      \
    type variable;                                          \
    do {                                                    \
        void *found = symbol(name);                         \
        memcpy(&variable, &found, sizeof variable);         \
    } while (0)

typedef void (*call_fn)(const float *a, const float *b, const float *c, float *out);
typedef void (*move_fn)(const void *from, void *to, int64_t n);
typedef void (*dot_fn)(const float *, const uint32_t *, const uint32_t *, float *, float *);
typedef void (*parts_fn)(const uint16_t *, const uint16_t *, float *, float *);
typedef void (*index_fn)(int64_t, int64_t, float *);
typedef void (*turn_fn)(const void *rows, int64_t step, float *values, uint32_t *words);
typedef float (*from16_fn)(int, uint16_t);
typedef uint16_t (*to16_fn)(float);
typedef int32_t (*to32_fn)(float);
typedef int (*any_fn)(float);

static uint32_t random_bits(void)
{
    static uint64_t counter;
    uint64_t z = ++counter * 0x9e3779b97f4a7c15u; /* SplitMix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)(z >> 32);
}

static const float specials[] = {
    0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f, 0x1p-149f, -0x1p-149f, 0x1.fffffcp-127f, -0x1.8p-130f,
    0x1p-126f, -0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f, INFINITY, -INFINITY, NAN, 0x1.fffffep-1f, 0x1.000002p0f,
    0x1.62e43p-1f, 8388607.5f, -8388608.5f, 0x1p31f, -0x1p31f, 0x1p40f, 2147483520.0f, 126.0f, -126.0f, 127.0f, 128.0f,
    -127.0f, -150.0f, -151.0f, 277.0f, -277.0f, 278.0f, -300.0f, 1e6f, 65519.0f, 65520.0f, 65504.0f, 0x1p-14f, 0x1p-24f,
    0x1p-25f, 0x1.8p-25f, 0x1.ffcp-15f, 0x1.01p0f, 0x1.03p0f, 0x1.feffp127f,
};
enum { SPECIALS = sizeof specials / sizeof *specials, LANES = 16, ROUNDS = 2000 };

/* Three vectors: first every pair of special values, then bit patterns, small numbers and specials mixed. */
static void operands(int round, float a[LANES], float b[LANES], float c[LANES])
{
    for (int l = 0; l < LANES; l++) {
        int pair = round * LANES + l;
        a[l] = specials[pair / SPECIALS % SPECIALS];
        b[l] = specials[pair % SPECIALS];
        c[l] = specials[random_bits() % SPECIALS];
        if (pair >= SPECIALS * SPECIALS) {
            uint32_t kind = random_bits();
            a[l] = kind & 1 ? met_value_f32(random_bits()) : a[l];
            b[l] = kind & 2 ? met_value_f32(random_bits()) : (float)(int32_t)random_bits() * 0x1p-24f;
            c[l] = kind & 4 ? met_value_f32(random_bits()) : c[l];
        }
    }
}

static uint32_t any_nan(float x)
{
    return x != x ? 0x7fc00000 : met_bits_f32(x);
}

static void lane_by_lane(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
        FUNCTION(call_fn, call, each[k].name);
        for (int round = 0; round < ROUNDS; round++) {
            float a[LANES], b[LANES], c[LANES], out[LANES];
            operands(round, a, b, c);
            call(a, b, c, out);
            for (int l = 0; l < LANES; l++) {
                float expected = each[k].reference(a[l], b[l], c[l]);
                if (any_nan(out[l]) != any_nan(expected))
                    fail_msg("%s %s(%a, %a, %a) = %a, not %a", class->name, each[k].name, (double)a[l], (double)b[l],
                             (double)c[l], (double)out[l], (double)expected);
            }
        }
    }
}

static void folds(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        float (*step)(float a, float b, float c);
    } fold[] = { { "call_fold_add", ref_add }, { "call_fold_mul", ref_mul }, { "call_fold_max", ref_max },
                 { "call_fold_min", ref_min } };
    for (size_t k = 0; k < sizeof fold / sizeof *fold; k++) {
        FUNCTION(call_fn, call, fold[k].name);
        for (int round = 0; round < ROUNDS; round++) {
            float a[LANES], b[LANES], c[LANES], out[LANES];
            operands(round, a, b, c);
            call(round % 2 ? a : b, b, c, out);
            float *v = round % 2 ? a : b;
            for (int half = LANES / 2; half; half /= 2)
                for (int l = 0; l < half; l++)
                    v[l] = fold[k].step(v[l], v[l + half], 0);
            assert_int_equal(any_nan(out[0]), any_nan(v[0]));
        }
    }
}

/* Two roundings would show here: every power that takes these into the subnormals and out of them. The flag rises
 * exactly when the result is tiny and not exact. */
static void scaling_rounds_once(void **state)
{
    (void)state;
    static const float values[] = { 0x1.000002p0f, 0x1.fffffep0f, 0x1.aaaaaap-30f, 0x1.555556p-100f, -0x1.234566p90f,
                                    0x1.8p-140f, 0x1p-149f, 1.0f };
    static const char *const names[] = { "call_scale", "call_value_scale" };
    for (size_t k = 0; k < 2; k++) {
        FUNCTION(call_fn, call, names[k]);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            for (int n = -420; n <= 420; n++) {
                float a[LANES], b[LANES], out[LANES];
                for (int l = 0; l < LANES; l++)
                    a[l] = values[v], b[l] = (float)n;
                feclearexcept(FE_ALL_EXCEPT);
                call(a, b, b, out);
                int raised = fetestexcept(FE_UNDERFLOW) != 0;
                double exact = ldexp((double)a[0], n);
                int tiny = fabs(exact) < 0x1.fffffefp-127 && (double)(float)exact != exact;
                for (int l = 0; l < LANES; l++)
                    assert_int_equal(met_bits_f32(out[l]), met_bits_f32((float)exact));
                if (raised != tiny)
                    fail_msg("%s: %a · 2^%d raises %d", class->name, (double)a[0], n, raised);
            }
        }
    }
}

/* Both signs of every 487th float up to where the function has become constant. */
static void functions_dense(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        float (*reference)(float);
        float end;
    } dense[] = { { "call_exp2p", met_exp2_poly, 0.5f }, { "call_expp", met_expp, 110 }, { "call_tanhp", met_tanhp, 11 },
                  { "call_erfp", met_erfp, 5 } };
    for (size_t k = 0; k < sizeof dense / sizeof *dense; k++) {
        FUNCTION(call_fn, call, dense[k].name);
        for (uint32_t bits = met_bits_f32(0x1p-30f); bits < met_bits_f32(dense[k].end); bits += 8 * 487) {
            float a[LANES], out[LANES];
            for (uint32_t l = 0; l < LANES; l++)
                a[l] = met_value_f32((bits + l / 2) | l << 31);
            call(a, a, a, out);
            for (int l = 0; l < LANES; l++)
                assert_int_equal(met_bits_f32(out[l]), met_bits_f32(dense[k].reference(a[l])));
        }
    }
}

static void canonical(void **state)
{
    (void)state;
    static const char *const names[] = { "call_canonical", "call_value_canonical" };
    for (size_t k = 0; k < 2; k++) {
        FUNCTION(call_fn, call, names[k]);
        for (int round = 0; round < ROUNDS; round++) {
            float a[LANES], b[LANES], out[LANES];
            operands(round, a, b, out);
            a[3] = met_value_f32(0xffc00001);
            call(a, b, b, out);
            for (int l = 0; l < LANES; l++)
                assert_int_equal(met_bits_f32(out[l]), any_nan(a[l]));
        }
    }
}

/* A part writes n values and no more. */
static void stores(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value;
        met_dtype dtype;
        size_t size;
    } store[] = { { "move_to_bf16", "value_bf16", MET_BF16, 2 }, { "move_to_f16", "value_f16", MET_F16, 2 },
                  { "move_to_i32", "value_i32", MET_I32, 4 } };
    for (size_t k = 0; k < sizeof store / sizeof *store; k++) {
        FUNCTION(move_fn, move, store[k].name);
        FUNCTION(to16_fn, value16, store[k].value);
        FUNCTION(to32_fn, value32, store[k].value);
        for (int round = 0; round < ROUNDS; round++) {
            float a[LANES], b[LANES], c[LANES];
            unsigned char out[LANES * 4 + 4];
            operands(round, a, b, c);
            float *v = round % 3 == 0 ? a : round % 3 == 1 ? b : c;
            int n = round % 5 ? LANES : round % (LANES + 1);
            memset(out, 0x5a, sizeof out);
            move(v, out, n);
            for (int l = 0; l < n; l++) {
                uint64_t bits = met_encode(store[k].dtype, (double)v[l], MET_RNE, MET_OVERFLOW_INF);
                uint64_t stored = 0;
                memcpy(&stored, out + (size_t)l * store[k].size, store[k].size);
                uint64_t value = store[k].size == 2 ? value16(v[l]) : (uint32_t)value32(v[l]);
                if (stored != bits || value != bits)
                    fail_msg("%s %s(%a): %llx, %llx, not %llx", class->name, store[k].name, (double)v[l],
                             (unsigned long long)stored, (unsigned long long)value, (unsigned long long)bits);
            }
            for (size_t i = (size_t)n * store[k].size; i < sizeof out; i++)
                assert_int_equal(out[i], 0x5a);
        }
    }
}

static void loads(void **state)
{
    (void)state;
    FUNCTION(move_fn, of_bf16, "move_of_bf16");
    FUNCTION(move_fn, of_f16, "move_of_f16");
    FUNCTION(move_fn, of_i32, "move_of_i32");
    FUNCTION(from16_fn, value, "value_from");
    for (uint32_t h = 0; h < 0x10000; h += LANES) {
        uint16_t in[LANES];
        float bf16[LANES], f16[LANES];
        for (uint32_t l = 0; l < LANES; l++)
            in[l] = (uint16_t)(h + l);
        of_bf16(in, bf16, h % 256 ? LANES : (int64_t)(h >> 8) % 17);
        of_f16(in, f16, LANES);
        for (int l = 0; l < (h % 256 ? LANES : (int)(h >> 8) % 17); l++) {
            assert_int_equal(any_nan(bf16[l]), any_nan((float)met_decode(MET_BF16, in[l])));
            assert_int_equal(any_nan(value(0, in[l])), any_nan(bf16[l]));
        }
        for (int l = 0; l < LANES; l++) {
            assert_int_equal(any_nan(f16[l]), any_nan((float)met_decode(MET_F16, in[l])));
            assert_int_equal(any_nan(value(1, in[l])), any_nan(f16[l]));
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        int32_t in[LANES];
        float out[LANES];
        for (int l = 0; l < LANES; l++)
            in[l] = (int32_t)random_bits() >> random_bits() % 32;
        of_i32(in, out, LANES);
        for (int l = 0; l < LANES; l++)
            assert_int_equal(met_bits_f32(out[l]), met_bits_f32((float)in[l]));
    }
}

/* Values next to the end of a page may not be followed by anything: a part reads n. Here only what it leaves. */
static void parts(void **state)
{
    (void)state;
    FUNCTION(move_fn, part, "load_part");
    FUNCTION(move_fn, move, "move_f32");
    FUNCTION(index_fn, range, "range");
    FUNCTION(any_fn, any, "any");
    float a[LANES], out[LANES];
    for (int l = 0; l < LANES; l++)
        a[l] = (float)(l + 1);
    for (int n = 0; n <= LANES; n++) {
        part(a, out, n);
        for (int l = 0; l < LANES; l++)
            assert_int_equal(met_bits_f32(out[l]), met_bits_f32(l < n ? a[l] : 0));
        for (int l = 0; l < LANES; l++)
            out[l] = -1;
        move(a, out, n);
        for (int l = 0; l < LANES; l++)
            assert_true(out[l] == (l < n ? a[l] : -1));
        for (int lo = -2; lo < 19; lo++) {
            range(lo, n, out);
            for (int l = 0; l < LANES; l++)
                assert_true(out[l] == (l >= lo && l < n));
        }
        assert_int_equal(any((float)n), n > 0);
    }
    range(-((int64_t)1 << 40), (int64_t)1 << 40, out);
    for (int l = 0; l < LANES; l++)
        assert_true(out[l] == 1);
}

static void indices(void **state)
{
    (void)state;
    FUNCTION(index_fn, iota, "iota");
    static const int64_t firsts[] = { 0, -5, 16777210, (int64_t)1 << 33, -((int64_t)3 << 40) };
    for (size_t k = 0; k < 5; k++)
        for (int64_t step = -3; step <= 3; step++) {
            float out[LANES];
            iota(firsts[k], step, out);
            for (int l = 0; l < LANES; l++)
                assert_true(out[l] == (float)(firsts[k] + step * l));
        }
}

/* Rows 70 bytes apart, and none of the bytes behind the last one. */
static void turned(void **state)
{
    (void)state;
    FUNCTION(turn_fn, turn, "turn");
    static unsigned char rows[15 * 70 + 64];
    uint32_t words[LANES * LANES];
    float values[LANES * LANES];
    for (size_t i = 0; i < sizeof rows; i++)
        rows[i] = (unsigned char)random_bits();
    turn(rows, 70, values, words);
    for (int i = 0; i < LANES; i++)
        for (int l = 0; l < LANES; l++) {
            uint32_t expected;
            memcpy(&expected, rows + l * 70 + i * 4, 4);
            assert_int_equal(words[i * LANES + l], expected);
            assert_memory_equal(&values[i * LANES + l], &expected, 4);
        }
}

static float dot_pair(float acc, uint32_t a, uint32_t b)
{
    for (int odd = 1; odd >= 0; odd--) {
        float x = met_value_f32(odd ? a & 0xffff0000 : a << 16), y = met_value_f32(odd ? b & 0xffff0000 : b << 16);
        acc = met_flush_fma(x, y, acc, MET_FLUSH_BOTH);
    }
    return acc;
}

static void pairs(void **state)
{
    (void)state;
    FUNCTION(dot_fn, dot, "dot_pairs");
    FUNCTION(parts_fn, parts_of, "pairs_parts");
    for (int round = 0; round < 4 * ROUNDS; round++) {
        float acc[LANES], b[LANES], c[LANES], out[LANES], value[LANES], even[LANES], odd[LANES];
        uint32_t x[LANES], y[LANES];
        uint16_t low[LANES], high[LANES];
        operands(round, acc, b, c);
        for (int l = 0; l < LANES; l++) {
            /* exponents near the middle, so that results meet the subnormals now and then */
            x[l] = (random_bits() & 0x9fff9fff) + (round & 1 ? 0 : 0x10001000);
            y[l] = (random_bits() & 0x9fff9fff) + (round & 2 ? 0 : 0x20002000);
            if (round % 7 == 0)
                x[l] = met_bits_f32(c[l]) >> 16 | (met_bits_f32(b[l]) & 0xffff0000);
            low[l] = (uint16_t)x[l];
            high[l] = (uint16_t)(x[l] >> 16);
        }
        dot(acc, x, y, out, value);
        parts_of(low, high, even, odd);
        for (int l = 0; l < LANES; l++) {
            uint32_t expected = any_nan(dot_pair(acc[l], x[l], y[l]));
            assert_int_equal(any_nan(value[l]), expected);
            if (any_nan(out[l]) != expected)
                fail_msg("%s: %a + %08x · %08x = %08x, not %08x", class->name, (double)acc[l], x[l], y[l],
                         any_nan(out[l]), expected);
            assert_int_equal(met_bits_f32(even[l]), x[l] << 16);
            assert_int_equal(met_bits_f32(odd[l]), x[l] & 0xffff0000);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lane_by_lane), cmocka_unit_test(folds),   cmocka_unit_test(scaling_rounds_once),
    cmocka_unit_test(functions_dense), cmocka_unit_test(canonical), cmocka_unit_test(stores),
    cmocka_unit_test(loads),        cmocka_unit_test(parts),   cmocka_unit_test(indices),
    cmocka_unit_test(turned),   cmocka_unit_test(pairs),
};

static int compile_class(void **state)
{
    (void)state;
    static char flags[256];
    const char *const texts[] = { class->text, "\n#include \"" MET_TEST_DATA_DIR "/lanes.c\"\n", NULL };
    snprintf(flags, sizeof flags, "%s %s", class->flags, with_more ? class->more_flags : "");
    loaded = met_test_compile(flags, texts);
    return loaded ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    return dlclose(loaded);
}

/* The tests of a class, with the instructions that make it faster and without. */
static int run_class(const met_class *which)
{
    int failed = 0;
    class = which;
    if (!met_test_cpu_has(class->features)) {
        printf("%s: not on this CPU, skipped\n", class->name);
        return 0;
    }
    for (int more = 0; more <= (*class->more_flags && met_test_cpu_has(class->more_features)); more++) {
        with_more = more;
        failed += cmocka_run_group_tests_name(class->name, tests, compile_class, unload);
    }
    return failed;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < met_class_count; i++)
        failed += run_class(&met_class_table[i]);
    return failed;
}
