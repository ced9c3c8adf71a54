#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mypy finds no errors in examples, guides and accepted.py, and in refused.py the errors named there.

    check.py FOLDER PROGRAM…

FOLDER has gi-stubs; programs have types, and the Python of guides (*.md) has none.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
run_guides = importlib.util.module_from_spec(spec := importlib.util.spec_from_file_location(
    'run_guides', HERE.parent / 'docs' / 'run-guides.py'))
spec.loader.exec_module(run_guides)
ERROR = re.compile(r'(?P<path>[^:]+):(?P<line>\d+): error: (?P<text>.*)\[(?P<code>[\w-]+)\]$')


def run_mypy(folder, cache, *arguments):
    """Lines of errors."""
    environment = {**os.environ, 'PYTHONPATH': folder}
    done = subprocess.run([sys.executable, '-m', 'mypy', '--no-error-summary', f'--cache-dir={cache}',
                           '--scripts-are-modules', *map(str, arguments)],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode > 1 or done.stderr:
        raise SystemExit(done.stdout + done.stderr)
    return [line for line in done.stdout.splitlines() if ': note: ' not in line]


def check_refused(folder, cache, path):
    """Differences between the errors that its comments tell and those that there are."""
    lines = path.read_text(encoding='utf-8').splitlines()
    expected = {(i, found[1]) for i, line in enumerate(lines, 1) if (found := re.search(r'  # ([\w-]+)$', line))}
    found = {}
    for line in run_mypy(folder, cache, '--strict', path):
        error = ERROR.match(line)
        found[int(error['line']), error['code']] = error['text']
    if len(expected) < 20:
        yield f'{path.name} has {len(expected)} lines with comments'
    for i, code in sorted(expected - set(found)):
        yield f'{path.name}:{i}: expected an error [{code}]: {lines[i - 1].strip()}'
    for i, code in sorted(set(found) - expected):
        yield f'{path.name}:{i}: [{code}] {found[i, code]}'


def check_guide(folder, cache, guide):
    """Programs of a guide say nothing of types; what they call has some."""
    with tempfile.TemporaryDirectory() as output:
        paths = []
        for program in run_guides.Page(guide).programs:
            if program.language == 'python':
                paths.append(pathlib.Path(output) / f'line_{program.line}.py')
                paths[-1].write_text('\n'.join([*program.code, *program.after, '']), encoding='utf-8')
        yield from run_mypy(folder, cache, '--check-untyped-defs', *paths) if paths else []


def main():
    folder, *programs = sys.argv[1:]
    cache = pathlib.Path(folder) / 'mypy-cache'
    stub = pathlib.Path(folder) / 'gi-stubs/repository/Ghlo.pyi'
    guides = [path for path in map(pathlib.Path, programs) if path.suffix == '.md']
    checks = {path.name: run_mypy(folder, cache, '--strict', path)
              for path in [stub, HERE / 'accepted.py', *map(pathlib.Path, programs)] if path not in guides}
    checks['refused.py'] = check_refused(folder, cache, HERE / 'refused.py')
    checks.update({guide.name: check_guide(folder, cache, guide) for guide in guides})
    failed = 0
    print(f'1..{len(checks)}')
    for i, (name, wrong) in enumerate(checks.items(), 1):
        wrong = list(wrong)
        failed += bool(wrong)
        print('not ok' if wrong else 'ok', i, name)
        for line in wrong:
            print('#', line)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
