/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The data of constants as MLIR keeps it, in text, artifacts and resources, and
 * the layout of buffers.
 */

#pragma once

#include "base/element.h"

G_BEGIN_DECLS

/* @raw, data of @n elements as MLIR packs them, in buffer layout: @raw itself
 * where it is in that layout already, else a copy. With @allow_splat it may be
 * one element for all: then *@splat is TRUE and the result has one. Takes @raw
 * over; NULL when its size fits neither, or when there is no memory for a copy of
 * *@missing bytes, which is 0 otherwise. */
GBytes *ghlo_import_unpack (GhloElementType  element_type,
                            gsize            n,
                            GBytes          *raw,
                            gboolean         allow_splat,
                            gboolean        *splat,
                            gsize           *missing);
/* Several constants may have one resource, whose data may have to be unpacked for each.
 * Counts what @bytes, unpacked from @data, take in *@n_unpacked: FALSE when all together
 * are more than ghlo_import_most_unpacked () of a program of @size bytes. */
gboolean ghlo_import_count_unpacked (guint64       *n_unpacked,
                                     gconstpointer  data,
                                     GBytes        *bytes,
                                     gsize          size);
guint64  ghlo_import_most_unpacked  (gsize          size);
/* One element instead of @n of @size bytes, when all are equal. Takes @bytes over
 * and keeps no reference to them when it is a copy. */
GBytes *ghlo_import_compress (GBytes   *bytes,
                              gsize     n,
                              gsize     size,
                              gboolean *splat);

G_END_DECLS
