/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversions of f16 and bf16, of one element. bf16 is rounded with integer operations, because the processors' own
 * conversion flushes subnormals.
 */

#pragma once

#include "base/bits.h"
#include "cpu/isa/routines-private.h"

#include <string.h>

/* @bits are those of a float. */
static inline guint16
round_to_bf16 (guint32 bits)
{
  guint32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

  return (guint16) ((bits & 0x7fffffff) > 0x7f800000 ? bits >> 16 | 0x40 : rounded);
}

/* A multiplication adjusts the exponent and also normalizes subnormals. NaN keeps its payload and becomes quiet, as
 * in the processors' own conversions. */
static inline float
float_from_half (guint16 half)
{
#if defined (__F16C__)
  return _cvtsh_ss (half);
#else
  guint32 rest = (guint32) (half & 0x7fff) << 13;
  guint32 quiet = (half & 0x3ff) != 0 ? 0x7fc00000 : 0x7f800000;
  guint32 bits = (half & 0x7c00) == 0x7c00
                 ? rest | quiet : ghlo_bits_of_float (ghlo_float_of_bits (rest) * 0x1p112f);

  return ghlo_float_of_bits (bits | (guint32) (half & 0x8000) << 16);
#endif
}

static inline guint16
half_from_float (float value)
{
#if defined (__F16C__)
  return _cvtss_sh (value, _MM_FROUND_TO_NEAREST_INT);
#else
  guint32 bits = ghlo_bits_of_float (value);
  guint32 sign = bits >> 16 & 0x8000;
  guint32 rest = bits & 0x7fffffff;
  /* Below 2^-14 the last bit of a half is 2^-24, which is also the last bit of a float near 0.5. */
  guint32 small = ghlo_bits_of_float (ghlo_float_of_bits (rest) + 0.5f) - 0x3f000000;
  guint32 normal = (rest - ((127 - 15) << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
  guint32 half = rest < 0x38800000 ? small : normal;

  half = rest >= 0x477ff000 ? 0x7c00 : half;
  half = rest > 0x7f800000 ? 0x7e00 | (rest >> 13 & 0x3ff) : half;

  return (guint16) (half | sign);
#endif
}
