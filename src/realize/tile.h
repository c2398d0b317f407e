/* Tile programs: kernels with contractions, streams and rows, as one function over units of work. A unit is a point of the
 * outer loops, a block of rows and, where the kernel allows it, a block of columns. Within it every value is one number a
 * row or a tile of rows by columns; streamed columns come slice by slice.
 *
 *   tile_roles.c   what each loop is, and which loops are one
 *   tile_plan.c    how each value and step works, or why there is no tile program
 *   tile_work.c    the order of work: lists of rounds, one a phase and pass; what is kept in scratch
 *   tile_choose.c  sizes of blocks and slices
 *   tile_write.c   the function: units, passes, slices
 *   tile_rows.c    rounds over rows: maps and folds on lanes
 *   tile_nest.c    one nest on lanes within such a round
 *   tile_contract.c  contractions and the packing of their operands
 *
 * Nothing here knows an op: only loops, phases, primitives, guards and formats. */
#ifndef MET_REALIZE_TILE_H
#define MET_REALIZE_TILE_H

#include "derive/kernel.h"
#include "ir/primitive.h"
#include "realize/draft.h"

typedef enum met_role { MET_ROLE_OUTER, MET_ROLE_ROW, MET_ROLE_COLUMN } met_role;

typedef enum met_tile_kind { MET_TILE_MAP, MET_TILE_FOLD, MET_TILE_CONTRACT } met_tile_kind;

/* Where an operand of a contraction is: a tile in scratch; where it lies in memory; a copy in scratch; panels that are
 * packed once. */
typedef enum met_tile_from { MET_FROM_TILE, MET_FROM_MEMORY, MET_FROM_COPY, MET_FROM_PANELS } met_tile_from;

typedef struct met_tile_step {
    met_tile_kind kind;
    met_primitive form;
    uint32_t column; /* the loop that a map runs over; the one that is folded (k). MET_NONE: rows alone */
    uint32_t lanes;  /* CONTRACT: the loop of the result's columns, or MET_NONE */
    uint32_t row_operand, lane_operand; /* CONTRACT: numbers of the inputs */
    met_tile_from rows_from, lanes_from;
    const char *panels; /* the array of the panels that are packed once */
    bool dot;   /* by the bf16 dot product: both operands are words, pairs of bf16 */
    bool words; /* the panels hold words */
    uint32_t gate;   /* FOLD, CONTRACT: the terms that take part; MET_NONE: all */
} met_tile_step;

typedef struct met_tile_value {
    uint32_t column;  /* its column loop; MET_NONE: one number a row */
    met_site site;    /* in memory: inputs and outputs */
    bool stored;
    met_gating guards; /* of its edge, as lines of the nest */
    uint32_t gate;    /* stored: where its guards hold; MET_NONE: everywhere */
    uint32_t maker;   /* step, or MET_NONE */
    /* tile_work.c: */
    bool kept;        /* in scratch: a tile or an array by row */
    bool reread;      /* of a contraction: as it is finished, not only what the contraction left */
    uint32_t tile;    /* number of the tile that holds it (several values may take turns); MET_NONE */
} met_tile_value;

/* Conditions on a loop's position: row by row an interval. */
typedef struct met_tile_gate {
    uint32_t loop; /* MET_NONE: on the row itself */
    met_conditions conditions;
} met_tile_gate;

/* One piece of work on rows: a step, or the end of one: what a contraction or a fold left is finished, that is rounded to
 * its format and stored. */
typedef struct met_tile_work {
    uint32_t step;
    uint32_t nest; /* work of one number is done in one go over the columns */
    bool finish;
} met_tile_work;

/* A contraction, or a sequence of work that is done row by row. */
typedef struct met_tile_round {
    uint32_t contract; /* step, or MET_NONE */
    MET_VEC(met_tile_work) work;
} met_tile_round;

typedef struct met_tile_list {
    MET_VEC(met_tile_round) rounds;
} met_tile_list;

/* A piece of scratch memory, in floats. */
typedef struct met_tile_buffer {
    const char *name;  /* of its pointer in the text */
    const char *type;  /* float, int64_t or tile_range */
    met_number offset; /* floats from the beginning */
} met_tile_buffer;

/* A tile: rows of `column`'s width. */
typedef struct met_tile_room {
    uint32_t column;
    uint32_t free_after; /* step that last reads what it holds now; MET_NONE: never free */
    bool part;           /* only of the rows that a slice works on at a time */
} met_tile_room;

typedef struct met_tile met_tile;
struct met_tile {
    met_draft *draft;
    met_writer *w;
    met_arena *arena;
    const met_kernel *kernel;
    const met_class *class;
    met_nest *nest;          /* loops of the kernel; collapsed ones have size 1 */
    const char *refusal;
    met_role *role;          /* by loop */
    bool *gone;              /* by loop: collapsed into another */
    uint32_t stream;         /* the streamed loop after collapsing, or MET_NONE */
    uint32_t block;          /* the column loop that units cut, or MET_NONE */
    met_tile_step *steps;
    met_tile_value *values;
    MET_VEC(met_tile_gate) gates;
    bool clipped;            /* all that a slice does is for folds with the same gate: rows and slices without a live
                                position are skipped */
    uint32_t stream_gate;    /* that gate, or the only one on the stream */
    /* work */
    uint32_t pass_count;        /* 0: no stream, all is in the head */
    met_tile_list head;
    met_tile_list *body, *tail; /* by pass */
    MET_VEC(met_tile_room) rooms;
    MET_VEC(met_tile_buffer) buffers;
    /* sizes */
    int64_t row_count, rows, part, slice, columns; /* rows in all; of a tile; of those at a time; of the stream; of a block */
    met_number *width;       /* by column loop: floats from row to row of its tiles */
    int64_t scratch;         /* floats */
};

static inline met_loops met_loop_bit(uint32_t loop)
{
    return (met_loops)1 << loop;
}

static inline const met_node *met_tile_node(const met_tile *tile, uint32_t step)
{
    return &tile->kernel->circuit->nodes[tile->kernel->steps[step].node.id];
}

/* The value that a step makes. */
static inline uint32_t met_tile_output(const met_tile *tile, uint32_t step)
{
    return tile->kernel->steps[step].outs[0];
}

/* --- tile_plan.c --- */

/* NULL with a reason if the kernel has no tile program. */
met_tile *met_tile_plan(met_draft *draft, const met_class *class, const met_kernel *kernel, const char **ret_refusal);
/* Writes it. */
void met_tile_write(met_tile *tile);

/* --- between the files --- */

bool met_tile_refuse(met_tile *tile, const char *reason);
/* Roles of the loops, collapsed where several are one. */
bool met_tile_roles(met_tile *tile);
uint32_t met_tile_gate_of(met_tile *tile, uint32_t loop, const met_conditions *conditions);
void met_tile_order(met_tile *tile);
/* Whether a step folds over the stream. */
bool met_tile_streams(const met_tile *tile, uint32_t step);
/* The columns that a piece of work runs over; MET_NONE: rows alone. */
uint32_t met_tile_work_column(const met_tile *tile, const met_tile_work *work);
/* The gate that a piece of work needs its nest to have; false if any will do. */
bool met_tile_work_gate(const met_tile *tile, const met_tile_work *work, uint32_t *ret_gate);
/* Sizes of tiles, and scratch for all that is kept. False with a reason if they cannot be counted. */
bool met_tile_choose(met_tile *tile, const met_realize_options *options);
/* What was chosen, for people: "q 96, x 512". */
const char *met_tile_summary(const met_tile *tile);
/* The number that options give a loop; 0 if they give none. */
int64_t met_tiles_given(const char *tiles, const char *loop);
/* Columns of a tile along a loop, at most. */
int64_t met_tile_extent(const met_tile *tile, uint32_t column);
/* Whether the running value of a fold is read before its pass ends. */
bool met_tile_is_running(const met_tile *tile, uint32_t step);
/* Whether a contraction over the stream copies its rows, slice by slice. */
bool met_tile_copies_rows(const met_tile *tile);
/* Whether a contraction packs the panels of a slice block by block, each just before it is used. */
bool met_tile_packs_on_the_way(const met_tile *tile, uint32_t step);
/* Where the operands of contractions are. */
void met_tile_operands(met_tile *tile);

#endif
