/* Scalar regions: what derivation works on. A region is an ordered list of values over a table of loops; each is an input,
 * a map of earlier values, or a fold of such a map over some of the loops. It is a circuit's region written point by
 * point, or a text:
 *
 *     m = max[x] s; e = exp(s - m); z = sum[x] e; y = sum[x] (e/z)*v
 *
 * A region knows nothing of nodes, formats or memory, and of edges only which ones its inputs read. Immutable once made. */
#ifndef MET_DERIVE_REGION_H
#define MET_DERIVE_REGION_H

#include "derive/kernel.h"

#define MET_REGION_VALUES 4096

typedef enum met_region_fold {
#define MET_REGION_FOLD(name, spelling, monoid) MET_REGION_##name,
#include "derive/fold.def"
#undef MET_REGION_FOLD
    MET_REGION_FOLD_COUNT
} met_region_fold;

typedef struct met_region_fold_info {
    const char *spelling;
    met_monoid monoid; /* NONE where there is no monoid of one number */
} met_region_fold_info;

extern const met_region_fold_info met_region_fold_table[MET_REGION_FOLD_COUNT];

typedef struct met_region_loop {
    const char *name;
    const met_dim *size;
} met_region_loop;

typedef struct met_region_value {
    const char *name; /* unique */
    bool input;       /* no e */
    bool output;      /* is wanted outside */
    bool positive;    /* INPUT: known not to be negative */
    bool parameter;   /* INPUT: a weight */
    met_loops loops;  /* that it depends on, those it folds left out */
    met_region_fold fold;
    met_loops reduced;       /* loops that it folds; 0 for maps */
    const char *opaque;      /* OPAQUE: how the fold is called */
    const met_scalar *e;     /* over earlier values (input i is value i) and loops (index i is loop i) */
    const met_scalar *live;  /* FOLD: likewise; positions where it is 0 take no part. NULL: all do */
    bool guarded;            /* FOLD: positions may be left out, though `live` does not say which */
    const met_dim *slots;    /* TOP_K: how many … */
    met_loops slot_loop;     /* … and the loop that runs over them, as a set */
    bool picks_index;        /* TOP_K, ARGMAX: the value is the index, not the number */
    met_span span;
    uint32_t edge;           /* INPUT from a circuit: the edge, read at `at` (by position, over loops); else MET_NONE */
    const met_affine *at;
} met_region_value;

/* In the e of a SCAN: the state before this position. */
#define MET_REGION_STATE (UINT32_MAX - 1)

typedef struct met_region {
    met_arena *arena;
    uint32_t loop_count, value_count;
    const met_region_loop *loops;
    const met_region_value *values;
    met_size_namer size_name; /* of the symbols in sizes */
    void *size_context;
} met_region;

/* How a region text is to be understood. Lists hold `count` names. */
typedef struct met_region_rules {
    const char *stream;        /* a loop that the region has if its text names none; or NULL */
    uint32_t static_count;
    const char *const *statics; /* names that do not carry the stream */
} met_region_rules;

/* Reads a region text that fills the stretch (docs/derive.md has the grammar). NULL with diagnostics. */
const met_region *met_region_read(met_session *session, met_span span, const met_region_rules *rules);

/* The whole of a circuit of primitives (met_circuit_expand) as a region: every output as a function of inputs and
 * parameters. Reduced indices of one axis are one loop where they can be, so that folds over the same array share it; an
 * edge that is read along two loops (queries and keys of one copy) is a value for each. NULL with a refusal where a node has
 * no such form. */
const met_region *met_region_unfold(const met_circuit *circuit, met_refusal *ret_refusal);

/* The loop to stream if nobody says: the one along which most folds read an earlier fold along it; among equals, the one
 * that is folded last. MET_NONE if nothing is folded. */
uint32_t met_region_default_stream(const met_region *region);

/* The loop of a name; MET_NONE if there is none. */
uint32_t met_region_loop_find(const met_region *region, const char *name);

/* Parts of a formula that a term may have: expressions share parts, and written out they would grow without bound. */
#define MET_REGION_FORMULA 4000

/* Parts of an expression as it is written; any number above the limit if there are more. */
uint32_t met_scalar_weight(const met_scalar *e, uint32_t limit);

typedef const char *(*met_value_namer)(const void *context, uint32_t value);
/* As met_scalar_print, with values by their names; "…" if it has more than MET_REGION_FORMULA parts. */
void met_region_print_scalar(met_text *out, const met_scalar *scalar, const met_region *region, met_value_namer name,
                             const void *context);

#endif
