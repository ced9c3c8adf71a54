/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes of random kernels: any operation of the table, with earlier nodes of the block or new leaves as operands.
 */

#include "random-draw.h"

#include "kernel/evaluate.h"
#include "kernel/expand.h"

enum
{
  B = GHLO_NODE_TYPES_B,
  I = GHLO_NODE_TYPES_S | GHLO_NODE_TYPES_U,
  F = GHLO_NODE_TYPES_F,
  A = B | I | F,
};

#define NONE GHLO_KERNEL_NONE

enum { MAX_FUNCTIONS = 16 };

static const GhloElementType types[] = {
  GHLO_ELEMENT_TYPE_I1, GHLO_ELEMENT_TYPE_I8, GHLO_ELEMENT_TYPE_I16, GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_I64,
  GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_UI16, GHLO_ELEMENT_TYPE_UI32, GHLO_ELEMENT_TYPE_UI64,
  GHLO_ELEMENT_TYPE_F32, GHLO_ELEMENT_TYPE_F64,
};

guint
draw (Draw *self,
      guint n)
{
  guint64 bits = self->state += 0x9e3779b97f4a7c15;

  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  bits ^= bits >> 31;

  return (guint) ((bits >> 32) * n >> 32);
}

gboolean
draw_percent (Draw  *self,
              guint  percent)
{
  return draw (self, 100) < percent;
}

GhloElementType
draw_type (Draw *self)
{
  return draw_percent (self, 70) ? self->palette[draw (self, G_N_ELEMENTS (self->palette))]
                                 : types[draw (self, G_N_ELEMENTS (types))];
}

GhloElementType
draw_type_of (Draw  *self,
              guint  classes)
{
  for (guint i = 0; i < 4; i++)
    {
      GhloElementType type = draw_type (self);

      if ((ghlo_node_types (type) & classes) != 0)
        return type;
    }
  for (;;)
    {
      GhloElementType type = types[draw (self, G_N_ELEMENTS (types))];

      if ((ghlo_node_types (type) & classes) != 0)
        return type;
    }
}

static guint64
draw_word (Draw *self)
{
  guint64 high = draw (self, G_MAXUINT);

  return high << 32 | draw (self, G_MAXUINT);
}

static guint64
draw_float (Draw            *self,
            GhloElementType  type)
{
  static const double special[] = { 0, -0.0, 1, -1, 0.5, -2.5, 3.5, 127.75, 2147483648.0, -9.3e18, 1.8e19, 1e-40,
                                    1e-310, 6e38, -1e300, G_MAXDOUBLE, INFINITY, -INFINITY, NAN };

  switch (draw (self, 4))
    {
    case 0:
      return ghlo_float_to_bits (type, special[draw (self, G_N_ELEMENTS (special))]);
    case 1:
      return ghlo_node_cut (type, draw_word (self));
    default:
      return ghlo_float_to_bits (type, ((int) draw (self, 129) - 64) / 8.0);
    }
}

guint64
draw_bits (Draw            *self,
           GhloElementType  type)
{
  guint n_bits = ghlo_element_info (type)->bits;

  if (ghlo_node_types (type) == F)
    return draw_float (self, type);
  switch (draw (self, 4))
    {
    case 0:
      return ghlo_node_cut (type, (G_GUINT64_CONSTANT (1) << (n_bits - 1)) - draw (self, 3));
    case 1:
      return ghlo_node_cut (type, draw_word (self));
    default:
      return ghlo_node_cut (type, (guint64) draw (self, 16) - 5);
    }
}

guint
draw_axes (Draw  *self,
           guint  axes,
           guint  percent)
{
  for (guint i = 0; i < self->n_axes; i++)
    if (!draw_percent (self, percent))
      axes &= ~(1u << i);

  return axes;
}

guint
draw_scope (const Draw *self)
{
  return ((1u << self->n_parallel) - 1) | self->loops | self->axes;
}

/* Records the node that was added last. */
static guint
remember (Draw            *self,
          guint            number,
          GhloElementType  type,
          gboolean         is_partial)
{
  g_assert_cmpuint (number, ==, self->n_nodes);
  self->nodes[self->n_nodes++] = (DrawnNode) { type, is_partial };

  return number;
}

static gboolean
is_partial (const Draw *self,
            guint       node)
{
  return node != NONE && self->nodes[node].is_partial;
}

guint
draw_node (Draw            *self,
           GhloNodeKind     kind,
           GhloElementType  type,
           guint            a,
           guint            b,
           guint            c)
{
  return remember (self, ghlo_kernel_add_node (self->builder, kind, type, a, b, c), type,
                   is_partial (self, a) || is_partial (self, b) || is_partial (self, c));
}

guint
draw_leaf (Draw            *self,
           GhloNodeKind     kind,
           GhloElementType  type,
           guint            index)
{
  return remember (self, ghlo_kernel_add_leaf (self->builder, kind, type, index), type, kind == GHLO_NODE_LEFT);
}

guint
draw_constant (Draw            *self,
               GhloElementType  type,
               guint64          bits)
{
  return remember (self, ghlo_kernel_add_constant (self->builder, type, bits), type, FALSE);
}

/* With several chains or parts, indices do not depend on folds (draw_input ()), so that a load depends on a fold
 * only through its fill value. */
guint
draw_load (Draw              *self,
           const DrawnAccess *access)
{
  guint fill = access->has_terms && draw_percent (self, 50) ? draw_operand (self, access->type) : NONE;

  return remember (self, ghlo_kernel_add_load (self->builder, access->type, access->number, fill), access->type,
                   is_partial (self, fill));
}

/* An earlier node of the block with type @type; NONE where there is none. */
static guint
find_node (Draw            *self,
           GhloElementType  type,
           gboolean         is_whole)
{
  guint found = NONE, n = 0;

  for (guint i = self->pool; i < self->n_nodes; i++)
    if (self->nodes[i].type == type && !(is_whole && self->nodes[i].is_partial) && draw (self, ++n) == 0)
      found = i;

  return found;
}

static guint
find_temporary (Draw            *self,
                GhloElementType  type)
{
  guint found = NONE, n = 0, scope = draw_scope (self);

  for (guint i = 0; i < self->n_temporaries; i++)
    if (self->temporaries[i].type == type && (self->temporaries[i].axes & ~scope) == 0 && draw (self, ++n) == 0)
      found = self->temporaries[i].number;

  return found;
}

static guint
draw_partial (Draw            *self,
              GhloElementType  type)
{
  for (guint i = 0; i < self->n_folds; i++)
    if (self->folded[i].type == type)
      return draw_leaf (self, self->in_merge && draw_percent (self, 50) ? GHLO_NODE_RIGHT : GHLO_NODE_LEFT, type,
                        self->first_fold + i);

  return NONE;
}

static guint
draw_coordinate (Draw            *self,
                 GhloElementType  type)
{
  guint axis;

  if (self->n_axes == 0)
    return NONE;
  axis = draw (self, self->n_axes);
  if (draw_percent (self, 20))
    return draw_leaf (self, GHLO_NODE_EXTENT, type, axis);

  return (draw_scope (self) & 1u << axis) != 0 ? draw_leaf (self, GHLO_NODE_AXIS, type, axis) : NONE;
}

/* Whether the guards of an access used here hold. */
static guint
draw_inside (Draw *self)
{
  for (guint i = 0; i < self->n_loads; i++)
    {
      const DrawnAccess *access = &self->loads[i];

      if (access->has_terms && (access->axes & ~draw_scope (self)) == 0
          && (access->block == NONE || access->block == self->n_blocks))
        return draw_leaf (self, GHLO_NODE_INSIDE, GHLO_ELEMENT_TYPE_I1, access->number);
    }

  return NONE;
}

static guint
draw_new_leaf (Draw            *self,
               GhloElementType  type)
{
  guint classes = ghlo_node_types (type), found = NONE, temporary;
  DrawnAccess access;

  switch (draw (self, 8))
    {
    case 0:
      break;
    case 1:
      found = draw_partial (self, type);
      break;
    case 2:
      if ((classes & I) != 0 && !self->in_merge)
        found = draw_coordinate (self, type);
      else if (classes == B && !self->in_merge)
        found = draw_inside (self);
      break;
    case 3:
    case 4:
      temporary = self->in_merge ? NONE : find_temporary (self, type);
      if (temporary != NONE)
        found = draw_leaf (self, GHLO_NODE_TEMPORARY, type, temporary);
      break;
    default:
      if (self->in_merge)
        break;
      access = draw_input (self, type);
      if (access.number != NONE)
        found = draw_load (self, &access);
      break;
    }

  return found != NONE ? found : draw_constant (self, type, draw_bits (self, type));
}

/* @node, with NaN replaced. */
static guint
draw_number (Draw  *self,
             guint  node)
{
  GhloElementType type = self->nodes[node].type;
  guint is_number = draw_node (self, GHLO_NODE_EQUAL, GHLO_ELEMENT_TYPE_I1, node, node, NONE);
  guint other = draw_constant (self, type, ghlo_float_to_bits (type, 1.5));

  return draw_node (self, GHLO_NODE_SELECT, type, is_number, node, other);
}

static guint
draw_conversion (Draw            *self,
                 GhloElementType  type)
{
  guint node = draw_operand (self, draw_type_of (self, A));

  return draw_node (self, GHLO_NODE_CONVERT, type, node, NONE, NONE);
}

guint
draw_operand (Draw            *self,
              GhloElementType  type)
{
  guint found = draw_percent (self, 75) ? find_node (self, type, FALSE) : NONE;

  if (found != NONE)
    return found;
  if (self->n_nodes - self->pool > 2 && self->n_nodes - self->pool < 60 && draw_percent (self, 30))
    return draw_conversion (self, type);

  return draw_new_leaf (self, type);
}

guint
draw_whole (Draw            *self,
            GhloElementType  type)
{
  guint found;

  if (!self->has_order)
    return draw_operand (self, type);
  found = find_node (self, type, TRUE);

  return found != NONE ? found : draw_constant (self, type, draw_bits (self, type));
}

static GhloElementType
draw_bitcast (Draw            *self,
              GhloElementType  from)
{
  for (;;)
    {
      GhloElementType type = draw_type_of (self, I | F);

      if (ghlo_element_info (type)->bits == ghlo_element_info (from)->bits)
        return type;
    }
}

/* A kind of node that is not a leaf, and the type of its operands. */
static GhloNodeKind
draw_kind (Draw            *self,
           GhloElementType *type)
{
  for (;;)
    {
      GhloNodeKind kind = draw (self, GHLO_N_NODES);
      const GhloNodeSpec *spec = ghlo_node_spec (kind);

      if (spec->role == GHLO_NODE_LEAF
          || (spec->role == GHLO_NODE_FUNCTION
              && ((self->flags & RANDOM_KERNEL_FUNCTIONS) == 0 || self->n_functions == MAX_FUNCTIONS)))
        continue;
      *type = spec->operand_types != 0 ? draw_type_of (self, spec->operand_types)
                                       : (GhloElementType) spec->operand_type;
      if (spec->role == GHLO_NODE_PRIMITIVE)
        return kind;
      if (ghlo_kernel_expansion (kind, *type) == NULL)
        continue;
      self->n_functions++;
      return kind;
    }
}

void
draw_any (Draw *self)
{
  GhloElementType type, result;
  GhloNodeKind kind = draw_kind (self, &type);
  const GhloNodeSpec *spec = ghlo_node_spec (kind);
  guint operands[3] = { NONE, NONE, NONE };

  result = spec->result_type != GHLO_ELEMENT_TYPE_INVALID ? (GhloElementType) spec->result_type : type;
  for (guint i = 0; i < spec->n_operands; i++)
    operands[i] = draw_operand (self, kind == GHLO_NODE_SELECT && i == 0 ? GHLO_ELEMENT_TYPE_I1 : type);
  if (ghlo_node_types (type) == F
      && (kind == GHLO_NODE_BITCAST || (ghlo_node_types (spec->result_type) == GHLO_NODE_TYPES_U)))
    operands[0] = draw_number (self, operands[0]);
  if (kind == GHLO_NODE_BITCAST)
    result = draw_bitcast (self, type);
  else if (spec->result_types != 0)
    result = draw_type_of (self, spec->result_types);
  draw_node (self, kind, result, operands[0], operands[1], operands[2]);
}
