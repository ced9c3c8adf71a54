/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "options.h"

void
random_read_options (const GOptionEntry   *entries,
                     int                  *argc,
                     char               ***argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_help_enabled (context, FALSE);
  g_option_context_set_ignore_unknown_options (context, TRUE);
  g_option_context_parse (context, argc, argv, &error);
  g_assert_no_error (error);
}
