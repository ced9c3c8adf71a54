/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rules about conversions between element types and about the parts of complex numbers. Two conversions are merged
 * where the first loses nothing, whatever the value.
 */

#include "passes/canonicalize.h"

#include <string.h>

#include "passes/constant.h"

/* The types for which the width decides whether one holds every value of another: booleans, integers, and the IEEE
 * floats of at least 16 bits. */
static gboolean
is_common (const GhloElementInfo *info)
{
  return info->element_class == GHLO_ELEMENT_CLASS_BOOLEAN || info->element_class == GHLO_ELEMENT_CLASS_SIGNED
         || info->element_class == GHLO_ELEMENT_CLASS_UNSIGNED
         || (info->element_class == GHLO_ELEMENT_CLASS_FLOAT && info->bits >= 16);
}

/* The number of magnitude bits of an integer type. */
static guint
magnitude_bits (const GhloElementInfo *info)
{
  return info->bits - (info->element_class == GHLO_ELEMENT_CLASS_SIGNED ? 1 : 0);
}

/* Whether @wide can represent every value of @narrow: numbers, infinities, both zeros, NaN. */
static gboolean
holds (const GhloElementInfo *wide,
       const GhloElementInfo *narrow)
{
  gboolean wide_is_float = wide->element_class == GHLO_ELEMENT_CLASS_FLOAT;

  if (!is_common (wide) || !is_common (narrow))
    return FALSE;
  if (narrow->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    return wide_is_float && wide->exponent_bits >= narrow->exponent_bits
           && wide->mantissa_bits >= narrow->mantissa_bits;
  if (wide->element_class == GHLO_ELEMENT_CLASS_BOOLEAN)
    return narrow->element_class == GHLO_ELEMENT_CLASS_BOOLEAN;
  /* From f16 on, the range of a float type exceeds 2 to the power of its mantissa bits. */
  if (wide_is_float)
    return (guint) wide->mantissa_bits + 1 >= magnitude_bits (narrow);
  if (narrow->element_class == GHLO_ELEMENT_CLASS_SIGNED && wide->element_class == GHLO_ELEMENT_CLASS_UNSIGNED)
    return FALSE;

  return magnitude_bits (wide) >= magnitude_bits (narrow);
}

static GhloIrValue *
make_convert (GhloRewriter     *self,
              GhloIrValue      *operand,
              const GhloIrType *type)
{
  if (operand->type == type)
    return operand;

  return ghlo_make (self, GHLO_OP_STABLEHLO_CONVERT, type, &operand, 1, NULL, 0);
}

static const GhloElementInfo *
info_of (const GhloIrValue *value)
{
  return ghlo_element_info (value->type->element_type);
}

/* Whether x → via → target gives the same as x → target. An integer outside the target's range wraps when it is
 * converted from an integer, but not when it is converted from a float. */
static gboolean
is_lossless (const GhloElementInfo *source,
             const GhloElementInfo *via,
             const GhloElementInfo *target)
{
  if (!holds (via, source))
    return FALSE;

  return via->element_class != GHLO_ELEMENT_CLASS_FLOAT || source->element_class == GHLO_ELEMENT_CLASS_FLOAT
         || target->element_class == GHLO_ELEMENT_CLASS_FLOAT || holds (target, source);
}

/* convert (convert (x)) where the inner conversion loses nothing. */
static gboolean
convert_twice (GhloRewriter *self,
               GhloIrOp     *op)
{
  GhloIrValue *middle = ghlo_ir_op_operand (op, 0), *first;

  if (middle->op == NULL || middle->op->kind != GHLO_OP_STABLEHLO_CONVERT)
    return FALSE;
  first = ghlo_ir_op_operand (middle->op, 0);
  if (!ghlo_type_is_plain (first->type) || !ghlo_type_is_plain (middle->type)
      || !ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  if (!is_lossless (info_of (first), info_of (middle), info_of (&op->results[0])))
    return FALSE;

  return ghlo_rewrite_replace (self, op, make_convert (self, first, op->results[0].type));
}

/* A bitcast to the same type, or two bitcasts that undo each other. */
static gboolean
bitcast_back (GhloRewriter *self,
              GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);

  if (!ghlo_type_is_plain (op->results[0].type))
    return FALSE;
  if (ghlo_rewrite_replace (self, op, operand))
    return TRUE;

  return operand->op != NULL && operand->op->kind == GHLO_OP_STABLEHLO_BITCAST_CONVERT
         && ghlo_type_is_plain (operand->type)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (operand->op, 0));
}

/* A part of a complex number that was built from parts; the real part of a real number. */
static gboolean
part_of_complex (GhloRewriter *self,
                 GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);

  if (op->kind == GHLO_OP_STABLEHLO_REAL && ghlo_rewrite_replace (self, op, operand))
    return TRUE;

  return operand->op != NULL && operand->op->kind == GHLO_OP_STABLEHLO_COMPLEX
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (operand->op,
                                                               op->kind == GHLO_OP_STABLEHLO_REAL ? 0 : 1));
}

/* A complex number rebuilt from its own parts. */
static gboolean
complex_of_parts (GhloRewriter *self,
                  GhloIrOp     *op)
{
  const GhloIrOp *real = ghlo_ir_op_operand (op, 0)->op, *imag = ghlo_ir_op_operand (op, 1)->op;

  return real != NULL && real->kind == GHLO_OP_STABLEHLO_REAL && imag != NULL && imag->kind == GHLO_OP_STABLEHLO_IMAG
         && ghlo_ir_op_operand (real, 0) == ghlo_ir_op_operand (imag, 0)
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (real, 0));
}

/* reduce_precision to a format that has every value of the type. */
static gboolean
reduce_precision_to_more (GhloRewriter *self,
                          GhloIrOp     *op)
{
  const GhloElementInfo *info = info_of (&op->results[0]);

  return ghlo_type_is_ieee (op->results[0].type) && is_common (info)
         && ghlo_ir_op_get_int (op, "exponent_bits", 0) >= info->exponent_bits
         && ghlo_ir_op_get_int (op, "mantissa_bits", 0) >= info->mantissa_bits
         && ghlo_rewrite_replace (self, op, ghlo_ir_op_operand (op, 0));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_CONVERT, ghlo_rewrite_to_operand },
  { GHLO_OP_STABLEHLO_CONVERT, convert_twice },
  { GHLO_OP_STABLEHLO_BITCAST_CONVERT, bitcast_back },
  { GHLO_OP_STABLEHLO_REAL, part_of_complex },
  { GHLO_OP_STABLEHLO_IMAG, part_of_complex },
  { GHLO_OP_STABLEHLO_COMPLEX, complex_of_parts },
  { GHLO_OP_STABLEHLO_REDUCE_PRECISION, reduce_precision_to_more },
};

const GhloRuleGroup ghlo_canonicalize_conversions = { rows, G_N_ELEMENTS (rows) };
