/* 2^f for the `pow2` numerics point, and scaling by powers of two.
 *
 * The point takes t = s·log2(e), n = rint(t), p = 2^(t−n) by the polynomial below, and 2^n by multiplication. The
 * polynomial is part of the numbers' meaning: every kernel and the interpreter evaluate these float coefficients in this
 * order with these fused operations, and so get the same bits.
 *
 *   p(f) = fma(f, c1 + f·(c2 + … + f·c6), 1), each step one fmaf
 *
 * The coefficients come from tools/exp2_poly.py (minimax relative error with p(0) = 1, then fitted to floats). */
#ifndef MET_NUMBER_EXP2_H
#define MET_NUMBER_EXP2_H

#define MET_EXP2_DEGREE 6
/* c1 … c6, lowest first. */
extern const float met_exp2_coefficients[MET_EXP2_DEGREE];
/* The largest error of met_exp2_poly over every float in [−1/2, 1/2], in ulps of the exact value. */
#define MET_EXP2_ULPS 0.795

/* f in [−1/2, 1/2]. NaN in, NaN out. */
float met_exp2_poly(float f);

/* x · 2^n, rounded once, to nearest even: right down into the subnormals, and overflowing to infinity. By multiplications
 * only, so that underflow and overflow raise their flags. */
float met_ldexpf(float x, int n);

#endif
