# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ctrl-C in a call that blocks the main thread.

While the library works, no handler of Python's can run in the main thread, but each signal
is written to Python's wakeup descriptor. During such a call that is a pipe of ours: a
thread reads it and cancels the call. When the call has returned, the handler that was
set before runs, and raises KeyboardInterrupt. Whatever descriptor was set before is
told of each signal too.

A run by _ghlo_direct (introspection/direct) leaves handler and descriptor as they are, and
has the pipe written to by a handler of the system's.

Under a handler of the application's own, which may have other plans, a call goes on, as
Python's own calls of the system do.
"""

import os
import select
import threading
# What is in signal makes members of enums out of handlers, which takes as long as a short run.
from _signal import SIGINT, default_int_handler, getsignal, set_wakeup_fd, signal

from gi.repository import Gio, GLib, GObject

from . import _ghlo_arrays as _arrays

# Where the handlers are from that stand for Python's own while a main loop runs.
_STAND_INS = ('asyncio.runners', 'gi._ossighelper')


class _Watch(object):
    """A thread that waits for one Ctrl-C, for as many calls as there are until then."""

    def __init__(self):
        self.stop = Gio.Cancellable()
        self.is_over = False          # set in the main thread, by the handler or when a call was ended
        self._lock = threading.Lock()
        self._descriptor = -1         # of somebody else, during a call; guarded by the lock, as the next
        self._is_pressed = False
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        self.for_direct = self.stop, self._writing, os.getpid()
        threading.Thread(target=self._wait, name='ghlo-interrupt', daemon=True).start()

    def was_pressed(self):
        """Whether Ctrl-C came during a call that knew of the pipe."""
        self._take_signals()
        return self._is_pressed

    def end(self):
        """The next call has a new watch: this one's thread has cancelled calls, or is about to."""
        self.is_over = True
        os.close(self._writing)

    def run(self, function, arguments, handler):
        """Calls the function; the handler is who would have been told of SIGINT."""
        if getattr(handler, '__self__', None) is self:
            # A call within a call, out of a handler of its progress.
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
                # The handler of a main loop has told the loop to end.
                raise KeyboardInterrupt
        return result

    def _run(self, function, arguments, handler):
        signal(SIGINT, self._on_signal)
        # From here to the end no handler of SIGINT raises anything.
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
        """What was written to the pipe: None where there is nothing, b'' where it was closed."""
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
                # Closed, or full, which wakes up as well.
                pass
            return signals


_watch = None

# Whether functions of Python's may run within a run, on the thread that called it.
may_call_back = False


def _get_watch(handler):
    """None where Ctrl-C does not end a call: in another thread than the main one, or under another handler."""
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
            # An interpreter that is not the main one has no signals.
            return None
        _watch = _Watch()
    return _watch


def _forget_watch():
    """In the child of a fork, which has the pipe but not the thread."""
    global _watch
    _watch = None


os.register_at_fork(after_in_child=_forget_watch)


def run_direct(source, inputs):
    """A run by _ghlo_direct of an executable or a session, which Ctrl-C ends; None where that is not for it to do.

    Nothing of Python's but destructors runs meanwhile in this thread, so that the handler stays where it is, and is
    called when the run has ended."""
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
    # A destructor has swallowed what the handler raised.
    watch.end()
    raise KeyboardInterrupt


def link(cancellable, stop):
    """Has cancellable cancel stop, without being changed by it; returns what ends that."""
    handler = GObject.Object.connect(cancellable, 'cancelled', lambda *_: stop.cancel())
    if cancellable.is_cancelled():
        stop.cancel()
    return lambda: GObject.Object.disconnect(cancellable, handler)


def call(function, arguments, at_cancellable):
    """function (*arguments), which Ctrl-C ends. Changes the list of arguments."""
    handler = getsignal(SIGINT)
    watch = _get_watch(handler)
    cancellable = arguments[at_cancellable]
    if watch is None or not (cancellable is None or isinstance(cancellable, Gio.Cancellable)):
        return function(*arguments)
    if cancellable is None:
        arguments[at_cancellable] = watch.stop
        return watch.run(function, arguments, handler)

    # The caller's own may be for other calls too.
    stop = arguments[at_cancellable] = Gio.Cancellable()
    unlink, unlink_watch = link(cancellable, stop), link(watch.stop, stop)
    try:
        return watch.run(function, arguments, handler)
    finally:
        unlink()
        unlink_watch()
