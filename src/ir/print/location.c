/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints locations inline, without aliases.
 */

#include <string.h>

#include "ir/print/print-private.h"

static void
put_file (GString              *out,
          const GhloIrLocation *location)
{
  ghlo_ir_put_quoted (out, location->text, strlen (location->text));
  g_string_append_printf (out, ":%u:%u", location->line, location->column);
  if (location->end_line == 0 && location->end_column == 0)
    return;

  g_string_append (out, " to ");
  if (location->end_line != location->line)
    g_string_append_printf (out, "%u", location->end_line);
  g_string_append_printf (out, ":%u", location->end_column);
}

static void
put_name (GhloIrPrinter        *self,
          const GhloIrLocation *location)
{
  ghlo_ir_put_quoted (self->out, location->text, strlen (location->text));
  if (location->n_children == 0 || location->children[0] == NULL
      || location->children[0]->kind == GHLO_IR_LOCATION_UNKNOWN)
    return;

  g_string_append_c (self->out, '(');
  ghlo_ir_put_location_body (self, location->children[0]);
  g_string_append_c (self->out, ')');
}

static void
put_call_site (GhloIrPrinter        *self,
               const GhloIrLocation *location)
{
  g_string_append (self->out, "callsite(");
  ghlo_ir_put_location_body (self, location->children[0]);
  g_string_append (self->out, " at ");
  ghlo_ir_put_location_body (self, location->children[1]);
  g_string_append_c (self->out, ')');
}

static void
put_fused (GhloIrPrinter        *self,
           const GhloIrLocation *location)
{
  g_string_append (self->out, "fused");
  if (location->metadata != NULL)
    {
      g_string_append_c (self->out, '<');
      ghlo_ir_put_attr (self, location->metadata, GHLO_IR_TYPED);
      g_string_append_c (self->out, '>');
    }
  g_string_append_c (self->out, '[');
  for (guint i = 0; i < location->n_children; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_location_body (self, location->children[i]);
    }
  g_string_append_c (self->out, ']');
}

void
ghlo_ir_put_location_body (GhloIrPrinter        *self,
                           const GhloIrLocation *location)
{
  switch (location->kind)
    {
    case GHLO_IR_LOCATION_UNKNOWN:
      g_string_append (self->out, "unknown");
      break;
    case GHLO_IR_LOCATION_FILE:
      put_file (self->out, location);
      break;
    case GHLO_IR_LOCATION_NAME:
      put_name (self, location);
      break;
    case GHLO_IR_LOCATION_CALL_SITE:
      put_call_site (self, location);
      break;
    case GHLO_IR_LOCATION_FUSED:
      put_fused (self, location);
      break;
    case GHLO_IR_LOCATION_OPAQUE:
      g_string_append (self->out, location->text);
      break;
    }
}

void
ghlo_ir_put_location (GhloIrPrinter        *self,
                      const GhloIrLocation *location)
{
  if (location == NULL || (self->flags & GHLO_IR_PRINT_STRIP_LOCATIONS))
    return;

  g_string_append (self->out, " loc(");
  ghlo_ir_put_location_body (self, location);
  g_string_append_c (self->out, ')');
}

void
ghlo_ir_location_append (const GhloIrLocation *location,
                         GString              *string)
{
  GhloIrPrinter printer = { .out = string, .dialect = "" };

  ghlo_ir_put_location_body (&printer, location);
  g_clear_pointer (&printer.resources, g_hash_table_unref);
}
