/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Contexts of executions: objects of the caller's, by their types, for handlers that a program calls (ffi/ffi.h). One
 * may be that of several executions at the same time. Each keeps it until it has ended, but objects stay the caller's.
 */

#pragma once

#include "pjrt/abi.h"

G_BEGIN_DECLS

PJRT_ExecuteContext *ghlo_pjrt_context_ref   (PJRT_ExecuteContext        *self);
void                 ghlo_pjrt_context_unref (PJRT_ExecuteContext        *self);
/* Of the options of an execution (nullable), with a reference; NULL where they have none. */
PJRT_ExecuteContext *ghlo_pjrt_context_of    (const PJRT_ExecuteOptions  *options);

/* FALSE where there is an object of that type already. */
gboolean             ghlo_pjrt_context_add   (PJRT_ExecuteContext        *self,
                                              gint64                      type,
                                              gpointer                    object);
/* FALSE where @self (nullable) has none of that type. */
gboolean             ghlo_pjrt_context_find  (PJRT_ExecuteContext        *self,
                                              gint64                      type,
                                              gpointer                   *object);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PJRT_ExecuteContext, ghlo_pjrt_context_unref)

void                 ghlo_pjrt_context_add_functions (PJRT_Api           *api);

G_END_DECLS
