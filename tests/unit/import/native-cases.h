/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Attributes in their dialects' own encodings, for the tests of reading and writing: the text, the bytes in hex, and
 * what the indices in the bytes refer to.
 */

#pragma once

#include <string.h>

#include "import/bytecode/bytecode.h"

enum { MAX_PARTS = 4 };

typedef struct
{
  const char *text;
  const char *bytes;
  const char *attrs[MAX_PARTS];
  const char *strings[MAX_PARTS];
  const char *types[MAX_PARTS];
} Case;

static const Case stablehlo_cases[] = {
  { "#stablehlo.channel_handle<handle = 1, type = 0>", "030501", { 0 } },
  { "#stablehlo.channel_handle<handle = -1, type = 64>", "03030202", { 0 } },
  { "#stablehlo<comparison_direction LE>", "0509", { 0 } },
  { "#stablehlo<comparison_type TOTALORDER>", "0705", { 0 } },
  { "#stablehlo.conv<[b, f, 0]x[0, i, o]->[b, 0, f]>", "09010503090509030101090305", { 0 } },
  { "#stablehlo.dot<lhs_batching_dimensions = [0], lhs_contracting_dimensions = [2, 1]>", "0b03010105090501", { 0 } },
  { "#stablehlo<fft_type IRFFT>", "0d07", { 0 } },
  { "#stablehlo.gather<offset_dims = [1], start_index_map = [0, 1], index_vector_dim = 1>",
    "0f030501010105010505", { 0 } },
  { "#stablehlo.gather<>", "0f010101010101", { 0 } },
  { "#stablehlo<precision HIGHEST>", "1105", { 0 } },
  { "#stablehlo<rng_algorithm PHILOX>", "1305", { 0 } },
  { "#stablehlo<rng_distribution NORMAL>", "1505", { 0 } },
  { "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>",
    "170103010101030109", { 0 } },
  { "#stablehlo<transpose ADJOINT>", "1907", { 0 } },
  { "#stablehlo.bounds<4, ?>", "1b051100ffffffffffffffff", { 0 } },
  { "#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 2, operand_tuple_indices = []>",
    "1d03050901", { 0 } },
  { "#stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32,"
    " lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3,"
    " allow_imprecise_accumulation = false>", "1f01010305050d00", { 0 }, { 0 }, { "tf32", "f32" } },
  { "#stablehlo<result_accuracy_mode TOLERANCE>", "2105", { 0 } },
  { "#stablehlo.result_accuracy<atol = 1.0, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>",
    "2300000000000000e07f010903", { "unit", "#stablehlo<result_accuracy_mode TOLERANCE>" } },
  { "#stablehlo.sub_axis_info<pre_size = 2, size = 4>", "270911", { 0 } },
  { "#stablehlo.axis_ref<name = \"x\">", "290100", { 0 }, { "x" } },
  { "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (2)4>", "29030101",
    { "#stablehlo.sub_axis_info<pre_size = 2, size = 4>" }, { "y", "x" } },
  { "#stablehlo.mesh_axis<name = \"x\", size = 2>", "2b0109", { 0 }, { "x" } },
  { "#stablehlo.mesh<axes = [<name = \"x\", size = 2>]>", "2d0100",
    { "[#stablehlo.mesh_axis<name = \"x\", size = 2>]" } },
  { "#stablehlo.mesh<axes = [<name = \"x\", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>", "2d010103",
    { "[#stablehlo.mesh_axis<name = \"x\", size = 2>]", "dense<[1, 0]> : tensor<2xi64>" } },
  { "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\">]>", "25030301",
    { "#stablehlo.axis_ref<name = \"x\">", "@m" } },
};

static const Case chlo_cases[] = {
  { "#chlo<comparison_direction GT>", "0107", { 0 } },
  { "#chlo<comparison_type UNSIGNED>", "0309", { 0 } },
};

static const Case sdy_cases[] = {
  { "#sdy<manual_axes{\"x\", \"y\"}>", "01050103", { "\"x\"", "\"y\"" } },
  { "#sdy<mesh_axis\"x\"=2>", "030109", { 0 }, { "x" } },
  { "#sdy.mesh<[\"x\"=2]>", "05030101", { "#sdy<mesh_axis\"x\"=2>" } },
  { "#sdy.mesh<[], device_ids=[3]>", "0501030d", { 0 } },
  { "#sdy<sub_axis_info(1)2>", "070509", { 0 } },
  { "#sdy<axis_ref\"x\">", "090101", { 0 }, { "x" } },
  { "#sdy<axis_ref\"x\":(1)2>", "090107", { "unit", "#sdy<sub_axis_info(1)2>" }, { "x" } },
  { "#sdy<dimension_sharding{}>", "0b010101", { 0 } },
  { "#sdy<dimension_sharding{\"x\", ?}p1>", "0b03010007", { "#sdy<axis_ref\"x\">" } },
  { "#sdy.sharding<@m, [{\"x\"}, {}], replicated={\"y\"}>", "0d010503050307",
    { "@m", "#sdy<dimension_sharding{\"x\"}>", "#sdy<dimension_sharding{}>", "#sdy<axis_ref\"y\">" } },
  { "#sdy.sharding<mesh<[\"x\"=2]>, []>", "0d010101", { "#sdy.mesh<[\"x\"=2]>" } },
  { "#sdy.sharding_per_value<[<@m, []>, <@m, []>]>", "0f050101", { "#sdy.sharding<@m, []>" } },
  { "#sdy<dim_mappingik>", "11050109", { 0 } },
  { "#sdy<tensor_mapping[i, k]>", "13050103", { "#sdy<dim_mappingi>", "#sdy<dim_mappingk>" } },
  { "#sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=4} reduction={j}, custom>", "1505211103010303030501010101",
    { "#sdy<tensor_mapping[i, j]>", "#sdy<tensor_mapping[i]>" } },
  { "#sdy<axis_ref_list{\"x\"}>", "170301", { "#sdy<axis_ref\"x\">" } },
  { "#sdy<list_of_axis_ref_lists[{\"x\"}, {}]>", "19050103",
    { "#sdy<axis_ref_list{\"x\"}>", "#sdy<axis_ref_list{}>" } },
  { "#sdy<all_to_all_param{\"x\"}: 0->1>", "1b03010105", { "#sdy<axis_ref\"x\">" } },
  { "#sdy<all_to_all_param_list[{\"x\"}: 0->1]>", "1d0301", { "#sdy<all_to_all_param{\"x\"}: 0->1>" } },
  { "#sdy.sharding<@m, [], unreduced={\"y\"}>", "1f0101010303", { "@m", "#sdy<axis_ref\"y\">" } },
  { "#sdy.sharding_per_value<[<@m, [], unreduced={\"y\"}>]>", "210301",
    { "#sdy.sharding<@m, [], unreduced={\"y\"}>" } },
  { "#sdy.sharding<@m, [], unreduced=min{\"y\"}>", "23010101030309", { "@m", "#sdy<axis_ref\"y\">" } },
};

static const struct
{
  const GhloBytecodeCodec *codec;
  const Case              *cases;
  guint                    n;
} native_cases[] = {
  { &ghlo_bytecode_stablehlo, stablehlo_cases, G_N_ELEMENTS (stablehlo_cases) },
  { &ghlo_bytecode_chlo, chlo_cases, G_N_ELEMENTS (chlo_cases) },
  { &ghlo_bytecode_sdy, sdy_cases, G_N_ELEMENTS (sdy_cases) },
};

static inline const GhloIrAttr *
make_attr (GhloIrModule *module,
           const char   *text)
{
  g_autoptr (GError) error = NULL;
  const GhloIrAttr *attr = ghlo_import_attribute (module, text, &error);

  g_assert_no_error (error);

  return attr;
}

static inline const GhloIrType *
make_type (GhloIrModule *module,
           const char   *text)
{
  g_autoptr (GError) error = NULL;
  const GhloIrType *type = ghlo_import_type (module, text, &error);

  g_assert_no_error (error);

  return type;
}

static inline GBytes *
make_bytes (const char *hex)
{
  gsize n = strlen (hex) / 2;
  guint8 *bytes = g_malloc (n + 1);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8) (g_ascii_xdigit_value (hex[2 * i]) << 4 | g_ascii_xdigit_value (hex[2 * i + 1]));

  return g_bytes_new_take (bytes, n);
}
