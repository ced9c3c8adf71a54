/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Chooses how products of f32 are split. StableHLO leaves the meaning of a precision to the implementation. Here
 * DEFAULT, which also applies if none is named, has at most the error of TF32, and HIGH at most that of three products
 * of bf16.
 */

#include "gpu/product/reading.h"

#include "kernel/kernel.h"

/* Costs of the ways to compute a product on an H100, in multiply-adds of the unsplit product: per multiply-add, per
 * element that planes are computed from, and a constant. */
typedef struct
{
  GhloSpirvSplit split;
  gint64         least, most;           /* precisions that it is for */
  double         step, element, once;
} Way;

static const Way ways[] = {
  { GHLO_SPIRV_UNSPLIT, GHLO_GPU_DEFAULT, GHLO_GPU_HIGHEST, 1, 0, 0 },
  { GHLO_SPIRV_BF16_X3, GHLO_GPU_DEFAULT, GHLO_GPU_HIGH, 0.32, 0, 0 },
  { GHLO_SPIRV_ONE_PLANE, GHLO_GPU_DEFAULT, GHLO_GPU_DEFAULT, 0.1, 240, 0x1p31 },
  { GHLO_SPIRV_TWO_PLANES, GHLO_GPU_HIGH, GHLO_GPU_HIGH, 0.25, 64, 0x1p31 },
  { GHLO_SPIRV_TWO_PLANES_STEPWISE, GHLO_GPU_HIGHEST, GHLO_GPU_HIGHEST, 0.5, 256, 0x1p30 },
};

/* Smaller products stay f32: there is little to gain (128³ takes 5.7 µs instead of 7.4), and the official tests of
 * operations, which require an accuracy of a few ULP, do not exceed 2^20. */
#define LEAST_STEPS 0x1p21

static double
count_steps (const GhloGpuProduct *product)
{
  double steps = 1;

  for (guint i = 0; i < GHLO_SPIRV_N_ROLES; i++)
    steps *= (double) product->counts[i];

  return steps;
}

static double
estimate (const GhloGpuProduct *product,
          const Way            *way)
{
  const gint64 *counts = product->counts;
  const double elements = (double) counts[GHLO_SPIRV_BATCH] * (double) counts[GHLO_SPIRV_INNER]
                          * (double) (counts[GHLO_SPIRV_ROWS] + counts[GHLO_SPIRV_COLUMNS]);

  return way->step * count_steps (product) + way->element * elements + way->once;
}

gint64
ghlo_gpu_find_precision (const GhloIrOp *op)
{
  const GhloIrAttr *precision = ghlo_ir_op_get (op, "precision_config");
  gint64 most = GHLO_GPU_DEFAULT;

  for (gsize i = 0; precision != NULL && i < precision->length; i++)
    most = MAX (most, precision->children[i]->integer);

  return most;
}

static gboolean
can_take_planes (const GhloGpuProduct *product,
                 const GhloGpuDevice  *device)
{
  const GhloSpirvProduct *shader = &product->shader;

  if ((device->vulkan.matrices >> GHLO_ELEMENT_TYPE_F16 & 1) == 0 || shader->n_windows > 0
      || count_steps (product) == 0 || shader->n_dimensions[GHLO_SPIRV_INNER] != 1
      || shader->types[GHLO_SPIRV_RESULT] != GHLO_ELEMENT_TYPE_F32)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (shader->n_dimensions[GHLO_SPIRV_BATCH] + shader->n_dimensions[ghlo_gpu_product_outer (i)] + 2
        > GHLO_KERNEL_MAX_AXES)
      return FALSE;

  return TRUE;
}

/* @matrices: the operands are aligned to pieces. */
static gboolean
can_do (const GhloGpuProduct *product,
        const GhloGpuDevice  *device,
        gboolean              matrices,
        GhloSpirvSplit        split)
{
  if (split == GHLO_SPIRV_UNSPLIT)
    return TRUE;
  if (ghlo_spirv_takes_planes (split))
    return can_take_planes (product, device);

  return matrices && product->counts[GHLO_SPIRV_INNER] >= GHLO_SPIRV_MATRIX
         && ghlo_gpu_product_has_matrices (product, device, split);
}

GhloSpirvSplit
ghlo_gpu_product_find_split (const GhloGpuProduct *product,
                             const GhloGpuDevice  *device,
                             const GhloIrOp       *op,
                             gboolean              matrices)
{
  const gint64 precision = ghlo_gpu_find_precision (op);
  const GhloSpirvProduct *shader = &product->shader;
  const Way *best = &ways[0];

  if (shader->types[0] != GHLO_ELEMENT_TYPE_F32 || shader->types[1] != GHLO_ELEMENT_TYPE_F32
      || shader->accumulator != GHLO_ELEMENT_TYPE_F32
      || (count_steps (product) < LEAST_STEPS && device->forced_splits == 0))
    return GHLO_SPIRV_UNSPLIT;
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      const Way *way = &ways[i];
      const gboolean is_forced = (device->forced_splits >> way->split & 1) != 0;

      if (precision < way->least || precision > way->most || !can_do (product, device, matrices, way->split))
        continue;
      if (is_forced)
        return way->split;
      if (estimate (product, way) < estimate (product, best))
        best = way;
    }

  return best->split;
}
