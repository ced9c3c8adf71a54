/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "widen-floats": with excess precision, the operations of a fusion compute in f32 with what is f16 or bf16 in
 * the program, and each result of the fusion is rounded once. Otherwise each operation rounds its result, which takes
 * longer than most of the operations themselves. What the program converts is converted as before.
 *
 * An operation is widened in place: its results get another type, and conversions are inserted where it uses a narrow
 * value, or is used by an operation that stays as it is. Blocks are in the order of dependence, so that one walk is
 * enough.
 */

#include "passes/fuse/fuse.h"

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/rewrite.h"
#include "passes/walk.h"

typedef struct
{
  GhloIrModule *module;
  GHashTable   *narrow;         /* the type in the program of each value that is wider now */
  GHashTable   *converted;      /* each value's conversion to the other type, if there is one */
  guint64       n_changes;
} Widening;

/* How operations are widened. */
typedef enum
{
  BY_TRAIT,             /* COMPUTE where the operation is elementwise, KEEP for any other */
  KEEP,                 /* its operands and results have the program's types */
  KEEP_BF16,            /* KEEP for bf16, where kernels have a faster function of that; else COMPUTE */
  COMPUTE,              /* it rounds its result, unless it is wider */
  CARRY,                /* it gives what its operands have, or compares them: it is widened where one of them is */
} Treatment;

static const guint8 treatments[GHLO_N_OPS] = {
  [GHLO_OP_STABLEHLO_ABS] = CARRY,
  [GHLO_OP_STABLEHLO_BROADCAST_IN_DIM] = CARRY,
  [GHLO_OP_STABLEHLO_CEIL] = CARRY,
  [GHLO_OP_STABLEHLO_CLAMP] = CARRY,
  [GHLO_OP_STABLEHLO_COMPARE] = CARRY,
  [GHLO_OP_STABLEHLO_CONCATENATE] = CARRY,
  [GHLO_OP_STABLEHLO_DYNAMIC_SLICE] = CARRY,
  [GHLO_OP_STABLEHLO_FLOOR] = CARRY,
  [GHLO_OP_STABLEHLO_GATHER] = CARRY,
  [GHLO_OP_STABLEHLO_MAXIMUM] = CARRY,
  [GHLO_OP_STABLEHLO_MINIMUM] = CARRY,
  [GHLO_OP_STABLEHLO_NEGATE] = CARRY,
  [GHLO_OP_STABLEHLO_PAD] = CARRY,
  [GHLO_OP_STABLEHLO_RESHAPE] = CARRY,
  [GHLO_OP_STABLEHLO_REVERSE] = CARRY,
  [GHLO_OP_STABLEHLO_SELECT] = CARRY,
  [GHLO_OP_STABLEHLO_SIGN] = CARRY,
  [GHLO_OP_STABLEHLO_SLICE] = CARRY,
  [GHLO_OP_STABLEHLO_TRANSPOSE] = CARRY,
  [GHLO_OP_STABLEHLO_REDUCE] = COMPUTE,
  [GHLO_OP_STABLEHLO_LOGISTIC] = KEEP_BF16,
  [GHLO_OP_STABLEHLO_TANH] = KEEP_BF16,
  /* Their results depend on the type of their operands otherwise than by rounding. */
  [GHLO_OP_CHLO_NEXT_AFTER] = KEEP,
  [GHLO_OP_STABLEHLO_BITCAST_CONVERT] = KEEP,
  [GHLO_OP_STABLEHLO_CONVERT] = KEEP,
  [GHLO_OP_STABLEHLO_IS_FINITE] = KEEP,
  [GHLO_OP_STABLEHLO_REDUCE_PRECISION] = KEEP,
};

static gboolean
is_narrow (const GhloIrType *type)
{
  return ghlo_ir_type_is_numbers (type)
         && (type->element_type == GHLO_ELEMENT_TYPE_BF16 || type->element_type == GHLO_ELEMENT_TYPE_F16);
}

static const GhloIrType *
widen_type (Widening         *self,
            const GhloIrType *type)
{
  return ghlo_ir_type_with_element (self->module, type, ghlo_ir_type_element (self->module, GHLO_ELEMENT_TYPE_F32));
}

static gboolean
is_wide (const Widening    *self,
         const GhloIrValue *value)
{
  return g_hash_table_contains (self->narrow, value);
}

static void
widen_value (Widening    *self,
             GhloIrValue *value)
{
  g_hash_table_insert (self->narrow, value, (gpointer) value->type);
  value->type = widen_type (self, value->type);
  self->n_changes++;
}

/* @value as @type, for @user. */
static GhloIrValue *
convert (Widening         *self,
         GhloIrValue      *value,
         const GhloIrType *type,
         GhloIrOp         *user)
{
  GhloIrValue *converted = g_hash_table_lookup (self->converted, value);
  GhloIrOpState state = { .kind = GHLO_OP_STABLEHLO_CONVERT, .operands = &value, .n_operands = 1,
                          .result_types = &type, .n_results = 1,
                          .location = user->location, .line = user->line, .column = user->column };
  GhloIrNamedAttr number = { "value", NULL };
  GhloScalar scalar;
  GhloIrOp *op;

  if (converted != NULL)
    return converted;
  if (ghlo_value_get_splat (value, &scalar))
    {
      number.value = ghlo_make_dense_splat (self->module, type, scalar);
      state.kind = GHLO_OP_STABLEHLO_CONSTANT;
      state.n_operands = 0;
      state.attributes = &number;
      state.n_attributes = 1;
    }
  op = ghlo_ir_op_new (self->module, &state);
  ghlo_ir_op_insert_before (op, user);
  g_hash_table_insert (self->converted, value, &op->results[0]);

  return &op->results[0];
}

/* Makes all narrow operands of @op wide, or all wide ones narrow. */
static void
convert_operands (Widening *self,
                  GhloIrOp *op,
                  gboolean  widens)
{
  for (guint i = 0; i < op->n_operands; i++)
    {
      GhloIrValue *value = ghlo_ir_op_operand (op, i);
      const GhloIrType *type = g_hash_table_lookup (self->narrow, value);

      if (widens && type == NULL && is_narrow (value->type))
        ghlo_ir_op_set_operand (op, i, convert (self, value, widen_type (self, value->type), op));
      else if (!widens && type != NULL)
        ghlo_ir_op_set_operand (op, i, convert (self, value, type, op));
    }
}

static gboolean
has_wide_operand (const Widening *self,
                  const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (is_wide (self, ghlo_ir_op_operand (op, i)))
      return TRUE;

  return FALSE;
}

static gboolean
has_narrow_result (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    if (is_narrow (op->results[i].type))
      return TRUE;

  return FALSE;
}

static gboolean
should_widen (const Widening *self,
              const GhloIrOp *op)
{
  switch (treatments[op->kind])
    {
    case BY_TRAIT:
      return ghlo_pass_is_elementwise (op) && has_narrow_result (op);
    case KEEP_BF16:
      return has_narrow_result (op) && op->results[0].type->element_type != GHLO_ELEMENT_TYPE_BF16;
    case COMPUTE:
      return has_narrow_result (op);
    case CARRY:
      return has_wide_operand (self, op);
    default:
      return FALSE;
    }
}

/* @widens_results: whether what the block returns becomes wide. */
static void
widen_block (Widening    *self,
             GhloIrBlock *block,
             gboolean     widens_results)
{
  for (GhloIrOp *op = block->first, *next; op != NULL; op = next)
    {
      next = op->next;
      if (op == block->last)
        convert_operands (self, op, widens_results);
      else if (!should_widen (self, op))
        {
          /* A conversion starts from what it is given, however wide that is. */
          if (op->kind != GHLO_OP_STABLEHLO_CONVERT)
            convert_operands (self, op, FALSE);
        }
      else
        {
          convert_operands (self, op, TRUE);
          for (guint i = 0; i < op->n_results; i++)
            if (is_narrow (op->results[i].type))
              widen_value (self, &op->results[i]);
          for (guint i = 0; i < op->n_regions; i++)
            {
              GhloIrBlock *inner = ghlo_ir_op_region_block (op, i);

              for (guint k = 0; k < inner->n_arguments; k++)
                if (is_narrow (inner->arguments[k]->type))
                  widen_value (self, inner->arguments[k]);
              widen_block (self, inner, TRUE);
            }
        }
    }
}

/* Whether @body has no control flow and nothing else whose regions are not those of reductions. */
static gboolean
is_straight (const GhloIrBlock *body)
{
  for (const GhloIrOp *op = body->first; op != NULL; op = op->next)
    if (op->n_regions > 0
        && (op->kind != GHLO_OP_STABLEHLO_REDUCE || ghlo_ir_op_region_block (op, 0) == NULL
            || !ghlo_pass_is_closed (op) || !is_straight (ghlo_ir_op_region_block (op, 0))))
      return FALSE;

  return ghlo_pass_terminator (body) != NULL;
}

static void
widen_fusion (GhloIrModule     *module,
              GhloIrBlock      *body,
              GhloPassContext  *context)
{
  g_autoptr (GHashTable) narrow = g_hash_table_new (NULL, NULL), converted = g_hash_table_new (NULL, NULL);
  Widening self = { module, narrow, converted, 0 };

  if (!is_straight (body))
    return;
  widen_block (&self, body, FALSE);
  context->n_changes += self.n_changes;
}

/* Attention rounds where its pattern does. */
static gboolean
is_attention (const GhloIrOp *fusion)
{
  return g_str_equal (ghlo_ir_op_get_string (fusion, "name"), ghlo_fusion_specs[GHLO_FUSION_ATTENTION].composite);
}

gboolean
ghlo_pass_widen_floats (GhloIrModule     *module,
                        GhloPassContext  *context,
                        GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  g_autoptr (GHashTable) decompositions = ghlo_fuse_decompositions (module);

  for (guint i = 0; context->options->excess_precision && i < functions->len; i++)
    {
      const GhloIrOp *function = g_ptr_array_index (functions, i), *fusion;

      if (ghlo_monitor_cancelled (context->monitor, error))
        return FALSE;
      fusion = g_hash_table_lookup (decompositions, function);
      if (fusion != NULL && !is_attention (fusion))
        widen_fusion (module, ghlo_ir_func_get_body (function), context);
    }

  return TRUE;
}
