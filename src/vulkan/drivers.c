/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The table of drivers. Each row states its source.
 */

#include "vulkan/drivers.h"

#include <math.h>
#include <spirv/unified1/spirv.h>

#include "vulkan/functions.h"

typedef struct
{
  VkDriverId       id;
  GhloVulkanDriver driver;
} KnownDriver;

static const KnownDriver known_drivers[] = {
  /* Mesa 22.3, LP_MAX_TGSI_LOOP_ITERATIONS: one counter for all loops of a shader. Loops are unrolled up to 32
   * times. */
  { VK_DRIVER_ID_MESA_LLVMPIPE, { .max_iterations = 65535, .keeps_loops = TRUE } },
};

const GhloVulkanDriver *
ghlo_vulkan_driver_find (guint32 id)
{
  static const GhloVulkanDriver other = { .max_iterations = INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (known_drivers); i++)
    if (known_drivers[i].id == id)
      return &known_drivers[i].driver;

  return &other;
}

gboolean
ghlo_vulkan_driver_may_iterate (const GhloVulkanDriver *self,
                                double                  n)
{
  /* GPUs take some 10 ns for an iteration. */
  const double patience = 1 << 22;

  return n <= self->max_iterations && (n <= patience || isinf (n));
}

GBytes *
ghlo_vulkan_driver_adapt (const GhloVulkanDriver *self,
                          GBytes                 *words)
{
  enum { HEADER_WORDS = 5, CONTROL = 3 };
  gsize size;
  const guint32 *given = g_bytes_get_data (words, &size);
  guint32 *adapted;

  if (!self->keeps_loops)
    return g_bytes_ref (words);
  adapted = g_memdup2 (given, size);
  for (gsize i = HEADER_WORDS; i < size / sizeof *given; i += given[i] >> SpvWordCountShift)
    if ((given[i] & SpvOpCodeMask) == SpvOpLoopMerge && given[i + CONTROL] == SpvLoopControlMaskNone)
      adapted[i + CONTROL] = SpvLoopControlDontUnrollMask;

  return g_bytes_new_take (adapted, size);
}
