#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the steps that bench-scaling takes for each program, at two sizes, and fails where
they grow faster than the program.

    scaling.py BENCH [--operations N] [--limit EXPONENT] [--table] [SHAPE…]

A step is one of the straight pieces of code, up to a jump, that valgrind translates: it counts them
without a tool, at a tenth of the time that counting instructions takes, in libraries too. What loops takes
a step in each round. Unlike times, the counts are much the same on a busy machine, so that small programs are
enough. BENCH makes programs of N operations, of a quarter of them, and of next to none: what that takes as
well, s (0), does not depend on the program, and would hide how the rest grows. What seems to grow is looked
at again with four times as many operations, and sixteen times, where steps of tables and seeds of hashes count
for less, and only growth that lasts fails. The result is TAP; with --table the exponents,
log ((s (N) - s (0)) / (s (N / 4) - s (0))) / log 4, and thousands of steps.
"""

import argparse
import collections
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Tables grow in steps, which is worth some 0.05 at small sizes; what is quadratic shows as 1.3 and more.
LIMIT = 1.2
# What is looked at again: small programs show less of what will be most of the steps of large ones.
SUSPECT = 1.1
# Counts below this say nothing about growth.
LEAST = 20_000
LEAST_OPERATIONS = 8
# A loop of few instructions takes a step in each round, not in some.
VALGRIND = ['valgrind', '--tool=none', '--vex-iropt-unroll-thresh=0']
# Not in rounds of 8 bytes, which processors have an instruction for, and which would outweigh all else.
ENVIRONMENT = {
    'GLIBC_TUNABLES': ':'.join(f'glibc.cpu.x86_rep_{name}_threshold={2**31 - 1}' for name in ('movsb', 'stosb')),
    'MALLOC_PERTURB_': '0',     # which meson sets
}


def read_counts(log):
    """(shape, operations) → phase → steps, of valgrind's log."""
    counts = collections.defaultdict(collections.Counter)
    kind = name = program = None
    before = 0
    for line in log:
        if found := re.match(r'\*\*\d+\*\* (\S+) (.*)', line):
            kind, name = found.groups()
        elif (found := re.search(r'scheduler: ([\d,]+) event checks', line)) and kind:
            steps = int(found[1].replace(',', ''))
            if kind == 'did':
                counts[program][name] += steps - before
            else:
                program = name, int(kind)
            before = steps
    return counts


def count(bench, sizes, shapes):
    """Steps as above, of shapes, or of all where there are none. What is made at its first use is no program's."""
    sizes = [0, *sizes]
    with tempfile.NamedTemporaryFile('r', encoding='utf-8') as log:
        subprocess.run([*VALGRIND, f'--log-file={log.name}', bench, '--once', ','.join(map(str, sizes)), *shapes],
                       check=True, stdout=subprocess.DEVNULL, env=os.environ | ENVIRONMENT)
        return read_counts(log)


def exponents(least, small, large):
    """phase → exponent, for those that take long enough, without what they take for the least program."""
    grown = {phase: (small[phase] - least[phase], n - least[phase]) for phase, n in large.items()}
    return {phase: math.log(n / max(m, 1)) / math.log(4) for phase, (m, n) in grown.items() if n >= LEAST}


def too_fast(counts, shape, operations, limit):
    """The phases whose steps grow faster than allowed up to so many operations, with their exponents."""
    found = exponents(*(counts[shape, n] for n in (LEAST_OPERATIONS, operations // 4, operations)))
    return {phase: exponent for phase, exponent in found.items() if exponent > limit}


def lasting(counts, shapes, options):
    """shape → what grows too fast at each size, with its exponent at the largest."""
    operations = options.operations
    bad = {shape: too_fast(counts, shape, operations, min(SUSPECT, options.limit)) for shape in shapes}
    for _ in range(2):
        bad = {shape: phases for shape, phases in bad.items() if phases}
        if not bad:
            break
        operations *= 4
        counts.update(count(options.bench, [operations], bad))
        bad = {shape: {phase: exponent for phase, exponent in
                       too_fast(counts, shape, operations, options.limit).items() if phase in phases}
               for shape, phases in bad.items()}
    return bad


def print_table(counts, shapes, operations):
    for shape in shapes:
        large = counts[shape, operations]
        found = exponents(counts[shape, LEAST_OPERATIONS], counts[shape, operations // 4], large)
        print(f'{shape:20}', ' '.join(f'{phase} {large[phase] / 1e3:.0f} {exponent:.2f}'
                                      for phase, exponent in found.items()))


def main():
    parser = argparse.ArgumentParser(description='counts how steps grow with programs')
    parser.add_argument('bench')
    parser.add_argument('shapes', nargs='*')
    parser.add_argument('--operations', type=int, default=1000)
    parser.add_argument('--limit', type=float, default=LIMIT)
    parser.add_argument('--table', action='store_true')
    options = parser.parse_intermixed_args()

    if shutil.which('valgrind') is None:
        print('1..0 # SKIP without valgrind')
        return 0
    counts = count(options.bench, [LEAST_OPERATIONS, options.operations // 4, options.operations], options.shapes)
    shapes = sorted({shape for shape, _ in counts})
    if options.table:
        print_table(counts, shapes, options.operations)
        return 0
    bad = lasting(counts, shapes, options)
    print(f'1..{len(shapes)}')
    for number, shape in enumerate(shapes, 1):
        print(f'{"not " if bad.get(shape) else ""}ok {number} - {shape}')
        for phase, exponent in bad.get(shape, {}).items():
            print(f'# {phase}: expected steps to grow by at most n^{options.limit}, found n^{exponent:.2f}')
    return 1 if any(bad.values()) or not shapes else 0


if __name__ == '__main__':
    sys.exit(main())
