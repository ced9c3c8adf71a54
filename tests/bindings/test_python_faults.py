#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Device failures reach Python: for each call of the public API, every call of the fake device that it needs fails in
turn. The public call raises the device's error, leaks nothing, and the next call succeeds.

The typelib "Fake" controls which calls of the fake device (tests/fake) fail."""

import asyncio
import gc
import os
import tempfile
import time
import unittest

from python_common import Ghlo, GLib, collect

import gi
import numpy as np

gi.require_version('Fake', '1.0')
from gi.repository import Fake  # noqa: E402

ADD = '''func.func @main(%left: tensor<2xi32>, %right: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.add %left, %right : tensor<2xi32>
  return %0 : tensor<2xi32>
}
'''

# Gives the state; the next one is the sum of state and step.
COUNTER = '''func.func @main(%step: tensor<2xi32>, %state: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %0 = stablehlo.add %state, %step : tensor<2xi32>
  return %state, %0 : tensor<2xi32>, tensor<2xi32>
}
'''

# The size of its output is known when it has run.
OPEN = '''func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = stablehlo.add %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}
'''

# Nobody keeps an executable of it, so each compile has the device prepare it.
TWICE = ADD.replace('%left, %right', '%left, %left')

FIRST = '''func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  return %x : tensor<2xi32>
}
'''

CODES = [Ghlo.Error.DEVICE, Ghlo.Error.OUT_OF_MEMORY, Ghlo.Error.DEVICE_LOST]
DEVICE = "the device 'fake'"
PAIR = np.array([1, 2], np.int32)
TWICE_PAIR = [2, 4]
# In which a call answers, and what it leaves behind goes.
SECONDS = 100 if 'GHLO_TEST_SLOW' in os.environ else 10


class Work:
    """What an application has before the call that fails. PAIR is in each input, and twice PAIR in each output."""

    def __init__(self):
        self.client = Ghlo.Client()
        self.saved = self.compile(TWICE).serialize()
        self.adder, self.open, self.counter = self.compile(ADD), self.compile(OPEN), self.compile(COUNTER)
        self.device = self.adder.get_device()
        self.host = Ghlo.Buffer.from_numpy(PAIR)
        self.placed = self.host.copy_to_device(self.device)
        (self.output,) = self.adder(self.host, self.placed)
        self.session = self.make_session()
        (self.cpu,) = [device for device in self.client.list_devices() if device.get_kind() == Ghlo.DeviceKind.CPU]

    def compile(self, text, device=None):
        return self.client.compile(Ghlo.Program.parse(text), Ghlo.CompileOptions(device=device))

    def compile_async(self, text, device=None):
        return self.client.compile_async(Ghlo.Program.parse(text), Ghlo.CompileOptions(device=device))

    def make_session(self):
        session = Ghlo.Session.new(self.counter)
        session.bind_input(0, self.host)
        session.carry(1, 1, self.placed)
        return session


# What the test calls. Each call gives twice PAIR, or what has it as its one output; it can be made again.

def run_session(work):
    session = work.make_session()
    session()
    return session()[0]


def run_session_again(work):
    """Of a session that may have lost its state."""
    work.session.reset()
    work.session()
    return work.session()[0]


def bind_output(work):
    session, array = work.make_session(), np.zeros(2, np.int32)
    session()
    session.bind_output(0, array)
    session()
    session.unbind_output(0)
    return array


def copy_state(work):
    work.session.reset()
    work.session()
    return work.session.copy_state(1)


def save(work):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'output.npy')
        work.output.save(path)
        return np.load(path)


async def save_async(work):
    """Two calls that go on at the same time, of which one makes the copy that both want."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ['one.npy', 'other.npy']]
        await settle([work.output.save_async(path) for path in paths])
        return np.load(paths[1])


async def settle(calls, may_follow=False):
    """The answers of calls that go on at the same time. Raises the first error, which the others have as well, if any.
    may_follow says that runs after the one that failed may say instead that the session's state is lost."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors[1:]:
        assert (error.domain, error.code) == (errors[0].domain, errors[0].code) or (
            may_follow and error.matches(Ghlo.error_quark(), Ghlo.Error.INVALID_ARGUMENT)), error
    if errors:
        raise errors[0]
    return answers


async def execute_async(work):
    results = await settle([work.adder.execute_async([work.host, work.placed]) for _ in range(3)])
    return results[2][0]


async def run_session_async(work):
    """Runs that are called before those before them have ended, and a copy of what is carried."""
    session = work.make_session()
    results = await settle([session.run_async() for _ in range(3)] + [session.copy_state_async(1)], may_follow=True)
    return results[1][0]


async def copy_state_async(work):
    session = work.make_session()
    await session.run_async()
    return await session.copy_state_async(1)


def execute_with_callback(work):
    loop, answers = GLib.MainLoop(), []

    def on_answer(executable, result):
        answers.append(result)
        loop.quit()

    work.adder.execute_async([work.host, work.placed], None, on_answer)
    loop.run()
    return work.adder.execute_finish(answers[0])


CALLS = {
    'compile': lambda work: work.compile(TWICE),
    'compile, for the device': lambda work: work.compile(TWICE, work.device),
    'compile_async': lambda work: work.compile_async(TWICE),
    'compile_async, for the device': lambda work: work.compile_async(TWICE, work.device),
    'load_executable': lambda work: work.client.load_executable(work.saved, 0),
    'load_executable_async': lambda work: work.client.load_executable_async(work.saved, 0),
    'execute': lambda work: work.adder.execute([work.host, work.placed]),
    'execute, of arrays': lambda work: work.adder(PAIR, PAIR),
    'execute, of an open size': lambda work: work.open(work.host),
    'execute, on another device': lambda work: work.compile(FIRST, work.cpu)(work.output),
    'execute, with a callback': execute_with_callback,
    'execute_async': execute_async,
    'execute_async, of an open size': lambda work: work.open.execute_async([PAIR]),
    'bind_input, carry, run': run_session,
    'run, of a session that lost its state': run_session_again,
    'run_async': run_session_async,
    'bind_output, run': bind_output,
    'copy_state': copy_state,
    'copy_state_async': copy_state_async,
    'copy_to_device': lambda work: Ghlo.Buffer.from_numpy(2 * PAIR).copy_to_device(work.device),
    'copy_to_device_async': lambda work: Ghlo.Buffer.from_numpy(2 * PAIR).copy_to_device_async(work.device),
    'copy_to_device, of the processor': lambda work: work.output.copy_to_device(work.cpu),
    'read': lambda work: work.output.read(),
    'read_async': lambda work: work.output.read_async(),
    'numpy.asarray': lambda work: np.asarray(work.output),
    'numpy.from_dlpack': lambda work: np.from_dlpack(work.output),
    'save': save,
    'save_async': save_async,
}
# These take the device that is there when they are called.
CHOOSING = ['compile', 'compile_async', 'load_executable', 'load_executable_async']


def to_list(given):
    if isinstance(given, Ghlo.Executable):
        given = given(PAIR, PAIR)
    if isinstance(given, Ghlo.Result):
        (given,) = given
    return (np.frombuffer(given.get_data(), np.int32) if isinstance(given, GLib.Bytes) else np.asarray(given)).tolist()


def answer(name, work):
    """What a call gives, in asyncio where it is awaited there."""
    async def main():
        return await asyncio.wait_for(CALLS[name](work), SECONDS)

    return asyncio.run(main()) if '_async' in name else CALLS[name](work)


def count_calls():
    return [Fake.count_calls(Fake.Call(call)) for call in range(Fake.Call.N_CALLS)]


class TestFaults(unittest.TestCase):
    def check_nothing_left(self):
        """Neither on the device nor of the values of the process, as the client tells it."""
        deadline = time.monotonic() + SECONDS
        collect()
        while Fake.describe_left() and time.monotonic() < deadline:
            time.sleep(0.001)
            collect()
        self.assertEqual(Fake.describe_left(), '')
        self.assertEqual(Ghlo.Client().get_statistics().get_memory_used(), 0)

    def run_once(self, name):
        """A run in which nothing fails. Gives how often it called the device, for each of the device's calls."""
        work = Work()
        before = count_calls()
        given = answer(name, work)
        n_calls = [now - then for now, then in zip(count_calls(), before)]
        self.assertEqual(to_list(given), TWICE_PAIR)
        del work, given
        self.check_nothing_left()
        return n_calls

    def check_raises(self, name, work, code, says):
        with self.assertRaises(GLib.Error) as raised:
            answer(name, work)
        self.assertTrue(raised.exception.matches(Ghlo.error_quark(), code), raised.exception)
        self.assertIn(says, raised.exception.message)

    def fail_one(self, name, call, n, code):
        work = Work()
        lost = code == Ghlo.Error.DEVICE_LOST
        Fake.fail(call, n, code)
        # What goes on beside the call that loses the device may be the first to say so.
        self.check_raises(name, work, code, DEVICE if lost else '%s failed to %s' % (DEVICE, Fake.call_name(call)))
        self.assertTrue(Fake.has_failed())
        Fake.fail(call, 0, code)
        self.assertEqual(work.device.is_lost(), lost)
        if lost and name not in CHOOSING:
            self.check_raises(name, work, code, DEVICE)
        else:
            self.assertEqual(to_list(answer(name, work)), TWICE_PAIR)
        del work
        self.check_nothing_left()

    def check_call(self, name):
        n_calls = self.run_once(name)
        n_failed = 0
        for call in map(Fake.Call, range(Fake.Call.N_CALLS)):
            for n in range(1, n_calls[call] + 1):
                for code in CODES:
                    with self.subTest(call=Fake.call_name(call), n=n, code=code.value_nick):
                        self.fail_one(name, call, n, code)
                        self.run_once(name)
                        n_failed += 1
        self.assertGreater(n_failed, 0)
        print('%s: %d calls of the device, %d failures' % (name, sum(n_calls), n_failed))


def add_test(name):
    setattr(TestFaults, 'test ' + name, lambda self: self.check_call(name))


for each in CALLS:
    add_test(each)

if __name__ == '__main__':
    # What was imported stays, and need not be looked at in each collection.
    gc.freeze()
    # What one failure leaves behind would fail all that follow.
    unittest.main(verbosity=2, failfast=True)
