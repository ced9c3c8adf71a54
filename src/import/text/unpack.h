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
 * over; NULL when its size fits neither, or there is no memory. */
GBytes *ghlo_import_unpack (GhloElementType  element_type,
                            gsize            n,
                            GBytes          *raw,
                            gboolean         allow_splat,
                            gboolean        *splat);
/* One element instead of @n of @size bytes, when all are equal. Takes @bytes over
 * and keeps no reference to them when it is a copy. */
GBytes *ghlo_import_compress (GBytes   *bytes,
                              gsize     n,
                              gsize     size,
                              gboolean *splat);

G_END_DECLS
