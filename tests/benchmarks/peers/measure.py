#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is measured in a process of its own, as lines of JSON:

    measure.py steady FOLDER TYPE THREADS SECONDS SYSTEM...    calls in turns
    measure.py first FOLDER TYPE THREADS START SYSTEM          the first result after START (time.time()), and memory

steady says which system it begins with, so that who waits for it knows which one ended it."""

import json
import os
import re
import sys
import time


def limit_cores(threads):
    """Systems that have no option for it use as many threads as there are cores for them."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def say(**values):
    print(json.dumps(values), flush=True)


def peak_memory():
    with open('/proc/self/status', encoding='utf-8') as file:
        return int(re.search(r'^VmHWM:\s*(\d+) kB', file.read(), re.MULTILINE).group(1)) * 1024


def mapped_libraries():
    """Bytes of the shared libraries of GHLO and those beneath it that this process has."""
    with open('/proc/self/maps', encoding='utf-8') as file:
        paths = {line.split()[-1] for line in file if '.so' in line}
    parts = ('libghlo', 'libdnnl', 'openblas', 'libLLVM', 'libglib-', 'libgobject-', 'libgio-', 'libgmodule-')
    return sum(os.path.getsize(path) for path in paths if any(part in os.path.basename(path) for part in parts)
               and os.path.exists(path))


def first(folder, kind, threads, start, system):
    import others
    runner = others.SYSTEMS[system](folder, kind, threads, wait_for_code=False)
    runner.call()
    answer = runner.outputs()
    if answer is not None:
        float(answer.sum())
    say(seconds=time.time() - start, memory=peak_memory(), libraries=mapped_libraries())


def difference(found, expected):
    """In norm, as a part of what is expected. None where there is no answer to compare."""
    import numpy as np
    if found is None:
        return None
    if found.size != expected.size:
        return float('inf')
    found, expected = (array.astype(np.float64).ravel() for array in (found, expected))
    part = float(np.linalg.norm(found - expected) / max(np.linalg.norm(expected), 1e-30))
    return float('inf') if np.isnan(part) else part


def time_step(runner):
    """The time of a call in seconds, or of the step in it that the runner names."""
    import turns
    whole = turns.time_call(runner)
    return getattr(runner, 'seconds', whole)


def steady(folder, kind, threads, seconds, names):
    import compare
    import others
    import stored
    import turns
    expected, running = stored.load(os.path.join(folder, 'expected.npy')), []
    for name in names:
        say(begins=name)
        try:
            start = time.perf_counter()
            runner = others.SYSTEMS[name](folder, kind, threads)
            runner.call()
            say(system=runner.name, ready=time.perf_counter() - start,
                difference=difference(runner.outputs(), expected))
        except FileNotFoundError:    # of a type that the system does not have
            continue
        except Exception as error:  # pylint: disable=broad-except
            say(system=others.SYSTEMS[name].name,
                problem=f'{type(error).__name__}: {compare.reason(error)}')
            continue
        running.append(runner)
    say(begins=None)
    # In stretches: threads of some systems look for work for a while after a call, and take the next one's time.
    if running:
        say(samples=turns.stretch(running, seconds * len(running), time_step))


def main():
    what, folder, kind, threads, number, *names = sys.argv[1:]
    limit_cores(int(threads))
    if what == 'first':
        first(folder, kind, int(threads), float(number), names[0])
    else:
        steady(folder, kind, int(threads), float(number), names)
    sys.stdout.flush()
    # Some systems end badly.
    os._exit(0)


if __name__ == '__main__':
    main()
