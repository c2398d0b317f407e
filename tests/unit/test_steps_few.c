/* Units that keep two or three bits: a product and the same number as a partial result, beside one other product. All there are of
 * small formats are run, up to what a power of two does to both: the comparison says different if one run differs, and same if none
 * does; it leaves nothing open for wider formats. */
#include <math.h>

#include "cases.h"

#include "number/tree_compare.h"

#include "on_arena.h"

/* Products of two numbers with p bits, as whole numbers of 2p − 1 or 2p bits. */
static uint32_t products_of(int p, double *ret_products)
{
    uint32_t count = 0, least = 1u << (p - 1);
    for (uint32_t x = least; x < 2 * least; x++) {
        for (uint32_t y = x; y < 2 * least; y++) {
            double product = (double)(x * y);
            uint32_t i = 0;
            while (i < count && ret_products[i] != product) {
                i++;
            }
            ret_products[count] = product;
            count += i == count;
        }
    }
    return count;
}

/* The two factors of a product, the first from 1 to 2 and the second to be scaled. */
static void factors_of(int p, double product, double *ret_a, double *ret_b)
{
    double one = ldexp(1, p - 1);
    for (double x = one; x < 2 * one; x++) {
        if (fmod(product, x) == 0 && product / x >= one && product / x < 2 * one) {
            *ret_a = x / one;
            *ret_b = product / x / one;
            return;
        }
    }
    fail();
}

/* Both ways of one node: b as a product, and as an accumulator. */
static bool differs(const met_matrix_unit *unit, int p, double b, double c, int down)
{
    double a[2], with[2];
    factors_of(p, b, &a[0], &with[0]);
    factors_of(p, fabs(c), &a[1], &with[1]);
    with[1] = ldexp(c < 0 ? -with[1] : with[1], -down);
    float one = met_matrix_node(unit, 2, a, with, 0), other = met_matrix_node(unit, 1, a + 1, with + 1, (float)(a[0] * with[0]));
    return met_bits_f32(one) != met_bits_f32(other);
}

static bool some_differ(const met_matrix_unit *unit, int p)
{
    double products[64];
    uint32_t count = products_of(p, products);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            for (int down = -2; down <= unit->fraction + 3; down++) { /* a larger c has the exponent, a smaller one is cut to nothing */
                if (differs(unit, p, products[i], products[k], down) || differs(unit, p, products[i], -products[k], down)) {
                    return true;
                }
            }
        }
    }
    return false;
}

static met_comparison compared(met_dtype dtype, const met_matrix_unit *unit)
{
    met_tree a, b;
    assert_true(met_tree_read(arena, met_str_of("(0 (1 2)), matrix 4 F9 rz keep 1"), MET_F32, NULL, &a, NULL));
    assert_true(met_tree_read(arena, met_str_of("(0 (2! 1)), matrix 4 F9 rz keep 1"), MET_F32, NULL, &b, NULL));
    a.unit = b.unit = *unit;
    return met_tree_compare_operands(arena, &a, &b, 3, (met_operands){.dtype = dtype});
}

static void small_formats_are_exhausted(void **state)
{
    static const struct {
        met_dtype dtype;
        int bits;
    } formats[] = {{MET_E5M2, 3}, {MET_E4M3, 4}};
    int same = 0;
    (void)state;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        for (int fraction = 1; fraction <= 4 * formats[f].bits; fraction++) {
            for (int keep = 1; keep <= 2; keep++) {
                met_matrix_unit unit = {.width = 4, .fraction = (uint8_t)fraction, .final = MET_RZ, .keep = (uint8_t)keep, .late = true};
                met_verdict want = some_differ(&unit, formats[f].bits) ? MET_VERDICT_DIFFERENT : MET_VERDICT_SAME;
                if (compared(formats[f].dtype, &unit).verdict != want) {
                    fail_msg("%d bits, F %d, keep %d", formats[f].bits, fraction, keep);
                }
                same += want == MET_VERDICT_SAME;
            }
        }
    }
    assert_int_equal(same, 17); /* from F 9 on of e5m2, from F 12 on of e4m3, but for F 12 and three bits */
}

static void wider_formats_are_decided(void **state)
{
    static const struct {
        met_dtype dtype;
        int fraction, keep;
        met_verdict verdict;
    } cases[] = {
        {MET_F16, 19, 1, MET_VERDICT_DIFFERENT}, {MET_F16, 20, 2, MET_VERDICT_DIFFERENT}, {MET_F16, 34, 1, MET_VERDICT_DIFFERENT},
        {MET_F16, 38, 1, MET_VERDICT_SAME},      {MET_F16, 38, 2, MET_VERDICT_DIFFERENT}, {MET_F16, 40, 2, MET_VERDICT_SAME},
        {MET_F16, 43, 2, MET_VERDICT_SAME},      {MET_BF16, 24, 2, MET_VERDICT_DIFFERENT},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        met_matrix_unit unit = {.width = 4, .fraction = (uint8_t)cases[i].fraction, .final = MET_RZ, .keep = (uint8_t)cases[i].keep, .late = true};
        if (compared(cases[i].dtype, &unit).verdict != cases[i].verdict) {
            fail_msg("case %zu", i);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_formats_are_exhausted),
        cmocka_unit_test(wider_formats_are_decided),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
