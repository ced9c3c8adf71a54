#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs each exported model on its inputs, as text and as an artifact, and compares the results with
the model's expected outputs, within the tolerances of its meta.json. Both forms give the same bits.

    models.py DATA [DEVICE…]      (reference and cpu)
"""

import filecmp
import glob
import json
import os
import sys
import tempfile

import numpy as np

from common import Tap, data, ghlo


def compare(folder, outputs, meta):
    """Describes the first output that differs, or returns an empty string."""
    expected = sorted(glob.glob(os.path.join(folder, 'out*.npy')), key=len)
    for path in expected:
        name = os.path.basename(path)
        want, got = np.load(path), np.load(os.path.join(outputs, name))
        if want.shape != got.shape or want.dtype != got.dtype:
            return f'{name}: expected {want.dtype}{want.shape}, found {got.dtype}{got.shape}'
        if want.dtype.kind in 'iub':
            if not np.array_equal(want, got):
                return f'{name}: {np.count_nonzero(want != got)} of {want.size} integers differ'
        elif not np.allclose(got, want, rtol=meta['rtol'], atol=meta['atol'], equal_nan=True):
            return f'{name}: differs by up to {np.abs(got - want).max()}'
    return ''


def same_files(folder, other):
    """Returns the first file of a folder that differs from the same file in the other, or an empty string."""
    names = sorted(os.listdir(folder))
    if names != sorted(os.listdir(other)):
        return f'{names} and {sorted(os.listdir(other))}'
    return next((f'{name} differs' for name in names
                 if not filecmp.cmp(os.path.join(folder, name), os.path.join(other, name), shallow=False)), '')


def check(tap, folder, device):
    with open(os.path.join(folder, 'meta.json'), encoding='utf-8') as file:
        meta = json.load(file)
    n_inputs = len(glob.glob(os.path.join(folder, 'arg*.npy')))
    options = [f'--device={device}', *(f'--input={folder}arg{i}.npy' for i in range(n_inputs))]
    name = f"{os.path.basename(folder.rstrip('/'))} on {device}"
    with tempfile.TemporaryDirectory() as outputs:
        run = ghlo('run', folder + 'module.mlir', *options, f'--output-dir={outputs}')
        detail = run.stderr if run.returncode else compare(folder, outputs, meta)
        tap.report(not detail, name, detail)
        with tempfile.TemporaryDirectory() as others:
            run = ghlo('run', folder + 'module.mlirbc', *options, f'--output-dir={others}')
            detail = run.stderr if run.returncode else same_files(outputs, others)
        tap.report(not detail, f'{name}: the artifact gives the same', detail)


def main():
    tap = Tap()
    for folder in sorted(glob.glob(os.path.join(data('models'), '*', ''))):
        for device in sys.argv[2:] or ('reference', 'cpu'):
            check(tap, folder, device)
    tap.finish()


if __name__ == '__main__':
    main()
