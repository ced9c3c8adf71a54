/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Where buffers lie and how they are transferred, on the fake device: what the API reports, how often data is copied to
 * the host or the device, reading as a job, and the loss of a device.
 */

#include "fake.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "api-help.h"

/* The device at @position in the list. */
static GhloDevice *
list_device (guint position)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (devices), ==, 3);

  return g_list_model_get_item (devices, position);
}

static GhloResult *
add (GhloExecutable *executable)
{
  g_autoptr (GhloBuffer) counts = help_counts (), ones = help_ones ();
  g_autoptr (GError) error = NULL;
  GhloResult *result = ghlo_executable_execute (executable, (GhloBuffer *[]) { counts, ones }, 2, NULL, &error);

  g_assert_no_error (error);

  return result;
}

static GhloBuffer *
copy_to (GhloBuffer *buffer,
         GhloDevice *device)
{
  g_autoptr (GError) error = NULL;
  GhloBuffer *copy = ghlo_buffer_copy_to_device (buffer, device, NULL, &error);

  g_assert_no_error (error);

  return copy;
}

/* A run's outputs are on its device, and stay there when the host has read them. */
static void
test_outputs (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloResult) result = add (executable);
  GhloBuffer *output = ghlo_result_get_output (result, 0);
  g_autoptr (GhloDevice) device = list_device (2), property = NULL;
  g_autoptr (GhloBuffer) tuple = ghlo_buffer_new_tuple (&output, 1, NULL), token = ghlo_buffer_new_token ();
  g_autoptr (GhloBuffer) host = help_ones ();

  g_assert_true (ghlo_executable_get_device (executable) == device);
  g_assert_true (ghlo_buffer_get_device (output) == device);
  g_object_get (output, "device", &property, NULL);
  g_assert_true (property == device);
  g_assert_true (ghlo_buffer_get_device (tuple) == device);
  g_assert_null (ghlo_buffer_get_device (token));
  g_assert_null (ghlo_buffer_get_device (host));

  g_assert_null (ghlo_buffer_get_host_bytes (output));
  g_assert_cmpuint (ghlo_buffer_get_address (output), ==, 0);
  help_assert_sum (result);
  g_assert_true (ghlo_buffer_get_device (output) == device);
  ghlo_buffer_release (output);
  g_assert_null (ghlo_buffer_get_device (output));
}

static void
test_copies (void)
{
  g_autoptr (GhloDevice) cpu = list_device (0), fake = list_device (2);
  g_autoptr (GhloBuffer) counts = help_counts (), placed = copy_to (counts, fake), again = copy_to (placed, fake);
  g_autoptr (GhloBuffer) back = copy_to (placed, cpu);
  g_autoptr (GhloBuffer) mixed = ghlo_buffer_new_tuple ((GhloBuffer *[]) { counts, placed }, 2, NULL);
  g_autoptr (GhloBuffer) mixed_back = copy_to (mixed, cpu), async = NULL;
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  guint n = fake_count_calls (FAKE_UPLOAD);

  g_assert_true (ghlo_buffer_get_device (placed) == fake);
  g_assert_true (ghlo_buffer_get_device (again) == fake);
  g_assert_null (ghlo_buffer_get_device (back));
  g_assert_true (ghlo_buffer_get_device (mixed) == fake);
  g_assert_null (ghlo_buffer_get_device (mixed_back));
  ghlo_buffer_release (placed);
  g_assert_cmpmem (help_read (back), 24, help_read (counts), 24);
  g_assert_cmpmem (help_read (again), 24, help_read (counts), 24);

  ghlo_buffer_copy_to_device_async (counts, fake, NULL, help_ready, &wait);
  async = ghlo_buffer_copy_to_device_finish (counts, help_wait_run (&wait), &error);
  help_wait_clear (&wait);
  g_assert_no_error (error);
  g_assert_true (ghlo_buffer_get_device (async) == fake);
  g_assert_cmpuint (fake_count_calls (FAKE_UPLOAD), ==, n + 1);
}

static void
read_async (GhloBuffer *buffer)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  HelpWait wait = help_wait_init ();

  ghlo_buffer_read_async (buffer, NULL, help_ready, &wait);
  bytes = ghlo_buffer_read_finish (buffer, help_wait_run (&wait), &error);
  help_wait_clear (&wait);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 24);
}

static void
read_for_dlpack (GhloBuffer *buffer)
{
  struct
  {
    gpointer        data;
    gint64          others[5];
    gpointer        owner;
    GDestroyNotify  deleter;
  } *managed;
  g_autoptr (GError) error = NULL;

  managed = (gpointer) ghlo_buffer_export_dlpack (buffer, FALSE, &error);
  g_assert_no_error (error);
  g_assert_true (managed->data == help_read (buffer));
  managed->deleter (managed);
}

static void
save (GhloBuffer *buffer)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "ghlo-placement-XXXXXX", NULL);
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;

  close (g_mkstemp (path));
  file = g_file_new_for_path (path);
  ghlo_buffer_save (buffer, file, NULL, &error);
  g_assert_no_error (error);
  g_file_delete (file, NULL, NULL);
}

static void
read_sync (GhloBuffer *buffer)
{
  help_read (buffer);
}

/* The first reader of any kind copies the elements to the host, once for all. */
static void
test_read_once (void)
{
  static void (*const readers[]) (GhloBuffer *) = { read_sync, read_async, read_for_dlpack, save };
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);

  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    {
      g_autoptr (GhloResult) result = add (executable);
      guint n = fake_count_calls (FAKE_DOWNLOAD);

      for (guint k = 0; k < G_N_ELEMENTS (readers); k++)
        readers[(i + k) % G_N_ELEMENTS (readers)] (ghlo_result_get_output (result, 0));
      g_assert_cmpuint (fake_count_calls (FAKE_DOWNLOAD), ==, n + 1);
      help_assert_sum (result);
    }
}

/* A cancelled read is answered soon, and leaves the buffer unchanged. */
static gint64
cancel_reads (G_GNUC_UNUSED gpointer data)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloResult) result = add (executable);
  GhloBuffer *output = ghlo_result_get_output (result, 0);
  gint64 longest = 0;

  fake_take_time (FAKE_DOWNLOAD, 60 * G_USEC_PER_SEC);
  for (guint async = 0; async < 2; async++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      HelpWait wait = help_wait_init ();
      gint64 start = g_get_monotonic_time ();
      GThread *thread = help_cancel_later (cancellable, 20000);

      if (async)
        {
          ghlo_buffer_read_async (output, cancellable, help_ready, &wait);
          longest = MAX (longest, g_get_monotonic_time () - start);
          g_assert_null (ghlo_buffer_read_finish (output, help_wait_run (&wait), &error));
        }
      else
        g_assert_null (ghlo_buffer_read (output, cancellable, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      longest = MAX (longest, g_get_monotonic_time () - start - 20000);
      g_assert_null (ghlo_buffer_get_host_bytes (output));
      g_thread_join (thread);
      help_wait_clear (&wait);
    }
  fake_take_time (FAKE_DOWNLOAD, 0);
  help_assert_sum (result);

  return longest;
}

static void
test_read_cancelled (void)
{
  soon_assert (cancel_reads, NULL, HELP_CANCEL_LIMIT);
}

/* Carries the sum, and returns something else. */
#define TOTAL \
  "func.func @main(%step: tensor<2xi32>, %state: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {\n" \
  "  %0 = stablehlo.add %state, %step : tensor<2xi32>\n" \
  "  %1 = stablehlo.reverse %0, dims = [0] : tensor<2xi32>\n" \
  "  return %1, %0 : tensor<2xi32>, tensor<2xi32>\n" \
  "}\n"

/* Bound values are uploaded once; carried values never leave the device, and are written in place. */
static void
test_session (void)
{
  static const gint32 ones[2] = { 1, 1 }, zeros[2] = { 0, 0 }, expected[2] = { 5, 5 };
  g_autoptr (GhloExecutable) executable = help_compile (TOTAL);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) step = help_buffer ("tensor<2xi32>", ones, sizeof ones), state = NULL;
  g_autoptr (GhloBuffer) initial = help_buffer ("tensor<2xi32>", zeros, sizeof zeros);
  g_autoptr (GError) error = NULL;
  guint n_uploads = fake_count_calls (FAKE_UPLOAD), n_downloads = fake_count_calls (FAKE_DOWNLOAD), n_allocations = 0;

  g_assert_true (ghlo_session_bind_input (session, 0, step, &error));
  g_assert_true (ghlo_session_carry (session, 1, 1, initial, &error));
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GhloResult) result = ghlo_session_run (session, NULL, 0, NULL, &error);

      g_assert_no_error (error);
      g_assert_true (ghlo_buffer_get_device (ghlo_result_get_output (result, 0)) != NULL);
      /* One allocation for the returned output, and none for the state from the second run on. */
      if (i > 0)
        g_assert_cmpuint (fake_count_calls (FAKE_ALLOCATE) - n_allocations, ==, 1);
      n_allocations = fake_count_calls (FAKE_ALLOCATE);
    }
  g_assert_cmpuint (fake_count_calls (FAKE_UPLOAD), ==, n_uploads + 2);
  g_assert_cmpuint (fake_count_calls (FAKE_DOWNLOAD), ==, n_downloads);

  state = ghlo_session_copy_state (session, 1, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (ghlo_buffer_get_device (state) == ghlo_executable_get_device (executable));
  g_assert_cmpmem (help_read (state), sizeof expected, expected, sizeof expected);
}

/* The CPU accepts buffers on the device, and leaves its outputs in host memory. */
static void
test_other_device (void)
{
  static const gint32 numbers[4] = { 1, 2, 3, 4 };
  g_autoptr (GhloDevice) cpu = list_device (0), fake = list_device (2);
  g_autoptr (GhloProgram) program = help_parse (HELP_IDENTITY);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloCompileOptions) options = g_object_new (GHLO_TYPE_COMPILE_OPTIONS, "device", cpu, NULL);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloBuffer) input = help_buffer ("tensor<4xi32>", numbers, sizeof numbers), placed = copy_to (input, fake);
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GError) error = NULL;

  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);
  result = ghlo_executable_execute (executable, &placed, 1, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      GhloBuffer *output = ghlo_result_get_output (result, i);

      g_assert_null (ghlo_buffer_get_device (output));
      g_assert_cmpmem (help_read (output), sizeof numbers, numbers, sizeof numbers);
    }
}

static void
test_timing (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_COUNTER);
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GhloBuffer) number = help_buffer ("tensor<2xi32>", (const gint32[]) { 1, 2 }, 8);
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GError) error = NULL;
  gint32 memory[2];
  GhloTiming *timing;

  fake_take_time (FAKE_UPLOAD, 3000);
  fake_take_time (FAKE_DOWNLOAD, 5000);
  fake_take_time (FAKE_RUN, 20000);
  g_assert_true (ghlo_session_bind_output (session, 0, (guintptr) memory, sizeof memory, NULL, NULL, &error));
  result = ghlo_session_run (session, (GhloBuffer *[]) { number, number }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (memory[1], ==, 2);
  timing = ghlo_result_get_timing (result);
  g_assert_cmpfloat (ghlo_timing_get_upload (timing), >=, 0.006);
  g_assert_cmpfloat (ghlo_timing_get_download (timing), >=, 0.005);
  g_assert_cmpfloat (ghlo_timing_get_run (timing), >=, 0.02);
  fake_take_time (FAKE_UPLOAD, 0);
  fake_take_time (FAKE_DOWNLOAD, 0);
  fake_take_time (FAKE_RUN, 200);
}

static void
assert_lost (gconstpointer  made,
             GError       **error)
{
  g_assert_null (made);
  g_assert_error (*error, GHLO_ERROR, GHLO_ERROR_DEVICE_LOST);
  g_clear_error (error);
}

/* After the loss of the device, every call on its buffers reports it, permanently; a new client finds a new instance
 * of the device. */
static void
test_lost (void)
{
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD), after = NULL;
  g_autoptr (GhloResult) read = add (executable), unread = add (executable), result = NULL;
  g_autoptr (GhloBuffer) counts = help_counts ();
  GhloBuffer *const inputs[] = { counts, counts };
  GhloDevice *device = ghlo_executable_get_device (executable);
  g_autoptr (GhloDevice) found = NULL;
  g_autoptr (GhloSession) session = ghlo_session_new (executable);
  g_autoptr (GError) error = NULL;
  gboolean lost;

  help_assert_sum (read);
  g_assert_false (ghlo_device_is_lost (device));
  fake_fail (FAKE_RUN, 1, GHLO_ERROR_DEVICE_LOST);
  assert_lost (ghlo_executable_execute (executable, inputs, 2, NULL, &error), &error);
  for (guint i = 0; i < 2; i++)
    {
      g_assert_true (ghlo_device_is_lost (device));
      g_object_get (device, "lost", &lost, NULL);
      g_assert_true (lost);
      assert_lost (ghlo_executable_execute (executable, inputs, 2, NULL, &error), &error);
      assert_lost (ghlo_session_run (session, inputs, 2, NULL, &error), &error);
      assert_lost (ghlo_buffer_copy_to_device (counts, device, NULL, &error), &error);
      assert_lost (ghlo_buffer_read (ghlo_result_get_output (unread, 0), NULL, &error), &error);
      g_assert_cmpuint (ghlo_buffer_export_dlpack (ghlo_result_get_output (unread, 0), TRUE, &error), ==, 0);
      assert_lost (NULL, &error);
      /* Data that was read before is in host memory. */
      help_assert_sum (read);
      found = list_device (2);
      g_assert_true (found != device);
      g_assert_cmpstr (ghlo_device_get_name (found), ==, ghlo_device_get_name (device));
      g_assert_false (ghlo_device_is_lost (found));
      g_clear_object (&found);
    }

  after = help_compile (HELP_ADD);
  g_assert_true (ghlo_executable_get_device (after) != device);
  result = add (after);
  help_assert_sum (result);
}

static void
set_gone (gpointer data)
{
  g_atomic_int_set ((gint *) data, TRUE);
}

/* Memory lent as an input is returned once the device has a copy, rather than at the end of the run. */
static void
test_inputs_go (void)
{
  static const float numbers[6];
  static const gint64 dimensions[] = { 2, 3 };
  gint is_gone = FALSE;
  g_autoptr (GhloExecutable) executable = help_compile (HELP_ADD);
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_new (GHLO_ELEMENT_TYPE_F32, dimensions, 2);
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (numbers, sizeof numbers, set_gone, &is_gone);
  g_autoptr (GhloBuffer) lent = ghlo_buffer_new_from_bytes (type, bytes, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();
  const gint64 begin = g_get_monotonic_time ();

  fake_take_time (FAKE_RUN, 120 * G_USEC_PER_SEC);
  ghlo_executable_execute_async (executable, (GhloBuffer *[]) { lent, lent }, 2, cancellable, help_ready, &wait);
  g_clear_object (&lent);
  g_clear_pointer (&bytes, g_bytes_unref);
  while (!g_atomic_int_get (&is_gone) && g_get_monotonic_time () - begin < 60 * G_USEC_PER_SEC)
    g_usleep (100);
  g_assert_true (g_atomic_int_get (&is_gone));
  fake_take_time (FAKE_RUN, 0);
  g_cancellable_cancel (cancellable);
  result = ghlo_executable_execute_finish (executable, help_wait_run (&wait), &error);
  help_wait_clear (&wait);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* At the end of each test all its objects must have been freed. */
static void
run_test (gconstpointer data)
{
  (*(void (*const *) (void)) data) ();
  fake_assert_nothing_left (5 * G_USEC_PER_SEC * HELP_SLOWER);
}

int
main (int   argc,
      char *argv[])
{
  static const struct
  {
    const char  *path;
    void       (*func) (void);
  } tests[] = {
    { "/placement/outputs", test_outputs },
    { "/placement/copies", test_copies },
    { "/placement/read-once", test_read_once },
    { "/placement/read-cancelled", test_read_cancelled },
    { "/placement/inputs-go", test_inputs_go },
    { "/placement/session", test_session },
    { "/placement/other-device", test_other_device },
    { "/placement/timing", test_timing },
    { "/placement/lost", test_lost },
  };

  g_setenv ("GHLO_DEVICE", "fake", TRUE);
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add_data_func (tests[i].path, &tests[i].func, run_test);

  return g_test_run ();
}
