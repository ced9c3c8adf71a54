/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Programs in each format through the shared library: their metadata, writing and reading back, damaged bytes, and
 * large files.
 */

#include "../import/exported-program.h"
#include "api-help.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Results of several kinds, a region, a constant and a token. */
#define MIXED \
  "module @mixed attributes {mhlo.num_partitions = 1 : i32} {\n" \
  "  func.func public @main(%arg0: tensor<2x3xf32> {jax.buffer_donor = true}, %arg1: !stablehlo.token)\n" \
  "      -> (tensor<2xf32> {jax.result_info = \"sums\"}, !stablehlo.token, tensor<4xi8>) {\n" \
  "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>\n" \
  "    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1]\n" \
  "      : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n" \
  "    %c = stablehlo.constant dense<[1, -2, 3, 127]> : tensor<4xi8>\n" \
  "    return %0, %arg1, %c : tensor<2xf32>, !stablehlo.token, tensor<4xi8>\n" \
  "  }\n" \
  "}\n"

#define TAN \
  "func.func @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {\n" \
  "  %0 = stablehlo.tan %arg0 : tensor<3xf32>\n" \
  "  return %0 : tensor<3xf32>\n" \
  "}\n"

static char *
to_text (GhloProgram *program)
{
  g_autoptr (GError) error = NULL;
  char *text = ghlo_program_to_text (program, GHLO_TEXT_FLAGS_STRIP_LOCATIONS, NULL, &error);

  g_assert_no_error (error);

  return text;
}

static GBytes *
serialize (GhloProgram *program,
           const char  *version)
{
  g_autoptr (GError) error = NULL;
  GBytes *bytes = ghlo_program_serialize (program, version, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);

  return bytes;
}

static void
test_text (void)
{
  g_autoptr (GhloProgram) program = help_parse (MIXED);
  g_autoptr (GhloProgram) bare = g_object_new (GHLO_TYPE_PROGRAM, NULL);
  g_autofree char *producer = NULL;
  g_autofree char *version = NULL;
  GhloProgramFormat format;

  g_object_get (program, "format", &format, "producer", &producer, "artifact-version", &version, NULL);
  g_assert_cmpint (format, ==, GHLO_PROGRAM_FORMAT_TEXT);
  g_assert_null (producer);
  g_assert_null (version);
  g_assert_cmpint (ghlo_program_get_format (bare), ==, GHLO_PROGRAM_FORMAT_TEXT);
  g_assert_null (ghlo_program_get_producer (bare));
  g_assert_null (ghlo_program_get_artifact_version (bare));
}

static void
test_mark (void)
{
  static const char marked[] = "\xef\xbb\xbf" TAN, wrong[] = "\xef\xbb\xbf" "func.func main";
  g_autoptr (GBytes) bytes = g_bytes_new_static (marked, strlen (marked));
  g_autoptr (GBytes) wrong_bytes = g_bytes_new_static (wrong, strlen (wrong));
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, NULL, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (ghlo_program_get_format (program), ==, GHLO_PROGRAM_FORMAT_TEXT);
  g_assert_null (ghlo_program_parse (wrong_bytes, "wrong", NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
  g_assert_true (g_str_has_prefix (error->message, "wrong:1:11: "));
  g_assert_nonnull (strstr (error->message, "\nfunc.func main\n          ^"));
}

static void
test_versions (void)
{
  static const char *const versions[] = {
    "0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15.0", "0.19.0", "1.0.0", "1.4.0", "1.6.0", "1.9.0", "1.13.0", "1.20.0",
    NULL,
  };
  g_autoptr (GhloProgram) program = help_parse (MIXED);
  g_autofree char *text = to_text (program);

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      const char *expected = versions[i] != NULL ? versions[i] : "1.20.0";
      g_autoptr (GBytes) bytes = serialize (program, versions[i]);
      g_autoptr (GBytes) bytes_again = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GhloProgram) again = ghlo_program_parse (bytes, "mixed.mlirbc", NULL, &error);
      g_autofree char *text_again = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (ghlo_program_get_format (again), ==, GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT);
      g_assert_cmpstr (ghlo_program_get_artifact_version (again), ==, expected);
      g_assert_nonnull (strstr (ghlo_program_get_producer (again), expected));
      g_assert_cmpstr (ghlo_program_get_name (again), ==, "mixed.mlirbc");
      text_again = to_text (again);
      g_assert_cmpstr (text_again, ==, text);
      bytes_again = serialize (again, versions[i]);
      g_assert_true (g_bytes_equal (bytes_again, bytes));
    }
}

static void
test_refused (void)
{
  static const char *const wrong[] = { "", "1", "1.0", "1.0.0.0", "newest", "1..0", "1.0.0 ", "0.8.9", "1.21.0" };
  g_autoptr (GhloProgram) program = help_parse (TAN);
  g_autoptr (GhloProgram) bare = g_object_new (GHLO_TYPE_PROGRAM, NULL);
  g_autoptr (GBytes) bytes G_GNUC_UNUSED = serialize (program, "1.4.0");
  g_autoptr (GCancellable) cancelled = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();

  g_assert_null (ghlo_program_serialize (program, "1.3.0", NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_true (g_str_has_prefix (error->message, "test.mlir: "));
  g_assert_nonnull (strstr (error->message, "stablehlo.tan"));
  g_assert_nonnull (strstr (error->message, "1.4.0"));
  g_clear_error (&error);
  ghlo_program_serialize_async (program, "1.3.0", NULL, help_ready, &wait);
  g_assert_null (ghlo_program_serialize_finish (program, help_wait_run (&wait), &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  help_wait_clear (&wait);

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_null (ghlo_program_serialize (program, wrong[i], NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
  g_assert_null (ghlo_program_serialize (bare, NULL, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_cancellable_cancel (cancelled);
  g_assert_null (ghlo_program_serialize (program, NULL, cancelled, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_async (void)
{
  g_autoptr (GhloProgram) program = help_parse (MIXED);
  g_autoptr (GhloProgram) again = NULL;
  g_autoptr (GBytes) expected = serialize (program, NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GListModel) findings = NULL;
  g_autoptr (GError) error = NULL;
  HelpWait wait = help_wait_init ();

  ghlo_program_serialize_async (program, NULL, NULL, help_ready, &wait);
  bytes = ghlo_program_serialize_finish (program, help_wait_run (&wait), &error);
  g_assert_no_error (error);
  g_assert_true (wait.thread == g_thread_self ());
  g_assert_true (g_bytes_equal (bytes, expected));
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_program_parse_async (bytes, NULL, NULL, help_ready, &wait);
  again = ghlo_program_parse_finish (help_wait_run (&wait), &error);
  g_assert_no_error (error);
  g_assert_cmpint (ghlo_program_get_format (again), ==, GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_program_check_async (bytes, NULL, NULL, help_ready, &wait);
  findings = ghlo_program_check_finish (help_wait_run (&wait), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (findings), ==, 0);
  help_wait_clear (&wait);
}

/* An artifact runs like the text. */
static void
test_run (void)
{
  g_autoptr (GhloProgram) program = help_parse (HELP_ADD);
  g_autoptr (GBytes) artifact = serialize (program, "1.0.0");
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) again = ghlo_program_parse (artifact, NULL, NULL, &error);
  g_autoptr (GhloExecutable) executable = ghlo_client_compile (client, again, NULL, NULL, NULL, &error);
  g_autoptr (GhloBuffer) counts = help_counts ();
  g_autoptr (GhloBuffer) ones = help_ones ();
  g_autoptr (GhloResult) result = NULL;

  g_assert_no_error (error);
  g_clear_pointer (&artifact, g_bytes_unref);
  g_clear_object (&again);
  result = ghlo_executable_execute (executable, (GhloBuffer *[]) { counts, ones }, 2, NULL, &error);
  g_assert_no_error (error);
  help_assert_sum (result);
}

static void
assert_names (GhloValueInfo      **infos,
              const char *const   *names)
{
  guint n = 0;

  for (; infos[n] != NULL; n++)
    {
      g_assert_cmpstr (ghlo_value_info_get_name (infos[n]), ==, names[n]);
      ghlo_value_info_unref (infos[n]);
    }
  g_assert_null (names[n]);
  g_free (infos);
}

/* The calling convention supplies names that the program lacks, and an executable keeps them. */
static void
test_exported (void)
{
  static const char *const inputs[] = { "[0]['b']", "[0]['w']", "[1]", "[2]", NULL };
  static const char *const outputs[] = { "result['x'][0]", "result['y']", NULL };
  g_autoptr (GBytes) bytes = g_bytes_new_static (exported_program, sizeof exported_program);
  g_autoptr (GhloClient) client = ghlo_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, "affine.exported", NULL, &error);
  g_autoptr (GhloExecutable) executable = NULL;
  g_autoptr (GhloExecutable) again = NULL;
  g_autoptr (GBytes) artifact = NULL;
  g_autoptr (GBytes) serialized = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (ghlo_program_get_format (program), ==, GHLO_PROGRAM_FORMAT_JAX_EXPORT);
  g_assert_cmpstr (ghlo_program_get_artifact_version (program), ==, "1.15.0");
  g_assert_cmpstr (ghlo_program_get_producer (program), ==, "StableHLO_v1.15.0");
  assert_names (ghlo_program_list_inputs (program), inputs);
  assert_names (ghlo_program_list_outputs (program), outputs);

  executable = ghlo_client_compile (client, program, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  serialized = ghlo_executable_serialize (executable, NULL, &error);
  g_assert_no_error (error);
  again = ghlo_client_load_executable (client, serialized, GHLO_LOAD_FLAGS_NONE, NULL, &error);
  g_assert_no_error (error);
  assert_names (ghlo_executable_list_inputs (again), inputs);
  assert_names (ghlo_executable_list_outputs (again), outputs);

  artifact = serialize (program, NULL);
  g_clear_object (&program);
  program = ghlo_program_parse (artifact, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (ghlo_program_get_format (program), ==, GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT);
}

/* Damaged bytes give either a program or an error whose message is a sentence with a position. */
static void
assert_survived (const guint8 *data,
                 gsize         size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = ghlo_program_parse (bytes, "damaged.mlirbc", NULL, &error);

  if (program != NULL)
    return;
  g_assert_true (error->domain == GHLO_ERROR);
  g_assert_cmpint (error->code, <=, GHLO_ERROR_UNSUPPORTED);
  g_assert_true (g_str_has_prefix (error->message, "damaged.mlirbc:"));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

static void
assert_damage_found (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  g_autofree guint8 *copy = g_memdup2 (data, size);

  for (gsize i = 4; i < size; i++)
    {
      g_autoptr (GBytes) cut = g_bytes_new_from_bytes (bytes, 0, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (GListModel) findings = ghlo_program_check (cut, "cut.mlirbc", NULL, NULL);

      g_assert_null (ghlo_program_parse (cut, "cut.mlirbc", NULL, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
      g_assert_nonnull (strstr (error->message, "at byte "));
      g_assert_cmpuint (g_list_model_get_n_items (findings), >=, 1);
    }
  for (gsize i = 4; i < size; i++)
    for (guint flip = 1; flip < 256; flip = flip * 2 + 1)
      {
        copy[i] ^= (guint8) flip;
        assert_survived (copy, size);
        copy[i] = data[i];
      }
}

static void
test_damaged (void)
{
  g_autoptr (GhloProgram) program = help_parse (MIXED);
  g_autoptr (GBytes) artifact = serialize (program, NULL);

  assert_damage_found (artifact);
}

/* The file ends with the function's name; its terminating zero and anything after it are not needed. */
static void
test_damaged_exported (void)
{
  const guint8 *data = exported_program;
  g_autofree guint8 *copy = g_memdup2 (data, sizeof exported_program);

  for (gsize i = 0; i < sizeof exported_program; i++)
    {
      g_autoptr (GBytes) cut = g_bytes_new (data, i);
      g_autoptr (GListModel) findings = ghlo_program_check (cut, NULL, NULL, NULL);

      if (i > 0 && i < sizeof exported_program - 2)
        g_assert_cmpuint (g_list_model_get_n_items (findings), >=, 1);
      copy[i] ^= 0xff;
      assert_survived (copy, sizeof exported_program);
      copy[i] = data[i];
    }
}

/* A text of 65 MiB, almost entirely blank. */
static char *
write_large (void)
{
  enum { MIB = 1 << 20 };
  g_autofree char *blank = g_malloc (MIB);
  g_autoptr (GError) error = NULL;
  char *path = NULL;
  int fd = g_file_open_tmp ("ghlo-XXXXXX.mlir", &path, &error);

  g_assert_no_error (error);
  memset (blank, ' ', MIB);
  g_assert_cmpint (write (fd, HELP_ADD, strlen (HELP_ADD)), ==, strlen (HELP_ADD));
  for (guint i = 0; i < 65; i++)
    g_assert_cmpint (write (fd, blank, MIB), ==, MIB);
  g_close (fd, NULL);

  return path;
}

static void
test_large (void)
{
  g_autofree char *path = write_large ();
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program G_GNUC_UNUSED = ghlo_program_load (file, NULL, &error);
  g_autoptr (GhloProgram) again = NULL;
  GThread *thread;
  HelpWait wait = help_wait_init ();

  g_assert_no_error (error);
  ghlo_program_load_async (file, NULL, help_ready, &wait);
  again = ghlo_program_load_finish (help_wait_run (&wait), &error);
  g_assert_no_error (error);
  help_wait_clear (&wait);

  wait = help_wait_init ();
  ghlo_program_load_async (file, cancellable, help_ready, &wait);
  thread = help_cancel_later (cancellable, 1000);
  g_assert_null (ghlo_program_load_finish (help_wait_run (&wait), &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  help_wait_clear (&wait);
  g_thread_join (thread);
  g_unlink (path);
}

typedef struct
{
  const char *path;
  gint        stop;     /* atomic */
} Writer;

/* Rewrites the file's first byte again and again, which changes its modification time. */
static gpointer
keep_writing (gpointer data)
{
  Writer *writer = data;

  while (!g_atomic_int_get (&writer->stop))
    {
      int fd = g_open (writer->path, O_WRONLY, 0);

      g_assert_cmpint (write (fd, HELP_ADD, 1), ==, 1);
      g_close (fd, NULL);
      g_usleep (500);
    }

  return NULL;
}

static void
test_changed (void)
{
  g_autofree char *path = write_large ();
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloProgram) program = NULL;
  Writer writer = { .path = path };
  GThread *thread = g_thread_new ("writer", keep_writing, &writer);

  g_assert_null (ghlo_program_load (file, NULL, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
  g_assert_nonnull (strstr (error->message, "renaming"));
  g_clear_error (&error);
  g_atomic_int_set (&writer.stop, 1);
  g_thread_join (thread);

  program = ghlo_program_load (file, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/formats/text", test_text);
  g_test_add_func ("/formats/mark", test_mark);
  g_test_add_func ("/formats/versions", test_versions);
  g_test_add_func ("/formats/refused", test_refused);
  g_test_add_func ("/formats/async", test_async);
  g_test_add_func ("/formats/run", test_run);
  g_test_add_func ("/formats/exported", test_exported);
  g_test_add_func ("/formats/damaged", test_damaged);
  g_test_add_func ("/formats/damaged-exported", test_damaged_exported);
  g_test_add_func ("/formats/large", test_large);
  g_test_add_func ("/formats/changed", test_changed);

  return g_test_run ();
}
