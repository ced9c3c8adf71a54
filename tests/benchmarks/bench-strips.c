/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels in strips on one thread: bench-strips FILE…, files as in tests/kernels, else all of those. For
 * each choice of lanes the time of one parallel point and what the schedule says of it, and the bytes of scratch; a
 * star is at the choice that is made.
 */

#include "cpu/strips/strips.h"
#include "kernel/text.h"

#include <stdio.h>
#include <string.h>

/* Seconds of one run, the best of some. */
static double
measure (const GhloCpuStrips *strips,
         gpointer const      *buffers,
         gint64               n,
         gpointer             scratch)
{
  double best = G_MAXDOUBLE;
  gint64 end = g_get_monotonic_time () + 200000;

  for (guint i = 0; i < 5 || g_get_monotonic_time () < end; i++)
    {
      gint64 begin = g_get_monotonic_time ();
      guint n_runs = 0;

      do
        ghlo_cpu_strips_run (strips, NULL, buffers, 0, n, scratch, NULL);
      while (++n_runs < 1000 && g_get_monotonic_time () < begin + 1000);
      best = MIN (best, (double) (g_get_monotonic_time () - begin) * 1e-6 / n_runs);
    }

  return best;
}

static void
bench (const GhloKernel         *kernel,
       const GhloKernelSchedule *schedule,
       gboolean                  is_chosen,
       gpointer const           *buffers,
       gint64                    n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCpuStrips) strips = ghlo_cpu_strips_new (kernel, schedule, &error);
  gpointer scratch;
  gsize size;
  double time;

  if (strips == NULL)
    {
      printf ("%s\n", error->message);
      return;
    }
  size = ghlo_cpu_strips_scratch (strips, NULL);
  scratch = g_aligned_alloc (1, size, 64);
  time = measure (strips, buffers, n, scratch);
  printf ("%-20s lanes %-8s strips of %3u%s %12.2f us  %10.3f ns a point (estimated %10.3f)  %7zu bytes\n", kernel->name,
          schedule->lanes == GHLO_KERNEL_NONE ? "of blocks" : kernel->axes[schedule->lanes].name, schedule->strip,
          is_chosen ? "*" : " ", time * 1e6, time * 1e9 / (double) n, schedule->cost, size);
  g_aligned_free (scratch);
}

/* Numbers around 0.5, which are no small indices: all bits of a byte are the same. */
static void
fill (gpointer data,
      gsize    size)
{
  for (gsize i = 0; i < size / sizeof (float); i++)
    ((float *) data)[i] = 0.3f + 0.4f * (float) (i * 2654435761u % 1024) / 1024;
}

static void
bench_file (const char *path)
{
  g_autofree char *text = NULL;
  g_autofree GhloKernel *kernel = NULL;
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  GhloKernelSchedule chosen, schedule;
  gint64 n = 1;

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
  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= kernel->axes[i].extent;
  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), &chosen);
  schedule = chosen;
  for (gint i = -1; i < (gint) kernel->n_parallel; i++)
    {
      schedule.lanes = i < 0 ? GHLO_KERNEL_NONE : (guint16) i;
      if (ghlo_kernel_schedule_allows (kernel, schedule.lanes))
        bench (kernel, &schedule, schedule.lanes == chosen.lanes, (gpointer const *) memory->pdata, n);
    }
}

int
main (int    argc,
      char **argv)
{
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
