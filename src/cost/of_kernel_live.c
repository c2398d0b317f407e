/* What stands in the level while a kernel works on a slice. Columns are steps. Tiles of arrays and accumulators stand there
 * throughout; a value in between from the step that makes it to the last one that reads it, or what is made of it element
 * by element. */
#include "cost/of_kernel_parts.h"

typedef struct live {
    met_cost_draft *d;
    uint32_t last;     /* column */
    uint32_t *place;   /* by value: number of its resident, or MET_NONE: it stands in the tile of an array, or nowhere */
    bool *taken;       /* by array: an accumulator stands in its tile */
} live;

static uint32_t add_resident(live *l, const char *name, met_cost_shape shape, uint64_t weight, uint32_t first, uint32_t last)
{
    met_cost_draft *d = l->d;
    MET_PUSH(d->arena, &d->residents, ((met_cost_resident){ name, shape, weight, first, last }));
    return (uint32_t)d->residents.count - 1;
}

/* What is only read at the end, and element by element, passes by: a residual that is added to the result. */
static bool passes_by(const met_cost_draft *d, uint32_t array)
{
    bool read = false;
    for (uint32_t s = 0; s < d->kernel->step_count; s++) {
        const met_kernel_step *step = &d->kernel->steps[s];
        for (uint32_t i = 0; i < d->kernel->circuit->nodes[step->node.id].in_count; i++) {
            if (d->array_of[step->ins[i]] != array)
                continue;
            if (step->phase != MET_STEP_TAIL || step->reduced)
                return false;
            read = true;
        }
    }
    return read;
}

/* The tile of an array is as wide as what stands in it. */
static void add_tiles(live *l)
{
    met_cost_draft *d = l->d;
    for (uint32_t a = 0; a < d->arrays.count; a++) {
        bool tile = d->arrays.at[a].direction != MET_COST_IN || !passes_by(d, a);
        add_resident(l, d->arrays.at[a].name, d->arrays.at[a].shape, tile ? d->arrays.at[a].weight : 0, 0, l->last);
    }
}

static bool same_shape(const met_cost_shape *a, const met_cost_shape *b)
{
    return a->loops == b->loops && a->window_count == 0 && b->window_count == 0;
}

/* An accumulator takes the place of a result that has its loops, which is made from it at the end. */
static void add_accumulator(live *l, const met_kernel_accumulator *accumulator)
{
    met_cost_draft *d = l->d;
    const met_kernel_value *value = &d->kernel->values[accumulator->value];
    met_cost_shape shape = met_cost_shape_of(d, value);
    uint64_t weight = met_cost_inner_weight(d);
    for (uint32_t a = 0; a < d->arrays.count; a++) {
        if (d->arrays.at[a].direction != MET_COST_OUT || l->taken[a] || !same_shape(&d->arrays.at[a].shape, &shape))
            continue;
        l->taken[a] = true;
        if (weight > d->residents.at[a].weight)
            d->residents.at[a].weight = weight;
        return;
    }
    if (d->view->liveness == MET_LIVENESS_FULL)
        add_resident(l, met_sym_text(d->kernel->circuit->session, d->kernel->circuit->edges[value->edge.id].name), shape, weight, 0,
                     l->last);
}

/* Where a value that is made element by element stands: in the place of an input that has its loops. */
static bool replaces_input(live *l, const met_kernel_step *step, uint32_t in_count, const met_cost_shape *shape, uint32_t *ret_place)
{
    *ret_place = MET_NONE;
    bool found = false;
    for (uint32_t i = 0; i < in_count; i++) {
        met_cost_shape in = met_cost_shape_of(l->d, &l->d->kernel->values[step->ins[i]]);
        if (!same_shape(&in, shape))
            continue;
        found = true;
        if (l->place[step->ins[i]] != MET_NONE)
            *ret_place = l->place[step->ins[i]];
    }
    return found;
}

static void add_values(live *l, uint32_t s)
{
    met_cost_draft *d = l->d;
    const met_kernel *k = d->kernel;
    const met_kernel_step *step = &k->steps[s];
    const met_node *node = &k->circuit->nodes[step->node.id];
    for (uint32_t i = 0; i < node->in_count; i++)
        if (l->place[step->ins[i]] != MET_NONE)
            d->residents.at[l->place[step->ins[i]]].last = s;
    for (uint32_t o = 0; o < node->out_count && step->phase != MET_STEP_FOLD; o++) {
        const met_kernel_value *value = &k->values[step->outs[o]];
        met_cost_shape shape = met_cost_shape_of(d, value);
        uint32_t place;
        if (value->is_output || (!step->reduced && replaces_input(l, step, node->in_count, &shape, &place))) {
            l->place[step->outs[o]] = value->is_output ? MET_NONE : place;
            continue;
        }
        const char *name = met_sym_text(k->circuit->session, k->circuit->edges[value->edge.id].name);
        l->place[step->outs[o]] = add_resident(l, name, shape, met_cost_inner_weight(d), s, s);
    }
}

/* A sum over a loop that is streamed inside stands there between its slices, whatever else does not count. */
static void add_inner_sums(live *l)
{
    met_cost_draft *d = l->d;
    const met_kernel *k = d->kernel;
    for (uint32_t s = 0; s < k->step_count; s++) {
        bool inside = false;
        for (met_loops rest = k->steps[s].reduced; rest; rest &= rest - 1)
            inside = inside || d->loops[__builtin_ctzll(rest)].partition == MET_PARTITION_STREAM;
        if (!inside || k->steps[s].phase != MET_STEP_BODY)
            continue;
        const met_kernel_value *value = &k->values[k->steps[s].outs[0]];
        const char *name = met_sym_text(k->circuit->session, k->circuit->edges[value->edge.id].name);
        add_resident(l, name, met_cost_shape_of(d, value), met_cost_inner_weight(d), 0, 0);
    }
}

void met_cost_add_live(met_cost_draft *d)
{
    const met_kernel *k = d->kernel;
    bool full = d->view->liveness == MET_LIVENESS_FULL;
    live l = { d, full ? k->step_count - 1 : 0, MET_NEW_ARRAY(d->arena, uint32_t, k->value_count),
               MET_NEW_ARRAY(d->arena, bool, d->arrays.count) };
    for (uint32_t v = 0; v < k->value_count; v++)
        l.place[v] = MET_NONE;
    add_tiles(&l);
    for (uint32_t a = 0; a < k->accumulator_count; a++)
        add_accumulator(&l, &k->accumulators[a]);
    for (uint32_t s = 0; full && s < k->step_count; s++)
        add_values(&l, s);
    if (!full)
        add_inner_sums(&l);
}
