#!/usr/bin/env python3
"""Derives the coefficients of src/number/function.h. Needs mpmath and numpy.

Each polynomial is fitted so that the largest relative error of the function that it is for is least: weighted least
squares on Chebyshev points, the weights multiplied by the errors until they level out (Lawson's iteration). Then the
lowest coefficient becomes a float, the others are fitted again around it, and so on, so that each fit makes up for the
roundings before it. The errors of the functions as floats evaluate them are measured elsewhere, over every float
(tests/slow/function_all.c).
"""
import mpmath as mp
import numpy as np

mp.mp.dps = 40
POINTS, ROUNDS = 600, 400


def fit(target, weight, points, degree, fixed):
    """Best coefficients above the fixed ones, and the largest weighted error."""
    powers = np.stack([points**k for k in range(len(fixed), degree + 1)], 1)
    scale = np.max(np.abs(powers), 0)
    rest = target - sum(c * points**k for k, c in enumerate(fixed))
    shares = np.ones(len(points)) / len(points)
    best = None
    for _ in range(ROUNDS):
        row = np.sqrt(shares) * weight
        solution = np.linalg.lstsq(powers / scale * row[:, None], rest * row, rcond=None)[0]
        errors = np.abs(weight * (powers / scale @ solution - rest))
        if best is None or errors.max() < best[0]:
            best = errors.max(), list(solution / scale)
        shares = shares * errors
        shares /= shares.sum()
    return best


def derive(name, f, weight, low, high, degree):
    """f on [low, high]; an error of the polynomial times `weight` is a relative error of the function."""
    points = (low + high) / 2 - (high - low) / 2 * np.cos(np.pi * (np.arange(POINTS) + 0.5) / POINTS)
    values = np.array([float(f(mp.mpf(t))) for t in points])
    weights = np.array([float(weight(mp.mpf(t))) for t in points])
    fixed = []
    while len(fixed) <= degree:
        error, free = fit(values, weights, points, degree, fixed)
        fixed.append(float(np.float32(free[0])))
    print(f"{name}: relative error 2^{np.log2(error):.2f}")
    print("   ", ", ".join(c.hex() + "f" for c in fixed))


def main():
    tanh = lambda t: mp.tanh(mp.sqrt(t)) / mp.sqrt(t)
    erf = lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t)
    derive("tanhp small", lambda t: (tanh(t) - 1) / t, lambda t: t / tanh(t), 1e-9, 0.55**2, 4)
    derive("erfp small", lambda t: erf(t) - 1, lambda t: 1 / erf(t), 1e-12, 1.0, 6)
    derive("erfp large", lambda a: -mp.log(mp.erfc(a), 2), lambda a: mp.log(2) * mp.erfc(a) / mp.erf(a), 1.0, 4.0, 6)


if __name__ == "__main__":
    main()
