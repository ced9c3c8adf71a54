/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversions of f16 and bf16, of one element or, of f16, of several. bf16 is rounded with integer operations, because
 * the processors' own conversion flushes subnormals.
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

/* The processors' own conversions of f16 are no operations that the compiler knows. */
static inline __attribute__ ((always_inline)) void
widen_halves (const guint8 *from,
              float        *to,
              gsize         n)
{
  gsize i = 0;

#if defined (__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps (to + i, _mm512_cvtph_ps (_mm256_loadu_si256 ((const __m256i_u *) (from + 2 * i))));
#endif
#if defined (__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps (to + i, _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i_u *) (from + 2 * i))));
  for (; i + 4 <= n; i += 4)
    _mm_storeu_ps (to + i, _mm_cvtph_ps (_mm_loadl_epi64 ((const __m128i_u *) (from + 2 * i))));
#endif
  for (; i < n; i++)
    to[i] = float_from_half (((const Unit2 *) from)[i]);
}

static inline __attribute__ ((always_inline)) void
narrow_halves (const float *from,
               guint8      *to,
               gsize        n)
{
  gsize i = 0;

#if defined (__AVX512F__)
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256 ((__m256i_u *) (to + 2 * i),
                         _mm512_cvtps_ph (_mm512_loadu_ps (from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
#if defined (__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128 ((__m128i_u *) (to + 2 * i),
                      _mm256_cvtps_ph (_mm256_loadu_ps (from + i), _MM_FROUND_TO_NEAREST_INT));
  for (; i + 4 <= n; i += 4)
    _mm_storel_epi64 ((__m128i_u *) (to + 2 * i), _mm_cvtps_ph (_mm_loadu_ps (from + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; i++)
    ((Unit2 *) to)[i] = half_from_float (from[i]);
}

/* As many elements as a register has of f32. GCC divides some of these conversions into several where they are written
 * as vectors. */
typedef guint16 VHalf __attribute__ ((vector_size (VECTOR_BYTES / 2), aligned (1), may_alias));

static inline VF32
read_bf16 (const guint8 *data)
{
#if defined (__AVX512F__)
  return (VF32) _mm512_slli_epi32 (_mm512_cvtepu16_epi32 (_mm256_loadu_si256 ((const __m256i_u *) data)), 16);
#elif defined (__AVX2__)
  return (VF32) _mm256_slli_epi32 (_mm256_cvtepu16_epi32 (_mm_loadu_si128 ((const __m128i_u *) data)), 16);
#else
  return (VF32) (__builtin_convertvector (*(const VHalf *) data, VU32) << 16);
#endif
}

static inline VF32
read_f16 (const guint8 *data)
{
#if defined (__AVX512F__)
  return (VF32) _mm512_cvtph_ps (_mm256_loadu_si256 ((const __m256i_u *) data));
#elif defined (__F16C__)
  return (VF32) _mm256_cvtph_ps (_mm_loadu_si128 ((const __m128i_u *) data));
#else
  VU32 half = __builtin_convertvector (*(const VHalf *) data, VU32);
  VU32 rest = (half & 0x7fff) << 13;
  VU32 special = (VU32) ((half & 0x7c00) == 0x7c00), is_nan = (VU32) ((half & 0x7fff) > 0x7c00);
  VU32 bits = ((VU32) ((VF32) rest * 0x1p112f) & ~special) | ((rest | 0x7f800000) & special) | (is_nan & 0x400000);

  return (VF32) (bits | (half & 0x8000) << 16);
#endif
}
