#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long large programs take to compile, on XLA's CPU and on GHLO; see tests/jax/run.

Each program is traced and lowered before the clock starts. GHLO_CACHE=off leaves out what GHLO keeps on disk.
"""

import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

N_OPERATIONS = 6000
N_TIMES = 3
CONSTANT_BYTES = 64 << 20


def chain(x):
    for i in range(N_OPERATIONS // 2):
        x = jnp.sin(x) + np.float32(i)
    return x


def constant(x):
    data = np.random.default_rng(0).random(CONSTANT_BYTES // 4, dtype=np.float32)
    return x + data


class Stopwatch:
    """What elapses, and what of it processors are at work for this process: machines have other work."""

    def __init__(self):
        self.begin = time.perf_counter(), time.process_time()

    def read(self):
        return time.perf_counter() - self.begin[0], time.process_time() - self.begin[1]


def compile_chain(device):
    """Without a run."""
    x = jax.device_put(np.ones(8, np.float32), device)
    lowered = jax.jit(chain).lower(x)
    watch = Stopwatch()
    lowered.compile()
    return watch.read()


def compile_constant(device):
    """With its run."""
    x = jax.device_put(np.ones(CONSTANT_BYTES // 4, np.float32), device)
    lowered = jax.jit(constant).lower(x)
    watch = Stopwatch()
    lowered.compile()(x).block_until_ready()
    return watch.read()


def main():
    measures = {f'{N_OPERATIONS} operations': compile_chain, 'a 64 MB constant, and its run': compile_constant}
    for name, measure in measures.items():
        figures = {'ghlo': [], 'cpu': []}
        for _ in range(N_TIMES):
            for platform, times in figures.items():
                jax.clear_caches()
                times.append(measure(jax.devices(platform)[0]))
        for platform, times in figures.items():
            elapsed, worked = (statistics.median(column) for column in zip(*times))
            print(f'# {name}, {platform}: {elapsed:.3f} s, of processors {worked:.3f} s', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
