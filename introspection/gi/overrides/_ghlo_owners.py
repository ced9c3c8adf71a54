# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python's memory that the library uses in place.

The library holds a GObject as long as it needs the memory, and the Python object that
keeps the memory alive is data of a signal handler of that GObject. No Python function is
passed as a callback: PyGObject allocates a closure with machine code for each, some of
which libgirepository leaks, and a callback that runs while an exception is being raised
replaces that exception.
"""

import atexit
import itertools

from gi.repository import GObject

_numbers = itertools.count()
# Weak references to the living owners, by number.
_living = {}


class _Memory(object):
    """Keeps the memory alive; release () (may be None) is called when this object is freed, on any thread."""

    def __init__(self, kept, release, owner):
        self._kept, self._release, self._number = kept, release, next(_numbers)
        _living[self._number] = owner.weak_ref()

    def __del__(self):
        del _living[self._number]
        if self._release is not None:
            self._release()


def make_owner(kept, release=None):
    """Makes the object that the library holds as long as it needs the memory that kept keeps alive."""
    owner = GObject.Object()
    owner.connect('notify', _ignore, _Memory(kept, release, owner))
    return owner


def _ignore(*_):
    pass


@atexit.register
def _leave():
    """Leaks the living owners, whose memory the library may still read after Python has been finalized."""
    living = list(_living.values())
    if living:
        import ctypes
    for find in living:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(find()))
