/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements. The bits of elements are flipped so that they are ordered as unsigned numbers; those of one byte
 * that this does not order come from a table.
 */

#include "cpu/sort/keys.h"

GhloCpuRank
ghlo_cpu_sort_key_rank (const GhloSortKey *self)
{
  guint64 sign = (guint64) 1 << (ghlo_sort_key_bits (self) - 1);
  GhloCpuRank rank = { .infinity = sign - 1 };

  rank.positive = (self->descending ? sign | (sign - 1) : 0) ^ (self->is_float || self->is_signed ? sign : 0);
  rank.negative = rank.positive ^ (self->is_float ? sign - 1 : 0);
  if (self->size == 1)
    {
      rank.negative = rank.positive;
      for (guint i = 0; i < 256; i++)
        rank.table |= self->ranks[i] != (guint8) (i ^ rank.positive);
      if (rank.table)
        rank.positive = rank.negative = 0;
    }
  else if (self->is_float)
    {
      rank.zero = self->zero_equal ? sign : 0;
      if (self->partial || self->nan_equal)
        rank.infinity = self->infinity;
      if (!self->partial)
        rank.nan = self->nan_bits ^ (self->nan_bits & sign ? rank.negative : rank.positive);
    }

  return rank;
}

static guint
rank_chunk (const GhloSortKey *self,
            const GhloCpuRank *rank,
            const guint8      *from,
            gint64             stride,
            const guint32     *positions,
            gsize              n,
            gboolean           append,
            gboolean           wide,
            gpointer           ranks)
{
  const GhloCpuRoutines *routines = ghlo_cpu_routines ();
  guint size = g_bit_storage (self->size) - 1, found = 0;
  guint64 raw[GHLO_CPU_SORT_CHUNK];
  gint64 offsets[GHLO_CPU_SORT_CHUNK];
  guint8 *bytes = (guint8 *) raw;

  for (gsize i = 0; positions != NULL && i < n; i++)
    offsets[i] = (gint64) positions[i] * stride;
  if (positions != NULL)
    routines->pick[size] (from, 0, offsets, bytes, 0, self->size, 1, n);
  else if (stride != self->size || rank->table)
    routines->move[size] (from, 0, stride, bytes, 0, self->size, 1, n);
  if (positions != NULL || stride != self->size || rank->table)
    from = bytes;
  for (gsize i = 0; rank->table && i < n; i++)
    {
      bytes[i] = self->ranks[bytes[i]];
      found |= self->partial && bytes[i] == 0 ? GHLO_CPU_RANK_NANS : 0;
    }

  return found | routines->sort.rank[wide ? 1 : 0][size] (rank, from, n, append, ranks);
}

guint
ghlo_cpu_sort_key_append (const GhloSortKey *self,
                          const GhloCpuRank *rank,
                          const guint8      *from,
                          gint64             stride,
                          const guint32     *positions,
                          gsize              n,
                          gboolean           append,
                          gboolean           wide,
                          gpointer           ranks)
{
  guint found = 0;

  for (gsize i = 0; i < n; i += GHLO_CPU_SORT_CHUNK)
    found |= rank_chunk (self, rank, from + self->offset + (positions != NULL ? 0 : (gint64) i * stride), stride,
                         positions != NULL ? positions + i : NULL, MIN (GHLO_CPU_SORT_CHUNK, n - i), append, wide,
                         (guint8 *) ranks + i * (wide ? 8 : 4));

  return found;
}
