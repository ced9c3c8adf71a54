/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of operations that the CPU has step implementations for, besides elementwise loops. Implementations of
 * the same operation are tried in the order of the table. Composites are fusions. What has no loop, such as
 * operations on 8-bit floats, becomes a kernel.
 */

#include "cpu/steps.h"

#include "kernel/scalar.h"

typedef struct
{
  GhloIrOpKind                  op;
  const GhloStepImplementation *implementation;
} Row;

static const Row rows[] = {
  { GHLO_OP_CHLO_TOP_K, &ghlo_cpu_step_top_k },
  { GHLO_OP_STABLEHLO_CHOLESKY, &ghlo_cpu_step_cholesky },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_cpu_step_attention },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_cpu_step_product },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_cpu_step_kernel },
  { GHLO_OP_STABLEHLO_CONCATENATE, &ghlo_cpu_step_concatenate },
  { GHLO_OP_STABLEHLO_CONVOLUTION, &ghlo_cpu_step_product },
  { GHLO_OP_STABLEHLO_CUSTOM_CALL, &ghlo_cpu_step_routine },
  { GHLO_OP_STABLEHLO_DOT, &ghlo_cpu_step_product },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, &ghlo_cpu_step_product },
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, &ghlo_cpu_step_dynamic_slice },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, &ghlo_cpu_step_dynamic_update_slice },
  { GHLO_OP_STABLEHLO_FFT, &ghlo_cpu_step_fft },
  { GHLO_OP_STABLEHLO_GATHER, &ghlo_cpu_step_gather },
  { GHLO_OP_STABLEHLO_IOTA, &ghlo_cpu_step_iota },
  { GHLO_OP_STABLEHLO_PAD, &ghlo_cpu_step_pad },
  { GHLO_OP_STABLEHLO_REDUCE, &ghlo_cpu_step_reduce },
  { GHLO_OP_STABLEHLO_REDUCE, &ghlo_cpu_step_kernel },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_cpu_step_cumulative },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_cpu_step_kernel },
  { GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR, &ghlo_cpu_step_random },
  { GHLO_OP_STABLEHLO_SCATTER, &ghlo_cpu_step_scatter },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, &ghlo_cpu_step_pool_gradient },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, &ghlo_cpu_step_select_and_scatter },
  { GHLO_OP_STABLEHLO_SORT, &ghlo_cpu_step_sort },
  { GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, &ghlo_cpu_step_triangular_solve },
};

const GhloStepImplementation *
ghlo_cpu_find_step (GhloDeviceCore               *self,
                    const GhloIrOp               *op,
                    const GhloStepImplementation *previous)
{
  gboolean passed = previous == NULL;

  if (ghlo_cpu_has_elementwise (op->kind))
    return passed ? &ghlo_cpu_step_elementwise : previous == &ghlo_cpu_step_elementwise ? &ghlo_cpu_step_kernel : NULL;
  if (ghlo_scalar_of (op->kind) != GHLO_SCALAR_INVALID)
    return passed ? &ghlo_cpu_step_kernel : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].op == op->kind)
      {
        if (passed)
          return rows[i].implementation;
        passed = rows[i].implementation == previous;
      }

  return NULL;
}
