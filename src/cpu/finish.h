/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How work ends that asks on its way whether to go on.
 */

#pragma once

#include "base/monitor.h"

G_BEGIN_DECLS

/* What work returns that is @done, or else has found @monitor (nullable) cancelled: G_IO_ERROR_CANCELLED is set then,
 * even if the cancellable was reset in the meantime. */
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
