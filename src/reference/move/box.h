/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Copies of boxes: the elements of an index space are copied from one strided place
 * to another. Reshape, slice, transpose, broadcast, pad and gather amount to one or
 * a few such copies of raw element bytes.
 *
 * A box is prepared once (unit dimensions dropped, contiguous ones merged, the
 * others ordered for cache locality) and can then be copied between any two places.
 */

#pragma once

#include "base/sizes.h"
#include "reference/kernel.h"

G_BEGIN_DECLS

typedef struct
{
  guint    rank;                          /* number of loops around the contiguous runs */
  gboolean empty;
  gsize    size;                          /* size of an element in bytes */
  gsize    run;                           /* bytes copied at once; a multiple of size */
  gint64   dimensions[GHLO_MAX_RANK];
  gint64   dst[GHLO_MAX_RANK];            /* strides in bytes; may be negative */
  gint64   src[GHLO_MAX_RANK];            /* strides in bytes; 0 repeats */
} GhloRefBox;

/* @dst_strides and @src_strides are in elements. */
void     ghlo_ref_box_init (GhloRefBox   *self,
                            gsize         element_size,
                            guint         rank,
                            const gint64 *dimensions,
                            const gint64 *dst_strides,
                            const gint64 *src_strides);
/* Copies from @src to @dst, which point at the first elements of the box and must not overlap. FALSE with
 * @error set when the run is to stop. */
gboolean ghlo_ref_box_copy (const GhloRefBox *self,
                            GhloRefCall      *call,
                            guint8           *dst,
                            const guint8     *src,
                            GError          **error);
/* The same for a box that is known to be small: does not check whether the run is to stop. */
void     ghlo_ref_box_copy_small (const GhloRefBox *self,
                                  guint8           *dst,
                                  const guint8     *src);
/* Both steps in one call, for a box that is copied only once. */
gboolean ghlo_ref_copy     (GhloRefCall  *call,
                            gsize         element_size,
                            guint         rank,
                            const gint64 *dimensions,
                            guint8       *dst,
                            const gint64 *dst_strides,
                            const guint8 *src,
                            const gint64 *src_strides,
                            GError      **error);
/* Copies @n adjacent bytes. */
gboolean ghlo_ref_copy_bytes (GhloRefCall  *call,
                              guint8       *dst,
                              const guint8 *src,
                              gsize         n,
                              GError      **error);
/* Writes @count copies of the element at @element. FALSE when @call (nullable) is to stop. */
gboolean ghlo_ref_fill     (GhloRefCall  *call,
                            guint8       *dst,
                            const guint8 *element,
                            gsize         element_size,
                            gsize         count,
                            GError      **error);

G_END_DECLS
