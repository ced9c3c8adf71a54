/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads bytes, numbers, strings and blobs from a range of bytecode, and reports where one cannot be read.
 */

#include "import/bytecode/reader.h"

#include <string.h>

#include "ir/verify/verify.h"

/* The value of padding bytes. */
enum { PADDING = 0xcb };

GhloByteCursor
ghlo_bytecode_cursor (GhloBytecodeReader *reader,
                      GhloByteRange       range,
                      const char         *section)
{
  return (GhloByteCursor) { .reader = reader, .at = range.data, .end = range.end, .section = section };
}

GhloIrModule *
ghlo_bytecode_module (GhloByteCursor *cursor)
{
  return cursor->reader->module;
}

guint
ghlo_bytecode_version (GhloByteCursor *cursor)
{
  return cursor->reader->version;
}

GhloIrVersion
ghlo_bytecode_artifact_version (GhloByteCursor *cursor)
{
  return cursor->reader->artifact_version;
}

/* Explains why a file may contain unknown items: it was written for a newer version. */
static char *
explain (const GhloBytecodeReader *reader)
{
  static const GhloIrVersion newest = GHLO_IR_VERSION_CURRENT;

  if (ghlo_ir_version_compare (reader->artifact_version, newest) <= 0)
    return g_strdup ("");

  return g_strdup_printf (", in a file of StableHLO %u.%u.%u: write it for %u.%u.%u or older",
                          reader->artifact_version.major, reader->artifact_version.minor,
                          reader->artifact_version.patch, newest.major, newest.minor, newest.patch);
}

gboolean
(ghlo_bytecode_fail) (GhloByteCursor *cursor,
                      GhloError       code,
                      const char     *format,
                      ...)
{
  GhloBytecodeReader *reader = cursor->reader;
  g_autofree char *message = NULL, *reason = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  reason = explain (reader);
  ghlo_diagnostics_add (reader->diagnostics, GHLO_SEVERITY_ERROR, code, 0, 0,
                        "at byte %" G_GUINT64_FORMAT ", in %s: %s%s", ghlo_bytecode_offset (reader, cursor->at),
                        cursor->section, message, reason);

  return FALSE;
}

gboolean
ghlo_bytecode_check_struct (GhloByteCursor   *cursor,
                            const GhloIrAttr *attr)
{
  g_autofree char *problem = ghlo_ir_struct_problem (attr);

  return problem == NULL || ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "%s", problem);
}

static gboolean
fail_short (GhloByteCursor *cursor,
            guint64         wanted)
{
  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                             "expected %" G_GUINT64_FORMAT " more byte%s, found %" G_GSIZE_FORMAT,
                             wanted, wanted == 1 ? "" : "s", ghlo_bytecode_left (cursor));
}

gboolean
ghlo_bytecode_read_byte (GhloByteCursor *cursor,
                         guint8         *value)
{
  if (cursor->at == cursor->end)
    return fail_short (cursor, 1);
  *value = *cursor->at++;

  return TRUE;
}

/* A varint of more than one byte: the number of trailing zero
 * bits in its first byte is the number of bytes that follow. */
static gboolean
read_long_varint (GhloByteCursor *cursor,
                  guint64        *value)
{
  guint first = *cursor->at, n_more = first != 0 ? (guint) __builtin_ctz (first) : 8;
  guint64 bits = 0;

  if (ghlo_bytecode_left (cursor) < n_more + 1)
    return fail_short (cursor, n_more + 1);
  for (guint i = n_more; i > 0; i--)
    bits = bits << 8 | cursor->at[i];
  *value = n_more == 8 ? bits : (bits << 8 | first) >> (n_more + 1);
  cursor->at += n_more + 1;

  return TRUE;
}

gboolean
ghlo_bytecode_read_varint (GhloByteCursor *cursor,
                           guint64        *value)
{
  if (G_UNLIKELY (cursor->at == cursor->end))
    return fail_short (cursor, 1);
  if (G_UNLIKELY ((*cursor->at & 1) == 0))
    return read_long_varint (cursor, value);
  *value = *cursor->at++ >> 1;

  return TRUE;
}

gboolean
ghlo_bytecode_read_signed (GhloByteCursor *cursor,
                           gint64         *value)
{
  guint64 bits;

  if (!ghlo_bytecode_read_varint (cursor, &bits))
    return FALSE;
  *value = (gint64) ((bits >> 1) ^ (0 - (bits & 1)));

  return TRUE;
}

gboolean
ghlo_bytecode_read_flagged (GhloByteCursor *cursor,
                            guint64        *value,
                            gboolean       *flag)
{
  if (!ghlo_bytecode_read_varint (cursor, value))
    return FALSE;
  *flag = (gboolean) (*value & 1);
  *value >>= 1;

  return TRUE;
}

gboolean
ghlo_bytecode_read_count (GhloByteCursor *cursor,
                          gsize           size,
                          gsize          *n)
{
  GhloByteCursor start = *cursor;
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value))
    return FALSE;
  if (value > ghlo_bytecode_left (cursor) / MAX (size, 1))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE,
                               "expected a count of the items that follow, found %" G_GUINT64_FORMAT
                               ", for which %" G_GSIZE_FORMAT " bytes are too few", value,
                               ghlo_bytecode_left (cursor));
  *n = value;

  return TRUE;
}

gboolean
ghlo_bytecode_check_index (GhloByteCursor *cursor,
                           guint64         value,
                           gsize           n,
                           const char     *what)
{
  if (value < n)
    return TRUE;

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                             "expected the index of a%s %s, of which there are %" G_GSIZE_FORMAT ", found %"
                             G_GUINT64_FORMAT, strchr ("aeiou", *what) != NULL ? "n" : "", what, n, value);
}

gboolean
ghlo_bytecode_read_index (GhloByteCursor *cursor,
                          gsize           n,
                          const char     *what,
                          gsize          *index)
{
  GhloByteCursor start = *cursor;
  guint64 value;

  if (!ghlo_bytecode_read_varint (cursor, &value) || !ghlo_bytecode_check_index (&start, value, n, what))
    return FALSE;
  *index = value;

  return TRUE;
}

gboolean
ghlo_bytecode_check_end (GhloByteCursor *cursor,
                         const char     *what)
{
  if (cursor->at == cursor->end)
    return TRUE;

  return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the end of %s, found %" G_GSIZE_FORMAT " more bytes",
                             what, ghlo_bytecode_left (cursor));
}

gboolean
ghlo_bytecode_read_range (GhloByteCursor *cursor,
                          guint64         size,
                          GhloByteRange  *range)
{
  if (size > ghlo_bytecode_left (cursor))
    return fail_short (cursor, size);
  *range = (GhloByteRange) { cursor->at, cursor->at + size };
  cursor->at += size;

  return TRUE;
}

gboolean
ghlo_bytecode_read_padding (GhloByteCursor *cursor,
                            guint64         alignment)
{
  if (alignment == 0 || (alignment & (alignment - 1)) != 0)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                               "expected a power of two as alignment, found %" G_GUINT64_FORMAT, alignment);
  while ((ghlo_bytecode_offset (cursor->reader, cursor->at) & (alignment - 1)) != 0)
    {
      if (cursor->at == cursor->end)
        return fail_short (cursor, 1);
      if (*cursor->at != PADDING)
        return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE, "expected the byte 0x%02x of padding, found 0x%02x",
                                   PADDING, *cursor->at);
      cursor->at++;
    }

  return TRUE;
}

gboolean
ghlo_bytecode_read_c_string (GhloByteCursor  *cursor,
                             const char     **text)
{
  const guint8 *end = memchr (cursor->at, '\0', ghlo_bytecode_left (cursor));

  if (end == NULL)
    return ghlo_bytecode_fail (cursor, GHLO_ERROR_PARSE,
                               "expected text that ends with a zero byte, found no zero byte");
  *text = (const char *) cursor->at;
  cursor->at = end + 1;

  return TRUE;
}

const char *
ghlo_bytecode_string (GhloBytecodeReader *reader,
                      gsize               index)
{
  GhloBytecodeString *string = &reader->strings.items[index];

  if (string->interned == NULL)
    string->interned = ghlo_ir_module_intern (reader->module, (const char *) string->data, (gssize) string->length);

  return string->interned;
}

gboolean
ghlo_bytecode_read_string (GhloByteCursor  *cursor,
                           const char     **text,
                           gsize           *length)
{
  GhloBytecodeReader *reader = cursor->reader;
  gsize index;

  if (!ghlo_bytecode_read_index (cursor, reader->strings.n, "string", &index))
    return FALSE;
  *text = ghlo_bytecode_string (reader, index);
  if (length != NULL)
    *length = reader->strings.items[index].length;

  return TRUE;
}

gboolean
ghlo_bytecode_read_blob (GhloByteCursor *cursor,
                         GBytes        **bytes)
{
  GhloBytecodeReader *reader = cursor->reader;
  GhloByteRange range = { NULL, NULL };
  gsize size;

  if (!ghlo_bytecode_read_count (cursor, 1, &size) || !ghlo_bytecode_read_range (cursor, size, &range))
    return FALSE;
  *bytes = g_bytes_new_from_bytes (reader->bytes, ghlo_bytecode_offset (reader, range.data), size);

  return TRUE;
}
