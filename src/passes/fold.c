/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pass "fold". It never makes the program larger: a result is kept when it is a splat, when it is no larger than
 * the constants that become unused, or when it is smaller than the operation itself. It goes forward, so that a folded
 * result is a constant operand of the operations after it.
 */

#include "passes/fold.h"

#include <string.h>

#include "passes/constant.h"
#include "passes/effects.h"
#include "passes/rewrite.h"
#include "passes/walk.h"

/* SMALL: bytes of a new constant that take less memory than an operation. MAX_FREED: operands that are searched for
 * constants that become unused. */
enum { SMALL = 256, MAX_FREED = 32 };

/* A splat where all elements of @attr have the same bytes, else @attr itself. */
static const GhloIrAttr *
find_splat (GhloFolding      *self,
            const GhloIrAttr *attr)
{
  gsize size = ghlo_element_info (attr->type->element_type)->size, total;
  const guint8 *data = g_bytes_get_data (attr->dense.bytes, &total);

  if (attr->dense.splat || total <= size || memcmp (data, data + size, total - size) != 0)
    return attr;

  return ghlo_ir_attr_dense (self->module, attr->type, g_bytes_new (data, size), TRUE, NULL);
}

/* The bytes of constants that only @op uses. */
static gsize
bytes_freed (const GhloIrOp *op)
{
  guint n = MIN (op->n_operands, MAX_FREED);
  gsize freed = 0;

  for (guint i = 0; i < n; i++)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i);
      const GhloIrAttr *attr = ghlo_value_get_dense (operand);
      gboolean is_new = TRUE;

      for (guint j = 0; j < i; j++)
        is_new &= ghlo_ir_op_operand (op, j) != operand;
      if (is_new && attr != NULL && ghlo_pass_only_user (operand, op))
        freed += g_bytes_get_size (attr->dense.bytes);
    }

  return freed;
}

static gboolean
is_profitable (const GhloIrOp  *op,
               const GPtrArray *results)
{
  gsize n_bytes = 0;

  for (guint i = 0; i < results->len; i++)
    {
      const GhloIrAttr *attr = g_ptr_array_index (results, i);

      if (!attr->dense.splat)
        n_bytes += g_bytes_get_size (attr->dense.bytes);
    }

  return n_bytes <= SMALL || n_bytes <= bytes_freed (op);
}

/* Whether the results could be worth keeping, checked before anything is evaluated. Operands that are not splats give a
 * splat too rarely to evaluate them for that. */
static gboolean
may_be_profitable (const GhloIrOp *op)
{
  gsize n_bytes = 0;
  GhloScalar scalar;

  for (guint i = 0; i < op->n_results; i++)
    n_bytes += ghlo_type_count (op->results[i].type) * ghlo_element_info (op->results[i].type->element_type)->size;
  if (n_bytes <= SMALL || n_bytes <= bytes_freed (op))
    return TRUE;
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_value_get_splat (ghlo_ir_op_operand (op, i), &scalar))
      return FALSE;

  return TRUE;
}

static void
replace_with_constants (GhloFolding     *self,
                        GhloIrOp        *op,
                        const GPtrArray *results)
{
  for (guint i = 0; i < op->n_results; i++)
    {
      const GhloIrAttr *attr = g_ptr_array_index (results, i);
      GhloIrOp *constant = ghlo_ir_op_new (self->module, &(GhloIrOpState) {
        .kind = GHLO_OP_STABLEHLO_CONSTANT,
        .result_types = &attr->type,
        .n_results = 1,
        .attributes = &(GhloIrNamedAttr) { "value", attr },
        .n_attributes = 1,
        .location = op->location,
        .line = op->line,
        .column = op->column,
      });

      ghlo_ir_op_insert_before (constant, op);
      ghlo_ir_value_replace (&op->results[i], &constant->results[0]);
    }
  ghlo_pass_erase (op);
  self->context->n_changes++;
}

static gboolean
has_plain_results (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_results; i++)
    if (!ghlo_type_is_plain (op->results[i].type))
      return FALSE;

  return op->n_results > 0;
}

/* Evaluates @op where all its operands are constants. */
static gboolean
fold_computed (GhloFolding  *self,
               GhloIrOp     *op,
               GError      **error)
{
  g_autofree const GhloIrAttr **operands = g_new (const GhloIrAttr *, op->n_operands + 1);
  g_autoptr (GPtrArray) results = g_ptr_array_new ();

  for (guint i = 0; i < op->n_operands; i++)
    if ((operands[i] = ghlo_value_get_dense (ghlo_ir_op_operand (op, i))) == NULL)
      return FALSE;
  if (op->n_operands == 0 || !may_be_profitable (op) || !ghlo_fold_evaluate (self, op, operands, results, error))
    return FALSE;
  for (guint i = 0; i < results->len; i++)
    results->pdata[i] = (gpointer) find_splat (self, g_ptr_array_index (results, i));
  if (!is_profitable (op, results))
    return FALSE;
  replace_with_constants (self, op, results);

  return TRUE;
}

/* A result without elements needs no evaluation. */
static gboolean
fold_empty (GhloFolding *self,
            GhloIrOp    *op)
{
  g_autoptr (GPtrArray) results = NULL;

  for (guint i = 0; i < op->n_results; i++)
    if (ghlo_type_count (op->results[i].type) > 0)
      return FALSE;
  if (!ghlo_pass_is_pure (op, NULL))
    return FALSE;
  results = g_ptr_array_new ();
  for (guint i = 0; i < op->n_results; i++)
    g_ptr_array_add (results, (gpointer) ghlo_make_dense_splat (self->module, op->results[i].type,
                                                                (GhloScalar) { 0 }));
  replace_with_constants (self, op, results);

  return TRUE;
}

/* FALSE only when cancelled. */
static gboolean
fold_op (GhloFolding  *self,
         GhloIrOp     *op,
         GError      **error)
{
  g_autoptr (GPtrArray) results = NULL;
  const GhloIrAttr *moved;
  GError *cancelled = NULL;

  if (op->kind == GHLO_OP_STABLEHLO_CONSTANT || op->n_results == 0)
    return TRUE;
  if (ghlo_pass_is_control (op))
    {
      ghlo_fold_control (self, op, &cancelled);
    }
  else if (has_plain_results (op) && !fold_empty (self, op))
    {
      moved = ghlo_fold_moved (self, op);
      if (moved != NULL)
        {
          results = g_ptr_array_new ();
          g_ptr_array_add (results, (gpointer) moved);
          replace_with_constants (self, op, results);
        }
      else
        {
          fold_computed (self, op, &cancelled);
        }
    }
  if (cancelled == NULL)
    return TRUE;
  g_propagate_error (error, cancelled);

  return FALSE;
}

/* Folds one operation after the other. Operations that ghlo_fold_control () moves to the place of @op are visited
 * here too. */
static gboolean
fold_block (GhloFolding  *self,
            GhloIrBlock  *block,
            GError      **error)
{
  GhloIrOp *op = block->first;

  while (op != NULL)
    {
      GhloIrOp *previous = op->previous;

      if (ghlo_monitor_cancelled (self->context->monitor, error) || !fold_op (self, op, error))
        return FALSE;
      /* Removed: continue with the constants, or the contents of a branch, that took its place. */
      if (op->block == NULL)
        {
          op = previous != NULL ? previous->next : block->first;
          continue;
        }
      for (guint i = 0; i < op->n_regions; i++)
        if (op->regions[i].first != NULL && !fold_block (self, op->regions[i].first, error))
          return FALSE;
      op = op->next;
    }

  return TRUE;
}

gboolean
ghlo_pass_fold (GhloIrModule     *module,
                GhloPassContext  *context,
                GError          **error)
{
  g_autoptr (GPtrArray) functions = ghlo_pass_functions (module);
  GhloFolding self = { module, context };

  for (guint i = 0; i < functions->len; i++)
    if (!fold_block (&self, ghlo_ir_func_get_body (g_ptr_array_index (functions, i)), error))
      return FALSE;

  return TRUE;
}
