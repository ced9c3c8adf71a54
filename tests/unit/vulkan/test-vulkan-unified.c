/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Devices that share the host's memory, by what they say of themselves.
 */

#include "vulkan/memory.h"

#define LOCAL  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define SEEN   (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT

/* Heap 0 is the device's, of 8 units; heap 1 is not, and has 16, but where it is the device's too. */
static const struct
{
  const char           *name;
  VkPhysicalDeviceType  type;
  VkMemoryPropertyFlags types[2];       /* of heap 0 and of heap 1 */
  guint64               expected;
} machines[] = {
  { "software", VK_PHYSICAL_DEVICE_TYPE_CPU, { LOCAL | SEEN | CACHED, 0 }, 8 },
  { "integrated", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, { LOCAL | SEEN | CACHED, 0 }, 8 },
  { "carve-out", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, { LOCAL | SEEN, SEEN | CACHED }, 16 },
  { "never cached", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, { LOCAL | SEEN, SEEN }, 0 },
  { "not coherent", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
    { LOCAL | SEEN, LOCAL | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | CACHED }, 0 },
  { "card", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, { LOCAL, SEEN | CACHED }, 0 },
  { "card with all of it in a window", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, { LOCAL | SEEN, SEEN | CACHED }, 0 },
  { "card that says more", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, { LOCAL | SEEN | CACHED, SEEN | CACHED }, 0 },
  { "virtual card", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, { LOCAL, SEEN | CACHED }, 0 },
  { "virtual, integrated", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, { LOCAL | SEEN | CACHED, 0 }, 8 },
  { "virtual, a part of it", VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, { LOCAL | SEEN | CACHED, LOCAL }, 0 },
};

#undef LOCAL
#undef SEEN
#undef CACHED

static void
test_machines (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      const gboolean is_local = (machines[i].types[1] & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0;
      const GhloVulkanDevice device = {
        .type = machines[i].type,
        .memory_types = {
          .memoryTypeCount = 2, .memoryTypes = { { machines[i].types[0], 0 }, { machines[i].types[1], 1 } },
          .memoryHeapCount = 2,
          .memoryHeaps = { { 8, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT }, { 16, is_local ? VK_MEMORY_HEAP_DEVICE_LOCAL_BIT
                                                                                  : 0 } },
        },
      };

      g_test_message ("%s", machines[i].name);
      g_assert_cmpuint (ghlo_vulkan_memory_find_unified (&device), ==, machines[i].expected);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vulkan/unified/machines", test_machines);

  return g_test_run ();
}
