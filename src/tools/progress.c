/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A progress bar on standard error, shown only on a terminal and only for work that
 * has already taken half a second.
 */

#include "tools/tool.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 30, DELAY = 500000, INTERVAL = 100000 };

static void
show (gpointer    data,
      double      fraction,
      const char *detail)
{
  GhloToolProgress *self = data;
  gint64 now = g_get_monotonic_time ();
  char bar[BAR_WIDTH + 1];
  int filled = (int) (CLAMP (fraction, 0.0, 1.0) * BAR_WIDTH);

  if (now - self->started < DELAY || now - self->last_shown < INTERVAL)
    return;
  self->last_shown = now;
  self->shown = TRUE;
  for (int i = 0; i < BAR_WIDTH; i++)
    bar[i] = i < filled ? '#' : '.';
  bar[BAR_WIDTH] = '\0';
  fprintf (stderr, "\r\033[K%s [%s] %3.0f %% %s", self->label, bar, CLAMP (fraction, 0.0, 1.0) * 100,
           detail != NULL ? detail : "");
  fflush (stderr);
}

void
ghlo_tool_progress_init (GhloToolProgress *self,
                         const char       *label)
{
  *self = (GhloToolProgress) { .label = label, .started = g_get_monotonic_time () };
  self->enabled = isatty (STDERR_FILENO);
  if (self->enabled)
    self->monitor = (GhloMonitor) { .progress = show, .progress_data = self };
}

void
ghlo_tool_progress_end (GhloToolProgress *self)
{
  if (self->shown)
    fputs ("\r\033[K", stderr);
  self->shown = FALSE;
}
