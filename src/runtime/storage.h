/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory in which the bytes of values lie: the host's, of ours or lent by the application, or a device's. Counted
 * atomically; several values may lie in one. Whoever has the last reference on storage of ours may write to it.
 */

#pragma once

#include <gio/gio.h>

#include "runtime/pending.h"

G_BEGIN_DECLS

typedef struct _GhloDeviceCore GhloDeviceCore;
typedef struct _GhloStorage    GhloStorage;

typedef enum
{
  GHLO_MEMORY_HOST,
  GHLO_MEMORY_DEVICE,       /* the device's own */
  GHLO_MEMORY_UPLOAD,       /* seen by both, and read by the device alone */
  GHLO_MEMORY_READBACK,     /* seen by both, and written by the device alone */
} GhloMemorySpace;

/* A device has these at the beginning of what it allocates. */
struct _GhloStorage
{
  gatomicrefcount  ref_count;
  GhloMemorySpace  space;
  GhloDeviceCore  *device;       /* whose memory it is; NULL for the host's */
  guint64          address;      /* as the device sees it */
  gsize            size;         /* bytes */
  guint8          *host;         /* where the host reads it as its own memory; NULL where it does not */
  GhloPending     *pending;      /* owned; the run or copy that writes it, set before it is shared; NULL: written */
  GhloStorage     *copy;         /* owned; in host memory, once it was read there; atomic */
  gboolean         is_read;      /* somebody is about to make it; of storage.c, as the next */
  GhloPending     *reading;      /* owned; the end of that read; NULL while nobody waits for it */
  GDestroyNotify   release;      /* of lent memory, and its data; NULL for memory of ours */
  gpointer         lender;
  gboolean         is_passing;   /* lent for one call: whoever keeps it makes a copy */
  void           (*destroy) (GhloStorage *self);     /* frees memory and structure */
};

/* Host memory of @size bytes, any content. OUT_OF_MEMORY as of ghlo_memory_alloc (). */
GhloStorage  *ghlo_storage_new_host (gsize               size,
                                     GError            **error);
/* Host memory of somebody else's (NULL for no bytes), who is told by @release (nullable) when it is not needed any
 * more. */
GhloStorage  *ghlo_storage_new_lent (gpointer            memory,
                                     gsize               size,
                                     GDestroyNotify      release,
                                     gpointer            data);
GhloStorage  *ghlo_storage_ref      (GhloStorage        *self);
void          ghlo_storage_unref    (GhloStorage        *self);

/* Whether the caller's reference is the last one, and the memory ours: it may be written to. */
static inline gboolean
ghlo_storage_is_own (GhloStorage *self)
{
  return self->release == NULL && g_atomic_ref_count_compare (&self->ref_count, 1);
}

/* For a device that writes to storage of its own again: the caller's reference is the last one, and the content is from
 * now on what @pending (nullable) writes. */
void          ghlo_storage_rewrite  (GhloStorage        *self,
                                     GhloPending        *pending);
/* Storage whose content the host reads, the same, borrowed from @self: itself where the host sees it, else a copy that
 * is made once and stays. Waits until it is written; NULL with what went wrong there, or with CANCELLED. */
GhloStorage  *ghlo_storage_fetch    (GhloStorage        *self,
                                     const GhloMonitor  *monitor,
                                     GError            **error);

/* For value.c: host memory of ours, of @size bytes at @memory, that goes with what @destroy frees. */
void          ghlo_storage_init_host (GhloStorage       *self,
                                      gpointer           memory,
                                      gsize              size);
/* What @destroy does of host storage besides freeing the structure. */
void          ghlo_storage_clear_host (GhloStorage      *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStorage, ghlo_storage_unref)

G_END_DECLS
