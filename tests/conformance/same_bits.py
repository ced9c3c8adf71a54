#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results depend neither on the number of threads nor, except in steps of libraries, on the level of the
instruction set. Runs programs of odd shapes and, where DATA has them, the benchmark programs, in one process for
each configuration, and compares checksums of all outputs. Without --all the larger benchmark programs run only on
one and on three threads, at the processor's own level.

    same_bits.py DATA CHECKSUMS [--all]      (CHECKSUMS is the program beside this script, built)
"""

import glob
import json
import math
import os
import subprocess
import sys
import tempfile

from common import Tap
from odd_programs import make_programs

THREADS = ['1', '2', '3', '8']
FEW_THREADS = ['1', '3']

# oneDNN's names, the lowest first. A processor that lacks one runs at its own highest.
LEVELS = ['SSE41', 'AVX2', 'AVX512_CORE']

# Programs whose inputs have more elements than this are large, and those that take long with few.
MAX_ELEMENTS = 4_000_000
LONG = ('CNN-INF', 'TRAIN', 'XFMR')


def is_large(name, shapes):
    return sum(math.prod(shape) for _, shape in shapes) > MAX_ELEMENTS or name.startswith(LONG)


def run(tool, paths, threads, level=None):
    """{(program, inputs): (libraries, checksum)}"""
    # Programs reuse freed memory, since the system clears all memory that it gives anew.
    environment = dict(os.environ, GHLO_THREADS=threads,
                       GLIBC_TUNABLES='glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=8589934592')
    for name in ('ONEDNN_MAX_CPU_ISA', 'DNNL_MAX_CPU_ISA'):
        environment.pop(name, None)
    if level:
        environment['DNNL_MAX_CPU_ISA'] = level
    lines = subprocess.run([tool, *paths], env=environment, check=True, stdout=subprocess.PIPE,
                           text=True).stdout.splitlines()
    return {tuple(line.split()[:2]): tuple(line.split()[2:]) for line in lines}


def compare(tap, what, runs, keys):
    """Reports a test for each of @keys: all of @runs have the same checksum."""
    for key in keys:
        groups = {}
        for name, lines in runs.items():
            groups.setdefault(lines[key][1], []).append(name)
        tap.report(len(groups) == 1, f'{what}: {key[0]}, {key[1]}',
                   ' differs from '.join(', '.join(group) for group in groups.values()))


def compare_levels(tap, paths):
    """Compares levels. Leaves out programs that use libraries at any level and, at the lowest level, tiles of floats:
    multiplications and additions are fused from AVX2 on."""
    runs = {level: run(tap.tool, paths, '2', level) for level in LEVELS}
    parts = {key: ','.join(lines[key][0] for lines in runs.values()) for key in runs[LEVELS[0]]}
    own = [key for key in parts if not any(name in parts[key] for name in ('onednn', 'openblas'))]
    compare(tap, 'levels', runs, [key for key in own if 'tiles' not in parts[key]])
    runs.pop(LEVELS[0])
    tiles = [key for key in own if 'tiles' in parts[key]]
    compare(tap, 'levels with FMA', runs, tiles)
    print(f'# at levels {len(parts) - len(own)} of {len(parts)} runs were not compared, since libraries take part in '
          f'them, and {len(tiles)} on those with FMA only')


def find_benchmarks():
    """Returns the paths of small and of large benchmark programs."""
    folder = os.path.join(sys.argv[1], 'seed_table')
    small, large = [], []
    if not os.path.isdir(folder):
        print(f'# skipped: there are no benchmark programs in {folder}')
        return small, large
    with open(os.path.join(folder, 'index.json'), encoding='utf-8') as file:
        index = json.load(file)
    for path in sorted(glob.glob(os.path.join(folder, '*.mlir'))):
        name = os.path.basename(path)[:-5]
        (large if is_large(name, index[name]) and '--all' not in sys.argv else small).append(path)
    return small, large


def main():
    small, large = find_benchmarks()
    tap = Tap()
    tap.tool = sys.argv[2]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in make_programs().items():
            small.append(os.path.join(folder, name + '.mlir'))
            with open(small[-1], 'w', encoding='utf-8') as file:
                file.write(text)
        for paths, threads in (small, THREADS), (large, FEW_THREADS):
            runs = {f'{n} threads': run(tap.tool, paths, n) for n in threads}
            compare(tap, 'threads', runs, runs[f'{threads[0]} threads'])
        compare_levels(tap, small)
    print(f'# {len(small) + len(large)} programs on two sets of inputs each')
    tap.finish()


if __name__ == '__main__':
    main()
