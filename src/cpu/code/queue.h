/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The threads that make machine code, made when there is something to do and gone when there is not: few in the
 * background, nicer than all others of the library, and as many as there are processors for what somebody waits for.
 * At exit what has not begun is dropped, and what is inside of LLVM, whose own destructors run then, is waited for,
 * half a minute at most. In a child of the process nothing begins.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Part of what it is about. */
typedef struct _GhloCodeTask GhloCodeTask;
typedef struct _GhloCodeLine GhloCodeLine;

struct _GhloCodeTask
{
  void        (*run) (GhloCodeTask *self);
  GList         link;           /* these two are the queue's */
  GhloCodeLine *line;           /* that it stands in; NULL where it is not queued */
};

/* Before anything else here. */
void     ghlo_code_queue_init      (void);
/* In a child of the process that called the above: locks may be held by threads that it does not have. */
gboolean ghlo_code_queue_is_forked (void);
/* Has a thread call @task's run, in the order of the calls. DEVICE where there is no thread for it. */
gboolean ghlo_code_queue_push      (GhloCodeTask  *task,
                                    GError       **error);
/* Somebody waits for it: where it has not begun, a thread of the caller's own priority takes it. Whoever waits for long
 * calls this from time to time, since only threads of that priority can start others. */
void     ghlo_code_queue_hurry     (GhloCodeTask  *task);
/* FALSE when it has begun. */
gboolean ghlo_code_queue_remove    (GhloCodeTask  *task);

G_END_DECLS
