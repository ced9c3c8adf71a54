/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the steps that move data share.
 */

#pragma once

#include "base/ghlo-error.h"
#include "cpu/copy.h"
#include "cpu/steps.h"

G_BEGIN_DECLS

/* What run() returns for work that is @done, or was cancelled. */
static inline gboolean
ghlo_cpu_moves_finish (gboolean            done,
                       const GhloMonitor  *monitor,
                       GError            **error)
{
  if (!done && !ghlo_monitor_cancelled (monitor, error))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the copy was cancelled");

  return done;
}

G_END_DECLS
