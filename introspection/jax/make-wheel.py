#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Builds the wheel of the package for JAX, with the plugin and all libraries that it needs beyond the C library.

    make-wheel.py WHEEL VERSION README PLUGIN MODULE.py…

The libraries that the plugin is linked with, and those that it opens when a program needs them, are placed next to it.
The former get names of their own. The latter, and the libraries that they need, keep their names and may be shared with
others in the process: the plugin is linked with the libraries that they need, so that these are loaded already when
they are looked up. Only the plugin has a search path, its own folder, which applies to everything that it is linked
with.
"""

import pathlib
import shutil
import sys
import tempfile

import wheels

# Libraries that the plugin opens at run time; bundled where they are in the same folder as GLib.
OPENED = ('libdnnl.so.2', 'openblas-serial/libopenblas.so.0')
PACKAGE = 'jax_plugins/ghlo'


def close(roots):
    """Returns these libraries and all that they depend on, by name."""
    files, left = {}, list(roots)
    while left:
        name, path = left.pop(0)
        if name not in files:
            files[name] = path
            places = wheels.resolve(path)
            left += [(other, pathlib.Path(places[other])) for other in wheels.needed(path)]
    return files


def find_opened(plugin):
    """Lists the libraries that the plugin opens, in the folder of GLib."""
    folder = pathlib.Path(wheels.resolve(plugin)['libglib-2.0.so.0']).resolve().parent
    return [(pathlib.Path(name).name, folder / name) for name in OPENED if (folder / name).exists()]


def bundle_linked(files, plugin, folder, helpers):
    """Copies the plugin and, under names of their own, the libraries that it is linked with."""
    names = {name: wheels.own_name(name) for name in files if name != plugin.name}
    for name, source in files.items():
        path = folder / names.get(name, name)
        shutil.copyfile(source, path)
        wheels.run('strip', '--strip-unneeded', str(path))
        wheels.rename(path, names)
    # DT_RPATH, unlike the newer DT_RUNPATH, also applies to indirect dependencies. One change at a time, since patchelf
    # mixes up several.
    for name in helpers:
        wheels.run('patchelf', '--add-needed', name, str(folder / plugin.name))
    wheels.run('patchelf', '--force-rpath', '--set-rpath', '$ORIGIN', str(folder / plugin.name))


def bundle(plugin, folder):
    """Copies all libraries. Returns the paths on the system of all but the plugin."""
    roots = find_opened(plugin)
    linked, opened = close([(plugin.name, plugin)]), close(roots)
    bundle_linked(linked, plugin, folder, sorted(opened.keys() - dict(roots).keys()))
    for name, source in opened.items():
        shutil.copyfile(source, folder / name)
    for path in folder.iterdir():
        wheels.check_versions(path)
        wheels.check_links(path, ['$ORIGIN'] if path.name == plugin.name else [])
    return [source for source in [*linked.values(), *opened.values()] if source != plugin]


def main():
    wheel, version, readme, plugin = pathlib.Path(sys.argv[1]), sys.argv[2], *map(pathlib.Path, sys.argv[3:5])
    contents = {f'{PACKAGE}/{module.name}': module.read_bytes() for module in map(pathlib.Path, sys.argv[5:])}
    with tempfile.TemporaryDirectory() as folder:
        sources = bundle(plugin, pathlib.Path(folder))
        contents |= {f'{PACKAGE}/{path.name}': path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    lines = ['Requires-Dist: jax>=0.9', 'Provides-Extra: llvm',
             f'Requires-Dist: jax-ghlo-llvm=={version}; extra == "llvm"']
    about = wheels.metadata('jax-ghlo', version, 'JAX on CPUs and Vulkan devices, by GHLO', lines,
                            readme.read_text(encoding='utf-8'))
    wheels.write(wheel, contents, about, sources, readme.parent / 'COPYING',
                 b'[jax_plugins]\nghlo = jax_plugins.ghlo\n')


if __name__ == '__main__':
    main()
