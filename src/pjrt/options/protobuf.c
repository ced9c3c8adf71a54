/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages in protobuf's encoding: a sequence of fields, each with a number, a wire type, and a value of that type.
 * Since messages may come from untrusted sources, lengths are checked against the remaining bytes.
 */

#include "pjrt/options/protobuf.h"

gboolean
ghlo_pjrt_read_varint (GhloPjrtCursor *cursor,
                       guint64        *value)
{
  *value = 0;
  for (guint shift = 0; shift < 64; shift += 7)
    {
      guint8 byte;

      if (cursor->next == cursor->end)
        return FALSE;
      byte = *cursor->next++;
      *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }

  return FALSE;
}

/* Takes the next @size bytes as a message or other content. */
static gboolean
read_bytes (GhloPjrtCursor *cursor,
            guint64         size,
            GhloPjrtCursor *bytes)
{
  if (size > (guint64) (cursor->end - cursor->next))
    return FALSE;
  *bytes = (GhloPjrtCursor) { cursor->next, cursor->next + size };
  cursor->next += size;

  return TRUE;
}

gboolean
ghlo_pjrt_read_field (GhloPjrtCursor *cursor,
                      GhloPjrtField  *field)
{
  guint64 key, size;

  if (!ghlo_pjrt_read_varint (cursor, &key))
    return FALSE;
  field->number = key >> 3;
  field->wire = (GhloPjrtWire) (key & 7);
  switch (field->wire)
    {
    case GHLO_PJRT_WIRE_VARINT:
      return ghlo_pjrt_read_varint (cursor, &field->value);
    case GHLO_PJRT_WIRE_64:
      return read_bytes (cursor, 8, &field->bytes);
    case GHLO_PJRT_WIRE_32:
      return read_bytes (cursor, 4, &field->bytes);
    case GHLO_PJRT_WIRE_BYTES:
      return ghlo_pjrt_read_varint (cursor, &size) && read_bytes (cursor, size, &field->bytes);
    default:
      return FALSE;
    }
}

void
ghlo_pjrt_append_varint (GByteArray *bytes,
                         guint64     value)
{
  do
    {
      guint8 byte = (guint8) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));

      g_byte_array_append (bytes, &byte, 1);
      value >>= 7;
    }
  while (value != 0);
}

void
ghlo_pjrt_append_number (GByteArray *bytes,
                         guint       field,
                         guint64     value)
{
  ghlo_pjrt_append_varint (bytes, field << 3 | GHLO_PJRT_WIRE_VARINT);
  ghlo_pjrt_append_varint (bytes, value);
}

static void
append (GByteArray   *bytes,
        guint         field,
        const guint8 *data,
        gsize         size)
{
  ghlo_pjrt_append_varint (bytes, field << 3 | GHLO_PJRT_WIRE_BYTES);
  ghlo_pjrt_append_varint (bytes, size);
  g_byte_array_append (bytes, data, (guint) size);
}

void
ghlo_pjrt_append_message (GByteArray       *bytes,
                          guint             field,
                          const GByteArray *message)
{
  append (bytes, field, message->data, message->len);
}

void
ghlo_pjrt_append_bytes (GByteArray *bytes,
                        guint       field,
                        GBytes     *message)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);

  append (bytes, field, data, size);
}
