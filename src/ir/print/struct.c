/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Prints the enumerations and structures of attrs.def. Most structures
 * are spelled "<field = value, …>"; a few have a spelling of their own.
 */

#include "base/float-text.h"
#include "base/sizes.h"
#include "ir/print/print-private.h"

void
ghlo_ir_put_enum (GhloIrPrinter    *self,
                  const GhloIrAttr *attr)
{
  const GhloIrEnumSpec *spec = &ghlo_ir_enum_specs[attr->subkind];
  const char *word = ghlo_ir_enum_word (attr);

  if (attr->subkind == GHLO_IR_ENUM_CUSTOM_CALL_API_VERSION)
    g_string_append_printf (self->out, "%" G_GINT64_FORMAT " : i32", attr->integer);
  else if (attr->subkind == GHLO_IR_ENUM_RESULT_ACCURACY_MODE)
    g_string_append_printf (self->out, "#%s.%s<%s>", spec->dialect, spec->mnemonic, word);
  else
    g_string_append_printf (self->out, "#%s<%s %s>", spec->dialect, spec->mnemonic, word);
}

/* Structures whose text omits zeros and empty lists. */
static gboolean
is_sparse (GhloIrStruct structure)
{
  return structure == GHLO_IR_STRUCT_SCATTER || structure == GHLO_IR_STRUCT_GATHER
         || structure == GHLO_IR_STRUCT_DOT || structure == GHLO_IR_STRUCT_RAGGED_DOT
         || structure == GHLO_IR_STRUCT_RESULT_ACCURACY;
}

static gboolean
is_zero_or_empty (const GhloIrField *field,
                  const GhloIrAttr  *value)
{
  switch (field->kind)
    {
    case GHLO_IR_FIELD_DIMS:
      return value->length == 0;
    case GHLO_IR_FIELD_INT:
      return value->integer == 0;
    case GHLO_IR_FIELD_REAL:
      return value->real == 0;
    default:
      return FALSE;
    }
}

static void
put_field (GhloIrPrinter     *self,
           const GhloIrField *field,
           const GhloIrAttr  *value)
{
  g_assert (value != NULL || field->kind == GHLO_IR_FIELD_DIMS);
  g_string_append_printf (self->out, "%s = ", field->name);
  if (field->kind == GHLO_IR_FIELD_DIMS && value != NULL)
    ghlo_ir_put_dims (self, value->integers, value->length);
  else if (field->kind == GHLO_IR_FIELD_DIMS)
    g_string_append (self->out, "[]");
  else if (value->kind == GHLO_IR_ATTR_STRUCT && value->subkind == GHLO_IR_STRUCT_SUB_AXIS_INFO)
    ghlo_ir_put_struct_body (self, value);
  else
    ghlo_ir_put_attr (self, value, field->kind == GHLO_IR_FIELD_ATTR ? GHLO_IR_TYPED : GHLO_IR_UNTYPED);
}

static void
put_fields (GhloIrPrinter    *self,
            const GhloIrAttr *attr,
            const char       *open)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[attr->subkind];
  const char *separator = "";

  g_string_append (self->out, open);
  for (guint i = 0; i < spec->n_fields; i++)
    {
      const GhloIrAttr *value = attr->children[i];

      if (value == NULL && (spec->fields[i].kind != GHLO_IR_FIELD_DIMS || is_sparse (attr->subkind)))
        continue;
      if (value != NULL && is_sparse (attr->subkind) && is_zero_or_empty (&spec->fields[i], value))
        continue;
      g_string_append (self->out, separator);
      put_field (self, &spec->fields[i], value);
      separator = ", ";
    }
  g_string_append_c (self->out, '>');
}

enum { FEATURE_LETTERS = 2 };

/* Puts "[b, 0, f]": @letters at the positions in @at, and the
 * index of each spatial dimension at the positions in @spatial. */
static gboolean
put_dimension_letters (GhloIrPrinter    *self,
                       const char       *letters,
                       const gint64     *at,
                       const GhloIrAttr *spatial)
{
  gsize n_spatial = spatial != NULL ? spatial->length : 0;
  gsize rank = n_spatial + FEATURE_LETTERS;
  gint64 meaning[GHLO_MAX_RANK + FEATURE_LETTERS];

  if (n_spatial > GHLO_MAX_RANK)
    return FALSE;
  for (gsize i = 0; i < rank; i++)
    meaning[i] = G_MININT64;
  for (gsize i = 0; i < rank; i++)
    {
      gint64 dimension = i < FEATURE_LETTERS ? at[i] : spatial->integers[i - FEATURE_LETTERS];

      if (dimension < 0 || (gsize) dimension >= rank || meaning[dimension] != G_MININT64)
        return FALSE;
      meaning[dimension] = (gint64) i - FEATURE_LETTERS;
    }

  for (gsize i = 0; i < rank; i++)
    {
      g_string_append (self->out, i == 0 ? "[" : ", ");
      if (meaning[i] < 0)
        g_string_append_c (self->out, letters[meaning[i] + FEATURE_LETTERS]);
      else
        g_string_append_printf (self->out, "%" G_GINT64_FORMAT, meaning[i]);
    }
  g_string_append_c (self->out, ']');

  return TRUE;
}

gboolean
ghlo_ir_put_conv_dimensions (GhloIrPrinter    *self,
                             const GhloIrAttr *attr)
{
  static const struct
  {
    const char *before;
    const char *letters;
    const char *fields[FEATURE_LETTERS + 1];
  } sides[] = {
    { "", "bf", { "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions" } },
    { "x", "io", { "kernel_input_feature_dimension", "kernel_output_feature_dimension",
                   "kernel_spatial_dimensions" } },
    { "->", "bf", { "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions" } },
  };
  gsize start = self->out->len;

  for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
    {
      gint64 at[] = {
        ghlo_ir_struct_get_int (attr, sides[i].fields[0]),
        ghlo_ir_struct_get_int (attr, sides[i].fields[1]),
      };

      g_string_append (self->out, sides[i].before);
      if (!put_dimension_letters (self, sides[i].letters, at, ghlo_ir_struct_get (attr, sides[i].fields[2])))
        {
          g_string_truncate (self->out, start);
          return FALSE;
        }
    }

  return TRUE;
}

static void
put_conv (GhloIrPrinter    *self,
          const GhloIrAttr *attr)
{
  gsize start = self->out->len;

  g_string_append_c (self->out, '<');
  if (ghlo_ir_put_conv_dimensions (self, attr))
    {
      g_string_append_c (self->out, '>');
      return;
    }
  g_string_truncate (self->out, start);
  put_fields (self, attr, "<raw ");
}

/* Puts "bounds<4, ?>" instead of "type_extensions<…>". */
static void
put_bounds (GhloIrPrinter    *self,
            const GhloIrAttr *attr)
{
  gsize n;
  const gint64 *bounds = ghlo_ir_struct_get_dims (attr, "bounds", &n);

  g_string_append (self->out, "#stablehlo.bounds<");
  for (gsize i = 0; i < n; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      if (bounds[i] < 0)
        g_string_append_c (self->out, '?');
      else
        g_string_append_printf (self->out, "%" G_GINT64_FORMAT, bounds[i]);
    }
  g_string_append_c (self->out, '>');
}

void
ghlo_ir_put_struct_body (GhloIrPrinter    *self,
                         const GhloIrAttr *attr)
{
  if (attr->subkind == GHLO_IR_STRUCT_CONV)
    put_conv (self, attr);
  else if (attr->subkind == GHLO_IR_STRUCT_SUB_AXIS_INFO)
    g_string_append_printf (self->out, "(%" G_GINT64_FORMAT ")%" G_GINT64_FORMAT,
                            ghlo_ir_struct_get_int (attr, "pre_size"), ghlo_ir_struct_get_int (attr, "size"));
  else
    put_fields (self, attr, "<");
}

void
ghlo_ir_put_struct (GhloIrPrinter    *self,
                    const GhloIrAttr *attr)
{
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[attr->subkind];

  if (attr->subkind == GHLO_IR_STRUCT_TYPE_EXTENSIONS)
    {
      put_bounds (self, attr);
      return;
    }
  if (attr->subkind == GHLO_IR_STRUCT_SUB_AXIS_INFO)
    {
      g_string_append_printf (self->out, "#%s<%s", spec->dialect, spec->mnemonic);
      ghlo_ir_put_struct_body (self, attr);
      g_string_append_c (self->out, '>');
      return;
    }
  g_string_append_printf (self->out, "#%s.%s", spec->dialect, spec->mnemonic);
  ghlo_ir_put_struct_body (self, attr);
}
