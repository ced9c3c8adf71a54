/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks operands and results against the groups of their row: their number and their types.
 */

#include "ir/verify/from-table.h"

/* The constraint bit for tensors with elements of @type. */
static guint32
element_bit (const GhloIrType *type)
{
  static const guint32 bits[] = {
    [GHLO_ELEMENT_CLASS_NONE] = 0,
    [GHLO_ELEMENT_CLASS_BOOLEAN] = GHLO_IR_CAN_PRED,
    [GHLO_ELEMENT_CLASS_SIGNED] = GHLO_IR_CAN_SINT,
    [GHLO_ELEMENT_CLASS_UNSIGNED] = GHLO_IR_CAN_UINT,
    [GHLO_ELEMENT_CLASS_FLOAT] = GHLO_IR_CAN_FLOAT,
    [GHLO_ELEMENT_CLASS_COMPLEX] = GHLO_IR_CAN_COMPLEX,
  };

  if (type->quantization != NULL)
    return type->quantization->axis < 0 ? GHLO_IR_CAN_QUANTIZED : GHLO_IR_CAN_QUANTIZED_AXIS;
  if (type->text != NULL)
    return 0;
  if (type->element_type == GHLO_ELEMENT_TYPE_INDEX)
    return GHLO_IR_CAN_INDEX;

  return bits[ghlo_element_info (type->element_type)->element_class];
}

static gboolean
element_fits (const GhloIrType *type,
              guint32           constraint)
{
  guint32 bit = element_bit (type);

  if ((bit & constraint) == 0)
    return FALSE;
  if ((bit & GHLO_IR_CAN_INT) != 0 && (constraint & GHLO_IR_ONLY_I32) != 0)
    return type->element_type == GHLO_ELEMENT_TYPE_I32;
  if ((bit & GHLO_IR_CAN_INT) != 0 && (constraint & GHLO_IR_ONLY_UI32) != 0)
    return type->element_type == GHLO_ELEMENT_TYPE_UI32;
  if (bit == GHLO_IR_CAN_FLOAT && (constraint & GHLO_IR_ONLY_F32_F64) != 0)
    return type->element_type == GHLO_ELEMENT_TYPE_F32 || type->element_type == GHLO_ELEMENT_TYPE_F64;

  return TRUE;
}

/* Checks that the quantized dimension exists and that its size is the number of scales. */
static gboolean
quantized_dimension_fits (const GhloIrType *type)
{
  const GhloQuantization *quantization = type->quantization;

  if (quantization == NULL || quantization->axis < 0 || type->kind != GHLO_IR_TYPE_TENSOR)
    return TRUE;
  if ((guint) quantization->axis >= type->rank)
    return FALSE;

  return type->dimensions[quantization->axis] < 0
         || type->dimensions[quantization->axis] == (gint64) quantization->n_scales;
}

static gboolean
zero_points_fit (const GhloIrType *type)
{
  const GhloQuantization *quantization = type->quantization;

  for (guint i = 0; quantization != NULL && i < quantization->n_scales; i++)
    if (quantization->zero_points[i] < quantization->storage_min
        || quantization->zero_points[i] > quantization->storage_max)
      return FALSE;

  return TRUE;
}

static gboolean
shape_fits (const GhloIrType *type,
            guint32           constraint)
{
  guint32 ranks = constraint & (GHLO_IR_RANK_0 | GHLO_IR_RANK_1 | GHLO_IR_RANK_2);
  guint n_dynamic = 0, n_bounded = 0;

  if (ranks != 0 && (type->rank > 2 || (ranks & (GHLO_IR_RANK_0 << type->rank)) == 0))
    return FALSE;
  if ((constraint & (GHLO_IR_STATIC | GHLO_IR_STATIC_OR_BOUNDED)) == 0)
    return TRUE;

  for (guint i = 0; i < type->rank; i++)
    {
      n_dynamic += type->dimensions[i] < 0;
      n_bounded += ghlo_ir_type_bound (type, i) >= 0;
    }
  if (n_dynamic == 0)
    return TRUE;

  return (constraint & GHLO_IR_STATIC) == 0 && n_dynamic == 1 && n_bounded == 1;
}

static gboolean
tensor_fits (const GhloIrType *type,
             guint32           constraint)
{
  return element_fits (type, constraint) && zero_points_fit (type)
         && quantized_dimension_fits (type) && shape_fits (type, constraint);
}

static gboolean type_fits (const GhloIrType *type,
                           guint32           constraint,
                           guint             depth);

/* Whether a tuple may be such a value: members are tensors of any element type, buffers, tokens and tuples. Unranked
 * tensors are allowed only if the constraint allows them outside tuples as well. */
static gboolean
tuple_fits (const GhloIrType *type,
            guint32           constraint,
            guint             depth)
{
  guint32 member = GHLO_IR_CAN_PRED | GHLO_IR_CAN_INT | GHLO_IR_CAN_FLOAT | GHLO_IR_CAN_COMPLEX
                   | GHLO_IR_CAN_QUANTIZED | GHLO_IR_CAN_QUANTIZED_AXIS | GHLO_IR_CAN_TOKEN
                   | GHLO_IR_CAN_TUPLE | GHLO_IR_CAN_BUFFER | (constraint & GHLO_IR_CAN_UNRANKED);

  if (depth >= GHLO_MAX_NESTING)
    return FALSE;
  for (guint i = 0; i < type->rank; i++)
    if (!type_fits (type->members[i], member, depth + 1))
      return FALSE;

  return TRUE;
}

static gboolean
type_fits (const GhloIrType *type,
           guint32           constraint,
           guint             depth)
{
  const guint32 buffer_elements = GHLO_IR_CAN_PRED | GHLO_IR_CAN_INT | GHLO_IR_CAN_FLOAT
                                  | GHLO_IR_CAN_COMPLEX | GHLO_IR_CAN_QUANTIZED;

  if ((constraint & GHLO_IR_CAN_ANYTHING) != 0)
    return TRUE;

  switch (type->kind)
    {
    case GHLO_IR_TYPE_TENSOR:
      return tensor_fits (type, constraint);
    case GHLO_IR_TYPE_UNRANKED:
      return (constraint & GHLO_IR_CAN_UNRANKED) != 0 && element_fits (type, constraint) && zero_points_fit (type);
    case GHLO_IR_TYPE_MEMREF:
      return (constraint & GHLO_IR_CAN_BUFFER) != 0 && (element_bit (type) & buffer_elements) != 0
             && zero_points_fit (type);
    case GHLO_IR_TYPE_TOKEN:
      return (constraint & GHLO_IR_CAN_TOKEN) != 0;
    case GHLO_IR_TYPE_TUPLE:
      return (constraint & GHLO_IR_CAN_TUPLE) != 0 && tuple_fits (type, constraint, depth);
    case GHLO_IR_TYPE_FUTURE:
      return (constraint & GHLO_IR_CAN_FUTURE) != 0;
    default:
      return FALSE;
    }
}

gboolean
ghlo_ir_type_fits (const GhloIrType *type,
                   guint32           constraint)
{
  return type_fits (type, constraint, 0);
}

/* A constraint in words, such as "a statically shaped tensor of rank 1 of integer or index elements, or a token". */
static char *
describe_constraint (guint32 constraint)
{
  static const struct
  {
    guint32     bit;
    const char *word;
  } elements[] = {
    { GHLO_IR_CAN_PRED, "i1" },
    { GHLO_IR_CAN_SINT, "signed integer" },
    { GHLO_IR_CAN_UINT, "unsigned integer" },
    { GHLO_IR_CAN_INDEX, "index" },
    { GHLO_IR_CAN_FLOAT, "float" },
    { GHLO_IR_CAN_COMPLEX, "complex" },
    { GHLO_IR_CAN_QUANTIZED, "per-tensor quantized" },
    { GHLO_IR_CAN_QUANTIZED_AXIS, "per-axis quantized" },
  }, others[] = {
    { GHLO_IR_CAN_TOKEN, "a token" },
    { GHLO_IR_CAN_TUPLE, "a tuple" },
    { GHLO_IR_CAN_BUFFER, "a memref" },
    { GHLO_IR_CAN_FUTURE, "a future" },
  };
  GString *text = g_string_new ("a ");
  const char *separator = " of ";

  if ((constraint & GHLO_IR_STATIC) != 0)
    g_string_append (text, "statically shaped ");
  else if ((constraint & GHLO_IR_STATIC_OR_BOUNDED) != 0)
    g_string_append (text, "statically shaped or single-bounded ");
  for (guint rank = 0; rank <= 2; rank++)
    if ((constraint & (GHLO_IR_RANK_0 << rank)) != 0)
      g_string_append_printf (text, "%u-dimensional ", rank);
  g_string_append (text, (constraint & GHLO_IR_CAN_UNRANKED) != 0 ? "tensor" : "ranked tensor");
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    if ((constraint & elements[i].bit) != 0)
      {
        g_string_append_printf (text, "%s%s", separator, elements[i].word);
        separator = ", ";
      }
  if (separator[0] == ' ')
    g_string_truncate (text, 0);
  else if ((constraint & GHLO_IR_ONLY_I32) != 0)
    g_string_append (text, " (i32 only)");
  else if ((constraint & GHLO_IR_ONLY_UI32) != 0)
    g_string_append (text, " (ui32 only)");
  else if ((constraint & GHLO_IR_ONLY_F32_F64) != 0)
    g_string_append (text, " (f32 and f64 only)");
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if ((constraint & others[i].bit) != 0)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " or " : "", others[i].word);

  return g_string_free (text, FALSE);
}

/* The slow path of check_value. */
static gboolean
check_new_type (GhloIrVerifyRun       *run,
                const GhloIrOp        *op,
                const char            *what,
                guint                  index,
                const GhloIrGroupSpec *group,
                const GhloIrType      *type,
                guint                  slot)
{
  g_autofree char *wanted = NULL;
  g_autofree char *found = NULL;

  if (!ghlo_ir_verify_type (run, op, what, type))
    return FALSE;
  if (ghlo_ir_type_fits (type, group->constraint))
    {
      run->known_fits[slot].type = type;
      run->known_fits[slot].constraint = group->constraint;
      return TRUE;
    }

  wanted = describe_constraint (group->constraint);
  found = ghlo_ir_type_to_string (type);

  return ghlo_ir_verify_fail (&run->verifier, op, "expected %s #%u ('%s') to be %s, found %s",
                              what, index, group->name, wanted, found);
}

static inline gboolean
check_value (GhloIrVerifyRun       *run,
             const GhloIrOp        *op,
             const char            *what,
             guint                  index,
             const GhloIrGroupSpec *group,
             const GhloIrType      *type)
{
  guint slot;

  return ghlo_ir_known_fit (run, type, group->constraint, &slot)
         || check_new_type (run, op, what, index, group, type, slot);
}

/* The number of values that a list of groups requires, in words. */
static char *
describe_count (const GhloIrGroupSpec *groups,
                guint                  n_groups)
{
  guint n_fixed = 0;

  for (guint i = 0; i < n_groups; i++)
    n_fixed += groups[i].arity == GHLO_IR_ONE;
  if (n_fixed == n_groups)
    return g_strdup_printf ("%u", n_fixed);
  if (n_groups - n_fixed == 1)
    return g_strdup_printf ("at least %u", n_fixed);

  return g_strdup_printf ("%u groups of", n_groups);
}

static gboolean
fail_count (GhloIrVerifyRun       *run,
            const GhloIrOp        *op,
            const char            *what,
            const GhloIrGroupSpec *groups,
            guint                  n_groups,
            guint                  found)
{
  g_autofree char *count = describe_count (groups, n_groups);

  return ghlo_ir_verify_fail (&run->verifier, op, "expected %s %ss, found %u", count, what, found);
}

static gboolean
check_operand_groups (GhloIrVerifyRun    *run,
                      const GhloIrOp     *op,
                      const GhloIrOpSpec *spec)
{
  guint first = 0, n = 0;

  for (guint group = 0; group < spec->n_operands; group++)
    {
      if (!ghlo_ir_op_operand_group (op, group, &first, &n))
        return fail_count (run, op, "operand", spec->operands, spec->n_operands, op->n_operands);
      for (guint i = first; i < first + n; i++)
        if (!check_value (run, op, "operand", i, &spec->operands[group], ghlo_ir_operand_type (op, i)))
          return FALSE;
    }
  if (first + n != op->n_operands)
    return fail_count (run, op, "operand", spec->operands, spec->n_operands, op->n_operands);

  return TRUE;
}

static gboolean
check_result_groups (GhloIrVerifyRun    *run,
                     const GhloIrOp     *op,
                     const GhloIrOpSpec *spec)
{
  guint first = 0, n = 0;

  for (guint group = 0; group < spec->n_results; group++)
    {
      if (!ghlo_ir_op_result_group (op, group, &first, &n))
        return fail_count (run, op, "result", spec->results, spec->n_results, op->n_results);
      for (guint i = first; i < first + n; i++)
        if (!check_value (run, op, "result", i, &spec->results[group], ghlo_ir_result_type (op, i)))
          return FALSE;
    }
  if (first + n != op->n_results)
    return fail_count (run, op, "result", spec->results, spec->n_results, op->n_results);

  return TRUE;
}

/* Whether every group has exactly one value, which is the common case. */
static gboolean
all_single (const GhloIrGroupSpec *groups,
            guint                  n_groups)
{
  for (guint i = 0; i < n_groups; i++)
    if (groups[i].arity != GHLO_IR_ONE)
      return FALSE;

  return TRUE;
}

gboolean
ghlo_ir_verify_values (GhloIrVerifyRun *run,
                       const GhloIrOp  *op)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);

  if (op->n_operands == spec->n_operands && all_single (spec->operands, spec->n_operands))
    {
      for (guint i = 0; i < op->n_operands; i++)
        if (!check_value (run, op, "operand", i, &spec->operands[i], ghlo_ir_operand_type (op, i)))
          return FALSE;
    }
  else if (!check_operand_groups (run, op, spec))
    return FALSE;

  if (op->n_results == spec->n_results && all_single (spec->results, spec->n_results))
    {
      for (guint i = 0; i < op->n_results; i++)
        if (!check_value (run, op, "result", i, &spec->results[i], ghlo_ir_result_type (op, i)))
          return FALSE;
      return TRUE;
    }

  return check_result_groups (run, op, spec);
}
