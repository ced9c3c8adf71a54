# SPDX-License-Identifier: LGPL-2.1-or-later
"""The systems of the comparison: each class takes a model's folder, the type, and a number of threads, and is then
called like a runner of compare/. What a call gives stays in the system's memory until outputs() is asked for. One whose
calls do more than the step of the model says the step's time itself, as seconds.

A model of which there is no file for a system is refused with FileNotFoundError."""

import os

import numpy as np

import stored


class Ghlo:
    """A session that has the weights, as end-to-end/ has it, but where they are mapped. GHLO_DEVICE says that it is
    the processor's, so that no driver of a GPU is loaded in order to ask it for devices."""

    name, packages = 'GHLO', ()

    def __init__(self, folder, kind, threads, wait_for_code=True):
        del threads    # as many as the process may use cores
        self.runner = self.make(stored.read_program(os.path.join(folder, kind)), wait_for_code)

    @staticmethod
    def make(program, wait_for_code):
        """A runner of end-to-end/, with its inputs."""
        import library
        import runners
        import systems

        class Runner(systems.Ghlo):
            def __init__(self):    # pylint: disable=super-init-not-called
                runners.Ghlo.__init__(self, program.text, wait_for_code=wait_for_code)

        runner = Runner()
        if any(spec.dtype == 'int4' for spec in program.inputs):    # which a buffer has in another form
            inputs = [library.to_buffer(array) for array in program.make_inputs()]
        else:
            inputs = [library.lend_array(array, spec.dtype, spec.shape)
                      for array, spec in zip(program.map_inputs(), program.inputs)]
        runner.bind(program, inputs)
        return runner

    def call(self):
        self.runner.call()

    def outputs(self):
        """The first output that is no state."""
        return np.asarray(self.runner.outputs()[len(self.runner.carried)], np.float32)


class Xla(Ghlo):
    name, packages = 'XLA', ('jax', 'jaxlib', 'scipy', 'ml_dtypes', 'opt_einsum', 'numpy')

    @staticmethod
    def make(program, wait_for_code):
        import jax
        import systems
        jax.config.update('jax_platforms', 'cpu')
        runner = systems.Xla(program.text, wait_for_code)
        runner.bind(program, runner.place(program.make_inputs()))
        return runner


class Iree(Ghlo):
    name, packages = 'IREE', ('iree-base-runtime', 'iree-base-compiler', 'numpy')

    @staticmethod
    def make(program, wait_for_code):
        import runners
        runner = runners.IreeCpu(program.text)
        runner.bind(program.make_inputs())
        runner.carried = program.carried
        return runner


class Torch:
    """PyTorch's operators one by one; linear layers of int8 by its dynamic quantization."""

    name, packages = 'PyTorch', ('torch', 'numpy', 'sympy', 'networkx', 'jinja2', 'fsspec', 'filelock')

    def __init__(self, folder, kind, threads, wait_for_code=True):
        del wait_for_code
        import torch
        self.torch = torch
        torch.set_num_threads(threads)
        module = torch.load(os.path.join(folder, 'module.pt'), weights_only=False, mmap=True)
        self.inputs = [torch.from_numpy(np.array(array)) for array in stored.read_feed(folder)]
        if kind == 'bf16':
            module = module.bfloat16()
            self.inputs = [x.bfloat16() if x.is_floating_point() else x for x in self.inputs]
        elif kind == 'int8' and self.inputs[0].ndim == 2:
            module = torch.ao.quantization.quantize_dynamic(module, {torch.nn.Linear}, dtype=torch.qint8)
        elif kind != 'f32':
            raise FileNotFoundError(f'it has no {kind} of this model')
        self.module = module

    def call(self):
        with self.torch.inference_mode():
            self.result = self.module(*self.inputs)

    def outputs(self):
        result = self.result[0] if isinstance(self.result, tuple) else self.result
        return result.float().numpy()


class TorchCompiled(Torch):
    """The same through torch.compile; not among the systems that are run where none is named."""

    name = 'torch.compile'

    def __init__(self, folder, kind, threads, wait_for_code=True):
        super().__init__(folder, kind, threads, wait_for_code)
        self.module = self.torch.compile(self.module)


def find_onnx(folder, kind):
    path = os.path.join(folder, f'{kind}.onnx')
    if not os.path.exists(path):
        raise FileNotFoundError(f'there is no ONNX file of this model in {kind}')
    return path


class Ort:
    name, packages = 'ONNX Runtime', ('onnxruntime', 'numpy', 'protobuf', 'flatbuffers')

    def __init__(self, folder, kind, threads, wait_for_code=True):
        del wait_for_code
        import onnxruntime
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 3
        self.session = onnxruntime.InferenceSession(find_onnx(folder, kind), options,
                                                    providers=['CPUExecutionProvider'])
        self.feed = {spec.name: np.asarray(array)
                     for spec, array in zip(self.session.get_inputs(), stored.read_feed(folder))}

    def call(self):
        self.result = self.session.run(None, self.feed)

    def outputs(self):
        return np.asarray(self.result[0], np.float32)


class OpenVino:
    """bf16 is its own rounding of the f32 model, where the processor has instructions for that."""

    name, packages = 'OpenVINO', ('openvino', 'numpy')

    def __init__(self, folder, kind, threads, wait_for_code=True):
        del wait_for_code
        import openvino
        properties = {'INFERENCE_NUM_THREADS': threads, 'PERFORMANCE_HINT': 'LATENCY', 'NUM_STREAMS': 1,
                      'INFERENCE_PRECISION_HINT': 'bf16' if kind == 'bf16' else 'f32'}
        path = find_onnx(folder, 'f32' if kind == 'bf16' else kind)
        self.request = openvino.Core().compile_model(path, 'CPU', properties).create_infer_request()
        self.feed = [openvino.Tensor(np.array(array)) for array in stored.read_feed(folder)]
        for number, tensor in enumerate(self.feed):
            self.request.set_input_tensor(number, tensor)

    def call(self):
        self.request.infer()

    def outputs(self):
        return np.array(self.request.get_output_tensor(0).data, np.float32)


class LlamaCpp:
    """Language models alone. A call asks for some tokens behind a prompt that it keeps: the time of a step is that
    which it says itself. The cache that it decodes from is its own, so that its answers are not compared."""

    name, packages = 'llama.cpp', ('xllamacpp',)
    TOKENS = 16

    def __init__(self, folder, kind, threads, wait_for_code=True):
        del wait_for_code
        path = os.path.join(folder, f'{kind}.gguf')
        if not os.path.exists(path):
            raise FileNotFoundError(f'there is no GGUF file of this model in {kind}')
        import xllamacpp
        parameters = xllamacpp.CommonParams()
        parameters.model.path, parameters.n_ctx, parameters.n_parallel = path, stored.CACHE, 1
        parameters.cpuparams.n_threads, parameters.verbosity = threads, 0
        self.server = xllamacpp.Server(parameters)
        self.request = {'prompt': [3 + number for number in range(stored.POSITION)], 'n_predict': self.TOKENS,
                        'cache_prompt': True, 'temperature': 0, 'ignore_eos': True}

    def call(self):
        self.seconds = self.server.handle_completions(self.request)['timings']['predicted_per_token_ms'] / 1e3

    def outputs(self):
        return None


SYSTEMS = {'ghlo': Ghlo, 'xla': Xla, 'torch': Torch, 'ort': Ort, 'openvino': OpenVino, 'iree': Iree,
           'llama.cpp': LlamaCpp, 'torch-compile': TorchCompiled}
DEFAULT = [name for name in SYSTEMS if name != 'torch-compile']
