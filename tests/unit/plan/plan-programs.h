/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that several tests of plans run.
 */

#pragma once

/* Everything between the inputs and the product is a view. */
static const char views[] =
  "func.func @main(%a: tensor<6x8xf32>, %b: tensor<4x10xf32>) -> tensor<3x5xf32> {\n"
  "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>\n"
  "  %1 = stablehlo.slice %0 [1:8:2, 0:6:2] : (tensor<8x6xf32>) -> tensor<4x3xf32>\n"
  "  %2 = stablehlo.reverse %1, dims = [0] : tensor<4x3xf32>\n"
  "  %3 = stablehlo.reshape %b : (tensor<4x10xf32>) -> tensor<4x2x5xf32>\n"
  "  %4 = stablehlo.slice %3 [0:4, 1:2, 0:5] : (tensor<4x2x5xf32>) -> tensor<4x1x5xf32>\n"
  "  %5 = stablehlo.reshape %4 : (tensor<4x1x5xf32>) -> tensor<4x5xf32>\n"
  "  %6 = stablehlo.dot_general %2, %5, contracting_dims = [0] x [0] : (tensor<4x3xf32>, tensor<4x5xf32>) -> "
  "tensor<3x5xf32>\n"
  "  return %6 : tensor<3x5xf32>\n"
  "}\n";

/* A Fibonacci pair and a product: two values that are swapped, and one that no kernel computes in place. */
static const char crossing[] =
  "func.func @main(%a: tensor<4x4xf32>, %b: tensor<i32>) -> (tensor<4x4xf32>, tensor<i32>, tensor<i32>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %end = stablehlo.constant dense<5> : tensor<i32>\n"
  "  %0:4 = stablehlo.while(%i = %zero, %m = %a, %p = %b, %q = %one) : tensor<i32>, tensor<4x4xf32>, tensor<i32>, "
  "tensor<i32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %n = stablehlo.dot_general %m, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
  "tensor<4x4xf32>\n"
  "    %s = stablehlo.add %p, %q : tensor<i32>\n"
  "    stablehlo.return %j, %n, %q, %s : tensor<i32>, tensor<4x4xf32>, tensor<i32>, tensor<i32>\n"
  "  }\n"
  "  return %0#1, %0#2, %0#3 : tensor<4x4xf32>, tensor<i32>, tensor<i32>\n"
  "}\n";

/* A nested loop, whose inner initial value is the outer carried value, and a branch that passes on values from
 * outside. */
static const char nested[] =
  "func.func @main(%x: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
  "  %0:3 = stablehlo.while(%i = %zero, %s = %x, %u = %x) : tensor<i32>, tensor<8xf32>, tensor<8xf32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i32>\n"
  "    %1:2 = stablehlo.while(%k = %zero, %t = %s) : tensor<i32>, tensor<8xf32>\n"
  "    cond {\n"
  "      %d = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %d : tensor<i1>\n"
  "    } do {\n"
  "      %l = stablehlo.add %k, %one : tensor<i32>\n"
  "      %v = stablehlo.reverse %t, dims = [0] : tensor<8xf32>\n"
  "      %w = stablehlo.add %v, %u : tensor<8xf32>\n"
  "      stablehlo.return %l, %w : tensor<i32>, tensor<8xf32>\n"
  "    }\n"
  "    %2 = \"stablehlo.if\"(%p) ({\n"
  "      %n = stablehlo.negate %u : tensor<8xf32>\n"
  "      stablehlo.return %n : tensor<8xf32>\n"
  "    }, {\n"
  "      stablehlo.return %s : tensor<8xf32>\n"
  "    }) : (tensor<i1>) -> tensor<8xf32>\n"
  "    stablehlo.return %j, %1#1, %2 : tensor<i32>, tensor<8xf32>, tensor<8xf32>\n"
  "  }\n"
  "  return %0#1, %0#2 : tensor<8xf32>, tensor<8xf32>\n"
  "}\n";
