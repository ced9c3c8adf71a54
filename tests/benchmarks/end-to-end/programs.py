# SPDX-License-Identifier: LGPL-2.1-or-later
"""The programs of the comparison, and their StableHLO as JAX lowers it, kept in a folder: made
where it is not there yet. Weights are inputs of the programs; nothing is drawn here."""

import hashlib
import importlib
import importlib.metadata
import json
import os

import recipe

# name: module, its arguments, what outputs may differ by in norm, and the twin whose answers
# are compared more closely, where there is one
PROGRAMS = {
    'gpt2-128': ('gpt2', (128,), 2e-5, None),
    'gpt2-512': ('gpt2', (512,), 2e-5, None),
    'gpt2-512-bf16': ('gpt2', (512, 'bfloat16'), 2e-2, None),
    'vit-b16': ('vit', (), 2e-5, None),
    'resnet18-train': ('resnet', (32,), 2e-2, 'resnet18-smooth'),
    'lstm-1': ('lstm', (1,), 2e-5, None),
    'lstm-16': ('lstm', (16,), 2e-5, None),
}
TWINS = {'resnet18-smooth': ('resnet', (32, True))}


def digest():
    """Of what the texts follow from."""
    here, total = os.path.dirname(os.path.abspath(__file__)), hashlib.sha256()
    total.update(importlib.metadata.version('jax').encode())
    for name in sorted({entry[0] for entry in PROGRAMS.values()} | {'programs', 'recipe'}):
        with open(os.path.join(here, f'{name}.py'), 'rb') as file:
            total.update(file.read())
    return total.hexdigest()[:12]


def default_folder():
    cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')
    return os.path.join(cache, 'ghlo-tests', f'end-to-end-{digest()}')


def is_input(leaf):
    return isinstance(leaf, recipe.Input)


def lower(name):
    """The program by JAX. State is given up by its run, and is what its first outputs replace."""
    import jax
    jax.config.update('jax_platforms', 'cpu')    # programs are the same whatever runs them
    module, arguments = {**PROGRAMS, **TWINS}[name][:2]
    function, specs = importlib.import_module(module).make(*arguments)
    inputs = jax.tree.leaves(specs, is_leaf=is_input)
    shapes = jax.tree.map(lambda spec: jax.ShapeDtypeStruct(spec.shape, spec.dtype), specs, is_leaf=is_input)
    n_state = sum(spec.role == 'state' for spec in inputs)
    text = jax.jit(function, keep_unused=True, donate_argnums=(0,) if n_state else ()).lower(*shapes).as_text()
    return recipe.Program(name, text, inputs, [(number, number) for number in range(n_state)])


def ensure(folder, name):
    """The program from the folder, where it is put first if it is not there."""
    path = os.path.join(folder, name)
    if not os.path.exists(path + '.json'):
        os.makedirs(folder, exist_ok=True)
        program = lower(name)
        with open(path + '.mlir', 'w', encoding='utf-8') as file:
            file.write(program.text)
        with open(path + '.json.part', 'w', encoding='utf-8') as file:
            json.dump(program.about(), file)
        os.rename(path + '.json.part', path + '.json')
    return recipe.read(folder, name)
