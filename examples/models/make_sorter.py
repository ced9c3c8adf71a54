#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trains a small transformer that sorts ten digits, and writes it as sorter.mlir.

The program takes 10 digits (tensor<10xi32>) and returns, for each place of the
sorted row, a score for each digit (tensor<10x10xf32>). It needs JAX; training
takes about two minutes on two cores:

    python3 make_sorter.py sorter.mlir
"""

import sys

import jax
import jax.numpy as jnp

LENGTH, DIGITS, WIDTH, HEADS, LAYERS, HIDDEN = 10, 10, 32, 4, 2, 64


def initial(key):
    """Returns initial weights: scaled normal numbers for matrices, ones and zeros for norms."""
    keys = iter(jax.random.split(key, 4 + 6 * LAYERS))

    def matrix(*shape):
        return jax.random.normal(next(keys), shape) * shape[0] ** -0.5

    layers = [dict(norm1=jnp.ones(WIDTH), qkv=matrix(WIDTH, 3 * WIDTH), out=matrix(WIDTH, WIDTH),
                   norm2=jnp.ones(WIDTH), up=matrix(WIDTH, HIDDEN), down=matrix(HIDDEN, WIDTH))
              for _ in range(LAYERS)]
    return dict(digit=matrix(DIGITS, WIDTH), place=matrix(LENGTH, WIDTH) * 0.3, layers=layers,
                norm=jnp.ones(WIDTH), head=matrix(WIDTH, DIGITS))


def normalize(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def attend(x, layer):
    q, k, v = jnp.split(x @ layer['qkv'], 3, axis=-1)
    q, k, v = (t.reshape(LENGTH, HEADS, WIDTH // HEADS).swapaxes(0, 1) for t in (q, k, v))
    scores = q @ k.swapaxes(1, 2) * (WIDTH // HEADS) ** -0.5
    mixed = jax.nn.softmax(scores, axis=-1) @ v
    return mixed.swapaxes(0, 1).reshape(LENGTH, WIDTH) @ layer['out']


def sorter(weights, digits):
    x = weights['digit'][digits] + weights['place']
    for layer in weights['layers']:
        x = x + attend(normalize(x, layer['norm1']), layer)
        x = x + jax.nn.gelu(normalize(x, layer['norm2']) @ layer['up']) @ layer['down']
    return normalize(x, weights['norm']) @ weights['head']


def loss(weights, batch):
    scores = jax.vmap(sorter, (None, 0))(weights, batch)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(scores), jnp.sort(batch, axis=1)[..., None], axis=-1)
    return -chosen.mean()


@jax.jit
def step(weights, m, v, i, key):
    """Does one step of Adam on a new batch of random rows."""
    batch = jax.random.randint(key, (256, LENGTH), 0, DIGITS)
    value, gradient = jax.value_and_grad(loss)(weights, batch)
    m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, gradient)
    v = jax.tree.map(lambda a, g: 0.99 * a + 0.01 * g * g, v, gradient)
    rate = 3e-3 * jnp.minimum(1.0, (i + 1) / 100) * 0.5 * (1 + jnp.cos(jnp.pi * i / STEPS))
    weights = jax.tree.map(
        lambda w, a, b: w - rate * (a / (1 - 0.9 ** (i + 1))) / (jnp.sqrt(b / (1 - 0.99 ** (i + 1))) + 1e-8),
        weights, m, v)
    return weights, m, v, value


STEPS = 4000


def main():
    key = jax.random.key(1)
    weights = initial(key)
    m = v = jax.tree.map(jnp.zeros_like, weights)
    for i in range(STEPS):
        weights, m, v, value = step(weights, m, v, i, jax.random.fold_in(key, i))
        if i % 500 == 0 or i == STEPS - 1:
            print(f'step {i:5} loss {float(value):.5f}', flush=True)

    tests = jax.random.randint(jax.random.key(2), (10000, LENGTH), 0, DIGITS)
    answers = jnp.argmax(jax.vmap(sorter, (None, 0))(weights, tests), axis=-1)
    right = (answers == jnp.sort(tests, axis=1)).all(axis=1).mean()
    print(f'{float(right) * 100:.2f} % of 10,000 rows sorted')

    # The program has two outputs: the scores, and the digits with the greatest scores.
    def program(digits):
        scores = sorter(weights, digits)
        return jnp.argmax(scores, axis=-1).astype(jnp.int32), scores

    text = jax.jit(program).lower(jax.ShapeDtypeStruct((LENGTH,), jnp.int32)).as_text()
    with open(sys.argv[1] if len(sys.argv) > 1 else 'sorter.mlir', 'w', encoding='utf-8') as file:
        file.write('// A transformer of two layers that sorts ten digits; made by make_sorter.py.\n' + text)


if __name__ == '__main__':
    main()
