/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Questions that need Vulkan's own types.
 */

#include "vulkan/handles.h"

gboolean
ghlo_vulkan_device_check (GhloVulkanDevice  *self,
                          VkResult           result,
                          const char        *what,
                          GError           **error)
{
  if (result == VK_ERROR_DEVICE_LOST)
    ghlo_device_core_lose (&self->core);

  return ghlo_vulkan_check (result, what, error);
}

gboolean
ghlo_vulkan_device_get_budget (const GhloVulkanDevice                    *self,
                               VkPhysicalDeviceMemoryBudgetPropertiesEXT *budget)
{
  const GhloVulkanHandles *handles = self->handles;
  VkPhysicalDeviceMemoryProperties2 properties = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, budget };

  *budget = (VkPhysicalDeviceMemoryBudgetPropertiesEXT) {
    VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT
  };
  if (handles->has_budget)
    handles->vk->GetPhysicalDeviceMemoryProperties2 (handles->physical, &properties);

  return handles->has_budget;
}
