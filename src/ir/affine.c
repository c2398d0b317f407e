#include "ir/affine.h"

#include <inttypes.h>

met_affine met_affine_constant(int64_t constant)
{
    return (met_affine){ .constant = constant };
}

met_affine met_affine_index(met_arena *arena, uint32_t index, int64_t coefficient)
{
    met_affine_term *term = MET_NEW(arena, met_affine_term);
    *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = coefficient, .index = index };
    return (met_affine){ 0, coefficient ? 1 : 0, term };
}

met_affine met_affine_size(met_arena *arena, const met_dim *size, int64_t coefficient)
{
    uint64_t n;
    int64_t product;
    if (met_dim_is_constant(size, &n) && n <= INT64_MAX && !__builtin_mul_overflow((int64_t)n, coefficient, &product))
        return met_affine_constant(product);
    met_affine_term *term = MET_NEW(arena, met_affine_term);
    *term = (met_affine_term){ .kind = MET_TERM_SIZE, .coefficient = coefficient, .size = size };
    return (met_affine){ 0, coefficient ? 1 : 0, term };
}

static bool same_base(const met_affine_term *a, const met_affine_term *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == MET_TERM_INDEX ? a->index == b->index : met_dim_equal(a->size, b->size);
}

bool met_affine_add(met_arena *arena, met_affine a, met_affine b, int64_t factor, met_affine *ret_sum)
{
    met_affine_term *terms = MET_NEW_ARRAY(arena, met_affine_term, a.term_count + b.term_count);
    uint32_t count = 0;
    int64_t product, constant;
    for (uint32_t i = 0; i < a.term_count; i++)
        terms[count++] = a.terms[i];
    for (uint32_t i = 0; i < b.term_count; i++) {
        if (__builtin_mul_overflow(b.terms[i].coefficient, factor, &product))
            return false;
        uint32_t at = 0;
        while (at < count && !same_base(&terms[at], &b.terms[i]))
            at++;
        if (at == count) {
            terms[count] = b.terms[i];
            terms[count++].coefficient = product;
        } else if (__builtin_add_overflow(terms[at].coefficient, product, &terms[at].coefficient)) {
            return false;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (terms[i].coefficient != 0)
            terms[kept++] = terms[i];
    if (__builtin_mul_overflow(b.constant, factor, &product) || __builtin_add_overflow(a.constant, product, &constant))
        return false;
    *ret_sum = (met_affine){ constant, kept, terms };
    return true;
}

bool met_affine_substitute(met_arena *arena, met_affine a, const met_affine *parts, met_affine *ret_result)
{
    met_affine result = met_affine_constant(a.constant);
    for (uint32_t i = 0; i < a.term_count; i++) {
        const met_affine_term *term = &a.terms[i];
        met_affine part = term->kind == MET_TERM_INDEX ? parts[term->index] : met_affine_size(arena, term->size, 1);
        if (!met_affine_add(arena, result, part, term->coefficient, &result))
            return false;
    }
    *ret_result = result;
    return true;
}

bool met_affine_equal(met_affine a, met_affine b)
{
    if (a.constant != b.constant || a.term_count != b.term_count)
        return false;
    for (uint32_t i = 0; i < a.term_count; i++)
        if (!same_base(&a.terms[i], &b.terms[i]) || a.terms[i].coefficient != b.terms[i].coefficient)
            return false;
    return true;
}

bool met_affine_is_index(met_affine a, uint32_t *ret_index)
{
    if (a.constant != 0 || a.term_count != 1 || a.terms[0].kind != MET_TERM_INDEX || a.terms[0].coefficient != 1)
        return false;
    if (ret_index)
        *ret_index = a.terms[0].index;
    return true;
}

bool met_affine_reads_index(met_affine a, uint32_t index)
{
    for (uint32_t i = 0; i < a.term_count; i++)
        if (a.terms[i].kind == MET_TERM_INDEX && a.terms[i].index == index)
            return true;
    return false;
}

/* Adds coefficient·size to one of two sums of sizes, by its sign. */
static void add_signed(met_arena *arena, const met_dim *size, int64_t coefficient, const met_dim *sums[2])
{
    uint64_t magnitude = coefficient < 0 ? 0 - (uint64_t)coefficient : (uint64_t)coefficient;
    const met_dim **sum = &sums[coefficient < 0];
    *sum = met_dim_add(arena, *sum, met_dim_mul(arena, size, met_dim_constant(arena, magnitude)));
}

bool met_affine_never_negative(met_arena *arena, met_affine a, const met_dim *const *index_sizes)
{
    const met_dim *one = met_dim_constant(arena, 1), *sums[2] = { met_dim_constant(arena, 0), met_dim_constant(arena, 0) };
    add_signed(arena, one, a.constant, sums);
    for (uint32_t i = 0; i < a.term_count; i++) {
        const met_affine_term *term = &a.terms[i];
        if (term->kind == MET_TERM_SIZE) {
            add_signed(arena, term->size, term->coefficient, sums);
        } else if (term->coefficient < 0 && term->coefficient != INT64_MIN) { /* least at size - 1; others at 0 */
            add_signed(arena, index_sizes[term->index], term->coefficient, sums);
            add_signed(arena, one, -term->coefficient, sums);
        } else if (term->coefficient < 0) {
            return false;
        }
    }
    return met_dim_covers(sums[0], sums[1]);
}

static void print_sign(met_text *out, bool first, bool negative)
{
    if (first)
        met_text_put(out, negative ? "-" : "");
    else
        met_text_put(out, negative ? " - " : " + ");
}

void met_affine_print(met_text *out, met_affine a, const met_scalar_names *names)
{
    for (uint32_t i = 0; i < a.term_count; i++) {
        const met_affine_term *term = &a.terms[i];
        uint64_t size = term->coefficient < 0 ? 0 - (uint64_t)term->coefficient : (uint64_t)term->coefficient;
        print_sign(out, i == 0, term->coefficient < 0);
        if (size != 1)
            met_text_format(out, "%" PRIu64 "*", size);
        if (term->kind == MET_TERM_INDEX)
            met_text_str(out, names->index(names->context, term->index));
        else
            met_scalar_size_print(out, term->size, names);
    }
    if (a.constant != 0 || a.term_count == 0) {
        uint64_t size = a.constant < 0 ? 0 - (uint64_t)a.constant : (uint64_t)a.constant;
        print_sign(out, a.term_count == 0, a.constant < 0);
        met_text_format(out, "%" PRIu64, size);
    }
}
