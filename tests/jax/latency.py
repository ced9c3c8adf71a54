#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a call of a small program takes, on XLA's CPU and on GHLO; see tests/jax/run.

Both take turns many times in one process, so that other load on the machine slows both alike. Prints medians of rounds,
in µs per call, and the median of the rounds' ratios.
"""

import statistics
import sys
import time

import jax
import numpy as np

N_ROUNDS = 300
N_CALLS = 200


def add(x, y):
    return x + y


def dispatch(function, x, y):
    return function(x, y)


def wait(function, x, y):
    return function(x, y).block_until_ready()


def read(function, x, y):
    return np.asarray(function(x, y))


def make(platform, shape):
    device = jax.devices(platform)[0]
    x, y = (jax.device_put(np.full(shape, i, np.float32), device) for i in (1, 2))
    function = jax.jit(add)
    function(x, y).block_until_ready()
    return function, x, y


def measure(way, arguments, n_calls):
    start = time.perf_counter()
    for _ in range(n_calls):
        last = way(*arguments)
    end = time.perf_counter()
    jax.block_until_ready(last)
    return (end - start) / n_calls * 1e6


def main():
    for shape, n_calls in ((8,), N_CALLS), ((1 << 16,), 20), ((1 << 20,), 2):
        sides = [make(platform, shape) for platform in ('cpu', 'ghlo')]
        for way in dispatch, wait, read:
            rounds = [[measure(way, side, n_calls) for side in sides] for _ in range(N_ROUNDS)]
            theirs, ours = (statistics.median(column) for column in zip(*rounds))
            ratio = statistics.median(b / a for a, b in rounds)
            print(f"# add of {shape[0]} floats, {way.__name__}: XLA's CPU {theirs:.2f} µs, GHLO {ours:.2f} µs, "
                  f'ratio {ratio:.2f}', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
