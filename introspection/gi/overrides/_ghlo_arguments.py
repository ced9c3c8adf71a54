# SPDX-License-Identifier: LGPL-2.1-or-later
"""Conversion of arguments: text, files and arrays become what the library takes, and
mistakes become errors that say what to write instead.

Each function takes the object whose method is called (None for static functions) and
the value. Overridden classes are looked up when they are needed, since this module is
loaded before they are defined. introspection/make-stubs.py uses the annotation of the
value as the annotation of the argument.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gi.repository import Ghlo, Gio, GLib

from . import _ghlo_arrays as _arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike
    from typing import Any, Protocol, SupportsIndex, TypeAlias

    import numpy as np
    import numpy.typing as npt

    class _Array(Protocol):
        """An array or scalar of NumPy, or an object that NumPy converts to an array."""

        def __array__(self) -> np.ndarray[Any, np.dtype[Any]]: ...

    _Bytes: TypeAlias = GLib.Bytes | bytes | bytearray | memoryview
    _File: TypeAlias = Gio.File | str | PathLike[str]
    _Input: TypeAlias = Ghlo.Buffer | _Array | complex | list[Any] | tuple[Any, ...]
    _Inputs: TypeAlias = Sequence[_Input] | Mapping[str, _Input]


def _name(value):
    return type(value).__name__


def _invalid(message):
    return GLib.Error.new_literal(Ghlo.error_quark(), message, Ghlo.Error.INVALID_ARGUMENT)


def _to_bytes(data, instead):
    """Makes GLib.Bytes from objects that hold bytes; raises TypeError for others, which would be misread."""
    if data is None or isinstance(data, GLib.Bytes):
        return data
    if isinstance(data, (bytes, bytearray)):
        return GLib.Bytes.new(bytes(data))
    if isinstance(data, memoryview) and data.format in ('B', 'b', 'c'):
        return GLib.Bytes.new(data.tobytes())
    raise TypeError('expected bytes or GLib.Bytes, found %s: %s' % (_name(data), instead))


def _elements(_source, data: _Bytes):
    return _to_bytes(data, 'use Ghlo.Buffer.from_numpy for arrays and numbers')


def _saved(_source, data: _Bytes):
    return _to_bytes(data, 'give what serialize returned')


def _text(_source, text: str | _Bytes):
    if isinstance(text, str):
        return GLib.Bytes.new(text.encode())
    return _to_bytes(text, 'give the text of a program, or use Ghlo.Program.load for files')


def _file(_source, file: _File):
    if isinstance(file, (str, os.PathLike)):
        return Gio.File.new_for_path(os.fspath(file))
    return file


def _program(_source, program: Ghlo.Program):
    if isinstance(program, (str, bytes, os.PathLike, Gio.File)):
        raise TypeError('expected a Ghlo.Program, found %s: use Ghlo.Program.parse (text) or Ghlo.Program.load (file)'
                        % _name(program))
    return program


def _type(_source, tensor_type: Ghlo.TensorType | str):
    if tensor_type is None or isinstance(tensor_type, Ghlo.TensorType):
        return tensor_type
    if isinstance(tensor_type, str):
        return Ghlo.TensorType(tensor_type)
    raise TypeError("expected a tensor type such as Ghlo.TensorType ('tensor<2x3xf32>'), found %s"
                    % _name(tensor_type))


def _element_type(_source, element_type: Ghlo.ElementType | npt.DTypeLike):
    return _arrays.to_element_type(element_type)


# The greatest rank of a tensor.
_MAX_RANK = 64


def _integers(_source, numbers: Iterable[SupportsIndex]):
    """Returns a list of integers. Fractions are refused, which PyGObject would truncate."""
    if numbers is None:
        return None
    try:
        return [number.__index__() for number in numbers]
    except (AttributeError, TypeError):
        raise TypeError('expected a list of whole numbers such as [2, 3], found %r' % (numbers,)) from None


def _zero_points(_source, numbers: SupportsIndex | Iterable[SupportsIndex]):
    """Returns a list of zero points; a single number applies to the whole tensor."""
    return _integers(None, numbers if numbers is None or hasattr(numbers, '__iter__') else [numbers])


def _scales(_source, numbers: float | Iterable[float]):
    try:
        return [float(number) for number in (numbers if hasattr(numbers, '__iter__') else [numbers])]
    except (TypeError, ValueError):
        raise TypeError('expected a scale or a list of them such as [0.1, 0.2], found %r' % (numbers,)) from None


def _shape(_source, numbers: Iterable[SupportsIndex]):
    numbers = _integers(None, numbers)
    if numbers is not None and min(numbers, default=0) < -1:
        raise ValueError('no tensor has the shape %r: sizes are 0 and above, or -1 for a dynamic one' % (numbers,))
    if numbers is not None and len(numbers) > _MAX_RANK:
        raise ValueError('expected at most %d dimensions, found %d' % (_MAX_RANK, len(numbers)))
    return numbers


def _buffer(_source, value: Ghlo.Buffer | _Array):
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


def say_taken(source):
    """Describes the inputs of a run, for an error message."""
    return 'that are neither bound nor carried' if isinstance(source, Ghlo.Session) else 'for this program'


def to_buffers(inputs, infos, kind):
    """Returns a buffer for each of infos, from inputs in order or by name; converts arrays and numbers."""
    inputs = arrange(infos, (), inputs) if hasattr(inputs, 'keys') else _list(inputs)
    if len(infos) != len(inputs):
        if _are_buffers(inputs):
            return inputs
        raise _invalid('expected %d %s (%s), found %d' % (len(infos), kind, describe_names(infos), len(inputs)))
    return [to_buffer(info, value) for info, value in zip(infos, inputs)]


def _inputs(source, inputs: _Inputs):
    """Converts the inputs of an executable, or those that a session leaves to a run."""
    if not hasattr(inputs, 'keys'):
        inputs = _list(inputs)
        if _are_buffers(inputs):
            return inputs
    return to_buffers(inputs, source.list_inputs(), 'inputs ' + say_taken(source))


def _list_marked(session):
    """Lists the marked inputs that have no value, and all marked inputs."""
    marked = {output.get_aliased_input() for output in _list_of(session, 'list_outputs')}
    return [[info for info in infos if info.get_index() in marked]
            for infos in (session.list_inputs(), _list_of(session, 'list_inputs'))]


def arrange_initial(session, values, named):
    """Returns the values of carry_all in the program's order, for the marked inputs without a value or for all."""
    free, every = _list_marked(session)
    are_all = len(values) + len(named) > len(free) and set(named) <= {info.get_name() for info in every}
    return arrange(every if are_all else free, values, named)


def _initial(session, values: _Inputs):
    if values is None:
        return []
    values = arrange_initial(session, (), values) if hasattr(values, 'keys') else _list(values)
    if _are_buffers(values):
        return values
    free, every = _list_marked(session)
    infos = every if len(values) == len(every) else free
    if len(values) != len(infos):
        raise _invalid('expected %d initial values (%s)%s, found %d' % (
            len(free), describe_names(free),
            ', or %d (%s)' % (len(every), describe_names(every)) if len(free) < len(every) else '', len(values)))
    return [to_buffer(info, value) for info, value in zip(infos, values)]


def describe_names(infos):
    """Lists the inputs' names for an error message, or their indices where they have no name."""
    return ', '.join(info.get_name() or str(i) for i, info in enumerate(infos)) or 'none'


def find_name(infos, name, what='an input'):
    """Returns the index in infos of the input with this name."""
    for i, info in enumerate(infos):
        if info.get_name() == name:
            return i
    raise TypeError('expected the name of %s of this program (%s), found %r' % (what, describe_names(infos), name))


def arrange(infos, inputs, named):
    """Returns all inputs in the program's order, where some are given in order and some by name."""
    if len(inputs) > len(infos):
        return list(inputs)
    found = dict(enumerate(inputs))
    for name, value in named.items():
        i = find_name(infos, name)
        if i in found:
            raise TypeError('expected one value for input %d (%s), found two' % (infos[i].get_index(), infos[i]))
        found[i] = value
    return [found[i] for i in range(len(infos)) if i in found]


def _list_of(session, name):
    executable = session.get_executable()
    return getattr(executable, name)() if executable is not None else []


def _input(session, value: int | str):
    """Returns the index of an input of a session, given by index or by name."""
    return find_name(_list_of(session, 'list_inputs'), value) if isinstance(value, str) else value


def find_output(session, value: int | str):
    """Returns the index of an output of a session, given by index or by name."""
    return find_name(_list_of(session, 'list_outputs'), value, 'an output') if isinstance(value, str) else value


def _bound(session, value: _Input, number):
    """Converts the value that is bound to the input with that index, or its initial value."""
    infos = _list_of(session, 'list_inputs')
    if not isinstance(number, int) or not 0 <= number < len(infos):
        return _buffer(None, value)
    return to_buffer(infos[number], value)


def _bound_by_name(session, value: _Input, name):
    # The library reports a session without an executable.
    return _bound(session, value, _input(session, name) if session.get_executable() is not None else None)


class _Form(tuple):
    """The properties of arrays that an input takes unconverted: class, dtype, tensor type and shape."""

    __slots__ = ()

    def takes(self, value):
        array, dtype, _, shape = self
        return type(value) is array and value.shape == shape and value.dtype == dtype


def get_form(info):
    """Returns the input's _Form, computed once; empty where the input takes no arrays."""
    if info._form is None:
        import numpy as np
        tensor_type = info.get_tensor_type()
        info._form = _Form(() if tensor_type is None else (
            np.ndarray, _arrays.get_tables()[0][tensor_type.get_element_type()], tensor_type, tensor_type.shape))
    return info._form


def to_buffer(info, value, what='input'):
    """Makes a buffer for the input or other value that info describes, from a buffer, an array or numbers."""
    if value is None or isinstance(value, Ghlo.Buffer):
        return value
    if _is_array(value):
        form = get_form(info)
        if form and form.takes(value):
            return _arrays.copy_to_buffer(form[2], value)
    i, tensor_type = info.get_index(), info.get_tensor_type()
    if tensor_type is None or isinstance(value, (str, bytes, bytearray, GLib.Bytes)):
        raise TypeError('expected a Ghlo.Buffer for %s %d (%s), found %s: use Ghlo.Buffer.%s' % (
            what, i, info, _name(value), 'new_from_bytes' if tensor_type else 'new_tuple or new_token'))

    import numpy as np
    stored, shown, _ = _arrays.get_tables()
    element_type = tensor_type.get_element_type()
    if not _is_array(value):
        return Ghlo.Buffer.from_numpy(_numbers(i, info, value, stored[element_type], what), element_type)
    array = np.asarray(value)
    if array.dtype.newbyteorder('=') in (stored[element_type], shown[element_type]):
        return Ghlo.Buffer.from_numpy(value, element_type)
    buffer = Ghlo.Buffer.from_numpy(value)
    raise _invalid('expected %s for %s %d, found %s: %s' % (
        info, what, i, buffer.get_tensor_type(), _arrays.say_conversion(array.dtype, element_type)))


def _numbers(i, info, value, dtype, what):
    """Converts numbers to the program's type; refuses a loss of kind, such as fractions for integers."""
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
        raise TypeError('expected a Ghlo.Buffer, an array or numbers for %s %d (%s), found %r: %s' % (
            what, i, info, value, error)) from None


# {(class, function): {argument: its conversion}}. A conversion is a function or, where it depends on another argument
# that is converted earlier, a pair of the function and that argument's name.
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
    ('Session', 'bind_input'): {'input': _input, 'buffer': (_bound, 'input')},
    ('Session', 'bind_input_by_name'): {'buffer': (_bound_by_name, 'name')},
    ('Session', 'carry'): {'output': find_output, 'input': _input, 'initial': (_bound, 'input')},
    ('Session', 'carry_all'): {'initial': _initial},
    ('Session', 'copy_state'): {'input': _input},
    ('Session', 'run'): {'inputs': _inputs},
    ('Session', 'unbind_output'): {'output': find_output},
    ('TensorType', 'new'): {'element_type': _element_type, 'dimensions': _shape},
    ('TensorType', 'new_quantized'): {'stored': _type, 'expressed_type': _element_type, 'scales': _scales,
                                      'zero_points': _zero_points},
}
