#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How long GHLO takes to compile whole programs beside XLA:CPU, for each folder with a
module.mlir in --models, and what `ghlo run` takes from its start to the printed result.

All compiles are of processes of their own that compile nothing else, with an empty cache;
what a compile takes beyond its passes is the least of ten, when the code of kernels is there.
"""

import argparse
import glob
import os
import re
import resource
import statistics
import subprocess
import tempfile
import time

from end_to_end import BUILD_HELP, call_process

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
BEYOND_PASSES, CODE, RUN = 2e-3, 0.35, 50e-3    # goals: seconds, part of XLA's, seconds


def measure_model(path, rounds):
    """Lists of what process.py says, by system, which take turns."""
    found = {'ghlo': [], 'xla': []}
    for _ in range(rounds):
        for system, results in found.items():
            with tempfile.TemporaryDirectory() as cache:
                results.append(call_process('compile', system, path, '-', cache=cache))
    return found


def summarize(found):
    code = {system: statistics.median(one['code'] for one in results) for system, results in found.items()}
    processor = {system: statistics.median(one['code_processor'] for one in results)
                 for system, results in found.items()}
    return {'beyond_passes': min(min(one['beyond_passes']) for one in found['ghlo']),
            'code_ghlo': code['ghlo'], 'code_xla': code['xla'], 'code': code['ghlo'] / code['xla'],
            'processor': processor['ghlo'] / processor['xla']}


def loads_llvm(log):
    """Whether the loader, by LD_DEBUG=files, began a file that LLVM's code is in."""
    return re.search(r'calling init: .*(libLLVM|libghlo-llvm)', log) is not None


def children_time():
    """What the processors have worked for processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure_run(folder, rounds):
    """Seconds of `ghlo run` with a cache of an earlier one, and whether one loads LLVM."""
    inputs = sorted(glob.glob(os.path.join(folder, 'arg*.npy')), key=lambda path: int(re.sub(r'\D', '', path[-8:])))
    command = [TOOL, 'run', os.path.join(folder, 'module.mlir'), *(f'--input={path}' for path in inputs)]
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, XDG_CACHE_HOME=cache)
        subprocess.run([*command, '--wait-for-code'], env=environment, check=True, stdout=subprocess.DEVNULL)
        seconds, processor = [], []
        for _ in range(rounds):
            worked, start = children_time(), time.perf_counter()
            subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
            seconds.append(time.perf_counter() - start)
            processor.append(children_time() - worked)
        done = subprocess.run(command, env={**environment, 'LD_DEBUG': 'files'}, check=True, text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return {'median': statistics.median(seconds), 'least': min(seconds), 'processor': statistics.median(processor),
            'llvm': loads_llvm(done.stderr)}


def markdown(results):
    """Times in milliseconds."""
    lines = [f'| model | compile beyond passes (≤ {BEYOND_PASSES * 1e3:g}) | code ready GHLO | XLA '
             f'| GHLO / XLA (≤ {CODE}) | of processor time |', '|---' + '|--:' * 5 + '|']
    for name, f in results.items():
        lines.append(f"| {name} | {f['beyond_passes'] * 1e3:.2f} | {f['code_ghlo'] * 1e3:.1f} "
                     f"| {f['code_xla'] * 1e3:.1f} | {f['code']:.2f} | {f['processor']:.2f} |")
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(prog='run-compile-times', description=__doc__, epilog=BUILD_HELP)
    parser.add_argument('--models', required=True, help='a folder of folders with module.mlir and arg0.npy, …')
    parser.add_argument('--only', default='*', help='which of them (all)')
    parser.add_argument('--run', default='mlp', help='the one that is run by the command (mlp)')
    parser.add_argument('--rounds', default=3, type=int, help='processes of each kind for each model (3)')
    parser.add_argument('--quick', action='store_true', help='one round')
    options = parser.parse_args()
    if options.quick:
        options.rounds = 1

    results = {}
    for path in sorted(glob.glob(os.path.join(options.models, options.only, 'module.mlir'))):
        name = os.path.basename(os.path.dirname(path))
        results[name] = summarize(measure_model(path, options.rounds))
    print(markdown(results))
    folder = os.path.join(options.models, options.run)
    if os.path.isdir(folder):
        ran = measure_run(folder, 10 * options.rounds)
        print(f"\nghlo run {options.run} from a warm cache, process start to printed result: "
              f"{ran['median'] * 1e3:.1f} ms "
              f"in the median, {ran['least'] * 1e3:.1f} at least (≤ {RUN * 1e3:g}), "
              f"{ran['processor'] * 1e3:.1f} of processor time; "
              f"{'LLVM is loaded' if ran['llvm'] else 'LLVM is not loaded'}")


if __name__ == '__main__':
    main()
