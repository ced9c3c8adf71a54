/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading the bytecode that MLIR wrote in each version of the container, whole and damaged.
 */

#include <string.h>

#include "bytecode-read.h"
#include "ir/verify/verify.h"

/* The bytes of a file of tests/bytecode. */
static GBytes *
load (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "bytecode", name, NULL);
  g_autoptr (GError) error = NULL;
  char *data;
  gsize size;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);

  return g_bytes_new_take (data, size);
}

static GBytes *
load_sample (guint version)
{
  g_autofree char *name = g_strdup_printf ("module-%u.mlirbc", version);

  return load (name);
}

/* The file reads like the text, except for locations: files have some where the text has none. */
static void
check_sample (const char *name,
              const char *text_name)
{
  g_autoptr (GBytes) bytes = load (name), text = load (text_name);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GhloIrModule) expected = ghlo_import_text (g_bytes_get_data (text, NULL), g_bytes_get_size (text),
                                                        GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  g_autoptr (GhloIrModule) module = read_good_bytes (bytes);
  g_autofree char *pretty = ghlo_ir_to_string (expected, GHLO_IR_PRINT_STRIP_LOCATIONS);
  g_autofree char *generic = ghlo_ir_to_string (expected, GHLO_IR_PRINT_STRIP_LOCATIONS | GHLO_IR_PRINT_GENERIC);

  check_text (module, GHLO_IR_PRINT_STRIP_LOCATIONS, pretty);
  check_text (module, GHLO_IR_PRINT_STRIP_LOCATIONS | GHLO_IR_PRINT_GENERIC, generic);
  g_assert_true (ghlo_ir_verify (module, diagnostics, NULL));
}

/* Files that MLIR wrote in each version of the container, and a portable artifact with casts between VHLO and
 * builtin types. */
static void
test_samples (void)
{
  for (guint version = 0; version <= 6; version++)
    {
      g_autofree char *name = g_strdup_printf ("module-%u.mlirbc", version);

      check_sample (name, "module.mlir");
    }
  check_sample ("mixed.mlirbc", "mixed.mlir");
}

/* The locations of the operations in the sample's @main, and of one inside. */
static void
test_sample_locations (void)
{
  static const char *const expected[] = {
    NULL, "\"file.py\":3:4", "\"file.py\":3:4 to :9", "\"file.py\":3:4 to 5:6", "fused[\"file.py\":9:10, \"fused\"]",
    "fused<\"metadata\">[\"file.py\":11:12]", "\"call\"(\"file.py\":13:14)",
  };

  for (guint version = 0; version <= 6; version++)
    {
      g_autoptr (GBytes) bytes = load_sample (version);
      g_autoptr (GhloIrModule) module = read_good_bytes (bytes);
      GhloIrBlock *body = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"));
      GhloIrOp *op = body->first;
      g_autoptr (GString) inner = g_string_new (NULL);

      for (guint i = 0; i < G_N_ELEMENTS (expected); i++, op = op->next)
        {
          g_autoptr (GString) text = g_string_new (NULL);

          if (op->location != NULL)
            ghlo_ir_location_append (op->location, text);
          g_assert_cmpstr (text->str, ==, expected[i] != NULL ? expected[i] : "");
          if (i == 4)
            ghlo_ir_location_append (op->regions[0].first->first->location, inner);
        }
      g_assert_cmpstr (inner->str, ==, "callsite(\"inner\" at callsite(\"file.py\":7:8 at \"outer\"))");
      g_assert_cmpstr (body->arguments[0]->location->text, ==, "input");
    }
}

/* The data of large constants and of resources are used in place. */
static void
test_in_place (void)
{
  g_autoptr (GBytes) bytes = load_sample (6);
  g_autoptr (GhloIrModule) module = read_good_bytes (bytes);
  const GhloIrAttr *resource = ghlo_ir_op_get (module->op, "test.resource");
  const GhloIrOp *constant = ghlo_ir_func_get_body (ghlo_ir_module_find (module, "main"))->first->next;
  const guint8 *start, *data, *weights;
  gsize size;

  start = g_bytes_get_data (bytes, &size);
  weights = g_bytes_get_data (resource->dense.bytes, NULL);
  data = g_bytes_get_data (ghlo_ir_op_get (constant, "value")->dense.bytes, NULL);
  g_assert_true (weights > start && weights < start + size);
  g_assert_true (data > start && data < start + size);
}

/* Reads @data as they are, in memory of exactly that size. A readable module is verified, printed and parsed again,
 * unless its checksum is in @texts: much damage only changes locations and names that are not printed. */
static void
check_any (const guint8 *data,
           gsize         size,
           GHashTable   *texts)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  g_autoptr (GhloIrModule) module = read_bytes (bytes, GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics);
  g_autoptr (GhloIrModule) again = NULL;
  g_autofree char *text = NULL;

  if (module == NULL || !ghlo_ir_verify (module, diagnostics, NULL))
    {
      g_assert_cmpuint (diagnostics->n_errors, >, 0);
      return;
    }
  text = ghlo_ir_to_string (module, GHLO_IR_PRINT_DEFAULT);
  if (!g_hash_table_add (texts, g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1)))
    return;
  again = ghlo_import_text (text, strlen (text), GHLO_IMPORT_ALLOW_UNREGISTERED, diagnostics, NULL);
  if (again == NULL)
    g_error ("%s\n%s", ((const GhloFinding *) g_ptr_array_index (diagnostics->findings, 0))->message, text);
}

/* Files truncated anywhere, and files with any bit flipped. */
static void
test_damage (void)
{
  g_autoptr (GHashTable) texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint version = 0; version <= 6; version++)
    {
      g_autoptr (GBytes) bytes = load_sample (version);
      gsize size;
      g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, &size), g_bytes_get_size (bytes));

      for (gsize less = 0; less < size; less++)
        check_any (data, less, texts);
      for (gsize i = 0; i < size && version % 3 == 0; i++)
        for (guint bit = 0; bit < 8; bit++)
          {
            data[i] ^= (guint8) (1 << bit);
            check_any (data, size, texts);
            data[i] ^= (guint8) (1 << bit);
          }
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bytecode/samples/text", test_samples);
  g_test_add_func ("/bytecode/samples/locations", test_sample_locations);
  g_test_add_func ("/bytecode/samples/in-place", test_in_place);
  g_test_add_func ("/bytecode/samples/damage", test_damage);

  return g_test_run ();
}
