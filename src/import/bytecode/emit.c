/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Grows and joins the bytes being written; the functions that are too long to be inlined from the header.
 */

#include "import/bytecode/emit.h"

#include <string.h>

/* Shorter data is copied at once, which is cheaper than a segment. */
enum { SMALL_PIECE = 256 };

void
ghlo_bytecode_emitter_clear (GhloBytecodeEmitter *self)
{
  GHLO_IMPORT_CLEAR (&self->bytes);
  GHLO_IMPORT_CLEAR (&self->segments);
  self->segment_bytes = 0;
}

GBytes *
ghlo_bytecode_emitter_join (const GhloBytecodeEmitter *self)
{
  gsize size = ghlo_bytecode_emitter_size (self), from = 0;
  guint8 *bytes = g_try_malloc (MAX (size, 1)), *to = bytes;

  if (bytes == NULL)
    return NULL;

  for (gsize i = 0; i < self->segments.n; i++)
    {
      const GhloBytecodeSegment *segment = &self->segments.items[i];

      memcpy (to, self->bytes.items + from, segment->at - from);
      to += segment->at - from;
      memcpy (to, segment->data, segment->size);
      to += segment->size;
      from = segment->at;
    }
  if (self->bytes.n > from)
    memcpy (to, self->bytes.items + from, self->bytes.n - from);

  return g_bytes_new_take (bytes, size);
}

/* The number of trailing zero bits in the first byte is the number of bytes that follow; a first byte of zero
 * announces eight whole bytes. */
void
ghlo_bytecode_emit_long (GhloBytecodeEmitter *self,
                         guint64              value)
{
  guint n = 2;
  guint64 bits;

  while (n < 9 && value >> (7 * n) != 0)
    n++;
  if (n == 9)
    {
      ghlo_bytecode_emit_byte (self, 0);
      bits = GUINT64_TO_LE (value);
      ghlo_bytecode_emit_bytes (self, &bits, sizeof bits);
      return;
    }

  bits = GUINT64_TO_LE ((value << 1 | 1) << (n - 1));
  ghlo_bytecode_emit_bytes (self, &bits, n);
}

void
ghlo_bytecode_emit_bytes (GhloBytecodeEmitter *self,
                          gconstpointer        data,
                          gsize                size)
{
  if (size == 0)
    return;

  if (self->bytes.room - self->bytes.n < size)
    {
      self->bytes.room = MAX (self->bytes.room * 2, self->bytes.n + size);
      self->bytes.items = g_realloc (self->bytes.items, self->bytes.room);
    }
  memcpy (self->bytes.items + self->bytes.n, data, size);
  self->bytes.n += size;
}

void
ghlo_bytecode_emit_segment (GhloBytecodeEmitter *self,
                            gconstpointer        data,
                            gsize                size)
{
  if (size <= SMALL_PIECE)
    {
      ghlo_bytecode_emit_bytes (self, data, size);
      return;
    }

  GHLO_IMPORT_PUSH (&self->segments, (GhloBytecodeSegment) { .at = self->bytes.n, .data = data, .size = size });
  self->segment_bytes += size;
}

void
ghlo_bytecode_emit_section (GhloBytecodeEmitter       *self,
                            GhloBytecodeSection        section,
                            const GhloBytecodeEmitter *content)
{
  ghlo_bytecode_emit_byte (self, section);
  ghlo_bytecode_emit_varint (self, ghlo_bytecode_emitter_size (content));

  for (gsize i = 0; i < content->segments.n; i++)
    {
      GhloBytecodeSegment segment = content->segments.items[i];

      segment.at += self->bytes.n;
      GHLO_IMPORT_PUSH (&self->segments, segment);
    }
  self->segment_bytes += content->segment_bytes;
  ghlo_bytecode_emit_bytes (self, content->bytes.items, content->bytes.n);
}
