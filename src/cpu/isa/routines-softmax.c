/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The passes of a softmax over a row of f32. Sums have the same order at every level. Compiled for each level, with
 * fused multiply-adds where the processor has them.
 *
 * The exponential is that of kernel/functions/exponential.c for numbers up to 0: e^x = 2^n e^r, n = round (x / ln 2),
 * and e^r = 1 + r + r² q (r).
 */

#include "cpu/isa/routines-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Numbers of a step: enough independent sums, and a whole number of registers at every level. */
enum { STEP = 32, REGISTERS = STEP * sizeof (float) / VECTOR_BYTES };

/* Adding it rounds to an integer and leaves that in the low bits. */
#define MAGIC 0x1.8p23f
#define UPPER 0x1.62e4p-1f
#define LOWER ((float) (M_LN2 - 0x1.62e4p-1))
/* e^x is 0 for lower x. Rounding to 0 takes processors a hundred times as long as other results, so it is avoided. */
#define LEAST -104.0f

#if defined (__AVX512F__)
typedef __mmask16 Mask;

static inline Mask
is_not_below (VF32  x,
              float y)
{
  return _mm512_cmp_ps_mask ((__m512) x, _mm512_set1_ps (y), _CMP_NLT_UQ);
}

static inline VF32
keep (Mask mask,
      VF32 x)
{
  return (VF32) _mm512_maskz_mov_ps (mask, (__m512) x);
}

/* p 2^n. */
static inline VF32
scale (VF32 p,
       VF32 n,
       VF32 shifted)
{
  return (VF32) _mm512_scalef_ps ((__m512) p, (__m512) n);
}
#else
typedef VI32 Mask;

static inline Mask
is_not_below (VF32  x,
              float y)
{
  return ~(x < y);
}

static inline VF32
keep (Mask mask,
      VF32 x)
{
  return (VF32) ((VI32) x & mask);
}

/* By two factors, which reach the subnormals. */
static inline VF32
scale (VF32 p,
       VF32 n,
       VF32 shifted)
{
  const VI32 whole = (VI32) shifted - (VI32) ((VF32) { 0 } + MAGIC), half = whole >> 1;

  return p * (VF32) ((half + 127) << 23) * (VF32) ((whole - half + 127) << 23);
}
#endif

/* The larger one; @y where @x is NaN. */
static inline VF32
larger (VF32 x,
        VF32 y)
{
#if defined (__AVX512F__)
  return (VF32) _mm512_max_ps ((__m512) x, (__m512) y);
#else
  const VI32 mask = x > y;

  return (VF32) (((VI32) x & mask) | ((VI32) y & ~mask));
#endif
}

static inline VF32
exponential (VF32 x)
{
  const Mask counts = is_not_below (x, LEAST);
  VF32 shifted, n, r, q;

  x = keep (counts, x);
  shifted = x * (float) M_LOG2E + MAGIC;
  n = shifted - MAGIC;
  r = n * -LOWER + (n * -UPPER + x);
  q = 0x1.123988p-7f + r * 0x1.694cd2p-10f;
  q = 0x1.555a26p-5f + r * q;
  q = 0x1.555492p-3f + r * q;
  q = 0x1.fffffap-2f + r * q;

  return keep (counts, scale (1.0f + (r + r * r * q), n, shifted));
}

/* Copies @n numbers to a step whose others are minus infinity. */
static inline void
fill_step (float       *step,
           const float *row,
           gsize        n)
{
  for (guint i = 0; i < STEP; i++)
    step[i] = -INFINITY;
  memcpy (step, row, n * sizeof *row);
}

static inline void
compare_step (const float *row,
              VF32        *maxima)
{
  UNROLL for (guint i = 0; i < REGISTERS; i++)
    maxima[i] = larger (*(const VF32_any *) (row + i * LANES (float)), maxima[i]);
}

static inline float
find_maximum (const float *row,
              gsize        n)
{
  float step[STEP];
  VF32 maxima[REGISTERS];
  gsize i = 0;

  UNROLL for (guint j = 0; j < REGISTERS; j++)
    maxima[j] = (VF32) { 0 } - INFINITY;
  for (; i + STEP <= n; i += STEP)
    compare_step (row + i, maxima);
  if (i < n)
    {
      fill_step (step, row + i, n - i);
      compare_step (step, maxima);
    }
  UNROLL for (guint half = REGISTERS / 2; half > 0; half /= 2)
    UNROLL for (guint j = 0; j < half; j++)
      maxima[j] = larger (maxima[j], maxima[j + half]);
  memcpy (step, maxima, VECTOR_BYTES);
  UNROLL for (guint half = LANES (float) / 2; half > 0; half /= 2)
    UNROLL for (guint j = 0; j < half; j++)
      step[j] = step[j] > step[j + half] ? step[j] : step[j + half];

  return step[0];
}

/* Weighs the numbers of a step and adds them to @sums. */
static inline void
weigh_step (float *row,
            float  factor,
            float  maximum,
            VF32  *sums)
{
  UNROLL for (guint i = 0; i < REGISTERS; i++)
    {
      VF32_any *at = (VF32_any *) (row + i * LANES (float));
      const VF32 weight = exponential (*at * factor - maximum);

      *at = weight;
      sums[i] += weight;
    }
}

static inline float
weigh (float *row,
       gsize  n,
       float  factor,
       float  maximum)
{
  float step[STEP];
  VF32 sums[REGISTERS];
  gsize i = 0;

  UNROLL for (guint j = 0; j < REGISTERS; j++)
    sums[j] = (VF32) { 0 };
  for (; i + STEP <= n; i += STEP)
    weigh_step (row + i, factor, maximum, sums);
  if (i < n)
    {
      fill_step (step, row + i, n - i);
      weigh_step (step, factor, maximum, sums);
      memcpy (row + i, step, (n - i) * sizeof *row);
    }
  UNROLL for (guint half = REGISTERS / 2; half > 0; half /= 2)
    UNROLL for (guint j = 0; j < half; j++)
      sums[j] += sums[j + half];
  memcpy (step, sums, VECTOR_BYTES);
  UNROLL for (guint half = LANES (float) / 2; half > 0; half /= 2)
    UNROLL for (guint j = 0; j < half; j++)
      step[j] += step[j + half];

  return step[0];
}

void
NAME (weigh) (float *rows,
              gsize  n_rows,
              gsize  stride,
              gsize  n,
              float  factor,
              float *maxima,
              float *totals)
{
  for (gsize i = 0; i < n_rows; i++, rows += stride)
    {
      const float maximum = factor * find_maximum (rows, n);

      maxima[i] = maximum > maxima[i] ? maximum : maxima[i];
      totals[i] = weigh (rows, n, factor, maxima[i]);
    }
}
