#include <math.h>

#include "base/diag.h"
#include "eval/run.h"

static met_linear zero_linear(const met_loop *loop)
{
    return (met_linear){ 0, MET_NEW_ARRAY(loop->run->arena, int64_t, loop->index_count + 1) };
}

/* sum += a·b. Positions far outside of any array could overflow: then the loop has failed. Within REACH each, the terms
 * of a linear function and the steps along a strip stay within 64 bits, since a loop has at most 64 indices. */
#define REACH ((int64_t)1 << 56)

static void add_product(met_loop *loop, int64_t *sum, int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(*sum, product, sum))
        loop->failed = true;
}

static void check_reach(met_loop *loop, met_linear *linear)
{
    loop->failed = loop->failed || linear->constant > REACH || linear->constant < -REACH;
    for (uint32_t i = 0; i < loop->index_count; i++) {
        int64_t reach = 0;
        if (loop->size[i] == 1)
            linear->by[i] = 0; /* its counter is always 0 */
        add_product(loop, &reach, linear->by[i], loop->size[i]);
        loop->failed = loop->failed || reach > REACH || reach < -REACH;
    }
}

static void add_scaled(met_loop *loop, met_linear *to, const met_linear *from, int64_t factor)
{
    add_product(loop, &to->constant, factor, from->constant);
    for (uint32_t i = 0; i < loop->index_count; i++)
        add_product(loop, &to->by[i], factor, from->by[i]);
}

/* An affine expression whose INDEX terms are positions; position p is position[p] in the loop's counters. With NULL the
 * terms are the loop's indices themselves. */
static met_linear bind_affine(met_loop *loop, const met_affine *affine, const met_linear *position)
{
    met_linear linear = zero_linear(loop);
    linear.constant = affine->constant;
    for (uint32_t t = 0; t < affine->term_count; t++) {
        const met_affine_term *term = &affine->terms[t];
        if (term->kind == MET_TERM_SIZE)
            add_product(loop, &linear.constant, term->coefficient, met_run_dim(loop->run, term->size));
        else if (position)
            add_scaled(loop, &linear, &position[term->index], term->coefficient);
        else
            add_product(loop, &linear.by[term->index], term->coefficient, 1);
    }
    check_reach(loop, &linear);
    return linear;
}

static met_linear *bind_access(met_loop *loop, const met_access *access)
{
    met_linear *at = MET_NEW_ARRAY(loop->run->arena, met_linear, access->rank);
    for (uint32_t p = 0; p < access->rank; p++)
        at[p] = bind_affine(loop, &access->at[p], NULL);
    return at;
}

static bool stays_inside(const met_loop *loop, const met_linear *linear, int64_t size)
{
    if (loop->failed)
        return false;
    int64_t low = linear->constant, high = linear->constant;
    for (uint32_t i = 0; i < loop->index_count; i++) {
        int64_t reach = linear->by[i] * (loop->size[i] - 1);
        low += reach < 0 ? reach : 0;
        high += reach > 0 ? reach : 0;
    }
    return low >= 0 && high < size;
}

/* An edge read at positions that are linear in the loop's counters. */
static met_reader make_reader(met_loop *loop, met_edge_id edge, uint32_t rank, met_linear *at)
{
    const met_run *run = loop->run;
    const met_edge *e = &run->circuit->edges[edge.id];
    met_reader reader = { .values = run->values[edge.id], .offset = zero_linear(loop), .rank = rank, .at = at };
    reader.size = MET_NEW_ARRAY(run->arena, int64_t, rank);
    reader.round = !run->wide && (e->format.dtype == MET_F64 || e->format.dtype == MET_I32);
    int64_t stride = 1;
    for (uint32_t p = rank; p-- > 0;) {
        reader.size[p] = (int64_t)run->size[e->axes[p].id];
        add_scaled(loop, &reader.offset, &at[p], stride);
        reader.checked = reader.checked || !stays_inside(loop, &at[p], reader.size[p]);
        stride *= reader.size[p];
    }
    check_reach(loop, &reader.offset);
    return reader;
}

/* Appends the guards of an edge that is accessed at these positions. */
static void add_gates(met_loop *loop, met_gates *gates, met_edge_id edge, const met_linear *at)
{
    const met_edge *e = &loop->run->circuit->edges[edge.id];
    met_gate *grown = MET_NEW_ARRAY(loop->run->arena, met_gate, gates->count + e->guard_count);
    for (uint32_t g = 0; g < gates->count; g++)
        grown[g] = gates->at[g];
    for (uint32_t g = 0; g < e->guard_count; g++) {
        const met_guard *guard = &e->guards[g];
        met_gate gate = { .expression = bind_affine(loop, &guard->expression, at) };
        if (guard->value.id != MET_NONE) {
            met_linear *value_at = MET_NEW_ARRAY(loop->run->arena, met_linear, guard->value_rank);
            for (uint32_t p = 0; p < guard->value_rank; p++)
                value_at[p] = bind_affine(loop, &guard->value_at[p], at);
            gate.sign = guard->value_sign;
            gate.value = make_reader(loop, guard->value, guard->value_rank, value_at);
        }
        grown[gates->count + g] = gate;
    }
    gates->at = grown;
    gates->count += e->guard_count;
}

/* Kept indices follow the first output; what is reduced follows the node. */
static void order_indices(met_loop *loop)
{
    const met_node *node = loop->node;
    met_arena *arena = loop->run->arena;
    loop->kept = MET_NEW_ARRAY(arena, uint32_t, loop->index_count);
    loop->folded = MET_NEW_ARRAY(arena, uint32_t, loop->index_count);
    bool *seen = MET_NEW_ARRAY(arena, bool, loop->index_count);
    for (uint32_t p = 0; p < node->out_access[0].rank; p++) {
        const met_affine *at = &node->out_access[0].at[p];
        for (uint32_t t = 0; t < at->term_count; t++) {
            if (at->terms[t].kind == MET_TERM_INDEX && !seen[at->terms[t].index]) {
                seen[at->terms[t].index] = true;
                loop->kept[loop->kept_count++] = at->terms[t].index;
            }
        }
    }
    for (uint32_t i = 0; i < loop->index_count; i++)
        if (!seen[i] && i != loop->form.read_index)
            loop->folded[loop->fold_count++] = i;
    loop->strip = loop->fold_count > 0   ? loop->folded[loop->fold_count - 1]
                  : loop->kept_count > 0 ? loop->kept[loop->kept_count - 1]
                                         : MET_NONE;
}

met_loop *met_loop_new(met_run *run, const met_node *node)
{
    met_loop *loop = MET_NEW(run->arena, met_loop);
    loop->run = run;
    loop->node = node;
    loop->form = met_node_primitive(run->circuit, node);
    loop->index_count = node->index_count;
    loop->size = MET_NEW_ARRAY(run->arena, int64_t, node->index_count);
    loop->counter = MET_NEW_ARRAY(run->arena, int64_t, node->index_count);
    for (uint32_t i = 0; i < node->index_count; i++)
        loop->size[i] = (int64_t)run->size[node->indices[i].axis.id];
    order_indices(loop);
    loop->in = MET_NEW_ARRAY(run->arena, met_reader, node->in_count);
    for (uint32_t k = 0; k < node->in_count; k++) {
        met_linear *at = bind_access(loop, &node->in_access[k]);
        if (loop->form.form == MET_FORM_READ && k == loop->form.table)
            at[loop->form.read_position] = zero_linear(loop);
        loop->in[k] = make_reader(loop, node->ins[k], node->in_access[k].rank, at);
        if (loop->form.form != MET_FORM_READ || k != loop->form.table)
            add_gates(loop, &loop->in_gates, node->ins[k], at);
    }
    loop->single = loop->form.form == MET_FORM_READ && met_linear_step(loop, &loop->in[loop->form.ids].offset) != 0;
    loop->out = MET_NEW_ARRAY(run->arena, met_reader, node->out_count);
    for (uint32_t k = 0; k < node->out_count; k++) {
        met_linear *at = bind_access(loop, &node->out_access[k]);
        loop->out[k] = make_reader(loop, node->outs[k], node->out_access[k].rank, at);
        if (k == 0)
            add_gates(loop, &loop->out_gates, node->outs[0], at);
    }
    if (loop->failed) {
        met_diag_add(run->session, MET_DIAG_run, node->span, "this reads at positions too far away to count");
        return NULL;
    }
    return loop;
}

int64_t met_linear_at(const met_loop *loop, const met_linear *linear)
{
    int64_t value = linear->constant;
    for (uint32_t i = 0; i < loop->index_count; i++)
        value += linear->by[i] * loop->counter[i];
    return value;
}

int64_t met_linear_step(const met_loop *loop, const met_linear *linear)
{
    return loop->strip == MET_NONE ? 0 : linear->by[loop->strip];
}

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

void met_strip_narrow(met_strip *strip, int64_t begin, int64_t step)
{
    if (step == 0) {
        if (begin < 0)
            strip->hi = strip->lo;
    } else if (step > 0) {
        int64_t first = -floor_div(begin, step); /* ⌈−begin/step⌉ */
        strip->lo = first > strip->lo ? first : strip->lo;
    } else {
        int64_t end = floor_div(begin, -step) + 1;
        strip->hi = end < strip->hi ? end : strip->hi;
    }
    if (strip->hi < strip->lo)
        strip->hi = strip->lo;
}

void met_strip_inside(const met_loop *loop, const met_reader *reader, met_strip *strip)
{
    if (reader->absent)
        strip->hi = strip->lo;
    for (uint32_t p = 0; reader->checked && p < reader->rank; p++) {
        int64_t begin = met_linear_at(loop, &reader->at[p]), step = met_linear_step(loop, &reader->at[p]);
        met_strip_narrow(strip, begin, step);
        met_strip_narrow(strip, reader->size[p] - 1 - begin, -step);
    }
}

/* A guard whose value changes along the strip, element by element. */
static void apply_value_gate(const met_loop *loop, const met_gate *gate, met_strip *strip)
{
    if (!strip->masked) {
        strip->masked = true;
        for (int64_t t = strip->lo; t < strip->hi; t++)
            strip->live[t] = true;
    }
    int64_t begin = met_linear_at(loop, &gate->expression), step = met_linear_step(loop, &gate->expression);
    int64_t offset = met_linear_at(loop, &gate->value.offset), stride = met_linear_step(loop, &gate->value.offset);
    for (int64_t t = strip->lo; t < strip->hi; t++) {
        double value = gate->value.values[offset + t * stride];
        strip->live[t] = strip->live[t] && (double)(begin + step * t) + gate->sign * value >= 0;
    }
}

void met_strip_gates(const met_loop *loop, const met_gates *gates, met_strip *strip)
{
    for (uint32_t g = 0; g < gates->count; g++)
        if (gates->at[g].sign == 0)
            met_strip_narrow(strip, met_linear_at(loop, &gates->at[g].expression),
                             met_linear_step(loop, &gates->at[g].expression));
    /* values only where they exist: outside of their array nothing is live */
    for (uint32_t g = 0; g < gates->count && strip->lo < strip->hi; g++) {
        if (gates->at[g].sign == 0)
            continue;
        met_strip_inside(loop, &gates->at[g].value, strip);
        apply_value_gate(loop, &gates->at[g], strip);
    }
}

void met_loop_find_id(met_loop *loop)
{
    if (loop->form.form != MET_FORM_READ)
        return;
    const met_reader *ids = &loop->in[loop->form.ids];
    met_reader *table = &loop->in[loop->form.table];
    met_strip inside = { .lo = 0, .hi = 1 };
    met_strip_inside(loop, ids, &inside);
    double id = inside.lo < inside.hi ? ids->values[met_linear_at(loop, &ids->offset)] : -1;
    table->absent = !(id >= 0 && id < (double)table->size[loop->form.read_position]);
    table->shift = table->absent ? 0 : (int64_t)id;
    for (uint32_t p = loop->form.read_position + 1; p < table->rank; p++)
        table->shift *= table->size[p];
}

bool met_loop_next(met_loop *loop, uint32_t count, const uint32_t *indices)
{
    for (uint32_t k = count; k-- > 0;) {
        if (++loop->counter[indices[k]] < loop->size[indices[k]])
            return true;
        loop->counter[indices[k]] = 0;
    }
    return false;
}

int64_t met_loop_strip_length(const met_loop *loop)
{
    if (loop->strip == MET_NONE)
        return 1;
    int64_t rest = loop->size[loop->strip] - loop->counter[loop->strip], most = loop->single ? 1 : MET_STRIP;
    return rest < most ? rest : most;
}

bool met_loop_next_strip(met_loop *loop, uint32_t count, const uint32_t *indices)
{
    if (loop->strip == MET_NONE)
        return false;
    loop->counter[loop->strip] += met_loop_strip_length(loop);
    if (loop->counter[loop->strip] < loop->size[loop->strip])
        return true;
    loop->counter[loop->strip] = 0;
    return met_loop_next(loop, count - 1, indices);
}

met_tree met_loop_tree(const met_loop *loop)
{
    const met_run *run = loop->run;
    return run->trees ? run->trees[loop->node - run->circuit->nodes]
                      : met_point_tree(run->point, run->circuit, loop->node);
}

double met_run_round(const met_run *run, met_edge_id edge, double value)
{
    if (value != value)
        value = (double)NAN;
    met_format format = run->circuit->edges[edge.id].format;
    if (run->reals)
        return value;
    return met_format_is_plain(format) ? met_round((met_dtype)format.dtype, value) : value;
}
