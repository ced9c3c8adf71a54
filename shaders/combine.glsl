/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How an update changes an element, with the same results as src/cpu/reduce/combine.c: f16 and bf16 are computed in
 * f32, which rounds to the same numbers. NaNs stay NaNs, but may have other bits. WITH_F64 selects f64 arithmetic.
 */

#include "combine.words"

layout (constant_id = 0) const uint SIZE = 4;             /* bytes of an element */
layout (constant_id = 1) const uint KIND = COMBINE_ADD;
layout (constant_id = 2) const uint CLASS = COMBINE_UNSIGNED;

#define SIGN (uint64_t (1) << (8 * SIZE - 1))

/* The bits of infinity. */
uint64_t
infinity ()
{
  return CLASS == COMBINE_BF16 ? 0x7f80ul : SIZE == 2 ? 0x7c00ul : SIZE == 4 ? 0x7f800000ul : 0x7ff0000000000000ul;
}

float
to_f32 (uint bits)
{
  uint sign = (bits & 0x8000) << 16, magnitude = bits & 0x7fff;

  if (SIZE == 4)
    return uintBitsToFloat (bits);
  if (CLASS == COMBINE_BF16)
    return uintBitsToFloat (bits << 16);
  if (magnitude >= 0x7c00)
    return uintBitsToFloat (sign | 0x7f800000 | magnitude << 13);
  /* The magnitude of a subnormal number is in units of 2^-24. */
  if (magnitude < 0x400)
    return uintBitsToFloat (sign | floatBitsToUint (float (magnitude) * 5.9604644775390625e-8));

  return uintBitsToFloat (sign | (magnitude << 13) + (112u << 23));
}

/* Rounds to nearest, ties to even. */
uint
from_f32 (float number)
{
  uint bits = floatBitsToUint (number), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff, shift, kept, rest;

  if (SIZE == 4)
    return bits;
  if (CLASS == COMBINE_BF16)
    return magnitude > 0x7f800000 ? bits >> 16 | 0x40 : bits + 0x7fff + (bits >> 16 & 1) >> 16;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  if (magnitude >= 0x38800000)
    return sign | (magnitude + 0xfff + (magnitude >> 13 & 1) >> 13) - (112u << 10);
  if (magnitude <= 0x33000000)
    return sign;
  /* Subnormal: the significand is in units of 2^(exponent - 150), the result in units of 2^-24. */
  shift = 126 - (magnitude >> 23);
  kept = magnitude & 0x7fffff | 0x800000;
  rest = kept & (1u << shift) - 1;
  kept >>= shift;

  return sign | kept + (rest > 1u << shift - 1 || (rest == 1u << shift - 1 && (kept & 1) != 0) ? 1 : 0);
}

uint64_t
calculate (uint64_t x, uint64_t y)
{
#ifdef WITH_F64
  precise double sum = uint64BitsToDouble (x) + uint64BitsToDouble (y);
  precise double product = uint64BitsToDouble (x) * uint64BitsToDouble (y);

  return doubleBitsToUint64 (KIND == COMBINE_ADD ? sum : product);
#else
  precise float sum = to_f32 (uint (x)) + to_f32 (uint (y));
  precise float product = to_f32 (uint (x)) * to_f32 (uint (y));

  return uint64_t (from_f32 (KIND == COMBINE_ADD ? sum : product));
#endif
}

/* Returns an unsigned number that has the same order as the elements. */
uint64_t
order_of (uint64_t bits)
{
  if (CLASS == COMBINE_UNSIGNED)
    return bits;
  if (CLASS == COMBINE_SIGNED || (bits & SIGN) == 0)
    return bits ^ SIGN;

  return bits ^ (SIGN | (SIGN - 1));
}

uint64_t
choose (uint64_t x, uint64_t y)
{
  bool is_float = CLASS == COMBINE_IEEE || CLASS == COMBINE_BF16;

  if (is_float && (x & (SIGN - 1)) > infinity ())
    return x;
  if (is_float && (y & (SIGN - 1)) > infinity ())
    return y;

  return order_of (x) < order_of (y) == (KIND == COMBINE_MINIMUM) ? x : y;
}

uint64_t
combine (uint64_t x, uint64_t y)
{
  switch (KIND)
    {
    case COMBINE_ASSIGN:
      return y;
    case COMBINE_MINIMUM:
    case COMBINE_MAXIMUM:
      return choose (x, y);
    case COMBINE_AND:
      return x & y;
    case COMBINE_OR:
      return x | y;
    case COMBINE_XOR:
      return x ^ y;
    default:
      if (CLASS == COMBINE_IEEE || CLASS == COMBINE_BF16)
        return calculate (x, y);
      return KIND == COMBINE_ADD ? x + y : x * y;
    }
}
