#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Complex functions of all pairs of special parts, on each device: what the tables of the documentation say, and the
same values everywhere.

    complex_specials.py PAGE DEVICE…
"""

import math
import os
import re
import struct
import sys
import tempfile

from common import Tap, ghlo

PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, math.inf, -math.inf, math.nan]
NUMBERS = [complex(re, im) for re in PARTS for im in PARTS]
PAIRS = [(x, y) for x in NUMBERS for y in NUMBERS]

UNARY = ['stablehlo.' + name for name in (
    'abs', 'cbrt', 'cosine', 'exponential', 'exponential_minus_one', 'log', 'log_plus_one', 'logistic', 'negate',
    'rsqrt', 'sign', 'sine', 'sqrt', 'tan', 'tanh')]
UNARY += ['chlo.' + name for name in (
    '_asin_acos_kernel', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'conj', 'cosh', 'sinh', 'square')]
BINARY = ['stablehlo.' + name for name in ('add', 'atan2', 'divide', 'multiply', 'power', 'subtract')]

EPSILON = {'f32': 2.0 ** -23, 'f64': 2.0 ** -52}
CODE = {'f32': 'f', 'f64': 'd'}


def save(path, numbers, part):
    header = f"{{'descr': '<c{8 if part == 'f32' else 16}', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
    header = header.ljust(117) + '\n'
    floats = [f for number in numbers for f in (number.real, number.imag)]
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
        file.write(struct.pack(f'<{len(floats)}{CODE[part]}', *floats))


def load(path, part):
    with open(path, 'rb') as file:
        content = file.read()
    start = 10 + struct.unpack('<H', content[8:10])[0]
    floats = struct.unpack(f'<{(len(content) - start) // struct.calcsize(CODE[part])}{CODE[part]}', content[start:])
    if b'<c' in content[:start]:
        return [complex(*floats[i:i + 2]) for i in range(0, len(floats), 2)]
    return [complex(f, 0) for f in floats]


def program(part):
    """All functions of one input each, or of two."""
    one, two = (f'tensor<{len(inputs)}xcomplex<{part}>>' for inputs in (NUMBERS, PAIRS))
    lines, names, types = [], [], []
    for i, name in enumerate(UNARY + BINARY):
        unary = i < len(UNARY)
        type_ = one if unary else two
        types.append(type_ if name != 'stablehlo.abs' else f'tensor<{len(NUMBERS)}x{part}>')
        names.append(f'%r{i}')
        signature = f'({type_}) -> {types[-1]}' if unary else f'({type_}, {type_}) -> {type_}'
        lines.append(f'  %r{i} = "{name}"({"%z" if unary else "%x, %y"}) : {signature}')
    return '\n'.join([f'func.func @main(%z: {one}, %x: {two}, %y: {two}) -> ({", ".join(types)}) {{', *lines,
                      f'  return {", ".join(names)} : {", ".join(types)}', '}', ''])


def run(folder, part, device, options, environment):
    """Returns {function: results}, or what went wrong."""
    path = os.path.join(folder, 'program.mlir')
    with open(path, 'w', encoding='utf-8') as file:
        file.write(program(part))
    for name, numbers in ('z', NUMBERS), ('x', [x for x, _ in PAIRS]), ('y', [y for _, y in PAIRS]):
        save(os.path.join(folder, name + '.npy'), numbers, part)
    made = ghlo('run', path, f'--device={device}', *options, f'--output-dir={folder}',
                *(f'--input={name}={folder}/{name}.npy' for name in 'zxy'), env={**os.environ, **environment})
    if made.returncode != 0:
        return made.stderr
    return {name: load(f'{folder}/out{i}.npy', part) for i, name in enumerate(UNARY + BINARY)}


def same_part(found, expected, error):
    if math.isnan(found) or math.isnan(expected):
        return math.isnan(found) and math.isnan(expected)
    if found == expected:
        return math.copysign(1, found) == math.copysign(1, expected)
    return math.isfinite(found) and math.isfinite(expected) and abs(found - expected) <= error


def same(found, expected, epsilon):
    size = max(abs(part) for part in (1, expected.real, expected.imag) if math.isfinite(part))
    return all(same_part(*parts, 4 * epsilon * size)
               for parts in zip((found.real, found.imag), (expected.real, expected.imag)))


def compare(tap, name, found, expected, part):
    """That one device gives what the reference executor does."""
    for function in UNARY + BINARY:
        operands = NUMBERS if function in UNARY else PAIRS
        wrong = [f'of {x}: expected {b}, found {a}' for x, a, b in zip(operands, found[function], expected[function])
                 if not same(a, b, EPSILON[part])]
        tap.report(not wrong, f'{function} of {part} on {name}', '\n'.join(wrong))


PART_WORDS = {
    'any': lambda x: True, 'finite': math.isfinite, 'not finite': lambda x: not math.isfinite(x),
    'infinite': math.isinf, 'nan': math.isnan,
}


def is_part(word, x):
    if word in PART_WORDS:
        return PART_WORDS[word](x)
    return math.isclose(x, float(word), rel_tol=1e-6)


def size(x, y):
    """The logarithm of the absolute value of a power."""
    infinite = math.isinf(x.real) or math.isinf(x.imag)
    absolute = math.inf if infinite else abs(x)
    logarithm = math.log(absolute) if absolute != 0 else -math.inf
    return y.real * logarithm - y.imag * math.atan2(x.imag, x.real)


def is_finite(x):
    return math.isfinite(x.real) and math.isfinite(x.imag)


WORDS = {
    'any': lambda x, _: True, 'not finite': lambda x, _: not is_finite(x),
    'real, above 0': lambda x, _: x.imag == 0 and x.real > 0,
    'real, above 1': lambda x, _: x.imag == 0 and x.real > 1,
    'real, from 0 to 1': lambda x, _: x.imag == 0 and 0 < x.real < 1,
    'real part above 0': lambda x, _: x.real > 0,
    'absolute value 0': lambda y, x: size(x, y) == -math.inf,
}


def is_number(words, x, base=None):
    """Whether @x is what a cell of a table says."""
    if words in WORDS:
        return WORDS[words](x, base)
    parts = words.strip('()').split(', ') if words.startswith('(') else [words, '0']
    return is_part(parts[0], x.real) and is_part(parts[1], x.imag)


def tables(page):
    """Yields the cells of each row of a table of functions, and of that of powers as a function of two."""
    with open(page, encoding='utf-8') as file:
        for line in file:
            cells = re.split(r' *\| *', line.strip())[1:-1]
            if len(cells) < 4 or cells[0] in ('function', 'base x') or cells[0].startswith('---'):
                continue
            yield cells


def check_powers(tap, name, rows, results):
    """The first row that holds applies; the last ones are of numbers that are not finite."""
    wrong, used = [], set()
    for (x, y), found in zip(PAIRS, results):
        row = next((row for row in rows if is_number(row[0], x) and is_number(row[1], y, x)), None)
        used.add(rows.index(row) if row else None)
        if row is None:
            continue
        finite_one = row[2] == '(1, 0)' and is_number('1', found)
        if not finite_one and not is_number(row[2], found):
            wrong.append(f'{x} to {y}: the page says {row[2]}, found {found}')
    wrong += [f'no number is of row {i}' for i in range(len(rows)) if i not in used]
    tap.report(not wrong and len(rows) > 0, f'powers of {name} are those of the page', '\n'.join(wrong))


def check_page(tap, name, rows, results):
    by_name = {function.split('.')[1]: function for function in UNARY}
    powers = [row for row in rows if row[0] not in by_name]
    check_powers(tap, name, powers, results['stablehlo.power'])
    wrong = []
    for function, operand, result, *_ in (row for row in rows if row[0] in by_name):
        found = [(x, r) for x, r in zip(NUMBERS, results[by_name[function]]) if is_number(operand, x)]
        wrong += [f'{function} of {x}: the page says {result}, found {r}' for x, r in found
                  if not is_number(result, r)]
        wrong += [] if found else [f'{function}: no number is {operand}']
    tap.report(not wrong, f'functions of {name} are those of the page', '\n'.join(wrong))


HOWS = {
    'reference': [('reference', [], {})],
    'cpu': [('cpu, strips', [], {'GHLO_DISABLE': 'llvm'}), ('cpu, code', ['--wait-for-code'], {})],
    'vulkan': [('vulkan', [], {})],
}


def main():
    page, devices = sys.argv[1], sys.argv[2:]
    rows = list(tables(page))
    tap = Tap()
    for part in 'f32', 'f64':
        expected = None
        for device in devices:
            if device == 'vulkan' and 'vulkan:0' not in ghlo('devices').stdout:
                tap.skip(f'{part} on vulkan', 'there is no Vulkan device')
                continue
            for name, options, environment in HOWS[device]:
                with tempfile.TemporaryDirectory() as folder:
                    results = run(folder, part, device, options, environment)
                if isinstance(results, str):
                    tap.report(False, f'{part} on {name}', results)
                    continue
                check_page(tap, f'{part} on {name}', rows, results)
                if expected is not None:
                    compare(tap, name, results, expected, part)
                expected = expected or results
    tap.finish()


if __name__ == '__main__':
    main()
