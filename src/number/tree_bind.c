/* Widths of records that are expressions over sizes: their numbers. */
#include "number/tree.h"

typedef struct binder {
    bool (*value)(void *context, met_size symbol, uint64_t *ret_value);
    void *context;
    met_unbound why;
} binder;

static bool value_of(binder *b, const met_dim *dim, uint64_t *ret_value);

static bool fails(binder *b, met_width_fault fault, met_size symbol)
{
    b->why = (met_unbound){fault, symbol};
    return false;
}

static bool factor_value(binder *b, const met_factor *factor, uint64_t *ret_value)
{
    uint64_t inner;
    if (factor->kind == MET_FACTOR_SYMBOL) {
        return b->value(b->context, factor->symbol, ret_value) || fails(b, MET_WIDTH_UNKNOWN, factor->symbol);
    }
    if (!value_of(b, factor->inner, &inner)) {
        return false;
    }
    *ret_value = inner / factor->divisor + (factor->kind == MET_FACTOR_CEIL && inner % factor->divisor != 0);
    return true;
}

/* A product that has a zero is one, however large the others are. */
static bool term_value(binder *b, const met_monomial *term, uint64_t *ret_value)
{
    bool zero = false, large = false;
    *ret_value = term->coefficient;
    for (uint32_t i = 0; i < term->factor_count; i++) {
        uint64_t factor;
        if (!factor_value(b, &term->factors[i], &factor)) {
            return false;
        }
        zero = zero || factor == 0;
        for (uint32_t p = 0; p < term->factors[i].power && !large; p++) {
            large = __builtin_mul_overflow(*ret_value, factor, ret_value);
        }
    }
    *ret_value = zero ? 0 : *ret_value;
    return zero || !large || fails(b, MET_WIDTH_LARGE, (met_size){0});
}

/* As deep as the expression nests divisions, which its weight limits. */
static bool value_of(binder *b, const met_dim *dim, uint64_t *ret_value)
{
    *ret_value = 0;
    for (uint32_t i = 0; i < dim->term_count; i++) {
        uint64_t term;
        if (!term_value(b, &dim->terms[i], &term)) {
            return false;
        }
        if (__builtin_add_overflow(*ret_value, term, ret_value)) {
            return fails(b, MET_WIDTH_LARGE, (met_size){0});
        }
    }
    return true;
}

static bool bind_level(binder *b, met_tree_level *level)
{
    if (level->size && !value_of(b, level->size, &level->width)) {
        return false;
    }
    level->size = NULL;
    return level->width > 0 || fails(b, MET_WIDTH_ZERO, (met_size){0});
}

bool met_tree_is_over(const met_tree *tree, met_str name)
{
    return met_str_is(name, *tree->axis ? tree->axis : "k");
}

bool met_tree_bind(met_tree *tree, bool (*value)(void *context, met_size symbol, uint64_t *ret_value), void *context,
                   met_unbound *ret_why)
{
    binder b = {.value = value, .context = context};
    for (int i = 0; i < tree->level_count; i++) {
        if (!bind_level(&b, &tree->levels[i])) {
            if (ret_why) {
                *ret_why = b.why;
            }
            return false;
        }
    }
    return true;
}
