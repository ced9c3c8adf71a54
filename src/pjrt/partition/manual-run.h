/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs the body of a manual computation at each position along its axes. Partitions that differ only along the other
 * axes do the same work; the one that is first along all of those stands for the others.
 */

#pragma once

#include "compiler/executable-core.h"
#include "pjrt/sharding/sharding.h"

G_BEGIN_DECLS

/* The source of a result of a process. */
typedef struct
{
  gboolean is_input;            /* the result is an argument of the body, unchanged */
  guint    index;               /* the index among the body's arguments or its program's outputs */
} GhloPjrtManualResult;

typedef struct
{
  GhloPjrtPositions     positions;      /* the positions along the manual axes, each of which has a process; the
                                           shardings below are by position too */
  GhloExecutableCore   *body;           /* owned, as are the fields below; NULL when there is nothing to run */
  guint                 n_taken;
  guint                *taken;          /* by input of the body's program: the index of the argument */
  guint                 n_arguments;
  GhloPjrtSharding    **arguments;
  guint                 n_results;
  GhloPjrtSharding    **results;
  GhloPjrtManualResult *sources;        /* by result */
} GhloPjrtManual;

void     ghlo_pjrt_manual_free (GhloPjrtManual            *self);
/* A GhloCustomCallFunc; @data is a GhloPjrtManual. */
gboolean ghlo_pjrt_manual_run  (gpointer                   data,
                                const GhloCustomCallFrame *frame,
                                GError                   **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GhloPjrtManual, ghlo_pjrt_manual_free)

G_END_DECLS
