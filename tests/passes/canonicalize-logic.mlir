// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: canonicalize
func.func @main(%x: tensor<15xi32>, %p: tensor<15xi1>) -> (tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>) {
  %zero = stablehlo.constant dense<0> : tensor<15xi32>
  %ones = stablehlo.constant dense<-1> : tensor<15xi32>
  %true = stablehlo.constant dense<true> : tensor<15xi1>
  %0 = stablehlo.and %x, %zero : tensor<15xi32>
  %1 = stablehlo.and %x, %ones : tensor<15xi32>
  %2 = stablehlo.or %x, %zero : tensor<15xi32>
  %3 = stablehlo.or %x, %ones : tensor<15xi32>
  %4 = stablehlo.xor %x, %zero : tensor<15xi32>
  %5 = stablehlo.xor %x, %ones : tensor<15xi32>
  %6 = stablehlo.xor %x, %x : tensor<15xi32>
  %7 = stablehlo.shift_left %x, %zero : tensor<15xi32>
  %8 = stablehlo.and %p, %true : tensor<15xi1>
  %9 = stablehlo.or %p, %p : tensor<15xi1>
  %10 = stablehlo.not %p : tensor<15xi1>
  %11 = stablehlo.not %10 : tensor<15xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %11 : tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xi32>, %arg1: tensor<15xi1>) -> (tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>) {
    %c = stablehlo.constant dense<0> : tensor<15xi32>
    %c_0 = stablehlo.constant dense<-1> : tensor<15xi32>
    %0 = stablehlo.not %arg0 : tensor<15xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<15xi32>
    return %c, %arg0, %arg0, %c_0, %arg0, %0, %c_1, %arg0, %arg1, %arg1, %arg1 : tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi32>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>
  }
}
// -----
// PASS: canonicalize
// A float is not known to equal itself; not (a < b) is a >= b of integers alone.
func.func @main(%x: tensor<15xf32>, %y: tensor<15xf32>, %i: tensor<15xi32>, %j: tensor<15xi32>) -> (tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>) {
  %0 = stablehlo.compare EQ, %x, %x : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
  %1 = stablehlo.compare LE, %i, %i : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
  %2 = stablehlo.compare NE, %i, %i : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
  %3 = stablehlo.compare LT, %x, %y : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
  %4 = stablehlo.not %3 : tensor<15xi1>
  %5 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
  %6 = stablehlo.not %5 : tensor<15xi1>
  %7 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
  %8 = stablehlo.not %7 : tensor<15xi1>
  return %0, %1, %2, %4, %6, %8 : tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<15xf32>, %arg2: tensor<15xi32>, %arg3: tensor<15xi32>) -> (tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>) {
    %0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %c = stablehlo.constant dense<true> : tensor<15xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<15xi1>
    %1 = stablehlo.compare LT, %arg0, %arg1 : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %2 = stablehlo.not %1 : tensor<15xi1>
    %3 = stablehlo.compare GE, %arg2, %arg3, SIGNED : (tensor<15xi32>, tensor<15xi32>) -> tensor<15xi1>
    %4 = stablehlo.compare NE, %arg0, %arg1, FLOAT : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    return %0, %c, %c_0, %2, %3, %4 : tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>
  }
}
// -----
// PASS: canonicalize
func.func @main(%x: tensor<15xf32>, %u: tensor<15xui8>, %p: tensor<15xi1>) -> (tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>) {
  %one = stablehlo.constant dense<1.0> : tensor<15xf32>
  %zero = stablehlo.constant dense<0> : tensor<15xui8>
  %greatest = stablehlo.constant dense<255> : tensor<15xui8>
  %0 = stablehlo.compare LT, %one, %x : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
  %1 = stablehlo.compare LT, %u, %zero : (tensor<15xui8>, tensor<15xui8>) -> tensor<15xi1>
  %2 = stablehlo.compare LE, %u, %greatest : (tensor<15xui8>, tensor<15xui8>) -> tensor<15xi1>
  %3 = stablehlo.convert %p : (tensor<15xi1>) -> tensor<15xui8>
  %4 = stablehlo.compare NE, %3, %zero : (tensor<15xui8>, tensor<15xui8>) -> tensor<15xi1>
  %5 = stablehlo.compare EQ, %zero, %3 : (tensor<15xui8>, tensor<15xui8>) -> tensor<15xi1>
  %6 = stablehlo.compare GT, %u, %greatest : (tensor<15xui8>, tensor<15xui8>) -> tensor<15xi1>
  return %0, %1, %2, %4, %5, %6 : tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xf32>, %arg1: tensor<15xui8>, %arg2: tensor<15xi1>) -> (tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<15xf32>
    %0 = stablehlo.compare GT, %arg0, %cst : (tensor<15xf32>, tensor<15xf32>) -> tensor<15xi1>
    %c = stablehlo.constant dense<false> : tensor<15xi1>
    %c_0 = stablehlo.constant dense<true> : tensor<15xi1>
    %1 = stablehlo.not %arg2 : tensor<15xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<15xi1>
    return %0, %c, %c_0, %arg2, %1, %c_1 : tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>, tensor<15xi1>
  }
}
// -----
// PASS: canonicalize
func.func @main(%p: tensor<15xi1>, %s: tensor<i1>, %x: tensor<15xf32>, %y: tensor<15xf32>, %z: tensor<15xf32>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi1>, tensor<15xi1>) {
  %true = stablehlo.constant dense<true> : tensor<15xi1>
  %false = stablehlo.constant dense<false> : tensor<15xi1>
  %0 = stablehlo.select %p, %x, %x : tensor<15xi1>, tensor<15xf32>
  %1 = stablehlo.select %false, %x, %y : tensor<15xi1>, tensor<15xf32>
  %2 = stablehlo.not %p : tensor<15xi1>
  %3 = stablehlo.select %2, %x, %y : tensor<15xi1>, tensor<15xf32>
  %4 = stablehlo.select %p, %3, %z : tensor<15xi1>, tensor<15xf32>
  %5 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<i1>) -> tensor<15xi1>
  %6 = stablehlo.select %5, %x, %y : tensor<15xi1>, tensor<15xf32>
  %7 = stablehlo.select %p, %true, %false : tensor<15xi1>, tensor<15xi1>
  %8 = stablehlo.select %p, %false, %true : tensor<15xi1>, tensor<15xi1>
  return %0, %1, %3, %4, %6, %7, %8 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi1>, tensor<15xi1>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<15xi1>, %arg1: tensor<i1>, %arg2: tensor<15xf32>, %arg3: tensor<15xf32>, %arg4: tensor<15xf32>) -> (tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi1>, tensor<15xi1>) {
    %0 = stablehlo.select %arg0, %arg3, %arg2 : tensor<15xi1>, tensor<15xf32>
    %1 = stablehlo.select %arg0, %arg3, %arg4 : tensor<15xi1>, tensor<15xf32>
    %2 = stablehlo.select %arg1, %arg2, %arg3 : tensor<i1>, tensor<15xf32>
    %3 = stablehlo.not %arg0 : tensor<15xi1>
    return %arg2, %arg3, %0, %1, %2, %arg0, %3 : tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xf32>, tensor<15xi1>, tensor<15xi1>
  }
}
