#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads every #include under src and keeps the floors of docs/architecture.md.

    check-includes.py SOURCE_ROOT

A file includes from its own folder or from a lower floor, and never a header of
another library's that belongs to one folder alone.
"""

import os
import re
import sys

# From the ground; folders of one floor know nothing of each other.
FLOORS = [
    ['base'], ['ir'], ['import', 'passes', 'kernel'], ['codegen'], ['runtime'], ['reference', 'cpu', 'vulkan'],
    ['ghlo'], ['pjrt', 'tools'],
]
FLOOR = {folder: number for number, folders in enumerate(FLOORS) for folder in folders}

# Headers from outside that one folder alone may see.
RESERVED = [
    (r'vulkan/', 'vulkan'), (r'llvm-c/', 'cpu'), (r'oneapi/|dnnl', 'cpu'), (r'json-glib/', 'tools'),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder_of(source, folder, name):
    """The folder of src that an include is resolved in, or None for a system header."""
    if '/' in name:
        first = name.split('/')[0]
        return first if first in FLOOR else None
    for candidate in [folder, 'base', 'ghlo']:
        if os.path.exists(os.path.join(source, candidate, name)):
            return candidate
    return folder   # made by the build


def check_file(source, folder, path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    for bracket, name in INCLUDE.findall(text):
        where = os.path.relpath(path, source)
        for pattern, owner in RESERVED:
            if re.match(pattern, name) and folder != owner and bracket == '<':
                yield f'{where}: <{name}> belongs to {owner}/ alone'
        if bracket == '<':
            continue
        target = folder_of(source, folder, name)
        if target is None:
            yield f'{where}: "{name}" is in no folder of src'
        elif target != folder and FLOOR[target] >= FLOOR[folder]:
            yield f'{where}: "{name}" is on floor {FLOOR[target]} ({target}), not below {FLOOR[folder]} ({folder})'


def main():
    source = os.path.join(sys.argv[1], 'src')
    problems = []
    n = 0
    for folder in sorted(os.listdir(source)):
        path = os.path.join(source, folder)
        if not os.path.isdir(path):
            continue
        if folder not in FLOOR:
            problems.append(f'{folder}/ has no floor: name it in {os.path.basename(__file__)}')
            continue
        for root, _, files in os.walk(path):
            for name in sorted(files):
                if name.endswith(('.c', '.h', '.def', '.in')):
                    n += 1
                    problems += check_file(source, folder, os.path.join(root, name))
    print('\n'.join(problems) if problems else f'{n} files keep the floors')
    return 1 if problems or n == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
