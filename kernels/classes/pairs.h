/* Contractions whose lane operand stays packed as bf16: elements k and k + 1, k even, of a lane are one word, the even one
 * low; a missing last one is +0. Two numerics points: with floats (each element one fma, as in tile.h), and with pairs (the
 * bf16 dot product of words of both operands). Panels are TILE_LANES words wide and `panel` words apart; depth counts
 * elements; k begins at an even one. */
typedef struct tile_pairs { const uint32_t *at; int64_t panel; } tile_pairs;

/* The elements `odd` of the words in `row` times those of the rows of a. */
KERNEL_INLINE void pairs_step(const int rows, const int vectors, const int odd, const lane_pairs *row, const float *a,
                              int64_t a_row, lane sum[TILE_ROWS][TILE_VECTORS])
{
    lane b[TILE_VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
        b[v] = odd ? lane_pairs_odd(row[v]) : lane_pairs_even(row[v]);
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++) {
        lane x = lane_set(a[r * a_row + odd]);
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = lane_fma(x, b[v], sum[r][v]);
    }
}

/* a: floats, or words if `dot`; a_row counts them. */
KERNEL_INLINE void pairs_body(const int dot, const int rows, const int vectors, int64_t depth, const void *a,
                              int64_t a_row, const uint32_t *b, float *c, int64_t c_row, int fresh)
{
    const float *floats = a;
    const uint32_t *words = a;
    lane sum[TILE_ROWS][TILE_VECTORS];
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            sum[r][v] = fresh ? lane_set(0) : lane_load(c + r * c_row + v * LANES);
    for (int64_t k = 0; k < depth; k += 2, b += TILE_LANES) {
        lane_pairs row[TILE_VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++) {
            row[v] = lane_pairs_load(b + v * LANES);
            if (!dot)
                __builtin_prefetch(b + v * LANES + TILE_AHEAD);
        }
        if (dot) {
#pragma GCC unroll 6
            for (int r = 0; r < rows; r++) {
                lane_pairs x = lane_pairs_set(words[r * a_row + k / 2]);
#pragma GCC unroll 4
                for (int v = 0; v < vectors; v++)
                    sum[r][v] = lane_dot_pairs(sum[r][v], x, row[v]);
            }
            continue;
        }
        pairs_step(rows, vectors, 0, row, floats + k, a_row, sum);
        if (k + 1 < depth)
            pairs_step(rows, vectors, 1, row, floats + k, a_row, sum);
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            lane_store(c + r * c_row + v * LANES, sum[r][v]);
}

KERNEL_INLINE void pairs_rows(const int dot, const int vectors, int64_t rows, int64_t depth, const void *a,
                              int64_t a_row, const uint32_t *b, float *c, int64_t c_row, int fresh)
{
    switch (rows) {
    case 1: pairs_body(dot, 1, vectors, depth, a, a_row, b, c, c_row, fresh); break;
    case 2: pairs_body(dot, 2, vectors, depth, a, a_row, b, c, c_row, fresh); break;
    case 3: pairs_body(dot, TILE_ROWS < 3 ? 1 : 3, vectors, depth, a, a_row, b, c, c_row, fresh); break;
    case 4: pairs_body(dot, TILE_ROWS < 4 ? 1 : 4, vectors, depth, a, a_row, b, c, c_row, fresh); break;
    case 5: pairs_body(dot, TILE_ROWS < 5 ? 1 : 5, vectors, depth, a, a_row, b, c, c_row, fresh); break;
    case 6: pairs_body(dot, TILE_ROWS < 6 ? 1 : 6, vectors, depth, a, a_row, b, c, c_row, fresh); break;
    }
}

KERNEL_INLINE void pairs_tile(const int dot, int64_t rows, int64_t lanes, int64_t depth, const void *a, int64_t a_row,
                              const uint32_t *b, float *c, int64_t c_row, int fresh)
{
    if (TILE_VECTORS == 1 || lanes > TILE_LANES - LANES)
        pairs_rows(dot, TILE_VECTORS, rows, depth, a, a_row, b, c, c_row, fresh);
    else
        for (int64_t l = 0; l < lanes; l += LANES)
            pairs_rows(dot, 1, rows, depth, a, a_row, b + l, c + l, c_row, fresh);
}

/* One register tile, by either point. */
KERNEL_CALL void pairs_tile_floats(int64_t rows, int64_t lanes, int64_t depth, const float *a, int64_t a_row,
                                   const uint32_t *b, float *c, int64_t c_row, int fresh)
{
    pairs_tile(0, rows, lanes, depth, a, a_row, b, c, c_row, fresh);
}

KERNEL_CALL void pairs_tile_dot(int64_t rows, int64_t lanes, int64_t depth, const uint32_t *a, int64_t a_row,
                                const uint32_t *b, float *c, int64_t c_row, int fresh)
{
    pairs_tile(1, rows, lanes, depth, a, a_row, b, c, c_row, fresh);
}

/* A panel of words as one of floats. */
KERNEL_FN void pairs_to_floats(float *to, const uint32_t *from, int64_t depth)
{
    for (int64_t k = 0; k < depth; k += 2, from += TILE_LANES, to += 2 * TILE_LANES)
        for (int64_t l = 0; l < TILE_LANES; l += LANES) {
            lane_pairs words = lane_pairs_load(from + l);
            lane_store(to + l, lane_pairs_even(words));
            if (k + 1 < depth)
                lane_store(to + TILE_LANES + l, lane_pairs_odd(words));
        }
}

/* c (+)= a·b in floats. `room`: TILE_LANES * TILE_DEPTH floats, in which blocks of b are converted once for many rows. */
KERNEL_FN void pairs_contract(int64_t rows, int64_t lanes, int64_t depth, const float *a, int64_t a_row, tile_pairs b,
                              float *c, int64_t c_row, int fresh, float *room)
{
    const int once = rows > 2 * TILE_ROWS;
    for (int64_t i = 0; i < tile_blocks(lanes, depth); i++) {
        const tile_block at = tile_block_at(i, rows, lanes, depth);
        const uint32_t *panel = b.at + at.lane / TILE_LANES * b.panel + at.k / 2 * TILE_LANES;
        if (once)
            pairs_to_floats(room, panel, at.steps);
        for (int64_t r = 0, share; r < rows; r += share) {
            share = tile_share(rows - r);
            const float *from = a + r * a_row + at.k;
            float *to = c + r * c_row + at.lane;
            if (once)
                tile(share, lanes - at.lane, at.steps, from, a_row, room, TILE_LANES, to, c_row, fresh && at.k == 0, 0);
            else
                pairs_tile_floats(share, lanes - at.lane, at.steps, from, a_row, panel, to, c_row, fresh && at.k == 0);
        }
    }
}

/* c (+)= a·b by dot products of pairs; rows of a are words. */
KERNEL_FN void pairs_contract_dot(int64_t rows, int64_t lanes, int64_t depth, const uint32_t *a, int64_t a_row,
                                  tile_pairs b, float *c, int64_t c_row, int fresh)
{
    for (int64_t i = 0; i < tile_blocks(lanes, depth); i++) {
        const tile_block at = tile_block_at(i, rows, lanes, depth);
        const uint32_t *panel = b.at + at.lane / TILE_LANES * b.panel + at.k / 2 * TILE_LANES;
        for (int64_t r = 0, share; r < rows; r += share) {
            share = tile_share(rows - r);
            pairs_tile_dot(share, lanes - at.lane, at.steps, a + r * a_row + at.k / 2, a_row, panel,
                           c + r * c_row + at.lane, c_row, fresh && at.k == 0);
        }
    }
}

/* Elements k and k + 1 of a row, `k_step` apart. */
KERNEL_FN uint32_t pairs_word(const uint16_t *from, int64_t k_step, int64_t k, int64_t depth)
{
    return from[k * k_step] | (k + 1 < depth ? (uint32_t)from[(k + 1) * k_step] << 16 : 0);
}

/* One panel, up to TILE_LANES lanes; what is left of the last 16 becomes zero. */
KERNEL_FN void pairs_panel(uint32_t *to, const uint16_t *from, int64_t k_step, int64_t l_step, int64_t depth,
                           int64_t lanes)
{
    for (int64_t k = 0; k < depth; k += 2)
        for (int64_t l = 0; l < lanes; l += LANES) {
            uint32_t *words = to + k / 2 * TILE_LANES + l;
            const uint16_t *at = from + l * l_step;
            if (l_step == 1 && lanes - l >= LANES && k + 1 < depth)
                lane_pairs_store(words, lane_pairs_join(at + k * k_step, at + (k + 1) * k_step));
            else
                for (int64_t i = 0; i < LANES; i++)
                    words[i] = l + i < lanes ? pairs_word(at + i * l_step, k_step, k, depth) : 0;
        }
}

/* 16 lanes of 16 words, elements of k next to each other, turned into a panel. */
KERNEL_FN void pairs_turn(uint32_t *to, const uint16_t *from, int64_t l_step)
{
    lane v[LANES];
    lane_load_turned(v, from, l_step * 2);
#pragma GCC unroll 16
    for (int64_t k = 0; k < LANES; k++)
        lane_pairs_store(to + k * TILE_LANES, lane_words(v[k]));
}

/* Panels of words of from[k * k_step + l * l_step]. */
KERNEL_FN void pairs_panels(uint32_t *to, int64_t panel, const uint16_t *from, int64_t k_step, int64_t l_step,
                            int64_t depth, int64_t lanes)
{
    const int64_t turned = k_step == 1 && l_step != 1 ? depth / (2 * LANES) * (2 * LANES) : 0;
    for (int64_t l = 0; l < lanes; l += LANES) {
        uint32_t *column = to + l / TILE_LANES * panel + l % TILE_LANES;
        const int64_t count = tile_least(lanes - l, LANES), begin = count == LANES ? turned : 0;
        for (int64_t k = 0; k < begin; k += 2 * LANES)
            pairs_turn(column + k / 2 * TILE_LANES, from + l * l_step + k, l_step);
        pairs_panel(column + begin / 2 * TILE_LANES, from + l * l_step + begin * k_step, k_step, l_step, depth - begin,
                    count);
    }
}

/* Rows of words, to_row apart: of from[at[r] + k * k_step]. */
KERNEL_FN void pairs_rows_of_bf16(uint32_t *to, int64_t to_row, const uint16_t *from, const int64_t *at,
                                  int64_t k_step, int64_t rows, int64_t depth)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < depth; k += 2)
            to[r * to_row + k / 2] = pairs_word(from + at[r], k_step, k, depth);
}

/* The same of rows of floats that bf16 holds. */
KERNEL_FN void pairs_rows_of_floats(uint32_t *to, int64_t to_row, const float *from, int64_t from_row, int64_t rows,
                                    int64_t depth)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < depth; k += 2) {
            uint32_t odd = k + 1 < depth ? (uint32_t)value_to_bf16(from[r * from_row + k + 1]) << 16 : 0;
            to[r * to_row + k / 2] = value_to_bf16(from[r * from_row + k]) | odd;
        }
}
