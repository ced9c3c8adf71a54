# SPDX-License-Identifier: LGPL-2.1-or-later
"""Python functions that programs call by number, and the C functions through which the plugin calls them.

A function exists while somebody holds its number: the lowering of a program that calls it, and each program that the
plugin has compiled. The structures match those of src/pjrt/callbacks.h.
"""

import atexit
import ctypes
import functools
import itertools
import threading
import traceback

import numpy as np


class _Array(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('size', ctypes.c_size_t), ('owner', ctypes.c_void_p)]


class _Call(ctypes.Structure):
    _fields_ = [
        ('struct_size', ctypes.c_size_t),
        ('index', ctypes.c_int64),
        ('operands', ctypes.POINTER(_Array)),
        ('n_operands', ctypes.c_size_t),
        ('results', ctypes.POINTER(_Array)),
        ('n_results', ctypes.c_size_t),
        ('drop', ctypes.c_void_p),      # a plain address, since it is called after the structure is gone
        ('fail', ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)),
        ('error', ctypes.c_void_p),
    ]


# The address is the same in every call.
_drop_at = functools.lru_cache(maxsize=1)(ctypes.CFUNCTYPE(None, ctypes.c_void_p))
_CALL = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(_Call))
_HOLD = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)
_LET_GO = ctypes.CFUNCTYPE(None, ctypes.c_int64)


class _Callbacks(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_size_t), ('call', _CALL), ('hold', _HOLD), ('let_go', _LET_GO)]


class _Memory:
    """Memory of the plugin as a buffer for NumPy's arrays. @drop releases the reference to its owner at the end."""

    __slots__ = ('__array_interface__', '_drop', '_owner')

    def __init__(self, array, drop=None):
        # NumPy needs an address even for zero bytes, and does not accept 0.
        self.__array_interface__ = {
            'data': (array.data or 1, drop is not None), 'shape': (array.size,), 'typestr': '|u1', 'version': 3,
        }
        self._drop, self._owner = drop, array.owner

    def __del__(self):
        if self._drop is not None:
            self._drop(self._owner)


def _view(memory, n_bytes, specification):
    """Returns the memory as an array of the specified shape and type."""
    expected = specification.dtype.itemsize * int(np.prod(specification.shape, dtype=np.int64))
    if n_bytes != expected:
        raise TypeError(f'expected {expected} bytes for {specification.dtype}{list(specification.shape)}, '
                        f'found {n_bytes}')
    return np.asarray(memory).view(specification.dtype).reshape(specification.shape)


class Function:
    """A function of arrays, with the shapes and NumPy types of its operands and results."""

    def __init__(self, function, operands, results):
        self.function, self.operands, self.results = function, operands, results
        self.n_holders = 0

    def call(self, call):
        drop = _drop_at(call.drop)
        memories = [_Memory(call.operands[i], drop) for i in range(call.n_operands)]
        if (call.n_operands, call.n_results) != (len(self.operands), len(self.results)):
            raise TypeError(f'expected {len(self.operands)} operands and {len(self.results)} results, '
                            f'found {call.n_operands} and {call.n_results}')
        operands = [_view(memory, call.operands[i].size, self.operands[i]) for i, memory in enumerate(memories)]
        found = self.function(*operands)
        for i, specification in enumerate(self.results):
            array = call.results[i]
            np.copyto(_view(_Memory(array), array.size, specification), found[i], casting='no')


class Listener:
    """A function of bytes, which the plugin calls during a compile."""

    def __init__(self, function):
        self.function = function
        self.n_holders = 0

    def call(self, call):
        memory, = (_Memory(call.operands[i], _drop_at(call.drop)) for i in range(call.n_operands))
        self.function(np.asarray(memory).tobytes())


class _Registry:
    """Functions by number. Numbers are never reused."""

    def __init__(self):
        # Recursive: the garbage collector may run meanwhile on this thread and free an object that lets go of a number.
        self._lock = threading.RLock()
        self._functions = {}
        self._numbers = itertools.count()

    def add(self, function):
        """Adds a function. Returns its number, which is held once."""
        with self._lock:
            index = next(self._numbers)
            function.n_holders = 1
            self._functions[index] = function
        return index

    def find(self, index):
        return self._functions[index]

    def hold(self, index):
        with self._lock:
            function = self._functions.get(index)
            if function is not None:
                function.n_holders += 1
        return function is not None

    def let_go(self, index):
        with self._lock:
            function = self._functions[index]
            function.n_holders -= 1
            if function.n_holders == 0:
                del self._functions[index]
        # The function is freed after the lock is released, since objects that it owns may call back.

    def __len__(self):
        return len(self._functions)


registry = _Registry()


class Holder:
    """Holds the number of a function during its own lifetime."""

    def __init__(self, function):
        self.index = registry.add(function)

    def __del__(self):
        registry.let_go(self.index)


def _describe(error):
    """Formats the exception as Python prints it: the traceback, the type and the message."""
    return ''.join(traceback.format_exception(error)).rstrip().encode('utf-8', 'replace').replace(b'\0', b'?')


@_CALL
def _call(pointer):
    call = pointer.contents
    try:
        registry.find(call.index).call(call)
    except BaseException as error:    # pylint: disable=broad-exception-caught
        # Catches everything, even interrupts: exceptions must not propagate through C code of the plugin.
        call.fail(call.error, _describe(error))
        return 0
    return 1


@_HOLD
def _hold(index):
    return registry.hold(index)


@_LET_GO
def _let_go(index):
    registry.let_go(index)


def connect(path):
    """Passes these functions to the plugin. Raises AttributeError when the plugin has no support for them."""
    callbacks = _Callbacks(ctypes.sizeof(_Callbacks), _call, _hold, _let_go)
    setter = ctypes.CDLL(str(path)).ghlo_pjrt_set_callbacks
    setter.restype, setter.argtypes = None, [ctypes.POINTER(_Callbacks)]
    setter(ctypes.byref(callbacks))
    # When the process ends, programs are freed after Python has ended, some of them on threads of the plugin.
    atexit.register(setter, None)
