#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Calls of JAX's primitives, on XLA's CPU and on GHLO; see tests/jax/run.

The calls are those of jax._src.internal_test_util.test_harnesses. Calls that XLA's CPU does not run are not
counted. Results agree within the tolerances of JAX's own tests, as far as the harness specifies them.
"""

import argparse
import importlib
import sys
import zlib

import jax
import numpy as np
from jax._src import public_test_util

PLATFORM = 'ghlo'


def parse_options():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--part', type=int, default=0)
    parser.add_argument('--x64', action='store_true')
    parser.add_argument('--names', default='')
    return parser.parse_known_args()[0]


def order_lines(harness, _arguments, outputs):
    """What is sorted without keeping an order of equal keys: the keys, and all arrays in the order of all of them."""
    if harness.params['is_stable']:
        return outputs
    order = np.lexsort(outputs[::-1], axis=harness.params['dimension'])
    return [*outputs[:harness.params['num_keys']],
            *(np.take_along_axis(output, order, harness.params['dimension']) for output in outputs)]


# What a call leaves open goes, by the group of its name: what is above the diagonal of a factor, which one of equal
# elements has an index, and an eigenvector's factor of absolute value 1.
SAID = {
    'cholesky': lambda _harness, _arguments, output: np.tril(output),
    'sort': order_lines,
    'approx_top_k': lambda _harness, arguments, outputs: (
        outputs[0], np.take_along_axis(np.asarray(arguments[0]), outputs[1], -1)),
    'eigh': lambda _harness, _arguments, outputs: (
        (outputs[0] * outputs[1][..., None, :]) @ outputs[0].conj().swapaxes(-1, -2), outputs[1]),
}


def run(harness, device):
    """The answer, as NumPy's arrays."""
    arguments = harness.dyn_args_maker(np.random.RandomState(0))
    placed = jax.device_put(arguments, device)
    outputs = jax.tree.map(np.asarray, jax.jit(harness.dyn_fun)(*placed))
    said = SAID.get(harness.group_name)
    return outputs if said is None else said(harness, arguments, outputs)


def first_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f'{type(error).__name__}: {" ".join(lines[:4])[:300]}'


def check(harness, here, there):
    """None where both agree, False where XLA's CPU has no answer, else what is wrong."""
    try:
        expected = run(harness, there)
    except Exception:    # pylint: disable=broad-exception-caught
        return False
    try:
        found = run(harness, here)
        jax.tree.map(lambda a, b: np.testing.assert_equal((a.shape, a.dtype), (b.shape, b.dtype)), found, expected)
        public_test_util.check_close(found, expected)
    except Exception as error:    # pylint: disable=broad-exception-caught
        return first_line(error)
    return None


def main():
    options = parse_options()
    # Which calls there are depends on it.
    jax.config.update('jax_enable_x64', options.x64)
    test_harnesses = importlib.import_module('jax._src.internal_test_util.test_harnesses')
    here, there = jax.devices(PLATFORM)[0], jax.devices('cpu')[0]
    n_passed = n_failed = 0
    print(f'# every {options.every}, seed {options.seed}, {"with" if options.x64 else "without"} 64-bit types, {here}')
    for harness in test_harnesses.all_harnesses:
        name = harness.fullname
        if options.names not in name or zlib.crc32(f'{options.seed} {name}'.encode()) % options.every != options.part:
            continue
        problem = check(harness, here, there)
        if problem is False:
            continue
        if problem is None:
            n_passed += 1
        else:
            n_failed += 1
            print(f'# {problem}')
        print(f'{"not ok" if problem else "ok"} {n_passed + n_failed} {name}', flush=True)
    if n_passed + n_failed == 0:
        print('not ok 1 no call was drawn that runs on XLA\'s CPU: see --names, --every and --part')
        n_failed = 1
    print(f'1..{n_passed + n_failed}')
    rate = 100 * n_passed / max(n_passed + n_failed, 1)
    print(f"# {n_passed} of {n_passed + n_failed} as on XLA's CPU: {rate:.2f} %")
    return 1 if n_failed else 0


if __name__ == '__main__':
    sys.exit(main())
