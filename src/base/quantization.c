/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quantization parameters: reference-counted, compared by value, spelled as in MLIR's quant dialect.
 */

#include "tensor-type.h"

#include <math.h>
#include <string.h>

#include "float-text.h"
#include "hash.h"

GhloQuantization *
ghlo_quantization_new (GhloElementType  storage,
                       GhloElementType  expressed,
                       gint64           storage_min,
                       gint64           storage_max,
                       gint32           axis,
                       const double    *scales,
                       const gint64    *zero_points,
                       gsize            n_scales)
{
  GhloQuantization *self = g_new0 (GhloQuantization, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->storage = storage;
  self->expressed = expressed;
  self->storage_min = storage_min;
  self->storage_max = storage_max;
  self->axis = axis;
  self->n_scales = (guint32) n_scales;
  self->scales = g_memdup2 (scales, n_scales * sizeof scales[0]);
  self->zero_points = g_memdup2 (zero_points, n_scales * sizeof zero_points[0]);

  return self;
}

GhloQuantization *
ghlo_quantization_ref (GhloQuantization *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_quantization_unref (GhloQuantization *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_free (self->scales);
  g_free (self->zero_points);
  g_free (self);
}

gboolean
ghlo_quantization_equal (const GhloQuantization *a,
                         const GhloQuantization *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL)
    return FALSE;
  if (a->storage != b->storage || a->expressed != b->expressed || a->axis != b->axis
      || a->storage_min != b->storage_min || a->storage_max != b->storage_max || a->n_scales != b->n_scales)
    return FALSE;

  return a->n_scales == 0
         || (memcmp (a->scales, b->scales, a->n_scales * sizeof a->scales[0]) == 0
             && memcmp (a->zero_points, b->zero_points, a->n_scales * sizeof a->zero_points[0]) == 0);
}

guint64
ghlo_quantization_hash (const GhloQuantization *self)
{
  GhloHash hash = ghlo_hash_begin ();

  ghlo_hash_add (&hash, (guint64) self->storage << 32 | self->expressed);
  ghlo_hash_add (&hash, (guint64) self->storage_min);
  ghlo_hash_add (&hash, (guint64) self->storage_max);
  ghlo_hash_add (&hash, (guint32) self->axis);
  ghlo_hash_add_bytes (&hash, self->scales, self->n_scales * sizeof self->scales[0]);
  ghlo_hash_add_bytes (&hash, self->zero_points, self->n_scales * sizeof self->zero_points[0]);

  return ghlo_hash_end (&hash);
}

GhloElementType
ghlo_quantization_find_storage (GhloElementClass element_class,
                                guint            bits)
{
  for (guint i = GHLO_ELEMENT_TYPE_I2; i <= GHLO_ELEMENT_TYPE_UI32; i++)
    if (ghlo_element_info (i)->element_class == element_class && ghlo_element_info (i)->bits == bits)
      return bits <= GHLO_QUANTIZATION_MAX_BITS ? i : GHLO_ELEMENT_TYPE_INVALID;

  return GHLO_ELEMENT_TYPE_INVALID;
}

void
ghlo_quantization_get_range (GhloElementType  storage,
                             gint64          *min,
                             gint64          *max)
{
  const GhloElementInfo *info = ghlo_element_info (storage);
  const gboolean is_unsigned = info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;

  *max = ((gint64) 1 << (info->bits - !is_unsigned)) - 1;
  *min = is_unsigned ? 0 : -*max - 1;
}

gboolean
ghlo_quantization_is_scale (GhloElementType expressed,
                            double          scale)
{
  const GhloElementInfo *info = ghlo_element_info (expressed);
  const double smallest = ldexp (1.0, 1 - info->bias - info->mantissa_bits);

  return scale > 0 && scale >= smallest && isfinite (scale)
         && isfinite (ghlo_element_round (expressed, (GhloScalar) { .f = scale }).f);
}

char *
ghlo_quantization_check_shape (const GhloQuantization *self,
                               const gint64           *dimensions,
                               gsize                   rank)
{
  if (self->axis < 0)
    return NULL;
  if ((gsize) self->axis >= rank)
    return g_strdup_printf ("expected an axis below %" G_GSIZE_FORMAT ", the number of dimensions, found %d", rank,
                            self->axis);
  if (dimensions[self->axis] >= 0 && dimensions[self->axis] != self->n_scales)
    return g_strdup_printf ("expected %" G_GINT64_FORMAT " scales, one for each index along axis %d, found %u",
                            dimensions[self->axis], self->axis, self->n_scales);

  return NULL;
}

/* Appends "i8" or "ui8", followed by "<-127:127>" where the range is not the full range of the type. */
static void
append_storage (const GhloQuantization *self,
                GString                *string)
{
  const GhloElementInfo *info = ghlo_element_info (self->storage);
  gboolean is_unsigned = info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED;
  gint64 min, max;

  ghlo_quantization_get_range (self->storage, &min, &max);
  g_string_append_printf (string, "%s%u", is_unsigned ? "ui" : "i", info->bits);
  if (self->storage_min != min || self->storage_max != max)
    g_string_append_printf (string, "<%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ">",
                            self->storage_min, self->storage_max);
}

static void
append_scale (const GhloQuantization *self,
              guint                   index,
              GString                *string)
{
  gsize start = string->len;
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  /* Scales cannot be written in hexadecimal. */
  ghlo_float_append (string, GHLO_ELEMENT_TYPE_F64,
                     ghlo_float_to_bits (GHLO_ELEMENT_TYPE_F64, self->scales[index]));
  if (g_str_has_prefix (string->str + start, "0x"))
    {
      g_string_truncate (string, start);
      g_string_append (string, g_ascii_formatd (digits, sizeof digits, "%.16e", self->scales[index]));
    }
  if (self->zero_points[index] != 0)
    g_string_append_printf (string, ":%" G_GINT64_FORMAT, self->zero_points[index]);
}

void
ghlo_quantization_append (const GhloQuantization *self,
                          GString                *string)
{
  g_string_append (string, "!quant.uniform<");
  append_storage (self, string);
  g_string_append_printf (string, ":%s", ghlo_element_type_to_string (self->expressed));
  if (self->axis < 0)
    {
      g_string_append (string, ", ");
      append_scale (self, 0, string);
    }
  else
    {
      g_string_append_printf (string, ":%d, {", self->axis);
      for (guint i = 0; i < self->n_scales; i++)
        {
          if (i > 0)
            g_string_append_c (string, ',');
          append_scale (self, i, string);
        }
      g_string_append_c (string, '}');
    }
  g_string_append_c (string, '>');
}
