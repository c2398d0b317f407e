/* Recurrences as scans. In the formulas of a scan `a` is the state, b, c, … the arrays after it, and the letter after the
 * last of them what was recalled of the state. */
#include <assert.h>

#include "ir/affine.h"
#include "ir/expand_part.h"

static const char zero[] = "0"; /* nothing is recalled */

/* h = decay*h + x */
void met_expand_gated_decay(met_expander *x)
{
    met_part scan = { .op = MET_OP_scan, .e = "fma(b, a, c)", .read = "a", .recall = zero, .over = met_part_result(x, 0),
                      .in_count = 3, .ins = { met_part_input(x, 0), met_part_input(x, 1), met_part_input(x, 2) } };
    met_part_emit(x, &scan);
}

/* The indices that two operands read, in the order of the first result, then of the second. */
static met_indices read_by(const met_expander *x, const met_operand *a, const met_operand *b)
{
    met_indices results[2] = { met_part_result(x, 0), met_part_result(x, 1) };
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, x->node->index_count), count = 0;
    bool *seen = MET_NEW_ARRAY(x->to.arena, bool, x->node->index_count);
    for (int r = 0; r < 2; r++) {
        for (uint32_t i = 0; i < results[r].count; i++) {
            uint32_t index = results[r].at[i];
            bool read = false;
            for (uint32_t p = 0; p < a->access.rank; p++)
                read = read || met_affine_reads_index(a->access.at[p], index);
            for (uint32_t p = 0; p < b->access.rank; p++)
                read = read || met_affine_reads_index(b->access.at[p], index);
            if (read && !seen[index])
                at[count++] = index;
            seen[index] = true;
        }
    }
    return (met_indices){ count, at };
}

/* Dao and Gu, "Transformers are SSMs" (2024): h_t = exp(dt A) h_(t-1) + dt x_t B_t, y_t = C_t h_t + D x_t. */
void met_expand_ssm(met_expander *x)
{
    enum { STATE, X, DT, A, B, C, D };
    met_operand in[7];
    for (uint32_t k = 0; k < 7; k++)
        in[k] = met_part_input(x, k);
    met_part decay = { .name = "decay", .op = MET_OP_map, .e = "exp(a*b)", .over = read_by(x, &in[DT], &in[A]), .in_count = 2,
                       .ins = { in[DT], in[A] } };
    met_part input = { .name = "input", .op = MET_OP_map, .e = "a*b", .over = read_by(x, &in[DT], &in[X]), .in_count = 2,
                       .ins = { in[DT], in[X] } };
    met_operand by = met_part_emit(x, &decay), new = met_part_emit(x, &input);
    met_part scan = { .name = "scan", .op = MET_OP_scan, .e = "fma(b, a, c*d)", .read = "e*a", .recall = zero,
                      .over = met_part_result(x, 0), .in_count = 5, .ins = { in[STATE], by, new, in[B], in[C] } };
    met_operand scanned = met_part_emit(x, &scan);
    met_part skip = { .op = MET_OP_map, .e = "fma(b, c, a)", .over = met_part_result(x, 0), .in_count = 3,
                      .ins = { scanned, in[D], in[X] } };
    met_part_emit(x, &skip);
}

/* Yang, Kautz and Hatamizadeh, "Gated Delta Networks" (2024): with the decayed state S, S = S + beta k (v - k S), y = q S. */
void met_expand_delta_rule(met_expander *x)
{
    enum { STATE, Q, K, V, DECAY, BETA };
    met_part scan = { .op = MET_OP_scan, .e = "fma(f*(d - e*g), c, e*a)", .read = "b*a", .recall = "c*a",
                      .over = met_part_result(x, 0), .in_count = 6 };
    for (uint32_t k = STATE; k <= BETA; k++)
        scan.ins[k] = met_part_input(x, k);
    met_part_emit(x, &scan);
}

/* The index of a composite that its first result has and its second lacks, or the other way round. */
static uint32_t only_in(const met_expander *x, uint32_t has, uint32_t lacks)
{
    met_indices in = met_part_result(x, has), out = met_part_result(x, lacks);
    for (uint32_t i = 0; i < in.count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < out.count; k++)
            found = found || in.at[i] == out.at[k];
        if (!found)
            return in.at[i];
    }
    return MET_NONE;
}

/* The first result's indices, and `j` after `n`. */
static met_indices union_of(const met_expander *x, uint32_t n, uint32_t j)
{
    met_indices result = met_part_result(x, 0);
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, result.count + 1), count = 0;
    for (uint32_t i = 0; i < result.count; i++) {
        at[count++] = result.at[i];
        if (result.at[i] == n)
            at[count++] = j;
    }
    return (met_indices){ count, at };
}

/* The operand, read at another place where it is read along `index`. */
static met_operand read_at(const met_expander *x, met_operand operand, uint32_t index, met_affine place)
{
    met_affine *at = met_arena_copy(x->to.arena, operand.access.at, operand.access.rank, sizeof *at);
    for (uint32_t p = 0; p < operand.access.rank; p++)
        if (met_affine_reads_index(at[p], index))
            at[p] = place;
    operand.access.at = at;
    return operand;
}

/* Places within an axis, or one axis behind it: they fit. */
static met_affine sum_of(met_arena *arena, met_affine a, met_affine b, int64_t sign)
{
    met_affine sum = a;
    bool fits = met_affine_add(arena, a, b, sign, &sum);
    assert(fits);
    (void)fits;
    return sum;
}

/* Position `place` of the last positions before and the new ones, end to end. */
static met_operand joined(met_expander *x, const char *name, uint32_t output, met_affine place, const char *formula,
                          met_indices over, uint32_t n, uint32_t j)
{
    met_affine before = met_affine_size(x->to.arena, x->to.from->axes[x->node->indices[j].axis.id].size, 1);
    met_part part = { .name = name, .output = output, .op = MET_OP_map, .over = over, .in_count = 2,
                      .ins = { read_at(x, met_part_input(x, 0), j, place),
                               read_at(x, met_part_input(x, 1), n, sum_of(x->to.arena, place, before, -1)) } };
    part.e = formula;
    return met_part_emit(x, &part);
}

/* A window that ends at the present position, times the kernel; the last window is the new state. */
void met_expand_causal_conv(met_expander *x)
{
    enum { KERNEL = 2 };
    met_arena *arena = x->to.arena;
    uint32_t n = only_in(x, 0, 1), j = only_in(x, 1, 0);
    const met_dim *length = x->to.from->axes[x->node->indices[n].axis.id].size;
    met_affine window = sum_of(arena, met_affine_index(arena, n, 1), met_affine_index(arena, j, 1), 1);
    window.constant = 1;
    met_affine last = sum_of(arena, met_affine_index(arena, j, 1), met_affine_size(arena, length, 1), 1);
    met_part_define(x, "n", met_scalar_index(arena, n));
    met_part_define(x, "j", met_scalar_index(arena, j));
    met_part_define(x, "length", met_scalar_size(arena, length));
    met_part_define(x, "before", met_scalar_size(arena, x->to.from->axes[x->node->indices[j].axis.id].size));
    met_operand windows = joined(x, "window", 0, window, "select(n + j + 1 < before, a, b)", union_of(x, n, j), n, j);
    met_part sum = { .op = MET_OP_einsum, .over = met_part_result(x, 0), .in_count = 2,
                     .ins = { windows, met_part_input(x, KERNEL) } };
    met_part_emit(x, &sum);
    joined(x, NULL, 1, last, "select(j + length < before, a, b)", met_part_result(x, 1), n, j);
}
