/* What expansions are written with. While a composite node is expanded, its own indices are the coordinates: every part
 * of the expansion (one primitive node) says over which of them its result stands and how it reads its operands, and the
 * emitter works out the part's own indices, what it reduces, its axes and its guards. */
#ifndef MET_IR_EXPAND_PART_H
#define MET_IR_EXPAND_PART_H

#include "ir/expand.h"
#include "ir/formula.h"
#include "ir/rebuild.h"

/* An edge of the new circuit and how it is read, in the composite's indices. */
typedef struct met_operand {
    met_edge_id edge;
    met_access access;
} met_operand;

/* Indices of the composite, in an order. */
typedef struct met_indices {
    uint32_t count;
    const uint32_t *at;
} met_indices;

#define MET_EXPANDER_NAMES 20

typedef struct met_expander {
    met_rebuild to;
    met_numerics numerics;
    met_format fresh;     /* of edges within an expansion */
    met_node *node;       /* the composite at work: a copy, which twins are added to */
    size_t name_count;
    met_formula_name formula_names[MET_EXPANDER_NAMES];
} met_expander;

/* One primitive of an expansion. */
typedef struct met_part {
    const char *name;  /* the fresh edge is called RESULT_name; NULL: the part makes output number `output` itself */
    uint32_t output;
    met_op_id op;      /* map, fold, sum, max, einsum, view, gather, concat, top_k or scan */
    const char *e;     /* of map and fold: a formula over the operands and the expander's formula names; of a scan the step */
    met_monoid with;   /* of fold: ADD or MAX; NONE is ADD */
    met_indices over;
    uint32_t in_count;
    met_operand ins[6];
    const char *read, *recall; /* of a scan */
} met_part; /* a second result, of a scan or a top_k, is the composite's own second, whatever `name` says */

/* The (first) result. */
met_operand met_part_emit(met_expander *x, const met_part *part);
/* A map; a fold over all that `over` lacks. */
met_operand met_part_map(met_expander *x, const char *name, met_indices over, const char *e, uint32_t count,
                         const met_operand *ins);
#define MET_PART_MAP(x, name, over, e, count, ...) met_part_map(x, name, over, e, count, (met_operand[]){ __VA_ARGS__ })
met_operand met_part_fold(met_expander *x, const char *name, met_op_id op, const char *e, met_indices over, met_operand in);
/* The softmax of input 0 over the targets; NULL: as the composite's result. */
met_operand met_part_softmax(met_expander *x, const char *name);
/* The composite's input k, read as the composite reads it. */
met_operand met_part_input(const met_expander *x, uint32_t k);
/* The indices of output k; those of output 0 that are neither targets nor results; the targets, in the order of the brackets. */
met_indices met_part_result(const met_expander *x, uint32_t k);
met_indices met_part_degree(const met_expander *x);
met_indices met_part_targets(const met_expander *x);

/* Degree, then targets: what an input has where no result has all of it. */
met_indices met_part_all(const met_expander *x);
/* One more index along the axis of one that is there. Its number is the composite's for the rest of the expansion. */
uint32_t met_part_twin(met_expander *x, uint32_t index);
/* Gives a name a meaning in the formulas of the parts that follow; a name already there gets the new meaning. */
void met_part_define(met_expander *x, const char *name, const met_scalar *value);
/* A formula over the names so far, for met_part_define. */
const met_scalar *met_part_formula(met_expander *x, const char *text);
/* The product of the sizes of some indices; NULL if it is too large an expression. */
const met_dim *met_part_size(const met_expander *x, met_indices indices);
/* Options of the composite. */
void met_part_define_number(met_expander *x, const char *name, double number);
double met_part_number(const met_expander *x, const char *option);
bool met_part_word_is(const met_expander *x, const char *option, const char *word);

/* The expansions, by file. Each emits parts up to the outputs of x->node. */
void met_expand_mean(met_expander *x);
void met_expand_logsumexp(met_expander *x);
void met_expand_softmax(met_expander *x);
void met_expand_l1norm(met_expander *x);
void met_expand_l2norm(met_expander *x);
void met_expand_maxnorm(met_expander *x);
void met_expand_rmsnorm(met_expander *x);
void met_expand_gated_rmsnorm(met_expander *x);
void met_expand_layernorm(met_expander *x);
void met_expand_cross_entropy(met_expander *x);
void met_expand_linear(met_expander *x);
void met_expand_rope(met_expander *x);
void met_expand_split(met_expander *x);
void met_expand_router(met_expander *x);
void met_expand_dispatch(met_expander *x);
void met_expand_combine(met_expander *x);
void met_expand_gated_decay(met_expander *x);
void met_expand_ssm(met_expander *x);
void met_expand_delta_rule(met_expander *x);
void met_expand_causal_conv(met_expander *x);

#endif
