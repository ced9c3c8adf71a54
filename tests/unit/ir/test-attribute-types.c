/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The attributes of every row of the op table, as the dialects define them (StablehloOps.td, ChloOps.td, CheckOps.td,
 * InterpreterOps.td, FuncOps.td, Shardy's ops.td): "!" required, "?" optional, "=" with a default, then the type and
 * the least value. An attribute of another type than in the dialect would be refused by other readers, and theirs here.
 */

#include "ir/op-spec.h"

static const char *const expected[] = {
  "builtin.module: sym_name?string sym_visibility?string",
  "builtin.unregistered: unregistered_name!string",
  ("func.func: sym_name!string function_type!type sym_visibility?string arg_attrs?[dictionary] "
   "res_attrs?[dictionary] no_inline?unit"),
  "func.call: callee!symbol arg_attrs?[dictionary] res_attrs?[dictionary] no_inline?unit",
  "stablehlo.constant: value!elements",
  "stablehlo.iota: iota_dimension!i64>=0",
  "stablehlo.dynamic_iota: iota_dimension!i64>=0",
  "stablehlo.cbrt: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.cosine: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.exponential: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.exponential_minus_one: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.log: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.log_plus_one: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.logistic: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.rsqrt: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.sine: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.sqrt: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.tan: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.tanh: result_accuracy=#stablehlo.result_accuracy",
  "stablehlo.infeed: infeed_config=string layout?[any]",
  "stablehlo.outfeed: outfeed_config=string",
  "stablehlo.send: channel_handle!#stablehlo.channel_handle is_host_transfer=bool source_target_pairs?elements<i64>",
  "stablehlo.recv: channel_handle!#stablehlo.channel_handle is_host_transfer=bool source_target_pairs?elements<i64>",
  ("stablehlo.all_gather: all_gather_dim!i64>=0 replica_groups!elements<i64>|#stablehlo.replica_group_mesh_axes "
   "channel_handle?#stablehlo.channel_handle use_global_device_ids?unit"),
  ("stablehlo.all_reduce: replica_groups!elements<i64>|#stablehlo.replica_group_mesh_axes "
   "channel_handle?#stablehlo.channel_handle use_global_device_ids?unit"),
  ("stablehlo.reduce_scatter: scatter_dimension!i64>=0 "
   "replica_groups!elements<i64>|#stablehlo.replica_group_mesh_axes channel_handle?#stablehlo.channel_handle "
   "use_global_device_ids?unit"),
  "stablehlo.cross-replica-sum: replica_groups!elements<i64>",
  ("stablehlo.all_to_all: split_dimension!i64>=0 concat_dimension!i64>=0 split_count!i64>=1 "
   "replica_groups!elements<i64>|#stablehlo.replica_group_mesh_axes channel_handle?#stablehlo.channel_handle"),
  "stablehlo.reduce: dimensions!array<i64>",
  "stablehlo.get_tuple_element: index!i32>=0",
  "stablehlo.compare: comparison_direction!#stablehlo.comparison_direction compare_type?#stablehlo.comparison_type",
  "stablehlo.slice: start_indices!array<i64> limit_indices!array<i64> strides!array<i64>",
  "stablehlo.dynamic_slice: slice_sizes!array<i64>",
  "stablehlo.batch_norm_grad: epsilon!f32 feature_index!i64>=0",
  "stablehlo.batch_norm_inference: epsilon!f32 feature_index!i64>=0",
  "stablehlo.batch_norm_training: epsilon!f32 feature_index!i64>=0",
  "stablehlo.broadcast: broadcast_sizes!array<i64>",
  "stablehlo.broadcast_in_dim: broadcast_dimensions!array<i64>",
  ("stablehlo.dynamic_broadcast_in_dim: broadcast_dimensions!array<i64> known_expanding_dimensions?array<i64> "
   "known_nonexpanding_dimensions?array<i64>"),
  "stablehlo.cholesky: lower=bool",
  "stablehlo.concatenate: dimension!i64>=0",
  ("stablehlo.collective_broadcast: replica_groups!elements<i64>|#stablehlo.replica_group_mesh_axes "
   "channel_handle?#stablehlo.channel_handle has_dynamic_root?unit"),
  ("stablehlo.collective_reduce: replica_groups!elements<i64>|#stablehlo.replica_group_mesh_axes "
   "channel_handle?#stablehlo.channel_handle use_global_device_ids?unit has_dynamic_root?unit"),
  "stablehlo.collective_permute: source_target_pairs!elements<i64> channel_handle?#stablehlo.channel_handle",
  "stablehlo.composite: name!string composite_attributes=dictionary decomposition!symbol version=i32",
  ("stablehlo.convolution: window_strides?array<i64> padding?elements<i64> lhs_dilation?array<i64> "
   "rhs_dilation?array<i64> window_reversal?array<i1> dimension_numbers!#stablehlo.conv feature_group_count!i64>=1 "
   "batch_group_count!i64>=1 precision_config?[#stablehlo.precision]"),
  ("stablehlo.custom_call: call_target_name!string has_side_effect=bool backend_config?string|dictionary "
   "api_version=#stablehlo.custom_call_api_version called_computations=[symbol] operand_layouts?[elements<index>] "
   "result_layouts?[elements<index>] output_operand_aliases=[#stablehlo.output_operand_alias] "
   "result_tilings?[[elements<index>]]"),
  "stablehlo.dot: precision_config?[#stablehlo.precision]",
  ("stablehlo.dot_general: dot_dimension_numbers!#stablehlo.dot precision_config?[#stablehlo.precision] "
   "algorithm?#stablehlo.dot_algorithm"),
  "stablehlo.einsum: einsum_config!string",
  "stablehlo.unary_einsum: einsum_config!string",
  "stablehlo.fft: fft_type!#stablehlo.fft_type fft_length!array<i64>",
  "stablehlo.gather: dimension_numbers!#stablehlo.gather slice_sizes!array<i64> indices_are_sorted=bool",
  "stablehlo.get_dimension_size: dimension!i64>=0",
  "stablehlo.map: dimensions!array<i64>",
  "stablehlo.scatter: scatter_dimension_numbers!#stablehlo.scatter indices_are_sorted=bool unique_indices=bool",
  "stablehlo.select_and_scatter: window_dimensions?array<i64> window_strides?array<i64> padding?elements<i64>",
  "stablehlo.set_dimension_size: dimension!i64>=0",
  "stablehlo.sort: dimension=i64 is_stable=bool",
  "stablehlo.reverse: dimensions!array<i64>",
  "stablehlo.pad: edge_padding_low!array<i64> edge_padding_high!array<i64> interior_padding!array<i64>",
  "stablehlo.transpose: permutation!array<i64>",
  "stablehlo.triangular_solve: left_side!bool lower!bool unit_diagonal!bool transpose_a!#stablehlo.transpose",
  ("stablehlo.reduce_window: window_dimensions!array<i64> window_strides?array<i64> base_dilations?array<i64> "
   "window_dilations?array<i64> padding?elements<i64>"),
  "stablehlo.torch_index_select: dim!i64 batch_dims!i64",
  "stablehlo.rng: rng_distribution!#stablehlo.rng_distribution",
  "stablehlo.rng_bit_generator: rng_algorithm!#stablehlo.rng_algorithm",
  "stablehlo.reduce_precision: exponent_bits!i32>=1 mantissa_bits!i32>=0",
  "stablehlo.dynamic_gather: dimension_numbers!#stablehlo.gather indices_are_sorted=bool",
  ("stablehlo.dynamic_conv: window_strides?array<i64> lhs_dilation?array<i64> rhs_dilation?array<i64> "
   "window_reversal?array<i1> dimension_numbers!#stablehlo.conv feature_group_count!i64>=1 "
   "batch_group_count!i64>=1 precision_config?[#stablehlo.precision]"),
  "chlo.broadcast_add: broadcast_dimensions?array<i64>",
  "chlo.broadcast_atan2: broadcast_dimensions?array<i64>",
  "chlo.broadcast_divide: broadcast_dimensions?array<i64>",
  "chlo.broadcast_maximum: broadcast_dimensions?array<i64>",
  "chlo.broadcast_minimum: broadcast_dimensions?array<i64>",
  "chlo.broadcast_multiply: broadcast_dimensions?array<i64>",
  "chlo.broadcast_next_after: broadcast_dimensions?array<i64>",
  "chlo.broadcast_polygamma: broadcast_dimensions?array<i64>",
  "chlo.broadcast_power: broadcast_dimensions?array<i64>",
  "chlo.broadcast_remainder: broadcast_dimensions?array<i64>",
  "chlo.broadcast_shift_left: broadcast_dimensions?array<i64>",
  "chlo.broadcast_shift_right_arithmetic: broadcast_dimensions?array<i64>",
  "chlo.broadcast_shift_right_logical: broadcast_dimensions?array<i64>",
  "chlo.broadcast_subtract: broadcast_dimensions?array<i64>",
  "chlo.broadcast_zeta: broadcast_dimensions?array<i64>",
  "chlo.broadcast_and: broadcast_dimensions?array<i64>",
  "chlo.broadcast_or: broadcast_dimensions?array<i64>",
  "chlo.broadcast_xor: broadcast_dimensions?array<i64>",
  "chlo.broadcast_complex: broadcast_dimensions?array<i64>",
  "chlo.constant: value!elements",
  "chlo.constant_like: value!typed",
  ("chlo.broadcast_compare: broadcast_dimensions?array<i64> comparison_direction!#chlo.comparison_direction "
   "compare_type?#chlo.comparison_type"),
  "chlo.ragged_dot: ragged_dot_dimension_numbers!#chlo.ragged_dot precision_config?[#chlo.precision]",
  "chlo.top_k: k!i64 is_stable=bool",
  ("chlo.scan: dimension!i64>=0 scan_dim_size?i64>=0 is_reverse=bool is_associative?bool "
   "operandSegmentSizes?array<i32> resultSegmentSizes?array<i32>"),
  "interpreter.run_parallel: infeed?[symbol] programs![[symbol]]",
  "interpreter.probe: probe_id!string",
  "check.expect_almost_eq_const: value!elements tolerance=f64",
  "check.expect_almost_eq: tolerance=f64",
  "check.expect_eq_const: value!elements",
  "check.expect_close: max_ulp_difference=ui64 min_ulp_difference=ui64",
  "check.expect_serialized_eq: probe_id!string iteration=ui32",
  "arith.constant: value!typed",
  "shape.const_shape: shape!elements",
  "shape.broadcast: error?string",
  "sdy.mesh: sym_name!string mesh!any",
  "sdy.sharding_constraint: sharding!any",
  "sdy.sharding_group: group_id!i64",
  "sdy.manual_computation: in_shardings!any out_shardings!any manual_axes!any",
};

static const char *const words[] = {
  [GHLO_IR_KIND_ANY] = "any",
  [GHLO_IR_KIND_UNIT] = "unit",
  [GHLO_IR_KIND_BOOL] = "bool",
  [GHLO_IR_KIND_I32] = "i32",
  [GHLO_IR_KIND_I64] = "i64",
  [GHLO_IR_KIND_UI32] = "ui32",
  [GHLO_IR_KIND_UI64] = "ui64",
  [GHLO_IR_KIND_F32] = "f32",
  [GHLO_IR_KIND_F64] = "f64",
  [GHLO_IR_KIND_STRING] = "string",
  [GHLO_IR_KIND_SYMBOL] = "symbol",
  [GHLO_IR_KIND_SYMBOLS] = "[symbol]",
  [GHLO_IR_KIND_SYMBOL_ARRAYS] = "[[symbol]]",
  [GHLO_IR_KIND_TYPE] = "type",
  [GHLO_IR_KIND_ARRAY] = "[any]",
  [GHLO_IR_KIND_DICTIONARY] = "dictionary",
  [GHLO_IR_KIND_DICTIONARIES] = "[dictionary]",
  [GHLO_IR_KIND_STRING_OR_DICTIONARY] = "string|dictionary",
  [GHLO_IR_KIND_ELEMENTS] = "elements",
  [GHLO_IR_KIND_I64_ELEMENTS] = "elements<i64>",
  [GHLO_IR_KIND_INDEX_VECTORS] = "[elements<index>]",
  [GHLO_IR_KIND_INDEX_VECTOR_ARRAYS] = "[[elements<index>]]",
  [GHLO_IR_KIND_TYPED] = "typed",
  [GHLO_IR_KIND_I32_ARRAY] = "array<i32>",
  [GHLO_IR_KIND_I64_ARRAY] = "array<i64>",
  [GHLO_IR_KIND_BOOL_ARRAY] = "array<i1>",
  [GHLO_IR_KIND_REPLICA_GROUPS] = "elements<i64>|#stablehlo.replica_group_mesh_axes",
};

static char *
describe_type (const GhloIrAttrSpec *spec)
{
  const GhloIrEnumSpec *words_of = &ghlo_ir_enum_specs[spec->detail];
  const GhloIrStructSpec *fields_of = &ghlo_ir_struct_specs[spec->detail];

  switch (spec->kind)
    {
    case GHLO_IR_KIND_ENUM:
      return g_strdup_printf ("#%s.%s", words_of->dialect, words_of->mnemonic);
    case GHLO_IR_KIND_ENUMS:
      return g_strdup_printf ("[#%s.%s]", words_of->dialect, words_of->mnemonic);
    case GHLO_IR_KIND_STRUCT:
      return g_strdup_printf ("#%s.%s", fields_of->dialect, fields_of->mnemonic);
    case GHLO_IR_KIND_STRUCTS:
      return g_strdup_printf ("[#%s.%s]", fields_of->dialect, fields_of->mnemonic);
    default:
      return g_strdup (words[spec->kind]);
    }
}

static char *
describe (const GhloIrOpSpec *spec)
{
  GString *text = g_string_new (spec->name);

  g_string_append_c (text, ':');
  for (guint i = 0; i < spec->n_attributes; i++)
    {
      const GhloIrAttrSpec *attr = &spec->attributes[i];
      g_autofree char *type = describe_type (attr);

      g_string_append_printf (text, " %s%c%s", attr->name, "!?="[attr->presence], type);
      if (attr->minimum != G_MININT64)
        g_string_append_printf (text, ">=%" G_GINT64_FORMAT, attr->minimum);
    }

  return g_string_free (text, FALSE);
}

static void
test_rows (void)
{
  guint row = 0;

  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    if (ghlo_ir_op_spec (kind)->n_attributes > 0)
      {
        g_autofree char *found = describe (ghlo_ir_op_spec (kind));

        g_assert_cmpuint (row, <, G_N_ELEMENTS (expected));
        g_assert_cmpstr (found, ==, expected[row++]);
      }
  g_assert_cmpuint (row, ==, G_N_ELEMENTS (expected));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/attribute-types/rows", test_rows);

  return g_test_run ();
}
