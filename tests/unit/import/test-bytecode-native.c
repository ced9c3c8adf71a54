/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading the dialects' own encodings: each attribute of StableHLO, CHLO and sdy, programs that JAX wrote, and
 * malformed input.
 */

#include "import/bytecode/reader.h"
#include "ir/print/print.h"
#include "native-bytecode.h"
#include "native-cases.h"

/* A reader that has read the parts of a case already. */
typedef struct
{
  GBytes             *bytes;
  GhloBytecodeReader  reader;
  GhloByteCursor      cursor;
} Fixture;

static void
push_entry (Fixture      *self,
            gboolean      is_type,
            gconstpointer value)
{
  GhloBytecodeReaderEntry entry = { .value = value, .state = GHLO_BYTECODE_ENTRY_READ };

  if (is_type)
    GHLO_IMPORT_PUSH (&self->reader.types, entry);
  else
    GHLO_IMPORT_PUSH (&self->reader.attrs, entry);
}

static void
fixture_set_up (Fixture    *self,
                const Case *parts,
                const char *hex)
{
  const guint8 *start;
  gsize size;

  *self = (Fixture) { .bytes = make_bytes (hex) };
  start = g_bytes_get_data (self->bytes, &size);
  self->reader.bytes = self->bytes;
  self->reader.version = GHLO_BYTECODE_NEWEST;
  self->reader.file = (GhloByteRange) { start, start + size };
  self->reader.module = ghlo_ir_module_new ("test");
  self->reader.diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  for (guint i = 0; i < MAX_PARTS; i++)
    {
      if (parts->attrs[i] != NULL)
        push_entry (self, FALSE, make_attr (self->reader.module, parts->attrs[i]));
      if (parts->types[i] != NULL)
        push_entry (self, TRUE, make_type (self->reader.module, parts->types[i]));
      if (parts->strings[i] != NULL)
        GHLO_IMPORT_PUSH (&self->reader.strings, ((GhloBytecodeString) {
          .data = (const guint8 *) parts->strings[i], .length = strlen (parts->strings[i]),
        }));
    }
  self->cursor = ghlo_bytecode_cursor (&self->reader, self->reader.file, "the test");
}

static void
fixture_clear (Fixture *self)
{
  ghlo_ir_module_unref (self->reader.module);
  ghlo_diagnostics_free (self->reader.diagnostics);
  GHLO_IMPORT_CLEAR (&self->reader.attrs);
  GHLO_IMPORT_CLEAR (&self->reader.types);
  GHLO_IMPORT_CLEAR (&self->reader.strings);
  g_bytes_unref (self->bytes);
}

static void
check_case (const GhloBytecodeCodec *codec,
            const Case              *test)
{
  Fixture fixture;
  const GhloIrAttr *attr, *expected;

  fixture_set_up (&fixture, test, test->bytes);
  expected = make_attr (fixture.reader.module, test->text);
  g_test_message ("%s", test->text);
  g_assert_true (codec->read_attr (&fixture.cursor, &attr));
  g_assert_true (fixture.cursor.at == fixture.cursor.end);
  g_assert_true (attr == expected);
  fixture_clear (&fixture);

  /* Truncated bytes are refused at every length. */
  for (gsize size = 0; size < strlen (test->bytes); size += 2)
    {
      g_autofree char *less = g_strndup (test->bytes, size);

      fixture_set_up (&fixture, test, less);
      g_assert_false (codec->read_attr (&fixture.cursor, &attr));
      g_assert_cmpuint (fixture.reader.diagnostics->n_errors, ==, 1);
      fixture_clear (&fixture);
    }
}

static void
test_attributes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (native_cases); i++)
    for (guint j = 0; j < native_cases[i].n; j++)
      check_case (native_cases[i].codec, &native_cases[i].cases[j]);
}

static void
test_types (void)
{
  static const Case parts = { .types = { "tensor<2xf32>", "tensor<i1>" } };
  static const char *const types[][2] = {
    { "01", "!stablehlo.token" },
    { "03050103", "!stablehlo.future<tensor<2xf32>, tensor<i1>>" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      const GhloIrType *type;
      Fixture fixture;

      fixture_set_up (&fixture, &parts, types[i][0]);
      g_assert_true (ghlo_bytecode_stablehlo.read_type (&fixture.cursor, &type));
      g_assert_true (type == make_type (fixture.reader.module, types[i][1]));
      g_assert_true (ghlo_bytecode_stablehlo.has_type (type));
      fixture_clear (&fixture);
    }
}

static void
test_malformed (void)
{
  static const struct
  {
    const GhloBytecodeCodec *codec;
    const char *bytes, *words;
    const char *attrs[MAX_PARTS];
  } wrong[] = {
    { &ghlo_bytecode_stablehlo, "01", "expected the code of an attribute of stablehlo, found 0" },
    { &ghlo_bytecode_stablehlo, "2f", "expected the code of an attribute of stablehlo, found 23" },
    { &ghlo_bytecode_stablehlo, "00ffffffffffffffff", "expected the code of an attribute of stablehlo, found 1844" },
    { &ghlo_bytecode_stablehlo, "050d", "expected a value of #stablehlo.comparison_direction, at most 5, found 6" },
    { &ghlo_bytecode_stablehlo, "1501", "expected a value of #stablehlo.rng_distribution, at most 2, found 0" },
    { &ghlo_bytecode_stablehlo, "0bff01", "expected " },
    { &ghlo_bytecode_stablehlo, "2b0105", "expected " },
    { &ghlo_bytecode_stablehlo, "2300000000000000e07f010901",
      "as the field 'mode' of #stablehlo.result_accuracy", { "unit" } },
    { &ghlo_bytecode_chlo, "05", "expected the code of an attribute of chlo, found 2" },
    { &ghlo_bytecode_chlo, "010d", "expected a value of #chlo.comparison_direction, at most 5, found 6" },
    { &ghlo_bytecode_sdy, "25", "expected the code of an attribute of sdy, found 18" },
    { &ghlo_bytecode_sdy, "01030103", "expected a string inside an attribute of sdy", { "unit" } },
    { &ghlo_bytecode_sdy, "0d010101", "expected a mesh or its symbol", { "#sdy<axis_ref\"x\">" } },
    { &ghlo_bytecode_sdy, "17030101", "expected axis_ref inside", { "#sdy<sub_axis_info(1)2>" } },
    { &ghlo_bytecode_sdy, "110303", "expected a factor of at least 0, found -1" },
    { &ghlo_bytecode_sdy, "23010101010d", "expected a reduction up to 2, found 3", { "@m" } },
    { &ghlo_bytecode_sdy, "0f09", "expected " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      Case parts = { .text = NULL };
      const GhloFinding *finding;
      const GhloIrAttr *attr;
      Fixture fixture;

      memcpy (parts.attrs, wrong[i].attrs, sizeof parts.attrs);
      fixture_set_up (&fixture, &parts, wrong[i].bytes);
      g_assert_false (wrong[i].codec->read_attr (&fixture.cursor, &attr));
      g_assert_cmpuint (fixture.reader.diagnostics->n_errors, ==, 1);
      finding = g_ptr_array_index (fixture.reader.diagnostics->findings, 0);
      g_test_message ("%s", finding->message);
      g_assert_true (g_str_has_prefix (finding->message, "at byte "));
      g_assert_nonnull (strstr (finding->message, wrong[i].words));
      fixture_clear (&fixture);
    }
}

/* A list that refers to one long part many times must not make the text huge. */
static void
test_repeated (void)
{
  g_autofree char *name = g_strnfill (1000, 'a'), *axis = g_strdup_printf ("#sdy<axis_ref\"%s\">", name);
  const Case parts = { .attrs = { axis } };
  g_autoptr (GString) hex = g_string_new ("17");
  const GhloFinding *finding;
  const GhloIrAttr *attr;
  Fixture fixture;

  g_string_append (hex, "0280");   /* 8192 of them */
  for (guint i = 0; i < 8192; i++)
    g_string_append (hex, "01");
  fixture_set_up (&fixture, &parts, hex->str);
  g_assert_false (ghlo_bytecode_sdy.read_attr (&fixture.cursor, &attr));
  finding = g_ptr_array_index (fixture.reader.diagnostics->findings, 0);
  g_assert_nonnull (strstr (finding->message, "bytes when spelled out"));
  fixture_clear (&fixture);
}

static void
check_properties (GhloIrOpKind kind,
                  guint        version,
                  const Case  *parts,
                  const char  *expected)
{
  g_autoptr (GArray) attributes = g_array_new (FALSE, FALSE, sizeof (GhloIrNamedAttr));
  g_autoptr (GString) found = g_string_new (NULL);
  Fixture fixture;

  fixture_set_up (&fixture, parts, parts->bytes);
  fixture.reader.version = version;
  if (ghlo_bytecode_read_properties (&fixture.cursor, kind, attributes))
    {
      g_assert_true (fixture.cursor.at == fixture.cursor.end);
      for (guint i = 0; i < attributes->len; i++)
        {
          const GhloIrNamedAttr *entry = &g_array_index (attributes, GhloIrNamedAttr, i);

          g_string_append_printf (found, "%s%s = ", i > 0 ? ", " : "", entry->name);
          ghlo_ir_attr_append (entry->value, found);
        }
    }
  else
    {
      const GhloFinding *finding = g_ptr_array_index (fixture.reader.diagnostics->findings, 0);

      g_string_append (found, finding->message);
    }
  g_assert_cmpstr (found->str, ==, expected);
  fixture_clear (&fixture);
}

static void
test_properties (void)
{
  static const Case sort = { .bytes = "0107", .attrs = { "unit", "true", "unit", "1 : i64" } };
  static const Case none = { .bytes = "0101" };
  static const Case function = { .bytes = "010301010501", .attrs = { "unit", "(i1) -> i1", "\"f\"" } };
  static const Case old_function = { .bytes = "0103010501", .attrs = { "unit", "(i1) -> i1", "\"f\"" } };
  static const Case call = { .bytes = "01", .attrs = { "@f" } };
  static const Case short_call = { .bytes = "0103", .attrs = { "unit", "@f" } };
  static const Case top_k = { .bytes = "03", .attrs = { "unit", "2 : i64" } };
  static const Case scan5 = { .bytes = "010101030501", .attrs = { "0 : i64", "array<i32: 1, 2>", "array<i32: 3, 4>" } };
  static const Case scan6 = { .bytes = "0101010109030507030f", .attrs = { "0 : i64" } };
  static const Case scan_large = { .bytes = "0101010119", .attrs = { "0 : i64" } };
  static const Case empty = { .bytes = "", .attrs = { NULL } };

  check_properties (GHLO_OP_STABLEHLO_SORT, 6, &sort, "is_stable = true");
  check_properties (GHLO_OP_STABLEHLO_SORT, 6, &none, "");
  check_properties (GHLO_OP_FUNC_FUNC, 6, &function, "function_type = (i1) -> i1, sym_name = \"f\"");
  check_properties (GHLO_OP_FUNC_FUNC, 6, &old_function, "function_type = (i1) -> i1, sym_name = \"f\"");
  check_properties (GHLO_OP_FUNC_CALL, 6, &call, "callee = @f");
  check_properties (GHLO_OP_FUNC_CALL, 6, &short_call, "callee = @f");
  check_properties (GHLO_OP_CHLO_TOP_K, 6, &top_k, "k = 2 : i64");
  check_properties (GHLO_OP_CHLO_SCAN, 5, &scan5, "dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 2>, "
                    "resultSegmentSizes = array<i32: 3, 4>");
  check_properties (GHLO_OP_CHLO_SCAN, 6, &scan6, "dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 2>, "
                    "resultSegmentSizes = array<i32: 0, 3>");
  check_properties (GHLO_OP_CHLO_SCAN, 6, &scan_large, "at byte 4, in the test: expected at most 2 numbers as "
                    "'operandSegmentSizes', found 6");
  check_properties (GHLO_OP_STABLEHLO_SORT, 6, &empty,
                    "at byte 0, in the test: expected 2 properties of 'stablehlo.sort', found 0");
}

static char *
print (gconstpointer data,
       gsize         size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (GhloIrModule) module = ghlo_import (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);

  ghlo_diagnostics_to_error (diagnostics, &error);
  g_assert_no_error (error);

  return ghlo_ir_to_string (module, GHLO_IR_PRINT_GENERIC | GHLO_IR_PRINT_STRIP_LOCATIONS);
}

static void
test_programs (void)
{
  static const struct
  {
    const guint8 *bytes;
    gsize         size;
    const char   *text;
  } programs[] = {
    { large_v6, sizeof large_v6, large_text },
    { small_v0, sizeof small_v0, small_text },
    { small_v5, sizeof small_v5, small_text },
    { small_v6, sizeof small_v6, small_text },
  };

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *found = print (programs[i].bytes, programs[i].size);
      g_autofree char *expected = print (programs[i].text, strlen (programs[i].text));

      g_assert_cmpstr (found, ==, expected);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/bytecode-native/attributes", test_attributes);
  g_test_add_func ("/bytecode-native/types", test_types);
  g_test_add_func ("/bytecode-native/malformed", test_malformed);
  g_test_add_func ("/bytecode-native/repeated", test_repeated);
  g_test_add_func ("/bytecode-native/properties", test_properties);
  g_test_add_func ("/bytecode-native/programs", test_programs);

  return g_test_run ();
}
