/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an address of a device's memory refers to.
 */

#pragma once

#include "vulkan/functions.h"
#include "vulkan/memory.h"

G_BEGIN_DECLS

typedef struct
{
  GhloVulkanMemoryKind kind;
  VkBuffer             buffer;
  VkDeviceSize         offset;
  guint8              *host;    /* NULL if the memory is not host-visible */
} GhloVulkanPlace;

GhloVulkanPlace ghlo_vulkan_memory_find (GhloVulkanMemory *self,
                                         guint64           address);

G_END_DECLS
