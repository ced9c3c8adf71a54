#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs and files that once caused faults: under a memory limit each is refused with an error on
every device, or has the same results on all of them, however the CPU computes them; artifacts that are written can be
read back; and programs of exporters have no step of the reference executor.

    faults.py DATA [limited | unlimited]      unlimited: without the limit, for address sanitizers
"""

import glob
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

from common import TOOL, Tap, data, ghlo

LIMIT = 4_000_000 * 1024
LIMITED = 'unlimited' not in sys.argv[2:]
# A guarded value takes pages of its own, of which the system has not enough for a program of a million values.
GUARDED = 'guard' in os.environ.get('GHLO_DEBUG', '')
# Programs that would run for years: they begin, and are ended from outside.
ENDLESS = '-cancel.mlir'
SECONDS = 2
# What LAPACK leaves of a matrix whose eigenvectors are not wanted is nobody's business.
UNDEFINED = {('openblas-hetrd.mlir', 'out0.npy')}
TINY = 'func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> { return %x : tensor<1xf32> }'


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


def list_passes():
    listed = ghlo('opt', '--passes=help').stdout
    return ','.join(line.split()[0] for line in listed.splitlines() if line.startswith('  '))


def list_ways():
    """By name, the ways to run a program: its device and what the environment has besides. The first is the oracle."""
    ways = {
        'reference': ('reference', {}),
        'cpu': ('cpu', {'GHLO_DEBUG': 'code'}),
        'cpu by strips': ('cpu', {'GHLO_DISABLE': 'llvm'}),
        'cpu without passes': ('cpu', {'GHLO_DISABLE': list_passes()}),
        'cpu with guarded memory': ('cpu', {'GHLO_DEBUG': 'guard,code'}),
    }
    if '\nvulkan:0 ' in ghlo('devices').stdout:
        # Handing the many small dispatches to lavapipe's threads takes longer than executing them in the queue's.
        ways['vulkan'] = 'vulkan', {'LP_NUM_THREADS': '0'}
    return ways


def run(*arguments, variables=None, limited=True):
    """Returns the command's result, and an error about how it ended or an empty string."""
    process = ghlo(*arguments, errors='replace', timeout=300, env={**os.environ, **(variables or {})},
                   preexec_fn=limit_memory if limited and LIMITED else None)
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


def difference(program, folder, ways, status):
    """Describes how the saved outputs differ, or returns an empty string; status is how each way ended."""
    oracle, *others = ways
    for way in others:
        if status[way] != status[oracle]:
            return '' if GUARDED else f'{oracle} ended with {status[oracle]}, {way} with {status[way]}'
        for name in sorted(os.listdir(os.path.join(folder, oracle))) if status[way] == 0 else ():
            want, got = (np.load(os.path.join(folder, place, name)) for place in (oracle, way))
            if (program, name) in UNDEFINED:
                continue
            if want.dtype != got.dtype or want.shape != got.shape or not close(want, got):
                return f'{way}, {name}: {want} and {got}'
    return ''


def check_runs(tap, path, ways, folder):
    status = {}
    for way, (device, variables) in ways.items():
        process, detail = run('run', path, f'--device={device}', '--fill=random:1',
                              f'--output-dir={os.path.join(folder, way)}', variables=variables,
                              # Drivers and guards take addresses that they do not use.
                              limited=device != 'vulkan' and 'guard' not in variables.get('GHLO_DEBUG', ''))
        tap.report(not detail, f'{os.path.basename(path)}: {way}', detail)
        status[way] = process.returncode
    detail = difference(os.path.basename(path), folder, ways, status)
    tap.report(not detail, f'{os.path.basename(path)}: the same in each way', detail)


def check_endless(tap, path, ways):
    """It neither ends by itself nor crashes, and leaves when it is told to."""
    for way, (device, variables) in ways.items():
        with subprocess.Popen([TOOL, 'run', path, f'--device={device}', '--fill=random:1'],
                              env={**os.environ, **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True) as process:
            try:
                detail = f'ended with status {process.wait(SECONDS)}: {process.stderr.read()}'
                ended = process.returncode in (0, 1)
            except subprocess.TimeoutExpired:
                process.terminate()
                ended = process.wait(SECONDS) < 0
        tap.report(ended, f'{os.path.basename(path)}: {way}', detail if not ended else '')


def check_plan(tap, path):
    """An exporter's program is not left to the reference executor."""
    for device in ('cpu', 'vulkan'):
        plan = ghlo('dump', '--stage=plan', f'--device={device}', path).stdout
        if device == 'cpu' or plan:
            tap.report(plan != '' and 'reference' not in plan,
                       f'{os.path.basename(path)}: no reference step on {device}', plan)


def check_faults(tap, folder, ways):
    for path in sorted(glob.glob(os.path.join(folder, '*.mlir'))):
        if path.endswith(ENDLESS):
            check_endless(tap, path, ways)
            continue
        with tempfile.TemporaryDirectory() as temporary:
            check_runs(tap, path, ways, temporary)
            check_artifact(tap, path, temporary)


def check_artifact(tap, path, folder):
    artifact = os.path.join(folder, 'program.mlirbc')
    process, detail = run('convert', path, artifact)
    if process.returncode == 0 and not detail:
        process, detail = run('check', '--no-run', artifact)
        detail = detail or (process.stderr or process.stdout if process.returncode else '')
    tap.report(not detail, f'{os.path.basename(path)} as an artifact', detail)


def check_arrays(tap, folder):
    with tempfile.TemporaryDirectory() as temporary:
        program = os.path.join(temporary, 'tiny.mlir')
        with open(program, 'w', encoding='utf-8') as file:
            file.write(TINY)
        for path in sorted(glob.glob(os.path.join(folder, '*.npy'))):
            process, detail = run('run', program, f'--input={path}')
            detail = detail or ('' if process.returncode else 'it was not refused')
            tap.report(not detail, os.path.basename(path), detail)


def main():
    tap = Tap()
    ways = list_ways()
    faults = data('faults')
    # Older copies of the data lack the others, where the patterns match nothing.
    for folder in (faults, os.path.join(sys.argv[1], 'faults-new')):
        check_faults(tap, folder, ways)
        check_arrays(tap, folder)
    repro = os.path.join(sys.argv[1], 'repro')
    # These did no harm but were slow, which sanitizers multiply.
    if LIMITED:
        check_faults(tap, repro, {way: ways[way] for way in ('reference', 'cpu', 'vulkan') if way in ways})
    for path in sorted(glob.glob(os.path.join(repro, '*.mlir'))):
        with open(path, encoding='utf-8') as file:
            is_static = '?' not in file.read()
        # What has unknown sizes is the reference device's.
        if is_static:
            check_plan(tap, path)
    tap.finish()


main()
