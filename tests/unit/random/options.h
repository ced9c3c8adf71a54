/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Options of a test program of its own, of which GLib has some of the same names: they are
 * read, and taken out of the arguments, before GLib looks.
 */

#pragma once

#include <glib.h>

/* Reads @entries (to NULL) and leaves all other arguments to g_test_init (). */
void random_read_options (const GOptionEntry   *entries,
                          int                  *argc,
                          char               ***argv);
