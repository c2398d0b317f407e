#include "number/witness_parts.h"

enum { VANISHING = 48, PAIRS = 200, TRIES = 60000, MORE = 1500 /* tries for a better one */, TERMS = 1 << 25 /* of all tries together */, REDUCED = 4096 /* terms */ };

static double sum_of(const met_search *s, int side)
{
    if (s->at) {
        return met_fold_few_run(s->few[side], s->operands.sum, (uint32_t)s->n, s->at, s->a, s->b);
    }
    met_fold *fold = s->folds[side];
    met_fold_begin(fold);
    for (uint64_t i = 0; i < s->n; i++) {
        if (s->operands.sum) {
            met_fold_push(fold, i, s->a[i]);
        } else {
            met_fold_push_product(fold, i, s->a[i], s->b[i]);
        }
    }
    return met_fold_end(fold);
}

bool met_search_same_bits(double x, double y)
{
    return met_bits_f64(x) == met_bits_f64(y) || (x != x && y != y);
}

bool met_search_differs(met_search *s, met_witness_run *run)
{
    *run = (met_witness_run){.count = s->n, .at = s->at, .a = s->a, .b = s->b, .result_a = sum_of(s, 0), .result_b = sum_of(s, 1)};
    return !met_search_same_bits(run->result_a, run->result_b);
}

/* Infinities and NaN say less of what two records do. */
static bool is_finite(const met_witness_run *run)
{
    return isfinite(run->result_a) && isfinite(run->result_b);
}

static uint32_t *parents_of(met_arena *arena, const met_bracketing *tree)
{
    uint32_t *parents = MET_NEW_ARRAY(arena, uint32_t, tree->node_count);
    for (uint32_t i = 0; i < tree->node_count; i++) {
        parents[i] = i;
    }
    for (uint32_t i = 0; i < tree->node_count; i++) {
        for (uint32_t c = 0; c < tree->nodes[i].count; c++) {
            parents[tree->children[tree->nodes[i].first + c]] = i;
        }
    }
    return parents;
}

/* --- By construction --- */

bool met_search_try_shape(met_search *s, const met_witness *leaves, met_witness_run *run)
{
    static const int sizes[][2] = {{100, 0}, {30, 0}, {15, -24}, {14, 3}, {14, 0}, {8, -9}, {30, -30}, {30, -48}, {60, 0}, {16, -18}};
    int high = met_search_limit(s, true), low = met_search_limit(s, false);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (sizes[i][0] > high || sizes[i][1] < low) {
            continue;
        }
        met_search_fill(s, 0);
        met_search_put_value(s, leaves->plus, 1, sizes[i][0]);
        met_search_put_value(s, leaves->minus, -1, sizes[i][0]);
        met_search_put_value(s, leaves->one, 1, sizes[i][1]);
        if (met_search_differs(s, run)) {
            return true;
        }
    }
    return false;
}

/* Negative products that underflow, in f32 or in f64, where the forms part, −0 elsewhere: +0 and a product that was rounded is +0, a
 * fused one −0, and what is added to it keeps that. False if the operands have none. */
static bool put_vanishing(met_search *s, bool in_f32)
{
    int size = in_f32 ? -152 : -1078;
    if (s->operands.sum || size < met_search_limit(s, false)) {
        return false;
    }
    bool *below = MET_NEW_ARRAY(s->arena, bool, s->n);
    met_steps_terms(s->steps, s->forms[0], below);
    met_steps_terms(s->steps, s->forms[1], below);
    met_search_fill(s, -0.0);
    for (uint64_t i = 0; i < s->n; i++) {
        if (below[i]) {
            met_search_put_value(s, (uint32_t)i, -1, size);
        }
    }
    return true;
}

void met_search_reduce(met_search *s, met_witness_run *run)
{
    bool finite = is_finite(run);
    for (uint64_t i = 0; i < s->n && s->n <= REDUCED; i++) {
        double a = s->a[i], b = s->b[i];
        s->a[i] = 0;
        s->b[i] = 1;
        if (a != 0 && !(met_search_differs(s, run) && (is_finite(run) || !finite))) {
            s->a[i] = a;
            s->b[i] = b;
        } else if (a == 0) {
            s->a[i] = a; /* which zero it is may matter */
        }
    }
    met_search_differs(s, run);
}

static void take_widths(met_search *s, const met_tree *tree)
{
    int *to = &s->widths[s->width_count], precision = met_dtype_table[tree->precision].mantissa_bits;
    to[0] = to[1] = precision + 1;
    to[2] = to[3] = met_dtype_table[tree->store].mantissa_bits + 1;
    if (tree->node == MET_NODE_MATRIX) {
        to[1] = tree->unit.fraction;
        to[2] = tree->unit.half ? met_dtype_table[MET_F16].mantissa_bits + 1 : to[2];
        to[3] = tree->unit.keep ? tree->unit.keep + 1 : to[3];
    }
    s->width_count += 4;
}

met_search met_search_new(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n)
{
    met_operand_limits limits = met_operands_limits(operands);
    met_search s = {.arena = arena, .operands = operands, .n = n, .random = 1};
    s.bits = limits.bits;
    s.least = limits.normal;
    s.greatest = limits.highest;
    s.a = MET_NEW_ARRAY(arena, double, n);
    s.b = MET_NEW_ARRAY(arena, double, n);
    take_widths(&s, x);
    take_widths(&s, y);
    return s;
}

bool met_witness_find(met_arena *arena, const met_tree *x, const met_tree *y, met_operands operands, uint64_t n,
                      const met_witness_hint *hint, met_witness_run *ret_run)
{
    met_search s = met_search_new(arena, x, y, operands, n);
    const met_tree *trees[] = {x, y};
    for (int k = 0; k < 2; k++) {
        s.folds[k] = met_fold_new(arena, trees[k], MET_MONOID_ADD, n);
        s.shapes[k] = met_bracketing_of(arena, trees[k], n);
        s.parents[k] = s.shapes[k] ? parents_of(arena, s.shapes[k]) : NULL;
        s.forms[k] = hint->forms[k];
    }
    met_steps_narrow(hint->steps, &s.forms[0], &s.forms[1]);
    s.steps = hint->steps;
    if (hint->leaves && met_search_try_shape(&s, hint->leaves, ret_run)) {
        return true;
    }
    uint64_t common = TERMS / n < 64 ? 64 : TERMS / n < TRIES ? TERMS / n : TRIES, tries = common + common / 2;
    bool kept = false, found = false; /* one that is not finite is kept until one that is turns up */
    for (uint64_t i = 0; i < tries && !found; i++) {
        met_witness_run run;
        if (i / 2 == VANISHING / 2 && put_vanishing(&s, i == VANISHING)) {
            /* after inputs that say more */
        } else if (i < PAIRS && met_search_try_pair(&s)) {
            /* what the forms know */
        } else if (i < common) {
            met_search_try(&s, i);
        } else {
            met_search_try_rare(&s);
        }
        if (!met_search_differs(&s, &run) || (kept && !is_finite(&run))) {
            continue;
        }
        met_search_reduce(&s, &run);
        *ret_run = run;
        found = is_finite(&run);
        if (!found) {
            kept = true;
            s.a = MET_NEW_ARRAY(arena, double, n);
            s.b = MET_NEW_ARRAY(arena, double, n);
            tries = tries < i + MORE ? tries : i + MORE;
        }
    }
    return found || kept;
}

double met_witness_again(met_arena *scratch, const met_tree *tree, met_operands operands, uint64_t n, const met_witness_run *run)
{
    if (run->at) {
        met_fold_few *few = met_fold_few_new(scratch, tree, n, (uint32_t)run->count);
        return met_fold_few_run(few, operands.sum, (uint32_t)run->count, run->at, run->a, run->b);
    }
    return operands.sum ? met_tree_run(scratch, tree, MET_MONOID_ADD, n, run->a) : met_tree_dot(scratch, tree, n, run->a, run->b);
}

double met_witness_result(met_arena *scratch, const met_tree *tree, met_operands operands, uint64_t n, const double *a, const double *b)
{
    return met_witness_again(scratch, tree, operands, n, &(met_witness_run){.count = n, .a = a, .b = b});
}
