#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds a model and writes it for all systems, in a process of its own, as stored.py describes:

    prepare.py FOLDER MODEL BATCH TYPE...

Prints what could not be written."""

import contextlib
import os
import sys

import numpy as np
import torch

import models
import stored


def to_numpy(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype != torch.bfloat16:
        return tensor.numpy()
    import ml_dtypes
    return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)


class Gone:
    """An operator that torchax has a rule for and this PyTorch no longer has."""

    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return Gone(f'{self.name}.{name}')

    def __call__(self, *arguments, **options):
        raise RuntimeError(f'there is no operator {self.name}')

    def overloads(self):
        return []


@contextlib.contextmanager
def with_operators_gone():
    """Lets torchax, which is older than PyTorch, name operators that no longer exist."""
    from torch import _decomp, _ops
    kinds = (_ops._OpNamespace, _ops.OpOverloadPacket)    # pylint: disable=protected-access
    found, decompositions = [kind.__getattr__ for kind in kinds], _decomp.get_decompositions

    def make(get):
        def get_or_gone(self, name):
            try:
                return get(self, name)
            except AttributeError:
                if name.startswith('__'):
                    raise
                return Gone(f'{self}.{name}')
        return get_or_gone
    for kind, get in zip(kinds, found):
        kind.__getattr__ = make(get)
    _decomp.get_decompositions = lambda ops, *others, **options: decompositions(
        [op for op in ops if not isinstance(op, Gone)], *others, **options)
    try:
        yield
    finally:
        for kind, get in zip(kinds, found):
            kind.__getattr__ = get
        _decomp.get_decompositions = decompositions


def lower_by_torchax(module, inputs):
    """The text of a module, and the arrays that it takes: weights, then inputs."""
    import jax
    with with_operators_gone():
        import torchax
        import torchax.export
        torchax.default_env()
    with torch.no_grad():
        exported = torch.export.export(module, inputs)
    weights, function = torchax.export.exported_program_to_jax(exported)
    weights = [np.asarray(weight) for weight in weights]
    arrays = [to_numpy(x) for x in inputs]
    arrays = [array.astype(np.int32) if array.dtype == np.int64 else array for array in arrays]
    text = jax.jit(function, keep_unused=True).lower(
        [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in weights],
        tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays)).as_text()
    return text, weights, arrays


def write_by_torchax(folder, module, inputs):
    text, weights, arrays = lower_by_torchax(module, inputs)
    stored.write_program(folder, text, [*weights, *arrays], ['weight'] * len(weights) + ['input'] * len(arrays), [])


def write_by_jax(folder, module, inputs, kind, name):
    """The program of in_jax.py. State is the first outputs, and given up by each run."""
    import in_jax
    import jax
    function, *arguments = in_jax.MAKERS[name](module, [to_numpy(x) for x in inputs], kind)
    weights, state, arrays = arguments
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), (weights, state, *arrays))
    text = jax.jit(function, keep_unused=True, donate_argnums=(1,) if state else ()).lower(*shapes).as_text()
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves((weights, state, *arrays))]
    n_weights, n_state = len(jax.tree.leaves(weights)), len(state)
    roles = ['weight'] * n_weights + ['state'] * n_state + ['input'] * len(arrays)
    stored.write_program(folder, text, leaves, roles, [(n, n_weights + n) for n in range(n_state)])


def write_onnx(folder, module, inputs):
    with torch.no_grad():
        torch.onnx.export(module, inputs, os.path.join(folder, 'f32.onnx'), dynamo=True, external_data=True,
                          verbose=False, report=False)


class Calibration:
    """The one input that is known, for ONNX Runtime's calibration."""

    def __init__(self, name, array):
        self.left = [{name: array}]

    def get_next(self):
        return self.left.pop() if self.left else None

    def set_range(self, start_index, end_index):
        """Of the one input there is nothing to choose."""


def write_onnx_integers(folder, kind, static):
    """ONNX Runtime's quantization of f32.onnx: with static scales between operations, or dynamic; in int4 of weights
    alone, in groups of 32."""
    import onnx
    from onnxruntime import quantization
    source, target = os.path.join(folder, 'f32.onnx'), os.path.join(folder, f'{kind}.onnx')
    if kind == 'int4':
        from onnxruntime.quantization import matmul_nbits_quantizer
        quantizer = matmul_nbits_quantizer.MatMulNBitsQuantizer(onnx.load(source), block_size=32, is_symmetric=True)
        quantizer.process()
        quantizer.model.save_model_to_file(target, use_external_data_format=True)
    elif static:
        name = onnx.load(source, load_external_data=False).graph.input[0].name
        quantization.quantize_static(source, target, Calibration(name, np.asarray(stored.read_feed(folder)[0])),
                                     per_channel=True, activation_type=quantization.QuantType.QUInt8,
                                     weight_type=quantization.QuantType.QInt8)
    else:
        quantization.quantize_dynamic(source, target, weight_type=quantization.QuantType.QInt8, per_channel=True,
                                      use_external_data_format=os.path.getsize(source + '.data') > 1 << 30)


def write_gguf(path, module, kind):
    import in_gguf
    in_gguf.write(path, module, kind)


def attempt(what, function, *arguments):
    try:
        function(*arguments)
    except Exception as error:  # pylint: disable=broad-except
        print(f'{what}: {type(error).__name__}: {(str(error).splitlines() or [""])[0][:200]}', flush=True)


def main():
    folder, name, batch, *kinds = sys.argv[1:]
    model = models.MODELS[name]
    os.makedirs(folder, exist_ok=True)
    module, inputs = models.make(name, int(batch))
    with torch.no_grad():
        expected = module(*inputs)
    np.save(os.path.join(folder, 'expected.npy'), to_numpy(expected[0] if isinstance(expected, tuple) else expected))
    for number, x in enumerate(inputs):
        np.save(os.path.join(folder, f'feed{number}.npy'), to_numpy(x))
    torch.save(module, os.path.join(folder, 'module.pt'))
    if model.onnx and not os.path.exists(os.path.join(folder, 'f32.onnx')):
        attempt('f32.onnx', write_onnx, folder, module, inputs)
    for kind in kinds:
        if kind.startswith('int') and model.onnx:
            attempt(f'{kind}.onnx', write_onnx_integers, folder, kind, model.static)
        if isinstance(module, models.LlamaDecode):
            attempt(f'{kind}.gguf', write_gguf, os.path.join(folder, f'{kind}.gguf'), module, kind)
        if kind in model.jax:
            attempt(f'{kind} by JAX', write_by_jax, os.path.join(folder, kind), module, inputs, kind, name)
    # Last, since it changes the module.
    for kind in [kind for kind in ('f32', 'bf16') if kind in kinds and kind not in model.jax]:
        if kind == 'bf16':
            module, inputs = models.narrow(module, inputs)
        attempt(f'{kind} by torchax', write_by_torchax, os.path.join(folder, kind), module, inputs)


if __name__ == '__main__':
    main()
