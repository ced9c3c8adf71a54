/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tracks whether callers wait for a program's execution before they begin the next one. Such callers gain nothing
 * from executions that continue after the call returns, and pay for two threads waking each other, which takes longer
 * than many runs.
 *
 * These functions may be called from any thread. Several threads that call at once may be mistaken for one caller
 * that does not wait.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The last executions of all programs. Initialize with zeros. */
typedef struct
{
  GMutex  lock;         /* guards the fields below, and the streaks of all programs */
  guint   last;         /* the number of the last execution */
  guint64 awaited;      /* for the last 64 executions, by number: whether somebody waited for it before the next one
                           began */
} GhloWaitHistory;

/* How one program is used. Initialize with zeros. */
typedef struct
{
  guint last;           /* the number of the program's last execution */
  guint n_awaited;      /* executions in a row, before that one, that were waited for; saturates at the threshold */
} GhloWaitStreak;

/* Returns the number of an execution that begins, which is never 0. *is_awaited: whether the caller is expected to
 * wait for it, as it did for the program's last executions. */
guint ghlo_wait_history_begin (GhloWaitHistory *history,
                               GhloWaitStreak  *streak,
                               gboolean        *is_awaited);
/* Records that somebody waits for the results of the execution with @number; 0 is ignored. */
void  ghlo_wait_history_wait  (GhloWaitHistory *history,
                               guint            number);

G_END_DECLS
