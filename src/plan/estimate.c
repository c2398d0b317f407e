#include "plan/estimate.h"

/* The machine of the estimate: flops in the time of a byte, workers, and what starting a kernel costs in bytes. They are
 * those of a CPU core that moves 15 GB/s, and are not meant to be exact: what they decide is whether something is worth
 * computing again, and whether a kernel may give up independent units. */
#define FLOPS_PER_BYTE 8.0
#define WORKERS 8.0
#define LAUNCH_BYTES 32768.0
#define SLICE 64     /* of the stream */
#define ROW_TILE 128 /* largest tile of a loop that no streamed array has: realizations keep such rows close */

typedef struct estimator {
    const met_derivation *derivation;
    const met_kernel *kernel;
    double size[MET_KERNEL_LOOPS];
    double tile[MET_KERNEL_LOOPS];
    double limit[MET_KERNEL_LOOPS]; /* of the tile */
    const double *flops;     /* by step, at one point */
    const uint32_t *passes;  /* by value: in which it is read */
    const uint32_t *begin, *end; /* by value: the places between which it is live */
    const double *width;     /* by value: bytes of an element in memory; in a tile it is an f32 */
    double *column;          /* by place: what begins to live there, less what has ended */
} estimator;

static double product_over(const estimator *x, met_loops loops, const double *factor)
{
    double product = 1;
    for (uint32_t l = 0; l < x->kernel->loop_count; l++)
        if (loops >> l & 1)
            product *= factor[l];
    return product;
}

static double trips(const estimator *x, uint32_t loop)
{
    double whole = x->size[loop] / x->tile[loop];
    uint64_t count = (uint64_t)whole;
    return (double)count < whole ? (double)count + 1 : (double)count;
}

/* Trips over the group loops that are not among some loops. */
static double trips_without(const estimator *x, met_loops loops)
{
    double product = 1;
    for (uint32_t l = 0; l < x->kernel->loop_count; l++)
        if (x->kernel->loops[l].partition == MET_PARTITION_GROUP && !(loops >> l & 1))
            product *= trips(x, l);
    return product;
}

/* --- Work --- */

/* Functions that are not one instruction count as several. */
static double weighted_flops(const met_scalar *e)
{
    double unused;
    if (e->kind != MET_SCALAR_CALL || met_scalar_constant(e, &unused))
        return 0;
    double flops = 1;
    if (e->fn == MET_FN_div || e->fn == MET_FN_sqrt || e->fn == MET_FN_recip || e->fn == MET_FN_rsqrt)
        flops = 4;
    else if (e->fn == MET_FN_pow || (e->fn >= MET_FN_exp && e->fn <= MET_FN_log2) || (e->fn >= MET_FN_sin && e->fn <= MET_FN_sigmoid))
        flops = 16;
    for (int i = 0; i < 3; i++)
        if (e->arguments[i])
            flops += weighted_flops(e->arguments[i]);
    return flops;
}

static met_loops loops_of_step(const estimator *x, const met_kernel_step *step)
{
    met_loops loops = 0;
    for (uint32_t i = 0; i < x->kernel->circuit->nodes[step->node.id].index_count; i++)
        if (step->loops[i] != MET_NONE)
            loops |= (met_loops)1 << step->loops[i];
    return loops;
}

/* What tiles compute again counts. What later passes compute again does not: it is the price of dividing first, which the
 * circuit asks for. */
static double work_of(const estimator *x)
{
    double work = 0;
    for (uint32_t s = 0; s < x->kernel->step_count; s++) {
        const met_kernel_step *step = &x->kernel->steps[s];
        met_loops loops = loops_of_step(x, step);
        double points = product_over(x, loops, x->size) * trips_without(x, loops);
        work += points * x->flops[s];
    }
    return work;
}

/* --- Traffic --- */

static double elements_of(const estimator *x, const met_kernel_value *value)
{
    double reached = product_over(x, value->loops, x->size), there = 1;
    const met_edge *edge = &x->kernel->circuit->edges[value->edge.id];
    for (uint32_t p = 0; p < edge->rank; p++) {
        uint64_t size;
        there *= met_circuit_size(x->kernel->circuit, edge->axes[p], &size) ? (double)size : 1;
    }
    return reached < there ? reached : there;
}

/* Passes in which a value of the stream is read, as sets; more than 64 passes do not occur below 64 loops of folds. */
static void find_passes(estimator *x, met_arena *scratch)
{
    uint64_t *sets = MET_NEW_ARRAY(scratch, uint64_t, x->kernel->value_count);
    uint32_t *passes = MET_NEW_ARRAY(scratch, uint32_t, x->kernel->value_count);
    for (uint32_t s = 0; s < x->kernel->step_count; s++) {
        const met_kernel_step *step = &x->kernel->steps[s];
        for (uint32_t k = 0; k < x->kernel->circuit->nodes[step->node.id].in_count; k++)
            for (uint32_t p = step->pass; p <= step->pass_last && p < 64; p++)
                sets[step->ins[k]] |= (uint64_t)1 << p;
    }
    for (uint32_t v = 0; v < x->kernel->value_count; v++) {
        for (; sets[v]; sets[v] &= sets[v] - 1)
            passes[v]++;
        passes[v] = passes[v] && x->kernel->values[v].class == MET_VALUE_STREAM ? passes[v] : 1;
    }
    x->passes = passes;
}

static double bytes_of(const estimator *x)
{
    double bytes = 0;
    for (uint32_t v = 0; v < x->kernel->value_count; v++) {
        const met_kernel_value *value = &x->kernel->values[v];
        double once = elements_of(x, value) * x->width[v];
        if (value->is_input)
            bytes += once * trips_without(x, value->loops) * x->passes[v];
        if (value->is_output)
            bytes += once;
    }
    return bytes;
}

/* --- Memory --- */

/* Places: two for each step, at which it reads and at which it has written; first those of the head's steps, then of the
 * stream's, then of the tail's. A fold needs its result beside what it reads; a map may write over it. What the stream
 * reads and does not carry stays till its end. */
static uint32_t place_of(const met_kernel *kernel, uint32_t step)
{
    uint32_t n = kernel->step_count;
    met_step_phase phase = kernel->steps[step].phase;
    return 2 * (step + (phase == MET_STEP_HEAD ? 0 : phase == MET_STEP_TAIL ? 2 * n : n));
}

/* A step reads or writes a value at a place. */
static void note_life(const met_kernel *kernel, uint32_t value, uint32_t place, uint32_t *begin, uint32_t *end)
{
    uint32_t stream_begin = 2 * kernel->step_count, stream_end = 4 * kernel->step_count;
    bool stays = kernel->stream != MET_NONE && kernel->values[value].class != MET_VALUE_STREAM && place >= stream_begin &&
                 place < stream_end;
    uint32_t first = stays && kernel->values[value].is_input ? stream_begin : place, last = stays ? stream_end - 1 : place;
    begin[value] = first < begin[value] ? first : begin[value];
    end[value] = last > end[value] ? last : end[value];
}

/* Arrays that one map reads and nothing else need not be there as whole tiles. */
static bool *find_passing(const met_kernel *kernel, met_arena *scratch)
{
    bool *passing = MET_NEW_ARRAY(scratch, bool, kernel->value_count), *seen = MET_NEW_ARRAY(scratch, bool, kernel->value_count);
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        for (uint32_t k = 0; k < kernel->circuit->nodes[kernel->steps[s].node.id].in_count; k++) {
            uint32_t v = kernel->steps[s].ins[k];
            passing[v] = kernel->values[v].is_input && !seen[v] && !kernel->steps[s].reduced;
            seen[v] = true;
        }
    }
    return passing;
}

static void find_lives(estimator *x, met_arena *scratch)
{
    const met_kernel *kernel = x->kernel;
    uint32_t *begin = MET_NEW_ARRAY(scratch, uint32_t, kernel->value_count), *end = MET_NEW_ARRAY(scratch, uint32_t, kernel->value_count);
    const bool *passing = find_passing(kernel, scratch);
    for (uint32_t v = 0; v < kernel->value_count; v++)
        begin[v] = 6 * kernel->step_count;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_kernel_step *step = &kernel->steps[s];
        const met_node *node = &kernel->circuit->nodes[step->node.id];
        uint32_t place = place_of(kernel, s);
        for (uint32_t k = 0; k < node->in_count; k++)
            if (!passing[step->ins[k]])
                note_life(kernel, step->ins[k], place, begin, end);
        for (uint32_t k = 0; k < node->out_count; k++)
            note_life(kernel, step->outs[k], place + !step->reduced, begin, end);
    }
    x->begin = begin;
    x->end = end;
    x->column = MET_NEW_ARRAY(scratch, double, (size_t)6 * kernel->step_count + 1);
}

/* The largest column of live tiles. */
static double memory_of(const estimator *x)
{
    uint32_t places = 6 * x->kernel->step_count;
    double most = 0, live = 0;
    for (uint32_t p = 0; p <= places; p++)
        x->column[p] = 0;
    for (uint32_t v = 0; v < x->kernel->value_count; v++) {
        if (x->begin[v] >= places)
            continue; /* passes by, or only guards read it */
        double tile = product_over(x, x->kernel->values[v].loops, x->tile) * 4;
        x->column[x->begin[v]] += tile;
        x->column[x->end[v] + 1] -= tile;
    }
    for (uint32_t p = 0; p <= places; p++) {
        live += x->column[p];
        most = live > most ? live : most;
    }
    return most;
}

/* --- The whole --- */

/* Loops of the arrays that pass by. */
static met_loops streamed_loops(const met_kernel *kernel)
{
    met_loops loops = 0;
    for (uint32_t v = 0; v < kernel->value_count; v++)
        if (kernel->values[v].is_input && kernel->values[v].class == MET_VALUE_STREAM)
            loops |= kernel->values[v].loops;
    return loops;
}

/* Local loops that only folds over the stream fold: slices are cut within them, as they are walked inside of the stream. */
static met_loops inner_loops(const estimator *x)
{
    const met_kernel *kernel = x->kernel;
    met_loops inner = 0, whole = 0;
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_kernel_step *step = &kernel->steps[s];
        met_loops loops = loops_of_step(x, step);
        if (step->phase == MET_STEP_FOLD) {
            inner |= step->reduced;
            whole |= loops & ~step->reduced;
        } else if (step->phase != MET_STEP_BODY || step->reduced) {
            whole |= loops;
        }
    }
    return inner & ~whole & met_kernel_loops_of(kernel, MET_PARTITION_LOCAL);
}

/* A slice is SLICE positions, over the stream and what is walked inside of it, from the innermost out. */
static void cut_slices(estimator *x)
{
    met_loops sliced = inner_loops(x) | met_kernel_loops_of(x->kernel, MET_PARTITION_STREAM);
    double rest = SLICE;
    for (uint32_t s = x->kernel->step_count; s-- > 0;) {
        const met_kernel_step *step = &x->kernel->steps[s];
        for (uint32_t i = x->kernel->circuit->nodes[step->node.id].index_count; i-- > 0 && step->phase == MET_STEP_FOLD;) {
            uint32_t l = step->loops[i];
            if (!(step->reduced & sliced & (met_loops)1 << l))
                continue;
            sliced &= ~((met_loops)1 << l);
            x->tile[l] = x->size[l] < rest ? x->size[l] : rest;
            rest = rest > x->tile[l] ? (double)(uint64_t)(rest / x->tile[l]) : 1;
        }
    }
}

static void prepare(estimator *x, met_arena *scratch)
{
    const met_kernel *kernel = x->kernel;
    double *flops = MET_NEW_ARRAY(scratch, double, kernel->step_count), *width = MET_NEW_ARRAY(scratch, double, kernel->value_count);
    met_loops streamed = streamed_loops(kernel);
    for (uint32_t l = 0; l < kernel->loop_count; l++) {
        uint64_t size;
        bool row = kernel->stream != MET_NONE && !(streamed >> l & 1);
        x->size[l] = met_circuit_size(kernel->circuit, kernel->loops[l].axis, &size) ? (double)size : 1;
        x->tile[l] = kernel->loops[l].partition == MET_PARTITION_GROUP ? 1 : x->size[l];
        x->limit[l] = row && x->size[l] > ROW_TILE ? ROW_TILE : x->size[l];
    }
    cut_slices(x);
    for (uint32_t s = 0; s < kernel->step_count; s++) {
        const met_primitive *form = &x->derivation->forms[kernel->steps[s].node.id];
        flops[s] = weighted_flops(form->e) + (kernel->steps[s].reduced != 0);
    }
    for (uint32_t v = 0; v < kernel->value_count; v++) {
        met_format format = kernel->circuit->edges[kernel->values[v].edge.id].format;
        width[v] = met_dtype_table[format.dtype].bits / 8.0;
    }
    x->flops = flops;
    x->width = width;
    find_passes(x, scratch);
    find_lives(x, scratch);
}

static double time_of(double bytes, double work, double units)
{
    double computing = work / FLOPS_PER_BYTE, slower = computing > bytes ? computing : bytes;
    return slower / (units < WORKERS ? units : WORKERS) + LAUNCH_BYTES / WORKERS;
}

/* Slices become thinner if the smallest tiles do not fit: where a fold has local loops beside the stream, one position of
 * the stream may be much. */
static void thin_slices(estimator *x, double capacity)
{
    uint32_t stream = x->kernel->stream;
    while (stream != MET_NONE && x->tile[stream] > 1 && memory_of(x) > capacity)
        x->tile[stream] = (double)(((uint64_t)x->tile[stream] + 1) / 2);
}

/* The next larger tile: of a loop that is cut into few tiles, the one that saves a tile. */
static double larger_tile(const estimator *x, uint32_t loop, double factor)
{
    double tile = x->tile[loop] * factor, count = trips(x, loop);
    if (tile < x->tile[loop] + 1)
        tile = x->tile[loop] + 1;
    if (factor < 2 && count > 1) {
        uint64_t least = (uint64_t)(x->size[loop] / (count - 1));
        double saving = (double)least < x->size[loop] / (count - 1) ? (double)least + 1 : (double)least;
        tile = saving > tile ? saving : (double)(uint64_t)tile;
    }
    return tile < x->limit[loop] ? tile : x->limit[loop];
}

static double objective(const estimator *x)
{
    return bytes_of(x) + work_of(x) / FLOPS_PER_BYTE;
}

/* Enlarges the tile that saves most, as long as one does and the tiles fit; first by doubling, then in smaller steps. */
static void grow_tiles(estimator *x, double capacity)
{
    static const double factors[] = { 2, 1.5, 1.125 };
    for (size_t f = 0; f < sizeof factors / sizeof *factors;) {
        double least = objective(x), tile = 0;
        uint32_t best = MET_NONE;
        for (uint32_t l = 0; l < x->kernel->loop_count; l++) {
            double old = x->tile[l];
            if (x->kernel->loops[l].partition != MET_PARTITION_GROUP || old >= x->limit[l])
                continue;
            x->tile[l] = larger_tile(x, l, factors[f]);
            double sum = objective(x);
            if (sum < least && memory_of(x) <= capacity) {
                least = sum;
                best = l;
                tile = x->tile[l];
            }
            x->tile[l] = old;
        }
        if (best == MET_NONE)
            f++;
        else
            x->tile[best] = tile;
    }
}

met_estimate met_estimate_kernel(const met_derivation *derivation, met_arena *scratch, const met_kernel *kernel,
                                 uint64_t capacity_bytes)
{
    estimator x = { .derivation = derivation, .kernel = kernel };
    prepare(&x, scratch);
    thin_slices(&x, (double)capacity_bytes);
    met_estimate result = { .fits = memory_of(&x) <= (double)capacity_bytes };
    grow_tiles(&x, (double)capacity_bytes);
    result.bytes = bytes_of(&x);
    result.work = work_of(&x);
    result.units = product_over(&x, met_kernel_loops_of(kernel, MET_PARTITION_GROUP), x.size);
    result.time = time_of(result.bytes, result.work, result.units);
    return result;
}
