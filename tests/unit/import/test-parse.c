/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The text importer: types, attributes, constants in every spelling, names, scopes, locations, aliases, resources, and
 * errors with their positions.
 */

#include <math.h>
#include <string.h>

#include "import/import.h"
#include "ir/assembly.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

static GhloIrModule *
parse (const char       *text,
       GhloDiagnostics **diagnostics)
{
  *diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));

  return ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, *diagnostics, NULL);
}

static GhloIrModule *
parse_good (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  GhloIrModule *module = parse (text, &diagnostics);

  if (module == NULL)
    {
      g_autofree char *message = ghlo_diagnostics_format (diagnostics, g_ptr_array_index (diagnostics->findings, 0));

      g_error ("%s", message);
    }
  g_assert_cmpuint (diagnostics->n_errors, ==, 0);

  return module;
}

/* @text is refused with @n errors, the first of which is at @line and contains @words. */
static void
check_bad (const char *text,
           guint       n,
           guint       line,
           const char *words)
{
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = parse (text, &diagnostics);
  const GhloFinding *finding;

  g_assert_null (module);
  for (guint i = 0; i < diagnostics->findings->len; i++)
    {
      finding = g_ptr_array_index (diagnostics->findings, i);
      g_test_message ("%u:%u: %s", finding->line, finding->column, finding->message);
    }
  g_assert_cmpuint (diagnostics->n_errors, ==, n);
  finding = g_ptr_array_index (diagnostics->findings, 0);
  g_assert_cmpuint (finding->line, ==, line);
  g_assert_nonnull (strstr (finding->message, words));
}

static void
check_type (const char *text,
            const char *expected)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  g_autoptr (GError) error = NULL;
  const GhloIrType *type = ghlo_import_type (module, text, &error);
  g_autofree char *printed = NULL;

  g_assert_no_error (error);
  printed = ghlo_ir_type_to_string (type);
  g_assert_cmpstr (printed, ==, expected != NULL ? expected : text);
  g_assert_true (ghlo_import_type (module, printed, &error) == type);
}

static void
check_bad_type (const char *text)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_import_type (module, text, &error));
  g_assert_nonnull (error);
}

static void
test_types (void)
{
  static const char *const same[] = {
    "f32", "i1", "index", "tf32", "f80", "i3", "si32", "ui7", "complex<f64>", "none", "tuple<>",
    "tensor<f32>", "tensor<2x3xf32>", "tensor<?x4xbf16>", "tensor<0x0x1xi4>", "tensor<*xf32>",
    "tensor<4xf8E4M3B11FNUZ>", "tensor<4xf4E2M1FN>", "tensor<2xcomplex<f32>>", "tensor<3xi10>",
    "tensor<?x?xf32, #stablehlo.bounds<4, ?>>", "tensor<2xf32, #sparse_tensor.encoding<{ a = (d0) -> (d0 : x) }>>",
    "memref<2x?xf32>", "!stablehlo.token", "!stablehlo.future<tensor<2xf32>, tensor<i1>>",
    "tuple<tensor<f32>, tuple<!stablehlo.token>>", "() -> ()", "(tensor<f32>, i1) -> tensor<f32>",
    "(f32) -> (f32, f32)", "((f32) -> f32) -> ((f32) -> f32)", "!shape.shape", "!foo.bar<a, [b -> \">\"]>",
  };

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    check_type (same[i], NULL);
  check_type ("tensor< 4 x ? x f32 >", "tensor<4x?xf32>");
  check_type ("tensor<0x4xf32>", "tensor<0x4xf32>");
  check_type ("tensor<?xf32, #stablehlo.type_extensions<bounds = [5]>>", "tensor<?xf32, #stablehlo.bounds<5>>");
  check_type ("!stablehlo<token>", "!stablehlo.token");
  check_type ("(tensor<f32>) -> (tensor<f32>)", "(tensor<f32>) -> tensor<f32>");
}

static void
test_bad_types (void)
{
  static const char *const bad[] = {
    "", "tensor", "tensor<", "tensor<4>", "tensor<4xf32", "tensor<4x>", "tensor<-1xf32>", "tensor<4xtensor<f32>>",
    "tensor<99999999999999999999xf32>", "tensor<4294967296x4294967296x4294967296xf32>", "f33", "i0", "vector<4xf32>",
    "complex<index>", "complex<tensor<f32>>", "tensor<4xf32, #stablehlo.bounds<5>>",
    "tensor<?x?xf32, #stablehlo.bounds<5>>", "!stablehlo.frob", "!stablehlo.future<i32>", "!undefined",
    "tensor<f32> tensor<f32>", "(f32) ->", "tensor<4xf32>>", "!foo.bar<(]>",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_bad_type (bad[i]);
}

static void
test_quantized (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const GhloIrType *type;

  type = ghlo_import_type (module, "tensor<2x3x!quant.uniform<u8<1:200>:f32:1, {0.5:3, 0.25, 1.0e-1:-7}>>", NULL);
  g_assert_nonnull (type);
  g_assert_cmpint (type->element_type, ==, GHLO_ELEMENT_TYPE_UI8);
  g_assert_cmpint (type->quantization->storage_min, ==, 1);
  g_assert_cmpint (type->quantization->storage_max, ==, 200);
  g_assert_cmpint (type->quantization->axis, ==, 1);
  g_assert_cmpuint (type->quantization->n_scales, ==, 3);
  g_assert_cmpfloat (type->quantization->scales[1], ==, 0.25);
  g_assert_cmpint (type->quantization->zero_points[0], ==, 3);
  g_assert_cmpint (type->quantization->zero_points[2], ==, -7);

  type = ghlo_import_type (module, "!quant.uniform<i8<-128:127>:f32, 2.0:15>", NULL);
  g_assert_nonnull (type);
  g_assert_cmpint (type->kind, ==, GHLO_IR_TYPE_QUANTIZED);
  g_assert_true (type == ghlo_import_type (module, "!quant.uniform<i8:f32, 2.0:15>", NULL));

  /* Storage types that MLIR has and StableHLO lacks are kept as written. */
  check_type ("!quant.uniform<si8:f32, 1.000000e+00>", NULL);
  check_type ("tensor<4x!quant.uniform<i3<-2:1>:f16, 0.5:7>>", NULL);
  check_type ("tensor<*x!quant.uniform<u1:f32:0, {0.5, 1.0:1}>>", NULL);
  check_type ("memref<2x!quant.uniform<si32:f32, 0.5>>", NULL);
  check_type ("tensor<2x!quant.uniform<u16:f32, 0.5>>", "tensor<2x!quant.uniform<ui16:f32, 5.000000e-01>>");

  check_bad_type ("!quant.uniform<i33:f32, 1.0>");
  check_bad_type ("!quant.uniform<s8:f32, 1.0>");
  check_bad_type ("!quant.uniform<8:f32, 1.0>");
  check_bad_type ("!quant.uniform<i08:f32, 1.0>");
  check_bad_type ("!quant.uniform<si8:i32, 1.0>");
  check_bad_type ("!quant.uniform<si8<-129:127>:f32, 1.0>");
  check_bad_type ("!quant.uniform<i8:f32, 0.0>");
  check_bad_type ("!quant.uniform<i8:f32, -1.0>");
  check_bad_type ("!quant.uniform<i4:f16, 4.960464e-08>");
  check_bad_type ("!quant.uniform<i8:f16, 1.0e+05>");
  check_bad_type ("!quant.uniform<i8<-129:127>:f32, 1.0>");
  check_bad_type ("!quant.uniform<i8<5:5>:f32, 1.0>");
  check_bad_type ("!quant.uniform<i8:i32, 1.0>");
  check_bad_type ("!quant.uniform<f32:f32, 1.0>");
  check_bad_type ("!quant.uniform<i8:f32:-1, {1.0}>");
  check_bad_type ("!quant.uniform<i8:f32:0, {}>");
}

static void
check_attr (const char *text,
            const char *expected)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  g_autoptr (GError) error = NULL;
  const GhloIrAttr *attr = ghlo_import_attribute (module, text, &error);
  g_autoptr (GString) printed = g_string_new (NULL);

  g_assert_no_error (error);
  ghlo_ir_attr_append (attr, printed);
  g_assert_cmpstr (printed->str, ==, expected != NULL ? expected : text);
  g_assert_true (ghlo_import_attribute (module, printed->str, &error) == attr);
  g_assert_no_error (error);
}

static void
check_bad_attr (const char *text)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_import_attribute (module, text, &error));
  g_assert_nonnull (error);
}

static void
test_attributes (void)
{
  static const char *const same[] = {
    "unit", "true", "5 : i64", "-3 : i8", "7 : index", "255 : ui8", "3 : i3", "-4 : si3", "1.500000e+00 : f32",
    "\"text\"", "\"a\\22b\\\\\\0A\"", "@f", "@a::@b::@c", "@\"a b\"", "tensor<2xf32>", "() -> ()", "[]",
    "[1, \"x\"]", "{a = 1 : i64, b, \"c d\" = @f}", "array<i64: 1, -2>", "array<i1: true, false>", "array<i32>",
    "#stablehlo<precision HIGHEST>", "#stablehlo<comparison_direction LT>", "#chlo<precision HIGH>",
    "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>",
    "#stablehlo.channel_handle<handle = 1, type = 0>",
    "#stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 2>",
    "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>", "#stablehlo.bounds<4, ?>",
    "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)2>",
    "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [1]>",
    "#sdy.sharding<@mesh, [{\"a\"}, {}]>", "#foo<bar -> baz>", "affine_map<(d0) -> (d0)>",
    "affine_set<(d0, d1)[s0] : (d0 - 10 >= 0, d1 - s0 == 0)>", "distinct[0]<42 : i32>",
    "loc(\"file\":1:2)", "loc(unknown)",
  };

  for (guint i = 0; i < G_N_ELEMENTS (same); i++)
    check_attr (same[i], NULL);
  check_attr ("5", "5 : i64");
  check_attr ("0x10 : i32", "16 : i32");
  check_attr ("255 : i8", "-1 : i8");
  check_attr ("1 : i1", "true");
  check_attr ("1.5", "1.500000e+00 : f64");
  check_attr ("0x7FC00000 : f32", "0x7FC00000 : f32");
  check_attr ("#stablehlo.precision<HIGH>", "#stablehlo<precision HIGH>");
  check_attr ("#stablehlo.gather<index_vector_dim = 0, offset_dims = []>", "#stablehlo.gather<>");
  check_attr ("{b = 1, a = 2}", "{a = 2 : i64, b = 1 : i64}");
}

static void
test_bad_attributes (void)
{
  static const char *const bad[] = {
    "", "-", "256 : i8", "-129 : i8", "-1 : ui8", "128 : si8", "1 : f32", "1.0 : i32", "99999999999999999999", "\"open",
    "\"bad \\q\"", "[1", "[1,]", "{a = 1, a = 2}", "{a = }", "@", "#stablehlo<precision FOO>", "#stablehlo.frob<>",
    "#stablehlo.channel_handle<handle = 1>", "#stablehlo.dot<foo = [1]>",
    "#stablehlo.channel_handle<handle = 1, handle = 1>",
    "#stablehlo.conv<[b, 0, 0, f]x[0, i, o]->[b, 0, f]>", "#stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>",
    "#stablehlo.conv<[b, -2, f]x[0, i, o]->[b, 0, f]>", "#undefined", "array<i8: 300>", "array<f32: 1>",
    "sparse<0, 1> : tensor<2xi32>", "0x1FFFFFFFF : f32", "1 : i128", "loc(frob)", "5 5",
    "#stablehlo.result_accuracy<mode = #other.mode<DEFAULT>>", "#stablehlo.result_accuracy<mode = 1 : i64>",
    "#stablehlo.axis_ref<name = \"x\", sub_axis_info = unit>",
    "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>], device_ids = \"all\">",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_bad_attr (bad[i]);
}

static void
check_dense (const char   *text,
             gboolean      splat,
             gconstpointer data,
             gsize         size)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  g_autoptr (GError) error = NULL;
  const GhloIrAttr *attr = ghlo_import_attribute (module, text, &error);
  gconstpointer bytes;
  gsize n;

  g_assert_no_error (error);
  g_assert_cmpint (attr->kind, ==, GHLO_IR_ATTR_DENSE);
  bytes = g_bytes_get_data (attr->dense.bytes, &n);
  g_assert_cmpmem (bytes, n, data, size);
  g_assert_cmpint (attr->dense.splat, ==, splat);
}

#define CHECK_DENSE(text, splat, type, ...) \
  check_dense (text, splat, (const type[]) { __VA_ARGS__ }, sizeof ((const type[]) { __VA_ARGS__ }))

static void
test_dense (void)
{
  CHECK_DENSE ("dense<1> : tensor<1000000x1000000xi32>", TRUE, gint32, 1);
  CHECK_DENSE ("dense<[1, -2, 0x10]> : tensor<3xi32>", FALSE, gint32, 1, -2, 16);
  CHECK_DENSE ("dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>", FALSE, guint8, 1, 2, 3, 4);
  CHECK_DENSE ("dense<[7, 7, 7]> : tensor<3xi64>", TRUE, gint64, 7);
  CHECK_DENSE ("dense<[true, false]> : tensor<2xi1>", FALSE, guint8, 1, 0);
  CHECK_DENSE ("dense<[1, 0]> : tensor<2xi1>", FALSE, guint8, 1, 0);
  CHECK_DENSE ("dense<[-1, 7, 15]> : tensor<3xi4>", FALSE, gint8, -1, 7, -1);
  CHECK_DENSE ("dense<[1.5, -0.0, 0x7F800000]> : tensor<3xf32>", FALSE, float, 1.5f, -0.0f, INFINITY);
  CHECK_DENSE ("dense<[1.0e+300, 2.5e-3]> : tensor<2xf64>", FALSE, double, 1e300, 2.5e-3);
  CHECK_DENSE ("dense<[1.0, 0x7F80]> : tensor<2xbf16>", FALSE, guint16, 0x3f80, 0x7f80);
  CHECK_DENSE ("dense<[(1.0, 2.0), (3.0, -4.0)]> : tensor<2xcomplex<f32>>", FALSE, float, 1, 2, 3, -4);
  CHECK_DENSE ("dense<(1.0,2.0)> : tensor<4xcomplex<f64>>", TRUE, double, 1, 2);
  CHECK_DENSE ("dense<\"0x0100000002000000\"> : tensor<2xi32>", FALSE, guint8, 1, 0, 0, 0, 2, 0, 0, 0);
  CHECK_DENSE ("dense<\"0xFF\"> : tensor<100xi8>", TRUE, gint8, -1);
  CHECK_DENSE ("dense<\"0x0D\"> : tensor<4xi1>", FALSE, guint8, 1, 0, 1, 1);
  CHECK_DENSE ("dense<\"0x0D02\"> : tensor<10xi1>", FALSE, guint8, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1);
  CHECK_DENSE ("dense<\"0xff\"> : tensor<100xi1>", TRUE, guint8, 1);
  CHECK_DENSE ("dense<\"0xff\"> : tensor<9223372036854775807xi1>", TRUE, guint8, 1);
  CHECK_DENSE ("dense<\"0x01000000\"> : tensor<9223372036854775807xi32>", TRUE, gint32, 1);
  CHECK_DENSE ("dense<\"0x0F01\"> : tensor<2xi4>", FALSE, gint8, -1, 1);
  CHECK_DENSE ("dense<\"0x0F01\"> : tensor<2xui4>", FALSE, guint8, 15, 1);
  CHECK_DENSE ("dense<[1, 2]> : tensor<2x!quant.uniform<i8:f32, 0.5>>", FALSE, gint8, 1, 2);
  CHECK_DENSE ("dense<[ 1, // one > comment\n 2]> : tensor<2xi8>", FALSE, gint8, 1, 2);
  check_dense ("dense<> : tensor<0xf32>", FALSE, NULL, 0);
  check_dense ("dense<[]> : tensor<0xf32>", FALSE, NULL, 0);
  check_dense ("dense<[[], []]> : tensor<2x0xf32>", FALSE, NULL, 0);
  check_dense ("dense<1.0> : tensor<0xf32>", FALSE, NULL, 0);
  check_attr ("dense<\"a\"> : tensor<2x!tf.string>", NULL);
}

static void
test_bad_dense (void)
{
  static const char *const bad[] = {
    "dense<1>", "dense<1> : i32", "dense<1> : tensor<?xi32>", "dense<[1, 2]> : tensor<3xi32>",
    "dense<[1, 2, 3]> : tensor<2xi32>", "dense<[[1, 2]]> : tensor<2xi32>", "dense<[1]> : tensor<i32>",
    "dense<[[1], [2, 3]]> : tensor<2x1xi32>", "dense<> : tensor<2xi32>", "dense<300> : tensor<i8>",
    "dense<-1> : tensor<ui8>", "dense<true> : tensor<i32>", "dense<1> : tensor<f32>", "dense<1.0> : tensor<i32>",
    "dense<\"0x01\"> : tensor<2xi32>", "dense<\"0x0\"> : tensor<i8>", "dense<\"0xZZ\"> : tensor<i8>",
    "dense<\"01\"> : tensor<i8>", "dense<(1.0)> : tensor<complex<f32>>", "dense<1> : tensor<i3>",
    "dense<[1, 2> : tensor<2xi32>",
    "dense<[1]> : tensor<4611686018427387904xi32>", "dense<0x1FFFF> : tensor<f16>",
    "dense_resource<nothing> : tensor<2xi32>",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    check_bad_attr (bad[i]);
}

static const char *const small =
  "func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
  "  %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>\n"
  "  return %0 : tensor<2xf32>\n"
  "}\n";

static void
test_module (void)
{
  g_autoptr (GhloIrModule) module = parse_good (small);
  GhloIrOp *main_op = ghlo_ir_module_find (module, "main");
  GhloIrBlock *body;
  const GhloIrOp *add;

  g_assert_nonnull (main_op);
  g_assert_cmpint (module->op->kind, ==, GHLO_OP_BUILTIN_MODULE);
  body = ghlo_ir_func_get_body (main_op);
  g_assert_cmpuint (body->n_arguments, ==, 1);
  g_assert_cmpstr (body->arguments[0]->name, ==, "arg0");
  add = body->first;
  g_assert_cmpint (add->kind, ==, GHLO_OP_STABLEHLO_ADD);
  g_assert_cmpuint (add->line, ==, 2);
  g_assert_cmpuint (add->column, ==, 8);
  g_assert_true (ghlo_ir_op_operand (add, 1) == body->arguments[0]);
  g_assert_true (ghlo_ir_op_operand (add->next, 0) == &add->results[0]);
  g_assert_cmpint (add->next->kind, ==, GHLO_OP_FUNC_RETURN);
}

/* A text that is one module is kept as it is; several modules, or other operations, are wrapped. */
static void
test_wrapping (void)
{
  g_autoptr (GhloIrModule) one = parse_good ("module @m attributes {a.b = 1 : i32} {}");
  g_autoptr (GhloIrModule) two = parse_good ("module @a {}\nmodule @b {}");
  g_autoptr (GhloIrModule) none = parse_good ("// nothing\n");
  g_autoptr (GhloIrModule) generic =
    parse_good ("\"builtin.module\"() ({\n \"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({\n"
                "  \"func.return\"() : () -> ()\n }) : () -> ()\n}) : () -> ()");

  g_assert_cmpstr (ghlo_ir_op_get_string (one->op, "sym_name"), ==, "m");
  g_assert_nonnull (ghlo_ir_op_get (one->op, "a.b"));
  g_assert_null (ghlo_ir_op_get_string (two->op, "sym_name"));
  g_assert_nonnull (none->op);
  g_assert_nonnull (ghlo_ir_module_find (generic, "f"));
}

static void
test_names (void)
{
  g_autoptr (GhloIrModule) module =
    parse_good ("func.func @f(%a: tensor<i32>, %b-1$: tensor<i32>) -> tensor<i32> {\n"
                "  %r:2, %last = stablehlo.custom_call @x(%a) "
                ": (tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)\n"
                "  %007 = stablehlo.add %r#1, %last : tensor<i32>\n"
                "  %7 = stablehlo.add %007, %r#0 : tensor<i32>\n"
                "  %99999999 = stablehlo.add %7, %b-1$ : tensor<i32>\n"
                "  return %99999999 : tensor<i32>\n"
                "}");
  const GhloIrOp *call = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "f"))->first;
  const GhloIrOp *add = call->next;

  g_assert_true (ghlo_ir_op_operand (add, 0) == &call->results[1]);
  g_assert_true (ghlo_ir_op_operand (add, 1) == &call->results[2]);
  g_assert_true (ghlo_ir_op_operand (add->next, 0) == &add->results[0]);
  g_assert_cmpstr (call->results[0].name, ==, "r");
  g_assert_null (add->next->results[0].name);
}

static void
test_scopes (void)
{
  /* Names are scoped by regions, and may be used before their definition. */
  g_autoptr (GhloIrModule) module =
    parse_good ("func.func @f(%p: tensor<i1>) -> tensor<i1> {\n"
                "  %1 = \"stablehlo.if\"(%p) ({\n    %x = stablehlo.not %p : tensor<i1>\n"
                "    stablehlo.return %x : tensor<i1>\n  }, {\n    %x = stablehlo.not %2 : tensor<i1>\n"
                "    stablehlo.return %x : tensor<i1>\n  }) : (tensor<i1>) -> tensor<i1>\n"
                "  %2 = stablehlo.not %1 : tensor<i1>\n  return %2 : tensor<i1>\n}\n"
                "func.func @g(%p: tensor<i1>) { return }");
  const GhloIrOp *branch = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "f"))->first;

  g_assert_true (ghlo_ir_op_operand (ghlo_ir_op_region_block (branch, 1)->first, 0) == &branch->next->results[0]);

  check_bad ("func.func @f() {\n  return %x : tensor<i1>\n}", 1, 2, "'%x'");
  check_bad ("func.func @f(%x: tensor<i1>) {\n  %x = stablehlo.not %x : tensor<i1>\n  return\n}", 1, 2, "already");
  check_bad ("func.func @f(%x: tensor<i1>) {\n  return\n}\n"
             "func.func @g() {\n  return %x : tensor<i1>\n}", 1, 5, "'%x'");
  check_bad ("func.func @f(%x: tensor<i1>) {\n  %y = stablehlo.not %x : tensor<i8>\n  return\n}", 1, 2, "tensor<i1>");
  check_bad ("func.func @f(%x: tensor<i1>) {\n  %y = stablehlo.not %x#1 : tensor<i1>\n  return\n}", 1, 2, "number 1");
  check_bad ("func.func @f(%x: tensor<i1>) {\n  %a, %b = stablehlo.not %x : tensor<i1>\n  return\n}", 1, 2, "found 2");
  check_bad ("#a.b = 5 : i64", 1, 1, "expected a name without '.', which marks a dialect, found '#a.b'");
  check_bad ("func.func private @f() loc(#stablehlo<precision HIGH>)", 1, 1,
             "expected a location, found #stablehlo<precision HIGH>");
  check_bad ("func.func @f() {\n  %0 = stablehlo.not %1 : tensor<i1>\n"
             "  %1 = stablehlo.constant dense<1> : tensor<i8>\n  return\n}", 1, 3, "earlier uses");
}

/* Any number of results of one name may be used before its definition, each several times. */
static void
test_forward_uses (void)
{
  enum { N = 6000 };
  g_autoptr (GString) text = g_string_new ("%b = \"stablehlo.tuple\"(");
  g_autoptr (GhloIrModule) module = NULL;
  const GhloIrOp *user;

  for (guint i = 0; i < 2 * N; i++)
    g_string_append_printf (text, "%s%%a#%u", i > 0 ? ", " : "", i % N);
  g_string_append (text, ") : (tensor<i1>");
  for (guint i = 1; i < 2 * N; i++)
    g_string_append (text, ", tensor<i1>");
  g_string_append_printf (text, ") -> tensor<i1>\n%%a:%d = \"stablehlo.optimization_barrier\"() : () -> (tensor<i1>",
                          N);
  for (guint i = 1; i < N; i++)
    g_string_append (text, ", tensor<i1>");
  g_string_append (text, ")\n");

  module = parse_good (text->str);
  user = ghlo_ir_op_region_block (module->op, 0)->first;
  g_assert_cmpuint (user->n_operands, ==, 2 * N);
  for (guint i = 0; i < 2 * N; i++)
    g_assert_true (ghlo_ir_op_operand (user, i) == &user->next->results[i % N]);
}

static void
test_locations (void)
{
  g_autoptr (GhloIrModule) module =
    parse_good ("module {\n"
                "  func.func @f(%a: tensor<i1> loc(\"arg\")) -> tensor<i1> {\n"
                "    %0 = stablehlo.not %a : tensor<i1> loc(#loc2)\n"
                "    %1 = stablehlo.not %0 : tensor<i1> "
                "loc(callsite(\"f\"(\"x.py\":1:2 to :9) at fused<\"m\">[unknown, \"b\"]))\n"
                "    return %1 : tensor<i1> loc(\"y.py\":3:4 to 5:6)\n"
                "  } loc(#loc)\n"
                "}\n"
                "#loc = loc(\"file.py\":12:3)\n"
                "#loc2 = loc(\"name\"(#loc))\n");
  GhloIrOp *func = ghlo_ir_module_find (module, "f");
  GhloIrBlock *body = ghlo_ir_func_get_body (func);
  const GhloIrOp *op = body->first;

  g_assert_cmpint (func->location->kind, ==, GHLO_IR_LOCATION_FILE);
  g_assert_cmpuint (func->location->line, ==, 12);
  g_assert_cmpstr (body->arguments[0]->location->text, ==, "arg");
  g_assert_cmpint (op->location->kind, ==, GHLO_IR_LOCATION_NAME);
  g_assert_true (op->location->children[0] == func->location);
  g_assert_cmpuint (op->line, ==, 3);
  op = op->next;
  g_assert_cmpint (op->location->kind, ==, GHLO_IR_LOCATION_CALL_SITE);
  g_assert_cmpint (op->location->children[1]->kind, ==, GHLO_IR_LOCATION_FUSED);
  g_assert_cmpuint (op->location->children[1]->n_children, ==, 2);
  g_assert_cmpuint (op->next->location->end_line, ==, 5);
  g_assert_cmpuint (op->next->location->end_column, ==, 6);
}

static void
test_aliases (void)
{
  g_autoptr (GhloIrModule) module =
    parse_good ("!t = tensor<2xi32>\n"
                "func.func @f(%a: !t) -> !later {\n"
                "  %0 = stablehlo.add %a, %a {x = #late} : !t\n  return %0 : !t\n}\n"
                "#late = [#value, 1 : i8]\n#value = \"v\"\n!later = !t\n");

  g_assert_nonnull (ghlo_ir_module_find (module, "f"));

  check_bad ("#a = #b\n#b = #a\nmodule {}\n", 1, 2, "cycle");
  check_bad ("#a = 1 : i32\n#a = 2 : i32\n", 1, 2, "one definition");
  check_bad ("#a.b = 1 : i32\n", 1, 1, "'.'");
  check_bad ("module attributes {a = #nowhere} {}\n", 1, 1, "#nowhere");
}

static void
test_resources (void)
{
  g_autoptr (GhloIrModule) module =
    parse_good ("func.func @f() -> tensor<2xi32> {\n"
                "  %0 = stablehlo.constant dense_resource<blob> : tensor<2xi32>\n"
                "  %1 = stablehlo.constant dense_resource<bools> : tensor<3xi1>\n"
                "  return %0 : tensor<2xi32>\n}\n"
                "{-#\n  dialect_resources: {\n    builtin: {\n      blob: \"0x040000000100000002000000\",\n"
                "      bools: \"0x01000000010001\"\n    }\n  },\n  external_resources: { x: { y: \"z\" } }\n#-}\n");
  const GhloIrOp *op = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "f"))->first;
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");

  g_assert_cmpstr (value->dense.resource, ==, "blob");
  g_assert_cmpint (ghlo_ir_dense_get (value, 1).i, ==, 2);
  value = ghlo_ir_op_get (op->next, "value");
  g_assert_cmpint (ghlo_ir_dense_get (value, 1).i, ==, 0);
  g_assert_cmpint (ghlo_ir_dense_get (value, 2).i, ==, 1);

  check_bad ("func.func @f() {\n  %0 = stablehlo.constant dense_resource<k> : tensor<2xi32>\n  return\n}\n"
             "{-# dialect_resources: { builtin: { k: \"0x0400000001\" } } #-}", 1, 2, "found 1 bytes");
  /* The size that a type states does not cause memory to be allocated. */
  check_bad ("func.func @f() {\n  %0 = stablehlo.constant dense_resource<k> : tensor<1099511627776xi8>\n  return\n}\n"
             "{-# dialect_resources: { builtin: { k: \"0x0400000001\" } } #-}", 1, 2,
             "a resource of 1099511627776 elements of i8, found 1 bytes");
  check_bad ("func.func @f() {\n  %0 = stablehlo.constant dense_resource<k> : tensor<1099511627776xi1>\n  return\n}\n"
             "{-# dialect_resources: { builtin: { k: \"0x0400000001\" } } #-}", 1, 2,
             "a resource of 1099511627776 elements of i1, found 1 bytes");
}

/* Of several resources with one key the first is used; a constant is made once for each type; the unpacked size is
 * proportional to the text. */
static void
test_shared_resources (void)
{
  g_autoptr (GhloIrModule) module =
    parse_good ("func.func @f() {\n"
                "  %0 = stablehlo.constant dense_resource<k> : tensor<4xi1>\n"
                "  %1 = stablehlo.constant dense_resource<k> : tensor<4xi1>\n"
                "  %2 = stablehlo.constant dense_resource<k> : tensor<2x2xi1>\n  return\n}\n"
                "{-# dialect_resources: { builtin: { k: \"0x0100000005\", k: \"0x010000000A\" } } #-}");
  const GhloIrOp *op = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "f"))->first;
  const GhloIrAttr *value = ghlo_ir_op_get (op, "value");
  g_autoptr (GString) text = g_string_new ("func.func @f() {\n");

  g_assert_cmpint (ghlo_ir_dense_get (value, 0).i, ==, 1);
  g_assert_cmpint (ghlo_ir_dense_get (value, 1).i, ==, 0);
  g_assert_true (ghlo_ir_op_get (op->next, "value") == value);
  g_assert_true (ghlo_ir_op_get (op->next->next, "value") != value);

  for (guint i = 0; i < 60; i++)
    {
      g_string_append_printf (text, "  %%%u = stablehlo.constant dense_resource<k> : tensor<", i);
      for (guint j = 0; j < i; j++)
        g_string_append (text, "1x");
      g_string_append (text, "160000xi1>\n");
    }
  g_string_append (text, "  return\n}\n{-# dialect_resources: { builtin: { k: \"0x01000000");
  for (guint i = 0; i < 20000; i++)
    g_string_append (text, "55");
  g_string_append (text, "\" } } #-}");
  check_bad (text->str, 1, 6, "when unpacked");
}

static void
test_blocks (void)
{
  g_autoptr (GhloIrModule) module =
    parse_good ("func.func @f() {\n  return\n^next(%a: tensor<i1> loc(\"l\")):\n  return\n^more:\n  return\n}");
  GhloIrBlock *block = ghlo_ir_module_find (module, "f")->regions[0].first;

  g_assert_null (block->label);
  g_assert_cmpstr (block->next->label, ==, "next");
  g_assert_cmpuint (block->next->n_arguments, ==, 1);
  g_assert_cmpstr (block->next->next->label, ==, "more");

  check_bad ("func.func @f() {\n^a:\n  return\n^a:\n  return\n}", 1, 4, "^a");
  check_bad ("func.func @f() {\n  \"func.return\"() [^bb1] : () -> ()\n}", 1, 2, "successors");
}

static void
test_recovery (void)
{
  /* All independent errors are reported, without consequential errors. */
  check_bad ("func.func @f(%a: tensor<i1>) -> tensor<i1> {\n"
             "  %0 = stablehlo.not %a : tensor<i1\n"
             "  %1 = stablehlo.not %0 : tensor<i1>\n"
             "  %2 = frob.op %1\n"
             "  %3 = stablehlo.not %2 : tensor<i7>\n"
             "  return %3 : tensor<i7>\n"
             "}\n"
             "func.func @g() {\n"
             "  %4 = \"frob.other\"() : () -> tensor<i1>\n"
             "  return\n"
             "}\n", 3, 2, "'>'");
  check_bad ("func.func @f() {\n", 1, 1, "the end of the text");
  check_bad ("func.func @f() {\n  return\n}}\n", 1, 3, "'}'");
}

/* @text is refused at @line and @column, however many lines away its next token is. */
static void
check_place (const char *text,
             guint       line,
             guint       column)
{
  g_autoptr (GhloDiagnostics) diagnostics = NULL;
  g_autoptr (GhloIrModule) module = parse (text, &diagnostics);
  const GhloFinding *finding;

  g_assert_null (module);
  finding = g_ptr_array_index (diagnostics->findings, 0);
  g_test_message ("%u:%u: %s", finding->line, finding->column, finding->message);
  g_assert_cmpuint (finding->line, ==, line);
  g_assert_cmpuint (finding->column, ==, column);
}

static void
test_places (void)
{
  check_place ("func.func private @f() -> !stablehlo.foobar\n\nmodule {}\n", 1, 27);
  check_place ("func.func private @f() -> !stablehlo<foobar\n>\n", 1, 38);
  check_place ("func.func private @f(tensor<4xi1>, !stablehlo\n.foobar)\n", 1, 36);
  check_place ("func.func private @f() -> !nowhere\n\nmodule {}\n", 1, 27);
  check_place ("module attributes {a = #stablehlo.foobar\n\n} {}\n", 1, 24);
  check_place ("module attributes {a = dense_resource<key>\n : tensor<2xf32>\n} {}\n", 1, 24);
}

static void
test_bad_operations (void)
{
  check_bad ("frob.op", 1, 1, "frob.op");
  check_bad ("\"frob.op\"() : () -> ()", 1, 1, "frob.op");
  check_bad ("func.func @f(%a: tensor<i1>) {\n  stablehlo.if %a\n}", 1, 2, "in quotes");
  check_bad ("func.func @f(%a: tensor<i1>) {\n"
             "  \"stablehlo.not\"(%a) <{frob = 1 : i32}> : (tensor<i1>) -> tensor<i1>\n}",
             1, 2, "frob");
  check_bad ("func.func @f(%a: tensor<i1>) {\n"
             "  \"stablehlo.not\"(%a, %a) : (tensor<i1>) -> tensor<i1>\n}", 1, 2, "2 operands");
  check_bad ("func.func @f(%a: tensor<i1>) {\n"
             "  \"stablehlo.iota\"() {iota_dimension = 0, iota_dimension = 0} : () -> tensor<i1>\n}",
             1, 2, "once");
  check_bad ("func.func @f(%a: tensor<f32>) {\n  %0 = stablehlo.reduce(%a init: %a) applies stablehlo.divide across "
             "dimensions = [] : (tensor<f32>, tensor<f32>) -> tensor<f32>\n  return\n}", 1, 2, "commutative");
  check_bad ("func.func @f(tensor<i1>) {\n  return\n}", 1, 1, "names");

  /* An alias stands for any number of results in a few bytes. */
  check_bad ("!f = (tensor<i1>, tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)\n"
             "func.func @f(%a: tensor<i1>) {\n  %r:2 = stablehlo.select %a, %a, %a : !f\n  return\n}", 1, 3,
             "one result");
  check_bad ("!f = () -> (tensor<i1>, tensor<i1>)\n"
             "func.func @f() {\n  %r:2 = stablehlo.tuple : !f\n  return\n}", 1, 3, "one result");
}

/* Operations of foreign dialects are kept if the caller says so. */
static void
test_unregistered (void)
{
  const char *text = "func.func @f(%a: tensor<i1>) {\n"
                     "  %0 = \"llvm.frob\"(%a) <{x = 1 : i32}> ({\n    func.return\n  }) {y} : (tensor<i1>) -> f32\n"
                     "  return\n}";
  const char *own = "\"stablehlo.frob\"() : () -> ()";
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GhloDiagnostics) own_diagnostics = ghlo_diagnostics_new ("test", own, strlen (own));
  g_autoptr (GhloIrModule) module =
    ghlo_import_text (text, strlen (text), GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics, NULL);
  const GhloIrOp *op;

  g_assert_nonnull (module);
  op = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "f"))->first;
  g_assert_cmpint (op->kind, ==, GHLO_OP_UNREGISTERED);
  g_assert_cmpstr (ghlo_ir_op_get_string (op, "unregistered_name"), ==, "llvm.frob");
  g_assert_nonnull (ghlo_ir_op_get (op, "x"));
  g_assert_nonnull (ghlo_ir_op_get (op, "y"));
  g_assert_null (ghlo_import_text (own, strlen (own), GHLO_IMPORT_ALLOW_UNREGISTERED, own_diagnostics, NULL));
}

/* Constants without elements that GHLO can read are kept on request, and are errors otherwise. */
static void
test_kept_elements (void)
{
  static const char *const constants[] = {
    "sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>", "sparse<> : tensor<0xi32>",
    "dense_resource<__elided__> : tensor<1000xi8>",
  };

  for (guint i = 0; i < G_N_ELEMENTS (constants); i++)
    {
      g_autofree char *text = g_strdup_printf ("module {\n  func.func @f() {\n    %%c = stablehlo.constant {a = %s} "
                                               "%s\n    return\n  }\n}\n", constants[i], constants[i]);
      g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text)), refused = NULL;
      g_autoptr (GhloIrModule) module =
        ghlo_import_text (text, strlen (text), GHLO_IMPORT_KEEP_ELEMENTS, diagnostics, NULL);
      g_autoptr (GhloIrModule) copy = NULL;
      g_autofree char *printed = NULL;

      g_assert_nonnull (module);
      g_assert_true (ghlo_ir_verify (module, diagnostics, NULL));
      copy = ghlo_ir_module_copy (module);
      printed = ghlo_ir_to_string (copy, 0);
      g_assert_cmpstr (printed, ==, text);
      g_assert_null (parse (text, &refused));
    }
}

/* Deep nesting is an error, wherever it is. */
static void
test_limits (void)
{
  static const struct
  {
    const char *before, *open, *inside, *close, *after;
  } deep[] = {
    { "module attributes {a = ", "[", "", "]", "} {}" },
    { "module attributes {a = ", "{a = ", "1", "}", "} {}" },
    { "module attributes {a = ", "tuple<", "", ">", "} {}" },
    { "module attributes {a = ", "(", "", ") -> ()", "} {}" },
    { "module attributes {a = ", "#x.y<", "", ">", "} {}" },
    { "module attributes {a = loc(", "\"a\"(", "unknown", ")", ")} {}" },
    { "", "module {", "", "}", "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (deep); i++)
    {
      g_autoptr (GString) text = g_string_new (deep[i].before);

      for (guint j = 0; j < 100000; j++)
        g_string_append (text, deep[i].open);
      g_string_append (text, deep[i].inside);
      for (guint j = 0; j < 100000; j++)
        g_string_append (text, deep[i].close);
      g_string_append (text, deep[i].after);
      check_bad (text->str, 1, 1, "nesting");
    }
}

static void
test_any_bytes (void)
{
  static const char *const texts[] = {
    "\xff\xfe", "module {\xff}", "%", "\"", "@", "#", "!", "^", "{-#", "#-}", "-", "0x", "1.", "1.e", "/", "//", "\\",
    "module attributes {a = \"\xff\"} {", "func.func @f(%a", "dense<", "!quant.uniform<", "%0#",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gsize n = 0; n <= strlen (texts[i]) + 1; n++)
      {
        g_autofree char *copy = g_memdup2 (texts[i], MAX (n, 1));
        g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", copy, n);
        g_autoptr (GhloIrModule) module = ghlo_import_text (copy, n, GHLO_IMPORT_DEFAULT, diagnostics, NULL);

        g_assert_true ((module == NULL) == (diagnostics->n_errors > 0));
        for (guint j = 0; j < diagnostics->findings->len; j++)
          {
            const GhloFinding *finding = g_ptr_array_index (diagnostics->findings, j);

            g_assert_true (g_utf8_validate (finding->message, -1, NULL));
          }
      }
}

typedef struct
{
  GCancellable *cancellable;
  guint         n_calls;
  double        last;
} Progress;

static void
on_progress (gpointer    data,
             double      fraction,
             const char *detail)
{
  Progress *progress = data;

  g_assert_cmpfloat (fraction, >=, progress->last);
  g_assert_cmpfloat (fraction, <=, 1);
  progress->last = fraction;
  progress->n_calls++;
  if (progress->cancellable != NULL)
    g_cancellable_cancel (progress->cancellable);
}

static void
test_monitor (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @f(%a: tensor<i1>) {\n");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Progress progress = { 0 };
  GhloMonitor monitor = { .progress = on_progress, .progress_data = &progress };

  for (guint i = 0; i < 5000; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.not %%a : tensor<i1>\n", i);
  g_string_append (text, "  return\n}\n");

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text->str, text->len);
      g_autoptr (GhloIrModule) module = ghlo_import_text (text->str, text->len, GHLO_IMPORT_DEFAULT, diagnostics,
                                                          &monitor);

      g_assert_true ((module == NULL) == (i == 1));
      g_assert_cmpuint (diagnostics->n_errors, ==, 0);
      g_assert_true (i == 0 ? progress.n_calls >= 4 : progress.n_calls == 1);
      progress = (Progress) { .cancellable = cancellable };
      monitor.cancellable = cancellable;
    }
}

/* Every row with a pretty form has one that can be split. */
static void
test_assembly (void)
{
  for (guint kind = 1; kind < GHLO_N_OPS; kind++)
    {
      const GhloIrOpSpec *spec = ghlo_ir_op_spec (kind);
      const GhloIrAssembly *assembly = ghlo_ir_assembly_get (kind);

      g_assert_true ((assembly != NULL) == (spec->assembly != NULL));
      g_assert_cmpuint (spec->n_attributes, <=, 64);
      g_assert_cmpuint (spec->n_operands, <=, 8);
      if (assembly != NULL)
        g_assert_cmpuint (assembly->n_elements, >, 0);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parse/types", test_types);
  g_test_add_func ("/parse/types/bad", test_bad_types);
  g_test_add_func ("/parse/types/quantized", test_quantized);
  g_test_add_func ("/parse/attributes", test_attributes);
  g_test_add_func ("/parse/attributes/kept-elements", test_kept_elements);
  g_test_add_func ("/parse/attributes/bad", test_bad_attributes);
  g_test_add_func ("/parse/dense", test_dense);
  g_test_add_func ("/parse/dense/bad", test_bad_dense);
  g_test_add_func ("/parse/module", test_module);
  g_test_add_func ("/parse/wrapping", test_wrapping);
  g_test_add_func ("/parse/names", test_names);
  g_test_add_func ("/parse/scopes", test_scopes);
  g_test_add_func ("/parse/forward-uses", test_forward_uses);
  g_test_add_func ("/parse/locations", test_locations);
  g_test_add_func ("/parse/aliases", test_aliases);
  g_test_add_func ("/parse/resources", test_resources);
  g_test_add_func ("/parse/resources/shared", test_shared_resources);
  g_test_add_func ("/parse/blocks", test_blocks);
  g_test_add_func ("/parse/recovery", test_recovery);
  g_test_add_func ("/parse/places", test_places);
  g_test_add_func ("/parse/operations/bad", test_bad_operations);
  g_test_add_func ("/parse/unregistered", test_unregistered);
  g_test_add_func ("/parse/limits", test_limits);
  g_test_add_func ("/parse/any-bytes", test_any_bytes);
  g_test_add_func ("/parse/monitor", test_monitor);
  g_test_add_func ("/parse/assembly", test_assembly);

  return g_test_run ();
}
