#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds src/pjrt/abi.h and ffi/abi.h against the headers that openxla/xla publishes: sizes, offsets and values.

    tests/pjrt/abi.py [--install] [--headers=FOLDER] [--ffi-headers=FOLDER]

    --install         fetch the header, as PyPI's tensorflow-cpu has it, where it is not there yet; and run nothing.
                      Without it the test is skipped
    --headers=FOLDER  the folder that has xla/pjrt/c/pjrt_c_api.h, of whatever version (GHLO_PJRT_HEADERS)
    --ffi-headers=FOLDER  the folder that has xla/ffi/api/c_api.h of version 0.3, as jaxlib 0.10 has it; by default that
                      of the environment that tests/jax/run makes, and without it there is no second test

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
HEADERS = ('xla/pjrt/c/pjrt_c_api.h', 'xla/pjrt/c/pjrt_c_api_layouts_extension.h',
           'xla/pjrt/c/pjrt_c_api_shardings_extension.h', 'xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h')
FFI_HEADERS = ('xla/ffi/api/c_api.h',)


def install():
    if (CACHE / HEADERS[0]).exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        # The header is the same for all versions of Python.
        subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--only-binary=:all:',
                        '--python-version=3.12', '--platform=manylinux_2_27_x86_64', '--dest=' + folder, WHEEL],
                       check=True)
        with zipfile.ZipFile(next(pathlib.Path(folder).glob('*.whl'))) as wheel:
            for name in HEADERS:
                if f'tensorflow/include/{name}' in wheel.namelist():
                    (CACHE / name).parent.mkdir(parents=True, exist_ok=True)
                    (CACHE / name).write_bytes(wheel.read(f'tensorflow/include/{name}'))


def preprocess(compiler, text, folder):
    """What the compiler sees of these headers, without the rest."""
    command = [*compiler, '-E', '-I', str(folder), *cflags(), '-']
    lines, kept = [], False
    for line in subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            kept = '/pjrt' in marker[1] or '/ffi/' in marker[1]
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
    for match in re.finditer(r'\bstruct(?: (_?(?:PJRT|JAX|XLA_FFI)_\w+))? \{', text):
        body, end = body_at(text, match.end() - 1)
        name = re.match(r' ((?:PJRT|JAX|XLA_FFI)_\w+) ?;', text[end:]) or match
        if name[1]:
            found[name[1].lstrip('_')] = fields_of(body)
    return found


def enumerators(text):
    found = []
    for match in re.finditer(r'\benum(?: \w+)? \{', text):
        body, _ = body_at(text, match.end() - 1)
        found += re.findall(r'\b((?:PJRT|XLA_FFI)_\w+)\b(?= ?[=,}]| ?$)', re.sub(r'=[^,]*', '', body))
    return [name for name in found if not re.search(r'_STRUCT_SIZE$|^(?:PJRT|XLA_FFI)_API_M', name)]


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


def compare(folder, headers, own):
    """What is wrong, and what is newer than the header."""
    ours = ['cc', '-x', 'c'], f'#include "pjrt/{own}"\n', SOURCE
    names = [name for name in headers if (folder / name).exists()]
    theirs = ['c++', '-x', 'c++'], ''.join(f'#include "{name}"\n' for name in names), folder
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


def find_ffi():
    """The folder of jaxlib's headers; None where there is none."""
    found = sorted(CACHE.parent.glob('jax-*/lib/python*/site-packages/jaxlib/include'))
    return str(found[-1]) if found else None


def check(number, folder, headers, own, n_least):
    """Prints a line of TAP; whether all is well."""
    problems, newer, n_structures = compare(pathlib.Path(folder), headers, own)
    print(f'# newer than the header: {", ".join(newer) or "nothing"}')
    for problem in problems:
        print(f'# {problem}')
    is_right = not problems and n_structures >= n_least
    print(f'{"ok" if is_right else "not ok"} {number} {own}', flush=True)
    return is_right


def main():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument('--install', action='store_true')
    parser.add_argument('--headers', default=os.environ.get('GHLO_PJRT_HEADERS') or str(CACHE))
    parser.add_argument('--ffi-headers', default=find_ffi())
    options = parser.parse_args()
    if options.install:
        install()
        return 0
    if not (pathlib.Path(options.headers) / HEADERS[0]).exists():
        print('1..0 # SKIP there is no header of PJRT; tests/pjrt/abi.py --install')
        return 0
    print('1..2')
    is_right = check(1, options.headers, HEADERS, 'abi-extensions.h', 90)
    if options.ffi_headers is None:
        print('ok 2 ffi/abi.h # SKIP there is no header of XLA FFI; tests/jax/run --install')
    else:
        is_right &= check(2, options.ffi_headers, FFI_HEADERS, 'ffi/abi.h', 30)
    return 0 if is_right else 1


if __name__ == '__main__':
    sys.exit(main())
