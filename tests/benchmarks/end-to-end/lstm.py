# SPDX-License-Identifier: LGPL-2.1-or-later
"""An LSTM of 256 cells over 200 steps by lax.scan: all hidden states, and the last cells."""

import jax
import jax.numpy as jnp

from recipe import Input

STEPS, HIDDEN = 200, 256


def lstm(xs, p):
    def step(carried, x):
        h, c = carried
        i, f, g, o = jnp.split(x @ p['input'] + h @ p['hidden'] + p['bias'], 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((xs.shape[1], HIDDEN))
    (_, c), hs = jax.lax.scan(step, (zeros, zeros), xs)
    return hs, c


def make(batch):
    scale = HIDDEN ** -0.5
    parameters = {'input': Input((HIDDEN, 4 * HIDDEN), scale=scale),
                  'hidden': Input((HIDDEN, 4 * HIDDEN), scale=scale), 'bias': Input((4 * HIDDEN,), scale=0.1)}
    return lstm, (Input((STEPS, batch, HIDDEN), role='input'), parameters)
