/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts short columns side by side by Batcher's merge exchange sort (Knuth, "The Art of Computer Programming", volume
 * 3, algorithm 5.2.2M). Which rows it compares does not depend on the numbers, so that a register holds one row of
 * several columns. Compiled for each level.
 */

#include "cpu/isa/routines-private.h"

#if defined (__AVX2__)
#include <immintrin.h>
#endif

/* Puts the smaller of each two numbers into @a and the larger into @b. */
static inline void
exchange_32 (VU32 *a,
             VU32 *b)
{
#if defined (__AVX512F__)
  __m512i low = _mm512_min_epu32 ((__m512i) *a, (__m512i) *b);

  *b = (VU32) _mm512_max_epu32 ((__m512i) *a, (__m512i) *b);
  *a = (VU32) low;
#elif defined (__AVX2__)
  __m256i low = _mm256_min_epu32 ((__m256i) *a, (__m256i) *b);

  *b = (VU32) _mm256_max_epu32 ((__m256i) *a, (__m256i) *b);
  *a = (VU32) low;
#else
  VU32 swap = (VU32) (*a > *b) & (*a ^ *b);

  *a ^= swap;
  *b ^= swap;
#endif
}

static inline void
exchange_64 (VU64 *a,
             VU64 *b)
{
#if defined (__AVX512F__)
  __m512i low = _mm512_min_epu64 ((__m512i) *a, (__m512i) *b);

  *b = (VU64) _mm512_max_epu64 ((__m512i) *a, (__m512i) *b);
  *a = (VU64) low;
#else
  VU64 swap = (VU64) (*a > *b) & (*a ^ *b);

  *a ^= swap;
  *b ^= swap;
#endif
}

#define DEFINE_COLUMNS(NAME_, T, EXCHANGE) \
  static inline void \
  exchange_##NAME_ (T *upper, \
                    T *lower) \
  { \
    UNROLL \
    for (guint i = 0; i < GHLO_CPU_SORT_COLUMNS; i += LANES (T)) \
      EXCHANGE ((gpointer) (upper + i), (gpointer) (lower + i)); \
  } \
  \
  void \
  NAME (NAME_) (gpointer rows, \
                gsize    n) \
  { \
    T (*row)[GHLO_CPU_SORT_COLUMNS] = rows; \
    gsize most = 1; \
    \
    while (2 * most < n) \
      most *= 2; \
    for (gsize p = most; n > 1 && p > 0; p /= 2) \
      { \
        gsize q = most, r = 0, d = p; \
        \
        while (TRUE) \
          { \
            /* All i whose bit p equals that of r. */ \
            for (gsize block = r; block + d < n; block += 2 * p) \
              for (gsize i = block; i < MIN (block + p, n - d); i++) \
                exchange_##NAME_ (row[i], row[i + d]); \
            if (q == p) \
              break; \
            d = q - p; \
            q /= 2; \
            r = p; \
          } \
      } \
  }

DEFINE_COLUMNS (sort_columns_32, guint32, exchange_32)
DEFINE_COLUMNS (sort_columns_64, guint64, exchange_64)
