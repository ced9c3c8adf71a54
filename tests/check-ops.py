#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every operation is described, run and tested.

    check-ops.py GHLO SOURCE_ROOT

Each row of the op table, as printed by `ghlo ops --json`, needs a summary, a kernel of
the reference executor (unless it is structure), and a use in the project's own
programs: for the dialects that programs are made of in tests/programs, where a value
is expected of it; for the others in any test, corpus or guide.
"""

import json
import pathlib
import re
import subprocess
import sys

# Dialects whose operations must all occur in tests/programs.
PROGRAM_DIALECTS = {'func', 'stablehlo', 'chlo', 'check', 'interpreter'}

# The files where operations of other dialects may occur.
ELSEWHERE = ['tests/programs/*.mlir', 'tests/unit/**/*.[ch]', 'tests/fuzz/corpus/*.mlir', 'docs/guides/*.md']

# Operations that the pretty form may write without their dialect, or not at all.
SHORT = {
    'builtin.module': r'\bmodule\b',
    'func.call': r'(?<![\w.])call @',
    'func.return': r'(?<![\w.])return\b',
}

NAME = r'(?<![\w.]){}(?![\w.])'


def read(root, patterns):
    """Returns the text of all files that match, without comments."""
    paths = [path for pattern in patterns for path in sorted(root.glob(pattern))]
    return '\n'.join(re.sub(r'//.*', '', path.read_text(encoding='utf-8')) for path in paths)


def occurs(name, text):
    return bool(re.search(NAME.format(re.escape(name)), text) or (name in SHORT and re.search(SHORT[name], text)))


def main():
    tool, root = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = json.loads(subprocess.run([tool, 'ops', '--json'], check=True, capture_output=True, text=True).stdout)
    programs, elsewhere = read(root, ['tests/programs/*.mlir']), read(root, ELSEWHERE)
    findings = []
    for row in rows:
        name = row['name']
        own = name.split('.')[0] in PROGRAM_DIALECTS
        if not row['summary'].strip():
            findings.append(f'{name}: no summary')
        if row['reference'] not in ('yes', 'structure'):
            findings.append(f'{name}: no kernel of the reference executor')
        if not occurs(name, programs if own else elsewhere):
            findings.append(f"{name}: no program in {'tests/programs' if own else 'the tests'}")
    for finding in findings:
        print(finding)
    print(f'{len(rows)} operations, {len(findings)} findings')
    return 1 if findings or not rows else 0


if __name__ == '__main__':
    sys.exit(main())
