#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each step of GHLO's plan takes with a program's own inputs, the least of several runs:

    steps.py RUNS FOLDER PROGRAM

Other work on the machine makes some runs of a step longer, none shorter, so that the sum of
the least is what a run would take alone. Steps of a loop's body are added up over a run."""

import collections
import sys

import library
import recipe
from systems import SYSTEMS


def main():
    n_runs, folder, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    program = recipe.read(folder, name)
    system = SYSTEMS['ghlo']
    runner = system(program.text)
    runner.bind(program, system.place(program.make_inputs()))
    runner.call()
    measured = library.measure_steps(runner.session, runner.arguments, n_runs)
    total = sum(step.seconds for path, step in measured.items() if '.' not in path)
    kinds = collections.Counter()
    for path, step in measured.items():
        kinds[step.operation] += step.seconds * ('.' not in path)
        print(f'{path:8}{step.seconds * 1e3:10.3f} ms {step.seconds / total:6.1%} {step.n_runs:5} times '
              f'{step.detail[:300]}')
    print(f'{total * 1e3:.2f} ms in {len(measured)} steps')
    for kind, seconds in kinds.most_common():
        print(f'{seconds / total:6.1%} {kind}')


if __name__ == '__main__':
    main()
