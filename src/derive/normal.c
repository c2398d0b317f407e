/* Sums, products and atoms: what is the same whatever functions there are. */
#include "derive/normal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

met_algebra *met_algebra_new(met_arena *arena, met_loops stream, const met_traits *inputs, const met_loops *index_loops)
{
    met_algebra *algebra = MET_NEW(arena, met_algebra);
    algebra->arena = arena;
    algebra->stream = stream;
    algebra->inputs = inputs;
    algebra->index_loops = index_loops;
    return algebra;
}

const met_sum *met_algebra_refuse(met_algebra *algebra, const met_scalar *factor, const char *format, ...)
{
    if (algebra->reason)
        return NULL;
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    algebra->blocking = factor;
    algebra->reason = met_arena_text(algebra->arena, text, strlen(text));
    return NULL;
}

static bool work(met_algebra *algebra, uint32_t products)
{
    algebra->work += products;
    if (algebra->work <= MET_ALGEBRA_WORK)
        return true;
    met_algebra_refuse(algebra, NULL, "multiplied out, the expression has too many terms");
    return false;
}

int met_product_compare(const met_product *a, const met_product *b)
{
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
        if (a->powers[i].atom != b->powers[i].atom)
            return a->powers[i].atom < b->powers[i].atom ? -1 : 1;
        if (a->powers[i].exponent != b->powers[i].exponent)
            return a->powers[i].exponent > b->powers[i].exponent ? -1 : 1;
    }
    return a->count == b->count ? 0 : a->count > b->count ? -1 : 1;
}

bool met_sum_equal(const met_sum *a, const met_sum *b)
{
    if (a == b)
        return true;
    if (!a || !b || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->terms[i].coefficient != b->terms[i].coefficient || met_product_compare(&a->terms[i], &b->terms[i]) != 0)
            return false;
    return true;
}

bool met_sum_is_number(const met_sum *a, double *ret_number)
{
    if (a->count == 0)
        *ret_number = 0;
    else if (a->count == 1 && a->terms[0].count == 0)
        *ret_number = a->terms[0].coefficient;
    else
        return false;
    return true;
}

/* A sum while it is being made: there is one at a time. */
struct met_sum_builder {
    uint32_t count;
    met_product terms[MET_ALGEBRA_TERMS];
};
typedef struct met_sum_builder builder;

static builder *new_builder(met_algebra *algebra)
{
    if (!algebra->builder)
        algebra->builder = MET_NEW(algebra->arena, builder);
    algebra->builder->count = 0;
    return algebra->builder;
}

static bool insert(met_algebra *algebra, builder *sum, met_product product)
{
    uint32_t low = 0, high = sum->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = met_product_compare(&sum->terms[middle], &product);
        if (order == 0) {
            sum->terms[middle].coefficient += product.coefficient;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (sum->count == MET_ALGEBRA_TERMS) {
        met_algebra_refuse(algebra, NULL, "multiplied out, the expression has more than %d terms", MET_ALGEBRA_TERMS);
        return false;
    }
    memmove(&sum->terms[low + 1], &sum->terms[low], (sum->count - low) * sizeof *sum->terms);
    sum->terms[low] = product;
    sum->count++;
    return true;
}

static const met_sum *finish(met_algebra *algebra, const builder *from)
{
    met_sum *sum = MET_NEW(algebra->arena, met_sum);
    met_product *terms = MET_NEW_ARRAY(algebra->arena, met_product, from->count);
    for (uint32_t i = 0; i < from->count; i++) {
        if (!isfinite(from->terms[i].coefficient))
            return met_algebra_refuse(algebra, NULL, "a coefficient of the expression is beyond the range of numbers");
        if (from->terms[i].coefficient != 0)
            terms[sum->count++] = from->terms[i];
    }
    sum->terms = terms;
    return sum;
}

const met_sum *met_sum_of_product(met_algebra *algebra, met_product product)
{
    met_sum *one = MET_NEW(algebra->arena, met_sum);
    if (product.coefficient == 0)
        return one;
    if (!isfinite(product.coefficient))
        return met_algebra_refuse(algebra, NULL, "a coefficient of the expression is beyond the range of numbers");
    one->count = 1;
    one->terms = met_arena_copy(algebra->arena, &product, 1, sizeof product);
    return one;
}

const met_sum *met_sum_of_atom(met_algebra *algebra, uint32_t atom, double exponent)
{
    if (atom == MET_NONE)
        return NULL;
    met_power power = { atom, exponent };
    met_product product = { 1, 1, met_arena_copy(algebra->arena, &power, 1, sizeof power) };
    if (exponent == 0)
        product = (met_product){ .coefficient = 1 };
    return met_sum_of_product(algebra, product);
}

const met_sum *met_sum_leaf(met_algebra *algebra, const met_scalar *leaf)
{
    met_atom atom = { .kind = MET_ATOM_LEAF, .leaf = leaf };
    return met_sum_of_atom(algebra, met_atom_of(algebra, &atom), 1);
}

const met_sum *met_sum_number(met_algebra *algebra, double number)
{
    if (isfinite(number))
        return met_sum_of_product(algebra, (met_product){ .coefficient = number });
    return met_sum_leaf(algebra, met_scalar_number(algebra->arena, number));
}

const met_sum *met_sum_add(met_algebra *algebra, const met_sum *a, const met_sum *b)
{
    if (!a || !b || !work(algebra, a->count + b->count))
        return NULL;
    builder *sum = new_builder(algebra);
    if (a->count) /* an empty sum has no terms to point to */
        memcpy(sum->terms, a->terms, a->count * sizeof *a->terms);
    sum->count = a->count;
    for (uint32_t i = 0; i < b->count; i++)
        if (!insert(algebra, sum, b->terms[i]))
            return NULL;
    return finish(algebra, sum);
}

const met_sum *met_sum_scale(met_algebra *algebra, const met_sum *a, double factor)
{
    return met_sum_mul(algebra, a, met_sum_number(algebra, factor));
}

met_product met_product_mul(met_algebra *algebra, const met_product *a, const met_product *b)
{
    met_power *powers = MET_NEW_ARRAY(algebra->arena, met_power, a->count + b->count);
    met_product product = { a->coefficient * b->coefficient, 0, powers };
    for (uint32_t i = 0, k = 0; i < a->count || k < b->count;) {
        met_power power;
        if (k == b->count || (i < a->count && a->powers[i].atom < b->powers[k].atom)) {
            power = a->powers[i++];
        } else if (i == a->count || b->powers[k].atom < a->powers[i].atom) {
            power = b->powers[k++];
        } else {
            power = a->powers[i++];
            power.exponent += b->powers[k++].exponent;
        }
        if (power.exponent != 0)
            powers[product.count++] = power;
    }
    return product;
}

static bool check_product(met_algebra *algebra, const met_product *product)
{
    if (product->count > MET_ALGEBRA_FACTORS)
        met_algebra_refuse(algebra, NULL, "a product has more than %d different factors", MET_ALGEBRA_FACTORS);
    for (uint32_t i = 0; i < product->count; i++)
        if (!(fabs(product->powers[i].exponent) <= MET_ALGEBRA_EXPONENT))
            met_algebra_refuse(algebra, NULL, "an exponent is too large");
    return !algebra->reason;
}

const met_sum *met_sum_mul(met_algebra *algebra, const met_sum *a, const met_sum *b)
{
    if (!a || !b || !work(algebra, a->count * b->count))
        return NULL;
    builder *sum = new_builder(algebra);
    for (uint32_t i = 0; i < a->count; i++) {
        for (uint32_t k = 0; k < b->count; k++) {
            met_product product = met_product_mul(algebra, &a->terms[i], &b->terms[k]);
            if (!check_product(algebra, &product) || !insert(algebra, sum, product))
                return NULL;
        }
    }
    return finish(algebra, sum);
}

static bool is_even(double exponent)
{
    return fmod(exponent, 2) == 0;
}

met_traits met_product_traits(const met_algebra *algebra, const met_product *product)
{
    met_traits traits = { .positive = product->coefficient > 0, .weights = true };
    for (uint32_t i = 0; i < product->count; i++) {
        const met_traits *of = &algebra->atoms.at[product->powers[i].atom]->traits;
        traits.loops |= of->loops;
        traits.statistic = traits.statistic || of->statistic;
        traits.positive = traits.positive && (of->positive || is_even(product->powers[i].exponent));
        traits.weights = traits.weights && of->weights;
    }
    return traits;
}

met_traits met_sum_traits(const met_algebra *algebra, const met_sum *a)
{
    met_traits traits = { .positive = a->count > 0, .weights = true };
    for (uint32_t i = 0; i < a->count; i++) {
        met_traits of = met_product_traits(algebra, &a->terms[i]);
        traits.loops |= of.loops;
        traits.statistic = traits.statistic || of.statistic;
        traits.positive = traits.positive && of.positive;
        traits.weights = traits.weights && of.weights;
    }
    return traits;
}

bool met_traits_mix(const met_algebra *algebra, met_traits traits)
{
    return traits.statistic && (traits.loops & algebra->stream) != 0;
}

void met_product_split(met_algebra *algebra, const met_product *product, met_loops mask, met_product *ret_statistic,
                       met_product *ret_rest)
{
    met_power *powers = MET_NEW_ARRAY(algebra->arena, met_power, 2 * (size_t)product->count);
    met_power *rest = powers + product->count;
    *ret_statistic = (met_product){ 1, 0, powers };
    *ret_rest = (met_product){ product->coefficient, 0, rest };
    for (uint32_t i = 0; i < product->count; i++) {
        const met_traits *of = &algebra->atoms.at[product->powers[i].atom]->traits;
        if (of->statistic && !(of->loops & mask))
            powers[ret_statistic->count++] = product->powers[i];
        else
            rest[ret_rest->count++] = product->powers[i];
    }
}

/* The factor by which b is a; 0 if there is none. */
static double ratio(const met_sum *a, const met_sum *b)
{
    if (a->count != b->count || a->count == 0)
        return 0;
    double factor = b->terms[0].coefficient / a->terms[0].coefficient;
    for (uint32_t i = 0; i < a->count; i++)
        if (met_product_compare(&a->terms[i], &b->terms[i]) != 0 ||
            b->terms[i].coefficient != factor * a->terms[i].coefficient)
            return 0;
    return factor;
}

bool met_sum_split(met_algebra *algebra, const met_sum *a, const met_sum **ret_statistic, const met_sum **ret_rest)
{
    if (a->count == 0)
        return false;
    met_product *statistics = MET_NEW_ARRAY(algebra->arena, met_product, a->count);
    met_product *rests = MET_NEW_ARRAY(algebra->arena, met_product, a->count);
    bool *done = MET_NEW_ARRAY(algebra->arena, bool, a->count);
    for (uint32_t i = 0; i < a->count; i++)
        met_product_split(algebra, &a->terms[i], algebra->stream, &statistics[i], &rests[i]);
    *ret_statistic = met_sum_number(algebra, 0);
    *ret_rest = NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        if (done[i])
            continue;
        const met_sum *row = met_sum_number(algebra, 0);
        for (uint32_t k = i; row && k < a->count; k++) {
            if (met_product_compare(&statistics[k], &statistics[i]) != 0)
                continue;
            done[k] = true;
            row = met_sum_add(algebra, row, met_sum_of_product(algebra, rests[k]));
        }
        if (!row)
            return false;
        double factor = *ret_rest ? ratio(*ret_rest, row) : 1;
        if (factor == 0)
            return false;
        if (!*ret_rest)
            *ret_rest = row;
        met_product scaled = statistics[i];
        scaled.coefficient = factor;
        *ret_statistic = met_sum_add(algebra, *ret_statistic, met_sum_of_product(algebra, scaled));
        if (!*ret_statistic)
            return false;
    }
    return true;
}
