#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs and files that once caused faults: under a memory limit each is refused with an error on
every device, or has the same results on all of them; artifacts that are written can be read back.

    faults.py DATA [limited | unlimited]      unlimited: without the limit, for address sanitizers
"""

import glob
import os
import resource
import sys
import tempfile

import numpy as np

from common import Tap, data, ghlo

DEVICES = 'reference', 'cpu'
LIMIT = 4_000_000 * 1024
# A guarded value takes pages of its own, of which the system has not enough for a program of a million values.
GUARDED = 'guard' in os.environ.get('GHLO_DEBUG', '')
TINY = 'func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }'


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def run(*arguments):
    """Returns the command's result, and an error about how it ended or an empty string."""
    process = ghlo(*arguments, errors='replace', timeout=300,
                   preexec_fn=None if 'unlimited' in sys.argv[2:] else limit_memory)
    if process.returncode not in (0, 1):
        return process, f'ended with status {process.returncode}: {process.stderr}'
    if process.returncode == 1 and not process.stderr:
        return process, 'refused without a message'
    return process, ''


def close(want, got):
    if want.dtype.kind not in 'fc':
        return np.array_equal(want, got)
    finite = np.abs(want[np.isfinite(want)])
    return np.allclose(got, want, rtol=1e-5, atol=1e-5 * finite.max(initial=0), equal_nan=True)


def difference(folder, status):
    """Describes how the devices' saved outputs differ, or returns an empty string; status is each device's outcome."""
    first, other = (os.path.join(folder, device) for device in DEVICES)
    if status[0] != status[1]:
        return '' if GUARDED else 'one device runs it, the other one refuses it'
    for name in sorted(os.listdir(first)) if status[0] == 0 else ():
        want, got = np.load(os.path.join(first, name)), np.load(os.path.join(other, name))
        if want.dtype != got.dtype or want.shape != got.shape or not close(want, got):
            return f'{name}: {want} and {got}'
    return ''


def check_runs(tap, path, folder):
    status = []
    for device in DEVICES:
        outputs = os.path.join(folder, device)
        process, detail = run('run', path, f'--device={device}', '--fill=random:1', f'--output-dir={outputs}')
        tap.report(not detail, f'{os.path.basename(path)} on {device}', detail)
        status.append(process.returncode)
    detail = difference(folder, status)
    tap.report(not detail, f'{os.path.basename(path)}: the same on each device', detail)


def check_artifact(tap, path, folder):
    artifact = os.path.join(folder, 'program.mlirbc')
    process, detail = run('convert', path, artifact)
    if process.returncode == 0 and not detail:
        process, detail = run('check', '--no-run', artifact)
        detail = detail or (process.stderr or process.stdout if process.returncode else '')
    tap.report(not detail, f'{os.path.basename(path)} as an artifact', detail)


def main():
    folder = data('faults')
    tap = Tap()
    for path in sorted(glob.glob(os.path.join(folder, '*.mlir'))):
        with tempfile.TemporaryDirectory() as temporary:
            check_runs(tap, path, temporary)
            check_artifact(tap, path, temporary)
    with tempfile.TemporaryDirectory() as temporary:
        program = os.path.join(temporary, 'tiny.mlir')
        with open(program, 'w', encoding='utf-8') as file:
            file.write(TINY)
        for path in sorted(glob.glob(os.path.join(folder, '*.npy'))):
            process, detail = run('run', program, f'--input={path}')
            detail = detail or ('' if process.returncode else 'it was not refused')
            tap.report(not detail, os.path.basename(path), detail)
    tap.finish()


main()
