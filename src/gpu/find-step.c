/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which step implementations a Vulkan device has for an operation, and why it does not run some as one step.
 */

#include "gpu/steps.h"

#include "gpu/attention/attention.h"
#include "gpu/product/product.h"
#include "gpu/reduction.h"
#include "ir/fusion.h"
#include "kernel/lower.h"
#include "plan/epilogue.h"

/* Implementations for operations that are more than one kernel or use other shaders; single kernels are tried last, or
 * where they decline what is better as something else. */
static const struct
{
  GhloIrOpKind                  op;
  const GhloStepImplementation *implementation;
} rows[] = {
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_gpu_step_attention },        /* fusions */
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_gpu_step_kernel },
  { GHLO_OP_STABLEHLO_COMPOSITE, &ghlo_gpu_step_product },
  { GHLO_OP_STABLEHLO_CONVOLUTION, &ghlo_gpu_step_kernel },
  { GHLO_OP_STABLEHLO_CONVOLUTION, &ghlo_gpu_step_product },
  { GHLO_OP_STABLEHLO_DOT, &ghlo_gpu_step_product },
  { GHLO_OP_STABLEHLO_DOT_GENERAL, &ghlo_gpu_step_product },
  { GHLO_OP_CHLO_TOP_K, &ghlo_gpu_step_top_k },
  { GHLO_OP_STABLEHLO_CHOLESKY, &ghlo_gpu_step_cholesky },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, &ghlo_gpu_step_dynamic_update_slice },
  { GHLO_OP_STABLEHLO_FFT, &ghlo_gpu_step_fft },
  { GHLO_OP_STABLEHLO_REDUCE_WINDOW, &ghlo_gpu_step_cumulative },
  { GHLO_OP_STABLEHLO_RNG_BIT_GENERATOR, &ghlo_gpu_step_random },
  { GHLO_OP_STABLEHLO_SCATTER, &ghlo_gpu_step_scatter },
  { GHLO_OP_STABLEHLO_SORT, &ghlo_gpu_step_sort },
  { GHLO_OP_STABLEHLO_TRIANGULAR_SOLVE, &ghlo_gpu_step_triangular_solve },
  { GHLO_OP_STABLEHLO_SELECT_AND_SCATTER, &ghlo_gpu_step_select_and_scatter },
  { GHLO_N_OPS, NULL },
};

const GhloStepImplementation *
ghlo_gpu_find_step (GhloDeviceCore               *self,
                    const GhloIrOp               *op,
                    const GhloStepImplementation *previous)
{
  gboolean is_next = previous == NULL, has_kernel = !ghlo_kernel_has_kind (op->kind);

  for (guint i = 0; rows[i].implementation != NULL; i++)
    {
      if (rows[i].op != op->kind)
        continue;
      if (is_next)
        return rows[i].implementation;
      is_next = rows[i].implementation == previous;
      has_kernel = has_kernel || rows[i].implementation == &ghlo_gpu_step_kernel;
    }

  return is_next && !has_kernel ? &ghlo_gpu_step_kernel : NULL;
}

static gboolean
has_type (const GhloGpuDevice *device,
          const GhloIrType    *type)
{
  return type->kind != GHLO_IR_TYPE_TENSOR || (type->element_type != GHLO_ELEMENT_TYPE_F64
                                               && type->element_type != GHLO_ELEMENT_TYPE_COMPLEX_F64)
         || (device->vulkan.types >> GHLO_ELEMENT_TYPE_F64 & 1) != 0;
}

/* Whether the device has a step for @op, and has the types of its operands and results. */
static const char *
step_reason (const GhloGpuDevice *device,
             const GhloIrOp      *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!has_type (device, ghlo_ir_op_operand (op, i)->type))
      return "the device has no f64";
  for (guint i = 0; i < op->n_results; i++)
    if (!has_type (device, op->results[i].type))
      return "the device has no f64";
  if (ghlo_gpu_find_step (NULL, op, NULL) == NULL)
    return "it is not implemented";

  return op->kind == GHLO_OP_STABLEHLO_COMPOSITE
         || (ghlo_gpu_find_step (NULL, op, NULL) == &ghlo_gpu_step_kernel
             && ghlo_gpu_find_step (NULL, op, &ghlo_gpu_step_kernel) == NULL) ? ghlo_kernel_obstacle (op) : NULL;
}

static const char *
epilogue_reason (const GhloGpuDevice   *device,
                 const GhloIrOp *const *ops,
                 guint                  n_ops)
{
  const char *reason = ghlo_step_epilogue_obstacle (ops, n_ops);
  const GhloIrOp *product;

  if (ghlo_step_find_computed (ops, n_ops, &product) != GHLO_STEP_NONE)
    return "the device reads operands of products from memory";
  for (guint i = 0; i < n_ops && reason == NULL; i++)
    if (ghlo_ir_op_is_product (ops[i]))
      {
        reason = step_reason (device, ops[i]);
        if (reason == NULL)
          reason = ghlo_gpu_product_obstacle (ops[i]);
      }

  return reason;
}

const char *
ghlo_gpu_unsupported_reason (GhloDeviceCore        *core,
                             GhloFusionKind         kind,
                             const GhloIrOp *const *ops,
                             guint                  n_ops)
{
  GhloGpuDevice *device = (GhloGpuDevice *) core;
  const char *reason;

  switch (kind)
    {
    case GHLO_FUSION_LOOP:
      return ghlo_kernel_loop_obstacle (ops, n_ops);
    case GHLO_FUSION_ATTENTION:
      return ghlo_gpu_attention_obstacle (device, ops, n_ops);
    case GHLO_FUSION_EPILOGUE:
      return epilogue_reason (device, ops, n_ops);
    case GHLO_FUSION_REDUCTION:
    case GHLO_FUSION_MAP:
      reason = ghlo_kernel_obstacle_of_group (ops, n_ops);
      return reason != NULL ? reason : ghlo_gpu_reduction_obstacle (ops, n_ops);
    case GHLO_FUSION_STEP:
    case GHLO_FUSION_EXPAND_DOTS:
    case GHLO_FUSION_EXPAND_GEMV:
      return step_reason (device, ops[0]);
    case GHLO_FUSION_CHANNELS_LAST:
    case GHLO_FUSION_SPLIT_WINDOWS:
    default:
      return "Vulkan devices have no fusion of that kind";
    }
}
