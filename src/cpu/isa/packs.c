/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packs adjacent columns of a matrix in the order that tiles read, and converts them on the way, a register at a time.
 * Compiled for each level.
 */

#include "base/sizes.h"
#include "cpu/isa/halves-private.h"
#include "cpu/isa/packs.h"

#include <string.h>

static inline VF32
read_4 (const guint8 *first,
        const guint8 *second)
{
  return *(const VF32_any *) first;
}

static inline VF64
read_8 (const guint8 *first,
        const guint8 *second)
{
  return *(const VF64_any *) first;
}

static inline VF32
read_one_bf16 (const guint8 *first,
               const guint8 *second)
{
  return read_bf16 (first);
}

static inline VF32
read_one_f16 (const guint8 *first,
              const guint8 *second)
{
  return read_f16 (first);
}

/* Pairs of 16-bit numbers from two rows of bytes. */
#if defined (__AVX512BW__)
#define PAIRS(widen, pick) \
  const __m128i a = _mm_loadu_si128 ((const __m128i_u *) first), b = _mm_loadu_si128 ((const __m128i_u *) second); \
\
  return (VU32) _mm512_##widen (_mm256_set_m128i (_mm_unpackhi_epi8 (a, b), _mm_unpacklo_epi8 (a, b)));
#elif defined (__AVX2__)
#define PAIRS(widen, pick) \
  return (VU32) _mm256_##widen (_mm_unpacklo_epi8 (_mm_loadl_epi64 ((const __m128i_u *) first), \
                                                   _mm_loadl_epi64 ((const __m128i_u *) second)));
#else
#define PAIRS(widen, pick) \
  VU32 pairs; \
\
  for (guint i = 0; i < LANES (guint32); i++) \
    pairs[i] = (guint16) (pick) first[i] | (guint32) (guint16) (pick) second[i] << 16; \
\
  return pairs;
#endif

static inline VU32
read_i8 (const guint8 *first,
         const guint8 *second)
{
  PAIRS (cvtepi8_epi16, gint8)
}

static inline VU32
read_u8 (const guint8 *first,
         const guint8 *second)
{
  PAIRS (cvtepu8_epi16, guint8)
}

/* A group is of DEPTH rows, of elements of SIZE bytes. Rows that are shorter than a register are read and written with
 * what follows them, as far as that is in the matrix and in the bundle; it is overwritten by the next groups. */
#define PACK(name, T, V, SIZE, DEPTH, read) \
  static void \
  name (const guint8 *from, \
        gint64        step, \
        gsize         n_rows, \
        gsize         n_more, \
        gsize         n, \
        gsize         width, \
        gpointer      to_data) \
  { \
    enum { SIDE = LANES (T) }; \
    const gsize n_groups = ghlo_size_ceil_div (n_rows, DEPTH), n_full = n_rows / DEPTH; \
    const gsize over = n < SIDE ? SIDE - n : 0; \
    gsize group = 0, n_whole = n_full; \
    T *to = to_data; \
\
    while (over > 0 && n_whole > 0 \
           && ((gint64) (n_rows + n_more - n_whole * DEPTH) * step < (gint64) (over * SIZE) \
               || (n_whole - 1) * width + SIDE > (n_groups + n_more / DEPTH) * width)) \
      n_whole--; \
    for (; group < n_whole; group++, from += DEPTH * step, to += width) \
      { \
        const guint8 *second = from + (DEPTH - 1) * step; \
\
        for (gsize i = 0; i + SIDE < n; i += SIDE) \
          *(V##_any *) (to + i) = read (from + i * SIZE, second + i * SIZE); \
        *(V##_any *) (to + (n - SIDE + over)) = read (from + (n - SIDE + over) * SIZE, \
                                                      second + (n - SIDE + over) * SIZE); \
      } \
    for (; group < n_groups; group++, from += DEPTH * step, to += width) \
      for (gsize i = 0; i < n; i += SIDE) \
        { \
          const gsize part = MIN (n - i, SIDE); \
          guint8 rows[2][SIDE * SIZE] = { 0 }; \
          V numbers; \
\
          memcpy (rows[0], from + i * SIZE, part * SIZE); \
          if (DEPTH == 2 && group < n_full) \
            memcpy (rows[1], from + step + (gint64) (i * SIZE), part * SIZE); \
          numbers = read (rows[0], rows[1]); \
          memcpy (to + i, &numbers, part * sizeof (T)); \
        } \
  }

PACK (pack_4, float, VF32, 4, 1, read_4)
PACK (pack_8, double, VF64, 8, 1, read_8)
PACK (pack_bf16, float, VF32, 2, 1, read_one_bf16)
PACK (pack_f16, float, VF32, 2, 1, read_one_f16)
PACK (pack_i8, guint32, VU32, 1, 2, read_i8)
PACK (pack_u8, guint32, VU32, 1, 2, read_u8)

extern const GhloCpuPackFunc NAME (packs)[GHLO_CPU_N_PACKS];

const GhloCpuPackFunc NAME (packs)[GHLO_CPU_N_PACKS] = {
  [GHLO_CPU_PACK_4] = pack_4,
  [GHLO_CPU_PACK_8] = pack_8,
  [GHLO_CPU_PACK_BF16] = pack_bf16,
  [GHLO_CPU_PACK_F16] = pack_f16,
  [GHLO_CPU_PACK_I8] = pack_i8,
  [GHLO_CPU_PACK_U8] = pack_u8,
};
