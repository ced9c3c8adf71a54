#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs on several devices, on XLA's CPU and on GHLO; see tests/jax/run.

Answers agree at the tolerances of JAX's own tests, and lie over the devices as the program says.
"""

import os
import sys

N = 4
os.environ['JAX_NUM_CPU_DEVICES'] = str(N)
os.environ['JAX_PJRT_CLIENT_CREATE_OPTIONS'] = f'devices:{N};device:{os.environ.get("GHLO_DEVICE", "cpu")}'

import jax    # pylint: disable=wrong-import-position
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import public_test_util
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

PLATFORM = 'ghlo'
X = np.arange(64, dtype=np.float32).reshape(8, 8) / 7
CASES = []


def case(function):
    CASES.append(function)
    return function


def mesh_of(devices, shape=(2, 2), names=('x', 'y')):
    return Mesh(np.array(devices).reshape(shape), names)


def put(mesh, array, *spec):
    return jax.device_put(array, NamedSharding(mesh, P(*spec)))


def shard_map(function, mesh, in_specs, out_specs):
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, check_vma=False))


@case
def placement(devices):
    moved = [jax.device_put(X, device) for device in devices]
    assert [array.devices() for array in moved] == [{device} for device in devices]
    sums = [array + i for i, array in enumerate(moved)]
    assert [array.devices() for array in sums] == [{device} for device in devices]
    return sums + [jax.device_put(sums[3], devices[1])]


@case
def automatic(devices):
    mesh = mesh_of(devices)
    x = put(mesh, X, 'x', 'y')
    y = put(mesh, X, 'y')
    out = jax.jit(lambda a, b: (a @ b, a.sum(), jnp.sin(a)), out_shardings=(NamedSharding(mesh, P('y', 'x')),
                                                                            NamedSharding(mesh, P()),
                                                                            NamedSharding(mesh, P(('x', 'y')))))(x, y)
    assert out[0].sharding.spec == P('y', 'x') and out[0].addressable_shards[0].data.shape == (4, 4)
    assert out[2].addressable_shards[0].data.shape == (2, 8)
    return out


@case
def followed(devices):
    mesh = mesh_of(devices)
    out = jax.jit(lambda a: jnp.cos(a) * 2 + 1)(put(mesh, X, 'x', 'y'))
    assert out.sharding.is_equivalent_to(NamedSharding(mesh, P('x', 'y')), 2), out.sharding
    return out


@case
def constraint(devices):
    mesh = mesh_of(devices)
    out = jax.jit(lambda a: lax.with_sharding_constraint(a.T, NamedSharding(mesh, P(None, 'y'))))(put(mesh, X, 'x'))
    assert out.sharding.is_equivalent_to(NamedSharding(mesh, P(None, 'y')), 2), out.sharding
    return out


@case
def propagated(devices):
    return jax.jit(lambda a, b: (a @ b, b.reshape(-1)))(put(mesh_of(devices), X, 'x'), X)


@case
def other_order(devices):
    mesh = mesh_of(devices)
    other = mesh_of([devices[i] for i in (3, 1, 0, 2)], (4,), ('z',))
    out = jax.jit(lambda a: a * 2, out_shardings=NamedSharding(other, P('z')))(put(other, X, None, 'z'))
    return out, jax.device_put(out, NamedSharding(mesh, P('y', 'x')))


@case
def donated(devices):
    x = put(mesh_of(devices), X, 'x', 'y')
    out = jax.jit(lambda a: a + 1, donate_argnums=0)(x)
    return out


@case
def chain(devices):
    x = put(mesh_of(devices), X, 'x', 'y')
    step = jax.jit(lambda a: a @ a / jnp.max(a))
    for _ in range(20):
        x = step(x)
    return x


@case
def integers(devices):
    mesh = mesh_of(devices)
    return jax.jit(lambda a, b: (a.astype(jnp.int8) + b, a > 1, a.astype(jnp.bfloat16)),
                   out_shardings=NamedSharding(mesh, P('y')))(put(mesh, X, 'x'), put(mesh, X.astype(np.int8), 'y'))


@case
def psum(devices):
    mesh = mesh_of(devices)
    f = shard_map(lambda a: (lax.psum(a, 'x'), lax.pmax(a, ('x', 'y')), lax.pmean(a, 'y')), mesh, P('x', 'y'),
                  (P(None, 'y'), P(), P('x')))
    return f(put(mesh, X, 'x', 'y'))


@case
def collectives(devices):
    mesh = mesh_of(devices)
    f = shard_map(lambda a: (lax.all_gather(a, 'y'), lax.ppermute(a, 'x', [(0, 1), (1, 0)]),
                             lax.ppermute(a, 'y', [(0, 1)]), lax.all_to_all(a, 'y', 0, 1, tiled=True),
                             lax.psum_scatter(a, 'y', tiled=True),
                             lax.axis_index(('x', 'y'))[None]),
                  mesh, P('x', 'y'),
                  (P('x', 'y'), P('x', 'y'), P('x', 'y'), P('x', 'y'), P(('x', 'y')), P(('x', 'y'))))
    return f(put(mesh, X, 'x', 'y'))


@case
def loop(devices):
    mesh = mesh_of(devices)
    f = shard_map(lambda a: lax.scan(lambda c, i: (lax.psum(c, ('x', 'y')) / 4 + i, c[0, 0]), a, jnp.arange(5.))[0],
                  mesh, P('x', 'y'), P('x', 'y'))
    return f(put(mesh, X, 'x', 'y'))


@case
def unequal_work(devices):
    """As many turns as the partition's number, between meetings of all."""
    mesh = mesh_of(devices, (4,), ('x',))

    def body(a):
        a = lax.fori_loop(0, lax.axis_index('x') * 3, lambda i, c: jnp.sin(c) + 1, a)
        return lax.psum(a, 'x') + a

    return shard_map(body, mesh, P('x'), P('x'))(X)


@case
def mixed(devices):
    """Manual inside of what is automatic, twice, and a gradient through it."""
    mesh = mesh_of(devices)
    matmul = jax.shard_map(lambda a, b: lax.psum(a @ b, 'y'), mesh=mesh, in_specs=(P('x', 'y'), P('y')),
                           out_specs=P('x'))
    loss = jax.jit(jax.value_and_grad(lambda a, b: jnp.sum(jnp.tanh(matmul(matmul(a, b), b) * .01))))
    return loss(put(mesh, X, 'x', 'y'), put(mesh, X, 'y'))


@case
def passed_through(devices):
    mesh = mesh_of(devices)
    return shard_map(lambda a, b: (b, a, b), mesh, (P('x'), P('y')), (P('y'), P('x'), P('y')))(X, X + 1)


@case
def pmap(devices):
    f = jax.pmap(lambda a, b: (lax.psum(a * b, 'i'), a - lax.axis_index('i')), 'i', devices=devices)
    return f(X[:4], X[4:])


@case
def pmap_training(devices):
    step = jax.pmap(lambda w, x: w - .1 * lax.pmean(jax.grad(lambda v: jnp.sum((x @ v) ** 2))(w), 'i'), 'i',
                    in_axes=(None, 0), out_axes=None, devices=devices)
    w = np.ones(8, np.float32) / 50
    for _ in range(5):
        w = step(w, X.reshape(4, 2, 8) / 50)
    return w


@case
def some_axes(devices):
    """Manual along one axis of two, in the order that the mesh does not have."""
    mesh = mesh_of([devices[i] for i in (2, 0, 3, 1)])

    def body(a, b):
        return lax.psum(a @ b, 'y'), lax.all_gather(a, 'y'), a + lax.axis_index('y')

    f = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=(P(None, 'y'), P('y')), out_specs=(P(), P('y'), P(None, 'y')),
                              axis_names={'y'}, check_vma=False))
    return f(put(mesh, X, 'x', 'y'), put(mesh, X, 'y'))


@case
def nested(devices):
    """Manual along one axis in what is manual along the other, and collectives along both inside, several times."""
    mesh = mesh_of(devices)

    def inner(a):
        return lax.psum(a, 'y') + lax.pmax(a, 'x') + lax.axis_index('y') + 2 * lax.axis_index('x')

    def outer(a):
        within = jax.shard_map(inner, in_specs=P(None, 'y'), out_specs=P(None, 'y'), axis_names={'y'}, check_vma=False)
        a = lax.scan(lambda c, _: (within(c) / 9, None), a, None, length=7)[0]
        return lax.psum(a, 'x') * within(a)

    return jax.jit(jax.shard_map(outer, mesh=mesh, in_specs=P('x'), out_specs=P('x'), axis_names={'x'},
                                 check_vma=False))(X)


def main():
    failures = 0
    for number, function in enumerate(CASES, 1):
        try:
            expected, found = (jax.tree.map(np.asarray, function(jax.devices(name)[:N])) for name in ('cpu', PLATFORM))
            jax.tree.map(lambda a, b: np.testing.assert_equal((a.shape, a.dtype), (b.shape, b.dtype)), found, expected)
            public_test_util.check_close(found, expected, rtol=1e-5)
            problem = None
        except Exception as error:    # pylint: disable=broad-exception-caught
            problem = ' '.join(f'{type(error).__name__}: {error}'.split())[:500]
            failures += 1
        if problem:
            print(f'# {problem}')
        print(f'{"not ok" if problem else "ok"} {number} {function.__name__}', flush=True)
    print(f'1..{len(CASES)}')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
