/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Time limits. Other load on the machine may delay one attempt, whereas a needless wait or excess work in the library
 * delays every attempt: so only the fastest of several attempts has to keep the limit. tests/bindings have the same in
 * their languages. Where GHLO_TEST_SLOW is set, as where a build counts what it executes, limits are SOON_SLOW times
 * as long.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum { SOON_ATTEMPTS = 5, SOON_SLOW = 50 };

/* The time in µs of the fastest attempt, each of which returns its own; stops after the first one below @limit. */
static inline gint64
soon_fastest (gint64   (*attempt) (gpointer data),
              gpointer   data,
              gint64     limit)
{
  gint64 fastest = G_MAXINT64;

  for (guint i = 0; i < SOON_ATTEMPTS && fastest >= limit; i++)
    fastest = MIN (fastest, attempt (data));

  return fastest;
}

static inline void
soon_assert (gint64   (*attempt) (gpointer data),
             gpointer   data,
             gint64     limit)
{
  if (g_getenv ("GHLO_TEST_SLOW") != NULL)
    limit *= SOON_SLOW;
  g_assert_cmpint (soon_fastest (attempt, data, limit), <, limit);
}

G_END_DECLS
