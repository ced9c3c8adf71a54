# SPDX-License-Identifier: LGPL-2.1-or-later
"""Functions of different kinds, to be exported by JAX and run by GHLO."""

import dataclasses
import typing

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax

FUNCTIONS = []


@dataclasses.dataclass
class Function:
    """A function with a way to make its arguments and how close answers must be."""

    name: str
    call: typing.Callable
    arguments: typing.Callable
    rtol: float = 1e-5
    atol: float = 1e-5
    platforms: typing.Sequence[str] = ('cpu',)
    shapes: typing.Callable | None = None   # what to export for, where not the arguments' own
    vjp_order: int = 0


def function(*shapes, **options):
    """Adds the function below; each argument is normal f32 of a shape, or what a call makes."""

    def add(call):
        def arguments():
            random = np.random.default_rng(1)
            return tuple(shape(random) if callable(shape) else random.standard_normal(shape).astype(np.float32)
                         for shape in shapes)

        FUNCTIONS.append(Function(call.__name__, call, arguments, **options))
        return call

    return add


def integers(high, *shape, dtype=np.int32):
    return lambda random: random.integers(0, high, shape).astype(dtype)


def positive_definite(n):
    def make(random):
        a = random.standard_normal((n, n)).astype(np.float32)
        return a @ a.T + n * np.eye(n, dtype=np.float32)

    return make


@function(lambda random: {'w': random.standard_normal((4, 3)).astype(np.float32), 'b': np.ones(3, np.float32)}, (2, 4))
def layer_of_dictionary(weights, x):
    return {'y': jax.nn.gelu(x @ weights['w'] + weights['b'])}


@function((8,), integers(20))
def while_loop(x, n):
    return lax.while_loop(lambda c: (c[0] < n) & (c[1].sum() < 1e6), lambda c: (c[0] + 1, c[1] * 1.5), (0, jnp.abs(x)))


@function((5, 3), (3, 3))
def scan_with_carry(xs, w):
    def step(carry, x):
        carry = jnp.tanh(x + carry @ w)
        return carry, carry.sum()

    return lax.scan(step, jnp.zeros(3), xs)


@function((6,), integers(3))
def switch(x, index):
    return lax.switch(index, [jnp.sin, lambda y: y[::-1], lambda y: jnp.cumsum(y)], x)


@function(integers(1000, dtype=np.uint32))
def random_normal(seed):
    key = jax.random.key(seed)
    return jax.random.normal(key, (4, 5)), jax.random.permutation(key, 7)


@function(integers(1000, dtype=np.uint32))
def random_bits_by_hardware(seed):
    return jax.random.bits(jax.random.key(seed, impl='rbg'), (9,))


@function((4, 12))
def fft_real(x):
    spectrum = jnp.fft.rfft(x)
    return jnp.abs(spectrum), jnp.fft.irfft(spectrum * 2, n=12)


@function((3, 8, 6), rtol=1e-4, atol=1e-4)
def fft_two_dimensions(x):
    return jnp.fft.fft2(x + 1j * jnp.roll(x, 1))


@function(positive_definite(6), (6, 2), platforms=('tpu',), rtol=1e-4, atol=1e-4)
def solve_by_cholesky(a, b):
    factor = jnp.linalg.cholesky(a)
    return lax.linalg.triangular_solve(factor, b, left_side=True, lower=True)


# What the guide to custom calls says of exports for a TPU; signs of factors are anyone's.
@function(positive_definite(6), (6, 2), platforms=('tpu',), rtol=1e-3, atol=1e-3)
def linear_algebra(a, b):
    q, r = jnp.linalg.qr(a)
    lower, upper = jax.scipy.linalg.lu(a)[1:]
    return (jnp.linalg.solve(a, b), jnp.linalg.inv(a), jnp.linalg.det(a / 6), q @ r, lower @ upper,
            jnp.linalg.eigh(a)[0], jnp.linalg.svd(a, compute_uv=False), jnp.linalg.lstsq(a, b)[0],
            jax.scipy.linalg.expm(a / 100))


@function((1, 8, 8, 3), (3, 3, 3, 4), rtol=1e-4, atol=1e-4)
def convolution_gradients(image, kernel):
    def loss(x, w):
        y = lax.conv_general_dilated(x, w, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))
        return jnp.sum(jnp.sin(y))

    return jax.grad(loss, (0, 1))(image, kernel)


@function((1, 6, 6, 2))
def gradient_of_max_pool(x):
    def pool(y):
        return lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), 'VALID')

    return jax.grad(lambda y: (pool(y) ** 2).sum())(x)


@function((4, 8), (8, 5), rtol=2e-2, atol=2e-2)
def bf16_softmax(x, w):
    y = x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)
    return jax.nn.softmax(y).astype(jnp.float32)


@function((5, 4), (3, 4), shapes=lambda: export.symbolic_args_specs(
    (jax.ShapeDtypeStruct((5, 4), np.float32), jax.ShapeDtypeStruct((3, 4), np.float32)), ('a, n', 'b, n')))
def any_shape(x, y):
    return (x @ y.T).mean(axis=0), jnp.concatenate([x, y]).reshape(-1) * x.shape[0]


@function((7, 3), integers(9, 7, 3))
def sorting(x, keys):
    return jnp.sort(x, axis=0), jnp.argsort(keys, axis=0, stable=True), lax.sort((keys, x), num_keys=1)


@function((6, 5), integers(6, 4), (4, 5))
def gather_and_scatter(x, rows, updates):
    return x[rows], x.at[rows].add(updates), x.at[0, rows % 5].set(1.0)


@function((3, 10))
def largest(x):
    return lax.top_k(x, 4)


@function((4, 9))
def cumulative(x):
    return jnp.cumsum(x, axis=1), lax.cummax(x, axis=0), lax.cumlogsumexp(x, axis=1)


@function((2, 3, 4), (2, 5, 4), (2, 5, 6))
def attention(q, k, v):
    scores = jnp.einsum('bqd,bkd->bqk', q, k) / 2.0
    mask = jnp.arange(5)[None, None, :] <= jnp.arange(3)[None, :, None]
    return jnp.einsum('bqk,bkv->bqv', jax.nn.softmax(jnp.where(mask, scores, -1e9)), v)


@function(lambda random: random.uniform(0.5, 4, 20).astype(np.float32), rtol=2e-5, atol=1e-5)
def special_functions(x):
    return (jax.scipy.special.erf(x), jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x),
            jax.scipy.special.erfinv(x / 5), jnp.expm1(-x))


@function(integers(1 << 30, 8, dtype=np.uint32), integers(31, 8, dtype=np.uint32))
def bits(x, n):
    return lax.population_count(x), lax.clz(x), x >> n, (x << 3) ^ n, lax.bitcast_convert_type(x, np.float32)


@function((3, 4), (4,))
def gradient_of_recurrence(xs, w):
    def loss(weights):
        def step(h, x):
            h = jnp.tanh(weights * h + x)
            return h, None

        return lax.scan(step, jnp.zeros(4), xs)[0].sum()

    return jax.value_and_grad(loss)(w)


@function((4, 4), vjp_order=1)
def with_its_gradient(x):
    return jnp.sin(x).sum() * x[0]


@function(lambda random: (random.standard_normal(6) + 1j * random.standard_normal(6)).astype(np.complex64))
def complex_numbers(z):
    return jnp.exp(z), jnp.sqrt(z), z.conj() * z, jnp.angle(z)


@function((6, 6), integers(4), integers(4))
def dynamic_slices(x, i, j):
    return lax.dynamic_update_slice(x, lax.dynamic_slice(x, (i, j), (2, 2)) * 2, (j, i))


@function(integers(255, 4, 4, dtype=np.uint8), (4,), (3, 2), platforms=('cpu', 'cuda'))
def several_platforms(image, unused, x):
    picture = lax.platform_dependent(image, cpu=lambda y: y / 255, default=lambda y: y * np.float32(0))
    return picture, x.astype(np.float16).sum(axis=0).astype(np.float32)
