#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What each step of GHLO's plan takes with a program's own inputs, the least of several runs:

    steps.py RUNS FOLDER PROGRAM

Other work on the machine makes some runs of a step longer, none shorter, so that the sum of
the least is what a run would take alone. Steps of a loop's body are added up over a run."""

import collections
import sys

import recipe
from systems import SYSTEMS


def list_steps(plan, path=''):
    """All steps, those of bodies behind the one that they belong to, with what place they have."""
    for number in range(plan.get_n_items()):
        step = plan.get_item(number)
        yield f'{path}{number}', step
        body = step.get_steps()
        if body is not None:
            yield from list_steps(body, f'{path}{number}.')


def measure(runner, n_runs):
    """By path: the step and its least seconds of a run."""
    least, steps = {}, {}
    runner.session.props.profile = True
    for _ in range(n_runs):
        runner.call()
        for path, step in list_steps(runner.result.get_plan()):
            seconds = max(step.get_measurement(), 0)
            least[path] = min(least.get(path, seconds), seconds)
            steps[path] = step
    return {path: (steps[path], least[path]) for path in least}


def main():
    n_runs, folder, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    program = recipe.read(folder, name)
    system = SYSTEMS['ghlo']
    runner = system(program.text)
    runner.bind(program, system.place(program.make_inputs()))
    runner.call()
    measured = measure(runner, n_runs)
    total = sum(seconds for path, (_, seconds) in measured.items() if '.' not in path)
    kinds = collections.Counter()
    for path, (step, seconds) in measured.items():
        kinds[step.get_operation()] += seconds * ('.' not in path)
        print(f'{path:8}{seconds * 1e3:10.3f} ms {seconds / total:6.1%} {step.to_string()[:300]}')
    print(f'{total * 1e3:.2f} ms in {len(measured)} steps')
    for kind, seconds in kinds.most_common():
        print(f'{seconds / total:6.1%} {kind}')


if __name__ == '__main__':
    main()
