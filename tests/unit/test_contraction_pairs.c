/* Contractions of packed bf16, by both numerics points, against loops of fmaf and of the bf16 dot product. */
#include "number/dot_pair.h"
#include "unit/contractions.h"

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

static const struct CMUnitTest tests[] = { cmocka_unit_test(pairs_of_bf16) };

int main(void)
{
    return run_classes(tests, sizeof tests / sizeof *tests);
}
