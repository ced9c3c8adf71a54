// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Operations of several processes: two replicas, or two partitions, each a thread.

module @ids {
  func.func @f() -> (tensor<ui32>, tensor<ui32>) {
    %replica = stablehlo.replica_id : tensor<ui32>
    %partition = stablehlo.partition_id : tensor<ui32>
    return %replica, %partition : tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    // Rows are replicas, columns partitions.
    %r:8 = "interpreter.run_parallel"() {programs = [[@f, @f], [@f, @f]]}
      : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#2, dense<0> : tensor<ui32>
    check.expect_eq_const %r#3, dense<1> : tensor<ui32>
    check.expect_eq_const %r#4, dense<1> : tensor<ui32>
    check.expect_eq_const %r#5, dense<0> : tensor<ui32>
    func.return
  }
}

// -----

module @gathered {
  func.func @f(%x: tensor<2xi64>) -> (tensor<4xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) {
    %all = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2xi64>) -> tensor<4xi64>
    %sum = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %0 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %0 : tensor<i64>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    %part = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %0 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %0 : tensor<i64>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<1xi64>
    %old = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
      : (tensor<2xi64>) -> tensor<2xi64>
    return %all, %sum, %part, %old : tensor<4xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %b = stablehlo.constant dense<[30, 40]> : tensor<2xi64>
    %r:8 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]}
      : (tensor<2xi64>, tensor<2xi64>) -> (tensor<4xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>, tensor<4xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[1, 2, 30, 40]> : tensor<4xi64>
    check.expect_eq_const %r#1, dense<[31, 42]> : tensor<2xi64>
    check.expect_eq_const %r#2, dense<[31]> : tensor<1xi64>
    check.expect_eq_const %r#3, dense<[31, 42]> : tensor<2xi64>
    check.expect_eq_const %r#6, dense<[42]> : tensor<1xi64>
    func.return
  }
}

// -----

module @exchanged {
  func.func @f(%x: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
    %parts = "stablehlo.all_to_all"(%x) {
      split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>
    } : (tensor<2xi64>) -> tensor<2xi64>
    %first = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    %other = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    %root = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %0 = stablehlo.multiply %a, %b : tensor<i64>
      stablehlo.return %0 : tensor<i64>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi64>) -> tensor<2xi64>
    return %parts, %first, %other, %root : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %b = stablehlo.constant dense<[30, 40]> : tensor<2xi64>
    %r:8 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]}
      : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[1, 30]> : tensor<2xi64>
    check.expect_eq_const %r#4, dense<[2, 40]> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[30, 40]> : tensor<2xi64>
    check.expect_eq_const %r#5, dense<[30, 40]> : tensor<2xi64>
    check.expect_eq_const %r#2, dense<[0, 0]> : tensor<2xi64>
    check.expect_eq_const %r#6, dense<[1, 2]> : tensor<2xi64>
    check.expect_eq_const %r#3, dense<[30, 80]> : tensor<2xi64>
    func.return
  }
}

// -----

module @later {
  func.func @f(%x: tensor<1xi64>) -> tensor<2xi64> {
    %future = "stablehlo.async_start"(%x) ({
    ^bb0(%y: tensor<1xi64>):
      %0 = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1xi64>) -> tensor<2xi64>
      stablehlo.return %0 : tensor<2xi64>
    }) : (tensor<1xi64>) -> !stablehlo.future<tensor<2xi64>>
    %r = "stablehlo.async_done"(%future) : (!stablehlo.future<tensor<2xi64>>) -> tensor<2xi64>
    return %r : tensor<2xi64>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[5]> : tensor<1xi64>
    %b = stablehlo.constant dense<[6]> : tensor<1xi64>
    %r:2 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]} : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<[5, 6]> : tensor<2xi64>
    check.expect_eq %r#0, %r#1 : tensor<2xi64>
    func.return
  }
}

// -----

// What one process sends, the other receives; what is fed in comes out, negated.
module @transfers {
  func.func @sender(%x: tensor<2xi64>, %t: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}
      : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
  func.func @receiver(%t: !stablehlo.token) -> tensor<2xi64> {
    %0, %1 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}
      : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    return %0 : tensor<2xi64>
  }
  func.func @fed(%t: !stablehlo.token) -> tensor<2xi64> {
    %0, %1 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xi64>, !stablehlo.token)
    %2 = stablehlo.negate %0 : tensor<2xi64>
    %3 = "stablehlo.outfeed"(%2, %1) : (tensor<2xi64>, !stablehlo.token) -> !stablehlo.token
    return %2 : tensor<2xi64>
  }
  func.func @food() -> tensor<2xi64> {
    %0 = stablehlo.constant dense<[8, 9]> : tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[5, 6]> : tensor<2xi64>
    %t = stablehlo.after_all : !stablehlo.token
    %0:2 = "interpreter.run_parallel"(%x, %t, %t) {programs = [[@sender], [@receiver]]}
      : (tensor<2xi64>, !stablehlo.token, !stablehlo.token) -> (!stablehlo.token, tensor<2xi64>)
    %1 = "interpreter.run_parallel"(%t) {infeed = [@food], programs = [[@fed]]} : (!stablehlo.token) -> tensor<2xi64>
    check.expect_eq_const %0#1, dense<[5, 6]> : tensor<2xi64>
    check.expect_eq_const %1, dense<[-8, -9]> : tensor<2xi64>
    func.return
  }
}

// -----

// Groups along the axes of a mesh, which stands on a symbol: of a process among two, and of the only one.
module @meshes {
  func.func private @two() attributes {stablehlo.mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>}
  func.func private @one() attributes {stablehlo.mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 1>]>}
  func.func @f(%x: tensor<1xi64>) -> tensor<2xi64> {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @two, axes = [#stablehlo.axis_ref<name = "x">]>}
      : (tensor<1xi64>) -> tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @main() {
    %x = stablehlo.constant dense<5> : tensor<1xi64>
    %y = stablehlo.constant dense<6> : tensor<1xi64>
    %0:2 = "interpreter.run_parallel"(%x, %y) {programs = [[@f], [@f]]}
      : (tensor<1xi64>, tensor<1xi64>) -> (tensor<2xi64>, tensor<2xi64>)
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @one, axes = [#stablehlo.axis_ref<name = "x">]>}
      : (tensor<1xi64>) -> tensor<1xi64>
    check.expect_eq_const %0#0, dense<[5, 6]> : tensor<2xi64>
    check.expect_eq_const %0#1, dense<[5, 6]> : tensor<2xi64>
    check.expect_eq_const %1, dense<5> : tensor<1xi64>
    func.return
  }
}
