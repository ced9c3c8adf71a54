/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Measures one program: how long loading, preparing, the first run and the further
 * runs take, and how much memory they touch.
 */

#include "tools/bench.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/ghlo-error.h"
#include "compiler/auto.h"
#include "runtime/place.h"

enum { MIN_RUNS = 5, MAX_RUNS = 100000 };

/* The runs that a device has in its queue at a time, and how often they are measured at least. */
enum { QUEUED_RUNS = 16, MIN_ROUNDS = 3 };

/* The program being measured. */
typedef struct
{
  GhloPrepared *prepared;
  GPtrArray    *inputs;          /* of GhloValue */
  guint         n_outputs;
  gint64        fallback_time;   /* for GhloRunOptions, accumulated over all runs */
} Program;

static void
program_clear (Program *self)
{
  g_clear_pointer (&self->prepared, ghlo_prepared_free);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Program, program_clear)

/* In nanoseconds, since a small program takes only a few microseconds. */
static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static double
seconds_since (gint64 start)
{
  return (double) (now () - start) / 1e9;
}

static long
count_faults (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);

  return usage.ru_minflt;
}

/* Runs once. Releasing the outputs is not part of the measured time. @profile is nullable. */
static gboolean
run_once (Program         *self,
          GhloRunProfile  *profile,
          double          *seconds,
          GError         **error)
{
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, self->n_outputs + 1);
  const GhloRunOptions options = { .fallback_time = &self->fallback_time, .profile = profile };
  gint64 start = now ();
  gboolean ok = ghlo_prepared_run (self->prepared, &options, (GhloValue *const *) self->inputs->pdata,
                                   self->inputs->len, outputs, NULL, error);

  *seconds = seconds_since (start);
  for (guint i = 0; i < self->n_outputs && ok; i++)
    ghlo_value_unref (outputs[i]);

  return ok;
}

static int
compare_doubles (gconstpointer a,
                 gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The smallest sample that the fraction @share of all sorted samples does not exceed. */
static double
percentile (GArray *samples,
            double  share)
{
  guint rank = (guint) ceil (share * samples->len);

  return g_array_index (samples, double, CLAMP (rank, 1, samples->len) - 1);
}

static void
summarize (GArray          *samples,
           GhloBenchResult *result)
{
  double sum = 0, squares = 0;

  g_array_sort (samples, compare_doubles);
  for (guint i = 0; i < samples->len; i++)
    sum += g_array_index (samples, double, i);
  result->n_runs = samples->len;
  result->mean = sum / samples->len;
  for (guint i = 0; i < samples->len; i++)
    squares += pow (g_array_index (samples, double, i) - result->mean, 2);
  result->deviation = samples->len > 1 ? sqrt (squares / (samples->len - 1)) : 0;
  result->minimum = g_array_index (samples, double, 0);
  result->median = (percentile (samples, 0.5) + g_array_index (samples, double, samples->len / 2)) / 2;
  result->p95 = percentile (samples, 0.95);
  result->p99 = percentile (samples, 0.99);
}

static gboolean
run_many (Program                 *self,
          const GhloBenchOptions  *options,
          GhloBenchResult         *result,
          GError                 **error)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (double));
  gint64 start;
  double seconds;
  long faults;

  if (!run_once (self, NULL, &result->first, error)
      || (options->wait_for_code && !ghlo_prepared_wait_for_code (self->prepared, NULL, error)))
    return FALSE;
  for (guint i = 1; i < options->warm_up; i++)
    if (!run_once (self, NULL, &seconds, error))
      return FALSE;

  faults = count_faults ();
  self->fallback_time = 0;
  start = now ();
  for (guint i = 0; i < MAX_RUNS; i++)
    {
      if (options->repetitions > 0 ? i >= options->repetitions
                                   : i >= MIN_RUNS && seconds_since (start) >= options->seconds)
        break;
      if (!run_once (self, NULL, &seconds, error))
        return FALSE;
      g_array_append_val (samples, seconds);
    }
  result->faults = (double) (count_faults () - faults) / samples->len;
  summarize (samples, result);
  /* An executor without plans is the reference executor. */
  result->reference = ghlo_prepared_is_interpreted (self->prepared)
                      ? 1 : (double) self->fallback_time / G_USEC_PER_SEC / (result->mean * result->n_runs);

  return TRUE;
}

/* Copies inputs to where the device works, so that runs do not begin with copying them. */
static gboolean
place_inputs (Program         *self,
              GhloDeviceCore  *device,
              GError         **error)
{
  for (guint i = 0; i < self->inputs->len; i++)
    {
      GhloValue *placed = ghlo_value_place (self->inputs->pdata[i], device, NULL, error);

      if (placed == NULL)
        return FALSE;
      ghlo_value_unref (self->inputs->pdata[i]);
      self->inputs->pdata[i] = placed;
    }

  return TRUE;
}

/* Runs several times without waiting in between. Sets *@seconds to the time of one of the runs. */
static gboolean
run_queued (Program  *self,
            double   *seconds,
            GError  **error)
{
  g_autofree GhloValue **outputs = g_new0 (GhloValue *, self->n_outputs + 1);
  GhloFence *last = NULL;
  gint64 start = now ();
  gboolean ok = TRUE;

  for (guint i = 0; i < QUEUED_RUNS && ok; i++)
    {
      g_clear_pointer (&last, ghlo_fence_unref);
      ok = ghlo_prepared_start (self->prepared, NULL, (GhloValue *const *) self->inputs->pdata, self->inputs->len,
                                outputs, &last, NULL, error);
      for (guint k = 0; k < self->n_outputs && ok; k++)
        g_clear_pointer (&outputs[k], ghlo_value_unref);
    }
  ok = ok && ghlo_fence_wait (last, NULL, error);
  g_clear_pointer (&last, ghlo_fence_unref);
  *seconds = seconds_since (start) / QUEUED_RUNS;

  return ok;
}

/* Only devices with a queue begin a run before the one before it has ended. */
static gboolean
measure_queue (Program                 *self,
               const GhloBenchOptions  *options,
               GhloBenchResult         *result,
               GError                 **error)
{
  const gint64 start = now ();

  for (guint i = 0; i < MIN_ROUNDS || (options->repetitions == 0 && seconds_since (start) < options->seconds); i++)
    {
      double seconds;

      if (!run_queued (self, &seconds, error))
        return FALSE;
      result->queued = i == 0 ? seconds : MIN (result->queued, seconds);
    }

  return TRUE;
}

/* Profiled runs are separate from the timed ones, since profiling takes time. */
static gboolean
profile_many (Program          *self,
              GhloBenchResult  *result,
              GError          **error)
{
  g_autoptr (GhloRunProfile) profile = ghlo_run_profile_new ();
  char *text = NULL;
  size_t size;
  FILE *file;
  double seconds;

  for (guint i = 0; i < result->n_runs; i++)
    if (!run_once (self, profile, &seconds, error))
      return FALSE;
  file = open_memstream (&text, &size);
  ghlo_tool_print_profile (file, self->prepared, profile);
  fclose (file);
  result->steps = g_strdup (text);
  free (text);

  return TRUE;
}

gboolean
ghlo_bench_measure (const char              *path,
                    const GhloBenchOptions  *options,
                    GhloBenchResult         *result,
                    GError                 **error)
{
  g_autoptr (GhloIrModule) module = NULL, optimized = NULL;
  g_auto (Program) program = { NULL };
  g_autofree char *reason = NULL;
  GhloDeviceCore *device;
  GhloRunFigures figures;
  GhloMemoryUse use;
  GhloIrOp *function;
  gint64 start = now ();

  ghlo_memory_reset_peak ();
  module = ghlo_tool_load (path, NULL);
  function = module != NULL ? ghlo_ir_module_get_entry (module) : NULL;
  if (function == NULL || ghlo_ir_func_get_body (function) == NULL)
    {
      g_autofree char *found = module != NULL ? ghlo_ir_module_describe_functions (module) : NULL;

      g_set_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT,
                   "%s: expected a function 'main' or a single public function to run, found %s", path,
                   found != NULL ? found : "no program");
      return FALSE;
    }
  *result = (GhloBenchResult) { .name = g_path_get_basename (path), .load = seconds_since (start) };
  ghlo_ir_cost (function, &result->cost);
  program.n_outputs = ghlo_ir_op_get (function, "function_type")->type->n_results;
  program.inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ghlo_value_unref);
  if (!ghlo_tool_make_inputs (options->inputs, options->fill, function, program.inputs, error))
    return FALSE;

  start = now ();
  device = ghlo_auto_choose (options->device, module, &reason, error);
  optimized = device != NULL ? ghlo_tool_optimize (module, device, error) : NULL;
  if (optimized == NULL)
    return FALSE;
  program.prepared = ghlo_tool_prepare (device, reason != NULL, optimized, ghlo_ir_module_get_entry (optimized),
                                        error);
  if (program.prepared == NULL)
    return FALSE;
  result->compile = seconds_since (start);
  if (ghlo_prepared_measure (program.prepared, &figures))
    result->planned_bytes = ghlo_run_figures_peak (&figures);
  if (!ghlo_device_core_is_host (device))
    ghlo_device_core_reset_memory_peak (device);
  if (!place_inputs (&program, device, error) || !run_many (&program, options, result, error))
    return FALSE;
  if (!ghlo_device_core_is_host (device) && device->rates != NULL)
    {
      result->copy = device->rates->bytes;
      for (guint i = 0; i < GHLO_N_PRODUCT_RATES; i++)
        result->products = MAX (result->products, device->rates->products[i]);
    }
  if (ghlo_device_core_is_host (device))
    result->queued = result->minimum;
  else if (!measure_queue (&program, options, result, error))
    return FALSE;
  ghlo_device_core_measure_memory (device, &use);
  result->peak_bytes = use.peak;

  return !options->profile || profile_many (&program, result, error);
}

void
ghlo_bench_result_clear (GhloBenchResult *result)
{
  g_clear_pointer (&result->name, g_free);
  g_clear_pointer (&result->steps, g_free);
}
