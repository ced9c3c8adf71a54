#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Handlers of XLA's FFI on GHLO and on XLA's CPU: ffi.cc, compiled with jaxlib's headers; see tests/jax/run."""

import ctypes
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

import jax
import jax.numpy as jnp
import numpy as np

import tap

FOLDER = pathlib.Path(__file__).parent
PLATFORMS = 'cpu', 'ghlo'


def load():
    """The library of handlers."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'ffi.so'
        subprocess.run(['c++', '-std=c++17', '-O1', '-w', '-shared', '-fPIC', '-I', jax.ffi.include_dir(), '-o', path,
                        FOLDER / 'ffi.cc'], check=True)
        return ctypes.CDLL(str(path))


def register(library):
    for name in ('counter_id', 'counter_info'):
        getattr(library, name).restype = ctypes.c_void_p
    counter = {'type_id': jax.ffi.pycapsule(library.counter_id()),
               'type_info': jax.ffi.pycapsule(library.counter_info())}
    for platform in PLATFORMS:
        jax.ffi.register_ffi_type('Counter', counter, platform=platform)
        for name in ('scale', 'square', 'first', 'increment'):
            jax.ffi.register_ffi_target(f'test_{name}', jax.ffi.pycapsule(getattr(library, name)), platform=platform)
        jax.ffi.register_ffi_target('test_count', {'instantiate': jax.ffi.pycapsule(library.begin),
                                                   'execute': jax.ffi.pycapsule(library.count)}, platform=platform)


def on(platform, function, *arrays):
    """What a function gives there, as NumPy's array."""
    device = jax.devices(platform)[0]
    return np.asarray(jax.jit(function)(*(jax.device_put(array, device) for array in arrays)))


def same(function, *arrays):
    """What a function gives on both."""
    expected, found = (on(platform, function, *arrays) for platform in PLATFORMS)
    np.testing.assert_array_equal(found, expected)
    return found


def scale(x, times='ab'):
    return jax.ffi.ffi_call('test_scale', jax.ShapeDtypeStruct(x.shape, x.dtype))(
        x, factor=np.float32(2), offsets=np.array([1, 2], np.int64), times=times)


def test_attributes():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(same(scale, x), (2 * x + 3) * 2)


def test_error():
    x = np.ones(3, np.float32)
    try:
        on('ghlo', lambda x: scale(x, times=''), x)
    except Exception as error:    # pylint: disable=broad-exception-caught
        assert 'expected a letter at least' in str(error) and 'INVALID_ARGUMENT' in str(error), error
    else:
        raise AssertionError('expected an error')
    np.testing.assert_array_equal(same(scale, x), (2 * x + 3) * 2)


def test_state():
    def count(start):
        return jax.ffi.ffi_call('test_count', jax.ShapeDtypeStruct((1,), np.int32), has_side_effect=True)(
            start=np.int64(start))

    function = jax.jit(lambda x: (x, count(10), count(20)))
    x = jax.device_put(np.float32(1), jax.devices('ghlo')[0])
    for i in range(3):
        _, first, second = function(x)
        assert (int(first[0]), int(second[0])) == (10 + i, 20 + i), (first, second)


def test_threads():
    x = np.arange(100, dtype=np.float32)
    square = jax.ffi.ffi_call('test_square', jax.ShapeDtypeStruct(x.shape, x.dtype))
    np.testing.assert_array_equal(same(lambda x: square(square(x)), x), (x * x) * (x * x))


def test_layouts_and_memory():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    first = jax.ffi.ffi_call('test_first', jax.ShapeDtypeStruct((2,), x.dtype), input_layouts=[(1, 0)])
    # XLA's CPU has no memory for handlers.
    np.testing.assert_array_equal(on('ghlo', first, x), x[:, 0])


def test_sharing():
    x = np.arange(4, dtype=np.float32)
    increment = jax.ffi.ffi_call('test_increment', jax.ShapeDtypeStruct(x.shape, x.dtype),
                                 input_output_aliases={0: 0})
    np.testing.assert_array_equal(same(lambda x: increment(x) + x, x), 2 * x + 1)


def test_several_threads():
    x = np.arange(1000, dtype=np.float32)
    device = jax.devices('ghlo')[0]
    function = jax.jit(scale)
    given = jax.device_put(x, device)
    failed = []

    def run():
        try:
            for _ in range(100):
                np.testing.assert_array_equal(function(given), (2 * x + 3) * 2)
        except Exception as error:    # pylint: disable=broad-exception-caught
            failed.append(error)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed[0]


def test_registration():
    capsule = jax.ffi.pycapsule(ctypes.cast(LIBRARY.scale, ctypes.c_void_p).value)
    for name, options, part in (('test_old', {'api_version': 0}, 'api_version 0'),
                                ('test_square', {}, 'another handler'), ('', {}, 'expected the name')):
        try:
            jax.ffi.register_ffi_target(name, capsule, platform='ghlo', **options)
        except RuntimeError as error:
            assert part in str(error), error
        else:
            raise AssertionError(f'expected an error with {part!r}')


def test_vmap():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def call(x):
        return jax.ffi.ffi_call('test_scale', jax.ShapeDtypeStruct(x.shape, x.dtype), vmap_method='broadcast_all')(
            x, factor=np.float32(2), offsets=np.array([1, 2], np.int64), times='a')

    np.testing.assert_array_equal(same(lambda x: jnp.sin(jax.vmap(call)(x)) * 0 + jax.vmap(call)(x), x), 2 * x + 3)


if shutil.which('c++') is None:
    print('1..0 # SKIP there is no compiler of C++')
    sys.exit(0)
LIBRARY = load()
register(LIBRARY)
if __name__ == '__main__':
    tap.run(sys.modules[__name__])
