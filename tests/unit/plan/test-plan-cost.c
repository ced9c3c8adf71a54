/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The bytes that steps read and write, the operations that they compute, and the resulting cost at the rates of the
 * CPU.
 */

#include "../reference/kernel-programs.h"

#include "compiler/devices.h"
#include "cpu/device.h"
#include "cpu/steps.h"
#include "plan/cost.h"

typedef struct
{
  const char         *operation;
  const GhloStepPlan *plan;
  const GhloStep     *found;
} Search;

static void
search (GhloStep *step,
        gpointer  data)
{
  Search *self = data;

  if (self->found == NULL && strcmp (ghlo_step_get_operation (step), self->operation) == 0)
    self->found = step;
}

static GhloPrepared *
prepare_on_cpu (const char *text)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GhloPrepared *prepared = ghlo_devices_prepare (ghlo_devices_find ("cpu"), module, ghlo_ir_module_get_entry (module),
                                                 NULL, &error);

  g_assert_no_error (error);

  return prepared;
}

static GhloStepCost
cost_of (GhloPrepared *prepared,
         const char   *operation)
{
  Search self = { operation, ghlo_prepared_get_plan (prepared), NULL };
  GhloStepCost cost;

  ghlo_step_plan_foreach (self.plan, search, &self);
  if (self.found == NULL)
    {
      g_autofree char *text = ghlo_prepared_describe (prepared);

      g_error ("expected a step of %s in\n%s", operation, text);
    }
  ghlo_step_cost (self.plan, self.found, &cost);

  return cost;
}

static void
assert_cost (const char *text,
             const char *operation,
             double      operations,
             double      bytes)
{
  g_autoptr (GhloPrepared) prepared = prepare_on_cpu (text);
  GhloStepCost cost = cost_of (prepared, operation);

  g_assert_cmpfloat (cost.operations, ==, operations);
  g_assert_cmpfloat (cost.bytes, ==, bytes);
}

#define LARGE "tensor<1000x4xf32>"
#define PLACES "%i: tensor<i32>, %j: tensor<i32>"

#define UPDATE(operand, other) \
  "func.func @main(%x: " LARGE ", %u: tensor<2x4xf32>, " PLACES ") -> (" LARGE ", " LARGE ") {\n" \
  "  %0 = stablehlo.negate %x : " LARGE "\n" \
  "  %1 = stablehlo.dynamic_update_slice " operand ", %u, %i, %j : (" LARGE ", tensor<2x4xf32>, tensor<i32>, " \
  "tensor<i32>) -> " LARGE "\n" \
  "  %2 = stablehlo.abs " other " : " LARGE "\n" \
  "  return %1, %2 : " LARGE ", " LARGE "\n" \
  "}\n"

/* Only the part that is sliced or updated in place is moved; a broadcast operand is read once. */
static void
test_bytes (void)
{
  assert_cost ("func.func @main(%x: " LARGE ", " PLACES ") -> tensor<2x4xf32> {\n"
               "  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [2, 4] : (" LARGE ", tensor<i32>, tensor<i32>) -> "
               "tensor<2x4xf32>\n"
               "  return %0 : tensor<2x4xf32>\n"
               "}\n", "stablehlo.dynamic_slice", 0, 32 + 32 + 8);
  assert_cost ("func.func @main(%x: " LARGE ", %i: tensor<3x1xi32>) -> tensor<3x4xf32> {\n"
               "  %0 = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
               "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
               "array<i64: 1, 4>}> : (" LARGE ", tensor<3x1xi32>) -> tensor<3x4xf32>\n"
               "  return %0 : tensor<3x4xf32>\n"
               "}\n", "stablehlo.gather", 0, 48 + 48 + 12);
  /* A value without other readers is updated in place, and so is an input that the caller donates. */
  assert_cost (UPDATE ("%0", "%x"), "stablehlo.dynamic_update_slice", 0, 32 + 32 + 8);
  assert_cost (UPDATE ("%x", "%0"), "stablehlo.dynamic_update_slice", 0, 32 + 32 + 8);
  assert_cost (UPDATE ("%x", "%x"), "stablehlo.dynamic_update_slice", 0, 16000 + 32 + 8 + 16000);
  assert_cost ("func.func @main(%x: " LARGE ", %y: tensor<4xf32>) -> " LARGE " {\n"
               "  %0 = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<4xf32>) -> " LARGE "\n"
               "  %1 = stablehlo.add %x, %0 : " LARGE "\n"
               "  return %1 : " LARGE "\n"
               "}\n", "stablehlo.add", 4000, 16000 + 16 + 16000);
}

static const char control[] =
  "func.func @main(%x: " LARGE ", %p: tensor<i1>, %n: tensor<i32>) -> (" LARGE ", " LARGE ", " LARGE ") {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
  "  %end = stablehlo.constant dense<7> : tensor<i32>\n"
  "  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, " LARGE "\n"
  "    cond {\n"
  "      %c = stablehlo.compare LT, %i, %END : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
  "      stablehlo.return %c : tensor<i1>\n"
  "    } do {\n"
  "      %1 = stablehlo.multiply %a, %a : " LARGE "\n"
  "      %2 = stablehlo.add %i, %one : tensor<i32>\n"
  "      stablehlo.return %2, %1 : tensor<i32>, " LARGE "\n"
  "    }\n"
  "  %3:2 = \"stablehlo.if\"(%p) ({\n"
  "    %4 = stablehlo.negate %x : " LARGE "\n"
  "    stablehlo.return %4, %x : " LARGE ", " LARGE "\n"
  "  }, {\n"
  "    %4 = stablehlo.abs %x : " LARGE "\n"
  "    %5 = stablehlo.maximum %4, %x : " LARGE "\n"
  "    %6 = stablehlo.minimum %5, %x : " LARGE "\n"
  "    stablehlo.return %4, %6 : " LARGE ", " LARGE "\n"
  "  }) : (tensor<i1>) -> (" LARGE ", " LARGE ")\n"
  "  return %0#1, %3#0, %3#1 : " LARGE ", " LARGE ", " LARGE "\n"
  "}\n";

static void
test_control (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_auto (GStrv) parts = g_strsplit (control, "%END", -1);
      g_autofree char *text = g_strjoinv (i == 0 ? "%end" : "%n", parts);
      g_autoptr (GhloPrepared) prepared = prepare_on_cpu (text);
      GhloStepCost loop = cost_of (prepared, "stablehlo.while"), product = cost_of (prepared, "stablehlo.multiply");
      GhloStepCost branch = cost_of (prepared, "stablehlo.if"), abs = cost_of (prepared, "stablehlo.abs");
      GhloStepCost maximum = cost_of (prepared, "stablehlo.maximum"), all;

      g_assert_cmpfloat (branch.operations, ==, 3 * 4000);
      g_assert_cmpfloat_with_epsilon (branch.seconds, abs.seconds + 2 * maximum.seconds, branch.seconds * 1e-9);
      ghlo_step_plan_cost (ghlo_prepared_get_plan (prepared), &all);
      g_assert_cmpfloat (all.bytes, >=, loop.bytes + branch.bytes);
      if (i == 0)
        {
          /* The counter is not read. */
          g_assert_cmpfloat (loop.operations, ==, 7 * 4000);
          g_assert_cmpfloat (loop.seconds, >=, 7 * product.seconds);
          g_assert_cmpfloat (all.seconds, >=, loop.seconds + branch.seconds);
          continue;
        }
      /* The condition, and one iteration. */
      g_assert_cmpfloat (loop.operations, ==, 1 + 4001);
      g_assert_cmpfloat (loop.seconds, <, 0);
      g_assert_cmpfloat (all.seconds, <, 0);
    }
}

/* The larger of the times for memory and for computing. */
static void
test_roofline (void)
{
  const GhloDeviceRates *rates = ghlo_cpu_device ()->rates;
  g_autoptr (GhloPrepared) product = prepare_on_cpu (
    "func.func @main(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> "
    "tensor<512x512xf32>\n"
    "  return %0 : tensor<512x512xf32>\n"
    "}\n");
  g_autoptr (GhloPrepared) sum = prepare_on_cpu (
    "func.func @main(%x: " LARGE ") -> " LARGE " {\n"
    "  %0 = stablehlo.add %x, %x : " LARGE "\n"
    "  return %0 : " LARGE "\n"
    "}\n");

  g_assert_cmpfloat (rates->bytes, >, 0);
  g_assert_cmpfloat (cost_of (product, "stablehlo.dot_general").seconds, ==,
                     2.0 * 512 * 512 * 512 / rates->products[GHLO_PRODUCT_F32]);
  g_assert_cmpfloat (cost_of (sum, "stablehlo.add").seconds, ==, 3 * 16000 / rates->bytes);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/plan-cost/bytes", test_bytes);
  g_test_add_func ("/plan-cost/control", test_control);
  g_test_add_func ("/plan-cost/roofline", test_roofline);

  return g_test_run ();
}
