#include "budget/analysis.h"

#include <math.h>
#include <stdlib.h>

#include "base/diag.h"

#define INF ((double)INFINITY)

/* --- Reading --- */

static double size_of(void *context, const met_dim *size)
{
    return (double)met_run_dim(context, size);
}

static double element(const double *array, int64_t at)
{
    return array ? array[at] : 0;
}

met_running met_pass_read(const met_pass *pass, uint32_t input)
{
    const met_loop *loop = pass->loop;
    const met_reader *reader = &loop->in[input];
    const met_edge_error *e = &pass->a->edges[loop->node->ins[input].id];
    int64_t at = reader->shift + met_linear_at(loop, &reader->offset);
    met_running r = { .value = reader->values[at], .element = &reader->values[at], .error = element(e->error, at), .open = e->open,
                      .empty = element(e->empty, at) != 0 };
    if (e->floor && e->error)
        met_running_raise(&r, e->floor[at]);
    for (uint32_t k = 0; k < pass->a->channels; k++)
        r.channel[k] = e->unit ? (double)(k == e->unit) : element(e->channel[k], at);
    if (reader->round) {
        double rounded = (double)(float)r.value, by = fabs(rounded - r.value);
        r.value = rounded;
        r.error = met_budget_up(r.error + by);
        r.channel[0] = met_budget_up(r.channel[0] + by);
    }
    return r;
}

static bool is_inside(const met_loop *loop, const met_reader *reader)
{
    met_strip point = { .lo = 0, .hi = 1 };
    met_strip_inside(loop, reader, &point);
    return point.lo < point.hi;
}

static bool passes(const met_loop *loop, const met_gates *gates)
{
    met_strip point = { .lo = 0, .hi = 1 };
    met_strip_gates(loop, gates, &point);
    return point.lo < point.hi && (!point.masked || point.live[0]);
}

bool met_pass_load(met_pass *pass, bool fold)
{
    static const met_running nothing;
    met_loop *loop = pass->loop;
    met_loop_find_id(loop);
    if (fold && !passes(loop, &loop->in_gates))
        return false;
    for (uint32_t k = 0; k < loop->node->in_count; k++) {
        bool inside = is_inside(loop, &loop->in[k]);
        if (fold && !inside)
            return false;
        pass->inputs[k] = inside ? met_pass_read(pass, k) : nothing;
    }
    for (uint32_t i = 0; i < loop->index_count; i++)
        pass->indices[i] = (double)loop->counter[i];
    return true;
}

bool met_pass_live(const met_pass *pass)
{
    return passes(pass->loop, &pass->loop->out_gates);
}

/* --- Storing --- */

double met_edge_rounding(const met_pass *pass, uint32_t output, int64_t at, double stored, const double *before)
{
    const met_run *run = pass->a->run;
    uint32_t edge = pass->loop->node->outs[output].id;
    met_format format = run->circuit->edges[edge].format;
    met_dtype dtype = (met_dtype)format.dtype;
    if (run->reals || (met_format_is_plain(format) && dtype == MET_F64))
        return 0;
    /* arithmetic in f32 gives such numbers; what is moved alone, a code times its scale, need not be one */
    if (met_format_is_plain(format) && dtype == MET_F32 && !pass->wide)
        return before && isfinite(*before) ? fabs(*before - stored) : 0;
    if (before && *before == stored)
        return 0; /* what is moved, or chosen, is in the format already */
    if (!met_format_is_plain(format) && run->before && run->before[edge])
        return fabs(run->before[edge][at] - stored);
    if (met_format_is_float(format) && fabs(stored) < met_dtype_limits(dtype).max)
        return met_store_error(dtype, stored);
    /* at the end of the range, and of integers: what it was, if that is known */
    return before ? fabs(*before - stored) : INF;
}

/* An array is made when the first of its elements is not 0. */
static void put(met_arena *arena, double **array, uint64_t elements, int64_t at, double value)
{
    if (!(value == 0) && !*array)
        *array = MET_NEW_ARRAY(arena, double, elements);
    if (*array)
        (*array)[at] = value;
}

static void put_floor(met_arena *arena, double **array, uint64_t elements, int64_t at, double floor)
{
    if (floor > -INF && !*array) {
        *array = MET_NEW_ARRAY(arena, double, elements);
        for (uint64_t i = 0; i < elements; i++)
            (*array)[i] = -INF;
    }
    if (*array)
        (*array)[at] = floor;
}

void met_pass_put(met_pass *pass, uint32_t output, met_running r)
{
    met_analysis *a = pass->a;
    uint32_t edge = pass->loop->node->outs[output].id;
    met_edge_error *e = &a->edges[edge];
    int64_t at = met_linear_at(pass->loop, &pass->loop->out[output].offset);
    if (pass->blind)
        r.error = r.channel[0] = INF;
    e->open = e->open || r.open;
    put(a->arena, &e->error, a->run->elements[edge], at, r.error);
    put(a->arena, &e->empty, a->run->elements[edge], at, r.empty);
    put_floor(a->arena, &e->floor, a->run->elements[edge], at, r.floored ? r.floor : -INF);
    for (uint32_t k = 0; k < a->channels; k++)
        put(a->scratch, &e->channel[k], a->run->elements[edge], at, r.channel[k]);
}

void met_pass_store(met_pass *pass, uint32_t output, met_running r, bool known)
{
    const met_reader *out = &pass->loop->out[output];
    int64_t at = met_linear_at(pass->loop, &out->offset);
    double stored = out->values[at], rounding = met_edge_rounding(pass, output, at, stored, known ? &r.value : NULL);
    if (r.error > 0 && !r.open && met_pass_counts_alike(pass, output, stored)) {
        static const met_running certain;
        pass->a->choices.count++;
        met_pass_put(pass, output, certain);
        return;
    }
    bool kept = isfinite(stored) || (isinf(stored) && known && r.value == stored && r.error == 0);
    if (!kept)
        r.error = r.channel[0] = INF;
    else if (rounding > 0) {
        r.error = met_budget_up(r.error + rounding);
        r.channel[0] = met_budget_up(r.channel[0] + rounding);
    }
    met_pass_put(pass, output, r);
}

/* --- Nodes --- */

static void pass_map(met_pass *pass)
{
    met_loop *loop = pass->loop;
    static const met_running nothing;
    do {
        if (met_pass_live(pass)) {
            met_pass_load(pass, false);
            met_running r = met_formula_run(&pass->in, loop->form.e);
            pass->clear = true;
            met_pass_look(pass);
            met_pass_store(pass, 0, r, true);
            met_means_weigh(pass, r.value);
            met_means_root(pass);
        } else {
            met_pass_put(pass, 0, nothing); /* the unit, whatever the arguments are */
        }
    } while (met_loop_next(loop, loop->kept_count, loop->kept));
}

static bool any_error(const met_analysis *a, met_edge_id edge)
{
    const double *error = a->edges[edge.id].error;
    for (uint64_t i = 0; error && i < a->run->elements[edge.id]; i++)
        if (error[i] > 0)
            return true;
    return false;
}

/* Ids that are read by, and numbers in guards. */
static bool is_blind(const met_pass *pass)
{
    const met_loop *loop = pass->loop;
    const met_circuit *circuit = pass->a->run->circuit;
    if (loop->form.form == MET_FORM_READ && any_error(pass->a, loop->node->ins[loop->form.ids]))
        return true;
    for (uint32_t k = 0; k < loop->node->in_count; k++) {
        const met_edge *edge = &circuit->edges[loop->node->ins[k].id];
        for (uint32_t g = 0; g < edge->guard_count; g++)
            if (edge->guards[g].value.id != MET_NONE && any_error(pass->a, edge->guards[g].value))
                return true;
    }
    return false;
}

bool met_analyse_node(met_analysis *a, const met_node *node, bool chosen)
{
    met_loop *loop = met_loop_new(a->run, node);
    if (!loop)
        return false;
    a->summed = false;
    if (chosen)
        return true;
    met_arena *arena = a->run->arena;
    met_pass pass = { .a = a, .loop = loop, .wide = a->run->wide };
    loop->strip = MET_NONE;
    pass.inputs = MET_NEW_ARRAY(arena, met_running, node->in_count + 1);
    pass.indices = MET_NEW_ARRAY(arena, double, node->index_count);
    pass.in = (met_formula_inputs){ .wide = a->run->wide, .channels = a->channels, .inputs = pass.inputs,
                                    .indices = pass.indices, .size = size_of, .context = a->run,
                                    .quotient = met_means_quotient, .asked = &pass };
    pass.blind = is_blind(&pass);
    for (uint32_t k = 0; k < node->in_count; k++) /* of folds, whose terms are many */
        for (uint32_t o = 0; o < node->out_count; o++)
            a->edges[node->outs[o].id].open |= a->edges[node->ins[k].id].open;
    if (loop->form.form == MET_FORM_PICK)
        met_pass_pick(&pass);
    else if (loop->form.form == MET_FORM_SCAN)
        met_pass_scan(&pass);
    else if (loop->fold_count > 0)
        met_pass_fold(&pass);
    else
        pass_map(&pass);
    return true;
}
