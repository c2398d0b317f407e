#!/usr/bin/env python3
"""Derives the coefficients of src/number/exp2.h. Needs mpmath.

2^f on [-1/2, 1/2] is approximated by 1 + c1 f + ... + c6 f^6 with the least largest relative error. The constant is kept
at 1, so that whole powers of two are exact. Remez exchange in 40 digits gives real coefficients; then c1 becomes a float,
the others are fitted again around it, c2 becomes one, and so on: each fit makes up for the roundings before it. Of the
floats around a coefficient the one is taken around which the others fit best.
The error of the polynomial as floats evaluate it is measured elsewhere, over every float (tests/slow/exp2_all.c).
"""
import struct

from mpmath import mp, mpf, lu_solve, matrix, log

mp.dps = 40
DEGREE = 6
GRID = [mpf(i) / 800 for i in range(-400, 401) if i != 0]


def floats_around(value):
    """The float nearest to a positive value (by way of a double: good enough here) and its neighbours."""
    (bits,) = struct.unpack("<I", struct.pack("<f", float(value)))
    return [mpf(struct.unpack("<f", struct.pack("<I", bits + step))[0]) for step in (-1, 0, 1)]


def error(coefficients, f):
    total = mpf(0)
    for c in reversed(coefficients):
        total = (total + c) * f
    return (1 + total) * mpf(2) ** -f - 1


def extrema(coefficients, count):
    """The `count` alternating extrema of the error, on the grid."""
    runs = []
    for f in GRID:
        e = error(coefficients, f)
        if runs and (runs[-1][1] > 0) == (e > 0):
            if abs(e) > abs(runs[-1][1]):
                runs[-1] = (f, e)
        else:
            runs.append((f, e))
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    return [f for f, _ in runs]


def remez(fixed):
    """Best coefficients of the powers above len(fixed)."""
    free = DEGREE - len(fixed)
    points = [mpf(-1) / 2 + mpf(i) / free for i in range(free + 1)]
    points = [f if f != 0 else mpf(1) / 50 for f in points]
    best = None
    for _ in range(12):
        a, b = matrix(free + 1), matrix(free + 1, 1)
        for row, f in enumerate(points):
            for k in range(free):
                a[row, k] = f ** (len(fixed) + 1 + k) * mpf(2) ** -f
            a[row, free] = mpf(-1) ** row
            b[row] = -error(fixed, f)
        solution = lu_solve(a, b)
        coefficients = fixed + [solution[k] for k in range(free)]
        worst = max(abs(error(coefficients, f)) for f in GRID)
        if best is None or worst < best[0]:
            best = (worst, coefficients)
        new = extrema(coefficients, free + 1)
        if len(new) != free + 1 or new == points:
            break
        points = new
    return best


def main():
    fixed = []
    worst, coefficients = remez(fixed)
    print(f"real coefficients: relative error 2^{float(log(worst, 2)):.3f}")
    while len(fixed) < DEGREE:
        choices = [fixed + [c] for c in floats_around(coefficients[len(fixed)])]
        if len(fixed) + 1 < DEGREE:
            fits = [remez(choice) for choice in choices]
        else:
            fits = [(max(abs(error(choice, f)) for f in GRID), choice) for choice in choices]
        (_, coefficients), fixed = min(zip(fits, choices), key=lambda pair: pair[0][0])
    worst = max(abs(error(fixed, f)) for f in GRID)
    print(f"float coefficients: relative error 2^{float(log(worst, 2)):.3f}")
    for power, c in enumerate(fixed, 1):
        print(f"c{power} = {float(c).hex()}f")


if __name__ == "__main__":
    main()
