/* Pairs of random records and what is demanded of their comparison: no pair is left undecided; different ones come with an
 * input, which is run again here; what is called the same is attacked with inputs of other kinds. */
#ifndef MET_TEST_RECORD_PAIRS_H
#define MET_TEST_RECORD_PAIRS_H

#include <stdio.h>

#include "number/fold.h"
#include "number/tree_compare.h"
#include "random_records.h"

typedef struct pair_counts {
    uint64_t same, different;
} pair_counts;

/* b is a with one field, or several, of another record. */
static inline met_tree random_change(random_source *r, const met_tree *a, const met_tree *other, uint32_t n)
{
    for (int attempt = 0; attempt < 20; attempt++) {
        met_tree b = *a;
        for (uint64_t changes = 1 + random_below(r, 2); changes > 0; changes--) {
            switch (random_below(r, 9)) {
            case 0:
                b.start = other->start;
                break;
            case 1:
                b.contraction = other->contraction;
                break;
            case 2:
                b.mode = other->mode;
                break;
            case 3:
                b.store = other->store;
                b.combine_f64 = other->combine_f64;
                break;
            case 4:
                b.flush = other->flush;
                break;
            case 5:
                b.combine = other->combine;
                b.tail_count = other->tail_count;
                memcpy(b.tails, other->tails, sizeof b.tails);
                break;
            case 6:
                b.unit = other->unit;
                b.node = other->node;
                break;
            case 7:
                b.rescale = other->rescale;
                b.slice = other->slice;
                break;
            default:
                b.level_count = other->level_count;
                memcpy(b.levels, other->levels, sizeof b.levels);
                b.written = other->written;
            }
        }
        if (met_tree_valid(&b) && met_tree_fits(&b, n)) {
            return b;
        }
    }
    return *other;
}

static inline double random_operand(random_source *r, met_dtype dtype, int kind)
{
    met_limits limits = met_dtype_limits(dtype);
    static const int spreads[] = {1, 4, 12, 40};
    double value = ldexp((double)(int64_t)random_next(r), -63), magnitude;
    switch (kind) {
    case 0:
        value *= limits.min_normal * 8;
        break;
    case 1:
        value *= limits.max;
        break;
    case 2:
        value *= sqrt(limits.min_normal) / 4;
        break;
    case 3:
        value = random_below(r, 3) ? copysign(1, value) : value < 0 ? -0.0 : 0.0;
        break;
    case 4:
        value *= sqrt(limits.max) * 2;
        break;
    default:
        value *= ldexp(1, -(int)random_below(r, (uint64_t)spreads[kind % 4]));
    }
    magnitude = fabs(met_round(dtype, value));
    return copysign(magnitude <= limits.max ? magnitude : limits.max, value);
}

/* Whether a term has no bits below 2^below, and is less than 2^128 (met_comparison); 0: any will do. */
static inline bool term_within(double term, int below)
{
    return below == 0 || (fabs(term) < 0x1p128 && nearbyint(ldexp(term, -below)) == ldexp(term, -below));
}

/* An input on which they differ, though they are said to be the same, on terms above `below` at least; or the text of what else
 * is wrong. */
static inline const char *same_fault(met_arena *arena, random_source *r, const met_tree *a, const met_tree *b, uint32_t n,
                                     met_operands operands, int inputs, int below)
{
    met_fold *x = met_fold_new(arena, a, MET_MONOID_ADD, n), *y = met_fold_new(arena, b, MET_MONOID_ADD, n);
    for (int k = 0; k < inputs; k++) {
        double last = 0;
        int kind = (int)random_below(r, 9);
        met_fold_begin(x);
        met_fold_begin(y);
        for (uint32_t i = 0; i < n; i++) {
            double p = random_operand(r, operands.dtype, kind), q = random_operand(r, operands.dtype, kind);
            p = random_below(r, 4) == 0 && operands.sum ? -last : p;
            bool tiny = below == MET_ONLY_NORMAL && (fabs(p) < 0x1p-126 || fabs(q) < 0x1p-126);
            p = !tiny && term_within(operands.sum ? p : p * q, below) ? p : 0;
            last = p;
            if (operands.sum) {
                met_fold_push(x, i, p);
                met_fold_push(y, i, p);
            } else {
                met_fold_push_product(x, i, p, q);
                met_fold_push_product(y, i, p, q);
            }
        }
        double of_x = met_fold_end(x), of_y = met_fold_end(y);
        if (met_bits_f64(of_x) != met_bits_f64(of_y) && !(of_x != of_x && of_y != of_y)) {
            return "called the same, and are not";
        }
    }
    return NULL;
}

static inline bool of_format(met_operands operands, uint32_t n, const double *a, const double *b)
{
    for (uint32_t i = 0; i < n; i++) {
        if (met_round(operands.dtype, a[i]) != a[i] || met_round(operands.dtype, b[i]) != b[i] || (operands.sum && b[i] != 1)) {
            return false;
        }
    }
    return true;
}

static inline const char *pair_fault(met_arena *arena, random_source *r, const met_tree *a, const met_tree *b, uint32_t n,
                                     met_operands operands, int inputs, pair_counts *counts)
{
    met_comparison got = met_tree_compare_operands(arena, a, b, n, operands);
    if (got.verdict == MET_VERDICT_UNKNOWN) {
        return "left undecided";
    }
    counts->same += got.verdict == MET_VERDICT_SAME;
    counts->different += got.verdict == MET_VERDICT_DIFFERENT;
    if (got.verdict == MET_VERDICT_SAME) {
        return same_fault(arena, r, a, b, n, operands, inputs, 0);
    }
    bool wide = operands.dtype == MET_F64 && !operands.sum; /* whose exact products this check cannot see */
    random_source own = *r; /* the pairs that follow do not depend on it */
    if (got.only_below && !wide && same_fault(arena, &own, a, b, n, operands, inputs, got.only_below)) {
        return "called the same within the range, and are not";
    }
    if (!got.has_run || got.field == MET_FIELD_NONE) {
        return "called different without an input or a field";
    }
    double x = met_witness_result(arena, a, operands, n, got.run.a, got.run.b), y = met_witness_result(arena, b, operands, n, got.run.a, got.run.b);
    bool runs = met_bits_f64(x) == met_bits_f64(got.run.result_a) && met_bits_f64(y) == met_bits_f64(got.run.result_b);
    if (got.field == MET_FIELD_RESCALE) {
        return NULL; /* told apart by what number/online.h makes of them */
    }
    return !runs || met_bits_f64(x) == met_bits_f64(y) ? "not told apart by the input"
           : of_format(operands, n, got.run.a, got.run.b) ? NULL : "told apart by numbers of another format";
}

/* Compares `count` pairs. False, with a line that says which, at the first that is wrong (or, with `all`, after all). */
static inline bool compare_pairs(uint64_t seed, uint64_t count, int inputs, bool all, pair_counts *counts)
{
    static const met_dtype dtypes[] = {MET_F32, MET_BF16, MET_F16, MET_F32, MET_F64, MET_E4M3, MET_E5M2};
    random_source r = {seed};
    uint64_t bad = 0;
    for (uint64_t k = 0; k < count && (all || !bad); k++) {
        met_arena *arena = met_arena_new();
        uint32_t n = 1 + (uint32_t)random_below(&r, random_below(&r, 8) ? 12 : 70);
        met_operands operands = {.dtype = dtypes[random_below(&r, sizeof dtypes / sizeof dtypes[0])], .sum = random_below(&r, 4) == 0};
        met_tree a = random_record(&r, arena, n, true), other = random_record(&r, arena, n, true), b = other;
        if (random_below(&r, 4)) {
            b = random_change(&r, &a, &other, n);
        }
        const char *fault = pair_fault(arena, &r, &a, &b, n, operands, inputs, counts);
        if (fault) {
            met_text text = met_text_new(arena);
            met_tree_print(&text, &a, MET_F32);
            met_text_put(&text, "  |  ");
            met_tree_print(&text, &b, MET_F32);
            met_comparison got = met_tree_compare_operands(arena, &a, &b, n, operands);
            printf("pair %llu, %u %s%s: %s (%s): %s\n", (unsigned long long)k, (unsigned)n, met_dtype_table[operands.dtype].spelling,
                   operands.sum ? " sums" : "", fault, met_tree_field_name(got.field), met_text_done(&text));
            bad++;
        }
        met_arena_free(arena);
    }
    return bad == 0;
}

#endif
