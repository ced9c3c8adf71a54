#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds the operation, the device and the fused pattern of CONTRIBUTING's examples to a copy of the tree.

    check-examples.py SOURCE_ROOT SCRATCH MESON NINJA COMPILER...

The page's blocks of changes are applied unmodified, and nothing else differs in the copy. Each
file that an example changes is named in its section's table. The copy must build, the tests of
tables, loops and programs must pass, and the operation must have the same results on the reference
device and on the CPU, there in a loop. The device must keep the contract of tests/device, and the
pattern must become what its file of tests/passes says, and a step. SCRATCH is kept, so that later
runs only rebuild what has changed. Exits with 77 where a tool is missing.
"""

import array
import os
import pathlib
import re
import shutil
import subprocess
import sys

PAGE = 'CONTRIBUTING.md'
SECTIONS = ['An operation', 'Add a device', 'Add a fused pattern']
BLOCK = re.compile(r'^```diff\n--- (\S+)\n(.*?)^```$', re.M | re.S)
NAMED = re.compile(r'`([\w.-]+(?:/[\w.-]+)+)`')
TARGETS = ['src/tools/ghlo', 'tests/test-scalar-table', 'tests/test-cpu-elementwise', 'tests/test-pass-golden',
           'tests/device/test-device']
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
    """Puts the lines with + in place of those with -, which stand in the file once with the lines around them. A file
    that is not there yet consists of lines with +."""
    lines = block.splitlines()
    before = ''.join(line[1:] + '\n' for line in lines if line[:1] in (' ', '-'))
    after = ''.join(line[1:] + '\n' for line in lines if line[:1] in (' ', '+'))
    if any(line[:1] not in (' ', '-', '+') for line in lines) or (text is None) != (before == ''):
        fail(f'expected lines that begin with a space, a minus or a plus in the block for {path}, and for a new file '
             'with a plus only')
    if text is None:
        return after
    n = ('\n' + text).count('\n' + before)
    if n != 1:
        fail(f'expected the lines of the block for {path} once in it, found {n} times:\n{before}')
    return ('\n' + text).replace('\n' + before, '\n' + after)[1:]


def read_section(source, title):
    page = (source / PAGE).read_text(encoding='utf-8')
    return re.search(rf'^## {title}\n.*?(?=^## )', page, re.M | re.S)[0]


def change(source, section, changed):
    """Applies the blocks of a section to @changed, which has the text of each file that was changed so far."""
    tables = ''.join(line + '\n' for line in section.splitlines() if line.startswith('|'))
    named = [re.sub('NAME|FOLDER', '[^/]+', re.escape(path)) for path in NAMED.findall(tables)]
    for path, block in BLOCK.findall(section):
        if not any(re.fullmatch(name, path) for name in named):
            fail(f'expected {path} in the table of the section that has a block for it')
        file = source / path
        text = changed.get(path) or (file.read_text(encoding='utf-8') if file.exists() else None)
        changed[path] = apply(text, block, path)


def examples(source):
    """The files that the page changes, with what they become, and the operation."""
    changed = {}
    for title in SECTIONS:
        before = len(changed)
        change(source, read_section(source, title), changed)
        if len(changed) == before:
            fail(f'expected changes of files under "{title}"')
    row = re.search(r'^\+OP \(\w+, "([\w.]+)".*?OPERANDS \((.*?)\), RESULTS', read_section(source, SECTIONS[0]),
                    re.M | re.S)
    if row is None:
        fail('expected a row of the op table in a block')
    return changed, row[1], row[2].count('ONE (')


def write_copy(source, copy, changed):
    """Writes what differs, so that what is as before is not built again."""
    paths = set(files_of(source)) | {pathlib.Path(path) for path in changed}
    for path in sorted(paths):
        data = changed[str(path)].encode() if str(path) in changed else (source / path).read_bytes()
        target = copy / path
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            if (source / path).exists():
                shutil.copymode(source / path, target)
    for path in set(files_of(copy)) - paths:
        (copy / path).unlink()


def check_copy(source, copy, changed):
    """Nothing differs but what the page names."""
    differing = {str(path) for path in files_of(copy)
                 if not (source / path).exists() or (copy / path).read_bytes() != (source / path).read_bytes()}
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


def check_device(build, copy):
    """The device keeps the contract and runs the programs that check their results, with its step in a plan."""
    name = re.search(r'static const char \*const names\[\] = { "(\w+)"', (copy / 'src/plain/device.c').read_text())[1]
    tool = build / TARGETS[0]
    run(build / TARGETS[4], f'--device={name}')
    run(tool, 'check', f'--device={name}', copy / 'tests/programs')
    program = copy.parent / 'device.mlir'
    program.write_text('func.func @main(%0: tensor<5xui8>) -> tensor<5xui8> {\n'
                       '  %r = stablehlo.not %0 : tensor<5xui8>\n  return %r : tensor<5xui8>\n}\n', encoding='utf-8')
    plan = run(tool, 'dump', '--stage=plan', f'--device={name}', program)
    if not re.search(rf'^\d+ {name} complement\b', plan, re.M):
        fail(f"expected the device's step in this plan:\n{plan}")


def check_pattern(build, copy):
    """The pattern becomes a fusion as its file says, and a step with the results of two operations."""
    folder = copy.parent
    run(build / TARGETS[3], '-p', '/passes/golden/fuse-minmax.mlir', env=dict(os.environ, G_TEST_SRCDIR=copy / 'tests'))
    tool, program = build / TARGETS[0], folder / 'pattern.mlir'
    kind = 'tensor<70000xi32>'
    program.write_text(f'func.func @main(%x: {kind}, %y: {kind}) -> ({kind}, {kind}) {{\n'
                       f'  %0 = stablehlo.minimum %x, %y : {kind}\n  %1 = stablehlo.maximum %x, %y : {kind}\n'
                       f'  return %1, %0 : {kind}, {kind}\n}}\n', encoding='utf-8')
    answers = []
    for device in ['reference', 'cpu']:
        run(tool, 'run', program, f'--device={device}', f'--output-dir={folder / device}', '--input=random:1',
            '--input=random:2')
        answers.append([(folder / device / f'out{i}.npy').read_bytes() for i in range(2)])
    if answers[0] != answers[1] or answers[0][0] == answers[0][1]:
        fail('expected the fused pattern to have the results of the reference device')
    plan = run(tool, 'dump', '--stage=plan', program)
    if not re.search(r'^\d+ minmax\b', plan, re.M):
        fail(f'expected the step in this plan:\n{plan}')


def main():
    source, scratch = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    meson, ninja, compiler = sys.argv[3], sys.argv[4], ' '.join(sys.argv[5:])
    if not (shutil.which(meson) and shutil.which(ninja)):
        print('meson and ninja are needed')
        return SKIPPED
    changed, name, n_operands = examples(source)
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
    run(sys.executable, copy / 'tests/check-includes.py', copy)
    check_style(copy, changed)
    compare(tool, scratch, name, n_operands)
    check_device(build, copy)
    check_pattern(build, copy)
    print(f'an operation, a device and a fused pattern are added by changes of {len(changed)} files')
    return 0


if __name__ == '__main__':
    sys.exit(main())
