#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Custom calls handled by Python functions: their arguments, results and exceptions, threads, main contexts,
references, and the end of the interpreter."""

import asyncio
import os
import subprocess
import sys
import threading
import time
import unittest
import weakref

from python_common import Ghlo, Gio, GLib, collect

import numpy as np

ONE = '''func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = stablehlo.add %x, %one : tensor<4xf32>
  %1 = stablehlo.custom_call @f(%0) {api_version = 4 : i32, backend_config = {factor = 3.0 : f32}}
       : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.subtract %1, %one : tensor<4xf32>
  return %2 : tensor<4xf32>
}
'''

SEVERAL = '''func.func @main(%x: tensor<4xf32>) -> (tensor<2xi32>, tensor<bf16>) {
  %0 = stablehlo.create_token : !stablehlo.token
  %1:3 = stablehlo.custom_call @f(%x, %0) {has_side_effect = true}
         : (tensor<4xf32>, !stablehlo.token) -> (tensor<2xi32>, tensor<bf16>, !stablehlo.token)
  return %1#0, %1#1 : tensor<2xi32>, tensor<bf16>
}
'''

NOTE = '''func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  stablehlo.custom_call @f(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}
'''

WITHOUT = '''func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
'''

X = [1.0, 2.0, 3.0, 4.0]


def compile_with(function, text=ONE, **arguments):
    client = Ghlo.Client()
    client.register_custom_call('f', function, **arguments)
    return client.compile(Ghlo.Program.parse(text, 'test.mlir'))


class TestCalls(unittest.TestCase):
    def run_one(self, function):
        return compile_with(function)(X)[0].tolist()

    def test_arrays(self):
        def twice(x):
            self.assertEqual((type(x), x.dtype, x.shape), (np.ndarray, np.float32, (4,)))
            self.assertFalse(x.flags.writeable)
            return x * 2

        self.assertEqual(self.run_one(twice), [3, 5, 7, 9])

    def test_returns(self):
        for function in [np.negative, lambda x: (-x,), lambda x: [-2, -3, -4, -5.0], lambda x: (-x).astype('>f4'),
                         lambda x: Ghlo.Buffer.from_numpy(-x), lambda x: (-x)[::-1][::-1]]:
            self.assertEqual(self.run_one(function), [-3, -4, -5, -6])

    def test_decorator(self):
        client = Ghlo.Client()

        @client.register_custom_call('f')
        def scale(x, call):
            self.assertEqual((call.get_target(), call.has_side_effect()), ('f', False))
            self.assertEqual(call.get_backend_config(), '{factor = 3.000000e+00 : f32}')
            return x * np.float32(call.get_attributes().unpack()['factor'])

        self.assertEqual(client.compile(Ghlo.Program.parse(ONE))(X)[0].tolist(), [5, 8, 11, 14])
        self.assertEqual(scale.__name__, 'scale')

    def test_several(self):
        def split(x, token):
            self.assertEqual(token.get_kind(), Ghlo.ValueKind.TOKEN)
            return [5, 6], 1.5, token

        first, second = compile_with(split, SEVERAL)(X)
        self.assertEqual((first.tolist(), second.tolist()), ([5, 6], 1.5))
        first, second = compile_with(lambda x, token: ([7, 8], 2.5, None), SEVERAL)(X)
        self.assertEqual((first.tolist(), second.tolist()), ([7, 8], 2.5))

    def test_none(self):
        seen = []
        self.assertEqual(compile_with(lambda x: seen.append(x.sum()), NOTE)(X)[0].tolist(), X)
        self.assertEqual(seen, [10])

    def test_kept(self):
        """Arrays stay what they were when the run has used their memory again."""
        kept = []
        executable = compile_with(lambda x: kept.append(x) or x)
        executable(X)
        executable([0.0] * 4)
        del executable
        self.assertEqual([array.tolist() for array in kept], [[2, 3, 4, 5], [1, 1, 1, 1]])


class TestMistakes(unittest.TestCase):
    def check(self, function, text, code='INVALID_ARGUMENT', program=ONE):
        executable = compile_with(function, program)
        with self.assertRaises(GLib.Error) as raised:
            executable(X)
        error = raised.exception
        self.assertTrue(error.matches(Ghlo.error_quark(), getattr(Ghlo.Error, code)), error)
        self.assertRegex(error.message, r"^test\.mlir:\d:\d+: 'stablehlo\.custom_call @f': ")
        self.assertIn(text, error.message.partition('\n')[0])
        return error.message

    def test_raises(self):
        def divide(x):
            return 1 // 0

        message = self.check(divide, 'ZeroDivisionError: integer division or modulo by zero')
        self.assertIn('return 1 // 0', message)
        self.assertNotIn('_ghlo_custom_calls', message)

    def test_own_error(self):
        def fail(x):
            raise GLib.Error.new_literal(Gio.io_error_quark(), 'no such thing', Gio.IOErrorEnum.NOT_FOUND)

        with self.assertRaises(GLib.Error) as raised:
            compile_with(fail)(X)
        self.assertTrue(raised.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.NOT_FOUND))
        self.assertTrue(raised.exception.message.endswith("@f': no such thing"))

    def test_exits(self):
        def leave(x):
            sys.exit(3)

        executable = compile_with(leave)
        for _ in range(100):
            with self.assertRaises(SystemExit) as raised:
                executable(X)
            self.assertEqual(raised.exception.code, 3)

    def test_interrupt(self):
        """What is no Exception is raised again by each form of call, as itself."""
        raised = []

        def interrupt(x):
            raised.append(KeyboardInterrupt('pressed'))
            raise raised[-1]

        executable = compile_with(interrupt)
        session = Ghlo.Session.new(executable)
        loop = GLib.MainLoop()

        def finish(source, result):
            with self.assertRaises(KeyboardInterrupt) as caught:
                source.execute_finish(result)
            self.assertIs(caught.exception, raised[-1])
            loop.quit()

        async def wait():
            await executable.execute_async([X])

        for call in (lambda: executable(X), lambda: executable.execute([X], Gio.Cancellable()),
                     lambda: session.run([X]), lambda: asyncio.run(wait())):
            with self.assertRaises(KeyboardInterrupt) as caught:
                call()
            self.assertIs(caught.exception, raised[-1])
        executable.execute_async([X], None, finish)
        loop.run()
        self.assertEqual(len(raised), 5)

    def test_wrong_results(self):
        for function, text in [
                (lambda x: None, 'expected tensor<4xf32> as result 0'),
                (lambda x: x.astype(np.float64), "for result 0, found tensor<4xf64>: write array.astype ('float32')"),
                (lambda x: x[1:], 'expected tensor<4xf32> as result 0'),
                (lambda x: 'text', 'TypeError: expected a Ghlo.Buffer for result 0 (tensor<4xf32>), found str'),
                (lambda x: (x, x), 'expected tensor<4xf32> as result 0'),
                (lambda: 1, 'TypeError'),
                (lambda x, y: x, 'TypeError')]:
            self.check(function, text)
        self.check(lambda x: x, 'TypeError: expected 0 results () in a tuple, found ndarray', program=NOTE)
        self.check(lambda x, token: 1, 'TypeError: expected 3 results', program=SEVERAL)
        self.check(lambda x, token: ([1, 300000000000], 1, None), 'result 0 (tensor<2xi32>)', program=SEVERAL)

    def test_writes(self):
        def write(x):
            x[0] = 1

        self.check(write, 'ValueError: assignment destination is read-only')

    def test_no_function(self):
        with self.assertRaisesRegex(TypeError, 'expected a function to answer the custom call, found int'):
            Ghlo.Client().register_custom_call('f', 7)
        with self.assertRaisesRegex(GLib.Error, "found 'Sharding', which the library implements itself"):
            Ghlo.Client().register_custom_call('Sharding', abs)
        with self.assertRaisesRegex(GLib.Error, "expected the name of a registered function, found 'f'"):
            Ghlo.Client().unregister_custom_call('f')

    def test_over(self):
        kept = []
        compile_with(lambda x, call: kept.append(call) or x)(X)
        self.assertEqual(kept[0].list_operands(), [])
        self.assertEqual(kept[0].get_attributes().unpack(), {})
        with self.assertRaisesRegex(GLib.Error, 'the custom call has ended'):
            kept[0].get_operand(0)


class TestThreads(unittest.TestCase):
    def test_sync(self):
        seen = []
        (result,) = compile_with(lambda x: seen.append(threading.get_ident()) or x)(X)
        # Other devices have threads of their own.
        if result.get_device() is None:
            self.assertEqual(seen, [threading.get_ident()])

    def test_many(self):
        executable, sums = compile_with(lambda x: x * 2), []

        def work(number):
            for _ in range(50):
                result = executable([number] * 4)
            sums.append(result[0].tolist() == [2 * number + 1] * 4)

        threads = [threading.Thread(target=work, args=[float(number)]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sums, [True] * 8)

    def test_asyncio(self):
        seen = []

        async def main():
            executable = compile_with(lambda x: seen.append(threading.get_ident()) or x * 2)
            results = await asyncio.gather(*(executable.execute_async([X]) for _ in range(8)))
            return [result[0].tolist() for result in results]

        self.assertEqual(asyncio.run(main()), [[3, 5, 7, 9]] * 8)
        self.assertNotIn(threading.get_ident(), seen)

    def test_context(self):
        """A function of the default context is called by its loop, and by a synchronous call of its thread."""
        seen, loop, results = [], GLib.MainLoop(), []
        executable = compile_with(lambda x: seen.append(threading.get_ident()) or x * 2,
                                  context=GLib.MainContext.default())

        def done(_executable, result):
            results.append(executable.execute_finish(result)[0].tolist())
            loop.quit()

        executable.execute_async([X], None, done)
        loop.run()
        results.append(executable(X)[0].tolist())
        self.assertEqual(results, [[3, 5, 7, 9]] * 2)
        self.assertEqual(seen, [threading.get_ident()] * 2)

    def test_cancel(self):
        """A run that waits for a context that nobody iterates, and one whose function looks."""
        for context in [None, GLib.MainContext.new()]:
            began, cancellable, ended = threading.Event(), Gio.Cancellable(), threading.Event()

            def wait(x, call):
                began.set()
                while not call.get_cancellable().is_cancelled():
                    time.sleep(0.001)
                ended.set()

            executable = compile_with(wait, context=context)

            async def main():
                run = asyncio.ensure_future(executable.execute_async([X], cancellable))
                await asyncio.sleep(0.05)
                if context is None:
                    self.assertTrue(began.wait(10))
                cancellable.cancel()
                with self.assertRaises(GLib.Error) as raised:
                    await run
                self.assertTrue(raised.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))

            asyncio.run(main())
            self.assertEqual(ended.wait(10 if context is None else 0), context is None)


class TestLife(unittest.TestCase):
    def test_references(self):
        """A function goes with the last executable that may call it."""
        def make():
            def answer(x):
                return x
            return answer, weakref.ref(answer)

        client = Ghlo.Client()
        answer, watched = make()
        client.register_custom_call('f', answer)
        del answer
        executable = client.compile(Ghlo.Program.parse(ONE))
        client.unregister_custom_call('f')
        collect()
        self.assertIsNotNone(watched())
        executable(X)
        del executable
        collect()
        self.assertIsNone(watched())

    def test_memory(self):
        executable, kept = compile_with(lambda x: x * 2), []
        for _ in range(20):
            executable(X)
        collect()
        weak = []
        executable = compile_with(lambda x, call: weak.append(weakref.ref(call)) or x)
        for _ in range(100):
            executable(X)
        collect()
        self.assertEqual([call for call in (each() for each in weak) if call is not None], kept)

    def test_end(self):
        """The interpreter ends while functions are at work, wait, or are about to be called."""
        for _ in range(3):
            start = time.monotonic()
            children = {how: subprocess.Popen([sys.executable, __file__, 'end', how], stderr=subprocess.PIPE, text=True)
                        for how in ['busy', 'asleep', 'in-context', 'often', 'without-calls']}
            for how, child in children.items():
                with self.subTest(how):
                    _, errors = child.communicate(timeout=100)
                    self.assertEqual((child.returncode, errors), (0, ''))
            self.assertLess(time.monotonic() - start, 60)


def end(how):
    def busy(x):
        while True:
            x.sum()

    def asleep(x):
        time.sleep(1000)

    if how == 'without-calls':
        executable = Ghlo.Client().compile(Ghlo.Program.parse(WITHOUT))
    else:
        executable = compile_with({'busy': busy, 'asleep': asleep}.get(how, lambda x: x),
                                  context=GLib.MainContext.new() if how == 'in-context' else None)
    x = Ghlo.Buffer.from_numpy(np.float32(X))
    for _ in range(2 if how in ('busy', 'asleep', 'in-context') else 400):
        executable.execute_async([x], None, lambda *_: None)
    time.sleep(0 if how == 'without-calls' else 0.02)


if __name__ == '__main__':
    if sys.argv[1:2] == ['end']:
        end(sys.argv[2])
    else:
        os.environ.setdefault('PYTHONDONTWRITEBYTECODE', '1')
        unittest.main(verbosity=2)
