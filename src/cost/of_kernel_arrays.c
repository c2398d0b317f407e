/* The arrays of a kernel: which positions they have, how much an element counts, and which of them are one. */
#include "cost/of_kernel_parts.h"

/* --- Shapes --- */

static void sort_walks(const met_cost_draft *d, met_cost_walk *walks, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0; k--) {
            bool local = d->loops[walks[k].loop].partition == MET_PARTITION_LOCAL;
            bool before = d->loops[walks[k - 1].loop].partition == MET_PARTITION_LOCAL;
            if (local == before ? walks[k - 1].coefficient <= walks[k].coefficient : before)
                break;
            met_cost_walk kept = walks[k];
            walks[k] = walks[k - 1];
            walks[k - 1] = kept;
        }
}

/* The loops of one position, those in `seen` left out: what an array is read by twice counts once. */
static met_cost_window window_of(met_cost_draft *d, const met_affine *at, met_loops seen, uint64_t limit)
{
    met_cost_walk *walks = MET_NEW_ARRAY(d->arena, met_cost_walk, at->term_count);
    uint32_t count = 0;
    for (uint32_t t = 0; t < at->term_count; t++) {
        const met_affine_term *term = &at->terms[t];
        if (term->kind != MET_TERM_INDEX || term->coefficient == 0 || seen & MET_COST_LOOP(term->index))
            continue;
        uint64_t size = term->coefficient < 0 ? 0 - (uint64_t)term->coefficient : (uint64_t)term->coefficient;
        walks[count++] = (met_cost_walk){ term->index, size };
    }
    sort_walks(d, walks, count);
    return (met_cost_window){ count, walks, limit };
}

met_cost_shape met_cost_shape_of(met_cost_draft *d, const met_kernel_value *value)
{
    const met_circuit *circuit = d->kernel->circuit;
    const met_edge *edge = &circuit->edges[value->edge.id];
    met_cost_window *windows = MET_NEW_ARRAY(d->arena, met_cost_window, edge->rank);
    met_cost_shape shape = { 0, 0, windows };
    for (uint32_t p = 0; p < edge->rank; p++) {
        uint64_t limit;
        if (!met_circuit_size(circuit, edge->axes[p], &limit))
            limit = 0;
        met_cost_window window = window_of(d, &value->at[p], met_cost_carries(&shape), limit);
        uint64_t size = window.walk_count == 1 ? d->loops[window.walks[0].loop].size : 0;
        if (window.walk_count == 1 && (size <= limit || limit == 0))
            shape.loops |= MET_COST_LOOP(window.walks[0].loop);
        else if (window.walk_count > 0)
            windows[shape.window_count++] = window;
    }
    return shape;
}

/* --- Weights --- */

/* Bits of one element, its part of the scales included. */
static met_ratio bits_of(met_format format)
{
    met_ratio bits = met_ratio_of(met_dtype_table[format.dtype].bits, 1);
    int64_t values = format.granularity == MET_SCALE_GROUP ? format.columns :
                     format.granularity == MET_SCALE_BLOCK ? (int64_t)format.rows * format.columns : 0;
    if (values > 0)
        bits = met_ratio_add(bits, met_ratio_of(met_dtype_table[format.scale].bits, values));
    return bits;
}

static met_format inner_format(const met_cost_draft *d)
{
    bool wide = d->kernel->circuit->default_format.dtype == MET_F64;
    return met_format_of(wide ? MET_F64 : MET_F32);
}

bool met_cost_find_unit(met_cost_draft *d)
{
    d->unit = 1;
    if (d->view->measure == MET_COST_VALUES)
        return true;
    for (uint32_t v = 0; v <= d->kernel->value_count; v++) {
        bool inner = v == d->kernel->value_count;
        met_format format = inner ? inner_format(d) : d->kernel->circuit->edges[d->kernel->values[v].edge.id].format;
        met_ratio scaled = met_ratio_mul(bits_of(format), met_ratio_of((int64_t)d->unit, 8));
        d->unit *= (uint64_t)scaled.under;
        if (d->unit == 0 || d->unit > UINT32_MAX)
            return false;
    }
    return true;
}

static uint64_t weight_of(const met_cost_draft *d, met_format format)
{
    if (d->view->measure == MET_COST_VALUES)
        return 1;
    return (uint64_t)met_ratio_mul(bits_of(format), met_ratio_of((int64_t)d->unit, 8)).over;
}

uint64_t met_cost_inner_weight(const met_cost_draft *d)
{
    return weight_of(d, inner_format(d));
}

/* --- Arrays --- */

/* Over how many passes a value of the stream is read. */
static uint32_t passes_of(const met_cost_draft *d, uint32_t value)
{
    const met_kernel *k = d->kernel;
    uint32_t count = 0;
    for (uint32_t pass = 0; pass < k->pass_count; pass++) {
        bool read = false;
        for (uint32_t s = 0; s < k->step_count && !read; s++) {
            const met_kernel_step *step = &k->steps[s];
            if (step->pass > pass || (step->phase == MET_STEP_BODY ? step->pass_last : step->pass) < pass)
                continue;
            for (uint32_t i = 0; i < met_cost_step_node(d, step)->in_count; i++)
                read = read || step->ins[i] == value;
        }
        count += read;
    }
    return count > 0 ? count : 1;
}

/* The ids by which an array is read: every one of them asks for its own part of the array. */
static const met_kernel_value *read_by_ids(const met_cost_draft *d, uint32_t value)
{
    const met_kernel *k = d->kernel;
    for (uint32_t s = 0; s < k->step_count; s++) {
        const met_node *node = met_cost_step_node(d, &k->steps[s]);
        met_primitive form = node->op->form == MET_FORM_READ ? met_node_primitive(k->circuit, node)
                                                              : (met_primitive){ .read_index = MET_NONE };
        if (form.read_index != MET_NONE && k->steps[s].ins[form.table] == value)
            return &k->values[k->steps[s].ins[form.ids]];
    }
    return NULL;
}

static uint64_t local_volume(const met_cost_draft *d, const met_cost_shape *shape)
{
    uint64_t volume = 1;
    for (met_loops rest = shape->loops; rest; rest &= rest - 1)
        if (d->loops[__builtin_ctzll(rest)].partition == MET_PARTITION_LOCAL)
            volume = met_beyond_mul(volume, d->loops[__builtin_ctzll(rest)].size);
    return volume;
}

/* Whether two positions begin at the same place, whatever loops they walk along. */
static bool same_start(const met_affine *a, const met_affine *b)
{
    uint32_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a->term_count && a->terms[i].kind != MET_TERM_SIZE)
            i++;
        while (k < b->term_count && b->terms[k].kind != MET_TERM_SIZE)
            k++;
        if (i == a->term_count || k == b->term_count)
            return i == a->term_count && k == b->term_count && a->constant == b->constant;
        if (a->terms[i].coefficient != b->terms[k].coefficient || !met_dim_equal(a->terms[i].size, b->terms[k].size))
            return false;
    }
}

/* An array already there that is the same storage under the same tiles, and so is moved once: at shifted positions, or from
 * the same place on with other local loops (keys whose first columns are the values). */
static uint32_t same_array(const met_cost_draft *d, const uint32_t *value_of, uint32_t v, const met_cost_shape *shape)
{
    const met_kernel_value *value = &d->kernel->values[v];
    met_loops tiled = 0;
    for (uint32_t i = 0; i < d->order_count; i++)
        tiled |= MET_COST_LOOP(d->order[i]);
    for (uint32_t a = 0; a < d->arrays.count; a++) {
        const met_cost_shape *other = &d->arrays.at[a].shape;
        const met_kernel_value *before = &d->kernel->values[value_of[a]];
        bool same = before->edge.id == value->edge.id && before->is_input && !other->window_count && !shape->window_count &&
                    (other->loops & tiled) == (shape->loops & tiled);
        if (same && other->loops == shape->loops) /* read at shifted positions */
            return a;
        for (uint32_t p = 0; same && p < d->kernel->circuit->edges[value->edge.id].rank; p++)
            same = same_start(&before->at[p], &value->at[p]);
        if (same)
            return a;
    }
    return MET_NONE;
}

/* `value_of`: by array, the first value that it holds. */
static void add_array(met_cost_draft *d, uint32_t *value_of, uint32_t v)
{
    const met_kernel_value *value = &d->kernel->values[v];
    const met_edge *edge = &d->kernel->circuit->edges[value->edge.id];
    const met_kernel_value *ids = value->is_input ? read_by_ids(d, v) : NULL;
    met_cost_shape shape = met_cost_shape_of(d, value);
    if (ids)
        shape.loops |= met_cost_shape_of(d, ids).loops;
    met_cost_array array = { met_sym_text(d->kernel->circuit->session, edge->name), shape,
                             value->is_input ? MET_COST_IN : MET_COST_OUT, weight_of(d, edge->format),
                             value->is_input ? passes_of(d, v) : 1 };
    uint32_t same = value->is_input ? same_array(d, value_of, v, &array.shape) : MET_NONE;
    d->array_of[v] = same == MET_NONE ? (uint32_t)d->arrays.count : same;
    if (same == MET_NONE) {
        value_of[d->arrays.count] = v;
        MET_PUSH(d->arena, &d->arrays, array);
        return;
    }
    met_cost_array *other = &d->arrays.at[same];
    if (local_volume(d, &array.shape) > local_volume(d, &other->shape))
        other->shape = array.shape;
    other->passes = array.passes > other->passes ? array.passes : other->passes;
}

void met_cost_add_arrays(met_cost_draft *d)
{
    uint32_t *value_of = MET_NEW_ARRAY(d->arena, uint32_t, d->kernel->value_count);
    d->array_of = MET_NEW_ARRAY(d->arena, uint32_t, d->kernel->value_count);
    for (uint32_t v = 0; v < d->kernel->value_count; v++) {
        d->array_of[v] = MET_NONE;
        if (d->kernel->values[v].is_input || d->kernel->values[v].is_output)
            add_array(d, value_of, v);
    }
}
