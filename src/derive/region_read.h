/* Inside of the reader of region texts: statements in one file, formulas in the other. */
#ifndef MET_DERIVE_REGION_READ_H
#define MET_DERIVE_REGION_READ_H

#include "derive/region.h"
#include "lang/parse.h"

typedef struct met_region_reader {
    met_parser parser;
    met_arena *arena;
    MET_VEC(met_region_loop) loops;
    met_loops slots;    /* loops that only selections make: top_k[x -> k] */
    MET_VEC(met_region_value) values;
    met_map *numbers;   /* name → value */
    met_sym target;     /* of the statement that is read */
    uint32_t unnamed;   /* values without a name of their own in this statement */
    bool in_scan;
} met_region_reader;

/* A formula while it is read: its height bounds every recursion over it. NULL e after a diagnostic. */
typedef struct met_region_part {
    const met_scalar *e;
    uint32_t height;
} met_region_part;

/* A sum, difference or comparison; the whole right side of a statement. */
met_region_part met_region_read_formula(met_region_reader *reader);
/* A new value. Its loops follow from e. MET_NONE after a diagnostic. */
uint32_t met_region_define(met_region_reader *reader, met_region_value value);
/* The set that the names between brackets say; the reader stands before the first. False after a diagnostic. */
bool met_region_read_axes(met_region_reader *reader, met_token_kind end, met_loops *ret_loops, const met_dim **ret_slots);

#endif
