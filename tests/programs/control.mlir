// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Control flow, calls, tuples, tokens, and what exported programs carry besides.

module @branches {
  func.func private @choose(%p: tensor<i1>) -> tensor<i32> {
    %0 = "stablehlo.if"(%p) ({
      %one = stablehlo.constant dense<1> : tensor<i32>
      stablehlo.return %one : tensor<i32>
    }, {
      %two = stablehlo.constant dense<2> : tensor<i32>
      stablehlo.return %two : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    func.return %0 : tensor<i32>
  }
  func.func private @pick(%i: tensor<i32>) -> tensor<i32> {
    %0 = "stablehlo.case"(%i) ({
      %ten = stablehlo.constant dense<10> : tensor<i32>
      stablehlo.return %ten : tensor<i32>
    }, {
      %twenty = stablehlo.constant dense<20> : tensor<i32>
      stablehlo.return %twenty : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    func.return %0 : tensor<i32>
  }
  func.func @main() {
    %true = stablehlo.constant dense<true> : tensor<i1>
    %false = stablehlo.constant dense<false> : tensor<i1>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %minus = stablehlo.constant dense<-3> : tensor<i32>
    %0 = func.call @choose(%true) : (tensor<i1>) -> tensor<i32>
    %1 = func.call @choose(%false) : (tensor<i1>) -> tensor<i32>
    %2 = func.call @pick(%zero) : (tensor<i32>) -> tensor<i32>
    // An index that is no branch's runs the last.
    %3 = func.call @pick(%minus) : (tensor<i32>) -> tensor<i32>
    check.expect_eq_const %0, dense<1> : tensor<i32>
    check.expect_eq_const %1, dense<2> : tensor<i32>
    check.expect_eq_const %2, dense<10> : tensor<i32>
    check.expect_eq_const %3, dense<20> : tensor<i32>
    func.return
  }
}

// -----

// The greatest common divisor by Euclid.
func.func @loop() {
  %a = stablehlo.constant dense<48> : tensor<i32>
  %b = stablehlo.constant dense<36> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%x = %a, %y = %b) : tensor<i32>, tensor<i32>
    cond {
      %p = stablehlo.compare NE, %y, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %r = stablehlo.remainder %x, %y : tensor<i32>
      stablehlo.return %y, %r : tensor<i32>, tensor<i32>
    }
  check.expect_eq_const %0#0, dense<12> : tensor<i32>
  func.return
}

// -----

module @calls {
  func.func private @twice(%x: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.add %x, %x : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %0 = stablehlo.composite "math.twice" %x {decomposition = @twice} : (tensor<2xi32>) -> tensor<2xi32>
    %1 = stablehlo.custom_call @Sharding(%0) : (tensor<2xi32>) -> tensor<2xi32>
    %2:2 = stablehlo.optimization_barrier %1, %x : tensor<2xi32>, tensor<2xi32>
    stablehlo.custom_call @control_dep(%2#1, %1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
    stablehlo.custom_call @dce_sink(%2#1) {has_side_effect = true} : (tensor<2xi32>) -> ()
    check.expect_eq_const %2#0, dense<[6, 8]> : tensor<2xi32>
    check.expect_eq_const %2#1, dense<[3, 4]> : tensor<2xi32>
    func.return
  }
}

// -----

func.func @tuples_and_tokens() {
  %x = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %t = "stablehlo.create_token"() : () -> !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %pair = stablehlo.tuple %x, %u : tuple<tensor<2xi32>, !stablehlo.token>
  %y = stablehlo.get_tuple_element %pair[0] : (tuple<tensor<2xi32>, !stablehlo.token>) -> tensor<2xi32>
  check.expect_eq %y, %x : tensor<2xi32>
  func.return
}

// -----

func.func @shape_values() {
  %x = arith.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %open = tensor.cast %x : tensor<1x3xi32> to tensor<?x3xi32>
  %same = builtin.unrealized_conversion_cast %open : tensor<?x3xi32> to tensor<?x3xi32>
  %shape = shape.shape_of %same : tensor<?x3xi32> -> tensor<2xindex>
  %rows = shape.const_shape [4, 1] : tensor<2xindex>
  %both = shape.broadcast %shape, %rows : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>
  %n = shape.num_elements %both : tensor<2xindex> -> index
  %y = stablehlo.dynamic_broadcast_in_dim %x, %both, dims = [0, 1] : (tensor<1x3xi32>, tensor<2xindex>) -> tensor<?x?xi32>
  %closed = tensor.cast %y : tensor<?x?xi32> to tensor<4x3xi32>
  check.expect_eq_const %closed, dense<[[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]> : tensor<4x3xi32>
  func.return
}

// -----

// On a mesh of one device every shard is the whole.
module @shards {
  sdy.mesh @mesh = <["x"=1]>
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}]> : tensor<2xi32>
    sdy.sharding_group %0 group_id = 1 : tensor<2xi32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xi32>) {
      %2 = stablehlo.negate %a : tensor<2xi32>
      sdy.return %2 : tensor<2xi32>
    } : (tensor<2xi32>) -> tensor<2xi32>
    check.expect_eq_const %1, dense<[-1, -2]> : tensor<2xi32>
    func.return
  }
}

// -----

// Functions that return more than their results, of which the rest is dropped.
module @returned_too_much {
  func.func private @more(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %x, %x : tensor<f32>
    stablehlo.return %0, %x, %0, %x, %0, %x, %0, %x : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<2.0> : tensor<f32>
    %0 = call @more(%x) : (tensor<f32>) -> tensor<f32>
    %1 = stablehlo.composite "my.more" %0 {decomposition = @more} : (tensor<f32>) -> tensor<f32>
    check.expect_eq_const %1, dense<8.0> : tensor<f32>
    stablehlo.return %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1 : tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
