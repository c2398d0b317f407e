/* Witnesses of records that differ in how they rescale. */
#include "number/function.h"
#include "number/mix.h"
#include "number/online.h"
#include "number/witness.h"

enum { RESCALED = 1 << 19 /* terms of all tries together */ };

typedef struct rescaling {
    uint64_t n, random;
    double *a, *b;
} rescaling;

static uint64_t below(rescaling *s, uint64_t n)
{
    return (met_mix_next(&s->random) >> 11) % n;
}

static double rescaled(const met_tree *tree, uint64_t n, const double *a, const double *b)
{
    met_online_rule rule = {*tree, *tree, met_expp, MET_F32};
    uint64_t slice = tree->rescale == MET_RESCALE_FLOAT ? tree->slice : n;
    double base, sum, mix;
    met_arena *scratch = met_arena_new();
    rule.sum.rescale = rule.mix.rescale = MET_RESCALE_FLOAT;
    rule.sum.slice = rule.mix.slice = slice;
    met_online *online = met_online_new(scratch, &rule, n, 1);
    for (uint64_t i = 0; i < n; i += slice) {
        met_online_slice(online, n - i < slice ? n - i : slice, a + i, NULL, NULL, b + i);
    }
    met_online_end(online, &base, &sum, &mix);
    met_arena_free(scratch);
    return mix;
}

/* Growing bases, so that they move in every slice. */
static void fill_rescaled(rescaling *s)
{
    for (uint64_t i = 0; i < s->n; i++) {
        s->a[i] = (double)(float)(((double)i / (double)s->n + ldexp((double)(met_mix_next(&s->random) >> 11), -55)) * 4);
        s->b[i] = (double)(float)(ldexp(1 + ldexp((double)(met_mix_next(&s->random) >> 11), -53), (int)below(s, 7) - 3));
    }
}

/* One value whose weighted one is next to a number of few bits, so that a coarse store shows its last bit. */
static void fill_one(rescaling *s, uint64_t leaf)
{
    double largest = s->a[0], target = 1 + ldexp((double)below(s, 256), -7 - (int)below(s, 13));
    for (uint64_t i = 0; i < s->n; i++) {
        largest = s->a[i] > largest ? s->a[i] : largest;
        s->b[i] = 0;
    }
    s->b[leaf] = (double)(float)(target / (double)met_expp((float)(s->a[leaf] - largest)) * (1 + ((double)below(s, 7) - 3) * 0x1p-24));
}

/* One value that sinks to −0 once it is weighted, among others that are −0. */
static void fill_sunk(rescaling *s, uint64_t leaf)
{
    for (uint64_t i = 0; i < s->n; i++) {
        s->a[i] = (double)(float)((double)i * (double)(40 + below(s, 60)));
        s->b[i] = -0.0;
    }
    s->b[leaf] = -ldexp(1, -20 - (int)below(s, 120));
}

bool met_witness_find_rescaled(met_arena *arena, const met_tree *x, const met_tree *y, uint64_t n, met_witness_run *ret_run)
{
    rescaling s = {n, 1, MET_NEW_ARRAY(arena, double, n), MET_NEW_ARRAY(arena, double, n)};
    uint64_t rounds = RESCALED / n < 64 ? 64 : RESCALED / n;
    for (uint64_t round = 0; round < rounds; round++) {
        fill_rescaled(&s);
        if (round % 2) {
            fill_one(&s, below(&s, n));
        } else if (round % 8 == 6) {
            fill_sunk(&s, below(&s, n));
        }
        *ret_run = (met_witness_run){.count = n, .a = s.a, .b = s.b};
        ret_run->result_a = rescaled(x, n, s.a, s.b);
        ret_run->result_b = rescaled(y, n, s.a, s.b);
        double p = ret_run->result_a, q = ret_run->result_b;
        if (met_bits_f64(p) != met_bits_f64(q) && (p == p || q == q)) {
            return true;
        }
    }
    return false;
}
