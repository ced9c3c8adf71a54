#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What JAX asks of the plugin; see tests/jax/run.

A caller that asks for a program's text parses it, which JAX does eight times per compile where layouts and shardings
are not available otherwise. JAX must ask only when a user wants the text. The plugin is tests/pjrt/spy.c, which counts.
"""

import ctypes
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np

CASES = {
    'one output': (lambda x: x + 1, 1),
    'several outputs': (lambda x: (x.T, x.sum(), x > 2), 1),
    'several inputs': (lambda x, y: x @ y, 2),
    'no input': (lambda: jnp.arange(4), 0),
    'a loop': (lambda x: jax.lax.fori_loop(0, 3, lambda i, y: y * 2 + i, x), 1),
    'random numbers': (lambda x: jax.random.normal(jax.random.key(3), x.shape) + x, 1),
    'complex numbers': (lambda x: jnp.fft.fft(x), 1),
    'four bits': (lambda x: x.astype(jnp.int4), 1),
}

spy = ctypes.CDLL(os.environ['GHLO_PJRT_SPY'])


def take(entry):
    return spy.spy_take_count(entry.encode())


def check(function, n_arguments):
    """None, or what is wrong."""
    arguments = [jnp.asarray(np.arange(16, dtype=np.float32).reshape(4, 4))] * n_arguments
    take('Client_Compile'), take('Executable_OptimizedProgram')
    jitted = jax.jit(function)
    jax.tree.map(np.asarray, jitted(*arguments))
    if take('Client_Compile') != 1:
        return 'it was not compiled once'
    n_asked = take('Executable_OptimizedProgram')
    if n_asked != 0:
        return f'the program was asked for {n_asked} times'
    text = jitted.lower(*arguments).compile().as_text()
    if not text or take('Executable_OptimizedProgram') < 1:
        return 'the program was not asked for when it was wanted'
    return None


def main():
    assert take('Client_Compile') >= 0 and take('No_such_entry') == -1
    jax.config.update('jax_default_device', jax.devices('ghlo')[0])
    n_failed = 0
    print(f'1..{len(CASES)}')
    for i, (name, case) in enumerate(CASES.items(), 1):
        problem = check(*case)
        if problem:
            n_failed += 1
            print(f'# {problem}')
        print(f'{"not ok" if problem else "ok"} {i} {name}', flush=True)
    return 1 if n_failed else 0


if __name__ == '__main__':
    sys.exit(main())
