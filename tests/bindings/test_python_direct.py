#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The extension module with fast paths (introspection/direct): it handles plain cases, leaves all others to the
overrides, and results are the same either way. The other tests are run with and without the module."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import unittest
from unittest import mock

from python_common import ADD, ENDLESS, TWO, Ghlo, GLib, collect, compile_text, get_allocated, get_rss

from gi.overrides import _ghlo_arrays, _ghlo_direct, _ghlo_interrupts

import numpy as np

SAME = '''func.func @main(%%x: tensor<%(type)s>) -> tensor<%(type)s> {
  return %%x : tensor<%(type)s>
}
'''

TYPES = {'i1': 'bool', 'i8': 'int8', 'i16': 'int16', 'i32': 'int32', 'i64': 'int64', 'ui8': 'uint8', 'ui16': 'uint16',
         'ui32': 'uint32', 'ui64': 'uint64', 'f16': 'float16', 'f32': 'float32', 'f64': 'float64',
         'complex<f32>': 'complex64', 'complex<f64>': 'complex128'}


class Subclass(np.ndarray):
    pass


class LooksLikeOne:
    """What has an array's attributes, and is none."""

    dtype = np.dtype('float32')
    __array_struct__ = None


def without():
    return mock.patch.object(_ghlo_arrays, 'direct', None)


def run(source, *inputs):
    return _ghlo_direct.run(source, inputs, source._list_forms(), None)


def get_outcome(function, *arguments):
    """What a call gives, or what it raises and says."""
    try:
        return [np.asarray(output).tolist() for output in function(*arguments)]
    except (GLib.Error, TypeError, ValueError) as error:
        return type(error), str(error)


class TestRuns(unittest.TestCase):
    def setUp(self):
        self.executable = compile_text(ADD)
        self.ones = np.ones((2, 3), np.float32)
        self.buffer = Ghlo.Buffer.from_numpy(self.ones)

    def test_is_taken(self):
        """What is plain, in any order of its elements."""
        wide = np.arange(24, dtype=np.float32).reshape(4, 6)
        read_only = self.ones.copy()
        read_only.flags.writeable = False
        for array in [self.ones, read_only, wide[::2, ::2], wide[3:1:-1, 5:2:-1], wide[:3, :2].T,
                      np.asfortranarray(self.ones), np.broadcast_to(np.float32(3), (2, 3)),
                      np.frombuffer(b'x' + self.ones.tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3)]:
            with self.subTest(strides=array.strides):
                result = run(self.executable, array, self.buffer)
                self.assertTrue((np.asarray(result[0]) == array + 1).all())
                self.assertTrue((np.asarray(self.executable(array, array)[0]) == array + array).all())

    def test_is_left_alone(self):
        """What only the overrides know of ends as it does without the module."""
        ones = self.ones
        for inputs in [(), (ones,), (ones, ones, ones), (ones, None), (None, None), (ones, 1.0), (ones, 'x'),
                       (ones, b'x'), (ones, ones.astype('>f4')), (ones, ones.astype(np.float64)), (ones, ones[0]),
                       (ones, ones.T), (ones, ones.view(Subclass)), (ones, ones.tolist()), (ones, np.float32(1)),
                       (ones, np.ma.masked_array(ones)), (ones, np.array([[None] * 3] * 2)), (ones, LooksLikeOne()),
                       (ones, self.executable), (ones, Ghlo.Buffer), (ones, GLib.Bytes.new(bytes(24))),
                       (ones, np.zeros((2, 3), [('x', np.float32)]))]:
            with self.subTest(inputs=inputs):
                self.assertIsNone(run(self.executable, *inputs))
                with without():
                    expected = get_outcome(self.executable, *inputs)
                self.assertEqual(get_outcome(self.executable, *inputs), expected)

    def test_refused_by_the_library(self):
        """Its errors are those of the overrides."""
        released, double = Ghlo.Buffer.from_numpy(self.ones), Ghlo.Buffer.from_numpy(self.ones.astype(np.float64))
        released.release()
        for buffer in [released, double, Ghlo.Buffer(), Ghlo.Buffer.new_token()]:
            with self.subTest(buffer=buffer):
                with without():
                    expected = get_outcome(self.executable, self.ones, buffer)
                self.assertEqual(expected[0], GLib.Error)
                with self.assertRaises(GLib.Error):
                    run(self.executable, self.ones, buffer)
                self.assertEqual(get_outcome(self.executable, self.ones, buffer), expected)
        for source in [Ghlo.Executable(), Ghlo.Session.new(self.executable)]:
            with without():
                expected = get_outcome(source)
            self.assertEqual(get_outcome(source), expected)

    def test_types(self):
        for name, dtype in TYPES.items():
            with self.subTest(name):
                array = np.arange(-3, 3).astype(dtype)
                result = run(compile_text(SAME % {'type': '6x' + name}), array)
                shown = np.asarray(result[0])
                self.assertEqual((shown.dtype, shown.tobytes()), (array.dtype, array.tobytes()))

    def test_small_types(self):
        """They are checked, or are shown as what holds them."""
        executable = compile_text(SAME % {'type': '3xi4'})
        self.assertEqual(np.asarray(run(executable, np.array([-8, 0, 7], np.int8))[0]).tolist(), [-8, 0, 7])
        self.assertIsNone(run(executable, np.array([-8, 0, 8], np.int8)))
        with self.assertRaisesRegex(GLib.Error, 'found 8 at element 2'):
            executable(np.array([-8, 0, 8], np.int8))
        executable = compile_text(SAME % {'type': '2xbf16'})
        bits = np.array([0x3f80, 0x4000], np.uint16)
        (result,) = run(executable, bits)
        self.assertIsNone(_ghlo_direct.view(result))
        self.assertEqual(result.tolist(), [1, 2])

    def test_shapes(self):
        """Scalars, nothing, and sizes that the program leaves open."""
        self.assertEqual(np.asarray(run(compile_text(SAME % {'type': 'f32'}), np.array(3, np.float32))[0]).shape, ())
        empty = np.zeros((0, 2), np.float32)
        self.assertEqual(np.asarray(run(compile_text(SAME % {'type': '0x2xf32'}), empty)[0]).shape, (0, 2))
        executable = compile_text(TWO)
        for size in [0, 1, 5]:
            array = np.arange(size, dtype=np.int32)
            self.assertEqual(np.asarray(run(executable, array)[0]).tolist(), array.tolist())
        self.assertIsNone(run(executable, np.zeros((1, 1), np.int32)))

    def test_sessions(self):
        """Inputs that are left, in their places."""
        session = Ghlo.Session.new(self.executable)
        twos = self.ones * 2
        self.assertEqual(np.asarray(run(session, self.ones, twos)[0])[0, 0], 3)
        self.assertTrue(session.bind_input(0, self.buffer))
        self.assertIsNone(run(session, self.ones, twos))
        self.assertEqual(np.asarray(run(session, twos)[0])[0, 0], 3)
        self.assertIsNone(run(session, twos.astype(np.float64)))
        self.assertTrue(session.bind_input(1, self.buffer))
        self.assertEqual(np.asarray(run(session)[0])[0, 0], 2)
        # What calls back while a run goes on is left alone.
        seen, progress = [], Ghlo.Progress()
        handler = session.connect('notify::pending', lambda *_: seen.append(self.executable(twos, twos)))
        self.assertIsNone(run(session))
        self.assertEqual(np.asarray(session()[0])[0, 0], 2)
        self.assertEqual(np.asarray(seen[0][0])[0, 0], 4)
        session.disconnect(handler)
        self.assertIsNotNone(run(session))
        session.set_progress(progress)
        self.assertIsNone(run(session))
        self.assertEqual(np.asarray(session()[0])[0, 0], 2)

    def test_threads(self):
        """Calls from many, beside one that keeps the interpreter busy."""
        sums, over = [], threading.Event()

        def work(i):
            array = np.full((2, 3), i, np.float32)
            for _ in range(500):
                sums.append((np.asarray(self.executable(array, self.ones)[0]) == i + 1).all())

        def keep_busy():
            while not over.is_set():
                sum(range(1000))

        busy = threading.Thread(target=keep_busy)
        threads = [threading.Thread(target=work, args=[i]) for i in range(8)]
        for thread in [busy, *threads]:
            thread.start()
        for thread in threads:
            thread.join()
        over.set()
        busy.join()
        self.assertEqual((len(sums), all(sums)), (4000, True))

    def test_anything(self):
        """Arguments that the overrides never give are left alone too."""
        forms, ones = self.executable._list_forms(), (self.ones, self.ones)
        things = [None, 1, 'x', (), (1, 2, 3), [], object(), self.executable, self.buffer, self.ones, LooksLikeOne(),
                  ((),) * 2, ((1, 2, 3),) * 2, ((np.ndarray, self.ones.dtype, self.buffer),) * 2, Ghlo.Program()]
        for thing in things:
            for arguments in [(thing, ones, forms, None), (self.executable, thing, forms, None),
                              (self.executable, ones, thing, None), (thing, thing, thing, thing)]:
                if thing is not self.executable:
                    self.assertIsNone(_ghlo_direct.run(*arguments))
                    self.assertIsNone(_ghlo_direct.start(*arguments))
            if thing is not None:
                self.assertIsNone(_ghlo_direct.run(self.executable, ones, forms, thing))
            if thing is not self.ones:
                self.assertIsNone(_ghlo_direct.copy(thing, 1))
            self.assertIsNone(_ghlo_direct.copy(thing, thing))
            if thing is not self.buffer:
                self.assertIsNone(_ghlo_direct.view(thing))
        for function in [_ghlo_direct.run, _ghlo_direct.start, _ghlo_direct.copy]:
            self.assertIsNone(function())


class TestArrays(unittest.TestCase):
    def test_views(self):
        for name, dtype in TYPES.items():
            for shape in [(), (1,), (2, 3), (2, 1, 3)]:
                with self.subTest(name, shape=shape):
                    array = np.arange(-2, np.prod(shape, dtype=int) - 2).astype(dtype).reshape(shape)
                    buffer = Ghlo.Buffer.from_numpy(array)
                    self.assertIsNotNone(_ghlo_direct.view(buffer))
                    shown = np.asarray(buffer)
                    with without():
                        expected = np.asarray(buffer)
                    self.assertEqual([shown.flags[flag] for flag in ('C_CONTIGUOUS', 'ALIGNED', 'WRITEABLE')],
                                     [True, True, False])
                    self.assertEqual((shown.dtype, shown.shape, shown.strides, shown.ctypes.data, shown.tobytes()),
                                     (array.dtype, shape, expected.strides, expected.ctypes.data, array.tobytes()))

    def test_nothing_to_show(self):
        released = Ghlo.Buffer.from_numpy(np.ones(3))
        released.release()
        for buffer in [released, Ghlo.Buffer(), Ghlo.Buffer.new_token()]:
            self.assertIsNone(_ghlo_direct.view(buffer))

    def test_views_keep_the_memory(self):
        """Also what was only taken out of them."""
        buffer = Ghlo.Buffer.from_numpy(np.arange(100000.0))
        view = _ghlo_direct.view(buffer)
        capsule = view.__array_struct__
        array = np.asarray(view)
        buffer.release()
        del buffer, view
        gc.collect()
        self.assertEqual(array[99999], 99999)
        del array
        self.assertIn('capsule', repr(capsule))
        with self.assertRaises(TypeError):
            type(_ghlo_direct.view(Ghlo.Buffer.from_numpy(np.ones(1))))()

    def test_copies(self):
        """Small and large, which are copied without the interpreter's lock."""
        for n in [0, 3, 100000]:
            array = np.arange(2 * n, dtype=np.int32)[::-2]
            buffer = Ghlo.Buffer.from_numpy(array)
            expected = array.tolist()
            array[:] = 0
            self.assertEqual(buffer.tolist(), expected)
        self.assertIsNone(_ghlo_direct.copy(np.ones(3), -1))
        self.assertIsNone(_ghlo_direct.copy(np.ones(3), Ghlo.TensorType('tensor<4xf64>')))
        # More bytes than there can be.
        self.assertIsNone(_ghlo_direct.copy(np.broadcast_to(np.int8(1), (2**31, 2**31)), Ghlo.ElementType.COMPLEX_F64))


class TestAsyncio(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.executable, self.ones = compile_text(ADD), np.ones((2, 3), np.float32)

    async def test_is_taken(self):
        with mock.patch.object(_ghlo_arrays.direct, 'start', wraps=_ghlo_direct.start) as start:
            twos = self.ones * 2
            call = self.executable.execute_async([self.ones, twos])
            twos[:] = 0
            (result,) = await call
            self.assertEqual(np.asarray(result)[0, 0], 3)
            session = Ghlo.Session.new(self.executable)
            (result,) = await session.run_async((self.ones, self.ones))
            self.assertEqual(np.asarray(result)[0, 0], 2)
            self.assertEqual(start.call_count, 2)

    async def test_errors(self):
        released = Ghlo.Buffer.from_numpy(self.ones)
        released.release()
        for inputs, error, text in [([released, self.ones], GLib.Error, 'released'),
                                    ([self.ones], GLib.Error, 'found 1'), ([self.ones, 'x'], TypeError, 'found str')]:
            with self.assertRaisesRegex(error, text):
                await self.executable.execute_async(inputs)

    async def test_cancel(self):
        executable = compile_text(ENDLESS)
        for _ in range(20):
            call = executable.execute_async([np.array(1, np.int32)])
            await asyncio.sleep(0.001)
            self.assertTrue(call.cancel())
            with self.assertRaises(asyncio.CancelledError):
                await call

    async def test_nothing_is_left(self):
        counted = [0, 0]

        async def execute(n):
            for _ in range(n):
                (result,) = await self.executable.execute_async([self.ones, self.ones])
                counted[0] += 1
                result.weak_ref(lambda: counted.__setitem__(1, counted[1] + 1))
            del result
            # What asyncio is at has the last one.
            await asyncio.sleep(0)

        await execute(100)
        collect()
        before = get_allocated()
        await execute(2000)
        collect()
        self.assertEqual(*counted)
        self.assertLess(get_allocated() - before, 20000)
        self.assertEqual(self.executable.__grefcount__, 1)


class TestLife(unittest.TestCase):
    def test_hundred_thousand_calls(self):
        """None of them leaves anything, nor do mistakes."""
        executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
        buffer, session = Ghlo.Buffer.from_numpy(one), Ghlo.Session.new(executable)
        released = Ghlo.Buffer.from_numpy(one)
        released.release()

        def work(n):
            for i in range(n):
                executable(one, buffer)
                np.asarray(session(one, one)[0])
                Ghlo.Buffer.from_numpy(one)
                if i % 100 == 0:
                    get_outcome(executable, one, released)
                    get_outcome(executable, one, one[0])

        work(1000)
        collect()
        references, allocated, rss = sys.getrefcount(one), get_allocated(), get_rss()
        work(33000)
        collect()
        self.assertEqual(sys.getrefcount(one), references)
        self.assertEqual([thing.__grefcount__ for thing in (executable, buffer)], [2, 1])
        self.assertLess(get_allocated() - allocated, 30000)
        self.assertLess(get_rss() - rss, 4)


# Children, which get SIGINT in calls of the module.

def press_in_call():
    """Calls what does not end, and raises what the call does; the watches that the calls until then were given."""
    executable, one, run_itself, watches = compile_text(ENDLESS), np.array(1, np.int32), _ghlo_direct.run, []

    def note(*arguments):
        watches.append(arguments[3])
        return run_itself(*arguments)

    with mock.patch.object(_ghlo_direct, 'run', note):
        subprocess.Popen(['/bin/sh', '-c', 'sleep 0.3; kill -2 %d' % os.getpid()])
        try:
            executable(one)
        except KeyboardInterrupt as interrupt:
            assert interrupt.__suppress_context__ or interrupt.__context__ is None
        else:
            raise AssertionError('no KeyboardInterrupt')
    return watches


def add():
    ones = np.ones((2, 3), np.float32)
    assert np.asarray(compile_text(ADD)(ones, ones)[0])[0, 0] == 2


def interrupted():
    """Twice; what comes between is not disturbed, nor is who was told of signals before."""
    add()
    for _ in range(2):
        theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        signal.set_wakeup_fd(ours)
        watches = press_in_call()
        assert len(watches) == 1 and watches[0] is not None, watches
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.set_wakeup_fd(-1) == ours
        assert os.read(theirs, 16) == bytes([signal.SIGINT])
        for _ in range(100):
            add()


def swallowed():
    """The run is ended also where nobody hears of what the handler raised."""
    signal.signal(signal.SIGINT, lambda *_: None)
    _ghlo_interrupts.default_int_handler = signal.getsignal(signal.SIGINT)
    add()
    watch = _ghlo_interrupts._watch
    watches = press_in_call()
    assert watches == [watch.for_direct] and watch.is_over
    add()


def late():
    """One that something else has swallowed ends a call that failed, be it of another reason."""
    executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
    executable(one, one)
    watch, released = _ghlo_interrupts._watch, Ghlo.Buffer.from_numpy(one)
    released.release()
    os.write(watch._writing, bytes([signal.SIGINT]))
    for error in [KeyboardInterrupt, GLib.Error, GLib.Error]:
        try:
            executable(one, released)
        except error:
            pass
        else:
            raise AssertionError(error)
    assert watch.is_over


def with_own_handler():
    """Nothing is put before a handler of the application's own."""
    executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
    seen = []
    executable(one, one)
    for handler in [signal.SIG_IGN, signal.SIG_DFL, lambda *_: seen.append(1), signal.default_int_handler]:
        signal.signal(signal.SIGINT, handler)
        for _ in range(3):
            assert np.asarray(executable(one, one)[0])[0, 0] == 2
        assert signal.getsignal(signal.SIGINT) is handler
    signal.signal(signal.SIGINT, lambda *_: seen.append(2))
    os.kill(os.getpid(), signal.SIGINT)
    executable(one, one)
    assert seen == [2]


class TestInterrupt(unittest.TestCase):
    def test_children(self):
        for case in [interrupted, swallowed, late, with_own_handler]:
            with self.subTest(case.__name__):
                child = subprocess.run([sys.executable, __file__, case.__name__], stderr=subprocess.PIPE, text=True,
                                       timeout=60)
                self.assertEqual((child.returncode, child.stderr), (0, ''))


if __name__ == '__main__':
    if len(sys.argv) == 2 and sys.argv[1] in globals():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        globals()[sys.argv[1]]()
        sys.exit(0)
    unittest.main(verbosity=2)
