/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts, in PJRT's extension of that name. Ours are all alike, rows without gaps, so that a layout is known by the
 * number of its dimensions, and there is one of each for the whole process.
 */

#pragma once

#include "pjrt/abi-extensions.h"
#include "runtime/value.h"

G_BEGIN_DECLS

/* Not freed; NULL for more dimensions than a tensor has. */
PJRT_Layouts_MemoryLayout *ghlo_pjrt_layout_get   (gsize                            rank);
/* Its dimensions from the innermost to the outermost one. */
const int64_t             *ghlo_pjrt_layout_order (const PJRT_Layouts_MemoryLayout *self);

/* The dimensions of @layout from the outermost to the innermost one, of which there are at most GHLO_MAX_RANK; FALSE
 * where it is no order of all of them. */
gboolean ghlo_pjrt_layout_read_order (const PJRT_Buffer_MemoryLayout  *layout,
                                      gsize                            rank,
                                      gsize                           *order);
/* A copy of @value, which is on the host, with its dimensions in @order, from the outermost to the innermost one. */
GhloValue *ghlo_pjrt_layout_reorder  (const GhloValue                 *value,
                                      const gsize                     *order,
                                      GError                         **error);
/* Whether the layout (nullable) is ours; UNSUPPORTED for another. */
gboolean ghlo_pjrt_layout_check      (const PJRT_Buffer_MemoryLayout  *layout,
                                      gsize                            rank,
                                      GError                         **error);

/* Without its place in the list of extensions. */
void ghlo_pjrt_layouts_fill (PJRT_Layouts_Extension *extension);

G_END_DECLS
