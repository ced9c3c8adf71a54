# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of other libraries that programs call by name, through XLA's FFI.

jax.ffi.register_ffi_target(name, handler, platform='ghlo') ends up here, and handlers are registered through the
plugin's extensions. The structures match those of src/pjrt/abi-extensions.h and src/pjrt/ffi/abi.h.
"""

import ctypes

_GPU_CUSTOM_CALL, _FFI = 0, 5
_STAGES = 'instantiate', 'prepare', 'initialize', 'execute'


class _Base(ctypes.Structure):
    pass


_Base._fields_ = [('struct_size', ctypes.c_size_t), ('type', ctypes.c_int), ('next', ctypes.POINTER(_Base))]


class _ErrorArgs(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_size_t), ('extension_start', ctypes.c_void_p), ('error', ctypes.c_void_p),
                ('message', ctypes.c_void_p), ('message_size', ctypes.c_size_t)]


class _CallArgs(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_size_t), ('name', ctypes.c_char_p), ('name_size', ctypes.c_size_t),
                ('api_version', ctypes.c_int), *((stage, ctypes.c_void_p) for stage in _STAGES)]


class _TypeInfo(ctypes.Structure):
    _fields_ = [('deleter', ctypes.c_void_p), ('serialize', ctypes.c_void_p), ('deserialize', ctypes.c_void_p)]


class _TypeArgs(ctypes.Structure):
    _fields_ = [('struct_size', ctypes.c_size_t), ('extension_start', ctypes.c_void_p), ('name', ctypes.c_char_p),
                ('name_size', ctypes.c_size_t), ('type_id', ctypes.c_int64), ('info', ctypes.POINTER(_TypeInfo))]


class _HandlerTypeInfo(ctypes.Structure):
    """XLA_FFI_TypeInfo."""

    _fields_ = [('struct_size', ctypes.c_size_t), ('extension_start', ctypes.c_void_p), ('deleter', ctypes.c_void_p)]


def _function(arguments):
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(arguments))


class _Api(ctypes.Structure):
    """The first fields of PJRT's table of functions."""

    _fields_ = [('struct_size', ctypes.c_size_t), ('extensions', ctypes.POINTER(_Base)),
                ('version', ctypes.c_byte * 24), ('destroy', _function(_ErrorArgs)), ('message', _function(_ErrorArgs))]


class _CallExtension(ctypes.Structure):
    _fields_ = [('base', _Base), ('custom_call', _function(_CallArgs))]


class _TypeExtension(ctypes.Structure):
    _fields_ = [('base', _Base), ('type_register', _function(_TypeArgs))]


def _pointer(capsule):
    """Returns the pointer in a PyCapsule of any name; None for None."""
    if capsule is None:
        return None
    python = ctypes.pythonapi
    python.PyCapsule_GetName.restype, python.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return python.PyCapsule_GetPointer(capsule, python.PyCapsule_GetName(capsule))


class Registrar:
    """Registers handlers and types with the plugin.

    Raises AttributeError when the plugin does not have the extensions.
    """

    def __init__(self, path):
        get = ctypes.CDLL(str(path)).GetPjrtApi
        get.restype = ctypes.POINTER(_Api)
        self._api = get().contents
        found = {}
        extension = self._api.extensions
        while extension:
            found[extension.contents.type] = extension
            extension = extension.contents.next
        if not found.keys() >= {_GPU_CUSTOM_CALL, _FFI}:
            raise AttributeError("the plugin does not have PJRT's extensions for XLA's FFI")
        self._register_call = ctypes.cast(found[_GPU_CUSTOM_CALL], ctypes.POINTER(_CallExtension)).contents.custom_call
        self._register_type = ctypes.cast(found[_FFI], ctypes.POINTER(_TypeExtension)).contents.type_register

    def _check(self, error):
        if error:
            arguments = _ErrorArgs(struct_size=ctypes.sizeof(_ErrorArgs), error=error)
            self._api.message(arguments)
            message = ctypes.string_at(arguments.message, arguments.message_size).decode()
            self._api.destroy(arguments)
            raise RuntimeError(message)

    def register_call(self, name, handler, _platform, api_version=0, _traits=0):
        """Registers a handler: a PyCapsule of a function, or a dictionary with one for each stage."""
        name = name.encode() if isinstance(name, str) else name
        stages = handler if isinstance(handler, dict) else {'execute': handler}
        self._check(self._register_call(_CallArgs(
            struct_size=ctypes.sizeof(_CallArgs), name=name, name_size=len(name), api_version=api_version,
            **{stage: _pointer(stages.get(stage)) for stage in _STAGES})))

    def register_type(self, name, registration):
        """Registers a type: a dictionary with PyCapsules of its number, which is set if it is 0, and of its deleter."""
        name = name.encode() if isinstance(name, str) else name
        number = ctypes.c_int64.from_address(_pointer(registration['type_id']))
        info = _pointer(registration.get('type_info'))
        deleter = _HandlerTypeInfo.from_address(info).deleter if info else None
        arguments = _TypeArgs(struct_size=ctypes.sizeof(_TypeArgs), name=name, name_size=len(name),
                              type_id=number.value, info=ctypes.pointer(_TypeInfo(deleter=deleter)))
        self._check(self._register_type(arguments))
        number.value = arguments.type_id
