# SPDX-License-Identifier: LGPL-2.1-or-later
"""Single-operation programs for same_bits.py: products, convolutions, reductions, solves and transforms of odd
shapes, large enough for several threads, in the types that have routines of their own. Inputs are f32; what
is computed in another type is converted first."""


def tensor(shape, kind='f32'):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"


def program(inputs, kind, result, lines, result_kind=None):
    """A function of f32 inputs, which @lines have in @kind as %x0, %x1 …, and that returns %r."""
    arguments = ', '.join(f'%a{i}: {tensor(shape)}' for i, shape in enumerate(inputs))
    out = tensor(result, result_kind or kind)
    text = [f'func.func @main({arguments}) -> {out} {{']
    for i, shape in enumerate(inputs):
        if kind.startswith('complex'):
            part = kind[8:11]
            text.append(f'  %p{i} = stablehlo.convert %a{i} : ({tensor(shape)}) -> {tensor(shape, part)}')
            text.append(f'  %q{i} = stablehlo.cosine %p{i} : {tensor(shape, part)}')
            text.append(f'  %x{i} = stablehlo.complex %p{i}, %q{i} : {tensor(shape, kind)}')
        else:
            text.append(f'  %x{i} = stablehlo.convert %a{i} : ({tensor(shape)}) -> {tensor(shape, kind)}')
    return '\n'.join([*text, *('  ' + line for line in lines), f'  return %r : {out}', '}', ''])


def product(left, right, contracted, kind='f32', batch=0, tail=()):
    """A product whose first @batch dimensions are batches; @contracted is one dimension of each side."""
    left_free = [size for i, size in enumerate(left) if i >= batch and i != contracted[0]]
    right_free = [size for i, size in enumerate(right) if i >= batch and i != contracted[1]]
    result = [*left[:batch], *left_free, *right_free]
    batches = ', '.join(str(i) for i in range(batch))
    dims = f'batching_dims = [{batches}] x [{batches}], ' if batch else ''
    name = '%d' if tail else '%r'
    line = (f'{name} = stablehlo.dot_general %x0, %x1, {dims}'
            f'contracting_dims = [{contracted[0]}] x [{contracted[1]}] : '
            f'({tensor(left, kind)}, {tensor(right, kind)}) -> {tensor(result, kind)}')
    return program([left, right], kind, result, [line, *(text.replace('TYPE', tensor(result, kind)) for text in tail)])


def heads(batch, n_heads, rows, k, columns, kind='f32'):
    """The end of attention: a product for each head, with the heads' columns side by side in the result."""
    left, right, made = [batch, n_heads, rows, k], [batch, n_heads, k, columns], [batch, n_heads, rows, columns]
    result, flat = [batch, rows, n_heads, columns], [batch, rows, n_heads * columns]
    return program([left, right], kind, flat, [
        f'%d = stablehlo.dot_general %x0, %x1, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : '
        f'({tensor(left, kind)}, {tensor(right, kind)}) -> {tensor(made, kind)}',
        f'%z = stablehlo.constant dense<1.25> : {tensor(made, kind)}',
        f'%s = stablehlo.add %d, %z : {tensor(made, kind)}',
        f'%t = stablehlo.transpose %s, dims = [0, 2, 1, 3] : ({tensor(made, kind)}) -> {tensor(result, kind)}',
        f'%r = stablehlo.reshape %t : ({tensor(result, kind)}) -> {tensor(flat, kind)}'])


def convolution(image, taps, result, window, numbers='[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]', groups=(1, 1),
                kind='f32'):
    line = (f'%r = stablehlo.convolution(%x0, %x1) dim_numbers = {numbers}, window = {{{window}}} '
            f'{{feature_group_count = {groups[0]} : i64, batch_group_count = {groups[1]} : i64}} : '
            f'({tensor(image, kind)}, {tensor(taps, kind)}) -> {tensor(result, kind)}')
    return program([image, taps], kind, result, [line])


def reduction(shape, dims, kind='f32', operation='add', start='0.0'):
    result = [size for i, size in enumerate(shape) if i not in dims]
    return program([shape], kind, result, [
        f'%i = stablehlo.constant dense<{start}> : {tensor([], kind)}',
        f'%r = stablehlo.reduce(%x0 init: %i) applies stablehlo.{operation} across dimensions = {list(dims)} : '
        f'({tensor(shape, kind)}, {tensor([], kind)}) -> {tensor(result, kind)}'])


def cumulative(n, kind='f32'):
    one = tensor([], kind)
    return program([[n]], kind, [n], [
        f'%i = stablehlo.constant dense<0.0> : {one}',
        '%r = "stablehlo.reduce_window"(%x0, %i) ({',
        f'^bb0(%a: {one}, %b: {one}):', f'  %s = stablehlo.add %a, %b : {one}', f'  stablehlo.return %s : {one}',
        f'}}) {{window_dimensions = array<i64: {n}>, padding = dense<[[{n - 1}, 0]]> : tensor<1x2xi64>}} : '
        f'({tensor([n], kind)}, {one}) -> {tensor([n], kind)}'])


def pool(image, result, window, steps, padding, kind, gradient):
    """Maxima over windows, or their gradient by select_and_scatter."""
    one, pads = tensor([], kind), ', '.join(f'[{low}, {high}]' for low, high in padding)
    attributes = (f'window_dimensions = array<i64: {", ".join(map(str, window))}>, '
                  f'window_strides = array<i64: {", ".join(map(str, steps))}>, '
                  f'padding = dense<[{pads}]> : tensor<{len(padding)}x2xi64>')
    start = f'%i = stablehlo.constant dense<{"0.0" if gradient else "-9.0"}> : {one}'
    if gradient:
        return program([image, result], kind, image, [
            start, '%r = "stablehlo.select_and_scatter"(%x0, %x1, %i) ({', f'^bb0(%a: {one}, %b: {one}):',
            f'  %s = stablehlo.compare GE, %a, %b : ({one}, {one}) -> tensor<i1>',
            '  stablehlo.return %s : tensor<i1>', '}, {', f'^bb0(%a: {one}, %b: {one}):',
            f'  %s = stablehlo.add %a, %b : {one}', f'  stablehlo.return %s : {one}',
            f'}}) {{{attributes}}} : ({tensor(image, kind)}, {tensor(result, kind)}, {one}) -> {tensor(image, kind)}'])
    return program([image], kind, result, [
        start, '%r = "stablehlo.reduce_window"(%x0, %i) ({', f'^bb0(%a: {one}, %b: {one}):',
        f'  %s = stablehlo.maximum %a, %b : {one}', f'  stablehlo.return %s : {one}',
        f'}}) {{{attributes}}} : ({tensor(image, kind)}, {one}) -> {tensor(result, kind)}'])


def solve(batch, n, sides, kind):
    """Solves of matrices with a large diagonal, so that the solution stays small; or, without sides, their Cholesky
    factors."""
    square, vector = tensor([batch, n, n], kind), tensor([batch, n, sides], kind)
    places, where = tensor([batch, n, n], 'i32'), tensor([batch, n, n], 'i1')
    result = (f'%r = stablehlo.cholesky %t, lower = true : {square}' if sides == 0 else
              '%r = "stablehlo.triangular_solve"(%t, %x1) {left_side = true, lower = true, unit_diagonal = false, '
              f'transpose_a = #stablehlo<transpose NO_TRANSPOSE>}} : ({square}, {vector}) -> {vector}')
    return program([[batch, n, n], [batch, n, sides]][:1 + (sides > 0)], kind, [batch, n, sides or n], [
        f'%k = stablehlo.constant dense<{n}.0> : {square}',
        f'%s = stablehlo.divide %x0, %k : {square}',
        f'%m = stablehlo.iota dim = 1 : {places}', f'%n = stablehlo.iota dim = 2 : {places}',
        f'%e = stablehlo.compare EQ, %m, %n : ({places}, {places}) -> {where}',
        f'%o = stablehlo.constant dense<1.0> : {square}',
        f'%t = stablehlo.select %e, %o, %s : {where}, {square}', result])


def lu(batch, n, kind):
    """The factors of square matrices; the rows that were exchanged show in their places."""
    types = [tensor([batch, n, n], kind), tensor([batch, n], 'i32'), tensor([batch, n], 'i32')]
    return program([[batch, n, n]], kind, [batch, n, n], [
        f'%f:3 = stablehlo.custom_call @LuDecomposition(%x0) : ({types[0]}) -> ({", ".join(types)})',
        f'%r = stablehlo.add %f#0, %f#0 : {types[0]}'])


def transform(shape, n_dims, inverse=False, kind='complex<f32>'):
    """A Fourier transform along the last @n_dims dimensions; of real numbers where @kind is real."""
    lengths = ', '.join(str(size) for size in shape[-n_dims:])
    word = ('I' if inverse else '') + 'FFT' if kind.startswith('complex') else 'RFFT'
    result, out = (shape, kind) if word != 'RFFT' else ([*shape[:-1], shape[-1] // 2 + 1], f'complex<{kind}>')
    return program([shape], kind, result, [
        f'%r = stablehlo.fft %x0, type = {word}, length = [{lengths}] : ({tensor(shape, kind)}) -> '
        f'{tensor(result, out)}'], out)


SAME = 'stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]'
PLAIN = 'stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]'


def make_programs():
    """{name: text}"""
    programs = {
        'product-tall': product([1031, 257], [257, 131], (1, 0)),
        'product-square': product([1031, 517], [517, 403], (1, 0)),
        'product-large': product([1537, 1031], [1031, 1291], (1, 0)),
        'product-wide': product([5, 1999], [1999, 1501], (1, 0)),
        'product-transposed': product([301, 517], [301, 613], (0, 0)),
        'product-adjacent': product([307, 611], [409, 611], (1, 1)),
        'product-batch': product([5, 131, 257], [5, 257, 133], (2, 1), batch=1),
        'product-small-batch': product([517, 7, 5], [517, 5, 9], (2, 1), batch=1),
        'product-epilogue': product([517, 301], [301, 403], (1, 0), tail=[
            '%z = stablehlo.constant dense<1.25> : TYPE', '%s = stablehlo.add %d, %z : TYPE',
            '%r = stablehlo.maximum %s, %z : TYPE']),
        'vector-rows': product([1, 2999], [2999, 2003], (1, 0)),
        'vector-columns': product([2003, 2999], [2999], (1, 0)),
        'convolution-one-image': convolution([1, 57, 61, 13], [3, 3, 13, 67], [1, 57, 61, 67], SAME),
        'convolution-images': convolution([7, 29, 31, 21], [3, 3, 21, 35], [7, 29, 31, 35], SAME),
        'convolution-steps': convolution(
            [3, 57, 61, 32], [5, 3, 32, 40], [3, 27, 30, 40],
            'stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]'),
        'convolution-spread': convolution(
            [3, 57, 61, 32], [3, 3, 32, 40], [3, 53, 57, 40],
            'stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2]'),
        'convolution-points': convolution([3, 57, 61, 37], [1, 1, 37, 41], [3, 57, 61, 41], PLAIN),
        'convolution-groups': convolution([3, 57, 61, 48], [3, 3, 12, 96], [3, 57, 61, 96], SAME, groups=(4, 1)),
        'convolution-few-features': convolution([3, 57, 61, 48], [3, 3, 2, 72], [3, 57, 61, 72], SAME, groups=(24, 1)),
        'convolution-to-one': convolution([3, 57, 61, 48], [3, 3, 48, 1], [3, 57, 61, 1], SAME, kind='f64'),
        'convolution-batch-groups': convolution([6, 29, 31, 24], [3, 3, 24, 48], [2, 29, 31, 48], SAME, groups=(1, 3)),
        'gradient-data': convolution(
            [3, 28, 29, 32], [3, 3, 32, 48], [3, 57, 59, 48],
            'stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]'),
        'convolution-channels-first': convolution([3, 21, 29, 31], [35, 21, 3, 3], [3, 35, 29, 31], SAME,
                                                  '[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]'),
        'gradient-weights-channels-first': convolution([16, 24, 31, 33], [16, 40, 31, 33], [40, 24, 3, 3], SAME,
                                                       '[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]'),
        'gradient-weights': convolution([16, 31, 33, 24], [31, 33, 16, 40], [24, 3, 3, 40], SAME,
                                        '[f, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f]'),
        'gradient-weights-one-image': convolution([1, 131, 67, 24], [131, 67, 1, 40], [24, 3, 3, 40], SAME,
                                                  '[f, 0, 1, b]x[0, 1, i, o]->[b, 0, 1, f]'),
        'convolution-f64': convolution([3, 29, 31, 16], [3, 3, 16, 24], [3, 29, 31, 24], SAME, kind='f64'),
        'convolution-bf16': convolution([3, 29, 31, 32], [3, 3, 32, 64], [3, 29, 31, 64], SAME, kind='bf16'),
        **{f'pool-{name}-{kind}': pool([3, 57, 61, 37], [3, 29, 31, 37], [1, 3, 3, 1], [1, 2, 2, 1],
                                       [[0, 0], [1, 1], [1, 1], [0, 0]], kind, name == 'gradient')
           for name in ('maxima', 'gradient') for kind in ('f32', 'f64')},
        'multiply': reduction([1031, 517], [1], operation='multiply', start='1.0'),
        'solve-f32': solve(1, 201, 517, 'f32'), 'solve-f64': solve(1, 201, 517, 'f64'),
        'solve-lanes-f32': solve(77, 21, 11, 'f32'), 'solve-lanes-f64': solve(77, 21, 11, 'f64'),
        'solve-batch-f32': solve(5, 67, 37, 'f32'), 'solve-bf16': solve(3, 67, 37, 'bf16'),
        'cholesky-f32': solve(1, 301, 0, 'f32'), 'cholesky-f64': solve(1, 301, 0, 'f64'),
        'cholesky-lanes-f32': solve(137, 13, 0, 'f32'), 'cholesky-lanes-f64': solve(61, 13, 0, 'f64'),
    }
    for kind in 'f32', 'f64', 'complex<f32>', 'complex<f64>':
        programs[f'lu-{kind}'.replace('<', '-').replace('>', '')] = lu(61, 19, kind)
    for kind in 'f32', 'f64':
        programs[f'transform-rows-{kind}'] = transform([531, 512], 1, kind=kind)
        programs[f'transform-line-{kind}'] = transform([1 << 18], 1, kind=f'complex<{kind}>')
        programs[f'transform-prime-{kind}'] = transform([3, 10007], 1, True, f'complex<{kind}>')
        programs[f'transform-image-{kind}'] = transform([3, 77, 211, 130], 3, True, f'complex<{kind}>')
    for kind in 'f64', 'complex<f32>', 'complex<f64>', 'bf16', 'f16':
        name = kind.replace('<', '-').replace('>', '')
        programs[f'product-{name}'] = product([259, 301], [301, 263], (1, 0), kind)
        programs[f'product-{name}-small'] = product([517, 7, 5], [517, 5, 9], (2, 1), kind, batch=1)
    programs['product-f64-large'] = product([517, 613], [613, 701], (1, 0), 'f64')
    programs['product-f64-batch'] = product([61, 43, 47], [61, 47, 53], (2, 1), 'f64', batch=1)
    for kind in 'f32', 'f64', 'bf16', 'f16':
        programs[f'heads-{kind}'] = heads(3, 7, 131, 67, 41, kind)
    for kind in 'f64', 'bf16', 'f16':
        programs[f'vector-rows-{kind}'] = product([1, 2999], [2999, 501], (1, 0), kind)
        programs[f'vector-columns-{kind}'] = product([501, 2999], [2999], (1, 0), kind)
    for kind in 'f32', 'f64', 'bf16', 'f16':
        for dims in [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]:
            name = ''.join(str(i) for i in dims)
            programs[f'sum-{kind}-{name}'] = reduction([67, 131, 73], dims, kind)
        programs[f'sum-{kind}-long'] = reduction([1500007], [0], kind)
        programs[f'sum-{kind}-narrow-columns'] = reduction([517, 301, 31], [1], kind)
        programs[f'sum-{kind}-short-rows'] = reduction([30011, 29], [1], kind)
        programs[f'cumulative-{kind}'] = cumulative(300007, kind)
    return programs
