/* Stream terms: what a region becomes when one of its loops is streamed. Everything that reads the stream is either in the
 * body (run for every position) or folded into a state of fixed size; what needs whole folds is in the tail, once.
 *
 *   head   values that do not read the stream
 *   body   values at the present position; some read the running state
 *   state  one accumulator each; together they are a monoid (the stream may be cut and the states combined) or only a fold
 *   tail   values of finished states
 *
 * The algebra is over the reals. Immutable; made by met_stream_derive. */
#ifndef MET_DERIVE_STREAM_H
#define MET_DERIVE_STREAM_H

#include "derive/region.h"

typedef enum met_stream_phase {
    MET_STREAM_INPUT,
    MET_STREAM_HEAD,
    MET_STREAM_BODY,
    MET_STREAM_STATE,
    MET_STREAM_TAIL
} met_stream_phase;

typedef struct met_stream_value {
    const char *name; /* unique within the term */
    met_stream_phase phase;
    met_loops loops;
    met_region_fold fold;   /* HEAD, BODY, TAIL: a fold over `reduced`, which the stream is not in. STATE: over it too */
    met_loops reduced;
    const met_scalar *e;    /* over values of the term; STATE: what is folded (met_stream_state says how) */
    const met_scalar *live; /* of a fold: positions where it is 0 take no part; NULL: all do */
    met_loops slot_loop;    /* of a selection, as in the region */
    uint32_t origin;        /* the value of the region that it equals, or MET_NONE */
    bool output;
} met_stream_value;

/* How a state takes another term in, and how two are combined. */
typedef enum met_state_kind {
    MET_STATE_PLAIN,   /* by the monoid of its fold */
    MET_STATE_REBASED, /* a sum relative to the running `base`: multiplied by delta(old, new) when that moves */
    MET_STATE_COUNT,   /* of positions */
    MET_STATE_MEAN,    /* of e, with `count` */
    MET_STATE_CENTRED, /* Σ weight·(u - mean)^power, relative to the running mean `base` of u: moved by the binomial law */
    MET_STATE_SCAN,    /* S = decay·S + e; `base` is the product of decays, which only combining needs */
    MET_STATE_FOLD,    /* e reads the state before (MET_REGION_STATE): no combining */
    MET_STATE_SLOTS    /* the k largest with their indices, ties to the lower index */
} met_state_kind;

#define MET_STATE_POWER 8 /* the largest power of a centred state */

typedef struct met_stream_state {
    uint32_t value;
    met_state_kind kind;
    met_loops loops;
    const met_dim *words; /* per row (met_stream_term.rows) */
    uint32_t base;        /* state number, or MET_NONE */
    const met_scalar *delta; /* REBASED: over input 0, the old base, and input 1, the new one */
    bool exact;              /* REBASED: delta is a power of two */
    uint32_t count;          /* MEAN, CENTRED: state number of the count */
    uint32_t power;          /* CENTRED */
    uint32_t lower[MET_STATE_POWER]; /* CENTRED: states of the same weight and lower powers; MET_NONE: always 0 */
    const met_scalar *decay; /* SCAN */
    const met_dim *slots;    /* SLOTS; NULL: 1 */
    bool weights;            /* reads weights only: can be computed before the run */
    bool split_only;         /* needed only where the stream is split */
} met_stream_state;

typedef struct met_stream_term {
    const met_region *region;
    uint32_t stream; /* the loop */
    bool streams;    /* otherwise only the refusal below is there */
    const char *reason, *factor, *help; /* factor, help may be NULL */
    uint32_t where;  /* value of the region at which it failed */
    bool monoid;
    uint32_t rank;   /* terms of the last fold over the stream; one that is a constant of weights is not counted … */
    bool constant;   /* … and there is one */
    met_loops rows;  /* loops that all states share; a row has one state */
    uint32_t value_count, state_count, fold_count;
    const met_stream_value *values; /* each reads earlier ones only; inputs, then the head, body and states, the tail */
    const met_stream_state *states; /* each is relative to earlier ones only, in the order of their values */
    const char *const *folds;       /* monoids over the stream, each once, in alphabetical order */
} met_stream_term;

/* Never NULL: where the region does not stream, the term says why. */
const met_stream_term *met_stream_derive(const met_region *region, uint32_t loop);

/* Words of all states of a row. */
const met_dim *met_stream_words(met_arena *arena, const met_stream_term *term);
/* As pseudocode for people, or as JSON. */
void met_stream_print(met_text *out, const met_stream_term *term);
void met_stream_json(met_text *out, const met_stream_term *term);

#endif
