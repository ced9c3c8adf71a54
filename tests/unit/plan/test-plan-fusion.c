/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Products and convolutions that one step of a plan computes together with the operations that follow: which of them do
 * and which do not, and that the results have the same bits as one step per operation and agree with the reference
 * executor's. Composites that are named as fusions but contain something else are tested, too.
 */

#include "plan-runs.h"

#define HEAD "func.func @main(%x: tensor<6x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %r: tensor<6x4xf32>) "
#define DOT(result) \
  "  " result " = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : " \
  "(tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>\n"
#define BIAS \
  "  %bias = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<6x4xf32>\n"
#define ZERO \
  "  %zero = stablehlo.constant dense<0.0> : tensor<6x4xf32>\n"

static void
test_product (void)
{
  check (HEAD "-> tensor<6x4xf32> {\n" ZERO DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %2 = stablehlo.maximum %1, %zero : tensor<6x4xf32>\n"
         "  return %2 : tensor<6x4xf32>\n}\n",
         "plan: 1 step, 0 of them", "0 product stablehlo.dot_general + add + maximum ",
         "-> out0 tensor<6x4xf32>", NULL);
  /* The left operand is made after the product and has no other readers. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") BIAS
         "  %1 = stablehlo.subtract %bias, %0 : tensor<6x4xf32>\n"
         "  %2 = stablehlo.multiply %r, %r : tensor<6x4xf32>\n"
         "  %3 = stablehlo.subtract %2, %1 : tensor<6x4xf32>\n"
         "  return %3 : tensor<6x4xf32>\n}\n",
         "plan: 1 step, 0 of them", "0 product stablehlo.dot_general + subtract + multiply + subtract ", NULL);
  check (HEAD "-> tensor<24xf32> {\n" DOT ("%0")
         "  %low = stablehlo.constant dense<-1.0> : tensor<f32>\n"
         "  %high = stablehlo.constant dense<2.0> : tensor<f32>\n"
         "  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>\n"
         "  %2 = stablehlo.reshape %r : (tensor<6x4xf32>) -> tensor<24xf32>\n"
         "  %3 = stablehlo.add %1, %2 : tensor<24xf32>\n"
         "  %4 = stablehlo.clamp %low, %3, %high : (tensor<f32>, tensor<24xf32>, tensor<f32>) -> tensor<24xf32>\n"
         "  return %4 : tensor<24xf32>\n}\n",
         "plan: 1 step, 0 of them", " + reshape + add + clamp ", NULL);
}

static void
test_convolution (void)
{
  check ("func.func @main(%x: tensor<2x6x6x3xf32>, %w: tensor<3x3x3x5xf32>, %b: tensor<5xf32>, "
         "%r: tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32> {\n"
         "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
         "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
         "(tensor<2x6x6x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x6x6x5xf32>\n"
         "  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<5xf32>) -> tensor<2x6x6x5xf32>\n"
         "  %2 = stablehlo.add %0, %1 : tensor<2x6x6x5xf32>\n"
         "  %zero = stablehlo.constant dense<0.0> : tensor<2x6x6x5xf32>\n"
         "  %3 = stablehlo.maximum %2, %zero : tensor<2x6x6x5xf32>\n"
         "  %4 = stablehlo.add %3, %r : tensor<2x6x6x5xf32>\n"
         "  return %4 : tensor<2x6x6x5xf32>\n}\n",
         "plan: 1 step, 0 of them", "0 product stablehlo.convolution + add + maximum + add ", NULL);
}

#define FIRST "dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], "
#define GROUPS "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "

/* Values between convolutions to more than a few features are in the layout that these prefer: the first one reads the
 * image as it is, the last one's result is copied once, and there are no copies in between. */
static void
test_channels_last (void)
{
  level = 2;
  check ("func.func @main(%x: tensor<2x3x8x8xf32>, %w: tensor<24x3x3x3xf32>, %b: tensor<24xf32>, "
         "%v: tensor<12x24x3x3xf32>) -> tensor<2x12x4x4xf32> {\n"
         "  %0 = stablehlo.convolution(%x, %w) " FIRST "window = {pad = [[1, 1], [1, 1]]} " GROUPS
         "(tensor<2x3x8x8xf32>, tensor<24x3x3x3xf32>) -> tensor<2x24x8x8xf32>\n"
         "  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<2x24x8x8xf32>\n"
         "  %2 = stablehlo.add %0, %1 : tensor<2x24x8x8xf32>\n"
         "  %least = stablehlo.constant dense<-100.0> : tensor<f32>\n"
         "  %3 = \"stablehlo.reduce_window\"(%2, %least) ({\n  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
         "    %m = stablehlo.maximum %p, %q : tensor<f32>\n    stablehlo.return %m : tensor<f32>\n  }) "
         "{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : "
         "(tensor<2x24x8x8xf32>, tensor<f32>) -> tensor<2x24x4x4xf32>\n"
         "  %4 = stablehlo.convolution(%3, %v) " FIRST "window = {pad = [[1, 1], [1, 1]]} " GROUPS
         "(tensor<2x24x4x4xf32>, tensor<12x24x3x3xf32>) -> tensor<2x12x4x4xf32>\n"
         "  return %4 : tensor<2x12x4x4xf32>\n}\n",
         "plan: 4 steps, 0 of them", "0 product stablehlo.convolution + add ", "1 kernel stablehlo.reduce_window",
         "2 product stablehlo.convolution", "3 copy ", NULL);
  level = 1;
}

static void
check_expansion (const char *lhs,
                 const char *rhs,
                 int         rhs_contracting,
                 const char *result,
                 const char *step)
{
  g_autofree char *text = g_strdup_printf (
    "func.func @main(%%x: tensor<%s>, %%w: tensor<%s>) -> tensor<%s> {\n"
    "  %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [%d] : "
    "(tensor<%s>, tensor<%s>) -> tensor<%s>\n"
    "  %%1 = stablehlo.negate %%0 : tensor<%s>\n"
    "  return %%1 : tensor<%s>\n}\n",
    lhs, rhs, result, rhs_contracting, lhs, rhs, result, result, result);

  check (text, ", 0 of them", step, NULL);
}

/* Products that sum few terms are elementwise operations where these are faster. */
static void
test_expanded (void)
{
  const char *sum = "elementwise stablehlo.add ", *dot = "0 product stablehlo.dot_general + negate ";

  level = 2;
  check_expansion ("5x1xf32", "1x40xf32", 0, "5x40xf32", sum);
  check_expansion ("5x4xf32", "4x40xf32", 0, "5x40xf32", sum);
  check_expansion ("5x5xf32", "5x40xf32", 0, "5x40xf32", dot);
  /* Terms that are adjacent in memory. */
  check_expansion ("5x2xf32", "40x2xf32", 1, "5x40xf32", sum);
  check_expansion ("5x3xf32", "40x3xf32", 1, "5x40xf32", dot);
  check_expansion ("300x3xf32", "4x3xf32", 1, "300x4xf32", sum);
  check_expansion ("5x2xf64", "12x2xf64", 1, "5x12xf64", dot);
  check_expansion ("5x1xi8", "12x1xi8", 1, "5x12xi8", sum);
  level = 1;
  check_expansion ("5x1xf32", "1x40xf32", 0, "5x40xf32", dot);
}

/* Operations without kernel nodes have steps of their own, together with the operations that depend on them. */
static void
test_partly (void)
{
  /* There is no node for communication between processes. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %s = stablehlo.sign %1 : tensor<6x4xf32>\n"
         "  %c = stablehlo.constant dense<2.5> : tensor<6x4xf32>\n"
         "  %2 = stablehlo.maximum %s, %c : tensor<6x4xf32>\n"
         "  %3 = \"stablehlo.collective_permute\"(%2) "
         "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<6x4xf32>) -> tensor<6x4xf32>\n"
         "  %4 = stablehlo.add %3, %r : tensor<6x4xf32>\n"
         "  return %4 : tensor<6x4xf32>\n}\n",
         "plan: 3 steps, 1 of them", "product stablehlo.dot_general + add + sign + maximum ",
         "reference stablehlo.collective_permute", NULL);
}

/* Elements of the result are smaller than those of the product, or larger. */
static void
test_turned (void)
{
  check (HEAD "-> tensor<4x6xbf16> {\n" DOT ("%0")
         "  %1 = stablehlo.convert %0 : (tensor<6x4xf32>) -> tensor<6x4xbf16>\n"
         "  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<6x4xbf16>) -> tensor<4x6xbf16>\n"
         "  return %2 : tensor<4x6xbf16>\n}\n",
         "plan: 1 step, 0 of them", "0 product stablehlo.dot_general + convert ", " at 0 by (", NULL);
  check ("func.func @main(%x: tensor<3x2x3xf32>) -> tensor<3x2x3x2xcomplex<f32>> {\n"
         "  %c = stablehlo.constant dense<0.5> : tensor<3x3x2x3xf32>\n"
         "  %0 = stablehlo.dot_general %c, %x, batching_dims = [3] x [2], contracting_dims = [1] x [0] : "
         "(tensor<3x3x2x3xf32>, tensor<3x2x3xf32>) -> tensor<3x3x2x2xf32>\n"
         "  %1 = stablehlo.complex %0, %0 : tensor<3x3x2x2xcomplex<f32>>\n"
         "  %2 = stablehlo.transpose %1, dims = [1, 3, 0, 2] : (tensor<3x3x2x2xcomplex<f32>>) -> "
         "tensor<3x2x3x2xcomplex<f32>>\n"
         "  return %2 : tensor<3x2x3x2xcomplex<f32>>\n}\n",
         "plan: 1 step, 0 of them", "0 product stablehlo.dot_general + complex ", " at 0 by (", NULL);
}

/* Values with several uses, other types, operands in other orders. */
static void
test_graph (void)
{
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0")
         "  %1 = stablehlo.multiply %0, %0 : tensor<6x4xf32>\n"
         "  return %1 : tensor<6x4xf32>\n}\n", "plan: 1 step", "product stablehlo.dot_general + multiply ", NULL);
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0")
         "  %1 = stablehlo.negate %0 : tensor<6x4xf32>\n"
         "  %2 = stablehlo.multiply %1, %r : tensor<6x4xf32>\n"
         "  %3 = stablehlo.add %0, %2 : tensor<6x4xf32>\n"
         "  return %3 : tensor<6x4xf32>\n}\n", "plan: 1 step",
         "product stablehlo.dot_general + negate + multiply + add ", NULL);
  check (HEAD "-> tensor<6x4xi1> {\n" ZERO DOT ("%0")
         "  %1 = stablehlo.compare LT, %0, %zero : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xi1>\n"
         "  return %1 : tensor<6x4xi1>\n}\n", "plan: 1 step", "product stablehlo.dot_general + compare ", NULL);
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %2 = stablehlo.reverse %r, dims = [1] : tensor<6x4xf32>\n"
         "  %3 = stablehlo.add %1, %2 : tensor<6x4xf32>\n"
         "  return %3 : tensor<6x4xf32>\n}\n",
         "plan: 1 step, 0 of them", "0 product stablehlo.dot_general + add + reverse + add ", NULL);
}

/* Relu with its mask; the product itself as a result; a product that is not a result. */
static void
test_results (void)
{
  check (HEAD "-> (tensor<6x4xf32>, tensor<6x4xi1>) {\n" ZERO DOT ("%0") BIAS
         "  %1 = stablehlo.add %0, %bias : tensor<6x4xf32>\n"
         "  %2 = stablehlo.maximum %1, %zero : tensor<6x4xf32>\n"
         "  %3 = stablehlo.compare GT, %1, %zero : (tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x4xi1>\n"
         "  return %2, %3 : tensor<6x4xf32>, tensor<6x4xi1>\n}\n", "plan: 1 step, 0 of them",
         "product stablehlo.dot_general + add + maximum + compare ",
         "-> out0 tensor<6x4xf32>, out1 tensor<6x4xi1>", NULL);
  check (HEAD "-> (tensor<6x4xf32>, tensor<6x4xf32>) {\n" DOT ("%0")
         "  %1 = stablehlo.abs %0 : tensor<6x4xf32>\n"
         "  return %1, %0 : tensor<6x4xf32>, tensor<6x4xf32>\n}\n", "plan: 1 step, 0 of them",
         "product stablehlo.dot_general + abs ", NULL);
  check (HEAD "-> (tensor<6x4xf64>, tensor<6x4xi32>) {\n" DOT ("%0")
         "  %1 = stablehlo.convert %0 : (tensor<6x4xf32>) -> tensor<6x4xf64>\n"
         "  %2 = stablehlo.convert %0 : (tensor<6x4xf32>) -> tensor<6x4xi32>\n"
         "  return %1, %2 : tensor<6x4xf64>, tensor<6x4xi32>\n}\n", "plan: 1 step, 0 of them",
         "product stablehlo.dot_general + convert + convert ", NULL);
}

/* Operations read only by the group join it, as in an optimizer's step, which adds gradients to moments. Operations
 * with other readers do not, nor do those computed from a reduction. */
static void
test_sources (void)
{
  check (HEAD "-> (tensor<6x4xf32>, tensor<6x4xf32>) {\n" DOT ("%0")
         "  %c = stablehlo.constant dense<0.9> : tensor<6x4xf32>\n"
         "  %d = stablehlo.constant dense<0.1> : tensor<6x4xf32>\n"
         "  %1 = stablehlo.multiply %r, %c : tensor<6x4xf32>\n"
         "  %2 = stablehlo.negate %1 : tensor<6x4xf32>\n"
         "  %3 = stablehlo.multiply %0, %d : tensor<6x4xf32>\n"
         "  %4 = stablehlo.add %3, %2 : tensor<6x4xf32>\n"
         "  %5 = stablehlo.multiply %4, %4 : tensor<6x4xf32>\n"
         "  return %4, %5 : tensor<6x4xf32>, tensor<6x4xf32>\n}\n", "plan: 1 step, 0 of them",
         "product stablehlo.dot_general + multiply + negate + multiply + add + multiply ", NULL);
  check (HEAD "-> (tensor<6x4xf32>, tensor<6x4xf32>) {\n" DOT ("%0")
         "  %1 = stablehlo.negate %r : tensor<6x4xf32>\n"
         "  %2 = stablehlo.add %0, %1 : tensor<6x4xf32>\n"
         "  return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>\n}\n", "plan: 2 steps, 0 of them",
         "product stablehlo.dot_general + add ", NULL);
  check (HEAD "-> tensor<6x4xf32> {\n" ZERO DOT ("%0")
         "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %1 = stablehlo.reduce(%r init: %z) applies stablehlo.add across dimensions = [1] : "
         "(tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>\n"
         "  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x4xf32>\n"
         "  %3 = stablehlo.reverse %r, dims = [0] : tensor<6x4xf32>\n"
         "  %4 = stablehlo.pad %3, %z, low = [0, 0], high = [0, 0], interior = [0, 0] : "
         "(tensor<6x4xf32>, tensor<f32>) -> tensor<6x4xf32>\n"
         "  %5 = stablehlo.divide %4, %2 : tensor<6x4xf32>\n"
         "  %6 = stablehlo.add %0, %5 : tensor<6x4xf32>\n"
         "  return %6 : tensor<6x4xf32>\n}\n", "elementwise stablehlo.divide ",
         "product stablehlo.dot_general + add ", NULL);
}

/* Several results derived from one value and read by reductions: only that value is written. */
static void
test_left (void)
{
  check ("func.func @main(%x: tensor<60x20xf32>, %y: tensor<20x40xf32>, %r: tensor<60x40xf32>) -> "
         "(tensor<40xf32>, tensor<40xf32>) {\n"
         "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
         "(tensor<60x20xf32>, tensor<20x40xf32>) -> tensor<60x40xf32>\n"
         "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %1 = stablehlo.abs %0 : tensor<60x40xf32>\n"
         "  %2 = stablehlo.maximum %1, %r : tensor<60x40xf32>\n"
         "  %3 = stablehlo.negate %2 : tensor<60x40xf32>\n"
         "  %4 = stablehlo.minimum %1, %r : tensor<60x40xf32>\n"
         "  %5 = stablehlo.reduce(%3 init: %z) applies stablehlo.maximum across dimensions = [0] : "
         "(tensor<60x40xf32>, tensor<f32>) -> tensor<40xf32>\n"
         "  %6 = stablehlo.reduce(%4 init: %z) applies stablehlo.maximum across dimensions = [0] : "
         "(tensor<60x40xf32>, tensor<f32>) -> tensor<40xf32>\n"
         "  return %5, %6 : tensor<40xf32>, tensor<40xf32>\n}\n",
         "0 product stablehlo.dot_general + abs \"", NULL);
}

static void
test_not (void)
{
  static const char dot[] = "product stablehlo.dot_general \"";

  check (HEAD "-> tensor<0x4xf32> {\n"
         "  %s = stablehlo.slice %x [0:0, 0:8] : (tensor<6x8xf32>) -> tensor<0x8xf32>\n"
         "  %0 = stablehlo.dot %s, %w : (tensor<0x8xf32>, tensor<8x4xf32>) -> tensor<0x4xf32>\n"
         "  %1 = stablehlo.negate %0 : tensor<0x4xf32>\n"
         "  return %1 : tensor<0x4xf32>\n}\n", "product stablehlo.dot \"", NULL);
  /* In a region outside of which the product is computed. */
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0")
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %1:2 = stablehlo.while(%i = %zero, %s = %r) : tensor<i32>, tensor<6x4xf32>\n"
         "  cond {\n"
         "    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %c : tensor<i1>\n"
         "  } do {\n"
         "    %j = stablehlo.add %i, %one : tensor<i32>\n"
         "    %t = stablehlo.add %s, %0 : tensor<6x4xf32>\n"
         "    stablehlo.return %j, %t : tensor<i32>, tensor<6x4xf32>\n"
         "  }\n"
         "  return %1#1 : tensor<6x4xf32>\n}\n", dot, "kernel stablehlo.while", NULL);
}

/* One step reads and writes the carried value, alternating with another buffer. */
static void
test_loop (void)
{
  check ("func.func @main(%x: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
         "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
         "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %1:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4x4xf32>\n"
         "  cond {\n"
         "    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %c : tensor<i1>\n"
         "  } do {\n"
         "    %j = stablehlo.add %i, %one : tensor<i32>\n"
         "    %2 = stablehlo.dot %b, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "    %3 = stablehlo.add %2, %s : tensor<4x4xf32>\n"
         "    %4 = stablehlo.negate %3 : tensor<4x4xf32>\n"
         "    stablehlo.return %j, %4 : tensor<i32>, tensor<4x4xf32>\n"
         "  }\n"
         "  return %1#1 : tensor<4x4xf32>\n}\n", "product stablehlo.dot + add + negate ", " <-> ", NULL);
}

/* Products that meet in one operation: each follower belongs to only one product. */
static void
test_two (void)
{
  check (HEAD "-> tensor<6x4xf32> {\n" DOT ("%0") DOT ("%1")
         "  %2 = stablehlo.negate %1 : tensor<6x4xf32>\n"
         "  %3 = stablehlo.add %0, %2 : tensor<6x4xf32>\n"
         "  %4 = stablehlo.abs %3 : tensor<6x4xf32>\n"
         "  return %4 : tensor<6x4xf32>\n}\n",
         "0 product stablehlo.dot_general + negate ",
         "1 product stablehlo.dot_general + add + abs ", "plan: 2 steps", NULL);
  /* Each waits for the previous one. */
  check (HEAD "-> (tensor<6x4xf32>, tensor<6x4xf32>) {\n" DOT ("%0") DOT ("%1") DOT ("%2") DOT ("%3")
         "  %c = stablehlo.constant dense<2.5> : tensor<6x4xf32>\n"
         "  %4 = \"stablehlo.collective_permute\"(%c) "
         "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<6x4xf32>) -> tensor<6x4xf32>\n"
         "  %5 = stablehlo.sign %4 : tensor<6x4xf32>\n"
         "  %6 = stablehlo.add %5, %0 : tensor<6x4xf32>\n"
         "  %7 = stablehlo.add %6, %1 : tensor<6x4xf32>\n"
         "  %8 = stablehlo.add %7, %2 : tensor<6x4xf32>\n"
         "  %9 = stablehlo.add %8, %3 : tensor<6x4xf32>\n"
         "  return %9, %5 : tensor<6x4xf32>, tensor<6x4xf32>\n}\n", "plan: 7 steps",
         "6 product stablehlo.dot_general + add ", NULL);
}

/* A function called twice has its own followers in each call. */
static void
test_calls (void)
{
  check ("func.func private @layer(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %0 = stablehlo.dot %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  %1 = stablehlo.multiply %w, %x : tensor<4x4xf32>\n"
         "  %half = stablehlo.constant dense<0.5> : tensor<f32>\n"
         "  %2 = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<4x4xf32>\n"
         "  %3 = stablehlo.add %0, %1 : tensor<4x4xf32>\n"
         "  %4 = stablehlo.multiply %2, %3 : tensor<4x4xf32>\n"
         "  return %4 : tensor<4x4xf32>\n}\n"
         "func.func @main(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %0 = call @layer(%x, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  %1 = call @layer(%0, %w) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  return %1 : tensor<4x4xf32>\n}\n",
         "plan: 2 steps", "0 product stablehlo.dot + multiply + add + multiply ",
         "1 product stablehlo.dot + multiply + add + multiply ", NULL);
}

/* More followers than a group may have. */
static void
test_many (void)
{
  g_autoptr (GString) many = g_string_new (HEAD "-> tensor<6x4xf32> {\n" DOT ("%v0"));
  guint n = 300;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (many, "  %%v%u = stablehlo.add %%v%u, %%r : tensor<6x4xf32>\n", i + 1, i);
  g_string_append_printf (many, "  return %%v%u : tensor<6x4xf32>\n}\n", n);
  check (many->str, "0 product stablehlo.dot_general + add + add + add + add", "plan: 46 steps", NULL);
}

/* One value as both operands, and as the addend. */
static void
test_same_operand (void)
{
  check ("func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
         "  %0 = stablehlo.dot %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
         "  %1 = stablehlo.subtract %x, %0 : tensor<4x4xf32>\n"
         "  return %1 : tensor<4x4xf32>\n}\n", "plan: 1 step", "0 product stablehlo.dot + subtract ", NULL);
}

/* Equal groups share one function, and their steps are compiled once. */
static void
test_equal (void)
{
  g_autoptr (GhloIrModule) fused = fuse (
    "func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {\n"
    "  %0 = stablehlo.dot %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %1 = stablehlo.subtract %0, %x : tensor<4x4xf32>\n"
    "  %2 = stablehlo.dot %y, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %3 = stablehlo.subtract %2, %y : tensor<4x4xf32>\n"
    "  %4 = stablehlo.dot %1, %3 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %5 = stablehlo.subtract %1, %4 : tensor<4x4xf32>\n"
    "  return %3, %5 : tensor<4x4xf32>, tensor<4x4xf32>\n}\n");
  g_autofree char *text = ghlo_ir_to_string (fused, GHLO_IR_PRINT_DEFAULT);
  guint n = 0;

  for (const char *p = text; (p = strstr (p, "func.func private")) != NULL; p++)
    n++;
  g_assert_cmpuint (n, ==, 2);
}

#define FUSION(body) \
  "func.func private @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {\n" \
  body "}\n" \
  "func.func @main(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>, %z: tensor<4x4xf32>) -> tensor<4x4xf32> {\n" \
  "  %0 = stablehlo.composite \"ghlo.fusion.epilogue\" %x, %y, %z {decomposition = @f} : " \
  "(tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n" \
  "  return %0 : tensor<4x4xf32>\n}\n"
#define PRODUCT(result, lhs, rhs) \
  "  " result " = stablehlo.dot " lhs ", " rhs " : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
#define BINARY(result, op, lhs, rhs) \
  "  " result " = stablehlo." op " " lhs ", " rhs " : tensor<4x4xf32>\n"
#define RETURN(value) \
  "  return " value " : tensor<4x4xf32>\n"

/* Composites that the program contained already: their contents decide. */
static void
test_named (void)
{
  static const struct
  {
    const char *text, *plan;
  } cases[] = {
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%z") RETURN ("%1")), "dot + add \"" },
    { FUSION (PRODUCT ("%0", "%y", "%x") BINARY ("%1", "subtract", "%z", "%0") RETURN ("%1")), "dot + subtract \"" },
    /* A result other than the last computed value. */
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%z") RETURN ("%z")), "plan: " },
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%y", "%z") RETURN ("%0")), "plan: " },
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%z") BINARY ("%2", "add", "%x", "%z")
              RETURN ("%1")), "dot + add + add \"" },
    /* Results with several uses. */
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "multiply", "%0", "%0") RETURN ("%1")),
      "dot + multiply \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%z") BINARY ("%2", "multiply", "%1", "%0")
              RETURN ("%2")), "dot + add + multiply \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%z") BINARY ("%2", "multiply", "%1", "%1")
              BINARY ("%3", "add", "%2", "%1") RETURN ("%3")), "dot + add + multiply + add \"" },
    /* Operands that are computed inside. */
    { FUSION (BINARY ("%0", "add", "%x", "%y") PRODUCT ("%1", "%0", "%y") BINARY ("%2", "add", "%1", "%z")
              RETURN ("%2")), "add + dot + add \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "multiply", "%y", "%z") BINARY ("%2", "add", "%0", "%1")
              RETURN ("%2")), "dot + multiply + add \"" },
    { FUSION ("  %c = stablehlo.constant dense<2.0> : tensor<4x4xf32>\n" PRODUCT ("%0", "%x", "%c")
              BINARY ("%1", "add", "%0", "%z") RETURN ("%1")), "dot + add \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") "  %c = stablehlo.constant dense<2.0> : tensor<4x4xf32>\n"
              BINARY ("%1", "add", "%0", "%c") RETURN ("%1")), "dot + add \"" },
    /* No product, and no operation at all. */
    { FUSION (BINARY ("%0", "add", "%x", "%y") RETURN ("%0")), "kernel stablehlo.add" },
    { FUSION (RETURN ("%y")), "out0 is in1" },
    { FUSION (PRODUCT ("%0", "%x", "%y") RETURN ("%0")), "dot \"" },
    /* A final reshape, another type, and a bound that is the product itself. */
    { FUSION (PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%z")
              "  %2 = stablehlo.reshape %1 : (tensor<4x4xf32>) -> tensor<16xf32>\n"
              "  %3 = stablehlo.reshape %2 : (tensor<16xf32>) -> tensor<4x4xf32>\n" RETURN ("%3")), "dot \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") "  %1 = stablehlo.is_finite %0 : (tensor<4x4xf32>) -> tensor<4x4xi1>\n"
              "  %2 = stablehlo.select %1, %x, %z : tensor<4x4xi1>, tensor<4x4xf32>\n" RETURN ("%2")),
      "dot + is_finite + select \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") "  %1 = stablehlo.clamp %0, %y, %z : tensor<4x4xf32>\n" RETURN ("%1")),
      "dot + clamp \"" },
    { FUSION (PRODUCT ("%0", "%x", "%y") "  %1 = stablehlo.clamp %y, %0, %z : tensor<4x4xf32>\n" RETURN ("%1")),
      "dot + clamp \"" },
    /* A fusion in a fusion. */
    { "func.func private @g(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
      PRODUCT ("%0", "%x", "%y") BINARY ("%1", "add", "%0", "%y") RETURN ("%1") "}\n"
      FUSION ("  %0 = stablehlo.composite \"ghlo.fusion.epilogue\" %x, %y {decomposition = @g} : (tensor<4x4xf32>, "
              "tensor<4x4xf32>) -> tensor<4x4xf32>\n" BINARY ("%1", "multiply", "%0", "%z") RETURN ("%1")),
      "dot + add \"" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GhloIrModule) module = parse (cases[i].text);
      g_autofree char *plan = print_plan (module);

      if (strstr (plan, cases[i].plan) == NULL)
        g_error ("expected \"%s\" in\n%sof\n%s", cases[i].plan, plan, cases[i].text);
      check_runs (cases[i].text);
    }
}

/* Results and operands of shapes that no step has. */
static void
test_named_shapes (void)
{
  check_runs ("func.func private @f(%x: tensor<0x4xf32>, %y: tensor<4x4xf32>) -> tensor<0x4xf32> {\n"
              "  %0 = stablehlo.dot %x, %y : (tensor<0x4xf32>, tensor<4x4xf32>) -> tensor<0x4xf32>\n"
              "  %1 = stablehlo.add %0, %x : tensor<0x4xf32>\n"
              "  return %1 : tensor<0x4xf32>\n}\n"
              "func.func @main(%x: tensor<0x4xf32>, %y: tensor<4x4xf32>) -> tensor<0x4xf32> {\n"
              "  %0 = stablehlo.composite \"ghlo.fusion.epilogue\" %x, %y {decomposition = @f} : "
              "(tensor<0x4xf32>, tensor<4x4xf32>) -> tensor<0x4xf32>\n"
              "  return %0 : tensor<0x4xf32>\n}\n");
  check_runs ("func.func private @f(%x: tensor<?x4xf32>, %y: tensor<4x4xf32>) -> tensor<?x4xf32> {\n"
              "  %0 = stablehlo.dot %x, %y : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>\n"
              "  %1 = stablehlo.add %0, %x : tensor<?x4xf32>\n"
              "  return %1 : tensor<?x4xf32>\n}\n"
              "func.func @main(%x: tensor<3x4xf32>, %y: tensor<4x4xf32>) -> tensor<3x4xf32> {\n"
              "  %0 = stablehlo.convert %x : (tensor<3x4xf32>) -> tensor<?x4xf32>\n"
              "  %1 = stablehlo.composite \"ghlo.fusion.epilogue\" %0, %y {decomposition = @f} : "
              "(tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>\n"
              "  %2 = stablehlo.convert %1 : (tensor<?x4xf32>) -> tensor<3x4xf32>\n"
              "  return %2 : tensor<3x4xf32>\n}\n");
  check_runs ("func.func private @f(%x: tensor<4xf32>, %t: !stablehlo.token) -> (tensor<f32>, !stablehlo.token) {\n"
              "  %0 = stablehlo.dot %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>\n"
              "  %1 = stablehlo.negate %0 : tensor<f32>\n"
              "  return %1, %t : tensor<f32>, !stablehlo.token\n}\n"
              "func.func private @g(%x: tensor<4xf32>) -> tensor<f32> {\n"
              "  %0 = stablehlo.dot %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>\n"
              "  %1 = stablehlo.negate %0 : tensor<f32>\n"
              "  return %1 : tensor<f32>\n}\n"
              "func.func @main(%x: tensor<4xf32>) -> tensor<f32> {\n"
              "  %t = stablehlo.create_token : !stablehlo.token\n"
              "  %0:2 = stablehlo.composite \"ghlo.fusion.any\" %x, %t {decomposition = @f} : "
              "(tensor<4xf32>, !stablehlo.token) -> (tensor<f32>, !stablehlo.token)\n"
              "  %1 = stablehlo.composite \"ghlo.fusion.any\" %x {decomposition = @g} : "
              "(tensor<4xf32>) -> tensor<f32>\n"
              "  %2 = stablehlo.multiply %0#0, %1 : tensor<f32>\n"
              "  return %2 : tensor<f32>\n}\n");
}

/* A recursive fusion ends like any recursive function: with an error. */
static void
test_named_endless (void)
{
  g_autoptr (GhloIrModule) module = parse (
    "func.func private @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "  %0 = stablehlo.composite \"ghlo.fusion.epilogue\" %x {decomposition = @f} : "
    "(tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  return %0 : tensor<4x4xf32>\n}\n"
    "func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "  %0 = stablehlo.composite \"ghlo.fusion.epilogue\" %x {decomposition = @f} : "
    "(tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  return %0 : tensor<4x4xf32>\n}\n");
  const gint64 dimensions[] = { 4, 4 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;
  GhloValue *input = ghlo_value_new_tensor (type, NULL), *output = NULL;

  fill (input);
  prepared = ghlo_devices_prepare (ghlo_devices_find ("cpu"), module, ghlo_ir_module_get_entry (module), NULL, &error);
  if (prepared != NULL)
    g_assert_false (ghlo_prepared_run (prepared, NULL, &input, 1, &output, NULL, &error));
  g_assert_nonnull (error);
  ghlo_value_unref (input);
}

/* Random programs: a product or convolution, and operations that follow it. */
typedef struct
{
  GString    *arguments, *body;
  guint       n_arguments, n_values;
  const char *operand, *element;       /* of the product's operands and of its result */
  gboolean    is_ordered, is_float;
  guint       rank;                    /* of the result, like the next */
  gint64      dimensions[8];
  char       *product;                 /* computes the first value, as long as that has these dimensions */
} Maker;

static char *
list_of (const char   *before,
         guint         n,
         const gint64 *numbers,
         const char   *between,
         const char   *after)
{
  GString *text = g_string_new (before);

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? between : "", numbers[i]);
  g_string_append (text, after);

  return g_string_free (text, FALSE);
}

static char *
type_of (const char   *element,
         guint         rank,
         const gint64 *dimensions)
{
  g_autofree char *after = g_strdup_printf ("%s%s>", rank > 0 ? "x" : "", element);

  return list_of ("tensor<", rank, dimensions, "x", after);
}

static char *
add_argument (Maker        *self,
              const char   *element,
              guint         rank,
              const gint64 *dimensions)
{
  g_autofree char *type = type_of (element, rank, dimensions);

  g_string_append_printf (self->arguments, "%s%%a%u: %s", self->n_arguments > 0 ? ", " : "", self->n_arguments, type);
  self->n_arguments++;

  return g_steal_pointer (&type);
}

static void
shuffle (guint *numbers,
         guint  n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  for (guint i = n; i > 1; i--)
    {
      guint other = (guint) g_test_rand_int_range (0, (gint) i), kept = numbers[i - 1];

      numbers[i - 1] = numbers[other];
      numbers[other] = kept;
    }
}

/* One operand of a product: batch, contracting and free dimensions in any order. */
static char *
add_side (Maker        *self,
          guint         n_batch,
          guint         n_contracted,
          const gint64 *sizes,
          gint64       *places)
{
  guint shared = n_batch + n_contracted, n = shared + (guint) g_test_rand_int_range (0, 3), order[8];
  gint64 dimensions[8];

  shuffle (order, n);
  for (guint i = 0; i < n; i++)
    if (order[i] < shared)
      {
        dimensions[i] = sizes[order[i]];
        places[order[i]] = i;
      }
    else
      dimensions[i] = self->dimensions[self->rank++] =
        g_test_rand_int_range (1, g_test_rand_int_range (0, 5) == 0 ? 90 : 9);

  return add_argument (self, self->operand, n, dimensions);
}

static void
add_dot (Maker *self)
{
  guint n_batch = (guint) g_test_rand_int_range (0, 3), n_contracted = (guint) g_test_rand_int_range (0, 3);
  gint64 sizes[4], places[2][4];
  g_autofree char *types[3] = { NULL }, *lists[4] = { NULL };

  for (guint i = 0; i < n_batch + n_contracted; i++)
    sizes[i] = g_test_rand_int_range (1, i < n_batch ? 5 : 12);
  for (guint i = 0; i < n_batch; i++)
    self->dimensions[self->rank++] = sizes[i];
  for (guint side = 0; side < 2; side++)
    {
      types[side] = add_side (self, n_batch, n_contracted, sizes, places[side]);
      lists[side] = list_of ("[", n_batch, places[side], ", ", "]");
      lists[2 + side] = list_of ("[", n_contracted, places[side] + n_batch, ", ", "]");
    }
  types[2] = type_of (self->element, self->rank, self->dimensions);
  self->product = g_strdup_printf ("stablehlo.dot_general %%a0, %%a1, batching_dims = %s x %s, contracting_dims = %s x "
                                   "%s : (%s, %s) -> %s", lists[0], lists[1], lists[2], lists[3], types[0], types[1],
                                   types[2]);
  for (guint i = 0; i < 3; i++)
    g_clear_pointer (&types[i], g_free);
  for (guint i = 0; i < 4; i++)
    g_clear_pointer (&lists[i], g_free);
}

/* Lays out the names of a tensor's dimensions in random order, and returns their sizes in the same order. */
static char *
lay_out (const char   *names,
         const gint64 *sizes,
         gint64       *dimensions)
{
  guint n = (guint) strlen (names), order[8];
  GString *text = g_string_new ("[");

  shuffle (order, n);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "%s%c", i > 0 ? ", " : "", names[order[i]]);
      dimensions[i] = sizes[order[i]];
    }
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static void
add_convolution (Maker *self)
{
  gint64 batch = g_test_rand_int_range (1, 4), features = g_test_rand_int_range (1, 17);
  gint64 results = g_test_rand_int_range (1, 20), step = g_test_rand_int_range (1, 3);
  gint64 pad = g_test_rand_int_range (0, 2), taps = g_test_rand_int_range (1, 4), places[2], given[2];
  gint64 dimensions[2][4];
  g_autofree char *input = NULL, *kernel = NULL, *output = NULL, *first = NULL, *second = NULL, *type = NULL;

  for (guint i = 0; i < 2; i++)
    {
      given[i] = g_test_rand_int_range (taps, 15);
      places[i] = (given[i] + 2 * pad - taps) / step + 1;
    }
  self->rank = 4;
  input = lay_out ("bf01", (gint64[]) { batch, features, given[0], given[1] }, dimensions[0]);
  kernel = lay_out ("io01", (gint64[]) { features, results, taps, taps }, dimensions[1]);
  output = lay_out ("bf01", (gint64[]) { batch, results, places[0], places[1] }, self->dimensions);
  first = add_argument (self, self->operand, 4, dimensions[0]);
  second = add_argument (self, self->operand, 4, dimensions[1]);
  type = type_of (self->element, 4, self->dimensions);
  self->product = g_strdup_printf ("stablehlo.convolution(%%a0, %%a1) dim_numbers = %sx%s->%s, window = "
                                   "{stride = [%d, %d], pad = [[%d, %d], [%d, %d]]} {batch_group_count = 1 : i64, "
                                   "feature_group_count = 1 : i64} : (%s, %s) -> %s", input, kernel, output, (int) step,
                                   (int) step, (int) pad, (int) pad, (int) pad, (int) pad, first, second, type);
}

/* Another operand: a scalar, an input, an input with an operation, the same product once more with or without a
 * follower, or an input broadcast along some dimensions. */
static char *
add_other (Maker *self)
{
  g_autofree char *type = type_of (self->element, self->rank, self->dimensions), *from = NULL, *list = NULL;
  guint kind = (guint) g_test_rand_int_range (0, 10), n = 0, number = self->n_values++;
  gint64 dimensions[8], kept[8];

  if (kind < 2)
    {
      g_string_append_printf (self->body, "  %%o%u = stablehlo.constant dense<%s> : %s\n", number,
                              strstr (self->element, "complex") != NULL ? "(1.0, -0.5)" : self->is_float ? "0.5" : "1",
                              type);
      return g_strdup_printf ("%%o%u", number);
    }
  if (kind == 2)
    {
      g_free (add_argument (self, self->element, self->rank, self->dimensions));
      return g_strdup_printf ("%%a%u", self->n_arguments - 1);
    }
  if (kind <= 4 && self->product != NULL && kind > 2)
    {
      g_string_append_printf (self->body, "  %%p%u = %s\n", number, self->product);
      if (kind == 4)
        return g_strdup_printf ("%%p%u", number);
      g_string_append_printf (self->body, "  %%o%u = stablehlo.negate %%p%u : %s\n", number, number, type);
      return g_strdup_printf ("%%o%u", number);
    }
  for (guint i = 0; i < self->rank; i++)
    if (kind == 3 || g_test_rand_bit ())
      {
        kept[n] = i;
        dimensions[n++] = self->dimensions[i];
      }
  from = add_argument (self, self->element, n, dimensions);
  if (kind == 3)
    g_string_append_printf (self->body, "  %%o%u = stablehlo.negate %%a%u : %s\n", number, self->n_arguments - 1, type);
  else
    {
      list = list_of ("[", n, kept, ", ", "]");
      g_string_append_printf (self->body, "  %%o%u = stablehlo.broadcast_in_dim %%a%u, dims = %s : (%s) -> %s\n",
                              number, self->n_arguments - 1, list, from, type);
    }

  return g_strdup_printf ("%%o%u", number);
}

/* Merges all dimensions, or splits one. */
static void
add_reshape (Maker *self,
             guint  last,
             guint  next)
{
  g_autofree char *from = type_of (self->element, self->rank, self->dimensions), *to = NULL;
  gint64 n = 1;

  for (guint i = 0; i < self->rank; i++)
    n *= self->dimensions[i];
  self->rank = 1;
  self->dimensions[0] = n;
  g_clear_pointer (&self->product, g_free);
  if (n % 2 == 0 && g_test_rand_bit ())
    {
      self->dimensions[self->rank++] = 2;
      self->dimensions[0] = n / 2;
    }
  to = type_of (self->element, self->rank, self->dimensions);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.reshape %%v%u : (%s) -> %s\n", next, last, from, to);
}

static void
add_follower (Maker *self,
              guint  last,
              guint  next)
{
  static const char *const ops[] = { "add", "subtract", "multiply", "maximum", "minimum" };
  g_autofree char *type = type_of (self->element, self->rank, self->dimensions), *one = NULL, *other = NULL;
  guint kind = (guint) g_test_rand_int_range (0, 10);

  if (kind == 9)
    add_reshape (self, last, next);
  else if (kind == 8)
    g_string_append_printf (self->body, "  %%v%u = stablehlo.negate %%v%u : %s\n", next, last, type);
  else if (kind == 7 && self->is_ordered)
    {
      one = add_other (self);
      other = add_other (self);
      g_string_append_printf (self->body, "  %%v%u = stablehlo.clamp %s, %%v%u, %s : %s\n", next, one, last, other,
                              type);
    }
  else
    {
      const char *op = ops[kind % (self->is_ordered ? 5 : 3)];

      other = add_other (self);
      if (g_test_rand_bit ())
        g_string_append_printf (self->body, "  %%v%u = stablehlo.%s %%v%u, %s : %s\n", next, op, last, other, type);
      else
        g_string_append_printf (self->body, "  %%v%u = stablehlo.%s %s, %%v%u : %s\n", next, op, other, last, type);
    }
}

/* Transposes the result. */
static void
add_transpose (Maker *self,
               guint  last,
               guint  next)
{
  g_autofree char *from = type_of (self->element, self->rank, self->dimensions), *to = NULL, *list = NULL;
  gint64 permutation[8], dimensions[8];
  guint order[8];

  shuffle (order, self->rank);
  for (guint i = 0; i < self->rank; i++)
    {
      permutation[i] = order[i];
      dimensions[i] = self->dimensions[order[i]];
    }
  memcpy (self->dimensions, dimensions, self->rank * sizeof (gint64));
  list = list_of ("[", self->rank, permutation, ", ", "]");
  to = type_of (self->element, self->rank, self->dimensions);
  g_string_append_printf (self->body, "  %%v%u = stablehlo.transpose %%v%u, dims = %s : (%s) -> %s\n", next, last, list,
                          from, to);
}

/* A program with up to six followers, or none where the result is transposed. */
static char *
make_program (gboolean convolution,
              gboolean transposed)
{
  static const struct
  {
    const char *operand, *element;
    gboolean    is_ordered, is_float;
  } types[] = {
    { "f32", "f32", TRUE, TRUE }, { "bf16", "bf16", TRUE, TRUE }, { "f16", "f16", TRUE, TRUE },
    { "f64", "f64", TRUE, TRUE }, { "i32", "i32", TRUE, FALSE }, { "i8", "i32", TRUE, FALSE },
    { "ui8", "ui8", TRUE, FALSE }, { "i64", "i64", TRUE, FALSE }, { "bf16", "f32", TRUE, TRUE },
    { "complex<f32>", "complex<f32>", FALSE, TRUE },
  };
  guint t = (guint) g_test_rand_int_range (0, G_N_ELEMENTS (types));
  guint n = (guint) g_test_rand_int_range (transposed ? 0 : 1, 7);
  g_autoptr (GString) arguments = g_string_new (NULL), body = g_string_new (NULL);
  Maker self = {
    .arguments = arguments, .body = body, .operand = types[t].operand, .element = types[t].element,
    .is_ordered = types[t].is_ordered, .is_float = types[t].is_float,
  };
  g_autofree char *type = NULL;

  if (convolution)
    add_convolution (&self);
  else
    add_dot (&self);
  g_string_append_printf (self.body, "  %%v0 = %s\n", self.product);
  for (guint i = 0; i < n; i++)
    add_follower (&self, i, i + 1);
  if (transposed)
    {
      add_transpose (&self, n, n + 1);
      n++;
    }
  type = type_of (self.element, self.rank, self.dimensions);
  g_free (self.product);

  return g_strdup_printf ("func.func @main(%s) -> %s {\n%s  return %%v%u : %s\n}\n", arguments->str, type, body->str,
                          n, type);
}

/* Checks that of 300 plans at least so many contain @word. */
static void
check_random (gboolean    convolution,
              gboolean    transposed,
              const char *word,
              guint       least)
{
  guint n_found = 0, n = 300;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = make_program (convolution, transposed), *plan = NULL;
      g_autoptr (GhloIrModule) fused = fuse (text);

      plan = print_plan (fused);
      n_found += strstr (plan, word) != NULL;
      check_runs (text);
    }
  g_assert_cmpuint (n_found, >=, least);
}

static void
test_random_products (void)
{
  check_random (FALSE, FALSE, " + ", 250);
}

static void
test_random_transposed (void)
{
  /* No fusion where a reshape intervenes. */
  check_random (FALSE, TRUE, " at 0 by (", 100);
}

static void
test_random_convolutions (void)
{
  check_random (TRUE, FALSE, " + ", 250);
}

int
main (int   argc,
      char *argv[])
{
  /* Fuses products only, so that other fusions do not compete for the operations after them. */
  g_setenv ("GHLO_DISABLE", "fuse-maps,fuse-reductions", TRUE);
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan-fusion/product", test_product);
  g_test_add_func ("/plan-fusion/convolution", test_convolution);
  g_test_add_func ("/plan-fusion/channels-last", test_channels_last);
  g_test_add_func ("/plan-fusion/expanded", test_expanded);
  g_test_add_func ("/plan-fusion/partly", test_partly);
  g_test_add_func ("/plan-fusion/turned", test_turned);
  g_test_add_func ("/plan-fusion/graph", test_graph);
  g_test_add_func ("/plan-fusion/results", test_results);
  g_test_add_func ("/plan-fusion/sources", test_sources);
  g_test_add_func ("/plan-fusion/left", test_left);
  g_test_add_func ("/plan-fusion/not", test_not);
  g_test_add_func ("/plan-fusion/loop", test_loop);
  g_test_add_func ("/plan-fusion/two", test_two);
  g_test_add_func ("/plan-fusion/calls", test_calls);
  g_test_add_func ("/plan-fusion/many", test_many);
  g_test_add_func ("/plan-fusion/same-operand", test_same_operand);
  g_test_add_func ("/plan-fusion/equal", test_equal);
  g_test_add_func ("/plan-fusion/named", test_named);
  g_test_add_func ("/plan-fusion/named-shapes", test_named_shapes);
  g_test_add_func ("/plan-fusion/named-endless", test_named_endless);
  g_test_add_func ("/plan-fusion/random-products", test_random_products);
  g_test_add_func ("/plan-fusion/random-transposed", test_random_transposed);
  g_test_add_func ("/plan-fusion/random-convolutions", test_random_convolutions);

  return g_test_run ();
}
