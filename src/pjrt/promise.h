/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a buffer holds: a value, or the promise of one, which an execution in a queue keeps when it has run. Counted
 * atomically, by buffers and by those that are to read the value; whoever has the last reference has the value for
 * itself.
 */

#pragma once

#include "pjrt/queue.h"
#include "runtime/value.h"

G_BEGIN_DECLS

typedef struct
{
  gatomicrefcount  ref_count;
  GhloPending     *pending;     /* owned; the end of what writes the value; NULL: it is written */
  gboolean         is_late;     /* there is no value before that end, nor after it where it is a failure */
  GhloValue       *value;       /* owned; nullable; where it is late set before the end */
} GhloPjrtPromise;

/* Takes over the reference to @value, which may have something pending itself. */
GhloPjrtPromise *ghlo_pjrt_promise_new_value (GhloValue        *value);
/* Kept, or not, before @pending ends. */
GhloPjrtPromise *ghlo_pjrt_promise_new_late  (GhloPending      *pending);
/* Takes over the reference to @value. For who ends what is pending, before. */
void             ghlo_pjrt_promise_keep      (GhloPjrtPromise  *self,
                                              GhloValue        *value);
GhloPjrtPromise *ghlo_pjrt_promise_ref       (GhloPjrtPromise  *self);
void             ghlo_pjrt_promise_unref     (GhloPjrtPromise  *self);

/* Whether there is nothing to wait for before the next. */
gboolean         ghlo_pjrt_promise_is_ready  (GhloPjrtPromise  *self);
/* A reference to the value, which may yet have to be written where the device does that in its order; NULL with what
 * went wrong. Waits for a late one. */
GhloValue       *ghlo_pjrt_promise_get       (GhloPjrtPromise  *self,
                                              GError          **error);
/* The same for the caller's reference to the promise, so that the value may be the caller's alone. */
GhloValue       *ghlo_pjrt_promise_take      (GhloPjrtPromise  *self,
                                              GError          **error);

/* Of @n promises, NULL among them: whether there is nothing to wait for; has @queue look again when what there is to
 * wait for ends; and gives up the references. */
gboolean         ghlo_pjrt_promises_are_ready (GhloPjrtPromise *const *promises,
                                               gsize                   n);
void             ghlo_pjrt_promises_expect    (GhloPjrtPromise *const *promises,
                                               gsize                   n,
                                               GhloPjrtQueue          *queue);
void             ghlo_pjrt_promises_clear     (GhloPjrtPromise       **promises,
                                               gsize                   n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtPromise, ghlo_pjrt_promise_unref)

G_END_DECLS
