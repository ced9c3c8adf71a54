/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that give passes much work, and are large in one respect: chains that fold
 * to one operation, operations that are equal or nearly so, loops, calls, constants.
 */

#include "scaling-shapes.h"

#define T  SCALING_TYPE
#define TI "tensor<4xi32>"
#define M  "tensor<2x3xf32>"

/* A function with a chain of operations; the last value is returned. */
static void
begin (GString    *text,
       const char *type)
{
  g_string_append_printf (text, "func.func @main(%%arg0: %s, %%arg1: tensor<i1>, %%arg2: tensor<i32>) -> %s {\n"
                          "  %%zero = stablehlo.constant dense<0> : " TI "\n"
                          "  %%one = stablehlo.constant dense<1.0> : " T "\n"
                          "  %%v0 = stablehlo.abs %%arg0 : %s\n", type, type, type);
}

static void
end (GString    *text,
     guint       last,
     const char *type)
{
  g_string_append_printf (text, "  return %%v%u : %s\n}\n", last, type);
}

static void
write_dead (GString *text,
            guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.sine %%v%u : " T "\n", i, i - 1);
  end (text, 0, T);
}

static void
write_identities (GString *text,
                  guint    n)
{
  begin (text, TI);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.add %%v%u, %%zero : " TI "\n", i, i - 1);
  end (text, n - 1, TI);
}

/* A value with many uses, each through a chain of operations that fold to the value. */
static void
write_replaced (GString *text,
                guint    n)
{
  begin (text, TI);
  g_string_append (text, "  %u0 = stablehlo.negate %arg0 : " TI "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.add %%v%u, %%zero : " TI "\n"
                            "  %%u%u = stablehlo.subtract %%v%u, %%u%u : " TI "\n", i, i - 1, i, i, i - 1);
  g_string_append_printf (text, "  return %%u%u : " TI "\n}\n", n - 1);
}

static void
write_equal (GString *text,
             guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%w%u = stablehlo.sine %%arg0 : " T "\n"
                            "  %%v%u = stablehlo.subtract %%v%u, %%w%u : " T "\n", i, i, i - 1, i);
  end (text, n - 1, T);
}

/* Sums of the first value and the last, the second and the last but one, and so on. */
static void
write_mirrored (GString *text,
                guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.sine %%v%u : " T "\n", i, i - 1);
  g_string_append (text, "  %s0 = stablehlo.abs %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%t%u = stablehlo.add %%v%u, %%v%u : " T "\n"
                            "  %%s%u = stablehlo.subtract %%s%u, %%t%u : " T "\n", i, i, n - i, i, i - 1, i);
  g_string_append_printf (text, "  return %%s%u : " T "\n}\n", n - 1);
}

/* Regions that differ only in a constant. */
static void
write_similar_regions (GString *text,
                       guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%w%u = \"stablehlo.if\"(%%arg1) ({\n"
                            "    %%c = stablehlo.constant dense<%u.0> : " T "\n"
                            "    %%x = stablehlo.add %%arg0, %%c : " T "\n    stablehlo.return %%x : " T "\n  }, {\n"
                            "    %%y = stablehlo.sine %%arg0 : " T "\n    stablehlo.return %%y : " T "\n"
                            "  }) : (tensor<i1>) -> " T "\n"
                            "  %%v%u = stablehlo.subtract %%v%u, %%w%u : " T "\n", i, i, i, i - 1, i);
  end (text, n - 1, T);
}

static void
write_reshapes (GString *text,
                guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%w%u = stablehlo.reshape %%v%u : (" T ") -> tensor<2x2xf32>\n"
                            "  %%v%u = stablehlo.reshape %%w%u : (tensor<2x2xf32>) -> " T "\n", i, i - 1, i, i);
  end (text, n - 1, T);
}

static void
write_transposes (GString *text,
                  guint    n)
{
  begin (text, M);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%w%u = stablehlo.transpose %%v%u, dims = [1, 0] : (" M ") -> tensor<3x2xf32>\n"
                            "  %%x%u = stablehlo.sine %%w%u : tensor<3x2xf32>\n"
                            "  %%v%u = stablehlo.transpose %%x%u, dims = [1, 0] : (tensor<3x2xf32>) -> " M "\n",
                            i, i - 1, i, i, i, i);
  end (text, n - 1, M);
}

/* One transpose that moves behind all elementwise operations. */
static void
write_sinking (GString *text,
               guint    n)
{
  g_string_append (text, "func.func @main(%arg0: " M ") -> tensor<3x2xf32> {\n"
                   "  %v0 = stablehlo.transpose %arg0, dims = [1, 0] : (" M ") -> tensor<3x2xf32>\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.sine %%v%u : tensor<3x2xf32>\n", i, i - 1);
  end (text, n - 1, "tensor<3x2xf32>");
}

/* As many transposes as operations, each of which moves behind all operations that follow. */
static void
write_many_sinking (GString *text,
                    guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%a%u = stablehlo.reshape %%v%u : (" T ") -> tensor<1x4xf32>\n"
                            "  %%b%u = stablehlo.sine %%a%u : tensor<1x4xf32>\n"
                            "  %%v%u = stablehlo.reshape %%b%u : (tensor<1x4xf32>) -> " T "\n", i, i - 1, i, i, i, i);
  end (text, n - 1, T);
}

static void
write_slices (GString *text,
              guint    n)
{
  g_string_append_printf (text, "func.func @main(%%arg0: tensor<%uxf32>) -> tensor<1xf32> {\n"
                          "  %%v0 = stablehlo.abs %%arg0 : tensor<%uxf32>\n", n, n);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.slice %%v%u [1:%u] : (tensor<%uxf32>) -> tensor<%uxf32>\n",
                            i, i - 1, n - i + 1, n - i + 1, n - i);
  end (text, n - 1, "tensor<1xf32>");
}

static void
write_concatenations (GString *text,
                      guint    n)
{
  g_string_append_printf (text, "func.func @main(%%arg0: tensor<1xf32>) -> tensor<%uxf32> {\n"
                          "  %%v0 = stablehlo.abs %%arg0 : tensor<1xf32>\n", n);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.concatenate %%v%u, %%arg0, dim = 0 : (tensor<%uxf32>, "
                            "tensor<1xf32>) -> tensor<%uxf32>\n", i, i - 1, i, i + 1);
  g_string_append_printf (text, "  return %%v%u : tensor<%uxf32>\n}\n", n - 1, n);
}

/* Many slices of one concatenation, none within a single operand of it. */
static void
write_straddling (GString *text,
                  guint    n)
{
  g_string_append (text, "func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n  %c = stablehlo.concatenate ");
  scaling_append_repeated (text, "%arg0", n);
  g_string_append (text, ", dim = 0 : (");
  scaling_append_repeated (text, "tensor<2xf32>", n);
  g_string_append_printf (text, ") -> tensor<%uxf32>\n  %%v0 = stablehlo.abs %%arg0 : tensor<2xf32>\n", 2 * n);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%s%u = stablehlo.slice %%c [%u:%u] : (tensor<%uxf32>) -> tensor<2xf32>\n"
                            "  %%v%u = stablehlo.subtract %%v%u, %%s%u : tensor<2xf32>\n", i, 2 * i - 1, 2 * i + 1,
                            2 * n, i, i - 1, i);
  end (text, n - 1, "tensor<2xf32>");
}

static void
write_conversions (GString *text,
                   guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%w%u = stablehlo.convert %%v%u : (" T ") -> tensor<4xf64>\n"
                            "  %%v%u = stablehlo.convert %%w%u : (tensor<4xf64>) -> " T "\n", i, i - 1, i, i);
  end (text, n - 1, T);
}

static void
write_folding (GString *text,
               guint    n)
{
  g_string_append (text, "func.func @main() -> " TI " {\n  %one = stablehlo.constant dense<[1, 2, 3, 4]> : " TI "\n"
                   "  %v0 = stablehlo.constant dense<[5, 6, 7, 8]> : " TI "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.add %%v%u, %%one : " TI "\n", i, i - 1);
  end (text, n - 1, TI);
}

static void
write_updates (GString *text,
               guint    n)
{
  begin (text, T);
  g_string_append (text, "  %p = stablehlo.constant dense<2> : tensor<i32>\n"
                   "  %u = stablehlo.constant dense<3.0> : tensor<1xf32>\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.dynamic_update_slice %%v%u, %%u, %%p : (" T
                            ", tensor<1xf32>, tensor<i32>) -> " T "\n", i, i - 1);
  end (text, n - 1, T);
}

static void
write_selects (GString *text,
               guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%n%u = stablehlo.not %%%s : tensor<i1>\n"
                            "  %%v%u = stablehlo.select %%n%u, %%v%u, %%arg0 : tensor<i1>, " T "\n", i,
                            i > 1 ? "n1" : "arg1", i, i, i - 1);
  end (text, n - 1, T);
}

/* Consecutive loops, each of @trips iterations. */
static void
write_loops (GString *text,
             guint    n,
             guint    trips)
{
  begin (text, T);
  g_string_append_printf (text, "  %%i = stablehlo.constant dense<0> : tensor<i32>\n"
                          "  %%n = stablehlo.constant dense<%u> : tensor<i32>\n"
                          "  %%s = stablehlo.constant dense<1> : tensor<i32>\n", trips);
  for (guint k = 1; k < n; k++)
    g_string_append_printf (text, "  %%w%u:2 = stablehlo.while(%%a = %%i, %%b = %%v%u) : tensor<i32>, " T "\n  cond {\n"
                            "    %%p = stablehlo.compare LT, %%a, %%n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
                            "    stablehlo.return %%p : tensor<i1>\n  } do {\n"
                            "    %%c = stablehlo.add %%a, %%s : tensor<i32>\n    %%d = stablehlo.sine %%b : " T "\n"
                            "    %%e = stablehlo.cosine %%arg0 : " T "\n    %%f = stablehlo.subtract %%d, %%e : " T "\n"
                            "    stablehlo.return %%c, %%f : tensor<i32>, " T "\n  }\n"
                            "  %%v%u = stablehlo.abs %%w%u#1 : " T "\n", k, k - 1, k, k);
  end (text, n - 1, T);
}

static void
write_counted_loops (GString *text,
                     guint    n)
{
  write_loops (text, n, 7);
}

static void
write_single_loops (GString *text,
                    guint    n)
{
  write_loops (text, n, 1);
}

/* Nested loops, whose innermost body has invariants of all of them. */
static void
write_nested_loops (GString *text,
                    guint    n)
{
  const guint depth = 50, width = 200;

  begin (text, T);
  for (guint k = 1; k <= MAX (n / width, 1); k++)
    {
      for (guint d = 0; d < depth; d++)
        g_string_append_printf (text, "  %%w%u = stablehlo.while(%%b%u = %%%s%u) : " T "\n  cond {\n"
                                "    stablehlo.return %%arg1 : tensor<i1>\n  } do {\n", d == 0 ? k : 1000000 + d, d,
                                d == 0 ? "v" : "b", d == 0 ? k - 1 : d - 1);
      for (guint i = 0; i < width; i++)
        g_string_append_printf (text, "  %%i%u = stablehlo.sine %%%s%u : " T "\n", i, i > 0 ? "i" : "arg",
                                i > 0 ? i - 1 : 0);
      g_string_append_printf (text, "  %%r = stablehlo.subtract %%b%u, %%i%u : " T "\n"
                              "  stablehlo.return %%r : " T "\n  }\n", depth - 1, width - 1);
      for (guint d = depth - 1; d > 0; d--)
        g_string_append_printf (text, "  stablehlo.return %%w%u : " T "\n  }\n", 1000000 + d);
      g_string_append_printf (text, "  %%v%u = stablehlo.abs %%w%u : " T "\n", k, k);
    }
  end (text, MAX (n / width, 1), T);
}

/* A loop that carries many values; each iteration passes every value on to its neighbour. */
static void
write_carried (GString *text,
               guint    n)
{
  begin (text, T);
  g_string_append_printf (text, "  %%w:%u = stablehlo.while(", n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%b%u = %%v0", i > 0 ? ", " : "", i);
  g_string_append (text, ") : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n  cond {\n    stablehlo.return %arg1 : tensor<i1>\n  } do {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "    %%c%u = stablehlo.sine %%b%u : " T "\n", i, i);
  g_string_append (text, "    stablehlo.return ");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%c%u", i > 0 ? ", " : "", (i + 1) % (n / 2 + 1));
  g_string_append (text, " : ");
  scaling_append_repeated (text, T, n);
  g_string_append_printf (text, "\n  }\n  %%r = stablehlo.abs %%w#0 : " T "\n  return %%r : " T "\n}\n");
}

/* An operation whose results become dead one by one. */
static void
write_dying_results (GString *text,
                     guint    n)
{
  begin (text, T);
  g_string_append_printf (text, "  %%w:%u = \"stablehlo.case\"(%%arg2) ({\n    stablehlo.return ", n);
  scaling_append_repeated (text, "%v0", n);
  g_string_append (text, " : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n  }, {\n    stablehlo.return ");
  scaling_append_repeated (text, "%arg0", n);
  g_string_append (text, " : ");
  scaling_append_repeated (text, T, n);
  g_string_append (text, "\n  }) : (tensor<i32>) -> (");
  scaling_append_repeated (text, T, n);
  g_string_append (text, ")\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.add %%v%u, %%w#%u : " T "\n", i, i - 1, n - i);
  end (text, 0, T);
}

static void
write_calls (GString *text,
             guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = func.call @f(%%v%u) : (" T ") -> " T "\n", i, i - 1);
  end (text, n - 1, T);
  g_string_append (text, "func.func private @f(%arg0: " T ") -> " T " {\n  %0 = stablehlo.sine %arg0 : " T "\n"
                   "  return %0 : " T "\n}\n");
}

static void
write_known_branches (GString *text,
                      guint    n)
{
  begin (text, T);
  g_string_append (text, "  %t = stablehlo.constant dense<true> : tensor<i1>\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%v%u = \"stablehlo.if\"(%%t) ({\n    %%x = stablehlo.sine %%v%u : " T "\n"
                            "    stablehlo.return %%x : " T "\n  }, {\n    stablehlo.return %%arg0 : " T "\n"
                            "  }) : (tensor<i1>) -> " T "\n", i, i - 1);
  end (text, n - 1, T);
}

static void
write_products (GString *text,
                guint    n)
{
  begin (text, "tensor<4x4xf32>");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%t%u = stablehlo.transpose %%v%u, dims = [1, 0] : (tensor<4x4xf32>) -> "
                            "tensor<4x4xf32>\n"
                            "  %%p%u = stablehlo.dot_general %%t%u, %%arg0, contracting_dims = [1] x [0] : "
                            "(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
                            "  %%v%u = stablehlo.tanh %%p%u : tensor<4x4xf32>\n", i, i - 1, i, i, i, i);
  end (text, n - 1, "tensor<4x4xf32>");
}

static void
write_tuples (GString *text,
              guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%t%u = stablehlo.tuple %%v%u, %%arg0 : tuple<" T ", " T ">\n"
                            "  %%v%u = stablehlo.get_tuple_element %%t%u[0] : (tuple<" T ", " T ">) -> " T "\n", i,
                            i - 1, i, i);
  end (text, n - 1, T);
}

static void
write_broadcasts (GString *text,
                  guint    n)
{
  begin (text, T);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%b%u = stablehlo.broadcast_in_dim %%arg2, dims = [] : (tensor<i32>) -> " TI "\n"
                            "  %%c%u = stablehlo.convert %%b%u : (" TI ") -> " T "\n"
                            "  %%v%u = stablehlo.multiply %%v%u, %%c%u : " T "\n", i, i, i, i, i - 1, i);
  end (text, n - 1, T);
}

static void
write_sums (GString *text,
            guint    n)
{
  begin (text, TI);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%c%u = stablehlo.constant dense<%u> : " TI "\n"
                            "  %%v%u = stablehlo.add %%v%u, %%c%u : " TI "\n", i, i + 1, i, i - 1, i);
  end (text, n - 1, TI);
}

const ScalingShape scaling_rewrites[] = {
  { "dead", write_dead, 1 },
  { "identities", write_identities, 1 },
  { "replaced values", write_replaced, 2 },
  { "equal", write_equal, 2 },
  { "mirrored sums", write_mirrored, 3 },
  { "similar regions", write_similar_regions, 7 },
  { "reshapes", write_reshapes, 2 },
  { "transposes", write_transposes, 3 },
  { "sinking", write_sinking, 1 },
  { "many sinking", write_many_sinking, 3 },
  { "slices", write_slices, 1 },
  { "concatenations", write_concatenations, 1 },
  { "straddling slices", write_straddling, 2 },
  { "conversions", write_conversions, 2 },
  { "folding", write_folding, 1 },
  { "updates", write_updates, 1 },
  { "selects", write_selects, 2 },
  { "counted loops", write_counted_loops, 9 },
  { "single loops", write_single_loops, 9 },
  { "nested loops", write_nested_loops, 1 },
  { "carried values", write_carried, 1 },
  { "dying results", write_dying_results, 2 },
  { "calls", write_calls, 1 },
  { "known branches", write_known_branches, 5 },
  { "products", write_products, 3 },
  { "tuples", write_tuples, 2 },
  { "broadcasts", write_broadcasts, 3 },
  { "sums", write_sums, 2 },
  { NULL, NULL, 0 },
};
