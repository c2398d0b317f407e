/* Circuits: the frozen form of a model. A circuit is a hypergraph of nodes and typed edges with inputs, parameters and
 * outputs; alignment has been done, every axis has its final identity, guards are attached to the edges they govern.
 * It knows nothing of the language it was written in (beyond spans) or of how it will be run or drawn.
 *
 * Numbering is by reading order and reproducible: edges are inputs, then parameters, then the nodes' outputs in node
 * order; nodes are topologically ordered. */
#ifndef MET_IR_CIRCUIT_H
#define MET_IR_CIRCUIT_H

#include "base/session.h"
#include "ir/op.h"
#include "ir/scalar.h"
#include "met/circuit.h"
#include "type/dim.h"
#include "type/format.h"

typedef struct met_axis_id {
    uint32_t id;
} met_axis_id;
typedef struct met_edge_id {
    uint32_t id;
} met_edge_id;
typedef struct met_node_id {
    uint32_t id;
} met_node_id;
typedef struct met_block_id {
    uint32_t id;
} met_block_id;

#define MET_NONE UINT32_MAX /* an id that names nothing */
#define MET_RANK_LIMIT 32   /* axes of an array */

/* An axis: a symbol. `name` is unique within the circuit: the second axis called d is d.2. */
typedef struct met_axis {
    met_sym name;
    met_sym label; /* as written: d */
    const met_dim *size;
    met_span span; /* where the axis was first written */
} met_axis;

/* A size symbol, also uniquely named; its id is its place in the table. In order of first appearance over inputs, outputs,
 * parameters and the rest; symbols of one compound size in alphabetical order. Binding gives it a value. */
typedef struct met_symbol {
    met_sym name;
    met_sym label;
    const met_dim *value; /* NULL while free: a configurable axis */
} met_symbol;

/* constant + Σ coefficient·term, where a term is an index of a node (or a position of an edge), a size, or the value
 * that an integer array holds at the present position. */
typedef enum met_term_kind { MET_TERM_INDEX, MET_TERM_SIZE } met_term_kind;
typedef struct met_affine_term {
    met_term_kind kind;
    int64_t coefficient;
    uint32_t index;      /* INDEX */
    const met_dim *size; /* SIZE */
} met_affine_term;
typedef struct met_affine {
    int64_t constant;
    uint32_t term_count;
    const met_affine_term *terms;
} met_affine;

/* A guard of an edge: a position is live iff expression ≥ 0, where `expression` is affine in the edge's positions,
 * plus `value_sign` times the element of integer edge `value` at position (value_at[0], …), each affine likewise.
 * value.id is MET_NONE for most guards. All guards of an edge must hold for a position to be live. */
typedef struct met_guard {
    met_affine expression;
    met_edge_id value;
    int value_sign; /* +1 or -1 */
    uint32_t value_rank;
    const met_affine *value_at;
} met_guard;

/* How a node reads or writes an edge: one affine expression in the node's indices for each position of the edge. */
typedef struct met_access {
    uint32_t rank;
    const met_affine *at;
} met_access;

/* A loop of a node. Self-attention's scores have two indices, q and x, over one axis. */
typedef struct met_index {
    met_sym label;
    met_axis_id axis;
    bool target;  /* the op itself sees it; otherwise it is degree */
    bool reduced; /* in no output */
} met_index;

typedef struct met_node {
    const met_op *op; /* NULL: a box, which has no meaning (alignment tests) */
    met_sym box_name;
    uint32_t index_count;
    const met_index *indices; /* degree first (in the order of the first output), then the others */
    uint32_t in_count, out_count;
    const met_edge_id *ins;
    const met_access *in_access;
    const met_edge_id *outs;
    const met_access *out_access;
    uint32_t target_count, result_count;
    const uint32_t *targets; /* indices that the brackets name, as written; those new right of an arrow likewise */
    const uint32_t *results;
    uint32_t attr_count;
    const met_attr *attrs; /* every option of the op, in the order of its table row; defaults filled in */
    met_block_id block;    /* innermost block, or MET_NONE */
    met_span span;
} met_node;

typedef enum met_edge_role { MET_EDGE_INPUT, MET_EDGE_PARAMETER, MET_EDGE_STATE, MET_EDGE_VALUE } met_edge_role;

/* Where an edge's format comes from. DEFAULT: nobody stated it, so it is the circuit's default and changes with that.
 * INNER: an edge within an expansion, f32, or f64 where the default is f64. */
typedef enum met_format_origin { MET_FORMAT_DEFAULT, MET_FORMAT_STATED, MET_FORMAT_INNER } met_format_origin;

typedef struct met_edge {
    met_sym name; /* unique in the circuit: q, @wq's name is layers.0.wq, values v0 v1 … or as written */
    met_edge_role role;
    met_format format;
    met_format_origin format_origin;
    uint32_t rank;
    const met_axis_id *axes;
    uint32_t guard_count;
    const met_guard *guards;
    met_node_id producer; /* MET_NONE for inputs, states and parameters */
    uint32_t producer_output;
    met_span span;
} met_edge;

/* A named part: a contiguous interval of nodes, nested. Copies made by f^n share `family`; `repeat` counts from 0. */
typedef struct met_block {
    met_sym name;
    met_block_id parent; /* or MET_NONE */
    uint32_t node_begin, node_end;
    uint32_t family; /* equal for the copies of one repetition; unique to a single block */
    uint32_t repeat, repeat_count;
} met_block;

/* A state: an array kept from one run to the next. `in` is an edge of role STATE, `out` the edge with its new value. */
typedef struct met_state {
    met_edge_id in, out;
} met_state;

struct met_circuit {
    met_session *session;
    met_arena *arena; /* = the session's */
    met_sym name;
    met_format default_format; /* of edges whose format nobody stated */
    uint32_t axis_count, symbol_count, edge_count, node_count, block_count;
    const met_axis *axes;
    const met_symbol *symbols;
    const met_edge *edges;
    const met_node *nodes;
    const met_block *blocks; /* a parent before its children */
    uint32_t input_count, parameter_count, output_count, state_count;
    const met_edge_id *inputs; /* role INPUT or STATE, in order of declaration */
    const met_edge_id *parameters; /* in order of first appearance */
    const met_edge_id *outputs;
    const met_state *states;
};

/* The option of that name; NULL if the op has no such option. */
const met_attr *met_node_attr(const met_circuit *circuit, const met_node *node, const char *name);
const met_dim *met_edge_dim(const met_circuit *circuit, const met_edge *edge, uint32_t position);
/* Value of a bound dim expression, as a diagnostic-free check: false if a symbol is free or it does not fit 64 bits. */
bool met_circuit_size(const met_circuit *circuit, met_axis_id axis, uint64_t *ret_size);
/* Names for met_dim_print: context is the circuit. */
met_str met_circuit_size_name(void *circuit, met_size symbol);

/* Binds free sizes by their symbols: sizes[s], unless 0, is the value of symbol s. NULL with diagnostics. */
met_circuit *met_circuit_bind_symbols(const met_circuit *circuit, const uint64_t *sizes);

#endif
