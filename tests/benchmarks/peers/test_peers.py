#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the comparison with peers makes of what it measured, and of systems that end the process."""

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', 'end-to-end'), os.path.join(HERE, '..', 'compare')]

# pylint: disable=wrong-import-position
import measure
import peers
import stored

OPTIONS = argparse.Namespace(threads=2, time=1, limit=10, first=2)


def system(median, difference=0.0):
    return {'median': median, 'least': median / 2, 'difference': difference}


def result(**medians):
    return {'systems': {name.replace('_', ' '): system(median) for name, median in medians.items()}, 'problems': {},
            'notes': []}


class Ratios(unittest.TestCase):
    def test_the_best_peer_counts(self):
        one = result(GHLO=2.0, XLA=6.0, OpenVINO=1.0)
        self.assertEqual(peers.best_peer(one, 'f32'), 'OpenVINO')
        self.assertEqual(peers.ratio_to_best(one, 'f32'), 0.5)

    def test_a_wrong_answer_does_not_count(self):
        one = result(GHLO=2.0, XLA=6.0, OpenVINO=1.0)
        one['systems']['OpenVINO']['difference'] = 0.05
        self.assertEqual(peers.best_peer(one, 'f32'), 'XLA')
        self.assertEqual(peers.best_peer(one, 'bf16'), 'OpenVINO')
        self.assertIn('1000!', peers.describe_steady({'a f32': one}))

    def test_an_answer_that_is_not_compared_counts(self):
        one = result(GHLO=2.0, XLA=6.0, OpenVINO=4.0)
        one['systems']['OpenVINO']['difference'] = measure.difference(None, np.ones(3))
        self.assertEqual(peers.best_peer(one, 'f32'), 'OpenVINO')
        self.assertIn('| 4000* |', peers.describe_steady({'a f32': one}))

    def test_a_step_that_a_call_has(self):
        class Runner:
            def call(self):
                self.seconds = 1e-9
        self.assertEqual(measure.time_step(Runner()), 1e-9)

    def test_nothing_to_compare(self):
        self.assertIsNone(peers.ratio_to_best(result(GHLO=1.0), 'f32'))
        self.assertIsNone(peers.ratio_to_best(result(XLA=1.0), 'f32'))

    def test_means_by_type(self):
        results = {'a f32': result(GHLO=1.0, XLA=2.0), 'b f32': result(GHLO=1.0, XLA=0.5), 'a int8': result(GHLO=1.0)}
        self.assertEqual(peers.by_type(results), {'f32': [2.0, 0.5]})
        self.assertIn('| geometric mean, f32, 2 models | | | 1.00 |', peers.describe_steady(results))

    def test_two_files(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in 'ab']
            for path, ours in zip(paths, (1.0, 2.0)):
                with open(path, 'w', encoding='utf-8') as file:
                    json.dump({'results': {'a f32': result(GHLO=ours, XLA=2.0)}}, file)
            self.assertIn('| a f32 | 1000 | 2000 | 2.00 | 1.00 | 0.50 |', peers.compare_files(paths))


class Processes(unittest.TestCase):
    def measure(self, *outputs):
        """measure_steady with processes that print and end as given."""
        calls = []

        def run(*arguments, **_):
            calls.append(arguments[1:])
            return outputs[len(calls) - 1]
        with mock.patch.object(peers, 'run_script', run):
            return peers.measure_steady('folder', 'f32', OPTIONS, ['ghlo', 'xla', 'iree']), calls

    def test_who_ends_the_process_is_left_out(self):
        text = '\n'.join(map(json.dumps, [
            {'begins': 'ghlo'}, {'system': 'GHLO', 'ready': 1, 'difference': 0}, {'begins': 'xla'},
            {'system': 'XLA', 'problem': 'it does not like it'}, {'begins': 'iree'}]))
        last = '\n'.join(map(json.dumps, [
            {'begins': 'ghlo'}, {'system': 'GHLO', 'ready': 1, 'difference': 0}, {'samples': {'GHLO': [1, 3, 2]}}]))
        found, calls = self.measure((text + '\n{"begi', -11), (last, 0))
        self.assertEqual(found['systems']['GHLO']['median'], 2)
        self.assertEqual(found['problems'], {'IREE': 'it ended the process with -11', 'XLA': 'it does not like it'})
        self.assertEqual(calls[1][5:], ('ghlo', 'xla'))

    def test_who_takes_too_long(self):
        found, calls = self.measure((json.dumps({'begins': 'ghlo'}), None), ('', 1), ('', 1))
        self.assertEqual(found['problems']['GHLO'], 'it took too long')
        self.assertEqual(found['systems'], {})
        self.assertEqual(len(calls), 3)

    def test_first_results(self):
        line = json.dumps({'seconds': 2.0, 'memory': 5, 'libraries': 7})
        with mock.patch.object(peers, 'run_script', lambda *arguments, **options: (line, 0)):
            found = peers.measure_first('folder', 'f32', OPTIONS, ['ghlo', 'ort'])
        self.assertEqual(list(found), ['GHLO cold', 'GHLO warm', 'ONNX Runtime'])
        self.assertIn('| a f32 | 2.00, 0 | 2.00, 0 | 2.00, 0 |', peers.describe_first({'a f32': {'first': found}}))


class Answers(unittest.TestCase):
    def test_difference(self):
        ones = np.ones(4, np.float32)
        self.assertEqual(measure.difference(ones, ones), 0)
        self.assertAlmostEqual(measure.difference(2 * ones, ones), 1)
        self.assertEqual(measure.difference(np.ones(3), ones), float('inf'))
        self.assertEqual(measure.difference(np.nan * ones, ones), float('inf'))


class Files(unittest.TestCase):
    def test_program_is_read_as_written(self):
        with tempfile.TemporaryDirectory() as folder:
            arrays = [np.arange(6, dtype=np.float32).reshape(2, 3), np.int32(5)]
            stored.write_program(folder, 'module {}', arrays, ['weight', 'input'], [[0, 1]])
            program = stored.read_program(folder)
            self.assertEqual((program.text, program.carried), ('module {}', [[0, 1]]))
            self.assertEqual([spec.role for spec in program.inputs], ['weight', 'input'])
            for found, expected in zip(program.make_inputs(), arrays):
                np.testing.assert_array_equal(found, expected)

    def test_what_was_not_written_is_said_again(self):
        model = argparse.Namespace(name='a')
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(
                peers, 'run_script', return_value=('bf16 by torchax: no\n', 0)) as run:
            for _ in range(2):
                self.assertEqual(peers.prepare(folder, model, 1, ['f32', 'bf16']), ['bf16 by torchax: no'])
            self.assertEqual(peers.prepare(folder, model, 1, ['f32']), [])
            self.assertEqual(run.call_count, 1)

    def test_a_model_that_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(peers, 'run_script', return_value=('', -9)):
            self.assertEqual(peers.prepare(folder, argparse.Namespace(name='a'), 1, ['f32']),
                             ['f32: prepare.py ended with -9'])
            self.assertEqual(os.listdir(folder), [])

    def test_systems_that_are_not_installed(self):
        self.assertTrue(peers.is_there('json'))
        self.assertFalse(peers.is_there('no_such_module'))
        self.assertFalse(peers.is_there('no_such_module.inner'))
        with contextlib.redirect_stderr(io.StringIO()), mock.patch.object(sys, 'argv', ['run', '--types=f31']), \
                self.assertRaises(SystemExit):
            peers.parse_options()


if __name__ == '__main__':
    unittest.main()
