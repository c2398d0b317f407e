/* Maps, folds and reads. */
#include <assert.h>
#include <math.h>

#include "eval/run.h"
#include "number/fold.h"

static bool is_live(const met_strip *strip, int64_t t)
{
    return t >= strip->lo && t < strip->hi && (!strip->masked || strip->live[t]);
}

/* Stores a strip of results, the unit where guards do not hold. values[0] is t = strip->lo. */
static void store(const met_loop *loop, const met_strip *strip, const double *values)
{
    met_edge_id edge = loop->node->outs[0];
    const met_reader *out = &loop->out[0];
    int64_t offset = met_linear_at(loop, &out->offset), step = met_linear_step(loop, &out->offset);
    double unit = loop->run->unit[edge.id];
    int64_t length = met_loop_strip_length(loop);
    for (int64_t t = 0; t < length; t++)
        out->values[offset + step * t] =
            is_live(strip, t) ? met_run_round(loop->run, edge, values[t - strip->lo]) : unit;
}

void met_run_map(met_loop *loop)
{
    met_program *program = met_program_new(loop, loop->form.e);
    do {
        met_strip strip;
        strip.lo = 0;
        strip.hi = met_loop_strip_length(loop);
        strip.masked = false;
        met_strip_gates(loop, &loop->out_gates, &strip);
        met_loop_find_id(loop);
        store(loop, &strip, met_program_run(program, loop, strip.lo, strip.hi));
    } while (met_loop_next_strip(loop, loop->kept_count, loop->kept));
}

/* A factor of a product, or the whole summand: read where it lies, or computed. */
typedef struct factor {
    const met_reader *reader; /* NULL: computed */
    met_program *program;
    const double *scale_of, *second_of; /* of codes that have scales: parallel to the reader's values */
} factor;

static factor make_factor(const met_loop *loop, const met_scalar *e)
{
    const met_run *run = loop->run;
    if (e->kind == MET_SCALAR_INPUT && !loop->in[e->input].round) {
        uint32_t edge = loop->node->ins[e->input].id;
        return (factor){ .reader = &loop->in[e->input], .scale_of = run->scale_of ? run->scale_of[edge] : NULL,
                         .second_of = run->second_of ? run->second_of[edge] : NULL };
    }
    return (factor){ .program = met_program_new(loop, e) };
}

/* Values along a strip: for t from lo, at[(t − lo)·step]. */
static const double *along(const met_loop *loop, const factor *f, const met_strip *strip, int64_t *ret_step)
{
    if (!f->reader) {
        *ret_step = 1;
        return met_program_run(f->program, loop, strip->lo, strip->hi);
    }
    *ret_step = met_linear_step(loop, &f->reader->offset);
    return f->reader->values + f->reader->shift + met_linear_at(loop, &f->reader->offset) + strip->lo * *ret_step;
}

typedef struct folding {
    met_fold *fold;
    bool product; /* of two factors: may be contracted */
    factor a, b;
    bool any;     /* a term took part */
    /* Of codes: */
    uint64_t group; /* terms that share both scales; 0: values are folded */
    uint64_t open;  /* the group at hand; UINT64_MAX: none */
    double scale, second; /* of it, of both operands */
    float sum;
} folding;

/* --- Codes --- */

/* Of what is read at `at`. */
static double scale_at(const factor *f, const double *scales, const double *at)
{
    return scales ? scales[at - f->reader->values] : 1;
}

static double code_at(const factor *f, const double *at)
{
    double scale = scale_at(f, f->scale_of, at) * scale_at(f, f->second_of, at);
    return scale != 0 && isfinite(scale) ? *at / scale : 0;
}

/* The group at hand joins the sum. */
static void close_group(folding *f)
{
    if (f->open != UINT64_MAX)
        f->sum = fmaf((float)f->scale, (float)met_fold_end(f->fold), f->sum);
    f->open = UINT64_MAX;
}

static void push_codes(folding *f, uint64_t index, const double *a, const double *b)
{
    if (f->open != index / f->group) {
        close_group(f);
        met_fold_begin(f->fold);
        f->open = index / f->group;
        f->scale = scale_at(&f->a, f->a.scale_of, a) * scale_at(&f->b, f->b.scale_of, b);
        f->second = scale_at(&f->a, f->a.second_of, a) * scale_at(&f->b, f->b.second_of, b);
    }
    met_fold_push_product(f->fold, index % f->group, code_at(&f->a, a), code_at(&f->b, b));
}

static double end_codes(folding *f)
{
    close_group(f);
    return (double)(f->second == 1 ? f->sum : f->sum * (float)f->second);
}

/* --- Folds --- */

static void fold_strip(met_loop *loop, folding *f, uint64_t first)
{
    met_loop_find_id(loop);
    met_strip strip;
    strip.lo = 0;
    strip.hi = met_loop_strip_length(loop);
    strip.masked = false;
    for (uint32_t k = 0; k < loop->node->in_count; k++)
        met_strip_inside(loop, &loop->in[k], &strip); /* what is not there takes no part */
    met_strip_gates(loop, &loop->in_gates, &strip);
    if (strip.lo >= strip.hi)
        return;
    int64_t step_a = 0, step_b = 0;
    const double *a = along(loop, &f->a, &strip, &step_a);
    const double *b = f->product ? along(loop, &f->b, &strip, &step_b) : NULL;
    for (int64_t t = strip.lo; t < strip.hi; t++) {
        if (strip.masked && !strip.live[t])
            continue;
        f->any = true;
        uint64_t index = first + (uint64_t)t;
        int64_t k = t - strip.lo;
        if (f->group)
            push_codes(f, index, &a[k * step_a], &b[k * step_b]);
        else if (f->product)
            met_fold_push_product(f->fold, index, a[k * step_a], b[k * step_b]);
        else
            met_fold_push(f->fold, index, a[k * step_a]);
    }
}

/* The fold at the present kept counters. With every term guarded out it is 0, whatever the monoid. */
static double fold_point(met_loop *loop, folding *f)
{
    met_fold_begin(f->fold);
    f->any = false;
    f->open = UINT64_MAX;
    f->sum = 0;
    uint64_t first = 0;
    bool more;
    do {
        fold_strip(loop, f, first);
        first += (uint64_t)met_loop_strip_length(loop);
        more = met_loop_next_strip(loop, loop->fold_count, loop->folded);
    } while (more);
    return !f->any ? 0 : f->group ? end_codes(f) : met_fold_end(f->fold);
}

static folding make_folding(const met_loop *loop)
{
    uint64_t n = 1;
    for (uint32_t k = 0; k < loop->fold_count; k++)
        n *= (uint64_t)loop->size[loop->folded[k]];
    const met_scalar *e = loop->form.e;
    met_tree tree = met_loop_tree(loop);
    uint64_t group = loop->run->codes ? loop->run->codes->group[loop->node - loop->run->circuit->nodes] : 0;
    folding f = { .fold = met_fold_new(loop->run->arena, &tree, loop->form.monoid, group ? group : n), .group = group };
    f.product = loop->form.product && loop->form.monoid == MET_MONOID_ADD && e->kind == MET_SCALAR_CALL;
    f.a = make_factor(loop, f.product ? e->arguments[0] : e);
    if (f.product)
        f.b = make_factor(loop, e->arguments[1]);
    return f;
}

void met_run_fold(met_loop *loop)
{
    if (loop->fold_count == 0) {
        met_run_map(loop);
        return;
    }
    folding f = make_folding(loop);
    met_edge_id edge = loop->node->outs[0];
    do {
        met_strip point;
        point.lo = 0;
        point.hi = 1;
        point.masked = false;
        met_strip_gates(loop, &loop->out_gates, &point); /* no guard of a result moves along the strip */
        double *out = &loop->out[0].values[met_linear_at(loop, &loop->out[0].offset)];
        *out = is_live(&point, 0) ? met_run_round(loop->run, edge, fold_point(loop, &f)) : loop->run->unit[edge.id];
    } while (met_loop_next(loop, loop->kept_count, loop->kept));
}

/* An element of the table, or 0 if there is none at this id: it is moved, and nothing is computed with it. */
static void run_lookup(met_loop *loop)
{
    met_edge_id edge = loop->node->outs[0];
    const met_reader *table = &loop->in[loop->form.table];
    loop->strip = MET_NONE;
    do {
        met_strip point = { .lo = 0, .hi = 1 }, inside = { .lo = 0, .hi = 1 };
        met_strip_gates(loop, &loop->out_gates, &point);
        met_loop_find_id(loop);
        met_strip_inside(loop, table, &inside);
        double value = loop->run->unit[edge.id];
        if (is_live(&point, 0)) {
            value = inside.lo < inside.hi ? table->values[table->shift + met_linear_at(loop, &table->offset)] : 0;
            value = met_run_round(loop->run, edge, value);
        }
        loop->out[0].values[met_linear_at(loop, &loop->out[0].offset)] = value;
    } while (met_loop_next(loop, loop->kept_count, loop->kept));
}

void met_run_read(met_loop *loop)
{
    if (loop->form.e->kind == MET_SCALAR_INPUT)
        run_lookup(loop);
    else
        met_run_fold(loop);
}
