/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels interpreted in strips, and as machine code where LLVM is available, on one thread: bench-kernels FILE…, with
 * files as in tests/kernels; all of those by default. For each choice of lanes, prints the time of a parallel point and
 * the schedule's estimate; a star marks the choice that the library makes. For machine code also vectors of several
 * widths, the compile time, and the speedup over strips of the library's choice. GHLO_LIST=1 prints the code of that
 * choice. GHLO_BESIDE=FILE names another code generator module: measures only that choice, with both modules in turns.
 */

#include "cpu/jit/blob.h"
#include "cpu/jit/call.h"
#include "cpu/jit/code-target.h"
#include "cpu/jit/map.h"
#include "cpu/strips/strips.h"
#include "kernel/text.h"

#include <gmodule.h>
#include <stdio.h>
#include <string.h>

static const GhloEmitter *emitter, *beside;

/* One kernel, with memory for its arguments. */
typedef struct
{
  const GhloKernel *kernel;
  gpointer         *buffers;
  gint64            extents[GHLO_KERNEL_MAX_AXES], n;
  double            strips;             /* seconds, for the library's choice */
} Bench;

/* A kernel's plan for strips, or its machine code. */
typedef struct
{
  const Bench        *bench;
  GhloCpuStrips      *strips;
  gpointer            scratch;
  GhloCodeFunc        code;
  const GhloCodeCall *call;
} Run;

static void
run_once (const Run *run)
{
  if (run->strips != NULL)
    ghlo_cpu_strips_run (run->strips, NULL, run->bench->buffers, 0, run->bench->n, run->scratch, NULL);
  else
    run->code (run->call, 0, run->bench->n);
}

/* Returns the seconds of one run, the best of several. */
static double
measure (const Run *run)
{
  double best = G_MAXDOUBLE;
  gint64 end = g_get_monotonic_time () + 200000;

  for (guint i = 0; i < 5 || g_get_monotonic_time () < end; i++)
    {
      gint64 begin = g_get_monotonic_time ();
      guint n_runs = 0;

      do
        run_once (run);
      while (++n_runs < 1000 && g_get_monotonic_time () < begin + 1000);
      best = MIN (best, (double) (g_get_monotonic_time () - begin) * 1e-6 / n_runs);
    }

  return best;
}

static const char *
lanes_of (const Bench              *bench,
          const GhloKernelSchedule *schedule)
{
  return schedule->lanes == GHLO_KERNEL_NONE ? "of blocks" : bench->kernel->axes[schedule->lanes].name;
}

static void
bench_strips (Bench                    *bench,
              const GhloKernelSchedule *schedule,
              gboolean                  is_chosen)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCpuStrips) strips = ghlo_cpu_strips_new (bench->kernel, schedule, &error);
  Run run = { .bench = bench, .strips = strips };
  double time;

  if (strips == NULL)
    {
      printf ("%s\n", error->message);
      return;
    }
  run.scratch = g_aligned_alloc (1, ghlo_cpu_strips_scratch (strips, NULL), 64);
  time = measure (&run);
  printf ("%-20s lanes %-9s strips of %3u %s %12.2f us %10.3f ns a point (estimated %10.3f)\n", bench->kernel->name,
          lanes_of (bench, schedule), schedule->strip, is_chosen ? "*" : " ", time * 1e6,
          time * 1e9 / (double) bench->n, schedule->cost);
  if (is_chosen)
    bench->strips = time;
  g_aligned_free (run.scratch);
}

/* Code that can be called, and the memory that has to be freed. */
typedef struct
{
  GhloCodeMap  *map;
  gsize         size;
  double        made;           /* seconds */
  guint8       *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  GhloCodeCall  call;
  Run           run;
} Code;

static gboolean
make_code (Code                     *self,
           const GhloEmitter        *maker,
           const Bench              *bench,
           const GhloKernelSchedule *schedule,
           char                    **listing)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GBytes) object = maker->compile (bench->kernel, schedule, ghlo_code_target (), listing, &error);
  g_autoptr (GBytes) blob = object != NULL ? ghlo_code_flatten (object, &error) : NULL;

  self->map = blob != NULL ? ghlo_code_map_new (blob, &error) : NULL;
  if (self->map == NULL)
    {
      printf ("%s\n", error->message);
      return FALSE;
    }
  self->size = g_bytes_get_size (blob);
  self->made = (double) (g_get_monotonic_time () - begin) * 1e-6;
  self->run = (Run) { .bench = bench, .call = &self->call,
                      .scratch = g_aligned_alloc (1, ghlo_code_scratch (bench->kernel, schedule, bench->extents), 64),
                      .code = (GhloCodeFunc) ghlo_code_map_get_entry (self->map) };
  ghlo_code_call_init (&self->call, self->temporaries, bench->kernel, schedule, bench->extents, bench->buffers,
                       self->run.scratch);

  return TRUE;
}

static void
free_code (Code *self)
{
  g_aligned_free (self->run.scratch);
  g_clear_pointer (&self->map, ghlo_code_map_free);
}

/* Measures the library's choice, with code of this module and of the other one. */
static void
bench_beside (const Bench              *bench,
              const GhloKernelSchedule *schedule)
{
  Code ours, theirs;
  double time = G_MAXDOUBLE, other = G_MAXDOUBLE;

  if (!make_code (&ours, emitter, bench, schedule, NULL) || !make_code (&theirs, beside, bench, schedule, NULL))
    return;
  for (guint i = 0; i < 5; i++)
    {
      time = MIN (time, measure (&ours.run));
      other = MIN (other, measure (&theirs.run));
    }
  printf ("%-20s lanes %-9s vectors of %2u   %12.2f us beside %12.2f us: %5.2f times as fast, %5zu and %5zu bytes, "
          "made in %4.1f and %4.1f ms\n",
          bench->kernel->name, lanes_of (bench, schedule), schedule->width, time * 1e6, other * 1e6, other / time,
          ours.size, theirs.size, ours.made * 1e3, theirs.made * 1e3);
  free_code (&ours);
  free_code (&theirs);
}

static void
bench_code (Bench                    *bench,
            const GhloKernelSchedule *schedule,
            gboolean                  is_chosen)
{
  const gboolean lists = is_chosen && g_getenv ("GHLO_LIST") != NULL;
  g_autofree char *listing = NULL;
  Code code;
  double time;

  if (!make_code (&code, emitter, bench, schedule, lists ? &listing : NULL))
    return;
  time = measure (&code.run);
  printf ("%-20s lanes %-9s vectors of %2u %s %12.2f us %10.3f ns a point (estimated %10.3f) %6.2f times strips, "
          "%5zu bytes in %5.1f ms\n", bench->kernel->name, lanes_of (bench, schedule), schedule->width,
          is_chosen ? "*" : " ", time * 1e6, time * 1e9 / (double) bench->n, schedule->cost, bench->strips / time,
          code.size, code.made * 1e3);
  if (lists)
    printf ("%s\n", listing);
  free_code (&code);
}

/* Fills with numbers around 0.5, not with small indices: all bytes are the same. */
static void
fill (gpointer data,
      gsize    size)
{
  for (gsize i = 0; i < size / sizeof (float); i++)
    ((float *) data)[i] = 0.3f + 0.4f * (float) (i * 2654435761u % 1024) / 1024;
}

static void
bench_kernel (Bench *bench)
{
  GhloKernelSchedule chosen, schedule;

  if (beside != NULL)
    {
      ghlo_kernel_schedule_choose_code (bench->kernel, ghlo_code_machine (), GHLO_SCHEDULE_ANY, &chosen);
      bench_beside (bench, &chosen);
      return;
    }
  ghlo_kernel_schedule_choose (bench->kernel, ghlo_cpu_machine (), GHLO_SCHEDULE_ANY, &chosen);
  for (gint i = -1; i < (gint) bench->kernel->n_parallel; i++)
    {
      schedule = chosen;
      schedule.lanes = i < 0 ? GHLO_KERNEL_NONE : (guint16) i;
      if (ghlo_kernel_schedule_allows (bench->kernel, schedule.lanes))
        bench_strips (bench, &schedule, schedule.lanes == chosen.lanes);
    }
  if (emitter == NULL)
    return;
  ghlo_kernel_schedule_choose_code (bench->kernel, ghlo_code_machine (), GHLO_SCHEDULE_ANY, &chosen);
  for (gint i = -1; i < (gint) bench->kernel->n_parallel; i++)
    for (guint width = 4; width <= 64; width *= 2)
      {
        schedule = chosen;
        schedule.lanes = i < 0 ? GHLO_KERNEL_NONE : (guint16) i;
        schedule.width = (guint16) width;
        if (ghlo_kernel_schedule_allows (bench->kernel, schedule.lanes))
          bench_code (bench, &schedule, schedule.lanes == chosen.lanes && width == chosen.width);
      }
}

static void
bench_file (const char *path)
{
  g_autofree char *text = NULL;
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Bench bench = { .n = 1 };

  if (g_file_get_contents (path, &text, NULL, &error))
    kernel = ghlo_kernel_parse (text, strlen (text), &error);
  if (kernel == NULL)
    {
      printf ("%s: %s\n", path, error->message);
      return;
    }
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      g_ptr_array_add (memory, g_malloc0 ((gsize) kernel->buffers[i].size));
      fill (memory->pdata[i], (gsize) kernel->buffers[i].size);
    }
  for (guint i = 0; i < kernel->n_axes; i++)
    bench.extents[i] = kernel->axes[i].extent;
  for (guint i = 0; i < kernel->n_parallel; i++)
    bench.n *= kernel->axes[i].extent;
  bench.kernel = kernel;
  bench.buffers = memory->pdata;
  bench_kernel (&bench);
}

#ifdef GHLO_TEST_EMITTER
static const GhloEmitter *
open_emitter (const char *path)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  gpointer symbol;

  if (module == NULL || !g_module_symbol (module, GHLO_EMITTER_SYMBOL, &symbol))
    return NULL;

  return ((GhloEmitterFunc) symbol) ();
}
#endif

int
main (int    argc,
      char **argv)
{
#ifdef GHLO_TEST_EMITTER
  emitter = open_emitter (GHLO_TEST_EMITTER);
  if (g_getenv ("GHLO_BESIDE") != NULL)
    beside = open_emitter (g_getenv ("GHLO_BESIDE"));
#endif
  if (argc > 1)
    for (gint i = 1; i < argc; i++)
      bench_file (argv[i]);
  else
    {
      g_autofree char *folder = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "kernels", NULL);
      g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);

      for (const char *name; files != NULL && (name = g_dir_read_name (files)) != NULL;)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);

          bench_file (path);
        }
    }

  return 0;
}
