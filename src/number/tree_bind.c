/* Widths of records that are expressions over sizes: their numbers. */
#include "number/tree.h"

typedef struct binder {
    bool (*value)(void *context, met_size symbol, uint64_t *ret_value);
    void *context;
} binder;

static bool value_of(const binder *b, const met_dim *dim, uint64_t *ret_value);

static bool factor_value(const binder *b, const met_factor *factor, uint64_t *ret_value)
{
    uint64_t inner;
    if (factor->kind == MET_FACTOR_SYMBOL) {
        return b->value(b->context, factor->symbol, ret_value);
    }
    if (!value_of(b, factor->inner, &inner)) {
        return false;
    }
    *ret_value = inner / factor->divisor + (factor->kind == MET_FACTOR_CEIL && inner % factor->divisor != 0);
    return true;
}

static bool term_value(const binder *b, const met_monomial *term, uint64_t *ret_value)
{
    *ret_value = term->coefficient;
    for (uint32_t i = 0; i < term->factor_count; i++) {
        uint64_t factor;
        if (!factor_value(b, &term->factors[i], &factor)) {
            return false;
        }
        for (uint32_t p = 0; p < term->factors[i].power; p++) {
            if (__builtin_mul_overflow(*ret_value, factor, ret_value)) {
                return false;
            }
        }
    }
    return true;
}

/* As deep as the expression nests divisions, which its weight limits. */
static bool value_of(const binder *b, const met_dim *dim, uint64_t *ret_value)
{
    *ret_value = 0;
    for (uint32_t i = 0; i < dim->term_count; i++) {
        uint64_t term;
        if (!term_value(b, &dim->terms[i], &term) || __builtin_add_overflow(*ret_value, term, ret_value)) {
            return false;
        }
    }
    return true;
}

bool met_tree_bind(met_tree *tree, bool (*value)(void *context, met_size symbol, uint64_t *ret_value), void *context)
{
    binder b = {value, context};
    for (int i = 0; i < tree->level_count; i++) {
        met_tree_level *level = &tree->levels[i];
        if (level->size && (!value_of(&b, level->size, &level->width) || level->width == 0)) {
            return false;
        }
        level->size = NULL;
    }
    return true;
}
