/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A GPU, or a driver that generates code for the processor: the Vulkan device, and what was measured of it.
 */

#pragma once

#include "gpu/spirv/measure.h"
#include "vulkan/device.h"

G_BEGIN_DECLS

typedef struct
{
  GhloVulkanDevice vulkan;      /* first: a device of Vulkan, which is a device of the library */
  GhloSpirvFloats  promises;    /* what its driver promises about floats */
  GhloSpirvDevice  measured;    /* how it computes each kind of node; valid while it is open */
  /* For tests. emulates_matrices: the cooperative matrices that the device claims to have are emulated with scalar
   * code. fuses_always: products compute their epilogues even where that is not faster. forced_splits: bits by
   * GhloSpirvSplit of the ways to split f32 operands, used even where they are not faster. forced_matrices: where not
   * 0, the row of the table of tiles (counted from 1), the number of steps of a block and the prefetch distance of
   * products by matrices. */
  gboolean         emulates_matrices, fuses_always;
  guint32          forced_splits;
  struct { guint row, n_steps, distance; } forced_matrices;
} GhloGpuDevice;

G_END_DECLS
