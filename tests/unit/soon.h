/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Limits of time. What else runs on the machine may hold an attempt up, while what the library waits for in vain, or
 * does too much of, holds up each of them: so the fastest of some attempts has to keep the limit. tests/bindings have
 * the same in their languages.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum { SOON_ATTEMPTS = 5 };

/* The µs of the fastest attempt, each of which returns its own; no further one is made once one is below @limit. */
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
  g_assert_cmpint (soon_fastest (attempt, data, limit), <, limit);
}

G_END_DECLS
