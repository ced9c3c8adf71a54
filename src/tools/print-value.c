/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints values as text: one row of the innermost dimension per line, or MLIR's dense
 * attribute. Long values are abbreviated in the middle of each dimension. The text is
 * written as it is generated, so only a piece of it is in memory at any time.
 */

#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

#include "base/element.h"
#include "base/sizes.h"
#include "ir/print/print.h"

/* Entries shown at each end of an abbreviated dimension, and the most pairs of brackets shown for an empty tensor. */
enum { EDGE = 3, MAX_BRACKETS = 4096 };

/* Bytes of text per write. */
enum { PIECE = 1 << 16 };

typedef struct
{
  GString         *string;
  const GhloValue *value;
  gboolean         lines;       /* one line per row, complex numbers as [re, im] */
  gboolean         shorten;
  guint            rank;        /* number of dimensions whose entries are shown */
} Printer;

/* Writes the buffered text. After a failure, which is reported at exit, nothing more is written. */
static void
flush (GString *string)
{
  if (!ferror (stdout))
    fwrite (string->str, 1, string->len, stdout);
  g_string_truncate (string, 0);
}

static void
append_scalar (Printer *self,
               gsize    index)
{
  GhloElementType type = self->value->type->element_type;
  GhloScalar scalar = ghlo_element_load (type, self->value->data + index * ghlo_element_info (type)->size);
  GhloElementType part = ghlo_element_type_real_part (type);

  if (!self->lines || part == type)
    {
      ghlo_ir_append_scalar (self->string, type, scalar);
      return;
    }
  g_string_append_c (self->string, '[');
  ghlo_ir_append_scalar (self->string, part, (GhloScalar) { .f = scalar.c.re });
  g_string_append (self->string, ", ");
  ghlo_ir_append_scalar (self->string, part, (GhloScalar) { .f = scalar.c.im });
  g_string_append_c (self->string, ']');
}

static void
indent (Printer *self,
        guint    depth)
{
  if (self->lines)
    g_string_append_printf (self->string, "\n%*s", (int) (depth * 2), "");
}

/* The rank, except for an empty tensor. Its text consists of brackets only, and since it occupies no memory,
 * their number has no bound. */
static guint
find_shown_rank (const GhloValue *value)
{
  const GhloTensorType *type = value->type;
  gsize n = 1;

  for (guint i = 0; i < type->rank && value->n_elements == 0 && n > 0; i++)
    if (!ghlo_size_mul (&n, n, (gsize) type->dimensions[i]) || n > MAX_BRACKETS)
      return i;

  return type->rank;
}

/* Prints dimension @depth of the @count elements from @offset on. */
static void
append_dimension (Printer *self,
                  guint    depth,
                  gsize    offset,
                  gsize    count)
{
  const GhloTensorType *type = self->value->type;
  gint64 size = depth < self->rank ? type->dimensions[depth] : 0;
  gboolean innermost = depth + 1 == type->rank;
  gsize stride = size > 0 ? count / size : 0;

  if (depth > 0)
    indent (self, depth + 1);
  g_string_append (self->string, depth < self->rank ? "[" : "[…");
  for (gint64 i = 0; i < size && !ferror (stdout); i++)
    {
      if (self->string->len >= PIECE)
        flush (self->string);
      if (self->shorten && size > 2 * EDGE && i == EDGE)
        {
          if (!innermost)
            indent (self, depth + 2);
          g_string_append (self->string, "…");
          i = size - EDGE - 1;
        }
      else if (innermost)
        append_scalar (self, offset + i);
      else
        append_dimension (self, depth + 1, offset + i * stride, stride);
      if (i + 1 < size)
        g_string_append (self->string, innermost || !self->lines ? ", " : ",");
    }
  if (!innermost && size > 0)
    indent (self, depth + 1);
  g_string_append_c (self->string, ']');
}

/* Whether there are elements and all of them have the same bytes. */
static gboolean
is_splat (const GhloValue *value)
{
  gsize size = value->n_elements > 0 ? value->n_bytes / value->n_elements : 0;

  for (gsize i = 1; i < value->n_elements; i++)
    if (memcmp (value->data, value->data + i * size, size) != 0)
      return FALSE;

  return value->n_elements > 0;
}

static void
append_tensor (GString         *string,
               const GhloValue *value,
               GhloToolFormat   format,
               gsize            max_elements)
{
  g_autofree char *type = ghlo_tensor_type_to_string (value->type);
  Printer printer = {
    string, value, format == GHLO_TOOL_FORMAT_TENSOR, value->n_elements > max_elements, find_shown_rank (value),
  };
  guint rank = value->type->rank;

  if (format == GHLO_TOOL_FORMAT_DENSE)
    {
      g_string_append (string, "dense<");
      if (is_splat (value))
        append_scalar (&printer, 0);
      else if (value->n_elements > 0)
        append_dimension (&printer, 0, 0, value->n_elements);
      g_string_append_printf (string, "> : %s", type);
      return;
    }

  g_string_append_printf (string, "%s {", type);
  if (rank == 0)
    {
      append_scalar (&printer, 0);
    }
  else
    {
      indent (&printer, 1);
      append_dimension (&printer, 0, 0, value->n_elements);
      g_string_append_c (string, '\n');
    }
  g_string_append_c (string, '}');
}

static void
append_value (GString         *string,
              const GhloValue *value,
              GhloToolFormat   format,
              gsize            max_elements)
{
  switch (value->kind)
    {
    case GHLO_VALUE_TENSOR:
      append_tensor (string, value, format, max_elements);
      break;
    case GHLO_VALUE_TOKEN:
      g_string_append (string, "!stablehlo.token");
      break;
    case GHLO_VALUE_TUPLE:
    case GHLO_VALUE_FUTURE:
      g_string_append (string, "tuple (");
      for (guint i = 0; i < value->n_members; i++)
        {
          g_string_append (string, i == 0 ? "" : ", ");
          append_value (string, value->members[i], format, max_elements);
        }
      g_string_append_c (string, ')');
      break;
    }
}

void
ghlo_tool_print_value (const GhloValue *value,
                       GhloToolFormat   format,
                       gsize            max_elements)
{
  g_autoptr (GString) string = g_string_new (NULL);

  append_value (string, value, format, max_elements);
  g_string_append_c (string, '\n');
  flush (string);
}
