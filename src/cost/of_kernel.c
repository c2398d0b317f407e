#include "cost/of_kernel_parts.h"

#include <assert.h>

#define LOOP(l) ((met_loops)1 << (l))

static const met_node *node_of(const met_cost_draft *d, const met_kernel_step *step)
{
    return &d->kernel->circuit->nodes[step->node.id];
}

/* --- Loops --- */

static met_loops step_loops(const met_cost_draft *d, const met_kernel_step *step)
{
    met_loops loops = 0;
    for (uint32_t i = 0; i < node_of(d, step)->index_count; i++)
        if (step->loops[i] != MET_NONE)
            loops |= LOOP(step->loops[i]);
    return loops;
}

/* Whether a fold over a local loop would run again for every tile of this group loop. */
static bool repeats_work(const met_cost_draft *d, uint32_t loop)
{
    met_loops local = met_kernel_loops_of(d->kernel, MET_PARTITION_LOCAL);
    if (d->kernel->step_count == 1)
        return false;
    for (uint32_t s = 0; s < d->kernel->step_count; s++)
        if (d->kernel->steps[s].reduced & local && !(step_loops(d, &d->kernel->steps[s]) & LOOP(loop)))
            return true;
    return false;
}

/* Whether a local loop is folded, and only by folds over the stream. */
static bool folds_along(const met_cost_draft *d, uint32_t loop)
{
    bool folded = false;
    for (uint32_t s = 0; s < d->kernel->step_count; s++) {
        const met_kernel_step *step = &d->kernel->steps[s];
        if (!(step_loops(d, step) & LOOP(loop)))
            continue;
        if (step->phase != MET_STEP_FOLD || !(step->reduced & LOOP(loop)))
            return false;
        folded = true;
    }
    return folded;
}

/* Whether a local loop is in no step but those of the body that fold it. */
static bool folds_inside(const met_cost_draft *d, uint32_t loop)
{
    bool folded = false;
    for (uint32_t s = 0; s < d->kernel->step_count; s++) {
        const met_kernel_step *step = &d->kernel->steps[s];
        if (!(step_loops(d, step) & LOOP(loop)))
            continue;
        if (step->phase != MET_STEP_BODY || !(step->reduced & LOOP(loop)))
            return false;
        folded = true;
    }
    return folded && d->kernel->stream != MET_NONE && d->kernel->pass_count == 1;
}

bool met_cost_can_restream(const met_kernel *kernel)
{
    met_cost_draft d = { .kernel = kernel };
    for (uint32_t l = 0; l < kernel->loop_count; l++)
        if (kernel->loops[l].partition == MET_PARTITION_LOCAL && folds_inside(&d, l))
            return true;
    return false;
}

static met_partition partition_of(const met_cost_draft *d, uint32_t loop)
{
    met_partition partition = d->kernel->loops[loop].partition;
    if (partition == MET_PARTITION_GROUP && repeats_work(d, loop))
        return MET_PARTITION_LOCAL;
    if (partition == MET_PARTITION_LOCAL && (folds_along(d, loop) || (d->view->restream && folds_inside(d, loop))))
        return MET_PARTITION_STREAM;
    return partition;
}

/* Loops of one axis are alike, and so are those of axes that have one free size. */
static uint32_t like_of(const met_cost_draft *d, uint32_t loop)
{
    const met_circuit *circuit = d->kernel->circuit;
    met_axis_id own = d->kernel->loops[loop].axis;
    for (uint32_t l = 0; l < loop; l++) {
        met_axis_id other = d->kernel->loops[l].axis;
        uint64_t known;
        bool same = met_dim_equal(circuit->axes[own.id].size, circuit->axes[other.id].size);
        if (own.id == other.id || (same && !met_circuit_size(circuit, own, &known)))
            return l;
    }
    return loop;
}

/* A free size by its own name, a sum or product in parentheses; a known one by the name of its axis. */
static const char *size_name_of(const met_cost_draft *d, uint32_t loop)
{
    const met_circuit *circuit = d->kernel->circuit;
    const met_axis *axis = &circuit->axes[d->kernel->loops[loop].axis.id];
    uint64_t known;
    met_size symbol;
    if (met_circuit_size(circuit, d->kernel->loops[loop].axis, &known))
        return met_sym_text(circuit->session, axis->name);
    met_text text = met_text_new(d->arena);
    bool single = met_dim_is_symbol(axis->size, &symbol);
    met_text_put(&text, single ? "" : "(");
    met_dim_print(&text, axis->size, met_circuit_size_name, (void *)circuit);
    met_text_put(&text, single ? "" : ")");
    return met_text_done(&text);
}

static void add_loops(met_cost_draft *d)
{
    const met_kernel *k = d->kernel;
    const met_session *session = k->circuit->session;
    d->loops = MET_NEW_ARRAY(d->arena, met_cost_loop, k->loop_count);
    d->order = MET_NEW_ARRAY(d->arena, uint32_t, k->loop_count);
    for (uint32_t l = 0; l < k->loop_count; l++) {
        met_axis_id axis = k->loops[l].axis;
        d->loops[l] = (met_cost_loop){ .name = met_sym_text(session, k->loops[l].name), .size_name = size_name_of(d, l),
                                       .like = like_of(d, l), .partition = partition_of(d, l), .granule = 1 };
        if (!met_circuit_size(k->circuit, axis, &d->loops[l].size))
            d->loops[l].size = 0;
    }
    for (uint32_t l = 0; l < k->loop_count; l++)
        if (d->loops[l].partition == MET_PARTITION_GROUP)
            d->order[d->order_count++] = l;
    d->group_count = d->order_count;
    if (k->stream != MET_NONE)
        d->order[d->order_count++] = k->stream;
    for (uint32_t l = 0; l < k->loop_count; l++)
        if (d->loops[l].partition == MET_PARTITION_STREAM && l != k->stream)
            d->order[d->order_count++] = l;
}

static void add_granules(met_cost_draft *d)
{
    for (uint32_t g = 0; g < d->view->granule_count; g++) {
        const met_cost_granule *granule = &d->view->granules[g];
        for (uint32_t i = 0; i < d->order_count; i++) {
            uint32_t l = d->order[i];
            bool group = i < d->group_count, shared = true;
            for (uint32_t a = 0; a < d->arrays.count; a++)
                shared = shared && met_cost_carries(&d->arrays.at[a].shape) & LOOP(l);
            bool tile = met_str_is(granule->loop, "tile") && group && !shared && d->loops[l].size >= granule->granule;
            bool along = i + 1 < d->order_count && !folds_inside(d, d->order[i + 1]);
            bool stream = met_str_is(granule->loop, "stream") && !group && !along;
            if (tile || stream || met_str_is(granule->loop, d->loops[l].name))
                d->loops[l].granule = granule->granule;
        }
    }
}

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
        if (term->kind != MET_TERM_INDEX || term->coefficient == 0 || seen & LOOP(term->index))
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
            shape.loops |= LOOP(window.walks[0].loop);
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

/* The unit in which every weight is whole. */
static bool find_unit(met_cost_draft *d)
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
            for (uint32_t i = 0; i < node_of(d, step)->in_count; i++)
                read = read || step->ins[i] == value;
        }
        count += read;
    }
    return count > 0 ? count : 1;
}

/* An array that is read by ids gives one element for each element of the result. */
static const met_kernel_value *read_by_ids(const met_cost_draft *d, uint32_t value)
{
    const met_kernel *k = d->kernel;
    for (uint32_t s = 0; s < k->step_count; s++) {
        const met_node *node = node_of(d, &k->steps[s]);
        if (node->op->form == MET_FORM_READ && k->steps[s].ins[met_node_primitive(k->circuit, node).table] == value)
            return &k->values[k->steps[s].outs[0]];
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

/* An array already there that is the same storage under the same tiles, though perhaps with other local loops (keys whose
 * first columns are the values): it is moved once. */
static uint32_t same_array(const met_cost_draft *d, const uint32_t *edge_of, uint32_t edge, const met_cost_shape *shape)
{
    met_loops tiled = 0;
    for (uint32_t i = 0; i < d->order_count; i++)
        tiled |= LOOP(d->order[i]);
    for (uint32_t a = 0; a < d->arrays.count; a++) {
        const met_cost_shape *other = &d->arrays.at[a].shape;
        if (edge_of[a] == edge && !other->window_count && !shape->window_count && (other->loops & tiled) == (shape->loops & tiled))
            return a;
    }
    return MET_NONE;
}

static void add_array(met_cost_draft *d, uint32_t *edge_of, uint32_t v)
{
    const met_kernel_value *value = &d->kernel->values[v];
    const met_edge *edge = &d->kernel->circuit->edges[value->edge.id];
    const met_kernel_value *read = value->is_input ? read_by_ids(d, v) : NULL;
    met_cost_array array = { met_sym_text(d->kernel->circuit->session, edge->name), met_cost_shape_of(d, read ? read : value),
                             value->is_input ? MET_COST_IN : MET_COST_OUT, weight_of(d, edge->format),
                             value->is_input ? passes_of(d, v) : 1 };
    uint32_t same = value->is_input ? same_array(d, edge_of, value->edge.id, &array.shape) : MET_NONE;
    d->array_of[v] = same == MET_NONE ? (uint32_t)d->arrays.count : same;
    if (same == MET_NONE) {
        edge_of[d->arrays.count] = value->edge.id;
        MET_PUSH(d->arena, &d->arrays, array);
        return;
    }
    met_cost_array *other = &d->arrays.at[same];
    if (local_volume(d, &array.shape) > local_volume(d, &other->shape))
        other->shape = array.shape;
    other->passes = array.passes > other->passes ? array.passes : other->passes;
}

static void add_arrays(met_cost_draft *d)
{
    uint32_t *edge_of = MET_NEW_ARRAY(d->arena, uint32_t, d->kernel->value_count);
    d->array_of = MET_NEW_ARRAY(d->arena, uint32_t, d->kernel->value_count);
    for (uint32_t v = 0; v < d->kernel->value_count; v++) {
        d->array_of[v] = MET_NONE;
        if (d->kernel->values[v].is_input || d->kernel->values[v].is_output)
            add_array(d, edge_of, v);
    }
}

const met_cost_problem *met_cost_of_kernel(met_arena *arena, const met_kernel *kernel, const met_cost_view *view)
{
    met_cost_draft d = { .arena = arena, .kernel = kernel, .view = view };
    if (!find_unit(&d))
        return NULL;
    add_loops(&d);
    add_arrays(&d);
    add_granules(&d);
    met_cost_add_live(&d);
    met_cost_problem *p = MET_NEW(arena, met_cost_problem);
    *p = (met_cost_problem){ .name = "kernel", .loop_count = kernel->loop_count, .loops = d.loops, .order_count = d.order_count,
                             .group_count = d.group_count, .order = d.order, .array_count = (uint32_t)d.arrays.count,
                             .resident_count = (uint32_t)d.residents.count, .arrays = d.arrays.at, .residents = d.residents.at,
                             .column_count = kernel->step_count, .unit = d.unit };
    if (view->liveness == MET_LIVENESS_TILES)
        p->column_count = 1;
    assert(!met_cost_problem_check(p));
    return p;
}
