/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The debugging aids that GHLO_DEBUG enables, one row each. GLib's own parser for such variables prints its help to
 * the terminal, which a library must not do.
 */

#include "base/debug.h"

#include <string.h>

#include "base/environment.h"

static const struct
{
  const char     *name;
  GhloDebugFlags  flag;
  const char     *what;
} rows[] = {
  { "guard", GHLO_DEBUG_GUARD,
    "every block of memory ends at a protected page, is protected once freed, and is filled with 0xfb at first" },
  { "code", GHLO_DEBUG_CODE, "compiles wait for the machine code of kernels, so that every run takes it" },
  { "vulkan", GHLO_DEBUG_VULKAN, "calls of Vulkan are validated, where the validation layer is installed" },
  { "dispatches", GHLO_DEBUG_DISPATCHES,
    "each dispatch of a Vulkan device is waited for, and a debug message says how long it took" },
};

#define SEPARATORS ",:; \t"

GhloDebugFlags
ghlo_debug_parse (const char  *text,
                  char       **unknown,
                  gboolean    *help)
{
  g_auto (GStrv) words = g_strsplit_set (text != NULL ? text : "", SEPARATORS, -1);
  guint flags = 0;

  *unknown = NULL;
  *help = FALSE;
  for (guint i = 0; words[i] != NULL; i++)
    {
      guint row = 0;

      while (row < G_N_ELEMENTS (rows) && g_ascii_strcasecmp (words[i], rows[row].name) != 0)
        row++;
      if (row < G_N_ELEMENTS (rows))
        flags |= rows[row].flag;
      else if (g_ascii_strcasecmp (words[i], "help") == 0)
        *help = TRUE;
      else if (words[i][0] != '\0' && *unknown == NULL)
        *unknown = g_strdup (words[i]);
    }

  return (GhloDebugFlags) flags;
}

gsize ghlo_debug_flags;

gsize
ghlo_debug_read_flags (void)
{
  enum { KNOWN = 1 << 30 };

  if (g_once_init_enter (&ghlo_debug_flags))
    {
      g_autofree char *unknown = NULL;
      gboolean help;
      gsize found = ghlo_debug_parse (ghlo_environment_get ("GHLO_DEBUG"), &unknown, &help);

      if (unknown != NULL)
        g_debug ("GHLO_DEBUG has the word '%s', which is none of its own; 'help' lists them", unknown);
      g_once_init_leave (&ghlo_debug_flags, found | KNOWN);
    }

  return ghlo_debug_flags;
}

gboolean
ghlo_debug_disables (const char *name)
{
  const char *variable = ghlo_environment_get ("GHLO_DISABLE");
  g_auto (GStrv) words = NULL;

  if (variable == NULL || *variable == '\0')
    return FALSE;
  words = g_strsplit_set (variable, ", ", -1);

  return g_strv_contains ((const char *const *) words, name);
}

char *
ghlo_debug_dup_help (void)
{
  g_autofree char *unknown = NULL;
  g_autoptr (GString) text = g_string_new ("GHLO_DEBUG takes these words, with commas between them:\n");
  gboolean help;

  ghlo_debug_parse (ghlo_environment_get ("GHLO_DEBUG"), &unknown, &help);
  if (!help)
    return NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_string_append_printf (text, "  %-10s %s\n", rows[i].name, rows[i].what);
  g_string_append_printf (text, "  %-10s %s\n", "help", "this list");
  if (unknown != NULL)
    g_string_append_printf (text, "'%s' is none of them\n", unknown);

  return g_string_free (g_steal_pointer (&text), FALSE);
}
