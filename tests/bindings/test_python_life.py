#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lifetimes and memory: leaks after a thousand runs and after frames of 8 MiB, and
the end of a process while the library is working."""

import asyncio
import os
import subprocess
import sys
import threading
import unittest

from python_common import ADD, ENDLESS, FRAME, Ghlo, Gio, GLib, collect, compile_text, get_allocated, get_rss

import numpy as np

# MiB that a thousand runs may leave. Memcheck keeps 20 MB of freed blocks.
GROWTH = 40 if 'GHLO_TEST_SLOW' in os.environ else 4


class Counter:
    """How many objects live, told by the objects themselves."""

    def __init__(self):
        self.made = self.gone = 0

    def watch(self, *objects):
        for thing in objects:
            self.made += 1
            thing.weak_ref(self.on_gone)

    def on_gone(self):
        self.gone += 1


class TestStacks(unittest.TestCase):
    def test_small(self):
        """A call on a thread with 32 KiB of stack."""
        executable, one = compile_text(ADD), Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))
        results = []
        before = threading.stack_size(32 << 10)
        try:
            thread = threading.Thread(target=lambda: results.append(executable.execute([one, one])))
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
        self.assertEqual(np.asarray(results[0][0])[0, 0], 2)


class TestReferences(unittest.TestCase):
    def check(self, run, n=1000):
        """Nothing of n runs is left but what the caller holds; memory is bounded."""
        counter = Counter()
        run(counter)
        collect()
        before = get_rss()
        for _ in range(n):
            run(counter)
        collect()
        self.assertGreaterEqual(counter.made, 2 * n)
        self.assertEqual(counter.gone, counter.made)
        self.assertLess(get_rss() - before, GROWTH)

    def test_runs(self):
        executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
        shared = Ghlo.Buffer.from_numpy(one)

        def run(counter):
            buffer = Ghlo.Buffer.from_numpy(one)
            result = executable(buffer, shared)
            array = np.asarray(result[0])
            counter.watch(buffer, result, result[0])
            self.assertEqual(array[0, 0], 2)

        self.check(run)
        self.assertEqual(shared.__grefcount__, 1)
        self.assertEqual(executable.__grefcount__, 1)

    def test_failures(self):
        executable, one = compile_text(ADD), Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))

        def run(counter):
            wrong = Ghlo.Buffer.from_numpy(np.ones(3, np.float32))
            program = Ghlo.Program()
            counter.watch(wrong, program)
            for function, *arguments in [(executable, one, wrong), (Ghlo.Client().compile, program),
                                         (Ghlo.Program.parse, 'nonsense')]:
                try:
                    function(*arguments)
                    self.fail('%r succeeded' % function)
                except GLib.Error:
                    pass

        self.check(run)
        self.assertEqual(one.__grefcount__, 1)

    def test_roads(self):
        def run(counter):
            program = Ghlo.Program.parse(ADD)
            executable = Ghlo.Client().compile(program)
            program.to_text()
            program.list_inputs()[0].get_tensor_type()
            counter.watch(program, executable, executable.props.program)

        self.check(run)

    def test_exchange(self):
        """Shared arrays and DLPack, both ways."""
        array = np.arange(1000.0)
        references = sys.getrefcount(array)

        def run(counter):
            buffer = Ghlo.Buffer.from_numpy(array, copy=False)
            again = Ghlo.Buffer.from_dlpack(np.from_dlpack(buffer))
            dropped = again.__dlpack__()
            counter.watch(buffer, again)
            del dropped

        self.check(run)
        self.assertEqual(sys.getrefcount(array), references)

    def test_asyncio(self):
        executable, one = compile_text(ADD), Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))

        async def main(counter, n):
            for _ in range(n):
                result = await executable.execute_async([one, one])
                counter.watch(result, result[0])
            call = executable.execute_async([one, one])
            call.cancel()

        counter = Counter()
        asyncio.run(main(counter, 10))
        collect()
        before = get_rss()
        asyncio.run(main(counter, 1000))
        asyncio.run(main(counter, 1))
        collect()
        self.assertEqual((counter.made, counter.gone), (2022, 2022))
        self.assertLess(get_rss() - before, GROWTH)
        self.assertEqual(one.__grefcount__, 1)

    def test_callbacks(self):
        """A callback that keeps the result that it was given."""
        executable, one = compile_text(ADD), Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))

        def run(counter):
            loop, results = GLib.MainLoop(), []

            def on_executed(_source, result):
                results.append(result)
                loop.quit()

            executable.execute_async([one, one], None, on_executed)
            loop.run()
            counter.watch(results[0], executable.execute_finish(results[0]))

        self.check(run)
        self.assertEqual(one.__grefcount__, 1)
        self.assertEqual(executable.__grefcount__, 1)

    def test_threads(self):
        """Runs of one executable, and last references dropped, on many threads."""
        executable, counter, sums = compile_text(ADD), Counter(), []

        def work(number):
            one = np.full((2, 3), number, np.float32)
            for _ in range(100):
                result = executable(one, Ghlo.Buffer.from_numpy(one, copy=False))
                counter.watch(result)
            sums.append(np.asarray(result[0])[1, 2] == 2 * number)

        threads = [threading.Thread(target=work, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        collect()
        self.assertEqual(sums, [True] * 8)
        self.assertEqual(executable.__grefcount__, 1)
        self.assertEqual(counter.gone, counter.made)


class TestLeaks(unittest.TestCase):
    """what a call leaves of C's memory, in bytes. A function that is handed over as a callback leaves 32 and more."""

    N, LIMIT = 4000, 8

    def check(self, run):
        """run (n) makes n calls. What they leave shows in each of three tries, what a late thread or a table
        that grows keeps, in one of them at most."""
        run(200)
        grown = []
        for _ in range(3):
            collect()
            before = get_allocated()
            run(self.N)
            collect()
            grown.append((get_allocated() - before) / self.N)
            if grown[-1] < self.LIMIT:
                return
        self.fail(f'{grown} bytes a call')

    def test_shared_arrays(self):
        array = np.ones(3)

        def run(n):
            for _ in range(n):
                Ghlo.Buffer.from_numpy(array, copy=False)

        self.check(run)

    def test_dlpack(self):
        array = np.ones(3)

        def run(n):
            for _ in range(n):
                Ghlo.Buffer.from_dlpack(array, copy=False)

        self.check(run)

    def test_bound_outputs(self):
        session, array = Ghlo.Session.new(compile_text(ADD)), np.empty((2, 3), np.float32)

        def run(n):
            for _ in range(n):
                session.bind_output(0, array)
            session.unbind_output(0)

        self.check(run)

    def test_awaited(self):
        executable, one = compile_text(ADD), Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))

        async def main(n):
            cancellable = Gio.Cancellable()
            for i in range(n):
                await executable.execute_async([one, one], cancellable if i % 2 else None)

        self.check(lambda n: asyncio.run(main(n)))

    def test_called_back(self):
        executable, one = compile_text(ADD), Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))
        loop = GLib.MainLoop()

        def on_executed(source, result, n):
            source.execute_finish(result)
            if n > 0:
                source.execute_async([one, one], None, on_executed, n - 1)
            else:
                loop.quit()

        def run(n):
            executable.execute_async([one, one], None, on_executed, n)
            loop.run()

        self.check(run)

    def test_calls(self):
        executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
        buffer, cancellable = Ghlo.Buffer.from_numpy(one), Gio.Cancellable()

        def run(n):
            for _ in range(n):
                np.asarray(executable(one, one)[0])
                executable(one, buffer, cancellable=cancellable)

        self.check(run)


class TestErrors(unittest.TestCase):
    def test_last_reference_while_an_error_is_raised(self):
        """What lets go of an array leaves the error alone."""
        executable = compile_text(ADD)
        for _ in range(10):
            array = np.ones(3, np.float32)
            references = sys.getrefcount(array)
            with self.assertRaisesRegex(GLib.Error, 'expected'):
                Ghlo.Executable.execute(executable, [Ghlo.Buffer.from_numpy(array, copy=False)], None)
            with self.assertRaises(TypeError):
                GLib.Bytes.new(Ghlo.Buffer.from_numpy(array, copy=False))
            collect()
            self.assertEqual(sys.getrefcount(array), references)


# Children: the peak of a process of its own, in MiB.

def print_peak():
    with open('/proc/self/status') as status:
        (peak,) = [int(line.split()[1]) / 1024 for line in status if line.startswith('VmHWM')]
    print('peak', peak)


def frames_in_calls(n_frames):
    executable, shown = compile_text(FRAME), None
    for frame in range(n_frames):
        (y,) = executable(float(frame))
        shown = np.asarray(y)
        assert shown[-1] == frame


def frames_in_blocks(n_frames):
    executable = compile_text(FRAME)
    for frame in range(n_frames):
        with executable(float(frame)) as result:
            assert np.asarray(result[0])[-1] == frame


def frames_in_asyncio(n_frames):
    async def main():
        executable = compile_text(FRAME)
        for frame in range(n_frames):
            (y,) = await executable.execute_async([np.float32(frame)])
            assert np.asarray(y)[-1] == frame

    asyncio.run(main())


def frames_in_main_loop(n_frames):
    executable, loop, frames = compile_text(FRAME), GLib.MainLoop(), iter(range(n_frames))

    def begin():
        frame = next(frames, None)
        if frame is None:
            loop.quit()
        else:
            executable.execute_async([np.float32(frame)], None, on_frame, frame)

    def on_frame(_executable, result, frame):
        (y,) = executable.execute_finish(result)
        assert np.asarray(y)[-1] == frame
        begin()

    GLib.idle_add(begin)
    loop.run()


def frames_through_dlpack(n_frames):
    executable = compile_text(FRAME)
    for frame in range(n_frames):
        (y,) = executable(float(frame))
        assert np.from_dlpack(Ghlo.Buffer.from_dlpack(y, copy=False))[-1] == frame


def is_on_host():
    return compile_text(FRAME)(0.0)[0].get_device() is None


def leave_at_work(how):
    """Ends while a run has arrays of Python in its hands."""
    executable = compile_text(ENDLESS)
    x = Ghlo.Buffer.from_numpy(np.array(1, np.int32), copy=False)
    if how == 'callback':
        executable.execute_async([x], None, lambda *_: None)
    elif how == 'thread':
        threading.Thread(target=lambda: executable(x), daemon=True).start()
    elif how == 'asyncio':
        async def main():
            executable.execute_async([x])
            await asyncio.sleep(0.02)
        asyncio.run(main())
    del x
    GLib.usleep(20000)


class TestProcesses(unittest.TestCase):
    def run_child(self, *arguments):
        child = subprocess.run([sys.executable, __file__, *map(str, arguments)], stdout=subprocess.PIPE, text=True,
                               timeout=100)
        self.assertEqual(child.returncode, 0)
        return child.stdout

    def test_frames(self):
        # Frames of a device come back by copies, which take their time. Of either what one in fifty leaves shows.
        n = 600 if is_on_host() else 200
        for function in [frames_in_calls, frames_in_blocks, frames_in_asyncio, frames_in_main_loop,
                         frames_through_dlpack]:
            with self.subTest(function.__name__):
                start = float(self.run_child(function.__name__, 0).split()[1])
                peak = float(self.run_child(function.__name__, n).split()[1])
                print('%s: %.1f MiB, %.1f above the start' % (function.__name__, peak, peak - start), file=sys.stderr)
                self.assertLess(peak, 100)
                # Two frames: the one that is shown, and the next, and a device's copies of them in this process.
                self.assertLess(peak - start, 28 if is_on_host() else 44)

    def test_exit_at_work(self):
        for how in ['callback', 'thread', 'asyncio'] * 5:
            with self.subTest(how):
                self.run_child('leave_at_work', how)


if __name__ == '__main__':
    if len(sys.argv) == 3 and sys.argv[1] in globals():
        argument = sys.argv[2]
        globals()[sys.argv[1]](int(argument) if argument.isdigit() else argument)
        print_peak()
        sys.stdout.flush()
        sys.exit(0)
    os.environ.setdefault('PYTHONDONTWRITEBYTECODE', '1')
    unittest.main(verbosity=2)
