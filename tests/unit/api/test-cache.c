/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The disk cache: its folder, its files and the handling of damaged ones, and serialized programs after the passes.
 * Everything lies in a folder of the test's own.
 */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../passes/pass-help.h"
#include "compiler/cache-entry.h"
#include "compiler/cache-key.h"
#include "runtime/build-id.h"
#include "runtime/cache.h"

static const char name[] = "0123456789abcdef";

static char *
path_of (const char *file)
{
  return g_build_filename (ghlo_cache_get_path (), file, NULL);
}

static GBytes *
bytes_of (const char *text)
{
  return g_bytes_new (text, strlen (text));
}

static void
assert_contents (const char *file,
                 const char *text)
{
  g_autoptr (GBytes) bytes = ghlo_cache_read (file);

  g_assert_nonnull (bytes);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), text, strlen (text));
}

static void
write_text (const char *file,
            const char *text)
{
  g_autoptr (GBytes) bytes = bytes_of (text);

  ghlo_cache_write (file, bytes);
}

static guint
count_files (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) files = ghlo_cache_list (&error);

  g_assert_no_error (error);

  return files->len;
}

static void
test_files (void)
{
  struct stat status;

  g_assert_cmpuint (count_files (), ==, 0);
  g_assert_null (ghlo_cache_read (name));
  write_text (name, "some bytes");
  assert_contents (name, "some bytes");
  write_text (name, "others");
  assert_contents (name, "others");
  g_assert_cmpuint (count_files (), ==, 1);
  g_assert_cmpint (stat (ghlo_cache_get_path (), &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 0777, ==, 0700);

  /* Names that would lead out of the folder are invalid. */
  write_text ("../0123456789abc", "x");
  write_text ("0123456789ABCDEF", "x");
  write_text ("", "x");
  g_assert_cmpuint (count_files (), ==, 1);
  ghlo_cache_remove (name);
  g_assert_cmpuint (count_files (), ==, 0);
}

/* Only complete files are read. */
static void
test_damage (void)
{
  g_autofree char *path = path_of (name);
  g_autofree char *contents = NULL;
  g_autofree char *changed = NULL;
  gsize size;

  write_text (name, "what a compile made");
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  changed = g_memdup2 (contents, size + 1);
  for (gsize i = 0; i < size; i++)
    {
      g_assert_true (g_file_set_contents (path, contents, i, NULL));
      g_assert_null (ghlo_cache_read (name));
    }
  for (gsize i = 0; i < size * 8; i++)
    {
      changed[i / 8] ^= 1 << (i % 8);
      g_assert_true (g_file_set_contents (path, changed, size, NULL));
      g_assert_null (ghlo_cache_read (name));
      changed[i / 8] ^= 1 << (i % 8);
    }
  changed[size] = 'x';
  g_assert_true (g_file_set_contents (path, changed, size + 1, NULL));
  g_assert_null (ghlo_cache_read (name));
  g_assert_true (g_file_set_contents (path, contents, size, NULL));
  assert_contents (name, "what a compile made");
  ghlo_cache_remove (name);
}

/* A pipe does not block, a link is not followed, a folder is not read. */
static void
test_no_files (void)
{
  g_autofree char *path = path_of (name);
  g_autofree char *other = path_of ("fedcba9876543210");

  write_text ("fedcba9876543210", "right");
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_null (ghlo_cache_read (name));
  g_unlink (path);
  g_assert_cmpint (symlink (other, path), ==, 0);
  g_assert_null (ghlo_cache_read (name));
  g_unlink (path);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_null (ghlo_cache_read (name));
  write_text (name, "cannot be there");
  g_assert_null (ghlo_cache_read (name));
  g_rmdir (path);
  g_assert_true (ghlo_cache_clear (NULL));
  g_assert_cmpuint (count_files (), ==, 0);
}

static void
test_folder (void)
{
  g_autofree char *elsewhere = g_strconcat (ghlo_cache_get_path (), "-elsewhere", NULL);
  g_autoptr (GError) error = NULL;
  struct stat status;

  /* Permissions that would let others read are removed. */
  write_text (name, "mine");
  g_chmod (ghlo_cache_get_path (), 0755);
  assert_contents (name, "mine");
  g_assert_cmpint (stat (ghlo_cache_get_path (), &status), ==, 0);
  g_assert_cmpuint (status.st_mode & 0777, ==, 0700);

  /* A link in place of the folder is not accepted as the folder. */
  g_assert_cmpint (g_rename (ghlo_cache_get_path (), elsewhere), ==, 0);
  g_assert_cmpint (symlink (elsewhere, ghlo_cache_get_path ()), ==, 0);
  g_assert_null (ghlo_cache_read (name));
  write_text (name, "not mine");
  g_assert_null (ghlo_cache_list (&error));
  g_assert_error (error, GHLO_ERROR, GHLO_ERROR_DATA);
  g_clear_error (&error);
  g_assert_false (ghlo_cache_clear (&error));
  g_unlink (ghlo_cache_get_path ());
  g_assert_cmpint (g_rename (elsewhere, ghlo_cache_get_path ()), ==, 0);
  assert_contents (name, "mine");
  g_assert_true (ghlo_cache_clear (NULL));
}

static void
set_age (const char *file,
         int         seconds)
{
  g_autofree char *path = path_of (file);
  const struct timespec when = { g_get_real_time () / G_USEC_PER_SEC - seconds, 0 };

  g_assert_cmpint (utimensat (AT_FDCWD, path, (struct timespec[]) { when, when }, 0), ==, 0);
}

/* The least recently used files go first; reading counts as a use. */
static void
test_shrink (void)
{
  static const char *const names[] = { "1111111111111111", "2222222222222222", "3333333333333333" };
  g_autofree char *left = path_of ("new-00000000");
  g_autofree char *fresh = path_of ("new-00000001");
  g_autoptr (GPtrArray) files = NULL;
  GhloCacheFile *first;

  for (guint i = 0; i < 3; i++)
    {
      write_text (names[i], "as large as the others");
      set_age (names[i], 300 - i * 100);
    }
  g_assert_true (g_file_set_contents (left, "x", 1, NULL) && g_file_set_contents (fresh, "x", 1, NULL));
  set_age ("new-00000000", 7200);
  assert_contents (names[0], "as large as the others");
  files = ghlo_cache_list (NULL);
  g_assert_cmpuint (files->len, ==, 3);
  first = files->pdata[0];
  g_assert_cmpstr (first->name, ==, names[0]);

  ghlo_cache_shrink (first->size * 2);
  g_assert_nonnull (ghlo_cache_read (names[0]));
  g_assert_null (ghlo_cache_read (names[1]));
  g_assert_nonnull (ghlo_cache_read (names[2]));
  /* Temporary files left behind by a process are removed, too, but not those that one may still be writing. */
  g_assert_false (g_file_test (left, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_test (fresh, G_FILE_TEST_EXISTS));
  g_assert_true (ghlo_cache_clear (NULL));
  g_assert_false (g_file_test (fresh, G_FILE_TEST_EXISTS));
}

enum { ROUNDS = 200 };

/* Each text is a single letter repeated. */
static gpointer
write_and_read (gpointer data)
{
  g_autofree char *text = g_strnfill (20000, 'a' + GPOINTER_TO_INT (data));

  for (guint i = 0; i < ROUNDS; i++)
    {
      g_autoptr (GBytes) bytes = NULL;
      const char *found;

      write_text (name, text);
      bytes = ghlo_cache_read (name);
      g_assert_nonnull (bytes);
      g_assert_cmpuint (g_bytes_get_size (bytes), ==, 20000);
      found = g_bytes_get_data (bytes, NULL);
      for (gsize j = 1; j < 20000; j++)
        g_assert_cmpint (found[j], ==, found[0]);
    }

  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, write_and_read, GINT_TO_POINTER (i));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (count_files (), ==, 1);
  g_assert_true (ghlo_cache_clear (NULL));
}

/* Two large constants, one of which is folded by passes, and locations. */
#define PROGRAM(number, place) \
  "func.func @main(%x: tensor<2048xf32>) -> tensor<2048xf32> {\n" \
  "  %0 = stablehlo.iota dim = 0 : tensor<2048xf32>\n" \
  "  %1 = stablehlo.constant dense<" number "> : tensor<2048xf32>\n" \
  "  %2 = stablehlo.add %x, %1 : tensor<2048xf32> loc(\"" place ")\n" \
  "  %3 = stablehlo.multiply %2, %0 : tensor<2048xf32>\n" \
  "  return %3 : tensor<2048xf32>\n" \
  "}\n"

static GhloIrModule *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  GhloIrModule *module = pass_parse ("test.mlir", text, strlen (text), &error);

  g_assert_no_error (error);

  return module;
}

static char *
key_of (const char *text,
        const char *options,
        gboolean    keep_locations)
{
  g_autoptr (GhloIrModule) module = parse (text);
  g_autoptr (GError) error = NULL;
  char *key = ghlo_cache_key_compute (module, options, keep_locations, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (key);

  return key;
}

/* A program with a constant of 64 KiB, whose elements are @first, 0, 1, 2 … */
static char *
large_program (int first)
{
  GString *text = g_string_new ("func.func @main(%x: tensor<16384xi32>) -> (tensor<16384xi32>, tensor<128x128xi32>) {\n"
                                "  %0 = stablehlo.constant dense<[");

  g_string_append_printf (text, "%d", first);
  for (guint i = 1; i < 16384; i++)
    g_string_append_printf (text, ", %u", i);
  g_string_append (text, "]> : tensor<16384xi32>\n"
                         "  %1 = stablehlo.add %x, %0 : tensor<16384xi32>\n"
                         "  %2 = stablehlo.reshape %0 : (tensor<16384xi32>) -> tensor<128x128xi32>\n"
                         "  return %1, %2 : tensor<16384xi32>, tensor<128x128xi32>\n"
                         "}\n");

  return g_string_free (text, FALSE);
}

static void
test_keys (void)
{
  g_autofree char *key = key_of (PROGRAM ("1.0", "a.py\":1:1"), "O2", FALSE);
  g_autofree char *same = key_of (PROGRAM ("1.0", "b.py\":7:1"), "O2", FALSE);
  g_autofree char *with = key_of (PROGRAM ("1.0", "a.py\":1:1"), "O2", TRUE);
  g_autofree char *elsewhere = key_of (PROGRAM ("1.0", "b.py\":7:1"), "O2", TRUE);
  g_autofree char *other = key_of (PROGRAM ("2.0", "a.py\":1:1"), "O2", FALSE);
  g_autofree char *level = key_of (PROGRAM ("1.0", "a.py\":1:1"), "O1", FALSE);
  g_autofree char *large = large_program (0);
  g_autofree char *changed = large_program (5);
  g_autofree char *of_large = key_of (large, "O2", FALSE);
  g_autofree char *again = key_of (large, "O2", FALSE);
  g_autofree char *of_changed = key_of (changed, "O2", FALSE);

  g_assert_cmpstr (key, ==, same);
  g_assert_cmpstr (key, !=, with);
  g_assert_cmpstr (with, !=, elsewhere);
  g_assert_cmpstr (key, !=, other);
  g_assert_cmpstr (key, !=, level);
  g_assert_cmpstr (of_large, ==, again);
  g_assert_cmpstr (of_large, !=, of_changed);
}

static void
test_names (void)
{
  g_autoptr (GhloIrModule) one = parse (PROGRAM ("1.0", "a.py\":1:1"));
  g_autoptr (GhloIrModule) two = parse (PROGRAM ("1.0", "b.py\":7:1"));
  g_autoptr (GhloIrModule) other = parse (PROGRAM ("2.0", "a.py\":1:1"));
  g_autofree char *of_one = ghlo_cache_key_name (one, "O2");
  g_autofree char *of_two = ghlo_cache_key_name (two, "O2");
  g_autofree char *of_other = ghlo_cache_key_name (other, "O2");
  g_autofree char *of_level = ghlo_cache_key_name (one, "O1");

  g_assert_true (ghlo_cache_is_name (of_one));
  g_assert_cmpstr (of_one, ==, of_two);
  g_assert_cmpstr (of_one, !=, of_other);
  g_assert_cmpstr (of_one, !=, of_level);
}

static void
test_options (void)
{
  const char *const fold[] = { "fold", NULL };
  const GhloOptimizeOptions options = { .level = 2 };
  const GhloOptimizeOptions without = { .level = 2, .disabled = fold };
  g_autofree char *text = ghlo_cache_key_describe_options (&options, "cpu", FALSE);
  g_autofree char *other = ghlo_cache_key_describe_options (&without, "cpu", FALSE);
  g_autofree char *device = ghlo_cache_key_describe_options (&options, "vulkan", FALSE);
  g_autofree char *disabled = NULL, *excess = NULL, *stopped = NULL;

  g_assert_nonnull (ghlo_build_id ());
  g_assert_nonnull (strstr (text, ghlo_build_id ()));
  g_assert_cmpstr (text, !=, other);
  g_assert_cmpstr (text, !=, device);
  g_setenv ("GHLO_DISABLE", "fold", TRUE);
  disabled = ghlo_cache_key_describe_options (&options, "cpu", FALSE);
  g_unsetenv ("GHLO_DISABLE");
  g_assert_cmpstr (disabled, ==, other);
  g_setenv ("GHLO_FUSE", "3", TRUE);
  stopped = ghlo_cache_key_describe_options (&options, "cpu", FALSE);
  g_unsetenv ("GHLO_FUSE");
  g_assert_cmpstr (stopped, !=, text);
  excess = ghlo_cache_key_describe_options (&(GhloOptimizeOptions) { .level = 2, .excess_precision = TRUE }, "cpu",
                                              FALSE);
  g_assert_cmpstr (excess, !=, text);
}

static const GhloOptimizeOptions *
o2 (void)
{
  static GhloOptimizeOptions options = { .level = 2 };

  options.evaluator = ghlo_reference_device ();

  return &options;
}

static gboolean
same_reports (const GhloPassReport *a,
              const GhloPassReport *b)
{
  gboolean same = a->n_rounds == b->n_rounds && a->n_ops_before == b->n_ops_before && a->n_ops_after == b->n_ops_after
                  && a->microseconds == b->microseconds;

  for (guint pass = 0; pass < ghlo_passes_count (); pass++)
    same &= a->records[pass].n_runs == b->records[pass].n_runs
            && a->records[pass].n_changes == b->records[pass].n_changes
            && a->records[pass].microseconds == b->records[pass].microseconds;

  return same;
}

/* Reading returns what was written, except for positions in the text. NULL for programs that are not cached. */
static char *
compare_stored (GhloIrModule *module,
                gsize        *size)
{
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GhloPassReport) found = ghlo_pass_report_new ();
  g_autoptr (GhloIrModule) made = ghlo_optimize (module, o2 (), NULL, report, NULL);
  g_autofree char *key = ghlo_cache_key_compute (module, "options", FALSE, NULL, NULL);
  g_autoptr (GBytes) bytes = key != NULL ? ghlo_cache_entry_write (module, made, report, key, "cpu", FALSE) : NULL;
  g_autoptr (GhloIrModule) again = NULL;
  g_autoptr (GhloIrModule) wanted = NULL;
  g_autofree char *a = NULL, *b = NULL;

  *size = bytes != NULL ? g_bytes_get_size (bytes) : 0;
  if (bytes == NULL)
    return NULL;
  again = ghlo_cache_entry_read (bytes, module, key, NULL, found);
  if (again == NULL)
    return g_strdup ("what was written cannot be read");
  if (!same_reports (report, found))
    return g_strdup ("the reports differ");
  wanted = ghlo_ir_module_copy (made);
  a = ghlo_ir_to_string (wanted, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS);
  b = ghlo_ir_to_string (again, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS);

  return strcmp (a, b) == 0 ? NULL : g_strdup_printf ("expected\n%s\nfound\n%s", a, b);
}

static void
test_stored (void)
{
  g_autofree char *large = large_program (3);
  g_autoptr (GhloIrModule) folds = parse (PROGRAM ("1.0", "a.py\":1:1"));
  g_autoptr (GhloIrModule) holds = parse (large);
  g_autofree char *difference = NULL, *of_large = NULL;
  gsize size;

  difference = compare_stored (folds, &size);
  g_assert_cmpstr (difference, ==, NULL);
  g_assert_cmpuint (size, >, 0);
  of_large = compare_stored (holds, &size);
  g_assert_cmpstr (of_large, ==, NULL);
  /* The elements, twice 64 KiB, are referenced in the original program rather than stored. */
  g_assert_cmpuint (size, >, 0);
  g_assert_cmpuint (size, <, 4096);
}

/* The test programs, with operations of all kinds. */
static void
test_programs (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "programs", NULL);
  g_autoptr (GDir) directory = g_dir_open (folder, 0, NULL);
  const char *file;
  guint n_kept = 0;

  g_assert_nonnull (directory);
  while ((file = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, file, NULL);
      g_autofree char *text = NULL;
      g_auto (GStrv) parts = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      parts = g_strsplit (text, "// -----\n", -1);
      for (guint i = 0; parts[i] != NULL; i++)
        {
          g_autoptr (GhloIrModule) module = pass_parse (file, parts[i], strlen (parts[i]), NULL);
          GhloIrOp *entry = module != NULL ? ghlo_ir_module_get_entry (module) : NULL;
          g_autofree char *difference = NULL;
          gsize size;

          if (entry == NULL)
            continue;
          difference = compare_stored (module, &size);
          if (difference != NULL)
            g_error ("%s, program %u: %s", file, i, difference);
          n_kept += size > 0;
        }
    }
  g_test_message ("%u programs", n_kept);
  g_assert_cmpuint (n_kept, >, 5);
}

/* Altered bytes with a correct checksum give another program that verifies, or nothing, but never a crash. */
static void
test_hostile (void)
{
  g_autofree char *large = large_program (3);
  g_autoptr (GhloIrModule) module = parse (large);
  g_autoptr (GhloPassReport) report = ghlo_pass_report_new ();
  g_autoptr (GhloIrModule) made = ghlo_optimize (module, o2 (), NULL, report, NULL);
  g_autofree char *key = ghlo_cache_key_compute (module, "options", FALSE, NULL, NULL);
  g_autoptr (GBytes) bytes = ghlo_cache_entry_write (module, made, report, key, "cpu", FALSE);
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
  g_autoptr (GhloIrModule) same = ghlo_cache_entry_read (bytes, module, key, NULL, report);
  guint n_read = 0;

  g_assert_nonnull (same);
  g_assert_null (ghlo_cache_entry_read (bytes, module, "another key", NULL, report));
  for (gsize i = 0; i < size; i++)
    {
      g_autoptr (GBytes) cut = g_bytes_new (data, i);

      g_assert_null (ghlo_cache_entry_read (cut, module, key, NULL, report));
    }
  for (gsize i = 0; i < size * 2; i++)
    {
      const guint8 change = i % 2 == 0 ? 0xff : 1;
      g_autoptr (GBytes) changed = NULL;
      g_autoptr (GhloIrModule) found = NULL;
      g_auto (GhloCacheEntrySummary) summary = { 0 };

      data[i / 2] ^= change;
      changed = g_bytes_new (data, size);
      data[i / 2] ^= change;
      found = ghlo_cache_entry_read (changed, module, key, NULL, report);
      ghlo_cache_entry_summarize (changed, &summary);
      if (found == NULL)
        continue;
      n_read++;
      g_assert_nonnull (ghlo_ir_module_get_entry (found));
    }
  g_test_message ("%u changes of %" G_GSIZE_FORMAT " were read as programs", n_read, size * 2);
}

static void
test_cancel (void)
{
  g_autofree char *large = large_program (3);
  g_autoptr (GhloIrModule) module = parse (large);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const GhloMonitor monitor = { .cancellable = cancellable };
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_null (ghlo_cache_key_compute (module, "options", FALSE, &monitor, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("ghlo-cache-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_unsetenv ("GHLO_DISABLE");
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/cache/files", test_files);
  g_test_add_func ("/cache/damage", test_damage);
  g_test_add_func ("/cache/no-files", test_no_files);
  g_test_add_func ("/cache/folder", test_folder);
  g_test_add_func ("/cache/shrink", test_shrink);
  g_test_add_func ("/cache/threads", test_threads);
  g_test_add_func ("/cache/keys", test_keys);
  g_test_add_func ("/cache/names", test_names);
  g_test_add_func ("/cache/options", test_options);
  g_test_add_func ("/cache/stored", test_stored);
  g_test_add_func ("/cache/programs", test_programs);
  g_test_add_func ("/cache/hostile", test_hostile);
  g_test_add_func ("/cache/cancel", test_cancel);

  status = g_test_run ();
  ghlo_cache_clear (NULL);
  g_rmdir (ghlo_cache_get_path ());
  g_rmdir (folder);

  return status;
}
