/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders of kernels of whole programs, those of the test data folder as the command prints them. Each is validated;
 * each that a device supports is run there and must give the interpreter's bits.
 *
 *   GHLO_TEST_COUNT=N test-spirv-corpus      N × 4,096 points a kernel, and buffers of any size
 */

#include "kernel/text.h"

#include "shader-check.h"

#include <locale.h>
#include <string.h>

enum
{
  POINTS = 4096,                /* over all axes together */
  SIZE   = 4 << 20,             /* bytes of all buffers together */
  /* The total number of loop iterations that lavapipe allows an invocation; it silently ends invocations that would
   * do more. */
  MAX_ITERATIONS = 65535,
};

/* Kernels, no two of which have the same code, and the path of the first program that contains each. */
static GPtrArray *kernels, *names;

static void
add_kernel (const char *text,
            const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);

  if (error != NULL)
    g_error ("%s: %s\n%s", name, error->message, text);
  for (guint i = 0; i < kernels->len; i++)
    if (ghlo_kernel_equal (kernels->pdata[i], kernel))
      return;
  g_ptr_array_add (kernels, g_steal_pointer (&kernel));
  g_ptr_array_add (names, g_strdup (name));
}

/* Reads the command's output: kernels, each of which ends with a brace at the beginning of a line. */
static void
read_program (const char *path)
{
  const char *const line[] = { g_getenv ("GHLO_TOOL"), "dump", "--stage=kernels", path, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL, *errors = NULL;
  int status;

  g_spawn_sync (NULL, (char **) line, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, &errors, &status, &error);
  g_assert_no_error (error);
  if (!g_spawn_check_wait_status (status, NULL))
    g_error ("%s: %s", path, errors);
  for (char *at = output, *end; (end = strstr (at, "\n}\n")) != NULL; at = end + 3)
    {
      end[2] = '\0';
      add_kernel (at, path);
    }
}

/* Reads all programs in @folder and its subfolders. */
static void
read_folder (const char *folder)
{
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);

  for (const char *name; files != NULL && (name = g_dir_read_name (files)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        read_folder (path);
      else if (g_str_has_suffix (name, ".mlir"))
        read_program (path);
    }
}

/* FALSE where there are no kernels, in which case the test is skipped. */
static gboolean
find_kernels (void)
{
  if (kernels == NULL)
    {
      g_autofree char *table = g_build_filename (GHLO_TEST_DATA, "seed_table", NULL);
      g_autofree char *models = g_build_filename (GHLO_TEST_DATA, "models", NULL);

      kernels = g_ptr_array_new_with_free_func (g_free);
      names = g_ptr_array_new_with_free_func (g_free);
      if (g_getenv ("GHLO_TOOL") != NULL)
        {
          read_folder (table);
          read_folder (models);
        }
    }
  if (kernels->len == 0)
    g_test_skip ("there is no test data");

  return kernels->len > 0;
}

static void
test_validate (void)
{
  if (!find_kernels ())
    return;
  for (guint i = 0; i < kernels->len; i++)
    shader_check_validate (kernels->pdata[i], names->pdata[i]);
  g_test_message ("%u kernels", kernels->len);
  shader_check_skip ();
}

/* The extents that a kernel is run with; those that are chosen at run time are reduced where there are many points. */
static void
choose_extents (const GhloKernel *kernel,
                double            n_points,
                gint64           *extents)
{
  double n = 1;

  for (guint i = 0; i < kernel->n_axes; i++)
    n *= (double) (extents[i] = kernel->axes[i].extent);
  for (guint i = 0; i < kernel->n_axes && n > n_points; i++)
    if (kernel->axes[i].is_runtime)
      {
        extents[i] = MAX ((gint64) ((double) extents[i] * n_points / n), 1);
        n *= (double) extents[i] / (double) kernel->axes[i].extent;
      }
}

static gsize
count_bytes (const GhloKernel *kernel)
{
  gsize size = 0;

  for (guint i = 0; i < kernel->n_buffers; i++)
    size += (gsize) kernel->buffers[i].size;

  return size;
}

/* Counts the outcomes of the kernels. */
typedef struct
{
  guint n_large, n_long, n_by[SHADER_CHECK_BOTH + 1];
} Counts;

static void
run_kernel (ShaderRunner          *runner,
            const GhloSpirvDevice *device,
            guint                  number,
            Counts                *counts)
{
  const char *count = g_getenv ("GHLO_TEST_COUNT");
  const double n_points = POINTS * (count != NULL ? g_ascii_strtod (count, NULL) : 1);
  const GhloKernel *kernel = kernels->pdata[number];
  const GhloSpirvSchedule by_invocation = { .workgroup_per_point = FALSE };
  gint64 extents[GHLO_KERNEL_MAX_AXES];

  choose_extents (kernel, n_points, extents);
  if (count == NULL && count_bytes (kernel) > SIZE)
    counts->n_large++;
  else if (ghlo_spirv_count_iterations (kernel, extents, &by_invocation) > MAX_ITERATIONS)
    counts->n_long++;
  else
    counts->n_by[shader_check_run (runner, device, kernel, extents, number, names->pdata[number])]++;
}

static void
test_run (void)
{
  GhloSpirvDevice device;
  g_autoptr (ShaderRunner) runner = NULL;
  Counts counts = { 0 };
  guint n_run;

  if (!find_kernels ())
    return;
  runner = shader_kernel_open (&device);
  if (runner == NULL)
    return;
  for (guint i = 0; i < kernels->len; i++)
    run_kernel (runner, &device, i, &counts);
  n_run = counts.n_by[SHADER_CHECK_INVOCATIONS] + counts.n_by[SHADER_CHECK_BOTH];
  g_test_message ("%u of %u kernels on %s have the interpreter's bits, %u as well where a workgroup does a point",
                  n_run, kernels->len, shader_runner_get_name (runner), counts.n_by[SHADER_CHECK_BOTH]);
  g_test_message ("left out: %u with buffers of more than %d MiB, %u with more than %d iterations of loops, %u "
                  "with nodes that the device does not do exactly",
                  counts.n_large, SIZE >> 20, counts.n_long, MAX_ITERATIONS, counts.n_by[SHADER_CHECK_INEXACT]);
  g_assert_true (n_run > kernels->len / 2 || g_getenv ("GHLO_TEST_VULKAN") != NULL);
}

int
main (int    argc,
      char **argv)
{
  int status;

  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/spirv/corpus/validate", test_validate);
  g_test_add_func ("/spirv/corpus/run", test_run);
  status = g_test_run ();
  g_clear_pointer (&kernels, g_ptr_array_unref);
  g_clear_pointer (&names, g_ptr_array_unref);

  return status;
}
