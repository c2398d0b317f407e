#include "cost/form.h"

#include <math.h>

#include "cost/lacks.h"
#include "cost/program.h"

/* A sum of volumes that are divided (traffic) or multiplied (memory) by the same free tiles. */
typedef struct term {
    met_loops loops;
    const met_dim *sum; /* NULL: beyond what an expression holds */
} term;

typedef struct term_list {
    term at[MET_KERNEL_LOOPS * 2];
    uint32_t count;
} term_list;

typedef struct former {
    met_arena *arena;
    const met_cost_problem *p;
    met_loops free, thin;
    term_list traffic, memory;
    bool whole; /* every window is walked by one loop, so that volumes are products of sizes */
} former;

static const met_dim *product_of(const former *f, met_loops loops, uint64_t factor)
{
    const met_dim *product = met_dim_constant(f->arena, factor);
    for (met_loops rest = loops; rest; rest &= rest - 1) {
        met_size size = { f->p->loops[__builtin_ctzll(rest)].like };
        product = met_dim_mul(f->arena, product, met_dim_symbol(f->arena, size));
    }
    return product;
}

static bool add_term(former *f, term_list *list, met_loops loops, const met_dim *volume)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->at[i].loops != loops)
            continue;
        list->at[i].sum = met_dim_add(f->arena, list->at[i].sum, volume);
        return true;
    }
    if (list->count == sizeof list->at / sizeof *list->at)
        return false;
    list->at[list->count++] = (term){ loops, volume };
    return true;
}

/* Traffic: |X|·Π a over what it lacks, over Π g. */
static bool collect_traffic(former *f)
{
    for (uint32_t a = 0; a < f->p->array_count; a++) {
        const met_cost_array *array = &f->p->arrays[a];
        met_loops lacks = met_cost_lacks(f->p, array), own = met_cost_carries(&array->shape);
        uint64_t weight = met_beyond_mul(array->weight, array->direction == MET_COST_UPDATE ? 2 : 1);
        bool repeats = array->passes > 1 && own & f->thin;
        weight = met_beyond_mul(weight, repeats ? array->passes : 1);
        for (uint32_t w = 0; w < array->shape.window_count; w++)
            f->whole = f->whole && array->shape.windows[w].walk_count == 1;
        const met_dim *volume = weight == MET_BEYOND ? NULL : product_of(f, own | lacks, weight);
        if (!add_term(f, &f->traffic, lacks, volume))
            return false;
    }
    return true;
}

/* Memory: Π g over free loops, times the sizes of local ones; what has a thin slice is thin. */
static bool collect_memory(former *f)
{
    const met_cost_problem *p = f->p;
    for (uint32_t r = 0; r < p->resident_count; r++) {
        met_loops own = met_cost_carries(&p->residents[r].shape);
        if (own & f->thin)
            continue;
        met_loops local = own;
        for (uint32_t i = 0; i < p->order_count; i++)
            local &= ~((met_loops)1 << p->order[i]);
        if ((own & f->free) && !add_term(f, &f->memory, own & f->free, product_of(f, local, p->residents[r].weight)))
            return false;
    }
    return true;
}

/* maximize t where t <= Σ y over what a term of the traffic lacks, and Σ y over a resident's loops <= 1 */
static bool solve_exponents(former *f, met_lp_optimum *ret_optimum)
{
    uint32_t variable[MET_KERNEL_LOOPS], variables = 1, row = 0;
    for (uint32_t l = 0; l < f->p->loop_count; l++)
        variable[l] = f->free >> l & 1 ? variables++ : 0;
    met_lp lp = met_lp_new(f->arena, f->traffic.count + f->memory.count, variables);
    met_ratio one = met_ratio_of(1, 1), minus = met_ratio_of(-1, 1);
    lp.gain[0] = one;
    for (uint32_t i = 0; i < f->traffic.count; i++, row++) {
        lp.rows[(size_t)row * variables] = f->traffic.at[i].loops ? one : met_ratio_of(0, 1);
        for (met_loops rest = f->traffic.at[i].loops; rest; rest &= rest - 1)
            lp.rows[(size_t)row * variables + variable[__builtin_ctzll(rest)]] = minus;
    }
    for (uint32_t i = 0; i < f->memory.count; i++, row++) {
        lp.right[row] = one;
        for (met_loops rest = f->memory.at[i].loops; rest; rest &= rest - 1)
            lp.rows[(size_t)row * variables + variable[__builtin_ctzll(rest)]] = one;
    }
    return met_lp_maximize(f->arena, &lp, ret_optimum);
}

/* Traffic that every capacity pays: the term that lacks nothing. Its row of the program says 0 <= 0 and is left out of the
 * question whether the dual is unique. */
static const met_dim *take_once(former *f)
{
    const met_dim *once = met_dim_constant(f->arena, 0);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->traffic.count; i++)
        if (f->traffic.at[i].loops)
            f->traffic.at[kept++] = f->traffic.at[i];
        else
            once = f->traffic.at[i].sum;
    f->traffic.count = kept;
    return once;
}

/* Numbers of equal exponents are multiplied before the power is taken, so that √2·√2 is 2. */
static void multiply_number(double *numbers, met_ratio *exponents, uint32_t *count, double number, met_ratio exponent)
{
    uint32_t k = 0;
    while (k < *count && met_ratio_compare(exponents[k], exponent) != 0)
        k++;
    if (k == *count) {
        exponents[(*count)++] = exponent;
        numbers[k] = 1;
    }
    numbers[k] *= number;
}

/* Π (B/δ)^δ · Π (w/μ)^μ · (Σμ)^Σμ, where Σμ is beta. */
static void close_form(former *f, const met_lp_optimum *optimum, met_cost_form *form)
{
    uint32_t rows = f->traffic.count + f->memory.count, count = 0;
    met_cost_power *powers = MET_NEW_ARRAY(f->arena, met_cost_power, rows);
    double *numbers = MET_NEW_ARRAY(f->arena, double, rows + 1);
    met_ratio *exponents = MET_NEW_ARRAY(f->arena, met_ratio, rows + 1);
    for (uint32_t row = 0; row < rows; row++) {
        const term *t = row < f->traffic.count ? &f->traffic.at[row] : &f->memory.at[row - f->traffic.count];
        met_ratio exponent = optimum->dual[row];
        if (met_ratio_sign(exponent) == 0)
            continue;
        powers[form->power_count++] = (met_cost_power){ t->sum, exponent };
        multiply_number(numbers, exponents, &count, 1 / met_ratio_number(exponent), exponent);
        form->closed = form->closed && t->sum;
    }
    multiply_number(numbers, exponents, &count, met_ratio_number(form->beta), form->beta);
    form->powers = powers;
    form->number = 1;
    for (uint32_t k = 0; k < count; k++)
        form->number *= pow(numbers[k], met_ratio_number(exponents[k]));
}

bool met_cost_form_of(met_arena *arena, const met_cost_problem *p, met_cost_form *ret_form)
{
    former f = { .arena = arena, .p = p, .free = met_cost_free_loops(p), .whole = true };
    for (uint32_t i = p->group_count; i < p->order_count; i++)
        f.thin |= (met_loops)1 << p->order[i];
    f.thin &= ~f.free;
    if (!collect_traffic(&f))
        return false;
    met_cost_form form = { .beta = met_ratio_of(0, 1), .once = take_once(&f), .number = 0, .unit = p->unit };
    form.closed = f.whole && form.once && p->column_count == 1;
    *ret_form = form;
    if (f.traffic.count == 0)
        return true;
    met_lp_optimum optimum;
    if (!collect_memory(&f) || !solve_exponents(&f, &optimum))
        return false;
    form.beta = optimum.value;
    form.closed = form.closed && optimum.dual_unique;
    if (form.closed)
        close_form(&f, &optimum, &form);
    *ret_form = form;
    return true;
}

bool met_cost_edge_cover(met_arena *arena, uint32_t loop_count, uint32_t array_count, const met_loops *arrays,
                         met_ratio *ret_sigma)
{
    met_loops covered = 0;
    for (uint32_t a = 0; a < array_count; a++)
        covered |= arrays[a];
    /* the dual: as much as possible on the loops, at most 1 on those of an array */
    met_lp lp = met_lp_new(arena, array_count, loop_count);
    for (uint32_t l = 0; l < loop_count; l++) {
        lp.gain[l] = met_ratio_of(1, 1);
        for (uint32_t a = 0; a < array_count; a++)
            lp.rows[(size_t)a * loop_count + l] = met_ratio_of(arrays[a] >> l & 1, 1);
    }
    for (uint32_t a = 0; a < array_count; a++)
        lp.right[a] = met_ratio_of(1, 1);
    met_lp_optimum optimum;
    if ((loop_count < MET_KERNEL_LOOPS && covered + 1 != (met_loops)1 << loop_count) || !met_lp_maximize(arena, &lp, &optimum))
        return false;
    *ret_sigma = optimum.value;
    return true;
}
