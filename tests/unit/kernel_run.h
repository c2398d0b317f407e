/* A kernel run literally, in double arithmetic: the head, then pass by pass the slices of the stream, then the tail. What
 * a slice computes is poisoned when the next one begins, so that nothing is read that the kernel does not say is there.
 * Where every correction is a power of two, and folds are sequential, the results are those of single nodes bit for bit. */
#ifndef MET_TEST_KERNEL_RUN_H
#define MET_TEST_KERNEL_RUN_H

#include "kernels.h"

typedef struct kernel_run {
    const met_circuit *circuit;
    const met_kernel *kernel;
    double **cells;      /* by edge: its elements, row-major; NULL while nothing stored it */
    bool **any;          /* by edge: a term took part in the fold; for statistics */
    uint64_t *elements;  /* by edge */
    uint64_t pos[MET_KERNEL_LOOPS];
    uint64_t lo, hi;     /* of the stream */
} kernel_run;

static inline uint64_t axis_length(const met_circuit *circuit, met_axis_id axis)
{
    uint64_t size = 0;
    assert_true(met_circuit_size(circuit, axis, &size));
    return size;
}

static inline kernel_run *kernel_run_new(const met_circuit *circuit)
{
    kernel_run *run = met_arena_alloc(circuit->arena, 1, sizeof *run);
    run->circuit = circuit;
    run->cells = met_arena_alloc(circuit->arena, circuit->edge_count, sizeof *run->cells);
    run->any = met_arena_alloc(circuit->arena, circuit->edge_count, sizeof *run->any);
    run->elements = met_arena_alloc(circuit->arena, circuit->edge_count, sizeof *run->elements);
    for (uint32_t e = 0; e < circuit->edge_count; e++) {
        run->elements[e] = 1;
        for (uint32_t p = 0; p < circuit->edges[e].rank; p++)
            run->elements[e] *= axis_length(circuit, circuit->edges[e].axes[p]);
    }
    return run;
}

static inline void fill_cells(kernel_run *run, met_edge_id edge, double value)
{
    if (!run->cells[edge.id])
        run->cells[edge.id] = met_arena_alloc(run->circuit->arena, run->elements[edge.id], sizeof(double));
    for (uint64_t i = 0; i < run->elements[edge.id]; i++)
        run->cells[edge.id][i] = value;
}

/* Small numbers for inputs and parameters; integers from -1 on for integer arrays. */
static inline void fill_sources(kernel_run *run, uint64_t seed)
{
    for (uint32_t e = 0; e < run->circuit->edge_count; e++) {
        const met_edge *edge = &run->circuit->edges[e];
        if (edge->producer.id != MET_NONE)
            continue;
        fill_cells(run, (met_edge_id){ e }, 0);
        for (uint64_t i = 0; i < run->elements[e]; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            run->cells[e][i] = edge->format.dtype == MET_I32 ? (double)(seed >> 33) - 4 * (double)(seed >> 35) - 1
                                                             : (double)(int64_t)(seed >> 33) / 0x1p30 - 1;
        }
    }
}

/* --- Positions --- */

static inline int64_t affine_at(const met_affine *affine, const int64_t *index)
{
    int64_t sum = affine->constant;
    for (uint32_t t = 0; t < affine->term_count; t++) {
        uint64_t size = 0;
        if (affine->terms[t].kind == MET_TERM_SIZE)
            assert_true(met_dim_is_constant(affine->terms[t].size, &size));
        sum += affine->terms[t].coefficient *
               (affine->terms[t].kind == MET_TERM_SIZE ? (int64_t)size : index[affine->terms[t].index]);
    }
    return sum;
}

/* Element of an edge at positions; -1 outside. */
static inline int64_t element_at(const kernel_run *run, met_edge_id edge, const int64_t *at)
{
    int64_t element = 0;
    for (uint32_t p = 0; p < run->circuit->edges[edge.id].rank; p++) {
        int64_t size = (int64_t)axis_length(run->circuit, run->circuit->edges[edge.id].axes[p]);
        if (at[p] < 0 || at[p] >= size)
            return -1;
        element = element * size + at[p];
    }
    return element;
}

static inline void positions_of(const kernel_run *run, uint32_t value, int64_t *at)
{
    const met_kernel_value *v = &run->kernel->values[value];
    int64_t index[MET_KERNEL_LOOPS];
    for (uint32_t l = 0; l < run->kernel->loop_count; l++)
        index[l] = (int64_t)run->pos[l];
    for (uint32_t p = 0; p < run->circuit->edges[v->edge.id].rank; p++)
        at[p] = affine_at(&v->at[p], index);
}

static inline bool edge_live(const kernel_run *run, met_edge_id id, const int64_t *at)
{
    const met_edge *edge = &run->circuit->edges[id.id];
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        const met_guard *guard = &edge->guards[g];
        double value = (double)affine_at(&guard->expression, at);
        if (guard->value.id != MET_NONE) {
            int64_t where[MET_RANK_LIMIT];
            for (uint32_t p = 0; p < guard->value_rank; p++)
                where[p] = affine_at(&guard->value_at[p], at);
            int64_t element = element_at(run, guard->value, where);
            if (element < 0)
                return false;
            value += guard->value_sign * run->cells[guard->value.id][element];
        }
        if (value < 0)
            return false;
    }
    return true;
}

static inline bool value_live(const kernel_run *run, uint32_t value)
{
    int64_t at[MET_RANK_LIMIT];
    positions_of(run, value, at);
    return edge_live(run, run->kernel->values[value].edge, at);
}

static inline double *cell_of(const kernel_run *run, uint32_t value)
{
    int64_t at[MET_RANK_LIMIT];
    met_edge_id edge = run->kernel->values[value].edge;
    positions_of(run, value, at);
    int64_t element = element_at(run, edge, at);
    return element < 0 ? NULL : &run->cells[edge.id][element];
}

/* --- Points of a step --- */

static inline double scalar_at(const met_scalar *e, const double *ins, const uint64_t *pos, const uint32_t *loops)
{
    double value = 0, arguments[3] = { 0, 0, 0 };
    switch (e->kind) {
    case MET_SCALAR_INPUT:
        return ins[e->input];
    case MET_SCALAR_INDEX:
        return (double)pos[loops[e->index]];
    case MET_SCALAR_NUMBER:
    case MET_SCALAR_SIZE:
        assert_true(met_scalar_constant(e, &value));
        return value;
    case MET_SCALAR_CALL:
        break;
    }
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            arguments[i] = scalar_at(e->arguments[i], ins, pos, loops);
    return met_scalar_fn_apply(e->fn, arguments[0], arguments[1], arguments[2]);
}

/* Values of the inputs here; false if one is not there or not live. What is outside is 0. */
static inline bool inputs_here(const kernel_run *run, const met_kernel_step *s, const met_node *node, double *ins)
{
    bool all = true;
    for (uint32_t k = 0; k < node->in_count; k++) {
        double *cell = cell_of(run, s->ins[k]);
        ins[k] = cell ? *cell : 0;
        all = all && cell && value_live(run, s->ins[k]);
    }
    return all;
}

static inline double read_here(const kernel_run *run, const met_kernel_step *s, const met_primitive *form)
{
    int64_t at[MET_RANK_LIMIT];
    double *id = cell_of(run, s->ins[form->ids]);
    positions_of(run, s->ins[form->table], at);
    at[form->read_position] = id ? (int64_t)*id : -1;
    int64_t element = element_at(run, run->kernel->values[s->ins[form->table]].edge, at);
    return element < 0 ? 0 : run->cells[run->kernel->values[s->ins[form->table]].edge.id][element];
}

/* The next point over some loops; the stream goes from lo to hi. False after the last. */
static inline bool next_point(kernel_run *run, uint32_t count, const uint32_t *loops)
{
    for (uint32_t k = count; k-- > 0;) {
        bool stream = loops[k] == run->kernel->stream;
        if (++run->pos[loops[k]] < (stream ? run->hi : axis_length(run->circuit, run->kernel->loops[loops[k]].axis)))
            return true;
        run->pos[loops[k]] = stream ? run->lo : 0;
    }
    return false;
}

static inline uint32_t step_loops(const kernel_run *run, const met_kernel_step *s, bool reduced, uint32_t *ret_loops)
{
    const met_node *node = &run->circuit->nodes[s->node.id];
    uint32_t count = 0;
    for (uint32_t i = 0; i < node->index_count; i++)
        if (s->loops[i] != MET_NONE && ((s->reduced >> s->loops[i] & 1) != 0) == reduced)
            ret_loops[count++] = s->loops[i];
    for (uint32_t k = 0; k < count; k++)
        run->kernel->stream == ret_loops[k] ? (void)(((kernel_run *)(uintptr_t)run)->pos[ret_loops[k]] = run->lo)
                                            : (void)(((kernel_run *)(uintptr_t)run)->pos[ret_loops[k]] = 0);
    return count;
}

/* Folds the terms over the reduced loops into *acc. */
static inline bool fold_here(kernel_run *run, const met_kernel_step *s, const met_primitive *form, double *acc)
{
    const met_node *node = &run->circuit->nodes[s->node.id];
    uint32_t loops[MET_KERNEL_LOOPS], count = step_loops(run, s, true, loops);
    double ins[64];
    bool any = false;
    do {
        if (inputs_here(run, s, node, ins)) {
            *acc = met_monoid_step(form->monoid, *acc, scalar_at(form->e, ins, run->pos, s->loops));
            any = true;
        }
    } while (next_point(run, count, loops));
    return any;
}

/* The k largest of a row, in falling order; ties to the lower index. */
static inline void pick_here(kernel_run *run, const met_kernel_step *s)
{
    const met_node *node = &run->circuit->nodes[s->node.id];
    uint32_t loops[MET_KERNEL_LOOPS], count = step_loops(run, s, true, loops);
    uint32_t slot = node->result_count ? s->loops[node->results[0]] : MET_NONE;
    double row[512], ins[4];
    bool gone[512];
    uint64_t length = 0, slots = slot == MET_NONE ? 1 : axis_length(run->circuit, run->kernel->loops[slot].axis);
    do {
        assert_true(length < 512);
        gone[length] = !inputs_here(run, s, node, ins);
        row[length++] = ins[0];
    } while (next_point(run, count, loops));
    for (uint64_t k = 0; k < slots; k++) {
        int64_t best = -1;
        for (uint64_t i = 0; i < length; i++)
            if (!gone[i] && (best < 0 || (isnan(row[i]) ? !isnan(row[best]) : row[i] > row[best])))
                best = (int64_t)i;
        if (best >= 0)
            gone[best] = true;
        if (slot != MET_NONE)
            run->pos[slot] = k;
        if (node->out_count > 1)
            *cell_of(run, s->outs[0]) = best < 0 ? -(double)INFINITY : row[best];
        *cell_of(run, s->outs[node->out_count - 1]) = (double)best;
    }
    if (slot != MET_NONE)
        run->pos[slot] = 0;
}

/* One step over the loops it has, the stream from lo to hi. */
static inline void run_step(kernel_run *run, const met_kernel_step *s)
{
    const met_node *node = &run->circuit->nodes[s->node.id];
    met_primitive form = met_node_primitive(run->circuit, node);
    uint32_t loops[MET_KERNEL_LOOPS], count = step_loops(run, s, false, loops);
    double ins[64];
    for (uint32_t k = 0; form.form == MET_FORM_PICK && node->result_count && k < count; k++)
        if (loops[k] == s->loops[node->results[0]])
            loops[k] = loops[--count];
    do {
        if (form.form == MET_FORM_PICK) {
            pick_here(run, s);
            continue;
        }
        double *out = cell_of(run, s->outs[0]);
        if (s->phase != MET_STEP_FOLD)
            *out = 0;
        if (!value_live(run, s->outs[0]))
            continue;
        if (form.form == MET_FORM_READ) {
            assert_int_equal(form.e->kind, MET_SCALAR_INPUT); /* no contraction by ids here */
            *out = read_here(run, s, &form);
        } else if (!s->reduced) {
            inputs_here(run, s, node, ins);
            *out = scalar_at(form.e, ins, run->pos, s->loops);
        } else if (s->phase == MET_STEP_FOLD) {
            met_edge_id edge = node->outs[0];
            if (fold_here(run, s, &form, out))
                run->any[edge.id][out - run->cells[edge.id]] = true;
        } else {
            double acc = met_monoid_unit(form.monoid);
            *out = fold_here(run, s, &form, &acc) ? acc : 0;
        }
    } while (next_point(run, count, loops));
}

/* --- Slices --- */

/* Everything relative to a base that has just moved is multiplied by the correction. */
static inline void rebase(kernel_run *run, uint32_t moved, const double *old)
{
    const met_kernel *k = run->kernel;
    met_edge_id base = k->values[k->accumulators[moved].value].edge;
    for (uint32_t a = 0; a < k->accumulator_count; a++) {
        if (k->accumulators[a].base != moved)
            continue;
        uint32_t loops[MET_KERNEL_LOOPS], count = 0;
        for (uint32_t l = 0; l < k->loop_count; l++)
            if (k->accumulators[a].loops >> l & 1)
                run->pos[loops[count++] = l] = 0;
        do {
            double *from = cell_of(run, k->accumulators[moved].value), *cell = cell_of(run, k->accumulators[a].value);
            double move[2] = { old[from - run->cells[base.id]], *from };
            if (move[0] != move[1] && !isinf(move[0]))
                *cell *= scalar_at(k->accumulators[a].delta, move, NULL, NULL);
        } while (next_point(run, count, loops));
    }
}

static inline void run_slice(kernel_run *run, uint32_t pass)
{
    const met_kernel *k = run->kernel;
    for (uint32_t s = 0; s < k->step_count; s++)
        for (uint32_t o = 0; k->steps[s].phase == MET_STEP_BODY && o < run->circuit->nodes[k->steps[s].node.id].out_count; o++)
            if (!k->values[k->steps[s].outs[o]].is_output || !run->cells[k->values[k->steps[s].outs[o]].edge.id])
                fill_cells(run, k->values[k->steps[s].outs[o]].edge, NAN);
    for (uint32_t s = 0; s < k->step_count; s++) {
        const met_kernel_step *step = &k->steps[s];
        if (step->phase == MET_STEP_BODY && step->pass <= pass && pass <= step->pass_last)
            run_step(run, step);
        if (step->phase != MET_STEP_FOLD || step->pass != pass)
            continue;
        met_edge_id edge = run->circuit->nodes[step->node.id].outs[0];
        double *old = met_arena_copy(run->circuit->arena, run->cells[edge.id], run->elements[edge.id], sizeof *old);
        run_step(run, step);
        rebase(run, step->accumulator, old);
    }
}

static inline void begin_pass(kernel_run *run, uint32_t pass)
{
    const met_kernel *k = run->kernel;
    for (uint32_t a = 0; a < k->accumulator_count; a++) {
        met_edge_id edge = k->values[k->accumulators[a].value].edge;
        if (k->steps[k->accumulators[a].step].pass != pass)
            continue;
        fill_cells(run, edge, met_monoid_unit(k->accumulators[a].monoid));
        run->any[edge.id] = met_arena_alloc(run->circuit->arena, run->elements[edge.id], sizeof(bool));
    }
}

/* A fold over nothing is 0. */
static inline void end_pass(kernel_run *run, uint32_t pass)
{
    const met_kernel *k = run->kernel;
    for (uint32_t a = 0; a < k->accumulator_count; a++) {
        met_edge_id edge = k->values[k->accumulators[a].value].edge;
        for (uint64_t i = 0; k->steps[k->accumulators[a].step].pass == pass && i < run->elements[edge.id]; i++)
            if (!run->any[edge.id][i])
                run->cells[edge.id][i] = 0;
    }
}

static inline void run_phase(kernel_run *run, met_step_phase phase, uint32_t pass)
{
    for (uint32_t s = 0; s < run->kernel->step_count; s++)
        if (run->kernel->steps[s].phase == phase && run->kernel->steps[s].pass == pass)
            run_step(run, &run->kernel->steps[s]);
}

/* Runs a kernel on the cells of what it reads, in slices of at most `slice`. */
static inline void run_kernel(kernel_run *run, const met_kernel *kernel, uint64_t slice)
{
    run->kernel = kernel;
    for (uint32_t v = 0; v < kernel->value_count; v++)
        if (!kernel->values[v].is_input)
            fill_cells(run, kernel->values[v].edge, NAN);
    uint64_t length = kernel->stream == MET_NONE ? 1 : axis_length(run->circuit, kernel->loops[kernel->stream].axis);
    run_phase(run, MET_STEP_HEAD, 0);
    for (uint32_t pass = 0; pass < kernel->pass_count; pass++) {
        begin_pass(run, pass);
        for (run->lo = 0; run->lo < length; run->lo = run->hi) {
            run->hi = run->lo + slice < length ? run->lo + slice : length;
            run_slice(run, pass);
        }
        run->lo = 0;
        end_pass(run, pass);
        run_phase(run, MET_STEP_TAIL, pass);
    }
}

/* --- Comparing --- */

static inline bool same_double(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* The first live element in which an edge differs; -1 if none does. */
static inline int64_t first_difference(const kernel_run *a, const kernel_run *b, met_edge_id id)
{
    const met_edge *edge = &a->circuit->edges[id.id];
    for (uint64_t i = 0; i < a->elements[id.id]; i++) {
        int64_t at[MET_RANK_LIMIT];
        uint64_t rest = i;
        for (uint32_t p = edge->rank; p-- > 0;) {
            uint64_t size = axis_length(a->circuit, edge->axes[p]);
            at[p] = (int64_t)(rest % size);
            rest /= size;
        }
        if (edge_live(a, id, at) && !same_double(a->cells[id.id][i], b->cells[id.id][i]))
            return (int64_t)i;
    }
    return -1;
}

#endif
