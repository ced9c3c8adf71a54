/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels run in strips compared bit by bit with the interpreter: random kernels, with each choice of lanes, several
 * strip lengths, and parallel points split anywhere, at each instruction set level of the processor.
 */

#include "base/ghlo-error.h"
#include "cpu/strips/strips.h"
#include "kernel/expand.h"
#include "kernel/text.h"

#include "../count-allocations.h"
#include "../kernel/random-kernel.h"
#include "../kernel/read-kernel.h"
#include "../sanitized.h"

#include <locale.h>
#include <string.h>

static const char *program;

/* Scratch of exactly the stated size, filled with values that cannot be right by chance. */
static gpointer
new_scratch (const GhloCpuStrips *strips,
             const gint64        *extents)
{
  gsize size = ghlo_cpu_strips_scratch (strips, extents);
  gpointer scratch;

  g_assert_cmpuint (size, <, (gsize) 1 << 32);
  scratch = g_aligned_alloc (1, MAX (size, 1), 64);
  memset (scratch, 0xa5, size);

  return scratch;
}

/* Runs all parallel points of @kernel in pieces of up to @piece. */
static void
run_strips (const GhloKernel         *kernel,
            const GhloKernelSchedule *schedule,
            const gint64             *extents,
            const GhloKernelMemory   *memory,
            gint64                    piece)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCpuStrips) strips = ghlo_cpu_strips_new (kernel, schedule, &error);
  gpointer buffers[GHLO_KERNEL_MAX_BUFFERS], scratch;
  gint64 n = 1;

  g_assert_no_error (error);
  scratch = new_scratch (strips, extents);
  for (guint i = 0; i < kernel->n_buffers; i++)
    buffers[i] = memory[i].data;
  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= extents[i];
  for (gint64 i = 0; i < n; i += piece)
    g_assert_true (ghlo_cpu_strips_run (strips, extents, buffers, i, MIN (n, i + piece), scratch, NULL));
  g_aligned_free (scratch);
}

/* The default schedule for @number 0, then random ones. */
static GhloKernelSchedule
draw_schedule (GRand            *rand,
               const GhloKernel *kernel,
               guint             number)
{
  static const guint16 strips[] = { 8, 13, 16, 48, 100, 256, 512 };
  GhloKernelSchedule schedule;

  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), GHLO_SCHEDULE_ANY, &schedule);
  if (number == 0)
    return schedule;
  schedule.strip = strips[g_rand_int_range (rand, 0, G_N_ELEMENTS (strips))];
  schedule.lanes = number == 1 || kernel->n_parallel == 0 ? GHLO_KERNEL_NONE
                                                          : (guint16) g_rand_int_range (rand, 0, kernel->n_parallel);

  return schedule;
}

static void
compare (const GhloKernel *kernel,
         guint64           seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  GhloKernelMemory *from = random_memory_new (kernel, seed), *expected = random_memory_copy (kernel, from);
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  g_autoptr (GError) error = NULL;

  random_kernel_extents (kernel, seed, extents);
  ghlo_kernel_interpret (kernel, extents, expected, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 4; i++)
    {
      GhloKernelSchedule schedule = draw_schedule (rand, kernel, i);
      GhloKernelMemory *found = random_memory_copy (kernel, from);
      gint64 piece = i == 0 ? G_MAXINT64 / 2 : g_rand_int_range (rand, 1, 40);
      g_autofree char *difference = NULL, *text = NULL;

      run_strips (kernel, &schedule, extents, found, piece);
      difference = random_memory_compare (kernel, expected, found);
      text = difference != NULL ? ghlo_kernel_print (kernel) : NULL;
      if (difference != NULL)
        g_error ("%s\nkernel %" G_GUINT64_FORMAT ", lanes %d, strips of %u, pieces of %" G_GINT64_FORMAT ": %s", text,
                 seed, (gint16) schedule.lanes, schedule.strip, piece, difference);
      random_memory_free (kernel, found);
    }
  random_memory_free (kernel, from);
  random_memory_free (kernel, expected);
}

static void
compare_random (guint64 seed)
{
  g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);

  compare (kernel, seed);
}

static void
compare_many (guint n)
{
  for (guint i = 0; i < n; i++)
    compare_random (i);
}

static void
test_random (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL");

  if (seed != NULL)
    compare_random (g_ascii_strtoull (seed, NULL, 0));
  else
    compare_many (SANITIZED ? 1000 : 10000);
}

static void
test_fewer (void)
{
  compare_many (SANITIZED ? 100 : 2000);
}

/* A function without an expansion has no loop. */
static void
assert_unsupported (const GhloKernel *kernel)
{
  GhloKernelSchedule schedule;
  g_autoptr (GError) error = NULL;

  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), GHLO_SCHEDULE_ANY, &schedule);
  g_assert_null (ghlo_cpu_strips_new (kernel, &schedule, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
}

/* Kernels of real programs, with axes longer than a strip. */
static void
test_files (void)
{
  g_autoptr (GPtrArray) names = list_kernels ();
  guint n = 0;

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree GhloKernel *kernel = read_kernel (names->pdata[i]), *expanded = NULL;
      g_autoptr (GError) error = NULL;

      expanded = ghlo_kernel_expand (kernel, &error);
      if (expanded != NULL)
        compare (kernel, n++);
      else
        assert_unsupported (kernel);
    }
  g_assert_cmpuint (n, >, 10);
}

/* An operand in the memory of a result, or elsewhere: two results are computed from each of its elements. */
static void
test_shared (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("in-place.kernel");
  GhloKernelSchedule schedule;
  g_autoptr (GhloCpuStrips) strips = NULL;
  float x[1000], y[1000], z[1000];
  gpointer scratch;

  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), GHLO_SCHEDULE_ANY, &schedule);
  strips = ghlo_cpu_strips_new (kernel, &schedule, NULL);
  g_assert_nonnull (strips);
  scratch = new_scratch (strips, NULL);
  for (guint is_shared = 0; is_shared < 2; is_shared++)
    {
      float *result = is_shared ? x : y;
      gpointer buffers[] = { x, result, z };

      for (guint i = 0; i < G_N_ELEMENTS (x); i++)
        x[i] = i;
      g_assert_true (ghlo_cpu_strips_run (strips, NULL, buffers, 0, G_N_ELEMENTS (x), scratch, NULL));
      for (guint i = 0; i < G_N_ELEMENTS (x); i++)
        {
          g_assert_cmpfloat (result[i], ==, i + 1);
          g_assert_cmpfloat (z[i], ==, (float) i * (i + 1));
        }
    }
  g_aligned_free (scratch);
}

/* Where lane 0 of a store is masked off, its address refers to no element and may be any: here each address in the
 * scratch. */
static void
test_addresses (void)
{
  static const char text[] = "kernel scattered {\n"
                             "  parallel p 16\n"
                             "  buffer x 64\n"
                             "  buffer y 3588 written\n"
                             "  access @0 f32 x [p * 4]\n"
                             "  access @1 f32 y [512 * guard (p - 8, end 8)]\n"
                             "  points {\n"
                             "    %0 = load f32 @0\n"
                             "    %1 = negate f32 %0\n"
                             "    store %1 to @1\n"
                             "  }\n"
                             "}\n";
  const GhloKernelSchedule schedule = { .lanes = 0, .strip = 16 };
  const gsize before = 8 * 512;
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);
  g_autoptr (GhloCpuStrips) strips = NULL;
  gsize size;
  float x[16];
  guint8 *memory;

  g_assert_no_error (error);
  strips = ghlo_cpu_strips_new (kernel, &schedule, &error);
  g_assert_no_error (error);
  size = ghlo_cpu_strips_scratch (strips, NULL);
  g_assert_cmpuint (size, <=, before);
  for (guint i = 0; i < G_N_ELEMENTS (x); i++)
    x[i] = i + 1;
  memory = g_aligned_alloc0 (1, size + before + 3588, 64);
  for (gsize i = 0; i < size; i += sizeof (float))
    {
      guint8 *y = memory + i + before;

      memset (memory, 0xa5, size + before + 3588);
      g_assert_true (ghlo_cpu_strips_run (strips, NULL, (gpointer[]) { x, y }, 0, 16, memory, NULL));
      for (guint j = 0; j < 8; j++)
        g_assert_cmpfloat (*(const float *) (gconstpointer) (y + 512 * j), ==, -x[8 + j]);
    }
  g_aligned_free (memory);
}

/* A kernel that ends only when cancelled: its predicate stays true. */
static GhloKernel *
endless_kernel (void)
{
  GhloKernelBuilder *builder = ghlo_kernel_builder_new ("endless");
  const guint16 none = GHLO_KERNEL_NONE;
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel;
  guint first, carried, next, goes_on, x;

  first = ghlo_kernel_add_temporary (builder, "first", GHLO_ELEMENT_TYPE_I32, 0);
  carried = ghlo_kernel_add_temporary (builder, "carried", GHLO_ELEMENT_TYPE_I32, 0);
  next = ghlo_kernel_add_temporary (builder, "next", GHLO_ELEMENT_TYPE_I32, 0);
  goes_on = ghlo_kernel_add_temporary (builder, "goes_on", GHLO_ELEMENT_TYPE_I1, 0);
  ghlo_kernel_begin_points (builder, 0);
  ghlo_kernel_keep (builder, ghlo_kernel_add_constant (builder, GHLO_ELEMENT_TYPE_I32, 1), first);
  ghlo_kernel_end_block (builder);
  ghlo_kernel_begin_while (builder, goes_on);
  ghlo_kernel_add_carry (builder, carried, first, next);
  ghlo_kernel_begin_points (builder, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_I32, carried);
  x = ghlo_kernel_add_node (builder, GHLO_NODE_EQUAL, GHLO_ELEMENT_TYPE_I1, x, x, none);
  ghlo_kernel_keep (builder, x, goes_on);
  ghlo_kernel_end_block (builder);
  ghlo_kernel_begin_body (builder);
  ghlo_kernel_begin_points (builder, 0);
  x = ghlo_kernel_add_leaf (builder, GHLO_NODE_TEMPORARY, GHLO_ELEMENT_TYPE_I32, carried);
  ghlo_kernel_keep (builder, ghlo_kernel_add_node (builder, GHLO_NODE_ADD, GHLO_ELEMENT_TYPE_I32, x, x, none), next);
  ghlo_kernel_end_block (builder);
  ghlo_kernel_end_block (builder);
  kernel = ghlo_kernel_builder_end (builder, &error);
  g_assert_no_error (error);

  return kernel;
}

static gpointer
cancel_later (gpointer cancellable)
{
  g_usleep (10000);
  g_cancellable_cancel (cancellable);

  return NULL;
}

static void
test_cancel (void)
{
  g_autofree GhloKernel *kernel = endless_kernel ();
  const GhloKernelSchedule schedule = { .lanes = GHLO_KERNEL_NONE, .strip = 512 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCpuStrips) strips = ghlo_cpu_strips_new (kernel, &schedule, &error);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  gpointer scratch, buffers[1] = { NULL };
  GThread *thread;

  g_assert_no_error (error);
  scratch = new_scratch (strips, NULL);
  thread = g_thread_new ("cancel", cancel_later, cancellable);
  g_assert_false (ghlo_cpu_strips_run (strips, NULL, buffers, 0, 1, scratch, &monitor));
  g_thread_join (thread);
  /* Also before the first point. */
  g_assert_false (ghlo_cpu_strips_run (strips, NULL, buffers, 0, 1, scratch, &monitor));
  g_aligned_free (scratch);
}

/* The size of the scratch does not depend on the extents of parallel axes, and a run allocates nothing else. */
static void
test_memory (void)
{
  g_autofree GhloKernel *kernel = read_kernel ("softmax.kernel");
  GhloKernelMemory *memory = random_memory_new (kernel, 1);
  gint64 extents[] = { kernel->axes[0].extent, kernel->axes[1].extent }, few[] = { 3, extents[1] };
  gpointer buffers[] = { memory[0].data, memory[1].data }, scratch;
  GhloKernelSchedule schedule;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloCpuStrips) strips = NULL;
  guint n;

  ghlo_kernel_schedule_choose (kernel, ghlo_cpu_machine (), GHLO_SCHEDULE_ANY, &schedule);
  strips = ghlo_cpu_strips_new (kernel, &schedule, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_cpu_strips_scratch (strips, few), ==, ghlo_cpu_strips_scratch (strips, extents));
  scratch = new_scratch (strips, extents);
  g_assert_true (ghlo_cpu_strips_run (strips, extents, buffers, 0, 3, scratch, NULL));
  n = count_own_allocations ();
  g_assert_true (ghlo_cpu_strips_run (strips, extents, buffers, 0, extents[0], scratch, NULL));
  g_assert_cmpuint (count_own_allocations (), ==, n);
  g_aligned_free (scratch);
  random_memory_free (kernel, memory);
}

/* The level is fixed after the first query, hence a process for each. */
static void
test_level (gconstpointer data)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;

  g_subprocess_launcher_setenv (launcher, "DNNL_MAX_CPU_ISA", data, TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, program, "-p", "/cpu/strips/fewer", NULL);
  g_assert_no_error (error);
  g_subprocess_wait_check (process, NULL, &error);
  g_assert_no_error (error);
}

int
main (int    argc,
      char **argv)
{
  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  program = argv[0];
  g_test_add_func ("/cpu/strips/shared", test_shared);
  g_test_add_func ("/cpu/strips/addresses", test_addresses);
  g_test_add_func ("/cpu/strips/cancel", test_cancel);
  g_test_add_func ("/cpu/strips/memory", test_memory);
  g_test_add_func ("/cpu/strips/files", test_files);
  g_test_add_func ("/cpu/strips/random", test_random);
  g_test_add_func ("/cpu/strips/fewer", test_fewer);
  g_test_add_data_func ("/cpu/strips/sse41", "SSE41", test_level);
  g_test_add_data_func ("/cpu/strips/avx2", "AVX2", test_level);

  return g_test_run ();
}
