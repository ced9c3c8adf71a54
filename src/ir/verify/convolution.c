/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Verifies convolution and dynamic_conv: dimension numbers, groups, the window, the inferred shape, and quantization.
 */

#include "ir/verify/window.h"

/* The dimension numbers of one tensor. For the kernel, "first" is the input feature dimension and "second" the output
 * feature dimension; for the others they are batch and feature. */
typedef struct
{
  gint64        first;
  gint64        second;
  const gint64 *spatial;
} Numbers;

typedef struct
{
  Numbers input, kernel, output;
  gsize   n_spatial;
  gint64  feature_groups, batch_groups;
} Convolution;

static const struct
{
  const char *first, *second, *spatial;
} fields[] = {
  { "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions" },
  { "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions" },
  { "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions" },
};

/* Reads row @which of the fields and checks that the dimensions are distinct and below @rank. */
static gboolean
read_numbers (GhloIrVerifier *verifier,
              const GhloIrOp *op,
              guint           which,
              guint           rank,
              Numbers        *numbers)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "dimension_numbers");
  guint64 seen = 0;
  gsize n;

  numbers->first = ghlo_ir_struct_get_int (attr, fields[which].first);
  numbers->second = ghlo_ir_struct_get_int (attr, fields[which].second);
  numbers->spatial = ghlo_ir_struct_get_dims (attr, fields[which].spatial, &n);
  if ((guint64) n + 2 != rank)
    return ghlo_ir_verify_fail (verifier, op, "expected %s of %u dimensions, found %" G_GSIZE_FORMAT,
                                fields[which].spatial, rank - 2, n);

  return ghlo_ir_verify_dim_set (verifier, op, fields[which].first, &numbers->first, 1, rank, &seen)
         && ghlo_ir_verify_dim_set (verifier, op, fields[which].second, &numbers->second, 1, rank, &seen)
         && ghlo_ir_verify_dim_set (verifier, op, fields[which].spatial, numbers->spatial, n, rank, &seen);
}

static gboolean
verify_operands (GhloIrVerifier *verifier,
                 const GhloIrOp *op)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);

  if (lhs->rank < 2 || lhs->rank != rhs->rank)
    return ghlo_ir_verify_fail (verifier, op, "expected operands of the same rank, at least 2, found ranks %u and %u",
                                lhs->rank, rhs->rank);
  if (lhs->quantization == NULL && rhs->quantization == NULL && !ghlo_ir_elements_compatible (lhs, rhs))
    {
      g_autofree char *left = ghlo_ir_type_to_string (lhs);
      g_autofree char *right = ghlo_ir_type_to_string (rhs);

      return ghlo_ir_verify_fail (verifier, op, "expected operands of the same element type, found %s and %s",
                                  left, right);
    }

  return TRUE;
}

static gboolean
verify_multiple (GhloIrVerifier *verifier,
                 const GhloIrOp *op,
                 const char     *what,
                 gint64          size,
                 const char     *groups,
                 gint64          count)
{
  if (size < 0 || size % count == 0)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op,
                              "expected the size of the %s dimension to be a multiple of %s (%" G_GINT64_FORMAT
                              "), found %" G_GINT64_FORMAT, what, groups, count, size);
}

static gboolean
verify_groups (GhloIrVerifier    *verifier,
               const GhloIrOp    *op,
               const Convolution *conv)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  gint64 input_features = lhs->dimensions[conv->input.second];
  gint64 kernel_features = rhs->dimensions[conv->kernel.first];
  gint64 output_features = rhs->dimensions[conv->kernel.second];

  if (conv->batch_groups > 1 && conv->feature_groups > 1)
    return ghlo_ir_verify_fail (verifier, op,
                                "expected batch_group_count or feature_group_count to be 1, found %" G_GINT64_FORMAT
                                " and %" G_GINT64_FORMAT, conv->batch_groups, conv->feature_groups);
  if (!verify_multiple (verifier, op, "input batch", lhs->dimensions[conv->input.first],
                        "batch_group_count", conv->batch_groups)
      || !verify_multiple (verifier, op, "input feature", input_features,
                           "feature_group_count", conv->feature_groups)
      || !verify_multiple (verifier, op, "kernel output feature", output_features,
                           "batch_group_count", conv->batch_groups)
      || !verify_multiple (verifier, op, "kernel output feature", output_features,
                           "feature_group_count", conv->feature_groups))
    return FALSE;
  if (input_features >= 0 && !ghlo_ir_dims_compatible (input_features / conv->feature_groups, kernel_features))
    return ghlo_ir_verify_fail (verifier, op,
                                "expected %" G_GINT64_FORMAT " input features in the kernel, found %" G_GINT64_FORMAT,
                                input_features / conv->feature_groups, kernel_features);

  return TRUE;
}

static gboolean
read_convolution (GhloIrVerifier *verifier,
                  const GhloIrOp *op,
                  Convolution    *conv)
{
  guint rank = ghlo_ir_operand_type (op, 0)->rank;

  if (!verify_operands (verifier, op)
      || !read_numbers (verifier, op, 0, rank, &conv->input)
      || !read_numbers (verifier, op, 1, rank, &conv->kernel)
      || !read_numbers (verifier, op, 2, rank, &conv->output))
    return FALSE;
  conv->n_spatial = rank - 2;
  conv->feature_groups = ghlo_ir_op_get_int (op, "feature_group_count", 1);
  conv->batch_groups = ghlo_ir_op_get_int (op, "batch_group_count", 1);

  return verify_groups (verifier, op, conv) && ghlo_ir_verify_precision (verifier, op);
}

static gboolean
read_window (GhloIrVerifier    *verifier,
             const GhloIrOp    *op,
             const Convolution *conv,
             GhloIrWindow      *window)
{
  static const GhloIrWindowNames names = { "window_strides", "lhs_dilation", "rhs_dilation", "window_reversal" };
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  gint64 sizes[GHLO_MAX_RANK];

  for (gsize i = 0; i < conv->n_spatial; i++)
    sizes[i] = rhs->dimensions[conv->kernel.spatial[i]];

  return ghlo_ir_verify_window (verifier, op, sizes, conv->n_spatial, &names, window);
}

/* Checks the result's shape. If @window is NULL, the spatial dimensions are unknown. */
static gboolean
verify_result (GhloIrVerifier     *verifier,
               const GhloIrOp     *op,
               const Convolution  *conv,
               const GhloIrWindow *window)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  gint64 batch = lhs->dimensions[conv->input.first];
  GhloIrShape shape;

  ghlo_ir_shape_init (&shape, lhs->rank);
  for (gsize i = 0; window != NULL && i < conv->n_spatial; i++)
    if (!ghlo_ir_verify_window_count (verifier, op, window, i, lhs->dimensions[conv->input.spatial[i]],
                                      &shape.dimensions[conv->output.spatial[i]]))
      return FALSE;
  shape.dimensions[conv->output.first] = batch < 0 ? GHLO_DYNAMIC : batch / conv->batch_groups;
  shape.dimensions[conv->output.second] = rhs->dimensions[conv->kernel.second];

  return ghlo_ir_verify_inferred (verifier, op, 0, &shape, NULL);
}

static gboolean
verify_axis (GhloIrVerifier   *verifier,
             const GhloIrOp   *op,
             const GhloIrType *type,
             const char       *what,
             gint64            dimension)
{
  if (!ghlo_ir_type_is_per_axis (type) || type->quantization->axis == dimension)
    return TRUE;

  return ghlo_ir_verify_fail (verifier, op, "expected %s to be quantized along dimension %" G_GINT64_FORMAT
                              ", its output features, found %d", what, dimension, type->quantization->axis);
}

static gboolean
verify_quantization (GhloIrVerifier    *verifier,
                     const GhloIrOp    *op,
                     const Convolution *conv)
{
  const GhloIrType *lhs = ghlo_ir_operand_type (op, 0);
  const GhloIrType *rhs = ghlo_ir_operand_type (op, 1);
  const GhloIrType *result = ghlo_ir_result_type (op, 0);

  if (lhs->quantization == NULL && rhs->quantization == NULL && result->quantization == NULL)
    return TRUE;

  return verify_axis (verifier, op, rhs, "the kernel", conv->kernel.second)
         && verify_axis (verifier, op, result, "the result", conv->output.second)
         && ghlo_ir_verify_quantized_dot (verifier, op, lhs, rhs, result);
}

gboolean
ghlo_ir_verify_convolution (GhloIrVerifier *verifier,
                            const GhloIrOp *op)
{
  Convolution conv;
  GhloIrWindow window;

  return read_convolution (verifier, op, &conv)
         && read_window (verifier, op, &conv, &window)
         && ghlo_ir_verify_window_padding (verifier, op, &window)
         && verify_result (verifier, op, &conv, &window)
         && verify_quantization (verifier, op, &conv);
}

/* Checks the window only if the padding operand is constant. Otherwise it is checked when the program runs. */
static gboolean
verify_dynamic_window (GhloIrVerifier    *verifier,
                       const GhloIrOp    *op,
                       const Convolution *conv)
{
  g_autofree gint64 *padding = NULL;
  GhloIrWindow window;
  gsize n;

  if (!ghlo_ir_match_ints (ghlo_ir_op_operand (op, 2), &padding, &n) || n != 2 * conv->n_spatial)
    return verify_result (verifier, op, conv, NULL);
  if (!read_window (verifier, op, conv, &window))
    return FALSE;

  for (gsize i = 0; i < conv->n_spatial; i++)
    {
      window.dims[i].padding_low = padding[2 * i];
      window.dims[i].padding_high = padding[2 * i + 1];
    }

  return verify_result (verifier, op, conv, &window);
}

gboolean
ghlo_ir_verify_dynamic_conv (GhloIrVerifier *verifier,
                             const GhloIrOp *op)
{
  const GhloIrType *padding = ghlo_ir_operand_type (op, 2);
  Convolution conv;

  if (!read_convolution (verifier, op, &conv))
    return FALSE;
  if (padding->rank != 2 || padding->dimensions[0] != (gint64) conv.n_spatial || padding->dimensions[1] != 2)
    {
      g_autofree char *found = ghlo_ir_type_to_string (padding);

      return ghlo_ir_verify_fail (verifier, op, "expected padding of shape (%" G_GSIZE_FORMAT ", 2), found %s",
                                  conv.n_spatial, found);
    }

  return verify_dynamic_window (verifier, op, &conv)
         && verify_quantization (verifier, op, &conv);
}
