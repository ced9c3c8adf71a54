#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Counts the instructions that bench-scaling takes for each program, at two sizes, and
fails where they grow faster than the program.

    scaling.py BENCH [--operations N] [--limit EXPONENT] [--table] [SHAPE…]

Runs BENCH under callgrind with N operations, with a quarter of them, and with next to none: what
that takes as well, i (0), does not depend on the program, and would hide how the rest grows. Unlike
times, the counts are much the same on a busy machine, so that small programs are enough; what seems
to grow is looked at again with four times as many operations, and sixteen times, where steps
of tables and seeds of hashes count for less, and only growth that lasts fails. The result is TAP; with
--table the exponents, log ((i (N) - i (0)) / (i (N / 4) - i (0))) / log 4, and millions of instructions.
"""

import argparse
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Functions whose instructions count, with all that they call.
COUNTED = {
    'ghlo_import_text': 'parse', 'ghlo_ir_verify': 'verify', 'ghlo_ir_to_string': 'print',
    'ghlo_ir_module_copy': 'copy', 'ghlo_export_artifact': 'write', 'ghlo_import_bytecode': 'read',
    'ghlo_run_plan_new': 'plan',
    'ghlo_pass_inline': 'inline', 'ghlo_pass_canonicalize': 'canonicalize', 'ghlo_pass_fold': 'fold',
    'ghlo_pass_fold_transposes': 'fold-transposes', 'ghlo_pass_reshape': 'reshape', 'ghlo_pass_cse': 'cse',
    'ghlo_pass_licm': 'licm', 'ghlo_pass_count_loops': 'count-loops', 'ghlo_pass_dce': 'dce',
    'ghlo_pass_channels_last': 'channels-last', 'ghlo_pass_fuse_loops': 'fuse-loops',
    'ghlo_pass_fuse_attention': 'fuse-attention', 'ghlo_pass_fuse_epilogues': 'fuse-epilogues',
    'ghlo_pass_fuse_reductions': 'fuse-reductions', 'ghlo_pass_fuse_maps': 'fuse-maps',
}
# Tables grow in steps, which is worth some 0.05 at small sizes; what is quadratic shows as 1.3 and more.
LIMIT = 1.2
# What is looked at again: small programs show less of what will be most of the instructions of large ones.
SUSPECT = 1.1
# Counts below this say nothing about growth.
LEAST = 500_000
LEAST_OPERATIONS = 8


def read_counts(path):
    """(the program's name, instructions by phase) of a file of callgrind's."""
    name, counts, called = None, {}, None
    with open(path, encoding='utf-8') as file:
        for line in file:
            found = re.match(r'desc: Trigger: Client Request: (.*)', line)
            if found:
                name = found[1]
            elif line.startswith('cfn='):
                called = COUNTED.get(line[4:].split("'")[0].strip())
            elif line.startswith('calls=') and called:
                counts[called] = counts.get(called, 0) + int(next(file).split()[1])
                called = None
    return name, counts


def count(bench, operations, shapes):
    """Instructions by phase, by program."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={folder}/counts',
                        '--compress-strings=no', '--compress-pos=no', bench, '--once', str(operations), *shapes],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        read = [read_counts(path) for path in pathlib.Path(folder).iterdir()]
    return {name: counts for name, counts in read if name}


def exponents(least, small, large):
    """phase → exponent, for those that take long enough, without what they take for the least program."""
    grown = {phase: (small[phase] - least.get(phase, 0), n - least.get(phase, 0)) for phase, n in large.items()
             if small.get(phase)}
    return {phase: math.log(n / max(m, 1)) / math.log(4) for phase, (m, n) in grown.items() if n >= LEAST}


def too_fast(least, small, large, limit):
    """The phases whose instructions grow faster than allowed, with their exponents."""
    return {phase: exponent for phase, exponent in exponents(least, small, large).items() if exponent > limit}


def lasting(name, least, small, large, options):
    """What grows too fast at each size."""
    bad = too_fast(least, small, large, min(SUSPECT, options.limit))
    for factor in (4, 16):
        if not bad:
            break
        small, large = large, count(options.bench, factor * options.operations, [name])[name]
        bad = {phase: exponent for phase, exponent in too_fast(least, small, large, options.limit).items()
               if phase in bad}
    return bad


def main():
    parser = argparse.ArgumentParser(description='counts how instructions grow with programs')
    parser.add_argument('bench')
    parser.add_argument('shapes', nargs='*')
    parser.add_argument('--operations', type=int, default=1000)
    parser.add_argument('--limit', type=float, default=LIMIT)
    parser.add_argument('--table', action='store_true')
    options = parser.parse_intermixed_args()

    if shutil.which('valgrind') is None:
        print('1..0 # SKIP without valgrind')
        return 0
    least, small, large = (count(options.bench, n, options.shapes)
                           for n in (LEAST_OPERATIONS, options.operations // 4, options.operations))
    failed = not large
    if not options.table:
        print(f'1..{len(large)}')
    for number, (name, counts) in enumerate(sorted(large.items()), 1):
        if options.table:
            print(f'{name:20}', ' '.join(f'{phase} {counts[phase] / 1e6:.1f} {exponent:.2f}'
                                         for phase, exponent in exponents(least[name], small[name], counts).items()))
            continue
        bad = lasting(name, least[name], small[name], counts, options)
        failed |= bool(bad)
        print(f'{"not " if bad else ""}ok {number} - {name}')
        for phase, exponent in bad.items():
            print(f'# {phase}: expected instructions to grow by at most n^{options.limit}, found n^{exponent:.2f}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
