/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The recent behaviour of callers, one bit for each execution.
 */

#include "client/wait-history.h"

/* The number of executions in a row that must have been waited for before the next one is expected to be, and the
 * number of executions that are remembered. */
enum { MIN_STREAK = 4, N_KNOWN = 64 };

static guint64
bit_of (guint number)
{
  return G_GUINT64_CONSTANT (1) << (number % N_KNOWN);
}

guint
ghlo_wait_history_begin (GhloWaitHistory *history,
                         GhloWaitStreak  *streak,
                         gboolean        *is_awaited)
{
  guint number;

  g_mutex_lock (&history->lock);
  if (streak->last != 0 && history->last - streak->last < N_KNOWN)
    streak->n_awaited = (history->awaited & bit_of (streak->last)) != 0 ? MIN (streak->n_awaited + 1, MIN_STREAK) : 0;
  history->last++;
  if (history->last == 0)
    history->last++;
  history->awaited &= ~bit_of (history->last);
  number = streak->last = history->last;
  *is_awaited = streak->n_awaited == MIN_STREAK;
  g_mutex_unlock (&history->lock);

  return number;
}

void
ghlo_wait_history_wait (GhloWaitHistory *history,
                        guint            number)
{
  g_mutex_lock (&history->lock);
  if (number != 0 && number == history->last)
    history->awaited |= bit_of (number);
  g_mutex_unlock (&history->lock);
}
