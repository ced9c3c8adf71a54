/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A Vulkan device. Its properties are known from the time it is listed; the objects that programs run through are
 * created when the first program needs them.
 *
 * This header and those of memory, queue, commands, pipelines, transfer and stopwatch need no header of Vulkan: they
 * are what a GPU's executor is written against.
 */

#pragma once

#include "device/device.h"
#include "vulkan/drivers.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanHandles   GhloVulkanHandles;
typedef struct _GhloVulkanImports   GhloVulkanImports;
typedef struct _GhloVulkanMemory    GhloVulkanMemory;
typedef struct _GhloVulkanPipeline  GhloVulkanPipeline;
typedef struct _GhloVulkanPipelines GhloVulkanPipelines;
typedef struct _GhloVulkanQueue     GhloVulkanQueue;
typedef struct _GhloVulkanStopwatch GhloVulkanStopwatch;
typedef struct _GhloVulkanWaiter    GhloVulkanWaiter;
/* Handles by the names of their own structures: VkPhysicalDevice and VkCommandBuffer point to these. */
typedef struct VkPhysicalDevice_T   GhloVulkanPhysical;
typedef struct VkCommandBuffer_T    GhloVulkanCommands;

enum { GHLO_VULKAN_MAX_DEVICES = 16 };

/* Subgroups of GHLO_VULKAN_MATRIX_SUBGROUP invocations multiply matrices of GHLO_VULKAN_MATRIX × GHLO_VULKAN_MATRIX
 * results and GHLO_VULKAN_MATRIX_BYTES bytes of k. */
enum { GHLO_VULKAN_MATRIX_SUBGROUP = 32, GHLO_VULKAN_MATRIX = 16, GHLO_VULKAN_MATRIX_BYTES = 32 };

/* What the driver promises about floats of 32 bits, and of 64 (VkPhysicalDeviceFloatControlsProperties). */
typedef struct
{
  gboolean keeps_subnormals[2], rounds_to_even[2], keeps_nan[2];
} GhloVulkanFloats;

typedef struct
{
  GhloDeviceCore             core;
  GhloVulkanHandles         *handles;           /* for this folder: handles.h */
  guint                      index;             /* in the instance's list of devices */
  gboolean                   is_cpu;            /* it is the processor, and a driver that generates code for it */
  const GhloVulkanDriver    *driver;
  GBytes                    *identity;          /* cache key: tells this device and its driver from all others */
  gsize                      max_allocation;    /* bytes */
  guint64                    unified_memory;    /* bytes, see memory.h; 0 if the device has memory of its own */
  gsize                      shared_memory;     /* bytes of a workgroup */
  guint                      max_group_size;    /* invocations of a workgroup, all of them along its first axis */
  guint                      max_groups;        /* workgroups of a dispatch, along its first axis */
  guint                      subgroup_size;
  gboolean                   has_ballots;       /* subgroups have ballots, sums and shuffles */
  guint64                    types;             /* element types that kernels may use, as bits */
  gboolean                   has_narrow_storage;        /* shaders load and store integers of 8 and 16 bits */
  gboolean                   has_atomics_64;    /* of integers of 64 bits in memory */
  gboolean                   has_predicates;    /* commands can be skipped by a number in memory */
  GhloVulkanFloats           promises;
  guint64                    matrices;          /* types of operands of cooperative matrices, as bits. Floats accumulate
                                                 * in f32, integers in 32 bits */
  GhloDeviceRates            rates;             /* all 0 if unknown */

  /* Set by ghlo_vulkan_device_connect (). */
  GhloVulkanMemory          *memory;
  GhloVulkanQueue           *queue;
  GhloVulkanImports         *imports;           /* nullable */
  GhloVulkanWaiter          *waiter;
  GhloVulkanPipelines       *pipelines;
  GhloVulkanStopwatch       *stopwatch;
} GhloVulkanDevice;

static inline gboolean
ghlo_vulkan_device_is_open (const GhloVulkanDevice *self)
{
  return g_atomic_int_get (&self->core.is_open);
}

/* Whether the device's memory is visible to the host, which reads it as fast as any other memory. */
static inline gboolean
ghlo_vulkan_device_is_unified (const GhloVulkanDevice *self)
{
  return self->unified_memory > 0;
}

G_END_DECLS
