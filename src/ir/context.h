/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a module owns besides its operations: the arena and one interning table
 * for each kind of immutable thing. Private to the files that make those things.
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
  GPtrArray         *constants;        /* GBytes of dense attributes, one reference each */
  gsize              constant_bytes;
  GhloIrInternTable  quantizations;    /* one reference each */
  GPtrArray         *symbol_tables;    /* GHashTable of each symbol table operation */
} GhloIrContext;

/* What is printed of a thing, in units of a few characters: its own @n and that of
 * all its parts. Parts are shared, so a small file can say more than any memory
 * holds; the sum stops at the largest number. */
static inline guint32
ghlo_ir_add_extent (guint32 extent,
                    guint64 n)
{
  return n > G_MAXUINT32 - extent ? G_MAXUINT32 : extent + (guint32) n;
}

/* The module's one copy of equal quantizations. */
GhloQuantization *ghlo_ir_context_quantization (GhloIrModule     *module,
                                                GhloQuantization *quantization);

G_END_DECLS
