/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourier transforms of N complex numbers each, along a dimension of a tensor. With WITH_F64, numbers are of f64.
 *
 * A workgroup transforms LINES lines: it reads them once and writes them once. Its passes are Stockham's: for radix r,
 * with s the product of the radices of earlier passes, butterfly j takes numbers j + v N / r, each times
 * exp (-2πi v (j mod s) / (r s)), and its results are numbers (j / s) s r + j mod s + u s. The numbers of a butterfly
 * are in registers; between passes they go through shared memory.
 */

#extension GL_EXT_control_flow_attributes : require

#include "common.glsl"

layout (local_size_x_id = 0) in;

layout (buffer_reference, std430, buffer_reference_align = 8) readonly buffer Table
{
  WORDS (head, HEAD)    /* GhloSpirvWord */
#include "fft.words"
};

/* RADICES: 4 bits for each, of what it is more than 1. SIZE: complex numbers in an invocation's registers. FORM: bits
 * FFT_*. */
layout (constant_id = 1) const uint N = 1;
layout (constant_id = 2) const uint LINES = 1;
layout (constant_id = 3) const uint RADICES = 0;
layout (constant_id = 4) const uint SIZE = 2;
layout (constant_id = 5) const uint FORM = 0;

layout (push_constant) uniform Push
{
  Table    table;
  uint64_t first;
};

#ifdef WITH_F64
#define REAL double
#define COMPLEX dvec2
#define SCALE packDouble2x32 (unpackUint2x32 (table.scale))
const uint REAL_SIZE = 8;
#else
#define REAL float
#define COMPLEX vec2
#define SCALE uintBitsToFloat (uint (table.scale))
const uint REAL_SIZE = 4;
#endif

/* Aligned as f32 is, and as a pair of them. */
layout (buffer_reference, std430, buffer_reference_align = 4) buffer Real { REAL value; };
layout (buffer_reference, std430, buffer_reference_align = 8) buffer Complex { COMPLEX value; };

#define HAS(bit) ((FORM & (bit)) != 0)

const uint T = gl_WorkGroupSize.x;
const uint PAIRS = N / 2 + 1;
const uint N_PLANES = HAS (FFT_PLANES) ? 2 : 1;
const uint PITCH = N + N / 16 + 2;
const uint PLANE = HAS (FFT_ONLY_PAIRS) ? 1 : LINES * PITCH;

shared REAL plane[N_PLANES * PLANE];

COMPLEX x[SIZE];
uint first_line = 0;

/* exp (-2πi k / r) for primes r; the first of r is at (r - 3) ... of 16 and 9. */
const COMPLEX PRIME_ROOTS[] = {
  COMPLEX (1.0lf, 0.0lf), COMPLEX (-0.5lf, -0.866025403784438647lf), COMPLEX (-0.5lf, 0.866025403784438647lf),
  COMPLEX (1.0lf, 0.0lf), COMPLEX (0.309016994374947424lf, -0.951056516295153572lf),
  COMPLEX (-0.809016994374947424lf, -0.587785252292473129lf),
  COMPLEX (-0.809016994374947424lf, 0.587785252292473129lf), COMPLEX (0.309016994374947424lf, 0.951056516295153572lf),
  COMPLEX (1.0lf, 0.0lf), COMPLEX (0.623489801858733531lf, -0.781831482468029809lf),
  COMPLEX (-0.222520933956314404lf, -0.974927912181823607lf),
  COMPLEX (-0.900968867902419126lf, -0.43388373911755812lf), COMPLEX (-0.900968867902419126lf, 0.43388373911755812lf),
  COMPLEX (-0.222520933956314404lf, 0.974927912181823607lf), COMPLEX (0.623489801858733531lf, 0.781831482468029809lf),
  COMPLEX (1.0lf, 0.0lf), COMPLEX (0.841253532831181169lf, -0.540640817455597582lf),
  COMPLEX (0.415415013001886426lf, -0.909631995354518371lf),
  COMPLEX (-0.14231483827328514lf, -0.989821441880932732lf),
  COMPLEX (-0.654860733945285064lf, -0.755749574354258284lf),
  COMPLEX (-0.95949297361449739lf, -0.281732556841429698lf), COMPLEX (-0.95949297361449739lf, 0.281732556841429698lf),
  COMPLEX (-0.654860733945285064lf, 0.755749574354258284lf), COMPLEX (-0.14231483827328514lf, 0.989821441880932732lf),
  COMPLEX (0.415415013001886426lf, 0.909631995354518371lf), COMPLEX (0.841253532831181169lf, 0.540640817455597582lf),
  COMPLEX (1.0lf, 0.0lf), COMPLEX (0.885456025653209896lf, -0.464723172043768546lf),
  COMPLEX (0.568064746731155803lf, -0.822983865893656395lf),
  COMPLEX (0.120536680255323053lf, -0.992708874098053993lf),
  COMPLEX (-0.354604887042535626lf, -0.935016242685414823lf),
  COMPLEX (-0.748510748171101099lf, -0.663122658240795202lf),
  COMPLEX (-0.970941817426052027lf, -0.239315664287557767lf),
  COMPLEX (-0.970941817426052027lf, 0.239315664287557767lf),
  COMPLEX (-0.748510748171101099lf, 0.663122658240795202lf),
  COMPLEX (-0.354604887042535626lf, 0.935016242685414823lf), COMPLEX (0.120536680255323053lf, 0.992708874098053993lf),
  COMPLEX (0.568064746731155803lf, 0.822983865893656395lf), COMPLEX (0.885456025653209896lf, 0.464723172043768546lf)
};
const COMPLEX TWISTS[] = {
  COMPLEX (1.0lf, 0.0lf), COMPLEX (0.923879532511286756lf, -0.382683432365089772lf),
  COMPLEX (0.707106781186547524lf, -0.707106781186547524lf),
  COMPLEX (0.382683432365089772lf, -0.923879532511286756lf), COMPLEX (0.0lf, -1.0lf),
  COMPLEX (-0.382683432365089772lf, -0.923879532511286756lf),
  COMPLEX (-0.707106781186547524lf, -0.707106781186547524lf),
  COMPLEX (-0.923879532511286756lf, -0.382683432365089772lf), COMPLEX (-1.0lf, 0.0lf),
  COMPLEX (-0.923879532511286756lf, 0.382683432365089772lf), COMPLEX (1.0lf, 0.0lf),
  COMPLEX (0.766044443118978035lf, -0.642787609686539326lf),
  COMPLEX (0.173648177666930349lf, -0.984807753012208059lf), COMPLEX (-0.5lf, -0.866025403784438647lf),
  COMPLEX (-0.939692620785908384lf, -0.342020143325668733lf)
};

COMPLEX
multiply (COMPLEX a, COMPLEX b)
{
  return COMPLEX (a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

COMPLEX
conjugate (COMPLEX a)
{
  return COMPLEX (a.x, -a.y);
}

/* Returns -i a. */
COMPLEX
turn (COMPLEX a)
{
  return COMPLEX (a.y, -a.x);
}

/* Transforms of few numbers in registers, from @o on, @d apart. */
void
transform_2 (uint o, uint d)
{
  COMPLEX a = x[o], b = x[o + d];

  x[o] = a + b;
  x[o + d] = a - b;
}

void
transform_4 (uint o, uint d)
{
  COMPLEX a = x[o] + x[o + 2 * d], b = x[o] - x[o + 2 * d], c = x[o + d] + x[o + 3 * d];
  COMPLEX e = turn (x[o + d] - x[o + 3 * d]);

  x[o] = a + c;
  x[o + d] = b + e;
  x[o + 2 * d] = a - c;
  x[o + 3 * d] = b - e;
}

/* For a prime @r, whose roots begin at @roots. */
void
transform_odd (uint r, uint roots, uint o, uint d)
{
  COMPLEX sums[6], differences[6], begin = x[o];

  [[unroll]] for (uint k = 1; k <= r / 2; k++)
    {
      sums[k - 1] = x[o + k * d] + x[o + (r - k) * d];
      differences[k - 1] = x[o + k * d] - x[o + (r - k) * d];
      x[o] += sums[k - 1];
    }
  [[unroll]] for (uint m = 1; m <= r / 2; m++)
    {
      COMPLEX even = begin, odd = COMPLEX (0);

      [[unroll]] for (uint k = 1; k <= r / 2; k++)
        {
          even += PRIME_ROOTS[roots + m * k % r].x * sums[k - 1];
          odd -= PRIME_ROOTS[roots + m * k % r].y * differences[k - 1];
        }
      odd = turn (odd);
      x[o + m * d] = even + odd;
      x[o + (r - m) * d] = even - odd;
    }
}

/* Radix @r is @a b: first there are b transforms of a numbers, then a of b. */
uint
find_first (uint r)
{
  return r == 8 ? 2 : r == 9 ? 3 : r == 16 ? 4 : 1;
}

void
transform_composite (uint r, uint o)
{
  const uint a = find_first (r), b = r / a;

  [[unroll]] for (uint j = 0; j < b; j++)
    {
      if (a == 2)
        transform_2 (o + j, b);
      else if (a == 3)
        transform_odd (3, 0, o + j, b);
      else
        transform_4 (o + j, b);
      [[unroll]] for (uint k = 1; k < a; k++)
        if (j != 0)
          x[o + j + b * k] = multiply (x[o + j + b * k], TWISTS[r == 9 ? 10 + j * k : j * k * (16 / r)]);
    }
  [[unroll]] for (uint k = 0; k < a; k++)
    if (b == 3)
      transform_odd (3, 0, o + b * k, 1);
    else
      transform_4 (o + b * k, 1);
}

/* The results are in the order of find_result(). */
void
transform (uint r, uint o)
{
  if (r == 2)
    transform_2 (o, 1);
  else if (r == 4)
    transform_4 (o, 1);
  else if (r == 8 || r == 9 || r == 16)
    transform_composite (r, o);
  else if (r > 1)
    transform_odd (r, r == 3 ? 0 : r == 5 ? 3 : r == 7 ? 8 : r == 11 ? 15 : 26, o, 1);
}

/* The number, of a butterfly's results, that register @i of it has. */
uint
find_result (uint r, uint i)
{
  uint a = find_first (r), b = r / a;

  return i / b + a * (i % b);
}

/* Work items, the @n of each line, are butterflies or pairs of numbers; adjacent invocations take adjacent items of a
 * line, or the same item of adjacent lines. */
uint
count_rounds (uint n)
{
  return HAS (FFT_ONLY_PAIRS) ? 1 : (LINES * n + T - 1) / T;
}

uint
find_item (uint round)
{
  return HAS (FFT_ONLY_PAIRS) ? uint (first) + gl_GlobalInvocationID.x : gl_LocalInvocationID.x + round * T;
}

bool
has_item (uint item, uint n)
{
  return HAS (FFT_ONLY_PAIRS) || LINES * n % T == 0 || item < LINES * n;
}

uint
line_of (uint item, uint n, bool by_lines)
{
  return by_lines ? item % LINES : item / n;
}

uint
place_of (uint item, uint n, bool by_lines)
{
  return by_lines ? item / LINES : item % n;
}

uint
divide_u32 (uint a, uint b)
{
  return b == 1 ? a : a / b;
}

COMPLEX
load_complex (uint64_t numbers, uint i)
{
  return Complex (numbers + uint64_t (i) * (2 * REAL_SIZE)).value;
}

REAL
load_real (uint64_t numbers, uint i)
{
  return Real (numbers + uint64_t (i) * REAL_SIZE).value;
}

COMPLEX
load_operand (uint64_t numbers, uint i)
{
  if (HAS (FFT_NARROW_LOAD))
    return COMPLEX (load_real (numbers, 2 * i), load_real (numbers, 2 * i + 1));

  return load_complex (numbers, i);
}

void
store_result (uint64_t numbers, uint i, COMPLEX number)
{
  if (HAS (FFT_NARROW_STORE))
    {
      Real (numbers + uint64_t (2 * i) * REAL_SIZE).value = number.x;
      Real (numbers + uint64_t (2 * i + 1) * REAL_SIZE).value = number.y;
    }
  else
    Complex (numbers + uint64_t (i) * (2 * REAL_SIZE)).value = number;
}

/* The first line's numbers, or those of another one. */
uint64_t
find_base (uint64_t numbers, uint outer, uint64_t pitch, bool is_real)
{
  return numbers + outer * pitch * (is_real ? REAL_SIZE : (2 * REAL_SIZE));
}

COMPLEX
load_number (uint64_t base, uint offset)
{
  COMPLEX number = COMPLEX (0);
  uint place = offset;

  if (HAS (FFT_HALF))
    place = min (offset, uint (table.in_limit) - offset);
  if (HAS (FFT_IN_LIMIT) && offset >= uint (table.in_limit))
    return number;
  number = HAS (FFT_REAL_LOAD) ? COMPLEX (load_real (base, offset), 0) : load_operand (base, place);
  if (HAS (FFT_HALF) && place == 0)
    number.y = 0;
  if (HAS (FFT_HALF) && place != offset)
    number.y = -number.y;
  if ((uint (table.swaps) & FFT_SWAP_LOAD) != 0)
    number = number.yx;
  if (HAS (FFT_LOAD_FACTORS))
    number = multiply (number, load_complex (table.load_factors, divide_u32 (offset, uint (table.depth))));

  return number;
}

void
load_numbers (uint r)
{
  const uint n = N / r;
  uint inner = uint (table.in_inner);

  [[unroll]] for (uint round = 0; round < count_rounds (n); round++)
    {
      uint item = find_item (round);

      if (has_item (item, n))
        {
          uint line = min (first_line + line_of (item, n, HAS (FFT_LINES_IN)), uint (table.n_lines) - 1);
          uint outer = divide_u32 (line, inner), offset = line - outer * inner;
          uint64_t base = find_base (table.from, outer, table.in_pitch, HAS (FFT_REAL_LOAD));

          offset += place_of (item, n, HAS (FFT_LINES_IN)) * inner;
          [[unroll]] for (uint v = 0; v < r; v++)
            x[round * r + v] = load_number (base, offset + v * n * inner);
        }
    }
}

void
store_number (uint64_t base, uint offset, uint factor, COMPLEX number)
{
  if (HAS (FFT_OUT_LIMIT) && offset >= uint (table.out_limit))
    return;
  if ((uint (table.swaps) & FFT_SWAP_FIRST) != 0)
    number = number.yx;
  if (HAS (FFT_STORE_FACTORS))
    number = multiply (number, load_complex (table.store_factors, factor));
  if ((uint (table.swaps) & FFT_SWAP_LAST) != 0)
    number = number.yx;
  number *= SCALE;
  if (HAS (FFT_REAL_STORE))
    Real (base + uint64_t (offset) * REAL_SIZE).value = number.x;
  else
    store_result (base, offset, number);
}

/* Stores the results of the last pass, or of the only one. */
void
store_numbers (uint r)
{
  const uint n = N / r;
  const bool by_lines = n == 1 ? HAS (FFT_LINES_IN) : HAS (FFT_LINES_OUT);
  uint inner = uint (table.out_inner), factor_inner = uint (table.factor_inner), depth = uint (table.depth);

  [[unroll]] for (uint round = 0; round < count_rounds (n); round++)
    {
      uint item = find_item (round), line = first_line + line_of (item, n, by_lines);

      if (has_item (item, n) && line < uint (table.n_lines))
        {
          uint outer = divide_u32 (line, inner), rest = line - outer * inner, place = place_of (item, n, by_lines);
          uint64_t base = find_base (table.to, outer, table.out_pitch, HAS (FFT_REAL_STORE));
          uint factor_rest = HAS (FFT_STORE_FACTORS) ? line % factor_inner : 0;

          [[unroll]] for (uint i = 0; i < r; i++)
            {
              uint e = place + find_result (r, i) * n;

              store_number (base, rest + e * inner, divide_u32 (e * factor_inner + factor_rest, depth),
                            x[round * r + i]);
            }
        }
    }
}

/* With z the transform of pairs of 2 N real numbers, and w = -i exp (-πi k / N), numbers k and N - k of their transform
 * are a + t and the conjugate of a - t, where a and t / w are z[k] plus and minus the conjugate of z[N - k], halved.
 * The inverse is the same with the conjugate of w. */
void
untangle (uint64_t halves)
{
  [[unroll]] for (uint round = 0; round < count_rounds (PAIRS); round++)
    {
      uint item = find_item (round), k = item % PAIRS;

      if (has_item (item, PAIRS))
        {
          COMPLEX w = load_complex (halves, k), a = x[2 * round], b = x[2 * round + 1], t;

          if (HAS (FFT_TANGLE) && k == 0)
            a.y = b.y = 0;
          if (HAS (FFT_TANGLE))
            w = conjugate (w);
          b = conjugate (b);
          t = multiply (a - b, w);
          a += b;
          x[2 * round] = a + t;
          x[2 * round + 1] = conjugate (a - t);
          if (HAS (FFT_TANGLE))
            {
              x[2 * round] = x[2 * round].yx;
              x[2 * round + 1] = x[2 * round + 1].yx;
            }
        }
    }
}

void
load_pairs ()
{
  [[unroll]] for (uint round = 0; round < count_rounds (PAIRS); round++)
    {
      uint item = find_item (round), k = item % PAIRS, line = first_line + item / PAIRS;

      if (has_item (item, PAIRS))
        {
          uint64_t base = find_base (table.from, min (line, uint (table.n_lines) - 1), table.in_pitch, false);

          x[2 * round] = load_complex (base, k);
          x[2 * round + 1] = load_complex (base, HAS (FFT_TANGLE) || k != 0 ? N - k : 0);
        }
    }
}

void
store_pairs ()
{
  [[unroll]] for (uint round = 0; round < count_rounds (PAIRS); round++)
    {
      uint item = find_item (round), k = item % PAIRS, line = first_line + item / PAIRS;

      if (has_item (item, PAIRS) && line < uint (table.n_lines))
        {
          uint64_t base = find_base (table.to, line, table.out_pitch, false);

          store_result (base, k, x[2 * round] * SCALE);
          if (!HAS (FFT_TANGLE) || k != 0)
            store_result (base, N - k, x[2 * round + 1] * SCALE);
        }
    }
}

/* Where a number is in a plane of shared memory. Every 16 are followed by one of padding, so that strides by powers of
 * two meet all banks. */
uint
find_shared (uint line, uint i, bool by_lines)
{
  uint at = by_lines ? i * LINES + line : i;

  return (by_lines ? 0 : line * PITCH) + at + (at >> 4);
}

REAL
part_of (COMPLEX number, uint part)
{
  return part == 0 ? number.x : number.y;
}

void
set_part (uint i, uint part, REAL value)
{
  if (part == 0)
    x[i].x = value;
  else
    x[i].y = value;
}

/* Writes one part of all numbers to a plane, after the pass of radix @r, or after load_pairs() if that is 0. */
void
put (uint part, uint plane_of, uint r, uint s, bool by_lines, bool layout_by_lines)
{
  const uint n = r == 0 ? PAIRS : N / r;

  [[unroll]] for (uint round = 0; round < count_rounds (n); round++)
    {
      uint item = find_item (round), line = line_of (item, n, by_lines), place = place_of (item, n, by_lines);

      if (has_item (item, n) && r == 0)
        {
          plane[plane_of + find_shared (line, place, layout_by_lines)] = part_of (x[2 * round], part);
          if (place != 0)
            plane[plane_of + find_shared (line, N - place, layout_by_lines)] = part_of (x[2 * round + 1], part);
        }
      else if (has_item (item, n))
        [[unroll]] for (uint i = 0; i < r; i++)
          plane[plane_of + find_shared (line, place / s * s * r + place % s + find_result (r, i) * s, layout_by_lines)]
            = part_of (x[round * r + i], part);
    }
}

/* Reads it for the pass of radix @r, or for store_pairs(). */
void
get (uint part, uint plane_of, uint r, bool by_lines, bool layout_by_lines)
{
  const uint n = r == 0 ? PAIRS : N / r;

  [[unroll]] for (uint round = 0; round < count_rounds (n); round++)
    {
      uint item = find_item (round), line = line_of (item, n, by_lines), place = place_of (item, n, by_lines);

      if (has_item (item, n) && r == 0)
        {
          set_part (2 * round, part, plane[plane_of + find_shared (line, place, layout_by_lines)]);
          set_part (2 * round + 1, part,
                    plane[plane_of + find_shared (line, place == 0 ? 0 : N - place, layout_by_lines)]);
        }
      else if (has_item (item, n))
        [[unroll]] for (uint v = 0; v < r; v++)
          set_part (round * r + v, part, plane[plane_of + find_shared (line, place + v * n, layout_by_lines)]);
    }
}

void
exchange (uint r, uint s, bool by_lines, uint next, bool next_by_lines)
{
  const bool layout_by_lines = by_lines && next_by_lines;

  if (N_PLANES == 2)
    {
      put (0, 0, r, s, by_lines, layout_by_lines);
      put (1, PLANE, r, s, by_lines, layout_by_lines);
      barrier ();
      get (0, 0, next, next_by_lines, layout_by_lines);
      get (1, PLANE, next, next_by_lines, layout_by_lines);
    }
  else
    {
      put (0, 0, r, s, by_lines, layout_by_lines);
      barrier ();
      get (0, 0, next, next_by_lines, layout_by_lines);
      barrier ();
      put (1, 0, r, s, by_lines, layout_by_lines);
      barrier ();
      get (1, 0, next, next_by_lines, layout_by_lines);
    }
  barrier ();
}

/* The roots of a pass are in rows, of s for each v; those of the first pass, all 1, are not there. */
void
run_pass (uint r, uint s, bool by_lines)
{
  const uint n = N / r, first_radix = (RADICES & 15) + 1;

  [[unroll]] for (uint round = 0; round < count_rounds (n); round++)
    {
      uint place = place_of (find_item (round), n, by_lines) % s;

      if (s > 1 && has_item (find_item (round), n))
        [[unroll]] for (uint v = 1; v < r; v++)
          x[round * r + v] = multiply (x[round * r + v],
                                       load_complex (table.roots, v * s + place - first_radix));
      transform (r, round * r);
    }
}

/* Between the two transforms of a convolution. */
void
filter_numbers (uint r, bool by_lines)
{
  const uint n = N / r;

  [[unroll]] for (uint round = 0; round < count_rounds (n); round++)
    if (has_item (find_item (round), n))
      [[unroll]] for (uint i = 0; i < r; i++)
        {
          uint e = place_of (find_item (round), n, by_lines) + find_result (r, i) * n;

          x[round * r + i] = multiply (x[round * r + i], load_complex (table.filters, e)).yx;
        }
}

const uint R0 = (RADICES & 15) + 1, R1 = (RADICES >> 4 & 15) + 1, R2 = (RADICES >> 8 & 15) + 1;
const uint R3 = (RADICES >> 12 & 15) + 1, R4 = (RADICES >> 16 & 15) + 1, R5 = (RADICES >> 20 & 15) + 1;
const uint R6 = (RADICES >> 24 & 15) + 1, R7 = (RADICES >> 28 & 15) + 1;
const uint LAST = R7 > 1 ? R7 : R6 > 1 ? R6 : R5 > 1 ? R5 : R4 > 1 ? R4 : R3 > 1 ? R3 : R2 > 1 ? R2 : R1 > 1 ? R1 : R0;

#define PASS(before, r, s, by_lines) \
  if (r > 1) \
    { \
      exchange (before, (s) / before, by_lines, r, HAS (FFT_LINES_OUT)); \
      run_pass (r, s, HAS (FFT_LINES_OUT)); \
    }

void
main ()
{
  if (is_off (table.head[FLAG]))
    return;
  if (HAS (FFT_ONLY_PAIRS))
    {
      load_pairs ();
      untangle (table.halves);
      store_pairs ();
      return;
    }
  first_line = uint (first + gl_WorkGroupID.x) * LINES;
  if (HAS (FFT_TANGLE))
    {
      load_pairs ();
      untangle (table.halves);
      exchange (0, 1, false, R0, false);
    }
  else if (HAS (FFT_SHORT))
    {
      load_numbers (1);
      exchange (1, 1, false, R0, false);
    }
  else
    load_numbers (R0);
  for (uint turn = 0; turn < (HAS (FFT_CONVOLVE) ? 2 : 1); turn++)
    {
      if (turn > 0)
        {
          filter_numbers (LAST, HAS (FFT_LINES_IN));
          exchange (LAST, N / LAST, HAS (FFT_LINES_IN), R0, HAS (FFT_LINES_IN));
        }
      run_pass (R0, 1, HAS (FFT_LINES_IN));
      PASS (R0, R1, R0, HAS (FFT_LINES_IN))
      PASS (R1, R2, R0 * R1, HAS (FFT_LINES_OUT))
      PASS (R2, R3, R0 * R1 * R2, HAS (FFT_LINES_OUT))
      PASS (R3, R4, R0 * R1 * R2 * R3, HAS (FFT_LINES_OUT))
      PASS (R4, R5, R0 * R1 * R2 * R3 * R4, HAS (FFT_LINES_OUT))
      PASS (R5, R6, R0 * R1 * R2 * R3 * R4 * R5, HAS (FFT_LINES_OUT))
      PASS (R6, R7, R0 * R1 * R2 * R3 * R4 * R5 * R6, HAS (FFT_LINES_OUT))
    }
  if (HAS (FFT_UNTANGLE))
    {
      exchange (LAST, N / LAST, false, 0, false);
      untangle (table.halves);
      store_pairs ();
    }
  else if (HAS (FFT_SHORT))
    {
      exchange (LAST, N / LAST, false, 1, false);
      store_numbers (1);
    }
  else
    store_numbers (LAST);
}
