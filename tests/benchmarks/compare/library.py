# SPDX-License-Identifier: LGPL-2.1-or-later
"""The functions of GHLO's C API that the benchmarks call, through ctypes: a call costs little beyond the
C function, and machines without PyGObject can run the benchmarks. The loader finds libghlo-1.0.so.0
(LD_LIBRARY_PATH). GLib's and GObject's functions are found through that library, which links them."""

import ctypes
import dataclasses
import re
from ctypes import c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p

import numpy as np

# NumPy's types by StableHLO's names; NumPy knows bf16 and i4 once JAX has been imported.
DTYPES = {
    'i1': 'bool', 'i4': 'int4', 'i8': 'int8', 'i16': 'int16', 'i32': 'int32', 'i64': 'int64',
    'ui8': 'uint8', 'ui16': 'uint16', 'ui32': 'uint32', 'ui64': 'uint64',
    'f16': 'float16', 'f32': 'float32', 'f64': 'float64', 'bf16': 'bfloat16',
    'complex<f32>': 'complex64', 'complex<f64>': 'complex128',
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

# Result and arguments by function; FALLIBLE functions have a further last argument, a GError **.
SIGNATURES = {
    'g_bytes_get_data': (c_void_p, [c_void_p, ctypes.POINTER(c_size_t)]),
    'g_bytes_new': (c_void_p, [c_void_p, c_size_t]),
    'g_bytes_new_static': (c_void_p, [c_void_p, c_size_t]),
    'g_bytes_unref': (None, [c_void_p]),
    'g_error_free': (None, [c_void_p]),
    'g_free': (None, [c_void_p]),
    'g_list_model_get_item': (c_void_p, [c_void_p, c_uint]),
    'g_list_model_get_n_items': (c_uint, [c_void_p]),
    'g_object_unref': (None, [c_void_p]),
    'ghlo_buffer_get_tensor_type': (c_void_p, [c_void_p]),
    'ghlo_client_new': (c_void_p, []),
    'ghlo_compile_options_new': (c_void_p, []),
    'ghlo_compile_options_set_caching': (None, [c_void_p, c_int]),
    'ghlo_compile_options_set_device': (None, [c_void_p, c_void_p]),
    'ghlo_compile_options_set_wait_for_code': (None, [c_void_p, c_int]),
    'ghlo_compile_report_get_time': (c_double, [c_void_p]),
    'ghlo_device_get_kind': (c_int, [c_void_p]),
    'ghlo_executable_get_device': (c_void_p, [c_void_p]),
    'ghlo_executable_get_report': (c_void_p, [c_void_p]),
    'ghlo_plan_step_get_detail': (c_char_p, [c_void_p]),
    'ghlo_plan_step_get_measurement': (c_double, [c_void_p]),
    'ghlo_plan_step_get_n_runs': (ctypes.c_uint64, [c_void_p]),
    'ghlo_plan_step_get_operation': (c_char_p, [c_void_p]),
    'ghlo_plan_step_get_steps': (c_void_p, [c_void_p]),
    'ghlo_result_get_n_outputs': (c_uint, [c_void_p]),
    'ghlo_result_get_output': (c_void_p, [c_void_p, c_uint]),
    'ghlo_result_get_plan': (c_void_p, [c_void_p]),
    'ghlo_result_get_timing': (c_void_p, [c_void_p]),
    'ghlo_session_new': (c_void_p, [c_void_p]),
    'ghlo_session_set_profile': (None, [c_void_p, c_int]),
    'ghlo_tensor_type_to_string': (c_void_p, [c_void_p]),
    'ghlo_tensor_type_unref': (None, [c_void_p]),
    'ghlo_timing_get_reference': (c_double, [c_void_p]),
    'ghlo_timing_get_run': (c_double, [c_void_p]),
}
FALLIBLE = {
    'ghlo_buffer_copy_to_device': (c_void_p, [c_void_p, c_void_p, c_void_p]),
    'ghlo_buffer_new_from_bytes': (c_void_p, [c_void_p, c_void_p]),
    'ghlo_buffer_read': (c_void_p, [c_void_p, c_void_p]),
    'ghlo_client_compile': (c_void_p, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    'ghlo_client_list_devices': (c_void_p, [c_void_p, c_void_p]),
    'ghlo_executable_execute': (c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    'ghlo_program_parse': (c_void_p, [c_void_p, c_char_p, c_void_p]),
    'ghlo_session_bind_input': (c_int, [c_void_p, c_uint, c_void_p]),
    'ghlo_session_carry': (c_int, [c_void_p, c_uint, c_uint, c_void_p]),
    'ghlo_session_copy_state': (c_void_p, [c_void_p, c_uint, c_void_p]),
    'ghlo_session_run': (c_void_p, [c_void_p, c_void_p, c_size_t, c_void_p]),
    'ghlo_tensor_type_parse': (c_void_p, [c_char_p]),
}
# Names of the values of GhloDeviceKind.
KINDS = ['reference', 'cpu', 'vulkan']


class GError(ctypes.Structure):
    _fields_ = [('domain', ctypes.c_uint32), ('code', c_int), ('message', c_char_p)]


def declare(library, name, result, arguments):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


def make_fallible(library, name, result, arguments):
    """Returns a function that raises the C function's error."""
    function = declare(library, name, result, [*arguments, ctypes.POINTER(ctypes.POINTER(GError))])
    free = declare(library, 'g_error_free', None, [c_void_p])

    def call(*values):
        error = ctypes.POINTER(GError)()
        found = function(*values, ctypes.byref(error))
        if error:
            message = error.contents.message.decode()
            free(error)
            raise RuntimeError(message)
        return found
    return call


class Library:
    """The functions of the tables as attributes."""

    def __init__(self):
        library = ctypes.CDLL('libghlo-1.0.so.0')
        for name, signature in SIGNATURES.items():
            setattr(self, name, declare(library, name, *signature))
        for name, signature in FALLIBLE.items():
            setattr(self, name, make_fallible(library, name, *signature))

    def take_string(self, address):
        text = ctypes.string_at(address).decode()
        self.g_free(address)
        return text


class Object:
    """Owns a reference to a GObject. Functions take this object as the address, which stays valid while they run."""

    def __init__(self, address):
        self._as_parameter_ = address

    def __del__(self):
        if LIBRARY is not None:    # None while Python is being finalized
            LIBRARY.g_object_unref(self)

    @staticmethod
    def array(objects):
        """Returns a C array of the objects' addresses; the objects have to be kept alive."""
        return (c_void_p * len(objects))(*[one._as_parameter_ for one in objects])


def list_items(model):
    """Yields the items of a GListModel."""
    for number in range(LIBRARY.g_list_model_get_n_items(model)):
        yield Object(LIBRARY.g_list_model_get_item(model, number))


def find_device(kind):
    """Returns the first device of a kind, "cpu" or "vulkan"."""
    devices = Object(LIBRARY.ghlo_client_list_devices(CLIENT, None))
    for device in list_items(devices):
        if KINDS[LIBRARY.ghlo_device_get_kind(device)] == kind:
            return device
    raise RuntimeError(f'there is no device of the kind {kind!r}')


def parse_program(text):
    code = text.encode()
    data = LIBRARY.g_bytes_new(code, len(code))
    try:
        return Object(LIBRARY.ghlo_program_parse(data, None, None))
    finally:
        LIBRARY.g_bytes_unref(data)


def compile_program(program, device=None, wait_for_code=True, caching=True):
    """Compiles for a device of find_device, or one that GHLO chooses."""
    options = Object(LIBRARY.ghlo_compile_options_new())
    LIBRARY.ghlo_compile_options_set_wait_for_code(options, wait_for_code)
    LIBRARY.ghlo_compile_options_set_caching(options, caching)
    if device is not None:
        LIBRARY.ghlo_compile_options_set_device(options, device)
    return Object(LIBRARY.ghlo_client_compile(CLIENT, program, options, None, None))


def make_buffer(array, make_bytes, dtype, shape):
    """A buffer of bytes that a function of GLib's makes of the array's memory."""
    dimensions = ''.join(f'{size}x' for size in shape)
    tensor_type = LIBRARY.ghlo_tensor_type_parse(f'tensor<{dimensions}{NAMES[dtype]}>'.encode())
    data = make_bytes(array.ctypes.data, array.nbytes)
    try:
        return Object(LIBRARY.ghlo_buffer_new_from_bytes(tensor_type, data))
    finally:
        LIBRARY.g_bytes_unref(data)
        LIBRARY.ghlo_tensor_type_unref(tensor_type)


def to_buffer(array, device=None):
    """Copies an array to a buffer, in the memory of a device or the host."""
    array = np.asarray(array, order='C')    # unlike ascontiguousarray, this keeps rank 0
    dtype, shape = array.dtype.name, array.shape
    if dtype == 'int4':    # of four bits in a byte, where a buffer has its sign, too
        array = array.astype('int8')
    if device is None:
        return make_buffer(array, LIBRARY.g_bytes_new, dtype, shape)
    lent = make_buffer(array, LIBRARY.g_bytes_new_static, dtype, shape)
    return Object(LIBRARY.ghlo_buffer_copy_to_device(lent, device, None))


def lend_array(array, dtype, shape):
    """A buffer in the memory of an array, which is not written to any more and kept for as long as the process lasts.
    The type may be one that NumPy does not know."""
    LENT.append(array)
    return make_buffer(array, LIBRARY.g_bytes_new_static, dtype, shape)


def to_numpy(buffer):
    """Copies a buffer's elements to host memory."""
    text = LIBRARY.take_string(LIBRARY.ghlo_tensor_type_to_string(LIBRARY.ghlo_buffer_get_tensor_type(buffer)))
    dimensions, name = re.fullmatch(r'tensor<((?:\d+x)*)(.+)>', text).groups()
    size = c_size_t()
    data = LIBRARY.ghlo_buffer_read(buffer, None)
    try:
        address = LIBRARY.g_bytes_get_data(data, ctypes.byref(size))
        content = ctypes.string_at(address, size.value) if size.value else b''
    finally:
        LIBRARY.g_bytes_unref(data)
    shape = [int(number) for number in dimensions.split('x')[:-1]]
    if name == 'bf16' and 'bfloat16' not in np.sctypeDict:    # the same numbers as f32
        return (np.frombuffer(content, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(shape)
    return np.frombuffer(content, DTYPES[name]).reshape(shape)


def list_outputs(result):
    return [to_numpy(LIBRARY.ghlo_result_get_output(result, number))
            for number in range(LIBRARY.ghlo_result_get_n_outputs(result))]


@dataclasses.dataclass
class Step:
    """A step of a plan, where it stands in it, as "2.0" for the first of the body of the third, and how often it was
    run in how many seconds."""

    path: str
    operation: str
    detail: str
    n_runs: int
    seconds: float
    has_body: bool


def list_steps(plan, path=''):
    """Yields all steps of a plan (a GListModel); the steps of a body follow the step that it belongs to."""
    for number, step in enumerate(list_items(plan)):
        body = LIBRARY.ghlo_plan_step_get_steps(step)
        yield Step(f'{path}{number}', LIBRARY.ghlo_plan_step_get_operation(step).decode(),
                   LIBRARY.ghlo_plan_step_get_detail(step).decode(),
                   LIBRARY.ghlo_plan_step_get_n_runs(step),
                   max(LIBRARY.ghlo_plan_step_get_measurement(step), 0), body is not None)
        if body is not None:
            yield from list_steps(body, f'{path}{number}.')


def measure_steps(session, arguments, n_runs):
    """By path, each step with its least seconds of several runs that wait for the end of each. Other work on the
    machine makes some runs of a step longer, none shorter. Steps of a body are added up over a run."""
    least = {}
    LIBRARY.ghlo_session_set_profile(session, True)
    for _ in range(n_runs):
        result = Object(LIBRARY.ghlo_session_run(session, arguments, len(arguments), None))
        plan = LIBRARY.ghlo_result_get_plan(result)
        for step in list_steps(plan) if plan is not None else ():
            if step.path not in least or step.seconds < least[step.path].seconds:
                least[step.path] = step
    LIBRARY.ghlo_session_set_profile(session, False)
    return least


LENT = []    # arrays, which buffers read where they are
LIBRARY = Library()
CLIENT = Object(LIBRARY.ghlo_client_new())
