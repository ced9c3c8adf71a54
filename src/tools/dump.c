/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo dump`: prints a program at the stages of a compilation: as it was parsed, after the passes, with the
 * device's fusions, its plan, the kernels generated for it, and their machine code. This helps to trace a wrong
 * result to the stage that introduces it.
 */

#include "tools/tool.h"

#include <stdio.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "compiler/auto.h"
#include "compiler/optimize.h"
#include "ir/print/print.h"
#include "plan/plan.h"
#include "reference/device.h"

typedef enum
{
  STAGE_PARSED,
  STAGE_PASSES,
  STAGE_FUSION,
  STAGE_PLAN,
  STAGE_KERNELS,
  STAGE_CODE,
  N_STAGES
} Stage;

static const char *const stages[N_STAGES] = { "parsed", "passes", "fusion", "plan", "kernels", "code" };

typedef struct
{
  Stage                stage;
  const char          *device_name;   /* nullable */
  GhloDeviceCore      *device;
  const char          *reason;        /* why the device was chosen; nullable */
  gboolean             report;
  GhloIrPrintFlags     print_flags;
  GhloOptimizeOptions  optimize;      /* the names in it are borrowed */
} Options;

/* The plan, its kernels or their code as text; NULL when there is none. */
static char *
print_plan (GhloPrepared  *prepared,
            const Options *options)
{
  const GhloStepPlan *plan = ghlo_prepared_get_plan (prepared);

  if (options->stage == STAGE_PLAN)
    return ghlo_auto_describe (options->reason, ghlo_prepared_describe (prepared));

  if (plan == NULL)
    return NULL;

  return ghlo_step_plan_print_kernels (plan, options->stage == STAGE_CODE ? GHLO_KERNEL_FORM_CODE
                                                                          : GHLO_KERNEL_FORM_TEXT);
}

/* The device's text for the entry function, at the stage of @options. */
static char *
describe_plan (GhloIrModule   *module,
               const Options  *options,
               GError        **error)
{
  GhloIrOp *function = ghlo_ir_module_get_entry (module);
  g_autoptr (GhloPrepared) prepared = NULL;
  char *text;

  if (function == NULL || ghlo_ir_func_get_body (function) == NULL)
    {
      g_autofree char *found = ghlo_ir_module_describe_functions (module);

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "expected a function 'main' or a single public function to run, found %s", found);
      return NULL;
    }
  prepared = ghlo_tool_prepare (options->device, options->reason != NULL, module, function, error);
  if (prepared == NULL)
    return NULL;
  text = print_plan (prepared, options);
  if (text == NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED,
                 "the device '%s' makes no plan: it runs the operations one by one, as --stage=passes shows them",
                 options->device->names[0]);

  return text;
}

static void
append_op (GString            *text,
           const GhloIrModule *module,
           const GhloIrOp     *op)
{
  g_string_append (text, ghlo_ir_op_get_name (op));
  if (op->line > 0 && !module->is_binary)
    g_string_append_printf (text, " at %u:%u", op->line, op->column);
}

/* Appends a comment, so that the output can still be parsed. */
static void
append_candidate (gpointer                   data,
                  const GhloIrModule        *module,
                  const GhloFusionCandidate *candidate)
{
  GString *text = data;

  g_string_append_printf (text, "// %s: ", ghlo_fusion_specs[candidate->kind].name);
  append_op (text, module, candidate->first);
  if (candidate->op != NULL)
    {
      g_string_append (text, " + ");
      append_op (text, module, candidate->op);
    }
  if (candidate->reason == NULL)
    g_string_append_printf (text, ": merge %u\n", candidate->number);
  else
    g_string_append_printf (text, ": no, %s\n", candidate->reason);
}

static char *
print_fusions (const GhloIrModule  *module,
               const GString       *candidates,
               const Options       *options,
               GError             **error)
{
  g_autofree char *text = ghlo_ir_to_text (module, options->print_flags, error);

  return text != NULL ? g_strconcat (candidates->str, text, NULL) : NULL;
}

static char *
dump (GhloIrModule   *module,
      const Options  *options,
      GError        **error)
{
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GString) candidates = g_string_new (NULL);
  g_autoptr (GhloIrModule) made = NULL;
  g_autofree char *table = NULL;

  if (options->stage == STAGE_PARSED)
    return ghlo_ir_to_text (module, options->print_flags, error);

  made = ghlo_optimize (module, &options->optimize, NULL, report, error);
  if (made == NULL
      || (options->stage >= STAGE_FUSION
          && !ghlo_fuse (made, options->device, &options->optimize,
                         options->stage == STAGE_FUSION ? append_candidate : NULL, candidates, NULL, report, error)))
    return NULL;
  if (options->report)
    {
      table = ghlo_pass_report_to_string (report);
      fputs (table, stderr);
    }

  switch (options->stage)
    {
    case STAGE_FUSION:
      return print_fusions (made, candidates, options, error);
    case STAGE_PLAN:
    case STAGE_KERNELS:
    case STAGE_CODE:
      return describe_plan (made, options, error);
    default:
      return ghlo_ir_to_text (made, options->print_flags, error);
    }
}

static int
dump_file (const char *path,
           Options    *options)
{
  g_autoptr (GhloIrModule) module = ghlo_tool_load (path, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *reason = NULL;

  if (module == NULL)
    return GHLO_TOOL_FAILED;
  options->device = ghlo_auto_choose (options->device_name, module, &reason, &error);
  options->reason = reason;
  text = options->device != NULL ? dump (module, options, &error) : NULL;
  if (text == NULL)
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_FAILED;
    }
  fputs (text, stdout);

  return GHLO_TOOL_OK;
}

/* Parses the stage, the level and the pass names. Prints an error for an invalid one. */
static gboolean
read_options (Options    *options,
              const char *stage,
              const char *level,
              char      **names)
{
  if (!ghlo_tool_check_fuse ())
    return FALSE;
  while (options->stage < N_STAGES && strcmp (stages[options->stage], stage) != 0)
    options->stage++;
  if (options->stage == N_STAGES)
    {
      ghlo_tool_error ("expected --stage=parsed, --stage=passes, --stage=fusion, --stage=plan, --stage=kernels or "
                       "--stage=code, found '%s'", stage);
      return FALSE;
    }
  if (level == NULL)
    options->optimize.level = options->device->wants_passes ? 2 : 0;
  else if (level[0] >= '0' && level[0] <= '0' + GHLO_PASS_MAX_LEVEL && level[1] == '\0')
    options->optimize.level = level[0] - '0';
  else
    {
      ghlo_tool_error ("expected a level from -O0 to -O%d, found '-O%s'", GHLO_PASS_MAX_LEVEL, level);
      return FALSE;
    }
  for (guint i = 0; names[i] != NULL; i++)
    if (ghlo_pass_find (names[i]) < 0)
      {
        ghlo_tool_error ("expected names of passes, found '%s'; \"ghlo dump --disable=help\" lists them", names[i]);
        return FALSE;
      }
  options->optimize.disabled = (const char *const *) names;

  return TRUE;
}

/* Removes a word such as "-O2" from the arguments, since GOption expects the level as a word of its own.
 * Returns the level, which points into the word, or NULL. */
static const char *
take_level (int   *argc,
            char **argv)
{
  const char *level = NULL;
  gboolean options = TRUE;
  int n = 0;

  for (int i = 0; i < *argc; i++)
    {
      options = options && strcmp (argv[i], "--") != 0;
      if (options && i > 0 && strncmp (argv[i], "-O", 2) == 0 && argv[i][2] != '\0')
        level = argv[i] + 2;
      else
        argv[n++] = argv[i];
    }
  argv[n] = NULL;
  *argc = n;

  return level;
}

int
ghlo_tool_dump (int    argc,
                char **argv)
{
  Options options = { .optimize = { .evaluator = ghlo_reference_device (), .excess_precision = TRUE } };
  gboolean generic = FALSE, strip = FALSE, elide = FALSE;
  const char *short_level = take_level (&argc, argv);
  g_autofree char *stage = NULL, *level = NULL, *disable = NULL, *device = NULL, *help = NULL;
  g_auto (GStrv) names = NULL;
  g_autoptr (GError) error = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "stage", 's', 0, G_OPTION_ARG_STRING, &stage,
      "The stage to show: parsed, passes (default), fusion, plan, kernels or code", "STAGE" },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &device, "The device to compile for (auto)", "NAME" },
    { "optimize", 'O', 0, G_OPTION_ARG_STRING, &level,
      "The optimization level, 0 to 3 (2; 0 for devices that run programs without passes)", "LEVEL" },
    { "disable", 0, 0, G_OPTION_ARG_STRING, &disable, "Skip these passes; \"help\" lists the names", "NAME,…" },
    { "no-excess-precision", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &options.optimize.excess_precision,
      "Let no pass keep values of f16 and bf16 more precisely than these types", NULL },
    { "report", 0, 0, G_OPTION_ARG_NONE, &options.report, "Report on standard error what the passes changed", NULL },
    { "generic", 0, 0, G_OPTION_ARG_NONE, &generic, "Print every operation in the generic form", NULL },
    { "strip-locations", 0, 0, G_OPTION_ARG_NONE, &strip, "Omit locations", NULL },
    { "elide-constants", 0, 0, G_OPTION_ARG_NONE, &elide, "Omit the elements of large constants", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("dump", entries, &argc, &argv, &status))
    return status;
  if (g_strcmp0 (disable, "help") == 0 || ghlo_passes_help_wanted ())
    {
      help = ghlo_passes_help ();
      fputs (help, stdout);
      return GHLO_TOOL_OK;
    }
  if (argc != 2)
    {
      ghlo_tool_error ("expected one FILE, found %d; \"ghlo dump --help\" tells more", argc - 1);
      return GHLO_TOOL_USAGE;
    }
  names = g_strsplit (disable != NULL ? disable : "", ",", -1);
  options.device_name = device;
  options.device = ghlo_devices_choose (device, &error);
  options.print_flags = (generic ? GHLO_IR_PRINT_GENERIC : 0) | (strip ? GHLO_IR_PRINT_STRIP_LOCATIONS : 0)
                        | (elide ? GHLO_IR_PRINT_ELIDE_LARGE : 0);
  if (options.device == NULL)
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_USAGE;
    }

  if (!read_options (&options, stage != NULL ? stage : "passes", short_level != NULL ? short_level : level, names))
    return GHLO_TOOL_USAGE;

  return dump_file (argv[1], &options);
}
