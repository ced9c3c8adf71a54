/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Windows as steps read them: the numbers of each operation, those without effect, and the limit; and the helpers that
 * compute with such numbers.
 */

#include <string.h>

#include "base/sizes.h"
#include "import/import.h"
#include "ir/verify/verify.h"
#include "ir/window.h"

#define LARGE "4611686018427387904"        /* 2^62 */
#define MOST  "70368744177664"             /* 2^46, the limit */
#define MORE  "70368744177665"

/* An operation of the kind @name, one of whose dimensions has these numbers. */
typedef struct
{
  const char *name, *text;
  gboolean    is_read;
  gint64      stride, base_dilation, window_dilation, low, high;
} Case;

#define CONVOLUTION(input, kernel, output, window) \
  "func.func @main(%x: tensor<1x" input "x2xf32>, %k: tensor<" kernel "x2x3xf32>) -> tensor<1x" output "x3xf32> {\n" \
  "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {" window "} " \
  "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x" input "x2xf32>, tensor<" kernel \
  "x2x3xf32>) -> tensor<1x" output "x3xf32>\n  func.return %0 : tensor<1x" output "x3xf32>\n}\n"

#define PAD(input, output, low, high, interior) \
  "func.func @main(%x: tensor<" input "xf32>, %v: tensor<f32>) -> tensor<" output "xf32> {\n" \
  "  %0 = stablehlo.pad %x, %v, low = [" low "], high = [" high "], interior = [" interior "] : (tensor<" input \
  "xf32>, tensor<f32>) -> tensor<" output "xf32>\n  func.return %0 : tensor<" output "xf32>\n}\n"

#define REDUCE_WINDOW(input, output, attributes) \
  "func.func @main(%x: tensor<" input "xf32>, %v: tensor<f32>) -> tensor<" output "xf32> {\n" \
  "  %0 = \"stablehlo.reduce_window\"(%x, %v) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" \
  "    %s = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %s : tensor<f32>\n  }) {" attributes "} : " \
  "(tensor<" input "xf32>, tensor<f32>) -> tensor<" output "xf32>\n  func.return %0 : tensor<" output "xf32>\n}\n"

static const Case cases[] = {
  { "convolution", CONVOLUTION ("5", "2", "3", "stride = [2], pad = [[1, 2]], lhs_dilate = [1], rhs_dilate = [2]"),
    TRUE, 2, 1, 2, 1, 2 },
  { "no-attributes", CONVOLUTION ("5", "2", "4", ""), TRUE, 1, 1, 1, 0, 0 },
  { "single-elements", CONVOLUTION ("1", "1", "1", "stride = [" LARGE "], pad = [[0, 0]], lhs_dilate = [" LARGE
                                    "], rhs_dilate = [" LARGE "]"), TRUE, 1, 1, 1, 0, 0 },
  { "far-input", CONVOLUTION ("2", "1", "4", "pad = [[-" LARGE ", 3]], lhs_dilate = [" LARGE "]"), FALSE },
  { "far-taps", CONVOLUTION ("3", "2", "1", "pad = [[" MORE ", -2]], rhs_dilate = [" MORE "]"), FALSE },
  { "near-taps", CONVOLUTION ("3", "2", "1", "pad = [[" MOST ", -2]], rhs_dilate = [" MOST "]"), TRUE,
    1, 1, G_GINT64_CONSTANT (70368744177664), G_GINT64_CONSTANT (70368744177664), -2 },
  { "far-positions", CONVOLUTION ("1", "1", "2", "stride = [" MORE "], pad = [[0, " MORE "]]"), FALSE },
  { "pad", PAD ("3", "8", "1", "2", "1"), TRUE, 1, 2, 1, 1, 2 },
  { "one-padded", PAD ("1", "4", "1", "2", "9223372036854775807"), TRUE, 1, 1, 1, 1, 2 },
  { "far-padded", PAD ("2", "3", "-" LARGE, "1", LARGE), FALSE },
  { "cropped", PAD ("3", "0", "-9223372036854775808", "9223372036854775805", "0"), FALSE },
  { "window", REDUCE_WINDOW ("5", "3", "window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, "
                             "window_dilations = array<i64: 2>, padding = dense<[[1, 2]]> : tensor<1x2xi64>"),
    TRUE, 2, 1, 2, 1, 2 },
  { "wide-window", REDUCE_WINDOW ("5", "0", "window_dimensions = array<i64: " MORE ">"), FALSE },
};

static void
test_case (gconstpointer data)
{
  const Case *self = data;
  gsize length = strlen (self->text);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (self->name, self->text, length);
  g_autoptr (GhloIrModule) module = ghlo_import_text (self->text, length, GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  const GhloIrOp *op;
  GhloIrWindow window;

  g_assert_nonnull (module);
  g_assert_true (ghlo_ir_verify (module, diagnostics, NULL));
  op = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->first;
  if (!self->is_read)
    {
      g_assert_nonnull (ghlo_ir_window_read (&window, op));
      return;
    }
  g_assert_null (ghlo_ir_window_read (&window, op));
  g_assert_cmpuint (window.rank, ==, 1);
  g_assert_cmpint (window.dims[0].stride, ==, self->stride);
  g_assert_cmpint (window.dims[0].base_dilation, ==, self->base_dilation);
  g_assert_cmpint (window.dims[0].window_dilation, ==, self->window_dilation);
  g_assert_cmpint (window.dims[0].padding_low, ==, self->low);
  g_assert_cmpint (window.dims[0].padding_high, ==, self->high);
}

static void
test_bytes (void)
{
  const GhloIrWindowDim near = { .input = 4, .output = 4, .size = 1, .stride = 1, .base_dilation = 1,
                                 .window_dilation = 1 };
  GhloIrWindowDim far = near;

  g_assert_true (ghlo_ir_window_fits_bytes (&near, GHLO_IR_MAX_REACH));
  g_assert_true (ghlo_ir_window_fits_bytes (&near, -GHLO_IR_MAX_REACH));
  far.padding_low = -GHLO_IR_MAX_REACH;
  g_assert_true (ghlo_ir_window_fits_bytes (&far, 4));
  g_assert_false (ghlo_ir_window_fits_bytes (&far, GHLO_IR_MAX_REACH));
}

static void
test_rounding (void)
{
  gint64 sum = G_MAXINT64 - 6;

  g_assert_cmpint (ghlo_ceil_div (0, G_MAXINT64), ==, 0);
  g_assert_cmpint (ghlo_ceil_div (1, G_MAXINT64), ==, 1);
  g_assert_cmpint (ghlo_ceil_div (G_MAXINT64, 2), ==, G_MAXINT64 / 2 + 1);
  g_assert_cmpint (ghlo_ceil_div (G_MAXINT64, G_MAXINT64), ==, 1);
  g_assert_cmpint (ghlo_round_up (G_MAXINT64 - 1, 2), ==, G_MAXINT64 - 1);
  g_assert_cmpuint (ghlo_size_ceil_div (G_MAXSIZE, 2), ==, G_MAXSIZE / 2 + 1);
  g_assert_true (ghlo_int_add_product (&sum, 2, 3));
  g_assert_cmpint (sum, ==, G_MAXINT64);
  g_assert_false (ghlo_int_add_product (&sum, 1, 1));
  g_assert_false (ghlo_int_add_product (&sum, G_MAXINT64, -2));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/ir/window/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/ir/window/bytes", test_bytes);
  g_test_add_func ("/base/sizes/rounding", test_rounding);

  return g_test_run ();
}
