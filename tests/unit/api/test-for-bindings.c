/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * API for language bindings, through the shared library: calls that emit signals for the application to answer, and
 * memory that an object keeps alive.
 */

#include "api-help.h"

#include <string.h>

/* The data of a signal. */
typedef struct
{
  GMainLoop    *loop;
  GAsyncResult *result;
  guint         n;
} Answer;

static void
on_answered (GhloPendingCall *call,
             GAsyncResult    *result,
             gpointer         data)
{
  Answer *answer = data;

  g_assert_true (GHLO_IS_PENDING_CALL (call));
  g_set_object (&answer->result, result);
  answer->n++;
  g_main_loop_quit (answer->loop);
}

static GhloPendingCall *
pending_new (Answer *answer)
{
  GhloPendingCall *call = ghlo_pending_call_new ();

  *answer = (Answer) { g_main_loop_new (NULL, FALSE) };
  g_signal_connect (call, "answered", G_CALLBACK (on_answered), answer);

  return call;
}

/* Waits for the signal of a call that must not have answered before it returned. */
static GAsyncResult *
wait_for (Answer *answer)
{
  g_assert_cmpuint (answer->n, ==, 0);
  g_main_loop_run (answer->loop);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (answer->n, ==, 1);

  return answer->result;
}

static void
answer_clear (Answer *answer)
{
  g_clear_object (&answer->result);
  g_clear_pointer (&answer->loop, g_main_loop_unref);
}

/* The call keeps the object that reports its answer alive. */
static void
test_answered (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloBuffer) left = help_counts (), right = help_ones ();
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  GhloPendingCall *call;
  Answer answer;

  call = pending_new (&answer);
  ghlo_executable_execute_async (executable, (GhloBuffer *[]) { left, right }, 2, G_CANCELLABLE (call), NULL, NULL);
  g_object_unref (call);
  result = ghlo_executable_execute_finish (executable, wait_for (&answer), &error);
  g_assert_no_error (error);
  help_assert_sum (result);
  answer_clear (&answer);

  call = pending_new (&answer);
  ghlo_buffer_read_async (left, G_CANCELLABLE (call), NULL, NULL);
  g_object_unref (call);
  bytes = ghlo_buffer_read_finish (left, wait_for (&answer), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 24);
  answer_clear (&answer);

  call = pending_new (&answer);
  ghlo_executable_execute_async (executable, &left, 1, G_CANCELLABLE (call), NULL, NULL);
  g_assert_null (ghlo_executable_execute_finish (executable, wait_for (&answer), &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_object_add_weak_pointer (G_OBJECT (call), (gpointer *) &call);
  g_object_unref (call);
  answer_clear (&answer);
  g_assert_null (call);
}

static void
test_cancelled (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  g_autoptr (GhloBuffer) number = help_number ();
  g_autoptr (GhloPendingCall) call = NULL;
  g_autoptr (GError) error = NULL;
  GThread *thread;
  Answer answer;

  call = pending_new (&answer);
  ghlo_executable_execute_async (executable, &number, 1, G_CANCELLABLE (call), NULL, NULL);
  thread = help_cancel_later (G_CANCELLABLE (call), 20000);
  g_assert_null (ghlo_executable_execute_finish (executable, wait_for (&answer), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
  answer_clear (&answer);
}

/* With a callback, or in a blocking call, the object serves as a cancellable. */
static void
test_callback (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloBuffer) left = help_counts (), right = help_ones ();
  g_autoptr (GhloPendingCall) call = NULL;
  g_autoptr (GhloResult) result = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  Answer answer;

  call = pending_new (&answer);
  ghlo_executable_execute_async (executable, (GhloBuffer *[]) { left, right }, 2, G_CANCELLABLE (call), help_ready,
                                 &wait);
  result = ghlo_executable_execute_finish (executable, help_wait_for_call (&wait), &error);
  g_assert_no_error (error);
  help_wait_clear (&wait);
  again = ghlo_executable_execute (executable, (GhloBuffer *[]) { left, right }, 2, G_CANCELLABLE (call), &error);
  g_assert_no_error (error);
  help_assert_sum (again);
  g_assert_cmpuint (answer.n, ==, 0);
  answer_clear (&answer);
}

static void
on_gone (gpointer  n_gone,
         GObject  *owner)
{
  ++*(int *) n_gone;
}

static GObject *
owner_new (int *n_gone)
{
  GObject *owner = g_object_new (G_TYPE_OBJECT, NULL);

  g_object_weak_ref (owner, on_gone, n_gone);

  return owner;
}

/* The memory lives as long as the buffer and the data read from it need it. */
static void
test_buffer (void)
{
  static const float values[] = { 0, 1, 2, 3, 4, 5 };
  const gint64 gaps[] = { 16, 4 };
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<2x3xf32>", NULL);
  g_autoptr (GhloBuffer) buffer = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  int n_gone = 0;
  GObject *owner = owner_new (&n_gone);

  buffer = ghlo_buffer_new_from_owner (type, (guintptr) values, NULL, 0, owner, &error);
  g_assert_no_error (error);
  g_object_unref (owner);
  bytes = ghlo_buffer_get_host_bytes (buffer);
  g_assert_true (g_bytes_get_data (bytes, NULL) == values);
  g_clear_object (&buffer);
  g_assert_cmpint (n_gone, ==, 0);
  g_clear_pointer (&bytes, g_bytes_unref);
  g_assert_cmpint (n_gone, ==, 1);

  owner = owner_new (&n_gone);
  g_assert_null (ghlo_buffer_new_from_owner (type, (guintptr) values, gaps, 2, owner, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_object_unref (owner);
  g_assert_cmpint (n_gone, ==, 2);
  g_clear_error (&error);
  g_assert_null (ghlo_buffer_new_from_owner (type, (guintptr) values, NULL, 0, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

static void
test_output (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) left = help_counts (), right = help_ones ();
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GError) error = NULL;
  float sums[6] __attribute__ ((aligned (16)));
  int n_gone = 0;
  GObject *owner = owner_new (&n_gone);

  g_assert_true (ghlo_session_bind_owned_output (session, 0, (guintptr) sums, sizeof sums, owner, &error));
  g_assert_no_error (error);
  g_object_unref (owner);
  result = ghlo_session_run (session, (GhloBuffer *[]) { left, right }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (sums[5], ==, ((float *) help_read (left))[5] + 1);
  g_assert_cmpint (n_gone, ==, 0);
  g_assert_true (ghlo_session_unbind_output (session, 0, &error));
  g_assert_cmpint (n_gone, ==, 1);

  owner = owner_new (&n_gone);
  g_assert_false (ghlo_session_bind_owned_output (session, 1, (guintptr) sums, sizeof sums, owner, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_object_unref (owner);
  g_assert_cmpint (n_gone, ==, 2);
  g_clear_error (&error);
  g_assert_false (ghlo_session_bind_owned_output (session, 0, (guintptr) sums, sizeof sums, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/for-bindings/answered", test_answered);
  g_test_add_func ("/for-bindings/cancelled", test_cancelled);
  g_test_add_func ("/for-bindings/callback", test_callback);
  g_test_add_func ("/for-bindings/buffer", test_buffer);
  g_test_add_func ("/for-bindings/output", test_output);

  return g_test_run ();
}
