/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values, and futures of them.
 */

#include "pjrt/future.h"

#include "base/ghlo-error.h"
#include "base/new.h"
#include "runtime/place.h"

GhloPjrtFuture *
ghlo_pjrt_future_new_value (GhloValue *value)
{
  GhloPjrtFuture *self = ghlo_new0 (GhloPjrtFuture);
  GhloFence *fence = ghlo_value_get_fence (value);

  g_atomic_ref_count_init (&self->ref_count);
  self->fence = fence != NULL ? ghlo_fence_ref (fence) : NULL;
  self->value = value;

  return self;
}

GhloPjrtFuture *
ghlo_pjrt_future_new_unset (GhloFence *fence)
{
  GhloPjrtFuture *self = ghlo_new0 (GhloPjrtFuture);

  g_atomic_ref_count_init (&self->ref_count);
  self->fence = ghlo_fence_ref (fence);
  self->is_unset = TRUE;

  return self;
}

void
ghlo_pjrt_future_set (GhloPjrtFuture *self,
                      GhloValue      *value)
{
  self->value = value;
}

GhloPjrtFuture *
ghlo_pjrt_future_ref (GhloPjrtFuture *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pjrt_future_unref (GhloPjrtFuture *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->value, ghlo_value_unref);
  g_clear_pointer (&self->fence, ghlo_fence_unref);
  g_free (self);
}

gboolean
ghlo_pjrt_future_is_ready (GhloPjrtFuture *self)
{
  return !self->is_unset || ghlo_fence_is_done (self->fence);
}

static gboolean
wait (GhloPjrtFuture  *self,
      GError         **error)
{
  if (!self->is_unset)
    return TRUE;
  ghlo_pjrt_queue_run_ready (self->fence);

  return ghlo_fence_wait (self->fence, NULL, error);
}

GhloValue *
ghlo_pjrt_future_get (GhloPjrtFuture  *self,
                      GError         **error)
{
  return wait (self, error) ? ghlo_value_ref (self->value) : NULL;
}

GhloValue *
ghlo_pjrt_future_take (GhloPjrtFuture  *self,
                       GError         **error)
{
  GhloValue *value = NULL;

  if (wait (self, error))
    value = g_atomic_ref_count_compare (&self->ref_count, 1) ? g_steal_pointer (&self->value)
                                                             : ghlo_value_ref (self->value);
  ghlo_pjrt_future_unref (self);

  return value;
}

gboolean
ghlo_pjrt_futures_are_ready (GhloPjrtFuture *const *futures,
                             gsize                  n)
{
  for (gsize i = 0; i < n; i++)
    if (futures[i] != NULL && !ghlo_pjrt_future_is_ready (futures[i]))
      return FALSE;

  return TRUE;
}

void
ghlo_pjrt_futures_add_dependency (GhloPjrtFuture *const *futures,
                                  gsize                  n,
                                  GhloPjrtQueue         *queue)
{
  for (gsize i = 0; i < n; i++)
    if (futures[i] != NULL && !ghlo_pjrt_future_is_ready (futures[i]))
      ghlo_pjrt_queue_add_dependency (queue, futures[i]->fence);
}

void
ghlo_pjrt_futures_clear (GhloPjrtFuture **futures,
                         gsize            n)
{
  for (gsize i = 0; i < n; i++)
    g_clear_pointer (&futures[i], ghlo_pjrt_future_unref);
}
