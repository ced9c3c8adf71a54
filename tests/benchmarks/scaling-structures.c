/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that are large in operations, operands, results, functions or regions.
 */

#include "scaling-shapes.h"

#define T SCALING_TYPE

static void
write_chain (GString *text,
             guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%%u : " T "\n", i, i - 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
}

/* Every value is live until the final sum, which adds them in reverse order. */
static void
write_alive (GString *text,
             guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.sine %%%u : " T "\n", i, i - 1);
  g_string_append_printf (text, "  %%s%u = stablehlo.abs %%%u : " T "\n", n - 1, n - 1);
  for (guint i = n - 1; i > 0; i--)
    g_string_append_printf (text, "  %%s%u = stablehlo.subtract %%s%u, %%%u : " T "\n", i - 1, i, i - 1);
  scaling_end_main (text, "s0");
}

/* A tree of pairwise sums: half of all values are live at once. */
static void
write_tree (GString *text,
            guint    n)
{
  guint n_leaves = (n + 1) / 2, first = 0, end = n_leaves;

  scaling_begin_main (text);
  for (guint i = 0; i < n_leaves; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.%s %%arg0 : " T "\n", i, i % 2 == 0 ? "negate" : "abs");
  for (; first + 1 < end; first += 2, end++)
    g_string_append_printf (text, "  %%%u = stablehlo.add %%%u, %%%u : " T "\n", end, first, first + 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", first);
}

static void
write_one_value (GString *text,
                 guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.multiply %%0, %%%u : " T "\n", i, i - 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
}

static void
write_long_names (GString *text,
                  guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %a_value_with_a_long_name_0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%a_value_with_a_long_name_%u = stablehlo.tanh %%a_value_with_a_long_name_%u : "
                            T "\n", i, i - 1);
  g_string_append_printf (text, "  return %%a_value_with_a_long_name_%u : " T "\n}\n", n - 1);
}

static void
write_operands (GString *text,
                guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.concatenate ");
  scaling_append_repeated (text, "%arg0", n);
  g_string_append (text, ", dim = 0 : (");
  scaling_append_repeated (text, T, n);
  g_string_append_printf (text, ") -> tensor<%uxf32>\n", 4 * n);
  g_string_append_printf (text, "  %%1 = stablehlo.slice %%0 [0:4] : (tensor<%uxf32>) -> " T "\n", 4 * n);
  scaling_end_main (text, "1");
}

/* Many arguments, operands, results and returned values. */
static void
write_results (GString *text,
               guint    n)
{
  g_string_append (text, "func.func @main(");
  scaling_append_list (text, "%arg", n, ": " T);
  g_string_append (text, ") -> (");
  scaling_append_repeated (text, T, n);
  g_string_append_printf (text, ") {\n  %%0:%u = stablehlo.optimization_barrier ", n);
  scaling_append_list (text, "%arg", n, "");
  g_string_append (text, " : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n  return ");
  scaling_append_list (text, "%0#", n, "");
  g_string_append (text, " : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n}\n");
}

/* Tuples with at most as many members as a type may have. */
static void
write_tuple (GString *text,
             guint    n)
{
  n = MIN (n, 65535);
  g_string_append (text, "!t = tuple<");
  scaling_append_repeated (text, T, n);
  g_string_append (text, ">\n");
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tuple ");
  scaling_append_repeated (text, "%arg0", n);
  g_string_append_printf (text, " : !t\n  %%1 = stablehlo.get_tuple_element %%0[%u] : (!t) -> " T "\n", n - 1);
  scaling_end_main (text, "1");
}

static void
write_loop_values (GString *text,
                   guint    n)
{
  scaling_begin_main (text);
  g_string_append_printf (text, "  %%c = stablehlo.constant dense<false> : tensor<i1>\n  %%0:%u = stablehlo.while(", n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%i%u = %%arg0", i > 0 ? ", " : "", i);
  g_string_append (text, ") : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n  cond {\n"
                   "    %l = stablehlo.slice %i0 [0:1] : (" T ") -> tensor<1xf32>\n"
                   "    %s = stablehlo.reshape %l : (tensor<1xf32>) -> tensor<f32>\n"
                   "    %p = stablehlo.compare LT, %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                   "    stablehlo.return %p : tensor<i1>\n  } do {\n    stablehlo.return ");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%i%u", i > 0 ? ", " : "", (i + 1) % n);
  g_string_append (text, " : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n  }\n");
  scaling_end_main (text, "0#0");
}

static void
write_branches (GString *text,
                guint    n)
{
  g_string_append (text, "func.func @main(%arg0: " T ", %arg1: tensor<i32>) -> " T " {\n"
                   "  %0 = \"stablehlo.case\"(%arg1) (");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s{\n    %%b = stablehlo.tanh %%arg0 : " T "\n"
                            "    stablehlo.return %%b : " T "\n  }", i > 0 ? ", " : "");
  g_string_append (text, ") : (tensor<i32>) -> " T "\n");
  scaling_end_main (text, "0");
}

static void
write_functions (GString *text,
                 guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = func.call @function%u(%%%u) : (" T ") -> " T "\n", i, i, i - 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "func.func private @function%u(%%arg0: " T ") -> " T " {\n"
                            "  %%0 = stablehlo.sine %%arg0 : " T "\n  return %%0 : " T "\n}\n", i);
}

/* A chain of functions, each of which calls the one before it. */
static void
write_call_chains (GString *text,
                   guint    n)
{
  const guint depth = 100;

  g_string_append (text, "func.func private @f0(%arg0: " T ") -> " T " {\n  return %arg0 : " T "\n}\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "func.func private @f%u(%%arg0: " T ") -> " T " {\n"
                            "  %%0 = stablehlo.sine %%arg0 : " T "\n"
                            "  %%1 = func.call @f%u(%%0) : (" T ") -> " T "\n  return %%1 : " T "\n}\n", i,
                            i % depth == 0 ? 0 : i - 1);
  scaling_begin_main (text);
  g_string_append_printf (text, "  %%0 = func.call @f%u(%%arg0) : (" T ") -> " T "\n", n - 1);
  scaling_end_main (text, "0");
}

static void
write_symbols (GString *text,
               guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.custom_call @target(%arg0) {called_computations = [");
  scaling_append_list (text, "@g", n, "");
  g_string_append (text, "]} : (" T ") -> " T "\n");
  scaling_end_main (text, "0");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "func.func private @g%u(%%arg0: " T ") -> " T " {\n  return %%arg0 : " T "\n}\n", i);
}

static void
write_modules (GString *text,
               guint    n)
{
  g_string_append (text, "module {\n");
  scaling_begin_main (text);
  scaling_end_main (text, "arg0");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "module @inner%u {\nfunc.func @main(%%arg0: " T ") -> " T " {\n"
                            "  return %%arg0 : " T "\n}\n}\n", i);
  g_string_append (text, "}\n");
}

/* Nested branches that use a value of the function. */
static void
write_nesting (GString *text,
               guint    n)
{
  const guint depth = 200;

  g_string_append (text, "func.func @main(%arg0: " T ", %arg1: tensor<i1>) -> " T " {\n");
  for (guint i = 0; i < n; i++)
    {
      if (i % depth == 0)
        g_string_append_printf (text, "  %%r%u = ", i / depth);
      else
        g_string_append (text, "  %x = ");
      g_string_append (text, "\"stablehlo.if\"(%arg1) ({\n");
      if (i % depth == depth - 1 || i + 1 == n)
        {
          g_string_append (text, "  %y = stablehlo.tanh %arg0 : " T "\n  stablehlo.return %y : " T "\n");
          for (guint k = 0; k <= i % depth; k++)
            g_string_append_printf (text, "  }, {\n  %%z = stablehlo.sine %%arg0 : " T "\n"
                                    "  stablehlo.return %%z : " T "\n  }) : (tensor<i1>) -> " T "\n%s",
                                    k < i % depth ? "  stablehlo.return %x : " T "\n" : "");
        }
    }
  scaling_end_main (text, "r0");
}

static void
write_regions (GString *text,
               guint    n)
{
  g_string_append (text, "func.func @main(%arg0: " T ", %arg1: tensor<f32>) -> tensor<f32> {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.reduce(%%arg0 init: %%%s%u) across dimensions = [0] : (" T
                            ", tensor<f32>) -> tensor<f32>\n   reducer(%%a: tensor<f32>, %%b: tensor<f32>) {\n"
                            "    %%s = stablehlo.add %%a, %%b : tensor<f32>\n"
                            "    stablehlo.return %%s : tensor<f32>\n  }\n", i, i > 0 ? "" : "arg", i > 0 ? i - 1 : 1);
  g_string_append_printf (text, "  return %%%u : tensor<f32>\n}\n", n - 1);
}

static void
write_generic (GString *text,
               guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = \"stablehlo.tanh\"(%arg0) : (" T ") -> " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = \"stablehlo.compare\"(%%arg0, %%arg0) <{comparison_direction = "
                            "#stablehlo<comparison_direction LT>}> {a.b = %u : i32} : (" T ", " T
                            ") -> tensor<4xi1>\n", i, i);
  scaling_end_main (text, "0");
}

static void
write_composites (GString *text,
                  guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.composite \"a.b\" %%%u {composite_attributes = {n = %u : i32}, "
                            "decomposition = @f} : (" T ") -> " T "\n", i, i - 1, i);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n"
                          "func.func private @f(%%arg0: " T ") -> " T " {\n  return %%arg0 : " T "\n}\n", n - 1);
}

/* Operations that artifacts hold unconverted, between casts. */
static void
write_native (GString *text,
              guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = %s %%%u : " T "%s\n", i, i % 2 == 0 ? "stablehlo.sine" : "chlo.tan", i - 1,
                            i % 2 == 0 ? "" : " -> " T);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
}

/* An operation with a region, many operands and results, and twice as many region arguments. */
static void
write_reduction (GString *text,
                 guint    n)
{
  g_string_append (text, "func.func @main(%arg0: " T ", %arg1: tensor<f32>) -> tensor<f32> {\n");
  g_string_append_printf (text, "  %%0:%u = \"stablehlo.reduce\"(", n);
  scaling_append_repeated (text, "%arg0", n);
  g_string_append (text, ", ");
  scaling_append_repeated (text, "%arg1", n);
  g_string_append (text, ") ({\n  ^bb0(");
  scaling_append_list (text, "%a", 2 * n, ": tensor<f32>");
  g_string_append (text, "):\n    stablehlo.return ");
  scaling_append_list (text, "%a", n, "");
  g_string_append (text, " : ");
  scaling_append_repeated (text, "tensor<f32>", n);
  g_string_append (text, "\n  }) {dimensions = array<i64: 0>} : (");
  scaling_append_repeated (text, T, n);
  g_string_append (text, ", ");
  scaling_append_repeated (text, "tensor<f32>", n);
  g_string_append (text, ") -> (");
  scaling_append_repeated (text, "tensor<f32>", n);
  g_string_append (text, ")\n  return %0#0 : tensor<f32>\n}\n");
}

const ScalingShape scaling_structures[] = {
  { "chain", write_chain, 1 },
  { "values alive", write_alive, 2 },
  { "sum tree", write_tree, 1 },
  { "uses of one value", write_one_value, 1 },
  { "long names", write_long_names, 1 },
  { "generic form", write_generic, 1 },
  { "operands", write_operands, 1 },
  { "results", write_results, 1 },
  { "tuple members", write_tuple, 1 },
  { "loop values", write_loop_values, 1 },
  { "branches", write_branches, 2 },
  { "functions", write_functions, 3 },
  { "call chains", write_call_chains, 3 },
  { "composites", write_composites, 1 },
  { "symbols", write_symbols, 2 },
  { "modules", write_modules, 3 },
  { "nested regions", write_nesting, 5 },
  { "regions", write_regions, 3 },
  { "native operations", write_native, 1 },
  { "wide reduction", write_reduction, 2 },
  { NULL, NULL, 0 },
};
