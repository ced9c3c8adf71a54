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
