/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints types.
 */

#include <string.h>

#include "ir/print/print-private.h"

/* Whether a type kept as text is a builtin one, such as "tf32",
 * "si3" and "complex<f16>", rather than another dialect's. */
static gboolean
is_builtin_text (const char *text)
{
  const char *digits = text + (*text == 's' || *text == 'u');

  if (g_str_has_prefix (text, "complex<") || g_strcmp0 (text, "tf32") == 0 || g_strcmp0 (text, "f80") == 0
      || g_strcmp0 (text, "f128") == 0)
    return TRUE;

  return *digits == 'i' && digits[1] != '\0' && strspn (digits + 1, "0123456789") == strlen (digits + 1);
}

/* The element type of a shaped type, or a scalar type itself. */
static void
put_element (GString          *out,
             const GhloIrType *type)
{
  if (type->quantization != NULL)
    ghlo_quantization_append (type->quantization, out);
  else if (type->text != NULL)
    {
      g_string_append (out, is_builtin_text (type->text) ? "" : "!");
      ghlo_ir_put_kept_text (out, type->text);
    }
  else
    g_string_append (out, ghlo_element_type_to_string (type->element_type));
}

/* ", encoding"; a memref may have two, layout and memory space. */
static void
put_encoding (GhloIrPrinter    *self,
              const GhloIrType *type)
{
  const GhloIrAttr *encoding = type->encoding;
  gboolean several = type->kind == GHLO_IR_TYPE_MEMREF && ghlo_ir_attr_is (encoding, GHLO_IR_ATTR_ARRAY);

  for (gsize i = 0; encoding != NULL && i < (several ? encoding->length : 1); i++)
    {
      g_string_append (self->out, ", ");
      ghlo_ir_put_attr (self, several ? encoding->children[i] : encoding,
                        type->kind == GHLO_IR_TYPE_MEMREF ? GHLO_IR_TYPED_UNUSUAL : GHLO_IR_TYPED);
    }
}

static void
put_shaped (GhloIrPrinter    *self,
            const GhloIrType *type,
            const char       *keyword)
{
  g_string_append (self->out, keyword);
  for (guint i = 0; i < type->rank; i++)
    {
      ghlo_dimension_append (type->dimensions[i], self->out);
      g_string_append_c (self->out, 'x');
    }
  put_element (self->out, type);

  for (guint i = 0; type->bounds != NULL && i < type->rank; i++)
    {
      g_string_append (self->out, i == 0 ? ", #stablehlo.bounds<" : ", ");
      ghlo_dimension_append (type->bounds[i], self->out);
    }
  g_string_append (self->out, type->bounds != NULL && type->rank > 0 ? ">" : "");
  put_encoding (self, type);
  g_string_append_c (self->out, '>');
}

static void
put_members (GhloIrPrinter    *self,
             const GhloIrType *type,
             const char       *keyword)
{
  g_string_append (self->out, keyword);
  ghlo_ir_put_types (self, type->members, type->rank);
  g_string_append_c (self->out, '>');
}

void
ghlo_ir_put_type (GhloIrPrinter    *self,
                  const GhloIrType *type)
{
  switch (type->kind)
    {
    case GHLO_IR_TYPE_ELEMENT:
    case GHLO_IR_TYPE_QUANTIZED:
      put_element (self->out, type);
      break;
    case GHLO_IR_TYPE_TENSOR:
      put_shaped (self, type, "tensor<");
      break;
    case GHLO_IR_TYPE_UNRANKED:
      put_shaped (self, type, "tensor<*x");
      break;
    case GHLO_IR_TYPE_MEMREF:
      put_shaped (self, type, "memref<");
      break;
    case GHLO_IR_TYPE_TOKEN:
      g_string_append (self->out, "!stablehlo.token");
      break;
    case GHLO_IR_TYPE_TUPLE:
      put_members (self, type, "tuple<");
      break;
    case GHLO_IR_TYPE_FUTURE:
      put_members (self, type, "!stablehlo.future<");
      break;
    case GHLO_IR_TYPE_FUNCTION:
      g_string_append_c (self->out, '(');
      ghlo_ir_put_types (self, type->members, type->rank);
      g_string_append (self->out, ") -> ");
      ghlo_ir_put_result_types (self, type->members + type->rank, type->n_results);
      break;
    case GHLO_IR_TYPE_NONE:
      g_string_append (self->out, "none");
      break;
    case GHLO_IR_TYPE_OPAQUE:
      g_string_append_c (self->out, '!');
      ghlo_ir_put_kept_text (self->out, type->text);
      break;
    }
}

void
ghlo_ir_put_types (GhloIrPrinter           *self,
                   const GhloIrType *const *types,
                   gsize                    n)
{
  for (gsize i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, types[i]);
    }
}

void
ghlo_ir_put_result_types (GhloIrPrinter           *self,
                          const GhloIrType *const *types,
                          gsize                    n)
{
  gboolean bare = n == 1 && types[0]->kind != GHLO_IR_TYPE_FUNCTION;

  g_string_append (self->out, bare ? "" : "(");
  ghlo_ir_put_types (self, types, n);
  g_string_append (self->out, bare ? "" : ")");
}

void
ghlo_ir_type_append (const GhloIrType *type,
                     GString          *string)
{
  GhloIrPrinter printer = { .out = string, .dialect = "" };

  ghlo_ir_put_type (&printer, type);
  g_clear_pointer (&printer.resources, g_hash_table_unref);
}

char *
ghlo_ir_type_to_string (const GhloIrType *type)
{
  GString *string = g_string_new (NULL);

  ghlo_ir_type_append (type, string);

  return g_string_free (string, FALSE);
}
