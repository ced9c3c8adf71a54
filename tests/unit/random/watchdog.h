/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cancels a run that takes its time: what programs made at random do may have no end.
 */

#pragma once

#include <gio/gio.h>

/* From here on @cancellable is cancelled once @microseconds have passed. Its thread is
 * made with the first call. */
void watchdog_begin (GCancellable *cancellable,
                     gint64        microseconds);
void watchdog_end   (void);
