/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Helpers that write the programs of all tables.
 */

#include "scaling-shapes.h"

#define T SCALING_TYPE

void
scaling_begin_main (GString *text)
{
  g_string_append (text, "func.func @main(%arg0: " T ") -> " T " {\n");
}

void
scaling_end_main (GString    *text,
                  const char *result)
{
  g_string_append_printf (text, "  return %%%s : " T "\n}\n", result);
}

void
scaling_append_list (GString    *text,
                     const char *prefix,
                     guint       n,
                     const char *suffix)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s%u%s", i > 0 ? ", " : "", prefix, i, suffix);
}

void
scaling_append_repeated (GString    *text,
                         const char *word,
                         guint       n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", word);
}
