/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Propagates the dependency from LEFT to all nodes that use it.
 */

#include "kernel/depends.h"

guint8 *
ghlo_kernel_depends (const GhloKernel      *kernel,
                     const GhloKernelBlock *block)
{
  guint8 *depends = g_new0 (guint8, kernel->n_nodes);

  for (guint i = block->first_node; i < block->first_merge; i++)
    {
      const GhloKernelNode *node = &kernel->nodes[i];

      depends[i] = node->kind == GHLO_NODE_LEFT;
      for (guint j = 0; j < 3; j++)
        if (node->operands[j] != GHLO_KERNEL_NONE && depends[node->operands[j]])
          depends[i] = TRUE;
    }

  return depends;
}

/* Returns whether an index of @access depends on folds. */
static gboolean
is_dependent (const GhloKernel *kernel,
              const guint8     *depends,
              guint             access)
{
  const guint first = kernel->accesses[access].first_term;

  for (guint i = first; i < first + kernel->accesses[access].n_terms; i++)
    if (kernel->terms[i].node != GHLO_KERNEL_NONE && depends[kernel->terms[i].node])
      return TRUE;

  return FALSE;
}

gboolean
ghlo_kernel_folds_in_order (const GhloKernel      *kernel,
                            const GhloKernelBlock *block)
{
  g_autofree guint8 *depends = NULL;

  if (block->n_folds == 0 || block->n_chains > 1)
    return FALSE;
  depends = ghlo_kernel_depends (kernel, block);
  for (guint i = block->first_node; i < block->first_merge; i++)
    if (kernel->nodes[i].kind == GHLO_NODE_LOAD || kernel->nodes[i].kind == GHLO_NODE_INSIDE)
      if (depends[i] || is_dependent (kernel, depends, kernel->nodes[i].index))
        return FALSE;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (depends[kernel->stores[i].node]
        || (kernel->stores[i].access != GHLO_KERNEL_NONE && is_dependent (kernel, depends, kernel->stores[i].access)))
      return FALSE;

  return TRUE;
}
