/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Messages in protobuf's encoding, read and written field by field without message descriptors.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  GHLO_PJRT_WIRE_VARINT,
  GHLO_PJRT_WIRE_64,
  GHLO_PJRT_WIRE_BYTES,
  GHLO_PJRT_WIRE_32 = 5,
} GhloPjrtWire;

typedef struct
{
  const guint8 *next, *end;
} GhloPjrtCursor;

typedef struct
{
  guint64        number;
  GhloPjrtWire   wire;
  guint64        value;         /* of a VARINT field */
  GhloPjrtCursor bytes;         /* of all other fields */
} GhloPjrtField;

/* Return FALSE when the input is at its end or malformed. */
gboolean ghlo_pjrt_read_varint    (GhloPjrtCursor   *cursor,
                                   guint64          *value);
gboolean ghlo_pjrt_read_field     (GhloPjrtCursor   *cursor,
                                   GhloPjrtField    *field);

/* Append a bare number, as in packed lists; a field with a number; and (the last two) a field with a message or a
 * packed list. */
void     ghlo_pjrt_append_varint  (GByteArray       *bytes,
                                   guint64           value);
void     ghlo_pjrt_append_number  (GByteArray       *bytes,
                                   guint             field,
                                   guint64           value);
void     ghlo_pjrt_append_message (GByteArray       *bytes,
                                   guint             field,
                                   const GByteArray *message);
void     ghlo_pjrt_append_bytes   (GByteArray       *bytes,
                                   guint             field,
                                   GBytes           *message);

G_END_DECLS
