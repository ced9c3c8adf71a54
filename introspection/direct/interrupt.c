/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ctrl-C during a run. A handler is put before Python's own, which it calls, so that nothing changes for anybody but
 * that a pipe is written to, whose reader cancels the run. That takes two calls of the system; Python's own functions
 * take five times as many.
 */

#include "direct.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* Written by the main thread while the handler is not there. */
static struct
{
  int              descriptor;
  pid_t            process;       /* a child of a fork has the handler too, and the parent's pipe */
  struct sigaction before;        /* Python's; without a handler until it was found */
} interrupt;

static void
on_interrupt (int number)
{
  const int before = errno;
  const char byte = number;
  gssize written = 0;

  if (getpid () == interrupt.process)
    written = write (interrupt.descriptor, &byte, 1);
  /* A full pipe is one that its reader has yet to look at. */
  (void) written;
  errno = before;
  interrupt.before.sa_handler (number);
}

static gboolean
can_be_called (const struct sigaction *action)
{
  return (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN
         && action->sa_handler != on_interrupt;
}

gboolean
ghlo_direct_catch_interrupt (int   descriptor,
                             pid_t process)
{
  struct sigaction ours = interrupt.before, found;

  ours.sa_handler = on_interrupt;
  if (interrupt.before.sa_handler == NULL)
    sigaction (SIGINT, NULL, &found);
  else
    {
      interrupt.descriptor = descriptor;
      interrupt.process = process;
      sigaction (SIGINT, &ours, &found);
      if (found.sa_handler == interrupt.before.sa_handler)
        return TRUE;
      sigaction (SIGINT, &found, NULL);
    }
  if (can_be_called (&found))
    interrupt.before = found;

  return FALSE;
}

void
ghlo_direct_leave_interrupt (void)
{
  sigaction (SIGINT, &interrupt.before, NULL);
}
