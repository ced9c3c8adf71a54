#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Code that type checkers accept, and the types that they infer; nothing here is run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
from gi.repository import Ghlo, Gio, GLib


def types() -> None:
    assert_type(Ghlo.TensorType('tensor<2xf32>'), Ghlo.TensorType)
    assert_type(Ghlo.TensorType(np.float32, [2]).shape, tuple[int, ...])
    assert_type(Ghlo.TensorType(Ghlo.ElementType.BF16, (2, 3)).get_dimensions(), list[int])
    assert_type(Ghlo.ElementType.to_string(Ghlo.ElementType.F32), str | None)
    assert_type(Ghlo.TensorType.new_quantized('4xi8', 'f32', 0.1, zero_points=[3]), Ghlo.TensorType)
    assert_type(Ghlo.MAJOR_VERSION, int)
    assert_type(Ghlo.get_version(), str)


def buffers(array: npt.NDArray[np.float32]) -> None:
    with Ghlo.Buffer.from_numpy(array, 'bf16') as buffer:
        assert_type(buffer, Ghlo.Buffer)
        assert_type(buffer.shape, tuple[int, ...])
        assert_type(buffer.read(), GLib.Bytes)
        assert_type(buffer.get_host_bytes(), GLib.Bytes | None)
        assert_type(np.asarray(buffer), npt.NDArray[Any])
        assert_type(float(buffer) + len(buffer), float)
        buffer.save('array.npy')
    Ghlo.Buffer.new_from_bytes('tensor<4xui8>', b'1234')
    Ghlo.Buffer.new_from_bytes_strided(Ghlo.TensorType('4xui8'), GLib.Bytes.new(b'1234'), [1])
    Ghlo.Buffer.load(Path('array.npy'), None)


def calls(executable: Ghlo.Executable, array: npt.NDArray[np.float32], buffer: Ghlo.Buffer) -> None:
    (answer,) = executable(array, 0.5, [1, 2], y=buffer, cancellable=Gio.Cancellable())
    assert_type(answer, Ghlo.Buffer)
    result = executable.execute([array, buffer])
    assert_type(result, Ghlo.Result)
    assert_type(result[0], Ghlo.Buffer)
    assert_type(result[1:], list[Ghlo.Buffer])
    assert_type([output.get_size() for output in result], list[int])
    assert_type([info.get_name() for info in executable.list_inputs()], list[str | None])


def sessions(executable: Ghlo.Executable, buffer: Ghlo.Buffer) -> None:
    session = Ghlo.Session(executable=executable, profile=True)
    session.props.profile = False
    assert_type(session.props.executable, Ghlo.Executable | None)
    session.bind_input('weights', buffer)
    session.carry(1, 0, np.zeros(3, np.float32))
    session.carry_all({'weights': [0.5, 1]})
    assert_type(session.run([buffer]), Ghlo.Result)


def options(client: Ghlo.Client) -> None:
    chosen = Ghlo.CompileOptions(optimization_level=Ghlo.OptimizationLevel.O3, disabled_passes=['cse'])
    chosen.props.excess_precision = True
    assert_type([device.get_name() for device in client.list_devices()], list[str])
    program = Ghlo.Program.load('model.mlir')
    assert_type(program.to_text(Ghlo.TextFlags.GENERIC | Ghlo.TextFlags.STRIP_LOCATIONS), str)
    assert_type([found.get_severity() for found in Ghlo.Program.check('text')], list[Ghlo.Severity])


class App:
    def start(self, client: Ghlo.Client, program: Ghlo.Program) -> None:
        client.compile_async(program, None, Ghlo.Progress(), None, self.on_compiled)
        client.compile_async(program, callback=self.on_compiled)
        client.compile_async(program, None, None, None, self.on_named, 'name')
        Ghlo.Program.load_async('model.mlir', None, lambda _source, result: Ghlo.Program.load_finish(result))

    def on_compiled(self, client: Ghlo.Client, result: Gio.AsyncResult) -> None:
        assert_type(client.compile_finish(result), Ghlo.Executable)

    def on_named(self, client: Ghlo.Client, result: Gio.AsyncResult, name: str) -> None:
        print(name)


async def main(client: Ghlo.Client) -> None:
    program = await Ghlo.Program.load_async(Path('model.mlir'))
    executable = await client.compile_async(program, progress=Ghlo.Progress())
    assert_type(executable, Ghlo.Executable)
    run = executable.execute_async([np.float32(1)])
    assert_type(run, asyncio.Future[Ghlo.Result])
    run.cancel()
    assert_type([device.get_name() for device in await client.list_devices_async()], list[str])
