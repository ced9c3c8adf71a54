/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and convolutions of quantized values: exact sums of integers, or floats where the sums might not fit into 32
 * bits. Weights beside floats are dequantized next to the product.
 */

#include "passes/quantized/quantized.h"

#include <math.h>

#include "base/sizes.h"
#include "passes/constant.h"
#include "passes/expand/build.h"
#include "passes/expand/nn.h"

/* The widest storage type of integer products. */
enum { BYTE = 8 };

typedef struct
{
  const GhloIrOp         *op;
  const GhloQuantization *lhs, *rhs, *result;   /* lhs and result are NULL beside floats */
  /* Of a product, not of a convolution. */
  const gint64           *batching, *contracting, *lhs_contracting;   /* of rhs, but for the last */
  gsize                   n_batching, n_contracting;
  gint64                  dimensions[GHLO_MAX_RANK];   /* for each one of rhs that of the result, -1: is summed over */
} Product;

static gboolean
is_convolution (const Product *self)
{
  return self->op->kind == GHLO_OP_STABLEHLO_CONVOLUTION;
}

static const GhloIrType *
rhs_type (const Product *self)
{
  return ghlo_ir_op_operand (self->op, 1)->type;
}

/* Reads which dimensions of a product are summed over. */
static void
read_contraction (Product *self)
{
  static const gint64 first = 0, second = 1;
  const GhloIrAttr *numbers;
  gsize n;

  if (self->op->kind == GHLO_OP_STABLEHLO_DOT)
    {
      self->contracting = &first;
      self->lhs_contracting = ghlo_ir_op_operand (self->op, 0)->type->rank > 1 ? &second : &first;
      self->n_contracting = 1;
      return;
    }
  numbers = ghlo_ir_op_get (self->op, "dot_dimension_numbers");
  self->batching = ghlo_ir_struct_get_dims (numbers, "rhs_batching_dimensions", &self->n_batching);
  self->contracting = ghlo_ir_struct_get_dims (numbers, "rhs_contracting_dimensions", &self->n_contracting);
  self->lhs_contracting = ghlo_ir_struct_get_dims (numbers, "lhs_contracting_dimensions", &n);
}

static void
map_dimensions (Product *self)
{
  const GhloIrAttr *numbers;
  gint64 free;

  if (is_convolution (self))
    {
      numbers = ghlo_ir_op_get (self->op, "dimension_numbers");
      for (guint i = 0; i < rhs_type (self)->rank; i++)
        self->dimensions[i] = -1;
      self->dimensions[ghlo_ir_struct_get_int (numbers, "kernel_output_feature_dimension")] =
        ghlo_ir_struct_get_int (numbers, "output_feature_dimension");
      return;
    }
  read_contraction (self);
  free = ghlo_ir_op_operand (self->op, 0)->type->rank - self->n_contracting;
  for (guint i = 0; i < rhs_type (self)->rank; i++)
    {
      self->dimensions[i] = ghlo_dims_find (self->batching, self->n_batching, i);
      if (self->dimensions[i] < 0 && !ghlo_dims_contain (self->contracting, self->n_contracting, i))
        self->dimensions[i] = free++;
    }
}

static gboolean
product_read (Product        *self,
              const GhloIrOp *op)
{
  *self = (Product) {
    .op = op, .lhs = ghlo_ir_op_operand (op, 0)->type->quantization,
    .rhs = ghlo_ir_op_operand (op, 1)->type->quantization, .result = op->results[0].type->quantization,
  };
  if (self->rhs == NULL || (self->lhs != NULL) != (self->result != NULL)
      || (self->lhs != NULL && self->lhs->axis >= 0) || !ghlo_ir_type_has_static_shape (op->results[0].type)
      || (op->kind == GHLO_OP_STABLEHLO_DOT_GENERAL && ghlo_ir_op_get (op, "algorithm") != NULL))
    return FALSE;
  map_dimensions (self);

  return TRUE;
}

/* The greatest distance of a stored number from its zero point. */
static double
find_magnitude (const GhloQuantization *quantization)
{
  double magnitude = 0;

  for (guint i = 0; i < quantization->n_scales; i++)
    {
      double zero_point = (double) quantization->zero_points[i];

      magnitude = MAX (magnitude, MAX ((double) quantization->storage_max - zero_point,
                                       zero_point - (double) quantization->storage_min));
    }

  return magnitude;
}

/* Whether the sums fit into i32, and a scale is the same for all terms of a sum. */
static gboolean
sums_fit (const Product *self)
{
  double count = 1;

  if (self->rhs->axis >= 0 && self->dimensions[self->rhs->axis] < 0)
    return FALSE;
  for (guint i = 0; i < rhs_type (self)->rank; i++)
    if (self->dimensions[i] < 0)
      count *= (double) rhs_type (self)->dimensions[i];

  return ghlo_element_info (self->lhs->storage)->bits <= BYTE && ghlo_element_info (self->rhs->storage)->bits <= BYTE
         && count * find_magnitude (self->lhs) * find_magnitude (self->rhs) <= G_MAXINT32;
}

/* The operation on other operands. */
static GhloIrValue *
make_product (const Product   *self,
              GhloRewriter    *rewriter,
              GhloIrValue     *lhs,
              GhloIrValue     *rhs,
              GhloElementType  element_type)
{
  if (self->op->kind == GHLO_OP_STABLEHLO_DOT)
    return ghlo_expand_dot (rewriter, lhs, rhs, 0, self->lhs_contracting, self->contracting, 1, element_type);

  return ghlo_make_like (rewriter, self->op, (GhloIrValue *[]) { lhs, rhs },
                         ghlo_make_type_of (rewriter, element_type, self->op->results[0].type));
}

/* What the zero point of lhs adds to each sum: that number times the sum of rhs. A product of rhs and ones is computed
 * at compile time where rhs is constant. */
static GhloIrValue *
make_correction (const Product    *self,
                 GhloRewriter     *rewriter,
                 GhloIrValue      *rhs,
                 const GhloIrType *type)
{
  gint64 sizes[GHLO_MAX_RANK], order[GHLO_MAX_RANK], dimensions[GHLO_MAX_RANK];
  GhloIrValue *ones, *sums;
  guint rank = 0;

  for (gsize i = 0; i < self->n_contracting; i++)
    {
      sizes[i] = rhs->type->dimensions[self->contracting[i]];
      order[i] = (gint64) i;
    }
  for (guint i = 0; i < rhs->type->rank; i++)
    if (self->dimensions[i] >= 0)
      dimensions[rank++] = self->dimensions[i];
  ones = ghlo_make_number (rewriter, ghlo_make_type (rewriter, rhs->type, sizes, self->n_contracting), 1);
  sums = ghlo_expand_dot (rewriter, ones, rhs, 0, order, self->contracting, self->n_contracting, GHLO_ELEMENT_TYPE_I32);
  sums = ghlo_expand_with (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, sums, (double) self->lhs->zero_points[0]);

  return ghlo_make_broadcast (rewriter, sums, dimensions, type);
}

/* The sums of products of differences to zero points. A step for bytes is fast, so the zero point of lhs is taken into
 * account afterwards; in a convolution not, since it is no element of the padding. */
static GhloIrValue *
make_sums (const Product      *self,
           GhloRewriter       *rewriter,
           GhloIrValue *const *stored)
{
  const gboolean shifts_lhs = ghlo_quantized_has_zero_points (self->lhs);
  GhloIrValue *lhs = stored[0], *rhs = stored[1], *sums;

  if (ghlo_quantized_has_zero_points (self->rhs) || (is_convolution (self) && shifts_lhs))
    {
      lhs = ghlo_quantized_shift (rewriter, lhs, self->lhs, GHLO_ELEMENT_TYPE_I16);
      rhs = ghlo_quantized_shift (rewriter, rhs, self->rhs, GHLO_ELEMENT_TYPE_I16);
      return make_product (self, rewriter, lhs, rhs, GHLO_ELEMENT_TYPE_I32);
    }
  sums = make_product (self, rewriter, lhs, rhs, GHLO_ELEMENT_TYPE_I32);
  if (!shifts_lhs)
    return sums;

  return ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_SUBTRACT, sums,
                           make_correction (self, rewriter, rhs, sums->type));
}

static double
round_scale (const GhloQuantization *quantization,
             guint                   index)
{
  return ghlo_element_round (quantization->expressed, (GhloScalar) { .f = quantization->scales[index] }).f;
}

/* Whether the sums are what the result stores: its scale is the product of the operands' scales, but for rounding. */
static gboolean
stores_sums (const Product *self,
             gint64         axis,
             const double  *scales)
{
  const GhloQuantization *result = self->result;
  double rounding = ldexp (1, 1 - ghlo_element_info (ghlo_expand_wide (result->expressed))->mantissa_bits);

  if (result->storage != GHLO_ELEMENT_TYPE_I32 || result->axis != axis || result->n_scales != self->rhs->n_scales
      || ghlo_quantized_has_zero_points (result))
    return FALSE;
  for (guint i = 0; i < result->n_scales; i++)
    if (fabs (round_scale (result, i) / scales[i] - 1) > rounding)
      return FALSE;

  return TRUE;
}

static GhloIrValue *
make_exact (const Product      *self,
            GhloRewriter       *rewriter,
            GhloIrValue *const *stored)
{
  const gint64 axis = self->rhs->axis >= 0 ? self->dimensions[self->rhs->axis] : -1;
  GhloIrValue *sums = make_sums (self, rewriter, stored), *numbers;
  g_autofree double *scales = g_new (double, self->rhs->n_scales);

  for (guint i = 0; i < self->rhs->n_scales; i++)
    scales[i] = round_scale (self->lhs, 0) * round_scale (self->rhs, i);
  if (stores_sums (self, axis, scales))
    return ghlo_quantized_saturate (rewriter, sums, self->result);
  numbers = ghlo_make_convert (rewriter, sums, ghlo_expand_wide (self->result->expressed));
  numbers = ghlo_make_binary (rewriter, GHLO_OP_STABLEHLO_MULTIPLY, numbers,
                              ghlo_quantized_make_channels (rewriter, numbers->type, axis, scales,
                                                            self->rhs->n_scales));

  return ghlo_quantized_quantize (rewriter, numbers, self->result);
}

GhloIrValue *
ghlo_quantized_lower_product (GhloRewriter       *self,
                              const GhloIrOp     *op,
                              GhloIrValue *const *stored)
{
  GhloIrValue *lhs, *rhs, *numbers;
  Product product;

  if (!product_read (&product, op))
    return NULL;
  if (product.lhs != NULL && sums_fit (&product))
    return make_exact (&product, self, stored);

  lhs = product.lhs != NULL ? ghlo_quantized_dequantize (self, stored[0], product.lhs) : stored[0];
  rhs = ghlo_quantized_dequantize (self, stored[1], product.rhs);
  if (product.result == NULL)
    return make_product (&product, self, lhs, rhs, op->results[0].type->element_type);
  numbers = make_product (&product, self, lhs, rhs, ghlo_expand_wide (product.result->expressed));

  return ghlo_quantized_quantize (self, numbers, product.result);
}
