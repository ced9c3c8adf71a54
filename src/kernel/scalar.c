/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The rows of scalar.def as data, and what follows from them and from the table of operations.
 */

#include "kernel/scalar.h"

/* The keywords of scalar.def. */
#define EXACT                   .is_exact = TRUE
#define ROUNDED                 .is_exact = FALSE
#define WITHIN(floats, complex) .ulps = floats, .complex_ulps = complex
#define VALUES_FROM(n)          .first_value = n
#define ON_BOOLEANS(ID)         .on_booleans = GHLO_SCALAR_##ID
#define UNDEFINED(CLASS)        .undefined = 1 << GHLO_ELEMENT_CLASS_##CLASS

const GhloScalarSpec ghlo_scalar_specs[GHLO_N_SCALARS] = {
#define SCALAR(DIALECT, ID, RESULT, accuracy, cost_, ...) \
  [GHLO_SCALAR_##ID] = { \
    .op = GHLO_OP_##DIALECT##_##ID, .result = GHLO_SCALAR_RESULT_##RESULT, accuracy, .cost = cost_, __VA_ARGS__ \
  },
#include "kernel/scalar.def"
};

GhloScalarKind
ghlo_scalar_of (GhloIrOpKind op)
{
  static const guint8 kinds[GHLO_N_OPS] = {
#define SCALAR(DIALECT, ID, ...) [GHLO_OP_##DIALECT##_##ID] = GHLO_SCALAR_##ID,
#include "kernel/scalar.def"
  };
  GhloIrOpKind element_op = ghlo_ir_op_spec (op)->element_op;

  G_STATIC_ASSERT (GHLO_N_SCALARS <= G_MAXUINT8);

  return kinds[element_op != GHLO_OP_INVALID ? element_op : op];
}

GhloScalarKind
ghlo_scalar_on (GhloScalarKind   kind,
                GhloElementClass element_class)
{
  GhloScalarKind on_booleans = ghlo_scalar_spec (kind)->on_booleans;

  return element_class == GHLO_ELEMENT_CLASS_BOOLEAN && on_booleans != GHLO_SCALAR_INVALID ? on_booleans : kind;
}

gboolean
ghlo_scalar_is_defined (GhloScalarKind   kind,
                        GhloElementClass element_class)
{
  static const guint32 constraints[] = {
    [GHLO_ELEMENT_CLASS_BOOLEAN] = GHLO_IR_CAN_PRED, [GHLO_ELEMENT_CLASS_SIGNED] = GHLO_IR_CAN_SINT,
    [GHLO_ELEMENT_CLASS_UNSIGNED] = GHLO_IR_CAN_UINT, [GHLO_ELEMENT_CLASS_FLOAT] = GHLO_IR_CAN_FLOAT,
    [GHLO_ELEMENT_CLASS_COMPLEX] = GHLO_IR_CAN_COMPLEX,
  };
  const GhloScalarSpec *spec = ghlo_scalar_spec (kind);

  return kind != GHLO_SCALAR_INVALID
         && (ghlo_ir_op_spec (spec->op)->operands[spec->first_value].constraint & constraints[element_class]) != 0
         && (spec->undefined & 1u << element_class) == 0;
}

/* Nodes have the lower-case names of scalar.def's rows. */
static void
find_nodes (GhloNodeKind *nodes)
{
  static const char *const ids[GHLO_N_SCALARS] = {
#define SCALAR(DIALECT, ID, ...) [GHLO_SCALAR_##ID] = #ID,
#include "kernel/scalar.def"
  };

  nodes[GHLO_SCALAR_INVALID] = GHLO_N_NODES;
  for (guint kind = 1; kind < GHLO_N_SCALARS; kind++)
    {
      g_autofree char *name = g_ascii_strdown (ids[kind], -1);

      nodes[kind] = ghlo_node_named (name);
    }
}

GhloNodeKind
ghlo_scalar_node (GhloScalarKind   kind,
                  GhloElementClass element_class)
{
  static GhloNodeKind nodes[GHLO_N_SCALARS];
  static gsize done;

  if (g_once_init_enter (&done))
    {
      find_nodes (nodes);
      g_once_init_leave (&done, 1);
    }
  if (kind == GHLO_SCALAR_REMAINDER && element_class == GHLO_ELEMENT_CLASS_FLOAT)
    return GHLO_NODE_REMAINDER_FLOAT;

  return nodes[ghlo_scalar_on (kind, element_class)];
}

double
ghlo_scalar_ulps (GhloScalarKind   kind,
                  GhloElementClass element_class)
{
  const GhloScalarSpec *spec = ghlo_scalar_spec (kind);

  return element_class == GHLO_ELEMENT_CLASS_FLOAT ? spec->ulps
         : element_class == GHLO_ELEMENT_CLASS_COMPLEX ? spec->complex_ulps : 0;
}

gboolean
ghlo_scalar_gives (GhloScalarKind  kind,
                   GhloElementType values,
                   GhloElementType result)
{
  switch (ghlo_scalar_spec (kind)->result)
    {
    case GHLO_SCALAR_RESULT_PART:
      return result == ghlo_element_type_real_part (values);
    case GHLO_SCALAR_RESULT_BOOLEAN:
      return result == GHLO_ELEMENT_TYPE_I1;
    case GHLO_SCALAR_RESULT_COMPLEX:
      return ghlo_element_type_is_complex (result) && ghlo_element_type_real_part (result) == values;
    case GHLO_SCALAR_RESULT_ANY:
      return TRUE;
    case GHLO_SCALAR_RESULT_SAME:
      break;
    }

  return result == values;
}

GhloCombiner
ghlo_scalar_combiner (GhloScalarKind   kind,
                      GhloElementClass element_class)
{
  static const guint8 combiners[GHLO_N_SCALARS] = {
#define COMBINER(DIALECT, ID, ...) [GHLO_SCALAR_##ID] = GHLO_COMBINER_##ID,
#include "kernel/scalar.def"
  };

  return combiners[ghlo_scalar_on (kind, element_class)];
}

GhloScalarKind
ghlo_combiner_scalar (GhloCombiner combiner)
{
  static const guint8 kinds[GHLO_N_COMBINERS] = {
#define COMBINER(DIALECT, ID, ...) [GHLO_COMBINER_##ID] = GHLO_SCALAR_##ID,
#include "kernel/scalar.def"
  };

  return kinds[combiner];
}

static gboolean
is_argument (const GhloIrValue *value,
             const GhloIrBlock *block,
             GhloElementType    type)
{
  return value->op == NULL && value->block == block && value->type->element_type == type
         && value->type->quantization == NULL;
}

GhloCombiner
ghlo_combiner_of (const GhloIrBlock *block,
                  GhloElementType    type)
{
  const GhloIrOp *op, *end;
  const GhloIrValue *x, *y;

  if (block == NULL || block->n_arguments != 2 || block->first == NULL || block->first->next != block->last)
    return GHLO_COMBINER_NONE;
  op = block->first;
  end = block->last;
  if (op->n_operands != 2 || op->n_results != 1 || end->n_operands != 1
      || ghlo_ir_op_operand (end, 0) != &op->results[0] || op->results[0].type->element_type != type)
    return GHLO_COMBINER_NONE;
  x = ghlo_ir_op_operand (op, 0);
  y = ghlo_ir_op_operand (op, 1);
  if (x == y || !is_argument (x, block, type) || !is_argument (y, block, type))
    return GHLO_COMBINER_NONE;

  return ghlo_scalar_combiner (ghlo_scalar_of (op->kind), ghlo_element_info (type)->element_class);
}

gboolean
ghlo_combiner_of_update (const GhloIrBlock *block,
                         GhloElementType    type,
                         GhloCombiner      *combiner)
{
  const GhloIrValue *returned;

  *combiner = ghlo_combiner_of (block, type);
  if (*combiner != GHLO_COMBINER_NONE)
    return TRUE;
  if (block == NULL || block->n_arguments != 2 || block->last == NULL || block->last->n_operands != 1)
    return FALSE;
  returned = ghlo_ir_op_operand (block->last, 0);

  return returned == block->arguments[1] && returned->type->element_type == type;
}

gboolean
ghlo_combiner_neutral (GhloCombiner     combiner,
                       GhloElementType  type,
                       GhloScalar      *value)
{
  return ghlo_ir_op_neutral (ghlo_scalar_spec (ghlo_combiner_scalar (combiner))->op, type, value);
}

gboolean
ghlo_combiner_is_idempotent (GhloCombiner combiner)
{
  GhloIrOpKind op = ghlo_scalar_spec (ghlo_combiner_scalar (combiner))->op;

  return (ghlo_ir_op_spec (op)->traits & GHLO_IR_TRAIT_IDEMPOTENT) != 0;
}

gboolean
ghlo_combiner_is_exact (GhloCombiner     combiner,
                        GhloElementClass element_class)
{
  return (element_class != GHLO_ELEMENT_CLASS_FLOAT && element_class != GHLO_ELEMENT_CLASS_COMPLEX)
         || ghlo_scalar_spec (ghlo_combiner_scalar (combiner))->is_exact;
}
