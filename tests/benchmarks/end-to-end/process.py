#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is measured in a process of its own, as JSON in the last line that is printed:

    process.py first SYSTEM FOLDER PROGRAM    the first run, and the memory that it took
    process.py steady SECONDS FOLDER PROGRAM  calls of both systems in turns
    process.py agree - FOLDER PROGRAM         how much the answers of both differ
    process.py compile SYSTEM FILE -          how long compiles of any StableHLO text take
"""

import ctypes
import gc
import json
import re
import sys
import time

import numpy as np

import recipe
import turns
from systems import ON_GPU, SYSTEMS


def memory(field):
    """Of this process in bytes, VmRSS or its highest, VmHWM."""
    with open('/proc/self/status', encoding='utf-8') as file:
        return int(re.search(rf'^{field}:\s*(\d+) kB', file.read(), re.MULTILINE).group(1)) * 1024


def forget_peak():
    """From here on VmHWM is what is used from here on; freed memory is the system's again first."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open('/proc/self/clear_refs', 'w', encoding='utf-8') as file:
        file.write('5')


def first(system, program):
    """Text to answer, then what a user goes on with: finished code, and runs of it."""
    inputs = system.place(program.make_inputs())
    forget_peak()
    before = memory('VmRSS')
    start = time.perf_counter()
    runner = system(program.text, wait_for_code=False)
    compiled = time.perf_counter()
    runner.bind(program, inputs)
    runner.call()
    seconds = time.perf_counter() - start
    result = {'first': seconds, 'load': compiled - start, 'compile': runner.compile_seconds,
              'passes': runner.pass_seconds(), 'first_memory': memory('VmHWM') - before}
    start = time.perf_counter()
    finished = system(program.text)
    result['code'] = result['compile'] + time.perf_counter() - start if runner.name == 'GHLO' else result['compile']
    del finished
    for _ in range(3):
        runner.call()
    return {**result, 'memory': memory('VmHWM') - before}


def sample(runner):
    """What a call takes, and what all threads of the process work meanwhile: that hardly grows where others use the
    machine, too."""
    worked, start = time.process_time(), time.perf_counter()
    runner.call()
    return time.perf_counter() - start, time.process_time() - worked


def difference(found, expected):
    """The largest of any output, in norm and as a part of it; infinite where shapes differ."""
    if [(a.shape, a.dtype) for a in found] != [(b.shape, b.dtype) for b in expected]:
        return float('inf')
    exact = [(a.astype(np.float64), b.astype(np.float64)) for a, b in zip(found, expected)]
    parts = [float(np.linalg.norm(a - b) / max(np.linalg.norm(b), 1e-30)) for a, b in exact]
    return float('inf') if np.isnan(parts).any() else max(parts, default=0.0)


def run_both(program):
    both = []
    for system in SYSTEMS.values():
        runner = system(program.text)
        runner.bind(program, system.place(program.make_inputs()))
        runner.call()
        both.append(runner)
    return both


def agree(program):
    return difference(*(runner.outputs() for runner in run_both(program)))


def steady(program, seconds):
    both = run_both(program)
    result = {'difference': difference(*(runner.outputs() for runner in both))}
    samples = (turns.stretch if ON_GPU else turns.alternate)(both, seconds, sample)
    return {**result, 'samples': {name: [wall for wall, _ in taken] for name, taken in samples.items()},
            'processor_samples': {name: [processor for _, processor in taken] for name, taken in samples.items()}}


def compile_file(system, path):
    """The compile that waits for all code, in a process that has compiled nothing yet; and for
    GHLO what compiles take beyond the passes until they return, when the code is there."""
    with open(path, encoding='utf-8') as file:
        text = file.read()
    worked = time.process_time()
    finished = system(text)
    result = {'code': finished.compile_seconds, 'code_processor': time.process_time() - worked, 'beyond_passes': []}
    if finished.name == 'GHLO':
        for _ in range(10):
            runner = system(text, wait_for_code=False, caching=False)
            result['beyond_passes'].append(runner.compile_seconds - runner.pass_seconds())
    return result


def main():
    what, argument, folder, name = sys.argv[1:]
    if what == 'compile':
        result = compile_file(SYSTEMS[argument], folder)
    elif what == 'first':
        result = first(SYSTEMS[argument], recipe.read(folder, name))
    elif what == 'agree':
        result = agree(recipe.read(folder, name))
    else:
        result = steady(recipe.read(folder, name), float(argument))
    print(json.dumps(result))


if __name__ == '__main__':
    main()
