/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What all program formats share: format detection, mapping large files, the versions that can be written, and the
 * names that a calling convention gives.
 */

#include "import/import.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../import-code.h"
#include "../limit-memory.h"
#include "base/ghlo-error.h"
#include "import/exported/exported.h"
#include "import/file.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

#define TWO \
  "func.func @main(%arg0: tensor<i32>, %arg1: tensor<2xf32>, %arg2: tensor<3xf32> loc(\"own\"))\n" \
  "    -> (tensor<3xf32>, tensor<2xf32>, tensor<i32> {jax.result_info = \"own\"}) {\n" \
  "  return %arg2, %arg1, %arg0 : tensor<3xf32>, tensor<2xf32>, tensor<i32>\n" \
  "}\n"

static GhloIrModule *
read_text (const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlir", text, strlen (text));
  g_auto (GhloImportSource) source = { .format = GHLO_PROGRAM_FORMAT_BYTECODE };
  GhloIrModule *module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, &source);

  g_assert_nonnull (module);
  g_assert_true (ghlo_import_is_text (bytes));
  g_assert_cmpint (source.format, ==, GHLO_PROGRAM_FORMAT_TEXT);
  g_assert_null (source.producer);
  g_assert_null (source.exported);

  return module;
}

static void
test_forms (void)
{
  static const struct { const char *data; gsize size; gboolean is_text; } starts[] = {
    { "", 0, TRUE },
    { "module {}", 9, TRUE },
    { "ML\xef", 3, TRUE },
    { "ML\xefR", 4, FALSE },
    { "ML\xefR\x0d""StableHLO", 14, FALSE },
  };
  g_autoptr (GhloIrModule) module G_GNUC_UNUSED = read_text (TWO);

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (starts[i].data, starts[i].size);

      g_assert_cmpint (ghlo_import_is_text (bytes), ==, starts[i].is_text);
    }
}

/* Data in no known format are reported as such, and not shown. */
static void
test_other_data (void)
{
  static const char data[] = "\211PNG\r\n\032\n\0\0\0\rIHDR";
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, sizeof data);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("picture.png", data, sizeof data);
  g_autoptr (GError) error = NULL;

  g_assert_null (ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL));
  g_assert_false (ghlo_diagnostics_to_error (diagnostics, &error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_PARSE);
  g_assert_cmpstr (error->message, ==, "picture.png: at byte 8: expected a program as text, as MLIR bytecode or as a "
                                       "file of jax.export, found other data");
}

static void
test_targets (void)
{
  static const char *const wrong[] = {
    "", "1", "1.0", "1.0.0.0", "newest", "1..0", "1.0.0 ", " 1.0.0", "v1.0.0", "0.8.9", "1.21.0", "2.0.0", "1.20.1",
    "65536.0.0", "4294967297.0.0", "-1.0.0", "\377",
  };
  GhloIrVersion version;

  g_assert_true (ghlo_ir_version_parse_target (NULL, &version, NULL));
  g_assert_cmpint (ghlo_ir_version_compare (version, GHLO_IR_VERSION_CURRENT), ==, 0);
  g_assert_true (ghlo_ir_version_parse_target ("0.9.0", &version, NULL));
  g_assert_cmpint (ghlo_ir_version_compare (version, GHLO_IR_VERSION_OLDEST), ==, 0);
  g_assert_true (ghlo_ir_version_parse_target ("1.20.0", &version, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (ghlo_ir_version_parse_target (wrong[i], &version, &error));
      g_assert_error (error, GHLO_ERROR, GHLO_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "from 0.9.0 to 1.20.0, found '"));
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
}

/* A temporary file in a folder of its own. */
typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
write_file (const char *path,
            const char *text)
{
  int fd = g_open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, text, strlen (text)), ==, strlen (text));
  g_close (fd, NULL);
}

static void
fixture_set_up (Fixture       *fixture,
                gconstpointer  data)
{
  fixture->folder = g_dir_make_tmp ("ghlo-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "model.mlir", NULL);
  write_file (fixture->path, "0123456789");
}

static void
fixture_tear_down (Fixture       *fixture,
                   gconstpointer  data)
{
  g_unlink (fixture->path);
  g_rmdir (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->folder);
}

/* Whether this process has a mapping of @path. */
static gboolean
is_mapped (const char *path)
{
  g_autofree char *maps = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));

  return strstr (maps, path) != NULL;
}

static void
test_map (Fixture       *fixture,
          gconstpointer  data)
{
  g_auto (GhloImportFile) file = { 0 };
  g_autoptr (GBytes) slice = NULL;
  g_autofree char *fifo = g_build_filename (fixture->folder, "fifo", NULL);
  g_autofree char *missing = g_build_filename (fixture->folder, "missing", NULL);

  g_assert_false (ghlo_import_file_map (&file, fixture->path, 10));
  g_assert_null (file.bytes);
  g_assert_false (ghlo_import_file_map (&file, fixture->folder, 0));
  g_assert_false (ghlo_import_file_map (&file, missing, 0));
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_false (ghlo_import_file_map (&file, fifo, 0));
  g_unlink (fifo);
  g_assert_false (ghlo_import_file_has_changed (&file));

  g_assert_true (ghlo_import_file_map (&file, fixture->path, 9));
  g_assert_cmpmem (g_bytes_get_data (file.bytes, NULL), g_bytes_get_size (file.bytes), "0123456789", 10);
  g_assert_true (is_mapped (fixture->path));
  slice = g_bytes_new_from_bytes (file.bytes, 3, 4);
  ghlo_import_file_clear (&file);
  g_assert_cmpmem (g_bytes_get_data (slice, NULL), g_bytes_get_size (slice), "3456", 4);
  g_clear_pointer (&slice, g_bytes_unref);
  g_assert_false (is_mapped (fixture->path));
}

#define CONSTANT \
  "func.func @main() -> tensor<8xui8> {\n" \
  "  %0 = stablehlo.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : tensor<8xui8>\n" \
  "  return %0 : tensor<8xui8>\n" \
  "}\n"

static GhloIrModule *
read_artifact (GBytes *bytes)
{
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test.mlirbc", g_bytes_get_data (bytes, NULL),
                                                                  g_bytes_get_size (bytes));
  g_auto (GhloImportSource) source = { 0 };
  GhloIrModule *module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, &source);

  g_assert_nonnull (module);
  g_assert_cmpint (source.format, ==, GHLO_PROGRAM_FORMAT_PORTABLE_ARTIFACT);

  return module;
}

/* A constant of a mapped artifact is a part of the mapping and keeps it alive. */
static void
test_constant (Fixture       *fixture,
               gconstpointer  data)
{
  g_autoptr (GhloIrModule) text = read_text (CONSTANT);
  g_autoptr (GBytes) artifact = ghlo_export_artifact (text, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, NULL);
  g_auto (GhloImportFile) file = { 0 };
  g_autoptr (GhloIrModule) module = NULL;
  const GhloIrAttr *value;
  const guint8 *begin, *elements;
  gsize size;

  g_assert_true (g_file_set_contents (fixture->path, g_bytes_get_data (artifact, NULL), g_bytes_get_size (artifact),
                                      NULL));
  g_assert_true (ghlo_import_file_map (&file, fixture->path, 0));
  begin = g_bytes_get_data (file.bytes, &size);
  module = read_artifact (file.bytes);
  value = ghlo_ir_op_get (ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->first, "value");
  elements = g_bytes_get_data (value->dense.bytes, NULL);
  g_assert_true (elements >= begin && elements + 8 <= begin + size);

  ghlo_import_file_clear (&file);
  g_assert_true (is_mapped (fixture->path));
  g_assert_cmpmem (elements, 8, "\1\2\3\4\5\6\7\10", 8);
  g_clear_pointer (&module, ghlo_ir_module_unref);
  g_assert_false (is_mapped (fixture->path));
}

static void
rewrite (const char *path)
{
  write_file (path, "9876543210");
}

static void
extend (const char *path)
{
  write_file (path, "0123456789 and more");
}

static void
shorten (const char *path)
{
  g_assert_cmpint (truncate (path, 5), ==, 0);
}

static void
test_changed (Fixture       *fixture,
              gconstpointer  data)
{
  static void (*const changes[]) (const char *) = { rewrite, extend, shorten };

  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_auto (GhloImportFile) file = { 0 };

      write_file (fixture->path, "0123456789");
      g_assert_true (ghlo_import_file_map (&file, fixture->path, 0));
      g_assert_false (ghlo_import_file_has_changed (&file));
      /* File times may have only the resolution of the clock tick. */
      g_usleep (20000);
      changes[i] (fixture->path);
      g_assert_true (ghlo_import_file_has_changed (&file));
    }
}

static void
test_replaced (Fixture       *fixture,
               gconstpointer  data)
{
  g_auto (GhloImportFile) file = { 0 };

  g_assert_true (ghlo_import_file_map (&file, fixture->path, 0));
  g_usleep (20000);
  g_assert_true (g_file_set_contents_full (fixture->path, "new", 3, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL));
  g_assert_false (ghlo_import_file_has_changed (&file));
  g_assert_cmpmem (g_bytes_get_data (file.bytes, NULL), g_bytes_get_size (file.bytes), "0123456789", 10);
}

static void
assert_names (const GhloIrModule *module,
              const char *const  *names)
{
  const GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module));

  for (guint i = 0; i < body->n_arguments; i++)
    g_assert_cmpstr (body->arguments[i]->name, ==, names[i]);
}

static void
test_names (void)
{
  guint kept[] = { 2, 0 };
  char *inputs[] = { (char *) "[0]['w']", (char *) "[0]['b']", (char *) "[1]", NULL };
  char *outputs[] = { (char *) "['y']", (char *) "['z']", NULL };
  const GhloExported exported = {
    .n_inputs = 3, .kept_inputs = kept, .n_kept_inputs = 2, .input_paths = inputs, .output_paths = outputs,
  };
  g_autoptr (GhloIrModule) module = read_text (TWO);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new (NULL, NULL, 0);
  g_autofree char *text = NULL;

  /* Names in the text, which tools generate for unnamed values, are not in bytecode. */
  for (guint i = 0; i < 3; i++)
    ghlo_ir_func_get_body (ghlo_ir_module_get_entry (module))->arguments[i]->name = NULL;
  ghlo_exported_name_values (&exported, module);
  assert_names (module, (const char *const[]) { NULL, "[1]", "[0]['w']" });
  g_assert_true (ghlo_ir_verify (module, diagnostics, NULL));

  text = ghlo_ir_to_string (module, GHLO_IR_PRINT_STRIP_LOCATIONS);
  g_assert_nonnull (strstr (text, "-> (tensor<3xf32>, tensor<2xf32> {jax.result_info = \"['y']\"}, "
                                  "tensor<i32> {jax.result_info = \"own\"})"));
}

/* A convention that does not fit the program changes nothing. */
static void
test_odd_names (void)
{
  guint kept[] = { 0, 7, 1, 2 };
  char *paths[] = { (char *) "", (char *) "b", (char *) "c", (char *) "d", NULL };
  GhloExported exported = { .kept_inputs = kept, .n_kept_inputs = 4, .input_paths = paths, .output_paths = paths };
  static const char *const texts[] = { "module {\n}\n", "func.func private @main(tensor<i32>)\n", TWO };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GhloIrModule) module = read_text (texts[i]);
      g_autofree char *before = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);
      g_autofree char *after = NULL;

      ghlo_exported_name_values (&exported, module);
      after = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);
      g_assert_cmpstr (before, ==, after);
    }

  /* An input that the function lacks, and paths without a name. */
  exported.n_kept_inputs = 2;
  paths[1] = NULL;
  {
    g_autoptr (GhloIrModule) module = read_text ("func.func @main(%0: tensor<i32>, %1: tensor<i32>) -> tensor<i32> {\n"
                                                 "  return %0 : tensor<i32>\n"
                                                 "}\n");
    g_autofree char *text = NULL;

    ghlo_exported_name_values (&exported, module);
    text = ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC);
    assert_names (module, (const char *const[]) { NULL, NULL });
    g_assert_null (strstr (text, "res_attrs"));
  }
}

/* Booleans in hexadecimal digits, eight to a byte, between @front and @back. */
static GBytes *
packed_text (const char *front,
             gsize       n_bytes,
             const char *back)
{
  GString *text = g_string_new (front);

  for (gsize i = 0; i < n_bytes; i++)
    g_string_append (text, i % 2 == 0 ? "5A" : "A5");
  g_string_append (text, back);

  return g_string_free_to_bytes (text);
}

/* Packed constants need more memory than the program: where it is missing, the error says so. */
static void
test_limited (void)
{
  enum { SIZE = 8 << 20, EXTRA = 32 << 20 };
  GBytes *programs[3] = { NULL };
  g_autoptr (GhloIrModule) module = NULL;
  g_autoptr (GError) error = NULL;
  int code;

  if (!limit_memory_in_subprocess ())
    return;

  programs[0] = packed_text ("func.func @main() {\n  %0 = stablehlo.constant dense<\"0x", SIZE,
                             "\"> : tensor<67108864xi1>\n  return\n}\n");
  programs[1] = packed_text ("func.func @main() {\n  %0 = stablehlo.constant dense_resource<k> : tensor<67108864xi1>\n"
                             "  return\n}\n{-# dialect_resources: { builtin: { k: \"0x01000000", SIZE, "\" } } #-}\n");
  module = import_code (programs[0], &code);
  g_assert_nonnull (module);
  programs[2] = ghlo_export_artifact (module, GHLO_IR_VERSION_CURRENT, GHLO_EXPORT_DEFAULT, NULL, &error);
  g_assert_no_error (error);

  limit_memory (EXTRA);
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_assert_null (import_code (programs[i], &code));
      g_assert_cmpint (code, ==, GHLO_ERROR_OUT_OF_MEMORY);
    }
  /* Freed only now: otherwise the next program would have the memory. */
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    g_bytes_unref (programs[i]);
}

int
main (int   argc,
      char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/import/forms", test_forms);
  g_test_add_func ("/import/other-data", test_other_data);
  g_test_add_func ("/import/targets", test_targets);
  g_test_add ("/import/map", Fixture, NULL, fixture_set_up, test_map, fixture_tear_down);
  g_test_add ("/import/constant", Fixture, NULL, fixture_set_up, test_constant, fixture_tear_down);
  g_test_add ("/import/changed", Fixture, NULL, fixture_set_up, test_changed, fixture_tear_down);
  g_test_add ("/import/replaced", Fixture, NULL, fixture_set_up, test_replaced, fixture_tear_down);
  g_test_add_func ("/import/limited", test_limited);
  g_test_add_func ("/import/names", test_names);
  g_test_add_func ("/import/odd-names", test_odd_names);

  return g_test_run ();
}
