/* Contractions on register tiles: c[r][l] += sum over k of a[r][k] * b[k][l], k ascending, each step one fma. How rows,
 * lanes and k are cut shows in no bit, as c goes through memory unrounded. The text before this one says TILE_ROWS,
 * at most 6, TILE_VECTORS, at most 4, and TILE_DEPTH, an even number of k that run in one go.
 *
 * a: rows of floats, a_row apart, k next to each other. b: see tile_panels. c: rows c_row apart; lanes are written up to
 * the next multiple of 16, so that b must have (some) values there. Counts and distances are in values. */
enum { TILE_LANES = TILE_VECTORS * LANES };

/* The lane operand: panels of TILE_LANES lanes, `panel` apart, in which rows are `step` apart. Packed panels of `depth` rows
 * have step TILE_LANES and panel TILE_LANES * depth. A matrix whose lanes lie next to each other, a multiple of 16 of them,
 * is used in place with panel TILE_LANES. */
typedef struct tile_panels { const float *at; int64_t step, panel; } tile_panels;

/* How far ahead of use the lane operand is fetched where memory may hold it, in values. */
enum { TILE_AHEAD = 1024 };

/* A part of the lanes or of k, [lo, hi). */
typedef struct tile_range { int64_t lo, hi; } tile_range;

KERNEL_INLINE void tile_body(const int ahead, const int rows, const int vectors, int64_t depth, const float *a,
                             int64_t a_row, const float *b, int64_t b_step, float *c, int64_t c_row, int fresh)
{
    lane sum[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = fresh ? lane_set(0) : lane_load(c + r * c_row + v * LANES);
    for (int64_t k = 0; k < depth; k++, b += b_step) {
        lane row[TILE_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            row[v] = lane_load(b + v * LANES);
            if (ahead)
                __builtin_prefetch(b + v * LANES + TILE_AHEAD);
        }
#pragma GCC unroll 6
        for (int r = 0; r < rows; r++) {
            lane x = lane_set(a[r * a_row + k]);
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                sum[r][v] = lane_fma(x, row[v], sum[r][v]);
        }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            lane_store(c + r * c_row + v * LANES, sum[r][v]);
}

KERNEL_INLINE void tile_rows(const int ahead, const int vectors, int64_t rows, int64_t depth, const float *a,
                             int64_t a_row, const float *b, int64_t b_step, float *c, int64_t c_row, int fresh)
{
    switch (rows) {
    case 1: tile_body(ahead, 1, vectors, depth, a, a_row, b, b_step, c, c_row, fresh); break;
    case 2: tile_body(ahead, 2, vectors, depth, a, a_row, b, b_step, c, c_row, fresh); break;
    case 3: tile_body(ahead, TILE_ROWS < 3 ? 1 : 3, vectors, depth, a, a_row, b, b_step, c, c_row, fresh); break;
    case 4: tile_body(ahead, TILE_ROWS < 4 ? 1 : 4, vectors, depth, a, a_row, b, b_step, c, c_row, fresh); break;
    case 5: tile_body(ahead, TILE_ROWS < 5 ? 1 : 5, vectors, depth, a, a_row, b, b_step, c, c_row, fresh); break;
    case 6: tile_body(ahead, TILE_ROWS < 6 ? 1 : 6, vectors, depth, a, a_row, b, b_step, c, c_row, fresh); break;
    }
}

/* One register tile: up to TILE_ROWS rows, the lanes of one panel. ahead: it is the first to read this part of b. */
KERNEL_CALL void tile(int64_t rows, int64_t lanes, int64_t depth, const float *a, int64_t a_row, const float *b,
                      int64_t b_step, float *c, int64_t c_row, int fresh, int ahead)
{
    if (TILE_VECTORS > 1 && lanes <= TILE_LANES - LANES)
        for (int64_t l = 0; l < lanes; l += LANES)
            tile_rows(0, 1, rows, depth, a, a_row, b + l, b_step, c + l, c_row, fresh);
    else if (ahead)
        tile_rows(1, TILE_VECTORS, rows, depth, a, a_row, b, b_step, c, c_row, fresh);
    else
        tile_rows(0, TILE_VECTORS, rows, depth, a, a_row, b, b_step, c, c_row, fresh);
}

/* Rows of the next register tile, of all that are left: as equal as they can be. */
KERNEL_FN int64_t tile_share(int64_t rows)
{
    int64_t tiles = (rows + TILE_ROWS - 1) / TILE_ROWS;
    return (rows + tiles - 1) / tiles;
}

KERNEL_FN int64_t tile_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

KERNEL_FN int64_t tile_most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whether any of the rows' ranges meets [lo, hi). */
KERNEL_FN int tile_meets(const tile_range *ranges, int64_t rows, int64_t lo, int64_t hi)
{
    for (int64_t r = 0; r < rows; r++)
        if (tile_most(ranges[r].lo, lo) < tile_least(ranges[r].hi, hi))
            return 1;
    return 0;
}

/* Blocks of a contraction: TILE_DEPTH of k of one panel. Few rows go along each panel, as it lies in memory; with many, a
 * block of all panels comes before the next block, so that their part of a stays near. */
typedef struct tile_block { int64_t lane, k, steps; } tile_block;

KERNEL_FN int64_t tile_blocks(int64_t lanes, int64_t depth)
{
    return (lanes + TILE_LANES - 1) / TILE_LANES * tile_most((depth + TILE_DEPTH - 1) / TILE_DEPTH, 1);
}

KERNEL_FN tile_block tile_block_at(int64_t i, int64_t rows, int64_t lanes, int64_t depth)
{
    const int64_t panels = (lanes + TILE_LANES - 1) / TILE_LANES;
    const int64_t blocks = tile_most((depth + TILE_DEPTH - 1) / TILE_DEPTH, 1);
    const int along = rows <= 2 * TILE_ROWS;
    const int64_t k = (along ? i % blocks : i / panels) * TILE_DEPTH;
    return (tile_block){ (along ? i / blocks : i % panels) * TILE_LANES, k, tile_least(depth - k, TILE_DEPTH) };
}

/* One block, all rows; `panel` is its part of b. */
KERNEL_FN void tile_column(tile_block at, int64_t rows, int64_t lanes, const float *a, int64_t a_row,
                           const float *panel, int64_t b_step, float *c, int64_t c_row, int fresh,
                           const tile_range *live)
{
    for (int64_t r = 0, share; r < rows; r += share) {
        share = tile_share(rows - r);
        if (!live || tile_meets(live + r, share, at.lane, at.lane + TILE_LANES))
            tile(share, lanes - at.lane, at.steps, a + r * a_row + at.k, a_row, panel, b_step,
                 c + r * c_row + at.lane, c_row, fresh && at.k == 0, r == 0);
    }
}

/* The whole contraction. fresh: start from +0, not from c. live: by row, the lanes that matter, or NULL; tiles without
 * any are left as they are, and what is written of others outside of the range does not matter. */
KERNEL_FN void tile_contract(int64_t rows, int64_t lanes, int64_t depth, const float *a, int64_t a_row, tile_panels b,
                             float *c, int64_t c_row, int fresh, const tile_range *live)
{
    for (int64_t i = 0; i < tile_blocks(lanes, depth); i++) {
        const tile_block at = tile_block_at(i, rows, lanes, depth);
        const float *panel = b.at + at.lane / TILE_LANES * b.panel + at.k * b.step;
        tile_column(at, rows, lanes, a, a_row, panel, b.step, c, c_row, fresh, live);
    }
}

/* A register tile whose rows take different parts of a block's k: what they share together, the rest row by row. */
KERNEL_FN void tile_parts(tile_block at, int64_t rows, int64_t lanes, const tile_range *parts, const float *a,
                          int64_t a_row, const float *panel, int64_t b_step, float *c, int64_t c_row)
{
    const int64_t from = at.k, to = at.k + at.steps;
    int64_t lo = from, hi = to;
    for (int64_t r = 0; r < rows; r++) {
        lo = tile_most(lo, parts[r].lo);
        hi = tile_least(hi, parts[r].hi);
    }
    if (lo > hi)
        lo = hi = to; /* nothing in common: all of it comes before */
    for (int64_t r = 0; r < rows; r++) {
        const int64_t k = tile_most(from, parts[r].lo), steps = tile_least(lo, parts[r].hi) - k;
        if (steps > 0)
            tile(1, lanes, steps, a + r * a_row + k, a_row, panel + (k - from) * b_step, b_step, c + r * c_row, c_row,
                 0, 0);
    }
    if (lo < hi)
        tile(rows, lanes, hi - lo, a + lo, a_row, panel + (lo - from) * b_step, b_step, c, c_row, 0, 0);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t k = tile_most(hi, parts[r].lo), steps = tile_least(to, parts[r].hi) - k;
        if (steps > 0)
            tile(1, lanes, steps, a + r * a_row + k, a_row, panel + (k - from) * b_step, b_step, c + r * c_row, c_row,
                 0, 0);
    }
}

/* One block, whose rows take the k that `parts` says, by row; onto c. */
KERNEL_FN void tile_column_parts(tile_block at, int64_t rows, int64_t lanes, const float *a, int64_t a_row,
                                 const float *panel, int64_t b_step, float *c, int64_t c_row, const tile_range *parts)
{
    for (int64_t r = 0, share; r < rows; r += share) {
        share = tile_share(rows - r);
        if (tile_meets(parts + r, share, at.k, at.k + at.steps))
            tile_parts(at, share, lanes - at.lane, parts + r, a + r * a_row, a_row, panel, b_step,
                       c + r * c_row + at.lane, c_row);
    }
}

/* A contraction whose rows take parts of k; onto c. */
KERNEL_FN void tile_contract_parts(int64_t rows, int64_t lanes, int64_t depth, const float *a, int64_t a_row,
                                   tile_panels b, float *c, int64_t c_row, const tile_range *parts)
{
    for (int64_t i = 0; i < tile_blocks(lanes, depth); i++) {
        const tile_block at = tile_block_at(i, rows, lanes, depth);
        const float *panel = b.at + at.lane / TILE_LANES * b.panel + at.k * b.step;
        tile_column_parts(at, rows, lanes, a, a_row, panel, b.step, c, c_row, parts);
    }
}
