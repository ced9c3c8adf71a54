/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All memory of a kernel is allocated for a single run.
 */

#include "shader-kernel.h"

#include "../sanitized.h"

#include <string.h>

enum { MAX_GROUPS = 65535 };

/* Copies the buffers and stores their addresses; buffers that alias each other alias on the device, too. */
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

/* The table of words without addresses and extents; NULL when out of memory. */
static guint64 *
make_table (ShaderRunner     *runner,
            const GhloKernel *kernel,
            guint64           n,
            GhloSpirvPush    *push)
{
  const guint64 n_invocations = (n + GHLO_SPIRV_GROUP - 1) / GHLO_SPIRV_GROUP * GHLO_SPIRV_GROUP;
  gpointer table, scratch;
  gsize size;

  if (__builtin_mul_overflow (MAX (ghlo_spirv_scratch (kernel), 8), n_invocations, &size))
    return NULL;
  push->table = shader_runner_alloc (runner, 8 * (GHLO_SPIRV_N_WORDS + kernel->n_buffers + (gsize) kernel->n_axes),
                                     &table);
  if (push->table == 0)
    return NULL;
  ((guint64 *) table)[GHLO_SPIRV_WORD_END] = n;
  ((guint64 *) table)[GHLO_SPIRV_WORD_INVOCATIONS] = n_invocations;
  ((guint64 *) table)[GHLO_SPIRV_WORD_SCRATCH] = shader_runner_alloc (runner, size, &scratch);

  return scratch != NULL ? table : NULL;
}

/* Splits the work into dispatches of at most as many workgroups as every device allows. */
static gboolean
dispatch (ShaderRunner   *runner,
          GBytes         *words,
          guint64         points,       /* of a workgroup */
          guint64         n,
          GhloSpirvPush  *push,
          GError        **error)
{
  for (push->first = 0; push->first < n; push->first += MAX_GROUPS * points)
    {
      guint64 n_groups = MIN ((n - push->first + points - 1) / points, MAX_GROUPS);

      if (!shader_runner_run (runner, g_bytes_get_data (words, NULL), g_bytes_get_size (words) / 4, push, sizeof *push,
                              (guint) n_groups, error))
        return FALSE;
    }

  return TRUE;
}

static gboolean
run (ShaderRunner            *runner,
     const GhloKernel        *kernel,
     GBytes                  *words,
     guint64                  points,
     const gint64            *extents,
     const GhloKernelMemory  *memory,
     GError                 **error)
{
  gpointer hosts[GHLO_KERNEL_MAX_BUFFERS];
  GhloSpirvPush push = { 0 };
  guint64 *table, n = 1;

  for (guint i = 0; i < kernel->n_parallel; i++)
    n *= (guint64) extents[i];
  table = make_table (runner, kernel, n, &push);
  if (table == NULL || !copy_buffers (runner, kernel, memory, table + GHLO_SPIRV_N_WORDS, hosts))
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "the device has no more memory");
      return FALSE;
    }
  memcpy (table + GHLO_SPIRV_N_WORDS + kernel->n_buffers, extents, kernel->n_axes * sizeof *extents);
  if (!dispatch (runner, words, points, n, &push, error))
    return FALSE;
  for (guint i = 0; i < kernel->n_buffers; i++)
    memcpy (memory[i].data, hosts[i], memory[i].size);

  return TRUE;
}

gboolean
shader_kernel_run (ShaderRunner            *runner,
                   const GhloKernel        *kernel,
                   GBytes                  *words,
                   guint64                  points,
                   const gint64            *extents,
                   const GhloKernelMemory  *memory,
                   GError                 **error)
{
  gboolean ok = run (runner, kernel, words, points, extents, memory, error);

  shader_runner_free_all (runner);

  return ok;
}

static gboolean
run_probe (gpointer                 runner,
           const GhloKernel        *kernel,
           GBytes                  *words,
           const GhloKernelMemory  *memory,
           GError                 **error)
{
  gint64 extents[GHLO_KERNEL_MAX_AXES];

  for (guint i = 0; i < kernel->n_axes; i++)
    extents[i] = kernel->axes[i].extent;

  return shader_kernel_run (runner, kernel, words, GHLO_SPIRV_GROUP, extents, memory, error);
}

/* FALSE where the device lacks one of the types that kernels may use, even if not every kernel uses it. */
static gboolean
has_types (const ShaderFeatures *features)
{
  return features->float64 && features->int16 && features->int8 && features->storage8 && features->storage16;
}

ShaderRunner *
shader_kernel_open (GhloSpirvDevice *device)
{
  const char *reason;
  g_autoptr (ShaderRunner) runner = NULL;
  g_autoptr (GError) error = NULL;
  GhloSpirvFloats promises = { 0 };
  const ShaderFeatures *features;

  if (SANITIZED)
    {
      g_test_skip ("drivers have leaks of their own");
      return NULL;
    }
  runner = shader_runner_new (&reason);
  if (runner == NULL || !has_types (shader_runner_get_features (runner)))
    {
      g_test_skip (runner == NULL ? reason : "the device lacks types");
      return NULL;
    }
  features = shader_runner_get_features (runner);
  memcpy (promises.keeps_subnormals, features->preserves_denormals, sizeof promises.keeps_subnormals);
  memcpy (promises.rounds_to_even, features->rounds_to_even, sizeof promises.rounds_to_even);
  memcpy (promises.keeps_nan, features->preserves_nan, sizeof promises.keeps_nan);
  ghlo_spirv_measure (device, ghlo_node_all_types (), &promises, run_probe, runner, &error);
  g_assert_no_error (error);

  return g_steal_pointer (&runner);
}
