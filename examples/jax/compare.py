# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains a model on GHLO and on JAX's own CPU, and sets losses and times beside each other."""

import argparse
import time

import jax
import numpy as np


def train(device, make, n_steps):
    """The losses of n_steps steps on a device, and the median time that one took."""
    losses, times = [], []
    with jax.default_device(device):
        step, state, batches = make()
        for _ in range(n_steps):
            start = time.perf_counter()
            state, loss = step(state, next(batches))
            losses.append(float(loss))
            times.append(time.perf_counter() - start)
    # Compiling is not training.
    return np.array(losses), np.median(times[2:])


def compare(name, make, n_steps):
    """make() gives a step, (state, batch) -> (state, loss), the first state, and batches without end."""
    parser = argparse.ArgumentParser(description=f'Trains {name} on GHLO and on the CPU of JAX.')
    parser.add_argument('--steps', type=int, default=n_steps)
    options = parser.parse_args()
    ours, our_time = train(jax.devices('ghlo')[0], make, options.steps)
    theirs, their_time = train(jax.devices('cpu')[0], make, options.steps)
    for i in np.unique(np.linspace(0, options.steps - 1, 6).astype(int)):
        print(f'step {i + 1:4}: loss {ours[i]:.6f} on GHLO, {theirs[i]:.6f} on the CPU of JAX')
    difference = np.max(np.abs(ours - theirs) / theirs)
    print(f'the losses differ by at most {difference:.1e} of themselves')
    print(f'a step takes {1e3 * our_time:.2f} ms, and {1e3 * their_time:.2f} ms on the CPU of JAX')
    if difference > 1e-4 or ours[-1] > ours[0] / 2:
        raise SystemExit('expected the same losses, and that they go down')
