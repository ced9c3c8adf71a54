#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-C in blocking calls: each case is a child process that gets SIGINT while it computes."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from python_common import ADD, ENDLESS, Ghlo, Gio, GLib, attempts, compile_text, make_long

import gi
from gi.overrides import _ghlo_calls

import numpy as np

# Seconds after which SIGINT comes, and from then on until KeyboardInterrupt; ten times what is promised.
DELAY, LIMIT = 0.3, 2


def is_cancelled(error):
    return error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED)


def press_later(number=signal.SIGINT, delay=DELAY):
    """Sends a signal to this process, out of another one."""
    subprocess.Popen(['/bin/sh', '-c', 'sleep %s; kill -%d %d' % (delay, number, os.getpid())])


def check_interrupted(function, *arguments, **keywords):
    for taken in attempts(DELAY + LIMIT):
        press_later()
        start = time.monotonic()
        try:
            function(*arguments, **keywords)
        except KeyboardInterrupt as interrupt:
            assert interrupt.__suppress_context__ or interrupt.__context__ is None
        else:
            raise AssertionError('no KeyboardInterrupt')
        taken.append(time.monotonic() - start)
        assert taken[-1] > DELAY / 2, taken
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.set_wakeup_fd(-1) == -1


def get_endless():
    return compile_text(ENDLESS), Ghlo.Buffer.from_numpy(np.int32(1))


def in_execute():
    """Twice, so that nothing of the first one is left, and then a run that ends."""
    executable, one = get_endless()
    check_interrupted(executable.execute, [one])
    check_interrupted(executable, np.int32(1))
    assert compile_text(ADD)(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))[0].get_size() == 24


def in_session():
    executable, one = get_endless()
    check_interrupted(Ghlo.Session.new(executable).run, [one])


def in_parse():
    check_interrupted(Ghlo.Program.parse, make_long(3000000))


def in_compile():
    program = Ghlo.Program.parse(make_long(300000))
    check_interrupted(lambda: [Ghlo.Client().compile(program) for _ in range(100)])


def with_cancellable():
    """The caller's own cancellable stays as it is, and still cancels."""
    executable, one = get_endless()
    cancellable = Gio.Cancellable()
    check_interrupted(executable.execute, [one], cancellable)
    assert not cancellable.is_cancelled()
    for _ in range(2):
        threading.Timer(DELAY, cancellable.cancel).start()
        try:
            executable.execute([one], cancellable)
        except GLib.Error as error:
            assert is_cancelled(error)
        else:
            raise AssertionError('not cancelled')


def with_handler():
    """A handler of the application's own runs when the call has ended, as it would without us."""
    executable, one = get_endless()
    cancellable, seen = Gio.Cancellable(), []
    signal.signal(signal.SIGINT, lambda *_: seen.append(time.monotonic()))
    press_later()
    end = time.monotonic() + 2 * DELAY
    threading.Timer(2 * DELAY, cancellable.cancel).start()
    try:
        executable.execute([one], cancellable)
    except GLib.Error as error:
        assert is_cancelled(error)
    assert len(seen) == 1 and seen[0] > end - 0.05, (seen, end)


def with_wakeup_descriptor():
    """Who set one before is told of each signal, and it is there again."""
    executable, one = get_endless()
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.fileno())
    signal.signal(signal.SIGUSR1, lambda *_: None)
    press_later(signal.SIGUSR1, DELAY / 3)
    press_later()
    try:
        executable.execute([one])
    except KeyboardInterrupt:
        pass
    assert signal.set_wakeup_fd(-1) == theirs.fileno()
    received = b''
    while len(received) < 2:
        received += ours.recv(16)
    assert received == bytes([signal.SIGUSR1, signal.SIGINT]), received


def in_thread():
    """A call of another thread is none of Ctrl-C's. It is on a device of its own, since runs of one device may wait for
    those before them."""
    executable, one = get_endless()
    client = Ghlo.Client()
    (reference,) = [device for device in client.list_devices() if device.get_kind() == Ghlo.DeviceKind.REFERENCE]
    other = client.compile(Ghlo.Program.parse(ENDLESS), Ghlo.CompileOptions(device=reference))
    cancellable, ends = Gio.Cancellable(), []

    def work():
        try:
            other.execute([one], cancellable)
        except GLib.Error as error:
            ends.append(time.monotonic())
            assert is_cancelled(error)

    thread = threading.Thread(target=work)
    thread.start()
    check_interrupted(executable.execute, [one])
    assert thread.is_alive() and not ends
    cancellable.cancel()
    thread.join()
    assert len(ends) == 1


def in_main_loop():
    executable, one = get_endless()
    seen = []

    def block():
        start = time.monotonic()
        try:
            executable.execute([one])
        except KeyboardInterrupt:
            seen.append(time.monotonic() - start)

    for taken in attempts(DELAY + LIMIT):
        seen.clear()
        GLib.idle_add(block)
        press_later()
        try:
            GLib.MainLoop().run()
        except KeyboardInterrupt:
            seen.append('loop')
        assert len(seen) == 2 and seen[1] == 'loop', seen
        taken.append(seen[0])


def in_asyncio():
    executable, one = get_endless()

    async def main():
        executable.execute([one])

    check_interrupted(lambda: asyncio.run(main()))


def in_handler():
    """A call out of a handler of the progress of another call: the outer one ends too."""
    executable, one = get_endless()
    program = Ghlo.Program.parse(make_long(1000))
    progress = Ghlo.Progress()
    progress.connect('notify::stage', lambda *_: executable.execute([one]))
    check_interrupted(Ghlo.Client().compile, program, None, progress)


def wait_for_sleeping_threads():
    """A child of fork() inherits the locks that other threads hold just then, GObject's of its types among them, and
    waits for them for ever: threads that have just begun (GLib's worker, GTask's pool) are to sleep first."""
    def is_asleep(task):
        try:
            return Path(f'/proc/self/task/{task}/stat').read_text().rpartition(')')[2].split()[0] == 'S'
        except (FileNotFoundError, ProcessLookupError):  # it ended before open(), or before read()
            return False

    others = lambda: set(os.listdir('/proc/self/task')) - {str(threading.get_native_id())}
    while not all(map(is_asleep, others())):
        time.sleep(0.01)


def after_fork():
    """A child's Ctrl-C is not its parent's."""
    executable, one = get_endless()
    cancellable = Gio.Cancellable()
    compile_text(ADD)
    wait_for_sleeping_threads()
    child = os.fork()
    if child == 0:
        try:
            Ghlo.Program.parse(ADD)
        except (GLib.Error, KeyboardInterrupt):
            pass
        try:
            os.kill(os.getpid(), signal.SIGINT)
            Ghlo.Program.parse(ADD)
        except (GLib.Error, KeyboardInterrupt):
            pass
        os._exit(0)
    threading.Timer(DELAY, cancellable.cancel).start()
    try:
        executable.execute([one], cancellable)
    except GLib.Error as error:
        assert is_cancelled(error)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


CASES = [in_execute, in_session, in_parse, in_compile, with_cancellable, with_handler, with_wakeup_descriptor,
         in_thread, in_main_loop, in_asyncio, in_handler, after_fork]


class TestInterrupt(unittest.TestCase):
    def run_child(self, *arguments):
        return subprocess.run([sys.executable, __file__, *arguments], stderr=subprocess.PIPE, text=True, timeout=100)

    def test_cases(self):
        for case in CASES:
            with self.subTest(case.__name__):
                child = self.run_child(case.__name__)
                self.assertEqual(child.returncode, 0, child.stderr)

    def test_every_call(self):
        """Whatever can be cancelled is called by way of what ends it."""
        n_calls = 0
        for info in gi.Repository.get_default().get_infos('Ghlo'):
            for method in info.get_methods() if type(info).__name__ == 'ObjectInfo' else []:
                names = [argument.get_name() for argument in method.get_arguments()]
                if 'cancellable' in names and 'callback' not in names:
                    n_calls += 1
                    self.assertIn((info.get_name(), method.get_name()), _ghlo_calls.converted)
        self.assertGreater(n_calls, 10)

    def test_uncaught(self):
        """The process ends as any program of Python's does."""
        child = self.run_child('uncaught')
        self.assertEqual(child.returncode, -signal.SIGINT)
        self.assertTrue(child.stderr.endswith('KeyboardInterrupt\n'), child.stderr)
        self.assertNotIn('During handling', child.stderr)


def uncaught():
    executable, one = get_endless()
    press_later()
    executable.execute([one])


if __name__ == '__main__':
    if len(sys.argv) == 2 and sys.argv[1] in globals():
        # What a shell starts in the background ignores SIGINT.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        globals()[sys.argv[1]]()
        sys.exit(0)
    unittest.main(verbosity=2)
