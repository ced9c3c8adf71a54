/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Habits of callers, by what they did lately.
 */

#include "client/habit.h"

/* Executions in a row that were waited for, from which the next one will be; and how many back are known. */
enum { HABIT = 4, N_KNOWN = 64 };

static guint64
bit_of (guint number)
{
  return G_GUINT64_CONSTANT (1) << (number % N_KNOWN);
}

guint
ghlo_habit_begin (GhloHabits *habits,
                  GhloHabit  *habit,
                  gboolean   *is_awaited)
{
  guint number;

  g_mutex_lock (&habits->lock);
  if (habit->last != 0 && habits->last - habit->last < N_KNOWN)
    habit->n_awaited = (habits->awaited & bit_of (habit->last)) != 0 ? MIN (habit->n_awaited + 1, HABIT) : 0;
  habits->last++;
  if (habits->last == 0)
    habits->last++;
  habits->awaited &= ~bit_of (habits->last);
  number = habit->last = habits->last;
  *is_awaited = habit->n_awaited == HABIT;
  g_mutex_unlock (&habits->lock);

  return number;
}

void
ghlo_habit_wait (GhloHabits *habits,
                 guint       number)
{
  g_mutex_lock (&habits->lock);
  if (number != 0 && number == habits->last)
    habits->awaited |= bit_of (number);
  g_mutex_unlock (&habits->lock);
}
