/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Decides which products are faster in another form: as elementwise operations, of those that sum few terms, or in
 * bf16, of those whose operands are converted from it.
 */

#include "cpu/gemm/dot-general.h"
#include "cpu/isa/routines.h"
#include "cpu/library/onednn.h"

/* A kernel runs along the last dimension of the result. Where the terms, or batches, of rhs lie next to each other, it
 * picks them out of vectors, for each row again, which is slow for many terms, and for the last, partly filled vector
 * of a short row. */
enum { MAX_ADJACENT_TERMS = 2, MIN_LONG_ROW = 32, MAX_FEW_COLUMNS = 4 };

const char *
ghlo_cpu_dot_declines_expansion (const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type, *rhs = ghlo_ir_op_operand (op, 1)->type;
  gint64 columns = 1, terms = 1;
  GhloCpuDotNumbers numbers;

  if (!ghlo_cpu_dot_numbers_read (&numbers, op))
    return "its dimension numbers are not known";
  if (!ghlo_dims_contain (numbers.rhs_contracted, numbers.n_contracted, rhs->rank - 1)
      && !ghlo_dims_contain (numbers.rhs_batch, numbers.n_batch, rhs->rank - 1))
    return NULL;
  for (gsize i = 0; i < numbers.n_contracted; i++)
    terms *= lhs->dimensions[numbers.lhs_contracted[i]];
  for (guint i = 0; i < rhs->rank; i++)
    if (!ghlo_dims_contain (numbers.rhs_batch, numbers.n_batch, i)
        && !ghlo_dims_contain (numbers.rhs_contracted, numbers.n_contracted, i))
      columns = MIN (columns * MIN (rhs->dimensions[i], MIN_LONG_ROW), MIN_LONG_ROW);
  if (columns > MAX_FEW_COLUMNS && terms > (columns < MIN_LONG_ROW ? 1 : MAX_ADJACENT_TERMS))
    return "the CPU reads adjacent terms faster in panels";

  return NULL;
}

const char *
ghlo_cpu_dot_declines_bf16 (const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_op_operand (op, 0)->type, *rhs = ghlo_ir_op_operand (op, 1)->type;
  GhloCpuDotNumbers numbers;
  double n = ghlo_ir_type_count_elements (op->results[0].type);

  if (!ghlo_cpu_has_bf16 () && ghlo_cpu_onednn_speed (GHLO_ELEMENT_TYPE_BF16) < 1)
    return "the processor multiplies bf16 no faster than f32";
  if (!ghlo_cpu_dot_numbers_read (&numbers, op))
    return "its dimension numbers are not known";
  /* Batches × rows × columns × terms. */
  for (gsize i = 0; i < numbers.n_contracted; i++)
    n *= (double) lhs->dimensions[numbers.lhs_contracted[i]];

  return n <= GHLO_CPU_MAX_VECTORS * MAX (ghlo_ir_type_count_elements (lhs), ghlo_ir_type_count_elements (rhs))
         ? "vectors are multiplied where a matrix is converted" : NULL;
}
