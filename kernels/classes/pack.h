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
#pragma GCC unroll 16
    for (int64_t l = 0; l < LANES; l++)
        v[l] = pack_load(format, pack_at(format, from, l * l_step), LANES);
    lane_transpose(v);
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
    if (l_step == 1) {
        for (int64_t k = 0; k < depth; k++)
            for (int64_t l = 0; l < lanes; l += LANES)
                lane_store(to + k * TILE_LANES + l, pack_load(format, pack_at(format, from, k * k_step + l), lanes - l));
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

/* Rows of floats, to_row apart: to[r * to_row + k] of from[at[r] + k * k_step]. */
KERNEL_INLINE void pack_rows(const int format, float *to, int64_t to_row, const void *from, const int64_t *at,
                             int64_t k_step, int64_t rows, int64_t depth)
{
    for (int64_t r = 0; r < rows; r++) {
        const void *source = pack_at(format, from, at[r]);
        if (k_step == 1)
            for (int64_t k = 0; k < depth; k += LANES)
                lane_store_part(to + r * to_row + k, pack_load(format, pack_at(format, source, k), depth - k), depth - k);
        else
            for (int64_t k = 0; k < depth; k++)
                to[r * to_row + k] = pack_value(format, source, k * k_step);
    }
}
