/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops lowered to kernels give the same bits as the reference executor, which runs them iteration by iteration.
 */

#include "lower-case.h"

#define COUNT(results, inits, types) \
  results " = stablehlo.while(%i = %begin, " inits ") : tensor<i32>, " types "\n" \
  "cond {\n%p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "stablehlo.return %p : tensor<i1>\n} do {\n%j = stablehlo.add %i, %one : tensor<i32>\n"
#define COUNTS(begin, end) \
  "%begin = stablehlo.constant dense<" begin "> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "%end = stablehlo.constant dense<" end "> : tensor<i32>\n"

static const LowerCase cases[] = {
  { "counter", EXACT, 5,
    FUNC ("%a: tensor<i32>", "tensor<i32>",
          "%0 = stablehlo.while(%i = %a) : tensor<i32>\n"
          "cond {\n%n = stablehlo.constant dense<100> : tensor<i32>\n"
          "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "stablehlo.return %p : tensor<i1>\n} do {\n%one = stablehlo.constant dense<1> : tensor<i32>\n"
          "%j = stablehlo.add %i, %one : tensor<i32>\nstablehlo.return %j : tensor<i32>\n}\n"
          "return %0 : tensor<i32>\n") },
  { "counted, of several shapes and types", EXACT, 0,
    FUNC ("%a: tensor<5x7xf32>, %s: tensor<f64>, %b: tensor<5x7x1xi16>",
          "(tensor<5x7xf32>, tensor<f64>, tensor<5x7x1xi16>, tensor<i32>)",
          COUNTS ("3", "14")
          COUNT ("%0:4", "%x = %a, %t = %s, %y = %b", "tensor<5x7xf32>, tensor<f64>, tensor<5x7x1xi16>")
          "%n = stablehlo.convert %i : (tensor<i32>) -> tensor<f64>\n"
          "%u = stablehlo.add %t, %n : tensor<f64>\n"
          "%v = stablehlo.convert %u : (tensor<f64>) -> tensor<f32>\n"
          "%w = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<f32>) -> tensor<5x7xf32>\n"
          "%z = stablehlo.subtract %w, %x : tensor<5x7xf32>\n"
          "%k = stablehlo.add %y, %y : tensor<5x7x1xi16>\n"
          "stablehlo.return %j, %z, %u, %k : tensor<i32>, tensor<5x7xf32>, tensor<f64>, tensor<5x7x1xi16>\n}\n"
          "return %0#1, %0#2, %0#3, %0#0 : tensor<5x7xf32>, tensor<f64>, tensor<5x7x1xi16>, tensor<i32>\n") },
  { "narrow, and changing places", EXACT, 0,
    FUNC ("%a: tensor<33xbf16>, %b: tensor<33xbf16>, %c: tensor<33xf16>", "(tensor<33xbf16>, tensor<33xbf16>, "
          "tensor<33xf16>)",
          COUNTS ("0", "5")
          COUNT ("%0:4", "%x = %a, %y = %b, %z = %c", "tensor<33xbf16>, tensor<33xbf16>, tensor<33xf16>")
          "%u = stablehlo.multiply %x, %a : tensor<33xbf16>\n"
          "%v = stablehlo.add %u, %y : tensor<33xbf16>\n"
          "%w = stablehlo.add %z, %z : tensor<33xf16>\n"
          "stablehlo.return %j, %y, %v, %w : tensor<i32>, tensor<33xbf16>, tensor<33xbf16>, tensor<33xf16>\n}\n"
          "return %0#1, %0#2, %0#3 : tensor<33xbf16>, tensor<33xbf16>, tensor<33xf16>\n") },
  { "moved numbers keep their bits", EXACT, 0,
    FUNC ("%a: tensor<9xf16>, %b: tensor<9xf16>", "(tensor<9xf16>, tensor<9xf16>)",
          COUNTS ("0", "3") COUNT ("%0:3", "%x = %a, %y = %b", "tensor<9xf16>, tensor<9xf16>")
          "stablehlo.return %j, %y, %x : tensor<i32>, tensor<9xf16>, tensor<9xf16>\n}\n"
          "return %0#1, %0#2 : tensor<9xf16>, tensor<9xf16>\n") },
  { "scan", EXACT, 0,
    FUNC ("%a: tensor<12x2x3xf32>, %b: tensor<6xf32>, %h: tensor<2x3xf32>",
          "(tensor<2x3xf32>, tensor<12x2x3xf32>, tensor<2x12x3xbf16>)",
          COUNTS ("0", "12") "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
          "%last = stablehlo.constant dense<11> : tensor<i32>\n%two = stablehlo.constant dense<2> : tensor<i32>\n"
          "%ys = stablehlo.constant dense<1.0> : tensor<12x2x3xf32>\n"
          "%zs = stablehlo.constant dense<1.0> : tensor<2x12x3xbf16>\n"
          COUNT ("%0:4", "%x = %h, %y = %ys, %z = %zs", "tensor<2x3xf32>, tensor<12x2x3xf32>, tensor<2x12x3xbf16>")
          "%r = stablehlo.subtract %last, %i : tensor<i32>\n"
          "%s = stablehlo.dynamic_slice %a, %r, %zero, %i, sizes = [1, 2, 3] : (tensor<12x2x3xf32>, tensor<i32>, "
          "tensor<i32>, tensor<i32>) -> tensor<1x2x3xf32>\n"
          "%t = stablehlo.reshape %s : (tensor<1x2x3xf32>) -> tensor<2x3xf32>\n"
          "%d = stablehlo.multiply %i, %two : tensor<i32>\n"
          "%e = stablehlo.dynamic_slice %b, %d, sizes = [1] : (tensor<6xf32>, tensor<i32>) -> tensor<1xf32>\n"
          "%f = stablehlo.broadcast_in_dim %e, dims = [0] : (tensor<1xf32>) -> tensor<2x3xf32>\n"
          "%g = stablehlo.subtract %t, %x : tensor<2x3xf32>\n"
          "%k = stablehlo.add %g, %f : tensor<2x3xf32>\n"
          "%l = stablehlo.reshape %k : (tensor<2x3xf32>) -> tensor<1x2x3xf32>\n"
          "%m = stablehlo.dynamic_update_slice %y, %l, %i, %i, %zero : (tensor<12x2x3xf32>, tensor<1x2x3xf32>, "
          "tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x2x3xf32>\n"
          "%n = stablehlo.convert %g : (tensor<2x3xf32>) -> tensor<2x3xbf16>\n"
          "%o = stablehlo.reshape %n : (tensor<2x3xbf16>) -> tensor<2x1x3xbf16>\n"
          "%q = stablehlo.dynamic_update_slice %z, %o, %zero, %r, %zero : (tensor<2x12x3xbf16>, tensor<2x1x3xbf16>, "
          "tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x12x3xbf16>\n"
          "stablehlo.return %j, %k, %m, %q : tensor<i32>, tensor<2x3xf32>, tensor<12x2x3xf32>, tensor<2x12x3xbf16>\n"
          "}\nreturn %0#1, %0#2, %0#3 : tensor<2x3xf32>, tensor<12x2x3xf32>, tensor<2x12x3xbf16>\n") },
  { "slices from where the run says", EXACT, 0,
    FUNC ("%a: tensor<9x8xi32>, %s: tensor<ui32>, %t: tensor<i32>", "(tensor<4xi32>, tensor<i32>)",
          COUNTS ("0", "7") "%zero = stablehlo.constant dense<0> : tensor<4xi32>\n"
          "%many = stablehlo.constant dense<23> : tensor<i32>\n"
          COUNT ("%0:3", "%x = %zero, %k = %t", "tensor<4xi32>, tensor<i32>")
          "%l = stablehlo.remainder %k, %many : tensor<i32>\n"
          "%m = stablehlo.convert %l : (tensor<i32>) -> tensor<ui32>\n"
          "%y = stablehlo.dynamic_slice %a, %s, %m, sizes = [1, 4] : (tensor<9x8xi32>, tensor<ui32>, tensor<ui32>) -> "
          "tensor<1x4xi32>\n"
          "%z = stablehlo.reshape %y : (tensor<1x4xi32>) -> tensor<4xi32>\n"
          "%w = stablehlo.add %x, %z : tensor<4xi32>\n"
          "%c = stablehlo.dynamic_slice %a, %l, %i, sizes = [1, 1] : (tensor<9x8xi32>, tensor<i32>, tensor<i32>) -> "
          "tensor<1x1xi32>\n"
          "%d = stablehlo.reshape %c : (tensor<1x1xi32>) -> tensor<i32>\n"
          "%e = stablehlo.add %d, %l : tensor<i32>\n"
          "stablehlo.return %j, %w, %e : tensor<i32>, tensor<4xi32>, tensor<i32>\n}\n"
          "return %0#1, %0#2 : tensor<4xi32>, tensor<i32>\n") },
  { "complex numbers", EXACT, 0,
    FUNC ("%a: tensor<3x5xcomplex<f32>>, %s: tensor<complex<f64>>, %b: tensor<4x3x5xcomplex<f32>>",
          "(tensor<3x5xcomplex<f32>>, tensor<complex<f64>>, tensor<4x3x5xcomplex<f32>>)",
          COUNTS ("0", "4") "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
          "%k = stablehlo.constant dense<(0.5, -3.0)> : tensor<complex<f64>>\n"
          "%ys = stablehlo.constant dense<(1.0, 2.0)> : tensor<4x3x5xcomplex<f32>>\n"
          COUNT ("%0:4", "%x = %a, %t = %s, %y = %ys",
                 "tensor<3x5xcomplex<f32>>, tensor<complex<f64>>, tensor<4x3x5xcomplex<f32>>")
          "%re = stablehlo.real %x : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>\n"
          "%im = stablehlo.imag %x : (tensor<3x5xcomplex<f32>>) -> tensor<3x5xf32>\n"
          "%turned = stablehlo.complex %im, %re : tensor<3x5xcomplex<f32>>\n"
          "%u = stablehlo.add %t, %k : tensor<complex<f64>>\n"
          "%v = stablehlo.convert %u : (tensor<complex<f64>>) -> tensor<complex<f32>>\n"
          "%w = stablehlo.broadcast_in_dim %v, dims = [] : (tensor<complex<f32>>) -> tensor<3x5xcomplex<f32>>\n"
          "%c = stablehlo.dynamic_slice %b, %i, %zero, %zero, sizes = [1, 3, 5] : (tensor<4x3x5xcomplex<f32>>, "
          "tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x3x5xcomplex<f32>>\n"
          "%d = stablehlo.reshape %c : (tensor<1x3x5xcomplex<f32>>) -> tensor<3x5xcomplex<f32>>\n"
          "%e = stablehlo.subtract %turned, %w : tensor<3x5xcomplex<f32>>\n"
          "%f = stablehlo.add %e, %d : tensor<3x5xcomplex<f32>>\n"
          "%l = stablehlo.reshape %e : (tensor<3x5xcomplex<f32>>) -> tensor<1x3x5xcomplex<f32>>\n"
          "%m = stablehlo.dynamic_update_slice %y, %l, %i, %zero, %zero : (tensor<4x3x5xcomplex<f32>>, "
          "tensor<1x3x5xcomplex<f32>>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x3x5xcomplex<f32>>\n"
          "stablehlo.return %j, %f, %u, %m : tensor<i32>, tensor<3x5xcomplex<f32>>, tensor<complex<f64>>, "
          "tensor<4x3x5xcomplex<f32>>\n}\n"
          "return %0#1, %0#2, %0#3 : tensor<3x5xcomplex<f32>>, tensor<complex<f64>>, tensor<4x3x5xcomplex<f32>>\n") },
  { "each from where the last one led", EXACT, 0,
    FUNC ("%t: tensor<9xi32>, %a: tensor<3xi32>", "tensor<3xi32>",
          COUNTS ("0", "5") "%many = stablehlo.constant dense<11> : tensor<3xi32>\n"
          COUNT ("%0:2", "%x = %a", "tensor<3xi32>")
          "%r = stablehlo.remainder %x, %many : tensor<3xi32>\n"
          "%y = \"stablehlo.gather\"(%t, %r) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], "
          "start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<9xi32>, "
          "tensor<3xi32>) -> tensor<3xi32>\n"
          "%z = stablehlo.add %y, %r : tensor<3xi32>\n"
          "stablehlo.return %j, %z : tensor<i32>, tensor<3xi32>\n}\nreturn %0#1 : tensor<3xi32>\n") },
  { "slices of what it computes", EXACT, 0,
    FUNC ("%a: tensor<5x6x7xf32>, %s: tensor<ui64>, %t: tensor<i8>", "tensor<2x3xf32>",
          COUNTS ("0", "6") "%zero = stablehlo.constant dense<0.0> : tensor<2x3xf32>\n"
          COUNT ("%0:3", "%x = %zero, %k = %t", "tensor<2x3xf32>, tensor<i8>")
          "%d = stablehlo.add %a, %a : tensor<5x6x7xf32>\n"
          "%l = stablehlo.add %k, %k : tensor<i8>\n%m = stablehlo.convert %l : (tensor<i8>) -> tensor<ui64>\n"
          "%i64 = stablehlo.convert %i : (tensor<i32>) -> tensor<ui64>\n"
          "%b = stablehlo.dynamic_slice %d, %s, %m, %i64, sizes = [2, 3, 1] : (tensor<5x6x7xf32>, tensor<ui64>, "
          "tensor<ui64>, tensor<ui64>) -> tensor<2x3x1xf32>\n"
          "%c = stablehlo.reshape %b : (tensor<2x3x1xf32>) -> tensor<2x3xf32>\n"
          "%y = stablehlo.add %x, %c : tensor<2x3xf32>\n"
          "stablehlo.return %j, %y, %l : tensor<i32>, tensor<2x3xf32>, tensor<i8>\n}\n"
          "return %0#1 : tensor<2x3xf32>\n") },
  { "until the largest is small", EXACT, 0,
    FUNC ("%a: tensor<3x30xf32>", "(tensor<3x30xf32>, tensor<i8>)",
          "%zero = stablehlo.constant dense<0> : tensor<i8>\n%one = stablehlo.constant dense<1> : tensor<i8>\n"
          "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "%small = stablehlo.constant dense<0.125> : tensor<f32>\n%n = stablehlo.constant dense<40> : tensor<i8>\n"
          "%half = stablehlo.constant dense<0.375> : tensor<3x30xf32>\n"
          "%0:2 = stablehlo.while(%x = %a, %i = %zero) : tensor<3x30xf32>, tensor<i8>\ncond {\n"
          "%b = stablehlo.abs %x : tensor<3x30xf32>\n"
          "%m = stablehlo.reduce(%b init: %low) applies stablehlo.maximum across dimensions = [0, 1] : "
          "(tensor<3x30xf32>, tensor<f32>) -> tensor<f32>\n"
          "%p = stablehlo.compare GT, %m, %small : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "%q = stablehlo.compare LT, %i, %n : (tensor<i8>, tensor<i8>) -> tensor<i1>\n"
          "%r = stablehlo.and %p, %q : tensor<i1>\nstablehlo.return %r : tensor<i1>\n} do {\n"
          "%y = stablehlo.multiply %x, %half : tensor<3x30xf32>\n"
          "%j = stablehlo.add %i, %one : tensor<i8>\n"
          "stablehlo.return %y, %j : tensor<3x30xf32>, tensor<i8>\n}\n"
          "return %0#0, %0#1 : tensor<3x30xf32>, tensor<i8>\n") },
  { "never", EXACT, 0,
    FUNC ("%a: tensor<6xf32>", "tensor<6xf32>",
          "%0 = stablehlo.while(%x = %a) : tensor<6xf32>\ncond {\n%no = stablehlo.constant dense<false> : tensor<i1>\n"
          "stablehlo.return %no : tensor<i1>\n} do {\n%y = stablehlo.add %x, %x : tensor<6xf32>\n"
          "stablehlo.return %y : tensor<6xf32>\n}\nreturn %0 : tensor<6xf32>\n") },
  { "handed on", EXACT, 0,
    FUNC ("%a: tensor<4x6xf32>, %b: tensor<6xf32>, %t: tensor<i32>", "(tensor<6xf32>, tensor<i1>, tensor<i32>)",
          COUNTS ("0", "4") "%true = stablehlo.constant dense<true> : tensor<i1>\n"
          "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
          COUNT ("%0:5", "%w = %a, %x = %b, %k = %t, %f = %true",
                 "tensor<4x6xf32>, tensor<6xf32>, tensor<i32>, tensor<i1>")
          "%s = stablehlo.dynamic_slice %w, %k, %zero, sizes = [1, 6] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) "
          "-> tensor<1x6xf32>\n"
          "%r = stablehlo.reshape %s : (tensor<1x6xf32>) -> tensor<6xf32>\n"
          "%y = stablehlo.minimum %x, %r : tensor<6xf32>\n%g = stablehlo.not %f : tensor<i1>\n"
          "stablehlo.return %j, %w, %y, %k, %g : tensor<i32>, tensor<4x6xf32>, tensor<6xf32>, tensor<i32>, "
          "tensor<i1>\n}\nreturn %0#2, %0#4, %0#3 : tensor<6xf32>, tensor<i1>, tensor<i32>\n") },
  { "recurrence", EXACT, 0,
    FUNC ("%a: tensor<9xf32>", "tensor<9xf32>",
          COUNTS ("0", "8") COUNT ("%0:2", "%x = %a", "tensor<9xf32>")
          "%s = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>\n"
          "%t = stablehlo.dynamic_slice %x, %j, sizes = [1] : (tensor<9xf32>, tensor<i32>) -> tensor<1xf32>\n"
          "%u = stablehlo.subtract %s, %t : tensor<1xf32>\n"
          "%y = stablehlo.dynamic_update_slice %x, %u, %j : (tensor<9xf32>, tensor<1xf32>, tensor<i32>) -> "
          "tensor<9xf32>\nstablehlo.return %j, %y : tensor<i32>, tensor<9xf32>\n}\nreturn %0#1 : tensor<9xf32>\n") },
  /* Places that the array itself tells; two elements change places in each iteration. */
  { "exchange", EXACT, 0,
    FUNC ("%a: tensor<3x4xi32>, %b: tensor<8xi32>", "(tensor<3x4xi32>, tensor<8xi32>)",
          COUNTS ("0", "8") "%one2 = stablehlo.constant dense<1> : tensor<i32>\n"
          COUNT ("%0:3", "%x = %a, %z = %b", "tensor<3x4xi32>, tensor<8xi32>")
          "%k = stablehlo.dynamic_slice %z, %i, sizes = [1] : (tensor<8xi32>, tensor<i32>) -> tensor<1xi32>\n"
          "%l = stablehlo.reshape %k : (tensor<1xi32>) -> tensor<i32>\n"
          "%s = stablehlo.dynamic_slice %x, %one2, %i, sizes = [1, 1] : (tensor<3x4xi32>, tensor<i32>, tensor<i32>) "
          "-> tensor<1x1xi32>\n"
          "%t = stablehlo.dynamic_slice %x, %one2, %l, sizes = [1, 1] : (tensor<3x4xi32>, tensor<i32>, tensor<i32>) "
          "-> tensor<1x1xi32>\n"
          "%y = stablehlo.dynamic_update_slice %x, %t, %one2, %i : (tensor<3x4xi32>, tensor<1x1xi32>, tensor<i32>, "
          "tensor<i32>) -> tensor<3x4xi32>\n"
          "%w = stablehlo.dynamic_update_slice %y, %s, %one2, %l : (tensor<3x4xi32>, tensor<1x1xi32>, tensor<i32>, "
          "tensor<i32>) -> tensor<3x4xi32>\n"
          "%c = stablehlo.add %k, %k : tensor<1xi32>\n"
          "%v = stablehlo.dynamic_update_slice %z, %c, %l : (tensor<8xi32>, tensor<1xi32>, tensor<i32>) -> "
          "tensor<8xi32>\n"
          "stablehlo.return %j, %w, %v : tensor<i32>, tensor<3x4xi32>, tensor<8xi32>\n}\n"
          "return %0#1, %0#2 : tensor<3x4xi32>, tensor<8xi32>\n") },
};

static void
test_cases (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    lower_try (&cases[i]);
}

static void
test_refused (void)
{
  static const struct
  {
    const char *text, *reason;
  } refused[] = {
    { FUNC ("%a: tensor<4x4xf32>", "tensor<4x4xf32>",
            COUNTS ("0", "4") COUNT ("%0:2", "%x = %a", "tensor<4x4xf32>")
            "%y = stablehlo.dot %x, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
            "stablehlo.return %j, %y : tensor<i32>, tensor<4x4xf32>\n}\nreturn %0#1 : tensor<4x4xf32>\n"),
      "kernels do not support this operation" },
    { FUNC ("%a: tensor<4x4xf32>", "tensor<4x4xf32>",
            COUNTS ("0", "4") COUNT ("%0:2", "%x = %a", "tensor<4x4xf32>")
            "%y = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
            "stablehlo.return %j, %y : tensor<i32>, tensor<4x4xf32>\n}\nreturn %0#1 : tensor<4x4xf32>\n"),
      "it reads a carried value at another index than the current one" },
    { FUNC ("%a: tensor<4xf32>", "tensor<f32>",
            COUNTS ("0", "4") ZERO COUNT ("%0:2", "%x = %zero", "tensor<f32>")
            SUM ("%s", "%a", "0", "tensor<4xf32>", "tensor<f32>") "%y = stablehlo.add %x, %s : tensor<f32>\n"
            "stablehlo.return %j, %y : tensor<i32>, tensor<f32>\n}\nreturn %0#1 : tensor<f32>\n"),
      "a kernel might combine its elements in another order" },
    { FUNC ("%a: tensor<4xf32>, %b: tensor<5xf32>", "(tensor<4xf32>, tensor<5xf32>)",
            COUNTS ("0", "4") COUNT ("%0:3", "%x = %a, %y = %b", "tensor<4xf32>, tensor<5xf32>")
            "%u = stablehlo.add %x, %x : tensor<4xf32>\n%v = stablehlo.add %y, %y : tensor<5xf32>\n"
            "stablehlo.return %j, %u, %v : tensor<i32>, tensor<4xf32>, tensor<5xf32>\n}\n"
            "return %0#1, %0#2 : tensor<4xf32>, tensor<5xf32>\n"),
      "its results have different shapes" },
    /* Some elements keep their values. */
    { FUNC ("%a: tensor<5x2xf32>, %b: tensor<1x2xf32>", "tensor<5x2xf32>",
            COUNTS ("0", "4") "%zero = stablehlo.constant dense<0> : tensor<i32>\n"
            COUNT ("%0:2", "%x = %a", "tensor<5x2xf32>")
            "%y = stablehlo.dynamic_update_slice %x, %b, %i, %zero : (tensor<5x2xf32>, tensor<1x2xf32>, tensor<i32>, "
            "tensor<i32>) -> tensor<5x2xf32>\nstablehlo.return %j, %y : tensor<i32>, tensor<5x2xf32>\n}\n"
            "return %0#1 : tensor<5x2xf32>\n"),
      "kernels do not support this operation" },
    /* An array of the loop is read as a whole. */
    { FUNC ("%a: tensor<5xf32>", "tensor<5xf32>",
            COUNTS ("0", "4") ZERO COUNT ("%0:2", "%x = %a", "tensor<5xf32>")
            "%m = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : "
            "(tensor<5xf32>, tensor<f32>) -> tensor<f32>\n%b = stablehlo.reshape %m : (tensor<f32>) -> tensor<1xf32>\n"
            "%y = stablehlo.dynamic_update_slice %x, %b, %i : (tensor<5xf32>, tensor<1xf32>, tensor<i32>) -> "
            "tensor<5xf32>\nstablehlo.return %j, %y : tensor<i32>, tensor<5xf32>\n}\nreturn %0#1 : tensor<5xf32>\n"),
      "its operands have different shapes" },
    { FUNC ("%a: tensor<4xf32>", "tensor<4xf32>",
            COUNTS ("4", "4") COUNT ("%0:2", "%x = %a", "tensor<4xf32>")
            "%y = stablehlo.add %x, %x : tensor<4xf32>\n"
            "stablehlo.return %j, %y : tensor<i32>, tensor<4xf32>\n}\nreturn %0#1 : tensor<4xf32>\n"),
      "it has no iterations" },
    { FUNC ("%a: tensor<300x300xf32>", "tensor<300x300xf32>",
            COUNTS ("0", "4") COUNT ("%0:2", "%x = %a", "tensor<300x300xf32>")
            "%y = stablehlo.add %x, %x : tensor<300x300xf32>\n"
            "stablehlo.return %j, %y : tensor<i32>, tensor<300x300xf32>\n}\nreturn %0#1 : tensor<300x300xf32>\n"),
      "it has so many elements that several threads should share them" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    lower_refuse (refused[i].text, refused[i].reason);
}

/* A loop that updates an array, and reads more other arrays than a kernel has buffers. */
static void
test_many_arrays (void)
{
  enum { N = GHLO_KERNEL_MAX_BUFFERS + 6 };
  g_autoptr (GString) text = g_string_new ("func.func @main(");

  for (guint i = 0; i < N; i++)
    g_string_append_printf (text, "%%a%u: tensor<5xf32>, ", i);
  g_string_append (text, "%a: tensor<5xf32>) -> tensor<5xf32> {\n" COUNTS ("0", "4")
                         COUNT ("%0:2", "%x = %a", "tensor<5xf32>")
                         "%s0 = stablehlo.dynamic_slice %x, %j, sizes = [1] : (tensor<5xf32>, tensor<i32>) -> "
                         "tensor<1xf32>\n");
  for (guint i = 0; i < N; i++)
    g_string_append_printf (text, "%%t%u = stablehlo.dynamic_slice %%a%u, %%i, sizes = [1] : (tensor<5xf32>, "
                            "tensor<i32>) -> tensor<1xf32>\n%%s%u = stablehlo.add %%s%u, %%t%u : tensor<1xf32>\n",
                            i, i, i + 1, i, i);
  g_string_append_printf (text, "%%y = stablehlo.dynamic_update_slice %%x, %%s%u, %%j : (tensor<5xf32>, "
                          "tensor<1xf32>, tensor<i32>) -> tensor<5xf32>\n"
                          "stablehlo.return %%j, %%y : tensor<i32>, tensor<5xf32>\n}\n"
                          "return %%0#1 : tensor<5xf32>\n}\n", N);
  lower_refuse (text->str, "its operands have different shapes");
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/kernel-loops/cases", test_cases);
  g_test_add_func ("/kernel-loops/refused", test_refused);
  g_test_add_func ("/kernel-loops/many-arrays", test_many_arrays);

  return g_test_run ();
}
