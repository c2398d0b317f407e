/* What runs when. A value of the stream is computed slice by slice, in the first pass in which all that it needs is there.
 * A statistic is complete after the pass of its fold. A running maximum may also be read in its own pass, as long as
 * the sums of what is computed from it can be mended when it moves, by a factor (met_sketch_correction). What cannot be mended waits for
 * the next pass, where the statistic is final; the steps of the body before it run again there. */
#include "derive/kernel_parts.h"

static bool has_stream(const met_sketch *d, met_loops loops)
{
    return d->stream != MET_NONE && loops & MET_LOOP(d->stream);
}

static const met_kernel_accumulator *accumulator_of(const met_sketch *d, uint32_t value)
{
    return &d->accumulators.at[d->accumulator[value]];
}

/* A statistic that may be read while it runs: a maximum or minimum that is itself relative to nothing. */
static bool runs(const met_sketch *d, uint32_t value)
{
    const met_kernel_accumulator *acc = accumulator_of(d, value);
    return acc->base == MET_NONE && (acc->monoid == MET_MONOID_MAX || acc->monoid == MET_MONOID_MIN);
}

/* The first pass in which an input can be read at all. */
static uint32_t first_pass(const met_sketch *d, uint32_t value)
{
    switch (d->values.at[value].class) {
    case MET_VALUE_STATIC:
        return 0;
    case MET_VALUE_STATISTIC:
        return d->pass[value] + !runs(d, value);
    case MET_VALUE_TAIL:
        return d->pass[value] + 1;
    case MET_VALUE_STREAM:
        break;
    }
    return d->pass[value];
}

/* What an input is relative to in a pass. */
static met_relation relation_in(const met_sketch *d, uint32_t value, uint32_t pass)
{
    met_value_class class = d->values.at[value].class;
    if (class == MET_VALUE_STATIC || d->pass[value] < pass)
        return (met_relation){ .kind = MET_RELATION_NONE };
    if (class == MET_VALUE_STATISTIC)
        return (met_relation){ .kind = MET_RELATION_BASED, .base = value };
    return d->relation[value];
}

/* Places a step that runs for every slice; gives the relation of its result, and of a fold the correction. */
static met_relation place_in_stream(met_sketch *d, uint32_t step, const met_scalar **ret_delta, bool *ret_exact)
{
    const met_node *node = met_sketch_node(d, step);
    met_kernel_step *s = &d->steps[step];
    met_relation *ins = MET_NEW_ARRAY(d->arena, met_relation, node->in_count);
    for (uint32_t k = 0; k < node->in_count; k++) {
        uint32_t first = first_pass(d, s->ins[k]);
        s->pass = first > s->pass ? first : s->pass;
    }
    for (uint32_t k = 0; k < node->in_count; k++)
        ins[k] = relation_in(d, s->ins[k], s->pass);
    met_relation result = met_sketch_relate(d, step, ins);
    bool fold = s->phase == MET_STEP_FOLD;
    if (fold && result.kind == MET_RELATION_BASED && met_sketch_form(d, step)->monoid == MET_MONOID_ADD)
        *ret_delta = met_sketch_correction(d, &result, accumulator_of(d, result.base)->monoid == MET_MONOID_MAX, ret_exact);
    if (result.kind == MET_RELATION_LOST || (fold && result.kind == MET_RELATION_BASED && !*ret_delta)) {
        s->pass++;
        result = (met_relation){ .kind = MET_RELATION_NONE };
    }
    s->pass_last = s->pass;
    return result;
}

static void add_accumulator(met_sketch *d, uint32_t step, uint32_t base, const met_scalar *delta, bool exact)
{
    met_kernel_step *s = &d->steps[step];
    uint32_t value = s->outs[0];
    met_kernel_accumulator acc = { .step = step, .value = value, .monoid = met_sketch_form(d, step)->monoid,
                                   .loops = d->values.at[value].loops, .base = MET_NONE };
    if (delta) {
        acc.base = d->accumulator[base];
        acc.delta = delta;
        acc.exact = exact;
    }
    s->accumulator = d->accumulator[value] = (uint32_t)d->accumulators.count;
    MET_PUSH(d->arena, &d->accumulators, acc);
}

/* A step outside of the stream: before it, or after the pass of the last statistic that it needs. */
static void place_outside(met_sketch *d, uint32_t step)
{
    met_kernel_step *s = &d->steps[step];
    s->phase = MET_STEP_HEAD;
    for (uint32_t k = 0; k < met_sketch_node(d, step)->in_count; k++) {
        if (d->values.at[s->ins[k]].class == MET_VALUE_STATIC)
            continue;
        s->phase = MET_STEP_TAIL;
        s->pass = d->pass[s->ins[k]] > s->pass ? d->pass[s->ins[k]] : s->pass;
    }
    s->pass_last = s->pass;
}

static bool runs_in_stream(const met_sketch *d, uint32_t step)
{
    for (uint32_t i = 0; i < met_sketch_node(d, step)->index_count; i++)
        if (d->stream != MET_NONE && d->steps[step].loops[i] == d->stream)
            return true;
    return false;
}

static void place(met_sketch *d, uint32_t step)
{
    static const met_value_class classes[] = { MET_VALUE_STATIC, MET_VALUE_STREAM, MET_VALUE_STATISTIC, MET_VALUE_TAIL };
    met_kernel_step *s = &d->steps[step];
    met_relation relation = { .kind = MET_RELATION_NONE };
    const met_scalar *delta = NULL;
    bool exact = false;
    if (d->stream == MET_NONE) {
        s->phase = MET_STEP_BODY;
    } else if (runs_in_stream(d, step)) {
        s->phase = has_stream(d, s->reduced) ? MET_STEP_FOLD : MET_STEP_BODY;
        relation = place_in_stream(d, step, &delta, &exact);
    } else {
        place_outside(d, step);
    }
    for (uint32_t k = 0; k < met_sketch_node(d, step)->out_count; k++) {
        d->values.at[s->outs[k]].class = d->stream == MET_NONE ? MET_VALUE_STATIC : classes[s->phase];
        d->pass[s->outs[k]] = s->pass;
        d->relation[s->outs[k]] = relation;
    }
    if (s->phase == MET_STEP_FOLD)
        add_accumulator(d, step, relation.base, delta, exact);
}

/* A step of the body runs in the passes from the first to the last that needs it; `pass` is the earliest possible till
 * then. What is only stored runs at once. */
static void trim_body(met_sketch *d)
{
    uint32_t *first = MET_NEW_ARRAY(d->arena, uint32_t, d->values.count), *last = MET_NEW_ARRAY(d->arena, uint32_t, d->values.count);
    for (uint32_t v = 0; v < d->values.count; v++)
        first[v] = MET_NONE;
    for (uint32_t step = d->count; step-- > 0;) {
        met_kernel_step *s = &d->steps[step];
        const met_node *node = met_sketch_node(d, step);
        if (s->phase == MET_STEP_BODY) {
            uint32_t begin = MET_NONE;
            for (uint32_t k = 0; k < node->out_count; k++) {
                begin = first[s->outs[k]] < begin ? first[s->outs[k]] : begin;
                s->pass_last = last[s->outs[k]] > s->pass_last ? last[s->outs[k]] : s->pass_last;
            }
            s->pass = begin != MET_NONE ? begin : s->pass;
        }
        for (uint32_t k = 0; k < node->in_count; k++) {
            uint32_t v = s->ins[k];
            first[v] = s->pass < first[v] ? s->pass : first[v];
            last[v] = s->pass_last > last[v] ? s->pass_last : last[v];
        }
    }
}

void met_sketch_phases(met_sketch *d)
{
    size_t count = d->values.count;
    d->pass = MET_NEW_ARRAY(d->arena, uint32_t, count);
    d->relation = MET_NEW_ARRAY(d->arena, met_relation, count);
    d->accumulator = MET_NEW_ARRAY(d->arena, uint32_t, count);
    for (uint32_t v = 0; v < count; v++) {
        d->accumulator[v] = MET_NONE;
        d->values.at[v].class = has_stream(d, d->values.at[v].loops) ? MET_VALUE_STREAM : MET_VALUE_STATIC;
    }
    for (uint32_t s = 0; s < d->count; s++)
        place(d, s);
    trim_body(d);
    d->pass_count = 1;
    for (uint32_t s = 0; s < d->count; s++)
        if (d->steps[s].pass_last >= d->pass_count)
            d->pass_count = d->steps[s].pass_last + 1;
}
