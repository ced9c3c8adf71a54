/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies elements with arbitrary strides into tensors: padded rows, flipped axes, broadcasts. The bounds of all
 * accesses are checked first.
 */

#include "runtime/value.h"

#include <string.h>

#include "base/element.h"

/* Computes how far the elements extend from the first one, in bytes: negative strides downwards, others upwards.
 * Returns FALSE on overflow. */
static gboolean
measure_extent (const GhloTensorType *type,
                const gint64         *strides,
                gint64               *low,
                gint64               *high)
{
  *low = 0;
  *high = ghlo_element_info (type->element_type)->size;
  for (guint i = 0; i < type->rank; i++)
    {
      gint64 reach;

      if (__builtin_mul_overflow (type->dimensions[i] - 1, strides[i], &reach)
          || __builtin_add_overflow (reach < 0 ? *low : *high, reach, reach < 0 ? low : high))
        return FALSE;
    }

  return *low > -G_MAXINT64 / 2 && *high < G_MAXINT64 / 2;
}

typedef struct
{
  const GhloTensorType *type;
  const gint64         *strides;
  gsize                 element_size;
  guint8               *target;       /* position of the next element */
} Copy;

static void
copy_row (Copy         *copy,
          const guint8 *source,
          gint64        n,
          gint64        stride)
{
  if (stride == (gint64) copy->element_size)
    {
      memcpy (copy->target, source, n * copy->element_size);
      copy->target += n * copy->element_size;
      return;
    }

  for (gint64 i = 0; i < n; i++)
    {
      memcpy (copy->target, source + i * stride, copy->element_size);
      copy->target += copy->element_size;
    }
}

static void
copy_axis (Copy         *copy,
           guint         axis,
           const guint8 *source)
{
  gint64 n = axis < copy->type->rank ? copy->type->dimensions[axis] : 1;

  if (axis + 1 >= copy->type->rank)
    {
      copy_row (copy, source, n, axis < copy->type->rank ? copy->strides[axis] : (gint64) copy->element_size);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    copy_axis (copy, axis + 1, source + i * copy->strides[axis]);
}

static void
copy_strided (GhloValue    *value,
              const guint8 *first,
              const gint64 *strides)
{
  Copy copy = { value->type, strides, ghlo_element_info (value->type->element_type)->size, value->data };

  copy_axis (&copy, 0, first);
}

GhloValue *
ghlo_value_new_strided (GhloTensorType  *type,
                        GBytes          *bytes,
                        const gint64    *byte_strides,
                        GError         **error)
{
  g_autoptr (GhloValue) value = ghlo_value_new_uninitialized (type, error);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gint64 low, high;

  if (value == NULL || value->n_elements == 0)
    return g_steal_pointer (&value);

  if (!measure_extent (type, byte_strides, &low, &high) || (guint64) (high - low) > size)
    {
      g_autofree char *text = ghlo_tensor_type_to_string (type);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "the strides of %s reach beyond the %" G_GSIZE_FORMAT " bytes given", text, size);
      return NULL;
    }

  copy_strided (value, data - low, byte_strides);

  return g_steal_pointer (&value);
}

GhloValue *
ghlo_value_new_copied (GhloTensorType  *type,
                       const guint8    *first,
                       const gint64    *byte_strides,
                       GError         **error)
{
  GhloValue *value = ghlo_value_new_uninitialized (type, error);

  if (value == NULL || value->n_elements == 0)
    return value;
  if (byte_strides != NULL)
    copy_strided (value, first, byte_strides);
  else
    memcpy (value->data, first, value->n_bytes);

  return value;
}
