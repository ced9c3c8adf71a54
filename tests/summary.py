#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds up the tests of build folders: every TAP line and every checked file
counts, not only every program. Prints each program with its time and what failed, then one line of totals."""

import json
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


def main():
    totals = [0, 0, 0]
    for folder in sys.argv[1:]:
        with open(f'{folder}/meson-logs/testlog.json', encoding='utf-8') as log:
            for line in log:
                result = json.loads(line)
                counts = count(result)
                totals = [a + b for a, b in zip(totals, counts)]
                print(f"{result['result']:8} {counts[0]:6} passed {counts[1]:4} failed {counts[2]:4} skipped"
                      f" {result['duration']:7.1f} s  {result['name']}")
                if counts[1] > 0:
                    print(failed_cases(result.get('stdout', '')), result.get('stderr', '')[-4000:], sep='\n')
    print(f'{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped')
    return 1 if totals[1] > 0 else 0


if __name__ == '__main__':
    sys.exit(main())
