/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A grid of processes, for the files that implement it: one lock and one condition variable for all of its threads. A
 * waiting thread counts as blocked until the thread that wakes it decrements the count. The count therefore reaches the
 * number of threads exactly when all of them are deadlocked.
 */

#pragma once

#include "reference/process/process.h"

G_BEGIN_DECLS

/* A waiting thread. Lives on that thread's stack; guarded by the grid's lock. */
typedef struct
{
  gboolean   ready;
  gboolean   blocked;           /* counted in n_blocked */
  GhloValue *message;           /* owned; the message that a sender handed over */
} GhloRefWaiter;

struct _GhloRefGrid
{
  guint             n_replicas, n_partitions;
  GhloRefGrid      *parent;          /* the grid whose process runs this one; borrowed */
  int               failed;          /* atomic */
  GMutex            lock;            /* guards the fields below */
  GCond             changed;
  gboolean          is_deadlocked;
  guint             n_threads, n_blocked;
  GPtrArray        *works;           /* of Work, with references: threads that are not joined yet */
  GError           *error;           /* the first failure of a future, or NULL */
  GHashTable       *rendezvous;      /* of key → Rendezvous, owned; NULL before the first */
  GHashTable       *visits;          /* of process and place → number of visits; NULL before the first */
  GHashTable       *channels;        /* of name → Channel, owned; NULL before the first */
  const GhloIrAttr *infeed;
  guint             n_taken;         /* number of infeed functions taken so far */
};

/* Stops the grid when every thread is blocked, unless a failure has stopped it already. Called with the lock held, like
 * the next two. */
void     ghlo_ref_grid_check_deadlock (GhloRefGrid    *self);
/* Wakes the thread of @waiter. */
void     ghlo_ref_grid_wake           (GhloRefGrid    *self,
                                       GhloRefWaiter  *waiter);
/* Waits until @waiter is ready. FALSE with @error set when the run is to stop; FALSE without an error in a deadlock. */
gboolean ghlo_ref_process_wait_for    (GhloRefProcess *self,
                                       GhloRefWaiter  *waiter,
                                       GError        **error);

G_END_DECLS
