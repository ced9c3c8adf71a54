/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Picks bytes of a few registers into one, at many places. Bytes that are not needed are neither read nor written.
 * Compiled for each level; only the highest has the instructions, and not all of its processors do.
 */

#include "cpu/isa/routines-private.h"

#if defined (__AVX512BW__)
#define VBMI __attribute__ ((target ("avx512vbmi")))

static inline __attribute__ ((always_inline)) VBMI void
shuffle_parts (const GhloCpuShuffle *self,
               const guint8         *from,
               gint64                from_row,
               gint64                from_column,
               guint8               *to,
               gint64                to_row,
               gint64                to_column,
               gsize                 rows,
               gsize                 columns,
               gsize                 cut,
               guint                 n)
{
  const __mmask64 all = self->n_bytes < 64 ? (1ull << self->n_bytes) - 1 : ~0ull;
  __m512i places[GHLO_CPU_SHUFFLE_MAX_PARTS];

  UNROLL for (guint k = 0; k < n; k++)
    places[k] = _mm512_loadu_si512 (self->places[k]);
  for (gsize i = 0; i < rows; i++)
    for (gsize next = 0; next < columns; next += cut)
      {
        const gint64 column = (gint64) MIN (next, columns - cut);
        const guint8 *source = from + (gint64) i * from_row + column * from_column;
        __m512i bytes = _mm512_setzero_si512 ();

        UNROLL for (guint k = 0; k < n; k++)
          {
            __m512i part = _mm512_maskz_loadu_epi8 (self->loads[k], source + self->offsets[k]);

            bytes = _mm512_mask_permutexvar_epi8 (bytes, self->stores[k], places[k], part);
          }
        _mm512_mask_storeu_epi8 (to + (gint64) i * to_row + column * to_column, all, bytes);
      }
}

static VBMI void
shuffle (const GhloCpuShuffle *self,
         const guint8         *from,
         gint64                from_row,
         gint64                from_column,
         guint8               *to,
         gint64                to_row,
         gint64                to_column,
         gsize                 rows,
         gsize                 columns,
         gsize                 cut)
{
#define PARTS(n) \
  case n: \
    shuffle_parts (self, from, from_row, from_column, to, to_row, to_column, rows, columns, cut, n); \
    break;

  switch (self->n_parts)
    {
      PARTS (1)
      PARTS (2)
      PARTS (3)
      PARTS (4)
      PARTS (5)
      PARTS (6)
      PARTS (7)
      default:
      PARTS (8)
    }
}

GhloCpuShuffleFunc
NAME (find_shuffle) (void)
{
  return __builtin_cpu_supports ("avx512vbmi") ? shuffle : NULL;
}
#else
GhloCpuShuffleFunc
NAME (find_shuffle) (void)
{
  return NULL;
}
#endif
