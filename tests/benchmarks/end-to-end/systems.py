# SPDX-License-Identifier: LGPL-2.1-or-later
"""GHLO and XLA as whoever runs a whole model has them: weights are given once, state is kept
from run to run. Runners of compare/, but that bind takes inputs which place has made.

GHLO_DEVICE names the kind of GHLO's device, JAX_PLATFORMS the platform of XLA's: the processor
where they say nothing."""

import os

import runners

DEVICE = os.environ.get('GHLO_DEVICE') or None
ON_GPU = os.environ.get('JAX_PLATFORMS') == 'cuda'


class Ghlo(runners.Ghlo):
    """A session: weights are bound, state is carried."""

    def __init__(self, text, wait_for_code=True, caching=True):
        super().__init__(text, DEVICE, wait_for_code, caching)

    @staticmethod
    def place(arrays):
        import library
        device = library.find_device(DEVICE) if DEVICE else None
        return [library.to_buffer(array, device) for array in arrays]

    def bind(self, program, inputs):
        self.carried, functions = program.carried, self.library.LIBRARY
        self.session = self.library.Object(functions.ghlo_session_new(self.executable))
        for output, number in program.carried:
            functions.ghlo_session_carry(self.session, output, number, inputs[number])
        for number, spec in enumerate(program.inputs):
            if spec.role == 'weight':
                functions.ghlo_session_bind_input(self.session, number, inputs[number])
        self.given = [inputs[number] for number, spec in enumerate(program.inputs) if spec.role == 'input']
        self.arguments = self.library.Object.array(self.given)

    def call(self):
        self.result = self.library.Object(self.library.LIBRARY.ghlo_session_run(
            self.session, self.arguments, len(self.arguments), None))

    def outputs(self):
        copy_state = self.library.LIBRARY.ghlo_session_copy_state
        states = [self.library.Object(copy_state(self.session, number, None)) for _, number in self.carried]
        return [self.library.to_numpy(state) for state in states] + super().outputs()

    def pass_seconds(self):
        functions = self.library.LIBRARY
        return functions.ghlo_compile_report_get_time(functions.ghlo_executable_get_report(self.executable))


class Xla(runners.XlaCuda if ON_GPU else runners.XlaCpu):
    """Arrays of the device; a call gives state up, and the next one gets what replaced it."""

    name = 'XLA'

    def __init__(self, text, wait_for_code=True, caching=True):
        del wait_for_code, caching    # there is one way only
        super().__init__(text)

    @classmethod
    def place(cls, arrays):
        import jax
        device = jax.local_devices(backend=cls.platform)[0]
        return [jax.device_put(array, device, may_alias=False).block_until_ready() for array in arrays]

    def bind(self, program, inputs):
        self.carried, self.inputs = program.carried, list(inputs)

    def call(self):
        super().call()
        for output, number in self.carried:
            self.inputs[number] = self.result[output]

    def pass_seconds(self):
        return 0


SYSTEMS = {'ghlo': Ghlo, 'xla': Xla}
