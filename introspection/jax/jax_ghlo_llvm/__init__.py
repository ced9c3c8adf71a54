# SPDX-License-Identifier: LGPL-2.1-or-later
"""Machine code of kernels, by LLVM, for the package jax-ghlo of the same version, which finds it by itself."""

import pathlib

__all__ = ['module_path']


def module_path() -> pathlib.Path:
    """Where the module is that makes machine code."""
    return pathlib.Path(__file__).with_name('libghlo-llvm.so')
