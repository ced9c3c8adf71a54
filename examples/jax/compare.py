# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains a model on GHLO and on JAX's own CPU and compares losses and times. Steps alternate between the two, so that
other load on the machine affects both alike."""

import argparse
import time

import jax
import numpy as np


class Side:
    """The training of a model on one device."""

    def __init__(self, device, make):
        self.device, self.losses, self.times = device, [], []
        with jax.default_device(device):
            self.step, self.state, self.batches = make()

    def train(self):
        """Trains for one step."""
        with jax.default_device(self.device):
            batch = next(self.batches)
            start = time.perf_counter()
            self.state, loss = self.step(self.state, batch)
            self.losses.append(float(loss))
            self.times.append(time.perf_counter() - start)


def compare(name, make, n_steps):
    """make() returns a step (state, batch) -> (state, loss), the initial state, and an endless iterator of batches."""
    parser = argparse.ArgumentParser(description=f'Trains {name} on GHLO and on the CPU of JAX.')
    parser.add_argument('--steps', type=int, default=n_steps)
    options = parser.parse_args()
    sides = [Side(jax.devices(platform)[0], make) for platform in ('ghlo', 'cpu')]
    for _ in range(options.steps):
        for side in sides:
            side.train()
    ours, theirs = (np.array(side.losses) for side in sides)
    for i in np.unique(np.linspace(0, options.steps - 1, 6).astype(int)):
        print(f'step {i + 1:4}: loss {ours[i]:.6f} on GHLO, {theirs[i]:.6f} on the CPU of JAX')
    difference = np.max(np.abs(ours - theirs) / theirs)
    print(f'the losses differ by at most {difference:.1e} of themselves')
    # Without the first two steps, which include compilation.
    our_time, their_time = (np.median(side.times[2:]) for side in sides)
    print(f'a step takes {1e3 * our_time:.2f} ms, and {1e3 * their_time:.2f} ms on the CPU of JAX')
    if difference > 1e-4 or ours[-1] > ours[0] / 2:
        raise SystemExit('expected the same losses, and that they go down')
