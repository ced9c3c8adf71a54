#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command from outside: its sub-commands, errors, exit statuses and files."""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from common import TOOL, Tap, ghlo  # noqa: E402

ADD = '''func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
'''
COMPLEX = '''func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = chlo.conj %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
'''
WRONG = '''func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''
MISMATCH = '''func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''
CHECKS = '''func.func @right() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

func.func @wrong() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %0, dense<[1, 3]> : tensor<2xi32>
  return
}
'''
MARKED = '''func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{shapes}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{nothing is wrong here}}
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''


class Tests(Tap):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def expect(self, name, run, status, *texts):
        output = run.stdout + run.stderr
        missing = [text for text in texts if text not in output]
        self.report(run.returncode == status and not missing, name,
                    f'status {run.returncode}, expected {status}; missing {missing}\n{output}')


def test_run(tests):
    add = tests.file('add.mlir', ADD)
    tests.expect('literals', ghlo('run', add, '--input=2x2xf32=1,2,3,4', '--input=2x2xf32=0.5'), 0,
                 'tensor<2x2xf32> {', '[1.500000e+00, 2.500000e+00]')
    tests.expect('complex literals',
                 ghlo('run', tests.file('complex.mlir', COMPLEX), '--input=2xcomplex<f32>=(1,2),(0.5,-3)'), 0,
                 '[1.000000e+00, -2.000000e+00], [5.000000e-01, 3.000000e+00]')
    tests.expect('dense format', ghlo('run', add, '--fill=zeros', '--format=dense'), 0,
                 'dense<0.000000e+00> : tensor<2x2xf32>')
    tests.expect('attribute', ghlo('run', add, '--input=dense<2.0> : tensor<2x2xf32>', '--fill=zeros'), 0,
                 '2.000000e+00')
    tests.expect('standard input', ghlo('run', '-', '--fill=zeros', input=ADD), 0, 'tensor<2x2xf32>')
    tests.expect('too few inputs', ghlo('run', add, '--input=zeros'), 1, 'takes 2 inputs, 1 are given', '--fill=zeros')
    tests.expect('too many inputs', ghlo('run', add, *['--input=zeros'] * 3), 1, 'takes 2 inputs, 3 are given')
    tests.expect('a wrong shape', ghlo('run', add, '--input=4xf32=1,2,3,4', '--fill=zeros'), 1,
                 'input 0: expected tensor<2x2xf32>, found tensor<4xf32>')
    tests.expect('a wrong count', ghlo('run', add, '--input=2x2xf32=1,2,3', '--fill=zeros'), 1,
                 'has 4 elements, found 3')
    tests.expect('a wrong device', ghlo('run', add, '--device=abacus'), 2, "no device 'abacus'")
    tests.expect('a missing file', ghlo('run', os.path.join(tests.folder, 'no.mlir')), 1, 'no.mlir')

    a, b = np.arange(4, dtype=np.float32).reshape(2, 2), np.ones((2, 2), np.float32)
    np.save(os.path.join(tests.folder, 'a.npy'), np.asfortranarray(a))
    np.save(os.path.join(tests.folder, 'b.npy'), b.astype('>f4'))
    out = os.path.join(tests.folder, 'out')
    run = ghlo('run', add, f'--input={tests.folder}/a.npy', f'--input={tests.folder}/b.npy', f'--output-dir={out}')
    saved = np.load(os.path.join(out, 'out0.npy')) if run.returncode == 0 else None
    tests.report(saved is not None and np.array_equal(saved, a + b), 'NumPy files in any order of bytes and dimensions',
                 run.stderr)

    first, again, other = (ghlo('run', add, f'--fill=random:{seed}').stdout for seed in (7, 7, 8))
    tests.report(first == again and first != other,
                 'random inputs repeat by their seed')


def test_errors(tests):
    wrong = tests.file('wrong.mlir', WRONG)
    tests.expect('place and caret', ghlo('run', wrong, '--fill=zeros'), 1,
                 'wrong.mlir:2:', '  %0 = stablehlo.add %x, %y : tensor<2xf32>\n', '^')
    tests.expect('verifier', ghlo('opt', tests.file('mismatch.mlir', MISMATCH)), 1, 'mismatch.mlir:2:', 'stablehlo.add')
    tests.expect('bytecode', ghlo('opt', '-', input='ML\xefR', encoding='latin-1'), 1, 'bytecode')
    tests.expect('no command', ghlo(), 2, 'Usage: ghlo')
    tests.expect('unknown command', ghlo('frobnicate'), 2, "no command 'frobnicate'")
    tests.expect('unknown option', ghlo('run', '--frobnicate'), 2, 'ghlo run --help')


def test_check(tests):
    checks = tests.file('checks.mlir', CHECKS)
    tests.expect('a check that fails', ghlo('check', checks), 1, 'FAIL', '@wrong', '0 passed, 1 failed, 0 skipped')
    tests.expect('a check that holds', ghlo('check', tests.file('right.mlir', CHECKS.split('// -----')[0])), 0,
                 '1 passed, 0 failed, 0 skipped')
    tests.expect('marked lines', ghlo('check', '--diagnostics', tests.file('marked.mlir', MARKED)), 1,
                 'marked.mlir:11: this line is accepted', '1 passed, 1 failed, 0 skipped')
    tests.expect('round trip', ghlo('check', '--round-trip', '--no-run', checks), 0, '1 passed')


def test_listings(tests):
    add = tests.file('add.mlir', ADD)
    tests.expect('help', ghlo('--help'), 0, 'check', 'devices', 'info', 'ops', 'opt', 'run')
    for command in ('check', 'devices', 'info', 'ops', 'opt', 'run'):
        tests.expect(f'help of {command}', ghlo(command, '--help'), 0, 'Usage:')
    tests.expect('version', ghlo('--version'), 0, 'ghlo 0.')
    tests.expect('devices', ghlo('devices'), 0, 'reference')
    tests.expect('generic form', ghlo('opt', '--generic', add), 0, '"stablehlo.add"(')
    tests.expect('passes', ghlo('opt', '--passes=O2', '--report', add), 0, 'stablehlo.add', 'operations became')
    tests.expect('list of passes', ghlo('opt', '--passes=help'), 0, 'inline', 'dead-code')
    tests.expect('unknown pass', ghlo('opt', '--passes=inline,frobnicate', add), 2, "found 'frobnicate'")
    tests.expect('info', ghlo('info', add), 0, 'tensor<2x2xf32>', 'stablehlo.add')
    info = json.loads(ghlo('info', '--json', add).stdout)
    tests.report(info['inputs'] == ['tensor<2x2xf32>'] * 2 and info['operation_counts']['stablehlo.add'] == 1,
                 'info as JSON', str(info))
    ops = json.loads(ghlo('ops', '--json').stdout)
    missing = [op['name'] for op in ops if op['reference'] == 'no']
    tests.report(len(ops) > 180 and not missing, 'every operation runs on the reference device', str(missing))
    tests.report(isinstance(json.loads(ghlo('devices', '--json').stdout), list), 'devices as JSON')

    closed = subprocess.run(f'"{TOOL}" ops | head -1', shell=True, capture_output=True, text=True, check=False)
    tests.report(closed.stderr == '', 'a reader that leaves early', closed.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(folder)
        test_run(tests)
        test_errors(tests)
        test_check(tests)
        test_listings(tests)
        tests.finish()


if __name__ == '__main__':
    main()
