/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Shaders of kernels, those of files and drawn at random: the validator of SPIR-V takes each, where it is there; and
 * a device, where there is one that computes floats as kernels do, gives the interpreter's bits.
 *
 *   GHLO_TEST_KERNEL=SEED test-spirv      that kernel, whose text and words are printed
 *   GHLO_TEST_COUNT=N test-spirv          as many kernels
 */

#include "kernel/expand.h"
#include "kernel/text.h"
#include "vulkan/spirv/spirv.h"

#include "shader-runner.h"

#include "../kernel/random-kernel.h"
#include "../sanitized.h"

#include <glib/gstdio.h>

#include <locale.h>
#include <string.h>

/* All that a device may promise. */
static const GhloSpirvFloats all_floats = { { TRUE, TRUE }, { TRUE, TRUE }, { TRUE, TRUE }, { TRUE, TRUE } };

static char *path, *validator, *disassembler;

static char *
read_output (const char *program,
             int        *status)
{
  const char *const arguments[] = { program, path, NULL }, *const validating[] = { program, "--target-env", "vulkan1.2",
                                                                                   path, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *errors = NULL;
  char *output;

  g_spawn_sync (NULL, (char **) (program == validator ? validating : arguments), NULL, G_SPAWN_DEFAULT, NULL, NULL,
                &output, &errors, status, &error);
  g_assert_no_error (error);
  if (*errors == '\0')
    return output;
  g_free (output);

  return g_steal_pointer (&errors);
}

static void
print (const GhloKernel *kernel)
{
  g_autofree char *text = ghlo_kernel_print (kernel), *words = NULL;
  int status;

  words = disassembler != NULL ? read_output (disassembler, &status) : NULL;
  g_printerr ("%s\n%s\n", text, words != NULL ? words : "");
}

static void
validate (const GhloKernel *kernel,
          const char       *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &all_floats, &error);
  g_autofree char *output = NULL;
  int status = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (words) % 4, ==, 0);
  g_file_set_contents (path, g_bytes_get_data (words, NULL), (gssize) g_bytes_get_size (words), &error);
  g_assert_no_error (error);
  if (validator != NULL)
    output = read_output (validator, &status);
  if (status != 0 || g_getenv ("GHLO_TEST_KERNEL") != NULL)
    print (kernel);
  if (status != 0)
    g_error ("%s: %s", name, output);
}

static void
validate_random (guint64 seed)
{
  g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);
  g_autofree char *name = g_strdup_printf ("kernel %" G_GUINT64_FORMAT, seed);

  validate (kernel, name);
}

static void
skip_without_validator (void)
{
  if (validator == NULL)
    g_test_skip ("there is no spirv-val: shaders were made, and not validated");
}

static void
test_random (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL"), *count = g_getenv ("GHLO_TEST_COUNT");
  guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : SANITIZED ? 50 : 300;

  if (seed != NULL)
    validate_random (g_ascii_strtoull (seed, NULL, 0));
  for (guint i = 0; seed == NULL && i < n; i++)
    validate_random (i);
  skip_without_validator ();
}

static void
test_files (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "kernels", NULL);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  guint n = 0;

  for (const char *name; (name = g_dir_read_name (files)) != NULL;)
    {
      g_autofree char *file = g_build_filename (folder, name, NULL), *text = NULL;
      g_autofree GhloKernel *kernel = NULL, *expanded = NULL;
      g_autoptr (GError) error = NULL;

      g_file_get_contents (file, &text, NULL, &error);
      g_assert_no_error (error);
      kernel = ghlo_kernel_parse (text, strlen (text), &error);
      g_assert_no_error (error);
      expanded = ghlo_kernel_expand (kernel, NULL);
      if (expanded == NULL)
        continue;
      validate (kernel, name);
      n++;
    }
  g_assert_cmpuint (n, >, 10);
  skip_without_validator ();
}

/* The least that kernels ask of a device; single operations are compared with the interpreter below. */
static gboolean
has_types (const ShaderFeatures *features)
{
  return features->float64 && features->int16 && features->int8 && features->storage8 && features->storage16;
}

/* Addresses of all buffers; those that lie in one place do there as well. */
static gboolean
copy_buffers (ShaderRunner           *runner,
              const GhloKernel       *kernel,
              const GhloKernelMemory *memory,
              guint64                *addresses,
              gpointer               *hosts)
{
  for (guint i = 0; i < kernel->n_buffers; i++)
    {
      guint same = 0;

      while (memory[same].data != memory[i].data)
        same++;
      addresses[i] = same < i ? addresses[same] : shader_runner_alloc (runner, MAX (memory[i].size, 8), &hosts[i]);
      if (addresses[i] == 0)
        return FALSE;
      if (same < i)
        hosts[i] = hosts[same];
      memcpy (hosts[i], memory[i].data, memory[i].size);
    }

  return TRUE;
}

/* All parallel points, in @memory. */
static void
run_shader (ShaderRunner          *runner,
            const GhloSpirvFloats *floats,
            const GhloKernel      *kernel,
            const gint64          *extents,
            GhloKernelMemory      *memory)
{
  GhloSpirvPush push = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) words = NULL;
  gpointer hosts[GHLO_KERNEL_MAX_BUFFERS], scratch;
  guint64 *table, n = 1, n_groups;

  words = ghlo_spirv_emit (kernel, floats, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= (guint64) extents[i];
  n_groups = (n + GHLO_SPIRV_GROUP - 1) / GHLO_SPIRV_GROUP;
  push.table = shader_runner_alloc (runner, 8 * (GHLO_SPIRV_N_WORDS + kernel->n_buffers + (gsize) kernel->n_axes),
                                    (gpointer *) &table);
  g_assert_cmpuint (push.table, !=, 0);
  table[GHLO_SPIRV_WORD_END] = n;
  table[GHLO_SPIRV_WORD_INVOCATIONS] = n_groups * GHLO_SPIRV_GROUP;
  table[GHLO_SPIRV_WORD_SCRATCH] =
    shader_runner_alloc (runner, MAX (ghlo_spirv_scratch (kernel), 8) * n_groups * GHLO_SPIRV_GROUP, &scratch);
  g_assert_cmpuint (table[GHLO_SPIRV_WORD_SCRATCH], !=, 0);
  g_assert_true (copy_buffers (runner, kernel, memory, table + GHLO_SPIRV_N_WORDS, hosts));
  memcpy (table + GHLO_SPIRV_N_WORDS + kernel->n_buffers, extents, kernel->n_axes * sizeof *extents);
  shader_runner_run (runner, g_bytes_get_data (words, NULL), g_bytes_get_size (words) / 4, &push, sizeof push,
                     (guint) n_groups, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < kernel->n_buffers; i++)
    memcpy (memory[i].data, hosts[i], memory[i].size);
  shader_runner_free_all (runner);
}

/* Whether the device rounds a × b + c once, of floats of @type. */
static gboolean
fuses (ShaderRunner          *runner,
       const GhloSpirvFloats *floats,
       const char            *type)
{
  g_autofree char *text = g_strdup_printf ("kernel fma {\n  parallel i 64\n  buffer x 512\n  buffer y 512 written\n"
                                           "  access @0 %s x [i * 8]\n  access @1 %s y [i * 8]\n  points {\n"
                                           "    %%0 = load %s @0\n    %%1 = negate %s %%0\n"
                                           "    %%2 = multiply %s %%0 %%1\n    %%3 = fma %s %%0 %%0 %%2\n"
                                           "    store %%3 to @1\n  }\n}\n", type, type, type, type, type, type);
  g_autoptr (GError) error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse (text, strlen (text), &error);
  GhloKernelMemory *expected, *found;
  const gint64 extents[] = { 64 };
  g_autofree char *difference = NULL;

  g_assert_no_error (error);
  expected = random_memory_new (kernel, 1);
  for (guint i = 0; i < 64; i++)
    ((double *) expected[0].data)[i] = 1 + (2 * i + 1) * 0x1p-50;
  for (guint i = 0; strcmp (type, "f32") == 0 && i < 64; i++)
    ((float *) expected[0].data)[2 * i] = 1 + (float) (2 * i + 1) * 0x1p-20f;
  found = random_memory_copy (kernel, expected);
  g_assert_true (ghlo_kernel_interpret (kernel, extents, expected, NULL, NULL));
  run_shader (runner, floats, kernel, extents, found);
  difference = random_memory_compare (kernel, expected, found);
  random_memory_free (kernel, expected);
  random_memory_free (kernel, found);

  return difference == NULL;
}

static GhloSpirvFloats
find_floats (ShaderRunner *runner)
{
  const ShaderFeatures *features = shader_runner_get_features (runner);
  GhloSpirvFloats floats = { .fuses = { TRUE, TRUE } };

  memcpy (floats.keeps_subnormals, features->preserves_denormals, sizeof floats.keeps_subnormals);
  memcpy (floats.rounds_to_even, features->rounds_to_even, sizeof floats.rounds_to_even);
  memcpy (floats.keeps_nan, features->preserves_nan, sizeof floats.keeps_nan);
  floats.fuses[0] = fuses (runner, &floats, "f32");
  floats.fuses[1] = fuses (runner, &floats, "f64");

  return floats;
}

/* Whether the device computes the kernel as it is stated. */
static gboolean
is_exact (const GhloKernel      *kernel,
          const GhloSpirvFloats *floats)
{
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, NULL);

  for (guint i = 0; i < expanded->n_nodes; i++)
    if (expanded->nodes[i].kind == GHLO_NODE_FMA && expanded->nodes[i].type == GHLO_ELEMENT_TYPE_F64)
      return floats->fuses[1];
  for (guint i = 0; i < expanded->n_blocks; i++)
    if (expanded->blocks[i].kind == GHLO_BLOCK_PRODUCT
        && expanded->temporaries[expanded->blocks[i].result].type == GHLO_ELEMENT_TYPE_F64)
      return floats->fuses[1];

  return TRUE;
}

/* FALSE where the device computes something else. */
static gboolean
run_random (ShaderRunner          *runner,
            const GhloSpirvFloats *floats,
            guint64                seed)
{
  g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);
  GhloKernelMemory *expected, *found;
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  g_autofree char *difference = NULL;

  if (!is_exact (kernel, floats))
    return FALSE;
  expected = random_memory_new (kernel, seed);
  found = random_memory_copy (kernel, expected);
  random_kernel_extents (kernel, seed, extents);
  g_assert_true (ghlo_kernel_interpret (kernel, extents, expected, NULL, NULL));
  run_shader (runner, floats, kernel, extents, found);
  difference = random_memory_compare (kernel, expected, found);
  if (difference != NULL)
    {
      print (kernel);
      g_error ("kernel %" G_GUINT64_FORMAT " on %s: %s", seed, shader_runner_get_name (runner), difference);
    }
  random_memory_free (kernel, expected);
  random_memory_free (kernel, found);

  return TRUE;
}

static void
test_device (void)
{
  const char *seed = g_getenv ("GHLO_TEST_KERNEL"), *count = g_getenv ("GHLO_TEST_COUNT"), *reason;
  guint n = count != NULL ? (guint) g_ascii_strtoull (count, NULL, 0) : 100, n_run = 0;
  g_autoptr (ShaderRunner) runner = NULL;
  GhloSpirvFloats floats;

  if (SANITIZED)
    {
      g_test_skip ("drivers have leaks of their own");
      return;
    }
  runner = shader_runner_new (&reason);
  if (runner == NULL || !has_types (shader_runner_get_features (runner)))
    {
      g_test_skip (runner == NULL ? reason : "the device lacks types");
      return;
    }
  floats = find_floats (runner);
  if (seed != NULL)
    run_random (runner, &floats, g_ascii_strtoull (seed, NULL, 0));
  for (guint i = 0; seed == NULL && i < n; i++)
    n_run += run_random (runner, &floats, i);
  g_assert_true (seed != NULL || n_run > n / 2);
  g_assert_cmpuint (shader_runner_n_messages (runner), ==, 0);
  g_test_message ("%u kernels on %s, %s; FMA of f32 is %s, of f64 %s", n_run, shader_runner_get_name (runner),
                  shader_runner_is_validated (runner) ? "validated" : "without the validation layer",
                  floats.fuses[0] ? "its own" : "composed",
                  floats.fuses[1] ? "its own" : "rounded twice, so that kernels with it are left out");
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (GError) error = NULL;
  int file, status;

  setlocale (LC_ALL, "");
  g_test_init (&argc, &argv, NULL);
  validator = g_find_program_in_path ("spirv-val");
  disassembler = g_find_program_in_path ("spirv-dis");
  file = g_file_open_tmp ("ghlo-XXXXXX.spv", &path, &error);
  g_assert_no_error (error);
  g_close (file, NULL);
  g_test_add_func ("/spirv/files", test_files);
  g_test_add_func ("/spirv/random", test_random);
  g_test_add_func ("/spirv/device", test_device);
  status = g_test_run ();
  g_unlink (path);
  g_free (path);
  g_free (validator);
  g_free (disassembler);

  return status;
}
