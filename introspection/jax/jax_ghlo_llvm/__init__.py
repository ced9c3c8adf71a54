# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generates machine code of kernels with LLVM. The package jax-ghlo of the same version finds this package itself."""

import pathlib

__all__ = ['module_path']


def module_path() -> pathlib.Path:
    """The path of the module that generates machine code."""
    return pathlib.Path(__file__).with_name('libghlo-llvm.so')
