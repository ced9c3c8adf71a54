/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A suballocator for device memory, by address: ranges of large blocks, of kinds that are kept apart. Blocks that the
 * host can see stay mapped.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

typedef enum
{
  GHLO_VULKAN_LOCAL,            /* the fastest for the device; mapped if memory is unified */
  GHLO_VULKAN_SCRATCH,          /* the same; the host uses it only while the queue is idle */
  GHLO_VULKAN_UPLOAD,           /* written by the host, and never read by it */
  GHLO_VULKAN_READBACK,         /* read by the host, through its caches */
  GHLO_VULKAN_IMPORTED,         /* the host's own memory, imported; not allocated here */
  GHLO_VULKAN_N_MEMORY_KINDS
} GhloVulkanMemoryKind;

typedef struct
{
  gsize used[GHLO_VULKAN_N_MEMORY_KINDS];       /* bytes of allocated ranges, rounded up */
  gsize all_used;               /* over all kinds but imported memory, which is the host's */
  gsize peak;                   /* the maximum of all_used since the device was opened or the peak was reset */
  gsize reserved;               /* bytes of all blocks */
  guint n_blocks;
} GhloVulkanMemoryStatistics;

GhloVulkanMemory *ghlo_vulkan_memory_new          (GhloVulkanDevice            *device);
/* All ranges must have been freed. */
void              ghlo_vulkan_memory_destroy      (GhloVulkanMemory            *self);
/* Returns the address of @size uninitialized bytes, aligned to GHLO_VULKAN_ALIGNMENT, or 0 with OUT_OF_MEMORY,
 * DEVICE_LOST or DEVICE. */
guint64           ghlo_vulkan_memory_alloc        (GhloVulkanMemory            *self,
                                                   GhloVulkanMemoryKind         kind,
                                                   gsize                        size,
                                                   GError                     **error);
/* Frees a range that may still be in use until the queue's timeline reaches @value, by commands that are in the queue
 * already. */
void              ghlo_vulkan_memory_free         (GhloVulkanMemory            *self,
                                                   guint64                      address,
                                                   gsize                        size,
                                                   guint64                      value);
/* Returns the host's pointer to what is at @address; NULL if the memory is not host-visible. */
guint8           *ghlo_vulkan_memory_map          (GhloVulkanMemory            *self,
                                                   guint64                      address);
/* Imports host memory, whose address and size must be multiples of the device's host_alignment. Returns its device
 * address, or 0 with @error. */
guint64           ghlo_vulkan_memory_import       (GhloVulkanMemory            *self,
                                                   gpointer                     host,
                                                   gsize                        size,
                                                   GError                     **error);
/* The memory must no longer be in use. */
void              ghlo_vulkan_memory_unimport     (GhloVulkanMemory            *self,
                                                   guint64                      address);
/* Returns the size in bytes of the memory that the device, by its own description, shares with the host, or 0 if it has
 * memory of its own. If it is not 0, all local memory is visible to the host, which reads it as fast as any other
 * memory. */
guint64           ghlo_vulkan_memory_find_unified (const GhloVulkanDevice      *device);
/* Returns the bytes of empty blocks up to which all of them are kept. Of more, those that were used last are kept. */
gsize             ghlo_vulkan_memory_most_empty   (const GhloVulkanMemory      *self);
/* Releases empty blocks. */
void              ghlo_vulkan_memory_trim         (GhloVulkanMemory            *self);
void              ghlo_vulkan_memory_measure      (GhloVulkanMemory            *self,
                                                   GhloVulkanMemoryStatistics  *statistics);
/* Restarts the peak from the memory in use now. */
void              ghlo_vulkan_memory_reset_peak   (GhloVulkanMemory            *self);

#define GHLO_VULKAN_ALIGNMENT 256

G_END_DECLS
