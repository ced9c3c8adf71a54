#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole models on GHLO beside XLA, on all cores or a GPU: calls in turns in one process, whose
answers are compared first; memory and first runs in processes of their own. Prints a table as
Markdown, goals in its head, and what misses them below it.
"""

import argparse
import fnmatch
import json
import os
import statistics
import subprocess
import sys
import tempfile

import programs

# In norm, of programs that decide nothing by their numbers.
TWIN_TOLERANCE = 2e-5
BUILD_HELP = '--build=DIR, the build tree whose GHLO is measured (build), is an option of the script around this one.'

# Of the processes that measure: where both systems compute.
ENVIRONMENT = {'GHLO_DEVICE': '', 'JAX_PLATFORMS': 'cpu'}
HERE = os.path.dirname(os.path.abspath(__file__))
# What is told of each model, whether more is better, and the goal.
GOALS = {
    'speed': ('XLA / GHLO', True, 1.15),
    'memory': ('memory GHLO / XLA', False, 1.0),
    'cold': ('cold first run GHLO / XLA', False, 0.5),
    'warm': ('warm first run GHLO / XLA', False, 0.1),
}


def say_goal(key):
    what, more, goal = GOALS[key]
    return f'{what} ({"≥" if more else "≤"} {goal:g})'


def call_process(*arguments, cache=None):
    """What a process.py of these arguments measured."""
    environment = {**os.environ, **ENVIRONMENT, **({'XDG_CACHE_HOME': cache} if cache else {})}
    done = subprocess.run([sys.executable, os.path.join(HERE, 'process.py'), *map(str, arguments)],
                          env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'process.py {" ".join(map(str, arguments))} ended with {done.returncode}')
    return json.loads(done.stdout.splitlines()[-1])


def measure_first(folder, name, rounds):
    """First runs by system and state of the cache, which take turns: lists of what process.py says."""
    found = {'xla': [], 'cold': [], 'warm': []}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            found['xla'].append(call_process('first', 'xla', folder, name, cache=cache))
            found['cold'].append(call_process('first', 'ghlo', folder, name, cache=cache))
            found['warm'].append(call_process('first', 'ghlo', folder, name, cache=cache))
    return found


def median(measured, field):
    return statistics.median(one[field] for one in measured)


def summarize(steady, first, twin=None):
    """The figures of a row. Calls are told by the median, and by the least, which other work on the
    machine changes less; processor is the ratio of what all threads worked in a call."""
    ghlo, xla = (steady['samples'][name] for name in ('GHLO', 'XLA'))
    peaks = {name: median(first[name], 'memory') for name in first}
    times = {name: median(first[name], 'first') for name in first}
    processors = [statistics.median(steady['processor_samples'][name]) for name in ('GHLO', 'XLA')]
    return {
        'ghlo': statistics.median(ghlo), 'xla': statistics.median(xla),
        'speed': statistics.median(xla) / statistics.median(ghlo), 'least': min(xla) / min(ghlo),
        'ghlo_least': min(ghlo), 'processor': processors[1] / processors[0],
        'difference': steady['difference'], 'twin': twin,
        'memory_cold': peaks['cold'], 'memory_warm': peaks['warm'], 'memory_xla': peaks['xla'],
        'memory': max(peaks['cold'], peaks['warm']) / peaks['xla'],
        'first_xla': times['xla'], 'first_cold': times['cold'], 'first_warm': times['warm'],
        'cold': times['cold'] / times['xla'], 'warm': times['warm'] / times['xla'],
        'beyond_passes': min(one['compile'] - one['passes'] for one in first['cold']),
    }


def shortfalls(figures, tolerance):
    """What misses its goal, in words."""
    missed = [f'{what} is {figures[key]:.2f}, to be at {"least" if more else "most"} {goal}'
              for key, (what, more, goal) in GOALS.items() if (figures[key] < goal if more else figures[key] > goal)]
    for found, allowed in ((figures['difference'], tolerance), (figures['twin'] or 0, TWIN_TOLERANCE)):
        if not found <= allowed:
            missed.insert(0, f'answers differ by {found:.2g}, allowed are {allowed:.2g}')
    if figures['ghlo_least'] / figures['first_xla'] > GOALS['warm'][2]:
        missed.append(f'a run itself takes {figures["ghlo_least"] / figures["first_xla"]:.2f} of the first run of XLA')
    return missed


def markdown(results):
    """The table; times in milliseconds, memory in MB."""
    lines = [f'| model | GHLO | XLA | {say_goal("speed")} | of the least | of processor time | differ by '
             f'| memory cold, warm, XLA | {say_goal("memory")} | first run cold, warm, XLA | {say_goal("cold")} '
             f'| {say_goal("warm")} | compile beyond passes |', '|---' + '|--:' * 12 + '|']
    for name, f in results.items():
        memory = ', '.join(f'{f[key] / 1e6:.0f}' for key in ('memory_cold', 'memory_warm', 'memory_xla'))
        first = ', '.join(f'{f[key] * 1e3:.0f}' for key in ('first_cold', 'first_warm', 'first_xla'))
        wrong = f['difference'] if f['twin'] is None else f['twin']
        lines.append(f"| {name} | {f['ghlo'] * 1e3:.2f} | {f['xla'] * 1e3:.2f} | {f['speed']:.2f} | {f['least']:.2f} "
                     f"| {f['processor']:.2f} | {wrong:.1g} | {memory} | {f['memory']:.2f} | {first} | {f['cold']:.2f} "
                     f"| {f['warm']:.2f} | {f['beyond_passes'] * 1e3:.1f} |")
    return '\n'.join(lines)


def describe_calls(name, steady):
    """A line of what calls alone say."""
    ghlo, xla = (steady['samples'][system] for system in ('GHLO', 'XLA'))
    return (f"{name}: {statistics.median(ghlo) * 1e3:.2f} and {statistics.median(xla) * 1e3:.2f} ms, XLA / GHLO "
            f"{statistics.median(xla) / statistics.median(ghlo):.2f}, of the least {min(xla) / min(ghlo):.2f}; "
            f"answers differ by {steady['difference']:.1g}")


def choose(patterns):
    """Names of programs that any of the patterns, with commas between them, is of."""
    names = [name for name in programs.PROGRAMS
             if any(fnmatch.fnmatch(name, pattern) for pattern in patterns.split(','))]
    if not names:
        raise SystemExit(f'--only={patterns} is none of {", ".join(programs.PROGRAMS)}')
    return names


def main():
    parser = argparse.ArgumentParser(prog='run', description=__doc__, epilog=BUILD_HELP)
    parser.add_argument('--only', default='*', help=f'names or patterns with commas between them, of '
                        f'{", ".join(programs.PROGRAMS)} (all)')
    parser.add_argument('--quick', action='store_true', help='one round of first runs, and two seconds of calls')
    parser.add_argument('--time', default=20.0, type=float, help='seconds of calls in turns for each model (20)')
    parser.add_argument('--rounds', default=3, type=int,
                        help='first runs of each kind for each model (3); with 0 only calls are told of')
    parser.add_argument('--device', default='', help="the kind of GHLO's device, cpu or vulkan (its own choice)")
    parser.add_argument('--platform', default='cpu', choices=('cpu', 'cuda'), help="XLA's (cpu)")
    parser.add_argument('--steps', action='store_true', help="only say what each step of GHLO's plan takes")
    parser.add_argument('--folder', default=programs.default_folder(), help='where the programs are kept (%(default)s)')
    parser.add_argument('--json', help='save all that was measured')
    options = parser.parse_args()
    if options.quick:
        options.time, options.rounds = 2, min(options.rounds, 1)
    ENVIRONMENT.update(GHLO_DEVICE=options.device, JAX_PLATFORMS=options.platform)

    results, measured = {}, {}
    for name in choose(options.only):
        programs.ensure(options.folder, name)
        print(f'  {name}', file=sys.stderr)
        if options.steps:
            subprocess.run([sys.executable, os.path.join(HERE, 'steps.py'), '10', options.folder, name],
                           env={**os.environ, **ENVIRONMENT}, check=True)
            continue
        steady = call_process('steady', options.time, options.folder, name)
        if options.rounds == 0:
            print(describe_calls(name, steady), flush=True)
            continue
        measured[name] = {'steady': steady, 'first': measure_first(options.folder, name, options.rounds)}
        if programs.PROGRAMS[name][3]:
            programs.ensure(options.folder, programs.PROGRAMS[name][3])
            measured[name]['twin'] = call_process('agree', '-', options.folder, programs.PROGRAMS[name][3])
        results[name] = summarize(**measured[name])
    if not results:
        return
    print(markdown(results))
    for name, figures in results.items():
        for missed in shortfalls(figures, programs.PROGRAMS[name][2]):
            print(f'{name}: {missed}')
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump(measured, file, indent=1)


if __name__ == '__main__':
    main()
