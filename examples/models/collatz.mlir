// The longest chain of the Collatz conjecture that begins below a limit, the slow
// way: a loop in a loop, for examples of progress and cancel.
module @collatz {
  func.func public @main(%limit: tensor<i64>) -> (tensor<i64> {jax.result_info = "start"},
                                                  tensor<i64> {jax.result_info = "steps"}) {
    %one = stablehlo.constant dense<1> : tensor<i64>
    %two = stablehlo.constant dense<2> : tensor<i64>
    %three = stablehlo.constant dense<3> : tensor<i64>
    %none = stablehlo.constant dense<0> : tensor<i64>
    %0:3 = stablehlo.while(%start = %one, %best = %one, %most = %none) : tensor<i64>, tensor<i64>, tensor<i64>
      cond {
        %go = stablehlo.compare LT, %start, %limit, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %go : tensor<i1>
      } do {
        %1:2 = stablehlo.while(%n = %start, %steps = %none) : tensor<i64>, tensor<i64>
          cond {
            %go = stablehlo.compare GT, %n, %one, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
            stablehlo.return %go : tensor<i1>
          } do {
            %half = stablehlo.divide %n, %two : tensor<i64>
            %rest = stablehlo.and %n, %one : tensor<i64>
            %odd = stablehlo.compare EQ, %rest, %one, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
            %triple = stablehlo.multiply %n, %three : tensor<i64>
            %up = stablehlo.add %triple, %one : tensor<i64>
            %next = stablehlo.select %odd, %up, %half : tensor<i1>, tensor<i64>
            %count = stablehlo.add %steps, %one : tensor<i64>
            stablehlo.return %next, %count : tensor<i64>, tensor<i64>
          }
        %longer = stablehlo.compare GT, %1#1, %most, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        %2 = stablehlo.select %longer, %start, %best : tensor<i1>, tensor<i64>
        %3 = stablehlo.maximum %1#1, %most : tensor<i64>
        %4 = stablehlo.add %start, %one : tensor<i64>
        stablehlo.return %4, %2, %3 : tensor<i64>, tensor<i64>, tensor<i64>
      }
    return %0#1, %0#2 : tensor<i64>, tensor<i64>
  }
}
