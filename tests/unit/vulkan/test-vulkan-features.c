/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The features that a device must have for programs to run on it, and those that it may lack.
 */

#include "vulkan/drivers.h"
#include "kernel/kernel.h"
#include "vulkan/features.h"

#include <math.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

static GhloVulkanFeatures
all_features (void)
{
  GhloVulkanFeatures has;

  ghlo_vulkan_features_init (&has);
  has.core.features = (VkPhysicalDeviceFeatures) { .shaderFloat64 = VK_TRUE, .shaderInt64 = VK_TRUE,
                                                   .shaderInt16 = VK_TRUE };
  has.v11.storageBuffer16BitAccess = VK_TRUE;
  has.v12.bufferDeviceAddress = has.v12.timelineSemaphore = VK_TRUE;
  has.v12.shaderInt8 = has.v12.storageBuffer8BitAccess = VK_TRUE;

  return has;
}

static void
test_all (void)
{
  GhloVulkanFeatures has = all_features (), chosen;
  g_auto (GStrv) shown = NULL;

  /* Features that programs do not use are not enabled. */
  has.core.features.geometryShader = VK_TRUE;
  g_assert_null (ghlo_vulkan_features_choose (&has, &chosen));
  g_assert_true (chosen.core.features.shaderInt64 && chosen.v12.bufferDeviceAddress);
  g_assert_false (chosen.core.features.geometryShader);
  shown = ghlo_vulkan_features_list (&chosen);
  g_assert_true (g_strv_contains ((const char *const *) shown, "f64"));
  g_assert_cmphex (ghlo_vulkan_features_types (&chosen), ==, ghlo_node_all_types ());
}

static void
test_needed (void)
{
  GhloVulkanFeatures has = all_features (), chosen;

  has.core.features.shaderInt64 = VK_FALSE;
  g_assert_cmpstr (ghlo_vulkan_features_choose (&has, &chosen), ==, "shaderInt64");
  has = all_features ();
  has.v12.bufferDeviceAddress = VK_FALSE;
  g_assert_cmpstr (ghlo_vulkan_features_choose (&has, &chosen), ==, "bufferDeviceAddress");
  has = all_features ();
  has.v12.timelineSemaphore = VK_FALSE;
  g_assert_cmpstr (ghlo_vulkan_features_choose (&has, &chosen), ==, "timelineSemaphore");
}

/* Structs of extensions are chained only where the extension is present. */
static void
test_extensions (void)
{
  GhloVulkanFeatures has = all_features (), chosen;

  g_assert_null (ghlo_vulkan_features_choose (&has, &chosen));
  g_assert_null (chosen.v12.pNext);
  has.cooperative.cooperativeMatrix = has.cooperative.cooperativeMatrixRobustBufferAccess = VK_TRUE;
  g_assert_null (ghlo_vulkan_features_choose (&has, &chosen));
  g_assert_true (chosen.v12.pNext == &chosen.cooperative && chosen.cooperative.cooperativeMatrix);
  g_assert_false (chosen.cooperative.cooperativeMatrixRobustBufferAccess);
  g_assert_null (chosen.cooperative.pNext);
  has.bfloat16.shaderBFloat16Type = has.bfloat16.shaderBFloat16CooperativeMatrix = VK_TRUE;
  g_assert_null (ghlo_vulkan_features_choose (&has, &chosen));
  g_assert_true (chosen.v12.pNext == &chosen.bfloat16 && chosen.bfloat16.pNext == &chosen.cooperative);
}

static gboolean
has_type (const GhloVulkanFeatures *features,
          GhloElementType           type)
{
  return (ghlo_vulkan_features_types (features) >> type & 1) != 0;
}

static void
test_types (void)
{
  GhloVulkanFeatures has = all_features (), chosen;

  has.core.features.shaderFloat64 = has.core.features.shaderInt16 = has.v12.storageBuffer8BitAccess = VK_FALSE;
  g_assert_null (ghlo_vulkan_features_choose (&has, &chosen));
  g_assert_false (has_type (&chosen, GHLO_ELEMENT_TYPE_F64));
  g_assert_false (has_type (&chosen, GHLO_ELEMENT_TYPE_UI16));
  g_assert_false (has_type (&chosen, GHLO_ELEMENT_TYPE_I8));
  g_assert_false (has_type (&chosen, GHLO_ELEMENT_TYPE_I1));
  g_assert_true (has_type (&chosen, GHLO_ELEMENT_TYPE_I64));
  g_assert_true (has_type (&chosen, GHLO_ELEMENT_TYPE_F32));
}

static void
test_drivers (void)
{
  const GhloVulkanDriver *of_gpu = ghlo_vulkan_driver_find (VK_DRIVER_ID_NVIDIA_PROPRIETARY);
  const GhloVulkanDriver *of_cpu = ghlo_vulkan_driver_find (VK_DRIVER_ID_MESA_LLVMPIPE);

  g_assert_cmpfloat (of_gpu->max_iterations, ==, INFINITY);
  g_assert_cmpfloat (of_cpu->max_iterations, ==, 65535);
  /* A known number that takes long cannot be cancelled; one that depends on data may be small. */
  g_assert_true (ghlo_vulkan_driver_may_iterate (of_gpu, 1 << 22));
  g_assert_false (ghlo_vulkan_driver_may_iterate (of_gpu, (1 << 22) + 1));
  g_assert_true (ghlo_vulkan_driver_may_iterate (of_gpu, INFINITY));
  g_assert_true (ghlo_vulkan_driver_may_iterate (of_cpu, 65535));
  g_assert_false (ghlo_vulkan_driver_may_iterate (of_cpu, 65536));
  g_assert_false (ghlo_vulkan_driver_may_iterate (of_cpu, INFINITY));
}

/* Some drivers take modules unchanged; for others each loop whose control is None gets DontUnroll. */
static void
test_adapted (void)
{
  const guint32 words[] = {
    SpvMagicNumber, 0x10300, 0, 9, 0,
    4 << SpvWordCountShift | SpvOpLoopMerge, 1, 2, SpvLoopControlMaskNone,
    4 << SpvWordCountShift | SpvOpLoopMerge, 3, 4, SpvLoopControlUnrollMask,
    4 << SpvWordCountShift | SpvOpConstant, 5, 6, 0,
    4 << SpvWordCountShift | SpvOpLoopMerge, 7, 8, SpvLoopControlMaskNone,
  };
  guint32 expected[G_N_ELEMENTS (words)];
  g_autoptr (GBytes) given = g_bytes_new_static (words, sizeof words), same = NULL, adapted = NULL;

  memcpy (expected, words, sizeof words);
  expected[8] = expected[20] = SpvLoopControlDontUnrollMask;
  same = ghlo_vulkan_driver_adapt (ghlo_vulkan_driver_find (VK_DRIVER_ID_NVIDIA_PROPRIETARY), given);
  g_assert_true (same == given);
  adapted = ghlo_vulkan_driver_adapt (ghlo_vulkan_driver_find (VK_DRIVER_ID_MESA_LLVMPIPE), given);
  g_assert_cmpmem (g_bytes_get_data (adapted, NULL), g_bytes_get_size (adapted), expected, sizeof expected);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/features/all", test_all);
  g_test_add_func ("/vulkan/features/needed", test_needed);
  g_test_add_func ("/vulkan/features/extensions", test_extensions);
  g_test_add_func ("/vulkan/features/types", test_types);
  g_test_add_func ("/vulkan/features/drivers", test_drivers);
  g_test_add_func ("/vulkan/features/adapted", test_adapted);

  return g_test_run ();
}
