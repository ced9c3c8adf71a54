/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of the application that belong to a main context, for work on other threads: the thread of the context
 * calls them, from its loop, or while it waits in a call of ours for that very work.
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef gboolean (*GhloContextFunc) (gpointer  data,
                                     GError  **error);

/* Calls @func in @context, and waits for it: at once where @owner (nullable), the thread that @context is known to
 * belong to, or the thread that has acquired it is the caller's. FALSE with CANCELLED, and @func is not called, when
 * @cancellable (nullable) is cancelled before its turn. */
gboolean ghlo_context_call   (GMainContext     *context,
                              GThread          *owner,
                              GhloContextFunc   func,
                              gpointer          data,
                              GCancellable     *cancellable,
                              GError          **error);

/* Waits until @is_over (@data), which takes no time and is called with a lock held, and calls meanwhile what is to
 * be called on this thread. */
void     ghlo_context_serve  (gboolean        (*is_over) (gpointer data),
                              gpointer          data);
/* Has those who wait look again. */
void     ghlo_context_wake   (void);

G_END_DECLS
