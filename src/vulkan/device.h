/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A Vulkan device: what it is, which is known when it is listed, and what programs run through, which is made when the
 * first of them needs it.
 */

#pragma once

#include "runtime/device.h"
#include "vulkan/drivers.h"
#include "vulkan/instance.h"
#include "vulkan/spirv/measure.h"

G_BEGIN_DECLS

typedef struct _GhloVulkanImports   GhloVulkanImports;
typedef struct _GhloVulkanMemory    GhloVulkanMemory;
typedef struct _GhloVulkanPipelines GhloVulkanPipelines;
typedef struct _GhloVulkanQueue     GhloVulkanQueue;
typedef struct _GhloVulkanStopwatch GhloVulkanStopwatch;
typedef struct _GhloVulkanWaiter    GhloVulkanWaiter;

/* What a device has and what it is asked for, chained. */
typedef struct
{
  VkPhysicalDeviceFeatures2        core;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  /* Of extensions, chained where the device has those. */
  GhloVulkanCooperativeFeatures    cooperative;
  GhloVulkanBfloat16Features       bfloat16;
  VkPhysicalDeviceConditionalRenderingFeaturesEXT conditional;
} GhloVulkanFeatures;

typedef struct
{
  GhloDeviceCore             core;
  const GhloVulkanInstance  *instance;
  const GhloVulkanFunctions *vk;
  VkPhysicalDevice           physical;
  guint                      index;             /* among those of the instance */
  VkPhysicalDeviceType       type;
  const GhloVulkanDriver    *driver;
  VkPhysicalDeviceLimits     limits;
  gsize                      max_allocation;    /* bytes */
  guint                      subgroup_size;
  GBytes                    *identity;          /* all that tells it, with its driver, from others: for caches */
  VkPhysicalDeviceMemoryProperties memory_types;
  guint64                    unified_memory;    /* bytes, as memory.h says; 0: what it has is apart from the host's */
  GhloVulkanFeatures         features;          /* those that it has and that are switched on */
  GhloSpirvFloats            promises;          /* of floats, by its driver */
  guint32                    family;            /* of queues */
  guint32                    timestamp_bits;    /* that count, of those that the family writes; 0: it has none */
  gboolean                   has_budget;        /* VK_EXT_memory_budget */
  gboolean                   has_feedback;      /* VK_EXT_pipeline_creation_feedback */
  gboolean                   has_global_priority;       /* VK_KHR_global_priority */
  gboolean                   has_conditional;   /* VK_EXT_conditional_rendering */
  gboolean                   has_host_memory;   /* VK_EXT_external_memory_host … */
  gsize                      host_alignment;    /* … and bytes that what is imported is aligned to */
  gboolean                   has_cooperative, has_bfloat16;     /* as cooperative.h names them */
  guint64                    matrices;          /* as ghlo_vulkan_cooperative_types () says */
  GhloStepRates              rates;             /* of 0 where they are not known */
  /* Of tests: the matrices that it is said to have are emulated by its numbers; epilogues are done by products, and
   * operands of f32 are split, bits by GhloSpirvSplit, whether that is faster or not. Products by matrices have the row
   * of their table of tiles, from 1 on, the steps of blocks and the prefetch distance that are not 0. */
  gboolean                   emulates_matrices, fuses_always;
  guint32                    forced_splits;
  struct { guint row, n_steps, distance; } forced_matrices;

  /* Set once, by ghlo_vulkan_device_open (), the last of it last. */
  VkDevice                   device;
  GhloVulkanMemory          *memory;
  GhloVulkanQueue           *queue;
  GhloVulkanImports         *imports;           /* nullable */
  GhloVulkanWaiter          *waiter;
  GhloVulkanPipelines       *pipelines;
  GhloVulkanStopwatch       *stopwatch;
  GhloSpirvDevice            measured;          /* what it makes of nodes */
  const GhloStepTarget      *target;
  gint                       is_open;           /* atomic */
} GhloVulkanDevice;

/* One of @physical, which is the instance's @index-th; NULL where programs cannot run on it, and why. Nothing is
 * opened. It belongs to the process. */
GhloVulkanDevice *ghlo_vulkan_device_new    (const GhloVulkanInstance  *instance,
                                             VkPhysicalDevice           physical,
                                             guint                      index,
                                             GError                   **error);
/* Opens it, if it is not; any thread may call this. It takes up to a tenth of a second, and some seconds where it has
 * to be found out what the device computes (self-test.h), which a cancel ends. */
gboolean          ghlo_vulkan_device_open   (GhloVulkanDevice          *self,
                                             const GhloMonitor         *monitor,    /* nullable */
                                             GError                   **error);
/* What VK_EXT_memory_budget says now, by heap; FALSE where the device has none. */
gboolean          ghlo_vulkan_device_get_budget (const GhloVulkanDevice *self,
                                             VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget);
/* As ghlo_vulkan_check (); a device that is lost stays so. */
gboolean          ghlo_vulkan_device_check  (GhloVulkanDevice          *self,
                                             VkResult                   result,
                                             const char                *what,
                                             GError                   **error);

/* The element types of operands that subgroups of the device, whose features are known, multiply in cooperative
 * matrices of 16 × 16 by steps of 32 bytes, as bits: floats into f32, integers into those of 32 bits. */
guint64           ghlo_vulkan_cooperative_types (const GhloVulkanDevice *self);

static inline gboolean
ghlo_vulkan_device_is_open (const GhloVulkanDevice *self)
{
  return g_atomic_int_get (&self->is_open);
}

static inline gboolean
ghlo_vulkan_device_is_cpu (const GhloVulkanDevice *self)
{
  return self->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Whether the host sees the device's own memory, and reads it as fast as any. */
static inline gboolean
ghlo_vulkan_device_is_unified (const GhloVulkanDevice *self)
{
  return self->unified_memory > 0;
}

G_END_DECLS
