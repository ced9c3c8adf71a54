// SPDX-License-Identifier: LGPL-2.1-or-later
// PASS: count-loops
// end > i

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare GT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.add %i, %s : tensor<i32>
    %u = stablehlo.xor %v, %next : tensor<i32>
    stablehlo.return %next, %u : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.xor %iterArg_0, %1 : tensor<i32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<i32>
  }
}
// -----
// PASS: count-loops
// i <= 4

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<4> : tensor<i32>
    %p = stablehlo.compare LE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %s : tensor<i32>
    %u = stablehlo.xor %v, %next : tensor<i32>
    stablehlo.return %next, %u : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.xor %iterArg_0, %1 : tensor<i32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<i32>
  }
}
// -----
// PASS: count-loops
// i != 9, by 3, which meets 9

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<9> : tensor<i32>
    %p = stablehlo.compare NE, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<3> : tensor<i32>
    %next = stablehlo.add %i, %s : tensor<i32>
    %u = stablehlo.xor %v, %next : tensor<i32>
    stablehlo.return %next, %u : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<9> : tensor<i32>
      %c_2 = stablehlo.constant dense<9> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %2 = stablehlo.xor %iterArg_0, %1 : tensor<i32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<i32>
  }
}
// -----
// PASS: count-loops
// i - -1

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<-1> : tensor<i32>
    %next = stablehlo.subtract %i, %s : tensor<i32>
    %u = stablehlo.xor %v, %next : tensor<i32>
    stablehlo.return %next, %u : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<i32>
    cond {
      %c_1 = stablehlo.constant dense<6> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<-1> : tensor<i32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_2 : tensor<i32>
      %2 = stablehlo.xor %iterArg_0, %1 : tensor<i32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<i32>
    }
    return %0#0, %0#1 : tensor<i32>, tensor<i32>
  }
}
// -----
// PASS: count-loops
// INPUTS: none
// i <= 127 never ends by counting: left alone. (Not run.)

func.func @main(%x: tensor<i8>) -> (tensor<i8>, tensor<i8>) {
  %start = stablehlo.constant dense<0> : tensor<i8>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i8>, tensor<i8>
  cond {
    %n = stablehlo.constant dense<127> : tensor<i8>
    %p = stablehlo.compare LE, %i, %n : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<1> : tensor<i8>
    %next = stablehlo.add %i, %s : tensor<i8>
    %u = stablehlo.xor %v, %next : tensor<i8>
    stablehlo.return %next, %u : tensor<i8>, tensor<i8>
  }
  return %0#0, %0#1 : tensor<i8>, tensor<i8>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i8>) -> (tensor<i8>, tensor<i8>) {
    %c = stablehlo.constant dense<0> : tensor<i8>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i8>, tensor<i8>
    cond {
      %c_1 = stablehlo.constant dense<127> : tensor<i8>
      %1 = stablehlo.compare LE, %iterArg, %c_1 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i8>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i8>
      %2 = stablehlo.xor %iterArg_0, %1 : tensor<i8>
      stablehlo.return %1, %2 : tensor<i8>, tensor<i8>
    }
    return %0#0, %0#1 : tensor<i8>, tensor<i8>
  }
}
// -----
// PASS: count-loops
// INPUTS: none
// i < 2^64 - 1, beyond what the loop is counted with. (Not run.)

func.func @main(%x: tensor<ui64>) -> (tensor<ui64>, tensor<ui64>) {
  %start = stablehlo.constant dense<0> : tensor<ui64>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<ui64>, tensor<ui64>
  cond {
    %n = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %p = stablehlo.compare LT, %i, %n : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<1> : tensor<ui64>
    %next = stablehlo.add %i, %s : tensor<ui64>
    %u = stablehlo.xor %v, %next : tensor<ui64>
    stablehlo.return %next, %u : tensor<ui64>, tensor<ui64>
  }
  return %0#0, %0#1 : tensor<ui64>, tensor<ui64>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<ui64>) -> (tensor<ui64>, tensor<ui64>) {
    %c = stablehlo.constant dense<0> : tensor<ui64>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<ui64>, tensor<ui64>
    cond {
      %c_1 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
      %1 = stablehlo.compare LT, %iterArg, %c_1 : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<ui64>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<ui64>
      %2 = stablehlo.xor %iterArg_0, %1 : tensor<ui64>
      stablehlo.return %1, %2 : tensor<ui64>, tensor<ui64>
    }
    return %0#0, %0#1 : tensor<ui64>, tensor<ui64>
  }
}
// -----
// PASS: count-loops
// One iteration.

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<1> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %s : tensor<i32>
    %u = stablehlo.xor %v, %next : tensor<i32>
    stablehlo.return %next, %u : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %c, %c_0 : tensor<i32>
    %1 = stablehlo.xor %arg0, %0 : tensor<i32>
    return %0, %1 : tensor<i32>, tensor<i32>
  }
}
// -----
// PASS: count-loops
// None.

func.func @main(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
  %start = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %start, %v = %x) : tensor<i32>, tensor<i32>
  cond {
    %n = stablehlo.constant dense<-3> : tensor<i32>
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %s : tensor<i32>
    %u = stablehlo.xor %v, %next : tensor<i32>
    stablehlo.return %next, %u : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<i32>, tensor<i32>
}
// GIVES:
module {
  func.func @main(%arg0: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    return %c, %arg0 : tensor<i32>, tensor<i32>
  }
}
