/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cooperative matrices, which subgroups multiply together: VK_KHR_cooperative_matrix, and VK_KHR_shader_bfloat16 for
 * their components. Vulkan headers from before 2023 and 2025 respectively do not declare them, so they are declared
 * here with the numbers of the Vulkan registry.
 */

#pragma once

#include <glib.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

G_BEGIN_DECLS

#define GHLO_VULKAN_COOPERATIVE_MATRIX "VK_KHR_cooperative_matrix"
#define GHLO_VULKAN_BFLOAT16           "VK_KHR_shader_bfloat16"

#define GHLO_VULKAN_COOPERATIVE_FEATURES ((VkStructureType) 1000506000)
#define GHLO_VULKAN_COOPERATIVE_ROW      ((VkStructureType) 1000506001)
#define GHLO_VULKAN_BFLOAT16_FEATURES    ((VkStructureType) 1000141000)

/* VkPhysicalDeviceCooperativeMatrixFeaturesKHR */
typedef struct
{
  VkStructureType sType;
  void           *pNext;
  VkBool32        cooperativeMatrix;
  VkBool32        cooperativeMatrixRobustBufferAccess;
} GhloVulkanCooperativeFeatures;

/* VkPhysicalDeviceShaderBfloat16FeaturesKHR */
typedef struct
{
  VkStructureType sType;
  void           *pNext;
  VkBool32        shaderBFloat16Type;
  VkBool32        shaderBFloat16DotProduct;
  VkBool32        shaderBFloat16CooperativeMatrix;
} GhloVulkanBfloat16Features;

/* VkCooperativeMatrixPropertiesKHR, with enumerations as plain integers */
typedef struct
{
  VkStructureType sType;
  void           *pNext;
  guint32         m, n, k;
  gint32          a, b, c, result;              /* component types */
  VkBool32        saturates;
  gint32          scope;
} GhloVulkanCooperativeRow;

/* vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR */
typedef VkResult (VKAPI_PTR *GhloVulkanCooperativeFunc) (VkPhysicalDevice          device,
                                                         guint32                  *n,
                                                         GhloVulkanCooperativeRow *rows);

G_END_DECLS
