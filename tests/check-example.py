#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds the operation of CONTRIBUTING's example to a copy of the tree, and tries it.

    check-example.py SOURCE_ROOT SCRATCH MESON NINJA COMPILER...

The page's blocks of changes are applied unmodified, and nothing else differs in the copy. The
copy must build, the tests of tables, loops and programs must pass, and the operation must have
the same results on both devices, on the CPU in a loop. SCRATCH is kept, so that later runs only
rebuild what has changed. Exits with 77 where a tool is missing.
"""

import array
import os
import pathlib
import re
import shutil
import subprocess
import sys

PAGE = 'CONTRIBUTING.md'
SECTION = r'^## An operation\n.*?(?=^## )'
BLOCK = re.compile(r'^```diff\n--- (\S+)\n(.*?)^```$', re.M | re.S)
NAMED = re.compile(r'^\| `([\w.-]+(?:/[\w.-]+)+)` \|', re.M)
TARGETS = ['src/tools/ghlo', 'tests/test-scalar-table', 'tests/test-cpu-elementwise']
SKIPPED = 77

# The copy is there to be tried, neither for long nor to be debugged.
OPTIONS = ['-Dintrospection=disabled', '-Ddocumentation=disabled', '-Dman=disabled', '-Dvulkan=disabled',
           '-Doptimization=0', '-Ddebug=false', '-Db_pch=true']


def fail(message):
    raise SystemExit(f'{PAGE}: {message}')


def files_of(root):
    """What belongs to the tree: no build folders, which may just be set up, and nothing hidden."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith('.') and name != '__pycache__'
                      and not (folder == str(root) and name.startswith('build'))
                      and not os.path.isdir(os.path.join(folder, name, 'meson-private'))]
        for name in names:
            if not name.startswith('.'):
                yield (pathlib.Path(folder) / name).relative_to(root)


def apply(text, block, path):
    """Puts the lines with + behind the ones before them, which must stand in the file once."""
    kept = [line[1:] for line in block.splitlines() if line[:1] == ' ']
    changed = [line[1:] for line in block.splitlines()]
    if not kept or any(line[:1] not in (' ', '+') for line in block.splitlines()):
        fail(f'expected lines that begin with a space or a plus in the block for {path}, and one with a space')
    before, after = '\n'.join(kept) + '\n', '\n'.join(changed) + '\n'
    n = ('\n' + text).count('\n' + before)
    if n != 1:
        fail(f'expected the lines of the block for {path} once in it, found {n} times:\n{before}')
    return ('\n' + text).replace('\n' + before, '\n' + after)[1:]


def example(source):
    """The files that the page changes, with what they become, and the operation."""
    page = re.search(SECTION, (source / PAGE).read_text(encoding='utf-8'), re.M | re.S)[0]
    changed = {}
    for path, block in BLOCK.findall(page):
        text = changed.get(path) or (source / path).read_text(encoding='utf-8')
        changed[path] = apply(text, block, path)
    if set(changed) != set(NAMED.findall(page)):
        fail(f'expected changes of the files in the table, found {sorted(changed)}')
    row = re.search(r'^\+OP \(\w+, "([\w.]+)".*?OPERANDS \((.*?)\), RESULTS', page, re.M | re.S)
    if row is None:
        fail('expected a row of the op table in a block')
    return changed, row[1], row[2].count('ONE (')


def write_copy(source, copy, changed):
    """Writes what differs, so that what is as before is not built again."""
    paths = list(files_of(source))
    for path in paths:
        data = changed[str(path)].encode() if str(path) in changed else (source / path).read_bytes()
        target = copy / path
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            shutil.copymode(source / path, target)
    for path in set(files_of(copy)) - set(paths):
        (copy / path).unlink()


def check_copy(source, copy, changed):
    """Nothing differs but what the page names."""
    differing = {str(path) for path in files_of(copy) if (copy / path).read_bytes() != (source / path).read_bytes()}
    if differing != set(changed):
        fail(f'expected {sorted(changed)} to differ in the copy, found {sorted(differing)}')


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        fail(f'{" ".join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}')
    return done.stdout


def check_style(copy, changed):
    """What the page adds keeps to the form; the rest of the tree has a test of its own."""
    found = subprocess.run([sys.executable, copy / 'tests/check-style.py', copy], stdout=subprocess.PIPE, text=True)
    findings = [line for line in found.stdout.splitlines() if line.split(':')[0] in changed]
    if findings:
        fail('\n'.join(findings))


def read_bits(path):
    """The floats of a NumPy file as integers in their order, one apart where they are neighbours."""
    data = path.read_bytes()
    bits = array.array('i', data[10 + int.from_bytes(data[8:10], 'little'):])
    return [n if n >= 0 else -(n & 0x7fffffff) for n in bits]


def compare(tool, folder, name, n_operands):
    """Runs the operation alone on both devices."""
    kind = 'tensor<5000xf32>'
    operands = ', '.join(f'%{i}' for i in range(n_operands))
    program = folder / 'operation.mlir'
    program.write_text(f'func.func @main({", ".join(f"%{i}: {kind}" for i in range(n_operands))}) -> {kind} {{\n'
                       f'  %r = "{name}"({operands}) : ({", ".join([kind] * n_operands)}) -> {kind}\n'
                       f'  return %r : {kind}\n}}\n', encoding='utf-8')
    answers = []
    for device in ['reference', 'cpu']:
        run(tool, 'run', program, f'--device={device}', f'--output-dir={folder / device}', '--format=dense',
            *(f'--input=random:{i}' for i in range(n_operands)))
        answers.append(read_bits(folder / device / 'out0.npy'))
    worst = max(abs(a - b) for a, b in zip(*answers, strict=True))
    if worst > 1:
        fail(f'expected {name} to be the same on both devices up to one unit in the last place, found {worst}')
    plan = run(tool, 'dump', '--stage=plan', program)
    if not re.search(r'^\d+ elementwise ' + re.escape(name), plan, re.M):
        fail(f'expected a loop to do {name} on the CPU, found this plan:\n{plan}')


def main():
    source, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    meson, ninja, compiler = sys.argv[3], sys.argv[4], ' '.join(sys.argv[5:])
    if not (shutil.which(meson) and shutil.which(ninja)):
        print('meson and ninja are needed')
        return SKIPPED
    changed, name, n_operands = example(source)
    copy, build = scratch / 'tree', scratch / 'build'
    write_copy(source, copy, changed)
    check_copy(source, copy, changed)
    # The same path names each time and none in the code, so that a cache of compilers is of use. It takes nothing that
    # is precompiled unless it is told that this is well.
    environment = dict(os.environ, CC=compiler, CCACHE_NOHASHDIR='1', CCACHE_BASEDIR=str(scratch),
                       CCACHE_SLOPPINESS='pch_defines,time_macros')
    if not (build / 'build.ninja').exists():
        run(meson, 'setup', build, copy, *OPTIONS, env=environment)
    run(ninja, '-C', build, *TARGETS, env=environment)
    tool = build / TARGETS[0]
    run(build / TARGETS[1])
    run(build / TARGETS[2], '-p', '/cpu-elementwise/operations')
    for device in ['reference', 'cpu']:
        run(tool, 'check', f'--device={device}', copy / 'tests/programs')
    run(sys.executable, copy / 'tests/check-ops.py', tool, copy)
    check_style(copy, changed)
    compare(tool, scratch, name, n_operands)
    print(f'{name} is added by changes of {len(changed)} files')
    return 0


if __name__ == '__main__':
    sys.exit(main())
