/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the builtin dialect's locations. A part that is nested too deeply becomes unknown.
 */

#include "import/bytecode/builtin.h"
#include "import/bytecode/reader.h"

typedef GHLO_IMPORT_VECTOR (const GhloIrLocation *) Locations;

/* Reads a location that is a part of another one. */
static gboolean
read_part (GhloByteCursor        *cursor,
           const GhloIrLocation **location)
{
  if (!ghlo_bytecode_read_location (cursor, location))
    return FALSE;
  if (*location == NULL)
    *location = ghlo_ir_location_unknown (ghlo_bytecode_module (cursor));

  return TRUE;
}

static gboolean
give_location (GhloByteCursor        *cursor,
               const GhloIrLocation  *location,
               const GhloIrAttr     **attr)
{
  *attr = ghlo_ir_attr_location (ghlo_bytecode_module (cursor), location);

  return TRUE;
}

static gboolean
read_call_site (GhloByteCursor    *cursor,
                const GhloIrAttr **attr)
{
  const GhloIrLocation *callee, *caller;

  return read_part (cursor, &callee) && read_part (cursor, &caller)
         && give_location (cursor, ghlo_ir_location_call_site (ghlo_bytecode_module (cursor), callee, caller), attr);
}

/* Reads line and column numbers. */
static gboolean
read_numbers (GhloByteCursor *cursor,
              guint          *numbers,
              gsize           n)
{
  for (gsize i = 0; i < n; i++)
    {
      GhloByteCursor start = *cursor;
      guint64 value;

      if (!ghlo_bytecode_read_varint (cursor, &value))
        return FALSE;
      if (value > G_MAXUINT)
        return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a line or column below 2^32, found %"
                                   G_GUINT64_FORMAT, value);
      numbers[i] = (guint) value;
    }

  return TRUE;
}

static gboolean
read_file (GhloByteCursor    *cursor,
           const GhloIrAttr **attr)
{
  const char *name;
  guint numbers[2];

  return ghlo_bytecode_read_name (cursor, &name) && read_numbers (cursor, numbers, 2)
         && give_location (cursor, ghlo_ir_location_file (ghlo_bytecode_module (cursor), name,
                                                          numbers[0], numbers[1], 0, 0), attr);
}

/* Stored numbers: line; column; then either the last column,
 * or the last line and column. Trailing ones may be absent. */
static gboolean
read_file_range (GhloByteCursor    *cursor,
                 const GhloIrAttr **attr)
{
  GhloByteCursor start;
  const char *name;
  guint numbers[4] = { 0 };
  gsize n;

  if (!ghlo_bytecode_read_name (cursor, &name))
    return FALSE;
  start = *cursor;
  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  if (n > G_N_ELEMENTS (numbers))
    return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected at most 4 numbers of a range in a file, found %"
                               G_GSIZE_FORMAT, n);
  if (!read_numbers (cursor, numbers, n))
    return FALSE;
  if (n == 3)
    {
      numbers[3] = numbers[2];
      numbers[2] = numbers[0];
    }

  return give_location (cursor, ghlo_ir_location_file (ghlo_bytecode_module (cursor), name, numbers[0], numbers[1],
                                                       numbers[2], numbers[3]), attr);
}

static gboolean
read_parts (GhloByteCursor *cursor,
            Locations      *parts)
{
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      const GhloIrLocation *part;

      if (!read_part (cursor, &part))
        return FALSE;
      GHLO_IMPORT_PUSH (parts, part);
    }

  return TRUE;
}

static gboolean
read_fused_with (GhloByteCursor    *cursor,
                 gboolean           has_metadata,
                 const GhloIrAttr **attr)
{
  const GhloIrAttr *metadata = NULL;
  Locations parts = { 0 };
  gboolean good = read_parts (cursor, &parts) && (!has_metadata || ghlo_bytecode_read_attr (cursor, &metadata));

  if (good)
    give_location (cursor, ghlo_ir_location_fused (ghlo_bytecode_module (cursor), parts.items, parts.n, metadata),
                   attr);
  GHLO_IMPORT_CLEAR (&parts);

  return good;
}

static gboolean
read_fused (GhloByteCursor    *cursor,
            const GhloIrAttr **attr)
{
  return read_fused_with (cursor, FALSE, attr);
}

static gboolean
read_fused_metadata (GhloByteCursor    *cursor,
                     const GhloIrAttr **attr)
{
  return read_fused_with (cursor, TRUE, attr);
}

static gboolean
read_named (GhloByteCursor    *cursor,
            const GhloIrAttr **attr)
{
  const GhloIrLocation *part;
  const char *name;

  return ghlo_bytecode_read_name (cursor, &name) && read_part (cursor, &part)
         && give_location (cursor, ghlo_ir_location_name (ghlo_bytecode_module (cursor), name, part), attr);
}

static gboolean
read_unknown (GhloByteCursor    *cursor,
              const GhloIrAttr **attr)
{
  return give_location (cursor, ghlo_ir_location_unknown (ghlo_bytecode_module (cursor)), attr);
}

gboolean
ghlo_bytecode_builtin_read_location (GhloByteCursor    *cursor,
                                     guint64            code,
                                     gboolean          *is_one,
                                     const GhloIrAttr **attr)
{
  static gboolean (*const rows[]) (GhloByteCursor *cursor, const GhloIrAttr **attr) = {
    [GHLO_BUILTIN_ATTR_CALL_SITE] = read_call_site,
    [GHLO_BUILTIN_ATTR_FILE] = read_file,
    [GHLO_BUILTIN_ATTR_FUSED] = read_fused,
    [GHLO_BUILTIN_ATTR_FUSED_METADATA] = read_fused_metadata,
    [GHLO_BUILTIN_ATTR_NAME] = read_named,
    [GHLO_BUILTIN_ATTR_UNKNOWN] = read_unknown,
    [GHLO_BUILTIN_ATTR_FILE_RANGE] = read_file_range,
  };

  *is_one = code < G_N_ELEMENTS (rows) && rows[code] != NULL;

  return *is_one && rows[code] (cursor, attr);
}
