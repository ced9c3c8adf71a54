# SPDX-License-Identifier: LGPL-2.1-or-later
"""The end of the interpreter.

Threads of the library cannot enter Python once it is being finalized, not even to free an
object that Python has seen. So the library is shut down before that.
"""

import atexit
import threading

from gi.repository import Ghlo

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
