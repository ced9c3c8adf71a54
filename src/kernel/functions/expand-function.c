/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Adds the expansion of one function to a kernel. The expansion is made in a builder of its own. The nodes that the
 * result needs are copied from there, each once, in the order of operands. The nodes are therefore the same in
 * whatever order a compiler evaluates nested calls.
 */

#include "kernel/functions/vocabulary.h"

#include <string.h>

guint
ghlo_expand_add_primitive (Builder              *to,
                           const GhloKernelNode *node,
                           guint                 quotient,
                           guint                 a,
                           guint                 b,
                           guint                 c)
{
  return quotient != 0 ? ghlo_kernel_add_quotient (to, quotient, a, b)
                       : ghlo_kernel_add_node (to, node->kind, node->type, a, b, c);
}

/* An expansion that is being copied to @to. */
typedef struct
{
  Builder *from, *to;
  guint    operands[3];         /* of the function, as nodes of @to */
  guint    first, end;          /* range of the expansion's nodes in @to so far */
  guint   *moved;               /* for each node of @from, its number in @to, or GHLO_KERNEL_NONE */
  gboolean is_full;             /* the table of nodes is full */
} Move;

/* Returns the number in @to of a node equal to @node, which is added if there is none. */
static guint
find_or_add (Move                 *self,
             const GhloKernelNode *node)
{
  guint number;

  /* Comparing kinds first is faster: there are many nodes, nearly all of another kind. */
  if (self->first != GHLO_KERNEL_NONE)
    {
      const GhloKernelNode *nodes = ghlo_kernel_builder_get_node (self->to, self->first);

      for (guint i = 0; i < self->end - self->first; i++)
        if (nodes[i].kind == node->kind && memcmp (&nodes[i], node, sizeof *node) == 0)
          return self->first + i;
    }
  if (node->kind == GHLO_NODE_CONSTANT)
    number = ghlo_kernel_add_constant (self->to, node->type, node->bits);
  else
    number = ghlo_expand_add_primitive (self->to, node, node->quotient, node->operands[0], node->operands[1],
                                        node->operands[2]);
  self->is_full = number == GHLO_KERNEL_NONE;
  self->first = self->first == GHLO_KERNEL_NONE ? number : self->first;
  self->end = number + 1;

  return number;
}

static guint
move_node (Move  *self,
           guint  number)
{
  GhloKernelNode node;

  if (number == GHLO_KERNEL_NONE || self->is_full)
    return GHLO_KERNEL_NONE;
  if (self->moved[number] != GHLO_KERNEL_NONE)
    return self->moved[number];
  node = *ghlo_kernel_builder_get_node (self->from, number);
  if (node.kind == GHLO_NODE_TEMPORARY)
    return self->operands[node.index];
  for (guint i = 0; i < G_N_ELEMENTS (node.operands); i++)
    node.operands[i] = move_node (self, node.operands[i]);
  if (self->is_full)
    return GHLO_KERNEL_NONE;

  return self->moved[number] = find_or_add (self, &node);
}

/* In the expansion's own builder, temporaries stand for operands. */
guint
ghlo_expand_function (Builder             *to,
                      GhloKernelExpansion  expansion,
                      GhloElementType      type,
                      const guint         *operands,
                      guint                n_operands)
{
  g_autoptr (GhloKernelBuilder) from = ghlo_kernel_builder_new ("function");
  g_autofree guint *moved = NULL;
  guint leaves[3], result;
  Move move = { from, to, .first = GHLO_KERNEL_NONE };

  ghlo_kernel_begin_points (from, 0);
  for (guint i = 0; i < n_operands; i++)
    {
      move.operands[i] = operands[i];
      leaves[i] = ghlo_kernel_add_leaf (from, GHLO_NODE_TEMPORARY, type, i);
    }
  result = expansion (from, type, leaves);
  g_assert (result != GHLO_KERNEL_NONE);
  move.moved = moved = g_new (guint, result + 1);
  for (guint i = 0; i <= result; i++)
    moved[i] = GHLO_KERNEL_NONE;

  return move_node (&move, result);
}
