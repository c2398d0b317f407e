#include "cost/of_kernel_parts.h"

#include <assert.h>

/* --- Loops --- */

static met_loops step_loops(const met_cost_draft *d, const met_kernel_step *step)
{
    met_loops loops = 0;
    for (uint32_t i = 0; i < met_cost_step_node(d, step)->index_count; i++)
        if (step->loops[i] != MET_NONE)
            loops |= MET_COST_LOOP(step->loops[i]);
    return loops;
}

/* Whether a fold over a local loop would run again for every tile of this group loop. */
static bool repeats_work(const met_cost_draft *d, uint32_t loop)
{
    met_loops local = met_kernel_loops_of(d->kernel, MET_PARTITION_LOCAL);
    if (d->kernel->step_count == 1)
        return false;
    for (uint32_t s = 0; s < d->kernel->step_count; s++)
        if (d->kernel->steps[s].reduced & local && !(step_loops(d, &d->kernel->steps[s]) & MET_COST_LOOP(loop)))
            return true;
    return false;
}

/* Whether a local loop is folded, and only by folds over the stream. */
static bool folds_along(const met_cost_draft *d, uint32_t loop)
{
    bool folded = false;
    for (uint32_t s = 0; s < d->kernel->step_count; s++) {
        const met_kernel_step *step = &d->kernel->steps[s];
        if (!(step_loops(d, step) & MET_COST_LOOP(loop)))
            continue;
        if (step->phase != MET_STEP_FOLD || !(step->reduced & MET_COST_LOOP(loop)))
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
        if (!(step_loops(d, step) & MET_COST_LOOP(loop)))
            continue;
        if (step->phase != MET_STEP_BODY || !(step->reduced & MET_COST_LOOP(loop)))
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
                shared = shared && met_cost_carries(&d->arrays.at[a].shape) & MET_COST_LOOP(l);
            bool tile = met_str_is(granule->loop, "tile") && group && !shared && d->loops[l].size >= granule->granule;
            bool along = i + 1 < d->order_count && !folds_inside(d, d->order[i + 1]);
            bool stream = met_str_is(granule->loop, "stream") && !group && !along;
            if (tile || stream || met_str_is(granule->loop, d->loops[l].name))
                d->loops[l].granule = granule->granule;
        }
    }
}

const met_cost_problem *met_cost_of_kernel(met_arena *arena, const met_kernel *kernel, const met_cost_view *view)
{
    met_cost_draft d = { .arena = arena, .kernel = kernel, .view = view };
    if (!met_cost_find_unit(&d))
        return NULL;
    add_loops(&d);
    met_cost_add_arrays(&d);
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
