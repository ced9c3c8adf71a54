/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elementwise operations on complex numbers. Operations for which the CPU has loops yield the same bits as the
 * loops. There are no functions, quotients and magnitudes of complex<f64>, which would need wider numbers than
 * nodes have.
 */

#include "kernel/lower/complex.h"

#include <math.h>

#define NONE GHLO_LOWER_NONE

typedef GhloComplexExpr Pair;

gboolean
ghlo_lower_has_complex (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (ghlo_element_type_is_complex (ghlo_ir_op_operand (op, i)->type->element_type))
      return TRUE;

  return op->n_results > 0 && ghlo_element_type_is_complex (op->results[0].type->element_type);
}

static gboolean
is_by_parts (const GhloIrOp *op,
             GhloScalarKind  kind)
{
  switch (kind)
    {
    case GHLO_SCALAR_ADD:
    case GHLO_SCALAR_COMPLEX:
    case GHLO_SCALAR_CONJ:
    case GHLO_SCALAR_IMAG:
    case GHLO_SCALAR_MULTIPLY:
    case GHLO_SCALAR_NEGATE:
    case GHLO_SCALAR_REAL:
    case GHLO_SCALAR_SELECT:
    case GHLO_SCALAR_SUBTRACT:
      return TRUE;
    case GHLO_SCALAR_COMPARE:
      return ghlo_lower_comparison (op) == GHLO_NODE_EQUAL || ghlo_lower_comparison (op) == GHLO_NODE_NOT_EQUAL;
    case GHLO_SCALAR_CONVERT:
      return op->results[0].type->element_type != GHLO_ELEMENT_TYPE_I1;
    default:
      return FALSE;
    }
}

const char *
ghlo_lower_complex_obstacle (const GhloIrOp *op)
{
  GhloScalarKind kind = ghlo_scalar_of (op->kind);

  if (kind != GHLO_SCALAR_INVALID && is_by_parts (op, kind))
    return NULL;
  if (op->n_operands == 0 || ghlo_ir_op_operand (op, 0)->type->element_type != GHLO_ELEMENT_TYPE_COMPLEX_F32)
    return "kernels do not support this operation";

  return kind == GHLO_SCALAR_ABS || kind == GHLO_SCALAR_DIVIDE || kind == GHLO_SCALAR_POWER
         || ghlo_lower_complex_function (kind) != NULL ? NULL : "kernels do not support this operation";
}

static Pair
by_parts (GhloLowering    *self,
          GhloNodeKind     node,
          GhloElementType  type,
          Pair             x,
          Pair             y)
{
  return (Pair) { ghlo_lower_node (self, node, type, x.re, y.re, NONE),
                  ghlo_lower_node (self, node, type, x.im, y.im, NONE) };
}

static Pair
convert_parts (GhloLowering    *self,
               GhloElementType  type,
               Pair             x)
{
  return by_parts (self, GHLO_NODE_CONVERT, type, x, (Pair) { NONE, NONE });
}

/* a × b + c × d in f64, less the rounding errors of the products and of their sum, unless these are not finite. The
 * result is rounded about once, even where the products cancel. If nothing was rounded, the error is +0, so that the
 * subtraction keeps the sign of a zero. */
static guint32
dot_exactly (GhloLowering *self,
             guint32       a,
             guint32       b,
             guint32       c,
             guint32       d)
{
  guint32 p = multiply (self, a, b), q = multiply (self, c, d), sum = add (self, p, q), part, error;

  part = subtract (self, sum, p);
  error = add (self, subtract (self, subtract (self, sum, part), p), subtract (self, part, q));
  error = add (self, error, add (self, ghlo_lower_node (self, GHLO_NODE_FMA, COMPLEX_F64, negate (self, a), b, p),
                                 ghlo_lower_node (self, GHLO_NODE_FMA, COMPLEX_F64, negate (self, c), d, q)));

  return choose (self, less (self, magnitude (self, error), number (self, INFINITY)), subtract (self, sum, error), sum);
}

/* The parts have type @type. */
static Pair
make_product (GhloLowering    *self,
              GhloElementType  type,
              Pair             x,
              Pair             y)
{
  if (type == GHLO_ELEMENT_TYPE_F64)
    return (Pair) { dot_exactly (self, x.re, y.re, negate (self, x.im), y.im),
                    dot_exactly (self, x.re, y.im, x.im, y.re) };

  return convert_parts (self, type, ghlo_lower_complex_multiply (self, convert_parts (self, COMPLEX_F64, x),
                                                                 convert_parts (self, COMPLEX_F64, y)));
}

GhloComplexExpr
ghlo_lower_complex_combine (GhloLowering    *self,
                            GhloCombiner     combiner,
                            GhloElementType  type,
                            Pair             x,
                            Pair             y)
{
  if (combiner == GHLO_COMBINER_ADD)
    return by_parts (self, GHLO_NODE_ADD, type, x, y);
  if (combiner == GHLO_COMBINER_MULTIPLY)
    return make_product (self, type, x, y);
  ghlo_lower_refuse (self, "kernels do not support its reduction");

  return (Pair) { NONE, NONE };
}

static Pair
make_comparison (GhloLowering   *self,
                 const GhloIrOp *op,
                 Pair            x,
                 Pair            y)
{
  GhloNodeKind node = ghlo_lower_comparison (op);
  const Pair parts = by_parts (self, node, GHLO_ELEMENT_TYPE_I1, x, y);
  guint32 result = node == GHLO_NODE_EQUAL ? both (self, parts.re, parts.im) : either (self, parts.re, parts.im);

  return (Pair) { result, result };
}

/* Real operands have an imaginary part of 0; real results drop the imaginary part. */
static Pair
make_conversion (GhloLowering   *self,
                 const GhloIrOp *op,
                 Pair            x)
{
  GhloElementType from = ghlo_ir_op_operand (op, 0)->type->element_type, to = op->results[0].type->element_type;
  GhloElementType from_part = ghlo_element_type_real_part (from), to_part = ghlo_element_type_real_part (to);
  Pair result = { .re = ghlo_lower_convert (self, from_part, to_part, x.re) };

  if (ghlo_element_type_is_complex (from) && ghlo_element_type_is_complex (to))
    result.im = ghlo_lower_convert (self, from_part, to_part, x.im);
  else
    result.im = ghlo_lower_float (self, ghlo_lower_type (to_part), 0);

  return result;
}

/* Computes in f64, and then rounds each part. */
static Pair
make_function (GhloLowering    *self,
               GhloScalarKind   kind,
               const Pair      *operands,
               guint            n_operands)
{
  Pair x = convert_parts (self, COMPLEX_F64, operands[0]), y = x;

  if (n_operands > 1)
    y = convert_parts (self, COMPLEX_F64, operands[1]);
  if (kind == GHLO_SCALAR_ABS)
    x.re = x.im = ghlo_lower_complex_abs (self, x);
  else if (kind == GHLO_SCALAR_DIVIDE)
    x = ghlo_lower_complex_divide (self, x, y);
  else if (kind == GHLO_SCALAR_POWER)
    x = ghlo_lower_complex_power (self, x, y);
  else
    x = ghlo_lower_complex_function (kind) (self, x);

  return convert_parts (self, GHLO_ELEMENT_TYPE_F32, x);
}

static Pair
make_by_parts (GhloLowering    *self,
               const GhloIrOp  *op,
               GhloScalarKind   kind,
               GhloElementType  type,
               const Pair      *operands)
{
  const Pair x = operands[0];

  switch (kind)
    {
    case GHLO_SCALAR_ADD:
      return by_parts (self, GHLO_NODE_ADD, type, x, operands[1]);
    case GHLO_SCALAR_SUBTRACT:
      return by_parts (self, GHLO_NODE_SUBTRACT, type, x, operands[1]);
    case GHLO_SCALAR_MULTIPLY:
      return make_product (self, type, x, operands[1]);
    case GHLO_SCALAR_NEGATE:
      return by_parts (self, GHLO_NODE_NEGATE, type, x, (Pair) { NONE, NONE });
    case GHLO_SCALAR_CONJ:
      return (Pair) { x.re, ghlo_lower_node (self, GHLO_NODE_NEGATE, type, x.im, NONE, NONE) };
    case GHLO_SCALAR_COMPLEX:
      return (Pair) { x.re, operands[1].re };
    case GHLO_SCALAR_REAL:
      return (Pair) { x.re, x.re };
    case GHLO_SCALAR_IMAG:
      return (Pair) { x.im, x.im };
    case GHLO_SCALAR_SELECT:
      return (Pair) { ghlo_lower_node (self, GHLO_NODE_SELECT, type, x.re, operands[1].re, operands[2].re),
                      ghlo_lower_node (self, GHLO_NODE_SELECT, type, x.re, operands[1].im, operands[2].im) };
    case GHLO_SCALAR_COMPARE:
      return make_comparison (self, op, x, operands[1]);
    default:
      return make_conversion (self, op, x);
    }
}

GhloComplexExpr
ghlo_lower_complex (GhloLowering          *self,
                    const GhloIrOp        *op,
                    const GhloComplexExpr *operands)
{
  const char *obstacle = ghlo_lower_complex_obstacle (op);
  GhloScalarKind kind = ghlo_scalar_of (op->kind);
  GhloElementType type = ghlo_ir_op_operand (op, op->n_operands - 1)->type->element_type;

  if (obstacle != NULL)
    {
      ghlo_lower_refuse (self, obstacle);
      return (Pair) { NONE, NONE };
    }
  if (is_by_parts (op, kind))
    return make_by_parts (self, op, kind, ghlo_element_type_real_part (type), operands);

  return make_function (self, kind, operands, op->n_operands);
}
