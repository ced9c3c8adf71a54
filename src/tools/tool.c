/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shared by the sub-commands: options, errors, passes.
 */

#include "tools/tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "compiler/optimize.h"
#include "reference/device.h"

/* GOption leaves "--" in place when a word after it begins with a dash. */
static void
remove_separator (int   *argc,
                  char **argv)
{
  int at = 1;

  while (at < *argc && strcmp (argv[at], "--") != 0)
    at++;
  if (at == *argc)
    return;
  memmove (argv + at, argv + at + 1, (*argc - at) * sizeof argv[0]);
  (*argc)--;
}

static gboolean
check_arguments (const GhloToolCommand *command,
                 int                    argc,
                 char                 **argv)
{
  if (command->max_arguments < 0 || argc - 1 <= command->max_arguments)
    return TRUE;
  ghlo_tool_error ("expected %s, found the extra argument '%s'; \"ghlo %s --help\" tells more",
                   command->arguments != NULL ? command->arguments : "no arguments", argv[command->max_arguments + 1],
                   command->name);

  return FALSE;
}

gboolean
ghlo_tool_parse_options (const char         *name,
                         const GOptionEntry *entries,
                         int                *argc,
                         char             ***argv,
                         int                *status)
{
  g_autoptr (GOptionContext) context = NULL;
  g_autoptr (GError) error = NULL;
  const GhloToolCommand *command = ghlo_tool_commands;
  g_autofree char *title = NULL;

  while (strcmp (command->name, name) != 0)
    command++;
  context = g_option_context_new (command->arguments);
  title = g_strdup_printf ("ghlo %s", name);
  g_set_prgname (title);
  g_option_context_set_summary (context, command->summary);
  if (command->description != NULL)
    g_option_context_set_description (context, command->description);
  g_option_context_add_main_entries (context, entries, NULL);

  *status = GHLO_TOOL_USAGE;
  if (g_option_context_parse (context, argc, argv, &error))
    {
      remove_separator (argc, *argv);
      return check_arguments (command, *argc, *argv);
    }
  ghlo_tool_error ("%s; \"ghlo %s --help\" lists the options", error->message, name);

  return FALSE;
}

gboolean
ghlo_tool_use_colour (int fd)
{
  return isatty (fd) && g_getenv ("NO_COLOR") == NULL && g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}

void
ghlo_tool_error (const char *format,
                 ...)
{
  g_autofree char *message = NULL;
  gboolean colour = ghlo_tool_use_colour (STDERR_FILENO);
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  fprintf (stderr, "%sghlo:%s %s\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "", message);
}

void
ghlo_tool_print_findings (const GhloDiagnostics *diagnostics)
{
  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      g_autofree char *text = ghlo_diagnostics_format (diagnostics, g_ptr_array_index (diagnostics->findings, i));

      fprintf (stderr, "%s\n", text);
    }
  if (diagnostics->n_errors > diagnostics->findings->len)
    fprintf (stderr, "%u more errors are not shown\n", diagnostics->n_errors - diagnostics->findings->len);
}

GhloIrModule *
ghlo_tool_optimize (GhloIrModule          *module,
                    GhloDeviceCore        *device,
                    GError               **error)
{
  const GhloOptimizeOptions options = { .level = 2, .excess_precision = TRUE, .evaluator = ghlo_reference_device () };
  g_autoptr (GhloIrModule) made = NULL;

  if (!device->wants_passes)
    return ghlo_optimize_required (module, NULL, NULL, error);
  made = ghlo_optimize (module, &options, NULL, NULL, error);
  if (made == NULL || !ghlo_fuse (made, device, &options, NULL, NULL, NULL, NULL, error))
    return NULL;

  return g_steal_pointer (&made);
}

GhloPrepared *
ghlo_tool_prepare (GhloDeviceCore  *device,
                   gboolean         is_chosen,
                   GhloIrModule    *module,
                   GhloIrOp        *function,
                   GError         **error)
{
  GhloPrepareOptions options = ghlo_devices_get_options ();

  options.may_use_host = is_chosen;

  return ghlo_device_core_prepare (device, module, function, &options, NULL, error);
}

gboolean
ghlo_tool_check_fuse (void)
{
  g_autoptr (GError) error = NULL;
  guint max_merges;

  if (!ghlo_passes_read_fuse (&max_merges, &error))
    ghlo_tool_error ("%s", error->message);

  return error == NULL;
}

gboolean
ghlo_tool_read_passes (const char       *text,
                       GhloPassOptions  *options,
                       char           ***names)
{
  char **list = g_strsplit (text != NULL ? text : "O0", ",", -1);

  *names = list;
  if (g_strv_length (list) == 1 && list[0][0] == 'O' && list[0][1] >= '0' && list[0][1] <= '0' + GHLO_PASS_MAX_LEVEL
      && list[0][2] == '\0')
    {
      options->level = list[0][1] - '0';
      return TRUE;
    }
  for (guint i = 0; list[i] != NULL; i++)
    if (ghlo_pass_find (list[i]) < 0)
      {
        ghlo_tool_error ("expected a level from O0 to O%d or names of passes, found '%s'; \"ghlo opt --passes=help\" "
                         "lists them", GHLO_PASS_MAX_LEVEL, list[i]);
        return FALSE;
      }
  options->only = (const char *const *) list;

  return TRUE;
}
