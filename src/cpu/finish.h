/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How work that checks for cancellation on its way ends.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

/* Returns @done. Where it is FALSE, the work has found @monitor (nullable) cancelled: the error becomes
 * G_IO_ERROR_CANCELLED then, even if the cancellable was reset in the meantime. */
static inline gboolean
ghlo_cpu_finish (gboolean            done,
                 const GhloMonitor  *monitor,
                 GError            **error)
{
  if (!done && !ghlo_monitor_cancelled (monitor, error))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the operation was cancelled");

  return done;
}

G_END_DECLS
