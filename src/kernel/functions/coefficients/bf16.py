#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coefficients of functions of bf16 numbers whose results round to the correct bf16 number, found by linear programs
(SciPy, mpmath). They maximize the distance from the midpoints between bf16 numbers, relative to the result. That margin
is printed; the rounding errors of a computation with these coefficients must be smaller.

tanh x = x p (x²) / q (x²), and the logistic function by 2^f = p (f), where e^-|x| = 2^n 2^f."""

import mpmath
import numpy
from scipy.optimize import linprog

SCALE = 2.0 ** 16   # scales the distance between a number and a midpoint to about 1


def numbers(end):
    """The bf16 numbers up to the one with the bits end; all smaller numbers behave alike."""
    return (numpy.arange(0x3000, end + 1, dtype=numpy.uint32) << 16).view(numpy.float32).astype(float)


def rounding_interval(y):
    """The midpoints below and above the bf16 number to which y in (0, 1) rounds."""
    exponent = max(mpmath.frexp(y)[1] - 8, -133)
    unit = mpmath.ldexp(1, exponent)
    k = int(mpmath.nint(y / unit))
    below = 0.25 if k == 128 and exponent > -133 else 0.5
    above = 1 if k == 256 else 0.5
    return max((k - below) * unit, mpmath.mpf(0)), (k + above) * unit


def solve(rows, low, high):
    """Returns c for the greatest m with rows[0] c + m <= low and rows[1] c + m <= high, and m."""
    table = numpy.vstack([numpy.hstack([part, numpy.ones((len(part), 1))]) for part in rows])
    found = linprog([0] * (table.shape[1] - 1) + [-1], A_ub=table, b_ub=numpy.concatenate([low, high]),
                    bounds=[(None, None)] * table.shape[1], method='highs',
                    options={'primal_feasibility_tolerance': 1e-9}).x
    return found[:-1], found[-1] / SCALE


def show(name, coefficients):
    print(f'  {name}', [float(numpy.float32(c)).hex() for c in coefficients])


def tanh():
    degree = 2
    x = numbers(0x4060)         # 3.5; all greater numbers round to 1
    y = [mpmath.tanh(value) for value in x]
    low, high = numpy.array([[float(end) for end in rounding_interval(value)] for value in y]).T
    powers = numpy.stack([(x * x / 6) ** k for k in range(degree + 1)], 1)
    q = numpy.full(len(x), 1.0)
    for _ in range(10):
        # The coefficients of p, and those of q except q (0) = 1. The weight uses q of the previous round.
        weight = (SCALE / (numpy.array(y, dtype=float) * q))[:, None]
        p_part, q_part = x[:, None] * powers * weight, powers[:, 1:] * weight
        found, margin = solve([numpy.hstack([-p_part, low[:, None] * q_part]),
                               numpy.hstack([p_part, -high[:, None] * q_part])],
                              -low * weight[:, 0], high * weight[:, 0])
        found = numpy.concatenate([found[:degree + 1], [1], found[degree + 1:]])
        q = powers @ found[degree + 1:]
    scales = 6.0 ** numpy.arange(degree + 1)
    print('tanh', margin)
    show('p', found[:degree + 1] / scales)
    show('q', found[degree + 1:] / scales)


def logistic_rows(size):
    """For each sign: f of -size, the bounds and the value of 2^f, and the share of its error in the result."""
    log2_e = mpmath.mpf(float(numpy.float32(1.4426950408889634)))
    n = int(mpmath.nint(-size * log2_e))
    f, two_n, e = float(numpy.float32(float(-size * log2_e - n))), mpmath.mpf(2) ** n, mpmath.e ** -mpmath.mpf(size)
    low, high = rounding_interval(e / (1 + e))
    yield [f] + [float(value) for value in (low / (1 - low) / two_n, high / (1 - high) / two_n, e / two_n, 1 / (1 + e))]
    low, high = rounding_interval(1 / (1 + e))
    yield [f] + [float(value) for value in ((1 - high) / high / two_n, (1 - low) / low / two_n, e / two_n, e / (1 + e))]


def logistic():
    f, low, high, y, share = numpy.array([row for size in numbers(0x42d0) for row in logistic_rows(size)]).T
    weight = SCALE / y * share
    powers = numpy.stack([f ** k for k in range(5)], 1) * weight[:, None]
    found, margin = solve([-powers, powers], -low * weight, high * weight)
    print('logistic', margin)
    show('p', found)


if __name__ == '__main__':
    mpmath.mp.prec = 200
    tanh()
    logistic()
