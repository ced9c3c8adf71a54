#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The package that tells JAX of GHLO; see tests/jax/run.

Tests of the start of a process run in processes of their own.
"""

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import jax_plugins.ghlo
import numpy as np
from jax.ad_checkpoint import checkpoint_name
from jax.experimental.layout import Format, Layout
from jax.experimental.shard_alike import shard_alike
from jax.sharding import SingleDeviceSharding

import tap

# Where Debian has PyGObject, which comes after the environment's own packages.
SYSTEM = '/usr/lib/python3/dist-packages'

# What there is no way to give to older versions.
LACKS = set() if jax.__version_info__ >= (0, 10) else {'scaled_matmul'}


def start(code, **variables):
    """What a fresh Python prints, which must end well."""
    environment = {**os.environ, **variables}
    done = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True, text=True, check=False,
                          timeout=120)
    if done.returncode != 0:
        raise AssertionError(f'status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout, done.stderr


def test_registered():
    assert jax.devices()[0].platform == 'ghlo'
    assert jax.default_backend() == 'ghlo'
    assert set(jax_plugins.ghlo.list_missing()) == LACKS, jax_plugins.ghlo.list_missing()
    jax_plugins.ghlo.initialize()
    np.testing.assert_array_equal(jnp.ones(3) + 1, [2, 2, 2])


def test_options():
    code = 'import jax; jax.config.update("jax_pjrt_client_create_options", {}); print(len(jax.devices("ghlo")))'
    assert start(code.format('"device:cpu;devices:3"'))[0] == '3\n'
    code = 'import jax; print(jax.devices("ghlo"))'
    try:
        start(code, GHLO_DEVICE='abacus')
    except AssertionError as error:
        assert "found 'abacus'" in str(error), error
    else:
        raise AssertionError('expected no device of that name')


def test_without_the_plugin():
    output, errors = start('import jax; print(jax.default_backend())', JAX_PLATFORMS='',
                           GHLO_PJRT_PLUGIN='/nowhere/plugin.so')
    assert output == 'cpu\n'
    assert "expected GHLO's plugin at the path in GHLO_PJRT_PLUGIN, found no file /nowhere/plugin.so" in errors, errors


def test_missing_names():
    """A JAX without a name is without that feature."""
    output, errors = start('''
import jax, jax_plugins.ghlo
from jax._src import callback
del callback.emit_python_callback
print(jax.numpy.ones(3) + 1)
print(jax_plugins.ghlo.list_missing()['callbacks'])
''')
    assert output == '[2. 2. 2.]\nthis version of JAX has no jax._src.callback.emit_python_callback\n', output
    assert errors.count('list_missing() returns the reasons') == 1, errors


def test_layouts():
    """Arrays lie as they are asked to, and are the same arrays."""
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    sharding = SingleDeviceSharding(jax.devices()[0])
    for order in (0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1):
        laid_out = jax.device_put(x, Format(Layout(order), sharding))
        assert laid_out.format.layout.major_to_minor == order
        np.testing.assert_array_equal(laid_out, x)
        np.testing.assert_array_equal(laid_out[1, :, 2], x[1, :, 2])
        np.testing.assert_array_equal(jnp.sin(laid_out).sum(1), jnp.sin(x).sum(1))
        double = jax.jit(lambda v: 2 * v, in_shardings=laid_out.format, donate_argnums=0,
                         out_shardings=Format(Layout(order[::-1]), sharding))
        doubled = double(laid_out)
        assert laid_out.is_deleted() and doubled.format.layout.major_to_minor == order[::-1]
        np.testing.assert_array_equal(doubled, 2 * x)
        if os.environ['GHLO_DEVICE'] == 'cpu':    # where NumPy sees the memory itself
            assert np.asarray(doubled).strides[order[0]] == 4
        np.testing.assert_array_equal(np.from_dlpack(doubled), 2 * x)


def test_donation():
    double = jax.jit(lambda x: 2 * x, donate_argnums=0)
    x = jnp.ones(1000)
    np.testing.assert_array_equal(double(x), np.full(1000, 2))
    assert x.is_deleted()


def test_compiler_options():
    """Those of XLA's that there is a counterpart of, what is none, and its others. Conversions are never dropped."""
    lowered = jax.jit(lambda x, y: (x + y - x, (x + y).astype(jnp.float32).astype(jnp.bfloat16))).lower(
        jnp.ones(3, jnp.bfloat16), jnp.ones(3, jnp.bfloat16))
    for options, kept in (({}, True), ({'xla_allow_excess_precision': True}, True),
                          ({'xla_allow_excess_precision': 'false'}, False),
                          ({'xla_backend_optimization_level': 0, 'xla_cpu_enable_fast_math': False}, False)):
        found = lowered.compile(compiler_options=options)(jnp.full(3, 256, jnp.bfloat16), jnp.ones(3, jnp.bfloat16))
        np.testing.assert_array_equal(found[0], np.full(3, 1 if kept else 0), err_msg=str(options))
        np.testing.assert_array_equal(found[1], np.full(3, 256), err_msg=str(options))
    for options, problem in (({'abacus': 1}, "No such compile option: 'abacus'"),
                             ({'xla_allow_excess_precision': 'perhaps'}, "'perhaps' is not a valid bool value"),
                             ({'xla_backend_optimization_level': 'high'}, "'high' is not a valid int32 value")):
        try:
            lowered.compile(compiler_options=options)
        except jax.errors.JaxRuntimeError as error:
            assert problem in str(error), error
        else:
            raise AssertionError(f'expected {options} to be refused')


def test_text():
    """Of compiled programs with shardings, on one device."""
    mesh = jax.make_mesh((1,), ('x',), axis_types=(jax.sharding.AxisType.Auto,))
    spec = jax.sharding.PartitionSpec('x')
    shared = jax.sharding.NamedSharding(mesh, spec)
    twice = jax.shard_map(lambda x: jax.lax.psum(jnp.sin(x), 'x'), mesh=mesh, in_specs=spec,
                          out_specs=jax.sharding.PartitionSpec())
    for function in (lambda x: jax.lax.with_sharding_constraint(jnp.sin(x), shared), twice,
                     lambda x: shard_alike(jnp.sin(x), x)[0]):
        text = jax.jit(function).lower(jnp.ones(4)).compile().as_text()
        assert 'sine(' in text, text


def test_tokens():
    """They are no arrays."""
    token = jax.lax.create_token()
    try:
        np.asarray(token._buf)    # pylint: disable=protected-access
    except RuntimeError as error:
        assert 'token' in str(error), error
    else:
        raise AssertionError('expected no array')
    _, found = jax.jit(lambda t, x: (t, x + 1))(token, 1.0)
    assert found == 2


def test_memories():
    """Devices in host memory have kinds of it, as JAX's CPU has."""
    device = jax.devices()[0]
    kinds = [memory.kind for memory in device.addressable_memories()]
    assert kinds[0] == 'device', kinds
    for kind in kinds:
        sharding = jax.sharding.SingleDeviceSharding(device, memory_kind=kind)
        x = jax.device_put(jnp.arange(4.0), sharding)
        assert x.sharding.memory_kind == kind
        y = jax.jit(lambda v: v * 2, out_shardings=sharding)(jnp.arange(4.0))
        assert y.sharding.memory_kind == kind
        np.testing.assert_array_equal(y, [0, 2, 4, 6])
    if 'pinned_host' in kinds:
        policy = jax.checkpoint_policies.save_and_offload_only_these_names(
            names_which_can_be_saved=[], names_which_can_be_offloaded=['y'], offload_src='device',
            offload_dst='pinned_host')

        def step(x):
            y = checkpoint_name(jnp.sin(x), 'y')
            return jnp.sin(y).sum()

        x = jnp.arange(4.0)
        np.testing.assert_allclose(jax.jit(jax.grad(jax.checkpoint(step, policy=policy)))(x), jax.grad(step)(x),
                                   rtol=1e-6)


def test_platform_dependent():
    def choose(x, **branches):
        return jax.lax.platform_dependent(x, **branches)

    one, two, three = (lambda x, k=k: k * x for k in (1, 2, 3))
    for run in (choose, lambda x, **branches: jax.jit(lambda y: choose(y, **branches))(x)):
        assert run(1.0, cpu=two, tpu=one) == 2
        assert run(1.0, ghlo=three, cpu=two) == 3
        assert run(1.0, cpu=two, default=three) == 3
    try:
        jax.jit(lambda x: choose(x, cuda=one, tpu=two))(1.0)
    except NotImplementedError:
        pass
    else:
        raise AssertionError('expected no branch to choose')


def test_scaled_matmul():
    if 'scaled_matmul' in LACKS:
        return
    random = np.random.RandomState(1)
    left, right = (jnp.asarray(random.randn(2, 4, 64), jnp.float8_e4m3fn) for _ in range(2))
    scales = [jnp.asarray(2.0 ** random.randint(-2, 3, (2, 4, 2)), jnp.float8_e8m0fnu) for _ in range(2)]
    full = [np.asarray(array, np.float32) * np.repeat(np.asarray(scale, np.float32), 32, axis=2)
            for array, scale in zip((left, right), scales)]
    np.testing.assert_allclose(jax.nn.scaled_matmul(left, right, *scales), np.einsum('bmk,bnk->bmn', *full), rtol=1e-5,
                               atol=1e-4)


def check_rows(found, expected, name):
    """The same but for signs and order, which are free."""
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        np.testing.assert_allclose(np.sort(np.abs(one).ravel()), np.sort(np.abs(other).ravel()), rtol=1e-3, atol=1e-4,
                                   err_msg=name)


def test_linear_algebra():
    """Each routine that JAX calls, against NumPy where there is a counterpart, else by what it decomposes."""
    square = np.random.RandomState(2).randn(2, 5, 5).astype(np.float32)
    symmetric = square + np.swapaxes(square, 1, 2)
    for name, argument in (('eigh', symmetric), ('eig', square), ('svd', square), ('inv', square), ('eigvals', square),
                           ('qr', square), ('slogdet', square), ('pinv', square)):
        check_rows(jax.jit(getattr(jnp.linalg, name))(argument), getattr(np.linalg, name)(argument), name)
    form, basis = jax.jit(jax.scipy.linalg.schur)(square[0])
    np.testing.assert_allclose(basis @ form @ basis.T, square[0], atol=1e-4)
    form, basis = jax.jit(lambda a: jax.scipy.linalg.hessenberg(a, calc_q=True))(square[0])
    np.testing.assert_allclose(basis @ form @ basis.T, square[0], atol=1e-4)
    q, r, order = jax.jit(lambda a: jax.scipy.linalg.qr(a, pivoting=True))(square[0])
    np.testing.assert_allclose(q @ r, square[0][:, order], atol=1e-4)
    ones = jnp.ones(5)
    solution = jax.lax.linalg.tridiagonal_solve(ones.at[0].set(0), 4 * ones, ones.at[-1].set(0), jnp.ones((5, 1)))
    matrix = 4 * np.eye(5) + np.eye(5, k=1) + np.eye(5, k=-1)
    np.testing.assert_allclose(solution[:, 0], np.linalg.solve(matrix, np.ones(5)), rtol=1e-5)


def test_sparse_systems():
    """By a module that is loaded after JAX has found the platform, and before."""
    solve = '''
from jax.experimental.sparse.linalg import spsolve
import numpy as np
print(jax.jit(spsolve)(np.float32([2, 1, 4]), np.int32([0, 0, 1]), np.int32([0, 1, 3]), np.float32([4, 10])))
'''
    find = 'import jax, sys\njax.devices()\nassert "jax.experimental.sparse" not in sys.modules\n'
    assert start(find + solve)[0] == '[2. 2.]\n'
    assert start('import jax, jax.experimental.sparse.linalg\n' + solve)[0] == '[2. 2.]\n'


def test_exported():
    """Programs for the CPU, alone and among others, with LAPACK's calls."""
    matrix = np.random.RandomState(3).randn(4, 4).astype(np.float32)
    for platforms in (['cpu'], ['cpu', 'tpu']):
        if platforms == ['cpu']:
            function = jax.jit(lambda a: jnp.linalg.eigh(a + a.T)[0])
        else:
            function = jax.jit(lambda a: jnp.sin(a) @ a)
        exported = jax.export.deserialize(jax.export.export(function, platforms=platforms)(matrix).serialize())
        np.testing.assert_allclose(jax.jit(exported.call)(matrix), function(matrix), rtol=1e-4, atol=1e-5)


def test_dlpack():
    array = jnp.arange(6, dtype=jnp.float32).reshape(2, 3) + 1
    assert array.__dlpack_device__()[0] == 1, array.__dlpack_device__()
    np.testing.assert_array_equal(np.from_dlpack(array), np.asarray(array))
    np.testing.assert_array_equal(jax.dlpack.from_dlpack(array), np.asarray(array))


def test_beside_the_library():
    """GHLO's own API and JAX on the plugin, in one process, whichever comes first."""
    ours = f'''
import sys
sys.path.append('{SYSTEM}')
import gi
gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo
import numpy as np
text = 'func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{ return %x : tensor<2xf32> }}'
(y,) = Ghlo.Client().compile(Ghlo.Program.parse(text))(np.array([1, 2], np.float32))
print(np.asarray(y).tolist())
'''
    theirs = 'import jax\nprint(jax.numpy.ones(3, jax.numpy.int32) + 1, jax.devices()[0].platform)\n'
    if not os.path.exists(f'{SYSTEM}/gi') or 'GI_TYPELIB_PATH' not in os.environ:
        return
    assert start(ours + theirs + ours)[0] == '[1.0, 2.0]\n[2 2 2] ghlo\n[1.0, 2.0]\n'
    assert start(theirs + ours + theirs)[0] == '[2 2 2] ghlo\n[1.0, 2.0]\n[2 2 2] ghlo\n'


if __name__ == '__main__':
    tap.run(sys.modules[__name__])
