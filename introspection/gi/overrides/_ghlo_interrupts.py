# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-C in a call that blocks the main thread.

While the library works, Python cannot run signal handlers in the main thread, but it writes
each signal to its wakeup descriptor. During a call that descriptor is a pipe of this module:
a thread reads it and cancels the call. When the call has returned, the handler that was set
before runs, and raises KeyboardInterrupt. Signals are forwarded to the descriptor that was
set before.

A run through _ghlo_direct (introspection/direct) leaves Python's handler and descriptor
alone; its own C signal handler writes to the pipe.

Under a handler of the application's own, which may have another purpose, a call continues, as
Python's own system calls do.
"""

import os
import select
import threading
# The functions of module signal convert handlers to enum members, which takes as long as a short run.
from _signal import SIGINT, default_int_handler, getsignal, set_wakeup_fd, signal

from gi.repository import Gio, GLib, GObject

from . import _ghlo_arrays as _arrays
from . import _ghlo_exit as _exit

# The modules of handlers that replace Python's own while a main loop runs.
_STAND_INS = ('asyncio.runners', 'gi._ossighelper')


class _Watch(object):
    """A thread that waits for one Ctrl-C, on behalf of all calls until then."""

    def __init__(self):
        self.stop = Gio.Cancellable()
        self.is_over = False          # set in the main thread, by the handler or when a call was cancelled
        self._lock = threading.Lock()
        self._descriptor = -1         # set before the call, to be told of signals; guarded by the lock, as the next
        self._is_pressed = False
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self.for_direct = self.stop, self._writing, os.getpid()
        threading.Thread(target=self._wait, name='ghlo-interrupt', daemon=True).start()

    def was_pressed(self):
        """Returns whether Ctrl-C was pressed during a call that writes to the pipe."""
        self._take_signals()
        return self._is_pressed

    def end(self):
        """Ends this watch, so that the next call gets a new one: its thread has cancelled calls, or is about to."""
        self.is_over = True
        os.close(self._writing)

    def run(self, function, arguments, handler):
        """Calls the function; handler is the one that was installed for SIGINT."""
        if getattr(handler, '__self__', None) is self:
            # A nested call, made by a progress handler of the outer call.
            return function(*arguments)
        result = None
        try:
            result = self._run(function, arguments, handler)
        except Exception:
            if not self.is_over:
                raise
        if self.is_over:
            self.end()
            handler(SIGINT, None)
            if result is None:
                # The handler did not raise: a main loop's handler tells the loop to quit.
                raise KeyboardInterrupt
        return result

    def _run(self, function, arguments, handler):
        signal(SIGINT, self._on_signal)
        # From here until the handler is restored, SIGINT raises no exception.
        try:
            descriptor = set_wakeup_fd(self._writing)
            try:
                if descriptor >= 0:
                    self._descriptor = descriptor
                return function(*arguments)
            finally:
                set_wakeup_fd(descriptor)
                if descriptor >= 0:
                    self._take_signals()
                    with self._lock:
                        self._descriptor = -1
        finally:
            signal(SIGINT, handler)

    def _on_signal(self, *_):
        self.is_over = True

    def _wait(self):
        signals = None
        while signals != b'':
            select.select([self._reading], [], [])
            signals = self._take_signals()
            if signals is not None and SIGINT in signals:
                self.stop.cancel()
        os.close(self._reading)

    def _take_signals(self):
        """Reads and forwards signals from the pipe: None where there are none, b'' where the pipe was closed."""
        with self._lock:
            try:
                signals = os.read(self._reading, 64)
            except BlockingIOError:
                return None
            self._is_pressed |= SIGINT in signals
            try:
                if self._descriptor >= 0:
                    os.write(self._descriptor, signals)
            except OSError:
                # The descriptor is closed, or its pipe is full and wakes up its reader anyway.
                pass
            return signals


_watch = None

# Whether Python functions may be called during a run, on the thread that started it.
may_call_back = False


def _get_watch(handler):
    """Returns the watch, or None where Ctrl-C ends no call: outside the main thread, or under another handler."""
    global _watch
    if threading.get_ident() != threading.main_thread().ident:
        return None
    if _watch is not None and getattr(handler, '__self__', None) is _watch:
        return _watch
    if handler is not default_int_handler \
            and getattr(getattr(handler, 'func', handler), '__module__', None) not in _STAND_INS:
        return None
    if _watch is None or _watch.is_over:
        try:
            signal(SIGINT, handler)
        except ValueError:
            # Subinterpreters have no signals.
            return None
        _watch = _Watch()
    return _watch


def _forget_watch():
    """Called in the child of a fork, which inherits the pipe but not the thread."""
    global _watch
    _watch = None


os.register_at_fork(after_in_child=_forget_watch)


def run_direct(source, inputs):
    """Runs an executable or a session through _ghlo_direct, cancelled by Ctrl-C; None where that declines.

    Only destructors run Python code in this thread meanwhile. So Python's handler stays installed, and is called
    when the run has ended."""
    if _arrays.direct is None or may_call_back:
        return None
    run, forms, handler, watch = _arrays.direct.run, source._forms or source._list_forms(), getsignal(SIGINT), _watch
    if handler is not default_int_handler or threading.get_ident() != threading.main_thread().ident:
        return run(source, inputs, forms, None) if _get_watch(handler) is None else None
    if watch is None or watch.is_over:
        watch = _get_watch(handler)
        if watch is None:
            return None
    try:
        return run(source, inputs, forms, watch.for_direct)
    except GLib.Error:
        if not watch.was_pressed():
            raise
    except KeyboardInterrupt:
        watch.end()
        raise
    # A destructor has swallowed the exception of the handler.
    watch.end()
    raise KeyboardInterrupt


def link(cancellable, stop):
    """Makes cancellable cancel stop, but not the reverse; returns a function that undoes this."""
    handler = GObject.Object.connect(cancellable, 'cancelled', lambda *_: stop.cancel())
    if cancellable.is_cancelled():
        stop.cancel()
    return lambda: GObject.Object.disconnect(cancellable, handler)


def call(function, arguments, at_cancellable):
    """Calls function (*arguments), cancelled by Ctrl-C. Modifies the list of arguments."""
    try:
        return _call(function, arguments, at_cancellable)
    except GLib.Error as error:
        _exit.raise_carried(error)
        raise


def _call(function, arguments, at_cancellable):
    handler = getsignal(SIGINT)
    watch = _get_watch(handler)
    cancellable = arguments[at_cancellable]
    if watch is None or not (cancellable is None or isinstance(cancellable, Gio.Cancellable)):
        return function(*arguments)
    if cancellable is None:
        arguments[at_cancellable] = watch.stop
        return watch.run(function, arguments, handler)

    # Not the caller's cancellable, which other calls may share.
    stop = arguments[at_cancellable] = Gio.Cancellable()
    unlink, unlink_watch = link(cancellable, stop), link(watch.stop, stop)
    try:
        return watch.run(function, arguments, handler)
    finally:
        unlink()
        unlink_watch()
