#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs of JAX that call Python back, on GHLO; see tests/jax/run."""

import contextlib
import ctypes
import functools
import gc
import io
import sys
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify, io_callback
from jax_plugins.ghlo import _callbacks

import tap

DEVICE = jax.devices('ghlo')[0]
REPETITIONS = 1000


def sine(x):
    return np.sin(x)


def call_sine(x, **options):
    return jax.pure_callback(sine, jax.ShapeDtypeStruct(x.shape, x.dtype), x, **options)


@contextlib.contextmanager
def expect(kind, *parts):
    """That the block raises an exception of that kind with those parts in its text."""
    try:
        yield
    except kind as error:
        for part in parts:
            assert part in str(error), f'expected {part!r} in {error}'
    else:
        raise AssertionError(f'expected {kind.__name__}, found none')


def test_runs_here():
    assert jax.default_backend() == 'ghlo'
    x = jnp.arange(6, dtype=jnp.float32).reshape(2, 3)
    answer = jax.jit(call_sine)(x)
    assert answer.device == DEVICE
    np.testing.assert_allclose(answer, np.sin(x), rtol=1e-6)


def test_types():
    def swap(*arrays):
        seen.append([(array.shape, array.dtype) for array in arrays])
        return arrays[::-1]

    seen = []
    arrays = [jnp.ones((2, 3), dtype) for dtype in ('bool', 'int8', 'uint32', 'float16', 'bfloat16', 'float8_e4m3fn',
                                                    'complex64', 'int4', 'uint4')]
    arrays += [jnp.ones((0, 3)), jnp.float32(7)]
    shapes = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
    found = jax.block_until_ready(jax.jit(lambda *values: jax.pure_callback(swap, shapes[::-1], *values))(*arrays))
    assert seen == [[(array.shape, array.dtype) for array in arrays]]
    for array, answer in zip(arrays, found[::-1]):
        assert (answer.shape, answer.dtype) == (array.shape, array.dtype)
        np.testing.assert_array_equal(np.asarray(answer).astype(np.complex64), np.asarray(array).astype(np.complex64))


def test_ordered():
    seen = []

    @jax.jit
    def count(n):
        def step(i, total):
            io_callback(lambda k: seen.append(int(k)), None, i, ordered=True)
            return total + io_callback(lambda k: np.int32(2 * k), jax.ShapeDtypeStruct((), jnp.int32), i, ordered=True)
        return jax.lax.fori_loop(0, n, step, 0)

    totals = [count(n) for n in (20, 30)]
    jax.effects_barrier()
    assert seen == [*range(20), *range(30)]
    assert [int(total) for total in totals] == [380, 870]


def test_unordered():
    seen = []

    @jax.jit
    def double(x):
        io_callback(lambda a: seen.append(float(a)), None, x)
        return 2 * x

    for i in range(10):
        double(float(i))
    jax.effects_barrier()
    assert sorted(seen) == [float(i) for i in range(10)]


def test_shardings():
    """Shardy's have one for each result, and the token is a result."""
    def call(x, **options):
        io_callback(lambda y: seen.append(y.item()), None, x.sum(), **options)
        return io_callback(np.square, jax.ShapeDtypeStruct(x.shape, x.dtype), x, **options)

    seen = []
    mesh = jax.make_mesh((1,), ('x',))
    for ordered, of_both in ((False, '<[<@maximal_mesh_0, []>]>'),
                             (True, '<[<@maximal_mesh_0, []>, <@maximal_mesh_0, []>]>')):
        function = jax.jit(functools.partial(call, ordered=ordered),
                           in_shardings=jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec('x')))
        text = function.lower(jnp.ones(2)).as_text()
        calls = [line for line in text.splitlines() if 'ghlo_python_callback' in line]
        assert '<[<@maximal_mesh_0, []>]>' in calls[0] and of_both in calls[1], text
        np.testing.assert_array_equal(function(jnp.full(2, 3.0)), [9, 9])
    jax.effects_barrier()
    assert seen == [6, 6], seen


def test_nothing_needed():
    def never(x):
        seen.append(x)
        return x

    seen = []
    assert jax.jit(lambda x: (jax.pure_callback(never, x, x), 2 * x)[1])(3.0) == 6
    assert not seen


def test_prints():
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        @jax.jit
        def show(x):
            jax.debug.print('{} then', x, ordered=True)
            jax.debug.print('{y}', y=x + 1, ordered=True)
            return x

        show(jnp.int32(3))
        jax.effects_barrier()
        jax.debug.print('outside {}', 5)
        jax.effects_barrier()
    assert output.getvalue() == '3 then\n4\noutside 5\n', output.getvalue()


def test_debug_callback_in_cond_and_scan():
    seen = []

    @jax.jit
    def walk(x):
        def step(total, i):
            jax.lax.cond(i % 2 == 0, lambda: jax.debug.callback(lambda k: seen.append(int(k)), i, ordered=True),
                         lambda: None)
            return total + i, total
        return jax.lax.scan(step, x, jnp.arange(6))

    assert int(walk(0)[0]) == 15
    jax.effects_barrier()
    assert seen == [0, 2, 4]


def test_checks():
    def logarithm(x):
        checkify.check(x > 0, 'expected more than {}', x)
        return jnp.log(x)

    error, _ = checkify.checkify(jax.jit(logarithm))(-1.0)
    with expect(checkify.JaxRuntimeError, 'expected more than -1.0'):
        error.throw()
    jax.config.update('jax_experimental_unsafe_xla_runtime_errors', True)
    try:
        with expect(jax.errors.JaxRuntimeError, 'expected more than -2.0'):
            jax.jit(logarithm)(-2.0).block_until_ready()
    finally:
        jax.config.update('jax_experimental_unsafe_xla_runtime_errors', False)


def test_nested():
    """A callback that compiles and runs programs, on the CPU of JAX's own and on the device that called it."""
    inner = jax.jit(lambda x: jnp.tanh(x) @ x.T)

    def run(x):
        here = jax.device_put(np.asarray(x), DEVICE)
        return np.asarray(inner(x)) + np.asarray(inner(here)) + np.asarray(jax.jit(call_sine)(here)) @ x.T

    x = jnp.arange(9, dtype=jnp.float32).reshape(3, 3) / 9
    for _ in range(3):
        answer = jax.jit(lambda x: jax.pure_callback(run, x, x) + 1)(x)
        np.testing.assert_allclose(answer, 2 * np.tanh(x) @ x.T + np.sin(x) @ x.T + 1, rtol=1e-5)


def test_exceptions():
    def fail(_):
        raise KeyError('a name of ours')

    call = jax.jit(lambda x: jax.pure_callback(fail, x, x))
    for _ in range(3):
        with expect(jax.errors.JaxRuntimeError, "KeyError: 'a name of ours'", 'callbacks.py'):
            call(1.0).block_until_ready()
    # Nobody need wait for what a function gives to be told that a pure one has failed.
    with expect(jax.errors.JaxRuntimeError, "KeyError: 'a name of ours'"):
        call(1.0)
    with expect(jax.errors.JaxRuntimeError, 'KeyError'):
        jax.jit(lambda x: io_callback(fail, x, x))(1.0).block_until_ready()
    for wrong in (lambda x: np.float32([1, 2]), lambda x: (x, x), lambda x: np.int8(3), lambda: 1):
        with expect(jax.errors.JaxRuntimeError):
            jax.jit(lambda x, wrong=wrong: jax.pure_callback(wrong, x, x))(1.0).block_until_ready()
    # And all is well again.
    np.testing.assert_allclose(jax.jit(call_sine)(jnp.ones(3)), np.sin(np.ones(3)), rtol=1e-6)


def test_transformations():
    @jax.custom_jvp
    def by_callback(x):
        return call_sine(x, vmap_method='sequential')

    by_callback.defjvp(lambda primals, tangents: (by_callback(*primals), jnp.cos(primals[0]) * tangents[0]))
    x = jnp.arange(4, dtype=jnp.float32)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(by_callback)))(x), np.cos(x), rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda x: by_callback(x).sum())(x), np.cos(x), rtol=1e-6)
    for method in ('expand_dims', 'broadcast_all', 'sequential_unrolled'):
        np.testing.assert_allclose(jax.vmap(lambda x, method=method: call_sine(x, vmap_method=method))(x), np.sin(x),
                                   rtol=1e-6)


def test_operands_are_read_only():
    memory = (ctypes.c_float * 4)(1, 2, 3, 4)
    array = _callbacks._Array(ctypes.addressof(memory), 16, None)
    dropped = []
    view = _callbacks._view(_callbacks._Memory(array, dropped.append), 16, jax.ShapeDtypeStruct((2, 2), np.float32))
    assert not view.flags.writeable and view.tolist() == [[1, 2], [3, 4]]
    memory[0] = 5
    assert view[0, 0] == 5, 'expected no copy'
    with expect(TypeError, 'expected 20 bytes for float32[5], found 16'):
        _callbacks._view(_callbacks._Memory(array), 16, jax.ShapeDtypeStruct((5,), np.float32))
    assert not dropped
    del view
    assert len(dropped) == 1


def test_kept_operands_stay():
    kept = []

    @jax.jit
    def keep(x):
        y = 2 * x + 1
        io_callback(kept.append, None, y)
        return jnp.tanh(y) @ y

    for i in range(8):
        keep(jnp.full((64, 64), float(i))).block_until_ready()
    jax.effects_barrier()
    assert sorted({float(value) for array in kept for value in np.asarray(array).ravel()}) == [
        2.0 * i + 1 for i in range(8)]


def test_threads():
    """Eight threads, each with its own program and with one that they share."""
    def work(number):
        try:
            own = jax.jit(lambda x: jax.pure_callback(lambda y: np.asarray(y) + number, x, x))
            for i in range(50):
                np.testing.assert_array_equal(own(jnp.full(16, float(i))), np.full(16, i + number))
                sines = np.full(16, np.sin(np.float32(i)))
                np.testing.assert_allclose(shared(jnp.full(16, float(i))), sines, rtol=1e-5)
        except Exception as error:    # pylint: disable=broad-exception-caught
            errors.append(error)

    errors = []
    shared = jax.jit(call_sine)
    threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


def test_repetitions():
    """Many calls with nobody to wait for in between: ordered, unordered and pure ones in one program."""
    seen = []

    @jax.jit
    def step(x):
        io_callback(lambda a: seen.append(int(a)), None, x, ordered=True)
        jax.debug.callback(lambda a: None, x)
        return jax.pure_callback(lambda a: np.asarray(a) + 1, jax.ShapeDtypeStruct((), jnp.int32), x)

    x = jnp.int32(0)
    for _ in range(REPETITIONS):
        x = step(x)
    assert int(x) == REPETITIONS
    jax.effects_barrier()
    assert seen == list(range(REPETITIONS))


def test_functions_go():
    """With the last program that calls them."""
    jax.clear_caches()
    gc.collect()
    before = len(_callbacks.registry)
    program = jax.jit(lambda x: call_sine(x) + 1).lower(jnp.ones(3))
    assert len(_callbacks.registry) == before + 1
    compiled = program.compile()
    del program
    gc.collect()
    np.testing.assert_allclose(compiled(jnp.zeros(3)), np.ones(3))
    del compiled
    jax.clear_caches()
    gc.collect()
    # What has run lets go a moment after it has ended.
    deadline = time.monotonic() + 20
    while len(_callbacks.registry) > before and time.monotonic() < deadline:
        time.sleep(0.001)
    assert len(_callbacks.registry) == before


if __name__ == '__main__':
    tap.run(sys.modules[__name__])
