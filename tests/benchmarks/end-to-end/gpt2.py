# SPDX-License-Identifier: LGPL-2.1-or-later
"""GPT-2 with 124 million parameters, forward over one sequence: logits of all its tokens."""

import jax
import jax.numpy as jnp

from recipe import Input

VOCABULARY, POSITIONS, WIDTH, HEADS, LAYERS = 50257, 1024, 768, 12, 12


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def attention(x, p, causal=True):
    """Of one sequence [tokens, width], by heads."""
    tokens, width = x.shape
    q, k, v = jnp.split(x @ p['qkv'] + p['qkv_bias'], 3, axis=-1)
    q, k, v = (t.reshape(tokens, HEADS, width // HEADS).transpose(1, 0, 2) for t in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / (width // HEADS) ** 0.5
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -1e10)
    mixed = jax.nn.softmax(scores, axis=-1) @ v
    return mixed.transpose(1, 0, 2).reshape(tokens, width) @ p['out'] + p['out_bias']


def block(x, p, causal, approximate):
    x = x + attention(layer_norm(x, *p['norm1']), p, causal)
    hidden = jax.nn.gelu(layer_norm(x, *p['norm2']) @ p['up'] + p['up_bias'], approximate=approximate)
    return x + hidden @ p['down'] + p['down_bias']


def gpt2(tokens, p):
    x = p['tokens'][tokens] + p['positions'][:tokens.shape[0]]
    for layer in p['layers']:
        x = block(x, layer, causal=True, approximate=True)
    return layer_norm(x, *p['norm']) @ p['tokens'].T


def norm_parameters(width, dtype='float32'):
    return Input((width,), 'ones', dtype=dtype), Input((width,), 'zeros', dtype=dtype)


def block_parameters(width, dtype='float32'):
    def dense(*shape):
        return Input(shape, scale=0.02, dtype=dtype)
    return {
        'norm1': norm_parameters(width, dtype), 'norm2': norm_parameters(width, dtype),
        'qkv': dense(width, 3 * width), 'qkv_bias': dense(3 * width),
        'out': dense(width, width), 'out_bias': dense(width),
        'up': dense(width, 4 * width), 'up_bias': dense(4 * width),
        'down': dense(4 * width, width), 'down_bias': dense(width),
    }


def make(tokens, dtype='float32'):
    """The function and its arguments' recipe."""
    parameters = {
        'tokens': Input((VOCABULARY, WIDTH), scale=0.02, dtype=dtype),
        'positions': Input((POSITIONS, WIDTH), scale=0.01, dtype=dtype),
        'norm': norm_parameters(WIDTH, dtype), 'layers': [block_parameters(WIDTH, dtype) for _ in range(LAYERS)],
    }
    return gpt2, (Input((tokens,), 'integers', VOCABULARY, 'int32', 'input'), parameters)
