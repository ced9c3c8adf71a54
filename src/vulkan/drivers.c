/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each row with its source.
 */

#include "vulkan/drivers.h"

#include <math.h>

typedef struct
{
  VkDriverId       id;
  GhloVulkanDriver driver;
} Row;

static const Row rows[] = {
  /* Mesa 22.3, LP_MAX_TGSI_LOOP_ITERATIONS: one counter for all loops of a shader. */
  { VK_DRIVER_ID_MESA_LLVMPIPE, { .max_iterations = 65535 } },
};

const GhloVulkanDriver *
ghlo_vulkan_driver_find (VkDriverId id)
{
  static const GhloVulkanDriver other = { .max_iterations = INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].id == id)
      return &rows[i].driver;

  return &other;
}
