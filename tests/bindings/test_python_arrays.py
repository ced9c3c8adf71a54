#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in and out: strides, shared memory, DLPack both ways, small types."""

import asyncio
import ctypes
import gc
import sys
import unittest
import weakref

from python_common import ADD, TWO, Ghlo, GLib, compile_text, get_rss

import numpy as np

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None

NEW_NUMPY = tuple(map(int, np.__version__.split('.')[:2])) >= (2, 1)


def get_address(array):
    return array.__array_interface__['data'][0]


class Array(np.ndarray):
    """One that can be referenced weakly, as can what NumPy derives."""


class TestFromNumpy(unittest.TestCase):
    def test_strides(self):
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        views = [array.T, array[:, ::-1], array[::-1, ::-1, ::-1], array[::2, 1:], array[..., ::3], array[:, None],
                 np.broadcast_to(array[0], (5, 3, 4)), array.astype('>f4'), array.astype('>f4')[:, ::-2], array[1, 2],
                 array[1, 2, 3],
                 np.asfortranarray(array), array[:0], array[:, :0, ::-1], array.astype(np.complex64)[::-1].imag]
        for view in views:
            for copy in [True, None]:
                buffer = Ghlo.Buffer.from_numpy(view, copy=copy)
                self.assertEqual(buffer.shape, view.shape)
                self.assertTrue((np.asarray(buffer) == view).all())

    def test_misaligned(self):
        array = np.frombuffer(b'x' + np.arange(5, dtype=np.float64).tobytes(), np.float64, offset=1)
        self.assertFalse(array.flags.aligned)
        self.assertEqual(np.asarray(Ghlo.Buffer.from_numpy(array)).tolist(), [0, 1, 2, 3, 4])

    def test_is_a_copy(self):
        array = np.zeros(10, np.int32)
        buffer = Ghlo.Buffer.from_numpy(array)
        array[:] = 1
        self.assertEqual(np.asarray(buffer).sum(), 0)

    def test_one_copy(self):
        """Not two: bytes between the array and the buffer would be seen."""
        array = np.ones(32 << 20, np.uint8)
        try:
            with open('/proc/self/clear_refs', 'w') as file:
                file.write('5')
        except OSError as error:
            self.skipTest('the peak cannot be set back: %s' % error)
        before = get_rss()
        buffer = Ghlo.Buffer.from_numpy(array)
        with open('/proc/self/status') as file:
            (peak,) = [int(line.split()[1]) / 1024 for line in file if line.startswith('VmHWM')]
        self.assertLess(peak - before, 32 + 8)
        self.assertEqual(buffer.get_size(), 32 << 20)

    def test_shared(self):
        array = np.arange(1000, dtype=np.float32)
        buffer = Ghlo.Buffer.from_numpy(array, copy=False)
        self.assertEqual(buffer.get_address(), get_address(array))
        self.assertEqual(get_address(np.asarray(buffer)), get_address(array))

    def test_shared_memory_is_kept_and_let_go(self):
        array = np.arange(1000, dtype=np.float32).view(Array)
        gone = weakref.ref(array)
        buffer = Ghlo.Buffer.from_numpy(array, copy=False)
        del array
        gc.collect()
        self.assertIsNotNone(gone())
        shown = np.asarray(buffer)
        buffer.release()
        gc.collect()
        self.assertIsNotNone(gone())
        self.assertEqual(shown[999], 999)
        del shown
        gc.collect()
        self.assertIsNone(gone())

    def test_shared_with_a_run(self):
        one = np.ones((2, 3), np.float32)
        references = sys.getrefcount(one)
        buffer = Ghlo.Buffer.from_numpy(one, copy=False)
        executable = compile_text(ADD)
        for _ in range(100):
            (total,) = executable(buffer, buffer)
        self.assertTrue((np.asarray(total) == 2).all())
        del buffer
        gc.collect()
        self.assertEqual(sys.getrefcount(one), references)

    def test_shared_read_only(self):
        array = np.arange(10, dtype=np.int64)
        array.flags.writeable = False
        self.assertEqual(Ghlo.Buffer.from_numpy(array, copy=False).get_address(), get_address(array))

    def test_unshareable(self):
        array = np.arange(24, dtype=np.float32).reshape(4, 6)
        misaligned = np.frombuffer(b'x' + bytes(16), np.float64, offset=1)
        for wrong, message in [(array.T, 'row by row'), (array[:, ::-1], 'row by row'),
                               (array.astype('>f4'), 'byte order'), (misaligned, 'aligned')]:
            with self.assertRaisesRegex(ValueError, message + '.*leave out copy=False'):
                Ghlo.Buffer.from_numpy(wrong, copy=False)
        self.assertEqual(Ghlo.Buffer.from_numpy(array[:0, ::-1], copy=False).shape, (0, 6))

    def test_element_types(self):
        for element_type, array in [('bf16', np.array([0x3f80], np.uint16)),
                                    (Ghlo.ElementType.I4, np.array([-8], np.int8)),
                                    ('ui2', np.array([3], np.uint8)), ('f8E4M3FN', np.array([0x38], np.uint8)),
                                    ('index', np.array([7])), (np.float32, np.array([1], np.float32))]:
            buffer = Ghlo.Buffer.from_numpy(array, element_type)
            self.assertEqual(np.asarray(buffer).tobytes(), array.tobytes())
            self.assertEqual(np.asarray(buffer).dtype, buffer.dtype)

    @unittest.skipIf(ml_dtypes is None, 'ml_dtypes is not there')
    def test_ml_dtypes(self):
        for dtype, name in [(ml_dtypes.bfloat16, 'bf16'), (ml_dtypes.float8_e4m3fn, 'f8E4M3FN'), (ml_dtypes.int4, 'i4'),
                            (ml_dtypes.uint4, 'ui4'), (ml_dtypes.float8_e5m2, 'f8E5M2')]:
            array = np.array([[1, 2], [-1 if name[0] != 'u' else 3, 0]], dtype)
            for view in [array, array[:, ::-1], array.T]:
                buffer = Ghlo.Buffer.from_numpy(view)
                self.assertEqual(str(buffer.get_tensor_type()), 'tensor<2x2x%s>' % name)
                self.assertEqual(np.asarray(buffer).dtype, dtype)
                self.assertTrue((np.asarray(buffer) == view).all())

    def test_addresses(self):
        """What the library says itself when a binding is wrong."""
        released = []
        for tensor_type, address, strides, message in [
                ('tensor<2xf32>', 0, None, 'found 0'), ('tensor<?xf32>', 64, None, 'static shape'),
                ('tensor<2xf32>', 64, [4, 4], 'expected 1 strides'), ('tensor<2xf32>', 64, [8], 'leave gaps')]:
            with self.assertRaisesRegex(GLib.Error, message):
                Ghlo.Buffer.new_from_address(tensor_type, address, strides, lambda *_: released.append(1), None)
        self.assertEqual(len(released), 4)


SMALL_FLOATS = ['bf16', 'f8E3M4', 'f8E4M3', 'f8E4M3FN', 'f8E4M3FNUZ', 'f8E4M3B11FNUZ', 'f8E5M2', 'f8E5M2FNUZ',
                'f8E8M0FNU', 'f6E2M3FN', 'f6E3M2FN', 'f4E2M1FN']


def compile_identity(element_type, shape='2x'):
    return compile_text('func.func @main(%%x: tensor<%s%s>) -> tensor<%s%s> {\n  return %%x : tensor<%s%s>\n}\n'
                        % ((shape, element_type) * 3))


def get_bits(buffer):
    return buffer.read(None).get_data()


class Subclass(np.ndarray):
    pass


class TestInputs(unittest.TestCase):
    """Arrays in the place of buffers: an executable keeps what its inputs take from call to call."""

    def setUp(self):
        self.executable = compile_text(ADD)
        self.ones = np.ones((2, 3), np.float32)

    def run_on(self, array):
        return np.asarray(self.executable(array, self.ones)[0])

    def test_layouts(self):
        numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
        frozen = numbers.copy()
        frozen.flags.writeable = False
        for _ in range(2):
            for array in [numbers, np.asfortranarray(numbers), numbers[::-1], numbers[:, ::-1], frozen,
                          np.repeat(numbers, 2, axis=1)[:, ::2], np.broadcast_to(numbers[0], (2, 3)),
                          numbers.astype('>f4'), numbers.view(Subclass), Ghlo.Buffer.from_numpy(numbers),
                          numbers.tolist()]:
                wanted = np.asarray(array) + 1
                self.assertEqual(self.run_on(array).tolist(), wanted.tolist())

    def test_is_a_copy(self):
        """Also where an output is the input itself, and while a call is under way."""
        identity = compile_text('func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n'
                                '  return %x : tensor<3xf32>\n}\n')
        array = np.ones(3, np.float32)

        async def later():
            call = identity.execute_async([array])
            array[:] = 3
            return await call

        first = np.asarray(identity(array)[0])
        array[:] = 2
        second = np.asarray(asyncio.run(later())[0])
        self.assertEqual((first.tolist(), second.tolist()), ([1, 1, 1], [2, 2, 2]))

    def test_large(self):
        """What is too large to be copied for nothing is not kept beyond the call, whatever comes out of it."""
        program = compile_text('func.func @main(%x: tensor<300x200xf32>, %u: tensor<60000xui8>)\n'
                               '    -> (tensor<300x200xf32>, tensor<60000xf32>, tensor<60000xui8>, tensor<200xf32>) {\n'
                               '  %0 = stablehlo.reshape %x : (tensor<300x200xf32>) -> tensor<60000xf32>\n'
                               '  %1 = stablehlo.slice %x [0:1, 0:200] : (tensor<300x200xf32>) -> tensor<1x200xf32>\n'
                               '  %2 = stablehlo.reshape %1 : (tensor<1x200xf32>) -> tensor<200xf32>\n'
                               '  return %x, %0, %u, %2\n'
                               '    : tensor<300x200xf32>, tensor<60000xf32>, tensor<60000xui8>, tensor<200xf32>\n}\n')
        session = Ghlo.Session.new(program)
        for run in [program, session]:
            x = np.arange(60000, dtype=np.float32).reshape(300, 200)
            u = (np.arange(60000) % 251).astype(np.uint8)
            wanted = [array.tolist() for array in (x, x.reshape(-1), u, x[0])]
            references = sys.getrefcount(x), sys.getrefcount(u)
            result = run(x, u)
            shown = [np.asarray(output) for output in result]
            for array in shown:
                self.assertFalse(np.may_share_memory(array, x) or np.may_share_memory(array, u))
            self.assertEqual((sys.getrefcount(x), sys.getrefcount(u)), references)
            x[:] = 0
            u[:] = 0
            self.assertEqual([array.tolist() for array in shown], wanted)
            for wrong in [u[:-1], u.view(bool), u.astype(np.int8)]:
                with self.assertRaises(GLib.Error):
                    run(x, wrong)
            del wrong
            self.assertEqual((sys.getrefcount(x), sys.getrefcount(u)), references)

    def test_large_and_carried(self):
        """What a session keeps of an array is its own."""
        session = Ghlo.Session.new(compile_text(
            'func.func @main(%new: tensor<60000xf32>, %old: tensor<60000xf32>)\n'
            '    -> (tensor<60000xf32>, tensor<60000xf32>) {\n'
            '  return %old, %new : tensor<60000xf32>, tensor<60000xf32>\n}\n'))
        self.assertTrue(session.carry(1, 1, np.zeros(60000, np.float32)))
        array = np.zeros(60000, np.float32)
        for i in range(1, 5):
            array[:] = i
            result = session(array)
            array[:] = -1
            self.assertEqual(np.asarray(result[0])[[0, -1]].tolist(), [i - 1, i - 1])

    def test_mistakes(self):
        for array, error, words in [
                (np.ma.masked_array(self.ones, self.ones > 0), TypeError, 'masked'),
                (self.ones.astype('float64'), GLib.Error, "astype .'float32'."),
                (self.ones.T, GLib.Error, 'found tensor<3x2xf32>'),
                (self.ones[0], GLib.Error, 'found tensor<3xf32>'),
                (np.array([['a'] * 3] * 2), TypeError, 'found one of <U1')]:
            for _ in range(2):
                with self.assertRaisesRegex(error, words):
                    self.run_on(array)

    def test_inputs_stay(self):
        """What is done to a list of inputs changes none of the executable's."""
        self.executable.list_inputs().clear()
        names = [info.get_name() for info in self.executable.list_inputs()]
        self.assertEqual(names, ['left', 'right'])
        session = Ghlo.Session.new(self.executable)
        session.bind_input(0, self.ones)
        self.assertEqual([info.get_name() for info in session.list_inputs()], ['right'])
        self.assertEqual(np.asarray(session(self.ones)[0]).tolist(), (2 * self.ones).tolist())

    def test_open_and_empty(self):
        numbers = compile_text(TWO)
        for n in [3, 0, 1]:
            array = np.arange(n, dtype=np.int32)
            self.assertEqual(np.asarray(numbers(array)[0]).tolist(), array.tolist())
        empty = compile_text('func.func @main(%x: tensor<0x2xi1>) -> tensor<0x2xi1> {\n'
                             '  return %x : tensor<0x2xi1>\n}\n')
        self.assertEqual(np.asarray(empty(np.empty((0, 2), bool))[0]).shape, (0, 2))


class TestConversion(unittest.TestCase):
    """Arrays and numbers for types that NumPy lacks."""

    def test_small_floats(self):
        for name in SMALL_FLOATS:
            wanted = get_bits(Ghlo.Buffer.new_from_doubles('tensor<4x%s>' % name, [1, 2, 0.5, 4]))
            for dtype in ['float16', 'float32', 'float64', '>f4']:
                array = np.array([[1, 2], [0.5, 4]], dtype)
                for view in [array, np.asfortranarray(array), np.repeat(array, 2, axis=1)[:, ::2]]:
                    buffer = Ghlo.Buffer.from_numpy(view, name)
                    self.assertEqual(str(buffer.get_tensor_type()), 'tensor<2x2x%s>' % name)
                    self.assertEqual(get_bits(buffer), wanted)

    def test_rounded_once(self):
        """By way of f32 this would be a tie, which goes to the even one below."""
        buffer = Ghlo.Buffer.from_numpy(np.array([1 + 2.0**-8 + 2.0**-40, np.inf, np.nan]), 'bf16')
        bits = np.frombuffer(get_bits(buffer), np.uint16)
        self.assertEqual(bits[:2].tolist(), [0x3f81, 0x7f80])
        self.assertEqual(bits[2] & 0x7fc0, 0x7fc0)

    def test_many(self):
        array = np.arange(200000, dtype=np.float32).reshape(2, -1)
        bits = np.frombuffer(get_bits(Ghlo.Buffer.from_numpy(array, 'bf16')), np.uint16)
        back = (bits.astype(np.uint32) << 16).view(np.float32).reshape(array.shape)
        self.assertLessEqual((abs(back - array) / np.maximum(array, 1)).max(), 2.0**-8)
        self.assertEqual(Ghlo.Buffer.from_numpy(array[:, :0], 'bf16').shape, (2, 0))
        self.assertEqual(Ghlo.Buffer.from_numpy(np.float32(1), 'bf16').shape, ())

    def test_small_integers(self):
        for name, low, high in [('i2', -2, 1), ('i4', -8, 7), ('ui2', 0, 3), ('ui4', 0, 15)]:
            for dtype in ['int16', 'int64', 'float32', 'float64']:
                buffer = Ghlo.Buffer.from_numpy(np.array([low, 0, 1, high], dtype), name)
                self.assertEqual(np.asarray(buffer).astype(int).tolist(), [low, 0, 1, high])
                for wrong in [low - 1, high + 1, 256, -256]:
                    with self.assertRaisesRegex(ValueError, 'from %d to %d .* type %s.* at element 2' % (
                            low, high, name)):
                        Ghlo.Buffer.from_numpy(np.array([0, 1, wrong], dtype), name)
            for wrong in [0.5, np.nan, np.inf]:
                with self.assertRaisesRegex(ValueError, 'found %r at element 0' % wrong):
                    Ghlo.Buffer.from_numpy(np.array([wrong]), name)

    def test_refused(self):
        for array, name, message in [
                (np.array([1, 2]), 'bf16', r"array.astype \('float32'\), 'bf16'\) for numbers, or .* bits as uint16"),
                (np.array([1, 2], np.uint16), 'f8E5M2', 'bits as uint8'),
                (np.array([1j]), 'bf16', "astype"), (np.zeros(2, np.longdouble), 'bf16', "astype"),
                (np.array([1j]), 'i4', "astype"),
                (np.zeros(2), 'f16', r"write array.astype \('float16'\)")]:
            with self.assertRaisesRegex(TypeError, message):
                Ghlo.Buffer.from_numpy(array, name)
        with self.assertRaisesRegex(ValueError, 'held differently'):
            Ghlo.Buffer.from_numpy(np.zeros(2, np.float32), 'bf16', copy=False)

    def test_inputs(self):
        """No array is told to become the bits of another type."""
        for name in SMALL_FLOATS:
            executable = compile_identity(name)
            wanted = Ghlo.Buffer.new_from_doubles('tensor<2x%s>' % name, [1, 2])
            for numbers in [[1, 2], (1.0, 2.0), [np.int64(1), np.float32(2)]]:
                self.assertEqual(get_bits(executable(numbers)[0]), get_bits(wanted))
            with self.assertRaisesRegex(GLib.Error, r"Ghlo.Buffer.from_numpy \(array, '%s'\), which rounds" % name):
                executable(np.array([1, 2], np.float32))
            with self.assertRaisesRegex(GLib.Error, r"astype \('float32'\), '%s'\) for numbers" % name):
                executable(np.array([1, 2]))
        with self.assertRaisesRegex(GLib.Error, r"write Ghlo.Buffer.from_numpy \(array, 'i4'\)"):
            compile_identity('i4')(np.array([1, 2]))
        with self.assertRaisesRegex(GLib.Error, r"array.astype \('float16'\)"):
            compile_identity('f16')(np.array([1.0, 2]))

    def test_numbers_out_of_range(self):
        for name, wrong in [('i8', 300), ('ui8', -1), ('i4', 8), ('i4', 300), ('ui4', 16), ('i16', 1 << 15), ('i1', 2),
                            ('i32', 1 << 31), ('ui32', -1), ('i64', 1 << 63), ('ui64', -1)]:
            with self.subTest(name):
                executable = compile_identity(name)
                kind = np.int64 if wrong < 1 << 63 else np.uint64
                for numbers in [[0, wrong], [kind(0), kind(wrong)]]:
                    with self.assertRaises((TypeError, GLib.Error)):
                        executable(numbers)
                self.assertEqual(np.asarray(executable([0, 1])[0]).astype(int).tolist(), [0, 1])


class TestToNumpy(unittest.TestCase):
    def test_no_copy(self):
        buffer = Ghlo.Buffer.from_numpy(np.arange(1000, dtype=np.int32))
        one, two = np.asarray(buffer), np.asarray(buffer)
        self.assertEqual(get_address(one), buffer.get_address())
        self.assertEqual(get_address(one), get_address(two))
        with self.assertRaises(ValueError):
            one[0] = 1
        with self.assertRaises(ValueError):
            one.flags.writeable = True
        self.assertNotEqual(get_address(np.array(buffer)), buffer.get_address())

    def test_memory_outlives_everything(self):
        executable = compile_text(ADD)
        result = executable(np.full((2, 3), 20, np.float32), np.full((2, 3), 22, np.float32))
        array = np.asarray(result[0])
        with result:
            pass
        del result, executable
        gc.collect()
        np.asarray(Ghlo.Buffer.from_numpy(np.zeros((2, 3), np.float32)))
        self.assertTrue((array == 42).all())
        row = array[1]
        del array
        gc.collect()
        self.assertTrue((row == 42).all())


class TestNumbers(unittest.TestCase):
    """What a buffer says of itself, and its elements as numbers of Python's."""

    def test_sizes(self):
        for shape in [(), (0,), (5,), (2, 3), (0, 2), (1, 2, 3)]:
            buffer, array = Ghlo.Buffer.from_numpy(np.zeros(shape, np.int16)), np.zeros(shape, np.int16)
            self.assertEqual((buffer.ndim, buffer.nbytes, buffer.shape), (array.ndim, array.nbytes, array.shape))
            if shape:
                self.assertEqual(len(buffer), len(array))
            else:
                self.assertRaisesRegex(TypeError, 'no length', len, buffer)

    def test_lists(self):
        for array in [np.arange(6, dtype=np.int32).reshape(2, 3), np.array(7), np.array([True, False]),
                      np.array([0.5, -1], np.float16), np.array([1 + 2j]), np.array([2**64 - 1], np.uint64),
                      np.zeros((2, 0), np.float32)]:
            found = Ghlo.Buffer.from_numpy(array).tolist()
            self.assertEqual(found, array.tolist())
            self.assertEqual(repr(found), repr(array.tolist()))
        for name in SMALL_FLOATS:
            buffer = Ghlo.Buffer.from_numpy(np.array([[1, 2], [0.5, 4]]), name)
            self.assertEqual(buffer.tolist(), [[1, 2], [0.5, 4]])
            self.assertEqual(buffer.get_doubles(), [1, 2, 0.5, 4])
            self.assertEqual(np.asarray(buffer, np.float32).tolist(), [[1, 2], [0.5, 4]])
            self.assertEqual(np.array(buffer, dtype=int).tolist(), [[1, 2], [0, 4]])
        self.assertEqual(Ghlo.Buffer.from_numpy(np.array([-8, 7]), 'i4').tolist(), [-8, 7])

    def test_one_element(self):
        for value, name in [(2.5, 'f32'), (0, 'i8'), (7, 'ui4'), (-1.5, 'bf16'), (1, 'f8E4M3FN'), (0, 'bf16')]:
            for shape in ['', '1x', '1x1x']:
                buffer = Ghlo.Buffer.new_from_doubles('tensor<%s%s>' % (shape, name), [value])
                self.assertEqual((buffer.item(), float(buffer), int(buffer), bool(buffer)),
                                 (value, float(value), int(value), bool(value)))
        self.assertEqual(complex(Ghlo.Buffer.from_numpy(np.array(1 + 2j))), 1 + 2j)
        for n in [0, 2]:
            buffer = Ghlo.Buffer.from_numpy(np.zeros(n))
            for function in [Ghlo.Buffer.item, float, int, bool]:
                self.assertRaisesRegex(ValueError, 'one element, found tensor<%dxf64>' % n, function, buffer)
        self.assertTrue(Ghlo.Buffer.new_token())
        self.assertRaisesRegex(TypeError, 'holds a tensor', Ghlo.Buffer.new_token().tolist)
        self.assertRaisesRegex(TypeError, 'holds a tensor', len, Ghlo.Buffer.new_token())

    def test_memoryview(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        buffer = Ghlo.Buffer.from_numpy(array)
        view = buffer.data
        self.assertEqual((view.readonly, view.shape, view.format), (True, (2, 3), 'f'))
        buffer.release()
        self.assertEqual(view.tolist(), array.tolist())
        with self.assertRaises(TypeError):
            view[0, 0] = 1
        if sys.version_info >= (3, 12):
            self.assertTrue(memoryview(Ghlo.Buffer.from_numpy(array)).readonly)
        self.assertEqual(Ghlo.Buffer.from_numpy(array).__buffer__(0).tolist(), array.tolist())
        # Python calls it from 3.12 on.
        for name in SMALL_FLOATS:
            with self.assertRaisesRegex(BufferError, 'use data'):
                Ghlo.Buffer.from_numpy(array, name).__buffer__(0)


SUMS = '''func.func @main(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %x, %x : tensor<2x3xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1]
    : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<2x3xf32>, tensor<f32>
}
'''


class TestOutputs(unittest.TestCase):
    """Arrays that runs of a session write to."""

    def setUp(self):
        self.session = Ghlo.Session.new(compile_text(SUMS))
        self.x = np.arange(6, dtype=np.float32).reshape(2, 3)

    def test_written(self):
        doubled, total = np.zeros((2, 3), np.float32), np.zeros((), np.float32)
        self.session.bind_output(0, doubled)
        (left,) = self.session(self.x)
        self.assertEqual(np.asarray(left), 30)
        self.assertTrue((doubled == 2 * self.x).all())
        self.session.bind_output(1, total)
        self.assertEqual(len(self.session(np.ones((2, 3), np.float32))), 0)
        self.assertTrue((doubled == 2).all())
        self.assertEqual(total, 12)
        self.session.unbind_output(0)
        (left,) = self.session(self.x)
        self.assertEqual(np.asarray(left)[1, 2], 10)
        self.assertTrue((doubled == 2).all())

    def test_in_place(self):
        """The array that is read is written to, also a part of it."""
        array = np.ones((8, 3), np.float32)
        for rows in [slice(0, 2), slice(1, 3), slice(5, 7)]:
            self.session.bind_output(0, array[rows])
            self.session(Ghlo.Buffer.from_numpy(array[:2], copy=False))
        self.assertEqual(array[:, 0].tolist(), [2, 4, 4, 1, 1, 4, 8, 1])

    def test_kept_and_let_go(self):
        array, other = np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)
        references = sys.getrefcount(array)
        self.session.bind_output(0, array)
        self.assertEqual(sys.getrefcount(array), references + 1)
        self.session.bind_output(0, other)
        self.assertEqual(sys.getrefcount(array), references)
        self.session.bind_output(0, array)
        self.session = None
        gc.collect()
        self.assertEqual(sys.getrefcount(array), references)
        view = np.zeros((2, 3), np.float32).view(Array)
        session = Ghlo.Session.new(compile_text(SUMS))
        session.bind_output(0, view)
        gone = weakref.ref(view)
        del view
        session(self.x)
        self.assertEqual(gone()[1, 2], 10)
        session.unbind_output(0)
        self.assertIsNone(gone())

    def test_small_types(self):
        text = '''func.func @main(%x: tensor<2xbf16>, %y: tensor<2xi1>) -> (tensor<2xbf16>, tensor<2xi1>) {
  %0 = stablehlo.add %x, %x : tensor<2xbf16>
  %1 = stablehlo.not %y : tensor<2xi1>
  return %0, %1 : tensor<2xbf16>, tensor<2xi1>
}
'''
        session = Ghlo.Session.new(compile_text(text))
        bits, flags = np.zeros(2, np.uint16), np.zeros(2, bool)
        session.bind_output(0, bits)
        session.bind_output(1, flags)
        x = Ghlo.Buffer.from_numpy(np.array([0x3f80, 0x4000], np.uint16), 'bf16')
        session(x, np.array([True, False]))
        self.assertEqual([bits.tolist(), flags.tolist()], [[0x4000, 0x4080], [False, True]])
        if ml_dtypes is not None:
            floats = np.zeros(2, ml_dtypes.bfloat16)
            session.bind_output(0, floats)
            session(x, flags)
            self.assertEqual(floats.tolist(), [2, 4])

    def test_mistakes(self):
        good = np.zeros((2, 3), np.float32)
        read_only = good.copy()
        read_only.flags.writeable = False
        misaligned = np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3)
        for array, kind, message in [
                ([1.0], TypeError, r'found list: make one by numpy.empty \(\(2, 3\), numpy.float32\)'),
                (None, TypeError, 'found NoneType'),
                (np.ma.zeros((2, 3)), TypeError, 'found MaskedArray'),
                (good.astype(np.float64), TypeError, 'array of float32 for output 0 .*found one of float64'),
                (good.astype('>f4'), TypeError, 'found one of >f4'),
                (good.ravel(), ValueError, r'shape \(2, 3\) .*found \(6,\): use array.reshape'),
                (np.zeros((3, 2), np.float32).T, ValueError, 'without gaps'),
                (np.zeros((4, 3), np.float32)[::2], ValueError, 'without gaps'),
                (read_only, ValueError, 'may not be written to'),
                (misaligned, ValueError, 'not aligned')]:
            with self.assertRaisesRegex(kind, message):
                self.session.bind_output(0, array)
        for output, message in [(2, 'found output 2'), (1 << 31, 'found output')]:
            with self.assertRaisesRegex(GLib.Error, message):
                self.session.bind_output(output, good)
        with self.assertRaises(OverflowError):
            self.session.bind_output(-1, good)
        with self.assertRaises(TypeError):
            self.session.bind_output('0', good)
        with self.assertRaisesRegex(GLib.Error, 'without an executable'):
            Ghlo.Session().bind_output(0, good)
        self.session.bind_output(0, good)
        with self.assertRaisesRegex(GLib.Error, 'overlaps the memory of output 0'):
            self.session.bind_output(1, good.reshape(-1)[5:].reshape(()))

    def test_open(self):
        """Sizes that the program leaves open are the array's."""
        text = '''func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = stablehlo.add %x, %x : tensor<?xi32>
  return %0 : tensor<?xi32>
}
'''
        session, array = Ghlo.Session.new(compile_text(text)), np.zeros(3, np.int32)
        session.bind_output(0, array)
        session(np.arange(3, dtype=np.int32))
        self.assertEqual(array.tolist(), [0, 2, 4])
        with self.assertRaisesRegex(GLib.Error, 'expected 12 bytes, found tensor<4xi32>'):
            session(np.arange(4, dtype=np.int32))


class TestDLPack(unittest.TestCase):
    def test_numpy_shares(self):
        for dtype in ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'float32',
                      'float64', 'complex64', 'complex128']:
            for shape in [(), (3,), (2, 0), (2, 3, 4)]:
                array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
                buffer = Ghlo.Buffer.from_numpy(array)
                again = np.from_dlpack(buffer)
                self.assertEqual((again.dtype, again.shape), (array.dtype, shape))
                self.assertTrue((again == array).all())
                if array.size:
                    self.assertEqual(get_address(again), buffer.get_address())
                self.assertFalse(again.flags.writeable)

    def test_keeps_the_memory(self):
        buffer = Ghlo.Buffer.from_numpy(np.arange(100000))
        array = np.from_dlpack(buffer)
        buffer.release()
        del buffer
        gc.collect()
        self.assertTrue((array == np.arange(100000)).all())

    def test_device(self):
        buffer = Ghlo.Buffer.from_numpy(np.zeros(3))
        self.assertEqual(buffer.__dlpack_device__(), (1, 0))
        for keywords in [{'stream': 1}, {'dl_device': (2, 0)}]:
            with self.assertRaises(BufferError):
                buffer.__dlpack__(**keywords)
        for keywords in [{}, {'max_version': (1, 1)}, {'max_version': None}, {'dl_device': (1, 0)}, {'copy': False},
                         {'copy': None, 'stream': None}]:
            self.assertEqual(np.asarray(Ghlo.Buffer.from_dlpack(buffer.__dlpack__(**keywords))).tolist(), [0, 0, 0])

    def test_copy(self):
        buffer = Ghlo.Buffer.from_numpy(np.arange(4))
        copy = Ghlo.Buffer.from_dlpack(buffer.__dlpack__(copy=True), copy=False)
        self.assertNotEqual(copy.get_address(), buffer.get_address())
        self.assertEqual(np.asarray(copy).tolist(), [0, 1, 2, 3])
        same = Ghlo.Buffer.from_dlpack(buffer.__dlpack__(), copy=False)
        self.assertEqual(same.get_address(), buffer.get_address())

    def test_released(self):
        buffer = Ghlo.Buffer.from_numpy(np.arange(4))
        buffer.release()
        with self.assertRaises(BufferError):
            np.from_dlpack(buffer)
        with self.assertRaises(BufferError):
            Ghlo.Buffer.new_token().__dlpack__()

    def test_nobody_takes_it(self):
        """A capsule that is dropped gives the memory back, as does one that a consumer
        refuses, which still says why."""
        array = np.arange(1000, dtype=np.uint16).view(Array)
        gone = weakref.ref(array)
        buffer = Ghlo.Buffer.from_numpy(array, copy=False)
        bits = Ghlo.Buffer.from_numpy(array, 'bf16', copy=False)
        del array
        capsules = [buffer.__dlpack__(), buffer.__dlpack__(max_version=(1, 0)), bits.__dlpack__()]
        with self.assertRaises((RuntimeError, BufferError)):
            np.from_dlpack(bits)
        buffer.release()
        bits.release()
        gc.collect()
        self.assertIsNotNone(gone())
        del capsules
        gc.collect()
        self.assertIsNone(gone())

    def test_in(self):
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for view in [array, array.T, array[:, ::-1], array[::2, 1:], array[:, :0], array[0, 0, 0:1].reshape(())]:
            buffer = Ghlo.Buffer.from_dlpack(view)
            self.assertEqual(buffer.shape, view.shape)
            self.assertTrue((np.asarray(buffer) == view).all())
            self.assertNotEqual(buffer.get_address(), get_address(view))
        shared = Ghlo.Buffer.from_dlpack(array, copy=False)
        self.assertEqual(shared.get_address(), get_address(array))
        with self.assertRaisesRegex(GLib.Error, 'without a copy'):
            Ghlo.Buffer.from_dlpack(array.T, copy=False)

    def test_in_lets_go(self):
        array = np.arange(24, dtype=np.float32)
        references = sys.getrefcount(array)
        Ghlo.Buffer.from_dlpack(array)
        self.assertEqual(sys.getrefcount(array), references)
        shared = Ghlo.Buffer.from_dlpack(array, copy=False)
        self.assertEqual(sys.getrefcount(array), references + 1)
        del shared
        gc.collect()
        self.assertEqual(sys.getrefcount(array), references)
        with self.assertRaises(GLib.Error):
            Ghlo.Buffer.from_dlpack(np.arange(6.0).reshape(2, 3).T, copy=False)

    def test_in_read_only(self):
        array = np.arange(3, dtype=np.int32)
        array.flags.writeable = False
        self.assertEqual(np.asarray(Ghlo.Buffer.from_dlpack(array)).tolist(), [0, 1, 2])
        self.assertEqual(Ghlo.Buffer.from_dlpack(array, copy=False).get_address(), get_address(array))

    def test_in_capsules(self):
        buffer = Ghlo.Buffer.from_numpy(np.array([1.5], np.float32))
        capsule = buffer.__dlpack__()
        self.assertEqual(np.asarray(Ghlo.Buffer.from_dlpack(capsule)).tolist(), [1.5])
        for wrong in [capsule, 1, 'x']:
            with self.assertRaisesRegex(TypeError, 'capsule'):
                Ghlo.Buffer.from_dlpack(wrong)

    def test_small_types(self):
        bf16 = Ghlo.Buffer.from_numpy(np.array([0x3f80, 0x4000], np.uint16), 'bf16')
        again = Ghlo.Buffer.from_dlpack(bf16, copy=False)
        self.assertEqual(str(again.get_tensor_type()), 'tensor<2xbf16>')
        self.assertEqual(again.get_address(), bf16.get_address())
        for name in ['i1', 'i2', 'i4', 'ui2', 'ui4', 'i8']:
            dtype = {'i1': np.bool_}.get(name, np.uint8 if name[0] == 'u' else np.int8)
            buffer = Ghlo.Buffer.from_numpy(np.array([1, 0], dtype), name)
            again = Ghlo.Buffer.from_dlpack(buffer)
            self.assertEqual(np.asarray(again).astype(int).tolist(), [1, 0])
            self.assertEqual(again.get_tensor_type().get_element_type(), Ghlo.TensorType(dtype, []).get_element_type())
        for name in ['f8E4M3FN', 'f6E3M2FN', 'f4E2M1FN']:
            buffer = Ghlo.Buffer.from_numpy(np.array([1, 2], np.uint8), name)
            with self.assertRaisesRegex(BufferError, 'view'):
                buffer.__dlpack__()
            if NEW_NUMPY:
                again = Ghlo.Buffer.from_dlpack(buffer)
                self.assertEqual(again.get_tensor_type(), buffer.get_tensor_type())

    def test_structures(self):
        """Version 1, field by field, and its deleter, whatever NumPy this is."""
        from gi.overrides import _ghlo_arrays
        dlpack = _ghlo_arrays.get_dlpack()
        array = np.zeros((2, 3), np.uint8).view(Array)
        gone = weakref.ref(array)
        for element_type, code, bits, flags in [('f8E5M2', 12, 8, 1), ('f4E2M1FN', 17, 4, 5), ('ui8', 1, 8, 1),
                                                ('ui4', 1, 8, 1)]:
            buffer = Ghlo.Buffer.from_numpy(array, element_type, copy=False)
            address = buffer.export_dlpack(True)
            managed = dlpack.structures[1].from_address(address)
            tensor = managed.tensor
            self.assertEqual((managed.major, managed.minor, managed.flags), (1, 1, flags))
            self.assertEqual((tensor.code, tensor.bits, tensor.lanes), (code, bits, 1))
            self.assertEqual((tensor.device_type, tensor.device_id, tensor.byte_offset), (1, 0, 0))
            self.assertEqual((tensor.rank, tensor.shape[:2], tensor.strides[:2]), (2, [2, 3], [3, 1]))
            self.assertEqual(tensor.data, get_address(array))
            buffer.release()
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(address)
        del array, buffer
        gc.collect()
        self.assertIsNone(gone())

    def test_other_producers(self):
        """Packed elements, other devices, vectors: refused, and given back."""
        class Producer:
            def __init__(self, **fields):
                self.fields = fields

            def __dlpack_device__(self):
                return (1, 0)

            def __dlpack__(self):
                from gi.overrides import _ghlo_arrays
                dlpack = _ghlo_arrays.get_dlpack()
                address = source.export_dlpack(False)
                managed = dlpack.structures[0].from_address(address)
                for name, value in self.fields.items():
                    setattr(managed.tensor, name, value)
                return dlpack.wrap(address, False)

        whole = np.arange(5, dtype=np.int32)
        array = whole[:4]
        references = sys.getrefcount(array)
        source = Ghlo.Buffer.from_numpy(array, copy=False)
        self.assertEqual(Ghlo.Buffer.from_dlpack(Producer()).shape, (4,))
        moved = Ghlo.Buffer.from_dlpack(Producer(byte_offset=4, strides=None))
        self.assertEqual(np.asarray(moved).tolist(), [1, 2, 3, 4])
        for fields, message in [({'device_type': 2}, 'host memory'), ({'lanes': 4}, 'packed'), ({'bits': 4}, 'packed'),
                                ({'code': 99}, 'no element type'), ({'bits': 128}, 'no element type')]:
            with self.assertRaisesRegex(BufferError, message):
                Ghlo.Buffer.from_dlpack(Producer(**fields))
        del source
        gc.collect()
        self.assertEqual(sys.getrefcount(array), references)


if __name__ == '__main__':
    unittest.main(verbosity=2)
