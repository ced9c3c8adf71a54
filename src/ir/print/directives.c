/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom directives of pretty forms that abbreviate types and attributes. If a directive's fits function returns
 * FALSE, the operation is printed in the generic form.
 */

#include <string.h>

#include "ir/print/print-private.h"

static void
put_same (GhloIrPrinter  *self,
          const GhloIrOp *op,
          guint64         shown)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i)->type != op->results[0].type)
      {
        ghlo_ir_put_functional (self, op);
        return;
      }

  ghlo_ir_put_type (self, op->results[0].type);
}

static gboolean
has_one_result (const GhloIrOp *op)
{
  return op->n_results == 1 && op->results[0].type->kind != GHLO_IR_TYPE_FUNCTION;
}

static void
put_operand_types (GhloIrPrinter  *self,
                   const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, ghlo_ir_op_operand (op, i)->type);
    }
}

static void
put_pairwise (GhloIrPrinter  *self,
              const GhloIrOp *op,
              guint64         shown)
{
  put_operand_types (self, op);
}

static gboolean
has_pairwise_types (const GhloIrOp *op)
{
  if (op->n_operands != op->n_results)
    return FALSE;
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_ir_op_operand (op, i)->type != op->results[i].type)
      return FALSE;

  return TRUE;
}

static void
put_select_types (GhloIrPrinter  *self,
                  const GhloIrOp *op,
                  guint64         shown)
{
  const GhloIrType *type = op->results[0].type;

  if (ghlo_ir_op_operand (op, 1)->type != type || ghlo_ir_op_operand (op, 2)->type != type)
    {
      ghlo_ir_put_functional (self, op);
      return;
    }
  ghlo_ir_put_type (self, ghlo_ir_op_operand (op, 0)->type);
  g_string_append (self->out, ", ");
  ghlo_ir_put_type (self, type);
}

/* Whether @real is the type that a reader infers from @complex: that of its real part. */
static gboolean
is_real_part (const GhloIrType *real,
              const GhloIrType *complex)
{
  return real->kind == GHLO_IR_TYPE_TENSOR && complex->kind == GHLO_IR_TYPE_TENSOR
         && ghlo_element_type_is_complex (complex->element_type) && complex->encoding == NULL && complex->bounds == NULL
         && real->element_type == ghlo_element_type_real_part (complex->element_type)
         && real->quantization == NULL && real->encoding == NULL && real->bounds == NULL && real->rank == complex->rank
         && (real->rank == 0
             || memcmp (real->dimensions, complex->dimensions, real->rank * sizeof real->dimensions[0]) == 0);
}

static void
put_complex_type (GhloIrPrinter  *self,
                  const GhloIrOp *op,
                  guint64         shown)
{
  const GhloIrType *type = op->results[0].type;

  if (is_real_part (ghlo_ir_op_operand (op, 0)->type, type) && is_real_part (ghlo_ir_op_operand (op, 1)->type, type))
    ghlo_ir_put_type (self, type);
  else
    ghlo_ir_put_functional (self, op);
}

static void
put_tuple_types (GhloIrPrinter  *self,
                 const GhloIrOp *op,
                 guint64         shown)
{
  const GhloIrType *type = op->results[0].type;
  gboolean same = type->kind == GHLO_IR_TYPE_TUPLE && type->rank == op->n_operands;

  for (guint i = 0; same && i < op->n_operands; i++)
    same = type->members[i] == ghlo_ir_op_operand (op, i)->type;

  if (same)
    ghlo_ir_put_type (self, type);
  else
    ghlo_ir_put_functional (self, op);
}

static void
put_slice_ranges (GhloIrPrinter  *self,
                  const GhloIrOp *op,
                  guint64         shown)
{
  gsize n;
  const gint64 *starts = ghlo_ir_op_get_ints (op, "start_indices", &n);
  const gint64 *limits = ghlo_ir_op_get_ints (op, "limit_indices", &n);
  const gint64 *strides = ghlo_ir_op_get_ints (op, "strides", &n);

  g_string_append_c (self->out, '[');
  for (gsize i = 0; i < n; i++)
    {
      g_string_append_printf (self->out, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                              starts[i], limits[i]);
      if (strides[i] != 1)
        g_string_append_printf (self->out, ":%" G_GINT64_FORMAT, strides[i]);
    }
  g_string_append_c (self->out, ']');
}

static gboolean
has_slice_ranges (const GhloIrOp *op)
{
  const GhloIrAttr *starts = ghlo_ir_op_get (op, "start_indices");
  const GhloIrAttr *limits = ghlo_ir_op_get (op, "limit_indices");
  const GhloIrAttr *strides = ghlo_ir_op_get (op, "strides");

  return ghlo_ir_attr_is_i64s (starts) && ghlo_ir_attr_is_i64s (limits) && ghlo_ir_attr_is_i64s (strides)
         && starts->length == limits->length && starts->length == strides->length;
}

static void
put_exponent_mantissa (GhloIrPrinter  *self,
                       const GhloIrOp *op,
                       guint64         shown)
{
  g_string_append_printf (self->out, "e%" G_GINT64_FORMAT "m%" G_GINT64_FORMAT,
                          ghlo_ir_op_get_int (op, "exponent_bits", 0), ghlo_ir_op_get_int (op, "mantissa_bits", 0));
}

static gboolean
is_count (const GhloIrAttr *attr)
{
  return ghlo_ir_attr_is (attr, GHLO_IR_ATTR_INTEGER) && attr->type->element_type == GHLO_ELEMENT_TYPE_I32
         && attr->integer >= 0;
}

static gboolean
has_exponent_mantissa (const GhloIrOp *op)
{
  return is_count (ghlo_ir_op_get (op, "exponent_bits")) && is_count (ghlo_ir_op_get (op, "mantissa_bits"));
}

static void
put_call_target (GhloIrPrinter  *self,
                 const GhloIrOp *op,
                 guint64         shown)
{
  ghlo_ir_put_symbol (self->out, ghlo_ir_op_get_string (op, "call_target_name"));
}

static gboolean
has_call_target (const GhloIrOp *op)
{
  const GhloIrAttr *target = ghlo_ir_op_get (op, "call_target_name");

  return ghlo_ir_attr_is (target, GHLO_IR_ATTR_STRING) && strlen (target->text) == target->length;
}

static void
put_dimension_pair (GhloIrPrinter    *self,
                    const GhloIrAttr *numbers,
                    const char       *word,
                    const char       *lhs,
                    const char       *rhs)
{
  gsize n_lhs, n_rhs;
  const gint64 *lhs_dims = ghlo_ir_struct_get_dims (numbers, lhs, &n_lhs);
  const gint64 *rhs_dims = ghlo_ir_struct_get_dims (numbers, rhs, &n_rhs);

  g_string_append_printf (self->out, "%s = ", word);
  ghlo_ir_put_dims (self, lhs_dims, n_lhs);
  g_string_append (self->out, " x ");
  ghlo_ir_put_dims (self, rhs_dims, n_rhs);
}

static void
put_dot_dimensions (GhloIrPrinter  *self,
                    const GhloIrOp *op,
                    guint64         shown)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dot_dimension_numbers");
  gsize n_lhs, n_rhs;

  ghlo_ir_struct_get_dims (numbers, "lhs_batching_dimensions", &n_lhs);
  ghlo_ir_struct_get_dims (numbers, "rhs_batching_dimensions", &n_rhs);
  if (n_lhs > 0 || n_rhs > 0)
    {
      put_dimension_pair (self, numbers, "batching_dims", "lhs_batching_dimensions", "rhs_batching_dimensions");
      g_string_append (self->out, ", ");
    }
  put_dimension_pair (self, numbers, "contracting_dims", "lhs_contracting_dimensions", "rhs_contracting_dimensions");
}

static gboolean
is_struct (const GhloIrAttr *attr,
           GhloIrStruct      structure)
{
  return ghlo_ir_attr_is (attr, GHLO_IR_ATTR_STRUCT) && attr->subkind == structure;
}

static gboolean
has_dot_dimensions (const GhloIrOp *op)
{
  return is_struct (ghlo_ir_op_get (op, "dot_dimension_numbers"), GHLO_IR_STRUCT_DOT);
}

static void
put_precision (GhloIrPrinter  *self,
               const GhloIrOp *op,
               guint64         shown)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");

  if (precision == NULL)
    return;
  g_string_append (self->out, ", precision = [");
  for (gsize i = 0; i < precision->length; i++)
    g_string_append_printf (self->out, "%s%s", i > 0 ? ", " : "", ghlo_ir_enum_word (precision->children[i]));
  g_string_append_c (self->out, ']');
}

static gboolean
has_precision (const GhloIrOp *op)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");

  if (precision == NULL)
    return TRUE;
  if (precision->kind != GHLO_IR_ATTR_ARRAY)
    return FALSE;
  for (gsize i = 0; i < precision->length; i++)
    if (precision->children[i]->kind != GHLO_IR_ATTR_ENUM || precision->children[i]->subkind != GHLO_IR_ENUM_PRECISION)
      return FALSE;

  return TRUE;
}

static void
put_precision_algorithm (GhloIrPrinter  *self,
                         const GhloIrOp *op,
                         guint64         shown)
{
  const GhloIrAttr *algorithm = ghlo_ir_op_get (op, "algorithm");

  put_precision (self, op, shown);
  if (algorithm == NULL)
    return;
  g_string_append (self->out, ", algorithm = ");
  ghlo_ir_put_struct_body (self, algorithm);
}

static gboolean
has_precision_algorithm (const GhloIrOp *op)
{
  const GhloIrAttr *algorithm = ghlo_ir_op_get (op, "algorithm");

  return has_precision (op) && (algorithm == NULL || is_struct (algorithm, GHLO_IR_STRUCT_DOT_ALGORITHM));
}

static void
put_conv_dimensions (GhloIrPrinter  *self,
                     const GhloIrOp *op,
                     guint64         shown)
{
  ghlo_ir_put_conv_dimensions (self, ghlo_ir_op_get (op, "dimension_numbers"));
}

static gboolean
has_conv_dimensions (const GhloIrOp *op)
{
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  g_autoptr (GString) scratch = NULL;

  if (!is_struct (numbers, GHLO_IR_STRUCT_CONV))
    return FALSE;
  scratch = g_string_new (NULL);

  return ghlo_ir_put_conv_dimensions (&(GhloIrPrinter) { .out = scratch, .dialect = "" }, numbers);
}

/* The attributes of a convolution's window and their keywords. */
static const struct
{
  const char      *name;
  const char      *word;
  GhloElementType  element_type;   /* INVALID: pairs, stored as a dense of N rows of 2 */
} window_attributes[] = {
  { "window_strides", "stride", GHLO_ELEMENT_TYPE_I64 },
  { "padding", "pad", GHLO_ELEMENT_TYPE_INVALID },
  { "lhs_dilation", "lhs_dilate", GHLO_ELEMENT_TYPE_I64 },
  { "rhs_dilation", "rhs_dilate", GHLO_ELEMENT_TYPE_I64 },
  { "window_reversal", "reverse", GHLO_ELEMENT_TYPE_I1 },
};

static void
put_pairs (GhloIrPrinter    *self,
           const GhloIrAttr *attr)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  ghlo_ir_dense_to_int64 (attr, &values, &n);
  for (gsize i = 0; i + 1 < n; i += 2)
    g_string_append_printf (self->out, "%s[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", i > 0 ? ", " : "",
                            values[i], values[i + 1]);
}

static void
put_conv_window (GhloIrPrinter  *self,
                 const GhloIrOp *op,
                 guint64         shown)
{
  const char *separator = "";

  for (guint i = 0; i < G_N_ELEMENTS (window_attributes); i++)
    {
      const GhloIrAttr *attr = ghlo_ir_op_get (op, window_attributes[i].name);

      if (attr == NULL)
        continue;
      g_string_append_printf (self->out, "%s%s = [", separator, window_attributes[i].word);
      if (attr->kind == GHLO_IR_ATTR_DENSE)
        put_pairs (self, attr);
      else
        ghlo_ir_put_numbers (self, attr);
      g_string_append_c (self->out, ']');
      separator = ", ";
    }
}

static gboolean
is_pairs (const GhloIrAttr *attr)
{
  return attr->kind == GHLO_IR_ATTR_DENSE && attr->type->rank == 2 && attr->type->dimensions[1] == 2
         && attr->type->element_type == GHLO_ELEMENT_TYPE_I64
         && attr->type->encoding == NULL && attr->dense.resource == NULL;
}

static gboolean
has_conv_window (const GhloIrOp *op)
{
  for (guint i = 0; i < G_N_ELEMENTS (window_attributes); i++)
    {
      const GhloIrAttr *attr = ghlo_ir_op_get (op, window_attributes[i].name);

      if (attr == NULL)
        continue;
      if (window_attributes[i].element_type == GHLO_ELEMENT_TYPE_INVALID)
        {
          if (!is_pairs (attr))
            return FALSE;
        }
      else if (attr->kind != GHLO_IR_ATTR_DENSE_ARRAY || attr->type->element_type != window_attributes[i].element_type)
        return FALSE;
    }

  return TRUE;
}

/* Finds the row's variadic group: its first operand and the number of operands. */
static void
find_variadic (const GhloIrOp *op,
               guint          *first,
               guint          *n)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  *first = *n = 0;
  for (guint i = 0; i < spec->n_operands; i++)
    if (spec->operands[i].arity == GHLO_IR_VARIADIC)
      {
        ghlo_ir_op_operand_group (op, i, first, n);
        return;
      }
}

static void
put_operands_comma (GhloIrPrinter  *self,
                    const GhloIrOp *op,
                    guint64         shown)
{
  guint first, n;

  find_variadic (op, &first, &n);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_c (self->out, ' ');
      ghlo_ir_put_value (self, ghlo_ir_op_operand (op, first + i));
      g_string_append_c (self->out, ',');
    }
}

/* Puts the value alone if its type is the result's, which is not so for a quantized constant. */
static void
put_constant (GhloIrPrinter  *self,
              const GhloIrOp *op,
              guint64         shown)
{
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  if (value == NULL || op->n_results != 1 || value->type != op->results[0].type)
    {
      ghlo_ir_put_generic_body (self, op);
      return;
    }
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_attr (self, value, GHLO_IR_TYPED);
}

static void
put_values_and_types (GhloIrPrinter  *self,
                      const GhloIrOp *op)
{
  ghlo_ir_put_operands (self, op, 0, op->n_operands);
  g_string_append (self->out, " : ");
  put_operand_types (self, op);
}

static void
put_return (GhloIrPrinter  *self,
            const GhloIrOp *op,
            guint64         shown)
{
  if (op->n_operands == 0)
    return;
  g_string_append_c (self->out, ' ');
  put_values_and_types (self, op);
}

static void
put_barrier (GhloIrPrinter  *self,
             const GhloIrOp *op,
             guint64         shown)
{
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
  if (op->n_operands == 0)
    {
      g_string_append (self->out, "()");
      return;
    }
  g_string_append_c (self->out, ' ');
  put_values_and_types (self, op);
}

static void
put_conversion_cast (GhloIrPrinter  *self,
                     const GhloIrOp *op,
                     guint64         shown)
{
  if (op->n_operands > 0)
    {
      g_string_append_c (self->out, ' ');
      put_values_and_types (self, op);
    }
  g_string_append (self->out, " to ");
  for (guint i = 0; i < op->n_results; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      ghlo_ir_put_type (self, op->results[i].type);
    }
  ghlo_ir_put_attr_dict (self, op, shown, NULL);
}

static gboolean
has_results (const GhloIrOp *op)
{
  return op->n_results > 0;
}

static void
put_const_shape (GhloIrPrinter  *self,
                 const GhloIrOp *op,
                 guint64         shown)
{
  g_autofree gint64 *values = NULL;
  gsize n;

  ghlo_ir_put_attr_dict (self, op, shown, NULL);
  ghlo_ir_dense_to_int64 (ghlo_ir_op_get (op, "shape"), &values, &n);
  g_string_append_c (self->out, ' ');
  ghlo_ir_put_dims (self, values, n);
  g_string_append (self->out, " : ");
  ghlo_ir_put_type (self, op->results[0].type);
}

static gboolean
has_const_shape (const GhloIrOp *op)
{
  const GhloIrAttr *shape = ghlo_ir_op_get (op, "shape");

  return ghlo_ir_attr_is (shape, GHLO_IR_ATTR_DENSE) && shape->type->element_type == GHLO_ELEMENT_TYPE_INDEX
         && shape->type->rank == 1 && shape->type->encoding == NULL && shape->dense.resource == NULL;
}

static const GhloIrPrintDirective directives[GHLO_IR_N_DIRECTIVES] = {
  [GHLO_IR_DIRECTIVE_SAME] = { put_same, has_one_result, FALSE },
  [GHLO_IR_DIRECTIVE_PAIRWISE] = { put_pairwise, has_pairwise_types, FALSE },
  [GHLO_IR_DIRECTIVE_VARIADIC_SAME] = { put_same, has_one_result, FALSE },
  [GHLO_IR_DIRECTIVE_SELECT_TYPES] = { put_select_types, NULL, FALSE },
  [GHLO_IR_DIRECTIVE_COMPLEX_TYPE] = { put_complex_type, NULL, FALSE },
  [GHLO_IR_DIRECTIVE_TUPLE_TYPES] = { put_tuple_types, NULL, FALSE },
  [GHLO_IR_DIRECTIVE_SLICE_RANGES] = { put_slice_ranges, has_slice_ranges, FALSE },
  [GHLO_IR_DIRECTIVE_EXPONENT_MANTISSA] = { put_exponent_mantissa, has_exponent_mantissa, FALSE },
  [GHLO_IR_DIRECTIVE_CALL_TARGET] = { put_call_target, has_call_target, FALSE },
  [GHLO_IR_DIRECTIVE_DOT_DIMENSIONS] = { put_dot_dimensions, has_dot_dimensions, FALSE },
  [GHLO_IR_DIRECTIVE_PRECISION] = { put_precision, has_precision, TRUE },
  [GHLO_IR_DIRECTIVE_PRECISION_ALGORITHM] = { put_precision_algorithm, has_precision_algorithm, TRUE },
  [GHLO_IR_DIRECTIVE_CONV_DIMENSIONS] = { put_conv_dimensions, has_conv_dimensions, FALSE },
  [GHLO_IR_DIRECTIVE_CONV_WINDOW] = { put_conv_window, has_conv_window, TRUE },
  [GHLO_IR_DIRECTIVE_TRAILING_COMMA] = { put_operands_comma, NULL, TRUE },
  [GHLO_IR_DIRECTIVE_CONSTANT] = { put_constant, NULL, TRUE },
  [GHLO_IR_DIRECTIVE_RETURN] = { put_return, NULL, TRUE },
  [GHLO_IR_DIRECTIVE_BARRIER] = { put_barrier, has_pairwise_types, TRUE },
  [GHLO_IR_DIRECTIVE_CONVERSION_CAST] = { put_conversion_cast, has_results, TRUE },
  [GHLO_IR_DIRECTIVE_CONST_SHAPE] = { put_const_shape, has_const_shape, TRUE },
};

const GhloIrPrintDirective *
ghlo_ir_print_directive (GhloIrAsmDirective directive)
{
  return directives[directive].put != NULL ? &directives[directive] : NULL;
}
