#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""JAX and GHLO on each other's files. Needs a Python with jax; see tests/interop/run.

Each function of functions.py is exported by jax.export and the file run by `ghlo run`:
the results agree with JAX's own. Then JAX reads what GHLO writes: the module as text
and as an artifact of several versions through its StableHLO reader, and the exported
function with the module that GHLO wrote in place of its own, called by JAX.
"""

import dataclasses
import io
import os
import subprocess
import sys
import tempfile

import jax
import numpy as np
from jax import export
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from functions import FUNCTIONS

TOOL = os.environ.get('GHLO_TOOL', 'ghlo')
# The oldest version that holds each program is its own; these are tried for all.
TARGETS = ['1.17.0', '1.13.0', '1.0.0']


def ghlo(*arguments):
    run = subprocess.run([TOOL, *arguments], capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"ghlo {arguments[0]}: {run.stderr.strip()}")
    return run.stdout


def compare(found, expected, rtol, atol):
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise AssertionError(f'{found.dtype}{found.shape}, expected {expected.dtype}{expected.shape}')
    if expected.dtype.kind in 'iub':
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=atol)


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, 'wb') as file:
        file.write(data)
    return path


def check_run(folder, function, exported, arguments, expected):
    """GHLO runs the file that JAX wrote."""
    path = write(folder, 'exported.bin', bytes(exported.serialize(vjp_order=function.vjp_order)))
    inputs = []
    for i, leaf in enumerate(jax.tree.leaves(arguments)):
        if i in exported.module_kept_var_idx:
            np.save(os.path.join(folder, f'arg{i}.npy'), np.asarray(leaf))
            inputs.append(f'--input={folder}/arg{i}.npy')
    ghlo('run', path, *inputs, f'--output-dir={folder}')
    for i, leaf in enumerate(jax.tree.leaves(expected)):
        compare(np.load(os.path.join(folder, f'out{i}.npy')), leaf, function.rtol, function.atol)
    about = ghlo('info', path)
    for word in (exported.fun_name, *exported.platforms):
        if word not in about:
            raise AssertionError(f"`ghlo info` does not say '{word}':\n{about}")

    return path


def check_read_by_jax(folder, function, exported, path, arguments, expected):
    """JAX reads what GHLO writes, and calls it."""
    text = os.path.join(folder, 'module.mlir')
    ghlo('convert', path, text, '--to=text')
    with mlir.make_ir_context() as context:
        module = ir.Module.parse(open(text, encoding='utf-8').read(), context)
        module.operation.verify()
    for target in TARGETS:
        artifact = os.path.join(folder, f'module-{target}.mlirbc')
        try:
            ghlo('convert', path, artifact, '--to=bytecode', f'--target={target}')
        except RuntimeError as error:
            # A version that cannot hold the program says which one can; JAX refuses as well.
            if 'needs StableHLO' not in str(error) or accepts(exported, target):
                raise
            continue
        data = open(artifact, 'rb').read()
        with mlir.make_ir_context() as context:
            stablehlo.deserialize_portable_artifact(context, data)
        again = dataclasses.replace(exported, mlir_module_serialized=data)
        # One for several platforms had an input more, which GHLO made a constant.
        if again.platforms == (jax.default_backend(),):
            found = again.call(*arguments)
            for one, leaf in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
                compare(one, leaf, function.rtol, function.atol)


def accepts(exported, target):
    """Whether JAX's own writer can write the module at @target."""
    with mlir.make_ir_context() as context:
        module = stablehlo.deserialize_portable_artifact(context, exported.mlir_module_serialized)
        try:
            stablehlo.serialize_portable_artifact(module, target)
        except Exception:  # pylint: disable=broad-except
            return False
    return True


def check(function):
    arguments = function.arguments()
    with jax.default_matmul_precision('highest'):
        expected = jax.jit(function.call)(*arguments)
        exported = export.export(jax.jit(function.call), platforms=function.platforms)(
            *(function.shapes() if function.shapes else arguments))
    with tempfile.TemporaryDirectory() as folder:
        path = check_run(folder, function, exported, arguments, expected)
        check_read_by_jax(folder, function, exported, path, arguments, expected)


def main():
    failed = 0
    print(f'1..{len(FUNCTIONS)}\n# JAX {jax.__version__}')
    for number, function in enumerate(FUNCTIONS, 1):
        detail = io.StringIO()
        try:
            check(function)
        except Exception as error:  # pylint: disable=broad-except
            detail.write(f'{type(error).__name__}: {error}')
            failed += 1
        print(f"{'not ok' if detail.getvalue() else 'ok'} {number} {function.name}", flush=True)
        for line in detail.getvalue().splitlines()[:30]:
            print(f'# {line}')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
