#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Executions in flight, and programs and buffers as JAX has them, on XLA's CPU and on GHLO; see tests/jax/run.

Each case is run on both, and returns values that must be equal.
"""

import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir
from jax.experimental import serialize_executable, topologies

SIZE = 512


def loop(x, n):
    """As long as one likes, which no compiler sees."""
    return jax.lax.fori_loop(0, n, lambda i, y: jnp.cos(y) * y, x)


long = jax.jit(loop)
increment = jax.jit(lambda x: x + 1)
donating = jax.jit(lambda x: x * 0.5 + 1, donate_argnums=0)


def ones(device):
    return jax.device_put(np.ones((SIZE, SIZE), np.float32), device)


def number(device, n):
    return jax.device_put(np.int32(n), device)


def error_of(function):
    """The kind of the error, and the code that its message begins with."""
    try:
        function()
    except Exception as error:    # pylint: disable=broad-exception-caught
        return type(error).__name__, str(error).split(':')[0] if 'RESOURCE_EXHAUSTED' in str(error) else ''
    return None


def dispatch(device):
    x, n = ones(device), number(device, 400)
    long(x, number(device, 1)).block_until_ready()
    y = long(x, n)
    ready = y.is_ready()
    y.block_until_ready()
    return ready, y.is_ready(), np.asarray(y)[0, 0]


def chain(device):
    x = y = ones(device)
    n = number(device, 2)
    for _ in range(50):
        x = long(increment(x), n)
        y = long(increment(y).block_until_ready(), n).block_until_ready()
    return np.array_equal(np.asarray(x), np.asarray(y)), np.asarray(x)[3, 5]


def deletion(device):
    x, n = ones(device), number(device, 50)
    y = long(x, n)
    x.delete()
    z = increment(y)
    y.delete()
    return np.asarray(z)[0, 0], error_of(lambda: np.asarray(y)), error_of(lambda: increment(x))


def donation(device):
    y = long(ones(device), number(device, 50))
    z = donating(y)
    return y.is_deleted(), error_of(lambda: np.asarray(y)), error_of(lambda: increment(y)), np.asarray(z)[0, 0]


def addresses(device):
    x = donating(jax.device_put(np.zeros(4 << 20, np.float32), device))
    found = set()
    for _ in range(100):
        x = donating(x)
        found.add(x.unsafe_buffer_pointer())
    return len(found), np.asarray(x)[7]


def failure(device):
    huge = jax.jit(lambda x: jnp.broadcast_to(x, (1 << 20, 1 << 20)) * 2)
    found = []

    def run():
        x = huge(jax.device_put(np.float32(1), device))
        found.append(x.shape)
        jax.jit(lambda x: x[0, 0] + 1)(x).block_until_ready()
    return error_of(run), np.asarray(increment(ones(device)))[0, 0]


def threads(device):
    x, n = ones(device), number(device, 2)
    results = [None] * 8

    def work(i):
        y = x
        for _ in range(20):
            y = donating(long(increment(y), n))
        results[i] = np.asarray(y)[0, 0]
    workers = [threading.Thread(target=work, args=[i]) for i in range(len(results))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return len(set(results)), results[0]


def serialized(device):
    x = ones(device)
    compiled = jax.jit(lambda x: (x @ x).sum(axis=0)).lower(x).compile()
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled),
                                                      backend=device.platform, execution_devices=[device])
    return np.array_equal(again(x), compiled(x)), np.asarray(again(x))[0]


def analyses(device):
    x = ones(device)
    compiled = jax.jit(lambda x: x @ x).lower(x).compile()
    costs, memory = compiled.cost_analysis(), compiled.memory_analysis()
    return costs['flops'], costs['bytes accessed'], memory.argument_size_in_bytes, memory.output_size_in_bytes


def exchange(device):
    array = np.arange(1024, dtype=np.float32)
    taken = jax.dlpack.from_dlpack(array, device=device)
    return np.array_equal(np.asarray(taken), array), np.asarray(increment(taken))[-1]


def ahead(device):
    """Compiled for devices that no client has, where there is such a thing, and loaded for one."""
    if device.platform == 'ghlo':
        target, = topologies.get_topology_desc(platform='ghlo', topology_name='cpu').devices
    else:
        target = device
    sharding = jax.sharding.SingleDeviceSharding(target)
    program = jax.jit(lambda x: (x @ x).sum(axis=0), in_shardings=sharding, out_shardings=sharding)
    compiled = program.lower(jax.ShapeDtypeStruct((SIZE, SIZE), np.float32)).compile()
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled),
                                                      backend=device.platform, execution_devices=[device])
    return compiled.cost_analysis()['flops'] > 0, np.asarray(again(ones(device)))[0]


CASES = [dispatch, chain, deletion, donation, addresses, failure, threads, serialized, analyses, exchange, ahead]


def check(case):
    """None, or what is wrong."""
    expected = case(jax.devices('cpu')[0])
    try:
        found = case(jax.devices('ghlo')[0])
        np.testing.assert_equal(jax.tree.map(type, found), jax.tree.map(type, expected))
        for a, b in zip(found, expected):
            if isinstance(b, np.float32):
                np.testing.assert_allclose(a, b, rtol=1e-6)
            else:
                np.testing.assert_equal(a, b)
    except AssertionError:
        return f'expected {expected}, found {found}'
    except Exception as error:    # pylint: disable=broad-exception-caught
        return f'{type(error).__name__}: {error}'.replace('\n', ' ')
    return None


def main():
    # As the package does that registers the plugin.
    if 'ghlo' not in mlir._platforms_with_donation:    # pylint: disable=protected-access
        mlir._platforms_with_donation.append('ghlo')    # pylint: disable=protected-access
    n_failed = 0
    print(f'1..{len(CASES)}')
    for i, case in enumerate(CASES, 1):
        problem = check(case)
        if problem:
            n_failed += 1
            print(f'# {problem}')
        print(f'{"not ok" if problem else "ok"} {i} {case.__name__}', flush=True)
    return 1 if n_failed else 0


if __name__ == '__main__':
    sys.exit(main())
