#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MLIR bytecode that is no portable artifact, written by JAX, is the program that its
text is. Needs a Python with jax; see tests/interop/run.

    native_bytecode.py [FOLDER…]

Every program of the folders (those of tests/programs) that JAX's MLIR reads is written
as text and as bytecode of each version of the container, and GHLO converts both to the
same text.
"""

import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
VERSIONS = range(7)
# The dialect that JAX does not know; older containers lose the attributes of its operations.
CHECKS = re.compile(r'^ *"?check\..*\n', re.MULTILINE)


def convert(path):
    run = subprocess.run([TOOL, 'convert', path, '-', '--to=text', '--generic', '--strip-locations'],
                         capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(run.stderr.strip())
    return run.stdout


def write(module, folder):
    """The module in each form, as paths: text first."""
    paths = [os.path.join(folder, 'program.mlir')]
    with open(paths[0], 'w', encoding='utf-8') as file:
        file.write(module.operation.get_asm(print_generic_op_form=True))
    for version in VERSIONS:
        data = io.BytesIO()
        module.operation.write_bytecode(data, desired_version=version)
        paths.append(os.path.join(folder, f'program.{version}.mlirbc'))
        with open(paths[-1], 'wb') as file:
            file.write(data.getvalue())
    return paths


def read_by_jax(text):
    """The programs of a file that JAX's MLIR reads, each in a context of its own."""
    for part in re.split(r'^// -----.*$', CHECKS.sub('', text), flags=re.MULTILINE):
        with mlir.make_ir_context(), ir.Location.unknown():
            try:
                module = ir.Module.parse(part)
            except ir.MLIRError:
                continue
            yield module


def check(path):
    """How many programs there are in a file; raises on the first that differs."""
    count = 0
    for module in read_by_jax(path.read_text(encoding='utf-8')):
        with tempfile.TemporaryDirectory() as folder:
            text, *bytecode = write(module, folder)
            expected = convert(text)
            for form in bytecode:
                if convert(form) != expected:
                    raise AssertionError(f'program {count + 1}: {os.path.basename(form)} is another program')
        count += 1
    return count


def main():
    here = pathlib.Path(__file__).resolve().parent
    folders = [pathlib.Path(argument) for argument in sys.argv[1:]] or [here.parent / 'programs']
    files = sorted(path for folder in folders for path in folder.rglob('*.mlir'))
    failed = total = 0
    if not files:
        sys.exit(f"{', '.join(map(str, folders))}: there are no programs")
    print(f'1..{len(files)}')
    for number, path in enumerate(files, 1):
        detail = ''
        try:
            count = check(path)
            total += count
            note = f'{count} programs'
        except Exception as error:  # pylint: disable=broad-except
            note, detail = 'failed', f'{type(error).__name__}: {error}'
            failed += 1
        print(f"{'not ok' if detail else 'ok'} {number} {path.stem}: {note}", flush=True)
        for line in detail.splitlines()[:30]:
            print(f'# {line}')
    print(f'# {total} programs')
    sys.exit(1 if failed or total == 0 else 0)


if __name__ == '__main__':
    main()
