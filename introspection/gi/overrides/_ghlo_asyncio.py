# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asynchronous calls without a callback, awaited in asyncio.

A call is answered in the GLib main context that was the thread's default when the call
was made. Here that is a context of the thread's own, which only asyncio's loop iterates:
the loop watches the file descriptor that wakes the context up. So there is no second
thread, no GLib main loop is needed or disturbed, and everything (the answer, and the
notifications of a Ghlo.Progress) happens in the loop's thread.

GLib's functions are called through ctypes, since the ones that return the descriptor
cannot be introspected.
"""

import asyncio
import ctypes
import threading
import weakref

from . import _ghlo_arrays as _arrays

# G_MAIN_CONTEXT_FLAGS_OWNERLESS_POLLING: the context wakes up for answers though no thread owns it.
_OWNERLESS_POLLING = 1
_MAX_PRIORITY = 0x7fffffff

# The number of iterations of the context before asyncio gets its turn.
_TURN = 64


class _PollFD(ctypes.Structure):
    _fields_ = [('fd', ctypes.c_int), ('events', ctypes.c_ushort), ('revents', ctypes.c_ushort)]


def _load():
    library = ctypes.CDLL('libglib-2.0.so.0')
    pointer, integer = ctypes.c_void_p, ctypes.c_int
    out = ctypes.POINTER(ctypes.c_int)
    for name, result, *arguments in [
            ('new_with_flags', pointer, integer),
            ('unref', None, pointer),
            ('acquire', integer, pointer),
            ('release', None, pointer),
            ('push_thread_default', None, pointer),
            ('pop_thread_default', None, pointer),
            ('iteration', integer, pointer, integer),
            ('prepare', integer, pointer, out),
            ('query', integer, pointer, integer, out, ctypes.POINTER(_PollFD), integer)]:
        function = getattr(library, 'g_main_context_' + name)
        function.restype, function.argtypes = result, arguments
    return library


_glib = _load()


class _Context(object):
    """A main context that the asyncio loops of one thread dispatch, one after the
    other. Calls that one loop left unanswered are answered in the next."""

    def __init__(self):
        self._context = _glib.g_main_context_new_with_flags(_OWNERLESS_POLLING)
        self._served = weakref.WeakSet()
        with self:
            _, self._wakeup = self._query()

    def __del__(self, unref=_glib.g_main_context_unref):
        unref(self._context)

    def __enter__(self):
        """Makes this the default context of the thread, in which later calls are answered."""
        _glib.g_main_context_push_thread_default(self._context)

    def __exit__(self, *_):
        _glib.g_main_context_pop_thread_default(self._context)

    def serve(self, loop):
        if loop not in self._served:
            loop.add_reader(self._wakeup, self._dispatch)
            self._served.add(loop)

    def _query(self):
        """Returns the milliseconds until the next source is due (-1 for none), and the wake-up descriptor."""
        fds, timeout, priority = (_PollFD * 1)(), ctypes.c_int(-1), ctypes.c_int()
        _glib.g_main_context_prepare(self._context, ctypes.byref(priority))
        _glib.g_main_context_query(self._context, _MAX_PRIORITY, ctypes.byref(timeout), fds, 1)
        return timeout.value, fds[0].fd

    def _dispatch(self):
        loop = asyncio.get_running_loop()
        if not _glib.g_main_context_acquire(self._context):
            # The loop moved to another thread, and its former thread is iterating this context.
            loop.call_later(0.01, self._dispatch)
            return
        try:
            with self:
                for _ in range(_TURN):
                    if not _glib.g_main_context_iteration(self._context, False):
                        break
                timeout, _ = self._query()
        finally:
            _glib.g_main_context_release(self._context)
        if timeout >= 0:
            loop.call_later(timeout / 1000, self._dispatch)


_threads = threading.local()


def get_context():
    """Returns the context of the asyncio loop that runs in this thread, or None without one."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    context = getattr(_threads, 'context', None)
    if context is None:
        context = _threads.context = _Context()
    context.serve(loop)
    return context


class Call(asyncio.Future):
    """An asynchronous call under way. The call begins when it is made, not when it is
    awaited; cancelling this future, or the task that awaits it, cancels the call."""

    def __init__(self, name):
        super().__init__(loop=asyncio.get_running_loop())
        self._name = name
        self._pending = None

    def __repr__(self):
        return '<%s %s>' % (self._name, 'under way' if not self.done() else 'cancelled' if self.cancelled() else 'done')

    def cancel(self, *arguments, **keywords):
        if not super().cancel(*arguments, **keywords):
            return False
        if self._pending is not None:
            self._pending.cancel()
        return True

    def start(self, begin, finish):
        """Starts the call. begin (answer) starts it and returns an object that cancels it; answer (result) is
        called with the argument of finish (result)."""
        try:
            self._pending = begin(lambda result: self._answer(finish, result))
        except Exception as error:
            self.set_exception(error)
        return self

    def start_run(self, source, inputs):
        """Starts a run through _ghlo_direct; returns False where that declines."""
        self._pending = _arrays.direct.start(source, inputs, source._forms or source._list_forms(), self._settle)
        return self._pending is not None

    def _answer(self, finish, result):
        value = error = None
        try:
            value = finish(result)
        except BaseException as raised:
            # A KeyboardInterrupt or SystemExit of a custom call is raised where the call is awaited.
            error = raised
        self._settle(value, error)

    def _settle(self, value, error):
        self._pending = None
        if self.done() or self.get_loop().is_closed():
            return
        if error is not None:
            self.set_exception(error)
        else:
            self.set_result(value)
