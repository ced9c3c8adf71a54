/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From what is wanted back to what it is made of. Each value at each index is looked at once.
 */

#include "kernel/lower/private.h"

#include "base/hash.h"

#include <string.h>

typedef struct
{
  const GhloIrValue *value;
  GhloIndex          index;
} Wanted;

guint
ghlo_lower_wanted_hash (gconstpointer key)
{
  return (guint) ghlo_hash_bytes (key, sizeof (Wanted));
}

gboolean
ghlo_lower_wanted_equal (gconstpointer a,
                         gconstpointer b)
{
  return memcmp (a, b, sizeof (Wanted)) == 0;
}

/* The operand of the group that @value is, or -1. */
static gint
find_operand (const GhloLowering *self,
              const GhloIrValue  *value)
{
  const GhloKernelGroup *group = self->group;

  if (group->body != NULL)
    return value->op == NULL && value->block == group->body ? (gint) value->index : -1;
  for (guint i = 0; i < group->op->n_operands; i++)
    if (ghlo_ir_op_operand (group->op, i) == value)
      return i;

  return -1;
}

static guint32
load_operand (GhloLowering      *self,
              const GhloIrValue *value,
              guint              operand,
              const GhloIndex   *index,
              guint32            fill)
{
  GhloElementType type = value->type->element_type, stored = ghlo_lower_stored (type);

  if (stored == GHLO_ELEMENT_TYPE_INVALID || value->type->quantization != NULL)
    return ghlo_lower_refuse (self, "there are no nodes of an operand's element type");
  if (fill != GHLO_LOWER_NONE)
    fill = ghlo_lower_encode (self, type, fill);

  return ghlo_lower_decode (self, type, ghlo_lower_load (self, operand, stored, index, fill));
}

static guint32
make_constant (GhloLowering   *self,
               const GhloIrOp *op)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "value");
  GhloElementType type = op->results[0].type->element_type, stored = ghlo_lower_stored (type);
  guint64 bits = 0;

  if (stored == GHLO_ELEMENT_TYPE_INVALID || op->results[0].type->quantization != NULL)
    return ghlo_lower_refuse (self, "there are no nodes of a constant's element type");
  if (attr->kind != GHLO_IR_ATTR_DENSE || (!attr->dense.splat && attr->dense.n_elements != 1))
    return ghlo_lower_refuse (self, "it holds a constant of several elements");
  memcpy (&bits, g_bytes_get_data (attr->dense.bytes, NULL), ghlo_element_info (type)->size);

  return ghlo_lower_decode (self, type, ghlo_lower_constant (self, stored, GUINT64_FROM_LE (bits)));
}

static guint32
make_iota (GhloLowering    *self,
           const GhloIrOp  *op,
           const GhloIndex *index)
{
  GhloElementType type = op->results[0].type->element_type, number = ghlo_lower_type (type);
  gint64 dimension = ghlo_ir_op_get_int (op, "iota_dimension", 0);
  gboolean is_integer = (ghlo_node_types (number) & (GHLO_NODE_TYPES_S | GHLO_NODE_TYPES_U)) != 0;
  guint32 value;

  if (number == GHLO_ELEMENT_TYPE_INVALID || number == GHLO_ELEMENT_TYPE_I1)
    return ghlo_lower_refuse (self, "it counts in a type that nodes have not");
  value = ghlo_lower_coordinate (self, is_integer ? number : GHLO_ELEMENT_TYPE_I64, &index->dimensions[dimension]);
  if (is_integer)
    return value;
  if (ghlo_lower_stored (type) == number)
    return ghlo_lower_node (self, GHLO_NODE_CONVERT, number, value, GHLO_LOWER_NONE, GHLO_LOWER_NONE);
  if (op->results[0].type->dimensions[dimension] > G_MAXINT32)
    return ghlo_lower_refuse (self, "it counts further than is rounded once");

  return ghlo_lower_round (self, type, ghlo_lower_node (self, GHLO_NODE_CONVERT, GHLO_ELEMENT_TYPE_F64, value,
                                                        GHLO_LOWER_NONE, GHLO_LOWER_NONE));
}

/* Indices are large: what follows is kept out of the frames of the walk, which may be deep. */
static G_GNUC_NO_INLINE guint32
value_of_scalar (GhloLowering      *self,
                 const GhloIrValue *value,
                 const GhloIndex   *index)
{
  const GhloIndex scalar = ghlo_lower_no_index (index);

  return ghlo_lower_value (self, value, &scalar);
}

static guint32
make_scalar (GhloLowering    *self,
             const GhloIrOp  *op,
             const GhloIndex *index)
{
  enum { MAX_OPERANDS = 3 };
  guint32 operands[MAX_OPERANDS];

  if (op->n_operands > MAX_OPERANDS || op->n_operands == 0)
    return ghlo_lower_refuse (self, "there is no node for it");
  for (guint i = 0; i < op->n_operands; i++)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i);

      operands[i] = operand->type->rank == 0 && index->rank > 0 ? value_of_scalar (self, operand, index)
                    : ghlo_lower_value (self, operand, index);
      if (operands[i] == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
    }

  return ghlo_lower_scalar (self, op, operands);
}

gboolean
ghlo_lower_add_guard (GhloIndex        *index,
                      const GhloAffine *position,
                      gint64            end)
{
  if (index->n_guards == GHLO_LOWER_MAX_GUARDS)
    return FALSE;
  index->guards[index->n_guards++] = (GhloIndexGuard) { *position, end };

  return TRUE;
}

guint32
ghlo_lower_guarded (GhloLowering      *self,
                    const GhloIrValue *value,
                    const GhloIndex   *inner,
                    const GhloIndex   *index,
                    guint32            fill)
{
  gint operand = find_operand (self, value);
  guint32 node, inside;

  if (fill == GHLO_LOWER_NONE)
    return GHLO_LOWER_NONE;
  if (inner->n_guards == index->n_guards)
    return ghlo_lower_value (self, value, inner);
  if (operand >= 0)
    return load_operand (self, value, operand, inner, fill);
  node = ghlo_lower_value (self, value, inner);
  inside = ghlo_lower_inside (self, inner);
  if (node == GHLO_LOWER_NONE || inside == GHLO_LOWER_NONE)
    return GHLO_LOWER_NONE;

  return ghlo_lower_node (self, GHLO_NODE_SELECT, ghlo_item (self, node)->type, inside, node, fill);
}

static G_GNUC_NO_INLINE guint32
make_pad (GhloLowering    *self,
          const GhloIrOp  *op,
          const GhloIndex *index)
{
  const GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  gsize n;
  g_autofree gint64 *low = ghlo_ir_op_dup_ints (op, "edge_padding_low", &n);
  g_autofree gint64 *high = ghlo_ir_op_dup_ints (op, "edge_padding_high", &n);
  g_autofree gint64 *interior = ghlo_ir_op_dup_ints (op, "interior_padding", &n);
  GhloIndex inner = *index;
  guint32 value;

  for (guint i = 0; i < n; i++)
    {
      gint64 size = operand->type->dimensions[i];

      if (interior[i] > 0 && size > 1)
        return ghlo_lower_refuse (self, "it pads between elements");
      inner.dimensions[i].offset -= low[i];
      if ((low[i] > 0 || high[i] > 0) && !ghlo_lower_add_guard (&inner, &inner.dimensions[i], size))
        return ghlo_lower_refuse (self, "it pads too many dimensions");
    }
  value = value_of_scalar (self, ghlo_ir_op_operand (op, 1), index);

  return ghlo_lower_guarded (self, operand, &inner, index, value);
}

/* From the last part on: each is what is given where the one before it has no element. */
static G_GNUC_NO_INLINE guint32
make_concatenate (GhloLowering    *self,
                  const GhloIrOp  *op,
                  const GhloIndex *index)
{
  gint64 dimension = ghlo_ir_op_get_int (op, "dimension", 0);
  gint64 offset = op->results[0].type->dimensions[dimension];
  guint32 value = GHLO_LOWER_NONE;

  for (guint i = op->n_operands; i > 0; i--)
    {
      const GhloIrValue *operand = ghlo_ir_op_operand (op, i - 1);
      gint64 size = operand->type->dimensions[dimension];
      GhloIndex inner = *index;

      offset -= size;
      if (size == 0)
        continue;
      inner.dimensions[dimension].offset -= offset;
      if (!ghlo_lower_add_guard (&inner, &inner.dimensions[dimension], size))
        return ghlo_lower_refuse (self, "it is guarded too often");
      if (value == GHLO_LOWER_NONE)
        {
          /* Where no part before it has an element, the last one has. */
          GhloElementType type = ghlo_lower_type (operand->type->element_type);

          if (type == GHLO_ELEMENT_TYPE_INVALID)
            return ghlo_lower_refuse (self, "there are no nodes of an operand's element type");
          value = ghlo_lower_constant (self, type, 0);
        }
      value = ghlo_lower_guarded (self, operand, &inner, index, value);
      if (value == GHLO_LOWER_NONE)
        return GHLO_LOWER_NONE;
    }

  return value;
}

static G_GNUC_NO_INLINE guint32
make_moved (GhloLowering    *self,
            const GhloIrOp  *op,
            const GhloIndex *index)
{
  GhloIndex moved;

  if (!ghlo_lower_move (self, op, 0, index, &moved))
    return ghlo_lower_refuse (self, "its elements are where no kernel reads them");

  return ghlo_lower_value (self, ghlo_ir_op_operand (op, 0), &moved);
}

static guint32
make_value (GhloLowering      *self,
            const GhloIrValue *value,
            const GhloIndex   *index)
{
  const GhloIrOp *op = value->op;
  gint operand = find_operand (self, value);

  if (operand >= 0)
    return load_operand (self, value, operand, index, GHLO_LOWER_NONE);
  if (op == NULL)
    return ghlo_lower_refuse (self, "it uses a value from elsewhere");
  switch (op->kind)
    {
    case GHLO_OP_STABLEHLO_CONSTANT:
      return make_constant (self, op);
    case GHLO_OP_STABLEHLO_IOTA:
      return make_iota (self, op, index);
    case GHLO_OP_STABLEHLO_PAD:
      return make_pad (self, op, index);
    case GHLO_OP_STABLEHLO_CONCATENATE:
      return make_concatenate (self, op, index);
    case GHLO_OP_STABLEHLO_REDUCE:
    case GHLO_OP_STABLEHLO_REDUCE_WINDOW:
      return ghlo_lower_reduce (self, op, value->index, index);
    default:
      break;
    }

  return ghlo_lower_is_move (op->kind) ? make_moved (self, op, index) : make_scalar (self, op, index);
}

guint32
ghlo_lower_value (GhloLowering      *self,
                  const GhloIrValue *value,
                  const GhloIndex   *index)
{
  Wanted *wanted;
  guint32 item;

  if (self->reason != NULL)
    return GHLO_LOWER_NONE;
  if (value->type->rank > GHLO_LOWER_MAX_RANK || self->depth == GHLO_LOWER_MAX_DEPTH)
    return ghlo_lower_refuse (self, "it is too deep");
  wanted = g_new0 (Wanted, 1);
  wanted->value = value;
  wanted->index = *index;
  item = GPOINTER_TO_UINT (g_hash_table_lookup (self->memo, wanted));
  if (item != 0)
    {
      g_free (wanted);
      return item - 1;
    }
  self->depth++;
  item = make_value (self, value, index);
  self->depth--;
  if (item != GHLO_LOWER_NONE)
    g_hash_table_insert (self->memo, wanted, GUINT_TO_POINTER (item + 1));
  else
    g_free (wanted);

  return item;
}
