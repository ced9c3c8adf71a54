/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which products are faster as elementwise operations, of those that sum few terms.
 */

#include "cpu/gemm/dot-general.h"

/* A kernel runs along the last dimension of the result. It reads rows of rhs whose terms lie next to each other element
 * by element, which is slow for more than MAX_ADJACENT_TERMS, and has no vectors across rows, so that short rows leave
 * vectors partly empty; very short ones are written together (kernel/lower/emit-axes.c). */
enum { MAX_ADJACENT_TERMS = 2, MIN_LONG_ROW = 32, MAX_VERY_SHORT_ROW = 4, MAX_SHORT_ROWS = 256 };

const char *
ghlo_cpu_dot_declines_expansion (const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type, *rhs = ghlo_ir_op_operand (op, 1)->type;
  gint64 rows = 1, columns = 1, terms = 1;
  GhloCpuDotNumbers numbers;

  if (!ghlo_cpu_dot_numbers_read (&numbers, op))
    return "its dimension numbers are not known";
  for (gsize i = 0; i < numbers.n_contracted; i++)
    terms *= lhs->dimensions[numbers.lhs_contracted[i]];
  for (guint i = 0; i < lhs->rank; i++)
    if (!ghlo_dims_contain (numbers.lhs_batch, numbers.n_batch, i)
        && !ghlo_dims_contain (numbers.lhs_contracted, numbers.n_contracted, i))
      rows *= lhs->dimensions[i];
  for (guint i = 0; i < rhs->rank; i++)
    if (!ghlo_dims_contain (numbers.rhs_batch, numbers.n_batch, i)
        && !ghlo_dims_contain (numbers.rhs_contracted, numbers.n_contracted, i))
      columns *= rhs->dimensions[i];
  if (columns <= MAX_VERY_SHORT_ROW)
    return NULL;
  if (columns < MIN_LONG_ROW && rows > MAX_SHORT_ROWS)
    return "the CPU writes many short rows faster in panels";
  if (terms > MAX_ADJACENT_TERMS && ghlo_dims_contain (numbers.rhs_contracted, numbers.n_contracted, rhs->rank - 1))
    return "the CPU reads many adjacent terms faster in panels";

  return NULL;
}
