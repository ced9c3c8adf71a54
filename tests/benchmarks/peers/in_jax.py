# SPDX-License-Identifier: LGPL-2.1-or-later
"""Models in JAX from the weights of PyTorch's modules: what torchax cannot say. A language model's step with caches
that keep their size, and weights of 8 or 4 bits; ResNet-50 with static scales, and BERT that finds its scales, in int8.

Each function returns the function, its weights, and its other inputs; a weight of a product is a tuple of arrays."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from stored import CACHE, POSITION

GROUP = 32    # of int4's scales


def quantize(weight, axes):
    """int8 and its scales, which are found over some axes."""
    scale = np.maximum(np.abs(weight).max(axes, keepdims=True), 1e-30) / 127
    return np.clip(np.round(weight / scale), -127, 127).astype(np.int8), np.float32(scale.reshape(-1))


def pack(weight, kind):
    """A matrix of PyTorch's, [outputs, inputs], as an operand [inputs, outputs] of a kind."""
    weight = np.ascontiguousarray(weight.T)
    if kind == 'int8':
        return quantize(weight, 0)
    if kind == 'int4':
        groups = weight.reshape(-1, GROUP, weight.shape[1])
        scale = np.abs(groups).max(1, keepdims=True) / 7
        return np.clip(np.round(groups / scale), -8, 7).astype(ml_dtypes.int4), np.float32(scale)
    return (weight.astype(ml_dtypes.bfloat16 if kind == 'bf16' else np.float32),)


def multiply(x, parts):
    """A product with a weight of pack, whose numbers are made floats."""
    if len(parts) == 1:
        return x @ parts[0]
    values, scale = parts
    if values.ndim == 3:
        return x @ (values.astype(x.dtype) * scale).reshape(x.shape[-1], -1)
    return (x @ values.astype(x.dtype)) * scale


def multiply_integers(x, parts):
    """The same with rows rounded to int8, by scales found for each."""
    scale = jnp.maximum(jnp.abs(x).max(-1, keepdims=True), 1e-30) / 127
    rounded = jnp.clip(jnp.round(x / scale), -127, 127).astype(jnp.int8)
    dimensions = (((x.ndim - 1,), (0,)), ((), ()))
    sums = lax.dot_general(rounded, parts[0], dimensions, preferred_element_type=jnp.int32)
    return sums.astype(jnp.float32) * scale * parts[1]


def numpy_state(module):
    return {name: value.detach().float().numpy() for name, value in module.state_dict().items()}


def llama_decode(module, feed, kind):
    """The caches are state: the step replaces a place of each."""
    state, wide = numpy_state(module), ml_dtypes.bfloat16 if kind == 'bf16' else np.float32
    packed = [name for name, value in state.items() if value.ndim == 2 and name != 'tokens.weight']
    weights = {name: pack(value, kind) if name in packed else value.astype(wide) for name, value in state.items()
               if name != 'angles'}
    past = np.asarray(feed[1], np.float32)
    n_layers, batch = past.shape[0], past.shape[2]
    caches = np.zeros((n_layers, 2, batch, past.shape[3], CACHE, 64), wide)
    caches[..., :POSITION, :] = past
    caches = [caches[layer, part] for layer in range(n_layers) for part in range(2)]

    def step(weights, caches, tokens, position):
        def norm(x, weight):
            wide = x.astype(jnp.float32)
            return (wide * lax.rsqrt((wide * wide).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype) * weight

        def rotate(x):
            angles = position.astype(jnp.float32) / 10000 ** (jnp.arange(0, 64, 2) / 64)
            angles = jnp.concatenate([angles, angles])
            half = jnp.concatenate([-x[..., 32:], x[..., :32]], -1)
            return x * jnp.cos(angles).astype(x.dtype) + half * jnp.sin(angles).astype(x.dtype)

        x, updated = weights['tokens.weight'][tokens[:, 0]], []
        for layer in range(n_layers):
            def w(name, layer=layer):
                return weights[f'blocks.{layer}.{name}.weight']
            h = norm(x, w('norm1'))
            q, k, v = (multiply(h, w(name)).reshape(batch, -1, 64) for name in ('query', 'key', 'value'))
            keys, values = (lax.dynamic_update_slice(cache, new[:, :, None], (0, 0, position, 0)) for cache, new in
                            zip(caches[2 * layer:2 * layer + 2], (rotate(k), v)))
            updated += [keys, values]
            q = rotate(q).reshape(batch, keys.shape[1], -1, 64)
            scores = jnp.einsum('bgrd,bgtd->bgrt', q, keys).astype(jnp.float32) / 8
            scores = jnp.where(jnp.arange(CACHE) <= position, scores, -1e30)
            mixed = jnp.einsum('bgrt,bgtd->bgrd', jax.nn.softmax(scores, -1).astype(x.dtype), values)
            x = x + multiply(mixed.reshape(batch, -1), w('out'))
            h = norm(x, w('norm2'))
            x = x + multiply(jax.nn.silu(multiply(h, w('gate'))) * multiply(h, w('up')), w('down'))
        return [*updated, multiply(norm(x, weights['norm.weight']), weights['head.weight'])[:, None]]

    return step, weights, caches, [np.asarray(feed[0], np.int32), np.int32(POSITION)]


def fold_norm(state, name):
    """A convolution's weights, [height, width, inputs, outputs], and bias, with the batch norm behind it in them."""
    weight, bias, mean, variance = (state[f'{name}.{key}'] for key in
                                    ('1.weight', '1.bias', '1.running_mean', '1.running_var'))
    factor = weight / np.sqrt(variance + 1e-5)
    return np.ascontiguousarray(state[f'{name}.0.weight'].transpose(2, 3, 1, 0)) * factor, bias - mean * factor


def convolve(x, weights, stride, result=None):
    pad = weights.shape[0] // 2
    return lax.conv_general_dilated(x, weights, (stride, stride), [(pad, pad)] * 2, preferred_element_type=result,
                                    dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


def apply_resnet50(x, convolution, keep, restore, head):
    """The network over a convolution(x, name, stride) with its norm. A block gets keep(x, name), and adds
    restore(x, name) of that."""
    x = jax.nn.relu(convolution(x, 'stem', 2))
    x = lax.reduce_window(x, -np.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))
    number = 0
    for stage, n_blocks in enumerate((3, 4, 6, 3)):
        for block in range(n_blocks):
            stride, name = 2 if block == 0 and stage > 0 else 1, f'blocks.{number}'
            x = keep(x, f'{name}.first')
            y = jax.nn.relu(convolution(x, f'{name}.first', 1))
            y = convolution(jax.nn.relu(convolution(y, f'{name}.second', stride)), f'{name}.third', 1)
            shortcut = convolution(x, f'{name}.shortcut', stride) if block == 0 else restore(x, f'{name}.first')
            x = jax.nn.relu(y + shortcut)
            number += 1
    return head(x.mean((1, 2)))


def resnet50(module, feed, kind):
    """Scales are those of the one input that is known. What blocks pass on is kept in int8, and the last product is of
    int8, as in ONNX Runtime's quantization."""
    del kind    # int8
    state, image = numpy_state(module), np.ascontiguousarray(np.asarray(feed[0]).transpose(0, 2, 3, 1))
    head = np.ascontiguousarray(state['head.weight'].T)
    folded = {name[:-len('.0.weight')]: fold_norm(state, name[:-len('.0.weight')]) for name in state
              if name.endswith('.0.weight')}
    scales = {}

    def see(x, name):
        scales[name] = float(jnp.abs(x).max()) / 127
        return x

    def calibrate(x, name, stride):
        return convolve(see(x, name), folded[name][0], stride) + folded[name][1]
    apply_resnet50(jnp.asarray(image), calibrate, see, lambda x, name: x, lambda x: see(x, 'head') @ head)
    weights = {}
    for name, (weight, bias) in folded.items():
        rounded, scale = quantize(weight, (0, 1, 2))
        weights[name] = rounded, scale * np.float32(scales[name]), bias
    rounded, scale = quantize(head, (0,))
    weights['head'] = rounded, scale * np.float32(scales['head']), state['head.bias']

    def run(weights, caches, image):
        del caches

        def keep(x, name):
            return jnp.clip(jnp.round(x * np.float32(1 / scales[name])), -127, 127).astype(jnp.int8)

        def restore(x, name):
            return x.astype(jnp.float32) * np.float32(scales[name])

        def convolution(x, name, stride):
            rounded, scale, bias = weights[name]
            x = x if x.dtype == jnp.int8 else keep(x, name)
            return convolve(x, rounded, stride, jnp.int32).astype(jnp.float32) * scale + bias

        def multiply_head(x):
            rounded, scale, bias = weights['head']
            sums = jnp.matmul(keep(x, 'head'), rounded, preferred_element_type=jnp.int32)
            return sums.astype(jnp.float32) * scale + bias
        return [apply_resnet50(image, convolution, keep, restore, multiply_head)]

    return run, weights, [], [image]


def layer_norm(x, weight, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * weight + bias


def apply_bert_block(x, w, dense):
    """A block of BERT, by a w(name) of its weights and a dense(x, name)."""
    def split(y):
        return y.reshape(*y.shape[:2], 12, 64).transpose(0, 2, 1, 3)
    q, k, v = (split(dense(x, name)) for name in ('query', 'key', 'value'))
    mixed = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / 8, -1) @ v
    x = layer_norm(x + dense(mixed.transpose(0, 2, 1, 3).reshape(x.shape), 'out'), w('norm1.weight'), w('norm1.bias'))
    hidden = jax.nn.gelu(dense(x, 'up'), approximate=False)
    return layer_norm(x + dense(hidden, 'down'), w('norm2.weight'), w('norm2.bias'))


def bert(module, feed, kind):
    """Products of int8; what is between them is f32."""
    state = numpy_state(module)
    weights = {name: pack(value, kind) if value.ndim == 2 and name.startswith('blocks.') else value
               for name, value in state.items()}

    def run(weights, caches, tokens):
        del caches
        x = weights['tokens.weight'][tokens] + weights['positions'][:tokens.shape[1]]
        x = layer_norm(x, weights['norm.weight'], weights['norm.bias'])
        for number in range(len(module.blocks)):
            def w(name, number=number):
                return weights[f'blocks.{number}.{name}']

            def dense(x, name, w=w):
                return multiply_integers(x, w(f'{name}.weight')) + w(f'{name}.bias')
            x = apply_bert_block(x, w, dense)
        return [x @ weights['head.weight'].T + weights['head.bias']]

    return run, weights, [], [np.asarray(feed[0], np.int32)]


MAKERS = {'llama-decode': llama_decode, 'llama-decode-large': llama_decode, 'resnet50': resnet50, 'bert': bert}
