/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo convert`: reads a program in any form and writes it as text or as a
 * portable artifact.
 */

#include "tools/tool.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "ir/print/print.h"

typedef enum
{
  FORMAT_NONE,
  FORMAT_TEXT,
  FORMAT_BYTECODE,
} Format;

typedef struct
{
  const char    *in, *out;
  char          *to;
  char          *target;
  gboolean       generic;
  gboolean       strip;
  Format         format;
  GhloIrVersion  version;
} Options;

/* File name endings. The first match counts. */
static const struct { const char *ending; Format format; } endings[] = {
  { ".mlir", FORMAT_TEXT },
  { ".mlirbc", FORMAT_BYTECODE },
  { ".bc", FORMAT_BYTECODE },
};

static Format
format_of_ending (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (path, endings[i].ending))
      return endings[i].format;

  return strcmp (path, "-") == 0 ? FORMAT_TEXT : FORMAT_NONE;
}

/* Checks that the options are consistent, and sets format and version. */
static gboolean
check_options (Options  *options,
               GError  **error)
{
  if (options->to == NULL)
    options->format = format_of_ending (options->out);
  else if (strcmp (options->to, "text") == 0)
    options->format = FORMAT_TEXT;
  else if (strcmp (options->to, "bytecode") == 0)
    options->format = FORMAT_BYTECODE;
  else
    return ghlo_invalid (error, "expected --to=text or --to=bytecode, found '%s'", options->to);

  if (options->format == FORMAT_NONE)
    return ghlo_invalid (error, "expected OUT to end in .mlir, .mlirbc or .bc, or an option --to=text or "
                         "--to=bytecode, found '%s'", options->out);
  if (options->format == FORMAT_TEXT && options->target != NULL)
    return ghlo_invalid (error, "--target applies to bytecode only, but the output is text");
  if (options->format == FORMAT_BYTECODE && options->generic)
    return ghlo_invalid (error, "--generic applies to text only, but the output is bytecode");
  if (options->format == FORMAT_BYTECODE && strcmp (options->out, "-") == 0 && isatty (STDOUT_FILENO))
    return ghlo_invalid (error, "bytecode is not written to a terminal; name a file, or redirect the output");

  return ghlo_ir_version_parse_target (options->target, &options->version, error);
}

static GBytes *
make_output (const Options  *options,
             GhloIrModule   *module,
             GError        **error)
{
  GhloIrPrintFlags flags = (options->generic ? GHLO_IR_PRINT_GENERIC : 0)
                           | (options->strip ? GHLO_IR_PRINT_STRIP_LOCATIONS : 0);
  char *text;

  if (options->format == FORMAT_BYTECODE)
    return ghlo_export_artifact (module, options->version,
                                 options->strip ? GHLO_EXPORT_STRIP_LOCATIONS : GHLO_EXPORT_DEFAULT, NULL, error);

  text = ghlo_ir_to_text (module, flags, error);

  return text != NULL ? g_bytes_new_take (text, strlen (text)) : NULL;
}

/* A failure to write to standard output is reported at exit, as for all commands. */
static gboolean
write_output (const char  *path,
              GBytes      *bytes,
              GError     **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  if (strcmp (path, "-") != 0)
    return ghlo_tool_write_file (path, bytes, error);
  fwrite (data, 1, size, stdout);

  return TRUE;
}

static gboolean
convert (const Options *options)
{
  g_autoptr (GhloIrModule) module = ghlo_tool_load (options->in, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;

  if (module == NULL)
    return FALSE;
  bytes = make_output (options, module, &error);
  if (bytes != NULL && write_output (options->out, bytes, &error))
    return TRUE;
  ghlo_tool_error ("%s", error->message);

  return FALSE;
}

static void
options_clear (Options *options)
{
  g_free (options->to);
  g_free (options->target);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

int
ghlo_tool_convert (int    argc,
                   char **argv)
{
  g_auto (Options) options = { 0 };
  g_autoptr (GError) error = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "to", 0, 0, G_OPTION_ARG_STRING, &options.to, "The form to write: text or bytecode", "FORM" },
    { "target", 0, 0, G_OPTION_ARG_STRING, &options.target,
      "The oldest version of StableHLO that must read the bytecode, 0.9.0 to 1.20.0 (1.20.0)", "VERSION" },
    { "generic", 0, 0, G_OPTION_ARG_NONE, &options.generic, "Write every operation in the generic form", NULL },
    { "strip-locations", 0, 0, G_OPTION_ARG_NONE, &options.strip, "Omit locations", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("convert", entries, &argc, &argv, &status))
    return status;
  if (argc != 3)
    {
      ghlo_tool_error ("expected IN and OUT, found %d arguments; \"ghlo convert --help\" tells more", argc - 1);
      return GHLO_TOOL_USAGE;
    }
  options.in = argv[1];
  options.out = argv[2];
  if (!check_options (&options, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_USAGE;
    }

  return convert (&options) ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
}
