/* met_stream_derive: goes through a region's values and gives each its place. */
#include "derive/stream.h"

#include <string.h>

#include "derive/stream_parts.h"

uint32_t met_deriver_add(met_deriver *d, met_stream_value value, bool positive, bool weights)
{
    uint32_t taken;
    if (value.e && met_scalar_weight(value.e, MET_REGION_FORMULA) > MET_REGION_FORMULA) {
        met_deriver_refuse(d, NULL, "a formula of the result would have more than 4000 parts");
        value.e = met_scalar_number(d->arena, 0);
    }
    met_text name = met_text_new(d->arena);
    met_text_put(&name, value.name);
    while (value.origin == MET_NONE && met_map_get(d->names, met_str_of(met_text_done(&name)), &taken))
        met_text_char(&name, '_');
    value.name = met_text_done(&name);
    met_map_set(d->names, met_str_of(value.name), 0);
    met_traits traits = { .loops = value.loops, .positive = positive, .weights = weights };
    traits.statistic = value.phase == MET_STREAM_STATE || value.phase == MET_STREAM_TAIL;
    MET_PUSH(d->arena, &d->values, value);
    MET_PUSH(d->arena, &d->traits, traits);
    d->algebra->inputs = d->traits.at;
    return (uint32_t)d->values.count - 1;
}

const met_sum *met_deriver_leaf(met_deriver *d, uint32_t value)
{
    return met_sum_leaf(d->algebra, met_scalar_input(d->arena, value));
}

const char *met_deriver_name(met_deriver *d)
{
    met_text name = met_text_new(d->arena);
    if (d->next_name)
        met_text_put(&name, d->next_name);
    else
        met_text_format(&name, "%s_%u", d->region->values[d->at].name, ++d->number);
    d->next_name = NULL;
    return met_text_done(&name);
}

bool met_deriver_refuse(met_deriver *d, const met_scalar *factor, const char *why)
{
    if (!d->refusal.reason) {
        d->refusal = (met_known){ NULL, why ? factor : d->algebra->blocking, why ? why : d->algebra->reason, d->at };
    }
    return false;
}

bool met_atom_is_value(const met_algebra *algebra, uint32_t atom, uint32_t *ret_value)
{
    const met_atom *at = algebra->atoms.at[atom];
    if (at->kind != MET_ATOM_LEAF || at->leaf->kind != MET_SCALAR_INPUT)
        return false;
    *ret_value = at->leaf->input;
    return true;
}

uint32_t met_deriver_state_of(const met_deriver *d, const met_sum *leaf)
{
    uint32_t value;
    if (leaf->count != 1 || leaf->terms[0].count != 1 || leaf->terms[0].coefficient != 1 || leaf->terms[0].powers[0].exponent != 1 ||
        !met_atom_is_value(d->algebra, leaf->terms[0].powers[0].atom, &value))
        return MET_NONE;
    for (uint32_t i = 0; i < d->states.count; i++)
        if (d->states.at[i].value == value)
            return i;
    return MET_NONE;
}

/* Whether state i already folds what is wanted. */
static bool is_same(const met_deriver *d, uint32_t i, const met_stream_state *state, const met_folded *wanted)
{
    const met_stream_state *other = &d->states.at[i];
    const met_folded *folds = &d->folded.at[i];
    return other->kind == state->kind && other->base == state->base && other->decay == state->decay && other->slots == state->slots &&
           d->values.at[other->value].slot_loop == d->region->values[d->at].slot_loop && folds->fold == wanted->fold &&
           folds->reduced == wanted->reduced && met_scalar_equal(folds->live, wanted->live) && met_sum_equal(folds->phi, wanted->phi);
}

const met_sum *met_deriver_state(met_deriver *d, met_stream_state state, met_region_fold fold, met_loops reduced,
                                 const met_sum *phi, const met_scalar *e)
{
    reduced &= ~d->stream;
    const met_scalar *live = met_deriver_live(d);
    met_folded wanted = { phi, fold, reduced, live };
    for (uint32_t i = 0; phi && i < d->states.count; i++)
        if (is_same(d, i, &state, &wanted))
            return met_deriver_leaf(d, d->states.at[i].value);
    met_traits traits = phi ? met_sum_traits(d->algebra, phi) : (met_traits){ .loops = d->region->values[d->at].loops };
    state.loops = traits.loops & ~reduced & ~d->stream;
    bool summed = state.kind == MET_STATE_PLAIN || state.kind == MET_STATE_REBASED || state.kind == MET_STATE_CENTRED;
    state.weights = traits.weights && summed;
    met_stream_value value = { .name = met_deriver_name(d), .phase = MET_STREAM_STATE, .loops = state.loops, .fold = fold,
                               .reduced = reduced, .e = e ? e : met_sum_scalar(d->algebra, phi), .live = live, .origin = MET_NONE };
    if (state.kind == MET_STATE_SLOTS)
        value.loops |= value.slot_loop = d->region->values[d->at].slot_loop;
    state.value = met_deriver_add(d, value, traits.positive && state.kind != MET_STATE_SCAN, false);
    MET_PUSH(d->arena, &d->states, state);
    MET_PUSH(d->arena, &d->folded, wanted);
    return met_deriver_leaf(d, state.value);
}

/* --- Values of the region --- */

static const met_sum *lookup(void *context, uint32_t input)
{
    met_deriver *d = context;
    const met_known *known = &d->known[input];
    if (!known->sum) {
        d->known[d->at] = *known;
        return met_algebra_refuse(d->algebra, known->blocking, "%s", known->reason);
    }
    return known->sum;
}

static const met_sum *normal_form(met_deriver *d, const met_scalar *e)
{
    const met_sum *sum = met_sum_of_scalar(d->algebra, e, lookup, d);
    if (sum && !d->algebra->reason)
        return sum;
    if (!d->known[d->at].reason)
        d->known[d->at] = (met_known){ NULL, d->algebra->blocking, d->algebra->reason, d->at };
    d->algebra->reason = NULL;
    return NULL;
}

/* The region's own formula over values of the term; NULL where it reads one that the term has not got in that phase. */
static const met_scalar *translated(met_deriver *d, const met_scalar *e, met_stream_phase phase)
{
    if (e->kind == MET_SCALAR_INPUT) {
        for (uint32_t i = 0; i < d->values.count; i++) {
            met_stream_phase of = d->values.at[i].phase;
            bool known = of <= MET_STREAM_HEAD || of == phase || (of == MET_STREAM_STATE && phase == MET_STREAM_TAIL);
            if (phase != MET_STREAM_BODY && (d->values.at[i].loops & d->stream))
                known = false;
            if (d->values.at[i].origin == e->input)
                return known ? met_scalar_input(d->arena, i) : NULL;
        }
        return NULL;
    }
    const met_scalar *arguments[3] = { NULL, NULL, NULL };
    for (int i = 0; e->kind == MET_SCALAR_CALL && i < 3; i++) {
        if (!e->arguments[i])
            continue;
        arguments[i] = translated(d, e->arguments[i], phase);
        if (!arguments[i])
            return NULL;
    }
    return e->kind == MET_SCALAR_CALL ? met_scalar_call(d->arena, e->fn, arguments[0], arguments[1], arguments[2]) : e;
}

const met_scalar *met_deriver_live(met_deriver *d)
{
    const met_scalar *live = d->region->values[d->at].live;
    return live ? translated(d, live, MET_STREAM_BODY) : NULL;
}

static bool has_exponential(const met_algebra *algebra, const met_sum *sum)
{
    for (uint32_t i = 0; i < sum->count; i++)
        for (uint32_t k = 0; k < sum->terms[i].count; k++)
            if (algebra->atoms.at[sum->terms[i].powers[k].atom]->kind == MET_ATOM_EXP)
                return true;
    return false;
}

static met_stream_phase phase_of(const met_deriver *d, met_traits traits)
{
    return traits.statistic ? MET_STREAM_TAIL : traits.loops & d->stream ? MET_STREAM_BODY : MET_STREAM_HEAD;
}

static bool is_shorter(const met_scalar *a, const met_scalar *b)
{
    return met_scalar_weight(a, MET_REGION_FORMULA) < met_scalar_weight(b, MET_REGION_FORMULA);
}

/* A value that does not mix has a place in the term. What later values see of it: the name of a single atom, products
 * written out, and sums in the tail by name, to be opened only inside of exponents. */
static const met_sum *placed(met_deriver *d, const met_sum *sum, met_region_fold fold, const met_scalar *e)
{
    const met_region_value *from = &d->region->values[d->at];
    met_traits traits = met_sum_traits(d->algebra, sum);
    traits.loops |= from->slot_loop;
    if (from->output) /* a result has its loops even where it turns out to be the same along one of them */
        traits.loops |= from->loops | from->reduced;
    met_stream_value value = { .name = from->name, .phase = phase_of(d, traits), .loops = traits.loops & ~from->reduced,
                               .fold = fold, .reduced = from->reduced, .e = e, .slot_loop = from->slot_loop,
                               .origin = d->at, .output = from->output };
    if (fold != MET_REGION_NONE)
        value.live = met_deriver_live(d);
    if (!e)
        value.e = translated(d, from->e, value.phase);
    const met_scalar *normal = e ? e : met_sum_scalar(d->algebra, sum);
    if (!value.e || (value.phase == MET_STREAM_TAIL && is_shorter(normal, value.e)))
        value.e = normal;
    if (fold == MET_REGION_NONE)
        value.reduced = 0;
    if (fold == MET_REGION_TOP_K && from->picks_index)
        value.fold = MET_REGION_ARGMAX;
    uint32_t number = met_deriver_add(d, value, traits.positive && fold != MET_REGION_OPAQUE, traits.weights);
    if (fold != MET_REGION_NONE)
        return met_deriver_leaf(d, number);
    bool atom = sum->count == 1 && sum->terms[0].count == 1 && sum->terms[0].coefficient == 1 && sum->terms[0].powers[0].exponent == 1;
    met_atom *only = atom ? d->algebra->atoms.at[sum->terms[0].powers[0].atom] : NULL;
    if (only && only->kind == MET_ATOM_LEAF)
        return sum;
    if (only && only->kind != MET_ATOM_EXP && value.phase != MET_STREAM_TAIL)
        only->scalar = met_scalar_input(d->arena, number);
    bool product = sum->count == 1 && (sum->terms[0].count > 1 || (!atom && sum->terms[0].count == 1));
    if (value.phase == MET_STREAM_BODY && product && !has_exponential(d->algebra, sum))
        met_algebra_name(d->algebra, &sum->terms[0], met_scalar_input(d->arena, number));
    if (value.phase == MET_STREAM_BODY || has_exponential(d->algebra, sum) || sum->count == 0 || sum->terms[0].count == 0)
        return sum;
    const met_sum *leaf = met_deriver_leaf(d, number);
    if (leaf)
        d->algebra->atoms.at[leaf->terms[0].powers[0].atom]->definition = sum;
    return leaf;
}

/* The value is `sum` of finished states: that state itself, if it is one and has no other name yet. */
static const met_sum *finished(met_deriver *d, const met_sum *sum)
{
    uint32_t state = met_deriver_state_of(d, sum);
    met_stream_value *value = state != MET_NONE ? &d->values.at[d->states.at[state].value] : NULL;
    const met_region_value *from = &d->region->values[d->at];
    if (value && value->origin == MET_NONE && (!from->output || value->loops == from->loops)) {
        value->origin = d->at;
        value->name = from->name;
        value->output = from->output;
        met_map_set(d->names, met_str_of(from->name), 0);
        return sum;
    }
    return placed(d, sum, MET_REGION_NONE, met_sum_scalar(d->algebra, sum));
}

/* A fold over loops other than the stream. */
static const met_sum *derive_other_fold(met_deriver *d, const met_region_value *value, const met_sum *e)
{
    if (!met_traits_mix(d->algebra, met_sum_traits(d->algebra, e)))
        return placed(d, e, value->fold, met_sum_scalar(d->algebra, e));
    return met_derive_inner(d, value, e);
}

static const met_sum *derive_stream_fold(met_deriver *d, const met_region_value *value, const met_sum *e)
{
    d->rank = 1;
    d->constant = false;
    switch (value->fold) {
    case MET_REGION_SUM:
        return met_derive_sum(d, value, e);
    default:
        return met_derive_extreme(d, value, e);
    }
}

static void derive_input(met_deriver *d, const met_region_value *value)
{
    met_stream_value made = { .name = value->name, .phase = MET_STREAM_INPUT, .loops = value->loops, .origin = d->at };
    uint32_t number = met_deriver_add(d, made, value->positive, value->parameter);
    d->known[d->at].sum = met_deriver_leaf(d, number);
}

static const char *opaque_reason(met_deriver *d, const char *name)
{
    met_text text = met_text_new(d->arena);
    met_text_format(&text, "`%s` depends on the whole set of elements: no state of a fixed size holds what it needs", name);
    return met_text_done(&text);
}

/* False after a refusal. A value that does not separate is not refused before something folds it. */
static bool derive_value(met_deriver *d, uint32_t i)
{
    const met_region_value *value = &d->region->values[i];
    bool streams = (value->reduced & d->stream) != 0;
    d->at = i;
    d->number = 0;
    if (value->input) {
        derive_input(d, value);
        return d->known[i].sum || met_deriver_refuse(d, NULL, NULL);
    }
    if (streams && value->fold == MET_REGION_OPAQUE)
        return met_deriver_refuse(d, NULL, opaque_reason(d, value->opaque));
    if (streams && value->fold == MET_REGION_SCAN) {
        const met_sum *state = met_derive_scan(d, value);
        d->rank = 1;
        d->known[i].sum = state ? finished(d, state) : NULL;
        return d->known[i].sum || met_deriver_refuse(d, NULL, NULL);
    }
    if (value->fold == MET_REGION_OPAQUE || value->fold == MET_REGION_SCAN) {
        d->known[i] = (met_known){ NULL, NULL, "only sums, products, extrema and selections are taken along other axes", i };
        return true;
    }
    const met_sum *e = normal_form(d, value->e);
    if (streams) {
        if (!e)
            return met_deriver_refuse(d, d->known[i].blocking, d->known[i].reason);
        const met_sum *folded = derive_stream_fold(d, value, e);
        d->known[i].sum = folded ? finished(d, folded) : NULL;
        return (d->known[i].sum && !d->algebra->reason) || met_deriver_refuse(d, NULL, NULL);
    }
    if (e && value->fold != MET_REGION_NONE)
        d->known[i].sum = derive_other_fold(d, value, e);
    else if (e)
        d->known[i].sum = met_traits_mix(d->algebra, met_sum_traits(d->algebra, e)) ? e : placed(d, e, MET_REGION_NONE, NULL);
    if (!d->known[i].reason && (!d->known[i].sum || d->algebra->reason))
        d->known[i] = (met_known){ NULL, d->algebra->blocking, d->algebra->reason, i };
    d->algebra->reason = NULL;
    return true;
}

/* An output that needs the whole stream for each of its elements cannot leave while the stream passes. */
static bool check_output(met_deriver *d, uint32_t i)
{
    const met_region_value *value = &d->region->values[i];
    const met_known *known = &d->known[i];
    d->at = i;
    if (known->sum && !met_traits_mix(d->algebra, met_sum_traits(d->algebra, known->sum)))
        return true;
    met_text text = met_text_new(d->arena);
    const char *axis = d->region->loops[d->loop].name;
    met_text_format(&text, "`%s` keeps the axis `%s`, and each of its elements needs the whole stream", value->name, axis);
    d->help = "a normalizer streams together with the contraction over its axis";
    return met_deriver_refuse(d, NULL, met_text_done(&text));
}

const met_stream_term *met_stream_derive(const met_region *region, uint32_t loop)
{
    met_deriver deriver = { .arena = region->arena, .region = region, .loop = loop, .stream = (met_loops)1 << loop };
    met_deriver *d = &deriver;
    d->algebra = met_algebra_new(d->arena, d->stream, NULL, NULL);
    d->known = MET_NEW_ARRAY(d->arena, met_known, region->value_count);
    d->names = met_map_new(d->arena);
    for (uint32_t i = 0; i < region->value_count; i++)
        met_map_set(d->names, met_str_of(region->values[i].name), i + 1);
    bool streams = true;
    for (uint32_t i = 0; streams && i < region->value_count; i++)
        streams = derive_value(d, i);
    for (uint32_t i = 0; streams && i < region->value_count; i++)
        streams = !region->values[i].output || check_output(d, i);
    return met_deriver_finish(d);
}
