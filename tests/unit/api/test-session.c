/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sessions through the shared library: bound and carried values, the effect of failed runs, misuse, and a session after
 * a fork.
 */

#include "session-help.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Output 0 is x concatenated with itself; the others are passed through. */
#define GROWING \
  "func.func @main(%x: tensor<?xi32>, %y: tensor<2xf32>) -> (tensor<?xi32>, tensor<2xf32>, tensor<3xi32>) {\n" \
  "  %0 = \"stablehlo.concatenate\"(%x, %x) {dimension = 0 : i64} : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>\n" \
  "  %1 = stablehlo.constant dense<1> : tensor<3xi32>\n" \
  "  return %0, %y, %1 : tensor<?xi32>, tensor<2xf32>, tensor<3xi32>\n" \
  "}\n"

/* An output whose size is known only from a run, and an input of two elements. */
#define OPEN \
  "func.func @main(%x: tensor<?xi32>, %total: tensor<2xi32>) -> (tensor<2xi32>, tensor<?xi32>) {\n" \
  "  return %total, %x : tensor<2xi32>, tensor<?xi32>\n" \
  "}\n"

/* A product whose rhs may be read packed. */
#define PRODUCT \
  "func.func @main(%x: tensor<37x300xf32>, %k: tensor<300x523xf32>) -> tensor<37x523xf32> {\n" \
  "  %0 = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0]" \
  " : (tensor<37x300xf32>, tensor<300x523xf32>) -> tensor<37x523xf32>\n" \
  "  return %0 : tensor<37x523xf32>\n}\n"

/* One run; the program returns the previous total. */
static void
step (GhloSession *session,
      gint32       first,
      gint32       second,
      gint32       expected)
{
  g_autoptr (GhloBuffer) input = pair_new (first, second);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_session_run (session, &input, 1, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 1);
  assert_pair (ghlo_result_get_output (result, 0), expected, 2 * expected);
}

static void
test_carry (void)
{
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GError) error = NULL;

  assert_state (session, 0, 0);
  step (session, 1, 2, 0);
  step (session, 1, 2, 1);
  step (session, 5, 10, 2);
  assert_state (session, 7, 14);
  g_assert_true (ghlo_session_reset (session, &error));
  g_assert_no_error (error);
  assert_state (session, 0, 0);
  step (session, 1, 2, 0);
  g_assert_cmpuint (ghlo_session_get_pending (session), ==, 0);
}

/* The remaining inputs are given in the program's order, whichever they are. */
static void
test_bind (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_COUNTER);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) three = pair_new (3, 3);
  g_autoptr (GhloBuffer) four = pair_new (4, 4);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;
  GhloBuffer *const both[] = { three, four };

  result = ghlo_session_run (session, both, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 2);
  assert_pair (ghlo_result_get_output (result, 0), 4, 4);
  g_clear_object (&result);

  g_assert_true (ghlo_session_bind_input (session, 0, three, &error));
  ghlo_buffer_release (three);
  result = ghlo_session_run (session, &four, 1, NULL, &error);
  g_assert_no_error (error);
  assert_pair (ghlo_result_get_output (result, 1), 7, 7);
  g_clear_object (&result);

  g_assert_true (ghlo_session_bind_input (session, 0, four, &error));
  g_assert_true (ghlo_session_bind_input (session, 1, four, &error));
  result = ghlo_session_run (session, NULL, 0, NULL, &error);
  g_assert_no_error (error);
  assert_pair (ghlo_result_get_output (result, 1), 8, 8);
}

/* The initial value, copies of the state and results have memory of their own. */
static void
test_copies (void)
{
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GhloBuffer) initial = pair_new (10, 20);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) one = NULL;
  g_autoptr (GhloBuffer) two = NULL;

  g_assert_true (ghlo_session_carry (session, 1, 1, initial, &error));
  one = ghlo_session_copy_state (session, 1, NULL, &error);
  two = ghlo_session_copy_state (session, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (help_read (one) != help_read (initial));
  g_assert_true (help_read (one) != help_read (two));

  /* A careless binding's writes into a copy stay in the copy. */
  memset (help_read (one), 0, 8);
  ghlo_buffer_release (initial);
  step (session, 1, 11, 10);
  assert_state (session, 11, 31);
  assert_pair (two, 10, 20);
}

/* Both totals are marked as JAX marks donated arguments; their previous values are returned. */
#define MARKED \
  "func.func @main(%a: tensor<2xi32> {tf.aliasing_output = 3 : i32}, %step: tensor<2xi32>, " \
  "%b: tensor<2xi32> {tf.aliasing_output = 1 : i32}) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, " \
  "tensor<2xi32>) {\n" \
  "  %0 = stablehlo.add %a, %step : tensor<2xi32>\n" \
  "  %1 = stablehlo.subtract %b, %step : tensor<2xi32>\n" \
  "  return %a, %1, %b, %0 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>\n" \
  "}\n"

static void
test_carry_all (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (MARKED);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) first = pair_new (10, 20), second = pair_new (30, 40), step = pair_new (1, 2);
  g_autoptr (GhloBuffer) a = NULL, b = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_session_bind_input_by_name (session, "a", first, &error));
  /* All or nothing. */
  g_assert_false (ghlo_session_carry_all (session, NULL, 0, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (ghlo_session_copy_state (session, 0, NULL, NULL));
  g_assert_true (ghlo_session_carry_all (session, &second, 1, &error));
  g_assert_no_error (error);
  ghlo_buffer_release (first);
  ghlo_buffer_release (second);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run (session, &step, 1, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 2);
      assert_pair (ghlo_result_get_output (result, 0), 10 + i, 20 + 2 * i);
      assert_pair (ghlo_result_get_output (result, 1), 30 - i, 40 - 2 * i);
    }
  g_assert_true (ghlo_session_carry_all (session, NULL, 0, &error));
  a = ghlo_session_copy_state (session, 0, NULL, &error);
  b = ghlo_session_copy_state (session, 2, NULL, &error);
  assert_pair (a, 13, 26);
  assert_pair (b, 27, 34);
}

/* A value for each marked input replaces what is bound or carried; one that does not fit changes nothing. */
static void
test_carry_all_again (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (MARKED);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) bound = pair_new (10, 20), step = pair_new (1, 2), token = ghlo_buffer_new_token ();
  GhloBuffer *const pairs[] = { bound, token };
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_session_bind_input_by_name (session, "a", bound, &error));
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (GhloBuffer) a = pair_new (i, 2 * i), b = pair_new (3 * i, 4 * i);
      GhloBuffer *const both[] = { a, b };
      g_autoptr (GhloResult) result = NULL;

      g_assert_true (ghlo_session_carry_all (session, both, 2, &error));
      assert_carried (session, 0, i, 2 * i);
      g_assert_false (ghlo_session_carry_all (session, both, 1, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "expected 0 initial values"));
      g_assert_nonnull (strstr (error->message, "one for each marked input (0 ('a'), 2 ('b')), found 1"));
      g_clear_error (&error);
      g_assert_false (ghlo_session_carry_all (session, pairs, 2, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
      result = ghlo_session_run (session, &step, 1, NULL, &error);
      g_assert_no_error (error);
      assert_pair (ghlo_result_get_output (result, 0), i, 2 * i);
      assert_pair (ghlo_result_get_output (result, 1), 3 * i, 4 * i);
      assert_carried (session, 0, i + 1, 2 * i + 2);
    }
}

static char *
list_names (GhloSession *session)
{
  GhloValueInfo **infos = ghlo_session_list_inputs (session);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; infos[i] != NULL; i++)
    {
      g_string_append_printf (names, "%u:%s ", ghlo_value_info_get_index (infos[i]),
                              ghlo_value_info_get_name (infos[i]));
      ghlo_value_info_unref (infos[i]);
    }
  g_free (infos);

  return g_string_free (g_steal_pointer (&names), FALSE);
}

/* Lists the inputs that are neither bound nor carried. */
static void
test_list_inputs (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (MARKED);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) pair = pair_new (1, 2);
  g_autofree char *all = list_names (session), *two = NULL, *one = NULL;

  g_assert_true (ghlo_session_bind_input (session, 0, pair, NULL));
  two = list_names (session);
  g_assert_true (ghlo_session_carry (session, 1, 2, pair, NULL));
  one = list_names (session);
  g_assert_cmpstr (all, ==, "0:a 1:step 2:b ");
  g_assert_cmpstr (two, ==, "1:step 2:b ");
  g_assert_cmpstr (one, ==, "1:step ");
}

/* A violation that the types leave open is found when a run has produced the value, and fails the run. */
static void
test_failed (void)
{
  static const gint32 numbers[3] = { 1, 2, 3 };
  g_autoptr (GhloSession) session = counter_new (OPEN);
  g_autoptr (GhloBuffer) two = help_buffer ("tensor<2xi32>", numbers, 8);
  g_autoptr (GhloBuffer) three = help_buffer ("tensor<3xi32>", numbers, sizeof numbers);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result G_GNUC_UNUSED = ghlo_session_run (session, &two, 1, NULL, &error);

  g_assert_no_error (error);
  assert_state (session, 1, 2);
  g_assert_null (ghlo_session_run (session, &three, 1, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "output 1 cannot be carried into input 1"));
  g_assert_nonnull (strstr (error->message, "found tensor<3xi32>"));
  g_clear_error (&error);
  g_assert_null (ghlo_session_run (session, &two, 1, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "lost"));
  g_clear_error (&error);
  g_assert_true (ghlo_session_reset (session, &error));
  assert_state (session, 0, 0);
}

/* A carried value may change its size, and so may the input that it is carried into. */
static void
test_growing (void)
{
  static const gint32 numbers[3] = { 1, 2, 3 };
  static const float floats[2] = { 1, 2 };
  g_autoptr (GhloExecutable) executable = help_compile (GROWING);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) three = help_buffer ("tensor<3xi32>", numbers, sizeof numbers);
  g_autoptr (GhloBuffer) real = help_buffer ("tensor<2xf32>", floats, sizeof floats);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) state = NULL;

  g_assert_true (ghlo_session_bind_input (session, 1, real, &error));
  g_assert_true (ghlo_session_carry (session, 0, 0, three, &error));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run (session, NULL, 0, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (ghlo_result_get_n_outputs (result), ==, 2);
    }
  state = ghlo_session_copy_state (session, 0, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (ghlo_buffer_get_size (state), ==, 8 * sizeof numbers);

  g_assert_true (ghlo_session_carry (session, 2, 0, three, &error));
  g_assert_no_error (error);
  g_clear_object (&state);
  state = ghlo_session_copy_state (session, 0, NULL, &error);
  g_assert_cmpuint (ghlo_buffer_get_size (state), ==, sizeof numbers);
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

/* Both forms of a run. */
static void
assert_run_refused (GhloSession        *session,
                    GhloBuffer * const *inputs,
                    gsize               n_inputs,
                    const char         *pattern)
{
  g_autoptr (GError) error = NULL;
  Wait wait;

  assert_refused (ghlo_session_run (session, inputs, n_inputs, NULL, &error) != NULL, &error, pattern);
  wait_init (&wait, 1);
  ghlo_session_run_async (session, inputs, n_inputs, NULL, on_ready, &wait);
  g_main_loop_run (wait.loop);
  assert_refused (ghlo_session_run_finish (session, wait.results->pdata[0], &error) != NULL, &error, pattern);
  g_assert_cmpuint (ghlo_session_get_pending (session), ==, 0);
  wait_clear (&wait);
}

static void
test_mistakes (void)
{
  static const float floats[2] = { 1, 2 };
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GhloExecutable) growing = help_compile (GROWING);
  g_autoptr (GhloSession) other = ghlo_session_new (growing);
  g_autoptr (GhloBuffer) pair = pair_new (1, 1);
  g_autoptr (GhloBuffer) real = help_buffer ("tensor<2xf32>", floats, sizeof floats);
  g_autoptr (GhloBuffer) released = pair_new (1, 1);
  g_autoptr (GError) error = NULL;

  ghlo_buffer_release (released);
  assert_refused (ghlo_session_bind_input (session, 2, pair, &error), &error, "expected*2 inputs*found input 2");
  assert_refused (ghlo_session_bind_input (session, 1, pair, &error), &error, "input 1*output 1 is carried into it");
  assert_refused (ghlo_session_bind_input (session, 0, NULL, &error), &error, "*input 0*nothing*");
  assert_refused (ghlo_session_bind_input (session, 0, released, &error), &error, "input 0*released*");
  assert_refused (ghlo_session_bind_input (session, 0, real, &error), &error,
                  "expected tensor<2xi32> for input 0 ('step'), found tensor<2xf32>");

  assert_refused (ghlo_session_carry (session, 2, 0, pair, &error), &error, "expected*2 outputs*found output 2");
  assert_refused (ghlo_session_carry (session, 0, 9, pair, &error), &error, "expected*2 inputs*found input 9");
  assert_refused (ghlo_session_carry (session, 0, 0, NULL, &error), &error, "*input 0*nothing*");
  assert_refused (ghlo_session_carry (session, 0, 0, real, &error), &error, "*found tensor<2xf32>");
  assert_refused (ghlo_session_carry (other, 1, 0, pair, &error), &error,
                  "output 1 cannot be carried into input 0: expected tensor<?xi32>*found tensor<2xf32>");
  assert_refused (ghlo_session_carry (other, 0, 1, real, &error), &error,
                  "output 0 cannot be carried into input 1: expected tensor<2xf32>*found tensor<?xi32>");
  g_assert_true (ghlo_session_bind_input (other, 0, pair, &error));
  assert_refused (ghlo_session_carry (other, 0, 0, pair, &error), &error, "output 0*input 0, which is bound");

  assert_refused (ghlo_session_copy_state (session, 0, NULL, &error) != NULL, &error, "*found input 0*no state");
  assert_refused (ghlo_session_copy_state (session, 7, NULL, &error) != NULL, &error, "*2 inputs*found input 7");

  assert_run_refused (session, NULL, 0, "expected 1 inputs*found 0");
  assert_run_refused (session, NULL, 1, "expected 1 inputs*found 0");
  assert_run_refused (session, (GhloBuffer *[]) { pair, pair }, 2, "expected 1 inputs*found 2");
  assert_run_refused (session, (GhloBuffer *[]) { NULL }, 1, "*input 0*nothing*");
  assert_run_refused (session, (GhloBuffer *[]) { released }, 1, "input 0*released*");
  assert_run_refused (session, (GhloBuffer *[]) { real }, 1, "*found tensor<2xf32>");

  /* None of these runs began, so nothing was lost. */
  assert_state (session, 0, 0);
  step (session, 1, 2, 0);
}

/* A session made without an executable, or with one that lacks its constructor's data. */
static void
test_bare (void)
{
  g_autoptr (GhloExecutable) executable = g_object_new (GHLO_TYPE_EXECUTABLE, NULL);
  g_autoptr (GhloBuffer) pair = pair_new (1, 1);
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GhloSession) session = i == 0 ? g_object_new (GHLO_TYPE_SESSION, NULL) : ghlo_session_new (executable);
      g_autofree char *names = NULL;
      Wait wait;

      g_assert_true (ghlo_session_get_executable (session) == (i == 0 ? NULL : executable));
      assert_refused (ghlo_session_bind_input (session, 0, pair, &error), &error, "*without an executable*");
      assert_refused (ghlo_session_carry (session, 0, 0, pair, &error), &error, "*without an executable*");
      assert_refused (ghlo_session_reset (session, &error), &error, "*without an executable*");
      assert_refused (ghlo_session_carry_all (session, NULL, 0, &error), &error, "*without an executable*");
      assert_refused (ghlo_session_bind_input_by_name (session, "x", pair, &error), &error, "*without an executable*");
      names = list_names (session);
      g_assert_cmpstr (names, ==, "");
      assert_refused (ghlo_session_copy_state (session, 0, NULL, &error) != NULL, &error, "*without an executable*");
      assert_run_refused (session, NULL, 0, "*without an executable*");
      wait_init (&wait, 1);
      ghlo_session_copy_state_async (session, 0, NULL, on_ready, &wait);
      g_main_loop_run (wait.loop);
      assert_refused (ghlo_session_copy_state_finish (session, wait.results->pdata[0], &error) != NULL, &error, "*");
      wait_clear (&wait);
      g_object_set (session, "progress", progress, "profile", TRUE, NULL);
      g_assert_true (ghlo_session_get_progress (session) == progress);
      g_assert_true (ghlo_session_get_profile (session));
    }
}

static void
test_progress (void)
{
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GhloBuffer) pair = pair_new (1, 1);
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GhloExecutable) executable = NULL;
  guint n_notified = 0;
  Wait wait;

  g_signal_connect (session, "notify::progress", G_CALLBACK (on_pending), &n_notified);
  g_object_set (session, "progress", progress, NULL);
  g_object_set (session, "progress", progress, NULL);
  g_assert_cmpuint (n_notified, ==, 1);
  g_object_get (session, "executable", &executable, NULL);
  g_assert_true (executable == ghlo_session_get_executable (session));

  step (session, 0, 0, 0);
  g_assert_cmpfloat (ghlo_progress_get_fraction (progress), ==, 1);
  wait_init (&wait, 1);
  ghlo_session_run_async (session, &pair, 1, NULL, on_ready, &wait);
  g_main_loop_run (wait.loop);
  g_assert_cmpint (ghlo_progress_get_stage (progress), ==, GHLO_PROGRESS_STAGE_DONE);
  wait_clear (&wait);
}

/* Two sessions over one executable are independent. */
static void
test_independent (void)
{
  g_autoptr (GhloSession) one = counter_new (HELP_COUNTER);
  g_autoptr (GhloSession) two = ghlo_session_new (ghlo_session_get_executable (one));
  g_autoptr (GhloBuffer) initial = pair_new (5, 5);
  g_autoptr (GError) error = NULL;

  g_assert_true (ghlo_session_carry (two, 1, 1, initial, &error));
  step (one, 1, 2, 0);
  assert_state (one, 1, 2);
  assert_state (two, 5, 5);
}

static void
test_fork (void)
{
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GhloBuffer) pair = pair_new (1, 1);
  int status;
  pid_t child;

  step (session, 1, 2, 0);
  child = fork ();
  if (child == 0)
    {
      g_autoptr (GError) error = NULL;

      if (ghlo_session_run (session, &pair, 1, NULL, &error) != NULL
          || !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_DEVICE))
        _exit (1);
      g_clear_error (&error);
      if (ghlo_session_reset (session, &error) || !g_error_matches (error, GHLO_ERROR, GHLO_ERROR_DEVICE))
        _exit (2);
      /* Valgrind reports memory held by threads that do not exist in the child as a leak. */
      if (g_getenv ("GHLO_TEST_SLOW") != NULL)
        execlp ("true", "true", NULL);
      _exit (0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static void
count_free (gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

static GhloBuffer *
numbers_new (const char *type,
             float      *numbers,
             gsize       n,
             gint       *n_freed)
{
  g_autoptr (GhloTensorType) tensor_type = ghlo_tensor_type_parse (type, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (numbers, n * sizeof *numbers, count_free, n_freed);

  for (gsize i = 0; i < n; i++)
    numbers[i] = (float) (i * 37 % 101) / 64;

  return ghlo_buffer_new_from_bytes (tensor_type, bytes, NULL);
}

/* Results do not depend on whether the session is the only one that has what is bound to it, which may then be returned
 * to its owner early; what somebody else has is not. */
static void
test_given_up (void)
{
  g_autofree float *x = g_new (float, 37 * 300), *kernel = g_new (float, 300 * 523);
  gint n_freed_x = 0, n_freed = 0;
  g_autoptr (GhloExecutable) executable = help_compile (PRODUCT);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) input = numbers_new ("tensor<37x300xf32>", x, 37 * 300, &n_freed_x);
  GhloBuffer *bound = numbers_new ("tensor<300x523xf32>", kernel, 300 * 523, &n_freed);
  g_autoptr (GBytes) first = NULL;

  g_assert_true (ghlo_session_bind_input (session, 1, bound, NULL));
  for (guint i = 0; i < 8; i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run (session, &input, 1, NULL, NULL);
      g_autoptr (GBytes) bytes = ghlo_buffer_read (ghlo_result_get_output (result, 0), NULL, NULL);

      if (i == 0)
        first = g_bytes_ref (bytes);
      g_assert_true (g_bytes_equal (bytes, first));
      if (i < 4)
        g_assert_cmpint (g_atomic_int_get (&n_freed), ==, 0);
      if (i == 3)
        g_clear_object (&bound);
      if (i > 4 && g_atomic_int_get (&n_freed) == 1)
        memset (kernel, 0xff, 300 * 523 * sizeof *kernel);
    }
  g_test_message ("returned while it is bound: %d", g_atomic_int_get (&n_freed));
  g_clear_object (&session);
  g_assert_cmpint (g_atomic_int_get (&n_freed), ==, 1);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session/carry", test_carry);
  g_test_add_func ("/session/bind", test_bind);
  g_test_add_func ("/session/carry-all", test_carry_all);
  g_test_add_func ("/session/carry-all-again", test_carry_all_again);
  g_test_add_func ("/session/list-inputs", test_list_inputs);
  g_test_add_func ("/session/copies", test_copies);
  g_test_add_func ("/session/given-up", test_given_up);
  g_test_add_func ("/session/failed", test_failed);
  g_test_add_func ("/session/growing", test_growing);
  g_test_add_func ("/session/mistakes", test_mistakes);
  g_test_add_func ("/session/bare", test_bare);
  g_test_add_func ("/session/progress", test_progress);
  g_test_add_func ("/session/independent", test_independent);
  g_test_add_func ("/session/fork", test_fork);

  return g_test_run ();
}
