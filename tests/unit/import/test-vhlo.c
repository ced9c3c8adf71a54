/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's operations: downgrading to each version of each operation and upgrading again gives the same operation; an
 * operation that a version cannot represent is refused with an error that names the version that can.
 */

#include <string.h>

#include "../count-allocations.h"
#include "import/vhlo/table.h"

static GhloIrModule *
parse (const char *text,
       gsize       length)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, length);
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = ghlo_import_text (text, length, GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);
  g_assert_nonnull (module);

  return module;
}

/* Calls @each for @op and the operations inside. */
static void
walk (const GhloIrOp *op,
      void          (*each) (const GhloIrOp *op, gpointer data),
      gpointer        data)
{
  for (guint i = 0; i < op->n_regions; i++)
    for (GhloIrBlock *block = op->regions[i].first; block != NULL; block = block->next)
      for (GhloIrOp *inner = block->first; inner != NULL; inner = inner->next)
        walk (inner, each, data);
  each (op, data);
}

/* Every row with versions has them here under names that lead back, with attributes in order. */
static void
test_table (void)
{
  guint n_found = 0;

  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
      const GhloVhloOp *versions;
      guint n;

      g_assert_cmpint (ghlo_vhlo_has_op (kind), ==, spec->n_versions > 0);
      versions = ghlo_vhlo_versions (kind, &n);
      g_assert_cmpuint (n, ==, spec->n_versions);
      for (guint i = 0; i < n; i++)
        {
          const GhloVhloOp *found = ghlo_vhlo_op_find (ghlo_vhlo_op_name (&versions[i]));
          const char *const *attributes;
          guint n_attributes;

          g_assert_true (found == &versions[i] || kind == GHLO_OP_FUNC_RETURN);
          attributes = ghlo_vhlo_op_attributes (&versions[i], &n_attributes);
          for (guint j = 1; j < n_attributes; j++)
            g_assert_cmpstr (attributes[j - 1], <, attributes[j]);
          n_found++;
        }
    }
  g_assert_cmpuint (n_found, ==, 146);
}

static void
test_names (void)
{
  static const char *const wrong[] = {
    "", "_v1", "add", "add_v", "add_v0", "add_v2", "add_v01", "add_v1 ", "add_v1_v1", "Add_v1", "stablehlo.add_v1",
    "module_v1", "func.func_v1", "func_v2", "constant", "sharding_constraint_v1",
    "a_name_that_is_longer_than_any_that_an_operation_of_vhlo_has_v1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    g_assert_null (ghlo_vhlo_op_find (wrong[i]));
}

/* The lists that are least like the rows of ours. */
static void
test_attributes (void)
{
  static const struct
  {
    const char *op, *attributes;
  } lists[] = {
    { "add_v1", "" },
    { "return_v1", "" },
    { "call_v1", "callee" },
    { "func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility" },
    { "exponential_v1", "" },
    { "exponential_v2", "result_accuracy" },
    { "cross-replica-sum_v1", "replica_groups" },
    { "all_reduce_v2", "channel_id replica_groups use_global_device_ids" },
    { "collective_broadcast_v1", "channel_id replica_groups" },
    { "collective_broadcast_v2", "channel_id has_dynamic_root replica_groups" },
    { "recv_v1", "channel_id channel_type is_host_transfer" },
    { "recv_v2", "channel_id channel_type is_host_transfer source_target_pairs" },
    { "gather_v1", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes "
      "start_index_map" },
    { "gather_v2", "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
      "slice_sizes start_index_map start_indices_batching_dims" },
    { "scatter_v1", "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims "
      "unique_indices update_window_dims" },
    { "dot_general_v1", "lhs_batching_dimensions lhs_contracting_dimensions precision_config "
      "rhs_batching_dimensions rhs_contracting_dimensions" },
    { "dot_general_v2", "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count "
      "lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config "
      "rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type" },
    { "dynamic_conv_v1", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
      "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
      "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
      "output_spatial_dimensions padding precision_config rhs_dilation window_reversal window_strides" },
    { "dynamic_conv_v2", "batch_group_count feature_group_count input_batch_dimension input_feature_dimension "
      "input_spatial_dimensions kernel_input_feature_dimension kernel_output_feature_dimension "
      "kernel_spatial_dimensions lhs_dilation output_batch_dimension output_feature_dimension "
      "output_spatial_dimensions precision_config rhs_dilation window_reversal window_strides" },
    { "custom_call_v1", "api_version backend_config call_target_name called_computations has_side_effect "
      "operand_layouts output_operand_aliases result_layouts" },
    { "custom_call_v2", "api_version backend_config call_target_name called_computations has_side_effect "
      "operand_layouts output_operand_aliases result_layouts result_tilings" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      const GhloVhloOp *op = ghlo_vhlo_op_find (lists[i].op);
      g_autoptr (GString) list = g_string_new (NULL);
      const char *const *attributes;
      guint n;

      g_assert_nonnull (op);
      attributes = ghlo_vhlo_op_attributes (op, &n);
      for (guint j = 0; j < n; j++)
        g_string_append_printf (list, "%s%s", j > 0 ? " " : "", attributes[j]);
      g_assert_cmpstr (list->str, ==, lists[i].attributes);
    }
}

typedef struct
{
  GhloIrModule *module;
  guint         seen[GHLO_N_OPS];   /* bits of the versions that were tried and can represent the operation */
} Coverage;

/* Converts VHLO's @values to the attributes of @op, in the row's order. */
static void
upgrade (GhloIrModule      *module,
         const GhloIrOp    *op,
         const GhloVhloOp  *version,
         GPtrArray         *values,
         const GhloIrAttr **attributes)
{
  g_autoptr (GArray) list = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));
  g_autoptr (GError) error = NULL;
  GhloImportMemo memo = { 0 };
  GhloIrOpKind kind;

  ghlo_vhlo_upgrade (version, module, &memo, (const GhloIrAttr *const *) values->pdata,
                     op->kind == GHLO_OP_FUNC_RETURN, &kind, list, &error);
  ghlo_import_memo_clear (&memo);
  g_assert_no_error (error);
  g_assert_cmpint (kind, ==, op->kind);
  for (guint i = 0; i < list->len; i++)
    {
      const GhloIrNamedAttr *entry = &g_array_index (list, GhloIrNamedAttr, i);
      const GhloIrOpSpec *spec = ghlo_ir_op_get_spec (op);
      guint place = 0;

      while (place < spec->n_attributes && strcmp (spec->attributes[place].name, entry->name) != 0)
        place++;
      g_assert_cmpuint (place, <, spec->n_attributes);
      g_assert_null (attributes[place]);
      attributes[place] = entry->value;
    }
}

static void
check_version (Coverage         *coverage,
               const GhloIrOp   *op,
               const GhloVhloOp *version,
               guint             bit)
{
  const GhloIrAttr *attributes[16] = { NULL };
  g_autoptr (GPtrArray) values = g_ptr_array_new (), again = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  GhloIrOp copy = *op;

  if (ghlo_vhlo_downgrade (op, coverage->module, version->since, values, &error) == NULL)
    {
      /* Programs use features that old versions lack. */
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, " needs StableHLO "));
      return;
    }
  g_assert_cmpuint (values->len, ==, version->n_attributes);
  upgrade (coverage->module, op, version, values, attributes);

  /* An attribute of the operation is restored, or it had the value that its absence means. */
  for (guint i = 0; i < ghlo_ir_op_get_spec (op)->n_attributes; i++)
    if (attributes[i] != op->attributes[i])
      g_assert_null (attributes[i]);
  copy.attributes = attributes;
  g_assert_true (ghlo_vhlo_downgrade (&copy, coverage->module, version->since, again, &error)
                 == ghlo_vhlo_op_find (version->name));
  g_assert_no_error (error);
  coverage->seen[op->kind] |= 1u << bit;
}

static void
check_versions (const GhloIrOp *op,
                gpointer        data)
{
  const GhloVhloOp *versions;
  guint n;

  versions = ghlo_vhlo_versions (op->kind, &n);
  for (guint i = 0; i < n; i++)
    check_version (data, op, &versions[i], i);
}

static void
check_file (const char *path,
            Coverage   *coverage)
{
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  module = coverage->module = parse (text, length);
  walk (module->op, check_versions, coverage);
}

/* Every version of every operation, on programs that contain all operations. */
static void
test_round_trip (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "programs", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  Coverage coverage = { 0 };
  const char *name;
  guint missing = 0;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".mlir"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        check_file (path, &coverage);
      }

  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const GhloVhloOp *versions;
      guint n;

      versions = ghlo_vhlo_versions (kind, &n);
      for (guint i = 0; i < n; i++)
        if ((coverage.seen[kind] & 1u << i) == 0)
          {
            g_test_message ("no program has %s", ghlo_vhlo_op_name (&versions[i]));
            missing++;
          }
    }
  g_assert_cmpuint (missing, ==, 0);
}

/* The operations of StableHLO and func of a program of one function. */
typedef struct
{
  const char *name;
  const char *arguments, *body;   /* of @main, which returns nothing */
  const char *target;
  const char *message;            /* NULL when every operation can be written */
} Case;

#define CONFIG(text) "stablehlo.custom_call @f(%a) {" text "} : (tensor<2xf32>) -> ()"
#define GROUPS "replica_groups = dense<0> : tensor<1x1xi64>"
#define ADDER "({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.add %x, %y : tensor<f32> " \
              "stablehlo.return %s : tensor<f32> })"
#define WIDE_ADDER "({ ^bb0(%x: tensor<f64>, %y: tensor<f64>): %s = stablehlo.add %x, %y : tensor<f64> " \
                   "stablehlo.return %s : tensor<f64> })"

static const Case cases[] = {
  /* Operations by themselves. */
  { "op/new", "%a: tensor<2xf32>", "%0 = stablehlo.tan %a : tensor<2xf32>", "1.3.0",
    "stablehlo.tan needs StableHLO 1.4.0, the target is 1.3.0" },
  { "op/new-enough", "%a: tensor<2xf32>", "%0 = stablehlo.tan %a : tensor<2xf32>", "1.4.0", NULL },
  { "op/patch", "%a: tensor<2xf32>", "%0 = stablehlo.tan %a : tensor<2xf32>", "1.3.9",
    "stablehlo.tan needs StableHLO 1.4.0, the target is 1.3.0" },
  { "op/oldest", "%a: tensor<2xf32>", "%0 = stablehlo.tanh %a : tensor<2xf32>", "0.9.0", NULL },
  { "op/composite", "%a: tensor<2xf32>",
    "stablehlo.composite \"a.b\" %a {decomposition = @main} : (tensor<2xf32>) -> ()", "0.18.0",
    "stablehlo.composite needs StableHLO 0.19.0, the target is 0.18.0" },
  { "op/foreign", "%a: tensor<2xf32>", "%0 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>", "1.20.0",
    "chlo.erf cannot be part of a portable artifact: VHLO has no such operation" },

  /* Attributes that were added later. */
  { "attribute/accuracy", "%a: tensor<2xf32>",
    "%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = "
    "#stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2xf32>", "1.8.0",
    "stablehlo.exponential needs StableHLO 1.9.0, the target is 1.8.0: its attribute 'result_accuracy'" },
  { "attribute/accuracy-default", "%a: tensor<2xf32>",
    "%0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = "
    "#stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2xf32>", "1.8.0", NULL },
  { "attribute/batching", "%a: tensor<2x3xf32>, %i: tensor<2x1xi32>",
    "%0 = \"stablehlo.gather\"(%a, %i) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], "
    "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, "
    "slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2xf32>", "1.0.0",
    "stablehlo.gather needs StableHLO 1.1.0, the target is 1.0.0: its attribute 'operand_batching_dims'" },
  { "attribute/algorithm", "%a: tensor<2x2xf32>",
    "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, "
    "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
    "num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
    "tensor<2x2xf32>", "1.5.0",
    "stablehlo.dot_general needs StableHLO 1.6.0, the target is 1.5.0: its attribute 'algorithm'" },
  { "attribute/pairs", "%a: tensor<2xf32>, %t: !stablehlo.token",
    "%0 = \"stablehlo.send\"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, "
    "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>, !stablehlo.token) -> "
    "!stablehlo.token", "1.11.0",
    "stablehlo.send needs StableHLO 1.12.0, the target is 1.11.0: its attribute 'source_target_pairs'" },
  { "attribute/tilings", "%a: tensor<2xf32>", CONFIG ("result_tilings = [[dense<2> : tensor<1xindex>]]"), "1.17.0",
    "stablehlo.custom_call needs StableHLO 1.18.0, the target is 1.17.0: its attribute 'result_tilings'" },
  { "attribute/dynamic-root", "%a: tensor<2xf32>, %r: tensor<1xi64>",
    "%0 = \"stablehlo.collective_broadcast\"(%a, %r) {" GROUPS ", has_dynamic_root} : (tensor<2xf32>, "
    "tensor<1xi64>) -> tensor<2xf32>", "1.19.0",
    "stablehlo.collective_broadcast needs StableHLO 1.20.0, the target is 1.19.0: it has 2 operands" },

  /* Contents of attributes. */
  { "value/mesh-axes", "%a: tensor<2xf32>",
    "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, replica_groups = "
    "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\">]>} : (tensor<2xf32>) -> "
    "tensor<4xf32>", "1.15.0",
    "stablehlo.all_gather needs StableHLO 1.16.0, the target is 1.15.0: the attribute "
    "#stablehlo.replica_group_mesh_axes<" },
  { "value/constant", "",
    "%0 = stablehlo.constant dense<1.0> : tensor<2xf8E3M4>", "1.6.0",
    "stablehlo.constant needs StableHLO 1.7.0, the target is 1.6.0: the type f8E3M4" },
  { "value/config", "%a: tensor<2xf32>", CONFIG ("backend_config = {a = 1 : i64}"), "1.2.0",
    "stablehlo.custom_call needs StableHLO 1.3.0, the target is 1.2.0: its backend_config is a dictionary" },
  { "value/config-text", "%a: tensor<2xf32>", CONFIG ("backend_config = \"a\""), "0.9.0", NULL },
  { "value/interface", "%a: tensor<2xf32>", CONFIG ("api_version = 4 : i32"), "1.2.0",
    "stablehlo.custom_call needs StableHLO 1.3.0, the target is 1.2.0: its api_version is API_VERSION_TYPED_FFI" },
  { "value/discardable", "%a: tensor<2xf32>", "%0 = stablehlo.abs %a {a.b = [f8E4M3]} : tensor<2xf32>", "1.6.0",
    "stablehlo.abs needs StableHLO 1.7.0, the target is 1.6.0: the type f8E4M3, in its attribute 'a.b'" },
  { "value/discardable-unit", "%a: tensor<2xf32>", "%0 = stablehlo.abs %a {a.b} : tensor<2xf32>", "1.10.0",
    "stablehlo.abs needs StableHLO 1.11.0, the target is 1.10.0: the attribute unit, in its attribute 'a.b'" },
  { "value/discardable-mixed", "%a: tensor<2xf32>", "%0 = stablehlo.abs %a {a.b} : tensor<2xf32>", "1.11.0", NULL },
  { "value/discardable-none", "%a: tensor<2xf32>", "%0 = stablehlo.abs %a {a.b = 3 : i3} : tensor<2xf32>", "1.20.0",
    "stablehlo.abs cannot be part of a portable artifact: the attribute 3 : i3, in its attribute 'a.b'" },

  /* Types. */
  { "type/result", "%a: tensor<2xf32>", "%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf4E2M1FN>", "1.7.0",
    "stablehlo.convert needs StableHLO 1.8.0, the target is 1.7.0: the type f4E2M1FN" },
  { "type/operand", "%a: tensor<2xui2>", "%0 = stablehlo.convert %a : (tensor<2xui2>) -> tensor<2xi32>", "1.1.0",
    "stablehlo.convert needs StableHLO 1.2.0, the target is 1.1.0: the type ui2" },
  { "type/function", "%a: tensor<2xf8E4M3B11FNUZ>", "", "0.10.0",
    "func.func needs StableHLO 0.11.0, the target is 0.10.0: the type f8E4M3B11FNUZ" },
  { "type/quantized-axis", "%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>", "", "0.17.0",
    "func.func needs StableHLO 0.18.0, the target is 0.17.0: the type !quant.uniform<i8:f32:0" },
  { "type/quantized-storage", "%a: tensor<2x!quant.uniform<u2:f32, 1.0>>", "", "1.1.0",
    "func.func needs StableHLO 1.2.0, the target is 1.1.0: the type i2" },
  { "type/quantized", "%a: tensor<2x!quant.uniform<i4:f32, 1.0>>", "", "0.9.0", NULL },
  { "type/tuple", "%a: tuple<tensor<2xf32>, tensor<2xf8E8M0FNU>>", "", "1.7.0",
    "func.func needs StableHLO 1.8.0, the target is 1.7.0: the type f8E8M0FNU" },
  { "type/buffer", "%a: memref<2xf32>", "stablehlo.custom_call @f(%a) : (memref<2xf32>) -> ()", "1.12.0",
    "stablehlo.custom_call needs StableHLO 1.13.0, the target is 1.12.0: the type memref<2xf32>" },
  { "type/other-dialect", "%a: !a.b", "", "1.10.0",
    "func.func needs StableHLO 1.11.0, the target is 1.10.0: the type !a.b" },
  { "type/unknown", "%a: tensor<2xi3>", "", "1.20.0", "func.func cannot be part of a portable artifact: the type i3" },

  /* Rules that changed. */
  { "rule/operands", "%a: tensor<2xf32>",
    "%0:2 = \"stablehlo.all_reduce\"(%a, %a) " ADDER " {" GROUPS "} : (tensor<2xf32>, tensor<2xf32>) -> "
    "(tensor<2xf32>, tensor<2xf32>)", "1.4.0",
    "stablehlo.all_reduce needs StableHLO 1.5.0, the target is 1.4.0: it has 2 operands" },
  { "rule/promotion", "%a: tensor<2xf32>, %b: tensor<f32>",
    "%0 = \"stablehlo.reduce\"(%a, %b) " WIDE_ADDER " {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> "
    "tensor<f64>", "0.16.0",
    "stablehlo.reduce needs StableHLO 0.17.0, the target is 0.16.0: its results have other element types than its "
    "operands" },
  { "rule/no-promotion", "%a: tensor<2xf32>, %b: tensor<f32>",
    "%0 = \"stablehlo.reduce\"(%a, %b) " ADDER " {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> "
    "tensor<f32>", "0.9.0", NULL },
  { "rule/future", "%a: !stablehlo.future<tensor<2xf32>>",
    "stablehlo.custom_call @f(%a) : (!stablehlo.future<tensor<2xf32>>) -> ()", "1.16.0",
    "stablehlo.custom_call needs StableHLO 1.17.0, the target is 1.16.0: an operand is a future" },
  { "rule/regions", "%a: tensor<f32>",
    "\"stablehlo.composite\"(%a) " ADDER " {name = \"a.b\", decomposition = @main} : (tensor<f32>) -> ()",
    "1.13.0", "stablehlo.composite needs StableHLO 1.14.0, the target is 1.13.0: it has regions" },
};

typedef struct
{
  GhloIrModule  *module;
  GhloIrVersion  target;
  GError        *error;   /* the first */
} Downgrade;

static void
downgrade_each (const GhloIrOp *op,
                gpointer        data)
{
  Downgrade *downgrade = data;
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  if (downgrade->error == NULL && op->kind != GHLO_OP_BUILTIN_MODULE)
    ghlo_vhlo_downgrade (op, downgrade->module, downgrade->target, values, &downgrade->error);
}

static GhloIrModule *
parse_function (const char *arguments,
                const char *body)
{
  g_autofree char *text = g_strdup_printf ("func.func @main(%s) { %s return }", arguments, body);

  return parse (text, strlen (text));
}

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GhloIrModule) module = parse_function (test->arguments, test->body);
  Downgrade downgrade = { .module = module };

  g_assert_true (ghlo_ir_version_parse (test->target, &downgrade.target));
  walk (module->op, downgrade_each, &downgrade);
  if (test->message == NULL)
    {
      g_assert_no_error (downgrade.error);
      return;
    }
  g_assert_error (downgrade.error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  if (!g_str_has_prefix (downgrade.error->message, test->message))
    g_assert_cmpstr (downgrade.error->message, ==, test->message);
  g_error_free (downgrade.error);
}

/* The first operation of the function. */
static GhloIrOp *
first_op (GhloIrModule *module)
{
  return ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->first;
}

#define CONV "%0 = \"stablehlo.convolution\"(%a, %b) {dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x[o, i, 0, 1]->" \
             "[b, f, 0, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x1x4x4xf32>, " \
             "tensor<1x1x2x2xf32>) -> tensor<1x1x3x3xf32>"
#define DYNAMIC_CONV "%0 = \"stablehlo.dynamic_conv\"(%a, %b, %p) {dimension_numbers = #stablehlo.conv<[b, f, 0, 1]x" \
                     "[o, i, 0, 1]->[b, f, 0, 1]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : " \
                     "(tensor<1x1x4x4xf32>, tensor<1x1x2x2xf32>, tensor<2x2xi64>) -> tensor<1x1x3x3xf32>"
#define IMAGES "%a: tensor<1x1x4x4xf32>, %b: tensor<1x1x2x2xf32>"

/* VHLO's values for attributes that an operation omits, and for attributes of other kinds in the library. */
static const struct
{
  const char *arguments, *body, *version, *attribute, *value;
} values[] = {
  { IMAGES, CONV, "1.20.0", "window_strides", "array<i64: 1, 1>" },
  { IMAGES, CONV, "1.20.0", "padding", "dense<0> : tensor<2x2xi64>" },
  { IMAGES, CONV, "1.20.0", "window_reversal", "array<i1: false, false>" },
  { IMAGES, CONV, "1.20.0", "precision_config", "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]" },
  { IMAGES, CONV, "1.20.0", "kernel_input_feature_dimension", "1 : i64" },
  { IMAGES, CONV, "1.20.0", "output_spatial_dimensions", "array<i64: 2, 3>" },
  { IMAGES ", %p: tensor<2x2xi64>", DYNAMIC_CONV, "0.19.0", "padding", "dense<0> : tensor<2x2xi64>" },
  { "%a: tensor<2x2xf32>", "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, "
    "tensor<2x2xf32>) -> tensor<2x2xf32>", "1.6.0", "num_primitive_operations", "none" },
  { "%a: tensor<2x2xf32>", "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, "
    "tensor<2x2xf32>) -> tensor<2x2xf32>", "1.6.0", "lhs_batching_dimensions", "array<i64>" },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "backend_config", "\"\"" },
  { "%a: tensor<2xf32>", CONFIG ("api_version = 4 : i32"), "1.20.0", "backend_config", "{}" },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "api_version", "1 : i32" },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "called_computations", "[]" },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "result_layouts", "[]" },
  { "%a: tensor<2xf32>", "stablehlo.composite \"a.b\" %a {decomposition = @main} : (tensor<2xf32>) -> ()", "1.20.0",
    "version", "0 : i64" },
  { "%a: tensor<2xf32>", "\"stablehlo.sort\"(%a) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %c = stablehlo.compare "
    "LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %c : tensor<i1> }) : (tensor<2xf32>) -> "
    "tensor<2xf32>", "1.20.0", "dimension", "-1 : i64" },
  { "%a: tensor<2xf32>", "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, " GROUPS ", channel_handle = "
    "#stablehlo.channel_handle<handle = 7, type = 1>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>",
    "1.20.0", "channel_id", "7 : i64" },
  { "%a: tensor<2xf32>", "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, " GROUPS ", channel_handle = "
    "#stablehlo.channel_handle<handle = 7, type = 1>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>",
    "1.20.0", "use_global_device_ids", "true" },
  { "%a: tensor<2xf32>, %s: tensor<1xi64>", "%0 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : "
    "(tensor<2xf32>, tensor<1xi64>) -> tensor<2xf32>", "1.20.0", "known_expanding_dimensions", "array<i64>" },
  { "%t: !stablehlo.token", "%0:2 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, "
    "type = 2>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)", "1.20.0", "channel_type", "2 : i64" },
  { "%t: !stablehlo.token", "%0:2 = \"stablehlo.recv\"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, "
    "type = 2>} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)", "1.20.0", "source_target_pairs",
    "array<i64>" },
};

static const GhloIrAttr **
find_value (const GhloVhloOp *version,
            GPtrArray        *list,
            const char       *attribute)
{
  for (guint i = 0; i < version->n_attributes; i++)
    if (strcmp (version->attributes[i], attribute) == 0)
      return (const GhloIrAttr **) &list->pdata[i];
  g_assert_not_reached ();
}

static const GhloVhloOp *
downgrade_first (GhloIrModule *module,
                 const char   *target,
                 GPtrArray    *list)
{
  g_autoptr (GError) error = NULL;
  const GhloVhloOp *version;
  GhloIrVersion number;

  g_assert_true (ghlo_ir_version_parse (target, &number));
  version = ghlo_vhlo_downgrade (first_op (module), module, number, list, &error);
  g_assert_no_error (error);

  return version;
}

static void
test_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (GhloIrModule) module = parse_function (values[i].arguments, values[i].body);
      g_autoptr (GPtrArray) list = g_ptr_array_new ();
      g_autoptr (GString) text = g_string_new (NULL);
      const GhloVhloOp *version = downgrade_first (module, values[i].version, list);

      ghlo_ir_attr_append (*find_value (version, list, values[i].attribute), text);
      g_assert_cmpstr (text->str, ==, values[i].value);
    }
}

/* Attributes of VHLO of a wrong kind, or that are omitted in the library. */
static const struct
{
  const char *arguments, *body, *version, *attribute, *value;
  const char *message;   /* NULL: it stands for an absent one */
} changes[] = {
  { "%a: tensor<2xf32>", "%0 = stablehlo.reverse %a, dims = [0] : tensor<2xf32>", "1.20.0", "dimensions",
    "dense<0> : tensor<1xi32>", "expected attribute 'dimensions' of vhlo.reverse_v1 to be a tensor of i64, found " },
  { IMAGES, CONV, "1.20.0", "feature_group_count", "0 : i64",
    "vhlo.convolution_v1: expected attribute 'feature_group_count' to be an integer of type i64, at least 1, found " },
  { IMAGES, CONV, "1.20.0", "input_batch_dimension", "\"a\"",
    "expected attribute 'input_batch_dimension' of vhlo.convolution_v1 to be an integer, found \"a\"" },
  { IMAGES, CONV, "1.20.0", "input_spatial_dimensions", "1 : i64",
    "expected attribute 'input_spatial_dimensions' of vhlo.convolution_v1 to be a tensor of i64, found 1 : i64" },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "called_computations", "[1]",
    "expected attribute 'called_computations' of vhlo.custom_call_v2 to be an array of names, found [1]" },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "has_side_effect", "1 : i64", "vhlo.custom_call_v2: expected " },
  { "", "func.call @main() : () -> ()", "1.20.0", "callee", "1 : i64",
    "expected attribute 'callee' of vhlo.call_v1 to be a name, found 1 : i64" },
  { "%a: tensor<2xf32>", "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, " GROUPS "} : "
    "(tensor<2xf32>) -> tensor<2xf32>", "1.20.0", "use_global_device_ids", "1 : i64",
    "expected attribute 'use_global_device_ids' of vhlo.all_gather_v2 to be true or false, found 1 : i64" },
  { "%a: tensor<2x2xf32>", "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, "
    "tensor<2x2xf32>) -> tensor<2x2xf32>", "1.6.0", "lhs_component_count", "1 : i64",
    "expected attribute 'rhs_component_count' of vhlo.dot_general_v2 to be an integer, found none" },
  { IMAGES, CONV, "1.20.0", "window_strides", "dense<1> : tensor<3xi64>", NULL },
  { IMAGES, CONV, "1.20.0", "precision_config", "[]", NULL },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "backend_config", "{}", NULL },
  { "%a: tensor<2xf32>", CONFIG (""), "1.20.0", "operand_layouts", "[]", NULL },
};

static void
test_changes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (GhloIrModule) module = parse_function (changes[i].arguments, changes[i].body);
      g_autoptr (GPtrArray) list = g_ptr_array_new ();
      g_autoptr (GArray) attributes = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));
      g_autoptr (GError) error = NULL;
      const GhloVhloOp *version = downgrade_first (module, changes[i].version, list);
      const GhloIrAttr *value = ghlo_import_attribute (module, changes[i].value, &error);
      GhloImportMemo memo = { 0 };
      GhloIrOpKind kind;
      gboolean ok;

      g_assert_no_error (error);
      *find_value (version, list, changes[i].attribute) = value;
      ok = ghlo_vhlo_upgrade (version, module, &memo, (const GhloIrAttr *const *) list->pdata, FALSE, &kind,
                              attributes, &error);
      ghlo_import_memo_clear (&memo);
      g_assert_cmpint (ok, ==, changes[i].message == NULL);
      if (!ok)
        {
          g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
          if (!g_str_has_prefix (error->message, changes[i].message))
            g_assert_cmpstr (error->message, ==, changes[i].message);
          continue;
        }
      for (guint j = 0; j < attributes->len; j++)
        g_assert_cmpstr (g_array_index (attributes, GhloIrNamedAttr, j).name, !=, changes[i].attribute);
    }
}

/* Conversions of attributes are cached, however large these are: the second time nothing is made. */
static void
test_cached (void)
{
  static const char *const programs[] = {
    "stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>",
    "stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
    "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
  };

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (GhloIrModule) module = parse_function ("%a: tensor<2x2xf32>", programs[i]);
      g_autoptr (GPtrArray) list = g_ptr_array_new ();
      g_autoptr (GArray) attributes = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));
      g_autoptr (GError) error = NULL;
      const GhloVhloOp *version = downgrade_first (module, "1.20.0", list);
      GhloImportMemo memo = { 0 };
      guint n_allocations = 0;
      GhloIrOpKind kind;

      for (guint round = 0; round < 2; round++)
        {
          g_array_set_size (attributes, 0);
          n_allocations = count_own_allocations ();
          ghlo_vhlo_upgrade (version, module, &memo, (const GhloIrAttr *const *) list->pdata, FALSE, &kind,
                             attributes, &error);
          n_allocations = count_own_allocations () - n_allocations;
          g_assert_no_error (error);
        }
      g_assert_cmpuint (n_allocations, ==, 0);
      ghlo_import_memo_clear (&memo);
    }
}

/* A single layout list is kept, even if empty; two empty ones are dropped. */
static void
test_layouts (void)
{
  g_autoptr (GhloIrModule) module = parse_function ("%a: tensor<2xf32>", CONFIG (""));
  g_autoptr (GPtrArray) list = g_ptr_array_new ();
  g_autoptr (GArray) attributes = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));
  g_autoptr (GError) error = NULL;
  const GhloVhloOp *version = downgrade_first (module, "1.20.0", list);
  GhloImportMemo memo = { 0 };
  GhloIrOpKind kind;

  *find_value (version, list, "operand_layouts") =
    ghlo_import_attribute (module, "[dense<0> : tensor<1xindex>]", &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_vhlo_upgrade (version, module, &memo, (const GhloIrAttr *const *) list->pdata, FALSE, &kind,
                                    attributes, &error));
  ghlo_import_memo_clear (&memo);
  g_assert_cmpuint (attributes->len, ==, 3);
  g_assert_cmpstr (g_array_index (attributes, GhloIrNamedAttr, 0).name, ==, "call_target_name");
  g_assert_cmpstr (g_array_index (attributes, GhloIrNamedAttr, 1).name, ==, "operand_layouts");
  g_assert_cmpstr (g_array_index (attributes, GhloIrNamedAttr, 2).name, ==, "result_layouts");
}

static void
test_extra (void)
{
  const GhloIrOpSpec *spec = ghlo_ir_op_spec (GHLO_OP_FUNC_FUNC);

  for (guint i = 0; i < spec->n_attributes; i++)
    g_assert_cmpint (ghlo_vhlo_is_extra (GHLO_OP_FUNC_FUNC, i), ==,
                     strcmp (spec->attributes[i].name, "no_inline") == 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vhlo/table", test_table);
  g_test_add_func ("/vhlo/names", test_names);
  g_test_add_func ("/vhlo/attributes", test_attributes);
  g_test_add_func ("/vhlo/round-trip", test_round_trip);
  g_test_add_func ("/vhlo/values", test_values);
  g_test_add_func ("/vhlo/changes", test_changes);
  g_test_add_func ("/vhlo/layouts", test_layouts);
  g_test_add_func ("/vhlo/cached", test_cached);
  g_test_add_func ("/vhlo/extra", test_extra);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/vhlo/downgrade/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }

  return g_test_run ();
}
