/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks nodes against the table of nodes: types, operands, and what leaves refer to. A node is examined as an
 * operand only after it has passed itself.
 */

#include "kernel/check/checker.h"

#include "kernel/evaluate.h"

/* Sets an error that says where and what is wrong with a node. */
#define fail(self, number, format, ...) \
  ghlo_kernel_check_fail (self, "node %u (%s): " format, number, \
                          ghlo_node_spec ((self)->kernel->nodes[number].kind)->name, __VA_ARGS__)

static const char *
type_name (guint type)
{
  return ghlo_element_info (type)->name;
}

/* Checks that an operand is an earlier node of the same block, or of the same merge, which begins at @first. */
static gboolean
check_operand (GhloKernelCheck *self,
               guint            number,
               guint            i,
               guint            first)
{
  guint operand = self->kernel->nodes[number].operands[i];

  if (operand < first || operand >= number)
    return fail (self, number, "operand %u is node %u: expected one of [%u, %u)", i, operand, first, number);

  return TRUE;
}

static gboolean
is_short_quotient (const GhloKernelNode *node)
{
  return node->quotient <= GHLO_QUOTIENT_IS_NARROW && node->kind == GHLO_NODE_DIVIDE
         && node->type == GHLO_ELEMENT_TYPE_F32;
}

static gboolean
check_fields (GhloKernelCheck *self,
              guint            number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];

  if (node->kind >= GHLO_N_NODES)
    return ghlo_kernel_check_fail (self, "node %u: there is no kind %u", number, node->kind);
  if (!ghlo_kernel_check_is_type (node->type))
    return fail (self, number, "nodes cannot have type %u", node->type);
  if (node->reserved[0] != 0 || node->reserved[1] != 0 || node->reserved[2] != 0)
    return fail (self, number, "expected %s", "reserved fields that are 0");
  if (node->bits != (node->kind == GHLO_NODE_CONSTANT ? ghlo_node_cut (node->type, node->bits) : 0))
    return fail (self, number, "its bits 0x%" G_GINT64_MODIFIER "x are not of its type", node->bits);
  if (node->index != 0 && !is_short_quotient (node)
      && (ghlo_node_spec (node->kind)->role != GHLO_NODE_LEAF || node->kind == GHLO_NODE_CONSTANT))
    return fail (self, number, "it refers to %u: expected 0", node->index);

  return TRUE;
}

static gboolean
check_axis (GhloKernelCheck *self,
            guint            number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];

  if (node->index >= self->kernel->n_axes)
    return fail (self, number, "there is no axis %u", node->index);
  if (node->kind == GHLO_NODE_AXIS && (ghlo_kernel_check_scope (self) & 1u << node->index) == 0)
    return fail (self, number, "axis %u (%s) is not in scope", node->index, self->kernel->axes[node->index].name);

  return TRUE;
}

static gboolean
check_access (GhloKernelCheck *self,
              guint            number,
              guint            first)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  guint fill = node->operands[0];

  if (node->index >= self->kernel->n_accesses)
    return fail (self, number, "there is no access %u", node->index);
  if (!ghlo_kernel_check_use (self, node->index, number))
    return FALSE;
  if (node->kind == GHLO_NODE_INSIDE)
    return TRUE;
  if (node->type != self->kernel->accesses[node->index].type)
    return fail (self, number, "it is of type %s: expected %s, as its access %u", type_name (node->type),
                 type_name (self->kernel->accesses[node->index].type), node->index);
  if (fill == GHLO_KERNEL_NONE)
    return TRUE;
  if (!check_operand (self, number, 0, first))
    return FALSE;
  if (self->kernel->nodes[fill].type != node->type)
    return fail (self, number, "operand 0 is of type %s: expected %s", type_name (self->kernel->nodes[fill].type),
                 type_name (node->type));

  return TRUE;
}

static gboolean
check_temporary (GhloKernelCheck *self,
                 guint            number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  const GhloKernelTemporary *temporary;

  if (node->index >= self->kernel->n_temporaries)
    return fail (self, number, "there is no temporary %u", node->index);
  temporary = &self->kernel->temporaries[node->index];
  if (node->type != temporary->type)
    return fail (self, number, "it is of type %s: expected %s, as temporary %u (%s)", type_name (node->type),
                 type_name (temporary->type), node->index, temporary->name);
  if (!self->is_readable[node->index])
    return fail (self, number, "temporary %u (%s) has no value here", node->index, temporary->name);
  if ((temporary->axes & ~ghlo_kernel_check_scope (self)) != 0)
    return fail (self, number, "temporary %u (%s) spans axes 0x%02x: expected some of 0x%02x, which are in scope",
                 node->index, temporary->name, temporary->axes, ghlo_kernel_check_scope (self));

  return TRUE;
}

static gboolean
check_partial (GhloKernelCheck *self,
               guint            number,
               gboolean         in_merge)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  const GhloKernelBlock *block = &self->kernel->blocks[self->block];

  if (node->kind == GHLO_NODE_RIGHT && !in_merge)
    return fail (self, number, "it is %s", "outside of a merge");
  if (node->index < block->first_fold || node->index >= block->first_fold + block->n_folds)
    return fail (self, number, "fold %u is not one of its block: expected one of [%u, %u)", node->index,
                 block->first_fold, block->first_fold + block->n_folds);
  if (node->type != self->kernel->folds[node->index].type)
    return fail (self, number, "it is of type %s: expected %s, as fold %u", type_name (node->type),
                 type_name (self->kernel->folds[node->index].type), node->index);

  return TRUE;
}

static gboolean
check_leaf (GhloKernelCheck *self,
            guint            number,
            guint            first,
            gboolean         in_merge)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  const GhloNodeSpec *spec = ghlo_node_spec (node->kind);

  if ((spec->result_types & ghlo_node_types (node->type)) == 0)
    return fail (self, number, "it cannot be of type %s", type_name (node->type));
  for (guint i = spec->n_operands; i < 3; i++)
    if (node->operands[i] != GHLO_KERNEL_NONE)
      return fail (self, number, "operand %u is node %u: expected none", i, node->operands[i]);
  if (in_merge && node->kind != GHLO_NODE_CONSTANT && node->kind != GHLO_NODE_LEFT && node->kind != GHLO_NODE_RIGHT)
    return fail (self, number, "it is %s", "in a merge, which sees constants and partial folds only");
  switch (node->kind)
    {
    case GHLO_NODE_AXIS:
    case GHLO_NODE_EXTENT:
      return check_axis (self, number);
    case GHLO_NODE_LOAD:
    case GHLO_NODE_INSIDE:
      return check_access (self, number, first);
    case GHLO_NODE_TEMPORARY:
      return check_temporary (self, number);
    case GHLO_NODE_LEFT:
    case GHLO_NODE_RIGHT:
      return check_partial (self, number, in_merge);
    default:
      return TRUE;
    }
}

/* Returns the type of a node whose operands have type @type, or INVALID where the node's own type is free. */
static GhloElementType
result_type (const GhloNodeSpec *spec,
             GhloElementType     type)
{
  if (spec->result_types != 0)
    return GHLO_ELEMENT_TYPE_INVALID;

  return spec->result_type != GHLO_ELEMENT_TYPE_INVALID ? (GhloElementType) spec->result_type : type;
}

static gboolean
check_operand_types (GhloKernelCheck *self,
                     guint            number)
{
  const GhloKernelNode *nodes = self->kernel->nodes, *node = &nodes[number];
  const GhloNodeSpec *spec = ghlo_node_spec (node->kind);
  GhloElementType type = ghlo_kernel_operand_type (self->kernel, node), result = result_type (spec, type);

  for (guint i = 0; i < spec->n_operands; i++)
    {
      gboolean is_predicate = node->kind == GHLO_NODE_SELECT && i == 0;
      GhloElementType expected = is_predicate ? GHLO_ELEMENT_TYPE_I1 : type, found = nodes[node->operands[i]].type;

      if (found != expected)
        return fail (self, number, "operand %u is of type %s: expected %s", i, type_name (found), type_name (expected));
    }
  if (spec->operand_types != 0 ? (spec->operand_types & ghlo_node_types (type)) == 0 : spec->operand_type != type)
    return fail (self, number, "it takes no operands of type %s", type_name (type));
  if (result != GHLO_ELEMENT_TYPE_INVALID && node->type != result)
    return fail (self, number, "it is of type %s: expected %s", type_name (node->type), type_name (result));
  if (node->kind == GHLO_NODE_BITCAST && ghlo_element_info (node->type)->bits != ghlo_element_info (type)->bits)
    return fail (self, number, "it is of type %s: expected one as wide as %s", type_name (node->type),
                 type_name (type));

  return TRUE;
}

static gboolean
check_node (GhloKernelCheck *self,
            guint            number,
            guint            first,
            gboolean         in_merge)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];
  const GhloNodeSpec *spec;

  if (!check_fields (self, number))
    return FALSE;
  spec = ghlo_node_spec (node->kind);
  if (spec->role == GHLO_NODE_LEAF)
    return check_leaf (self, number, first, in_merge);
  for (guint i = 0; i < spec->n_operands; i++)
    if (!check_operand (self, number, i, first))
      return FALSE;
  for (guint i = spec->n_operands; i < 3; i++)
    if (node->operands[i] != GHLO_KERNEL_NONE)
      return fail (self, number, "operand %u is node %u: expected none", i, node->operands[i]);

  return check_operand_types (self, number);
}

gboolean
ghlo_kernel_check_nodes (GhloKernelCheck *self)
{
  const GhloKernelBlock *block = &self->kernel->blocks[self->block];

  for (guint i = block->first_node; i < block->first_merge; i++)
    if (!check_node (self, i, block->first_node, FALSE))
      return FALSE;
  for (guint i = block->first_merge; i < block->end_node; i++)
    if (!check_node (self, i, block->first_merge, TRUE))
      return FALSE;

  return TRUE;
}
