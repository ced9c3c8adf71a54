/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What expansions have in common: their types, reductions, and how elements are combined with what was reduced.
 */

#include "passes/expand/build.h"

#include "passes/constant.h"

void
ghlo_expand_axes_init (GhloExpandAxes   *self,
                       const GhloIrType *type,
                       const gint64     *reduced,
                       gsize             n_reduced)
{
  *self = (GhloExpandAxes) { .count = 1 };
  for (guint i = 0; i < type->rank; i++)
    if (ghlo_dims_contain (reduced, n_reduced, i))
      {
        self->reduced[self->n_reduced++] = i;
        self->count *= (double) type->dimensions[i];
      }
    else
      self->kept[self->n_kept++] = i;
}

gboolean
ghlo_expand_is_plain (const GhloIrOp *op)
{
  for (guint i = 0; i < op->n_operands; i++)
    if (!ghlo_type_is_plain (ghlo_ir_op_operand (op, i)->type))
      return FALSE;
  for (guint i = 0; i < op->n_results; i++)
    if (!ghlo_type_is_plain (op->results[i].type))
      return FALSE;

  return TRUE;
}

GhloElementType
ghlo_expand_wide (GhloElementType type)
{
  return type == GHLO_ELEMENT_TYPE_F64 ? GHLO_ELEMENT_TYPE_F64 : GHLO_ELEMENT_TYPE_F32;
}

GhloIrValue *
ghlo_expand_operand (GhloRewriter   *self,
                     const GhloIrOp *op,
                     guint           index)
{
  GhloIrValue *value = ghlo_ir_op_operand (op, index);

  return ghlo_make_convert (self, value, ghlo_expand_wide (value->type->element_type));
}

GhloIrValue *
ghlo_expand_result (GhloRewriter   *self,
                    const GhloIrOp *op,
                    guint           index,
                    GhloIrValue    *value)
{
  return ghlo_make_convert (self, value, op->results[index].type->element_type);
}

GhloIrValue *
ghlo_expand_with (GhloRewriter *self,
                  GhloIrOpKind  kind,
                  GhloIrValue  *value,
                  double        number)
{
  return ghlo_make_binary (self, kind, value, ghlo_make_number (self, value->type, number));
}

GhloIrValue *
ghlo_expand_with_rows (GhloRewriter         *self,
                       GhloIrOpKind          kind,
                       GhloIrValue          *elements,
                       GhloIrValue          *rows,
                       const GhloExpandAxes *axes)
{
  return ghlo_make_binary (self, kind, elements, ghlo_make_broadcast (self, rows, axes->kept, elements->type));
}

GhloIrValue *
ghlo_expand_sum (GhloRewriter         *self,
                 GhloIrValue          *elements,
                 const GhloExpandAxes *axes)
{
  GhloIrValue *zero = ghlo_make_number (self, ghlo_make_type (self, elements->type, NULL, 0), 0);

  return ghlo_make_reduce (self, GHLO_OP_STABLEHLO_ADD, elements, zero, axes->reduced, axes->n_reduced);
}

GhloIrValue *
ghlo_expand_mean (GhloRewriter         *self,
                  GhloIrValue          *elements,
                  const GhloExpandAxes *axes)
{
  return ghlo_expand_with (self, GHLO_OP_STABLEHLO_DIVIDE, ghlo_expand_sum (self, elements, axes), axes->count);
}
