/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The small custom directives of pretty forms: types that are
 * inferred from one another, ranges, windows, precisions, constants.
 */

#include <string.h>

#include "import/text/parser.h"

/* @type may be an alias, so a few bytes can denote any number of results. */
static gboolean
assign_with_one_result (GhloImportParser *self,
                        GhloImportOp     *op,
                        const GhloIrType *type)
{
  if (type->n_results != 1)
    return ghlo_import_fail_at (self, op->position, "expected one result of '%s', found %u", op->spec->name,
                                type->n_results);

  return ghlo_import_assign_types (self, op, type);
}

/* One type for all operands and the result, or a function type. */
static gboolean
directive_same (GhloImportParser *self,
                GhloImportOp     *op)
{
  const GhloIrType *type = ghlo_import_parse_type (self);

  if (type == NULL)
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_FUNCTION)
    return assign_with_one_result (self, op, type);
  for (gsize i = 0; i < op->operands.n; i++)
    GHLO_IMPORT_PUSH (&op->operand_types, type);
  GHLO_IMPORT_PUSH (&op->result_types, type);

  return TRUE;
}

static gboolean
directive_pairwise (GhloImportParser *self,
                    GhloImportOp     *op)
{
  if (!ghlo_import_parse_types (self, &op->operand_types))
    return FALSE;
  for (gsize i = 0; i < op->operand_types.n; i++)
    GHLO_IMPORT_PUSH (&op->result_types, op->operand_types.items[i]);

  return TRUE;
}

/* "pred type, value type". */
static gboolean
directive_select_types (GhloImportParser *self,
                        GhloImportOp     *op)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrType *first = ghlo_import_parse_type (self), *second;

  if (first == NULL)
    return FALSE;
  if (first->kind == GHLO_IR_TYPE_FUNCTION)
    return assign_with_one_result (self, op, first);
  if (!ghlo_import_accept (self, ','))
    return ghlo_import_fail_at (self, position, "expected a function type or two types, found one type");
  second = ghlo_import_parse_type (self);
  if (second == NULL)
    return FALSE;
  if (ghlo_import_at (self, ','))
    return ghlo_import_fail_at (self, position, "expected a function type or two types, found more");

  for (gsize i = 0; i < op->operands.n; i++)
    GHLO_IMPORT_PUSH (&op->operand_types, i == 0 ? first : second);
  GHLO_IMPORT_PUSH (&op->result_types, second);

  return TRUE;
}

/* The type of the complex result determines the type of the parts. */
static gboolean
directive_complex_type (GhloImportParser *self,
                        GhloImportOp     *op)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrType *type = ghlo_import_parse_type (self), *part;
  g_autofree char *name = NULL;

  if (type == NULL)
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_FUNCTION)
    return assign_with_one_result (self, op, type);
  if ((type->kind != GHLO_IR_TYPE_TENSOR && type->kind != GHLO_IR_TYPE_UNRANKED)
      || !ghlo_element_type_is_complex (type->element_type))
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_import_fail_at (self, position, "expected a tensor of complex numbers, found %s", name);
    }
  part = ghlo_ir_type_with_element (self->module, type,
                                    ghlo_import_element_type (self, ghlo_element_type_real_part (type->element_type)));
  for (gsize i = 0; i < op->operands.n; i++)
    GHLO_IMPORT_PUSH (&op->operand_types, part);
  GHLO_IMPORT_PUSH (&op->result_types, type);

  return TRUE;
}

static gboolean
directive_tuple_types (GhloImportParser *self,
                       GhloImportOp     *op)
{
  GhloImportPosition position = ghlo_import_position (self);
  const GhloIrType *type = ghlo_import_parse_type (self);
  g_autofree char *name = NULL;

  if (type == NULL)
    return FALSE;
  if (type->kind == GHLO_IR_TYPE_FUNCTION)
    return assign_with_one_result (self, op, type);
  if (type->kind != GHLO_IR_TYPE_TUPLE)
    {
      name = ghlo_ir_type_to_string (type);
      return ghlo_import_fail_at (self, position, "expected a tuple type, found %s", name);
    }
  for (guint i = 0; i < type->rank; i++)
    GHLO_IMPORT_PUSH (&op->operand_types, type->members[i]);
  GHLO_IMPORT_PUSH (&op->result_types, type);

  return TRUE;
}

/* Parses "start:limit" or "start:limit:stride" and pushes the numbers onto the stack of integers. */
static gboolean
parse_range (GhloImportParser *self)
{
  gint64 start, limit, stride = 1;

  if (!ghlo_import_parse_integer (self, &start) || !ghlo_import_expect (self, ':', "':'")
      || !ghlo_import_parse_integer (self, &limit))
    return FALSE;
  if (ghlo_import_accept (self, ':') && !ghlo_import_parse_integer (self, &stride))
    return FALSE;
  GHLO_IMPORT_PUSH (&self->ints, start);
  GHLO_IMPORT_PUSH (&self->ints, limit);
  GHLO_IMPORT_PUSH (&self->ints, stride);

  return TRUE;
}

/* Returns every third integer from @offset on. */
static const GhloIrAttr *
pick_column (GhloImportParser *self,
             gsize             height,
             gsize             offset)
{
  gsize n = (self->ints.n - height) / 3;
  g_autofree gint64 *values = g_new (gint64, MAX (n, 1));

  for (gsize i = 0; i < n; i++)
    values[i] = self->ints.items[height + 3 * i + offset];

  return ghlo_ir_attr_i64s (self->module, values, n);
}

static gboolean
directive_slice_ranges (GhloImportParser *self,
                        GhloImportOp     *op)
{
  gsize height = self->ints.n;
  gboolean ok = ghlo_import_expect (self, '[', "'['");

  if (ok && !ghlo_import_at (self, ']'))
    do
      ok = parse_range (self);
    while (ok && ghlo_import_accept (self, ','));
  ok = ok && ghlo_import_expect (self, ']', "',' or ']'");
  if (ok)
    {
      ghlo_import_set_inherent (op, "start_indices", pick_column (self, height, 0));
      ghlo_import_set_inherent (op, "limit_indices", pick_column (self, height, 1));
      ghlo_import_set_inherent (op, "strides", pick_column (self, height, 2));
    }
  self->ints.n = height;

  return ok;
}

/* Reads digits as a 32-bit integer; -1 if there are none or too many. */
static gint64
read_digits (const char **p,
             const char  *end)
{
  const char *start = *p;
  gint64 value = 0;

  for (; *p < end && g_ascii_isdigit (**p); (*p)++)
    {
      value = value * 10 + (**p - '0');
      if (value > G_MAXINT32)
        return -1;
    }

  return *p > start ? value : -1;
}

/* "e8m23". */
static gboolean
directive_exponent_mantissa (GhloImportParser *self,
                             GhloImportOp     *op)
{
  const char *p = self->lexer.start + 1, *end = self->lexer.cursor;
  const GhloIrType *i32 = ghlo_import_element_type (self, GHLO_ELEMENT_TYPE_I32);
  gint64 exponent = -1, mantissa = -1;

  if (ghlo_import_at (self, GHLO_TOKEN_BARE) && p[-1] == 'e')
    {
      exponent = read_digits (&p, end);
      if (exponent >= 0 && p < end && *p++ == 'm')
        mantissa = read_digits (&p, end);
    }
  if (mantissa < 0 || p != end)
    return ghlo_import_expected (self, "numbers of exponent and mantissa bits such as e8m23");

  ghlo_import_set_inherent (op, "exponent_bits", ghlo_ir_attr_integer (self->module, i32, exponent));
  ghlo_import_set_inherent (op, "mantissa_bits", ghlo_ir_attr_integer (self->module, i32, mantissa));
  ghlo_import_next (self);

  return TRUE;
}

static gboolean
directive_call_target (GhloImportParser *self,
                       GhloImportOp     *op)
{
  const char *name = ghlo_import_parse_symbol_name (self);

  if (name == NULL)
    return FALSE;
  ghlo_import_set_inherent (op, "call_target_name", ghlo_ir_attr_string (self->module, name, -1));

  return TRUE;
}

/* Parses "[0] x [1]": two fields of the dimension numbers, NULL if empty. */
static gboolean
parse_dims_pair (GhloImportParser  *self,
                 const GhloIrAttr **left,
                 const GhloIrAttr **right)
{
  if (!ghlo_import_expect (self, '=', "'='") || (*left = ghlo_import_parse_i64s (self)) == NULL
      || !ghlo_import_expect_word (self, "x") || (*right = ghlo_import_parse_i64s (self)) == NULL)
    return FALSE;
  if ((*left)->length == 0)
    *left = NULL;
  if ((*right)->length == 0)
    *right = NULL;

  return TRUE;
}

static gboolean
directive_dot_dimensions (GhloImportParser *self,
                          GhloImportOp     *op)
{
  const GhloIrAttr *fields[4] = { NULL };

  if (ghlo_import_accept_word (self, "batching_dims")
      && (!parse_dims_pair (self, &fields[0], &fields[1]) || !ghlo_import_expect (self, ',', "','")))
    return FALSE;
  if (!ghlo_import_expect_word (self, "contracting_dims") || !parse_dims_pair (self, &fields[2], &fields[3]))
    return FALSE;
  ghlo_import_set_inherent (op, "dot_dimension_numbers",
                            ghlo_ir_attr_struct (self->module, GHLO_IR_STRUCT_DOT, fields));

  return TRUE;
}

/* "= [DEFAULT, HIGH]". */
static gboolean
parse_precisions (GhloImportParser *self,
                  GhloImportOp     *op)
{
  static const GhloIrAttrSpec precision = { .kind = GHLO_IR_KIND_ENUM, .detail = GHLO_IR_ENUM_PRECISION };
  gsize height = self->attrs.n;
  gboolean ok = ghlo_import_expect (self, '=', "'='") && ghlo_import_expect (self, '[', "'['");

  if (ok && !ghlo_import_at (self, ']'))
    do
      {
        const GhloIrAttr *attr = ghlo_import_parse_attr_of (self, &precision);

        ok = attr != NULL;
        GHLO_IMPORT_PUSH (&self->attrs, attr);
      }
    while (ok && ghlo_import_accept (self, ','));
  ok = ok && ghlo_import_expect (self, ']', "',' or ']'");
  if (ok)
    ghlo_import_set_inherent (op, "precision_config",
                              ghlo_ir_attr_array (self->module, self->attrs.items + height, self->attrs.n - height));
  self->attrs.n = height;

  return ok;
}

static gboolean
directive_precision (GhloImportParser *self,
                     GhloImportOp     *op)
{
  if (!ghlo_import_accept (self, ','))
    return TRUE;

  return ghlo_import_expect_word (self, "precision") && parse_precisions (self, op);
}

static gboolean
parse_algorithm (GhloImportParser *self,
                 GhloImportOp     *op)
{
  static const GhloIrAttrSpec algorithm = { .kind = GHLO_IR_KIND_STRUCT, .detail = GHLO_IR_STRUCT_DOT_ALGORITHM };
  const GhloIrAttr *attr;

  if (!ghlo_import_expect (self, '=', "'='") || (attr = ghlo_import_parse_attr_of (self, &algorithm)) == NULL)
    return FALSE;
  ghlo_import_set_inherent (op, "algorithm", attr);

  return TRUE;
}

static gboolean
directive_precision_algorithm (GhloImportParser *self,
                               GhloImportOp     *op)
{
  if (!ghlo_import_accept (self, ','))
    return TRUE;
  if (ghlo_import_accept_word (self, "algorithm"))
    return parse_algorithm (self, op);
  if (!ghlo_import_expect_word (self, "precision") || !parse_precisions (self, op))
    return FALSE;
  if (!ghlo_import_accept (self, ','))
    return TRUE;

  return ghlo_import_expect_word (self, "algorithm") && parse_algorithm (self, op);
}

static gboolean
directive_conv_dimensions (GhloImportParser *self,
                           GhloImportOp     *op)
{
  const GhloIrAttr *attr = ghlo_import_parse_conv_dimensions (self);

  ghlo_import_set_inherent (op, "dimension_numbers", attr);

  return attr != NULL;
}

static gboolean
all_equal (const gint64 *values,
           gsize         n)
{
  return n > 0 && memcmp (values, values + 1, (n - 1) * sizeof (gint64)) == 0;
}

/* Parses "[[0, 1], [2, 3]]" into a tensor of two columns. */
static const GhloIrAttr *
parse_padding (GhloImportParser *self)
{
  gsize height = self->ints.n, n;
  const GhloIrAttr *attr = NULL;
  const GhloIrType *tensor;
  gboolean ok = ghlo_import_expect (self, '[', "'['"), splat;
  GBytes *bytes;

  if (ok && !ghlo_import_at (self, ']'))
    do
      {
        GhloImportPosition position = ghlo_import_position (self);
        gsize before = self->ints.n;

        ok = ghlo_import_parse_ints (self, &self->ints, FALSE);
        if (ok && self->ints.n - before != 2)
          ok = ghlo_import_fail_at (self, position, "expected low and high padding, found %" G_GSIZE_FORMAT " numbers",
                                    self->ints.n - before);
      }
    while (ok && ghlo_import_accept (self, ','));
  if (ok && ghlo_import_expect (self, ']', "',' or ']'"))
    {
      const gint64 *values = self->ints.items + height;

      n = self->ints.n - height;
      tensor = ghlo_ir_type_tensor (self->module, ghlo_import_element_type (self, GHLO_ELEMENT_TYPE_I64),
                                    (const gint64[]) { (gint64) (n / 2), 2 }, 2, NULL, NULL);
      splat = all_equal (values, n);
      bytes = g_bytes_new (values, (splat ? 1 : n) * sizeof (gint64));
      attr = ghlo_ir_attr_dense (self->module, tensor, bytes, splat, NULL);
    }
  self->ints.n = height;

  return attr;
}

/* Parses "[0, 1]" or "[false, true]" as booleans. */
static const GhloIrAttr *
parse_reversal (GhloImportParser *self)
{
  gsize height = self->ints.n;
  const GhloIrAttr *attr = NULL;
  gboolean ok = ghlo_import_expect (self, '[', "'['");

  if (ok && !ghlo_import_at (self, ']'))
    do
      {
        gint64 value = 1;

        if (ghlo_import_accept_word (self, "false"))
          value = 0;
        else if (!ghlo_import_accept_word (self, "true"))
          ok = ghlo_import_parse_integer (self, &value);
        GHLO_IMPORT_PUSH (&self->ints, value != 0);
      }
    while (ok && ghlo_import_accept (self, ','));
  if (ok && ghlo_import_expect (self, ']', "',' or ']'"))
    attr = ghlo_ir_attr_integers (self->module, GHLO_ELEMENT_TYPE_I1, self->ints.items + height,
                                  self->ints.n - height);
  self->ints.n = height;

  return attr;
}

/* Parses "stride = [1, 1], pad = [[0, 0], [0, 0]], …": any of these, in any order. */
static gboolean
directive_conv_window (GhloImportParser *self,
                       GhloImportOp     *op)
{
  static const struct
  {
    const char       *word;
    const char       *name;
    const GhloIrAttr *(*parse) (GhloImportParser *self);
  } fields[] = {
    { "stride", "window_strides", ghlo_import_parse_i64s },
    { "pad", "padding", parse_padding },
    { "lhs_dilate", "lhs_dilation", ghlo_import_parse_i64s },
    { "rhs_dilate", "rhs_dilation", ghlo_import_parse_i64s },
    { "reverse", "window_reversal", parse_reversal },
  };
  guint seen = 0;

  while (ghlo_import_at (self, GHLO_TOKEN_BARE))
    {
      const GhloIrAttr *attr;
      guint i = 0;

      while (i < G_N_ELEMENTS (fields) && !ghlo_import_at_word (self, fields[i].word))
        i++;
      if (i == G_N_ELEMENTS (fields) || (seen & 1u << i) != 0)
        return ghlo_import_expected (self, "each of stride, pad, lhs_dilate, rhs_dilate and reverse at most once");
      seen |= 1u << i;
      ghlo_import_next (self);
      if (!ghlo_import_expect (self, '=', "'='") || (attr = fields[i].parse (self)) == NULL)
        return FALSE;
      ghlo_import_set_inherent (op, fields[i].name, attr);
      if (!ghlo_import_accept (self, ','))
        break;
    }

  return TRUE;
}

/* Parses "%a, %b, ": the trailing comma belongs to the list. */
static gboolean
directive_trailing_comma (GhloImportParser *self,
                          GhloImportOp     *op)
{
  while (ghlo_import_at (self, GHLO_TOKEN_PERCENT))
    if (!ghlo_import_parse_operand (self, op) || !ghlo_import_expect (self, ',', "','"))
      return FALSE;

  return TRUE;
}

/* "{attributes} value", or the rest of the generic form. */
static gboolean
directive_constant (GhloImportParser *self,
                    GhloImportOp     *op)
{
  const GhloIrAttr *value;
  const GhloIrType *function;

  if (ghlo_import_accept (self, '('))
    {
      if (!ghlo_import_expect (self, ')', "')'") || !ghlo_import_parse_properties (self, op)
          || !ghlo_import_parse_op_attrs (self, op) || !ghlo_import_expect (self, ':', "':'"))
        return FALSE;
      function = ghlo_import_parse_function_type (self);
      return function != NULL && ghlo_import_assign_types (self, op, function);
    }

  if (!ghlo_import_parse_op_attrs (self, op))
    return FALSE;
  value = ghlo_import_parse_attr (self);
  if (value == NULL)
    return FALSE;
  if (value->kind != GHLO_IR_ATTR_DENSE && value->kind != GHLO_IR_ATTR_DENSE_STRINGS
      && value->kind != GHLO_IR_ATTR_KEPT_ELEMENTS)
    {
      g_autofree char *found = ghlo_ir_attr_to_string (value);

      return ghlo_import_fail_at (self, op->position, "expected a dense constant as the value of '%s', found %s",
                                  op->spec->name, found);
    }
  ghlo_import_set_inherent (op, "value", value);
  GHLO_IMPORT_PUSH (&op->result_types, value->type);

  return TRUE;
}

/* After the attributes: "%a, %b : type, type" or nothing. */
static gboolean
directive_return (GhloImportParser *self,
                  GhloImportOp     *op)
{
  if (!ghlo_import_at (self, GHLO_TOKEN_PERCENT))
    return TRUE;

  return ghlo_import_parse_operands (self, op) && ghlo_import_expect (self, ':', "':'")
         && ghlo_import_parse_types (self, &op->operand_types);
}

static gboolean
directive_barrier (GhloImportParser *self,
                   GhloImportOp     *op)
{
  if (!ghlo_import_parse_op_attrs (self, op))
    return FALSE;
  if (!ghlo_import_at (self, GHLO_TOKEN_PERCENT))
    return !ghlo_import_accept (self, '(') || ghlo_import_expect (self, ')', "')'");

  return ghlo_import_parse_operands (self, op) && ghlo_import_expect (self, ':', "':'")
         && directive_pairwise (self, op);
}

/* "%a : type to type {attributes}". */
static gboolean
directive_conversion_cast (GhloImportParser *self,
                           GhloImportOp     *op)
{
  if (ghlo_import_at (self, GHLO_TOKEN_PERCENT)
      && (!ghlo_import_parse_operands (self, op) || !ghlo_import_expect (self, ':', "':'")
          || !ghlo_import_parse_types (self, &op->operand_types)))
    return FALSE;

  return ghlo_import_expect_word (self, "to") && ghlo_import_parse_types (self, &op->result_types)
         && ghlo_import_parse_op_attrs (self, op);
}

/* "{attributes} [1, 2] : type". */
static gboolean
directive_const_shape (GhloImportParser *self,
                       GhloImportOp     *op)
{
  gsize height = self->ints.n, n;
  const GhloIrType *type = NULL, *tensor;

  if (ghlo_import_parse_op_attrs (self, op) && ghlo_import_parse_ints (self, &self->ints, FALSE)
      && ghlo_import_expect (self, ':', "':'"))
    type = ghlo_import_parse_type (self);
  if (type != NULL)
    {
      gboolean splat;

      n = self->ints.n - height;
      splat = all_equal (self->ints.items + height, n);
      tensor = ghlo_ir_type_tensor (self->module, ghlo_import_element_type (self, GHLO_ELEMENT_TYPE_INDEX),
                                    (const gint64[]) { (gint64) n }, 1, NULL, NULL);
      ghlo_import_set_inherent (op, "shape",
                                ghlo_ir_attr_dense (self->module, tensor,
                                                    g_bytes_new (self->ints.items + height,
                                                                 (splat ? 1 : n) * sizeof (gint64)),
                                                    splat, NULL));
      GHLO_IMPORT_PUSH (&op->result_types, type);
    }
  self->ints.n = height;

  return type != NULL;
}

const GhloImportDirective ghlo_import_directives[GHLO_IR_N_DIRECTIVES] = {
  [GHLO_IR_DIRECTIVE_SAME] = directive_same,
  [GHLO_IR_DIRECTIVE_PAIRWISE] = directive_pairwise,
  [GHLO_IR_DIRECTIVE_VARIADIC_SAME] = directive_same,
  [GHLO_IR_DIRECTIVE_SELECT_TYPES] = directive_select_types,
  [GHLO_IR_DIRECTIVE_COMPLEX_TYPE] = directive_complex_type,
  [GHLO_IR_DIRECTIVE_TUPLE_TYPES] = directive_tuple_types,
  [GHLO_IR_DIRECTIVE_SLICE_RANGES] = directive_slice_ranges,
  [GHLO_IR_DIRECTIVE_EXPONENT_MANTISSA] = directive_exponent_mantissa,
  [GHLO_IR_DIRECTIVE_CALL_TARGET] = directive_call_target,
  [GHLO_IR_DIRECTIVE_DOT_DIMENSIONS] = directive_dot_dimensions,
  [GHLO_IR_DIRECTIVE_PRECISION] = directive_precision,
  [GHLO_IR_DIRECTIVE_PRECISION_ALGORITHM] = directive_precision_algorithm,
  [GHLO_IR_DIRECTIVE_CONV_DIMENSIONS] = directive_conv_dimensions,
  [GHLO_IR_DIRECTIVE_CONV_WINDOW] = directive_conv_window,
  [GHLO_IR_DIRECTIVE_TRAILING_COMMA] = directive_trailing_comma,
  [GHLO_IR_DIRECTIVE_CONSTANT] = directive_constant,
  [GHLO_IR_DIRECTIVE_REDUCE] = ghlo_import_directive_reduce,
  [GHLO_IR_DIRECTIVE_WHILE] = ghlo_import_directive_while,
  [GHLO_IR_DIRECTIVE_SCAN] = ghlo_import_directive_scan,
  [GHLO_IR_DIRECTIVE_FUNC] = ghlo_import_directive_func,
  [GHLO_IR_DIRECTIVE_MODULE] = ghlo_import_directive_module,
  [GHLO_IR_DIRECTIVE_RETURN] = directive_return,
  [GHLO_IR_DIRECTIVE_BARRIER] = directive_barrier,
  [GHLO_IR_DIRECTIVE_CONVERSION_CAST] = directive_conversion_cast,
  [GHLO_IR_DIRECTIVE_CONST_SHAPE] = directive_const_shape,
  [GHLO_IR_DIRECTIVE_SDY_MESH] = ghlo_import_directive_sdy_mesh,
  [GHLO_IR_DIRECTIVE_SDY_CONSTRAINT] = ghlo_import_directive_sdy_constraint,
  [GHLO_IR_DIRECTIVE_SDY_MANUAL] = ghlo_import_directive_sdy_manual,
};
