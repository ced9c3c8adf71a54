#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One step of training a small convolutional network, checked value by value: each intermediate value is within
rounding of the value computed in f64 from its operands, at every level of the instruction set.

The whole step is compared too, with the maximum of each window taken at the program's position. Where two
elements of a window are almost equal, rounding decides which is the larger, and thereby which one gets the
gradient. So a result may differ from f64's by 1e-4 although every operation is correct. The test ensures that
only such choices cause differences of that size.

    training.py DATA
"""

import os
import re
import sys
import tempfile

import numpy as np

from common import Tap, data, ghlo

LEVELS = ['SSE41', 'AVX2', 'AVX512_CORE']

# What is returned, by its name in the program.
VALUES = {
    '%0': 'first', '%13': 'first pooled', '%14': 'second', '%27': 'second pooled', '%32': 'logits',
    '%40': 'gradient of logits', '%47': 'gradient of the second pooled', '%49': 'gradient of the second',
    '%50': 'gradient of the second weights', '%52': 'gradient of the first pooled', '%54': 'gradient of the first',
    '%55': 'gradient of the first weights', '%58': 'first weights', '%61': 'second weights', '%64': 'dense weights',
    '%67': 'bias',
}

INPUTS = [(32, 28, 28, 1), (32,), (5, 5, 1, 32), (5, 5, 32, 64), (3136, 10), (10,)]

# Of the norm of the difference to that of the value, for one step and for all of them. Sums are of up to 25088
# terms, 800 of them one after the other.
STEP, WHOLE = 1e-6, 3e-6

RATE = float(np.float32(0.01))


def cut(text):
    """Returns the program with all of VALUES as its results."""
    types = dict(re.findall(r'^\s*(%\d+) = .*(?:->|:) (tensor<[^>]*>)$', text.split('func.func private')[0], re.M))
    types.update({'%13': 'tensor<32x14x14x32xf32>', '%27': 'tensor<32x7x7x64xf32>'})
    listed = ', '.join(types[value] for value in VALUES)
    text = re.sub(r'(func\.func public @main\(.*?\)) -> \(.*\) \{$', lambda match: f'{match[1]} -> ({listed}) {{', text,
                  count=1, flags=re.M)
    return re.sub(r'return %58, .*', f"return {', '.join(VALUES)} : {listed}", text, count=1)


def windows(images):
    """Returns a row of 5 × 5 taps and features for each position."""
    padded = np.pad(images.astype(float), ((0, 0), (2, 2), (2, 2), (0, 0)))
    view = np.lib.stride_tricks.sliding_window_view(padded, (5, 5), axis=(1, 2))
    return view.transpose(0, 1, 2, 4, 5, 3).reshape(images.shape[0] * images.shape[1] * images.shape[2], -1)


def convolve(images, kernel):
    rows = windows(images) @ kernel.astype(float).reshape(-1, kernel.shape[-1])
    return rows.reshape(*images.shape[:3], -1)


def weights_gradient(images, gradient):
    rows = windows(images).T @ gradient.astype(float).reshape(-1, gradient.shape[-1])
    return rows.reshape(5, 5, images.shape[-1], -1)


def data_gradient(gradient, kernel):
    return convolve(gradient, kernel[::-1, ::-1].transpose(0, 1, 3, 2))


def fours(images):
    """Returns the four elements of each window of the pooling."""
    n, rows, columns, features = images.shape
    split = images.reshape(n, rows // 2, 2, columns // 2, 2, features).transpose(0, 1, 3, 5, 2, 4)
    return split.reshape(n, rows // 2, columns // 2, features, 4)


def choose(images):
    return fours(np.maximum(images, 0)).argmax(-1)


def pool(images, choice):
    return np.take_along_axis(fours(np.maximum(images, 0)), choice[..., None], -1)[..., 0]


def pool_gradient(images, choice, gradient):
    n, rows, columns, features = gradient.shape
    spread = np.zeros((*gradient.shape, 4))
    np.put_along_axis(spread, choice[..., None], gradient.astype(float)[..., None], -1)
    spread = spread.reshape(n, rows, columns, features, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(images.shape)
    return spread * np.where(images > 0, 1, np.where(images == 0, 0.5, 0))


def logits_gradient(logits, labels):
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return (powers / powers.sum(1, keepdims=True) - np.eye(10)[labels]) / 32


def compute(inputs, choices, found=None):
    """Computes all VALUES in f64, each from earlier ones; from those of @found where that is given."""
    images, labels, first, second, dense, bias = inputs
    mine = {}

    def value(name):
        return (mine if found is None else found)[name].astype(float)

    mine['%0'] = convolve(images, first)
    mine['%13'] = pool(value('%0'), choices[0])
    mine['%14'] = convolve(value('%13'), second)
    mine['%27'] = pool(value('%14'), choices[1])
    features = value('%27').reshape(32, -1)
    mine['%32'] = features @ dense.astype(float) + bias
    mine['%40'] = logits_gradient(value('%32'), labels)
    mine['%47'] = (value('%40') @ dense.astype(float).T).reshape(32, 7, 7, 64)
    mine['%49'] = pool_gradient(value('%14'), choices[1], value('%47'))
    mine['%50'] = weights_gradient(value('%13'), value('%49'))
    mine['%52'] = data_gradient(value('%49'), second)
    mine['%54'] = pool_gradient(value('%0'), choices[0], value('%52'))
    mine['%55'] = weights_gradient(images, value('%54'))
    mine['%58'] = first - RATE * value('%55')
    mine['%61'] = second - RATE * value('%50')
    mine['%64'] = dense - RATE * (features.T @ value('%40'))
    mine['%67'] = bias - RATE * value('%40').sum(0)
    return mine


def distance(found, expected):
    norm = np.linalg.norm(expected)
    return np.linalg.norm(found - expected) / norm if norm > 0 else np.abs(found).max()


def make_inputs(kind):
    random = np.random.default_rng(3)
    inputs = []
    for shape in INPUTS:
        if shape == (32,):
            inputs.append(random.integers(0, 10, shape).astype(np.int32))
        elif kind == 'uniform':
            inputs.append(random.uniform(0.1, 1, shape).astype(np.float32))
        else:
            inputs.append((random.standard_normal(shape) * 0.1).astype(np.float32))
    return inputs


def check(tap, folder, kind, level):
    inputs = make_inputs(kind)
    for i, array in enumerate(inputs):
        np.save(os.path.join(folder, f'arg{i}.npy'), array)
    os.environ['DNNL_MAX_CPU_ISA'] = level
    run = ghlo('run', os.path.join(folder, 'cut.mlir'), f'--output-dir={folder}',
               *(f'--input={folder}/arg{i}.npy' for i in range(len(inputs))))
    if run.returncode:
        tap.report(False, f'{kind}, {level}', run.stderr)
        return
    found = {value: np.load(os.path.join(folder, f'out{i}.npy')) for i, value in enumerate(VALUES)}
    choices = choose(found['%0']), choose(found['%14'])

    steps = compute(inputs, choices, found)
    wrong = [f'{name}: {distance(found[value], steps[value]):.1e}' for value, name in VALUES.items()
             if distance(found[value], steps[value]) > STEP]
    tap.report(not wrong, f'{kind}, {level}: each step', '\n'.join(wrong))

    whole = compute(inputs, choices)
    wrong = [f'{name}: {distance(found[value], whole[value]):.1e}' for value, name in VALUES.items()
             if distance(found[value], whole[value]) > WHOLE]
    tap.report(not wrong, f'{kind}, {level}: the whole, with the same maxima', '\n'.join(wrong))

    others = [(fours(np.maximum(whole[value], 0)), choice) for value, choice in zip(('%0', '%14'), choices)]
    gaps = [(four.max(-1) - np.take_along_axis(four, choice[..., None], -1)[..., 0]).max() / four.max()
            for four, choice in others]
    n = sum(int((four.argmax(-1) != choice).sum()) for four, choice in others)
    tap.report(max(gaps) < 4e-6, f'{kind}, {level}: {n} maxima are others than in f64, which are as large',
               f'they differ by up to {max(gaps)} of the largest')


def main():
    table = data('seed_table')
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(table, 'TRAIN-002.mlir'), encoding='utf-8') as source, \
             open(os.path.join(folder, 'cut.mlir'), 'w', encoding='utf-8') as target:
            target.write(cut(source.read()))
        for kind in 'uniform', 'normal':
            for level in LEVELS:
                check(tap, folder, kind, level)
    tap.finish()


if __name__ == '__main__':
    main()
