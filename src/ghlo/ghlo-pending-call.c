/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Pending calls: a cancellable that emits a signal instead of a callback.
 */

#include "ghlo-call-private.h"

/**
 * GhloPendingCall:
 *
 * An asynchronous call that is answered by a signal.
 *
 * When passed as the cancellable to an asynchronous function of the library without a
 * callback, it emits [signal@Ghlo.PendingCall::answered] where the callback would have been
 * called. With a callback it is an ordinary cancellable.
 *
 * This is for language bindings, some of which leak memory for each function that is passed
 * as a callback but not for signal handlers. Use one object for one call.
 *
 * Since: 1.0
 */
struct _GhloPendingCall
{
  GCancellable parent_instance;
};

G_DEFINE_FINAL_TYPE (GhloPendingCall, ghlo_pending_call, G_TYPE_CANCELLABLE)

static guint answered;

static void
ghlo_pending_call_class_init (GhloPendingCallClass *klass)
{
  /**
   * GhloPendingCall::answered:
   * @self: the call
   * @result: the result to pass to the corresponding `_finish` function
   *
   * Emitted once, when the call has finished, in the thread-default main context of the
   * caller, and never before the asynchronous function has returned.
   *
   * Since: 1.0
   */
  answered = g_signal_new ("answered", GHLO_TYPE_PENDING_CALL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                           G_TYPE_ASYNC_RESULT);
}

static void
ghlo_pending_call_init (GhloPendingCall *self)
{
}

/**
 * ghlo_pending_call_new:
 *
 * Creates a pending call, to be passed as the cancellable of an asynchronous
 * function.
 *
 * Returns: (transfer full): a new pending call
 *
 * Since: 1.0
 */
GhloPendingCall *
ghlo_pending_call_new (void)
{
  return g_object_new (GHLO_TYPE_PENDING_CALL, NULL);
}

void
ghlo_pending_call_answer (GObject      *source_object,
                          GAsyncResult *result,
                          gpointer      call)
{
  g_signal_emit (call, answered, 0, result);
}
