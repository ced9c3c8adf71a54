/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Notes which of many random cases a test was running, and prints the note when the test crashes or is killed, as a
 * crash itself does not identify the case.
 */

#pragma once

#include <glib.h>

/* From here on a crash prints "# WHAT SEED". */
void crash_note (const char *what,
                 guint       seed);
