/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The device features that the library uses, in one table.
 */

#pragma once

#include "vulkan/functions.h"

G_BEGIN_DECLS

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

void               ghlo_vulkan_features_init    (GhloVulkanFeatures       *self);
/* Adds the structures of extensions that the device has to the pNext chain; @self must not move afterwards. */
void               ghlo_vulkan_features_extend  (GhloVulkanFeatures       *self,
                                                 gboolean                  cooperative,
                                                 gboolean                  bfloat16,
                                                 gboolean                  conditional);
/* Copies the features of the table from @has to @chosen, and chains the structures that they need. Returns the Vulkan
 * name of the first required feature that is missing, or NULL. */
const char        *ghlo_vulkan_features_choose  (const GhloVulkanFeatures *has,
                                                 GhloVulkanFeatures       *chosen);
/* Returns the user-visible names of the features in @self, NULL-terminated; transfer full. */
char             **ghlo_vulkan_features_list    (const GhloVulkanFeatures *self);
/* Returns the element types that kernels on such a device may use, as bits. */
guint64            ghlo_vulkan_features_types   (const GhloVulkanFeatures *self);

G_END_DECLS
