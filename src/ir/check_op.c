/* What the row of an op asks of its nodes, beyond what every node keeps to: how many arrays, of which formats, read at
 * which places. Expansions, printers and the interpreter rely on all of it. */
#include <string.h>

#include "ir/affine.h"
#include "ir/check_parts.h"
#include "ir/primitive.h"

/* --- Arrays --- */

/* The parameter slots that the options say are there. */
static uint32_t slot_count(const met_circuit *c, const met_node *node)
{
    uint32_t count = 0;
    for (const char *at = node->op->params; *at;) {
        size_t length = strcspn(at, " "), colon = strcspn(at, ": ");
        met_str option = { at + colon + 1, colon < length ? length - colon - 1 : 0 };
        count += option.length == 0 || met_check_word_is(c, node, option, "yes");
        at += length;
        at += *at == ' ';
    }
    return count;
}

static bool check_arity(const met_circuit *c, const met_node *node)
{
    const met_op *op = node->op;
    bool formula = met_op_has_formulas(op), good;
    if (op->array_count == MET_VARIADIC)
        good = node->in_count >= (formula ? 0 : 1) && (!formula || node->in_count <= 26);
    else
        good = node->in_count == op->array_count + slot_count(c, node);
    if (!good)
        return met_broken_node(c, node, "it has a wrong number of inputs");
    good = op->out_count == MET_VARIADIC ? node->out_count >= 1 : node->out_count == op->out_count;
    return good || met_broken_node(c, node, "it has a wrong number of outputs");
}

/* The letter of array k, inputs before outputs, in a row's formats: "t i -> t"; the last one repeats. */
static char format_letter(const met_node *node, uint32_t k)
{
    const char *at = node->op->formats, *arrow = strstr(at, "->");
    bool result = k >= node->in_count;
    uint32_t wanted = result ? k - node->in_count : k;
    char letter = '-';
    for (at = result ? arrow + 2 : at; *at && (result || at < arrow); at++) {
        if (*at == ' ' || *at == '|')
            continue;
        letter = *at;
        if (wanted-- == 0)
            break;
    }
    return letter;
}

static bool check_formats(const met_circuit *c, const met_node *node)
{
    const met_attr *attr = met_node_attr(c, node, "format");
    for (uint32_t k = 0; k < node->in_count + node->out_count; k++) {
        met_edge_id id = k < node->in_count ? node->ins[k] : node->outs[k - node->in_count];
        char letter = format_letter(node, k);
        if (letter == 'i' && !met_format_equal(c->edges[id.id].format, met_format_of(MET_I32)))
            return met_broken_node(c, node, "an array of integers has another format than i32");
        if (letter == 'F' && !met_format_equal(c->edges[id.id].format, attr->format))
            return met_broken_node(c, node, "its result has another format than its option says");
    }
    return true;
}

/* --- Places --- */

static bool affine_allowed(const met_op *op)
{
    return op->id == MET_OP_view || op->id == MET_OP_map || op->id == MET_OP_fold;
}

static bool joins(const met_op *op)
{
    return op->id == MET_OP_concat || op->id == MET_OP_kv_append;
}

/* Only views and formulas read at other places than an index along its own axis. */
static bool check_places(const met_circuit *c, const met_node *node)
{
    for (uint32_t k = 0; k < node->in_count && !affine_allowed(node->op) && !joins(node->op); k++) {
        const met_edge *edge = &c->edges[node->ins[k].id];
        for (uint32_t p = 0; p < edge->rank; p++) {
            uint32_t index;
            if (!met_affine_is_index(node->in_access[k].at[p], &index) || node->indices[index].axis.id != edge->axes[p].id)
                return met_broken_node(c, node, "it reads an array at another place than an index along its own axis");
        }
    }
    return true;
}

static bool same_affine(const met_circuit *c, met_affine a, met_affine b)
{
    met_affine rest;
    return met_affine_add(c->arena, a, b, -1, &rest) && rest.term_count == 0 && rest.constant == 0;
}

/* Input k of a concat: the result's positions, except that the target's is less by the sizes before. */
static bool check_joined(const met_circuit *c, const met_node *node, uint32_t k, met_affine before)
{
    const met_access *in = &node->in_access[k], *out = &node->out_access[0];
    bool good = in->rank == out->rank;
    for (uint32_t p = 0; good && p < in->rank; p++) {
        met_affine place = out->at[p];
        bool target = met_affine_reads_index(place, node->targets[0]);
        good = !target || met_affine_add(c->arena, place, before, -1, &place);
        good = good && same_affine(c, in->at[p], place) &&
               (target || c->edges[node->ins[k].id].axes[p].id == c->edges[node->outs[0].id].axes[p].id);
    }
    return good || met_broken_node(c, node, "its inputs do not follow each other");
}

static bool check_join(const met_circuit *c, const met_node *node)
{
    const met_dim *sum = met_dim_constant(c->arena, 0);
    met_affine before = met_affine_constant(0);
    uint32_t position = 0;
    while (position < node->out_access[0].rank && !met_affine_reads_index(node->out_access[0].at[position], node->targets[0]))
        position++;
    if (position == node->out_access[0].rank)
        return met_broken_node(c, node, "its result lacks its target");
    for (uint32_t k = 0; k < node->in_count; k++) {
        if (!check_joined(c, node, k, before))
            return false;
        const met_dim *own = met_edge_dim(c, &c->edges[node->ins[k].id], position);
        sum = met_dim_add(c->arena, sum, own);
        if (!met_affine_add(c->arena, before, met_affine_size(c->arena, own, 1), 1, &before))
            return met_broken_node(c, node, "its inputs together are too long");
    }
    bool whole = sum && met_dim_equal(sum, met_edge_dim(c, &c->edges[node->outs[0].id], position));
    return whole || met_broken_node(c, node, "its result is not as long as its inputs together");
}

/* Output k of a split: the input's positions with its part's index in place of the target. */
static bool check_part(const met_circuit *c, const met_node *node, uint32_t k)
{
    const met_access *in = &node->in_access[0], *out = &node->out_access[k];
    bool good = in->rank == out->rank;
    for (uint32_t p = 0; good && p < in->rank; p++) {
        bool target = met_affine_reads_index(in->at[p], node->targets[0]);
        met_affine place = target ? met_affine_index(c->arena, node->results[k], 1) : in->at[p];
        good = met_affine_equal(out->at[p], place);
    }
    return good || met_broken_node(c, node, "its parts are not those of its input");
}

static bool check_split(const met_circuit *c, const met_node *node)
{
    const met_dim *sum = met_dim_constant(c->arena, 0);
    if (node->result_count != node->out_count)
        return met_broken_node(c, node, "it does not have one label for each part");
    for (uint32_t k = 0; k < node->out_count; k++) {
        if (met_access_reads(&node->in_access[0], node->results[k]) || !check_part(c, node, k))
            return met_broken_node(c, node, "a part is not cut out of its input");
        sum = met_dim_add(c->arena, sum, c->axes[node->indices[node->results[k]].axis.id].size);
    }
    bool whole = sum && met_dim_equal(sum, c->axes[node->indices[node->targets[0]].axis.id].size);
    return whole || met_broken_node(c, node, "its parts together are not as long as its target");
}

/* --- Targets --- */

static bool among(const uint32_t *list, uint32_t count, uint32_t index)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == index)
            return true;
    return false;
}

/* The patterns of rows, "1+: S R -> R": at least one target. */
static bool check_target_count(const met_circuit *c, const met_node *node)
{
    const char *pattern = node->op->pattern;
    bool counted = pattern[0] >= '1' && pattern[0] <= '9';
    uint32_t least = counted ? (uint32_t)(pattern[0] - '0') : 0;
    bool good = counted && pattern[1] == '+' ? node->target_count >= least : node->target_count == least;
    if (!good)
        return met_broken_node(c, node, "it has a wrong number of targets");
    bool arrow = node->op->bracket == MET_BRACKET_ARROW;
    return arrow == (node->result_count > 0) || met_broken_node(c, node, "only ops with an arrow in their brackets have results");
}

/* Whether the op folds (or reads along) its targets, rather than keeping them. */
static bool consumes_targets(const met_op *op)
{
    const char *arrow = strstr(op->pattern, "->");
    return op->bracket == MET_BRACKET_ARROW || (arrow && strchr(arrow, 'R'));
}

/* What is reduced: anything in contractions and folds, the targets where a row says so, else nothing. */
static bool check_reduced(const met_circuit *c, const met_node *node)
{
    const met_op *op = node->op;
    if (op->id == MET_OP_einsum || op->id == MET_OP_fold || op->id == MET_OP_expert || op->id == MET_OP_combine)
        return true;
    bool consumes = consumes_targets(op);
    for (uint32_t i = 0; i < node->index_count; i++) {
        bool target = among(node->targets, node->target_count, i);
        if (node->indices[i].reduced != (consumes && target))
            return met_broken_node(c, node, "it folds something else than its targets");
    }
    return true;
}

static uint32_t times_read(const met_access *access, uint32_t index)
{
    uint32_t times = 0;
    for (uint32_t p = 0; p < access->rank; p++)
        times += met_affine_reads_index(access->at[p], index);
    return times;
}

/* The array that every target stands in, once: the first, but embed's is its table. */
static bool check_target_places(const met_circuit *c, const met_node *node)
{
    const met_op *op = node->op;
    uint32_t table = op->id == MET_OP_embed ? 1 : 0;
    bool reads = (op->form == MET_FORM_READ && op->id != MET_OP_expert) || op->id == MET_OP_cross_entropy;
    for (uint32_t t = 0; t < node->target_count && !joins(op); t++)
        if (times_read(&node->in_access[table], node->targets[t]) != 1 ||
            (reads && met_access_reads(&node->in_access[1 - table], node->targets[t])))
            return met_broken_node(c, node, "a target does not stand once in the array that it is of");
    return !reads || node->target_count == 1 || met_broken_node(c, node, "it reads along more than one target");
}

/* --- By op --- */

/* No more is picked than there is, as far as sizes are known: the slots left over would be filled with what is no element. */
static bool check_count(const met_circuit *c, const met_node *node)
{
    uint64_t picks, all = 1, n, groups = 0;
    if (node->result_count != 1 || !met_circuit_size(c, node->indices[node->results[0]].axis, &picks))
        return true;
    if (node->op->id == MET_OP_router && met_dim_is_constant(met_node_attr(c, node, "top_groups")->dim, &n))
        groups = n;
    for (uint32_t t = 0; t < node->target_count; t++) {
        if (!met_circuit_size(c, node->indices[node->targets[t]].axis, &n) || (n > 0 && all > UINT64_MAX / n))
            return true;
        if (t == 0 && groups > n) {
            met_diag_add(c->session, MET_DIAG_size_value, node->span, "`router` takes the %llu best of %llu groups", (unsigned long long)groups,
                         (unsigned long long)n);
            return false;
        }
        all *= t == 0 && groups > 0 ? groups : n;
    }
    if (picks <= all)
        return true;
    met_diag_add(c->session, MET_DIAG_size_value, node->span, "`%s` picks %llu, and there are %llu to pick from", node->op->name,
                 (unsigned long long)picks, (unsigned long long)all);
    return false;
}

/* Both results of top_k stand over the same indices, of which one counts the picks; argmax has none. */
static bool check_pick(const met_circuit *c, const met_node *node)
{
    uint32_t wanted = node->op->id == MET_OP_argmax ? 0 : 1;
    bool good = node->result_count == wanted;
    for (uint32_t k = 1; good && k < node->out_count; k++)
        for (uint32_t p = 0; good && p < node->out_access[0].rank; p++)
            good = node->out_access[k].rank == node->out_access[0].rank &&
                   met_affine_equal(node->out_access[0].at[p], node->out_access[k].at[p]);
    for (uint32_t i = 0; good && i < node->index_count; i++)
        if (!node->indices[i].reduced)
            good = node->indices[i].target == among(node->results, node->result_count, i);
    good = good && (wanted == 0 || (!met_access_reads(&node->in_access[0], node->results[0]) &&
                                    met_access_reads(&node->out_access[0], node->results[0])));
    return good ? check_count(c, node) : met_broken_node(c, node, "its results do not fit together");
}

/* The experts' index is replaced by ids; a router has groups if it limits them. */
static bool check_experts(const met_circuit *c, const met_node *node)
{
    uint64_t limit;
    if (node->op->id == MET_OP_expert)
        return met_node_read_index(node, 2) != MET_NONE || met_broken_node(c, node, "it is not said along which axis experts stand");
    bool free = !met_dim_is_constant(met_node_attr(c, node, "top_groups")->dim, &limit);
    if (node->target_count <= 2 && (node->target_count == 2 || (!free && limit == 0)))
        return check_pick(c, node);
    met_diag *diag = met_diag_add(c->session, MET_DIAG_label, node->span,
                                  "`router` takes one target, or two if it chooses groups first");
    met_diag_help(diag, "write router[e -> k](scores), or router[g e -> k](scores, top_groups=4): groups and their members");
    return false;
}

/* A recurrence: the first result has one index that the last one lacks, along which it runs; the state is read where the
 * last result is written. */
static bool check_recurrence(const met_circuit *c, const met_node *node)
{
    const met_access *state = &node->in_access[0], *last = &node->out_access[1];
    uint32_t steps = 0;
    bool good = state->rank == last->rank;
    for (uint32_t p = 0; good && p < state->rank; p++)
        good = met_affine_equal(state->at[p], last->at[p]);
    for (uint32_t i = 0; i < node->index_count; i++)
        steps += met_access_reads(&node->out_access[0], i) && !met_access_reads(last, i);
    if (!good || steps != 1)
        return met_broken_node(c, node, "it does not run along one index, or its state does not fit");
    return met_format_equal(c->edges[node->ins[0].id].format, c->edges[node->outs[1].id].format) ||
           met_broken_node(c, node, "its state and the state's new value have two formats");
}

/* rope turns the two halves of its second target against each other. */
static bool check_pairs(const met_circuit *c, const met_node *node)
{
    uint64_t width;
    const met_axis *axis = &c->axes[node->indices[node->targets[1]].axis.id];
    if (!met_dim_floor_div(c->arena, axis->size, 2))
        return met_broken_node(c, node, "the size of its second target is too large an expression");
    if (!met_dim_is_constant(axis->size, &width) || width % 2 == 0)
        return true;
    met_diag_add(c->session, MET_DIAG_divide, node->span, "`rope` turns pairs, and axis `%s` has the odd size %llu",
                 met_sym_text(c->session, axis->name), (unsigned long long)width);
    return false;
}

/* Parameters stand over what the result has: gains, biases. */
static bool check_parameters(const met_circuit *c, const met_node *node)
{
    uint32_t first = node->op->array_count;
    if (node->op->id == MET_OP_linear || node->op->id == MET_OP_router)
        first++; /* its weight is contracted; its bias goes with what is chosen from */
    for (uint32_t k = first; node->op->form == MET_FORM_COMPOSITE && k < node->in_count; k++)
        for (uint32_t i = 0; i < node->index_count; i++)
            if (node->indices[i].reduced && met_access_reads(&node->in_access[k], i))
                return met_broken_node(c, node, "a parameter reads what is folded away");
    return true;
}

bool met_check_op(const met_circuit *c, const met_node *node)
{
    if (!check_arity(c, node) || !check_formats(c, node) || !check_places(c, node) || !check_target_count(c, node) ||
        !check_reduced(c, node) || !check_target_places(c, node) || !check_parameters(c, node))
        return false;
    if (joins(node->op))
        return check_join(c, node);
    if (node->op->id == MET_OP_split)
        return check_split(c, node);
    if (node->op->form == MET_FORM_PICK)
        return check_pick(c, node);
    if (node->op->id == MET_OP_router || node->op->id == MET_OP_expert)
        return check_experts(c, node);
    if (met_op_scans(node->op))
        return check_recurrence(c, node);
    return node->op->id != MET_OP_rope || check_pairs(c, node);
}
