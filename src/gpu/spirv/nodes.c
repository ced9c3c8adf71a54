/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Emits the nodes of a point one after the other, by kind and type.
 */

#include "gpu/spirv/emit-private.h"

static Id
emit_leaf (Spirv                *self,
           const GhloKernelNode *node)
{
  const guint bits = ghlo_element_info (node->type)->bits;
  Id value;

  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_CONSTANT:
      return ghlo_spirv_constant (self, node->type, node->bits);
    case GHLO_NODE_AXIS:
    case GHLO_NODE_EXTENT:
      value = node->kind == GHLO_NODE_AXIS ? self->point[node->index] : self->extents[node->index];
      return bits == 64 ? value : CODE (SpvOpUConvert, ghlo_spirv_type (self, node->type), value);
    case GHLO_NODE_LOAD:
      return ghlo_spirv_load (self, node->index,
                              node->operands[0] != GHLO_KERNEL_NONE ? self->values[node->operands[0]] : 0);
    case GHLO_NODE_INSIDE:
      return ghlo_spirv_inside (self, node->index);
    case GHLO_NODE_TEMPORARY:
      return ghlo_spirv_get (self, node->index);
    case GHLO_NODE_LEFT:
      return self->left[node->index];
    case GHLO_NODE_RIGHT:
      return self->right[node->index];
    default:
      g_assert_not_reached ();
    }
}

/* Returns operand @number of an FMA. FMAs absorb negations, except for compilers that fold inexactly: for these,
 * negations are operations on bits. */
static Id
find_operand (Spirv           *self,
              GhloElementType  type,
              guint            number)
{
  const GhloKernelNode *node = &self->kernel->nodes[number];

  if (node->kind != GHLO_NODE_NEGATE || !self->floats.folds_exactly)
    return self->values[number];

  return CODE (SpvOpFNegate, ghlo_spirv_type (self, type), self->values[node->operands[0]]);
}

static Id
emit_node (Spirv                *self,
           const GhloKernelNode *node)
{
  GhloElementType type = ghlo_kernel_operand_type (self->kernel, node);
  Id operands[3] = { 0 };

  if (ghlo_node_spec (node->kind)->role == GHLO_NODE_LEAF)
    return emit_leaf (self, node);
  for (guint i = 0; i < ghlo_node_spec (node->kind)->n_operands; i++)
    operands[i] = node->kind == GHLO_NODE_FMA ? find_operand (self, node->type, node->operands[i])
                                              : self->values[node->operands[i]];
  if (ghlo_spirv_shortens_quotient (self, node->quotient))
    return ghlo_spirv_short_quotient (self, node->quotient, operands[0], operands[1]);
  switch ((GhloNodeKind) node->kind)
    {
    case GHLO_NODE_SELECT:
      return ghlo_spirv_select (self, ghlo_spirv_type (self, node->type), operands[0], operands[1], operands[2]);
    case GHLO_NODE_CONVERT:
      return ghlo_spirv_convert (self, node->type, type, operands[0]);
    case GHLO_NODE_BITCAST:
      /* Integers have no sign in SPIR-V, so the types may already be equal. */
      return ghlo_spirv_type (self, node->type) == ghlo_spirv_type (self, type)
               ? operands[0] : CODE (SpvOpBitcast, ghlo_spirv_type (self, node->type), operands[0]);
    default:
      return ghlo_node_types (type) == GHLO_NODE_TYPES_F
               ? ghlo_spirv_float_node (self, node->kind, type, operands)
               : ghlo_spirv_integer_node (self, node->kind, type, operands);
    }
}

void
ghlo_spirv_nodes (Spirv *self,
                  guint  first,
                  guint  end)
{
  for (guint i = first; i < end; i++)
    self->values[i] = emit_node (self, &self->kernel->nodes[i]);
}
