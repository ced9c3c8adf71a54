/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An application's main loop stays responsive: while a program of 300,000 operations is loaded, checked, compiled, run,
 * written and dropped, and each of these is cancelled, no dispatch and no call takes more than 5 ms of the thread's CPU
 * time, and a cancelled call is answered within 50 ms.
 */

#include "api-help.h"

#include <glib/gstdio.h>
#include <time.h>
#include <unistd.h>

/* Sanitizers take as long with a tenth of the operations. */
enum { N_OPERATIONS = SANITIZED ? 30000 : 300000, SHARE_LIMIT = 5000 /* µs */ };

static char *path;             /* of the program */
static GBytes *text;
static gint64 worst_share;     /* over all pieces of work in this test, µs */
static gint64 worst_answer;

static gint64
thread_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);

  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* Accounts for the main thread's CPU time since @start. */
static void
end_share (gint64      start,
           const char *what)
{
  gint64 share = thread_time () - start;

  if (share > SHARE_LIMIT * HELP_SLOWER)
    g_test_fail_printf ("%s took the main thread %.1f ms", what, share / 1e3);
  worst_share = MAX (worst_share, share);
}

#define SHARE(what, call) \
  G_STMT_START { \
    gint64 share_start = thread_time (); \
    call; \
    end_share (share_start, what); \
  } G_STMT_END

/* A chain of additions and multiplications with occasional constants. */
static void
make_program (void)
{
  GString *string = g_string_new ("func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {\n");
  g_autoptr (GError) error = NULL;
  int fd = g_file_open_tmp ("ghlo-XXXXXX.mlir", &path, &error);

  g_assert_no_error (error);
  close (fd);
  for (guint i = 0; i < N_OPERATIONS; i++)
    {
      const char *name = i % 2 ? "add" : "multiply";

      if (i % 10 == 0)
        g_string_append_printf (string, "  %%v%u = stablehlo.constant dense<%u.5> : tensor<16xf32>\n", i, i % 7);
      else
        g_string_append_printf (string, "  %%v%u = stablehlo.%s %%x, %%v%u : tensor<16xf32>\n", i, name, i - 1);
    }
  g_string_append_printf (string, "  return %%v%u : tensor<16xf32>\n}\n", N_OPERATIONS - 1);
  g_assert_true (g_file_set_contents (path, string->str, string->len, &error));
  g_assert_no_error (error);
  text = g_string_free_to_bytes (string);
}

/* Iterates until the answer; with @cancellable, cancels after @delay µs. Returns the µs from the cancel to the
 * answer, 0 where the answer came first. */
static gint64
wait_run (HelpWait     *wait,
          GCancellable *cancellable,
          gint64        delay,
          const char   *what)
{
  gint64 start = g_get_monotonic_time ();
  gboolean cancelled = FALSE;

  while (wait->result == NULL)
    {
      if (cancellable != NULL && !cancelled && g_get_monotonic_time () - start >= delay)
        {
          SHARE ("the cancel", g_cancellable_cancel (cancellable));
          cancelled = TRUE;
          start = g_get_monotonic_time ();
        }
      if (cancellable != NULL && !cancelled)
        g_usleep (1000);
      SHARE (what, g_main_context_iteration (wait->context, cancellable == NULL || cancelled));
    }

  return cancelled ? g_get_monotonic_time () - start : 0;
}

/* Lets workers finish a cancelled call, as they would share CPU time with the next call. */
static void
settle (void)
{
  g_usleep (50000);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

/* How each of the four long calls is started and finished, in a common form. */
typedef struct
{
  GhloClient     *client;
  GhloProgram    *program;
  GhloExecutable *executable;
  GhloBuffer     *input;
  GhloProgress   *progress;
} Road;

typedef struct
{
  const char *name;
  void      (*start)  (Road *road, GCancellable *cancellable, HelpWait *wait);
  gpointer  (*finish) (Road *road, GAsyncResult *result, GError **error);
  GDestroyNotify free;
} Stage;

static void
start_load (Road         *road,
            GCancellable *cancellable,
            HelpWait     *wait)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  ghlo_program_load_async (file, cancellable, help_ready, wait);
}

static gpointer
finish_load (Road          *road,
             GAsyncResult  *result,
             GError       **error)
{
  return ghlo_program_load_finish (result, error);
}

static void
start_check (Road         *road,
             GCancellable *cancellable,
             HelpWait     *wait)
{
  ghlo_program_check_async (text, NULL, cancellable, help_ready, wait);
}

static gpointer
finish_check (Road          *road,
              GAsyncResult  *result,
              GError       **error)
{
  return ghlo_program_check_finish (result, error);
}

static void
start_compile (Road         *road,
               GCancellable *cancellable,
               HelpWait     *wait)
{
  ghlo_client_compile_async (road->client, road->program, NULL, road->progress, cancellable, help_ready, wait);
}

static gpointer
finish_compile (Road          *road,
                GAsyncResult  *result,
                GError       **error)
{
  return ghlo_client_compile_finish (road->client, result, error);
}

static void
start_execute (Road         *road,
               GCancellable *cancellable,
               HelpWait     *wait)
{
  ghlo_executable_execute_async (road->executable, &road->input, 1, cancellable, help_ready, wait);
}

static gpointer
finish_execute (Road          *road,
                GAsyncResult  *result,
                GError       **error)
{
  return ghlo_executable_execute_finish (road->executable, result, error);
}

static void
start_text (Road         *road,
            GCancellable *cancellable,
            HelpWait     *wait)
{
  ghlo_program_to_text_async (road->program, GHLO_TEXT_FLAGS_NONE, cancellable, help_ready, wait);
}

static gpointer
finish_text (Road          *road,
             GAsyncResult  *result,
             GError       **error)
{
  return ghlo_program_to_text_finish (road->program, result, error);
}

/* Runs a stage to its end and returns its product; *@duration is the time taken. */
static gpointer
run_stage (const Stage *stage,
           Road        *road,
           gint64      *duration)
{
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  gint64 start = g_get_monotonic_time ();
  gpointer made;

  SHARE (stage->name, stage->start (road, NULL, &wait));
  wait_run (&wait, NULL, 0, stage->name);
  *duration = g_get_monotonic_time () - start;
  SHARE (stage->name, made = stage->finish (road, wait.result, &error));
  g_assert_no_error (error);
  SHARE ("the task's end", help_wait_clear (&wait));
  g_test_message ("%s: %.0f ms", stage->name, *duration / 1e3);

  return made;
}

/* A stage that is cancelled after @delay µs. */
typedef struct
{
  const Stage *stage;
  Road        *road;
  gint64       delay;
} Cancelled;

static gint64
cancel_at (gpointer data)
{
  const Cancelled *self = data;
  const Stage *stage = self->stage;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  gint64 answer;
  gpointer made;

  SHARE (stage->name, stage->start (self->road, cancellable, &wait));
  answer = wait_run (&wait, cancellable, self->delay, stage->name);
  SHARE (stage->name, made = stage->finish (self->road, wait.result, &error));
  /* The stage may have finished before the cancel when the machine is under load. */
  if (made != NULL)
    stage->free (made);
  else
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  help_wait_clear (&wait);
  settle ();

  return answer;
}

/* Cancels a stage at several points of its duration. */
static void
cancel_stage (const Stage *stage,
              Road        *road,
              gint64       duration)
{
  for (guint i = 0; i < 5; i++)
    {
      Cancelled cancelled = { stage, road, duration * i / 6 };
      gint64 answer = soon_fastest (cancel_at, &cancelled, HELP_CANCEL_LIMIT);

      if (answer >= HELP_CANCEL_LIMIT)
        g_test_fail_printf ("%s was answered %.1f ms after the cancel", stage->name, answer / 1e3);
      worst_answer = MAX (worst_answer, answer);
    }
}

static const Stage load = { "load", start_load, finish_load, g_object_unref };
static const Stage check = { "check", start_check, finish_check, g_object_unref };
static const Stage compile = { "compile", start_compile, finish_compile, g_object_unref };
static const Stage execute = { "run", start_execute, finish_execute, g_object_unref };
static const Stage to_text = { "to text", start_text, finish_text, g_free };

static void
test_large_program (void)
{
  static const float zeros[16] = { 0 };
  Road road = {
    .client = ghlo_client_new (),
    .progress = ghlo_progress_new (),
    .input = help_buffer ("tensor<16xf32>", zeros, sizeof zeros),
  };
  gint64 duration;
  gpointer made;

  make_program ();

  road.program = run_stage (&load, &road, &duration);
  cancel_stage (&load, &road, duration);
  made = run_stage (&check, &road, &duration);
  SHARE ("the end of a check", g_object_unref (made));
  cancel_stage (&check, &road, duration);
  road.executable = run_stage (&compile, &road, &duration);
  cancel_stage (&compile, &road, duration);
  made = run_stage (&execute, &road, &duration);
  SHARE ("the end of a result", g_object_unref (made));
  cancel_stage (&execute, &road, duration);
  made = run_stage (&to_text, &road, &duration);
  g_free (made);
  cancel_stage (&to_text, &road, duration);

  SHARE ("the end of an executable", g_object_unref (road.executable));
  SHARE ("the end of a program", g_object_unref (road.program));
  g_object_unref (road.input);
  g_object_unref (road.progress);
  g_object_unref (road.client);
  settle ();

  g_unlink (path);
  g_free (path);
  g_bytes_unref (text);
  g_test_message ("worst share of the main thread %.2f ms, worst answer to a cancel %.2f ms",
                  worst_share / 1e3, worst_answer / 1e3);
}

/* An endless run, cancelled repeatedly from the main loop. */
static void
test_endless (void)
{
  Road road = { .executable = help_compile (HELP_ENDLESS), .input = help_number () };

  for (guint i = 0; i < 4; i++)
    cancel_stage (&execute, &road, 60000);
  g_object_unref (road.executable);
  g_object_unref (road.input);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  /* Valgrind's translation of new code counts as the thread's CPU time. */
  if (g_getenv ("GHLO_TEST_SLOW") != NULL)
    {
      g_print ("1..0 # SKIP times under valgrind\n");
      return 0;
    }

  g_test_add_func ("/main-loop/endless", test_endless);
  g_test_add_func ("/main-loop/large-program", test_large_program);

  return g_test_run ();
}
