/* Values and texts of closed forms. */
#include <math.h>

#include "cost/form.h"

/* --- Values --- */

static double dim_value(const met_dim *dim, const met_cost_problem *p)
{
    double sum = 0;
    for (uint32_t t = 0; t < dim->term_count; t++) {
        double product = (double)dim->terms[t].coefficient;
        for (uint32_t k = 0; k < dim->terms[t].factor_count; k++) {
            const met_factor *factor = &dim->terms[t].factors[k]; /* a symbol: volumes are products of sizes */
            for (uint32_t i = 0; i < factor->power; i++)
                product *= (double)p->loops[factor->symbol.id].size;
        }
        sum += product;
    }
    return sum;
}

double met_cost_form_value(const met_cost_form *form, const met_cost_problem *p, double capacity)
{
    double once = dim_value(form->once, p);
    if (form->power_count == 0)
        return once;
    double power = form->number;
    for (uint32_t k = 0; k < form->power_count; k++)
        power *= pow(dim_value(form->powers[k].base, p), met_ratio_number(form->powers[k].exponent));
    return once + power / pow(capacity, met_ratio_number(form->beta));
}

/* --- Texts --- */

/* The power term as a number times powers of sizes and of sums that do not factor. */
typedef struct monomial {
    double number; /* beside the following, which are multiplied before the power is taken */
    struct {
        double base;
        met_ratio exponent;
    } numbers[MET_KERNEL_LOOPS];
    met_cost_power at[MET_KERNEL_LOOPS * 3]; /* a power for each size, and for each sum that does not factor */
    uint32_t number_count, count;
} monomial;

static void multiply_number(monomial *m, double base, met_ratio exponent)
{
    uint32_t k = 0;
    while (k < m->number_count && met_ratio_compare(m->numbers[k].exponent, exponent) != 0)
        k++;
    if (k == m->number_count && k == sizeof m->numbers / sizeof *m->numbers) {
        m->number *= pow(base, met_ratio_number(exponent));
        return;
    }
    if (k == m->number_count) {
        m->numbers[m->number_count++].exponent = exponent;
        m->numbers[k].base = 1;
    }
    m->numbers[k].base *= base;
}

static double number_of(const monomial *m)
{
    double number = m->number;
    for (uint32_t k = 0; k < m->number_count; k++)
        number *= pow(m->numbers[k].base, met_ratio_number(m->numbers[k].exponent));
    return number;
}

static void multiply_in(monomial *m, const met_dim *base, met_ratio exponent)
{
    for (uint32_t i = 0; i < m->count; i++) {
        if (!met_dim_equal(m->at[i].base, base))
            continue;
        m->at[i].exponent = met_ratio_add(m->at[i].exponent, exponent);
        return;
    }
    if (m->count < sizeof m->at / sizeof *m->at)
        m->at[m->count++] = (met_cost_power){ base, exponent };
}

static uint64_t common_of(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The symbols and the number that all terms of a sum share, taken out of it. */
static const met_dim *take_out(met_arena *arena, const met_dim *sum, met_ratio exponent, monomial *m)
{
    const met_monomial *first = &sum->terms[0];
    uint64_t shared = 0;
    for (uint32_t t = 0; t < sum->term_count; t++)
        shared = common_of(shared, sum->terms[t].coefficient);
    multiply_number(m, (double)shared, exponent);
    uint32_t power[MET_KERNEL_LOOPS] = { 0 }; /* of each symbol, in every term */
    for (uint32_t k = 0; k < first->factor_count; k++) {
        uint32_t least = first->factors[k].power, symbol = first->factors[k].symbol.id;
        for (uint32_t t = 1; t < sum->term_count; t++) {
            uint32_t here = 0;
            for (uint32_t i = 0; i < sum->terms[t].factor_count; i++)
                if (sum->terms[t].factors[i].symbol.id == symbol)
                    here = sum->terms[t].factors[i].power;
            least = here < least ? here : least;
        }
        power[symbol] = least;
        if (least)
            multiply_in(m, met_dim_symbol(arena, (met_size){ symbol }), met_ratio_mul(met_ratio_of(least, 1), exponent));
    }
    const met_dim *rest = met_dim_constant(arena, 0);
    for (uint32_t t = 0; t < sum->term_count; t++) {
        const met_dim *product = met_dim_constant(arena, sum->terms[t].coefficient / shared);
        for (uint32_t k = 0; k < sum->terms[t].factor_count; k++) {
            const met_factor *factor = &sum->terms[t].factors[k];
            for (uint32_t i = power[factor->symbol.id]; i < factor->power; i++)
                product = met_dim_mul(arena, product, met_dim_symbol(arena, factor->symbol));
        }
        rest = met_dim_add(arena, rest, product);
    }
    return rest;
}

/* As met_dim_print, but with powers: 2*d^2 + d*e. */
static void put_sum(met_text *out, const met_dim *sum, const met_cost_problem *p)
{
    for (uint32_t t = 0; t < sum->term_count; t++) {
        const met_monomial *term = &sum->terms[t];
        bool any = term->coefficient != 1 || term->factor_count == 0;
        met_text_put(out, t > 0 ? " + " : "");
        if (any)
            met_text_format(out, "%llu", (unsigned long long)term->coefficient);
        for (uint32_t k = 0; k < term->factor_count; k++) {
            met_text_format(out, "%s%s", any ? "*" : "", p->loops[term->factors[k].symbol.id].size_name);
            if (term->factors[k].power > 1)
                met_text_format(out, "^%u", term->factors[k].power);
            any = true;
        }
    }
}

static void put_base(met_text *out, const met_dim *base, const met_cost_problem *p)
{
    bool sum = base->term_count > 1;
    met_text_put(out, sum ? "(" : "");
    put_sum(out, base, p);
    met_text_put(out, sum ? ")" : "");
}

static void put_exponent(met_text *out, met_ratio exponent)
{
    if (exponent.under == 1)
        met_text_format(out, "^%lld", (long long)exponent.over);
    else
        met_text_format(out, "^(%lld/%lld)", (long long)exponent.over, (long long)exponent.under);
}

static bool is_one(met_ratio r)
{
    return r.over == 1 && r.under == 1;
}

static bool is_half(met_ratio r)
{
    return r.over == 1 && r.under == 2;
}

/* Roots are written as one. */
static bool put_roots(met_text *out, const monomial *m, const met_cost_problem *p, bool any)
{
    bool open = false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->count; i++)
        count += is_half(m->at[i].exponent);
    for (uint32_t i = 0; i < m->count; i++) {
        if (!is_half(m->at[i].exponent))
            continue;
        met_text_put(out, open ? "*" : any ? "*sqrt(" : "sqrt(");
        if (count > 1)
            put_base(out, m->at[i].base, p);
        else
            put_sum(out, m->at[i].base, p);
        open = true;
    }
    met_text_put(out, open ? ")" : "");
    return open || any;
}

static void put_monomial(met_text *out, const monomial *m, const met_cost_problem *p)
{
    double number = number_of(m);
    bool any = fabs(number - 1) > 1e-12;
    if (any)
        met_text_double_digits(out, number, 12);
    for (uint32_t i = 0; i < m->count; i++) {
        if (is_half(m->at[i].exponent))
            continue;
        met_text_put(out, any ? "*" : "");
        put_base(out, m->at[i].base, p);
        if (!is_one(m->at[i].exponent))
            put_exponent(out, m->at[i].exponent);
        any = true;
    }
    if (!put_roots(out, m, p, any))
        met_text_put(out, "1");
}

static void put_over_capacity(met_text *out, met_ratio beta)
{
    if (is_half(beta)) {
        met_text_put(out, "/sqrt(M)");
        return;
    }
    met_text_put(out, "/M");
    if (!is_one(beta))
        put_exponent(out, beta);
}

static void put_divided(met_text *out, met_arena *arena, const met_dim *once, uint64_t unit, const met_cost_problem *p)
{
    monomial m = { .number = 1 / (double)unit };
    const met_dim *rest = take_out(arena, once, met_ratio_of(1, 1), &m);
    uint64_t one;
    if (!rest) {
        put_sum(out, once, p);
        return;
    }
    if (!met_dim_is_constant(rest, &one) || one != 1)
        multiply_in(&m, rest, met_ratio_of(1, 1));
    if (m.count == 1 && number_of(&m) == 1) /* it stands by itself */
        put_sum(out, once, p);
    else
        put_monomial(out, &m, p);
}

void met_cost_form_print(met_text *out, met_arena *arena, const met_cost_form *form, const met_cost_problem *p)
{
    bool moved_once = form->once->term_count > 0;
    if (moved_once)
        put_divided(out, arena, form->once, form->unit, p);
    else if (form->power_count == 0)
        met_text_put(out, "0");
    if (form->power_count == 0)
        return;
    met_text_put(out, moved_once ? " + " : "");
    /* traffic and capacity in whole units */
    monomial m = { .number = form->number * pow((double)form->unit, -1 - met_ratio_number(form->beta)) };
    for (uint32_t k = 0; k < form->power_count; k++) {
        const met_dim *rest = take_out(arena, form->powers[k].base, form->powers[k].exponent, &m);
        uint64_t one;
        if (rest && (!met_dim_is_constant(rest, &one) || one != 1))
            multiply_in(&m, rest, form->powers[k].exponent);
    }
    put_monomial(out, &m, p);
    put_over_capacity(out, form->beta);
}
