/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory of a device, by address: ranges of large blocks, of three kinds that are kept apart. Blocks that the host sees
 * stay mapped.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_VULKAN_LOCAL,            /* the device's fastest; where memory is unified the host sees it as its own */
  GHLO_VULKAN_UPLOAD,           /* the host writes it, and never reads it */
  GHLO_VULKAN_READBACK,         /* the host reads it, through its caches */
  GHLO_VULKAN_IMPORTED,         /* the host's own, which nobody allocates here */
  GHLO_VULKAN_N_MEMORY_KINDS
} GhloVulkanMemoryKind;

/* Where an address lies. */
typedef struct
{
  GhloVulkanMemoryKind kind;
  VkBuffer             buffer;
  VkDeviceSize         offset;
  guint8              *host;    /* NULL where the host does not see it */
} GhloVulkanPlace;

typedef struct
{
  gsize used[GHLO_VULKAN_N_MEMORY_KINDS];       /* bytes of ranges that are taken, rounded up */
  gsize all_used;               /* of all kinds but what is imported, which is the host's */
  gsize peak;                   /* the most that ever was, since the device was opened or the peak reset */
  gsize reserved;               /* bytes of blocks */
  guint n_blocks;
} GhloVulkanMemoryStatistics;

GhloVulkanMemory *ghlo_vulkan_memory_new   (GhloVulkanDevice            *device);
/* All is given back. */
void              ghlo_vulkan_memory_destroy (GhloVulkanMemory          *self);
/* An address, aligned to GHLO_VULKAN_ALIGNMENT, of @size bytes with any content; 0 with OUT_OF_MEMORY, DEVICE_LOST or
 * DEVICE. */
guint64           ghlo_vulkan_memory_alloc (GhloVulkanMemory            *self,
                                            GhloVulkanMemoryKind         kind,
                                            gsize                        size,
                                            GError                     **error);
/* Gives a range back that nothing uses any more once the queue's timeline has reached @value. */
void              ghlo_vulkan_memory_free  (GhloVulkanMemory            *self,
                                            guint64                      address,
                                            gsize                        size,
                                            guint64                      value);
GhloVulkanPlace   ghlo_vulkan_memory_find  (GhloVulkanMemory            *self,
                                            guint64                      address);
/* The address of host memory, page by page as the device wants it; 0 with an error where the driver does not do it. */
guint64           ghlo_vulkan_memory_import (GhloVulkanMemory           *self,
                                            gpointer                     host,
                                            gsize                        size,
                                            GError                     **error);
/* Nothing uses it any more. */
void              ghlo_vulkan_memory_unimport (GhloVulkanMemory         *self,
                                            guint64                      address);
/* Bytes of the memory that the device, by what it says of itself, shares with the host, which then sees all local
 * memory and reads it as fast as any; 0 where it has memory of its own. */
guint64           ghlo_vulkan_memory_find_unified (const GhloVulkanDevice *device);
/* Gives blocks back that nothing lies in. */
void              ghlo_vulkan_memory_trim  (GhloVulkanMemory            *self);
void              ghlo_vulkan_memory_measure (GhloVulkanMemory          *self,
                                            GhloVulkanMemoryStatistics  *statistics);
/* The peak counts from here on. */
void              ghlo_vulkan_memory_reset_peak (GhloVulkanMemory       *self);

#define GHLO_VULKAN_ALIGNMENT 256

G_END_DECLS
