/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lifetimes: objects during calls, workers at process exit and after a fork, memory after a release. docs/api-tests.md
 * says which rule each test checks.
 */

#include "api-help.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Enough calls to occupy every worker. */
enum { N_CALLS = 64 };

/* The size in bytes of one output of BIG, and the memory limit under which it is run. */
#define BIG_SIZE  ((gsize) 16 << 20)
#define BIG_LIMIT "64M"

#define BIG \
  "func.func @main() -> tensor<4194304xf32> {\n" \
  "  %0 = stablehlo.iota dim = 0 : tensor<4194304xf32>\n" \
  "  return %0 : tensor<4194304xf32>\n" \
  "}\n"

static GThread *main_thread;
static guint n_foreign;       /* references taken or dropped on other threads; atomic */

static void
on_toggle (gpointer  data,
           GObject  *object,
           gboolean  is_last)
{
  if (g_thread_self () != main_thread)
    g_atomic_int_inc (&n_foreign);
}

static void
on_gone (gpointer  data,
         GObject  *where)
{
  g_assert_true (g_thread_self () == main_thread);
  ++*(guint *) data;
}

/* Turns the only reference into a toggle reference, which is notified of each additional one. */
static void
watch (gpointer object)
{
  g_object_add_toggle_ref (object, on_toggle, NULL);
  g_object_unref (object);
}

static void
unwatch (gpointer  object,
         guint    *n_gone)
{
  g_object_weak_ref (object, on_gone, n_gone);
  g_object_remove_toggle_ref (object, on_toggle, NULL);
}

/* No worker takes or drops a reference to an object of the caller's. */
static void
test_workers_keep_away (void)
{
  GhloClient *client = ghlo_client_new ();
  GhloProgram *program = help_parse (HELP_ADD);
  GhloExecutable *executable = help_compile (HELP_ADD);
  GhloBuffer *inputs[2] = { help_counts (), help_ones () };
  GhloProgress *progress = ghlo_progress_new ();
  GCancellable *cancellable = g_cancellable_new ();
  gpointer objects[] = { client, program, executable, inputs[0], inputs[1], progress, cancellable };
  guint n_gone = 0;

  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    watch (objects[i]);
  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autoptr (GhloExecutable) compiled = NULL;
      g_autoptr (GhloResult) result = NULL;
      g_autofree char *text = NULL;
      HelpWait waits[3] = { help_wait_init (), help_wait_init (), help_wait_init () };

      ghlo_client_compile_async (client, program, NULL, progress, cancellable, help_ready, &waits[0]);
      ghlo_executable_execute_async (executable, inputs, 2, cancellable, help_ready, &waits[1]);
      ghlo_program_to_text_async (program, GHLO_TEXT_FLAGS_NONE, cancellable, help_ready, &waits[2]);
      compiled = ghlo_client_compile_finish (client, help_wait_run (&waits[0]), NULL);
      result = ghlo_executable_execute_finish (executable, help_wait_run (&waits[1]), NULL);
      text = ghlo_program_to_text_finish (program, help_wait_run (&waits[2]), NULL);
      g_assert_true (compiled != NULL && result != NULL && text != NULL);
      for (guint j = 0; j < G_N_ELEMENTS (waits); j++)
        help_wait_clear (&waits[j]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (objects); i++)
    unwatch (objects[i], &n_gone);

  g_assert_cmpint (g_atomic_int_get (&n_foreign), ==, 0);
  g_assert_cmpuint (n_gone, ==, G_N_ELEMENTS (objects));
}

/* The caller drops its references during calls; the objects are then finalized in the caller's context, after the
 * answer. */
static void
test_last_reference_in_flight (void)
{
  GhloExecutable *executable = help_compile (HELP_ENDLESS);
  GhloBuffer *number = help_number ();
  GCancellable *cancellable = g_cancellable_new ();
  HelpWait wait = help_wait_init ();
  GThread *thread;
  guint n_gone = 0, n_inputs_gone = 0;

  g_object_weak_ref (G_OBJECT (executable), on_gone, &n_gone);
  g_object_weak_ref (G_OBJECT (cancellable), on_gone, &n_gone);
  g_object_weak_ref (G_OBJECT (number), on_gone, &n_inputs_gone);
  ghlo_executable_execute_async (executable, &number, 1, cancellable, help_ready, &wait);
  thread = help_cancel_later (cancellable, 20000);
  g_object_unref (number);
  g_object_unref (executable);
  g_object_unref (cancellable);
  g_assert_cmpuint (n_inputs_gone, ==, 1);
  g_assert_cmpuint (n_gone, ==, 0);

  help_wait_run (&wait);
  g_thread_join (thread);
  help_wait_clear (&wait);
  while (n_gone < 2)
    g_main_context_iteration (NULL, TRUE);
}

static gint64
cpu_time (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);

  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

static guint
count_threads (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

/* Even when every worker is busy, objects are finalized at once; later objects use the same workers. */
static void
test_finalizers_wait_for_nobody (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  HelpWait waits[N_CALLS];
  gint64 start;
  guint n;

  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
      g_autoptr (GhloBuffer) number = help_number ();

      waits[i] = help_wait_init ();
      ghlo_executable_execute_async (executable, &number, 1, cancellable, help_ready, &waits[i]);
    }
  n = count_threads ();

  for (guint i = 0; i < N_CALLS; i++)
    {
      GhloClient *client = ghlo_client_new ();
      GhloProgram *program = help_parse (HELP_ADD);
      GhloExecutable *executable = ghlo_client_compile (client, program, NULL, NULL, NULL, NULL);

      start = cpu_time (CLOCK_MONOTONIC);
      g_object_unref (executable);
      g_object_unref (program);
      g_object_unref (client);
      g_assert_cmpint (cpu_time (CLOCK_MONOTONIC) - start, <, 200000);
    }
  g_assert_cmpuint (count_threads (), <=, n);

  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < N_CALLS; i++)
    {
      help_wait_run (&waits[i]);
      help_wait_clear (&waits[i]);
    }
}

/* The number of threads in the process whose nice value is @nicer above that of the first thread. */
static guint
count_nicer (int nicer)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/task", 0, NULL);
  int own = getpriority (PRIO_PROCESS, getpid ());
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    n += getpriority (PRIO_PROCESS, atoi (name)) == own + nicer;

  return n;
}

/* Workers have a higher nice value than their process, whatever that is, those for compiles a higher one than those
 * for runs; their number is limited by GHLO_THREADS. */
static void
test_workers_are_nice (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GhloExecutable) executable = NULL;
      g_autoptr (GhloBuffer) number = help_number ();
      g_autoptr (GBytes) bytes = g_bytes_new_static (HELP_ADD, strlen (HELP_ADD));
      HelpWait waits[9];

      /* On other devices runs continue without workers. */
      g_setenv ("GHLO_DEVICE", "cpu", TRUE);
      g_setenv ("GHLO_THREADS", "3", TRUE);
      setpriority (PRIO_PROCESS, 0, MIN (getpriority (PRIO_PROCESS, 0) + 5, 9));
      executable = help_compile (HELP_ENDLESS);
      for (guint i = 0; i < G_N_ELEMENTS (waits) - 1; i++)
        {
          waits[i] = help_wait_init ();
          ghlo_executable_execute_async (executable, &number, 1, cancellable, help_ready, &waits[i]);
        }
      waits[8] = help_wait_init ();
      ghlo_program_parse_async (bytes, NULL, NULL, help_ready, &waits[8]);
      help_wait_run (&waits[8]);
      while (count_nicer (2) < 3)
        g_usleep (1000);
      g_usleep (20000);
      /* Until then there may be one more thread, which makes machine code. */
      while (count_nicer (10) > 1)
        g_usleep (1000);
      g_assert_cmpuint (count_nicer (2), ==, 3);
      g_assert_cmpuint (count_nicer (10), ==, 1);
      g_cancellable_cancel (cancellable);
      for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
        {
          help_wait_run (&waits[i]);
          help_wait_clear (&waits[i]);
        }
      return;
    }

  g_test_trap_subprocess (NULL, 20 * G_USEC_PER_SEC * HELP_SLOWER, 0);
  g_test_trap_assert_passed ();
}

static void
on_cancelled_iterate (GCancellable *cancellable,
                      gpointer      data)
{
  help_wait_run (data);
}

/* An application's handler may run the main loop, for instance for a dialog: the answer does not wait until all
 * handlers have been told of the cancel. */
static void
test_answer_within_the_cancel (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
      g_autoptr (GhloBuffer) number = help_number ();
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      HelpWait wait = help_wait_init ();

      ghlo_executable_execute_async (executable, &number, 1, cancellable, help_ready, &wait);
      g_signal_connect (cancellable, "cancelled", G_CALLBACK (on_cancelled_iterate), &wait);
      g_cancellable_cancel (cancellable);
      g_assert_nonnull (wait.result);
      help_wait_clear (&wait);
      return;
    }

  g_test_trap_subprocess (NULL, 20 * G_USEC_PER_SEC * HELP_SLOWER, 0);
  g_test_trap_assert_passed ();
}

/* A program that takes long to parse. */
static GBytes *
make_long_text (void)
{
  GString *text = g_string_new ("func.func @main(%x: tensor<f32>) -> tensor<f32> {\n");

  for (guint i = 0; i < 200000; i++)
    g_string_append_printf (text, "  %%v%u = stablehlo.add %%x, %%x : tensor<f32>\n", i);
  g_string_append (text, "  return %x : tensor<f32>\n}\n");

  return g_string_free_to_bytes (text);
}

/* A run is not delayed by programs that occupy every parsing worker. */
static void
test_runs_pass_compiles (void)
{
  g_autoptr (GBytes) bytes = make_long_text ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloBuffer) counts = help_counts ();
  g_autoptr (GhloBuffer) ones = help_ones ();
  g_autoptr (GhloResult) result = NULL;
  guint n = 4 * g_get_num_processors ();
  g_autofree HelpWait *reads = g_new0 (HelpWait, n);
  HelpWait run = help_wait_init ();

  for (guint i = 0; i < n; i++)
    {
      reads[i] = help_wait_init ();
      ghlo_program_parse_async (bytes, NULL, cancellable, help_ready, &reads[i]);
    }
  ghlo_executable_execute_async (executable, (GhloBuffer *[]) { counts, ones }, 2, NULL, help_ready, &run);
  result = ghlo_executable_execute_finish (executable, help_wait_run (&run), NULL);
  help_assert_sum (result);
  g_assert_null (reads[n - 1].result);
  help_wait_clear (&run);

  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GhloProgram) program G_GNUC_UNUSED = ghlo_program_parse_finish (help_wait_run (&reads[i]), NULL);

      help_wait_clear (&reads[i]);
    }
}

/* The stages in which a process may exit. */
static void
start_parse (HelpWait *wait)
{
  g_autoptr (GBytes) bytes = make_long_text ();

  ghlo_program_parse_async (bytes, NULL, NULL, help_ready, wait);
}

static void
start_compile (HelpWait *wait)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GBytes) bytes = make_long_text ();
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, NULL, NULL, NULL);

  ghlo_client_compile_async (client, program, NULL, NULL, NULL, help_ready, wait);
}

static void
start_endless (HelpWait *wait)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  g_autoptr (GhloBuffer) number = help_number ();

  for (guint i = 0; i < N_CALLS; i++)
    ghlo_executable_execute_async (executable, &number, 1, NULL, help_ready, wait);
}

static gpointer
run_endless (gpointer data)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  g_autoptr (GhloBuffer) number = help_number ();
  g_autoptr (GhloResult) result = ghlo_executable_execute (executable, &number, 1, NULL, NULL);

  g_assert_null (result);

  return NULL;
}

static void
start_endless_sync (HelpWait *wait)
{
  g_thread_unref (g_thread_new ("sync", run_endless, NULL));
}

/* Runs after the library's own exit handler, which was registered later. */
static void
say_ended (void)
{
  g_print ("ended\n");
}

typedef void (*Start) (HelpWait *wait);

static gint64
run_to_exit (G_GNUC_UNUSED gpointer data)
{
  gint64 begin = g_get_monotonic_time ();

  g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*ended*");

  return g_get_monotonic_time () - begin;
}

/* The process exits during work, by itself and at once. */
static void
test_exit (gconstpointer data)
{
  const Start *start = data;

  if (g_test_subprocess ())
    {
      HelpWait wait = help_wait_init ();

      atexit (say_ended);
      (*start) (&wait);
      g_usleep (20000);
      exit (0);
    }

  for (guint i = 0; i < 3; i++)
    soon_assert (run_to_exit, NULL, 2 * G_USEC_PER_SEC * HELP_SLOWER);
}

#define FORKED(call) \
  G_STMT_START { \
    g_autoptr (GError) forked_error = NULL; \
    GError **error = &forked_error; \
    if ((call) || !g_error_matches (forked_error, GHLO_ERROR, GHLO_ERROR_DEVICE)) \
      _exit (__LINE__ % 250 + 1); \
  } G_STMT_END

typedef struct
{
  GhloClient     *client;
  GhloProgram    *program;
  GhloExecutable *executable;
  GhloBuffer     *inputs[2];
  GFile          *file;
} Objects;

static void
call_in_child (Objects *o)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (HELP_ADD, strlen (HELP_ADD));

  FORKED (ghlo_program_load (o->file, NULL, error) != NULL);
  FORKED (ghlo_program_parse (bytes, NULL, NULL, error) != NULL);
  FORKED (ghlo_program_check (bytes, NULL, NULL, error) != NULL);
  FORKED (ghlo_program_to_text (o->program, GHLO_TEXT_FLAGS_NONE, NULL, error) != NULL);
  FORKED (ghlo_client_list_devices (o->client, NULL, error) != NULL);
  FORKED (ghlo_client_compile (o->client, o->program, NULL, NULL, NULL, error) != NULL);
  FORKED (ghlo_executable_execute (o->executable, o->inputs, 2, NULL, error) != NULL);
  FORKED (ghlo_buffer_read (o->inputs[0], NULL, error) != NULL);
}

/* The async form of one call, answered in a context of the child's own. */
#define FORKED_ASYNC(start, finish) \
  G_STMT_START { \
    HelpWait wait = help_wait_init (); \
    start; \
    help_wait_run (&wait); \
    FORKED ((finish) != NULL); \
    help_wait_clear (&wait); \
  } G_STMT_END

static void
call_async_in_child (Objects *o)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (HELP_ADD, strlen (HELP_ADD));

  FORKED_ASYNC (ghlo_program_load_async (o->file, NULL, help_ready, &wait),
                ghlo_program_load_finish (wait.result, error));
  FORKED_ASYNC (ghlo_program_parse_async (bytes, NULL, NULL, help_ready, &wait),
                ghlo_program_parse_finish (wait.result, error));
  FORKED_ASYNC (ghlo_program_check_async (bytes, NULL, NULL, help_ready, &wait),
                ghlo_program_check_finish (wait.result, error));
  FORKED_ASYNC (ghlo_program_to_text_async (o->program, GHLO_TEXT_FLAGS_NONE, NULL, help_ready, &wait),
                ghlo_program_to_text_finish (o->program, wait.result, error));
  FORKED_ASYNC (ghlo_client_list_devices_async (o->client, NULL, help_ready, &wait),
                ghlo_client_list_devices_finish (o->client, wait.result, error));
  FORKED_ASYNC (ghlo_client_compile_async (o->client, o->program, NULL, NULL, NULL, help_ready, &wait),
                ghlo_client_compile_finish (o->client, wait.result, error));
  FORKED_ASYNC (ghlo_executable_execute_async (o->executable, o->inputs, 2, NULL, help_ready, &wait),
                ghlo_executable_execute_finish (o->executable, wait.result, error));
  FORKED_ASYNC (ghlo_buffer_read_async (o->inputs[0], NULL, help_ready, &wait),
                ghlo_buffer_read_finish (o->inputs[0], wait.result, error));
}

/* Leak checkers report memory held by threads that do not exist after the fork. */
static void
end_child (void)
{
  if (HELP_SLOWER > 1)
    execlp ("true", "true", NULL);
  exit (0);
}

/* Waits until the process has used CPU time for a while, which only an endless run does. If the fork happened while
 * another thread was still inside GLib, which takes locks where a job begins, the child would deadlock on those
 * locks. */
static void
wait_until_it_runs (void)
{
  clock_t end = clock () + CLOCKS_PER_SEC / 20 * HELP_SLOWER;

  while (clock () < end)
    g_usleep (1000);
}

/* Forks while a worker is busy: in the child each call reports that it is impossible, objects can be dropped, and
 * the child exits by itself. */
static void
test_fork (void)
{
  Objects o = {
    ghlo_client_new (), help_parse (HELP_ADD), help_compile (HELP_ADD), { help_counts (), help_ones () },
    g_file_new_for_path ("/dev/null"),
  };
  g_autoptr (GhloExecutable) endless = help_compile (HELP_ENDLESS);
  g_autoptr (GhloBuffer) number = help_number ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  HelpWait wait = help_wait_init ();
  int status;
  pid_t child;

  ghlo_executable_execute_async (endless, &number, 1, cancellable, help_ready, &wait);
  wait_until_it_runs ();
  child = fork ();
  if (child == 0)
    {
      g_autoptr (GMainContext) context = g_main_context_new ();

      alarm (60);
      call_in_child (&o);
      g_main_context_push_thread_default (context);
      call_async_in_child (&o);
      g_main_context_pop_thread_default (context);
    }
  else
    {
      g_assert_cmpint (waitpid (child, &status, 0), ==, child);
      g_assert_true (WIFEXITED (status));
      g_assert_cmpint (WEXITSTATUS (status), ==, 0);
    }

  g_object_unref (o.client);
  g_object_unref (o.program);
  g_object_unref (o.executable);
  g_object_unref (o.inputs[0]);
  g_object_unref (o.inputs[1]);
  g_object_unref (o.file);
  if (child == 0)
    end_child ();

  g_cancellable_cancel (cancellable);
  help_wait_run (&wait);
  help_wait_clear (&wait);
}

static void
assert_invalid (gpointer  made,
                GError   *error)
{
  g_assert_null (made);
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_error_free (error);
}

/* Every later use of a released buffer's data, sync or async, is reported as misuse; the buffer's metadata stay
 * available. */
static void
test_released (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloBuffer) released = help_counts ();
  g_autoptr (GhloBuffer) ones = help_ones ();
  GhloBuffer *const inputs[] = { released, ones };
  HelpWait wait = help_wait_init ();
  GError *error = NULL;
  gpointer made;

  ghlo_buffer_release (released);
  made = ghlo_buffer_read (released, NULL, &error);
  assert_invalid (made, g_steal_pointer (&error));
  made = ghlo_executable_execute (executable, inputs, 2, NULL, &error);
  assert_invalid (made, g_steal_pointer (&error));
  made = ghlo_buffer_new_tuple (inputs, 2, &error);
  assert_invalid (made, g_steal_pointer (&error));

  ghlo_buffer_read_async (released, NULL, help_ready, &wait);
  made = ghlo_buffer_read_finish (released, help_wait_run (&wait), &error);
  assert_invalid (made, g_steal_pointer (&error));
  g_clear_object (&wait.result);
  ghlo_executable_execute_async (executable, inputs, 2, NULL, help_ready, &wait);
  made = ghlo_executable_execute_finish (executable, help_wait_run (&wait), &error);
  assert_invalid (made, g_steal_pointer (&error));
  help_wait_clear (&wait);

  g_assert_null (ghlo_buffer_get_host_bytes (released));
  g_assert_cmpuint (ghlo_buffer_get_address (released), ==, 0);
  g_assert_cmpuint (ghlo_buffer_get_size (released), ==, 24);
  g_assert_cmpuint (ghlo_tensor_type_get_rank (ghlo_buffer_get_tensor_type (released)), ==, 2);
}

/* Runs in progress and bytes handed out keep released data alive. */
static void
test_release_in_flight (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);

  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autoptr (GhloBuffer) counts = help_counts ();
      g_autoptr (GhloBuffer) ones = help_ones ();
      GhloBuffer *const inputs[] = { counts, ones };
      g_autoptr (GBytes) bytes = ghlo_buffer_get_host_bytes (counts);
      g_autoptr (GhloResult) result = NULL;
      HelpWait wait = help_wait_init ();

      ghlo_executable_execute_async (executable, inputs, 2, NULL, help_ready, &wait);
      ghlo_buffer_release (counts);
      g_clear_object (&ones);
      result = ghlo_executable_execute_finish (executable, help_wait_run (&wait), NULL);
      help_assert_sum (result);
      help_wait_clear (&wait);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (bytes, NULL))[5], ==, 5);
    }
}

/* With memory for four outputs, twenty results can be produced if each is released while its object stays, but not
 * if they are kept. */
static void
test_release_gives_memory (void)
{
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GError) error = NULL;

  if (!g_test_subprocess ())
    {
      g_setenv ("GHLO_MEMORY_LIMIT", BIG_LIMIT, TRUE);
      g_test_trap_subprocess (NULL, 0, 0);
      g_unsetenv ("GHLO_MEMORY_LIMIT");
      g_test_trap_assert_passed ();
      return;
    }

  executable = help_compile (BIG);
  for (guint i = 0; i < 20; i++)
    {
      GhloResult *result = ghlo_executable_execute (executable, NULL, 0, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (ghlo_buffer_get_size (ghlo_result_get_output (result, 0)), ==, BIG_SIZE);
      ghlo_result_release (result);
      g_ptr_array_add (results, result);
    }

  while (error == NULL && results->len < 40)
    {
      GhloResult *result = ghlo_executable_execute (executable, NULL, 0, NULL, &error);

      if (result != NULL)
        g_ptr_array_add (results, result);
    }
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_OUT_OF_MEMORY);
}

/* Aligned bytes are used in place; unaligned ones are copied to aligned memory. */
static void
test_bytes_in (void)
{
  g_autofree float *data = g_new0 (float, 8);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<2xf32>", NULL);
  g_autoptr (GBytes) aligned = g_bytes_new_static (data, 2 * sizeof (float));
  g_autoptr (GBytes) odd = g_bytes_new_static ((guint8 *) data + 1, 2 * sizeof (float));
  g_autoptr (GhloBuffer) same = ghlo_buffer_new_from_bytes (type, aligned, NULL);
  g_autoptr (GhloBuffer) copy = ghlo_buffer_new_from_bytes (type, odd, NULL);

  g_assert_cmpuint (ghlo_buffer_get_address (same), ==, (guintptr) data);
  g_assert_cmpuint (ghlo_buffer_get_address (copy), !=, (guintptr) data + 1);
  g_assert_cmpuint (ghlo_buffer_get_address (copy) % sizeof (float), ==, 0);
}

static void
scribble (GhloResult *result)
{
  gsize n;
  GhloBuffer *const *outputs = ghlo_result_get_outputs (result, &n);

  for (gsize i = 0; i < n; i++)
    /* As a typed array of JavaScript over these bytes can. */
    memset (help_read (outputs[i]), 0xaa, ghlo_buffer_get_size (outputs[i]));
}

static gint32
first_number (GhloResult *result,
              guint       output)
{
  return *(const gint32 *) help_read (ghlo_result_get_output (result, output));
}

/* Forbidden writes into an output affect neither constants, nor inputs, nor another output. */
static void
test_writes_reach_nothing (void)
{
  static const gint32 numbers[4] = { 1, 2, 3, 4 };
  g_autoptr (GhloExecutable) executable = help_compile (HELP_IDENTITY);
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<4xi32>", numbers, sizeof numbers);

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GhloResult) result = ghlo_executable_execute (executable, &input, 1, NULL, NULL);
      g_autoptr (GhloResult) other = ghlo_executable_execute (executable, &input, 1, NULL, NULL);

      scribble (other);
      g_assert_cmpint (first_number (result, 0), ==, 1);
      g_assert_cmpint (first_number (result, 1), ==, 1);
      g_assert_cmpint (first_number (result, 2), ==, 7);
    }
}

/* A cancelled sync call returns only when its work has stopped: no thread of the process continues it. Inputs can be
 * used for another run. */
static void
test_cancel_sync_is_the_end (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  g_autoptr (GhloBuffer) number = help_number ();

  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      GThread *thread = help_cancel_later (cancellable, 20000);
      gint64 before;

      g_assert_null (ghlo_executable_execute (executable, &number, 1, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_thread_join (thread);
      before = cpu_time (CLOCK_PROCESS_CPUTIME_ID);
      g_usleep (50000);
      g_assert_cmpint (cpu_time (CLOCK_PROCESS_CPUTIME_ID) - before, <, 20000 * HELP_SLOWER);
    }
}

/* A cancelled async call is answered at once, and its work stops soon: the processors are idle again, and inputs are
 * unchanged. */
static gint64
cancel_all (G_GNUC_UNUSED gpointer data)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ENDLESS);
  g_autoptr (GhloBuffer) number = help_number ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GBytes) bytes = NULL;
  HelpWait waits[N_CALLS];
  gint64 start, took;

  for (guint i = 0; i < N_CALLS; i++)
    {
      waits[i] = help_wait_init ();
      ghlo_executable_execute_async (executable, &number, 1, cancellable, help_ready, &waits[i]);
    }
  g_usleep (20000);
  start = g_get_monotonic_time ();
  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < N_CALLS; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (ghlo_executable_execute_finish (executable, help_wait_run (&waits[i]), &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      help_wait_clear (&waits[i]);
    }
  took = g_get_monotonic_time () - start;

  g_usleep (100000 * HELP_SLOWER);
  start = cpu_time (CLOCK_PROCESS_CPUTIME_ID);
  g_usleep (50000);
  if (cpu_time (CLOCK_PROCESS_CPUTIME_ID) - start >= 20000 * HELP_SLOWER)
    took = G_MAXINT64;
  bytes = ghlo_buffer_read (number, NULL, NULL);
  g_assert_cmpint (*(const gint32 *) g_bytes_get_data (bytes, NULL), ==, 1);

  return took;
}

static void
test_cancel_async_stops_work (void)
{
  soon_assert (cancel_all, NULL, HELP_CANCEL_LIMIT);
}

/* Errors of all kinds: line 1 is a sentence that starts with the position, if there is one, and says what was
 * expected; nothing is printed. */
static void
test_errors_are_told_not_printed (void)
{
  static const struct { const char *text; const char *place; const char *first; } cases[] = {
    { "func.func @main(", "model.mlir:1:", "*expected*" },
    { "func.func @main() {\n  stablehlo.nothing\n}\n", "model.mlir:2:", "*stablehlo.nothing*" },
    { "func.func @main(%x: tensor<2xf32>) -> tensor<3xf32> {\n  return %x : tensor<2xf32>\n}\n", "model.mlir:2:",
      "*expected*found*" },
    { "\xff\xfe", "model.mlir:1:", "*" },
    { "", NULL, NULL },
  };

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, 0);
      g_test_trap_assert_passed ();
      g_test_trap_assert_stderr ("");
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, "model.mlir", NULL, &error);
      g_auto (GStrv) lines = NULL;

      if (cases[i].place == NULL)
        continue;
      g_assert_null (program);
      lines = g_strsplit (error->message, "\n", -1);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      g_assert_true (g_str_has_prefix (lines[0], cases[i].place));
      g_assert_true (g_pattern_match_simple (cases[i].first, lines[0]));
      g_assert_false (g_str_has_suffix (lines[0], "."));
    }
}

/* A client's thread limit applies to runs that start later, and overrides the environment. */
static void
test_client_limits_threads (void)
{
  if (g_test_subprocess ())
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GhloClient) client = NULL;
      g_autoptr (GhloExecutable) executable = NULL;
      g_autoptr (GhloBuffer) number = help_number ();
      HelpWait waits[6];

      g_setenv ("GHLO_DEVICE", "cpu", TRUE);
      g_setenv ("GHLO_THREADS", "4", TRUE);
      client = g_object_new (GHLO_TYPE_CLIENT, "max-threads", 2u, NULL);
      g_assert_cmpuint (ghlo_client_get_max_threads (client), ==, 2);
      executable = help_compile (HELP_ENDLESS);
      for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
        {
          waits[i] = help_wait_init ();
          ghlo_executable_execute_async (executable, &number, 1, cancellable, help_ready, &waits[i]);
        }
      while (count_nicer (2) < 2)
        g_usleep (1000);
      g_usleep (20000);
      g_assert_cmpuint (count_nicer (2), ==, 2);
      ghlo_client_set_max_threads (client, 3);
      while (count_nicer (2) < 3)
        g_usleep (1000);
      g_usleep (20000);
      g_assert_cmpuint (count_nicer (2), ==, 3);
      g_cancellable_cancel (cancellable);
      for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
        {
          help_wait_run (&waits[i]);
          help_wait_clear (&waits[i]);
        }
      return;
    }

  g_test_trap_subprocess (NULL, 20 * G_USEC_PER_SEC * HELP_SLOWER, 0);
  g_test_trap_assert_passed ();
}

int
main (int   argc,
      char *argv[])
{
  static const struct { const char *path; Start start; } ends[] = {
    { "/life/exit/parse", start_parse },
    { "/life/exit/compile", start_compile },
    { "/life/exit/run", start_endless },
    { "/life/exit/run-sync", start_endless_sync },
  };

  g_test_init (&argc, &argv, NULL);
  main_thread = g_thread_self ();

  g_test_add_func ("/life/workers-keep-away", test_workers_keep_away);
  g_test_add_func ("/life/last-reference-in-flight", test_last_reference_in_flight);
  g_test_add_func ("/life/finalizers-wait-for-nobody", test_finalizers_wait_for_nobody);
  g_test_add_func ("/life/answer-within-the-cancel", test_answer_within_the_cancel);
  g_test_add_func ("/life/workers-are-nice", test_workers_are_nice);
  g_test_add_func ("/life/client-limits-threads", test_client_limits_threads);
  g_test_add_func ("/life/runs-pass-compiles", test_runs_pass_compiles);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    g_test_add_data_func (ends[i].path, &ends[i].start, test_exit);
  g_test_add_func ("/life/fork", test_fork);
  g_test_add_func ("/life/released", test_released);
  g_test_add_func ("/life/release-in-flight", test_release_in_flight);
  g_test_add_func ("/life/release-gives-memory", test_release_gives_memory);
  g_test_add_func ("/life/bytes-in", test_bytes_in);
  g_test_add_func ("/life/writes-reach-nothing", test_writes_reach_nothing);
  g_test_add_func ("/life/cancel-sync-is-the-end", test_cancel_sync_is_the_end);
  g_test_add_func ("/life/cancel-async-stops-work", test_cancel_async_stops_work);
  g_test_add_func ("/life/errors-are-told-not-printed", test_errors_are_told_not_printed);

  return g_test_run ();
}
