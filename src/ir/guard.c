#include "ir/guard.h"

#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "ir/affine.h"

enum { GUARD_LIMIT = 64, RANKS = 64 };

/* Guards of one output while they are collected: over the node's indices first, over the output's positions at last. */
typedef struct collector {
    const met_guard_view *view;
    const met_node *node;
    met_guard guards[GUARD_LIMIT];
    uint32_t count;
    bool failed;
} collector;

static void fail(collector *c, const char *message, const char *help)
{
    if (!c->failed) {
        met_diag *d = met_diag_add(c->view->session, MET_DIAG_formula, c->node->span, "%s", message);
        if (help)
            met_diag_help(d, "%s", help);
    }
    c->failed = true;
}

static bool same_guard(const met_guard *a, const met_guard *b)
{
    bool same = met_affine_equal(a->expression, b->expression) && a->value.id == b->value.id &&
                a->value_sign == b->value_sign && a->value_rank == b->value_rank;
    for (uint32_t i = 0; same && i < a->value_rank; i++)
        same = met_affine_equal(a->value_at[i], b->value_at[i]);
    return same;
}

static const met_dim *axis_size(const collector *c, met_axis_id axis)
{
    return c->view->axes[axis.id].size;
}

/* True if a guard without a value holds wherever the node's indices run: then it need not be kept. */
static bool always_holds(const collector *c, const met_guard *guard)
{
    const met_dim *sizes[RANKS];
    if (guard->value.id != MET_NONE || c->node->index_count > RANKS)
        return false;
    for (uint32_t i = 0; i < c->node->index_count; i++)
        sizes[i] = axis_size(c, c->node->indices[i].axis);
    return met_affine_never_negative(c->view->arena, guard->expression, sizes);
}

static void add_guard(collector *c, met_guard guard)
{
    if (always_holds(c, &guard))
        return;
    for (uint32_t i = 0; i < c->count; i++)
        if (same_guard(&c->guards[i], &guard))
            return;
    if (c->count == GUARD_LIMIT)
        fail(c, "more than 64 guards meet here", NULL);
    else
        c->guards[c->count++] = guard;
}

static void add_affine(collector *c, met_affine expression)
{
    add_guard(c, (met_guard){ .expression = expression, .value = { MET_NONE }, .value_sign = 1 });
}

static bool substitute_guard(collector *c, met_guard guard, const met_affine *parts, met_guard *ret_guard)
{
    met_arena *arena = c->view->arena;
    met_affine *at = MET_NEW_ARRAY(arena, met_affine, guard.value_rank);
    bool good = met_affine_substitute(arena, guard.expression, parts, &guard.expression);
    for (uint32_t i = 0; i < guard.value_rank; i++)
        good = good && met_affine_substitute(arena, guard.value_at[i], parts, &at[i]);
    guard.value_at = at;
    *ret_guard = guard;
    if (!good)
        fail(c, "a guard's numbers do not fit 64 bits", NULL);
    return good;
}

/* --- Guards of the inputs --- */

static bool joins_ends(const met_node *node)
{
    return node->op && (node->op->id == MET_OP_concat || node->op->id == MET_OP_kv_append);
}

static void take_input(collector *c, uint32_t in)
{
    const met_edge *edge = &c->view->edges[c->node->ins[in].id];
    for (uint32_t g = 0; g < edge->guard_count; g++) {
        met_guard guard;
        if (joins_ends(c->node))
            fail(c, "an array with masked positions cannot be put end to end with another", "mask after the concat");
        else if (c->node->op && met_op_scans(c->node->op))
            fail(c, "a recurrence cannot step over masked positions", "fold them away before it, or mask what it makes");
        else if (substitute_guard(c, edge->guards[g], c->node->in_access[in].at, &guard))
            add_guard(c, guard);
    }
}

/* --- Guards that ops add --- */

/* size - 1 - position >= 0 and position >= 0 */
static void keep_inside(collector *c, met_affine position, const met_dim *size)
{
    met_affine room = met_affine_size(c->view->arena, size, 1);
    room.constant -= 1;
    if (!met_affine_add(c->view->arena, room, position, -1, &room)) {
        fail(c, "a position does not fit 64 bits", NULL);
        return;
    }
    add_affine(c, position);
    add_affine(c, room);
}

static void add_view_guards(collector *c)
{
    const met_access *access = &c->node->in_access[0];
    const met_edge *edge = &c->view->edges[c->node->ins[0].id];
    for (uint32_t i = 0; i < access->rank; i++) {
        uint32_t index;
        bool whole = met_affine_is_index(access->at[i], &index) && c->node->indices[index].axis.id == edge->axes[i].id;
        if (!whole)
            keep_inside(c, access->at[i], axis_size(c, edge->axes[i]));
    }
}

/* The position of the table that the ids replace: the one whose index is in no output. */
static uint32_t read_position(const met_node *node, uint32_t table)
{
    const met_access *access = &node->in_access[table];
    for (uint32_t i = 0; i < access->rank; i++) {
        uint32_t index;
        if (met_affine_is_index(access->at[i], &index) && node->indices[index].reduced)
            return i;
    }
    return MET_NONE;
}

static void add_read_guards(collector *c)
{
    enum { table, ids };
    uint32_t position = read_position(c->node, table);
    if (position == MET_NONE)
        return;
    met_guard guard = { .value = c->node->ins[ids], .value_sign = 1, .value_rank = c->node->in_access[ids].rank,
                        .value_at = c->node->in_access[ids].at };
    add_guard(c, guard);
    guard.value_sign = -1;
    const met_edge *edge = &c->view->edges[c->node->ins[table].id];
    guard.expression = met_affine_size(c->view->arena, axis_size(c, edge->axes[position]), 1);
    guard.expression.constant -= 1;
    add_guard(c, guard);
}

/* coefficients of q and x in `i_q + (x - q) - i_x`: how far key i_x lies before what query i_q may see last */
static met_affine causal_slack(collector *c)
{
    met_arena *arena = c->view->arena;
    uint32_t q = c->node->targets[0], x = c->node->targets[1];
    met_affine slack = met_affine_index(arena, q, 1);
    met_affine parts[3] = { met_affine_index(arena, x, -1),
                            met_affine_size(arena, axis_size(c, c->node->indices[x].axis), 1),
                            met_affine_size(arena, axis_size(c, c->node->indices[q].axis), -1) };
    for (int i = 0; i < 3; i++)
        if (!met_affine_add(arena, slack, parts[i], 1, &slack))
            fail(c, "a size does not fit 64 bits", NULL);
    return slack;
}

static const met_attr *attr_of(const collector *c, const char *name)
{
    for (uint32_t i = 0; i < c->node->attr_count; i++)
        if (met_str_is(met_sym_str(c->view->session, c->node->attrs[i].key), name))
            return &c->node->attrs[i];
    return NULL;
}

static void add_window(collector *c, met_affine slack)
{
    /* slack < width: width - 1 - slack >= 0 */
    met_affine room = met_affine_size(c->view->arena, attr_of(c, "width")->dim, 1);
    room.constant -= 1;
    if (met_affine_add(c->view->arena, room, slack, -1, &room))
        add_affine(c, room);
    else
        fail(c, "a window's width does not fit 64 bits", NULL);
}

static void add_padding(collector *c)
{
    uint32_t last = c->node->targets[c->node->target_count - 1];
    met_guard guard = { .value = c->node->ins[1], .value_sign = 1, .value_rank = c->node->in_access[1].rank,
                        .value_at = c->node->in_access[1].at };
    guard.expression = met_affine_index(c->view->arena, last, -1);
    guard.expression.constant -= 1;
    add_guard(c, guard);
}

/* --- General guards --- */

static bool integer(double number, int64_t *ret_n)
{
    if (!(fabs(number) <= 9007199254740992.0) || number != rint(number))
        return false;
    *ret_n = (int64_t)number;
    return true;
}

static bool linear_form(collector *c, const met_scalar *s, met_affine *ret_form)
{
    met_arena *arena = c->view->arena;
    met_affine left, right;
    int64_t n;
    if (s->kind == MET_SCALAR_NUMBER && integer(s->number, &n)) {
        *ret_form = met_affine_constant(n);
        return true;
    }
    if (s->kind == MET_SCALAR_INDEX || s->kind == MET_SCALAR_SIZE) {
        *ret_form = s->kind == MET_SCALAR_INDEX ? met_affine_index(arena, s->index, 1) : met_affine_size(arena, s->size, 1);
        return true;
    }
    if (s->kind != MET_SCALAR_CALL || !linear_form(c, s->arguments[0], &left))
        return false;
    if (s->fn == MET_FN_neg)
        return met_affine_add(arena, met_affine_constant(0), left, -1, ret_form);
    if (!s->arguments[1] || !linear_form(c, s->arguments[1], &right))
        return false;
    if (s->fn == MET_FN_add || s->fn == MET_FN_sub)
        return met_affine_add(arena, left, right, s->fn == MET_FN_add ? 1 : -1, ret_form);
    if (s->fn == MET_FN_mul && left.term_count == 0)
        return met_affine_add(arena, met_affine_constant(0), right, left.constant, ret_form);
    if (s->fn == MET_FN_mul && right.term_count == 0)
        return met_affine_add(arena, met_affine_constant(0), left, right.constant, ret_form);
    return false;
}

static void add_comparison(collector *c, const met_scalar *s)
{
    met_affine left, right, form = { 0 };
    bool comparison = s->kind == MET_SCALAR_CALL &&
                      (s->fn == MET_FN_le || s->fn == MET_FN_lt || s->fn == MET_FN_ge || s->fn == MET_FN_gt || s->fn == MET_FN_eq);
    if (!comparison || !linear_form(c, s->arguments[0], &left) || !linear_form(c, s->arguments[1], &right)) {
        fail(c, "a mask keeps positions by affine comparisons", "join comparisons such as i_x <= i_q + 2 with &&");
        return;
    }
    met_arena *arena = c->view->arena;
    bool less = s->fn == MET_FN_le || s->fn == MET_FN_lt;
    bool good = less ? met_affine_add(arena, right, left, -1, &form) : met_affine_add(arena, left, right, -1, &form);
    if (good && s->fn == MET_FN_eq) {
        add_affine(c, form);
        good = met_affine_add(arena, met_affine_constant(0), form, -1, &form);
    }
    if (s->fn == MET_FN_lt || s->fn == MET_FN_gt)
        good = good && !__builtin_sub_overflow(form.constant, 1, &form.constant);
    if (good)
        add_affine(c, form);
    else
        fail(c, "a guard's numbers do not fit 64 bits", NULL);
}

static void add_conjunction(collector *c, const met_scalar *s)
{
    if (s->kind == MET_SCALAR_CALL && s->fn == MET_FN_and) {
        add_conjunction(c, s->arguments[0]);
        add_conjunction(c, s->arguments[1]);
    } else {
        add_comparison(c, s);
    }
}

static void add_own(collector *c)
{
    switch (c->node->op->id) {
    case MET_OP_view:
        add_view_guards(c);
        break;
    case MET_OP_gather:
    case MET_OP_cross_entropy: /* its expansion gathers */
        add_read_guards(c);
        break;
    case MET_OP_embed: /* the contraction with a one-hot row: an id without a row gives zeros, and nothing is masked */
        break;
    case MET_OP_mask_causal:
        add_affine(c, causal_slack(c));
        break;
    case MET_OP_mask_window:
        add_affine(c, causal_slack(c));
        add_window(c, causal_slack(c));
        break;
    case MET_OP_mask_padding:
        add_padding(c);
        break;
    case MET_OP_mask:
        add_conjunction(c, attr_of(c, "keep")->scalar);
        break;
    default:
        break;
    }
}

/* --- From indices to positions of the output --- */

/* What each index is as a position of the output; `lost[i]` marks indices that the output does not have. */
static void output_positions(collector *c, uint32_t output, met_affine parts[RANKS], bool lost[RANKS])
{
    met_arena *arena = c->view->arena;
    const met_access *access = &c->node->out_access[output];
    for (uint32_t i = 0; i < c->node->index_count; i++)
        lost[i] = true;
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[p], &index))
            continue;
        parts[index] = met_affine_index(arena, p, 1);
        lost[index] = false;
    }
    if (c->node->op->id != MET_OP_split)
        return;
    /* The cut axis at the sizes of the parts before plus the position in this part. */
    uint32_t target = c->node->targets[0];
    met_affine place = parts[c->node->results[output]];
    for (uint32_t k = 0; k < output; k++)
        if (!met_affine_add(arena, place, met_affine_size(arena, axis_size(c, c->node->indices[c->node->results[k]].axis), 1), 1, &place))
            fail(c, "the parts of a split do not fit 64 bits", NULL);
    parts[target] = place;
    lost[target] = false;
}

static bool reads_lost(const met_guard *guard, const bool *lost, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!lost[i])
            continue;
        if (met_affine_reads_index(guard->expression, i))
            return true;
        for (uint32_t v = 0; v < guard->value_rank; v++)
            if (met_affine_reads_index(guard->value_at[v], i))
                return true;
    }
    return false;
}

static bool holds_over_output(const collector *c, const met_guard *guard, uint32_t output)
{
    const met_dim *sizes[RANKS];
    const met_access *access = &c->node->out_access[output];
    if (guard->value.id != MET_NONE)
        return false;
    for (uint32_t p = 0; p < access->rank; p++) {
        uint32_t index;
        if (!met_affine_is_index(access->at[p], &index))
            return false;
        sizes[p] = axis_size(c, c->node->indices[index].axis);
    }
    return met_affine_never_negative(c->view->arena, guard->expression, sizes);
}

/* Guards in the output's positions. One more time those that hold everywhere are left out, and those that are there: a part
 * of a split has fewer positions than what it is cut from. */
static void keep_guards(collector *c, uint32_t output, const met_guard **ret_guards, uint32_t *ret_count)
{
    met_affine parts[RANKS] = { { 0 } };
    bool lost[RANKS] = { false };
    output_positions(c, output, parts, lost);
    met_guard *kept = MET_NEW_ARRAY(c->view->arena, met_guard, c->count);
    uint32_t count = 0;
    for (uint32_t g = 0; g < c->count; g++) {
        if (reads_lost(&c->guards[g], lost, c->node->index_count) || !substitute_guard(c, c->guards[g], parts, &kept[count]) ||
            holds_over_output(c, &kept[count], output))
            continue;
        bool new = true;
        for (uint32_t k = 0; k < count; k++)
            new = new && !same_guard(&kept[k], &kept[count]);
        count += new;
    }
    *ret_guards = kept;
    *ret_count = count;
}

bool met_guards_derive(const met_guard_view *view, const met_node *node, uint32_t output, const met_guard **ret_guards,
                       uint32_t *ret_count)
{
    *ret_count = 0;
    *ret_guards = NULL;
    if (!node->op || node->index_count > RANKS)
        return true;
    collector collected = { .view = view, .node = node };
    collector *c = &collected;
    for (uint32_t i = 0; i < node->in_count; i++)
        take_input(c, i);
    add_own(c);
    if (c->count == 0 || c->failed)
        return !c->failed;
    keep_guards(c, output, ret_guards, ret_count);
    return !c->failed;
}
