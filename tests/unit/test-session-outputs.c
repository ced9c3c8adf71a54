/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions that write outputs to memory of the caller.
 */

#include "face-help.h"

/* Adds step to total: output 0 says what total was, output 1 is what it becomes. */
#define COUNTER \
  "func.func @main(%step: tensor<2xi32>, %total: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {\n" \
  "  %0 = stablehlo.add %total, %step : tensor<2xi32>\n" \
  "  return %total, %0 : tensor<2xi32>, tensor<2xi32>\n" \
  "}\n"

/* The same, after counting to limit. */
#define SLOW_COUNTER \
  "func.func @main(%limit: tensor<i32>, %total: tensor<2xi32>) -> (tensor<i32>, tensor<2xi32>) {\n" \
  "  %zero = stablehlo.constant dense<0> : tensor<i32>\n" \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n" \
  "  %ones = stablehlo.constant dense<1> : tensor<2xi32>\n" \
  "  %0:3 = stablehlo.while(%i = %zero, %end = %limit, %t = %total) : tensor<i32>, tensor<i32>, tensor<2xi32>\n" \
  "    cond {\n" \
  "      %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "      stablehlo.return %1 : tensor<i1>\n" \
  "    } do {\n" \
  "      %1 = stablehlo.add %i, %one : tensor<i32>\n" \
  "      stablehlo.return %1, %end, %t : tensor<i32>, tensor<i32>, tensor<2xi32>\n" \
  "    }\n" \
  "  %2 = stablehlo.add %total, %ones : tensor<2xi32>\n" \
  "  return %0#0, %2 : tensor<i32>, tensor<2xi32>\n" \
  "}\n"

/* Output 0 is x twice over; the others are what they are. */
#define GROWING \
  "func.func @main(%x: tensor<?xi32>, %y: tensor<2xf32>) -> (tensor<?xi32>, tensor<2xf32>, tensor<3xi32>) {\n" \
  "  %0 = \"stablehlo.concatenate\"(%x, %x) {dimension = 0 : i64} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>\n" \
  "  %1 = stablehlo.constant dense<1> : tensor<3xi32>\n" \
  "  return %0, %y, %1 : tensor<?xi32>, tensor<2xf32>, tensor<3xi32>\n" \
  "}\n"

static GhloBuffer *
pair_new (gint32 first,
          gint32 second)
{
  return help_buffer ("tensor<2xi32>", (gint32[]) { first, second }, 8);
}

/* Output 1, the total, is carried. */
static GhloSession *
counter_new (const char *text)
{
  g_autoptr (GhloExecutable) executable = help_compile (text);
  g_autoptr (GhloBuffer) zero = pair_new (0, 0);
  g_autoptr (GError) error = NULL;
  GhloSession *session = ghlo_session_new (executable);

  g_assert_true (ghlo_session_carry (session, 1, 1, zero, &error));
  g_assert_no_error (error);

  return session;
}

static void
assert_refused (gboolean     done,
                GError     **error,
                const char  *pattern)
{
  g_assert_false (done);
  g_assert_error (*error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  if (!g_pattern_match_simple (pattern, (*error)->message))
    g_error ("expected '%s', found '%s'", pattern, (*error)->message);
  g_clear_error (error);
}

/* Memory that a session writes an output to, and how often it was given back. */
typedef struct
{
  gint32 values[2];
  gint   n_released;     /* atomic */
} Target;

static void
on_released (gpointer data)
{
  Target *target = data;

  g_atomic_int_inc (&target->n_released);
}

static void
bind_target (GhloSession *session,
             guint        output,
             Target      *target)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_session_bind_output (session, output, (guintptr) target->values, sizeof target->values,
                                           on_released, target, &error));
  g_assert_no_error (error);
}

static void
assert_target (Target *target,
               gint32  first,
               gint32  second,
               gint    n_released)
{
  g_assert_cmpint (target->values[0], ==, first);
  g_assert_cmpint (target->values[1], ==, second);
  g_assert_cmpint (g_atomic_int_get (&target->n_released), ==, n_released);
}

/* Outputs are written to the caller's memory, in sync and async runs, until they are unbound. */
static void
test_bind_output (void)
{
  g_autoptr (GhloSession) session = counter_new (COUNTER);
  g_autoptr (GhloBuffer) input = pair_new (1, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;
  Target one = { { -1, -1 } }, two = { { -1, -1 } };
  HelpWait wait = help_wait_init ();

  bind_target (session, 0, &one);
  for (gint i = 0; i < 3; i++)
    {
      result = ghlo_session_run (session, &input, 1, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 0);
      assert_target (&one, i, 2 * i, 0);
      g_clear_object (&result);
    }

  bind_target (session, 0, &two);
  assert_target (&one, 2, 4, 1);
  ghlo_session_run_async (session, &input, 1, NULL, help_ready, &wait);
  result = ghlo_session_run_finish (session, help_wait_run (&wait), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 0);
  g_clear_object (&result);
  help_wait_clear (&wait);
  assert_target (&two, 3, 6, 0);

  g_assert_true (ghlo_session_unbind_output (session, 0, &error));
  g_assert_true (ghlo_session_unbind_output (session, 0, &error));
  g_assert_cmpint (two.n_released, ==, 1);
  result = ghlo_session_run (session, &input, 1, NULL, &error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
  assert_target (&two, 3, 6, 1);

  bind_target (session, 0, &one);
  g_clear_object (&session);
  g_assert_cmpint (one.n_released, ==, 2);
}

/* Memory that is an input's too, and outputs that are inputs. */
static void
test_bind_shared (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (COUNTER);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<2xi32>", NULL);
  g_autoptr (GError) error = NULL;
  Target total = { { 10, 20 } }, sum = { { 1, 2 } };

  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (GhloSession) session = ghlo_session_new (executable);
      g_autoptr (GhloBuffer) step = ghlo_buffer_new_from_address (type, (guintptr) sum.values, NULL, 0, on_released,
                                                                  &sum, &error);
      g_autoptr (GhloBuffer) before = ghlo_buffer_new_from_address (type, (guintptr) total.values, NULL, 0, on_released,
                                                                    &total, &error);
      g_autoptr (GhloResult) result = NULL;
      GhloBuffer *const inputs[] = { step, before };

      g_assert_no_error (error);
      /* Each output over the input that it is not computed of alone; then each over the other one. */
      bind_target (session, i, &total);
      bind_target (session, 1 - i, &sum);
      result = ghlo_session_run (session, inputs, 2, NULL, &error);
      g_assert_no_error (error);
      g_clear_object (&result);
      if (i == 0)
        {
          assert_target (&total, 10, 20, 0);
          assert_target (&sum, 11, 22, 0);
        }
      else
        {
          assert_target (&total, 21, 42, 2);
          assert_target (&sum, 10, 20, 2);
        }
    }
}

/* Sizes that only a run tells, on the executor for such programs. */
static void
test_bind_growing (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (GROWING);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) pair = pair_new (3, 4), single = help_buffer ("tensor<1xi32>", (gint32[]) { 5 }, 4);
  g_autoptr (GhloBuffer) real = help_buffer ("tensor<2xf32>", (float[]) { 1, 2 }, 8);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;
  gint32 twice[4] = { 0 }, ones[3] = { 0 };

  g_assert_true (ghlo_session_bind_output (session, 0, (guintptr) twice, sizeof twice, NULL, NULL, &error));
  g_assert_true (ghlo_session_bind_output (session, 2, (guintptr) ones, sizeof ones, NULL, NULL, &error));
  result = ghlo_session_run (session, (GhloBuffer *[]) { pair, real }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
  g_assert_cmpmem (twice, sizeof twice, ((gint32[]) { 3, 4, 3, 4 }), sizeof twice);
  g_assert_cmpmem (ones, sizeof ones, ((gint32[]) { 1, 1, 1 }), sizeof ones);
  g_clear_object (&result);

  result = ghlo_session_run (session, (GhloBuffer *[]) { single, real }, 2, NULL, &error);
  assert_refused (result != NULL, &error, "output 0 has 8 bytes in this run*bound to 16");
  result = ghlo_session_run (session, (GhloBuffer *[]) { pair, real }, 2, NULL, &error);
  g_assert_no_error (error);
}

static void
assert_bind_refused (GhloSession *session,
                     guint        output,
                     guintptr     address,
                     gsize        size,
                     const char  *pattern)
{
  g_autoptr (GError) error = NULL;
  Target target = { { 0 } };

  assert_refused (ghlo_session_bind_output (session, output, address, size, on_released, &target, &error), &error,
                  pattern);
  g_assert_cmpint (target.n_released, ==, 1);
}

static void
test_bind_mistakes (void)
{
  g_autoptr (GhloSession) session = counter_new (COUNTER), bare = g_object_new (GHLO_TYPE_SESSION, NULL);
  g_autoptr (GhloExecutable) executable = help_compile (COUNTER);
  g_autoptr (GhloSession) other = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) pair = pair_new (0, 0);
  g_autoptr (GError) error = NULL;
  gint32 memory[4] = { 0 };
  guintptr address = (guintptr) memory;

  assert_bind_refused (session, 2, address, 8, "expected*2 outputs*found output 2");
  assert_bind_refused (session, 1, address, 8, "output 1 cannot be bound: it is carried into input 1");
  assert_bind_refused (session, 0, address, 12, "expected 8 bytes for output 0, which is tensor<2xi32>, found 12");
  assert_bind_refused (session, 0, address + 1, 8, "*output 0*multiple of 4*");
  assert_bind_refused (session, 0, 0, 8, "*memory for output 0, found 0");
  assert_bind_refused (bare, 0, address, 8, "*without an executable*");
  assert_refused (ghlo_session_unbind_output (session, 2, &error), &error, "*found output 2*");
  assert_refused (ghlo_session_unbind_output (bare, 0, &error), &error, "*without an executable*");

  g_assert_true (ghlo_session_bind_output (other, 0, address, 8, NULL, NULL, &error));
  assert_bind_refused (other, 1, address + 4, 8, "output 1*memory that output 0 is bound to");
  assert_refused (ghlo_session_carry (other, 0, 0, pair, &error), &error,
                  "output 0, which is bound, cannot be carried*");
  g_assert_true (ghlo_session_bind_output (other, 1, address + 8, 8, NULL, NULL, &error));
}

/* Memory is given back when the last run that may write to it has ended, not when its call was
 * answered. */
static void
test_bind_cancelled (void)
{
  g_autoptr (GhloSession) session = counter_new (SLOW_COUNTER);
  g_autoptr (GhloBuffer) endless = help_buffer ("tensor<i32>", (gint32[]) { G_MAXINT32 }, 4);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Target target = { { -1, -1 } };
  HelpWait wait = help_wait_init ();

  g_assert_true (ghlo_session_bind_output (session, 0, (guintptr) target.values, sizeof (gint32), on_released, &target,
                                           &error));
  ghlo_session_run_async (session, &endless, 1, cancellable, help_ready, &wait);
  g_assert_true (ghlo_session_unbind_output (session, 0, &error));
  g_assert_cmpint (g_atomic_int_get (&target.n_released), ==, 0);
  g_cancellable_cancel (cancellable);
  g_assert_null (ghlo_session_run_finish (session, help_wait_run (&wait), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  help_wait_clear (&wait);
  g_clear_object (&session);
  while (g_atomic_int_get (&target.n_released) == 0)
    g_usleep (1000);
  g_assert_cmpint (g_atomic_int_get (&target.n_released), ==, 1);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session-outputs/bind", test_bind_output);
  g_test_add_func ("/session-outputs/shared", test_bind_shared);
  g_test_add_func ("/session-outputs/growing", test_bind_growing);
  g_test_add_func ("/session-outputs/mistakes", test_bind_mistakes);
  g_test_add_func ("/session-outputs/cancelled", test_bind_cancelled);

  return g_test_run ();
}
