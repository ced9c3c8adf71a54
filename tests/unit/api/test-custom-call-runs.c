/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * When and where custom calls run: their order, threads, main contexts, cancellation, and the end of the process.
 */

#include "custom-call-help.h"

static gboolean
note (GhloCustomCall  *call,
      gpointer         data,
      GError         **error)
{
  g_autofree char *config = ghlo_custom_call_get_backend_config (call);
  const gint32 *i = ghlo_custom_call_get_operand_data (call, 0, NULL, error);

  g_string_append_printf (((CallLog *) data)->order, "%s%d ", config, *i);

  return TRUE;
}

/* Side effects happen in program order, each as often as the program says, even where no result is used. */
static void
test_order (void)
{
  static const char text[] =
    "func.func @main(%x: tensor<4xf32>) -> tensor<i32> {\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %three = stablehlo.constant dense<3> : tensor<i32>\n"
    "  stablehlo.custom_call @f(%zero) {has_side_effect = true, backend_config = \"a\"} : (tensor<i32>) -> ()\n"
    "  stablehlo.custom_call @f(%zero) {has_side_effect = true, backend_config = \"a\"} : (tensor<i32>) -> ()\n"
    "  %0 = stablehlo.while(%i = %zero) : tensor<i32>\n"
    "    cond {\n"
    "      %2 = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "      stablehlo.return %2 : tensor<i1>\n"
    "    } do {\n"
    "      stablehlo.custom_call @f(%one) {has_side_effect = true, backend_config = \"b\"} : (tensor<i32>) -> ()\n"
    "      %3 = stablehlo.add %i, %one : tensor<i32>\n"
    "      stablehlo.custom_call @f(%3) {has_side_effect = true, backend_config = \"c\"} : (tensor<i32>) -> ()\n"
    "      stablehlo.return %3 : tensor<i32>\n"
    "    }\n"
    "  stablehlo.custom_call @f(%0) {has_side_effect = true, backend_config = \"d\"} : (tensor<i32>) -> ()\n"
    "  return %0 : tensor<i32>\n"
    "}\n";

  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GString) order = g_string_new (NULL);
      CallLog seen = { .order = order };
      g_autoptr (GhloClient) client = calls_client ("f", note, &seen);
      g_autoptr (GhloExecutable) executable = round == 0 ? calls_compile (client, text)
                                                             : calls_compile_on_reference (client, text);
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result = calls_execute (executable, &error);

      g_assert_no_error (error);
      g_assert_nonnull (result);
      g_assert_cmpstr (order->str, ==, "a0 a0 b1 c1 b1 c2 b1 c3 d3 ");
    }
}

enum { N_THREADS = 8, N_ROUNDS = 50 };

typedef struct
{
  GhloClient     *client;
  GhloExecutable *executable;
  CallLog                *seen;
} Shared;

static gboolean
scale_own (GhloCustomCall  *call,
           gpointer         data,
           GError         **error)
{
  CallLog own = { .factor = ((CallLog *) data)->factor };

  g_atomic_int_inc (&((CallLog *) data)->n_calls);

  return calls_scale (call, &own, error);
}

static gpointer
run_many (gpointer data)
{
  const Shared *shared = data;

  for (guint i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloExecutable) executable = NULL;

      calls_assert_scales (shared->executable, 5);
      if (i % 10 != 0)
        continue;
      g_assert_true (ghlo_client_register_custom_call (shared->client, "scale", scale_own, shared->seen,
                                                       calls_destroyed, NULL, &error));
      executable = calls_compile (shared->client, CALLS_SCALE (""));
      calls_assert_scales (executable, 5);
    }

  return NULL;
}

/* One function for runs, compiles and registrations on many threads; each registration is released once. */
static void
test_threads (void)
{
  CallLog seen = { .factor = 5 };
  g_autoptr (GhloClient) client = calls_client ("scale", scale_own, &seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  Shared shared = { client, executable, &seen };
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("runs", run_many, &shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (seen.n_calls, ==, N_THREADS * (N_ROUNDS + N_ROUNDS / 10));
  g_clear_object (&executable);
  g_clear_object (&client);
  g_assert_cmpint (seen.n_destroyed, ==, 1 + N_THREADS * (N_ROUNDS / 10));
}

static void
test_async (void)
{
  CallLog seen = { .factor = 2 };
  g_autoptr (GhloClient) client = calls_client ("scale", calls_scale, &seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloResult) result = NULL;

  ghlo_executable_execute_async (executable, &x, 1, NULL, help_ready, &wait);
  result = ghlo_executable_execute_finish (executable, help_wait_for_call (&wait), &error);
  g_assert_no_error (error);
  calls_assert_output (result, 2);
  g_assert_true (seen.thread != g_thread_self ());
  help_wait_clear (&wait);
}

/* Waits until the function, which nothing else refers to, is released: possibly in the context of @wait, whose
 * answer holds the executable. */
static void
end_wait (HelpWait *wait,
          CallLog     *seen)
{
  g_autoptr (GMainContext) context = g_main_context_ref (wait->context);

  help_wait_clear (wait);
  while (g_atomic_int_get (&seen->n_destroyed) == 0)
    {
      g_main_context_iteration (context, FALSE);
      g_usleep (1000);
    }
  g_assert_cmpint (seen->n_destroyed, ==, 1);
}

/* A client whose function belongs to this thread's context. */
static GhloClient *
client_in_context (CallLog *seen)
{
  g_autoptr (GMainContext) context = g_main_context_ref_thread_default ();
  g_autoptr (GError) error = NULL;
  GhloClient *client = ghlo_client_new ();

  g_assert_true (ghlo_client_register_custom_call (client, "scale", calls_scale, seen, calls_destroyed, context,
                                                   &error));
  g_assert_no_error (error);

  return client;
}

/* The function is called in its context, either by the main loop or by a call that blocks the context's thread, and
 * released in the context. */
static void
test_context (void)
{
  CallLog seen = { .factor = 2 };
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloClient) client = client_in_context (&seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;

  ghlo_executable_execute_async (executable, &x, 1, NULL, help_ready, &wait);
  result = ghlo_executable_execute_finish (executable, help_wait_for_call (&wait), &error);
  g_assert_no_error (error);
  calls_assert_output (result, 2);
  g_assert_true (seen.thread == g_thread_self ());

  seen.thread = NULL;
  calls_assert_scales (executable, 2);
  g_assert_true (seen.thread == g_thread_self ());

  g_clear_object (&executable);
  g_clear_object (&client);
  g_assert_cmpint (seen.n_destroyed, ==, 0);
  end_wait (&wait, &seen);
}

/* A synchronous run of a session that is queued behind a run whose custom call this thread must answer. */
static void
test_context_session (void)
{
  CallLog seen = { .factor = 2 };
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloClient) client = client_in_context (&seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) first = NULL;
  g_autoptr (GhloResult) second = NULL;

  ghlo_session_run_async (session, &x, 1, NULL, help_ready, &wait);
  second = ghlo_session_run (session, &x, 1, NULL, &error);
  g_assert_no_error (error);
  calls_assert_output (second, 2);
  first = ghlo_session_run_finish (session, help_wait_run (&wait), &error);
  g_assert_no_error (error);
  calls_assert_output (first, 2);
  g_assert_cmpint (seen.n_calls, ==, 2);

  /* The client's last registration is released. */
  g_clear_object (&session);
  g_clear_object (&executable);
  g_clear_object (&client);
  end_wait (&wait, &seen);
}

typedef struct
{
  GhloExecutable *executable;
  GCancellable   *cancellable;
  GError         *error;
} Run;

static gpointer
run_elsewhere (gpointer data)
{
  Run *run = data;
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);
  g_autoptr (GhloResult) result = ghlo_executable_execute (run->executable, &x, 1, run->cancellable, &run->error);

  return result != NULL ? result : NULL;
}

/* If nobody iterates the context, a run waits until it is cancelled. */
static void
test_context_cancelled (void)
{
  CallLog seen = { .factor = 2 };
  HelpWait wait = help_wait_init ();
  g_autoptr (GhloClient) client = client_in_context (&seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_SCALE (""));
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Run run = { executable, cancellable, NULL };
  GThread *thread = g_thread_new ("run", run_elsewhere, &run), *canceller = help_cancel_later (cancellable, 20000);

  g_assert_null (g_thread_join (thread));
  g_assert_error (run.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (seen.n_calls, ==, 0);
  g_thread_join (canceller);
  g_clear_error (&run.error);
  g_clear_object (&executable);
  g_clear_object (&client);
  end_wait (&wait, &seen);
}

static gboolean
waits (GhloCustomCall  *call,
       gpointer         data,
       GError         **error)
{
  g_atomic_int_inc (&((CallLog *) data)->n_calls);
  while (!g_cancellable_set_error_if_cancelled (ghlo_custom_call_get_cancellable (call), error))
    g_usleep (1000);

  return FALSE;
}

/* A function is told when its run is cancelled; the caller does not wait for it. */
static void
test_cancel (void)
{
  CallLog seen = { 0 };
  g_autoptr (GhloClient) client = calls_client ("f", waits, &seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_F);
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();

  ghlo_executable_execute_async (executable, &x, 1, cancellable, help_ready, &wait);
  while (g_atomic_int_get (&seen.n_calls) == 0)
    g_usleep (1000);
  g_cancellable_cancel (cancellable);
  g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&wait), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_object (&executable);
  g_clear_object (&client);
  end_wait (&wait, &seen);
}

static gboolean
sleeps (GhloCustomCall  *call,
        gpointer         data,
        GError         **error)
{
  g_atomic_int_inc (&((CallLog *) data)->n_calls);
  while (TRUE)
    g_usleep (G_USEC_PER_SEC);

  return TRUE;
}

/* In child processes, where nothing can be called afterwards. */
static void
test_shut_down (void)
{
  g_test_trap_subprocess ("/custom-call-runs/shut-down/subprocess/waits", 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_subprocess ("/custom-call-runs/shut-down/subprocess/sleeps", 0, 0);
  g_test_trap_assert_passed ();
}

static void
start_many (GhloExecutable *executable,
            HelpWait        waits[],
            guint           n_waits)
{
  g_autoptr (GhloBuffer) x = help_buffer ("tensor<4xf32>", calls_counts, sizeof calls_counts);

  for (guint i = 0; i < n_waits; i++)
    {
      waits[i] = help_wait_init ();
      ghlo_executable_execute_async (executable, &x, 1, NULL, help_ready, &waits[i]);
    }
}

/* The run in progress and those behind it end, and so does every later one. */
static void
test_shut_down_waits (void)
{
  CallLog seen = { 0 };
  g_autoptr (GhloClient) client = calls_client ("f", waits, &seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_F);
  HelpWait pending[20];
  guint n_calls;

  start_many (executable, pending, G_N_ELEMENTS (pending));
  while (g_atomic_int_get (&seen.n_calls) == 0)
    g_usleep (1000);
  g_assert_true (ghlo_shut_down (60000));
  n_calls = g_atomic_int_get (&seen.n_calls);

  for (guint i = 0; i < G_N_ELEMENTS (pending); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&pending[i]), &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      help_wait_clear (&pending[i]);
    }
  start_many (executable, pending, 1);
  g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&pending[0]), NULL));
  help_wait_clear (&pending[0]);
  g_clear_object (&executable);
  g_clear_object (&client);
  g_assert_cmpint (g_atomic_int_get (&seen.n_calls), ==, n_calls);
  g_assert_cmpint (g_atomic_int_get (&seen.n_destroyed), ==, 0);
}

/* A function that never returns is left running. */
static void
test_shut_down_sleeps (void)
{
  static CallLog seen;
  g_autoptr (GhloClient) client = calls_client ("f", sleeps, &seen);
  g_autoptr (GhloExecutable) executable = calls_compile (client, CALLS_F);
  static HelpWait pending[1];

  start_many (executable, pending, G_N_ELEMENTS (pending));
  while (g_atomic_int_get (&seen.n_calls) == 0)
    g_usleep (1000);
  g_assert_false (ghlo_shut_down (10));
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/custom-call-runs/order", test_order);
  g_test_add_func ("/custom-call-runs/threads", test_threads);
  g_test_add_func ("/custom-call-runs/async", test_async);
  g_test_add_func ("/custom-call-runs/context", test_context);
  g_test_add_func ("/custom-call-runs/context-session", test_context_session);
  g_test_add_func ("/custom-call-runs/context-cancelled", test_context_cancelled);
  g_test_add_func ("/custom-call-runs/cancel", test_cancel);
  g_test_add_func ("/custom-call-runs/shut-down", test_shut_down);
  g_test_add_func ("/custom-call-runs/shut-down/subprocess/waits", test_shut_down_waits);
  g_test_add_func ("/custom-call-runs/shut-down/subprocess/sleeps", test_shut_down_sleeps);

  return g_test_run ();
}
