# SPDX-License-Identifier: LGPL-2.1-or-later
"""The end of the interpreter, and the exceptions that ask for it.

Threads of the library cannot enter Python once it is being finalized, not even to free an
object that Python has seen. So the library is shut down before that.

KeyboardInterrupt and SystemExit from a function that the library calls are not errors of the call:
the error that carries one through the library has a domain of its own, and the exception is raised
again where the call ends.
"""

import atexit
import itertools
import threading

from gi.repository import Ghlo, GLib

from . import _ghlo_owners  # noqa: F401, whose exit handler has to run after the one here

# Milliseconds that the exit handler waits for runs and calls to end.
_PATIENCE = 1000

_is_shut_down = False


@atexit.register
def _shut_down():
    global _is_shut_down
    Ghlo.shut_down(_PATIENCE)
    _is_shut_down = True


def hold_back():
    """To be called before a function returns to a thread of the library: no longer returns once that thread may find no
    interpreter any more."""
    if _is_shut_down:
        threading.Event().wait()


_DOMAIN = 'ghlo-python-exit'
# More than runs that end at once; what no call has reported by then, as after a cancel, is forgotten.
_MOST_EXITS = 64

_numbers = itertools.count(1)
_exits = {}


def carry(exception, message):
    """Returns the error that carries exception, which is no Exception, through the library."""
    number = next(_numbers)
    _exits[number] = exception
    _exits.pop(number - _MOST_EXITS, None)
    return GLib.Error.new_literal(GLib.quark_from_string(_DOMAIN), message, number)


def raise_carried(error):
    """Raises the exception that error carries, if there is one."""
    if error.domain == _DOMAIN:
        exception = _exits.pop(error.code, None)
        if exception is not None:
            raise exception
