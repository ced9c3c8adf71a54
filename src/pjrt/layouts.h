/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts of tensors in memory, in PJRT's extension Layouts: the dimensions in some order, without gaps. The layout
 * is row-major unless a program or a caller specifies another one.
 */

#pragma once

#include "pjrt/abi-extensions.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Returns the row-major layout; NULL when a tensor cannot have so many dimensions. Layouts are immutable. Row-major
 * layouts are static: there is one for each rank in the process, so they can be compared by address. Other layouts
 * are reference-counted. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_row_major (gsize                            rank);
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_ref       (PJRT_Layouts_MemoryLayout       *self);
void                       ghlo_pjrt_layout_unref     (PJRT_Layouts_MemoryLayout       *self);
/* Creates a layout from a list of dimensions, innermost first. Sets UNSUPPORTED when @order is not a permutation of
 * @rank dimensions. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_new       (const int64_t                   *order,
                                                       gsize                            rank,
                                                       GError                         **error);
/* Reads a caller's description; NULL means row-major. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_read      (const PJRT_Buffer_MemoryLayout  *specified,
                                                       gsize                            rank,
                                                       GError                         **error);
/* Parses the text that programs use, and that callers get: "{0,1}". */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_parse     (const char                      *text,
                                                       gsize                            rank,
                                                       GError                         **error);

gboolean       ghlo_pjrt_layout_is_row_major (const PJRT_Layouts_MemoryLayout *self);
gboolean       ghlo_pjrt_layout_equal        (const PJRT_Layouts_MemoryLayout *self,
                                              const PJRT_Layouts_MemoryLayout *other);
const char    *ghlo_pjrt_layout_get_text     (const PJRT_Layouts_MemoryLayout *self);
/* Returns the dimensions, innermost first. */
const int64_t *ghlo_pjrt_layout_get_order    (const PJRT_Layouts_MemoryLayout *self);

/* Permute one number per dimension: arrange from the order of the tensor's dimensions to the order in memory,
 * outermost first; restore back. */
void            ghlo_pjrt_layout_arrange    (const PJRT_Layouts_MemoryLayout  *self,
                                             const gint64                     *by_dimension,
                                             gint64                           *in_memory);
void            ghlo_pjrt_layout_restore    (const PJRT_Layouts_MemoryLayout  *self,
                                             const gint64                     *in_memory,
                                             gint64                           *by_dimension);
/* Convert between a type and its stored type, which is the type of the row-major tensor with the same content in
 * memory. Only for types that are not quantized. */
GhloTensorType *ghlo_pjrt_layout_get_stored (const PJRT_Layouts_MemoryLayout  *self,
                                          GhloTensorType                   *type);
GhloTensorType *ghlo_pjrt_layout_get_type   (const PJRT_Layouts_MemoryLayout  *self,
                                            GhloTensorType                   *stored);
/* Copies the elements at @data, of a tensor of @type, from one layout to another. */
GhloValue      *ghlo_pjrt_layout_convert    (GhloTensorType                   *type,
                                             const guint8                     *data,
                                             const PJRT_Layouts_MemoryLayout  *from,
                                             const PJRT_Layouts_MemoryLayout  *to,
                                             GError                          **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PJRT_Layouts_MemoryLayout, ghlo_pjrt_layout_unref)

/* A tensor on a device, as callers describe it. */
typedef struct
{
  GhloTensorType            *type;      /* owned, as are all fields */
  GhloTensorType            *stored;    /* the row-major tensor with the same content in memory */
  PJRT_Layouts_MemoryLayout *layout;
} GhloPjrtShape;

/* Reads a shape in the given layout (nullable). Sets INVALID_ARGUMENT for shapes that do not fit into memory,
 * UNSUPPORTED for element types and layouts that the library does not have; @self is then empty. */
gboolean ghlo_pjrt_shape_read  (GhloPjrtShape                   *self,
                                PJRT_Buffer_Type                 element,
                                const int64_t                   *dims,
                                gsize                            n_dims,
                                const PJRT_Buffer_MemoryLayout  *layout,
                                GError                         **error);
void     ghlo_pjrt_shape_clear (GhloPjrtShape                   *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GhloPjrtShape, ghlo_pjrt_shape_clear)

/* Fills in the extension except for its link in the list of extensions. */
void ghlo_pjrt_layouts_fill (PJRT_Layouts_Extension *extension);

G_END_DECLS
