/* What the files that write single nodes share: generic.c (maps, and what all have in common), generic_fold.c,
 * generic_select.c (reads and picks), generic_scan.c (recurrences), generic_several.c (nodes that have nothing to do with each
 * other). */
#ifndef MET_REALIZE_GENERIC_H
#define MET_REALIZE_GENERIC_H

#include "ir/primitive.h"
#include "realize/draft.h"
#include "realize/formula.h"

typedef struct met_generic {
    met_draft *draft;
    met_writer *w;
    met_arena *arena;
    const met_node *node;
    met_primitive form;
    met_nest *nest;
    uint32_t kept_count, fold_count;
    uint32_t *kept, *folded; /* loops of the result in its order; the reduced ones */
    met_site *in, *out;
    met_gating in_gates, out_gates;
    const char *begin, *end; /* units to do: expressions */
    const char *id_count, *id_step; /* of a read: how many ids there are, elements of the table from one to the next */
} met_generic;

/* A node with its loops and arrays; what it writes, in met_generic_put, is for the units that `begin` and `end` say. */
met_generic *met_generic_new(met_draft *draft, met_node_id node);
void met_generic_put(met_generic *g);
int64_t met_generic_units(const met_generic *g);

/* The element number of a site as the loops stand. */
const char *met_generic_offset(const met_generic *g, const met_site *site);
/* Opens the loop over units; the counters of these loops follow from the unit's number, the last running fastest. */
void met_generic_put_units(met_generic *g, uint32_t count, const uint32_t *loops);
/* All conditions as one expression; NULL if there are none. */
const char *met_generic_all(const met_generic *g, const met_conditions *conditions);
/* Liveness by values: true if all hold and lie inside of their arrays; NULL if there are none. */
const char *met_generic_valued(const met_generic *g, const met_gating *gates);

/* Both conditions, of which one may be NULL. */
const char *met_generic_both(const met_generic *g, const char *a, const char *b);

/* lo and hi: the part of a loop where the conditions hold. */
void met_generic_put_clip(met_generic *g, uint32_t loop, const met_conditions *conditions);
/* a0, a1, …: the inputs at the present point. Outside of their array they are 0 where `checked`. */
void met_generic_put_inputs(met_generic *g, bool checked);
void met_generic_put_fold(met_generic *g);

/* The kept loop that counts what is picked; MET_NONE if only the best is. */
uint32_t met_generic_rank(const met_generic *g);
/* Reads by id: arguments for the table; `id` in the text, -1 where there is none; whether it is one of the table's; the
 * table's element number at it. */
void met_generic_place_id(met_generic *g);
void met_generic_put_id(const met_generic *g);
const char *met_generic_id_holds(const met_generic *g);
const char *met_generic_id_offset(const met_generic *g);
void met_generic_put_read(met_generic *g);
void met_generic_put_pick(met_generic *g);
void met_generic_put_scan(met_generic *g);
/* A formula over a0, a1, … and the counters. */
const char *met_generic_formula(met_generic *g, const met_scalar *e);

#endif
