#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a small network in asyncio: every call is awaited and none blocks the loop, a
progress object reports the compile, several runs are under way at once, and a program
that takes too long is cancelled with its task. No GLib main loop is needed.

    asyncio_run.py mlp.mlir collatz.mlir
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator

import gi

gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo, GLib  # noqa: E402

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402


def make_inputs(executable: Ghlo.Executable, scale: float) -> Iterator[npt.NDArray[np.float32]]:
    """Every input filled with multiples of 0.1, 0.2, … 0.9, 0.1, …"""
    for info in executable.list_inputs():
        if tensor_type := info.get_tensor_type():                            # a token has none
            shape = tensor_type.shape
            yield (scale * (np.arange(np.prod(shape)) % 9 + 1)).astype(np.float32).reshape(shape)


async def compile_file(client: Ghlo.Client, path: str) -> Ghlo.Executable:
    progress = Ghlo.Progress()
    progress.connect('notify::fraction', lambda *_: print(f'compiling: {progress.props.fraction * 100:3.0f} %'))
    return await client.compile_async(await Ghlo.Program.load_async(path), progress=progress)


async def main(path: str, slow_path: str) -> None:
    client = Ghlo.Client()
    executable = await compile_file(client, path)
    calls = [executable.execute_async(list(make_inputs(executable, scale))) for scale in (0.1, 0.2, 0.3)]
    for result in await asyncio.gather(*calls):
        with result:
            print('in asyncio:', np.asarray(result[0]).round(4).tolist())

    slow = await compile_file(client, slow_path)
    try:
        await asyncio.wait_for(slow.execute_async([np.int64(2**62)]), timeout=0.1)
    except asyncio.TimeoutError:
        print('cancelled')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(f'usage: {sys.argv[0]} mlp.mlir collatz.mlir')
    try:
        asyncio.run(main(*sys.argv[1:]))
    except GLib.Error as error:
        # The first line is the message for the user; a location in the program may follow.
        sys.exit(error.message)
