/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A Vulkan device. Its properties are known from the time it is listed; the objects that programs run through are
 * created when the first program needs them.
 */

#pragma once

#include "device/device.h"
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

/* The features that a device has, or that are requested of it, as one pNext chain. */
typedef struct
{
  VkPhysicalDeviceFeatures2        core;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  /* Extension features, chained where the device has the extension. */
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
  guint                      index;             /* in the instance's list of devices */
  VkPhysicalDeviceType       type;
  const GhloVulkanDriver    *driver;
  VkPhysicalDeviceLimits     limits;
  gsize                      max_allocation;    /* bytes */
  guint                      subgroup_size;
  GBytes                    *identity;          /* cache key: tells this device and its driver from all others */
  VkPhysicalDeviceMemoryProperties memory_types;
  guint64                    unified_memory;    /* bytes, see memory.h; 0 if the device has memory of its own */
  GhloVulkanFeatures         features;          /* that the device has and that are enabled */
  GhloSpirvFloats            promises;          /* what its driver promises about floats */
  guint32                    family;            /* queue family */
  guint32                    timestamp_bits;    /* valid bits of a timestamp of the family; 0: no timestamps */
  gboolean                   has_budget;        /* VK_EXT_memory_budget */
  gboolean                   has_feedback;      /* VK_EXT_pipeline_creation_feedback */
  gboolean                   has_global_priority;       /* VK_KHR_global_priority */
  gboolean                   has_conditional;   /* VK_EXT_conditional_rendering */
  gboolean                   has_host_memory;   /* VK_EXT_external_memory_host */
  gsize                      host_alignment;    /* bytes; alignment of imported memory */
  gboolean                   has_cooperative, has_bfloat16;     /* named in cooperative.h */
  guint64                    matrices;          /* see ghlo_vulkan_cooperative_types () */
  GhloDeviceRates            rates;             /* all 0 if unknown */
  /* For tests. emulates_matrices: the cooperative matrices that the device claims to have are emulated with scalar
   * code. fuses_always: products compute their epilogues even where that is not faster. forced_splits: bits by
   * GhloSpirvSplit of the ways to split f32 operands, used even where they are not faster. forced_matrices: where not
   * 0, the row of the table of tiles (counted from 1), the number of steps of a block and the prefetch distance of
   * products by matrices. */
  gboolean                   emulates_matrices, fuses_always;
  guint32                    forced_splits;
  struct { guint row, n_steps, distance; } forced_matrices;

  /* Set by ghlo_vulkan_device_connect (). */
  VkDevice                   device;
  GhloVulkanMemory          *memory;
  GhloVulkanQueue           *queue;
  GhloVulkanImports         *imports;           /* nullable */
  GhloVulkanWaiter          *waiter;
  GhloVulkanPipelines       *pipelines;
  GhloVulkanStopwatch       *stopwatch;
  GhloSpirvDevice            measured;          /* how it computes each kind of node */
} GhloVulkanDevice;

/* Returns the device for @physical, the @index-th of the instance, or NULL with @error if programs cannot run on it.
 * Does not open it. The device lives as long as the process. */
GhloVulkanDevice *ghlo_vulkan_device_new    (const GhloVulkanInstance  *instance,
                                             VkPhysicalDevice           physical,
                                             guint                      index,
                                             GError                   **error);
/* Creates the objects that programs run through; disconnect () destroys them. One thread at a time. */
gboolean          ghlo_vulkan_device_connect (GhloVulkanDevice         *self,
                                             GError                   **error);
void              ghlo_vulkan_device_disconnect (GhloVulkanDevice      *self);
/* Queries the current budget of each heap from VK_EXT_memory_budget; FALSE if the device does not have the
 * extension. */
gboolean          ghlo_vulkan_device_get_budget (const GhloVulkanDevice *self,
                                             VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget);
/* Like ghlo_vulkan_check (); also marks the device as lost on VK_ERROR_DEVICE_LOST, which is permanent. */
gboolean          ghlo_vulkan_device_check  (GhloVulkanDevice          *self,
                                             VkResult                   result,
                                             const char                *what,
                                             GError                   **error);

/* Returns, as bits, the types of the operands that subgroups of the device multiply as cooperative matrices of 16 × 16
 * results and 32 bytes of k. Floats accumulate in f32, integers in 32 bits. The device's features must be known. */
guint64           ghlo_vulkan_cooperative_types (const GhloVulkanDevice *self);

static inline gboolean
ghlo_vulkan_device_is_open (const GhloVulkanDevice *self)
{
  return g_atomic_int_get (&self->core.is_open);
}

static inline gboolean
ghlo_vulkan_device_is_cpu (const GhloVulkanDevice *self)
{
  return self->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/* Whether the device's memory is visible to the host, which reads it as fast as any other memory. */
static inline gboolean
ghlo_vulkan_device_is_unified (const GhloVulkanDevice *self)
{
  return self->unified_memory > 0;
}

G_END_DECLS
