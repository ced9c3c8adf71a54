#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What compare.py makes of peers that compute in other types, or not at all, and of programs that end or outlast
the process that measures them."""

import argparse
import contextlib
import io
import os
import tempfile
import time
import unittest
from unittest import mock

import numpy as np

import compare
import turns

OPTIONS = argparse.Namespace(peers=['narrow', 'wide'], peers_only=False, highest=False, time=0.01, device=None)
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

    def steps(self):
        return [argparse.Namespace(seconds=2e-6, n_runs=1, detail='cpu elementwise')]


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


    def test_steps_of_slower(self):
        """Steps are told of where a peer is faster, and nowhere else."""
        for times, n_steps in (({'GHLO': 2.0, 'wide': 1.0}, 1), ({'GHLO': 1.0, 'wide': 2.0}, 0)):
            with mock.patch.object(compare, 'time_calls', return_value=times):
                self.assertEqual(len(self.measure(Runner, 'float32', ['wide'])['steps']), n_steps)

    def test_highest_precision(self):
        text = 'precision = [DEFAULT, DEFAULT] : x, config = [#stablehlo<precision DEFAULT>] "DEFAULT"'
        expected = 'precision = [HIGHEST, HIGHEST] : x, config = [#stablehlo<precision HIGHEST>] "DEFAULT"'
        self.assertEqual(compare.in_highest_precision(text), expected)
        self.assertIn('[HIGHEST, HIGHEST]', compare.in_highest_precision(compare.PRODUCT))


def end_process():
    os._exit(3)


def fail():
    raise ValueError('no good\nerror: for this reason')


class Platforms(unittest.TestCase):
    def test_jax(self):
        """JAX has GHLO's plugin where it is asked for, on the device that is."""
        for peers, device, expected in ((['xla'], 'cpu', ('cpu', None, None)),
                                        (['cuda', 'jax'], 'vulkan', ('cuda,ghlo,cpu', 'ghlo:/plugin.so', 'vulkan'))):
            with mock.patch.dict(os.environ, {'GHLO_PJRT_PLUGIN': '/plugin.so'}, clear=True):
                compare.choose_platforms(argparse.Namespace(peers=peers, device=device))
                found = [os.environ.get(name) for name in
                         ('JAX_PLATFORMS', 'PJRT_NAMES_AND_LIBRARY_PATHS', 'GHLO_DEVICE')]
                self.assertEqual(tuple(found), expected)


class Apart(unittest.TestCase):
    def test_calls(self):
        """A call that fails leaves the process as it is; those that it does not survive cost no other."""
        apart = compare.Apart(60)
        first = apart.call(os.getpid)
        self.assertNotEqual(first, os.getpid())
        with self.assertRaisesRegex(RuntimeError, 'error: for this reason'):
            apart.call(fail)
        self.assertEqual(apart.call(os.getpid), first)
        with self.assertRaisesRegex(compare.Lost, 'status 3'):
            apart.call(end_process)
        second = apart.call(os.getpid)
        self.assertNotEqual(second, first)
        apart.limit = 0.5
        with self.assertRaisesRegex(compare.Lost, 'more than 0.5 s'):
            apart.call(time.sleep, 60)
        apart.limit = 60
        self.assertNotEqual(apart.call(os.getpid), second)
        apart.end()

    def test_peer_that_ends_it(self):
        """The program is measured again without the last peer."""
        options = argparse.Namespace(**{**vars(OPTIONS), 'peers': ['xla', 'iree']})
        result = {'seconds': {'GHLO': 1.0, 'XLA': 2.0}, 'problems': [], 'steps': [], 'reference_share': 0}
        left_out = 'left out IREE, with which it took long'
        for answers, peers, problems, failed in (
                ([compare.Lost('took long'), result], [['xla', 'iree'], ['xla']], [left_out], None),
                ([compare.Lost('took long'), compare.Lost('ended')], [['xla', 'iree'], ['xla']], None,
                 f'{left_out}; ended'),
                ([RuntimeError('no such type')], [['xla', 'iree']], None, 'no such type')):
            apart = mock.Mock(call=mock.Mock(side_effect=answers))
            with mock.patch.object(compare, 'describe', return_value={
                    'cost': {'bytes': 4, 'product_operations': 0}, 'operation_counts': {'stablehlo.add': 1}}):
                with tempfile.NamedTemporaryFile() as file:
                    found = compare.measure_file(apart, file.name, [], (1e9, 1e9), options)
            self.assertEqual([call.args[3].peers for call in apart.call.call_args_list], peers)
            self.assertEqual((found.get('failed'), found.get('problems')), (failed, problems))
            self.assertEqual(found.get('least_seconds'), 4e-9 if failed is None else None)


class Slow(Runner):
    """Its first call after another runner's takes long, as does any with a GPU that goes over to it."""

    last = None

    def __init__(self, name):
        super().__init__('')
        self.name = name

    def call(self):
        time.sleep(0.02 if Slow.last is not self else 0.001)
        Slow.last = self


class Turns(unittest.TestCase):
    def test_alternate(self):
        samples = turns.alternate([Slow('a'), Slow('b')], 0, turns.time_call)
        self.assertEqual({name: len(times) for name, times in samples.items()}, {'a': 3, 'b': 3})
        self.assertGreater(min(samples['a'] + samples['b']), 0.02)

    def test_orders(self):
        """No system calls twice in a row, and each is behind any other."""
        calls = []
        turns.alternate([Logged(name, '', calls, 0.001) for name in 'abc'], 0.2, turns.time_call)
        pairs = {(a[1], b[1]) for a, b in zip(calls, calls[1:])}
        self.assertEqual(pairs, {(a, b) for a in 'abc' for b in 'abc' if a != b})

    def test_stretch(self):
        samples = turns.stretch([Slow('a'), Slow('b')], 0.3, turns.time_call)
        for times in samples.values():
            self.assertGreaterEqual(len(times), turns.STRETCHES)
            self.assertLess(sorted(times)[len(times) // 2], 0.02)


class Logged(Runner):
    """Tells a list of its calls."""

    def __init__(self, name, program, calls, seconds=0.0):
        super().__init__('')
        self.name, self.program, self.calls, self.seconds, self.inputs = name, program, calls, seconds, [1, 2, 3]
        self.result = [4, 5]

    def call(self):
        self.calls.append((self.program, self.name))
        time.sleep(self.seconds)


class Faces(unittest.TestCase):
    def test_longer_call(self):
        """An empty program of the same inputs and outputs, each of whose calls is behind one of the program."""
        calls, texts, names = [], [], ['GHLO', 'XLA', 'GHLO by JAX']

        def make_runners(text, options):
            del options
            texts.append(text)
            return [Logged(name, 'empty', calls, 0.01 if name == 'GHLO by JAX' else 0) for name in names], []
        with mock.patch.object(compare, 'make_runners', make_runners):
            longer = compare.time_longer_call([Logged(name, 'program', calls) for name in names], OPTIONS)
        self.assertGreater(longer, 0.005)
        self.assertIn(', %a2: tensor<f32>) -> (tensor<f32>, tensor<f32>) {', texts[0])
        self.assertEqual(calls[:2], [('empty', 'GHLO'), ('empty', 'GHLO by JAX')])
        self.assertEqual(calls[2:6], [('program', 'GHLO by JAX'), ('empty', 'GHLO'),
                                      ('program', 'XLA'), ('empty', 'GHLO by JAX')])


class Report(unittest.TestCase):
    COST = {'bytes': 4e6, 'product_operations': 2e6}
    RESULTS = {
        'RED-1': {'seconds': {'GHLO': 2e-3, 'XLA': 1e-3, 'XLA CUDA': 4e-3}, 'least_seconds': 1e-3, 'view': False,
                  'reference_share': 0.5, 'problems': ['a problem'], 'steps': [(1e-3, 1, 'the step')], 'cost': COST},
        'RED-2': {'seconds': {'GHLO': 1e-3, 'XLA': 2e-3}, 'least_seconds': 1e-3, 'view': False,
                  'reference_share': 0, 'problems': [], 'steps': [], 'cost': COST},
        'CF-1': {'failed': 'took more than 3 s'},
    }
    NAMES = ['XLA', 'XLA CUDA']

    def test_text(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            compare.report_head(self.NAMES)
            for name, result in self.RESULTS.items():
                compare.report(name, result, self.NAMES)
            compare.report_groups(self.RESULTS, self.NAMES)
            compare.report_slower(self.RESULTS, self.NAMES)
        lines = out.getvalue().splitlines()
        self.assertEqual(len({len(line) for line in lines[:2]}), 1)
        self.assertEqual(lines[1].split(), 'RED-1 1000.0 us 0.500 50% 1.000 0.50 0.250 2.00'.split())
        self.assertEqual(lines[2], '    a problem')
        self.assertEqual(lines[4].split(), 'CF-1 took more than 3 s'.split())
        self.assertIn('RED 25% 1.00 0.50 2.00 2.00'.split(), [line.split() for line in lines])
        self.assertFalse(any(line.startswith('CF ') for line in lines))
        self.assertIn('0.50 of XLA; a call 2 ms, 1 steps 1 ms', lines[-2])
        self.assertEqual(lines[-1].split(), '1 ms 100% 1 times the step'.split())

    def test_by_jax(self):
        """What is left of a ratio, and that rivals are who is not GHLO."""
        seconds = {'GHLO': 1e-3, 'XLA': 2e-3, 'GHLO by JAX': 1.25e-3}
        results = {'RED-1': {**self.RESULTS['RED-1'], 'seconds': seconds}, 'CF-1': self.RESULTS['CF-1'],
                   'MAT-1': {**self.RESULTS['RED-1'], 'seconds': {**seconds, 'GHLO by JAX': 1e-3}},
                   'IDX-1': {**self.RESULTS['RED-1'], 'seconds': seconds, 'longer_call': 0}}
        self.assertEqual(compare.rivals_of(seconds), ['XLA'])
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            compare.report_by_jax(results, ['XLA', 'IREE'], 0.25e-3)
        lines = [line.split() for line in out.getvalue().splitlines()]
        self.assertIn('RED 2.00 1.60 80% 100%'.split(), lines)
        self.assertIn('MAT 2.00 2.00 100% 133%'.split(), lines)
        self.assertIn('IDX 2.00 1.60 80% 80%'.split(), lines)
        self.assertIn(['CF'], lines)
        self.assertIn('all 2.00 1.72 86% 102%'.split(), lines)

    def test_markdown(self):
        with tempfile.NamedTemporaryFile('r', encoding='utf-8') as file:
            compare.write_markdown(file.name, self.RESULTS, self.NAMES, 1e9, 1e9)
            lines = file.read().splitlines()
        self.assertEqual(len({line.count('|') for line in lines}), 1)
        self.assertEqual(lines[2], '| RED-1 | 4 | 2 | memory | 1 ms | 0.50 | 1.00 | 0.25 | 0.50 | 2.00 |')
        self.assertEqual(lines[3], '| RED-2 | 4 | 2 | memory | 1 ms | 1.00 | 0.50 | – | 2.00 | – |')
        self.assertEqual(len(lines), 4)


if __name__ == '__main__':
    unittest.main()
