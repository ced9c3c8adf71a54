#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Custom calls of linear algebra as JAX's lowering for CPUs writes them: what factorizations and solutions give is
multiplied out again, of all types, shapes and options; and what the command says of calls that do not fit. And
ApproxTopK, which is exact.

    test_lapack.py DEVICE [ROUTINE…]      (of the routines these alone)
"""

import functools
import itertools
import os
import sys
import tempfile
import threading

try:
    import numpy as np
except ImportError:
    print('1..0 # SKIP there is no NumPy')
    sys.exit(0)

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'conformance'))
from common import Tap, ghlo  # pylint: disable=wrong-import-position
from together import Together  # pylint: disable=wrong-import-position

DEVICE = sys.argv[1]
TYPES = {'s': ('f4', 'f32'), 'd': ('f8', 'f64'), 'c': ('c8', 'complex<f32>'), 'z': ('c16', 'complex<f64>')}
NAMES = {np.dtype(name).str[1:]: text for name, text in [*TYPES.values(), ('i4', 'i32')]}
BATCHES = {'s': [(), (2, 3)], 'd': [(3,)], 'c': [(2,)], 'z': [()]}
# By names of their own, and by columns.
COLUMNS = {'tridiagonal_solve_perturbed_ffi'}
SHAPES = [(1, 1), (5, 3), (4, 4), (20, 33)]
# 33 needs more than one block of columns, and fills no vector.
ORDERS = [1, 2, 33]


class Case(threading.local):
    """Of each thread its own: where numbers come from, and what the environment has besides."""

    def __init__(self):
        super().__init__()
        self.random = np.random.default_rng(1)
        self.environment = {}


case = Case()


def tensor(array):
    return f'tensor<{"".join(f"{n}x" for n in array.shape)}{NAMES[array.dtype.str[1:]]}>'


def layout(array, rank):
    """Matrices by columns, vectors and numbers in the order of the batch; rank is the matrix's own."""
    order = list(reversed(range(array.ndim)))
    if rank == 2:
        order[:2] = order[1], order[0]
    return f'dense<{order}> : tensor<{array.ndim}xindex>'


def types_of(pairs):
    return ', '.join(tensor(array) for array, _ in pairs)


def write(*calls):
    """A program of calls, each a target, its operands, its results and its attributes; operands and results are pairs
    of an array, or one of its shape, and its rank."""
    arguments, lines, values = [], [], []
    for i, (target, operands, results, config) in enumerate(calls):
        names = [f'%a{i}_{j}' for j in range(len(operands))]
        arguments += [f'{name}: {tensor(array)}' for name, (array, _) in zip(names, operands)]
        values += [f'%{i}#{j}' for j in range(len(results))]
        layouts = ''
        if target.startswith('lapack_') or target in COLUMNS:
            layouts = ', '.join(f'{what} = [{", ".join(layout(*pair) for pair in pairs)}]' for what, pairs in
                                (('operand_layouts', operands), ('result_layouts', results)))
        attributes = ', '.join(filter(None, [f'mhlo.backend_config = {{{config}}}', layouts]))
        lines.append(f'  %{i}:{len(results)} = stablehlo.custom_call @{target}({", ".join(names)}) {{{attributes}}} : '
                     f'({types_of(operands)}) -> ({types_of(results)})\n')
    gives = types_of([pair for _, _, results, _ in calls for pair in results])
    return (f'func.func @main({", ".join(arguments)}) -> ({gives}) {{\n' + ''.join(lines)
            + f'  return {", ".join(values)} : {gives}\n}}\n')


def run_text(text, inputs, environment=None):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'program.mlir')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        arguments = []
        for i, array in enumerate(inputs):
            np.save(os.path.join(folder, f'in{i}.npy'), array)
            arguments.append(f'--input={folder}/in{i}.npy')
        finished = ghlo('run', f'--device={DEVICE}', f'--output-dir={folder}', path, *arguments,
                        env={**os.environ, **(environment or {})})
        if finished.returncode != 0:
            raise RuntimeError(finished.stderr or f'status {finished.returncode}')
        outputs = []
        while os.path.exists(path := os.path.join(folder, f'out{len(outputs)}.npy')):
            outputs.append(np.load(path))
        return outputs


def run_calls(calls, environment):
    """A list of outputs for each call, or of what is wrong with it: what is wrong with all of them may be one's."""
    try:
        outputs = run_text(write(*calls), [array for _, operands, _, _ in calls for array, _ in operands], environment)
    except RuntimeError as error:
        return [error] if len(calls) == 1 else [run_calls([one], environment)[0] for one in calls]
    ends = list(itertools.accumulate(len(results) for _, _, results, _ in calls))
    return [outputs[end - len(results):end] for end, (_, _, results, _) in zip(ends, calls)]


def answer(questions):
    """In one program those that are for one environment."""
    answers = [None] * len(questions)
    for environment in {tuple(environment.items()) for _, environment in questions}:
        places = [i for i, question in enumerate(questions) if tuple(question[1].items()) == environment]
        found = run_calls([questions[i][0] for i in places], dict(environment))
        for i, outputs in zip(places, found, strict=True):
            answers[i] = outputs
    return answers


together = Together(answer)


def call(name, letter, operands, results, **config):
    """results are triples of a shape behind the batch's, a type and the batch's dimensions."""
    text = ', '.join(f'{key} = {"true" if value is True else "false" if value is False else value}'
                     if not isinstance(value, str) else f'{key} = {ord(value)} : ui8' for key, value in config.items())
    target = name if name[0].isupper() or name in COLUMNS else f'lapack_{letter}{name}_ffi'
    batch = operands[0][0].shape[:operands[0][0].ndim - operands[0][1]]
    shapes = [(np.empty(batch + shape, kind), len(shape)) for shape, kind in results]
    outputs = together.ask(((target, operands, shapes, text), case.environment))
    for (expected, _), found in zip(shapes, outputs, strict=True):
        assert expected.shape == found.shape and expected.dtype == found.dtype, (expected.shape, found.shape)
    return outputs


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


def draw(shape, kind):
    array = case.random.standard_normal(shape)
    if np.dtype(kind).kind == 'c':
        array = array + 1j * case.random.standard_normal(shape)
    return array.astype(kind)


def real(kind):
    return np.dtype(kind).type(0).real.dtype


def near(found, expected, kind, factor=30):
    """Errors in units of the last place grow with the order at most."""
    found, expected = np.broadcast_arrays(found, expected)
    scale = max(1, np.abs(expected).max(initial=0))
    limit = factor * np.finfo(real(kind)).eps * max((1, *found.shape[-2:])) * scale
    error = np.abs(found - expected).max(initial=0)
    assert error <= limit, f'{error} is more than {limit}'


def orthonormal(q, kind):
    near(adjoint(q) @ q, np.eye(q.shape[-1]), kind)


def worked(info, value=0):
    assert (info == value).all(), f'info {info}'


def syevd(letter, kind, batch):
    name = 'heevd' if letter in 'cz' else 'syevd'
    for n, uplo in itertools.product(ORDERS, 'LU'):
        a = draw(batch + (n, n), kind)
        v, w, info = call(name, letter, [(a, 2)], [((n, n), kind), ((n,), real(kind)), ((), 'i4')], mode='V', uplo=uplo)
        strict = np.tril(a, -1) if uplo == 'L' else np.triu(a, 1)
        full = strict + adjoint(strict) + np.real(np.eye(n) * a)
        worked(info)
        near(full @ v, v * w[..., None, :], kind)
        orthonormal(v, kind)
        assert (np.diff(w) >= 0).all()


def eigh(letter, kind, batch):
    n = 6
    a = draw(batch + (n, n), kind)
    a = a + adjoint(a)
    for first in (0, 1):
        results = [((n, n), kind), ((n,), real(kind))]
        outputs = call('Eigh', letter, [(a, 2)], results[first:] + results[:first])
        v, w = outputs[first], outputs[1 - first]
        near(a @ v, v * w[..., None, :], kind)
        orthonormal(v, kind)


def gesdd(letter, kind, batch):
    for (m, n), name in itertools.product(SHAPES, ('gesdd', 'gesvd')):
        a, k = draw(batch + (m, n), kind), min(m, n)
        if m == 4:
            a[...] = 1
        values = []
        for mode, p, q in (('A', m, n), ('S', k, k), ('N', k, n)):
            _, s, u, vt, info = call(name, letter, [(a, 2)],
                                     [((m, n), kind), ((k,), real(kind)), ((m, p), kind), ((q, n), kind), ((), 'i4')],
                                     mode=mode)
            worked(info)
            values.append(s)
            assert (np.diff(s) <= 0).all() and (s >= 0).all()
            if mode == 'N':
                assert not u.any() and not vt.any()
                continue
            near((u[..., :k] * s[..., None, :]) @ vt[..., :k, :], a, kind)
            orthonormal(u, kind)
            orthonormal(adjoint(vt), kind)
        near(values[0], values[1], kind)
        near(values[0], values[2], kind)


def conjugate_pairs(w):
    """Complex eigenvalues of a real matrix come in pairs, the positive imaginary part first."""
    for row in w.reshape(-1, w.shape[-1]):
        place = 0
        while place < len(row):
            pair = row[place].imag != 0
            assert not pair or (row[place].imag > 0 and row[place + 1] == np.conj(row[place]))
            place += 2 if pair else 1


def geev(letter, kind, batch):
    is_complex = letter in 'cz'
    values = [((1,), kind)] * (1 if is_complex else 2)
    vector = np.result_type(kind, 'c8')
    for n, left, right in [*((n, 'V', 'V') for n in ORDERS), (5, 'N', 'V'), (5, 'V', 'N'), (5, 'N', 'N')]:
        a = draw(batch + (n, n), kind)
        *w, vl, vr, info = call('geev', letter, [(a, 2)], [*[((n,), kind) for _ in values], ((n, n), vector),
                                                           ((n, n), vector), ((), 'i4')],
                                compute_left=left, compute_right=right)
        worked(info)
        w = w[0] if is_complex else w[0] + 1j * w[1]
        near(w.sum(-1), np.trace(a, axis1=-2, axis2=-1), kind, 30 * n)
        if not is_complex:
            conjugate_pairs(w)
        for vectors, wanted, product in ((vr, right, lambda v: (a @ v, v * w[..., None, :])),
                                         (vl, left, lambda v: (adjoint(v) @ a, w[..., :, None] * adjoint(v)))):
            if wanted == 'N':
                assert not vectors.any()
                continue
            near(*product(vectors), kind, 200)
            near(np.linalg.norm(vectors, axis=-2), 1, kind)
            biggest = np.abs(vectors).argmax(-2)[..., None, :]
            near(np.take_along_axis(vectors, biggest, -2).imag, 0, kind)


def gees(letter, kind, batch):
    is_complex = letter in 'cz'
    for n, mode in itertools.product(ORDERS, 'VN'):
        a = draw(batch + (n, n), kind)
        values = [((n,), kind)] * (1 if is_complex else 2)
        t, z, *w, sdim, info = call('gees', letter, [(a, 2)], [((n, n), kind), ((n, n), kind), *values, ((), 'i4'),
                                                               ((), 'i4')], mode=mode, sort='N')
        worked(info)
        worked(sdim)
        w = w[0] if is_complex else w[0] + 1j * w[1]
        near(w.sum(-1), np.trace(a, axis1=-2, axis2=-1), kind, 30 * n)
        if mode == 'N':
            assert not z.any()
            continue
        near(z @ t @ adjoint(z), a, kind)
        orthonormal(z, kind)
        near(np.diagonal(t, axis1=-2, axis2=-1), w.real if not is_complex else w, kind)
        assert not np.tril(t, -1 if is_complex else -2).any()
        below = np.diagonal(t, -1, -2, -1)
        assert is_complex or not (below[..., 1:] * below[..., :-1]).any()


def split_lu(lu):
    m, n = lu.shape[-2:]
    k = min(m, n)
    return np.tril(lu[..., :k], -1) + np.eye(m, k), np.triu(lu[..., :k, :])


def exchange(a, pivots):
    a = a.copy()
    for matrix, row in zip(a.reshape(-1, *a.shape[-2:]), pivots.reshape(-1, pivots.shape[-1])):
        for i, j in enumerate(row):
            matrix[[i, j]] = matrix[[j, i]]
    return a


def getrf(letter, kind, batch):
    # Many small matrices are factored side by side.
    for batch, (m, n) in itertools.product((batch, (21,)), SHAPES):
        a, k = draw(batch + (m, n), kind), min(m, n)
        lu, pivots, info = call('getrf', letter, [(a, 2)], [((m, n), kind), ((k,), 'i4'), ((), 'i4')])
        worked(info)
        lower, upper = split_lu(lu)
        near(lower @ upper, exchange(a, pivots - 1), kind)
        assert np.abs(lower).max() < 1.5
        lu, pivots, order = call('LuDecomposition', letter, [(a, 2)], [((m, n), kind), ((k,), 'i4'), ((m,), 'i4')])
        lower, upper = split_lu(lu)
        near(lower @ upper, exchange(a, pivots), kind)
        near(np.take_along_axis(a, order[..., None], -2), exchange(a, pivots), kind)
    for batch in (batch, (21,)):
        a = np.zeros(batch + (3, 3), kind)
        worked(call('getrf', letter, [(a, 2)], [((3, 3), kind), ((3,), 'i4'), ((), 'i4')])[2], 1)


def multiply_out(h, taus, offset=0):
    """H(0) H(1) … of reflectors below the diagonal, or farther down."""
    m = h.shape[-2]
    q = np.broadcast_to(np.eye(m, dtype=h.dtype), h.shape[:-2] + (m, m))
    for k in range(taus.shape[-1]):
        v = np.zeros(h.shape[:-2] + (m, 1), h.dtype)
        v[..., k + offset, 0] = 1
        v[..., k + offset + 1:, 0] = h[..., k + offset + 1:, k]
        q = q - taus[..., k, None, None] * (q @ v) @ adjoint(v)
    return q


def geqrf(letter, kind, batch):
    orgqr, ormqr = ('ungqr', 'unmqr') if letter in 'cz' else ('orgqr', 'ormqr')
    for (m, n), own in itertools.product(SHAPES, (False, True)):
        a, k = draw(batch + (m, n), kind), min(m, n)
        h, taus = call('Qr' if own else 'geqrf', letter, [(a, 2)], [((m, n), kind), ((k,), kind)])
        q = multiply_out(h, taus)
        orthonormal(q, kind)
        near(q @ np.triu(h), a, kind)
        square = np.zeros(batch + (m, m), kind)
        square[..., :k] = h[..., :k]
        found, = call('ProductOfElementaryHouseholderReflectors' if own else orgqr, letter,
                      [(square[..., :m - m // 4], 2), (taus[..., :m - m // 4], 1)], [((m, m - m // 4), kind)])
        near(found, multiply_out(square[..., :m - m // 4], taus[..., :m - m // 4])[..., :m - m // 4], kind)
        for left, transpose in itertools.product((True, False), (True, False)) if not own else ():
            c = draw(batch + ((m, 7) if left else (7, m)), kind)
            found, = call(ormqr, letter, [(h, 2), (taus, 1), (c, 2)], [(c.shape[-2:], kind)], left=left,
                          transpose=transpose)
            factor = adjoint(q) if transpose else q
            near(found, factor @ c if left else c @ factor, kind)


def geqp3(letter, kind, batch):
    for m, n in SHAPES:
        a, k = draw(batch + (m, n), kind), min(m, n)
        for marked in (False, True):
            marks = np.zeros(batch + (n,), 'i4')
            marks[..., -1] = 1 if marked else 0
            h, order, taus = call('geqp3', letter, [(a, 2), (marks, 1)], [((m, n), kind), ((n,), 'i4'), ((k,), kind)])
            near(multiply_out(h, taus) @ np.triu(h), np.take_along_axis(a, order[..., None, :] - 1, -1), kind)
            sizes = np.abs(np.diagonal(h, axis1=-2, axis2=-1))[..., 1 if marked else 0:]
            assert (np.diff(sizes) <= 1e-4 * sizes[..., :-1]).all()
            assert not marked or (order[..., 0] == n).all()


def gehrd(letter, kind, batch):
    for n, low, high in [*((n, 1, n) for n in ORDERS), (6, 2, 5)]:
        a = draw(batch + (n, n), kind)
        a[..., :low - 1] = np.triu(a)[..., :low - 1]
        a[..., high:, :] = np.triu(a)[..., high:, :]
        h, taus, info = call('gehrd', letter, [(a, 2)], [((n, n), kind), ((n - 1,), kind), ((), 'i4')], low=low,
                             high=high)
        worked(info)
        q = multiply_out(h, taus, 1)
        near(q @ np.triu(h, -1) @ adjoint(q), a, kind)
        assert not taus[..., :low - 1].any() and not taus[..., high - 1:].any()


def sytrd(letter, kind, batch):
    name = 'hetrd' if letter in 'cz' else 'sytrd'
    for n, uplo in itertools.product(ORDERS, 'LU'):
        a = draw(batch + (n, n), kind)
        a = a + adjoint(a)
        read = np.tril(a) if uplo == 'L' else np.triu(a)
        h, d, e, taus, info = call(name, letter, [(read, 2)], [((n, n), kind), ((n,), real(kind)),
                                                               ((n - 1,), real(kind)), ((n - 1,), kind), ((), 'i4')],
                                   uplo=uplo)
        worked(info)
        if uplo == 'L':
            q = multiply_out(h, taus, 1)
        else:
            # The same from the other end: reflectors stand above the diagonal.
            q = multiply_out(h[..., ::-1, ::-1], taus[..., ::-1], 1)[..., ::-1, ::-1]
        t = np.zeros(batch + (n, n), kind)
        for i in range(n):
            t[..., i, i] = d[..., i]
            if i:
                t[..., i, i - 1] = t[..., i - 1, i] = e[..., i - 1]
        near(q @ t @ adjoint(q), a, kind)


def multiply_tridiagonal(dl, d, du, x):
    product = d[..., None] * x
    product[..., 1:, :] += dl[..., 1:, None] * x[..., :-1, :]
    product[..., :-1, :] += du[..., :-1, None] * x[..., 1:, :]
    return product


def gtsv(letter, kind, batch):
    for n in ORDERS:
        dl, d, du = (draw(batch + (n,), kind) for _ in range(3))
        b = draw(batch + (n, 3), kind)
        *_, x, info = call('gtsv', letter, [(dl, 1), (d, 1), (du, 1), (b, 2)],
                           [((n,), kind)] * 3 + [((n, 3), kind), ((), 'i4')])
        worked(info)
        near(multiply_tridiagonal(dl, d, du, x), b, kind, 100 * max(1, np.abs(x).max()))
    d[...] = dl[...] = 0
    assert (call('gtsv', letter, [(dl, 1), (d, 1), (du, 1), (b, 2)],
                 [((n,), kind)] * 3 + [((n, 3), kind), ((), 'i4')])[4] > 0).all()


def solve_perturbed(dl, d, du, b):
    operands = [(np.array(dl), 1), (np.array(d), 1), (np.array(du), 1), (b, 2)]
    return call('tridiagonal_solve_perturbed_ffi', '', operands, [(b.shape[-2:], b.dtype)])


def perturbed(letter, kind, batch):
    """What is regular is solved as ever, and what is singular has a large solution, but a finite one."""
    for n in ORDERS:
        dl, d, du = (draw(batch + (n,), kind) for _ in range(3))
        b = draw(batch + (n, 3), kind)
        x, = solve_perturbed(dl, d, du, b)
        near(multiply_tridiagonal(dl, d, du, x), b, kind, 100 * max(1, np.abs(x).max()))
    limits = np.finfo(real(kind))
    numbers = [np.broadcast_to(np.array(row, kind), batch + (2,)) for row in ([0, 1], [1, 3], [3, 0])]
    for scale in (1, limits.tiny ** 0.75):
        # The second pivot is zero, and becomes about as much as the larger numbers' last place.
        x, = solve_perturbed(*(number * real(kind).type(scale) for number in numbers), np.ones(batch + (2, 1), kind)
                             + np.array([[0], [3]], kind))
        assert np.isfinite(x).all() and (np.abs(x) > 0.1 / (limits.eps * scale)).all(), x
    zeros = np.zeros(batch + (3,), kind)
    x, = solve_perturbed(zeros, zeros, zeros, np.ones(batch + (3, 1), kind))
    near(x * limits.tiny, 1, kind)
    x, = solve_perturbed(zeros, zeros, zeros, np.zeros(batch + (3, 1), kind))
    assert (x == 0).all()
    one = zeros + np.array([1, limits.tiny, 1], kind)
    x, = solve_perturbed(zeros, one, zeros, np.ones(batch + (3, 1), kind))
    near(x[..., 1, 0] * limits.tiny, 1, kind)
    # Numbers that are not finite end it all the same.
    for bad in (np.nan, np.inf):
        solve_perturbed(zeros, zeros + real(kind).type(bad), zeros, np.ones(batch + (3, 1), kind))
        solve_perturbed(zeros, zeros, zeros + real(kind).type(bad), np.full(batch + (3, 1), bad, kind))


def potrf(letter, kind, batch):
    for n, uplo in itertools.product(ORDERS, 'LU'):
        a = draw(batch + (n, n), kind)
        a = (a @ adjoint(a) + np.eye(n)).astype(kind)
        other = np.triu(a, 1) if uplo == 'L' else np.tril(a, -1)
        factor, info = call('potrf', letter, [(a, 2)], [((n, n), kind), ((), 'i4')], uplo=uplo)
        worked(info)
        assert ((np.triu(factor, 1) if uplo == 'L' else np.tril(factor, -1)) == other).all()
        factor = np.tril(factor) if uplo == 'L' else adjoint(np.triu(factor))
        near(factor @ adjoint(factor), a, kind)
    a[..., 4, 4] = -1
    worked(call('potrf', letter, [(a, 2)], [((n, n), kind), ((), 'i4')], uplo='L')[1], 5)
    a[..., 2, 2] = np.nan
    worked(call('potrf', letter, [(a, 2)], [((n, n), kind), ((), 'i4')], uplo='L')[1], 3)


def trsm(letter, kind, batch):
    n, m = 6, 4
    for side, uplo, trans in itertools.product('LR', 'LU', 'NTC'):
        diag = 'U' if trans == 'T' else 'N'
        a = draw(batch + (n, n), kind) / 4
        a[..., np.arange(n), np.arange(n)] += 2
        b = draw(batch + ((n, m) if side == 'L' else (m, n)), kind)
        x, = call('trsm', letter, [(a, 2), (b, 2)], [(b.shape[-2:], kind)], side=side, uplo=uplo, trans_x=trans,
                  diag=diag)
        t = np.tril(a) if uplo == 'L' else np.triu(a)
        if diag == 'U':
            t[..., np.arange(n), np.arange(n)] = 1
        t = np.swapaxes(t, -1, -2) if trans != 'N' else t
        t = np.conj(t) if trans == 'C' else t
        near(t @ x if side == 'L' else x @ t, b, kind)


def trsm_itself(letter, kind, batch):
    """Without the pass that makes triangular_solve of it."""
    case.environment = {'GHLO_DISABLE': 'canonicalize'}
    trsm(letter, kind, batch)


def not_finite(letter, kind, batch):
    """Iterations do not begin on what is not finite, and what they do not read may be so."""
    n = 5
    a = draw(batch + (n, n), kind)
    a = a + adjoint(a)
    vector = np.result_type(kind, 'c8')
    syevd_name = 'heevd' if letter in 'cz' else 'syevd'
    hermitian = [((n, n), kind), ((n,), real(kind)), ((), 'i4')]
    values = [((n,), kind)] * (1 if letter in 'cz' else 2)
    svd = [((n, n), kind), ((n,), real(kind)), ((n, n), kind), ((n, n), kind), ((), 'i4')]
    rows = [
        (syevd_name, hermitian, {'mode': 'V', 'uplo': 'L'}),
        ('geev', [*values, ((n, n), vector), ((n, n), vector), ((), 'i4')],
         {'compute_left': 'V', 'compute_right': 'V'}),
        ('gesdd', svd, {'mode': 'S'}), ('gesvd', svd, {'mode': 'A'}),
        ('gees', [((n, n), kind), ((n, n), kind), *values, ((), 'i4'), ((), 'i4')], {'mode': 'V', 'sort': 'N'}),
    ]
    for number, (name, results, config) in itertools.product((np.nan, np.inf), rows):
        bad = a.copy()
        bad[..., 3, 1] = number
        *outputs, info = call(name, letter, [(bad, 2)], results, **config)
        assert (info < 0).all()
        assert all(np.isnan(output).all() for output in outputs if output.dtype.kind != 'i')
    bad = a.copy()
    bad[..., 1, 3] = np.nan
    v, w, info = call(syevd_name, letter, [(bad, 2)], hermitian, mode='V', uplo='L')
    worked(info)
    near(a @ v, v * w[..., None, :], kind)


def special(letter, kind, batch):
    """Zeros, identities, Jordan's blocks, cyclic permutations, and numbers near the ends of the range."""
    n, vector = 6, np.result_type(kind, 'c8')
    values = [((n,), kind)] * (1 if letter in 'cz' else 2)
    shift = np.eye(n, k=1)
    info = np.finfo(real(kind))
    matrices = [np.zeros((n, n)), np.eye(n), np.ones((n, n)), shift, shift + np.eye(n), shift + np.eye(n, k=1 - n),
                np.diag([1, -1, 1, -1, 1, -1]), case.random.standard_normal((n, n)) * float(info.max) ** 0.9,
                case.random.standard_normal((n, n)) * float(info.tiny) * 100]
    for matrix in matrices:
        a = np.broadcast_to(matrix, batch + (n, n)).astype(kind)
        scale = max(np.abs(a).max(), info.tiny)
        *w, _, vr, status = call('geev', letter, [(a, 2)], [*values, ((n, n), vector), ((n, n), vector), ((), 'i4')],
                                 compute_left='V', compute_right='V')
        w = w[0] if letter in 'cz' else w[0] + 1j * w[1]
        worked(status)
        near(a / scale @ vr, vr * (w / scale)[..., None, :], kind, 300)
        t, z, *_, status = call('gees', letter, [(a, 2)], [((n, n), kind), ((n, n), kind), *values, ((), 'i4'),
                                                           ((), 'i4')], mode='V', sort='N')
        worked(status)
        near(z @ (t / scale) @ adjoint(z), a / scale, kind, 100)
        orthonormal(z, kind)
        _, s, u, vt, status = call('gesdd', letter, [(a, 2)], [((n, n), kind), ((n,), real(kind)), ((n, n), kind),
                                                               ((n, n), kind), ((), 'i4')], mode='A')
        worked(status)
        near((u * (s / scale)[..., None, :]) @ vt, a / scale, kind, 100)
        orthonormal(u, kind)
        orthonormal(adjoint(vt), kind)


def nan_in_factors(letter, kind, batch):
    """Others end whatever there is in the matrix."""
    for number, everywhere in itertools.product((np.nan, np.inf), (False, True)):
        a = draw(batch + (6, 6), kind)
        a[..., 3, 1] = number
        if everywhere:
            a[...] = number
        for some in (a, np.broadcast_to(a.reshape(-1, 6, 6)[0], (17, 6, 6))):
            _, pivots, _ = call('getrf', letter, [(some, 2)], [((6, 6), kind), ((6,), 'i4'), ((), 'i4')])
            assert (pivots >= 1 + np.arange(6)).all() and (pivots <= 6).all(), pivots
        call('geqrf', letter, [(a, 2)], [((6, 6), kind), ((6,), kind)])
        call('geqp3', letter, [(a, 2), (np.zeros(batch + (6,), 'i4'), 1)], [((6, 6), kind), ((6,), 'i4'), ((6,), kind)])
        call('gehrd', letter, [(a, 2)], [((6, 6), kind), ((5,), kind), ((), 'i4')], low=1, high=6)


def empty(letter, kind, batch):
    """Without rows, columns or matrices; U of a matrix without columns is any orthogonal one."""
    for m, n in ((0, 0), (3, 0), (0, 3)):
        a = np.zeros(batch + (m, n), kind)
        _, s, u, vt, info = call('gesdd', letter, [(a, 2)], [((m, n), kind), ((0,), real(kind)), ((m, m), kind),
                                                            ((n, n), kind), ((), 'i4')], mode='A')
        worked(info)
        orthonormal(u, kind)
        orthonormal(vt, kind)
        call('geqrf', letter, [(a, 2)], [((m, n), kind), ((0,), kind)])
        worked(call('getrf', letter, [(a, 2)], [((m, n), kind), ((0,), 'i4'), ((), 'i4')])[2])
    a = np.zeros(batch + (0, 0), kind)
    worked(call('gehrd', letter, [(a, 2)], [((0, 0), kind), ((0,), kind), ((), 'i4')], low=1, high=0)[2])
    worked(call('potrf', letter, [(a, 2)], [((0, 0), kind), ((), 'i4')], uplo='L')[1])
    a = np.zeros((0,) + batch + (3, 3), kind)
    call('gesdd', letter, [(a, 2)], [((3, 3), kind), ((3,), real(kind)), ((3, 3), kind), ((3, 3), kind), ((), 'i4')],
         mode='A')


TOP_K = """
func.func private @before(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {{
  %0 = {comparison} : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}}
func.func @main(%x: {operand}) -> ({result}, {indices}) {{
  %0 = stablehlo.iota dim = {dimension} : {positions}
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.constant dense<-1> : tensor<i32>
  %3:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %1, %2) {{called_computations = [@before],
    mhlo.backend_config = {{aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32,
    reduction_dim = {dimension} : i64, reduction_input_size_override = -1 : i64, top_k = {k} : i64}}}}
    : ({operand}, {positions}, tensor<f32>, tensor<i32>) -> ({result}, {indices})
  return %3#0, %3#1 : {result}, {indices}
}}
"""


def approximate(tap):
    for dimension, k, largest in itertools.product((0, 1, 2), (0, 1, 4), (True, False)):
        x = case.random.integers(0, 9, (5, 6, 7)).astype('f4')
        order = np.argsort(-x if largest else x, dimension, kind='stable').take(range(k), dimension)
        shape = list(x.shape)
        shape[dimension] = k
        text = TOP_K.format(comparison=f'stablehlo.compare {"GT" if largest else "LT"}, %a, %b', operand=tensor(x),
                            positions=tensor(x.astype('i4')), result=tensor(np.empty(shape, 'f4')),
                            indices=tensor(np.empty(shape, 'i4')), dimension=dimension, k=k)
        values, found = run_text(text, [x])
        tap.report((found == order).all() and (values == np.take_along_axis(x, order, dimension)).all(),
                   f'{DEVICE}: {k} of dimension {dimension}, {"largest" if largest else "smallest"}')
    bad = TOP_K.format(comparison='stablehlo.compare GT, %a, %b', operand='tensor<4xf32>', positions='tensor<4xi32>',
                       result='tensor<5xf32>', indices='tensor<5xi32>', dimension=0, k=5)
    for what, text in (('results', bad), ('dimension', bad.replace('reduction_dim = 0', 'reduction_dim = 1')),
                       ('comparator', bad.replace('tensor<5x', 'tensor<3x').replace('[@before]', '[@main]'))):
        finished = ghlo('run', f'--device={DEVICE}', '--fill=zeros', '-', input=text)
        tap.report(finished.returncode == 1 and 'ApproxTopK' in finished.stderr,
                   f'{DEVICE}: ApproxTopK is refused for its {what}', finished.stderr)


def refused(tap):
    """Calls that do not fit: (a word of the error, target, operands, results, attributes)."""
    matrix, vector, number = ((np.empty(shape, 'f4'), len(shape)) for shape in ((4, 4), (4,), ()))
    info = np.empty((), 'i4'), 0
    wide = np.empty((4, 5), 'f4'), 2
    double = np.empty((4, 4), 'f8'), 2
    modes = 'mode = 86 : ui8, uplo = 76 : ui8'
    rows = [
        ('operand 0', 'lapack_ssyevd_ffi', [wide], [wide, vector, info], modes),
        ('operand 0', 'lapack_dsyevd_ffi', [matrix], [matrix, vector, info], modes),
        ("result 1 ('w')", 'lapack_ssyevd_ffi', [matrix], [matrix, (np.empty(3, 'f4'), 1), info], modes),
        ("result 2 ('info')", 'lapack_ssyevd_ffi', [matrix], [matrix, vector, number], modes),
        ("result 2 ('info')", 'lapack_ssyevd_ffi', [matrix], [matrix, vector, (np.empty(1, 'i4'), 1)], modes),
        ('expected 1 operands and 3 results', 'lapack_ssyevd_ffi', [matrix], [matrix, vector], modes),
        ('matrices', 'lapack_ssyevd_ffi', [vector], [vector, number, info], modes),
        ("'uplo'", 'lapack_ssyevd_ffi', [matrix], [matrix, vector, info], 'mode = 86 : ui8'),
        ("'uplo'", 'lapack_ssyevd_ffi', [matrix], [matrix, vector, info], 'mode = 86 : ui8, uplo = 0 : ui8'),
        ("'mode'", 'lapack_ssyevd_ffi', [matrix], [matrix, vector, info], 'mode = "V", uplo = 76 : ui8'),
        ("'mode'", 'lapack_ssyevd_ffi', [matrix], [matrix, vector, info], 'mode = 300 : i32, uplo = 76 : ui8'),
        ("'sort'", 'lapack_cgees_ffi', [(np.empty((4, 4), 'c8'), 2)], [], 'mode = 86 : ui8, sort = 83 : ui8'),
        ('low <= high', 'lapack_sgehrd_ffi', [matrix], [matrix, (np.empty(3, 'f4'), 1), info],
         'low = 0 : i32, high = 4 : i32'),
        ('low <= high', 'lapack_sgehrd_ffi', [matrix], [matrix, (np.empty(3, 'f4'), 1), info],
         'low = 1 : i32, high = 5 : i32'),
        ('reflectors', 'lapack_sorgqr_ffi', [matrix, (np.empty(5, 'f4'), 1)], [matrix], ''),
        ('columns', 'lapack_sorgqr_ffi', [wide, vector], [wide], ''),
        ('singular vectors', 'lapack_sgesdd_ffi', [wide],
         [wide, vector, (np.empty((4, 3), 'f4'), 2), (np.empty((5, 5), 'f4'), 2), info], 'mode = 78 : ui8'),
        ("result 3 ('vt')", 'lapack_sgesdd_ffi', [wide], [wide, vector, matrix, wide, info], 'mode = 65 : ui8'),
        ("operand 0 ('a')", 'lapack_strsm_ffi', [wide, matrix], [matrix],
         'side = 76 : ui8, uplo = 76 : ui8, trans_x = 78 : ui8, diag = 78 : ui8'),
        ('result 0', 'lapack_spotrf_ffi', [matrix], [double, info], 'uplo = 76 : ui8'),
        ('expected real or complex numbers', 'Qr', [(np.empty((4, 4), 'i4'), 2)], [matrix, vector], ''),
    ]
    for word, target, operands, results, config in rows:
        text = write((target, operands, results or [info], config))
        finished = ghlo('run', f'--device={DEVICE}', '--fill=zeros', '-', input=text)
        tap.report(finished.returncode == 1 and word in finished.stderr and '2:' in finished.stderr,
                   f'{DEVICE}: {target} is refused for {word}', finished.stderr or finished.stdout)
    text = write(('lapack_spotrf_ffi', [matrix], [matrix, info], 'uplo = 76 : ui8'))
    for what, bad in (('rows', text.replace('[0, 1]', '[1, 0]')), ('none', text.split(', operand_layouts')[0]
                                                                  + '}' + text.split('index>]}')[1])):
        finished = ghlo('run', f'--device={DEVICE}', '--fill=zeros', '-', input=bad)
        tap.report(finished.returncode == 1 and 'layout' in finished.stderr, f'{DEVICE}: layouts of {what} are refused',
                   finished.stderr)


def check(test, letter, batch, problems):
    """One case; it appends to the problems."""
    # The same numbers whatever else runs.
    case.random = np.random.default_rng([TESTS.index(test), ord(letter), *batch])
    try:
        test(letter, TYPES[letter][0], batch)
    except (AssertionError, RuntimeError, IndexError, ValueError) as error:
        line = error.__traceback__
        while line.tb_next:
            line = line.tb_next
        problems.append(f'batch {batch}, {line.tb_frame.f_code.co_name}:{line.tb_lineno}: {error}\n')


TESTS = [syevd, eigh, gesdd, geev, gees, getrf, geqrf, geqp3, gehrd, sytrd, gtsv, perturbed, potrf, trsm, trsm_itself,
         special, not_finite, nan_in_factors, empty]


def main():
    tap = Tap()
    chosen = [test for test in TESTS if len(sys.argv) <= 2 or test.__name__ in sys.argv[2:]]
    problems = {(test, letter): [] for test, letter in itertools.product(chosen, TYPES)}
    together.run([functools.partial(check, test, letter, batch, found) for (test, letter), found in problems.items()
                  for batch in BATCHES[letter]])
    for (test, letter), found in problems.items():
        tap.report(not found, f'{DEVICE}: {test.__name__} of {TYPES[letter][1]}', ''.join(sorted(found)))
    refused(tap)
    approximate(tap)
    tap.finish()


main()
