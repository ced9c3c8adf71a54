/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bytes of MLIR bytecode while they are put together: numbers, strings, sections. Constants are only referenced
 * until the file is complete, so each is copied once, into memory of the right size (MLIR: docs/BytecodeFormat.md).
 */

#pragma once

#include <glib.h>

#include "import/bytecode/section.h"
#include "import/vector.h"

G_BEGIN_DECLS

/* Borrowed bytes that are inserted before byte @at of the emitter's own bytes. */
typedef struct
{
  gsize         at;
  gconstpointer data;
  gsize         size;
} GhloBytecodeSegment;

typedef struct
{
  GHLO_IMPORT_VECTOR (guint8)              bytes;
  GHLO_IMPORT_VECTOR (GhloBytecodeSegment) segments;       /* in increasing order of @at */
  gsize                                    segment_bytes;  /* total size of all segments */
} GhloBytecodeEmitter;

/* The total number of bytes, segments included. */
static inline gsize
ghlo_bytecode_emitter_size (const GhloBytecodeEmitter *self)
{
  return self->bytes.n + self->segment_bytes;
}

/* Empties the emitter and keeps its memory. */
static inline void
ghlo_bytecode_emitter_reset (GhloBytecodeEmitter *self)
{
  self->bytes.n = 0;
  self->segments.n = 0;
  self->segment_bytes = 0;
}

void    ghlo_bytecode_emitter_clear (GhloBytecodeEmitter       *self);
/* Returns all bytes in one block of memory; NULL if memory does not suffice. */
GBytes *ghlo_bytecode_emitter_join  (const GhloBytecodeEmitter *self);

static inline void
ghlo_bytecode_emit_byte (GhloBytecodeEmitter *self,
                         guint8               value)
{
  GHLO_IMPORT_PUSH (&self->bytes, value);
}

void    ghlo_bytecode_emit_long     (GhloBytecodeEmitter       *self,
                                     guint64                    value);

static inline void
ghlo_bytecode_emit_varint (GhloBytecodeEmitter *self,
                           guint64              value)
{
  if (value < 1u << 7)
    ghlo_bytecode_emit_byte (self, (guint8) (value << 1 | 1));
  else
    ghlo_bytecode_emit_long (self, value);
}

/* The sign goes into the lowest bit. */
static inline void
ghlo_bytecode_emit_signed (GhloBytecodeEmitter *self,
                           gint64               value)
{
  ghlo_bytecode_emit_varint (self, (guint64) value << 1 ^ (value < 0 ? G_MAXUINT64 : 0));
}

static inline void
ghlo_bytecode_emit_flagged (GhloBytecodeEmitter *self,
                            guint64              value,
                            gboolean             flag)
{
  ghlo_bytecode_emit_varint (self, value << 1 | (flag != FALSE));
}

void    ghlo_bytecode_emit_bytes    (GhloBytecodeEmitter       *self,
                                     gconstpointer              data,
                                     gsize                      size);
/* Refers to @data instead of copying it if that is cheaper. @data must stay valid until the file is joined. */
void    ghlo_bytecode_emit_segment  (GhloBytecodeEmitter       *self,
                                     gconstpointer              data,
                                     gsize                      size);
/* Appends the section's id, its size and all of @content. */
void    ghlo_bytecode_emit_section  (GhloBytecodeEmitter       *self,
                                     GhloBytecodeSection        section,
                                     const GhloBytecodeEmitter *content);

G_END_DECLS
