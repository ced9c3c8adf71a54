/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The content of a buffer: a value, or a future of one, which a queued execution sets when it has run. Futures
 * are atomically reference-counted, by buffers and by future readers of the value; the holder of the last reference
 * owns the value exclusively.
 */

#pragma once

#include "pjrt/queue.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount  ref_count;
  GhloFence       *fence;     /* owned; ends when the value is written; NULL: it is written already */
  gboolean         is_unset;     /* the value is only set when fence ends, and never if that ends with an error */
  GhloValue       *value;       /* owned; nullable; of a unset future, set before fence ends */
} GhloPjrtFuture;

/* Takes over the reference to @value, which may itself still be pending. */
GhloPjrtFuture *ghlo_pjrt_future_new_value (GhloValue      *value);
/* Creates a future that is to be set before @fence ends successfully. */
GhloPjrtFuture *ghlo_pjrt_future_new_unset (GhloFence      *fence);
/* Sets the value. Called by the owner of the pending work before it ends. Takes over the reference to @value. */
void            ghlo_pjrt_future_set       (GhloPjrtFuture *self,
                                            GhloValue      *value);
GhloPjrtFuture *ghlo_pjrt_future_ref       (GhloPjrtFuture *self);
void            ghlo_pjrt_future_unref     (GhloPjrtFuture *self);

/* Whether ghlo_pjrt_future_get () would return without waiting. */
gboolean   ghlo_pjrt_future_is_ready (GhloPjrtFuture  *self);
/* Waits until the value is set and returns a reference to it. The value may still have to be written, where the device
 * orders its work by itself. Returns NULL with @error set when the pending work failed. */
GhloValue *ghlo_pjrt_future_get      (GhloPjrtFuture  *self,
                                      GError         **error);
/* The same, but takes over the caller's reference to the future, so that the caller may become the sole owner of
 * the value. */
GhloValue *ghlo_pjrt_future_take     (GhloPjrtFuture  *self,
                                      GError         **error);

/* For @n futures, each nullable: whether all are ready; have @queue look again when the pending ones end; release
 * the references. */
gboolean ghlo_pjrt_futures_are_ready      (GhloPjrtFuture *const  *futures,
                                           gsize                   n);
void     ghlo_pjrt_futures_add_dependency (GhloPjrtFuture *const  *futures,
                                           gsize                   n,
                                           GhloPjrtQueue          *queue);
void     ghlo_pjrt_futures_clear          (GhloPjrtFuture        **futures,
                                           gsize                   n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtFuture, ghlo_pjrt_future_unref)

G_END_DECLS
