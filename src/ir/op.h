/* The op vocabulary: closed, one row an op in ops.def. A row says how the op is written, how many arrays it takes, its
 * options, and which class of op it is; the class knows the primitive form or the expansion, the flops, the error
 * model and the glyph's shape. */
#ifndef MET_IR_OP_H
#define MET_IR_OP_H

#include "base/session.h"
#include "ir/scalar.h"
#include "number/monoid.h"
#include "type/format.h"

typedef enum met_op_id {
#define MET_OP(id, ...) MET_OP_##id,
#include "ir/ops.def"
#undef MET_OP
    MET_OP_COUNT
} met_op_id;

/* Primitive forms: `fold` is out[P] = fold over {R : guards} of e(inputs at P,R), a map if R is empty. `read` is a map or
 * fold in which an integer array says where another input is read (gather, expert). `pick` keeps the k best of a fold, with
 * their indices (top_k, argmax). `scan` carries a state along one index. `composite` is defined by its expansion. */
typedef enum met_op_form { MET_FORM_FOLD, MET_FORM_READ, MET_FORM_PICK, MET_FORM_COMPOSITE, MET_FORM_SCAN } met_op_form;

/* How an op's brackets read. */
typedef enum met_bracket {
    MET_BRACKET_NONE,    /* add: rank 0, lifted; or an explicit signature add['a b, b -> a b'] */
    MET_BRACKET_TARGETS, /* softmax[x], softmax[q x h; x], mask.causal[q x] */
    MET_BRACKET_ARROW,   /* linear[m -> h d], top_k[x -> k], split[x -> a, b] */
    MET_BRACKET_EINSUM,  /* 'q h d, x h d -> h q x', expert['n m, n k, e f m -> n k f'] */
    MET_BRACKET_VIEW     /* view[w k c <- w + k, c] */
} met_bracket;

/* Kinds of option values, and of scalar arguments (written without a name, in the order of the row). */
typedef enum met_attr_kind {
    MET_ATTR_NUMBER, /* a double known now: eps=1e-5 */
    MET_ATTR_WORD,   /* one of the row's words: style=half */
    MET_ATTR_DIM,    /* a dim expression: offset=p, k=8 */
    MET_ATTR_SCALAR, /* a formula: scale(d^-0.5), map { exp(a - b) } */
    MET_ATTR_FORMAT, /* format=fp8/g128 */
    MET_ATTR_GUARDS  /* a conjunction of affine comparisons, kept as a formula */
} met_attr_kind;

typedef struct met_attr {
    met_sym key;
    met_attr_kind kind;
    bool given; /* written, rather than the default */
    double number;
    met_sym word;
    const struct met_dim *dim;
    const met_scalar *scalar; /* SCALAR, GUARDS */
    met_format format;
    met_span span;
} met_attr;

/* How flops are counted: per point of the iteration space (degree and reduced indices). */
typedef enum met_flops {
    MET_FLOPS_NONE,        /* moves data */
    MET_FLOPS_FORMULA,     /* scalar operations of e, plus one a point for the fold if something is reduced */
    MET_FLOPS_CONTRACTION, /* 2 a point if two operands and something is reduced, else 1 (see cost rules of einsum) */
    MET_FLOPS_EXPANSION    /* the sum over the expansion */
} met_flops;

struct met_op {
    met_op_id id;
    const char *name;
    met_op_form form;
    met_bracket bracket;
    /* Which labels each array carries: "2: S P | T -> S" says two targets; arrays; parameter slots; results. S is the
     * shape, T the targets, R the shape without the targets, P the shape without the last target, 0 the first result
     * list, N what is new in it, - a scalar; `*` takes the explicit signature, and `scan` one of a recurrence; `concat` and
     * `split` have code of their own. */
    const char *pattern;
    /* Likewise the formats: t are all one format, i is i32, F the format option, - free. The last one repeats. */
    const char *formats;
    uint8_t array_count; /* data inputs; MET_VARIADIC for einsum, map, fold, concat */
    const char *params;  /* parameter slots after them, "w b:bias": the name each takes when it is left out, and the option
                            (yes or no) that says whether the slot is there; giving the array says yes */
    uint8_t out_count;   /* MET_VARIADIC for split */
    met_monoid monoid;   /* of a reduction; einsum's comes from its semiring */
    const char *formula; /* e of a map in the language's formulas over a, b, c and the options' names; or NULL */
    const char *options; /* "eps:number=1e-6 style:word(half|interleaved)=half"; scalar arguments first, marked "!" */
    met_flops flops;
    const char *error; /* error model in words: how the relative error of the result arises */
    const char *glyph; /* key into the glyph table of the drawing */
    const char *summary; /* one line for the manual */
};
typedef struct met_op met_op;

#define MET_VARIADIC 255

extern const met_op met_op_table[MET_OP_COUNT];

const met_op *met_op_find(met_str name);
const met_op *met_op_by_id(met_op_id id);
/* Whether its formulas are the writer's own, over the arrays and positions: map, fold, scan. */
bool met_op_has_formulas(const met_op *op);
/* How many letters the formula of that option may use: one an array, up to 26; in a scan one more, for what is recalled of
 * the state, except in `recall` itself. */
uint32_t met_op_letters(const met_op *op, met_str option, uint32_t arrays);
/* The array whose format a result has that nobody states. */
uint32_t met_op_leader(const met_op *op);
/* Whether it carries a state: its first array, whose new value is its last result. */
bool met_op_scans(const met_op *op);
/* All names, for "did you mean". */
const char *const *met_op_names(size_t *ret_count);

/* The letter of `formats` for input k (parameters follow the arrays) or for result k. */
char met_op_format_letter(const met_op *op, bool result, uint32_t k);

/* Option rows parsed from `options`. */
typedef struct met_option {
    met_str name;
    met_attr_kind kind;
    bool positional;    /* a scalar argument */
    bool required;      /* no default */
    met_str words;      /* WORD: a|b|c */
    met_str fallback;   /* default as text */
} met_option;
#define MET_OPTION_LIMIT 12
size_t met_op_options(const met_op *op, met_option ret_options[MET_OPTION_LIMIT]);
/* Whether a word is one of `a|b|c`. */
bool met_option_allows(met_str words, met_str word);

#endif
