/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The order of a session's calls, from one thread and from several, what a run leaves that is cancelled before its turn
 * or in it, and objects that are dropped in the meantime.
 */

#include "session-help.h"

#include <string.h>

/* HELP_COUNTER, after counting to limit. */
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

/* Its sines take some tenths of a millisecond. */
#if SANITIZED
#define LONG "tensor<1000xf32>"
#else
#define LONG "tensor<100000xf32>"
#endif

/* HELP_COUNTER with that work, which does not check for cancellation. */
#define LONG_COUNTER \
  "func.func @main(%x: " LONG ", %total: tensor<2xi32>) -> (" LONG ", tensor<2xi32>) {\n" \
  "  %ones = stablehlo.constant dense<1> : tensor<2xi32>\n" \
  "  %0 = stablehlo.add %total, %ones : tensor<2xi32>\n" \
  "  %1 = stablehlo.sine %x : " LONG "\n" \
  "  return %1, %0 : " LONG ", tensor<2xi32>\n" \
  "}\n"

/* Far more steps than any test waits for. */
enum { ENDLESS = G_MAXINT32 };

static GhloBuffer *
number_new (gint32 value)
{
  return help_buffer ("tensor<i32>", &value, sizeof value);
}

/* Runs called in a row are executed and answered one after the other; a reset and a copy between them take their
 * turn. */
static void
test_order (void)
{
  enum { N = 50 };
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GhloBuffer) one = pair_new (1, 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloBuffer) copy = NULL;
  guint n_notified = 0;
  Wait wait;

  g_signal_connect (session, "notify::pending", G_CALLBACK (on_pending), &n_notified);
  wait_init (&wait, 2 * N + 1);
  for (guint i = 0; i < N; i++)
    ghlo_session_run_async (session, &one, 1, NULL, on_ready, &wait);
  ghlo_session_copy_state_async (session, 1, NULL, on_ready, &wait);
  g_assert_true (ghlo_session_reset (session, &error));
  for (guint i = 0; i < N; i++)
    ghlo_session_run_async (session, &one, 1, NULL, on_ready, &wait);
  g_assert_cmpuint (ghlo_session_get_pending (session), ==, 2 * N);
  g_assert_cmpuint (wait.results->len, ==, 0);

  /* A sync call waits for all of them without the main loop. */
  assert_state (session, N, 2 * N);
  g_main_loop_run (wait.loop);

  for (guint i = 0; i < wait.results->len; i++)
    {
      g_autoptr (GhloResult) result = NULL;

      if (i == N)
        continue;
      result = ghlo_session_run_finish (session, wait.results->pdata[i], &error);
      g_assert_no_error (error);
      assert_pair (ghlo_result_get_output (result, 0), i < N ? i : i - N - 1, 2 * (i < N ? i : i - N - 1));
      g_assert_cmpuint (g_array_index (wait.pending, guint, i), ==, i < N ? 2 * N - 1 - i : 2 * N - i);
    }
  copy = ghlo_session_copy_state_finish (session, wait.results->pdata[N], &error);
  g_assert_no_error (error);
  assert_pair (copy, N, 2 * N);
  g_assert_cmpuint (n_notified, ==, 4 * N);
  wait_clear (&wait);
}

static void
assert_lost (GhloSession *session)
{
  g_autoptr (GhloBuffer) none = number_new (0);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_assert_null (ghlo_session_run (session, &none, 1, NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "input 1 was lost"));
      g_assert_nonnull (strstr (error->message, "reset"));
      g_clear_error (&error);
    }
  g_assert_null (ghlo_session_copy_state (session, 1, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

/* After a reset the session works like a new one. */
static void
assert_recovers (GhloSession *session)
{
  g_autoptr (GhloBuffer) none = number_new (0);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;

  g_assert_true (ghlo_session_reset (session, &error));
  assert_state (session, 0, 0);
  result = ghlo_session_run (session, &none, 1, NULL, &error);
  g_assert_no_error (error);
  assert_state (session, 1, 1);
}

static gboolean
cancel_now (gpointer data)
{
  g_cancellable_cancel (data);

  return G_SOURCE_REMOVE;
}

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (30000);
  g_cancellable_cancel (data);

  return NULL;
}

/* A cancelled async run is answered at once, and the runs after it report that the carried values are lost; a reset
 * may be called before the work has ended. */
static void
test_cancel_async (void)
{
  g_autoptr (GhloSession) session = counter_new (SLOW_COUNTER);
  g_autoptr (GhloBuffer) endless = number_new (ENDLESS);
  g_autoptr (GhloBuffer) none = number_new (0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  Wait wait;

  wait_init (&wait, 2);
  ghlo_session_run_async (session, &endless, 1, cancellable, on_ready, &wait);
  ghlo_session_run_async (session, &none, 1, NULL, on_ready, &wait);
  g_timeout_add (30, cancel_now, cancellable);
  g_main_loop_run (wait.loop);
  g_assert_null (ghlo_session_run_finish (session, wait.results->pdata[0], &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (ghlo_session_run_finish (session, wait.results->pdata[1], &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  wait_clear (&wait);
  assert_lost (session);
  assert_recovers (session);
}

typedef struct
{
  GhloSession  *session;
  GCancellable *cancellable;
} Call;

static gpointer
run_cancelled (gpointer data)
{
  Call *call = data;
  g_autoptr (GhloBuffer) none = number_new (0);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_session_run (call->session, &none, 1, call->cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);

  return NULL;
}

typedef struct
{
  GhloSession  *session;
  GhloProgress *progress;
  Wait         *wait;
} Turn;

/* Cancels from within a run, so that the other calls wait for their turn in the meantime. */
static void
cancel_behind (GObject    *progress,
               GParamSpec *pspec,
               gpointer    data)
{
  Turn *turn = data;
  g_autoptr (GCancellable) queued = g_cancellable_new (), waiting = g_cancellable_new ();
  g_autoptr (GhloBuffer) none = number_new (0);
  Call call = { turn->session, waiting };
  GThread *run, *cancel;

  if (turn->session == NULL)
    return;
  turn->session = NULL;
  ghlo_session_set_progress (call.session, NULL);
  ghlo_session_run_async (call.session, &none, 1, queued, on_ready, turn->wait);
  run = g_thread_new ("run", run_cancelled, &call);
  cancel = g_thread_new ("cancel", cancel_soon, waiting);
  g_cancellable_cancel (queued);
  g_thread_join (run);
  g_thread_join (cancel);
}

/* Runs that are cancelled before the call, or while they wait for another run, do not begin: the carried values are
 * those of the runs that took place. */
static void
test_cancel_queued (void)
{
  g_autoptr (GhloSession) session = counter_new (SLOW_COUNTER);
  g_autoptr (GhloBuffer) none = number_new (0);
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;
  Call call = { session, cancelled };
  Wait wait;
  Turn turn = { session, progress, &wait };

  wait_init (&wait, 2);
  ghlo_session_set_progress (session, progress);
  g_signal_connect (progress, "notify", G_CALLBACK (cancel_behind), &turn);
  result = ghlo_session_run (session, &none, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_null (turn.session);
  assert_state (session, 1, 1);

  g_cancellable_cancel (cancelled);
  run_cancelled (&call);
  ghlo_session_run_async (session, &none, 1, cancelled, on_ready, &wait);
  g_main_loop_run (wait.loop);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_null (ghlo_session_run_finish (session, wait.results->pdata[i], &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_clear_error (&error);
    }
  wait_clear (&wait);
  assert_state (session, 1, 1);
  g_clear_object (&result);
  result = ghlo_session_run (session, &none, 1, NULL, &error);
  g_assert_no_error (error);
  assert_state (session, 2, 2);
}

static gpointer
cancel_at (gpointer data)
{
  g_usleep (g_test_rand_int_range (0, 300));
  g_cancellable_cancel (data);

  return NULL;
}

/* Whenever a run is cancelled, either it never began, or the state is lost. */
static void
test_cancel_any_time (void)
{
  g_autoptr (GhloSession) session = counter_new (LONG_COUNTER);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse (LONG, NULL);
  g_autoptr (GhloBuffer) zeros = ghlo_buffer_new_zeros (type, NULL);
  guint kept = 0, lost = 0, count = 0;

  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL, problem = NULL;
      g_autoptr (GhloResult) result = NULL;
      g_autoptr (GhloBuffer) state = NULL;
      GThread *thread;
      Wait wait;

      wait_init (&wait, 1);
      thread = g_thread_new ("cancel", cancel_at, cancellable);
      ghlo_session_run_async (session, &zeros, 1, cancellable, on_ready, &wait);
      g_main_loop_run (wait.loop);
      result = ghlo_session_run_finish (session, wait.results->pdata[0], &error);
      state = ghlo_session_copy_state (session, 1, NULL, &problem);
      count += result != NULL;
      if (state != NULL)
        assert_pair (state, count, count);
      else
        {
          g_assert_null (result);
          g_assert_true (ghlo_session_reset (session, NULL));
          count = 0;
        }
      kept += result == NULL && state != NULL;
      lost += state == NULL;
      g_thread_join (thread);
      wait_clear (&wait);
    }
  g_test_message ("%u runs had not begun, %u were under way", kept, lost);
}

/* A sync call returns when cancelled, whether it is running or waiting for its turn. */
static void
test_cancel_sync (void)
{
  g_autoptr (GhloSession) session = counter_new (SLOW_COUNTER);
  g_autoptr (GhloBuffer) endless = number_new (ENDLESS);
  g_autoptr (GCancellable) running = g_cancellable_new ();
  g_autoptr (GCancellable) waiting = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread;
  Wait wait;

  thread = g_thread_new ("cancel", cancel_soon, running);
  g_assert_null (ghlo_session_run (session, &endless, 1, running, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  assert_lost (session);
  assert_recovers (session);

  g_cancellable_reset (running);
  wait_init (&wait, 1);
  ghlo_session_run_async (session, &endless, 1, running, on_ready, &wait);
  thread = g_thread_new ("cancel", cancel_soon, waiting);
  g_assert_null (ghlo_session_copy_state (session, 1, waiting, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (ghlo_session_run (session, &endless, 1, waiting, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  g_assert_cmpuint (ghlo_session_get_pending (session), ==, 1);
  g_cancellable_cancel (running);
  g_main_loop_run (wait.loop);
  wait_clear (&wait);
  assert_lost (session);
  assert_recovers (session);
}

/* A cancelled copy loses nothing. */
static void
test_cancel_copy (void)
{
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (ghlo_session_copy_state (session, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  assert_state (session, 0, 0);
}

static void
on_dropped (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  g_main_loop_quit (data);
}

/* The caller may drop everything while runs are in progress or queued. */
static void
test_dropped (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  for (guint i = 0; i < 20; i++)
    {
      GhloSession *session = counter_new (SLOW_COUNTER);
      GhloBuffer *input = number_new (i % 2 ? ENDLESS : 10);

      ghlo_session_run_async (session, &input, 1, cancellable, NULL, NULL);
      ghlo_session_run_async (session, &input, 1, cancellable, i == 19 ? on_dropped : NULL, loop);
      g_object_unref (input);
      g_object_unref (session);
    }
  g_cancellable_cancel (cancellable);
  g_main_loop_run (loop);
}

enum { N_THREADS = 4, N_RUNS = 100 };

static gpointer
run_many (gpointer data)
{
  g_autoptr (GhloBuffer) one = pair_new (1, 2);

  for (guint i = 0; i < N_RUNS; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result G_GNUC_UNUSED = ghlo_session_run (data, &one, 1, NULL, &error);

      g_assert_no_error (error);
    }

  return NULL;
}

/* No thread's run is lost, and no two runs overlap. */
static void
test_threads (void)
{
  g_autoptr (GhloSession) session = counter_new (HELP_COUNTER);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("run", run_many, session);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  assert_state (session, N_THREADS * N_RUNS, 2 * N_THREADS * N_RUNS);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/session/order", test_order);
  g_test_add_func ("/session/cancel-async", test_cancel_async);
  g_test_add_func ("/session/cancel-queued", test_cancel_queued);
  g_test_add_func ("/session/cancel-any-time", test_cancel_any_time);
  g_test_add_func ("/session/cancel-sync", test_cancel_sync);
  g_test_add_func ("/session/cancel-copy", test_cancel_copy);
  g_test_add_func ("/session/dropped", test_dropped);
  g_test_add_func ("/session/threads", test_threads);

  return g_test_run ();
}
