/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The schedule chosen for a kernel: the work is split into whole strips and vectors.
 */

#include "kernel/schedule.h"

#include "random-kernel.h"
#include "read-kernel.h"

/* Processors on which calls of loops have a cost, and machine code, which calls none. */
static const GhloMachine machines[] = {
  { .vector_bytes = 64, .l1_bytes = 32768, .call_time = 5, .wait_time = 2, .vector_time = 0.5,
    .strided_time = 1, .indexed_time = 2 },
  { .vector_bytes = 16, .l1_bytes = 32768, .wait_time = 2, .vector_time = 0.5, .strided_time = 1,
    .indexed_time = 2 },
};

static void
choose (const GhloKernel   *kernel,
        const GhloMachine  *machine,
        gboolean            is_code,
        GhloKernelSchedule *schedule)
{
  if (is_code)
    ghlo_kernel_schedule_choose_code (kernel, machine, GHLO_SCHEDULE_ANY, schedule);
  else
    ghlo_kernel_schedule_choose (kernel, machine, GHLO_SCHEDULE_ANY, schedule);
}

/* Parts begin at multiples of the grain, first along the axis of the lanes. */
static void
assert_whole (const GhloKernel         *kernel,
              const GhloKernelSchedule *schedule)
{
  gint64 extent;

  g_assert_cmpint (schedule->grain, >=, 1);
  if (schedule->lanes == GHLO_KERNEL_NONE)
    return;
  extent = MAX (kernel->axes[schedule->lanes].extent, 1);
  g_assert_cmpint (schedule->grain % MIN (extent, MAX (schedule->strip, schedule->width)), ==, 0);
}

static void
test_random (void)
{
  guint n_across = 0;

  for (guint64 seed = 0; seed < 1000; seed++)
    {
      g_autofree GhloKernel *kernel = random_kernel (seed, 0);

      for (guint i = 0; i < 2 * G_N_ELEMENTS (machines); i++)
        {
          GhloKernelSchedule schedule;

          choose (kernel, &machines[i / 2], i % 2, &schedule);
          assert_whole (kernel, &schedule);
          n_across += schedule.lanes != GHLO_KERNEL_NONE && schedule.grain > 1;
        }
    }
  g_assert_cmpuint (n_across, >, 100);
}

/* A processor so slow that a single column is worth a thread. */
static void
test_columns (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("column-sum.kernel");

  for (guint i = 0; i < 2 * G_N_ELEMENTS (machines); i++)
    {
      GhloMachine slow = machines[i / 2];
      GhloKernelSchedule schedule;

      for (double *time = &slow.call_time; time <= &slow.indexed_time; time++)
        *time *= 10000;
      choose (kernel, &slow, i % 2, &schedule);
      g_assert_cmpuint (schedule.lanes, ==, 0);
      g_assert_cmpfloat (schedule.cost, >, 20000);
      g_assert_cmpint (schedule.grain, ==, MIN (256, MAX (schedule.strip, schedule.width)));
    }
}

/* Only what caches may not hold is prefetched. */
static void
test_prefetches (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("column-sum.kernel");
  GhloKernelSchedule schedule;

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      ((GhloKernelBuffer *) kernel->buffers)[0].size = 1 << 16;
      choose (kernel, &machines[i], TRUE, &schedule);
      g_assert_false (schedule.prefetches);
      ((GhloKernelBuffer *) kernel->buffers)[0].size = 1 << 24;
      choose (kernel, &machines[i], TRUE, &schedule);
      g_assert_true (schedule.prefetches);
      choose (kernel, &machines[i], FALSE, &schedule);
      g_assert_false (schedule.prefetches);
    }
}

/* The estimated time is at least that of reading everything from memory. */
static void
test_memory (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("column-sum.kernel");
  gint64 bytes = 0;

  for (guint i = 0; i < kernel->n_buffers; i++)
    bytes += kernel->buffers[i].size;
  for (guint i = 0; i < 2 * G_N_ELEMENTS (machines); i++)
    {
      GhloMachine slow = machines[i / 2];
      GhloKernelSchedule schedule;

      slow.byte_time = 1000;
      choose (kernel, &slow, i % 2, &schedule);
      g_assert_cmpfloat (schedule.cost, ==, (double) bytes * 1000 / (double) kernel->axes[0].extent);
    }
}

/* Its loads are adjacent along rows, its stores along columns. */
static const char outer[] =
  "kernel outer {\n"
  "  parallel row 1024\n"
  "  parallel column 1024\n"
  "  buffer x 8192\n"
  "  buffer y 20480\n"
  "  buffer z 4194304 written\n"
  "  access @0 f32 x [row * 4]\n"
  "  access @1 f32 x [row * 4 + 4096]\n"
  "  access @2 f32 y [column * 20]\n"
  "  access @3 f32 y [column * 20 + 4]\n"
  "  access @4 f32 z [row * 4096 + column * 4]\n"
  "  points {\n"
  "    %0 = load f32 @0\n"
  "    %1 = load f32 @1\n"
  "    %2 = load f32 @2\n"
  "    %3 = load f32 @3\n"
  "    %4 = multiply f32 %0 %2\n"
  "    %5 = multiply f32 %1 %3\n"
  "    %6 = add f32 %4 %5\n"
  "    store %6 to @4\n"
  "  }\n"
  "}\n";

/* Lanes that store to a cache line each count more than loads of single elements, unless the cache holds the lines. */
static void
test_lines (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (outer, strlen (outer), &error);

  g_assert_no_error (error);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (machines); i++)
    {
      GhloMachine machine = machines[i / 2];
      GhloKernelSchedule schedule;

      machine.line_time = 20;
      choose (kernel, &machine, i % 2, &schedule);
      g_assert_cmpuint (schedule.lanes, ==, 1);
      machine.l1_bytes *= 1024;
      choose (kernel, &machine, i % 2, &schedule);
      g_assert_cmpuint (schedule.lanes, ==, 0);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/schedule/random", test_random);
  g_test_add_func ("/kernel/schedule/columns", test_columns);
  g_test_add_func ("/kernel/schedule/prefetches", test_prefetches);
  g_test_add_func ("/kernel/schedule/memory", test_memory);
  g_test_add_func ("/kernel/schedule/lines", test_lines);

  return g_test_run ();
}
