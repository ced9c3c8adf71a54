# SPDX-License-Identifier: LGPL-2.1-or-later
"""One layer of BERT-base on GHLO as several frameworks write it: how a program is said should not decide its speed."""

import os
import statistics

import numpy as np
import torch

import in_jax
import measure
import models
import prepare
import turns

TOKENS = 128


def by_torchax(module, inputs):
    return prepare.lower_by_torchax(module, inputs)


def by_torch_xla(module, inputs):
    from torch_xla import stablehlo
    with torch.no_grad():
        exported = stablehlo.exported_program_to_stablehlo(torch.export.export(module, inputs))
    state = {name: value.detach().numpy() for name, value in module.state_dict().items()}
    places = exported._bundle.stablehlo_funcs[0].meta.input_locations    # pylint: disable=protected-access
    values = [state[place.name] if place.name in state else inputs[place.position].numpy() for place in places]
    return exported.get_stablehlo_text(), values, []


def lower_jax(function, weights, x):
    import jax
    shapes = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), (weights, x))
    return jax.jit(function, keep_unused=True).lower(*shapes).as_text(), jax.tree.leaves(weights), [x]


def by_jax_products(module, inputs):
    """Products of [inputs, outputs], heads by reshape and transpose."""
    weights = {name: np.ascontiguousarray(value.T) if value.ndim == 2 else value
               for name, value in in_jax.numpy_state(module).items()}

    def run(weights, x):
        def dense(x, name):
            return x @ weights[f'{name}.weight'] + weights[f'{name}.bias']
        return in_jax.apply_bert_block(x, weights.__getitem__, dense)
    return lower_jax(run, weights, inputs[0].numpy())


def by_jax_attention(module, inputs):
    """jax.nn.dot_product_attention, and weights whose heads are a dimension, by einsum, as Flax has them."""
    import jax
    import jax.numpy as jnp
    weights = in_jax.numpy_state(module)
    for name in ('query', 'key', 'value'):
        weights[f'{name}.weight'] = weights[f'{name}.weight'].T.reshape(768, 12, 64).copy()
        weights[f'{name}.bias'] = weights[f'{name}.bias'].reshape(12, 64)
    weights['out.weight'] = weights['out.weight'].T.reshape(12, 64, 768).copy()

    def run(weights, x):
        q, k, v = (jnp.einsum('btw,whd->bthd', x, weights[f'{name}.weight']) + weights[f'{name}.bias']
                   for name in ('query', 'key', 'value'))
        mixed = jax.nn.dot_product_attention(q, k, v)
        x = x + jnp.einsum('bthd,hdw->btw', mixed, weights['out.weight']) + weights['out.bias']
        x = in_jax.layer_norm(x, weights['norm1.weight'], weights['norm1.bias'])
        hidden = jax.nn.gelu(jnp.einsum('btw,hw->bth', x, weights['up.weight']) + weights['up.bias'], approximate=False)
        x = x + jnp.einsum('bth,wh->btw', hidden, weights['down.weight']) + weights['down.bias']
        return in_jax.layer_norm(x, weights['norm2.weight'], weights['norm2.bias'])
    return lower_jax(run, weights, inputs[0].numpy())


SPELLINGS = {'torchax': by_torchax, 'torch_xla': by_torch_xla, 'JAX, products': by_jax_products,
             'JAX, dot_product_attention': by_jax_attention}


class Spelled:
    """A session with the weights of one spelling."""

    def __init__(self, name, text, weights, inputs):
        import library
        self.library, self.name = library, name
        device = library.find_device('cpu')
        self.executable = library.compile_program(library.parse_program(text), device)
        self.session = library.Object(library.LIBRARY.ghlo_session_new(self.executable))
        self.weights = [library.to_buffer(array) for array in weights]
        for number, weight in enumerate(self.weights):
            library.LIBRARY.ghlo_session_bind_input(self.session, number, weight)
        self.inputs = [library.to_buffer(array) for array in inputs]
        self.arguments = library.Object.array(self.inputs)

    def call(self):
        self.result = self.library.Object(self.library.LIBRARY.ghlo_session_run(
            self.session, self.arguments, len(self.arguments), None))

    def outputs(self):
        return self.library.list_outputs(self.result)

    def count_steps(self):
        return len(self.library.measure_steps(self.session, self.arguments, 1))


def report(options):
    os.environ['GHLO_DEVICE'] = 'cpu'
    measure.limit_cores(options.threads)
    torch.manual_seed(1)
    module = models.Block(768, 12, norm_first=False).eval().requires_grad_(False)
    inputs, spelled = (torch.randn(options.batch, TOKENS, 768),), []
    expected = module(*inputs).numpy()
    for name, lower in SPELLINGS.items():
        try:
            runner = Spelled(name, *lower(module, inputs))
            runner.call()
            spelled.append(runner)
        except Exception as error:  # pylint: disable=broad-except
            print(f'{name}: {type(error).__name__}: {(str(error).splitlines() or [""])[0][:160]}')
    samples = turns.stretch(spelled, options.time * len(spelled), turns.time_call)
    print('| spelling of a layer of BERT | ms | least | steps | differs by |\n|---|--:|--:|--:|--:|')
    for runner in spelled:
        times = samples[runner.name]
        print(f'| {runner.name} | {statistics.median(times) * 1e3:.3g} | {min(times) * 1e3:.3g} '
              f'| {runner.count_steps()} | {measure.difference(runner.outputs()[0], expected):.1g} |')
