/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensor types: construction, parsing, printing, comparison, sizes.
 */

#include "base/sizes.h"
#include "base/tensor-type.h"

static void
test_new (void)
{
  gint64 dimensions[] = { 2, GHLO_DYNAMIC, 3 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_BF16, dimensions, 3);
  g_autoptr (GhloTensorType) scalar = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_I1, NULL, 0);
  g_autofree char *text = ghlo_tensor_type_to_string (type);
  gsize n;

  g_assert_cmpstr (text, ==, "tensor<2x?x3xbf16>");
  g_assert_cmpuint (ghlo_tensor_type_get_rank (type), ==, 3);
  g_assert_cmpint (ghlo_tensor_type_get_dimensions (type, &n)[2], ==, 3);
  g_assert_cmpuint (n, ==, 3);
  g_assert_false (ghlo_tensor_type_is_static (type));
  g_assert_false (ghlo_tensor_type_is_quantized (type));
  g_assert_cmpint (ghlo_tensor_type_get_n_elements (type), ==, -1);
  g_assert_cmpint (ghlo_tensor_type_get_size (type), ==, -1);

  g_assert_null (ghlo_tensor_type_get_dimensions (scalar, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_cmpint (ghlo_tensor_type_get_size (scalar), ==, 1);

  dimensions[0] = -2;
  g_assert_null (ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 3));
  g_assert_null (ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_INVALID, NULL, 0));
  g_assert_null (ghlo_tensor_type_new ((GhloElementType) 99, NULL, 0));
  g_assert_null (ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, GHLO_MAX_RANK + 1));
  g_assert_null (ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, NULL, 1));
}

static void
test_parse (void)
{
  static const struct
  {
    const char *text;
    const char *spelling;
    gint64      n_elements;
    gint64      size;
  } rows[] = {
    { "tensor<2x3xf32>", "tensor<2x3xf32>", 6, 24 },
    { "2x3xf32", "tensor<2x3xf32>", 6, 24 },
    { "f32", "tensor<f32>", 1, 4 },
    { "tensor<complex<f64>>", "tensor<complex<f64>>", 1, 16 },
    { "4xcomplex<f32>", "tensor<4xcomplex<f32>>", 4, 32 },
    { "tensor<0x1xf8E4M3B11FNUZ>", "tensor<0x1xf8E4M3B11FNUZ>", 0, 0 },
    { "?x?xi4", "tensor<?x?xi4>", -1, -1 },
    { "tensor<?x3xui8, #stablehlo.bounds<4, ?>>", "tensor<?x3xui8, #stablehlo.bounds<4, ?>>", -1, -1 },
    { "tensor<9223372036854775807xi8>", "tensor<9223372036854775807xi8>", G_MAXINT64, G_MAXINT64 },
    { "tensor<9223372036854775807xi16>", "tensor<9223372036854775807xi16>", G_MAXINT64, -1 },
    { "tensor<4294967296x4294967296xi8>", "tensor<4294967296x4294967296xi8>", -1, -1 },
    { "tensor<4294967296x4294967296x0xi8>", "tensor<4294967296x4294967296x0xi8>", 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (rows[i].text, &error);
      g_autofree char *text = NULL;
      g_autoptr (GhloTensorType) again = NULL;

      g_assert_no_error (error);
      text = ghlo_tensor_type_to_string (type);
      g_assert_cmpstr (text, ==, rows[i].spelling);
      g_assert_cmpint (ghlo_tensor_type_get_n_elements (type), ==, rows[i].n_elements);
      g_assert_cmpint (ghlo_tensor_type_get_size (type), ==, rows[i].size);
      again = ghlo_tensor_type_parse (text, NULL);
      g_assert_true (ghlo_tensor_type_equal (type, again));
      g_assert_cmpuint (ghlo_tensor_type_hash (type), ==, ghlo_tensor_type_hash (again));
    }
}

static void
test_parse_errors (void)
{
  static const char *const texts[] = {
    "", "tensor", "tensor<", "tensor<>", "tensor<2xf32", "tensor<2xf32>>", "2xf32>", "2x", "x2xf32", "2xx3xf32",
    "-1xf32", "tensor< 2xf32>", "2xf32 ", "2xf", "2xf320", "2xF32", "tensor<2,f32>", "tensor<*xf32>",
    "9223372036854775808xf32", "99999999999999999999xf32", "tensor<?xf32, >", "tensor<?xf32, #stablehlo.bounds<>>",
    "tensor<?xf32, #stablehlo.bounds<4, 5>>", "tensor<3xf32, #stablehlo.bounds<4>>",
    "!quant", "!quant.uniform<i8:f32, 1.0", "!quant.uniform<>", "!quant.uniform<i8>", "!quant.uniform<f32:f32, 1.0>",
    "!quant.uniform<i64:f32, 1.0>", "!quant.uniform<i1:f32, 1.0>", "!quant.uniform<i3:f32, 1.0>",
    "!quant.uniform<si8:f32, 1.0>", "!quant.uniform<i08:f32, 1.0>", "!quant.uniform<i8:i32, 1.0>",
    "!quant.uniform<i8:f32, 0.0>", "!quant.uniform<i8:f32, -1.0>", "!quant.uniform<i8:f32, inf>",
    "!quant.uniform<i8:f32, 0x1p3>", "!quant.uniform<i8:f32, 1e39>", "!quant.uniform<i8:f16, 1e-9>",
    "!quant.uniform<i8:f32, 1.0:>", "!quant.uniform<i8:f32, 1.0:0.5>",
    "!quant.uniform<i8:f32, 1.0:9223372036854775808>", "!quant.uniform<i8<-129:127>:f32, 1.0>",
    "!quant.uniform<i8<5:5>:f32, 1.0>", "!quant.uniform<i8<-1>:f32, 1.0>", "!quant.uniform<i8:f32:0, {1.0}>",
    "2x!quant.uniform<i8:f32:0, {1.0}>", "2x!quant.uniform<i8:f32:1, {1.0,1.0}>", "2x!quant.uniform<i8:f32:0, {}>",
    "2x!quant.uniform<i8:f32:0, 1.0>", "2x!quant.uniform<i8:f32:-1, {1.0,1.0}>",
    "2x!quant.uniform<i8:f32:{0:1}, {1.0}>", "!quant.uniform<i8:f32:99, {1.0}>", "\xff\xfe", "2xcomplex<f32",
    "2xcomplex<f16>", "token",
  };
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_assert_null (ghlo_tensor_type_parse (texts[i], &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_clear_error (&error);
    }
  g_assert_null (ghlo_tensor_type_parse (NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);

  for (guint i = 0; i < GHLO_MAX_RANK + 1; i++)
    g_string_append (deep, "1x");
  g_string_append (deep, "f32");
  g_assert_null (ghlo_tensor_type_parse (deep->str, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (ghlo_tensor_type_parse ("2xf", &error));
  g_assert_cmpstr (error->message, ==,
                   "expected a dimension or an element type in tensor type '2xf' at character 3, found 'f'");
}

static void
test_equal (void)
{
  static const char *const texts[] = {
    "f32", "f64", "1xf32", "1x1xf32", "?xf32", "2xf32", "tensor<?xf32, #stablehlo.bounds<4>>",
    "tensor<?xf32, #stablehlo.bounds<5>>",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (texts); j++)
      {
        g_autoptr (GhloTensorType) a = ghlo_tensor_type_parse (texts[i], NULL);
        g_autoptr (GhloTensorType) b = ghlo_tensor_type_parse (texts[j], NULL);

        g_assert_cmpint (ghlo_tensor_type_equal (a, b), ==, i == j);
      }
}

static char *
spell (GhloElementType storage,
       gint64          min,
       gint64          max,
       gint32          axis,
       const double   *scales,
       const gint64   *zero_points,
       gsize           n)
{
  g_autoptr (GhloQuantization) quantization
      = ghlo_quantization_new (storage, GHLO_ELEMENT_TYPE_F32, min, max, axis, scales, zero_points, n);
  gint64 dimensions[] = { 2 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new_full (storage, dimensions, NULL, 1, quantization);

  g_assert_true (ghlo_tensor_type_is_quantized (type));

  return ghlo_tensor_type_to_string (type);
}

static void
test_quantized (void)
{
  double scales[] = { 2, 0.1 };
  gint64 zero_points[] = { 15, 0 };
  g_autofree char *per_tensor = spell (GHLO_ELEMENT_TYPE_I8, -128, 127, -1, scales, zero_points, 1);
  g_autofree char *narrow = spell (GHLO_ELEMENT_TYPE_I8, -127, 127, -1, scales, zero_points + 1, 1);
  g_autofree char *per_axis = spell (GHLO_ELEMENT_TYPE_UI8, 0, 255, 0, scales, zero_points, 2);

  g_assert_cmpstr (per_tensor, ==, "tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>");
  g_assert_cmpstr (narrow, ==, "tensor<2x!quant.uniform<i8<-127:127>:f32, 2.000000e+00>>");
  g_assert_cmpstr (per_axis, ==, "tensor<2x!quant.uniform<ui8:f32:0, {2.000000e+00:15,1.000000e-01}>>");
}

/* A printed type is parsed to the same type, with the same parameters. */
static void
test_parse_quantized (void)
{
  static const struct { const char *text, *spelling; GhloElementType storage, expressed; int axis; guint n; } rows[] = {
    { "tensor<4x!quant.uniform<i8:f32, 0.1:3>>", "tensor<4x!quant.uniform<i8:f32, 1.000000e-01:3>>",
      GHLO_ELEMENT_TYPE_I8, GHLO_ELEMENT_TYPE_F32, -1, 1 },
    { "!quant.uniform<u8:bf16, 2>", "tensor<!quant.uniform<ui8:bf16, 2.000000e+00>>",
      GHLO_ELEMENT_TYPE_UI8, GHLO_ELEMENT_TYPE_BF16, -1, 1 },
    { "?x!quant.uniform<i4<-7:7>:f16:0, {0.5:-3, 0.25}>",
      "tensor<?x!quant.uniform<i4<-7:7>:f16:0, {5.000000e-01:-3,2.500000e-01}>>",
      GHLO_ELEMENT_TYPE_I4, GHLO_ELEMENT_TYPE_F16, 0, 2 },
    { "tensor<?x3x!quant.uniform<i32:f64:1, {1e-3,2.5,3}>, #stablehlo.bounds<4, ?>>",
      "tensor<?x3x!quant.uniform<i32:f64:1, {1.000000e-03,2.500000e+00,3.000000e+00}>, #stablehlo.bounds<4, ?>>",
      GHLO_ELEMENT_TYPE_I32, GHLO_ELEMENT_TYPE_F64, 1, 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (rows[i].text, &error), again = NULL;
      g_autofree char *text = NULL;
      gsize n_scales, n_zero_points;

      g_assert_no_error (error);
      text = ghlo_tensor_type_to_string (type);
      g_assert_cmpstr (text, ==, rows[i].spelling);
      again = ghlo_tensor_type_parse (text, NULL);
      g_assert_true (ghlo_tensor_type_equal (type, again));
      g_assert_cmpuint (ghlo_tensor_type_hash (type), ==, ghlo_tensor_type_hash (again));
      g_assert_cmpint (ghlo_tensor_type_get_element_type (type), ==, rows[i].storage);
      g_assert_cmpint (ghlo_tensor_type_get_expressed_type (type), ==, rows[i].expressed);
      g_assert_cmpint (ghlo_tensor_type_get_quantized_axis (type), ==, rows[i].axis);
      g_assert_nonnull (ghlo_tensor_type_get_scales (type, &n_scales));
      g_assert_nonnull (ghlo_tensor_type_get_zero_points (type, &n_zero_points));
      g_assert_true (n_scales == rows[i].n && n_zero_points == rows[i].n);
    }
}

static void
test_new_quantized (void)
{
  const double scales[] = { 0.5, 0.25 };
  const gint64 zero_points[] = { -3, 0 };
  g_autoptr (GhloTensorType) stored = ghlo_tensor_type_parse ("2x3xi8", NULL), plain = NULL, wide = NULL;
  g_autoptr (GhloTensorType) type = NULL, other = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize n;

  type = ghlo_tensor_type_new_quantized (stored, GHLO_ELEMENT_TYPE_F32, scales, 2, zero_points, 2, 0, -127, 127,
                                         &error);
  g_assert_no_error (error);
  text = ghlo_tensor_type_to_string (type);
  g_assert_cmpstr (text, ==, "tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {5.000000e-01:-3,2.500000e-01}>>");
  g_assert_cmpint (ghlo_tensor_type_get_size (type), ==, 6);
  g_assert_cmpint (ghlo_tensor_type_get_storage_min (type), ==, -127);
  g_assert_cmpint (ghlo_tensor_type_get_storage_max (type), ==, 127);
  g_assert_cmpint (ghlo_tensor_type_get_zero_points (type, NULL)[0], ==, -3);
  g_assert_cmpfloat (ghlo_tensor_type_get_scales (type, NULL)[1], ==, 0.25);
  other = ghlo_tensor_type_new_quantized (stored, GHLO_ELEMENT_TYPE_F32, scales, 1, NULL, 0, -1, 0, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ghlo_tensor_type_get_storage_min (other), ==, -128);
  g_assert_false (ghlo_tensor_type_equal (type, other));

  /* A type that is not quantized has no scales. */
  g_assert_null (ghlo_tensor_type_get_scales (stored, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_null (ghlo_tensor_type_get_zero_points (stored, NULL));
  g_assert_cmpint (ghlo_tensor_type_get_expressed_type (stored), ==, GHLO_ELEMENT_TYPE_INVALID);
  g_assert_cmpint (ghlo_tensor_type_get_quantized_axis (stored), ==, -1);

  plain = ghlo_tensor_type_parse ("2xf32", NULL);
  wide = ghlo_tensor_type_parse ("2xi64", NULL);
  for (guint i = 0; i < 10; i++)
    {
      GhloTensorType *storage = i == 0 ? NULL : i == 1 ? plain : i == 2 ? wide : i == 3 ? type : stored;
      const GhloElementType expressed = i == 4 ? GHLO_ELEMENT_TYPE_I8 : GHLO_ELEMENT_TYPE_F32;
      const double minus = -1;

      g_assert_null (ghlo_tensor_type_new_quantized (storage, expressed, i == 5 ? &minus : scales, i == 6 ? 2 : 1,
                                                     zero_points, i == 7 ? 2 : 0, i == 8 ? 2 : -1, i == 9 ? -200 : 0,
                                                     i == 9 ? 5 : 0, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
}

static void
test_boxed (void)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("2xf32", NULL);
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GHLO_TYPE_TENSOR_TYPE);
  g_value_set_boxed (&value, type);
  g_assert_true (g_value_get_boxed (&value) == type);
  g_value_unset (&value);
}

#define HUGE (G_GINT64_CONSTANT (1) << 60)

static void
test_strides (void)
{
  static const struct
  {
    gint64 dimensions[4];
    guint  rank;
    gint64 unit, strides[4];
  } cases[] = {
    { { 0 }, 0, 4, { 0 } },
    { { 2, 3, 5 }, 3, 1, { 15, 5, 1 } },
    { { 2, 3, 5 }, 3, 8, { 120, 40, 8 } },
    { { 2, 0, 5 }, 3, 4, { 20, 20, 4 } },
    { { 4, 0, HUGE, 5 }, 4, 2, { 0, 0, 0, 2 } },
    { { 4, 0, 3, HUGE }, 4, 2, { 0, 3 * 2 * HUGE, 2 * HUGE, 2 } },
    { { 0, G_MAXINT64, G_MAXINT64 }, 3, 1, { 0, 0, 1 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 strides[4];

      ghlo_shape_strides (cases[i].dimensions, cases[i].rank, cases[i].unit, strides);
      g_assert_cmpmem (strides, cases[i].rank * sizeof strides[0],
                       cases[i].strides, cases[i].rank * sizeof strides[0]);
    }
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/tensor-type/new", test_new);
  g_test_add_func ("/tensor-type/parse", test_parse);
  g_test_add_func ("/tensor-type/parse-errors", test_parse_errors);
  g_test_add_func ("/tensor-type/equal", test_equal);
  g_test_add_func ("/tensor-type/quantized", test_quantized);
  g_test_add_func ("/tensor-type/parse-quantized", test_parse_quantized);
  g_test_add_func ("/tensor-type/new-quantized", test_new_quantized);
  g_test_add_func ("/tensor-type/boxed", test_boxed);
  g_test_add_func ("/tensor-type/strides", test_strides);

  return g_test_run ();
}
