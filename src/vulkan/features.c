/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All required features belong to Vulkan 1.2. All desktop drivers have had them since 2020; some phones lack 64-bit
 * integers.
 */

#include "vulkan/features.h"

#include "kernel/kernel.h"

#define BIT(type) (G_GUINT64_CONSTANT (1) << GHLO_ELEMENT_TYPE_##type)

typedef struct
{
  const char *name;         /* Vulkan's spelling */
  gsize       offset;       /* of the VkBool32 in GhloVulkanFeatures */
  gboolean    needed;
  const char *shown;        /* name shown to users, or NULL */
} FeatureInfo;

#define ROW(part, name, needed, shown) { #name, offsetof (GhloVulkanFeatures, part.name), needed, shown }

static const FeatureInfo infos[] = {
  ROW (v12, bufferDeviceAddress, TRUE, NULL),
  ROW (core.features, shaderInt64, TRUE, "i64"),
  ROW (v12, timelineSemaphore, TRUE, NULL),
  ROW (core.features, shaderFloat64, FALSE, "f64"),
  ROW (core.features, shaderInt16, FALSE, "i16"),
  ROW (v12, shaderInt8, FALSE, "i8"),
  ROW (v11, storageBuffer16BitAccess, FALSE, "storage-16"),
  ROW (v12, storageBuffer8BitAccess, FALSE, "storage-8"),
  ROW (v12, shaderFloat16, FALSE, NULL),
  ROW (v12, shaderBufferInt64Atomics, FALSE, NULL),
  ROW (v12, vulkanMemoryModel, FALSE, NULL),
  ROW (v12, vulkanMemoryModelDeviceScope, FALSE, NULL),
  ROW (cooperative, cooperativeMatrix, FALSE, "matrices"),
  ROW (bfloat16, shaderBFloat16Type, FALSE, NULL),
  ROW (bfloat16, shaderBFloat16CooperativeMatrix, FALSE, NULL),
  ROW (conditional, conditionalRendering, FALSE, NULL),
};

#undef ROW

static VkBool32
get (const GhloVulkanFeatures *self,
     const FeatureInfo        *info)
{
  return *(const VkBool32 *) (gconstpointer) ((const guint8 *) self + info->offset);
}

void
ghlo_vulkan_features_init (GhloVulkanFeatures *self)
{
  *self = (GhloVulkanFeatures) {
    .core = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &self->v11 },
    .v11 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &self->v12 },
    .v12 = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES },
    .cooperative = { .sType = GHLO_VULKAN_COOPERATIVE_FEATURES },
    .bfloat16 = { .sType = GHLO_VULKAN_BFLOAT16_FEATURES },
    .conditional = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONDITIONAL_RENDERING_FEATURES_EXT },
  };
}

void
ghlo_vulkan_features_extend (GhloVulkanFeatures *self,
                             gboolean            cooperative,
                             gboolean            bfloat16,
                             gboolean            conditional)
{
  if (cooperative)
    {
      self->cooperative.pNext = self->v12.pNext;
      self->v12.pNext = &self->cooperative;
    }
  if (bfloat16)
    {
      self->bfloat16.pNext = self->v12.pNext;
      self->v12.pNext = &self->bfloat16;
    }
  if (conditional)
    {
      self->conditional.pNext = self->v12.pNext;
      self->v12.pNext = &self->conditional;
    }
}

const char *
ghlo_vulkan_features_choose (const GhloVulkanFeatures *has,
                             GhloVulkanFeatures       *chosen)
{
  const char *missing = NULL;

  ghlo_vulkan_features_init (chosen);
  for (guint i = 0; i < G_N_ELEMENTS (infos); i++)
    {
      *(VkBool32 *) (gpointer) ((guint8 *) chosen + infos[i].offset) = get (has, &infos[i]);
      if (infos[i].needed && !get (has, &infos[i]) && missing == NULL)
        missing = infos[i].name;
    }
  /* vulkanMemoryModel without device scope would rule out atomics that all workgroups see. */
  if (!chosen->v12.vulkanMemoryModelDeviceScope)
    chosen->v12.vulkanMemoryModel = VK_FALSE;
  ghlo_vulkan_features_extend (chosen, chosen->cooperative.cooperativeMatrix, chosen->bfloat16.shaderBFloat16Type,
                               chosen->conditional.conditionalRendering);

  return missing;
}

char **
ghlo_vulkan_features_list (const GhloVulkanFeatures *self)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (infos); i++)
    if (infos[i].shown != NULL && get (self, &infos[i]))
      g_strv_builder_add (names, infos[i].shown);

  return g_strv_builder_end (names);
}

guint64
ghlo_vulkan_features_types (const GhloVulkanFeatures *self)
{
  guint64 types = ghlo_node_all_types ();

  if (!self->core.features.shaderFloat64)
    types &= ~BIT (F64);
  if (!self->core.features.shaderInt16 || !self->v11.storageBuffer16BitAccess)
    types &= ~(BIT (I16) | BIT (UI16));
  if (!self->v12.shaderInt8 || !self->v12.storageBuffer8BitAccess)
    types &= ~(BIT (I8) | BIT (UI8) | BIT (I1));

  return types;
}
