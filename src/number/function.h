/* Functions of float by polynomials, for the point `pow2`: e^x, tanh and erf as sequences of single float operations
 * without branches, so that a lane vector does to 16 values what this file does to one, bit for bit. Every `·`, `+`, `−`, `/`
 * below is one operation rounded to nearest even, fma one as well; |x|, comparison, choice, rint, copying a sign and 2^n
 * are exact. A comparison with a NaN is false, so that a NaN goes through to the result.
 *
 * exp2p is the polynomial of number/exp2.h; scale(p, n) is p·2^n rounded once (met_ldexpf). Polynomials are evaluated by
 * Horner's rule, one fma for each coefficient below the highest. The coefficients come from tools/function_poly.py (least
 * largest relative error of the result, then fitted to floats); the errors stated are the largest over every float, in ulps
 * of the exact value (tests/slow/function_all.c). */
#ifndef MET_NUMBER_FUNCTION_H
#define MET_NUMBER_FUNCTION_H

/* log2(e), rounded, and what is missing from it. */
#define MET_LOG2E_HIGH 0x1.715476p+0f
#define MET_LOG2E_LOW 0x1.4ae0cp-26f

/* e^x:
 *   tiny = x < −104                            (e^−104 is less than half the least subnormal)
 *   y = x > 89 ? 89 : x;   y = tiny ? 0 : y     (so what is tiny raises no flag)
 *   n = rint(y·HIGH);   f = fma(y, HIGH, −n);   f = fma(y, LOW, f)
 *   e^x = tiny ? 0 : scale(exp2p(f), n)
 * +inf gives infinity, −inf gives 0; results below 2^-126 are rounded once, as subnormals. */
#define MET_EXPP_LOW (-104.0f)
#define MET_EXPP_HIGH 89.0f
#define MET_EXPP_ULPS 1.02
float met_expp(float x);

/* tanh x, with a = |x|:
 *   t = a·a;   small = fma(a·t, poly(small, t), a)                  (tanh a = a + a·t·P(t))
 *   b = a > 10 ? 10 : a;   z = b + b;   e = e^z as above, from n = rint(z·HIGH) on
 *   large = 1 − 2/(e + 1)
 *   tanh x = the sign of x on (a < 0.55 ? small : large) */
#define MET_TANHP_SPLIT 0.55f
#define MET_TANHP_HIGH 10.0f
#define MET_TANHP_DEGREE 4
extern const float met_tanhp_small[MET_TANHP_DEGREE + 1]; /* lowest first */
#define MET_TANHP_ULPS 1.62
float met_tanhp(float x);

/* erf x, with a = |x|:
 *   t = a·a;   small = fma(poly(small, t), a, a)                    (erf a = a + a·Q(t))
 *   b = a > 4 ? 4 : a;   u = poly(large, b)                         (erfc b = 2^−u)
 *   n = rint(−u);   f = (−u) − n;   large = 1 − scale(exp2p(f), n)
 *   erf x = the sign of x on (a < 1 ? small : large) */
#define MET_ERFP_SPLIT 1.0f
#define MET_ERFP_HIGH 4.0f
#define MET_ERFP_DEGREE 6
extern const float met_erfp_small[MET_ERFP_DEGREE + 1];
extern const float met_erfp_large[MET_ERFP_DEGREE + 1];
#define MET_ERFP_ULPS 1.12
float met_erfp(float x);

#endif
