/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The note is printed by the handler of the signals that end a test.
 */

#include "crash-note.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char current[64];

static void
on_crash (int number)
{
  gssize written = write (STDERR_FILENO, current, strlen (current));

  (void) written;
  signal (number, SIG_DFL);
  raise (number);
}

void
crash_note (const char *what,
            guint       seed)
{
  static const int signals[] = { SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGTRAP, SIGTERM };

  if (current[0] == '\0')
    for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
      signal (signals[i], on_crash);
  g_snprintf (current, sizeof current, "# %s %u\n", what, seed);
}
