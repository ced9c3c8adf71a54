#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes GPT-2 (124 million parameters) over 128 tokens as StableHLO text, parameters as
inputs: a program of real size for `ghlo bench` and `ghlo dump --stage=plan`. Needs JAX.

    gpt2.py OUT.mlir [LAYERS]
"""

import sys

import jax
import jax.numpy as jnp

VOCABULARY, POSITIONS, WIDTH, HEADS, TOKENS = 50257, 1024, 768, 12, 128


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def attention(x, p):
    q, k, v = jnp.split(x @ p['qkv'] + p['qkv_bias'], 3, axis=-1)
    q, k, v = (t.reshape(TOKENS, HEADS, WIDTH // HEADS).transpose(1, 0, 2) for t in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / (WIDTH // HEADS) ** 0.5
    scores = jnp.where(jnp.tril(jnp.ones((TOKENS, TOKENS), bool)), scores, -1e10)
    mixed = jax.nn.softmax(scores, axis=-1) @ v
    return mixed.transpose(1, 0, 2).reshape(TOKENS, WIDTH) @ p['out'] + p['out_bias']


def gpt2(tokens, p):
    x = p['tokens'][tokens] + p['positions'][:TOKENS]
    for layer in p['layers']:
        x = x + attention(layer_norm(x, *layer['norm1']), layer)
        hidden = jax.nn.gelu(layer_norm(x, *layer['norm2']) @ layer['up'] + layer['up_bias'], approximate=True)
        x = x + hidden @ layer['down'] + layer['down_bias']
    return layer_norm(x, *p['norm']) @ p['tokens'].T


def shape(*sizes):
    return jax.ShapeDtypeStruct(sizes, jnp.float32)


def main():
    norm = (shape(WIDTH), shape(WIDTH))
    layer = {
        'norm1': norm, 'norm2': norm, 'qkv': shape(WIDTH, 3 * WIDTH), 'qkv_bias': shape(3 * WIDTH),
        'out': shape(WIDTH, WIDTH), 'out_bias': shape(WIDTH), 'up': shape(WIDTH, 4 * WIDTH),
        'up_bias': shape(4 * WIDTH), 'down': shape(4 * WIDTH, WIDTH), 'down_bias': shape(WIDTH),
    }
    parameters = {
        'tokens': shape(VOCABULARY, WIDTH), 'positions': shape(POSITIONS, WIDTH), 'norm': norm,
        'layers': [layer] * (int(sys.argv[2]) if len(sys.argv) > 2 else 12),
    }
    text = jax.jit(gpt2).lower(jax.ShapeDtypeStruct((TOKENS,), jnp.int32), parameters).as_text()
    with open(sys.argv[1], 'w', encoding='utf-8') as file:
        file.write(text)


if __name__ == '__main__':
    main()
