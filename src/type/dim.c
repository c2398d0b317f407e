#include "type/dim.h"

#include <inttypes.h>

/* Factors of one monomial; more than these are refused like any other expression that is too large. */
enum { FACTORS = 16 };
/* What a division weighs beside what it divides: bounds how deep divisions nest. */
enum { DIVISION_WEIGHT = 16 };

static int order_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Orders the bases of two factors, ignoring powers. */
static int base_compare(const met_factor *a, const met_factor *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == MET_FACTOR_SYMBOL)
        return order_u64(a->symbol.id, b->symbol.id);
    int order = order_u64(a->divisor, b->divisor);
    return order ? order : met_dim_compare(a->inner, b->inner);
}

static int factors_compare(const met_monomial *a, const met_monomial *b)
{
    for (uint32_t i = 0; i < a->factor_count && i < b->factor_count; i++) {
        int order = base_compare(&a->factors[i], &b->factors[i]);
        if (order == 0)
            order = order_u64(b->factors[i].power, a->factors[i].power);
        if (order)
            return order;
    }
    return order_u64(b->factor_count, a->factor_count); /* longer first: the constant is last */
}

int met_dim_compare(const met_dim *a, const met_dim *b)
{
    if (a == b)
        return 0;
    for (uint32_t i = 0; i < a->term_count && i < b->term_count; i++) {
        int order = factors_compare(&a->terms[i], &b->terms[i]);
        if (order == 0)
            order = order_u64(a->terms[i].coefficient, b->terms[i].coefficient);
        if (order)
            return order;
    }
    return order_u64(a->term_count, b->term_count);
}

bool met_dim_equal(const met_dim *a, const met_dim *b)
{
    return met_dim_compare(a, b) == 0;
}

bool met_dim_covers(const met_dim *a, const met_dim *b)
{
    if (!a || !b)
        return false;
    for (uint32_t i = 0, j = 0; j < b->term_count; j++) {
        while (i < a->term_count && factors_compare(&a->terms[i], &b->terms[j]) < 0)
            i++;
        if (i == a->term_count || factors_compare(&a->terms[i], &b->terms[j]) != 0 || a->terms[i].coefficient < b->terms[j].coefficient)
            return false;
    }
    return true;
}

/* NULL if the expression is too large when its divisions and powers are written out: divisions may share their insides, so
 * that a short chain of definitions can stand for a text of any length. */
static const met_dim *make(met_arena *arena, const met_monomial *terms, uint32_t count)
{
    uint32_t weight = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < terms[i].factor_count; j++) {
            const met_factor *factor = &terms[i].factors[j];
            weight += factor->power * (factor->kind == MET_FACTOR_SYMBOL ? 1 : factor->inner->weight + DIVISION_WEIGHT);
            if (weight > MET_DIM_WEIGHT)
                return NULL;
        }
    }
    met_dim *dim = MET_NEW(arena, met_dim);
    dim->term_count = count;
    dim->weight = weight;
    dim->terms = met_arena_copy(arena, terms, count, sizeof *terms);
    return dim;
}

const met_dim *met_dim_constant(met_arena *arena, uint64_t n)
{
    met_monomial term = { .coefficient = n };
    return make(arena, &term, n ? 1 : 0);
}

static const met_dim *from_factor(met_arena *arena, met_factor factor)
{
    met_monomial term = { 1, 1, met_arena_copy(arena, &factor, 1, sizeof factor) };
    return make(arena, &term, 1);
}

const met_dim *met_dim_symbol(met_arena *arena, met_size symbol)
{
    return from_factor(arena, (met_factor){ .kind = MET_FACTOR_SYMBOL, .symbol = symbol, .power = 1 });
}

const met_dim *met_dim_add(met_arena *arena, const met_dim *a, const met_dim *b)
{
    if (!a || !b)
        return NULL;
    met_monomial sum[MET_DIM_TERMS];
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->term_count || j < b->term_count;) {
        if (count == MET_DIM_TERMS)
            return NULL;
        int order = i == a->term_count ? 1 : j == b->term_count ? -1 : factors_compare(&a->terms[i], &b->terms[j]);
        met_monomial *term = &sum[count++];
        *term = order <= 0 ? a->terms[i++] : b->terms[j++];
        if (order == 0 && __builtin_add_overflow(term->coefficient, b->terms[j++].coefficient, &term->coefficient))
            return NULL;
    }
    return make(arena, sum, count);
}

static bool monomial_mul(met_arena *arena, const met_monomial *a, const met_monomial *b, met_monomial *ret_product)
{
    met_factor factors[FACTORS];
    uint32_t count = 0;
    for (uint32_t i = 0, j = 0; i < a->factor_count || j < b->factor_count;) {
        if (count == FACTORS)
            return false;
        int order = i == a->factor_count ? 1 : j == b->factor_count ? -1 : base_compare(&a->factors[i], &b->factors[j]);
        met_factor *factor = &factors[count++];
        *factor = order <= 0 ? a->factors[i++] : b->factors[j++];
        if (order == 0 && (factor->power += b->factors[j++].power) > MET_DIM_POWER)
            return false;
    }
    ret_product->factor_count = count;
    ret_product->factors = met_arena_copy(arena, factors, count, sizeof *factors);
    return !__builtin_mul_overflow(a->coefficient, b->coefficient, &ret_product->coefficient);
}

/* Adds a term to a sorted sum. */
static bool insert_term(met_monomial sum[MET_DIM_TERMS], uint32_t *count, met_monomial term)
{
    uint32_t at = 0;
    int order = 1;
    while (at < *count && (order = factors_compare(&sum[at], &term)) < 0)
        at++;
    if (at < *count && order == 0)
        return !__builtin_add_overflow(sum[at].coefficient, term.coefficient, &sum[at].coefficient);
    if (*count == MET_DIM_TERMS)
        return false;
    for (uint32_t i = *count; i > at; i--)
        sum[i] = sum[i - 1];
    sum[at] = term;
    ++*count;
    return true;
}

const met_dim *met_dim_mul(met_arena *arena, const met_dim *a, const met_dim *b)
{
    if (!a || !b)
        return NULL;
    met_monomial sum[MET_DIM_TERMS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->term_count; i++) {
        for (uint32_t j = 0; j < b->term_count; j++) {
            met_monomial product;
            if (!monomial_mul(arena, &a->terms[i], &b->terms[j], &product) || !insert_term(sum, &count, product))
                return NULL;
        }
    }
    return make(arena, sum, count);
}

/* --- Division --- */

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_division(const met_dim *dim, met_factor *ret_factor)
{
    if (dim->term_count != 1 || dim->terms[0].coefficient != 1 || dim->terms[0].factor_count != 1)
        return false;
    *ret_factor = dim->terms[0].factors[0];
    return ret_factor->kind != MET_FACTOR_SYMBOL && ret_factor->power == 1;
}

/* floor((rest + constant) / divisor) where nothing can be taken out of the division; a division of a division is one. */
static const met_dim *division_atom(met_arena *arena, const met_dim *rest, uint64_t constant, uint64_t divisor)
{
    met_factor inner;
    uint64_t whole, shift;
    if (!rest)
        return NULL;
    if (is_division(rest, &inner) && !__builtin_mul_overflow(divisor, inner.divisor, &whole) &&
        !__builtin_mul_overflow(constant, inner.divisor, &shift) &&
        !__builtin_add_overflow(shift, inner.kind == MET_FACTOR_CEIL ? inner.divisor - 1 : 0, &shift))
        return met_dim_floor_div(arena, met_dim_add(arena, inner.inner, met_dim_constant(arena, shift)), whole);
    bool ceiling = constant == divisor - 1;
    if (!ceiling)
        rest = met_dim_add(arena, rest, met_dim_constant(arena, constant));
    if (!rest)
        return NULL;
    return from_factor(arena, (met_factor){ .kind = ceiling ? MET_FACTOR_CEIL : MET_FACTOR_FLOOR, .inner = rest,
                                            .divisor = divisor, .power = 1 });
}

/* Whole multiples of the divisor are taken out, common factors are divided away, and floor((a + d - 1)/d) is written
 * ceil(a/d): so each has one form. */
const met_dim *met_dim_floor_div(met_arena *arena, const met_dim *a, uint64_t divisor)
{
    if (!a || divisor == 0)
        return NULL;
    met_monomial quotient[MET_DIM_TERMS] = { { 0 } }, rest[MET_DIM_TERMS] = { { 0 } };
    uint32_t quotients = 0, rests = 0;
    uint64_t constant = 0, common = divisor;
    for (uint32_t i = 0; i < a->term_count; i++) {
        met_monomial term = a->terms[i];
        uint64_t left = term.coefficient % divisor;
        term.coefficient /= divisor;
        if (term.coefficient)
            quotient[quotients++] = term;
        if (left && term.factor_count == 0) {
            constant = left;
        } else if (left) {
            term.coefficient = left;
            rest[rests++] = term;
            common = greatest_divisor(common, left);
        }
    }
    const met_dim *whole = make(arena, quotient, quotients);
    if (rests == 0)
        return whole;
    for (uint32_t i = 0; i < rests; i++)
        rest[i].coefficient /= common;
    const met_dim *part = division_atom(arena, make(arena, rest, rests), constant / common, divisor / common);
    return met_dim_add(arena, whole, part);
}

const met_dim *met_dim_ceil_div(met_arena *arena, const met_dim *a, uint64_t divisor)
{
    if (divisor == 0)
        return NULL;
    uint64_t n;
    if (a && met_dim_is_constant(a, &n)) /* which may be so large that adding to it overflows */
        return met_dim_constant(arena, n / divisor + (n % divisor != 0));
    return met_dim_floor_div(arena, met_dim_add(arena, a, met_dim_constant(arena, divisor - 1)), divisor);
}

bool met_dim_is_constant(const met_dim *dim, uint64_t *ret_n)
{
    bool constant = dim->term_count == 0 || (dim->term_count == 1 && dim->terms[0].factor_count == 0);
    if (constant && ret_n)
        *ret_n = dim->term_count ? dim->terms[0].coefficient : 0;
    return constant;
}

bool met_dim_is_symbol(const met_dim *dim, met_size *ret_symbol)
{
    if (dim->term_count != 1 || dim->terms[0].coefficient != 1 || dim->terms[0].factor_count != 1)
        return false;
    const met_factor *factor = &dim->terms[0].factors[0];
    if (factor->kind != MET_FACTOR_SYMBOL || factor->power != 1)
        return false;
    if (ret_symbol)
        *ret_symbol = factor->symbol;
    return true;
}

void met_dim_symbols(const met_dim *dim, void (*visit)(void *context, met_size symbol), void *context)
{
    for (uint32_t i = 0; i < dim->term_count; i++) {
        for (uint32_t j = 0; j < dim->terms[i].factor_count; j++) {
            const met_factor *factor = &dim->terms[i].factors[j];
            if (factor->kind == MET_FACTOR_SYMBOL)
                visit(context, factor->symbol);
            else
                met_dim_symbols(factor->inner, visit, context);
        }
    }
}

typedef struct search {
    uint32_t wanted;
    bool found;
} search;

static void look(void *context, met_size symbol)
{
    search *s = context;
    s->found = s->found || symbol.id == s->wanted;
}

bool met_dim_contains(const met_dim *dim, met_size symbol)
{
    search s = { symbol.id, false };
    met_dim_symbols(dim, look, &s);
    return s.found;
}

typedef struct change {
    met_dim_lookup value;
    void *context;
    bool any;
} change;

static void note_change(void *context, met_size symbol)
{
    change *c = context;
    c->any = c->any || c->value(c->context, symbol) != NULL;
}

static const met_dim *power_of(met_arena *arena, const met_dim *base, uint32_t power)
{
    const met_dim *result = met_dim_constant(arena, 1);
    for (; power && result; power >>= 1) {
        if (power & 1)
            result = met_dim_mul(arena, result, base);
        if (power > 1)
            base = met_dim_mul(arena, base, base);
    }
    return result;
}

static const met_dim *substitute_factor(met_arena *arena, const met_factor *factor, met_dim_lookup value, void *context)
{
    const met_dim *base = NULL;
    if (factor->kind == MET_FACTOR_SYMBOL) {
        base = value(context, factor->symbol);
        if (!base)
            base = met_dim_symbol(arena, factor->symbol);
    } else {
        const met_dim *inner = met_dim_substitute(arena, factor->inner, value, context);
        base = factor->kind == MET_FACTOR_FLOOR ? met_dim_floor_div(arena, inner, factor->divisor)
                                                : met_dim_ceil_div(arena, inner, factor->divisor);
    }
    return power_of(arena, base, factor->power);
}

const met_dim *met_dim_substitute(met_arena *arena, const met_dim *dim, met_dim_lookup value, void *context)
{
    if (!dim)
        return NULL;
    change c = { value, context, false };
    met_dim_symbols(dim, note_change, &c);
    if (!c.any)
        return dim;
    const met_dim *sum = met_dim_constant(arena, 0);
    for (uint32_t i = 0; i < dim->term_count; i++) {
        const met_dim *product = met_dim_constant(arena, dim->terms[i].coefficient);
        for (uint32_t j = 0; j < dim->terms[i].factor_count; j++)
            product = met_dim_mul(arena, product, substitute_factor(arena, &dim->terms[i].factors[j], value, context));
        sum = met_dim_add(arena, sum, product);
    }
    return sum;
}

static void print_factor(met_text *out, const met_factor *factor, met_size_namer name, void *context)
{
    for (uint32_t p = 0; p < factor->power; p++) {
        if (p)
            met_text_char(out, '*');
        if (factor->kind == MET_FACTOR_SYMBOL) {
            met_text_str(out, name(context, factor->symbol));
            continue;
        }
        bool plain = met_dim_is_symbol(factor->inner, NULL);
        met_text_put(out, factor->kind == MET_FACTOR_FLOOR ? "floor(" : "ceil(");
        met_text_put(out, plain ? "" : "(");
        met_dim_print(out, factor->inner, name, context);
        met_text_format(out, "%s/%" PRIu64 ")", plain ? "" : ")", factor->divisor);
    }
}

void met_dim_print(met_text *out, const met_dim *dim, met_size_namer name, void *context)
{
    if (dim->term_count == 0)
        met_text_char(out, '0');
    for (uint32_t i = 0; i < dim->term_count; i++) {
        const met_monomial *term = &dim->terms[i];
        if (i)
            met_text_put(out, " + ");
        bool number = term->coefficient != 1 || term->factor_count == 0;
        if (number)
            met_text_format(out, "%" PRIu64, term->coefficient);
        for (uint32_t j = 0; j < term->factor_count; j++) {
            if (number || j)
                met_text_char(out, '*');
            print_factor(out, &term->factors[j], name, context);
        }
    }
}
