#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fusion does not change bits without excess precision: random programs of elementwise operations, moves, dynamic
slices and gathers, on complex numbers and floats of 8 to 64 bits, run with fusion and with GHLO_FUSE=0, and checksums
of all outputs are compared. From seed 100 on, programs 171 and 191 have several steps of one operation that differ in
which of their operands are one value.

    fused_bits.py CHECKSUMS [--programs=N] [--seed=S]     (CHECKSUMS is the program beside this script, built)
"""

import os
import random
import subprocess
import sys
import tempfile

from common import Tap
from odd_programs import tensor

FLOATS = ['f32', 'f32', 'f64', 'f16', 'bf16', 'f8E4M3FN', 'f8E5M2', 'f8E4M3FNUZ', 'f8E3M4']
COMPLEX = ['complex<f32>', 'complex<f32>', 'complex<f64>']
BINARY = ['add', 'subtract', 'multiply']
UNARY = ['negate', 'tanh', 'exponential', 'abs', 'sqrt', 'logistic', 'floor', 'sine']
COMPLEX_UNARY = ['negate', 'exponential', 'tanh', 'sqrt', 'sine', 'cosine', 'sign', 'log_plus_one']
PROGRAMS_AT_ONCE = 40


class Program:
    """A program of values of one shape and type, each computed from earlier ones."""

    def __init__(self, draw):
        self.draw = draw
        self.kind = draw.choice(FLOATS + COMPLEX)
        self.shape = [draw.choice([3, 7, 16, 33, 64]) for _ in range(draw.randrange(1, 4))]
        self.lines, self.n = [], 0
        self.values = [self.input(name) for name in ('%a', '%b')]

    def name(self):
        self.n += 1
        return f'%v{self.n}'

    def add(self, text, shape=None, kind=None):
        """@text is the operation after its name, up to its type where that is the value's own."""
        name = self.name()
        self.lines.append(f'{name} = {text}' + (f' : {tensor(self.shape, self.kind)}' if shape is None else ''))
        return name

    def input(self, name):
        f32, own = tensor(self.shape), tensor(self.shape, self.kind)
        return self.add(f'stablehlo.convert {name} : ({f32}) -> {own}', self.shape)

    def any(self):
        return self.draw.choice(self.values[-4:])

    def start(self):
        return self.draw.choice(['%i', '%j', '%k'])

    def make_binary(self):
        return self.add(f'stablehlo.{self.draw.choice(BINARY)} {self.any()}, {self.any()}')

    def make_unary(self):
        if not self.kind.startswith('complex'):
            return self.add(f'stablehlo.{self.draw.choice(UNARY)} {self.any()}')
        return self.add(f'stablehlo.{self.draw.choice(COMPLEX_UNARY if self.kind == COMPLEX[0] else ["negate"])} '
                        f'{self.any()}')

    def make_select(self):
        a, b, predicates = self.any(), self.any(), tensor(self.shape, 'i1')
        own = tensor(self.shape, self.kind)
        which = self.add(f'stablehlo.compare NE, {a}, {b} : ({own}, {own}) -> {predicates}', self.shape)
        return self.add(f'stablehlo.select {which}, {a}, {b} : {predicates}, {own}', self.shape)

    def make_reverse(self):
        return self.add(f'stablehlo.reverse {self.any()}, dims = [{self.draw.randrange(len(self.shape))}]')

    def make_slice(self):
        """Of the value beside itself, from any place on."""
        value, own = self.any(), tensor(self.shape, self.kind)
        double = [*self.shape[:-1], 2 * self.shape[-1]]
        twice = tensor(double, self.kind)
        if self.draw.random() < 0.5:
            wide = self.add(f'stablehlo.concatenate {value}, {self.any()}, dim = {len(double) - 1} : ({own}, {own}) '
                            f'-> {twice}', double)
        else:
            wide = self.add(f'stablehlo.broadcast_in_dim {value}, dims = '
                            f'{list(range(len(double)))} : ({own}) -> {own}', double)
            double, twice = self.shape, own
        starts = ', '.join(self.start() for _ in double)
        return self.add(f'stablehlo.dynamic_slice {wide}, {starts}, sizes = {self.shape} : ({twice}, '
                        f'{", ".join(["tensor<i32>"] * len(double))}) -> {own}', self.shape)

    def make_gather(self):
        """Gathers as many rows as there are, by the indices %g."""
        own, n, rank = tensor(self.shape, self.kind), self.shape[0], len(self.shape)
        return self.add(f'"stablehlo.gather"({self.any()}, %g) <{{dimension_numbers = #stablehlo.gather<offset_dims = '
                        f'{list(range(1, rank))}, collapsed_slice_dims = [0], start_index_map = [0], '
                        f'index_vector_dim = 1>, slice_sizes = array<i64: {", ".join(map(str, [1, *self.shape[1:]]))}>'
                        f'}}> : ({own}, tensor<{n}x1xi32>) -> {own}', self.shape)

    def without_nans(self, value):
        """Replaces NaNs, whose bits are unspecified."""
        predicates, own = tensor(self.shape, 'i1'), tensor(self.shape, self.kind)
        number = '(0.0, 0.0)' if self.kind.startswith('complex') else '0.0'
        which = self.add(f'stablehlo.compare EQ, {value}, {value} : ({own}, {own}) -> {predicates}', self.shape)
        zero = self.add(f'stablehlo.constant dense<{number}>')
        return self.add(f'stablehlo.select {which}, {value}, {zero} : {predicates}, {own}', self.shape)

    def text(self):
        makers = [self.make_binary] * 4 + [self.make_unary] * 3 + [self.make_select, self.make_reverse,
                                                                   self.make_slice, self.make_gather]
        for _ in range(self.draw.randrange(3, 14)):
            self.values.append(self.draw.choice(makers)())
        results = [self.without_nans(value) for value in dict.fromkeys([self.values[-1], self.any()])]
        arguments = [f'%a: {tensor(self.shape)}', f'%b: {tensor(self.shape)}', '%i: tensor<i32>', '%j: tensor<i32>',
                     '%k: tensor<i32>', f'%g: tensor<{self.shape[0]}x1xi32>']
        types = ', '.join([tensor(self.shape, self.kind)] * len(results))
        return '\n'.join([f'func.func @main({", ".join(arguments)}) -> ({types}) {{', *self.lines,
                          f'return {", ".join(results)} : {types}', '}', ''])


def run(tool, paths, fuse):
    environment = {**os.environ, 'GHLO_DISABLE': 'widen-floats'}
    if not fuse:
        environment['GHLO_FUSE'] = '0'
    lines = subprocess.run([tool, *paths], env=environment, check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    return {tuple(line.split()[:2]): line.split()[3] for line in lines}


def option(name, fallback):
    values = [argument.split('=')[1] for argument in sys.argv if argument.startswith(f'--{name}=')]
    return int(values[0]) if values else fallback


def main():
    n, seed, tap = option('programs', 200), option('seed', 100), Tap()
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, n, PROGRAMS_AT_ONCE):
            paths = []
            for i in range(first, min(first + PROGRAMS_AT_ONCE, n)):
                paths.append(os.path.join(folder, f'seed-{seed + i}.mlir'))
                with open(paths[-1], 'w', encoding='utf-8') as file:
                    file.write(Program(random.Random(seed + i)).text())
            apart, fused = run(sys.argv[1], paths, False), run(sys.argv[1], paths, True)
            for key, checksum in apart.items():
                tap.report(fused[key] == checksum, f'{key[0]}, {key[1]}', f'{fused[key]} instead of {checksum}')
    tap.finish()


if __name__ == '__main__':
    main()
