/* Grouping a sum of products by what reads the stream and by what needs all of it. */
#include "derive/algebra.h"

/* The coefficients of the summand as a matrix: rows are products of statistics, columns products that read the stream,
 * entries sums over what is static. A factorisation of that matrix is a separation. */
typedef struct group {
    met_product key;
    met_product *others; /* what the key is multiplied with, static factors and coefficient included */
    uint32_t count;
} group;

typedef struct groups {
    uint32_t count;
    group *at;
} groups;

typedef struct parts {
    met_product statistic, fixed, stream; /* the coefficient is in `fixed` */
} parts;

static parts parts_of(met_algebra *algebra, const met_product *term, met_loops mask)
{
    parts of = { .statistic = { .coefficient = 1 }, .fixed = { .coefficient = term->coefficient }, .stream = { .coefficient = 1 } };
    met_product *targets[3] = { &of.statistic, &of.fixed, &of.stream };
    met_power *powers[3];
    for (int i = 0; i < 3; i++)
        targets[i]->powers = powers[i] = MET_NEW_ARRAY(algebra->arena, met_power, term->count);
    for (uint32_t i = 0; i < term->count; i++) {
        const met_atom *atom = algebra->atoms.at[term->powers[i].atom];
        /* A static exponential stays with those of the stream: exp(s) alone could overflow where exp(s - l) does not. */
        bool stays = !atom->traits.statistic && atom->kind == MET_ATOM_EXP;
        int side = atom->traits.loops & mask || stays ? 2 : atom->traits.statistic ? 0 : 1;
        powers[side][targets[side]->count++] = term->powers[i];
    }
    return of;
}

static void add_to(met_algebra *algebra, groups *all, uint32_t room, const met_product *key, const met_product *other)
{
    uint32_t i = 0;
    while (i < all->count && met_product_compare(&all->at[i].key, key) != 0)
        i++;
    if (i == all->count) {
        all->at[i] = (group){ .key = *key, .others = MET_NEW_ARRAY(algebra->arena, met_product, room) };
        all->count++;
    }
    all->at[i].others[all->at[i].count++] = *other;
}

/* Whether the product is static and divides by nothing: what it divided by could be 0. */
static bool is_static(const met_algebra *algebra, const met_product *product, met_loops mask)
{
    met_traits traits = met_product_traits(algebra, product);
    bool divides = false;
    for (uint32_t i = 0; i < product->count; i++)
        divides = divides || product->powers[i].exponent < 0;
    return !divides && !traits.statistic && !(traits.loops & mask);
}

static met_product inverse(met_algebra *algebra, const met_product *product)
{
    met_power *powers = met_arena_copy(algebra->arena, product->powers, product->count, sizeof *powers);
    for (uint32_t i = 0; i < product->count; i++)
        powers[i].exponent = -powers[i].exponent;
    return (met_product){ 1 / product->coefficient, product->count, powers };
}

static const met_sum *sum_of(met_algebra *algebra, const met_product *products, uint32_t count)
{
    const met_sum *sum = met_sum_number(algebra, 0);
    for (uint32_t i = 0; i < count; i++)
        sum = met_sum_add(algebra, sum, met_sum_of_product(algebra, products[i]));
    return sum;
}

/* λ static with b = λ·a. */
static bool proportional(met_algebra *algebra, const met_sum *a, const met_sum *b, met_loops mask, met_product *ret_factor)
{
    if (!a || !b || a->count != b->count || a->count == 0)
        return false;
    for (uint32_t i = 0; i < b->count; i++) {
        met_product over = inverse(algebra, &a->terms[0]);
        *ret_factor = met_product_mul(algebra, &b->terms[i], &over);
        if (is_static(algebra, ret_factor, mask) &&
            met_sum_equal(met_sum_mul(algebra, a, met_sum_of_product(algebra, *ret_factor)), b))
            return true;
    }
    return false;
}

/* One term for each set of groups whose others are proportional. */
typedef struct merged {
    const met_sum *others, *key;
} merged;

/* key·others, where others is λ·(those of the term) or the other way round. */
static bool join(met_algebra *algebra, merged *term, const met_sum *key, const met_sum *others, met_loops mask)
{
    met_product factor;
    if (proportional(algebra, term->others, others, mask, &factor)) {
        key = met_sum_mul(algebra, key, met_sum_of_product(algebra, factor));
    } else if (proportional(algebra, others, term->others, mask, &factor)) {
        term->others = others;
        term->key = met_sum_mul(algebra, term->key, met_sum_of_product(algebra, factor));
    } else {
        return false;
    }
    term->key = met_sum_add(algebra, term->key, key);
    return true;
}

static uint32_t merge(met_algebra *algebra, const groups *all, met_loops mask, bool keys_are_stream, met_sum_term *terms)
{
    uint32_t rank = 0;
    merged *made = MET_NEW_ARRAY(algebra->arena, merged, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        const met_sum *others = sum_of(algebra, all->at[i].others, all->at[i].count);
        const met_sum *key = met_sum_of_product(algebra, all->at[i].key);
        uint32_t k = 0;
        while (k < rank && !join(algebra, &made[k], key, others, mask))
            k++;
        if (k == rank)
            made[rank++] = (merged){ others, key };
    }
    for (uint32_t k = 0; k < rank; k++)
        terms[k] = keys_are_stream ? (met_sum_term){ made[k].others, made[k].key } : (met_sum_term){ made[k].key, made[k].others };
    return rank;
}

/* A number before a sum of several products goes into it, and so does a sign. */
static void absorb(met_algebra *algebra, met_sum_term *terms, uint32_t rank)
{
    double number;
    for (uint32_t i = 0; i < rank && !algebra->reason; i++) {
        if (!met_sum_is_number(terms[i].c, &number) || (terms[i].phi->count < 2 && number != -1))
            continue;
        terms[i].phi = met_sum_scale(algebra, terms[i].phi, number);
        terms[i].c = met_sum_number(algebra, 1);
    }
}

uint32_t met_sum_separate(met_algebra *algebra, const met_sum *e, met_loops mask, const met_sum_term **ret_terms)
{
    if (!e)
        return MET_NONE;
    groups columns = { 0, MET_NEW_ARRAY(algebra->arena, group, e->count) };
    groups rows = { 0, MET_NEW_ARRAY(algebra->arena, group, e->count) };
    for (uint32_t i = 0; i < e->count; i++) {
        parts of = parts_of(algebra, &e->terms[i], mask);
        met_product with_statistic = met_product_mul(algebra, &of.fixed, &of.statistic);
        met_product with_stream = met_product_mul(algebra, &of.fixed, &of.stream);
        add_to(algebra, &columns, e->count, &of.stream, &with_statistic);
        add_to(algebra, &rows, e->count, &of.statistic, &with_stream);
    }
    met_sum_term *by_stream = MET_NEW_ARRAY(algebra->arena, met_sum_term, e->count);
    met_sum_term *by_statistic = MET_NEW_ARRAY(algebra->arena, met_sum_term, e->count);
    uint32_t column_rank = merge(algebra, &columns, mask, true, by_stream);
    uint32_t row_rank = column_rank > 1 ? merge(algebra, &rows, mask, false, by_statistic) : column_rank;
    met_sum_term *terms = row_rank < column_rank ? by_statistic : by_stream;
    uint32_t rank = row_rank < column_rank ? row_rank : column_rank;
    *ret_terms = terms;
    absorb(algebra, terms, rank);
    return algebra->reason ? MET_NONE : rank;
}

/* Loop 0 stands for the stream, and for every index. */
static met_algebra *algebra_of(met_arena *arena, uint32_t input_count, const met_algebra_input *inputs)
{
    met_traits *traits = MET_NEW_ARRAY(arena, met_traits, input_count);
    for (uint32_t i = 0; i < input_count; i++) {
        bool stream = inputs[i].class == MET_VALUE_STREAM;
        traits[i] = (met_traits){ .loops = stream, .positive = inputs[i].positive, .weights = false };
        traits[i].statistic = inputs[i].class == MET_VALUE_STATISTIC || inputs[i].class == MET_VALUE_TAIL;
    }
    met_loops *index_loops = MET_NEW_ARRAY(arena, met_loops, MET_KERNEL_LOOPS);
    for (uint32_t i = 0; i < MET_KERNEL_LOOPS; i++)
        index_loops[i] = 1;
    return met_algebra_new(arena, 1, traits, index_loops);
}

bool met_separate(met_arena *arena, const met_scalar *e, uint32_t input_count, const met_algebra_input *inputs,
                  met_separation *ret_separation)
{
    met_algebra *algebra = algebra_of(arena, input_count, inputs);
    const met_sum_term *terms = NULL;
    *ret_separation = (met_separation){ 0 };
    uint32_t rank = met_sum_separate(algebra, met_sum_of_scalar(algebra, e, NULL, NULL), algebra->stream, &terms);
    met_separable_term *made = MET_NEW_ARRAY(arena, met_separable_term, rank == MET_NONE ? 0 : rank);
    for (uint32_t i = 0; rank != MET_NONE && i < rank; i++)
        made[i] = (met_separable_term){ met_sum_scalar(algebra, terms[i].c), met_sum_scalar(algebra, terms[i].phi) };
    if (algebra->reason) {
        ret_separation->blocking = algebra->blocking;
        ret_separation->reason = algebra->reason;
        return false;
    }
    ret_separation->rank = rank;
    ret_separation->terms = made;
    return true;
}

/* The exponent k of exp(input)^k as the only place of the input; 0 otherwise. */
static double exponent_of(const met_algebra *algebra, const met_sum *c, uint32_t input, met_scalar_fn *ret_fn)
{
    if (!c || c->count != 1 || c->terms[0].count != 1)
        return 0;
    const met_atom *atom = algebra->atoms.at[c->terms[0].powers[0].atom];
    if (atom->kind != MET_ATOM_EXP)
        return 0;
    const met_product *exponent = &atom->arguments[0]->terms[0];
    const met_atom *inner = exponent->count == 1 ? algebra->atoms.at[exponent->powers[0].atom] : NULL;
    if (!inner || inner->kind != MET_ATOM_LEAF || exponent->powers[0].exponent != 1 || inner->leaf->kind != MET_SCALAR_INPUT ||
        inner->leaf->input != input)
        return 0;
    *ret_fn = atom->fn;
    return c->terms[0].powers[0].exponent;
}

const met_scalar *met_rebase_factor(met_arena *arena, met_scalar_fn fn, double exponent)
{
    bool falls = exponent < 0; /* with the base */
    const met_scalar *difference = met_scalar_call(arena, MET_FN_sub, met_scalar_input(arena, falls ? 0 : 1),
                                                   met_scalar_input(arena, falls ? 1 : 0), NULL);
    double size = falls ? -exponent : exponent;
    if (size != 1)
        difference = met_scalar_call(arena, MET_FN_mul, difference, met_scalar_number(arena, size), NULL);
    return fn == MET_FN_ldexp ? met_scalar_call(arena, fn, met_scalar_number(arena, 1), difference, NULL) :
                                met_scalar_call(arena, fn, difference, NULL, NULL);
}

const met_scalar *met_rebase(met_arena *arena, const met_scalar *e, uint32_t input_count, const met_algebra_input *inputs,
                             uint32_t base, bool *ret_exact)
{
    met_algebra_input *classed = met_arena_copy(arena, inputs, input_count, sizeof *inputs);
    for (uint32_t i = 0; i < input_count; i++)
        classed[i].class = i == base ? MET_VALUE_STATISTIC : MET_VALUE_STREAM;
    met_algebra *algebra = algebra_of(arena, input_count, classed);
    const met_sum_term *terms;
    if (met_sum_separate(algebra, met_sum_of_scalar(algebra, e, NULL, NULL), algebra->stream, &terms) != 1)
        return NULL;
    met_scalar_fn fn;
    double exponent = exponent_of(algebra, terms[0].c, base, &fn);
    if (exponent == 0)
        return NULL;
    *ret_exact = fn == MET_FN_ldexp;
    return met_rebase_factor(arena, fn, exponent);
}
