/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory that the host sees is copied to and from where it lies; else pieces go through memory that both see.
 */

#include "vulkan/transfer.h"

#include <string.h>

#include "vulkan/memory.h"
#include "vulkan/queue.h"

/* Bytes that are copied at once. */
#define PIECE ((gsize) 4 << 20)

static gboolean
upload_pieces (GhloVulkanDevice   *device,
               const guint8       *from,
               guint64             to,
               gsize               size,
               const GhloMonitor  *monitor,
               GError            **error)
{
  gsize room = MIN (size, PIECE);
  guint64 stage = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_UPLOAD, room, error);
  gboolean ok = stage != 0;

  for (gsize done = 0, n; ok && done < size; done += n)
    {
      n = MIN (room, size - done);
      memcpy (ghlo_vulkan_memory_find (device->memory, stage).host, from + done, n);
      ok = ghlo_vulkan_queue_copy (device->queue, stage, to + done, n, error)
           && ghlo_vulkan_queue_finish (device->queue, monitor, error);
    }
  if (stage != 0)
    ghlo_vulkan_memory_free (device->memory, stage, room, ghlo_vulkan_queue_value (device->queue));

  return ok;
}

gboolean
ghlo_vulkan_upload (GhloVulkanDevice   *device,
                    gconstpointer       from,
                    guint64             to,
                    gsize               size,
                    const GhloMonitor  *monitor,
                    GError            **error)
{
  guint8 *host;

  if (size == 0)
    return TRUE;
  host = ghlo_vulkan_memory_find (device->memory, to).host;
  if (host == NULL)
    return upload_pieces (device, from, to, size, monitor, error);
  if (!ghlo_vulkan_queue_finish (device->queue, monitor, error))
    return FALSE;
  memcpy (host, from, size);

  return TRUE;
}

static gboolean
download_pieces (GhloVulkanDevice   *device,
                 guint64             from,
                 guint8             *to,
                 gsize               size,
                 const GhloMonitor  *monitor,
                 GError            **error)
{
  gsize room = MIN (size, PIECE);
  guint64 stage = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_READBACK, room, error);
  gboolean ok = stage != 0;

  for (gsize done = 0, n; ok && done < size; done += n)
    {
      n = MIN (room, size - done);
      ok = ghlo_vulkan_queue_copy (device->queue, from + done, stage, n, error)
           && ghlo_vulkan_queue_finish (device->queue, monitor, error);
      if (ok)
        memcpy (to + done, ghlo_vulkan_memory_find (device->memory, stage).host, n);
    }
  if (stage != 0)
    ghlo_vulkan_memory_free (device->memory, stage, room, ghlo_vulkan_queue_value (device->queue));

  return ok;
}

gboolean
ghlo_vulkan_download (GhloVulkanDevice   *device,
                      guint64             from,
                      gpointer            to,
                      gsize               size,
                      const GhloMonitor  *monitor,
                      GError            **error)
{
  const guint8 *host;

  if (size == 0)
    return TRUE;
  host = ghlo_vulkan_memory_find (device->memory, from).host;
  if (host == NULL)
    return download_pieces (device, from, to, size, monitor, error);
  if (!ghlo_vulkan_queue_finish (device->queue, monitor, error))
    return FALSE;
  memcpy (to, host, size);

  return TRUE;
}
