/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running the body of a manual computation at each position along its axes. The partition that is there, and first
 * along all other axes, stands for those that differ from it along these, for which what it does is the same.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* Where a process's results come from. */
typedef struct
{
  gboolean is_input;            /* an argument of the body, as it is */
  guint    index;               /* of the body's arguments, or of its program's outputs */
} GhloPjrtManualResult;

typedef struct
{
  GhloPjrtPositions     positions;      /* along its axes, each with a process; then their shardings count these */
  GhloExecutableCore   *body;           /* owned, as all of the next; NULL where there is nothing to run */
  guint                 n_taken;
  guint                *taken;          /* by input of the body's program: which of the arguments it is */
  guint                 n_arguments;
  GhloPjrtSharding    **arguments;
  guint                 n_results;
  GhloPjrtSharding    **results;
  GhloPjrtManualResult *sources;        /* by result */
} GhloPjrtManual;

void     ghlo_pjrt_manual_free (GhloPjrtManual            *self);
/* A GhloCustomCallFunc, of a GhloPjrtManual. */
gboolean ghlo_pjrt_manual_run  (gpointer                   data,
                                const GhloCustomCallFrame *frame,
                                GError                   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtManual, ghlo_pjrt_manual_free)

G_END_DECLS
