/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Values, and promises of them.
 */

#include "pjrt/future.h"

#include "base/ghlo-error.h"
#include "base/new.h"
#include "runtime/place.h"

GhloPjrtPromise *
ghlo_pjrt_promise_new_value (GhloValue *value)
{
  GhloPjrtPromise *self = ghlo_new0 (GhloPjrtPromise);
  GhloFence *fence = ghlo_value_get_fence (value);

  g_atomic_ref_count_init (&self->ref_count);
  self->fence = fence != NULL ? ghlo_fence_ref (fence) : NULL;
  self->value = value;

  return self;
}

GhloPjrtPromise *
ghlo_pjrt_promise_new_late (GhloFence *fence)
{
  GhloPjrtPromise *self = ghlo_new0 (GhloPjrtPromise);

  g_atomic_ref_count_init (&self->ref_count);
  self->fence = ghlo_fence_ref (fence);
  self->is_late = TRUE;

  return self;
}

void
ghlo_pjrt_promise_keep (GhloPjrtPromise *self,
                        GhloValue       *value)
{
  self->value = value;
}

GhloPjrtPromise *
ghlo_pjrt_promise_ref (GhloPjrtPromise *self)
{
  g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
ghlo_pjrt_promise_unref (GhloPjrtPromise *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_clear_pointer (&self->value, ghlo_value_unref);
  g_clear_pointer (&self->fence, ghlo_fence_unref);
  g_free (self);
}

gboolean
ghlo_pjrt_promise_is_ready (GhloPjrtPromise *self)
{
  return !self->is_late || ghlo_fence_is_done (self->fence);
}

static gboolean
wait (GhloPjrtPromise  *self,
      GError          **error)
{
  if (!self->is_late)
    return TRUE;
  ghlo_pjrt_queue_help (self->fence);

  return ghlo_fence_wait (self->fence, NULL, error);
}

GhloValue *
ghlo_pjrt_promise_get (GhloPjrtPromise  *self,
                       GError          **error)
{
  return wait (self, error) ? ghlo_value_ref (self->value) : NULL;
}

GhloValue *
ghlo_pjrt_promise_take (GhloPjrtPromise  *self,
                        GError          **error)
{
  GhloValue *value = NULL;

  if (wait (self, error))
    value = g_atomic_ref_count_compare (&self->ref_count, 1) ? g_steal_pointer (&self->value)
                                                             : ghlo_value_ref (self->value);
  ghlo_pjrt_promise_unref (self);

  return value;
}

gboolean
ghlo_pjrt_promises_are_ready (GhloPjrtPromise *const *promises,
                              gsize                   n)
{
  for (gsize i = 0; i < n; i++)
    if (promises[i] != NULL && !ghlo_pjrt_promise_is_ready (promises[i]))
      return FALSE;

  return TRUE;
}

void
ghlo_pjrt_promises_expect (GhloPjrtPromise *const *promises,
                           gsize                   n,
                           GhloPjrtQueue          *queue)
{
  for (gsize i = 0; i < n; i++)
    if (promises[i] != NULL && !ghlo_pjrt_promise_is_ready (promises[i]))
      ghlo_pjrt_queue_expect (queue, promises[i]->fence);
}

void
ghlo_pjrt_promises_clear (GhloPjrtPromise **promises,
                          gsize             n)
{
  for (gsize i = 0; i < n; i++)
    g_clear_pointer (&promises[i], ghlo_pjrt_promise_unref);
}
