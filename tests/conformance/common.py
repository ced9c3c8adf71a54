# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shared by the conformance tests: the locations of data and command-line tool, and TAP output."""

import os
import shlex
import subprocess
import sys

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
# In a build for another processor Meson says by which emulator programs run.
COMMAND = [*shlex.split(os.environ.get('MESON_EXE_WRAPPER', '')), TOOL]


def data(*parts, skip_status=0):
    """Returns a folder of the official test data; exits as a skipped test when the folder does not exist."""
    path = os.path.join(sys.argv[1] if len(sys.argv) > 1 else '', *parts)
    if not os.path.isdir(path):
        print(f'1..0 # SKIP there is no test data in {path}')
        sys.exit(skip_status)
    return path


def ghlo(*arguments, **options):
    """Runs the command; returns the finished process with its output as text."""
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False, **options)


class Tap:
    """Counts and prints results; exits with a status that says whether all passed."""

    def __init__(self):
        self.number = self.failed = 0

    def report(self, passed, name, detail=''):
        self.number += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.number} {name}", flush=True)
        if not passed:
            for line in detail.splitlines()[:40]:
                print('# ' + line)

    def skip(self, name, reason):
        self.number += 1
        print(f'ok {self.number} {name} # SKIP {reason}', flush=True)

    def finish(self):
        """A run of no tests has failed."""
        if self.number == 0:
            self.report(False, 'there are tests')
        print(f'1..{self.number}')
        sys.exit(1 if self.failed else 0)
