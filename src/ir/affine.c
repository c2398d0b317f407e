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

static bool add_product(int64_t *sum, int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

bool met_affine_range(met_affine a, const met_dim *const *index_sizes, int64_t *ret_least, int64_t *ret_greatest)
{
    int64_t least = a.constant, greatest = a.constant;
    for (uint32_t i = 0; i < a.term_count; i++) {
        const met_affine_term *term = &a.terms[i];
        const met_dim *size = term->kind == MET_TERM_INDEX ? index_sizes[term->index] : term->size;
        uint64_t n;
        if (!met_dim_is_constant(size, &n) || n > INT64_MAX || (n == 0 && term->kind == MET_TERM_INDEX))
            return false;
        int64_t low = term->kind == MET_TERM_INDEX ? 0 : (int64_t)n;
        int64_t high = term->kind == MET_TERM_INDEX ? (int64_t)n - 1 : (int64_t)n;
        bool rising = term->coefficient > 0;
        if (!add_product(&least, term->coefficient, rising ? low : high) ||
            !add_product(&greatest, term->coefficient, rising ? high : low))
            return false;
    }
    *ret_least = least;
    *ret_greatest = greatest;
    return true;
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
        bool wrap = term->kind == MET_TERM_SIZE && term->size->term_count > 1;
        met_text_put(out, wrap ? "(" : "");
        if (term->kind == MET_TERM_INDEX)
            met_text_str(out, names->index(names->context, term->index));
        else
            met_dim_print(out, term->size, names->size, names->context);
        met_text_put(out, wrap ? ")" : "");
    }
    if (a.constant != 0 || a.term_count == 0) {
        uint64_t size = a.constant < 0 ? 0 - (uint64_t)a.constant : (uint64_t)a.constant;
        print_sign(out, a.term_count == 0, a.constant < 0);
        met_text_format(out, "%" PRIu64, size);
    }
}
