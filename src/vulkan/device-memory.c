/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Implements the interface of device/memory.h. Pointers to the memory are device addresses.
 */

#include "vulkan/device-memory.h"

#include "vulkan/handles.h"
#include "vulkan/imports.h"
#include "vulkan/place.h"
#include "vulkan/properties.h"
#include "vulkan/queue.h"
#include "vulkan/transfer.h"

/* Bytes up to which values are placed in host-visible memory. For larger ones the device's own memory is worth a
 * copy. */
enum { MAX_HOST_VISIBLE = 1 << 16 };

typedef struct
{
  GhloDeviceMemory  base;
  GhloVulkanDevice *device;
} Memory;

static GhloVulkanDevice *
device_of (GhloDeviceMemory *self)
{
  return ((Memory *) self)->device;
}

static gpointer
alloc (GhloDeviceMemory  *self,
       GhloMemoryKind     kind,
       gsize              size,
       gpointer          *host,
       GError           **error)
{
  GhloVulkanDevice *device = device_of (self);
  const GhloVulkanMemoryKind kinds[] = {
    [GHLO_MEMORY_DEVICE] = GHLO_VULKAN_LOCAL,
    /* One pool where the host sees neither. */
    [GHLO_MEMORY_SCRATCH] = ghlo_vulkan_device_is_unified (device) ? GHLO_VULKAN_SCRATCH : GHLO_VULKAN_LOCAL,
    [GHLO_MEMORY_UPLOAD] = GHLO_VULKAN_UPLOAD, [GHLO_MEMORY_READBACK] = GHLO_VULKAN_READBACK,
  };
  guint64 address;

  if (!device->core.klass->open (&device->core, NULL, error))
    return NULL;
  address = ghlo_vulkan_memory_alloc (device->memory, kinds[kind], size, error);
  if (host != NULL)
    *host = address != 0 ? ghlo_vulkan_memory_map (device->memory, address) : NULL;

  return GSIZE_TO_POINTER (address);
}

static void
free_range (GhloDeviceMemory *self,
            gpointer          address,
            gsize             size)
{
  GhloVulkanDevice *device = device_of (self);

  ghlo_vulkan_memory_free (device->memory, ghlo_vulkan_address (address), size,
                           ghlo_vulkan_queue_value (device->queue));
}

/* Where memory is unified, the range may be wrapped memory of the host. */
static void
free_unified (GhloDeviceMemory *self,
              gpointer          address,
              gsize             size)
{
  GhloVulkanDevice *device = device_of (self);
  const GhloVulkanPlace place = ghlo_vulkan_memory_find (device->memory, ghlo_vulkan_address (address));

  if (place.kind == GHLO_VULKAN_IMPORTED)
    ghlo_vulkan_imports_give (device->imports, place.host);
  else
    free_range (self, address, size);
}

static gpointer
map (GhloDeviceMemory *self,
     gpointer          address)
{
  return ghlo_vulkan_memory_map (device_of (self)->memory, ghlo_vulkan_address (address));
}

static gboolean
upload (GhloDeviceMemory   *self,
        gconstpointer       from,
        gpointer            to,
        gsize               size,
        gboolean            is_fresh,
        const GhloMonitor  *monitor,
        GError            **error)
{
  return (is_fresh ? ghlo_vulkan_fill : ghlo_vulkan_upload) (device_of (self), from, ghlo_vulkan_address (to), size,
                                                             monitor, error);
}

static gboolean
download (GhloDeviceMemory   *self,
          gconstpointer       from,
          gpointer            to,
          gsize               size,
          const GhloMonitor  *monitor,
          GError            **error)
{
  return ghlo_vulkan_download (device_of (self), ghlo_vulkan_address (from), to, size, monitor, error);
}

static gboolean
copy (GhloDeviceMemory  *self,
      gconstpointer      from,
      gpointer           to,
      gsize              size,
      GError           **error)
{
  return ghlo_vulkan_queue_copy (device_of (self)->queue, ghlo_vulkan_address (from), ghlo_vulkan_address (to), size,
                                 error);
}

static gpointer
wrap (GhloDeviceMemory *self,
      gpointer          host,
      gsize             size)
{
  GhloVulkanDevice *device = device_of (self);

  if (!ghlo_vulkan_device_is_open (device))
    return NULL;

  return GSIZE_TO_POINTER (ghlo_vulkan_imports_take (device->imports, host, size));
}

static void
measure (GhloDeviceMemory *self,
         GhloMemoryUse    *use,
         gboolean          restarts)
{
  GhloVulkanDevice *device = device_of (self);
  const GhloVulkanHandles *handles = device->handles;
  const guint heap = ghlo_vulkan_main_heap (device);
  GhloVulkanMemoryStatistics statistics;

  *use = (GhloMemoryUse) { .total = heap != G_MAXUINT ? handles->memory_types.memoryHeaps[heap].size : 0 };
  if (!ghlo_vulkan_device_is_open (device))
    return;
  ghlo_vulkan_memory_measure (device->memory, &statistics);
  use->used = statistics.all_used;
  use->peak = statistics.peak;
  if (restarts)
    ghlo_vulkan_memory_reset_peak (device->memory);
}

#define COMMON .alloc = alloc, .upload = upload, .download = download, .copy = copy, .measure = measure

GhloDeviceMemory *
ghlo_vulkan_device_memory_new (GhloVulkanDevice *device)
{
  static const GhloDeviceMemoryClass separate = { COMMON, .free = free_range },
                                     unified = { COMMON, .free = free_unified, .map = map, .wrap = wrap };
  const gboolean is_unified = ghlo_vulkan_device_is_unified (device);
  Memory *self = g_new (Memory, 1);

  *self = (Memory) { { is_unified ? &unified : &separate, "vulkan", is_unified ? 0 : MAX_HOST_VISIBLE,
                       is_unified ? 0 : GHLO_VULKAN_MAX_STAGED }, device };

  return &self->base;
}
