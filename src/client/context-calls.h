/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the application that belong to a main context, called on behalf of work on other threads. The thread
 * of the context calls them from its main loop, or while it waits in one of the library's calls for that very work.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef gboolean (*GhloContextFunc) (gpointer  data,
                                     GError  **error);

/* Calls @func in @context and waits for it to return. Calls it directly when the caller's thread is @owner
 * (nullable, the thread that @context is known to belong to) or owns @context. Returns FALSE with CANCELLED set,
 * without calling @func, when @cancellable (nullable) is cancelled before it is called. */
gboolean ghlo_context_call   (GMainContext     *context,
                              GThread          *owner,
                              GhloContextFunc   func,
                              gpointer          data,
                              GCancellable     *cancellable,
                              GError          **error);

/* Waits until @is_over (@data) returns TRUE, and meanwhile runs the calls that are meant for this thread. @is_over
 * must be quick: it is called with a lock held. */
void     ghlo_context_serve  (gboolean        (*is_over) (gpointer data),
                              gpointer          data);
/* Makes all waiting threads check their conditions again. */
void     ghlo_context_wake   (void);

G_END_DECLS
