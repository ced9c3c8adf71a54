/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether callers wait for a program's execution before they begin the next one. Who does gains nothing from executions
 * that go on after their call, and waits for two threads to wake each other, which takes longer than many a run.
 *
 * Any thread may call these. Several that call at once may be taken for one that does not wait.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The last executions of all programs; begins as zeros. */
typedef struct
{
  GMutex  lock;         /* guards what follows, and the programs' own */
  guint   last;         /* the number of the last one */
  guint64 awaited;      /* by number, of the last 64: whether somebody waited before the next one began */
} GhloWaitHistory;

/* How one program is used; begins as zeros. */
typedef struct
{
  guint last;           /* the number of its last execution */
  guint n_awaited;      /* in a row, before that one; no more than are counted */
} GhloWaitStreak;

/* The number of an execution that begins, not 0. *is_awaited: it will be waited for, as the program's last ones. */
guint ghlo_wait_history_begin (GhloWaitHistory *history,
                               GhloWaitStreak  *streak,
                               gboolean        *is_awaited);
/* Somebody waits for what the execution with @number gives; 0 is none. */
void  ghlo_wait_history_wait  (GhloWaitHistory *history,
                               guint            number);

G_END_DECLS
