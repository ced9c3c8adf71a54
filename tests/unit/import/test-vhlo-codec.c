/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * VHLO's encoding of attributes and types: bytes and their meaning, invalid bytes, and round trips of everything
 * through an artifact.
 */

#include <string.h>

#include "import/bytecode/reader.h"
#include "ir/print/print.h"

/* A varint below 128, and a signed one from -64 to 63. */
#define V(n) ((n) << 1 | 1)
#define S(n) V ((n) < 0 ? -2 * (n) - 1 : 2 * (n))
#define BYTES(...) sizeof (guint8[]) { __VA_ARGS__ }, (const guint8[]) { __VA_ARGS__ }
/* 1.0 of f64. */
#define ONE 0x00, 0, 0, 0, 0, 0, 0, 0xe0, 0x7f
#define DYNAMIC 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff

/* The meanings of the entries' indices. */
static const char *const types[] = {
  "f32", "i8", "tensor<2xf32>", "index", "complex<f32>", "tensor<2xi1>", "tensor<2xi4>", "ui8", "none",
  "!quant.uniform<i8:f32, 1.000000e+00>", "tensor<?xf32>", "i64",
};
enum { F32, I8, TENSOR, INDEX, COMPLEX, BOOLEANS, NIBBLES, UI8, NONE, QUANTIZED, UNKNOWN, I64 };

static const char *const attrs[] = {
  "\"a\"", "\"b\"", "#stablehlo.result_accuracy_mode<TOLERANCE>", "#stablehlo.bounds<4, ?>",
  "#stablehlo.sub_axis_info<pre_size = 1, size = 2>", "[#stablehlo.axis_ref<name = \"a\">]",
  "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"a\", size = 2>]>",
  "[#stablehlo.mesh_axis<name = \"a\", size = 2>]", "dense<[1, 0]> : tensor<2xi64>", "#stablehlo<precision HIGH>",
};
enum { A, B, MODE, BOUNDS, SUB_AXIS, AXES, MESH, MESH_AXES, DEVICES, PRECISION };

typedef struct
{
  const char   *name;
  gsize         size;
  const guint8 *bytes;
  const char   *expected;   /* as text, or the error */
} Case;

static const Case type_cases[] = {
  { "i1", BYTES (V (0)), "i1" },
  { "complex", BYTES (V (1), V (F32)), "complex<f32>" },
  { "complex-narrow", BYTES (V (1), V (I8)), "complex<i8>" },
  { "f8E5M2", BYTES (V (7)), "f8E5M2" },
  { "function", BYTES (V (8), V (1), V (F32), V (2), V (I8), V (TENSOR)), "(f32) -> (i8, tensor<2xf32>)" },
  { "function-empty", BYTES (V (8), V (0), V (0)), "() -> ()" },
  { "index", BYTES (V (9)), "index" },
  { "i4", BYTES (V (10)), "i4" },
  { "ui64", BYTES (V (19)), "ui64" },
  { "tensor", BYTES (V (20), V (2), S (3), DYNAMIC, V (F32)), "tensor<3x?xf32>" },
  { "tensor-quantized", BYTES (V (20), V (0), V (QUANTIZED)), "tensor<!quant.uniform<i8:f32, 1.000000e+00>>" },
  { "bounds", BYTES (V (21), V (BOUNDS), V (2), DYNAMIC, S (3), V (F32)), "tensor<?x3xf32, #stablehlo.bounds<4, ?>>" },
  { "encoding", BYTES (V (21), V (A), V (1), S (3), V (F32)), "tensor<3xf32, \"a\">" },
  { "token", BYTES (V (22)), "!stablehlo.token" },
  { "tuple", BYTES (V (23), V (2), V (TENSOR), V (I8)), "tuple<tensor<2xf32>, i8>" },
  { "quantized", BYTES (V (24), V (1), V (I8), V (F32), ONE, S (-3), S (-8), S (7)),
    "!quant.uniform<i8<-8:7>:f32, 1.000000e+00:-3>" },
  { "quantized-unsigned", BYTES (V (24), V (0), V (I8), V (F32), ONE, S (3), S (0), S (15)),
    "!quant.uniform<ui8<0:15>:f32, 1.000000e+00:3>" },
  { "unranked", BYTES (V (25), V (F32)), "tensor<*xf32>" },
  { "witness", BYTES (V (26)), "!shape.witness" },
  { "quantized-axis", BYTES (V (30), V (1), V (I8), V (F32), V (1), S (-8), S (7), V (2), ONE, ONE, V (2), S (1),
                             S (2)),
    "!quant.uniform<i8<-8:7>:f32:1, {1.000000e+00:1,1.000000e+00:2}>" },
  { "i2", BYTES (V (31)), "i2" },
  { "none", BYTES (V (33)), "none" },
  { "tf32", BYTES (V (34)), "tf32" },
  { "f8E8M0FNU", BYTES (V (40)), "f8E8M0FNU" },
  { "buffer", BYTES (V (41), V (1), S (3), V (F32)), "memref<3xf32>" },
  { "future", BYTES (V (42), V (1), V (TENSOR)), "!stablehlo.future<tensor<2xf32>>" },

  { "wrong/code", BYTES (V (43)), "at byte 0, in the test: expected a type of VHLO, 0 to 42, found 43" },
  { "wrong/empty", BYTES (V (1)), "at byte 1, in the test: expected 1 more byte, found 0" },
  { "wrong/complex", BYTES (V (1), V (COMPLEX)),
    "at byte 1, in the test: expected a float or integer type inside 'complex', found complex<f32>" },
  { "wrong/complex-index", BYTES (V (1), V (INDEX)),
    "at byte 1, in the test: expected a float or integer type inside 'complex', found index" },
  { "wrong/element", BYTES (V (25), V (TENSOR)),
    "at byte 1, in the test: expected an element type, found tensor<2xf32>" },
  { "wrong/dimension", BYTES (V (20), V (1), S (-1), V (F32)),
    "at byte 2, in the test: expected a dimension that is not negative, found -1" },
  { "wrong/rank", BYTES (V (20), V (100), V (F32)),
    "at byte 1, in the test: expected a count of the items that follow, found 100, for which 1 bytes are too few" },
  { "wrong/bounds", BYTES (V (21), V (BOUNDS), V (1), DYNAMIC, V (F32)),
    "at byte 1, in the test: expected one bound for each of 1 dimensions, found 2" },
  { "wrong/future", BYTES (V (42), V (1), V (I8)),
    "at byte 1, in the test: expected ranked tensors inside a future, found i8" },
  { "wrong/number", BYTES (V (1), V (60)),
    "at byte 1, in the test: expected the index of a type, of which there are 12, found 60" },
  { "wrong/storage", BYTES (V (24), V (1), V (I64), V (F32), S (0), S (0), S (0), S (1)),
    "at byte 1, in the test: expected a storage type of 2, 4, 8, 16 or 32 bits, found i64" },
  { "wrong/expressed", BYTES (V (24), V (1), V (I8), V (I8), S (0), S (0), S (0), S (1)),
    "at byte 1, in the test: expected a float type that the quantized values express, found i8" },
  { "wrong/range", BYTES (V (24), V (1), V (I8), V (F32), S (0), S (0), S (5), S (5)),
    "at byte 6, in the test: expected a storage range within [-128, 127], found [5, 5]" },
  { "wrong/range-unsigned", BYTES (V (24), V (0), V (I8), V (F32), S (0), S (0), S (-1), S (5)),
    "at byte 6, in the test: expected a storage range within [0, 255], found [-1, 5]" },
  { "wrong/axis", BYTES (V (30), V (1), V (I8), V (F32), V (64), S (-8), S (7), V (1), S (0), V (1), S (1)),
    "at byte 1, in the test: expected a quantized dimension between 0 and 63, found 64" },
  { "wrong/no-scales", BYTES (V (30), V (1), V (I8), V (F32), V (0), S (-8), S (7), V (0), V (0)),
    "at byte 1, in the test: expected as many zero points as scales and one at least, found 0 and 0" },
};

static const Case attr_cases[] = {
  { "array", BYTES (V (1), V (2), V (A), V (B)), "[\"a\", \"b\"]" },
  { "true", BYTES (V (2), V (1)), "true" },
  { "direction", BYTES (V (3), V (3)), "#stablehlo<comparison_direction GT>" },
  { "comparison", BYTES (V (4), V (2)), "#stablehlo<comparison_type TOTALORDER>" },
  { "interface", BYTES (V (5), V (4)), "4 : i32" },
  { "dictionary", BYTES (V (6), V (2), V (B), V (A), V (A), V (B)), "{a = \"b\", b = \"a\"}" },
  { "fft", BYTES (V (7), V (2)), "#stablehlo<fft_type RFFT>" },
  { "float", BYTES (V (8), V (F32), S (0)), "0.000000e+00 : f32" },
  { "integer", BYTES (V (9), V (I64), S (-5)), "-5 : i64" },
  { "integer-byte", BYTES (V (9), V (I8), 0xfe), "-2 : i8" },
  { "integer-unsigned", BYTES (V (9), V (UI8), 0xfe), "254 : ui8" },
  { "integer-index", BYTES (V (9), V (INDEX), S (7)), "7 : index" },
  { "alias", BYTES (V (10), V (1), S (0), S (2), V (0)),
    "#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 2, operand_tuple_indices = []>" },
  { "precision", BYTES (V (11), V (1)), "#stablehlo<precision HIGH>" },
  { "algorithm", BYTES (V (12), V (1)), "#stablehlo<rng_algorithm THREE_FRY>" },
  { "distribution", BYTES (V (13), V (2)), "#stablehlo<rng_distribution NORMAL>" },
  { "tensor", BYTES (V (15), V (TENSOR), V (8), 0, 0, 0x80, 0x3f, 0, 0, 0, 0x40),
    "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>" },
  { "tensor-splat", BYTES (V (15), V (TENSOR), V (4), 0, 0, 0x80, 0x3f), "dense<1.000000e+00> : tensor<2xf32>" },
  { "tensor-booleans", BYTES (V (15), V (BOOLEANS), V (1), 2), "dense<[false, true]> : tensor<2xi1>" },
  { "tensor-booleans-splat", BYTES (V (15), V (BOOLEANS), V (1), 0xff), "dense<true> : tensor<2xi1>" },
  { "tensor-nibbles", BYTES (V (15), V (NIBBLES), V (2), 0x0f, 0x07), "dense<[-1, 7]> : tensor<2xi4>" },
  { "transpose", BYTES (V (16), V (3)), "#stablehlo<transpose ADJOINT>" },
  { "type", BYTES (V (17), V (NONE)), "none" },
  { "bounds", BYTES (V (18), V (2), S (4), DYNAMIC), "#stablehlo.bounds<4, ?>" },
  { "mode", BYTES (V (19), V (1)), "#stablehlo.result_accuracy_mode<HIGHEST>" },
  { "accuracy", BYTES (V (20), S (0), S (0), S (5), V (MODE)),
    "#stablehlo.result_accuracy<ulps = 5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>" },
  { "sub-axis", BYTES (V (21), S (1), S (2)), "#stablehlo<sub_axis_info(1)2>" },
  { "axis", BYTES (V (22), V (A), V (0)), "#stablehlo.axis_ref<name = \"a\">" },
  { "axis-part", BYTES (V (22), V (A), V (1), V (SUB_AXIS)),
    "#stablehlo.axis_ref<name = \"a\", sub_axis_info = (1)2>" },
  { "groups", BYTES (V (23), V (A), V (AXES)),
    "#stablehlo.replica_group_mesh_axes<mesh = @a, axes = [#stablehlo.axis_ref<name = \"a\">]>" },
  { "groups-mesh", BYTES (V (23), V (MESH), V (AXES)),
    "#stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"a\", size = 2>]>, "
    "axes = [#stablehlo.axis_ref<name = \"a\">]>" },
  { "mesh-axis", BYTES (V (24), V (B), S (4)), "#stablehlo.mesh_axis<name = \"b\", size = 4>" },
  { "mesh", BYTES (V (25), V (MESH_AXES), V (0)),
    "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"a\", size = 2>]>" },
  { "mesh-devices", BYTES (V (25), V (MESH_AXES), V (DEVICES << 1 | 1)),
    "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"a\", size = 2>], device_ids = dense<[1, 0]> : "
    "tensor<2xi64>>" },

  { "wrong/code-0", BYTES (V (0)), "at byte 0, in the test: expected an attribute of VHLO, 1 to 25, found 0" },
  { "wrong/code", BYTES (V (26)), "at byte 0, in the test: expected an attribute of VHLO, 1 to 25, found 26" },
  { "wrong/bool", BYTES (V (2), V (2)), "at byte 1, in the test: expected a boolean, 0 or 1, found 2" },
  { "wrong/word", BYTES (V (3), V (6)),
    "at byte 1, in the test: expected a value of comparison_direction, at most 5, found 6" },
  { "wrong/word-left-out", BYTES (V (13), V (0)),
    "at byte 1, in the test: expected a value of rng_distribution, at most 2, found 0" },
  { "wrong/key", BYTES (V (6), V (1), V (MODE), V (A)),
    "at byte 2, in the test: expected a string, found a value of an enumeration" },
  { "wrong/key-again", BYTES (V (6), V (2), V (A), V (A), V (A), V (B)),
    "at byte 1, in the test: expected each name of a dictionary once, found 'a' again" },
  { "wrong/count", BYTES (V (6), V (2), V (A), V (A), V (A)),
    "at byte 1, in the test: expected a count of the items that follow, found 2, for which 3 bytes are too few" },
  { "wrong/float", BYTES (V (8), V (I8), 0), "at byte 1, in the test: expected the type of a float, found i8" },
  { "wrong/integer", BYTES (V (9), V (F32), S (0)),
    "at byte 1, in the test: expected the type of an integer, found f32" },
  { "wrong/tensor", BYTES (V (15), V (TENSOR), V (3), 1, 2, 3),
    "at byte 6, in the test: expected the data of 2 elements of f32, found 3 bytes" },
  { "wrong/tensor-dynamic", BYTES (V (15), V (UNKNOWN), V (0)),
    "at byte 3, in the test: expected a tensor type with static dimensions for a constant, found tensor<?xf32>" },
  { "wrong/mode", BYTES (V (20), S (0), S (0), S (5), V (PRECISION)),
    "at byte 4, in the test: expected an accuracy mode, found a value of precision" },
  { "wrong/sub-axis", BYTES (V (22), V (A), V (1), V (MESH)),
    "at byte 3, in the test: expected an attribute of the kind sub_axis_info, found "
    "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"a\", size = 2>]>" },
  { "wrong/mesh", BYTES (V (23), V (AXES), V (AXES)),
    "at byte 1, in the test: expected an attribute of the kind mesh, found "
    "[#stablehlo.axis_ref<name = \"a\">]" },
  { "wrong/axes", BYTES (V (23), V (A), V (B)), "at byte 2, in the test: expected an array, found a string" },
  { "wrong/devices", BYTES (V (25), V (MESH_AXES), V (A << 1 | 1)),
    "at byte 2, in the test: expected a tensor of devices, found a string" },
};

typedef struct
{
  GBytes             *bytes;
  GhloBytecodeReader  reader;
  GhloByteCursor      cursor;
} Fixture;

static void
set_up (Fixture    *self,
        const Case *test)
{
  const guint8 *start;

  *self = (Fixture) { .bytes = g_bytes_new (test->bytes, test->size) };
  /* GLib returns NULL for empty data. */
  start = test->size > 0 ? g_bytes_get_data (self->bytes, NULL) : (const guint8 *) "";
  self->reader.bytes = self->bytes;
  self->reader.file = (GhloByteRange) { start, start + test->size };
  self->reader.module = ghlo_ir_module_new ("test");
  self->reader.diagnostics = ghlo_diagnostics_new ("test", NULL, 0);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      GhloBytecodeReaderEntry entry = { .state = GHLO_BYTECODE_ENTRY_READ };

      entry.value = ghlo_import_type (self->reader.module, types[i], NULL);
      g_assert_nonnull (entry.value);
      GHLO_IMPORT_PUSH (&self->reader.types, entry);
    }
  for (guint i = 0; i < G_N_ELEMENTS (attrs); i++)
    {
      GhloBytecodeReaderEntry entry = { .state = GHLO_BYTECODE_ENTRY_READ };

      entry.value = ghlo_import_attribute (self->reader.module, attrs[i], NULL);
      g_assert_nonnull (entry.value);
      GHLO_IMPORT_PUSH (&self->reader.attrs, entry);
    }
  self->cursor = ghlo_bytecode_cursor (&self->reader, self->reader.file, "the test");
}

static void
clear (Fixture *self)
{
  GHLO_IMPORT_CLEAR (&self->reader.types);
  GHLO_IMPORT_CLEAR (&self->reader.attrs);
  ghlo_ir_module_unref (self->reader.module);
  ghlo_diagnostics_free (self->reader.diagnostics);
  g_bytes_unref (self->bytes);
}

/* The value read has the expected text, or there is one diagnostic. */
static void
check (Fixture    *self,
       const Case *test,
       GString    *text)
{
  if (text != NULL)
    {
      g_assert_cmpuint (self->reader.diagnostics->findings->len, ==, 0);
      g_assert_cmpstr (text->str, ==, test->expected);
      g_assert_true (self->cursor.at == self->cursor.end);
      return;
    }
  g_assert_cmpuint (self->reader.diagnostics->findings->len, ==, 1);
  g_assert_cmpstr (((GhloFinding *) g_ptr_array_index (self->reader.diagnostics->findings, 0))->message, ==,
                   test->expected);
}

/* No proper prefix of the bytes can be read, and nothing is read beyond its end. */
static void
check_starts (const Case *test,
              gboolean    is_type)
{
  for (gsize size = 0; size < test->size; size++)
    {
      Case start = *test;
      const GhloIrType *type;
      const GhloIrAttr *attr;
      Fixture fixture;

      start.size = size;
      set_up (&fixture, &start);
      g_assert_false (is_type ? ghlo_bytecode_vhlo.read_type (&fixture.cursor, &type)
                              : ghlo_bytecode_vhlo.read_attr (&fixture.cursor, &attr));
      g_assert_cmpuint (fixture.reader.diagnostics->findings->len, ==, 1);
      clear (&fixture);
    }
}

static void
test_type (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GString) text = NULL;
  const GhloIrType *type;
  Fixture fixture;

  set_up (&fixture, test);
  if (ghlo_bytecode_vhlo.read_type (&fixture.cursor, &type))
    {
      text = g_string_new (NULL);
      ghlo_ir_type_append (type, text);
      g_assert_true (ghlo_bytecode_vhlo.has_type (type));
      g_assert_true (type == ghlo_import_type (fixture.reader.module, text->str, NULL));
    }
  check (&fixture, test, text);
  clear (&fixture);
  check_starts (test, TRUE);
}

static void
test_attr (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GString) text = NULL;
  const GhloIrAttr *attr;
  Fixture fixture;

  set_up (&fixture, test);
  if (ghlo_bytecode_vhlo.read_attr (&fixture.cursor, &attr))
    {
      text = g_string_new (NULL);
      ghlo_ir_attr_append (attr, text);
      g_assert_true (ghlo_bytecode_vhlo.has_attr (attr));
    }
  check (&fixture, test, text);
  clear (&fixture);
  check_starts (test, FALSE);
}

/* Every version that can represent the function restores it unchanged. */
static void
check_round_trip (const char *text,
                  const char *since)
{
  static const GhloIrVersion versions[] = { { 0, 9, 0 }, { 0, 12, 0 }, { 0, 14, 0 }, { 0, 18, 0 }, { 1, 8, 0 },
                                            { 1, 16, 0 }, { 1, 20, 0 } };
  g_autoptr (GhloDiagnostics) diagnostics = ghlo_diagnostics_new ("test", text, strlen (text));
  g_autoptr (GhloIrModule) module = ghlo_import_text (text, strlen (text), GHLO_IMPORT_DEFAULT, diagnostics, NULL);
  g_autofree char *expected = NULL;
  GhloIrVersion first;

  g_assert_cmpuint (diagnostics->n_errors, ==, 0);
  expected = ghlo_ir_to_string (module, GHLO_IR_PRINT_STRIP_LOCATIONS);
  g_assert_true (ghlo_ir_version_parse (since, &first));
  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = ghlo_export_artifact (module, versions[i], GHLO_EXPORT_DEFAULT, NULL, &error);
      g_autoptr (GhloIrModule) again = NULL;
      g_autofree char *found = NULL;

      if (ghlo_ir_version_compare (versions[i], first) < 0)
        {
          g_assert_error (error, GHLO_ERROR, GHLO_ERROR_UNSUPPORTED);
          continue;
        }
      g_assert_no_error (error);
      again = ghlo_import_bytecode (bytes, GHLO_IMPORT_DEFAULT, diagnostics, NULL, NULL);
      g_assert_cmpuint (diagnostics->n_errors, ==, 0);
      found = ghlo_ir_to_string (again, GHLO_IR_PRINT_STRIP_LOCATIONS);
      g_assert_cmpstr (found, ==, expected);
    }
}

static const struct
{
  const char *text, *since;
} trips[] = {
  { "tensor<2xi1>", "0.9.0" }, { "tensor<2xi2>", "1.2.0" }, { "tensor<2xi4>", "0.9.0" }, { "tensor<2xi8>", "0.9.0" },
  { "tensor<2xi16>", "0.9.0" }, { "tensor<2xi32>", "0.9.0" }, { "tensor<2xi64>", "0.9.0" },
  { "tensor<2xui2>", "1.2.0" }, { "tensor<2xui4>", "0.9.0" }, { "tensor<2xui8>", "0.9.0" },
  { "tensor<2xui16>", "0.9.0" }, { "tensor<2xui32>", "0.9.0" }, { "tensor<2xui64>", "0.9.0" },
  { "tensor<2xf4E2M1FN>", "1.8.0" }, { "tensor<2xf6E2M3FN>", "1.8.0" }, { "tensor<2xf6E3M2FN>", "1.8.0" },
  { "tensor<2xf8E3M4>", "1.7.0" }, { "tensor<2xf8E4M3>", "1.7.0" }, { "tensor<2xf8E4M3FN>", "0.9.0" },
  { "tensor<2xf8E4M3FNUZ>", "0.10.0" }, { "tensor<2xf8E4M3B11FNUZ>", "0.11.0" }, { "tensor<2xf8E5M2>", "0.9.0" },
  { "tensor<2xf8E5M2FNUZ>", "0.10.0" }, { "tensor<2xf8E8M0FNU>", "1.8.0" }, { "tensor<2xbf16>", "0.9.0" },
  { "tensor<2xf16>", "0.9.0" }, { "tensor<2xf32>", "0.9.0" }, { "tensor<2xf64>", "0.9.0" },
  { "tensor<2xcomplex<f32>>", "0.9.0" }, { "tensor<complex<f64>>", "0.9.0" }, { "tensor<2xcomplex<i8>>", "0.9.0" },
  { "tensor<2xindex>", "0.9.0" }, { "index", "0.9.0" }, { "tensor<?x0x3xf32>", "0.9.0" }, { "tensor<*xf32>", "0.9.0" },
  { "tensor<?x3xf32, #stablehlo.bounds<4, ?>>", "0.9.0" }, { "tensor<2x!quant.uniform<i8:f32, 0.5:-3>>", "0.9.0" },
  { "tensor<2x!quant.uniform<u4<1:7>:bf16, 0.5>>", "0.9.0" },
  { "tensor<2x!quant.uniform<i8:f32:0, {0.5:1, 0.25:-2}>>", "0.18.0" },
  { "!stablehlo.token", "0.9.0" }, { "tuple<>", "0.9.0" }, { "tuple<tensor<2xf32>, tuple<tensor<i1>>>", "0.9.0" },
  { "memref<2x?xf32>", "1.13.0" }, { "!stablehlo.future<tensor<2xf32>, tensor<i8>>", "1.15.0" },
  { "!shape.witness", "0.9.0" }, { "!shape.shape", "1.11.0" },
};

static void
test_types_back (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (trips); i++)
    {
      g_autofree char *text = g_strdup_printf ("func.func @main(%%a: %s) { return }", trips[i].text);

      check_round_trip (text, trips[i].since);
    }
}

static const struct
{
  const char *text, *since;
} attr_trips[] = {
  { "true", "0.9.0" }, { "\"a\\00b\"", "0.9.0" }, { "\"\"", "0.9.0" }, { "[]", "0.9.0" }, { "{}", "0.9.0" },
  { "[1, [true, {b = 2.5 : f16}], \"a\"]", "0.9.0" }, { "{b = [], a = f32}", "0.9.0" },
  { "-1 : i4", "0.9.0" }, { "-128 : i8", "0.9.0" }, { "255 : ui8", "0.9.0" }, { "-5 : i16", "0.9.0" },
  { "-9223372036854775808", "0.9.0" }, { "18446744073709551615 : ui64", "0.9.0" }, { "7 : index", "0.9.0" },
  { "0x7F800000 : f32", "0.9.0" }, { "-0.0 : f64", "0.9.0" }, { "1.5 : bf16", "0.9.0" }, { "-0.5 : f8E4M3FN", "0.9.0" },
  { "tensor<2xf32>", "0.9.0" }, { "none", "1.6.0" }, { "tf32", "1.6.0" }, { "(f32) -> ()", "0.9.0" },
  { "dense<> : tensor<0x2xf32>", "0.9.0" }, { "dense<true> : tensor<i1>", "0.9.0" },
  { "dense<false> : tensor<i1>", "0.9.0" }, { "dense<true> : tensor<20xi1>", "0.9.0" },
  { "dense<[true, false, true, false, false, true, true, true, true, false, true]> : tensor<11xi1>", "0.9.0" },
  { "dense<[-8, 7, -1]> : tensor<3xi4>", "0.9.0" }, { "dense<-1> : tensor<3xi2>", "1.2.0" },
  { "dense<[1.5, 0x7FC00000]> : tensor<2xf32>", "0.9.0" }, { "dense<(1.0, -2.0)> : tensor<2xcomplex<f64>>", "0.9.0" },
  { "#stablehlo<precision HIGHEST>", "0.9.0" }, { "#stablehlo<comparison_direction LT>", "0.9.0" },
  { "#stablehlo<comparison_type SIGNED>", "0.9.0" }, { "#stablehlo<fft_type IRFFT>", "0.9.0" },
  { "#stablehlo<transpose TRANSPOSE>", "0.9.0" }, { "#stablehlo<rng_algorithm PHILOX>", "0.9.0" },
  { "#stablehlo<rng_distribution UNIFORM>", "0.9.0" }, { "#stablehlo.result_accuracy_mode<HIGHEST>", "1.9.0" },
  { "#stablehlo.result_accuracy<atol = 0.5, rtol = -1.0e-3, ulps = 2, mode = "
    "#stablehlo.result_accuracy_mode<TOLERANCE>>", "1.9.0" },
  { "#stablehlo.output_operand_alias<output_tuple_indices = [0, 1], operand_index = 2, operand_tuple_indices = []>",
    "0.9.0" },
  { "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (2)4>", "1.16.0" },
  { "#stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = \"x\">]>", "1.16.0" },
  { "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>], device_ids = dense<[1, 0]> : "
    "tensor<2xi64>>", "1.16.0" },
};

static void
test_attrs_back (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (attr_trips); i++)
    {
      g_autofree char *text = g_strdup_printf ("func.func @main() attributes {a.b = %s} { return }",
                                               attr_trips[i].text);

      check_round_trip (text, attr_trips[i].since);
    }
}

static void
add_cases (const char    *folder,
           const Case    *cases,
           guint          n,
           GTestDataFunc  func)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *path = g_strconcat (folder, cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], func);
    }
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ("/vhlo/type/", type_cases, G_N_ELEMENTS (type_cases), test_type);
  add_cases ("/vhlo/attr/", attr_cases, G_N_ELEMENTS (attr_cases), test_attr);
  g_test_add_func ("/vhlo/types-back", test_types_back);
  g_test_add_func ("/vhlo/attrs-back", test_attrs_back);

  return g_test_run ();
}
