/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a device is to Vulkan: its handles, and the structures that describe it. Only this folder includes Vulkan's own
 * header; what builds on it includes device.h.
 */

#pragma once

#include "vulkan/device.h"
#include "vulkan/features.h"
#include "vulkan/instance.h"

G_BEGIN_DECLS

struct _GhloVulkanHandles
{
  const GhloVulkanFunctions        *vk;
  VkPhysicalDevice                  physical;
  VkPhysicalDeviceType              type;
  VkPhysicalDeviceMemoryProperties  memory_types;
  GhloVulkanFeatures                features;           /* that the device has and that are enabled */
  float                             timestamp_period;   /* ns */
  guint32                           family;             /* queue family */
  guint32                           timestamp_bits;     /* valid bits of a timestamp of the family; 0: no timestamps */
  gboolean                          has_budget;         /* VK_EXT_memory_budget */
  gboolean                          has_feedback;       /* VK_EXT_pipeline_creation_feedback */
  gboolean                          has_global_priority;        /* VK_KHR_global_priority */
  gboolean                          has_conditional;    /* VK_EXT_conditional_rendering */
  gboolean                          has_host_memory;    /* VK_EXT_external_memory_host */
  gboolean                          has_cooperative, has_bfloat16;      /* named in cooperative.h */
  gsize                             host_alignment;     /* bytes; alignment of imported memory */
  /* Set by ghlo_vulkan_device_connect (). */
  VkDevice                          device;
  VkPipelineLayout                  layout;             /* of all pipelines: push constants only */
};

struct _GhloVulkanPipeline
{
  VkPipeline handle;            /* VK_NULL_HANDLE while a thread makes it */
};

/* Like ghlo_vulkan_check (); also marks the device as lost on VK_ERROR_DEVICE_LOST, which is permanent. */
gboolean ghlo_vulkan_device_check      (GhloVulkanDevice        *self,
                                        VkResult                 result,
                                        const char              *what,
                                        GError                 **error);
/* Queries the current budget of each heap from VK_EXT_memory_budget; FALSE if the device does not have the
 * extension. */
gboolean ghlo_vulkan_device_get_budget (const GhloVulkanDevice                    *self,
                                        VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget);
/* Returns, as bits, the types of the operands that subgroups of the device multiply as cooperative matrices. The
 * device's features must be known. */
guint64  ghlo_vulkan_cooperative_types (const GhloVulkanDevice  *self);

G_END_DECLS
