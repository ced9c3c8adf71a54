/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The printer: types, attributes, elements and locations one by one, a module built by hand, and texts that are parsed
 * and printed in both forms.
 */

#include <math.h>
#include <string.h>

#include "../import-code.h"
#include "../limit-memory.h"
#include "base/ghlo-error.h"
#include "import/import.h"
#include "ir/print/print.h"

static void
check_type (const GhloIrType *type,
            const char       *expected)
{
  g_autofree char *text = ghlo_ir_type_to_string (type);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_types (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const gint64 dimensions[] = { 2, -1 }, bounds[] = { -1, 4 };
  const gint64 zero_points[] = { 15 };
  const double scales[] = { 2 };
  g_autoptr (GhloQuantization) quantization
      = ghlo_quantization_new (GHLO_ELEMENT_TYPE_I8, GHLO_ELEMENT_TYPE_F32, -128, 127, -1, scales, zero_points, 1);
  const GhloIrType *f32 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F32);
  const GhloIrType *quantized = ghlo_ir_type_quantized (module, quantization);
  const GhloIrType *tf32 = ghlo_ir_type_named (module, "tf32");
  const GhloIrType *witness = ghlo_ir_type_opaque (module, "shape.witness");
  const GhloIrType *scalar = ghlo_ir_type_tensor (module, f32, NULL, 0, NULL, NULL);
  const GhloIrType *bounded = ghlo_ir_type_tensor (module, f32, dimensions, 2, bounds, NULL);
  const GhloIrType *members[] = { scalar, bounded };
  const GhloIrType *function = ghlo_ir_type_function (module, members, 2, members, 1);

  check_type (f32, "f32");
  check_type (tf32, "tf32");
  check_type (ghlo_ir_type_named (module, "si3"), "si3");
  check_type (ghlo_ir_type_named (module, "complex<f16>"), "complex<f16>");
  check_type (quantized, "!quant.uniform<i8:f32, 2.000000e+00:15>");
  check_type (scalar, "tensor<f32>");
  check_type (bounded, "tensor<2x?xf32, #stablehlo.bounds<?, 4>>");
  check_type (ghlo_ir_type_tensor (module, quantized, dimensions, 2, NULL, NULL),
              "tensor<2x?x!quant.uniform<i8:f32, 2.000000e+00:15>>");
  check_type (ghlo_ir_type_tensor (module, witness, dimensions, 1, NULL, NULL), "tensor<2x!shape.witness>");
  check_type (ghlo_ir_type_tensor (module, tf32, dimensions, 1, NULL, ghlo_ir_attr_opaque (module, "x.y<1>")),
              "tensor<2xtf32, #x.y<1>>");
  check_type (ghlo_ir_type_unranked (module, f32), "tensor<*xf32>");
  check_type (ghlo_ir_type_memref (module, f32, dimensions, 2, ghlo_ir_attr_opaque (module, "strided<[1, 1]>")),
              "memref<2x?xf32, strided<[1, 1]>>");
  check_type (ghlo_ir_type_token (module), "!stablehlo.token");
  check_type (ghlo_ir_type_none (module), "none");
  check_type (ghlo_ir_type_tuple (module, members, 2),
              "tuple<tensor<f32>, tensor<2x?xf32, #stablehlo.bounds<?, 4>>>");
  check_type (ghlo_ir_type_tuple (module, NULL, 0), "tuple<>");
  check_type (ghlo_ir_type_future (module, members, 1), "!stablehlo.future<tensor<f32>>");
  check_type (function, "(tensor<f32>, tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<f32>");
  check_type (ghlo_ir_type_function (module, NULL, 0, &function, 1),
              "() -> ((tensor<f32>, tensor<2x?xf32, #stablehlo.bounds<?, 4>>) -> tensor<f32>)");
  check_type (ghlo_ir_type_function (module, NULL, 0, NULL, 0), "() -> ()");
}

static void
check_attr (const GhloIrAttr *attr,
            const char       *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  ghlo_ir_attr_append (attr, text);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_attrs (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const GhloIrType *f32 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F32);
  const GhloIrType *f64 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F64);
  const gint64 integers[] = { 1, -2 };
  const gint64 booleans[] = { 1, 0 };
  const double reals[] = { 0.5, INFINITY };
  const GhloIrAttr *symbol = ghlo_ir_attr_symbol (module, "b c", NULL, 0);
  const GhloIrAttr *children[] = {
    ghlo_ir_attr_i64 (module, 1), ghlo_ir_attr_float (module, f64, 2.5), ghlo_ir_attr_float (module, f64, NAN),
    ghlo_ir_attr_float (module, f32, 1), ghlo_ir_attr_bool (module, TRUE),
  };
  const GhloIrNamedAttr entries[] = {
    { "z", children[0] }, { "a.b", ghlo_ir_attr_unit (module) }, { "not an identifier", children[3] },
  };

  check_attr (ghlo_ir_attr_unit (module), "unit");
  check_attr (ghlo_ir_attr_bool (module, FALSE), "false");
  check_attr (ghlo_ir_attr_i64 (module, -7), "-7 : i64");
  check_attr (ghlo_ir_attr_integer (module, ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_UI64), -1),
              "18446744073709551615 : ui64");
  check_attr (ghlo_ir_attr_float (module, f32, 1e-5f), "9.99999974E-6 : f32");
  check_attr (ghlo_ir_attr_float (module, f64, -INFINITY), "0xFFF0000000000000 : f64");
  check_attr (ghlo_ir_attr_string (module, "a\"\\\n\xc3\xa9\0z", 8), "\"a\\22\\\\\\0A\\C3\\A9\\00z\"");
  check_attr (ghlo_ir_attr_symbol (module, "a", &symbol, 1), "@a::@\"b c\"");
  check_attr (ghlo_ir_attr_type (module, f32), "f32");
  check_attr (ghlo_ir_attr_array (module, children, 5),
              "[1, 2.500000e+00, 0x7FF8000000000000 : f64, 1.000000e+00 : f32, true]");
  check_attr (ghlo_ir_attr_dictionary (module, entries, 3),
              "{a.b, \"not an identifier\" = 1.000000e+00 : f32, z = 1 : i64}");
  check_attr (ghlo_ir_attr_i64s (module, integers, 2), "array<i64: 1, -2>");
  check_attr (ghlo_ir_attr_i64s (module, NULL, 0), "array<i64>");
  check_attr (ghlo_ir_attr_integers (module, GHLO_ELEMENT_TYPE_I1, booleans, 2), "array<i1: true, false>");
  check_attr (ghlo_ir_attr_reals (module, GHLO_ELEMENT_TYPE_F32, reals, 2), "array<f32: 5.000000e-01, 0x7F800000>");
  check_attr (ghlo_ir_attr_opaque (module, "sdy.sharding<@m, [{}]>"), "#sdy.sharding<@m, [{}]>");
  check_attr (ghlo_ir_attr_enum (module, GHLO_IR_ENUM_PRECISION, 2), "#stablehlo<precision HIGHEST>");
  check_attr (ghlo_ir_attr_enum (module, GHLO_IR_ENUM_RESULT_ACCURACY_MODE, 0),
              "#stablehlo.result_accuracy_mode<DEFAULT>");
}

static void
test_structures (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const GhloIrType *f64 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F64);
  const gint64 numbers[] = { 0, 1, 2, 3, -1 };
  const GhloIrAttr *dims[5], *ints[5];
  const GhloIrAttr *fields[9];

  for (guint i = 0; i < 5; i++)
    {
      dims[i] = ghlo_ir_attr_i64s (module, &numbers[i], 1);
      ints[i] = ghlo_ir_attr_i64 (module, numbers[i]);
    }

  memcpy (fields, (const GhloIrAttr *[]) { dims[1], NULL, NULL, NULL, dims[0], ints[1] }, 6 * sizeof fields[0]);
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_GATHER, fields),
              "#stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>");
  fields[5] = ints[0];
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_GATHER, fields),
              "#stablehlo.gather<offset_dims = [1], start_index_map = [0]>");

  memcpy (fields, (const GhloIrAttr *[]) { ints[1], ints[0] }, 2 * sizeof fields[0]);
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_CHANNEL_HANDLE, fields),
              "#stablehlo.channel_handle<handle = 1, type = 0>");

  memcpy (fields, (const GhloIrAttr *[]) { NULL, ints[2], dims[0] }, 3 * sizeof fields[0]);
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_OUTPUT_OPERAND_ALIAS, fields),
              "#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 2, "
              "operand_tuple_indices = [0]>");

  fields[0] = dims[4];
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_TYPE_EXTENSIONS, fields), "#stablehlo.bounds<?>");

  memcpy (fields, (const GhloIrAttr *[]) { ints[0], ints[2], dims[1], ints[1], ints[2], dims[0],
                                           ints[0], ints[1], dims[2] }, 9 * sizeof fields[0]);
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_CONV, fields),
              "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, f, 0]>");
  fields[0] = ints[2];
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_CONV, fields),
              "#stablehlo.conv<raw input_batch_dimension = 2, input_feature_dimension = 2, "
              "input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, "
              "kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], "
              "output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2]>");

  memcpy (fields, (const GhloIrAttr *[]) { ghlo_ir_attr_float (module, f64, 1e-5), NULL, ints[2],
                                           ghlo_ir_attr_enum (module, GHLO_IR_ENUM_RESULT_ACCURACY_MODE, 2) },
          4 * sizeof fields[0]);
  check_attr (ghlo_ir_attr_struct (module, GHLO_IR_STRUCT_RESULT_ACCURACY, fields),
              "#stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, "
              "mode = #stablehlo.result_accuracy_mode<TOLERANCE>>");
}

static const GhloIrAttr *
make_dense (GhloIrModule    *module,
            GhloElementType  element_type,
            const gint64    *dimensions,
            gsize            rank,
            gconstpointer    data,
            gsize            size,
            gboolean         splat)
{
  const GhloIrType *element = ghlo_ir_type_element (module, element_type);
  const GhloIrType *type = ghlo_ir_type_tensor (module, element, dimensions, rank, NULL, NULL);

  return ghlo_ir_attr_dense (module, type, g_bytes_new (data, size), splat, NULL);
}

static void
test_elements (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const gint64 shape[] = { 2, 3 }, one[] = { 1, 1 }, none[] = { 2, 0 }, large[] = { 101 };
  const gint32 integers[] = { 1, 2, 3, -4, 5, 6 }, equal[] = { 7, 7, 7, 7, 7, 7 };
  const float parts[] = { 1, 2, NAN, -0.0f, 0, 0, 0, 0, 0, 0, 0, 0.5f };
  const guint8 booleans[] = { 1, 0, 0, 1, 1, 1 };
  guint16 many[101] = { 0 };
  g_autoptr (GString) expected = g_string_new ("dense<\"0x3412");
  g_autofree char *scalar G_GNUC_UNUSED = NULL;

  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I32, shape, 2, integers, sizeof integers, FALSE),
              "dense<[[1, 2, 3], [-4, 5, 6]]> : tensor<2x3xi32>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I32, shape, 2, equal, sizeof equal, FALSE),
              "dense<7> : tensor<2x3xi32>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I32, shape, 2, equal, sizeof equal[0], TRUE),
              "dense<7> : tensor<2x3xi32>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I32, one, 2, integers, sizeof integers[0], FALSE),
              "dense<1> : tensor<1x1xi32>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I32, NULL, 0, integers, sizeof integers[0], FALSE),
              "dense<1> : tensor<i32>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I32, none, 2, integers, 0, FALSE), "dense<> : tensor<2x0xi32>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_I1, shape, 2, booleans, sizeof booleans, FALSE),
              "dense<[[true, false, false], [true, true, true]]> : tensor<2x3xi1>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_COMPLEX_F32, shape, 1, parts, 16, FALSE),
              "dense<[(1.000000e+00,2.000000e+00), (0x7FC00000,-0.000000e+00)]> : tensor<2xcomplex<f32>>");

  many[0] = GUINT16_TO_LE (0x1234);
  many[0] = GUINT16_FROM_LE (many[0]);
  for (guint i = 1; i < 101; i++)
    g_string_append (expected, "0000");
  g_string_append (expected, "\"> : tensor<101xui16>");
  check_attr (make_dense (module, GHLO_ELEMENT_TYPE_UI16, large, 1, many, sizeof many, FALSE), expected->str);
}

static void
check_location (const GhloIrLocation *location,
                const char           *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  ghlo_ir_location_append (location, text);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_locations (void)
{
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");
  const GhloIrLocation *unknown = ghlo_ir_location_unknown (module);
  const GhloIrLocation *file = ghlo_ir_location_file (module, "a\"b.py", 3, 4, 0, 0);
  const GhloIrLocation *range = ghlo_ir_location_file (module, "c", 3, 4, 3, 9);
  const GhloIrLocation *children[] = { file, unknown };

  check_location (unknown, "unknown");
  check_location (file, "\"a\\22b.py\":3:4");
  check_location (range, "\"c\":3:4 to :9");
  check_location (ghlo_ir_location_file (module, "c", 3, 4, 5, 9), "\"c\":3:4 to 5:9");
  check_location (ghlo_ir_location_name (module, "n", unknown), "\"n\"");
  check_location (ghlo_ir_location_name (module, "n", range), "\"n\"(\"c\":3:4 to :9)");
  check_location (ghlo_ir_location_call_site (module, range, unknown), "callsite(\"c\":3:4 to :9 at unknown)");
  check_location (ghlo_ir_location_fused (module, children, 2, ghlo_ir_attr_i64 (module, 1)),
                  "fused<1 : i64>[\"a\\22b.py\":3:4, unknown]");
}

/* func.func @f(%arg0: tensor<2xf32>) -> tensor<2xf32> with one addition. */
static GhloIrModule *
build_module (void)
{
  GhloIrModule *module = ghlo_ir_module_new ("test");
  const gint64 shape[] = { 2 };
  const GhloIrType *f32 = ghlo_ir_type_element (module, GHLO_ELEMENT_TYPE_F32);
  const GhloIrType *type = ghlo_ir_type_tensor (module, f32, shape, 1, NULL, NULL);
  const GhloIrNamedAttr attributes[] = {
    { "sym_name", ghlo_ir_attr_string (module, "f", -1) },
    { "function_type", ghlo_ir_attr_type (module, ghlo_ir_type_function (module, &type, 1, &type, 1)) },
  };
  GhloIrOp *func, *add, *end;
  GhloIrBlock *body;
  GhloIrValue *argument, *operands[2];

  module->op = ghlo_ir_op_new (module, &(GhloIrOpState) { .kind = GHLO_OP_BUILTIN_MODULE, .n_regions = 1 });
  ghlo_ir_region_add_block (module, &module->op->regions[0]);
  func = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_FUNC, .n_regions = 1, .attributes = attributes, .n_attributes = 2 });
  ghlo_ir_block_append (module->op->regions[0].first, func);
  body = ghlo_ir_region_add_block (module, &func->regions[0]);
  argument = ghlo_ir_block_add_argument (module, body, type, NULL);
  operands[0] = operands[1] = argument;
  add = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_STABLEHLO_ADD, .operands = operands, .n_operands = 2, .result_types = &type, .n_results = 1,
    .location = ghlo_ir_location_file (module, "a.py", 1, 2, 0, 0) });
  ghlo_ir_block_append (body, add);
  operands[0] = &add->results[0];
  end = ghlo_ir_op_new (module, &(GhloIrOpState) {
    .kind = GHLO_OP_FUNC_RETURN, .operands = operands, .n_operands = 1 });
  ghlo_ir_block_append (body, end);

  return module;
}

static void
test_module (void)
{
  g_autoptr (GhloIrModule) module = build_module ();
  g_autofree char *pretty = ghlo_ir_to_string (module, GHLO_IR_PRINT_STRIP_LOCATIONS);
  g_autofree char *located = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  g_autofree char *generic = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS);
  g_autoptr (GString) alone = g_string_new (NULL);

  g_assert_cmpstr (pretty, ==,
                   "module {\n"
                   "  func.func @f(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
                   "    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>\n"
                   "    return %0 : tensor<2xf32>\n"
                   "  }\n"
                   "}\n");
  g_assert_nonnull (strstr (located, "tensor<2xf32> loc(\"a.py\":1:2)\n"));
  g_assert_cmpstr (generic, ==,
                   "\"builtin.module\"() ({\n"
                   "  \"func.func\"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = \"f\"}> ({\n"
                   "  ^bb0(%arg0: tensor<2xf32>):\n"
                   "    %0 = \"stablehlo.add\"(%arg0, %arg0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
                   "    \"func.return\"(%0) : (tensor<2xf32>) -> ()\n"
                   "  }) : () -> ()\n"
                   "}) : () -> ()\n");

  ghlo_ir_print_op (ghlo_ir_func_get_body (ghlo_ir_module_find (module, "f"))->first,
                    GHLO_IR_PRINT_STRIP_LOCATIONS, alone);
  g_assert_cmpstr (alone->str, ==, "%1 = stablehlo.add %0, %0 : tensor<2xf32>");
}

/* Programs in the printer's form: parsing and printing changes nothing. */
static const char *const programs[] = {
  "module @named attributes {a.b = 1 : i32} {\n"
  "  func.func private @declared(tensor<f32> {x.y}, tensor<i1>) -> (tensor<f32> {x.z = \"w\"})\n"
  "  func.func public @two(%arg0: tensor<f32> {x.y = [1, 2]}, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) "
  "attributes {q} {\n"
  "    %0:2 = call @two(%arg0, %arg1) : (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)\n"
  "    return %0#0, %0#1 : tensor<f32>, tensor<f32>\n"
  "  }\n"
  "  func.func @nothing() {\n"
  "    return\n"
  "  }\n"
  "  module @inner {\n"
  "  }\n"
  "}\n",

  "module {\n"
  "  func.func @constants() {\n"
  "    %c = stablehlo.constant dense<-1> : tensor<1xi64>\n"
  "    %c_0 = stablehlo.constant {attr = 1 : i32} dense<[-2, 4]> : tensor<2xi64>\n"
  "    %cst = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> "
  "tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>\n"
  "    %cst_1 = stablehlo.constant() <{value = dense<4> : tensor<1xi8>}> {attr = 1 : i32} : () -> "
  "tensor<1x!quant.uniform<i8:f32, 2.000000e+00:15>>\n"
  "    %cst_2 = stablehlo.constant dense<[(0.000000e+00,1.000000e+00), (0x7F800000,-1.500000e+00)]> : "
  "tensor<2xcomplex<f32>>\n"
  "    %c_3 = stablehlo.constant dense<[[true, false]]> : tensor<1x2xi1>\n"
  "    %cst_4 = stablehlo.constant dense<> : tensor<0x2xf32>\n"
  "    return\n"
  "  }\n"
  "}\n",

  "module {\n"
  "  func.func @shorthands(%arg0: tensor<2xf32>, %arg1: tensor<2xi1>, %arg2: tensor<?xf32>, %arg3: tensor<1xi32>) "
  "-> !stablehlo.token {\n"
  "    %0 = stablehlo.add %arg0, %arg2 : (tensor<2xf32>, tensor<?xf32>) -> tensor<2xf32>\n"
  "    %1 = stablehlo.exponential %arg0 : tensor<2xf32>\n"
  "    %2 = stablehlo.exponential %arg0 {result_accuracy = "
  "#stablehlo.result_accuracy<ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2xf32>\n"
  "    %3 = stablehlo.select %arg1, %arg0, %arg0 : tensor<2xi1>, tensor<2xf32>\n"
  "    %4 = stablehlo.complex %arg0, %arg0 : tensor<2xcomplex<f32>>\n"
  "    %5 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<2xf32>, tensor<2xi1>>\n"
  "    %6 = stablehlo.tuple : tuple<>\n"
  "    %7 = stablehlo.get_tuple_element %5[0] : (tuple<tensor<2xf32>, tensor<2xi1>>) -> tensor<2xf32>\n"
  "    %8 = stablehlo.compare LT, %arg0, %arg0, TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>\n"
  "    %9 = stablehlo.slice %arg0 [0:2:2] : (tensor<2xf32>) -> tensor<1xf32>\n"
  "    %10 = stablehlo.reduce_precision %arg0, format = e8m10 : tensor<2xf32>\n"
  "    %11 = stablehlo.custom_call @\"not id\"(%arg0) {backend_config = \"bar\", has_side_effect = true} : "
  "(tensor<2xf32>) -> tensor<2xf32>\n"
  "    %12 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>\n"
  "    %13 = stablehlo.iota dim = 0 : tensor<4xi32>\n"
  "    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<2xf32>) -> "
  "(tensor<2xf32>, tensor<2x2xui32>)\n"
  "    %14:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<2xf32>, tensor<2xi1>\n"
  "    stablehlo.optimization_barrier()\n"
  "    %15 = stablehlo.after_all : !stablehlo.token\n"
  "    return %15 : !stablehlo.token\n"
  "  }\n"
  "}\n",

  "module {\n"
  "  func.func @products(%arg0: tensor<2x2x2xi8>, %arg1: tensor<2x2x3xi8>, %arg2: tensor<1x4x4x1xf32>, "
  "%arg3: tensor<2x2x1x1xf32>) -> tensor<2x2x3xi32> {\n"
  "    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], "
  "precision = [DEFAULT, HIGHEST], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, "
  "accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
  "allow_imprecise_accumulation = false> : (tensor<2x2x2xi8>, tensor<2x2x3xi8>) -> tensor<2x2x3xi32>\n"
  "    %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
  "window = {stride = [1, 1], pad = [[0, 0], [1, 2]], reverse = [false, true]} {batch_group_count = 1 : i64, "
  "feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x6x1xf32>\n"
  "    return %0 : tensor<2x2x3xi32>\n"
  "  }\n"
  "}\n",

  "module {\n"
  "  func.func @regions(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> tensor<f32> {\n"
  "    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] {foo = \"bar\"} : "
  "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
  "    %1 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> "
  "tensor<f32>\n"
  "     reducer(%arg3: tensor<f32>, %arg4: tensor<f32>)  {\n"
  "      %4 = stablehlo.divide %arg3, %arg4 : tensor<f32>\n"
  "      stablehlo.return %4 : tensor<f32>\n"
  "    }\n"
  "    %2:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : tensor<f32>, tensor<i32> attributes {x}\n"
  "    cond {\n"
  "      %4 = stablehlo.compare LT, %iterArg_0, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %4 : tensor<i1>\n"
  "    } do {\n"
  "      %4 = stablehlo.add %iterArg, %arg1 : tensor<f32>\n"
  "      stablehlo.return %4, %iterArg_0 : tensor<f32>, tensor<i32>\n"
  "    }\n"
  "    %3 = \"stablehlo.case\"(%arg2) ({\n"
  "      stablehlo.return %arg1 : tensor<f32>\n"
  "    }, {\n"
  "      %4 = stablehlo.negate %arg1 : tensor<f32>\n"
  "      stablehlo.return %4 : tensor<f32>\n"
  "    }) {a = 1 : i64} : (tensor<i32>) -> tensor<f32>\n"
  "    return %3 : tensor<f32>\n"
  "  }\n"
  "}\n",

  "module {\n"
  "  sdy.mesh @mesh = <[\"x\"=2]>\n"
  "  func.func @others(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}, %arg1: tensor<f32>) {\n"
  "    %0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\"}]> : tensor<8xf32>\n"
  "    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{\"x\"}]>] out_shardings=[<@mesh, [{\"x\"}]>] "
  "manual_axes={\"x\"} (%arg2: tensor<4xf32>) {\n"
  "      sdy.return %arg2 : tensor<4xf32>\n"
  "    } : (tensor<8xf32>) -> tensor<8xf32>\n"
  "    %2:2 = chlo.scan(%arg0) inits (%arg1) dimension=0 attributes {is_reverse = true} {\n"
  "    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):\n"
  "      stablehlo.return %arg2, %arg3 : tensor<f32>, tensor<f32>\n"
  "    } : (tensor<8xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<f32>)\n"
  "    %values, %indices = chlo.top_k(%arg0, k = 1, is_stable = false) : tensor<8xf32> -> "
  "(tensor<1xf32>, tensor<1xi32>)\n"
  "    %3 = stablehlo.composite \"x.y\" %arg0 ({\n"
  "      stablehlo.return\n"
  "    }) {decomposition = @others} : (tensor<8xf32>) -> tensor<f32>\n"
  "    %cast = tensor.cast %1 : tensor<8xf32> to tensor<?xf32>\n"
  "    %4 = shape.const_shape [4, 32] : tensor<2xindex>\n"
  "    %5 = builtin.unrealized_conversion_cast %arg0 : tensor<8xf32> to memref<8xf32, strided<[1]>, 1>\n"
  "    %c-5_i32 = arith.constant -5 : i32\n"
  "    %6 = stablehlo.dynamic_slice %arg1, sizes = [] : (tensor<f32>) -> tensor<f32>\n"
  "    check.expect_eq_const %arg1, dense<1.000000e+00> : tensor<f32>\n"
  "    return\n"
  "  }\n"
  "}\n",

  "module {\n"
  "  func.func @located(%arg0: tensor<f32> loc(\"x\")) -> tensor<f32> {\n"
  "    %0 = stablehlo.abs %arg0 : tensor<f32> loc(callsite(\"a\"(\"f.py\":1:2) at fused[\"b\", unknown]))\n"
  "    return %0 : tensor<f32> loc(unknown)\n"
  "  } loc(\"f.py\":3:4 to :5)\n"
  "} loc(\"m\")\n",

  "module {\n"
  "  func.func @resources() {\n"
  "    %cst = stablehlo.constant dense_resource<b> : tensor<2xf32>\n"
  "    %c = stablehlo.constant dense_resource<a> : tensor<1xi16>\n"
  "    return\n"
  "  }\n"
  "}\n"
  "\n"
  "{-#\n"
  "  dialect_resources: {\n"
  "    builtin: {\n"
  "      a: \"0x400000000100\",\n"
  "      b: \"0x400000000000803F00000040\"\n"
  "    }\n"
  "  }\n"
  "#-}\n",
};

static GhloIrModule *
read_text (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);
  g_assert_nonnull (module);

  return module;
}

static void
test_programs (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (GhloIrModule) module = read_text (programs[i]);
      g_autofree char *pretty = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
      g_autofree char *generic = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);
      g_autoptr (GhloIrModule) from_generic = read_text (generic);
      g_autofree char *pretty_again = ghlo_ir_to_string (from_generic, GHLO_IR_PRINT_DEFAULT);
      g_autofree char *generic_again = ghlo_ir_to_string (from_generic, GHLO_IR_PRINT_GENERIC);

      g_assert_cmpstr (pretty, ==, programs[i]);
      g_assert_cmpstr (generic_again, ==, generic);
      g_assert_cmpstr (pretty_again, ==, programs[i]);
    }
}

/* Operations that the pretty form cannot represent without loss. */
static void
test_generic_fallback (void)
{
  const char *text =
    "func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<f32>) -> tensor<f32> {\n"
    "  %0 = \"stablehlo.reduce\"(%arg0, %arg1) ({\n"
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
    "    %1 = stablehlo.add %a, %b {kept} : tensor<f32>\n"
    "    stablehlo.return %1 : tensor<f32>\n"
    "  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>\n"
    "  %2 = \"stablehlo.slice\"(%arg0) {start_indices = array<i64: 0, 1>, limit_indices = array<i64: 1>,\n"
    "    strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<1xf32>\n"
    "  return %0 : tensor<f32>\n"
    "}\n";
  g_autoptr (GhloIrModule) module = read_text (text);
  g_autofree char *pretty = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);

  g_assert_nonnull (strstr (pretty, "%2 = stablehlo.add %arg2, %arg3 {kept} : tensor<f32>\n"));
  g_assert_null (strstr (pretty, "applies"));
  g_assert_nonnull (strstr (pretty, "\"stablehlo.slice\"(%arg0) <{limit_indices = array<i64: 1>, "
                                    "start_indices = array<i64: 0, 1>, strides = array<i64: 1>}> : "));
}

/* A default value that the pretty form needs is printed, as in the generic form. */
static void
test_default (void)
{
  g_autoptr (GhloIrModule) module = read_text (
    "func.func @f(%arg0: tensor<f32>) {\n  \"check.expect_close\"(%arg0, %arg0) {min_ulp_difference = 0 : ui64} : "
    "(tensor<f32>, tensor<f32>) -> ()\n  return\n}\n");
  g_autofree char *pretty = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);

  g_assert_nonnull (strstr (pretty, "  check.expect_close %arg0, %arg0, max_ulp_difference = 1 : tensor<f32>, "
                                    "tensor<f32>\n"));
}

static void
test_flags (void)
{
  g_autoptr (GString) text = g_string_new ("func.func @f() {\n  %0 = stablehlo.constant dense<[");
  g_autoptr (GhloIrModule) module = NULL;
  g_autofree char *whole = NULL, *elided = NULL;

  for (guint i = 0; i < 65; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", i);
  g_string_append (text, "]> : tensor<65xi32> loc(\"x\")\n  return\n}\n");
  module = read_text (text->str);
  whole = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  elided = ghlo_ir_to_string (module, GHLO_IR_PRINT_ELIDE_LARGE | GHLO_IR_PRINT_STRIP_LOCATIONS);

  g_assert_nonnull (strstr (whole, ", 63, 64]> : tensor<65xi32> loc(\"x\")\n"));
  g_assert_nonnull (strstr (elided, "constant dense_resource<__elided__> : tensor<65xi32>\n"));
}

/* Lack of memory for a large constant is an error when parsing and when printing. */
static void
test_limited (void)
{
  enum { SIZE = 1 << 25, EXTRA = 1 << 24 };
  int code;
  g_autoptr (GString) text = NULL;
  g_autoptr (GBytes) source = NULL;
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GError) error = NULL;

  if (!limit_memory_in_subprocess ())
    return;

  text = g_string_new ("func.func @main() -> tensor<33554432xi8> {\n  %0 = stablehlo.constant dense<\"0x");
  for (gsize i = 0; i < SIZE; i++)
    g_string_append (text, i % 2 == 0 ? "5A" : "A5");
  g_string_append (text, "\"> : tensor<33554432xi8>\n  return %0 : tensor<33554432xi8>\n}\n");
  source = g_bytes_new_static (text->str, text->len);
  module = import_code (source, &code);
  g_assert_nonnull (module);

  limit_memory (EXTRA);
  g_assert_null (import_code (source, &code));
  g_assert_cmpint (code, ==, GHLO_ERROR_OUT_OF_MEMORY);
  g_assert_null (ghlo_ir_to_text (module, GHLO_IR_PRINT_DEFAULT, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/print/types", test_types);
  g_test_add_func ("/print/attributes", test_attrs);
  g_test_add_func ("/print/structures", test_structures);
  g_test_add_func ("/print/elements", test_elements);
  g_test_add_func ("/print/locations", test_locations);
  g_test_add_func ("/print/module", test_module);
  g_test_add_func ("/print/programs", test_programs);
  g_test_add_func ("/print/generic-fallback", test_generic_fallback);
  g_test_add_func ("/print/default", test_default);
  g_test_add_func ("/print/flags", test_flags);
  g_test_add_func ("/print/limited", test_limited);

  return g_test_run ();
}
