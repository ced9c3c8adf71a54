/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Command line options of a test program, some of which have the names of GLib's own: they are parsed and removed from
 * the arguments before GLib sees them.
 */

#pragma once

#include <glib.h>

/* Parses @entries (NULL-terminated) and leaves all other arguments to g_test_init (). */
void random_read_options (const GOptionEntry   *entries,
                          int                  *argc,
                          char               ***argv);
