/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Locations: the origin of an operation as stated in the text.
 */

#include <string.h>

#include "import/text/parser.h"

/* Locations being read are kept on the stack of attributes. */
static const GhloIrLocation *
location_of (const GhloIrAttr *attr)
{
  return attr->location;
}

static gboolean
parse_number (GhloImportParser *self,
              guint            *number)
{
  GhloImportPosition position = ghlo_import_position (self);
  gint64 value;

  if (!ghlo_import_parse_integer (self, &value))
    return FALSE;
  if (value < 0 || value > G_MAXUINT)
    return ghlo_import_fail_at (self, position, "expected a line or column below 2^32, found %" G_GINT64_FORMAT, value);
  *number = (guint) value;

  return TRUE;
}

/* Parses ":3:4 to 5:6" or ":3:4 to :6" after a file name. */
static const GhloIrLocation *
parse_file (GhloImportParser *self,
            const char       *file)
{
  guint line, column, end_line = 0, end_column = 0;

  if (!ghlo_import_expect (self, ':', "':'") || !parse_number (self, &line)
      || !ghlo_import_expect (self, ':', "':'") || !parse_number (self, &column))
    return NULL;
  if (ghlo_import_accept_word (self, "to"))
    {
      end_line = line;
      if (!ghlo_import_at (self, ':') && !parse_number (self, &end_line))
        return NULL;
      if (!ghlo_import_expect (self, ':', "':'") || !parse_number (self, &end_column))
        return NULL;
    }

  return ghlo_ir_location_file (self->module, file, line, column, end_line, end_column);
}

static const GhloIrLocation *
parse_named (GhloImportParser *self)
{
  const char *name = ghlo_import_parse_name (self);
  const GhloIrLocation *child;

  if (name == NULL)
    return NULL;
  if (ghlo_import_at (self, ':'))
    return parse_file (self, name);
  if (!ghlo_import_accept (self, '('))
    return ghlo_ir_location_name (self->module, name, ghlo_ir_location_unknown (self->module));

  child = ghlo_import_parse_location (self);
  if (child == NULL || !ghlo_import_expect (self, ')', "')'"))
    return NULL;

  return ghlo_ir_location_name (self->module, name, child);
}

static const GhloIrLocation *
parse_call_site (GhloImportParser *self)
{
  const GhloIrLocation *callee, *caller;

  if (!ghlo_import_expect (self, '(', "'('") || (callee = ghlo_import_parse_location (self)) == NULL
      || !ghlo_import_expect_word (self, "at") || (caller = ghlo_import_parse_location (self)) == NULL
      || !ghlo_import_expect (self, ')', "')'"))
    return NULL;

  return ghlo_ir_location_call_site (self->module, callee, caller);
}

/* Parses "<metadata>[a, b]"; pushes the children onto the stack of attributes. */
static gboolean
parse_fused_parts (GhloImportParser  *self,
                   const GhloIrAttr **metadata)
{
  if (ghlo_import_accept (self, '<'))
    {
      *metadata = ghlo_import_parse_attr (self);
      if (*metadata == NULL || !ghlo_import_expect (self, '>', "'>'"))
        return FALSE;
    }
  if (!ghlo_import_expect (self, '[', "'['"))
    return FALSE;
  if (ghlo_import_accept (self, ']'))
    return TRUE;
  do
    {
      const GhloIrLocation *child = ghlo_import_parse_location (self);

      if (child == NULL)
        return FALSE;
      GHLO_IMPORT_PUSH (&self->attrs, ghlo_ir_attr_location (self->module, child));
    }
  while (ghlo_import_accept (self, ','));

  return ghlo_import_expect (self, ']', "',' or ']'");
}

static const GhloIrLocation *
parse_fused (GhloImportParser *self)
{
  gsize height = self->attrs.n, n;
  const GhloIrAttr *metadata = NULL;
  const GhloIrLocation *location = NULL;

  if (parse_fused_parts (self, &metadata))
    {
      g_autofree const GhloIrLocation **children = NULL;

      n = self->attrs.n - height;
      children = g_new (const GhloIrLocation *, MAX (n, 1));
      for (gsize i = 0; i < n; i++)
        children[i] = location_of (self->attrs.items[height + i]);
      location = ghlo_ir_location_fused (self->module, children, n, metadata);
    }
  self->attrs.n = height;

  return location;
}

/* Parses an alias, or another dialect's location. */
static const GhloIrLocation *
parse_attribute (GhloImportParser *self)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrAttr *attr = ghlo_import_parse_dialect_attr (self);
  g_autofree char *found = NULL;

  if (attr == NULL)
    return NULL;
  if (attr->kind == GHLO_IR_ATTR_LOCATION)
    return attr->location;
  if (attr->kind == GHLO_IR_ATTR_OPAQUE)
    return ghlo_ir_location_fused (self->module, NULL, 0, attr);
  found = ghlo_ir_attr_to_string (attr);
  ghlo_import_fail_at (self, position, "expected a location, found %s", found);

  return NULL;
}

static const GhloIrLocation *
parse_body (GhloImportParser *self)
{
  if (ghlo_import_at (self, GHLO_TOKEN_STRING))
    return parse_named (self);
  if (ghlo_import_at (self, GHLO_TOKEN_HASH))
    return parse_attribute (self);
  if (ghlo_import_accept_word (self, "unknown"))
    return ghlo_ir_location_unknown (self->module);
  if (ghlo_import_accept_word (self, "callsite"))
    return parse_call_site (self);
  if (ghlo_import_accept_word (self, "fused"))
    return parse_fused (self);
  ghlo_import_expected (self, "a location");

  return NULL;
}

const GhloIrLocation *
ghlo_import_parse_location (GhloImportParser *self)
{
  const GhloIrLocation *location;

  if (self->location_depth >= GHLO_MAX_LOCATION_NESTING)
    {
      ghlo_import_fail (self, "expected at most %d levels of nesting, found more", GHLO_MAX_LOCATION_NESTING);
      return NULL;
    }
  self->location_depth++;
  location = parse_body (self);
  self->location_depth--;

  return location;
}

gboolean
ghlo_import_accept_location (GhloImportParser      *self,
                             const GhloIrLocation **location)
{
  GhloImportLexer saved = self->lexer;
  const GhloIrLocation *found;

  if (!ghlo_import_accept_word (self, "loc"))
    return TRUE;
  if (!ghlo_import_accept (self, '('))
    {
      self->lexer = saved;
      return ghlo_import_expected (self, "'loc('");
    }
  found = ghlo_import_parse_location (self);
  if (found == NULL || !ghlo_import_expect (self, ')', "')'"))
    return FALSE;
  *location = found;

  return TRUE;
}
