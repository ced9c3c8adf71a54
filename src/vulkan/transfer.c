/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Large transfers go in pieces through staging memory that both sides see, or the device copies directly from or to
 * imported host memory. The host's memory belongs to the caller again when a transfer returns, so no copy of it may be
 * in flight by then.
 */

#include "vulkan/transfer.h"

#include <string.h>

#include "vulkan/imports.h"
#include "vulkan/place.h"
#include "vulkan/queue.h"

/* The number of bytes from which it pays to import a block; and the bytes of imported memory that the device copies at
 * once, which takes on the order of a millisecond, after which cancellation is checked. */
#define LEAST_IMPORTED GHLO_VULKAN_PIECE
#define IMPORTED_PIECE ((gsize) 64 << 20)

/* Copies to staging memory, and puts a copy from there into the queue. */
static gboolean
upload_piece (GhloVulkanDevice  *device,
              const guint8      *from,
              guint64            to,
              gsize              size,
              GError           **error)
{
  guint64 stage = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_UPLOAD, size, error);
  gboolean ok;

  if (stage == 0)
    return FALSE;
  memcpy (ghlo_vulkan_memory_map (device->memory, stage), from, size);
  ok = ghlo_vulkan_queue_copy (device->queue, stage, to, size, error);
  ghlo_vulkan_memory_free (device->memory, stage, size, ghlo_vulkan_queue_value (device->queue));

  return ok;
}

/* Copies between two addresses, one of which is imported, after everything put into the queue before has ended. */
static gboolean
copy_pieces (GhloVulkanDevice   *device,
             guint64             from,
             guint64             to,
             gsize               size,
             const GhloMonitor  *monitor,
             GError            **error)
{
  for (gsize done = 0, part; done < size; done += part)
    {
      part = MIN (size - done, IMPORTED_PIECE);
      if (!ghlo_vulkan_queue_finish (device->queue, monitor, error))
        return FALSE;
      if (ghlo_vulkan_queue_copy (device->queue, from + done, to + done, part, error)
          && ghlo_vulkan_queue_finish (device->queue, NULL, error))
        continue;
      ghlo_vulkan_queue_settle (device->queue);
      return FALSE;
    }

  return TRUE;
}

/* The same for the bytes at @host, which were taken from the imports and are given back. */
static gboolean
copy_imported (GhloVulkanDevice   *device,
               gconstpointer       host,
               guint64             from,
               guint64             to,
               gsize               size,
               const GhloMonitor  *monitor,
               GError            **error)
{
  gboolean ok = copy_pieces (device, from, to, size, monitor, error);

  ghlo_vulkan_imports_give (device->imports, host);

  return ok;
}

/* Returns 0 where staging is better: staged pieces need not wait for work in the queue, unless there are too many
 * pieces. */
static guint64
take_import (GhloVulkanDevice *device,
             gconstpointer     from,
             gsize             size)
{
  const guint64 last = ghlo_vulkan_queue_value (device->queue);

  if (size < LEAST_IMPORTED
      || (size < GHLO_VULKAN_MAX_STAGED && ghlo_vulkan_queue_reached (device->queue, last) < last))
    return 0;

  return ghlo_vulkan_imports_take (device->imports, from, size);
}

/* Waits for uploads if @size more bytes would exceed the maximum in flight. */
static gboolean
make_room (GhloVulkanDevice   *device,
           gsize               size,
           const GhloMonitor  *monitor,
           GError            **error)
{
  GhloVulkanMemoryStatistics statistics;

  ghlo_vulkan_memory_measure (device->memory, &statistics);

  return statistics.used[GHLO_VULKAN_UPLOAD] + size <= GHLO_VULKAN_MAX_STAGED
         || ghlo_vulkan_queue_finish (device->queue, monitor, error);
}

gboolean
ghlo_vulkan_upload (GhloVulkanDevice   *device,
                    gconstpointer       from,
                    guint64             to,
                    gsize               size,
                    const GhloMonitor  *monitor,
                    GError            **error)
{
  const guint64 imported = take_import (device, from, size);

  if (imported != 0)
    return copy_imported (device, from, imported, to, size, monitor, error);
  for (gsize done = 0, part; done < size; done += part)
    {
      part = MIN (size - done, GHLO_VULKAN_PIECE);
      if (!make_room (device, part, monitor, error)
          || !upload_piece (device, (const guint8 *) from + done, to + done, part, error))
        return FALSE;
    }

  return TRUE;
}

/* Copies host memory by the processor; new pages take several times as long as others. */
static gboolean
copy_host (gconstpointer       from,
           gpointer            to,
           gsize               size,
           const GhloMonitor  *monitor,
           GError            **error)
{
  for (gsize done = 0, part; done < size; done += part)
    {
      part = MIN (size - done, GHLO_VULKAN_PIECE);
      if (ghlo_monitor_cancelled (monitor, error))
        return FALSE;
      memcpy ((guint8 *) to + done, (const guint8 *) from + done, part);
    }

  return TRUE;
}

gboolean
ghlo_vulkan_fill (GhloVulkanDevice   *device,
                  gconstpointer       from,
                  guint64             to,
                  gsize               size,
                  const GhloMonitor  *monitor,
                  GError            **error)
{
  guint8 *host = size > 0 ? ghlo_vulkan_memory_map (device->memory, to) : NULL;

  if (host == NULL)
    return ghlo_vulkan_upload (device, from, to, size, monitor, error);

  return copy_host (from, host, size, monitor, error);
}

static gboolean
download_pieces (GhloVulkanDevice   *device,
                 guint64             from,
                 guint8             *to,
                 gsize               size,
                 const GhloMonitor  *monitor,
                 GError            **error)
{
  const guint64 imported = size >= LEAST_IMPORTED ? ghlo_vulkan_imports_take (device->imports, to, size) : 0;
  gsize room = MIN (size, GHLO_VULKAN_PIECE);
  guint64 stage;
  gboolean ok;

  if (imported != 0)
    return copy_imported (device, to, from, imported, size, monitor, error);
  stage = ghlo_vulkan_memory_alloc (device->memory, GHLO_VULKAN_READBACK, room, error);
  ok = stage != 0;
  for (gsize done = 0, n; ok && done < size; done += n)
    {
      n = MIN (room, size - done);
      ok = ghlo_vulkan_queue_copy (device->queue, from + done, stage, n, error)
           && ghlo_vulkan_queue_finish (device->queue, monitor, error);
      if (ok)
        memcpy (to + done, ghlo_vulkan_memory_map (device->memory, stage), n);
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
  GhloVulkanPlace place;

  if (size == 0)
    return TRUE;
  place = ghlo_vulkan_memory_find (device->memory, from);
  if (place.host == NULL || place.kind == GHLO_VULKAN_UPLOAD)
    return download_pieces (device, from, to, size, monitor, error);
  if (!ghlo_vulkan_queue_finish (device->queue, monitor, error))
    return FALSE;

  return copy_host (place.host, to, size, monitor, error);
}
