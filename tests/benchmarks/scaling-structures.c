/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that are large for readers, verifier and writers: in operations, operands,
 * functions, regions, attributes, types, locations, constants or names.
 */

#include "scaling-shapes.h"

#define T "tensor<4xf32>"

static void
begin_main (GString *text)
{
  g_string_append (text, "func.func @main(%arg0: " T ") -> " T " {\n");
}

static void
end_main (GString    *text,
          const char *result)
{
  g_string_append_printf (text, "  return %%%s : " T "\n}\n", result);
}

/* "PREFIX0, PREFIX1, …" */
static void
append_list (GString    *text,
             const char *prefix,
             guint       n,
             const char *suffix)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s%u%s", i > 0 ? ", " : "", prefix, i, suffix);
}

static void
append_repeated (GString    *text,
                 const char *word,
                 guint       n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", word);
}

static void
write_chain (GString *text,
             guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%%u : " T "\n", i, i - 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
}

/* Every value lives until the sum of all, which goes over them backwards. */
static void
write_alive (GString *text,
             guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.sine %%%u : " T "\n", i, i - 1);
  g_string_append_printf (text, "  %%s%u = stablehlo.abs %%%u : " T "\n", n - 1, n - 1);
  for (guint i = n - 1; i > 0; i--)
    g_string_append_printf (text, "  %%s%u = stablehlo.subtract %%s%u, %%%u : " T "\n", i - 1, i, i - 1);
  end_main (text, "s0");
}

static void
write_one_value (GString *text,
                 guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.multiply %%0, %%%u : " T "\n", i, i - 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
}

static void
write_long_names (GString *text,
                  guint    n)
{
  begin_main (text);
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
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.concatenate ");
  append_repeated (text, "%arg0", n);
  g_string_append (text, ", dim = 0 : (");
  append_repeated (text, T, n);
  g_string_append_printf (text, ") -> tensor<%uxf32>\n", 4 * n);
  g_string_append_printf (text, "  %%1 = stablehlo.slice %%0 [0:4] : (tensor<%uxf32>) -> " T "\n", 4 * n);
  end_main (text, "1");
}

/* Arguments, operands, results and what is returned. */
static void
write_results (GString *text,
               guint    n)
{
  g_string_append (text, "func.func @main(");
  append_list (text, "%arg", n, ": " T);
  g_string_append (text, ") -> (");
  append_repeated (text, T, n);
  g_string_append_printf (text, ") {\n  %%0:%u = stablehlo.optimization_barrier ", n);
  append_list (text, "%arg", n, "");
  g_string_append (text, " : ");
  append_repeated (text, T, n);
  g_string_append (text, "\n  return ");
  append_list (text, "%0#", n, "");
  g_string_append (text, " : ");
  append_repeated (text, T, n);
  g_string_append (text, "\n}\n");
}

/* Of half as many members as a type may have parts. */
static void
write_tuple (GString *text,
             guint    n)
{
  n = MIN (n, 65535);
  g_string_append (text, "!t = tuple<");
  append_repeated (text, T, n);
  g_string_append (text, ">\n");
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tuple ");
  append_repeated (text, "%arg0", n);
  g_string_append_printf (text, " : !t\n  %%1 = stablehlo.get_tuple_element %%0[%u] : (!t) -> " T "\n", n - 1);
  end_main (text, "1");
}

static void
write_loop_values (GString *text,
                   guint    n)
{
  begin_main (text);
  g_string_append_printf (text, "  %%c = stablehlo.constant dense<false> : tensor<i1>\n  %%0:%u = stablehlo.while(", n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%i%u = %%arg0", i > 0 ? ", " : "", i);
  g_string_append (text, ") : ");
  append_repeated (text, T, n);
  g_string_append (text, "\n  cond {\n"
                   "    %l = stablehlo.slice %i0 [0:1] : (" T ") -> tensor<1xf32>\n"
                   "    %s = stablehlo.reshape %l : (tensor<1xf32>) -> tensor<f32>\n"
                   "    %p = stablehlo.compare LT, %s, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                   "    stablehlo.return %p : tensor<i1>\n  } do {\n    stablehlo.return ");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%i%u", i > 0 ? ", " : "", (i + 1) % n);
  g_string_append (text, " : ");
  append_repeated (text, T, n);
  g_string_append (text, "\n  }\n");
  end_main (text, "0#0");
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
  end_main (text, "0");
}

static void
write_functions (GString *text,
                 guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = func.call @function%u(%%%u) : (" T ") -> " T "\n", i, i, i - 1);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "func.func private @function%u(%%arg0: " T ") -> " T " {\n"
                            "  %%0 = stablehlo.sine %%arg0 : " T "\n  return %%0 : " T "\n}\n", i);
}

/* Functions that call each other, @width of them beside each other, and the callee
 * before the caller. */
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
  begin_main (text);
  g_string_append_printf (text, "  %%0 = func.call @f%u(%%arg0) : (" T ") -> " T "\n", n - 1);
  end_main (text, "0");
}

static void
write_symbols (GString *text,
               guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.custom_call @target(%arg0) {called_computations = [");
  append_list (text, "@g", n, "");
  g_string_append (text, "]} : (" T ") -> " T "\n");
  end_main (text, "0");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "func.func private @g%u(%%arg0: " T ") -> " T " {\n  return %%arg0 : " T "\n}\n", i);
}

static void
write_modules (GString *text,
               guint    n)
{
  g_string_append (text, "module {\n");
  begin_main (text);
  end_main (text, "arg0");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "module @inner%u {\nfunc.func @main(%%arg0: " T ") -> " T " {\n"
                            "  return %%arg0 : " T "\n}\n}\n", i);
  g_string_append (text, "}\n");
}

/* Branches inside branches, as deep as they may be, which use a value of the outermost
 * function; several of these beside each other. */
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
  end_main (text, "r0");
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
write_attribute_aliases (GString *text,
                         guint    n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "#alias%u = %u : i64\n", i, i);
  begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%arg0 {a.b = #alias%u} : " T "\n", i, i);
  end_main (text, "0");
}

static void
write_type_aliases (GString *text,
                    guint    n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "!alias%u = tensor<%uxf32>\n", i, i + 1);
  begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.iota dim = 0 : !alias%u\n", i, i);
  end_main (text, "arg0");
}

/* As MLIR prints them: behind the module. */
static void
write_location_aliases (GString *text,
                        guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T " loc(#loc0)\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%%u : " T " loc(#loc%u)\n", i, i - 1, i);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "#loc%u = loc(\"model%u.py\":%u:%u)\n", i, i % 100, i, i % 80);
}

/* Call stacks, each a frame longer than the one before, up to a depth. */
static void
write_nested_locations (GString *text,
                        guint    n)
{
  const guint depth = 500;

  begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%arg0 : " T " loc(#loc%u)\n", i, i);
  end_main (text, "0");
  for (guint i = 0; i < n; i++)
    if (i % depth == 0)
      g_string_append_printf (text, "#loc%u = loc(\"model.py\":%u:1)\n", i, i);
    else
      g_string_append_printf (text, "#loc%u = loc(callsite(\"f%u\"(\"a.py\":%u:1) at #loc%u))\n", i, i, i, i - 1);
}

static void
write_fused_location (GString *text,
                      guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T " loc(fused[");
  append_list (text, "\"model.py\":", n, ":1");
  g_string_append (text, "])\n");
  end_main (text, "0");
}

static void
write_attributes (GString *text,
                  guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 {");
  append_list (text, "a.b", n, " = 1 : i32");
  g_string_append (text, "} : " T "\n");
  end_main (text, "0");
}

static void
write_dictionary (GString *text,
                  guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.custom_call @target(%arg0) {api_version = 4 : i32, backend_config = {");
  append_list (text, "key", n, " = \"value\"");
  g_string_append (text, "}} : (" T ") -> " T "\n");
  end_main (text, "0");
}

static void
write_array (GString *text,
             guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 {a.b = [");
  append_list (text, "\"element", n, "\"");
  g_string_append (text, "]} : " T "\n");
  end_main (text, "0");
}

static void
write_argument_attributes (GString *text,
                           guint    n)
{
  g_string_append (text, "func.func @main(");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%arg%u: " T " {a.b = %u : i32}", i > 0 ? ", " : "", i, i);
  g_string_append (text, ") -> " T " {\n");
  end_main (text, "arg0");
}

static void
write_types (GString *text,
             guint    n)
{
  begin_main (text);
  g_string_append (text, "  %cst = stablehlo.constant dense<1.0> : tensor<f32>\n"
                   "  %0 = stablehlo.slice %arg0 [0:1] : (" T ") -> tensor<1xf32>\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.pad %%%u, %%cst, low = [1], high = [0], interior = [0] : "
                            "(tensor<%uxf32>, tensor<f32>) -> tensor<%uxf32>\n", i, i - 1, i, i + 1);
  end_main (text, "arg0");
}

static void
write_constants (GString *text,
                 guint    n)
{
  begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.constant dense<[%u, 1, 2, 3]> : tensor<4xi32>\n", i, i);
  end_main (text, "arg0");
}

/* Of several hundred bytes, which differ in the middle alone. */
static void
write_large_constants (GString *text,
                       guint    n)
{
  begin_main (text);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "  %%%u = stablehlo.constant dense<\"0x", i);
      for (guint k = 0; k < 100; k++)
        g_string_append_printf (text, "%08X", k == 50 ? i : 0);
      g_string_append (text, "\"> : tensor<100xi32>\n");
    }
  end_main (text, "arg0");
}

static void
write_resources (GString *text,
                 guint    n)
{
  begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.constant dense_resource<key%u> : tensor<2xi32>\n", i, i);
  end_main (text, "arg0");
  g_string_append (text, "{-#\n  dialect_resources: {\n    builtin: {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s      key%u: \"0x04000000%08X00000000\"", i > 0 ? ",\n" : "", i, i);
  g_string_append (text, "\n    }\n  }\n#-}\n");
}

static void
write_generic (GString *text,
               guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = \"stablehlo.tanh\"(%arg0) : (" T ") -> " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = \"stablehlo.compare\"(%%arg0, %%arg0) <{comparison_direction = "
                            "#stablehlo<comparison_direction LT>}> {a.b = %u : i32} : (" T ", " T
                            ") -> tensor<4xi1>\n", i, i);
  end_main (text, "0");
}

static void
write_composites (GString *text,
                  guint    n)
{
  begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.composite \"a.b\" %%%u {composite_attributes = {n = %u : i32}, "
                            "decomposition = @f} : (" T ") -> " T "\n", i, i - 1, i);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n"
                          "func.func private @f(%%arg0: " T ") -> " T " {\n  return %%arg0 : " T "\n}\n", n - 1);
}

const ScalingShape scaling_structures[] = {
  { "chain", write_chain, 1 },
  { "values alive", write_alive, 2 },
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
  { "attribute aliases", write_attribute_aliases, 1 },
  { "type aliases", write_type_aliases, 1 },
  { "location aliases", write_location_aliases, 1 },
  { "nested locations", write_nested_locations, 1 },
  { "fused location", write_fused_location, 1 },
  { "attributes", write_attributes, 1 },
  { "dictionary", write_dictionary, 1 },
  { "array", write_array, 1 },
  { "argument attributes", write_argument_attributes, 1 },
  { "types", write_types, 1 },
  { "constants", write_constants, 1 },
  { "large constants", write_large_constants, 8 },
  { "resources", write_resources, 1 },
  { NULL, NULL, 0 },
};
