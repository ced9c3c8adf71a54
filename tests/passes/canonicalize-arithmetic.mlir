// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
// Of floats x + -0.0, x - 0.0, x * 1, x / 1; not x + 0.0, x - -0.0, x * 0, x - x.
func.func @main(%x: tensor<15xf32>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<15xf32>
  %minus_zero = stablehlo.constant dense<-0.0> : tensor<15xf32>
  %one = stablehlo.constant dense<1.0> : tensor<15xf32>
  %0 = stablehlo.add %minus_zero, %x : tensor<15xf32>
  %1 = stablehlo.subtract %x, %zero : tensor<15xf32>
  %2 = stablehlo.multiply %x, %one : tensor<15xf32>
  %3 = stablehlo.divide %x, %one : tensor<15xf32>
  %4 = stablehlo.add %x, %zero : tensor<15xf32>
  %5 = stablehlo.subtract %x, %minus_zero : tensor<15xf32>
  %6 = stablehlo.multiply %x, %zero : tensor<15xf32>
  %7 = stablehlo.subtract %x, %x : tensor<15xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<15xf32>
    %cst_0 = stablehlo.constant dense<-0.000000e+00> : tensor<15xf32>
    %0 = stablehlo.add %arg0, %cst : tensor<15xf32>
    %1 = stablehlo.subtract %arg0, %cst_0 : tensor<15xf32>
    %2 = stablehlo.multiply %arg0, %cst : tensor<15xf32>
    %3 = stablehlo.subtract %arg0, %arg0 : tensor<15xf32>
    return %arg0, %arg0, %arg0, %arg0, %0, %1, %2, %3 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>
  }
}
// -----
// PASS: canonicalize
// Of integers all of them.
func.func @main(%x: tensor<15xi32>) -> (tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<15xi32>
  %one = stablehlo.constant dense<1> : tensor<15xi32>
  %minus_one = stablehlo.constant dense<-1> : tensor<15xi32>
  %0 = stablehlo.add %zero, %x : tensor<15xi32>
  %1 = stablehlo.subtract %x, %zero : tensor<15xi32>
  %2 = stablehlo.multiply %x, %one : tensor<15xi32>
  %3 = stablehlo.divide %x, %one : tensor<15xi32>
  %4 = stablehlo.multiply %x, %zero : tensor<15xi32>
  %5 = stablehlo.subtract %x, %x : tensor<15xi32>
  %6 = stablehlo.multiply %x, %minus_one : tensor<15xi32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xi32>) -> (tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>) {
    %c = stablehlo.constant dense<0> : tensor<15xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<15xi32>
    %0 = stablehlo.negate %arg0 : tensor<15xi32>
    return %arg0, %arg0, %arg0, %arg0, %c, %c_0, %0 : tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>
  }
}
// -----
// PASS: canonicalize
// Complex numbers: x * 1 is not x where a part is infinite; negations come and go.
func.func @main(%x: tensor<30xcomplex<f32>>, %y: tensor<30xcomplex<f32>>) -> (tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>) {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<30xcomplex<f32>>
  %0 = stablehlo.multiply %x, %one : tensor<30xcomplex<f32>>
  %1 = stablehlo.negate %x : tensor<30xcomplex<f32>>
  %2 = stablehlo.negate %1 : tensor<30xcomplex<f32>>
  %3 = stablehlo.subtract %y, %1 : tensor<30xcomplex<f32>>
  return %0, %2, %3 : tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<30xcomplex<f32>>, %arg1: tensor<30xcomplex<f32>>) -> (tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>) {
    %cst = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<30xcomplex<f32>>
    %0 = stablehlo.multiply %arg0, %cst : tensor<30xcomplex<f32>>
    %1 = stablehlo.add %arg1, %arg0 : tensor<30xcomplex<f32>>
    return %0, %arg0, %1 : tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>
  }
}
// -----
// PASS: canonicalize
// Constants stand on the right, and those of integers are merged, wrapping.
func.func @main(%x: tensor<15xi8>, %y: tensor<15xi8>) -> (tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>) {
  %a = stablehlo.constant dense<100> : tensor<15xi8>
  %b = stablehlo.constant dense<60> : tensor<15xi8>
  %0 = stablehlo.add %a, %x : tensor<15xi8>
  %1 = stablehlo.add %b, %0 : tensor<15xi8>
  %2 = stablehlo.multiply %x, %a : tensor<15xi8>
  %3 = stablehlo.multiply %2, %b : tensor<15xi8>
  %4 = stablehlo.and %a, %x : tensor<15xi8>
  %5 = stablehlo.and %4, %b : tensor<15xi8>
  %6 = stablehlo.or %x, %a : tensor<15xi8>
  %7 = stablehlo.or %6, %b : tensor<15xi8>
  %8 = stablehlo.xor %x, %a : tensor<15xi8>
  %9 = stablehlo.xor %8, %b : tensor<15xi8>
  return %1, %3, %5, %7, %9 : tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xi8>, %arg1: tensor<15xi8>) -> (tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>) {
    %c = stablehlo.constant dense<-96> : tensor<15xi8>
    %0 = stablehlo.add %arg0, %c : tensor<15xi8>
    %c_0 = stablehlo.constant dense<112> : tensor<15xi8>
    %1 = stablehlo.multiply %arg0, %c_0 : tensor<15xi8>
    %c_1 = stablehlo.constant dense<36> : tensor<15xi8>
    %2 = stablehlo.and %arg0, %c_1 : tensor<15xi8>
    %c_2 = stablehlo.constant dense<124> : tensor<15xi8>
    %3 = stablehlo.or %arg0, %c_2 : tensor<15xi8>
    %c_3 = stablehlo.constant dense<88> : tensor<15xi8>
    %4 = stablehlo.xor %arg0, %c_3 : tensor<15xi8>
    return %0, %1, %2, %3, %4 : tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>, tensor<15xi8>
  }
}
// -----
// PASS: canonicalize
// Negations: x + -y, x - -y, -x * -y, -x / -y, - -x, |-x|, x * -1.
func.func @main(%x: tensor<15xf64>, %y: tensor<15xf64>) -> (tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>) {
  %minus_one = stablehlo.constant dense<-1.0> : tensor<15xf64>
  %0 = stablehlo.negate %x : tensor<15xf64>
  %1 = stablehlo.negate %y : tensor<15xf64>
  %2 = stablehlo.add %1, %x : tensor<15xf64>
  %3 = stablehlo.subtract %x, %1 : tensor<15xf64>
  %4 = stablehlo.multiply %0, %1 : tensor<15xf64>
  %5 = stablehlo.divide %0, %1 : tensor<15xf64>
  %6 = stablehlo.negate %0 : tensor<15xf64>
  %7 = stablehlo.abs %0 : tensor<15xf64>
  %8 = stablehlo.multiply %x, %minus_one : tensor<15xf64>
  return %2, %3, %4, %5, %6, %7, %8 : tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf64>, %arg1: tensor<15xf64>) -> (tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>) {
    %0 = stablehlo.subtract %arg0, %arg1 : tensor<15xf64>
    %1 = stablehlo.add %arg0, %arg1 : tensor<15xf64>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<15xf64>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<15xf64>
    %4 = stablehlo.abs %arg0 : tensor<15xf64>
    %5 = stablehlo.negate %arg0 : tensor<15xf64>
    return %0, %1, %2, %3, %arg0, %4, %5 : tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>, tensor<15xf64>
  }
}
// -----
// PASS: canonicalize
// The same of integers: the quotient of the least one and -1 is left alone.
func.func @main(%x: tensor<15xi16>, %y: tensor<15xi16>) -> (tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>) {
  %0 = stablehlo.negate %x : tensor<15xi16>
  %1 = stablehlo.negate %y : tensor<15xi16>
  %2 = stablehlo.add %1, %x : tensor<15xi16>
  %3 = stablehlo.multiply %0, %1 : tensor<15xi16>
  %4 = stablehlo.divide %0, %1 : tensor<15xi16>
  %5 = stablehlo.abs %0 : tensor<15xi16>
  %6 = stablehlo.negate %0 : tensor<15xi16>
  return %2, %3, %4, %5, %6 : tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xi16>, %arg1: tensor<15xi16>) -> (tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>) {
    %0 = stablehlo.negate %arg0 : tensor<15xi16>
    %1 = stablehlo.negate %arg1 : tensor<15xi16>
    %2 = stablehlo.subtract %arg0, %arg1 : tensor<15xi16>
    %3 = stablehlo.multiply %arg0, %arg1 : tensor<15xi16>
    %4 = stablehlo.divide %0, %1 : tensor<15xi16>
    %5 = stablehlo.abs %arg0 : tensor<15xi16>
    return %2, %3, %4, %5, %arg0 : tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>, tensor<15xi16>
  }
}
// -----
// PASS: canonicalize
// Quotients by powers of two whose inverse is an ordinary number; 3 is none, 2^127 and
// the least subnormal have no such inverse.
func.func @main(%x: tensor<15xf32>, %h: tensor<15xf16>, %b: tensor<15xbf16>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf16>, tensor<15xbf16>) {
  %a = stablehlo.constant dense<64.0> : tensor<15xf32>
  %c = stablehlo.constant dense<-0.25> : tensor<15xf32>
  %d = stablehlo.constant dense<3.0> : tensor<15xf32>
  %e = stablehlo.constant dense<0x7F000000> : tensor<15xf32>
  %f = stablehlo.constant dense<0x00000001> : tensor<15xf32>
  %g = stablehlo.constant dense<8.0> : tensor<15xf16>
  %i = stablehlo.constant dense<16.0> : tensor<15xbf16>
  %0 = stablehlo.divide %x, %a : tensor<15xf32>
  %1 = stablehlo.divide %x, %c : tensor<15xf32>
  %2 = stablehlo.divide %x, %d : tensor<15xf32>
  %3 = stablehlo.divide %x, %e : tensor<15xf32>
  %4 = stablehlo.divide %x, %f : tensor<15xf32>
  %5 = stablehlo.divide %h, %g : tensor<15xf16>
  %6 = stablehlo.divide %b, %i : tensor<15xbf16>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf16>, tensor<15xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<15xf16>, %arg2: tensor<15xbf16>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf16>, tensor<15xbf16>) {
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<15xf32>
    %cst_0 = stablehlo.constant dense<1.70141183E+38> : tensor<15xf32>
    %cst_1 = stablehlo.constant dense<1.401300e-45> : tensor<15xf32>
    %cst_2 = stablehlo.constant dense<1.562500e-02> : tensor<15xf32>
    %0 = stablehlo.multiply %arg0, %cst_2 : tensor<15xf32>
    %cst_3 = stablehlo.constant dense<-4.000000e+00> : tensor<15xf32>
    %1 = stablehlo.multiply %arg0, %cst_3 : tensor<15xf32>
    %2 = stablehlo.divide %arg0, %cst : tensor<15xf32>
    %3 = stablehlo.divide %arg0, %cst_0 : tensor<15xf32>
    %4 = stablehlo.divide %arg0, %cst_1 : tensor<15xf32>
    %cst_4 = stablehlo.constant dense<1.250000e-01> : tensor<15xf16>
    %5 = stablehlo.multiply %arg1, %cst_4 : tensor<15xf16>
    %cst_5 = stablehlo.constant dense<6.250000e-02> : tensor<15xbf16>
    %6 = stablehlo.multiply %arg2, %cst_5 : tensor<15xbf16>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf16>, tensor<15xbf16>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<15xui32>, %y: tensor<15xi32>) -> (tensor<15xui32>, tensor<15xui32>, tensor<15xui32>, tensor<15xi32>) {
  %a = stablehlo.constant dense<8> : tensor<15xui32>
  %one = stablehlo.constant dense<1> : tensor<15xui32>
  %b = stablehlo.constant dense<8> : tensor<15xi32>
  %0 = stablehlo.divide %x, %a : tensor<15xui32>
  %1 = stablehlo.remainder %x, %a : tensor<15xui32>
  %2 = stablehlo.remainder %x, %one : tensor<15xui32>
  %3 = stablehlo.divide %y, %b : tensor<15xi32>
  return %0, %1, %2, %3 : tensor<15xui32>, tensor<15xui32>, tensor<15xui32>, tensor<15xi32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xui32>, %arg1: tensor<15xi32>) -> (tensor<15xui32>, tensor<15xui32>, tensor<15xui32>, tensor<15xi32>) {
    %c = stablehlo.constant dense<8> : tensor<15xi32>
    %c_0 = stablehlo.constant dense<3> : tensor<15xui32>
    %0 = stablehlo.shift_right_logical %arg0, %c_0 : tensor<15xui32>
    %c_1 = stablehlo.constant dense<7> : tensor<15xui32>
    %1 = stablehlo.and %arg0, %c_1 : tensor<15xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<15xui32>
    %2 = stablehlo.divide %arg1, %c : tensor<15xi32>
    return %0, %1, %c_2, %2 : tensor<15xui32>, tensor<15xui32>, tensor<15xui32>, tensor<15xi32>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<15xf32>, %y: tensor<15xi32>, %h: tensor<15xbf16>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xbf16>) {
  %0 = stablehlo.constant dense<0.0> : tensor<15xf32>
  %1 = stablehlo.constant dense<1.0> : tensor<15xf32>
  %2 = stablehlo.constant dense<2.0> : tensor<15xf32>
  %3 = stablehlo.constant dense<-1.0> : tensor<15xf32>
  %4 = stablehlo.constant dense<0.5> : tensor<15xf32>
  %5 = stablehlo.constant dense<0> : tensor<15xi32>
  %6 = stablehlo.constant dense<2> : tensor<15xi32>
  %7 = stablehlo.constant dense<2.0> : tensor<15xbf16>
  %a = stablehlo.power %x, %0 : tensor<15xf32>
  %b = stablehlo.power %x, %1 : tensor<15xf32>
  %c = stablehlo.power %x, %2 : tensor<15xf32>
  %d = stablehlo.power %x, %3 : tensor<15xf32>
  %e = stablehlo.power %x, %4 : tensor<15xf32>
  %f = stablehlo.power %y, %5 : tensor<15xi32>
  %g = stablehlo.power %y, %6 : tensor<15xi32>
  %i = stablehlo.power %h, %7 : tensor<15xbf16>
  return %a, %b, %c, %d, %e, %f, %g, %i : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xbf16>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<15xi32>, %arg2: tensor<15xbf16>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xbf16>) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<15xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<15xf32>
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<15xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<15xf32>
    %1 = stablehlo.divide %cst_1, %arg0 : tensor<15xf32>
    %2 = stablehlo.power %arg0, %cst : tensor<15xf32>
    %c = stablehlo.constant dense<1> : tensor<15xi32>
    %3 = stablehlo.multiply %arg1, %arg1 : tensor<15xi32>
    %4 = stablehlo.multiply %arg2, %arg2 : tensor<15xbf16>
    return %cst_0, %arg0, %0, %1, %2, %c, %3, %4 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xbf16>
  }
}
// -----
// PASS: canonicalize
// max (x, -inf) is x, NaN too; max (x, inf) is not inf.
func.func @main(%x: tensor<15xf32>, %y: tensor<15xi32>, %p: tensor<15xi1>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>) {
  %least = stablehlo.constant dense<0xFF800000> : tensor<15xf32>
  %greatest = stablehlo.constant dense<0x7F800000> : tensor<15xf32>
  %min = stablehlo.constant dense<-2147483648> : tensor<15xi32>
  %false = stablehlo.constant dense<false> : tensor<15xi1>
  %0 = stablehlo.maximum %least, %x : tensor<15xf32>
  %1 = stablehlo.maximum %x, %greatest : tensor<15xf32>
  %2 = stablehlo.minimum %x, %greatest : tensor<15xf32>
  %3 = stablehlo.minimum %x, %x : tensor<15xf32>
  %4 = stablehlo.maximum %y, %min : tensor<15xi32>
  %5 = stablehlo.minimum %y, %min : tensor<15xi32>
  %6 = stablehlo.maximum %p, %false : tensor<15xi1>
  %7 = stablehlo.minimum %p, %false : tensor<15xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<15xi32>, %arg2: tensor<15xi1>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>) {
    %cst = stablehlo.constant dense<0x7F800000> : tensor<15xf32>
    %c = stablehlo.constant dense<-2147483648> : tensor<15xi32>
    %c_0 = stablehlo.constant dense<false> : tensor<15xi1>
    %0 = stablehlo.maximum %arg0, %cst : tensor<15xf32>
    return %arg0, %0, %arg0, %arg0, %arg1, %c, %arg2, %c_0 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<15xf32>, %y: tensor<0xf32>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<0xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<0xf32>
  %0 = stablehlo.abs %x : tensor<15xf32>
  %1 = stablehlo.abs %0 : tensor<15xf32>
  %2 = stablehlo.ceil %x : tensor<15xf32>
  %3 = stablehlo.ceil %2 : tensor<15xf32>
  %4 = stablehlo.floor %x : tensor<15xf32>
  %5 = stablehlo.floor %4 : tensor<15xf32>
  %6 = stablehlo.sign %x : tensor<15xf32>
  %7 = stablehlo.sign %6 : tensor<15xf32>
  %8 = stablehlo.round_nearest_even %x : tensor<15xf32>
  %9 = stablehlo.round_nearest_even %8 : tensor<15xf32>
  %10 = stablehlo.round_nearest_afz %x : tensor<15xf32>
  %11 = stablehlo.round_nearest_afz %10 : tensor<15xf32>
  %12 = stablehlo.multiply %y, %one : tensor<0xf32>
  return %1, %3, %5, %7, %9, %11, %12 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<0xf32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<0xf32>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<0xf32>) {
    %cst = stablehlo.constant dense<> : tensor<0xf32>
    %0 = stablehlo.abs %arg0 : tensor<15xf32>
    %1 = stablehlo.ceil %arg0 : tensor<15xf32>
    %2 = stablehlo.floor %arg0 : tensor<15xf32>
    %3 = stablehlo.sign %arg0 : tensor<15xf32>
    %4 = stablehlo.round_nearest_even %arg0 : tensor<15xf32>
    %5 = stablehlo.round_nearest_afz %arg0 : tensor<15xf32>
    %6 = stablehlo.multiply %arg1, %cst : tensor<0xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<0xf32>
  }
}
// -----
// PASS: canonicalize
// Complex numbers: both parts of a neutral element are negative zeros.
func.func @main(%x: tensor<30xcomplex<f32>>) -> (tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>) {
  %neutral = stablehlo.constant dense<(-0.0, -0.0)> : tensor<30xcomplex<f32>>
  %other = stablehlo.constant dense<(-0.0, 0.0)> : tensor<30xcomplex<f32>>
  %0 = stablehlo.add %neutral, %x : tensor<30xcomplex<f32>>
  %1 = stablehlo.add %x, %other : tensor<30xcomplex<f32>>
  return %0, %1 : tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<30xcomplex<f32>>) -> (tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>) {
    %cst = stablehlo.constant dense<(-0.000000e+00,0.000000e+00)> : tensor<30xcomplex<f32>>
    %0 = stablehlo.add %arg0, %cst : tensor<30xcomplex<f32>>
    return %arg0, %0 : tensor<30xcomplex<f32>>, tensor<30xcomplex<f32>>
  }
}
// -----
// PASS: canonicalize
// Formats without infinities have a least number all the same, some a single zero, one none.
func.func @main(%x: tensor<40xf8E4M3FN>, %y: tensor<40xf8E5M2FNUZ>, %z: tensor<40xf8E8M0FNU>) -> (tensor<40xf8E4M3FN>, tensor<40xf8E4M3FN>, tensor<40xf8E5M2FNUZ>, tensor<40xf8E8M0FNU>, tensor<40xf8E8M0FNU>) {
  %least = stablehlo.constant dense<-448.0> : tensor<40xf8E4M3FN>
  %greatest = stablehlo.constant dense<448.0> : tensor<40xf8E4M3FN>
  %zero = stablehlo.constant dense<0.0> : tensor<40xf8E5M2FNUZ>
  %small = stablehlo.constant dense<0x00> : tensor<40xf8E8M0FNU>
  %one = stablehlo.constant dense<1.0> : tensor<40xf8E8M0FNU>
  %0 = stablehlo.maximum %x, %least : tensor<40xf8E4M3FN>
  %1 = stablehlo.maximum %x, %greatest : tensor<40xf8E4M3FN>
  %2 = stablehlo.add %y, %zero : tensor<40xf8E5M2FNUZ>
  %3 = stablehlo.add %z, %small : tensor<40xf8E8M0FNU>
  %4 = stablehlo.multiply %z, %one : tensor<40xf8E8M0FNU>
  return %0, %1, %2, %3, %4 : tensor<40xf8E4M3FN>, tensor<40xf8E4M3FN>, tensor<40xf8E5M2FNUZ>, tensor<40xf8E8M0FNU>, tensor<40xf8E8M0FNU>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<40xf8E4M3FN>, %arg1: tensor<40xf8E5M2FNUZ>, %arg2: tensor<40xf8E8M0FNU>) -> (tensor<40xf8E4M3FN>, tensor<40xf8E4M3FN>, tensor<40xf8E5M2FNUZ>, tensor<40xf8E8M0FNU>, tensor<40xf8E8M0FNU>) {
    %cst = stablehlo.constant dense<4.480000e+02> : tensor<40xf8E4M3FN>
    %cst_0 = stablehlo.constant dense<5.877470e-39> : tensor<40xf8E8M0FNU>
    %0 = stablehlo.maximum %arg0, %cst : tensor<40xf8E4M3FN>
    %1 = stablehlo.add %arg2, %cst_0 : tensor<40xf8E8M0FNU>
    return %arg0, %0, %arg1, %1, %arg2 : tensor<40xf8E4M3FN>, tensor<40xf8E4M3FN>, tensor<40xf8E5M2FNUZ>, tensor<40xf8E8M0FNU>, tensor<40xf8E8M0FNU>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<15xcomplex<f32>>) -> (tensor<15xcomplex<f32>>, tensor<15xf32>, tensor<15xcomplex<f32>>) {
  %0 = stablehlo.sign %x : tensor<15xcomplex<f32>>
  %1 = stablehlo.sign %0 : tensor<15xcomplex<f32>>
  %2 = stablehlo.abs %x : (tensor<15xcomplex<f32>>) -> tensor<15xf32>
  %3 = stablehlo.abs %2 : tensor<15xf32>
  %4 = stablehlo.maximum %x, %x : tensor<15xcomplex<f32>>
  return %1, %3, %4 : tensor<15xcomplex<f32>>, tensor<15xf32>, tensor<15xcomplex<f32>>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xcomplex<f32>>) -> (tensor<15xcomplex<f32>>, tensor<15xf32>, tensor<15xcomplex<f32>>) {
    %0 = stablehlo.sign %arg0 : tensor<15xcomplex<f32>>
    %1 = stablehlo.sign %0 : tensor<15xcomplex<f32>>
    %2 = stablehlo.abs %arg0 : (tensor<15xcomplex<f32>>) -> tensor<15xf32>
    return %1, %2, %arg0 : tensor<15xcomplex<f32>>, tensor<15xf32>, tensor<15xcomplex<f32>>
  }
}
