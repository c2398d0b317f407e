/* Multiply-adds that flush subnormal numbers, in terms of the lane algebra: the same text for every class of vectors. */

/* As value_flush_fma; lane by lane where a result is 2^-126. */
KERNEL_CALL lane lane_flush_fma_exact(lane a, lane b, lane c)
{
    float x[LANES], y[LANES], z[LANES];
    lane_store(x, a);
    lane_store(y, b);
    lane_store(z, c);
    for (int l = 0; l < LANES; l++)
        z[l] = value_flush_fma(x[l], y[l], z[l]);
    return lane_load(z);
}

KERNEL_FN lane lane_flush_fma(lane a, lane b, lane c)
{
    lane r = lane_fma(lane_flush(a), lane_flush(b), lane_flush(c));
    int near = lane_any(lane_eq(lane_abs(r), lane_set(0x1p-126f)));
    return near ? lane_flush_fma_exact(a, b, c) : lane_flush(r);
}
