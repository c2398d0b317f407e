/* Contractions and packing of every class that this CPU has, against loops of fmaf in order, bit for bit: sizes that fit
 * no tile, operands in place, rows with parts of their own, and special values. */
#include "unit/contractions.h"

typedef struct range {
    int64_t lo, hi;
} range;
typedef void (*contract_fn)(const int64_t *n, const float *a, const float *b, float *c, const range *ranges);
typedef void (*panels_fn)(int format, float *to, const void *from, const int64_t *n);
typedef void (*rows_fn)(int format, float *to, const void *from, const int64_t *at, const int64_t *n);

typedef struct problem {
    int64_t rows, lanes, depth, a_row, c_row;
    bool fresh, in_place;
    float *a, *b, *packed, *c, *before; /* b row-major, depth x lanes */
} problem;

static problem new_problem(int64_t rows, int64_t lanes, int64_t depth, bool special)
{
    problem p = { rows, lanes, depth, depth + 3, whole(lanes) + 16, random_below(&source, 2), false, 0, 0, 0, 0, 0 };
    p.in_place = lanes % MET_LANES == 0 && random_below(&source, 2);
    p.a = values((size_t)(rows * p.a_row), special);
    p.b = values((size_t)(depth * lanes), special);
    p.c = values((size_t)(rows * p.c_row), special);
    uint64_t floats;
    assert_true(met_packed_floats(class, (uint64_t)depth, (uint64_t)lanes, &floats));
    p.packed = values(floats, false);
    p.before = malloc((size_t)(rows * p.c_row + 1) * sizeof *p.before);
    memcpy(p.before, p.c, (size_t)(rows * p.c_row) * sizeof *p.before);
    panels_fn panels;
    symbol("panels", &panels);
    const int64_t n[] = { class->tile_lanes * depth, lanes, 1, depth, lanes };
    panels(0, p.packed, p.b, n);
    return p;
}

static void run_problem(const problem *p, const char *name, const range *ranges)
{
    contract_fn contract;
    symbol(name, &contract);
    int64_t lanes = class->tile_lanes;
    const int64_t n[] = { p->rows, p->lanes, p->depth, p->a_row, p->in_place ? p->lanes : lanes,
                          p->in_place ? lanes : lanes * p->depth, p->c_row, p->fresh };
    contract(n, p->a, p->in_place ? p->b : p->packed, p->c, ranges);
}

/* Checks lanes [lo, hi) of a row whose terms are k in `part`. */
static void expect_row(const problem *p, int64_t r, int64_t lo, int64_t hi, range part, bool fresh)
{
    for (int64_t l = lo; l < hi; l++) {
        float sum = fresh ? 0 : p->before[r * p->c_row + l];
        for (int64_t k = part.lo; k < part.hi; k++)
            sum = fmaf(p->a[r * p->a_row + k], p->b[k * p->lanes + l], sum);
        if (any_nan(sum) != any_nan(p->c[r * p->c_row + l]))
            fail_msg("%s: %d x %d x %d, row %d, lane %d: %a, not %a", class->name, (int)p->rows, (int)p->lanes,
                     (int)p->depth, (int)r, (int)l, (double)p->c[r * p->c_row + l], (double)sum);
    }
    for (int64_t l = whole(p->lanes); l < p->c_row; l++) /* the next one's */
        assert_int_equal(met_bits_f32(p->c[r * p->c_row + l]), met_bits_f32(p->before[r * p->c_row + l]));
}

static void free_problem(problem *p)
{
    free(p->a);
    free(p->b);
    free(p->c);
    free(p->packed);
    free(p->before);
}

static void whole_contractions(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
        const int64_t *n = sizes[i / 4];
        problem p = new_problem(n[0], n[1], n[2], i % 2);
        run_problem(&p, "contract", NULL);
        for (int64_t r = 0; r < p.rows; r++)
            expect_row(&p, r, 0, p.lanes, (range){ 0, p.depth }, p.fresh);
        free_problem(&p);
    }
}

/* Ranges as guards make them: growing with the row, shrinking, at random, empty. */
static range random_range(int64_t row, int64_t limit, unsigned kind)
{
    int64_t lo = random_below(&source, (unsigned)limit + 1), hi = random_below(&source, (unsigned)limit + 1);
    switch (kind) {
    case 0: return (range){ 0, row * 3 < limit ? row * 3 : limit };
    case 1: return (range){ row < limit ? row : limit, limit };
    case 2: return (range){ row < limit ? row : limit, row + 9 < limit ? row + 9 : limit };
    default: return (range){ lo, hi };
    }
}

static void live_lanes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        problem p = new_problem(1 + random_below(&source, 30), 1 + random_below(&source, 300), 20, i % 2);
        range live[30];
        for (int64_t r = 0; r < p.rows; r++)
            live[r] = random_range(r, p.lanes, i % 4);
        run_problem(&p, "contract", live);
        for (int64_t r = 0; r < p.rows; r++)
            expect_row(&p, r, live[r].lo, live[r].hi, (range){ 0, p.depth }, p.fresh);
        free_problem(&p);
    }
}

static void parts_of_k(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 64; i++) {
        problem p = new_problem(1 + random_below(&source, 30), 1 + random_below(&source, 150),
                                i % 8 ? 1 + random_below(&source, 100) : 1200, i % 2);
        range parts[30];
        for (int64_t r = 0; r < p.rows; r++)
            parts[r] = random_range(r, p.depth, i % 4);
        run_problem(&p, "contract_parts", parts);
        for (int64_t r = 0; r < p.rows; r++)
            expect_row(&p, r, 0, p.lanes, parts[r], false);
        free_problem(&p);
    }
}

static void packed_panels(void **state)
{
    (void)state;
    panels_fn panels;
    symbol("panels", &panels);
    static const int64_t cases[][2] = { { 1, 1 }, { 16, 16 }, { 64, 64 }, { 100, 33 }, { 70, 15 }, { 17, 80 }, { 33, 1 } };
    for (size_t i = 0; i < 9 * sizeof cases / sizeof *cases; i++) {
        int format = (int)i % 3, order = (int)i / 3 % 3;
        int64_t lanes = cases[i / 9][0], depth = cases[i / 9][1], tile = class->tile_lanes;
        int64_t k_step = order == 0 ? lanes + 2 : order == 1 ? 1 : 3;
        int64_t l_step = order == 0 ? 1 : order == 1 ? depth + 5 : 3 * depth;
        size_t count = (size_t)((depth - 1) * k_step + (lanes - 1) * l_step + 1);
        float *meant = malloc(count * sizeof *meant);
        void *from = encoded(format, count, meant); /* exactly as long as it may be read */
        uint64_t floats;
        assert_true(met_packed_floats(class, (uint64_t)depth, (uint64_t)lanes, &floats));
        float *to = values(floats, false);
        const int64_t n[] = { tile * depth, k_step, l_step, depth, lanes };
        panels(format, to, from, n);
        for (int64_t l = 0; l < whole(lanes); l++)
            for (int64_t k = 0; k < depth; k++) {
                float expected = l < lanes ? meant[k * k_step + l * l_step] : 0;
                assert_int_equal(any_nan(to[l / tile * tile * depth + k * tile + l % tile]), any_nan(expected));
            }
        free(meant);
        free(from);
        free(to);
    }
}

static void packed_rows(void **state)
{
    (void)state;
    rows_fn rows;
    symbol("rows", &rows);
    for (int i = 0; i < 60; i++) {
        int format = i % 3;
        int64_t count = 1 + i % 7, depth = 1 + random_below(&source, 60), k_step = i % 2 ? 1 : 2, at[7];
        int64_t length = depth * k_step + 100;
        float *meant = malloc((size_t)length * sizeof *meant), to[7 * 64];
        void *from = encoded(format, (size_t)length, meant);
        for (int64_t r = 0; r < count; r++)
            at[r] = random_below(&source, 100);
        for (int k = 0; k < 7 * 64; k++)
            to[k] = -3;
        const int64_t n[] = { 64, k_step, count, depth };
        rows(format, to, from, at, n);
        for (int64_t r = 0; r < 7; r++)
            for (int64_t k = 0; k < 64; k++) {
                bool inside = r < count && k < depth;
                assert_int_equal(any_nan(to[r * 64 + k]), any_nan(inside ? meant[at[r] + k * k_step] : -3));
            }
        free(meant);
        free(from);
    }
}

typedef void (*from_fn)(int format, const int64_t *n, const float *a, const void *b, float *c, const range *live,
                        const range *parts);

/* The lane operand as it lies: rows far apart or near, k or lanes next to each other, floats or bf16. */
static void packed_on_the_way(void **state)
{
    (void)state;
    from_fn contract;
    symbol("contract_from", &contract);
    for (unsigned i = 0; i < 96; i++) {
        int64_t rows = 1 + random_below(&source, 30), depth = i % 16 ? 1 + random_below(&source, 90) : 1030;
        int64_t lanes = i % 3 ? 16 * (1 + random_below(&source, 12)) : 1 + random_below(&source, 200);
        bool turned = i % 4 == 3, bf16 = i % 5 == 4;
        int64_t k_step = turned ? 1 : lanes + (i % 7) * 100, l_step = turned ? depth : 1;
        size_t count = (size_t)((depth - 1) * k_step + (lanes - 1) * l_step + 1);
        float *meant = malloc(count * sizeof *meant);
        void *from = encoded(bf16, count, meant);
        problem p = new_problem(rows, lanes, depth, i % 2);
        for (int64_t k = 0; k < depth; k++)
            for (int64_t l = 0; l < lanes; l++)
                p.b[k * lanes + l] = meant[k * k_step + l * l_step];
        range live[30], parts[30];
        unsigned kind = i % 6;
        p.fresh = p.fresh && kind != 1;
        for (int64_t r = 0; r < rows; r++) {
            live[r] = kind == 0 ? random_range(r, lanes, i / 6 % 4) : (range){ 0, lanes };
            parts[r] = kind == 1 ? random_range(r, depth, i / 6 % 4) : (range){ 0, depth };
        }
        const int64_t n[] = { rows, lanes, depth, p.a_row, k_step, l_step, p.c_row, p.fresh };
        contract(bf16, n, p.a, from, p.c, kind == 0 ? live : NULL, kind == 1 ? parts : NULL);
        for (int64_t r = 0; r < rows; r++)
            expect_row(&p, r, live[r].lo, live[r].hi, parts[r], p.fresh);
        free_problem(&p);
        free(meant);
        free(from);
    }
}

static void counting(void **state)
{
    (void)state;
    uint64_t floats;
    assert_true(met_packed_floats(class, 10, class->tile_lanes + 1, &floats));
    assert_int_equal(floats, 20 * class->tile_lanes);
    assert_false(met_packed_floats(class, UINT64_MAX / 8, 1, &floats) && class->tile_lanes > 8);
    assert_false(met_packed_floats(class, 1, UINT64_MAX, &floats));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(whole_contractions), cmocka_unit_test(live_lanes),  cmocka_unit_test(parts_of_k),
    cmocka_unit_test(packed_panels),      cmocka_unit_test(packed_rows), cmocka_unit_test(packed_on_the_way),
    cmocka_unit_test(counting),
};

int main(void)
{
    return run_classes(tests, sizeof tests / sizeof *tests);
}
