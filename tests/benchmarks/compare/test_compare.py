#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What compare.py makes of peers that compute in other types, or not at all."""

import argparse
import unittest

import numpy as np

import compare

OPTIONS = argparse.Namespace(peers=['narrow', 'wide'], peers_only=False, time=0.01, device=None)
SQUARE = 'func.func @main(%a: tensor<4xTYPE>) -> tensor<4xTYPE> {\n  return %a : tensor<4xTYPE>\n}\n'


class Runner:
    """Squares what it is given."""

    name, compile_seconds, off = 'wide', 0, 0

    def __init__(self, text, device=None):
        del device
        self.wide = 'f64' in text

    def bind(self, inputs):
        self.inputs = inputs

    def call(self):
        self.result = [a * a + self.off for a in self.inputs]

    def outputs(self):
        return self.result

    def reference_share(self):
        return 0


class Ours(Runner):
    name = 'GHLO'


class Off(Runner):
    """As IREE with f64: compiles it for f32, and refuses what is no f32."""

    name, off = 'narrow', 1

    def call(self):
        if self.inputs[0].dtype != np.float32:
            raise ValueError('expected f32')
        super().call()


class Narrow(Runner):
    name = 'narrow'

    def call(self):
        self.result = [(a * a).astype(np.float32) for a in self.inputs]


class Silent(Runner):
    """Fails without a word."""

    name = 'narrow'

    def bind(self, inputs):
        raise RuntimeError


class Refusing(Runner):
    """Its compiler says what it is and what it was called by, before the error."""

    name = 'narrow'

    def __init__(self, text, device=None):
        raise RuntimeError("Error invoking the compiler tool\n  with -O3\n<stdin>:78:11: error: no such type\n  note")


class Compare(unittest.TestCase):
    def measure(self, narrow, dtype, peers=('narrow', 'wide')):
        compare.Ghlo = Ours
        compare.PEERS = {'narrow': narrow, 'wide': Runner}
        options = argparse.Namespace(**{**vars(OPTIONS), 'peers': list(peers)})
        text = SQUARE.replace('TYPE', {'float32': 'f32', 'float64': 'f64'}[dtype])
        return compare.measure(text, [[dtype, [4]]], options)

    def test_judged_by_another(self):
        result = self.measure(Off, 'float32')
        self.assertEqual(set(result['seconds']), {'GHLO', 'narrow', 'wide'})
        self.assertEqual(len(result['problems']), 2)
        self.assertIn('as good', result['problems'][0])

    def test_judged_by_nobody(self):
        result = self.measure(Off, 'float32', ['narrow'])
        self.assertIn('not judged', result['problems'][0])

    def test_does_not_run(self):
        result = self.measure(Off, 'float64')
        self.assertEqual(set(result['seconds']), {'GHLO', 'wide'})
        self.assertEqual(result['problems'], ['narrow does not run it: expected f32'])

    def test_reasons(self):
        self.assertEqual(self.measure(Silent, 'float32')['problems'], ['narrow does not run it: RuntimeError'])
        result = self.measure(Refusing, 'float32')
        self.assertEqual(set(result['seconds']), {'GHLO', 'wide'})
        self.assertEqual(result['problems'], ['narrow does not compile it: <stdin>:78:11: error: no such type'])

    def test_narrower(self):
        result = self.measure(Narrow, 'float64')
        self.assertEqual(set(result['seconds']), {'GHLO', 'wide'})
        self.assertEqual(result['problems'], ['narrow computes in float32 for float64: its time does not count'])


if __name__ == '__main__':
    unittest.main()
