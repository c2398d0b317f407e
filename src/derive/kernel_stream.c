/* Which loops are groups, and which one streams. A loop that every output has is a group. A loop that something folds
 * may stream if nothing that leaves the region has it and depends on a fold over it; and, so that streaming keeps the
 * order of every fold, if it is the first loop of each fold that has several. */
#include <string.h>

#include "derive/kernel_parts.h"
#include "ir/point.h"

static uint32_t first_folded(const met_sketch *d, uint32_t step)
{
    const met_node *node = met_sketch_node(d, step);
    for (uint32_t i = 0; i < node->index_count; i++)
        if (node->indices[i].reduced)
            return d->steps[step].loops[i];
    return MET_NONE;
}

/* An output that has the loop although it can only be known after the whole of it; MET_NONE if there is none. */
static uint32_t output_behind(const met_sketch *d, uint32_t loop)
{
    bool *after = MET_NEW_ARRAY(d->arena, bool, d->values.count);
    for (uint32_t s = 0; s < d->count; s++) {
        const met_node *node = met_sketch_node(d, s);
        bool behind = (d->steps[s].reduced & MET_LOOP(loop)) != 0;
        for (uint32_t k = 0; k < node->in_count; k++)
            behind = behind || after[d->steps[s].ins[k]];
        for (uint32_t k = 0; k < node->out_count; k++) {
            const met_kernel_value *value = &d->values.at[d->steps[s].outs[k]];
            after[d->steps[s].outs[k]] = behind;
            if (behind && value->is_output && value->loops & MET_LOOP(loop))
                return s;
        }
    }
    return MET_NONE;
}

/* Whether a loop may stream; a refusal otherwise. */
static bool may_stream(met_sketch *d, uint32_t loop)
{
    const char *name = met_sketch_loop(d, loop);
    if (!(d->reduced & MET_LOOP(loop)))
        return met_sketch_refuse(d, 0, NULL, "nothing folds over `%s`", name);
    for (uint32_t s = 0; s < d->count; s++) {
        if (!(d->steps[s].reduced & MET_LOOP(loop)))
            continue;
        if (met_sketch_form(d, s)->form != MET_FORM_FOLD)
            return met_sketch_refuse(d, s, NULL, "a selection over `%s` needs all of it at once", name);
        if (!met_monoid_is_exact(met_sketch_form(d, s)->monoid) && first_folded(d, s) != loop)
            return met_sketch_refuse(d, s, "stream its first loop", "a fold over several loops runs in their order, and `%s` is not the first",
                                    name);
    }
    uint32_t step = output_behind(d, loop);
    if (step != MET_NONE)
        return met_sketch_refuse(d, step, "fuse it with what folds it", "its result keeps `%s`, but every element needs all of it", name);
    return true;
}

static uint64_t loop_size(const met_sketch *d, uint32_t loop)
{
    uint64_t size;
    return met_circuit_size(d->circuit, d->loops.loops[loop].axis, &size) ? size : 0;
}

/* What speaks for streaming a loop, the weightiest first. */
typedef struct merit {
    bool shared;   /* statistics and contractions fold it */
    uint64_t size; /* 0 while free */
    uint32_t last; /* the last step that folds it */
} merit;

static merit merit_of(const met_sketch *d, uint32_t loop)
{
    bool contracted = false, folded = false;
    merit result = { .size = loop_size(d, loop) };
    for (uint32_t s = 0; s < d->count; s++) {
        if (!(d->steps[s].reduced & MET_LOOP(loop)))
            continue;
        contracted = contracted || met_node_is_contraction(met_sketch_node(d, s));
        folded = folded || !met_node_is_contraction(met_sketch_node(d, s));
        result.last = s;
    }
    result.shared = contracted && folded;
    return result;
}

static bool better(merit a, merit b)
{
    if (a.shared != b.shared)
        return a.shared;
    return a.size != b.size ? a.size > b.size : a.last > b.last;
}

static uint32_t choose(met_sketch *d)
{
    uint32_t best = MET_NONE;
    merit most = { false, 0, 0 };
    met_refusal ignored = *d->refusal;
    for (uint32_t l = 0; l < d->loops.count; l++) {
        if (!(d->reduced & MET_LOOP(l)) || !may_stream(d, l))
            continue;
        merit own = merit_of(d, l);
        if (best == MET_NONE || better(own, most)) {
            best = l;
            most = own;
        }
    }
    *d->refusal = ignored;
    return best;
}

static bool find_named(met_sketch *d, const char *name)
{
    for (uint32_t l = 0; l < d->loops.count; l++) {
        if (strcmp(met_sketch_loop(d, l), name) == 0) {
            d->stream = l;
            return may_stream(d, l);
        }
    }
    met_text names = met_text_new(d->arena);
    for (uint32_t l = 0; l < d->loops.count; l++)
        met_text_format(&names, "%s%s", l ? ", " : "loops are: ", met_sketch_loop(d, l));
    return met_sketch_refuse(d, 0, met_text_done(&names), "there is no loop `%s`", name);
}

static void find_groups(met_sketch *d)
{
    d->group = ~(met_loops)0;
    for (uint32_t v = 0; v < d->values.count; v++)
        if (d->values.at[v].is_output)
            d->group &= d->values.at[v].loops;
    d->group &= ~d->reduced & ~d->whole;
}

bool met_sketch_stream(met_sketch *d, const met_derive_options *options)
{
    find_groups(d);
    if (options && options->stream) {
        if (!find_named(d, options->stream))
            return false;
    } else {
        d->stream = choose(d);
    }
    for (uint32_t l = 0; l < d->loops.count; l++)
        d->loops.loops[l].partition = l == d->stream ? MET_PARTITION_STREAM
                                      : d->group & MET_LOOP(l) ? MET_PARTITION_GROUP
                                                               : MET_PARTITION_LOCAL;
    met_sketch_phases(d);
    if (options && options->pass_limit && d->pass_count > options->pass_limit)
        return met_sketch_refuse(d, 0, "allow more passes, or defer its divisions", "it takes %u passes over `%s`",
                                d->pass_count, met_sketch_loop(d, d->stream));
    return true;
}
