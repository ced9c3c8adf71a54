#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The corrections of Euler and Maclaurin: Bernoulli numbers over factorials, B_2k / (2k)!, from exact rationals."""

from fractions import Fraction
from math import comb, factorial

N = 13


def main():
    bernoulli = [Fraction(1)]
    for n in range(1, 2 * N + 1):
        bernoulli.append(-sum(comb(n + 1, k) * bernoulli[k] for k in range(n)) / (n + 1))
    for k in range(1, N + 1):
        # The quotient of integers is rounded once.
        value = bernoulli[2 * k] / factorial(2 * k)
        print(f'  {(value.numerator / value.denominator).hex()},')


if __name__ == '__main__':
    main()
