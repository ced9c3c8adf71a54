#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs windows of examples/gtk, side by side, each on an X server of its own: it processes
frames and gives the right bytes, shows values, plan, and what a device makes of it, tells
what is wrong, and leaves with status 0 within two seconds when it is closed at any moment.

    test_apps.py [--times=N] [--seed=N] --model=edges.mlir -- LANGUAGE COMMAND… [-- LANGUAGE COMMAND…]

With VIEWER_IMAGES=FOLDER in the environment the window's picture is also written there, as
viewer-NAME.png, in fewer colours:

    VIEWER_IMAGES=$PWD/docs/images meson test -C build --suite gtk
"""

import argparse
import collections
import hashlib
import itertools
import os
import random
import re
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zlib

import gi

gi.require_version('GdkPixbuf', '2.0')
gi.require_version('Ghlo', '1.0')
from gi.repository import GdkPixbuf, Ghlo, Gio  # noqa: E402

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
ENDLESS = HEAD + '''  %v1 = stablehlo.constant dense<1> : tensor<i32>
  %v2 = stablehlo.constant dense<1023> : tensor<i32>
  %0 = stablehlo.while(%n = %frame) : tensor<i32>
    cond {
      %go = stablehlo.compare GE, %n, %v0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %next = stablehlo.add %n, %v1 : tensor<i32>
      %some = stablehlo.and %next, %v2 : tensor<i32>
      stablehlo.return %some : tensor<i32>
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
# Closes the window, once the last key has had time to work.
QUIT = ['sleep', '1', 'search', '--onlyvisible', '--name', '^GHLO$', 'windowfocus', 'key', 'ctrl+w']
TUPLE = '''func.func public @main(%x: tuple<tensor<4xf32>>) -> tuple<tensor<4xf32>> {
  return %x : tuple<tensor<4xf32>>
}
'''
# A picture of floats, and inputs of other kinds and types.
KINDS = '''func.func public @main(%picture: tensor<20x30x3xf32>, %a: !stablehlo.token, %b: tensor<3xi1>,
    %c: tensor<2x4xi8>, %d: tensor<5xbf16>, %e: tensor<0xf64>, %f: tensor<3xcomplex<f32>>)
    -> (tensor<20x30x3xf32>, !stablehlo.token, tensor<2x4xi8>, tensor<0xf64>) {
  return %picture, %a, %c, %e : tensor<20x30x3xf32>, !stablehlo.token, tensor<2x4xi8>, tensor<0xf64>
}
'''
# Of the picture in docs/images, by language: other arguments, and the program.
IMAGES = {'python': (['--frames=60'], 'edges.mlir'),
          'javascript': (['--frames=60', '--pattern'], 'edges.mlir'),
          'vala': (['--frames=1', '--fill=random'], 'collatz.mlir')}
BAR = (0xe6, 0x61, 0x00)        # the colour of the plan's bars


def large_program(n):
    return HEAD + ''.join(ADD.format(i + 1, i) for i in range(n)) + TAIL.format(n)


def load_pixels(path):
    """Rows of pixels of a picture, of 3 or 4 channels."""
    pixbuf = GdkPixbuf.Pixbuf.new_from_file(path)
    width, height, stride = pixbuf.get_width(), pixbuf.get_height(), pixbuf.get_rowstride()
    n = pixbuf.get_n_channels()
    rows = np.frombuffer(pixbuf.read_pixel_bytes().get_data() + bytes(stride), np.uint8)[:height * stride]
    return rows.reshape(height, stride)[:, :n * width].reshape(height, width, n)


def make_pattern(height, width, number):
    """The test pattern that frame NUMBER sees: colour bars over greys, two columns further each time."""
    column = (np.arange(width) + 2 * number) % width
    bar, grey = 7 - column * 8 // width, column * 255 // width
    bars = np.stack([bar >> 1 & 1, bar >> 2 & 1, bar & 1], 1) * 255
    pattern = np.empty((height, width, 3), np.uint8)
    pattern[:height * 3 // 4] = bars
    pattern[height * 3 // 4:] = grey[:, None]
    return pattern


def expected_checksum(picture, frames):
    """What edges.mlir makes of a picture in the given frame, by NumPy."""
    height, width, _ = picture.shape
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


def count_steps(steps):
    """How many rows a plan has; a device without plans has none."""
    return sum(1 + count_steps(step.get_steps()) for step in steps or [])


def expected_plan(path, number=0):
    """The line about the plan of a program on a device, as a regular expression."""
    client = Ghlo.Client()
    device = client.list_devices()[number]
    program = Ghlo.Program.load(Gio.File.new_for_path(path))
    n = count_steps(client.compile(program, Ghlo.CompileOptions(device=device)).get_plan())
    return f'{n} steps on {re.escape(device.get_name())}, {n} measured'


def write_png(path, pixels):
    """Writes pixels in at most 64 shades of each colour: what has few is small."""
    few = pixels[..., :3] & 0xfc | pixels[..., :3] >> 6
    height, width, _ = few.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), few.reshape(height, -1)], 1)
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n')
        for kind, data in ((b'IHDR', struct.pack('>2I5B', width, height, 8, 2, 0, 0, 0)),
                           (b'IDAT', zlib.compress(rows.tobytes(), 9)), (b'IEND', b'')):
            file.write(struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data)))


class Display:
    """An X server without a screen, on a number that it finds itself."""

    def __enter__(self):
        reader, writer = os.pipe()
        self.server = subprocess.Popen(
            ['Xvfb', '-displayfd', str(writer), '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
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


class Results:
    """Those of all windows, as they come."""

    def __init__(self):
        self.lock = threading.Lock()
        self.count = self.failed = 0

    def add(self, good, name, detail):
        with self.lock:
            self.count += 1
            self.failed += not good
            print(f'{"ok" if good else "not ok"} {self.count} - {name}')
            if not good:
                print(''.join(f'# {line}\n' for line in str(detail).splitlines()), end='')
            sys.stdout.flush()


class Tests:
    """Of one language's window."""

    def __init__(self, options, language, command, results, display, folder):
        self.options = options
        self.language = language
        self.command = command
        self.results = results
        self.folder = folder
        self.environment = dict(os.environ, DISPLAY=display, GDK_BACKEND='x11', GSK_RENDERER='cairo',
                                GTK_A11Y='none', G_DEBUG='fatal-criticals', GTK_USE_PORTAL='0',
                                GSETTINGS_BACKEND='memory', GIO_USE_VFS='local', NO_AT_BRIDGE='1',
                                XDG_RUNTIME_DIR=folder)
        self.environment.pop('WAYLAND_DISPLAY', None)

    def run(self, *arguments):
        return Run(self.command, self.environment, *arguments)

    def ok(self, good, name, detail=''):
        self.results.add(good, f'{self.language}: {name}', detail)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def find(self, name):
        """A program of examples/models."""
        return os.path.join(os.path.dirname(self.options.model), name)

    def is_right(self, run, *lines):
        """Whether a run ended well, and printed lines that these match."""
        return run.status == 0 and all(re.search(f'^{line}$', run.output, re.M) for line in lines)

    def test_frames(self):
        picture = load_pixels(self.find('../gtk/picture.png'))
        n = FRAMES
        for name, arguments, pixels in (('frames', [], picture),
                                        ('frames of the test pattern', ['--pattern'],
                                         make_pattern(*picture.shape[:2], n - 1))):
            lines = [f'frame {n}, checksum {expected_checksum(pixels, n)}, .* a second',
                     expected_plan(self.options.model),
                     f'picture: tensor<224x225x3xui8>: {pixels.min()} to {pixels.max()}, mean {pixels.mean():.4g}: .*',
                     'frame: tensor<i32>: 0 at first, then carried', 'frame: tensor<i32>: carried into frame']
            run = self.run(f'--frames={n}', *arguments, self.options.model)
            self.ok(self.is_right(run, *lines), f'{n} {name}', '\n'.join(lines) + f'\n{run}')

    def test_window(self):
        """windows.mlir, whose picture has another size than that of the examples."""
        picture = make_pattern(512, 512, 1)
        bright = (picture.astype(np.int32) @ np.array([77, 150, 29], np.int32)) >> 8
        around = np.pad(bright, 1)
        brightest = np.max([around[i:i + 512, j:j + 512] for i in range(3) for j in range(3)], 0)
        shown = np.repeat((brightest - bright).astype(np.uint8)[:, :, None], 3, 2)
        line = f'frame 2, checksum {hashlib.md5(shown.tobytes()).hexdigest()}, .* a second'
        run = self.run('--frames=2', '--pattern', self.find('windows.mlir'))
        self.ok(self.is_right(run, line), 'windows of 3x3', f'{line}\n{run}')

    def test_values(self):
        """Inputs are filled as asked, outputs summed up, in a program without pictures and with many types."""
        mlp, kinds = self.find('mlp.mlir'), self.write('kinds.mlir', KINDS)
        for name, arguments, path, lines in (
                ('a ramp', ['--frames=3'], mlp, [
                    'frame 3, checksum none, .*', 'b2: tensor<2xf32>: 0, 1', expected_plan(mlp),
                    'x: tensor<4x3xf32>: 0 to 1, mean 0.5: 0, 0.09091, 0.1818, 0.2727, …']),
                ('zeros', ['--frames=1', '--fill=zeros'], mlp, [
                    'b2: tensor<2xf32>: 0, 0', 'probabilities: .*: 0.5 to 0.5, mean 0.5: .*']),
                ('random numbers', ['--frames=1', '--fill=random'], mlp, [
                    'b2: tensor<2xf32>: 0.[0-9]*, 0.[0-9]*', 'x: tensor<4x3xf32>: 0.* to 0.9.*, mean 0.*']),
                ('kinds of inputs', ['--frames=2'], kinds, [
                    'picture: tensor<20x30x3xf32>: 0.[0-9]* to 1, mean 0.[0-9]*: .*', 'b: tensor<3xi1>: 0, 1, 1',
                    'c: tensor<2x4xi8>: 0 to 7, mean 3.5: 0, 1, 2, 3, …',
                    'd: tensor<5xbf16>: 0 to 1, mean 0.5: 0, 0.25, 0.5, 0.75, …',
                    'f: tensor<3xcomplex<f32>>: 0, 0.5, 1'])):
            run = self.run(*arguments, path)
            self.ok(self.is_right(run, *lines), name, '\n'.join(lines) + f'\n{run}')

    def test_screenshot(self):
        """The window's picture shows picture and plan; it goes to docs/images when that is asked for."""
        arguments, name = IMAGES[self.language]
        path = os.path.join(self.folder, 'window.png')
        run = self.run(f'--screenshot={path}', *arguments, self.find(name))
        pixels = load_pixels(path) if os.path.exists(path) else np.zeros((1, 1, 4), np.uint8)
        height, width, _ = pixels.shape
        colours = len(np.unique(pixels.reshape(-1, pixels.shape[2]), axis=0))
        bars = int((pixels[..., :3] == BAR).all(2)[height // 8:, width // 2:].sum())
        good = run.status == 0 and width >= 900 and height >= 580 and colours > 100 and bars > 300
        self.ok(good, 'screenshot', f'{width}x{height} pixels of {colours} colours, {bars} of bars\n{run}')
        if good and 'VIEWER_IMAGES' in os.environ:
            write_png(os.path.join(os.environ['VIEWER_IMAGES'], f'viewer-{self.language}.png'), pixels)

    def test_errors(self):
        """An error is told, in a dialog, and the window with the dialog can be closed."""
        for name, text, pattern in (('broken.mlir', BROKEN, r'^broken\.mlir:4:\d+: .*\n.*%missing'),
                                    ('tuple.mlir', TUPLE, r'^expected inputs that are tensors .* tuple as input 0'),
                                    ('absent.mlir', None, r'absent\.mlir')):
            path = self.write(name, text) if text else os.path.join(self.folder, name)
            run = self.run('--close-after=3000', path)
            good = not run.problem() and run.closed_in == 'Failed' and re.search(pattern, run.errors, re.M)
            self.ok(good, f'the error of {name}', run)

    def press(self, *keys, times=3, until=None, then=()):
        """Presses keys in the window, a while after it has come, and then does xdotool's THEN. The keys are pressed so
        many times, since on a busy machine the window may not be ready; it must make no difference. Where it would,
        they are pressed until there is a window named UNTIL."""
        search = ['xdotool', 'search', '--sync', '--onlyvisible', '--name']
        find = [*search, '^GHLO$', 'windowfocus']
        once = shlex.join(find + ['sleep', '0.2', *sum((['key', key, 'sleep', '0.5'] for key in keys), [])])
        # A window that is just being shown may refuse the focus, which ends xdotool.
        steps = [f'until {shlex.join(find)}; do sleep 0.2; done; sleep 0.7']
        if until is None:
            steps += [once] * times
        else:
            come = shlex.join(['timeout', '2', *search, f'^{until}$'])
            steps.append(f'{once}; until {come}; do {once}; done')
        return subprocess.Popen(['sh', '-c', '; '.join(steps + ([shlex.join(['xdotool', *then])] if then else []))],
                                env=self.environment, start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_buttons(self):
        """Cancel stops a run that never ends, and Run begins another; the window can be closed while it
        asks for a file."""
        endless = self.write('endless.mlir', ENDLESS)
        keys = self.press('alt+c')
        run = self.run('--close-after=6000', endless)
        os.killpg(keys.pid, signal.SIGTERM)
        self.ok(not run.problem() and run.closed_in == 'Cancelled', 'the button Cancel', run)

        keys = self.press('alt+c', 'alt+r', then=QUIT)
        run = self.run('--close-after=9000', endless)
        os.killpg(keys.pid, signal.SIGTERM)
        self.ok(not run.problem() and run.closed_in == 'Running', 'the buttons Cancel and Run', run)

        # While it loads or compiles: Run goes on from there.
        keys = self.press('alt+c', 'alt+r', then=QUIT)
        run = self.run('--close-after=12000', self.write('large.mlir', large_program(100000)))
        os.killpg(keys.pid, signal.SIGTERM)
        good = not run.problem() and run.closed_in not in ('Open a program', 'Cancelled', 'Failed')
        self.ok(good, 'Run after Cancel before a first run', run)

        keys = self.press('alt+o', until='Open a program')
        run = self.run('--close-after=9000', endless)
        os.killpg(keys.pid, signal.SIGTERM)
        self.ok(not run.problem() and keys.wait() == 0, 'closed while it asks for a file', run)

    def test_device(self):
        """Another device compiles the program again, and shows its plan. The keys choose the second device, however
        often they are pressed."""
        model = self.find('mlp.mlir')
        # Other work on the machine may delay the first attempt.
        for wait in (16000, 48000):
            keys = self.press('Escape', 'alt+d', 'space', 'Home', 'Down', 'Return', 'alt+r')
            run = self.run(f'--close-after={wait}', model)
            os.killpg(keys.pid, signal.SIGTERM)
            good = not run.problem() and self.is_right(run, expected_plan(model, 1), 'closing: Ready')
            if good:
                break
        self.ok(good, 'another device', f'{expected_plan(model, 1)}\n{run}')

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
        print(f'# {self.language}: seed {seed}')
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
        print(f'# {self.language}: closed while {dict(stages)}; the slowest left after {slowest * 1000:.0f} ms')
        self.ok(not problems, f'closed at {times} random moments', '\n'.join(problems))
        if times >= 100:
            missing = [stage for stage in STAGES if not stages[stage]]
            self.ok(not missing, 'among them are all stages', f'none while {missing}')


    def test_all(self):
        for test in (self.test_frames, self.test_window, self.test_values, self.test_screenshot, self.test_errors,
                     self.test_buttons, self.test_device, self.test_closing):
            test()


def test_language(options, language, command, results):
    try:
        with tempfile.TemporaryDirectory() as folder, Display() as display:
            Tests(options, language, command, results, display, folder).test_all()
    except BaseException:
        results.add(False, f'{language}: to the end', traceback.format_exc())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--times', type=int, default=10, help='how many times to close the window')
    parser.add_argument('--seed', type=int, default=random.randrange(2**31))
    parser.add_argument('--model', required=True, help='examples/models/edges.mlir')
    words, *windows = [list(words) for is_end, words in itertools.groupby(sys.argv[1:], lambda word: word == '--')
                       if not is_end]
    options, results = parser.parse_args(words), Results()
    # They wait most of the time, for times to pass rather than for processors.
    threads = [threading.Thread(target=test_language, args=(options, window[0], window[1:], results))
               for window in windows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f'1..{results.count}')
    return 1 if results.failed else 0


if __name__ == '__main__':
    sys.exit(main())
