/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Folding without evaluating: an operation that only takes elements from splats of one value gives a splat, and a
 * reshape shares its operand's bytes.
 */

#include "passes/fold.h"

#include <string.h>

#include "passes/constant.h"

/* Operations that only move elements, which come from the @n operands from @first on. */
typedef struct
{
  GhloIrOpKind kind;
  guint        first;
  guint        n;         /* 0: all operands from @first on */
} Mover;

static const Mover movers[] = {
  { GHLO_OP_STABLEHLO_RESHAPE, 0, 1 },
  { GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, 0, 1 },
  { GHLO_OP_STABLEHLO_TRANSPOSE, 0, 1 },
  { GHLO_OP_STABLEHLO_REVERSE, 0, 1 },
  { GHLO_OP_STABLEHLO_SLICE, 0, 1 },
  { GHLO_OP_STABLEHLO_DYNAMIC_SLICE, 0, 1 },
  { GHLO_OP_STABLEHLO_GATHER, 0, 1 },
  { GHLO_OP_STABLEHLO_DYNAMIC_UPDATE_SLICE, 0, 2 },
  { GHLO_OP_STABLEHLO_PAD, 0, 2 },
  { GHLO_OP_STABLEHLO_SELECT, 1, 2 },
  { GHLO_OP_STABLEHLO_CONCATENATE, 0, 0 },
};

static const Mover *
find_mover (GhloIrOpKind kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (movers); i++)
    if (movers[i].kind == kind)
      return &movers[i];

  return NULL;
}

/* The bytes of one element, where all elements of @attr are equal; NULL when they differ. */
static gconstpointer
get_element (const GhloIrAttr *attr)
{
  if (attr == NULL || attr->dense.n_elements == 0 || (!attr->dense.splat && attr->dense.n_elements > 1))
    return NULL;

  return g_bytes_get_data (attr->dense.bytes, NULL);
}

const GhloIrAttr *
ghlo_fold_moved (GhloFolding    *self,
                 const GhloIrOp *op)
{
  const Mover *mover = find_mover (op->kind);
  const GhloIrType *type = op->results[0].type;
  gsize size = ghlo_element_info (type->element_type)->size;
  const GhloIrAttr *attr = mover != NULL ? ghlo_value_get_dense (ghlo_ir_op_operand (op, mover->first)) : NULL;
  gconstpointer element = get_element (attr);
  gboolean any;

  if (attr != NULL && element == NULL && op->kind == GHLO_OP_STABLEHLO_RESHAPE)
    return ghlo_ir_attr_dense (self->module, type, g_bytes_ref (attr->dense.bytes), FALSE, NULL);
  if (element == NULL || attr->type->element_type != type->element_type)
    return NULL;
  for (guint i = 1; i < (mover->n > 0 ? mover->n : op->n_operands); i++)
    {
      gconstpointer other = get_element (ghlo_value_get_dense (ghlo_ir_op_operand (op, mover->first + i)));

      if (other == NULL || memcmp (element, other, size) != 0)
        return NULL;
    }
  any = ghlo_type_count (type) > 0;

  return ghlo_ir_attr_dense (self->module, type, g_bytes_new (element, any ? size : 0), any, NULL);
}
