/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The content of a buffer: a value, or the promise of one, which a queued execution keeps when it has run. Promises
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
  gboolean         is_late;     /* the value is only set when fence ends, and never if that ends with an error */
  GhloValue       *value;       /* owned; nullable; of a late promise, set before fence ends */
} GhloPjrtPromise;

/* Takes over the reference to @value, which may itself still be pending. */
GhloPjrtPromise *ghlo_pjrt_promise_new_value (GhloValue        *value);
/* Creates a promise that is to be kept before @fence ends successfully. */
GhloPjrtPromise *ghlo_pjrt_promise_new_late  (GhloFence        *fence);
/* Keeps the promise. Called by the owner of the pending work before it ends. Takes over the reference to @value. */
void             ghlo_pjrt_promise_keep      (GhloPjrtPromise  *self,
                                              GhloValue        *value);
GhloPjrtPromise *ghlo_pjrt_promise_ref       (GhloPjrtPromise  *self);
void             ghlo_pjrt_promise_unref     (GhloPjrtPromise  *self);

/* Whether ghlo_pjrt_promise_get () would return without waiting. */
gboolean         ghlo_pjrt_promise_is_ready  (GhloPjrtPromise  *self);
/* Waits for a late value and returns a reference to it. The value may still have to be written, where the device
 * orders its work by itself. Returns NULL with @error set when the pending work failed. */
GhloValue       *ghlo_pjrt_promise_get       (GhloPjrtPromise  *self,
                                              GError          **error);
/* The same, but takes over the caller's reference to the promise, so that the caller may become the sole owner of
 * the value. */
GhloValue       *ghlo_pjrt_promise_take      (GhloPjrtPromise  *self,
                                              GError          **error);

/* For @n promises, each nullable: whether all are ready; have @queue look again when the pending ones end; release
 * the references. */
gboolean         ghlo_pjrt_promises_are_ready (GhloPjrtPromise *const *promises,
                                               gsize                   n);
void             ghlo_pjrt_promises_expect    (GhloPjrtPromise *const *promises,
                                               gsize                   n,
                                               GhloPjrtQueue          *queue);
void             ghlo_pjrt_promises_clear     (GhloPjrtPromise       **promises,
                                               gsize                   n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtPromise, ghlo_pjrt_promise_unref)

G_END_DECLS
