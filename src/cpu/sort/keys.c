/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks of elements. Ranks of one byte come from a table; the bits of wider elements are
 * flipped so that they are ordered as unsigned numbers.
 */

#include "cpu/sort/keys.h"

#include <math.h>
#include <string.h>

/* A double's position in the total order. */
static gint64
double_order (double number)
{
  guint64 bits;

  memcpy (&bits, &number, sizeof (bits));

  return bits >> 63 ? -1 - (gint64) (bits & G_MAXINT64) : (gint64) bits;
}

static gint64
byte_order (const GhloCpuSortKey *self,
            GhloElementType       type,
            guint8                byte)
{
  GhloScalar scalar = ghlo_element_load (type, &byte);

  if (!self->is_float)
    return scalar.i;
  if (self->zero_equal && scalar.f == 0)
    scalar.f = 0;
  if (self->nan_equal && isnan (scalar.f))
    {
      guint8 nan = (guint8) self->nan_bits;

      scalar = ghlo_element_load (type, &nan);
    }

  return self->partial && isnan (scalar.f) ? G_MININT64 : double_order (scalar.f);
}

/* The rank of a byte is the number of bytes below it, plus one where some bytes are not
 * ordered, since these have rank 0. */
static void
init_table (GhloCpuSortKey  *self,
            GhloElementType  type)
{
  gint64 orders[256];
  guint least = 0;

  for (guint i = 0; i < 256; i++)
    {
      orders[i] = byte_order (self, type, (guint8) i);
      if (orders[i] == G_MININT64)
        least = 1;
    }
  self->partial = least == 1;
  for (guint i = 0; i < 256; i++)
    {
      guint before = least;

      for (guint j = 0; j < 256; j++)
        before += orders[j] != G_MININT64 && (self->descending ? orders[j] > orders[i] : orders[j] < orders[i]);
      self->ranks[i] = orders[i] == G_MININT64 ? 0 : (guint8) before;
    }
}

gboolean
ghlo_cpu_sort_key_init (GhloCpuSortKey  *self,
                        GhloElementType  type)
{
  GhloElementType part = ghlo_element_type_real_part (type);
  const GhloElementInfo *info = ghlo_element_info (part);

  self->element_size = ghlo_element_info (type)->size;
  self->size = info->size;
  self->is_float = info->element_class == GHLO_ELEMENT_CLASS_FLOAT;
  self->is_signed = info->element_class == GHLO_ELEMENT_CLASS_SIGNED;
  if (info->element_class == GHLO_ELEMENT_CLASS_NONE
      || (self->size > 1 && self->is_float && info->specials != GHLO_FLOAT_IEEE)
      || (self->size > 1 && info->bits != 8 * self->size))
    return FALSE;
  self->infinity = (((guint64) 1 << info->exponent_bits) - 1) << info->mantissa_bits;
  if (self->size == 1)
    init_table (self, part);

  return TRUE;
}

static gboolean
rank_bytes (const GhloCpuSortKey *self,
            const guint8         *from,
            gint64                stride,
            const guint32        *positions,
            gsize                 n,
            gboolean              below,
            guint64              *ranks)
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

/* Ranks of parts of BITS bits, of which the highest is the sign. */
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
  order_floats_##BITS (const GhloCpuSortKey *self, \
                       guint##BITS          *raw, \
                       gsize                 n, \
                       guint##BITS           flip) \
  { \
    const guint##BITS magnitude = (guint##BITS) ~(guint##BITS) 0 >> 1, infinity = (guint##BITS) self->infinity; \
    const guint##BITS zero = self->zero_equal ? 0 : (guint##BITS) 1 << (BITS - 1); \
    const guint##BITS nan = order_##BITS ((guint##BITS) self->nan_bits) ^ flip; \
    guint##BITS unordered = 0; \
    \
    if (!ghlo_cpu_sort_key_is_lossy (self)) \
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
  rank_##BITS (const GhloCpuSortKey *self, \
               const guint8         *from, \
               gint64                stride, \
               const guint32        *positions, \
               gsize                 n, \
               gboolean              below, \
               guint64              *ranks) \
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
ghlo_cpu_sort_key_rank (const GhloCpuSortKey *self,
                        const guint8         *from,
                        gint64                stride,
                        const guint32        *positions,
                        gsize                 n,
                        gboolean              below,
                        guint64              *ranks)
{
  static gboolean (*const funcs[]) (const GhloCpuSortKey *, const guint8 *, gint64, const guint32 *, gsize, gboolean,
                                    guint64 *) = {
    [1] = rank_bytes, [2] = rank_16, [4] = rank_32, [8] = rank_64,
  };

  return funcs[self->size] (self, from + self->offset, stride, positions, n, below, ranks);
}

guint64
ghlo_cpu_sort_key_unrank (const GhloCpuSortKey *self,
                          guint64               rank)
{
  guint bits = ghlo_cpu_sort_key_bits (self);
  guint64 sign = (guint64) 1 << (bits - 1), mask = sign | (sign - 1);

  if (self->descending)
    rank ^= mask;
  if (self->is_float)
    return rank & sign ? rank ^ sign : rank ^ mask;

  return self->is_signed ? rank ^ sign : rank;
}
