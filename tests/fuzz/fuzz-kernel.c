/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parses any bytes as a kernel's text: the result is a kernel or an error. A kernel is printed and parsed to an
 * equal one, expanded to one without functions, and, where that is little work, interpreted over random memory.
 * The interpreter must not find a fault that the checker should have found.
 */

#include <stdint.h>
#include <string.h>

#include "../unit/kernel/random-kernel.h"
#include "../unit/random/watchdog.h"
#include "base/ghlo-error.h"
#include "kernel/expand.h"
#include "kernel/interpret.h"
#include "kernel/text.h"

enum
{
  RUN_LIMIT = 100 * 1000,       /* microseconds */
  MAX_EXTENT = 5,               /* of axes whose extent is free */
  MAX_POINTS = 10000,
  MAX_WORK = 2000000,           /* points times nodes */
  MAX_BYTES = 1 << 20,
};

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static gboolean
is_one_of (const GError *error,
           int           a,
           int           b)
{
  return g_error_matches (error, GHLO_ERROR, a) || g_error_matches (error, GHLO_ERROR, b);
}

static void
check_round_trip (const GhloKernel *kernel)
{
  g_autofree char *text = ghlo_kernel_print (kernel), *printed = NULL;
  g_autofree GhloKernel *again = NULL;
  g_autoptr (GError) error = NULL;

  again = ghlo_kernel_parse (text, strlen (text), &error);
  if (again == NULL)
    g_error ("what was printed is not parsed: %s", error->message);
  printed = ghlo_kernel_print (again);
  if (!ghlo_kernel_equal (kernel, again) || strcmp (text, printed) != 0)
    g_error ("what was printed is parsed to another kernel:\n%s\n%s", text, printed);
}

/* Returns FALSE where running all points is too much work. */
static gboolean
choose_extents (const GhloKernel *kernel,
                gint64           *extents)
{
  gint64 n = 1;

  for (guint i = 0; i < kernel->n_axes; i++)
    {
      extents[i] = kernel->axes[i].is_runtime ? MIN (kernel->axes[i].extent, MAX_EXTENT) : kernel->axes[i].extent;
      if (__builtin_mul_overflow (n, extents[i], &n) || n > MAX_POINTS)
        return FALSE;
    }

  return n * kernel->n_nodes <= MAX_WORK;
}

static gboolean
is_small (const GhloKernel *kernel)
{
  gint64 total = 0;

  for (guint i = 0; i < kernel->n_buffers; i++)
    if (__builtin_add_overflow (total, kernel->buffers[i].size, &total) || total > MAX_BYTES)
      return FALSE;

  return TRUE;
}

static void
run (const GhloKernel *kernel)
{
  GhloKernelMemory *memory;
  gint64 extents[GHLO_KERNEL_MAX_AXES];
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;

  if (!choose_extents (kernel, extents) || !is_small (kernel))
    return;
  memory = random_memory_new (kernel, kernel->hash);
  watchdog_begin (cancellable, RUN_LIMIT);
  if (!ghlo_kernel_interpret (kernel, extents, memory, &monitor, &error)
      && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !is_one_of (error, GHLO_ERROR_UNSUPPORTED, GHLO_ERROR_OUT_OF_MEMORY))
    g_error ("a kernel is accepted and fails: %s", error->message);
  watchdog_end ();
  random_memory_free (kernel, memory);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data,
                        size_t         size)
{
  g_autoptr (GError) error = NULL, expand_error = NULL;
  g_autofree GhloKernel *kernel = ghlo_kernel_parse ((const char *) data, size, &error);
  g_autofree GhloKernel *expanded = NULL;

  if (kernel == NULL)
    {
      if (!g_error_matches (error, GHLO_ERROR, GHLO_ERROR_PARSE)
          && !is_one_of (error, GHLO_ERROR_INVALID_ARGUMENT, GHLO_ERROR_UNSUPPORTED))
        g_error ("not an error of a kernel's text: %s", error->message);
      return 0;
    }
  check_round_trip (kernel);
  expanded = ghlo_kernel_expand (kernel, &expand_error);
  if (expanded != NULL)
    check_round_trip (expanded);
  else if (!g_error_matches (expand_error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED))
    g_error ("a kernel is not expanded: %s", expand_error->message);
  run (expanded != NULL ? expanded : kernel);

  return 0;
}
