#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Numbers that a program states enter the arithmetic of src in known places only.

    check-numbers.py SOURCE_ROOT

Strides, dilations, padding, starts, sizes and trip counts may be any numbers of 64 bits.
The verifier computes with them through checked builtins, ir/window.c limits those of
windows for all steps and kernels, and importers and printers only copy them. Every other
file that reads such a number, or the windows of ir/window.h, is in the tables below with
the reason why nothing that it computes overflows. Rounding up has helpers that cannot
overflow (base/sizes.h), so that nothing else is written as (a + b - 1) / b.
"""

import pathlib
import re
import sys
import tempfile

# Attributes whose numbers no dimension of a tensor bounds by itself, or that a pass may combine.
ATTRIBUTES = '''
    window_dimensions window_strides window_dilations base_dilations lhs_dilation rhs_dilation padding
    edge_padding_low edge_padding_high interior_padding start_indices limit_indices strides slice_sizes
    broadcast_sizes fft_length feature_group_count batch_group_count
'''.split()

# Functions that give the integers of a constant, or of an operand at run time.
FUNCTIONS = '''
    ghlo_ir_value_get_constant ghlo_ir_counted_loop ghlo_value_get_ints ghlo_ir_match_ints
    ghlo_ref_read_indices ghlo_ref_read_ints ghlo_ref_to_ints
'''.split()

READS = re.compile(rf'"(?:{"|".join(ATTRIBUTES)})"|\b(?:{"|".join(FUNCTIONS)}) \(')
WINDOW = re.compile(r'#include "ir/window\.h"')
ROUNDS_UP = re.compile(r'\+ (?:\(\w+\) )?([^,;=?+]+?) - 1\) / (?:\(\w+\) )?\1(?!\w)')

# Where every step of the arithmetic is checked, and where numbers are text.
CHECKED = ('ir/window.c', 'ir/verify/', 'ir/print/', 'ir/assembly.c', 'import/')

# Files that read numbers, and why nothing overflows.
READERS = {
    'compiler/estimate.c': 'trip counts: costs are doubles',
    'cpu/convolution/convolution.c': 'group counts: the verifier has found that they divide sizes',
    'cpu/device.c': 'compared with 0',
    'cpu/convolution/layout.c': 'group counts: compared with sizes',
    'cpu/fft/step-fft.c': 'compared with dimensions',
    'cpu/move/step-gather.c': 'slice sizes: compared with 0',
    'ir/cost.c': 'costs are doubles',
    'ir/loop.c': 'checked builtins; one step beyond the end fits the type of the counter',
    'kernel/lower/convolve.c': 'group counts: compared with sizes',
    'kernel/cumulative.c': 'compared with dimensions, and with each other',
    'kernel/lower/index.c': 'starts and steps inside the operand: affine functions are added by checked helpers',
    'kernel/lower/loop-affine.c': 'checked builtins, within 31 bits',
    'kernel/lower/loop.c': 'counted loops: one step beyond the end fits, affine functions are limited',
    'kernel/lower/dynamic-offset.c': 'slice sizes: at most dimensions of the operand',
    'passes/canonicalize-dynamic.c': 'checked builtins; slices lie inside the operand',
    'passes/canonicalize-moves.c': 'slices lie inside the operand; combined strides by checked builtins',
    'passes/canonicalize-indexing.c': 'writes slice sizes: those of an update',
    'passes/canonicalize-reductions.c': 'compared with 1 and 0',
    'passes/constant.c': 'returns them',
    'passes/fuse/fuse-domain.c': 'compared with 0',
    'passes/fuse/fuse-kernels.c': 'asks whether a loop is counted',
    'passes/expand/einsum.c': 'writes slice sizes: 1, or dimensions of the operand',
    'passes/expand/metal-convolution.c': 'numbers of more than 32 bits are refused',
    'passes/layout/channels-last.c': 'moved to other dimensions as they are',
    'passes/loops/count-loops.c': 'checked builtins',
    'passes/loops/licm.c': 'trip counts: compared, and costs are doubles',
    'passes/loops/products.c': 'writes the dimensions of a type',
    'passes/make.c': 'writes slices that lie inside the operand',
    'pjrt/partition/unreduced.c': 'writes padding up to the dimensions of a type',
    'pjrt/sharding/rule-algebra.c': 'counts them',
    'pjrt/sharding/rule-indexed.c': 'group counts: sizes of factors, which the verifier has found to divide sizes',
    'plan/build-control.c': 'trip counts: kept, and steps are counted in doubles',
    'plan/build-views.c': 'slices inside views of at most GHLO_MAX_TENSOR_BYTES',
    'plan/place.c': 'trip counts: costs are doubles',
    'reference/algebra/contract.c': 'elements of matrices, which wrap',
    'reference/algebra/convolution.c': 'checked builtins',
    'reference/algebra/dot.c': 'elements of matrices, which wrap',
    'reference/algebra/fft.c': 'compared with dimensions',
    'reference/kernel.c': 'returns them',
    'reference/move/broadcast.c': 'a shape, whose number of elements is checked',
    'reference/move/gather.c': 'slice sizes: at most dimensions, and starts are clamped',
    'reference/move/indexing.c': 'returns them',
    'reference/move/iota.c': 'a shape, whose number of elements is checked',
    'reference/move/move.c': 'a shape, whose number of elements is checked',
    'reference/move/shape.c': 'shapes, whose numbers of elements are checked',
    'reference/move/slice.c': 'checked builtins; starts are clamped',
    'reference/random.c': 'a shape, whose number of elements is checked',
    'reference/reduce/reducer.c': 'elements, which wrap',
    'reference/reduce/window.c': 'checked builtins',
    'reference/scalar/numbers.c': 'returns them',
    'gpu/product/convolution.c': 'group counts: the verifier has found that they divide sizes',
    'gpu/steps/fft.c': 'compared with dimensions',
}

# Files that compute with windows, and why products with strides in bytes do not overflow.
WINDOWS = {
    'cpu/convolution/convolution.h': 'holds the window; panels.c copies padded inputs into room that it limits',
    'cpu/move/step-pad.c': 'strides only between elements that the result has',
    'cpu/pooling/pool.c': 'windows and rows have limits of 30 bits',
    'cpu/strips/step-kernel.c': 'compares sizes with strides',
    'ir/verify/window.h': 'the verifier checks everything',
    'kernel/lower/lowering.h': 'domains: sizes, whose product is checked; else affine functions of limited magnitude',
    'kernel/lower/lower.c': 'asks whether the numbers are within the limit',
    'kernel/lower/select-and-scatter.c': 'terms, which the check of kernels limits',
    'passes/split-windows.c': 'moves them to several operations; costs are doubles',
    'passes/rewrite.h': 'declares what writes them',
    'passes/quantized/sums.c': 'sizes, counted in doubles',
    'gpu/product/convolution.c': 'ghlo_ir_window_fits_bytes ()',
}


def strip_comments(text):
    """Comments as blanks, so that line numbers stay."""
    return re.sub(r'/\*.*?\*/', lambda match: re.sub(r'[^\n]', ' ', match.group()), text, flags=re.S)


def check_files(source, readers, windows):
    read, included, n = set(), set(), 0
    for path in sorted(source.rglob('*.[ch]')):
        name, n = path.relative_to(source).as_posix(), n + 1
        code = strip_comments(path.read_text(encoding='utf-8'))
        for number, line in enumerate(code.split('\n'), 1):
            if ROUNDS_UP.search(line):
                yield f'{name}:{number}: expected ghlo_ceil_div () or ghlo_size_ceil_div ()'
            if path.suffix == '.c' and not name.startswith(CHECKED) and READS.search(line):
                read.add(name)
                if name not in readers:
                    yield f'{name}:{number}: reads a number that the program states, and is not in the table'
            if name != 'ir/window.c' and WINDOW.match(line):
                included.add(name)
                if name not in windows:
                    yield f'{name}:{number}: computes with windows, and is not in the table'
    yield from (f'{name}: reads no number of the program: remove it from the table' for name in readers.keys() - read)
    yield from (f'{name}: does not read windows: remove it from the table' for name in windows.keys() - included)
    if n == 0:
        yield 'there are no sources'


def prove():
    """Each rule finds a file that breaks it, and nothing in one that does not."""
    files = {
        'a.c': 'values = ghlo_ir_op_dup_ints (op, "lhs_dilation", &n);\n',
        'b.c': '#include "ir/window.h"\n',
        'c.h': 'return (n + unit - 1) / unit;\n',
        'd.c': '/* "padding", (a + b - 1) / b */\nn = ghlo_ceil_div (a, b) + (a - 1) / b;\n',
        'e.c': 'ok = ghlo_ir_counted_loop (op, &counted);\n',
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_text(text, encoding='utf-8')
        found = {line.split(':')[0] for line in check_files(pathlib.Path(folder), {'d.c': '', 'e.c': ''}, {'a.c': ''})}
        stale = list(check_files(pathlib.Path(folder), {'a.c': '', 'd.c': '', 'e.c': ''}, {'b.c': ''}))
    return found == {'a.c', 'b.c', 'c.h', 'd.c'} and len(stale) == 2


def main():
    problems = list(check_files(pathlib.Path(sys.argv[1]) / 'src', READERS, WINDOWS))
    if not prove():
        problems.append('the check does not find what it looks for')
    print('\n'.join(problems) if problems else
          '\n'.join(f'{name}: {reason}' for table in (READERS, WINDOWS) for name, reason in table.items()))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
