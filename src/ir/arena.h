/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A bump allocator, whose memory is freed all at once, and hash tables that keep one copy of equal items (interning).
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _GhloIrChunk GhloIrChunk;

typedef struct
{
  GhloIrChunk *chunks;       /* newest first */
  gsize        used;         /* bytes of the newest chunk that are in use */
  gsize        total;        /* bytes of all chunks */
} GhloIrArena;

/* Returns zeroed memory, aligned to 16 bytes. */
gpointer  ghlo_ir_arena_alloc (GhloIrArena *self, gsize size);
gpointer  ghlo_ir_arena_copy  (GhloIrArena *self, gconstpointer data, gsize size);
void      ghlo_ir_arena_clear (GhloIrArena *self);

typedef gboolean (*GhloIrInternEqual) (gconstpointer item, gconstpointer key);

/* A hash table with open addressing and linear probing. Items are never removed. Hashes come from base/hash.h. */
typedef struct
{
  gpointer *items;
  guint32  *hashes;
  gsize     n_items;
  gsize     capacity;        /* a power of two, or 0 */
} GhloIrInternTable;

gpointer  ghlo_ir_intern_find  (const GhloIrInternTable *self, guint32 hash, GhloIrInternEqual equal,
                                gconstpointer key);
/* Whether there is an item with this hash. */
gboolean  ghlo_ir_intern_has   (const GhloIrInternTable *self, guint32 hash);
void      ghlo_ir_intern_add   (GhloIrInternTable *self, guint32 hash, gpointer item);
void      ghlo_ir_intern_clear (GhloIrInternTable *self);

G_END_DECLS
