/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans: which operations are views and which are steps, where values are written, how loops carry them, how large
 * plans become, and that runs give the reference executor's results.
 */

#include "../reference/kernel-programs.h"
#include "../sanitized.h"
#include "../soon.h"
#include "plan-programs.h"

#include <pthread.h>
#include <time.h>

#include "compiler/devices.h"
#include "cpu/device.h"
#include "cpu/steps.h"
#include "execute/run-plan.h"

static GhloStepPlan *
plan_module (const GhloIrModule  *module,
             GhloDeviceCore      *target,
             const GhloMonitor   *monitor,
             GError             **error)
{
  return ghlo_step_plan_new (module, ghlo_ir_module_get_entry (module), &target, 1, FALSE, G_MAXSIZE, monitor, error);
}

static GhloStepPlan *
plan_new (const char *text)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  GhloStepPlan *plan = plan_module (module, ghlo_cpu_device (), NULL, &error);

  g_assert_no_error (error);

  return plan;
}

static guint
count_words (const char *text,
             const char *word)
{
  guint n = 0;

  while ((text = strstr (text, word)) != NULL)
    {
      n++;
      text += strlen (word);
    }

  return n;
}

/* The plan of @text has @n lines with each word; the list ends with NULL. */
typedef struct
{
  const char *word;
  guint       n;
} Expected;

static void
assert_plan (const char     *text,
             const Expected *expected)
{
  g_autoptr (GhloStepPlan) plan = plan_new (text);
  g_autofree char *printed = ghlo_step_plan_print (plan);

  for (; expected->word != NULL; expected++)
    if (count_words (printed, expected->word) != expected->n)
      g_error ("expected \"%s\" %u times in\n%s", expected->word, expected->n, printed);
}

/* @text gives the same results on the CPU as on the reference executor, several times over. */
static void
assert_runs (const char  *text,
             GhloValue  **inputs,
             guint        n_inputs,
             guint        n_outputs)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_auto (Program) program = { NULL };
  GhloValue *expected[8] = { NULL }, *found[8] = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloPrepared) prepared = NULL;

  prepare (&program, text);
  run_program (&program, inputs, n_inputs, expected, NULL, &error);
  g_assert_no_error (error);
  prepared = ghlo_devices_prepare (device, program.module, ghlo_ir_module_get_entry (program.module), NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      ghlo_prepared_run (prepared, NULL, inputs, n_inputs, found, NULL, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < n_outputs; k++)
        {
          g_assert_cmpmem (found[k]->data, found[k]->n_bytes, expected[k]->data, expected[k]->n_bytes);
          ghlo_value_unref (found[k]);
        }
    }
  for (guint k = 0; k < n_outputs; k++)
    ghlo_value_unref (expected[k]);
}

#define ASSERT_PLAN(text, ...) assert_plan (text, (const Expected[]) { __VA_ARGS__, { NULL, 0 } })

static void
test_views (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<6x8xf32>", -2, 2), b = new_random ("tensor<4x10xf32>", -2, 2);

  ASSERT_PLAN (views, { "plan: 1 step, 0 of them", 1 }, { "0 product", 1 }, { "-> out0 ", 1 }, { "copy", 0 });
  assert_runs (views, (GhloValue *[]) { a, b }, 2, 1);
}

/* A reshape that strides cannot express is a single copy, however often it is used. */
static void
test_copies (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<3x8xf32>, tensor<4x6xf32>) {\n"
    "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>\n"
    "  %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>\n"
    "  %2 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<3x8xf32>\n"
    "  %3 = stablehlo.negate %2 : tensor<3x8xf32>\n"
    "  return %1, %3, %a : tensor<24xf32>, tensor<3x8xf32>, tensor<4x6xf32>\n"
    "}\n";
  g_autoptr (GhloValue) a = new_random ("tensor<4x6xf32>", -2, 2);

  ASSERT_PLAN (text, { "copy", 1 }, { "-> out0 ", 1 }, { "-> out1 ", 1 }, { "out2 is in0", 1 });
  assert_runs (text, (GhloValue *[]) { a }, 1, 3);
}

/* Counter and sum are updated in place; nothing changes places. */
static const char counting[] =
  "func.func @main(%n: tensor<i64>, %x: tensor<100xf32>) -> (tensor<i64>, tensor<100xf32>) {\n"
  "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
  "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
  "  %0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i64>, tensor<100xf32>\n"
  "  cond {\n"
  "    %c = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
  "    stablehlo.return %c : tensor<i1>\n"
  "  } do {\n"
  "    %j = stablehlo.add %i, %one : tensor<i64>\n"
  "    %t = stablehlo.add %s, %x : tensor<100xf32>\n"
  "    stablehlo.return %j, %t : tensor<i64>, tensor<100xf32>\n"
  "  }\n"
  "  return %0#0, %0#1 : tensor<i64>, tensor<100xf32>\n"
  "}\n";

static void
test_loop_in_place (void)
{
  g_autoptr (GhloValue) n = new_i64 (7), none = new_i64 (-1), x = new_random ("tensor<100xf32>", -2, 2);

  ASSERT_PLAN (counting, { "<->", 0 }, { "reference", 0 }, { "out0 tensor<i64>, c", 1 }, { "copy", 2 });
  assert_runs (counting, (GhloValue *[]) { n, x }, 2, 2);
  assert_runs (counting, (GhloValue *[]) { none, x }, 2, 2);
}

static void
test_loop_swaps (void)
{
  g_autoptr (GhloValue) a = new_random ("tensor<4x4xf32>", -1, 1), b = new_random ("tensor<i32>", 3, 9);

  ASSERT_PLAN (crossing, { "loop 5 times", 1 }, { "reference", 0 });
  assert_runs (crossing, (GhloValue *[]) { a, b }, 2, 3);
}

/* If a loop's trip count is known, its counter is not computed unless the body or the code after the loop reads it. */
static void
test_loop_counter (void)
{
  static const struct
  {
    const char *read, *kept, *result;
    guint       n_adds;
  } cases[] = { { "%n", "%l", "%0#1", 0 }, { "%i", "%l", "%0#1", 1 }, { "%n", "%j", "%0#1", 1 },
                { "%n", "%l", "%0#0", 1 } };
  g_autoptr (GhloValue) a = new_random ("tensor<i32>", 0, 100);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%a: tensor<i32>) -> (tensor<i32>, tensor<i32>) {\n"
        "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %%end = stablehlo.constant dense<5> : tensor<i32>\n"
        "  %%0:3 = stablehlo.while(%%i = %%zero, %%n = %%a, %%k = %%a) : tensor<i32>, tensor<i32>, tensor<i32>\n"
        "  cond {\n"
        "    %%c = stablehlo.compare LT, %%i, %%end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %%c : tensor<i1>\n"
        "  } do {\n"
        "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
        "    %%l = stablehlo.abs %s : tensor<i32>\n"
        "    %%m = stablehlo.negate %%n : tensor<i32>\n"
        "    stablehlo.return %%j, %%m, %s : tensor<i32>, tensor<i32>, tensor<i32>\n"
        "  }\n"
        "  return %s, %%0#2 : tensor<i32>, tensor<i32>\n"
        "}\n", cases[i].read, cases[i].kept, cases[i].result);

      ASSERT_PLAN (text, { "loop 5 times", 1 }, { "stablehlo.add", cases[i].n_adds }, { "reference", 0 });
      assert_runs (text, (GhloValue *[]) { a }, 1, 2);
    }
}

/* A loop with a branch of two bodies, whose result is %w, and then more code, which carries @next. */
static char *
print_branch (const char *then,
              const char *other,
              const char *more,
              const char *next)
{
  return g_strdup_printf (
    "func.func @main(%%x: tensor<100xf32>) -> tensor<100xf32> {\n"
    "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %%end = stablehlo.constant dense<7> : tensor<i32>\n"
    "  %%0:2 = stablehlo.while(%%i = %%zero, %%v = %%x) : tensor<i32>, tensor<100xf32>\n"
    "  cond {\n"
    "    %%c = stablehlo.compare LT, %%i, %%end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %%c : tensor<i1>\n"
    "  } do {\n"
    "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
    "    %%odd = stablehlo.and %%i, %%one : tensor<i32>\n"
    "    %%p = stablehlo.compare EQ, %%odd, %%zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    %%w = \"stablehlo.if\"(%%p) ({\n%s    }, {\n%s    }) : (tensor<i1>) -> tensor<100xf32>\n"
    "%s    stablehlo.return %%j, %s : tensor<i32>, tensor<100xf32>\n"
    "  }\n"
    "  return %%0#1 : tensor<100xf32>\n"
    "}\n", then, other, more, next);
}

#define UPDATE(value) \
  "      %s = stablehlo.slice " value " [7:8] : (tensor<100xf32>) -> tensor<1xf32>\n" \
  "      %t = stablehlo.negate %s : tensor<1xf32>\n" \
  "      %d = stablehlo.dynamic_update_slice " value ", %t, %i : (tensor<100xf32>, tensor<1xf32>, tensor<i32>)" \
  " -> tensor<100xf32>\n"
#define PASS(value) "      stablehlo.return " value " : tensor<100xf32>\n"

/* Where each body of a branch updates a value, passes it on or replaces it, and this is the value's last use, nothing
 * is copied but inputs, and the loop swaps its counter only. Otherwise, it has two buffers for the value. */
static void
test_branch_in_place (void)
{
  static const struct
  {
    const char *then, *other, *more, *next;
    guint       n_copies, n_swaps;
  } rows[] = {
    { UPDATE ("%v") PASS ("%d"), PASS ("%v"), "", "%w", 2, 1 },
    { PASS ("%v"), UPDATE ("%v") PASS ("%d"), "", "%w", 2, 1 },
    { UPDATE ("%v") PASS ("%d"), UPDATE ("%v") PASS ("%d"), "", "%w", 2, 1 },
    { UPDATE ("%v") PASS ("%d"), PASS ("%x"), "", "%w", 3, 1 },
    { UPDATE ("%v") PASS ("%d"), PASS ("%v"), "    %y = stablehlo.add %w, %v : tensor<100xf32>\n", "%y", 4, 2 },
    { UPDATE ("%v") "      %e = stablehlo.add %d, %v : tensor<100xf32>\n" PASS ("%e"), PASS ("%v"), "", "%w", 2, 1 },
  };
  g_autoptr (GhloValue) x = new_random ("tensor<100xf32>", -2, 2);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = print_branch (rows[i].then, rows[i].other, rows[i].more, rows[i].next);

      ASSERT_PLAN (text, { "copy", rows[i].n_copies }, { " <-> ", rows[i].n_swaps });
      assert_runs (text, (GhloValue *[]) { x }, 1, 1);
    }
}

/* A value of the function ends in a branch, which passes several on; the index, which the branch reads, is kept. */
static void
test_branch_values (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<100xf32>, %p: tensor<i1>) -> (tensor<100xf32>, tensor<100xf32>, tensor<i1>) {\n"
    "  %v = stablehlo.negate %a : tensor<100xf32>\n"
    "  %u = stablehlo.abs %a : tensor<100xf32>\n"
    "  %q = stablehlo.not %p : tensor<i1>\n"
    "  %0:3 = \"stablehlo.if\"(%q) ({\n"
    "    %1 = stablehlo.add %v, %a : tensor<100xf32>\n"
    "    stablehlo.return %u, %1, %q : tensor<100xf32>, tensor<100xf32>, tensor<i1>\n"
    "  }, {\n"
    "    %2 = stablehlo.not %q : tensor<i1>\n"
    "    %3 = stablehlo.add %v, %v : tensor<100xf32>\n"
    "    stablehlo.return %u, %3, %2 : tensor<100xf32>, tensor<100xf32>, tensor<i1>\n"
    "  }) : (tensor<i1>) -> (tensor<100xf32>, tensor<100xf32>, tensor<i1>)\n"
    "  return %0#0, %0#1, %0#2 : tensor<100xf32>, tensor<100xf32>, tensor<i1>\n"
    "}\n";
  static const char crossed[] =
    "func.func @main(%a: tensor<100xf32>, %p: tensor<i1>) -> (tensor<100xf32>, tensor<100xf32>) {\n"
    "  %v = stablehlo.negate %a : tensor<100xf32>\n"
    "  %u = stablehlo.abs %a : tensor<100xf32>\n"
    "  %0:2 = \"stablehlo.if\"(%p) ({\n"
    "    stablehlo.return %u, %v : tensor<100xf32>, tensor<100xf32>\n"
    "  }, {\n"
    "    stablehlo.return %v, %u : tensor<100xf32>, tensor<100xf32>\n"
    "  }) : (tensor<i1>) -> (tensor<100xf32>, tensor<100xf32>)\n"
    "  return %0#0, %0#1 : tensor<100xf32>, tensor<100xf32>\n"
    "}\n";
  g_autoptr (GhloValue) x = new_random ("tensor<100xf32>", -2, 2);

  ASSERT_PLAN (text, { "copy", 1 });
  ASSERT_PLAN (crossed, { "copy", 3 });
  for (guint yes = 0; yes < 2; yes++)
    {
      g_autoptr (GhloValue) p = new_random ("tensor<i1>", yes, yes + 0.5);

      assert_runs (text, (GhloValue *[]) { x, p }, 2, 3);
      assert_runs (crossed, (GhloValue *[]) { x, p }, 2, 2);
    }
}

/* Loops that write a few elements of an array that they carry: the array is copied once, before the loop. */
static void
test_updates_in_place (void)
{
  static const char *const bodies[] = {
    /* Two updates. */
    "    %d = stablehlo.dynamic_update_slice %v, %u, %i : (tensor<100xf32>, tensor<1xf32>, tensor<i32>)"
    " -> tensor<100xf32>\n"
    "    %w = stablehlo.dynamic_update_slice %d, %u, %zero : (tensor<100xf32>, tensor<1xf32>, tensor<i32>)"
    " -> tensor<100xf32>\n",
    /* An inner loop. */
    "    %q:2 = stablehlo.while(%k = %zero, %a = %v) : tensor<i32>, tensor<100xf32>\n"
    "    cond {\n"
    "      %p = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %p : tensor<i1>\n"
    "    } do {\n"
    "      %k1 = stablehlo.add %k, %one : tensor<i32>\n"
    "      %n = stablehlo.add %i, %k : tensor<i32>\n"
    "      %d = stablehlo.dynamic_update_slice %a, %u, %n : (tensor<100xf32>, tensor<1xf32>, tensor<i32>)"
    " -> tensor<100xf32>\n"
    "      stablehlo.return %k1, %d : tensor<i32>, tensor<100xf32>\n"
    "    }\n"
    "    %w = stablehlo.add %q#1, %q#1 : tensor<100xf32>\n",
    /* An update in a branch in an inner loop, and one behind it. */
    "    %q:2 = stablehlo.while(%k = %zero, %a = %v) : tensor<i32>, tensor<100xf32>\n"
    "    cond {\n"
    "      %p = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %p : tensor<i1>\n"
    "    } do {\n"
    "      %k1 = stablehlo.add %k, %one : tensor<i32>\n"
    "      %e = stablehlo.compare EQ, %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      %b = \"stablehlo.if\"(%e) ({\n"
    "        %d = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<100xf32>, tensor<1xf32>, tensor<i32>)"
    " -> tensor<100xf32>\n"
    "        stablehlo.return %d : tensor<100xf32>\n"
    "      }, {\n"
    "        stablehlo.return %a : tensor<100xf32>\n"
    "      }) : (tensor<i1>) -> tensor<100xf32>\n"
    "      stablehlo.return %k1, %b : tensor<i32>, tensor<100xf32>\n"
    "    }\n"
    "    %w = stablehlo.dynamic_update_slice %q#1, %u, %one : (tensor<100xf32>, tensor<1xf32>, tensor<i32>)"
    " -> tensor<100xf32>\n",
  };
  static const guint n_copies[] = { 2, 3, 3 };      /* with those of the counters' initial values */
  g_autoptr (GhloValue) x = new_random ("tensor<100xf32>", -2, 2);

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "func.func @main(%%x: tensor<100xf32>) -> tensor<100xf32> {\n"
        "  %%zero = stablehlo.constant dense<0> : tensor<i32>\n"
        "  %%one = stablehlo.constant dense<1> : tensor<i32>\n"
        "  %%two = stablehlo.constant dense<2> : tensor<i32>\n"
        "  %%seven = stablehlo.constant dense<7> : tensor<i32>\n"
        "  %%u = stablehlo.constant dense<3.0> : tensor<1xf32>\n"
        "  %%0:2 = stablehlo.while(%%i = %%zero, %%v = %%x) : tensor<i32>, tensor<100xf32>\n"
        "  cond {\n"
        "    %%p = stablehlo.compare LT, %%i, %%seven : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "    stablehlo.return %%p : tensor<i1>\n"
        "  } do {\n"
        "    %%j = stablehlo.add %%i, %%one : tensor<i32>\n"
        "%s"
        "    stablehlo.return %%j, %%w : tensor<i32>, tensor<100xf32>\n"
        "  }\n"
        "  return %%0#1 : tensor<100xf32>\n"
        "}\n", bodies[i]);

      ASSERT_PLAN (text, { "copy", n_copies[i] });
      assert_runs (text, (GhloValue *[]) { x }, 1, 1);
    }
}

/* Nothing may take the memory of a value that is still needed: not a result that nothing reads, in a branch, nor a
 * value computed from an output. */
static void
test_needed_later (void)
{
  static const char in_branch[] =
    "func.func @main(%a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n"
    "  %1 = \"stablehlo.if\"(%p) ({\n"
    "    %3 = stablehlo.negate %0 : tensor<8xf32>\n"
    "    stablehlo.return %a : tensor<8xf32>\n"
    "  }, {\n"
    "    stablehlo.return %a : tensor<8xf32>\n"
    "  }) : (tensor<i1>) -> tensor<8xf32>\n"
    "  %2 = stablehlo.multiply %0, %a : tensor<8xf32>\n"
    "  return %1, %2 : tensor<8xf32>, tensor<8xf32>\n"
    "}\n";
  static const char of_output[] =
    "func.func @main(%a: tensor<8xf32>, %p: tensor<i1>) -> (tensor<8xf32>, tensor<1xf32>) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n"
    "  %1 = stablehlo.negate %0 : tensor<8xf32>\n"
    "  %2 = stablehlo.slice %1 [1:2] : (tensor<8xf32>) -> tensor<1xf32>\n"
    "  return %0, %2 : tensor<8xf32>, tensor<1xf32>\n"
    "}\n";
  g_autoptr (GhloValue) x = new_random ("tensor<8xf32>", -2, 2);

  for (guint yes = 0; yes < 2; yes++)
    {
      g_autoptr (GhloValue) p = new_random ("tensor<i1>", yes, yes + 0.5);

      assert_runs (in_branch, (GhloValue *[]) { x, p }, 2, 2);
      assert_runs (of_output, (GhloValue *[]) { x, p }, 2, 2);
    }
}

static void
test_nested (void)
{
  g_autoptr (GhloValue) x = new_random ("tensor<8xf32>", -1, 1), yes = new_random ("tensor<i1>", 1, 1.5);
  g_autoptr (GhloValue) no = new_random ("tensor<i1>", 0, 0.5);

  ASSERT_PLAN (nested, { "loop", 2 }, { "branch 1", 1 }, { "reference", 0 });
  assert_runs (nested, (GhloValue *[]) { x, yes }, 2, 2);
  assert_runs (nested, (GhloValue *[]) { x, no }, 2, 2);
}

static const char calls[] =
  "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
  "  %0 = call @twice(%x) : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  %1 = call @twice(%0) : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  %2 = \"stablehlo.collective_permute\"(%1) "
  "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>\n"
  "  return %2 : tensor<8xf32>\n"
  "}\n"
  "func.func private @twice(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
  "  %0 = stablehlo.add %x, %x : tensor<8xf32>\n"
  "  return %0 : tensor<8xf32>\n"
  "}\n";

static void
test_calls (void)
{
  g_autoptr (GhloValue) x = new_random ("tensor<8xf32>", -1, 1);

  ASSERT_PLAN (calls, { "3 steps, 1 of them on the fallback executor", 1 },
               { "reference stablehlo.collective_permute, it is not implemented", 1 });
  assert_runs (calls, (GhloValue *[]) { x }, 1, 1);
}

/* Programs that cannot be planned still run: one with a dynamic shape, and one with a dynamic shape inside of a loop
 * whose arguments have static shapes. */
static void
test_no_plan (void)
{
  static const struct
  {
    const char *text, *type, *reason;
  } rows[] = {
    { "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  %0 = stablehlo.add %x, %x : tensor<?xf32>\n"
      "  return %0 : tensor<?xf32>\n"
      "}\n", "tensor<8xf32>", "func.func cannot be planned" },
    { "func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {\n"
      "  %zero = stablehlo.constant dense<0> : tensor<i64>\n"
      "  %one = stablehlo.constant dense<1> : tensor<i64>\n"
      "  %three = stablehlo.constant dense<3> : tensor<i64>\n"
      "  %first = stablehlo.constant dense<0.5> : tensor<3xf32>\n"
      "  %0:2 = \"stablehlo.while\"(%zero, %x) ({\n"
      "  ^bb0(%i: tensor<i64>, %y: tensor<3x2xf32>):\n"
      "    %1 = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
      "    stablehlo.return %1 : tensor<i1>\n"
      "  }, {\n"
      "  ^bb0(%i: tensor<i64>, %y: tensor<3x?xf32>):\n"
      "    %1 = stablehlo.add %i, %one : tensor<i64>\n"
      "    %2:2 = \"chlo.scan\"(%y, %first) <{dimension = 1 : i64, is_reverse = false,\n"
      "      operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({\n"
      "    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):\n"
      "      %3 = stablehlo.maximum %a, %b : tensor<3xf32>\n"
      "      stablehlo.return %3, %3 : tensor<3xf32>, tensor<3xf32>\n"
      "    }) : (tensor<3x?xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<3xf32>)\n"
      "    stablehlo.return %1, %2#0 : tensor<i64>, tensor<3x2xf32>\n"
      "  }) : (tensor<i64>, tensor<3x2xf32>) -> (tensor<i64>, tensor<3x2xf32>)\n"
      "  return %0#1 : tensor<3x2xf32>\n"
      "}\n", "tensor<3x2xf32>", "chlo.scan cannot be planned: an operand has a dynamic shape" },
  };
  GhloDeviceCore *device = ghlo_devices_find ("cpu");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GhloValue) x = new_random (rows[i].type, -1, 1);
      g_autoptr (GhloIrModule) module = parse (rows[i].text);
      g_autofree char *about = NULL, *wanted = g_strconcat ("the reference executor runs the whole program: ",
                                                            rows[i].reason, NULL);
      g_autoptr (GhloPrepared) prepared = NULL;

      assert_runs (rows[i].text, (GhloValue *[]) { x }, 1, 1);
      prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, NULL);
      about = ghlo_prepared_describe (prepared);
      g_assert_nonnull (strstr (about, wanted));
    }
}

/* An operation without operands and results is offered to the device like others. */
static void
test_no_values (void)
{
  g_autoptr (GhloIrModule) module =
    parse ("func.func @main() {\n"
           "  \"stablehlo.custom_call\"() {call_target_name = \"unknown\", has_side_effect = true} : () -> ()\n"
           "  return\n}\n");
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_devices_prepare (ghlo_devices_find ("cpu"), module, ghlo_ir_module_get_entry (module), NULL,
                                       &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
}

/* The fallback's time is reported. */
static void
test_fallback_time (void)
{
  static const struct
  {
    const char *type, *operation, *attributes;
    gboolean    has_fallback;
  } rows[] = {
    { "tensor<100000xf32>", "stablehlo.negate", "", FALSE },
    { "tensor<100000xf32>", "stablehlo.collective_permute",
      "{source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>}", TRUE },
    { "tensor<?xf32>", "stablehlo.negate", "", TRUE },
  };
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autoptr (GhloValue) x = new_random ("tensor<100000xf32>", -1, 1);

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree char *text = g_strdup_printf ("func.func @main(%%x: %s) -> %s {\n  %%0 = \"%s\"(%%x) %s : (%s) -> %s\n"
                                               "  return %%0 : %s\n}\n", rows[r].type, rows[r].type,
                                               rows[r].operation, rows[r].attributes, rows[r].type, rows[r].type,
                                               rows[r].type);
      g_autoptr (GhloIrModule) module = parse (text);
      g_autoptr (GhloPrepared) prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module),
                                                                NULL, NULL);
      gint64 time = 0, start = g_get_monotonic_time ();
      GhloValue *output = NULL;

      g_assert_true (ghlo_prepared_run (prepared, &(GhloRunOptions) { .fallback_time = &time }, &x, 1, &output, NULL,
                                    NULL));
      g_assert_cmpint (time, <=, g_get_monotonic_time () - start);
      g_assert_true ((time > 0) == rows[r].has_fallback);
      ghlo_value_unref (output);
    }
}

/* Which inputs' memory an output may reuse. */
static void
test_replace (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %m: tensor<8x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
    "  %0 = stablehlo.add %a, %b : tensor<8xf32>\n"
    "  %1 = stablehlo.dot_general %m, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> "
    "tensor<8xf32>\n"
    "  return %0, %1 : tensor<8xf32>, tensor<8xf32>\n"
    "}\n";
  g_autoptr (GhloStepPlan) plan = plan_new (text);

  g_assert_true (ghlo_step_plan_may_replace (plan, 0, 0));
  /* The product still reads it. */
  g_assert_false (ghlo_step_plan_may_replace (plan, 0, 1));
  g_assert_false (ghlo_step_plan_may_replace (plan, 1, 1));
  g_assert_true (ghlo_step_plan_may_replace (plan, 1, 0));
  g_assert_false (ghlo_step_plan_may_replace (plan, 0, 2));
}

/* An input that is read twice, one that is itself an output, and one that is not read. */
static void
test_replace_inputs (void)
{
  static const char text[] =
    "func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
    "  %0 = stablehlo.add %a, %a : tensor<8xf32>\n"
    "  return %0, %b : tensor<8xf32>, tensor<8xf32>\n"
    "}\n";
  g_autoptr (GhloStepPlan) plan = plan_new (text);

  g_assert_false (ghlo_step_plan_may_replace (plan, 0, 0));
  g_assert_false (ghlo_step_plan_may_replace (plan, 0, 1));
  g_assert_true (ghlo_step_plan_may_replace (plan, 0, 2));
  for (guint i = 0; i < 3; i++)
    g_assert_false (ghlo_step_plan_may_replace (plan, 1, i));
}

/* A value that a loop passes on unchanged stays in place, however the loop is planned; a value that it reads with
 * strides is copied once. */
static void
test_unchanged (void)
{
  static const char text[] =
    "func.func @main(%x: tensor<20x50xf32>, %y: tensor<20x50xf32>, %n: tensor<i32>) -> (tensor<20x50xf32>,\n"
    "    tensor<20x50xf32>) {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %0:3 = stablehlo.while(%i = %zero, %a = %x, %s = %y) : tensor<i32>, tensor<20x50xf32>, tensor<20x50xf32>\n"
    "    cond {\n"
    "      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %1 : tensor<i1>\n"
    "    } do {\n"
    "      %1 = stablehlo.add %i, %one : tensor<i32>\n"
    "      %2 = stablehlo.add %s, %a : tensor<20x50xf32>\n"
    "      stablehlo.return %1, %a, %2 : tensor<i32>, tensor<20x50xf32>, tensor<20x50xf32>\n"
    "    }\n"
    "  return %0#1, %0#2 : tensor<20x50xf32>, tensor<20x50xf32>\n"
    "}\n";
  static const char transposed[] =
    "func.func @main(%x: tensor<50x20xf32>, %n: tensor<i32>) -> tensor<20x50xf32> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<50x20xf32>) -> tensor<20x50xf32>\n"
    "  %0:3 = stablehlo.while(%i = %zero, %a = %t, %s = %t) : tensor<i32>, tensor<20x50xf32>, tensor<20x50xf32>\n"
    "    cond {\n"
    "      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %1 : tensor<i1>\n"
    "    } do {\n"
    "      %1 = stablehlo.add %i, %one : tensor<i32>\n"
    "      %2 = stablehlo.add %s, %a : tensor<20x50xf32>\n"
    "      stablehlo.return %1, %a, %2 : tensor<i32>, tensor<20x50xf32>, tensor<20x50xf32>\n"
    "    }\n"
    "  return %0#2 : tensor<20x50xf32>\n"
    "}\n";
  g_autoptr (GhloValue) x = new_random ("tensor<20x50xf32>", -1, 1), y = new_random ("tensor<20x50xf32>", -1, 1);
  g_autoptr (GhloValue) columns = new_random ("tensor<50x20xf32>", -1, 1), n = new_random ("tensor<i32>", 3, 9);

  ASSERT_PLAN (text, { "copy c", 1 }, { "copy in1", 1 }, { "copy", 2 }, { "out0 is in0", 1 });
  assert_runs (text, (GhloValue *[]) { x, y, n }, 3, 2);
  ASSERT_PLAN (transposed, { "copy c", 1 }, { "copy in0", 2 }, { "copy", 3 });
  assert_runs (transposed, (GhloValue *[]) { columns, n }, 2, 1);
}

/* A device without any steps. */
static const GhloStepImplementation *
find_nothing (GhloDeviceCore               *self,
              const GhloIrOp               *op,
              const GhloStepImplementation *previous)
{
  return NULL;
}

typedef struct
{
  GhloIrModule         *module;
  GhloDeviceCore *targets[2];
  char                 *expected[2];
} Planned;

static char *
print_for (GhloIrModule   *module,
           GhloDeviceCore *target)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloStepPlan) plan = plan_module (module, target, NULL, &error);

  g_assert_no_error (error);

  return ghlo_step_plan_print (plan);
}

static gpointer
plan_again (gpointer data)
{
  const Planned *planned = data;

  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *printed = print_for (planned->module, planned->targets[i % 2]);

      g_assert_cmpstr (printed, ==, planned->expected[i % 2]);
    }

  return NULL;
}

/* Eight threads plan one module for two devices concurrently and leave it unchanged. */
static void
test_shared_module (void)
{
  static const char *const names[] = { "nothing", NULL };
  const GhloDeviceCoreClass klass = { .name = "nothing", .find_step = find_nothing, .copy_step = &ghlo_cpu_step_copy };
  GhloDeviceCore nothing = { .klass = &klass, .names = names };
  const char *const texts[] = { views, nested, calls };

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    {
      g_autoptr (GhloIrModule) module = parse (texts[t]);
      Planned planned = { module, { ghlo_cpu_device (), &nothing } };
      gsize size = ghlo_ir_module_get_size (module);
      GThread *threads[8];

      for (guint i = 0; i < 2; i++)
        planned.expected[i] = print_for (module, planned.targets[i]);
      g_assert_cmpstr (planned.expected[0], !=, planned.expected[1]);
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        threads[i] = g_thread_new (NULL, plan_again, &planned);
      for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
        g_thread_join (threads[i]);
      g_assert_cmpuint (ghlo_ir_module_get_size (module), ==, size);
      for (guint i = 0; i < 2; i++)
        g_free (planned.expected[i]);
    }
}

/* A chain of functions each of which calls the next one twice: 2^@depth operations. */
static char *
make_doubling (guint       depth,
               const char *operation)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "func.func private @f0(%%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                          "  %%0 = stablehlo.%s %%a : tensor<4xf32>\n  return %%0 : tensor<4xf32>\n}\n", operation);
  for (guint i = 1; i <= depth; i++)
    g_string_append_printf (text, "func.func private @f%u(%%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                            "  %%0 = call @f%u(%%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
                            "  %%1 = call @f%u(%%0) : (tensor<4xf32>) -> tensor<4xf32>\n"
                            "  return %%1 : tensor<4xf32>\n}\n", i, i - 1, i - 1);
  g_string_append_printf (text, "func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {\n"
                          "  %%0 = call @f%u(%%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
                          "  return %%0 : tensor<4xf32>\n}\n", depth);

  return g_string_free (text, FALSE);
}

/* A few lines that expand to many operations: the size of plans is bounded, and counts towards the process' memory. */
static void
test_limits (void)
{
  GhloDeviceCore *device = ghlo_devices_find ("cpu");
  g_autofree char *most = make_doubling (18, "tanh"), *more = make_doubling (20, "tanh");
  g_autoptr (GhloIrModule) module = parse (most), large = parse (more);
  gsize limit = ghlo_memory_get_limit (), used = ghlo_memory_get_used ();
  g_autoptr (GError) error = NULL;
  g_autofree char *about = NULL;
  GhloPrepared *prepared;
  GhloRunFigures figures;

  prepared = ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error);
  g_assert_no_error (error);
  ghlo_prepared_measure (prepared, &figures);
  g_assert_cmpuint (figures.n_steps, ==, 1 << 18);
  g_assert_cmpuint (figures.plan_bytes, >, (1 << 18) * sizeof (GhloStep));
  g_assert_cmpuint (figures.plan_bytes, <, (1 << 18) * 1024);
  g_assert_cmpuint (ghlo_memory_get_used () - used, ==, figures.prepared_bytes);
  ghlo_prepared_free (prepared);

  ghlo_memory_set_limit (used + figures.plan_bytes / 2);
  g_assert_null (ghlo_devices_prepare (device, module, ghlo_ir_module_get_entry (module), NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
  g_assert_cmpuint (ghlo_memory_get_used (), ==, used);
  ghlo_memory_set_limit (limit);
  g_clear_error (&error);

  prepared = ghlo_devices_prepare (device, large, ghlo_ir_module_get_entry (large), NULL, &error);
  g_assert_no_error (error);
  about = ghlo_prepared_describe (prepared);
  g_assert_nonnull (strstr (about, "the program has too many operations once its calls are expanded"));
  ghlo_prepared_free (prepared);
}

typedef struct
{
  GCancellable *cancellable;
  clockid_t     clock;          /* of the planning thread's CPU time */
  gulong        delay;          /* microseconds */
  gint64        cancelled_at;
} Canceller;

static gint64
read_clock (clockid_t clock)
{
  struct timespec time;

  g_assert_cmpint (clock_gettime (clock, &time), ==, 0);

  return time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

static gpointer
cancel_later (gpointer data)
{
  Canceller *self = data;

  g_usleep (self->delay);
  /* CPU time that the planning thread uses before this thread is scheduled again does not count as delay. */
  g_cancellable_cancel (self->cancellable);
  self->cancelled_at = read_clock (self->clock);

  return NULL;
}

typedef struct
{
  GhloIrModule *module;
  gulong        delay;        /* µs */
} Cancelled;

/* The CPU time in microseconds from the cancel to the end of planning; 0 when planning ended first. */
static gint64
time_cancel (gpointer data)
{
  const Cancelled *self = data;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;
  Canceller canceller = { .cancellable = cancellable, .delay = self->delay };
  GhloStepPlan *plan;
  GThread *thread;
  gint64 end;

  g_assert_cmpint (pthread_getcpuclockid (pthread_self (), &canceller.clock), ==, 0);
  thread = g_thread_new (NULL, cancel_later, &canceller);
  plan = plan_module (self->module, ghlo_cpu_device (), &monitor, &error);
  end = read_clock (canceller.clock);
  g_thread_join (thread);
  if (plan == NULL)
    {
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      return MAX (end - canceller.cancelled_at, 1);
    }
  ghlo_step_plan_free (plan);

  return 0;
}

/* Microseconds. */
enum { MAX_CANCEL = SANITIZED ? 250000 : 12500 };

/* Planning ends soon after a cancel in any stage, apart from the time to free some hundred thousand steps. Other
 * processes slow both down, so a delay is too long only if each attempt's is. For sanitizers, which check what each
 * stage leaves behind, fewer steps suffice. */
static void
test_cancelled (void)
{
  enum { N_DELAYS = 48, DEPTH = SANITIZED ? 15 : 16 };
  g_autofree char *text = make_doubling (DEPTH, "negate");
  g_autoptr (GhloIrModule) module = parse (text);
  gint64 start = g_get_monotonic_time (), planned, all, most, worst = 0;
  GhloStepPlan *plan = plan_module (module, ghlo_cpu_device (), NULL, NULL);
  guint n_cancelled = 0;

  planned = g_get_monotonic_time ();
  ghlo_step_plan_free (plan);
  all = g_get_monotonic_time () - start;
  most = MAX_CANCEL + start + all - planned;
  for (guint i = 0; i < N_DELAYS; i++)
    {
      Cancelled cancelled = { module, (gulong) (all * i / N_DELAYS) };
      gint64 time = soon_fastest (time_cancel, &cancelled, most);

      worst = MAX (worst, time);
      n_cancelled += time > 0;
    }
  g_test_message ("planning took %.0f ms, freeing the plan %.1f, and it ended at most %.1f ms after it was cancelled",
                  (planned - start) / 1e3, (start + all - planned) / 1e3, worst / 1e3);
  g_assert_cmpint (worst, <, most);
  g_assert_cmpuint (n_cancelled, >, N_DELAYS / 2);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plan/views", test_views);
  g_test_add_func ("/plan/copies", test_copies);
  g_test_add_func ("/plan/loop-in-place", test_loop_in_place);
  g_test_add_func ("/plan/branch-in-place", test_branch_in_place);
  g_test_add_func ("/plan/updates-in-place", test_updates_in_place);
  g_test_add_func ("/plan/needed-later", test_needed_later);
  g_test_add_func ("/plan/branch-values", test_branch_values);
  g_test_add_func ("/plan/loop-swaps", test_loop_swaps);
  g_test_add_func ("/plan/loop-counter", test_loop_counter);
  g_test_add_func ("/plan/nested", test_nested);
  g_test_add_func ("/plan/calls", test_calls);
  g_test_add_func ("/plan/no-plan", test_no_plan);
  g_test_add_func ("/plan/no-values", test_no_values);
  g_test_add_func ("/plan/fallback-time", test_fallback_time);
  g_test_add_func ("/plan/replace", test_replace);
  g_test_add_func ("/plan/replace-inputs", test_replace_inputs);
  g_test_add_func ("/plan/unchanged", test_unchanged);
  g_test_add_func ("/plan/shared-module", test_shared_module);
  g_test_add_func ("/plan/limits", test_limits);
  g_test_add_func ("/plan/cancelled", test_cancelled);

  return g_test_run ();
}
