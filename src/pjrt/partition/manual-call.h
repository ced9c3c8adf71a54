/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom call that takes the place of what partitions do by themselves, whoever says what that is: the program, in
 * a manual computation (manual.h), or a partitioner of the application's (partitioners.h).
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/partition/manual-run.h"

G_BEGIN_DECLS

/* What takes @op's place, without body, positions and shardings yet. */
GhloPjrtManual *ghlo_pjrt_manual_new     (const GhloIrOp            *op);
/* Compiles @module as the body, as @request asks for. UNSUPPORTED where it does what no partition can do by itself. */
gboolean        ghlo_pjrt_manual_compile (GhloPjrtManual            *self,
                                          const GhloCompileRequest  *request,
                                          GhloIrModule              *module,
                                          GError                   **error);
/* Takes @self, and puts a call of target @name, which @request's targets get, in the place of @op, which goes. */
void            ghlo_pjrt_manual_put     (GhloPjrtManual            *self,
                                          GhloCompileRequest        *request,
                                          GhloIrOp                  *op,
                                          const char                *name);

G_END_DECLS
