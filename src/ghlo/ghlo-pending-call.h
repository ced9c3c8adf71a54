/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An asynchronous call that is answered by a signal.
 */

#pragma once

#if !defined (GHLO_INSIDE) && !defined (GHLO_COMPILATION)
#error "Only <ghlo/ghlo.h> can be included directly."
#endif

#include <gio/gio.h>

#include "ghlo-version-macros.h"

G_BEGIN_DECLS

#define GHLO_TYPE_PENDING_CALL (ghlo_pending_call_get_type ())

GHLO_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (GhloPendingCall, ghlo_pending_call, GHLO, PENDING_CALL, GCancellable)

GHLO_AVAILABLE_IN_1_0
GhloPendingCall *ghlo_pending_call_new (void) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
