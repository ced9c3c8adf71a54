#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the tests of the stages of tests/run: every TAP line and every checked file counts, not only every program.

    summary.py STAGES

STAGES has a line for each stage: name, exit status, the seconds at which it began and which it took, and the build
folder whose tests it ran or "-", with tabs between them. Prints each test program with its time and what failed, then
the stages, then one line of totals. A stage that ran no tests counts as one."""

import json
import os
import re
import sys

TAP = re.compile(r'^\s*(not ok|ok) \d+(?P<rest>.*)$')
# A plan of no tests, without a reason.
NOTHING = re.compile(r'^\s*1\.\.0\s*$', re.MULTILINE)
TOTALS = re.compile(r'^(\d+) passed, (\d+) failed, (\d+) skipped$')


def count(result):
    """Returns (passed, failed, skipped) of one test program."""
    output = result.get('stdout', '')
    passed = failed = skipped = 0
    for line in output.splitlines():
        tap = TAP.match(line)
        totals = TOTALS.match(line)
        if totals:
            passed += int(totals[1])
            failed += int(totals[2])
            skipped += int(totals[3])
        elif tap and re.search(r'#\s*skip', tap['rest'], re.I):
            skipped += 1
        elif tap and tap[1] == 'ok':
            passed += 1
        elif tap and not re.search(r'#\s*todo', tap['rest'], re.I):
            failed += 1
    if NOTHING.search(output) and passed + failed + skipped == 0:
        failed = 1
    elif result['result'] == 'SKIP' and passed + failed + skipped == 0:
        skipped = 1
    elif result['result'] == 'OK' and passed + failed + skipped == 0:
        passed = 1
    elif result['result'] not in ('OK', 'SKIP', 'EXPECTEDFAIL') and failed == 0:
        failed = 1
    return passed, failed, skipped


def failed_cases(output):
    """Returns the TAP lines that failed, each with the comments after it; where there are none, the end."""
    failed = []
    keep = False
    for line in output.splitlines():
        tap = TAP.match(line)
        if tap or not line.lstrip().startswith('#'):
            keep = bool(tap and tap[1] == 'not ok')
        if keep:
            failed.append(line)
    return '\n'.join(failed)[:16000] or output[-4000:]


def count_folder(folder):
    """Prints the test programs of a build folder and returns (passed, failed, skipped)."""
    totals = (0, 0, 0)
    path = f'{folder}/meson-logs/testlog.json'
    if not os.path.exists(path):
        return totals
    with open(path, encoding='utf-8') as log:
        for line in log:
            result = json.loads(line)
            counts = count(result)
            totals = tuple(a + b for a, b in zip(totals, counts))
            print(f"{result['result']:8} {counts[0]:6} passed {counts[1]:4} failed {counts[2]:4} skipped"
                  f" {result['duration']:7.1f} s  {result['name']}")
            if counts[1] > 0:
                print(failed_cases(result.get('stdout', '')), result.get('stderr', '')[-4000:], sep='\n')
    return totals


def count_stage(status, folder):
    """A stage without tests of its own, or that failed although none of its tests did, counts itself."""
    if folder == '-':
        return (1, 0, 0) if status == 0 else (0, 1, 0)
    passed, failed, skipped = count_folder(folder)
    if failed == 0 and (status != 0 or passed + skipped == 0):
        failed = 1
    return passed, failed, skipped


def minutes(seconds):
    return f'{seconds // 60}:{seconds % 60:02}'


def main():
    totals = (0, 0, 0)
    rows = []
    with open(sys.argv[1], encoding='utf-8') as stages:
        for line in stages:
            name, status, began, took, folder = line.rstrip('\n').split('\t')
            counts = count_stage(int(status), folder)
            totals = tuple(a + b for a, b in zip(totals, counts))
            rows.append(f'{minutes(int(began)):>6} {minutes(int(took)):>6} {counts[0]:7} {counts[1]:7} {counts[2]:8}'
                        f'  {name}')
    print(f'\n {"began":>5} {"took":>6} {"passed":>7} {"failed":>7} {"skipped":>8}  stage', *rows, '', sep='\n')
    print(f'{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped')
    return 1 if totals[1] > 0 else 0


if __name__ == '__main__':
    sys.exit(main())
