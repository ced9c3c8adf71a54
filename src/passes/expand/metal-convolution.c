/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * MetalHLO's call fused_conv_bias_act: a convolution of images [batch, height, width, features] with a kernel [height,
 * width, input features, output features], a bias and a function. Strides, padding, dilation and groups are attributes
 * of the call itself, by the names that stablehlo.convolution has for them.
 */

#include "passes/constant.h"
#include "passes/expand/check.h"
#include "passes/expand/config.h"
#include "passes/expand/expand.h"
#include "passes/expand/nn.h"

enum { N_SPATIAL = 2, RANK = N_SPATIAL + 2 };

typedef struct
{
  gint64 strides[N_SPATIAL];
  gint64 dilations[N_SPATIAL];       /* of the kernel */
  gint64 padding[N_SPATIAL][2];
  gint64 groups;
} Window;

/* Reads two numbers from @least on, which is their default. */
static gboolean
read_pair (const GhloIrOp *op,
           const char     *name,
           gint64          least,
           gint64          values[N_SPATIAL],
           char          **problem)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, name);

  values[0] = values[1] = least;
  if (attr == NULL)
    return TRUE;
  if (attr->kind != GHLO_IR_ATTR_DENSE_ARRAY || attr->length != N_SPATIAL
      || attr->type->element_type != GHLO_ELEMENT_TYPE_I64)
    return ghlo_expand_refuse (problem, "expected array<i64: HEIGHT, WIDTH> as '%s'", name);
  for (guint i = 0; i < N_SPATIAL; i++)
    {
      values[i] = attr->integers[i];
      if (values[i] < least || values[i] > G_MAXINT32)
        return ghlo_expand_refuse (problem, "expected numbers from %" G_GINT64_FORMAT " to %d as '%s', found %"
                                   G_GINT64_FORMAT, least, G_MAXINT32, name, values[i]);
    }

  return TRUE;
}

static gboolean
read_padding (const GhloIrOp *op,
              Window         *window,
              char          **problem)
{
  const GhloIrAttr *attr = ghlo_ir_op_get (op, "padding");
  g_autofree gint64 *values = NULL;
  gsize n;

  if (attr == NULL)
    return TRUE;
  if (attr->kind != GHLO_IR_ATTR_DENSE || !ghlo_ir_dense_to_int64 (attr, &values, &n) || n != 2 * N_SPATIAL)
    return ghlo_expand_refuse (problem, "expected numbers of tensor<2x2xi64> as 'padding'");
  for (gsize i = 0; i < n; i++)
    {
      if (values[i] < 0 || values[i] > G_MAXINT32)
        return ghlo_expand_refuse (problem, "expected numbers from 0 to %d as 'padding', found %" G_GINT64_FORMAT,
                                   G_MAXINT32, values[i]);
      window->padding[i / 2][i % 2] = values[i];
    }

  return TRUE;
}

static gboolean
window_read (Window          *self,
             const GhloIrOp  *op,
             char           **problem)
{
  const GhloIrAttr *groups = ghlo_ir_op_get (op, "feature_group_count");

  *self = (Window) { .groups = 1 };
  if (groups != NULL && (groups->kind != GHLO_IR_ATTR_INTEGER || groups->integer < 1))
    return ghlo_expand_refuse (problem, "expected a positive integer as 'feature_group_count'");
  if (groups != NULL)
    self->groups = groups->integer;

  return read_pair (op, "window_strides", 1, self->strides, problem)
         && read_pair (op, "rhs_dilation", 1, self->dilations, problem) && read_padding (op, self, problem);
}

/* The dimensions of the result. No number exceeds 32 bits, so nothing overflows. */
static gboolean
find_shape (const Window      *self,
            const GhloIrType  *image,
            const GhloIrType  *kernel,
            gint64             dimensions[RANK],
            char             **problem)
{
  const gint64 *from = image->dimensions, *k = kernel->dimensions;

  if (image->rank != RANK || kernel->rank != RANK || k[3] % self->groups != 0 || from[3] % self->groups != 0
      || from[3] / self->groups != k[2])
    return ghlo_expand_refuse (problem, "expected images of batch x height x width x features, and a kernel of height "
                               "x width x input features x output features");
  dimensions[0] = from[0];
  dimensions[3] = k[3];
  for (guint i = 0; i < N_SPATIAL; i++)
    {
      gint64 length, size;

      if (from[1 + i] > G_MAXINT32 || k[i] > G_MAXINT32 || k[i] == 0)
        return ghlo_expand_refuse (problem, "expected images and kernels of up to %d elements along a dimension",
                                   G_MAXINT32);
      length = from[1 + i] + self->padding[i][0] + self->padding[i][1];
      size = (k[i] - 1) * self->dilations[i] + 1;
      dimensions[1 + i] = length < size ? 0 : (length - size) / self->strides[i] + 1;
    }

  return TRUE;
}

/* Adds a pair of numbers other than one, which is the default. */
static void
add_pair (GhloIrModule    *module,
          const char      *name,
          const gint64     values[N_SPATIAL],
          GhloIrNamedAttr *attributes,
          guint           *n)
{
  if (values[0] != 1 || values[1] != 1)
    attributes[(*n)++] = (GhloIrNamedAttr) { name, ghlo_ir_attr_i64s (module, values, N_SPATIAL) };
}

static GhloIrValue *
make_convolution (const Window *self,
                  GhloRewriter *rewriter,
                  GhloIrValue  *image,
                  GhloIrValue  *kernel,
                  const gint64  dimensions[RANK])
{
  static const gint64 in[] = { 1, 2 }, of_kernel[] = { 0, 1 }, pairs[] = { N_SPATIAL, 2 };
  GhloIrModule *module = rewriter->module;
  const GhloIrAttr *zero = ghlo_ir_attr_i64 (module, 0), *spatial = ghlo_ir_attr_i64s (module, in, N_SPATIAL);
  const GhloIrAttr *two = ghlo_ir_attr_i64 (module, 2), *three = ghlo_ir_attr_i64 (module, 3);
  const GhloIrAttr *numbers = ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_CONV, (const GhloIrAttr *[]) {
    zero, three, spatial, two, three, ghlo_ir_attr_i64s (module, of_kernel, N_SPATIAL), zero, three, spatial,
  });
  const GhloIrType *type = ghlo_ir_type_tensor (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_I64), pairs, 2,
                                                NULL, NULL);
  GhloIrNamedAttr attributes[6] = {
    { "dimension_numbers", numbers },
    { "feature_group_count", ghlo_ir_attr_i64 (module, self->groups) },
    { "batch_group_count", ghlo_ir_attr_i64 (module, 1) },
  };
  guint n = 3;

  if (self->padding[0][0] != 0 || self->padding[0][1] != 0 || self->padding[1][0] != 0 || self->padding[1][1] != 0)
    attributes[n++] = (GhloIrNamedAttr) {
      "padding", ghlo_ir_attr_dense (module, type, g_bytes_new (self->padding, sizeof self->padding), FALSE, NULL),
    };
  add_pair (module, "window_strides", self->strides, attributes, &n);
  add_pair (module, "rhs_dilation", self->dilations, attributes, &n);

  return ghlo_make (rewriter, GHLO_OP_STABLEHLO_CONVOLUTION,
                    ghlo_ir_type_tensor (module,
                                         ghlo_ir_type_element (module, ghlo_expand_wide (image->type->element_type)),
                                         dimensions, RANK, NULL, NULL),
                    (GhloIrValue *[]) { image, kernel }, 2, attributes, n);
}

gboolean
ghlo_expand_fused_convolution (GhloRewriter    *self,
                               const GhloIrOp  *op,
                               GhloIrValue    **results,
                               char           **problem)
{
  static const char *const names[] = { "activation", "has_bias", NULL };
  const char *activation = "none";
  gboolean has_bias = TRUE;
  gint64 dimensions[RANK];
  GhloExpandConfig config;
  Window window;

  if (!ghlo_expand_check_counts (op, 2, 3, 1, problem) || !ghlo_expand_check_floats (op, op->n_operands, problem)
      || !ghlo_expand_config_read (&config, self->module, op, names, problem)
      || !ghlo_expand_config_text (&config, "activation", &activation, problem)
      || !ghlo_expand_config_boolean (&config, "has_bias", &has_bias, problem) || !window_read (&window, op, problem)
      || !find_shape (&window, ghlo_ir_op_operand (op, 0)->type, ghlo_ir_op_operand (op, 1)->type, dimensions, problem))
    return FALSE;
  results[0] = make_convolution (&window, self, ghlo_ir_op_operand (op, 0), ghlo_ir_op_operand (op, 1), dimensions);
  if (op->n_operands == (has_bias ? 2 : 3)
      || (has_bias && !ghlo_expand_broadcasts (ghlo_ir_op_operand (op, 2)->type, results[0]->type)))
    return ghlo_expand_refuse (problem, "expected a bias that can be broadcast to the result as operand 2 exactly "
                               "where 'has_bias' is true");
  if (has_bias)
    results[0] = ghlo_expand_with_broadcast (self, GHLO_OP_STABLEHLO_ADD, results[0],
                                             ghlo_expand_operand (self, op, 2));
  results[0] = ghlo_expand_activation (self, results[0], activation);

  return results[0] != NULL || ghlo_expand_refuse_activation (activation, problem);
}
