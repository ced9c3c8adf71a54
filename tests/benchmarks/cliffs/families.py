# SPDX-License-Identifier: LGPL-2.1-or-later
"""The families of the benchmark: each draws a program as StableHLO text from a random.Random, of any shape, layout,
alignment and type that the operation has. FAMILIES has them by name."""

import collections
import dataclasses
import math

FLOATS = ('f32', 'f32', 'f64', 'bf16', 'f16')
ALL = (*FLOATS, 'i8', 'i32', 'i64')
SIZES = {'f64': 8, 'i64': 8, 'ui64': 8, 'f32': 4, 'i32': 4, 'ui32': 4, 'bf16': 2, 'f16': 2, 'i16': 2, 'i8': 1, 'i1': 1}
# Those that take longer than a sum or two, of floats and of integers.
FUNCTIONS = {'exponential', 'tanh', 'logistic', 'sqrt', 'rsqrt', 'log', 'sine', 'cosine', 'cbrt', 'log_plus_one',
             'exponential_minus_one', 'divide', 'power', 'atan2', 'remainder', 'popcnt', 'count_leading_zeros'}
MOST_BYTES = 1 << 24      # of one tensor
MOST_PRODUCTS = 6e8       # operations of a product


@dataclasses.dataclass
class Cell:
    """A program, the type of its operations, how many elements it computes of functions that take longer than a sum, by
    name and type, and the bytes moved beyond inputs and outputs, as the passes of a loop do with what it carries."""

    about: str
    text: str
    kind: str
    functions: dict
    more_bytes: float


def tensor(kind, dims):
    return f'tensor<{"".join(f"{size}x" for size in dims)}{kind}>'


def wide_of(kind):
    """The type in which functions of a type are computed at best."""
    return ('i64' if kind.endswith('64') else 'i32') if kind[0] in 'iu' else 'f64' if kind == 'f64' else 'f32'


def listed(numbers):
    return ', '.join(map(str, numbers))


def array(numbers):
    return f'array<i64: {listed(numbers)}>' if len(numbers) else 'array<i64>'


def count(dims):
    return math.prod(dims)


class Program:
    """Text of a function that is written operation by operation."""

    def __init__(self):
        self.arguments, self.lines, self.types = [], [], {}
        self.result_types = {}    # of operations with several results: by the name of each
        self.functions = collections.Counter()
        self.notes = []           # on inputs that are not taken as they are

    def take(self, kind, dims):
        name = f'%a{len(self.arguments)}'
        self.types[name] = kind, tuple(dims)
        self.arguments.append(f'{name}: {tensor(kind, dims)}')
        return name

    def add(self, text, kind, dims, n=1):
        """Adds an operation with a result of a type; text is what is behind the equals sign."""
        name = f'%{len(self.lines)}'
        self.lines.append(f'{name}{f":{n}" if n > 1 else ""} = {text}')
        self.types[name] = kind, tuple(dims)
        return name

    def type(self, name):
        return tensor(*self.types[name])

    def note(self, operation, x):
        """Counts the elements of functions."""
        kind, dims = self.types[x]
        if operation in FUNCTIONS:
            self.functions[operation, wide_of(kind)] += count(dims)

    def unary(self, operation, x):
        self.note(operation, x)
        return self.add(f'stablehlo.{operation} {x} : {self.type(x)}', *self.types[x])

    def binary(self, operation, x, y):
        self.note(operation, x)
        return self.add(f'stablehlo.{operation} {x}, {y} : {self.type(x)}', *self.types[x])

    def constant(self, value, kind, dims=()):
        return self.add(f'stablehlo.constant dense<{value}> : {tensor(kind, dims)}', kind, dims)

    def broadcast(self, x, dims, places):
        kind, _ = self.types[x]
        return self.add(f'stablehlo.broadcast_in_dim {x}, dims = [{listed(places)}] : ({self.type(x)}) -> '
                        f'{tensor(kind, dims)}', kind, dims)

    def transpose(self, x, order):
        kind, dims = self.types[x]
        dims = [dims[place] for place in order]
        return self.add(f'stablehlo.transpose {x}, dims = [{listed(order)}] : ({self.type(x)}) -> {tensor(kind, dims)}',
                        kind, dims)

    def slice(self, x, starts, limits, strides=None):
        kind, dims = self.types[x]
        strides = strides or [1] * len(dims)
        result = [-((start - limit) // stride) for start, limit, stride in zip(starts, limits, strides)]
        parts = ', '.join(f'{start}:{limit}:{stride}' for start, limit, stride in zip(starts, limits, strides))
        return self.add(f'stablehlo.slice {x} [{parts}] : ({self.type(x)}) -> {tensor(kind, result)}', kind, result)

    def convert(self, x, kind):
        dims = self.types[x][1]
        return self.add(f'stablehlo.convert {x} : ({self.type(x)}) -> {tensor(kind, dims)}', kind, dims)

    def reduce(self, x, operation, axes, initial):
        kind, dims = self.types[x]
        result = [size for axis, size in enumerate(dims) if axis not in axes]
        start = self.constant(initial, kind)
        return self.add(f'stablehlo.reduce({x} init: {start}) applies stablehlo.{operation} across dimensions = '
                        f'[{listed(axes)}] : ({self.type(x)}, {tensor(kind, ())}) -> {tensor(kind, result)}',
                        kind, result)

    def text(self, *results):
        types = [self.result_types[name] if '#' in name else self.type(name) for name in results]
        body = '\n'.join(f'  {line}' for line in self.lines)
        return (f'func.func @main({", ".join(self.arguments)}) -> ({", ".join(types)}) {{\n{body}\n'
                f'  return {", ".join(results)} : {", ".join(types)}\n}}\n')

    def cell(self, about, kind, *results, more_bytes=0.0):
        """The finished program."""
        functions = {' '.join(key): n for key, n in self.functions.items()}
        return Cell(', '.join([about, *self.notes]), self.text(*results), kind, functions, more_bytes)


def region(operation, kind, names='xy'):
    """A region of one operation of two scalars."""
    x, y = names
    scalar = tensor(kind, ())
    return (f'^bb0(%{x}: {scalar}, %{y}: {scalar}):\n    %r = stablehlo.{operation} %{x}, %{y} : {scalar}\n'
            f'    stablehlo.return %r : {scalar}\n  ')


def least(kind):
    """The neutral element of maximum."""
    bits = {'f64': '0xFFF0000000000000', 'f32': '0xFF800000', 'bf16': '0xFF80', 'f16': '0xFC00'}
    return bits.get(kind) or str(-(1 << (8 * SIZES[kind] - 1)))


def zero(kind):
    return '0.0' if kind in FLOATS else '0'


def one(kind):
    return '1.0' if kind in FLOATS else '1'


def draw_size(random, most):
    """A size between 1 and most, evenly on a logarithmic scale: sometimes a power of two, or a multiple of 8."""
    size = max(1, int(math.exp(random.uniform(0, math.log(max(most, 1))))))
    how = random.random()
    if how < 0.35:
        return 1 << (size.bit_length() - 1)
    return max(8, size // 8 * 8) if how < 0.55 and most >= 8 else size


def draw_dims(random, rank, kind, most=MOST_BYTES, least_elements=1024):
    """Dimensions of a tensor whose size is drawn evenly on a logarithmic scale."""
    target = math.exp(random.uniform(math.log(least_elements), math.log(most / SIZES[kind])))
    shares = [random.random() + 0.1 for _ in range(rank)]
    dims = [max(1, round(target ** (share / sum(shares)))) for share in shares]
    for axis in range(rank):
        if random.random() < 0.35:
            dims[axis] = 1 << (dims[axis].bit_length() - 1)
    return dims


def take_input(random, program, kind, dims):
    """An input of these dimensions: as it is, or behind a transpose, or as a part that begins anywhere."""
    how, rank = random.random(), len(dims)
    if rank >= 2 and how < 0.15:
        order = random.sample(range(rank), rank)
        program.notes.append(f'input transposed by {order}')
        return program.transpose(program.take(kind, [dims[order.index(axis)] for axis in range(rank)]), order)
    if rank >= 1 and how < 0.3:
        starts, more = [random.choice((0, 0, 1, 3)) for _ in dims], [random.choice((0, 0, 1, 5)) for _ in dims]
        program.notes.append('input a slice')
        whole = program.take(kind, [size + start + end for size, start, end in zip(dims, starts, more)])
        return program.slice(whole, starts, [size + start for size, start in zip(dims, starts)])
    return program.take(kind, dims)


def name_of(kind, *parts):
    """What tells a cell: its type and its parts that are not empty, dimensions with × between them."""
    words = ['×'.join(map(str, part)) if isinstance(part, (list, tuple)) else str(part) for part in parts]
    return ' '.join([kind, *filter(None, words)])


def draw_product(random, rows=None):
    kind = random.choice((*FLOATS, 'i8', 'i32'))
    result = 'i32' if kind == 'i8' else kind
    batch = [draw_size(random, 16) for _ in range(random.choice((0, 0, 0, 1, 2)))]
    while True:
        m, n, k = rows or draw_size(random, 2048), draw_size(random, 4096), draw_size(random, 4096)
        if 2 * count(batch) * m * n * k <= MOST_PRODUCTS and m * n * k > 1 << 12 and (
                count(batch) * max(m * k, n * k, m * n) < 1 << 23):
            break
    program, n_batch = Program(), len(batch)
    sides, contracted = [], []
    for outer in (m, n):
        before = random.random() < 0.5
        sides.append([*batch, *((k, outer) if before else (outer, k))])
        contracted.append(n_batch if before else n_batch + 1)
    lhs, rhs = (take_input(random, program, kind, dims) for dims in sides)
    places = f'batching_dims = [{listed(range(n_batch))}] x [{listed(range(n_batch))}], ' if batch else ''
    out = program.add(f'stablehlo.dot_general {lhs}, {rhs}, {places}contracting_dims = [{contracted[0]}] x '
                      f'[{contracted[1]}] : ({program.type(lhs)}, {program.type(rhs)}) -> '
                      f'{tensor(result, [*batch, m, n])}', result, [*batch, m, n])
    return program.cell(name_of(kind, batch or '', f'{m}×{k}×{n}', f'contracting {contracted[0] - n_batch}, '
                        f'{contracted[1] - n_batch}'), kind, out)


def draw_rows(random):
    return draw_product(random, random.randint(1, 16))


def draw_convolution(random, grouped=False):
    kind, spatial = random.choice((*FLOATS, 'i8')), random.choice((1, 2, 2, 2, 3))
    result = 'i32' if kind == 'i8' else kind
    while True:
        batch, groups = draw_size(random, 8), 1
        inputs, outputs = draw_size(random, 512), draw_size(random, 512)
        if grouped:
            groups = inputs if random.random() < 0.6 else 1 << random.randint(1, 5)
            inputs = math.ceil(inputs / groups) * groups
            outputs = groups * random.choice((1, 1, 1, 2)) if groups == inputs else math.ceil(outputs / groups) * groups
        sizes = [draw_size(random, {1: 4096, 2: 128, 3: 32}[spatial]) for _ in range(spatial)]
        window = [random.choice((1, 3, 3, 3, 5, 7)) for _ in range(spatial)]
        stride, dilation = random.choice((1, 1, 2)), random.choice((1, 1, 1, 2))
        pad = [dilation * (size // 2) for size in window]
        out = [(size + 2 * p - dilation * (w - 1) - 1) // stride + 1 for size, p, w in zip(sizes, pad, window)]
        work = 2 * batch * count(out) * outputs * count(window) * inputs / groups
        if min(out) >= 1 and 1e4 < work <= MOST_PRODUCTS and batch * count(sizes) * max(inputs, outputs) < 1 << 22:
            break
    last = random.random() < 0.5
    letters = listed(range(spatial))
    image = [batch, *sizes, inputs] if last else [batch, inputs, *sizes]
    kernel = [*window, inputs // groups, outputs] if last else [outputs, inputs // groups, *window]
    numbers = (f'[b, {letters}, f]x[{letters}, i, o]->[b, {letters}, f]' if last
               else f'[b, f, {letters}]x[o, i, {letters}]->[b, f, {letters}]')
    dims = [batch, *out, outputs] if last else [batch, outputs, *out]
    program = Program()
    lhs, rhs = take_input(random, program, kind, image), program.take(kind, kernel)
    pads = ', '.join(f'[{p}, {p}]' for p in pad)
    made = program.add(f'stablehlo.convolution({lhs}, {rhs}) dim_numbers = {numbers}, window = {{stride = '
                       f'[{listed([stride] * spatial)}], pad = [{pads}], '
                       f'rhs_dilate = [{listed([dilation] * spatial)}]}} '
                       f'{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({program.type(lhs)}, '
                       f'{program.type(rhs)}) -> {tensor(result, dims)}', result, dims)
    about = name_of(kind, image, 'by', kernel, f'groups {groups}' if groups > 1 else '', f'stride {stride}',
                    f'dilation {dilation}' if dilation > 1 else '')
    return program.cell(about, kind, made)


def draw_grouped(random):
    return draw_convolution(random, grouped=True)


def draw_axes(random, rank):
    return sorted(random.sample(range(rank), random.randint(1, rank)))


def draw_reduction(random):
    kind, rank = random.choice((*ALL, 'i16')), random.randint(1, 4)
    dims = draw_dims(random, rank, kind)
    axes, program = draw_axes(random, rank), Program()
    x = take_input(random, program, kind, dims)
    if random.random() < 0.25:
        return draw_arg_reduction(program, x, axes[-1])
    operation = random.choice(('add', 'add', 'maximum', 'minimum', 'multiply'))
    initial = {'add': zero(kind), 'multiply': one(kind), 'minimum': one(kind), 'maximum': least(kind)}[operation]
    out = program.reduce(x, operation, axes, initial)
    return program.cell(name_of(kind, operation, dims, f'over {axes}'), kind, out)


def draw_arg_reduction(program, x, axis):
    kind, dims = program.types[x]
    places = program.add(f'stablehlo.iota dim = {axis} : {tensor("i32", dims)}', 'i32', dims)
    first, second = program.constant(least(kind), kind), program.constant(0, 'i32')
    result = [size for number, size in enumerate(dims) if number != axis]
    v, i, compare = tensor(kind, ()), tensor('i32', ()), 'FLOAT' if kind in FLOATS else 'SIGNED'
    text = (f'stablehlo.reduce({x} init: {first}), ({places} init: {second}) across dimensions = [{axis}] : '
            f'({program.type(x)}, {tensor("i32", dims)}, {v}, {i}) -> '
            f'({tensor(kind, result)}, {tensor("i32", result)})\n'
            f'   reducer(%x: {v}, %p: {v}) (%y: {i}, %q: {i}) {{\n'
            f'    %c = stablehlo.compare GT, %x, %p, {compare} : ({v}, {v}) -> tensor<i1>\n'
            f'    %d = stablehlo.compare EQ, %x, %p, {compare} : ({v}, {v}) -> tensor<i1>\n'
            f'    %e = stablehlo.compare LT, %y, %q, SIGNED : ({i}, {i}) -> tensor<i1>\n'
            f'    %f = stablehlo.and %d, %e : tensor<i1>\n    %g = stablehlo.or %c, %f : tensor<i1>\n'
            f'    %h = stablehlo.select %c, %x, %p : tensor<i1>, {v}\n'
            f'    %j = stablehlo.select %g, %y, %q : tensor<i1>, {i}\n'
            f'    stablehlo.return %h, %j : {v}, {i}\n  }}')
    out = program.add(text, kind, result, n=2)
    program.result_types = {f'{out}#1': tensor('i32', result)}
    return program.cell(name_of(kind, 'argmax', list(dims), f'over [{axis}]'), kind, f'{out}#1')


def draw_softmax(random):
    kind, rank = random.choice(FLOATS), random.randint(1, 4)
    dims = draw_dims(random, rank, kind)
    axis, program = random.choice((rank - 1, rank - 1, random.randrange(rank))), Program()
    rest = [place for place in range(rank) if place != axis]
    x = take_input(random, program, kind, dims)
    most = program.broadcast(program.reduce(x, 'maximum', [axis], least(kind)), dims, rest)
    shifted = program.binary('subtract', x, most)
    powers = program.unary('exponential', shifted)
    total = program.reduce(powers, 'add', [axis], zero(kind))
    if random.random() < 0.3:
        total = program.broadcast(program.unary('log', total), dims, rest)
        return program.cell(name_of(kind, 'log_softmax', dims, f'over {axis}'), kind,
                            program.binary('subtract', shifted, total))
    out = program.binary('divide', powers, program.broadcast(total, dims, rest))
    return program.cell(name_of(kind, 'softmax', dims, f'over {axis}'), kind, out)


def draw_transpose(random):
    kind, rank = random.choice((*ALL, 'i16')), random.randint(2, 5)
    dims, order = draw_dims(random, rank, kind), random.sample(range(rank), rank)
    while order == sorted(order):
        order = random.sample(range(rank), rank)
    program = Program()
    x = program.take(kind, dims)
    return program.cell(name_of(kind, dims, f'order {order}'), kind, program.transpose(x, order))


FLOAT_UNARY = ('exponential', 'tanh', 'logistic', 'sqrt', 'rsqrt', 'log', 'sine', 'cosine', 'negate', 'abs', 'floor',
               'cbrt', 'log_plus_one', 'exponential_minus_one')
INTEGER_UNARY = ('negate', 'abs', 'not', 'popcnt', 'count_leading_zeros')
FLOAT_BINARY = ('add', 'multiply', 'subtract', 'maximum', 'divide', 'power', 'atan2', 'remainder')
INTEGER_BINARY = ('add', 'multiply', 'and', 'xor', 'maximum', 'divide', 'remainder', 'shift_right_logical')


def draw_elementwise(random):
    kind, rank = random.choice(ALL), random.randint(1, 4)
    dims, program, done = draw_dims(random, rank, kind), Program(), []
    x = take_input(random, program, kind, dims)
    for _ in range(random.randint(1, 6)):
        how = random.random()
        if how < 0.35:
            done.append(random.choice(FLOAT_UNARY if kind in FLOATS else INTEGER_UNARY))
            x = program.unary(done[-1], x)
        elif how < 0.8:
            places = sorted(random.sample(range(rank), random.randint(0, rank)))
            y = program.take(kind, [dims[place] for place in places])
            y = y if len(places) == rank else program.broadcast(y, dims, places)
            done.append(random.choice(FLOAT_BINARY if kind in FLOATS else INTEGER_BINARY) + f'{places}')
            x = program.binary(done[-1].split('[', maxsplit=1)[0], x, y)
        elif how < 0.9:
            other = program.take('i1', dims)
            x = program.add(f'stablehlo.select {other}, {x}, {program.take(kind, dims)} : {program.type(other)}, '
                            f'{program.type(x)}', kind, dims)
            done.append('select')
        else:
            kind = random.choice(ALL)
            x = program.convert(x, kind)
            done.append(f'to {kind}')
    return program.cell(name_of(kind, dims, *done), kind, x)


def draw_indices(program, n, size):
    """n places below a size, spread over it without order, of numbers that are computed."""
    counter = program.add(f'stablehlo.iota dim = 0 : {tensor("i32", [n, 1])}', 'i32', [n, 1])
    base = program.take('i32', [n, 1])
    spread = program.binary('add', counter, base)
    spread = program.binary('multiply', spread, program.constant(40503 * 7, 'i32', [n, 1]))
    spread = program.binary('and', spread, program.constant(0x7FFFFFFF, 'i32', [n, 1]))
    return program.binary('remainder', spread, program.constant(size, 'i32', [n, 1]))


def draw_gather(random):
    kind, rank = random.choice(ALL), random.randint(1, 3)
    dims, axis = draw_dims(random, rank, kind), random.randrange(rank)
    slices = [1 if place == axis else size for place, size in enumerate(dims)]
    n = min(max(1, draw_size(random, 1 << 16)), max(1, (MOST_BYTES // SIZES[kind]) // count(slices)))
    program = Program()
    table, places = program.take(kind, dims), draw_indices(program, n, dims[axis])
    rest = [size for place, size in enumerate(dims) if place != axis]
    result = [*rest[:axis], n, *rest[axis:]]
    offsets = [place for place in range(rank) if place != axis]
    out = program.add(f'"stablehlo.gather"({table}, {places}) <{{dimension_numbers = #stablehlo.gather<offset_dims = '
                      f'[{listed(offsets)}], collapsed_slice_dims = [{axis}], start_index_map = [{axis}], '
                      f'index_vector_dim = 1>, slice_sizes = {array(slices)}, indices_are_sorted = false}}> : '
                      f'({program.type(table)}, {program.type(places)}) -> {tensor(kind, result)}', kind, result)
    return program.cell(name_of(kind, f'{n} of axis {axis} of', dims), kind, out)


def draw_scatter(random, sorted_segments=False):
    kind = random.choice(ALL)
    rank = random.randint(1, 3)
    dims = draw_dims(random, rank, kind, MOST_BYTES // 2)
    slices = dims[1:]
    n = min(max(1, draw_size(random, 1 << 16)), max(1, (MOST_BYTES // SIZES[kind]) // max(count(slices), 1)))
    program, operation = Program(), 'add' if sorted_segments else random.choice(('add', 'add', 'maximum', 'replace'))
    if sorted_segments:
        dims[0] = max(1, min(dims[0], n // random.choice((2, 8, 64)) or 1))
        counter = program.add(f'stablehlo.iota dim = 0 : {tensor("i32", [n, 1])}', 'i32', [n, 1])
        places = program.binary('divide', counter, program.constant(max(1, -(-n // dims[0])), 'i32', [n, 1]))
        table = program.constant(zero(kind), kind, dims)
    else:
        table, places = program.take(kind, dims), draw_indices(program, n, dims[0])
    updates = program.take(kind, [n, *slices])
    scalar = tensor(kind, ())
    body = (f'^bb0(%x: {scalar}, %y: {scalar}):\n    stablehlo.return %y : {scalar}\n  ' if operation == 'replace'
            else region(operation, kind))
    numbers = (f'update_window_dims = [{listed(range(1, rank))}], inserted_window_dims = [0], '
               'scatter_dims_to_operand_dims = [0], index_vector_dim = 1')
    out = program.add(f'"stablehlo.scatter"({table}, {places}, {updates}) <{{scatter_dimension_numbers = '
                      f'#stablehlo.scatter<{numbers}>, indices_are_sorted = {str(sorted_segments).lower()}, '
                      f'unique_indices = false}}> ({{\n  {body}}}) : ({program.type(table)}, {program.type(places)}, '
                      f'{program.type(updates)}) -> {tensor(kind, dims)}', kind, dims)
    return program.cell(name_of(kind, operation, f'{n} rows of', dims), kind, out)


def draw_segments(random):
    return draw_scatter(random, sorted_segments=True)


def draw_sort(random):
    kind, rank = random.choice(('f32', 'f32', 'f64', 'bf16', 'i32', 'i64', 'i8')), random.randint(1, 3)
    dims = draw_dims(random, rank, kind, 1 << 21)
    axis, program = random.choice((rank - 1, random.randrange(rank))), Program()
    x = take_input(random, program, kind, dims)
    if random.random() < 0.35:
        k = max(1, min(dims[-1], draw_size(random, 128)))
        result = [*dims[:-1], k]
        out = program.add(f'chlo.top_k({x}, k = {k}) : {program.type(x)} -> ({tensor(kind, result)}, '
                          f'{tensor("i32", result)})', kind, result, n=2)
        program.result_types = {f'{out}#0': tensor(kind, result), f'{out}#1': tensor('i32', result)}
        return program.cell(name_of(kind, f'top {k} of', dims), kind, f'{out}#0', f'{out}#1')
    program.functions['sort', wide_of(kind)] += round(count(dims) * math.log2(max(dims[axis], 2)))
    pair, compare, scalar = random.random() < 0.4, 'TOTALORDER' if kind[0] in 'fb' else 'SIGNED', tensor(kind, ())
    operands, types, names = [x], [program.type(x)], f'%x: {scalar}, %y: {scalar}'
    if pair:
        operands.append(program.take('i32', dims))
        types.append(program.type(operands[1]))
        names += ', %p: tensor<i32>, %q: tensor<i32>'
    text = (f'"stablehlo.sort"({listed(operands)}) <{{dimension = {axis} : i64, is_stable = '
            f'{random.choice(("true", "false"))}}}> ({{\n  ^bb0({names}):\n'
            f'    %r = stablehlo.compare LT, %x, %y, {compare} : '
            f'({scalar}, {scalar}) -> tensor<i1>\n    stablehlo.return %r : tensor<i1>\n  }}) : ({listed(types)}) -> '
            f'({listed(types)})')
    out = program.add(text, kind, dims, n=len(operands))
    results = [f'{out}#{number}' for number in range(len(operands))] if pair else [out]
    program.result_types = dict(zip(results, types))
    return program.cell(name_of(kind, 'pairs' if pair else '', dims, f'along {axis}'), kind, *results)


def add_window(program, x, operation, initial, window, strides, padding):
    kind, dims = program.types[x]
    result = [(size + low + high - w) // stride + 1
              for size, (low, high), w, stride in zip(dims, padding, window, strides)]
    start = program.constant(initial, kind)
    pads = ', '.join(f'[{low}, {high}]' for low, high in padding)
    return program.add(f'"stablehlo.reduce_window"({x}, {start}) <{{window_dimensions = {array(window)}, '
                       f'window_strides = {array(strides)}, padding = dense<[{pads}]> : '
                       f'tensor<{len(dims)}x2xi64>}}> ({{\n  '
                       f'{region(operation, kind)}}}) : ({program.type(x)}, {tensor(kind, ())}) -> '
                       f'{tensor(kind, result)}', kind, result)


def draw_cumulative(random):
    kind, rank = random.choice(ALL), random.randint(1, 3)
    dims, program = draw_dims(random, rank, kind, 1 << 22), Program()
    axis, backward = random.randrange(rank), random.random() < 0.25
    operation = random.choice(('add', 'add', 'maximum'))
    x = take_input(random, program, kind, dims)
    window = [size if place == axis else 1 for place, size in enumerate(dims)]
    more = dims[axis] - 1
    padding = [((0, more) if backward else (more, 0)) if place == axis else (0, 0) for place in range(rank)]
    initial = zero(kind) if operation == 'add' else least(kind)
    out = add_window(program, x, operation, initial, window, [1] * rank, padding)
    return program.cell(name_of(kind, operation, dims, f'along {axis}', 'backward' if backward else ''), kind, out)


def draw_window(random):
    kind, spatial = random.choice(ALL), random.choice((1, 2, 2, 2, 3))
    sizes = [draw_size(random, {1: 8192, 2: 160, 3: 40}[spatial]) + 8 for _ in range(spatial)]
    batch, features = draw_size(random, 8), draw_size(random, 256)
    while batch * features * count(sizes) > 1 << 21:
        batch, features = max(1, batch // 2), max(1, features // 2)
    last, size, program = random.random() < 0.5, random.choice((2, 3, 3, 5, 8)), Program()
    stride, pad = random.choice((1, 2, size)), random.choice((0, size // 2))

    def place(outer, inner):
        return [outer, *inner, outer] if last else [outer, outer, *inner]
    dims = [batch, *sizes, features] if last else [batch, features, *sizes]
    operation = random.choice(('maximum', 'maximum', 'add', 'minimum'))
    x = take_input(random, program, kind, dims)
    out = add_window(program, x, operation, least(kind) if operation == 'maximum' else zero(kind),
                     place(1, [size] * spatial), place(1, [stride] * spatial), place((0, 0), [(pad, pad)] * spatial))
    return program.cell(name_of(kind, operation, dims, f'window {size} of {spatial}', f'stride {stride}'), kind, out)


def draw_fft(random):
    kind, rank = random.choice(('f32', 'f32', 'f64')), random.choice((1, 1, 2))
    real = random.choice(('FFT', 'IFFT', 'RFFT', 'IRFFT'))
    lengths = [random.choice((1 << random.randint(3, 12), random.choice((60, 100, 243, 400, 1000, 1536)),
                              random.choice((7, 31, 127, 509)))) for _ in range(rank)]
    batch = max(1, draw_size(random, max(1, (1 << 19) // count(lengths))))
    wide = f'complex<{kind}>'
    half = [*lengths[:-1], lengths[-1] // 2 + 1]
    source = (kind, lengths) if real == 'RFFT' else (wide, half if real == 'IRFFT' else lengths)
    target = (kind, lengths) if real == 'IRFFT' else (wide, half if real == 'RFFT' else lengths)
    program = Program()
    x = program.take(source[0], [batch, *source[1]])
    out = program.add(f'stablehlo.fft {x}, type = {real}, length = [{listed(lengths)}] : ({program.type(x)}) -> '
                      f'{tensor(target[0], [batch, *target[1]])}', target[0], [batch, *target[1]])
    return program.cell(name_of(kind, real, batch, 'of', lengths), kind, out)


def draw_linalg(random):
    kind, n = random.choice(('f32', 'f32', 'f64')), draw_size(random, 512)
    batch = max(1, draw_size(random, max(1, min(4096, int(2e8 / n ** 3), (1 << 21) // n ** 2))))
    program = Program()
    x = program.take(kind, [batch, n, n])
    # What is far from singular: a multiple of the identity and small numbers around it.
    rows, columns = (program.add(f'stablehlo.iota dim = {axis} : {tensor("i32", [batch, n, n])}', 'i32', [batch, n, n])
                     for axis in (1, 2))
    same = program.add(f'stablehlo.compare EQ, {rows}, {columns}, SIGNED : '
                       f'({program.type(rows)}, {program.type(rows)}) -> {tensor("i1", [batch, n, n])}',
                       'i1', [batch, n, n])
    large, small = program.constant(f'{n + 1.0}', kind, [batch, n, n]), program.constant('0.5', kind, [batch, n, n])
    x = program.add(f'stablehlo.select {same}, {large}, {program.binary("multiply", small, x)} : {program.type(same)}, '
                    f'{program.type(x)}', kind, [batch, n, n])
    if random.random() < 0.5:
        out = program.add(f'stablehlo.cholesky {x}, lower = true : {program.type(x)}', kind, [batch, n, n])
        return program.cell(name_of(kind, 'cholesky', [batch, n, n]), kind, out)
    m = draw_size(random, 256)
    b, lower = program.take(kind, [batch, n, m]), random.choice(('true', 'false'))
    out = program.add(f'"stablehlo.triangular_solve"({x}, {b}) <{{left_side = true, lower = {lower}, unit_diagonal = '
                      f'false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}> : ({program.type(x)}, '
                      f'{program.type(b)}) -> {program.type(b)}', kind, [batch, n, m])
    return program.cell(name_of(kind, 'triangular_solve', [batch, n, n], 'by', m), kind, out)


def draw_loop(random):
    """A loop of a product with a vector, of an elementwise body, or of one that writes a row of what it carries."""
    kind, what = random.choice(FLOATS), random.choice(('product', 'elementwise', 'rows'))
    trips, n, batch = random.randint(8, 256), draw_size(random, 1024), draw_size(random, 16)
    carried = [trips if what == 'rows' else batch, n]
    v, inner = tensor(kind, carried), ''
    program, row = Program(), tensor(kind, [1, n])
    x = program.take(kind, carried)
    w = program.take(kind, {'product': [n, n], 'rows': [trips, n], 'elementwise': carried}[what])
    if what == 'product':
        inner = (f'    %p = stablehlo.dot_general %v, {w}, contracting_dims = [1] x [0] : '
                 f'({v}, {program.type(w)}) -> {v}\n'
                 f'    %n = stablehlo.tanh %p : {v}\n')
    elif what == 'elementwise':
        # A product would become denormal, which is slower than what the bound is made of.
        inner = f'    %p = stablehlo.add %v, {w} : {v}\n    %n = stablehlo.tanh %p : {v}\n'
    else:
        inner = (f'    %s = stablehlo.dynamic_slice {w}, %i, %zero, sizes = [1, {n}] : '
                 f'({program.type(w)}, tensor<i32>, tensor<i32>) -> {row}\n'
                 f'    %t = stablehlo.negate %s : {row}\n'
                 f'    %n = stablehlo.dynamic_update_slice %v, %t, %i, %zero : '
                 f'({v}, {row}, tensor<i32>, tensor<i32>) -> {v}\n')
    program.lines += ['%zero = stablehlo.constant dense<0> : tensor<i32>',
                      '%one = stablehlo.constant dense<1> : tensor<i32>',
                      f'%end = stablehlo.constant dense<{trips}> : tensor<i32>']
    out = program.add(f'stablehlo.while(%i = %zero, %v = {x}) : tensor<i32>, {v}\n  cond {{\n'
                      '    %c = stablehlo.compare LT, %i, %end, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n'
                      f'    stablehlo.return %c : tensor<i1>\n  }} do {{\n{inner}'
                      '    %j = stablehlo.add %i, %one : tensor<i32>\n'
                      f'    stablehlo.return %j, %n : tensor<i32>, {v}\n  }}', kind, carried, n=2)
    program.result_types = {f'{out}#1': v}
    if what != 'rows':
        program.functions['tanh', wide_of(kind)] += trips * count(carried)
    moved = {'product': n * n + 2 * batch * n, 'elementwise': 3 * batch * n, 'rows': 2 * n}[what] * SIZES[kind]
    return program.cell(name_of(kind, what, carried, f'{trips} times'), kind, f'{out}#1',
                        more_bytes=moved * (trips if what != 'rows' else 0))


def draw_pieces(random):
    kind, rank = random.choice((*ALL, 'i16')), random.randint(1, 4)
    dims, program = draw_dims(random, rank, kind, MOST_BYTES // 2), Program()
    axis, what = random.randrange(rank), random.choice(('concatenate', 'pad', 'slice', 'reverse', 'dynamic'))
    x = program.take(kind, dims)
    if what == 'concatenate':
        parts = [x]
        for _ in range(random.randint(1, 4)):
            size = draw_size(random, dims[axis])
            parts.append(program.take(kind, [size if place == axis else d for place, d in enumerate(dims)]))
        result = [sum(program.types[part][1][axis] for part in parts) if place == axis else d
                  for place, d in enumerate(dims)]
        out = program.add(f'stablehlo.concatenate {listed(parts)}, dim = {axis} : '
                          f'({listed([program.type(part) for part in parts])}) -> {tensor(kind, result)}', kind, result)
    elif what == 'pad':
        low, high, inner = ([random.choice(choices) for _ in dims]
                            for choices in ((0, 0, 1, 3), (0, 0, 1, 2), (0, 0, 0, 1)))
        result = [d + a + b + max(d - 1, 0) * c for d, a, b, c in zip(dims, low, high, inner)]
        fill = program.constant(zero(kind), kind)
        out = program.add(f'stablehlo.pad {x}, {fill}, low = [{listed(low)}], high = [{listed(high)}], interior = '
                          f'[{listed(inner)}] : ({program.type(x)}, {tensor(kind, ())}) -> {tensor(kind, result)}',
                          kind, result)
    elif what == 'slice':
        starts = [random.randrange(min(d, 4)) for d in dims]
        strides = [random.choice((1, 1, 2, 3)) for _ in dims]
        out = program.unary('negate' if kind != 'i1' else 'not', program.slice(x, starts, dims, strides))
    elif what == 'reverse':
        axes = draw_axes(random, rank)
        out = program.add(f'stablehlo.reverse {x}, dims = [{listed(axes)}] : {program.type(x)}', kind, dims)
    else:
        starts = [program.take('i32', []) for _ in dims]
        update = program.take(kind, [max(1, d // random.choice((1, 2, 3))) for d in dims])
        out = program.add(f'stablehlo.dynamic_update_slice {x}, {update}, {listed(starts)} : ({program.type(x)}, '
                          f'{program.type(update)}, {listed(["tensor<i32>"] * rank)}) -> {program.type(x)}', kind, dims)
    return program.cell(name_of(kind, what, dims, f'axis {axis}' if what == 'concatenate' else ''), kind, out)


def draw_random_bits(random):
    kind, algorithm = random.choice(('ui32', 'ui32', 'ui64')), random.choice(('THREE_FRY', 'PHILOX', 'DEFAULT'))
    dims = draw_dims(random, random.randint(1, 3), kind)
    program = Program()
    words = 3 if algorithm == 'PHILOX' else 2
    state = program.take('ui64', [words])
    out = program.add(f'stablehlo.rng_bit_generator {state}, algorithm = {algorithm} : ({program.type(state)}) -> '
                      f'({program.type(state)}, {tensor(kind, dims)})', kind, dims, n=2)
    program.result_types = {f'{out}#1': tensor(kind, dims)}
    return program.cell(name_of(kind, algorithm, dims), kind, f'{out}#1')


FAMILIES = {
    'product': draw_product, 'rows': draw_rows, 'convolution': draw_convolution, 'grouped': draw_grouped,
    'reduction': draw_reduction, 'softmax': draw_softmax, 'transpose': draw_transpose, 'elementwise': draw_elementwise,
    'gather': draw_gather, 'scatter': draw_scatter, 'segments': draw_segments, 'sort': draw_sort,
    'cumulative': draw_cumulative, 'window': draw_window, 'fft': draw_fft, 'linalg': draw_linalg, 'loop': draw_loop,
    'pieces': draw_pieces, 'random': draw_random_bits,
}
