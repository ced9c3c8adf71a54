#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the command reads and writes: files, pipes and devices, and the forms of programs."""

import base64
import json
import os
import pty
import re
import resource
import signal
import subprocess
import tempfile
import time

from tool_common import ADD, CHECKS, TOOL, WRONG, Tests, bench, ghlo

TAN = '''func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.tan %x : tensor<f32>
  return %0 : tensor<f32>
}
'''
# A file of jax.export for the platform cpu, of a function pick (x, unused) that gives x,
# with the arguments i32[2] and f32[].
EXPORTED = base64.b64decode(
    'PAAAADgAYABeAFgAVABQAEwASAAAAEAAPAA4ADQAMAAsACgAJgAgAAAAAABEABwAGAAUABAADAAIAAQAOAAAAFwAAABgAAAAaAAAAGwAAAB0'
    'AAAAdAAAAHQAAACoAAAAAAAKAKgAAABEAgAARAIAAEQCAAAoAgAAQAIAAEgCAAABAAAAVAIAAHQCAAB0AgAAtAIAABADAAAAAAMAAQAAAAAA'
    'AAACAAAAAAAAAAAAAAABAAAAAAAAAAIAAAAAAAAAAQAAAAAAAAAAAAAAAgAAABgAAAAEAAAAvP3//wAAAQoEAAAAAAAAAMz9//8AAAEDBAAA'
    'AAEAAAAEAAAAAQAAADIAAAABAAAAAAAAAIoBAABNTO9SDVN0YWJsZUhMT192MS4xNS4wAAEXBQEFBwEDCwMFDxMDTS8LAR0HDyMLDwsLCw8L'
    'DwsTCwMTDwsLDxMLCwsLAQULDwMHExcHApkfEQMFAwcHCQsDDQMFCxEBAAUNBQ8FER0TAQUTHRcZBRUXGxUHBRcDAx8NASMHAwMlDQMnKR0Z'
    'HRsdHR0fAQkBAgIpAwkJEQMFAwUbBD8FAVEBBQEHBC0DAQUDUAEDBwQZAwMHAwsRAAUEFQMBBgMBBQEA7gIhDwsPIRUVBRMlKTkVEQ8LEWJ1'
    'aWx0aW4AdmhsbwBtb2R1bGUAZnVuY192MQByZXR1cm5fdjEAamF4LnVzZXNfc2hhcGVfcG9seW1vcnBoaXNtAG1obG8ubnVtX3BhcnRpdGlv'
    'bnMAbWhsby5udW1fcmVwbGljYXMAaml0X3BpY2sAeABqaXQocGljaykAYWZmaW5lLnB5AGpheC5yZXN1bHRfaW5mbwByZXN1bHQAbWFpbgBw'
    'dWJsaWMACBUFBR8BCx0hIystAAABAAAABAAAAAMAAABjcHUAAAAAAAAAAAAAAAAAAQAAAAQAAAAk////AgAAAAwAAAAEAAAANP///zj///8B'
    'AAAABAAAAMT///8AAAEDBAAAAAEAAAAEAAAAAQAAADIAAABg////AgAAACQAAAAEAAAA8P///wAAAQoEAAAAAAAAAAwADAAAAAgABwAGAAwA'
    'AAAAAAEDBAAAAAEAAAAEAAAAAQAAADIAAADM////CAAAAAAAAAICAAAALAAAABAAAAAAAAoADAALAAAABAAKAAAACAAAAAAAAAQAAAAACAAM'
    'AAsABAAIAAAACAAAAAAAAAICAAAAEAAAAAQAAAD8////BAAEAAQAAAAEAAAAcGljawAAAAA=')


def test_files(tests):
    """What is no file to read is refused, wherever a command takes one."""
    add, pipe = tests.file('add.mlir', ADD), os.path.join(tests.folder, 'pipe')
    os.mkfifo(pipe)
    forbidden = tests.file('forbidden.mlir', ADD)
    os.chmod(forbidden, 0)
    refused = [('/dev/zero', '/dev/zero: expected at most 1073741824 bytes in a file that is not regular, found more'),
               (pipe, f"expected a writer of the pipe '{pipe}', found none for 3 seconds"),
               (tests.folder, f"expected a file, found the folder '{tests.folder}'")]
    if os.geteuid() != 0:
        refused.append((forbidden, f"'{forbidden}' cannot be opened: Permission denied"))
    for path, text in refused:
        for command in (['convert', path, '-'], ['info', path], ['run', add, f'--input={path}']):
            tests.expect(f'{command[0]} of {os.path.basename(path)}', ghlo(*command, timeout=60), 1, 'ghlo: ', text)
    tests.expect('check of an endless file', ghlo('check', '/dev/zero', timeout=60), 1, 'FAIL /dev/zero', 'found more')
    tests.expect('a baseline without end', ghlo('bench', '--repeat=1', '--baseline=/dev/zero', timeout=60,
                                                env={**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'}), 1, 'found more')
    with open('/dev/zero', 'rb') as zeros:
        tests.expect('an endless standard input', ghlo('opt', '-', stdin=zeros, timeout=60), 1,
                     'ghlo: standard input: expected at most')
    with subprocess.Popen([TOOL, 'opt', pipe], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as late:
        time.sleep(0.3)
        with open(pipe, 'w', encoding='utf-8') as writer:
            writer.write(ADD)
        tests.report('stablehlo.add' in late.communicate()[0], 'a pipe whose writer comes later')


def test_convert(tests):
    add, folder = tests.file('add.mlir', ADD), tests.folder
    copy = os.path.join(folder, 'copy.mlir')
    tests.expect('text to text', ghlo('convert', add, copy), 0)
    tests.report(ghlo('opt', copy).stdout == ghlo('opt', add).stdout, 'what is converted is the same program')
    tests.expect('to standard output', ghlo('convert', '-', '-', '--generic', input=ADD), 0, '"stablehlo.add"(')
    tests.expect('without locations', ghlo('convert', '--strip-locations', add, '-'), 0, 'stablehlo.add')
    os.chmod(copy, 0o600)
    os.symlink(copy, os.path.join(folder, 'link.mlir'))
    tests.expect('onto itself through a link', ghlo('convert', os.path.join(folder, 'link.mlir'),
                                                    os.path.join(folder, 'link.mlir'), '--generic'), 0)
    tests.report(os.path.islink(os.path.join(folder, 'link.mlir')) and b'"stablehlo.add"(' in tests.read('copy.mlir')
                 and not [name for name in os.listdir(folder) if name.startswith('copy.mlir.')],
                 'the file behind the link is replaced and nothing left beside it', str(os.listdir(folder)))
    tests.expect('to a device', ghlo('convert', add, '/dev/stdout', '--to=text'), 0, 'stablehlo.add')
    link = os.path.join(folder, 'standard-output')
    os.symlink('/proc/self/fd/1', link)
    with tempfile.TemporaryFile() as deleted:
        deleted.write(b'x' * 4096)
        deleted.flush()
        run = subprocess.run([TOOL, 'convert', add, link, '--to=text'], stdout=deleted, check=False)
        deleted.seek(0)
        text = deleted.read()
    tests.report(run.returncode == 0 and b'stablehlo.add' in text and len(text) < 4096 and os.path.islink(link),
                 'to standard output that is a deleted file', str(text))

    before = tests.read('copy.mlir')
    tests.expect('a wrong program', ghlo('convert', tests.file('wrong.mlir', WRONG), copy), 1, 'wrong.mlir:2:')
    tests.report(tests.read('copy.mlir') == before, 'a failure leaves the file as it was')
    tests.expect('to a folder', ghlo('convert', add, folder, '--to=text'), 1, os.path.basename(folder))
    tests.expect('into a folder that is not there', ghlo('convert', add, os.path.join(folder, 'no', 'x.mlir')), 1, 'no')
    tests.expect('an ending that says nothing', ghlo('convert', add, 'x.bin'), 2, '--to=text', 'x.bin')
    tests.expect('an unknown form', ghlo('convert', add, copy, '--to=xml'), 2, '--to=bytecode', 'xml')
    tests.expect('a target of text', ghlo('convert', add, copy, '--target=1.0.0'), 2, '--target')
    tests.expect('generic bytecode', ghlo('convert', add, copy, '--to=bytecode', '--generic'), 2, '--generic')
    tests.expect('an unknown target', ghlo('convert', add, 'x.mlirbc', '--target=1.21.0'), 2,
                 'from 0.9.0 to 1.20.0', '1.21.0')
    tests.expect('one file alone', ghlo('convert', add), 2, 'IN and OUT')


def unwritable(command, path, **options):
    """What a command does whose standard output is the file at a path."""
    with open(path, 'wb') as output:
        return subprocess.run([TOOL, *command], stdout=output, stderr=subprocess.PIPE, text=True, check=False,
                              **options)


def closed_pipe(command, **options):
    """What a command does whose output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([TOOL, *command], stdout=writer, stderr=subprocess.PIPE, text=True, check=False, **options)
    os.close(writer)
    return run


def allow_no_files():
    """Has a process write nothing into files, with errors instead of its end."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def test_writes(tests):
    """What cannot be written is told, by every command and for every kind of output."""
    add = tests.file('add.mlir', ADD)
    plain = {**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'}
    commands = [['--help'], ['--version'], ['help', 'run'], ['run', '--help'],
                ['bench', '--time=0', add], ['bench', '--time=0', '--format=json', add],
                ['bench', '--time=0', '--format=csv', add], ['cache', 'path'], ['cache', 'size'],
                ['cache', 'list', '--json'], ['check', add], ['check', '--artifacts', '--no-run', add],
                ['convert', add, '-'], ['convert', add, '-', '--to=bytecode'],
                ['devices'], ['devices', '--json'], ['dump', add], ['dump', '--stage=plan', add],
                ['info', add], ['info', '--json', add], ['ops'], ['ops', '--json'], ['ops', '--markdown'],
                ['opt', add], ['opt', '--passes=help'], ['run', add, '--fill=zeros']]
    for command in commands:
        name = ' '.join(word for word in command if word != add)
        run = unwritable(command, '/dev/full', env=plain)
        tests.report(run.returncode == 1 and 'ghlo: standard output cannot be written: No space left on device\n'
                     in run.stderr, f'on a full device: {name}', f'{run.returncode} {run.stderr}')
        run = closed_pipe(command, env=plain)
        tests.report(run.returncode == -signal.SIGPIPE and 'written' not in run.stderr,
                     f'into a closed pipe: {name}', f'{run.returncode} {run.stderr}')
        run = closed_pipe(command, env=plain, preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
                          restore_signals=False)
        tests.report(run.returncode == 128 + signal.SIGPIPE and 'written' not in run.stderr,
                     f'into a closed pipe, without the signal: {name}', f'{run.returncode} {run.stderr}')
    many = unwritable(['check', '--verbose', *[add] * 500], '/dev/full')
    tests.report(many.returncode == 1 and 'No space left on device' in many.stderr,
                 'more than a buffer on a full device', many.stderr)
    closed = subprocess.run([TOOL, 'ops'], stderr=subprocess.PIPE, text=True, check=False,
                            preexec_fn=lambda: os.close(1))
    tests.report(closed.returncode == 1 and 'cannot be written: Bad file descriptor' in closed.stderr,
                 'without a standard output', closed.stderr)
    with open('/dev/full', 'wb') as full:
        report = subprocess.run([TOOL, 'opt', '--passes=O2', '--report', add], stdout=subprocess.DEVNULL, stderr=full,
                                check=False)
    tests.report(report.returncode == 1, 'a report on a full device', str(report.returncode))


def measured(arguments, read=None, **options):
    """Status, error text, most bytes of memory and seconds of processor time of a run of which so much is read.

    The address sanitizer keeps what is freed for a while, which is no memory of ours."""
    env = {**os.environ, 'ASAN_OPTIONS': 'quarantine_size_mb=0:thread_local_quarantine_size_kb=0:'
           + os.environ.get('ASAN_OPTIONS', '')}
    with subprocess.Popen([TOOL, *arguments], stdout=subprocess.PIPE if read is not None else subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=False, env=env, **options) as process:
        if read is not None:
            got = process.stdout.read(read)
            process.stdout.close()
            assert len(got) == read
        error = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, error, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def test_large_outputs(tests):
    """All elements of a large output are written as they are formatted."""
    iota = """func.func @main() -> tensor<1000x1000xf32> {
  %0 = stablehlo.iota dim = 1 : tensor<1000x1000xf32>
  return %0 : tensor<1000x1000xf32>
}
"""
    path = tests.file('large.mlir', iota)
    for device in ('cpu', 'reference'):
        run = ['run', path, f'--device={device}']
        _, _, short_memory, short_time = measured(run)
        status, error, memory, time_of_all = measured([*run, '--full'])
        tests.report(status == 0 and memory < short_memory + (6 << 20), f'14 MB of text take no memory, {device}',
                     f'{status} {error} {memory - short_memory} bytes more')
        status, error, _, time_of_some = measured([*run, '--full'], read=4096)
        tests.report(status == -signal.SIGPIPE and error == ''
                     and time_of_some - short_time < (time_of_all - short_time) / 4,
                     f'the first of it comes before the rest is made, {device}',
                     f'{status} {error} {short_time} {time_of_some} of {time_of_all} s')
    status, error, _, _ = measured(['run', path, '--full'], read=10, restore_signals=False,
                                   preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
    tests.report(status == 128 + signal.SIGPIPE and error == '',
                 'the reader of a large output leaves, without the signal', f'{status} {error}')
    for fmt in ('tensor', 'dense'):
        full = unwritable(['run', path, '--full', f'--format={fmt}'], '/dev/full')
        tests.report(full.returncode == 1 and 'cannot be written: No space left on device' in full.stderr,
                     f'a large output on a full device, {fmt}', full.stderr)
    run = ghlo('run', tests.file('rows.mlir', iota.replace('1000x1000', '3x30000')), '--full', '--format=dense')
    rows = [[float(number) for number in row.split(',')] for row in re.findall(r'\[([^][]*)\]', run.stdout)]
    tests.report(rows == [list(range(30000))] * 3, 'a large output is whole', run.stdout[:80] + run.stdout[-80:])


def test_written_files(tests):
    add, folder = tests.file('add.mlir', ADD), tests.folder
    tests.expect('convert to a full device', ghlo('convert', add, '/dev/full', '--to=text'), 1,
                 "ghlo: '/dev/full' cannot be written: No space left on device")
    link = os.path.join(folder, 'full.json')
    os.symlink('/dev/full', link)
    for path in (link, '/dev/full'):
        tests.expect('results on a full device', bench('--repeat=1', f'--save={path}', add), 1,
                     'cannot be written: No space left on device')
    saved = os.path.join(folder, 'saved')
    for command in (['convert', add, os.path.join(folder, 'new.mlir')],
                    ['convert', add, os.path.join(folder, 'new.mlirbc')],
                    ['bench', '--repeat=1', f'--save={folder}/new.json'],
                    ['run', '--fill=zeros', f'--output-dir={saved}', add]):
        run = ghlo(*command, preexec_fn=allow_no_files, env={**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'})
        tests.expect(f'no room for the file of {command[0]}', run, 1, 'ghlo: ', 'File too large')
    left = [name for name in os.listdir(folder) if name.startswith('new.')] + os.listdir(saved)
    tests.report(not left, 'nothing is left of files without room', str(left))
    os.symlink('/dev/full', os.path.join(saved, 'out0.npy'))
    tests.expect('an output on a full device', ghlo('run', '--fill=zeros', f'--output-dir={saved}', add), 1,
                 f"ghlo: '{saved}/out0.npy' cannot be written: ")
    tests.expect('a folder that cannot be made', ghlo('run', '--fill=zeros', '--output-dir=/dev/null/x', add), 1,
                 "the folder '/dev/null/x' cannot be created: Not a directory")


def test_bytecode(tests):
    add, folder = tests.file('add.mlir', ADD), tests.folder
    artifact = os.path.join(folder, 'add.mlirbc')
    tests.expect('text to bytecode', ghlo('convert', add, artifact, '--target=1.13.0'), 0)
    tests.expect('bytecode to text', ghlo('convert', artifact, '-'), 0, 'stablehlo.add')
    tests.report(ghlo('opt', artifact).stdout == ghlo('opt', add).stdout, 'bytecode holds the same program')
    tests.expect('form of bytecode', ghlo('info', artifact), 0, 'form       portable-artifact\n',
                 'version    1.13.0\n', 'producer   StableHLO_v1.13.0, bytecode 6\n', 'stablehlo.add')
    info = json.loads(ghlo('info', '--json', artifact).stdout)
    tests.report((info['form'], info['artifact_version'], info['producer'], info['bytecode_version'])
                 == ('portable-artifact', '1.13.0', 'StableHLO_v1.13.0', 6), 'form of bytecode as JSON', str(info))
    tests.expect('bytecode runs', ghlo('run', artifact, '--fill=2x2xf32=1', '--format=dense'), 0,
                 'dense<2.000000e+00>')
    tests.expect('split input of bytecode', ghlo('run', artifact, '--split-input', '--fill=zeros'), 0, '0.000000e+00')
    checks = tests.file('right.mlir', CHECKS.split('// -----')[0])
    right = os.path.join(folder, 'right.mlir.bc')
    tests.expect('checks in bytecode', ghlo('convert', checks, right), 0)
    tests.expect('bytecode is checked', ghlo('check', '--round-trip', right), 0, '1 passed')

    data = tests.read('add.mlirbc')
    piped = subprocess.run([TOOL, 'convert', '-', '-', '--to=bytecode', '--target=1.13.0'], input=data,
                           capture_output=True, check=False)
    tests.report(piped.stdout == data, 'bytecode through pipes', str(piped.stderr))
    for part, length, place in (('name', 10, 'header'), ('end', len(data) - 1, ''), ('middle', len(data) // 2, '')):
        path = tests.file('cut.mlirbc', data[:length])
        tests.expect(f'bytecode cut off in its {part}', ghlo('info', path), 1, 'cut.mlirbc: at byte ',
                     f', in the {place}', 'expected ', 'found ')
    tests.expect('damaged bytecode is checked', ghlo('check', path), 1, 'cut.mlirbc: at byte ', '1 failed')
    tan = tests.file('tan.mlir', TAN)
    tests.expect('what an older version lacks', ghlo('convert', tan, 'x.mlirbc', '--target=1.0.0'), 1,
                 'stablehlo.tan', '1.4.0', '1.0.0')
    tests.report(not os.path.exists('x.mlirbc'), 'nothing is written then')
    picture = tests.file('picture.png', b'\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
    tests.expect('data of another kind', ghlo('info', picture), 1, 'picture.png: at byte 8: expected a program')

    main, other = pty.openpty()
    terminal = subprocess.run([TOOL, 'convert', add, '-', '--to=bytecode'], stdout=other, stderr=subprocess.PIPE,
                              text=True, check=False)
    tests.report(terminal.returncode == 2 and 'terminal' in terminal.stderr, 'no bytecode on a terminal',
                 terminal.stderr)
    os.close(main)
    os.close(other)


def test_exported(tests):
    path = tests.file('pick.exported', EXPORTED)
    tests.expect('calling convention', ghlo('info', path), 0, 'form       jax-export\n', 'platforms  cpu\n',
                 'function   pick, calling convention 10, devices: 1\n',
                 'arguments  [0]: i32[2]\n           [1]: f32[] (unused)\nresults    i32[2]\n',
                 'inputs     0: x: tensor<2xi32>\noutputs    0: result: tensor<2xi32>\n')
    info = json.loads(ghlo('info', '--json', path).stdout)['jax_export']
    tests.report(info['arguments'] == [{'path': '[0]', 'type': 'i32[2]', 'kept': True},
                                       {'path': '[1]', 'type': 'f32[]', 'kept': False}]
                 and info['arguments_tree'] == '((*, *), {})' and info['results_tree'] == '*',
                 'calling convention as JSON', str(info))
    tests.expect('an exported function runs', ghlo('run', path, '--input=2xi32=3,4', '--format=dense'), 0,
                 'dense<[3, 4]>')
    tests.expect('an exported function as text', ghlo('opt', path), 0, 'module @jit_pick', 'func.func public @main')
    tests.expect('an exported function cut off', ghlo('info', tests.file('cut', EXPORTED[:300])), 1, 'cut: at byte ')


def many_names(n):
    """A program with as many attributes, symbols, resources, types and locations."""
    ops = ''.join(f'  %{i} = stablehlo.constant {{a.n{i} = "{i}"}} dense_resource<r{i}> : tensor<2xi32> '
                  f'loc("f{i}"("m.py":{i}:1))\n  %t{i} = stablehlo.iota dim = 0 : tensor<{i + 1}xf32>\n'
                  f'  %c{i} = func.call @g{i}(%{i}) : (tensor<2xi32>) -> tensor<2xi32>\n' for i in range(n))
    functions = ''.join(f'func.func @g{i}(%x: tensor<2xi32>) -> tensor<2xi32> {{\n  %0 = stablehlo.negate %x : '
                        f'tensor<2xi32>\n  return %0 : tensor<2xi32>\n}}\n' for i in range(n))
    blobs = ', '.join(f'r{i}: "0x04000000{i:08X}00000000"' for i in range(n))
    return (f'func.func @main() -> tensor<2xi32> {{\n{ops}  return %c{n - 1} : tensor<2xi32>\n}}\n{functions}'
            f'{{-# dialect_resources: {{ builtin: {{ {blobs} }} }} #-}}\n')


def test_processes(tests):
    """Tables differ from process to process, what is written does not."""
    program = tests.file('names.mlir', many_names(300))
    for arguments in (['opt', program], ['opt', '--passes=O2', program], ['dump', '--stage=plan', program]):
        runs = [ghlo(*arguments) for _ in range(4)]
        tests.report(runs[0].returncode == 0 and len({run.stdout for run in runs}) == 1,
                     f'four processes give the same: {" ".join(arguments[:-1])}', runs[0].stderr)
    for version in ('0.9.0', '1.20.0'):
        for name in ('1', '2', '3', '4'):
            ghlo('convert', program, os.path.join(tests.folder, f'{name}.mlirbc'), f'--target={version}')
        files = {tests.read(f'{name}.mlirbc') for name in ('1', '2', '3', '4')}
        tests.report(len(files) == 1, f'four processes write the same artifact of {version}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(folder)
        test_files(tests)
        test_writes(tests)
        test_large_outputs(tests)
        test_written_files(tests)
        test_convert(tests)
        test_bytecode(tests)
        test_processes(tests)
        test_exported(tests)
        tests.finish()


if __name__ == '__main__':
    main()
