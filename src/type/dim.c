#include "type/dim.h"

#include <inttypes.h>

/* Factors of one monomial; more than these are refused like any other expression that is too large. */
enum { FACTORS = 16 };

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

static const met_dim *make(met_arena *arena, const met_monomial *terms, uint32_t count)
{
    met_dim *dim = MET_NEW(arena, met_dim);
    dim->term_count = count;
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
        if (order == 0 && __builtin_add_overflow(factor->power, b->factors[j++].power, &factor->power))
            return false;
    }
    ret_product->factor_count = count;
    ret_product->factors = met_arena_copy(arena, factors, count, sizeof *factors);
    return !__builtin_mul_overflow(a->coefficient, b->coefficient, &ret_product->coefficient);
}

const met_dim *met_dim_mul(met_arena *arena, const met_dim *a, const met_dim *b)
{
    if (!a || !b)
        return NULL;
    const met_dim *result = met_dim_constant(arena, 0);
    for (uint32_t i = 0; i < a->term_count; i++) {
        for (uint32_t j = 0; j < b->term_count; j++) {
            met_monomial product;
            if (!monomial_mul(arena, &a->terms[i], &b->terms[j], &product))
                return NULL;
            result = met_dim_add(arena, result, make(arena, &product, 1));
            if (!result)
                return NULL;
        }
    }
    return result;
}

static bool divides(const met_dim *dim, uint64_t divisor)
{
    for (uint32_t i = 0; i < dim->term_count; i++)
        if (dim->terms[i].coefficient % divisor != 0)
            return false;
    return true;
}

static const met_dim *divide(met_arena *arena, met_factor_kind kind, const met_dim *a, uint64_t divisor)
{
    if (!a || divisor == 0)
        return NULL;
    uint64_t n;
    if (met_dim_is_constant(a, &n))
        return met_dim_constant(arena, n / divisor + (kind == MET_FACTOR_CEIL && n % divisor != 0));
    if (divides(a, divisor)) {
        met_monomial *terms = met_arena_copy(arena, a->terms, a->term_count, sizeof *terms);
        for (uint32_t i = 0; i < a->term_count; i++)
            terms[i].coefficient /= divisor;
        return make(arena, terms, a->term_count);
    }
    return from_factor(arena, (met_factor){ .kind = kind, .inner = a, .divisor = divisor, .power = 1 });
}

const met_dim *met_dim_floor_div(met_arena *arena, const met_dim *a, uint64_t divisor)
{
    return divide(arena, MET_FACTOR_FLOOR, a, divisor);
}

const met_dim *met_dim_ceil_div(met_arena *arena, const met_dim *a, uint64_t divisor)
{
    return divide(arena, MET_FACTOR_CEIL, a, divisor);
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

static const met_dim *substitute_factor(met_arena *arena, const met_factor *factor, met_dim_lookup value, void *context)
{
    const met_dim *base = NULL;
    if (factor->kind == MET_FACTOR_SYMBOL) {
        base = value(context, factor->symbol);
        if (!base)
            base = met_dim_symbol(arena, factor->symbol);
    } else {
        base = divide(arena, factor->kind, met_dim_substitute(arena, factor->inner, value, context), factor->divisor);
    }
    const met_dim *result = base;
    /* A power beyond 64 of anything but 0 or 1 overflows anyway. */
    for (uint32_t p = 1; p < factor->power && p < 80; p++)
        result = met_dim_mul(arena, result, base);
    return result;
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
        bool sum = factor->inner->term_count > 1;
        met_text_put(out, factor->kind == MET_FACTOR_FLOOR ? "floor(" : "ceil(");
        met_text_put(out, sum ? "(" : "");
        met_dim_print(out, factor->inner, name, context);
        met_text_format(out, "%s/%" PRIu64 ")", sum ? ")" : "", factor->divisor);
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
