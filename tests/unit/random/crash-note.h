/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a test of many random cases was at when it crashed or was ended: a crash says
 * nothing of itself.
 */

#pragma once

#include <glib.h>

/* From here on a crash prints "# WHAT SEED". */
void crash_note (const char *what,
                 guint       seed);
