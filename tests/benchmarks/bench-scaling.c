/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How time grows with a program, in each direction in which a program may be large:
 * for every shape the time of reading, verifying, printing, copying, writing and reading
 * bytecode, planning what was read, and passes, and the exponent log (t (4 n) / t (n)) / log 4, which is 1 where
 * the time is linear. On one core; the best of several repetitions.
 *
 *   bench-scaling [OPERATIONS] [SHAPE…]           OPERATIONS is 4 n
 *   bench-scaling --passes [OPERATIONS] [SHAPE…]  each pass too
 *   bench-scaling --once OPERATIONS [SHAPE…]      each program once, for a profiler
 *
 * scaling.py counts instructions by the last of these, under callgrind.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"
#include "reference/device.h"
#include "compiler/devices.h"
#include "compiler/optimize.h"
#include "cpu/device.h"
#include "runtime/run-plan.h"
#include "scaling-shapes.h"

/* What was counted for a program is written under its name. */
#ifdef HAVE_CALLGRIND
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

enum { REPETITIONS = 5, N_PASSES = 12, LEVEL = 2 };

/* Seconds after which a program is not measured again. */
#define LONG_ENOUGH 10.0

/* Times under this, in seconds, say nothing about growth. */
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
  double passes[N_PASSES];
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

/* Seconds of the processor, of which others that use it take none. */
static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);

  return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

/* The seconds since *@start, which becomes now. */
static double
lap (double *start)
{
  double begin = *start;

  *start = now ();

  return *start - begin;
}

static void
run_passes (GhloIrModule *module,
            Times        *times)
{
  const GhloOptimizeOptions options = { .level = LEVEL, .evaluator = ghlo_reference_device () };
  double start = now ();
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  GError *error = NULL;
  g_autoptr (GhloIrModule) optimized = ghlo_optimize (module, &options, NULL, report, &error);

  if (optimized == NULL
      || !ghlo_fuse (optimized, ghlo_devices_find ("cpu"), &options, NULL, NULL, NULL, report, &error))
    stop ("passes", NULL, error);
  for (guint i = 0; i < MIN (ghlo_passes_count (), N_PASSES); i++)
    times->passes[i] = report->records[i].microseconds / 1e6;
  times->phases[PASSES] = lap (&start);
}

/* For the CPU. What is no plan, or more than one may hold, is given up. */
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
  times->phases[PLAN] = lap (&start);
}

/* The whole way of one program, once. */
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

  times.phases[PARSE] = lap (&start);
  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    stop ("text", diagnostics, NULL);
  times.phases[VERIFY] = lap (&start);
  printed = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  times.phases[PRINT] = lap (&start);
  copy = ghlo_ir_module_copy (module);
  times.phases[COPY] = lap (&start);
  bytes = ghlo_export_artifact (copy, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, &error);
  times.phases[WRITE] = lap (&start);
  if (bytes == NULL)
    stop ("write", NULL, error);
  again = ghlo_import_bytecode (bytes, GHLO_IMPORT_DEFAULT, of_bytes, NULL, NULL);
  times.phases[READ] = lap (&start);
  if (again == NULL || !ghlo_ir_verify (again, of_bytes, NULL))
    stop ("bytecode", of_bytes, NULL);
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

/* The least times of @shape at @n / 4 and at @n, measured in turns. */
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
        keep_least (least[k].passes, times.passes, N_PASSES);
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

/* The passes that take long enough to say something. */
static void
print_passes (const Times *least)
{
  for (guint i = 0; i < MIN (ghlo_passes_count (), N_PASSES); i++)
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
       guint               n)
{
  g_autoptr (GString) text = make_text (shape, n);

  CALLGRIND_ZERO_STATS;
  run_once (text);
  CALLGRIND_DUMP_STATS_AT (shape->name);
}

int
main (int    argc,
      char **argv)
{
  const ScalingShape *tables[] = { scaling_structures, scaling_attributes, scaling_rewrites };
  gboolean once = argc > 1 && strcmp (argv[1], "--once") == 0, passes = argc > 1 && strcmp (argv[1], "--passes") == 0;
  char **arguments = argv + 1 + (once || passes);
  guint n = arguments < argv + argc ? (guint) atoi (*arguments++) : 100000;

  if (!once)
    {
      printf ("milliseconds at %u operations, and the exponent from %u on\n%-20s", n, n / 4, "");
      for (guint i = 0; i < N_PHASES; i++)
        printf (" %8s     ", phase_names[i]);
      printf ("\n");
    }
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    for (const ScalingShape *shape = tables[i]; shape->name != NULL; shape++)
      {
        if (arguments < argv + argc && !is_named (shape, arguments))
          continue;
        if (once)
          count (shape, n);
        else
          print_row (shape, n, passes);
      }

  return 0;
}
