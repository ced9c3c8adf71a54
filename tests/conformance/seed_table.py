#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs the benchmark programs with random inputs. Without --all only those of
few operations, since the large ones take minutes on the reference device.

    seed_table.py DATA [--all]
"""

import glob
import json
import os
import sys
import tempfile

from common import Tap, data, ghlo

# Programs whose inputs have more elements than this are left to --all.
MAX_ELEMENTS = 300_000


def main():
    folder = data('seed_table')
    everything = '--all' in sys.argv
    tap = Tap()
    with open(os.path.join(folder, 'index.json'), encoding='utf-8') as file:
        index = json.load(file)
    for path in sorted(glob.glob(os.path.join(folder, '*.mlir'))):
        name = os.path.basename(path)[:-5]
        size = 0
        for _, shape in index[name]:
            elements = 1
            for extent in shape:
                elements *= extent
            size += elements
        if not everything and (size > MAX_ELEMENTS or name.startswith(('CNN', 'TRAIN', 'E2E', 'XFMR'))):
            continue
        with tempfile.TemporaryDirectory() as outputs:
            run = ghlo('run', path, '--fill=random:1', f'--output-dir={outputs}', '--time')
            saved = len(os.listdir(outputs))
        tap.report(run.returncode == 0 and saved > 0, f'{name}: {run.stderr.strip()}', run.stderr)
    tap.finish()


if __name__ == '__main__':
    main()
