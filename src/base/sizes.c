/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checked size arithmetic over shapes.
 */

#include "sizes.h"

gboolean
ghlo_shape_count (const gint64 *dimensions,
                  gsize         rank,
                  gsize        *count)
{
  gsize product = 1;
  gboolean empty = FALSE;

  for (gsize i = 0; i < rank; i++)
    {
      if (dimensions[i] < 0)
        return FALSE;
      empty |= dimensions[i] == 0;
    }

  /* An empty shape has no elements, however large its other dimensions are. */
  for (gsize i = 0; i < rank && !empty; i++)
    if (!ghlo_size_mul (&product, product, (gsize) dimensions[i]))
      return FALSE;

  *count = empty ? 0 : product;

  return TRUE;
}

void
ghlo_shape_strides (const gint64 *dimensions,
                    gsize         rank,
                    gint64        unit,
                    gint64       *strides)
{
  gint64 stride = unit;

  for (gsize i = rank; i-- > 0;)
    {
      gint64 next;

      if (__builtin_mul_overflow (stride, MAX (dimensions[i], 1), &next))
        stride = next = 0;
      strides[i] = stride;
      stride = next;
    }
}
