/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finds out which cooperative matrices a device has.
 */

#include "vulkan/handles.h"

/* Values of VkComponentTypeKHR and VkScopeKHR. */
enum { FLOAT16 = 0, FLOAT32 = 1, SINT8 = 3, SINT32 = 5, UINT8 = 7, UINT32 = 9, BFLOAT16 = 1000141000 };
enum { SCOPE_SUBGROUP = 3 };

typedef struct
{
  GhloElementType type;
  gint32          component, sum;
} Combination;

static const Combination combinations[] = {
  { GHLO_ELEMENT_TYPE_F16, FLOAT16, FLOAT32 },
  { GHLO_ELEMENT_TYPE_BF16, BFLOAT16, FLOAT32 },
  { GHLO_ELEMENT_TYPE_I8, SINT8, SINT32 },
  { GHLO_ELEMENT_TYPE_UI8, UINT8, UINT32 },
};

static gboolean
is_combination (const Combination              *combination,
                const GhloVulkanCooperativeRow *found)
{
  return found->m == GHLO_VULKAN_MATRIX && found->n == GHLO_VULKAN_MATRIX
         && found->k * ghlo_element_info (combination->type)->size == GHLO_VULKAN_MATRIX_BYTES
         && found->a == combination->component && found->b == combination->component && found->c == combination->sum
         && found->result == combination->sum && !found->saturates && found->scope == SCOPE_SUBGROUP;
}

/* Whether the device has the other features that shaders with components of @type need. */
static gboolean
has_component (const GhloVulkanFeatures *features,
               GhloElementType           type)
{
  switch (type)
    {
    case GHLO_ELEMENT_TYPE_F16:
      return features->v12.shaderFloat16;
    case GHLO_ELEMENT_TYPE_BF16:
      return features->bfloat16.shaderBFloat16Type && features->bfloat16.shaderBFloat16CooperativeMatrix;
    default:
      return features->v12.shaderInt8;
    }
}

guint64
ghlo_vulkan_cooperative_types (const GhloVulkanDevice *device)
{
  GhloVulkanHandles *handles = device->handles;
  const GhloVulkanFunctions *vk = handles->vk;
  g_autofree GhloVulkanCooperativeRow *found = NULL;
  guint64 types = 0;
  guint32 n = 0;

  if (vk->GetPhysicalDeviceCooperativeMatrixPropertiesKHR == NULL
      || !handles->features.cooperative.cooperativeMatrix || !handles->features.v12.vulkanMemoryModel
      || ghlo_vulkan_call (vk, GetPhysicalDeviceCooperativeMatrixPropertiesKHR, handles->physical, &n, NULL)
         != VK_SUCCESS)
    return 0;
  found = g_new0 (GhloVulkanCooperativeRow, n + 1);
  for (guint32 i = 0; i < n; i++)
    found[i].sType = GHLO_VULKAN_COOPERATIVE_ROW;
  if (ghlo_vulkan_call (vk, GetPhysicalDeviceCooperativeMatrixPropertiesKHR, handles->physical, &n, found)
      != VK_SUCCESS)
    return 0;
  for (guint32 i = 0; i < n; i++)
    for (guint j = 0; j < G_N_ELEMENTS (combinations); j++)
      if (is_combination (&combinations[j], &found[i]) && has_component (&handles->features, combinations[j].type))
        types |= (guint64) 1 << combinations[j].type;

  return types;
}
