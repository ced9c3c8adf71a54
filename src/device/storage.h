/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that holds the bytes of values: host memory, owned or lent by the application, or a device's memory.
 * Storage is reference-counted atomically, and several values may share one. Whoever holds the last reference to owned
 * storage may write to it.
 */

#pragma once

#include "device/fence.h"
#include "device/memory.h"

G_BEGIN_DECLS

typedef struct _GhloDeviceCore GhloDeviceCore;
typedef struct _GhloStorage    GhloStorage;
typedef struct _GhloPackedCopy GhloPackedCopy;

struct _GhloStorage
{
  gatomicrefcount  ref_count;
  GhloMemoryKind   kind;
  GhloDeviceCore  *device;       /* the owner of the memory; NULL for the host */
  guint64          address;      /* the address in the device's address space */
  gsize            size;         /* bytes */
  guint8          *host;         /* the address for the host; NULL where the host cannot access the memory */
  GhloFence       *fence;        /* owned; the run or copy that writes it, set before it is shared; NULL: written */
  GhloStorage     *copy;         /* owned; a copy in host memory, made by the first read on the host; atomic */
  gboolean         is_copying;   /* a thread is making the copy; this field and the next belong to runtime/storage.c */
  GhloFence       *copying;      /* owned; ends with that copy; NULL while nobody waits for it */
  GDestroyNotify   release;      /* of lent memory, called with owner_data; NULL for owned memory */
  gpointer         owner_data;
  gboolean         is_call_scoped;  /* lent for the duration of one call: whoever keeps it makes a copy */
  gboolean         is_rewritten;    /* runs write to it: it was given up to one, or is lent for outputs */
  gboolean         is_discarded;    /* the memory was freed: only packed copies are left */
  GhloPackedCopy  *packed;          /* owned; copies in orders that steps read faster (runtime/packed.h); atomic */
  void           (*free_packed) (GhloPackedCopy *packed);     /* set before they are */
  void           (*destroy) (GhloStorage *self);     /* frees the memory and the structure */
};

GhloStorage  *ghlo_storage_ref      (GhloStorage        *self);
void          ghlo_storage_unref    (GhloStorage        *self);

/* Returns whether the caller holds the last reference and the memory is owned, so that it may be written to. */
static inline gboolean
ghlo_storage_is_own (GhloStorage *self)
{
  return self->release == NULL && g_atomic_ref_count_compare (&self->ref_count, 1);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloStorage, ghlo_storage_unref)

G_END_DECLS
