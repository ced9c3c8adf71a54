#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs PyTorch for processors into this Python's environment, from PyPI alone. PyPI's wheel for x86-64 is CUDA's,
with 4 GB of packages that it needs although nothing here runs on a GPU. So the wheel is installed without them, and
what its libraries want of CUDA's is in one small library that knows no device. It needs a C++ compiler and binutils."""

import glob
import importlib.util
import os
import platform
import re
import subprocess
import sys

TORCH, TORCHAX = '2.15.0', '0.0.13'
PURE = ['typing_extensions', 'filelock', 'sympy', 'networkx', 'jinja2', 'fsspec', 'setuptools>=77']
KEPT = ['torch_python', 'torch_cpu', 'torch', 'shm', 'c10', 'torch_global_deps']
ABSENT = ['libtorch_cuda.so', 'libc10_cuda.so', 'libtorch_cuda_linalg.so', 'libtorch_nvshmem.so']
# Overrides of CUDA's kernels are registered where the package is imported: there are none.
EDIT = ('_native/__init__.py', '    registry._register_all_overrides()\n', '    pass\n')
CODE = '''.text
failed: mov $100, %eax
  ret
zero: xor %eax, %eax
  ret
object: lea data(%rip), %rax
  ret
construct: lea table(%rip), %rax
  mov %rax, (%rdi)
  ret
.data
  .quad 0, type
table: .rept 128
  .quad zero
  .endr
type: .quad _ZTVN10__cxxabiv117__class_type_infoE + 16, type_name
type_name: .asciz "4None"
  .balign 4096
data: .zero 65536
.section .note.GNU-stack, "", @progbits
.data
'''


def list_symbols(path):
    """Yields kind, name and version of dynamic symbols."""
    lines = subprocess.run(['nm', '-D', path], capture_output=True, text=True, check=True).stdout.splitlines()
    for *_, kind, name in map(str.split, lines):
        name, _, version = name.partition('@')
        yield kind, name, version.lstrip('@')


def find_missing(folder):
    """Versions by name of what the libraries that are kept want of CUDA's."""
    needed, defined = {}, set()
    for name in KEPT:
        for kind, symbol, version in list_symbols(os.path.join(folder, f'lib{name}.so')):
            if kind == 'U':
                needed[symbol] = version
            elif kind not in 'wv':
                defined.add(symbol)
    return {symbol: version for symbol, version in needed.items() if symbol not in defined
            and (re.match('lib(cu|nv)', version) or not version and not re.match('_?Py', symbol))}


def assemble(symbol):
    """What stands for a symbol: C functions fail, a count of devices is 0, C++ functions return an object of no use."""
    if symbol.startswith('_ZTI'):
        return (f'.globl "{symbol}"\n.balign 16\n"{symbol}": .quad _ZTVN10__cxxabiv117__class_type_infoE + 16, 1f\n'
                f'1: .asciz "{symbol[4:]}"\n')
    target = ('data' if symbol.startswith(('_ZT', '_ZGV')) else 'failed' if symbol.startswith('cu')
              else 'zero' if 'device_count' in symbol else 'construct' if re.search('C[12]E', symbol) else 'object')
    kind = '@object' if target == 'data' else '@function'
    return f'.globl "{symbol}"\n.type "{symbol}", {kind}\n.set "{symbol}", {target}\n'


def replace_cuda(package):
    folder = os.path.join(package, 'lib')
    for name in ABSENT:
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    missing, versions = find_missing(folder), {}
    for symbol, version in missing.items():
        if version:
            versions.setdefault(version, []).append(symbol)
    base = os.path.join(folder, 'without-cuda')
    with open(base + '.s', 'w', encoding='utf-8') as file:
        file.write(CODE + ''.join(assemble(symbol) for symbol in sorted(missing)))
    with open(base + '.map', 'w', encoding='utf-8') as file:
        file.writelines(f'{version} {{ global: {"; ".join(symbols)}; }};\n' for version, symbols in versions.items())
    subprocess.run(['c++', '-shared', '-o', base + '.so', base + '.s', '-Wl,--no-as-needed',
                    f'-Wl,--version-script={base}.map'], check=True)
    wanted = subprocess.run(['readelf', '-d', *glob.glob(os.path.join(folder, 'libtorch*.so'))],
                            capture_output=True, text=True, check=True).stdout
    for name in [*ABSENT, *set(re.findall(r'NEEDED.*\[(lib(?:cu|nv)[^]]*)\]', wanted))]:
        if not os.path.exists(os.path.join(folder, name)):
            os.symlink('without-cuda.so', os.path.join(folder, name))


def edit(package):
    name, before, after = EDIT
    path = os.path.join(package, name)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if before not in text and after not in text:
        raise SystemExit(f'{path} is not as expected of torch {TORCH}')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text.replace(before, after))


def main():
    pip = [sys.executable, '-m', 'pip', 'install', '--quiet']
    with_cuda = platform.machine() == 'x86_64'
    subprocess.run([*pip, *PURE, *([] if with_cuda else [f'torch=={TORCH}'])], check=True)
    subprocess.run([*pip, '--no-deps', f'torch=={TORCH}', f'torchax=={TORCHAX}'], check=True)
    if with_cuda:
        package = os.path.dirname(importlib.util.find_spec('torch').origin)
        replace_cuda(package)
        edit(package)
    subprocess.run([sys.executable, '-c', 'import torch; torch.ones(2) + 1'], check=True)


if __name__ == '__main__':
    main()
