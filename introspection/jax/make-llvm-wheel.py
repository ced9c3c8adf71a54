#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the wheel of the module that makes machine code of kernels, with the parts of LLVM that it uses linked in.

    make-llvm-wheel.py WHEEL VERSION README LIBRARY ARCHIVE… -- MODULE.py…

The module uses the GLib that the plugin of the other wheel has loaded, by its name there. Each ARCHIVE is a static
library of the system, parts of which are in LIBRARY.
"""

import pathlib
import shutil
import sys
import tempfile

import wheels

PACKAGE = 'jax_ghlo_llvm'
LIBRARY = 'libghlo-llvm.so'


def prepare(source, folder):
    """Returns the module in the form in which it goes into the wheel."""
    path = folder / LIBRARY
    shutil.copyfile(source, path)
    wheels.run('strip', '--strip-unneeded', str(path))
    names = {name: wheels.own_name(name) for name in wheels.needed(path)}
    wheels.rename(path, names)
    wheels.check_versions(path)
    wheels.check_links(path, [], ['libglib-2.0.ghlo'])
    return path.read_bytes()


def main():
    end = sys.argv.index('--')
    wheel, version, readme = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    library, *archives = map(pathlib.Path, sys.argv[4:end])
    contents = {f'{PACKAGE}/{module.name}': module.read_bytes() for module in map(pathlib.Path, sys.argv[end + 1:])}
    with tempfile.TemporaryDirectory() as folder:
        contents[f'{PACKAGE}/{LIBRARY}'] = prepare(library, pathlib.Path(folder))
    about = wheels.metadata('jax-ghlo-llvm', version, 'Machine code for jax-ghlo, by LLVM',
                            [f'Requires-Dist: jax-ghlo=={version}'], readme.read_text(encoding='utf-8'))
    wheels.write(wheel, contents, about, archives, readme.parent / 'COPYING')


if __name__ == '__main__':
    main()
