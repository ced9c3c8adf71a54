/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nothing here opens a device.
 */

#include "vulkan/properties.h"

#include "runtime/rates-cache.h"
#include "vulkan/handles.h"
#include "vulkan/pipelines.h"

guint
ghlo_vulkan_main_heap (const GhloVulkanDevice *device)
{
  const VkPhysicalDeviceMemoryProperties *memory = &device->handles->memory_types;
  guint found = G_MAXUINT;

  for (guint i = 0; i < memory->memoryHeapCount; i++)
    if ((memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
        && (found == G_MAXUINT || memory->memoryHeaps[i].size > memory->memoryHeaps[found].size))
      found = i;

  return found;
}

/* "79.6 GiB local visible": whether the heap is the device's or the host's, and which properties of host access at
 * least one of its memory types has. */
static char *
describe_heap (const VkPhysicalDeviceMemoryProperties *memory,
               guint                                   heap)
{
  g_autofree char *size = g_format_size_full (memory->memoryHeaps[heap].size, G_FORMAT_SIZE_IEC_UNITS);
  VkMemoryPropertyFlags flags = 0;

  for (guint i = 0; i < memory->memoryTypeCount; i++)
    if (memory->memoryTypes[i].heapIndex == heap)
      flags |= memory->memoryTypes[i].propertyFlags;

  return g_strconcat (size, memory->memoryHeaps[heap].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? " local" : " host",
                      flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? " visible" : "",
                      flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT ? " cached" : "", NULL);
}

static char **
list_heaps (const GhloVulkanDevice *device)
{
  guint n = device->handles->memory_types.memoryHeapCount;
  char **heaps = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    heaps[i] = describe_heap (&device->handles->memory_types, i);

  return heaps;
}

void
ghlo_vulkan_add_pipelines (const GhloVulkanDevice *device,
                           GArray                 *properties)
{
  GhloVulkanPipelineCounts counts;
  char **words;

  if (!ghlo_vulkan_device_is_open (device))
    return;
  ghlo_vulkan_pipelines_count (device->pipelines, &counts);
  words = g_new0 (char *, 3);
  words[0] = g_strdup_printf ("%u made", counts.n_made);
  words[1] = g_strdup_printf ("%u found on disk", counts.n_found);
  ghlo_device_properties_add_words (properties, "pipelines", "pipelines", words);
}

void
ghlo_vulkan_add_properties (const GhloVulkanDevice *device,
                            GArray                 *properties)
{
  const guint heap = ghlo_vulkan_main_heap (device);
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget;

  if (heap != G_MAXUINT && ghlo_vulkan_device_get_budget (device, &budget))
    ghlo_device_properties_add_bytes (properties, "memory_budget", "budget", budget.heapBudget[heap]);
  ghlo_device_properties_add_words (properties, "heaps", "heaps", list_heaps (device));
  if (ghlo_vulkan_device_is_unified (device))
    ghlo_device_properties_add_bytes (properties, "unified_memory", "unified", device->unified_memory);
  ghlo_device_properties_add_bytes (properties, "largest_allocation", "allocation", device->max_allocation);
  ghlo_device_properties_add_bytes (properties, "shared_memory", "shared", device->shared_memory);
  ghlo_device_properties_add_number (properties, "subgroup_size", "subgroup", device->subgroup_size);
}

/* Rates of the slowest devices of each type: where nothing was measured, a program should only go to a device if any
 * device of that type would be faster. Current discrete cards start at 128 GB/s of memory and 3 TFLOP/s of f32 (GeForce
 * GTX 1650); products are assumed to reach a quarter of that, and f64 a sixteenth of the quarter. Their bus has at
 * least eight lanes of PCI Express 3.0, 7.9 GB/s, half of which is reached through a staging buffer. Integrated devices
 * share two channels of DDR4-3200, 51 GB/s, with the processor, and have 0.4 TFLOP/s (UHD Graphics 630); transfers are
 * copies. Submitting a run and waiting for it took 30 µs on a server's card, and each further dispatch 2 to 5 µs;
 * desktops share their card. */
static const struct
{
  VkPhysicalDeviceType type;
  GhloDeviceRates        rates;
} rows[] = {
  { VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    { .bytes = 1e11, .products = { 7e11, 7e11, 4e10 }, .scalars = 5e11, .uploads = 4e9, .downloads = 3e9,
      .run = 1e-4, .step = 5e-6 } },
  { VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
    { .bytes = 2.5e10, .products = { 1e11, 1e11, 1e10 }, .scalars = 1e11, .uploads = 4e9, .downloads = 3e9,
      .run = 1.5e-4, .step = 8e-6 } },
  /* A share of an unknown physical device. */
  { VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
    { .bytes = 2.5e10, .products = { 1e11, 1e11, 1e10 }, .scalars = 1e11, .uploads = 2e9, .downloads = 2e9,
      .run = 5e-4, .step = 1e-5 } },
};

/* Includes which of the device's features are enabled. */
static GBytes *
identify (const GhloVulkanDevice *self)
{
  const guint8 unified = ghlo_vulkan_device_is_unified (self);
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_append (bytes, g_bytes_get_data (self->identity, NULL), (guint) g_bytes_get_size (self->identity));
  g_byte_array_append (bytes, (const guint8 *) &self->types, sizeof self->types);
  g_byte_array_append (bytes, &unified, sizeof unified);

  return g_byte_array_free_to_bytes (bytes);
}

void
ghlo_vulkan_rates_init (GhloVulkanDevice *self)
{
  gboolean is_known = FALSE;

  self->core.identity = identify (self);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].type == self->handles->type)
      {
        self->rates = rows[i].rates;
        self->core.is_gpu = is_known = TRUE;
      }
  is_known |= ghlo_rates_recall (self->core.identity, &self->rates);
  self->core.rates = is_known ? &self->rates : NULL;
}
