/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs that are large in attributes, types, locations, constants, or aliases of these.
 */

#include "scaling-shapes.h"

#define T SCALING_TYPE

static void
write_attribute_aliases (GString *text,
                         guint    n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "#alias%u = %u : i64\n", i, i);
  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%arg0 {a.b = #alias%u} : " T "\n", i, i);
  scaling_end_main (text, "0");
}

static void
write_type_aliases (GString *text,
                    guint    n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "!alias%u = tensor<%uxf32>\n", i, i + 1);
  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.iota dim = 0 : !alias%u\n", i, i);
  scaling_end_main (text, "arg0");
}

/* Location aliases after the module, as MLIR prints them. */
static void
write_location_aliases (GString *text,
                        guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T " loc(#loc0)\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%%u : " T " loc(#loc%u)\n", i, i - 1, i);
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "#loc%u = loc(\"model%u.py\":%u:%u)\n", i, i % 100, i, i % 80);
}

/* Call-stack locations, each a frame longer than the one before, up to a depth. */
static void
write_nested_locations (GString *text,
                        guint    n)
{
  const guint depth = 125;

  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.tanh %%arg0 : " T " loc(#loc%u)\n", i, i);
  scaling_end_main (text, "0");
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
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T " loc(fused[");
  scaling_append_list (text, "\"model.py\":", n, ":1");
  g_string_append (text, "])\n");
  scaling_end_main (text, "0");
}

static void
write_attributes (GString *text,
                  guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 {");
  scaling_append_list (text, "a.b", n, " = 1 : i32");
  g_string_append (text, "} : " T "\n");
  scaling_end_main (text, "0");
}

static void
write_dictionary (GString *text,
                  guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.custom_call @target(%arg0) {api_version = 4 : i32, backend_config = {");
  scaling_append_list (text, "key", n, " = \"value\"");
  g_string_append (text, "}} : (" T ") -> " T "\n");
  scaling_end_main (text, "0");
}

static void
write_array (GString *text,
             guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 {a.b = [");
  scaling_append_list (text, "\"element", n, "\"");
  g_string_append (text, "]} : " T "\n");
  scaling_end_main (text, "0");
}

static void
write_argument_attributes (GString *text,
                           guint    n)
{
  g_string_append (text, "func.func @main(");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%%arg%u: " T " {a.b = %u : i32}", i > 0 ? ", " : "", i, i);
  g_string_append (text, ") -> " T " {\n");
  scaling_end_main (text, "arg0");
}

static void
write_types (GString *text,
             guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %cst = stablehlo.constant dense<1.0> : tensor<f32>\n"
                   "  %0 = stablehlo.slice %arg0 [0:1] : (" T ") -> tensor<1xf32>\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.pad %%%u, %%cst, low = [1], high = [0], interior = [0] : "
                            "(tensor<%uxf32>, tensor<f32>) -> tensor<%uxf32>\n", i, i - 1, i, i + 1);
  scaling_end_main (text, "arg0");
}

static void
write_constants (GString *text,
                 guint    n)
{
  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.constant dense<[%u, 1, 2, 3]> : tensor<4xi32>\n", i, i);
  scaling_end_main (text, "arg0");
}

/* Constants of several hundred bytes that differ only in the middle. */
static void
write_large_constants (GString *text,
                       guint    n)
{
  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "  %%%u = stablehlo.constant dense<\"0x", i);
      for (guint k = 0; k < 100; k++)
        g_string_append_printf (text, "%08X", k == 50 ? i : 0);
      g_string_append (text, "\"> : tensor<100xi32>\n");
    }
  scaling_end_main (text, "arg0");
}

static void
write_resources (GString *text,
                 guint    n)
{
  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.constant dense_resource<key%u> : tensor<2xi32>\n", i, i);
  scaling_end_main (text, "arg0");
  g_string_append (text, "{-#\n  dialect_resources: {\n    builtin: {\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s      key%u: \"0x04000000%08X00000000\"", i > 0 ? ",\n" : "", i, i);
  g_string_append (text, "\n    }\n  }\n#-}\n");
}

static void
write_quantized (GString *text,
                 guint    n)
{
  scaling_begin_main (text);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%%u = stablehlo.uniform_quantize %%arg0 : (" T ") -> "
                            "tensor<4x!quant.uniform<i32<0:%u>:f32, 1.0:0>>\n", i, i + 1);
  scaling_end_main (text, "arg0");
}

static void
write_output_aliases (GString *text,
                      guint    n)
{
  scaling_begin_main (text);
  g_string_append_printf (text, "  %%0:%u = stablehlo.custom_call @target(", n);
  scaling_append_repeated (text, "%arg0", n);
  g_string_append (text, ") {output_operand_aliases = [");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s#stablehlo.output_operand_alias<output_tuple_indices = [%u], operand_index = %u, "
                            "operand_tuple_indices = []>", i > 0 ? ", " : "", i, i);
  g_string_append (text, "]} : (");
  scaling_append_repeated (text, T, n);
  g_string_append (text, ") -> (");
  scaling_append_repeated (text, T, n);
  g_string_append (text, ")\n");
  scaling_end_main (text, "0#0");
}

static void
write_elements (GString *text,
                guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.constant dense<[");
  scaling_append_list (text, "", n, ".5");
  g_string_append_printf (text, "]> : tensor<%uxf32>\n", n);
  scaling_end_main (text, "arg0");
}

static void
write_groups (GString *text,
              guint    n)
{
  scaling_begin_main (text);
  g_string_append (text, "  %0 = \"stablehlo.collective_permute\"(%arg0) {source_target_pairs = dense<[");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s[%u, %u]", i > 0 ? ", " : "", i, (i + 1) % n);
  g_string_append_printf (text, "]> : tensor<%ux2xi64>} : (" T ") -> " T "\n", n);
  scaling_end_main (text, "0");
}

static void
write_shardings (GString *text,
                 guint    n)
{
  g_string_append (text, "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2]>\n");
  scaling_begin_main (text);
  g_string_append (text, "  %0 = stablehlo.tanh %arg0 : " T "\n");
  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "  %%%u = sdy.sharding_constraint %%%u <@mesh, [{\"%s\"}]> : " T "\n", i, i - 1,
                            i % 2 == 0 ? "x" : "y");
  g_string_append_printf (text, "  return %%%u : " T "\n}\n", n - 1);
}

const ScalingShape scaling_attributes[] = {
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
  { "elements", write_elements, 1 },
  { "quantized types", write_quantized, 1 },
  { "output aliases", write_output_aliases, 2 },
  { "groups", write_groups, 1 },
  { "shardings", write_shardings, 1 },
  { NULL, NULL, 0 },
};
