/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorts the dimensions of both operands into batch, row, column and contracted dimensions.
 */

#include "cpu/gemm/dot-general.h"

#include <string.h>

#include "base/ghlo-error.h"
#include "device/step.h"

static gboolean
copy_numbers (const GhloIrAttr *attr,
              const char       *field,
              gint64           *to,
              gsize            *n)
{
  const gint64 *from = ghlo_ir_struct_get_dims (attr, field, n);

  if (*n > GHLO_MAX_RANK)
    return FALSE;
  for (gsize i = 0; i < *n; i++)
    to[i] = from[i];

  return TRUE;
}

gboolean
ghlo_cpu_dot_numbers_read (GhloCpuDotNumbers *self,
                           const GhloIrOp    *op)
{
  const GhloIrAttr *attr;
  gsize n_batch, n_contracted;

  if (op->kind == GHLO_OP_STABLEHLO_DOT)
    {
      *self = (GhloCpuDotNumbers) { .n_contracted = 1 };
      self->lhs_contracted[0] = (gint64) ghlo_ir_op_operand (op, 0)->type->rank - 1;
      return TRUE;
    }
  attr = op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL ? ghlo_ir_op_get (op, "dot_dimension_numbers") : NULL;

  return attr != NULL
         && copy_numbers (attr, "lhs_batching_dimensions", self->lhs_batch, &self->n_batch)
         && copy_numbers (attr, "rhs_batching_dimensions", self->rhs_batch, &n_batch)
         && copy_numbers (attr, "lhs_contracting_dimensions", self->lhs_contracted, &self->n_contracted)
         && copy_numbers (attr, "rhs_contracting_dimensions", self->rhs_contracted, &n_contracted)
         && n_batch == self->n_batch && n_contracted == self->n_contracted;
}

/* State while a problem is filled in; each dimension may be used once. */
typedef struct
{
  GhloCpuGemmProblem *problem;
  const GhloView     *lhs, *rhs, *result;
  guint64             lhs_used, rhs_used;       /* bit masks */
  guint               result_rank;              /* dimensions of the result that are in use already */
} Maker;

static gboolean
fail (GError **error)
{
  g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                       "expected a product's operands and result to have dimensions of the same sizes");

  return FALSE;
}

/* Takes the next dimension of the result, which must have @size. */
static gboolean
take_result (Maker  *maker,
             gint64  size,
             gint64 *stride)
{
  guint d = maker->result_rank++;

  if (d >= maker->result->rank || maker->result->dimensions[d] != size)
    return FALSE;
  *stride = maker->result->strides[d];

  return TRUE;
}

static gboolean
take_pair (Maker                *maker,
           gint64                lhs,
           gint64                rhs,
           GhloCpuGemmDimension *dimension)
{
  if (lhs < 0 || lhs >= maker->lhs->rank || rhs < 0 || rhs >= maker->rhs->rank
      || (maker->lhs_used >> lhs & 1) != 0 || (maker->rhs_used >> rhs & 1) != 0
      || maker->lhs->dimensions[lhs] != maker->rhs->dimensions[rhs])
    return FALSE;
  maker->lhs_used |= (guint64) 1 << lhs;
  maker->rhs_used |= (guint64) 1 << rhs;
  *dimension = (GhloCpuGemmDimension) { .size = maker->lhs->dimensions[lhs], .lhs = maker->lhs->strides[lhs],
                                        .rhs = maker->rhs->strides[rhs] };

  return TRUE;
}

static gboolean
take_rest (Maker *maker)
{
  GhloCpuGemmProblem *problem = maker->problem;

  for (guint i = 0; i < maker->lhs->rank; i++)
    if ((maker->lhs_used >> i & 1) == 0)
      {
        GhloCpuGemmDimension *row = &problem->rows[problem->n_rows++];

        *row = (GhloCpuGemmDimension) { .size = maker->lhs->dimensions[i], .lhs = maker->lhs->strides[i] };
        if (!take_result (maker, row->size, &row->result))
          return FALSE;
      }
  for (guint i = 0; i < maker->rhs->rank; i++)
    if ((maker->rhs_used >> i & 1) == 0)
      {
        GhloCpuGemmDimension *column = &problem->columns[problem->n_columns++];

        *column = (GhloCpuGemmDimension) { .size = maker->rhs->dimensions[i], .rhs = maker->rhs->strides[i] };
        if (!take_result (maker, column->size, &column->result))
          return FALSE;
      }

  return maker->result_rank == maker->result->rank;
}

gboolean
ghlo_cpu_dot_general_read (GhloCpuGemmProblem      *problem,
                           const GhloCpuDotNumbers *numbers,
                           const GhloView          *lhs,
                           const GhloView          *rhs,
                           const GhloView          *result,
                           GError                 **error)
{
  Maker maker = { .problem = problem, .lhs = lhs, .rhs = rhs, .result = result };
  gboolean ok = numbers->n_batch + numbers->n_contracted <= GHLO_MAX_RANK;

  memset (problem, 0, sizeof *problem);
  problem->lhs_type = lhs->element_type;
  problem->rhs_type = rhs->element_type;
  problem->result_type = result->element_type;
  problem->lhs_data = lhs->data;
  problem->rhs_data = rhs->data;
  problem->lhs_is_persistent = lhs->is_persistent;
  problem->rhs_is_persistent = rhs->is_persistent;
  for (gsize i = 0; ok && i < numbers->n_batch; i++)
    {
      GhloCpuGemmDimension *batch = &problem->batch[problem->n_batch++];

      ok = take_pair (&maker, numbers->lhs_batch[i], numbers->rhs_batch[i], batch)
           && take_result (&maker, batch->size, &batch->result);
    }
  for (gsize i = 0; ok && i < numbers->n_contracted; i++)
    ok = take_pair (&maker, numbers->lhs_contracted[i], numbers->rhs_contracted[i],
                    &problem->contracted[problem->n_contracted++]);

  return (ok && take_rest (&maker)) || fail (error);
}

gboolean
ghlo_cpu_dot_read_dense (GhloCpuGemmProblem *problem,
                         const GhloIrOp     *op)
{
  gint64 strides[3][GHLO_MAX_RANK];
  GhloCpuDotNumbers numbers;
  GhloView lhs, rhs, result;

  if (!ghlo_cpu_dot_numbers_read (&numbers, op))
    return FALSE;
  lhs = ghlo_step_dense_view (ghlo_ir_op_operand (op, 0)->type, strides[0]);
  rhs = ghlo_step_dense_view (ghlo_ir_op_operand (op, 1)->type, strides[1]);
  result = ghlo_step_dense_view (op->results[0].type, strides[2]);

  return ghlo_cpu_dot_general_read (problem, &numbers, &lhs, &rhs, &result, NULL);
}
