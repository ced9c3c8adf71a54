/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Trip counts of loops, and lower bounds of programs' costs.
 */

#include <string.h>

#include "import/import.h"
#include "ir/cost.h"
#include "ir/loop.h"
#include "ir/verify/verify.h"

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  GhloIrModule *module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    g_error ("%s", ghlo_diagnostics_format (diagnostics, g_ptr_array_index (diagnostics->findings, 0)));

  return module;
}

/* A loop that counts from @start (NULL for the program's input) by @step while the counter is @direction @end. */
static char *
make_loop (const char *type,
           const char *start,
           const char *direction,
           const char *end,
           const char *step)
{
  return g_strdup_printf ("func.func @main(%%x: tensor<%s>) -> tensor<%s> {\n"
                          "  %%start = stablehlo.constant dense<%s> : tensor<%s>\n"
                          "  %%0 = stablehlo.while(%%i = %s) : tensor<%s>\n"
                          "    cond {\n"
                          "      %%end = stablehlo.constant dense<%s> : tensor<%s>\n"
                          "      %%1 = stablehlo.compare %s, %%i, %%end : (tensor<%s>, tensor<%s>) -> tensor<i1>\n"
                          "      stablehlo.return %%1 : tensor<i1>\n"
                          "    } do {\n"
                          "      %%step = stablehlo.constant dense<%s> : tensor<%s>\n"
                          "      %%1 = stablehlo.add %%i, %%step : tensor<%s>\n"
                          "      stablehlo.return %%1 : tensor<%s>\n"
                          "    }\n"
                          "  return %%0 : tensor<%s>\n"
                          "}\n", type, type, start != NULL ? start : "0", type, start != NULL ? "%start" : "%x", type,
                          end, type, direction, type, type, step, type, type, type, type);
}

static void
test_loops (void)
{
  static const struct
  {
    const char *type, *start, *direction, *end, *step;
    gint64      trips;     /* -1: the start is unknown; -2: not a counting loop */
  } cases[] = {
    { "i32", "0", "LT", "10", "1", 10 },
    { "i32", "0", "LE", "10", "1", 11 },
    { "i64", "-3", "LT", "10", "4", 4 },
    { "i32", "10", "LT", "10", "1", 0 },
    { "i32", "11", "LT", "10", "1", 0 },
    { "ui8", "0", "LT", "250", "5", 50 },
    { "i32", NULL, "LT", "10", "1", -1 },
    { "i32", "0", "NE", "10", "1", -2 },
    { "i32", "0", "GT", "10", "1", -2 },
    { "i32", "0", "LT", "10", "0", -2 },
    { "i32", "0", "LT", "10", "-1", -2 },
    /* A step past the end wraps around, and the loop continues. */
    { "ui8", "0", "LT", "254", "5", -2 },
    { "i8", "0", "LE", "127", "1", -2 },
    { "f32", "0.0", "LT", "10.0", "1.0", -2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = make_loop (cases[i].type, cases[i].start, cases[i].direction, cases[i].end,
                                         cases[i].step);
      g_autoptr (GhloIrModule) module = parse (text);
      const GhloIrOp *loop = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->last->previous;
      GhloIrCountedLoop counted;

      g_test_message ("case %u", i);
      g_assert_cmpint (ghlo_ir_counted_loop (loop, &counted), ==, cases[i].trips != -2);
      if (cases[i].trips == -2)
        continue;
      g_assert_cmpint (counted.trips, ==, cases[i].trips);
      g_assert_cmpint (counted.start_known, ==, cases[i].trips >= 0);
    }
}

static void
check_cost (const char *text,
            double      products,
            double      scalars,
            double      bytes,
            gboolean    exact)
{
  g_autoptr (GhloIrModule) module = parse (text);
  GhloIrCost cost;

  ghlo_ir_cost (ghlo_ir_module_get_entry (module), &cost);
  g_assert_cmpfloat (cost.product_operations, ==, products);
  g_assert_cmpfloat (cost.scalar_operations, ==, scalars);
  g_assert_cmpfloat (cost.bytes, ==, bytes);
  g_assert_cmpint (cost.exact, ==, exact);
}

/* A sum over windows. */
#define POOL(from, to, window, strides, padding, rank) \
  "func.func @main(%x: tensor<" from "xf32>) -> tensor<" to "xf32> {\n" \
  "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" \
  "  %0 = \"stablehlo.reduce_window\"(%x, %zero) <{window_dimensions = array<i64: " window ">, " \
  "window_strides = array<i64: " strides ">, padding = dense<[" padding "]> : tensor<" rank "x2xi64>}> ({\n" \
  "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" \
  "    %1 = stablehlo.add %a, %b : tensor<f32>\n" \
  "    stablehlo.return %1 : tensor<f32>\n" \
  "  }) : (tensor<" from "xf32>, tensor<f32>) -> tensor<" to "xf32>\n" \
  "  return %0 : tensor<" to "xf32>\n" \
  "}\n"

static void
test_costs (void)
{
  check_cost ("func.func @main(%x: tensor<4x8xf32>, %y: tensor<8x2xf32>) -> tensor<4x2xf32> {\n"
              "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
              "(tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>\n"
              "  %1 = stablehlo.tanh %0 : tensor<4x2xf32>\n"
              "  return %1 : tensor<4x2xf32>\n"
              "}\n", 2 * 4 * 8 * 2, 8, 4 * (32 + 16 + 8), TRUE);
  check_cost ("func.func @main(%x: tensor<1x6x6x3xf32>, %k: tensor<3x3x3x5xf32>) -> tensor<1x4x4x5xf32> {\n"
              "  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
              "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
              "(tensor<1x6x6x3xf32>, tensor<3x3x3x5xf32>) -> tensor<1x4x4x5xf32>\n"
              "  return %0 : tensor<1x4x4x5xf32>\n"
              "}\n", 2 * 80 * 27, 0, 4 * (108 + 135 + 80), TRUE);
  /* Only the slice of an input is read; an unknown dimension counts as one. */
  check_cost ("func.func @main(%x: tensor<1000xf32>) -> tensor<10xf32> {\n"
              "  %0 = stablehlo.slice %x [5:15] : (tensor<1000xf32>) -> tensor<10xf32>\n"
              "  return %0 : tensor<10xf32>\n"
              "}\n", 0, 0, 80, TRUE);
  check_cost ("func.func @main(%x: tensor<?x3xf64>) -> tensor<?x3xf64> {\n"
              "  %0 = stablehlo.abs %x : tensor<?x3xf64>\n"
              "  return %0 : tensor<?x3xf64>\n"
              "}\n", 0, 3, 48, FALSE);
  /* Windows of 3×3 add nine elements or share five sums; the sums before each element are log2 of their number each. */
  check_cost (POOL ("9x9", "4x4", "3, 3", "2, 2", "[0, 0], [0, 0]", "2"), 0, 16 * 5, 4 * (81 + 16) + 4, TRUE);
  check_cost (POOL ("1024", "1024", "1024", "1", "[1023, 0]", "1"), 0, 1024 * 11, 4 * 2048 + 4, TRUE);
  check_cost ("func.func @main(%x: tensor<4x100xf32>) -> (tensor<4x3xf32>, tensor<4x3xi32>) {\n"
              "  %0:2 = chlo.top_k(%x, k = 3) : tensor<4x100xf32> -> (tensor<4x3xf32>, tensor<4x3xi32>)\n"
              "  return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xi32>\n"
              "}\n", 0, 400, 1600 + 48 + 48, TRUE);
  check_cost ("func.func @main(%s: tensor<2xui64>) -> tensor<100xui32> {\n"
              "  %0:2 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> "
              "(tensor<2xui64>, tensor<100xui32>)\n"
              "  return %0#1 : tensor<100xui32>\n"
              "}\n", 0, 5700, 16 + 400, TRUE);
  /* Calls count at each call site; of branches the most expensive one counts. */
  check_cost ("func.func @main(%p: tensor<i1>, %x: tensor<8xi32>) -> tensor<8xi32> {\n"
              "  %0 = \"stablehlo.if\"(%p) ({\n"
              "    %1 = func.call @twice(%x) : (tensor<8xi32>) -> tensor<8xi32>\n"
              "    stablehlo.return %1 : tensor<8xi32>\n"
              "  }, {\n"
              "    stablehlo.return %x : tensor<8xi32>\n"
              "  }) : (tensor<i1>) -> tensor<8xi32>\n"
              "  return %0 : tensor<8xi32>\n"
              "}\n"
              "func.func private @twice(%x: tensor<8xi32>) -> tensor<8xi32> {\n"
              "  %0 = stablehlo.add %x, %x : tensor<8xi32>\n"
              "  return %0 : tensor<8xi32>\n"
              "}\n", 0, 8, 1 + 32 + 32, TRUE);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cost/loops", test_loops);
  g_test_add_func ("/cost/programs", test_costs);

  return g_test_run ();
}
