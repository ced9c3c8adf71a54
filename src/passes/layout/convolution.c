/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fields of #stablehlo.conv, grouped by tensor.
 */

#include "passes/layout/convolution.h"

#include "passes/constant.h"

static const struct
{
  const char *single[2], *spatial;
} fields[GHLO_CONVOLUTION_N_TENSORS] = {
  [GHLO_CONVOLUTION_INPUT] = { { "input_batch_dimension", "input_feature_dimension" }, "input_spatial_dimensions" },
  [GHLO_CONVOLUTION_KERNEL] = { { "kernel_input_feature_dimension", "kernel_output_feature_dimension" },
                                "kernel_spatial_dimensions" },
  [GHLO_CONVOLUTION_OUTPUT] = { { "output_batch_dimension", "output_feature_dimension" }, "output_spatial_dimensions" },
};

gboolean
ghlo_convolution_is_plain (const GhloIrOp *op)
{
  return op != NULL && op->kind == GHLO_OP_STABLEHLO_CONVOLUTION && ghlo_type_is_plain (op->results[0].type)
         && ghlo_type_is_plain (ghlo_ir_op_operand (op, 0)->type)
         && ghlo_type_is_plain (ghlo_ir_op_operand (op, 1)->type);
}

guint
ghlo_convolution_get_order (const GhloIrAttr      *numbers,
                            GhloConvolutionTensor  tensor,
                            gint64                *order)
{
  gsize n_spatial;
  const gint64 *spatial = ghlo_ir_struct_get_dims (numbers, fields[tensor].spatial, &n_spatial);

  order[0] = ghlo_ir_struct_get_int (numbers, fields[tensor].single[0]);
  for (gsize i = 0; i < n_spatial; i++)
    order[1 + i] = spatial[i];
  order[1 + n_spatial] = ghlo_ir_struct_get_int (numbers, fields[tensor].single[1]);

  return (guint) n_spatial + 2;
}

const GhloIrAttr *
ghlo_convolution_map_numbers (GhloIrModule          *module,
                              const GhloIrAttr      *numbers,
                              GhloConvolutionTensor  tensor,
                              const gint64          *map)
{
  gsize n_spatial;
  const gint64 *spatial = ghlo_ir_struct_get_dims (numbers, fields[tensor].spatial, &n_spatial);
  const GhloIrStructSpec *spec = &ghlo_ir_struct_specs[GHLO_IR_STRUCT_CONV];
  const GhloIrAttr *children[16];
  gint64 mapped[GHLO_MAX_RANK];

  for (gsize i = 0; i < n_spatial; i++)
    mapped[i] = map[spatial[i]];
  for (guint i = 0; i < spec->n_fields; i++)
    {
      const char *name = spec->fields[i].name;

      children[i] = numbers->children[i];
      if (g_str_equal (name, fields[tensor].spatial))
        children[i] = ghlo_ir_attr_i64s (module, mapped, n_spatial);
      else if (g_str_equal (name, fields[tensor].single[0]) || g_str_equal (name, fields[tensor].single[1]))
        children[i] = ghlo_ir_attr_i64 (module, map[ghlo_ir_struct_get_int (numbers, name)]);
    }

  return ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_CONV, children);
}
