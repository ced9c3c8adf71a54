# SPDX-License-Identifier: LGPL-2.1-or-later
"""One class for each system: it compiles a StableHLO program, takes inputs once, and is
then called in the same way: call() returns when the outputs can be read."""

import statistics
import time

import numpy as np


def ghlo_library():
    import gi
    gi.require_version('Ghlo', '1.0')
    from gi.repository import Ghlo as library
    return library


class Ghlo:
    """GHLO through its typelib, by the synchronous call."""

    name = 'GHLO'

    def __init__(self, text, device=None, wait_for_code=True, caching=True):
        from gi.repository import GLib
        library = self.library = ghlo_library()
        program = library.Program.parse(GLib.Bytes.new(text.encode()), None, None)
        client = library.Client()
        # The peers' calls run finished code too, and it is in their compile times.
        options = library.CompileOptions(wait_for_code=wait_for_code, caching=caching)
        if device is not None:
            options.props.device = next(d for d in client.list_devices() if d.get_kind().value_nick == device)
        start = time.perf_counter()
        self.executable = client.compile(program, options)
        self.compile_seconds = time.perf_counter() - start

    def bind(self, inputs):
        self.inputs = [self.library.Buffer.from_numpy(array) for array in inputs]

    def call(self):
        self.result = self.executable.execute(self.inputs, None)

    def outputs(self):
        return [np.asarray(output) for output in self.result]

    def reference_share(self):
        """The share of a call's time in steps of the reference executor."""
        shares = []
        for _ in range(5):
            self.call()
            timing = self.result.get_timing()
            shares.append(timing.get_reference() / max(timing.get_run(), 1e-6))
        return statistics.median(shares)


class Xla:
    """XLA's CPU compiler through JAX, on the same StableHLO text."""

    name = 'XLA'

    def __init__(self, text):
        import jax
        jax.config.update('jax_enable_x64', True)
        from jax._src import xla_bridge
        from jax._src.interpreters import mlir
        from jax._src.lib import xla_client
        from jaxlib.mlir import ir
        backend = xla_bridge.get_backend('cpu')
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            start = time.perf_counter()
            self.executable = backend.compile_and_load(
                module, xla_client.DeviceList(tuple(backend.local_devices()[:1])), xla_client.CompileOptions())
            self.compile_seconds = time.perf_counter() - start

    def bind(self, inputs):
        import jax
        self.inputs = [jax.device_put(array) for array in inputs]

    def call(self):
        arrays = self.executable.execute_sharded(self.inputs).disassemble_into_single_device_arrays()
        self.result = [array[0].block_until_ready() for array in arrays]

    def outputs(self):
        return [np.asarray(output) for output in self.result]


class Iree:
    """IREE's llvm-cpu, on the same text, with its task system on all cores."""

    name = 'IREE'

    def __init__(self, text):
        import iree.compiler
        import iree.runtime
        self.runtime = iree.runtime
        start = time.perf_counter()
        code = iree.compiler.compile_str(text, input_type='stablehlo', target_backends=['llvm-cpu'],
                                         extra_args=['--iree-llvmcpu-target-cpu=host', '--iree-opt-level=O3'])
        self.compile_seconds = time.perf_counter() - start
        self.device = iree.runtime.get_device('local-task')
        self.module = iree.runtime.load_vm_flatbuffer(code, driver='local-task')

    def bind(self, inputs):
        self.inputs = [self.runtime.asdevicearray(self.device, array) for array in inputs]

    def call(self):
        self.result = self.module.main(*self.inputs)

    def outputs(self):
        result = self.result if isinstance(self.result, (list, tuple)) else [self.result]
        return [np.asarray(output) for output in result]


PEERS = {'xla': Xla, 'iree': Iree}
