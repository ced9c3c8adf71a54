#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The public API from Python: arrays in and out, synchronous and asynchronous calls, errors."""

import gc
import os
import tempfile
import threading
import unittest

from python_common import ADD, ENDLESS, TWO, Ghlo, GLib, compile_text

import gi
from gi.repository import Gio

import numpy as np

COUNTED_LOOP = '''func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<f32>
    cond {
      %1 = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %a, %a : tensor<f32>
      %2 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %2, %1 : tensor<i32>, tensor<f32>
    }
  return %0#1 : tensor<f32>
}
'''


class Waiter:
    """A callback, and a loop that runs until it was called."""

    def __init__(self):
        self.loop = GLib.MainLoop()

    def __call__(self, source, result, *_):
        self.source, self.result = source, result
        self.loop.quit()

    def wait(self):
        self.loop.run()
        return self.result


class TestArrays(unittest.TestCase):
    def test_round_trip(self):
        for dtype in ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16',
                      'float32', 'float64', 'complex64', 'complex128']:
            for shape in [(), (0,), (5,), (2, 0, 3), (2, 3, 4)]:
                with self.subTest(dtype=dtype, shape=shape):
                    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2).astype(dtype)
                    buffer = Ghlo.Buffer.from_numpy(array)
                    again = np.asarray(buffer)
                    self.assertEqual(again.dtype, array.dtype)
                    self.assertEqual(again.shape, shape)
                    self.assertTrue((again == array).all())
                    self.assertEqual(buffer.shape, shape)

    def test_layouts(self):
        array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
        for view in [array.T, array[:, ::-1], array[::2, 1:], np.broadcast_to(array[0], (5, 3, 4)),
                     array.astype('>f4')]:
            self.assertTrue((np.asarray(Ghlo.Buffer.from_numpy(view)) == view).all())

    def test_zero_copy(self):
        buffer = Ghlo.Buffer.from_numpy(np.arange(1000, dtype=np.int32))
        array = np.asarray(buffer)
        self.assertEqual(array.__array_interface__['data'][0], buffer.get_address())
        self.assertFalse(array.flags.writeable)
        self.assertEqual(np.asarray(buffer, np.float64).dtype, np.float64)

    def test_array_outlives_buffer(self):
        buffer = Ghlo.Buffer.from_numpy(np.arange(100000, dtype=np.int32))
        array = np.asarray(buffer)
        buffer.release()
        del buffer
        gc.collect()
        self.assertTrue((array == np.arange(100000)).all())

    def test_small_types(self):
        raw = Ghlo.Buffer.from_numpy(np.array([0x3f80, 0x4000], np.uint16), Ghlo.ElementType.BF16)
        self.assertEqual(raw.get_tensor_type().to_string(), 'tensor<2xbf16>')
        self.assertEqual(np.asarray(raw).itemsize, 2)
        four = Ghlo.Buffer.from_numpy(np.array([-8, 7], np.int8), Ghlo.ElementType.I4)
        self.assertEqual(np.asarray(four).astype(np.int8).tolist(), [-8, 7])
        eight = Ghlo.Buffer.from_numpy(np.array([0x38], np.uint8), Ghlo.ElementType.F8E4M3FN)
        self.assertEqual(np.asarray(eight).view(np.uint8).tolist(), [0x38])
        with self.assertRaisesRegex(GLib.Error, 'found 9 at element 1'):
            Ghlo.Buffer.from_numpy(np.array([0, 9], np.int8), Ghlo.ElementType.I4)
        with self.assertRaisesRegex(TypeError, r"write array.astype \('float32'\)"):
            Ghlo.Buffer.from_numpy(np.zeros(2, np.float64), Ghlo.ElementType.F32)
        with self.assertRaises(TypeError):
            Ghlo.Buffer.from_numpy(np.array(['a']))

    def test_numbers_as_bytes(self):
        tensor_type = Ghlo.TensorType.parse('tensor<2x3xf32>')
        array = np.zeros((2, 3), np.float32)
        for wrong in [array, [0.5] * 6, memoryview(array)]:
            with self.assertRaisesRegex(TypeError, 'from_numpy'):
                Ghlo.Buffer.new_from_bytes(tensor_type, wrong)
        with self.assertRaisesRegex(GLib.Error, 'one for each element'):
            Ghlo.Buffer.new_from_bytes(tensor_type, GLib.Bytes.new([0, 1, 2, 3, 4, 5]))
        self.assertEqual(Ghlo.Buffer.new_from_bytes(tensor_type, bytes(24)).get_size(), 24)

    def test_strided(self):
        tensor_type = Ghlo.TensorType.new(Ghlo.ElementType.UI8, [2, 3])
        buffer = Ghlo.Buffer.new_from_bytes_strided(tensor_type, bytes(range(8)), [4, 1])
        self.assertEqual(np.asarray(buffer).tolist(), [[0, 1, 2], [4, 5, 6]])

    def test_address_is_zero_after_release(self):
        with Ghlo.Buffer.from_numpy(np.zeros(3)) as buffer:
            self.assertNotEqual(buffer.get_address(), 0)
        self.assertEqual(buffer.get_address(), 0)
        self.assertIsNone(buffer.get_host_bytes())
        with self.assertRaises(ValueError):
            np.asarray(buffer)
        with self.assertRaisesRegex(GLib.Error, 'released'):
            buffer.read()


class TestTypes(unittest.TestCase):
    def test_tensor_type(self):
        one = Ghlo.TensorType.new(Ghlo.ElementType.F32, [2, 3])
        two = Ghlo.TensorType.parse('tensor<2x3xf32>')
        self.assertEqual(one, two)
        self.assertEqual(hash(one), hash(two))
        self.assertNotEqual(one, Ghlo.TensorType.parse('tensor<2x4xf32>'))
        self.assertNotEqual(one, None)
        self.assertEqual(str(one), 'tensor<2x3xf32>')
        self.assertEqual(one.shape, (2, 3))
        self.assertEqual(one.dtype, np.float32)
        self.assertEqual(Ghlo.TensorType.new(Ghlo.ElementType.F32, []).shape, ())
        self.assertEqual(Ghlo.TensorType.for_array(np.zeros((1, 2))).to_string(), 'tensor<1x2xf64>')
        with self.assertRaises(GLib.Error):
            Ghlo.TensorType.parse('tensor<2x3xf31>')

    def test_enums(self):
        self.assertEqual(Ghlo.ElementType.to_string(Ghlo.ElementType.COMPLEX_F32), 'complex<f32>')
        self.assertEqual(Ghlo.ElementType.from_string('bf16'), Ghlo.ElementType.BF16)
        self.assertEqual(Ghlo.ElementType.COMPLEX_F32.value_nick, 'complex-f32')

    def test_error_domain(self):
        with self.assertRaises(GLib.Error) as caught:
            Ghlo.Program.parse('nonsense')
        self.assertTrue(caught.exception.matches(Ghlo.error_quark(), Ghlo.Error.PARSE))
        self.assertEqual(caught.exception.domain, 'ghlo-error-quark')

    def test_every_name(self):
        """What is in the typelib is what is meant to be, and nothing more."""
        repository = gi.Repository.get_default()
        names = sorted(info.get_name() for info in repository.get_infos('Ghlo')
                       if not (hasattr(info, 'is_gtype_struct') and info.is_gtype_struct()))
        self.assertEqual(names, sorted('''
            Buffer Client CompileOptions CompileReport Cost CustomCall CustomCallFunction Device DeviceKind Diagnostic
            DumpStage ElementType Error
            Executable PendingCall Plan PlanStep MAJOR_VERSION MICRO_VERSION
            MINOR_VERSION DYNAMIC OptimizationLevel Program ProgramFormat Progress ProgressStage Result
            Session LoadFlags Severity Statistics TensorType TextFlags Timing ValueInfo ValueKind get_version shut_down
            element_type_from_string element_type_get_size
            element_type_to_string error_quark tensor_type_parse'''.split()))


class TestCalls(unittest.TestCase):
    def test_call(self):
        executable = compile_text(ADD)
        one = np.ones((2, 3), np.float32)
        (total,) = executable(one, Ghlo.Buffer.from_numpy(one))
        self.assertTrue((np.asarray(total) == 2).all())
        (total,) = executable([[1, 2, 3], [4, 5, 6]], one)
        self.assertEqual(np.asarray(total)[1, 2], 7)
        result = executable.execute([Ghlo.Buffer.from_numpy(one)] * 2)
        self.assertEqual(len(result), 1)
        self.assertEqual(result.get_timing().get_download(), 0)
        self.assertEqual([str(info) for info in executable.list_inputs()],
                         ['left: tensor<2x3xf32>', 'right: tensor<2x3xf32>'])

    def test_report(self):
        report = compile_text(ADD).props.report
        self.assertEqual(report.get_n_operations_before(), 4)
        self.assertLessEqual(report.get_n_operations_after(), 4)
        self.assertEqual(report.get_n_changes('no-such-pass'), 0)
        # A sum of fractions is off by a few of their last bits.
        self.assertGreaterEqual(report.get_time() + 1e-9, sum(map(report.get_pass_time, report.get_passes())))
        self.assertIn('4 operations became', str(report))

    def test_plan(self):
        plan = compile_text(ADD).get_plan()
        self.assertEqual((plan.get_n_steps(), plan.get_n_reference_steps()), (1, 0))
        self.assertGreaterEqual(plan.get_memory(), 24)
        self.assertIn('add', str(plan))
        self.assertEqual(plan.props.reason is None, 'GHLO_DEVICE' in os.environ)
        if plan.props.reason is not None:
            self.assertTrue(str(plan).startswith(f'auto: {plan.get_reason()}\n'), str(plan))
        device = Ghlo.Client().list_devices()[0]
        self.assertIsNone(compile_text(ADD, device=device).get_plan().get_reason())
        whole = compile_text(TWO).get_plan()
        self.assertEqual((whole.get_n_reference_steps(), whole.get_memory()), (1, 0))

    def test_profile(self):
        executable = compile_text(ADD)
        (step,) = executable.get_plan()
        self.assertEqual((step.props.operation, step.props.bytes, step.props.n_runs), ('stablehlo.add', 72, 0))
        self.assertIsNone(step.props.steps)
        self.assertLess(step.props.measurement, 0)
        self.assertIn(str(step), str(executable.get_plan()))
        session = Ghlo.Session.new(executable)
        one = np.ones((2, 3), np.float32)
        for profile in [False, True]:
            session.props.profile = profile
            plan = session.run([one, one]).get_plan()
            self.assertEqual(plan is not None, profile)
        self.assertTrue(plan.props.profiled)
        (step,) = plan
        self.assertEqual(step.props.n_runs, 1)
        self.assertGreater(step.props.measurement, 0)
        self.assertIs(plan[0], step)
        self.assertRegex(repr(step), '^<Ghlo.PlanStep stablehlo.add on .*>$')
        session = Ghlo.Session.new(compile_text(COUNTED_LOOP, disabled_passes=['fuse-loops']))
        session.props.profile = True
        plan = session.run([np.float32(1)]).get_plan()
        (loop,) = [step for step in plan if step.props.operation == 'stablehlo.while']
        self.assertEqual({step.props.n_runs for step in loop.props.steps}, {5})
        self.assertLessEqual(sum(step.props.measurement for step in loop.props.steps), loop.props.measurement)

    def test_cost(self):
        cost = compile_text(ADD).get_cost()
        self.assertEqual((cost.get_operations(), cost.get_bytes(), cost.is_exact()), (6, 72, True))
        self.assertGreaterEqual(cost.get_peak_memory(), 72)
        self.assertGreater(cost.get_estimate(), 0)
        self.assertRegex(repr(cost), '^<Ghlo.Cost 6 operations, 72 bytes moved, .* s, .* bytes of memory>$')

    def test_dump(self):
        executable = compile_text(ADD)
        parsed = executable.dump(Ghlo.DumpStage.PARSED)
        self.assertEqual(parsed, executable.props.program.to_text())
        self.assertIn('stablehlo.add', executable.dump(Ghlo.DumpStage.PASSES, flags=Ghlo.TextFlags.GENERIC))
        self.assertEqual(executable.dump(Ghlo.DumpStage.PLAN), str(executable.get_plan()))

    def test_dynamic(self):
        executable = compile_text(TWO)
        for n in range(3):
            x, five = executable(np.arange(n, dtype=np.int32))
            self.assertEqual(np.asarray(x).tolist(), list(range(n)))
            self.assertEqual(np.asarray(five), 5)

    def test_mistakes(self):
        executable = compile_text(ADD)
        one = np.ones((2, 3), np.float32)
        with self.assertRaises(TypeError):
            executable(one)
        for wrong, message in [(one.astype(np.float64), 'found tensor<2x3xf64>'), (one[0], 'found tensor<3xf32>')]:
            with self.assertRaisesRegex(GLib.Error, message) as caught:
                executable(one, wrong)
            self.assertTrue(caught.exception.matches(Ghlo.error_quark(), Ghlo.Error.INVALID_ARGUMENT))
        with self.assertRaisesRegex(GLib.Error, 'input 1'):
            executable.execute([Ghlo.Buffer.from_numpy(one), None])
        for inputs in [[], [None, None], [Ghlo.Buffer()] * 2]:
            waiter = Waiter()
            executable.execute_async(inputs, None, waiter)
            with self.assertRaises(GLib.Error) as caught:
                executable.execute_finish(waiter.wait())
            self.assertTrue(caught.exception.matches(Ghlo.error_quark(), Ghlo.Error.INVALID_ARGUMENT))

    def test_place_and_caret(self):
        with self.assertRaises(GLib.Error) as caught:
            Ghlo.Program.parse(ADD.replace('%right :', '%rihgt :'), 'model.mlir')
        headline, _, detail = caught.exception.message.partition('\n')
        self.assertTrue(headline.startswith('model.mlir:2:'), headline)
        self.assertIn('^', detail)

    def test_check(self):
        findings = Ghlo.Program.check(ADD.replace('add %left', 'add %lfet').replace('return %0', 'return %1'))
        self.assertGreaterEqual(len(findings), 1)
        self.assertEqual(findings[0].props.severity, Ghlo.Severity.ERROR)
        self.assertEqual(findings[0].props.line, 2)
        self.assertEqual(findings[0].props.code, Ghlo.Error.PARSE)
        self.assertEqual(len(Ghlo.Program.check(ADD)), 0)

    def test_devices(self):
        first, again = (list(Ghlo.Client().list_devices()) for _ in range(2))
        self.assertEqual(first, again)
        self.assertEqual(set(first), set(again))
        self.assertEqual(len(set(first + again)), len(first))
        self.assertNotEqual(first[0], first[1])
        self.assertNotEqual(first[0], 'cpu')
        self.assertNotEqual(first[0], Ghlo.Device())
        for device in first:
            self.assertEqual((device.props.model, device.props.vector_level),
                             (device.get_model(), device.get_vector_level()))
            if device.get_kind() == Ghlo.DeviceKind.CPU and device.get_vector_level() is not None:
                self.assertIn(device.get_vector_level(), ('baseline', 'avx2', 'avx512'))

    def test_memory(self):
        device = Ghlo.Client().list_devices()[0]
        used = device.get_memory_used()
        buffer = Ghlo.Buffer.from_numpy(np.zeros(1 << 20, np.uint8))
        self.assertGreaterEqual(device.get_memory_peak(), used + (1 << 20))
        del buffer

    def test_text(self):
        text = Ghlo.Program.parse(ADD).to_text(Ghlo.TextFlags.STRIP_LOCATIONS)
        self.assertIn('stablehlo.add', text)
        self.assertEqual(Ghlo.Program.parse(text).to_text(Ghlo.TextFlags.STRIP_LOCATIONS), text)

    def test_options(self):
        options = Ghlo.CompileOptions(optimization_level=Ghlo.OptimizationLevel.O3, disabled_passes=['fusion'])
        self.assertEqual(options.props.disabled_passes, ['fusion'])
        with self.assertRaisesRegex(GLib.Error, "the option disabled-passes, which are 'inline', .*, found 'fusion'"):
            Ghlo.Client().compile(Ghlo.Program.parse(ADD), options)
        options.props.disabled_passes = ['fold']
        devices = Ghlo.Client().list_devices()
        options.props.device = devices[0]
        executable = Ghlo.Client().compile(Ghlo.Program.parse(ADD), options)
        self.assertEqual(executable.props.device.props.kind, Ghlo.DeviceKind.CPU)
        self.assertIsInstance(executable.props.program, Ghlo.Program)


class TestFormats(unittest.TestCase):
    def test_round_trip(self):
        program = Ghlo.Program.parse(ADD)
        self.assertEqual((program.props.format, program.props.producer, program.props.artifact_version),
                         (Ghlo.ProgramFormat.TEXT, None, None))
        for version, expected in [(None, '1.20.0'), ('0.9.0', '0.9.0'), ('1.13.0', '1.13.0')]:
            artifact = program.serialize(version)
            for data in (artifact, artifact.get_data()):
                again = Ghlo.Program.parse(data, 'add.mlirbc')
                self.assertEqual(again.get_format(), Ghlo.ProgramFormat.PORTABLE_ARTIFACT)
                self.assertEqual(again.get_artifact_version(), expected)
                self.assertEqual(again.get_producer(), 'StableHLO_v' + expected)
                self.assertEqual(again.to_text(Ghlo.TextFlags.NONE), program.to_text(Ghlo.TextFlags.NONE))
        self.assertEqual(program.serialize().get_data(), program.serialize(None).get_data())

    def test_load(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'add')
            with open(path, 'wb') as file:
                file.write(Ghlo.Program.parse(ADD).serialize().get_data())
            program = Ghlo.Program.load(Gio.File.new_for_path(path))
        self.assertEqual(program.props.format.value_nick, 'portable-artifact')
        one = np.ones((2, 3), np.float32)
        (total,) = Ghlo.Client().compile(program)(one, one)
        self.assertTrue((np.asarray(total) == 2).all())

    def test_async(self):
        waiter, program = Waiter(), Ghlo.Program.parse(ADD)
        program.serialize_async('1.0.0', None, waiter)
        artifact = program.serialize_finish(waiter.wait())
        self.assertEqual(artifact.get_data(), program.serialize('1.0.0').get_data())

    def test_refused(self):
        program = Ghlo.Program.parse('func.func @main(%x: tensor<f32>) -> tensor<f32> {\n'
                                     '  %0 = stablehlo.tan %x : tensor<f32>\n  return %0 : tensor<f32>\n}')
        for version, code, text in [('1.3.0', Ghlo.Error.UNSUPPORTED, 'stablehlo.tan'),
                                    ('2.0.0', Ghlo.Error.INVALID_ARGUMENT, "found '2.0.0'")]:
            with self.assertRaisesRegex(GLib.Error, text) as caught:
                program.serialize(version)
            self.assertTrue(caught.exception.matches(Ghlo.error_quark(), code))
        with self.assertRaisesRegex(GLib.Error, 'cut.mlirbc: at byte ') as caught:
            Ghlo.Program.parse(program.serialize().get_data()[:100], 'cut.mlirbc')
        self.assertTrue(caught.exception.matches(Ghlo.error_quark(), Ghlo.Error.PARSE))


class TestFiles(unittest.TestCase):
    def refuse(self, path, domain, code, text):
        for kind in (Ghlo.Program, Ghlo.Buffer):
            arguments = [] if kind is Ghlo.Program else [None]
            with self.assertRaises(GLib.Error) as caught:
                kind.load(Gio.File.new_for_path(path), *arguments, None)
            self.assertTrue(caught.exception.matches(domain, code), str(caught.exception))
            self.assertIn(text, caught.exception.message)

    def test_endless(self):
        self.refuse('/dev/zero', Ghlo.error_quark(), Ghlo.Error.DATA, 'found more')

    def test_folder(self):
        self.refuse('/', Gio.io_error_quark(), Gio.IOErrorEnum.IS_DIRECTORY, "found the folder '/'")

    def test_silent_pipe(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'pipe')
            os.mkfifo(path)
            self.refuse(path, Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT, 'found none for 3 seconds')


class TestAsync(unittest.TestCase):
    def test_road(self):
        waiter, client, progress, seen = Waiter(), Ghlo.Client(), Ghlo.Progress(), []
        progress.connect('notify::fraction', lambda *_: seen.append(progress.props.fraction))
        Ghlo.Program.parse_async(ADD, 'add.mlir', None, waiter)
        program = Ghlo.Program.parse_finish(waiter.wait())
        client.compile_async(program, None, progress, None, waiter)
        executable = client.compile_finish(waiter.wait())
        self.assertEqual(seen[-1], 1)
        self.assertEqual(seen, sorted(seen))
        one = Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))
        executable.execute_async([one, one], None, waiter)
        (total,) = executable.execute_finish(waiter.wait())
        total.read_async(None, waiter)
        self.assertEqual(total.read_finish(waiter.wait()).get_size(), 24)

    def test_cancel(self):
        executable, waiter, cancellable = compile_text(ENDLESS), Waiter(), Gio.Cancellable()
        executable.execute_async([Ghlo.Buffer.from_numpy(np.int32(1))], cancellable, waiter)
        GLib.timeout_add(20, lambda: bool(cancellable.cancel()))
        with self.assertRaises(GLib.Error) as caught:
            executable.execute_finish(waiter.wait())
        self.assertTrue(caught.exception.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CANCELLED))

    def test_sync_lets_threads_run(self):
        executable, cancellable = compile_text(ENDLESS), Gio.Cancellable()
        timer = threading.Timer(0.05, cancellable.cancel)
        timer.start()
        with self.assertRaises(GLib.Error):
            executable(np.int32(1), cancellable=cancellable)
        timer.join()

    def test_many_at_once(self):
        executable, loop, sums = compile_text(ADD), GLib.MainLoop(), []

        def done(_source, result, number):
            (total,) = executable.execute_finish(result)
            sums.append(np.asarray(total)[0, 0] == number + 1)
            if len(sums) == 100:
                loop.quit()

        one = Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))
        for number in range(100):
            buffer = Ghlo.Buffer.from_numpy(np.full((2, 3), number, np.float32))
            executable.execute_async([one, buffer], None, done, number)
        loop.run()
        self.assertTrue(all(sums))


class TestLife(unittest.TestCase):
    def test_references(self):
        executable = compile_text(ADD)
        one = Ghlo.Buffer.from_numpy(np.ones((2, 3), np.float32))
        gone = []
        for _ in range(50):
            result = executable.execute([one, one])
            result.weak_ref(lambda: gone.append('result'))
            result.get_output(0).weak_ref(lambda: gone.append('buffer'))
            array = np.asarray(result[0])
        del result, array
        gc.collect()
        self.assertEqual(gone.count('result'), 50)
        self.assertEqual(gone.count('buffer'), 50)
        self.assertEqual(one.__grefcount__, 1)

    def test_boxed(self):
        executable = compile_text(ADD)
        for _ in range(1000):
            infos = executable.list_inputs()
        self.assertEqual(infos[0].get_tensor_type().shape, (2, 3))

    def test_bare(self):
        for name in ['Buffer', 'Client', 'CompileOptions', 'Device', 'Diagnostic', 'Executable', 'Program', 'Progress',
                     'Result', 'Session']:
            instance = getattr(Ghlo, name)()
            for spec in instance.list_properties():
                instance.get_property(spec.name)
        self.assertEqual(Ghlo.Program().list_inputs(), [])
        with self.assertRaises(GLib.Error):
            Ghlo.Client().compile(Ghlo.Program())
        with self.assertRaises(GLib.Error):
            Ghlo.Executable()()


if __name__ == '__main__':
    unittest.main(verbosity=2)
