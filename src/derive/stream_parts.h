/* Inside of met_stream_derive: the term while it is made. Values are numbered as they appear; the algebra's input i is
 * value i. Functions return false (or NULL, MET_NONE) after a refusal. */
#ifndef MET_DERIVE_STREAM_PARTS_H
#define MET_DERIVE_STREAM_PARTS_H

#include "base/map.h"
#include "derive/algebra.h"
#include "derive/stream.h"

/* A value of the region as the algebra knows it. */
typedef struct met_known {
    const met_sum *sum;         /* NULL: it does not separate, for the reason below */
    const met_scalar *blocking; /* over values of the term */
    const char *reason;
    uint32_t where;
} met_known;

/* What a state folds. */
typedef struct met_folded {
    const met_sum *phi; /* NULL where there is no normal form */
    met_region_fold fold;
    met_loops reduced; /* beside the stream */
    const met_scalar *live;
} met_folded;

typedef struct met_deriver {
    met_arena *arena;
    const met_region *region;
    uint32_t loop;
    met_loops stream; /* the loop as a set */
    met_algebra *algebra;
    MET_VEC(met_stream_value) values;
    MET_VEC(met_traits) traits; /* of values; shared with the algebra */
    MET_VEC(met_stream_state) states;
    MET_VEC(met_folded) folded; /* by state */
    met_known *known;           /* by value of the region */
    uint32_t at;                /* value of the region that is being derived */
    uint32_t number;            /* of names made for it */
    const char *next_name;      /* for the next name made, instead of one of these; or NULL */
    met_map *names;
    uint32_t rank;
    bool constant;              /* … and a term that is a constant of weights */
    met_known refusal;
    const char *help;           /* of the refusal, or NULL */
} met_deriver;

/* Adds a value; its name is made unique. Its number. */
uint32_t met_deriver_add(met_deriver *deriver, met_stream_value value, bool positive, bool weights);
const met_sum *met_deriver_leaf(met_deriver *deriver, uint32_t value);
/* A name for something that belongs to the present value: y_1, y_2. */
const char *met_deriver_name(met_deriver *deriver);
/* The first refusal stays; `why` NULL: the algebra's. Returns false. */
bool met_deriver_refuse(met_deriver *deriver, const met_scalar *factor, const char *why);
/* The state that folds phi over the stream and `reduced`, found or made; only the fields beyond value, loops and words of
 * `state` matter. The leaf of its value. */
const met_sum *met_deriver_state(met_deriver *deriver, met_stream_state state, met_region_fold fold, met_loops reduced,
                                 const met_sum *phi, const met_scalar *e);
/* The condition of the present value's fold, over values of the term; NULL if there is none. */
const met_scalar *met_deriver_live(met_deriver *deriver);
/* The number of the state whose value is the only atom of the leaf. */
uint32_t met_deriver_state_of(const met_deriver *deriver, const met_sum *leaf);
/* Whether an atom is the leaf of a term's value, and which. */
bool met_atom_is_value(const met_algebra *algebra, uint32_t atom, uint32_t *ret_value);

/* Folds over the stream: what the value is in terms of finished states, or NULL after a refusal. */
const met_sum *met_derive_sum(met_deriver *deriver, const met_region_value *value, const met_sum *e);
const met_sum *met_derive_extreme(met_deriver *deriver, const met_region_value *value, const met_sum *e);
const met_sum *met_derive_scan(met_deriver *deriver, const met_region_value *value);
/* The separated sum with a mean taken out; NULL without a refusal where that does not apply. */
const met_sum *met_derive_centred(met_deriver *deriver, const met_region_value *value, const met_sum *e);
/* For a fold over other loops of a summand that mixes. */
const met_sum *met_derive_inner(met_deriver *deriver, const met_region_value *value, const met_sum *e);

/* From the parts to the term: unused values out, phases in order, words counted. */
const met_stream_term *met_deriver_finish(met_deriver *deriver);

#endif
