/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The custom call that replaces a computation which each partition does by itself. The computation is described by
 * the program, as a manual computation (manual.h), or by a partitioner of the application (partitioners.h).
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/partition/manual-run.h"

G_BEGIN_DECLS

/* Returns the replacement of @op, still without a body, positions and shardings. */
GhloPjrtManual *ghlo_pjrt_manual_new     (const GhloIrOp            *op);
/* Compiles @module as the body, with the options of @request. Sets UNSUPPORTED when the body does something that a
 * partition cannot do by itself. */
gboolean        ghlo_pjrt_manual_compile (GhloPjrtManual            *self,
                                          const GhloCompileRequest  *request,
                                          GhloIrModule              *module,
                                          GError                   **error);
/* Replaces @op by a custom call of the target @name, which is added to @request's targets. Takes over @self and
 * frees @op. */
void            ghlo_pjrt_manual_replace_op (GhloPjrtManual            *self,
                                             GhloCompileRequest        *request,
                                             GhloIrOp                  *op,
                                             const char                *name);

G_END_DECLS
