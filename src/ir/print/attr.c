/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints attributes. A number is followed by its type unless the context determines the type.
 */

#include "base/float-text.h"
#include "ir/print/print-private.h"

static gboolean
leaves_type_out (const GhloIrAttr *attr,
                 GhloIrTyping      typing,
                 GhloElementType   usual)
{
  return typing == GHLO_IR_UNTYPED || (typing == GHLO_IR_TYPED_UNUSUAL && attr->type->element_type == usual);
}

static void
put_type_of (GhloIrPrinter    *self,
             const GhloIrAttr *attr)
{
  g_string_append (self->out, " : ");
  ghlo_ir_put_type (self, attr->type);
}

static void
put_integer (GhloIrPrinter    *self,
             const GhloIrAttr *attr,
             GhloIrTyping      typing)
{
  if (attr->type->element_type != GHLO_ELEMENT_TYPE_INVALID
      && ghlo_element_info (attr->type->element_type)->element_class == GHLO_ELEMENT_CLASS_UNSIGNED)
    g_string_append_printf (self->out, "%" G_GUINT64_FORMAT, (guint64) attr->integer);
  else
    g_string_append_printf (self->out, "%" G_GINT64_FORMAT, attr->integer);

  if (!leaves_type_out (attr, typing, GHLO_ELEMENT_TYPE_I64))
    put_type_of (self, attr);
}

/* Puts the number without its type. Returns TRUE if it is in
 * hexadecimal, which would be read as an integer without the type. */
static gboolean
put_real (GhloIrPrinter   *self,
          GhloElementType  type,
          double           value)
{
  gsize start = self->out->len;

  if (type == GHLO_ELEMENT_TYPE_INVALID || !ghlo_element_type_is_float (type))
    type = GHLO_ELEMENT_TYPE_F64;
  ghlo_float_append (self->out, type, ghlo_float_to_bits (type, value));

  return self->out->str[start] == '0' && self->out->str[start + 1] == 'x';
}

static void
put_float (GhloIrPrinter    *self,
           const GhloIrAttr *attr,
           GhloIrTyping      typing)
{
  gboolean is_hex = put_real (self, attr->type->element_type, attr->real);

  if (!leaves_type_out (attr, typing, GHLO_ELEMENT_TYPE_F64) || (is_hex && typing != GHLO_IR_UNTYPED))
    put_type_of (self, attr);
}

static void
put_symbol_reference (GhloIrPrinter    *self,
                      const GhloIrAttr *attr)
{
  ghlo_ir_put_symbol (self->out, attr->text);
  for (gsize i = 0; attr->children != NULL && i < attr->length; i++)
    {
      g_string_append (self->out, "::");
      ghlo_ir_put_symbol (self->out, attr->children[i]->text);
    }
}

static void
put_array (GhloIrPrinter    *self,
           const GhloIrAttr *attr)
{
  g_string_append_c (self->out, '[');
  for (gsize i = 0; i < attr->length; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_attr (self, attr->children[i], GHLO_IR_TYPED_UNUSUAL);
    }
  g_string_append_c (self->out, ']');
}

void
ghlo_ir_put_entries (GhloIrPrinter         *self,
                     const GhloIrNamedAttr *entries,
                     gsize                  n)
{
  g_string_append_c (self->out, '{');
  for (gsize i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_keyword (self->out, entries[i].name);
      if (entries[i].value->kind == GHLO_IR_ATTR_UNIT)
        continue;
      g_string_append (self->out, " = ");
      ghlo_ir_put_attr (self, entries[i].value, GHLO_IR_TYPED);
    }
  g_string_append_c (self->out, '}');
}

void
ghlo_ir_put_dims (GhloIrPrinter *self,
                  const gint64  *dims,
                  gsize          n)
{
  g_string_append_c (self->out, '[');
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (self->out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", dims[i]);
  g_string_append_c (self->out, ']');
}

void
ghlo_ir_put_numbers (GhloIrPrinter    *self,
                     const GhloIrAttr *array)
{
  GhloElementType type = array->type->element_type;

  for (gsize i = 0; i < array->length; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      if (ghlo_element_type_is_float (type))
        put_real (self, type, array->reals[i]);
      else
        ghlo_ir_append_scalar (self->out, type, (GhloScalar) { .i = array->integers[i] });
    }
}

static void
put_dense_array (GhloIrPrinter    *self,
                 const GhloIrAttr *attr)
{
  g_string_append (self->out, "array<");
  ghlo_ir_put_type (self, attr->type);
  g_string_append (self->out, attr->length > 0 ? ": " : "");
  ghlo_ir_put_numbers (self, attr);
  g_string_append_c (self->out, '>');
}

/* Whether the text is a builtin attribute of MLIR that is kept as text: these have no "#". */
static gboolean
is_builtin_text (const char *text)
{
  return g_str_has_prefix (text, "affine_map<") || g_str_has_prefix (text, "affine_set<")
         || g_str_has_prefix (text, "strided<") || g_str_has_prefix (text, "distinct[");
}

void
ghlo_ir_put_attr (GhloIrPrinter    *self,
                  const GhloIrAttr *attr,
                  GhloIrTyping      typing)
{
  switch (attr->kind)
    {
    case GHLO_IR_ATTR_UNIT:
      g_string_append (self->out, "unit");
      break;
    case GHLO_IR_ATTR_BOOL:
      g_string_append (self->out, attr->integer ? "true" : "false");
      break;
    case GHLO_IR_ATTR_INTEGER:
      put_integer (self, attr, typing);
      break;
    case GHLO_IR_ATTR_FLOAT:
      put_float (self, attr, typing);
      break;
    case GHLO_IR_ATTR_STRING:
      ghlo_ir_put_quoted (self->out, attr->text, attr->length);
      break;
    case GHLO_IR_ATTR_SYMBOL:
      put_symbol_reference (self, attr);
      break;
    case GHLO_IR_ATTR_TYPE:
      ghlo_ir_put_type (self, attr->type);
      break;
    case GHLO_IR_ATTR_ARRAY:
      put_array (self, attr);
      break;
    case GHLO_IR_ATTR_DICTIONARY:
      ghlo_ir_put_entries (self, attr->entries, attr->length);
      break;
    case GHLO_IR_ATTR_DENSE:
    case GHLO_IR_ATTR_DENSE_STRINGS:
      ghlo_ir_put_dense (self, attr);
      if (typing != GHLO_IR_UNTYPED)
        put_type_of (self, attr);
      break;
    case GHLO_IR_ATTR_KEPT_ELEMENTS:
      ghlo_ir_put_kept_text (self->out, attr->text);
      if (typing != GHLO_IR_UNTYPED)
        put_type_of (self, attr);
      break;
    case GHLO_IR_ATTR_DENSE_ARRAY:
      put_dense_array (self, attr);
      break;
    case GHLO_IR_ATTR_ENUM:
      ghlo_ir_put_enum (self, attr);
      break;
    case GHLO_IR_ATTR_STRUCT:
      ghlo_ir_put_struct (self, attr);
      break;
    case GHLO_IR_ATTR_LOCATION:
      g_string_append (self->out, "loc(");
      ghlo_ir_put_location_body (self, attr->location);
      g_string_append_c (self->out, ')');
      break;
    case GHLO_IR_ATTR_OPAQUE:
      g_string_append (self->out, is_builtin_text (attr->text) ? "" : "#");
      ghlo_ir_put_kept_text (self->out, attr->text);
      break;
    }
}

void
ghlo_ir_attr_append (const GhloIrAttr *attr,
                     GString          *string)
{
  GhloIrPrinter printer = { .out = string, .dialect = "" };

  ghlo_ir_put_attr (&printer, attr, GHLO_IR_TYPED);
  g_clear_pointer (&printer.resources, g_hash_table_unref);
}

char *
ghlo_ir_attr_to_string (const GhloIrAttr *attr)
{
  enum { MAX_SHOWN = 120 };
  GString *text = g_string_new (NULL);

  ghlo_ir_attr_append (attr, text);
  if (text->len > MAX_SHOWN)
    {
      const char *end = g_utf8_find_prev_char (text->str, text->str + MAX_SHOWN);

      g_string_truncate (text, end != NULL ? (gsize) (end - text->str) : 0);
      g_string_append (text, "…");
    }

  return g_string_free (text, FALSE);
}
