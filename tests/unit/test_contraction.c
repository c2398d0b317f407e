/* Contractions and packing of every class that this CPU has, against loops of fmaf in order, bit for bit: sizes that fit no
 * tile, operands in place, rows with parts of their own, and special values. */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/session.h"
#include "number/dot_pair.h"
#include "number/encode.h"
#include "realize/contraction.h"
#include "support/compile.h"
#include "support/random.h"

typedef struct range {
    int64_t lo, hi;
} range;
typedef void (*contract_fn)(const int64_t *n, const float *a, const float *b, float *c, const range *ranges);
typedef void (*panels_fn)(int format, float *to, const void *from, const int64_t *n);
typedef void (*rows_fn)(int format, float *to, const void *from, const int64_t *at, const int64_t *n);

static const met_class *class; /* of the running test */
static bool with_more;
static void *loaded;
static random_source source = { 1 };

static void symbol(const char *name, void *ret_function)
{
    void *found = dlsym(loaded, name);
    if (!found)
        fail_msg("%s: %s", class->name, dlerror());
    memcpy(ret_function, &found, sizeof found);
}

/* Mostly numbers of ordinary size, now and then a special one. */
static float random_value(bool special)
{
    static const float specials[] = { 0.0f, -0.0f, INFINITY, -INFINITY, NAN, 0x1p-149f, -0x1.8p-130f, 0x1.fffffep127f };
    if (special && random_below(&source, 40) == 0)
        return specials[random_below(&source, 8)];
    return (float)((double)(int32_t)random_next(&source) * 0x1p-30);
}

static uint32_t any_nan(float x)
{
    return x != x ? 0x7fc00000 : met_bits_f32(x);
}

static float *values(size_t count, bool special)
{
    float *p = malloc((count + 1) * sizeof *p);
    for (size_t i = 0; i < count; i++)
        p[i] = random_value(special);
    return p;
}

static int64_t whole(int64_t lanes)
{
    return (lanes + MET_LANES - 1) / MET_LANES * MET_LANES;
}

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

static const int64_t sizes[][3] = {
    { 1, 1, 1 },     { 1, 64, 7 },   { 2, 16, 100 }, { 3, 17, 33 },  { 4, 63, 5 },     { 5, 64, 64 },  { 6, 65, 1 },
    { 7, 48, 31 },   { 8, 128, 20 }, { 13, 80, 17 }, { 17, 100, 3 }, { 12, 130, 600 }, { 1, 200, 1100 }, { 23, 33, 512 },
    { 9, 64, 513 },  { 6, 16, 0 },
};

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

static const met_dtype formats[] = { MET_F32, MET_BF16, MET_F16 };

/* Bytes of `count` random values in a format, as the numbers that they stand for in `ret_values`. */
static void *encoded(int format, size_t count, float *ret_values)
{
    uint32_t *words = malloc(count * 4);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = met_encode(formats[format], (double)random_value(true), MET_RNE, MET_OVERFLOW_INF);
        ret_values[i] = (float)met_decode(formats[format], bits);
        if (format == 0)
            words[i] = (uint32_t)bits;
        else
            memcpy((char *)words + 2 * i, &(uint16_t){ (uint16_t)bits }, 2);
    }
    return words;
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
        int64_t k_step = order == 0 ? lanes + 2 : order == 1 ? 1 : 3, l_step = order == 0 ? 1 : order == 1 ? depth + 5 : 3 * depth;
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

typedef void (*pairs_fn)(int dot, const int64_t *n, const void *a, const uint32_t *b, float *c);
typedef void (*pairs_b_fn)(uint32_t *to, const uint16_t *from, const int64_t *n);
typedef void (*pairs_a_fn)(uint32_t *to, const uint16_t *bf16, const float *floats, const int64_t *at, const int64_t *n);

/* The bf16 operands of a contraction: row-major a, and b in the order of `order` (0: lanes, 1: k next to each other). */
typedef struct narrow {
    int64_t rows, lanes, depth, k_step, l_step, words; /* words of a row */
    float *a, *b, *c, *before;
    uint16_t *bf16_a, *bf16_b;
    uint32_t *words_a, *words_b;
} narrow;

static narrow new_narrow(const int64_t n[3], int order)
{
    narrow p = { .rows = n[0], .lanes = n[1], .depth = n[2], .k_step = order == 0 ? n[1] : order == 1 ? 1 : 2,
                 .l_step = order == 0 ? 1 : order == 1 ? n[2] : 2 * n[2], .words = (n[2] + 1) / 2 + 1 };
    size_t a_count = (size_t)(n[0] * n[2]), b_count = (size_t)((n[2] - 1) * p.k_step + (n[1] - 1) * p.l_step + 1);
    uint64_t words;
    assert_true(met_packed_words(class, (uint64_t)n[2], (uint64_t)n[1], &words));
    p.a = malloc(a_count * sizeof *p.a);
    p.b = malloc(b_count * sizeof *p.b);
    p.bf16_a = encoded(1, a_count, p.a);
    p.bf16_b = encoded(1, b_count, p.b);
    p.words_a = malloc((size_t)(p.rows * p.words) * sizeof *p.words_a);
    p.words_b = malloc((size_t)words * sizeof *p.words_b);
    p.c = values((size_t)(n[0] * whole(n[1])), true);
    p.before = malloc((size_t)(n[0] * whole(n[1])) * sizeof *p.before);
    memcpy(p.before, p.c, (size_t)(n[0] * whole(n[1])) * sizeof *p.before);
    return p;
}

static void free_narrow(narrow *p)
{
    free(p->a), free(p->b), free(p->c), free(p->before);
    free(p->bf16_a), free(p->bf16_b), free(p->words_a), free(p->words_b);
}

static void pack_narrow(const narrow *p, bool of_floats)
{
    pairs_b_fn pack_b;
    pairs_a_fn pack_a;
    symbol("pairs_of_b", &pack_b);
    symbol("pairs_of_a", &pack_a);
    const int64_t b[] = { class->tile_lanes * ((p->depth + 1) / 2), p->k_step, p->l_step, p->depth, p->lanes };
    pack_b(p->words_b, p->bf16_b, b);
    int64_t *at = malloc((size_t)p->rows * sizeof *at);
    for (int64_t r = 0; r < p->rows; r++)
        at[r] = r * p->depth;
    const int64_t a[] = { p->words, of_floats ? p->depth : 1, p->rows, p->depth };
    pack_a(p->words_a, of_floats ? NULL : p->bf16_a, p->a, at, a);
    free(at);
}

static float narrow_term(const narrow *p, bool dot, int64_t r, int64_t l, int64_t k, float sum)
{
    const float *a = p->a + r * p->depth + k, *b = p->b + l * p->l_step + k * p->k_step;
    bool last = k + 1 == p->depth;
    float a_odd = last ? 0 : a[1], b_odd = last ? 0 : b[p->k_step];
    if (dot)
        return met_dot_pair(sum, (float[]){ a[0], a_odd }, (float[]){ b[0], b_odd });
    sum = fmaf(a[0], b[0], sum);
    return last ? sum : fmaf(a_odd, b_odd, sum);
}

static void pairs_of_bf16(void **state)
{
    (void)state;
    pairs_fn contract;
    symbol("contract_pairs", &contract);
    for (size_t i = 0; i < 6 * (sizeof sizes / sizeof *sizes - 1); i++) {
        bool dot = i % 2, fresh = random_below(&source, 2);
        narrow p = new_narrow(sizes[i / 6], (int)(i / 2 % 3));
        pack_narrow(&p, random_below(&source, 2));
        const int64_t n[] = { p.rows, p.lanes, p.depth, dot ? p.words : p.depth,
                              class->tile_lanes * ((p.depth + 1) / 2), whole(p.lanes), fresh };
        contract(dot, n, dot ? (const void *)p.words_a : p.a, p.words_b, p.c);
        for (int64_t r = 0; r < p.rows; r++)
            for (int64_t l = 0; l < p.lanes; l++) {
                float sum = fresh ? 0 : p.before[r * whole(p.lanes) + l];
                for (int64_t k = 0; k < p.depth; k += 2)
                    sum = narrow_term(&p, dot, r, l, k, sum);
                if (any_nan(sum) != any_nan(p.c[r * whole(p.lanes) + l]))
                    fail_msg("%s: %d x %d x %d, dot %d, row %d, lane %d: %a, not %a", class->name, (int)p.rows,
                             (int)p.lanes, (int)p.depth, dot, (int)r, (int)l,
                             (double)p.c[r * whole(p.lanes) + l], (double)sum);
            }
        free_narrow(&p);
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

static int compile_class(void **state)
{
    (void)state;
    static char flags[256];
    met_session *session = met_session_new();
    met_text text = met_text_new(session->arena);
    met_contraction_text(&text, class, true);
    const char *const texts[] = { class->text, met_text_done(&text),
                                  "\n#include \"" MET_TEST_DATA_DIR "/contraction.c\"\n", NULL };
    snprintf(flags, sizeof flags, "%s %s", class->flags, with_more ? class->more_flags : "");
    loaded = met_test_compile(flags, texts);
    met_session_free(session);
    return loaded ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    return dlclose(loaded);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(whole_contractions), cmocka_unit_test(live_lanes),  cmocka_unit_test(parts_of_k),
    cmocka_unit_test(packed_panels),      cmocka_unit_test(packed_rows), cmocka_unit_test(packed_on_the_way),
    cmocka_unit_test(counting),
    cmocka_unit_test(pairs_of_bf16),
};

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < met_class_count; i++) {
        class = &met_class_table[i];
        with_more = *class->more_flags && met_test_cpu_has(class->more_features);
        if (met_test_cpu_has(class->features))
            failed += cmocka_run_group_tests_name(class->name, tests, compile_class, unload);
        else
            printf("%s: not on this CPU, skipped\n", class->name);
    }
    return failed;
}
