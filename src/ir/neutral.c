/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The neutral elements that ops.def names, as values of each element type.
 */

#include "base/element.h"
#include "ir/op-spec.h"

/* f8E8M0FNU has no zero. FNUZ formats have a single zero, of no sign. */
static gboolean
set_zero (GhloElementType  type,
          GhloScalar      *value)
{
  const GhloElementInfo *info = ghlo_element_info (type);

  if (info->element_class == GHLO_ELEMENT_CLASS_FLOAT)
    {
      *value = ghlo_element_round (type, (GhloScalar) { .f = -0.0 });
      return info->specials != GHLO_FLOAT_E8M0;
    }
  if (info->element_class == GHLO_ELEMENT_CLASS_COMPLEX)
    *value = (GhloScalar) { .c = { -0.0, -0.0 } };
  else
    *value = (GhloScalar) { .u = 0 };

  return TRUE;
}

/* For complex numbers, 1 is not neutral: multiplying an infinity by it gives NaN. */
static gboolean
set_one (GhloElementType  type,
         GhloScalar      *value)
{
  if (ghlo_element_type_is_float (type))
    *value = (GhloScalar) { .f = 1 };
  else
    *value = (GhloScalar) { .u = 1 };

  return !ghlo_element_type_is_complex (type);
}

gboolean
ghlo_ir_op_neutral (GhloIrOpKind     kind,
                    GhloElementType  type,
                    GhloScalar      *value)
{
  GhloElementClass element_class = ghlo_element_info (type)->element_class;

  if (element_class == GHLO_ELEMENT_CLASS_NONE)
    return FALSE;
  switch (ghlo_ir_op_spec (kind)->neutral)
    {
    case GHLO_IR_NEUTRAL_ZERO:
      return set_zero (type, value);
    case GHLO_IR_NEUTRAL_ONE:
      return set_one (type, value);
    case GHLO_IR_NEUTRAL_LOWEST:
      *value = ghlo_element_limit (type, FALSE);
      return element_class != GHLO_ELEMENT_CLASS_COMPLEX;
    case GHLO_IR_NEUTRAL_HIGHEST:
      *value = ghlo_element_limit (type, TRUE);
      return element_class != GHLO_ELEMENT_CLASS_COMPLEX;
    case GHLO_IR_NEUTRAL_ALL_ONES:
      *value = ghlo_element_round (type, (GhloScalar) { .u = G_MAXUINT64 });
      return element_class != GHLO_ELEMENT_CLASS_FLOAT && element_class != GHLO_ELEMENT_CLASS_COMPLEX;
    case GHLO_IR_NEUTRAL_NONE:
      break;
    }

  return FALSE;
}
