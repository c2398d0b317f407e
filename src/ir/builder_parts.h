/* What the parts of the builder share. Nothing outside src/ir/ includes this. */
#ifndef MET_IR_BUILDER_PARTS_H
#define MET_IR_BUILDER_PARTS_H

#include "ir/builder.h"

/* Axes, edges and formats are classes under union-find: `parent`, always the first field,
 * leads to the class's earliest member, which speaks for it. */
typedef struct draft_axis {
    uint32_t parent;
    met_sym name;
    const met_dim *size;
    met_span span;
} draft_axis;

typedef struct draft_symbol {
    met_sym name;
    const met_dim *value; /* NULL while free */
} draft_symbol;

typedef struct draft_format {
    uint32_t parent;
    bool known;
    bool assumed; /* known only because freezing gave it the default */
    met_format format;
    met_span span;
} draft_format;

typedef struct draft_edge {
    uint32_t parent;
    uint32_t next;  /* in its term */
    bool any_rank;  /* takes the type of what it meets */
    bool fixed;     /* a parameter: lifting passes it by */
    bool declared;  /* an input whose axes were written down */
    met_edge_role role;
    met_sym name;
    uint32_t rank;
    met_axis_id *axes;
    uint32_t format;
    uint32_t producer;
    uint32_t producer_output;
    uint64_t place; /* in the order of parameters */
    met_span span;
} draft_edge;

typedef struct draft_node {
    uint32_t next; /* in its term */
    const met_op *op; /* NULL: a box */
    met_sym box_name;
    uint32_t index_count;
    met_index *indices;
    uint32_t in_count, out_count;
    uint32_t *ins, *outs; /* edges */
    met_access *in_access, *out_access;
    uint32_t target_count, result_count;
    uint32_t *targets, *results;
    uint32_t attr_count;
    met_attr *attrs;
    uint32_t block;
    met_span span;
} draft_node;

typedef struct draft_block {
    met_sym name;
    uint32_t parent;
    uint32_t family, repeat, repeat_count;
} draft_block;

typedef MET_VEC(uint32_t) met_ids;

struct met_builder {
    met_session *session;
    met_arena *arena;
    MET_VEC(draft_axis) axes;
    MET_VEC(draft_symbol) symbols;
    MET_VEC(draft_format) formats;
    MET_VEC(draft_edge) edges;
    MET_VEC(draft_node) nodes;
    MET_VEC(draft_block) blocks;
    MET_VEC(met_state) states; /* draft edges */
    uint32_t open_block;
    uint32_t family_count;
    uint32_t resolve_depth;
    uint32_t place_count;
    met_map *parameter_names; /* how often a generated name was used */
};

/* A chain of nodes or edges linked by `next`. */
typedef struct met_chain {
    uint32_t first, last;
} met_chain;

struct met_term {
    met_chain nodes, edges;
    met_ids ins, outs;
    size_t outs_front; /* free room before the outputs */
    uint32_t label_count;
    const met_index *labels;
    bool declared; /* holds an input whose axes were declared */
};

/* builder.c */
uint32_t met_draft_symbol(met_builder *b, met_sym name);
uint32_t met_draft_format(met_builder *b, const met_format *format, met_span span);
uint32_t met_draft_edge(met_builder *b, met_term *term, const met_array_spec *spec);
uint32_t met_draft_node(met_builder *b, met_term *term, draft_node node);
met_term *met_term_new(met_builder *b);
draft_edge *met_draft_edge_root(met_builder *b, uint32_t edge);
uint32_t met_edge_root(met_builder *b, uint32_t edge);
uint32_t met_axis_root(met_builder *b, uint32_t axis);
uint32_t met_format_root(met_builder *b, uint32_t format);
void met_chain_join(met_builder *b, met_term *into, met_term *from);

/* align.c */
/* A dim expression with bound symbols replaced; NULL if it no longer fits. */
const met_dim *met_draft_resolve(met_builder *b, const met_dim *dim);
bool met_unify_axes(met_builder *b, uint32_t earlier, uint32_t later, met_span span);
bool met_unify_formats(met_builder *b, uint32_t earlier, uint32_t later, met_span earlier_span, met_span later_span);
bool met_unify_edges(met_builder *b, uint32_t earlier, uint32_t later, met_span span);
/* All pairs of arrays where two terms meet; `spans` of each, or NULL. */
bool met_unify_pairs(met_builder *b, uint32_t count, const uint32_t *earlier, const uint32_t *later, const met_span *spans,
                     met_span span);
/* False with a diagnostic if an array would get more than MET_RANK_LIMIT axes. */
bool met_lift(met_builder *b, met_term *term, uint32_t count, const met_axis_id *axes, met_span span);
/* Decides which side of a composition is lifted and does it. `values` are edges of the left side; left NULL: the left
 * side cannot be lifted. False with a diagnostic; ranks that still differ are found by unifying. */
bool met_align_ranks(met_builder *b, met_term *left, uint32_t count, const uint32_t *values, met_term *right, met_span span);

/* attrs.c */
bool met_fill_attrs(met_builder *b, const met_request *request, draft_node *node);
const met_attr *met_draft_attr(met_builder *b, const draft_node *node, const char *name);

/* for diagnostics: `h q x`, and an axis with its size */
const char *met_draft_axes_text(met_builder *b, const draft_edge *edge);
const char *met_draft_dim_text(met_builder *b, const met_dim *dim);

#endif
