#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""tanh x = x p (x²) / q (x²) for numbers x of bf16, so that it rounds to the right number of bf16: by linear programs
(SciPy, mpmath), as far from the middles between these as it goes, which is printed."""

import mpmath
import numpy
from scipy.optimize import linprog

DEGREE = 2
LIMIT = 0x4060      # bits of 3.5: all from there on round to 1
SCALE = 2.0 ** 16   # what lies between a number and a middle becomes about 1


def rounding_interval(y):
    """The middles below and above the number of bf16 that y in [2^-126, 1) rounds to."""
    mantissa, exponent = mpmath.frexp(y)
    k = int(mpmath.nint(mantissa * 256))
    unit = mpmath.ldexp(1, exponent - 8)
    below = 0.25 if k == 128 else 0.5
    above = 1 if k == 256 else 0.5
    return (k - below) * unit, (k + above) * unit


def main():
    mpmath.mp.prec = 120
    # Less than these are all the same.
    x = numpy.arange(0x3000, LIMIT + 1, dtype=numpy.uint32)
    x = (x << 16).view(numpy.float32).astype(float)
    y = [mpmath.tanh(value) for value in x]
    low, high = numpy.array([[float(end) for end in rounding_interval(value)] for value in y]).T
    powers = numpy.stack([(x * x / 6) ** k for k in range(DEGREE + 1)], 1)
    q = numpy.full(len(x), 1.0)
    for _ in range(10):
        # Of p, of q but for q (0) = 1, and of the margin. The divisor's size is that of the last round.
        weight = (SCALE / (numpy.array(y, dtype=float) * q))[:, None]
        p_part = x[:, None] * powers
        one = numpy.ones((len(x), 1))
        above = numpy.hstack([-p_part * weight, low[:, None] * powers[:, 1:] * weight, one])
        below = numpy.hstack([p_part * weight, -high[:, None] * powers[:, 1:] * weight, one])
        found = linprog([0] * (2 * DEGREE + 1) + [-1], A_ub=numpy.vstack([above, below]),
                        b_ub=numpy.concatenate([-low * weight[:, 0], high * weight[:, 0]]),
                        bounds=[(None, None)] * (2 * DEGREE + 2), method='highs').x
        q = powers @ numpy.concatenate([[1], found[DEGREE + 1:-1]])
    scales = 6.0 ** numpy.arange(DEGREE + 1)
    print('p', [float(numpy.float32(c)).hex() for c in found[:DEGREE + 1] / scales])
    print('q', [float(numpy.float32(c)).hex() for c in numpy.concatenate([[1], found[DEGREE + 1:-1]]) / scales])
    print('margin', found[-1] / SCALE)


if __name__ == '__main__':
    main()
