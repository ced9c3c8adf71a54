/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The threads that make machine code. They are started when there is work and end when there is none: a few
 * background threads with a lower priority than all others of the library, which leave the first run alone
 * (runtime/background.h), and up to one thread per processor for code that somebody waits for. At exit, tasks that have
 * not started are dropped. Those that are executing LLVM are awaited for at most half a minute, since LLVM's own
 * destructors run then. In a forked child no task is started.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A task; embedded as the first member of the structure that it works on. */
typedef struct _GhloCodeTask      GhloCodeTask;
typedef struct _GhloCodeQueueLane GhloCodeQueueLane;

struct _GhloCodeTask
{
  void             (*run) (GhloCodeTask *self);
  GList              link;      /* link and lane belong to the queue */
  GhloCodeQueueLane *lane;      /* the lane that the task waits in; NULL where it is not queued */
};

/* Has to be called before any other function here. */
void     ghlo_code_queue_init       (void);
/* Whether this is a child, by fork (), of the process that called ghlo_code_queue_init (). Locks may be held there by
 * threads that the child does not have. */
gboolean ghlo_code_queue_is_forked  (void);
/* Returns FALSE with DEVICE in such a child. */
gboolean ghlo_code_queue_check      (GError       **error);
/* Has a thread call @task's run (). Tasks start in the order in which they are pushed. DEVICE where no thread can be
 * started. */
gboolean ghlo_code_queue_push       (GhloCodeTask  *task,
                                     GError       **error);
/* Called when somebody waits for @task. A task that has not started moves to a thread of the caller's own priority. A
 * thread that waits for long has to call this repeatedly, since only threads of that priority can start others. */
void     ghlo_code_queue_prioritize (GhloCodeTask  *task);
/* Takes @task out of the queue; FALSE when it has started already. */
gboolean ghlo_code_queue_remove     (GhloCodeTask  *task);

G_END_DECLS
