/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the sub-commands share: options, errors, reading files and programs.
 */

#include "tools/tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ghlo-error.h"
#include "import/import.h"
#include "ir/verify.h"
#include "reference/reference.h"

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

  if (g_option_context_parse (context, argc, argv, &error))
    return TRUE;
  ghlo_tool_error ("%s; \"ghlo %s --help\" lists the options", error->message, name);
  *status = GHLO_TOOL_USAGE;

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

/* All of standard input. */
static GBytes *
read_stdin (GError **error)
{
  g_autoptr (GByteArray) data = g_byte_array_new ();
  guint8 buffer[65536];
  gssize n;

  while ((n = read (STDIN_FILENO, buffer, sizeof buffer)) > 0)
    {
      if (data->len > G_MAXUINT - sizeof buffer)
        {
          g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA, "standard input is larger than 4 GiB");
          return NULL;
        }
      g_byte_array_append (data, buffer, n);
    }
  if (n < 0)
    {
      g_set_error_literal (error, GHLO_ERROR, GHLO_ERROR_DATA, "standard input cannot be read");
      return NULL;
    }

  return g_byte_array_free_to_bytes (g_steal_pointer (&data));
}

GBytes *
ghlo_tool_read_file (const char *path,
                     GError    **error)
{
  g_autofree char *contents = NULL;
  gsize length;

  if (strcmp (path, "-") == 0)
    return read_stdin (error);
  if (!g_file_get_contents (path, &contents, &length, error))
    return NULL;

  return g_bytes_new_take (g_steal_pointer (&contents), length);
}

GhloIrModule *
ghlo_tool_parse (const char       *name,
                 const char       *text,
                 gsize             length,
                 gboolean          allow_unregistered,
                 GhloDiagnostics **diagnostics)
{
  g_autoptr (GhloIrModule) module = NULL;

  *diagnostics = ghlo_diagnostics_new (name, text, length);
  if (length >= 4 && memcmp (text, "ML\xefR", 4) == 0)
    {
      ghlo_diagnostics_add (*diagnostics, GHLO_SEVERITY_ERROR, GHLO_ERROR_UNSUPPORTED, 0, 0,
                            "this is MLIR bytecode, which is not supported; expected a program as text");
      return NULL;
    }
  module = ghlo_import_text (text, length,
                             allow_unregistered ? GHLO_IMPORT_ALLOW_UNREGISTERED : GHLO_IMPORT_DEFAULT,
                             *diagnostics, NULL);
  if (module == NULL || !ghlo_ir_verify (module, *diagnostics, NULL))
    return NULL;

  return g_steal_pointer (&module);
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
ghlo_tool_load (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ghlo_tool_read_file (path, &error);
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  GhloIrModule *module;
  const char *text;
  gsize length;

  if (bytes == NULL)
    {
      ghlo_tool_error ("%s", error->message);
      return NULL;
    }
  text = g_bytes_get_data (bytes, &length);
  module = ghlo_tool_parse (strcmp (path, "-") == 0 ? "<stdin>" : path, text, length, FALSE, &diagnostics);
  if (module == NULL)
    ghlo_tool_print_findings (diagnostics);

  return module;
}

const GhloExecutor *
ghlo_tool_executor (const char *device,
                    GError    **error)
{
  if (device == NULL || strcmp (device, "reference") == 0)
    return ghlo_reference_executor ();

  g_set_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE,
               "there is no device '%s'; \"ghlo devices\" lists those that there are", device);

  return NULL;
}

GArray *
ghlo_tool_split (const char *text,
                 gsize       length)
{
  GArray *sections = g_array_new (FALSE, FALSE, sizeof (GhloToolSection));
  const char *end = text + length;
  GhloToolSection section = { .text = text, .first_line = 1 };
  guint line = 1;

  for (const char *p = text; p < end; line++)
    {
      const char *next = memchr (p, '\n', end - p);
      gboolean is_separator = end - p >= 8 && memcmp (p, "// -----", 8) == 0;

      next = next != NULL ? next + 1 : end;
      if (is_separator)
        {
          section.length = p - section.text;
          g_array_append_val (sections, section);
          section.text = next;
          section.first_line = line + 1;
        }
      p = next;
    }
  section.length = end - section.text;
  g_array_append_val (sections, section);

  return sections;
}
