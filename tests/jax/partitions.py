#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs on several devices, on XLA's CPU and on GHLO; see tests/jax/run.

Answers agree at the tolerances of JAX's own tests, and lie over the devices as the program says, or as it follows
on XLA's CPU.
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
from jax.experimental.custom_partitioning import custom_partitioning
from jax.experimental.shard_alike import shard_alike
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P

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


def follows(function, *specs, name):
    """A case of a program that says of its inputs alone how they lie."""
    def run(devices):
        mesh = mesh_of(devices)
        return jax.jit(function)(*(put(mesh, array, *spec) for array, *spec in specs))

    run.__name__ = name
    case(run)


def turns(a, b):
    return lax.fori_loop(0, 3, lambda i, c: (jnp.sin(c[0]), c[1] + c[0].sum(axis=0)), (a, b))


def twice(a, b):
    """One function called with operands that lie differently."""
    inner = jax.jit(lambda c: jnp.cos(c).T)
    return inner(a), inner(b), inner(a + 1)


V = X[0]
B = np.arange(128, dtype=np.float32).reshape(2, 8, 8) / 9
for NAME, FUNCTION, *SPECS in [
        ('rows_by_columns', lambda a, b: a @ b, (X, 'x'), (X, None, 'y')),
        ('contracting', lambda a, b: (a @ b, a @ a), (X, None, 'x'), (X, 'x')),
        ('rows_alone', lambda a, b: a @ b, (X, ('x', 'y')), (X,)),
        ('both_want_x', lambda a, b: a @ b, (X, 'x'), (X, None, 'x')),
        ('batches', lambda a, b: jnp.einsum('bij,bjk->bki', a, b), (B, 'x'), (B, 'x', None, 'y')),
        ('transpose', lambda a: (a.T, a.T + 1, jnp.flip(a, 0)), (X, 'x', 'y')),
        ('reduce', lambda a: (a.sum(axis=0), a.max(axis=1), a.mean(), jnp.argmax(a, axis=1)), (X, 'x', 'y')),
        ('merge', lambda a: (a.reshape(64), a.reshape(4, 16)), (X, 'x')),
        ('merge_inner', lambda a: (a.reshape(64), a.reshape(4, 2, 8)), (X, None, 'y')),
        ('merge_both', lambda a: (a.reshape(64), a.reshape(4, 16)), (X, 'x', 'y')),
        ('split', lambda a: (a.reshape(2, 4, 8), a.reshape(4, 2, 8), a.reshape(1, 8, 1, 8)), (X, ('x', 'y'))),
        ('broadcast', lambda a, b: (a + b, jnp.broadcast_to(b, (3, 8)), b[:, None] * 2), (X, 'x'), (V, 'y')),
        ('concatenate', lambda a, b: (jnp.concatenate([a, b]), jnp.concatenate([a, b], axis=1)), (X, 'x'), (X, 'x')),
        ('stack', lambda a: (jnp.stack([a, a + 1]), jnp.tile(a, (2, 1))), (X, 'x', 'y')),
        ('slices', lambda a: (a[2:6], a[:, ::2], jnp.pad(a, 1), a[3]), (X, 'x', 'y')),
        ('anywhere', lambda a, i: (lax.dynamic_slice(a, (i, 0), (4, 8)), lax.dynamic_update_slice(a, a[:2], (i, 0))),
         (X, 'x', 'y'), (np.int32(1),)),
        ('gather', lambda a, i: (a[i], a[:, i], a.at[i].add(1)), (X, 'x', 'y'), (np.arange(4),)),
        ('gather_by', lambda a, i: (a[i], jnp.take_along_axis(a, i[:, None], 1)), (X,), (np.arange(8), 'x')),
        ('sort', lambda a: (jnp.sort(a, axis=0), jnp.sort(a, axis=1), jnp.argsort(a)), (X, 'x')),
        ('sort_one', jnp.sort, (V, 'x')),
        ('scan', lambda a: (jnp.cumsum(a, axis=0), lax.cummax(a, axis=1)), (X, 'x', 'y')),
        ('convolution', lambda a, b: lax.conv(a[None, None], b[None, None, :3, :3], (1, 1), 'SAME'), (X, 'x', 'y'),
         (X,)),
        ('windows', lambda a: lax.reduce_window(a, 0., lax.add, (2, 2), (2, 2), 'VALID'), (X, 'x')),
        ('loop_carries', turns, (X, 'x', 'y'), (V,)),
        ('branches', lambda a, b: lax.cond(b[0] > 1, lambda: a, lambda: a.T * 2), (X, 'x'), (V,)),
        ('called_twice', twice, (X, 'x'), (X, 'y')),
        ('select', lambda a, b: (jnp.where(a > 1, a, 0), jnp.clip(b, 0, 1)), (X, 'x', 'y'), (X, 'y')),
        ('constants', lambda a: (jnp.ones((8, 8)), a + jnp.ones((8, 8)), jnp.arange(8.)), (X, 'x')),
        ('odd', lambda a: (a[:3], a[:6, :6], a[:5].T), (X, 'x', 'y')),
        ('eye', lambda a: (jnp.diag(a), jnp.tril(a), jnp.trace(a)), (X, 'x', 'y')),
        ('layer', lambda a, w, b: jax.nn.softmax(jnp.tanh(a @ w + b) @ w.T), (X, 'x'), (X, None, 'y'), (V, 'y')),
        ('gradient', jax.grad(lambda w, a: jnp.sum(jnp.tanh(a @ w) ** 2)), (X, None, 'y'), (X, 'x')),
        ('transform', lambda a: (jnp.fft.fft(a).real, jnp.fft.rfft(a).real, jnp.fft.fft2(B + a).imag), (X, 'x')),
        ('linear_algebra', lambda a: (jnp.linalg.eigh(a + a.mT)[0], jnp.linalg.qr(a)[1]), (B, 'x')),
        ('random', lambda a: a + jax.random.normal(jax.random.key(0), (8, 8)), (X, 'x', 'y')),
]:
    follows(FUNCTION, *SPECS, name=NAME)


def want(mesh, array, *spec):
    return lax.with_sharding_constraint(array, NamedSharding(mesh, P(*spec)))


@case
def wanted_inside(devices):
    mesh = mesh_of(devices)

    @jax.jit
    def f(a, b):
        inner = want(mesh, a @ b, 'x', 'y')
        some = want(mesh, jnp.sin(a), 'y', P.UNCONSTRAINED)
        return inner + 1, inner.sum(axis=1), some, some.T, want(mesh, b, 'x') * 2, b - 1

    return f(X, X + 1)


@case
def wanted_outside(devices):
    """What an output is to be goes backwards, and to an input."""
    mesh = mesh_of(devices)
    f = jax.jit(lambda a: (a * 2, (a * 3).sum(axis=0)), out_shardings=(NamedSharding(mesh, P('x', 'y')), None))
    return f(jax.device_put(X, NamedSharding(mesh, P())))


@case
def alike(devices):
    mesh = mesh_of(devices)

    @jax.jit
    def f(a):
        ones = jnp.ones_like(a)
        _, ones = shard_alike(a * 2, ones)
        return ones

    return f(put(mesh, X, 'x', 'y'))


@case
def some_axes_and_rest(devices):
    """Manual along one axis; the other one goes through."""
    mesh = mesh_of(devices)
    f = jax.shard_map(lambda a: jnp.sin(a).T, mesh=mesh, in_specs=P('x'), out_specs=P(None, 'x'), axis_names={'x'},
                      check_vma=False)
    return jax.jit(f)(put(mesh, X, 'x', 'y'))


@custom_partitioning
def product(a, b):
    return jnp.sin(a) @ b, a.max(axis=1)


def partition_product(mesh, arguments, results):
    """As it comes, if a's columns are b's rows; else gathered."""
    rows, inner = (tuple(arguments[0].sharding.spec) + (None, None))[:2]

    def body(a, b):
        total, greatest = jnp.sin(a) @ b, a.max(axis=1)
        return (lax.psum(total, inner), lax.pmax(greatest, inner)) if inner else (total, greatest)

    del results
    return (mesh, body, tuple(NamedSharding(mesh, spec) for spec in (P(rows, None), P(rows))),
            (NamedSharding(mesh, P(rows, inner)), NamedSharding(mesh, P(inner, None))))


product.def_partition(partition_product, sharding_rule='i j, j k -> i k, i', reduction_factors=('j',))


@case
def custom_partition(devices):
    mesh = mesh_of(devices)

    @jax.jit
    def f(a, b):
        once = product(a, b)
        again = lax.scan(lambda carried, _: (jax.jit(product)(carried, b)[0] / 9, None), a, None, length=3)[0]
        return once, again, product(once[0] + 1, b)

    return f(put(mesh, X, 'x', 'y'), put(mesh, X, 'y')), f(put(mesh, X), put(mesh, X, None, 'x'))


@case
def custom_partition_refused(devices):
    """What its Python raises is the compile's error."""
    mesh = mesh_of(devices)

    @custom_partitioning
    def f(a):
        return a

    def partition(*_):
        raise ValueError('the partition is not to be')

    f.def_partition(partition, sharding_rule='i j -> i j')
    try:
        jax.jit(f)(put(mesh, X, 'x'))
    except Exception as error:    # pylint: disable=broad-exception-caught
        assert 'the partition is not to be' in str(error), error
        return put(mesh, X)
    raise AssertionError('expected an error')


@case
def inspected(devices):
    """Of intermediate values, too, in functions that are called, loops, and what is manual."""
    mesh = mesh_of(devices)
    told = []

    def look(value):
        jax.debug.inspect_array_sharding(value, callback=lambda sharding: told.append((sharding, value.ndim)))
        return value

    def body(carried, _):
        return look(jnp.sin(carried)), None

    @jax.jit
    def f(a):
        inner = jax.jit(lambda b: look(b.T) + 1)
        first = inner(a)
        manual = jax.shard_map(lambda b: look(b) * 2, mesh=mesh, in_specs=P('x', 'y'), out_specs=P('x', 'y'))
        return lax.scan(body, inner(first), None, length=2)[0], manual(a).sum(axis=look(jnp.ones(3)).size - 2)

    answer = f(put(mesh, X, 'x', 'y'))
    jax.effects_barrier()
    found = sorted(str([(device.id, index) for device, index in
                        sharding.devices_indices_map((8,) * ndim).items()]) for sharding, ndim in told)
    assert len(found) == 5, found
    SEEN.setdefault('inspected', found)
    assert SEEN['inspected'] == found, (SEEN['inspected'], found)
    return answer


SEEN = {}


def shards(array):
    """What each device holds, by itself: of what is not reduced yet there is nothing else to look at."""
    return [shard.data for shard in array.addressable_shards]


@case
def unreduced(devices):
    """Each device's addend, of products, reductions, scatters, their sums, and of what was in parts."""
    mesh = Mesh(np.array([devices[i] for i in (0, 2, 1, 3)]).reshape(2, 2), ('x', 'y'),
                axis_types=(AxisType.Explicit,) * 2)
    rows, some = P('y', None, unreduced={'x'}), P(None, unreduced={'x', 'y'})

    @jax.jit
    def f(a, b, c, i):
        first = jnp.einsum('ab,bc->ac', a, b, out_sharding=rows)
        second = jnp.einsum('ab,bc->ac', jnp.sin(a), b, out_sharding=rows)
        return (first, first + second, lax.reduce_sum(c, axes=(0,), out_sharding=some),
                jnp.einsum('abc,abd->cd', c.reshape(2, 2, 16, out_sharding=P('x', 'y')),
                           c.reshape(2, 2, 16, out_sharding=P('x', 'y')), out_sharding=P(unreduced={'x', 'y'})),
                jax.ops.segment_sum(i * 3, i, num_segments=8, out_sharding=P(unreduced={'x'})),
                jax.sharding.reshard(b, P(None, None, unreduced={'x'})))

    with jax.set_mesh(mesh):
        return [shards(array) for array in f(put(mesh, X, 'y', 'x'), put(mesh, X, 'x'), put(mesh, X, ('x', 'y')),
                                             put(mesh, np.arange(8) % 3, 'x'))]


def places(answer):
    """By array and device: which part of it is there."""
    return [{device.id: index for device, index in array.sharding.devices_indices_map(array.shape).items()}
            for array in jax.tree.leaves(answer)]


def main():
    failures = 0
    for number, function in enumerate(CASES, 1):
        try:
            answers = [function(jax.devices(name)[:N]) for name in ('cpu', PLATFORM)]
            assert places(answers[0]) == places(answers[1]), [[array.sharding for array in jax.tree.leaves(answer)]
                                                              for answer in answers]
            expected, found = (jax.tree.map(np.asarray, answer) for answer in answers)
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
