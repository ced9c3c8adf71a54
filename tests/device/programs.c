/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs on the device (execute/program.h): their results, the order of runs, memory that the caller gives up, and
 * failures and cancels that come from the program or its caller.
 */

#include "contract.h"

#include "base/ghlo-error.h"

#define N CONTRACT_NUMBER

#define CONSTANT(name, number) "  %" name " = stablehlo.constant dense<" #number "> : " N "\n"

#define ADD \
  "func.func @main(%x: " N ", %y: " N ") -> " N " {\n" \
  "  %0 = stablehlo.add %x, %y : " N "\n" \
  "  return %0 : " N "\n}\n"

#define DOUBLE \
  "func.func @main(%x: " N ") -> " N " {\n" \
  "  %0 = stablehlo.add %x, %x : " N "\n" \
  "  return %0 : " N "\n}\n"

#define IDENTITY "func.func @main(%x: " N ") -> " N " {\n  return %x : " N "\n}\n"

/* The first element of %x. */
#define FIRST \
  "  %s = stablehlo.slice %x [0:1] : (" N ") -> tensor<1xi32>\n" \
  "  %n = stablehlo.reshape %s : (tensor<1xi32>) -> tensor<i32>\n"

#define CHOOSE_IF \
  "func.func @main(%x: " N ") -> " N " {\n" FIRST \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %p = stablehlo.compare GT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "  %r = \"stablehlo.if\"(%p) ({\n" \
  "    %a = stablehlo.add %x, %x : " N "\n" \
  "    stablehlo.return %a : " N "\n" \
  "  }, {\n" \
  "    %b = stablehlo.negate %x : " N "\n" \
  "    stablehlo.return %b : " N "\n" \
  "  }) : (tensor<i1>) -> " N "\n" \
  "  return %r : " N "\n}\n"

#define CHOOSE_CASE \
  "func.func @main(%x: " N ") -> " N " {\n" FIRST \
  CONSTANT ("c", 10) CONSTANT ("d", 20) CONSTANT ("e", 30) \
  "  %r = \"stablehlo.case\"(%n) ({\n" \
  "    %a = stablehlo.add %x, %c : " N "\n" \
  "    stablehlo.return %a : " N "\n" \
  "  }, {\n" \
  "    %a = stablehlo.add %x, %d : " N "\n" \
  "    stablehlo.return %a : " N "\n" \
  "  }, {\n" \
  "    %a = stablehlo.add %x, %e : " N "\n" \
  "    stablehlo.return %a : " N "\n" \
  "  }) : (tensor<i32>) -> " N "\n" \
  "  return %r : " N "\n}\n"

/* 100 iterations, and as many as the input says. */
#define COUNTED \
  "func.func @main(%x: " N ") -> " N " {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %end = stablehlo.constant dense<100> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, " N "\n" \
  "  cond {\n" \
  "    %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %p : tensor<i1>\n" \
  "  } do {\n" \
  "    %next = stablehlo.add %i, %one : tensor<i32>\n" \
  "    %w = stablehlo.add %v, %x : " N "\n" \
  "    stablehlo.return %next, %w : tensor<i32>, " N "\n" \
  "  }\n" \
  "  return %r#1 : " N "\n}\n"

#define UNTIL \
  "func.func @main(%x: " N ") -> " N " {\n" FIRST \
  CONSTANT ("zeros", 0) CONSTANT ("two", 2) \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %r:2 = stablehlo.while(%i = %zero, %v = %zeros) : tensor<i32>, " N "\n" \
  "  cond {\n" \
  "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %p : tensor<i1>\n" \
  "  } do {\n" \
  "    %next = stablehlo.add %i, %one : tensor<i32>\n" \
  "    %w = stablehlo.add %v, %two : " N "\n" \
  "    stablehlo.return %next, %w : tensor<i32>, " N "\n" \
  "  }\n" \
  "  %after = stablehlo.add %r#1, %x : " N "\n" \
  "  return %after : " N "\n}\n"

/* Ends only if the input is 0. */
#define ENDLESS \
  "func.func @main(%x: " N ") -> " N " {\n" FIRST \
  CONSTANT ("two", 2) \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %r = stablehlo.while(%v = %x) : " N "\n" \
  "  cond {\n" \
  "    %p = stablehlo.compare NE, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "    stablehlo.return %p : tensor<i1>\n" \
  "  } do {\n" \
  "    %w = stablehlo.add %v, %two : " N "\n" \
  "    stablehlo.return %w : " N "\n" \
  "  }\n" \
  "  return %r : " N "\n}\n"

/* Fails where the input is not 1. */
#define CHECKED \
  "func.func @main(%x: " N ") -> (" N ", " N ") {\n" \
  "  %0 = stablehlo.add %x, %x : " N "\n" \
  "  check.expect_eq_const %0, dense<2> : " N "\n" \
  "  %1 = stablehlo.add %0, %x : " N "\n" \
  "  return %0, %1 : " N ", " N "\n}\n"

/* What no plan supports. */
#define DYNAMIC \
  "func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {\n" \
  "  %0 = stablehlo.add %x, %x : tensor<?xi32>\n" \
  "  return %0 : tensor<?xi32>\n}\n"

static void
check_program (const char   *text,
               const gint32 *inputs,
               const gint32 *expected,
               guint         n)
{
  g_autoptr (GhloPrepared) prepared = contract_prepare (text);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GhloValue) input = contract_number (inputs[i]), output = contract_start (prepared, NULL, &input, 1);

      g_assert_true (ghlo_value_is_on (output, contract_device ()));
      contract_assert_number (output, expected[i]);
      contract_assert_number (input, inputs[i]);
    }
}

#define CHECK(text, inputs, expected) \
  G_STMT_START { \
    static const gint32 of_runs[] = inputs, of_outputs[] = expected; \
    G_STATIC_ASSERT (sizeof of_runs == sizeof of_outputs); \
    check_program (text, of_runs, of_outputs, G_N_ELEMENTS (of_runs)); \
  } G_STMT_END
#define LIST(...) { __VA_ARGS__ }

/* Control flow, in runs after each other whose inputs differ. */
static void
test_results (void)
{
  CHECK (DOUBLE, LIST (0, 1, -5), LIST (0, 2, -10));
  CHECK (IDENTITY, LIST (3, 4), LIST (3, 4));
  CHECK (CHOOSE_IF, LIST (5, -5, 0, 7), LIST (10, 5, 0, 14));
  CHECK (CHOOSE_CASE, LIST (0, 1, 2, 3, -1), LIST (10, 21, 32, 33, 29));
  CHECK (COUNTED, LIST (1, 2), LIST (101, 202));
  CHECK (UNTIL, LIST (0, 1, 5, 5, 5, 5, 200, 200, 200, 3), LIST (0, 3, 15, 15, 15, 15, 600, 600, 600, 9));
  CHECK (DYNAMIC, LIST (1, 2), LIST (2, 4));
}

/* Runs that read what the run before is to write, without waiting for it. */
static void
test_chain (void)
{
  enum { N_RUNS = 20 };
  GhloValue *outputs[N_RUNS];
  g_autoptr (GhloPrepared) prepared = contract_prepare (DOUBLE);
  g_autoptr (GhloValue) input = contract_number (1);

  contract_slow_down (2000);
  for (guint i = 0; i < N_RUNS; i++)
    outputs[i] = contract_start (prepared, NULL, i == 0 ? &input : &outputs[i - 1], 1);
  contract_slow_down (0);
  for (gint i = N_RUNS - 1; i >= 0; i -= 3)
    contract_assert_number (outputs[i], 2 << i);
  for (guint i = 0; i < N_RUNS; i++)
    {
      contract_assert_number (outputs[i], 2 << i);
      ghlo_value_unref (outputs[i]);
    }
}

/* A copy is of the bytes that were there when it was made. */
static void
test_copies (void)
{
  const guint donated_inputs[] = { 0 };
  const GhloRunOptions options = { .donated_inputs = donated_inputs };
  g_autoptr (GhloPrepared) prepared = contract_prepare (DOUBLE);
  g_autoptr (GhloValue) input = contract_number (1), copy = NULL, next = NULL;
  g_autoptr (GError) error = NULL;
  GhloValue *output;

  contract_slow_down (2000);
  output = contract_start (prepared, NULL, &input, 1);
  copy = ghlo_value_copy (output, contract_device (), &error);
  g_assert_no_error (error);
  next = contract_start (prepared, &options, &output, 1);
  contract_slow_down (0);
  ghlo_value_unref (output);
  contract_assert_number (next, 4);
  contract_assert_number (copy, 2);
}

static GhloPrepared *shared;

static void
run_shared (guint thread)
{
  for (gint32 i = 0; i < 50; i++)
    {
      const gint32 number = 1000 * (gint32) thread + i;
      g_autoptr (GhloValue) input = contract_number (number), one = contract_start (shared, NULL, &input, 1);
      g_autoptr (GhloValue) two = contract_start (shared, NULL, &one, 1);

      contract_assert_number (two, 4 * number);
      contract_assert_number (one, 2 * number);
    }
}

/* Any number of threads run one program. */
static void
test_threads (void)
{
  shared = contract_prepare (DOUBLE);
  contract_run_threads (4, run_shared);
  g_clear_pointer (&shared, ghlo_prepared_free);
}

/* An input that the caller gives up may be overwritten; one that others still have is not. */
static void
test_donation (void)
{
  const guint donated_inputs[] = { 0 };
  gboolean begun = FALSE, is_shared = TRUE;
  const GhloRunOptions options = { .donated_inputs = donated_inputs, .begun = &begun, .shared = &is_shared };
  GhloDeviceCore *device = contract_device ();
  g_autoptr (GhloPrepared) prepared = contract_prepare (ADD);
  g_autoptr (GhloValue) number = contract_number (1), one = NULL, kept = NULL, last = NULL;
  guint n_in_place = 0;
  g_autoptr (GError) error = NULL;
  GhloValue *state;

  one = ghlo_value_place (number, device, NULL, &error);
  g_assert_no_error (error);
  state = ghlo_value_copy (one, device, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 10; i++)
    {
      const guint64 address = state->storage->address;
      GhloValue *next = contract_start (prepared, &options, (GhloValue *[]) { state, one }, 2);

      g_assert_true (begun);
      g_assert_false (is_shared);
      n_in_place += next->storage->address == address;
      ghlo_value_unref (state);
      state = next;
    }
  g_test_message ("%u of 10 runs wrote in place", n_in_place);
  contract_assert_number (one, 1);
  /* The state has another reference. */
  kept = ghlo_value_ref (state);
  last = contract_start (prepared, &options, (GhloValue *[]) { state, one }, 2);
  g_assert_true (last->storage->address != kept->storage->address);
  contract_assert_number (last, 12);
  contract_assert_number (kept, 11);
  ghlo_value_unref (state);
}

/* Memory that is given up is not overwritten before the last step that reads it. */
static void
test_donation_order (void)
{
  static const char text[] =
    "func.func @main(%x: " N ", %y: " N ") -> (" N ", " N ") {\n"
    "  %0 = stablehlo.multiply %x, %y : " N "\n"
    "  %1 = stablehlo.subtract %x, %y : " N "\n"
    "  return %0, %1 : " N ", " N "\n}\n";
  const guint donated_inputs[] = { 0, 1 };
  const GhloRunOptions options = { .donated_inputs = donated_inputs };
  g_autoptr (GhloPrepared) prepared = contract_prepare (text);
  GhloValue *state[2], *next[2];
  gint32 x = 5, y = 3;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GhloValue) number = contract_number (i == 0 ? x : y), placed = NULL;

      placed = ghlo_value_place (number, contract_device (), NULL, &error);
      g_assert_no_error (error);
      state[i] = ghlo_value_copy (placed, contract_device (), &error);
      g_assert_no_error (error);
    }
  for (guint i = 0; i < 4; i++)
    {
      const gint32 product = x * y;

      g_assert_true (ghlo_prepared_run (prepared, &options, state, 2, next, NULL, &error));
      g_assert_no_error (error);
      ghlo_values_clear (state, 2);
      y = x - y;
      x = product;
      state[0] = next[0];
      state[1] = next[1];
    }
  contract_assert_number (state[0], x);
  contract_assert_number (state[1], y);
  ghlo_values_clear (state, 2);
}

/* A program that fails says so to its caller, or at each output. Later runs, of the same program too, are not
 * affected. */
static void
test_failing_program (void)
{
  g_autoptr (GhloPrepared) prepared = contract_prepare (CHECKED), other = contract_prepare (DOUBLE);

  for (gint32 i = 0; i < 6; i++)
    {
      g_autoptr (GhloValue) input = contract_number (i % 3), output = NULL;
      g_autoptr (GhloFence) fence = NULL;
      g_autoptr (GError) error = NULL;
      GhloValue *outputs[2] = { NULL };
      gboolean ok = ghlo_prepared_start (prepared, NULL, &input, 1, outputs, &fence, NULL, &error);

      ok = ok && ghlo_fence_wait (fence, NULL, &error);
      g_assert_true (ok == (i % 3 == 1));
      for (guint k = 0; k < 2 && ok; k++)
        contract_assert_number (outputs[k], (gint32) k + 2);
      for (guint k = 0; k < 2 && !ok; k++)
        if (outputs[k] != NULL)
          g_error_free (contract_get_error (outputs[k]));
      if (!ok)
        g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
      ghlo_values_clear (outputs, 2);
      output = contract_start (other, NULL, &input, 1);
      contract_assert_number (output, 2 * (i % 3));
    }
}

/* More memory than there is: the call fails, and nothing else. */
static void
test_too_large (void)
{
  GhloDeviceCore *device = contract_device ();
  const gsize size = (gsize) 1 << 52;
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloValue) number = contract_number (7), placed = NULL;

  for (guint i = 0; i < 3; i++)
    {
      if (device->memory != NULL)
        {
          gpointer host = &error;

          g_assert_null (device->memory->klass->alloc (device->memory, GHLO_MEMORY_DEVICE, size, &host, &error));
          g_assert_true (host == NULL || host == (gpointer) &error);
        }
      else
        g_assert_null (ghlo_storage_new_host (size, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
      g_clear_error (&error);
    }
  g_assert_false (ghlo_device_core_is_lost (device));
  placed = ghlo_value_place (number, device, NULL, &error);
  g_assert_no_error (error);
  contract_assert_number (placed, 7);
}

/* A call that is cancelled before it begins. */
static void
test_cancelled_calls (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GhloIrModule) module = contract_parse (UNTIL);
  g_autoptr (GhloPrepared) prepared = NULL;
  g_autoptr (GhloValue) input = contract_number (50), output = NULL;
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (ghlo_devices_prepare (contract_device (), module, ghlo_ir_module_get_entry (module), &monitor,
                                       &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  prepared = contract_prepare (UNTIL);
  g_assert_false (ghlo_prepared_run (prepared, NULL, &input, 1, &output, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (output);
  output = contract_start (prepared, NULL, &input, 1);
  contract_assert_number (output, 150);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (G_USEC_PER_SEC / 20);
  g_cancellable_cancel (cancellable);

  return NULL;
}

/* A run that would never end ends when it is cancelled, and the device then does other work. */
static void
test_cancelled_run (void)
{
  g_autoptr (GhloPrepared) prepared = contract_prepare (ENDLESS), other = contract_prepare (DOUBLE);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const GhloMonitor monitor = { .cancellable = cancellable };
      g_autoptr (GhloValue) input = contract_number (1), zero = contract_number (0), output = NULL, doubled = NULL;
      g_autoptr (GError) error = NULL;
      GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);

      g_assert_false (ghlo_prepared_run (prepared, NULL, &input, 1, &output, &monitor, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_assert_null (output);
      g_thread_join (thread);
      doubled = contract_start (other, NULL, &input, 1);
      contract_assert_number (doubled, 2);
      output = contract_start (prepared, NULL, &zero, 1);
      contract_assert_number (output, 0);
    }
}

/* Measured step by step, a program computes the same. */
static void
test_profile (void)
{
  g_autoptr (GhloPrepared) prepared = contract_prepare (UNTIL);
  const GhloStepPlan *plan = ghlo_prepared_get_plan (prepared);

  for (gint32 i = 0; i < 4; i++)
    {
      g_autoptr (GhloRunProfile) profile = ghlo_run_profile_new ();
      const GhloRunOptions options = { .profile = profile };
      g_autoptr (GhloValue) input = contract_number (i), output = contract_start (prepared, &options, &input, 1);

      contract_assert_number (output, 3 * i);
    }
  if (plan == NULL)
    g_test_skip ("the device makes no plans");
}

void
contract_add_program_cases (void)
{
  contract_add ("/device/programs/results", test_results);
  contract_add ("/device/programs/chain", test_chain);
  contract_add ("/device/programs/copies", test_copies);
  contract_add ("/device/programs/threads", test_threads);
  contract_add ("/device/programs/profile", test_profile);
  contract_add ("/device/donation/state", test_donation);
  contract_add ("/device/donation/order", test_donation_order);
  contract_add ("/device/failures/program", test_failing_program);
  contract_add ("/device/failures/too-large", test_too_large);
  contract_add ("/device/cancel/calls", test_cancelled_calls);
  contract_add ("/device/cancel/run", test_cancelled_run);
}
