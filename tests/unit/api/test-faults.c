/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each device call fails in turn during an application's typical work: the API call that needed it reports the device's
 * own error code, nothing is leaked, and later calls work.
 */

#include "fake.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "api-help.h"

/* The size of its output is known only after the run. */
#define OPEN \
  "func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {\n" \
  "  %0 = stablehlo.add %x, %x : tensor<?xi32>\n" \
  "  return %0 : tensor<?xi32>\n" \
  "}\n"

static const gint32 pair[2] = { 1, 2 };

/* The application's state; each piece of work below uses the results of earlier ones. */
typedef struct
{
  GhloClient     *client;
  GhloExecutable *adder, *counter, *open;
  GhloBuffer     *counts, *placed, *numbers;
  GhloResult     *result;
  GhloSession    *session;
  GFile          *file;
} Work;

static gboolean
compile (Work            *work,
         const char      *text,
         gboolean         async,
         GhloExecutable **executable,
         GError         **error)
{
  g_autoptr (GhloProgram) program = help_parse (text);
  HelpWait wait = help_wait_init ();

  if (async)
    {
      ghlo_client_compile_async (work->client, program, NULL, NULL, NULL, help_ready, &wait);
      *executable = ghlo_client_compile_finish (work->client, help_wait_run (&wait), error);
    }
  else
    *executable = ghlo_client_compile (work->client, program, NULL, NULL, NULL, error);
  help_wait_clear (&wait);

  return *executable != NULL;
}

static gboolean
compile_all (Work    *work,
             GError **error)
{
  return compile (work, HELP_ADD, FALSE, &work->adder, error)
         && compile (work, HELP_COUNTER, TRUE, &work->counter, error)
         && compile (work, OPEN, FALSE, &work->open, error);
}

/* Serializes and loads one of two executables. */
static gboolean
reload (Work    *work,
        GError **error)
{
  g_autoptr (GBytes) bytes = ghlo_executable_serialize (work->adder, NULL, error);
  g_autoptr (GhloExecutable) again = NULL;

  if (bytes == NULL)
    return FALSE;
  again = ghlo_client_load_executable (work->client, bytes, 0, NULL, error);

  return again != NULL;
}

static gboolean
upload (Work    *work,
        GError **error)
{
  g_autoptr (GhloBuffer) async = NULL;
  HelpWait wait = help_wait_init ();

  work->counts = help_counts ();
  work->numbers = help_buffer ("tensor<2xi32>", pair, sizeof pair);
  work->placed = ghlo_buffer_copy_to_device (work->counts, ghlo_executable_get_device (work->adder), NULL, error);
  if (work->placed != NULL)
    {
      ghlo_buffer_copy_to_device_async (work->counts, ghlo_executable_get_device (work->adder), NULL, help_ready,
                                        &wait);
      async = ghlo_buffer_copy_to_device_finish (work->counts, help_wait_run (&wait), error);
    }
  help_wait_clear (&wait);

  return async != NULL;
}

static gboolean
execute (Work    *work,
         GError **error)
{
  g_autoptr (GhloBuffer) ones = help_ones ();
  g_autoptr (GhloResult) open = NULL;

  work->result = ghlo_executable_execute (work->adder, (GhloBuffer *[]) { work->placed, ones }, 2, NULL, error);
  if (work->result != NULL)
    open = ghlo_executable_execute (work->open, &work->numbers, 1, NULL, error);

  return open != NULL;
}

static gboolean
execute_async (Work    *work,
               GError **error)
{
  GhloBuffer *const inputs[] = { work->counts, work->placed };
  HelpWait waits[3];
  guint n_failed = 0;

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      waits[i] = help_wait_init ();
      ghlo_executable_execute_async (work->adder, inputs, 2, NULL, help_ready, &waits[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      g_autoptr (GhloResult) result = ghlo_executable_execute_finish (work->adder, help_wait_run (&waits[i]),
                                                                      n_failed == 0 ? error : NULL);

      n_failed += result == NULL;
      help_wait_clear (&waits[i]);
    }

  return n_failed == 0;
}

static gboolean
read_all (Work    *work,
          GError **error)
{
  g_autoptr (GBytes) bytes = ghlo_buffer_read (work->placed, NULL, error), async = NULL;
  HelpWait wait = help_wait_init ();

  if (bytes != NULL)
    {
      ghlo_buffer_read_async (ghlo_result_get_output (work->result, 0), NULL, help_ready, &wait);
      async = ghlo_buffer_read_finish (ghlo_result_get_output (work->result, 0), help_wait_run (&wait), error);
    }
  help_wait_clear (&wait);

  return async != NULL;
}

static gboolean
save (Work    *work,
      GError **error)
{
  g_autoptr (GhloBuffer) placed = ghlo_buffer_copy_to_device (work->numbers, ghlo_executable_get_device (work->adder),
                                                              NULL, error);
  HelpWait wait = help_wait_init ();
  gboolean ok = placed != NULL;

  if (ok)
    {
      ghlo_buffer_save_async (placed, work->file, NULL, help_ready, &wait);
      ok = ghlo_buffer_save_finish (placed, help_wait_run (&wait), error);
    }
  help_wait_clear (&wait);

  return ok;
}

static gboolean
begin_session (Work    *work,
               GError **error)
{
  work->session = ghlo_session_new (work->counter);

  return ghlo_session_bind_input (work->session, 0, work->numbers, error)
         && ghlo_session_carry (work->session, 1, 1, work->numbers, error);
}

static gboolean
run_session (Work    *work,
             GError **error)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run (work->session, NULL, 0, NULL, error);

      if (result == NULL)
        return FALSE;
    }

  return TRUE;
}

/* Runs called before earlier ones have ended, and a copy of the last one's output. */
static gboolean
run_session_async (Work    *work,
                   GError **error)
{
  HelpWait waits[3], copy = help_wait_init ();
  g_autoptr (GhloBuffer) state = NULL;
  guint n_failed = 0;

  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      waits[i] = help_wait_init ();
      ghlo_session_run_async (work->session, NULL, 0, NULL, help_ready, &waits[i]);
    }
  ghlo_session_copy_state_async (work->session, 1, NULL, help_ready, &copy);
  for (guint i = 0; i < G_N_ELEMENTS (waits); i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run_finish (work->session, help_wait_run (&waits[i]),
                                                               n_failed == 0 ? error : NULL);

      n_failed += result == NULL;
      help_wait_clear (&waits[i]);
    }
  state = ghlo_session_copy_state_finish (work->session, help_wait_run (&copy), n_failed == 0 ? error : NULL);
  n_failed += state == NULL;
  help_wait_clear (&copy);
  g_assert_cmpuint (ghlo_session_get_pending (work->session), ==, 0);

  return n_failed == 0;
}

static gboolean
write_to_memory (Work    *work,
                 GError **error)
{
  gint32 memory[2];
  g_autoptr (GhloResult) result = NULL;

  if (!ghlo_session_bind_output (work->session, 0, (guintptr) memory, sizeof memory, NULL, NULL, error))
    return FALSE;
  result = ghlo_session_run (work->session, NULL, 0, NULL, error);

  return ghlo_session_unbind_output (work->session, 0, NULL) && result != NULL;
}

static gboolean
copy_state (Work    *work,
            GError **error)
{
  g_autoptr (GhloBuffer) state = ghlo_session_copy_state (work->session, 1, NULL, error);
  g_autoptr (GBytes) bytes = state != NULL ? ghlo_buffer_read (state, NULL, error) : NULL;

  if (bytes == NULL)
    return FALSE;
  /* The initial value, and six steps. */
  g_assert_cmpint (((const gint32 *) g_bytes_get_data (bytes, NULL))[1], ==, 7 * pair[1]);

  return TRUE;
}

static gboolean
work_all (Work    *work,
          GError **error)
{
  static gboolean (*const pieces[]) (Work *, GError **) = {
    compile_all, reload, upload, execute, execute_async, read_all, save, begin_session, run_session, run_session_async,
    write_to_memory, copy_state,
  };
  gboolean ok = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (pieces) && ok; i++)
    {
      ok = pieces[i] (work, error);
      g_assert_true (ok == (*error == NULL));
    }

  return ok;
}

static void
work_begin (Work *work)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ghlo-faults-XXXXXX", NULL);

  *work = (Work) { .client = ghlo_client_new () };
  close (g_mkstemp (path));
  work->file = g_file_new_for_path (path);
}

static void
work_end (Work *work)
{
  g_clear_object (&work->session);
  g_clear_object (&work->result);
  g_clear_object (&work->counts);
  g_clear_object (&work->placed);
  g_clear_object (&work->numbers);
  g_clear_object (&work->adder);
  g_clear_object (&work->counter);
  g_clear_object (&work->open);
  g_clear_object (&work->client);
  g_file_delete (work->file, NULL, NULL);
  g_clear_object (&work->file);
  fake_assert_nothing_left (5 * G_USEC_PER_SEC * HELP_SLOWER);
}

static void
work_once (void)
{
  g_autoptr (GError) error = NULL;
  Work work;

  work_begin (&work);
  work_all (&work, &error);
  g_assert_no_error (error);
  work_end (&work);
}

/* FALSE when there are fewer calls than @n, so that none failed. */
static gboolean
fail_one (FakeCall  call,
          guint     n,
          GhloError code)
{
  g_autoptr (GError) error = NULL;
  gboolean ok, failed;
  Work work;

  work_begin (&work);
  fake_fail (call, n, code);
  ok = work_all (&work, &error);
  failed = fake_has_failed ();
  if (failed)
    {
      g_assert_error (error, GHLO_ERROR, code);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
  else
    g_assert_no_error (error);
  if (failed && work.adder != NULL)
    g_assert_true (ghlo_device_is_lost (ghlo_executable_get_device (work.adder)) == (code == GHLO_ERROR_DEVICE_LOST));
  g_assert_true (ok != failed);
  fake_fail (call, 0, code);
  work_end (&work);

  return failed;
}

static void
test_each (gconstpointer data)
{
  static const GhloError codes[] = { GHLO_ERROR_DEVICE, GHLO_ERROR_OUT_OF_MEMORY, GHLO_ERROR_DEVICE_LOST };
  const FakeCall call = *(const FakeCall *) data;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      guint n = 1;

      while (fail_one (call, n, codes[i]))
        {
          n++;
          work_once ();
        }
      g_assert_cmpuint (n, >, 2);
      g_test_message ("%u calls failed", n - 1);
    }
}

static void
work_begin_session (Work *work)
{
  g_autoptr (GError) error = NULL;

  work_begin (work);
  g_assert_true (compile_all (work, &error));
  g_assert_true (upload (work, &error));
  g_assert_true (begin_session (work, &error));
}

/* A session whose run did not begin is unchanged. A session whose run failed midway, or when its first commands were
 * put in, reports that its state is lost, and works again after a reset. */
static void
test_session_goes_on (void)
{
  static const FakeCall calls[] = { FAKE_ALLOCATE, FAKE_UPLOAD, FAKE_START, FAKE_RUN };

  for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
    {
      g_autoptr (GError) error = NULL;
      Work work;

      work_begin_session (&work);
      fake_fail (calls[i], 1, GHLO_ERROR_DEVICE);
      g_assert_false (run_session (&work, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE);
      g_clear_error (&error);
      if (calls[i] == FAKE_START || calls[i] == FAKE_RUN)
        {
          g_assert_false (run_session (&work, &error));
          g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
          g_clear_error (&error);
          g_assert_true (ghlo_session_reset (work.session, &error));
        }
      g_assert_true (run_session (&work, &error));
      g_assert_true (run_session_async (&work, &error));
      g_assert_true (write_to_memory (&work, &error));
      g_assert_true (copy_state (&work, &error));
      work_end (&work);
    }
}

/* After the loss of a device, before a run has begun, each run reports it. */
static void
test_session_on_lost_device (void)
{
  g_autoptr (GError) error = NULL;
  Work work;

  work_begin_session (&work);
  fake_fail (FAKE_ALLOCATE, 1, GHLO_ERROR_DEVICE_LOST);
  for (guint i = 0; i < 3; i++)
    {
      g_assert_false (run_session (&work, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
      g_clear_error (&error);
    }
  fake_fail (FAKE_ALLOCATE, 0, GHLO_ERROR_DEVICE_LOST);
  work_end (&work);
}

int
main (int   argc,
      char *argv[])
{
  static FakeCall calls[FAKE_N_CALLS];

  g_setenv ("GHLO_DEVICE", "fake", TRUE);
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/faults/none", work_once);
  for (FakeCall call = 0; call < FAKE_N_CALLS; call++)
    {
      g_autofree char *path = g_strdup_printf ("/faults/%s", fake_call_name (call));

      calls[call] = call;
      g_test_add_data_func (path, &calls[call], test_each);
    }
  g_test_add_func ("/faults/session-goes-on", test_session_goes_on);
  g_test_add_func ("/faults/session-on-lost-device", test_session_on_lost_device);

  return g_test_run ();
}
