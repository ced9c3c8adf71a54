#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random programs of several devices, compiled by XLA's CPU and by GHLO; see tests/jax/run.

The outputs' shardings, which follow from those of the inputs, must equal XLA's. Nothing runs: only output shardings are
compared. A program that differs is printed with its seed, from which --programs=1 generates it again.
"""

import argparse
import math
import os
import random
import sys

N = 8
os.environ['JAX_NUM_CPU_DEVICES'] = str(N)
os.environ['JAX_PJRT_CLIENT_CREATE_OPTIONS'] = f'devices:{N};device:{os.environ.get("GHLO_DEVICE", "cpu")}'

import jax    # pylint: disable=wrong-import-position
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

SIZE = 8
INPUTS = [(SIZE, SIZE), (SIZE,), (2 * SIZE, SIZE, 4)]
MESHES = [((8,), 'x'), ((4, 2), 'xy'), ((2, 4), 'xy'), ((2, 2, 2), 'xyz')]
MAX_RANK = 4


def turn(value):
    return jnp.cos(value) * 2


class Maker:
    """Draws steps, each of which makes a value of one or two of those before it, whose shapes it knows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.shapes = list(INPUTS)
        self.steps = []

    def pick(self, sequence):
        return self.random.choice(list(sequence))

    def add(self, text, function, *values):
        shape = jax.eval_shape(function, *(jax.ShapeDtypeStruct(self.shapes[i], np.float32) for i in values)).shape
        if 0 < len(shape) <= MAX_RANK and math.prod(shape) > 0:
            self.shapes.append(shape)
            self.steps.append((f'{text} of {values}', function, values))

    def transpose(self, value, shape):
        order = self.random.sample(range(len(shape)), len(shape))
        self.add(f'transpose {order}', lambda a: a.transpose(order), value)

    def reduce(self, value, shape):
        axis = self.pick(range(len(shape)))
        self.add(f'sum over {axis}', lambda a: a.sum(axis), value)

    def reshape(self, value, shape):
        rest, sizes = math.prod(shape), []
        while rest > 1 and len(sizes) < MAX_RANK - 1:
            sizes.append(self.pick(size for size in (2, 3, 4, 8, 16, rest) if rest % size == 0))
            rest //= sizes[-1]
        sizes += [rest] if rest > 1 else []
        self.random.shuffle(sizes)
        self.add(f'reshape to {sizes}', lambda a: a.reshape(sizes), value)

    def broadcast(self, value, shape):
        shape = (self.pick([1, 2, 3, SIZE]), *shape)
        self.add(f'broadcast to {shape}', lambda a: jnp.broadcast_to(a, shape), value)

    def concatenate(self, value, shape):
        other = self.pick(i for i, another in enumerate(self.shapes) if another == shape)
        axis = self.pick(range(len(shape)))
        self.add(f'concatenate along {axis}', lambda a, b: jnp.concatenate([a, b], axis), value, other)

    def slice(self, value, shape):
        axis = self.pick(range(len(shape)))
        size = max(1, shape[axis] // self.pick([1, 2, 3]))
        self.add(f'{size} along {axis}', lambda a: lax.slice_in_dim(a, 0, size, axis=axis), value)

    def pad(self, value, shape):
        axis = self.pick(range(len(shape)))
        widths = [(4, 4) if i == axis else (0, 0) for i in range(len(shape))]
        self.add(f'pad along {axis}', lambda a: jnp.pad(a, widths), value)

    def dot(self, value, shape):
        pairs = [(other, i, j) for other, another in enumerate(self.shapes)
                 for i, size in enumerate(shape) for j, also in enumerate(another) if size == also]
        other, i, j = self.pick(pairs)
        numbers = (((i,), (j,)), ((), ()))
        self.add(f'product over {i} and {j}', lambda a, b: lax.dot_general(a, b, numbers), value, other)

    def sort(self, value, shape):
        axis = self.pick(range(len(shape)))
        self.add(f'sort along {axis}', lambda a: jnp.sort(a, axis), value)

    def elementwise(self, value, shape):
        other = self.pick(i for i, another in enumerate(self.shapes) if another == shape)
        self.add('sum', lambda a, b: jnp.sin(a) + b, value, other)

    def constant(self, value, shape):
        self.add('ones and the sum', lambda a: jnp.ones(shape) + a, value)

    def call(self, value, _):
        self.add('a call', jax.jit(turn), value)

    def loop(self, value, _):
        self.add('a loop', lambda a: lax.fori_loop(0, 2, lambda _, carried: carried * 2 + a, a), value)

    def make(self):
        kinds = [self.transpose, self.reduce, self.reshape, self.broadcast, self.concatenate, self.slice, self.pad,
                 self.dot, self.dot, self.dot, self.sort, self.elementwise, self.constant, self.call, self.loop]
        for _ in range(self.random.randrange(2, 9)):
            value = self.pick(range(len(self.shapes)))
            self.pick(kinds)(value, self.shapes[value])
        return self.steps

    def place(self, shape, mesh):
        """A spec that has the tensor in equal parts."""
        while True:
            axes = [[] for _ in shape]
            for name in self.random.sample(mesh[1], len(mesh[1])):
                self.pick([*axes, []]).append(name)
            sizes = [math.prod(mesh[0][mesh[1].index(name)] for name in names) for names in axes]
            if all(size % parts == 0 for size, parts in zip(shape, sizes)):
                return P(*(tuple(names) or None for names in axes))


def run(steps, *inputs):
    values = list(inputs)
    for _, function, operands in steps:
        values.append(function(*(values[i] for i in operands)))
    return values[len(inputs):]


def compile_on(platform, steps, mesh, specs):
    """By output: the part of it that each device has, and the sharding."""
    grid = Mesh(np.array(jax.devices(platform)[:N]).reshape(mesh[0]), tuple(mesh[1]))
    arguments = [jax.ShapeDtypeStruct(shape, np.float32, sharding=NamedSharding(grid, spec))
                 for shape, spec in zip(INPUTS, specs)]
    lowered = jax.jit(lambda *inputs: run(steps, *inputs)).lower(*arguments)
    return [({device.id: part for device, part in sharding.devices_indices_map(output.shape).items()}, sharding)
            for output, sharding in zip(lowered.out_info, lowered.compile().output_shardings)]


def check(seed):
    """What is wrong with the program of a seed, or None."""
    maker = Maker(seed)
    steps = maker.make()
    mesh = maker.pick(MESHES)
    specs = [maker.place(shape, mesh) for shape in INPUTS]
    if not steps:
        return None
    for step, theirs, ours in zip(steps, *(compile_on(name, steps, mesh, specs) for name in ('cpu', 'ghlo'))):
        if theirs[0] != ours[0]:
            return (f'seed {seed}: mesh {mesh}, inputs {specs}, steps {[text for text, *_ in steps]}: {step[0]} is '
                    f'{theirs[1].spec} by XLA, {ours[1]} here')
    return None


def main():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--programs', type=int, default=100)
    options = parser.parse_known_args()[0]
    problems = list(filter(None, map(check, range(options.seed, options.seed + options.programs))))
    for problem in problems:
        print(f'# {problem}')
    print(f'# {options.programs - len(problems)} of {options.programs} programs lie as XLA has them')
    print(f'{"not ok" if problems else "ok"} 1 shardings\n1..1')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
