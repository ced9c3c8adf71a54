/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting on a device: the order that the elements of lines have by their keys. Short lines are sorted in shared
 * memory, long ones by digits of 8 bits, least significant first. Both are stable, and what they give is the CPU's
 * order.
 */

#pragma once

#include "kernel/sort-comparator.h"
#include "vulkan/shaders.h"

G_BEGIN_DECLS

typedef struct
{
  GhloVulkanDevice         *device;
  const GhloSortComparator *comparator;         /* borrowed */
  gsize                     n, n_lines;         /* elements of a line, and lines */
  gsize                     inner;              /* lines side by side: elements of a line are so many apart */
  gsize                     n_tiles;            /* of a line */
  guint                     key_bits;           /* of the only key, those that may be set; 0: all */
  gboolean                  is_short;
  guint32                   partial_keys;       /* bits: floats that are compared so that NaN is not ordered */
  /* Offsets in the scratch, and its size. */
  gsize                     orders[2], keys[2], counts, totals, ranks, flags, runs[2], scratch;
  /* By the shader, and by the logarithm of the key's size where that matters; where they are not wanted
   * VK_NULL_HANDLE. */
  VkPipeline                pipelines[GHLO_VULKAN_N_SHADERS][4];
} GhloVulkanSort;

/* NULL, or the reason, static, why the device does not. */
const char *ghlo_vulkan_sort_init    (GhloVulkanSort           *self,
                                      GhloVulkanDevice         *device,
                                      const GhloSortComparator *comparator,
                                      gsize                     n,
                                      gsize                     n_lines,
                                      gsize                     inner,
                                      guint                     key_bits);
gboolean    ghlo_vulkan_sort_compile (GhloVulkanSort           *self,
                                      GError                  **error);
/* Puts it into @recording. @operands and @scratch are numbers of places (ghlo_vulkan_number ()), the former by those
 * that the comparator has; so is the order, which lies in the scratch, and which ghlo_vulkan_sort_permute () takes. */
guint64     ghlo_vulkan_sort_record  (const GhloVulkanSort     *self,
                                      const guint64            *operands,
                                      guint64                   scratch,
                                      GhloVulkanRecording      *recording);
/* The pipeline for elements of @size bytes, and the elements of @operand in that order, or their numbers as i32 where
 * it is 0: the first @n_kept of each line. */
VkPipeline  ghlo_vulkan_sort_permuter (const GhloVulkanSort    *self,
                                      guint                     size,
                                      GError                  **error);
void        ghlo_vulkan_sort_permute (const GhloVulkanSort     *self,
                                      VkPipeline                permuter,
                                      guint64                   order,
                                      guint64                   operand,
                                      guint64                   result,
                                      gsize                     n_kept,
                                      GhloVulkanRecording      *recording);

G_END_DECLS
