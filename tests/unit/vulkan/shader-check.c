/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The validator and the disassembler are separate programs, which read a file.
 */

#include "shader-check.h"

#include "base/ghlo-error.h"
#include "kernel/expand.h"
#include "kernel/text.h"

#include "../kernel/random-kernel.h"

#include <string.h>

#include <glib/gstdio.h>

/* The shared memory that every device has, for workgroups of that size; the tests' kernels take less than any. */
static const GhloSpirvSchedule by_invocation, by_group = { TRUE, 16384 }, by_any_group = { TRUE, G_MAXSIZE - 1 };
static const GhloSpirvSchedule by_wide_group = { TRUE, 16384, .group = 128 };
static const GhloSpirvSchedule by_narrow_group = { TRUE, 16384, .group = 8 };
static const GhloSpirvSchedule together[] = { { TRUE, 16384, .group = 8, .points_per_group = 4 },
                                              { TRUE, 16384, .group = 4, .points_per_group = 8,
                                                .has_adjacent_points = TRUE } };
/* Schedules the kernel as if it had few points. */
static const GhloSpirvSchedule ahead = { .n_points = 1 };

static char *
find_validator (void)
{
  return g_find_program_in_path ("spirv-val");
}

/* Runs the program @arguments on a file with @words as its last argument, and returns what the program prints. */
static char *
read_output (GBytes            *words,
             const char *const *arguments,
             int               *status)
{
  g_autofree char *path = NULL, *errors = NULL;
  g_autoptr (GPtrArray) line = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  int file = g_file_open_tmp ("ghlo-XXXXXX.spv", &path, &error);
  char *output;

  g_assert_no_error (error);
  g_close (file, NULL);
  g_file_set_contents (path, g_bytes_get_data (words, NULL), (gssize) g_bytes_get_size (words), &error);
  g_assert_no_error (error);
  while (*arguments != NULL)
    g_ptr_array_add (line, (gpointer) *arguments++);
  g_ptr_array_add (line, path);
  g_ptr_array_add (line, NULL);
  /* With this flag GLib uses posix_spawn(), which need not copy the page tables of everything that drivers have
   * mapped. */
  g_spawn_sync (NULL, (char **) line->pdata, NULL, G_SPAWN_LEAVE_DESCRIPTORS_OPEN, NULL, NULL, &output, &errors, status,
                &error);
  g_assert_no_error (error);
  g_unlink (path);
  if (*errors == '\0')
    return output;
  g_free (output);

  return g_steal_pointer (&errors);
}

static void
print (const GhloKernel *kernel,
       GBytes           *words)
{
  g_autofree char *text = ghlo_kernel_print (kernel), *listing = NULL;
  g_autofree char *disassembler = g_find_program_in_path ("spirv-dis");
  int status;

  if (disassembler != NULL)
    listing = read_output (words, (const char *[]) { disassembler, NULL }, &status);
  g_printerr ("%s\n%s\n", text, listing != NULL ? listing : "");
}

/* Whether the shader is refused for its size: functions may expand into thousands of nodes. */
static gboolean
is_too_large (const GError *error)
{
  return g_error_matches (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED) && strstr (error->message, "would be too large");
}

/* The validator's complaint about a module; NULL where the module is valid or no validator is installed. */
static char *
find_fault (GBytes *words)
{
  g_autofree char *validator = find_validator (), *output = NULL;
  int status = 0;

  g_assert_cmpuint (g_bytes_get_size (words) % 4, ==, 0);
  if (validator != NULL)
    output = read_output (words, (const char *[]) { validator, "--target-env", "vulkan1.2", NULL }, &status);

  return status != 0 ? g_steal_pointer (&output) : NULL;
}

void
shader_check_words (GBytes     *words,
                    const char *name)
{
  g_autofree char *fault = find_fault (words);

  if (fault != NULL)
    g_error ("%s: %s", name, fault);
}

/* Validates the kernel's shader as made for a device that makes all these promises. */
static void
validate (const GhloKernel        *kernel,
          const GhloSpirvFloats   *floats,
          const GhloSpirvSchedule *schedule,
          const char              *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, floats, schedule, &error);
  g_autofree char *fault = NULL;

  if (is_too_large (error))
    return;
  g_assert_no_error (error);
  fault = find_fault (words);
  if (fault != NULL || g_getenv ("GHLO_TEST_KERNEL") != NULL)
    print (kernel, words);
  if (fault != NULL)
    g_error ("%s: %s", name, fault);
}

void
shader_check_validate (const GhloKernel *kernel,
                       const char       *name)
{
  static const GhloSpirvFloats all = { { TRUE, TRUE }, { TRUE, TRUE }, { TRUE, TRUE }, { TRUE, TRUE }, { TRUE, TRUE },
                                       { TRUE, TRUE }, TRUE };
  static const GhloSpirvFloats none;

  validate (kernel, &all, &by_invocation, name);
  validate (kernel, &none, &by_any_group, name);
  if (kernel->n_blocks == 1)
    validate (kernel, &none, &ahead, name);
}

void
shader_check_validate_pair (const GhloKernel *first,
                            const GhloKernel *second,
                            const char       *name)
{
  const GhloSpirvFloats floats = { .folds_exactly = TRUE };
  const GhloSpirvSchedule *const schedules[] = { &by_any_group, &by_invocation, &ahead };
  const guint n = G_N_ELEMENTS (schedules);

  for (guint i = 0; i < n * n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) words = ghlo_spirv_emit_pair ((const GhloKernel *[]) { first, second }, &floats,
                                                       (GhloSpirvSchedule[]) { *schedules[i / n], *schedules[i % n] },
                                                       &error);

      g_assert_no_error (error);
      shader_check_words (words, name);
    }
}

void
shader_check_skip (void)
{
  g_autofree char *validator = find_validator ();

  if (validator == NULL)
    g_test_skip ("there is no spirv-val: shaders were made, and not validated");
}

/* Runs @kernel on a copy of @from, which must become equal to @expected. */
static void
compare (ShaderRunner            *runner,
         const GhloSpirvDevice   *device,
         const GhloKernel        *kernel,
         const GhloSpirvSchedule *schedule,
         const gint64            *extents,
         const GhloKernelMemory  *from,
         const GhloKernelMemory  *expected,
         const char              *name)
{
  GhloKernelMemory *found;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) words = ghlo_spirv_emit (kernel, &device->floats, schedule, &error);
  g_autofree char *difference = NULL;

  if (is_too_large (error))
    return;
  g_assert_no_error (error);
  found = random_memory_copy (kernel, from);
  if (!shader_kernel_run (runner, kernel, words, schedule->workgroup_per_point ? ghlo_spirv_points_per_group (schedule)
                                                                               : GHLO_SPIRV_GROUP,
                          extents, found, &error))
    g_error ("%s: %s", name, error->message);
  difference = random_memory_compare (kernel, expected, found);
  if (difference != NULL)
    {
      print (kernel, words);
      g_error ("%s on %s, %s a point, %u of a workgroup, which has %u points: %s", name,
               shader_runner_get_name (runner), schedule->workgroup_per_point ? "a workgroup" : "an invocation",
               ghlo_spirv_group (schedule), ghlo_spirv_points_per_group (schedule), difference);
    }
  random_memory_free (kernel, found);
}

static gboolean
has_only_points (const GhloKernel *kernel)
{
  for (guint i = 0; i < kernel->n_blocks; i++)
    if (kernel->blocks[i].kind != GHLO_BLOCK_POINTS)
      return FALSE;

  return TRUE;
}

ShaderCheck
shader_check_run (ShaderRunner          *runner,
                  const GhloSpirvDevice *device,
                  const GhloKernel      *kernel,
                  const gint64          *extents,
                  guint64                seed,
                  const char            *name)
{
  g_autofree GhloKernel *expanded = ghlo_kernel_expand (kernel, NULL);
  g_autoptr (GError) error = NULL;
  GhloKernelMemory *from, *expected;
  const gboolean fits = ghlo_spirv_shared (kernel) <= by_group.shared_size;
  GhloElementType type;

  if (ghlo_spirv_find_inexact (device, expanded, TRUE, &type) != GHLO_N_NODES)
    return SHADER_CHECK_INEXACT;
  from = random_memory_new (kernel, seed);
  expected = random_memory_copy (kernel, from);
  ghlo_kernel_interpret (expanded, extents, expected, NULL, &error);
  g_assert_no_error (error);
  compare (runner, device, kernel, &by_invocation, extents, from, expected, name);
  if (kernel->n_blocks == 1)
    compare (runner, device, kernel, &ahead, extents, from, expected, name);
  if (fits)
    compare (runner, device, kernel, &by_group, extents, from, expected, name);
  if (fits && kernel->n_carries > 0 && seed % 3 == 1)
    compare (runner, device, kernel, &by_wide_group, extents, from, expected, name);
  if (fits && kernel->n_folds > 0)
    compare (runner, device, kernel, &by_narrow_group, extents, from, expected, name);
  if (seed % 3 == 0 && ghlo_spirv_shared (kernel) <= by_group.shared_size / 8 && kernel->n_folds > 0
      && has_only_points (kernel))
    compare (runner, device, kernel, &together[seed % 2], extents, from, expected, name);
  random_memory_free (kernel, from);
  random_memory_free (kernel, expected);

  return fits ? SHADER_CHECK_BOTH : SHADER_CHECK_INVOCATIONS;
}
