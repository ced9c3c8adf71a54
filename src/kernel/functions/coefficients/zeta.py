#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Coefficients of the Euler–Maclaurin corrections: B_2k / (2k)!, with Bernoulli numbers as exact rationals."""

from fractions import Fraction
from math import comb, factorial

N = 13


def main():
    bernoulli = [Fraction(1)]
    for n in range(1, 2 * N + 1):
        bernoulli.append(-sum(comb(n + 1, k) * bernoulli[k] for k in range(n)) / (n + 1))
    for k in range(1, N + 1):
        # Python rounds the quotient of two integers once.
        value = bernoulli[2 * k] / factorial(2 * k)
        print(f'  {(value.numerator / value.denominator).hex()},')


if __name__ == '__main__':
    main()
