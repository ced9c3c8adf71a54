/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cancels a run that takes too long: random programs may not terminate.
 */

#pragma once

#include <gio/gio.h>

/* Cancels @cancellable after @microseconds, unless watchdog_end () is called before. The first call starts the
 * thread. */
void watchdog_begin (GCancellable *cancellable,
                     gint64        microseconds);
void watchdog_end   (void);
