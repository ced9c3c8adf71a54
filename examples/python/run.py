#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a small network call by call, then does the same inside a GLib main loop,
where nothing blocks: a compile with progress, a run, and a second program that
takes too long and is cancelled.

    run.py mlp.mlir collatz.mlir
"""

from __future__ import annotations

import sys

import gi

gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo, Gio, GLib, GObject  # noqa: E402

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402


def make_inputs(executable: Ghlo.Executable) -> list[npt.NDArray[np.float32]]:
    """Every input filled with 0.1, 0.2, … 0.9, 0.1, …"""
    types = [info.get_tensor_type() for info in executable.list_inputs()]
    shapes = [tensor_type.shape for tensor_type in types if tensor_type]      # a token has none
    return [(0.1 * (np.arange(np.prod(shape), dtype=np.float32) % 9 + 1)).astype(np.float32).reshape(shape)
            for shape in shapes]


def call_by_call(path: str) -> None:
    program = Ghlo.Program.load(Gio.File.new_for_path(path))
    executable = Ghlo.Client().compile(program)
    (probabilities,) = executable(*make_inputs(executable))
    print('call by call:', np.asarray(probabilities).round(4).tolist())


class App:
    """The state that an application would keep in its window."""

    def __init__(self, path: str, slow_path: str) -> None:
        self.loop = GLib.MainLoop()
        self.client = Ghlo.Client()
        self.cancellable = Gio.Cancellable()
        self.progress = Ghlo.Progress()
        self.progress.connect('notify::fraction', self.on_progress)
        self.slow_path: str | None = slow_path
        self.status = 0
        self.load(path)

    def run(self) -> int:
        self.loop.run()
        return self.status

    def load(self, path: str) -> None:
        Ghlo.Program.load_async(Gio.File.new_for_path(path), self.cancellable, self.on_loaded)

    def on_loaded(self, _source: None, result: Gio.AsyncResult) -> None:
        try:
            program = Ghlo.Program.load_finish(result)
        except GLib.Error as error:
            return self.end(error)
        self.client.compile_async(program, None, self.progress, self.cancellable, self.on_compiled)

    def on_progress(self, progress: Ghlo.Progress, _pspec: GObject.ParamSpec) -> None:
        print(f'compiling: {progress.props.fraction * 100:3.0f} %')

    def on_compiled(self, client: Ghlo.Client, result: Gio.AsyncResult) -> None:
        try:
            executable = client.compile_finish(result)
        except GLib.Error as error:
            return self.end(error)
        if self.slow_path:
            inputs = [Ghlo.Buffer.from_numpy(array) for array in make_inputs(executable)]
        else:
            inputs = [Ghlo.Buffer.from_numpy(np.int64(2**62))]
            GLib.timeout_add(100, self.cancellable.cancel)
        executable.execute_async(inputs, self.cancellable, self.on_executed)

    def on_executed(self, executable: Ghlo.Executable, result: Gio.AsyncResult) -> None:
        try:
            (output, *_) = executable.execute_finish(result)
        except GLib.Error as error:
            return self.end(error)
        print('in a main loop:', np.asarray(output).round(4).tolist())
        if not self.slow_path:
            return self.loop.quit()
        path, self.slow_path = self.slow_path, None
        self.load(path)

    def end(self, error: GLib.Error) -> None:
        if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED):
            print('cancelled')
        else:
            # The first line is the message for the user; a location in the program may follow.
            print(error.message, file=sys.stderr)
            self.status = 1
        self.loop.quit()


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(f'usage: {sys.argv[0]} mlp.mlir collatz.mlir')
    call_by_call(sys.argv[1])
    sys.exit(App(*sys.argv[1:]).run())
