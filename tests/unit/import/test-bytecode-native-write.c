/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writing the dialects' own encodings: each attribute of StableHLO, CHLO and sdy gives the bytes that reading accepts,
 * and so do properties.
 */

#include "import/bytecode/writer.h"
#include "native-cases.h"

/* A writer that has numbered the parts of a case already. */
typedef struct
{
  GhloBytecodeWriter  writer;
  GhloBytecodeEmitter out;
  GPtrArray          *entries;
} Fixture;

static void
push_entry (Fixture           *self,
            GhloBytecodeTable *table,
            gconstpointer      item,
            guint              number)
{
  GhloBytecodeEntry *entry = g_new0 (GhloBytecodeEntry, 1);

  entry->number = number;
  g_ptr_array_add (self->entries, entry);
  /* For each encoding in which the part may be requested. */
  for (guint encoding = 0; encoding < GHLO_BYTECODE_N_ENCODINGS; encoding++)
    g_hash_table_insert (table->by_key, (char *) item + encoding, entry);
}

static void
fixture_set_up (Fixture    *self,
                const Case *parts)
{
  *self = (Fixture) { .entries = g_ptr_array_new_with_free_func (g_free) };
  self->writer.module = ghlo_ir_module_new ("test");
  self->writer.target = GHLO_IR_VERSION_CURRENT;
  self->writer.version = 6;
  self->writer.out = &self->out;
  self->writer.attrs.by_key = g_hash_table_new (NULL, NULL);
  self->writer.types.by_key = g_hash_table_new (NULL, NULL);
  self->writer.strings.order = g_ptr_array_new ();
  for (guint i = 0; i < MAX_PARTS; i++)
    {
      if (parts->attrs[i] != NULL)
        push_entry (self, &self->writer.attrs, make_attr (self->writer.module, parts->attrs[i]), i);
      if (parts->types[i] != NULL)
        push_entry (self, &self->writer.types, make_type (self->writer.module, parts->types[i]), i);
      if (parts->strings[i] != NULL)
        ghlo_bytecode_span_number (&self->writer, &self->writer.strings, parts->strings[i], strlen (parts->strings[i]));
    }
}

static void
fixture_clear (Fixture *self)
{
  g_clear_error (&self->writer.error);
  g_hash_table_unref (self->writer.attrs.by_key);
  g_hash_table_unref (self->writer.types.by_key);
  g_ptr_array_unref (self->writer.strings.order);
  ghlo_ir_intern_clear (&self->writer.strings.table);
  ghlo_ir_arena_clear (&self->writer.arena);
  ghlo_bytecode_emitter_clear (&self->out);
  g_ptr_array_unref (self->entries);
  ghlo_ir_module_unref (self->writer.module);
}

static void
check_bytes (Fixture    *self,
             const char *hex)
{
  g_autoptr (GBytes) found = ghlo_bytecode_emitter_join (&self->out), expected = make_bytes (hex);

  g_assert_no_error (self->writer.error);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found),
                   g_bytes_get_data (expected, NULL), g_bytes_get_size (expected));
}

static void
test_attributes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (native_cases); i++)
    for (guint j = 0; j < native_cases[i].n; j++)
      {
        const Case *test = &native_cases[i].cases[j];
        const GhloIrAttr *attr;
        Fixture fixture;

        fixture_set_up (&fixture, test);
        attr = make_attr (fixture.writer.module, test->text);
        g_test_message ("%s", test->text);
        g_assert_true (native_cases[i].codec->has_attr (attr));
        g_assert_true (native_cases[i].codec->write_attr (&fixture.writer, attr));
        check_bytes (&fixture, test->bytes);
        fixture_clear (&fixture);
      }
}

static void
test_has (void)
{
  static const char *const others[] = {
    "unit", "\"sdy.mesh\"", "#vhlo.string_v1<\"a\">", "#sdyx.mesh<[]>", "#sdy<edge_value_ref operand-0>",
    "#chlo<precision HIGH>",
  };
  g_autoptr (GhloIrModule) module = ghlo_ir_module_new ("test");

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    for (guint j = 0; j < G_N_ELEMENTS (native_cases); j++)
      g_assert_false (native_cases[j].codec->has_attr (make_attr (module, others[i])));
  g_assert_false (ghlo_bytecode_chlo.has_attr (make_attr (module, "#stablehlo<comparison_direction EQ>")));
  g_assert_false (ghlo_bytecode_stablehlo.has_attr (make_attr (module, "#chlo<comparison_direction EQ>")));
  g_assert_true (ghlo_bytecode_stablehlo.has_type (make_type (module, "!stablehlo.token")));
  g_assert_false (ghlo_bytecode_stablehlo.has_type (make_type (module, "tuple<i1>")));
}

static void
test_types (void)
{
  static const Case parts = { .types = { "tensor<2xf32>", "tensor<i1>" } };
  Fixture fixture;

  fixture_set_up (&fixture, &parts);
  ghlo_bytecode_stablehlo.write_type (&fixture.writer, make_type (fixture.writer.module, "!stablehlo.token"));
  ghlo_bytecode_stablehlo.write_type (&fixture.writer, make_type (fixture.writer.module,
                                                                  "!stablehlo.future<tensor<2xf32>, tensor<i1>>"));
  check_bytes (&fixture, "0103050103");
  fixture_clear (&fixture);
}

/* Attributes that the codec does not know are refused, and the error says what was expected. */
static void
test_refused (void)
{
  static const Case none = { .text = NULL };
  Fixture fixture;

  fixture_set_up (&fixture, &none);
  g_assert_false (ghlo_bytecode_sdy.write_attr (&fixture.writer,
                                                make_attr (fixture.writer.module, "#sdy.unknown<[]>")));
  g_assert_error (fixture.writer.error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
  g_assert_cmpstr (fixture.writer.error->message, ==,
                   "expected an attribute of sdy that is known, found #sdy.unknown<[]>");
  fixture_clear (&fixture);
}

static GhloIrOp *
make_op (GhloIrModule          *module,
         GhloIrOpKind           kind,
         const GhloIrNamedAttr *attributes,
         gsize                  n)
{
  return ghlo_ir_op_new (module, &(GhloIrOpState) { .kind = kind, .attributes = attributes, .n_attributes = n });
}

static void
check_properties (GhloIrOpKind  kind,
                  guint         version,
                  GhloIrVersion target,
                  const Case   *parts,
                  const char   *names[])
{
  GhloIrNamedAttr attributes[MAX_PARTS];
  Fixture fixture;
  guint n = 0;

  fixture_set_up (&fixture, parts);
  fixture.writer.version = version;
  fixture.writer.target = target;
  for (guint i = 0; names[i] != NULL; i++)
    attributes[n++] = (GhloIrNamedAttr) { names[i], make_attr (fixture.writer.module, parts->attrs[i]) };
  if (ghlo_bytecode_write_properties (&fixture.writer, make_op (fixture.writer.module, kind, attributes, n)))
    check_bytes (&fixture, parts->bytes);
  else
    g_assert_cmpstr (fixture.writer.error->message, ==, parts->text);
  fixture_clear (&fixture);
}

static void
test_properties (void)
{
  static const GhloIrVersion current = GHLO_IR_VERSION_CURRENT, old = { 1, 17, 0 };
  static const Case sort = { .bytes = "0103", .attrs = { "true" } };
  static const Case function = { .bytes = "010101010301", .attrs = { "(i1) -> i1", "\"f\"" } };
  static const Case nameless = { .text = "expected the attribute 'sym_name' of 'func.func', found none",
                                 .bytes = "010101010301", .attrs = { "(i1) -> i1" } };
  static const Case scan5 = { .bytes = "010101030501", .attrs = { "0 : i64", "array<i32: 1, 2>", "array<i32: 3, 4>" } };
  static const Case scan6 = { .bytes = "0101010109030507030f",
                              .attrs = { "0 : i64", "array<i32: 1, 2>", "array<i32: 0, 3>" } };
  static const Case empty_scan = { .bytes = "0101010103070105",
                                   .attrs = { "0 : i64", "array<i32: 0, 0>", "array<i32: 2, 0>" } };
  static const Case top_k = { .bytes = "0101", .attrs = { "2 : i64" } };
  static const Case old_top_k = { .bytes = "01", .attrs = { "2 : i64" } };
  static const Case stable_top_k = { .bytes = "01", .attrs = { "2 : i64", "true" } };
  static const Case unstable_top_k = { .text = "chlo.top_k needs StableHLO 1.20.0, the target is 1.17.0: it has the "
                                               "attribute is_stable",
                                       .bytes = "", .attrs = { "2 : i64", "false" } };

  check_properties (GHLO_OP_STABLEHLO_SORT, 6, current, &sort, (const char *[]) { "is_stable", NULL });
  check_properties (GHLO_OP_FUNC_FUNC, 6, current, &function, (const char *[]) { "function_type", "sym_name", NULL });
  check_properties (GHLO_OP_FUNC_FUNC, 6, current, &nameless, (const char *[]) { "function_type", NULL });
  check_properties (GHLO_OP_CHLO_SCAN, 5, current, &scan5,
                    (const char *[]) { "dimension", "operandSegmentSizes", "resultSegmentSizes", NULL });
  check_properties (GHLO_OP_CHLO_SCAN, 6, current, &scan6,
                    (const char *[]) { "dimension", "operandSegmentSizes", "resultSegmentSizes", NULL });
  check_properties (GHLO_OP_CHLO_SCAN, 6, current, &empty_scan,
                    (const char *[]) { "dimension", "operandSegmentSizes", "resultSegmentSizes", NULL });
  check_properties (GHLO_OP_CHLO_TOP_K, 6, current, &top_k, (const char *[]) { "k", NULL });
  check_properties (GHLO_OP_CHLO_TOP_K, 6, old, &old_top_k, (const char *[]) { "k", NULL });
  check_properties (GHLO_OP_CHLO_TOP_K, 6, old, &stable_top_k, (const char *[]) { "k", "is_stable", NULL });
  check_properties (GHLO_OP_CHLO_TOP_K, 6, old, &unstable_top_k, (const char *[]) { "k", "is_stable", NULL });
  g_assert_true (ghlo_bytecode_has_properties (GHLO_OP_STABLEHLO_SORT));
  g_assert_false (ghlo_bytecode_has_properties (GHLO_OP_STABLEHLO_ADD));
  g_assert_false (ghlo_bytecode_has_properties (GHLO_OP_UNREGISTERED));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/bytecode-native-write/attributes", test_attributes);
  g_test_add_func ("/bytecode-native-write/has", test_has);
  g_test_add_func ("/bytecode-native-write/types", test_types);
  g_test_add_func ("/bytecode-native-write/refused", test_refused);
  g_test_add_func ("/bytecode-native-write/properties", test_properties);

  return g_test_run ();
}
