/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads the attributes that the builtin dialect and VHLO encode in the same way.
 */

#include "import/bytecode/reader.h"

#include <string.h>

gboolean
ghlo_bytecode_read_attrs (GhloByteCursor    *cursor,
                          GhloBytecodeAttrs *attrs)
{
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 1, &n))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      const GhloIrAttr *attr;

      if (!ghlo_bytecode_read_attr (cursor, &attr))
        return FALSE;
      GHLO_IMPORT_PUSH (attrs, attr);
    }

  return TRUE;
}

gboolean
ghlo_bytecode_read_array (GhloByteCursor    *cursor,
                          const GhloIrAttr **attr)
{
  GhloBytecodeAttrs children = { 0 };
  gboolean good = ghlo_bytecode_read_attrs (cursor, &children);

  if (good)
    *attr = ghlo_ir_attr_array (ghlo_bytecode_module (cursor), children.items, children.n);
  GHLO_IMPORT_CLEAR (&children);

  return good;
}

gboolean
ghlo_bytecode_read_name (GhloByteCursor  *cursor,
                         const char     **name)
{
  GhloByteCursor start = *cursor;
  const GhloIrAttr *attr;

  if (!ghlo_bytecode_read_attr_of (cursor, GHLO_IR_ATTR_STRING, &attr))
    return FALSE;
  *name = attr->text;

  return strlen (attr->text) == attr->length
         || ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected a name without zero bytes, found one in '%s'",
                                attr->text);
}

static gboolean
read_entries (GhloByteCursor  *cursor,
              GhloIrNamedAttr *entries,
              gsize            n)
{
  for (gsize i = 0; i < n; i++)
    if (!ghlo_bytecode_read_name (cursor, &entries[i].name)
        || !ghlo_bytecode_read_attr (cursor, &entries[i].value))
      return FALSE;

  return TRUE;
}

gboolean
ghlo_bytecode_read_dictionary (GhloByteCursor    *cursor,
                               const GhloIrAttr **attr)
{
  GhloByteCursor start = *cursor;
  g_autofree GhloIrNamedAttr *entries = NULL;
  gsize n;

  if (!ghlo_bytecode_read_count (cursor, 2, &n))
    return FALSE;
  entries = g_new (GhloIrNamedAttr, MAX (n, 1));
  if (!read_entries (cursor, entries, n))
    return FALSE;
  *attr = ghlo_ir_attr_dictionary (ghlo_bytecode_module (cursor), entries, n);
  for (gsize i = 1; i < n; i++)
    if ((*attr)->entries[i].name == (*attr)->entries[i - 1].name)
      return ghlo_bytecode_fail (&start, GHLO_ERROR_PARSE, "expected each name of a dictionary once,"
                                 " found '%s' again", (*attr)->entries[i].name);

  return TRUE;
}

gboolean
ghlo_bytecode_read_string_attr (GhloByteCursor    *cursor,
                                const GhloIrAttr **attr)
{
  const char *text;
  gsize length;

  if (!ghlo_bytecode_read_string (cursor, &text, &length))
    return FALSE;
  *attr = ghlo_ir_attr_string (ghlo_bytecode_module (cursor), text, (gssize) length);

  return TRUE;
}

gboolean
ghlo_bytecode_read_type_attr (GhloByteCursor    *cursor,
                              const GhloIrAttr **attr)
{
  const GhloIrType *type;

  if (!ghlo_bytecode_read_type (cursor, &type))
    return FALSE;
  *attr = ghlo_ir_attr_type (ghlo_bytecode_module (cursor), type);

  return TRUE;
}
