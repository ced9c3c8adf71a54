# SPDX-License-Identifier: LGPL-2.1-or-later
"""One class for each system: it compiles a StableHLO program, takes inputs once, and is
then called in the same way.

What is timed is the same everywhere. bind() has put the inputs into the memory of the device
that computes, and has waited until they are there. call() begins a run from Python by the
system's thinnest binding (GHLO's C function by ctypes, a function under jax.jit for XLA and for
GHLO's plugin, IREE's own extension module) and returns when the run has ended and its outputs
are in the device's memory, where the next run could take them; nothing is copied to the host.
The outputs of the call before are given back within the time. outputs() copies to the host,
untimed."""

import hashlib
import os
import re
import statistics
import time

import numpy as np

# XLA would take three quarters of a GPU's memory at once, beside which GHLO is to run.
os.environ.setdefault('XLA_PYTHON_CLIENT_PREALLOCATE', 'false')


class Ghlo:
    """GHLO by its synchronous call, on a kind of device ("cpu", "vulkan") or its own choice."""

    name = 'GHLO'

    def __init__(self, text, device=None, wait_for_code=True, caching=True):
        import library
        self.library, functions = library, library.LIBRARY
        device = None if device is None else library.find_device(device)
        program = library.parse_program(text)
        start = time.perf_counter()
        # The peers' calls run finished code too, and it is in their compile times.
        self.executable = library.compile_program(program, device, wait_for_code, caching)
        self.compile_seconds = time.perf_counter() - start
        self.device = functions.ghlo_executable_get_device(self.executable)

    def bind(self, inputs):
        self.inputs = [self.library.to_buffer(array, self.device) for array in inputs]
        self.arguments = self.library.Object.array(self.inputs)

    def call(self):
        self.result = self.library.Object(self.library.LIBRARY.ghlo_executable_execute(
            self.executable, self.arguments, len(self.arguments), None))

    def outputs(self):
        return self.library.list_outputs(self.result)

    def reference_share(self):
        """The share of a call's time in steps of the reference executor."""
        shares, functions = [], self.library.LIBRARY
        for _ in range(5):
            self.call()
            timing = functions.ghlo_result_get_timing(self.result)
            shares.append(functions.ghlo_timing_get_reference(timing)
                          / max(functions.ghlo_timing_get_run(timing), 1e-6))
        return statistics.median(shares)

    def steps(self):
        """What each step took, those in bodies of loops in place of the loops, the longest first."""
        session = self.library.Object(self.library.LIBRARY.ghlo_session_new(self.executable))
        measured = self.library.measure_steps(session, self.arguments, 5).values()
        return sorted((step for step in measured if not step.has_body), key=lambda step: -step.seconds)


DTYPES = ('bool', 'int4', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16',
          'bfloat16', 'float32', 'float64', 'complex64', 'complex128')


def make_primitive(text):
    """Returns a primitive of JAX that is a StableHLO program, and the avals of the program's inputs."""
    from jax._src import core
    from jax._src.interpreters import mlir
    from jax.extend.core import Primitive
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import func

    def make_avals(types):
        dtypes = {mlir.dtype_to_ir_type(np.dtype(name)): np.dtype(name) for name in DTYPES}
        return [core.ShapedArray(tuple(kind.shape), dtypes[kind.element_type])
                for kind in map(ir.RankedTensorType, types)]

    def lower(context, *operands):
        own = context.module_context
        name = mlir.merge_mlir_modules(own.module, 'program', ir.Module.parse(text, own.context),
                                       dst_symtab=own.symbol_table)
        types = [mlir.aval_to_ir_type(own, aval) for aval in outputs]
        return func.CallOp(types, ir.FlatSymbolRefAttr.get(name), operands).results

    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        main = next(op for op in module.body.operations if op.attributes['sym_name'].value == 'main')
        kind = ir.FunctionType(main.attributes['function_type'].value)
        inputs, outputs = make_avals(kind.inputs), make_avals(kind.results)
    program = Primitive('stablehlo')
    program.multiple_results = True
    program.def_abstract_eval(lambda *avals: outputs)
    mlir.register_lowering(program, lower)
    return program, inputs


class Xla:
    """XLA through JAX's jit, on the same StableHLO text, for the platform that a subclass names."""

    def __init__(self, text):
        import jax
        jax.config.update('jax_enable_x64', True)
        self.device = jax.devices(self.platform)[0]
        sharding = jax.sharding.SingleDeviceSharding(self.device)
        program, inputs = make_primitive(text)
        self.function = jax.jit(program.bind)
        inputs = [jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding) for aval in inputs]
        start = time.perf_counter()
        self.function.lower(*inputs).compile()
        self.compile_seconds = time.perf_counter() - start

    def bind(self, inputs):
        import jax
        # GHLO's plugin would read large arrays where NumPy has them, which no other system does.
        self.inputs = [jax.device_put(array, self.device, may_alias=False).block_until_ready() for array in inputs]

    def call(self):
        self.result = self.function(*self.inputs)
        for output in self.result:
            output.block_until_ready()

    def outputs(self):
        return [np.asarray(output) for output in self.result]


class XlaCpu(Xla):
    name, platform = 'XLA', 'cpu'


class XlaCuda(Xla):
    name, platform = 'XLA CUDA', 'cuda'


class GhloByJax(Xla):
    """GHLO's plugin, called as XLA is. Code of kernels that GHLO has finished by itself is on disk, where it finds it
    (GHLO_CACHE)."""

    name, platform = 'GHLO by JAX', 'ghlo'


class Iree:
    """IREE on the same text, for the driver that a subclass names and what its compiler is told of it.

    IREE_CODE names a folder that keeps what the compiler makes, so that a machine which has the
    runtime alone can run it."""

    def __init__(self, text):
        import iree.runtime
        self.runtime = iree.runtime
        start = time.perf_counter()
        code = self.compile(text)
        self.compile_seconds = time.perf_counter() - start
        self.device = iree.runtime.get_device(self.driver)
        self.module = iree.runtime.load_vm_flatbuffer(code, driver=self.driver)

    def compile(self, text):
        arguments = [f'--iree-hal-target-backends={self.backend}', '--iree-opt-level=O3', *self.describe_target()]
        folder = os.environ.get('IREE_CODE')
        if not folder:
            return self.call_compiler(text, arguments)
        path = os.path.join(folder, hashlib.sha256('\n'.join([*arguments, text]).encode()).hexdigest()[:24] + '.vmfb')
        if not os.path.exists(path):
            code = self.call_compiler(text, arguments)
            with open(path, 'wb') as file:
                file.write(code)
        with open(path, 'rb') as file:
            return file.read()

    @staticmethod
    def call_compiler(text, arguments):
        import iree.compiler
        return iree.compiler.compile_str(text, input_type='stablehlo', extra_args=arguments)

    def bind(self, inputs):
        self.inputs = [self.runtime.asdevicearray(self.device, array) for array in inputs]

    def call(self):
        self.result = self.module.main(*self.inputs)

    def outputs(self):
        result = self.result if isinstance(self.result, (list, tuple)) else [self.result]
        return [self.to_numpy(output) for output in result]

    @staticmethod
    def to_numpy(output):
        return np.asarray(output)


class IreeCpu(Iree):
    """llvm-cpu, with its task system on all cores."""

    name, driver, backend = 'IREE', 'local-task', 'llvm-cpu'

    @staticmethod
    def describe_target():
        return ['--iree-llvmcpu-target-cpu=host']


class IreeVulkan(Iree):
    """vulkan-spirv, for the first device of its driver; IREE_VULKAN_TARGET names another target, as where code is
    made for another machine."""

    name, driver, backend = 'IREE Vulkan', 'vulkan', 'vulkan-spirv'
    # Of devices by what their names have in them: the newest that IREE's compiler has for their maker.
    targets = [('NVIDIA', 'ada'), ('AMD|Radeon', 'rdna3'), ('Mali', 'valhall4'), ('Adreno', 'adreno')]
    # What any device with Vulkan 1.3 does.
    common = 'vp_android_baseline_2022'

    def to_numpy(self, output):
        """By a stage: NumPy's own conversion would have the driver take memory of any alignment, which it does not."""
        runtime, source = self.runtime, output._buffer_view.get_buffer()    # pylint: disable=protected-access
        stage = self.device.allocator.allocate_buffer(
            memory_type=int(runtime.MemoryType.HOST_LOCAL | runtime.MemoryType.DEVICE_VISIBLE),
            allowed_usage=int(runtime.BufferUsage.TRANSFER_TARGET | runtime.BufferUsage.MAPPING_SCOPED),
            allocation_size=source.byte_length())
        semaphore = self.device.create_semaphore(0)
        done = runtime.HalFence.create_at(semaphore, 1)
        self.device.queue_copy(source, stage, wait_semaphores=runtime.HalFence.create_at(semaphore, 0),
                               signal_semaphores=done)
        done.wait()
        raw = runtime.HalElementType.map_to_dtype(output._buffer_view.element_type)
        return np.array(stage.map().asarray(output.shape, raw)).astype(output.dtype)

    def describe_target(self):
        return [f'--iree-vulkan-target={os.environ.get("IREE_VULKAN_TARGET") or self.find_target()}']

    def find_target(self):
        device = self.runtime.get_driver(self.driver).query_available_devices()[0]['name']
        return next((target for pattern, target in self.targets if re.search(pattern, device)), self.common)


PEERS = {'xla': XlaCpu, 'cuda': XlaCuda, 'jax': GhloByJax, 'iree': IreeCpu, 'iree-vulkan': IreeVulkan}
