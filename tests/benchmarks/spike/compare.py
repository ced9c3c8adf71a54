#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The spike's four kernels beside XLA's CPU compiler on the same programs, in turns in one
process, and their answers beside the reference executor's.

    compare.py --library=libspike.so --tool=ghlo --data=PROGRAMS [--seconds=S] [--all]

Wants JAX (tests/benchmarks/compare/run makes an environment that has it). Times are the
least of many runs, in µs; the share is that of a copy of as many bytes by all threads.
"""

import argparse
import ctypes
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / 'compare'))

def layer_norm(x, gamma, beta):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * gamma + beta


def softmax(x):
    exponential = np.exp(x / 8 - (x / 8).max(axis=-1, keepdims=True))
    return exponential / exponential.sum(axis=-1, keepdims=True)


# Kernel, program, shapes of inputs, type of output, the answer in f64, and how far from it
# it may be: units in the last place of the largest element of a row, of the exponential
# of the element itself.
KERNELS = [
    ('exponential', 'ARITH-U-001.mlir', [(1024, 1024)], np.float32, np.exp, 2),
    ('layer-norm', 'NORM-LN-001.mlir', [(1, 128, 768), (768,), (768,)], np.float32, layer_norm, 4),
    ('softmax', 'softmax.mlir', [(12, 128, 128)], np.float32, softmax, 4),
    ('argmax', 'argmax.mlir', [(512, 8192)], np.int32, lambda x: x.argmax(axis=-1), 0),
]


def aligned(array):
    """A copy at a multiple of 64 bytes."""
    space = np.empty(array.nbytes + 64, np.uint8)
    start = -space.ctypes.data % 64
    copy = space[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def make_input(generator, shape, name, number):
    array = generator.normal(size=shape).astype(np.float32) * (4 if number == 0 else 1)
    array[generator.random(shape) < 0.05] = 0
    if name == 'argmax':
        array[0, [77, 5000, 4096]] = np.nan
        array[1] = -np.inf
        array[2], array[2, [9, 8]] = -0.0, [0.0, -0.0]
        array[3, [6000, 31]] = np.inf
        array[4, 2000:2003] = 100
    return aligned(array)


def reference(tool, program, inputs):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, array in enumerate(inputs):
            names.append(f'{folder}/in{number}.npy')
            np.save(names[-1], array)
        subprocess.run([tool, 'run', program, '--device=reference', f'--output-dir={folder}',
                        *[f'--input={name}' for name in names]], check=True, stdout=subprocess.DEVNULL)
        return np.load(f'{folder}/out0.npy')


def distance(name, found, exact):
    if found.dtype == np.int32:
        return float((found != exact).sum())
    largest = np.abs(exact) if name == 'exponential' else np.abs(exact).max(axis=-1, keepdims=True)
    return float(np.max(np.abs(found.astype(np.float64) - exact) / np.spacing(largest.astype(np.float32))))


def least(calls, seconds):
    """The least time of each call in µs, called in turns."""
    times = [float('inf')] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for number, call in enumerate(calls):
            start = time.perf_counter()
            call()
            times[number] = min(times[number], (time.perf_counter() - start) * 1e6)
    return times


def load(name):
    library = ctypes.CDLL(name)
    library.spike_open.restype = ctypes.c_void_p
    library.spike_open.argtypes = [ctypes.c_char_p, ctypes.c_uint, ctypes.c_uint]
    library.spike_compile_milliseconds.restype = ctypes.c_double
    library.spike_compile_milliseconds.argtypes = [ctypes.c_void_p]
    library.spike_describe.restype = ctypes.c_char_p
    library.spike_describe.argtypes = [ctypes.c_void_p]
    library.spike_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double]
    library.spike_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double]
    return library


def compare(library, options, kernel, number):
    from runners import Xla
    name, program, shapes, dtype, function, bound = kernel
    handle = library.spike_open(name.encode(), number, 0)
    if handle is None:
        return False
    path = HERE / program if (HERE / program).exists() else pathlib.Path(options.data) / program
    generator = np.random.default_rng(1)
    inputs = [make_input(generator, one, name, index) for index, one in enumerate(shapes)]
    exact = function(*[array.astype(np.float64) for array in inputs])
    output = aligned(np.zeros(exact.shape, dtype))
    table = (ctypes.c_void_p * (len(inputs) + 1))(*[array.ctypes.data for array in [*inputs, output]])
    size = (sum(array.nbytes for array in inputs) + output.nbytes) // 2
    spaces = [aligned(np.ones(size, np.uint8)) for _ in range(2)]
    places = [space.ctypes.data for space in spaces]
    xla = Xla(path.read_text())
    xla.bind(inputs)
    alone = least([lambda: library.spike_run(handle, table, 0.5),
                   lambda: library.spike_copy(*places, size, 0.5)], options.seconds / 4)
    calls = [lambda: library.spike_run(handle, table, alone[0] * 1e3), xla.call,
             lambda: library.spike_copy(*places, size, alone[1] * 1e3)]
    times = least(calls, options.seconds)
    answers = [output, xla.outputs()[0], reference(options.tool, str(path), inputs)]
    ours, theirs, executor = [distance(name, answer, exact) for answer in answers]
    print(f'{name}: {library.spike_describe(handle).decode()}\n'
          f'  compiled in {library.spike_compile_milliseconds(handle):.1f} ms, XLA in {xla.compile_seconds * 1e3:.0f}\n'
          f'  {times[0]:.1f} µs ({alone[0]:.1f} on one thread), XLA {times[1]:.1f}, copy {times[2]:.1f}: '
          f'{times[1] / times[0]:.2f} of XLA\'s speed, {times[2] / times[0]:.2f} of the roofline '
          f'(one thread {alone[1] / alone[0]:.2f})\n'
          f'  {ours:.2f} from the exact answer, XLA {theirs:.2f}, the reference executor {executor:.2f}', flush=True)
    if not ours <= bound:
        sys.exit(f'expected at most {bound}')
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--library', required=True)
    parser.add_argument('--tool', default='ghlo')
    parser.add_argument('--data', default='.')
    parser.add_argument('--seconds', type=float, default=2)
    parser.add_argument('--all', action='store_true', help='every schedule, not only the best')
    options = parser.parse_args()
    library = load(options.library)
    for kernel in KERNELS:
        number = 0
        while compare(library, options, kernel, number) and options.all:
            number += 1


if __name__ == '__main__':
    main()
