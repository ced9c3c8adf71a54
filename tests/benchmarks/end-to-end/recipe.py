# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a program's inputs are, without their elements: each is drawn from a generator of its
own, so that every process that measures a program makes the same ones without JAX."""

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Input:
    """fill is normal, uniform, ones, zeros or integers; scale is the deviation, or the first
    integer that is too large. role is weight (bound once), state (given back by each run) or
    input (given with each run)."""

    shape: tuple
    fill: str = 'normal'
    scale: float = 1
    dtype: str = 'float32'
    role: str = 'weight'

    def make(self, number):
        if self.dtype == 'bfloat16':
            import ml_dtypes    # by which NumPy knows the name  # noqa: F401  # pylint: disable=unused-import
        random = np.random.default_rng([7, number])
        if self.fill == 'normal':
            array = random.standard_normal(self.shape, np.float32) * np.float32(self.scale)
        elif self.fill == 'uniform':
            array = random.random(self.shape, np.float32) * np.float32(self.scale)
        elif self.fill == 'integers':
            array = random.integers(0, int(self.scale), self.shape)
        else:
            array = np.full(self.shape, {'ones': 1, 'zeros': 0}[self.fill])
        return np.asarray(array, self.dtype)


@dataclasses.dataclass(frozen=True)
class Program:
    """A program as it lies in the cache folder. carried has an (output, input) for each state."""

    name: str
    text: str
    inputs: list
    carried: list

    def make_inputs(self):
        return [spec.make(number) for number, spec in enumerate(self.inputs)]

    def about(self):
        return {**dataclasses.asdict(self), 'text': None}


def read(folder, name):
    """The program that programs.py wrote."""
    import json
    import os
    with open(os.path.join(folder, f'{name}.json'), encoding='utf-8') as file:
        about = json.load(file)
    with open(os.path.join(folder, f'{name}.mlir'), encoding='utf-8') as file:
        about['text'] = file.read()
    about['inputs'] = [Input(**{**spec, 'shape': tuple(spec['shape'])}) for spec in about['inputs']]
    return Program(**about)
