/* Formats in which linear maps read their activations: what a model's file says of them becomes `quantize` nodes.
 *
 * Every array that a linear map or an expert with a quantized weight reads is quantized once, behind whatever makes it, for all
 * of these readers; those with plain weights go on reading the array itself. Groups of scales run along the last axis.
 * Contractions of other makes, such as those that take latent attention's heads to its latent space, stay as they are: their
 * weights are read in the plain format, as in the programs that such checkpoints are published with. */
#include "ir/affine.h"
#include "ir/rebuild.h"
#include "lang/arch.h"

typedef struct maker {
    const met_circuit *from;
    met_rebuild to;
    met_format format;
    const met_value *said;  /* the format's place */
    bool *wanted;           /* by edge of `from`: to be quantized */
    met_edge_id *quantized; /* by edge of `from`: in `to`; MET_NONE while it is not made */
} maker;

/* The input of a node that holds its weight; 0: it has none that counts. */
static uint32_t weight_slot(const met_node *node)
{
    met_op_id op = node->op ? node->op->id : MET_OP_map;
    return op == MET_OP_linear ? 1 : op == MET_OP_expert ? 2 : 0;
}

static bool reads_quantized(const met_circuit *circuit, const met_node *node)
{
    uint32_t weight = weight_slot(node);
    if (weight == 0)
        return false;
    const met_edge *w = &circuit->edges[node->ins[weight].id], *x = &circuit->edges[node->ins[0].id];
    return w->role == MET_EDGE_PARAMETER && !met_format_is_plain(w->format) && x->role != MET_EDGE_PARAMETER && x->rank > 0 &&
           met_format_is_float(x->format);
}

/* --- The node --- */

static const met_attr *options_of(maker *m, const met_op *op)
{
    met_session *session = m->from->session;
    met_option rows[MET_OPTION_LIMIT];
    size_t count = met_op_options(op, rows);
    met_attr *attrs = MET_NEW_ARRAY(m->to.arena, met_attr, count);
    for (size_t i = 0; i < count; i++) {
        attrs[i] = (met_attr){ .key = met_intern(session, rows[i].name), .kind = rows[i].kind };
        if (rows[i].kind == MET_ATTR_FORMAT) {
            attrs[i].given = true;
            attrs[i].format = m->format;
        } else {
            attrs[i].word = met_intern(session, rows[i].fallback);
        }
    }
    return attrs;
}

/* Reads the edge position by position; the last one is the target. */
static met_node node_of(maker *m, met_edge_id in, met_block_id block)
{
    const met_edge *edge = &m->to.edges.at[in.id];
    met_index *indices = MET_NEW_ARRAY(m->to.arena, met_index, edge->rank);
    met_affine *at = MET_NEW_ARRAY(m->to.arena, met_affine, edge->rank);
    met_access *access = MET_NEW(m->to.arena, met_access);
    uint32_t *target = MET_NEW(m->to.arena, uint32_t);
    *target = edge->rank - 1;
    for (uint32_t p = 0; p < edge->rank; p++) {
        const met_axis *axis = &m->from->axes[edge->axes[p].id];
        indices[p] = (met_index){ .label = axis->label, .axis = edge->axes[p], .target = p == *target };
        for (uint32_t q = 0; q < p; q++)
            if (indices[q].label.id == axis->label.id)
                indices[p].label = axis->name; /* two axes called alike */
        at[p] = met_affine_index(m->to.arena, p, 1);
    }
    *access = (met_access){ edge->rank, at };
    const met_op *op = met_op_by_id(MET_OP_quantize);
    met_option rows[MET_OPTION_LIMIT];
    return (met_node){ .op = op, .index_count = edge->rank, .indices = indices, .in_count = 1,
                       .ins = met_arena_copy(m->to.arena, &in, 1, sizeof in), .in_access = access, .out_access = access,
                       .target_count = 1, .targets = target, .attr_count = (uint32_t)met_op_options(op, rows),
                       .attrs = options_of(m, op), .block = block, .span = edge->span };
}

/* Groups must divide the width that they cut, as far as it is known. */
static bool check_width(const maker *m, const met_edge *edge)
{
    uint64_t width;
    met_tiles ignored;
    if (!met_circuit_size(m->from, edge->axes[edge->rank - 1], &width) || met_format_tiles(m->format, 1, width, &ignored))
        return true;
    met_diag_at(m->from->session, MET_DIAG_divide, &m->said->place, "groups of this format do not divide `%s`, which is %llu wide",
                met_sym_text(m->from->session, edge->name), (unsigned long long)width);
    return false;
}

static void quantize(maker *m, met_edge_id edge, met_block_id block)
{
    const met_edge *from = &m->from->edges[edge.id];
    if (!check_width(m, from)) {
        m->to.failed = true;
        return;
    }
    met_node node = node_of(m, m->to.edge_of[edge.id], block);
    met_edge out = { .name = met_rebuild_name(&m->to, from->name, "quantized"), .role = MET_EDGE_VALUE, .format = m->format,
                     .format_origin = MET_FORMAT_STATED, .rank = from->rank, .axes = from->axes, .span = from->span };
    m->quantized[edge.id] = met_rebuild_add(&m->to, node, out);
}

/* --- The circuit --- */

static uint32_t mark(maker *m)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < m->from->edge_count; e++)
        m->quantized[e].id = MET_NONE;
    for (uint32_t n = 0; n < m->from->node_count; n++)
        if (reads_quantized(m->from, &m->from->nodes[n])) {
            m->wanted[m->from->nodes[n].ins[0].id] = true;
            count++;
        }
    return count;
}

/* The node again, its first input quantized if it is one of those readers. */
static void copy(maker *m, const met_node *node)
{
    met_edge_id plain = node->in_count > 0 ? m->to.edge_of[node->ins[0].id] : (met_edge_id){ MET_NONE };
    bool swaps = reads_quantized(m->from, node);
    if (swaps)
        m->to.edge_of[node->ins[0].id] = m->quantized[node->ins[0].id];
    met_rebuild_copy(&m->to, node, false);
    if (swaps)
        m->to.edge_of[node->ins[0].id] = plain;
}

static bool read_format(const met_circuit *circuit, const met_value *value, met_format *ret_format)
{
    bool good = value->kind == MET_VALUE_STRING && met_format_parse(value->string, ret_format) &&
                !met_format_is_plain(*ret_format) && ret_format->granularity != MET_SCALE_BLOCK;
    if (good)
        return true;
    met_diag *d = met_diag_at(circuit->session, MET_DIAG_format, &value->place, "this is not a format in which linear maps read activations");
    met_diag_help(d, "scales are of a tensor, of a token or of a group: fp8/tensor, fp8/token, fp8/g128, nvfp4/g16 …");
    return false;
}

met_circuit *met_arch_activations(const met_circuit *circuit, const met_value *table)
{
    static const char *const known[] = { "linear" };
    met_session *session = circuit->session;
    if (!met_value_expect(session, table, MET_VALUE_TABLE, "activations") || !met_value_only(session, table, known, 1))
        return NULL;
    maker m = { .from = circuit, .said = met_value_require(session, table, "linear") };
    if (!m.said || !read_format(circuit, m.said, &m.format))
        return NULL;
    m.wanted = MET_NEW_ARRAY(circuit->arena, bool, circuit->edge_count);
    m.quantized = MET_NEW_ARRAY(circuit->arena, met_edge_id, circuit->edge_count);
    if (mark(&m) == 0) {
        met_diag_at(session, MET_DIAG_model, &m.said->place, "no linear map has a quantized weight: [weights] states none");
        return NULL;
    }
    m.to = met_rebuild_begin(circuit);
    for (uint32_t e = 0; e < circuit->edge_count; e++)
        if (m.wanted[e] && circuit->edges[e].producer.id == MET_NONE)
            quantize(&m, (met_edge_id){ e }, (met_block_id){ MET_NONE });
    for (uint32_t n = 0; n < circuit->node_count && !m.to.failed; n++) {
        const met_node *node = &circuit->nodes[n];
        met_rebuild_at(&m.to, n);
        copy(&m, node);
        for (uint32_t k = 0; k < node->out_count; k++)
            if (m.wanted[node->outs[k].id])
                quantize(&m, node->outs[k], node->block);
    }
    return m.to.failed ? NULL : met_rebuild_end(&m.to);
}
