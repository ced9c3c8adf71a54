// SPDX-License-Identifier: LGPL-2.1-or-later
//
// Attributes of sdy: a few that are right, and at least one that breaks each rule of Shardy's verifier.

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {"columns":(1)2, ?}p1], replicated={"columns":(2)3}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)3}, {}], unreduced=max{"rows", "columns":(3)2}>}) {
  return
}

// -----

sdy.mesh @grid = <[], device_ids=[3]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, []>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: !stablehlo.token {sdy.sharding = #sdy.sharding<@grid, []>}) {
  return
}

// -----

func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}, {}]>}) {
  return
}

// -----

// expected-error@+1 {{a size of at least 1}}
sdy.mesh @grid = <["rows"=0]>

// -----

// expected-error@+1 {{a size of at least 1}}
sdy.mesh @grid = <["rows"=-2]>

// -----

// expected-error@+1 {{with different names}}
sdy.mesh @grid = <["rows"=2, "rows"=3]>

// -----

// expected-error@+1 {{of at least 0}}
sdy.mesh @grid = <["rows"=2], device_ids=[0, -1]>

// -----

// expected-error@+1 {{for each device}}
sdy.mesh @grid = <["rows"=2, "columns"=2], device_ids=[3, 1, 0]>

// -----

// expected-error@+1 {{once}}
sdy.mesh @grid = <["rows"=2], device_ids=[1, 1]>

// -----

// expected-error@+1 {{once}}
sdy.mesh @grid = <["rows"=2], device_ids=[2, 0]>

// -----

// expected-error@+1 {{at most one device}}
sdy.mesh @grid = <[], device_ids=[0, 1]>

// -----

// expected-error@+1 {{for each device}}
sdy.mesh @grid = <["rows"=4611686018427387904, "columns"=4], device_ids=[1, 0]>

// -----

func.func @main() {
  // expected-error@+1 {{directly inside a module}}
  sdy.mesh @grid = <["rows"=2]>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{of 2 dimensions}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{of 2 dimensions}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{name of a mesh}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{name of a mesh}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@main, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{an axis of the mesh}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"depth"}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{an axis of the mesh}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], replicated={"depth"}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{each axis once}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {"rows"}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{each axis once}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows", "rows"}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{each axis once}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {}], replicated={"rows"}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{each axis once}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}, {}], unreduced={"rows"}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{in the order of the mesh}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], replicated={"columns", "rows"}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{in the order of the mesh}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced={"columns":(3)2, "columns":(1)2}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{a priority only}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}p1, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{do not overlap}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)2}, {"columns"}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{do not overlap}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)3}, {"columns":(2)3}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{do not overlap}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)2}, {"columns":(1)3}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{as one part}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)2, "columns":(2)3}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{divides its size}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)4}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{divides its size}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(2)6}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{divides its size}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(9223372036854775807)2}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{all of it}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)6}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{at least size 2}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(1)1}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{at least 1 before}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"columns":(0)2}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{with a rank}}
func.func @main(%a: tensor<*xf32> {sdy.sharding = #sdy.sharding<@grid, []>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{not a tensor}}
func.func @main(%a: !stablehlo.token {sdy.sharding = #sdy.sharding<@grid, [{}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{not a tensor}}
func.func @main(%a: !stablehlo.token {sdy.sharding = #sdy.sharding<@grid, [], unreduced={"rows"}>}) {
  return
}

// -----

sdy.mesh @grid = <[], device_ids=[0]>
// expected-error@+1 {{a single device}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{an attribute #sdy.sharding}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{}, {}]>]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{an attribute #sdy.sharding}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = 1 : i64}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{leading zeros}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}p01, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{expected}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}high, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{64 bits}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"}p9999999999999999999, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{expected}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"rows"?}, {}]>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{an item}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], replicated={}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{expected}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], replicated={"rows"}, replicated={"columns"}>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{expected}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}],>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
// expected-error@+1 {{that is known}}
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.placement<@grid>}) {
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, []>]>} : (tensor<8x6xf32>) -> ()
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{of 1 values}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{of 1 values}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{}, {}]>, <@grid, [{}, {}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{value 0: expected a sharding of 2 dimensions}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}]>]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{sharding_per_value}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{sharding_per_value}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = unit} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([ik, j])->([k, ij]) {i=2, j=6, k=4} need_replication={j} blocked_propagation={i, j}, custom>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{result 0: expected factors of 2 dimensions}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{1 operands}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{1 results}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{2 factors}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{each factor once}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i])->([i, i]) {i=8}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{of size 1 alone}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([i, jk]) {i=8, j=6, k=1}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{in none}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6, k=2}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{expected}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, ])->([i, j]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{in order}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {j=6, i=8}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{ascending}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6} need_replication={j, i}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{ascending}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6} blocked_propagation={i, i}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{ascending}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6} permutation={z}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{in one of the lists}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6} need_replication={j} permutation={j}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{in operands only}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6} reduction={j}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{expected '>'}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6} permutation={j} need_replication={i}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{expected}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6}, usual>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{1 operands}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<()->([i, j]) {i=8, j=6}>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<?x6xf32>) {
  // expected-error@+1 {{static shape}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=6}>} : (tensor<?x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{#sdy.op_sharding_rule}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding_rule = "i"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{each step of propagation once}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-0 -> [result-0]}]}, {step-0 = [{"rows" = operand-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{of at least 0}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step--1 = [{"rows" = operand-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{not its source}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = result-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{once, found one twice}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-0 -> [result-0, result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{between operands and results}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-1 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{between operands and results}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-0 -> [result-0, result-1]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{'operand' or 'result'}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = block-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{an axis of the mesh}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"depth" = operand-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{not its source}}
  %r = stablehlo.custom_call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"rows"}, {}]>]>, sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-0 -> [operand-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{lead to a sharding}}
  %r = stablehlo.custom_call @f(%a) {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"rows" = operand-0 -> [result-0]}]}]>} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{#sdy.propagation_edges}}
  %r = stablehlo.custom_call @f(%a) {sdy.propagation_edges = 3} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{an array of}}
  %r = stablehlo.custom_call @f(%a) {sdy.result_propagation_edges = 3} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<8x6xf32>) {
  // expected-error@+1 {{an array of}}
  %r = stablehlo.custom_call @f(%a) {sdy.block_arg_propagation_edges = [3]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=max{"rows"}>}) {
  %r = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced=max{"rows"}> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  %r = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced={"rows"}> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=max{"rows"}>}) {
  %r = sdy.sharding_constraint %a <@grid, [{"rows"}, {}]> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error@+1 {{of 2 dimensions}}
  %r = sdy.sharding_constraint %a <@grid, [{}]> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // expected-error@+1 {{those of a sum}}
  %r = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced=max{"rows"}> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced={"columns":(1)2}>}) {
  // expected-error@+1 {{as one part}}
  %r = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced={"columns":(1)2, "columns":(2)3}> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=max{"columns":(1)2}>}) {
  // expected-error@+1 {{those of a sum}}
  %r = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced=max{"columns"}> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=max{"rows", "columns"}>}) {
  // expected-error@+1 {{keep its reduction}}
  %r = sdy.sharding_constraint %a <@grid, [{}, {}], unreduced={"rows"}> : tensor<12x8xf32>
  return
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows", "columns"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{of dimension 0 inside}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<12x8xf32>) {
    sdy.return %b : tensor<12x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{of dimension 0 inside}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{divides into 6 parts}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{}, {"columns"}]>] out_shardings=[<@grid, [{}, {"columns"}]>] manual_axes={"columns"} (%b: tensor<12x1xf32>) {
    sdy.return %b : tensor<12x1xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{before all others}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"columns", "rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{a manual axis of the mesh}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows", "depth"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{of 1 values}}
  %r = sdy.manual_computation(%a) in_shardings=[] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{of 1 values}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{an axis of the mesh}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"depth"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
sdy.mesh @line = <["rows"=4]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{over one mesh}}
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@line, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @none = <[]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  // expected-error@+1 {{over one mesh}}
  %r = sdy.manual_computation(%a) in_shardings=[<@none, [{}, {}]>] out_shardings=[<@none, [{}, {}]>] manual_axes={"rows"} (%b: tensor<12x8xf32>) {
    sdy.return %b : tensor<12x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    // expected-error@+1 {{that no manual computation around it has}}
    %c = sdy.sharding_constraint %b <@grid, [{"rows"}, {}]> : tensor<3x8xf32>
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    // expected-error@+1 {{isolated}}
    %c = stablehlo.add %z, %z : tensor<f32>
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}

// -----

sdy.mesh @grid = <["rows"=4, "columns"=6]>
func.func @main(%a: tensor<12x8xf32>) -> tensor<12x8xf32> {
  %r = sdy.manual_computation(%a) in_shardings=[<@grid, [{"rows"}, {}]>] out_shardings=[<@grid, [{"rows"}, {}]>] manual_axes={"rows"} (%b: tensor<3x8xf32>) {
    // expected-error@+1 {{that no manual computation around it has}}
    %c = sdy.manual_computation(%b) in_shardings=[<@grid, [{}, {}]>] out_shardings=[<@grid, [{}, {}]>] manual_axes={"rows"} (%d: tensor<3x8xf32>) {
      sdy.return %d : tensor<3x8xf32>
    } : (tensor<3x8xf32>) -> tensor<3x8xf32>
    sdy.return %b : tensor<3x8xf32>
  } : (tensor<12x8xf32>) -> tensor<12x8xf32>
  return %r : tensor<12x8xf32>
}
