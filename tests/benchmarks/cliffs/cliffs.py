#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random programs of many families, shapes, layouts, alignments and types, and what share of its bound each reaches on
a device: the bound is the longest of moving the bytes at the rate of the memory or cache that they fit, doing the
operations at the rate of the unit for the type, and a dispatch, of 2.5 µs at least. Prints the worst first, then the
median of each family. A share under 0.25 is a fault, as a wrong answer is one; a change that makes a case special shows
its family before and after with --compare. Times are the least of several runs, which other work on the machine changes
least; on a GPU, of runs that don't wait for each other.
"""

import argparse
import collections
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import families
import rates

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
FAULT = 0.25
BATCH = 12               # programs of one process


def bench(paths, device, seconds, limit):
    """What `ghlo bench` says of programs by file name, what it said of those that failed, and whether it ended."""
    command = [TOOL, 'bench', f'--device={device}', '--wait-for-code', '--warm-up=1', f'--time={seconds}',
               '--format=json', *paths]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return {}, f'no end in {limit:.0f} s'
    try:
        return json.loads(done.stdout)['programs'], done.stderr.strip()
    except (ValueError, KeyError):
        return {}, f'ended with {done.returncode}: {done.stderr.strip()[-200:]}'


def draw_cells(options):
    """Cells by name, families in turns. What a cell is depends on its seed, family and number alone."""
    cells, names = {}, options.families
    for number in range(options.count):
        family, place = names[number % len(names)], number // len(names)
        cell = families.FAMILIES[family](random.Random(f'{options.seed} {family} {place}'))
        cells[f'{family}-{options.seed}-{place}'] = {'family': family, 'about': cell.about, 'kind': cell.kind,
                                                     'functions': cell.functions, 'more_bytes': cell.more_bytes,
                                                     'text': cell.text}
    return cells


def measure_batch(names, folder, options):
    """What bench says of some cells. A process that ends early is repeated for each cell alone."""
    paths = [os.path.join(folder, f'{name}.mlir') for name in names]
    found, said = bench(paths, options.device, options.time, options.limit)
    problems = {}
    if not found and len(names) > 1:
        for name in names:
            one, problem = measure_batch([name], folder, options)
            found.update(one)
            problems.update(problem)
        return found, problems
    for name in names:
        if f'{name}.mlir' not in found:
            problems[name] = next((line for line in said.splitlines() if name in line), said)[-200:]
    return {name.rsplit('.', 1)[0]: one for name, one in found.items()}, problems


def measure(options):
    """The results of all cells, with the rates by which they are judged."""
    cells, results, start = draw_cells(options), {}, time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for name, cell in cells.items():
            with open(os.path.join(folder, f'{name}.mlir'), 'w', encoding='utf-8') as file:
                file.write(cell['text'])
            if options.keep:
                os.makedirs(options.keep, exist_ok=True)
                with open(os.path.join(options.keep, f'{name}.mlir'), 'w', encoding='utf-8') as file:
                    file.write(cell['text'])
        found = rates.climb(rates.make_ladders(), folder, lambda paths: bench(paths, options.device, 0.03, 600)[0])
        measured, names = rates.find_rates(found), list(cells)
        for first in range(0, len(names), BATCH):
            some = names[first:first + BATCH]
            found, problems = measure_batch(some, folder, options)
            for name in some:
                results[name] = judge(cells[name], found.get(name), problems.get(name), measured)
            print(f'\r  {min(first + BATCH, len(names))} of {len(names)}, {time.monotonic() - start:.0f} s', end='',
                  file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {'device': options.device, 'seed': options.seed, 'rates': measured, 'cells': results}


def judge(cell, found, problem, measured):
    """The result of a cell; its share is 0 where it failed."""
    result = {key: cell[key] for key in ('family', 'about', 'kind')}
    if found is None:
        return {**result, 'share': 0, 'problem': problem or 'no result'}
    bound, why = rates.find_bound(cell, found, measured)
    seconds = rates.find_seconds(found)
    return {**result, 'seconds': seconds, 'median': found['median_s'], 'compile': found['compile_s'],
            'bound': bound, 'by': why, 'share': bound / seconds, 'reference': found['share_of_reference'],
            'bytes': found['bytes'], 'operations': found['operations']}


def duration(seconds):
    return f'{seconds * 1e3:.3g} ms' if seconds >= 1e-3 else f'{seconds * 1e6:.3g} µs'


def describe_cell(name, cell):
    if 'problem' in cell:
        return f'  –   {name:24} {cell["about"]}: {cell["problem"]}'
    reference = f', {cell["reference"]:.0%} in the reference executor' if cell['reference'] > 0.05 else ''
    return (f'{cell["share"]:6.3f} {name:22} {duration(cell["seconds"]):>9} of {duration(cell["bound"]):>8} '
            f'({cell["by"]})  {cell["about"]}{reference}')


def list_families(cells):
    """Shares by family."""
    shares = collections.defaultdict(list)
    for cell in cells.values():
        shares[cell['family']].append(cell['share'])
    return shares


def list_types(cells, family):
    """Median shares of a family's types, the least first, as far as there are three cells of one."""
    shares = collections.defaultdict(list)
    for cell in cells.values():
        if cell['family'] == family:
            shares[cell['kind']].append(cell['share'])
    medians = sorted((statistics.median(some), kind) for kind, some in shares.items() if len(some) > 2)
    return ', '.join(f'{kind} {median:.2f}' for median, kind in medians)


def describe_families(cells):
    lines = [f'{"family":14}{"cells":>6}{"median":>8}{"worst":>8}{"under " + str(FAULT):>12}  medians of types']
    families_by_share = sorted(list_families(cells).items(), key=lambda item: statistics.median(item[1]))
    for family, shares in [*families_by_share, ('all', [cell['share'] for cell in cells.values()])]:
        lines.append(f'{family:14}{len(shares):6}{statistics.median(shares):8.2f}{min(shares):8.3f}'
                     f'{sum(share < FAULT for share in shares):12}  {list_types(cells, family)}'.rstrip())
    return '\n'.join(lines)


def report(result, worst):
    cells = sorted(result['cells'].items(), key=lambda item: item[1]['share'])
    print(rates.describe(result['rates']))
    for name, cell in cells[:worst]:
        print(describe_cell(name, cell))
    print('\n' + describe_families(result['cells']))


def compare(paths, worst):
    """Cells of both files whose share has changed by more than a quarter, the worst first, and medians of families."""
    both = []
    for path in paths:
        with open(path, encoding='utf-8') as file:
            both.append(json.load(file)['cells'])
    changes = []
    for name in both[0].keys() & both[1].keys():
        before, after = (cells[name]['share'] for cells in both)
        if max(before, after) > 1.25 * min(before, after):
            changes.append((after / before if before > 0 else float('inf'), name, before, after))
    changes.sort()
    for change, name, before, after in changes[:worst] + changes[worst:][-worst:]:
        print(f'{change:8.2f} times {name:24} {before:6.3f} → {after:6.3f}  {both[1][name]["about"]}')
    shares = [list_families(cells) for cells in both]
    print(f'\n{"family":14}{"before":>8}{"after":>8}')
    for family in shares[0].keys() & shares[1].keys():
        print(f'{family:14}{statistics.median(shares[0][family]):8.2f}{statistics.median(shares[1][family]):8.2f}')


def parse_options():
    parser = argparse.ArgumentParser(prog='run', description=__doc__, epilog='--build=DIR, the build tree whose GHLO '
                                     'is measured (build), is an option of the script around this one.')

    def listed(text):
        return text.split(',')
    parser.add_argument('--seed', default=1, type=int, help='of the cells (1)')
    parser.add_argument('--families', default=list(families.FAMILIES), type=listed,
                        help=f'of {",".join(families.FAMILIES)} (all)')
    parser.add_argument('--count', default=304, type=int, help='how many cells, families in turns (304)')
    parser.add_argument('--device', default='cpu', help='the device to run on, as ghlo devices names it (cpu)')
    parser.add_argument('--time', default=0.05, type=float, help='seconds of runs of each cell (0.05); at least 5 runs')
    parser.add_argument('--limit', default=180.0, type=float,
                        help=f'seconds after which {BATCH} cells are given up (180)')
    parser.add_argument('--worst', default=40, type=int, help='how many cells are printed (40)')
    parser.add_argument('--keep', metavar='DIR', help='write the programs there')
    parser.add_argument('--output', metavar='FILE', help='save the results as JSON')
    parser.add_argument('--compare', nargs=2, metavar='FILE', help='instead, compare two files of --output')
    options = parser.parse_args()
    unknown = set(options.families) - set(families.FAMILIES)
    if unknown:
        parser.error(f'expected --families of {",".join(families.FAMILIES)}, found {",".join(sorted(unknown))}')
    return options


def main():
    options = parse_options()
    if options.compare:
        compare(options.compare, options.worst)
        return
    result = measure(options)
    report(result, options.worst)
    if options.output:
        with open(options.output, 'w', encoding='utf-8') as file:
            json.dump(result, file, indent=1)


if __name__ == '__main__':
    main()
