#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sorts digits with a transformer: loads, compiles and runs the program, and prints the time of each step."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

import gi

gi.require_version('Ghlo', '1.0')
from gi.repository import Ghlo, Gio  # noqa: E402

import numpy as np  # noqa: E402

Answer = TypeVar('Answer')


def timed(stage: str, function: Callable[..., Answer], *arguments: Any) -> Answer:
    start = time.perf_counter()
    result = function(*arguments)
    print(f'{stage:8} {(time.perf_counter() - start) * 1e3:8.1f} ms')
    return result


def main() -> None:
    program = timed('load', Ghlo.Program.load, Gio.File.new_for_path(sys.argv[1]), None)
    client = Ghlo.Client()
    executable = timed('compile', client.compile, program, None, None, None)

    right = 0
    for i in range(3):
        digits = np.array([random.randrange(10) for _ in range(10)], np.int32)
        outputs = timed('run', executable, Ghlo.Buffer.from_numpy(digits))
        answer, scores = (np.asarray(output) for output in outputs)
        certainty = np.exp(scores - scores.max(axis=1, keepdims=True))
        certainty = (certainty.max(axis=1) / certainty.sum(axis=1)).min()
        right += np.array_equal(answer, np.sort(digits))
        print(f'  {digits} sorted is {answer}, at least {certainty * 100:.1f} % sure of each digit')
    print(f'{right} of 3 rows are sorted right')


if __name__ == '__main__':
    main()
