# SPDX-License-Identifier: LGPL-2.1-or-later
"""The rates of a device, which it reaches itself on plain programs, and what bounds follow from them."""

import os

import families
from families import SIZES, tensor

SHORT = 5e-3             # seconds of a program behind which a larger one is tried
ROUNDS = 2               # of each program, far from each other
CHAIN = 64               # operations on each element, where the rate of operations that are no products is measured
PRODUCTS = ('f32', 'f64', 'bf16', 'f16', 'i8', 'i32')
OTHERS = ('f32', 'f64', 'i32')
DISPATCH = 2.5e-6        # seconds that a program may take for being started, and for waking another thread
# Comparisons of a sort beside sums: each moves numbers to lanes that it decides. NumPy 2.4, whose AVX-512 sorts are
# among the fastest, reaches 1/40 to 1/85 of the sums of a thread in f32 (2^10 to 2^17 numbers, Zen 4).
SORT = 16
BINARY = ('divide', 'power', 'atan2', 'remainder')


def copy_program(size):
    """Moves twice as many bytes."""
    kind = tensor('f32', [size // 4])
    return (f'func.func @main(%a: {kind}) -> {kind} {{\n  %0 = stablehlo.negate %a : {kind}\n'
            f'  return %0 : {kind}\n}}\n')


def product_program(kind, n):
    result = 'i32' if kind == 'i8' else kind
    a, c = tensor(kind, [n, n]), tensor(result, [n, n])
    return (f'func.func @main(%a: {a}, %b: {a}) -> {c} {{\n'
            f'  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({a}, {a}) -> {c}\n'
            f'  return %0 : {c}\n}}\n')


def chain_program(kind, n):
    """Sums and products in turns."""
    a, lines, last = tensor(kind, [n]), [], '%a'
    for number in range(CHAIN):
        operation, other = (('multiply', '%a'), ('add', '%b'))[number % 2]
        lines.append(f'  %{number} = stablehlo.{operation} {last}, {other} : {a}')
        last = f'%{number}'
    return f'func.func @main(%a: {a}, %b: {a}) -> {a} {{\n' + '\n'.join(lines) + f'\n  return {last} : {a}\n}}\n'


def function_program(name, kind, n):
    a = tensor(kind, [n])
    return (f'func.func @main(%a: {a}, %b: {a}) -> {a} {{\n'
            f'  %0 = stablehlo.{name} {"%a, %b" if name in BINARY else "%a"} : {a}\n  return %0 : {a}\n}}\n')


def list_functions():
    """Functions and the types that they are drawn of."""
    of = {name: ('f32', 'f64') for name in (*families.FLOAT_UNARY, *families.FLOAT_BINARY)}
    for name in (*families.INTEGER_UNARY, *families.INTEGER_BINARY):
        of[name] = (*of.get(name, ()), 'i32', 'i64')
    return [(name, kind) for name in sorted(families.FUNCTIONS) for kind in of[name]]


def make_ladders():
    """By name, programs that do the same on more and more: pairs of the work and the text."""
    ladders = {'copy': [(float(2 << bits), copy_program(1 << bits)) for bits in range(13, 29, 2)],
               'dispatch': [(1.0, copy_program(4))]}
    for kind in PRODUCTS:
        ladders[f'product {kind}'] = [(2.0 * n ** 3, product_program(kind, n)) for n in (256, 512, 1024, 2048, 4096)]
    for kind in OTHERS:
        ladders[f'chain {kind}'] = [(float(CHAIN * n), chain_program(kind, n)) for n in (1 << 16, 1 << 20, 1 << 24)]
    for name, kind in list_functions():
        ladders[f'{name} {kind}'] = [(float(n), function_program(name, kind, n)) for n in (1 << 15, 1 << 20)]
    return ladders


def find_seconds(found):
    """The least seconds of a run of what bench has found. Devices with a queue have those of runs that don't wait for
    each other, which leave out what the host takes to see the end of one."""
    return min(found['minimum_s'], found['queued_s'])


def climb(ladders, folder, bench):
    """By name, pairs of the work and the least seconds of the programs, as far as they are short: the larger ones would
    take minutes on a slow device. bench(paths) says what it has measured by file name."""
    found = {name: [] for name in ladders}
    for step in range(max(map(len, ladders.values()))):
        going = {f'{name}-{step}.mlir'.replace(' ', '-'): name for name, ladder in ladders.items()
                 if len(ladder) > step and len(found[name]) == step
                 and all(seconds < SHORT for _, seconds in found[name])}
        if not going:
            break
        for file_name, name in going.items():
            with open(os.path.join(folder, file_name), 'w', encoding='utf-8') as file:
                file.write(ladders[name][step][1])
        rounds = [bench([os.path.join(folder, file_name) for file_name in going]) for _ in range(ROUNDS)]
        for file_name, name in going.items():
            times = [find_seconds(results[file_name]) for results in rounds if file_name in results]
            if times:
                found[name].append((ladders[name][step][0], min(times)))
    return found


def find_rates(found):
    """The rates of what climb has found: bytes/s by the bytes that are moved, operations/s by type, seconds of a
    dispatch. Memory is as fast for less as for more, and a type has the unit of a wider one at least."""
    def most(name):
        return max((work / seconds for work, seconds in found.get(name, ())), default=0.0)
    moved, best = [], 0.0
    for work, seconds in reversed(found['copy']):
        best = max(best, work / seconds)
        moved.insert(0, (work, best))
    others = {kind: most(f'chain {kind}') for kind in OTHERS}
    others['f32'] = max(others['f32'], 2 * others['f64'])
    products = {kind: most(f'product {kind}') for kind in PRODUCTS}
    products['f32'] = max(products['f32'], 2 * products['f64'])
    for kind in ('bf16', 'f16', 'i8'):
        products[kind] = max(products[kind], products['f32'])
    products['i32'] = max(products['i32'], others['i32'])
    functions = {f'{name} {kind}': most(f'{name} {kind}') or others[kind.replace('i64', 'i32')]
                 for name, kind in list_functions()}
    functions.update({f'sort {kind}': rate / SORT for kind, rate in (*others.items(), ('i64', others['i32'] / 2))})
    return {'moved': moved, 'products': products, 'others': others, 'functions': functions,
            'dispatch': max(found['dispatch'][0][1], DISPATCH)}


def rate_of_bytes(rates, n):
    """The rate of the least memory that n bytes fit, as far as it has been measured."""
    return next((rate for size, rate in rates['moved'] if size >= n), rates['moved'][-1][1])


def units_of(kind, rates):
    """The rates of products and of other operations of a type; integers have lanes as floats of their size have."""
    is_integer = kind[0] in 'iu'
    products = rates['products'].get(kind) or rates['products']['i32' if is_integer else 'f32']
    if is_integer:
        return products, rates['others']['i32'] * (4 / SIZES[kind])
    return products, rates['others']['f64' if kind == 'f64' else 'f32']


def find_bound(cell, found, rates):
    """Seconds, and what they are for."""
    products, others = units_of(cell['kind'], rates)
    n_others = max(found['operations'] - found['product_operations'] - sum(cell['functions'].values()), 0)
    functions = sum(n / rates['functions'][name] for name, n in cell['functions'].items())
    parts = {'bytes': (found['bytes'] + cell['more_bytes']) / rate_of_bytes(rates, found['bytes']),
             'operations': found['product_operations'] / products + n_others / others + functions,
             'dispatch': rates['dispatch']}
    name = max(parts, key=parts.get)
    return parts[name], name


def describe(rates):
    caches, memory = max(rate for _, rate in rates['moved']), rates['moved'][-1][1]
    products, others = (', '.join(f'{kind} {rate / 1e9:.3g}' for kind, rate in rates[name].items())
                        for name in ('products', 'others'))
    return (f'rates: {memory / 1e9:.3g} GB/s of memory, {caches / 1e9:.3g} of caches; GOP/s of products {products}, of '
            f'others {others}; a dispatch {rates["dispatch"] * 1e6:.2f} µs')
