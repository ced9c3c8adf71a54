/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that write their results directly to the destination of a copy: which copies are removed, which stay, and that
 * the numbers are the same. test-plan-fusion.c tests random programs as well.
 */

#include "plan-runs.h"

/* Checks that the plan has no copy. */
static void
check_without_copy (const char *text,
                    const char *word)
{
  g_autoptr (GhloIrModule) module = fuse (text);
  g_autofree char *plan = print_plan (module);

  if (strstr (plan, " copy ") != NULL)
    g_error ("expected no copy in\n%s", plan);
  check (text, word, NULL);
}

#define PRODUCT \
  "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : " \
  "(tensor<2x3x5x7xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x5x4xf32>\n"
#define SWAP(from, to) \
  "  " to " = stablehlo.transpose " from ", dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>\n"
#define HEADS "func.func @main(%a: tensor<2x3x5x7xf32>, %b: tensor<2x3x7x4xf32>"

/* As after attention: transposed into an output, and into a reshape before another product. */
static void
test_heads (void)
{
  check_without_copy (HEADS ") -> tensor<2x5x3x4xf32> {\n" PRODUCT SWAP ("%0", "%1")
                      "  return %1 : tensor<2x5x3x4xf32>\n}\n",
                      "-> out0 tensor<2x3x5x4xf32> at 0 by (240, 16, 48, 4)");
  check_without_copy (HEADS ", %w: tensor<12x6xf32>) -> tensor<2x5x6xf32> {\n" PRODUCT SWAP ("%0", "%1")
                      "  %2 = stablehlo.reshape %1 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>\n"
                      "  %3 = stablehlo.dot_general %2, %w, contracting_dims = [2] x [0] : "
                      "(tensor<2x5x12xf32>, tensor<12x6xf32>) -> tensor<2x5x6xf32>\n"
                      "  return %3 : tensor<2x5x6xf32>\n}\n", " at 0 by (240, 16, 48, 4)");
}

/* Operands of operations on each panel are read in the order of the result's layout. */
static void
test_epilogue (void)
{
  static const char *const biases[] = { "dims = [3] : (tensor<4xf32>)", "dims = [2] : (tensor<5xf32>)",
                                        "dims = [0] : (tensor<2xf32>)" };
  static const char *const types[] = { "4", "5", "2" };

  for (guint i = 0; i < G_N_ELEMENTS (biases); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "%s, %%c: tensor<%sxf32>) -> tensor<2x5x3x4xf32> {\n%s"
        "  %%s = stablehlo.constant dense<0.5> : tensor<2x3x5x4xf32>\n"
        "  %%1 = stablehlo.broadcast_in_dim %%c, %s -> tensor<2x3x5x4xf32>\n"
        "  %%2 = stablehlo.add %%0, %%1 : tensor<2x3x5x4xf32>\n"
        "  %%3 = stablehlo.multiply %%s, %%2 : tensor<2x3x5x4xf32>\n%s"
        "  return %%4 : tensor<2x5x3x4xf32>\n}\n", HEADS, types[i], PRODUCT, biases[i], SWAP ("%3", "%4"));

      check_without_copy (text, "product stablehlo.dot_general + add + multiply ");
    }
  /* A residual is read in the other order. */
  check_without_copy (HEADS ", %r: tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32> {\n" PRODUCT
                      "  %1 = stablehlo.add %0, %r : tensor<2x3x5x4xf32>\n" SWAP ("%1", "%2")
                      "  return %2 : tensor<2x5x3x4xf32>\n}\n", "0 product stablehlo.dot_general + add ");
  /* One of two results is copied. */
  check (HEADS ") -> (tensor<2x5x3x4xf32>, tensor<2x3x5x4xi1>) {\n" PRODUCT
         "  %s = stablehlo.constant dense<0.5> : tensor<2x3x5x4xf32>\n"
         "  %1 = stablehlo.compare GT, %0, %s : (tensor<2x3x5x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xi1>\n"
         "  %2 = stablehlo.maximum %0, %s : tensor<2x3x5x4xf32>\n" SWAP ("%2", "%3")
         "  return %3, %1 : tensor<2x5x3x4xf32>, tensor<2x3x5x4xi1>\n}\n",
         "0 product stablehlo.dot_general + compare + maximum ", "1 copy ", NULL);
}

/* A dimension of the result that the copy splits has a single stride only where its parts stay adjacent. */
static void
test_cut (void)
{
  check_without_copy ("func.func @main(%a: tensor<6x5x7xf32>, %b: tensor<6x7x4xf32>) -> tensor<5x2x3x4xf32> {\n"
                      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
                      "(tensor<6x5x7xf32>, tensor<6x7x4xf32>) -> tensor<6x5x4xf32>\n"
                      "  %1 = stablehlo.reshape %0 : (tensor<6x5x4xf32>) -> tensor<2x3x5x4xf32>\n"
                      "  %2 = stablehlo.transpose %1, dims = [2, 0, 1, 3] : (tensor<2x3x5x4xf32>) -> "
                      "tensor<5x2x3x4xf32>\n"
                      "  return %2 : tensor<5x2x3x4xf32>\n}\n", "-> out0 tensor<6x5x4xf32> at 0 by (16, 96, 4)");
  check ("func.func @main(%a: tensor<6x5x7xf32>, %b: tensor<6x7x4xf32>) -> tensor<2x5x3x4xf32> {\n"
         "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
         "(tensor<6x5x7xf32>, tensor<6x7x4xf32>) -> tensor<6x5x4xf32>\n"
         "  %1 = stablehlo.reshape %0 : (tensor<6x5x4xf32>) -> tensor<2x3x5x4xf32>\n" SWAP ("%1", "%2")
         "  return %2 : tensor<2x5x3x4xf32>\n}\n", "1 copy ", NULL);
}

/* A value with other uses stays in its layout, and so does a partly copied one. */
static void
test_used (void)
{
  check (HEADS ") -> tensor<2x5x3x4xf32> {\n" PRODUCT SWAP ("%0", "%1")
         "  %2 = stablehlo.negate %0 : tensor<2x3x5x4xf32>\n" SWAP ("%2", "%3")
         "  %4 = stablehlo.add %1, %3 : tensor<2x5x3x4xf32>\n"
         "  return %4 : tensor<2x5x3x4xf32>\n}\n", "tensor<2x3x7x4xf32> -> t2", NULL);
  check (HEADS ") -> tensor<2x2x3x4xf32> {\n" PRODUCT SWAP ("%0", "%1")
         "  %2 = stablehlo.slice %1 [0:2, 1:3, 0:3, 0:4] : (tensor<2x5x3x4xf32>) -> tensor<2x2x3x4xf32>\n"
         "  return %2 : tensor<2x2x3x4xf32>\n}\n", " copy ", NULL);
}

/* In a loop, for a value of the same iteration; carried values and those from outside are copied. */
static void
test_loop (void)
{
  check ("func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x4xf32>) -> tensor<4x3x4xf32> {\n"
         "  %c = stablehlo.constant dense<0> : tensor<i32>\n  %n = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %z = stablehlo.constant dense<0.0> : tensor<4x3x4xf32>\n"
         "  %q = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : "
         "(tensor<3x4x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>\n"
         "  %0:2 = stablehlo.while(%i = %c, %x = %z) : tensor<i32>, tensor<4x3x4xf32>\n"
         "  cond {\n    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %p : tensor<i1>\n  } do {\n"
         "    %s = stablehlo.transpose %q, dims = [1, 0, 2] : (tensor<3x4x4xf32>) -> tensor<4x3x4xf32>\n"
         "    %t = stablehlo.reshape %s : (tensor<4x3x4xf32>) -> tensor<2x24xf32>\n"
         "    %u = stablehlo.dot_general %x, %b, batching_dims = [1] x [0], contracting_dims = [2] x [1] : "
         "(tensor<4x3x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>\n"
         "    %v = stablehlo.transpose %u, dims = [1, 0, 2] : (tensor<3x4x4xf32>) -> tensor<4x3x4xf32>\n"
         "    %w = stablehlo.reshape %v : (tensor<4x3x4xf32>) -> tensor<2x24xf32>\n"
         "    %y = stablehlo.add %t, %w : tensor<2x24xf32>\n"
         "    %x2 = stablehlo.reshape %y : (tensor<2x24xf32>) -> tensor<4x3x4xf32>\n"
         "    %o = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %o : tensor<i32>\n"
         "    stablehlo.return %j, %x2 : tensor<i32>, tensor<4x3x4xf32>\n  }\n"
         "  return %0#1 : tensor<4x3x4xf32>\n}\n", "tensor<3x4x4xf32> at 0 by (16, 48, 4)", " copy ", NULL);
  check ("func.func @main(%a: tensor<3x4x4xf32>, %b: tensor<3x4x4xf32>) -> tensor<4x3x4xf32> {\n"
         "  %c = stablehlo.constant dense<0> : tensor<i32>\n  %n = stablehlo.constant dense<3> : tensor<i32>\n"
         "  %z = stablehlo.constant dense<1.0> : tensor<4x3x4xf32>\n"
         "  %0:2 = stablehlo.while(%i = %c, %x = %z) : tensor<i32>, tensor<4x3x4xf32>\n"
         "  cond {\n    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %p : tensor<i1>\n  } do {\n"
         "    %u = stablehlo.dot_general %x, %b, batching_dims = [1] x [0], contracting_dims = [2] x [1] : "
         "(tensor<4x3x4xf32>, tensor<3x4x4xf32>) -> tensor<3x4x4xf32>\n"
         "    %v = stablehlo.transpose %u, dims = [1, 0, 2] : (tensor<3x4x4xf32>) -> tensor<4x3x4xf32>\n"
         "    %o = stablehlo.constant dense<1> : tensor<i32>\n    %j = stablehlo.add %i, %o : tensor<i32>\n"
         "    stablehlo.return %j, %v : tensor<i32>, tensor<4x3x4xf32>\n  }\n"
         "  return %0#1 : tensor<4x3x4xf32>\n}\n", "loop", NULL);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan-strided/heads", test_heads);
  g_test_add_func ("/plan-strided/epilogue", test_epilogue);
  g_test_add_func ("/plan-strided/cut", test_cut);
  g_test_add_func ("/plan-strided/used", test_used);
  g_test_add_func ("/plan-strided/loop", test_loop);

  return g_test_run ();
}
