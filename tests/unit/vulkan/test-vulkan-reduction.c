/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which groups of operations with reductions become one kernel on a Vulkan device. Only one of the tests needs a
 * device.
 */

#include "../reference/reference-programs.h"

#include "gpu/reduction.h"

#include "vulkan-program.h"

/* A program with the sums %s over some dimensions and their elementwise successor %r; %d, the elements minus their
 * sums; the sums of %d, or maxima next to the sums; and the program's end. */
#define SUMS(operand, result, dimensions) \
  "func.func @main(%x: tensor<" operand "xf32>) -> tensor<" result "xf32> {\n" \
  "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %e = stablehlo.exponential %x : tensor<" operand "xf32>\n" \
  "  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [" dimensions "] : " \
  "(tensor<" operand "xf32>, tensor<f32>) -> tensor<" result "xf32>\n" \
  "  %r = stablehlo.rsqrt %s : tensor<" result "xf32>\n"
#define AGAIN(operand, result, to) \
  "  %b = stablehlo.broadcast_in_dim %r, dims = [" to "] : (tensor<" result "xf32>) -> tensor<" operand "xf32>\n" \
  "  %d = stablehlo.subtract %x, %b : tensor<" operand "xf32>\n"
#define SUMS_AGAIN(operand, result, dimensions) \
  "  %t = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [" dimensions "] : " \
  "(tensor<" operand "xf32>, tensor<f32>) -> tensor<" result "xf32>\n"
#define SUMS_BESIDE(operand, result, dimensions) \
  "  %t = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [" dimensions "] : " \
  "(tensor<" operand "xf32>, tensor<f32>) -> tensor<" result "xf32>\n"
#define END(result) "  return %r : tensor<" result "xf32>\n}\n"

typedef struct
{
  const char *name, *text;
  gboolean    is_one;
} Case;

static const Case cases[] = {
  /* Elementwise operations before a reduction and on its results do not need a second pass over the elements. */
  { "plain/columns", SUMS ("100352x64", "64", "0") END ("64"), TRUE },
  { "plain/rows", SUMS ("8x100000", "8", "1") END ("8"), TRUE },
  { "beside", SUMS ("8x100000", "8", "1") SUMS_BESIDE ("8x100000", "8", "1") END ("8"), TRUE },
  /* Few results, each reduced from many elements. */
  { "columns", SUMS ("100352x64", "64", "0") AGAIN ("100352x64", "64", "1") END ("64"), FALSE },
  { "dimensions", SUMS ("32x56x56x64", "64", "0, 1, 2") AGAIN ("32x56x56x64", "64", "3") END ("64"), FALSE },
  { "rows", SUMS ("8x100000", "8", "1") AGAIN ("8x100000", "8", "0") END ("8"), FALSE },
  { "reductions", SUMS ("8x100000", "8", "1") AGAIN ("8x100000", "8", "0") SUMS_AGAIN ("8x100000", "8", "1") END ("8"),
    FALSE },
  { "whole", SUMS ("1x65536", "1", "1") AGAIN ("1x65536", "1", "0") END ("1"), FALSE },
  /* Many results, or short rows. */
  { "many-rows", SUMS ("4096x10000", "4096", "1") AGAIN ("4096x10000", "4096", "0") END ("4096"), TRUE },
  { "fewer-rows", SUMS ("4095x10000", "4095", "1") AGAIN ("4095x10000", "4095", "0") END ("4095"), FALSE },
  { "short-rows", SUMS ("64x8192", "64", "1") AGAIN ("64x8192", "64", "0") END ("64"), TRUE },
  { "longer-rows", SUMS ("64x8193", "64", "1") AGAIN ("64x8193", "64", "0") END ("64"), FALSE },
  { "short-columns", SUMS ("1024x64", "64", "0") AGAIN ("1024x64", "64", "1") END ("64"), TRUE },
  { "longer-columns", SUMS ("1025x64", "64", "0") AGAIN ("1025x64", "64", "1") END ("64"), FALSE },
  /* The elements of a row are adjacent, whatever dimensions of size one follow. */
  { "ones", SUMS ("64x8192x1", "64x1", "1") AGAIN ("64x8192x1", "64x1", "0, 2") END ("64x1"), TRUE },
};

static void
test_case (gconstpointer data)
{
  const Case *tested = data;
  g_autoptr (GhloIrModule) module = parse (tested->text);
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
  g_autoptr (GPtrArray) ops = g_ptr_array_new ();
  const char *reason;

  for (const GhloIrOp *op = body->first; op != body->last; op = op->next)
    g_ptr_array_add (ops, (gpointer) op);
  reason = ghlo_gpu_reduction_obstacle ((const GhloIrOp *const *) ops->pdata, ops->len);
  if (tested->is_one)
    g_assert_cmpstr (reason, ==, NULL);
  else
    g_assert_nonnull (reason);
}

/* Sums of 64 columns of @n elements, which are then subtracted, have a plan that begins with @expected. */
static void
check_fused (GhloGpuDevice *device,
             guint          n,
             const char    *expected)
{
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: tensor<%ux64xf32>) -> tensor<%ux64xf32> {\n"
    "  %%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %%s = stablehlo.reduce(%%x init: %%z) applies stablehlo.add across dimensions = [0] : "
    "(tensor<%ux64xf32>, tensor<f32>) -> tensor<64xf32>\n"
    "  %%b = stablehlo.broadcast_in_dim %%s, dims = [1] : (tensor<64xf32>) -> tensor<%ux64xf32>\n"
    "  %%d = stablehlo.subtract %%x, %%b : tensor<%ux64xf32>\n"
    "  return %%d : tensor<%ux64xf32>\n}\n", n, n, n, n, n, n);
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GhloPrepared) prepared = vulkan_program_fuse (device, module, NULL);
  g_autofree char *plan = ghlo_prepared_describe (prepared);

  g_test_message ("%s", plan);
  g_assert_true (g_str_has_prefix (plan, expected));
}

static void
test_fused (void)
{
  GhloGpuDevice *device = vulkan_program_open ();

  if (device == NULL)
    return;
  check_fused (device, 1024, "plan: 1 step,");
  check_fused (device, 1025, "plan: 2 steps,");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/vulkan/reduction/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/vulkan/reduction/fused", test_fused);

  return g_test_run ();
}
