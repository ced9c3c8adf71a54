#version 460
/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourier transforms of f32, computed in f64, so that results are rounded once. A pass is Stockham's, which leaves the
 * numbers in natural order at the end. For radix r, with s the product of the radices of earlier passes and m r the
 * remaining length:
 *
 *    y[q + s (r p + u)] = sum over v < r of x[q + s (p + m v)] exp (-2πi u (p + m v) / (m r))
 *
 * An invocation computes one of the numbers.
 */

#extension GL_GOOGLE_include_directive : require

#include "common.glsl"

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "fft.words"
};

layout (constant_id = 0) const uint PHASE = 0;

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

layout (buffer_reference, std430, buffer_reference_align = 8) buffer F64 { double value; };

dvec2
load (uint64_t numbers, uint64_t i)
{
  return dvec2 (F64 (numbers + i * 16).value, F64 (numbers + i * 16 + 8).value);
}

void
store (uint64_t numbers, uint64_t i, dvec2 number)
{
  F64 (numbers + i * 16).value = number.x;
  F64 (numbers + i * 16 + 8).value = number.y;
}

double
load_f32 (uint64_t i)
{
  return double (uintBitsToFloat (load_u32 (table.from + i * 4)));
}

void
store_f32 (uint64_t i, double number)
{
  store_u32 (table.to + i * 4, floatBitsToUint (float (number / double (table.divisor))));
}

dvec2
multiply (dvec2 a, dvec2 b)
{
  precise dvec2 product = dvec2 (a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);

  return product;
}

/* Returns exp (-2πi k / n), by series within an octant; the first omitted term is below 2^-60. */
dvec2
find_twiddle (uint64_t k, uint64_t n)
{
  uint64_t octant = divide (8 * k, n), rest = 8 * k - octant * n;
  double x = double ((octant & 1) != 0 ? n - rest : rest) / double (n) * 0.785398163397448309616lf, y = x * x;
  double sine = 1, cosine = 1;
  dvec2 at;

  for (int i = 18; i > 0; i -= 2)
    {
      cosine = 1 - y / double (i * (i - 1)) * cosine;
      sine = 1 - y / double (i * (i + 1)) * sine;
    }
  sine *= x;
  /* Reflect at the diagonals, and rotate by quarters. */
  at = (octant + 1 & 2) != 0 ? dvec2 (sine, cosine) : dvec2 (cosine, sine);
  if (octant >= 2 && octant < 6)
    at.x = -at.x;
  if (octant < 4)
    at.y = -at.y;

  return at;
}

void
do_pass (uint64_t point)
{
  uint64_t n = table.n, inner = table.inner, s = table.stride, r = table.radix, length = divide (n, s);
  uint64_t m = divide (length, r), row = divide (point, inner), outer = divide (row, n), at = row - outer * n;
  uint64_t t = divide (at, s), q = at - t * s, p = divide (t, r), u = t - p * r;
  uint64_t base = outer * n * inner + point - row * inner;
  dvec2 sum = dvec2 (0);

  for (uint64_t v = 0; v < r; v++)
    {
      uint64_t i = p + m * v, angle = u * i - divide (u * i, length) * length;
      dvec2 twiddle = load (table.twiddles, angle * s);

      if (table.inverse != 0)
        twiddle.y = -twiddle.y;
      sum += multiply (load (table.from, base + (q + s * i) * inner), twiddle);
    }
  store (table.to, point, sum);
}

/* Expands half of a conjugate-symmetric spectrum to all of it. Drops the imaginary part of numbers that are their own
 * conjugates. */
void
expand (uint64_t point)
{
  uint64_t n = table.n, row = divide (point, n), k = point - row * n;
  dvec2 number = load (table.from, row * table.n_from + min (k, n - k));

  if (k == 0 || 2 * k == n)
    number.y = 0;
  else if (k >= table.n_from)
    number.y = -number.y;
  store (table.to, point, number);
}

/* Returns the index, among all numbers, of a number that is stored. */
uint64_t
find_stored (uint64_t point)
{
  uint64_t row = divide (point, table.n_to);

  return row * table.n_from + point - row * table.n_to;
}

void
main ()
{
  uint64_t point = first + gl_GlobalInvocationID.x;
  dvec2 number;

  if (point >= table.head[END] || is_off (table.head[FLAG]))
    return;
  switch (PHASE)
    {
    case FFT_TWIDDLES:
      store (table.to, point, find_twiddle (point, table.n));
      break;
    case FFT_LOAD_REAL:
      store (table.to, point, dvec2 (load_f32 (point), 0));
      break;
    case FFT_LOAD_COMPLEX:
      store (table.to, point, dvec2 (load_f32 (2 * point), load_f32 (2 * point + 1)));
      break;
    case FFT_PASS:
      do_pass (point);
      break;
    case FFT_EXPAND:
      expand (point);
      break;
    case FFT_STORE_REAL:
      store_f32 (point, load (table.from, find_stored (point)).x);
      break;
    default:
      number = load (table.from, find_stored (point));
      store_f32 (2 * point, number.x);
      store_f32 (2 * point + 1, number.y);
    }
}
