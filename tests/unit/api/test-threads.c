/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Many threads use the same objects at once: runs, compiles, reads, releases and cancels. ThreadSanitizer
 * (tests/tsan/run) finds most of the errors that this test is for.
 */

#include "api-help.h"

#include <string.h>

enum { N_THREADS = 8, N_ROUNDS = 40 };

typedef struct
{
  GhloClient     *client;
  GhloProgram    *program;
  GhloExecutable *executable;      /* of HELP_ADD */
  GhloExecutable *endless;
  GhloBuffer     *inputs[2];
  GhloBuffer     *number;
} Shared;

typedef void (*Round) (Shared *shared,
                       guint   round);

typedef struct
{
  Shared *shared;
  Round   round;
} Caller;

static void
round_run (Shared *shared,
           guint   round)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_executable_execute (shared->executable, shared->inputs, 2, NULL, &error);

  g_assert_no_error (error);
  help_assert_sum (result);
}

static void
round_run_async (Shared *shared,
                 guint   round)
{
  HelpWait waits[4];

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      waits[i] = help_wait_init ();
      ghlo_executable_execute_async (shared->executable, shared->inputs, 2, NULL, help_ready, &waits[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloResult) result = ghlo_executable_execute_finish (shared->executable, help_wait_run (&waits[i]),
                                                                      &error);

      g_assert_no_error (error);
      g_assert_true (waits[i].thread == g_thread_self ());
      help_assert_sum (result);
      help_wait_clear (&waits[i]);
    }
}

/* Cancels from another thread while the call is made, waits, runs or is answered. */
static void
round_cancel_async (Shared *shared,
                    guint   round)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = help_cancel_later (cancellable, round % 4 * 300);
  HelpWait wait = help_wait_init ();

  ghlo_executable_execute_async (shared->endless, &shared->number, 1, cancellable, help_ready, &wait);
  g_assert_null (ghlo_executable_execute_finish (shared->endless, help_wait_run (&wait), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  help_wait_clear (&wait);
  g_thread_join (thread);
}

/* A call that may finish or be cancelled. */
static void
round_cancel_maybe (Shared *shared,
                    guint   round)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;
  GThread *thread = help_cancel_later (cancellable, round % 8 * 20);
  HelpWait wait = help_wait_init ();

  ghlo_executable_execute_async (shared->executable, shared->inputs, 2, cancellable, help_ready, &wait);
  result = ghlo_executable_execute_finish (shared->executable, help_wait_run (&wait), &error);
  if (result != NULL)
    help_assert_sum (result);
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  help_wait_clear (&wait);
  g_thread_join (thread);
}

static void
round_cancel_sync (Shared *shared,
                   guint   round)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  GThread *thread = help_cancel_later (cancellable, round % 4 * 300);

  g_assert_null (ghlo_executable_execute (shared->endless, &shared->number, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_thread_join (thread);
}

static void
round_compile (Shared *shared,
               guint   round)
{
  g_autoptr (GhloProgress) progress = ghlo_progress_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloResult) result = NULL;
  HelpWait wait = help_wait_init ();

  ghlo_client_compile_async (shared->client, shared->program, NULL, progress, NULL, help_ready, &wait);
  executable = ghlo_client_compile_finish (shared->client, help_wait_run (&wait), &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (ghlo_progress_get_fraction (progress), ==, 1);
  help_wait_clear (&wait);
  result = ghlo_executable_execute (executable, shared->inputs, 2, NULL, &error);
  g_assert_no_error (error);
  help_assert_sum (result);
}

static void
round_program (Shared *shared,
               guint   round)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program G_GNUC_UNUSED = help_parse (HELP_ADD);
  g_autoptr (GListModel) devices = ghlo_client_list_devices (shared->client, NULL, &error);
  g_autofree char *text = NULL;
  g_autofree GhloValueInfo **inputs = ghlo_program_list_inputs (shared->program);
  HelpWait wait = help_wait_init ();

  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (devices), >, 0);
  ghlo_program_to_text_async (shared->program, GHLO_TEXT_FLAGS_NONE, NULL, help_ready, &wait);
  text = ghlo_program_to_text_finish (shared->program, help_wait_run (&wait), &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "stablehlo.add"));
  help_wait_clear (&wait);
  for (guint i = 0; inputs[i] != NULL; i++)
    ghlo_value_info_unref (inputs[i]);
}

/* Buffers of one result, read by some threads and released by others. */
static void
round_release (Shared *shared,
               guint   round)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GhloBuffer *const mixed[] = { shared->inputs[0], shared->number };

  bytes = ghlo_buffer_read (shared->number, NULL, &error);
  if (bytes == NULL)
    g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  ghlo_buffer_get_address (shared->number);
  if (round == N_ROUNDS / 2)
    ghlo_buffer_release (shared->number);
  g_assert_null (ghlo_executable_execute (shared->executable, mixed, 2, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (ghlo_buffer_get_tensor_type (shared->number));
}

/* Every second thread does something else. */
static void
round_mixed (Shared *shared,
             guint   round)
{
  static const Round rounds[] = {
    round_run, round_compile, round_cancel_async, round_run_async, round_program, round_cancel_maybe, round_cancel_sync,
  };

  rounds[g_random_int_range (0, G_N_ELEMENTS (rounds))] (shared, round);
}

static gpointer
call (gpointer data)
{
  Caller *caller = data;
  g_autoptr (GMainContext) context = g_main_context_new ();

  g_main_context_push_thread_default (context);
  for (guint i = 0; i < N_ROUNDS; i++)
    caller->round (caller->shared, i);
  g_main_context_pop_thread_default (context);

  return NULL;
}

static void
run_threads (gconstpointer data)
{
  const Round *round = data;
  Shared shared = {
    ghlo_client_new (), help_parse (HELP_ADD), help_compile (HELP_ADD), help_compile (HELP_ENDLESS),
    { help_counts (), help_ones () }, help_number (),
  };
  Caller caller = { &shared, *round };
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("caller", call, &caller);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);

  g_object_unref (shared.client);
  g_object_unref (shared.program);
  g_object_unref (shared.executable);
  g_object_unref (shared.endless);
  g_object_unref (shared.inputs[0]);
  g_object_unref (shared.inputs[1]);
  g_object_unref (shared.number);
}

static gpointer
get_members (gpointer data)
{
  gsize n;
  GhloBuffer *const *members = ghlo_buffer_get_members (data, &n);

  g_assert_cmpuint (n, ==, 2);

  return members[0];
}

/* The members of a tuple are created once, when first needed. */
static void
test_members (void)
{
  g_autoptr (GhloBuffer) counts = help_counts ();
  g_autoptr (GhloBuffer) ones = help_ones ();

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (GhloBuffer) tuple = ghlo_buffer_new_tuple ((GhloBuffer *[]) { counts, ones }, 2, NULL);
      GThread *threads[N_THREADS];
      gpointer first = NULL;

      for (guint i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new ("members", get_members, tuple);
      for (guint i = 0; i < N_THREADS; i++)
        {
          gpointer member = g_thread_join (threads[i]);

          g_assert_true (first == NULL || first == member);
          first = member;
        }
    }
}

typedef struct
{
  GMainContext   *context;
  GhloExecutable *executable;
  GhloBuffer     *number;
  GCancellable   *cancellable;
  HelpWait        wait;
} Handed;

static gboolean
start_there (gpointer data)
{
  Handed *handed = data;

  handed->wait = help_wait_init ();
  ghlo_executable_execute_async (handed->executable, &handed->number, 1, handed->cancellable, help_ready,
                                 &handed->wait);
  /* From here on only the call holds the executable. */
  g_clear_object (&handed->executable);
  g_clear_object (&handed->number);

  return G_SOURCE_REMOVE;
}

static gpointer
iterate (gpointer data)
{
  Handed *handed = data;

  g_main_context_push_thread_default (handed->context);
  while (handed->wait.result == NULL)
    g_main_context_iteration (handed->context, TRUE);
  g_assert_true (handed->wait.thread == g_thread_self ());
  g_main_context_pop_thread_default (handed->context);

  return NULL;
}

/* Calls are started in another thread's context, and references are dropped during the call. */
static void
test_dropped (void)
{
  for (guint round = 0; round < N_ROUNDS; round++)
    {
      Handed handed = {
        g_main_context_new (), help_compile (HELP_ENDLESS), help_number (), g_cancellable_new (), { NULL, NULL, NULL },
      };
      GThread *thread;

      g_main_context_invoke_full (handed.context, G_PRIORITY_DEFAULT, start_there, &handed, NULL);
      thread = g_thread_new ("iterate", iterate, &handed);
      g_usleep (round % 4 * 500);
      g_cancellable_cancel (handed.cancellable);
      g_thread_join (thread);
      help_wait_clear (&handed.wait);
      g_main_context_unref (handed.context);
      g_object_unref (handed.cancellable);
    }
}

int
main (int   argc,
      char *argv[])
{
  static const struct { const char *path; Round round; } cases[] = {
    { "/threads/run", round_run },
    { "/threads/run-async", round_run_async },
    { "/threads/compile", round_compile },
    { "/threads/program", round_program },
    { "/threads/cancel-async", round_cancel_async },
    { "/threads/cancel-maybe", round_cancel_maybe },
    { "/threads/cancel-sync", round_cancel_sync },
    { "/threads/release", round_release },
    { "/threads/mixed", round_mixed },
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add_data_func (cases[i].path, &cases[i].round, run_threads);
  g_test_add_func ("/threads/members", test_members);
  g_test_add_func ("/threads/dropped", test_dropped);

  return g_test_run ();
}
