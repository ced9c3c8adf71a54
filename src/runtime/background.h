/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When work begins that makes later runs faster and that nobody waits for. The first run of a program is left alone: it
 * would share the processors with that work, and what runs once gains nothing by it.
 */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Called when there is such work where there was none: it waits for a second run, or for a second. */
void ghlo_background_hold    (void);
/* Called when a program runs that has run before. Costs one atomic load where nothing waits. */
void ghlo_background_release (void);
/* Called by a thread that is about to begin: returns when it may. */
void ghlo_background_await   (void);

G_END_DECLS
