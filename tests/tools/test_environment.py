#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the environment says to the command, and where it is not followed: relative folders, and programs with more
rights than their callers.

    test_environment.py plain | sanitized      (programs with sanitizers do not start with more rights)
"""

import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'conformance'))
from common import TOOL, Tap, ghlo  # noqa: E402

PROGRAM = '''func.func @main(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %0 = stablehlo.exponential %x : tensor<16x64xf32>
  %1 = stablehlo.multiply %0, %x : tensor<16x64xf32>
  return %1 : tensor<16x64xf32>
}
'''
OTHER_USER = 65534


def check_relative_cache(tap):
    with tempfile.TemporaryDirectory() as home:
        said = ghlo('cache', 'path', env={**os.environ, 'XDG_CACHE_HOME': 'relative', 'HOME': home})
        tap.report(said.stdout == os.path.join(home, '.cache', 'ghlo-1.0') + '\n',
                   'a relative XDG_CACHE_HOME is ignored', said.stdout + said.stderr)


def check_debugging_aids(tap):
    said = ghlo('--version', env={**os.environ, 'GHLO_DEBUG': 'help,gaurd'})
    tap.report(said.returncode == 0 and '  guard ' in said.stderr and "'gaurd' is none" in said.stderr
               and said.stdout.startswith('ghlo '), 'GHLO_DEBUG=help explains itself', said.stdout + said.stderr)


def why_not(command, folder):
    """Why a file can't be given another user's rights here; None after it was given them."""
    if 'sanitized' in sys.argv[1:]:
        return 'sanitizers do not start with more rights'
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        return 'files give no rights here'
    try:
        os.chown(command, OTHER_USER, -1)
        os.chmod(command, 0o4755)
    except PermissionError:
        return 'only root can give a file away'
    return None


def check_privileges(tap):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        os.chmod(folder, 0o755)
        os.chmod(cache, 0o777)
        command = shutil.copy(TOOL, folder)

        def run():
            variables = {**os.environ, 'GHLO_DEVICE': 'abacus', 'GHLO_CACHE': 'all', 'XDG_CACHE_HOME': cache}
            return subprocess.run([command, 'run', '-', '--fill=1', '--wait-for-code'], input=PROGRAM, env=variables,
                                  capture_output=True, text=True, check=False)

        refused = run()
        tap.report(refused.returncode != 0 and "found 'abacus'" in refused.stderr, 'variables are read', refused.stderr)
        reason = why_not(command, folder)
        if reason is not None:
            tap.skip('variables are ignored with more rights than the caller has', reason)
            return
        ignored = run()
        tap.report(ignored.returncode == 0, 'variables are ignored with more rights than the caller has',
                   ignored.stderr)
        tap.report(os.listdir(cache) == [], 'nothing is stored with more rights than the caller has',
                   str(os.listdir(cache)))


def main():
    tap = Tap()
    check_relative_cache(tap)
    check_debugging_aids(tap)
    check_privileges(tap)
    tap.finish()


main()
