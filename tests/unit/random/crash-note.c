/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The note is printed by the handler of the signals that end a test, and when a sanitizer ends it.
 */

#include "crash-note.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../sanitized.h"

#if SANITIZED
void __sanitizer_set_death_callback (void (*callback) (void));
#endif

static char current[64];

static void
print_note (void)
{
  gssize written = write (STDERR_FILENO, current, strlen (current));

  (void) written;
}

static void
on_crash (int number)
{
  print_note ();
  signal (number, SIG_DFL);
  raise (number);
}

void
crash_note (const char *what,
            guint       seed)
{
  static const int signals[] = { SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGTRAP, SIGTERM, SIGALRM };

  if (current[0] == '\0')
    {
#if SANITIZED
      __sanitizer_set_death_callback (print_note);
#endif
      for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
        signal (signals[i], on_crash);
    }
  g_snprintf (current, sizeof current, "# %s %u\n", what, seed);
}
