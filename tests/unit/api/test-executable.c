/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Serialized executables, the handling of damaged and hostile ones, statistics, and releasing memory, through the
 * shared library.
 */

#include "api-help.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DOUBLE \
  "func.func @main(%value: tensor<2xi32>) -> tensor<2xi32> {\n" \
  "  %0 = stablehlo.add %value, %value : tensor<2xi32>\n" \
  "  return %0 : tensor<2xi32>\n" \
  "}\n"

#define ENDLESS \
  "func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {\n" \
  "  %true = stablehlo.constant dense<true> : tensor<i1>\n" \
  "  %0:2 = stablehlo.while(%go = %true, %i = %x) : tensor<i1>, tensor<2xi32>\n" \
  "    cond {\n" \
  "      stablehlo.return %go : tensor<i1>\n" \
  "    } do {\n" \
  "      %1 = stablehlo.add %i, %i : tensor<2xi32>\n" \
  "      stablehlo.return %go, %1 : tensor<i1>, tensor<2xi32>\n" \
  "    }\n" \
  "  return %0#1 : tensor<2xi32>\n" \
  "}\n"

/* The format's magic bytes, and the checksum that follows. */
enum { MAGIC_SIZE = 8, DIGEST_SIZE = 32, HEADER_SIZE = MAGIC_SIZE + DIGEST_SIZE };

static GhloExecutable *
compile (GhloClient         *client,
         const char         *text,
         GhloCompileOptions *options)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, "test.mlir", NULL, &error);
  GhloExecutable *executable;

  g_assert_no_error (error);
  executable = ghlo_client_compile (client, program, options, NULL, NULL, &error);
  g_assert_no_error (error);

  return executable;
}

static GhloBuffer *
pair_new (void)
{
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<2xi32>", NULL);

  return ghlo_buffer_new_from_int64s (type, (gint64[]) { 3, 4 }, 2, NULL);
}

static void
assert_doubles (GhloExecutable *executable)
{
  g_autoptr (GhloBuffer) pair = pair_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = ghlo_executable_execute (executable, &pair, 1, NULL, &error);
  g_autoptr (GBytes) bytes = NULL;

  g_assert_no_error (error);
  bytes = ghlo_buffer_read (ghlo_result_get_output (result, 0), NULL, &error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), ((gint32[]) { 6, 8 }), 8);
}

static void
test_serialize (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloCompileOptions) options = ghlo_compile_options_new_debug ();
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloExecutable) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) bytes_again = NULL;
  g_autoptr (GError) error = NULL;
  GhloValueInfo **inputs;

  ghlo_compile_options_set_disabled_passes (options, (const char *const[]) { "fuse-epilogues", NULL });
  executable = compile (client, DOUBLE, options);
  bytes = ghlo_executable_serialize (executable, NULL, &error);
  g_assert_no_error (error);
  again = ghlo_client_load_executable (client, bytes, GHLO_LOAD_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  assert_doubles (again);

  /* Names, options and the device survive: serializing again gives the same bytes. */
  bytes_again = ghlo_executable_serialize (again, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (bytes, bytes_again));
  g_assert_cmpstr (ghlo_program_get_name (ghlo_executable_get_program (again)), ==, "test.mlir");
  g_assert_true (ghlo_executable_get_device (again) == ghlo_executable_get_device (executable));
  inputs = ghlo_executable_list_inputs (again);
  g_assert_cmpstr (ghlo_value_info_get_name (inputs[0]), ==, "value");
  ghlo_value_info_unref (inputs[0]);
  g_free (inputs);

  /* Other options give other bytes. */
  g_clear_object (&again);
  again = compile (client, DOUBLE, NULL);
  g_clear_pointer (&bytes_again, g_bytes_unref);
  bytes_again = ghlo_executable_serialize (again, NULL, &error);
  g_assert_false (g_bytes_equal (bytes, bytes_again));
}

static void
test_serialize_async (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable = compile (client, DOUBLE, NULL);
  g_autoptr (GhloExecutable) again = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  HelpWait wait;

  wait = help_wait_init ();
  ghlo_executable_serialize_async (executable, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  bytes = ghlo_executable_serialize_finish (executable, wait.result, &error);
  g_assert_no_error (error);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_client_load_executable_async (client, bytes, GHLO_LOAD_FLAGS_TRUSTED, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  again = ghlo_client_load_executable_finish (client, wait.result, &error);
  g_assert_no_error (error);
  assert_doubles (again);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_client_load_executable_async (client, NULL, GHLO_LOAD_FLAGS_NONE, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  g_assert_null (ghlo_client_load_executable_finish (client, wait.result, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  help_wait_clear (&wait);
}

/* Programs that an artifact cannot represent, here because of an unknown attribute, are kept as text. */
static void
test_serialize_text (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable = compile (client,
    "func.func @main(%value: tensor<2xi32>) -> tensor<2xi32> {\n"
    "  %0 = stablehlo.add %value, %value {mhlo.odd = #stablehlo.channel_handle<handle = 1, type = 1>} : tensor<2xi32>\n"
    "  return %0 : tensor<2xi32>\n"
    "}\n", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = ghlo_executable_serialize (executable, NULL, &error);
  g_autoptr (GhloExecutable) again = NULL;

  g_assert_no_error (error);
  g_assert_nonnull (memmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "mhlo.odd = #stablehlo", 21));
  again = ghlo_client_load_executable (client, bytes, GHLO_LOAD_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  assert_doubles (again);
}

static void
assert_not_loaded (GhloClient   *client,
                   const guint8 *data,
                   gsize         size,
                   int           code,
                   const char   *pattern)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_client_load_executable (client, bytes, GHLO_LOAD_FLAGS_NONE, NULL, &error));
  g_assert_error (error, GHLO_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("expected '%s', found '%s'", pattern, error->message);
}

/* Truncated anywhere, or with any byte changed, the error is DATA. */
static void
test_damaged (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable = compile (client, DOUBLE, NULL);
  g_autoptr (GBytes) bytes = ghlo_executable_serialize (executable, NULL, NULL);
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), size);

  for (gsize i = 0; i < size; i++)
    {
      assert_not_loaded (client, data, i, GHLO_ERROR_DATA, "expected a serialized executable, found *");
      data[i] ^= 0x55;
      assert_not_loaded (client, data, size, GHLO_ERROR_DATA, "expected a serialized executable, found *");
      data[i] ^= 0x55;
    }
  data[MAGIC_SIZE - 1]++;
  assert_not_loaded (client, data, size, GHLO_ERROR_DATA, "*another version*");
}

/* Corrects the checksum, as an attacker would. */
static void
seal (guint8 *data,
      gsize   size)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize n = DIGEST_SIZE;

  g_checksum_update (checksum, data + HEADER_SIZE, size - HEADER_SIZE);
  g_checksum_get_digest (checksum, data + MAGIC_SIZE, &n);
}

/* Replaces a string in the bytes by another of the same length. */
static void
assert_forged (GhloClient *client,
               GBytes     *bytes,
               const char *text,
               const char *other,
               int         code,
               const char *pattern)
{
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
  guint8 *place = memmem (data, size, text, strlen (text));

  g_assert_nonnull (place);
  g_assert_cmpuint (strlen (text), ==, strlen (other));
  memcpy (place, other, strlen (other));
  seal (data, size);
  assert_not_loaded (client, data, size, code, pattern);
}

/* Options that ask for the reference device, whose name is long enough to be found in the bytes. */
static GhloCompileOptions *
on_reference (GhloClient *client)
{
  GhloCompileOptions *options = ghlo_compile_options_new ();
  g_autoptr (GListModel) devices = ghlo_client_list_devices (client, NULL, NULL);

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (GhloDevice) device = g_list_model_get_item (devices, i);

      if (ghlo_device_get_kind (device) == GHLO_DEVICE_KIND_REFERENCE)
        ghlo_compile_options_set_device (options, device);
    }

  return options;
}

static void
test_forged (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloCompileOptions) options = on_reference (client);
  g_autoptr (GhloExecutable) executable = compile (client, DOUBLE, options);
  g_autoptr (GBytes) bytes = ghlo_executable_serialize (executable, NULL, NULL);
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  assert_forged (client, bytes, "add_v1", "xyz_v1", GHLO_ERROR_DATA, "*cannot be read: test.mlir: at byte *");
  assert_forged (client, bytes, "reference", "quantum88", GHLO_ERROR_DEVICE, "*kind 'quantum88'*");

  /* Any bytes give an executable or an error, never a crash. */
  for (guint i = 0; i < 2000; i++)
    {
      g_autofree guint8 *forged = g_memdup2 (data, size);
      gsize length = g_rand_int_range (random, 0, 4) == 0 ? (gsize) g_rand_int_range (random, HEADER_SIZE + 1, size)
                                                          : size;
      g_autoptr (GBytes) changed = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloExecutable) loaded = NULL;

      for (gint j = g_rand_int_range (random, 1, 8); j > 0; j--)
        forged[g_rand_int_range (random, HEADER_SIZE, length)] = g_rand_int (random);
      seal (forged, length);
      changed = g_bytes_new (forged, length);
      loaded = ghlo_client_load_executable (client, changed, GHLO_LOAD_FLAGS_NONE, NULL, &error);
      g_assert_true ((loaded == NULL) == (error != NULL));
    }
}

static void
test_mistakes (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloExecutable) bare = g_object_new (GHLO_TYPE_EXECUTABLE, NULL);
  g_autoptr (GBytes) bytes = g_bytes_new ("", 0);
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloStatistics) statistics = ghlo_executable_get_statistics (bare);
  HelpWait wait;

  g_assert_cmpuint (ghlo_statistics_get_n_runs (statistics), ==, 0);
  g_assert_null (ghlo_executable_serialize (bare, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  wait = help_wait_init ();
  ghlo_executable_serialize_async (bare, NULL, help_ready, &wait);
  help_wait_for_call (&wait);
  g_assert_null (ghlo_executable_serialize_finish (bare, wait.result, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  help_wait_clear (&wait);

  g_assert_null (ghlo_client_load_executable (client, NULL, GHLO_LOAD_FLAGS_NONE, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (ghlo_client_load_executable (client, bytes, 1 << 5, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_null (ghlo_client_load_executable (client, bytes, GHLO_LOAD_FLAGS_NONE, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (30000);
  g_cancellable_cancel (data);

  return NULL;
}

static void
test_statistics (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloClient) other = ghlo_client_new ();
  g_autoptr (GhloExecutable) doubles = compile (client, DOUBLE, NULL);
  g_autoptr (GhloExecutable) endless = compile (client, ENDLESS, NULL);
  g_autoptr (GhloSession) session = ghlo_session_new (doubles);
  g_autoptr (GhloBuffer) pair = pair_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloResult) result = NULL;
  g_autoptr (GhloStatistics) before = ghlo_client_get_statistics (client);
  g_autoptr (GhloStatistics) of_doubles = NULL;
  g_autoptr (GhloStatistics) of_endless = NULL;
  g_autoptr (GhloStatistics) after = NULL;
  g_autoptr (GhloStatistics) of_other = ghlo_client_get_statistics (other);
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);

  g_assert_null (ghlo_executable_execute (endless, &pair, 1, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  for (guint i = 0; i < 3; i++)
    assert_doubles (doubles);
  result = ghlo_session_run (session, &pair, 1, NULL, &error);
  g_assert_no_error (error);

  of_doubles = ghlo_executable_get_statistics (doubles);
  of_endless = ghlo_executable_get_statistics (endless);
  after = ghlo_client_get_statistics (client);
  g_assert_cmpuint (ghlo_statistics_get_n_compiles (of_doubles), ==, 1);
  g_assert_cmpuint (ghlo_statistics_get_n_runs (of_doubles), ==, 4);
  g_assert_cmpuint (ghlo_statistics_get_n_failures (of_doubles), ==, 0);
  g_assert_cmpuint (ghlo_statistics_get_n_runs (of_endless), ==, 0);
  g_assert_cmpuint (ghlo_statistics_get_n_failures (of_endless), ==, 1);
  g_assert_cmpfloat (ghlo_statistics_get_run_time (of_endless), >, 0.01);
  g_assert_cmpuint (ghlo_statistics_get_n_compiles (after), ==, 2);
  g_assert_cmpuint (ghlo_statistics_get_n_runs (after), ==, 4);
  g_assert_cmpuint (ghlo_statistics_get_n_failures (after), ==, 1);
  g_assert_cmpfloat (ghlo_statistics_get_compile_time (after), >, 0);
  g_assert_cmpuint (ghlo_statistics_get_n_runs (before), ==, 0);
  g_assert_cmpuint (ghlo_statistics_get_n_compiles (of_other), ==, 0);
}

static void
test_memory (void)
{
  enum { SIZE = 1 << 20 };
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloTensorType) type = ghlo_tensor_type_parse ("tensor<1048576xi8>", NULL);
  g_autoptr (GhloStatistics) before = ghlo_client_get_statistics (client);
  g_autoptr (GhloBuffer) buffer = ghlo_buffer_new_zeros (type, NULL);
  g_autoptr (GhloStatistics) with = ghlo_client_get_statistics (client);
  g_autoptr (GhloStatistics) after = NULL;

  ghlo_buffer_release (buffer);
  after = ghlo_client_get_statistics (client);
  g_assert_cmpuint (ghlo_statistics_get_memory_used (with), >=, ghlo_statistics_get_memory_used (before) + SIZE);
  g_assert_cmpuint (ghlo_statistics_get_memory_used (after), <=, ghlo_statistics_get_memory_used (with) - SIZE);
  g_assert_cmpuint (ghlo_statistics_get_memory_peak (after), >=, ghlo_statistics_get_memory_used (with));
}

/* The resident memory of this process in MiB. */
static guint
resident (void)
{
  g_autofree char *text = NULL;
  unsigned long total, pages;

  g_assert_true (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  g_assert_cmpint (sscanf (text, "%lu %lu", &total, &pages), ==, 2);

  return pages * sysconf (_SC_PAGESIZE) >> 20;
}

/* Whether malloc keeps freed memory below a block in use, as glibc's does and a sanitizer's does not. */
#ifdef __GLIBC__
enum { KEEPS_HOLES = !SANITIZED };
#else
enum { KEEPS_HOLES = FALSE };
#endif

/* Frees 64 MiB below a block that is still in use, so that malloc keeps them; returns that block. */
static gpointer
leave_a_hole (void)
{
  enum { N = 16384, SIZE = 4096 };
  g_autofree gpointer *blocks = g_new (gpointer, N);
  gpointer top;

  for (guint i = 0; i < N; i++)
    {
      blocks[i] = g_malloc (SIZE);
      memset (blocks[i], 1, SIZE);
    }
  top = g_malloc (SIZE);
  for (guint i = 0; i < N; i++)
    g_free (blocks[i]);

  return top;
}

static void
assert_trimmed (guint before)
{
  /* It is unspecified what valgrind's allocator keeps. */
  if (!KEEPS_HOLES || g_getenv ("GHLO_TEST_SLOW") != NULL)
    {
      g_test_skip ("this allocator keeps nothing");
      return;
    }

  for (guint i = 0; i < 500 && resident () + 40 > before; i++)
    {
      g_main_context_iteration (NULL, FALSE);
      g_usleep (10000);
    }
  g_assert_cmpuint (resident () + 40, <=, before);
}

static void
test_trim (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autofree gpointer top G_GNUC_UNUSED = leave_a_hole ();
  guint before = resident ();

  ghlo_client_trim (client);
  assert_trimmed (before);
}

static void
test_low_memory (void)
{
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GhloExecutable) executable G_GNUC_UNUSED = compile (client, DOUBLE, NULL);
  g_autoptr (GMemoryMonitor) monitor = g_memory_monitor_dup_default ();
  guint signal = g_signal_lookup ("low-memory-warning", G_TYPE_MEMORY_MONITOR);
  g_autofree gpointer top = NULL;
  guint before;

  /* The library connects to the signal some milliseconds after its first compile. */
  for (guint i = 0; i < 500 && !g_signal_has_handler_pending (monitor, signal, 0, FALSE); i++)
    g_usleep (10000);
  g_assert_true (g_signal_has_handler_pending (monitor, signal, 0, FALSE));

  top = leave_a_hole ();
  before = resident ();
  g_signal_emit_by_name (monitor, "low-memory-warning", G_MEMORY_MONITOR_WARNING_LEVEL_LOW);
  assert_trimmed (before);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/executable/serialize", test_serialize);
  g_test_add_func ("/executable/serialize-async", test_serialize_async);
  g_test_add_func ("/executable/serialize-text", test_serialize_text);
  g_test_add_func ("/executable/damaged", test_damaged);
  g_test_add_func ("/executable/forged", test_forged);
  g_test_add_func ("/executable/mistakes", test_mistakes);
  g_test_add_func ("/executable/statistics", test_statistics);
  g_test_add_func ("/executable/memory", test_memory);
  g_test_add_func ("/executable/trim", test_trim);
  g_test_add_func ("/executable/low-memory", test_low_memory);

  return g_test_run ();
}
