/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dynamic operations, which take their shape or their indices as operands. Where those are constants, or the result
 * type determines them, the operation becomes its static form.
 */

#include "passes/canonicalize.h"

#include "base/sizes.h"
#include "ir/verify/verify.h"
#include "passes/constant.h"

/* The elements of a constant operand that has @rank of them, or NULL; freed by the caller. */
static gint64 *
get_numbers (const GhloIrOp *op,
             guint           operand,
             guint           rank)
{
  gint64 *numbers = NULL;
  gsize n;

  if (!ghlo_value_get_ints (ghlo_ir_op_operand (op, operand), &numbers, &n))
    return NULL;
  if (n == rank)
    return numbers;
  g_free (numbers);

  return NULL;
}

static gboolean
is_static (const GhloIrOp *op)
{
  return ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type) && ghlo_type_is_plain (op->results[0].type);
}

static gboolean
dynamic_reshape (GhloRewriter *self,
                 GhloIrOp     *op)
{
  return is_static (op)
         && ghlo_type_count (op->results[0].type) == ghlo_type_count (ghlo_ir_op_operand (op, 0)->type)
         && ghlo_rewrite_replace (self, op, ghlo_make_reshape (self, ghlo_ir_op_operand (op, 0), op->results[0].type));
}

static gboolean
dynamic_iota (GhloRewriter *self,
              GhloIrOp     *op)
{
  const GhloIrType *type = op->results[0].type;

  /* iota takes fewer element types than dynamic_iota. */
  if (!ghlo_type_is_plain (type)
      || !ghlo_ir_type_fits (type, ghlo_ir_op_spec (GHLO_OP_STABLEHLO_IOTA)->results[0].constraint))
    return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make (self, GHLO_OP_STABLEHLO_IOTA, type, NULL, 0,
                                                    &(GhloIrNamedAttr) { "iota_dimension",
                                                                         ghlo_ir_op_get (op, "iota_dimension") }, 1));
}

static gboolean
dynamic_broadcast (GhloRewriter *self,
                   GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  const GhloIrType *type = op->results[0].type;
  gsize n;
  const gint64 *dimensions = ghlo_ir_op_get_ints (op, "broadcast_dimensions", &n);

  if (!is_static (op) || n != operand->type->rank)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (operand->type->dimensions[i] != 1 && operand->type->dimensions[i] != type->dimensions[dimensions[i]])
      return FALSE;

  return ghlo_rewrite_replace (self, op, ghlo_make_broadcast (self, operand, dimensions, type));
}

static gboolean
dynamic_slice_by_numbers (GhloRewriter *self,
                          GhloIrOp     *op)
{
  GhloIrValue *operand = ghlo_ir_op_operand (op, 0);
  guint rank = operand->type->rank;
  g_autofree gint64 *start = NULL, *limit = NULL, *strides = NULL;

  if (!is_static (op) || (start = get_numbers (op, 1, rank)) == NULL || (limit = get_numbers (op, 2, rank)) == NULL
      || (strides = get_numbers (op, 3, rank)) == NULL)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    {
      gint64 n;

      if (start[i] < 0 || start[i] > limit[i] || limit[i] > operand->type->dimensions[i] || strides[i] < 1)
        return FALSE;
      n = ghlo_ceil_div (limit[i] - start[i], strides[i]);
      if (n != op->results[0].type->dimensions[i])
        return FALSE;
    }

  return ghlo_rewrite_replace (self, op, ghlo_make_slice (self, operand, start, limit, strides));
}

/* The size of a dimension after padding, or -1 when it is invalid. */
static gint64
padded_size (gint64 size,
             gint64 low,
             gint64 high,
             gint64 interior)
{
  gint64 padded;

  if (interior < 0 || __builtin_mul_overflow (MAX (size - 1, 0), interior, &padded)
      || __builtin_add_overflow (padded, size, &padded) || __builtin_add_overflow (padded, low, &padded)
      || __builtin_add_overflow (padded, high, &padded))
    return -1;

  return padded;
}

static gboolean
dynamic_pad (GhloRewriter *self,
             GhloIrOp     *op)
{
  const GhloIrType *operand = ghlo_ir_op_operand (op, 0)->type, *type = op->results[0].type;
  guint rank = operand->rank;
  g_autofree gint64 *low = NULL, *high = NULL, *interior = NULL;

  if (!is_static (op) || (low = get_numbers (op, 2, rank)) == NULL || (high = get_numbers (op, 3, rank)) == NULL
      || (interior = get_numbers (op, 4, rank)) == NULL)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (type->dimensions[i] != padded_size (operand->dimensions[i], low[i], high[i], interior[i]))
      return FALSE;

  return ghlo_rewrite_replace (self, op,
                               ghlo_make (self, GHLO_OP_STABLEHLO_PAD, type,
                                          (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0),
                                                              ghlo_ir_op_operand (op, 1) }, 2,
                                          (GhloIrNamedAttr[]) {
                                            { "edge_padding_low", ghlo_ir_attr_i64s (self->module, low, rank) },
                                            { "edge_padding_high", ghlo_ir_attr_i64s (self->module, high, rank) },
                                            { "interior_padding", ghlo_ir_attr_i64s (self->module, interior, rank) },
                                          }, 3));
}

/* The slice sizes must be ones that a gather of the result's shape can have, since the verifier of gather infers the
 * shape from them. */
static gboolean
sizes_fit (const GhloIrOp *op,
           const gint64   *sizes)
{
  const GhloIrType *operand = ghlo_ir_op_operand (op, 0)->type, *type = op->results[0].type;
  const GhloIrAttr *numbers = ghlo_ir_op_get (op, "dimension_numbers");
  gsize n_offset, n_collapsed, n_batching, next = 0;
  const gint64 *offset = ghlo_ir_struct_get_dims (numbers, "offset_dims", &n_offset);
  const gint64 *collapsed = ghlo_ir_struct_get_dims (numbers, "collapsed_slice_dims", &n_collapsed);
  const gint64 *batching = ghlo_ir_struct_get_dims (numbers, "operand_batching_dims", &n_batching);

  for (guint i = 0; i < operand->rank; i++)
    {
      gboolean is_dropped = FALSE;

      if (sizes[i] < 0 || sizes[i] > operand->dimensions[i])
        return FALSE;
      for (gsize j = 0; j < n_collapsed; j++)
        is_dropped |= collapsed[j] == i;
      for (gsize j = 0; j < n_batching; j++)
        is_dropped |= batching[j] == i;
      if (is_dropped ? sizes[i] > 1 : next == n_offset || type->dimensions[offset[next++]] != sizes[i])
        return FALSE;
    }

  return next == n_offset;
}

static gboolean
dynamic_gather (GhloRewriter *self,
                GhloIrOp     *op)
{
  guint rank = ghlo_ir_op_operand (op, 0)->type->rank;
  const GhloIrAttr *sorted = ghlo_ir_op_get (op, "indices_are_sorted");
  g_autofree gint64 *sizes = NULL;

  if (!is_static (op) || !ghlo_type_is_plain (ghlo_ir_op_operand (op, 1)->type)
      || (sizes = get_numbers (op, 2, rank)) == NULL || !sizes_fit (op, sizes))
    return FALSE;

  return ghlo_rewrite_replace (self, op,
                               ghlo_make (self, GHLO_OP_STABLEHLO_GATHER, op->results[0].type,
                                          (GhloIrValue *[]) { ghlo_ir_op_operand (op, 0),
                                                              ghlo_ir_op_operand (op, 1) }, 2,
                                          (GhloIrNamedAttr[]) {
                                            { "dimension_numbers", ghlo_ir_op_get (op, "dimension_numbers") },
                                            { "slice_sizes", ghlo_ir_attr_i64s (self->module, sizes, rank) },
                                            { "indices_are_sorted", sorted },
                                          }, sorted != NULL ? 3 : 2));
}

static const GhloRuleRow rows[] = {
  { GHLO_OP_STABLEHLO_DYNAMIC_RESHAPE, dynamic_reshape },
  { GHLO_OP_STABLEHLO_DYNAMIC_IOTA, dynamic_iota },
  { GHLO_OP_STABLEHLO_DYNAMIC_BROADCAST_IN_DIM, dynamic_broadcast },
  { GHLO_OP_STABLEHLO_REAL_DYNAMIC_SLICE, dynamic_slice_by_numbers },
  { GHLO_OP_STABLEHLO_DYNAMIC_PAD, dynamic_pad },
  { GHLO_OP_STABLEHLO_DYNAMIC_GATHER, dynamic_gather },
};

const GhloRuleGroup ghlo_canonicalize_dynamic = { rows, G_N_ELEMENTS (rows) };
