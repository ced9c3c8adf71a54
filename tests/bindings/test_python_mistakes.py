#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mistakes that are easy to make in Python: each raises an error that says what to write
instead. Also Python conventions: construction, unpacking, `with` blocks, representations."""

import gc
import os
import pathlib
import re
import tempfile
import types
import unittest

from python_common import ADD, TWO, Ghlo, GLib, compile_text

from gi.repository import Gio

import numpy as np


class TestMistakes(unittest.TestCase):
    def check(self, kind, message, function, *arguments, **keywords):
        with self.assertRaisesRegex(kind, message) as caught:
            function(*arguments, **keywords)
        return caught.exception

    def test_arrays_as_bytes(self):
        array = np.zeros((2, 3), np.float32)
        for wrong in [array, [0.5] * 6, memoryview(array), array.astype('u1'), 0.5, 'text']:
            self.check(TypeError, 'use Ghlo.Buffer.from_numpy', Ghlo.Buffer.new_from_bytes, 'tensor<2x3xf32>', wrong)
            self.check(TypeError, 'use Ghlo.Buffer.from_numpy', Ghlo.Buffer.new_from_bytes_strided, 'tensor<2x3xf32>',
                       wrong, [12, 4])
        # PyGObject makes bytes 0 and 1 of this; the size gives it away.
        self.check(GLib.Error, 'Ghlo.Buffer.from_numpy', Ghlo.Buffer.new_from_bytes, 'tensor<2xf32>',
                   GLib.Bytes.new([0.5, 1.9]))

    def test_arguments_of_types(self):
        self.check(TypeError, 'whole numbers', Ghlo.TensorType.new, Ghlo.ElementType.F32, [2.7, 3])
        self.check(TypeError, 'whole numbers', Ghlo.TensorType, 'f32', ['2'])
        self.check(TypeError, 'whole numbers', Ghlo.TensorType, 'f32', 2)
        self.check(TypeError, "'f32' or numpy.float32", Ghlo.TensorType, 'f31', [2])
        self.check(TypeError, "'tensor<2x3xf32>'", Ghlo.TensorType, [2, 3])
        self.check(ValueError, '-1 for a dynamic', Ghlo.TensorType, 'f32', [-7])
        self.check(ValueError, 'expected at most 64 dimensions, found 70', Ghlo.TensorType, 'f32', [1] * 70)
        self.check(GLib.Error, 'expected at most 64 dimensions', Ghlo.TensorType, 'x'.join(['1'] * 70) + 'xf32')
        self.check(GLib.Error, 'f31', Ghlo.TensorType, 'tensor<2x3xf31>')
        self.check(TypeError, r"Ghlo.TensorType \('tensor", Ghlo.Buffer.new_from_bytes, [2, 3], b'')
        self.check(TypeError, 'whole numbers', Ghlo.Buffer.new_from_bytes_strided, 'tensor<2xui8>', b'abc', [1.5])

    def test_arrays(self):
        self.check(TypeError, r"write array.astype \('float32'\)", Ghlo.Buffer.from_numpy, np.zeros(2, np.float64),
                   Ghlo.ElementType.F32)
        self.check(TypeError, 'use astype', Ghlo.Buffer.from_numpy, np.array(['a']))
        self.check(TypeError, 'expected an array of booleans.*, found one of %s: use astype' % np.dtype('longdouble'),
                   Ghlo.Buffer.from_numpy, np.zeros(2, np.longdouble))
        self.check(GLib.Error, 'at most 70368744177664 bytes, found tensor<1152921504606846976xf64>',
                   Ghlo.Buffer.new_zeros, Ghlo.TensorType('f64', [2**60]))
        self.check(GLib.Error, r'without dynamic dimensions, found tensor<\?xf64>', Ghlo.Buffer.new_zeros,
                   'tensor<?xf64>')
        self.check(TypeError, 'rows of one length', Ghlo.Buffer.from_numpy, np.array([None]))
        self.check(TypeError, 'filled', Ghlo.Buffer.from_numpy, np.ma.masked_array([1, 2], [True, False]))
        self.check(GLib.Error, 'found 9 at element 1', Ghlo.Buffer.from_numpy, np.array([0, 9], np.int8), 'i4')
        self.check(TypeError, 'holds a tensor', np.asarray, Ghlo.Buffer.new_token())

    def test_files_of_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            for dtype, found in [(np.longdouble, 'floats of another size'), (np.clongdouble, 'complex numbers'),
                                 ('M8[D]', 'dates'), ('U2', 'text'), (object, 'Python objects')]:
                path = os.path.join(folder, 'array.npy')
                np.save(path, np.zeros(2, dtype), allow_pickle=True)
                self.check(GLib.Error, 'no counterpart: expected booleans, .*, found %s' % found, Ghlo.Buffer.load,
                           Gio.File.new_for_path(path))

    def test_entries(self):
        function = 'func.func @f%d(%%x: tensor<f32>) -> tensor<f32> { return %%x : tensor<f32> }\n'
        for n, found in [(0, 'no public function'), (2, '2 public functions, @f0 and @f1'),
                         (9, '9 public functions, @f0, @f1, @f2, @f3, @f4, @f5 and 3 more')]:
            text = ''.join(function % i for i in range(n))
            self.check(GLib.Error, "expected a function 'main' or a single public function to run, found " + found,
                       compile_text, text)

    def test_inputs(self):
        executable, one = compile_text(ADD), np.ones((2, 3), np.float32)
        self.check(TypeError, r'expected 2 inputs.*write executable \(left, right\)', executable, one)
        self.check(TypeError, r'write \[x\]', executable.execute, one)
        self.check(TypeError, r'write \[x\]', executable.execute, Ghlo.Buffer.from_numpy(one))
        self.check(TypeError, r'write \[x\]', executable.execute, 5)
        self.check(TypeError, 'new_from_bytes', executable, one, one.tobytes())
        self.check(TypeError, 'new_from_bytes', executable, one, GLib.Bytes.new(one.tobytes()))
        self.check(TypeError, 'array or numbers', executable, one, {'x': 1})
        self.check(TypeError, 'array or numbers', executable, one, [[1, 2], [3]])
        for wrong, message in [(one.astype(np.float64), r'found tensor<2x3xf64>: write array.astype \(.float32.\)'),
                               (one[0], 'found tensor<3xf32>')]:
            error = self.check(GLib.Error, message, executable, one, wrong)
            self.assertTrue(error.matches(Ghlo.error_quark(), Ghlo.Error.INVALID_ARGUMENT))
        self.check(GLib.Error, r'inputs for this program \(left, right\), found 1', executable.execute, [one])
        small = compile_text('func.func @main(%x: tensor<bf16>) -> tensor<bf16> {\n  return %x : tensor<bf16>\n}\n')
        self.assertEqual(np.asarray(small(1)[0]).view(np.uint16), 0x3f80)
        self.check(TypeError, 'complex', small, 1j)
        self.assertEqual(np.asarray(small(np.uint16(0x3f80))[0]).view(np.uint16), 0x3f80)
        two = compile_text(TWO)
        self.check(TypeError, 'fractions', two, [0.5, 1.5])
        self.assertEqual(np.asarray(two([1, 2])[0]).tolist(), [1, 2])

    def test_inputs_by_name(self):
        text = '''func.func @main(%left: tensor<2xf32>, %right: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.subtract %left, %right : tensor<2xf32>
  return %0 : tensor<2xf32>
}
'''
        executable, five, two = compile_text(text), np.full(2, 5, np.float32), np.full(2, 2, np.float32)
        for (difference,) in [executable(left=five, right=two), executable(right=two, left=five),
                              executable(five, right=[2, 2]), executable.execute({'right': two, 'left': five}),
                              executable.execute(types.MappingProxyType({'right': two, 'left': five}))]:
            self.assertEqual(np.asarray(difference).tolist(), [3, 3])
        self.check(TypeError, r"name of an input of this program \(left, right\), found 'rihgt'", executable, five,
                   rihgt=two)
        self.check(TypeError, r'one value for input 0 \(left: .*found two', executable, five, left=two)
        self.check(TypeError, r'expected 2 inputs.*write executable \(left, right\)', executable, right=two)
        self.check(TypeError, 'expected 2 inputs', executable, five, two, two, right=two)
        session = Ghlo.Session.new(executable)
        session.bind_input('right', two)
        self.assertEqual(np.asarray(session(five)[0]).tolist(), [3, 3])
        self.check(TypeError, r"\(left, right\), found 'middle'", session.bind_input, 'middle', two)
        self.check(TypeError, r"\(left, right\), found 'middle'", session.carry, 0, 'middle', two)
        self.check(TypeError, r"\(left, right\), found 'middle'", session.copy_state, 'middle')
        self.check(TypeError, r"\(none\), found 'x'", Ghlo.Session().bind_input, 'x', two)
        again = Ghlo.Session.new(executable)
        again.carry(0, 'left', five)
        again(two)
        self.assertEqual(np.asarray(again.copy_state('left')).tolist(), [3, 3])

    def test_tokens(self):
        executable = compile_text('func.func @main(%t: !stablehlo.token, %x: tensor<i32>) -> tensor<i32> {\n'
                                  '  return %x : tensor<i32>\n}\n')
        self.check(TypeError, 'new_token', executable, 1, 1)
        self.assertEqual(np.asarray(executable(Ghlo.Buffer.new_token(), 7)[0]), 7)

    def test_programs(self):
        self.check(TypeError, r'Ghlo.Program.parse \(text\)', Ghlo.Client().compile, ADD)
        self.check(TypeError, r'Ghlo.Program.load \(file\)', Ghlo.Client().compile, Gio.File.new_for_path('x'))
        self.check(TypeError, 'Ghlo.Program.load', Ghlo.Program.parse, Gio.File.new_for_path('x'))
        self.check(TypeError, 'CompileOptions', Ghlo.Client().compile, Ghlo.Program.parse(ADD), Gio.Cancellable())
        self.check(TypeError, "needs 'bytes'", Ghlo.Program.parse)
        self.check(TypeError, "second argument 'bytes'", Ghlo.Program.parse, ADD, bytes=ADD)
        self.check(TypeError, "unknown argument 'text'", Ghlo.Program.parse, text=ADD)


class TestNatural(unittest.TestCase):
    def test_types(self):
        wanted = Ghlo.TensorType.parse('tensor<2x3xf32>')
        for same in [Ghlo.TensorType('tensor<2x3xf32>'), Ghlo.TensorType('f32', [2, 3]), Ghlo.TensorType(wanted),
                     Ghlo.TensorType(np.float32, (2, 3)), Ghlo.TensorType('float32', np.array([2, 3])),
                     Ghlo.TensorType(np.dtype('>f4'), shape=(2, 3)), Ghlo.TensorType(Ghlo.ElementType.F32, (2, 3)),
                     Ghlo.TensorType.new(np.float32, [2, 3])]:
            self.assertEqual(same, wanted)
            self.assertIsInstance(same, Ghlo.TensorType)
        self.assertEqual(str(Ghlo.TensorType('i8', [])), 'tensor<i8>')
        self.assertEqual(str(Ghlo.TensorType('complex<f32>', [-1])), 'tensor<?xcomplex<f32>>')
        self.assertEqual(len({wanted, Ghlo.TensorType('f32', [2, 3])}), 1)

    def test_quantized_types(self):
        text = 'tensor<2x!quant.uniform<i8<-127:127>:f32:0, {5.000000e-01:-3,2.500000e-01}>>'
        quantized = Ghlo.TensorType.new_quantized('2xi8', 'f32', [0.5, 0.25], [-3, 0], 0, -127, 127)
        self.assertEqual(str(quantized), text)
        self.assertEqual(quantized, Ghlo.TensorType(text))
        self.assertEqual(quantized, Ghlo.TensorType.new_quantized(
            Ghlo.TensorType('2xi8'), np.float32, np.array([0.5, 0.25]), np.array([-3, 0]), axis=0, storage_min=-127,
            storage_max=127))
        self.assertEqual(str(Ghlo.TensorType.new_quantized('2xi8', 'bf16', 2, 7)),
                         'tensor<2x!quant.uniform<i8:bf16, 2.000000e+00:7>>')
        self.assertEqual((quantized.get_element_type(), quantized.get_expressed_type()),
                         (Ghlo.ElementType.I8, Ghlo.ElementType.F32))
        self.assertEqual((list(quantized.get_scales()), list(quantized.get_zero_points())), ([0.5, 0.25], [-3, 0]))
        self.assertEqual((quantized.get_storage_min(), quantized.get_storage_max(), quantized.get_quantized_axis()),
                         (-127, 127, 0))
        self.assertIsNone(Ghlo.TensorType('f32').get_scales() or None)
        executable = compile_text('func.func @main(%%x: %s) -> tensor<2xf32> {\n'
                                  '  %%0 = stablehlo.uniform_dequantize %%x : (%s) -> tensor<2xf32>\n'
                                  '  return %%0 : tensor<2xf32>\n}\n' % (text, text))
        for stored in [Ghlo.Buffer.new_from_int64s(text, [1, -4]), Ghlo.Buffer.new_from_bytes(text, b'\x01\xfc'),
                       np.array([1, -4], np.int8), [1, -4]]:
            self.assertEqual(executable(stored)[0].tolist(), [2, -1])
        for mistake in ['scale', None, ['a']]:
            with self.assertRaisesRegex(TypeError, 'scale'):
                Ghlo.TensorType.new_quantized('2xi8', 'f32', mistake)

    def test_bytes(self):
        for data in [b'\1\2', bytearray(b'\1\2'), memoryview(b'\1\2'), GLib.Bytes.new(b'\1\2')]:
            self.assertEqual(np.asarray(Ghlo.Buffer.new_from_bytes('tensor<2xui8>', data)).tolist(), [1, 2])

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / 'add.mlir'
            path.write_text(ADD)
            for file in [path, str(path), Gio.File.new_for_path(str(path))]:
                self.assertEqual(len(Ghlo.Program.load(file).list_outputs()), 1)

    def test_unpacking(self):
        executable = compile_text(TWO)
        x, five = executable([1, 2, 3])
        result = executable(np.arange(2, dtype=np.int32))
        self.assertEqual(len(result), 2)
        self.assertEqual([np.asarray(output).tolist() for output in result], [[0, 1], 5])
        self.assertEqual(np.asarray(result[-1]), 5)
        self.assertIs(result[0], result[0])
        for index in (2, 5, -3):
            with self.assertRaisesRegex(IndexError, 'expected one of 2 outputs, found the index %d' % index):
                result[index]
        for index in ('a', 1.0):
            with self.assertRaisesRegex(TypeError, 'a slice, found %r' % index):
                result[index]
        self.assertEqual([np.asarray(output).tolist() for output in result[:1]], [[0, 1]])
        with self.assertRaises(ValueError):
            (x,) = result

    def test_blocks(self):
        executable = compile_text(TWO)
        with executable([1, 2, 3]) as result:
            x, five = result
            array = np.asarray(x)
        self.assertEqual(array.tolist(), [1, 2, 3])
        for buffer in [x, five]:
            with self.assertRaisesRegex(GLib.Error, 'released'):
                buffer.read()
        with self.assertRaises(ZeroDivisionError):
            with Ghlo.Buffer.from_numpy(np.zeros(3)) as buffer:
                1 / 0
        self.assertEqual(buffer.get_address(), 0)
        with self.assertRaisesRegex(GLib.Error, 'input 0'):
            executable.execute([x])

    def test_representations(self):
        executable = compile_text(ADD)
        result = executable(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))
        for value, text in [
                (executable, '<Ghlo.Executable (left: tensor<2x3xf32>, right: tensor<2x3xf32>) -> (tensor<2x3xf32>)>'),
                (result, '<Ghlo.Result (tensor<2x3xf32>)>'),
                (result[0], '<Ghlo.Buffer tensor<2x3xf32>>'),
                (Ghlo.Buffer.new_token(), '<Ghlo.Buffer token>'),
                (Ghlo.TensorType('f32', [2]), '<Ghlo.TensorType tensor<2xf32>>'),
                (Ghlo.Program.parse(TWO, 'two.mlir'),
                 '<Ghlo.Program two.mlir (x: tensor<?xi32>) -> (tensor<?xi32>, tensor<i32>)>'),
                (Ghlo.Program(), '<Ghlo.Program () -> ()>'),
                (Ghlo.Progress(), '<Ghlo.Progress 0 %, idle>'),
                (Ghlo.Client().list_devices()[0], '<Ghlo.Device .*(cpu)>'),
                (Ghlo.Program.check('x')[0], '<Ghlo.Diagnostic .*>'),
                (result.get_timing(), '<Ghlo.Timing .*>'),
                (executable.get_report(), '<Ghlo.CompileReport .* operations became .*>'),
                (executable.get_plan(), '<Ghlo.Plan .* steps, .*>')]:
            pattern = '.*'.join(map(__import__('re').escape, text.split('.*')))
            self.assertRegex(repr(value), '^%s$' % pattern)
        result.release()
        self.assertEqual(repr(result[0]), '<Ghlo.Buffer tensor<2x3xf32>, released>')
        for name in ['Buffer', 'Client', 'CompileOptions', 'Device', 'Diagnostic', 'Executable', 'Program', 'Progress',
                     'Result', 'Session']:
            if hasattr(Ghlo, name):
                repr(getattr(Ghlo, name)())

    def test_help(self):
        """Of a function that was called wrongly; tests/typing has what help () shows."""
        program = Ghlo.Program.parse(ADD)
        with self.assertRaisesRegex(TypeError, re.escape('Program.to_text(self, flags=0, cancellable=None)')):
            program.to_text(text=0)
        with self.assertRaisesRegex(TypeError, re.escape('Program.load(file, cancellable=None)')):
            Ghlo.Program.load()

    def test_keywords(self):
        client, program = Ghlo.Client(), Ghlo.Program.parse(ADD, name='add.mlir')
        self.assertEqual(program.get_name(), 'add.mlir')
        executable = client.compile(program=program, cancellable=None, options=Ghlo.CompileOptions())
        one = np.ones((2, 3), np.float32)
        self.assertEqual(len(executable.execute(inputs=[one, Ghlo.Buffer.from_numpy(one)])), 1)
        cancellable = Gio.Cancellable()
        cancellable.cancel()
        with self.assertRaises(GLib.Error):
            executable(one, one, cancellable=cancellable)
        gc.collect()

    @unittest.skipUnless(hasattr(Ghlo, 'Session'), 'there are no sessions yet')
    def test_session(self):
        session, one = Ghlo.Session.new(compile_text(ADD)), np.ones((2, 3), np.float32)
        session.bind_input(0, one)
        (total,) = session(one)
        self.assertTrue((np.asarray(total) == 2).all())
        with self.assertRaisesRegex(GLib.Error, r"input 1 \('right'\), found tensor<f32>"):
            session.run([1.0])


# The marks that jax.jit (step, donate_argnums=(0, 1)) writes.
TRAIN = '''func.func @main(%w: tensor<2xf32> {tf.aliasing_output = 0 : i32},
    %m: tensor<2xf32> {tf.aliasing_output = 1 : i32}, %x: tensor<2xf32>, %rate: tensor<f32>)
    -> (tensor<2xf32> {jax.result_info = "weights"}, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %m, %x : tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<2xf32>
  %3 = stablehlo.add %w, %2 : tensor<2xf32>
  return %3, %0, %w : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
'''


class TestSession(unittest.TestCase):
    """A session takes what an executable takes."""

    check = TestMistakes.check

    def setUp(self):
        self.session = Ghlo.Session.new(compile_text(TRAIN))

    def test_inputs(self):
        session = self.session
        session.bind_input('rate', 0.5)
        session.carry('weights', 'w', [1, 1])
        self.assertEqual([(info.get_name(), info.get_index()) for info in session.list_inputs()], [('m', 1), ('x', 2)])
        for result in [session([1, 2], [3, 4]), session([1, 2], x=[3, 4]), session(x=np.float32([3, 4]), m=[1, 2]),
                       session.run([[1, 2], np.float32([3, 4])]), session.run({'x': [3, 4], 'm': [1, 2]})]:
            self.assertEqual(result[0].tolist(), [4, 6])
        self.assertEqual(session.copy_state('w').tolist(), [11, 16])
        message = r'expected 2 inputs that are neither bound nor carried, found 1'
        self.check(TypeError, message + r': write session \(m, x\)', session, [1, 2])
        self.check(GLib.Error, r'neither bound nor carried \(m, x\), found 1', session.run, [[1, 2]])
        self.check(GLib.Error, r"neither bound nor carried \(1 \('m'\), 2 \('x'\)\), found 0", session.run, [])
        self.check(TypeError, r"\(m, x\), found 'w'", session, [1, 2], w=[1, 2])
        self.check(TypeError, r'one value for input 1 \(m: .*found two', session, [1, 2], m=[1, 2])
        self.check(GLib.Error, r'input 2, found tensor<2xf64>: write array.astype', session, [1, 2], np.zeros(2))
        self.check(TypeError, r"an output of this program \(weights, 1, 2\), found 'sum'", session.carry, 'sum', 'w', 1)
        self.check(TypeError, r"found 'sum'", session.unbind_output, 'sum')
        self.check(TypeError, 'Buffer for input 3', session.bind_input, 'rate', 'fast')
        session.bind_input_by_name('m', [0, 0])
        self.assertEqual(session(x=[1, 1])[0].tolist(), [1, 1])

    def test_bind_output_by_name(self):
        array = np.zeros(2, np.float32)
        self.session.bind_output('weights', array)
        self.session([1, 1], [0, 0], [2, 3], 1)
        self.assertEqual(array.tolist(), [3, 4])
        self.session.unbind_output('weights')

    def test_carry_all(self):
        session = self.session
        session.bind_input('rate', 1)
        session.bind_input('w', [1, 2])
        self.check(GLib.Error, r"marked inputs that nothing is bound to \(1 \('m'\)\), or .*found 0", session.carry_all)
        self.check(TypeError, r"\(m\), found 'w'", session.carry_all, w=[1, 2])
        self.assertEqual(len(session.list_inputs()), 2)
        session.carry_all(m=[0, 0])
        self.assertEqual([session(x=[1, 1])[0].tolist() for _ in range(3)], [[1, 2], [2, 3], [4, 5]])
        session.reset()
        self.assertEqual(session.copy_state('w').tolist(), [1, 2])
        # What is carried already stays.
        session(x=[1, 1])
        session.carry_all()
        self.assertEqual(session.copy_state('w').tolist(), [2, 3])
        # Values for all of them replace what there is.
        for again in ({'w': [1, 1], 'm': [0, 0]}, [[1, 1], [0, 0]]):
            session.carry_all(**again) if isinstance(again, dict) else session.carry_all(again)
            self.assertEqual(session.copy_state('w').tolist(), [1, 1])
            session(x=[1, 1])
        message = r'expected 0 initial values \(none\), or 2 \(w, m\), found 1'
        self.check(GLib.Error, message, session.carry_all, w=[1, 1])
        self.check(GLib.Error, message, session.carry_all, [[1, 1]])
        for initial in [[[5, 5], [0, 0]], {'w': [5, 5], 'm': [0, 0]}, [np.float32([5, 5]), [0, 0]]]:
            other = Ghlo.Session.new(compile_text(TRAIN))
            other.carry_all(initial)
            self.assertEqual(other.copy_state('w').tolist(), [5, 5])
        self.check(GLib.Error, 'found no mark', Ghlo.Session.new(compile_text(ADD)).carry_all)


if __name__ == '__main__':
    unittest.main(verbosity=2)
