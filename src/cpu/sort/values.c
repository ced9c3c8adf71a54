/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts elements to numbers and back. Elements of one byte are only counted.
 */

#include "cpu/sort/values.h"

#include "cpu/sort/keys.h"
#include "cpu/sort/numbers.h"

#include <string.h>

#define DEFINE_LOAD(BITS, NUMBER) \
  static gboolean \
  load_##BITS (GhloCpuSortValues *self, \
               const GhloSortKey *key, \
               const guint8      *from, \
               gint64             stride, \
               gsize              n, \
               NUMBER            *numbers, \
               const GhloMonitor *monitor) \
  { \
    typedef guint##BITS Unaligned __attribute__ ((aligned (1), may_alias)); \
    const guint##BITS magnitude = (guint##BITS) ~(guint##BITS) 0 >> 1, infinity = (guint##BITS) key->infinity; \
    Unaligned *nans = (Unaligned *) self->nans; \
    gboolean nan_equal = key->nan_equal && !key->partial; \
    gsize to = 0, n_zeros = 0, n_nans = 0; \
    guint64 ranks[GHLO_CPU_SORT_CHUNK]; \
    \
    for (gsize i = 0; i < n; i += GHLO_CPU_SORT_CHUNK) \
      { \
        gsize length = MIN (GHLO_CPU_SORT_CHUNK, n - i); \
        \
        if (ghlo_cpu_sort_is_cancelled (i, monitor)) \
          return FALSE; \
        self->unordered |= ghlo_cpu_sort_key_rank (key, from, stride, NULL, length, FALSE, ranks); \
        for (gsize j = 0; j < length; j++) \
          { \
            guint##BITS bits = *(const Unaligned *) (from + (gint64) j * stride), size = bits & magnitude; \
            \
            if (!ghlo_sort_key_is_lossy (key)) \
              { \
                numbers[to++] = (NUMBER) ranks[j]; \
                continue; \
              } \
            numbers[to] = (NUMBER) ranks[j]; \
            self->signs[n_zeros] = (guint8) (bits >> (BITS - 1)); \
            nans[n_nans] = bits; \
            self->negative |= size == 0 && bits != 0; \
            n_zeros += size == 0; \
            n_nans += nan_equal && size > infinity; \
            to += !(nan_equal && size > infinity); \
          } \
        from += (gint64) length * stride; \
      } \
    self->n_zeros = key->zero_equal ? n_zeros : 0; \
    self->n_nans = n_nans; \
    self->n_numbers = to; \
    return TRUE; \
  } \
  \
  static void \
  store_##BITS (const GhloSortKey *key, \
                gconstpointer      numbers, \
                gsize              n, \
                guint8            *to) \
  { \
    typedef guint##BITS Unaligned __attribute__ ((aligned (1), may_alias)); \
    const guint##BITS sign = (guint##BITS) ((guint##BITS) 1 << (BITS - 1)), all = (guint##BITS) ~(guint##BITS) 0; \
    const guint##BITS flip = key->descending ? all : 0; \
    const NUMBER *from = numbers; \
    Unaligned *elements = (Unaligned *) to; \
    \
    if (key->is_float) \
      for (gsize i = 0; i < n; i++) \
        { \
          guint##BITS rank = (guint##BITS) from[i] ^ flip; \
          \
          elements[i] = rank ^ (rank & sign ? sign : all); \
        } \
    else \
      for (gsize i = 0; i < n; i++) \
        elements[i] = (guint##BITS) from[i] ^ flip ^ (key->is_signed ? sign : 0); \
  } \
  \
  /* Returns the index of the first number that is not below @rank. */ \
  static gsize \
  find_##BITS (gconstpointer numbers, \
               gsize         n, \
               guint64       rank) \
  { \
    gsize low = 0; \
    \
    while (low < n) \
      { \
        gsize middle = low + (n - low) / 2; \
        \
        if (((const NUMBER *) numbers)[middle] < rank) \
          low = middle + 1; \
        else \
          n = middle; \
      } \
    return low; \
  }

DEFINE_LOAD (16, guint32)
DEFINE_LOAD (32, guint32)
DEFINE_LOAD (64, guint64)

gboolean
ghlo_cpu_sort_values_load (GhloCpuSortValues        *self,
                           const GhloSortComparator *comparator,
                           const guint8             *from,
                           gsize                     n,
                           gsize                     begin,
                           gsize                     end,
                           gpointer                  numbers,
                           const GhloMonitor        *monitor)
{
  const GhloSortKey *key = &comparator->keys[0];
  gint64 stride = key->size;

  self->negative = self->unordered = FALSE;
  from += (comparator->reverses_equal ? n - 1 - begin : begin) * key->size;
  if (comparator->reverses_equal)
    stride = -stride;
  if (key->size == 8)
    return load_64 (self, key, from, stride, end - begin, numbers, monitor);
  if (key->size == 4)
    return load_32 (self, key, from, stride, end - begin, numbers, monitor);

  return load_16 (self, key, from, stride, end - begin, numbers, monitor);
}

/* Counts the NaN, where they are equal. They come before all numbers if *@first, else after them. */
static gsize
find_nans (const GhloCpuSortValues *parts,
           guint                    n_parts,
           const GhloSortKey       *key,
           gboolean                *first)
{
  gboolean negative = key->nan_bits >> (8 * key->size - 1) & 1;
  gsize n = 0;

  for (guint i = 0; i < n_parts; i++)
    n += parts[i].n_nans;
  *first = negative != key->descending;

  return n;
}

void
ghlo_cpu_sort_values_store (const GhloCpuSortValues *parts,
                            guint                    n_parts,
                            const GhloSortKey       *key,
                            gconstpointer            numbers,
                            gsize                    begin,
                            gsize                    end,
                            guint8                  *to)
{
  gboolean first;
  gsize n_nans = find_nans (parts, n_parts, key, &first);

  to += (begin + (first ? n_nans : 0)) * key->size;
  if (key->size == 8)
    store_64 (key, (const guint64 *) numbers + begin, end - begin, to);
  else if (key->size == 4)
    store_32 (key, (const guint32 *) numbers + begin, end - begin, to);
  else
    store_16 (key, (const guint32 *) numbers + begin, end - begin, to);
}

static void
store_zeros (const GhloCpuSortValues *part,
             guint                    size,
             guint8                  *to)
{
  guint highest = G_BYTE_ORDER == G_LITTLE_ENDIAN ? size - 1 : 0;

  memset (to, 0, part->n_zeros * size);
  for (gsize i = 0; i < part->n_zeros; i++)
    to[i * size + highest] = (guint8) (part->signs[i] << 7);
}

void
ghlo_cpu_sort_values_store_kept (const GhloCpuSortValues *parts,
                                 guint                    n_parts,
                                 const GhloSortKey       *key,
                                 gconstpointer            numbers,
                                 gsize                    n,
                                 guint8                  *to)
{
  gboolean first, negative = FALSE;
  gsize n_nans = find_nans (parts, n_parts, key, &first), at;
  guint8 *nans = to + (first ? 0 : n * key->size), *zeros = to + (first ? n_nans * key->size : 0);

  for (guint i = 0; i < n_parts; i++)
    {
      memcpy (nans, parts[i].nans, parts[i].n_nans * key->size);
      nans += parts[i].n_nans * key->size;
      negative |= parts[i].n_zeros > 0 && parts[i].negative;
    }
  if (!negative)
    return;

  /* Zeros begin at the rank of +0, the smallest above the ranks of negative numbers. */
  if (key->size == 8)
    at = find_64 (numbers, n, G_GUINT64_CONSTANT (1) << 63 ^ (key->descending ? G_MAXUINT64 : 0));
  else if (key->size == 4)
    at = find_32 (numbers, n, (guint32) (1u << 31) ^ (key->descending ? G_MAXUINT32 : 0));
  else
    at = find_16 (numbers, n, (guint16) (1u << 15) ^ (key->descending ? G_MAXUINT16 : 0));
  zeros += at * key->size;
  for (guint i = 0; i < n_parts; i++)
    {
      store_zeros (&parts[i], key->size, zeros);
      zeros += parts[i].n_zeros * key->size;
    }
}

/* Sorts bytes stably, for the case that different bytes have the same rank. */
static gboolean
scatter_bytes (const GhloSortComparator *comparator,
               const guint8             *from,
               guint8                   *to,
               gsize                     n,
               gsize                        offsets[256],
               const GhloMonitor           *monitor)
{
  const guint8 *ranks = comparator->keys[0].ranks;

  for (gsize i = 0; i < n; i++)
    {
      guint8 byte = from[comparator->reverses_equal ? n - 1 - i : i];

      if (ghlo_cpu_sort_is_cancelled (i, monitor))
        return FALSE;
      to[offsets[ranks[byte]]++] = byte;
    }

  return TRUE;
}

gboolean
ghlo_cpu_sort_bytes (const GhloSortComparator *comparator,
                     const guint8             *from,
                     guint8                   *to,
                     gsize                     n,
                     guint8                   *copy,
                     const GhloMonitor        *monitor,
                     gboolean                 *unordered)
{
  const GhloSortKey *key = &comparator->keys[0];
  gsize counts[4][256] = { { 0 } }, offsets[257] = { 0 };
  gint16 bytes[256];
  gboolean ambiguous = FALSE;

  memset (bytes, -1, sizeof (bytes));
  for (gsize begin = 0; begin < n; begin += GHLO_CPU_SORT_CHECK_INTERVAL)
    {
      if (ghlo_cpu_sort_is_cancelled (begin, monitor))
        return FALSE;
      for (gsize i = begin; i < MIN (begin + GHLO_CPU_SORT_CHECK_INTERVAL, n); i++)
        counts[i % 4][from[i]]++;
    }
  for (guint i = 0; i < 256; i++)
    {
      gsize count = counts[0][i] + counts[1][i] + counts[2][i] + counts[3][i];
      guint8 rank = key->ranks[i];

      if (count == 0)
        continue;
      if (key->partial && rank == 0)
        {
          *unordered = TRUE;
          return FALSE;
        }
      ambiguous |= bytes[rank] >= 0;
      bytes[rank] = (gint16) i;
      offsets[rank + 1] += count;
    }
  for (guint i = 0; i < 256; i++)
    offsets[i + 1] += offsets[i];
  if (ambiguous)
    return (to != from || ghlo_cpu_sort_copy (copy, from, n, monitor))
           && scatter_bytes (comparator, to != from ? from : copy, to, n, offsets, monitor);
  for (guint i = 0; i < 256; i++)
    for (gsize at = offsets[i]; at < offsets[i + 1]; at += GHLO_CPU_SORT_CHECK_INTERVAL)
      {
        if (ghlo_cpu_sort_is_cancelled (at - offsets[i], monitor))
          return FALSE;
        memset (to + at, bytes[i], MIN (GHLO_CPU_SORT_CHECK_INTERVAL, offsets[i + 1] - at));
      }

  return TRUE;
}
