/* Building circuits: terms, and how they are put together by alignment.
 *
 * A term is a morphism under construction: input and output ports on edges, and the nodes between. Terms are linear:
 * an operation that takes a term consumes it. All ids are given in reading order. Every function returns false (or NULL)
 * after it has put a diagnostic into the session; the builder stays usable, so that several errors can be found. */
#ifndef MET_IR_BUILDER_H
#define MET_IR_BUILDER_H

#include "ir/circuit.h"
#include "met/term.h" /* met_builder_new, met_term_compose, met_term_product */

met_session *met_builder_session(const met_builder *b);
met_arena *met_builder_arena(const met_builder *b);

/* --- Labels, signatures, requests --- */

/* A label where the language names a position. `size` NULL: a fresh symbol called like the label. */
typedef struct met_label_spec {
    met_sym name;
    const met_dim *size;
    met_span span;
} met_label_spec;

/* One position of an array in a signature: a label, or an affine expression over labels (and sizes), as in views. */
typedef struct met_item {
    bool affine;
    met_label_spec label; /* !affine */
    int64_t constant;
    uint32_t term_count;
    struct met_item_term {
        int64_t coefficient;
        met_sym label;       /* a label of the signature's results … */
        const met_dim *size; /* … or, if not NULL, a size */
        met_span span;
    } *terms;
    met_span span;
} met_item;

typedef struct met_items {
    uint32_t count;
    met_item *at;
    met_span span;
} met_items;

/* What the language says of one op. Unused parts are zero. */
typedef struct met_request {
    const met_op *op;
    met_span span;
    bool has_signature; /* einsum strings, view, and op['a b, b -> a b'] */
    uint32_t in_count, out_count;
    met_items *ins, *outs; /* of the signature */
    bool has_shape;
    met_items shape;   /* [shape; targets]: labels only */
    met_items targets; /* [targets] or the left of [targets -> results] */
    uint32_t result_count;
    met_items *results; /* right of the arrow, one list for each result */
    uint32_t array_count; /* arrays given, parameters included; for variadic ops and optional parameter slots.
                             Point-free: the op's own count (2 for concat, the formula's inputs for map) */
    bool stored;          /* the statement says what the results are stored in: then the inputs may have any formats */
    bool call;            /* written with arrays; point-free ops make all their parameters */
    uint32_t attr_count;
    met_attr *attrs; /* as given; the builder checks them against the op's options and fills in defaults */
} met_request;

/* Makes the op's node, with rank as written. Ports: the arrays, then (if call) one for each parameter array given;
 * parameter slots not given become parameters named after the slot under `path` ("block.linear.w", made unique). */
met_term *met_term_op(met_builder *b, const met_request *request, met_sym path);

/* --- Rearrangements and boxes --- */

met_term *met_term_id(met_builder *b, met_span span);
met_term *met_term_copy(met_builder *b, uint32_t copies, met_span span);
met_term *met_term_drop(met_builder *b, met_span span);
/* Output i is input order[i]; order is a permutation of 0..count-1. */
met_term *met_term_permute(met_builder *b, uint32_t count, const uint32_t *order, met_span span);
/* A source: no inputs, one output of the given type, whose edge is an input or state of the circuit. axes may repeat.
 * format: NULL for the default. */
typedef struct met_array_spec {
    met_sym name;
    met_edge_role role;
    bool any_rank; /* axes unknown yet: takes the rank of whatever it meets (0 if nothing says) */
    uint32_t rank;
    const met_axis_id *axes;
    const met_format *format;
    uint64_t place; /* of a parameter that was declared before its use, from met_builder_place; 0 otherwise */
    met_span span;
} met_array_spec;
/* A fresh axis with a size (NULL: a fresh symbol of the same name). */
met_axis_id met_builder_axis(met_builder *b, met_sym name, const met_dim *size, met_span span);
met_term *met_term_source(met_builder *b, const met_array_spec *spec);
/* The place, in the order of parameters, of one that is declared now and made when it is used. */
uint64_t met_builder_place(met_builder *b);
/* A node without meaning, for tests of alignment and for drawings: arrays in, arrays out. */
met_term *met_term_box(met_builder *b, met_sym name, uint32_t in_count, const met_array_spec *ins, uint32_t out_count,
                       const met_array_spec *outs, met_span span);

/* --- Putting terms together --- */

/* axes >> f: puts axes in front of every array of f except parameters. */
met_term *met_term_lift(met_builder *b, uint32_t count, const met_axis_id *axes, met_term *f);

uint32_t met_term_in_count(const met_term *term);
uint32_t met_term_out_count(const met_term *term);

/* --- Equations: named values --- */

/* A value is an edge within a scope; a scope collects equations and becomes one term. In a scope a value may be read
 * any number of times (copy) or never (drop). */
typedef struct met_scope met_scope;
typedef struct met_value_id {
    uint32_t id;
} met_value_id;

met_scope *met_scope_new(met_builder *b);
/* Adds an input, state or parameter to the scope and returns its value. */
met_value_id met_scope_source(met_scope *scope, const met_array_spec *spec);
/* Applies a term to values: aligned as `values @ term`. A lower rank on the values' side lifts what they were made
 * from, unless that has an input whose axes were declared (error rank). ret_values: met_term_out_count(term) ids. */
bool met_scope_apply(met_scope *scope, met_term *term, uint32_t count, const met_value_id *values,
                     const met_span *spans, met_span span, met_value_id *ret_values);
/* The scope as a term: its inputs in order of declaration, the given values as outputs. Consumes the scope. */
met_term *met_scope_close(met_scope *scope, uint32_t out_count, const met_value_id *outs);
/* Whether two axes have become one, and whether a value's array has an axis. */
bool met_builder_same_axis(met_builder *b, met_axis_id a, met_axis_id c);
bool met_scope_value_has(met_scope *scope, met_value_id value, met_axis_id axis);
void met_scope_name_value(met_scope *scope, met_value_id value, met_sym name);
/* The value is stored in this format: its edge stops sharing the format of its op's other arrays. For values that nothing
 * has read yet. An integer stays one and becomes none: error format. */
bool met_scope_store(met_scope *scope, met_value_id value, met_format format, met_span span);
/* Declares that state `in` gets the value `out` when the circuit has run. */
void met_scope_state(met_scope *scope, met_value_id in, met_value_id out);

/* --- Labels introduced --- */

/* The labels of the term's op (terms made by met_term_op, before they are combined), in reading order with their axes:
 * what "the axis that the label first introduced" looks up. */
uint32_t met_term_labels(const met_term *term, const met_index **ret_labels);
/* The size of an axis as things stand now, symbols replaced by what they are bound to. */
const met_dim *met_builder_axis_size(met_builder *b, met_axis_id axis);
/* Where it was first written. */
met_span met_builder_axis_span(met_builder *b, met_axis_id axis);
/* A fresh size symbol: for sizes of a definition that no axis carries. */
const met_dim *met_builder_symbol(met_builder *b, met_sym name, met_span span);

/* --- Blocks --- */

/* Nodes made between open and close belong to the block. A family groups the copies of one repetition. */
met_block_id met_builder_open_block(met_builder *b, met_sym name, uint32_t family, uint32_t repeat,
                                    uint32_t repeat_count);
void met_builder_close_block(met_builder *b, met_block_id block);
uint32_t met_builder_family(met_builder *b);

/* --- Done --- */

/* Freezes a term as a circuit: final ids, unique names, formats, guards; runs the checker. Consumes the term. NULL with
 * diagnostics. */
met_circuit *met_builder_freeze(met_builder *b, met_term *term, met_sym name, met_format default_format);

#endif
