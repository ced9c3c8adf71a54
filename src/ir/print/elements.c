/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the elements of constants: nested lists, a single value for a splat, hexadecimal for large constants, and
 * names of resources. Also prints the section with the bytes of the resources.
 */

#include <string.h>

#include "base/float-text.h"
#include "base/sizes.h"
#include "base/text.h"
#include "ir/print/print-private.h"

enum
{
  MAX_LISTED = 100,         /* elements; larger constants are printed in hexadecimal */
  MAX_KEPT = 64,            /* elements; larger constants are omitted with ELIDE_LARGE */
  RESOURCE_ALIGNMENT = 64,
};

static void
append_real (GString         *string,
             GhloElementType  type,
             double           value)
{
  ghlo_float_append (string, type, ghlo_float_to_bits (type, value));
}

void
ghlo_ir_append_scalar (GString         *string,
                       GhloElementType  element_type,
                       GhloScalar       value)
{
  GhloElementType part = ghlo_element_type_real_part (element_type);

  switch (ghlo_element_info (element_type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_BOOLEAN:
      g_string_append (string, value.i ? "true" : "false");
      break;
    case GHLO_ELEMENT_CLASS_UNSIGNED:
      g_string_append_printf (string, "%" G_GUINT64_FORMAT, value.u);
      break;
    case GHLO_ELEMENT_CLASS_FLOAT:
      append_real (string, element_type, value.f);
      break;
    case GHLO_ELEMENT_CLASS_COMPLEX:
      g_string_append_c (string, '(');
      append_real (string, part, value.c.re);
      g_string_append_c (string, ',');
      append_real (string, part, value.c.im);
      g_string_append_c (string, ')');
      break;
    default:
      g_string_append_printf (string, "%" G_GINT64_FORMAT, value.i);
      break;
    }
}

/* Puts the brackets between two elements of a row-major list. @counters has the index of the previous element.
 * Returns FALSE after the last one. */
static gboolean
next_element (GString      *string,
              gint64       *counters,
              const gint64 *dimensions,
              guint         rank)
{
  guint closed = 0;

  while (closed < rank && ++counters[rank - 1 - closed] == dimensions[rank - 1 - closed])
    counters[rank - 1 - closed++] = 0;
  for (guint i = 0; i < closed; i++)
    g_string_append_c (string, ']');
  if (closed == rank)
    return FALSE;

  g_string_append (string, ", ");
  for (guint i = 0; i < closed; i++)
    g_string_append_c (string, '[');

  return TRUE;
}

static gboolean
is_empty (const gint64 *dimensions,
          guint         rank)
{
  for (guint i = 0; i < rank; i++)
    if (dimensions[i] <= 0)
      return TRUE;

  return FALSE;
}

void
ghlo_ir_append_elements (GString         *string,
                         GhloElementType  element_type,
                         const gint64    *dimensions,
                         guint            rank,
                         gconstpointer    data,
                         gboolean         splat)
{
  g_autofree gint64 *counters = g_new0 (gint64, rank + 1);
  gsize size = ghlo_element_info (element_type)->size;
  const guint8 *element = data;

  if (is_empty (dimensions, rank))
    return;
  if (splat)
    {
      ghlo_ir_append_scalar (string, element_type, ghlo_element_load (element_type, data));
      return;
    }

  for (guint i = 0; i < rank; i++)
    g_string_append_c (string, '[');
  do
    {
      ghlo_ir_append_scalar (string, element_type, ghlo_element_load (element_type, element));
      element += size;
    }
  while (next_element (string, counters, dimensions, rank));
}

/* Reserves room for @n more characters. Without memory for them, g_string_set_size () would abort the process. As in
 * GLib the capacity is a power of two, so that most later appends fit. */
static gboolean
reserve (GhloIrPrinter *self,
         gsize          n)
{
  GString *string = self->out;
  gsize wanted, room = MAX (string->allocated_len, 64);
  char *larger;

  if (self->is_cut || !ghlo_size_add (&wanted, string->len, n) || !ghlo_size_add (&wanted, wanted, 64))
    return !(self->is_cut = TRUE);
  while (room < wanted && room <= G_MAXSSIZE / 2)
    room *= 2;
  if (room <= string->allocated_len)
    return TRUE;
  larger = room < wanted ? NULL : g_try_realloc (string->str, room);
  if (larger == NULL)
    return !(self->is_cut = TRUE);
  string->str = larger;
  string->allocated_len = room;

  return TRUE;
}

static void
put_hex (GhloIrPrinter *self,
         const guint8  *bytes,
         gsize          n,
         gsize          part)
{
  static const char digits[] = "0123456789ABCDEF";
  GString *string = self->out;
  gsize start = string->len;
  char *p;

  if (!reserve (self, n * 2))
    return;
  /* Numbers are written in little-endian order. */
  g_string_set_size (string, start + n * 2);
  p = string->str + start;
  for (gsize i = 0; i < n; i++)
    {
      guint8 byte = bytes[G_BYTE_ORDER == G_LITTLE_ENDIAN ? i : i + part - 1 - 2 * (i % part)];

      *p++ = digits[byte >> 4];
      *p++ = digits[byte & 0xf];
    }
}

/* The size in bytes of one number; a complex element has two. */
static gsize
number_size (const GhloIrAttr *attr)
{
  return ghlo_element_info (ghlo_element_type_real_part (attr->type->element_type))->size;
}

static gboolean
is_uniform (const GhloIrAttr *attr)
{
  gsize size = ghlo_element_info (attr->type->element_type)->size, length;
  const guint8 *bytes = g_bytes_get_data (attr->dense.bytes, &length);

  return attr->dense.splat || length <= size || memcmp (bytes, bytes + size, length - size) == 0;
}

static void
put_listed (GhloIrPrinter    *self,
            const GhloIrAttr *attr,
            gboolean          splat)
{
  g_string_append (self->out, "dense<");
  ghlo_ir_append_elements (self->out, attr->type->element_type, attr->type->dimensions, attr->type->rank,
                           g_bytes_get_data (attr->dense.bytes, NULL), splat);
  g_string_append_c (self->out, '>');
}

/* Booleans are always listed, since MLIR releases differ in how they pack them. */
static void
put_large (GhloIrPrinter    *self,
           const GhloIrAttr *attr)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (attr->dense.bytes, &length);

  if (attr->type->element_type == GHLO_ELEMENT_TYPE_I1)
    {
      /* At most "false, " and, for each dimension, a pair of brackets around a single element. */
      if (reserve (self, attr->dense.n_elements * (7 + 2 * attr->type->rank)))
        put_listed (self, attr, FALSE);
      return;
    }
  g_string_append (self->out, "dense<\"0x");
  put_hex (self, bytes, length, number_size (attr));
  g_string_append (self->out, "\">");
}

/* Whether the constant can be printed as its key. A constant
 * whose key already stands for another one is printed in full. */
static gboolean
take_resource (GhloIrPrinter    *self,
               const GhloIrAttr *attr)
{
  const GhloIrAttr *other;

  if (attr->dense.resource == NULL || attr->dense.splat)
    return FALSE;
  if (self->resources == NULL)
    self->resources = g_hash_table_new (NULL, NULL);
  other = g_hash_table_lookup (self->resources, attr->dense.resource);
  if (other == NULL)
    g_hash_table_insert (self->resources, (gpointer) attr->dense.resource, (gpointer) attr);

  return other == NULL || other == attr || g_bytes_equal (other->dense.bytes, attr->dense.bytes);
}

static void
put_resource_name (GhloIrPrinter    *self,
                   const GhloIrAttr *attr)
{
  g_string_append (self->out, "dense_resource<");
  ghlo_ir_put_keyword (self->out, attr->dense.resource);
  g_string_append_c (self->out, '>');
}

/* Puts strings in nested lists; a splat is one string. */
static void
put_strings (GhloIrPrinter    *self,
             const GhloIrAttr *attr)
{
  const GhloIrType *type = attr->type;
  g_autofree gint64 *counters = g_new0 (gint64, type->rank + 1);
  gsize index = 0;

  g_string_append (self->out, "dense<");
  if (attr->length == 1)
    ghlo_ir_put_quoted (self->out, attr->children[0]->text, attr->children[0]->length);
  else if (attr->length > 1)
    {
      for (guint i = 0; i < type->rank; i++)
        g_string_append_c (self->out, '[');
      do
        ghlo_ir_put_quoted (self->out, attr->children[index]->text, attr->children[index]->length);
      while (next_element (self->out, counters, type->dimensions, type->rank) && ++index < attr->length);
    }
  g_string_append_c (self->out, '>');
}

void
ghlo_ir_put_dense (GhloIrPrinter    *self,
                   const GhloIrAttr *attr)
{
  if (attr->kind == GHLO_IR_ATTR_DENSE_STRINGS)
    put_strings (self, attr);
  else if (attr->dense.n_elements == 0)
    g_string_append (self->out, "dense<>");
  else if ((self->flags & GHLO_IR_PRINT_ELIDE_LARGE) && !attr->dense.splat && attr->dense.n_elements > MAX_KEPT)
    g_string_append (self->out, "dense_resource<__elided__>");
  else if (take_resource (self, attr))
    put_resource_name (self, attr);
  else if (is_uniform (attr))
    put_listed (self, attr, TRUE);
  else if (attr->dense.n_elements > MAX_LISTED)
    put_large (self, attr);
  else
    put_listed (self, attr, FALSE);
}

/* The bytes of a resource begin with its alignment, a 32-bit number. */
static void
put_resource (GhloIrPrinter    *self,
              const GhloIrAttr *attr)
{
  guint8 alignment[4] = { RESOURCE_ALIGNMENT, 0, 0, 0 };
  gsize length;
  const guint8 *bytes = g_bytes_get_data (attr->dense.bytes, &length);

  g_string_append (self->out, "\n      ");
  ghlo_ir_put_keyword (self->out, attr->dense.resource);
  g_string_append (self->out, ": \"0x");
  put_hex (self, alignment, sizeof alignment, 1);
  put_hex (self, bytes, length, number_size (attr));
  g_string_append_c (self->out, '"');
}

void
ghlo_ir_put_resources (GhloIrPrinter *self)
{
  g_autofree const char **keys = NULL;
  guint n;

  if (self->resources == NULL)
    return;

  keys = (const char **) g_hash_table_get_keys_as_array (self->resources, &n);
  qsort (keys, n, sizeof keys[0], ghlo_text_compare);
  g_string_append (self->out, "\n{-#\n  dialect_resources: {\n    builtin: {");
  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? "," : "");
      put_resource (self, g_hash_table_lookup (self->resources, keys[i]));
    }
  g_string_append (self->out, "\n    }\n  }\n#-}\n");
}
