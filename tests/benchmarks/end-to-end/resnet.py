# SPDX-License-Identifier: LGPL-2.1-or-later
"""A training step of ResNet-18 as it is made for images of 32×32: batch norm by the batch's
statistics, running ones kept, cross-entropy, gradients, SGD with momentum and weight decay.

Rounding decides the derivative of a ReLU at an element near 0, and one that is decided the
other way changes gradients by 1e-3 in norm, whatever computes them. So answers are compared
closely on a twin of the program that has the softplus in its place."""

import functools

import jax
import jax.numpy as jnp

from recipe import Input

STAGES, CLASSES, IMAGE = (64, 128, 256, 512), 10, 32
RATE, MOMENTUM, DECAY, KEEP = 0.01, 0.9, 5e-4, 0.9


def convolve(x, kernel, stride=1):
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), 'SAME',
                                        dimension_numbers=('NHWC', 'HWIO', 'NHWC'))


def batch_norm(x, p, running, seen):
    """Appends the new running statistics to seen."""
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    seen.append([KEEP * old + (1 - KEEP) * new for old, new in zip(running, (mean, variance))])
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p[0] + p[1]


def forward(parameters, running, images, activate):
    seen, running = [], iter(running)

    def norm(x, p):
        return batch_norm(x, p, next(running), seen)

    x = activate(norm(convolve(images, parameters['stem']), parameters['stem_norm']))
    for p in parameters['blocks']:
        stride = 2 if 'shortcut' in p else 1
        y = activate(norm(convolve(x, p['first'], stride), p['first_norm']))
        y = norm(convolve(y, p['second']), p['second_norm'])
        if 'shortcut' in p:
            x = norm(convolve(x, p['shortcut'], stride), p['shortcut_norm'])
        x = activate(x + y)
    return x.mean((1, 2)) @ parameters['head'] + parameters['head_bias'], seen


def step(state, images, labels, activate=jax.nn.relu):
    parameters, velocity, running = state

    def loss(parameters):
        logits, seen = forward(parameters, running, images, activate)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
        return -chosen.mean(), seen

    (value, seen), gradients = jax.value_and_grad(loss, has_aux=True)(parameters)
    velocity = jax.tree.map(lambda v, g, p: MOMENTUM * v + g + DECAY * p, velocity, gradients, parameters)
    parameters = jax.tree.map(lambda p, v: p - RATE * v, parameters, velocity)
    return (parameters, velocity, seen), value


def kernel(size, inputs, outputs):
    return Input((size, size, inputs, outputs), scale=(2 / (size * size * inputs)) ** 0.5, role='state')


def norm_pair(width):
    return [Input((width,), 'ones', role='state'), Input((width,), 'zeros', role='state')]


def block_parameters(inputs, outputs):
    block = {'first': kernel(3, inputs, outputs), 'first_norm': norm_pair(outputs),
             'second': kernel(3, outputs, outputs), 'second_norm': norm_pair(outputs)}
    if inputs != outputs:
        block.update(shortcut=kernel(1, inputs, outputs), shortcut_norm=norm_pair(outputs))
    return block


def make(batch, smooth=False):
    widths = [(inputs, outputs) for before, width in zip((64, *STAGES), STAGES)
              for inputs, outputs in ((before, width), (width, width))]
    parameters = {'stem': kernel(3, 3, 64), 'stem_norm': norm_pair(64),
                  'blocks': [block_parameters(*pair) for pair in widths],
                  'head': Input((STAGES[-1], CLASSES), scale=0.02, role='state'),
                  'head_bias': Input((CLASSES,), 'zeros', role='state')}
    velocity = jax.tree.map(lambda spec: Input(spec.shape, 'zeros', role='state'), parameters,
                            is_leaf=lambda leaf: isinstance(leaf, Input))
    norms = [64] + [width for i, o in widths for width in [o] * (3 if i != o else 2)]
    running = [[Input((width,), 'zeros', role='state'), Input((width,), 'ones', role='state')] for width in norms]
    function = functools.partial(step, activate=jax.nn.softplus) if smooth else step
    return function, ((parameters, velocity, running), Input((batch, IMAGE, IMAGE, 3), role='input'),
                      Input((batch,), 'integers', CLASSES, 'int32', 'input'))
