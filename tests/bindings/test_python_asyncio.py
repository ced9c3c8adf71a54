#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asynchronous calls without a callback, awaited in asyncio: results, errors, cancellation, loops."""

import asyncio
import gc
import os
import sys
import tempfile
import threading
import time
import unittest
import weakref

from python_common import ADD, ENDLESS, Ghlo, GLib, attempts, compile_text, has_gone_quiet, make_long

import gi
from gi.repository import Gio, GObject

import numpy as np


LONG = make_long(300000)
FOLDER = tempfile.TemporaryDirectory()


def is_cancelled(error):
    return error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED)


def make_argument(info):
    """Something of the type of an argument that must be given."""
    interface = info.get_type().get_interface()
    if interface is None:
        return {'utf8': 'x'}.get(info.get_type().get_tag_as_string(), 0)
    name = interface.get_name()
    if name == 'File':
        return Gio.File.new_for_path(os.path.join(FOLDER.name, 'missing'))
    if name == 'Bytes':
        return GLib.Bytes.new(b'func')
    if type(interface).__name__ == 'EnumInfo':
        return 0
    return getattr(Ghlo, name)()


def list_arguments(method):
    """What Python gives to a function: all of its arguments, and those among them that must be given."""
    infos = method.get_arguments()
    hidden = {info.get_closure() for info in infos} | {info.get_type().get_array_length() for info in infos}
    shown = [info for i, info in enumerate(infos) if i not in hidden]
    return [info.get_name() for info in shown], {info.get_name(): make_argument(info) for info in shown
                                                 if not info.may_be_null()}


def list_async():
    """Class and name of every asynchronous function in the typelib."""
    for info in gi.Repository.get_default().get_infos('Ghlo'):
        if type(info).__name__ == 'ObjectInfo':
            for method in info.get_methods():
                if method.get_name().endswith('_async'):
                    yield info.get_name(), method


class TestResults(unittest.IsolatedAsyncioTestCase):
    async def test_road(self):
        client, progress, seen = Ghlo.Client(), Ghlo.Progress(), []
        progress.connect('notify::fraction', lambda *_: seen.append((progress.props.fraction, threading.get_ident())))
        program = await Ghlo.Program.parse_async(ADD, name='add.mlir')
        executable = await client.compile_async(program, progress=progress)
        self.assertEqual(seen[-1], (1, threading.get_ident()))
        one = np.ones((2, 3), np.float32)
        (total,) = await executable.execute_async([one, Ghlo.Buffer.from_numpy(one)])
        self.assertEqual((await total.read_async()).get_size(), 24)
        self.assertIn('stablehlo.add', await program.to_text_async())
        self.assertEqual(len(await Ghlo.Program.check_async(ADD)), 0)
        self.assertGreaterEqual(len(await client.list_devices_async()), 1)
        with tempfile.NamedTemporaryFile('w', suffix='.mlir') as file:
            file.write(ADD)
            file.flush()
            self.assertEqual(len((await Ghlo.Program.load_async(file.name)).list_inputs()), 2)

    async def test_progress_on_the_way(self):
        progress, seen = Ghlo.Progress(), []
        progress.connect('notify', lambda *_: seen.append(progress.get_stage()))
        program = await Ghlo.Program.parse_async(make_long(30000))
        await Ghlo.Client().compile_async(program, progress=progress)
        self.assertEqual(seen[-1], Ghlo.ProgressStage.DONE)

    async def test_every_function_settles(self):
        """Also with arguments that are wrong."""
        names = []
        for class_name, method in list_async():
            cls = getattr(Ghlo, class_name)
            with self.subTest(name=class_name + '.' + method.get_name()):
                call = getattr(cls() if method.is_method() else cls, method.get_name())(**list_arguments(method)[1])
                self.assertTrue(asyncio.isfuture(call))
                try:
                    await asyncio.wait_for(call, 10)
                except GLib.Error as error:
                    self.assertFalse(is_cancelled(error))
            names.append(class_name + '.' + method.get_name())
        for name in ['Client.compile_async', 'Program.load_async', 'Executable.execute_async', 'Buffer.read_async']:
            self.assertIn(name, names)

    async def test_error(self):
        with self.assertRaises(GLib.Error) as caught:
            await Ghlo.Program.parse_async('nonsense')
        self.assertTrue(caught.exception.matches(Ghlo.error_quark(), Ghlo.Error.PARSE))

    async def test_many_at_once(self):
        executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
        results = await asyncio.gather(*(executable.execute_async([one, np.full((2, 3), i, np.float32)])
                                         for i in range(200)))
        self.assertEqual([np.asarray(result[0])[1, 1] for result in results], [i + 1 for i in range(200)])

    @unittest.skipUnless(hasattr(Ghlo, 'Session'), 'there are no sessions yet')
    async def test_session(self):
        session, one = Ghlo.Session.new(compile_text(ADD)), np.ones((2, 3), np.float32)
        session.carry(0, 0, np.zeros((2, 3), np.float32))
        calls = [session.run_async([one]) for _ in range(20)]
        # What is carried leaves the session as a copy alone.
        self.assertEqual([len(result) for result in await asyncio.gather(*calls)], [0] * 20)
        self.assertEqual(np.asarray(await session.copy_state_async(0))[0, 0], 20)
        endless, array = Ghlo.Session.new(compile_text(ENDLESS)), np.zeros((), np.int32)
        references = sys.getrefcount(array)
        endless.bind_output(0, array)
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(endless.run_async([np.int32(1)]), 0.05)
        # A worker gives the array back when the run has stopped.
        endless.unbind_output(0)
        while sys.getrefcount(array) > references:
            await asyncio.sleep(0.01)
        self.assertTrue(await has_gone_quiet())

    @unittest.skipUnless(hasattr(Ghlo.Buffer, 'save_async'), 'buffers are not saved yet')
    async def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            array = np.arange(6, dtype=np.float32).reshape(2, 3)
            await Ghlo.Buffer.from_numpy(array).save_async(folder + '/x.npy')
            self.assertTrue((np.load(folder + '/x.npy') == array).all())
            self.assertTrue((np.asarray(await Ghlo.Buffer.load_async(folder + '/x.npy')) == array).all())

    async def test_loop_goes_on(self):
        """A long call leaves the loop free."""
        for taken in attempts(5 if 'GHLO_TEST_SLOW' in os.environ else 0.5):
            call = asyncio.ensure_future(Ghlo.Program.parse_async(make_long(60000)))
            longest, last = 0, time.monotonic()
            while not call.done():
                await asyncio.sleep(0.002)
                longest, last = max(longest, time.monotonic() - last), time.monotonic()
            self.assertIsInstance(call.result(), Ghlo.Program)
            taken.append(longest)

    async def test_callback_as_ever(self):
        called = []
        self.assertIsNone(Ghlo.Program.parse_async(ADD, None, None, lambda *_: called.append(1)))
        deadline = time.monotonic() + 10
        while not called and time.monotonic() < deadline:
            await asyncio.sleep(0.001)
            GLib.MainContext.default().iteration(False)
        self.assertEqual(called, [1])

    async def test_default_context_is_left_alone(self):
        called = []
        source = GLib.idle_source_new()
        source.set_callback(lambda *_: bool(called.append(1)))
        source.attach(GLib.MainContext.default())
        await Ghlo.Program.parse_async(ADD)
        source.destroy()
        self.assertEqual(called, [])

    async def test_wrong_calls(self):
        executable = compile_text(ADD)
        for message, call in [
                ('before the callback', executable.execute_async([], lambda *_: None)),
                ("unknown argument 'input'", executable.execute_async(input=[])),
                ("needs 'program'", Ghlo.Client().compile_async()),
                (r'write \[x\]', executable.execute_async(5)),
                ('found str', Ghlo.Client().compile_async('text'))]:
            with self.assertRaisesRegex(TypeError, message):
                await call
        with self.assertRaisesRegex(GLib.Error, 'expected 2 inputs'):
            await executable.execute_async([])

    async def test_wrong_arguments_of_every_function(self):
        """They are raised where the answer is taken: by await, and by finish in a callback."""
        seen = 0
        for class_name, method in list_async():
            target, name = getattr(Ghlo, class_name)(), method.get_name()
            begin, finish = getattr(target, name), getattr(target, name[:-len('async')] + 'finish')
            names, good = list_arguments(method)
            for wrong in [each for each in names if each != 'callback'] + ['nonsense']:
                with self.subTest(name=class_name + '.' + name, wrong=wrong):
                    keywords = {**good, wrong: object()}
                    call = begin(**keywords)
                    self.assertIsInstance(call, asyncio.Future)
                    with self.assertRaises((TypeError, GLib.Error)):
                        await call
                    answers = []
                    self.assertIsNone(begin(callback=lambda _, result, *__: answers.append(result), **keywords))
                    self.assertEqual(answers, [])
                    while not answers:
                        GLib.MainContext.default().iteration(True)
                    with self.assertRaises((TypeError, GLib.Error)):
                        finish(answers[0])
                    seen += 1
        self.assertGreater(seen, 40)

    async def test_wrong_arguments_with_data(self):
        executable, answers = compile_text(ADD), []
        executable.execute_async(5, None, lambda *arguments: answers.append(arguments), 'one', 2)
        while not answers:
            GLib.MainContext.default().iteration(True)
        source, result, *data = answers[0]
        self.assertIs(source, executable)
        self.assertEqual(data, ['one', 2])
        with self.assertRaisesRegex(TypeError, r'write \[x\]'):
            executable.execute_finish(result)


class TestCancel(unittest.IsolatedAsyncioTestCase):
    async def check_cancel(self, function, *arguments):
        """A task that is cancelled ends at once, and so does the work."""
        async def wait():
            await function(*arguments)

        for taken in attempts(0.1):
            task = asyncio.ensure_future(wait())
            await asyncio.sleep(0.03)
            self.assertFalse(task.done())
            start = time.monotonic()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            taken.append(time.monotonic() - start)
            self.assertTrue(await has_gone_quiet())

    async def test_parse(self):
        await self.check_cancel(Ghlo.Program.parse_async, LONG)

    async def test_load(self):
        with tempfile.NamedTemporaryFile('w', suffix='.mlir') as file:
            file.write(LONG)
            file.flush()
            await self.check_cancel(Ghlo.Program.load_async, file.name)

    async def test_check(self):
        await self.check_cancel(Ghlo.Program.check_async, LONG)

    async def test_compile_and_text(self):
        """Whatever comes first, the cancel or the end, the program stays usable."""
        program = await Ghlo.Program.parse_async(make_long(20000))
        for make in [lambda: Ghlo.Client().compile_async(program), lambda: program.to_text_async()]:
            for wait in [0, 0, 0.001, 0.005, 0.02]:
                call = make()
                await asyncio.sleep(wait)
                if call.cancel():
                    with self.assertRaises(asyncio.CancelledError):
                        await call
                else:
                    self.assertIsNotNone(call.result())
        self.assertIsNotNone(await Ghlo.Client().compile_async(program))

    async def test_execute(self):
        executable, x = compile_text(ENDLESS), Ghlo.Buffer.from_numpy(np.int32(1))
        await self.check_cancel(executable.execute_async, [x])
        self.assertEqual(np.asarray(x), 1)

    async def test_read(self):
        call = Ghlo.Buffer.from_numpy(np.zeros(4)).read_async()
        self.assertTrue(call.cancel())
        with self.assertRaises(asyncio.CancelledError):
            await call

    async def test_timeout(self):
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(compile_text(ENDLESS).execute_async([np.int32(1)]), 0.05)
        self.assertTrue(await has_gone_quiet())

    async def test_own_cancellable(self):
        """It cancels the call; the end of the task does not cancel it."""
        executable, cancellable = compile_text(ENDLESS), Gio.Cancellable()
        one = executable.execute_async([np.int32(1)], cancellable)
        two = executable.execute_async([np.int32(1)], cancellable)
        one.cancel()
        await asyncio.sleep(0.02)
        self.assertFalse(cancellable.is_cancelled())
        self.assertFalse(two.done())
        cancellable.cancel()
        with self.assertRaises(GLib.Error) as caught:
            await two
        self.assertTrue(is_cancelled(caught.exception))
        with self.assertRaises(GLib.Error) as caught:
            await executable.execute_async([np.int32(1)], cancellable)
        self.assertTrue(is_cancelled(caught.exception))
        self.assertTrue(await has_gone_quiet())

    async def test_cancel_from_a_cancellation(self):
        """A handler of the cancellable may cancel the call's task."""
        executable, cancellable = compile_text(ENDLESS), Gio.Cancellable()
        call = executable.execute_async([np.int32(1)], cancellable)
        cancellable.connect(lambda *_: call.cancel())
        cancellable.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await call

    async def test_cancellable_is_let_go(self):
        cancellable = Gio.Cancellable()
        calls = [weakref.ref(Ghlo.Program.parse_async(ADD, None, cancellable)) for _ in range(20)]
        while any(call() is not None and not call().done() for call in calls):
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)
        gc.collect()
        self.assertEqual([call() for call in calls], [None] * 20)
        self.assertEqual(cancellable.__grefcount__, 1)
        signal = GObject.signal_lookup('cancelled', Gio.Cancellable)
        self.assertFalse(GObject.signal_has_handler_pending(cancellable, signal, 0, True))


class TestLoops(unittest.TestCase):
    def test_no_loop(self):
        with self.assertRaisesRegex(RuntimeError, 'give a callback, or call Program.parse'):
            Ghlo.Program.parse_async(ADD)

    def test_one_after_the_other(self):
        async def leave():
            self.call = compile_text(ENDLESS).execute_async([np.int32(1)])
            await asyncio.sleep(0.01)
            self.call.cancel()

        async def parse():
            return len((await Ghlo.Program.parse_async(ADD)).list_inputs())

        for _ in range(5):
            asyncio.run(leave())
            self.assertEqual(asyncio.run(parse()), 2)

    def test_loops_are_freed(self):
        async def wait():
            await compile_text(ENDLESS).execute_async([np.int32(1)])

        async def main():
            loops.append(weakref.ref(asyncio.get_running_loop()))
            self.tasks = [asyncio.create_task(wait()) for _ in range(3)]
            await asyncio.sleep(0.01)

        loops = []
        for _ in range(3):
            asyncio.run(main())
        del self.tasks
        gc.collect()
        self.assertEqual([loop() for loop in loops], [None] * 3)

    def test_threads(self):
        async def main(i):
            executable = await Ghlo.Client().compile_async(await Ghlo.Program.parse_async(ADD))
            one = np.ones((2, 3), np.float32)
            for _ in range(50):
                (total,) = await executable.execute_async([one, np.full((2, 3), i, np.float32)])
            sums.append(float(np.asarray(total)[0, 0]))

        sums = []
        threads = [threading.Thread(target=lambda i=i: asyncio.run(main(i))) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(sums), [1, 2, 3, 4])


if __name__ == '__main__':
    unittest.main(verbosity=2)
