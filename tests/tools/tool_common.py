# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs and results that the tests of the command share."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from common import TOOL, Tap, ghlo  # noqa: E402, F401

ADD = '''func.func @main(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
'''
WRONG = '''func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
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


class Tests(Tap):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def file(self, name, contents):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(contents.encode() if isinstance(contents, str) else contents)
        return path

    def read(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()

    def expect(self, name, run, status, *texts):
        output = run.stdout + run.stderr
        missing = [text for text in texts if text not in output]
        self.report(run.returncode == status and not missing, name,
                    f'status {run.returncode}, expected {status}; missing {missing}\n{output}')


def bench(*arguments, env=os.environ):
    # The threads of oneDNN's OpenMP stop a leak checker; there is nothing of ours in them.
    return ghlo('bench', *arguments, env={**env, 'ASAN_OPTIONS': 'detect_leaks=0'})
