# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs and helpers that the tests of the Python binding share."""

import asyncio
import ctypes
import gc
import time

import gi

gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo, Gio, GLib  # noqa: E402, F401

ADD = '''func.func @main(%left: tensor<2x3xf32>, %right: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.add %left, %right : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
'''

TWO = '''func.func @main(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>) {
  %0 = stablehlo.constant dense<5> : tensor<i32>
  return %x, %0 : tensor<?xi32>, tensor<i32>
}
'''

ENDLESS = '''func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %true = stablehlo.constant dense<true> : tensor<i1>
  %0:2 = stablehlo.while(%go = %true, %i = %x) : tensor<i1>, tensor<i32>
    cond {
      stablehlo.return %go : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %i : tensor<i32>
      stablehlo.return %go, %1 : tensor<i1>, tensor<i32>
    }
  return %0#1 : tensor<i32>
}
'''

# An output of 8 MiB out of one number.
FRAME = '''func.func @main(%x: tensor<f32>) -> tensor<2097152xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2097152xf32>
  return %0 : tensor<2097152xf32>
}
'''


def make_long(n_operations):
    """A program that takes its time to be read."""
    lines = ['  %%%d = stablehlo.add %%%s, %%x : tensor<f32>' % (i, i - 1 if i else 'x') for i in range(n_operations)]
    return 'func.func @main(%%x: tensor<f32>) -> tensor<f32> {\n%s\n  return %%%d : tensor<f32>\n}\n' % (
        '\n'.join(lines), n_operations - 1)


def compile_text(text, **options):
    return Ghlo.Client().compile(Ghlo.Program.parse(text), Ghlo.CompileOptions(**options))


def get_rss():
    """The process' memory now, in MiB."""
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * 4096 / 2**20


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        'arena', 'ordblks', 'smblks', 'hblks', 'hblkhd', 'usmblks', 'fsmblks', 'uordblks', 'fordblks', 'keepcost')]


def get_allocated():
    """Bytes that malloc has given to anybody, Python's small objects apart."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    return mallinfo().uordblks


def collect():
    """Drops what only garbage holds, in Python and in pending sources."""
    for _ in range(3):
        gc.collect()
        while GLib.MainContext.default().iteration(False):
            pass


def attempts(limit, most=5):
    """Yields a list for each attempt to append its seconds to, until one takes less than the limit. A busy machine may
    hold one up; what is waited for in vain holds up all of them, and is an error (as in tests/unit/soon.h)."""
    taken = []
    for _ in range(most):
        yield taken
        if taken[-1] < limit:
            return
    raise AssertionError(f'expected less than {limit} s, found {taken}')


async def has_gone_quiet(seconds=2):
    """TRUE when no thread of the process works any more."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        before = time.process_time()
        await asyncio.sleep(0.1)
        if time.process_time() - before < 0.03:
            return True
    return False
