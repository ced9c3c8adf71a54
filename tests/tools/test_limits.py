#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command under limits of the address space and of the stack. Whatever the limit, it gives an answer or an error,
although the libraries and drivers that it calls end the process, or wait forever, when they get no memory.

    test_limits.py
"""

import os
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'conformance'))
from common import Tap, ghlo  # pylint: disable=wrong-import-position

# What libraries compute (a convolution, products and a factorization), and kernels around it.
LIBRARIES = '''
func.func public @main(%x: tensor<2x16x16x16xf32>, %k: tensor<3x3x16x32xf32>, %a: tensor<128x128xf32>)
    -> (tensor<2x16x16x32xf32>, tensor<128x128xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x16x16x16xf32>, tensor<3x3x16x32xf32>) -> tensor<2x16x16x32xf32>
  %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
      : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %2 = stablehlo.exponential %1 : tensor<128x128xf32>
  %rows = stablehlo.iota dim = 0 : tensor<64x64xf32>
  %columns = stablehlo.iota dim = 1 : tensor<64x64xf32>
  %equal = stablehlo.compare EQ, %rows, %columns : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xi1>
  %unit = stablehlo.convert %equal : (tensor<64x64xi1>) -> tensor<64x64xf32>
  %3 = stablehlo.cholesky %unit, lower = true : tensor<64x64xf32>
  return %0, %2, %3 : tensor<2x16x16x32xf32>, tensor<128x128xf32>, tensor<64x64xf32>
}
'''

DEPTH = 250
NESTED = ('func.func public @main(%x: tensor<f32>, %go: tensor<i1>) -> tensor<f32> {\n'
          + ''.join(f'%r{i} = "stablehlo.if"(%go) ({{\n' for i in range(DEPTH))
          + f'%r{DEPTH} = stablehlo.sine %x : tensor<f32>\n'
          + ''.join(f'stablehlo.return %r{i} : tensor<f32>\n}}, {{\nstablehlo.return %x : tensor<f32>\n}})'
                    ' : (tensor<i1>) -> tensor<f32>\n' for i in range(DEPTH, 0, -1))
          + 'return %r0 : tensor<f32>\n}\n')

MIB, KIB = 1 << 20, 1 << 10
# In MiB. Below the first few the command does not start.
SPACES = {'cpu': range(40, 420, 16), 'vulkan': range(300, 1700, 100), 'reference': range(40, 200, 60)}
STACKS = [64, 128, 256]


def check(tap, name, allowed, kind, limit, *arguments):
    """Runs the command with a limit in bytes; its exit status must be one of those allowed."""
    try:
        done = ghlo(*arguments, timeout=30, env={**os.environ, 'GHLO_CACHE': 'off'},
                    preexec_fn=lambda: [resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
                                        resource.setrlimit(kind, (limit, limit))])
        tap.report(done.returncode in allowed, name, f'exit status {done.returncode}\n{done.stderr}')
    except subprocess.TimeoutExpired:
        tap.report(False, name, 'it has not ended after 30 seconds')


def check_spaces(tap, path):
    # 127: the dynamic linker found no room for the command itself. 2: there is no such device then.
    for device, spaces in SPACES.items():
        for space in spaces:
            check(tap, f'{space} MiB on {device}', (0, 1, 2, 127), resource.RLIMIT_AS, space * MIB,
                  'run', f'--device={device}', '--fill=0.01', path)
    for space in range(100, 700, 120):
        check(tap, f'{space} MiB for machine code', (0, 1, 127), resource.RLIMIT_AS, space * MIB,
              'dump', '--device=cpu', '--stage=code', path)


def check_stacks(tap, path):
    for stack in STACKS:
        for device in ['reference', 'cpu']:
            check(tap, f'a stack of {stack} KiB on {device}', (0,), resource.RLIMIT_STACK, stack * KIB,
                  'run', f'--device={device}', '--fill=1', path)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in [('libraries', LIBRARIES), ('nested', NESTED)]:
            paths.append(os.path.join(folder, name + '.mlir'))
            with open(paths[-1], 'w', encoding='utf-8') as file:
                file.write(text)
        check_spaces(tap, paths[0])
        check_stacks(tap, paths[1])
    tap.finish()


main()
