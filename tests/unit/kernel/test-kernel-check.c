/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The kernel checker: what it accepts, and that each of its rules refuses the kernels that break the rule.
 */

#include "../sanitized.h"
#include "good-kernels.h"
#include "kernel/expand.h"
#include "random-kernel.h"

/* Accepted kernels run on zeroed memory of exactly the stated sizes. */
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

/* The classes of types for which a function has expansions. */
static guint
classes_of_function (GhloNodeKind kind)
{
  guint classes = 0;

  for (GhloElementType type = 1; type <= GHLO_ELEMENT_TYPE_F64; type++)
    if (ghlo_kernel_expansion (kind, type) != NULL)
      classes |= ghlo_node_types (type);

  return classes;
}

static void
check_coverage (const RandomCoverage *coverage)
{
  static const char *const forms[] = {
#define X(FORM) #FORM,
    RANDOM_FORMS (X)
#undef X
  };
  guint n_missing = 0;

  for (guint kind = 0; kind < GHLO_N_NODES; kind++)
    for (guint i = 0; i < 4; i++)
      {
        const GhloNodeSpec *spec = ghlo_node_spec (kind);
        guint types = spec->role == GHLO_NODE_LEAF ? spec->result_types : spec->operand_types;

        if (spec->role == GHLO_NODE_FUNCTION)
          types = classes_of_function (kind);
        if ((types & 1u << i) == 0 || coverage->nodes[kind][i] > 0)
          continue;
        g_test_message ("%s of class %u is missing", spec->name, i);
        n_missing++;
      }
  for (guint kind = 0; kind < GHLO_N_BLOCKS; kind++)
    g_assert_cmpuint (coverage->blocks[kind], >, 0);
  for (guint i = 0; i < RANDOM_N_FORMS; i++)
    {
      g_test_message ("%s: %u", forms[i], coverage->forms[i]);
      n_missing += coverage->forms[i] == 0;
    }
  g_assert_cmpuint (n_missing, ==, 0);
}

/* Random kernels are accepted (random_kernel () ensures that), and do nothing that the checker should have refused. */
static void
test_random (void)
{
  static RandomCoverage coverage;
  const guint n = g_test_slow () ? 100000 : SANITIZED ? 3000 : 10000;

  for (guint seed = 0; seed < n; seed++)
    {
      g_autofree GhloKernel *kernel = random_kernel (seed, seed % 4 == 0 ? RANDOM_KERNEL_FUNCTIONS : 0);
      GhloKernelMemory *memory = random_memory_new (kernel, seed);
      gint64 extents[GHLO_KERNEL_MAX_AXES];
      g_autoptr (GError) error = NULL;

      random_kernel_cover (kernel, &coverage);
      random_kernel_extents (kernel, seed, extents);
      ghlo_kernel_interpret (kernel, seed % 3 == 0 ? NULL : extents, memory, NULL, &error);
      g_assert_no_error (error);
      random_memory_free (kernel, memory);
    }
  check_coverage (&coverage);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel/check/accepts", test_accepts);
  g_test_add_func ("/kernel/check/random", test_random);

  return g_test_run ();
}
