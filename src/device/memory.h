/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A memory that devices compute in and that is not the host's. Its addresses are meaningful only to its devices and to
 * these functions; addresses within one block are consecutive. Plans and values allocate through the same functions.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

typedef struct _GhloDeviceMemory GhloDeviceMemory;

typedef enum
{
  GHLO_MEMORY_HOST,
  GHLO_MEMORY_DEVICE,       /* the device's own, the fastest for it */
  GHLO_MEMORY_SCRATCH,      /* the same, for a run's own values: the host uses it only when the queue has nothing to do,
                             * so that it may be memory that work in the queue still uses */
  GHLO_MEMORY_UPLOAD,       /* visible to both host and device; the device only reads it */
  GHLO_MEMORY_READBACK,     /* visible to both host and device; only the device writes it */
} GhloMemoryKind;

/* The bytes of a device's memory that this process holds. */
typedef struct
{
  gsize   used;
  gsize   peak;             /* the most that was held at once since the process began or the peak was reset */
  guint64 total;            /* that programs may use */
} GhloMemoryUse;

typedef struct
{
  /* Returns the address of @size bytes with any contents, aligned to 64 bytes; @kind is never HOST. *@host
   * (nullable) is set to the address at which the host reads them, or to NULL where it cannot. Opens the device.
   * Fails with OUT_OF_MEMORY, DEVICE_LOST or DEVICE. */
  gpointer  (*alloc)    (GhloDeviceMemory   *self,
                         GhloMemoryKind      kind,
                         gsize               size,
                         gpointer           *host,
                         GError            **error);
  /* Frees what alloc () or wrap () returned. Work that uses it may still be in the queue, but for wrapped memory. */
  void      (*free)     (GhloDeviceMemory   *self,
                         gpointer            address,
                         gsize               size);
  /* Returns the address at which the host accesses @address directly, while the device does not use that memory. The
   * host then shares all of this memory, and plans transfer nothing. NULL where the memory is the device's alone. */
  gpointer  (*map)      (GhloDeviceMemory   *self,
                         gpointer            address);
  /* Copy from the host's memory and to it, in the order of the queue: after everything put in before. When the call
   * returns, the host's memory has been read or written. With @is_fresh, nothing has used the memory since it was
   * allocated. FALSE with @error when the device fails, or when cancelled. */
  gboolean  (*upload)   (GhloDeviceMemory   *self,
                         gconstpointer       from,
                         gpointer            to,
                         gsize               size,
                         gboolean            is_fresh,
                         const GhloMonitor  *monitor,
                         GError            **error);
  gboolean  (*download) (GhloDeviceMemory   *self,
                         gconstpointer       from,
                         gpointer            to,
                         gsize               size,
                         const GhloMonitor  *monitor,
                         GError            **error);
  /* Copies between ranges that do not overlap, in the order of the queue; it may continue after the call. */
  gboolean  (*copy)     (GhloDeviceMemory   *self,
                         gconstpointer       from,
                         gpointer            to,
                         gsize               size,
                         GError            **error);
  /* Returns the address at which the device reads the @size bytes of host memory at @host in place, until it is freed.
   * NULL, at once, where it cannot. The function is NULL where it never can. */
  gpointer  (*wrap)     (GhloDeviceMemory   *self,
                         gpointer            host,
                         gsize               size);
  /* Fills in what the process holds, and with @restarts the peak at the current use. Does not open the device. */
  void      (*measure)  (GhloDeviceMemory   *self,
                         GhloMemoryUse      *use,
                         gboolean            restarts);
} GhloDeviceMemoryClass;

/* The first member of a device's memory; it lives as long as the device. */
struct _GhloDeviceMemory
{
  const GhloDeviceMemoryClass *klass;
  const char                  *name;               /* "vulkan", for display */
  gsize                        max_host_visible;   /* bytes up to which values are placed in memory that the host sees:
                                                    * a copy on the device would take longer than it saves */
  gsize                        max_staged;         /* bytes that uploads in progress occupy a second time at most */
};

/* Whether the host shares the memory, so that nothing is transferred. */
static inline gboolean
ghlo_device_memory_is_shared (const GhloDeviceMemory *self)
{
  return self->klass->map != NULL;
}

G_END_DECLS
