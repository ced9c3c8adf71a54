/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arena of a module and one interning table for each kind of
 * immutable object. Private to the files that create these objects.
 */

#pragma once

#include "ir/arena.h"
#include "ir/module.h"

G_BEGIN_DECLS

typedef struct _GhloIrContext
{
  GhloIrArena        arena;
  GhloIrInternTable  strings;
  GhloIrInternTable  types;
  GhloIrInternTable  attrs;
  GhloIrInternTable  locations;
  GPtrArray         *constants;        /* GBytes of dense attributes, one reference to each */
  gsize              constant_bytes;
  GhloIrInternTable  quantizations;    /* one reference to each */
  GPtrArray         *symbol_tables;    /* a GHashTable for each operation that is a symbol table */
} GhloIrContext;

/* Adds to the extent of an object, which is the size of its printed form in units of a few characters: @n of its own
 * plus the extents of all its parts. Parts are shared, so the printed form of a small file can exceed any memory; the
 * sum saturates at the largest number. */
static inline guint32
ghlo_ir_add_extent (guint32 extent,
                    guint64 n)
{
  return n > G_MAXUINT32 - extent ? G_MAXUINT32 : extent + (guint32) n;
}

/* Returns the module's only copy of equal quantizations. */
GhloQuantization *ghlo_ir_context_quantization (GhloIrModule     *module,
                                                GhloQuantization *quantization);

G_END_DECLS
