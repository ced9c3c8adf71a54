#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What summary.py prints of stages: the cases of their tests, what failed, the table and the totals.

    check-summary.py SUMMARY
"""

import json
import pathlib
import subprocess
import sys
import tempfile

TESTS = [
    {'name': 'good', 'result': 'OK', 'duration': 1.0, 'stdout': '1..3\nok 1 /a\nok 2 /b # SKIP no card\nok 3 /c\n'},
    {'name': 'programs', 'result': 'OK', 'duration': 1.0, 'stdout': '7 passed, 0 failed, 1 skipped\n'},
    {'name': 'plain', 'result': 'OK', 'duration': 1.0, 'stdout': 'nothing that counts\n'},
]
BAD = {'name': 'bad', 'result': 'FAIL', 'duration': 1.0, 'stdout': '1..2\nok 1 /d\nnot ok 2 /e\n# 3 instead of 4\n'}


def summarize(summary, tests, stages):
    """Returns the exit status and the lines that SUMMARY prints. A stage's folder "FOLDER" has the results of tests."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / 'meson-logs').mkdir()
        (pathlib.Path(folder) / 'meson-logs/testlog.json').write_text('\n'.join(map(json.dumps, tests)))
        path = pathlib.Path(folder) / 'stages'
        path.write_text(''.join('\t'.join(stage).replace('FOLDER', folder) + '\n' for stage in stages))
        done = subprocess.run([sys.executable, summary, path], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines()


def check(summary):
    build = ('build', '0', '0', '65', '-')
    status, lines = summarize(summary, TESTS, [build, ('tests', '0', '65', '600', 'FOLDER')])
    assert (status, lines[-1]) == (0, '11 passed, 0 failed, 2 skipped'), lines
    assert lines[-3].split() == ['1:05', '10:00', '10', '0', '2', 'tests'], lines
    assert lines[-4].split() == ['0:00', '1:05', '1', '0', '0', 'build'], lines

    status, lines = summarize(summary, [*TESTS, BAD], [build, ('tests', '1', '65', '600', 'FOLDER')])
    assert (status, lines[-1]) == (1, '12 passed, 1 failed, 2 skipped'), lines
    assert lines.index('not ok 2 /e') + 1 == lines.index('# 3 instead of 4'), lines

    # A stage fails without a test that does, or without tests.
    status, lines = summarize(summary, TESTS, [build, ('tests', '137', '65', '600', 'FOLDER')])
    assert (status, lines[-1]) == (1, '11 passed, 1 failed, 2 skipped'), lines
    status, lines = summarize(summary, [], [('build', '1', '0', '65', '-')])
    assert (status, lines[-1]) == (1, '0 passed, 1 failed, 0 skipped'), lines
    # Tests that never ran.
    status, lines = summarize(summary, [], [('tests', '0', '0', '65', 'FOLDER/none')])
    assert (status, lines[-1]) == (1, '0 passed, 1 failed, 0 skipped'), lines


check(sys.argv[1])
