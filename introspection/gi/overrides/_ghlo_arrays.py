# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays and buffers: which dtype shows which element type, and DLPack.

NumPy has no type for bf16, floats of 8 bits or fewer, and integers under 8 bits. They
are shown as ml_dtypes' types where that module can be imported; otherwise in their
storage types: bf16 as uint16 and small floats as uint8 (their bits), small integers
as int8 and uint8 (their values). The library converts arrays of other types to them.

NumPy is imported when it is first needed, ctypes only for DLPack.
"""

from gi.repository import Ghlo, GLib

try:
    # The optional fast path; see introspection/direct/direct.h.
    from . import _ghlo_direct as direct
except ImportError:
    direct = None

# Element type, the NumPy type that it is stored as, its name in ml_dtypes.
_DTYPES = [
    ('I1', 'bool', None),
    ('I2', 'int8', 'int2'),
    ('I4', 'int8', 'int4'),
    ('I8', 'int8', None),
    ('I16', 'int16', None),
    ('I32', 'int32', None),
    ('I64', 'int64', None),
    ('UI2', 'uint8', 'uint2'),
    ('UI4', 'uint8', 'uint4'),
    ('UI8', 'uint8', None),
    ('UI16', 'uint16', None),
    ('UI32', 'uint32', None),
    ('UI64', 'uint64', None),
    ('F4E2M1FN', 'uint8', 'float4_e2m1fn'),
    ('F6E2M3FN', 'uint8', 'float6_e2m3fn'),
    ('F6E3M2FN', 'uint8', 'float6_e3m2fn'),
    ('F8E3M4', 'uint8', 'float8_e3m4'),
    ('F8E4M3', 'uint8', 'float8_e4m3'),
    ('F8E4M3FN', 'uint8', 'float8_e4m3fn'),
    ('F8E4M3FNUZ', 'uint8', 'float8_e4m3fnuz'),
    ('F8E4M3B11FNUZ', 'uint8', 'float8_e4m3b11fnuz'),
    ('F8E5M2', 'uint8', 'float8_e5m2'),
    ('F8E5M2FNUZ', 'uint8', 'float8_e5m2fnuz'),
    ('F8E8M0FNU', 'uint8', 'float8_e8m0fnu'),
    ('BF16', 'uint16', 'bfloat16'),
    ('F16', 'float16', None),
    ('F32', 'float32', None),
    ('F64', 'float64', None),
    ('COMPLEX_F32', 'complex64', None),
    ('COMPLEX_F64', 'complex128', None),
    ('INDEX', 'int64', None),
]

_tables = None


def get_tables():
    """Returns three dicts: stored dtype and shown dtype by element type, and element type by shown dtype."""
    global _tables
    if _tables is None:
        import numpy as np
        try:
            import ml_dtypes
        except ImportError:
            ml_dtypes = None
        stored, shown, known = {}, {}, {}
        for name, storage, small in _DTYPES:
            element_type = getattr(Ghlo.ElementType, name)
            stored[element_type] = np.dtype(storage)
            shown[element_type] = stored[element_type]
            if small is None:
                known.setdefault(stored[element_type], element_type)
            elif ml_dtypes is not None and hasattr(ml_dtypes, small):
                shown[element_type] = np.dtype(getattr(ml_dtypes, small))
                known[shown[element_type]] = element_type
        _tables = stored, shown, known
    return _tables


def to_element_type(value):
    """Returns the element type for an element type, its spelling in MLIR, or a dtype."""
    if isinstance(value, Ghlo.ElementType) and value != Ghlo.ElementType.INVALID:
        return value
    if isinstance(value, str):
        element_type = Ghlo.ElementType.from_string(value)
        if element_type != Ghlo.ElementType.INVALID:
            return element_type
    import numpy as np
    try:
        dtype = np.dtype(value)
    except TypeError:
        dtype = None
    element_type = None if value is None or dtype is None else get_tables()[2].get(dtype.newbyteorder('='))
    if element_type is None:
        raise TypeError("expected an element type such as Ghlo.ElementType.F32, 'f32' or numpy.float32, found %r"
                        % (value,))
    return element_type


def element_type_of(array):
    """Returns the element type of an array's dtype."""
    element_type = get_tables()[2].get(array.dtype.newbyteorder('='))
    if element_type is not None:
        return element_type
    hint = 'give numbers in rows of one length' if array.dtype.hasobject else 'use astype, or view as a known type'
    if array.dtype.kind == 'V' and array.dtype.names is None:
        hint = 'view it as integers of its size and say element_type, or make ml_dtypes importable'
    raise TypeError('expected an array of booleans, integers, floats of up to 8 bytes or complex numbers of up to 16, '
                    'found one of %s: %s' % (array.dtype, hint))


def to_stored(array, element_type):
    """Returns the element type, and the array in its stored dtype, over the same memory where
    possible. Where element_type is None it is the array's own.

    Values are converted to types that NumPy lacks: floats are rounded, integers must be in range."""
    if element_type is None:
        element_type = element_type_of(array)
    stored, shown, _ = get_tables()
    native = array.dtype.newbyteorder('=')
    wanted = stored[element_type]
    if native == wanted:
        return element_type, array
    if native == shown[element_type]:
        # The unused upper bits of ml_dtypes' integers are undefined.
        return element_type, array.astype(wanted) if is_small_integer(element_type) else array.view(wanted)
    if is_convertible(array.dtype, element_type):
        return element_type, _convert(array, element_type, wanted)
    raise TypeError('expected an array of %s for elements of type %s, found one of %s: %s' % (
        shown[element_type], Ghlo.ElementType.to_string(element_type), array.dtype,
        say_conversion(array.dtype, element_type)))


def is_small_float(element_type):
    """Returns whether this is a float type that NumPy lacks."""
    return Ghlo.ElementType.to_string(element_type).startswith(('f', 'bf')) \
        and get_tables()[0][element_type].kind == 'u'


def is_small_integer(element_type):
    """Returns whether this is an integer type of fewer than 8 bits, other than booleans."""
    return Ghlo.ElementType.to_string(element_type) in ('i2', 'i4', 'ui2', 'ui4')


def is_convertible(dtype, element_type):
    """Returns whether from_numpy converts. Not integers to a small float: they could be its bits or its values."""
    is_float = dtype.kind == 'f' and dtype.itemsize <= 8
    return is_float and is_small_float(element_type) \
        or (is_float or dtype.kind in 'iub') and is_small_integer(element_type)


def say_conversion(dtype, element_type):
    """Returns a hint, for an error, on how to convert an array of dtype to element_type."""
    name = Ghlo.ElementType.to_string(element_type)
    if is_convertible(dtype, element_type):
        return 'write Ghlo.Buffer.from_numpy (array, %r), %s' % (
            name, 'which rounds' if is_small_float(element_type) else 'where the values allow it')
    if is_small_float(element_type):
        return "write Ghlo.Buffer.from_numpy (array.astype ('float32'), %r) for numbers, or view their bits as %s" % (
            name, get_tables()[0][element_type])
    return 'write array.astype (%r) where the values allow it' % get_tables()[1][element_type].name


# The number of elements that are Python numbers at a time.
_CHUNK = 1 << 16


def _convert(array, element_type, wanted):
    """Converts by the library, which rounds once. Done in chunks, as Python numbers are many times the array's size."""
    import numpy as np
    flat = np.ascontiguousarray(array).reshape(-1)
    converted = np.empty(flat.size, wanted)
    for start in range(0, flat.size, _CHUNK):
        numbers = flat[start:start + _CHUNK]
        tensor_type = Ghlo.TensorType.new(element_type, [numbers.size])
        try:
            buffer = Ghlo.Buffer.new_from_doubles(tensor_type, numbers.astype(np.float64).tolist())
        except GLib.Error:
            raise _refuse(numbers, start, element_type) from None
        converted[start:start + _CHUNK] = np.frombuffer(buffer.get_host_bytes().get_data(), wanted)
    return converted.reshape(array.shape)


def _refuse(numbers, start, element_type):
    """Raises an error that names the first number outside the element type's range."""
    name = Ghlo.ElementType.to_string(element_type)
    bits = int(name.lstrip('ui'))
    low, high = (0, 2**bits - 1) if name.startswith('u') else (-2**(bits - 1), 2**(bits - 1) - 1)
    i, number = next((i, number) for i, number in enumerate(numbers.tolist())
                     if not (low <= number <= high and number == int(number)))
    return ValueError('expected integers from %d to %d for elements of type %s, found %r at element %d' % (
        low, high, name, number, start + i))


# PyGObject's own function, without the conversions of the override.
_new_from_address = Ghlo.Buffer.new_from_address


def copy_to_buffer(tensor_type, array):
    """Copies an array in native byte order to a buffer of the type, which has the array's shape."""
    buffer = direct.copy(array, tensor_type) if direct is not None else None
    if buffer is not None:
        return buffer
    address = array.__array_interface__['data'][0]
    return _new_from_address(tensor_type, address or 1, None if array.flags.c_contiguous else array.strides)


def check_shareable(array, original, why):
    """Raises ValueError when the memory of an array cannot be used in place."""
    reason = None
    if array is not original and array.__array_interface__['data'][0] != original.__array_interface__['data'][0]:
        reason = 'its elements are held differently in a buffer'
    elif not array.flags.c_contiguous:
        reason = 'its elements are not row by row without gaps'
    elif not array.dtype.isnative:
        reason = 'its byte order is not the machine\'s'
    elif not array.flags.aligned:
        reason = 'its elements are not aligned'
    if reason is not None:
        raise ValueError('%s cannot be used without a copy, because %s: leave out copy=False' % (why, reason))


def check_writable(array, info, what):
    """Raises TypeError or ValueError, with advice, when the output that info describes cannot be written
    into the array; what is the output's name for the message."""
    import numpy as np
    tensor_type = info.get_tensor_type()
    if tensor_type is None:
        raise TypeError('expected a tensor for an array to hold, found that %s is %s' % (what, info))
    stored, shown, _ = get_tables()
    element_type, shape = tensor_type.get_element_type(), tensor_type.shape
    dtypes = stored[element_type], shown[element_type]
    instead = 'make one by numpy.empty (%r, numpy.%s)' % (
        tuple(size if size >= 0 else 1 for size in shape), stored[element_type])
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise TypeError('expected an array for %s (%s), found %s: %s' % (what, info, type(array).__name__, instead))
    if array.dtype not in dtypes:
        raise TypeError('expected an array of %s for %s (%s), found one of %s: %s' % (
            dtypes[1], what, info, array.dtype, instead))
    if array.ndim != len(shape) or any(size not in (-1, found) for size, found in zip(shape, array.shape)):
        raise ValueError('expected an array of shape %r for %s (%s), found %r: use array.reshape, or %s' % (
            shape, what, info, array.shape, instead))
    if not array.flags.c_contiguous:
        raise ValueError('the elements of the array for %s are not row by row without gaps: %s' % (what, instead))
    if not array.flags.writeable:
        raise ValueError('the array for %s may not be written to: %s' % (what, instead))
    if not array.flags.aligned:
        raise ValueError('the elements of the array for %s are not aligned: %s' % (what, instead))


# DLPack: values of DLDeviceType and DLDataTypeCode in its header.
CPU = (1, 0)
_CODES = {0: 'int%d', 1: 'uint%d', 2: 'float%d', 5: 'complex%d', 6: 'bool'}
_SMALL_CODES = {
    4: 'BF16', 7: 'F8E3M4', 8: 'F8E4M3', 9: 'F8E4M3B11FNUZ', 10: 'F8E4M3FN', 11: 'F8E4M3FNUZ', 12: 'F8E5M2',
    13: 'F8E5M2FNUZ', 14: 'F8E8M0FNU', 15: 'F6E2M3FN', 16: 'F6E3M2FN', 17: 'F4E2M1FN',
}
_PADDED = 4

_dlpack = None


class _DLPack(object):
    """DLPack's structures and CPython's capsules, through ctypes."""

    NAMES = (b'dltensor', b'dltensor_versioned')
    USED = (b'used_dltensor', b'used_dltensor_versioned')

    def __init__(self):
        import ctypes as c

        class Tensor(c.Structure):
            _fields_ = [('data', c.c_void_p), ('device_type', c.c_int32), ('device_id', c.c_int32),
                        ('rank', c.c_int32), ('code', c.c_uint8), ('bits', c.c_uint8), ('lanes', c.c_uint16),
                        ('shape', c.POINTER(c.c_int64)), ('strides', c.POINTER(c.c_int64)),
                        ('byte_offset', c.c_uint64)]

        class Managed(c.Structure):
            _fields_ = [('tensor', Tensor), ('owner', c.c_void_p), ('deleter', c.c_void_p)]

        class ManagedVersioned(c.Structure):
            _fields_ = [('major', c.c_uint32), ('minor', c.c_uint32), ('owner', c.c_void_p),
                        ('deleter', c.c_void_p), ('flags', c.c_uint64), ('tensor', Tensor)]

        def function(name, *types):
            return c.PYFUNCTYPE(*types)((name, c.pythonapi))

        self.structures = (Managed, ManagedVersioned)
        self.call_deleter = c.CFUNCTYPE(None, c.c_void_p)
        self.new = function('PyCapsule_New', c.py_object, c.c_void_p, c.c_char_p, c.c_void_p)
        self.is_valid = function('PyCapsule_IsValid', c.c_int, c.py_object, c.c_char_p)
        self.get_pointer = function('PyCapsule_GetPointer', c.c_void_p, c.py_object, c.c_char_p)
        self.set_name = function('PyCapsule_SetName', c.c_int, c.py_object, c.c_char_p)
        self.get_destructor = function('PyCapsule_GetDestructor', c.c_void_p, c.py_object)
        # A capsule keeps the address of its name, even beyond this module's lifetime.
        for name in self.NAMES + self.USED:
            function('Py_IncRef', None, c.py_object)(name)
        self.destructors = [self._borrow_destructor(), self._borrow_destructor(max_version=(1, 0))]

    def _borrow_destructor(self, **arguments):
        """Borrows NumPy's capsule destructor, which calls the deleter of a tensor that was not consumed.
        A destructor in Python could not run while an exception is being raised."""
        import numpy as np
        try:
            capsule = np.zeros(1).__dlpack__(**arguments)
        except TypeError:
            return None
        name = self.NAMES[bool(arguments)]
        return self.get_destructor(capsule) if self.is_valid(capsule, name) else None

    def wrap(self, address, versioned):
        return self.new(address, self.NAMES[versioned], self.destructors[versioned])

    def take(self, capsule):
        """Consumes a capsule: marks it as used and returns its tensor and the tensor's deleter."""
        for versioned in (0, 1):
            if self.is_valid(capsule, self.NAMES[versioned]):
                break
        else:
            raise TypeError('expected a DLPack capsule that was not used yet, found %r' % (capsule,))
        address = self.get_pointer(capsule, self.NAMES[versioned])
        managed = self.structures[versioned].from_address(address)
        self.set_name(capsule, self.USED[versioned])
        deleter = managed.deleter

        def delete(*_):
            if deleter:
                self.call_deleter(deleter)(address)

        if versioned and managed.major > 1:
            delete()
            raise BufferError('expected DLPack of version 1, found version %d' % managed.major)
        return managed, delete


def get_dlpack():
    global _dlpack
    if _dlpack is None:
        _dlpack = _DLPack()
    return _dlpack


def get_capsule(tensor):
    """Returns the capsule of an object with __dlpack__, and any other object unchanged."""
    if not hasattr(tensor, '__dlpack__'):
        return tensor
    try:
        return tensor.__dlpack__(max_version=(1, 1))
    except TypeError:
        return tensor.__dlpack__()


def export_dlpack(buffer, max_version, copy):
    """Makes a capsule for a consumer, which keeps buffer alive."""
    dlpack = get_dlpack()
    versioned = max_version is not None and max_version[0] >= 1 and dlpack.destructors[1] is not None
    bits, is_float = _get_float_bits(buffer.get_tensor_type().get_element_type())
    if is_float and bits < 16 and not (versioned and tuple(max_version) >= (1, 1)):
        raise BufferError('DLPack knows floats of %d bits from version 1.1 on, which consumer and NumPy (2.1) '
                          'must have: use numpy.asarray (buffer).view (numpy.uint8)' % bits)
    address = buffer.export_dlpack(versioned)
    if versioned and copy:
        managed = dlpack.structures[1].from_address(address)
        managed.flags = 2 | (managed.flags & _PADDED)
    return dlpack.wrap(address, versioned)


def _get_float_bits(element_type):
    name = Ghlo.ElementType.to_string(element_type)
    if name.startswith('f'):
        return int(name[1:].partition('E')[0]), True
    return 0, False


def describe_dlpack(tensor, flags):
    """Returns the element type, shape, strides in bytes (or None) and address of a tensor."""
    if (tensor.device_type, 0) != CPU:
        raise BufferError('expected a tensor in host memory, found one on a device of type %d: copy it to the CPU '
                          'first' % tensor.device_type)
    if tensor.lanes != 1 or (tensor.bits < 8 and not flags & _PADDED and tensor.code != 6):
        raise BufferError('expected elements with a byte or more each, found packed ones of %d bits' % tensor.bits)
    if tensor.code in _SMALL_CODES:
        element_type = getattr(Ghlo.ElementType, _SMALL_CODES[tensor.code])
    else:
        pattern = _CODES.get(tensor.code, 'opaque')
        try:
            element_type = to_element_type(pattern % tensor.bits if '%' in pattern else pattern)
        except TypeError:
            raise BufferError('no element type corresponds to type %d of %d bits of DLPack' % (
                tensor.code, tensor.bits)) from None
    shape = [tensor.shape[i] for i in range(tensor.rank)]
    size = Ghlo.ElementType.get_size(element_type)
    strides = [tensor.strides[i] * size for i in range(tensor.rank)] if tensor.strides else None
    return element_type, shape, strides, (tensor.data or 0) + tensor.byte_offset
