# SPDX-License-Identifier: LGPL-2.1-or-later
"""Overrides that make Ghlo natural to use in Python.

Arrays: Ghlo.Buffer.from_numpy (array) copies an array into a buffer, once, and
np.asarray (buffer) shows a buffer's memory without a copy, read-only. Buffers speak
DLPack both ways: np.from_dlpack (buffer), Ghlo.Buffer.from_dlpack (tensor). Element
types that NumPy lacks are shown as described in _ghlo_arrays.

Calls: executable (a, b) runs a program on buffers, arrays and numbers, and a result
unpacks: (y,) = executable (x). In asyncio, asynchronous functions are awaited without a
callback: await client.compile_async (program); cancelling the task cancels the call.

Memory: `with result:` and `with buffer:` release the memory at the end of the block.

NumPy and asyncio are imported when they are first needed.

introspection/make-stubs.py takes annotations from this module for the stub file.
"""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING

from ..module import get_introspection_module
from ..overrides import override

from . import _ghlo_arrays as _arrays
from . import _ghlo_calls as _calls
from . import _ghlo_interrupts as _interrupts
from ._ghlo_arguments import CONVERSIONS, arrange, arrange_initial, find_output, get_form, say_taken, to_buffer
from ._ghlo_owners import make_owner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any, Self, SupportsIndex, overload

    import numpy as np
    import numpy.typing as npt
    from gi.repository import Gio, GLib

    from ._ghlo_arguments import _Input, _Inputs

Ghlo = get_introspection_module('Ghlo')

__all__ = []


def _add(cls):
    """Registers a class of this module as an override."""
    cls = override(cls)
    __all__.append(cls.__name__)
    return cls


_calls.define_all(Ghlo, CONVERSIONS)


@_add
class TensorType(Ghlo.TensorType):
    """A tensor's type: TensorType ('tensor<2x3xf32>'), TensorType ('f32', [2, 3]),
    TensorType (numpy.float32, array.shape).

    An element type is a Ghlo.ElementType, a dtype, or a name. Names are looked up as MLIR's first
    ('i8' has 8 bits), then as NumPy's."""

    def __new__(cls, type_or_element_type: Ghlo.TensorType | Ghlo.ElementType | npt.DTypeLike,
                shape: Sequence[int] | None = None) -> TensorType:
        if shape is not None:
            return Ghlo.TensorType.new(type_or_element_type, shape)
        if isinstance(type_or_element_type, Ghlo.TensorType):
            return type_or_element_type
        if not isinstance(type_or_element_type, str):
            raise TypeError("expected a type such as 'tensor<2x3xf32>', or an element type and a shape, found %r"
                            % (type_or_element_type,))
        return Ghlo.TensorType.parse(type_or_element_type)

    @classmethod
    def for_array(cls, array: npt.NDArray[Any], element_type: Ghlo.ElementType | None = None) -> TensorType:
        """Returns the type of a NumPy array."""
        if element_type is None:
            element_type = _arrays.element_type_of(array)
        return Ghlo.TensorType.new(element_type, list(array.shape))

    @staticmethod
    def new_quantized(stored: Ghlo.TensorType | str, expressed_type: Ghlo.ElementType | npt.DTypeLike,
                      scales: float | Iterable[float],
                      zero_points: SupportsIndex | Iterable[SupportsIndex] | None = None, axis: int = -1,
                      storage_min: int = 0, storage_max: int = 0) -> TensorType:
        """Returns a quantized type, whose values are (stored - zero point) * scale, over a type of stored integers:
        new_quantized ('tensor<4xi8>', 'f32', 0.1, 3), or with a list of scales along an axis."""
        return Ghlo.TensorType.new_quantized(stored, expressed_type, scales, zero_points, axis, storage_min,
                                             storage_max)

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions as a tuple, like NumPy's shape; -1 where a dimension is dynamic."""
        return tuple(self.get_dimensions() or ())

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of an array of this type."""
        return _arrays.get_tables()[1][self.get_element_type()]

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return '<Ghlo.TensorType %s>' % self.to_string()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ghlo.TensorType) and self.equal(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self.hash()


@_add
class ValueInfo(Ghlo.ValueInfo):
    """The description of an input or output of a program."""

    # The form of arrays that the input takes (_ghlo_arguments.get_form); None until it is first needed.
    _form = None

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return '<Ghlo.ValueInfo %s>' % self.to_string()


@_add
class Timing(Ghlo.Timing):
    """The times of the parts of a run."""

    def __repr__(self) -> str:
        return '<Ghlo.Timing compile %s, upload %s, run %s, download %s>' % (
            self.get_compile(), self.get_upload(), self.get_run(), self.get_download())


@_add
class CompileReport(Ghlo.CompileReport):
    """A report on what a compile did to a program."""

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return '<Ghlo.CompileReport %d operations became %d, %s>' % (
            self.get_n_operations_before(), self.get_n_operations_after(), ', '.join(self.get_passes()) or 'no passes')


@_add
class Cost(Ghlo.Cost):
    """The cost of a run."""

    def __repr__(self) -> str:
        return '<Ghlo.Cost %.3g operations, %d bytes moved, %.3g s, %d bytes of memory>' % (
            self.get_operations(), self.get_bytes(), self.get_estimate(), self.get_peak_memory())


@_add
class Plan(Ghlo.Plan):
    """How a device runs a program: a sequence of steps."""

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return '<Ghlo.Plan %d steps, %d of them on the reference executor, %d bytes>' % (
            self.get_n_steps(), self.get_n_reference_steps(), self.get_memory())


@_add
class PlanStep(Ghlo.PlanStep):
    """One step of a plan."""

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return '<Ghlo.PlanStep %s on %s>' % (self.get_operation(), self.get_unit())


@_add
class Diagnostic(Ghlo.Diagnostic):
    """One finding of a check."""

    def __str__(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        return '<Ghlo.Diagnostic %s>' % self.to_string().partition('\n')[0]


@_add
class Device(Ghlo.Device):
    """A device that runs programs."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ghlo.Device) and self.equal(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return self.hash()

    def __repr__(self) -> str:
        return '<Ghlo.Device %s (%s)>' % (self.get_name(), self.get_kind().value_nick)


def _get_host_bytes(buffer):
    """Returns the elements, read from the device if there is one; None where the buffer has none."""
    return buffer.read(None) if buffer.get_device() is not None else buffer.get_host_bytes()


class _HostView(object):
    """The owner of the memory under an array that shows a buffer: it holds the bytes,
    which stay when the buffer is released."""

    def __init__(self, buffer, stored):
        self._bytes = _get_host_bytes(buffer)
        address = buffer.get_address()
        if self._bytes is None or address == 0:
            raise ValueError('expected a tensor in host memory, found %r' % buffer)
        self.__array_interface__ = {
            'version': 3,
            'shape': buffer.get_tensor_type().shape,
            'typestr': stored.str,
            'data': (address, True),
        }


@_add
class Buffer(Ghlo.Buffer):
    """The data of an input or output of a program; its content never changes.

    `with buffer:` releases the buffer at the end of the block. Arrays that show its memory
    keep that memory."""

    @classmethod
    def from_numpy(cls, array: npt.ArrayLike, element_type: Ghlo.ElementType | npt.DTypeLike | None = None,
                   copy: bool = True) -> Buffer:
        """Makes a buffer from an array, which may have any strides and byte order.

        element_type is the type of the elements where NumPy has none for them: bf16
        given as uint16, i4 given as int8. Other floats are rounded to bf16 and to floats
        of 8 bits or fewer; other numbers become i4 and similar types where they are in range.

        The array is copied, once. copy=False uses its memory in place, and keeps the
        array alive as long as that is needed: the array must not be written to any more.
        Raises ValueError with the reason where its memory cannot be used."""
        import numpy as np
        if _arrays.direct is not None and type(array) is np.ndarray and element_type is None and copy is not False:
            buffer = _arrays.direct.copy(array, _arrays.get_tables()[2].get(array.dtype))
            if buffer is not None:
                return buffer
        if isinstance(array, np.ma.MaskedArray):
            raise TypeError('a masked array has elements without a value: use array.filled (value)')
        array_given, original = array, np.asarray(array)
        if element_type is not None:
            element_type = _arrays.to_element_type(element_type)
        element_type, array = _arrays.to_stored(original, element_type)
        tensor_type = TensorType.for_array(array, element_type)
        if copy is False:
            _arrays.check_shareable(array, original, 'the array')
            owner = make_owner((array_given, original))
            return cls._from_address(tensor_type, array.__array_interface__['data'][0], None, owner)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder('='))
        return _arrays.copy_to_buffer(tensor_type, array)

    @classmethod
    def from_dlpack(cls, tensor: Any, copy: bool = True) -> Buffer:
        """Makes a buffer from an object with __dlpack__ (an array or tensor of any library, in
        host memory), or from a DLPack capsule.

        The tensor is copied. copy=False uses its memory in place: it must not be written to
        as long as the buffer lives."""
        if hasattr(tensor, '__dlpack_device__') and tuple(map(int, tensor.__dlpack_device__()))[0] != _arrays.CPU[0]:
            raise BufferError('expected a tensor in host memory: copy it to the CPU first')
        try:
            capsule = _arrays.get_capsule(tensor)
        except BufferError:
            # A read-only array, which older versions of DLPack cannot express.
            if 'numpy' in sys.modules and isinstance(tensor, sys.modules['numpy'].ndarray):
                return cls.from_numpy(tensor, copy=copy)
            raise
        managed, delete = _arrays.get_dlpack().take(capsule)
        shared = False
        try:
            element_type, shape, strides, address = _arrays.describe_dlpack(
                managed.tensor, getattr(managed, 'flags', 0))
            tensor_type = Ghlo.TensorType.new(element_type, shape)
            if copy is not False:
                return cls._from_address(tensor_type, address, strides)
            shared = True
            return cls._from_address(tensor_type, address, strides, make_owner(None, delete))
        finally:
            if not shared:
                delete()

    @staticmethod
    def _from_address(tensor_type, address, strides, owner=None):
        if tensor_type.get_size() == 0:
            address = address or 1
        if owner is None:
            return Ghlo.Buffer.new_from_address(tensor_type, address, strides)
        return Ghlo.Buffer.new_from_owner(tensor_type, address, strides, owner)

    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions of the tensor."""
        return self._get_type().shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype that np.asarray (buffer) has."""
        return self._get_type().dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the elements in bytes."""
        return self.get_size()

    @property
    def data(self) -> memoryview:
        """A read-only memoryview of the elements."""
        return self.__array__().data

    def __buffer__(self, flags: int) -> memoryview:
        # NumPy looks for the buffer protocol first, and would take bits for numbers.
        tensor_type = self._get_type()
        if _arrays.is_small_float(tensor_type.get_element_type()):
            raise BufferError('a memoryview has no numbers like those of %s: use data for their bits' % tensor_type)
        return memoryview(self.__array__())

    def tolist(self) -> Any:
        """Returns the elements as Python numbers in nested lists, like NumPy's tolist();
        floats of any type are given by their values."""
        return self._to_numbers().tolist()

    def item(self) -> Any:
        """Returns the only element of the tensor as a Python number."""
        numbers = self._to_numbers()
        if numbers.size != 1:
            raise ValueError('expected a buffer of one element, found %s' % self._get_type())
        return numbers.item()

    def _to_numbers(self):
        """Returns an array of the elements' values: doubles where NumPy lacks the type."""
        import numpy as np
        tensor_type = self._get_type()
        if _arrays.is_small_float(tensor_type.get_element_type()):
            return np.array(self.get_doubles(), np.float64).reshape(tensor_type.shape)
        stored = _arrays.get_tables()[0][tensor_type.get_element_type()]
        return np.asarray(self).astype(stored, copy=False)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError('a buffer of %s has no length' % self._get_type())
        return self.shape[0]

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __bool__(self) -> bool:
        """The truth value of the tensor's only element; a buffer without a tensor is true."""
        return self.get_tensor_type() is None or bool(self.item())

    def _get_type(self):
        tensor_type = self.get_tensor_type()
        if tensor_type is None:
            raise TypeError('expected a buffer that holds a tensor, found %r' % self)
        return tensor_type

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        import numpy as np
        if _arrays.direct is not None and dtype is None and not copy:
            view = _arrays.direct.view(self)
            if view is not None:
                return np.asarray(view)
        tensor_type = self._get_type()
        stored, shown, _ = _arrays.get_tables()
        element_type = tensor_type.get_element_type()
        array = np.asarray(_HostView(self, stored[element_type]))
        if shown[element_type] != stored[element_type]:
            array = array.view(shown[element_type])
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError('an array of %s needs a copy of a buffer of %s' % (dtype, tensor_type))
            # Conversions to other dtypes start from the values, never from their bits.
            is_shown_as_bits = _arrays.is_small_float(element_type) and shown[element_type] == stored[element_type]
            return (self._to_numbers() if is_shown_as_bits else array).astype(dtype)
        return array.copy() if copy else array

    def __dlpack_device__(self) -> tuple[int, int]:
        return _arrays.CPU

    def __dlpack__(self, *, stream: None = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        """Returns a DLPack capsule over the buffer's memory, which must not be written to:
        capsules of version 1 are marked read-only (they need NumPy 2.1), older ones cannot be.
        With copy=True the consumer gets memory of its own.

        bf16 is exported as DLPack's bf16; integers under 8 bits as the bytes that hold them;
        floats of 8 bits or fewer need a consumer of version 1.1."""
        if stream is not None:
            raise BufferError('expected no stream for host memory, found %r' % (stream,))
        if dl_device is not None and tuple(map(int, dl_device)) != _arrays.CPU:
            raise BufferError('expected the CPU, device (1, 0), found %r' % (dl_device,))
        host = _get_host_bytes(self)
        if host is None:
            raise BufferError('expected a tensor in host memory, found %r' % self)
        source = self
        if copy:
            source = self._from_address(self.get_tensor_type(), self.get_address(), None)
        return _arrays.export_dlpack(source, max_version, copy)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        tensor_type = self.get_tensor_type()
        if tensor_type is None:
            return '<Ghlo.Buffer %s>' % self.get_kind().value_nick
        gone = self.get_device() is None and self.get_host_bytes() is None
        return '<Ghlo.Buffer %s%s>' % (tensor_type, ', released' if gone else '')


@_add
class Result(Ghlo.Result):
    """The outputs of a run: a sequence of buffers that can be unpacked.

    `with result:` releases all buffers at the end of the block."""

    if TYPE_CHECKING:
        @overload
        def __getitem__(self, key: slice) -> list[Buffer]: ...

        @overload
        def __getitem__(self, key: SupportsIndex) -> Buffer: ...

    def __getitem__(self, key):
        if isinstance(key, slice):
            return self._list()[key]
        try:
            index = operator.index(key)
        except TypeError:
            raise TypeError('expected the number of an output or a slice, found %r' % (key,)) from None
        n = len(self)
        if not -n <= index < n:
            raise IndexError('expected one of %d outputs, found the index %d' % (n, index))
        return self.get_output(index % n)

    def __len__(self) -> int:
        return self.get_n_outputs()

    def __iter__(self) -> Iterator[Buffer]:
        return iter(self._list())

    def _list(self):
        return self.get_outputs() or []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return '<Ghlo.Result (%s)>' % _join(str(output.get_tensor_type() or output.get_kind().value_nick)
                                            for output in self)


def _join(texts, most=6):
    texts = list(texts)
    return ', '.join(texts[:most] + ['… %d more' % (len(texts) - most)] * (len(texts) > most))


def _describe(program):
    return '(%s) -> (%s)' % (_join(map(str, program.list_inputs())), _join(map(str, program.list_outputs())))


@_add
class Program(Ghlo.Program):
    """A program, parsed and verified."""

    def __repr__(self) -> str:
        return '<Ghlo.Program %s%s>' % (self.get_name() + ' ' if self.get_name() else '', _describe(self))


@_add
class Client(Ghlo.Client):
    """The entry point of an application: finds devices and compiles programs."""

    def register_custom_call(self, target: str, function: Callable[..., Any] | None = None,
                             context: GLib.MainContext | None = None) -> Any:
        """Makes function handle the custom calls of target in programs that are compiled from now on.

        The function is called with the operands, as arrays that must not be written to, and returns the
        result: any value that an input of that type accepts, or a tuple of several. Where it has a parameter
        named call, it gets the Ghlo.CustomCall there, which describes how the program configures the
        call. An exception that it raises ends the run and is part of the error's message.

        Without context the function is called on the thread that runs the program, possibly on several at
        once; otherwise in that main context. Without function this method is a decorator."""
        if function is None:
            def decorate(decorated: Callable[..., Any]) -> Callable[..., Any]:
                self.register_custom_call(target, decorated, context)
                return decorated
            return decorate
        from . import _ghlo_custom_calls
        _interrupts.may_call_back = True
        super().register_custom_call(target, _ghlo_custom_calls.wrap(function), None, context)
        return function


@_add
class Progress(Ghlo.Progress):
    """The progress of a call. Created inside asyncio, it notifies in asyncio's loop."""

    def __init__(self, **properties: Any) -> None:
        context = None
        if 'asyncio' in sys.modules:
            from . import _ghlo_asyncio
            context = _ghlo_asyncio.get_context()
        if context is None:
            super().__init__(**properties)
        else:
            with context:
                super().__init__(**properties)

    @classmethod
    def new(cls) -> Progress:
        return cls()

    def __repr__(self) -> str:
        return '<Ghlo.Progress %.0f %%, %s>' % (self.get_fraction() * 100, self.get_stage().value_nick)


def _run(source, name, run, inputs, named, cancellable):
    """Runs an executable or a session on inputs given in order, by name, or both."""
    if named:
        inputs = arrange(source.list_inputs(), inputs, named)
    if cancellable is None:
        result = _interrupts.run_direct(source, tuple(inputs))
        if result is not None:
            return result
    infos = source.list_inputs()
    if len(infos) != len(inputs):
        raise TypeError('expected %d inputs %s, found %d: write %s (%s)' % (
            len(infos), say_taken(source), len(inputs), name,
            _join((info.get_name() or 'x%d' % info.get_index() for info in infos))))
    return run(source, [to_buffer(info, value) for info, value in zip(infos, inputs)], cancellable)


@_add
class Executable(Ghlo.Executable):
    """A compiled program; executable (a, b) runs it, and so does executable (a, y=b)."""

    _inputs = _forms = None

    def list_inputs(self) -> list[ValueInfo]:
        # Kept, since inputs never change and each ValueInfo keeps its form.
        if self._inputs is None:
            self._inputs = super().list_inputs()
        return list(self._inputs)

    def _list_forms(self):
        """Returns the inputs' forms for _ghlo_direct; empty ones as long as NumPy is not imported."""
        if self._forms is None and 'numpy' in sys.modules:
            self._forms = tuple(map(get_form, self.list_inputs()))
        return self._forms or ((),) * len(self.list_inputs())

    def __call__(self, *inputs: _Input, cancellable: Gio.Cancellable | None = None, **named: _Input) -> Result:
        """Runs the program on buffers, arrays, and numbers or lists of numbers. Numbers are
        converted to the type that the program takes; arrays keep their own type, and are read
        until the call returns. Inputs are given in order, by the names in list_inputs (), or
        both."""
        return _run(self, 'executable', _calls.converted['Executable', 'execute'], inputs, named, cancellable)

    def __repr__(self) -> str:
        return '<Ghlo.Executable %s>' % _describe(self)


if hasattr(Ghlo, 'Session'):
    @_add
    class Session(Ghlo.Session):
        """An executable with inputs bound and outputs carried; session (a, b) runs it
        on the inputs that are left, and so does session (a, y=b)."""

        _forms = None

        def list_inputs(self) -> list[ValueInfo]:
            executable, infos = self.get_executable(), super().list_inputs()
            if executable is None:
                return infos
            # Uses the executable's ValueInfo objects, which keep their forms.
            known = executable.list_inputs()
            return [known[info.get_index()] for info in infos]

        def _list_forms(self):
            executable = self.get_executable()
            forms = executable._list_forms() if executable is not None else ()
            if 'numpy' in sys.modules:
                self._forms = forms
            return forms

        def __call__(self, *inputs: _Input, cancellable: Gio.Cancellable | None = None, **named: _Input) -> Result:
            """Runs the session. Inputs are given as for an executable, but only those in list_inputs ():
            the ones that are neither bound nor carried."""
            return _run(self, 'session', _calls.converted['Session', 'run'], inputs, named, cancellable)

        def carry_all(self, initial: _Inputs | None = None, **named: _Input) -> bool:
            """Carries each output that the program marks (tf.aliasing_output) into its input. An input with a
            bound value starts with that value; the initial values of the others are given here, in a list
            or by name. Values for all marked inputs replace what they have."""
            if named:
                initial = arrange_initial(self, initial or (), named)
            return super().carry_all(initial)

        def bind_output(self, output: int | str, array: npt.NDArray[Any] | int, *rest: Any) -> bool:
            """Makes later runs write an output into an array; their results then lack that output. The array
            is kept alive as long as that is needed; unbind_output (output) ends the binding.

            The array has the output's shape and dtype, in row-major order without gaps. Its content is
            undefined during a run, and after a run that failed or was cancelled. Where dimensions are
            dynamic, a run whose output has another number of elements fails. As in C, the array may be
            replaced by an address, a size in bytes and a function that is called when the memory is no
            longer needed."""
            if isinstance(array, int):
                return super().bind_output(output, array, *rest)
            output = find_output(self, output)
            executable = self.get_executable()
            infos = executable.list_outputs() if executable is not None else []
            address, size = 0, 0
            # The library reports an output that does not exist.
            if 0 <= operator.index(output) < len(infos):
                _arrays.check_writable(array, infos[output], 'output %d' % output)
                address, size = array.__array_interface__['data'][0], array.nbytes
            return self.bind_owned_output(output, address, size, make_owner(array))

        def __repr__(self) -> str:
            return '<Ghlo.Session of %r>' % self.get_executable()
