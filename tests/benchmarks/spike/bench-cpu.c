/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each kernel under each of its schedules: whether the code gives the interpreter's
 * bits, milliseconds to compile, and time per run beside a copy of as many bytes in the
 * same process. Least of several runs.
 *
 *   bench-spike-cpu [--level=x86-64-v2] [--only=KERNEL] [--print] [--listing] [--seconds=S]
 *   bench-spike-cpu --exponential     goes through every f32
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interpret.h"
#include "kernels.h"
#include "llvm-jit.h"
#include "runtime/parallel.h"

static char *level, *only;
static gboolean print, listing, every_f32, compiling;
static double seconds = 0.15;

static const GOptionEntry entries[] = {
  { "level", 0, 0, G_OPTION_ARG_STRING, &level, "Processor to compile for (this one)", "LEVEL" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "This kernel alone", "KERNEL" },
  { "print", 0, 0, G_OPTION_ARG_NONE, &print, "Print kernels and schedules", NULL },
  { "listing", 0, 0, G_OPTION_ARG_NONE, &listing, "Print the assembly of the first schedule", NULL },
  { "seconds", 0, 0, G_OPTION_ARG_DOUBLE, &seconds, "How long each schedule is run", "S" },
  { "exponential", 0, 0, G_OPTION_ARG_NONE, &every_f32, "Errors of the exponential over every f32", NULL },
  { "compiling", 0, 0, G_OPTION_ARG_NONE, &compiling, "Compile times by passes and level of code generation", NULL },
  { NULL }
};

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);

  return (double) time.tv_sec * 1e6 + (double) time.tv_nsec * 1e-3;
}

typedef struct
{
  const GhloKernel   *kernel;
  const GhloSchedule *schedule;
  GhloKernelFunc      function;
  gpointer            buffers[GHLO_KERNEL_MAX_BUFFERS];
  guint8             *scratch;          /* a share for each worker */
  gsize               scratch_size;     /* of one share */
  gsize               bytes;            /* of all buffers */
  guint8             *from, *to;        /* of bytes / 2 each, for the copy */
} Run;

static guint64
next (guint64 *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;

  return *state >> 32;
}

/* Normal enough: sums of uniform numbers, of both signs, some zeros. Indices go beyond
 * both ends. */
static void
fill (const GhloKernel *kernel,
      guint             number,
      gpointer          buffer)
{
  gsize size = kernel->buffers[number].size;
  guint64 state = number + 1;
  guint8 element = 0;

  for (guint i = 0; i < kernel->n_accesses; i++)
    if (kernel->accesses[i].buffer == number)
      element = kernel->accesses[i].element;
  if (element == GHLO_ELEMENT_TYPE_BF16)
    for (gsize i = 0; i < size / 2; i++)
      ((guint16 *) buffer)[i] = next (&state);
  for (gsize i = 0; i < size / 4; i++)
    if (element == GHLO_ELEMENT_TYPE_I32)
      ((gint32 *) buffer)[i] = (gint32) (next (&state) % 1100) - 50;
    else if (element == GHLO_ELEMENT_TYPE_F32)
      ((float *) buffer)[i] = next (&state) % 16 == 0 ? 0
                              : (next (&state) * 0x1p-32 + next (&state) * 0x1p-32 + next (&state) * 0x1p-32 - 1.5) * 4;
}

static void
run_part (gpointer data,
          gsize    begin,
          gsize    end,
          guint    worker)
{
  Run *run = data;

  run->function (run->buffers, run->scratch + worker * run->scratch_size, begin, end);
}

static void
copy_part (gpointer data,
           gsize    begin,
           gsize    end,
           guint    worker)
{
  Run *run = data;

  memcpy (run->to + begin, run->from + begin, end - begin);
}

typedef struct
{
  double alone, threads, copy_alone, copy_threads;      /* microseconds */
} Times;

static void
keep_least (double *least,
            double  start)
{
  double time = now () - start;

  if (*least == 0 || time < *least)
    *least = time;
}

/* What is below 100 µs by the run alone is not split, neither the kernel nor the copy. */
static Times
measure (Run *run)
{
  gint64 extent = run->kernel->axes[0].extent;
  Times times = { 0 };
  double end = now () + seconds * 1e6, start;

  for (guint i = 0; i < 5 || now () < end; i++)
    {
      start = now ();
      run->function (run->buffers, run->scratch, 0, extent);
      keep_least (&times.alone, start);
      start = now ();
      memcpy (run->to, run->from, run->bytes / 2);
      keep_least (&times.copy_alone, start);
      start = now ();
      ghlo_parallel_for (extent, run->schedule->grain, times.alone * 1e3, run_part, run, NULL);
      keep_least (&times.threads, start);
      start = now ();
      ghlo_parallel_for (run->bytes / 2, 65536, times.copy_alone * 1e3, copy_part, run, NULL);
      keep_least (&times.copy_threads, start);
    }

  return times;
}

/* Of what was written, in words of the interpreter's. */
static guint
count_differences (Run             *run,
                   gpointer const  *expected)
{
  guint differences = 0;

  for (guint i = 0; i < run->kernel->n_buffers; i++)
    for (gint64 j = 0; j < run->kernel->buffers[i].size; j++)
      differences += ((guint8 *) run->buffers[i])[j] != ((guint8 *) expected[i])[j];

  return differences;
}

static void
run_init (Run              *run,
          const GhloKernel *kernel)
{
  *run = (Run) { .kernel = kernel };
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      run->buffers[i] = aligned_alloc (64, (kernel->buffers[i].size + 63) & ~63);
      memset (run->buffers[i], 0, kernel->buffers[i].size);
      if (!kernel->buffers[i].written)
        fill (kernel, i, run->buffers[i]);
      run->bytes += kernel->buffers[i].size;
    }
  run->from = aligned_alloc (64, (run->bytes / 2 + 63) & ~63);
  run->to = aligned_alloc (64, (run->bytes / 2 + 63) & ~63);
  memset (run->from, 1, run->bytes / 2);
  memset (run->to, 1, run->bytes / 2);
}

static void
run_clear (Run *run)
{
  for (guint i = 0; i < run->kernel->n_buffers; i++)
    free (run->buffers[i]);
  free (run->from);
  free (run->to);
}

/* Runs the code in uneven parts first, then compares with the interpreter. */
static guint
compare (Run   *run,
         char **error)
{
  gint64 extent = run->kernel->axes[0].extent, third = extent / 3;
  gpointer expected[GHLO_KERNEL_MAX_BUFFERS];
  guint differences = 0;

  for (guint i = 0; i < run->kernel->n_buffers; i++)
    expected[i] = g_memdup2 (run->buffers[i], run->kernel->buffers[i].size);
  run->function (run->buffers, run->scratch, 0, third);
  run->function (run->buffers, run->scratch, third, extent);
  if (ghlo_kernel_interpret (run->kernel, run->schedule, expected, error))
    differences = count_differences (run, expected);
  for (guint i = 0; i < run->kernel->n_buffers; i++)
    {
      g_free (expected[i]);
      if (run->kernel->buffers[i].written)
        memset (run->buffers[i], 0, run->kernel->buffers[i].size);
    }

  return differences;
}

/* Whether the interpreter notices an access moved to the end of its buffer. */
static gboolean
finds_strays (const Run          *run,
              const GhloSchedule *schedule)
{
  gboolean found = TRUE;

  for (guint i = 0; i < run->kernel->n_accesses; i++)
    {
      g_autofree GhloKernel *stray = g_memdup2 (run->kernel, sizeof *stray);
      g_autofree char *error = NULL;
      GhloKernelAccess *access = &stray->accesses[i];

      access->offset += stray->buffers[access->buffer].size;
      if (ghlo_kernel_interpret (stray, schedule, run->buffers, &error))
        {
          printf ("  the interpreter did not notice access %u out of bounds\n", i);
          found = FALSE;
        }
    }

  return found;
}

static gboolean
bench_schedule (SpikeJit           *jit,
                Run                *run,
                const GhloSchedule *schedule,
                gboolean            first)
{
  SpikeJitOptions options = { SPIKE_PASSES_FEW, 2 };
  SpikeJitTimes compile = { 0 };
  g_autofree char *text = ghlo_schedule_print (schedule, run->kernel);
  g_autofree char *error = NULL, *code = NULL;
  gsize offsets[GHLO_KERNEL_MAX_TEMPORARIES];
  const char *why;
  guint differences;
  Times times;

  if (!ghlo_schedule_check (schedule, run->kernel, &why))
    return TRUE;
  run->schedule = schedule;
  run->scratch_size = MAX (ghlo_schedule_scratch (schedule, run->kernel, offsets), 64);
  run->function = spike_jit_compile (jit, run->kernel, schedule, 1, &options, &compile,
                                     listing && first ? &code : NULL, &error);
  if (run->function == NULL)
    {
      printf ("  %s\n    does not compile: %s\n", text, error);
      return FALSE;
    }
  run->scratch = aligned_alloc (64, run->scratch_size * ghlo_parallel_n_workers ());
  memset (run->scratch, 0, run->scratch_size);
  differences = compare (run, &error);
  times = measure (run);
  free (run->scratch);
  if (first && !finds_strays (run, schedule))
    return FALSE;
  printf ("  %s\n", text);
  printf ("    %s%u differences; compiled in %.2f ms (IR %.2f, passes %.2f, code %.2f, link %.2f), %" G_GSIZE_FORMAT
          " bytes\n", error != NULL ? error : "", differences,
          compile.emit + compile.passes + compile.codegen + compile.link, compile.emit, compile.passes, compile.codegen,
          compile.link, compile.object_bytes);
  printf ("    one thread %.1f µs, %.2f of roofline; threads %.1f µs, %.2f of roofline\n", times.alone,
          times.copy_alone / times.alone, times.threads, times.copy_threads / times.threads);
  if (code != NULL)
    printf ("%s\n", code);

  return differences == 0 && error == NULL;
}

/* Milliseconds for @copies of the kernel in one module, the least of several. The first
 * of each level of code generation is not counted: it makes a target machine. */
static double
time_compiling (SpikeJit              *jit,
                Run                   *run,
                const SpikeJitOptions *options,
                guint                  copies)
{
  double least = 0;

  for (guint i = 0; i < 8; i++)
    {
      SpikeJitTimes compile = { 0 };
      g_autofree char *error = NULL;
      double time;

      run->function = spike_jit_compile (jit, run->kernel, run->schedule, copies, options, &compile, NULL, &error);
      time = compile.emit + compile.passes + compile.codegen + compile.link;
      if (i > 0 && (least == 0 || time < least))
        least = time;
    }

  return least;
}

static void
bench_compiling (SpikeJit           *jit,
                 Run                *run,
                 const GhloSchedule *schedule)
{
  static const char *const names[] = { "none", "early-cse, licm", "default<O2>" };
  gsize offsets[GHLO_KERNEL_MAX_TEMPORARIES];

  run->schedule = schedule;
  run->scratch_size = MAX (ghlo_schedule_scratch (schedule, run->kernel, offsets), 64);
  run->scratch = aligned_alloc (64, run->scratch_size * ghlo_parallel_n_workers ());
  for (guint passes = 0; passes <= SPIKE_PASSES_O2; passes++)
    for (guint code = 0; code < 4; code++)
      {
        SpikeJitOptions options = { passes, code };
        double many = time_compiling (jit, run, &options, 9), one = time_compiling (jit, run, &options, 1);
        Times times = measure (run);

        printf ("    passes %-16s code generation %u: %6.2f ms, one more in the module %6.2f ms; one thread %.1f µs\n",
                names[passes], code, one, (many - one) / 8, times.alone);
      }
  free (run->scratch);
}

static gboolean
bench_kernel (SpikeJit          *jit,
              const GhloMachine *machine,
              const SpikeKernel *spike)
{
  g_autofree GhloKernel *plain = g_new0 (GhloKernel, 1);
  g_autofree GhloKernel *kernel = NULL;
  gboolean ok = TRUE;
  GhloSchedule schedule;
  Run run;

  g_strlcpy (plain->name, spike->name, sizeof plain->name);
  spike->make (plain);
  kernel = ghlo_kernel_expand (plain, machine->fma);
  printf ("%s: %u nodes, %u as written\n", spike->name, kernel->n_nodes, plain->n_nodes);
  if (print)
    {
      g_autofree char *text = ghlo_kernel_print (plain);

      fputs (text, stdout);
    }
  run_init (&run, kernel);
  if (compiling)
    {
      spike->schedule (kernel, 0, machine->vector_bits / 32, &schedule);
      bench_compiling (jit, &run, &schedule);
    }
  else
    for (guint i = 0; spike->schedule (kernel, i, machine->vector_bits / 32, &schedule); i++)
      ok &= bench_schedule (jit, &run, &schedule, i == 0);
  run_clear (&run);

  return ok;
}

/* Units in the last place of f32 at the exact value. */
static double
ulps (float  found,
      double exact)
{
  int exponent;

  if (isinf (found) || exact >= 0x1p128)
    return isinf (found) && exact >= 0x1.ffffffp127 ? 0 : INFINITY;
  frexp (exact, &exponent);

  return fabs (found - exact) / ldexp (1, MAX (exponent, -125) - 24);
}

typedef struct
{
  GhloKernelFunc function;
  double         worst[64];     /* of each worker */
  guint32        where[64];
} Sweep;

enum { SWEEP = 4096 };

static void
sweep_part (gpointer data,
            gsize    begin,
            gsize    end,
            guint    worker)
{
  Sweep *sweep = data;
  float x[SWEEP], y[SWEEP];
  gpointer buffers[] = { x, y };

  for (gsize part = begin; part < end; part++)
    {
      for (guint i = 0; i < SWEEP; i++)
        {
          guint32 bits = part * SWEEP + i;

          memcpy (&x[i], &bits, sizeof bits);
        }
      sweep->function (buffers, NULL, 0, SWEEP);
      for (guint i = 0; i < SWEEP; i++)
        {
          double error = isnan (x[i]) ? (isnan (y[i]) ? 0 : INFINITY) : ulps (y[i], exp (x[i]));

          if (error > sweep->worst[worker])
            {
              sweep->worst[worker] = error;
              memcpy (&sweep->where[worker], &x[i], sizeof (float));
            }
        }
    }
}

static gboolean
sweep_exponential (SpikeJit          *jit,
                   const GhloMachine *machine)
{
  g_autofree GhloKernel *plain = g_new0 (GhloKernel, 1);
  g_autofree GhloKernel *kernel = NULL;
  SpikeJitOptions options = { SPIKE_PASSES_FEW, 2 };
  SpikeJitTimes times;
  GhloSchedule schedule;
  g_autofree char *error = NULL;
  Sweep sweep = { NULL };
  guint worst = 0;

  spike_kernels[0].make (plain);
  kernel = ghlo_kernel_expand (plain, machine->fma);
  spike_kernels[0].schedule (kernel, 0, machine->vector_bits / 32, &schedule);
  sweep.function = spike_jit_compile (jit, kernel, &schedule, 1, &options, &times, NULL, &error);
  ghlo_parallel_for ((1ull << 32) / SWEEP, 64, 1e12, sweep_part, &sweep, NULL);
  for (guint i = 1; i < G_N_ELEMENTS (sweep.worst); i++)
    if (sweep.worst[i] > sweep.worst[worst])
      worst = i;
  printf ("exponential%s: at most %.3f units in the last place, at bits 0x%08x\n", machine->fma ? " with fma" : "",
          sweep.worst[worst], sweep.where[worst]);

  return sweep.worst[worst] <= 2;
}

/* Levels have what the psABI says. */
static void
set_level (GhloMachine *machine)
{
  g_strlcpy (machine->name, level, sizeof machine->name);
  machine->vector_bits = g_str_equal (level, "x86-64-v4") ? 512 : g_str_equal (level, "x86-64-v3") ? 256 : 128;
  machine->fma = machine->vector_bits > 128;
  machine->masks = machine->vector_bits > 256;
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) failure = NULL;
  g_autofree char *error = NULL, *text = NULL;
  GhloMachine machine;
  gboolean ok = TRUE;
  SpikeJit *jit;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &failure))
    {
      fprintf (stderr, "%s\n", failure->message);
      return 1;
    }
  ghlo_machine_init_host (&machine);
  if (level != NULL)
    set_level (&machine);
  text = ghlo_machine_print (&machine);
  printf ("%s\n", text);
  jit = spike_jit_new (level, &error);
  if (jit == NULL)
    {
      fprintf (stderr, "%s\n", error);
      return 1;
    }
  if (every_f32)
    ok = sweep_exponential (jit, &machine);
  else
    for (guint i = 0; i < spike_n_kernels; i++)
      if (only == NULL || g_str_equal (only, spike_kernels[i].name))
        ok &= bench_kernel (jit, &machine, &spike_kernels[i]);
  spike_jit_free (jit);

  return ok ? 0 : 1;
}
