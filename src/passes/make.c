/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The makers of rewrite.h: they create operations before the one that a rule looks at.
 */

#include "passes/rewrite.h"

#include <string.h>

#include "base/sizes.h"
#include "passes/constant.h"

GhloIrOp *
ghlo_make_op (GhloRewriter        *self,
              const GhloIrOpState *state)
{
  GhloIrOpState placed = *state;
  GhloIrOp *op;

  placed.location = self->op->location;
  placed.line = self->op->line;
  placed.column = self->op->column;
  op = ghlo_ir_op_new (self->module, &placed);
  ghlo_ir_op_insert_before (op, self->op);
  ghlo_rewrite_again (self, op);

  return op;
}

GhloIrValue *
ghlo_make (GhloRewriter          *self,
           GhloIrOpKind           kind,
           const GhloIrType      *type,
           GhloIrValue *const    *operands,
           gsize                  n_operands,
           const GhloIrNamedAttr *attributes,
           gsize                  n_attributes)
{
  GhloIrOp *op = ghlo_make_op (self, &(GhloIrOpState) {
    .kind = kind,
    .operands = operands,
    .n_operands = n_operands,
    .result_types = &type,
    .n_results = 1,
    .attributes = attributes,
    .n_attributes = n_attributes,
  });

  return &op->results[0];
}

GhloIrValue *
ghlo_make_unary (GhloRewriter *self,
                 GhloIrOpKind  kind,
                 GhloIrValue  *operand)
{
  return ghlo_make (self, kind, operand->type, &operand, 1, NULL, 0);
}

GhloIrValue *
ghlo_make_binary (GhloRewriter *self,
                  GhloIrOpKind  kind,
                  GhloIrValue  *lhs,
                  GhloIrValue  *rhs)
{
  return ghlo_make (self, kind, lhs->type, (GhloIrValue *[]) { lhs, rhs }, 2, NULL, 0);
}

GhloIrValue *
ghlo_make_like (GhloRewriter       *self,
                const GhloIrOp     *op,
                GhloIrValue *const *operands,
                const GhloIrType   *type)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
  g_autofree GhloIrNamedAttr *attributes = g_new (GhloIrNamedAttr, spec->n_attributes + op->n_discardable + 1);
  gsize n = 0;

  for (guint i = 0; i < spec->n_attributes; i++)
    if (op->attributes[i] != NULL)
      attributes[n++] = (GhloIrNamedAttr) { spec->attributes[i].name, op->attributes[i] };

  return ghlo_make (self, op->kind, type, operands, op->n_operands, attributes, n);
}

GhloIrValue *
ghlo_make_constant (GhloRewriter     *self,
                    const GhloIrAttr *dense)
{
  return ghlo_make (self, GHLO_OP_STABLEHLO_CONSTANT, dense->type, NULL, 0,
                    &(GhloIrNamedAttr) { "value", dense }, 1);
}

const GhloIrAttr *
ghlo_make_dense_splat (GhloIrModule     *module,
                       const GhloIrType *type,
                       GhloScalar        scalar)
{
  guint8 element[16];
  gboolean any = ghlo_type_count (type) > 0;

  ghlo_element_store (type->element_type, element, scalar);

  return ghlo_ir_attr_dense (module, type,
                             g_bytes_new (element, any ? ghlo_element_info (type->element_type)->size : 0), any, NULL);
}

GhloIrValue *
ghlo_make_splat (GhloRewriter     *self,
                 const GhloIrType *type,
                 GhloScalar        scalar)
{
  return ghlo_make_constant (self, ghlo_make_dense_splat (self->module, type, scalar));
}

GhloIrValue *
ghlo_make_number (GhloRewriter     *self,
                  const GhloIrType *type,
                  double            number)
{
  GhloScalar scalar = { 0 };

  switch (ghlo_element_info (type->element_type)->element_class)
    {
    case GHLO_ELEMENT_CLASS_FLOAT:
    case GHLO_ELEMENT_CLASS_COMPLEX:
      scalar.f = number;
      break;
    default:
      scalar.i = (gint64) number;
      break;
    }

  return ghlo_make_splat (self, type, scalar);
}

GhloIrValue *
ghlo_make_reshape (GhloRewriter     *self,
                   GhloIrValue      *operand,
                   const GhloIrType *type)
{
  if (operand->type == type)
    return operand;

  return ghlo_make (self, GHLO_OP_STABLEHLO_RESHAPE, type, &operand, 1, NULL, 0);
}

GhloIrValue *
ghlo_make_transpose (GhloRewriter *self,
                     GhloIrValue  *operand,
                     const gint64 *permutation)
{
  const GhloIrType *type = operand->type;
  g_autofree gint64 *dimensions = g_new (gint64, type->rank + 1);

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = type->dimensions[permutation[i]];

  return ghlo_make (self, GHLO_OP_STABLEHLO_TRANSPOSE, ghlo_make_type (self, type, dimensions, type->rank), &operand, 1,
                    &(GhloIrNamedAttr) { "permutation", ghlo_ir_attr_i64s (self->module, permutation, type->rank) }, 1);
}

GhloIrValue *
ghlo_make_broadcast (GhloRewriter     *self,
                     GhloIrValue      *operand,
                     const gint64     *dimensions,
                     const GhloIrType *type)
{
  const GhloIrAttr *attr = ghlo_ir_attr_i64s (self->module, dimensions, operand->type->rank);

  return ghlo_make (self, GHLO_OP_STABLEHLO_BROADCAST_IN_DIM, type, &operand, 1,
                    &(GhloIrNamedAttr) { "broadcast_dimensions", attr }, 1);
}

GhloIrValue *
ghlo_make_slice (GhloRewriter *self,
                 GhloIrValue  *operand,
                 const gint64 *start,
                 const gint64 *limit,
                 const gint64 *strides)
{
  const GhloIrType *type = operand->type;
  g_autofree gint64 *dimensions = g_new (gint64, type->rank + 1);

  for (guint i = 0; i < type->rank; i++)
    dimensions[i] = ghlo_ceil_div (MAX (limit[i] - start[i], 0), strides[i]);

  return ghlo_make (self, GHLO_OP_STABLEHLO_SLICE, ghlo_make_type (self, type, dimensions, type->rank), &operand, 1,
                    (GhloIrNamedAttr[]) {
                      { "start_indices", ghlo_ir_attr_i64s (self->module, start, type->rank) },
                      { "limit_indices", ghlo_ir_attr_i64s (self->module, limit, type->rank) },
                      { "strides", ghlo_ir_attr_i64s (self->module, strides, type->rank) },
                    }, 3);
}

const GhloIrType *
ghlo_make_type (GhloRewriter     *self,
                const GhloIrType *type,
                const gint64     *dimensions,
                gsize             rank)
{
  return ghlo_ir_type_tensor (self->module, ghlo_ir_type_get_element (self->module, type), dimensions, rank, NULL,
                              NULL);
}

const GhloIrType *
ghlo_make_type_of (GhloRewriter     *self,
                   GhloElementType   element_type,
                   const GhloIrType *shape)
{
  return ghlo_ir_type_tensor (self->module, ghlo_ir_type_element (self->module, element_type), shape->dimensions,
                              shape->rank, NULL, NULL);
}

GhloIrValue *
ghlo_make_convert (GhloRewriter    *self,
                   GhloIrValue     *operand,
                   GhloElementType  element_type)
{
  if (operand->type->element_type == element_type)
    return operand;

  return ghlo_make (self, GHLO_OP_STABLEHLO_CONVERT, ghlo_make_type_of (self, element_type, operand->type), &operand, 1,
                    NULL, 0);
}

/* Puts the operation on two scalars into the region of @reduce. */
static void
put_reducer (GhloRewriter     *self,
             GhloIrOp         *reduce,
             GhloIrOpKind      kind,
             const GhloIrType *scalar)
{
  GhloIrBlock *block = ghlo_ir_region_add_block (self->module, &reduce->regions[0]);
  GhloIrOpState state = {
    .kind = kind,
    .operands = (GhloIrValue *[]) { ghlo_ir_block_add_argument (self->module, block, scalar, NULL),
                                    ghlo_ir_block_add_argument (self->module, block, scalar, NULL) },
    .n_operands = 2,
    .result_types = &scalar,
    .n_results = 1,
    .location = reduce->location,
  };
  GhloIrOp *combine = ghlo_ir_op_new (self->module, &state);

  ghlo_ir_block_append (block, combine);
  ghlo_ir_block_append (block, ghlo_ir_op_new (self->module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_RETURN, .operands = (GhloIrValue *[]) { &combine->results[0] }, .n_operands = 1,
    .location = reduce->location,
  }));
}

/* Adds an operation of kind @kind that reduces @operand by @combine to a result of type @type. */
static GhloIrValue *
add_reducing (GhloRewriter          *self,
              GhloIrOpKind           kind,
              GhloIrOpKind           combine,
              GhloIrValue           *operand,
              GhloIrValue           *initial,
              const GhloIrType      *type,
              const GhloIrNamedAttr *attributes,
              gsize                  n_attributes)
{
  GhloIrOp *reduce = ghlo_make_op (self, &(GhloIrOpState) {
    .kind = kind,
    .operands = (GhloIrValue *[]) { operand, initial },
    .n_operands = 2,
    .result_types = &type,
    .n_results = 1,
    .n_regions = 1,
    .attributes = attributes,
    .n_attributes = n_attributes,
  });

  put_reducer (self, reduce, combine, initial->type);

  return &reduce->results[0];
}

GhloIrValue *
ghlo_make_reduce (GhloRewriter *self,
                  GhloIrOpKind  kind,
                  GhloIrValue  *operand,
                  GhloIrValue  *initial,
                  const gint64 *dimensions,
                  gsize         n_dimensions)
{
  gint64 kept[GHLO_MAX_RANK];
  guint rank = 0;

  for (guint i = 0; i < operand->type->rank; i++)
    if (!ghlo_dims_contain (dimensions, n_dimensions, i))
      kept[rank++] = operand->type->dimensions[i];

  return add_reducing (self, GHLO_OP_STABLEHLO_REDUCE, kind, operand, initial,
                       ghlo_make_type (self, operand->type, kept, rank), &(GhloIrNamedAttr) {
    "dimensions", ghlo_ir_attr_i64s (self->module, dimensions, n_dimensions),
  }, 1);
}

/* A stride that leads to no other than @dim's positions. GhloIrWindow has none where there is a single one. */
static gint64
find_stride (const GhloIrWindowDim *dim)
{
  if (dim->output > 1)
    return dim->stride;

  return MAX (dim->input * dim->base_dilation + dim->padding_low + dim->padding_high, 1);
}

/* Adds an attribute, unless all numbers are 1. */
static void
add_unless_ones (GhloRewriter    *self,
                 const char      *name,
                 const gint64    *numbers,
                 guint            n,
                 GhloIrNamedAttr *attributes,
                 gsize           *n_attributes)
{
  gboolean are_ones = TRUE;

  for (guint i = 0; i < n; i++)
    are_ones &= numbers[i] == 1;
  if (!are_ones)
    attributes[(*n_attributes)++] = (GhloIrNamedAttr) { name, ghlo_ir_attr_i64s (self->module, numbers, n) };
}

GhloIrValue *
ghlo_make_reduce_window (GhloRewriter       *self,
                         GhloIrOpKind        kind,
                         GhloIrValue        *operand,
                         GhloIrValue        *initial,
                         const GhloIrWindow *window)
{
  GhloIrModule *module = self->module;
  gint64 outputs[GHLO_MAX_RANK], sizes[GHLO_MAX_RANK], strides[GHLO_MAX_RANK], base[GHLO_MAX_RANK];
  gint64 dilations[GHLO_MAX_RANK], padding[2 * GHLO_MAX_RANK];
  GhloIrNamedAttr attributes[5] = { { "window_dimensions", NULL } };
  gboolean is_padded = FALSE;
  gsize n = 1;
  const gint64 pairs[] = { window->rank, 2 };
  const GhloIrType *i64 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_I64);
  const GhloIrType *of_padding = ghlo_ir_type_tensor (module, i64, pairs, 2, NULL, NULL);

  for (guint i = 0; i < window->rank; i++)
    {
      const GhloIrWindowDim *dim = &window->dims[i];

      outputs[i] = dim->output;
      sizes[i] = dim->size;
      strides[i] = find_stride (dim);
      base[i] = dim->base_dilation;
      dilations[i] = dim->window_dilation;
      padding[2 * i] = dim->padding_low;
      padding[2 * i + 1] = dim->padding_high;
      is_padded |= dim->padding_low != 0 || dim->padding_high != 0;
    }
  attributes[0].value = ghlo_ir_attr_i64s (module, sizes, window->rank);
  add_unless_ones (self, "window_strides", strides, window->rank, attributes, &n);
  add_unless_ones (self, "base_dilations", base, window->rank, attributes, &n);
  add_unless_ones (self, "window_dilations", dilations, window->rank, attributes, &n);
  if (is_padded)
    attributes[n++] = (GhloIrNamedAttr) {
      "padding", ghlo_ir_attr_dense (module, of_padding, g_bytes_new (padding, 2 * window->rank * sizeof *padding),
                                     FALSE, NULL),
    };

  return add_reducing (self, GHLO_OP_STABLEHLO_REDUCE_WINDOW, kind, operand, initial,
                       ghlo_make_type (self, operand->type, outputs, window->rank), attributes, n);
}
