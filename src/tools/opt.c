/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo opt`: reads and verifies a program, runs passes over it on request, and
 * prints it.
 */

#include "tools/tool.h"

#include <stdio.h>

#include "compiler/evaluate.h"
#include "ir/print/print.h"
#include "passes/pass.h"
#include "reference/device.h"

/* The command line options of one invocation. */
typedef struct
{
  gboolean         run_passes, report;
  GhloImportFlags  import_flags;
  GhloIrPrintFlags print_flags;
  GhloPassOptions  passes;      /* the names in it are borrowed */
} Options;

static gboolean
run_passes (GhloIrModule  *module,
            const Options *options)
{
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (!ghlo_passes_run (module, &options->passes, NULL, report, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return FALSE;
    }
  if (options->report)
    {
      text = ghlo_pass_report_to_string (report);
      fputs (text, stderr);
    }

  return TRUE;
}

static gboolean
print_section (GhloToolFile  *file,
               guint          index,
               const Options *options)
{
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = ghlo_tool_file_parse (file, index, options->import_flags, &diagnostics, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (module == NULL)
    {
      ghlo_tool_print_findings (diagnostics);
      return FALSE;
    }
  if (options->run_passes && !run_passes (module, options))
    return FALSE;
  text = ghlo_ir_to_text (module, options->print_flags, &error);
  if (text == NULL)
    {
      g_printerr ("ghlo: %s\n", error->message);
      return FALSE;
    }
  fputs (text, stdout);

  return TRUE;
}

static int
print_file (const char    *path,
            gboolean       split,
            const Options *options)
{
  g_auto (GhloToolFile) file = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean ok = TRUE;

  if (!ghlo_tool_file_open (&file, path, split, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_FAILED;
    }
  for (guint i = 0; i < file.sections->len; i++)
    {
      if (i > 0)
        puts ("// -----");
      ok &= print_section (&file, i, options);
    }

  return ok ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
}

int
ghlo_tool_opt (int    argc,
               char **argv)
{
  gboolean allow_unregistered = FALSE, generic = FALSE, strip = FALSE, elide = FALSE, split = FALSE;
  GhloDeviceEvaluator evaluator = { .device = ghlo_reference_device () };
  Options options = { .passes = { .use_environment = TRUE, .excess_precision = TRUE, .verify = TRUE } };
  g_autofree char *passes = NULL, *help = NULL;
  g_auto (GStrv) names = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "passes", 'p', 0, G_OPTION_ARG_STRING, &passes,
      "Run the passes of a level (O0 to O3), or the named ones; \"help\" lists them", "LEVEL|NAME,…" },
    { "report", 0, 0, G_OPTION_ARG_NONE, &options.report, "Report on standard error what the passes changed", NULL },
    { "no-excess-precision", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &options.passes.excess_precision,
      "Let no pass keep values of f16 and bf16 more precisely than these types", NULL },
    { "generic", 0, 0, G_OPTION_ARG_NONE, &generic, "Print every operation in the generic form", NULL },
    { "strip-locations", 0, 0, G_OPTION_ARG_NONE, &strip, "Omit locations", NULL },
    { "elide-constants", 0, 0, G_OPTION_ARG_NONE, &elide, "Omit the elements of large constants", NULL },
    { "allow-unregistered", 0, 0, G_OPTION_ARG_NONE, &allow_unregistered,
      "Accept operations of unknown dialects", NULL },
    { "split-input", 0, 0, G_OPTION_ARG_NONE, &split, "Process programs between lines \"// -----\" separately", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("opt", entries, &argc, &argv, &status))
    return status;
  if (g_strcmp0 (passes, "help") == 0 || ghlo_passes_help_wanted ())
    {
      help = ghlo_passes_help ();
      fputs (help, stdout);
      return GHLO_TOOL_OK;
    }
  if (argc != 2)
    {
      ghlo_tool_error ("expected one FILE, found %d; \"ghlo opt --help\" tells more", argc - 1);
      return GHLO_TOOL_USAGE;
    }

  options.run_passes = passes != NULL;
  options.passes.evaluator = ghlo_device_evaluator (&evaluator);
  options.import_flags = (allow_unregistered ? GHLO_IMPORT_ALLOW_UNREGISTERED : 0)
                         | (passes == NULL ? GHLO_IMPORT_KEEP_ELEMENTS : 0);
  options.print_flags = (generic ? GHLO_IR_PRINT_GENERIC : 0) | (strip ? GHLO_IR_PRINT_STRIP_LOCATIONS : 0)
                        | (elide ? GHLO_IR_PRINT_ELIDE_LARGE : 0);
  if (!ghlo_tool_read_passes (passes, &options.passes, &names) || !ghlo_tool_check_fuse ())
    return GHLO_TOOL_USAGE;

  return print_file (argv[1], split, &options);
}
