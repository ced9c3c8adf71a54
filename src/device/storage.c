/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reference counting of storage.
 */

#include "device/storage.h"

GhloStorage *
ghlo_storage_ref (GhloStorage *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_storage_unref (GhloStorage *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->fence, ghlo_fence_unref);
  g_clear_pointer (&self->copy, ghlo_storage_unref);
  if (self->packed != NULL)
    self->free_packed (self->packed);
  self->destroy (self);
}
