/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How tensors lie in memory, in PJRT's extension Layouts: without gaps, with their dimensions in some order. By rows,
 * from the outermost dimension to the innermost one, unless a program or a caller says otherwise.
 */

#pragma once

#include "pjrt/abi-extensions.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Immutable, and counted, but for those by rows, of which there is one by number of dimensions for the whole process:
 * two layouts by rows of as many dimensions are one. NULL for more dimensions than a tensor has. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_rows  (gsize                             rank);
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_ref   (PJRT_Layouts_MemoryLayout        *self);
void                       ghlo_pjrt_layout_unref (PJRT_Layouts_MemoryLayout        *self);
/* Of dimensions from the innermost to the outermost one; UNSUPPORTED where @order is no order of @rank dimensions. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_new   (const int64_t                    *order,
                                                   gsize                             rank,
                                                   GError                          **error);
/* As a caller says it; NULL: by rows. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_read  (const PJRT_Buffer_MemoryLayout   *said,
                                                   gsize                             rank,
                                                   GError                          **error);
/* As a program says it, of which callers are told in the same words: "{0,1}". */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_parse (const char                       *text,
                                                   gsize                             rank,
                                                   GError                          **error);

gboolean                   ghlo_pjrt_layout_is_rows (const PJRT_Layouts_MemoryLayout *self);
gboolean                   ghlo_pjrt_layout_equal   (const PJRT_Layouts_MemoryLayout *self,
                                                     const PJRT_Layouts_MemoryLayout *other);
const char                *ghlo_pjrt_layout_get_text (const PJRT_Layouts_MemoryLayout *self);
/* Dimensions from the innermost to the outermost one. */
const int64_t             *ghlo_pjrt_layout_get_order (const PJRT_Layouts_MemoryLayout *self);

/* What each dimension has, in the order of the tensor's dimensions, from the outermost to the innermost one in memory;
 * and the reverse. */
void                       ghlo_pjrt_layout_arrange (const PJRT_Layouts_MemoryLayout *self,
                                                     const gint64                    *by_dimension,
                                                     gint64                          *by_place);
void                       ghlo_pjrt_layout_restore (const PJRT_Layouts_MemoryLayout *self,
                                                     const gint64                    *by_place,
                                                     gint64                          *by_dimension);
/* The tensor by rows that lies as one of @type does in this layout, and the reverse; of plain numbers. */
GhloTensorType            *ghlo_pjrt_layout_get_stored (const PJRT_Layouts_MemoryLayout *self,
                                                     GhloTensorType                  *type);
GhloTensorType            *ghlo_pjrt_layout_get_type (const PJRT_Layouts_MemoryLayout *self,
                                                     GhloTensorType                  *stored);
/* The elements of a tensor of @type that lie at @data, in another layout. */
GhloValue                 *ghlo_pjrt_layout_convert (GhloTensorType                  *type,
                                                     const guint8                    *data,
                                                     const PJRT_Layouts_MemoryLayout *from,
                                                     const PJRT_Layouts_MemoryLayout *to,
                                                     GError                         **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PJRT_Layouts_MemoryLayout, ghlo_pjrt_layout_unref)

/* A tensor on a device, as callers describe it. */
typedef struct
{
  GhloTensorType            *type;      /* owned, as all */
  GhloTensorType            *stored;    /* what lies as it does, by rows */
  PJRT_Layouts_MemoryLayout *layout;
} GhloPjrtShape;

/* With whatever layout (nullable) callers want it to have there. INVALID_ARGUMENT for what fits into no memory,
 * UNSUPPORTED for elements and layouts that we have not; then there is nothing to clear. */
gboolean ghlo_pjrt_shape_read  (GhloPjrtShape                   *self,
                                PJRT_Buffer_Type                 element,
                                const int64_t                   *dims,
                                gsize                            n_dims,
                                const PJRT_Buffer_MemoryLayout  *layout,
                                GError                         **error);
void     ghlo_pjrt_shape_clear (GhloPjrtShape                   *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtShape, ghlo_pjrt_shape_clear)

/* Without its place in the list of extensions. */
void ghlo_pjrt_layouts_fill (PJRT_Layouts_Extension *extension);

G_END_DECLS
