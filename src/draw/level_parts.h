/* Inside of laying out one level: items and lanes in columns. level.c puts the steps together, columns.c assigns columns,
 * order.c the order within them, place.c heights, rows.c wraps and emits the scene. */
#ifndef MET_DRAW_LEVEL_PARTS_H
#define MET_DRAW_LEVEL_PARTS_H

#include "draw/figure.h"

/* Something in a column: an item, or the lane of a wire stack that passes. */
typedef struct met_cell {
    uint32_t item; /* of the level, or MET_NONE: a lane */
    met_figure figure;
    int32_t y;
    uint32_t order;    /* within the column */
    int64_t key;       /* scratch for sorting */
    uint32_t in_base, out_base; /* number of its first wire among all that enter (leave) the column */
} met_cell;

/* A wire stack in the gap behind a column. */
typedef struct met_link {
    uint32_t from, from_port, to, to_port; /* cells and ports */
} met_link;

typedef struct met_column {
    MET_VEC(uint32_t) cells; /* in order from the top */
    MET_VEC(met_link) links; /* to the next column */
    bool fixed;              /* its order is given */
    int32_t width;
    int32_t gap;  /* width of the gap behind it, without `fork` */
    int32_t fork; /* room for dots at the start of that gap */
} met_column;

typedef struct met_draft {
    const met_drafter *d;
    uint32_t block, depth;
    int32_t page;
    met_level level;
    uint32_t *column_of; /* of each item */
    uint32_t column_count;
    met_column *columns;
    MET_VEC(met_cell) cells;
} met_draft;

void met_columns_assign(met_draft *draft, const met_figure *figures);
void met_order_columns(met_draft *draft);
/* Crossings in all gaps, by the present order. */
uint64_t met_order_crossings(const met_draft *draft, met_arena *scratch);
/* Heights for the cells of columns [begin, end), as if there were no others. */
void met_place_cells(met_draft *draft, uint32_t begin, uint32_t end);
/* Numbers the cells and wires of a column from the top. */
void met_order_number(met_draft *draft, uint32_t column);
/* Adds a lane at the end of a column and returns its cell. */
uint32_t met_lane_add(met_draft *draft, met_column *column, uint32_t edge);
void met_rows_emit(met_draft *draft, met_figure *ret_figure);

#endif
