#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the comparison of whole models makes of what it measured, and of what it did not get."""

import os
import re
import stat
import sys
import tempfile
import time
import unittest
from unittest import mock

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'compare'))

# pylint: disable=wrong-import-position
import compile_times
import end_to_end
import process
import programs
import recipe


def steady(ghlo=(2.0, 1.0, 3.0), xla=(4.0, 4.0, 4.0), difference=0.0):
    return {'samples': {'GHLO': ghlo, 'XLA': xla}, 'processor_samples': {'GHLO': ghlo, 'XLA': xla},
            'difference': difference}


def first(seconds, memory):
    return {'first': seconds, 'memory': memory, 'compile': 0.5, 'passes': 0.4, 'load': 0.6}


def firsts(cold=1.0, warm=0.5, xla=10.0, memory=90):
    return {'cold': [first(cold, memory)], 'warm': [first(warm, 10)], 'xla': [first(xla, 100)]}


class Figures(unittest.TestCase):
    def test_row(self):
        figures = end_to_end.summarize(steady(), firsts())
        self.assertEqual((figures['ghlo'], figures['speed'], figures['least']), (2.0, 2.0, 4.0))
        self.assertAlmostEqual(figures['memory'], 0.9)
        self.assertAlmostEqual(figures['cold'], 0.1)
        self.assertAlmostEqual(figures['warm'], 0.05)
        self.assertAlmostEqual(figures['beyond_passes'], 0.1)

    def test_every_shortfall_is_said(self):
        figures = end_to_end.summarize(steady(xla=(2.0, 2.0, 2.0), difference=0.5),
                                       firsts(cold=6.0, warm=2.0, memory=120), twin=float('nan'))
        missed = end_to_end.shortfalls(figures, 1e-5)
        self.assertEqual(len([line for line in missed if line.startswith('answers differ')]), 2)
        for what, _, _ in end_to_end.GOALS.values():
            self.assertTrue(any(line.startswith(what) for line in missed), what)
        self.assertEqual(end_to_end.shortfalls(end_to_end.summarize(steady(ghlo=(0.9,)), firsts()), 1e-5), [])

    def test_table(self):
        table = end_to_end.markdown({'a': end_to_end.summarize(steady(), firsts()),
                                     'b': end_to_end.summarize(steady(), firsts(), twin=3e-6)})
        columns = {line.count('|') for line in table.splitlines()}
        self.assertEqual((len(table.splitlines()), len(columns)), (4, 1))
        self.assertIn('| 3e-06 |', table)

    def test_calls_alone(self):
        line = end_to_end.describe_calls('name', steady())
        self.assertEqual(line, 'name: 2000.00 and 4000.00 ms, XLA / GHLO 2.00, of the least 4.00; answers differ by 0')

    def test_first_runs_take_turns(self):
        with mock.patch.object(end_to_end, 'call_process', side_effect=range(6)) as call:
            found = end_to_end.measure_first('folder', 'name', 2)
        self.assertEqual(found, {'xla': [0, 3], 'cold': [1, 4], 'warm': [2, 5]})
        caches = [kwargs['cache'] for _, kwargs in call.call_args_list]
        self.assertEqual(caches[0], caches[2])
        self.assertNotEqual(caches[0], caches[3])

    def test_choose(self):
        self.assertEqual(end_to_end.choose('lstm-*,vit-b16'), ['vit-b16', 'lstm-1', 'lstm-16'])
        with self.assertRaises(SystemExit):
            end_to_end.choose('lstm')


class Answers(unittest.TestCase):
    def test_difference(self):
        one = [np.array([3.0, 4.0]), np.zeros(0)]
        self.assertEqual(process.difference(one, one), 0)
        self.assertAlmostEqual(process.difference([np.array([3.0, 4.5]), np.zeros(0)], one), 0.1)
        self.assertEqual(process.difference([np.array([np.nan, 4.0]), np.zeros(0)], one), float('inf'))
        self.assertEqual(process.difference(one[:1], one), float('inf'))
        self.assertEqual(process.difference([one[0].astype(np.float32), one[1]], one), float('inf'))


class Recipes(unittest.TestCase):
    def test_inputs(self):
        labels = recipe.Input((1000,), 'integers', 10, 'int32', 'input').make(3)
        self.assertEqual((labels.dtype, labels.min(), labels.max()), (np.int32, 0, 9))
        weights = recipe.Input((4, 5000), scale=0.02)
        self.assertAlmostEqual(float(weights.make(0).std()), 0.02, places=3)
        self.assertTrue((weights.make(0) == weights.make(0)).all())
        self.assertFalse((weights.make(0) == weights.make(1)).all())
        self.assertEqual(recipe.Input((2,), 'ones').make(0).dtype, np.float32)

    def test_kept(self):
        program = recipe.Program('p', 'text', [recipe.Input((2, 3), role='state'), recipe.Input(())], [[0, 0]])
        with tempfile.TemporaryDirectory() as folder:
            with mock.patch.object(programs, 'lower', return_value=program) as lower:
                self.assertEqual(programs.ensure(folder, 'p'), program)
                self.assertEqual(programs.ensure(folder, 'p'), program)
            lower.assert_called_once()


class Process(unittest.TestCase):
    def test_peak(self):
        process.forget_peak()
        before = process.memory('VmRSS')
        block = np.ones(64 << 20, np.uint8)
        del block
        self.assertGreaterEqual(process.memory('VmHWM') - before, 60 << 20)
        process.forget_peak()
        self.assertLess(process.memory('VmHWM') - before, 60 << 20)

    def test_failed(self):
        with mock.patch('subprocess.run', return_value=mock.Mock(returncode=-9)):
            with self.assertRaisesRegex(RuntimeError, 'first xla folder name ended with -9'):
                end_to_end.call_process('first', 'xla', 'folder', 'name')

    def test_sample(self):
        wall, processor = process.sample(mock.Mock(call=lambda: time.sleep(0.02)))
        self.assertGreater(wall, 0.02)
        self.assertLess(processor, wall)

    def test_devices(self):
        """Where both compute is told to processes by their environment."""
        done = mock.Mock(returncode=0, stdout=b'{}\n')
        arguments = ['run', '--device=vulkan', '--platform=cuda', '--rounds=0', '--only=lstm-1']
        with mock.patch('subprocess.run', return_value=done) as run, mock.patch.object(programs, 'ensure'), \
                mock.patch.object(programs, 'default_folder', return_value='f'), \
                mock.patch.object(end_to_end, 'describe_calls', return_value='a line') as describe, \
                mock.patch.dict(end_to_end.ENVIRONMENT), mock.patch.object(sys, 'argv', arguments):
            end_to_end.main()
        describe.assert_called_once()
        environment = run.call_args.kwargs['env']
        self.assertEqual((environment['GHLO_DEVICE'], environment['JAX_PLATFORMS']), ('vulkan', 'cuda'))

    def test_last_line(self):
        done = mock.Mock(returncode=0, stdout=b'a warning\n{"first": 1}\n')
        with mock.patch('subprocess.run', return_value=done) as run:
            self.assertEqual(end_to_end.call_process('first', 'xla', 'folder', 'name', cache='c'), {'first': 1})
        self.assertEqual(run.call_args.kwargs['env']['XDG_CACHE_HOME'], 'c')


class CompileTimes(unittest.TestCase):
    def test_row(self):
        found = {'ghlo': [{'code': 1.0, 'code_processor': 2.0, 'beyond_passes': [3.0, 0.001]}],
                 'xla': [{'code': 4.0, 'code_processor': 4.0, 'beyond_passes': []}]}
        figures = compile_times.summarize(found)
        self.assertEqual((figures['beyond_passes'], figures['code'], figures['processor']), (0.001, 0.25, 0.5))
        self.assertEqual({line.count('|') for line in compile_times.markdown({'a': figures}).splitlines()}, {7})

    def test_llvm(self):
        self.assertTrue(compile_times.loads_llvm(' 12:\tcalling init: /usr/lib/libLLVM-19.so.1\n'))
        self.assertFalse(compile_times.loads_llvm(' 12:\tcalling init: /usr/lib/libdnnl.so.2\n'))

    def test_run(self):
        """The command beside a tool that loads nothing, and one that prints what the loader would."""
        for lines, expected in (('', False), ('calling init: /x/libghlo-llvm.so', True)):
            with tempfile.TemporaryDirectory() as folder:
                tool = os.path.join(folder, 'tool')
                with open(tool, 'w', encoding='utf-8') as file:
                    file.write(f'#!/bin/sh\necho "$*" >> {folder}/log\necho "{lines}" >&2\n')
                os.chmod(tool, stat.S_IRWXU)
                for number in (10, 2):
                    np.save(os.path.join(folder, f'arg{number}.npy'), np.zeros(1))
                with mock.patch.object(compile_times, 'TOOL', tool):
                    self.assertEqual(compile_times.measure_run(folder, 3)['llvm'], expected)
                with open(os.path.join(folder, 'log'), encoding='utf-8') as file:
                    calls = file.read().splitlines()
                self.assertEqual(len(calls), 5)
                self.assertTrue(re.search(r'arg2.npy .*arg10.npy', calls[1]))


if __name__ == '__main__':
    unittest.main()
