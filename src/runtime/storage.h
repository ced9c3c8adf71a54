/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that holds the bytes of values: host memory, ours or lent by the application, or a device's memory.
 * Storage is reference-counted atomically, and several values may share one. Whoever holds the last reference to
 * storage of ours may write to it.
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
  GHLO_MEMORY_UPLOAD,       /* visible to both host and device; the device only reads it */
  GHLO_MEMORY_READBACK,     /* visible to both host and device; only the device writes it */
} GhloMemorySpace;

/* The first member of the storage that a device allocates. */
struct _GhloStorage
{
  gatomicrefcount  ref_count;
  GhloMemorySpace  space;
  GhloDeviceCore  *device;       /* the owner of the memory; NULL for the host */
  guint64          address;      /* the address in the device's address space */
  gsize            size;         /* bytes */
  guint8          *host;         /* the address for the host; NULL where the host cannot access the memory */
  GhloPending     *pending;      /* owned; the run or copy that writes it, set before it is shared; NULL: written */
  GhloStorage     *copy;         /* owned; a copy in host memory, made by the first read on the host; atomic */
  gboolean         is_copying;   /* a thread is making the copy; this field and the next belong to storage.c */
  GhloPending     *copying;      /* owned; ends with that copy; NULL while nobody waits for it */
  GDestroyNotify   release;      /* of lent memory, called with lender; NULL for memory of ours */
  gpointer         lender;
  gboolean         is_borrowed;  /* lent for the duration of one call: whoever keeps it makes a copy */
  void           (*destroy) (GhloStorage *self);     /* frees the memory and the structure */
};

/* Allocates @size bytes of host memory with arbitrary content. Fails with OUT_OF_MEMORY like ghlo_memory_alloc (). */
GhloStorage  *ghlo_storage_new_host (gsize               size,
                                     GError            **error);
/* Wraps host memory that belongs to somebody else; it may be NULL where @size is 0. @release (nullable) is called when
 * the memory is not needed any more. */
GhloStorage  *ghlo_storage_new_lent (gpointer            memory,
                                     gsize               size,
                                     GDestroyNotify      release,
                                     gpointer            data);
GhloStorage  *ghlo_storage_ref      (GhloStorage        *self);
void          ghlo_storage_unref    (GhloStorage        *self);

/* Returns whether the caller holds the last reference and the memory is ours, so that it may be written to. */
static inline gboolean
ghlo_storage_is_own (GhloStorage *self)
{
  return self->release == NULL && g_atomic_ref_count_compare (&self->ref_count, 1);
}

/* For a device that is about to overwrite storage of its own. The caller holds the last reference, and from now on the
 * content is what @pending (nullable) writes. */
void          ghlo_storage_rewrite  (GhloStorage        *self,
                                     GhloPending        *pending);
/* Returns storage with the same content that the host can read, borrowed from @self: @self where the host can access
 * it, else a copy that is made once and kept. Waits until the content is written. Returns NULL with the error of the
 * writer, or with CANCELLED. */
GhloStorage  *ghlo_storage_fetch    (GhloStorage        *self,
                                     const GhloMonitor  *monitor,
                                     GError            **error);

/* For value.c: initializes host storage of ours of @size bytes at @memory; the memory is freed together with the
 * structure by @destroy. */
void          ghlo_storage_init_host (GhloStorage       *self,
                                      gpointer           memory,
                                      gsize              size);
/* For @destroy functions of host storage: releases everything but the structure. */
void          ghlo_storage_clear_host (GhloStorage      *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStorage, ghlo_storage_unref)

G_END_DECLS
