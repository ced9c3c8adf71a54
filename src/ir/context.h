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

/* The module's one copy of equal quantizations. */
GhloQuantization *ghlo_ir_context_quantization (GhloIrModule     *module,
                                                GhloQuantization *quantization);

G_END_DECLS
