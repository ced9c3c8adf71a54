#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of numbers of bf16 that round to the right number of bf16, by linear programs (SciPy, mpmath): as far from
the middles between these as it goes, relatively to the result. That margin is printed; what is computed with the
coefficients has to be more exact.

tanh x = x p (x²) / q (x²), and the logistic function by 2^f = p (f), where e^-|x| = 2^n 2^f."""

import mpmath
import numpy
from scipy.optimize import linprog

SCALE = 2.0 ** 16   # what lies between a number and a middle becomes about 1


def numbers(end):
    """Numbers of bf16 up to the one of the bits end; less than these are all the same."""
    return (numpy.arange(0x3000, end + 1, dtype=numpy.uint32) << 16).view(numpy.float32).astype(float)


def rounding_interval(y):
    """The middles below and above the number of bf16 that y in (0, 1) rounds to."""
    exponent = max(mpmath.frexp(y)[1] - 8, -133)
    unit = mpmath.ldexp(1, exponent)
    k = int(mpmath.nint(y / unit))
    below = 0.25 if k == 128 and exponent > -133 else 0.5
    above = 1 if k == 256 else 0.5
    return max((k - below) * unit, mpmath.mpf(0)), (k + above) * unit


def solve(rows, low, high):
    """The c with the greatest m for which rows[0] c + m <= low and rows[1] c + m <= high."""
    table = numpy.vstack([numpy.hstack([part, numpy.ones((len(part), 1))]) for part in rows])
    found = linprog([0] * (table.shape[1] - 1) + [-1], A_ub=table, b_ub=numpy.concatenate([low, high]),
                    bounds=[(None, None)] * table.shape[1], method='highs',
                    options={'primal_feasibility_tolerance': 1e-9}).x
    return found[:-1], found[-1] / SCALE


def show(name, coefficients):
    print(f'  {name}', [float(numpy.float32(c)).hex() for c in coefficients])


def tanh():
    degree = 2
    x = numbers(0x4060)         # 3.5, from where on all round to 1
    y = [mpmath.tanh(value) for value in x]
    low, high = numpy.array([[float(end) for end in rounding_interval(value)] for value in y]).T
    powers = numpy.stack([(x * x / 6) ** k for k in range(degree + 1)], 1)
    q = numpy.full(len(x), 1.0)
    for _ in range(10):
        # Of p, and of q but for q (0) = 1. The divisor's size is that of the last round.
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
    """What f is of -size, and for either sign what 2^f is and may be, and how much of its error a result has."""
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
