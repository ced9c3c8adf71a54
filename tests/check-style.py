#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks every source file against the form that CONTRIBUTING.md asks for.

    check-style.py SOURCE_ROOT

Licence line, tabs and trailing spaces, length of lines and files, unfinished work,
hashes without a key, and paths of one machine. Files are those that git knows, or all outside build folders.
"""

import pathlib
import re
import subprocess
import sys

MAX_COLUMNS, MAX_LINES = 120, 1000

# Where an SPDX line belongs; short data and prose carry none.
LICENSED = {'.c', '.h', '.def', '.py', '.vala', '.js', '.mlir', '.comp', '.glsl', '.words'}
NARROW = {'.c', '.h', '.py', '.js', '.vala', '.comp', '.glsl', '.words'}
TEXT = LICENSED | {'.md', '.rst', '.build', '.txt', '.in', '.sh', '.dict', '.symbols', '.metadata', '.bash', ''}

# Programs that other tools wrote, or that must keep the form that their readers expect.
UNLICENSED = ['tests/fuzz/corpus/*', 'examples/models/*.mlir']

LICENSE = re.compile(r'(/\*|#|//|<!--) SPDX-License-Identifier: LGPL-2\.1-or-later( \*/| -->)?')
# Written so that this file does not contain them.
UNFINISHED = re.compile(r'\b(' + '|'.join(['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX']) + r')\b')
# Tables with keys from programs must use the keyed hashes of base/hash.h.
UNKEYED = re.compile(r'\bg_(str|int|int64|double|bytes)_hash\b')
# A program with more rights than its caller must ignore the caller's variables: base/environment.h.
UNTRUSTED = re.compile(r'\bg?_?getenv \("GHLO_')
MACHINE = re.compile(r'(?<![\w.$}*])/(home|root|tmp|work)/\w')


def list_files(root):
    try:
        listed = subprocess.run(['git', '-C', str(root), 'ls-files', '--cached', '--others', '--exclude-standard'],
                                check=True, capture_output=True, text=True).stdout.splitlines()
        names = [pathlib.PurePath(name) for name in listed]
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(root) for path in root.rglob('*')]
    return sorted(name for name in names
                  if name.suffix in TEXT and not name.parts[0].startswith('build') and (root / name).is_file()
                  and '.git' not in name.parts and '__pycache__' not in name.parts and name.name != 'COPYING')


def check(name, text):
    """Yields pairs of a line number and an error."""
    lines = text.split('\n')
    if name.suffix in LICENSED and not any(name.match(pattern) for pattern in UNLICENSED):
        if not any(LICENSE.fullmatch(line) for line in lines[:2]):
            yield 1, 'expected an SPDX line, with nothing else in it'
    if text.count('\n') > MAX_LINES and name.suffix in NARROW:
        yield len(lines), f'expected at most {MAX_LINES} lines'
    if text and not text.endswith('\n'):
        yield len(lines), 'expected a newline at the end'
    for number, line in enumerate(lines, 1):
        # A makefile's recipes begin with tabs.
        if '\t' in line and name.name != 'rules':
            yield number, 'a tab'
        if line.endswith((' ', '\r')):
            yield number, 'spaces at the end'
        if name.suffix in NARROW and len(line) > MAX_COLUMNS:
            yield number, f'expected at most {MAX_COLUMNS} columns, found {len(line)}'
        if UNFINISHED.search(line):
            yield number, 'unfinished work'
        if name.parts[0] == 'src' and name.suffix == '.c' and UNKEYED.search(line):
            yield number, 'a hash whose collisions anybody can compute'
        if name.parts[0] == 'src' and UNTRUSTED.search(line):
            yield number, 'a variable that a program with more rights than its caller would read'
        if MACHINE.search(line):
            yield number, 'a path of one machine'


def main():
    root = pathlib.Path(sys.argv[1])
    files = list_files(root)
    findings = 0
    for name in files:
        for number, finding in check(name, (root / name).read_text(encoding='utf-8')):
            findings += 1
            print(f'{name}:{number}: {finding}')
    print(f'{len(files)} files, {findings} findings')
    return 1 if findings or not files else 0


if __name__ == '__main__':
    sys.exit(main())
