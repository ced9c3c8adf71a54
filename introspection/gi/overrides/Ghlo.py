# SPDX-License-Identifier: LGPL-2.1-or-later
"""What makes Ghlo read naturally in Python.

Arrays: Ghlo.Buffer.from_numpy (array) copies an array into a buffer, and
np.asarray (buffer) shows a buffer's memory without a copy, read-only. Element
types that NumPy lacks (bf16, f8 and smaller floats, i2, i4, ui2, ui4) are those of
ml_dtypes where that can be imported; otherwise they are shown as what they are
stored as: bf16 as uint16, floats of 8 bits and fewer as uint8 (their bits), small
integers as int8 and uint8 (their values).

Calls: executable (a, b) runs a program on buffers, arrays and numbers, and a
result unpacks: (y,) = executable (x).

NumPy is imported when it is first needed.
"""

from ..module import get_introspection_module
from ..overrides import override

from gi.repository import GLib

Ghlo = get_introspection_module('Ghlo')

__all__ = []

# Element type, the type of NumPy's that it is stored as, ml_dtypes' name.
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


def _get_tables():
    """Stored dtype and shown dtype by element type; element type by shown dtype."""
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


def _to_bytes(data, instead):
    """GLib.Bytes out of what holds bytes; anything else would be misread."""
    if data is None or isinstance(data, GLib.Bytes):
        return data
    if isinstance(data, (bytes, bytearray)):
        return GLib.Bytes.new(bytes(data))
    if isinstance(data, memoryview) and data.format in ('B', 'b', 'c'):
        return GLib.Bytes.new(data.tobytes())
    raise TypeError('expected bytes or GLib.Bytes, found %s: %s' % (type(data).__name__, instead))


class TensorType(Ghlo.TensorType):
    """A tensor's type; TensorType.parse ('tensor<2x3xf32>') makes one."""

    @classmethod
    def for_array(cls, array, element_type=None):
        """The type of a NumPy array."""
        if element_type is None:
            element_type = _get_tables()[2].get(array.dtype.newbyteorder('='))
        if element_type is None:
            raise TypeError('no element type corresponds to an array of %s' % array.dtype)
        return Ghlo.TensorType.new(element_type, list(array.shape))

    @property
    def shape(self):
        """The dimensions, as NumPy has them; -1 where a dimension is dynamic."""
        return tuple(self.get_dimensions() or ())

    @property
    def dtype(self):
        """The dtype of an array of this type."""
        return _get_tables()[1][self.get_element_type()]

    def __str__(self):
        return self.to_string()

    def __repr__(self):
        return '<Ghlo.TensorType %s>' % self.to_string()

    def __eq__(self, other):
        return isinstance(other, Ghlo.TensorType) and self.equal(other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self.hash()


TensorType = override(TensorType)
__all__.append('TensorType')


class ValueInfo(Ghlo.ValueInfo):
    """What a program says of an input or output."""

    def __str__(self):
        return self.to_string()

    def __repr__(self):
        return '<Ghlo.ValueInfo %s>' % self.to_string()


ValueInfo = override(ValueInfo)
__all__.append('ValueInfo')


class Diagnostic(Ghlo.Diagnostic):
    """One finding of a check."""

    def __str__(self):
        return self.to_string()


Diagnostic = override(Diagnostic)
__all__.append('Diagnostic')


class _HostView(object):
    """What NumPy keeps as long as it shows a buffer's memory: the bytes, which
    stay when the buffer is released."""

    def __init__(self, buffer, stored):
        self._bytes = buffer.get_host_bytes()
        if self._bytes is None:
            raise ValueError('expected a tensor in host memory, found %r' % buffer)
        self.__array_interface__ = {
            'version': 3,
            'shape': buffer.get_tensor_type().shape,
            'typestr': stored.str,
            'data': (buffer.get_address(), True),
        }


class Buffer(Ghlo.Buffer):
    """Data that a program takes or gives."""

    @classmethod
    def from_numpy(cls, array, element_type=None):
        """A buffer with a copy of an array.

        element_type says what the elements are where NumPy has no type for them:
        bf16 given as uint16, i4 given as int8.
        """
        import numpy as np
        array = np.asarray(array)
        if element_type is not None:
            stored, shown, _ = _get_tables()
            element_type = Ghlo.ElementType(element_type)
            if array.dtype.newbyteorder('=') not in (stored[element_type], shown[element_type]):
                raise TypeError('expected an array of %s for elements of type %s, found one of %s: use astype' % (
                    shown[element_type], Ghlo.ElementType.to_string(element_type), array.dtype))
        tensor_type = TensorType.for_array(array, element_type)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder('='))
        return Ghlo.Buffer.new_from_bytes(tensor_type, GLib.Bytes.new(array.tobytes()))

    @classmethod
    def new_from_bytes(cls, tensor_type, data):
        data = _to_bytes(data, 'use Ghlo.Buffer.from_numpy for arrays')
        return Ghlo.Buffer.new_from_bytes(tensor_type, data)

    @classmethod
    def new_from_bytes_strided(cls, tensor_type, data, byte_strides):
        data = _to_bytes(data, 'use Ghlo.Buffer.from_numpy for arrays')
        return Ghlo.Buffer.new_from_bytes_strided(tensor_type, data, byte_strides)

    @property
    def shape(self):
        """The dimensions of the tensor."""
        return self.get_tensor_type().shape

    @property
    def dtype(self):
        """The dtype of np.asarray (buffer)."""
        return self.get_tensor_type().dtype

    def __array__(self, dtype=None, copy=None):
        import numpy as np
        tensor_type = self.get_tensor_type()
        if tensor_type is None:
            raise TypeError('expected a buffer that holds a tensor, found %r' % self)
        stored, shown, _ = _get_tables()
        element_type = tensor_type.get_element_type()
        array = np.asarray(_HostView(self, stored[element_type]))
        if shown[element_type] != stored[element_type]:
            array = array.view(shown[element_type])
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError('an array of %s needs a copy of a buffer of %s' % (dtype, tensor_type))
            return array.astype(dtype)
        return array.copy() if copy else array

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release()

    def __repr__(self):
        tensor_type = self.get_tensor_type()
        return '<Ghlo.Buffer %s>' % (tensor_type.to_string() if tensor_type else self.get_kind().value_nick)


Buffer = override(Buffer)
__all__.append('Buffer')


class Result(Ghlo.Result):
    """The outputs of a run: a sequence of buffers, which unpacks."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release()


Result = override(Result)
__all__.append('Result')


class Program(Ghlo.Program):
    """A program, parsed and verified."""

    @staticmethod
    def parse(text, name=None, cancellable=None):
        return Ghlo.Program.parse(Program._to_bytes(text), name, cancellable)

    @staticmethod
    def parse_async(text, name, cancellable, callback, *user_data):
        Ghlo.Program.parse_async(Program._to_bytes(text), name, cancellable, callback, *user_data)

    @staticmethod
    def check(text, name=None, cancellable=None):
        return Ghlo.Program.check(Program._to_bytes(text), name, cancellable)

    @staticmethod
    def check_async(text, name, cancellable, callback, *user_data):
        Ghlo.Program.check_async(Program._to_bytes(text), name, cancellable, callback, *user_data)

    @staticmethod
    def _to_bytes(text):
        if isinstance(text, str):
            return GLib.Bytes.new(text.encode())
        return _to_bytes(text, 'a program is text')

    def to_text(self, flags=Ghlo.TextFlags.NONE, cancellable=None):
        return Ghlo.Program.to_text(self, flags, cancellable)


Program = override(Program)
__all__.append('Program')


class Client(Ghlo.Client):
    """Finds devices and compiles programs."""

    def list_devices(self, cancellable=None):
        return Ghlo.Client.list_devices(self, cancellable)

    def compile(self, program, options=None, progress=None, cancellable=None):
        return Ghlo.Client.compile(self, program, options, progress, cancellable)


Client = override(Client)
__all__.append('Client')


class Executable(Ghlo.Executable):
    """A compiled program; executable (a, b) runs it."""

    def execute(self, inputs, cancellable=None):
        return Ghlo.Executable.execute(self, inputs, cancellable)

    def __call__(self, *inputs, cancellable=None):
        """Runs the program on buffers, arrays, and numbers or lists of them, which
        become what the program takes; arrays keep their own type."""
        infos = self.list_inputs()
        if len(infos) != len(inputs):
            raise TypeError('expected %d inputs for this program, found %d' % (len(infos), len(inputs)))
        return self.execute([self._to_buffer(*pair) for pair in zip(infos, inputs)], cancellable)

    @staticmethod
    def _to_buffer(info, value):
        if value is None or isinstance(value, Ghlo.Buffer):
            return value
        import numpy as np
        tensor_type = info.get_tensor_type()
        if tensor_type is None:
            raise TypeError('expected a Ghlo.Buffer for %s, found %s' % (info, type(value).__name__))
        stored, shown, _ = _get_tables()
        element_type = tensor_type.get_element_type()
        if not isinstance(value, (np.ndarray, np.generic)) and not hasattr(value, '__array__'):
            value = np.asarray(value, dtype=shown[element_type])
        array = np.asarray(value)
        if array.dtype.newbyteorder('=') in (stored[element_type], shown[element_type]):
            return Buffer.from_numpy(array, element_type)
        return Buffer.from_numpy(array)


Executable = override(Executable)
__all__.append('Executable')
