/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operands and results against the groups of their row: how many there are and
 * what type each may have. Also whether a type is well formed in itself, which
 * text and bytecode cannot always tell while they build it.
 */

#include "ir/verify-private.h"

#include <math.h>

enum { MAX_PARTS = 1 << 16 };

/* Tensors with these elements have that bit. */
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

/* The quantized dimension exists and has as many scales as entries. */
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

/* A tuple holds tensors of any element, buffers, tokens and tuples; unranked
 * tensors only where the place itself takes them. */
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
      return (constraint & GHLO_IR_CAN_BUFFER) != 0 && (element_bit (type) & buffer_elements) != 0;
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

/* "a statically shaped tensor of rank 1 of integer or index elements, or a token". */
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
    g_string_append (text, "statically shaped or once bounded ");
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

/* What is wrong with a quantization by itself, or NULL. */
static char *
quantization_fault (const GhloQuantization *quantization)
{
  const GhloElementInfo *expressed = ghlo_element_info (quantization->expressed);
  const GhloElementInfo *storage = ghlo_element_info (quantization->storage);
  double least, most;

  if (!ghlo_element_type_is_integer (quantization->storage) || storage->bits > 32)
    return g_strdup_printf ("a quantized type stored as integers of at most 32 bits, found storage type %s", storage->name);
  if (!ghlo_element_type_is_float (quantization->expressed))
    return g_strdup_printf ("a quantized type that expresses floats, found expressed type %s", expressed->name);
  if (quantization->storage_min >= quantization->storage_max)
    return g_strdup_printf ("a quantized type whose storage minimum is below its maximum, found %" G_GINT64_FORMAT
                            " and %" G_GINT64_FORMAT, quantization->storage_min, quantization->storage_max);

  /* The least positive and the greatest finite number of the expressed type. */
  least = ldexp (1.0, 1 - expressed->bias - expressed->mantissa_bits);
  most = expressed->specials == GHLO_FLOAT_IEEE
         ? ldexp (2.0 - ldexp (1.0, -expressed->mantissa_bits), (1 << expressed->exponent_bits) - 2 - expressed->bias)
         : ldexp (2.0, (1 << expressed->exponent_bits) - 1 - expressed->bias);
  for (guint i = 0; i < quantization->n_scales; i++)
    if (!(quantization->scales[i] >= least && quantization->scales[i] <= most))
      return g_strdup_printf ("a scale in the range of %s, found %g", expressed->name, quantization->scales[i]);

  return NULL;
}

static char *
tensor_fault (const GhloIrType *type)
{
  if (type->rank > GHLO_MAX_RANK)
    return g_strdup_printf ("a rank of at most %d, found %u", GHLO_MAX_RANK, type->rank);
  for (guint i = 0; i < type->rank; i++)
    {
      if (type->dimensions[i] < -1)
        return g_strdup_printf ("dimensions that are not negative, found %" G_GINT64_FORMAT, type->dimensions[i]);
      if (ghlo_ir_type_bound (type, i) >= 0 && type->dimensions[i] >= 0)
        return g_strdup_printf ("a bound on dynamic dimensions only, found one on dimension %u", i);
    }

  return NULL;
}

/* What is wrong with @type by itself, or NULL. *@budget is what is left of the
 * number of parts: types share members, so few lines can spell a tuple that
 * nothing could walk. */
static char *
type_fault (const GhloIrType *type,
            guint             depth,
            guint            *budget)
{
  char *fault = NULL;
  guint n_members = 0;

  if (depth > GHLO_MAX_NESTING)
    return g_strdup_printf ("types nested at most %d deep, found more", GHLO_MAX_NESTING);
  if ((*budget)-- == 0)
    return g_strdup_printf ("a type of at most %d parts, found more", MAX_PARTS);
  if (type->kind == GHLO_IR_TYPE_TENSOR || type->kind == GHLO_IR_TYPE_MEMREF)
    fault = tensor_fault (type);
  if (fault == NULL && type->quantization != NULL)
    fault = quantization_fault (type->quantization);

  if (type->kind == GHLO_IR_TYPE_TUPLE || type->kind == GHLO_IR_TYPE_FUTURE)
    n_members = type->rank;
  else if (type->kind == GHLO_IR_TYPE_FUNCTION)
    n_members = type->rank + type->n_results;
  for (guint i = 0; i < n_members && fault == NULL; i++)
    {
      fault = type_fault (type->members[i], depth + 1, budget);
      if (fault == NULL && type->kind == GHLO_IR_TYPE_FUTURE && type->members[i]->kind != GHLO_IR_TYPE_TENSOR)
        {
          g_autofree char *member = ghlo_ir_type_to_string (type->members[i]);

          fault = g_strdup_printf ("a future of ranked tensors, found one of %s", member);
        }
    }

  return fault;
}

/* Whether the pair was seen before; if not, the slot is given for it. */
static gboolean
known_fit (GhloIrVerifyRun  *run,
           const GhloIrType *type,
           guint32           constraint,
           guint            *slot)
{
  gsize hash = (GPOINTER_TO_SIZE (type) >> 4) * 31 + (gsize) constraint * 7;

  *slot = (guint) ((hash ^ (hash >> 8)) % GHLO_IR_N_KNOWN_FITS);

  return run->known_fits[*slot].type == type && run->known_fits[*slot].constraint == constraint;
}

gboolean
ghlo_ir_verify_type (GhloIrVerifyRun  *run,
                     const GhloIrOp   *op,
                     const char       *what,
                     const GhloIrType *type)
{
  g_autofree char *fault = NULL;
  guint budget = MAX_PARTS;
  guint slot;

  if (known_fit (run, type, GHLO_IR_CAN_ANYTHING, &slot))
    return TRUE;

  fault = type_fault (type, 0, &budget);
  if (fault == NULL)
    {
      run->known_fits[slot].type = type;
      run->known_fits[slot].constraint = GHLO_IR_CAN_ANYTHING;
      return TRUE;
    }

  return ghlo_ir_verify_fail (&run->verifier, op, "expected in the type of %s %s", what, fault);
}

/* The slow part of check_value. */
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

  if (!ghlo_ir_verify_type (run, op, what[0] == 'o' ? "an operand" : "a result", type))
    return FALSE;
  if (type_fits (type, group->constraint, 0))
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

  return known_fit (run, type, group->constraint, &slot)
         || check_new_type (run, op, what, index, group, type, slot);
}

/* How many values a list of groups asks for, as words. */
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

/* The common case: every group has one value. */
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
