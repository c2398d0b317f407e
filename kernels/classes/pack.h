/* Copies of operands as contractions want them: lanes in panels, rows in rows, as floats. Formats: F32, BF16, F16. Where
 * neither rows nor lanes lie next to each other, values are taken one by one. */
enum { FORMAT_F32, FORMAT_BF16, FORMAT_F16 };

KERNEL_INLINE const void *pack_at(const int format, const void *p, int64_t i)
{
    return format == FORMAT_F32 ? (const void *)((const float *)p + i) : (const void *)((const uint16_t *)p + i);
}

KERNEL_INLINE float pack_value(const int format, const void *p, int64_t i)
{
    return format == FORMAT_F32    ? ((const float *)p)[i]
           : format == FORMAT_BF16 ? value_of_bf16(((const uint16_t *)p)[i])
                                   : value_of_f16(((const uint16_t *)p)[i]);
}

/* The first n of 16 values, +0 after them. */
KERNEL_INLINE lane pack_load(const int format, const void *p, int64_t n)
{
    if (n >= LANES)
        return format == FORMAT_F32 ? lane_load(p) : format == FORMAT_BF16 ? lane_load_bf16(p) : lane_load_f16(p);
    return format == FORMAT_F32    ? lane_load_part(p, n)
           : format == FORMAT_BF16 ? lane_load_bf16_part(p, n)
                                   : lane_load_f16_part(p, n);
}

/* 16 x 16 values of from[k + l * l_step], turned into a panel. */
KERNEL_INLINE void pack_turn(const int format, float *to, const void *from, int64_t l_step)
{
    lane v[LANES];
    float rows[LANES * LANES];
    if (format != FORMAT_F32)
        for (int64_t l = 0; l < LANES; l++)
            lane_store(rows + l * LANES, pack_load(format, pack_at(format, from, l * l_step), LANES));
    if (format == FORMAT_F32)
        lane_load_turned(v, from, l_step * 4);
    else
        lane_load_turned(v, rows, LANES * 4);
#pragma GCC unroll 16
    for (int64_t k = 0; k < LANES; k++)
        lane_store(to + k * TILE_LANES, v[k]);
}

/* Up to 16 x 16 values of from[k * k_step + l * l_step], one by one: all 16 lanes, zero where there is no value. */
KERNEL_INLINE void pack_block(const int format, float *to, const void *from, int64_t k_step, int64_t l_step,
                              int64_t lanes, int64_t depth)
{
    for (int64_t k = 0; k < depth && k < LANES; k++)
        for (int64_t l = 0; l < LANES; l++)
            to[k * TILE_LANES + l] = l < lanes ? pack_value(format, from, k * k_step + l * l_step) : 0;
}

/* One panel, up to TILE_LANES lanes; what is left of the last 16 becomes zero. */
KERNEL_INLINE void pack_panel(const int format, float *to, const void *from, int64_t k_step, int64_t l_step,
                              int64_t depth, int64_t lanes)
{
    if (l_step == 1 && lanes == TILE_LANES) {
        for (int64_t k = 0; k < depth; k++)
#pragma GCC unroll 4
            for (int64_t l = 0; l < TILE_LANES; l += LANES)
                lane_store(to + k * TILE_LANES + l, pack_load(format, pack_at(format, from, k * k_step + l), LANES));
        return;
    }
    if (l_step == 1) {
        for (int64_t k = 0; k < depth; k++)
            for (int64_t l = 0; l < lanes; l += LANES)
                lane_store(to + k * TILE_LANES + l, pack_load(format, pack_at(format, from, k * k_step + l),
                           lanes - l));
        return;
    }
    for (int64_t l = 0; l < lanes; l += LANES)
        for (int64_t k = 0; k < depth; k += LANES) {
            const void *block = pack_at(format, from, l * l_step + k * k_step);
            float *turned = to + k * TILE_LANES + l;
            if (k_step == 1 && lanes - l >= LANES && depth - k >= LANES)
                pack_turn(format, turned, block, l_step);
            else
                pack_block(format, turned, block, k_step, l_step, lanes - l, depth - k);
        }
}

/* Panels of TILE_LANES lanes, `panel` apart, of from[k * k_step + l * l_step]. */
KERNEL_INLINE void pack_panels(const int format, float *to, int64_t panel, const void *from, int64_t k_step,
                               int64_t l_step, int64_t depth, int64_t lanes)
{
    for (int64_t l = 0; l < lanes; l += TILE_LANES)
        pack_panel(format, to + l / TILE_LANES * panel, pack_at(format, from, l * l_step), k_step, l_step, depth,
                   lanes - l < TILE_LANES ? lanes - l : TILE_LANES);
}

/* A lane operand where it lies: from[k * k_step + l * l_step]. */
typedef struct pack_source { const void *at; int64_t k_step, l_step; } pack_source;

/* Whether floats are read as they lie, `rows` times: as near as in a panel, or too seldom for packing to pay. */
KERNEL_INLINE int pack_in_place(const int format, pack_source b, int64_t lanes, int64_t rows)
{
    const int near = b.k_step <= 128 || rows <= 2 * TILE_ROWS;
    return format == FORMAT_F32 && b.l_step == 1 && lanes % LANES == 0 && near;
}

/* As tile_contract, each block of b packed just before it is used, so that it is still in the nearest cache; `room`:
 * TILE_LANES * TILE_DEPTH floats. parts: as in tile_contract_parts, or NULL. */
KERNEL_INLINE void pack_contract(const int format, int64_t rows, int64_t lanes, int64_t depth, const float *a,
                                 int64_t a_row, pack_source b, float *c, int64_t c_row, int fresh,
                                 const tile_range *live, const tile_range *parts, float *room)
{
    const int in_place = pack_in_place(format, b, lanes, rows);
    for (int64_t i = 0; i < tile_blocks(lanes, depth); i++) {
        const tile_block at = tile_block_at(i, rows, lanes, depth);
        const void *block = pack_at(format, b.at, at.k * b.k_step + at.lane * b.l_step);
        const float *panel = in_place ? block : room;
        const int64_t step = in_place ? b.k_step : TILE_LANES;
        if ((live && !tile_meets(live, rows, at.lane, at.lane + TILE_LANES)) ||
            (parts && !tile_meets(parts, rows, at.k, at.k + at.steps)))
            continue;
        if (!in_place)
            pack_panel(format, room, block, b.k_step, b.l_step, at.steps, tile_least(lanes - at.lane, TILE_LANES));
        if (parts)
            tile_column_parts(at, rows, lanes, a, a_row, panel, step, c, c_row, parts);
        else
            tile_column(at, rows, lanes, a, a_row, panel, step, c, c_row, fresh, live);
    }
}

/* Rows of floats, to_row apart: to[r * to_row + k] of from[at[r] + k * k_step]. */
KERNEL_INLINE void pack_rows(const int format, float *to, int64_t to_row, const void *from, const int64_t *at,
                             int64_t k_step, int64_t rows, int64_t depth)
{
    for (int64_t r = 0; r < rows; r++) {
        const void *source = pack_at(format, from, at[r]);
        if (k_step == 1)
            for (int64_t k = 0; k < depth; k += LANES)
                lane_store_part(to + r * to_row + k, pack_load(format, pack_at(format, source, k), depth - k),
                                depth - k);
        else
            for (int64_t k = 0; k < depth; k++)
                to[r * to_row + k] = pack_value(format, source, k * k_step);
    }
}
