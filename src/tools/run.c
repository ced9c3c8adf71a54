/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo run`: runs one function of a program and prints or saves its outputs.
 */

#include "tools/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/ghlo-error.h"
#include "compiler/auto.h"
#include "runtime/npy.h"
#include "runtime/place.h"

/* Outputs with more elements are abbreviated, unless --full is given. */
enum { SHORT = 1000 };

typedef struct
{
  char    **inputs;
  char     *fill;
  char     *function;
  char     *output_dir;
  char     *device;
  char     *format_name;
  gboolean  full;
  gboolean  split;
  gboolean  timing;
  gboolean  profile;
  gboolean  wait_for_code;
  GhloToolFormat format;
} Options;

static gsize
max_elements (const Options *options)
{
  return options->full ? G_MAXSIZE : SHORT;
}

static gboolean
save_output (const Options   *options,
             const GhloValue *value,
             guint            index,
             GError         **error)
{
  g_autofree char *name = g_strdup_printf ("out%u.npy", index);
  g_autofree char *path = g_build_filename (options->output_dir, name, NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  if (value->kind != GHLO_VALUE_TENSOR || ghlo_npy_save (value, file, NULL, error))
    return TRUE;
  g_prefix_error (error, "'%s' cannot be written: ", path);

  return FALSE;
}

static gboolean
print_or_save_outputs (const Options *options,
                       GhloValue    **outputs,
                       guint          n_outputs,
                       GError       **error)
{
  for (guint i = 0; i < n_outputs; i++)
    {
      if (!ghlo_value_fetch (outputs[i], NULL, error))
        return FALSE;
      if (options->output_dir != NULL)
        {
          if (!save_output (options, outputs[i], i, error))
            return FALSE;
          continue;
        }
      ghlo_tool_print_value (outputs[i], options->format, max_elements (options));
    }

  return TRUE;
}

static void
print_probe (gpointer         data,
             const char      *name,
             const GhloValue *value)
{
  const Options *options = data;

  printf ("%%%s = ", name != NULL ? name : "value");
  ghlo_tool_print_value (value, options->format, max_elements (options));
}

static guint
count_results (const GhloIrOp *function)
{
  return ghlo_ir_op_get (function, "function_type")->type->n_results;
}

static void
value_free (gpointer value)
{
  if (value != NULL)
    ghlo_value_unref (value);
}

/* Also prints what the process has compiled for the device. */
static void
print_time (GhloDeviceCore *device,
            gint64          prepare,
            gint64          run)
{
  g_autoptr (GArray) properties = ghlo_device_core_list_properties (device);

  fprintf (stderr, "prepare %.3f ms, run %.3f ms", prepare / 1e3, run / 1e3);
  for (guint i = 0; i < properties->len; i++)
    {
      const GhloDeviceProperty *property = &g_array_index (properties, GhloDeviceProperty, i);
      g_autofree char *words = g_str_equal (property->name, "pipelines") ? g_strjoinv (", ", property->words) : NULL;

      if (words != NULL)
        fprintf (stderr, "; %s: %s", property->label, words);
    }
  fprintf (stderr, "\n");
}

static gboolean
run_function (const Options   *options,
              GhloDeviceCore  *device,
              gboolean         is_chosen,
              GhloIrModule    *module,
              GhloIrOp        *function,
              GError         **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (value_free);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (value_free);
  g_autoptr (GhloRunProfile) profile = options->profile ? ghlo_run_profile_new () : NULL;
  GhloRunOptions run_options = { .profile = profile, .print = print_probe, .print_data = (gpointer) options };
  GhloToolProgress progress;
  g_autoptr (GhloPrepared) prepared = NULL;
  gint64 start, prepared_at;
  gboolean ok;

  if (!ghlo_tool_make_inputs (options->inputs, options->fill, function, inputs, error))
    return FALSE;
  start = g_get_monotonic_time ();
  ghlo_tool_progress_init (&progress, "running");
  prepared = ghlo_tool_prepare (device, is_chosen, module, function, error);
  if (prepared == NULL || (options->wait_for_code && !ghlo_prepared_wait_for_code (prepared, NULL, error)))
    return FALSE;
  prepared_at = g_get_monotonic_time ();
  g_ptr_array_set_size (outputs, (int) count_results (function));
  ok = ghlo_prepared_run (prepared, &run_options, (GhloValue *const *) inputs->pdata, inputs->len,
                          (GhloValue **) outputs->pdata, &progress.monitor, error);
  ghlo_tool_progress_end (&progress);
  if (options->timing)
    print_time (ghlo_prepared_get_device (prepared), prepared_at - start, g_get_monotonic_time () - prepared_at);
  if (ok && profile != NULL)
    ghlo_tool_print_profile (stderr, prepared, profile);

  return ok && print_or_save_outputs (options, (GhloValue **) outputs->pdata, outputs->len, error);
}

static GhloIrOp *
find_function (const Options *options,
               GhloIrModule  *module,
               GError       **error)
{
  g_autofree char *found = NULL;
  GhloIrOp *function;

  function = options->function != NULL ? ghlo_ir_module_find (module, options->function)
                                       : ghlo_ir_module_get_entry (module);
  if (function != NULL && ghlo_ir_func_get_body (function) != NULL)
    return function;

  found = ghlo_ir_module_describe_functions (module);
  if (options->function != NULL)
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected --function= to name a function with a body, found '%s'", options->function);
  else
    g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                 "expected a function 'main' or a single public function to run, found %s; choose one with --function=",
                 found);

  return NULL;
}

static gboolean
run_section (const Options  *options,
             GhloToolFile   *file,
             guint           index)
{
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = ghlo_tool_file_parse (file, index, GHLO_IMPORT_DEFAULT, &diagnostics, NULL);
  g_autoptr (GhloIrModule) optimized = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;
  GhloDeviceCore *device = NULL;
  GhloIrOp *function;

  if (module == NULL)
    {
      ghlo_tool_print_findings (diagnostics);
      return FALSE;
    }
  function = find_function (options, module, &error);
  if (function != NULL)
    device = ghlo_auto_choose (options->device, module, &reason, &error);
  optimized = device != NULL ? ghlo_tool_optimize (module, device, &error) : NULL;
  /* A private function may have been inlined into its callers. */
  if (optimized != NULL && find_function (options, optimized, NULL) == NULL)
    {
      ghlo_ir_module_unref (optimized);
      optimized = ghlo_ir_module_ref (module);
    }
  if (optimized != NULL
      && run_function (options, device, reason != NULL, optimized, find_function (options, optimized, NULL), &error))
    return TRUE;
  ghlo_tool_error ("%s", error->message);

  return FALSE;
}

static gboolean
run_file (Options    *options,
          const char *path)
{
  g_auto (GhloToolFile) file = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean ok = TRUE;

  if (!ghlo_tool_file_open (&file, path, options->split, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return FALSE;
    }
  if (options->output_dir != NULL && g_mkdir_with_parents (options->output_dir, 0777) != 0)
    {
      ghlo_tool_error ("the folder '%s' cannot be created: %s", options->output_dir, g_strerror (errno));
      return FALSE;
    }

  for (guint i = 0; i < file.sections->len; i++)
    ok &= run_section (options, &file, i);

  return ok;
}

static void
options_clear (Options *options)
{
  g_strfreev (options->inputs);
  g_free (options->fill);
  g_free (options->function);
  g_free (options->output_dir);
  g_free (options->device);
  g_free (options->format_name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

int
ghlo_tool_run (int    argc,
               char **argv)
{
  g_auto (Options) options = { 0 };
  g_autoptr (GError) error = NULL;
  int status;
  const GOptionEntry entries[] = {
    { "input", 'i', 0, G_OPTION_ARG_STRING_ARRAY, &options.inputs,
      "The next input, or the input called NAME; see below", "[NAME=]SPEC" },
    { "fill", 0, 0, G_OPTION_ARG_STRING, &options.fill, "Content of every input without --input", "SPEC" },
    { "function", 'f', 0, G_OPTION_ARG_STRING, &options.function, "The function to run (main)", "NAME" },
    { "output-dir", 'o', 0, G_OPTION_ARG_FILENAME, &options.output_dir, "Save outputs as DIR/outN.npy", "DIR" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &options.format_name,
      "The form of printed outputs: tensor (default) or dense", "FORMAT" },
    { "full", 0, 0, G_OPTION_ARG_NONE, &options.full, "Print every element of large outputs", NULL },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device, "The device to run on (auto)", "NAME" },
    { "wait-for-code", 0, 0, G_OPTION_ARG_NONE, &options.wait_for_code,
      "Wait for the machine code of all kernels before the run", NULL },
    { "split-input", 0, 0, G_OPTION_ARG_NONE, &options.split,
      "Run the programs between lines \"// -----\" separately", NULL },
    { "time", 't', 0, G_OPTION_ARG_NONE, &options.timing, "Print the times of preparation and run", NULL },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &options.profile, "Print the time of each step of the plan", NULL },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("run", entries, &argc, &argv, &status))
    return status;
  if (argc != 2)
    {
      ghlo_tool_error ("expected one FILE, found %d; \"ghlo run --help\" tells more", argc - 1);
      return GHLO_TOOL_USAGE;
    }
  if (options.format_name != NULL && strcmp (options.format_name, "dense") == 0)
    options.format = GHLO_TOOL_FORMAT_DENSE;
  else if (options.format_name != NULL && strcmp (options.format_name, "tensor") != 0)
    {
      ghlo_tool_error ("expected --format=tensor or --format=dense, found '%s'", options.format_name);
      return GHLO_TOOL_USAGE;
    }
  if (ghlo_devices_choose (options.device, &error) == NULL)
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_USAGE;
    }

  return run_file (&options, argv[1]) ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
}
