#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs into an empty folder and runs the installed tests there, as a runner would.

    check.py BUILD_ROOT MESON PREFIX
"""

import configparser
import os
import pathlib
import subprocess
import sys
import tempfile


def install(build, meson, root):
    subprocess.run([meson, 'install', '-C', build, '--no-rebuild', '--quiet'], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, 'DESTDIR': root})


def make_environment(root, prefix):
    """What a system folder would not need: where library, typelib and override are."""
    def find(pattern):
        return str(next(pathlib.Path(root + prefix).rglob(pattern)).parent)

    environment = {**os.environ, 'G_DEBUG': 'fatal-criticals', 'LD_LIBRARY_PATH': find('libghlo-1.0.so.0')}
    environment.pop('PYTHONPATH', None)
    try:
        environment['GI_TYPELIB_PATH'] = find('Ghlo-1.0.typelib')
        environment['PYTHONPATH'] = str(pathlib.Path(find('Ghlo.py')).parent.parent)
    except StopIteration:
        pass
    return environment


def check(path, root, prefix, environment):
    """What is wrong with the test of that file, or nothing."""
    keys = configparser.ConfigParser(interpolation=None)
    keys.read(path)
    if keys['Test']['Type'] != 'session':
        return 'expected Type=session'
    command = [root + word if word.startswith(prefix) and os.path.exists(root + word) else word
               for word in keys['Test']['Exec'].split()]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if done.returncode != 0 or '\nnot ok' in output:
        return output[-4000:]
    if keys['Test'].get('Output') == 'TAP' and '\nok ' not in output:
        return 'expected TAP, found\n' + output[-4000:]
    return ''


def main():
    build, meson, prefix = sys.argv[1:]
    with tempfile.TemporaryDirectory() as root:
        install(build, meson, root)
        environment = make_environment(root, prefix)
        tests = sorted(pathlib.Path(root + prefix).rglob('installed-tests/ghlo-1.0/*.test'))
        failures = 0
        for path in tests:
            wrong = check(path, root, prefix, environment)
            failures += bool(wrong)
            print(f"{'FAIL' if wrong else 'ok'} {path.name}")
            print(wrong, end='')
    print(f'{len(tests) - failures} passed, {failures} failed, 0 skipped')
    return 1 if failures or not tests else 0


if __name__ == '__main__':
    sys.exit(main())
