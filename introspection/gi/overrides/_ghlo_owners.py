# SPDX-License-Identifier: LGPL-2.1-or-later
"""Memory of Python's that the library uses in place.

The library holds an object of GLib's as long as it needs the memory, and what keeps the
memory is data of a signal handler of that object. No function is handed over as a
callback: PyGObject makes machine code of each, of which libgirepository loses some, and
what it calls while an exception is on its way takes the place of the exception.
"""

import atexit
import itertools

from gi.repository import GObject

_numbers = itertools.count()
# The owners that live, known weakly, by number.
_living = {}


class _Memory(object):
    """What keeps the memory; release (), where there is something to do, is called when it goes, on any thread."""

    def __init__(self, kept, release, owner):
        self._kept, self._release, self._number = kept, release, next(_numbers)
        _living[self._number] = owner.weak_ref()

    def __del__(self):
        del _living[self._number]
        if self._release is not None:
            self._release()


def make_owner(kept, release=None):
    """What the library is to hold as long as it needs memory that kept keeps."""
    owner = GObject.Object()
    owner.connect('notify', _ignore, _Memory(kept, release, owner))
    return owner


def _ignore(*_):
    pass


@atexit.register
def _leave():
    """The library may be at work when Python has ended. Then it must not end an owner, nor may what it reads go."""
    living = list(_living.values())
    if living:
        import ctypes
    for find in living:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(find()))
