#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The comparison on real systems: GHLO by ctypes on the processor and on a Vulkan device, beside
NumPy, and all of compare.py beside JAX's CPU. Needs a Python with jax; see tests/interop/run."""

import json
import os
import subprocess
import sys
import tempfile
import traceback

import jax    # by which NumPy knows bfloat16  # noqa: F401  # pylint: disable=unused-import
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'conformance'))

# pylint: disable=wrong-import-position
import library  # noqa: E402
import runners  # noqa: E402
from common import Tap  # noqa: E402

SAME = 'func.func @main(%x: tensor<{0}>) -> tensor<{0}> {{\n  return %x : tensor<{0}>\n}}\n'
PROGRAMS = {
    'MAT-1': ('func.func @main(%x: tensor<5x7xf32>, %y: tensor<7x3xf32>) -> (tensor<5x3xf32>, tensor<5x7xf32>) {\n'
              '  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : '
              '(tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>\n'
              '  %1 = stablehlo.tanh %x : tensor<5x7xf32>\n  return %0, %1 : tensor<5x3xf32>, tensor<5x7xf32>\n}\n',
              [['float32', [5, 7]], ['float32', [7, 3]]]),
    'CF-1': ('func.func @main(%x: tensor<i32>) -> tensor<i32> {\n  %one = stablehlo.constant dense<1> : tensor<i32>\n'
             '  %end = stablehlo.constant dense<12> : tensor<i32>\n'
             '  %0 = stablehlo.while(%i = %x) : tensor<i32>\n  cond {\n'
             '    %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n'
             '    stablehlo.return %1 : tensor<i1>\n  } do {\n    %1 = stablehlo.add %i, %one : tensor<i32>\n'
             '    stablehlo.return %1 : tensor<i32>\n  }\n  return %0 : tensor<i32>\n}\n', [['int32', []]]),
    'E2E-1': (SAME.format('4x0xf32'), [['float32', [4, 0]]]),
}


def expect(condition, *found):
    if not condition:
        raise AssertionError(' '.join(map(str, found)))


def check_types():
    """An array of each type comes back with its bits, from the host's memory and from a device's."""
    device = library.find_device('vulkan')
    for name, dtype in library.DTYPES.items():
        array = np.frombuffer(np.random.default_rng(1).bytes(2 * 3 * 16), np.uint8).view(np.uint8)
        array = (array[:2 * 3 * np.dtype(dtype).itemsize] % 2).view(dtype).reshape(2, 3)
        for where in (None, device):
            found = library.to_numpy(library.to_buffer(array.T, where))
            expect(found.dtype == array.dtype and found.shape == (3, 2), name, found.dtype, found.shape)
            expect(found.tobytes() == array.T.tobytes(), name, found, array.T)


def check_errors():
    """What C reports is raised, with its text."""
    for make, text in ((lambda: library.parse_program('module {'), 'expected'),
                       (lambda: library.find_device('abacus'), 'abacus')):
        try:
            make()
        except RuntimeError as error:
            expect(text in str(error), error)
        else:
            expect(False, 'no error')
    runner = runners.Ghlo(PROGRAMS['MAT-1'][0], 'cpu')
    runner.bind([np.zeros((5, 7), np.float32)])
    try:
        runner.call()
    except RuntimeError as error:
        expect('2 inputs' in str(error), error)
    else:
        expect(False, 'one input is taken for two')


def check_runner(device):
    """Outputs, shares and steps of a product beside another output, and of a loop."""
    x, y = (np.random.default_rng(2).standard_normal(shape, np.float32) for shape in ((5, 7), (7, 3)))
    runner = runners.Ghlo(PROGRAMS['MAT-1'][0], device)
    runner.bind([x, y])
    runner.call()
    product, tanh = runner.outputs()
    np.testing.assert_allclose(product, x @ y, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(tanh, np.tanh(x), rtol=1e-5, atol=1e-6)
    expect(runner.reference_share() == 0, runner.reference_share())
    steps = runner.steps()
    expect({step.operation for step in steps} == {'stablehlo.dot_general', 'stablehlo.tanh'}, steps)
    expect(all(step.seconds > 0 and step.n_runs == 1 for step in steps), steps)

    loop = runners.Ghlo(PROGRAMS['CF-1'][0], device)
    loop.bind([np.int32(2)])
    loop.call()
    expect(loop.outputs()[0] == 12, loop.outputs())
    expect(sum(step.seconds for step in loop.steps()) > 0, loop.steps())


def check_compare():
    """The script over programs of which one does not parse: a line for each, the groups, and the file."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, _) in PROGRAMS.items():
            with open(os.path.join(folder, f'{name}.mlir'), 'w', encoding='utf-8') as file:
                file.write(text)
        with open(os.path.join(folder, 'index.json'), 'w', encoding='utf-8') as file:
            json.dump({name: specs for name, (_, specs) in PROGRAMS.items()}, file)
        path = os.path.join(folder, 'found.json')
        done = subprocess.run(
            [sys.executable, os.path.join(HERE, 'compare.py'), f'--data={folder}', '--device=vulkan', '--peers=xla',
             '--time=0.1', f'--json={path}', f'--markdown={folder}/found.md'],
            capture_output=True, text=True, check=False)
        expect(done.returncode == 0, done.stdout, done.stderr)
        with open(path, encoding='utf-8') as file:
            found = json.load(file)
        with open(f'{folder}/found.md', encoding='utf-8') as file:
            table = file.read().splitlines()
    expect(found['copy'] > 0 and found['products'] > 0, found)
    for name, result in found['programs'].items():
        expect(set(result['seconds']) == {'GHLO', 'XLA'} and not result['problems'], name, result)
        expect(f'\n{name} ' in done.stdout, name, done.stdout)
    expect(len(table) == 2 + len(PROGRAMS) and table[0].endswith('| GHLO | XLA | XLA / GHLO |'), table)


def main():
    tap = Tap()
    for name, check, arguments in (('types', check_types, ()), ('errors', check_errors, ()),
                                   ('cpu', check_runner, ('cpu',)), ('vulkan', check_runner, ('vulkan',)),
                                   ('compare', check_compare, ())):
        try:
            check(*arguments)
            tap.report(True, name)
        except Exception:  # pylint: disable=broad-except
            tap.report(False, name, traceback.format_exc())
    tap.finish()


if __name__ == '__main__':
    main()
