/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo opt`: reads a program, verifies it and prints it.
 */

#include "tools/tool.h"

#include <stdio.h>

#include "ir/print.h"

static gboolean
print_section (GhloToolFile     *file,
               guint             index,
               GhloImportFlags   import_flags,
               GhloIrPrintFlags  flags)
{
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = ghlo_tool_file_parse (file, index, import_flags, &diagnostics, NULL);
  g_autofree char *text = NULL;

  if (module == NULL)
    {
      ghlo_tool_print_findings (diagnostics);
      return FALSE;
    }
  text = ghlo_ir_to_string (module, flags);
  fputs (text, stdout);

  return TRUE;
}

int
ghlo_tool_opt (int    argc,
               char **argv)
{
  gboolean allow_unregistered = FALSE, generic = FALSE, strip = FALSE, elide = FALSE, split = FALSE, ok = TRUE;
  g_autoptr (GError) error = NULL;
  g_auto (GhloToolFile) file = { 0 };
  GhloIrPrintFlags flags;
  int status;
  const GOptionEntry entries[] = {
    { "generic", 0, 0, G_OPTION_ARG_NONE, &generic, "Print every operation in the generic form", NULL },
    { "strip-locations", 0, 0, G_OPTION_ARG_NONE, &strip, "Leave locations out", NULL },
    { "elide-constants", 0, 0, G_OPTION_ARG_NONE, &elide, "Leave the elements of large constants out", NULL },
    { "allow-unregistered", 0, 0, G_OPTION_ARG_NONE, &allow_unregistered,
      "Keep operations of dialects that are not known", NULL },
    { "split-input", 0, 0, G_OPTION_ARG_NONE, &split, "Treat programs between lines \"// -----\" one by one", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("opt", entries, &argc, &argv, &status))
    return status;
  if (argc != 2)
    {
      ghlo_tool_error ("expected one FILE, found %d; \"ghlo opt --help\" tells more", argc - 1);
      return GHLO_TOOL_USAGE;
    }
  if (!ghlo_tool_file_open (&file, argv[1], split, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_FAILED;
    }

  flags = (generic ? GHLO_IR_PRINT_GENERIC : 0) | (strip ? GHLO_IR_PRINT_STRIP_LOCATIONS : 0)
          | (elide ? GHLO_IR_PRINT_ELIDE_LARGE : 0);
  for (guint i = 0; i < file.sections->len; i++)
    {
      if (i > 0)
        puts ("// -----");
      ok &= print_section (&file, i, allow_unregistered ? GHLO_IMPORT_ALLOW_UNREGISTERED : GHLO_IMPORT_DEFAULT, flags);
    }

  return ok ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
}
