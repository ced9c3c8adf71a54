/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups of operations lowered to kernels: the interpreter's results for the kernel are the reference executor's for
 * the program, whatever the operands' strides are. Where sums are computed in another order, or functions by another
 * approximation, the results agree within the tolerance of the case's row.
 */

#include "lower-case.h"

#include "kernel/select-and-scatter.h"

/* The position of an element of rows, NaN first, and of equal ones the first. */
#define ARG(order, type, shape, rows, least, results, returned) \
  FUNC ("%a: tensor<" shape "x" type ">", results, \
        "%low = stablehlo.constant dense<" least "> : tensor<" type ">\n" \
        "%zero = stablehlo.constant dense<0> : tensor<i32>\n" \
        "%i = stablehlo.iota dim = 1 : tensor<" shape "xi32>\n" \
        "%0:2 = stablehlo.reduce(%a init: %low), (%i init: %zero) across dimensions = [1] : (tensor<" shape \
        "x" type ">, tensor<" shape "xi32>, tensor<" type ">, tensor<i32>) -> (tensor<" rows "x" type \
        ">, tensor<" rows "xi32>)\n" \
        "reducer(%x: tensor<" type ">, %y: tensor<" type ">) (%j: tensor<i32>, %k: tensor<i32>) {\n" \
        "%c = stablehlo.compare " order ", %x, %y : (tensor<" type ">, tensor<" type ">) -> tensor<i1>\n" \
        "%n = stablehlo.compare NE, %x, %x : (tensor<" type ">, tensor<" type ">) -> tensor<i1>\n" \
        "%o = stablehlo.or %c, %n : tensor<i1>\n" \
        "%e = stablehlo.compare EQ, %x, %y : (tensor<" type ">, tensor<" type ">) -> tensor<i1>\n" \
        "%l = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
        "%t = stablehlo.and %e, %l : tensor<i1>\n" \
        "%s = stablehlo.or %o, %t : tensor<i1>\n" \
        "%v = stablehlo.select %o, %x, %y : tensor<i1>, tensor<" type ">\n" \
        "%w = stablehlo.select %s, %j, %k : tensor<i1>, tensor<i32>\n" \
        "stablehlo.return %v, %w : tensor<" type ">, tensor<i32>\n}\n" \
        "return " returned "\n")

static const LowerCase cases[] = {
  { "chain", EXACT, 1,
    FUNC ("%a: tensor<3x7xf32>, %b: tensor<3x7xf32>", "tensor<3x7xf32>",
          "%0 = stablehlo.add %a, %b : tensor<3x7xf32>\n"
          "%1 = stablehlo.multiply %0, %a : tensor<3x7xf32>\n"
          "%2 = stablehlo.sqrt %1 : tensor<3x7xf32>\n"
          "%3 = stablehlo.maximum %2, %b : tensor<3x7xf32>\n"
          "return %3 : tensor<3x7xf32>\n") },
  { "several results", EXACT, 1,
    FUNC ("%a: tensor<5x4xf32>", "(tensor<5x4xf32>, tensor<5x4xi1>)",
          "%zero = stablehlo.constant dense<0.5> : tensor<5x4xf32>\n"
          "%0 = stablehlo.compare GT, %a, %zero : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xi1>\n"
          "%1 = stablehlo.select %0, %a, %zero : tensor<5x4xi1>, tensor<5x4xf32>\n"
          "return %1, %0 : tensor<5x4xf32>, tensor<5x4xi1>\n") },
  { "narrow", EXACT, 1,
    FUNC ("%a: tensor<33xbf16>, %b: tensor<33xf16>", "(tensor<33xbf16>, tensor<33xf16>)",
          "%0 = stablehlo.multiply %a, %a : tensor<33xbf16>\n"
          "%1 = stablehlo.add %0, %a : tensor<33xbf16>\n"
          "%2 = stablehlo.convert %1 : (tensor<33xbf16>) -> tensor<33xf16>\n"
          "%3 = stablehlo.subtract %2, %b : tensor<33xf16>\n"
          "return %1, %3 : tensor<33xbf16>, tensor<33xf16>\n") },
  { "narrow sums", HALF, 0,
    FUNC ("%a: tensor<5x12xbf16>, %b: tensor<5x300xf16>", "tensor<5xbf16>",
          "%zero = stablehlo.constant dense<0.0> : tensor<bf16>\n"
          "%0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x12xbf16>, "
          "tensor<bf16>) -> tensor<5xbf16>\n"
          "return %0 : tensor<5xbf16>\n") },
  { "floats of 8 bits", EXACT, 1,
    FUNC ("%a: tensor<65xf8E4M3FN>, %b: tensor<65xf8E5M2FNUZ>, %c: tensor<65xf32>",
          "(tensor<65xf8E4M3FN>, tensor<65xf8E5M2FNUZ>, tensor<65xf8E8M0FNU>, tensor<65xf4E2M1FN>)",
          "%0 = stablehlo.convert %b : (tensor<65xf8E5M2FNUZ>) -> tensor<65xf8E4M3FN>\n"
          "%1 = stablehlo.multiply %a, %0 : tensor<65xf8E4M3FN>\n"
          "%2 = stablehlo.add %1, %0 : tensor<65xf8E4M3FN>\n"
          "%3 = stablehlo.negate %b : tensor<65xf8E5M2FNUZ>\n"
          "%4 = stablehlo.floor %3 : tensor<65xf8E5M2FNUZ>\n"
          "%5 = stablehlo.divide %b, %4 : tensor<65xf8E5M2FNUZ>\n"
          "%6 = stablehlo.convert %c : (tensor<65xf32>) -> tensor<65xf8E8M0FNU>\n"
          "%7 = stablehlo.convert %c : (tensor<65xf32>) -> tensor<65xf4E2M1FN>\n"
          "%8 = stablehlo.subtract %7, %7 : tensor<65xf4E2M1FN>\n"
          "%9 = stablehlo.remainder %7, %8 : tensor<65xf4E2M1FN>\n"
          "return %2, %5, %6, %9 : tensor<65xf8E4M3FN>, tensor<65xf8E5M2FNUZ>, tensor<65xf8E8M0FNU>, "
          "tensor<65xf4E2M1FN>\n") },
  { "integers of 4 bits", EXACT, 1,
    FUNC ("%a: tensor<33xi4>, %b: tensor<33xui4>, %c: tensor<33xf32>",
          "(tensor<33xi4>, tensor<33xui4>, tensor<33xbf16>, tensor<33xi4>)",
          "%0 = stablehlo.multiply %a, %a : tensor<33xi4>\n"
          "%1 = stablehlo.negate %0 : tensor<33xi4>\n"
          "%2 = stablehlo.convert %1 : (tensor<33xi4>) -> tensor<33xui4>\n"
          "%3 = stablehlo.shift_right_logical %2, %b : tensor<33xui4>\n"
          "%4 = stablehlo.convert %a : (tensor<33xi4>) -> tensor<33xbf16>\n"
          "%5 = stablehlo.convert %c : (tensor<33xf32>) -> tensor<33xi4>\n"
          "return %1, %3, %4, %5 : tensor<33xi4>, tensor<33xui4>, tensor<33xbf16>, tensor<33xi4>\n") },
  { "sums of 4 bits", EXACT, 0,
    FUNC ("%a: tensor<5x12xi4>, %init: tensor<i4>", "(tensor<5xi4>, tensor<5xi4>)",
          "%0 = stablehlo.reduce(%a init: %init) applies stablehlo.add across dimensions = [1] : (tensor<5x12xi4>, "
          "tensor<i4>) -> tensor<5xi4>\n"
          "%1 = stablehlo.reduce(%a init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<5x12xi4>, "
          "tensor<i4>) -> tensor<5xi4>\n"
          "return %0, %1 : tensor<5xi4>, tensor<5xi4>\n") },
  { "64 bits to 16", EXACT, 1,
    FUNC ("%a: tensor<65xi64>, %b: tensor<65xui64>", "(tensor<65xbf16>, tensor<65xf16>, tensor<65xf8E5M2>)",
          "%0 = stablehlo.convert %a : (tensor<65xi64>) -> tensor<65xbf16>\n"
          "%1 = stablehlo.convert %b : (tensor<65xui64>) -> tensor<65xf16>\n"
          "%2 = stablehlo.convert %a : (tensor<65xi64>) -> tensor<65xf8E5M2>\n"
          "return %0, %1, %2 : tensor<65xbf16>, tensor<65xf16>, tensor<65xf8E5M2>\n") },
#define BITCAST(from, to) \
  { from " as " to, EXACT, 1, \
    FUNC ("%a: tensor<" from ">", "tensor<" to ">", \
          "%0 = stablehlo.bitcast_convert %a : (tensor<" from ">) -> tensor<" to ">\n" \
          "return %0 : tensor<" to ">\n") }
  BITCAST ("5x3xui8", "5x3x2xui4"), BITCAST ("5x3x2xi4", "5x3xi8"), BITCAST ("5x3xi32", "5x3x8xi4"),
  BITCAST ("5x4xi4", "5xui16"), BITCAST ("7xi8", "7x8xi1"), BITCAST ("7x8xi1", "7xf8E5M2"),
  BITCAST ("9xi4", "9xf4E2M1FN"), BITCAST ("9xf4E2M1FN", "9xi4"), BITCAST ("3xf32", "3x16xi2"),
  BITCAST ("3x16xui2", "3xf32"), BITCAST ("4xbf16", "4x4xf4E2M1FN"),
  { "sums of 8 bits", EXACT, 0,
    FUNC ("%a: tensor<5x12xf8E4M3>", "tensor<5xf8E4M3>",
          "%zero = stablehlo.constant dense<0.0> : tensor<f8E4M3>\n"
          "%0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x12xf8E4M3>, "
          "tensor<f8E4M3>) -> tensor<5xf8E4M3>\n"
          "return %0 : tensor<5xf8E4M3>\n") },
  /* Each element of a column with each of a row. */
#define PAIRS(text, type, to, body) \
  { text, EXACT, 1, \
    FUNC ("%a: tensor<40x1x" type ">, %b: tensor<1x40x" type ">", "tensor<40x40x" to ">", \
          "%x0 = stablehlo.reshape %a : (tensor<40x1x" type ">) -> tensor<40x" type ">\n" \
          "%x = stablehlo.broadcast_in_dim %x0, dims = [0] : (tensor<40x" type ">) -> tensor<40x40x" type ">\n" \
          "%y0 = stablehlo.reshape %b : (tensor<1x40x" type ">) -> tensor<40x" type ">\n" \
          "%y = stablehlo.broadcast_in_dim %y0, dims = [1] : (tensor<40x" type ">) -> tensor<40x40x" type ">\n" \
          body "return %0 : tensor<40x40x" to ">\n") }
#define NEXT_AFTER(type) \
  PAIRS ("next after of " type, type, type, "%0 = chlo.next_after %x, %y : tensor<40x40x" type ">, tensor<40x40x" type \
         "> -> tensor<40x40x" type ">\n")
#define REDUCED(type, format) \
  PAIRS (format " of " type, type, type, "%z = stablehlo.multiply %x, %y : tensor<40x40x" type ">\n" \
         "%0 = stablehlo.reduce_precision %z, format = " format " : tensor<40x40x" type ">\n")
  NEXT_AFTER ("f16"), NEXT_AFTER ("bf16"), NEXT_AFTER ("f32"), NEXT_AFTER ("f64"),
  REDUCED ("f32", "e5m10"), REDUCED ("f32", "e8m7"), REDUCED ("f32", "e1m0"), REDUCED ("f32", "e8m23"),
  REDUCED ("f64", "e8m23"), REDUCED ("f64", "e4m0"), REDUCED ("bf16", "e5m2"), REDUCED ("f16", "e4m3"),
  { "integers", EXACT, 1,
    FUNC ("%a: tensor<40xi32>, %b: tensor<40xi32>, %c: tensor<40xui8>", "(tensor<40xi32>, tensor<40xui8>)",
          "%0 = stablehlo.divide %a, %b : tensor<40xi32>\n"
          "%1 = stablehlo.shift_right_logical %0, %b : tensor<40xi32>\n"
          "%2 = stablehlo.sign %a : tensor<40xi32>\n"
          "%3 = stablehlo.xor %1, %2 : tensor<40xi32>\n"
          "%4 = stablehlo.convert %3 : (tensor<40xi32>) -> tensor<40xui8>\n"
          "%5 = stablehlo.shift_right_arithmetic %c, %4 : tensor<40xui8>\n"
          "return %3, %5 : tensor<40xi32>, tensor<40xui8>\n") },
  { "moves", EXACT, 1,
    FUNC ("%a: tensor<4x6xf32>, %b: tensor<6xf32>, %c: tensor<1x3x1xf32>", "tensor<3x2x4xf32>",
          "%0 = stablehlo.slice %a [0:4, 1:6:2] : (tensor<4x6xf32>) -> tensor<4x3xf32>\n"
          "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>\n"
          "%2 = stablehlo.broadcast_in_dim %1, dims = [0, 2] : (tensor<3x4xf32>) -> tensor<3x2x4xf32>\n"
          "%3 = stablehlo.slice %b [2:6:2] : (tensor<6xf32>) -> tensor<2xf32>\n"
          "%4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<2xf32>) -> tensor<3x2x4xf32>\n"
          "%5 = stablehlo.reshape %c : (tensor<1x3x1xf32>) -> tensor<3x1xf32>\n"
          "%6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x2x4xf32>\n"
          "%7 = stablehlo.add %2, %4 : tensor<3x2x4xf32>\n"
          "%8 = stablehlo.reverse %7, dims = [0, 2] : tensor<3x2x4xf32>\n"
          "%9 = stablehlo.subtract %8, %6 : tensor<3x2x4xf32>\n"
          "return %9 : tensor<3x2x4xf32>\n") },
  { "pad", EXACT, 1,
    FUNC ("%a: tensor<4x6xf32>, %p: tensor<f32>", "tensor<7x8xf32>",
          "%0 = stablehlo.pad %a, %p, low = [1, -1], high = [2, 3], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) "
          "-> tensor<7x8xf32>\n"
          "%1 = stablehlo.negate %a : tensor<4x6xf32>\n"
          "%2 = stablehlo.pad %1, %p, low = [3, 2], high = [0, 0], interior = [0, 0] : (tensor<4x6xf32>, tensor<f32>) "
          "-> tensor<7x8xf32>\n"
          "%3 = stablehlo.add %0, %2 : tensor<7x8xf32>\n"
          "return %3 : tensor<7x8xf32>\n") },
  { "concatenate", EXACT, 1,
    FUNC ("%a: tensor<3x2xbf16>, %b: tensor<3x5xbf16>, %c: tensor<3x1xbf16>", "tensor<3x10xbf16>",
          "%0 = stablehlo.add %b, %b : tensor<3x5xbf16>\n"
          "%1 = stablehlo.concatenate %a, %0, %c, %a, dim = 1 : (tensor<3x2xbf16>, tensor<3x5xbf16>, tensor<3x1xbf16>, "
          "tensor<3x2xbf16>) -> tensor<3x10xbf16>\n"
          "return %1 : tensor<3x10xbf16>\n") },
  { "complex numbers", EXACT, 1,
    FUNC ("%a: tensor<7x9xcomplex<f32>>, %b: tensor<7x9xcomplex<f32>>, %c: tensor<9xf32>",
          "(tensor<7x9xcomplex<f32>>, tensor<7x9xf32>, tensor<7x9xi1>)",
          "%0 = stablehlo.add %a, %b : tensor<7x9xcomplex<f32>>\n"
          "%1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<9xf32>) -> tensor<7x9xf32>\n"
          "%2 = stablehlo.imag %0 : (tensor<7x9xcomplex<f32>>) -> tensor<7x9xf32>\n"
          "%3 = stablehlo.complex %2, %1 : tensor<7x9xcomplex<f32>>\n"
          "%4 = stablehlo.subtract %3, %b : tensor<7x9xcomplex<f32>>\n"
          "%5 = stablehlo.compare NE, %a, %4 : (tensor<7x9xcomplex<f32>>, tensor<7x9xcomplex<f32>>) -> "
          "tensor<7x9xi1>\n"
          "%6 = stablehlo.select %5, %4, %a : tensor<7x9xi1>, tensor<7x9xcomplex<f32>>\n"
          "%7 = stablehlo.negate %6 : tensor<7x9xcomplex<f32>>\n"
          "%k = stablehlo.constant dense<(1.5, -2.5)> : tensor<complex<f32>>\n"
          "%8 = stablehlo.pad %7, %k, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<7x9xcomplex<f32>>, "
          "tensor<complex<f32>>) -> tensor<7x9xcomplex<f32>>\n"
          "%9 = stablehlo.reverse %8, dims = [0, 1] : tensor<7x9xcomplex<f32>>\n"
          "%10 = stablehlo.real %7 : (tensor<7x9xcomplex<f32>>) -> tensor<7x9xf32>\n"
          "%11 = stablehlo.convert %10 : (tensor<7x9xf32>) -> tensor<7x9xcomplex<f64>>\n"
          "%12 = stablehlo.convert %11 : (tensor<7x9xcomplex<f64>>) -> tensor<7x9xf32>\n"
          "return %9, %12, %5 : tensor<7x9xcomplex<f32>>, tensor<7x9xf32>, tensor<7x9xi1>\n") },
  { "complex products", NEAR, 1,
    FUNC ("%a: tensor<61xcomplex<f32>>, %b: tensor<61xcomplex<f32>>, %c: tensor<61xcomplex<f64>>",
          "(tensor<61xcomplex<f32>>, tensor<61xcomplex<f64>>, tensor<61xf32>)",
          "%0 = stablehlo.multiply %a, %b : tensor<61xcomplex<f32>>\n"
          "%1 = stablehlo.divide %0, %b : tensor<61xcomplex<f32>>\n"
          "%2 = stablehlo.multiply %c, %c : tensor<61xcomplex<f64>>\n"
          "%3 = stablehlo.abs %a : (tensor<61xcomplex<f32>>) -> tensor<61xf32>\n"
          "return %1, %2, %3 : tensor<61xcomplex<f32>>, tensor<61xcomplex<f64>>, tensor<61xf32>\n") },
  { "complex sums", NEAR, 0,
    FUNC ("%a: tensor<5x300xcomplex<f32>>, %b: tensor<300xcomplex<f32>>",
          "(tensor<5xcomplex<f32>>, tensor<5x300xcomplex<f32>>)",
          "%zero = stablehlo.constant dense<(0.0, 0.5)> : tensor<complex<f32>>\n"
          "%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<300xcomplex<f32>>) -> tensor<5x300xcomplex<f32>>\n"
          "%1 = stablehlo.multiply %a, %0 : tensor<5x300xcomplex<f32>>\n"
          "%2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : "
          "(tensor<5x300xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>\n"
          "%3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xcomplex<f32>>) -> tensor<5x300xcomplex<f32>>\n"
          "%4 = stablehlo.subtract %a, %3 : tensor<5x300xcomplex<f32>>\n"
          "return %2, %4 : tensor<5xcomplex<f32>>, tensor<5x300xcomplex<f32>>\n") },
  { "products of complex rows", 1e-5, 0,
    FUNC ("%a: tensor<5x12xcomplex<f32>>", "tensor<5xcomplex<f32>>",
          "%one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>\n"
          "%0 = stablehlo.sign %a : tensor<5x12xcomplex<f32>>\n"
          "%1 = stablehlo.reduce(%0 init: %one) applies stablehlo.multiply across dimensions = [1] : "
          "(tensor<5x12xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5xcomplex<f32>>\n"
          "return %1 : tensor<5xcomplex<f32>>\n") },
  { "dynamic slices", EXACT, 1,
    FUNC ("%a: tensor<9x7x6xf32>, %i: tensor<i32>, %j: tensor<ui64>, %k: tensor<i8>", "tensor<4x7x2xf32>",
          "%one = stablehlo.constant dense<1> : tensor<i32>\n"
          "%0 = stablehlo.add %i, %one : tensor<i32>\n"
          "%1 = stablehlo.dynamic_slice %a, %0, %one, %i, sizes = [4, 7, 2] : (tensor<9x7x6xf32>, tensor<i32>, "
          "tensor<i32>, tensor<i32>) -> tensor<4x7x2xf32>\n"
          "%2 = stablehlo.dynamic_slice %a, %j, %j, %j, sizes = [4, 7, 2] : (tensor<9x7x6xf32>, tensor<ui64>, "
          "tensor<ui64>, tensor<ui64>) -> tensor<4x7x2xf32>\n"
          "%3 = stablehlo.reverse %1, dims = [0, 2] : tensor<4x7x2xf32>\n"
          "%4 = stablehlo.subtract %3, %2 : tensor<4x7x2xf32>\n"
          "%5 = stablehlo.negate %a : tensor<9x7x6xf32>\n"
          "%6 = stablehlo.transpose %5, dims = [2, 1, 0] : (tensor<9x7x6xf32>) -> tensor<6x7x9xf32>\n"
          "%7 = stablehlo.dynamic_slice %6, %k, %k, %k, sizes = [2, 7, 4] : (tensor<6x7x9xf32>, tensor<i8>, "
          "tensor<i8>, tensor<i8>) -> tensor<2x7x4xf32>\n"
          "%8 = stablehlo.transpose %7, dims = [2, 1, 0] : (tensor<2x7x4xf32>) -> tensor<4x7x2xf32>\n"
          "%9 = stablehlo.add %4, %8 : tensor<4x7x2xf32>\n"
          "return %9 : tensor<4x7x2xf32>\n") },
  { "a slice of a slice", EXACT, 1,
    FUNC ("%a: tensor<20xf32>, %p: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>", "tensor<8xf32>",
          "%0 = stablehlo.dynamic_slice %a, %i, sizes = [11] : (tensor<20xf32>, tensor<i32>) -> tensor<11xf32>\n"
          "%1 = stablehlo.reverse %0, dims = [0] : tensor<11xf32>\n"
          "%2 = stablehlo.dynamic_slice %1, %j, sizes = [5] : (tensor<11xf32>, tensor<i32>) -> tensor<5xf32>\n"
          "%3 = stablehlo.pad %2, %p, low = [1], high = [2], interior = [0] : (tensor<5xf32>, tensor<f32>) "
          "-> tensor<8xf32>\n"
          "%4 = stablehlo.negate %3 : tensor<8xf32>\n"
          "return %4 : tensor<8xf32>\n") },
  { "rows of a table", EXACT, 1,
    FUNC ("%t: tensor<13x6xf32>, %u: tensor<6xf32>, %i: tensor<2x3xi32>", "tensor<2x3x6xf32>",
          "%n = stablehlo.constant dense<13> : tensor<2x3xi32>\n"
          "%0 = stablehlo.remainder %i, %n : tensor<2x3xi32>\n"
          "%1 = stablehlo.reshape %0 : (tensor<2x3xi32>) -> tensor<2x3x1xi32>\n"
          "%2 = \"stablehlo.gather\"(%t, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], "
          "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, "
          "slice_sizes = array<i64: 1, 6>}> : (tensor<13x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x6xf32>\n"
          "%3 = stablehlo.broadcast_in_dim %u, dims = [2] : (tensor<6xf32>) -> tensor<2x3x6xf32>\n"
          "%4 = stablehlo.add %2, %3 : tensor<2x3x6xf32>\n"
          "return %4 : tensor<2x3x6xf32>\n") },
  { "places of several dimensions", EXACT, 1,
    FUNC ("%t: tensor<4x7x5x8xbf16>, %i: tensor<2x4x3xi16>", "tensor<3x4x2x2xbf16>",
          "%0 = stablehlo.negate %t : tensor<4x7x5x8xbf16>\n"
          "%1 = \"stablehlo.gather\"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], "
          "collapsed_slice_dims = [2], operand_batching_dims = [0], start_indices_batching_dims = [1], "
          "start_index_map = [3, 1], index_vector_dim = 0>, slice_sizes = array<i64: 1, 3, 1, 2>}> : "
          "(tensor<4x7x5x8xbf16>, tensor<2x4x3xi16>) -> tensor<3x4x2x3xbf16>\n"
          "%2 = stablehlo.slice %1 [0:3, 0:4, 0:2, 1:3] : (tensor<3x4x2x3xbf16>) -> tensor<3x4x2x2xbf16>\n"
          "%3 = stablehlo.add %2, %2 : tensor<3x4x2x2xbf16>\n"
          "return %3 : tensor<3x4x2x2xbf16>\n") },
  { "normalized rows of a table", 1e-5, 0,
    FUNC ("%t: tensor<13x70xf32>, %i: tensor<5x1xi32>", "tensor<5x70xf32>",
          ZERO "%n = stablehlo.constant dense<70.0> : tensor<5xf32>\n"
          "%0 = \"stablehlo.gather\"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
          "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
          "slice_sizes = array<i64: 1, 70>}> : (tensor<13x70xf32>, tensor<5x1xi32>) -> tensor<5x70xf32>\n"
          SUM ("%1", "%0", "1", "tensor<5x70xf32>", "tensor<5xf32>")
          "%2 = stablehlo.divide %1, %n : tensor<5xf32>\n"
          "%3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<5xf32>) -> tensor<5x70xf32>\n"
          "%4 = stablehlo.subtract %0, %3 : tensor<5x70xf32>\n"
          "return %4 : tensor<5x70xf32>\n") },
  { "one of each row", EXACT, 0,
    FUNC ("%t: tensor<6x10xf32>, %i: tensor<6x1x1xi32>", "tensor<6x1xf32>",
          "%0 = stablehlo.negate %t : tensor<6x10xf32>\n"
          "%1 = \"stablehlo.gather\"(%0, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], "
          "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
          "index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}> : (tensor<6x10xf32>, tensor<6x1x1xi32>) -> "
          "tensor<6x1xf32>\n"
          "%2 = stablehlo.add %1, %1 : tensor<6x1xf32>\n"
          "return %2 : tensor<6x1xf32>\n") },
  { "iota", EXACT, 1,
    FUNC ("%a: tensor<3x9xf32>", "(tensor<3x9xf32>, tensor<3x9xi8>)",
          "%0 = stablehlo.iota dim = 1 : tensor<3x9xf32>\n"
          "%1 = stablehlo.add %a, %0 : tensor<3x9xf32>\n"
          "%2 = stablehlo.iota dim = 0 : tensor<3x9xi8>\n"
          "%3 = stablehlo.reverse %2, dims = [0] : tensor<3x9xi8>\n"
          "return %1, %3 : tensor<3x9xf32>, tensor<3x9xi8>\n") },
  { "sum of rows", NEAR, 0,
    FUNC ("%a: tensor<6x1000xf32>", "tensor<6xf32>",
          ZERO SUM ("%0", "%a", "1", "tensor<6x1000xf32>", "tensor<6xf32>") "return %0 : tensor<6xf32>\n") },
  { "sum of columns", NEAR, 0,
    FUNC ("%a: tensor<1300x40xf32>", "tensor<40xf32>",
          ZERO SUM ("%0", "%a", "0", "tensor<1300x40xf32>", "tensor<40xf32>") "return %0 : tensor<40xf32>\n") },
  { "sum of all", NEAR, 0,
    FUNC ("%a: tensor<50x30x7xf32>, %b: tensor<50x30x7xf32>", "tensor<f32>",
          ZERO "%0 = stablehlo.multiply %a, %b : tensor<50x30x7xf32>\n"
          SUM ("%1", "%0", "0, 1, 2", "tensor<50x30x7xf32>", "tensor<f32>") "return %1 : tensor<f32>\n") },
  { "initial value", EXACT, 0,
    FUNC ("%a: tensor<4x9xi32>, %i: tensor<i32>", "(tensor<4xi32>, tensor<4xi32>)",
          "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<4x9xi32>, "
          "tensor<i32>) -> tensor<4xi32>\n"
          "%1 = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<4x9xi32>, "
          "tensor<i32>) -> tensor<4xi32>\n"
          "return %0, %1 : tensor<4xi32>, tensor<4xi32>\n") },
  { "softmax", NEAR, 0,
    FUNC ("%a: tensor<2x5x70xf32>", "tensor<2x5x70xf32>",
          ZERO "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "%0 = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [2] : "
          "(tensor<2x5x70xf32>, tensor<f32>) -> tensor<2x5xf32>\n"
          "%1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x70xf32>\n"
          "%2 = stablehlo.subtract %a, %1 : tensor<2x5x70xf32>\n"
          "%3 = stablehlo.exponential %2 : tensor<2x5x70xf32>\n"
          SUM ("%4", "%3", "2", "tensor<2x5x70xf32>", "tensor<2x5xf32>")
          "%5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x70xf32>\n"
          "%6 = stablehlo.divide %3, %5 : tensor<2x5x70xf32>\n"
          "return %6 : tensor<2x5x70xf32>\n") },
  { "normalized columns", 1e-5, 0,
    FUNC ("%a: tensor<4x3x3x8xf32>, %g: tensor<8xf32>", "(tensor<4x3x3x8xf32>, tensor<8xf32>)",
          ZERO "%n = stablehlo.constant dense<36.0> : tensor<8xf32>\n"
          SUM ("%0", "%a", "0, 1, 2", "tensor<4x3x3x8xf32>", "tensor<8xf32>")
          "%1 = stablehlo.divide %0, %n : tensor<8xf32>\n"
          "%2 = stablehlo.broadcast_in_dim %1, dims = [3] : (tensor<8xf32>) -> tensor<4x3x3x8xf32>\n"
          "%3 = stablehlo.subtract %a, %2 : tensor<4x3x3x8xf32>\n"
          "%4 = stablehlo.multiply %3, %3 : tensor<4x3x3x8xf32>\n"
          SUM ("%5", "%4", "0, 1, 2", "tensor<4x3x3x8xf32>", "tensor<8xf32>")
          "%6 = stablehlo.multiply %5, %g : tensor<8xf32>\n"
          "%7 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<8xf32>) -> tensor<4x3x3x8xf32>\n"
          "%8 = stablehlo.multiply %3, %7 : tensor<4x3x3x8xf32>\n"
          "return %8, %1 : tensor<4x3x3x8xf32>, tensor<8xf32>\n") },
  { "argmax", EXACT, 0, ARG ("GT", "f32", "6x50", "6", "0xFF800000", "tensor<6xi32>", "%0#1 : tensor<6xi32>") },
  /* In parts, which find the first of equal elements. */
  { "long argmax", EXACT, 0,
    ARG ("GT", "f32", "2x3001", "2", "0xFF800000", "tensor<2xi32>", "%0#1 : tensor<2xi32>") },
  { "long argmax of bytes", EXACT, 0,
    ARG ("GT", "i8", "3x9000", "3", "-128", "(tensor<3xi8>, tensor<3xi32>)",
         "%0#0, %0#1 : tensor<3xi8>, tensor<3xi32>") },
  { "long argmin", EXACT, 0,
    ARG ("LT", "bf16", "2x70000", "2", "0x7F80", "tensor<2xi32>", "%0#1 : tensor<2xi32>") },
  { "windows", EXACT, 0,
    FUNC ("%a: tensor<2x9x7x3xf32>, %i: tensor<f32>", "tensor<2x5x3x3xf32>",
          "%0 = \"stablehlo.reduce_window\"(%a, %i) <{padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : "
          "tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
          "window_dilations = array<i64: 1, 1, 3, 1>}> ({\n"
          "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
          "%m = stablehlo.maximum %x, %y : tensor<f32>\nstablehlo.return %m : tensor<f32>\n"
          "}) : (tensor<2x9x7x3xf32>, tensor<f32>) -> tensor<2x5x3x3xf32>\n"
          "return %0 : tensor<2x5x3x3xf32>\n") },
  { "mean of windows", NEAR, 0,
    FUNC ("%a: tensor<2x8x6xf32>", "tensor<2x4x3xf32>",
          ZERO "%q = stablehlo.constant dense<0.25> : tensor<2x4x3xf32>\n"
          "%s = stablehlo.multiply %a, %a : tensor<2x8x6xf32>\n"
          "%0 = \"stablehlo.reduce_window\"(%s, %zero) <{window_dimensions = array<i64: 1, 2, 2>, "
          "window_strides = array<i64: 1, 2, 2>}> ({\n"
          "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
          "%m = stablehlo.add %x, %y : tensor<f32>\nstablehlo.return %m : tensor<f32>\n"
          "}) : (tensor<2x8x6xf32>, tensor<f32>) -> tensor<2x4x3xf32>\n"
          "%1 = stablehlo.multiply %0, %q : tensor<2x4x3xf32>\n"
          "return %1 : tensor<2x4x3xf32>\n") },
  /* Points that are whole rows: channels of an image, coordinates, guarded rows, and complex numbers. */
  { "channels", EXACT, 1,
    FUNC ("%a: tensor<3x7x3xf32>, %b: tensor<3xf32>, %c: tensor<3xui8>", "(tensor<3x7x3xf32>, tensor<3x7x3xui8>)",
          "%0 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<3xf32>) -> tensor<3x7x3xf32>\n"
          "%1 = stablehlo.subtract %a, %0 : tensor<3x7x3xf32>\n"
          "%2 = stablehlo.broadcast_in_dim %c, dims = [2] : (tensor<3xui8>) -> tensor<3x7x3xui8>\n"
          "%3 = stablehlo.convert %2 : (tensor<3x7x3xui8>) -> tensor<3x7x3xf32>\n"
          "%4 = stablehlo.multiply %1, %3 : tensor<3x7x3xf32>\n"
          "%5 = stablehlo.convert %4 : (tensor<3x7x3xf32>) -> tensor<3x7x3xui8>\n"
          "return %4, %5 : tensor<3x7x3xf32>, tensor<3x7x3xui8>\n") },
  { "coordinates of channels", EXACT, 1,
    FUNC ("%a: tensor<19x2x2xi32>, %b: tensor<19x1xi32>", "tensor<19x2x2xi32>",
          "%0 = stablehlo.iota dim = 2 : tensor<19x2x2xi32>\n"
          "%1 = stablehlo.iota dim = 1 : tensor<19x2x2xi32>\n"
          "%2 = stablehlo.broadcast_in_dim %b, dims = [0, 2] : (tensor<19x1xi32>) -> tensor<19x2x2xi32>\n"
          "%3 = stablehlo.multiply %0, %2 : tensor<19x2x2xi32>\n"
          "%4 = stablehlo.multiply %1, %a : tensor<19x2x2xi32>\n"
          "%5 = stablehlo.add %3, %4 : tensor<19x2x2xi32>\n"
          "return %5 : tensor<19x2x2xi32>\n") },
  { "channels that begin later", EXACT, 1,
    FUNC ("%a: tensor<20x2xf32>, %p: tensor<f32>, %b: tensor<4xf32>", "tensor<20x4xf32>",
          "%0 = stablehlo.pad %a, %p, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<20x2xf32>, tensor<f32>) "
          "-> tensor<20x4xf32>\n"
          "%1 = stablehlo.reverse %b, dims = [0] : tensor<4xf32>\n"
          "%2 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<4xf32>) -> tensor<20x4xf32>\n"
          "%3 = stablehlo.add %0, %2 : tensor<20x4xf32>\n"
          "return %3 : tensor<20x4xf32>\n") },
  { "two complex numbers", EXACT, 1,
    FUNC ("%a: tensor<17x2xcomplex<f32>>, %b: tensor<2xcomplex<f32>>", "tensor<17x2xcomplex<f32>>",
          "%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xcomplex<f32>>) -> tensor<17x2xcomplex<f32>>\n"
          "%1 = stablehlo.subtract %a, %0 : tensor<17x2xcomplex<f32>>\n"
          "return %1 : tensor<17x2xcomplex<f32>>\n") },
  { "one element", NEAR, 0,
    FUNC ("%a: tensor<4x1xf32>", "tensor<4xf32>",
          ZERO SUM ("%0", "%a", "1", "tensor<4x1xf32>", "tensor<4xf32>")
          "%1 = stablehlo.add %0, %0 : tensor<4xf32>\n"
          "return %1 : tensor<4xf32>\n") },
  { "scalar", EXACT, 1,
    FUNC ("%a: tensor<f32>", "tensor<f32>",
          "%0 = stablehlo.add %a, %a : tensor<f32>\nreturn %0 : tensor<f32>\n") },
};

static void
run_select_and_scatter (const GhloSelectAndScatter *lowered,
                        LowerTensors               *tensors)
{
  g_autofree gint32 *selection = g_new (gint32, lowered->n_windows);
  const gint64 *starts = lowered->starts;
  const GhloKernelMemory
    chosen = { selection, lowered->n_windows * sizeof (gint32) },
    select[] = { { tensors->views[0].data + starts[0], lowered->select->buffers[0].size }, chosen },
    gather[] = { { tensors->views[1].data + starts[1], lowered->gather->buffers[0].size },
                 { tensors->views[2].data + starts[2], lowered->gather->buffers[1].size }, chosen,
                 { tensors->views[3].data, lowered->gather->buffers[3].size } };
  g_autoptr (GError) error = NULL;

  ghlo_kernel_interpret (lowered->select, NULL, select, NULL, &error);
  g_assert_no_error (error);
  ghlo_kernel_interpret (lowered->gather, NULL, gather, NULL, &error);
  g_assert_no_error (error);
}

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    lower_try (&cases[i]);
}

/* Windows that overlap, leave gaps, and lie in the padding. */
static void
test_select_and_scatter (void)
{
  static const struct
  {
    const char *source, *window, *strides, *padding;
  } ways[] = {
    { "2x3x4x3", "1, 3, 2, 1", "1, 2, 2, 1", "[[0, 0], [0, 0], [0, 0], [0, 0]]" },
    { "2x7x7x3", "1, 3, 2, 1", "1, 1, 1, 1", "[[0, 0], [1, 1], [0, 0], [0, 0]]" },
    { "2x2x3x3", "1, 2, 2, 1", "1, 4, 3, 1", "[[0, 0], [0, 0], [0, 0], [0, 0]]" },
    { "2x3x5x3", "1, 2, 2, 1", "1, 4, 2, 1", "[[0, 0], [3, 2], [1, 1], [0, 0]]" },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (ways); i++)
    {
      const guint way = i / 2;
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%a: tensor<2x7x8x3xf32>, %%s: tensor<%sxf32>, %%i: tensor<f32>) -> tensor<2x7x8x3xf32> {\n"
        "%%0 = \"stablehlo.select_and_scatter\"(%%a, %%s, %%i) <{window_dimensions = array<i64: %s>, "
        "window_strides = array<i64: %s>, padding = dense<%s> : tensor<4x2xi64>}> ({\n"
        "^bb0(%%x: tensor<f32>, %%y: tensor<f32>):\n"
        "%%c = stablehlo.compare %s, %%x, %%y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "stablehlo.return %%c : tensor<i1>\n}, {\n"
        "^bb0(%%x: tensor<f32>, %%y: tensor<f32>):\n"
        "%%d = stablehlo.add %%x, %%y : tensor<f32>\nstablehlo.return %%d : tensor<f32>\n"
        "}) : (tensor<2x7x8x3xf32>, tensor<%sxf32>, tensor<f32>) -> tensor<2x7x8x3xf32>\n"
        "return %%0 : tensor<2x7x8x3xf32>\n}\n",
        ways[way].source, ways[way].window, ways[way].strides, ways[way].padding, way % 2 ? "LT" : "GE",
        ways[way].source);
      g_autoptr (GhloIrModule) module = lower_parse ("select_and_scatter", text);
      const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));
      GhloValue *inputs[3], *output;
      g_autoptr (GError) error = NULL;
      GhloSelectAndScatter lowered;
      LowerTensors tensors;
      const char *reason;

      for (guint k = 0; k < 3; k++)
        inputs[k] = pass_make_input (body->arguments[k]->type, 5 * k, FALSE);
      pass_run (module, "main", inputs, 3, &output, &error);
      g_assert_no_error (error);
      lower_init_tensors (&tensors, body, inputs, i % 2);
      if (!ghlo_kernel_lower_select_and_scatter (&(GhloKernelGroup) { .op = body->first, .n_operands = 3,
                                                                      .n_results = 1, .operands = tensors.views,
                                                                      .results = tensors.views + 3 },
                                                 &lowered, &reason))
        g_error ("way %u: %s", way, reason);
      run_select_and_scatter (&lowered, &tensors);
      step_compare (&tensors.views[3], output, NEAR, text);
      ghlo_select_and_scatter_clear (&lowered);
      lower_clear_tensors (&tensors);
      pass_clear (inputs, 3);
      ghlo_value_unref (output);
    }
}

#define EIGHT_OF_ONE "1x1x1x1x1x1x1x1x"

/* A program that is not lowered gives the reason. */
static void
test_refused (void)
{
  static const struct
  {
    const char *text, *reason;
  } refused[] = {
    { FUNC ("%a: tensor<4x6xf32>", "tensor<24xf32>",
            "%0 = stablehlo.add %a, %a : tensor<4x6xf32>\n"
            "%1 = stablehlo.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>\nreturn %1 : tensor<24xf32>\n"),
      "its reshape splits or merges dimensions, or its operand has too many" },
    { FUNC ("%a: tensor<4x!quant.uniform<i8:f32, 0.5>>", "tensor<4x!quant.uniform<i8:f32, 0.5>>",
            "%0 = stablehlo.add %a, %a : tensor<4x!quant.uniform<i8:f32, 0.5>>\n"
            "return %0 : tensor<4x!quant.uniform<i8:f32, 0.5>>\n"),
      "kernels do not support an operand's element type" },
    { FUNC ("%a: tensor<4x4xf32>", "tensor<4xf32>",
            ZERO SUM ("%0", "%a", "0", "tensor<4x4xf32>", "tensor<4xf32>")
            SUM ("%1", "%a", "1", "tensor<4x4xf32>", "tensor<4xf32>")
            "%2 = stablehlo.add %0, %1 : tensor<4xf32>\nreturn %2 : tensor<4xf32>\n"),
      "its reductions have different shapes" },
    { FUNC ("%a: tensor<4x4xf32>", "tensor<4x4xf32>",
            "%0 = stablehlo.cholesky %a : tensor<4x4xf32>\nreturn %0 : tensor<4x4xf32>\n"),
      "kernels do not support this operation" },
    { FUNC ("%a: tensor<2x4xf32>, %b: tensor<4xf32>", "tensor<2x4xf32>",
            "%0 = chlo.broadcast_subtract %a, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>\n"
            "return %0 : tensor<2x4xf32>\n"),
      "its operands have different shapes" },
    { FUNC ("%a: tensor<1x5000x4xf32>, %b: tensor<4097x1x4xf32>", "tensor<1x904x4xf32>",
            "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} "
            "{batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x5000x4xf32>, "
            "tensor<4097x1x4xf32>) -> tensor<1x904x4xf32>\nreturn %0 : tensor<1x904x4xf32>\n"),
      "its window has too many elements" },
    { FUNC ("%a: tensor<1x50x4xf32>, %b: tensor<3x2x4xf32>", "tensor<1x48x4xf32>",
            "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} "
            "{batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x50x4xf32>, "
            "tensor<3x2x4xf32>) -> tensor<1x48x4xf32>\nreturn %0 : tensor<1x48x4xf32>\n"),
      "its groups have several features" },
    /* More dimensions than an index supports. */
    { FUNC ("%a: tensor<" EIGHT_OF_ONE EIGHT_OF_ONE "4xf32>, %b: tensor<3x1xi32>", "tensor<3xf32>",
            "%0 = \"stablehlo.gather\"(%a, %b) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = "
            "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], start_index_map = [16], "
            "index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>}> : "
            "(tensor<" EIGHT_OF_ONE EIGHT_OF_ONE "4xf32>, tensor<3x1xi32>) -> tensor<3xf32>\n"
            "return %0 : tensor<3xf32>\n"),
      "it has too many dimensions" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    lower_refuse (refused[i].text, refused[i].reason);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-lower/cases", test_cases);
  g_test_add_func ("/kernel-lower/refused", test_refused);
  g_test_add_func ("/kernel-lower/select-and-scatter", test_select_and_scatter);

  return g_test_run ();
}
