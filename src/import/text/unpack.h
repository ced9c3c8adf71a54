/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Converts the data of constants between MLIR's encoding, in
 * text, artifacts and resources, and the layout of buffers.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* Converts @raw, @n elements as MLIR packs them, to buffer layout. Returns @raw itself if it has that layout already,
 * else a copy. With @allow_splat, @raw may be one element that stands for all: then *@splat is TRUE and the result
 * has one element. Takes ownership of @raw. Returns NULL if the size of @raw fits neither case, or if memory does not
 * suffice for a copy; *@missing is then the size of the copy, and 0 otherwise. */
GBytes *ghlo_import_unpack (GhloElementType  element_type,
                            gsize            n,
                            GBytes          *raw,
                            gboolean         allow_splat,
                            gboolean        *splat,
                            gsize           *missing);
/* Several constants may use one resource, whose data may have to be unpacked for each. Adds the size of @bytes to
 * *@n_unpacked if @bytes is a copy and not @data itself. Returns FALSE if the total exceeds ghlo_import_most_unpacked
 * () for a program of @size bytes. */
gboolean ghlo_import_count_unpacked (guint64       *n_unpacked,
                                     gconstpointer  data,
                                     GBytes        *bytes,
                                     gsize          size);
guint64  ghlo_import_most_unpacked  (gsize          size);
/* Reduces @n elements of @size bytes each to one if all are equal.
 * Takes ownership of @bytes; a copy holds no reference to them. */
GBytes *ghlo_import_compress (GBytes   *bytes,
                              gsize     n,
                              gsize     size,
                              gboolean *splat);

G_END_DECLS
