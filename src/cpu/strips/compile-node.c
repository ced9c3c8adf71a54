/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of loops by kind of node. Some nodes use the loop of another operation with swapped operands, or, on
 * booleans, that of a logical operation.
 */

#include "cpu/strips/strips-private.h"

/* What selects the table of loops. SELECT and copies depend on the size of elements only. */
typedef enum
{
  BY_NONE,
  BY_TYPE,
  BY_SIZE,
} Lookup;

static const struct
{
  guint8  lookup;
  guint8  swaps;
  guint16 op;
  guint16 on_booleans;          /* the operation for booleans; 0: the same */
  guint8  combiner;
} calls[GHLO_N_NODES] = {
  [GHLO_NODE_ADD] = { BY_TYPE, FALSE, GHLO_SCALAR_ADD, 0, GHLO_COMBINER_ADD },
  [GHLO_NODE_SUBTRACT] = { BY_TYPE, FALSE, GHLO_SCALAR_SUBTRACT },
  [GHLO_NODE_MULTIPLY] = { BY_TYPE, FALSE, GHLO_SCALAR_MULTIPLY, 0, GHLO_COMBINER_MULTIPLY },
  [GHLO_NODE_MULTIPLY_HIGH] = { BY_TYPE, FALSE, GHLO_SCALAR_MULHI },
  [GHLO_NODE_DIVIDE] = { BY_TYPE, FALSE, GHLO_SCALAR_DIVIDE },
  [GHLO_NODE_REMAINDER] = { BY_TYPE, FALSE, GHLO_SCALAR_REMAINDER },
  [GHLO_NODE_FMA] = { BY_TYPE, FALSE, GHLO_CPU_ELEMENTWISE_FMA },
  [GHLO_NODE_MINIMUM] = { BY_TYPE, FALSE, GHLO_SCALAR_MINIMUM, GHLO_SCALAR_AND, GHLO_COMBINER_MINIMUM },
  [GHLO_NODE_MAXIMUM] = { BY_TYPE, FALSE, GHLO_SCALAR_MAXIMUM, GHLO_SCALAR_OR, GHLO_COMBINER_MAXIMUM },
  [GHLO_NODE_NEGATE] = { BY_TYPE, FALSE, GHLO_SCALAR_NEGATE },
  [GHLO_NODE_ABS] = { BY_TYPE, FALSE, GHLO_SCALAR_ABS },
  [GHLO_NODE_SQRT] = { BY_TYPE, FALSE, GHLO_SCALAR_SQRT },
  [GHLO_NODE_FLOOR] = { BY_TYPE, FALSE, GHLO_SCALAR_FLOOR },
  [GHLO_NODE_CEIL] = { BY_TYPE, FALSE, GHLO_SCALAR_CEIL },
  [GHLO_NODE_TRUNCATE] = { BY_TYPE, FALSE, GHLO_CPU_ELEMENTWISE_TRUNCATE },
  [GHLO_NODE_ROUND_NEAREST_EVEN] = { BY_TYPE, FALSE, GHLO_SCALAR_ROUND_NEAREST_EVEN },
  [GHLO_NODE_AND] = { BY_TYPE, FALSE, GHLO_SCALAR_AND, 0, GHLO_COMBINER_AND },
  [GHLO_NODE_OR] = { BY_TYPE, FALSE, GHLO_SCALAR_OR, 0, GHLO_COMBINER_OR },
  [GHLO_NODE_XOR] = { BY_TYPE, FALSE, GHLO_SCALAR_XOR, 0, GHLO_COMBINER_XOR },
  [GHLO_NODE_NOT] = { BY_TYPE, FALSE, GHLO_SCALAR_NOT },
  [GHLO_NODE_SHIFT_LEFT] = { BY_TYPE, FALSE, GHLO_SCALAR_SHIFT_LEFT },
  [GHLO_NODE_SHIFT_RIGHT] = { BY_TYPE, FALSE, GHLO_SCALAR_SHIFT_RIGHT_LOGICAL },
  [GHLO_NODE_COUNT_LEADING_ZEROS] = { BY_TYPE, FALSE, GHLO_SCALAR_COUNT_LEADING_ZEROS },
  [GHLO_NODE_POPCNT] = { BY_TYPE, FALSE, GHLO_SCALAR_POPCNT },
  [GHLO_NODE_EQUAL] = { BY_TYPE, FALSE, GHLO_CPU_ELEMENTWISE_EQ },
  [GHLO_NODE_NOT_EQUAL] = { BY_TYPE, FALSE, GHLO_CPU_ELEMENTWISE_NE },
  [GHLO_NODE_LESS] = { BY_TYPE, FALSE, GHLO_CPU_ELEMENTWISE_LT },
  [GHLO_NODE_LESS_EQUAL] = { BY_TYPE, FALSE, GHLO_CPU_ELEMENTWISE_LE },
  [GHLO_NODE_GREATER] = { BY_TYPE, TRUE, GHLO_CPU_ELEMENTWISE_LT },
  [GHLO_NODE_GREATER_EQUAL] = { BY_TYPE, TRUE, GHLO_CPU_ELEMENTWISE_LE },
  [GHLO_NODE_SELECT] = { BY_SIZE, FALSE, GHLO_SCALAR_SELECT },
  [GHLO_NODE_BITCAST] = { BY_SIZE, FALSE, GHLO_CPU_ELEMENTWISE_COPY },
  [GHLO_NODE_LEFT] = { BY_SIZE, FALSE, GHLO_CPU_ELEMENTWISE_COPY },
};

GhloCpuNumber
ghlo_cpu_strip_number (GhloElementType type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_I1:
      return GHLO_CPU_NUMBER_I1;
    case GHLO_ELEMENT_TYPE_I8:
      return GHLO_CPU_NUMBER_S8;
    case GHLO_ELEMENT_TYPE_I16:
      return GHLO_CPU_NUMBER_S16;
    case GHLO_ELEMENT_TYPE_I32:
      return GHLO_CPU_NUMBER_S32;
    case GHLO_ELEMENT_TYPE_I64:
      return GHLO_CPU_NUMBER_S64;
    case GHLO_ELEMENT_TYPE_UI8:
      return GHLO_CPU_NUMBER_U8;
    case GHLO_ELEMENT_TYPE_UI16:
      return GHLO_CPU_NUMBER_U16;
    case GHLO_ELEMENT_TYPE_UI32:
      return GHLO_CPU_NUMBER_U32;
    case GHLO_ELEMENT_TYPE_UI64:
      return GHLO_CPU_NUMBER_U64;
    case GHLO_ELEMENT_TYPE_F32:
      return GHLO_CPU_NUMBER_F32;
    case GHLO_ELEMENT_TYPE_F64:
      return GHLO_CPU_NUMBER_F64;
    default:
      g_assert_not_reached ();
    }
}

static GhloCpuNumber
number_of_size (guint size)
{
  return size == 1 ? GHLO_CPU_NUMBER_U8 : size == 2 ? GHLO_CPU_NUMBER_U16 : size == 4 ? GHLO_CPU_NUMBER_U32
                                                                                      : GHLO_CPU_NUMBER_U64;
}

gboolean
ghlo_cpu_strip_find_call (const GhloKernel       *kernel,
                          const GhloKernelNode   *node,
                          GhloCpuElementwiseFunc *call,
                          gboolean               *swaps)
{
  const GhloCpuElementwiseRoutines *routines = ghlo_cpu_elementwise_routines ();
  const GhloCpuNumber number = ghlo_cpu_strip_number (node->type);
  GhloCpuNumber from;
  guint op = calls[node->kind].op;

  *swaps = calls[node->kind].swaps;
  if (calls[node->kind].lookup == BY_SIZE)
    {
      *call = routines->loops[number_of_size (ghlo_cpu_number_size (number))][op];
      return TRUE;
    }
  from = ghlo_cpu_strip_number (ghlo_kernel_operand_type (kernel, node));
  if (ghlo_node_spec (node->kind)->role == GHLO_NODE_FUNCTION)
    {
      *call = routines->functions[from] != NULL ? routines->functions[from][node->kind] : NULL;
      return *call != NULL;
    }
  if (node->kind == GHLO_NODE_CONVERT && from != number)
    *call = routines->casts[from][number];
  else if (node->kind == GHLO_NODE_CONVERT
           || (node->kind == GHLO_NODE_ABS && ghlo_node_types (node->type) == GHLO_NODE_TYPES_U))
    *call = routines->loops[number_of_size (ghlo_cpu_number_size (number))][GHLO_CPU_ELEMENTWISE_COPY];
  else
    {
      if (from == GHLO_CPU_NUMBER_I1 && calls[node->kind].on_booleans != 0)
        op = calls[node->kind].on_booleans;
      if (node->kind == GHLO_NODE_SHIFT_RIGHT && ghlo_node_types (node->type) == GHLO_NODE_TYPES_S)
        op = GHLO_SCALAR_SHIFT_RIGHT_ARITHMETIC;
      *call = routines->loops[from][op];
    }

  return *call != NULL;
}

GhloCpuFoldFunc
ghlo_cpu_strip_find_fold (const GhloKernelNode *node)
{
  const GhloCpuFoldFunc *folds = ghlo_cpu_strip_routines ()->folds[ghlo_cpu_strip_number (node->type)];

  if (node->kind == GHLO_NODE_FMA)
    return folds[GHLO_CPU_FOLD_FMA];

  return calls[node->kind].combiner != GHLO_COMBINER_NONE ? folds[calls[node->kind].combiner] : NULL;
}

GhloCpuHalveFunc
ghlo_cpu_strip_find_halving (const GhloKernelNode *node)
{
  return ghlo_cpu_strip_routines ()->halvings[ghlo_cpu_strip_number (node->type)][calls[node->kind].combiner];
}
