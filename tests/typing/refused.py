#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Code that type checkers refuse, line by line, for the reason in the comment."""

from __future__ import annotations

import numpy as np
from gi.repository import Ghlo, Gio, GLib


def arguments(client: Ghlo.Client, program: Ghlo.Program, executable: Ghlo.Executable, buffer: Ghlo.Buffer) -> None:
    client.compile('model.mlir')                                            # arg-type
    client.compile(program, Ghlo.Progress())                                # arg-type
    client.compile()                                                        # call-arg
    client.compile(program, option=None)                                    # call-arg
    executable.execute(buffer)                                              # arg-type
    executable.execute(np.zeros(3))                                         # arg-type
    executable.execute('1, 2, 3')                                           # arg-type
    executable.execute([GLib.Bytes.new(b'1234')])                           # list-item
    executable('1, 2, 3')                                                   # arg-type
    executable(buffer, cancellable=0)                                       # arg-type
    Ghlo.Buffer.new_from_bytes('tensor<4xui8>', [1, 2, 3, 4])               # arg-type
    Ghlo.Buffer.new_from_int64s('tensor<4xui8>', [0.5])                     # list-item
    Ghlo.Buffer.new_zeros(3)                                                # arg-type
    Ghlo.Buffer.load(b'array.npy')                                          # arg-type
    Ghlo.TensorType('f32', 3)                                               # arg-type
    program.to_text(Ghlo.LoadFlags.NONE)                                    # arg-type


def results(program: Ghlo.Program, result: Ghlo.Result, info: Ghlo.ValueInfo) -> None:
    text: bytes = program.to_text()                                         # assignment
    info.get_tensor_type().shape                                            # union-attr
    result['x']                                                             # call-overload
    result.get_output(0).get_size()                                         # union-attr
    result.outputs                                                          # attr-defined
    print(text + Ghlo.Program.parse(''))                                    # operator


def properties(executable: Ghlo.Executable, progress: Ghlo.Progress) -> None:
    Ghlo.CompileOptions(optimization_level='O3')                            # arg-type
    Ghlo.CompileOptions(level=Ghlo.OptimizationLevel.O3)                    # call-arg
    Ghlo.Session(executable=executable).props.executable = executable       # misc
    progress.props.fraction = 1                                             # misc
    Ghlo.ElementType.F128                                                   # attr-defined


class App:
    def start(self, client: Ghlo.Client, program: Ghlo.Program) -> None:
        client.compile_async(program, None, None, None, self.on_loaded)     # arg-type
        client.compile_async(program, self.on_compiled)                     # call-overload
        Ghlo.Program.load_async('model.mlir', None, self.on_compiled)       # arg-type
        client.compile_async(program).get_report()                          # attr-defined

    def on_loaded(self, _source: None, result: Gio.AsyncResult) -> None:
        Ghlo.Program.load_finish()                                          # call-arg

    def on_compiled(self, client: Ghlo.Client, result: Gio.AsyncResult) -> None:
        client.compile_finish(client)                                       # arg-type


async def awaited(client: Ghlo.Client, program: Ghlo.Program) -> None:
    (await client.compile_async(program)).get_reports()                     # attr-defined
    await client.compile(program)                                           # misc
