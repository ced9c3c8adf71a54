# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inputs and outputs of programs: pictures, numbers that fill an input, summaries of values.

Small StableHLO programs fill inputs and summarize values, on the device where the values are.
So even large tensors do not keep the main loop busy.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from gi.repository import Gdk, GdkPixbuf, Ghlo, GLib

import numpy as np

PICTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'picture.png')
SMALLEST = 16                   # least number of rows and of columns in a picture
FIRST = 4                       # numbers that a summary shows
OPEN_SIZE = 4                   # the size that the viewer gives a dynamic dimension


def is_picture(info: Ghlo.ValueInfo) -> bool:
    """Returns whether an input or output is a picture: rows, columns, and red, green, blue."""
    tensor_type = info.get_tensor_type()
    if tensor_type is None or tensor_type.get_element_type() not in (Ghlo.ElementType.UI8, Ghlo.ElementType.F32):
        return False
    dimensions = tensor_type.get_dimensions() or []
    return len(dimensions) == 3 and min(dimensions[:2]) >= SMALLEST and dimensions[2] == 3


def make_texture(tensor_type: Ghlo.TensorType, data: GLib.Bytes, stride: int = 0) -> Gdk.Texture:
    """Makes a texture from rows that are STRIDE bytes apart, or contiguous where STRIDE is 0."""
    height, width, _ = tensor_type.get_dimensions()
    if tensor_type.get_element_type() == Ghlo.ElementType.UI8:
        return Gdk.MemoryTexture.new(width, height, Gdk.MemoryFormat.R8G8B8, data, stride or 3 * width)
    return Gdk.MemoryTexture.new(width, height, Gdk.MemoryFormat.R32G32B32_FLOAT, data, stride or 12 * width)


class Camera:
    """A source of pictures of one type: a still picture, or a camera that pans over a test pattern."""

    def __init__(self, tensor_type: Ghlo.TensorType, is_pattern: bool) -> None:
        self.tensor_type = tensor_type
        self.height, self.width, _ = tensor_type.get_dimensions()
        self.is_pattern = is_pattern
        self.size = 1                             # of an element, in bytes
        data, self.stride = self.make_pattern() if is_pattern else self.load_picture()
        if tensor_type.get_element_type() == Ghlo.ElementType.F32:
            self.size = 4
            self.stride *= 4
            data = (np.frombuffer(data, np.uint8) / np.float32(255)).tobytes()
        self.bytes = GLib.Bytes.new(data)

    def load_picture(self) -> tuple[bytes, int]:
        pixbuf = GdkPixbuf.Pixbuf.new_from_file(PICTURE)
        if pixbuf and (pixbuf.get_width(), pixbuf.get_height()) != (self.width, self.height):
            pixbuf = pixbuf.scale_simple(self.width, self.height, GdkPixbuf.InterpType.BILINEAR)
        assert pixbuf                             # a failure to load raises GLib.Error
        return pixbuf.read_pixel_bytes().get_data(), pixbuf.get_rowstride()    # rows are padded to four bytes

    def make_pattern(self) -> tuple[bytes, int]:
        """Makes bars of eight colours above a ramp of greys, twice side by side."""
        column = np.arange(2 * self.width) % self.width
        bar, grey = 7 - column * 8 // self.width, column * 255 // self.width
        bars = np.stack([(bar >> i & 1) * 255 for i in (1, 2, 0)], 1).astype(np.uint8)
        greys = np.stack([grey, grey, grey], 1).astype(np.uint8)
        n_bars = self.height * 3 // 4
        return b''.join([bars.tobytes()] * n_bars + [greys.tobytes()] * (self.height - n_bars)), 6 * self.width

    def take(self, number: int) -> tuple[Ghlo.Buffer, Gdk.Texture]:
        """Returns picture NUMBER: the buffer for the program, and the texture to show."""
        column = 2 * number % self.width if self.is_pattern else 0
        begin = column * 3 * self.size
        data = GLib.Bytes.new_from_bytes(self.bytes, begin, self.bytes.get_size() - begin)
        strides = [self.stride, 3 * self.size, self.size]
        return (Ghlo.Buffer.new_from_bytes_strided(self.tensor_type, data, strides),
                make_texture(self.tensor_type, data, self.stride))


def write_program(arguments: Sequence[str], results: Sequence[tuple[str, str]], lines: Sequence[str]) -> str:
    """Writes the text of a program, from the arguments' types and the results' types and values."""
    taken = ', '.join(f'%x{i}: {argument}' for i, argument in enumerate(arguments))
    types = ', '.join(each for each, _ in results)
    values = ', '.join(value for _, value in results)
    return '\n'.join([f'func.func @main({taken}) -> ({types}) {{', *lines,
                      f'  return {values} : {types}' if results else '  return', '}'])


def write_fill(tensor_types: Sequence[Ghlo.TensorType], how: str) -> str:
    """Writes a program that makes a tensor of each type: zeros, a ramp from 0 to 1 (integers count
    from 0), or scattered numbers from 0 to 1 (integers to 255)."""
    lines, results = [], []
    factor, chosen = 0 if how == 'zeros' else 2654435769, 'a' if how == 'ramp' else 'j'
    for i, tensor_type in enumerate(tensor_types):
        shape = [OPEN_SIZE if size < 0 else size for size in tensor_type.get_dimensions() or []]
        element_type = tensor_type.get_element_type()
        whole, real, result = (Ghlo.TensorType.new(each, shape).to_string() for each in (
            Ghlo.ElementType.UI32, Ghlo.ElementType.F32, element_type))
        n = int(np.prod(shape, dtype=np.int64))
        flat = f'tensor<{n}xui32>'
        lines += [
            f'  %a{i} = stablehlo.iota dim = 0 : {flat}',
            f'  %b{i} = stablehlo.constant dense<{factor}> : {flat}',
            f'  %c{i} = stablehlo.multiply %a{i}, %b{i} : {flat}',
            f'  %d{i} = stablehlo.add %c{i}, %b{i} : {flat}',
            f'  %e{i} = stablehlo.constant dense<15> : {flat}',
            f'  %o{i} = stablehlo.shift_right_logical %d{i}, %e{i} : {flat}',
            f'  %f{i} = stablehlo.xor %d{i}, %o{i} : {flat}',
            f'  %g{i} = stablehlo.multiply %f{i}, %b{i} : {flat}',
            f'  %h{i} = stablehlo.constant dense<24> : {flat}',
            f'  %j{i} = stablehlo.shift_right_logical %g{i}, %h{i} : {flat}',
            f'  %k{i} = stablehlo.reshape %{chosen}{i} : ({flat}) -> {whole}']
        if str(Ghlo.ElementType.to_string(element_type)).startswith(('i', 'u')):
            lines.append(f'  %r{i} = stablehlo.convert %k{i} : ({whole}) -> {result}')
        else:
            most = max(n - 1, 1) if how == 'ramp' else 255
            lines += [
                f'  %l{i} = stablehlo.convert %k{i} : ({whole}) -> {real}',
                f'  %m{i} = stablehlo.constant dense<{most}.0> : {real}',
                f'  %n{i} = stablehlo.divide %l{i}, %m{i} : {real}',
                f'  %r{i} = stablehlo.convert %n{i} : ({real}) -> {result}']
        results.append((result, f'%r{i}'))
    return write_program([], results, lines)


def write_summary(tensor_types: Sequence[Ghlo.TensorType]) -> str:
    """Writes a program that returns the least, greatest, mean and first numbers of each tensor."""
    lines = ['  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>',
             '  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>',
             '  %zero = stablehlo.constant dense<0.0> : tensor<f32>']
    results = []
    for i, tensor_type in enumerate(tensor_types):
        shape, n = tensor_type.get_dimensions() or [], tensor_type.get_n_elements()
        real = Ghlo.TensorType.new(Ghlo.ElementType.F32, shape).to_string()
        flat, first = f'tensor<{n}xf32>', min(n, FIRST)
        lines += [
            f'  %a{i} = stablehlo.convert %x{i} : ({tensor_type.to_string()}) -> {real}',
            f'  %b{i} = stablehlo.reshape %a{i} : ({real}) -> {flat}']
        for name, initial, operation in (('c', 'high', 'minimum'), ('d', 'low', 'maximum'), ('e', 'zero', 'add')):
            lines += [
                f'  %{name}{i} = stablehlo.reduce(%b{i} init: %{initial}) applies stablehlo.{operation} '
                f'across dimensions = [0] : ({flat}, tensor<f32>) -> tensor<f32>',
                f'  %{name}{name}{i} = stablehlo.reshape %{name}{i} : (tensor<f32>) -> tensor<1xf32>']
        lines += [
            f'  %f{i} = stablehlo.constant dense<{n}.0> : tensor<1xf32>',
            f'  %g{i} = stablehlo.divide %ee{i}, %f{i} : tensor<1xf32>',
            f'  %h{i} = stablehlo.slice %b{i} [0:{first}] : ({flat}) -> tensor<{first}xf32>',
            f'  %r{i} = stablehlo.concatenate %cc{i}, %dd{i}, %g{i}, %h{i}, dim = 0 : (tensor<1xf32>, '
            f'tensor<1xf32>, tensor<1xf32>, tensor<{first}xf32>) -> tensor<{3 + first}xf32>']
        results.append((f'tensor<{3 + first}xf32>', f'%r{i}'))
    return write_program([each.to_string() for each in tensor_types], results, lines)


def describe(numbers: Sequence[float], n: int) -> str:
    """Formats the results of write_summary() for a tensor of N elements."""
    least, greatest, mean, *first = [f'{number:.4g}' for number in numbers]
    if n <= FIRST:
        return ', '.join(first)
    return f'{least} to {greatest}, mean {mean}: {", ".join(first)}, …'
