/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Execution contexts: objects of the caller, by type, for the handlers that a program calls (ffi/ffi.h). Several
 * executions may use one context at the same time. Each holds a reference until it has ended; the objects remain
 * owned by the caller.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

PJRT_ExecuteContext *ghlo_pjrt_context_ref   (PJRT_ExecuteContext        *self);
void                 ghlo_pjrt_context_unref (PJRT_ExecuteContext        *self);
/* Returns a reference to the context in the options of an execution (nullable), or NULL when they have none. */
PJRT_ExecuteContext *ghlo_pjrt_context_of    (const PJRT_ExecuteOptions  *options);

/* Returns FALSE when there is already an object of that type. */
gboolean             ghlo_pjrt_context_add   (PJRT_ExecuteContext        *self,
                                              gint64                      type,
                                              gpointer                    object);
/* Returns FALSE when @self (nullable) has no object of that type. */
gboolean             ghlo_pjrt_context_find  (PJRT_ExecuteContext        *self,
                                              gint64                      type,
                                              gpointer                   *object);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PJRT_ExecuteContext, ghlo_pjrt_context_unref)

void                 ghlo_pjrt_context_add_functions (PJRT_Api           *api);

G_END_DECLS
