/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel with reductions has one point per result; if there are few points, each gets a workgroup. The first
 * reduction can be split over more workgroups, but later passes over the reduced elements cannot, so a batch
 * normalization of 64 channels would run on 64 workgroups only. One kernel is therefore worth it only where later
 * passes are short. Otherwise the rest becomes kernels of its own, which read the elements once more.
 */

#include "gpu/reduction.h"

/* The number of results from which a large device has enough workgroups, and the number of elements per result up to
 * which passes are short. The latter is smaller where the elements of a result are not contiguous but interleaved with
 * those of other results. */
enum { MANY_ROWS = 4096, MANY_ELEMENTS = 8192, MANY_INTERLEAVED = 1024 };

/* Whether the elements of each result are contiguous. */
static gboolean
reduces_innermost (const GhloIrOp *op)
{
  const GhloIrType *type = ghlo_ir_op_operand (op, 0)->type;
  gint64 innermost = (gint64) type->rank - 1;
  gsize n;
  g_autofree gint64 *dimensions = ghlo_ir_op_dup_ints (op, "dimensions", &n);

  while (innermost > 0 && type->dimensions[innermost] == 1)
    innermost--;
  for (gsize i = 0; i < n; i++)
    if (dimensions[i] == innermost)
      return TRUE;

  return FALSE;
}

/* Whether few workgroups would each pass over many elements. */
static gboolean
is_long (const GhloIrOp *op)
{
  const double n_rows = ghlo_ir_type_count_elements (op->results[0].type);
  const double n = ghlo_ir_type_count_elements (ghlo_ir_op_operand (op, 0)->type);

  return n_rows < MANY_ROWS && n > n_rows * (reduces_innermost (op) ? MANY_ELEMENTS : MANY_INTERLEAVED);
}

/* Whether operation @at of @ops depends on a reduction in @ops; @needs has the answers for the operations before it. */
static gboolean
needs_reduction (const GhloIrOp *const *ops,
                 guint                  at,
                 const gboolean        *needs)
{
  for (guint i = 0; i < ops[at]->n_operands; i++)
    for (guint j = at; j-- > 0;)
      if (ghlo_ir_op_operand (ops[at], i)->op == ops[j])
        {
          if (needs[j] || ops[j]->kind == GHLO_OP_STABLEHLO_REDUCE)
            return TRUE;
          break;
        }

  return FALSE;
}

const char *
ghlo_gpu_reduction_obstacle (const GhloIrOp *const *ops,
                             guint                  n_ops)
{
  g_autofree gboolean *needs = NULL;
  double n_rows = 0;

  for (guint i = 0; i < n_ops && n_rows == 0; i++)
    if (ops[i]->kind == GHLO_OP_STABLEHLO_REDUCE && is_long (ops[i]))
      n_rows = ghlo_ir_type_count_elements (ops[i]->results[0].type);
  if (n_rows == 0)
    return NULL;
  needs = g_new0 (gboolean, n_ops);
  for (guint i = 0; i < n_ops; i++)
    {
      needs[i] = needs_reduction (ops, i, needs);
      if (needs[i] && (ops[i]->kind == GHLO_OP_STABLEHLO_REDUCE
                       || ghlo_ir_type_count_elements (ops[i]->results[0].type) > n_rows))
        return "in one kernel, too few workgroups would pass over the elements again";
    }

  return NULL;
}
