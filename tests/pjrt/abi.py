#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds src/pjrt/abi.h against the header that openxla/xla publishes: sizes, offsets and values.

    tests/pjrt/abi.py [--install] [--headers=FOLDER]

    --install         fetch the header, as PyPI's tensorflow-cpu has it, where it is not there yet; and run nothing.
                      Without it the test is skipped
    --headers=FOLDER  the folder with xla/pjrt/c/pjrt_c_api.h, of whatever version (GHLO_PJRT_HEADERS)

Every structure that we declare has the fields that the header has, at their places; what is newer than the header is
counted. Two programs print the places, one with our declarations and one with theirs.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

WHEEL = 'tensorflow-cpu==2.21.0'
CACHE = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'ghlo-tests/pjrt-2.21.0'
SOURCE = pathlib.Path(__file__).resolve().parents[2] / 'src'
FOLDER = 'xla/pjrt/c'
HEADERS = 'pjrt_c_api.h', 'pjrt_c_api_layouts_extension.h', 'pjrt_c_api_shardings_extension.h'


def install():
    if (CACHE / FOLDER / HEADERS[0]).exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        # The header is the same for all versions of Python.
        subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:',
                        '--python-version=3.12', '--platform=manylinux_2_27_x86_64', '--dest=' + folder, WHEEL],
                       check=True)
        with zipfile.ZipFile(next(pathlib.Path(folder).glob('*.whl'))) as wheel:
            names = [f'tensorflow/include/{FOLDER}/{name}' for name in HEADERS]
            for name in set(names) & set(wheel.namelist()):
                target = CACHE / FOLDER / pathlib.Path(name).name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(wheel.read(name))


def preprocess(compiler, text, folder):
    """What the compiler sees of the headers named pjrt or abi, without the rest."""
    command = [*compiler, '-E', '-I', str(folder), *cflags(), '-']
    lines, kept = [], False
    for line in subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            kept = '/pjrt' in marker[1]
        elif kept:
            lines.append(line)
    return re.sub(r'\s+', ' ', ' '.join(lines))


def cflags():
    return subprocess.run(['pkg-config', '--cflags', 'glib-2.0'], capture_output=True, text=True,
                          check=True).stdout.split()


def body_at(text, start):
    """What stands between the brace at @start and its end, and where that is."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == '{') - (text[i] == '}')
        if depth == 0:
            return text[start + 1:i], i + 1
    raise ValueError('a brace has no end')


def fields_of(body):
    """The names of fields, those of unions without a name among them."""
    fields = []
    body = re.sub(r'\b(union|struct) \{', '', body).replace('}', '')
    for declaration in body.split(';'):
        pointer = re.search(r'\(\s*\*\s*(\w+)\s*\)\s*\(', declaration)
        if pointer:
            fields.append(pointer[1])
        elif declaration.strip():
            fields += [re.search(r'(\w+)\s*$', part)[1] for part in declaration.split(',')]
    return fields


def structures(text):
    """Fields by structure."""
    found = {}
    for match in re.finditer(r'\bstruct(?: (_?PJRT_\w+))? \{', text):
        body, end = body_at(text, match.end() - 1)
        name = re.match(r' (PJRT_\w+) ?;', text[end:]) or match
        if name[1]:
            found[name[1].lstrip('_')] = fields_of(body)
    return found


def enumerators(text):
    found = []
    for match in re.finditer(r'\benum(?: \w+)? \{', text):
        body, _ = body_at(text, match.end() - 1)
        found += re.findall(r'\b(PJRT_\w+)\b(?= ?[=,}]| ?$)', re.sub(r'=[^,]*', '', body))
    return [name for name in found if not re.search(r'_STRUCT_SIZE$|^PJRT_API_M', name)]


def places(compiler, text, folder, wanted, values):
    """What a program with these declarations prints: a number by name."""
    lines = [f'printf ("%s %zu\\n", "{s}.{f}", offsetof ({s}, {f}) * 4096 + sizeof ((({s} *) 0)->{f}));'
             for s, fields in wanted.items() for f in fields]
    lines += [f'printf ("%s %zu\\n", "{name}", (size_t) {name});' for name in values]
    lines = ['#include <stdio.h>', '#include <stddef.h>', text, 'int main (void) {', *lines, 'return 0; }', '']
    program = '\n'.join(lines)
    with tempfile.TemporaryDirectory() as build:
        command = [*compiler, '-w', '-I', str(folder), *cflags(), '-', '-o', f'{build}/probe']
        subprocess.run(command, input=program, text=True, check=True)
        output = subprocess.run([f'{build}/probe'], capture_output=True, text=True, check=True).stdout
    return dict(line.split() for line in output.splitlines())


def compare(folder):
    """What is wrong, and what is newer than the header."""
    ours = ['cc', '-x', 'c'], '#include "pjrt/abi.h"\n#include "pjrt/abi-extensions.h"\n', SOURCE
    names = [name for name in HEADERS if (folder / FOLDER / name).exists()]
    theirs = ['c++', '-x', 'c++'], ''.join(f'#include "{FOLDER}/{name}"\n' for name in names), folder
    texts = [preprocess(*side) for side in (ours, theirs)]
    our_structures, their_structures = (structures(text) for text in texts)
    both = {s: [f for f in fields if f in their_structures[s]]
            for s, fields in our_structures.items() if s in their_structures}
    values = [set(enumerators(text)) for text in texts]
    numbers = [places(*side, both, sorted(values[0] & values[1])) for side in (ours, theirs)]
    problems = [f'{name}: expected {numbers[1][name]}, found {number}' for name, number in numbers[0].items()
                if number != numbers[1][name]]
    problems += [f'{s}.{f} is missing' for s in both for f in their_structures[s] if f not in our_structures[s]]
    newer = [s for s in our_structures if s not in both]
    newer += [f'{s}.{f}' for s in both for f in our_structures[s] if f not in both[s]]
    newer += sorted(values[0] - values[1])
    print(f'# {len(both)} structures, {sum(map(len, both.values()))} fields and {len(values[0] & values[1])} values '
          f'beside {", ".join(names)}')
    return problems, newer, len(both)


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument('--install', action='store_true')
    parser.add_argument('--headers', default=os.environ.get('GHLO_PJRT_HEADERS') or str(CACHE))
    options = parser.parse_args()
    if options.install:
        install()
        return 0
    folder = pathlib.Path(options.headers)
    if not (folder / FOLDER / HEADERS[0]).exists():
        print('1..0 # SKIP there is no header of PJRT; tests/pjrt/abi.py --install')
        return 0
    problems, newer, n_structures = compare(folder)
    print(f'# newer than the header: {", ".join(newer) or "nothing"}')
    for problem in problems:
        print(f'# {problem}')
    print(f'1..1\n{"not ok" if problems or n_structures < 90 else "ok"} 1 declarations')
    return 1 if problems or n_structures < 90 else 0


if __name__ == '__main__':
    sys.exit(main())
