/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ctrl-C during a run. A signal handler writes to a pipe, whose reader cancels the run, and then calls Python's own
 * handler, so that nothing else changes. Installing and removing the handler takes two system calls; Python's own
 * functions take five times as many.
 */

#include "direct.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* Written by the main thread only while the handler is not installed. */
static struct
{
  int              descriptor;
  pid_t            process;       /* a forked child inherits the handler and the pipe, but must not write */
  struct sigaction before;        /* Python's action; its handler is NULL until found */
} interrupt;

static void
on_interrupt (int number)
{
  const int before = errno;
  const char byte = number;
  gssize written = 0;

  if (getpid () == interrupt.process)
    written = write (interrupt.descriptor, &byte, 1);
  /* If the pipe is full, the reader has yet to wake up for what is in it. */
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
