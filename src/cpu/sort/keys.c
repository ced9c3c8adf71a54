/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements. Ranks of one-byte elements come from a table; the bits of wider elements are flipped so that
 * they are ordered as unsigned numbers.
 */

#include "cpu/sort/keys.h"

#include <string.h>

static gboolean
rank_bytes (const GhloSortKey *self,
            const guint8      *from,
            gint64             stride,
            const guint32     *positions,
            gsize              n,
            gboolean           below,
            guint64           *ranks)
{
  gboolean unordered = FALSE;

  for (gsize i = 0; i < n; i++)
    {
      guint64 rank = self->ranks[from[(gint64) (positions != NULL ? positions[i] : i) * stride]];

      unordered |= rank == 0;
      ranks[i] = below ? ranks[i] << 8 | rank : rank;
    }

  return unordered && self->partial;
}

/* Ranks of parts of BITS bits, the highest of which is the sign. */
#define DEFINE_RANK(BITS) \
  typedef guint##BITS Unaligned##BITS __attribute__ ((aligned (1), may_alias)); \
  \
  static void \
  load_##BITS (const guint8  *from, \
               gint64         stride, \
               const guint32 *positions, \
               gsize          n, \
               guint##BITS   *raw) \
  { \
    if (positions != NULL) \
      for (gsize i = 0; i < n; i++) \
        raw[i] = *(const Unaligned##BITS *) (from + (gint64) positions[i] * stride); \
    else if (stride == BITS / 8) \
      memcpy (raw, from, n * (BITS / 8)); \
    else \
      for (gsize i = 0; i < n; i++) \
        raw[i] = *(const Unaligned##BITS *) (from + (gint64) i * stride); \
  } \
  \
  static inline guint##BITS \
  order_##BITS (guint##BITS raw) \
  { \
    const guint##BITS sign = (guint##BITS) ((guint##BITS) 1 << (BITS - 1)); \
    \
    return raw ^ (raw & sign ? (guint##BITS) ~(guint##BITS) 0 : sign); \
  } \
  \
  static gboolean \
  order_floats_##BITS (const GhloSortKey *self, \
                       guint##BITS       *raw, \
                       gsize              n, \
                       guint##BITS        flip) \
  { \
    const guint##BITS magnitude = (guint##BITS) ~(guint##BITS) 0 >> 1, infinity = (guint##BITS) self->infinity; \
    const guint##BITS zero = self->zero_equal ? 0 : (guint##BITS) 1 << (BITS - 1); \
    const guint##BITS nan = order_##BITS ((guint##BITS) self->nan_bits) ^ flip; \
    guint##BITS unordered = 0; \
    \
    if (!ghlo_sort_key_is_lossy (self)) \
      { \
        for (gsize i = 0; i < n; i++) \
          raw[i] = order_##BITS (raw[i]) ^ flip; \
        return FALSE; \
      } \
    for (gsize i = 0; i < n; i++) \
      { \
        guint##BITS bits = (raw[i] & magnitude) == 0 ? raw[i] & zero : raw[i]; \
        guint##BITS order = order_##BITS (bits) ^ flip; \
        \
        unordered |= (raw[i] & magnitude) > infinity; \
        raw[i] = (raw[i] & magnitude) <= infinity ? order : self->partial ? 0 : self->nan_equal ? nan : order; \
      } \
    return self->partial && unordered; \
  } \
  \
  static gboolean \
  rank_##BITS (const GhloSortKey *self, \
               const guint8      *from, \
               gint64             stride, \
               const guint32     *positions, \
               gsize              n, \
               gboolean           below, \
               guint64           *ranks) \
  { \
    guint##BITS raw[GHLO_CPU_SORT_CHUNK], flip = self->descending ? (guint##BITS) ~(guint##BITS) 0 : 0; \
    gboolean unordered = FALSE; \
    \
    load_##BITS (from, stride, positions, n, raw); \
    if (self->is_float) \
      unordered = order_floats_##BITS (self, raw, n, flip); \
    else \
      { \
        if (self->is_signed) \
          flip ^= (guint##BITS) ((guint##BITS) 1 << (BITS - 1)); \
        for (gsize i = 0; i < n; i++) \
          raw[i] ^= flip; \
      } \
    if (below && BITS < 64) \
      for (gsize i = 0; i < n; i++) \
        ranks[i] = ranks[i] << (BITS % 64) | raw[i]; \
    else \
      for (gsize i = 0; i < n; i++) \
        ranks[i] = raw[i]; \
    return unordered; \
  }

DEFINE_RANK (16)
DEFINE_RANK (32)
DEFINE_RANK (64)

gboolean
ghlo_cpu_sort_key_rank (const GhloSortKey *self,
                        const guint8      *from,
                        gint64             stride,
                        const guint32     *positions,
                        gsize              n,
                        gboolean           below,
                        guint64           *ranks)
{
  static gboolean (*const funcs[]) (const GhloSortKey *, const guint8 *, gint64, const guint32 *, gsize, gboolean,
                                    guint64 *) = {
    [1] = rank_bytes, [2] = rank_16, [4] = rank_32, [8] = rank_64,
  };

  return funcs[self->size] (self, from + self->offset, stride, positions, n, below, ranks);
}

guint64
ghlo_cpu_sort_key_unrank (const GhloSortKey *self,
                          guint64            rank)
{
  guint bits = ghlo_sort_key_bits (self);
  guint64 sign = (guint64) 1 << (bits - 1), mask = sign | (sign - 1);

  if (self->descending)
    rank ^= mask;
  if (self->is_float)
    return rank & sign ? rank ^ sign : rank ^ mask;

  return self->is_signed ? rank ^ sign : rank;
}
