/* The x86 bf16 dot product: its emulation (number/dot_pair.h) against the instruction, where the processor has it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "number/dot_pair.h"
#include "support/random.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAS_CODE 1
#else
#define HAS_CODE 0
#endif

enum { LANES = 16, ROUNDS = 100000 };

/* A lane's operands: a and b hold the odd element above the even one. */
typedef struct batch {
    uint32_t a[LANES], b[LANES], acc[LANES];
} batch;

#if HAS_CODE
/* Alone in its function, so that the control register is as it was set when it runs. */
__attribute__((target("avx512f,avx512bf16"), noinline)) static void hardware(const batch *in, unsigned control, uint32_t *result)
{
    unsigned before = _mm_getcsr();
    __m512i x = _mm512_loadu_si512(in->a), y = _mm512_loadu_si512(in->b);
    __m512 acc = _mm512_loadu_ps((const float *)in->acc);
    __m512bh p, q;
    memcpy(&p, &x, sizeof p);
    memcpy(&q, &y, sizeof q);
    _mm_setcsr(control);
    __m512 sum = _mm512_dpbf16_ps(acc, p, q);
    _mm512_storeu_ps((float *)result, sum);
    _mm_setcsr(before);
}

static float value_of(uint32_t word, int element)
{
    return met_value_f32(element ? word & 0xffff0000u : word << 16);
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static void expect(const batch *in, unsigned control)
{
    uint32_t want[LANES];
    hardware(in, control, want);
    for (int l = 0; l < LANES; l++) {
        const float a[2] = { value_of(in->a[l], 0), value_of(in->a[l], 1) }, b[2] = { value_of(in->b[l], 0), value_of(in->b[l], 1) };
        uint32_t got = met_bits_f32(met_dot_pair(met_value_f32(in->acc[l]), a, b));
        if (got != want[l] && !(is_nan(got) && is_nan(want[l])))
            fail_msg("%08x %08x + %08x: %08x, and the instruction gives %08x (control %04x)", in->a[l], in->b[l], in->acc[l], got, want[l], control);
    }
}

/* --- Operands --- */

/* A bf16 number around 2^exponent, at times at the very ends of the format. */
static uint32_t number(random_source *r, int exponent)
{
    static const uint32_t ends[] = { 0, 0x8000, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x7f80, 0xff80, 0x7f7f, 0xff7f, 0x7fc0, 0x3f80 };
    if (random_below(r, 16) == 0)
        return ends[random_below(r, sizeof ends / sizeof *ends)];
    int biased = exponent + 127 + (int)random_below(r, 7) - 3;
    biased = biased < 0 ? 0 : biased > 254 ? 254 : biased;
    return (uint32_t)biased << 7 | ((uint32_t)random_next(r) & 0x807f);
}

/* An accumulator that nearly cancels the odd product, so that the even one and the last bits decide. */
static uint32_t against(random_source *r, uint32_t a, uint32_t b)
{
    uint32_t bits = met_bits_f32(-(value_of(a, 1) * value_of(b, 1)));
    return bits + random_below(r, 9) - 4;
}

/* Products near 2^center, accumulators near them. */
static void fill(random_source *r, batch *in)
{
    static const int centers[] = { 0, 0, -126, -124, -128, -149, -100, 126, 127 };
    for (int l = 0; l < LANES; l++) {
        int center = centers[random_below(r, sizeof centers / sizeof *centers)];
        int half = center / 2 + (int)random_below(r, 41) - 20;
        in->a[l] = number(r, half) << 16 | number(r, half);
        in->b[l] = number(r, center - half) << 16 | number(r, center - half);
        bool cancels = random_below(r, 2) == 0;
        in->acc[l] = cancels ? against(r, in->a[l], in->b[l]) : number(r, center) << 16 | ((uint32_t)random_next(r) & 0xffff);
    }
}
#endif

/* Nearest even with subnormals kept, as C starts; toward zero, up and down; with flushing. */
static void is_the_instruction(void **state)
{
    (void)state;
#if HAS_CODE
    static const unsigned controls[] = { 0x1f80, 0x7f80, 0x5f80, 0x3f80, 0x9fc0 };
    if (!__builtin_cpu_supports("avx512bf16")) {
        print_message("this processor has no bf16 dot product\n");
        skip();
    }
    random_source r = { 5 };
    for (int i = 0; i < ROUNDS; i++) {
        batch in;
        fill(&r, &in);
        expect(&in, controls[i % (int)(sizeof controls / sizeof *controls)]);
    }
#else
    print_message("no code for this instruction\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(is_the_instruction) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
