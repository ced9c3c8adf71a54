/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * `ghlo bench`: measures how long programs take, compared with the peak rates of
 * the machine.
 */

#include "tools/bench.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  GhloBenchOptions bench;
  int              warm_up, repetitions;
  double           tolerance;     /* per cent */
  char           **inputs;
  char            *fill, *device, *format, *save, *baseline;
} Options;

static void
options_clear (Options *options)
{
  g_strfreev (options->inputs);
  g_free (options->fill);
  g_free (options->device);
  g_free (options->format);
  g_free (options->save);
  g_free (options->baseline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static gboolean
check_options (Options  *options,
               GError  **error)
{
  const char *problem = NULL;

  if (options->warm_up < 1 || options->repetitions < 0)
    problem = "expected --warm-up of 1 or more and --repeat of 0 or more";
  else if (!(options->bench.seconds >= 0) || !(options->tolerance >= 0))
    problem = "expected --time and --tolerance of 0 or more";
  else if (options->format != NULL && !g_strv_contains ((const char *const[]) { "table", "json", "csv", NULL },
                                                        options->format))
    problem = "expected --format=table, json or csv";
  if (problem != NULL)
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s; \"ghlo bench --help\" tells more", problem);
      return FALSE;
    }
  options->bench.warm_up = (guint) options->warm_up;
  options->bench.repetitions = (guint) options->repetitions;
  options->bench.inputs = options->inputs;
  options->bench.fill = options->fill != NULL ? options->fill : "random:1";
  options->bench.device = options->device;

  return ghlo_devices_choose (options->device, error) != NULL;
}

static gboolean
save (const char  *path,
      JsonNode    *json,
      GError     **error)
{
  char *text = json_to_string (json, TRUE);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  return ghlo_tool_write_file (path, bytes, error);
}

static gboolean
load (JsonParser  *parser,
      const char  *path,
      GError     **error)
{
  g_autoptr (GBytes) bytes = ghlo_tool_read_file (path, error);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (bytes == NULL)
    return FALSE;
  if (json_parser_load_from_data (parser, text != NULL ? text : "", (gssize) size, error))
    return TRUE;
  g_prefix_error (error, "%s: ", path);

  return FALSE;
}

/* Prints and saves the results. Returns the number of programs that became slower. */
static guint
report_results (const Options          *options,
                const GhloBenchMachine *machine,
                GArray                 *results,
                GError                **error)
{
  const GhloBenchResult *first = (gconstpointer) results->data;
  g_autoptr (JsonNode) json = ghlo_bench_to_json (machine, first, results->len);
  g_autoptr (JsonParser) parser = json_parser_new ();

  if (options->save != NULL && !save (options->save, json, error))
    return 0;
  if (g_strcmp0 (options->format, "csv") == 0)
    {
      ghlo_bench_print_csv (machine, first, results->len);
      return 0;
    }
  if (g_strcmp0 (options->format, "json") == 0)
    {
      g_autofree char *text = json_to_string (json, TRUE);

      puts (text);
      return 0;
    }
  if (options->baseline != NULL && !load (parser, options->baseline, error))
    return 0;

  return ghlo_bench_print_table (machine, first, results->len, json_parser_get_root (parser),
                                 options->tolerance / 100);
}

/* Prints to standard error, to keep the steps out of the table that scripts read. */
static void
print_steps (GArray *results)
{
  for (guint i = 0; i < results->len; i++)
    {
      const GhloBenchResult *result = &g_array_index (results, GhloBenchResult, i);

      if (result->steps != NULL)
        fprintf (stderr, "%s, %u runs:\n%s", result->name, result->n_runs, result->steps);
    }
}

static gboolean
measure_all (const Options *options,
             char         **paths,
             guint          n_paths,
             GArray        *results)
{
  GhloToolProgress progress;
  gboolean ok = TRUE;

  ghlo_tool_progress_init (&progress, "measuring");
  for (guint i = 0; i < n_paths; i++)
    {
      g_autoptr (GError) error = NULL;
      GhloBenchResult result;

      ghlo_monitor_progress (&progress.monitor, (double) i / n_paths, paths[i]);
      if (ghlo_bench_measure (paths[i], &options->bench, &result, &error))
        {
          g_array_append_val (results, result);
          continue;
        }
      ghlo_tool_progress_end (&progress);
      ghlo_tool_error ("%s", error->message);
      ok = FALSE;
    }
  ghlo_tool_progress_end (&progress);

  return ok;
}

int
ghlo_tool_bench (int    argc,
                 char **argv)
{
  g_auto (Options) options = { .warm_up = 2, .tolerance = 10, .bench.seconds = 1 };
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (GhloBenchResult));
  g_autoptr (GError) error = NULL;
  GhloBenchMachine machine;
  guint n_slower;
  int status;
  const GOptionEntry entries[] = {
    { "repeat", 'n', 0, G_OPTION_ARG_INT, &options.repetitions, "Number of timed runs, instead of --time", "N" },
    { "time", 't', 0, G_OPTION_ARG_DOUBLE, &options.bench.seconds,
      "Total time of the runs of each program (1); at least 5 runs", "SECONDS" },
    { "warm-up", 'w', 0, G_OPTION_ARG_INT, &options.warm_up, "Number of untimed runs before the timed ones (2)", "N" },
    { "input", 'i', 0, G_OPTION_ARG_STRING_ARRAY, &options.inputs,
      "The next input of each program, or the input called NAME, as in ghlo run", "[NAME=]SPEC" },
    { "fill", 0, 0, G_OPTION_ARG_STRING, &options.fill,
      "Content of every input without --input, as in ghlo run (random:1)", "SPEC" },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device, "The device to run on (auto)", "NAME" },
    { "wait-for-code", 0, 0, G_OPTION_ARG_NONE, &options.bench.wait_for_code,
      "After the first run, wait until the machine code of all kernels is generated", NULL },
    { "profile", 0, 0, G_OPTION_ARG_NONE, &options.bench.profile,
      "Print the time of each step, measured in as many further runs", NULL },
    { "format", 0, 0, G_OPTION_ARG_STRING, &options.format, "Output: table (default), json or csv", "FORMAT" },
    { "save", 0, 0, G_OPTION_ARG_FILENAME, &options.save, "Save the results as JSON", "FILE" },
    { "baseline", 0, 0, G_OPTION_ARG_FILENAME, &options.baseline, "Compare with results of an earlier --save", "FILE" },
    { "tolerance", 0, 0, G_OPTION_ARG_DOUBLE, &options.tolerance,
      "The slowdown against the baseline that is tolerated (10)", "PERCENT" },
    G_OPTION_ENTRY_NULL
  };

  if (!ghlo_tool_parse_options ("bench", entries, &argc, &argv, &status))
    return status;
  if (!check_options (&options, &error))
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_USAGE;
    }

  g_array_set_clear_func (results, (GDestroyNotify) ghlo_bench_result_clear);
  ghlo_bench_machine (&machine);
  status = measure_all (&options, argv + 1, (guint) argc - 1, results) ? GHLO_TOOL_OK : GHLO_TOOL_FAILED;
  print_steps (results);
  n_slower = report_results (&options, &machine, results, &error);
  if (error != NULL)
    {
      ghlo_tool_error ("%s", error->message);
      return GHLO_TOOL_FAILED;
    }

  return n_slower > 0 ? GHLO_TOOL_FAILED : status;
}
