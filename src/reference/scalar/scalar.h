/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scalar functions by class of element type. Each class has a file of its own
 * with a table over the operation kinds; scalar.c combines them.
 */

#pragma once

#include "reference/kernel.h"

G_BEGIN_DECLS

/* The function that computes an operation on elements of one class, or NULL. @kind is the operation on that class. */
GhloRefScalarFunc ghlo_ref_integer_func  (GhloScalarKind    kind,
                                          GhloElementClass  element_class);
GhloRefScalarFunc ghlo_ref_float_func    (GhloScalarKind    kind,
                                          GhloElementType   type);
GhloRefScalarFunc ghlo_ref_complex_func  (GhloScalarKind    kind);
/* Conversions between the classes of both types. Never NULL for element types. */
GhloRefScalarFunc ghlo_ref_convert_func  (GhloElementType   from,
                                          GhloElementType   to);

/* Fills in the fields that come from the attributes of comparisons and reduce_precision. */
void              ghlo_ref_scalar_read_attributes (const GhloIrOp    *op,
                                                   GhloRefScalarOp   *scalar_op);

/* Operations on the bit formats of floats (scalar-format.c). */
GhloScalar        ghlo_ref_reduce_precision (const GhloRefScalarOp *op,
                                             const GhloScalar      *operands);
GhloScalar        ghlo_ref_next_after       (const GhloRefScalarOp *op,
                                             const GhloScalar      *operands);

/* The values of GHLO_IR_ENUM_COMPARISON_DIRECTION and _TYPE. */
enum
{
  GHLO_REF_COMPARE_EQ,
  GHLO_REF_COMPARE_NE,
  GHLO_REF_COMPARE_GE,
  GHLO_REF_COMPARE_GT,
  GHLO_REF_COMPARE_LE,
  GHLO_REF_COMPARE_LT,
};

enum { GHLO_REF_COMPARE_TOTALORDER = 2 };

/* Rounds one of two adjacent values, such as the parts of a complex number. GCC 12
 * vectorizes both roundings and then drops them; volatile prevents that. */
static inline double
ghlo_ref_round_f32 (long double value)
{
  volatile float part = (float) value;

  return part;
}

static inline GhloScalar
ghlo_ref_scalar_bool (gboolean value)
{
  return (GhloScalar) { .i = value ? 1 : 0 };
}

/* The result of a comparison. @less, @equal and @greater are all FALSE for unordered values. */
static inline GhloScalar
ghlo_ref_compare_result (gint64   direction,
                         gboolean less,
                         gboolean equal,
                         gboolean greater)
{
  switch (direction)
    {
    case GHLO_REF_COMPARE_EQ:
      return ghlo_ref_scalar_bool (equal);
    case GHLO_REF_COMPARE_NE:
      return ghlo_ref_scalar_bool (!equal);
    case GHLO_REF_COMPARE_GE:
      return ghlo_ref_scalar_bool (greater || equal);
    case GHLO_REF_COMPARE_GT:
      return ghlo_ref_scalar_bool (greater);
    case GHLO_REF_COMPARE_LE:
      return ghlo_ref_scalar_bool (less || equal);
    default:
      return ghlo_ref_scalar_bool (less);
    }
}

G_END_DECLS
