/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether an operation may be removed, repeated or moved.
 */

#include "passes/effects.h"

#include "ir/custom-call.h"
#include "passes/walk.h"

typedef enum
{
  /* Not PURE in the op table, but pure where all operations in its regions are. */
  AS_ITS_REGIONS = 1 << 0,
  /* PURE in the op table, but it affects other processes, or it is a barrier that other operations must not cross. */
  NEVER_PURE     = 1 << 1,
  CONTROL        = 1 << 2,
  CHEAP          = 1 << 3,
  COSTLY         = 1 << 4,
  FREE           = 1 << 5,
} Trait;

static const guint8 op_traits[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_IF] = AS_ITS_REGIONS | CONTROL,
  [GHLO_OP_STABLEHLO_CASE] = AS_ITS_REGIONS | CONTROL,
  [GHLO_OP_STABLEHLO_WHILE] = AS_ITS_REGIONS | CONTROL,
  [GHLO_OP_STABLEHLO_SCATTER] = AS_ITS_REGIONS | CHEAP,
  [GHLO_OP_STABLEHLO_SELECT_AND_SCATTER] = AS_ITS_REGIONS | COSTLY,
  [GHLO_OP_STABLEHLO_SORT] = AS_ITS_REGIONS | COSTLY,
  [GHLO_OP_STABLEHLO_REDUCE_WINDOW] = AS_ITS_REGIONS | COSTLY,
  [GHLO_OP_CHLO_SCAN] = AS_ITS_REGIONS,
  /* Merging or moving a barrier would defeat its purpose; ghlo_pass_is_removable () allows removing an unused one. */
  [GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER] = NEVER_PURE,
  [GHLO_OP_STABLEHLO_CROSS_REPLICA_SUM] = NEVER_PURE,
  [GHLO_OP_STABLEHLO_CONSTANT] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_IOTA] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_RESHAPE] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_BROADCAST_IN_DIM] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_SLICE] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_TRANSPOSE] = CHEAP,
  [GHLO_OP_STABLEHLO_REVERSE] = CHEAP,
  [GHLO_OP_STABLEHLO_PAD] = CHEAP,
  [GHLO_OP_STABLEHLO_CONCATENATE] = CHEAP,
  [GHLO_OP_STABLEHLO_DYNAMIC_SLICE] = CHEAP,
  [GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE] = CHEAP,
  [GHLO_OP_STABLEHLO_GATHER] = CHEAP,
  [GHLO_OP_STABLEHLO_BITCAST_CONVERT] = CHEAP,
  [GHLO_OP_STABLEHLO_TUPLE] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_GET_TUPLE_ELEMENT] = CHEAP | FREE,
  [GHLO_OP_STABLEHLO_REDUCE] = CHEAP,
  [GHLO_OP_STABLEHLO_DOT_GENERAL] = COSTLY,
  [GHLO_OP_STABLEHLO_DOT] = COSTLY,
  [GHLO_OP_STABLEHLO_CONVOLUTION] = COSTLY,
  [GHLO_OP_STABLEHLO_FFT] = COSTLY,
  [GHLO_OP_STABLEHLO_CHOLESKY] = COSTLY,
  [GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE] = COSTLY,
  [GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR] = COSTLY,
  [GHLO_OP_CHLO_TOP_K] = COSTLY,
};

gboolean
ghlo_pass_is_pure_alone (const GhloIrOp *op,
                         GHashTable     *functions)
{
  guint traits = op_traits[op->kind];

  if (op->kind == GHLO_OP_FUNC_CALL || op->kind == GHLO_OP_STABLEHLO_COMPOSITE)
    {
      const char *name = ghlo_ir_op_get_string (op, op->kind == GHLO_OP_FUNC_CALL ? "callee" : "decomposition");
      const GhloIrOp *callee = name != NULL && functions != NULL ? ghlo_ir_op_find_symbol (op, name) : NULL;

      return callee != NULL && g_hash_table_contains (functions, callee);
    }
  if (traits & NEVER_PURE)
    return FALSE;

  return (traits & AS_ITS_REGIONS) != 0 || (ghlo_ir_op_get_spec (op)->traits & GHLO_IR_TRAIT_PURE) != 0;
}

gboolean
ghlo_pass_is_pure (const GhloIrOp *op,
                   GHashTable     *functions)
{
  if (op->n_regions == 0)
    return ghlo_pass_is_pure_alone (op, functions);

  for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
    if (!ghlo_pass_is_pure_alone (inner, functions))
      return FALSE;

  return TRUE;
}

static gboolean
is_removable_alone (const GhloIrOp *op,
                    GHashTable     *functions)
{
  if (op->kind == GHLO_OP_STABLEHLO_CUSTOM_CALL)
    return !ghlo_ir_op_get_int (op, "has_side_effect", FALSE) || ghlo_ir_custom_call_is_hint (op);

  return op->kind == GHLO_OP_STABLEHLO_OPTIMIZATION_BARRIER || ghlo_pass_is_pure_alone (op, functions);
}

gboolean
ghlo_pass_is_removable (const GhloIrOp *op,
                        GHashTable     *functions)
{
  for (const GhloIrOp *inner = op; inner != NULL; inner = ghlo_pass_next_op (inner, op))
    if (!is_removable_alone (inner, functions))
      return FALSE;

  return TRUE;
}

/* Whether @func is pure, given that those of its callees that are pure are in @pure already. */
static gboolean
func_is_pure (const GhloIrOp *func,
              GHashTable     *pure)
{
  if (ghlo_ir_func_get_body (func) == NULL)
    return FALSE;
  for (const GhloIrOp *op = ghlo_pass_next_op (func, func); op != NULL; op = ghlo_pass_next_op (op, func))
    if (!ghlo_pass_is_pure_alone (op, pure))
      return FALSE;

  return TRUE;
}

/* Goes from the leaves of the call graph up, so that a recursive function is never added. Functions that call deeper
 * than a program may run are not added either. */
GHashTable *
ghlo_pass_pure_functions (const GhloIrModule *module)
{
  GHashTable *pure = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  guint n_before;

  for (guint depth = 0; depth < GHLO_MAX_CALL_DEPTH; depth++)
    {
      n_before = g_hash_table_size (pure);
      /* Callees mostly come after their callers. */
      for (guint i = functions->len; i > 0; i--)
        {
          GhloIrOp *func = g_ptr_array_index (functions, i - 1);

          if (!g_hash_table_contains (pure, func) && func_is_pure (func, pure))
            g_hash_table_add (pure, func);
        }
      if (g_hash_table_size (pure) == n_before)
        break;
    }

  return pure;
}

gboolean
ghlo_pass_is_control (const GhloIrOp *op)
{
  return (op_traits[op->kind] & CONTROL) != 0;
}

gboolean
ghlo_pass_is_elementwise (const GhloIrOp *op)
{
  guint32 traits = ghlo_ir_op_get_spec (op)->traits;

  return (traits & (GHLO_IR_TRAIT_ELEMENTWISE | GHLO_IR_TRAIT_BROADCASTS_SCALARS)) != 0
         && (traits & GHLO_IR_TRAIT_PURE) != 0;
}

gboolean
ghlo_pass_is_cheap (const GhloIrOp *op)
{
  return (op_traits[op->kind] & CHEAP) != 0 || ghlo_pass_is_elementwise (op);
}

gboolean
ghlo_pass_is_costly (const GhloIrOp *op)
{
  return (op_traits[op->kind] & COSTLY) != 0;
}

gboolean
ghlo_pass_is_free (const GhloIrOp *op)
{
  return (op_traits[op->kind] & FREE) != 0;
}
