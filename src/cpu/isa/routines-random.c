/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Threefry-2x32-20 and Philox-4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), for one
 * register of counters at a time. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#include <string.h>

#if defined (__SSE2__)
#include <immintrin.h>
#endif

enum { WIDTH = LANES (guint32), TOGETHER = 2 };

static inline VU32
all (guint32 value)
{
  return value - (VU32) { 0 };
}

/* The lower and upper words of @counter and of the counters that follow it. */
static inline void
count_up (guint64  counter,
          VU32    *low,
          VU32    *high)
{
  VU32 steps;

  for (guint i = 0; i < WIDTH; i++)
    steps[i] = i;
  *low = all ((guint32) counter) + steps;
  /* A comparison gives -1 where it is true: the carry. */
  *high = all ((guint32) (counter >> 32)) - (VU32) (*low < all ((guint32) counter));
}

#define ROUND(rotation) \
  do \
    { \
      x[0] += y[0]; \
      x[1] += y[1]; \
      y[0] = (y[0] << (rotation) | y[0] >> (32 - (rotation))) ^ x[0]; \
      y[1] = (y[1] << (rotation) | y[1] >> (32 - (rotation))) ^ x[1]; \
    } \
  while (0)

#define FOUR_ROUNDS(a, b, c, d, injection) \
  do \
    { \
      ROUND (a); \
      ROUND (b); \
      ROUND (c); \
      ROUND (d); \
      for (guint i = 0; i < TOGETHER; i++) \
        { \
          x[i] += k[(injection) % 3]; \
          y[i] += k[((injection) + 1) % 3] + (injection); \
        } \
    } \
  while (0)

static inline void
threefry (const guint32 k[3],
          guint64       counter,
          VU32          x[TOGETHER],
          VU32          y[TOGETHER])
{
  for (guint i = 0; i < TOGETHER; i++)
    {
      count_up (counter + i * WIDTH, &x[i], &y[i]);
      x[i] += k[0];
      y[i] += k[1];
    }
  FOUR_ROUNDS (13, 15, 26, 6, 1u);
  FOUR_ROUNDS (17, 29, 16, 24, 2u);
  FOUR_ROUNDS (13, 15, 26, 6, 3u);
  FOUR_ROUNDS (17, 29, 16, 24, 4u);
  FOUR_ROUNDS (13, 15, 26, 6, 5u);
}

void
NAME (threefry) (guint64  key,
                 guint64  counter,
                 gsize    n,
                 guint32 *first,
                 guint32 *second)
{
  const guint32 k[3] = { (guint32) key, (guint32) (key >> 32), (guint32) key ^ (guint32) (key >> 32) ^ 0x1bd11bda };

  for (gsize at = 0; at < n; at += TOGETHER * WIDTH)
    {
      gsize bytes = MIN (TOGETHER * WIDTH, n - at) * sizeof (guint32);
      VU32 x[TOGETHER], y[TOGETHER];

      threefry (k, counter + at, x, y);
      if (bytes == sizeof (x))
        {
          memcpy (first + at, x, sizeof (x));
          memcpy (second + at, y, sizeof (y));
          continue;
        }
      memcpy (first + at, x, bytes);
      memcpy (second + at, y, bytes);
    }
}

/* The lower and upper halves of the products. */
static inline void
multiply (VU32     x,
          guint32  factor,
          VU32    *low,
          VU32    *high)
{
#if defined (__SSE2__)
  const VU64 lower = (guint64) G_MAXUINT32 - (VU64) { 0 };
#if defined (__AVX512F__)
  VU64 even = (VU64) _mm512_mul_epu32 ((__m512i) x, _mm512_set1_epi32 ((gint32) factor));
  VU64 odd = (VU64) _mm512_mul_epu32 ((__m512i) ((VU64) x >> 32), _mm512_set1_epi32 ((gint32) factor));
#elif defined (__AVX2__)
  VU64 even = (VU64) _mm256_mul_epu32 ((__m256i) x, _mm256_set1_epi32 ((gint32) factor));
  VU64 odd = (VU64) _mm256_mul_epu32 ((__m256i) ((VU64) x >> 32), _mm256_set1_epi32 ((gint32) factor));
#else
  VU64 even = (VU64) _mm_mul_epu32 ((__m128i) x, _mm_set1_epi32 ((gint32) factor));
  VU64 odd = (VU64) _mm_mul_epu32 ((__m128i) ((VU64) x >> 32), _mm_set1_epi32 ((gint32) factor));
#endif

  *low = (VU32) ((even & lower) | odd << 32);
  *high = (VU32) (even >> 32 | (odd & ~lower));
#else
  for (guint i = 0; i < WIDTH; i++)
    {
      guint64 product = (guint64) x[i] * factor;

      (*low)[i] = (guint32) product;
      (*high)[i] = (guint32) (product >> 32);
    }
#endif
}

static inline void
philox (guint64 key,
        guint64 low,
        guint64 high,
        VU32    x[4])
{
  guint32 k0 = (guint32) key, k1 = (guint32) (key >> 32);

  count_up (low, &x[0], &x[1]);
  x[2] = all ((guint32) high);
  x[3] = all ((guint32) (high >> 32));
  UNROLL
  for (guint round = 0; round < 10; round++)
    {
      VU32 a_low, a_high, b_low, b_high;

      multiply (x[0], 0xd2511f53, &a_low, &a_high);
      multiply (x[2], 0xcd9e8d57, &b_low, &b_high);
      x[0] = b_high ^ x[1] ^ k0;
      x[1] = b_low;
      x[2] = a_high ^ x[3] ^ k1;
      x[3] = a_low;
      k0 += 0x9e3779b9;
      k1 += 0xbb67ae85;
    }
}

void
NAME (philox) (guint64  key,
               guint64  low,
               guint64  high,
               gsize    n,
               guint8  *words)
{
  for (gsize at = 0; at < n; at += WIDTH)
    {
      gsize counts = MIN (WIDTH, n - at);
      guint32 transposed[WIDTH][4];
      VU32 x[4];

      philox (key, low + at, high, x);
      for (guint i = 0; i < WIDTH; i++)
        for (guint j = 0; j < 4; j++)
          transposed[i][j] = x[j][i];
      memcpy (words + 16 * at, transposed, 16 * counts);
    }
}
