/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Initializes what ranks are computed from.
 */

#include "kernel/sort-key.h"

#include <math.h>
#include <string.h>

/* Maps a double to its position in the total order. */
static gint64
double_order (double number)
{
  guint64 bits;

  memcpy (&bits, &number, sizeof (bits));

  return bits >> 63 ? -1 - (gint64) (bits & G_MAXINT64) : (gint64) bits;
}

static gint64
byte_order (const GhloSortKey *self,
            GhloElementType    type,
            guint8             byte)
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

/* The rank of a byte is the number of bytes that sort before it, plus one if there are unordered bytes, which have rank
 * 0. */
static void
init_table (GhloSortKey    *self,
            GhloElementType type)
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
ghlo_sort_key_init (GhloSortKey  *self,
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
