/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of jax.export: what is read from one, which files are recognized as one, and that no corrupted byte leads the
 * reader astray.
 */

#include <string.h>

#include "exported-file.h"
#include "import/exported/exported.h"
#include "import/import.h"
#include "ir/print/print.h"
#include "ir/verify/verify.h"

#define OUTPUT_TREE 4   /* its field in the file's first table */

/* A copy on the heap, so that a sanitizer detects each read beyond it. */
static GhloExported *
read_file (const guint8 *data,
           gsize         size,
           GBytes      **module,
           char        **message)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", (const char *) data, size);
  GhloExported *exported = ghlo_exported_read (bytes, module, diagnostics);

  *message = NULL;
  if (exported == NULL)
    {
      const GhloFinding *finding = g_ptr_array_index (diagnostics->findings, 0);

      g_assert_cmpuint (diagnostics->n_errors, ==, 1);
      g_assert_cmpint (finding->code, ==, GHLO_ERROR_PARSE);
      *message = g_strdup (finding->message);
    }
  else
    g_assert_cmpuint (diagnostics->findings->len, ==, 0);

  return exported;
}

static void
check_words (char      **found,
             const char *expected)
{
  g_autofree char *joined = g_strjoinv (" ", found);

  g_assert_cmpstr (joined, ==, expected);
}

static void
test_fields (void)
{
  g_autoptr (GBytes) module = NULL;
  g_autofree char *message = NULL;
  g_autoptr (GhloExported) exported = read_file (exported_file, sizeof exported_file, &module, &message);
  static const guint kept[] = { 0, 2, 3 };

  g_assert_nonnull (exported);
  g_assert_cmpstr (exported->function_name, ==, "step");
  check_words (exported->platforms, "cpu tpu");
  g_assert_cmpuint (exported->calling_convention, ==, 10);
  g_assert_cmpuint (exported->n_devices, ==, 4);
  g_assert_true (exported->uses_global_constants);
  g_assert_cmpuint (exported->n_inputs, ==, 5);
  g_assert_cmpmem (exported->kept_inputs, exported->n_kept_inputs * sizeof (guint), kept, sizeof kept);
  g_assert_cmpmem (g_bytes_get_data (module, NULL), g_bytes_get_size (module), "ML\xefR\x0d", 5);
}

static void
test_trees (void)
{
  g_autoptr (GBytes) module = NULL;
  g_autofree char *message = NULL;
  g_autoptr (GhloExported) exported = read_file (exported_file, sizeof exported_file, &module, &message);

  g_assert_nonnull (exported);
  check_words (exported->input_paths, "[0]['b'] [0][\"it's\"] [1].x [1].\u00e9\U0001f600 ['scale']");
  check_words (exported->output_paths, "[0] [1][0][<flat index 0>] [2]['q']");
  check_words (exported->input_types, "f32[b,4] f32[b,4] bool[] bf16<host>[2*b] f32[b,4]");
  check_words (exported->output_types, "f32[b,4] bool[] bf16<host>[2*b]");
  g_assert_cmpstr (exported->input_tree, ==,
                   "(({'b': *, \"it's\": *}, CustomNode(my.Point, [*, *])), {'scale': *, 'rest': None})");
  g_assert_cmpstr (exported->output_tree, ==,
                   "[*, (CustomNode(my.Box, [*]),), CustomNode(collections.OrderedDict, [*])]");
}

static void
test_is (void)
{
  static const char *const texts[] = {
    "", "ML\xefR\x0dMLIR", "module {\n}\n", "func.func @main() { return }", "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n",
    "// a comment that goes on for some time\nmodule @m {}", "    ", "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t",
  };
  g_autofree guint8 *zeros = g_malloc0 (4096);
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);

  g_assert_true (ghlo_exported_is (exported_file, sizeof exported_file));
  /* A truncated file is still recognized by its beginning, so that the error fits. */
  g_assert_true (ghlo_exported_is (exported_file, 160));
  g_assert_false (ghlo_exported_is (exported_file, 12));
  g_assert_false (ghlo_exported_is (NULL, 0));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_assert_false (ghlo_exported_is ((const guint8 *) texts[i], strlen (texts[i])));
  g_assert_false (ghlo_exported_is (zeros, 4096));
  for (guint i = 0; i < 100000; i++)
    {
      guint32 noise[16];

      for (guint j = 0; j < G_N_ELEMENTS (noise); j++)
        noise[j] = g_rand_int_range (rand, 0, i % 2 == 0 ? 64 : G_MAXINT);
      g_assert_false (ghlo_exported_is ((const guint8 *) noise, sizeof noise));
    }
}

static void
test_truncated (void)
{
  for (gsize size = 0; size < sizeof exported_file; size++)
    {
      g_autofree guint8 *copy = g_memdup2 (exported_file, size);
      g_autoptr (GBytes) module = NULL;
      g_autofree char *message = NULL;
      g_autoptr (GhloExported) exported = read_file (copy, size, &module, &message);

      /* The end of the file is padding. */
      if (size < sizeof exported_file - 4)
        {
          g_assert_null (exported);
          g_assert_true (g_str_has_prefix (message, "at byte "));
          g_assert_nonnull (strstr (message, "expected "));
        }
      ghlo_exported_is (copy, size);
    }
}

static void
test_changed (void)
{
  static const guint8 values[] = { 0, 1, 2, 4, 0x7f, 0x80, 0xff };

  for (gsize i = 0; i < sizeof exported_file; i++)
    for (guint j = 0; j < G_N_ELEMENTS (values); j++)
      {
        g_autofree guint8 *copy = g_memdup2 (exported_file, sizeof exported_file);
        g_autoptr (GBytes) module = NULL;
        g_autofree char *message = NULL;
        g_autoptr (GhloExported) exported = NULL;

        copy[i] = values[j];
        exported = read_file (copy, sizeof exported_file, &module, &message);
        g_assert_true (exported != NULL || g_str_has_prefix (message, "at byte "));
      }
}

static guint32
read_number (const guint8 *data,
             gsize         size)
{
  guint32 value = 0;

  memcpy (&value, data, size);

  return value;
}

/* Replaces the tree of outputs by @n nested pairs, each of which contains the same inner pair twice: 2^n leaves in a
 * file of 24 n bytes. */
static GByteArray *
make_shared_pairs (guint n)
{
  /* A list of fields, then for each pair a table and its two children. */
  static const guint8 fields[] = { 8, 0, 12, 0, 4, 0, 8, 0 };
  GByteArray *bytes = g_byte_array_new ();
  guint32 root = read_number (exported_file, 4), list = root - read_number (exported_file + root, 4);
  guint32 field = root + read_number (exported_file + list + 4 + 2 * OUTPUT_TREE, 2), first, offset;

  g_byte_array_append (bytes, exported_file, sizeof exported_file);
  first = bytes->len;
  g_byte_array_append (bytes, fields, sizeof fields);
  for (guint i = 0; i <= n; i++)
    {
      guint32 back = bytes->len - first, last = i == n;
      guint32 table[] = { back, last ? 0 : 2, 4, last ? 0 : 2, 8, 4 };

      g_byte_array_append (bytes, (const guint8 *) table, sizeof table);
    }
  offset = first + sizeof fields - field;
  memcpy (bytes->data + field, &offset, sizeof offset);

  return bytes;
}

static void
test_shared (void)
{
  g_autoptr (GByteArray) small = make_shared_pairs (1), large = make_shared_pairs (60), deep = make_shared_pairs (2000);
  const char *const expected[] = { "found 2", "over and over", "256 levels" };
  GByteArray *const files[] = { small, large, deep };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autoptr (GBytes) module = NULL;
      g_autofree char *message = NULL;
      g_autoptr (GhloExported) exported = read_file (files[i]->data, files[i]->len, &module, &message);

      g_assert_null (exported);
      g_test_message ("%s", message);
      g_assert_nonnull (strstr (message, expected[i]));
    }
}

/* The input that selects the platform becomes a constant; others stay. */
static void
test_platform (void)
{
  static const char *const texts[] = {
    "func.func @main(%arg0: tensor<i32> {jax.global_constant = \"_platform_index\"}, %arg1: tensor<i32>) "
    "-> tensor<i32> {\n"
    "  %0 = stablehlo.add %arg0, %arg1 : tensor<i32>\n"
    "  return %0 : tensor<i32>\n"
    "}\n",
    "func.func @main(%arg0: tensor<i64> {jax.global_constant = \"_platform_index\"}, %arg1: tensor<i64>) "
    "-> tensor<i64> {\n"
    "  %0 = stablehlo.add %arg0, %arg1 : tensor<i64>\n"
    "  return %0 : tensor<i64>\n"
    "}\n",
  };
  static const char *const expected[] = { "@main(%arg0: tensor<i32>) -> tensor<i32>", "dense<1> : tensor<i32>",
                                          "dense<0> : tensor<i32>", "@main(%arg0: tensor<i64>) -> tensor<i64>",
                                          "dense<1> : tensor<i64>", "dense<0> : tensor<i64>" };
  char *const with_cpu[] = { (char *) "cuda", (char *) "cpu", NULL }, *const without[] = { (char *) "tpu", NULL };
  char *const *const cases[] = { with_cpu, without };

  for (guint i = 0; i < G_N_ELEMENTS (cases) * G_N_ELEMENTS (texts); i++)
    {
      const char *text = texts[i / 2];
      g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
      g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);
      GhloExported exported = { .platforms = (char **) cases[i % 2] };
      g_autofree char *printed = NULL;

      ghlo_exported_bind_platform (&exported, module);
      g_assert_true (ghlo_ir_verify (module, diagnostics, NULL));
      printed = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
      g_assert_nonnull (strstr (printed, expected[i / 2 * 3]));
      g_assert_nonnull (strstr (printed, expected[i / 2 * 3 + 1 + i % 2]));
      /* Doing it again changes nothing. */
      ghlo_exported_bind_platform (&exported, module);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/exported/fields", test_fields);
  g_test_add_func ("/exported/trees", test_trees);
  g_test_add_func ("/exported/is", test_is);
  g_test_add_func ("/exported/platform", test_platform);
  g_test_add_func ("/exported/truncated", test_truncated);
  g_test_add_func ("/exported/changed", test_changed);
  g_test_add_func ("/exported/shared", test_shared);

  return g_test_run ();
}
