/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reinterprets bits under another element type. A narrower type adds a dimension that counts the parts of an element,
 * lowest bits first; a wider one joins the elements of the last dimension. The bits are those of the type rather than
 * of its storage: eight i1 are one i8.
 */

#include "kernel/lower/lowering.h"

#include "base/bits.h"

#define NONE GHLO_LOWER_NONE
#define I1   GHLO_ELEMENT_TYPE_I1
#define NODE(kind, type, a, b, c) ghlo_lower_node (self, GHLO_NODE_##kind, type, a, b, c)

/* Returns the unsigned type of the storage of an element. */
static GhloElementType
unsigned_type (GhloElementType type)
{
  static const GhloElementType types[] = { GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_UI16, GHLO_ELEMENT_TYPE_UI32,
                                           GHLO_ELEMENT_TYPE_UI64 };

  return types[g_bit_storage (ghlo_element_info (type)->size) - 1];
}

static guint32
constant (GhloLowering    *self,
          GhloElementType  type,
          guint64          value)
{
  return ghlo_lower_constant (self, type, value);
}

/* Returns @value with zeros above the bits of an element of @type. */
static guint32
cut (GhloLowering    *self,
     GhloElementType  type,
     guint32          value)
{
  const guint n_bits = ghlo_element_info (type)->bits;
  const GhloElementType container = unsigned_type (type);

  return n_bits < 8 ? NODE (AND, container, value, constant (self, container, ghlo_low_bits (n_bits)), NONE) : value;
}

/* Returns the bits of @value, a number of @type. */
static guint32
to_bits (GhloLowering    *self,
         GhloElementType  type,
         guint32          value)
{
  const GhloElementType stored = ghlo_lower_stored (type), container = unsigned_type (type);

  if (type == I1)
    return NODE (CONVERT, container, value, NONE, NONE);
  value = ghlo_lower_encode (self, type, value);

  return cut (self, type, stored == container ? value : NODE (BITCAST, container, value, NONE, NONE));
}

/* Returns the number of @type with these bits, above which are zeros. */
static guint32
from_bits (GhloLowering    *self,
           GhloElementType  type,
           guint32          bits)
{
  const GhloElementType stored = ghlo_lower_stored (type), container = unsigned_type (type);
  guint32 value;

  if (type == I1)
    return NODE (NOT_EQUAL, I1, bits, constant (self, container, 0), NONE);
  value = stored == container ? bits : NODE (BITCAST, stored, bits, NONE, NONE);

  return ghlo_lower_is_small (type) ? ghlo_lower_round (self, type, value) : ghlo_lower_decode (self, type, value);
}

/* Returns the bits of the operand's element at the first @rank - 1 dimensions of @index and @last, or at @index where
 * that has as many dimensions. */
static guint32
operand_bits (GhloLowering      *self,
              const GhloIrValue *operand,
              const GhloIndex   *index,
              gint64             last)
{
  const guint rank = operand->type->rank;
  GhloIndex inner = ghlo_lower_origin (self, rank, index);

  for (guint i = 0; i < rank && i < index->rank; i++)
    inner.dimensions[i] = index->dimensions[i];
  if (rank > index->rank)
    inner.dimensions[rank - 1] = ghlo_lower_shift (self, self->zero, last);

  return to_bits (self, operand->type->element_type, ghlo_lower_value (self, operand, &inner));
}

/* Returns part number @part, a form, of @bits. */
static guint32
split (GhloLowering     *self,
       GhloElementType   from,
       GhloElementType   to,
       guint32           bits,
       const GhloAffine *part)
{
  const GhloElementType container = unsigned_type (from), result = unsigned_type (to);
  guint32 count = NODE (MULTIPLY, container, ghlo_lower_coordinate (self, container, part),
                        constant (self, container, ghlo_element_info (to)->bits), NONE);

  bits = NODE (SHIFT_RIGHT, container, bits, count, NONE);

  return cut (self, to, container == result ? bits : NODE (CONVERT, result, bits, NONE, NONE));
}

static guint32
join (GhloLowering      *self,
      const GhloIrValue *operand,
      GhloElementType    to,
      const GhloIndex   *index)
{
  const GhloElementType from = operand->type->element_type, container = unsigned_type (to);
  const guint from_bits = ghlo_element_info (from)->bits, n = ghlo_element_info (to)->bits / from_bits;
  guint32 joined = NONE;

  for (guint i = 0; i < n; i++)
    {
      guint32 part = operand_bits (self, operand, index, i);

      if (unsigned_type (from) != container)
        part = NODE (CONVERT, container, part, NONE, NONE);
      if (i > 0)
        part = NODE (SHIFT_LEFT, container, part, constant (self, container, i * from_bits), NONE);
      joined = i == 0 ? part : NODE (OR, container, joined, part, NONE);
    }

  return joined;
}

guint32
ghlo_lower_bitcast (GhloLowering    *self,
                    const GhloIrOp  *op,
                    const GhloIndex *index)
{
  const GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  const GhloElementType from = operand->type->element_type, to = op->results[0].type->element_type;
  guint32 bits;

  if (ghlo_lower_has_complex (op))
    return ghlo_lower_refuse (self, "kernels do not reinterpret complex numbers");
  if (ghlo_element_info (from)->bits < ghlo_element_info (to)->bits)
    bits = join (self, operand, to, index);
  else
    bits = operand_bits (self, operand, index, 0);
  if (ghlo_element_info (from)->bits > ghlo_element_info (to)->bits)
    bits = split (self, from, to, bits, index->dimensions[index->rank - 1]);

  return from_bits (self, to, bits);
}
