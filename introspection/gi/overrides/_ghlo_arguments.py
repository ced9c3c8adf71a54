# SPDX-License-Identifier: LGPL-2.1-or-later
"""What arguments become before the library has them: text and files and arrays what
it takes, and mistakes errors that say what to write instead.

Each function takes the object that is called (None for static functions) and the
value. Overridden classes are looked up when they are needed: this module is loaded
before they are made.
"""

import os

from gi.repository import Ghlo, Gio, GLib

from . import _ghlo_arrays as _arrays


def _name(value):
    return type(value).__name__


def _invalid(message):
    return GLib.Error.new_literal(Ghlo.error_quark(), message, Ghlo.Error.INVALID_ARGUMENT)


def _to_bytes(data, instead):
    """GLib.Bytes out of what holds bytes; anything else would be misread."""
    if data is None or isinstance(data, GLib.Bytes):
        return data
    if isinstance(data, (bytes, bytearray)):
        return GLib.Bytes.new(bytes(data))
    if isinstance(data, memoryview) and data.format in ('B', 'b', 'c'):
        return GLib.Bytes.new(data.tobytes())
    raise TypeError('expected bytes or GLib.Bytes, found %s: %s' % (_name(data), instead))


def _elements(_source, data):
    return _to_bytes(data, 'use Ghlo.Buffer.from_numpy for arrays and numbers')


def _saved(_source, data):
    return _to_bytes(data, 'give what serialize returned')


def _text(_source, text):
    if isinstance(text, str):
        return GLib.Bytes.new(text.encode())
    return _to_bytes(text, 'give the text of a program, or use Ghlo.Program.load for files')


def _file(_source, file):
    if isinstance(file, (str, os.PathLike)):
        return Gio.File.new_for_path(os.fspath(file))
    return file


def _program(_source, program):
    if isinstance(program, (str, bytes, os.PathLike, Gio.File)):
        raise TypeError('expected a Ghlo.Program, found %s: use Ghlo.Program.parse (text) or Ghlo.Program.load (file)'
                        % _name(program))
    return program


def _type(_source, tensor_type):
    if tensor_type is None or isinstance(tensor_type, Ghlo.TensorType):
        return tensor_type
    if isinstance(tensor_type, str):
        return Ghlo.TensorType(tensor_type)
    raise TypeError("expected a tensor type such as Ghlo.TensorType ('tensor<2x3xf32>'), found %s"
                    % _name(tensor_type))


def _element_type(_source, element_type):
    return _arrays.to_element_type(element_type)


# Dimensions that a tensor may have.
_MAX_RANK = 64


def _integers(_source, numbers):
    """Whole numbers; PyGObject would cut fractions off."""
    if numbers is None:
        return None
    try:
        return [number.__index__() for number in numbers]
    except (AttributeError, TypeError):
        raise TypeError('expected a list of whole numbers such as [2, 3], found %r' % (numbers,)) from None


def _shape(_source, numbers):
    numbers = _integers(None, numbers)
    if numbers is not None and min(numbers, default=0) < -1:
        raise ValueError('no tensor has the shape %r: sizes are 0 and above, or -1 for a dynamic one' % (numbers,))
    if numbers is not None and len(numbers) > _MAX_RANK:
        raise ValueError('expected at most %d dimensions, found %d' % (_MAX_RANK, len(numbers)))
    return numbers


def _buffer(_source, value):
    if value is None or isinstance(value, Ghlo.Buffer):
        return value
    if isinstance(value, (bytes, bytearray, GLib.Bytes)):
        raise TypeError('expected a Ghlo.Buffer, found %s: use Ghlo.Buffer.new_from_bytes (type, bytes)' % _name(value))
    if _is_array(value):
        return Ghlo.Buffer.from_numpy(value)
    raise TypeError('expected a Ghlo.Buffer, found %s: use Ghlo.Buffer.from_numpy (numpy.float32 (…)) with the type '
                    'that the program takes' % _name(value))


def _is_array(value):
    return hasattr(value, '__array__')


def _list(inputs):
    if inputs is None:
        return []
    if isinstance(inputs, (Ghlo.Buffer, str, bytes, bytearray, GLib.Bytes, dict)) or _is_array(inputs):
        raise TypeError('expected a list of inputs, found one %s: write [x]' % _name(inputs))
    try:
        return list(inputs)
    except TypeError:
        raise TypeError('expected a list of inputs, found %s: write [x]' % _name(inputs)) from None


def _are_buffers(inputs):
    return all(value is None or isinstance(value, Ghlo.Buffer) for value in inputs)


def _inputs(executable, inputs):
    """Buffers for all inputs of an executable; arrays and numbers become ones."""
    inputs = _list(inputs)
    if _are_buffers(inputs):
        return inputs
    infos = executable.list_inputs()
    if len(infos) != len(inputs):
        raise _invalid('expected %d inputs for this program, found %d' % (len(infos), len(inputs)))
    return [_to_input(i, *pair) for i, pair in enumerate(zip(infos, inputs))]


def describe_names(infos):
    """The inputs' names for an error; those without one by their numbers."""
    return ', '.join(info.get_name() or str(i) for i, info in enumerate(infos)) or 'none'


def find_input(infos, name):
    """The number of the input of this name."""
    for i, info in enumerate(infos):
        if info.get_name() == name:
            return i
    raise TypeError('expected the name of an input of this program (%s), found %r' % (describe_names(infos), name))


def arrange(infos, inputs, named):
    """All inputs in the program's order, out of some in order and some by name."""
    if len(inputs) > len(infos):
        return list(inputs)
    found = dict(enumerate(inputs))
    for name, value in named.items():
        i = find_input(infos, name)
        if i in found:
            raise TypeError('expected one value for input %d (%s), found two' % (i, infos[i]))
        found[i] = value
    return [found[i] for i in range(len(infos)) if i in found]


def _input(session, value):
    """The number of an input of a session, given by number or by name."""
    if not isinstance(value, str):
        return value
    executable = session.get_executable()
    return find_input(executable.list_inputs() if executable is not None else [], value)


def _unbound_inputs(_session, inputs):
    """Buffers for those inputs of a session that nothing is bound to."""
    return [_buffer(None, value) for value in _list(inputs)]


def _to_input(i, info, value):
    tensor_type = info.get_tensor_type()
    if value is None or isinstance(value, Ghlo.Buffer):
        return value
    if tensor_type is None or isinstance(value, (str, bytes, bytearray, GLib.Bytes)):
        raise TypeError('expected a Ghlo.Buffer for input %d (%s), found %s: use Ghlo.Buffer.%s' % (
            i, info, _name(value), 'new_from_bytes' if tensor_type else 'new_tuple or new_token'))

    import numpy as np
    stored, shown, _ = _arrays.get_tables()
    element_type = tensor_type.get_element_type()
    if not _is_array(value):
        return Ghlo.Buffer.from_numpy(_numbers(i, info, value, stored[element_type]), element_type)
    array = np.asarray(value)
    if array.dtype.newbyteorder('=') in (stored[element_type], shown[element_type]):
        return Ghlo.Buffer.from_numpy(array, element_type)
    buffer = Ghlo.Buffer.from_numpy(array)
    raise _invalid('expected %s for input %d, found %s: %s' % (
        info, i, buffer.get_tensor_type(), _arrays.say_conversion(array.dtype, element_type)))


def _numbers(i, info, value, dtype):
    """Numbers take the type of the program, where they have it without loss of kind."""
    import numpy as np
    element_type = info.get_tensor_type().get_element_type()
    try:
        array = np.asarray(value)
        if array.dtype.kind in 'OUSV':
            raise TypeError('not numbers')
        if array.size and array.dtype.kind in 'fc' and dtype.kind in 'iub' and not _arrays.is_small_float(element_type):
            raise TypeError('fractions where integers are wanted')
        if array.size and array.dtype.kind == 'c' and dtype.kind != 'c':
            raise TypeError('complex numbers where real ones are wanted')
        if _arrays.is_small_float(element_type):
            return array.astype(np.float64)
        converted = array.astype(dtype)
        if dtype.kind in 'iub' and not np.array_equal(converted, array):
            raise OverflowError('numbers that %s does not hold' % Ghlo.ElementType.to_string(element_type))
        return converted
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError('expected a Ghlo.Buffer, an array or numbers for input %d (%s), found %r: %s' % (
            i, info, value, error)) from None


# {(class, function): {argument: what makes it what the library takes}}
CONVERSIONS = {
    ('Buffer', 'new_from_bytes'): {'tensor_type': _type, 'bytes': _elements},
    ('Buffer', 'new_from_bytes_strided'): {'tensor_type': _type, 'bytes': _elements, 'byte_strides': _integers},
    ('Buffer', 'new_from_address'): {'tensor_type': _type, 'byte_strides': _integers},
    ('Buffer', 'new_from_owner'): {'tensor_type': _type, 'byte_strides': _integers},
    ('Buffer', 'new_from_doubles'): {'tensor_type': _type},
    ('Buffer', 'new_from_int64s'): {'tensor_type': _type, 'numbers': _integers},
    ('Buffer', 'new_zeros'): {'tensor_type': _type},
    ('Buffer', 'load'): {'file': _file, 'tensor_type': _type},
    ('Buffer', 'save'): {'file': _file},
    ('Client', 'compile'): {'program': _program},
    ('Client', 'load_executable'): {'bytes': _saved},
    ('Executable', 'execute'): {'inputs': _inputs},
    ('Program', 'check'): {'bytes': _text},
    ('Program', 'load'): {'file': _file},
    ('Program', 'parse'): {'bytes': _text},
    ('Session', 'bind_input'): {'input': _input, 'buffer': _buffer},
    ('Session', 'carry'): {'input': _input, 'initial': _buffer},
    ('Session', 'copy_state'): {'input': _input},
    ('Session', 'run'): {'inputs': _unbound_inputs},
    ('TensorType', 'new'): {'element_type': _element_type, 'dimensions': _shape},
}
