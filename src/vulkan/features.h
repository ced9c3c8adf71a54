/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The features of devices that matter here: one table.
 */

#pragma once

#include "vulkan/device.h"

G_BEGIN_DECLS

void               ghlo_vulkan_features_init    (GhloVulkanFeatures       *self);
/* Chains what belongs to extensions that the device has; it must not move from then on. */
void               ghlo_vulkan_features_extend  (GhloVulkanFeatures       *self,
                                                 gboolean                  cooperative,
                                                 gboolean                  bfloat16,
                                                 gboolean                  conditional);
/* Leaves those of the table that @has has in @chosen, with what they need chained. The first that every device needs
 * and this one lacks, as Vulkan spells it; NULL where it has them all. */
const char        *ghlo_vulkan_features_choose  (const GhloVulkanFeatures *has,
                                                 GhloVulkanFeatures       *chosen);
/* What is shown of those that it has, NULL-terminated; the caller frees it. */
char             **ghlo_vulkan_features_list    (const GhloVulkanFeatures *self);
/* The element types that kernels may have on such a device, as bits. */
guint64            ghlo_vulkan_features_types   (const GhloVulkanFeatures *self);

G_END_DECLS
