#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads every file under src and keeps the layers and folders of docs/architecture.md.

    check-includes.py SOURCE_ROOT

A file includes headers of its own folder or of a lower layer, and no header of an external
library that is reserved for another folder. Code that runs programs must not depend on
passes or importers. GTypes are only defined in the public API's folder, where each source
has something public, and the number of files in each folder of the tree is limited.
"""

import os
import re
import sys

# From the lowest; folders of one layer know nothing of each other.
LAYERS = [
    ['base'], ['ir'], ['import', 'passes', 'kernel'], ['device'], ['plan'], ['runtime'], ['execute'],
    ['reference', 'cpu', 'vulkan'], ['gpu'], ['compiler'], ['client'], ['ghlo', 'pjrt', 'tools'],
]
LAYER = {folder: number for number, folders in enumerate(LAYERS, 1) for folder in folders}

# Headers from outside that one folder alone may see.
RESERVED = [
    (r'vulkan/', 'vulkan'), (r'llvm-c/', 'cpu'), (r'oneapi/|dnnl', 'cpu'), (r'json-glib/', 'tools'),
    (r'sysprof', 'base'),
]

# Folders beside src, and who includes from them.
BESIDE = {'shaders': 'gpu'}

# What is lower and still none of a folder's business.
CLOSED = {folder: {'import', 'passes'}
          for folder in ['device', 'plan', 'runtime', 'execute', 'reference', 'cpu', 'vulkan', 'gpu']}

MAX_FILES = 60

# Tensor types are boxed where they are defined, and registered where a binding first asks.
TYPED = ('ghlo/', 'base/tensor-type.c', 'base/error.c')
DEFINES_TYPE = re.compile(r'^G_DEFINE_\w*TYPE\w* \(|\bg_\w+_type_register_static\b', re.M)
PUBLIC = re.compile(r'^/\*\*\n \* (?:ghlo_\w+|Ghlo\w+|SECTION)', re.M)
# Of the public API and without a public symbol: what makes jobs answer through tasks, and a class behind an interface.
INNER_API = {'ghlo-call.c', 'plan/ghlo-step-list.c'}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder_of(source, folder, name):
    """The folder of src that an include is resolved in, or None for a system header."""
    if '/' in name:
        first = name.split('/')[0]
        return first if first in LAYER else None
    for candidate in [folder, 'base', 'ghlo']:
        if os.path.exists(os.path.join(source, candidate, name)):
            return candidate
    return folder   # made by the build


def check_file(source, folder, path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    where = os.path.relpath(path, source)
    for bracket, name in INCLUDE.findall(text):
        for pattern, owner in RESERVED:
            if re.match(pattern, name) and folder != owner and bracket == '<':
                yield f'{where}: <{name}> belongs to {owner}/ alone'
        if bracket == '<':
            continue
        if BESIDE.get(name.split('/')[0]) == folder:
            continue
        target = folder_of(source, folder, name)
        if target is None:
            yield f'{where}: "{name}" is in no folder of src'
        elif target != folder and LAYER[target] >= LAYER[folder]:
            yield f'{where}: "{name}" is in layer {LAYER[target]} ({target}), not below {LAYER[folder]} ({folder})'
        elif target in CLOSED.get(folder, ()):
            yield f'{where}: "{name}" is of {target}/, which {folder}/ knows nothing of'
    if not where.startswith(TYPED) and DEFINES_TYPE.search(text):
        yield f'{where}: a GType outside of the public API'
    if folder == 'ghlo' and path.endswith('.c') and not PUBLIC.search(text) and where[5:] not in INNER_API:
        yield f'{where}: nothing public is in it, so that its place is below the public API'


def check_sizes(root):
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(('.git', 'build', '__pycache__'))]
        if len(files) > MAX_FILES:
            yield f'{os.path.relpath(folder, root)}: {len(files)} files, at most {MAX_FILES} expected'


def main():
    source = os.path.join(sys.argv[1], 'src')
    problems = list(check_sizes(sys.argv[1]))
    n = 0
    for folder in sorted(os.listdir(source)):
        path = os.path.join(source, folder)
        if not os.path.isdir(path):
            continue
        if folder not in LAYER:
            problems.append(f'{folder}/ has no layer: name it in {os.path.basename(__file__)}')
            continue
        for root, _, files in os.walk(path):
            for name in sorted(files):
                if name.endswith(('.c', '.h', '.def', '.in')):
                    n += 1
                    problems += check_file(source, folder, os.path.join(root, name))
    print('\n'.join(problems) if problems else f'{n} files keep the layers')
    return 1 if problems or n == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
