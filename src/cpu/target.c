/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which operations the CPU has step implementations for. Of one operation they are tried
 * in the table's order.
 */

#include "cpu/target.h"

#include "cpu/steps.h"

typedef struct
{
  GhloIrOpKind                  op;
  const GhloStepImplementation *implementation;
} Row;

static const Row rows[] = {
  { GHLO_OP_CHLO_TOP_K, &ghlo_cpu_step_top_k },
  { GHLO_OP_STABLEHLO_ABS, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_ADD, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_AND, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_BITCAST_CONVERT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_CEIL, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_CHOLESKY, &ghlo_cpu_step_cholesky },
  { GHLO_OP_STABLEHLO_CLAMP, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_COMPARE, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_COMPLEX, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_CONCATENATE, &ghlo_cpu_step_concatenate },
  { GHLO_OP_STABLEHLO_CONVERT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_CONVOLUTION, &ghlo_cpu_step_convolution },
  { GHLO_OP_STABLEHLO_COUNT_LEADING_ZEROS, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_DIVIDE, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_DOT, &ghlo_cpu_step_dot },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, &ghlo_cpu_step_dot },
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, &ghlo_cpu_step_dynamic_slice },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, &ghlo_cpu_step_dynamic_update_slice },
  { GHLO_OP_STABLEHLO_FLOOR, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_GATHER, &ghlo_cpu_step_gather },
  { GHLO_OP_STABLEHLO_IMAG, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_IOTA, &ghlo_cpu_step_iota },
  { GHLO_OP_STABLEHLO_IS_FINITE, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_MAXIMUM, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_MINIMUM, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_MULTIPLY, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_NEGATE, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_NOT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_OR, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_PAD, &ghlo_cpu_step_pad },
  { GHLO_OP_STABLEHLO_POPCNT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_POWER, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_REAL, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_REDUCE, &ghlo_cpu_step_reduce },
  { GHLO_OP_STABLEHLO_REDUCE_PRECISION, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_cpu_step_cumulative },
  { GHLO_OP_STABLEHLO_REMAINDER, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR, &ghlo_cpu_step_random },
  { GHLO_OP_STABLEHLO_ROUND_NEAREST_AFZ, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_ROUND_NEAREST_EVEN, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_RSQRT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SCATTER, &ghlo_cpu_step_scatter },
  { GHLO_OP_STABLEHLO_SELECT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SHIFT_LEFT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SHIFT_RIGHT_ARITHMETIC, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SHIFT_RIGHT_LOGICAL, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SIGN, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SORT, &ghlo_cpu_step_sort },
  { GHLO_OP_STABLEHLO_SQRT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_SUBTRACT, &ghlo_cpu_step_elementwise },
  { GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, &ghlo_cpu_step_triangular_solve },
  { GHLO_OP_STABLEHLO_XOR, &ghlo_cpu_step_elementwise },
};

static const GhloStepImplementation *
find (gpointer                      self,
      const GhloIrOp               *op,
      const GhloStepImplementation *previous)
{
  gboolean passed = previous == NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == op->kind)
      {
        if (passed)
          return rows[i].implementation;
        passed = rows[i].implementation == previous;
      }

  return NULL;
}

const GhloStepTarget *
ghlo_cpu_target (void)
{
  static const GhloStepTarget target = { .name = "cpu", .find = find, .copy = &ghlo_cpu_step_copy };

  return &target;
}
