#include "derive/loops.h"

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "ir/affine.h"

#define SHARE_LIMIT 4096 /* pairs of positions that are tried: more than regions of a useful size have */

typedef struct identifier {
    const met_circuit *circuit;
    const met_derivation *derivation;
    met_arena *arena;
    uint32_t node_count;
    const met_node_id *nodes;
    bool fold_reads;
    const uint32_t *first;
    uint32_t *parent; /* union-find over all indices; the root is the least of its class */
    met_refusal *refusal;
} identifier;

uint32_t met_nodes_place(uint32_t node_count, const met_node_id *nodes, met_node_id node)
{
    uint32_t low = 0, high = node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (nodes[middle].id < node.id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < node_count && nodes[low].id == node.id ? low : MET_NONE;
}

static uint32_t find(identifier *x, uint32_t index)
{
    while (x->parent[index] != index) {
        x->parent[index] = x->parent[x->parent[index]];
        index = x->parent[index];
    }
    return index;
}

static void unite(identifier *x, uint32_t a, uint32_t b)
{
    a = find(x, a);
    b = find(x, b);
    x->parent[a > b ? a : b] = a > b ? b : a;
}

static const char *edge_name(const identifier *x, met_edge_id edge)
{
    return met_sym_text(x->circuit->session, x->circuit->edges[edge.id].name);
}

static bool refuse(identifier *x, met_node_id node, met_text *reason, const char *help)
{
    *x->refusal = (met_refusal){ .reason = met_text_done(reason), .node = node, .help = help };
    return false;
}

/* Whether a node reads by id, and its index is no loop for that. */
static bool reads_by_id(const identifier *x, uint32_t place)
{
    const met_primitive *form = &x->derivation->forms[x->nodes[place].id];
    if (form->form != MET_FORM_READ || !x->fold_reads)
        return form->form == MET_FORM_READ;
    met_edge_id table = x->circuit->nodes[x->nodes[place].id].ins[form->table];
    met_node_id producer = x->circuit->edges[table.id].producer;
    return producer.id == MET_NONE || met_nodes_place(x->node_count, x->nodes, producer) == MET_NONE;
}

/* Whether an id takes the place of position p of input k. */
static bool position_by_id(const identifier *x, uint32_t place, uint32_t k, uint32_t p)
{
    const met_primitive *form = &x->derivation->forms[x->nodes[place].id];
    return reads_by_id(x, place) && k == form->table && p == form->read_position;
}

/* Input k of a node, made by another node of the region. */
static bool follow_edge(identifier *x, uint32_t reader, uint32_t k)
{
    const met_node *node = &x->circuit->nodes[x->nodes[reader].id];
    const met_edge *edge = &x->circuit->edges[node->ins[k].id];
    uint32_t maker = met_nodes_place(x->node_count, x->nodes, edge->producer);
    if (edge->producer.id == MET_NONE || maker == MET_NONE)
        return true;
    const met_access *in = &node->in_access[k];
    const met_access *out = &x->circuit->nodes[edge->producer.id].out_access[edge->producer_output];
    for (uint32_t p = 0; p < in->rank; p++) {
        uint32_t read = 0, made = 0;
        bool whole = met_affine_is_index(in->at[p], &read) && node->indices[read].axis.id == edge->axes[p].id;
        if (!whole || position_by_id(x, reader, k, p) || !met_affine_is_index(out->at[p], &made)) {
            met_text text = met_text_new(x->arena);
            met_text_format(&text, "`%s` is made inside and is not read element by element", edge_name(x, node->ins[k]));
            return refuse(x, x->nodes[reader], &text, "plans store it between two kernels: `met circuit cost` lists theirs");
        }
        unite(x, x->first[maker] + made, x->first[reader] + read);
    }
    return true;
}

static const char *label(const identifier *x, const met_node *node, uint32_t index)
{
    return met_sym_text(x->circuit->session, node->indices[index].label);
}

/* No two indices of one node may have become one loop. */
static bool keep_apart(identifier *x, uint32_t place)
{
    const met_node *node = &x->circuit->nodes[x->nodes[place].id];
    for (uint32_t i = 0; i < node->index_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if (find(x, x->first[place] + i) != find(x, x->first[place] + j))
                continue;
            met_text text = met_text_new(x->arena);
            met_text_format(&text, "`%s` and `%s` of `%s` would be one loop", label(x, node, j), label(x, node, i),
                            edge_name(x, node->outs[0]));
            return refuse(x, x->nodes[place], &text, "store what both are read from");
        }
    }
    return true;
}

/* --- Reads of one edge from outside --- */

/* Whether two classes may become one: no node has an index in each. */
static bool apart(identifier *x, uint32_t a, uint32_t b)
{
    a = find(x, a);
    b = find(x, b);
    for (uint32_t n = 0; n < x->node_count; n++) {
        uint32_t in_a = 0, in_b = 0;
        for (uint32_t i = x->first[n]; i < x->first[n + 1]; i++) {
            uint32_t root = find(x, i);
            in_a += root == a;
            in_b += root == b;
        }
        if (in_a && in_b)
            return false;
    }
    return true;
}

/* A read of an edge that is made outside. */
typedef struct outer_read {
    met_edge_id edge;
    uint32_t place, in; /* node of the region, its input */
    uint32_t before;    /* an earlier read of the edge, or MET_NONE */
} outer_read;

static bool whole_index(const identifier *x, const outer_read *read, uint32_t position, uint32_t *ret_index)
{
    const met_node *node = &x->circuit->nodes[x->nodes[read->place].id];
    const met_edge *edge = &x->circuit->edges[read->edge.id];
    uint32_t index;
    if (position_by_id(x, read->place, read->in, position) ||
        !met_affine_is_index(node->in_access[read->in].at[position], &index) ||
        node->indices[index].axis.id != edge->axes[position].id)
        return false;
    *ret_index = x->first[read->place] + index;
    return true;
}

/* Positions of one array that are read whole by two nodes are one loop, where that keeps every node's indices apart. */
static void share(identifier *x, const outer_read *a, const outer_read *b, uint32_t *tries)
{
    for (uint32_t p = 0; p < x->circuit->edges[a->edge.id].rank; p++) {
        uint32_t i, j;
        if (!whole_index(x, a, p, &i) || !whole_index(x, b, p, &j) || find(x, i) == find(x, j) || *tries == SHARE_LIMIT)
            continue;
        ++*tries;
        if (apart(x, i, j))
            unite(x, i, j);
    }
}

static void share_reads(identifier *x)
{
    MET_VEC(outer_read) reads = { 0 };
    met_map *last = met_map_new(x->arena); /* by edge */
    uint32_t tries = 0;
    for (uint32_t n = 0; n < x->node_count; n++) {
        const met_node *node = &x->circuit->nodes[x->nodes[n].id];
        for (uint32_t k = 0; k < node->in_count; k++) {
            outer_read read = { node->ins[k], n, k, MET_NONE };
            met_node_id producer = x->circuit->edges[read.edge.id].producer;
            if (producer.id != MET_NONE && met_nodes_place(x->node_count, x->nodes, producer) != MET_NONE)
                continue;
            if (!met_map_get_pair(last, read.edge.id, 0, &read.before))
                read.before = MET_NONE;
            for (uint32_t r = read.before; r != MET_NONE && tries < SHARE_LIMIT; r = reads.at[r].before)
                share(x, &reads.at[r], &read, &tries);
            met_map_set_pair(last, read.edge.id, 0, (uint32_t)reads.count);
            MET_PUSH(x->arena, &reads, read);
        }
    }
}

/* --- Names --- */

static bool name_taken(const met_node_loops *loops, met_sym name)
{
    for (uint32_t l = 0; l < loops->count; l++)
        if (loops->loops[l].name.id == name.id)
            return true;
    return false;
}

/* A loop is called by the first label of its indices that no loop before it has; if all are taken the first of them gets
 * a number: d, d.2, d.3. */
static met_sym loop_name(identifier *x, const met_node_loops *loops, uint32_t root, met_sym first)
{
    for (uint32_t n = 0; n < x->node_count; n++) {
        const met_node *node = &x->circuit->nodes[x->nodes[n].id];
        for (uint32_t i = 0; i < node->index_count; i++)
            if (find(x, x->first[n] + i) == root && !name_taken(loops, node->indices[i].label))
                return node->indices[i].label;
    }
    met_sym name = first;
    for (uint32_t number = 2; name_taken(loops, name); number++) {
        met_text text = met_text_new(x->arena);
        met_text_format(&text, "%s.%u", met_sym_text(x->circuit->session, first), number);
        name = met_intern(x->circuit->session, (met_str){ met_text_done(&text), text.length });
    }
    return name;
}

static bool number_loops(identifier *x, met_node_loops *loops)
{
    uint32_t total = x->first[x->node_count];
    uint32_t *of = MET_NEW_ARRAY(x->arena, uint32_t, total);
    for (uint32_t n = 0; n < x->node_count; n++) {
        const met_node *node = &x->circuit->nodes[x->nodes[n].id];
        bool reads = reads_by_id(x, n);
        for (uint32_t i = 0; i < node->index_count; i++) {
            uint32_t at = x->first[n] + i, root = find(x, at);
            if (reads && node->indices[i].reduced) {
                of[at] = MET_NONE;
            } else if (root != at) {
                of[at] = of[root];
            } else if (loops->count == MET_KERNEL_LOOPS) {
                met_text text = met_text_new(x->arena);
                met_text_format(&text, "there are more than %d loops", MET_KERNEL_LOOPS);
                return refuse(x, x->nodes[n], &text, NULL);
            } else {
                met_sym name = loop_name(x, loops, root, node->indices[i].label);
                loops->loops[loops->count] = (met_kernel_loop){ name, node->indices[i].axis, MET_PARTITION_LOCAL };
                of[at] = loops->count++;
            }
        }
    }
    loops->of = of;
    return true;
}

bool met_loops_identify(const met_derivation *derivation, met_arena *arena, uint32_t node_count, const met_node_id *nodes,
                        bool fold_reads, met_node_loops *ret_loops, met_refusal *ret_refusal)
{
    identifier x = { derivation->circuit, derivation, arena, node_count, nodes, fold_reads, NULL, NULL, ret_refusal };
    uint32_t *first = MET_NEW_ARRAY(arena, uint32_t, (size_t)node_count + 1);
    for (uint32_t n = 0; n < node_count; n++)
        first[n + 1] = first[n] + x.circuit->nodes[nodes[n].id].index_count;
    x.first = first;
    x.parent = MET_NEW_ARRAY(arena, uint32_t, first[node_count]);
    for (uint32_t i = 0; i < first[node_count]; i++)
        x.parent[i] = i;
    bool good = true;
    for (uint32_t n = 0; n < node_count && good; n++)
        for (uint32_t k = 0; k < x.circuit->nodes[nodes[n].id].in_count && good; k++)
            good = follow_edge(&x, n, k);
    for (uint32_t n = 0; n < node_count && good; n++)
        good = keep_apart(&x, n);
    if (good)
        share_reads(&x);
    *ret_loops = (met_node_loops){ .loops = MET_NEW_ARRAY(arena, met_kernel_loop, MET_KERNEL_LOOPS), .first = first };
    return good && number_loops(&x, ret_loops);
}
