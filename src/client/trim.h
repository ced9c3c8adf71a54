/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Giving memory back that the process holds and does not use: on request, and when
 * the system says that memory is short.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Has a worker do it. */
void ghlo_trim       (void);
/* From the first call on, the system's warnings have it done. Takes no time. */
void ghlo_trim_watch (void);

G_END_DECLS
