/* What the files that write tile programs share: names of values and places in the text. */
#ifndef MET_REALIZE_TILE_TEXT_H
#define MET_REALIZE_TILE_TEXT_H

#include <string.h>

#include "realize/tile.h"

/* A round of work on rows while it is written: what is inside of the loop over rows. */
typedef struct met_tile_row {
    met_tile *tile;
    int depth;            /* of the lines in the loop */
    uint32_t pass;        /* MET_NONE in the head */
    bool slices;          /* within the loop over slices */
    bool skips;           /* rows without live positions are skipped */
    bool *local;          /* by value: a variable s7 of this row */
    bool *broadcast;      /* by value: a lane variable of this row, in front of the goes over its columns */
    uint32_t gate;        /* whose interval lo and hi are, MET_NONE at first */
    uint32_t gate_count;  /* intervals so far */
    const char *lo, *hi;  /* the interval of `gate` in the text */
} met_tile_row;

/* --- tile_rows.c --- */

/* Column c of a tile in the whole: "s0 + c", "c0 + c" or "c". */
const char *met_tile_column(const met_tile *tile, uint32_t column);
/* How many columns a tile has here. */
const char *met_tile_columns(const met_tile *tile, uint32_t column);
/* Element number of an array at row r and column c. */
const char *met_tile_offset(const met_tile *tile, const met_line *offset, uint32_t column);
/* The same without the loops of `without`; begin: at column c = 0. */
const char *met_tile_begin(const met_tile *tile, const met_line *line, met_loops without, uint32_t column);
/* Where a tile holds row r, column c of a value. */
const char *met_tile_at(const met_tile *tile, uint32_t value);
/* A size as an argument. */
const char *met_tile_size(met_tile *tile, const met_dim *size);
/* A value that is one number a row, as a float; may write a line that declares it. */
const char *met_tile_scalar(met_tile_row *row, uint32_t value);
/* Writes the interval of a gate, lo and hi, if it is not there. */
void met_tile_put_gate(met_tile_row *row, uint32_t gate);
void met_tile_begin_fold(met_tile_row *row, uint32_t step);
void met_tile_end_fold(met_tile_row *row, uint32_t step, uint32_t gate);
void met_tile_put_rows(met_tile *tile, const met_tile_round *round, uint32_t pass, bool slices);
/* Writes `inside` (lines one level deeper) as a loop over rows, all or those of the present part, with the counters that it
 * mentions. */
void met_tile_put_row_loop(met_tile *tile, const char *inside, bool part);
const char *met_tile_monoid_unit(met_monoid monoid);

/* --- tile_nest.c --- */

/* Work of one number: maps and folds on lanes. */
void met_tile_put_nest(met_tile_row *row, uint32_t count, const met_tile_work *work);

/* --- tile_contract.c --- */

/* Before anything else in a unit: copies of operands that do not move with the stream. */
void met_tile_put_operands(met_tile *tile);
/* In a slice, before work on rows: copies of operands that move with the stream. */
void met_tile_put_moving(met_tile *tile, uint32_t step);
void met_tile_put_contraction(met_tile *tile, uint32_t step, bool slices);

#endif
