#include "ir/expand_part.h"

#include <assert.h>
#include <string.h>

#include "ir/affine.h"
#include "ir/guard.h"

/* --- What the composite says --- */

met_operand met_part_input(const met_expander *x, uint32_t k)
{
    return (met_operand){ x->to.edge_of[x->node->ins[k].id], x->node->in_access[k] };
}

met_indices met_part_result(const met_expander *x, uint32_t k)
{
    const met_access *access = &x->node->out_access[k];
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, access->rank);
    for (uint32_t p = 0; p < access->rank; p++) {
        assert(access->at[p].term_count == 1 && access->at[p].terms[0].kind == MET_TERM_INDEX);
        at[p] = access->at[p].terms[0].index;
    }
    return (met_indices){ access->rank, at };
}

met_indices met_part_targets(const met_expander *x)
{
    return (met_indices){ x->node->target_count, x->node->targets };
}

static bool among(met_indices indices, uint32_t index)
{
    for (uint32_t i = 0; i < indices.count; i++)
        if (indices.at[i] == index)
            return true;
    return false;
}

met_indices met_part_degree(const met_expander *x)
{
    met_indices result = met_part_result(x, 0), targets = met_part_targets(x);
    met_indices results = { x->node->result_count, x->node->results };
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, result.count);
    uint32_t count = 0;
    for (uint32_t i = 0; i < result.count; i++)
        if (!among(targets, result.at[i]) && !among(results, result.at[i]))
            at[count++] = result.at[i];
    return (met_indices){ count, at };
}

met_indices met_part_all(const met_expander *x)
{
    met_indices degree = met_part_degree(x), targets = met_part_targets(x);
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, degree.count + targets.count);
    for (uint32_t i = 0; i < degree.count; i++)
        at[i] = degree.at[i];
    for (uint32_t i = 0; i < targets.count; i++)
        at[degree.count + i] = targets.at[i];
    return (met_indices){ degree.count + targets.count, at };
}

uint32_t met_part_twin(met_expander *x, uint32_t index)
{
    uint32_t count = x->node->index_count;
    met_index *indices = MET_NEW_ARRAY(x->to.arena, met_index, count + 1);
    for (uint32_t i = 0; i < count; i++)
        indices[i] = x->node->indices[i];
    indices[count] = indices[index];
    met_text label = met_text_new(x->to.arena);
    met_text_format(&label, "%s_2", met_sym_text(x->to.from->session, indices[index].label));
    indices[count].label = met_intern(x->to.from->session, met_str_of(met_text_done(&label)));
    x->node->indices = indices;
    x->node->index_count++;
    return count;
}

void met_part_define(met_expander *x, const char *name, const met_scalar *value)
{
    size_t i = 0;
    while (i < x->name_count && strcmp(x->formula_names[i].name, name) != 0)
        i++;
    assert(i < MET_EXPANDER_NAMES);
    x->formula_names[i] = (met_formula_name){ name, value };
    if (i == x->name_count)
        x->name_count++;
}

const met_scalar *met_part_formula(met_expander *x, const char *text)
{
    return met_formula_read(x->to.arena, text, x->name_count, x->formula_names);
}

const met_dim *met_part_size(const met_expander *x, met_indices indices)
{
    const met_dim *size = met_dim_constant(x->to.arena, 1);
    for (uint32_t i = 0; i < indices.count; i++)
        size = met_dim_mul(x->to.arena, size, x->to.from->axes[x->node->indices[indices.at[i]].axis.id].size);
    return size;
}

double met_part_number(const met_expander *x, const char *option)
{
    return met_node_attr(x->to.from, x->node, option)->number;
}

bool met_part_word_is(const met_expander *x, const char *option, const char *word)
{
    return met_str_is(met_sym_str(x->to.from->session, met_node_attr(x->to.from, x->node, option)->word), word);
}

void met_part_define_number(met_expander *x, const char *name, double number)
{
    met_part_define(x, name, met_scalar_number(x->to.arena, number));
}

/* --- Emitting a part --- */

static met_affine remap_affine(const met_expander *x, const met_affine *affine, const uint32_t *part_index)
{
    met_affine_term *terms = met_arena_copy(x->to.arena, affine->terms, affine->term_count, sizeof *terms);
    for (uint32_t t = 0; t < affine->term_count; t++)
        if (terms[t].kind == MET_TERM_INDEX)
            terms[t].index = part_index[terms[t].index];
    return (met_affine){ affine->constant, affine->term_count, terms };
}

static met_access remap_access(const met_expander *x, const met_access *access, const uint32_t *part_index)
{
    met_affine *at = MET_NEW_ARRAY(x->to.arena, met_affine, access->rank);
    for (uint32_t p = 0; p < access->rank; p++)
        at[p] = remap_affine(x, &access->at[p], part_index);
    return (met_access){ access->rank, at };
}

static const met_scalar *remap_scalar(const met_expander *x, const met_scalar *scalar, const uint32_t *part_index)
{
    if (!scalar)
        return NULL;
    if (scalar->kind == MET_SCALAR_INDEX) {
        assert(part_index[scalar->index] != MET_NONE);
        return met_scalar_index(x->to.arena, part_index[scalar->index]);
    }
    if (scalar->kind != MET_SCALAR_CALL)
        return scalar;
    const met_scalar *arguments[3];
    for (int i = 0; i < 3; i++)
        arguments[i] = remap_scalar(x, scalar->arguments[i], part_index);
    return met_scalar_call(x->to.arena, scalar->fn, arguments[0], arguments[1], arguments[2]);
}

/* Which indices an operand reads, and which of them at a place that is not the whole of their axis. */
static void mark(const met_expander *x, const met_operand *in, bool *used, bool *shifted)
{
    const met_edge *edge = &x->to.edges.at[in->edge.id];
    for (uint32_t p = 0; p < in->access.rank; p++) {
        const met_affine *at = &in->access.at[p];
        uint32_t whole;
        bool pure = met_affine_is_index(*at, &whole) && x->node->indices[whole].axis.id == edge->axes[p].id;
        for (uint32_t t = 0; t < at->term_count; t++) {
            if (at->terms[t].kind != MET_TERM_INDEX)
                continue;
            used[at->terms[t].index] = true;
            shifted[at->terms[t].index] |= !pure;
        }
    }
}

static void add_index(const met_expander *x, met_node *node, met_index *indices, uint32_t *part_index, uint32_t index,
                      bool target, bool reduced)
{
    part_index[index] = node->index_count;
    indices[node->index_count] = x->node->indices[index];
    indices[node->index_count].target = target;
    indices[node->index_count++].reduced = reduced;
}

/* The part's indices, in the order that circuits have: the result's, then what is reduced. The op itself sees what is
 * read at a place of its own, and what is reduced. */
static void number_indices(const met_expander *x, const met_part *part, met_node *node, uint32_t *part_index)
{
    uint32_t total = x->node->index_count;
    bool *used = MET_NEW_ARRAY(x->to.arena, bool, total), *shifted = MET_NEW_ARRAY(x->to.arena, bool, total);
    met_index *indices = MET_NEW_ARRAY(x->to.arena, met_index, total);
    uint32_t *targets = MET_NEW_ARRAY(x->to.arena, uint32_t, total);
    for (uint32_t k = 0; k < part->in_count; k++)
        mark(x, &part->ins[k], used, shifted);
    for (uint32_t i = 0; i < total; i++)
        part_index[i] = MET_NONE;
    met_indices picks = { part->op == MET_OP_top_k ? x->node->result_count : 0, x->node->results };
    met_indices last = part->op == MET_OP_scan ? met_part_result(x, 1) : part->over;
    for (uint32_t i = 0; i < part->over.count; i++)
        add_index(x, node, indices, part_index, part->over.at[i], shifted[part->over.at[i]] || !among(last, part->over.at[i]) || among(picks, part->over.at[i]), false);
    for (uint32_t i = 0; i < last.count; i++)
        if (part_index[last.at[i]] == MET_NONE)
            add_index(x, node, indices, part_index, last.at[i], true, false);
    uint32_t kept = node->index_count;
    for (uint32_t i = 0; i < total; i++)
        if (used[i] && part_index[i] == MET_NONE)
            add_index(x, node, indices, part_index, i, true, true);
    node->indices = indices;
    node->targets = targets;
    if (met_op_by_id(part->op)->bracket == MET_BRACKET_TARGETS || part->op == MET_OP_top_k)
        for (uint32_t i = kept; i < node->index_count; i++)
            targets[node->target_count++] = i;
    uint32_t *results = MET_NEW_ARRAY(x->to.arena, uint32_t, picks.count);
    for (uint32_t i = 0; i < picks.count; i++)
        results[node->result_count++] = part_index[picks.at[i]];
    node->results = results;
}

static met_access pure_access(const met_expander *x, uint32_t rank, const uint32_t *indices)
{
    met_affine *at = MET_NEW_ARRAY(x->to.arena, met_affine, rank);
    for (uint32_t p = 0; p < rank; p++) {
        met_affine_term *term = MET_NEW(x->to.arena, met_affine_term);
        *term = (met_affine_term){ .kind = MET_TERM_INDEX, .coefficient = 1, .index = indices[p] };
        at[p] = (met_affine){ 0, 1, term };
    }
    return (met_access){ rank, at };
}

static met_attr formula_attr(const met_expander *x, const char *key, const char *text, const uint32_t *part_index)
{
    const met_scalar *e = met_formula_read(x->to.arena, text, x->name_count, x->formula_names);
    return (met_attr){ .key = met_intern(x->to.from->session, met_str_of(key)), .kind = MET_ATTR_SCALAR, .given = true,
                       .scalar = remap_scalar(x, e, part_index), .span = x->node->span };
}

static void set_attrs(const met_expander *x, const met_part *part, const uint32_t *part_index, met_node *node)
{
    met_attr *attrs = MET_NEW_ARRAY(x->to.arena, met_attr, 3);
    uint32_t count = 0;
    met_session *session = x->to.from->session;
    if (part->e)
        attrs[count++] = formula_attr(x, part->op == MET_OP_scan ? "step" : "e", part->e, part_index);
    if (part->op == MET_OP_scan) {
        attrs[count++] = formula_attr(x, "read", part->read, part_index);
        attrs[count++] = formula_attr(x, "recall", part->recall, part_index);
    }
    const char *key = part->op == MET_OP_fold ? "with" : part->op == MET_OP_einsum ? "semiring" : NULL;
    bool max = part->with == MET_MONOID_MAX;
    const char *word = part->op == MET_OP_einsum ? "plus_times" : max ? "max" : "add";
    if (key)
        attrs[count++] = (met_attr){ .key = met_intern(session, met_str_of(key)), .kind = MET_ATTR_WORD, .given = max,
                                     .word = met_intern(session, met_str_of(word)), .span = x->node->span };
    node->attrs = attrs;
    node->attr_count = count;
}

static met_edge fresh_edge(met_expander *x, const met_part *part)
{
    const met_edge *result = &x->to.from->edges[x->node->outs[0].id];
    met_axis_id *axes = MET_NEW_ARRAY(x->to.arena, met_axis_id, part->over.count);
    for (uint32_t p = 0; p < part->over.count; p++)
        axes[p] = x->node->indices[part->over.at[p]].axis;
    return (met_edge){ .name = met_rebuild_name(&x->to, result->name, part->name), .role = MET_EDGE_VALUE, .format = x->fresh, .format_origin = MET_FORMAT_INNER,
                       .rank = part->over.count, .axes = axes, .span = x->node->span };
}

/* A result over these indices of the composite. */
static met_access written(const met_expander *x, met_indices over, const uint32_t *part_index)
{
    uint32_t *at = MET_NEW_ARRAY(x->to.arena, uint32_t, over.count);
    for (uint32_t p = 0; p < over.count; p++)
        at[p] = part_index[over.at[p]];
    return pure_access(x, over.count, at);
}

met_operand met_part_emit(met_expander *x, const met_part *part)
{
    met_node node = { .op = met_op_by_id(part->op), .in_count = part->in_count,
                      .block = x->node->block, .span = x->node->span };
    uint32_t *part_index = MET_NEW_ARRAY(x->to.arena, uint32_t, x->node->index_count);
    number_indices(x, part, &node, part_index);
    met_edge_id *ins = MET_NEW_ARRAY(x->to.arena, met_edge_id, part->in_count);
    met_access *in_access = MET_NEW_ARRAY(x->to.arena, met_access, part->in_count);
    for (uint32_t k = 0; k < part->in_count; k++) {
        ins[k] = part->ins[k].edge;
        in_access[k] = remap_access(x, &part->ins[k].access, part_index);
    }
    node.ins = ins;
    node.in_access = in_access;
    uint32_t out_count = part->op == MET_OP_scan || part->op == MET_OP_top_k ? 2 : 1;
    met_edge_id old = x->node->outs[part->output];
    met_edge outs[2] = { part->name ? fresh_edge(x, part) : x->to.from->edges[old.id] };
    met_access *out_access = MET_NEW_ARRAY(x->to.arena, met_access, out_count);
    out_access[0] = written(x, part->over, part_index);
    if (out_count > 1) {
        out_access[1] = written(x, met_part_result(x, 1), part_index);
        outs[1] = x->to.from->edges[x->node->outs[1].id];
    }
    node.out_access = out_access;
    set_attrs(x, part, part_index, &node);
    const met_edge_id *made = met_rebuild_add_all(&x->to, node, out_count, outs);
    if (!part->name)
        x->to.edge_of[old.id] = made[0];
    if (out_count > 1)
        x->to.edge_of[x->node->outs[1].id] = made[1];
    return (met_operand){ made[0], pure_access(x, part->over.count, part->over.at) };
}

met_operand met_part_map(met_expander *x, const char *name, met_indices over, const char *e, uint32_t count,
                         const met_operand *ins)
{
    met_part part = { .name = name, .op = MET_OP_map, .e = e, .over = over, .in_count = count };
    for (uint32_t k = 0; k < count; k++)
        part.ins[k] = ins[k];
    return met_part_emit(x, &part);
}

met_operand met_part_fold(met_expander *x, const char *name, met_op_id op, const char *e, met_indices over, met_operand in)
{
    met_part part = { .name = name, .op = op, .e = e, .over = over, .in_count = 1, .ins = { in } };
    return met_part_emit(x, &part);
}
