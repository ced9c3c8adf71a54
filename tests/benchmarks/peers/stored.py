# SPDX-License-Identifier: LGPL-2.1-or-later
"""A model as it lies in the cache folder, for processes that have neither PyTorch nor JAX:

    MODEL-bBATCH/module.pt      the module in f32, and feed*.npy, its inputs, and expected.npy, its first output
    MODEL-bBATCH/f32.onnx       for ONNX Runtime and OpenVINO; int8.onnx, int4.onnx
    MODEL-bBATCH/TYPE/          the StableHLO program module.mlir, what its inputs are, and their elements *.npy

Arrays are mapped, not read, as by a program that is written with care."""

import dataclasses
import glob
import json
import mmap
import os

import numpy as np

import recipe

POSITION, CACHE = 256, 512    # tokens before a decode step, and the places of a cache that does not grow


def load(path, dtype=None):
    """An array of a type that NumPy's files do not know, where @dtype names one."""
    array = np.load(path, mmap_mode='r')
    if dtype is None or array.dtype.name == dtype:
        return array
    import ml_dtypes
    return array.view(getattr(ml_dtypes, dtype))


def map_bytes(path):
    """The bytes of an array's elements. A model has hundreds of arrays: load() takes a tenth of a millisecond for each,
    and importing NumPy's further types half a second."""
    with open(path, 'rb') as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    begin = 10 + int.from_bytes(content[8:10], 'little')    # behind a header of version 1.0
    return np.frombuffer(content, np.uint8, offset=begin)


def numbered(folder, pattern):
    return sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))


@dataclasses.dataclass(frozen=True)
class Stored(recipe.Program):
    """A program whose inputs have been stored with it. dynamic is those of a call, as the module takes them."""

    folder: str = ''

    def make_inputs(self):
        paths = numbered(self.folder, '[0-9]*.npy')
        return [load(path, spec.dtype) for path, spec in zip(paths, self.inputs)]

    def map_inputs(self):
        """The bytes of their elements."""
        return [map_bytes(path) for path in numbered(self.folder, '[0-9]*.npy')]


def write_program(folder, text, arrays, roles, carried):
    """Writes a program, its inputs and what they are for."""
    os.makedirs(folder, exist_ok=True)
    for number, array in enumerate(arrays):
        np.save(os.path.join(folder, f'{number:04}.npy'), np.asarray(array))
    with open(os.path.join(folder, 'module.mlir'), 'w', encoding='utf-8') as file:
        file.write(text)
    inputs = [{'shape': array.shape, 'dtype': array.dtype.name, 'role': role} for array, role in zip(arrays, roles)]
    with open(os.path.join(folder, 'program.json'), 'w', encoding='utf-8') as file:
        json.dump({'inputs': inputs, 'carried': carried}, file)


def read_program(folder):
    with open(os.path.join(folder, 'program.json'), encoding='utf-8') as file:
        about = json.load(file)
    with open(os.path.join(folder, 'module.mlir'), encoding='utf-8') as file:
        text = file.read()
    inputs = [recipe.Input(**{**spec, 'shape': tuple(spec['shape'])}) for spec in about['inputs']]
    return Stored(os.path.basename(folder), text, inputs, about['carried'], folder)


def read_feed(folder):
    """The inputs of a call as PyTorch's module takes them."""
    return [load(path) for path in numbered(folder, 'feed*.npy')]
