/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Returns memory that the process holds but does not use: on request, and when the system reports that memory is low.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Trims memory on a worker. */
void ghlo_trim       (void);
/* From the first call on, memory is trimmed whenever the system warns of low memory. Returns immediately. */
void ghlo_trim_watch (void);

G_END_DECLS
