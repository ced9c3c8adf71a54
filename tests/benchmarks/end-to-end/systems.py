# SPDX-License-Identifier: LGPL-2.1-or-later
"""GHLO and XLA as whoever runs a whole model has them: weights are given once, state is kept
from run to run. Runners of compare/, but that bind takes inputs which place has made."""

import numpy as np

import runners


class Ghlo(runners.Ghlo):
    """A session: weights are bound, state is carried."""

    @staticmethod
    def place(arrays):
        library = runners.ghlo_library()
        return [library.Buffer.from_numpy(array) for array in arrays]

    def bind(self, program, inputs):
        self.carried = program.carried
        self.session = self.library.Session.new(self.executable)
        for output, number in program.carried:
            self.session.carry(output, number, inputs[number])
        for number, spec in enumerate(program.inputs):
            if spec.role == 'weight':
                self.session.bind_input(number, inputs[number])
        self.given = [inputs[number] for number, spec in enumerate(program.inputs) if spec.role == 'input']

    def call(self):
        self.result = self.session.run(self.given, None)

    def outputs(self):
        carried = [np.asarray(self.session.copy_state(number, None)) for _, number in self.carried]
        return carried + [np.asarray(output) for output in self.result]

    def pass_seconds(self):
        return self.executable.get_report().get_time()


class Xla(runners.Xla):
    """Arrays of the device; a call gives state up, and the next one gets what replaced it."""

    def __init__(self, text, wait_for_code=True, caching=True):
        del wait_for_code, caching    # there is one way only
        super().__init__(text)

    @staticmethod
    def place(arrays):
        import jax
        return [jax.device_put(array, may_alias=False).block_until_ready() for array in arrays]

    def bind(self, program, inputs):
        self.carried, self.inputs = program.carried, list(inputs)

    def call(self):
        super().call()
        for output, number in self.carried:
            self.inputs[number] = self.result[output]

    def pass_seconds(self):
        return 0


SYSTEMS = {'ghlo': Ghlo, 'xla': Xla}
