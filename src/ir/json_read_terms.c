/* Dim expressions, affine expressions and formulas in the JSON form. */
#include <math.h>

#include "base/value.h"
#include "ir/affine.h"
#include "ir/json.h"

enum { TERMS = 256 };

static void complain(const met_json_names *names, const met_value *value, const char *wanted)
{
    met_diag_at(names->session, MET_DIAG_circuit, &value->place, "this is not %s", wanted);
}

static bool positive(const met_json_names *names, const met_value *table, const char *key, uint64_t *ret_n)
{
    const met_value *value = met_value_require(names->session, table, key);
    int64_t n;
    if (!value || !met_value_to_integer(names->session, value, key, &n))
        return false;
    if (n < 1) {
        complain(names, value, "a positive integer");
        return false;
    }
    *ret_n = (uint64_t)n;
    return true;
}

static const met_dim *read_factor(const met_json_names *names, const met_value *value)
{
    uint64_t power, divisor;
    if (!met_value_expect(names->session, value, MET_VALUE_TABLE, "a factor") || !positive(names, value, "power", &power))
        return NULL;
    if (power > MET_DIM_POWER) {
        complain(names, value, "a power that met reads");
        return NULL;
    }
    const met_value *size = met_value_get(value, "size");
    const met_value *quotient = met_value_get(value, "floor");
    bool ceiling = quotient == NULL;
    if (ceiling)
        quotient = met_value_get(value, "ceil");
    const met_dim *base = NULL;
    if (size) {
        base = met_json_dim(names, size);
    } else if (quotient && positive(names, value, "by", &divisor)) {
        base = met_json_dim(names, quotient);
        if (base)
            base = (ceiling ? met_dim_ceil_div : met_dim_floor_div)(names->session->arena, base, divisor);
    } else {
        complain(names, value, "a factor");
    }
    const met_dim *result = base;
    for (uint64_t p = 1; p < power && result; p++)
        result = met_dim_mul(names->session->arena, result, base);
    return result;
}

static const met_dim *read_sum(const met_json_names *names, const met_value *terms)
{
    met_arena *arena = names->session->arena;
    const met_dim *sum = met_dim_constant(arena, 0);
    for (size_t i = 0; i < terms->items.count && sum; i++) {
        const met_value *term = terms->items.at[i];
        uint64_t coefficient;
        if (!met_value_expect(names->session, term, MET_VALUE_TABLE, "a term") || !positive(names, term, "coefficient", &coefficient))
            return NULL;
        const met_value *factors = met_value_require(names->session, term, "factors");
        if (!factors || !met_value_expect(names->session, factors, MET_VALUE_LIST, "factors"))
            return NULL;
        const met_dim *product = met_dim_constant(arena, coefficient);
        for (size_t j = 0; j < factors->items.count && product; j++) {
            const met_dim *factor = read_factor(names, factors->items.at[j]);
            product = factor ? met_dim_mul(arena, product, factor) : NULL;
        }
        sum = met_dim_add(arena, sum, product);
    }
    return sum;
}

const met_dim *met_json_dim(const met_json_names *names, const met_value *value)
{
    met_arena *arena = names->session->arena;
    const met_dim *dim = NULL;
    uint32_t id;
    size_t errors = names->session->errors;
    if (value->kind == MET_VALUE_INTEGER && value->integer >= 0)
        return met_dim_constant(arena, (uint64_t)value->integer);
    if (value->kind == MET_VALUE_STRING && met_map_get(names->sizes, value->string, &id))
        return met_dim_symbol(arena, (met_size){ id });
    if (value->kind == MET_VALUE_TABLE) {
        const met_value *terms = met_value_get(value, "sum");
        if (terms && terms->kind == MET_VALUE_LIST)
            dim = read_sum(names, terms);
    }
    if (!dim && names->session->errors == errors)
        complain(names, value, "a size: an integer, a name of `sizes`, or a sum that fits");
    return dim;
}

static bool read_term(const met_json_names *names, const met_value *value, met_affine_term *ret_term)
{
    if (!met_value_expect(names->session, value, MET_VALUE_TABLE, "a term"))
        return false;
    const met_value *coefficient = met_value_require(names->session, value, "coefficient");
    if (!coefficient || !met_value_to_integer(names->session, coefficient, "coefficient", &ret_term->coefficient))
        return false;
    const met_value *index = met_value_get(value, "index"), *size = met_value_get(value, "size");
    int64_t number;
    if (index && met_value_to_integer(names->session, index, "index", &number) && number >= 0 && number < 1000) {
        ret_term->kind = MET_TERM_INDEX;
        ret_term->index = (uint32_t)number;
        return true;
    }
    if (size) {
        ret_term->kind = MET_TERM_SIZE;
        ret_term->size = met_json_dim(names, size);
        return ret_term->size != NULL;
    }
    complain(names, value, "a term with an `index` or a `size`");
    return false;
}

bool met_json_affine(const met_json_names *names, const met_value *value, met_affine *ret_affine)
{
    met_arena *arena = names->session->arena;
    if (value->kind == MET_VALUE_INTEGER && value->integer >= 0 && value->integer < 1000) {
        met_affine_term *term = MET_NEW(arena, met_affine_term);
        *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = (uint32_t)value->integer };
        *ret_affine = (met_affine){ 0, 1, term };
        return true;
    }
    if (!met_value_expect(names->session, value, MET_VALUE_TABLE, "a position"))
        return false;
    const met_value *constant = met_value_require(names->session, value, "constant");
    const met_value *terms = constant ? met_value_require(names->session, value, "terms") : NULL;
    int64_t number;
    if (!terms || !met_value_to_integer(names->session, constant, "constant", &number) ||
        !met_value_expect(names->session, terms, MET_VALUE_LIST, "terms"))
        return false;
    if (terms->items.count > TERMS) {
        complain(names, value, "a position of up to 256 terms");
        return false;
    }
    *ret_affine = met_affine_constant(number);
    for (size_t i = 0; i < terms->items.count; i++) {
        met_affine_term term;
        if (!read_term(names, terms->items.at[i], &term))
            return false;
        if (!met_affine_add(arena, *ret_affine, (met_affine){ 0, 1, &term }, 1, ret_affine)) {
            complain(names, value, "a position whose numbers fit 64 bits");
            return false;
        }
    }
    return true;
}

bool met_json_number(const met_json_names *names, const met_value *value, double *ret_number)
{
    if (value->kind == MET_VALUE_INTEGER || value->kind == MET_VALUE_FLOAT) {
        *ret_number = value->number;
        return true;
    }
    if (value->kind == MET_VALUE_STRING) {
        *ret_number = met_str_is(value->string, "nan") ? NAN : met_str_is(value->string, "-inf") ? -INFINITY : INFINITY;
        if (isnan(*ret_number) || *ret_number < 0 || met_str_is(value->string, "inf"))
            return true;
    }
    complain(names, value, "a number");
    return false;
}

static const met_scalar *read_call(const met_json_names *names, const met_value *value, const met_value *call)
{
    met_scalar_fn fn;
    const met_value *list = met_value_require(names->session, value, "arguments");
    if (!list || !met_value_expect(names->session, list, MET_VALUE_LIST, "arguments"))
        return NULL;
    if (call->kind != MET_VALUE_STRING || !met_scalar_fn_find(call->string, &fn) ||
        (size_t)met_scalar_fn_table[fn].arity != list->items.count) {
        complain(names, value, "a call of a scalar function");
        return NULL;
    }
    const met_scalar *arguments[3] = { NULL, NULL, NULL };
    for (size_t i = 0; i < list->items.count; i++) {
        arguments[i] = met_json_scalar(names, list->items.at[i]);
        if (!arguments[i])
            return NULL;
    }
    return met_scalar_call(names->session->arena, fn, arguments[0], arguments[1], arguments[2]);
}

const met_scalar *met_json_scalar(const met_json_names *names, const met_value *value)
{
    met_arena *arena = names->session->arena;
    double number;
    if (value->kind != MET_VALUE_TABLE)
        return met_json_number(names, value, &number) ? met_scalar_number(arena, number) : NULL;
    const met_value *input = met_value_get(value, "input"), *index = met_value_get(value, "index");
    const met_value *size = met_value_get(value, "size"), *call = met_value_get(value, "call");
    const met_value *counted = input ? input : index;
    if (counted && counted->kind == MET_VALUE_INTEGER && counted->integer >= 0 && counted->integer < 1000)
        return (input ? met_scalar_input : met_scalar_index)(arena, (uint32_t)counted->integer);
    if (size) {
        const met_dim *dim = met_json_dim(names, size);
        return dim ? met_scalar_size(arena, dim) : NULL;
    }
    if (call)
        return read_call(names, value, call);
    complain(names, value, "a formula");
    return NULL;
}
