/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel checker on mutated kernels. A mutant that it accepts does nothing that the checker should have refused: a
 * run stays within its memory, and gives the same results when parallel points are visited from last to first.
 */

#include "../sanitized.h"
#include "base/ghlo-error.h"
#include "kernel/check.h"
#include "random-kernel.h"

#include <string.h>

/* For a run: mutated kernels may not terminate. */
static GCancellable *cancellable;
static gint          is_over;

static gpointer
cancel_now_and_then (gpointer data)
{
  while (!g_atomic_int_get (&is_over))
    {
      g_usleep (20000);
      g_cancellable_cancel (cancellable);
    }

  return NULL;
}

/* Whether the kernel's memory is small enough. */
static gboolean
is_small (const GhloKernel *kernel)
{
  gint64 sum = 0;

  for (guint i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].size > 1 << 20 || (sum += kernel->buffers[i].size) > 1 << 20)
      return FALSE;

  return TRUE;
}

/* Whether the run finished; if not, it took too long or needed too much memory. */
static gboolean
run (const GhloKernel *kernel,
     GhloKernelMemory *memory)
{
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;

  g_cancellable_reset (cancellable);
  if (ghlo_kernel_interpret (kernel, NULL, memory, &monitor, &error))
    return TRUE;
  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY))
    g_assert_no_error (error);

  return FALSE;
}

static void
mirror (gint64 *offset,
        gint64 *stride,
        gint64  extent)
{
  *offset += *stride * (extent - 1);
  /* For an axis of one point the stride may be the minimal integer. */
  *stride = (gint64) (0 - (guint64) *stride);
}

/* Reverses each parallel axis, except those whose coordinates are read by nodes. */
static void
mirror_axes (GhloKernel *kernel)
{
  guint seen = 0;

  for (guint i = 0; i < kernel->n_nodes; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_AXIS)
      seen |= 1u << kernel->nodes[i].index;
  for (guint axis = 0; axis < kernel->n_parallel; axis++)
    {
      if ((seen & 1u << axis) != 0)
        continue;
      for (guint i = 0; i < kernel->n_accesses; i++)
        {
          GhloKernelAccess *access = (GhloKernelAccess *) &kernel->accesses[i];

          mirror (&access->offset, &access->strides[axis], kernel->axes[axis].extent);
        }
      for (guint i = 0; i < kernel->n_terms; i++)
        {
          GhloKernelTerm *term = (GhloKernelTerm *) &kernel->terms[i];

          mirror (&term->offset, &term->strides[axis], kernel->axes[axis].extent);
        }
    }
}

/* Runs a kernel that the checker has accepted, in both orders. */
static void
check_run (const GhloKernel *kernel,
           guint64           seed)
{
  GhloKernelMemory *memory, *mirrored_memory;
  g_autofree GhloKernel *mirrored = ghlo_kernel_copy (kernel);
  g_autoptr (GError) error = NULL;

  if (!is_small (kernel))
    return;
  memory = random_memory_new (kernel, seed);
  mirrored_memory = random_memory_copy (kernel, memory);
  mirror_axes (mirrored);
  /* Offsets may have become too large. */
  if (!ghlo_kernel_check (mirrored, &error) && strstr (error->message, "63 bits") == NULL)
    g_assert_no_error (error);
  if (run (kernel, memory) && error == NULL && run (mirrored, mirrored_memory))
    {
      g_autofree char *difference = random_memory_compare (kernel, memory, mirrored_memory);

      g_assert_cmpstr (difference, ==, NULL);
    }
  random_memory_free (kernel, memory);
  random_memory_free (kernel, mirrored_memory);
}

static void
test_orders (void)
{
  for (guint seed = 0; seed < 3000; seed++)
    {
      g_autofree GhloKernel *kernel = random_kernel (seed, 0);

      check_run (kernel, seed);
    }
}

/* A mutated number in place of @value. */
static guint64
change_number (GRand   *rand,
               guint64  value,
               guint    n_bits)
{
  static const gint64 special[] = { 0, 1, -1, 2, 4, 8, 0x7fff, G_MAXINT64, G_MININT64, G_GINT64_CONSTANT (1) << 32 };

  switch (g_rand_int_range (rand, 0, 5))
    {
    case 0:
      return value + 1;
    case 1:
      return value - 1;
    case 2:
      return value ^ (guint64) 1 << g_rand_int_range (rand, 0, (gint32) n_bits);
    case 3:
      return (guint64) special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))];
    default:
      return (guint64) g_rand_int_range (rand, -3, 40);
    }
}

/* Changes one field, or a part of one. From @first on a table's fields are not pointers. */
static gboolean
change_table (GRand         *rand,
              gconstpointer  table,
              guint          n,
              gsize          size,
              gsize          first)
{
  static const guint widths[] = { 1, 2, 4, 8 };
  guint width = widths[g_rand_int_range (rand, 0, 4)];
  guint8 *place;
  guint64 value = 0;

  if (n == 0 || width > size - first)
    return FALSE;
  place = (guint8 *) table + size * (gsize) g_rand_int_range (rand, 0, (gint32) n);
  place += first + width * (gsize) g_rand_int_range (rand, 0, (gint32) ((size - first) / width));
  memcpy (&value, place, width);
  value = change_number (rand, value, 8 * width);
  memcpy (place, &value, width);

  return TRUE;
}

/* Makes a node that reads a temporary read another one of its type. */
static gboolean
change_reader (GRand      *rand,
               GhloKernel *kernel)
{
  guint n = kernel->n_nodes, first = n > 0 ? (guint) g_rand_int_range (rand, 0, (gint32) n) : 0;

  for (guint i = 0; i < n; i++)
    {
      GhloKernelNode *node = (GhloKernelNode *) &kernel->nodes[(first + i) % n];
      guint temporary;

      if (node->kind != GHLO_NODE_TEMPORARY)
        continue;
      temporary = (guint) g_rand_int_range (rand, 0, kernel->n_temporaries);
      if (kernel->temporaries[temporary].type != node->type)
        return FALSE;
      node->index = (guint16) temporary;
      return TRUE;
    }

  return FALSE;
}

static void
change (GRand      *rand,
        GhloKernel *kernel)
{
  gboolean is_changed = FALSE;

#define CHANGE(table, first) change_table (rand, kernel->table, kernel->n_##table, sizeof kernel->table[0], first)
  while (!is_changed)
    switch (g_rand_int_range (rand, 0, 13))
      {
      case 0:
        is_changed = CHANGE (axes, G_STRUCT_OFFSET (GhloKernelAxis, extent));
        break;
      case 1:
        is_changed = CHANGE (buffers, G_STRUCT_OFFSET (GhloKernelBuffer, size));
        break;
      case 2:
      case 3:
        is_changed = CHANGE (accesses, 0);
        break;
      case 4:
        is_changed = CHANGE (terms, 0);
        break;
      case 5:
        is_changed = CHANGE (temporaries, G_STRUCT_OFFSET (GhloKernelTemporary, type));
        break;
      case 6:
        is_changed = CHANGE (blocks, 0);
        break;
      case 7:
        is_changed = CHANGE (stores, 0);
        break;
      case 8:
        is_changed = CHANGE (folds, 0);
        break;
      case 9:
        is_changed = CHANGE (carries, 0);
        break;
      case 10:
        is_changed = CHANGE (nodes, 0);
        break;
      case 11:
        is_changed = change_reader (rand, kernel);
        break;
      default:
        {
          /* The number of entries of a table: fewer. */
          guint16 *counts = &kernel->n_axes;
          guint i = (guint) g_rand_int_range (rand, 0, &kernel->n_nodes - counts + 1);

          is_changed = counts[i] > 0;
          counts[i] = (guint16) g_rand_int_range (rand, 0, MAX (counts[i], 1));
        }
      }
#undef CHANGE
}

/* Padding in tables is not interpreted, so that a change may have no effect. */
static void
test_mutants (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  const guint n = g_test_slow () ? 1000000 : SANITIZED ? 20000 : 50000;
  guint n_accepted = 0;

  for (guint i = 0; i < n;)
    {
      const guint64 seed = g_rand_int (rand);
      g_autofree GhloKernel *kernel = random_kernel (seed, 0);

      for (guint j = 0; j < 20; j++, i++)
        {
          g_autofree GhloKernel *mutant = ghlo_kernel_copy (kernel);
          g_autoptr (GError) error = NULL;

          change (rand, mutant);
          if (!ghlo_kernel_check (mutant, &error))
            {
              g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
              continue;
            }
          n_accepted++;
          check_run (mutant, seed);
        }
    }
  g_test_message ("%u of %u are accepted", n_accepted, n);
  g_assert_cmpuint (n_accepted, >, n / 100);
  g_assert_cmpuint (n_accepted, <, n / 2);
}

int
main (int argc, char **argv)
{
  GThread *thread;
  int status;

  g_test_init (&argc, &argv, NULL);
  cancellable = g_cancellable_new ();
  thread = g_thread_new ("cancel", cancel_now_and_then, NULL);
  g_test_add_func ("/kernel/mutants/orders", test_orders);
  g_test_add_func ("/kernel/mutants/mutants", test_mutants);
  status = g_test_run ();
  g_atomic_int_set (&is_over, TRUE);
  g_thread_join (thread);
  g_object_unref (cancellable);

  return status;
}
