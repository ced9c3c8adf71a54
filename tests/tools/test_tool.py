#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command from outside: its sub-commands, options, errors and exit statuses."""

import json
import os
import re
import subprocess
import tempfile

import numpy as np

from tool_common import ADD, CHECKS, TOOL, WRONG, Tests, bench, ghlo

KERNEL = '''func.func @main(%x: tensor<16x64xf32>) -> tensor<16xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<16x64xf32>
  %1 = stablehlo.multiply %0, %x : tensor<16x64xf32>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<16x64xf32>, tensor<f32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}
'''
COMPLEX = '''func.func @main(%x: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = chlo.conj %x : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}
'''
DYNAMIC = '''func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
'''
MISMATCH = '''func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''
LAPACK = '''func.func @main() -> tensor<2x2xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<2x2xf32>
  %1 = stablehlo.custom_call @lapack_spbtrf_ffi(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
'''
MARKED = '''func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{shapes}}
  %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{nothing is wrong here}}
  %0 = stablehlo.negate %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''


# Programs of which checks are not run, and what is said of them.
UNRUN = [('a program without a function', '// RUN: ghlo check\n', 'no function is run', []),
         ('a main that takes inputs', '''func.func @main(%x: tensor<f32>) {
  check.expect_eq_const %x, dense<1.0> : tensor<f32>
  return
}
''', 'unrun.mlir:1: @main takes inputs', []),
         ('functions that take inputs', '''func.func @f(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
''', 'unrun.mlir:1: all functions take inputs', []),
         ('a program behind another', CHECKS.split('// -----')[0] + '''// -----
func.func @main(%x: tensor<f32>) {
  check.expect_eq_const %x, dense<1.0> : tensor<f32>
  return
}
''', 'unrun.mlir:8: @main takes inputs', []),
         ('checks that nothing calls', '''func.func @called(%x: tensor<f32>) {
  "stablehlo.custom_call"(%x, %x) {call_target_name = "check.eq"} : (tensor<f32>, tensor<f32>) -> ()
  return
}
func.func @lost(%x: tensor<f32>) {
  "stablehlo.custom_call"(%x, %x) {call_target_name = "check.eq"} : (tensor<f32>, tensor<f32>) -> ()
  return
}
func.func @main() {
  %0 = stablehlo.constant dense<1.0> : tensor<f32>
  func.call @called(%0) : (tensor<f32>) -> ()
  return
}
''', 'unrun.mlir:1: no function that is run calls @lost', []),
         ('checks that a pass takes away', '''func.func @main() {
  return
}
module @inner {
  func.func private @lost() {
    %0 = stablehlo.constant dense<1.0> : tensor<f32>
    check.expect_eq_const %0, dense<1.0> : tensor<f32>
    return
  }
}
''', 'no function that is run calls @lost', ['--passes=O2'])]


HALF = '''func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %one = stablehlo.divide %two, %two : tensor<4xf32>
  %0 = stablehlo.multiply %x, %one : tensor<4xf32>
  %1 = stablehlo.divide %0, %two : tensor<4xf32>
  return %1 : tensor<4xf32>
}
'''
LAYER = '''func.func @main(%x: tensor<2x6xf32>, %w: tensor<6x4xf32>, %b: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.add %0, %b : tensor<2x4xf32>
  %2 = stablehlo.negate %1 : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
'''
EMPTY = '''func.func @main(%x: tensor<2x0xf32>, %y: tensor<2x9223372036854775807x3x0xf32>) ->
    (tensor<2x0xf32>, tensor<2x9223372036854775807x3x0xf32>) {
  return %x, %y : tensor<2x0xf32>, tensor<2x9223372036854775807x3x0xf32>
}
'''
CHANNEL = '''func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) {
    source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 0, type = 4>
  } : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''
HUGE = '''func.func @main() -> tensor<1152921504606846976xcomplex<f64>> {
  %0 = stablehlo.iota dim = 0 : tensor<1152921504606846976xcomplex<f64>>
  return %0 : tensor<1152921504606846976xcomplex<f64>>
}
'''

# What bash's completion gives for words, of which the last is being completed.
COMPLETE = '''
source "$0"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ghlo
echo "${COMPREPLY[@]}"
'''
COMPLETION = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'src', 'tools', 'ghlo.bash')


def test_run(tests):
    add = tests.file('add.mlir', ADD)
    tests.expect('literals', ghlo('run', add, '--input=2x2xf32=1,2,3,4', '--input=2x2xf32=0.5'), 0,
                 'tensor<2x2xf32> {', '[1.500000e+00, 2.500000e+00]')
    tests.expect('complex literals',
                 ghlo('run', tests.file('complex.mlir', COMPLEX), '--input=2xcomplex<f32>=(1,2),(0.5,-3)'), 0,
                 '[1.000000e+00, -2.000000e+00], [5.000000e-01, 3.000000e+00]')
    tests.expect('dense format', ghlo('run', add, '--fill=zeros', '--format=dense'), 0,
                 'dense<0.000000e+00> : tensor<2x2xf32>')
    tests.expect('attribute', ghlo('run', add, '--input=dense<2.0> : tensor<2x2xf32>', '--fill=zeros'), 0,
                 '2.000000e+00')
    tests.expect('empty tensors', ghlo('run', '-', '--full', '--fill=zeros', input=EMPTY, timeout=60), 0,
                 '  [\n    [],\n    []\n  ]\n', '  [\n    […],\n    […]\n  ]\n')
    for device in ('reference', 'cpu'):
        tests.expect(f'more than any memory, {device}', ghlo('run', f'--device={device}', '-', input=HUGE), 1,
                     'expected a tensor of at most', 'found tensor<1152921504606846976xcomplex<f64>>')
    tests.expect('standard input', ghlo('run', '-', '--fill=zeros', input=ADD), 0, 'tensor<2x2xf32>')
    tests.expect('too few inputs', ghlo('run', add, '--input=zeros'), 1, 'expected 2 inputs, found 1', '--fill=zeros')
    tests.expect('too many inputs', ghlo('run', add, *['--input=zeros'] * 3), 1, 'expected 2 inputs, found 3')
    tests.expect('a wrong shape', ghlo('run', add, '--input=4xf32=1,2,3,4', '--fill=zeros'), 1,
                 "input 0 ('x'): expected tensor<2x2xf32>, found tensor<4xf32>")
    tests.expect('a wrong count', ghlo('run', add, '--input=2x2xf32=1,2,3', '--fill=zeros'), 1,
                 'expected 4 elements for', 'found 3')
    tests.expect('a wrong device', ghlo('run', add, '--device=abacus'), 2, "'auto', 'cpu', ",
                 "'reference', found 'abacus'")
    tests.expect('a missing file', ghlo('run', os.path.join(tests.folder, 'no.mlir')), 1, 'no.mlir')

    a, b = np.arange(4, dtype=np.float32).reshape(2, 2), np.ones((2, 2), np.float32)
    np.save(os.path.join(tests.folder, 'a.npy'), np.asfortranarray(a))
    np.save(os.path.join(tests.folder, 'b.npy'), b.astype('>f4'))
    out = os.path.join(tests.folder, 'out')
    run = ghlo('run', add, f'--input={tests.folder}/a.npy', f'--input={tests.folder}/b.npy', f'--output-dir={out}')
    saved = np.load(os.path.join(out, 'out0.npy')) if run.returncode == 0 else None
    tests.report(saved is not None and np.array_equal(saved, a + b), 'NumPy files in any order of bytes and dimensions',
                 run.stderr)

    first, again, other = (ghlo('run', add, f'--fill=random:{seed}').stdout for seed in (7, 7, 8))
    tests.report(first == again and first != other,
                 'random inputs repeat by their seed')


def test_input_names(tests):
    """Inputs by name, in any order and beside others."""
    subtract = tests.file('subtract.mlir', ADD.replace('.add', '.subtract'))
    np.save(os.path.join(tests.folder, 'two.npy'), np.full((2, 2), 2, np.float32))

    def run(*inputs):
        return ghlo('run', subtract, '--format=dense', *[f'--input={text}' for text in inputs])

    for inputs in [('x=5', 'y=2'), ('y=2', 'x=5'), ('5', 'y=2'), ('y=2', '5'), ('2', 'x=5'),
                   ('x=2x2xf32=5', 'y=2,2,2,2'),
                   (f'y={tests.folder}/two.npy', 'x=dense<5.0> : tensor<2x2xf32>'),
                   ('5,5.0,5e0,0x5p0', '2x2xf32=2')]:
        tests.expect(f'inputs: {" ".join(inputs).replace(tests.folder, "")}', run(*inputs), 0, 'dense<3.000000e+00>')
    tests.expect('inputs: some filled', ghlo('run', subtract, '--input=y=-inf', '--fill=zeros', '--format=dense'), 0,
                 'dense<0x7F800000>')
    tests.expect('inputs: no such name', run('x=5', 'z=2'), 1,
                 "expected the name of an input (x, y) or a type such as 2x2xf32 before '=', found 'z'")
    tests.expect('inputs: a name twice', run('x=5', 'x=2'), 1, "one value for input 0 ('x'), found two: '5' and '2'")
    tests.expect('inputs: one without a place', run('x=5', '2', '1'), 1, 'expected 2 inputs, found 3')
    tests.expect('inputs: one is missing', run('y=2'), 1, "give input 0 ('x') of type tensor<2x2xf32>")
    tests.expect('inputs: a wrong number of elements', run('x=1,2', 'y=1'), 1,
                 "input 0 ('x'): expected 4 elements for '2x2xf32', found 2")
    tests.expect('inputs: a wrong type', run('x=1', 'y=2xf32=1'), 1,
                 "input 1 ('y'): expected tensor<2x2xf32>, found tensor<2xf32>")
    tests.expect('inputs: a file that is not there', run('x=1', 'y=none.npy'), 1, "input 1 ('y'): 'none.npy' cannot be")
    for name in ('x', 'y'):
        unnamed = tests.file('unnamed.mlir', ADD.replace('%x', '%arg0').replace('%y', '%1'))
        tests.expect(f'inputs: {name} of a program without names',
                     ghlo('run', unnamed, f'--input={name}=1', '--fill=zeros'), 1, 'the program has none')


def test_numbers(tests):
    """Floats as C's strtod takes them."""
    identity = tests.file('identity.mlir', HALF.replace('%1 : t', '%x : t').replace('return %1', 'return %x'))
    for spelling, shown in [('inf,-inf,nan,-nan', '[0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000]'),
                            ('INFINITY,+Inf,NaN,nan(12)', '[0x7F800000, 0x7F800000, 0x7FC00000, 0x7FC00000]'),
                            ('.5,5.,1e3,-1e-3', '[5.000000e-01, 5.000000e+00, 1.000000e+03, -1.000000e-03]'),
                            ('0x1p3,0x.8p1,0x7FC00000,+2', '[8.000000e+00, 1.000000e+00, 0x7FC00000, 2.000000e+00]'),
                            ('1e400,-0,-1,1.25', '[0x7F800000, -0.000000e+00, -1.000000e+00, 1.250000e+00]'),
                            ('-inf', '0xFF800000')]:
        for option in ('--input', '--fill'):
            tests.expect(f'numbers: {spelling} as {option}',
                         ghlo('run', identity, f'{option}=4xf32={spelling}', '--format=dense'), 0, f'dense<{shown}>')
    tests.expect('numbers: parts of complex ones',
                 ghlo('run', tests.file('complex.mlir', COMPLEX), '--input=2xcomplex<f32>=(inf,-nan),(1,-inf)',
                      '--format=dense'), 0, '(0x7F800000,', '(1.000000e+00,0x7F800000)')
    for spelling in ('abc', 'infinit', '1..2', '0x', '1e'):
        tests.expect(f'numbers: {spelling} is none', ghlo('run', identity, f'--fill=4xf32={spelling}'), 1,
                     "ghlo: input 0 ('x'): ", 'expected')


def test_arguments(tests):
    """What stands after "--" is no option, and what is too much is told, for every command."""
    dash, folder = tests.file('-O2', ADD), tests.folder
    for command in (['check'], ['convert', '--to=text'], ['dump'], ['info'], ['opt'], ['run', '--fill=zeros'],
                    ['bench', '--repeat=1']):
        names = ['--', '-O2', '-'] if command[0] == 'convert' else ['--', '-O2']
        tests.expect(f'{command[0]}: a file behind --',
                     ghlo(*command, *names, cwd=folder, env={**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'}), 0)
    for command in (['ops', '--'], ['devices', '--'], ['cache', '--', 'path'], ['--', 'ops']):
        tests.expect(f'{command} with --', ghlo(*command), 0)
    os.remove(dash)
    add = tests.file('add.mlir', ADD)
    for command, wanted in ((['cache', 'path'], '[list|clear|path|size]'), (['calibrate'], 'no arguments'),
                            (['convert', add, '-'], 'IN OUT'), (['devices'], 'no arguments'),
                            (['dump', add], 'FILE'), (['info', add], 'FILE'),
                            (['ops'], 'no arguments'), (['opt', add], 'FILE'), (['opt', '--passes=help', add], 'FILE'),
                            (['run', add], 'FILE')):
        tests.expect(f'{command[0]}: an argument too many', ghlo(*command, 'more'), 2,
                     f"expected {wanted}, found the extra argument 'more'; \"ghlo {command[0]} --help\" tells more")
    for command in (['--version'], ['help', 'ops'], ['help'], ['--help']):
        tests.expect(f'{command}: an argument too many', ghlo(*command, 'more'), 2,
                     f"expected nothing after '{command[-1]}', found 'more'")


def test_mark(tests):
    """A byte order mark is not part of a text."""
    mark = '\ufeff'
    plain, marked = (ghlo('opt', tests.file('mark.mlir', text + ADD)) for text in ('', mark))
    tests.report(plain.stdout == marked.stdout != '', 'a byte order mark', marked.stderr)
    tests.expect('a byte order mark from standard input', ghlo('run', '-', '--fill=zeros', input=mark + ADD), 0)
    plain, marked = (ghlo('opt', '-', input=text + WRONG.replace('(%x', '(%0x')) for text in ('', mark))
    tests.report(plain.returncode == 1 and plain.stderr == marked.stderr, 'places are counted behind it', marked.stderr)
    tests.expect('a byte order mark alone', ghlo('opt', '-', input=mark), 0, 'module')
    checks = tests.file('mark.mlir', mark + CHECKS.split('// -----')[0])
    tests.expect('check of a text with a mark', ghlo('check', checks), 0, '1 passed')


# A loop of so few elements would be one step.
STEPS = {**os.environ, 'GHLO_DISABLE': 'fuse-loops'}

LOOP = '''func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %1 = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %a, %a : tensor<4xf32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<4xf32>
    }
  return %0#1 : tensor<4xf32>
}
'''

OPEN = '''func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
'''


def test_profile(tests):
    """What each step of a run took, apart from the outputs."""
    run = ghlo('run', '--profile', '-', '--fill=zeros', '--format=dense', input=LOOP, env=STEPS)
    rows = [(line[:40].rstrip(), *line[40:].split()) for line in run.stderr.splitlines()]
    found = {row[0]: row[1:3] for row in rows}
    tests.report(run.stdout == 'dense<0.000000e+00> : tensor<4xf32>\n' and found.get('step') == ('unit', 'runs')
                 and found.get('stablehlo.while') == ('host', '1')
                 and found.get('  stablehlo.multiply') == ('cpu', '5'),
                 'profile of a loop', run.stdout + run.stderr)
    shares = [float(row[row.index('%') - 1]) for row in rows if '%' in row and not row[0].startswith(' ')]
    tests.report(abs(sum(shares) - 100) < 1, 'shares of a profile', run.stderr)
    tests.expect('profile of a program without a plan',
                 ghlo('run', '--profile', '-', '--input=2xf32=1', input=OPEN), 0, 'func.func', 'reference')
    run = bench('--profile', '--repeat=7', '--format=csv', tests.file('profile.mlir', LOOP), env=STEPS)
    found = {line[:40].rstrip(): line[40:].split()[:2] for line in run.stderr.splitlines()}
    tests.report(run.stdout.startswith('program,') and len(run.stdout.splitlines()) == 2
                 and found.get('  stablehlo.multiply') == ['cpu', '35'], 'profile of a bench', run.stdout + run.stderr)
    tests.expect('profile of a device without plans',
                 ghlo('run', '--profile', '--device=reference', '-', '--fill=zeros', input=ADD), 0, 'without a plan')


def test_bench(tests):
    add, saved = tests.file('bench.mlir', ADD), os.path.join(tests.folder, 'saved.json')
    tests.expect('bench', bench('--time=0', add), 0, 'bench.mlir', 'roofline', 'GB/s copied')
    tests.expect('bench of nothing', bench(), 0, 'GB/s copied')
    tests.expect('bench as CSV', bench('--repeat=3', '--format=csv', add), 0, 'program,median_s',
                 'bench.mlir,')
    run = bench('--repeat=3', '--format=json', f'--save={saved}', add)
    program = json.loads(run.stdout)['programs']['bench.mlir']
    tests.report(program['runs'] == 3 and 0 < program['minimum_s'] <= program['median_s']
                 <= program['p99_s'] and program['bytes'] == 48, 'bench as JSON', run.stdout)
    for device, share in (('cpu', 0), ('reference', 1)):
        shown = bench('--repeat=3', '--format=json', f'--device={device}', add).stdout
        found = json.loads(shown)['programs']['bench.mlir']
        tests.report(found['share_of_reference'] == share, f'share of the reference executor on {device}', shown)
        tests.report(found['queued_s'] == found['minimum_s'], f'{device} has no queue', shown)
    with open(saved, encoding='utf-8') as file:
        results = json.load(file)
    tests.report(results == json.loads(run.stdout), 'bench saves what it prints', str(results))
    results['programs']['bench.mlir']['median_s'] = 1e-12
    tests.file('saved.json', json.dumps(results))
    tests.expect('bench against a faster past', bench('--repeat=3', f'--baseline={saved}', add), 1, 'slower')
    results['programs']['bench.mlir']['median_s'] = 1e3
    tests.file('saved.json', json.dumps(results))
    tests.expect('bench against a slower past', bench('--repeat=3', f'--baseline={saved}', add), 0,
                 '-100.0 %')
    tests.expect('bench without a baseline', bench(f'--baseline={add}', add), 1, 'bench.mlir')
    dynamic = tests.file('dynamic.mlir', DYNAMIC)
    tests.expect('bench of unknown sizes', bench('--repeat=3', dynamic), 1, "input 0 ('x')", '--input=',
                 '4x256xf32=random:1')
    for spec in ('x=5xf32=random:1', '5xf32=1', 'x=5xf32=zeros'):
        tests.expect(f'bench with {spec}', bench('--repeat=3', f'--input={spec}', dynamic), 0, 'dynamic.mlir')
    tests.expect('bench of an input that does not fit', bench('--input=5xi32=1', dynamic), 1, 'found tensor<5xi32>')
    tests.expect('bench of a wrong option', bench('--warm-up=0', add), 2, '--warm-up')
    tests.expect('bench of a wrong program', bench(tests.file('bench-wrong.mlir', 'func.func')), 1,
                 'bench-wrong')


def test_errors(tests):
    wrong = tests.file('wrong.mlir', WRONG)
    tests.expect('place and caret', ghlo('run', wrong, '--fill=zeros'), 1,
                 'wrong.mlir:2:', '  %0 = stablehlo.add %x, %y : tensor<2xf32>\n', '^')
    tests.expect('verifier', ghlo('opt', tests.file('mismatch.mlir', MISMATCH)), 1, 'mismatch.mlir:2:', 'stablehlo.add')
    tests.expect('bytecode cut off', ghlo('opt', '-', input='ML\xefR', encoding='latin-1'), 1,
                 '<stdin>: at byte 4, in the header: expected ')
    several = tests.file('several.mlir', ''.join(ADD.replace('@main', f'@{name}') for name in 'fg'))
    for command in (['run', '--fill=zeros'], ['dump', '--stage=plan'], ['bench', '--repeat=1']):
        tests.expect(f'{command[0]} of two public functions',
                     ghlo(*command, several, env={**os.environ, 'ASAN_OPTIONS': 'detect_leaks=0'}), 1,
                     "expected a function 'main' or a single public function to run, found 2 public functions, "
                     '@f and @g')
    tests.expect('a function of two', ghlo('run', '--fill=zeros', '--function=g', several), 0)
    tests.expect('a function that is not there', ghlo('run', '--function=h', several), 1,
                 "expected --function= to name a function with a body, found 'h'")
    tests.expect('no command', ghlo(), 2, 'Usage: ghlo')
    tests.expect('unknown command', ghlo('frobnicate'), 2, "no command 'frobnicate'")
    tests.expect('unknown option', ghlo('run', '--frobnicate'), 2, 'ghlo run --help')


def test_check(tests):
    checks = tests.file('checks.mlir', CHECKS)
    for command in ('run', 'check'):
        tests.expect(f'{command}: a call of LAPACK', ghlo(command, tests.file('lapack.mlir', LAPACK)), 1,
                     "3:8: 'stablehlo.custom_call @lapack_spbtrf_ffi': expected a known call target",
                     "jax.export.export (..., platforms=['tpu'])", 'ghlo_client_register_custom_call ()', "'Qr'")
    tests.expect('a check that fails', ghlo('check', checks), 1, 'FAIL', '@wrong', '0 passed, 1 failed, 0 skipped')
    tests.expect('a check that fails after all passes',
                 ghlo('check', '--passes=O0', '--passes=O1', '-', input=CHECKS), 1,
                 'FAIL - with --passes=O0', 'FAIL - with --passes=O1', '0 passed, 2 failed, 0 skipped')
    tests.expect('a check that holds after all passes',
                 ghlo('check', '-v', '--passes=O0', '--passes=O1', '-', input=CHECKS.split('// -----')[0]), 0,
                 'PASS - with --passes=O0', 'PASS - with --passes=O1', '2 passed, 0 failed, 0 skipped')
    tests.expect('a check that holds', ghlo('check', tests.file('right.mlir', CHECKS.split('// -----')[0])), 0,
                 '1 passed, 0 failed, 0 skipped')
    tests.expect('marked lines', ghlo('check', '--diagnostics', tests.file('marked.mlir', MARKED)), 1,
                 'marked.mlir:11: expected an error in this line, found none', '1 passed, 1 failed, 0 skipped')
    tests.expect('round trip', ghlo('check', '--round-trip', '--no-run', checks), 0, '1 passed')
    for name, program, text, options in UNRUN:
        path = tests.file('unrun.mlir', program)
        tests.expect(f'check: {name}', ghlo('check', *options, path), 0, f'SKIP {path}', text,
                     '0 passed, 0 failed, 1 skipped')
        tests.expect(f'check: {name}, read alone', ghlo('check', '--no-run', path), 0, '1 passed')
    nothing = os.path.join(tests.folder, 'nothing')
    os.mkdir(nothing)
    tests.expect('a folder without programs', ghlo('check', nothing), 1,
                 f"expected .mlir files in the folder '{nothing}', found none")
    tests.expect('what no artifact holds', ghlo('check', '--artifacts', '--no-run', '-', input=CHANNEL), 0, '1 passed')


def test_dump(tests):
    half = tests.file('half.mlir', HALF)
    parsed = ghlo('dump', '--stage=parsed', half)
    tests.expect('dump: the program as it is', parsed, 0, 'divide', 'multiply')
    tests.report(parsed.stdout == ghlo('opt', half).stdout, 'dump: parsed is what opt prints')
    reference = ghlo('dump', '--device=reference', half)
    tests.report(reference.stdout == parsed.stdout, 'dump: the reference device has no passes', reference.stdout)
    passes = ghlo('dump', '--device=cpu', half)
    tests.report('divide' not in passes.stdout and 'dense<5.000000e-01>' in passes.stdout,
                 'dump: the program after passes', passes.stdout)
    tests.report(ghlo('dump', '-O2', '--device=reference', half).stdout == passes.stdout,
                 'dump: a level for the reference device')
    for option in ('-O0', '--optimize=0', '--disable=canonicalize,fold'):
        run = ghlo('dump', '--device=cpu', option, half)
        tests.report(run.returncode == 0 and run.stdout == parsed.stdout, f'dump: {option}', run.stdout)
    run = ghlo('dump', '--device=cpu', half, env={**os.environ, 'GHLO_DISABLE': 'canonicalize,fold'})
    tests.report(run.stdout == parsed.stdout, 'dump: GHLO_DISABLE', run.stdout)
    run = ghlo('dump', '-O1', '--report', '--generic', half)
    tests.expect('dump: report', run, 0, '"stablehlo.multiply"', 'canonicalize', 'operations became')
    layer = tests.file('layer.mlir', LAYER)
    fused = ghlo('dump', '--device=cpu', '--stage=fusion', layer)
    tests.expect('dump: fusion', fused, 0,
                 '// epilogue: stablehlo.dot_general at 2:8 + stablehlo.add at 3:8: merge 1\n',
                 ' + stablehlo.negate at 4:8: merge 2\n',
                 '@ghlo.fusion.epilogue.')
    again = tests.file('again.mlir', fused.stdout)
    fill = '--fill=random:3'
    tests.report(ghlo('run', '--device=reference', fill, '--full', again).stdout
                 == ghlo('run', '--device=reference', fill, '--full', layer).stdout != '',
                 'dump: fusions run on the reference device')
    artifact = tests.file('again.mlirbc', '')
    tests.expect('an artifact with fusions', ghlo('convert', again, artifact), 0)
    tests.report(ghlo('dump', '--stage=parsed', artifact).stdout == ghlo('dump', '--stage=parsed', again).stdout,
                 'dump: fusions are kept in an artifact')
    tests.report(ghlo('dump', '--device=cpu', '--stage=plan', '-O0', again).stdout
                 == ghlo('dump', '--device=cpu', '--stage=plan', layer).stdout, 'dump: fusions are read and planned')
    for number, merges in [('0', 0), ('1', 1), ('2', 2)]:
        run = ghlo('dump', '--device=cpu', '--stage=plan', layer, env={**os.environ, 'GHLO_FUSE': number})
        tests.report(run.stdout.count(' + ') == merges, f'dump: GHLO_FUSE={number}', run.stdout)
    tests.expect('dump: GHLO_FUSE stops', ghlo('dump', '--device=cpu', '--stage=fusion', layer,
                                               env={**os.environ, 'GHLO_FUSE': '1'}), 0,
                 'no, GHLO_FUSE allows no more merges')
    for command in (['dump', '--stage=fusion'], ['opt', '--passes=fuse-epilogues']):
        tests.expect(f'{command[0]}: GHLO_FUSE', ghlo(*command, layer, env={**os.environ, 'GHLO_FUSE': 'two'}), 2,
                     "expected a number of merges from 0 to 2147483647 in GHLO_FUSE, found 'two'")
    for option in ('--disable=fuse-epilogues,fuse-maps', '-O0'):
        run = ghlo('dump', '--device=cpu', '--stage=fusion', option, layer)
        tests.report(run.returncode == 0 and 'composite' not in run.stdout, f'dump: fusion with {option}', run.stdout)
    tests.report('composite' not in ghlo('dump', '--device=reference', '-O2', '--stage=fusion', layer).stdout,
                 'dump: the reference device does no fusions')
    tests.expect('dump: plan', ghlo('dump', '--device=cpu', '--stage=plan', half), 0, 'plan:', 'in0', 'out0')
    tests.expect('dump: no plan', ghlo('dump', '--device=reference', '--stage=plan', half), 1,
                 "the device 'reference' makes no plan")
    tests.expect('dump: passes', ghlo('dump', '--disable=help'), 0, 'inline', 'fold-transposes')
    for arguments, text in [(['--stage=ast', half], "found 'ast'"), (['-O4', half], "found '-O4'"),
                            (['--disable=fuse', half], "found 'fuse'"), (['--device=abacus', half], "'abacus'"),
                            ([], 'expected one FILE')]:
        tests.expect(f'dump: usage {arguments[:1]}', ghlo('dump', *arguments), 2, text)
    tests.expect('dump: nothing to run', ghlo('dump', '--device=cpu', '--stage=plan', tests.file('empty.mlir', '')), 1,
                 "expected a function 'main' or a single public function to run, found no public function")


def test_code(tests):
    """Of kernels; with LLVM and without."""
    program = tests.file('kernel.mlir', KERNEL)
    environment = {**os.environ, 'XDG_CACHE_HOME': tests.folder, 'GHLO_CACHE': ''}
    without = {**environment, 'GHLO_DISABLE': 'llvm'}
    code = ghlo('dump', '--device=cpu', '--stage=code', program, env=environment)
    has_code = '@kernel(' in code.stdout
    tests.report(code.returncode == 0 and (has_code or '; the kernel reduction runs in strips: ' in code.stdout),
                 'dump: machine code', code.stdout + code.stderr)
    tests.expect('dump: no machine code', ghlo('dump', '--device=cpu', '--stage=code', program, env=without), 0,
                 '# step 0\n; the kernel reduction runs in strips: ', "GHLO_DISABLE names 'llvm'")
    tests.expect('dump: no kernel', ghlo('dump', '--device=cpu', '--stage=code', tests.file('add.mlir', ADD)), 0)
    runs = [ghlo('run', '--device=cpu', '--fill=random:3', '--wait-for-code', program, env=each)
            for each in (environment, environment, without)]
    tests.report(all(run.returncode == 0 and run.stdout == runs[0].stdout for run in runs) and runs[0].stdout,
                 'run: with and without machine code', runs[0].stderr)
    listed = ghlo('cache', 'list', env=environment).stdout
    rows = [row for row in json.loads(ghlo('cache', '--json', env=environment).stdout) if 'kernel' in row]
    tests.report(('machine code of the kernel reduction' in listed) == has_code
                 and [row['kernel'] for row in rows] == ['reduction'] * has_code, 'cache: machine code', listed)
    tests.expect('bench: waits', ghlo('bench', '--device=cpu', '--repeat=3', '--wait-for-code', program,
                                      env=environment), 0, 'kernel.mlir')
    ghlo('cache', 'clear', env=environment)
    os.rmdir(os.path.join(tests.folder, 'ghlo-1.0'))


def test_cache(tests):
    def cache(*arguments):
        return ghlo('cache', *arguments, env={**os.environ, 'XDG_CACHE_HOME': tests.folder})

    folder = os.path.join(tests.folder, 'ghlo-1.0')
    tests.report(cache('path').stdout == folder + '\n', 'cache: path', cache('path').stdout)
    tests.report(cache().stdout == '' and cache('list', '--json').stdout == '[]\n', 'cache: no folder')
    tests.expect('cache: empty', cache('size'), 0, '0 files, 0 bytes of at most 268435456')
    os.mkdir(folder, 0o700)
    tests.file('ghlo-1.0/0123456789abcdef', 'not one of ours')
    tests.file('ghlo-1.0/README', 'of somebody')
    tests.expect('cache: a damaged file', cache('list'), 0, '0123456789abcdef', 'damaged')
    rows = json.loads(cache('--json').stdout)
    tests.report([(row['name'], row['size']) for row in rows] == [('0123456789abcdef', 15)], 'cache: JSON', str(rows))
    tests.report(json.loads(cache('size', '--json').stdout) == {'files': 1, 'bytes': 15, 'limit': 268435456},
                 'cache: size as JSON')
    tests.expect('cache: clear', cache('clear'), 0)
    tests.report(os.listdir(folder) == ['README'], 'cache: other files stay', str(os.listdir(folder)))
    tests.expect('cache: usage', cache('drop'), 2, "found 'drop'")
    os.remove(os.path.join(folder, 'README'))
    os.rmdir(folder)
    os.symlink('/', folder)
    tests.expect('cache: a link is no folder', cache('clear'), 1, 'cannot be opened')
    os.remove(folder)


def test_listings(tests):
    add = tests.file('add.mlir', ADD)
    tests.expect('help', ghlo('--help'), 0, 'check', 'convert', 'devices', 'info', 'ops', 'opt', 'run')
    for command in ('check', 'convert', 'devices', 'info', 'ops', 'opt', 'run'):
        tests.expect(f'help of {command}', ghlo(command, '--help'), 0, 'Usage:')
    tests.expect('version', ghlo('--version'), 0, 'ghlo 0.')
    tests.expect('devices', ghlo('devices'), 0, 'cpu          CPU, ', 'reference    Reference executor, ')
    tests.expect('generic form', ghlo('opt', '--generic', add), 0, '"stablehlo.add"(')
    tests.expect('passes', ghlo('opt', '--passes=O2', '--report', add), 0, 'stablehlo.add', 'operations became')
    tests.expect('list of passes', ghlo('opt', '--passes=help'), 0, 'inline', 'dce')
    tests.expect('unknown pass', ghlo('opt', '--passes=inline,frobnicate', add), 2, "found 'frobnicate'")
    tests.expect('info', ghlo('info', add), 0, 'inputs     0: x: tensor<2x2xf32>\n           1: y: ', 'stablehlo.add')
    info = json.loads(ghlo('info', '--json', add).stdout)
    tests.report(info['inputs'] == ['tensor<2x2xf32>'] * 2 and info['operation_counts']['stablehlo.add'] == 1
                 and info['input_names'] == ['x', 'y'] and info['output_names'] == [None],
                 'info as JSON', str(info))
    ops = json.loads(ghlo('ops', '--json').stdout)
    missing = [op['name'] for op in ops if op['reference'] == 'no']
    tests.report(len(ops) > 180 and not missing, 'every operation runs on the reference device', str(missing))
    states = {op['name']: op['devices'] for op in ops}
    tests.report(all(states[name]['cpu'] == state and states[name]['reference'] != 'steps' for name, state in [
        ('stablehlo.add', 'steps'), ('stablehlo.dot_general', 'steps'), ('stablehlo.sort', 'steps'),
        ('chlo.top_k', 'steps'), ('stablehlo.fft', 'steps'), ('stablehlo.infeed', 'reference'),
        ('stablehlo.while', 'plan'), ('stablehlo.transpose', 'plan'), ('stablehlo.constant', 'plan'),
        ('func.return', 'structure')]),
        'operations by device', str(states))
    tests.report(all(set(each.values()) <= {'steps', 'plan', 'reference', 'structure'} for each in states.values()),
                 'each operation runs on each device', str(states))
    n_steps = sum(each['cpu'] == 'steps' for each in states.values())
    tests.expect('operations as a table', ghlo('ops'), 0, 'operation ', ' cpu ',
                 f'{n_steps} operations have steps on the device cpu\n', 'operations run on the reference device\n')
    tests.expect('operations for the documentation', ghlo('ops', '--markdown'), 0,
                 '| operation | what it does | verified | reference | cpu |', '| yes | yes | steps |')
    devices = {device['name']: device for device in json.loads(ghlo('devices', '--json').stdout)}
    cpu, reference = devices['cpu'], devices['reference']
    tests.report(cpu['vector_level'] in ('baseline', 'avx2', 'avx512') and reference['vector_level'] is None
                 and reference['model'] is None and 0 < cpu['memory'] <= cpu['machine_memory']
                 and all(name.split()[0] in ('oneDNN', 'OpenBLAS') for name in cpu['libraries'])
                 and cpu['kind'] == 'cpu' and 'libraries' not in reference, 'devices as JSON', str(devices))
    lines = ['  kind       cpu', f'  vectors    {cpu["vector_level"]}', ', of which programs may use ',
             f'  features   {", ".join(cpu["features"])}',
             f'  libraries  {", ".join(cpu["libraries"]) or "none"}']
    tests.expect('devices with what they are', ghlo('devices'), 0, *lines,
                 *([f'  model      {cpu["model"]}'] if cpu['model'] else []))
    tests.expect('a lower vector level', ghlo('devices', env={**os.environ, 'ONEDNN_MAX_CPU_ISA': 'SSE41'}), 0,
                 '  vectors    baseline')
    limited = json.loads(ghlo('devices', '--json', env={**os.environ, 'GHLO_MEMORY_LIMIT': '1G'}).stdout)
    tests.report(limited[0]['memory'] == 1 << 30, 'devices: the memory limit', str(limited))

    closed = subprocess.run(f'"{TOOL}" ops | head -1', shell=True, capture_output=True, text=True, check=False)
    tests.report(closed.stderr == '', 'a reader that leaves early', closed.stderr)


def test_vulkan(tests):
    """What is known of a Vulkan device, where there is one, before and after a program is compiled for it."""
    # A software device takes seconds to compile what Mesa has not kept.
    mesa = os.environ.get('XDG_CACHE_HOME', os.path.expanduser('~/.cache'))
    environment = {**os.environ, 'XDG_CACHE_HOME': tests.folder, 'MESA_SHADER_CACHE_DIR': mesa, 'GHLO_CACHE': ''}
    kernel = tests.file('kernel.mlir', KERNEL)

    def device():
        found = json.loads(ghlo('devices', '--json', env=environment).stdout)
        return next((each for each in found if each['name'] == 'vulkan:0'), None)

    before = device()
    if before is None:
        tests.report(True, 'devices: Vulkan # SKIP there is no Vulkan device')
        return
    numbers = {'flushes', 'composes', 'leaves_to_cpu'}
    # The least that Vulkan asks for.
    tests.report(before['largest_allocation'] >= 1 << 30 and before['shared_memory'] >= 16384 and before['heaps']
                 and before['subgroup_size'] >= 1 and 'i64' in before['features'] and not numbers & before.keys(),
                 'devices: limits of a Vulkan device', str(before))
    for _ in range(2):
        run = ghlo('run', '--device=vulkan', '--fill=random:3', '--time', kernel, env=environment)
        found = re.search(r'; pipelines: (\d+) made, (\d+) found on disk\n', run.stderr)
        tests.report(run.returncode == 0 and found and int(found[1]) + int(found[2]) > 0, 'run: pipelines', run.stderr)
    shown = ghlo('bench', '--device=vulkan', '--repeat=3', '--format=json', kernel,
                 env={**environment, 'GHLO_DISABLE': 'unified-memory'}).stdout
    found = json.loads(shown)['programs']['kernel.mlir']
    tests.report(found['queued_s'] > 0 and found['share_of_roofline'] < 1, 'bench: runs in a queue', shown)
    after = device()
    tests.report(numbers <= after.keys() and {**after, 'memory_budget': 0, **dict.fromkeys(numbers)}
                 == {**before, 'memory_budget': 0, **dict.fromkeys(numbers)}, 'devices: how a Vulkan device computes',
                 str(after))
    tests.expect('devices: a Vulkan device as text', ghlo('devices', env=environment), 0,
                 f'  subgroup   {after["subgroup_size"]}\n', f'  composes   {", ".join(after["composes"]) or "none"}\n')
    rows = json.loads(ghlo('cache', '--json', env=environment).stdout)
    tests.report([row['measurement'] for row in rows if 'measurement' in row] == [after['title']],
                 'cache: how a Vulkan device computes', str(rows))
    tests.expect('cache: what is of a Vulkan device', ghlo('cache', 'list', env=environment), 0,
                 f'  measured arithmetic of {after["title"]}\n')
    ghlo('cache', 'clear', env=environment)
    os.rmdir(os.path.join(tests.folder, 'ghlo-1.0'))


def complete(*words):
    """What completion offers."""
    path = os.path.dirname(os.path.abspath(TOOL)) + ':' + os.environ.get('PATH', '')
    run = subprocess.run(['bash', '-c', COMPLETE, COMPLETION, *words], capture_output=True, text=True, check=False,
                         env={**os.environ, 'PATH': path})
    return run.stdout.split()


def test_completion(tests):
    add = tests.file('completed.mlir', ADD)
    for words, offered in ((('ghlo', 'co'), ['convert']), (('ghlo', 'convert', '--ta'), ['--target=']),
                           (('ghlo', 'convert', '--to', '='), ['text', 'bytecode']),
                           (('ghlo', 'convert', '--to', '=', 'b'), ['bytecode']),
                           (('ghlo', 'dump', '--stage', '='),
                            ['parsed', 'passes', 'fusion', 'plan', 'kernels', 'code']),
                           (('ghlo', 'cache', 'c'), ['clear']),
                           (('ghlo', 'info', add[:-3]), [add]), (('ghlo', 'run', '--input', '=', add[:-3]), [add])):
        found = complete(*words)
        tests.report(found == offered, f'completion of {" ".join(words[1:3])}', f'expected {offered}, found {found}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        tests = Tests(folder)
        test_run(tests)
        test_input_names(tests)
        test_numbers(tests)
        test_arguments(tests)
        test_mark(tests)
        test_errors(tests)
        test_profile(tests)
        test_bench(tests)
        test_check(tests)
        test_code(tests)
        test_cache(tests)
        test_dump(tests)
        test_listings(tests)
        test_vulkan(tests)
        test_completion(tests)
        tests.finish()


if __name__ == '__main__':
    main()
