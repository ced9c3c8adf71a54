#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs one of the windows of examples/gtk on an X server of its own: it processes
frames and gives the right bytes, tells what is wrong, and leaves with status 0
within two seconds when it is closed at any moment.

    test_apps.py [--times=N] [--seed=N] --model=edges.mlir -- COMMAND…
"""

import argparse
import collections
import hashlib
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import gi

gi.require_version('GdkPixbuf', '2.0')
from gi.repository import GdkPixbuf  # noqa: E402

import numpy as np  # noqa: E402

FRAMES = 12
LEAVE_WITHIN = 2.0
HANGS_AFTER = 60
STAGES = ('Loading', 'Compiling', 'Uploading', 'Running')

# What takes long to load and compile, and what never ends; both take and give what
# the window wants.
HEAD = '''func.func public @main(%picture: tensor<224x225x3xui8>, %frame: tensor<i32>)
    -> (tensor<224x225x3xui8>, tensor<i32>) {
  %v0 = stablehlo.constant dense<0> : tensor<i32>
'''
ADD = '  %v{} = stablehlo.add %v{}, %frame : tensor<i32>\n'
ENDLESS = HEAD + '''  %0 = stablehlo.while(%n = %frame) : tensor<i32>
    cond {
      %go = stablehlo.compare GE, %n, %v0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      stablehlo.return %n : tensor<i32>
    }
  return %picture, %0 : tensor<224x225x3xui8>, tensor<i32>
}
'''
TAIL = '''  return %picture, %v{} : tensor<224x225x3xui8>, tensor<i32>
}}
'''
BROKEN = HEAD + '''  return %picture, %missing : tensor<224x225x3xui8>, tensor<i32>
}
'''
OTHER = '''func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
'''


def large_program(n):
    return HEAD + ''.join(ADD.format(i + 1, i) for i in range(n)) + TAIL.format(n)


def expected_checksum(path, frames):
    """What edges.mlir makes of a picture in the given frame, by NumPy."""
    pixbuf = GdkPixbuf.Pixbuf.new_from_file(path)
    width, height, stride = pixbuf.get_width(), pixbuf.get_height(), pixbuf.get_rowstride()
    assert stride > 3 * width, 'expected a picture with padded rows'
    rows = np.frombuffer(pixbuf.read_pixel_bytes().get_data() + bytes(stride), np.uint8)[:height * stride]
    picture = rows.reshape(height, stride)[:, :3 * width].reshape(height, width, 3)
    bright = (picture.astype(np.int32) @ np.array([77, 150, 29], np.int32)) >> 8
    bright = np.pad(bright, 1, mode='edge')
    across, down = bright[:, 2:] - bright[:, :-2], bright[2:] - bright[:-2]
    across = across[:-2] + 2 * across[1:-1] + across[2:]
    down = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    lines = np.minimum((abs(across) + abs(down)) >> 1, 255).astype(np.uint8)
    column = frames * 2 % width
    shown = picture.copy()
    shown[:, :column] = lines[:, :column, None]
    return hashlib.md5(shown.tobytes()).hexdigest()


class Display:
    """An X server without a screen, on a number that it finds itself."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ['Xvfb', '-displayfd', str(writer), '-screen', '0', '800x700x24', '-nolisten', 'tcp'],
            pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            raise SystemExit('Bail out! Xvfb does not start')
        return ':' + number

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()


class Run:
    """One run of the window, to its end: status, output, and the time from its
    being closed to its end."""

    def __init__(self, command, environment, *arguments):
        process = subprocess.Popen([*command, *arguments], env=environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        hangs = threading.Timer(HANGS_AFTER, process.kill)
        hangs.start()
        errors = []
        reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
        reader.start()
        self.output, self.closed_in, closing = '', None, None
        for line in process.stdout:
            self.output += line
            if line.startswith('closing: '):
                self.closed_in, closing = line.split(': ')[1].strip(), time.monotonic()
        reader.join()
        self.status = process.wait()
        self.left_after = time.monotonic() - closing if closing else None
        hangs.cancel()
        self.errors = errors[0]

    def problem(self):
        """What is wrong with a run that was to be closed; None when nothing is."""
        if self.status != 0:
            return f'exit status {self.status}'
        if self.left_after is None:
            return 'it was not closed'
        if self.left_after > LEAVE_WITHIN:
            return f'{self.left_after:.2f} s until it left'
        return None

    def __str__(self):
        return f'status {self.status}\n{self.output}{self.errors}'


class Tests:
    def __init__(self, options, display, folder):
        self.options = options
        self.folder = folder
        self.count = self.failed = 0
        self.environment = dict(os.environ, DISPLAY=display, GDK_BACKEND='x11', GSK_RENDERER='cairo',
                                GTK_A11Y='none', G_DEBUG='fatal-criticals', GTK_USE_PORTAL='0',
                                GSETTINGS_BACKEND='memory', GIO_USE_VFS='local', NO_AT_BRIDGE='1',
                                XDG_RUNTIME_DIR=folder)
        self.environment.pop('WAYLAND_DISPLAY', None)

    def run(self, *arguments):
        return Run(self.options.command, self.environment, *arguments)

    def ok(self, good, name, detail=''):
        self.count += 1
        self.failed += not good
        print(f'{"ok" if good else "not ok"} {self.count} - {name}')
        if not good:
            print(''.join(f'# {line}\n' for line in str(detail).splitlines()), end='')
        sys.stdout.flush()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def test_frames(self):
        picture = os.path.join(os.path.dirname(self.options.model), '..', 'gtk', 'picture.png')
        expected = f'frame {FRAMES}, checksum {expected_checksum(picture, FRAMES)}\n'
        run = self.run(f'--frames={FRAMES}', self.options.model)
        self.ok(run.status == 0 and run.output == expected, f'{FRAMES} frames', f'expected {expected}{run}')

    def test_errors(self):
        """An error is told, in a dialog, and the window with the dialog can be closed."""
        for name, text, pattern in (('broken.mlir', BROKEN, r'^broken\.mlir:4:\d+: .*\n.*%missing'),
                                    ('other.mlir', OTHER, r'^expected .*'),
                                    ('absent.mlir', None, r'absent\.mlir')):
            path = self.write(name, text) if text else os.path.join(self.folder, name)
            run = self.run('--close-after=1000', path)
            good = not run.problem() and run.closed_in == 'Failed' and re.search(pattern, run.errors, re.M)
            self.ok(good, f'the error of {name}', run)

    def press(self, key, *then):
        """Presses a key in the window, a while after it has come, and goes on with xdotool's THEN."""
        return subprocess.Popen(['xdotool', 'search', '--sync', '--onlyvisible', '--name', '^GHLO$', 'windowfocus',
                                 'sleep', '0.7', 'key', key, *then],
                                env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_buttons(self):
        """Cancel stops a run that never ends; the window can be closed while it asks for a file."""
        endless = self.write('endless.mlir', ENDLESS)
        keys = self.press('alt+c')
        run = self.run('--close-after=3000', endless)
        keys.terminate()
        self.ok(not run.problem() and run.closed_in == 'Cancelled', 'the button Cancel', run)

        keys = self.press('alt+o', 'search', '--sync', '--onlyvisible', '--name', '^Open a model$')
        run = self.run('--close-after=3000', endless)
        keys.terminate()
        self.ok(not run.problem() and keys.wait() == 0, 'closed while it asks for a file', run)

    def measure(self, *arguments):
        """About how long the window lives with these arguments, in milliseconds."""
        start = time.monotonic()
        self.run(*arguments)
        return int((time.monotonic() - start) * 1000)

    def test_closing(self):
        times, seed = self.options.times, self.options.seed
        large = self.write('large.mlir', large_program(200000))
        endless = self.write('endless.mlir', ENDLESS)
        # Programs, and the longest time until the window is closed: in a large one it
        # loads and compiles for about that long.
        slow, quick = (large, self.measure('--frames=1', large)), (self.options.model, 1000)
        programs = [slow, quick, slow, quick, (endless, 1000)]
        print(f'# seed {seed}')
        chance = random.Random(seed)
        problems, stages, slowest = [], collections.Counter(), 0
        for i in range(times):
            model, longest = programs[i % len(programs)]
            after = chance.randint(1, longest)
            run = self.run(f'--close-after={after}', model)
            if run.problem():
                problems.append(f'{os.path.basename(model)} closed after {after} ms: {run.problem()}\n{run}')
            else:
                stages[run.closed_in] += 1
                slowest = max(slowest, run.left_after)
        print(f'# closed while {dict(stages)}; the slowest left after {slowest * 1000:.0f} ms')
        self.ok(not problems, f'closed at {times} random moments', '\n'.join(problems))
        if times >= 100:
            missing = [stage for stage in STAGES if not stages[stage]]
            self.ok(not missing, 'among them are all stages', f'none while {missing}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--times', type=int, default=10, help='how many times to close the window')
    parser.add_argument('--seed', type=int, default=random.randrange(2**31))
    parser.add_argument('--model', required=True, help='examples/models/edges.mlir')
    parser.add_argument('command', nargs='+')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Display() as display:
        tests = Tests(options, display, folder)
        tests.test_frames()
        tests.test_errors()
        tests.test_buttons()
        tests.test_closing()
    print(f'1..{tests.count}')
    return 1 if tests.failed else 0


if __name__ == '__main__':
    sys.exit(main())
