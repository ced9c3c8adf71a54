#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A small transformer in Flax, with optax's AdamW, that learns to repeat a list of numbers in sorted order.

    transformer.py [--steps=N]
"""

import functools
import itertools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from compare import compare

N_NUMBERS, LENGTH = 16, 12
WIDTH, N_HEADS, N_LAYERS = 64, 4, 2


class Block(nn.Module):
    @nn.compact
    def __call__(self, x, mask):
        y = nn.LayerNorm()(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=N_HEADS)(y, mask=mask)
        y = nn.Dense(4 * WIDTH)(nn.LayerNorm()(x))
        return x + nn.Dense(WIDTH)(nn.gelu(y))


class Transformer(nn.Module):
    """Predicts the number that follows each number of a list."""

    @nn.compact
    def __call__(self, numbers):
        positions = self.param('positions', nn.initializers.normal(0.02), (2 * LENGTH - 1, WIDTH))
        x = nn.Embed(N_NUMBERS, WIDTH)(numbers) + positions
        mask = nn.make_causal_mask(numbers)
        for _ in range(N_LAYERS):
            x = Block()(x, mask)
        return nn.Dense(N_NUMBERS)(nn.LayerNorm()(x))


def make_batches(size=64, n_batches=16):
    """Returns batches of lists, each followed by the same numbers in order."""
    random = np.random.RandomState(0)
    lists = random.randint(N_NUMBERS, size=(n_batches, size, LENGTH)).astype(np.int32)
    both = np.concatenate([lists, np.sort(lists)], axis=2)
    return itertools.cycle([jnp.asarray(batch) for batch in both])


def make():
    model = Transformer()
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    parameters = jax.jit(model.init)(jax.random.key(0), jnp.zeros((1, 2 * LENGTH - 1), jnp.int32))

    def get_loss(parameters, batch):
        scores = model.apply(parameters, batch[:, :-1])
        losses = optax.softmax_cross_entropy_with_integer_labels(scores, batch[:, 1:])
        return losses[:, LENGTH - 1:].mean()

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state, batch):
        parameters, memory = state
        loss, gradients = jax.value_and_grad(get_loss)(parameters, batch)
        updates, memory = optimizer.update(gradients, memory, parameters)
        return (optax.apply_updates(parameters, updates), memory), loss

    return step, (parameters, optimizer.init(parameters)), make_batches()


if __name__ == '__main__':
    compare('a transformer', make, 200)
