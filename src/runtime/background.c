/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The time at which work may begin, for the whole process.
 */

#include "runtime/background.h"

/* In µs. */
enum { PATIENCE = 1000000 };

static struct
{
  GMutex lock;
  GCond  released;
  gint64 begins;    /* g_get_monotonic_time (); 0: at once; written with the lock held; atomic */
} background;

void
ghlo_background_hold (void)
{
  g_mutex_lock (&background.lock);
  __atomic_store_n (&background.begins, g_get_monotonic_time () + PATIENCE, __ATOMIC_RELAXED);
  g_mutex_unlock (&background.lock);
}

/* A forked child has no thread that waits, and the lock may be held there by one that it does not have. */
void
ghlo_background_release (void)
{
  if (G_LIKELY (__atomic_load_n (&background.begins, __ATOMIC_RELAXED) == 0) || !g_mutex_trylock (&background.lock))
    return;
  __atomic_store_n (&background.begins, 0, __ATOMIC_RELAXED);
  g_cond_broadcast (&background.released);
  g_mutex_unlock (&background.lock);
}

void
ghlo_background_await (void)
{
  g_mutex_lock (&background.lock);
  while (background.begins > g_get_monotonic_time ())
    g_cond_wait_until (&background.released, &background.lock, background.begins);
  g_mutex_unlock (&background.lock);
}
