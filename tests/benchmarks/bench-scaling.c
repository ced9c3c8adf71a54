/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How time grows with the size of a program, for each way in which a program may be large:
 * for every shape the time of reading, verifying, printing, copying, writing and reading
 * bytecode, planning, and passes, and the exponent log (t (4 n) / t (n)) / log 4, which is 1 where
 * the time is linear. On one core; the best of several repetitions.
 *
 *   bench-scaling [OPERATIONS] [SHAPE…]                 OPERATIONS is 4 n
 *   bench-scaling --passes [OPERATIONS] [SHAPE…]        each pass too
 *   bench-scaling --once OPERATIONS[,…] [SHAPE…]        each program once at each size, for valgrind
 *
 * scaling.py uses the last form to count steps.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "cpu/device.h"
#include "execute/run-plan.h"
#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"
#include "reference/device.h"
#include "scaling-shapes.h"

#ifdef HAVE_VALGRIND
#include <valgrind/valgrind.h>
#else
#define VALGRIND_PRINTF(...) ((void) 0)
#define VALGRIND_MONITOR_COMMAND(command) ((void) 0)
#endif

enum { REPETITIONS = 5, MAX_PASSES = 32, LEVEL = 2 };

/* A program that takes longer, in seconds, is not measured again. */
#define LONG_ENOUGH 10.0

/* Times under this, in seconds, are too short to show growth. */
#define MIN_TIME 0.002

typedef enum
{
  PARSE,
  VERIFY,
  PRINT,
  COPY,
  WRITE,
  READ,
  PLAN,
  PASSES,
  N_PHASES,
} Phase;

static const char *const phase_names[N_PHASES] = { "parse", "verify", "print", "copy", "write", "read", "plan",
                                                   "O2" };

typedef struct
{
  double phases[N_PHASES];
  double passes[MAX_PASSES];
} Times;

static void G_GNUC_NORETURN
stop (const char      *what,
      GhloDiagnostics *diagnostics,
      GError          *error)
{
  if (diagnostics != NULL)
    ghlo_diagnostics_to_error (diagnostics, &error);
  g_printerr ("%s: %s\n", what, error != NULL ? error->message : "failed");
  exit (1);
}

/* Returns the processor time of this process in seconds, which does not depend on other load. */
static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);

  return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

/* Writes a line "KIND NAME" to valgrind's log, followed by statistics of its core, with the count of steps so far. */
static void
tell_steps (const char *kind,
            const char *name)
{
  VALGRIND_PRINTF ("%s %s\n", kind, name);
  VALGRIND_MONITOR_COMMAND ("v.info stats");
}

/* Ends @phase: returns the seconds since *@start, and sets *@start to now. */
static double
lap (double *start,
     Phase   phase)
{
  double begin = *start;

  tell_steps ("did", phase_names[phase]);
  *start = now ();

  return *start - begin;
}

/* Called before each pass; the module is copied before the first one. */
static void
on_pass_begins (gpointer    data,
                double      fraction,
                const char *detail)
{
  const char **running = data;

  tell_steps ("did", *running);
  *running = detail;
}

/* Runs each fusion pass in a call of its own, with the others disabled. */
static gboolean
run_fusions (GhloIrModule    *module,
             GhloPassReport  *report,
             GError         **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < ghlo_passes_count (); i++)
    {
      const char *only[] = { ghlo_pass_get_name (i), NULL };
      const GhloOptimizeOptions options = { .enabled = ghlo_pass_get_level (i) <= LEVEL ? only : NULL };

      ok = ghlo_fuse (module, ghlo_devices_find ("cpu"), &options, NULL, NULL, NULL, report, error);
      tell_steps ("did", only[0]);
    }

  return ok;
}

static void
run_passes (GhloIrModule *module,
            Times        *times)
{
  const GhloOptimizeOptions options = { .level = LEVEL, .evaluator = ghlo_reference_device () };
  const char *running = phase_names[COPY];
  const GhloMonitor monitor = { .progress = on_pass_begins, .progress_data = &running };
  double start = now ();
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  GError *error = NULL;
  g_autoptr (GhloIrModule) optimized = ghlo_optimize (module, &options, &monitor, report, &error);

  g_assert (ghlo_passes_count () <= MAX_PASSES);
  tell_steps ("did", running);
  if (optimized == NULL || !run_fusions (optimized, report, &error))
    stop ("passes", NULL, error);
  for (guint i = 0; i < ghlo_passes_count (); i++)
    times->passes[i] = report->records[i].microseconds / 1e6;
  times->phases[PASSES] = lap (&start, PASSES);
}

/* Plans for the CPU. Gives up where there is no plan, or the program exceeds a plan's limits. */
static void
run_plan (const GhloIrModule *module,
          Times              *times)
{
  double start = now ();
  const GhloIrOp *entry = ghlo_ir_module_get_entry (module);
  const GhloPrepareOptions options = { .fallback = ghlo_reference_device () };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloRunPlan) plan = NULL;

  if (entry != NULL)
    plan = ghlo_run_plan_new (ghlo_cpu_device (), module, entry, &options, NULL, &error);
  if (error != NULL && !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    stop ("plan", NULL, g_steal_pointer (&error));
  g_clear_pointer (&plan, ghlo_run_plan_free);
  times->phases[PLAN] = lap (&start, PLAN);
}

/* Takes one program through all phases once. */
static Times
run_once (const GString *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("bench.mlir", text->str, text->len);
  g_autoptr (GhloDiagnostics) of_bytes = ghlo_diagnostics_new ("bench.mlirbc", NULL, 0);
  Times times = { 0 };
  double start = now ();
  g_autoptr (GhloIrModule) module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  g_autoptr (GhloIrModule) copy = NULL;
  g_autoptr (GhloIrModule) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *printed = NULL;
  GError *error = NULL;

  times.phases[PARSE] = lap (&start, PARSE);
  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    stop ("text", diagnostics, NULL);
  times.phases[VERIFY] = lap (&start, VERIFY);
  printed = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  times.phases[PRINT] = lap (&start, PRINT);
  copy = ghlo_ir_module_copy (module);
  times.phases[COPY] = lap (&start, COPY);
  bytes = ghlo_export_artifact (copy, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, &error);
  times.phases[WRITE] = lap (&start, WRITE);
  if (bytes == NULL)
    stop ("write", NULL, error);
  again = ghlo_import_bytecode (bytes, GHLO_IMPORT_DEFAULT, of_bytes, NULL, NULL);
  times.phases[READ] = lap (&start, READ);
  if (again == NULL || !ghlo_ir_verify (again, of_bytes, NULL))
    stop ("bytecode", of_bytes, NULL);
  times.phases[VERIFY] += lap (&start, VERIFY);
  run_plan (module, &times);
  run_passes (module, &times);

  return times;
}

static void
keep_least (double       *least,
            const double *times,
            guint         n)
{
  for (guint i = 0; i < n; i++)
    least[i] = MIN (least[i], times[i]);
}

static GString *
make_text (const ScalingShape *shape,
           guint               n)
{
  GString *text = g_string_new (NULL);

  shape->write (text, MAX (n / shape->share, 2));

  return text;
}

/* Measures the least times of @shape at @n / 4 and at @n, alternating. */
static void
measure (const ScalingShape *shape,
         guint               n,
         Times              *least)
{
  double start = now ();

  for (guint i = 0; i < REPETITIONS && (i == 0 || now () - start < LONG_ENOUGH); i++)
    for (guint k = 0; k < 2; k++)
      {
        g_autoptr (GString) text = make_text (shape, k == 0 ? n / 4 : n);
        Times times = run_once (text);

        if (i == 0)
          least[k] = times;
        keep_least (least[k].phases, times.phases, N_PHASES);
        keep_least (least[k].passes, times.passes, ghlo_passes_count ());
      }
}

static void
print_cell (double small,
            double large)
{
  if (large < MIN_TIME)
    printf (" %8.1f     ", large * 1e3);
  else
    printf (" %8.1f %4.2f", large * 1e3, log (large / MAX (small, 1e-6)) / log (4));
}

static gboolean
is_named (const ScalingShape *shape,
          char              **names)
{
  for (; *names != NULL; names++)
    if (strcmp (*names, shape->name) == 0)
      return TRUE;

  return FALSE;
}

/* Prints the passes that take long enough for a meaningful exponent. */
static void
print_passes (const Times *least)
{
  for (guint i = 0; i < ghlo_passes_count (); i++)
    if (least[1].passes[i] >= MIN_TIME)
      {
        printf ("  %-18s", ghlo_pass_get_name (i));
        print_cell (least[0].passes[i], least[1].passes[i]);
        printf ("\n");
      }
}

static void
print_row (const ScalingShape *shape,
           guint               n,
           gboolean            passes)
{
  Times least[2];

  measure (shape, n, least);
  printf ("%-20s", shape->name);
  for (guint i = 0; i < N_PHASES; i++)
    print_cell (least[0].phases[i], least[1].phases[i]);
  printf ("\n");
  if (passes)
    print_passes (least);
  fflush (stdout);
}

static void
count (const ScalingShape *shape,
       const char         *sizes)
{
  g_auto (GStrv) all = g_strsplit (sizes, ",", -1);

  for (char **size = all; *size != NULL; size++)
    {
      g_autoptr (GString) text = make_text (shape, (guint) atoi (*size));

      tell_steps (*size, shape->name);
      run_once (text);
      tell_steps ("did", "free");
    }
}

static void
print_head (guint n)
{
  printf ("milliseconds at %u operations, and the exponent from %u on\n%-20s", n, n / 4, "");
  for (guint i = 0; i < N_PHASES; i++)
    printf (" %8s     ", phase_names[i]);
  printf ("\n");
}

int
main (int    argc,
      char **argv)
{
  const ScalingShape *tables[] = { scaling_structures, scaling_attributes, scaling_rewrites };
  gboolean once = argc > 1 && strcmp (argv[1], "--once") == 0, passes = argc > 1 && strcmp (argv[1], "--passes") == 0;
  char **arguments = argv + 1 + (once || passes);
  const char *sizes = arguments < argv + argc ? *arguments++ : "100000";
  guint n = (guint) atoi (sizes);

  if (!once)
    print_head (n);
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const ScalingShape *shape = tables[i]; shape->name != NULL; shape++)
      {
        if (arguments < argv + argc && !is_named (shape, arguments))
          continue;
        if (once)
          count (shape, sizes);
        else
          print_row (shape, n, passes);
      }

  return 0;
}
