/* Values that are computed from a running statistic, and how sums of them are mended when it moves. Formulas are composed
 * from step to step; whether and by what a sum is mended is the algebra's to say (met_rebase). */
#include "derive/algebra.h"
#include "derive/kernel_parts.h"

#define FORMULA_LIMIT 200 /* calls of a composed formula: beyond that it is not followed */

static met_relation of_kind(met_relation_kind kind)
{
    return (met_relation){ .kind = kind };
}

/* --- Composing --- */

typedef struct composer {
    const met_sketch *d;
    const met_kernel_step *step;
    const met_relation *ins;
    uint32_t calls;
} composer;

static uint32_t calls_of(const met_scalar *e)
{
    uint32_t calls = e->kind == MET_SCALAR_CALL;
    for (int i = 0; i < 3 && e->kind == MET_SCALAR_CALL; i++)
        calls += e->arguments[i] ? calls_of(e->arguments[i]) : 0;
    return calls;
}

/* A step's formula over value numbers and loops, with what its inputs are computed by put in. */
static const met_scalar *compose(composer *x, const met_scalar *e)
{
    met_arena *arena = x->d->arena;
    const met_scalar *arguments[3] = { NULL, NULL, NULL };
    switch (e->kind) {
    case MET_SCALAR_NUMBER:
    case MET_SCALAR_SIZE:
        return e;
    case MET_SCALAR_INDEX:
        return met_scalar_index(arena, x->step->loops[e->index]);
    case MET_SCALAR_INPUT:
        if (x->ins[e->input].kind != MET_RELATION_BASED || !x->ins[e->input].e)
            return met_scalar_input(arena, x->step->ins[e->input]);
        x->calls += calls_of(x->ins[e->input].e);
        return x->ins[e->input].e;
    case MET_SCALAR_CALL:
        break;
    }
    x->calls++;
    for (int i = 0; i < 3; i++)
        if (e->arguments[i] && x->calls <= FORMULA_LIMIT)
            arguments[i] = compose(x, e->arguments[i]);
    return met_scalar_call(arena, e->fn, arguments[0], arguments[1], arguments[2]);
}

/* Only one statistic at a time: two would need two corrections in one. */
static bool one_base(uint32_t count, const met_relation *ins, uint32_t *ret_base)
{
    *ret_base = MET_NONE;
    for (uint32_t k = 0; k < count; k++) {
        if (ins[k].kind == MET_RELATION_NONE)
            continue;
        if (ins[k].kind == MET_RELATION_LOST || (*ret_base != MET_NONE && ins[k].base != *ret_base))
            return false;
        *ret_base = ins[k].base;
    }
    return true;
}

met_relation met_sketch_relate(const met_sketch *d, uint32_t step, const met_relation *ins)
{
    const met_primitive *form = met_sketch_form(d, step);
    const met_kernel_step *s = &d->steps[step];
    uint32_t base;
    if (!one_base(met_sketch_node(d, step)->in_count, ins, &base))
        return of_kind(MET_RELATION_LOST);
    if (base == MET_NONE)
        return of_kind(MET_RELATION_NONE);
    /* one number cannot mend a sum over several bases, and formulas do not say what a fold within a slice makes */
    bool inner_fold = s->reduced != 0 && s->phase != MET_STEP_FOLD;
    if (form->form != MET_FORM_FOLD || inner_fold || d->values.at[base].loops & s->reduced)
        return of_kind(MET_RELATION_LOST);
    composer x = { d, s, ins, 0 };
    met_relation result = { MET_RELATION_BASED, base, compose(&x, form->e) };
    return x.calls <= FORMULA_LIMIT ? result : of_kind(MET_RELATION_LOST);
}

/* --- Mending --- */

/* The polynomial exponential obeys the laws of the exponential as nearly as its rounding allows. */
static const met_scalar *renamed(met_arena *arena, const met_scalar *e, met_scalar_fn from, met_scalar_fn to, bool *ret_found)
{
    if (e->kind != MET_SCALAR_CALL)
        return e;
    const met_scalar *arguments[3] = { NULL, NULL, NULL };
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            arguments[i] = renamed(arena, e->arguments[i], from, to, ret_found);
    *ret_found = *ret_found || e->fn == from;
    return met_scalar_call(arena, e->fn == from ? to : e->fn, arguments[0], arguments[1], arguments[2]);
}

/* A correction for a base that goes from 0 to 1. */
static double value_at_rise(const met_scalar *e)
{
    double value = 0, arguments[3] = { 0, 0, 0 };
    if (e->kind == MET_SCALAR_INPUT)
        return e->input;
    if (e->kind != MET_SCALAR_CALL)
        return met_scalar_constant(e, &value) ? value : 0;
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            arguments[i] = value_at_rise(e->arguments[i]);
    return met_scalar_fn_apply(e->fn, arguments[0], arguments[1], arguments[2]);
}

const met_scalar *met_sketch_correction(const met_sketch *d, const met_relation *relation, bool rises, bool *ret_exact)
{
    uint32_t count = (uint32_t)d->values.count;
    met_algebra_input *inputs = MET_NEW_ARRAY(d->arena, met_algebra_input, count);
    bool polynomial = false, ignored;
    const met_scalar *e = renamed(d->arena, relation->e, MET_FN_expp, MET_FN_exp, &polynomial);
    const met_scalar *delta = met_rebase(d->arena, e, count, inputs, relation->base, ret_exact);
    if (!delta || (value_at_rise(delta) < 1) != rises)
        return NULL;
    return polynomial ? renamed(d->arena, delta, MET_FN_exp, MET_FN_expp, &ignored) : delta;
}
