#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The portable artifacts of the test data: each reads as the program that its text
holds, the text written at the version in its name gives the same bytes, and programs
that a version cannot hold are refused."""

import glob
import os
import re
import tempfile

from common import Tap, data, ghlo


def version_of(path):
    """Returns the version in the file's name: 1.20.0 for x.1_20_0.mlir; None without."""
    found = re.search(r'\.(\d+)_(\d+)_(\d+)\.mlir', path)
    return '.'.join(found.groups()) if found else None


def check_reading(tap, path):
    """Checks that an artifact reads as the program of its text file."""
    name = os.path.basename(path)
    expected = ghlo('opt', '--strip-locations', path.removesuffix('.bc'))
    found = ghlo('opt', '--strip-locations', path)
    detail = expected.stderr + found.stderr
    if not detail and found.stdout != expected.stdout:
        lines = zip(expected.stdout.splitlines(), found.stdout.splitlines())
        detail = next((f'expected {a}\nfound    {b}' for a, b in lines if a != b), 'one is longer')
    tap.report(not detail, f'{name} reads as its text', detail)

    about = ghlo('info', path)
    tap.report(version_of(path) in about.stdout, f'{name}: info says the version', about.stdout + about.stderr)


def check_writing(tap, path, folder):
    """Checks that the text, written at the artifact's version, equals the artifact."""
    written = os.path.join(folder, 'written.mlirbc')
    run = ghlo('convert', path.removesuffix('.bc'), written, f'--target={version_of(path)}', '--strip-locations')
    detail = run.stderr
    if not run.returncode:
        with open(path, 'rb') as expected, open(written, 'rb') as found:
            a, b = expected.read(), found.read()
        if a != b:
            place = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            detail = f'{len(b)} bytes, expected {len(a)}; they differ at byte {place}'
    tap.report(not detail, f'{os.path.basename(path)}: the text gives the same bytes', detail)


def check_downgrade(tap, path, folder):
    """Each program of a text against what its version can hold: those that the file
    marks must be refused with the name of an operation and the version it needs."""
    name, target = os.path.basename(path), version_of(path) or '1.4.1'
    with open(path, encoding='utf-8') as file:
        programs = re.split(r'^// -----.*$', file.read(), flags=re.M)
    for number, program in enumerate(programs, 1):
        source = os.path.join(folder, 'program.mlir')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(program)
        run = ghlo('convert', source, os.path.join(folder, 'program.mlirbc'), f'--target={target}')
        if 'failed to ' in program:
            passed = run.returncode == 1 and 'needs StableHLO' in run.stderr
        else:
            passed = run.returncode == 0
        tap.report(passed, f'{name}, program {number}, at {target}', run.stderr or 'it was written')


def main():
    tap = Tap()
    folder = data('conformance', 'vhlo')
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(glob.glob(os.path.join(folder, '*.mlir.bc'))):
            if 'invalid' in path:
                run = ghlo('opt', path)
                tap.report(run.returncode == 1 and 'in the IR section' in run.stderr
                           and 'constant_v99' in run.stderr and 'StableHLO 2.0.0' in run.stderr,
                           f'{os.path.basename(path)} is refused', run.stderr)
                continue
            check_reading(tap, path)
            if 'legalize' in path:
                check_writing(tap, path, scratch)
        for path in sorted(glob.glob(os.path.join(folder, '*downgrade*.mlir'))):
            check_downgrade(tap, path, scratch)
    tap.finish()


if __name__ == '__main__':
    main()
