/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Propagates the dependency from LEFT to all nodes that use it.
 */

#include "kernel/depends.h"

gboolean
ghlo_kernel_index_depends (const GhloKernel *kernel,
                           const guint8     *depends,
                           guint             access)
{
  guint first;

  if (access == GHLO_KERNEL_NONE)
    return FALSE;
  first = kernel->accesses[access].first_term;
  for (guint i = first; i < first + kernel->accesses[access].n_terms; i++)
    if (kernel->terms[i].node != GHLO_KERNEL_NONE && depends[kernel->terms[i].node])
      return TRUE;

  return FALSE;
}

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
      if (node->kind == GHLO_NODE_LOAD || node->kind == GHLO_NODE_INSIDE)
        depends[i] = depends[i] || ghlo_kernel_index_depends (kernel, depends, node->index);
    }

  return depends;
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
    if (depends[i] && (kernel->nodes[i].kind == GHLO_NODE_LOAD || kernel->nodes[i].kind == GHLO_NODE_INSIDE))
      return FALSE;
  for (guint i = block->first_store; i < block->first_store + (guint) block->n_stores; i++)
    if (depends[kernel->stores[i].node] || ghlo_kernel_index_depends (kernel, depends, kernel->stores[i].access))
      return FALSE;

  return TRUE;
}
