#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A perceptron with two hidden layers in plain JAX, with optax's Adam: learns which of two spirals a point is from.

    mlp.py [--steps=N]
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import optax

from compare import compare

WIDTHS = (2, 256, 256, 2)


def make_spirals(n_points):
    """Returns points in the plane, and for each the spiral that it is from."""
    random = np.random.RandomState(0)
    labels = random.randint(2, size=n_points)
    turns = np.sqrt(random.uniform(0.05, 1, n_points)) * 2 * np.pi
    angles = turns + np.pi * labels
    points = np.stack([turns * np.cos(angles), turns * np.sin(angles)], axis=1) / 6
    return (points + random.normal(0, 0.01, points.shape)).astype(np.float32), labels.astype(np.int32)


def make_batches(size=512):
    points, labels = make_spirals(4096)
    starts = range(0, len(points), size)
    return itertools.cycle([(jnp.asarray(points[i:i + size]), jnp.asarray(labels[i:i + size])) for i in starts])


def make_parameters(key):
    keys = jax.random.split(key, len(WIDTHS) - 1)
    return [(jax.random.normal(key, (n, m)) * jnp.sqrt(2 / n), jnp.zeros(m))
            for key, n, m in zip(keys, WIDTHS, WIDTHS[1:])]


def predict(parameters, x):
    *hidden, (weights, bias) = parameters
    for inner_weights, inner_bias in hidden:
        x = jax.nn.relu(x @ inner_weights + inner_bias)
    return x @ weights + bias


def get_loss(parameters, batch):
    points, labels = batch
    return optax.softmax_cross_entropy_with_integer_labels(predict(parameters, points), labels).mean()


def make():
    optimizer = optax.adam(1e-3)
    parameters = make_parameters(jax.random.key(0))

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state, batch):
        parameters, memory = state
        loss, gradients = jax.value_and_grad(get_loss)(parameters, batch)
        updates, memory = optimizer.update(gradients, memory)
        return (optax.apply_updates(parameters, updates), memory), loss

    return step, (parameters, optimizer.init(parameters)), make_batches()


if __name__ == '__main__':
    compare('a perceptron', make, 100)
