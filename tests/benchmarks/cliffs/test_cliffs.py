#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs that cliffs.py draws are valid, and its bounds and tables are what they should be.

    test_cliffs.py [GHLO_TOOL]"""

import argparse
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
import cliffs
import families
import rates

GHLO = sys.argv.pop(1) if len(sys.argv) > 1 and os.path.exists(sys.argv[1]) else None
RATES = {'moved': [[1000, 100.0], [100000, 10.0]], 'products': {'f32': 100.0, 'f64': 50.0, 'i32': 20.0},
         'others': {'f32': 10.0, 'f64': 5.0, 'i32': 10.0}, 'functions': {'tanh f32': 2.0}, 'dispatch': 3.0}
FOUND = {'bytes': 0, 'operations': 0, 'product_operations': 0, 'minimum_s': 10.0, 'queued_s': 10.0, 'median_s': 12.0,
         'compile_s': 1.0, 'share_of_reference': 0.0}


def cell(kind='f32', functions=None, more_bytes=0.0):
    return {'family': 'a', 'about': 'it', 'kind': kind, 'functions': functions or {}, 'more_bytes': more_bytes}


class Bounds(unittest.TestCase):
    def bound(self, one=None, **found):
        return rates.find_bound(one or cell(), {**FOUND, **found}, RATES)

    def test_bytes_by_where_they_fit(self):
        self.assertEqual(self.bound(bytes=900), (9.0, 'bytes'))
        self.assertEqual(self.bound(bytes=2000), (200.0, 'bytes'))
        self.assertEqual(self.bound(bytes=1000000), (100000.0, 'bytes'))
        self.assertEqual(self.bound(cell(more_bytes=900.0), bytes=100), (10.0, 'bytes'))

    def test_operations_by_type(self):
        self.assertEqual(self.bound(operations=1000, product_operations=1000), (10.0, 'operations'))
        self.assertEqual(self.bound(cell('f64'), operations=1000, product_operations=1000), (20.0, 'operations'))
        self.assertEqual(self.bound(cell('i64'), operations=100), (20.0, 'operations'))
        self.assertEqual(self.bound(cell(functions={'tanh f32': 100}), operations=150), (55.0, 'operations'))

    def test_dispatch(self):
        self.assertEqual(self.bound(), (3.0, 'dispatch'))

    def test_a_cell_that_failed_is_the_worst(self):
        failed, done = cliffs.judge(cell(), None, 'it crashed', RATES), cliffs.judge(cell(), FOUND, None, RATES)
        self.assertEqual((failed['share'], done['share']), (0, 0.3))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            cliffs.report({'rates': RATES, 'cells': {'one': done, 'two': failed}}, 40)
        self.assertLess(output.getvalue().index('two'), output.getvalue().index('one'))
        self.assertIn('it crashed', output.getvalue())
        self.assertRegex(output.getvalue(), r'all +2 +0\.15 +0\.000 +1\n')

    def test_two_files(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as output:
            paths = [os.path.join(folder, name) for name in 'ab']
            for path, share in zip(paths, (0.5, 0.1)):
                with open(path, 'w', encoding='utf-8') as file:
                    json.dump({'cells': {'one': {**cell(), 'share': share}}}, file)
            cliffs.compare(paths, 40)
            self.assertIn('0.20 times one', output.getvalue())


class Rates(unittest.TestCase):
    def test_ladders_rise(self):
        for name, ladder in rates.make_ladders().items():
            works = [work for work, _ in ladder]
            self.assertEqual(works, sorted(works), name)
            self.assertTrue(all('func.func @main' in text for _, text in ladder))

    def test_larger_programs_follow_short_ones(self):
        ladders, ran = {'fast': [(1.0, 'a'), (2.0, 'b')], 'slow': [(1.0, 'c'), (2.0, 'd')], 'gone': [(1.0, 'e')]}, []

        def bench(paths):
            ran.extend(map(os.path.basename, paths))
            return {name: {'minimum_s': 2.0, 'queued_s': 1e-4 if 'fast' in name else 1.0}
                    for name in map(os.path.basename, paths)
                    if 'gone' not in name}
        with tempfile.TemporaryDirectory() as folder:
            found = rates.climb(ladders, folder, bench)
        self.assertEqual(found, {'fast': [(1.0, 1e-4), (2.0, 1e-4)], 'slow': [(1.0, 1.0)], 'gone': []})
        self.assertNotIn('slow-1.mlir', ran)

    def test_wider_units(self):
        found = {'copy': [(100.0, 1.0), (200.0, 1.0), (400.0, 8.0)], 'dispatch': [(1.0, 0.5)],
                 'product f32': [(8.0, 1.0), (64.0, 4.0)], 'product i8': [(8.0, 4.0)], 'chain f32': [(6.0, 1.0)]}
        measured = rates.find_rates(found)
        self.assertEqual(measured['moved'], [(100.0, 200.0), (200.0, 200.0), (400.0, 50.0)])
        self.assertEqual((measured['products']['f32'], measured['products']['i8']), (16.0, 16.0))
        self.assertEqual(measured['functions']['tanh f32'], 6.0)
        self.assertEqual(measured['dispatch'], 0.5)


class Cells(unittest.TestCase):
    def draw(self, seed=1, count=2 * len(families.FAMILIES), names=tuple(families.FAMILIES)):
        return cliffs.draw_cells(argparse.Namespace(seed=seed, count=count, families=list(names)))

    def test_a_cell_is_its_seed(self):
        self.assertEqual(self.draw(), self.draw())
        self.assertNotEqual(self.draw()['product-1-0'], self.draw(seed=2)['product-2-0'])
        alone = self.draw(count=2, names=('sort',))
        self.assertEqual(alone['sort-1-1'], self.draw()['sort-1-1'])

    def test_sorts_count_comparisons(self):
        for number in range(20):
            sort = families.draw_sort(random.Random(number))
            counted = sum(n for name, n in sort.functions.items() if name.startswith('sort '))
            self.assertEqual(counted > 0, 'top' not in sort.about, sort.about)
            self.assertTrue(all(name in rates.find_rates({'copy': [(1.0, 1.0)], 'dispatch': [(1.0, 1.0)]})['functions']
                                for name in sort.functions))

    def test_sizes(self):
        for seed in range(200):
            size = families.draw_size(random.Random(seed), 100)
            self.assertTrue(1 <= size <= 100)

    @unittest.skipIf(GHLO is None, 'there is no tool')
    def test_programs_are_valid(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, one in self.draw(seed=3, count=4 * len(families.FAMILIES)).items():
                path = os.path.join(folder, f'{name}.mlir')
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(one['text'])
                done = subprocess.run([GHLO, 'info', path], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, f'{name}: {done.stderr}')


class Batches(unittest.TestCase):
    def test_a_crash_costs_its_own_cell_alone(self):
        def bench(paths, *_):
            names = [os.path.basename(path) for path in paths]
            if 'b.mlir' in names:
                return {}, 'ended with -11'
            return {name: FOUND for name in names}, ''
        options = argparse.Namespace(device='cpu', time=1, limit=1)
        with mock.patch.object(cliffs, 'bench', bench):
            found, problems = cliffs.measure_batch(['a', 'b', 'c'], 'folder', options)
        self.assertEqual(sorted(found), ['a', 'c'])
        self.assertEqual(problems, {'b': 'ended with -11'})


if __name__ == '__main__':
    unittest.main()
