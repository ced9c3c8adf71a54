# SPDX-License-Identifier: LGPL-2.1-or-later
"""All uses of JAX's internals.

Internals are not part of JAX's public interface and change. So this is the only module that uses jax._src, and each
feature looks up the names that it needs when JAX starts. Where a name is missing, only that feature is disabled:
list_missing() says which one and why. The names are those of JAX 0.10.
"""

import atexit
import dataclasses
import functools
import importlib
import inspect
import logging
import sys
import types

import jax
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir

from . import _callbacks, _ffi

logger = logging.getLogger('jax_plugins.ghlo')

# Primitives for which JAX has rules for the CPU that call LAPACK, and no rules for all platforms, or only slower ones.
# Cholesky factorizations and triangular systems are operations of StableHLO, which also run with LAPACK.
LINEAR_ALGEBRA = (
    'eig', 'eigh', 'geqp3', 'geqrf', 'hessenberg', 'householder_product', 'lu', 'ormqr', 'schur', 'svd', 'tridiagonal',
    'tridiagonal_solve',
)

_missing = {}


class _Unknown(Exception):
    """This version of JAX lacks a name; the message says which one."""


def _find(module, name):
    """Returns the object of that name in a module of jax._src."""
    try:
        return getattr(importlib.import_module(f'jax._src.{module}'), name)
    except (ImportError, AttributeError) as error:
        raise _Unknown(f'this version of JAX has no jax._src.{module}.{name}') from error


def _find_rule(primitive, platform=None):
    """Returns JAX's lowering rule of a primitive for the platform or, without one, the rule for all other platforms."""
    rules = _find('interpreters.mlir', '_lowerings') if platform is None else \
        _find('interpreters.mlir', '_platform_specific_lowerings').get(platform, {})
    if primitive not in rules:
        raise _Unknown(f"this version of JAX has no rule for '{primitive}' on {platform or 'all platforms'}")
    return rules[primitive].rule


def is_registered(platform):
    return xla_bridge.is_known_platform(platform)


def register(platform, path, list_options):
    """Makes JAX load the plugin, whose client gets these options and those in JAX's configuration."""
    xla_bridge.register_plugin(platform, library_path=str(path), options=list_options)


def _add_donation(platform, _path):
    platforms = _find('interpreters.mlir', '_platforms_with_donation')
    if platform not in platforms:
        platforms.append(platform)


def _add_linear_algebra(platform, _path):
    unknown = []
    for name in LINEAR_ALGEBRA:
        try:
            primitive = _find('lax.linalg', f'{name}_p')
            mlir.register_lowering(primitive, _find_rule(primitive, 'cpu'), platform=platform)
        except _Unknown as error:
            unknown.append(str(error))
    if unknown:
        raise _Unknown('; '.join(unknown))


def _add_scaled_matmul(platform, _path):
    """Lowers scaled_matmul to jax.lax.scaled_dot, which becomes StableHLO."""
    def multiply(left, right, left_scales, right_scales, preferred_element_type):
        # In both operands the first dimension is the batch, and the last one is contracted.
        return scaled_dot(left, right, lhs_scale=left_scales, rhs_scale=right_scales,
                          dimension_numbers=(((2,), (2,)), ((0,), (0,))), preferred_element_type=preferred_element_type)

    primitive = _find('cudnn.scaled_matmul_stablehlo', '_scaled_matmul_p')
    scaled_dot = getattr(jax.lax, 'scaled_dot', None)
    if scaled_dot is None:
        raise _Unknown('this version of JAX has no jax.lax.scaled_dot')
    mlir.register_lowering(primitive, mlir.lower_fun(multiply, multiple_results=False), platform=platform)


def _add_platform_dependent(platform, _path):
    """Uses the CPU's branch of jax.lax.platform_dependent when there is none for this platform and no default."""
    def add_ours(branches):
        if branches is None or any(names is None or platform in names for names in branches):
            return branches
        return tuple((*names, platform) if 'cpu' in names else names for names in branches)

    def lower_index(ctx, *args, platforms, **params):
        return index_rule(ctx, *args, platforms=add_ours(platforms), **params)

    def lower_cond(ctx, *args, **params):
        if 'branches_platforms' in params:
            params['branches_platforms'] = add_ours(params['branches_platforms'])
        return cond_rule(ctx, *args, **params)

    index, cond = (_find('lax.control_flow.conditionals', name) for name in ('platform_index_p', 'cond_p'))
    index_rule, cond_rule = _find_rule(index), _find_rule(cond)
    mlir.register_lowering(index, lower_index, platform=platform)
    mlir.register_lowering(cond, lower_cond, platform=platform)


def _add_exported(platform, _path):
    """Runs programs that jax.export has made for the CPU, including their calls of LAPACK."""
    primitive = _find('export._export', 'call_exported_p')
    rule = _find_rule(primitive)

    def lower(ctx, *args, exported):
        if platform not in exported.platforms and 'cpu' in exported.platforms:
            platforms = tuple(platform if name == 'cpu' else name for name in exported.platforms)
            exported = dataclasses.replace(exported, platforms=platforms)
        return rule(ctx, *args, exported=exported)

    mlir.register_lowering(primitive, lower, platform=platform)


def _add_dlpack(platform, _path):
    """Exports arrays through DLPack as arrays in host memory, since JAX has no DLPack device type for this platform."""
    array, dlpack = _find('array', 'ArrayImpl'), importlib.import_module('jax._src.dlpack')
    to_dlpack, find_device = _find('dlpack', 'to_dlpack'), array.__dlpack_device__
    on_host = (_find('dlpack', 'DLDeviceType').kDLCPU, 0)

    def is_ours(value):
        return isinstance(value, array) and value.platform() == platform

    @functools.wraps(to_dlpack)
    def to_dlpack_from_host(x, stream=None, src_device=None, *others, **options):
        if is_ours(x):
            src_device, = jax.devices('cpu')[:1]
            # NumPy's array is a view of the host memory, and JAX's CPU array is a view of NumPy's.
            x = jax.device_put(np.asarray(x), src_device)
        return to_dlpack(x, stream, src_device, *others, **options)

    @functools.wraps(find_device)
    def find_device_or_host(self):
        return on_host if is_ours(self) else find_device(self)

    dlpack.to_dlpack = to_dlpack_from_host
    array.__dlpack_device__ = find_device_or_host


# Callbacks into Python. JAX lowers all of them with one function, which rejects platforms that it does not know.


def _specify(aval, dtypes, core):
    """Returns the shape and NumPy type of a value's physical representation."""
    if aval.dtype == dtypes.float0:
        return jax.ShapeDtypeStruct(aval.shape, np.bool_)
    physical = core.physical_aval(aval)
    return jax.ShapeDtypeStruct(physical.shape, physical.dtype)


def _check(outputs, expected, canonicalize):
    """Converts the outputs of a callback to arrays and checks them against the types in the program."""
    if len(outputs) != len(expected):
        raise RuntimeError(f'expected {len(expected)} outputs from the callback, found {len(outputs)}')
    # Outputs may be Python numbers, or arrays of other packages.
    arrays = [canonicalize(np.asarray(output)) for output in outputs]
    for i, (array, specification) in enumerate(zip(arrays, expected)):
        if (array.shape, array.dtype) != (specification.shape, specification.dtype):
            # JAX's own wording, which its tests look for.
            what = 'dtype' if array.shape == specification.shape else 'shape'
            raise RuntimeError(f'Incorrect output {what} for return value {i} of the callback: expected '
                               f'{specification.dtype}{list(specification.shape)}, found '
                               f'{array.dtype}{list(array.shape)}')
    return arrays


def _add_token(sharding):
    """Adds a sharding for the token, which is the first result: Shardy has one for each result.

    The token's sharding is that of a value without dimensions.
    """
    if not hasattr(sharding, 'shardings'):
        return sharding
    token = dataclasses.replace(sharding.shardings[0], mesh_shape=(), dim_shardings=())
    return dataclasses.replace(sharding, shardings=(token, *sharding.shardings))


def _emit(ctx, callback, token, operands, operand_avals, result_avals, has_side_effect, sharding, names):
    """Emits a custom call of the function, which lives as long as a program that calls it."""
    inputs = [_specify(aval, names.dtypes, names.core) for aval in operand_avals]
    outputs = [_specify(aval, names.dtypes, names.core) for aval in result_avals]
    canonicalize = names.dtypes.canonicalize_value
    holder = _callbacks.Holder(_callbacks.Function(lambda *arrays: _check(callback(*arrays), outputs, canonicalize),
                                                   inputs, outputs))
    ctx.module_context.add_keepalive(holder)
    ir = names.ir
    tokens = [token] if token else []
    result_types = [ir.RankedTensorType.get(output.shape, mlir.dtype_to_ir_type(output.dtype)) for output in outputs]
    operation = mlir.custom_call(
        'ghlo_python_callback', operands=[*tokens, *operands],
        result_types=[*(value.type for value in tokens), *result_types],
        backend_config={'index': ir.IntegerAttr.get(ir.IntegerType.get_signless(64), holder.index)},
        has_side_effect=has_side_effect, api_version=4)
    if sharding is not None:
        names.set_sharding(ctx.module_context, operation, _add_token(sharding) if tokens and outputs else sharding)
    results = list(operation.results)
    return results[len(tokens):], results[0] if tokens else token, holder


def _find_set_sharding():
    """Returns set_sharding with a context as its first parameter, which it does not have before JAX 0.10."""
    function = _find('interpreters.mlir', 'set_sharding')
    if len(inspect.signature(function).parameters) == 3:
        return function
    return lambda _context, operation, sharding: function(operation, sharding)


def _add_callbacks(platform, path):
    names = types.SimpleNamespace(
        core=importlib.import_module('jax._src.core'), dtypes=importlib.import_module('jax._src.dtypes'),
        ir=_find('lib.mlir', 'ir'), set_sharding=_find_set_sharding())
    original = _find('callback', 'emit_python_callback')

    @functools.wraps(original)
    def emit(ctx, callback, token, operands, operand_avals, result_avals, *, has_side_effect, sharding=None, **others):
        if tuple(ctx.platforms or ctx.module_context.platforms) == (platform,):
            return _emit(ctx, callback, token, operands, operand_avals, result_avals, has_side_effect, sharding, names)
        return original(ctx, callback, token, operands, operand_avals, result_avals, has_side_effect=has_side_effect,
                        sharding=sharding, **others)

    primitives = [_find('debugging', 'debug_callback_p'), _find('debugging', 'debug_print_p'),
                  _find('checkify', 'check_p')]
    rules = [_find_rule(primitive, 'cpu') for primitive in primitives]
    _callbacks.connect(path)
    # Runs before the plugin is told that Python is ending. JAX waits for effects itself, but later.
    atexit.register(jax.effects_barrier)
    for module in ('jax._src.callback', 'jax.interpreters.mlir'):
        importlib.import_module(module).emit_python_callback = emit
    for primitive, rule in zip(primitives, rules):
        mlir.register_lowering(primitive, rule, platform=platform)


def _find_devices(context, names):
    """Returns the devices on which a program runs, and their mesh, from the context of its lowering."""
    if not isinstance(context, names.ShardingContext):
        return context.mesh._flat_devices_tuple, context.mesh
    mesh = context.abstract_mesh
    if mesh is None:
        return context.device_assignment, names.thread_resources.env.physical_mesh
    return context.device_assignment, names.Mesh(np.array(context.device_assignment).reshape(mesh.axis_sizes),
                                                 mesh.axis_names)


def _add_inspection(platform, _path):
    """Lowers jax.debug.inspect_array_sharding in programs of several devices. JAX would emit a function's address."""
    primitive = _find('debugging', 'inspect_sharding_p')
    rule = _find_rule(primitive)
    names = types.SimpleNamespace(
        **{name: _find('sharding_impls', name) for name in ('GSPMDSharding', 'NamedSharding', 'PartitionSpec',
                                                            'ShardingContext', 'parse_flatten_op_sharding')},
        **{name: _find('mesh', name) for name in ('Mesh', 'thread_resources')})
    client, ir = _find('lib', 'xla_client'), _find('lib.mlir', 'ir')

    def lower(ctx, value, *, callback):
        devices, mesh = _find_devices(ctx.module_context.axis_context, names)
        if devices is None or len(devices) == 1:
            return rule(ctx, value, callback=callback)

        def tell(message):
            proto = client.OpSharding()
            proto.ParseFromString(message)
            sharding = client.HloSharding.from_proto(proto)
            if mesh.empty:
                callback(names.GSPMDSharding(devices, sharding))
            else:
                callback(names.NamedSharding(mesh, names.parse_flatten_op_sharding(sharding, mesh)[0]))

        holder = _callbacks.Holder(_callbacks.Listener(tell))
        ctx.module_context.add_keepalive(holder)
        index = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), holder.index)
        mlir.custom_call('ghlo_inspect_sharding', operands=[value], result_types=[], backend_config={'index': index},
                         has_side_effect=True, api_version=4)
        return []

    mlir.register_lowering(primitive, lower, platform=platform)


def _add_ffi(platform, path):
    """Registers FFI handlers with the plugin, including those that were registered before it was loaded."""
    client = importlib.import_module('jaxlib.xla_client')
    registrar = _ffi.Registrar(path)
    for name, register in (('register_custom_call_handler', registrar.register_call),
                           ('register_custom_type_handler', registrar.register_type)):
        if not hasattr(client, name):
            raise _Unknown(f'this version of JAX has no jaxlib.xla_client.{name}')
        getattr(client, name)(platform, register)


def _add_sparse_solver(platform, _path):
    """Uses the CPU's rule of jax.experimental.sparse, which calls back into SciPy.

    The rule is taken over when its module is loaded, since loading takes long and few programs need it.
    """
    name, module = 'spsolve', sys.modules.get('jax.experimental.sparse.linalg')
    names = importlib.import_module('jax.interpreters.mlir')
    if not hasattr(names, 'register_lowering'):
        raise _Unknown('this version of JAX has no jax.interpreters.mlir.register_lowering')
    if module is not None:
        primitive = getattr(module, f'{name}_p')
        mlir.register_lowering(primitive, _find_rule(primitive, 'cpu'), platform=platform)
        return
    original = names.register_lowering

    @functools.wraps(original)
    def register(primitive, rule, *others, **options):
        if primitive.name == name and options.get('platform') == 'cpu':
            original(primitive, rule, *others, **{**options, 'platform': platform})
        return original(primitive, rule, *others, **options)

    names.register_lowering = register


_FEATURES = {
    'donation': _add_donation,
    'linear algebra': _add_linear_algebra,
    'callbacks': _add_callbacks,
    'inspected shardings': _add_inspection,
    'scaled_matmul': _add_scaled_matmul,
    'platform_dependent': _add_platform_dependent,
    'programs of jax.export for the CPU': _add_exported,
    'DLPack': _add_dlpack,
    'FFI': _add_ffi,
    'sparse systems': _add_sparse_solver,
}


def add_features(platform, path):
    """Adds the features of the platform to JAX, after the platform has been registered."""
    for name, add in _FEATURES.items():
        try:
            add(platform, path)
        except Exception as error:    # pylint: disable=broad-exception-caught
            # A feature that fails, for whatever reason, must not disable the others.
            _missing[name] = str(error) if isinstance(error, _Unknown) else f'{type(error).__name__}: {error}'
    if _missing:
        logger.warning('unavailable features: %s; jax_plugins.ghlo.list_missing() returns the reasons',
                       ', '.join(_missing))


def list_missing():
    return dict(_missing)
