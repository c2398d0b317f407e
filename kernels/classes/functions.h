/* Functions in terms of the lane algebra, the same text for every class: the sequences of single operations that are
 * declared for them, of which values.h has the scalar form. */

/* Horner's rule, coefficients lowest first. */
KERNEL_INLINE lane lane_poly(const float *coefficients, const int degree, lane x)
{
    lane p = lane_set(coefficients[degree]);
#pragma GCC unroll 8
    for (int i = degree - 1; i >= 0; i--)
        p = lane_fma(p, x, lane_set(coefficients[i]));
    return p;
}

KERNEL_FN lane lane_exp2p(lane f)
{
    return lane_poly(value_exp2_terms, 6, f);
}

/* e^y where y·log2(e) is in the range of int. */
KERNEL_FN lane lane_exponential(lane y)
{
    lane n = lane_rint(lane_mul(y, lane_set(VALUE_LOG2E_HIGH)));
    lane f = lane_fma(y, lane_set(VALUE_LOG2E_HIGH), lane_neg(n));
    f = lane_fma(y, lane_set(VALUE_LOG2E_LOW), f);
    return lane_scale(lane_exp2p(f), n);
}

/* e^x, error below 1.02 ulp. */
KERNEL_FN lane lane_expp(lane x)
{
    lane_mask tiny = lane_lt(x, lane_set(-104.0f));
    lane y = lane_select(lane_lt(lane_set(89.0f), x), lane_set(89.0f), x);
    return lane_select(tiny, lane_set(0.0f), lane_exponential(lane_select(tiny, lane_set(0.0f), y)));
}

/* tanh x, error below 1.59 ulp. */
KERNEL_FN lane lane_tanhp(lane x)
{
    lane a = lane_abs(x), t = lane_mul(a, a), one = lane_set(1.0f);
    lane small = lane_fma(lane_mul(a, t), lane_poly(value_tanh_small, 4, t), a);
    lane b = lane_select(lane_lt(lane_set(10.0f), a), lane_set(10.0f), a);
    lane large = lane_sub(one, lane_div(lane_set(2.0f), lane_add(lane_exponential(lane_add(b, b)), one)));
    return lane_copysign(lane_select(lane_lt(a, lane_set(0.55f)), small, large), x);
}

/* erf x, error below 1.12 ulp. */
KERNEL_FN lane lane_erfp(lane x)
{
    lane a = lane_abs(x), small = lane_fma(lane_poly(value_erf_small, 6, lane_mul(a, a)), a, a);
    lane b = lane_select(lane_lt(lane_set(4.0f), a), lane_set(4.0f), a);
    lane u = lane_neg(lane_poly(value_erf_large, 6, b)), n = lane_rint(u);
    lane large = lane_sub(lane_set(1.0f), lane_scale(lane_exp2p(lane_sub(u, n)), n));
    return lane_copysign(lane_select(lane_lt(a, lane_set(1.0f)), small, large), x);
}
