/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Machine code of kernels against the interpreter, bit by bit: drawn at random, with each choice of lanes, vectors of
 * several widths and parallel points cut anywhere, for each kind of processor that this one can be.
 */

#include "base/ghlo-error.h"
#include "cpu/code/blob.h"
#include "cpu/code/call.h"
#include "cpu/code/map.h"
#include "cpu/isa/level.h"
#include "kernel/expand.h"
#include "kernel/text.h"

#include "../kernel/random-kernel.h"
#include "../sanitized.h"

#include <gmodule.h>
#include <locale.h>
#include <string.h>

static const GhloEmitter *emitter;

/* What code can be made for, the least first. */
static const struct
{
  GhloCpuLevel   level;
  GhloCodeTarget target;
} targets[] = {
#if defined (__x86_64__)
  { GHLO_CPU_LEVEL_BASELINE, { "x86_64-unknown-linux-gnu", "x86-64", "", 16, 0, FALSE, FALSE } },
  { GHLO_CPU_LEVEL_AVX2, { "x86_64-unknown-linux-gnu", "x86-64-v2", "", 16, 0, FALSE, TRUE } },
  { GHLO_CPU_LEVEL_AVX2, { "x86_64-unknown-linux-gnu", "x86-64-v3", "", 32, 4, TRUE, TRUE } },
  { GHLO_CPU_LEVEL_AVX512, { "x86_64-unknown-linux-gnu", "x86-64-v4", "", 64, 1, TRUE, TRUE } },
#elif defined (__aarch64__)
  { GHLO_CPU_LEVEL_BASELINE, { "aarch64-unknown-linux-gnu", "generic", "", 16, 0, TRUE, TRUE } },
#endif
};

static void
list (const GhloKernel         *kernel,
      const GhloKernelSchedule *schedule,
      const GhloCodeTarget     *target)
{
  g_autofree char *text = ghlo_kernel_print (kernel), *listing = NULL;
  g_autoptr (GBytes) object = emitter->compile (kernel, schedule, target, &listing, NULL);

  g_printerr ("%s\n%s\n", text, g_getenv ("GHLO_TEST_LISTING") != NULL ? listing : "");
}

/* Runs all parallel points of @kernel in pieces of up to @piece. FALSE where the emitter does not take the kernel. */
static gboolean
run_code (const GhloKernel         *kernel,
          const GhloKernelSchedule *schedule,
          const GhloCodeTarget     *target,
          const gint64             *extents,
          const GhloKernelMemory   *memory,
          gint64                    piece)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) object = emitter->compile (kernel, schedule, target, NULL, &error), blob = NULL;
  g_autoptr (GhloCodeMap) map = NULL;
  guint8 *temporaries[GHLO_KERNEL_MAX_TEMPORARIES];
  gpointer buffers[GHLO_KERNEL_MAX_BUFFERS], scratch;
  gsize size = ghlo_code_scratch (kernel, schedule, extents);
  GhloCodeCall call;
  gint64 n = 1;

  if (g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    return FALSE;
  g_assert_no_error (error);
  blob = ghlo_code_flatten (object, &error);
  if (error != NULL)
    list (kernel, schedule, target);
  g_assert_no_error (error);
  map = ghlo_code_map_new (blob, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (size, <, (gsize) 1 << 32);
  scratch = g_aligned_alloc (1, size, 64);
  memset (scratch, 0xa5, size);
  for (guint i = 0; i < kernel->n_buffers; i++)
    buffers[i] = memory[i].data;
  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= extents[i];
  ghlo_code_call_init (&call, temporaries, kernel, schedule, extents, buffers, scratch);
  for (gint64 i = 0; i < n; i += piece)
    g_assert_true (((GhloCodeFunc) ghlo_code_map_get_entry (map)) (&call, i, MIN (n, i + piece)));
  g_aligned_free (scratch);

  return TRUE;
}

static GhloKernelSchedule
draw_schedule (GRand            *rand,
               const GhloKernel *kernel,
               guint             number)
{
  GhloKernelSchedule schedule = { .lanes = GHLO_KERNEL_NONE, .width = (guint16) (1 << g_rand_int_range (rand, 0, 7)) };

  if (number % 2 == 0 && kernel->n_parallel > 0)
    schedule.lanes = (guint16) g_rand_int_range (rand, 0, kernel->n_parallel);
  if (!ghlo_kernel_schedule_allows (kernel, schedule.lanes))
    schedule.lanes = GHLO_KERNEL_NONE;

  return schedule;
}

static guint
compare (const GhloKernel *kernel,
         guint64           seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  GhloKernelMemory *from = random_memory_new (kernel, seed), *expected = random_memory_copy (kernel, from);
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  g_autoptr (GError) error = NULL;
  guint n = 0;

  random_kernel_extents (kernel, seed, extents);
  ghlo_kernel_interpret (kernel, extents, expected, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (targets); i++)
    {
      GhloKernelSchedule schedule = draw_schedule (rand, kernel, i + (guint) seed);
      GhloKernelMemory *found = random_memory_copy (kernel, from);
      gint64 piece = g_rand_boolean (rand) ? G_MAXINT64 / 2 : g_rand_int_range (rand, 1, 40);
      g_autofree char *difference = NULL;

      if (targets[i].level <= ghlo_cpu_level ()
          && run_code (kernel, &schedule, &targets[i].target, extents, found, piece))
        {
          n++;
          difference = random_memory_compare (kernel, expected, found);
        }
      if (difference != NULL)
        {
          list (kernel, &schedule, &targets[i].target);
          g_error ("kernel %" G_GUINT64_FORMAT ", for %s, lanes %d, width %u, pieces of %" G_GINT64_FORMAT ": %s",
                   seed, targets[i].target.cpu, (gint16) schedule.lanes, schedule.width, piece, difference);
        }
      random_memory_free (kernel, found);
    }
  random_memory_free (kernel, from);
  random_memory_free (kernel, expected);

  return n;
}

static guint
compare_random (guint64 seed)
{
  g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);

  return compare (kernel, seed);
}

static void
test_random (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL"), *count = g_getenv ("GHLO_TEST_COUNT");
  guint n_kernels = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : 200, n = 0;

  if (seed != NULL)
    {
      compare_random (g_ascii_strtoull (seed, NULL, 0));
      return;
    }
  for (guint i = 0; i < n_kernels; i++)
    n += compare_random (i);
  g_test_message ("%u runs of %u kernels", n, n_kernels);
  g_assert_cmpuint (n, >, n_kernels);
}

static GhloKernel *
read_kernel (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "kernels", name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  GhloKernel *kernel;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  kernel = ghlo_kernel_parse (text, strlen (text), &error);
  g_assert_no_error (error);

  return kernel;
}

static void
test_files (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "kernels", NULL);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  guint n = 0;

  for (const char *name; (name = g_dir_read_name (files)) != NULL;)
    {
      g_autofree GhloKernel *kernel = read_kernel (name), *expanded = NULL;
      g_autoptr (GError) error = NULL;

      expanded = ghlo_kernel_expand (kernel, &error);
      if (expanded != NULL)
        n += compare (kernel, n) > 0;
    }
  g_assert_cmpuint (n, >, 10);
}

int
main (int    argc,
      char **argv)
{
  GModule *module;
  gpointer symbol;

  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  module = g_module_open (GHLO_TEST_EMITTER, G_MODULE_BIND_LOCAL);
  if (module == NULL || !g_module_symbol (module, GHLO_EMITTER_SYMBOL, &symbol))
    g_error ("%s", g_module_error ());
  emitter = ((GhloEmitterFunc) symbol) ();
  g_test_add_func ("/cpu/code/files", test_files);
  g_test_add_func ("/cpu/code/random", test_random);

  return g_test_run ();
}
